//! Files that change on disk and change back while edits of them wait, with a look in between.

use super::*;

/// Lines that all differ.
const LINES: &str = "a\nb\nc\nd\ne\nf\ng\nh\ni\nj\nk\nl\n";

/// Returns the lines with some of them replaced by others.
fn lines(replaced: &[(&str, &str)]) -> String {
    let each = LINES.lines().map(|line| {
        let new = replaced.iter().find(|(old, _)| *old == line);
        format!("{}\n", new.map_or(line, |(_, new)| new))
    });
    each.collect()
}

/// Changes of single lines of a file, in one proposal.
fn sections(file: &str, replaced: &[(&str, &str)]) -> String {
    let each = replaced.iter();
    let edits = each.map(|(old, new)| serde_json::json!({"old_text": old, "new_text": new}));
    let edits: Vec<serde_json::Value> = edits.collect();
    serde_json::json!({"file": file, "strategy": "section", "section": {"edits": edits}})
        .to_string()
}

fn delete(file: &str) -> String {
    serde_json::json!({"file": file, "strategy": "delete"}).to_string()
}

fn moving(file: &str, to: &str) -> String {
    serde_json::json!({"file": file, "strategy": "move", "move": {"to": to}}).to_string()
}

/// Puts files there, or takes them away.
fn save(world: &World, files: &[(&str, Option<&str>)]) {
    for (path, text) in files {
        match text {
            Some(text) => world.files.save(path, *text),
            None => world.files.remove(path),
        }
    }
}

/// Returns the review list without what says that files were others meanwhile.
fn listed(engine: &mut Engine) -> Vec<ProposalView> {
    let mut views = engine.review().unwrap();
    views.iter_mut().for_each(|view| view.note = None);
    views
}

/// Returns how the hunks stand, a letter each: waiting, in conflict, or something else.
fn standing(views: &[ProposalView]) -> String {
    let hunks = views.iter().flat_map(|view| &view.hunks);
    let letters = hunks.map(|hunk| match hunk.status {
        HunkStatus::Pending => 'w',
        HunkStatus::Conflict { .. } => 'c',
        _ => '-',
    });
    letters.collect()
}

/// Files as they are: paths with texts, or without where there is none.
type Files<'a> = &'a [(&'a str, Option<&'a str>)];

/// What is on disk, what is staged, what is there meanwhile, how the hunks stand then, and the files once all is approved.
type Case<'a> = (Files<'a>, &'a [&'a str], Files<'a>, &'a str, Files<'a>);

