//! How many edits a second the engine answers, and what the worst ones cost.
//!
//! In: JSON lines as `signoff engine` reads them. Out: times; `items/s` is requests a second.
//! Every answer is made into JSON again, as the command does.

#![expect(
    clippy::unwrap_used,
    reason = "a benchmark may stop at what it did not expect"
)]

#[path = "engine/units.rs"]
mod units;

use std::cell::Cell;
use std::sync::LazyLock;

use divan::counter::{BytesCount, ItemsCount};
use divan::{Bencher, black_box};
use serde_json::{Value, json};
use signoff_core::edit::guard::Guards;
use signoff_core::engine::one_shot;
use signoff_core::syntax::SyntaxCache;

/// What the engine knows of texts that came before, as in a process that goes on.
static CACHE: LazyLock<SyntaxCache> = LazyLock::new(SyntaxCache::default);

fn main() {
    divan::main();
}

/// The size of an everyday file.
const EVERYDAY: usize = 20_000;
/// Files up to this size are parsed.
const LARGE: usize = 1_500_000;

/// More requests than texts are kept of, so that no answer of the round before helps.
const ROUND: usize = 400;

const EDITS: [&str; 10] = [
    "section",
    "section_crlf",
    "section_absent",
    "lines",
    "diff_right",
    "diff_wrong",
    "diff_bare",
    "whole",
    "rename",
    "import",
];

/// One file, another edit each time. At least 1,000 a second of each are wanted.
#[divan::bench(args = EDITS, sample_size = 100)]
fn everyday(bencher: Bencher<'_, '_>, case: &str) {
    let text = program(EVERYDAY);
    let lines = (0..ROUND).map(|turn| edit(&text, case, turn));
    answer_all(bencher, lines.collect());
}

/// Another file each time. At least 1,000 a second of each are wanted.
#[divan::bench(args = EDITS, sample_size = 100)]
fn everyday_on_new_files(bencher: Bencher<'_, '_>, case: &str) {
    let text = program(EVERYDAY);
    let lines = (0..ROUND).map(|turn| edit(&format!("{text}// File {turn}.\n"), case, turn));
    answer_all(bencher, lines.collect());
}

/// Files, whose names tell their languages.
const LANGUAGES: [&str; 9] = [
    "a.rs", "a.ts", "a.tsx", "a.py", "a.go", "a.java", "a.c", "a.yaml", "a.css",
];

/// One file of each language, another name on a line of it each time.
#[divan::bench(args = LANGUAGES, sample_size = 100)]
fn languages(bencher: Bencher<'_, '_>, name: &str) {
    let text = units::text(name, EVERYDAY);
    let lines = (0..ROUND).map(|turn| rewording(name, &text, turn));
    answer_all(bencher, lines.collect());
}

/// The same, another file each time.
#[divan::bench(args = LANGUAGES, sample_size = 100)]
fn languages_on_new_files(bencher: Bencher<'_, '_>, name: &str) {
    let text = units::text(name, EVERYDAY);
    let other = |turn| text.replacen("wanted", &format!("chosen{turn}"), 1);
    let lines = (0..ROUND).map(|turn| rewording(name, &other(turn), turn));
    answer_all(bencher, lines.collect());
}

/// Returns a request that changes a name on one line.
fn rewording(name: &str, text: &str, turn: usize) -> (String, &'static str) {
    let lines = text.match_indices("wanted").count();
    let (at, _) = text
        .match_indices("wanted")
        .nth(turn % lines)
        .unwrap_or_default();
    let from = text.get(..at).unwrap_or_default();
    let number = from.lines().count().max(1);
    let line = text.lines().nth(number - 1).unwrap_or_default();
    let content = [line.replacen("wanted", &format!("chosen_{turn}"), 1)];
    let operation =
        json!({"op": "replace", "startLine": number, "endLine": number, "content": content});
    let change = json!({"lines": {"operations": [operation]}});
    (request(name, text, change), "applied")
}

/// Returns a request for one edit; `turn` makes it another one each time.
fn edit(text: &str, case: &str, turn: usize) -> (String, &'static str) {
    let functions = text.lines().count() / FUNCTION_LINES;
    let at = turn % functions;
    let (old, new) = (
        function(at),
        function(at).replace("total - ", &format!("{turn} + ")),
    );
    let start = at * FUNCTION_LINES + 1;
    let diff =
        |at: Option<usize>| json!({"diff": {"kind": "unified", "patch": patch(at, &old, &new)}});
    let section =
        |old: &str, new: &str| json!({"section": {"edits": [{"old_text": old, "new_text": new}]}});
    let crlf = text.replace('\n', "\r\n");
    let before = if case == "section_crlf" { &crlf } else { text };
    let (change, status) = match case {
        "section" | "section_crlf" => (section(&old, &new), "applied"),
        "section_absent" => (section(&old.replace("rate", "rates"), &new), "not_found"),
        "lines" => {
            let content: Vec<&str> = new.lines().collect();
            let end = start + content.len() - 1;
            let operation =
                json!({"op": "replace", "startLine": start, "endLine": end, "content": content});
            (json!({"lines": {"operations": [operation]}}), "applied")
        }
        "diff_right" => (diff(Some(start)), "applied"),
        "diff_wrong" => (diff(Some(start + 40)), "applied"),
        "diff_bare" => (diff(None), "applied"),
        "whole" => {
            let content = text.replace(&old, &new);
            (json!({"whole": {"content": content}}), "applied")
        }
        "rename" => {
            let to = format!("sum{turn}");
            let line = start + 2;
            let rename =
                json!({"name": "rename_identifier", "from": "total", "to": to, "line": line});
            (recipe(rename), "applied")
        }
        _ => {
            let import = format!("use std::fmt{turn};");
            (
                recipe(json!({"name": "ensure_import", "import": import})),
                "applied",
            )
        }
    };
    (request("src/price.rs", before, change), status)
}

