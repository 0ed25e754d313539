//! Folds, over a corpus of pairs that look alike: honest ones, which a formatter, a renaming or a move makes, and traps,
//! which do something else as well.
//!
//! ```text
//! #### trap: a statement ends at the line
//! @@ a.js
//! function f(user) { return (user) }
//! ====
//! function f(user) { return
//! (user) }
//! ```
//!
//! Each case has a title, and files with their texts before and after. `\r`, `\t`, `\f` and `\u{...}` are written so, and
//! a line `%` stands for definitions between two places that are to be in hunks of their own.

use super::*;
use crate::stage::review::Proof;

/// A pair of the corpus.
struct Case {
    title: String,
    is_honest: bool,
    /// Path, text before, text after.
    files: Vec<(String, String, String)>,
}

fn cases(name: &str, corpus: &str) -> Vec<Case> {
    let unescaped = |text: &str| {
        let mut text = text
            .replace("\\r", "\r")
            .replace("\\t", "\t")
            .replace("\\f", "\u{c}");
        while let Some(at) = text.find("\\u{") {
            let end = at + text[at..].find('}').unwrap();
            let code = u32::from_str_radix(&text[at + 3..end], 16).unwrap();
            let sign = char::from_u32(code).unwrap().to_string();
            text.replace_range(at..=end, &sign);
        }
        text
    };
    let each = corpus.split("\n#### ").skip(1).map(|case| {
        let (head, rest) = case.split_once('\n').unwrap();
        let (kind, title) = head.split_once(": ").unwrap();
        assert!(matches!(kind, "honest" | "trap"), "{head}");
        let rest = format!("\n{}\n", rest.trim_end_matches('\n'));
        let files = rest.split("\n@@ ").skip(1).map(|file| {
            let (path, texts) = file.split_once('\n').unwrap();
            let (before, after) = texts.split_once("\n====\n").unwrap();
            let fill = filler(path);
            let end = |text: &str| {
                let text = format!("\n{}\n", text.trim_end_matches('\n'));
                let text = unescaped(&text.replace("\n%\n", &format!("\n{fill}")));
                let text = text.strip_prefix('\n').unwrap();
                text.trim_end_matches('\n').to_owned() + "\n"
            };
            (path.to_owned(), end(before), end(after))
        });
        Case {
            title: format!("{name}: {title}"),
            is_honest: kind == "honest",
            files: files.collect(),
        }
    });
    each.collect()
}

/// Returns definitions that say nothing, in the language of a file.
fn filler(path: &str) -> String {
    let one = |number: usize| match path.rsplit('.').next() {
        Some("py") => format!("def fill_{number}(part):\n    return part * {number}\n\n\n"),
        Some("rs") => format!("fn fill_{number}(part: u8) -> u8 {{\n    part * {number}\n}}\n\n"),
        _ => format!("function fill{number}(part) {{\n  return part * {number};\n}}\n\n"),
    };
    (1..6).map(one).collect()
}

/// Returns for each hunk of a case what it is proved to be.
fn proofs(case: &Case) -> Vec<Option<Proof>> {
    let before: Vec<(&str, &str)> = case
        .files
        .iter()
        .map(|(path, before, _)| (path.as_str(), before.as_str()))
        .collect();
    let world = World::new(&before);
    let mut engine = world.process();
    // What a program leaves is staged whatever its syntax.
    let changed = case
        .files
        .iter()
        .filter(|(_, before, after)| before != after);
    let files = changed.map(|(path, _, after)| ProgramFile {
        path: path.clone(),
        content: Some(ProgramContent::File {
            bytes: after.clone().into_bytes(),
            mode: None,
        }),
        folders_gone: 0,
        base: ProgramBase::Current,
    });
    let run = ProgramRun {
        finishes: Vec::new(),
        command: "fmt".to_owned(),
        files: files.collect(),
        origin: Origin::default(),
        not_collected: Vec::new(),
        held: None,
        changeset: None,
    };
    engine.stage_program(run).unwrap();
    let views = engine.review().unwrap();
    let hunks = views.iter().flat_map(|view| &view.hunks);
    hunks.map(|hunk| hunk.proof.clone()).collect()
}

/// Checks that no trap is folded, and that nine of ten honest pairs are.
fn check(name: &str, corpus: &str) {
    let all = cases(name, corpus);
    let (mut folded_traps, mut open_pairs, mut honest) = (Vec::new(), Vec::new(), 0);
    for case in &all {
        let found = proofs(case);
        assert!(!found.is_empty(), "{} changes nothing", case.title);
        if case.is_honest {
            honest += 1;
            if found.iter().any(Option::is_none) {
                open_pairs.push(format!("{} {found:?}", case.title));
            }
        } else if found.iter().any(Option::is_some) {
            folded_traps.push(format!("{} {found:?}", case.title));
        }
    }
    assert_eq!(folded_traps, Vec::<String>::new(), "folded traps");
    let most_open = honest / 10;
    assert!(
        open_pairs.len() <= most_open,
        "of {honest} pairs these are open: {open_pairs:#?}"
    );
}

#[test]
fn no_trap_of_python_is_folded_and_most_honest_pairs_are() {
    check("python", include_str!("folds/python.txt"));
}

#[test]
fn no_trap_of_scripts_is_folded_and_most_honest_pairs_are() {
    check("script", include_str!("folds/script.txt"));
}

#[test]
fn no_trap_of_rust_is_folded_and_most_honest_pairs_are() {
    check("rust", include_str!("folds/rust.txt"));
}

#[test]
fn no_trap_of_data_is_folded_and_most_honest_pairs_are() {
    check("data", include_str!("folds/data.txt"));
}

#[test]
fn nothing_is_folded_in_languages_without_a_precise_parser() {
    check("others", include_str!("folds/others.txt"));
}

#[test]
fn a_mention_beside_the_code_unfolds_nothing_but_itself() {
    let code = "def price(total):\n    return total * 2\n";
    let world = World::new(&[("a.py", code), ("README.md", "The `total` is doubled.\n")]);
    let mut engine = world.process();
    propose(
        &mut engine,
        &whole("a.py", &code.replace("total", "amount")),
    );
    propose(
        &mut engine,
        &whole("README.md", "The `amount` is doubled.\n"),
    );
    let views = engine.review().unwrap();
    let proved = views.iter().map(|view| view.hunks[0].proof.is_some());
    assert_eq!(proved.collect::<Vec<_>>(), [true, false]);
}

#[test]
fn a_word_that_passes_for_another_is_noted_on_its_card() {
    let world = World::new(&[("a.txt", "admin\n"), ("b.txt", "admin\n")]);
    let mut engine = world.process();
    propose(&mut engine, &whole("a.txt", "\u{430}dmin\n"));
    propose(&mut engine, &whole("b.txt", "admins\n"));
    let views = engine.review().unwrap();
    let notes: Vec<Option<&str>> = views.iter().map(|view| view.note.as_deref()).collect();
    let note = "hunk 1 puts in `\u{430}dmin`, which looks like another word: its letter U+0430 is no Latin one";
    assert_eq!(notes, [Some(note), None]);
}
