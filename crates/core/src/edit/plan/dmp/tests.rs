//! Patches on their own text, on changed text, and applied twice.

use super::*;
use crate::edit::plan::testing::{run, word};
use crate::edit::request::Request;

fn patch(before: &str, patch: &str) -> Result<String, Outcome> {
    run("a.txt", before, Request::Dmp(patch.to_owned()))
}

#[test]
fn stretches_are_found_at_their_offset_or_near_it() {
    let check = |before: &str, text: &str, after: &str| {
        assert_eq!(patch(before, text).unwrap(), after, "{text}")
    };
    check(
        "the quick fox\n",
        "@@ -1,13 +1,12 @@\n the \n-quick\n+slow\n  fox\n",
        "the slow fox\n",
    );
    check(
        "a = 1\nb = 1\n",
        "@@ -8,4 +8,4 @@\n = \n-1\n+2\n %0A\n",
        "a = 1\nb = 2\n",
    );
    check(
        "50% of\r\nit\r\n",
        "@@ -1,9 +1,10 @@\n 50%25 of%0Ait\n+s\n %0A\n",
        "50% of\r\nits\r\n",
    );
    check("a+b\n", "@@ -1,3 +1,3 @@\n a+\n-b\n+c\n", "a+c\n");
    check("", "@@ -0,0 +1,3 @@\n+new\n", "new");
}

#[test]
fn a_stretch_that_changes_nothing_is_passed_over_among_others() {
    let text = "@@ -1,2 +1,2 @@\n a\n-\n+\n %0A\n@@ -1,4 +1,5 @@\n a%0Ab\n+c\n %0A\n";
    assert_eq!(patch("a\nb\n", text).unwrap(), "a\nbc\n");
}

#[test]
fn a_gap_between_few_letters_elsewhere_was_not_made() {
    let far = format!("{}if open\n    done\n", "one more line\n".repeat(20));
    let text = "@@ -1,29 +1,12 @@\n if open%0A\n-    close_them();%0A\n     \n";
    assert_eq!(word(&patch(&far, text)), "not_found");
    assert_eq!(word(&patch("if open\n    done\n", text)), "already_applied");
}

#[test]
fn what_is_unsure_is_not_done() {
    let check = |before: &str, text: &str, expected: &str| {
        assert_eq!(word(&patch(before, text)), expected, "{text}")
    };
    check(
        "x = 1;  x = 1;\n",
        "@@ -7,4 +7,4 @@\n = \n-1\n+2\n ;\n",
        "ambiguous",
    );
    check(
        "let total = price + vat;\n",
        "@@ -1,24 +1,26 @@\n let total = price + \n-tax\n+taxes\n ;\n",
        "not_found",
    );
    check(
        "the slow fox\n",
        "@@ -1,13 +1,12 @@\n the \n-quick\n+slow\n  fox\n",
        "already_applied",
    );
    check("abcdef\n", "@@ -1,2 +1,3 @@\n%FF\n", "invalid");
    check("a\n", "hello", "invalid");
    check("a\n", "@@ -1 +1 @@\n a\n", "invalid");
}

#[test]
fn what_is_not_as_given_is_near_its_offset() {
    let text = "@@ -1,63 +1,89 @@\n [test]%0A#[cfg(full)]%0A\n+#[cfg_attr(miri, ignore)]%0A\n async fn aborted_future_1() {%0A    let\n";
    let near = "[tests]\n#[cfg(full)]\nasync fn aborted_future_1() {\n    let m\n";
    assert!(patch(near, text).is_ok());
    let gap = "// nothing of note stands on this line of text\n".repeat(20);
    assert_eq!(word(&patch(&format!("{gap}{near}"), text)), "not_found");
}

#[test]
fn a_patch_that_is_there_at_its_offsets_is_done() {
    // What the first stretch looks for stands further down too.
    let before = "let a = f(1);\nlet b = g(2);\n";
    let text = "@@ -1,14 +1,14 @@\n let \n-a\n+c\n  = f(1);%0A\n";
    let made = before.replace("let a", "let c");
    assert_eq!(patch(before, text).unwrap(), made);
    let twice = format!("{made}let a = f(1);\n");
    assert_eq!(word(&patch(&twice, text)), "already_applied");
    // The second stretch changes what stands around the first.
    let before = "one two three\n";
    let text = "@@ -1,8 +1,10 @@\n one \n+1 \n two \n@@ -7,9 +7,9 @@\n two \n-three\n+THREE\n";
    assert_eq!(word(&patch("one 1 two THREE\n", text)), "already_applied");
    assert_eq!(patch(before, text).unwrap(), "one 1 two THREE\n");
}

