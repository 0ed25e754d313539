//! Blame of hunks.

use super::*;
use crate::engine::HunkBlame;
use crate::stage::review::LineAuthor;

fn told(blame: &HunkBlame) -> Vec<String> {
    let line = |line: &crate::engine::BlamedLine| {
        let author = line.blame.as_ref().map(|own| own.author);
        let author = author.map_or("staged", LineAuthor::as_str);
        format!("{author} {}", line.text)
    };
    blame.lines.iter().map(line).collect()
}

#[test]
fn old_lines_of_a_hunk_have_the_authors_that_they_have_on_disk() {
    let world = World::new(&[("a", "1\n2\n3\n4\n5\n6\n7\n")]);
    let mut engine = world.process();
    propose(&mut engine, &section("a", "2", "two"));
    approve_all(&mut engine);
    world.files.save("a", "1\ntwo\nmine\n4\n5\n6\n7\n");
    propose(&mut engine, &section("a", "1\n", "0\n1\n"));
    propose(&mut engine, &section("a", "4", "four"));
    propose(&mut engine, &section("a", "two\nmine\nfour", "gone"));
    let id = engine.review().unwrap()[2].hunks[0].id;
    let blame = engine.hunk_blame(id).unwrap();
    let expected = [
        "staged 0",
        "before 1",
        "applied two",
        "user mine",
        "staged four",
        "before 5",
        "before 6",
        "before 7",
    ];
    assert_eq!(told(&blame), expected);
    assert_eq!(blame.lines[2].blame.as_ref().unwrap().version, Some(1));
    assert_eq!((blame.path.as_str(), blame.missing), ("a", None));
}

#[test]
fn a_hunk_without_old_lines_has_no_authors() {
    let world = World::new(&[("a", "1\n")]);
    let mut engine = world.process();
    propose(&mut engine, &whole("b", "new\n"));
    let id = engine.review().unwrap()[0].hunks[0].id;
    let blame = engine.hunk_blame(id).unwrap();
    assert!(blame.lines.is_empty() && blame.missing.is_some());
    approve_all(&mut engine);
    let blame = engine.hunk_blame(id).unwrap();
    assert_eq!(blame.missing.as_deref(), Some("it is not staged any more"));
}
