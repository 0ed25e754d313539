//! Questions about taking back, and putting back, what the history has.
//!
//! In: entries, newest first. Out: what is to be done, in words and as a target.

use signoff_core::id::ChangesetId;
use signoff_core::plural::counted;
use signoff_core::stage::review::{EntryStatus, HistoryView, RevertTarget, RevertTo};

use super::History;
use crate::response::RevertQuestion;

/// What is said if nothing that was written is in effect.
const NOTHING_TO_TAKE_BACK: &str = "Nothing to revert";

/// Returns the files other than `path` in which something of a changeset is in effect.
pub fn others_in_effect<'e>(
    entries: &'e [HistoryView],
    changeset: ChangesetId,
    path: &str,
) -> Vec<&'e str> {
    let of_it = |entry: &&HistoryView| entry.changeset == Some(changeset) && entry.path != path;
    sorted_paths(entries.iter().filter(is_in_effect).filter(of_it))
}

fn is_in_effect(entry: &&HistoryView) -> bool {
    matches!(entry.status, EntryStatus::Applied | EntryStatus::Ran)
}

/// Returns the files of entries, each once.
fn sorted_paths<'e>(entries: impl Iterator<Item = &'e HistoryView>) -> Vec<&'e str> {
    let mut paths: Vec<&str> = entries.map(|entry| entry.path.as_str()).collect();
    paths.sort_unstable();
    paths.dedup();
    paths
}

