//! A table per guard: what it refuses, what it flags, and what it lets pass.

mod needed;

use std::path::Path;

use super::*;
use crate::edit::diff::lines::difference;

/// Returns the alarms of a change, each as `guard severity line`.
fn alarms(path: &str, before: Option<&str>, after: &str, strategy: Strategy) -> Vec<String> {
    let path = WorkspacePath::parse(path, Path::new("/w")).unwrap();
    let (before, after) = (before.map(Source::new), Source::new(after));
    let edits = difference(&before.clone().unwrap_or(Source::new("")), &after);
    inspect(
        &SyntaxCache::default(),
        &path,
        before.as_ref(),
        Some(&after),
        &edits,
        strategy,
    )
    .iter()
    .map(|alarm| {
        let severity = if alarm.refuses() { "refuse" } else { "warn" };
        format!("{} {severity} {}", alarm.guard.name(), alarm.line)
    })
    .collect()
}

fn check(path: &str, before: &str, after: &str, expected: &[&str]) {
    assert_eq!(
        alarms(path, Some(before), after, Strategy::Section),
        expected,
        "{after}"
    );
}

/// Checks a line that is added between two others.
fn added(path: &str, line: &str, expected: &[&str]) {
    check(path, "a\nb\n", &format!("a\n{line}\nb\n"), expected);
}

#[test]
fn syntax_errors_are_refused_or_flagged() {
    check("a.rs", "fn a() {}\n", "fn a() {\n", &["syntax refuse 1"]);
    check("a.rs", "fn a() {\n", "fn a() {\n\n", &[]);
    check(
        "a.py",
        "def a():\n    b()\n",
        "def a():\n    b()\n  c()\n",
        &["syntax refuse 3", "syntax refuse 4"],
    );
    check("a.json", "{}\n", "{\"a\": }\n", &["syntax refuse 1"]);
    check("a.html", "<p>a</p>\n", "<p <a</p>\n", &["syntax warn 1"]);
    check("a.txt", "a\n", "a {\n", &[]);
    check("invalid/a.json", "{}\n", "{\n", &["syntax warn 2"]);
    assert_eq!(
        alarms("a.rs", None, "fn a( {}\n", Strategy::Whole),
        ["syntax refuse 1"]
    );
    assert_eq!(
        alarms("a.rs", None, "fn a() {}\n", Strategy::Whole),
        [""; 0]
    );
}

#[test]
fn signs_written_as_in_a_page_are_refused() {
    let added = |path: &str, line: &str, expected: &[&str]| {
        let (head, tail) = match path {
            "a.py" => ("def f():\n    b()\n", ""),
            "a.go" => ("package a\n\nfunc f() {\n", "}\n"),
            "a.rs" => ("fn f() {\n", "}\n"),
            _ => ("void f() {\n", "}\n"),
        };
        let before = format!("{head}{tail}");
        check(path, &before, &format!("{head}{line}\n{tail}"), expected);
    };
    added("a.rs", "    let c = a &lt; 2;", &["escape refuse 2"]);
    added("a.rs", "    let c = \"a &lt; 2\"; // &gt;", &[]);
    added(
        "a.rs",
        "    let lt = 1; let c = a &lt; x();",
        &["escape warn 2"],
    );
    added("a.rs", "    c(&lt);", &[]);
    added("a.rs", "    x!(a &amp;&amp; b);", &["escape refuse 2"]);
    added("a.py", "    c = a &gt; 2", &["escape refuse 3"]);
    added("a.go", "\tc := a &lt; 2", &["escape refuse 4"]);
    added("a.c", "  int c = a &lt; 2;", &["escape refuse 2"]);
    added("a.c", "  return &lt;", &["escape warn 2"]);
    check(
        "a.tsx",
        "x = 1;\n",
        "x = 1;\ny = <a>b &lt; c &amp; d</a>;\n",
        &[],
    );
    check("a.html", "<p>a</p>\n", "<p>a</p>\n<p>&lt;</p>\n", &[]);
    check(
        "a.js",
        "x = 1;\n",
        "x = 1;\ny = a &lt; b;\n",
        &["escape refuse 2"],
    );
}