#[test]
fn what_fits_its_file_again_waits_as_if_nothing_had_been() {
    let (two, upper) = (section("f", "b", "B"), section("f", "B", "BB"));
    let both = sections("f", &[("b", "B"), ("k", "K")]);
    let near = sections("f", &[("e", "E"), ("h", "H")]);
    let there = [("f", Some(LINES))];
    let gone = [("f", None)];
    let mine = [("f", Some("mine\n"))];
    let other = lines(&[("b", "x")]);
    let other = [("f", Some(other.as_str()))];
    let eight = lines(&[("h", "x")]);
    let [has_two, has_upper, has_both, has_near] = [
        lines(&[("b", "B")]),
        lines(&[("b", "BB")]),
        lines(&[("b", "B"), ("k", "K")]),
        lines(&[("e", "E"), ("h", "H")]),
    ];
    let [has_two, has_upper, has_both, has_near] =
        [&has_two, &has_upper, &has_both, &has_near].map(|text| [("f", Some(text.as_str()))]);
    let moved = [("f", None), ("g", Some(LINES))];
    let cases: &[Case<'_>] = &[
        // Another branch has other lines there, no file, or no text; an editor is about to write.
        (&there, &[&two], &other, "c", &has_two),
        (&there, &[&two], &gone, "c", &has_two),
        (&there, &[&two], &[("f", Some(""))], "c", &has_two),
        (&there, &[&two], &[("f", Some("\0"))], "c", &has_two),
        // One of two hunks, and both; within the lines around each other.
        (&there, &[&both], &other, "cw", &has_both),
        (&there, &[&both], &gone, "cc", &has_both),
        (&there, &[&near], &[("f", Some(&eight))], "wc", &has_near),
        // One that builds on another; one below and one above what stays.
        (&there, &[&two, &upper], &gone, "cc", &has_upper),
        (&there, &[&two, &upper], &other, "cc", &has_upper),
        (
            &there,
            &[&section("f", "k", "K"), &two],
            &other,
            "wc",
            &has_both,
        ),
        (
            &there,
            &[&two, &section("f", "k", "K")],
            &other,
            "cw",
            &has_both,
        ),
        // Lines that are alike, and a last line without an end.
        (
            &[("f", Some("a\na\na\na\n"))],
            &[&whole("f", "a\nb\na\na\n")],
            &[("f", Some("x\ny\n"))],
            "c",
            &[("f", Some("a\nb\na\na\n"))],
        ),
        (
            &[("f", Some("a\nb"))],
            &[&two],
            &[("f", Some("a\n"))],
            "c",
            &[("f", Some("a\nB"))],
        ),
        // A file that comes, with a change on top; one that is empty; one that goes.
        (
            &gone,
            &[&whole("f", "new\n")],
            &mine,
            "c",
            &[("f", Some("new\n"))],
        ),
        (&gone, &[&whole("f", "")], &mine, "c", &[("f", Some(""))]),
        (
            &gone,
            &[&whole("f", "a\nb\n"), &two],
            &mine,
            "cc",
            &[("f", Some("a\nB\n"))],
        ),
        (&there, &[&delete("f")], &other, "c", &gone),
        (&there, &[&delete("f")], &gone, "c", &gone),
        (
            &there,
            &[&delete("f"), &whole("f", "new\n")],
            &other,
            "cc",
            &[("f", Some("new\n"))],
        ),
        // One that moves.
        (&there, &[&moving("f", "g")], &gone, "c", &moved),
        (
            &there,
            &[&two, &moving("f", "g"), &section("g", "B", "BB")],
            &gone,
            "ccc",
            &[("f", None), ("g", has_upper[0].1)],
        ),
    ];
    for case in cases {
        passes(case, false);
        passes(case, true);
    }
}

#[test]
fn a_move_whose_target_is_taken_for_a_moment_waits_as_if_nothing_had_been() {
    let two = section("f", "b", "B");
    let has_two = lines(&[("b", "B")]);
    let there = [("f", Some(LINES))];
    let taken = [("g", Some("mine\n"))];
    let moved = [("f", None), ("g", Some(LINES))];
    let moved_two = [("f", None), ("g", Some(has_two.as_str()))];
    let (alone, edited) = ([moving("f", "g")], [two, moving("f", "g")]);
    let alone: Vec<&str> = alone.iter().map(String::as_str).collect();
    let edited: Vec<&str> = edited.iter().map(String::as_str).collect();
    let cases: &[Case<'_>] = &[
        (&there, &alone, &taken, "c", &moved),
        (&there, &edited, &taken, "wc", &moved_two),
    ];
    for case in cases {
        passes(case, false);
        passes(case, true);
    }
}

/// Plays a case in one process, or in others before and after each change.
fn passes((files, changes, meanwhile, away, after): &Case<'_>, is_restarted: bool) {
    let case = format!("{changes:?} {meanwhile:?}");
    let world = World::new(&[]);
    save(&world, files);
    let mut engine = world.process();
    for change in *changes {
        assert!(propose(&mut engine, change).staged, "{case}");
    }
    let before = listed(&mut engine);
    // Twice, since what is back may be lost again.
    for _ in 0..2 {
        save(&world, meanwhile);
        assert_eq!(standing(&listed(&mut engine)), *away, "{case}");
        if is_restarted {
            engine = world.process();
            assert_eq!(standing(&listed(&mut engine)), *away, "{case}");
        }
        let taken = meanwhile.iter().map(|(path, _)| (*path, None));
        save(&world, &taken.collect::<Vec<_>>());
        save(&world, files);
        assert_eq!(listed(&mut engine), before, "{case}");
        assert_eq!(listed(&mut world.process()), before, "{case}");
    }
    // A verdict from before is about the same.
    let hunks = before.iter().flat_map(|view| &view.hunks);
    let rulings: Vec<Ruling> = hunks
        .map(|hunk| Ruling::new(hunk, Verdict::Approve))
        .collect();
    let decision = engine.decide(&rulings).unwrap();
    assert!(matches!(decision, Decision::Done(_)), "{case} {decision:?}");
    assert_eq!(world.process().review().unwrap(), []);
    for (path, text) in *after {
        assert_eq!(world.text(path).as_deref(), *text, "{case}");
    }
    let (path, _) = after.last().unwrap();
    let back = RevertTarget::file(*path, RevertTo::Version(0));
    let undone = engine.take_back(&back).unwrap();
    assert!(undone.written, "{case} {undone:?}");
    for (path, text) in *files {
        assert_eq!(world.text(path).as_deref(), *text, "{case}");
    }
}