/// Returns the question about putting back what was last taken back of one file.
pub(super) fn redo_of_file(path: &str) -> RevertQuestion {
    RevertQuestion {
        target: RevertTarget::file(path, RevertTo::Redo),
        text: format!("Redo what was last reverted in {path}?"),
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

/// The most files that a question names.
const MOST_NAMED: usize = 6;

/// Returns the names of files; of many the first ones, and how many more there are.
pub(super) fn listed(paths: &[&str]) -> String {
    let named = paths.iter().take(MOST_NAMED).copied();
    let named: Vec<&str> = named.collect();
    let named = named.join(", ");
    match paths.len().saturating_sub(MOST_NAMED) {
        0 => named,
        more => format!("{named} +{more} more"),
    }
}

impl History {
    /// Returns the question about taking the newest change of `path` back; else of the selected file, or of any. Says
    /// so if there is nothing.
    pub fn ask_revert(
        &self,
        path: Option<&str>,
        selected: Option<&str>,
    ) -> Result<RevertQuestion, String> {
        match path {
            Some(path) => self
                .revert_last(Some(self.path_now(path)))
                .ok_or_else(|| format!("Nothing to revert in {path}")),
            None => self
                .revert_last(selected)
                .or_else(|| self.revert_last(None))
                .ok_or_else(|| NOTHING_TO_TAKE_BACK.to_owned()),
        }
    }

    /// Returns where a file is that was at a path; the path itself if it has entries.
    fn path_now<'p>(&'p self, path: &'p str) -> &'p str {
        if self.entries.iter().any(|entry| entry.path == path) {
            return path;
        }
        let moves = self.entries.iter();
        let mut moves = moves.filter(|entry| {
            let moved = entry.moved.as_ref();
            moved.is_some_and(|(from, _)| from == path)
        });
        moves.next().map_or(path, |entry| &entry.path)
    }

    /// Returns the question about taking the newest changeset back, or says that there is none.
    pub fn ask_undo(&self) -> Result<RevertQuestion, String> {
        self.undo().ok_or_else(|| NOTHING_TO_TAKE_BACK.to_owned())
    }

    /// Returns the question about putting back what was last taken back, or says that nothing was.
    pub fn ask_redo(&self) -> Result<RevertQuestion, String> {
        self.redo_last().ok_or_else(|| "Nothing to redo".to_owned())
    }

    /// Returns the question about taking the newest change back: of `path`, or of any file.
    fn revert_last(&self, path: Option<&str>) -> Option<RevertQuestion> {
        let entry = self
            .entries
            .iter()
            .filter(|entry| path.is_none_or(|path| entry.path == path) && !self.is_commit(entry))
            .find(|entry| entry.status == EntryStatus::Applied)?;
        Some(RevertQuestion {
            target: RevertTarget::file(&entry.path, RevertTo::Last),
            text: format!(
                "Revert {} in {} (+{} -{})?{}",
                named(entry),
                entry.path,
                entry.removed,
                entry.added,
                self.others(entry)
            ),
            whole: self.shared(entry),
        })
    }

    /// Returns the question about taking back all that was written with the newest changeset.
    fn undo(&self) -> Option<RevertQuestion> {
        let entries = || self.entries.iter().filter(is_in_effect);
        let newest = entries().find(|entry| entry.changeset.is_some())?;
        if self.is_commit(newest) {
            return self.undo_commit(newest);
        }
        let changeset = newest.changeset?;
        let own = || entries().filter(|entry| entry.changeset == Some(changeset));
        let paths = sorted_paths(own());
        let files = counted(paths.len(), "file");
        // What is written at once has one time.
        let before = sorted_paths(own().filter(|entry| entry.time != newest.time));
        let before = match before.as_slice() {
            [] => String::new(),
            paths => format!(" Part of it was signed off before, in {}.", listed(paths)),
        };
        Some(RevertQuestion {
            target: RevertTarget::Changeset { changeset },
            text: format!(
                "Revert the last change, in {files}: {}?{before}",
                listed(&paths)
            ),
            whole: None,
        })
    }

    /// Returns the question about taking back a commit of a program, and what was written with it.
    pub(super) fn undo_commit(&self, entry: &HistoryView) -> Option<RevertQuestion> {
        let changeset = entry.changeset?;
        let with = self.written_with(changeset);
        let paths = with.map(|with| others_in_effect(&self.entries, with, ""));
        let files = match paths.as_deref() {
            None | Some([]) => String::new(),
            Some(paths) => format!(", and what was written with it, in {}", listed(paths)),
        };
        let (what, name) = (named(entry), &entry.path);
        Some(RevertQuestion {
            target: RevertTarget::Changeset { changeset },
            text: format!("Revert {name} {what}{files}?"),
            whole: None,
        })
    }

    /// Returns the question about making a commit again that was taken back, with what was taken back with it; none if it was
    /// not.
    pub(super) fn redo_commit(&self, entry: &HistoryView) -> Option<RevertQuestion> {
        let redo = entry.changeset.filter(|_| is_taken_back(entry))?;
        let with = self.written_with(redo);
        let own = self.entries.iter().filter(|own| is_taken_back(own));
        let own = own.filter(|own| with.is_some() && own.changeset == with);
        // What was reverted of its files before is not made again with it.
        let own: Vec<&HistoryView> = own.collect();
        let newest = own.iter().filter_map(|own| own.turned).max();
        let newest =
            newest.filter(|newest| self.last_written(redo).is_none_or(|own| *newest > own));
        let beside = own
            .into_iter()
            .filter(|own| newest.is_some() && own.turned == newest);
        let paths = sorted_paths(beside);
        let files = match paths.as_slice() {
            [] => String::new(),
            paths => format!(", and what was reverted with it, in {}", listed(paths)),
        };
        let (what, name) = (named(entry), &entry.path);
        Some(RevertQuestion {
            target: RevertTarget::Redo { redo },
            text: format!("Redo {name} {what}{files}?"),
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
            [one] => format!(" {one} keeps its part of the change: {key} reverts all of it."),
            // Their names are in the question about all of it, and the answers have to be seen.
            several => format!(
                " {} other files keep their parts: {key} reverts all of it.",
                several.len()
            ),
        }
    }

    /// Tells whether something of a changeset was written and is not reverted.
    pub fn is_in_effect(&self, changeset: ChangesetId) -> bool {
        !others_in_effect(&self.entries, changeset, "").is_empty()
    }

    /// Returns the question about taking a changeset back in all of its files.
    pub fn whole(&self, changeset: ChangesetId) -> RevertQuestion {
        let paths = others_in_effect(&self.entries, changeset, "");
        let files = counted(paths.len(), "file");
        RevertQuestion {
            target: RevertTarget::Changeset { changeset },
            text: format!("Revert all of the change, in {files}: {}?", listed(&paths)),
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
        // Of those that were taken back at once the newest.
        let taken_back = self.entries.iter().rev().filter(|own| is_taken_back(own));
        let newest = taken_back.max_by_key(|entry| entry.turned)?;
        if self.is_commit(newest) {
            return self.redo_commit(newest);
        }
        let question = newest
            .changeset
            .and_then(|changeset| self.redo_of(changeset));
        Some(question.unwrap_or_else(|| redo_of_file(&newest.path)))
    }

    /// Returns the question about putting a changeset back, with all that was taken back with it at once; none if that is
    /// in one file only.
    pub(super) fn redo_of(&self, changeset: ChangesetId) -> Option<RevertQuestion> {
        let reverts = || {
            let reverts = self.entries.iter();
            let reverts = reverts.filter(|entry| entry.status == EntryStatus::Revert);
            reverts.filter_map(|revert| Some((revert, self.newest_taken_back(revert)?)))
        };
        let own = reverts().filter(|(_, of)| *of == changeset);
        let newest = own.map(|(revert, _)| revert.time).max();
        let at_once = reverts().filter(|(revert, _)| Some(revert.time) == newest);
        let at_once: Vec<(&str, ChangesetId)> = at_once
            .map(|(revert, of)| (revert.path.as_str(), of))
            .collect();
        let is_alone = at_once.iter().all(|(_, of)| *of == changeset);
        let mut paths: Vec<&str> = at_once.into_iter().map(|(path, _)| path).collect();
        paths.sort_unstable();
        paths.dedup();
        let what = if is_alone {
            "what was reverted of one change"
        } else {
            "all that was reverted at once"
        };
        (paths.len() > 1).then(|| RevertQuestion {
            target: RevertTarget::Redo { redo: changeset },
            text: format!(
                "Redo {what}, in {}: {}?",
                counted(paths.len(), "file"),
                listed(&paths)
            ),
            whole: None,
        })
    }

    /// Returns the changeset of the newest change that a revert takes back; none for one that puts others back.
    fn newest_taken_back(&self, revert: &HistoryView) -> Option<ChangesetId> {
        let is_taken = |entry: &&HistoryView| {
            entry.path == revert.path && revert.takes_back.contains(&entry.version)
        };
        let taken = self.entries.iter().filter(is_taken);
        let changes = taken.filter_map(|entry| Some((entry.version, entry.changeset?)));
        changes.max().map(|(_, changeset)| changeset)
    }
}

#[cfg(test)]
mod tests {
    use signoff_core::id::Timestamp;
    use uuid::Uuid;

    use super::*;
    use crate::review::history::changes::tests::entry;

    fn changeset(id: u128) -> ChangesetId {
        ChangesetId(Uuid::from_u128(id))
    }

    /// A change that is taken back, as a path, a version and its changeset.
    fn taken_back((path, version, id): (&str, u64, u128)) -> HistoryView {
        HistoryView {
            version,
            ..entry(path, Some(id), EntryStatus::Reverted)
        }
    }

    /// A revert, as a path, a time and what it takes back.
    fn revert((path, time, takes_back): (&str, i64, &[u64])) -> HistoryView {
        HistoryView {
            version: 9,
            time: Timestamp(time),
            takes_back: takes_back.to_vec(),
            ..entry(path, None, EntryStatus::Revert)
        }
    }

    #[test]
    fn a_redo_names_all_files_that_were_taken_back_at_once() {
        let changes = [("a", 1, 1), ("b", 1, 1), ("b", 2, 2), ("c", 1, 2)].map(taken_back);
        let check = |reverts: &[(&str, i64, &[u64])], id, expected: Option<&str>| {
            let mut history = History::default();
            let reverts = reverts.iter().copied().map(revert);
            history.set(reverts.chain(changes.clone()).collect());
            let question = history.redo_of(changeset(id));
            let target = question.as_ref().map(|question| question.target.clone());
            let redo = changeset(id);
            assert_eq!(target, expected.map(|_| RevertTarget::Redo { redo }));
            let text = question.map(|question| question.text);
            assert_eq!(text.as_deref(), expected, "{id}");
        };
        // Two changesets at once.
        let together: &[(&str, i64, &[u64])] = &[("a", 5, &[1]), ("b", 5, &[2, 1]), ("c", 5, &[1])];
        let all = "Redo all that was reverted at once, in 3 files: a, b, c?";
        check(together, 2, Some(all));
        check(together, 1, Some(all));
        // One after the other: each alone.
        let apart: &[(&str, i64, &[u64])] = &[
            ("a", 6, &[1]),
            ("b", 6, &[1]),
            ("b", 5, &[2]),
            ("c", 5, &[1]),
        ];
        let one =
            |files: &str| format!("Redo what was reverted of one change, in 2 files: {files}?");
        check(apart, 2, Some(&one("b, c")));
        check(apart, 1, Some(&one("a, b")));
        // A file that was reverted before the others stays.
        let one_before: &[(&str, i64, &[u64])] = &[("b", 6, &[2]), ("c", 5, &[1])];
        check(one_before, 2, None);
        // One file alone is asked about as a file.
        check(&[("a", 5, &[1])], 1, None);
    }
}
