//! Searches of a real folder, staged changes included.

use serde_json::{Value, json};
use signoff_core::budget::Stopped;

use crate::tool::testing::{Folder, save};

fn folder() -> Folder {
    Folder::new(&[
        ("src/b.txt", "fn b() {}\nfn needle() {}\n"),
        ("src/a.txt", "needle\nneedle\n"),
        ("notes.md", "a needle\n"),
        ("target/out.txt", "needle\n"),
        (".gitignore", "target/\n"),
        (".github/ci.yml", "needle: yes\n"),
        (".git/config", "needle\n"),
    ])
}

fn check(folder: &Folder, arguments: Value, expected: &str) {
    let output = folder.call("grep", arguments);
    assert!(output.ok, "{}", output.content);
    assert_eq!(output.content, expected);
}

#[test]
fn lines_come_sorted_by_path_without_ignored_files() {
    check(
        &folder(),
        json!({ "pattern": "need.e" }),
        ".github/ci.yml:1:needle: yes\n\
         notes.md:1:a needle\n\
         src/a.txt:1:needle\n\
         src/a.txt:2:needle\n\
         src/b.txt:2:fn needle() {}\n",
    );
}

#[test]
fn what_rules_deny_to_read_is_not_searched() {
    let folder = folder().without("src/*");
    check(
        &folder,
        json!({ "pattern": "needle" }),
        ".github/ci.yml:1:needle: yes\n\
         notes.md:1:a needle\n\
         (files that the user's rules keep from you: 2)\n",
    );
}

#[test]
fn files_come_with_their_counts() {
    check(
        &folder(),
        json!({ "pattern": "needle", "output": "files", "path": "src" }),
        "src/a.txt:2\nsrc/b.txt:1\n2 files\n",
    );
    check(
        &folder(),
        json!({ "pattern": "zebra", "output": "files" }),
        "no matches\n0 files\n",
    );
    check(&folder(), json!({ "pattern": "zebra" }), "no matches\n");
}

#[test]
fn a_name_that_is_nowhere_is_found_as_it_is_spelt() {
    let folder = Folder::new(&[("a.rs", "fn parse_header() {}\n"), ("b.rs", "struct X;\n")]);
    let expected = "no matches\nspelt otherwise:\na.rs:1:fn parse_header() {}\n";
    check(&folder, json!({ "pattern": "parseHeader" }), expected);
    check(
        &folder,
        json!({ "pattern": "parse.?Header" }),
        "no matches\n",
    );
}

#[test]
fn path_and_glob_narrow_the_search() {
    let folder = folder();
    for (more, expected) in [
        (json!({ "glob": "*.md" }), "notes.md:1\n1 file\n"),
        (
            json!({ "glob": "src/*.txt", "path": "./src/" }),
            "src/a.txt:2\nsrc/b.txt:1\n2 files\n",
        ),
        (
            json!({ "glob": "*.{md,yml}" }),
            ".github/ci.yml:1\nnotes.md:1\n2 files\n",
        ),
        (
            json!({ "glob": "!*.txt", "path": "src" }),
            "no matches\n0 files\n",
        ),
        (
            json!({ "path": "src/../src" }),
            "src/a.txt:2\nsrc/b.txt:1\n2 files\n",
        ),
        (json!({ "path": "src/a.txt" }), "src/a.txt:2\n1 file\n"),
        (
            json!({ "path": "" }),
            ".github/ci.yml:1\nnotes.md:1\nsrc/a.txt:2\nsrc/b.txt:1\n4 files\n",
        ),
    ] {
        let mut arguments = json!({ "pattern": "needle", "output": "files" });
        let fields = arguments.as_object_mut().expect("an object");
        fields.extend(more.as_object().cloned().unwrap_or_default());
        check(&folder, arguments, expected);
    }
}

