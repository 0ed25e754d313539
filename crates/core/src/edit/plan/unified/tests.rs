//! Unified diffs that apply, and answers to those that do not.

use super::*;
use crate::edit::plan::testing::{run, word};
use crate::edit::request::Request;

const FILE: &str = "one\ntwo\nthree\nfour\nfive\nsix\nseven\n";

fn patch(before: &str, patch: &str) -> Result<String, Outcome> {
    run("src/a.txt", before, Request::Unified(patch.to_owned()))
}

fn check(patch_text: &str) {
    let after = patch(FILE, patch_text).unwrap();
    assert_eq!(after, FILE.replace("four\n", "4\n4b\n"), "{patch_text}");
}

#[test]
fn numbers_may_be_right_wrong_or_absent() {
    for header in [
        "@@ -3,3 +3,4 @@",
        "@@ -30,3 +30,4 @@",
        "@@ -3,9 +3,1 @@ fn x",
        "@@",
        "@@ ... @@",
    ] {
        check(&format!(
            "--- a/src/a.txt\n+++ b/src/a.txt\n{header}\n three\n-four\n+4\n+4b\n five\n"
        ));
    }
}

#[test]
fn prose_fences_and_other_files_do_not_matter() {
    check("Here you are:\n```diff\n--- src/a.txt\n+++ src/a.txt\n@@\n-four\n+4\n+4b\n```\nDone.\n");
    check("@@\n three\n-four\n+4\n+4b\n five\n\n");
    check(
        "--- a/b.txt\n+++ b/b.txt\n@@ -1 +1 @@\n-x\n+y\n--- a/a.txt\n+++ b/a.txt\n@@ -4 +4,2 @@\n-four\n+4\n+4b\n",
    );
}

#[test]
fn a_patch_may_be_indented_or_have_no_header_at_all() {
    check(
        "1. Do this:\n\n   ```diff\n   --- a/src/a.txt\n   +++ b/src/a.txt\n   @@ -3,3 +3,4 @@\n    three\n   -four\n   +4\n   +4b\n    five\n   ```\n",
    );
    check(" three\n-four\n+4\n+4b\n five\n");
    check("```diff\n three\n-four\n+4\n+4b\n five\n```\n");
    let list = "- four\nand more\n";
    assert_eq!(word(&patch(FILE, list)), "invalid");
}

#[test]
fn blank_lines_that_come_may_have_lost_their_mark() {
    let text = "@@\n a\n+one\n\n+two\n b\n";
    assert_eq!(patch("a\nb\n", text).unwrap(), "a\none\n\ntwo\nb\n");
    // Here it is one of the file's.
    assert_eq!(patch("a\n\nb\n", text).unwrap(), "a\none\n\ntwo\nb\n");
}

#[test]
fn what_is_nearly_there_below_an_anchor_and_elsewhere_as_given_is_ambiguous() {
    let block = |more: &str| {
        format!(
            "def load(self):\n    open_it(self.path)\n    read_it(self.path)\n    close_it(self.path)\n{more}    end_it(self.path)\n"
        )
    };
    let before = format!("{}{}", block("    check_it()\n"), block(""));
    let text = "*** Begin Patch\n*** Update File: src/a.txt\n@@ def load(self):\n     open_it(self.path)\n     read_it(self.path)\n+    log_it(self.path)\n     close_it(self.path)\n     end_it(self.path)\n*** End Patch\n";
    assert_eq!(word(&patch(&before, text)), "ambiguous");
}

#[test]
fn a_hunk_that_is_said_twice_is_made_once() {
    let twin = "{\n  a\n  b\n}\n{\n  a\n  c\n  b\n}\n";
    let hunk = "@@ -1,3 +1,4 @@\n {\n   a\n+  new line\n   b\n";
    let after = twin.replacen("  a\n", "  a\n  new line\n", 1);
    assert_eq!(patch(twin, &format!("{hunk}{hunk}")), Ok(after));
}

