//! Questions about taking back, and putting back, what the history has.
//!
//! In: entries, newest first. Out: what is to be done, in words and as a target.

use signoff_core::id::ChangesetId;
use signoff_core::plural::counted;
use signoff_core::review::{EntryStatus, HistoryView, RevertTarget, RevertTo};

use super::{History, RevertQuestion};

/// What is said if nothing that was written is in effect.
const NOTHING_TO_TAKE_BACK: &str = "There is nothing to take back";

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
pub(super) fn redo_of_file(path: &str) -> RevertQuestion {
    RevertQuestion {
        target: RevertTarget::OneFile {
            path: path.to_owned(),
            to: RevertTo::Redo,
        },
        text: format!("Put back what was last taken back of {path}?"),
        whole: None,
    }
}

pub(super) fn is_taken_back(entry: &HistoryView) -> bool {
    entry.status == EntryStatus::Reverted && entry.changeset.is_some()
}

pub(super) fn named(entry: &HistoryView) -> String {
    match entry.description.trim() {
        "" => "no description".to_owned(),
        description => format!("\"{description}\""),
    }
}

impl History {
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

    /// Says which files still have their part of what an entry was written with, and offers all of it.
    pub(super) fn others(&self, entry: &HistoryView) -> String {
        let others = entry
            .changeset
            .map(|changeset| others_in_effect(&self.entries, changeset, &entry.path))
            .unwrap_or_default();
        let key = &self.names.whole;
        match others.as_slice() {
            [] => String::new(),
            [one] => format!(" {one} keeps its part of the changeset: {key} takes back all of it."),
            several => format!(
                " {} keep their parts of the changeset: {key} takes back all of it.",
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
    pub(super) fn shared(&self, entry: &HistoryView) -> Option<ChangesetId> {
        let others =
            |id: &ChangesetId| !others_in_effect(&self.entries, *id, &entry.path).is_empty();
        entry.changeset.filter(others)
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
    pub(super) fn redo_of(&self, changeset: ChangesetId) -> Option<RevertQuestion> {
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
}
