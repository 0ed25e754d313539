//! What finding and splicing cost by size.
//!
//! In: files of several sizes and one change of each form. Out: times without guards, of a
//! request as `signoff engine` reads it; a queried file also with them, cold and warm.

#![expect(
    clippy::unwrap_used,
    clippy::expect_used,
    reason = "a benchmark may stop at what it did not expect"
)]

#[path = "engine/units.rs"]
mod units;

use std::cell::Cell;

use divan::counter::BytesCount;
use divan::{Bencher, black_box};
use serde_json::{Value, json};
use signoff_core::engine::{Status, one_shot};
use signoff_core::guard::Guards;

fn main() {
    divan::main();
}

/// Four sizes, each twice the one before, and the largest that is wanted.
const SIZES: [usize; 5] = [50_000, 100_000, 200_000, 400_000, 1_500_000];

/// 1 ms at 200 KB.
#[divan::bench(args = SIZES)]
fn section_exact(bencher: Bencher<'_, '_>, size: usize) {
    place(bencher, size, section);
}

/// 1 ms at 200 KB.
#[divan::bench(args = SIZES)]
fn section_loose(bencher: Bencher<'_, '_>, size: usize) {
    place(bencher, size, |old, new| {
        section(&indented(old), &indented(new))
    });
}

/// 5 ms at 200 KB.
#[divan::bench(args = SIZES)]
fn section_fuzzy(bencher: Bencher<'_, '_>, size: usize) {
    place(bencher, size, |old, new| {
        section(&reworded(old), &reworded(new))
    });
}

/// 1 ms at 200 KB.
#[divan::bench(args = SIZES)]
fn unified_exact(bencher: Bencher<'_, '_>, size: usize) {
    place(bencher, size, unified);
}

/// 1 ms at 200 KB.
#[divan::bench(args = SIZES)]
fn unified_loose(bencher: Bencher<'_, '_>, size: usize) {
    place(bencher, size, |old, new| {
        unified(&indented(old), &indented(new))
    });
}

/// 5 ms at 200 KB.
#[divan::bench(args = SIZES)]
fn unified_fuzzy(bencher: Bencher<'_, '_>, size: usize) {
    place(bencher, size, |old, new| {
        unified(&reworded(old), &reworded(new))
    });
}

/// Text of two lines many times over: 100 ms at 1.5 MB, whatever is asked.
#[divan::bench(args = SIZES, sample_count = 10)]
fn repetitive_exact(bencher: Bencher<'_, '_>, size: usize) {
    let change = section("    one();\n    two();\n", "    one();\n    six();\n");
    run(bencher, &repetitive(size), change, Status::Ambiguous);
}

/// The same, a fifth of it asked for at once.
#[divan::bench(args = SIZES, sample_count = 10)]
fn repetitive_exact_long(bencher: Bencher<'_, '_>, size: usize) {
    let old = repetitive(size / 5);
    let change = section(&old, &format!("{old}end\n"));
    run(bencher, &repetitive(size), change, Status::Ambiguous);
}

/// The same, indented otherwise.
#[divan::bench(args = SIZES, sample_count = 10)]
fn repetitive_loose(bencher: Bencher<'_, '_>, size: usize) {
    let change = section("  one();\n  two();\n", "  one();\n  six();\n");
    run(bencher, &repetitive(size), change, Status::Ambiguous);
}

/// The same, with a line that is not there.
#[divan::bench(args = SIZES, sample_count = 10)]
fn repetitive_fuzzy(bencher: Bencher<'_, '_>, size: usize) {
    let change = section(
        "    one();\n    three(1);\n    one();\n",
        "    one();\n    three(1);\n    six();\n",
    );
    run(bencher, &repetitive(size), change, Status::NotFound);
}

