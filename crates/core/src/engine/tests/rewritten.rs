//! Edits of one changeset that rewrite each other.

use proptest::prelude::*;

use super::*;
use crate::engine::Status;
use crate::id::ChangesetId;
use crate::stage::review::HunkState;

/// Stages changes in a changeset of their own, or in that of others.
fn in_turn(engine: &mut Engine, turn: u128, changes: &str) -> Answer {
    let payload = Payload::parse(&format!(r#"{{"changes":[{changes}]}}"#)).unwrap();
    let asked = SubmittedPayload {
        payload,
        origin: Origin::default(),
        changeset: Some(ChangesetId(Uuid::from_u128(turn))),
        only: None,
    };
    engine.propose(asked).unwrap()
}

/// Returns the files of the proposals that wait, each with the lines that its hunks change.
fn waiting(engine: &mut Engine) -> Vec<(String, Vec<Vec<String>>)> {
    let views = engine.review().unwrap().into_iter();
    let each = views.map(|view| {
        let hunks = view.pending().map(shown);
        let hunks = hunks.map(|lines| lines.into_iter().filter(|line| !line.starts_with(' ')));
        (view.path.clone(), hunks.map(Iterator::collect).collect())
    });
    each.collect()
}

fn lines(all: &[&str]) -> Vec<String> {
    all.iter().map(|line| (*line).to_owned()).collect()
}

const TEXT: &str = "one\ntwo\nthree\nfour\nfive\nsix\nseven\neight\nnine\nten\neleven\ntwelve\n";

#[test]
fn what_a_turn_stages_and_mends_is_looked_at_once() {
    let world = World::new(&[("a", TEXT)]);
    let mut engine = world.process();
    let first = section("a", "two", "@(1)") + "," + &section("a", "ten", "X");
    let first = in_turn(&mut engine, 1, &first);
    let again = in_turn(&mut engine, 1, &section("a", "@(1)", "@(1, 2"));
    let last = in_turn(&mut engine, 1, &section("a", "@(1, 2", "@(1, 2)"));
    assert_eq!(
        waiting(&mut engine),
        [
            ("a".to_owned(), vec![lines(&["-ten", "+X"])]),
            ("a".to_owned(), vec![lines(&["-two", "+@(1, 2)"])]),
        ]
    );
    assert_eq!(
        again.results[0].rewrites,
        [first.results[0].proposal.unwrap()]
    );
    assert_eq!(
        last.results[0].rewrites,
        [again.results[0].proposal.unwrap()]
    );
    // What was told of earlier hunks is asked for by their ids.
    let earlier = [
        first.results[0].proposal.unwrap(),
        again.results[0].proposal.unwrap(),
    ];
    let outcomes = engine.outcomes(&earlier, &[]).unwrap();
    let states = outcomes.hunks.iter().map(|own| own.status.state());
    assert_eq!(states.collect::<Vec<_>>(), [HunkState::Replaced; 2]);
    assert!(matches!(approve_all(&mut engine), Decision::Done(_)));
    let wanted = TEXT
        .replace("ten\n", "X\n")
        .replacen("two\n", "@(1, 2)\n", 1);
    assert_eq!(world.text("a"), Some(wanted));
}

#[test]
fn of_a_proposal_only_the_hunk_that_is_rewritten_leaves_it() {
    let world = World::new(&[("a", TEXT)]);
    let mut engine = world.process();
    let both = TEXT.replace("ten\n", "X\n").replacen("two\n", "#\n", 1);
    in_turn(&mut engine, 1, &whole("a", &both));
    in_turn(&mut engine, 1, &section("a", "X", "TEN"));
    assert_eq!(
        waiting(&mut engine),
        [
            ("a".to_owned(), vec![lines(&["-two", "+#"])]),
            ("a".to_owned(), vec![lines(&["-ten", "+TEN"])]),
        ]
    );
    let [first, second] = &engine.review().unwrap()[..] else {
        panic!("two wait");
    };
    assert_eq!(first.hunks.len(), 2);
    assert_eq!(second.hunks[0].id.number, 1);
    // Each is decided on by itself.
    let rulings = [
        (&first.hunks[0], Verdict::Approve),
        (&second.hunks[0], Verdict::Deny { reason: None }),
    ];
    let rulings = rulings.map(|(hunk, verdict)| Ruling::new(hunk, verdict));
    assert!(matches!(
        engine.decide(&rulings).unwrap(),
        Decision::Done(_)
    ));
    assert_eq!(world.text("a"), Some(TEXT.replacen("two\n", "#\n", 1)));
}

#[test]
fn files_that_come_and_go_within_a_turn() {
    let delete = r#"{"file":"a","strategy":"delete"}"#;
    type Case<'a> = (&'a [(&'a str, &'a str)], Vec<String>, &'a [&'a str]);
    let cases: [Case<'_>; 5] = [
        (
            &[],
            vec![whole("a", "1\n2\n"), section("a", "2", "two")],
            &["+1", "+two"],
        ),
        (
            &[("a", "1\n2\n")],
            vec![section("a", "2", "two"), delete.into()],
            &["-1", "-2"],
        ),
        (
            &[("a", "1\n2\n")],
            vec![section("a", "2", "two"), section("a", "two", "2")],
            &[],
        ),
        (&[], vec![whole("a", "1\n"), delete.into()], &[]),
        (
            &[],
            vec![
                whole("a", "1\n"),
                section("a", "1", "2"),
                section("a", "2", "3"),
            ],
            &["+3"],
        ),
    ];
    for (files, changes, expected) in cases {
        let world = World::new(files);
        let mut engine = world.process();
        for change in &changes {
            let last = in_turn(&mut engine, 1, change);
            assert!(last.is_ok(), "{last:?}");
            let waits = !waiting(&mut engine).is_empty();
            assert_eq!(last.staged, waits, "{change}");
            if !waits {
                let own = &last.results[0];
                assert_eq!((own.status, own.proposal), (Status::TakenBack, None));
            }
        }
        let now: Vec<_> = waiting(&mut engine)
            .into_iter()
            .map(|(_, hunks)| hunks)
            .collect();
        match expected {
            [] => assert!(now.is_empty(), "{changes:?}"),
            _ => assert_eq!(now, [[lines(expected)]], "{changes:?}"),
        }
        let text = text_of(&mut engine, "a");
        approve_all(&mut engine);
        assert_eq!(world.text("a"), text);
    }
}

