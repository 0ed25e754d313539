//! Noisy requests: for each kind of copying error, one that is understood and one that is refused.

use super::*;
use crate::edit::plan::testing::{run, word};
use crate::edit::request::Request;

/// Asks for one pair.
pub(super) fn section(before: &str, old: &str, new: &str) -> Result<String, Outcome> {
    let edits = vec![Pair {
        old: old.into(),
        new: new.into(),
        scope: MatchScope::Single,
    }];
    run("a.py", before, Request::Section(SectionRequest { edits }))
}

pub(super) fn check(before: &str, old: &str, new: &str, after: &str) {
    let result = section(before, old, new);
    assert_eq!(result.as_deref(), Ok(after), "{old:?} -> {new:?}");
    // Once more is no second application.
    let again = word(&section(after, old, new));
    assert!(again != "applied", "again: {again} {old:?} -> {new:?}");
}

pub(super) fn trap(before: &str, old: &str, new: &str, expected: &str) {
    let result = section(before, old, new);
    assert_eq!(word(&result), expected, "{old:?} -> {new:?}: {result:?}");
}

const CODE: &str = "def area(w, h):\n    total = w * h\n    log(\"area\", total)\n    return total\n\n\ndef edge(w, h):\n    total = 2 * (w + h)\n    return total\n";

#[test]
fn old_text_matches_whatever_blanks_end_its_lines() {
    check(
        CODE,
        "    total = w * h  \n    log(\"area\", total)\t\n",
        "    total = w * h * 2\n    log(\"area\", total)\n",
        &CODE.replace("w * h\n", "w * h * 2\n"),
    );
    check(
        "a = 1   \nb = 2\n",
        "a = 1\nb = 2\n",
        "a = 1\nb = 3\n",
        "a = 1   \nb = 3\n",
    );
    check(
        "a = 1\nb = 2\n",
        "a = 1 \nb = 2 \n",
        "a = 1 \nx = 9 \nb = 2 \n",
        "a = 1\nx = 9\nb = 2\n",
    );
    trap(
        "a = 1\nb\na = 1  \nb\n",
        "a = 1 \nb\n",
        "a = 2\nb\n",
        "ambiguous",
    );
}

#[test]
fn a_block_quoted_at_another_depth_is_written_at_the_depth_of_the_file() {
    let file =
        "class A:\n    def f(self):\n        if self.x:\n            return 1\n        return 2\n";
    check(
        file,
        "if self.x:\n    return 1\n",
        "if self.x:\n    log()\n    return 3\n",
        "class A:\n    def f(self):\n        if self.x:\n            log()\n            return 3\n        return 2\n",
    );
    check(
        file,
        "            if self.x:\n                return 1\n            return 2\n",
        "            if self.x:\n                return 1\n            else:\n                return 0\n            return 2\n",
        &file.replace(
            "        return 2\n",
            "        else:\n            return 0\n        return 2\n",
        ),
    );
    trap(
        "if a:\n    f(1)\nwhile b:\n        f(1)\n",
        "  f(1)\n",
        "  f(2)\n",
        "ambiguous",
    );
}

#[test]
fn old_text_with_blanks_for_tabs_is_found_and_written_with_tabs() {
    let file = "func f() {\n\tif x {\n\t\ty()\n\t}\n}\n";
    check(
        file,
        "    if x {\n        y()\n    }\n",
        "    if x {\n        for {\n            y()\n        }\n    }\n",
        "func f() {\n\tif x {\n\t\tfor {\n\t\t\ty()\n\t\t}\n\t}\n}\n",
    );
    check(
        "a:\n  b:\n    c: 1\n",
        "\tb:\n\t\tc: 1\n",
        "\tb:\n\t\tc: 1\n\t\td: 2\n",
        "a:\n  b:\n    c: 1\n    d: 2\n",
    );
    trap(
        "if a {\n\tf(1)\n}\nif b {\n\tf(1)\n}\n",
        "    f(1)\n",
        "    f(2)\n",
        "ambiguous",
    );
}

#[test]
fn a_block_that_is_wrapped_is_not_wrapped_again() {
    check(
        "def f():\n    a()\n    b()\n",
        "  a()\n  b()\n",
        "  with x:\n    a()\n    b()\n",
        "def f():\n    with x:\n        a()\n        b()\n",
    );
}