#[test]
fn a_comment_that_stands_for_code_is_refused() {
    for line in [
        "// ... existing code ...",
        "// ...existing code...",
        "// rest of the code",
        "// Rest of the implementation remains unchanged",
        "    // ... rest of the function ...",
        "/* existing imports unchanged */",
        "// … remaining methods",
        "// (unchanged)",
        "foo(); // ... rest of the code",
        "// other methods omitted for brevity",
        "// keep the existing code as is",
        "// ... other methods stay the same ...",
    ] {
        added(
            "a.x",
            line,
            if line.starts_with("foo") {
                &[]
            } else {
                &["placeholder refuse 2"]
            },
        );
        let text = |line: &str| format!("fn a() {{\n{line}\n}}\n");
        check(
            "a.rs",
            &text(""),
            &text(line).replace("foo();", "let foo = 1;"),
            &["placeholder refuse 2"],
        );
    }
    check(
        "a.py",
        "a()\n",
        "a()\n# ... rest of the file ...\n",
        &["placeholder refuse 2"],
    );
    check(
        "a.tsx",
        "<a>\n</a>;\n",
        "<a>\n{/* ... existing code ... */}\n</a>;\n",
        &["placeholder refuse 2"],
    );
    check(
        "a.html",
        "<p></p>\n",
        "<p></p>\n<!-- rest of the page unchanged -->\n",
        &["placeholder refuse 2"],
    );
    check(
        "a.md",
        "a\n",
        "a\n\n... rest of the document unchanged ...\n",
        &["placeholder refuse 3"],
    );
    for line in [
        "[rest of the document unchanged]",
        "(The rest of the file stays the same.)",
        "<remaining sections omitted>",
    ] {
        for path in ["a.md", "a.txt", "a.html"] {
            added(path, line, &["placeholder refuse 2"]);
        }
    }
    check(
        "a.css",
        "a{}\n",
        "a{}\n...\n",
        &["syntax warn 2", "placeholder refuse 2"],
    );
    check(
        "a.rs",
        "fn a() {}\n",
        "fn a() {}\n// ...\n",
        &["placeholder warn 2"],
    );
}

#[test]
fn what_only_sounds_like_a_placeholder_passes() {
    for line in [
        "// TODO: implement",
        "// leaves the rest of the file unchanged, which callers rely on when they hold a lock",
        "// Waits for existing connections to drain...",
        "// The rest of the code assumes that this holds",
        "// remaining bytes",
        "// Returns the text unchanged",
        "// existing users",
        "let a = \"... existing code ...\";",
        "let a = b[..];",
        "/// Loads the remaining items...",
    ] {
        let text = |line: &str| format!("fn a() {{\n{line}\nb();\n}}\n");
        check("a.rs", &text(""), &text(line), &[]);
    }
    for line in [
        "  ...rest",
        "  ...rest,",
        "  ...existing.items,",
        "  ...(other && more),",
        "  ...otherItems",
    ] {
        let text = |line: &str| format!("const a = {{\n{line}\n}};\n");
        check("a.ts", &text(""), &text(line), &[]);
    }
    for line in [
        "[unchanged]",
        "[all other options](options.md)",
        "(the rest of the file is read later)",
        "The rest of the file stays the same.",
    ] {
        added("a.md", line, &[]);
    }
    check("a.js", "a;\n", "/**\n * ...\n */\na;\n", &[]);
    check("a.py", "def a():\n    b()\n", "def a():\n    ...\n", &[]);
    check(
        "a.rs",
        "fn a() {}\n// ... existing code ...\n",
        "fn b() {}\n// ... existing code ...\n",
        &[],
    );
    check(
        "a.rs",
        "fn a() {\n// ... existing code ...\n}\n",
        "fn a() {\n    // ... existing code ...\n}\n",
        &[],
    );
    check(
        "a.rs",
        "fn a() {} // ... existing code ...\n",
        "fn a(b: u8) {} // ... existing code ...\n",
        &[],
    );
}

#[test]
fn conflict_markers_are_refused() {
    check(
        "a.txt",
        "a\n",
        "<<<<<<< HEAD\na\n=======\nb\n>>>>>>> c\n",
        &["conflict refuse 1", "conflict refuse 5"],
    );
    check(
        "a.txt",
        "<<<<<<< HEAD\na\n=======\nb\n>>>>>>> c\n",
        "a\n",
        &[],
    );
    check("a.txt", "<<<<<<< HEAD\na\n", "<<<<<<< HEAD\nb\n", &[]);
    added("a.md", "Title\n=======", &[]);
    added("a.txt", "<<<<<<<<<<", &[]);
    added("a.txt", "+++++++ REPLACE", &["conflict refuse 2"]);
}