#[test]
fn lines_that_look_like_headers_stay_lines_while_they_are_owed() {
    let before = "-- a\nx\n";
    let text = "--- a/src/a.txt\n+++ b/src/a.txt\n@@ -1,2 +1,2 @@\n--- a\n+++ b\n x\n";
    assert_eq!(patch(before, text).unwrap(), "++ b\nx\n");
}

#[test]
fn a_lost_leading_blank_on_an_empty_line_is_forgiven() {
    let before = "a\n\nb\nc\n";
    assert_eq!(
        patch(before, "@@\n a\n\n-b\n+B\n c\n").unwrap(),
        "a\n\nB\nc\n"
    );
}

#[test]
fn repeated_lines_are_told_apart_by_number_or_not_at_all() {
    let before = "x\n}\na\nb\nc\nd\ne\nf\ng\nx\n}\n";
    let numbered = patch(before, "@@ -10,2 +10,2 @@\n-x\n+y\n }\n").unwrap();
    assert_eq!(numbered, "x\n}\na\nb\nc\nd\ne\nf\ng\ny\n}\n");
    assert_eq!(word(&patch(before, "@@\n-x\n+y\n }\n")), "ambiguous");
    assert_eq!(
        word(&patch(before, "@@ -5,2 +5,2 @@\n-x\n+y\n }\n")),
        "ambiguous"
    );
}

#[test]
fn hunks_follow_each_other_and_one_bad_one_spoils_all() {
    let text = "@@\n-one\n+1\n@@\n-seven\n+7\n";
    assert_eq!(
        patch(FILE, text).unwrap(),
        FILE.replace("one", "1").replace("seven", "7")
    );
    assert_eq!(
        word(&patch(FILE, "@@\n-one\n+1\n@@\n-eight\n+8\n")),
        "not_found"
    );
    assert_eq!(
        word(&patch(FILE, "@@\n-seven\n+7\n@@\n-one\n+1\n")),
        "not_found"
    );
}

#[test]
fn what_becomes_of_the_other_hunks_is_said() {
    let result = patch(FILE, "@@\n-one\n+1\n@@\n-zwei\n+2\n@@\n-seven\n+7\n");
    let Err(Outcome::NotFound { why, .. }) = result else {
        panic!("{result:?}")
    };
    assert_eq!(
        why,
        "hunk 2: the hunk's context and removed lines are not in the file; \
         hunk 1, hunk 3 can be done"
    );
}

#[test]
fn what_is_applied_is_not_applied_again() {
    assert_eq!(
        word(&patch(FILE, "@@\n three\n-4\n+four\n five\n")),
        "already_applied"
    );
    assert_eq!(word(&patch("a\nb\n", "@@\n a\n+b\n")), "already_applied");
    assert_eq!(word(&patch("b\na\n", "@@\n+b\n a\n")), "already_applied");
    assert_eq!(patch("}\n", "@@\n }\n+}\n").unwrap(), "}\n}\n");
}

#[test]
fn endings_and_the_final_newline_stay() {
    let crlf = FILE.replace('\n', "\r\n");
    let after = patch(&crlf, "@@\n-four\n+4\n").unwrap();
    assert_eq!(after, crlf.replace("four", "4"));
    assert_eq!(patch("a\nb", "@@\n a\n-b\n+c\n").unwrap(), "a\nc");
    assert_eq!(patch("a\nb", "@@\n b\n+c\n").unwrap(), "a\nb\nc");
}

#[test]
fn a_hunk_without_context_goes_by_its_number() {
    let at = |header: &str| patch("a\nb\n", &format!("{header}\n+x\n"));
    assert_eq!(at("@@ -0,0 +1 @@").unwrap(), "x\na\nb\n");
    assert_eq!(at("@@ -1,0 +2 @@").unwrap(), "a\nx\nb\n");
    assert_eq!(at("@@ -2,0 +3 @@").unwrap(), "a\nb\nx\n");
    assert_eq!(word(&at("@@ -9,0 +9 @@")), "invalid");
    assert_eq!(word(&at("@@")), "invalid");
}