#[test]
fn old_text_matches_whatever_ends_its_lines() {
    let check = |before: &str, old: &str, new: &str, after: &str| {
        assert_eq!(section(before, old, new).unwrap(), after)
    };
    check(
        "a = 1\r\nb = 2 \r\nc\n",
        "a = 1\nb = 2\n",
        "a = 1\nx\nb = 3\n",
        "a = 1\r\nx\r\nb = 3\r\nc\n",
    );
    check(
        "a = 1 \nb = 2\n",
        "a = 1\r\nb = 2\r\n",
        "a = 9\r\nb = 2\r\n",
        "a = 9\nb = 2\n",
    );
}

#[test]
fn old_text_matches_typographic_quotes_dashes_and_blanks() {
    check(
        "say(\"it's\")\nx = 1 - 2\n",
        "say(“it’s”)\nx = 1 – 2\n",
        "say(“it’s”, “b”)\nx = 1 – 3\n",
        "say(\"it's\", \"b\")\nx = 1 - 3\n",
    );
    check(
        "# don’t — “ever”\nx = 1\n",
        "# don't - \"ever\"\nx = 1\n",
        "# don't - \"ever\"\nx = 2\n",
        "# don’t — “ever”\nx = 2\n",
    );
    check(
        "# don’t stop\n",
        "# don't stop\n",
        "# don't start\n",
        "# don’t start\n",
    );
    check(
        "a\u{a0}= 1\nb = 2\n",
        "a = 1\nb = 2\n",
        "a = 1\nb = 3\n",
        "a\u{a0}= 1\nb = 3\n",
    );
    // Of two places that differ in nothing else, the one that is indented as asked for is meant.
    let file = "if a:\n        say(“it”)\n        go()\nif b:\n    say(“it”)\n    go()\n";
    let (old, new) = (
        "    say(\"it\")\n    go()\n",
        "    say(\"it\")\n    stop()\n",
    );
    let after = file.replace("\n    go", "\n    stop");
    assert_eq!(section(file, old, new), Ok(after));
    trap("f(‘a’)\nf('a’)\n", "f('a')", "f('b')", "ambiguous");
    trap("say('a')\n", "say(‘b’)", "say(‘c’)", "not_found");
}

#[test]
fn line_numbers_copied_from_a_read_are_left_out() {
    for mark in ["\t", "|", "| ", ":", ": ", "→"] {
        let old = format!("     2{mark}    total = w * h\n     3{mark}    log(\"area\", total)\n");
        let new = format!("     2{mark}    total = h * w\n     3{mark}    log(\"area\", total)\n");
        check(CODE, &old, &new, &CODE.replace("w * h", "h * w"));
    }
    check(
        CODE,
        "2:    total = w * h\n3:    log(\"area\", total)\n",
        "    total = w\n    log(\"area\", total)\n",
        &CODE.replace("w * h", "w"),
    );
    trap(
        CODE,
        "    9\t    return total\n",
        "    9\t    return 0\n",
        "ambiguous",
    );
}

#[test]
fn old_text_is_found_without_the_blank_lines_around_it() {
    check(
        CODE,
        "\n\n    total = w * h\n    log(\"area\", total)\n\n",
        "\n\n    total = 1\n    log(\"area\", total)\n\n",
        &CODE.replace("w * h", "1"),
    );
    trap(
        CODE,
        "\n    return total\n",
        "\n    return 0\n",
        "ambiguous",
    );
}

#[test]
fn text_escaped_once_too_often_is_unescaped() {
    check(
        CODE,
        "    log(\\\"area\\\", total)\\n    return total",
        "    log(\\\"surface\\\", total)\\n    return total",
        &CODE.replace("\"area\"", "\"surface\""),
    );
    check(
        CODE,
        "    log(\\\"area\\\", total)\n",
        "    log(\\\"a\\\", total)\n",
        &CODE.replace("\"area\"", "\"a\""),
    );
    check(
        "p(\"a\\n\")\nq()\n",
        "p(\\\"a\\n\\\")\nq()\n",
        "p(\\\"b\\n\\\")\nq()\n",
        "p(\"b\\n\")\nq()\n",
    );
    // The line break in the string is the string's own, though the quotes around it were escaped.
    check(
        "log(\"area\")\nprint(\"a\\nb\", 1)\nprint(\"c\\nd\", 2)\n",
        "print(\\\"a\\nb\\\", 1)\nprint(\\\"c\\nd\\\", 2)\n",
        "print(\\\"a\\nb\\\", 3)\nprint(\\\"c\\nd\\\", 4)\n",
        "log(\"area\")\nprint(\"a\\nb\", 3)\nprint(\"c\\nd\", 4)\n",
    );
    trap("a \"b\"\na \"b\"\n", "a \\\"b\\\"", "c", "ambiguous");
}

