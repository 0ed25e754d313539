//! What finding and splicing cost by size.
//!
//! In: files of several sizes and one change of each form. Out: times without guards, of a
//! request as `signoff engine` reads it; a queried file also with them, cold and warm. With `table`
//! as its argument, one row for each thing that is wanted: its median, and how much of what it may
//! take that is, beside the time in which the same run reads the request and writes it back.

#![expect(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::print_stdout,
    reason = "a benchmark may stop at what it did not expect, and prints what it found"
)]

#[path = "engine/units.rs"]
mod units;

use std::cell::Cell;
use std::sync::LazyLock;
use std::time::{Duration, Instant};

use divan::counter::BytesCount;
use divan::{Bencher, black_box};
use serde_json::{Value, json};
use signoff_core::edit::guard::Guards;
use signoff_core::engine::{Status, one_shot};
use signoff_core::syntax::SyntaxCache;

/// What the engine knows of texts that came before, as in a process that goes on.
static CACHE: LazyLock<SyntaxCache> = LazyLock::new(SyntaxCache::default);

fn main() {
    if std::env::args().any(|argument| argument == "table") {
        table()
    } else {
        divan::main()
    }
}

/// Makes a change of a text before and after.
type Make = fn(&str, &str) -> Value;

/// Prints what is wanted and what there is.
fn table() {
    println!(
        "{:32} {:>9} {:>9} {:>7} {:>9}",
        "", "median ms", "may ms", "part", "as JSON"
    );
    let changes: [(&str, u32, Make); 8] = [
        ("section, 200 KB", 1, section),
        ("section, loose, 200 KB", 1, |old, new| {
            section(&indented(old), &indented(new))
        }),
        ("section, one loose line, 200 KB", 1, one_line),
        ("section, fuzzy, 200 KB", 5, |old, new| {
            section(&reworded(old), &reworded(new))
        }),
        ("unified, 200 KB", 1, unified),
        ("unified, wrong numbers, 200 KB", 1, numbered),
        ("unified, loose, 200 KB", 1, |old, new| {
            unified(&indented(old), &indented(new))
        }),
        ("unified, fuzzy, 200 KB", 5, |old, new| {
            unified(&reworded(old), &reworded(new))
        }),
    ];
    for (name, may, change) in changes {
        let (text, change) = in_the_middle(200_000, change);
        let line = request("a.rs", &text, change);
        row(name, (may, 60), &[line], (Guards::Off, Status::Applied));
    }
    let text = repetitive(1_500_000);
    let long = repetitive(300_000);
    let repeated = [
        (
            "repetitive, exact, 1.5 MB",
            "    one();\n    two();\n",
            "    one();\n",
            Status::Ambiguous,
        ),
        (
            "repetitive, long, 1.5 MB",
            &long,
            "end\n",
            Status::Ambiguous,
        ),
        (
            "repetitive, loose, 1.5 MB",
            "  one();\n  two();\n",
            "  one();\n",
            Status::Ambiguous,
        ),
        (
            "repetitive, fuzzy, 1.5 MB",
            "    one();\n    three(1);\n    one();\n",
            "six();\n",
            Status::NotFound,
        ),
    ];
    for (name, old, new, status) in repeated {
        let line = request("a.rs", &text, section(old, new));
        row(name, (100, 9), &[line], (Guards::Off, status));
    }
    let lines = queries(|text, _| text.to_owned());
    let wanted = (Guards::On, Status::Applied);
    row("query, warm, 300 KB of TSX", (15, 60), &lines, wanted);
}

/// Prints one row: how many milliseconds `count` requests may take each, and what they are answered with.
fn row(
    name: &str,
    (may, count): (u32, usize),
    lines: &[String],
    (guards, status): (Guards, Status),
) {
    for line in lines {
        let answer = one_shot(&CACHE, line, guards);
        assert_eq!(answer.status, status, "{name}: {:?}", answer.error);
    }
    let ask =
        |line: &String| serde_json::to_string(&one_shot(&CACHE, black_box(line), guards)).unwrap();
    let read = |line: &String| {
        let value: Value = serde_json::from_str(black_box(line)).unwrap();
        serde_json::to_string(&value).unwrap()
    };
    let taken = median(count, lines, ask);
    let json = median(count, lines, read);
    let (taken, json, may) = (millis(taken), millis(json), f64::from(may));
    let (part, times) = (100.0 * taken / may, taken / json);
    println!("{name:32} {taken:>9.2} {may:>9.0} {part:>6.0}% {times:>8.1}x");
}

