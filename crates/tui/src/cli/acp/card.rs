//! Proposals as editors show them: tool calls with a diff for each hunk.
//!
//! In: a proposal of the review list. Out: an [`EditorCard`]. Two cards are equal if an editor shows them alike, and a
//! verdict counts only for the card that was shown.

use std::path::Path;

use serde_json::{Value, json};
use signoff_core::edit::diff::line::{DiffLine, LineKind};
use signoff_core::edit::intent::Operation;
use signoff_core::id::HunkId;
use signoff_core::stage::review::{HunkState, HunkView, ProposalView};

use super::update::text_content;
use crate::sanitize;

/// A proposal as an editor shows it.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct EditorCard {
    title: String,
    kind: &'static str,
    /// The file, absolute.
    file: String,
    content: Vec<Value>,
    /// The hunks that wait.
    pub(super) hunks: Vec<HunkId>,
    /// Whether all of it is shown, so that the user can decide on it in the editor.
    pub(super) is_whole: bool,
}

impl EditorCard {
    /// Returns the card of a proposal in the workspace at `root`.
    pub(super) fn of(view: &ProposalView, root: &Path) -> Self {
        let file = root.join(&view.path).display().to_string();
        let mut content = notes(view);
        let is_whole = !view.pending().any(HunkView::is_told_by_sizes);
        for hunk in view.pending() {
            content.extend(hunk_content(hunk, view.operation, &file));
        }
        if !is_whole {
            let told = "too large to be shown here: decide with `signoff` in a terminal";
            content.push(text_content(told));
        }
        Self {
            title: title(view),
            kind: kind(view.operation),
            file,
            content,
            hunks: view.pending().map(|hunk| hunk.id).collect(),
            is_whole,
        }
    }

    /// Returns its file, absolute.
    pub(super) fn file(&self) -> &str {
        &self.file
    }

    /// Returns the tool call that shows it, without what kind of update it is.
    pub(super) fn tool_call(&self, id: &str, status: &str) -> Value {
        json!({
            "toolCallId": id,
            "title": self.title,
            "kind": self.kind,
            "status": status,
            "locations": [{"path": self.file}],
            "content": self.content,
        })
    }
}

/// Returns the status of the tool call of a proposal.
pub(super) fn status(state: HunkState) -> &'static str {
    match state {
        HunkState::Pending => "pending",
        HunkState::Committed | HunkState::Replaced => "completed",
        HunkState::Denied | HunkState::Conflict => "failed",
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
fn notes(view: &ProposalView) -> Vec<Value> {
    let place = view.placed.as_ref().or(Some(&view.evidence));
    let cares = [
        view.note.as_ref(),
        view.runs.as_ref(),
        view.held.as_ref(),
        place.filter(|_| view.is_guess),
    ];
    let cares = cares.into_iter().flatten();
    cares
        .map(|care| text_content(&format!("look: {}", sanitize::clean(care))))
        .collect()
}

fn hunk_content(hunk: &HunkView, operation: Operation, file: &str) -> Vec<Value> {
    let denied = hunk.denied_before.as_ref().map(|denied| {
        let told = match &denied.reason {
            Some(reason) => format!("you denied the same before: {reason}"),
            None => "you denied the same before".to_owned(),
        };
        text_content(&sanitize::clean(&told))
    });
    let shown = if hunk.lines.is_empty() || hunk.is_told_by_sizes() {
        let lines = hunk.lines.iter().map(|line| format!("\n{}", line.text));
        let told = hunk.header.clone() + &lines.collect::<String>();
        text_content(&told)
    } else {
        let old = (operation != Operation::Create).then(|| side(&hunk.lines, LineKind::Removed));
        json!({
            "type": "diff",
            "path": file,
            "oldText": old,
            "newText": side(&hunk.lines, LineKind::Added),
        })
    };
    let hidden = hunk.lines.iter().find_map(hidden_characters);
    denied.into_iter().chain(hidden).chain([shown]).collect()
}

/// Returns a line as signoff shows it, if it has characters that an editor may show as nothing, or elsewhere.
fn hidden_characters(line: &DiffLine) -> Option<Value> {
    let shown = sanitize::clean(&line.text);
    let told = || format!("look: a line has characters that may not be seen: {shown}");
    (shown != line.text).then(|| text_content(&told()))
}

/// Returns the lines of one side, context included.
fn side(lines: &[DiffLine], kind: LineKind) -> String {
    let mut text = String::new();
    for line in lines {
        if line.kind == kind || line.kind == LineKind::Context {
            text.push_str(&line.text);
            text.push_str(if line.newline { "\n" } else { "" });
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::review::kit::file;

    #[test]
    fn a_hunk_is_a_diff_with_what_the_user_should_know() {
        let content = |view: &ProposalView| {
            let card = EditorCard::of(view, Path::new("/w")).tool_call("p", "pending");
            card["content"].as_array().unwrap().clone()
        };
        let mut view = file("one");
        let [diff] = content(&view).try_into().unwrap();
        assert_eq!(diff["path"], "/w/a.txt");
        assert_eq!(diff["oldText"], "one\n");
        assert_eq!(diff["newText"], "one\nnew\n");
        view.operation = Operation::Create;
        view.runs = Some("the shell runs it".to_owned());
        view.hunks[0].lines[1].text = "a\u{202e}b".to_owned();
        let [runs, hidden, diff] = content(&view).try_into().unwrap();
        assert_eq!(runs["content"]["text"], "look: the shell runs it");
        let told = "look: a line has characters that may not be seen: a\\u{202e}b";
        assert_eq!(hidden["content"]["text"], told);
        assert!(diff["oldText"].is_null());
    }
}