#[test]
fn an_elision_stands_for_the_lines_between_those_that_are_given() {
    let old = "def area(w, h):\n    ...\n    log(\"area\", total)\n";
    check(
        CODE,
        old,
        "def area(w, h):\n    ...\n    log(\"a\", total)\n",
        &CODE.replace("\"area\"", "\"a\""),
    );
    check(
        CODE,
        &old.replace("...", "# ... existing code ..."),
        "def area(w, h, d):\n    # ... existing code ...\n    log(\"area\", total)\n",
        &CODE.replace("area(w, h)", "area(w, h, d)"),
    );
    trap(
        CODE,
        "def area(w, h):\n    ...\n    return total\n",
        "def area(w, h):\n    ...\n    return 0\n",
        "ambiguous",
    );
    trap(
        CODE,
        "def area(w, h):\n    ...\n    log(\"edge\", total)\n",
        "def area(w, h):\n    ...\n    log(\"e\", total)\n",
        "not_found",
    );
}

#[test]
fn context_missing_added_or_reworded() {
    let new = |text: &str| text.replace("log(\"area\", total)", "log(\"a\", total)");
    let check = |old: &str| check(CODE, old, &new(old), &new(CODE));
    check("def area(w, h):\n    log(\"area\", total)\n    return total\n");
    check(
        "def area(w, h):\n    # the area of a box\n    total = w * h\n    log(\"area\", total)\n    return total\n",
    );
    check("def area(width, h):\n    total = w * h\n    log(\"area\", total)\n    return total\n");
    trap(
        CODE,
        "def area(w, h):\n    log(\"area\", total)\n    return total\n",
        "def area(w, h):\n    x = 1\n    log(\"area\", total)\n    return total\n",
        "not_found",
    );
    trap(
        CODE,
        "def area(w, h):\n    total = w + h\n    log(\"area\", total)\n",
        "def area(w, h):\n    total = w - h\n    log(\"area\", total)\n",
        "not_found",
    );
    trap(
        CODE,
        "def edge(w, h):\n    total = 2 * (w + h)\n    log(\"area\", total)\n",
        "def edge(w, h):\n    total = 2 * (w + h)\n    log(\"edge\", total)\n",
        "not_found",
    );
}

#[test]
fn what_differs_in_old_alone_is_context_too() {
    // The old text has a comment otherwise than the file; the new text has it as the file.
    trap(
        "a = 1  # one\nb = 2\n",
        "a = 1  # uno\nb = 2\n",
        "a = 1  # one\nb = 3\n",
        "not_found",
    );
}

#[test]
fn an_insertion_that_is_there_already_is_not_made_again() {
    trap(
        "import a\nimport b\n",
        "import a  \n",
        "import a  \nimport b\n",
        "already_applied",
    );
    trap(
        "  import b\n  import a\n",
        "import a\n",
        "import b\nimport a\n",
        "already_applied",
    );
    trap(
        CODE,
        "def area(w,  h):\n",
        "def area(w,  h):\n    total = w * h\n",
        "already_applied",
    );
}

#[test]
fn a_fragment_of_a_line_is_replaced_within_its_line() {
    check(
        "let a = say(‘x’, 1);\n",
        "say('x', 1)",
        "say('x', 2)",
        "let a = say(‘x’, 2);\n",
    );
    check(
        "    let ab = f( x );\n",
        "let  ab = f( x )",
        "let  cd = f( x )",
        "    let cd = f( x );\n",
    );
    trap(
        "max  = 1\nx  = 1\nx = 1 \n",
        "x  =  1",
        "x = 2",
        "ambiguous",
    );
}

#[test]
fn everything_at_once_is_written_as_the_file_is() {
    let before = "\tif (a) {\r\n\t\tsay(\"x\");  \r\n\t}\r\n";
    let after = "\tif (a) {\r\n\t\tsay(\"y\");\r\n\t\tdone();\r\n\t}\r\n";
    check(
        before,
        "1|    if (a) {\n2|        say(“x”);\n3|    }\n",
        "1|    if (a) {\n2|        say(“y”);\n3|        done();\n4|    }\n",
        after,
    );
}