#[test]
fn a_payload_that_rewrites_its_own_change_is_one_proposal() {
    let world = World::new(&[("a", TEXT)]);
    let mut engine = world.process();
    let changes = section("a", "two", "#") + "," + &section("a", "#", "##");
    let answer = in_turn(&mut engine, 1, &changes);
    let ids: Vec<_> = answer.results.iter().map(|own| own.proposal).collect();
    assert_eq!(ids[0], ids[1]);
    assert_eq!(answer.rewritten.len(), 1);
    assert_eq!(answer.proposals.len(), 1);
    assert!(answer.results.iter().all(|own| own.rewrites.is_empty()));
    // Without a turn each is decided on.
    let answer = propose(&mut engine, &section("a", "ten", "X"));
    let answer = (answer, propose(&mut engine, &section("a", "X", "TEN")));
    assert_eq!((answer.0.proposals.len(), answer.1.proposals.len()), (1, 1));
    assert_eq!(waiting(&mut engine).len(), 3);
}

#[test]
fn the_card_says_what_both_do_and_how_the_weaker_was_found() {
    let world = World::new(&[("a.py", "def f():\n    return 1\n")]);
    let mut engine = world.process();
    let described = |old: &str, new: &str, description: &str| {
        let mut change: serde_json::Value =
            serde_json::from_str(&section("a.py", old, new)).unwrap();
        change["description"] = description.into();
        change.to_string()
    };
    in_turn(
        &mut engine,
        1,
        &described("return 1", "return os.getpid()", "Return the id"),
    );
    let note = |engine: &mut Engine| engine.review().unwrap()[0].note.clone();
    assert!(note(&mut engine).is_some_and(|note| note.contains("`os` is not defined")));
    let mended = "import posix as os; return os.getpid()";
    in_turn(
        &mut engine,
        1,
        &described("return os.getpid()", mended, "Import it"),
    );
    assert_eq!(
        note(&mut engine),
        None,
        "what was mended is not said any more"
    );
    assert_eq!(
        engine.review().unwrap()[0].description,
        "Return the id; Import it"
    );
}