#[expect(clippy::disallowed_methods, reason = "a benchmark has a clock")]
fn median(count: usize, lines: &[String], mut of: impl FnMut(&String) -> String) -> Duration {
    let lines = || lines.iter().cycle();
    lines().take(3).for_each(|line| drop(black_box(of(line))));
    let mut times: Vec<Duration> = Vec::with_capacity(count);
    for line in lines().take(count) {
        let start = Instant::now();
        black_box(of(line));
        times.push(start.elapsed());
    }
    times.sort_unstable();
    times.get(count / 2).copied().unwrap_or_default()
}

fn millis(time: Duration) -> f64 {
    time.as_secs_f64() * 1000.0
}

/// Returns four sizes, each twice the one before, and the largest that is wanted; where nothing is
/// measured, a small one.
fn sizes() -> &'static [usize] {
    if std::env::args().any(|argument| argument == "--bench") {
        &[50_000, 100_000, 200_000, 400_000, 1_500_000]
    } else {
        &[20_000]
    }
}

/// 1 ms at 200 KB.
#[divan::bench(args = sizes())]
fn section_exact(bencher: Bencher<'_, '_>, size: usize) {
    place(bencher, size, section);
}

/// 1 ms at 200 KB.
#[divan::bench(args = sizes())]
fn section_loose(bencher: Bencher<'_, '_>, size: usize) {
    place(bencher, size, |old, new| {
        section(&indented(old), &indented(new))
    });
}

/// 1 ms at 200 KB.
#[divan::bench(args = sizes())]
fn section_loose_line(bencher: Bencher<'_, '_>, size: usize) {
    place(bencher, size, one_line);
}

/// 5 ms at 200 KB.
#[divan::bench(args = sizes())]
fn section_fuzzy(bencher: Bencher<'_, '_>, size: usize) {
    place(bencher, size, |old, new| {
        section(&reworded(old), &reworded(new))
    });
}

/// 1 ms at 200 KB.
#[divan::bench(args = sizes())]
fn unified_exact(bencher: Bencher<'_, '_>, size: usize) {
    place(bencher, size, unified);
}

/// 1 ms at 200 KB.
#[divan::bench(args = sizes())]
fn unified_numbers(bencher: Bencher<'_, '_>, size: usize) {
    place(bencher, size, numbered);
}

/// 1 ms at 200 KB.
#[divan::bench(args = sizes())]
fn unified_loose(bencher: Bencher<'_, '_>, size: usize) {
    place(bencher, size, |old, new| {
        unified(&indented(old), &indented(new))
    });
}

/// 5 ms at 200 KB.
#[divan::bench(args = sizes())]
fn unified_fuzzy(bencher: Bencher<'_, '_>, size: usize) {
    place(bencher, size, |old, new| {
        unified(&reworded(old), &reworded(new))
    });
}

/// Text of two lines many times over: 100 ms at 1.5 MB, whatever is asked.
#[divan::bench(args = sizes(), sample_count = 10)]
fn repetitive_exact(bencher: Bencher<'_, '_>, size: usize) {
    let change = section("    one();\n    two();\n", "    one();\n    six();\n");
    run(bencher, &repetitive(size), change, Status::Ambiguous);
}

/// The same, a fifth of it asked for at once.
#[divan::bench(args = sizes(), sample_count = 10)]
fn repetitive_exact_long(bencher: Bencher<'_, '_>, size: usize) {
    let old = repetitive(size / 5);
    let change = section(&old, &format!("{old}end\n"));
    run(bencher, &repetitive(size), change, Status::Ambiguous);
}

