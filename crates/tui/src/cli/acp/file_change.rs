//! Changes of files as two states: what is there before, and what is there after.
//!
//! In: a proposal of the review list. Out: a [`FileChange`], from which both versions of the protocol make their diffs:
//! version 1 the old and the new text of each hunk, the draft of version 2 an operation and a patch as git writes it.
//!
//! ```text
//! before: /w/a.rs, text    after: /w/b.rs, text    ->  move
//! before: nothing          after: /w/b.rs, text    ->  add
//! ```

use std::path::Path;

use signoff_core::edit::diff::line::LineKind;
use signoff_core::edit::intent::Operation;
use signoff_core::stage::review::{HunkView, ModeChange, ProposalView};

use crate::cli::git_patch::{GitMode, PatchHead, PatchLine, PatchSide, write_hunk};
use crate::sanitize;

/// A change of a file, with the hunks of it that wait.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct FileChange {
    operation: FileOperation,
    /// Permission bits that become others.
    mode: Option<ModeChange>,
    pub(super) hunks: Vec<CardHunk>,
}

/// What stands under a name: before the change, after it, or both.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum FileOperation {
    Add { after: FileState },
    Delete { before: FileState },
    Modify { after: FileState },
    Move { before: FileState, after: FileState },
}

/// A file at one time.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct FileState {
    /// Absolute.
    pub(super) path: String,
    pub(super) kind: FileKind,
}

/// What a file is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum FileKind {
    Text,
    Link,
}

/// A hunk as an editor shows it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct CardHunk {
    /// What the user should know of it; of one without lines, all that there is to show.
    pub(super) remarks: Vec<String>,
    /// `@@ -3,7 +3,8 @@`.
    range: String,
    lines: Vec<CardLine>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
struct CardLine {
    kind: LineKind,
    text: String,
    /// False for a last line without a line ending.
    newline: bool,
}

impl FileState {
    fn side(&self, bits: Option<u32>) -> PatchSide<'_> {
        PatchSide {
            path: &self.path,
            mode: GitMode::of(false, bits),
        }
    }
}

impl FileChange {
    /// Returns the change of a proposal in the workspace at `root`.
    pub(super) fn of(view: &ProposalView, root: &Path) -> Self {
        let state = |path: &str| FileState {
            path: root.join(path).display().to_string(),
            kind: match view.operation {
                Operation::Link => FileKind::Link,
                Operation::Create
                | Operation::Modify
                | Operation::Rewrite
                | Operation::Permissions
                | Operation::Move
                | Operation::Delete => FileKind::Text,
            },
        };
        let operation = match (view.operation, &view.to) {
            (Operation::Create, _) => FileOperation::Add {
                after: state(&view.path),
            },
            (Operation::Delete, _) => FileOperation::Delete {
                before: state(&view.path),
            },
            (_, Some(to)) => FileOperation::Move {
                before: state(&view.path),
                after: state(to),
            },
            (_, None) => FileOperation::Modify {
                after: state(&view.path),
            },
        };
        Self {
            operation,
            mode: view.effect.mode,
            hunks: view.pending().map(CardHunk::of).collect(),
        }
    }

    pub(super) fn operation(&self) -> &FileOperation {
        &self.operation
    }

    /// Returns the file as the user knows it: what is there now, or what is made.
    pub(super) fn path(&self) -> &str {
        match &self.operation {
            FileOperation::Add { after } | FileOperation::Modify { after } => &after.path,
            FileOperation::Delete { before } | FileOperation::Move { before, .. } => &before.path,
        }
    }

    /// Returns the change as a patch in git's form, with absolute paths; none where there are no lines to show.
    pub(super) fn git_patch(&self) -> Option<String> {
        let (before, after) = match &self.operation {
            FileOperation::Add { after } => (None, Some(after)),
            FileOperation::Delete { before } => (Some(before), None),
            FileOperation::Modify { after } => (Some(after), Some(after)),
            FileOperation::Move { before, after } => (Some(before), Some(after)),
        };
        if before.or(after)?.kind == FileKind::Link {
            return None;
        }
        let head = PatchHead {
            prefixes: ["", ""],
            before: before.map(|state| state.side(self.mode.and_then(|mode| mode.from))),
            after: after.map(|state| state.side(self.mode.map(|mode| mode.to))),
        };
        let shown = self.hunks.iter().filter(|hunk| hunk.has_lines());
        let hunks: Vec<u8> = shown.flat_map(CardHunk::patch).collect();
        let mut patch = Vec::new();
        // Writing to memory does not fail.
        head.write_hunks(&mut patch, &hunks).ok()?;
        let patch = String::from_utf8(patch).ok()?;
        (!patch.is_empty()).then_some(patch)
    }
}

