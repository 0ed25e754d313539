//! Proposals as editors show them: tool calls with a diff for each hunk.
//!
//! In: a proposal of the review list. Out: an [`EditorCard`]. Two cards are equal if an editor shows them alike, and a
//! verdict counts only for the card that was shown.

use std::path::Path;

use agent_client_protocol_schema::v1::{
    Diff, ToolCall, ToolCallContent, ToolCallLocation, ToolCallStatus, ToolKind,
};
use signoff_core::edit::diff::line::LineKind;
use signoff_core::edit::intent::Operation;
use signoff_core::id::{HunkId, ProposalId};
use signoff_core::stage::review::{HunkState, HunkView, ModeChange, ProposalView};
use signoff_draw::sanitize;

/// A proposal as an editor shows it.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct EditorCard {
    title: String,
    kind: ToolKind,
    /// What the user should know before they decide, and the changes.
    content: Vec<ToolCallContent>,
    /// Absolute: what is there now, or what is made.
    file: String,
    /// Permission bits that become others.
    mode: Option<ModeChange>,
    /// The hunks that wait, with the lines that they stand at.
    hunks: Vec<(HunkId, String)>,
    /// Whether all of it is shown, so that the user can decide on it in the editor.
    pub(super) is_whole: bool,
}

impl EditorCard {
    /// Returns the card of a proposal in the workspace at `root`.
    pub(super) fn of(view: &ProposalView, root: &Path) -> Self {
        let file = root.join(&view.path).display().to_string();
        let mut remarks = remarks(view);
        let is_large = view
            .pending()
            .any(|hunk| hunk.is_told_by_sizes() && !hunk.tells_line_ends());
        let is_whole = view.operation == Operation::Permissions || !is_large;
        if !is_whole {
            let remark = "too large to be shown here: decide with `signoff` in a terminal";
            remarks.push(remark.to_owned());
        }
        let mut content: Vec<ToolCallContent> = remarks.into_iter().map(Into::into).collect();
        let is_new = view.operation == Operation::Create;
        content.extend(view.pending().flat_map(|hunk| shown(hunk, &file, is_new)));
        Self {
            title: title(view),
            kind: kind(view.operation),
            content,
            file,
            mode: view.effect.mode,
            hunks: view
                .pending()
                .map(|hunk| (hunk.id, hunk.header.clone()))
                .collect(),
            is_whole,
        }
    }

    /// Returns its file, absolute.
    pub(super) fn file(&self) -> &str {
        &self.file
    }

    /// Returns the hunks that wait.
    pub(super) fn hunks(&self) -> impl Iterator<Item = HunkId> {
        self.hunks.iter().map(|(hunk, _)| *hunk)
    }

    /// Returns the tool call that shows it.
    pub(super) fn call(&self, id: ProposalId, status: ToolCallStatus) -> ToolCall {
        ToolCall::new(id.to_string(), self.title.clone())
            .kind(self.kind)
            .status(status)
            .content(self.content.clone())
            .locations(vec![ToolCallLocation::new(&self.file)])
    }
}

/// Returns the status of the tool call of a proposal.
pub(super) fn status(state: HunkState) -> ToolCallStatus {
    match state {
        HunkState::Pending => ToolCallStatus::Pending,
        HunkState::Committed | HunkState::Replaced | HunkState::InFile => ToolCallStatus::Completed,
        HunkState::Denied | HunkState::Conflict => ToolCallStatus::Failed,
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

fn kind(operation: Operation) -> ToolKind {
    match operation {
        Operation::Create
        | Operation::Modify
        | Operation::Rewrite
        | Operation::Link
        | Operation::Permissions => ToolKind::Edit,
        Operation::Move => ToolKind::Move,
        Operation::Delete => ToolKind::Delete,
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

/// Returns what the user should know of a hunk, and its lines before and after; of one without lines, what stands for them.
fn shown(hunk: &HunkView, file: &str, is_new: bool) -> Vec<ToolCallContent> {
    let mut content = Vec::new();
    if let Some(denied) = &hunk.denied_before {
        let told = match &denied.reason {
            Some(reason) => format!("you denied the same before: {reason}"),
            None => "you denied the same before".to_owned(),
        };
        content.push(sanitize::clean(&told).into());
    }
    let others = hunk.verdicts.iter().map(ToString::to_string);
    content.extend(others.map(|told| sanitize::clean(&told).into()));
    if hunk.lines.is_empty() || hunk.is_told_by_sizes() {
        let lines = hunk.lines.iter().map(|line| format!("\n{}", line.text));
        content.push((hunk.header.clone() + &lines.collect::<String>()).into());
        return content;
    }
    // Characters that an editor may show as nothing, or elsewhere.
    let hidden = hunk.lines.iter().find_map(|line| {
        let shown = sanitize::clean(&line.text);
        (shown != line.text).then_some(shown)
    });
    if let Some(hidden) = hidden {
        let told = format!("look: a line has characters that may not be seen: {hidden}");
        content.push(told.into());
    }
    let old = (!is_new).then(|| side(hunk, LineKind::Removed));
    content.push(
        Diff::new(file, side(hunk, LineKind::Added))
            .old_text(old)
            .into(),
    );
    content
}

/// Returns the lines of one side, context included.
fn side(hunk: &HunkView, kind: LineKind) -> String {
    let mut text = String::new();
    for line in &hunk.lines {
        if line.kind == kind || line.kind == LineKind::Context {
            text.push_str(&line.text);
            text.push_str(if line.newline { "\n" } else { "" });
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;
    use crate::kit::file;

    /// Returns what is shown of a proposal, and whether it is all.
    fn told(view: &ProposalView) -> (Vec<Value>, bool) {
        let card = EditorCard::of(view, Path::new("/w"));
        let call = card.call(view.id, ToolCallStatus::Pending);
        let content = call.content.iter();
        let content = content.map(|part| serde_json::to_value(part).unwrap());
        let content = content.map(|part| match part["type"].as_str() {
            Some("diff") => part,
            _ => part["content"]["text"].clone(),
        });
        (content.collect(), card.is_whole)
    }

    #[test]
    fn a_hunk_is_a_diff_behind_what_the_user_should_know() {
        let mut view = file("one");
        let diff = json!({"type": "diff", "path": "/w/a.txt", "oldText": "one\n", "newText": "one\nnew\n"});
        assert_eq!(told(&view), (vec![diff.clone()], true));
        view.runs = Some("the shell runs it".to_owned());
        let runs = json!("look: the shell runs it");
        assert_eq!(told(&view), (vec![runs.clone(), diff], true));
        view.operation = Operation::Create;
        view.hunks[0].lines[1].text = "a\u{202e}b".to_owned();
        let (content, _) = told(&view);
        let hidden = json!("look: a line has characters that may not be seen: a\\u{202e}b");
        assert_eq!(content[..2], [runs, hidden]);
        assert!(content[2]["oldText"].is_null(), "it is made");
        view.hunks[0].lines[0].old = None;
        view.hunks[0].lines[0].new = None;
        let (content, is_whole) = told(&view);
        let large = content[1].as_str().unwrap();
        assert!(!is_whole && large.starts_with("too large"), "{content:?}");
    }

    #[test]
    fn a_card_is_another_one_where_its_lines_stand_elsewhere() {
        let view = file("one");
        let mut moved = view.clone();
        moved.hunks[0].header = "@@ -9,1 +9,2 @@".to_owned();
        let root = Path::new("/w");
        let card = EditorCard::of(&view, root);
        assert_eq!(card, EditorCard::of(&view.clone(), root));
        assert_ne!(card, EditorCard::of(&moved, root));
    }
}
