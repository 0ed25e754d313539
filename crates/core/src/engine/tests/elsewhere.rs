//! Verdicts on hunks that another process decided on while they were shown.

use super::*;

#[test]
fn verdicts_on_what_another_process_decided_say_what_it_did() {
    let cases: [(Verdict, &str, &str); 2] = [
        (Verdict::Approve, "committed", "X\n2\n"),
        (Verdict::Deny { reason: None }, "denied", "1\n2\n"),
    ];
    for (other, word, text) in cases {
        for own in [Verdict::Approve, Verdict::Deny { reason: None }] {
            // The second file keeps the proposal of the first apart from what closes it.
            let world = World::new(&[("a", "1\n2\n"), ("b", "1\n")]);
            let (mut ours, mut theirs) = (world.process(), world.process());
            propose(&mut ours, &section("a", "1", "X"));
            propose(&mut ours, &section("b", "1", "X"));
            let shown = ours.review().unwrap();
            let rule = |view: &ProposalView, verdict: &Verdict| {
                Ruling::new(&view.hunks[0], verdict.clone())
            };
            let there = rule(&theirs.review().unwrap()[0], &other);
            theirs.decide(&[there]).unwrap();
            let rulings: Vec<Ruling> = shown.iter().map(|view| rule(view, &own)).collect();
            let decision = ours.decide(&rulings).unwrap();
            let Decision::Elsewhere { hunks, others: 1 } = decision else {
                panic!("{decision:?}");
            };
            let told: Vec<_> = hunks
                .iter()
                .map(|it| (it.path.as_str(), it.status.state().word()))
                .collect();
            assert_eq!(told, [("a", word)], "{other:?} then {own:?}");
            assert_eq!(world.text("a").as_deref(), Some(text));
            assert_eq!(
                world.text("b").as_deref(),
                Some("1\n"),
                "one lot, all or none"
            );
            assert_eq!(ours.review().unwrap().len(), 1);
            assert!(matches!(
                ours.decide(&rulings[1..]).unwrap(),
                Decision::Done(_)
            ));
        }
    }
}
