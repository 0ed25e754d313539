//! A small model writes the content of an edit, under contract.
//!
//! In: a file, the intent of the main model, and what the small model wrote. Out: the file's new
//! text, or why it is not taken. The contract is pure: definitions that the intent does not name
//! are byte for byte what they were.

use std::collections::HashMap;
use std::fmt;
use std::sync::Arc;

use signoff_core::syntax::Language;
use signoff_core::syntax::outline::{Symbol, outline};
use signoff_core::workspace::WorkspacePath;

use crate::message::{Message, Prompt, ToolChoice};
use crate::provider::Provider;
use crate::spent::Prices;

/// The longest file that a small model is given; it has to write all of it again.
pub const MOST_BYTES: usize = 24 * 1024;

/// A model that writes the content of edits.
#[derive(Clone)]
pub struct ApplyModel {
    /// Who it is.
    pub provider: Arc<dyn Provider>,
    /// What its tokens cost, where that is known.
    pub prices: Option<Prices>,
}

impl fmt::Debug for ApplyModel {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("ApplyModel")
            .field(&self.provider.about())
            .finish()
    }
}

/// Why what a small model wrote is not taken.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Breach {
    /// Nothing that could be a file.
    #[error("it wrote no file")]
    NoFile,
    /// The fence around the text was not closed.
    #[error("its answer broke off")]
    Unclosed,
    /// The text is what it was.
    #[error("it changed nothing")]
    Nothing,
    /// A definition that the intent does not name is another.
    #[error("it changed {0}, which the intent does not name")]
    Changed(String),
    /// A definition that the intent does not name is gone.
    #[error("it removed {0}, which the intent does not name")]
    Removed(String),
    /// Too little of a text without definitions is left.
    #[error("it rewrote most of the file")]
    Rewritten,
}

/// Returns what a small model is asked.
pub fn prompt(path: &str, before: &str, description: &str, instructions: &str) -> Prompt {
    let text = format!(
        "Change this file. Only do what is asked and copy everything else exactly.\n\
         Task: {description}\n{instructions}\n\n\
         Answer with the whole new text of {path} in one ``` block and nothing else.\n\n\
         {fence}\n{before}{newline}{fence}",
        fence = fence(before),
        newline = if before.ends_with('\n') { "" } else { "\n" },
    );
    Prompt {
        messages: vec![Message::User { text }],
        tools: Vec::new(),
        tool_choice: ToolChoice::None,
    }
}

/// Returns a fence that is longer than any in the text.
fn fence(text: &str) -> String {
    let longest = text
        .lines()
        .map(|line| line.trim_start().chars().take_while(|c| *c == '`').count())
        .max();
    "`".repeat(longest.unwrap_or(0).max(2) + 1)
}

/// Returns the file's new text out of an answer, with the line endings and the end that the
/// old one has.
pub fn content(answer: &str, before: &str) -> Result<String, Breach> {
    let lines: Vec<&str> = answer.lines().collect();
    let ticks = |line: &str| line.chars().take_while(|c| *c == '`').count();
    let first = lines.iter().position(|line| ticks(line) >= 3);
    let first = first.ok_or(Breach::NoFile)?;
    let wide = lines.get(first).map_or(3, |line| ticks(line));
    let closes = |line: &&str| ticks(line) >= wide && line.trim_matches('`').trim().is_empty();
    // The last fence closes: a text may hold fences of its own.
    let last = lines.iter().rposition(closes).filter(|last| *last > first);
    let last = last.ok_or(Breach::Unclosed)?;
    let inner = lines.get(first + 1..last).unwrap_or_default();
    let ending = if before.contains("\r\n") {
        "\r\n"
    } else {
        "\n"
    };
    let mut text = inner.join(ending);
    if before.is_empty() || before.ends_with('\n') {
        text += ending;
    }
    match text.trim().is_empty() {
        true => Err(Breach::NoFile),
        false => Ok(text),
    }
}

/// Checks the contract; `intent` is all that the main model said of the change.
pub fn check(path: &str, before: &str, after: &str, intent: &str) -> Result<(), Breach> {
    if before == after {
        return Err(Breach::Nothing);
    }
    let (then, now) = (symbols(path, before), symbols(path, after));
    if then.is_empty() {
        return lines_kept(before, after);
    }
    let named = |symbol: &Symbol| mentions(intent, &symbol.name);
    let within = |inner: &Symbol, outer: &Symbol| {
        outer.range.start <= inner.range.start && inner.range.end <= outer.range.end
    };
    let may_change: Vec<&Symbol> = then.iter().filter(|symbol| named(symbol)).collect();
    let texts = by_place(&now, after);
    for (symbol, place) in places(&then) {
        // What holds something named is changed with it, and what is held by it too.
        if may_change
            .iter()
            .any(|free| within(free, symbol) || within(symbol, free))
        {
            continue;
        }
        match texts.get(&place) {
            None => return Err(Breach::Removed(symbol.path.clone())),
            Some(text) if before.get(symbol.range.clone()) != Some(*text) => {
                return Err(Breach::Changed(symbol.path.clone()));
            }
            Some(_) => {}
        }
    }
    Ok(())
}

fn symbols(path: &str, text: &str) -> Vec<Symbol> {
    let path = WorkspacePath::parse(path, std::path::Path::new("/")).ok();
    let language = path.and_then(|path| Language::of(&path));
    let outlined = language.and_then(|language| Some(outline(language, &language.parse(text)?)));
    outlined.unwrap_or_default()
}

/// A definition's path, what it is, and how many of the same stand before it.
type Place<'a> = (&'a str, &'static str, usize);

