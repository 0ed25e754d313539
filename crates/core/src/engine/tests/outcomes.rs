//! What became of edits, asked by another process than the one that decided.

use super::*;

/// Stages edits of a conversation and returns their proposals.
fn staged(engine: &mut Engine, session: &str, changes: &str) -> Vec<crate::id::ProposalId> {
    let payload = Payload::parse(&format!(r#"{{"changes":[{changes}]}}"#)).unwrap();
    let origin = Origin {
        session: session.to_owned(),
        ..Origin::default()
    };
    let asked = SubmittedPayload {
        payload,
        origin,
        changeset: None,
        only: None,
    };
    let answer = engine.propose(asked).unwrap();
    answer.proposals.iter().map(|view| view.id).collect()
}

fn told(outcomes: &Outcomes) -> Vec<String> {
    let hunks = outcomes.hunks.iter();
    let hunks = hunks.map(|one| format!("{} {}", one.path, one.status.state().word()));
    let written = outcomes.written.iter();
    let written = written.map(|one| format!("{} {} {}", one.path, one.version, one.status));
    hunks.chain(written).collect()
}

#[test]
fn fates_are_those_of_the_proposals_and_conversations_asked_about() {
    let world = World::new(&[("a", "1\n2\n"), ("b", "1\n"), ("c", "1\n")]);
    let mut engine = world.process();
    let changes = [section("a", "1", "x"), section("b", "1", "x")].join(",");
    let ours = staged(&mut engine, "s1", &changes);
    staged(&mut engine, "s2", &section("c", "1", "x"));
    let mut asked = world.process();
    let mut ask = |ids: &[_]| asked.outcomes(ids, &["s1".to_owned()]).unwrap();
    let outcomes = ask(&ours);
    assert_eq!(told(&outcomes), ["a pending", "b pending"]);
    assert_eq!(outcomes.pending, 3);
    rule(&mut engine, |at| match at {
        0 => Some(Verdict::Approve),
        1 => Some(Verdict::Deny { reason: None }),
        _ => Some(Verdict::Approve),
    });
    assert_eq!(
        told(&ask(&ours)),
        ["a committed", "b denied", "a 1 applied"]
    );
    engine
        .take_back(&RevertTarget::file("a", RevertTo::Last))
        .unwrap();
    assert_eq!(told(&ask(&[])), ["a 1 reverted"]);
    engine
        .take_back(&RevertTarget::file("a", RevertTo::Redo))
        .unwrap();
    assert_eq!(told(&ask(&[])), ["a 1 applied"]);
    let unknown = crate::id::ProposalId(Uuid::from_u128(1));
    assert_eq!(ask(&[unknown]).hunks, []);
}

#[test]
fn a_revert_says_which_changes_are_gone_and_which_are_back() {
    let world = World::new(&[("a", "1\n2\n3\n")]);
    let mut engine = world.process();
    for (old, new) in [("1", "one"), ("2", "two"), ("3", "three")] {
        propose(&mut engine, &section("a", old, new));
        approve_all(&mut engine);
    }
    let mut check = |to, expected: (&[u64], &[u64])| {
        let back = taken_back(&mut engine, "a", to);
        let gone: Vec<u64> = back.gone.iter().map(|gone| gone.version).collect();
        assert_eq!((&gone[..], &back.restored[..]), expected, "{to:?}");
    };
    check(RevertTo::Only(2), (&[2], &[]));
    check(RevertTo::Redo, (&[], &[2]));
    // Version 5 put 2 back: without it, 2 is gone again.
    check(RevertTo::Only(5), (&[2], &[]));
    check(RevertTo::Version(0), (&[1, 3], &[]));
}
