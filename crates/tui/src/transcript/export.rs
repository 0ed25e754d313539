//! The conversation as a Markdown document.
//!
//! In: the cells of the transcript. Out: what was said and done, with a heading for each speaker.

use signoff_core::quote;

use super::Transcript;
use super::cell::{Body, Cell};

/// A conversation in Markdown, with a heading wherever another speaker begins.
#[derive(Default)]
pub struct ConversationDocument {
    text: String,
    speaker: Option<&'static str>,
}

impl ConversationDocument {
    /// Adds what somebody said.
    pub fn say(&mut self, speaker: &'static str, text: &str) {
        if self.speaker != Some(speaker) {
            self.text.push_str(&format!("\n## {speaker}\n"));
            self.speaker = Some(speaker);
        }
        self.text.push_str(&format!("\n{}\n", text.trim_end()));
    }

    /// Returns true if nothing was said.
    pub fn is_empty(&self) -> bool {
        self.speaker.is_none()
    }

    /// Returns all of it.
    pub fn text(self) -> String {
        format!("# Conversation\n{}", self.text)
    }
}

impl Transcript {
    /// Returns the whole conversation as Markdown, with the text as it was written.
    pub(crate) fn exported(&self) -> String {
        let mut document = ConversationDocument::default();
        // The first cell is the header.
        for cell in self.cells.iter().skip(1) {
            document.say(speaker_of(cell), &markdown(cell));
        }
        document.text()
    }

    /// Returns what was said last, by whoever said it, if anything was.
    pub(crate) fn last_answer(&self) -> Option<String> {
        if let Some(beside) = &self.said_beside {
            return Some(beside.clone());
        }
        let mut said = self.cells.iter().rev().filter(|cell| cell.is_prose(false));
        said.next().map(|cell| cell.source(None))
    }
}

fn speaker_of(cell: &Cell) -> &'static str {
    match cell.body() {
        Body::User(_) => "User",
        Body::Prose(_) | Body::Call(_) => "Model",
        Body::Verbatim(_) | Body::Lines(..) => "signoff",
    }
}

fn markdown(cell: &Cell) -> String {
    let source = cell.source(None);
    match cell.body() {
        Body::User(_) => source,
        Body::Prose(_) if cell.is_prose(false) => source,
        Body::Prose(_) => {
            let lines = source.lines().map(|line| format!("> {line}"));
            lines.collect::<Vec<_>>().join("\n")
        }
        Body::Call(call) => format!("- {}\n\n{}", call.headline(), fenced(&source)),
        Body::Verbatim(_) | Body::Lines(..) => fenced(&source),
    }
}

/// Returns a text between fences that it cannot close.
pub fn fenced(text: &str) -> String {
    let fence = quote::fence(text);
    format!("{fence}\n{text}\n{fence}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_said_is_exported_as_it_was_written() {
        let mut transcript = Transcript::new(None);
        assert_eq!(transcript.last_answer(), None);
        transcript.user("fix **it**");
        transcript.reasoning("hm\nwell");
        transcript.text("Like so:\n\n```sh\nls\n```\n");
        let expected = "# Conversation\n\n## User\n\nfix **it**\n\n## Model\n\n> hm\n> well\n\nLike so:\n\n```sh\nls\n```\n";
        assert_eq!(transcript.exported(), expected);
        assert_eq!(
            transcript.last_answer().as_deref(),
            Some("Like so:\n\n```sh\nls\n```")
        );
        assert_eq!(fenced("a ``` b"), "````\na ``` b\n````");
    }
}