#[test]
fn staged_changes_are_searched_and_what_they_replace_is_not() {
    let folder = folder();
    let edit = json!([{ "old_text": "fn needle", "new_text": "fn pin" }]);
    for (tool, arguments) in [
        (
            "edit_section",
            json!({ "path": "src/b.txt", "description": "d", "edits": edit }),
        ),
        (
            "write",
            json!({ "path": "src/new.txt", "description": "d", "content": "needle\n" }),
        ),
        (
            "apply_structured_edits",
            json!({ "changes": [{ "file": "src/a.txt", "description": "d", "strategy": "delete" }] }),
        ),
    ] {
        let output = folder.call(tool, arguments);
        assert!(output.ok, "{}", output.content);
    }
    let search = json!({ "pattern": "needle|pin", "path": "src", "glob": "*.txt" });
    check(
        &folder,
        search,
        "src/b.txt:2:fn pin() {}\nsrc/new.txt:1:needle\n",
    );
    assert!(folder.disk("src/new.txt").is_none());
}

#[test]
fn a_long_answer_is_cut_and_says_so() {
    let folder = Folder::new(&[
        ("a", &"x\n".repeat(3)),
        ("b", &"x\n".repeat(3)),
        ("c", "x\n"),
    ]);
    let hint = "(cut at 4; narrow pattern, path or glob, or raise max to 2000)\n";
    let expected = format!("a:1:x\na:2:x\na:3:x\nb:1:x\n{hint}");
    check(&folder, json!({ "pattern": "x", "max": 4 }), &expected);
    check(
        &folder,
        json!({ "pattern": "x", "max": 7 }),
        "a:1:x\na:2:x\na:3:x\nb:1:x\nb:2:x\nb:3:x\nc:1:x\n",
    );
    let files = folder.call(
        "grep",
        json!({ "pattern": "x", "output": "files", "max": 2 }),
    );
    assert!(
        files.content.starts_with("a:3\nb:3\n(cut at 2; ")
            && files.content.ends_with("\n2 files\n")
    );
    assert_eq!(files.summary, "6 matches in 2 files, cut");
}

#[test]
fn binary_and_huge_files_are_left_out() {
    let folder = Folder::new(&[("a", "x\n")]);
    save(&folder.path("binary"), b"x\0x\n");
    save(&folder.path("huge"), vec![b'x'; 9 << 20]);
    let expected = "a:1:x\n(files over 8 MB not searched: 1)\n";
    check(&folder, json!({ "pattern": "x" }), expected);
}

#[test]
fn what_cannot_be_searched_is_an_answer() {
    let folder = folder();
    for (arguments, expected) in [
        (
            json!({ "pattern": "(" }),
            "error: the pattern is not a regex for single lines: ",
        ),
        (
            json!({ "pattern": "a\nb" }),
            "error: the pattern is not a regex for single lines: ",
        ),
        (
            json!({ "pattern": "a", "glob": "{" }),
            "error: \"{\" is not a glob: ",
        ),
        (json!({ "pattern": "a", "path": "../elsewhere" }), "error: "),
        (json!({ "pattern": "a", "path": "/etc" }), "error: "),
        (json!({ "pattern": "a", "path": "nowhere" }), "error: "),
        (
            json!({}),
            "error: the arguments do not fit: missing field `pattern`",
        ),
    ] {
        let output = folder.call("grep", arguments);
        assert!(!output.ok);
        assert!(output.content.starts_with(expected), "{}", output.content);
    }
}

#[test]
fn patterns_and_globs_that_are_too_large_are_refused() {
    let folder = folder();
    for pattern in [
        "a{1000}{1000}",
        "(a{1000}){1000}",
        "((a{100}){100}){100}",
        r"\w{2000}",
        &"a|".repeat(3_000),
    ] {
        let output = folder.call("grep", json!({ "pattern": pattern }));
        assert!(
            output.content.starts_with("error: the pattern "),
            "{}",
            output.content
        );
    }
    let glob = "{a,b}".repeat(1_000);
    for (tool, glob) in [
        ("grep", json!({ "pattern": "a", "glob": glob })),
        ("find", json!({ "pattern": glob })),
    ] {
        let output = folder.call(tool, glob);
        assert!(
            output.content.starts_with("error: the glob "),
            "{}",
            output.content
        );
    }
}

#[test]
fn a_cancelled_search_ends() {
    let folder = folder();
    folder.stop.stop(Stopped::Cancelled);
    assert!(!folder.call("grep", json!({ "pattern": "x" })).ok);
}