#[test]
fn what_is_no_patch_is_said() {
    for text in ["", "hello", "@@\n", "@@\n a\n"] {
        assert_eq!(word(&patch("a\n", text)), "invalid", "{text:?}");
    }
    let Err(Outcome::Invalid { why }) = patch("a\n", "--- a/b\n+++ b/b\n@@\n-a\n+b\n") else {
        panic!()
    };
    assert_eq!(why, "the patch is for b, not for src/a.txt");
}

#[test]
fn a_patch_that_makes_or_deletes_a_file_says_so_again() {
    let makes = "--- /dev/null\n+++ b/src/a.txt\n@@ -0,0 +1,2 @@\n+a\n+b\n";
    assert_eq!(word(&patch("a\nb\n", makes)), "already_applied");
    assert_eq!(word(&patch("a\n", makes)), "refused");
    let added = "*** Begin Patch\n*** Add File: src/a.txt\n+a\n+b\n*** End Patch\n";
    assert_eq!(word(&patch("a\nb\n", added)), "already_applied");
    assert_eq!(word(&patch("c\n", added)), "refused");
    let deletes = "diff --git a/src/a.txt b/src/a.txt\ndeleted file mode 100644\n--- a/src/a.txt\n+++ /dev/null\n@@ -1 +0,0 @@\n-a\n";
    assert_eq!(patch("a\n", deletes).unwrap(), "");
    assert_eq!(word(&patch("b\n", deletes)), "not_found");
}

#[test]
fn parts_of_one_file_follow_each_other() {
    let text = "*** Begin Patch\n*** Update File: src/a.txt\n@@\n-six\n+6\n*** Update File: b.txt\n@@\n-x\n+y\n*** Update File: src/a.txt\n@@\n-one\n+1\n@@\n-6\n+sechs\n*** End Patch\n";
    assert_eq!(
        patch(FILE, text).unwrap(),
        FILE.replace("one", "1").replace("six", "sechs")
    );
}

#[test]
fn a_part_that_could_be_for_two_names_is_for_neither() {
    let text = "--- a/x/src/a.txt\n+++ b/x/src/a.txt\n@@\n-one\n+1\n--- a/y/src/a.txt\n+++ b/y/src/a.txt\n@@\n-one\n+1\n";
    assert_eq!(word(&patch(FILE, text)), "invalid");
    let exact =
        "--- a/a.txt\n+++ b/a.txt\n@@\n-one\n+2\n--- a/src/a.txt\n+++ b/src/a.txt\n@@\n-one\n+1\n";
    assert_eq!(patch(FILE, exact).unwrap(), FILE.replace("one", "1"));
}

#[test]
fn what_no_text_can_do_is_refused() {
    let binary =
        "diff --git a/src/a.txt b/src/a.txt\nindex 1..2\nGIT binary patch\nliteral 3\nabc\n";
    assert_eq!(word(&patch(FILE, binary)), "refused");
    let copy = "diff --git a/b.txt b/src/a.txt\nsimilarity index 100%\ncopy from b.txt\ncopy to src/a.txt\n";
    assert_eq!(word(&patch(FILE, copy)), "refused");
}

#[test]
fn a_line_that_goes_and_comes_again_is_context() {
    let before = "a = 1\nload()\nb = 2\n";
    for (text, after) in [
        (
            "@@\n-load()\n+load()\n+# check\n",
            "a = 1\nload()\n# check\nb = 2\n",
        ),
        (
            "@@\n a = 1\n-load()\n+load()\n+# check\n",
            "a = 1\nload()\n# check\nb = 2\n",
        ),
        (
            "@@ -2 +2,2 @@\n-load()\n+# check\n+load()\n",
            "a = 1\n# check\nload()\nb = 2\n",
        ),
        (
            "@@\n-load()\n-b = 2\n+load()\n+c = 3\n+b = 2\n",
            "a = 1\nload()\nc = 3\nb = 2\n",
        ),
    ] {
        assert_eq!(patch(before, text).as_deref(), Ok(after), "{text}");
        assert_eq!(word(&patch(after, text)), "already_applied", "{text}");
    }
    // The end of the last line is what changes.
    let open = "@@\n a\n-b\n\\ No newline at end of file\n+b\n";
    assert_eq!(patch("a\nb", open).as_deref(), Ok("a\nb\n"));
}