/// What waits does not depend on how often somebody looked, and at what.
#[test]
fn what_waits_is_what_was_staged_carried_onto_the_file_as_it_is() {
    let change = sections("f", &[("b", "B"), ("f", "F"), ("k", "K")]);
    let world = World::new(&[("f", LINES)]);
    let mut engine = world.process();
    assert!(propose(&mut engine, &change).staged);
    let none = lines(&[("b", "x"), ("f", "x"), ("k", "x")]);
    for saved in [
        &none,
        &lines(&[("b", "x"), ("k", "x")]),
        "",
        &format!("x\n{LINES}x\n"),
        &lines(&[("k", "x")]),
        &none,
        &lines(&[("b", "x"), ("l", "y")]),
        LINES,
    ] {
        world.files.save("f", saved);
        let views = engine.review().unwrap();
        assert_eq!(engine.review().unwrap(), views, "{saved:?}");
        let other = World::new(&[("f", LINES)]);
        let mut unseen = other.process();
        assert!(propose(&mut unseen, &change).staged);
        other.files.save("f", saved);
        let expected = standing(&unseen.review().unwrap());
        assert_eq!(standing(&views), expected, "{saved:?}");
        assert_eq!(
            text_of(&mut engine, "f"),
            text_of(&mut unseen, "f"),
            "{saved:?}"
        );
    }
}

#[test]
fn what_is_moved_says_so() {
    let world = World::new(&[("f", LINES)]);
    let mut engine = world.process();
    propose(&mut engine, &section("f", "f", "F"));
    for (saved, has_note) in [(LINES.to_owned(), false), (format!("x\n{LINES}"), true)] {
        world.files.save("f", "");
        engine.review().unwrap();
        world.files.save("f", saved.as_str());
        let views = engine.review().unwrap();
        assert_eq!(
            (standing(&views).as_str(), views[0].note.is_some()),
            ("w", has_note)
        );
    }
}

#[test]
fn what_a_verdict_took_out_does_not_come_back() {
    let lower_denied = |at: usize| (at == 0).then_some(Verdict::Deny { reason: None });
    let lower_edited = |at: usize| (at == 0).then(|| Verdict::edited("mine\n".to_owned()));
    let deny: &dyn Fn(usize) -> Option<Verdict> = &lower_denied;
    let edit: &dyn Fn(usize) -> Option<Verdict> = &lower_edited;
    for (verdict, is_lost_before) in [(deny, false), (deny, true), (edit, false)] {
        let world = World::new(&[("f", LINES)]);
        let mut engine = world.process();
        propose(&mut engine, &section("f", "b", "B"));
        propose(&mut engine, &section("f", "B", "BB"));
        // Moved once before, they have a text that they were made for.
        world.files.save("f", lines(&[("l", "x")]));
        engine.review().unwrap();
        world
            .files
            .save("f", if is_lost_before { "" } else { LINES });
        let decided = rule(&mut engine, verdict);
        assert!(matches!(decided, Decision::Done(_)), "{decided:?}");
        for saved in [LINES, "", LINES] {
            world.files.save("f", saved);
            engine = world.process();
            assert_eq!(standing(&engine.review().unwrap()).replace('-', ""), "c");
        }
        assert_eq!(text_of(&mut engine, "f").as_deref(), Some(LINES));
    }
}

