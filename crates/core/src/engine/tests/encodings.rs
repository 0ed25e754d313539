//! Files that are not UTF-8: every byte outside the hunks stays.

use super::*;
use crate::text::Encoding;

fn utf16(text: &str, bytes: fn(u16) -> [u8; 2]) -> Vec<u8> {
    text.encode_utf16().flat_map(bytes).collect()
}

#[test]
fn bytes_outside_the_hunks_stay_and_a_revert_brings_all_back() {
    let check = |before: &[u8], after: &[u8]| {
        let world = World::new(&[("whole", "x")]);
        world.files.save("a", before);
        let mut engine = world.process();
        let answer = propose(&mut engine, &section("a", "old", "new"));
        assert!(answer.staged, "{answer:?}");
        let mut engine = world.process();
        assert!(matches!(approve_all(&mut engine), Decision::Done(_)));
        assert_eq!(world.files.load("a").as_deref(), Some(after));
        engine
            .take_back(&RevertTarget::file("a", RevertTo::Last))
            .unwrap();
        assert_eq!(world.files.load("a").as_deref(), Some(before));
        engine
            .take_back(&RevertTarget::file("a", RevertTo::Redo))
            .unwrap();
        assert_eq!(world.files.load("a").as_deref(), Some(after));
        propose(&mut engine, r#"{"file":"a","strategy":"delete"}"#);
        approve_all(&mut engine);
        engine
            .take_back(&RevertTarget::file("a", RevertTo::Last))
            .unwrap();
        assert_eq!(world.files.load("a").as_deref(), Some(after));
    };
    check(b"caf\xe9\nold\r\n\x93x\x94", b"caf\xe9\nnew\r\n\x93x\x94");
    // What is left is plain ASCII, which does not tell how it was written before.
    check(b"a\nold \xe9\n", b"a\nnew \xe9\n");
    let text = |word: &str| format!("\u{feff}é漢😀\r\n{word}\nlast");
    for bytes in [u16::to_le_bytes, u16::to_be_bytes] {
        check(&utf16(&text("old"), bytes), &utf16(&text("new"), bytes));
    }
    check(
        "\u{feff}é\r\nold\nx".as_bytes(),
        "\u{feff}é\r\nnew\nx".as_bytes(),
    );
}

#[test]
fn the_last_character_that_told_the_encoding_comes_back_in_it() {
    let world = World::new(&[]);
    world.files.save("a", *b"a\n\xe9\n");
    let mut engine = world.process();
    propose(&mut engine, &section("a", "é", "e"));
    approve_all(&mut engine);
    assert_eq!(world.files.load("a").as_deref(), Some(&b"a\ne\n"[..]));
    engine
        .take_back(&RevertTarget::file("a", RevertTo::Last))
        .unwrap();
    assert_eq!(world.files.load("a").as_deref(), Some(&b"a\n\xe9\n"[..]));
}

#[test]
fn what_the_encoding_has_not_is_refused() {
    let world = World::new(&[]);
    world.files.save("a", *b"a\n\xe9\n");
    let mut engine = world.process();
    let answer = propose(&mut engine, &section("a", "a", "漢"));
    assert_eq!(answer.results[0].status, Status::Refused, "{answer:?}");
    propose(&mut engine, &section("a", "a", "b"));
    let text = "漢".to_owned();
    let verdict = Verdict::edited(text);
    let refused = rule(&mut engine, |_| Some(verdict.clone()));
    assert!(matches!(refused, Decision::Refused { .. }), "{refused:?}");
    assert_eq!(
        engine.read("a").unwrap().unwrap().encoding(),
        Encoding::Windows1252
    );
    assert_eq!(world.files.load("a").as_deref(), Some(&b"a\n\xe9\n"[..]));
}

/// What the file's new encoding lacks cannot be written in it, and a patch that recodes the whole file is no way out.
#[test]
fn a_save_in_another_encoding_makes_conflicts_of_what_it_lacks() {
    let world = World::new(&[]);
    world.files.save("a", "é\none\n2\n3\n4\n5\n6\n7\n8\nlast\n");
    let mut engine = world.process();
    for (old, new) in [("one", "漢"), ("last", "ü"), ("漢", "漢字")] {
        let answer = propose(&mut engine, &section("a", old, new));
        assert!(answer.staged, "{answer:?}");
    }
    world
        .files
        .save("a", *b"\xe9\none\n2\n3\n4\n5\n6\n7\n8\nlast\n");
    let mut engine = world.process();
    let review = engine.review().unwrap();
    let statuses: Vec<HunkStatus> = review
        .iter()
        .map(|own| own.hunks[0].status.clone())
        .collect();
    let reason = "you saved the file in Windows-1252, which does not have all of its characters";
    let conflict = HunkStatus::Conflict {
        reason: reason.to_owned(),
    };
    assert_eq!(statuses, [conflict.clone(), HunkStatus::Pending, conflict]);
    let expected = b"\xe9\none\n2\n3\n4\n5\n6\n7\n8\n\xfc\n";
    let changes = engine.net_changes().unwrap();
    assert_eq!(changes.len(), 1);
    assert_eq!(changes[0].after.as_ref().unwrap().bytes, expected);
    let [found] = &engine.for_program().unwrap()[..] else {
        panic!("one file has staged work");
    };
    assert!(found.content.is_some(), "{found:?}");
    let written = rule(&mut engine, |at| (at == 1).then_some(Verdict::Approve));
    assert!(matches!(written, Decision::Done(_)), "{written:?}");
    assert_eq!(world.files.load("a").as_deref(), Some(&expected[..]));
}