#[test]
fn a_line_without_letters_at_the_end_of_a_file_is_there_already() {
    let text = "@@\n     };\n\n     () => { async { Ok(()) }.await }\n-}}\n+}\n";
    let before = "    };\n\n    () => { async { Ok(()) }.await }\n}}\n";
    let after = before.replace("}}\n", "}\n");
    assert_eq!(patch(before, text).as_deref(), Ok(after.as_str()));
    assert_eq!(word(&patch(&after, text)), "already_applied");
}

/// Wraps hunks for the file in an envelope.
fn envelope(hunks: &str) -> String {
    format!("*** Begin Patch\n*** Update File: src/a.txt\n{hunks}*** End Patch\n")
}

const CLASSES: &str = "class A:\n    def load(self):\n        x = 1\n        return x\n\n    def save(self):\n        y = 1\n        return x\n\n\nclass B:\n    def load(self):\n        x = 2\n        return x\n\n    def save(self):\n        z = 2\n        return x\n";

/// Changes the nth `return x` of [`CLASSES`].
fn returns(nth: usize) -> String {
    let (at, _) = CLASSES.match_indices("return x").nth(nth).unwrap();
    format!("{}return 0{}", &CLASSES[..at], &CLASSES[at + 8..])
}

fn check_classes(hunks: &str, nth: usize) {
    let result = patch(CLASSES, &envelope(hunks));
    assert_eq!(result.as_deref(), Ok(returns(nth).as_str()), "{hunks}");
}

const RETURN: &str = "-        return x\n+        return 0\n";

#[test]
fn a_hunk_of_context_alone_moves_the_position_on() {
    check_classes(
        &format!("@@\n     def save(self):\n         y = 1\n@@\n{RETURN}"),
        1,
    );
    check_classes(
        &format!("@@\n class B:\n     def load(self):\n@@\n{RETURN}"),
        2,
    );
    check_classes(
        &format!("@@\n class B:\n@@\n     def save(self):\n@@\n{RETURN}"),
        3,
    );
    check_classes(
        &format!("@@\n     def save(self):\n         z = 2\n@@\n{RETURN}@@\n \n"),
        3,
    );
    // Without marks.
    check_classes(
        &format!("@@\nclass B:\n    def load(self):\n@@\n{RETURN}"),
        2,
    );
    // The hunk may show what is above it once more.
    check_classes(
        &format!(
            "@@\n class B:\n     def load(self):\n@@\n     def load(self):\n         x = 2\n{RETURN}"
        ),
        2,
    );
    let only = envelope("@@\n class B:\n     def load(self):\n");
    assert_eq!(word(&patch(CLASSES, &only)), "invalid");
}

#[test]
fn anchors_stand_one_below_the_other() {
    check_classes(&format!("@@ class B:\n@@     def load(self):\n{RETURN}"), 2);
    check_classes(&format!("@@\n@@ class B:\n@@ def save(self):\n{RETURN}"), 3);
    check_classes(
        &format!("@@ def save(self):\n@@ def save(self):\n{RETURN}"),
        3,
    );
    check_classes(&format!("@@ class A:\n@@ z = 2\n{RETURN}"), 3);
    // One that stands only in the hunk before, and elsewhere below.
    let hunks = "@@\n     def load(self):\n-        x = 1\n+        x = 3\n@@ def load(self):\n         return x\n \n     def save(self):\n-        y = 1\n+        y = 3\n";
    let after = CLASSES.replace("x = 1", "x = 3").replace("y = 1", "y = 3");
    assert_eq!(patch(CLASSES, &envelope(hunks)), Ok(after));
    let two = envelope(&format!("@@ class B:\n{RETURN}"));
    assert_eq!(word(&patch(CLASSES, &two)), "ambiguous");
}

