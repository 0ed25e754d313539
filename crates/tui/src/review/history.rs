//! History overlay: entries newest first, and reverting them.
//!
//! In: history entries and keys. Out: rows, and questions before anything is taken back.

use signoff_core::id::{ChangesetId, Timestamp};
use signoff_core::plural::counted;
use signoff_core::review::{EntryStatus, HistoryView, RevertTarget, RevertTo};

use crate::theme::Role;
use crate::wrap::Row;

/// What keys ask of the history overlay.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum HistoryKey {
    /// Select the entry above.
    Previous,
    /// Select the entry below.
    Next,
    /// Move by a screen.
    PageUp,
    /// Move by a screen.
    PageDown,
    /// Go back to before the selected entry.
    Revert,
    /// Take back the selected entry and keep the later ones.
    Only,
    /// Put back what the newest revert of the selected file took back.
    Redo,
}

/// A revert that the user has yet to confirm.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct RevertQuestion {
    /// What.
    pub(crate) target: RevertTarget,
    /// What will be taken back, as a question.
    pub(crate) text: String,
    /// The changeset that it is a part of, if other files have something of it too.
    pub(crate) whole: Option<ChangesetId>,
}

/// Returns the files other than `path` in which something of a changeset is in effect.
pub(crate) fn others_in_effect<'e>(
    entries: &'e [HistoryView],
    changeset: ChangesetId,
    path: &str,
) -> Vec<&'e str> {
    let in_effect =
        |entry: &&HistoryView| matches!(entry.status, EntryStatus::Applied | EntryStatus::Ran);
    let of_it = |entry: &&HistoryView| entry.changeset == Some(changeset) && entry.path != path;
    let own = entries.iter().filter(in_effect).filter(of_it);
    let mut paths: Vec<&str> = own.map(|entry| entry.path.as_str()).collect();
    paths.sort_unstable();
    paths.dedup();
    paths
}

/// Returns the question about putting back what was last taken back of one file.
fn redo_of_file(path: &str) -> RevertQuestion {
    RevertQuestion {
        target: RevertTarget::OneFile {
            path: path.to_owned(),
            to: RevertTo::Redo,
        },
        text: format!("Put back what was last taken back of {path}?"),
        whole: None,
    }
}

fn is_taken_back(entry: &HistoryView) -> bool {
    entry.status == EntryStatus::Reverted && entry.changeset.is_some()
}

/// What is said if nothing that was written is in effect.
const NOTHING_TO_TAKE_BACK: &str = "There is nothing to take back";

/// The newest history entries, as last told.
#[derive(Debug, Default)]
pub(crate) struct History {
    entries: Vec<HistoryView>,
    known: bool,
    at: usize,
    top: usize,
    page: usize,
}

impl History {
    /// Takes over the entries, newest first.
    pub(crate) fn set(&mut self, entries: Vec<HistoryView>) {
        self.entries = entries;
        self.known = true;
        self.at = self.at.min(self.entries.len().saturating_sub(1));
    }

    /// Returns true once entries were told.
    pub(crate) fn is_known(&self) -> bool {
        self.known
    }

    /// Returns the files that were written, the newest change first, each once.
    pub(crate) fn paths(&self) -> Vec<&str> {
        let mut paths: Vec<&str> = Vec::new();
        for entry in &self.entries {
            if !paths.contains(&entry.path.as_str()) {
                paths.push(&entry.path);
            }
        }
        paths
    }

    /// Moves the selection, or asks about the selected entry.
    pub(crate) fn handle(&mut self, key: HistoryKey) -> Option<RevertQuestion> {
        let page = self.page.max(1);
        match key {
            HistoryKey::Previous => self.at = self.at.saturating_sub(1),
            HistoryKey::Next => self.at += 1,
            HistoryKey::PageUp => self.at = self.at.saturating_sub(page),
            HistoryKey::PageDown => self.at += page,
            HistoryKey::Revert => return self.revert_selected(),
            HistoryKey::Only => return self.only_selected(),
            HistoryKey::Redo => return self.redo_selected(),
        }
        self.at = self.at.min(self.entries.len().saturating_sub(1));
        None
    }

    /// Returns the question about taking the newest change of `path` back; else of the selected file, or of any. Says
    /// so if there is nothing.
    pub(crate) fn ask_revert(
        &self,
        path: Option<&str>,
        selected: Option<&str>,
    ) -> Result<RevertQuestion, String> {
        match path {
            Some(path) => self
                .revert_last(Some(path))
                .ok_or_else(|| format!("There is nothing to take back in {path}")),
            None => self
                .revert_last(selected)
                .or_else(|| self.revert_last(None))
                .ok_or_else(|| NOTHING_TO_TAKE_BACK.to_owned()),
        }
    }

