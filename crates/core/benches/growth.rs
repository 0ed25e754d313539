//! How the time of long and odd inputs grows with their size.
//!
//! In: for each case a file and a change of a size, and of four times that. Out: times of requests
//! as `signoff engine` reads them, guards on. With `table` as its argument, one row for each case
//! (or for those that have the next argument in their names), with how many times longer four times
//! as much takes: about 4 where nothing is looked at again and again. Rows of comments are in most
//! of the files since they are the one thing that tree-sitter keeps flat, however many there are.

#![expect(clippy::print_stdout, reason = "a benchmark prints what it found")]

#[path = "growth/long_lines.rs"]
mod long_lines;
#[path = "growth/staged.rs"]
mod staged;

use std::fmt;
use std::sync::LazyLock;
use std::time::{Duration, Instant};

use divan::{Bencher, black_box};
use serde_json::{Value, json};
use signoff_core::edit::guard::Guards;
use signoff_core::engine::one_shot;
use signoff_core::syntax::SyntaxCache;

/// What the engine knows of texts that came before, as in a process that goes on.
static CACHE: LazyLock<SyntaxCache> = LazyLock::new(SyntaxCache::default);

/// The larger of the two sizes, in lines or so.
const LARGE: usize = 40_000;

/// The larger number of lines of a file that is rewritten.
const STAGED: usize = 400_000;

/// The larger number of files that a program leaves.
const FILES: usize = 8_000;

/// The larger number of folders around a file that a program leaves.
const DEPTH: usize = 800;

/// What takes longer is measured once.
const SLOW: Duration = Duration::from_secs(1);

fn main() {
    let arguments: Vec<String> = std::env::args().collect();
    match arguments.iter().position(|argument| argument == "table") {
        Some(at) => table(arguments.get(at + 1).map_or("", String::as_str)),
        None => divan::main(),
    }
}

/// Makes the text before and the change, of a size.
type Make = fn(usize) -> (String, Value);

struct Case {
    name: &'static str,
    path: &'static str,
    make: Make,
}

