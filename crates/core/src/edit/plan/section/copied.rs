//! Requests as models copy them: letter by letter, with escapes, and nearly.

use super::noise::{check, section, trap};
use crate::edit::plan::Outcome;
use crate::edit::plan::testing::word;

#[test]
fn what_stands_once_is_replaced_letter_by_letter() {
    let file =
        "class A:\n    def f(self):\n        if self.x:\n            return 1\n        return 2\n";
    for (old, new) in [
        // From within the indentation of the first line.
        (
            "    if self.x:\n            return 1\n",
            "    if self.y:\n            return 1\n",
        ),
        (
            "  if self.x:\n            return 1\n",
            "  log()\n        if self.x:\n            return 1\n",
        ),
        (" return 2", " x = 2\n        return x"),
        // From after it.
        (
            "if self.x:\n            return 1\n",
            "if self.y:\n            return 1\n",
        ),
        ("return 2\n", "return 2\n\n\nclass B:\n    pass\n"),
        (
            "if self.x:\n            return 1",
            "x = 1\n        if x:\n            return 1",
        ),
    ] {
        check(file, old, new, &file.replace(old, new));
    }
}

#[test]
fn line_breaks_in_strings_stay_where_the_place_is_nearly_as_given() {
    let file = "def f(self):\n    # report\n    out.write(\"one\\n\")\n    out.write(\"two\\n\")\n    out.flush()\n    return out\n";
    let old = "def f(self):\n    # a report\n    out.write(\"one\\n\")\n    out.write(\"two\\n\")\n    out.flush()\n    return out\n";
    let new = old.replace("out.flush()", "out.write(\"three\\n\")\n    out.flush()");
    let after = file.replace("out.flush()", "out.write(\"three\\n\")\n    out.flush()");
    check(file, old, &new, &after);
}

#[test]
fn a_line_break_that_comes_is_not_there_already() {
    let section = |before: &str, old: &str, new: &str| section(before, old, new);
    assert_eq!(
        section("a\nb\nc\n", "a\nb", "a\nb\n").as_deref(),
        Ok("a\nb\n\nc\n")
    );
    assert_eq!(
        section("a\nb\nc\n", "b", "\nb").as_deref(),
        Ok("a\n\nb\nc\n")
    );
    assert_eq!(
        section("x = 1\ny = 2\n", "x = 1\n", "x = 1\n\n").as_deref(),
        Ok("x = 1\n\ny = 2\n")
    );
    assert_eq!(
        word(&section("a\nb\n\nc\n", "a\nb", "a\nb\n")),
        "already_applied"
    );
    assert_eq!(
        section("f(a, b)\n", "f(a, b)", "f(a,\n  b)").as_deref(),
        Ok("f(a,\n  b)\n")
    );
}

#[test]
fn escapes_of_characters_are_looked_through_both_ways() {
    check(
        "{\n  \"a\": \"\u{e0b6}\",\n  \"b\": 1\n}\n",
        "  \"a\": \"\\ue0b6\",\n  \"b\": 1\n",
        "  \"a\": \"\\ue0b6\",\n  \"b\": 2\n",
        "{\n  \"a\": \"\u{e0b6}\",\n  \"b\": 2\n}\n",
    );
    check(
        "{\n  \"a\": \"\\ue0b6\",\n  \"b\": 1\n}\n",
        "  \"a\": \"\u{e0b6}\",\n  \"b\": 1\n",
        "  \"a\": \"\u{e0b6}\u{e0b4}\",\n  \"b\": 1\n",
        "{\n  \"a\": \"\\ue0b6\\ue0b4\",\n  \"b\": 1\n}\n",
    );
    check(
        "a = '\\uD83D\\uDE00'\nb = 1\n",
        "a = '\u{1f600}'\nb = 1\n",
        "a = '\u{1f600}'\nb = 2\n",
        "a = '\\uD83D\\uDE00'\nb = 2\n",
    );
    check(
        "a = '\u{1f600}'\nb = 1\n",
        "a = '\\ud83d\\ude00'\nb = 1\n",
        "a = '\\ud83d\\ude00'\nb = 2\n",
        "a = '\u{1f600}'\nb = 2\n",
    );
}

#[test]
fn the_rule_of_a_table_may_have_a_dash_too_many() {
    let row = |n: usize| format!("| name {n} | what number {n} does |\n");
    let table = |rule: &str, last: &str| {
        let rows: String = (0..8).map(row).collect();
        format!("| Name | Does |\n{rule}\n{rows}{last}")
    };
    let file = format!("# Names\n\n{}\nend\n", table("|------|------|", ""));
    let old = table("|-------|------|", "");
    let added = table("|-------|------|", "| name 8 | the last |\n");
    let after = file.replace("\nend", "| name 8 | the last |\n\nend");
    check(&file, &old, &added, &after);
    // The whole table comes anew.
    let wider = |text: &str| {
        text.replace(" |\n", " | x |\n")
            .replace("---|\n", "---|---|\n")
    };
    let after = format!("# Names\n\n{}\nend\n", wider(&old));
    check(&file, &old, &wider(&old), &after);
}

#[test]
fn a_word_with_another_ending_is_taken_or_named() {
    let file =
        "def load(path):\n    rows = read(path)\n    names = row_names(rows)\n    return names\n";
    let old = "    rows = read(path)\n    names = row_name(rows)\n    return names\n";
    let new = old.replace("read(path)", "read_all(path)");
    check(
        file,
        old,
        &new,
        &file.replace("read(path)", "read_all(path)"),
    );
    let short = "a = x1\nitems = b\nc = 2\n";
    check(
        short,
        "a = x1\nitem = b\nc = 2\n",
        "a = x1\nitem = b\nc = 3\n",
        "a = x1\nitems = b\nc = 3\n",
    );
    let goes = section(
        file,
        "    rows = reads(path)\n    names = row_names(rows)\n",
        "    rows = 1\n    names = row_names(rows)\n",
    );
    let Err(Outcome::NotFound { why, .. }) = goes else {
        panic!("{goes:?}")
    };
    assert_eq!(
        why,
        "the old text is not in the file; but for one word they are: line 2 has `read` in the place of `reads`"
    );
}

#[test]
fn two_places_that_are_one_line_off_are_not_chosen_between() {
    let body = |last: &str, more: &str| {
        format!("    open();\n    read(3);\n    {last};\n    shut();\n{more}")
    };
    let sibling = format!("fn a() {{\n{}    more();\n}}\n", body("done(1)", ""));
    let meant = format!("fn b() {{\n{}}}\n", body("done(2)", ""));
    let old = body("done(1)", "}\n");
    let new = old.replace("read(3)", "read(4)");
    trap(&format!("{sibling}\n{meant}"), &old, &new, "not_found");
}

#[test]
fn the_header_of_a_section_tells_it_from_another() {
    let comment = "# What is listed here is put into the package when it is built for release.\n";
    let file = format!("[build]\n{comment}keep = 1\nnames = []\n\n[check]\nkeep = 1\nnames = []\n");
    let old = format!("[check]\n{comment}keep = 1\nnames = []\n");
    let result = section(&file, &old, &old.replace("keep = 1", "keep = 2"));
    assert!(
        result.is_err() || result == Ok(file.replacen("[check]\nkeep = 1", "[check]\nkeep = 2", 1)),
        "{result:?}"
    );
}
