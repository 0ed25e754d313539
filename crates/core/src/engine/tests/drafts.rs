//! Payloads that are planned while others have the engine, within a budget.

use super::*;
use crate::budget::{Budget, REQUEST_STEPS, Stop, Stopped};

fn asked(changes: &str) -> SubmittedPayload {
    SubmittedPayload {
        payload: Payload::parse(&format!(r#"{{"changes":[{changes}]}}"#)).unwrap(),
        origin: Origin::default(),
        changeset: None,
        only: None,
    }
}

fn draft(engine: &mut Engine, changes: &str, budget: &Budget) -> PayloadDraft {
    let mut draft = engine
        .begin_propose(asked(changes), budget.clone())
        .unwrap();
    while let Some(unplanned) = engine.next_change(&mut draft).unwrap() {
        draft.plan(unplanned).unwrap();
    }
    draft.check();
    draft
}

fn moved(from: &str, to: &str) -> String {
    format!(r#"{{"file":"{from}","move":{{"to":"{to}"}}}}"#)
}

fn answered(end: Result<DraftEnd, EngineError>) -> Answer {
    match end.unwrap() {
        DraftEnd::Answered(answer) => answer,
        DraftEnd::Outdated(asked) => panic!("{asked:?} is to be planned again"),
    }
}

#[test]
fn what_is_planned_beside_the_engine_is_staged_as_ever() {
    let world = World::new(&[("a", "1\n"), ("b", "2\n")]);
    let mut engine = world.process();
    let changes = [
        section("a", "1", "x"),
        section("a", "x", "y"),
        moved("a", "c"),
        section("b", "2", "z"),
    ];
    let draft = draft(&mut engine, &changes.join(","), &Budget::default());
    let answer = answered(engine.end_propose(draft));
    assert!(answer.staged && answer.is_ok(), "{answer:?}");
    assert_eq!(text_of(&mut engine, "c").as_deref(), Some("y\n"));
    assert_eq!(text_of(&mut engine, "b").as_deref(), Some("z\n"));
}

/// What happens while a payload is planned.
type Meanwhile = fn(&World, &mut Engine);

#[test]
fn what_was_planned_on_another_text_is_given_back() {
    let cases: [(&str, Meanwhile); 5] = [
        ("the user saves", |world, _| {
            world.files.save("a", "1\nmine\n")
        }),
        ("the file goes", |world, _| world.files.remove("a")),
        ("another call stages", |_, engine| {
            assert!(propose(engine, &section("a", "2", "two")).staged);
        }),
        ("something comes to be where it goes", |world, _| {
            world.files.save("d", "there\n");
        }),
        ("something is staged where it goes", |_, engine| {
            assert!(propose(engine, &whole("d", "there\n")).staged);
        }),
    ];
    for (name, meanwhile) in cases {
        let world = World::new(&[("a", "1\n2\n"), ("b", "x\n")]);
        let mut engine = world.process();
        let changes = [section("a", "1", "one"), moved("b", "d")];
        let draft = draft(&mut engine, &changes.join(","), &Budget::default());
        meanwhile(&world, &mut engine);
        let before = engine.review().unwrap();
        let end = engine.end_propose(draft).unwrap();
        let again = DraftEnd::Outdated(asked(&changes.join(",")));
        assert_eq!(end, again, "{name}");
        assert_eq!(engine.review().unwrap(), before, "{name}");
    }
}

#[test]
fn a_request_that_takes_too_much_work_is_refused_and_stages_nothing() {
    let line: String = (0..300).map(|number| format!("f( {number} ); ")).collect();
    let lines: String = (0..300).map(|number| format!("f( {number} );\n")).collect();
    let loose = |number: usize| section("a.js", &format!("f({number}) ;"), "g();");
    let queried = r#"{"file":"a.js","ast":{"query":"(program (_)* @a (_)* @b)","capture":"a","action":"delete"}}"#;
    for (text, change) in [
        (&line, loose(7)),
        (&lines, section("a.js", "f(8)\nf( 9 );\nnowhere();", "g();")),
        (&lines, section("a.js", "nothing of this", "g();")),
        (&lines, queried.to_owned()),
    ] {
        let world = World::new(&[("a.js", text.as_str()), ("b", "1\n")]);
        let mut engine = world.process();
        let changes = [section("b", "1", "x"), change];
        // Another text each time, so that nothing is known of it from the time before.
        let budget = Budget::new(100, Stop::default());
        let made = draft(&mut engine, &changes.join(","), &budget);
        let answer = answered(engine.end_propose(made));
        assert!(!answer.staged && engine.review().unwrap().is_empty());
        let why = answer.results[1].error.as_deref().unwrap_or_default();
        assert!(why.contains("too much work"), "{changes:?}: {why}");
        // With the steps that a request has, it is an answer of another kind.
        let made = draft(&mut engine, &changes.join(","), &Budget::default());
        let answer = answered(engine.end_propose(made));
        let why = answer.results[1].error.as_deref().unwrap_or_default();
        assert!(!why.contains("too much work"), "{changes:?}: {why}");
    }
}

#[test]
fn a_request_that_was_stopped_stages_nothing() {
    for why in [Stopped::Cancelled, Stopped::Late] {
        let world = World::new(&[("a", "1\n")]);
        let mut engine = world.process();
        let stop = Stop::default();
        stop.stop(why);
        let budget = Budget::new(REQUEST_STEPS, stop);
        let draft = draft(&mut engine, &section("a", "1", "x"), &budget);
        let answer = answered(engine.end_propose(draft));
        assert!(!answer.staged && engine.review().unwrap().is_empty());
    }
}