#[rustfmt::skip]
const CASES: &[Case] = &[
    case("wrap_call, below comments", "a.ts", |n| (remarks(n) + &"f(1);\n".repeat(n), recipe(json!({"name": "wrap_call", "call": "f", "with": "g", "all": true})))),
    case("wrap_call, comments between", "a.ts", |n| ("f(1); // x\n".repeat(n), recipe(json!({"name": "wrap_call", "call": "f", "with": "g", "all": true})))),
    case("wrap_call, within a macro", "a.rs", |n| (format!("m!{{{}}}\n", "f(1); ".repeat(n)), recipe(json!({"name": "wrap_call", "call": "f", "with": "g", "all": true})))),
    case("delete_symbol, comments above", "a.rs", |n| (format!("fn g() {{}}\n{}fn f() {{}}\n", remarks(n)), recipe(json!({"name": "delete_symbol", "symbol": "f"})))),
    case("delete_symbol, overloads", "a.py", |n| ("x = 1\n".repeat(n) + &"@overload\ndef f(a): ...\n".repeat(n / 4) + "def f(): pass\n", recipe(json!({"name": "delete_symbol", "symbol": "f"})))),
    case("delete_symbol, many of the name", "a.py", |n| ("def f(a): ...\n".repeat(n), recipe(json!({"name": "delete_symbol", "symbol": "f", "line": n / 2})))),
    case("replace_symbol_body, decorators", "a.py", |n| ("@d\n".repeat(n) + "def f(): pass\n", recipe(json!({"name": "replace_symbol_body", "symbol": "f", "code": "@d\ndef f(): return 1\n"})))),
    case("add_function, comments above", "a.rs", |n| (remarks(n) + "fn f() {}\n", recipe(json!({"name": "add_function", "code": "fn g() {}", "before": "f"})))),
    case("ensure_import, long list", "a.rs", |n| (format!("use a::{{{}}};\n", names(n)), recipe(json!({"name": "ensure_import", "import": "a::z"})))),
    case("ensure_import, many lines", "a.ts", |n| ("import { f } from 'a';\n".repeat(n), recipe(json!({"name": "ensure_import", "import": "import { z } from 'b';"})))),
    case("rename_identifier, one name", "a.ts", |n| (format!("let a;{}\n", "a;".repeat(n)), recipe(json!({"name": "rename_identifier", "from": "a", "to": "b"})))),
    case("rename_identifier, paths in a macro", "a.rs", |n| (format!("fn f(a: u8) {{ m!({}); }}\n", "a :: ".repeat(n)), recipe(json!({"name": "rename_identifier", "from": "a", "to": "b"})))),
    case("rename_identifier, open braces", "a.rs", |n| (format!("fn f(a: u8) {{ println!(\"{}\"); }}\n", "{a".repeat(n)), recipe(json!({"name": "rename_identifier", "from": "a", "to": "b"})))),
    case("rename_identifier, many scopes", "a.rs", |n| (format!("fn f(a: u8) {{ {}a }}\n", "let a = a; ".repeat(n / 4)), recipe(json!({"name": "rename_identifier", "from": "a", "to": "b", "all": true})))),
    case("query, insert before", "a.rs", |n| (remarks(n) + &"fn f() {}\n".repeat(n / 2), ast(json!({"query": "(function_item) @f", "action": "insert", "position": "before", "template": "#[a]"})))),
    case("query, insert at the start", "a.rs", |n| (remarks(n) + &"fn f() {\n}\n".repeat(n / 2), ast(json!({"query": "(function_item) @f", "action": "insert", "position": "start", "template": "x();"})))),
    case("query, delete", "a.rs", |n| (format!("{}fn g() {{}}\n{}", remarks(n), "fn f() {}\n".repeat(n / 2)), ast(json!({"query": "((function_item name: (identifier) @n) @f (#eq? @n \"f\"))", "capture": "f", "action": "delete"})))),
    case("query, delete in one line", "a.ts", |n| (format!("{}g();\n", "f(1);".repeat(n)), ast(json!({"query": "((call_expression function: (identifier) @n) @f (#eq? @n \"f\"))", "capture": "f", "action": "delete"})))),
    case("query, delete in a list", "a.json", |n| (format!("[{}true]\n", "1,".repeat(n)), ast(json!({"query": "(number) @f", "action": "delete"})))),
    case("struct, metavariables", "a.rs", |n| (format!("{}fn g() {{{}}}\n", remarks(n), "f(1);\n".repeat(n)), json!({"struct": {"pattern": "f($A)", "replacement": "h($A)"}}))),
    case("struct, holes", "a.rs", |n| (format!("{}fn g() {{{}}}\n", remarks(n), "f(1);\n".repeat(n)), json!({"struct": {"pattern": "f(:[a])", "replacement": "h(:[a])"}}))),
    case("struct, nothing closes", "a.rs", |n| ("f(a, ".repeat(n), json!({"struct": {"pattern": "f(:[a], :[b], :[c]);", "replacement": "g()"}}))),
    case("struct, regular expressions", "a.txt", |n| ("aaaa ".repeat(n), json!({"struct": {"pattern": ":[a~a+]:[b~a+]c", "replacement": "g()"}}))),
    case("section, many pairs", "a.ts", |n| (lines(n), json!({"section": {"edits": (0..n / 40).map(|k| json!({"old_text": line(9 * k), "new_text": line(9 * k) + " // y"})).collect::<Vec<_>>()}}))),
    case("section, many loose pairs", "a.ts", |n| (lines(n), json!({"section": {"edits": (0..n / 40).map(|k| json!({"old_text": format!("  {}\n  {}", line(9 * k), line(9 * k + 1)), "new_text": format!("  {} // y\n  {}", line(9 * k), line(9 * k + 1))})).collect::<Vec<_>>()}}))),
    case("unified, many hunks", "a.ts", |n| (lines(n), json!({"diff": {"patch": hunks(n, "")}}))),
    case("unified, many loose hunks", "a.ts", |n| (lines(n), json!({"diff": {"patch": hunks(n, "\t")}}))),
    case("whole, calls that nothing closes", "a.ts", |n| (String::new(), whole("f(a;\n".repeat(n)))),
    case("whole, Rust that is none", "a.rs", |n| (String::new(), whole(remarks(n) + &"fn f(a {\n".repeat(n)))),
    case("whole, C that is none", "a.c", |n| (String::new(), whole(format!("{}int a[] = {{{}", remarks(n), "(1),".repeat(n))))),
    case("whole, Go that is none", "a.go", |n| (String::new(), whole(format!("package a\n{}{}", remarks(n), "func f( { a := \n".repeat(n))))),
    case("whole, Java that is none", "A.java", |n| (String::new(), whole(remarks(n) + &"class A { void f( { super(); this();\n".repeat(n)))),
    case("whole, JSON that is none", "a.json", |n| (String::new(), whole("[{\"a\":".repeat(n)))),
    case("whole, YAML that is none", "a.yaml", |n| (String::new(), whole("a: [\n".repeat(n)))),
    case("whole, Bash that is none", "a.sh", |n| (String::new(), whole("if [ ( $( \n".repeat(n)))),
    case("whole, markers below comments", "a.ts", |n| (String::new(), whole(remarks(n) + &"a;\n<<<<<<< b\nc;\nd;\n".repeat(n / 4)))),
    case("Go, comments in a list", "a.go", |n| (format!("package a\n\nvar a = []int{{\n1,\n{}}}\n", remarks(n)), edit("var a", "var b"))),
    case("Java, comments in a method", "A.java", |n| (format!("class A {{ void f(int a) {{\n{}{}}} }}\n", remarks(n), "g(a);\n".repeat(n)), edit("f(int a)", "f(int b)"))),
];