#[test]
fn new_text_that_stands_where_the_old_does_is_not_done() {
    // What is left after the removal is, as it is, what stands below it.
    let before = "fn a() {\n    key()\n}\n\nfn b() {\n    key()\n}\n\nfn c() {}\n";
    let old = "  2\t    key()\n  3\t}\n  4\t\n  5\tfn b() {\n  6\t    key()\n  7\t}\n  8\t\n  9\tfn c() {}\n";
    let after = "fn a() {\n    key()\n}\n\nfn c() {}\n";
    check(before, old, "    key()\n}\n\nfn c() {}\n", after);
}

#[test]
fn blanks_within_lines_are_changed_where_that_is_asked_for() {
    check(
        "/// a\n///         send()\n/// b\n",
        " /// a\n ///         send()\n /// b\n",
        " /// a\n ///     send()\n /// b\n",
        "/// a\n///     send()\n/// b\n",
    );
}

#[test]
fn quotes_can_be_all_that_a_change_changes() {
    let before = "// it’s so\nx = 1\n// which is “nice” here\ny = 2\n";
    check(
        before,
        "x = 1\n//  which is “nice” here\ny = 2\n",
        "x = 1\n//  which is \"nice\" here\ny = 2\n",
        &before.replace(['“', '”'], "\""),
    );
}

#[test]
fn a_sibling_of_what_is_meant_is_not_it() {
    // The function that is meant is gone; another begins and goes on otherwise.
    trap(
        "#[test]\n#[cfg(full)]\nasync fn aborted_two() {\n    use std::time::Duration;\n    use tokio::time::timeout;\n}\n",
        "/// is aborted early.\n#[test]\n#[cfg(full)]\nasync fn aborted_one() {\n    use std::time::Duration;\n    use tokio::time::timeout;\n",
        "/// is aborted early.\n#[test]\n#[cfg(full)]\n#[ignore]\nasync fn aborted_one() {\n    use std::time::Duration;\n    use tokio::time::timeout;\n",
        "not_found",
    );
    // Two lines around the change read otherwise.
    trap(
        "/// They meet [`of_one`] and its links.\n///\n/// <div>\n///\n/// It implies [`of_one`] as well.\n///\n/// # Examples\n",
        "/// They meet [`of_all`] and its links.\n///\n/// <div>\n///\n/// It implies [`of_all`] as well.\n///\n",
        "/// They meet [`of_all`] and its links.\n///\n/// It implies [`of_all`] as well.\n///\n",
        "not_found",
    );
}

#[test]
fn what_has_another_name_is_another_thing() {
    // Another line where the name should be, and nothing else differs.
    let file = "#[test]\nfn reads_two() {\n    let dir = tempdir().unwrap();\n    let path = dir.path().join(\"a.txt\");\n}\n";
    let old = "#[test]\nfn reads_one() {\n    let dir = tempdir().unwrap();\n    let path = dir.path().join(\"a.txt\");\n}\n";
    trap(file, old, &format!("#[ignore]\n{old}"), "not_found");
    check(
        file,
        &old.replace("reads_one() {", "reads_two(x: u32) {"),
        &format!(
            "#[ignore]\n{}",
            old.replace("reads_one() {", "reads_two(x: u32) {")
        ),
        &format!("#[ignore]\n{file}"),
    );
    // What follows after a blank line may have changed since.
    let file = "    start: usize\n    end: usize\n    before: bool = False\n\nclass Padding:\n";
    let old = file.replace("class Padding", "class Syntax(Mixin)");
    let cut = |text: &str| text.replace("    before: bool = False\n", "");
    check(file, &old, &cut(&old), &cut(file));
}

#[test]
fn lines_that_read_otherwise_are_a_siblings_if_they_are_several() {
    let file = "let mut text = \"abc\".to_string();\nmatch read(&mut data.as_slice(), &mut text) {\n    Ok(len) => panic!(\"{len}\"),\n    Err(err) if err.to_string() == \"no UTF-8\" => {}\n    Err(err) => panic!(\"{err}\"),\n}\nassert_eq!(text, \"abc\");\n";
    let old = file
        .replace("data.as_slice()", "mock.as_slice()")
        .replace("no UTF-8", "no UTF-16");
    trap(file, &old, &old.replace("{len}", "{} bytes"), "not_found");
}

