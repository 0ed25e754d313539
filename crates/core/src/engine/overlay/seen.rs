//! User edits: files that the user changed since a tool read them.
//!
//! In: files as the tools read them. Out: for each that the user changed since, what changed in
//! short. What is written here, by a commit or a revert, is no change of the user's.

use serde::{Deserialize, Serialize};

use crate::disk::workspace::{Workspace, WorkspacePath};
use crate::edit::diff::hunk;
use crate::edit::diff::line::LineKind;
use crate::edit::diff::lines::difference;
use crate::text::Source;

/// Maximum number of files remembered, the most recently read.
const MOST_FILES: usize = 256;
/// Maximum size of them together, in bytes.
const MOST_BYTES: usize = 32 * 1024 * 1024;
/// Maximum number of changed lines reported for a file.
const MOST_LINES: usize = 12;
/// Maximum number of characters reported for a line.
const MOST_CHARS: usize = 160;

/// What the user changed in one file.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct UserEdit {
    /// The file.
    pub path: String,
    /// True if it is not there any more.
    pub gone: bool,
    /// Lines added.
    pub added: u32,
    /// Lines removed.
    pub removed: u32,
    /// The first changed lines: `-12 old` and `+12 new`, numbers before and after.
    pub lines: Vec<String>,
}

/// Files as they were on disk when they were last read, the oldest first.
#[derive(Debug, Default)]
pub(in crate::engine) struct Seen(Vec<(WorkspacePath, Option<Source>)>);

impl Seen {
    /// Remembers a file as it is on disk.
    pub(in crate::engine) fn remember(&mut self, path: &WorkspacePath, text: Option<Source>) {
        self.0.retain(|(own, _)| own != path);
        self.0.push((path.clone(), text));
        let mut bytes: usize = self.0.iter().map(|(_, text)| size(text)).sum();
        while self.0.len() > MOST_FILES || (bytes > MOST_BYTES && self.0.len() > 1) {
            bytes -= size(&self.0.remove(0).1);
        }
    }

    /// Takes over what was written here.
    pub(in crate::engine) fn written(
        &mut self,
        from: &WorkspacePath,
        to: &WorkspacePath,
        text: Option<&Source>,
    ) {
        if self.0.iter().any(|(own, _)| own == from) {
            self.0.retain(|(own, _)| own != from);
            self.remember(to, text.cloned());
        }
    }

    /// Returns what the user changed in files that were read, since they were read or since the
    /// last call. A file that cannot be read now is told of when it can.
    pub(in crate::engine) fn user_edits(&mut self, workspace: &dyn Workspace) -> Vec<UserEdit> {
        let mut edits = Vec::new();
        for (path, before) in &mut self.0 {
            let Ok(now) = workspace.read(path) else {
                continue;
            };
            let now = now.map(|image| image.source);
            if now != *before {
                edits.push(told(path, before.as_ref(), now.as_ref()));
                *before = now;
            }
        }
        edits
    }
}

fn size(text: &Option<Source>) -> usize {
    text.as_ref().map_or(0, |text| text.bytes().len())
}

fn told(path: &WorkspacePath, before: Option<&Source>, now: Option<&Source>) -> UserEdit {
    let empty = Source::new(Vec::new());
    let (before, after) = (before.unwrap_or(&empty), now.unwrap_or(&empty));
    let edits = hunk::by_line(before, &difference(before, after));
    let numbers = hunk::group(before, &edits);
    let hunks = hunk::render(before, &edits, &numbers);
    let lines = hunks.iter().flat_map(|hunk| &hunk.lines);
    let lines = lines.filter_map(|line| {
        let (mark, number) = match line.kind {
            LineKind::Context => return None,
            LineKind::Removed => ('-', line.old),
            LineKind::Added => ('+', line.new),
        };
        let text: String = line.text.chars().take(MOST_CHARS).collect();
        Some(format!("{mark}{} {text}", number.unwrap_or_default()))
    });
    UserEdit {
        path: path.to_string(),
        gone: now.is_none(),
        added: hunks.iter().map(|hunk| hunk.added).sum(),
        removed: hunks.iter().map(|hunk| hunk.removed).sum(),
        lines: match now {
            Some(_) => lines.take(MOST_LINES).collect(),
            None => Vec::new(),
        },
    }
}
