//! Files that the user saves while edits of them wait.

use super::*;
use crate::engine::decided_by_others;

#[test]
fn a_file_saved_while_its_card_is_open_is_shown_again_before_it_is_written() {
    let world = World::new(&[("a", "1\n2\n3\n")]);
    let mut engine = world.process();
    propose(&mut engine, &section("a", "3", "three"));
    let seen = engine.review().unwrap();
    world.files.save("a", "mine\n1\n2\n3\n");
    let rulings = [Ruling::new(&seen[0].hunks[0], Verdict::Approve)];
    assert_eq!(
        engine.decide(&rulings).unwrap(),
        Decision::Changed {
            hunks: vec![HunkOutcome {
                hunk: seen[0].hunks[0].id,
                path: "a".into(),
                status: HunkStatus::Pending,
            }]
        }
    );
    assert_eq!(world.text("a").as_deref(), Some("mine\n1\n2\n3\n"));
    let again = engine.review().unwrap();
    assert!(again[0].note.is_some());
    assert!(
        matches!(engine.decide(&rulings).unwrap(), Decision::Changed { .. }),
        "they are about what was displayed before"
    );
    let rulings = [Ruling::new(&again[0].hunks[0], Verdict::Approve)];
    assert!(matches!(
        engine.decide(&rulings).unwrap(),
        Decision::Done(_)
    ));
    assert_eq!(world.text("a").as_deref(), Some("mine\n1\n2\nthree\n"));
}

#[test]
fn a_save_noticed_by_another_process_still_has_to_be_shown_here() {
    let world = World::new(&[("a", "1\n2\n3\n")]);
    let (mut here, mut there) = (world.process(), world.process());
    propose(&mut here, &section("a", "3", "three"));
    let seen = here.review().unwrap();
    world.files.save("a", "mine\n1\n2\n3\n");
    there.review().unwrap();
    let rulings = [Ruling::new(&seen[0].hunks[0], Verdict::Approve)];
    assert!(matches!(
        here.decide(&rulings).unwrap(),
        Decision::Changed { .. }
    ));
    assert_eq!(world.text("a").as_deref(), Some("mine\n1\n2\n3\n"));
}

#[test]
fn no_line_goes_into_a_file_that_was_saved_as_no_text() {
    for saved in ["1\n2\n\0", "\0\n1\n2\n"] {
        let world = World::new(&[("a", "1\n2\n"), ("b", "1\n2\n")]);
        let mut engine = world.process();
        propose(&mut engine, &section("b", "2", "two"));
        approve_all(&mut engine);
        propose(&mut engine, &section("a", "1", "one"));
        world.files.save("a", saved);
        world.files.save("b", saved);
        let views = engine.review().unwrap();
        let hunk = &views[0].hunks[0];
        let reason = "you made something else of the file".to_owned();
        assert_eq!(hunk.status, HunkStatus::Conflict { reason });
        assert_eq!(
            (shown(hunk), hunk.yours.len()),
            (vec!["-1".to_owned(), "+one".into(), " 2".into()], 0)
        );
        assert!(matches!(approve_all(&mut engine), Decision::Refused { .. }));
        let undone = engine
            .take_back(&RevertTarget::file("b", RevertTo::Last))
            .unwrap();
        assert!(!undone.blocked.is_empty(), "{undone:?}");
        for file in ["a", "b"] {
            assert_eq!(world.text(file).as_deref(), Some(saved));
        }
    }
}

/// Returns the numbers of the hunks in conflict with whether each can be taken, what it shows, and the end of its reason.
fn conflicts(engine: &mut Engine) -> Vec<(bool, String, String)> {
    let views = engine.review().unwrap();
    let hunks = views.iter().flat_map(|view| &view.hunks);
    let told = hunks.filter_map(|hunk| match &hunk.status {
        HunkStatus::Conflict { reason } => {
            let lines = shown(hunk).join(" ");
            Some((hunk.takeable, lines, reason.clone()))
        }
        _ => None,
    });
    told.collect()
}