/// A file of one line many times over, and a needle that is there almost everywhere.
#[divan::bench(args = [3, 3_000, 30_000, 300_000], sample_count = 5, sample_size = 1)]
fn ambiguous_in_repetitive_text(bencher: Bencher<'_, '_>, needle: usize) {
    let (text, old) = ("ab\n".repeat(LARGE / 3), "ab\n".repeat(needle / 3));
    let new = format!("{old}c\n");
    let change = json!({"section": {"edits": [{"old_text": old, "new_text": new}]}});
    answer(bencher, &request("a.txt", &text, change), "ambiguous");
}

/// The new text, so many bytes, repeats the old one: each place could be an earlier application.
#[divan::bench(args = [10, 100, 400], sample_count = 3, sample_size = 1)]
fn replace_all_of_what_repeats(bencher: Bencher<'_, '_>, size: usize) {
    let edit = json!({"old_text": "a", "new_text": format!("{}b", "a".repeat(size))});
    let change = json!({"section": {"edits": [edit], "replace_all": true}});
    answer(
        bencher,
        &request("a.txt", &"a".repeat(EVERYDAY), change),
        "applied",
    );
}

/// Old text at so many places of a long last line.
#[divan::bench(args = [1_000, 4_000, 16_000], sample_count = 3, sample_size = 1)]
fn replace_all_in_the_last_line(bencher: Bencher<'_, '_>, places: usize) {
    let text = format!("{}{}", "\n".repeat(places), "a ".repeat(places));
    let edit = json!({"old_text": "a", "new_text": "b"});
    let change = json!({"section": {"edits": [edit], "replace_all": true}});
    answer(bencher, &request("a.txt", &text, change), "applied");
}

/// A patch of so many lines, five to a hunk.
#[divan::bench(args = [1_250, 2_500, 5_000], sample_count = 5, sample_size = 1)]
fn patch_of_many_hunks(bencher: Bencher<'_, '_>, lines: usize) {
    let text: String = (0..lines * 2).map(|n| format!("line {n}\n")).collect();
    let hunk = |n: usize| {
        let at = n * 10;
        let (a, b, c) = (at, at + 1, at + 2);
        format!(
            "@@ -{},3 +{},3 @@\n line {a}\n-line {b}\n+Line {b}\n line {c}\n",
            at + 1,
            at + 1
        )
    };
    let patch: String = (0..lines / 5).map(hunk).collect();
    let change = json!({"diff": {"kind": "unified", "patch": patch}});
    answer(bencher, &request("a.txt", &text, change), "applied");
}

/// The same without numbers.
#[divan::bench(args = [1_250, 2_500, 5_000], sample_count = 5, sample_size = 1)]
fn patch_of_many_bare_hunks(bencher: Bencher<'_, '_>, lines: usize) {
    let text: String = (0..lines * 2).map(|n| format!("line {n}\n")).collect();
    let hunk = |n: usize| {
        let (a, b, c) = (n * 10, n * 10 + 1, n * 10 + 2);
        format!("@@\n line {a}\n-line {b}\n+Line {b}\n line {c}\n")
    };
    let patch: String = (0..lines / 5).map(hunk).collect();
    let change = json!({"diff": {"kind": "unified", "patch": patch}});
    answer(bencher, &request("a.txt", &text, change), "applied");
}

/// The same, in a file whose lines are all alike, so that only the numbers tell.
#[divan::bench(args = [1_250, 2_500, 5_000], sample_count = 3, sample_size = 1)]
fn patch_of_many_hunks_on_equal_lines(bencher: Bencher<'_, '_>, lines: usize) {
    let text = "same\n".repeat(lines * 2);
    let hunk = |n: usize| {
        format!(
            "@@ -{0},3 +{0},3 @@\n same\n-same\n+other\n same\n",
            n * 10 + 1
        )
    };
    let patch: String = (0..lines / 5).map(hunk).collect();
    let change = json!({"diff": {"kind": "unified", "patch": patch}});
    answer(bencher, &request("a.txt", &text, change), "applied");
}