#[test]
fn what_waited_for_a_look_still_does() {
    let world = World::new(&[("a", TEXT)]);
    let mut engine = world.process();
    in_turn(&mut engine, 1, &section("a", "two", "#"));
    let held = Some("what it removes was to be in b, which you denied".to_owned());
    engine.state.overlay.stage.proposals[0]
        .card
        .held
        .clone_from(&held);
    in_turn(&mut engine, 1, &section("a", "#", "##"));
    assert_eq!(engine.review().unwrap()[0].held, held);
}

#[test]
fn other_turns_and_programs_stay_by_themselves() {
    let world = World::new(&[("a", TEXT)]);
    let mut engine = world.process();
    in_turn(&mut engine, 1, &section("a", "two", "#"));
    let answer = in_turn(&mut engine, 2, &section("a", "#", "##"));
    assert_eq!(answer.results[0].rewrites, []);
    assert_eq!(waiting(&mut engine).len(), 2);
    // Not through what another turn builds on it either.
    let answer = in_turn(&mut engine, 1, &section("a", "##", "2.0"));
    assert_eq!(answer.results[0].rewrites, []);
    assert_eq!(waiting(&mut engine).len(), 3);
}

#[test]
fn a_file_that_the_turn_moved_keeps_its_way() {
    let world = World::new(&[("a", TEXT)]);
    let mut engine = world.process();
    in_turn(&mut engine, 1, &section("a", "two", "#"));
    in_turn(
        &mut engine,
        1,
        r#"{"file":"a","strategy":"move","move":{"to":"b"}}"#,
    );
    in_turn(&mut engine, 1, &section("b", "#", "##"));
    let paths: Vec<_> = waiting(&mut engine)
        .into_iter()
        .map(|(path, _)| path)
        .collect();
    assert_eq!(paths, ["a", "a"]);
    approve_all(&mut engine);
    assert_eq!(world.text("b"), Some(TEXT.replacen("two\n", "##\n", 1)));
    assert_eq!(world.text("a"), None);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    /// Whatever turns do to each other, the overlay has what the last left, and what is approved in any order, denied
    /// or left makes a text of lines that some edit or the file has.
    #[test]
    fn joining_changes_no_text(
        edits in prop::collection::vec((0_u128..2, 0_usize..10, 0_usize..3, 0_usize..3), 1..8),
        verdicts in prop::collection::vec(0_u8..3, 24),
    ) {
        let text: String = (0..10).map(|n| format!("line {n}\n")).collect();
        let world = World::new(&[("a", &text)]);
        let mut engine = world.process();
        let mut rows: Vec<String> = text.lines().map(str::to_owned).collect();
        for (at, (turn, row, goes, comes)) in edits.into_iter().enumerate() {
            let row = row.min(rows.len());
            let end = (row + goes).min(rows.len());
            let fresh = (0..comes).map(|n| format!("new {at}.{n}"));
            rows.splice(row..end, fresh);
            let now: String = rows.iter().map(|row| format!("{row}\n")).collect();
            let answer = in_turn(&mut engine, turn, &whole("a", &now));
            if answer.is_ok() {
                prop_assert_eq!(text_of(&mut engine, "a"), Some(now));
            } else {
                let now = text_of(&mut engine, "a").unwrap();
                rows = now.lines().map(str::to_owned).collect();
            }
        }
        let wanted = text_of(&mut engine, "a").unwrap();
        rule(&mut engine, |at| match verdicts.get(at) {
            Some(0) => Some(Verdict::Approve),
            Some(1) => Some(Verdict::Deny { reason: None }),
            _ => None,
        });
        let all_denied = verdicts.iter().all(|verdict| *verdict != 1);
        rule(&mut engine, |_| Some(Verdict::Approve));
        if all_denied {
            prop_assert_eq!(world.text("a"), Some(wanted));
        }
    }
}
