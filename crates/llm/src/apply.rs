//! Apply model: a small model writes the content of a declared edit.
//!
//! In: a file, the intent of the main model, and what the small model wrote. Out: the file's new
//! text, or why it is not taken. What the contract is stands in `contract`.
//!
//! The contract under which a small model writes the content of an edit: definitions that the intent does not name
//! are byte for byte what they were, and so is every line outside of definitions. Imports and definitions may be
//! added; of what is named, only the innermost is meant.

use std::fmt;
use std::sync::Arc;

use crate::message::{Message, Prompt, ToolChoice};
use crate::provider::Provider;
use crate::usage::Prices;

mod contract;

pub use contract::check;

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
    /// What stands outside of definitions is another.
    #[error("it changed `{0}`, which stands outside of what the intent names")]
    Outside(String),
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
        messages: vec![Message::User {
            text,
            images: Vec::new(),
        }],
        tools: Vec::new(),
        tool_choice: ToolChoice::None,
        target: None,
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
    let first = lines.iter().position(|line| backticks(line) >= 3);
    let first = first.ok_or(Breach::NoFile)?;
    let wide = lines.get(first).map_or(3, |line| backticks(line));
    // The last fence closes: a text may hold fences of its own.
    let last = lines
        .iter()
        .rposition(|line| backticks(line) >= wide && line.trim_matches('`').trim().is_empty())
        .filter(|last| *last > first);
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
    if text.trim().is_empty() {
        Err(Breach::NoFile)
    } else {
        Ok(text)
    }
}

fn backticks(line: &str) -> usize {
    line.chars().take_while(|c| *c == '`').count()
}

#[cfg(test)]
mod tests;