/// A patch whose only hunk has so many lines.
#[divan::bench(args = [1_250, 5_000, 20_000], sample_count = 5, sample_size = 1)]
fn patch_of_one_hunk(bencher: Bencher<'_, '_>, lines: usize) {
    let text: String = (0..lines).map(|n| format!("line {n}\n")).collect();
    let rows: String = (0..lines / 2)
        .map(|n| format!("-line {n}\n+Line {n}\n"))
        .collect();
    let change = json!({"diff": {"kind": "unified", "patch": format!("@@\n{rows}")}});
    answer(bencher, &request("a.txt", &text, change), "applied");
}

/// So many lines, none of which is in the file.
#[divan::bench(args = [5_000, 20_000, 80_000], sample_count = 5, sample_size = 1)]
fn whole_of_unrelated_lines(bencher: Bencher<'_, '_>, lines: usize) {
    let lines = |mark: &str| -> String { (0..lines).map(|n| format!("{mark} {n}\n")).collect() };
    let change = json!({"whole": {"content": lines("new")}});
    answer(bencher, &request("a.txt", &lines("old"), change), "applied");
}

/// So many lines of two sorts, shuffled, so that no line anchors the others.
#[divan::bench(args = [1_000, 5_000, 20_000], sample_count = 5, sample_size = 1)]
fn whole_of_two_sorts_of_line(bencher: Bencher<'_, '_>, lines: usize) {
    let lines = |seed: u32| -> String {
        let next = |state: &mut u32| {
            *state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            Some(if *state >> 31 == 0 { "a\n" } else { "b\n" })
        };
        std::iter::repeat_n((), lines)
            .scan(seed, |state, ()| next(state))
            .collect()
    };
    let change = json!({"whole": {"content": lines(2)}});
    answer(bencher, &request("a.txt", &lines(1), change), "applied");
}

/// A file as large as is still parsed.
#[divan::bench(args = [100_000, 400_000, 1_400_000], sample_count = 5, sample_size = 1)]
fn rename_in_a_large_file(bencher: Bencher<'_, '_>, size: usize) {
    let change =
        recipe(json!({"name": "rename_identifier", "from": "total", "to": "sum", "line": 3}));
    answer(
        bencher,
        &request("src/price.rs", &program(size), change),
        "applied",
    );
}

/// Text that no grammar makes sense of.
#[divan::bench(args = [10_000, 40_000, 160_000], sample_count = 3, sample_size = 1)]
fn rename_in_open_brackets(bencher: Bencher<'_, '_>, size: usize) {
    let text = format!("fn a() {{ {}", "(a[{".repeat(size / 4));
    let change = recipe(json!({"name": "rename_identifier", "from": "a", "to": "b"}));
    answer(bencher, &request("src/open.rs", &text, change), "applied");
}

fn answer(bencher: Bencher<'_, '_>, line: &str, status: &str) {
    check(line, status);
    bencher
        .counter(ItemsCount::new(1_usize))
        .counter(BytesCount::of_str(line))
        .bench(|| serde_json::to_string(&one_shot(&CACHE, black_box(line), Guards::On)).unwrap());
}

/// Answers one line after the other, from the first again after the last.
fn answer_all(bencher: Bencher<'_, '_>, lines: Vec<(String, &str)>) {
    lines.iter().for_each(|(line, status)| check(line, status));
    let turn = Cell::new(0);
    bencher.counter(ItemsCount::new(1_usize)).bench_local(|| {
        let at = turn.replace((turn.get() + 1) % lines.len());
        let (line, _) = black_box(&lines[at]);
        serde_json::to_string(&one_shot(&CACHE, line, Guards::On)).unwrap()
    });
}

fn check(line: &str, status: &str) {
    let got = serde_json::to_value(one_shot(&CACHE, line, Guards::On)).unwrap();
    assert_eq!(
        got.pointer("/status"),
        Some(&Value::from(status)),
        "{:?}",
        got.pointer("/error")
    );
}

fn request(path: &str, before: &str, change: Value) -> String {
    json!({"id": 1, "path": path, "before": before, "change": change}).to_string()
}

fn recipe(recipe: Value) -> Value {
    json!({"recipe": recipe})
}

/// Returns a patch that makes `new` of `old`, line by line.
fn patch(start: Option<usize>, old: &str, new: &str) -> String {
    let count = old.lines().count();
    let head = match start {
        Some(start) => format!("@@ -{start},{count} +{start},{count} @@\n"),
        None => "@@\n".to_owned(),
    };
    let rows = old.lines().zip(new.lines()).map(|(old, new)| {
        if old == new {
            format!(" {old}\n")
        } else {
            format!("-{old}\n+{new}\n")
        }
    });
    head + &rows.collect::<String>()
}

const FUNCTION_LINES: usize = 9;

fn function(number: usize) -> String {
    format!(
        "/// Returns the price of item {number} before tax.\n\
         pub fn price_{number}(count: u32, rate: u32) -> u32 {{\n    \
             let total = count * rate;\n    \
             if total > {number} {{\n        \
                 return total - {number};\n    \
             }}\n    \
             total\n\
         }}\n\n"
    )
}

/// Returns a Rust program of about `size` bytes.
fn program(size: usize) -> String {
    let mut text = String::with_capacity(size + 256);
    for number in 0.. {
        text.push_str(&function(number));
        if text.len() >= size {
            break;
        }
    }
    text
}