impl CardHunk {
    fn of(hunk: &HunkView) -> Self {
        let mut remarks = Vec::new();
        if let Some(denied) = &hunk.denied_before {
            let told = match &denied.reason {
                Some(reason) => format!("you denied the same before: {reason}"),
                None => "you denied the same before".to_owned(),
            };
            remarks.push(sanitize::clean(&told).into_owned());
        }
        let mut lines = Vec::new();
        if hunk.lines.is_empty() || hunk.is_told_by_sizes() {
            let told = hunk.lines.iter().map(|line| format!("\n{}", line.text));
            remarks.push(hunk.header.clone() + &told.collect::<String>());
        } else {
            // Characters that an editor may show as nothing, or elsewhere.
            let mut hidden = hunk.lines.iter().map(|line| sanitize::clean(&line.text));
            let mut texts = hunk.lines.iter().map(|line| line.text.as_str());
            if let Some(shown) = hidden.find(|shown| texts.next() != Some(shown.as_ref())) {
                remarks.push(format!(
                    "look: a line has characters that may not be seen: {shown}"
                ));
            }
            lines.extend(hunk.lines.iter().map(|line| CardLine {
                kind: line.kind,
                text: line.text.clone(),
                newline: line.newline,
            }));
        }
        Self {
            remarks,
            range: range(hunk),
            lines,
        }
    }

    pub(super) fn has_lines(&self) -> bool {
        !self.lines.is_empty()
    }

    /// Returns the lines of one side, context included.
    pub(super) fn side(&self, kind: LineKind) -> String {
        let mut text = String::new();
        for line in &self.lines {
            if line.kind == kind || line.kind == LineKind::Context {
                text.push_str(&line.text);
                text.push_str(if line.newline { "\n" } else { "" });
            }
        }
        text
    }

    fn patch(&self) -> Vec<u8> {
        let lines = self.lines.iter().map(|line| PatchLine {
            kind: line.kind,
            text: line.text.as_bytes(),
            newline: line.newline,
        });
        let mut patch = Vec::new();
        match write_hunk(&mut patch, &self.range, lines) {
            Ok(()) => patch,
            Err(_) => Vec::new(),
        }
    }
}

/// Returns where the lines of a hunk are: `@@ -3,7 +3,8 @@`.
///
/// A side without lines is told by the line before it, as git does.
fn range(hunk: &HunkView) -> String {
    let old = hunk
        .lines
        .iter()
        .filter(|line| line.kind != LineKind::Added);
    let new = hunk
        .lines
        .iter()
        .filter(|line| line.kind != LineKind::Removed);
    let (first_old, first_new) = (
        old.clone().find_map(|line| line.old),
        new.clone().find_map(|line| line.new),
    );
    let before = |other: Option<u32>| other.unwrap_or(1).saturating_sub(1);
    format!(
        "@@ -{},{} +{},{} @@",
        first_old.unwrap_or(before(first_new)),
        old.count(),
        first_new.unwrap_or(before(first_old)),
        new.count()
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::review::kit::file;

    fn patch(view: &ProposalView) -> Option<String> {
        FileChange::of(view, Path::new("/w")).git_patch()
    }

    #[test]
    fn a_change_is_a_patch_as_git_writes_it() {
        let mut view = file("one");
        let hunk = "@@ -1,1 +1,2 @@\n one\n+new\n";
        let head = "diff --git /w/a.txt /w/a.txt\n";
        assert_eq!(
            patch(&view).unwrap(),
            format!("{head}--- /w/a.txt\n+++ /w/a.txt\n{hunk}")
        );
        view.to = Some("b\"c.txt".to_owned());
        assert_eq!(
            patch(&view).unwrap(),
            format!(
                "diff --git /w/a.txt \"/w/b\\\"c.txt\"\nrename from /w/a.txt\nrename to \"/w/b\\\"c.txt\"\n--- /w/a.txt\n+++ \"/w/b\\\"c.txt\"\n{hunk}"
            )
        );
        view.to = None;
        view.operation = Operation::Create;
        view.hunks[0].lines.remove(0);
        view.hunks[0].lines[0].newline = false;
        let made = "new file mode 100644\n--- /dev/null\n+++ /w/a.txt\n@@ -0,0 +1,1 @@\n+new\n\\ No newline at end of file\n";
        assert_eq!(patch(&view).unwrap(), format!("{head}{made}"));
        view.operation = Operation::Delete;
        view.hunks[0].lines[0].kind = LineKind::Removed;
        view.hunks[0].lines[0].newline = true;
        let gone = "deleted file mode 100644\n--- /w/a.txt\n+++ /dev/null\n@@ -1,1 +0,0 @@\n-new\n";
        assert_eq!(patch(&view).unwrap(), format!("{head}{gone}"));
        view.operation = Operation::Link;
        assert_eq!(patch(&view), None);
        view.operation = Operation::Permissions;
        view.hunks[0].lines.clear();
        assert_eq!(patch(&view), None);
    }
}
