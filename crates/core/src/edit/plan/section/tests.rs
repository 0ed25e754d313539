//! Exact pairs: what is written, and what is answered instead.

use super::*;
use crate::edit::plan::testing::{run, word};
use crate::edit::request::Request;

fn section(before: &str, pairs: &[(&str, &str)], scope: MatchScope) -> Result<String, Outcome> {
    let pair = |(old, new): &(&str, &str)| Pair {
        old: (*old).into(),
        new: (*new).into(),
        scope,
    };
    let edits = pairs.iter().map(pair).collect();
    run("a.txt", before, Request::Section(SectionRequest { edits }))
}

#[test]
fn what_differs_is_written_and_nothing_else() {
    let check = |before: &str, pairs: &[(&str, &str)], after: &str| {
        assert_eq!(
            section(before, pairs, MatchScope::Single).unwrap(),
            after,
            "{before:?}"
        );
    };
    check("let a = 1;\n", &[("a = 1", "a = 2")], "let a = 2;\n");
    check(
        "a\r\nb\r\nc\r\n",
        &[("a\nb\n", "a\nx\ny\n")],
        "a\r\nx\r\ny\r\nc\r\n",
    );
    check("a\r\nb\nc\n", &[("b\nc", "b\nd\nc")], "a\r\nb\nd\nc\n");
    check("a\r\nb\n", &[("a\nb", "a\nx\nb")], "a\r\nx\nb\n");
    check("a\nb\nc\n", &[("c", "C"), ("a", "A")], "A\nb\nC\n");
    check("x", &[("x", "y\nz")], "y\nz");
    check("äö\n", &[("ö", "o")], "äo\n");
}

#[test]
fn several_places_none_and_done_ones_are_answers() {
    let check = |before: &str, old: &str, new: &str, expected: &str| {
        let result = section(before, &[(old, new)], MatchScope::Single);
        assert_eq!(word(&result), expected, "{before:?} {old:?} {new:?}");
    };
    check("x\nx\n", "x", "y", "ambiguous");
    check("aaa\n", "aa", "b", "ambiguous");
    check("a\n", "b", "c", "not_found");
    check("A\n", "absent", "A", "not_found");
    check("let x = fob;\nfob\n", "foo", "fob", "not_found");
    check(
        "    return total;\n",
        "    return sum;\n",
        "    return total;\n",
        "already_applied",
    );
    check("fn b() {}\n", "fn a", "fn b", "already_applied");
    check(
        "use a;\nuse b;\n",
        "use a;\n",
        "use a;\nuse b;\n",
        "already_applied",
    );
    check(
        "use b;\nuse a;\n",
        "use a;\n",
        "use b;\nuse a;\n",
        "already_applied",
    );
    let braced = "x = 1\na\n}\nb\ny = 2\n";
    check(braced, "a\nb\n", "a\n}\nb\n", "already_applied");
    check(braced, "a\nb\n", "a\n)\nb\n", "not_found");
    check(braced, "b\ny", "b\n\ny", "applied");
    check("x\na }\nb\n", "a\nb\n", "a }\nb\n", "not_found");
    check("x\n{\n}\n}\n", "{\n}\n}", "{\n}\n\n}", "applied");
    check("x\n{\n\n}\n", "{\n}\n", "{\n\n}\n", "not_found");
    check("a\n", "a", "a", "invalid");
    check("a\n", "", "b", "invalid");
}

#[test]
fn candidates_carry_lines_that_tell_them_apart() {
    let result = section("a\nx\nb\nx\nc\n", &[("x", "y")], MatchScope::Single);
    let Err(Outcome::Ambiguous { candidates, .. }) = result else {
        panic!("{result:?}")
    };
    let lines: Vec<_> = candidates.iter().map(|candidate| candidate.line).collect();
    assert_eq!(lines, [2, 4]);
    assert_eq!(candidates[1].excerpt, "     3\tb\n     4\tx\n     5\tc\n");
}

#[test]
fn what_becomes_of_the_other_pairs_is_said() {
    let pairs = [("one", "1"), ("absent", "x"), ("two", "2"), ("three", "3")];
    let result = section("one\ntwo\ntwo\nthree\n", &pairs, MatchScope::Single);
    let Err(Outcome::NotFound { why, .. }) = result else {
        panic!("{result:?}")
    };
    assert_eq!(
        why,
        "edits[1]: the old text is not in the file; edits[2]: the old text is there 2 times; \
         add lines that tell which is meant; edits[0], edits[3] can be done"
    );
    let pairs: Vec<(String, String)> = (0..20).map(|n| (format!("gone{n}"), "x".into())).collect();
    let pairs: Vec<(&str, &str)> = pairs
        .iter()
        .map(|(a, b)| (a.as_str(), b.as_str()))
        .collect();
    let result = section("one\n", &pairs, MatchScope::Single);
    let Err(Outcome::NotFound { why, .. }) = result else {
        panic!("{result:?}")
    };
    assert!(why.ends_with("; 12 more were not looked at"), "{why}");
}

#[test]
fn all_places_change_when_all_are_meant() {
    let all = |before: &str| section(before, &[("x", "xy")], MatchScope::All);
    assert_eq!(all("x x\nx\n").unwrap(), "xy xy\nxy\n");
    assert_eq!(word(&all("xy xy\n")), "already_applied");
}

#[test]
fn pairs_that_overlap_are_refused() {
    let result = section("abc\n", &[("ab", "x"), ("bc", "y")], MatchScope::Single);
    assert_eq!(word(&result), "invalid");
}

#[test]
fn each_pair_says_whether_all_its_places_are_meant() {
    let pair = |old: &str, new: &str, scope| Pair {
        old: old.into(),
        new: new.into(),
        scope,
    };
    let edits = vec![
        pair("x", "y", MatchScope::All),
        pair("a", "b", MatchScope::Single),
    ];
    let request = |edits: &[Pair]| {
        Request::Section(SectionRequest {
            edits: edits.to_vec(),
        })
    };
    assert_eq!(run("a.txt", "x x a\n", request(&edits)).unwrap(), "y y b\n");
    let twice = run("a.txt", "x x a a\n", request(&edits));
    assert_eq!(word(&twice), "ambiguous");
}