/// The same, indented otherwise.
#[divan::bench(args = sizes(), sample_count = 10)]
fn repetitive_loose(bencher: Bencher<'_, '_>, size: usize) {
    let change = section("  one();\n  two();\n", "  one();\n  six();\n");
    run(bencher, &repetitive(size), change, Status::Ambiguous);
}

/// The same, with a line that is not there.
#[divan::bench(args = sizes(), sample_count = 10)]
fn repetitive_fuzzy(bencher: Bencher<'_, '_>, size: usize) {
    let change = section(
        "    one();\n    three(1);\n    one();\n",
        "    one();\n    three(1);\n    six();\n",
    );
    run(bencher, &repetitive(size), change, Status::NotFound);
}

/// One line of one letter, at every one of which there is a change.
#[divan::bench(args = sizes(), sample_count = 3, sample_size = 1)]
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
    let lines = queries(file);
    let turn = Cell::new(0);
    bencher.bench_local(|| {
        let at = turn.replace((turn.get() + 1) % lines.len());
        let line = black_box(lines.get(at).expect("a turn is a line"));
        let answer = one_shot(&CACHE, line, Guards::On);
        assert_eq!(answer.status, Status::Applied, "{:?}", answer.error);
        serde_json::to_string(&answer).unwrap()
    });
}

/// Returns requests with a query each, all of them different.
fn queries(file: impl Fn(&str, usize) -> String) -> Vec<String> {
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
    (1..60).map(line).collect()
}

/// Asks for a change in the middle of a Rust file.
fn place(bencher: Bencher<'_, '_>, size: usize, change: impl Fn(&str, &str) -> Value) {
    let (text, change) = in_the_middle(size, change);
    run(bencher, &text, change, Status::Applied);
}

fn in_the_middle(size: usize, change: impl Fn(&str, &str) -> Value) -> (String, Value) {
    let text = units::text("a.rs", size);
    let units: Vec<&str> = text.split_inclusive("}\n\n").collect();
    let old = units.get(units.len() / 2).expect("there are units");
    let new = old.replace("item.count > ", "item.count >= ");
    let change = change(old, &new);
    (text, change)
}

fn run(bencher: Bencher<'_, '_>, text: &str, change: Value, status: Status) {
    let line = request("a.rs", text, change);
    let answer = one_shot(&CACHE, &line, Guards::Off);
    assert_eq!(answer.status, status, "{:?}", answer.error);
    bencher
        .counter(BytesCount::of_str(text))
        .bench(|| serde_json::to_string(&one_shot(&CACHE, black_box(&line), Guards::Off)).unwrap());
}

fn request(path: &str, before: &str, change: Value) -> String {
    json!({"id": 1, "path": path, "before": before, "change": change}).to_string()
}

fn section(old: &str, new: &str) -> Value {
    json!({"section": {"edits": [{"old_text": old, "new_text": new}]}})
}

fn unified(old: &str, new: &str) -> Value {
    let rows = old.lines().zip(new.lines());
    let rows = rows.map(|(old, new)| {
        if old == new {
            format!(" {old}\n")
        } else {
            format!("-{old}\n+{new}\n")
        }
    });
    let patch = format!("@@\n{}", rows.collect::<String>());
    json!({"diff": {"kind": "unified", "patch": patch}})
}

/// The same with a number that is a good way off.
fn numbered(old: &str, new: &str) -> Value {
    let mut change = unified(old, new);
    if let Some(patch) = change.pointer_mut("/diff/patch") {
        let rows = patch
            .as_str()
            .unwrap_or_default()
            .trim_start_matches("@@\n");
        *patch = json!(format!("@@ -100,8 +100,8 @@\n{rows}"));
    }
    change
}

/// One line, of which a quote is copied as a curly one.
fn one_line(old: &str, new: &str) -> Value {
    let line = |text: &str| {
        let line = text.lines().find(|line| line.contains("item.count"));
        line.expect("a unit has such a line")
            .replace("  ", "\t")
            .replace("|item|", "|item|\u{200b}")
    };
    section(&line(old), &line(new))
}

fn indented(text: &str) -> String {
    let line = |line: &str| {
        if line.is_empty() {
            "\n".to_owned()
        } else {
            format!("  {line}\n")
        }
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
