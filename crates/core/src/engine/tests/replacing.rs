//! Hunks that are written again, while all others stay.

use super::*;
use crate::id::HunkId;

const TEXT: &str = "a\nb\nc\nd\ne\nf\ng\nh\ni\nj\nk\nl\n";

fn again(engine: &mut Engine, only: &[HunkId], changes: &str) -> Answer {
    let payload = Payload::parse(&format!(r#"{{"changes":[{changes}]}}"#)).unwrap();
    let asked = SubmittedPayload {
        payload,
        origin: Origin::default(),
        changeset: None,
        only: Some(only.to_vec()),
    };
    engine.propose(asked).unwrap()
}

/// Returns the hunks that wait: file, number, and the lines that come.
fn waiting(engine: &mut Engine) -> Vec<(String, HunkId, String)> {
    let views = engine.review().unwrap();
    let hunks = views
        .iter()
        .flat_map(|view| view.pending().map(move |hunk| (view, hunk)));
    let each = hunks.map(|(view, hunk)| {
        let added = hunk
            .lines
            .iter()
            .filter(|line| line.kind == LineKind::Added);
        let added: Vec<&str> = added.map(|line| line.text.as_str()).collect();
        (view.path.clone(), hunk.id, added.join(" "))
    });
    each.collect()
}

fn approve_waiting(engine: &mut Engine) {
    let views = engine.review().unwrap();
    let hunks = views.iter().flat_map(|view| view.pending());
    let rulings: Vec<Ruling> = hunks
        .map(|hunk| Ruling::new(hunk, Verdict::Approve))
        .collect();
    engine.decide(&rulings).unwrap();
}

fn words(engine: &mut Engine) -> Vec<String> {
    let each = waiting(engine).into_iter();
    each.map(|(path, _, added)| format!("{path}: {added}"))
        .collect()
}

/// Stages three hunks of one proposal and one of another file; returns the engine and the hunk in the middle.
fn staged(world: &World) -> (Engine, HunkId) {
    let mut engine = world.process();
    let edits = serde_json::json!({"file": "x", "strategy": "section", "section": {"edits": [
        {"old_text": "b\n", "new_text": "B\n"},
        {"old_text": "f\n", "new_text": "F\n"},
        {"old_text": "k\n", "new_text": "K\n"},
    ]}});
    assert!(propose(&mut engine, &edits.to_string()).staged);
    assert!(propose(&mut engine, &section("y", "one", "two")).staged);
    let middle = waiting(&mut engine)
        .into_iter()
        .find(|(_, _, added)| added == "F");
    (engine, middle.unwrap().1)
}

fn world() -> World {
    World::new(&[("x", TEXT), ("y", "one\n")])
}

#[test]
fn a_hunk_is_written_again_and_the_others_stay() {
    let world = world();
    let (mut engine, middle) = staged(&world);
    let before = waiting(&mut engine);
    let changeset = engine.review().unwrap()[0].changeset;
    let answer = again(&mut engine, &[middle], &section("x", "F\n", "F1\nF2\n"));
    assert!(answer.staged, "{answer:?}");
    assert_eq!(
        (answer.changeset, answer.rewritten),
        (Some(changeset), vec![middle])
    );
    let after = waiting(&mut engine);
    let kept = before.iter().filter(|(_, hunk, _)| *hunk != middle);
    assert!(kept.into_iter().all(|own| after.contains(own)), "{after:?}");
    assert_eq!(words(&mut engine), ["x: B", "x: K", "y: two", "x: F1 F2"]);
    approve_waiting(&mut engine);
    assert_eq!(
        world.text("x").unwrap(),
        TEXT.replace('b', "B")
            .replace("f\n", "F1\nF2\n")
            .replace('k', "K")
    );
}

#[test]
fn lines_beside_it_may_change_with_it_and_it_may_go() {
    let world = world();
    let (mut engine, middle) = staged(&world);
    let wider = section("x", "e\nF\n", "E\nF,\n");
    assert!(again(&mut engine, &[middle], &wider).staged);
    assert_eq!(words(&mut engine), ["x: B", "x: K", "y: two", "x: E F,"]);
    let (_, next, _) = waiting(&mut engine)
        .into_iter()
        .find(|own| own.2 == "E F,")
        .unwrap();
    // As it is on disk.
    let back = again(&mut engine, &[next], &section("x", "E\nF,\n", "e\nf\n"));
    assert_eq!(
        (back.is_ok(), back.results[0].status),
        (true, Status::TakenBack)
    );
    assert_eq!(words(&mut engine), ["x: B", "x: K", "y: two"]);
}

#[test]
fn what_is_elsewhere_is_refused_and_all_stays() {
    let world = world();
    let (mut engine, middle) = staged(&world);
    let before = waiting(&mut engine);
    let of_x = "the user wants one hunk written again and all else as it is: only line 6 of x may change, with 3 lines around";
    let of_y = "the user wants one hunk of x written again and all else as it is: no other file may change";
    let beside = "this leaves the hunk as it is that the user wants written again: change its own lines, and no other hunk's";
    for (changes, why) in [
        (section("x", "K", "k"), of_x),
        (section("x", "l", "L"), of_x),
        (whole("x", "a\n"), of_x),
        (section("x", "B\nc\nd\ne\nF\n", "b\nc\nd\ne\nf1\n"), of_x),
        (section("y", "two", "three"), of_y),
        (whole("z", "new\n"), of_y),
        (section("x", "e\n", "E\n"), beside),
        (
            format!(
                "{},{}",
                section("x", "F", "G"),
                section("y", "two", "three")
            ),
            of_y,
        ),
    ] {
        let answer = again(&mut engine, &[middle], &changes);
        let errors = answer.results.iter().filter_map(|own| own.error.clone());
        let errors: Vec<String> = errors.collect();
        assert!(
            !answer.staged && errors.iter().any(|error| error == why),
            "{changes}: {errors:#?}"
        );
        assert_eq!(waiting(&mut engine), before, "{changes}");
    }
}

#[test]
fn one_that_others_build_on_waits_for_them() {
    let world = World::new(&[("x", TEXT)]);
    let mut engine = world.process();
    propose(&mut engine, &section("x", "f\n", "F\n"));
    let first = waiting(&mut engine)[0].1;
    propose(&mut engine, &section("x", "F\n", "F!\n"));
    let answer = again(&mut engine, &[first], &section("x", "F!\n", "G\n"));
    let why = answer.results[0].error.clone().unwrap();
    assert!(why.contains("another one builds on it"), "{why}");
    approve_waiting(&mut engine);
    let gone = again(&mut engine, &[first], &section("x", "F!\n", "G\n"));
    let why = gone.results[0].error.clone().unwrap();
    assert!(why.contains("does not wait any more"), "{why}");
}

#[test]
fn a_new_file_and_what_a_program_left_are_written_again() {
    let world = World::new(&[("y", "one\n")]);
    let mut engine = world.process();
    propose(&mut engine, &whole("new", "a\nb\n"));
    engine
        .stage_program(ProgramRun {
            finishes: Vec::new(),
            command: "fmt".into(),
            files: vec![ProgramFile {
                path: "y".to_owned(),
                content: Some(ProgramContent::File {
                    bytes: b"two\n".to_vec(),
                    mode: None,
                }),
                base: ProgramBase::Current,
                folders_gone: 0,
            }],
            not_collected: Vec::new(),
            held: None,
            origin: Origin::default(),
            changeset: None,
        })
        .unwrap();
    for (path, old, new) in [("new", "b\n", "c\n"), ("y", "two\n", "three\n")] {
        let (_, hunk, _) = waiting(&mut engine)
            .into_iter()
            .find(|own| own.0 == path)
            .unwrap();
        assert!(
            again(&mut engine, &[hunk], &section(path, old, new)).staged,
            "{path}"
        );
    }
    assert_eq!(words(&mut engine), ["new: a c", "y: three"]);
}
