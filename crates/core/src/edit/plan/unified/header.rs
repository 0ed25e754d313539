//! File headers of a patch.
//!
//! In: lines of a patch outside of hunks: `--- a/x` and `+++ b/x`, and those that git writes
//! before them. Out: a [`FilePatch`] per file, to which hunks are added.

use super::parse::FilePatch;
use crate::edit::plan::Presence;

/// The parts of a patch so far.
#[derive(Debug, Default)]
pub(super) struct Headers {
    done: Vec<FilePatch>,
    present: FilePatch,
    /// True while the present part has only git's own lines, so that `---` may still follow.
    open: bool,
}

impl Headers {
    /// Takes a line that begins the part of a file, or says that it is none.
    pub(super) fn begins(&mut self, at: usize, line: &str, next: &str) -> bool {
        if let Some(paths) = line.strip_prefix("diff --git ") {
            self.push(at);
            self.open = true;
            self.present().path = same_on_both_sides(paths);
            return true;
        }
        let is_header = line.starts_with("--- ") && next.starts_with("+++ ");
        if is_header {
            self.named(at, line, next);
        }
        is_header
    }

    /// Takes a line that is in no hunk and begins no part.
    pub(super) fn goes_on(&mut self, at: usize, line: &str) {
        let (from, to) = (
            path_after(line, "rename from "),
            path_after(line, "rename to "),
        );
        if !self.open && (from.is_some() || to.is_some()) {
            self.push(at);
            self.open = true;
        }
        if !self.open {
            return;
        }
        let file = self.present();
        if line.starts_with("new file mode ") {
            file.presence = Presence::Created;
        } else if line.starts_with("deleted file mode ") {
            file.presence = Presence::Deleted;
        } else if from.is_some() {
            file.path = from;
        } else if to.is_some() {
            file.renamed = to;
        } else if line.starts_with("copy to ") {
            file.beyond = Some("copies a file; give the copy with `whole`");
        } else if line.starts_with("GIT binary patch") || line.starts_with("Binary files ") {
            file.beyond = Some("changes a binary file; only texts are edited");
        }
    }

    /// Returns the part that hunks go to.
    pub(super) fn present(&mut self) -> &mut FilePatch {
        &mut self.present
    }

    /// Returns the parts.
    pub(super) fn finish(mut self) -> Vec<FilePatch> {
        self.done.push(self.present);
        self.done
    }

    fn push(&mut self, at: usize) {
        let next = FilePatch {
            lines: at..at,
            ..FilePatch::default()
        };
        self.done.push(std::mem::replace(&mut self.present, next));
    }

    fn named(&mut self, at: usize, old: &str, new: &str) {
        if !self.open {
            self.push(at);
        }
        self.open = false;
        let (old, new) = (name(old), name(new));
        let file = self.present();
        let moves = matches!((&old, &new), (Some(old), Some(new)) if old != new);
        if moves && file.renamed.is_none() {
            file.renamed.clone_from(&new);
        }
        file.presence = match (&old, &new) {
            (None, Some(_)) => Presence::Created,
            (Some(_), None) => Presence::Deleted,
            _ => file.presence,
        };
        file.path = if file.renamed.is_some() {
            old.or(new)
        } else {
            new.or(old)
        };
    }
}

fn path_after(line: &str, mark: &str) -> Option<String> {
    line.strip_prefix(mark).map(unquoted)
}

/// Returns the file of which a `---` line and the `+++` line after it speak, by its new name, and what
/// happens to it.
pub(super) fn file(old: &str, new: &str) -> Option<(String, Presence)> {
    if !old.starts_with("--- ") || !new.starts_with("+++ ") {
        return None;
    }
    match (name(old), name(new)) {
        (Some(old), None) => Some((old, Presence::Deleted)),
        (None, Some(new)) => Some((new, Presence::Created)),
        (Some(_), Some(new)) => Some((new, Presence::Kept)),
        (None, None) => None,
    }
}

/// Returns the path of a `---` or `+++` line; none for `/dev/null`.
fn name(line: &str) -> Option<String> {
    let path = line.get(4..)?.split('\t').next()?.trim();
    (path != "/dev/null").then(|| without_side(&unquoted(path)).to_owned())
}

/// Returns the path of `a/x b/x`; none where the two differ.
fn same_on_both_sides(paths: &str) -> Option<String> {
    let paths = paths.trim();
    let (old, new) = paths.split_at_checked(paths.len() / 2)?;
    let (old, new) = (unquoted(old), unquoted(new.trim_start()));
    let (old, new) = (without_side(&old), without_side(&new));
    (old == new).then(|| old.to_owned())
}

fn unquoted(path: &str) -> String {
    path.trim().trim_matches('"').to_owned()
}

/// Takes the `a/` or `b/` away by which the sides of a patch are told.
fn without_side(path: &str) -> &str {
    path.strip_prefix("a/")
        .or_else(|| path.strip_prefix("b/"))
        .unwrap_or(path)
}