/// One line of one letter, at every one of which there is a change.
#[divan::bench(args = SIZES, sample_count = 3, sample_size = 1)]
fn everywhere(bencher: Bencher<'_, '_>, size: usize) {
    let edit = json!({"old_text": "a", "new_text": "ab"});
    let change = json!({"section": {"edits": [edit], "replace_all": true}});
    run(bencher, &"a".repeat(size), change, Status::Applied);
}

/// A query on a file of 300 KB that was parsed before: 15 ms.
#[divan::bench(sample_count = 20)]
fn query_warm(bencher: Bencher<'_, '_>) {
    query(bencher, |text, _| text.to_owned());
}

/// The same on a file that is new each time.
#[divan::bench(sample_count = 5, sample_size = 1)]
fn query_cold(bencher: Bencher<'_, '_>) {
    query(bencher, |text, turn| {
        text.replacen("wanted", &format!("kept{turn}"), 1)
    });
}

fn query(bencher: Bencher<'_, '_>, file: impl Fn(&str, usize) -> String) {
    let text = units::text("a.tsx", 300_000);
    let line = |turn: usize| {
        let name = "(function_declaration name: (identifier) @name)";
        let query = format!("({name} (#eq? @name \"Panel{}\"))", turn * 7);
        let ast = json!({
            "query": query, "capture": "name", "action": "replace", "template": format!("Board{turn}"),
        });
        request(
            "a.tsx",
            &file(&text, turn),
            json!({"strategy": "ast", "ast": ast}),
        )
    };
    let lines: Vec<String> = (1..60).map(line).collect();
    let turn = Cell::new(0);
    bencher.bench_local(|| {
        let at = turn.replace((turn.get() + 1) % lines.len());
        let line = black_box(lines.get(at).expect("a turn is a line"));
        let answer = one_shot(line, Guards::On);
        assert_eq!(answer.status, Status::Applied, "{:?}", answer.error);
        serde_json::to_string(&answer).unwrap()
    });
}

/// Asks for a change in the middle of a Rust file.
fn place(bencher: Bencher<'_, '_>, size: usize, change: impl Fn(&str, &str) -> Value) {
    let text = units::text("a.rs", size);
    let units: Vec<&str> = text.split_inclusive("}\n\n").collect();
    let old = units.get(units.len() / 2).expect("there are units");
    let new = old.replace("item.count > ", "item.count >= ");
    run(bencher, &text, change(old, &new), Status::Applied);
}

fn run(bencher: Bencher<'_, '_>, text: &str, change: Value, status: Status) {
    let line = request("a.rs", text, change);
    let answer = one_shot(&line, Guards::Off);
    assert_eq!(answer.status, status, "{:?}", answer.error);
    bencher
        .counter(BytesCount::of_str(text))
        .bench(|| serde_json::to_string(&one_shot(black_box(&line), Guards::Off)).unwrap());
}

fn request(path: &str, before: &str, change: Value) -> String {
    json!({"id": 1, "path": path, "before": before, "change": change}).to_string()
}

fn section(old: &str, new: &str) -> Value {
    json!({"section": {"edits": [{"old_text": old, "new_text": new}]}})
}

fn unified(old: &str, new: &str) -> Value {
    let rows = old.lines().zip(new.lines());
    let rows = rows.map(|(old, new)| match old == new {
        true => format!(" {old}\n"),
        false => format!("-{old}\n+{new}\n"),
    });
    let patch = format!("@@\n{}", rows.collect::<String>());
    json!({"diff": {"kind": "unified", "patch": patch}})
}

fn indented(text: &str) -> String {
    let line = |line: &str| match line.is_empty() {
        true => "\n".to_owned(),
        false => format!("  {line}\n"),
    };
    text.lines().map(line).collect()
}

/// Words two lines of the context otherwise.
fn reworded(text: &str) -> String {
    text.replace("what is left", "what still is left")
        .replace("items.get(from..) else", "items.get(from..end) else")
}

fn repetitive(size: usize) -> String {
    "    one();\n    two();\n".repeat(size / 22)
}