#[test]
fn little_that_is_there_is_no_evidence() {
    // The blank line that tells the one meant from the other is not there.
    let file = "        });\n    }\n\n    return paths;\n}\n";
    let old = "    }\n\n    return paths;\n\n}\n";
    trap(
        file,
        old,
        &old.replace("return paths", "return all(paths)"),
        "not_found",
    );
    // One ending of one word is a slip.
    check(
        "a = {\n    item: 1,\n    b: 2,\n}\n",
        "    items: 1,\n    b: 2,\n}\n",
        "    items: 1,\n    b: 3,\n}\n",
        "a = {\n    item: 1,\n    b: 3,\n}\n",
    );
}

#[test]
fn an_example_within_a_comment_is_told_by_its_indentation() {
    let file = "//!     loop {\n//!         // closed\n//!         Ok(0) => return,\n//!     }\n";
    let shifted = |text: &str| text.replace("//! ", "//!     ");
    let new = file.replace("Ok(0)", "Ok(n) if n == 0");
    trap(file, &shifted(file), &shifted(&new), "not_found");
    let further = |text: &str| text.replace("//!", "  //!");
    check(file, &further(file), &further(&new), &new);
}

#[test]
fn what_went_at_the_edge_of_a_file_is_gone() {
    let head = "import os\nimport re\nimport sys\n";
    trap(
        head,
        &format!("import abc\n\n{head}"),
        head,
        "already_applied",
    );
    let tail = "    assert one.is_woken();\n    assert two.is_ready();\n}\n";
    trap(
        tail,
        &format!("{tail}\nfn more() {{}}\n"),
        tail,
        "already_applied",
    );
    let middle = format!("x\n{tail}y\n");
    trap(
        &middle,
        &format!("{tail}\nfn more() {{}}\n"),
        tail,
        "not_found",
    );
}

#[test]
fn much_of_the_context_may_be_gone() {
    check(
        "#![cfg(not(miri))]\n#![allow(\n    clippy::first_of_all,\n    clippy::last_of_all,\n    clippy::more\n)]\n",
        "#![no_std]\n#![allow(\n    clippy::first_of_all,\n    clippy::second_of_all,\n    clippy::last_of_all,\n",
        "#![no_std]\n#![allow(\n    clippy::added,\n    clippy::first_of_all,\n    clippy::second_of_all,\n    clippy::last_of_all,\n",
        "#![cfg(not(miri))]\n#![allow(\n    clippy::added,\n    clippy::first_of_all,\n    clippy::last_of_all,\n    clippy::more\n)]\n",
    );
}

#[test]
fn one_line_that_stands_further_in_does_not_indent_what_comes() {
    let before = "class A:\n    def f(self):\n        if a:\n                call()\n        return b\n\n    def h(self):\n        pass\n";
    let old = "            call()\n        return b\n\n    def h(self):\n        pass\n";
    let new = old.replace("    def h", "    def g(self):\n        for c in b:\n            if c:\n                run(c)\n\n    def h");
    let after = before.replace("    def h", "    def g(self):\n        for c in b:\n            if c:\n                run(c)\n\n    def h");
    check(before, old, &new, &after);
}

#[test]
fn the_number_of_the_line_after_the_last_one_takes_no_line_away() {
    let before = "import os\n\nx = 1\ny = 2\n\nz = 3\n";
    let after = before.replace("x = 1", "x = 10");
    for old in [
        "3\tx = 1\n4\ty = 2\n5\t\n",
        "    3\tx = 1\n    4\ty = 2\n    5\t",
        "3: x = 1\n4: y = 2\n5: ",
    ] {
        check(before, old, "x = 10\ny = 2\n", &after);
        check(before, old, &old.replace("x = 1", "x = 10"), &after);
    }
}

/// The last line lacks its last word: letter by letter, what is added would come before that word.
#[test]
fn lines_are_not_put_into_the_middle_of_a_line_that_was_copied_in_part() {
    let before = "a = 1\n# get the list of servers\nb = 2\n";
    for last in ["# get the list of ", "# get the list of", "# get the"] {
        let old = format!("a = 1\n{last}");
        trap(before, &old, &format!("{old}\nc = 3"), "not_found");
    }
    // Behind a sign the line is broken, as was asked.
    check(
        "f(\n  g(x)\n)\n",
        "f(\n  g(",
        "f(\n  g(\n    y, ",
        "f(\n  g(\n    y, x)\n)\n",
    );
}