/// What waits over lines that the user saved meanwhile is denied, taken as shown, or refused with the reason.
#[test]
fn a_hunk_over_saved_lines_is_taken_as_it_is_shown() {
    const SAME: &str = "you changed the same lines since";
    let two = section("a", "2", "two");
    let made = r#"{"file":"a","description":"d","strategy":"whole","whole":{"content":"1\n2\n"}}"#;
    let gone = r#"{"file":"a","description":"d","strategy":"delete"}"#;
    for (base, change, saved, lines, taken) in [
        // Its lines, with lines that the user added elsewhere.
        (
            Some("1\n2\n3\n"),
            two.as_str(),
            "1\nzwei\n3\n",
            " 1 -zwei +two  3",
            "1\ntwo\n3\n",
        ),
        (
            Some("1\n2\n3\n"),
            &two,
            "0\n1\nzwei\n3\n",
            " 0  1 -zwei +two  3",
            "0\n1\ntwo\n3\n",
        ),
        // The user's change of the line below was one with it.
        (
            Some("1\n2\n3\n"),
            &two,
            "1\nzwei\ndrei\n",
            " 1 -zwei -drei +two +3",
            "1\ntwo\n3\n",
        ),
        // The line has gone.
        (
            Some("1\n2\n3\n"),
            &two,
            "1\n3\n",
            " 1 +two  3",
            "1\ntwo\n3\n",
        ),
        // A file that was to come is there, and one that was to go has changed.
        (None, made, "mine\n2\n", "-mine +1  2", "1\n2\n"),
        (Some("1\n2\n"), gone, "1\nmine\n", "-1 -mine", ""),
    ] {
        let files: Vec<(&str, &str)> = base.map(|base| ("a", base)).into_iter().collect();
        let case = format!("{change} {saved:?}");
        let world = World::new(&files);
        let mut engine = world.process();
        propose(&mut engine, change);
        world.files.save("a", saved);
        let found = conflicts(&mut engine);
        assert!(
            matches!(&found[..], [(true, own, reason)] if own == lines && reason.contains("approve this hunk")),
            "{case} {found:?}"
        );
        assert_eq!(conflicts(&mut world.process()), found);
        // Nothing takes it with others.
        let all = engine.review().unwrap();
        engine.approve_unseen(&all).unwrap();
        assert_eq!(world.text("a").as_deref(), Some(saved), "{case}");

        // Lines elsewhere make no difference; its own and those of a whole file do.
        let mut other = world.process();
        let is_whole = base.is_none() || change == gone;
        world.files.save("a", format!("{saved}later\n"));
        let again = conflicts(&mut other);
        assert_eq!(again[0].0, !is_whole, "{case} {again:?}");
        world.files.save("a", "other\n");
        assert!(!conflicts(&mut other)[0].0, "{case}");
        assert!(matches!(approve_all(&mut other), Decision::Refused { .. }));
        world.files.save("a", saved);

        assert!(
            matches!(approve_all(&mut engine), Decision::Done(_)),
            "{case}"
        );
        let expected = Some(taken).filter(|taken| !taken.is_empty());
        assert_eq!(world.text("a").as_deref(), expected, "{case}");
        assert!(engine.review().unwrap().is_empty());
        let undone = engine
            .take_back(&RevertTarget::file("a", RevertTo::Last))
            .unwrap();
        assert!(undone.written, "{undone:?}");
        assert_eq!(world.text("a").as_deref(), Some(saved), "{case}");
    }
    let world = World::new(&[("a", "1\n2\n3\n")]);
    let mut engine = world.process();
    propose(&mut engine, &two);
    let saved = "1\r\n2\r\n3\r\n";
    world.files.save("a", saved);
    let found = conflicts(&mut engine);
    let why = "the file has other line endings now";
    let reason = format!("{SAME}; {why}, so that it can only be denied");
    assert_eq!((found[0].0, &found[0].2), (false, &reason));
    assert!(matches!(approve_all(&mut engine), Decision::Refused { .. }));
    let denied = rule(&mut engine, |_| Some(Verdict::Deny { reason: None }));
    assert!(matches!(denied, Decision::Done(_)));
    assert!(engine.review().unwrap().is_empty());
    assert_eq!(world.text("a").as_deref(), Some(saved));
}

/// A hunk whose lines the user typed, or that came with a pull: nothing is left of it, nobody decided on it, and what waits
/// beside it waits on.
#[test]
fn a_hunk_whose_lines_the_file_has_already_waits_no_more() {
    let base = "1\n2\n3\n4\n5\n6\n7\n8\n9\n";
    let saved = "1\ntwo\n3\n4\n5\n6\n7\n8\n9\nmine\n";
    let both = "1\ntwo\n3\n4\n5\n6\n7\n8\nnine\n";
    let new = whole("new", "made\n");
    for (change, path, saved, left) in [
        (section("a", "2", "two"), "a", saved, 0),
        (whole("a", both), "a", saved, 1),
        (new, "new", "made\n", 0),
    ] {
        let world = World::new(&[("a", base)]);
        let mut engine = world.process();
        propose(&mut engine, &change);
        let shown = engine.review().unwrap();
        let id = shown[0].id;
        world.files.save(path, saved);
        // Who rules on it as it was shown learns of it, also where nobody looked since.
        let ruling = Ruling::new(&shown[0].hunks[0], Verdict::Approve);
        let first = engine.decide(std::slice::from_ref(&ruling)).unwrap();
        let stays = engine.review().unwrap();
        let waiting: usize = stays.iter().map(|view| view.pending().count()).sum();
        assert_eq!((stays.len(), waiting), (left, left), "{change}");
        for engine in [&mut engine, &mut world.process()] {
            let outcomes = engine.outcomes(&[id], &[]).unwrap();
            assert_eq!(outcomes.hunks[0].status, HunkStatus::InFile, "{change}");
        }
        let decision = engine.decide(&[ruling]).unwrap();
        assert_eq!(first, decision, "{change}");
        let Decision::Elsewhere { hunks, .. } = decision else {
            panic!("{change}: {decision:?}");
        };
        let told = format!("hunk 1 of {path} is in the file already: nothing waits of that");
        assert_eq!(decided_by_others(&hunks), [told]);
        assert!(engine.history(None).unwrap().is_empty());
        // It is done, also where the user takes the lines out again.
        world.files.save("a", base);
        let waiting = engine.review().unwrap();
        let waiting: usize = waiting.iter().map(|view| view.pending().count()).sum();
        assert_eq!(waiting, left, "{change}");
    }
}

