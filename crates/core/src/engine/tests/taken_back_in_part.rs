//! What can be taken back in part: which files go back, and what becomes of those that stay.

use super::*;
use crate::id::ChangesetId;

/// Four files that one changeset wrote; a line of each was kept.
fn written() -> (World, Engine, RevertTarget) {
    let text = "1\n2\n3\n";
    let world = World::new(&["a", "b", "c", "d"].map(|path| (path, text)));
    let mut engine = world.process();
    let changes = ["a", "b", "c", "d"].map(|path| section(path, "2", "two"));
    let changeset = propose(&mut engine, &changes.join(",")).changeset.unwrap();
    approve_all(&mut engine);
    (world, engine, RevertTarget::Changeset { changeset })
}

fn texts(world: &World) -> [String; 4] {
    ["a", "b", "c", "d"].map(|path| world.text(path).unwrap())
}

const BEFORE: &str = "1\n2\n3\n";
const AFTER: &str = "1\ntwo\n3\n";
const MOVED_ON: &str = "1\nzwei\n3\nmine\n";

#[test]
fn where_nothing_is_in_the_way_all_files_are_offered() {
    let (world, mut engine, target) = written();
    let forecast = engine.foresee(&target).unwrap();
    assert_eq!((forecast.files.len(), forecast.part()), (4, None));
    assert_eq!(forecast.offered.as_ref(), Some(&target));
    assert!(!forecast.written && texts(&world) == [AFTER; 4]);
    let done = engine.take_back(&target).unwrap();
    assert!(done.written && done.proposals.is_empty(), "{done:?}");
    assert_eq!(texts(&world), [BEFORE; 4]);
}

#[test]
fn files_that_go_back_are_written_together_and_one_that_changed_since_is_proposed() {
    let (world, mut engine, target) = written();
    world.files.save("c", MOVED_ON);
    // Without a question nothing goes back.
    let refused = engine.take_back(&target).unwrap();
    assert!(!refused.written, "{refused:?}");
    assert_eq!(texts(&world), [AFTER, AFTER, MOVED_ON, AFTER]);
    let forecast = engine.foresee(&target).unwrap();
    assert_eq!(
        forecast.part().as_deref(),
        Some("3 of 4 files go back; c changed since: it comes as a proposal")
    );
    assert_eq!(forecast.blocked[0].hunks[0].yours, ["zwei"]);
    // A proposal waits even where edits are written at once.
    engine.set_write_through(true);
    let done = engine.take_back(&forecast.offered.unwrap()).unwrap();
    assert!(done.written, "{done:?}");
    assert_eq!(texts(&world), [BEFORE, BEFORE, MOVED_ON, BEFORE]);
    let times: Vec<_> = engine.history(None).unwrap();
    let reverts = times.iter().filter(|entry| entry.changeset.is_none());
    let mut times: Vec<_> = reverts.map(|entry| entry.time).collect();
    times.dedup();
    assert_eq!(times.len(), 1, "one transaction, one time");
    // The line that clashes goes with the change, the user's other one stays.
    let proposed: Vec<&str> = done.proposals.iter().map(|own| own.path.as_str()).collect();
    assert_eq!(proposed, ["c"]);
    assert_eq!(
        text_of(&mut engine, "c").as_deref(),
        Some("1\n2\n3\nmine\n")
    );
    // What went back is put back, and nothing else.
    let (_, changeset) = engine.last_taken_back().unwrap().unwrap();
    let redone = engine.take_back(&RevertTarget::Redo { redo: changeset });
    assert_eq!(redone.unwrap().files.len(), 3);
    assert_eq!(texts(&world), [AFTER, AFTER, MOVED_ON, AFTER]);
    approve_all(&mut engine);
    assert_eq!(world.text("c").as_deref(), Some("1\n2\n3\nmine\n"));
}

