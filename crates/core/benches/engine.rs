//! How many edits a second the engine answers, and what the worst ones cost.
//!
//! In: JSON lines as `signoff engine` reads them. Out: times; `items/s` is requests a second.
//! Every answer is made into JSON again, as the command does.

#![expect(
    clippy::unwrap_used,
    reason = "a benchmark may stop at what it did not expect"
)]

use divan::counter::{BytesCount, ItemsCount};
use divan::{Bencher, black_box};
use serde_json::{Value, json};
use signoff_core::engine::one_shot;
use signoff_core::guard::Guards;

fn main() {
    divan::main();
}

/// The size of an everyday file.
const EVERYDAY: usize = 20_000;
/// Files up to this size are parsed.
const LARGE: usize = 1_500_000;

/// At least 1,000 a second of each are wanted.
#[divan::bench(args = [
    "section", "section_crlf", "section_absent", "lines", "diff_right", "diff_wrong", "diff_bare",
    "whole", "rename", "import",
])]
fn everyday(bencher: Bencher<'_, '_>, case: &str) {
    let text = program(EVERYDAY);
    let middle = text.lines().count() / FUNCTION_LINES / 2;
    let (old, new) = (
        function(middle),
        function(middle).replace("total - ", "total + "),
    );
    let start = middle * FUNCTION_LINES + 1;
    let diff =
        |at: Option<usize>| json!({"diff": {"kind": "unified", "patch": patch(at, &old, &new)}});
    let section =
        |old: &str, new: &str| json!({"section": {"edits": [{"old_text": old, "new_text": new}]}});
    let (before, change, status) = match case {
        "section" => (text, section(&old, &new), "applied"),
        "section_crlf" => (text.replace('\n', "\r\n"), section(&old, &new), "applied"),
        "section_absent" => (
            text,
            section(&old.replace("rate", "rates"), &new),
            "not_found",
        ),
        "lines" => {
            let content: Vec<&str> = new.lines().collect();
            let end = start + content.len() - 1;
            let operation =
                json!({"op": "replace", "startLine": start, "endLine": end, "content": content});
            (
                text,
                json!({"lines": {"operations": [operation]}}),
                "applied",
            )
        }
        "diff_right" => (text, diff(Some(start)), "applied"),
        "diff_wrong" => (text, diff(Some(start + 40)), "applied"),
        "diff_bare" => (text, diff(None), "applied"),
        "whole" => {
            let content = text.replace(&old, &new);
            (text, json!({"whole": {"content": content}}), "applied")
        }
        "rename" => (
            text,
            recipe(json!({"name": "rename_identifier", "from": "total", "to": "sum"})),
            "applied",
        ),
        _ => (
            text,
            recipe(json!({"name": "ensure_import", "import": "use std::fmt;"})),
            "applied",
        ),
    };
    let line = request("src/price.rs", &before, change);
    answer(bencher, &line, status);
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
#[divan::bench(args = [10, 100, 1_000], sample_count = 3, sample_size = 1)]
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
    let change = recipe(json!({"name": "rename_identifier", "from": "total", "to": "sum"}));
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
    let got = serde_json::to_value(one_shot(line, Guards::On)).unwrap();
    assert_eq!(
        got.pointer("/status"),
        Some(&Value::from(status)),
        "{:?}",
        got.pointer("/error")
    );
    bencher
        .counter(ItemsCount::new(1_usize))
        .counter(BytesCount::of_str(line))
        .bench(|| serde_json::to_string(&one_shot(black_box(line), Guards::On)).unwrap());
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
    let rows = old
        .lines()
        .zip(new.lines())
        .map(|(old, new)| match old == new {
            true => format!(" {old}\n"),
            false => format!("-{old}\n+{new}\n"),
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