#[test]
fn what_comes_is_not_put_where_little_stands() {
    let text = "@@ -6,24 +6,29 @@\n (self) -> None:%0A    \n+x()%0A    \n if a.\n";
    assert_eq!(
        word(&patch("def f(self) -> None:\n   if x.b:\n", text)),
        "not_found"
    );
    let text =
        "@@ -9,32 +9,45 @@\n )%0A        else:%0A\n+            make()%0A\n             retu\n";
    assert_eq!(
        word(&patch(
            "if a:\n    f(\n        b\n    )\n        else:\n            raise b\n",
            text
        )),
        "not_found"
    );
}

#[test]
fn a_stretch_shows_what_the_one_before_it_leaves() {
    let before = "const a = f(1);\nconst b = g(2);\nend\n";
    let text = "@@ -7,10 +7,11 @@\n a = f(\n-1\n+10\n );%0A\n@@ -13,15 +13,13 @@\n 10);%0A\n-const\n+let\n  b =\n";
    let after = "const a = f(10);\nlet b = g(2);\nend\n";
    assert_eq!(patch(before, text).unwrap(), after);
    assert_eq!(word(&patch(after, text)), "already_applied");
    // The second shows more of what is above than the first.
    let text =
        "@@ -11,7 +11,6 @@\n f(\n-1\n );%0Ac\n@@ -3,15 +3,16 @@\n nst a = f();%0A\n+//\n con\n";
    assert_eq!(
        patch(before, text).unwrap(),
        "const a = f();\n//const b = g(2);\nend\n"
    );
    // What the first brings in, the second takes away again.
    let text = "@@ -1,5 +1,7 @@\n one\n+ 1\n  t\n@@ -4,4 +4,3 @@\n  \n-1\n  t\n";
    assert_eq!(patch("one two\n", text).unwrap(), "one  two\n");
}

#[test]
fn a_second_stretch_counts_on_the_first() {
    let before = "one two three four five six seven\n";
    let text = "@@ -1,7 +1,9 @@\n one \n+2 \n two\n@@ -26,6 +26,6 @@\n  six \n-s\n+S\n";
    assert_eq!(
        patch(before, text).unwrap(),
        "one 2 two three four five six Seven\n"
    );
}

#[test]
fn what_changes_and_the_lines_beside_it_are_enough() {
    let gone = "@@ -17,63 +17,32 @@\n  SyntaxPosition%0A\n-    style_before: bool = False%0A\n %0A%0Aclass Syntax(J\n";
    let text = |next: &str| {
        format!("class Range:\n    end: SyntaxPosition\n    style_before: bool = False\n\n\n{next}")
    };
    let check = |before: &str, text: &str, after: &str| {
        assert_eq!(patch(before, text).as_deref(), Ok(after), "{text}")
    };
    let next = "class Padding:\n    pass\n";
    check(
        &text(next),
        gone,
        &text(next).replace("    style_before: bool = False\n", ""),
    );
    let comes = "@@ -16,32 +16,44 @@\n )%5D%0A#!%5Ballow(%0A\n+    added,%0A\n     clippy::manu\n";
    let before = "#![cfg(miri)]\n\n#![allow(\n    clippy::manual_assert,\n)]\n";
    let after = "#![cfg(miri)]\n\n#![allow(\n    added,\n    clippy::manual_assert,\n)]\n";
    check(before, comes, after);
    assert_eq!(word(&patch(after, comes)), "not_found");
}

#[test]
fn what_is_beside_text_that_comes_has_to_say_something_and_be_near() {
    let trap = |before: &str, text: &str| {
        assert_eq!(word(&patch(before, text)), "not_found", "{text}");
    };
    // What follows is the beginning of a line, and what is above it is blank.
    trap(
        "use a;\n\ntest('reads nothing', () => {\n})\n",
        "@@ -1,30 +1,40 @@\n ;%0A  %7D)%0A%7D)%0A%0A\n+test('one')%0A%0A\n test('reads no\n",
    );
    let text = "@@ -16,32 +16,44 @@\n )%5D%0A#!%5Ballow(%0A\n+    added,%0A\n     clippy::manu\n";
    let far = "//! About nothing at all.\n".repeat(20);
    trap(
        &format!("{far}#![allow(\n    clippy::manual_assert,\n)]\n"),
        text,
    );
}

#[test]
fn one_word_for_another_is_a_sibling_where_little_is_shown() {
    let trap = |before: &str, text: &str| {
        assert_eq!(word(&patch(before, text)), "not_found", "{text}");
    };
    trap(
        "\t\t\t\tcase \"async-node\": {\n\t\t\t\t\t// @ts-expect-error about types\n",
        "@@ -17,33 +17,32 @@\n uire%22: %7B%0A%09%09%09%09%09//\n- \n @ts-expect-error\n",
    );
    trap(
        "/**\n * @template T\n * @param {Set<T>} set a set\n * @param {function(T): boolean} fn a filter\n */\n",
        "@@ -5,64 +5,81 @@\n  * @template T%0A * @param %7BSet%3CT%3E\n+ %7C ReadonlySet%3CT%3E\n %7D set a set%0A * @returns %7BT %7C und\n",
    );
}