#[test]
fn a_text_made_of_both_takes_the_place_of_the_saved_lines() {
    let world = World::new(&[("a", "1\n2\n3\n")]);
    let mut engine = world.process();
    propose(&mut engine, &section("a", "2", "two"));
    world.files.save("a", "0\n1\nzwei\n3\n");
    let text = "zwei\ntwo\n".to_owned();
    let edited = rule(&mut engine, |_| Some(Verdict::edited(text.clone())));
    assert!(matches!(edited, Decision::Done(_)), "{edited:?}");
    assert_eq!(world.text("a").as_deref(), Some("0\n1\nzwei\ntwo\n3\n"));
}

#[test]
fn a_hunk_over_saved_lines_is_not_taken_from_under_other_work() {
    let world = World::new(&[("a", "1\n2\n3\n")]);
    let mut engine = world.process();
    propose(&mut engine, &section("a", "2", "two"));
    propose(&mut engine, &section("a", "two", "TWO"));
    world.files.save("a", "1\nzwei\n3\n");
    let found = conflicts(&mut engine);
    let told: Vec<(bool, bool)> = found
        .iter()
        .map(|(takeable, _, why)| (*takeable, why.contains("builds on other staged changes")))
        .collect();
    assert_eq!(told, [(true, false), (false, true)]);
}

#[test]
fn two_hunks_over_the_same_saved_lines_are_taken_one_at_a_time() {
    let text = |lines: [&str; 10]| lines.join("\n") + "\n";
    let base = text(["1", "2", "3", "4", "5", "6", "7", "8", "9", "10"]);
    let saved = text(["1", "b", "c", "d", "e", "f", "g", "h", "i", "10"]);
    let world = World::new(&[("a", &base)]);
    let mut engine = world.process();
    propose(&mut engine, &section("a", "2", "two"));
    propose(&mut engine, &section("a", "9", "nine"));
    world.files.save("a", saved.as_str());
    assert_eq!(conflicts(&mut engine).len(), 2);
    assert!(matches!(approve_all(&mut engine), Decision::Refused { .. }));
    assert_eq!(world.text("a"), Some(saved));
    let taken = rule(&mut engine, |at| (at == 0).then_some(Verdict::Approve));
    assert!(matches!(taken, Decision::Done(_)), "{taken:?}");
    let written = text(["1", "two", "3", "4", "5", "6", "7", "8", "9", "10"]);
    assert_eq!(world.text("a"), Some(written));
    let left = conflicts(&mut engine);
    assert!(
        matches!(&left[..], [(false, _, why)] if why.contains("changed again since")),
        "{left:?}"
    );
}

#[test]
fn a_hunk_in_conflict_names_those_that_replace_the_same_lines() {
    let world = World::new(&[("a", "1\n2\n3\n4\n5\n6\n7\n8\n9\n")]);
    let mut engine = world.process();
    for (old, new) in [("2", "two"), ("3", "three"), ("8", "eight")] {
        propose(&mut engine, &section("a", old, new));
    }
    world
        .files
        .save("a", "1\nzwei\ndrei\n4\n5\n6\n7\nacht\n9\n");
    let views = engine.review().unwrap();
    let hunks: Vec<&HunkView> = views.iter().flat_map(|view| &view.hunks).collect();
    assert!(hunks.iter().all(|hunk| hunk.takeable));
    let rivals: Vec<&[crate::id::HunkId]> =
        hunks.iter().map(|hunk| hunk.rivals.as_slice()).collect();
    assert_eq!(rivals, [&[][..], &[hunks[0].id], &[]]);
}
