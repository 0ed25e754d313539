//! What is staged without some of its hunks.

use std::collections::BTreeSet;

use super::super::super::tests::section;
use super::*;

/// Returns the files of a part, and how many hunks are gone.
fn part(engine: &mut Engine, without: &[usize]) -> (String, usize) {
    let parts = engine.staged_parts().unwrap();
    let hunks = parts.hunks();
    let without: BTreeSet<_> = without.iter().map(|at| hunks[*at]).collect();
    let part = parts.without(&without).unwrap().unwrap();
    let each = part.files.iter().map(|file| match &file.content {
        Some(ProgramContent::File { bytes, .. }) => {
            format!("{}: {}", file.path, String::from_utf8_lossy(bytes))
        }
        Some(ProgramContent::Link(_)) => format!("{}: a link", file.path),
        None => format!("{}: gone", file.path),
    });
    (each.collect::<Vec<_>>().join("; "), part.gone.len())
}

#[test]
fn hunks_that_build_on_a_dropped_one_fall_with_it() {
    let text = b"one\ntwo\nthree\nfour\nfive\nsix\nseven\neight\nnine\n";
    let (folder, mut engine) = engine(&[("a", text)]);
    propose(&mut engine, &section("a", "one", "ONE"));
    propose(&mut engine, &section("a", "ONE", "eins"));
    propose(&mut engine, &section("a", "nine", "NINE"));
    propose(&mut engine, &whole("new", "new\n"));
    let middle = "two\nthree\nfour\nfive\nsix\nseven\neight";
    let all = format!("a: eins\n{middle}\nNINE\n; new: new\n");
    assert_eq!(part(&mut engine, &[]), (all.clone(), 0));
    let count = engine.staged_parts().unwrap().hunks().len();
    let (text, gone) = part(&mut engine, &[0]);
    assert_eq!(text, format!("a: one\n{middle}\nNINE\n; new: new\n"));
    assert_eq!(gone, count - 2);
    let every: Vec<usize> = (0..count).collect();
    let none = format!("a: one\n{middle}\nnine\n");
    assert_eq!(part(&mut engine, &every), (none, count));
    // Nothing of that is staged or written.
    assert_eq!(part(&mut engine, &[]).0, all);
    assert!(!folder.path().join("ws/new").exists());
}