    /// Returns the question about taking the newest changeset back, or says that there is none.
    pub(crate) fn ask_undo(&self) -> Result<RevertQuestion, String> {
        self.undo().ok_or_else(|| NOTHING_TO_TAKE_BACK.to_owned())
    }

    /// Returns the question about putting back what was last taken back, or says that nothing was.
    pub(crate) fn ask_redo(&self) -> Result<RevertQuestion, String> {
        self.redo_last()
            .ok_or_else(|| "There is nothing to put back".to_owned())
    }

    /// Returns the question about taking the newest change back: of `path`, or of any file.
    fn revert_last(&self, path: Option<&str>) -> Option<RevertQuestion> {
        let entry = self
            .entries
            .iter()
            .filter(|entry| path.is_none_or(|path| entry.path == path))
            .find(|entry| entry.status == EntryStatus::Applied)?;
        Some(RevertQuestion {
            target: RevertTarget::OneFile {
                path: entry.path.clone(),
                to: RevertTo::Last,
            },
            text: format!(
                "Take back version {} of {}: {} (+{} -{})?{}",
                entry.version,
                entry.path,
                named(entry),
                entry.removed,
                entry.added,
                self.others(entry)
            ),
            whole: self.shared(entry),
        })
    }

    /// Returns the question about taking back all that was written with the newest changeset.
    fn undo(&self) -> Option<RevertQuestion> {
        let in_effect =
            |entry: &&HistoryView| matches!(entry.status, EntryStatus::Applied | EntryStatus::Ran);
        let entries = || self.entries.iter().filter(in_effect);
        let changeset = entries().find_map(|entry| entry.changeset)?;
        let own = entries().filter(|entry| entry.changeset == Some(changeset));
        let mut paths: Vec<&str> = own.map(|entry| entry.path.as_str()).collect();
        paths.sort_unstable();
        paths.dedup();
        let files = counted(paths.len(), "file");
        Some(RevertQuestion {
            target: RevertTarget::Changeset { changeset },
            text: format!(
                "Take back all of the last changeset, in {files}: {}?",
                paths.join(", ")
            ),
            whole: None,
        })
    }

    /// Decides which entries are shown in `height` rows: the selected one is among them.
    pub(crate) fn lay_out(&mut self, height: usize) {
        self.page = height;
        self.top = self
            .top
            .min(self.at)
            .max((self.at + 1).saturating_sub(height));
    }

    /// Returns the rows of the entries that were decided on.
    pub(crate) fn rows(&self, width: usize, now: Timestamp) -> Vec<Row> {
        if self.entries.is_empty() {
            let text = if self.known {
                "Nothing was written yet."
            } else {
                "History has not arrived yet."
            };
            return vec![Row::new(Role::Dim, text)];
        }
        let entries = self.entries.iter().enumerate();
        let shown = entries.skip(self.top).take(self.page);
        shown
            .map(|(index, entry)| entry_row(entry, index == self.at, now).clipped(width))
            .collect()
    }

    fn only_selected(&self) -> Option<RevertQuestion> {
        let entry = self.entries.get(self.at)?;
        Some(RevertQuestion {
            target: RevertTarget::OneFile {
                path: entry.path.clone(),
                to: RevertTo::Only(entry.version),
            },
            text: format!(
                "Take back only version {} of {}: {}? Later ones stay.{}",
                entry.version,
                entry.path,
                named(entry),
                self.others(entry)
            ),
            whole: self.shared(entry),
        })
    }

    /// Says which files still have their part of what an entry was written with, and offers all of it.
    fn others(&self, entry: &HistoryView) -> String {
        let others = entry
            .changeset
            .map(|changeset| others_in_effect(&self.entries, changeset, &entry.path))
            .unwrap_or_default();
        match others.as_slice() {
            [] => String::new(),
            [one] => format!(" {one} keeps its part of the changeset: a takes back all of it."),
            several => format!(
                " {} keep their parts of the changeset: a takes back all of it.",
                several.join(", ")
            ),
        }
    }

    /// Returns the question about taking a changeset back in all of its files.
    pub(crate) fn whole(&self, changeset: ChangesetId) -> RevertQuestion {
        let paths = others_in_effect(&self.entries, changeset, "");
        let files = counted(paths.len(), "file");
        RevertQuestion {
            target: RevertTarget::Changeset { changeset },
            text: format!(
                "Take back all of the changeset, in {files}: {}?",
                paths.join(", ")
            ),
            whole: None,
        }
    }

