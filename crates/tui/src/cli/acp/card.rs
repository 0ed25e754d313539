//! Proposals as editors show them: tool calls with the change of a file.
//!
//! In: a proposal of the review list. Out: an [`EditorCard`]. Two cards are equal if an editor shows them alike, and a
//! verdict counts only for the card that was shown.

use std::path::Path;

use signoff_core::edit::intent::Operation;
use signoff_core::id::HunkId;
use signoff_core::stage::review::{HunkState, HunkView, ProposalView};

use super::file_change::FileChange;
use super::update::{CallContent, CallStatus, CallUpdate};
use crate::sanitize;

/// A proposal as an editor shows it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct EditorCard {
    title: String,
    kind: &'static str,
    /// What the user should know before they decide.
    remarks: Vec<String>,
    change: FileChange,
    /// The hunks that wait.
    pub(super) hunks: Vec<HunkId>,
    /// Whether all of it is shown, so that the user can decide on it in the editor.
    pub(super) is_whole: bool,
}

impl EditorCard {
    /// Returns the card of a proposal in the workspace at `root`.
    pub(super) fn of(view: &ProposalView, root: &Path) -> Self {
        let mut remarks = remarks(view);
        let is_large = |hunk: &HunkView| hunk.is_told_by_sizes() && !hunk.tells_line_ends();
        let is_whole = view.operation == Operation::Permissions || !view.pending().any(is_large);
        if !is_whole {
            let told = "too large to be shown here: decide with `signoff` in a terminal";
            remarks.push(told.to_owned());
        }
        Self {
            title: title(view),
            kind: kind(view.operation),
            remarks,
            change: FileChange::of(view, root),
            hunks: view.pending().map(|hunk| hunk.id).collect(),
            is_whole,
        }
    }

    /// Returns what is done to which file, in a line.
    pub(super) fn title(&self) -> &str {
        &self.title
    }

    /// Returns its file, absolute.
    pub(super) fn file(&self) -> &str {
        self.change.path()
    }

    /// Returns the tool call that shows it.
    pub(super) fn call(&self, id: String, status: CallStatus) -> CallUpdate {
        let remarks = self.remarks.iter().cloned().map(CallContent::Text);
        let change = CallContent::Change(Box::new(self.change.clone()));
        CallUpdate {
            title: Some(self.title.clone()),
            kind: Some(self.kind),
            content: Some(remarks.chain([change]).collect()),
            file: Some(self.file().to_owned()),
            ..CallUpdate::new(id, status)
        }
    }
}

/// Returns the status of the tool call of a proposal.
pub(super) fn status(state: HunkState) -> CallStatus {
    match state {
        HunkState::Pending => CallStatus::Pending,
        HunkState::Committed | HunkState::Replaced => CallStatus::Completed,
        HunkState::Denied | HunkState::Conflict => CallStatus::Failed,
    }
}

fn title(view: &ProposalView) -> String {
    let to = view.to.as_ref().map(|to| format!(" to {to}"));
    let told = format!(
        "{} {}{}: {}",
        view.operation,
        view.path,
        to.as_deref().unwrap_or(""),
        view.description
    );
    sanitize::clean(&told).into_owned()
}

fn kind(operation: Operation) -> &'static str {
    match operation {
        Operation::Create
        | Operation::Modify
        | Operation::Rewrite
        | Operation::Link
        | Operation::Permissions => "edit",
        Operation::Move => "move",
        Operation::Delete => "delete",
    }
}

/// Returns what the user should know before they decide.
fn remarks(view: &ProposalView) -> Vec<String> {
    let place = view.placed.as_ref().or(Some(&view.evidence));
    let cares = [
        view.note.as_ref(),
        view.runs.as_ref(),
        view.held.as_ref(),
        place.filter(|_| view.is_guess),
    ];
    let cares = cares.into_iter().flatten();
    cares
        .map(|care| format!("look: {}", sanitize::clean(care)))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::review::kit::file;

    #[test]
    fn a_card_has_what_the_user_should_know() {
        let told = |view: &ProposalView| {
            let card = EditorCard::of(view, Path::new("/w"));
            let call = card.call("p".to_owned(), CallStatus::Pending);
            let mut told = Vec::new();
            for content in call.content.unwrap() {
                match content {
                    CallContent::Text(text) => told.push(text),
                    CallContent::Change(change) => {
                        told.extend(change.hunks.iter().flat_map(|hunk| hunk.remarks.clone()));
                    }
                }
            }
            (told, card.is_whole)
        };
        let mut view = file("one");
        assert_eq!(told(&view), (Vec::new(), true));
        view.runs = Some("the shell runs it".to_owned());
        view.hunks[0].lines[1].text = "a\u{202e}b".to_owned();
        let runs = "look: the shell runs it".to_owned();
        let hidden = "look: a line has characters that may not be seen: a\\u{202e}b".to_owned();
        assert_eq!(told(&view), (vec![runs.clone(), hidden], true));
        view.hunks[0].lines[0].old = None;
        view.hunks[0].lines[0].new = None;
        let (remarks, is_whole) = told(&view);
        assert!(
            !is_whole && remarks[1].starts_with("too large"),
            "{remarks:?}"
        );
    }
}