fn places(symbols: &[Symbol]) -> impl Iterator<Item = (&Symbol, Place<'_>)> {
    let mut seen: HashMap<(&str, &str), usize> = HashMap::new();
    symbols.iter().map(move |symbol| {
        let count = seen.entry((&symbol.path, symbol.what)).or_insert(0);
        let place = (symbol.path.as_str(), symbol.what, *count);
        *count += 1;
        (symbol, place)
    })
}

fn by_place<'a>(symbols: &'a [Symbol], text: &'a str) -> HashMap<Place<'a>, &'a str> {
    let texts = places(symbols);
    texts
        .filter_map(|(symbol, place)| Some((place, text.get(symbol.range.clone())?)))
        .collect()
}

/// Tells whether a text has a name in it as a word of its own.
fn mentions(text: &str, name: &str) -> bool {
    let part = |c: char| c.is_alphanumeric() || c == '_';
    !name.is_empty()
        && text.match_indices(name).any(|(at, _)| {
            let before = text.get(..at).and_then(|head| head.chars().next_back());
            let after = text
                .get(at + name.len()..)
                .and_then(|tail| tail.chars().next());
            !before.is_some_and(part) && !after.is_some_and(part)
        })
}

/// Where nothing is defined, at least half of the lines are kept.
fn lines_kept(before: &str, after: &str) -> Result<(), Breach> {
    let mut left: HashMap<&str, usize> = HashMap::new();
    for line in after.lines() {
        *left.entry(line).or_insert(0) += 1;
    }
    let (mut lines, mut kept) = (0, 0);
    for line in before.lines().filter(|line| !line.trim().is_empty()) {
        lines += 1;
        if let Some(count) = left.get_mut(line).filter(|count| **count > 0) {
            *count -= 1;
            kept += 1;
        }
    }
    match kept * 2 >= lines {
        true => Ok(()),
        false => Err(Breach::Rewritten),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const BEFORE: &str = "use a::B;\n\nfn one() {\n    1;\n}\n\nfn two() {\n    2;\n}\n";

    fn checked(after: &str, intent: &str) -> Result<(), String> {
        check("a.rs", BEFORE, after, intent).map_err(|breach| breach.to_string())
    }

    #[test]
    fn what_is_named_may_change_and_nothing_else() {
        let one = BEFORE.replace("    1;", "    11;");
        let err = |text: &str| Err(text.to_owned());
        assert_eq!(checked(&one, "make `one` return 11"), Ok(()));
        assert_eq!(
            checked(&one, "change two, in the same way as none"),
            err("it changed one, which the intent does not name")
        );
        let gone = BEFORE.replace("fn two() {\n    2;\n}\n", "");
        assert_eq!(
            checked(&gone, "change one"),
            err("it removed two, which the intent does not name")
        );
        assert_eq!(checked(BEFORE, "change one"), err("it changed nothing"));
        let more = format!("{BEFORE}\nfn three() {{}}\n");
        assert_eq!(checked(&more, "add a function"), Ok(()));
        let import = BEFORE.replace("use a::B;", "use a::B;\nuse c::D;");
        assert_eq!(checked(&import, "import D"), Ok(()));
    }

    #[test]
    fn a_method_that_is_named_frees_neither_its_twins_nor_its_neighbours() {
        let before = "struct S;\nimpl S {\n    fn a(&self) {}\n    fn b(&self) {}\n}\n";
        let ours = before.replace("fn a(&self) {}", "fn a(&self) { 1; }");
        let both = ours.replace("fn b(&self) {}", "fn b(&self) { 2; }");
        assert_eq!(check("a.rs", before, &ours, "let a return 1"), Ok(()));
        let breach = check("a.rs", before, &both, "let a return 1");
        assert!(matches!(breach, Err(Breach::Changed(path)) if path.ends_with('b')));
    }

    #[test]
    fn texts_without_definitions_keep_half_their_lines() {
        let before = "a\nb\nc\nd\n";
        assert_eq!(check("a.txt", before, "a\nb\nx\ny\n", ""), Ok(()));
        assert_eq!(
            check("a.txt", before, "a\nx\ny\nz\n", ""),
            Err(Breach::Rewritten)
        );
    }

    #[test]
    fn the_file_is_taken_out_of_the_answer() {
        let taken = |answer: &str, before: &str| content(answer, before);
        assert_eq!(
            taken("Sure:\n```rust\nx\n```\nDone.", "y\n"),
            Ok("x\n".into())
        );
        assert_eq!(taken("```\nx\nz\n```", "y\r\n"), Ok("x\r\nz\r\n".into()));
        assert_eq!(taken("```\nx\n```", "no newline"), Ok("x".into()));
        let nested = "````md\n```sh\nls\n```\n````";
        assert_eq!(taken(nested, "\n"), Ok("```sh\nls\n```\n".into()));
        assert_eq!(taken("```rust\nx\n", "y\n"), Err(Breach::Unclosed));
        assert_eq!(taken("I cannot.", "y\n"), Err(Breach::NoFile));
        assert_eq!(taken("```\n```", "y\n"), Err(Breach::NoFile));
    }

    #[test]
    fn the_question_holds_the_file_in_a_fence_of_its_own() {
        let prompt = prompt("a.md", "```\nx\n```", "Fix it", "by hand");
        let Some(Message::User { text }) = prompt.messages.first() else {
            panic!("no question");
        };
        assert!(text.ends_with("````\n```\nx\n```\n````"), "{text}");
        assert!(text.contains("Task: Fix it\nby hand\n"));
    }
}