#[test]
fn a_hunk_may_end_below_the_block_of_its_anchor() {
    let before = "fn a() {\n    x();\n}\n\nfn b() {\n    x();\n}\n\nfn c() {\n    x();\n}\n";
    let hunks = "@@ fn b() {\n-    x();\n+    y();\n }\n \n fn c() {\n     x();\n";
    let after = before.replace("fn b() {\n    x", "fn b() {\n    y");
    assert_eq!(patch(before, &envelope(hunks)), Ok(after.clone()));
    let alike = before.replace("fn c", "fn a");
    let hunks = "@@ fn b() {\n-    x();\n+    y();\n }\n \n fn a() {\n";
    assert_eq!(
        patch(&alike, &envelope(hunks)),
        Ok(after.replace("fn c", "fn a"))
    );
}

#[test]
fn the_order_of_hunks_tells_their_places() {
    let check = |before: &str, hunks: &str, after: &str| {
        assert_eq!(
            patch(before, &envelope(hunks)).as_deref(),
            Ok(after),
            "{hunks}"
        );
    };
    // Two equal hunks for two equal places.
    check("a\nx\nb\nx\n", "@@\n-x\n+y\n@@\n-x\n+y\n", "a\ny\nb\ny\n");
    check("a\nx\nb\nx\n", "@@\n-x\n+y\n@@\n-x\n+z\n", "a\ny\nb\nz\n");
    // Only one of them leaves room for the hunk below, or above.
    check("a\nx\nb\nx\n", "@@\n-x\n+y\n@@\n-b\n+c\n", "a\ny\nc\nx\n");
    check("a\nx\nb\nx\n", "@@\n-b\n+c\n@@\n-x\n+y\n", "a\nx\nc\ny\n");
    check(
        "x\na\nx\nb\nx\n",
        "@@\n-a\n+A\n@@\n-x\n+y\n@@\n-b\n+B\n",
        "x\nA\ny\nB\nx\n",
    );
    let refused = |before: &str, hunks: &str| {
        assert_eq!(
            word(&patch(before, &envelope(hunks))),
            "ambiguous",
            "{hunks}"
        );
    };
    refused("x\nx\nx\n", "@@\n-x\n+y\n@@\n-x\n+y\n");
    refused("x\na\nx\nb\n", "@@\n-x\n+y\n@@\n-b\n+B\n");
}

#[test]
fn the_end_of_the_file_tells_the_place() {
    let check = |before: &str, hunks: &str, after: &str| {
        assert_eq!(
            patch(before, &envelope(hunks)).as_deref(),
            Ok(after),
            "{hunks}"
        );
    };
    check("x\na\nx\n", "@@\n-x\n+y\n*** End of File\n", "x\na\ny\n");
    // A blank row is the last line ending.
    check("x\na\nx\n", "@@\n-x\n+y\n \n", "x\na\ny\n");
    check("a\nx\n", "@@\n a\n-x\n-\n+y\n+\n", "a\ny\n");
    check(
        "a\nx\n",
        "@@\n a\n x\n \n+y\n*** End of File\n",
        "a\nx\ny\n",
    );
    // One that the file has is that line.
    check("x\n\nx\n", "@@\n-x\n+y\n \n", "y\n\nx\n");
}

#[test]
fn a_hunk_that_only_adds_goes_below_its_anchor_or_to_the_end() {
    let check = |hunks: &str, after: &str| {
        let result = patch("a\nb\nc\n", &envelope(hunks));
        assert_eq!(result.as_deref(), Ok(after), "{hunks}");
        assert_eq!(word(&patch(after, &envelope(hunks))), "already_applied");
    };
    check("@@ b\n+new\n", "a\nb\nnew\nc\n");
    check("@@\n a\n b\n@@\n+new\n", "a\nb\nnew\nc\n");
    check("@@\n+new\n", "a\nb\nc\nnew\n");
    check("+new\n", "a\nb\nc\nnew\n");
    check("@@ b\n+new\n*** End of File\n", "a\nb\nc\nnew\n");
    let first = envelope("@@\n+new\n@@\n-b\n+B\n");
    assert_eq!(word(&patch("a\nb\nc\n", &first)), "invalid");
    // It may be meant for any line of the class.
    let class = envelope("@@ class A:\n+    z = 1\n");
    assert_eq!(word(&patch(CLASSES, &class)), "invalid");
}