/// A look at a target that is still taken changes nothing, and other lines of the file make no difference.
#[test]
fn a_move_waits_again_once_its_target_is_free() {
    let world = World::new(&[("f", LINES)]);
    let mut engine = world.process();
    propose(&mut engine, &moving("f", "g"));
    world.files.save("g", "mine\n");
    let taken = engine.review().unwrap();
    assert_eq!(standing(&taken), "c");
    for saved in [LINES, &lines(&[("b", "x")])] {
        world.files.save("f", saved);
        for engine in [&mut engine, &mut world.process()] {
            assert_eq!(standing(&engine.review().unwrap()), "c", "{saved:?}");
            assert_eq!(engine.review().unwrap(), taken, "{saved:?}");
        }
    }
    world.files.remove("g");
    engine = world.process();
    assert_eq!(standing(&engine.review().unwrap()), "w");
    assert!(matches!(approve_all(&mut engine), Decision::Done(_)));
    assert_eq!(world.text("g"), Some(lines(&[("b", "x")])));
}

#[test]
fn a_move_does_not_wait_again_where_a_file_is_staged_at_its_target() {
    let world = World::new(&[("f", LINES)]);
    let mut engine = world.process();
    propose(&mut engine, &moving("f", "g"));
    world.files.save("g", "mine\n");
    assert_eq!(standing(&engine.review().unwrap()), "c");
    world.files.remove("g");
    assert!(propose(&mut engine, &whole("g", "new\n")).staged);
    assert_eq!(standing(&engine.review().unwrap()), "cw");
    rule(&mut engine, |at| {
        (at == 1).then_some(Verdict::Deny { reason: None })
    });
    assert_eq!(standing(&engine.review().unwrap()), "w");
}

#[test]
fn what_is_in_conflict_waits_again_also_once_another_hunk_was_decided() {
    let approve = Verdict::Approve;
    let deny = Verdict::Deny { reason: None };
    let (decided, none) = (lines(&[("k", "K")]), LINES.to_owned());
    let (both, one) = (lines(&[("b", "B"), ("k", "K")]), lines(&[("b", "B")]));
    for (verdict, back, after) in [
        (&approve, &decided, &both),
        // The user takes back what was written as well.
        (&approve, &none, &one),
        (&deny, &none, &one),
    ] {
        for is_restarted in [false, true] {
            let case = format!("{verdict:?} {back:?} {is_restarted}");
            let world = World::new(&[("f", LINES)]);
            let mut engine = world.process();
            propose(&mut engine, &sections("f", &[("b", "B"), ("k", "K")]));
            world.files.save("f", lines(&[("b", "x")]));
            assert_eq!(standing(&engine.review().unwrap()), "cw", "{case}");
            let ruled = rule(&mut engine, |at| (at == 1).then(|| verdict.clone()));
            assert!(matches!(ruled, Decision::Done(_)), "{case} {ruled:?}");
            if is_restarted {
                engine = world.process();
            }
            assert_eq!(standing(&engine.review().unwrap()), "c-", "{case}");
            world.files.save("f", back.as_str());
            assert_eq!(standing(&engine.review().unwrap()), "w-", "{case}");
            let ruled = rule(&mut engine, |at| (at == 0).then_some(Verdict::Approve));
            assert!(matches!(ruled, Decision::Done(_)), "{case} {ruled:?}");
            assert_eq!(world.text("f").as_ref(), Some(after), "{case}");
        }
    }
}

#[test]
fn what_builds_on_a_change_that_is_taken_back_waits_until_it_is_redone() {
    let world = World::new(&[("f", LINES)]);
    let mut engine = world.process();
    propose(&mut engine, &section("f", "b", "B"));
    approve_all(&mut engine);
    propose(&mut engine, &section("f", "B", "BB"));
    taken_back(&mut engine, "f", RevertTo::Last);
    assert_eq!(standing(&engine.review().unwrap()), "c");
    taken_back(&mut engine, "f", RevertTo::Redo);
    assert_eq!(standing(&engine.review().unwrap()), "w");
    assert!(matches!(approve_all(&mut engine), Decision::Done(_)));
    assert_eq!(world.text("f"), Some(lines(&[("b", "BB")])));
}