#[test]
fn where_no_file_goes_back_nothing_is_offered() {
    let (world, mut engine, target) = written();
    for path in ["a", "b", "c", "d"] {
        world.files.save(path, MOVED_ON);
    }
    let forecast = engine.foresee(&target).unwrap();
    assert_eq!((forecast.blocked.len(), &forecast.offered), (4, &None));
    assert_eq!(forecast.part(), None);
    let refused = engine.take_back(&target).unwrap();
    assert!(
        !refused.written && refused.proposals.is_empty(),
        "{refused:?}"
    );
    assert_eq!(texts(&world), [MOVED_ON; 4]);
    assert!(engine.review().unwrap().is_empty());
}

#[test]
fn a_file_that_changes_after_the_question_keeps_all_from_being_written() {
    let (world, mut engine, target) = written();
    world.files.save("c", MOVED_ON);
    let offered = engine.foresee(&target).unwrap().offered.unwrap();
    world.files.save("d", MOVED_ON);
    let refused = engine.take_back(&offered).unwrap();
    assert!(
        !refused.written && refused.proposals.is_empty(),
        "{refused:?}"
    );
    assert_eq!(texts(&world), [AFTER, AFTER, MOVED_ON, MOVED_ON]);
    assert_eq!(
        refused.part().as_deref(),
        Some("2 of 4 files go back; c, d changed since: they come as proposals")
    );
    // One that could go back by now is still only proposed.
    world.files.save("c", AFTER);
    world.files.save("d", AFTER);
    let done = engine.take_back(&offered).unwrap();
    assert!(done.written, "{done:?}");
    assert_eq!(texts(&world), [BEFORE, BEFORE, AFTER, BEFORE]);
    assert_eq!(text_of(&mut engine, "c").as_deref(), Some(BEFORE));
}

/// Of a file that was made, lines that were added beside its own stay; those that were changed go with it.
#[test]
fn a_file_that_was_made_and_changed_since_is_proposed_to_be_deleted_but_for_lines_that_were_added()
{
    let added = "a line that was changed since goes with it: \"mad\"";
    let within = "a line that was changed since goes with it: \"mine\"";
    for (saved, left, held) in [
        ("made\nhere\nmine\n", Some("mine\n"), "and stay"),
        ("mine\nmade\nhere\n", Some("mine\n"), "and stay"),
        ("mad\nhere\n", None, added),
        ("made\nmine\nhere\n", None, within),
    ] {
        let world = World::new(&[("a", "1\n")]);
        let mut engine = world.process();
        let changes = [section("a", "1", "one"), whole("new", "made\nhere\n")];
        let changeset = propose(&mut engine, &changes.join(",")).changeset.unwrap();
        approve_all(&mut engine);
        world.files.save("new", saved);
        let target = RevertTarget::Changeset { changeset };
        let offered = engine.foresee(&target).unwrap().offered.unwrap();
        engine.take_back(&offered).unwrap();
        assert_eq!(world.text("a").as_deref(), Some("1\n"));
        assert_eq!(world.text("new").as_deref(), Some(saved));
        assert_eq!(text_of(&mut engine, "new").as_deref(), left, "{saved}");
        let views = engine.review().unwrap();
        let told = views[0].held.as_deref().unwrap();
        assert!(told.contains(held), "{saved}: {told}");
        // Nobody approves that without a look.
        let unseen = engine.approve_unseen(&views).unwrap();
        assert!(matches!(unseen, Decision::Refused { .. }), "{unseen:?}");
        approve_all(&mut engine);
        assert_eq!(world.text("new").as_deref(), left, "{saved}");
    }
}

