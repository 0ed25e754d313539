//! Long files, long histories, and what they take in the store.

use super::*;

/// A text of this many lines of which no compression makes much less.
fn noise(lines: usize) -> Vec<String> {
    let mut state = 0x9e37_79b9_7f4a_7c15_u64;
    let mut next = || {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        state
    };
    let mut line = || format!("{:016x}{:016x}{:016x}", next(), next(), next());
    (0..lines).map(|_| line()).collect()
}

fn joined(lines: &[String]) -> String {
    lines.iter().map(|line| format!("{line}\n")).collect()
}

fn size_of(world: &World) -> u64 {
    std::fs::metadata(&world.store).unwrap().len()
}

#[test]
fn the_store_holds_one_compressed_copy_and_changes() {
    let mut lines = noise(20_000);
    let world = World::new(&[("a", &joined(&lines)), ("b", "1\n")]);
    let mut engine = world.process();
    propose(&mut engine, &section("b", "1", "2"));
    approve_all(&mut engine);
    drop(engine);
    let before = size_of(&world);
    let mut engine = world.process();
    for round in 0..10 {
        let at = round * 1900;
        let new = format!("{round} is new");
        propose(&mut engine, &section("a", &lines[at], &new));
        lines[at] = new;
        approve_all(&mut engine);
    }
    // The user changes other lines, some of them close to the changes.
    for at in [1, 5000, 5001, 12_000, 19_999] {
        lines[at] = format!("{at} is mine");
    }
    world.files.save("a", joined(&lines));
    propose(&mut engine, &section("a", &lines[8000], "more"));
    lines[8000] = "more".into();
    approve_all(&mut engine);
    drop(engine);
    let grown = size_of(&world) - before;
    // Half of hexadecimal noise is left when it is compressed.
    let copy = joined(&lines).len() as u64 * 6 / 10;
    assert!(
        grown < copy + 90_000,
        "{grown} bytes for eleven changes to a file of 1 MB"
    );

    let mut engine = world.process();
    lines[300] = "mine as well".into();
    world.files.save("a", joined(&lines));
    let authors: Vec<&str> = engine
        .blame("a")
        .unwrap()
        .into_iter()
        .map(|line| line.author.as_str())
        .collect();
    for (at, author) in [(1, "user"), (2, "before"), (300, "user"), (301, "before")] {
        assert_eq!(authors[at], author, "line {at}");
    }
    assert_eq!((authors[1900], authors[5000]), ("applied", "user"));
    let undone = engine
        .take_back(&RevertTarget::file("a", RevertTo::Only(4)))
        .unwrap();
    assert!(undone.written, "{undone:?}");
    lines[5700] = noise(5701)[5700].clone();
    assert_eq!(world.text("a").unwrap(), joined(&lines));
    let undone = engine
        .take_back(&RevertTarget::file("a", RevertTo::Redo))
        .unwrap();
    assert!(undone.written, "{undone:?}");
    lines[5700] = "3 is new".into();
    assert_eq!(world.text("a").unwrap(), joined(&lines));
    lines[5700] = "mine after all".into();
    world.files.save("a", joined(&lines));
    let undone = engine
        .take_back(&RevertTarget::file("a", RevertTo::Only(4)))
        .unwrap();
    assert!(!undone.blocked.is_empty(), "{undone:?}");
}

#[test]
fn histories_of_other_files_give_way_and_are_counted() {
    let lines = noise(2000);
    let text = joined(&lines);
    let names = ["a", "b", "c"];
    let world = World::new(&names.map(|name| (name, text.as_str())));
    let mut engine = world.process();
    engine.set_size_limit(175_000);
    engine.set_history_limit(2);
    for name in names {
        for round in 0..3 {
            let (old, new) = (joined(&lines[round * 500..][..500]), format!("new {round}"));
            assert!(propose(&mut engine, &section(name, &old, &new)).staged);
            approve_all(&mut engine);
        }
    }
    let left: Vec<String> = engine
        .history(None)
        .unwrap()
        .into_iter()
        .map(|view| format!("{} {}", view.path, view.version))
        .collect();
    assert_eq!(left, ["c 3", "c 2", "b 3", "b 2"]);
    let all = engine.dropped(None).unwrap();
    assert_eq!((all.old, all.whole), (2, 2));
    let of_a = engine.dropped(Some("a")).unwrap();
    assert_eq!((of_a.old, of_a.whole), (0, 2));
    assert!(
        engine
            .take_back(&RevertTarget::file("b", RevertTo::Last))
            .unwrap()
            .written
    );
    let nothing = engine
        .take_back(&RevertTarget::file("a", RevertTo::Last))
        .unwrap();
    assert!(nothing.is_nothing(), "{nothing:?}");

    // Versions go on where they were, so that none means two changes.
    assert!(propose(&mut engine, &section("a", "new 0", "again")).staged);
    approve_all(&mut engine);
    let versions = engine.history(Some("a")).unwrap();
    assert_eq!(versions.first().map(|view| view.version), Some(4));
    let of_a = engine.dropped(Some("a")).unwrap();
    assert_eq!((of_a.old, of_a.whole), (0, 2));
}

#[test]
fn staged_work_takes_no_history_away() {
    let world = World::new(&[("a", "1\n"), ("b", "1\n")]);
    let mut engine = world.process();
    engine.set_size_limit(200_000);
    for name in ["a", "b"] {
        propose(&mut engine, &section(name, "1", "2"));
        approve_all(&mut engine);
    }
    // As much as the bound and more is staged while files are written, and denied.
    for name in ["x", "y", "z"] {
        propose(&mut engine, &whole(name, &joined(&noise(5000))));
    }
    propose(&mut engine, &section("a", "2", "3"));
    let own = |view: &ProposalView| view.path == "a";
    let rulings = |engine: &mut Engine, verdict: Verdict, of: &dyn Fn(&ProposalView) -> bool| {
        let views = engine.review().unwrap();
        let hunks = views
            .iter()
            .filter(|view| of(view))
            .flat_map(|view| &view.hunks);
        let rulings = hunks.map(|hunk| Ruling::new(hunk, verdict.clone()));
        engine.decide(&rulings.collect::<Vec<_>>()).unwrap()
    };
    rulings(&mut engine, Verdict::Approve, &own);
    rulings(&mut engine, Verdict::Deny { reason: None }, &|_| true);
    let left = engine.history(None).unwrap();
    assert_eq!(left.len(), 3, "{left:?}");
    assert_eq!(engine.dropped(None).unwrap().whole, 0);
}