    /// Returns the changeset of an entry, if other files have something of it too.
    fn shared(&self, entry: &HistoryView) -> Option<ChangesetId> {
        let others =
            |id: &ChangesetId| !others_in_effect(&self.entries, *id, &entry.path).is_empty();
        entry.changeset.filter(others)
    }

    fn redo_selected(&self) -> Option<RevertQuestion> {
        let path = &self.entries.get(self.at)?.path;
        let mut own = self.entries.iter().filter(|entry| entry.path == *path);
        let taken_back = own.find(|entry| is_taken_back(entry));
        let changeset = taken_back.and_then(|entry| entry.changeset);
        if let Some(question) = changeset.and_then(|changeset| self.redo_of(changeset)) {
            return Some(question);
        }
        Some(redo_of_file(path))
    }

    /// Returns the question about putting back what was last taken back, in all files of its changeset.
    fn redo_last(&self) -> Option<RevertQuestion> {
        let newest = self.entries.iter().find(|entry| is_taken_back(entry))?;
        let question = newest
            .changeset
            .and_then(|changeset| self.redo_of(changeset));
        Some(question.unwrap_or_else(|| redo_of_file(&newest.path)))
    }

    /// Returns the question about putting a changeset back; none if it is taken back in one file only.
    fn redo_of(&self, changeset: ChangesetId) -> Option<RevertQuestion> {
        let own = self.entries.iter().filter(|entry| is_taken_back(entry));
        let own = own.filter(|entry| entry.changeset == Some(changeset));
        let mut paths: Vec<&str> = own.map(|entry| entry.path.as_str()).collect();
        paths.sort_unstable();
        paths.dedup();
        (paths.len() > 1).then(|| RevertQuestion {
            target: RevertTarget::Redo { redo: changeset },
            text: format!(
                "Put back what was taken back of one changeset, in {}: {}?",
                counted(paths.len(), "file"),
                paths.join(", ")
            ),
            whole: None,
        })
    }

    fn revert_selected(&self) -> Option<RevertQuestion> {
        let entry = self.entries.get(self.at)?;
        let newest = self
            .entries
            .iter()
            .find(|other| other.path == entry.path)
            .map_or(entry.version, |newest| newest.version);
        let range = if newest == entry.version {
            format!("version {newest}")
        } else {
            format!("versions {} to {newest}", entry.version)
        };
        Some(RevertQuestion {
            target: RevertTarget::OneFile {
                path: entry.path.clone(),
                to: RevertTo::Version(entry.version.saturating_sub(1)),
            },
            text: format!(
                "Put {} back to before version {}: {}? This takes back {range}.{}",
                entry.path,
                entry.version,
                named(entry),
                self.others(entry)
            ),
            whole: self.shared(entry),
        })
    }
}

fn entry_row(entry: &HistoryView, selected: bool, now: Timestamp) -> Row {
    let (mark, role) = if selected {
        ("▸ ", Role::Selected)
    } else {
        ("  ", Role::Text)
    };
    let mut row = Row::new(role, mark)
        .with(role, &entry.path)
        .with(Role::Dim, &format!("  {:>3}  ", entry.version))
        .with(Role::Added, &format!("+{}", entry.added))
        .with(Role::Text, " ")
        .with(Role::Removed, &format!("-{}", entry.removed))
        .with(Role::Dim, &format!("  {}  ", age(entry.time, now)));
    if entry.status != EntryStatus::Applied {
        row.push(Role::Warn, entry.status.as_str());
        row.push(Role::Text, "  ");
    }
    row.with(role, &entry.description)
}

fn named(entry: &HistoryView) -> String {
    match entry.description.trim() {
        "" => "no description".to_owned(),
        description => format!("\"{description}\""),
    }
}

/// Returns how long ago something was, in one unit.
fn age(then: Timestamp, now: Timestamp) -> String {
    let seconds = now.0.saturating_sub(then.0).max(0) / 1000;
    match seconds {
        0..60 => "just now".to_owned(),
        60..3_600 => format!("{} min ago", seconds / 60),
        3_600..86_400 => format!("{} h ago", seconds / 3_600),
        86_400..172_800 => "1 day ago".to_owned(),
        _ => format!("{} days ago", seconds / 86_400),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tells_ages() {
        let check = |seconds: i64, expected| {
            assert_eq!(age(Timestamp(0), Timestamp(seconds * 1000)), expected);
        };
        check(-5, "just now");
        check(59, "just now");
        check(60, "1 min ago");
        check(7_300, "2 h ago");
        check(100_000, "1 day ago");
        check(1_000_000, "11 days ago");
    }
}