/// Lines of a version, or beside them, that were changed again: what becomes of the file without it, and what goes with it.
#[test]
fn lines_that_were_changed_beside_those_of_a_change_stay() {
    const LINES: &str = "l1\nl2\nl3\nl4\nl5\nl6\nl7\nl8\nl9\n";
    let with =
        |lines: &str| LINES.replace("l4\nl5\nl6\n", &format!("{lines}\n").replace('|', "\n"));
    let one = "a line that was changed since goes with it: \"A5 improved by me\"";
    for (wanted, saved, left, held) in [
        // As many lines as before.
        (
            "l4|A5|l6",
            "mine4 precious|A5 improved by me|mine6 precious",
            "mine4 precious|l5|mine6 precious",
            one,
        ),
        ("l4|A5|l6", "mine4|A5 improved by me|l6", "mine4|l5|l6", one),
        // Lines were put in as well, or taken out.
        (
            "l4|A5|l6",
            "new|l4 mine|A5 improved by me|new too|l6 mine",
            "new|l4 mine|l5|new too|l6 mine",
            one,
        ),
        ("l4|A5|l6", "A5 improved by me|new", "l5|new", one),
        // The lines of the change are not among those that are there.
        (
            "l4|A5|l6",
            "what|is|it",
            "what|l5|it",
            "a line that was changed since goes with it: \"is\"",
        ),
        (
            "l4|A5|l6",
            "what|is",
            "l4|l5|l6",
            "2 lines that were changed since go with it: \"what\" and 1 more",
        ),
        // More lines than one, of which one was changed.
        (
            "l4|A5|B5|C5|l6",
            "l4|A5|mine|C5|mine6",
            "l4|l5|mine6",
            "a line that was changed since goes with it: \"mine\"",
        ),
        // Lines that a change took out, where others are now.
        ("l4|l6", "l4|mine|l6", "l4|l5|mine|l6", "and stay"),
        ("l4|l6", "mine4|mine6", "mine4|l5|mine6", "and stay"),
    ] {
        let world = World::new(&[("a", LINES), ("b", "1\n")]);
        let mut engine = world.process();
        let changes = [whole("a", &with(wanted)), section("b", "1", "one")];
        let changeset = propose(&mut engine, &changes.join(",")).changeset.unwrap();
        approve_all(&mut engine);
        world.files.save("a", with(saved));
        let target = RevertTarget::Changeset { changeset };
        let offered = engine.foresee(&target).unwrap().offered.unwrap();
        let done = engine.take_back(&offered).unwrap();
        assert!(
            done.written && done.proposals.iter().count() == 1,
            "{done:?}"
        );
        assert_eq!(text_of(&mut engine, "a"), Some(with(left)), "{saved}");
        let views = engine.review().unwrap();
        let told = views[0].held.as_deref().unwrap();
        assert!(told.contains(held), "{saved}: {told}");
        let unseen = engine.approve_unseen(&views).unwrap();
        assert!(matches!(unseen, Decision::Refused { .. }), "{unseen:?}");
    }
}

/// A change that was approved later stays, though its line is next to one that goes back.
#[test]
fn a_later_change_of_the_next_line_stays() {
    let world = World::new(&[("a", "4\n5\n6\n7\n"), ("b", "1\n")]);
    let mut engine = world.process();
    let changes = [section("a", "5", "A5"), section("b", "1", "one")];
    let changeset = propose(&mut engine, &changes.join(",")).changeset.unwrap();
    approve_all(&mut engine);
    propose(&mut engine, &section("a", "6", "A6"));
    approve_all(&mut engine);
    world.files.save("a", "mine\nA5 improved\nA6\n7\n");
    let target = RevertTarget::Changeset { changeset };
    let offered = engine.foresee(&target).unwrap().offered.unwrap();
    engine.take_back(&offered).unwrap();
    assert_eq!(
        text_of(&mut engine, "a").as_deref(),
        Some("mine\n5\nA6\n7\n")
    );
}