const fn case(name: &'static str, path: &'static str, make: Make) -> Case {
    Case { name, path, make }
}

/// Prints the cases that have `part` in their names.
fn table(part: &str) {
    println!("{:48} {:>9} {:>9} {:>7}", "", "ms", "ms of 4x", "times");
    let cases = CASES.iter().chain(long_lines::CASES);
    for case in cases.filter(|case| case.name.contains(part)) {
        let (small, large) = (taken(case, LARGE / 4), taken(case, LARGE));
        let times = large.as_secs_f64() / small.as_secs_f64();
        let (small, large) = (millis(small), millis(large));
        println!("{:48} {small:>9.1} {large:>9.1} {times:>7.1}", case.name);
    }
    if "staged".contains(part) {
        staged_table();
    }
}

/// Prints what the calls of turns take while a large change waits.
fn staged_table() {
    staged_rows(staged::turns(STAGED / 4), staged::turns(STAGED));
    staged_rows(staged::files(FILES / 4), staged::files(FILES));
    staged_rows(staged::deep_file(DEPTH / 4), staged::deep_file(DEPTH));
}

fn staged_rows(
    small: Result<staged::Timed, staged::Failure>,
    large: Result<staged::Timed, staged::Failure>,
) {
    match (small, large) {
        (Ok(small), Ok(large)) => {
            for ((name, small), (_, large)) in small.into_iter().zip(large) {
                let times = large.as_secs_f64() / small.as_secs_f64();
                let (small, large) = (millis(small), millis(large));
                println!("{name:48} {small:>9.1} {large:>9.1} {times:>7.1}");
            }
        }
        (Err(error), _) | (_, Err(error)) => println!("staged: {error}"),
    }
}

#[expect(clippy::disallowed_methods, reason = "a benchmark has a clock")]
fn taken(case: &Case, size: usize) -> Duration {
    let of = |turn: usize| {
        // Another size each time, so that nothing is known from the time before.
        let line = case.line(size + turn);
        let start = Instant::now();
        drop(black_box(one_shot(&CACHE, black_box(&line), Guards::On)));
        start.elapsed()
    };
    let first = of(0);
    if first > SLOW {
        first
    } else {
        (1..3).map(of).fold(first, Duration::min)
    }
}

fn millis(time: Duration) -> f64 {
    time.as_secs_f64() * 1000.0
}

#[divan::bench(args = CASES, sample_count = 3, sample_size = 1)]
fn growth(bencher: Bencher<'_, '_>, case: &Case) {
    let line = case.line(LARGE / 4);
    bencher.bench(|| one_shot(&CACHE, black_box(&line), Guards::On));
}

impl Case {
    fn line(&self, size: usize) -> String {
        let (before, mut change) = (self.make)(size);
        change["file"] = json!(self.path);
        let before = (!before.is_empty()).then_some(before);
        json!({"id": 1, "path": self.path, "before": before, "change": change}).to_string()
    }
}

impl fmt::Display for Case {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name)
    }
}

fn recipe(recipe: Value) -> Value {
    json!({"recipe": recipe})
}

fn ast(ast: Value) -> Value {
    json!({"ast": ast})
}

fn whole(content: String) -> Value {
    json!({"whole": {"content": content}})
}

fn edit(old: &str, new: &str) -> Value {
    json!({"section": {"edits": [{"old_text": old, "new_text": new}]}})
}

fn remarks(count: usize) -> String {
    "// x\n".repeat(count)
}

fn names(count: usize) -> String {
    (0..count).map(|number| format!("n{number}, ")).collect()
}

fn line(number: usize) -> String {
    format!("const v{number} = {{ a: {number} }};")
}

fn lines(count: usize) -> String {
    (0..count).map(|number| line(number) + "\n").collect()
}

/// A hunk every ninth line, one for 40 lines of the file.
fn hunks(count: usize, indent: &str) -> String {
    let hunk = |k: usize| {
        let at = 9 * k;
        let [before, old, after] =
            [at, at + 1, at + 2].map(|number| indent.to_owned() + &line(number));
        format!(
            "@@ -{0},3 +{0},3 @@\n {before}\n-{old}\n+{old} // y\n {after}\n",
            at + 1
        )
    };
    (0..count / 40).map(hunk).collect()
}