#[test]
fn a_line_that_stands_once_is_found_below_the_block_of_its_anchor() {
    let before =
        "pass and the guard:\n  one\n\nother:\n  the reader refuses 286 of them all\n  end\n";
    let hunk = "-  the reader refuses 286 of them all\n+  the reader refuses 287 of them all\n";
    let text = envelope(&format!("@@ pass and the guard:\n{hunk}"));
    let after = before.replace("286", "287");
    assert_eq!(patch(before, &text), Ok(after.clone()));
    // What it makes stands in the block already, and what it changes below.
    let made = before.replace("  one\n", "  the reader refuses 287 of them all\n");
    assert_eq!(word(&patch(&made, &text)), "ambiguous");
    let short = envelope("@@ pass and the guard:\n-  end\n+  END\n");
    assert_eq!(word(&patch(before, &short)), "not_found");
}

#[test]
fn malformed_envelopes_are_read_where_they_are_clear() {
    let hunk = "@@\n three\n-four\n+4\n+4b\n five\n";
    let update = "*** Update File: src/a.txt\n";
    for text in [
        format!("*** Begin Patch\n{update}{hunk}"),
        format!("{update}{hunk}*** End Patch\n"),
        format!("{update}{hunk}"),
        format!("  *** Begin Patch \n  {update}{hunk} *** End Patch \n"),
        format!("*** Begin Patch\n*** Update File: src/a.txt \n{hunk}*** End Patch"),
        format!("```\n*** Begin Patch\n{update}{hunk}*** End Patch\n```\n"),
        format!("Here:\n```diff\n*** Begin Patch\n{update}{hunk}```\n"),
        format!("apply_patch <<'EOF'\n*** Begin Patch\n{update}{hunk}*** End Patch\nEOF\n"),
        format!("*** Begin Patch\n{hunk}*** End Patch\n"),
        format!("*** Begin Patch\n--- a/src/a.txt\n+++ b/src/a.txt\n{hunk}*** End Patch\n"),
        format!("*** Begin Patch\n{update}--- a/src/a.txt\n+++ b/src/a.txt\n{hunk}*** End Patch\n"),
        format!(
            "*** Begin Patch\n{update}@@ -3,3 +3,4 @@\n three\n-four\n+4\n+4b\n five\n*** End Patch\n"
        ),
        format!(
            "*** Begin Patch\n{update}@@ -30,3 +30,4 @@ fn x\n three\n-four\n+4\n+4b\n five\n*** End Patch\n"
        ),
        format!("*** Begin Patch\n{update}@@\nthree\n-four\n+4\n+4b\nfive\n*** End Patch\n"),
        format!("*** Begin Patch\n{update} three\n-four\n+4\n+4b\n five\n*** End Patch\n"),
        format!("*** Begin Patch\n{update}\n{hunk}\n*** End Patch\n"),
        format!("*** Begin Patch\n{update}{hunk}*** End Patch\n").replace('\n', "\r\n"),
    ] {
        check(&text);
    }
    let numbered = "@@ -4,1 +4,1 @@\n-x\n+y\n";
    assert_eq!(
        patch("x\na\nb\nx\n", &envelope(numbered)).as_deref(),
        Ok("x\na\nb\ny\n")
    );
    let new = "*** Begin Patch\n*** Add File: src/a.txt\nfn a() {\n    b();\n}\n*** End Patch\n";
    let path = WorkspacePath::parse("src/a.txt", std::path::Path::new("/w")).unwrap();
    let plan = plan(&Budget::default(), &path, None, new).unwrap();
    assert_eq!(plan.edits.apply(b"").unwrap(), b"fn a() {\n    b();\n}\n");
}

#[test]
fn a_file_that_is_deleted_and_added_is_written_anew() {
    let text = "*** Begin Patch\n*** Delete File: src/a.txt\n*** Add File: src/a.txt\n+one\n+2\n*** End Patch\n";
    assert_eq!(patch(FILE, text).as_deref(), Ok("one\n2\n"));
    assert_eq!(word(&patch("one\n2\n", text)), "already_applied");
    assert_eq!(
        word(&patch(
            FILE,
            &text.replace("*** Delete File: src/a.txt\n", "")
        )),
        "refused"
    );
}
