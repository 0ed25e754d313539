//! Hunks that change between what was displayed of them and the verdict.

use super::*;

const TEXT: &str = "1\n2\n3\n4\n5\n6\n7\n8\n9\n";

/// Stages two changes far apart, and returns what the list displays of them.
fn displayed(engine: &mut Engine) -> Vec<HunkView> {
    propose(engine, &section("a", "1", "one"));
    propose(engine, &section("a", "9", "nine"));
    let views = engine.review().unwrap();
    let hunks: Vec<HunkView> = views.into_iter().flat_map(|view| view.hunks).collect();
    assert_eq!(hunks.len(), 2);
    hunks
}

fn decide(engine: &mut Engine, hunk: &HunkView, verdict: Verdict) -> Decision {
    engine.decide(&[Ruling::new(hunk, verdict)]).unwrap()
}

#[test]
fn what_reads_as_in_the_list_before_is_the_same_value() {
    let world = World::new(&[("a", TEXT), ("b", TEXT)]);
    let mut engine = world.process();
    propose(&mut engine, &section("a", "1", "one"));
    propose(&mut engine, &section("b", "1", "one"));
    let first = engine.listing().unwrap().proposals;
    let again = engine.listing().unwrap().proposals;
    assert_eq!(first, again);
    let shared = |later: &[Arc<ProposalView>]| -> Vec<bool> {
        let both = first.iter().zip(later);
        both.map(|(one, other)| Arc::ptr_eq(one, other)).collect()
    };
    assert_eq!(shared(&again), [true, true]);
    world.files.save("b", "0\n1\n2\n3\n");
    let later = engine.listing().unwrap().proposals;
    assert_eq!(shared(&later), [true, false]);
    assert_eq!(later.len(), 2);
    assert_ne!(first[1], later[1]);
}

#[test]
fn verdicts_on_one_list_can_be_given_one_after_another() {
    for first in [Verdict::Approve, Verdict::Deny { reason: None }] {
        let world = World::new(&[("a", TEXT)]);
        let mut engine = world.process();
        let hunks = displayed(&mut engine);
        for (hunk, verdict) in hunks.iter().zip([first.clone(), Verdict::Approve]) {
            let decision = decide(&mut engine, hunk, verdict);
            assert!(matches!(decision, Decision::Done(_)), "{decision:?}");
        }
        assert!(world.text("a").unwrap().ends_with("8\nnine\n"), "{first:?}");
    }
}

#[test]
fn a_save_between_two_verdicts_is_displayed_before_the_second_is_carried_out() {
    let world = World::new(&[("a", TEXT)]);
    let mut engine = world.process();
    let hunks = displayed(&mut engine);
    let decision = decide(&mut engine, &hunks[0], Verdict::Approve);
    assert!(matches!(decision, Decision::Done(_)), "{decision:?}");
    let saved = format!("{}mine\n", world.text("a").unwrap());
    world.files.save("a", saved.as_str());
    // Whoever reads the file moves what is staged onto it, and nobody is shown that.
    engine.read("a").unwrap();
    for _ in 0..2 {
        let decision = decide(&mut engine, &hunks[1], Verdict::Approve);
        let Decision::Changed { hunks: changed } = decision else {
            panic!("{decision:?}");
        };
        let found: Vec<_> = changed.iter().map(|own| (own.hunk, &*own.path)).collect();
        assert_eq!(found, [(hunks[1].id, "a")]);
        assert_eq!(world.text("a").as_deref(), Some(&*saved));
    }
    assert!(matches!(approve_all(&mut engine), Decision::Done(_)));
    let written = saved.replace("9\n", "nine\n");
    assert_eq!(world.text("a"), Some(written));
}

#[test]
fn what_changed_can_be_denied_as_it_was_displayed() {
    let world = World::new(&[("a", TEXT)]);
    let mut engine = world.process();
    let hunks = displayed(&mut engine);
    world.files.save("a", format!("mine\n{TEXT}").as_str());
    let decision = decide(&mut engine, &hunks[0], Verdict::Deny { reason: None });
    assert!(matches!(decision, Decision::Done(_)), "{decision:?}");
}

#[test]
fn a_ruling_on_nothing_that_was_displayed_is_not_carried_out() {
    let world = World::new(&[("a", TEXT)]);
    let mut engine = world.process();
    let hunks = displayed(&mut engine);
    let unseen = HunkView {
        displayed: DisplayHash::default(),
        ..hunks[0].clone()
    };
    let decision = decide(&mut engine, &unseen, Verdict::Approve);
    assert!(matches!(decision, Decision::Changed { .. }), "{decision:?}");
    assert_eq!(world.text("a").as_deref(), Some(TEXT));
}
