//! Tests of segments: what is written is found, also after a merge and not after damage.

use proptest::prelude::*;

use super::*;
use crate::extract::extract;
use crate::words::Field;

fn segment(files: &[(&str, &str)]) -> Segment {
    let files = files
        .iter()
        .map(|(path, text)| Document::of(extract(path, Some(text.as_bytes())), 7));
    written(vec![Run::in_memory(files.collect())])
}

fn written(runs: Vec<Run<'_>>) -> Segment {
    Segment::load(Box::new(bytes_of(runs))).unwrap()
}

fn bytes_of(runs: Vec<Run<'_>>) -> Vec<u8> {
    let mut bytes = Vec::new();
    write(&mut bytes, 1, b"beside", runs).unwrap();
    bytes
}

/// Returns the paths of the files that have a term.
fn with(segment: &Segment, term: &str) -> Vec<String> {
    let postings = segment.postings(Key::new(Field::Text, term)).into_iter();
    let files = postings.filter_map(|posting| segment.chunk(posting.chunk));
    files
        .map(|(file, _)| segment.path(file).to_owned())
        .collect()
}

#[test]
fn what_is_written_is_found() {
    let long = "filler\n".repeat(100) + "needle\n";
    let segment = segment(&[
        ("b.rs", &long),
        ("a.rs", "use crate::b;\nfn needle() {}\n"),
        ("c.rs", ""),
    ]);
    assert_eq!(segment.extra(), b"beside");
    assert_eq!(with(&segment, "needl"), ["a.rs", "b.rs"]);
    assert_eq!(with(&segment, "absent"), [""; 0]);
    assert_eq!((segment.find("b.rs"), segment.find("x")), (Some(1), None));
    assert_eq!(segment.imports(0), ["crate::b"]);
    assert_eq!(segment.imports(2), [""; 0]);
    assert_eq!((segment.stamp(1), segment.role(1)), (7, Role::Source));
}

#[test]
fn a_merge_keeps_the_newer_text_of_a_file() {
    let base = segment(&[("a.rs", "old"), ("b.rs", "both"), ("d.rs", "both")]);
    let tail = segment(&[("a.rs", "new"), ("c.rs", "both")]);
    let merged = written(vec![
        Run::of(&base, |file| base.path(file) != "a.rs"),
        Run::of(&tail, |_| true),
    ]);
    assert_eq!(with(&merged, "both"), ["b.rs", "c.rs", "d.rs"]);
    assert_eq!(with(&merged, "new"), ["a.rs"]);
    assert_eq!(with(&merged, "old"), [""; 0]);
    let at_once = segment(&[
        ("a.rs", "new"),
        ("b.rs", "both"),
        ("c.rs", "both"),
        ("d.rs", "both"),
    ]);
    assert!(merged.all_postings().eq(at_once.all_postings()));
}

#[test]
fn many_terms_take_several_blocks() {
    let words: Vec<String> = (0..2_000).map(|n| format!("word{n}")).collect();
    let segment = segment(&[("a.txt", &words.join("\n"))]);
    assert!(segment.blocks.len() > 2);
    assert!(words.iter().all(|word| with(&segment, word).len() == 1));
}

#[test]
fn damaged_bytes_are_no_segment() {
    let file = Document::of(extract("a.rs", Some(b"fn a() {}")), 1);
    let bytes = bytes_of(vec![Run::in_memory(vec![file])]);
    for len in 0..bytes.len() {
        let cut = bytes.get(..len).unwrap().to_vec();
        assert!(Segment::load(Box::new(cut)).is_err(), "{len} bytes");
    }
}

proptest! {
    #[test]
    fn no_damage_makes_a_panic(at in any::<prop::sample::Index>(), value: u8, text in "[a-z ]{0,300}") {
        let file = Document::of(extract("a.rs", Some(text.as_bytes())), 1);
        let mut bytes = bytes_of(vec![Run::in_memory(vec![file])]);
        let at = at.index(bytes.len());
        bytes[at] = value;
        if let Ok(segment) = Segment::load(Box::new(bytes)) {
            let _any = segment.all_postings().count();
            let _any = segment.imports(0);
            let _any = segment.postings(Key::new(Field::Text, "a"));
        }
    }
}
