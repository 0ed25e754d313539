//! Changes that guards let pass: what nothing needs, errors that moved, and files that become empty on
//! purpose.

use super::*;

#[test]
fn a_definition_that_nothing_needs_may_go() {
    let gone = |path: &str, before: &str, after: &str, expected: &[&str]| {
        check(path, before, after, expected);
    };
    gone("a.rs", "fn b() {}\nfn a() {}\n", "fn b() {}\n", &[]);
    gone(
        "a.rs",
        "fn b() {\n    a();\n}\n\nfn a() {}\n",
        "fn b() {\n    a();\n}\n",
        &["deletion warn 5"],
    );
    gone(
        "a.rs",
        "fn b() {}\npub fn a() {}\n",
        "fn b() {}\n",
        &["deletion warn 2"],
    );
    gone(
        "a.py",
        "x = 1\n\n\ndef a():\n    pass\n",
        "x = 1\n",
        &["deletion warn 4"],
    );
    gone("a.py", "x = 1\n\n\ndef _a():\n    pass\n", "x = 1\n", &[]);
    gone("a.ts", "foo();\nfunction a() {}\n", "foo();\n", &[]);
    gone(
        "a.ts",
        "foo();\nexport function a() {}\n",
        "foo();\n",
        &["deletion warn 2"],
    );
    gone("a.go", "package a\n\nfunc b() {}\n", "package a\n", &[]);
    gone(
        "a.go",
        "package a\n\nfunc B() {}\n",
        "package a\n",
        &["deletion warn 3"],
    );
    // It has another place, or another of the name is left.
    gone(
        "a.ts",
        "function load() {}\nclass A {\n}\nload();\n",
        "class A {\n  load() {}\n}\nload();\n",
        &[],
    );
    // Another type's.
    gone(
        "a.rs",
        "struct A;\nimpl A {\n    fn new() {}\n    fn b() {}\n}\nfn c() {\n    Vec::new();\n}\n",
        "struct A;\nimpl A {\n    fn b() {}\n}\nfn c() {\n    Vec::new();\n}\n",
        &[],
    );
}

#[test]
fn an_error_that_moved_is_not_new() {
    let conflict = |name: &str| {
        format!(
            "<<<<<<< HEAD\nfn {name}() {{ 1; }}\n=======\nfn {name}() {{ 2; }}\n>>>>>>> other\n"
        )
    };
    let before = format!(
        "fn x() {{}}\n{}fn y() {{}}\n{}",
        conflict("a"),
        conflict("b")
    );
    let first = before.replace(&conflict("a"), "fn a() { 1; }\n");
    check("a.rs", &before, &first, &[]);
    check(
        "a.rs",
        &before,
        &first.replace(&conflict("b"), "fn b() {}\n"),
        &[],
    );
    let class = |name: &str| {
        format!(
            "<<<<<<< HEAD\n    def {name}(self):\n        return 1\n=======\n    def {name}(self):\n        return 2\n>>>>>>> other\n"
        )
    };
    let before = format!("class A:\n    x = 1\n\n{}\n{}", class("a"), class("b"));
    let after = before.replace(&class("a"), "    def a(self):\n        return 3\n");
    check("a.py", &before, &after, &[]);
    let before = "{\n<<<<<<< HEAD\n  \"a\": 1,\n=======\n  \"a\": 2,\n>>>>>>> other\n  \"b\": 1,\n<<<<<<< HEAD\n  \"c\": 1\n=======\n  \"c\": 2\n>>>>>>> other\n}\n";
    let after = before.replacen(
        "<<<<<<< HEAD\n  \"a\": 1,\n=======\n  \"a\": 2,\n>>>>>>> other\n",
        "  \"a\": 2,\n",
        1,
    );
    check("a.json", before, &after, &[]);
    // Fewer errors than before.
    check(
        "a.py",
        "x = (\ny = [\nz = 1\n",
        "x = ()\ny = [\nz = 1\n",
        &[],
    );
    check(
        "a.js",
        "let a = ;\nlet b = ;\nlet c = 1;\n",
        "let a = 1;\nlet b = ;\nlet c = 1;\n",
        &[],
    );
}

#[test]
fn a_file_becomes_empty_where_the_request_says_so() {
    let asked = |description: &str, content: &str| {
        asks_for_empty(&Change {
            file: "a.txt".into(),
            description: Some(description.into()),
            operation: None,
            request: crate::edit::request::Request::Whole(crate::edit::request::WholeRequest {
                content: content.into(),
                placement: crate::edit::request::WholePlacement::Everything,
            }),
            expected: None,
        })
    };
    assert!(asked("Empty the changelog for the next release", ""));
    assert!(asked("clear the file", "\n"));
    assert!(!asked("add a section", ""));
    assert!(!asked("handle the empty list", "x"));
    let path = WorkspacePath::parse("a.txt", Path::new("/w")).unwrap();
    let (before, after) = (Source::new("a\n"), Source::new(""));
    let edits = difference(&before, &after);
    let cache = SyntaxCache::default();
    let mut alarms = inspect(
        &cache,
        &path,
        Some(&before),
        Some(&after),
        &edits,
        Strategy::Whole,
    );
    assert!(refusal(&alarms).is_some());
    accept_empty(&mut alarms);
    assert_eq!((refusal(&alarms), alarms.len()), (None, 1));
}