#[test]
fn leftover_prefixes_are_refused() {
    let rust = |lines: &str| format!("fn a() {{\n{lines}}}\n");
    check(
        "a.rs",
        &rust(""),
        &rust("+ 1;\n+ 2;\n"),
        &["syntax refuse 2", "prefix refuse 2"],
    );
    check(
        "a.js",
        "a();\n",
        "a();\n+b();\n+c();\n",
        &["prefix refuse 2"],
    );
    check("a.js", "a();\n", "a();\n+b();\n", &["prefix warn 2"]);
    check("a.js", "a\n", "a\n    + b\n    + c\n", &[]);
    check("a.yaml", "- a\n", "- a\n- b\n- c\n", &[]);
    check("a.md", "a\n", "a\n\n+ b\n+ c\n", &[]);
    check("a.diff", "a\n", "a\n+b\n+c\n", &[]);
    check("a.txt", "a\n+b\n", "a\n+b\n+c\n+d\n", &[]);
    check(
        "a.js",
        "a();\n",
        "a();\n@@ -1,2 +1,2 @@\nb();\n",
        &["syntax refuse 2", "prefix refuse 2"],
    );
}

#[test]
fn line_numbers_are_refused() {
    check(
        "a.js",
        "a();\n",
        "a();\n     2\tb();\n     3\tc();\n",
        &["syntax refuse 2", "prefix refuse 2"],
    );
    check(
        "a.css",
        "a{}\n",
        "a{}\n2 | b{}\n3 | c{}\n",
        &["syntax warn 2", "syntax warn 3", "prefix refuse 2"],
    );
    check("a.txt", "a\n", "a\n2|b\n3|c\n", &["prefix warn 2"]);
    check(
        "a.py",
        "x = {\n}\n",
        "x = {\n    7: 'a',\n    8: 'b',\n}\n",
        &[],
    );
    check("a.tsv", "a\n", "a\n7\tb\n9\tc\n", &[]);
    check("a.js", "a();\n", "a();\n1;\n", &[]);
}

#[test]
fn large_deletions_and_lost_symbols_are_flagged() {
    let many = |count: usize| {
        (0..count)
            .map(|n| format!("line {n}\n"))
            .collect::<String>()
    };
    check("a.txt", &many(30), &many(14), &["deletion warn 15"]);
    check("a.txt", &many(30), &many(16), &[]);
    check("a.txt", &many(20), &many(2), &[]);
    check("a.txt", &many(1000), &many(790), &["deletion warn 791"]);
    assert_eq!(
        alarms("a.txt", Some(&many(30)), &many(2), Strategy::Whole),
        ["deletion warn 3"]
    );
    assert_eq!(
        alarms("a.txt", Some(&many(30)), &many(14), Strategy::Whole),
        [""; 0]
    );
    let unsaid = format!("{}[rest of the document unchanged]\n", many(2));
    assert_eq!(
        alarms("a.md", Some(&many(30)), &unsaid, Strategy::Whole),
        ["deletion refuse 3", "placeholder refuse 3"]
    );
    let elided = format!("{}# ...\n", many(2));
    assert_eq!(
        alarms("a.txt", Some(&many(30)), &elided, Strategy::Whole),
        ["deletion refuse 3", "placeholder warn 3"]
    );
    let before = "struct A;\nimpl A {\n    fn b() {}\n    pub fn c() {}\n}\n";
    check(
        "a.rs",
        before,
        "struct A;\nimpl A {\n    fn b() {}\n}\n",
        &["deletion warn 4"],
    );
    check(
        "a.rs",
        before,
        "struct A;\nimpl A {\n    pub fn c() {}\n    fn b() {}\n}\n",
        &[],
    );
    assert_eq!(
        alarms("a.rs", Some(before), "struct A;\n", Strategy::Recipe),
        [""; 0]
    );
}

#[test]
fn an_empty_text_is_refused_unless_it_was_asked_for() {
    check("a.txt", "a\n", "", &["empty refuse 1"]);
    check("a.txt", "a\n", " \n", &["empty refuse 1"]);
    check("a.txt", "\n", "", &[]);
    assert_eq!(alarms("a.txt", Some("a\n"), "", Strategy::Lines), [""; 0]);
    assert_eq!(alarms("a.txt", None, "", Strategy::Whole), [""; 0]);
}

#[test]
fn an_alarm_says_who_where_and_what() {
    let path = WorkspacePath::parse("a.rs", Path::new("/w")).unwrap();
    let (before, after) = (
        Source::new("fn a() {}\n"),
        Source::new("fn a() { let x = ; }\n"),
    );
    let alarms = inspect(
        &SyntaxCache::default(),
        &path,
        Some(&before),
        Some(&after),
        &difference(&before, &after),
        Strategy::Whole,
    );
    assert_eq!(
        refusal(&alarms).unwrap(),
        "line 1, column 18: new syntax error: expected an expression [syntax]; \
         the line: `fn a() { let x = ; }`"
    );
}
