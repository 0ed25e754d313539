//! Texts about the review, while they are typed: questions, comments, a hunk's new text, a search.
//!
//! In: which text, what is typed, Esc. Out: how it is asked for, and drafts that the review keeps.

use super::Review;
use crate::response::{ReviewText, Scope};

/// How it is asked for.
impl ReviewText {
    /// Returns true if the text may have several lines.
    pub fn has_lines(self) -> bool {
        matches!(self, Self::NewText(_))
    }

    /// Returns what the user is asked for; of a search, what it has found so far.
    pub fn label(self, review: &Review) -> String {
        let label = match self {
            Self::Question(_) => "What do you ask about this hunk?",
            Self::Remark(_) => "What should be different in this hunk?",
            Self::Comment(_) => "Comment on this hunk",
            Self::LineComment(..) => "Comment on this line",
            Self::NewText(hunk) if !review.has_drafted_text(hunk) => {
                "The hunk does not wait any more: nothing is approved"
            }
            Self::NewText(_) => "New text of this hunk",
            Self::Search => match review.search_count() {
                Some(count) => return count,
                None => "Search in all files",
            },
        };
        label.to_owned()
    }

    /// Returns what stands where nothing is typed.
    pub fn placeholder(self) -> &'static str {
        match self {
            Self::Question(_) => "The model answers beside the hunk",
            Self::Remark(_) => "The model writes this hunk again; all others stay",
            Self::Comment(_) | Self::LineComment(..) => {
                "Sent to the model with the verdicts, or by /comments send"
            }
            Self::NewText(_) => "Nothing stands in its place",
            Self::Search => "Part of a line; A-Z count if typed",
        }
    }
}

/// What becomes of it.
impl ReviewText {
    /// Returns what it begins with: what was typed before.
    pub fn draft(self, review: &Review) -> &str {
        match self {
            Self::Question(hunk) => review.drafted_question(hunk),
            Self::Remark(hunk) => review.drafted(Scope::Hunk(hunk)),
            Self::Comment(hunk) => review.commented(hunk),
            Self::LineComment(hunk, line) => review.commented_line(hunk, line),
            Self::NewText(hunk) => review.drafted_text(hunk),
            Self::Search => "",
        }
    }

    /// Keeps what is typed so far.
    pub fn keep(self, text: &str, review: &mut Review) {
        match self {
            Self::Question(hunk) => review.draft_question(hunk, text),
            // Where the hunk is denied instead, it is the reason to begin with.
            Self::Remark(hunk) => review.draft(Scope::Hunk(hunk), text),
            Self::Comment(hunk) => review.draft_comment(hunk, text),
            Self::LineComment(hunk, line) => review.draft_comment_line(hunk, line, text),
            Self::NewText(hunk) => review.draft_text(hunk, text),
            Self::Search => review.find_query(text),
        }
    }

    /// Takes over that it was given up, and returns what there is to say. What was typed is kept, and offered again.
    pub fn give_up(self, review: &mut Review) -> Option<String> {
        match self {
            Self::Question(_) | Self::Remark(_) | Self::Comment(_) | Self::LineComment(..) => None,
            // What became of it was said.
            Self::NewText(hunk) if !review.has_drafted_text(hunk) => None,
            Self::NewText(_) => {
                let key = &review.key_names().edit_in_place;
                Some(format!("{key} offers the text again"))
            }
            Self::Search => {
                review.drop_search();
                None
            }
        }
    }
}
