//! Taking a hunk out of the review: its text to the clipboard or to be edited, its place to the user's editor.
//!
//! In: the selected hunk. Out: a text, or a file with a line.

use signoff_core::edit::diff::line::LineKind;
use signoff_core::stage::review::{HunkReading, HunkView, Verdict};

use super::ReviewSubject;
use crate::response::{FileLine, Manuscript, Response};
use crate::review::conflict::{both, is_conflict};

impl ReviewSubject {
    /// Returns the selected hunk's new text for the clipboard.
    pub(in crate::review) fn yank(&self) -> Response {
        let Some(hunk) = self.list.selected_hunk() else {
            return Response::say("There is no hunk here");
        };
        let text = match self.marks().get(hunk.id) {
            Some(Verdict::ApproveEdited { text, .. }) => text.clone(),
            _ => hunk.new_text(),
        };
        if text.is_empty() {
            return Response::say("The hunk has no new text to copy");
        }
        Response::Copy(text)
    }

    /// Returns the selected hunk's new text to be edited; nothing if it has no lines.
    pub(in crate::review) fn manuscript(&self) -> Option<Manuscript> {
        let (file, hunk) = self.selected()?;
        if hunk.lines.is_empty() || hunk.is_told_by_sizes() {
            return None;
        }
        Some(Manuscript {
            hunk: hunk.id,
            path: file.path.clone(),
            reads: HunkReading::of(hunk),
            text: match self.marks().get(hunk.id) {
                Some(Verdict::ApproveEdited { text, .. }) => text.clone(),
                _ if is_conflict(hunk) => both(hunk),
                _ => hunk.new_text(),
            },
        })
    }

    /// Returns where the selected hunk is on disk.
    pub(in crate::review) fn open_in_editor(&self) -> Response {
        match self.selected() {
            Some((file, hunk)) => Response::OpenFile(FileLine {
                path: file.path.clone(),
                line: line_on_disk(hunk),
            }),
            None => Response::say("There is no hunk here"),
        }
    }
}

/// Returns the line of the first change in the file as it is.
fn line_on_disk(hunk: &HunkView) -> u32 {
    let mut line = 1;
    for own in &hunk.lines {
        line = own.old.unwrap_or(line);
        match own.kind {
            LineKind::Context => line = line.saturating_add(1),
            LineKind::Removed | LineKind::Added => return line,
        }
    }
    line
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::review::kit::file;

    #[test]
    fn the_line_is_that_of_the_first_change_before_it_is_made() {
        let mut hunk = file("above").hunks.remove(0);
        hunk.lines[0].old = Some(7);
        hunk.lines[1].old = None;
        assert_eq!(line_on_disk(&hunk), 8, "added after line 7");
        hunk.lines[1].kind = LineKind::Removed;
        hunk.lines[1].old = Some(8);
        assert_eq!(line_on_disk(&hunk), 8);
        hunk.lines.clear();
        assert_eq!(line_on_disk(&hunk), 1);
    }
}