#[test]
fn several_versions_of_a_file_are_proposed_to_go_and_staged_work_is_not_overwritten() {
    let check = |is_staged: bool| {
        let world = World::new(&[("a", "1\n2\n3\n4\n5\n"), ("b", "x\n")]);
        let mut engine = world.process();
        let id = ChangesetId(Uuid::from_u128(9));
        for changes in [
            section("a", "1", "one"),
            [section("a", "3", "three"), section("b", "x", "y")].join(","),
        ] {
            let payload = Payload::parse(&format!(r#"{{"changes":[{changes}]}}"#)).unwrap();
            let origin = Origin::default();
            let changeset = Some(id);
            let asked = SubmittedPayload {
                payload,
                origin,
                changeset,
                only: None,
            };
            assert!(engine.propose(asked).unwrap().staged);
            approve_all(&mut engine);
        }
        world.files.save("a", "one\n2\ndrei\n4\nfive\n");
        if is_staged {
            propose(&mut engine, &section("a", "2", "two"));
        }
        let changeset = id;
        let forecast = engine
            .foresee(&RevertTarget::Changeset { changeset })
            .unwrap();
        let done = engine.take_back(&forecast.offered.unwrap()).unwrap();
        assert!(done.written, "{done:?}");
        assert_eq!(world.text("b").as_deref(), Some("x\n"));
        let stays = done.stays().unwrap();
        (text_of(&mut engine, "a").unwrap(), stays)
    };
    assert_eq!(
        check(false),
        (
            "1\n2\n3\n4\nfive\n".to_owned(),
            "a changed since: it comes as a proposal".to_owned()
        )
    );
    assert_eq!(
        check(true),
        (
            "one\ntwo\ndrei\n4\nfive\n".to_owned(),
            "a stays: something is in the way".to_owned()
        )
    );
}

/// A function that ends with the same lines was put behind the changed one, whose other lines changed: which of the lines are
/// meant is not told from the text, and the reversal is proposed.
#[test]
fn a_change_to_lines_of_which_a_copy_was_put_in_is_not_guessed() {
    let written = "fn one() {\n    let a = run();\n    old()\n}\n\nend\n";
    for (saved, is_written) in [
        (
            "fn one() {\n    run();\n    new()\n}\n\nfn two() {\n    other();\n    new()\n}\n\nend\n",
            false,
        ),
        // Without the copy, and with all that stood around the lines.
        (
            "fn one() {\n    run();\n    new()\n}\n\nfn two() {\n    other();\n    more()\n}\n\nend\n",
            true,
        ),
        (
            "fn one() {\n    let a = run();\n    new()\n}\n\nfn two() {\n    new()\n}\n\nend\n",
            true,
        ),
    ] {
        let world = World::new(&[("a", written)]);
        let mut engine = world.process();
        propose(&mut engine, &section("a", "    old()", "    new()"));
        approve_all(&mut engine);
        world.files.save("a", saved);
        let undone = engine
            .take_back(&RevertTarget::file("a", RevertTo::Last))
            .unwrap();
        assert_eq!(undone.written, is_written, "{saved}: {undone:?}");
        if !is_written {
            let why = undone.conflict().unwrap();
            assert!(why.contains("more than once"), "{why}");
            assert_eq!(world.text("a").unwrap(), saved);
        }
    }
}

/// The last line had no line ending when it was changed, and lines were added below since.
#[test]
fn a_last_line_without_an_ending_is_not_joined_with_what_was_added() {
    for (saved, is_written) in [("one\ntwo\nthree\n", false), ("zero\none\ntwo\n", true)] {
        let world = World::new(&[("a", "one\n2")]);
        let mut engine = world.process();
        propose(&mut engine, &whole("a", "one\ntwo\n"));
        approve_all(&mut engine);
        world.files.save("a", saved);
        let undone = engine
            .take_back(&RevertTarget::file("a", RevertTo::Last))
            .unwrap();
        assert_eq!(undone.written, is_written, "{saved}: {undone:?}");
        if is_written {
            assert_eq!(world.text("a").unwrap(), "zero\none\n2");
        } else {
            let why = undone.conflict().unwrap();
            assert!(why.contains("had no line ending"), "{why}");
            assert_eq!(world.text("a").unwrap(), saved);
        }
    }
}
