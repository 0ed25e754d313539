//! History overlay: changes newest first, their files, and reverting them.
//!
//! In: history entries and keys. Out: rows, questions before anything is taken back, and what is to be shown.

mod changes;
mod questions;
mod rows;

use std::collections::HashSet;

use signoff_core::id::{ChangesetId, Timestamp};
use signoff_core::plural::counted;
use signoff_core::quote::one_line;
use signoff_core::stage::review::{DeniedEdit, DiffScope, HistoryView, RevertTarget, RevertTo};

use self::changes::{Change, ChangeKey, HistoryLine};
pub use self::questions::others_in_effect;
use self::questions::{is_taken_back, listed, named, redo_of_file};
pub use self::rows::LocalTime;

use super::KeyNames;
use crate::response::{Response, RevertQuestion};
use crate::theme::Role;
use crate::wrap::Row;

/// Bytes of a prompt in a question: the files behind it have to be read as well.
const TITLE_BYTES: usize = 60;

/// A commit of a program that was made in the repository.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MadeCommit {
    /// As the list shows it: an entry of no file, with the commit's id as its changeset.
    pub entry: HistoryView,
    /// The changeset of the files that were written with it, if there were any.
    pub with: Option<ChangesetId>,
    /// Of one that was reverted: when the newest entry of history had been written before, if that is known.
    pub last_written: Option<Timestamp>,
}

/// The newest history entries, as last told.
#[derive(Debug, Default)]
pub struct History {
    entries: Vec<HistoryView>,
    /// Commits of programs that were made, which stand among the entries.
    commits: Vec<MadeCommit>,
    changes: Vec<Change>,
    /// The changes that are opened.
    open: HashSet<ChangeKey>,
    lines: Vec<HistoryLine>,
    /// The hunks that were denied, newest first.
    denied: Vec<DeniedEdit>,
    /// True while these are listed in the place of changes.
    lists_denied: bool,
    known: bool,
    at: usize,
    top: usize,
    page: usize,
    names: KeyNames,
}

impl History {
    /// Takes over what keys are called.
    pub fn name_keys(&mut self, names: KeyNames) {
        self.names = names;
    }

    /// Takes over the entries, newest first.
    pub fn set(&mut self, entries: Vec<HistoryView>) {
        self.known = true;
        self.list_entries(entries);
    }

    /// Takes over the commits of programs that were made.
    pub fn set_commits(&mut self, commits: Vec<MadeCommit>) {
        if commits != self.commits {
            let files = self.entries.iter();
            let files = files.filter(|own| !self.is_commit(own)).cloned().collect();
            self.commits = commits;
            self.list_entries(files);
        }
    }

    fn is_commit(&self, entry: &HistoryView) -> bool {
        self.commits.iter().any(|own| own.entry == *entry)
    }

    /// Returns the commit that a target is about, if it is about one.
    pub fn commit_of(&self, target: &RevertTarget) -> Option<ChangesetId> {
        let (RevertTarget::Changeset { changeset } | RevertTarget::Redo { redo: changeset }) =
            target
        else {
            return None;
        };
        let mut commits = self.commits.iter();
        let found = commits.find(|own| own.entry.changeset == Some(*changeset));
        found.and_then(|own| own.entry.changeset)
    }

    /// Returns what was written with a commit, if anything was.
    pub fn written_with(&self, commit: ChangesetId) -> Option<ChangesetId> {
        let mut commits = self.commits.iter();
        let found = commits.find(|own| own.entry.changeset == Some(commit));
        found.and_then(|own| own.with)
    }

    /// Returns when the newest entry of history had been written before a commit was reverted, if that is known.
    fn last_written(&self, commit: ChangesetId) -> Option<Timestamp> {
        let mut commits = self.commits.iter();
        let found = commits.find(|own| own.entry.changeset == Some(commit));
        found.and_then(|own| own.last_written)
    }

    /// Makes the list of these entries of files, and of the commits.
    fn list_entries(&mut self, entries: Vec<HistoryView>) {
        let selected = self.selected_change().map(|change| change.key.clone());
        self.entries = entries;
        for MadeCommit { entry, .. } in &self.commits {
            let older = |own: &HistoryView| own.time <= entry.time;
            let at = self.entries.iter().position(older);
            let at = at.unwrap_or(self.entries.len());
            self.entries.insert(at, entry.clone());
        }
        self.changes = changes::changes(&self.entries);
        let keys: HashSet<&ChangeKey> = self.changes.iter().map(|change| &change.key).collect();
        self.open.retain(|key| keys.contains(key));
        self.relist(selected.as_ref());
    }

    /// Makes the lines anew; the selection goes to this change, if it is there and another is selected.
    fn relist(&mut self, selected: Option<&ChangeKey>) {
        self.lines = if self.lists_denied {
            (0..self.denied.len()).map(HistoryLine::Denied).collect()
        } else {
            changes::lines(&self.changes, &self.open)
        };
        self.at = self.at.min(self.lines.len().saturating_sub(1));
        let is_selected = self.selected_change().map(|change| &change.key) == selected;
        if let (Some(selected), false) = (selected, is_selected) {
            let is_it = |line: &HistoryLine| match line {
                HistoryLine::Change(at) => self
                    .changes
                    .get(*at)
                    .is_some_and(|own| own.key == *selected),
                HistoryLine::Entry { .. } | HistoryLine::Denied(_) => false,
            };
            self.at = self.lines.iter().position(is_it).unwrap_or(self.at);
        }
    }

    /// Takes over the hunks that were denied, newest first.
    pub fn set_denied(&mut self, denied: Vec<DeniedEdit>) {
        self.denied = denied;
        let selected = self.selected_change().map(|change| change.key.clone());
        self.relist(selected.as_ref());
    }

    /// Lists what was denied, or again what was written.
    pub fn switch_to_denied(&mut self) -> Response {
        self.list(!self.lists_denied);
        Response::Handled
    }

    fn list(&mut self, lists_denied: bool) {
        self.lists_denied = lists_denied;
        self.at = 0;
        self.relist(None);
    }

    /// Returns whether what was denied is listed, which no key reverts.
    pub fn lists_denied(&self) -> bool {
        self.lists_denied
    }

    /// Returns what is listed.
    pub fn title(&self) -> &'static str {
        if self.lists_denied {
            "Denied"
        } else {
            "History"
        }
    }

    /// Lists what was written, the newest change selected.
    pub fn list_changes(&mut self) {
        self.list(false);
    }

    /// Returns true once entries were told.
    pub fn is_known(&self) -> bool {
        self.known
    }

    /// Returns the files that were written, the newest change first, each once.
    pub fn paths(&self) -> Vec<&str> {
        let mut known = HashSet::new();
        let files = self.entries.iter().filter(|entry| !self.is_commit(entry));
        let paths = files.map(|entry| entry.path.as_str());
        paths.filter(|path| known.insert(*path)).collect()
    }

    /// Selects the entry above.
    pub fn newer(&mut self) -> Response {
        self.go_to(self.at.saturating_sub(1))
    }

    /// Selects the entry below.
    pub fn older(&mut self) -> Response {
        self.go_to(self.at + 1)
    }

    /// Goes a screen back.
    pub fn page_up(&mut self) -> Response {
        self.go_to(self.at.saturating_sub(self.page.max(1)))
    }

    /// Goes a screen on.
    pub fn page_down(&mut self) -> Response {
        self.go_to(self.at + self.page.max(1))
    }

    fn go_to(&mut self, at: usize) -> Response {
        self.at = at.min(self.lines.len().saturating_sub(1));
        Response::Handled
    }

    /// Asks whether to go back to before the selected entry.
    pub fn revert(&mut self) -> Response {
        self.ask(self.revert_selected())
    }

    /// Asks whether to take back the selected entry and keep the later ones.
    pub fn only(&mut self) -> Response {
        self.ask(self.only_selected())
    }

    /// Asks whether to put back what the newest revert of the selected file took back.
    pub fn redo(&mut self) -> Response {
        let question = match self.selected_commit() {
            Some(commit) => self.redo_commit(commit),
            None => self.redo_selected(),
        };
        let first = self.selected_change().map(|own| own.of(&self.entries));
        let first = self
            .selected_file()
            .or(first.and_then(|mut own| own.next()));
        match (question, first) {
            (Some(question), _) => Response::AskRevert(question),
            (None, Some(entry)) => Response::say(&format!("Nothing to redo in {}", entry.path)),
            (None, None) => self.ask(None),
        }
    }

    /// Returns the commit that is selected, if one is.
    fn selected_commit(&self) -> Option<&HistoryView> {
        let first = self.selected_change()?.of(&self.entries).next();
        first.filter(|entry| self.is_commit(entry))
    }

    fn ask(&self, question: Option<RevertQuestion>) -> Response {
        let question = match self.selected_commit() {
            Some(commit) if is_taken_back(commit) => {
                return Response::say(&format!("{} is reverted already", commit.path));
            }
            Some(commit) => self.undo_commit(commit),
            None => question,
        };
        match question {
            Some(question) => Response::AskRevert(question),
            None if self.lists_denied => Response::say("Nothing was written of what was denied"),
            None if self.entries.is_empty() => Response::Handled,
            None => Response::say("Open it with l, and choose a file"),
        }
    }

    /// Opens the selected change into its files.
    pub fn open(&mut self) -> Response {
        self.set_open(true)
    }

    /// Closes it again.
    pub fn fold(&mut self) -> Response {
        self.set_open(false)
    }

    fn set_open(&mut self, is_open: bool) -> Response {
        let Some(key) = self.selected_change().map(|change| change.key.clone()) else {
            return Response::Handled;
        };
        if is_open {
            self.open.insert(key.clone());
        } else {
            self.open.remove(&key);
        }
        self.relist(Some(&key));
        Response::Handled
    }

    /// Shows the diff of the selected change or file.
    pub fn show(&mut self) -> Response {
        if let Some(hunk) = self.selected_denied() {
            let number = hunk.number;
            let name = format!("{}: {}", hunk.path, hunk.description);
            return Response::ShowDiff(DiffScope::Denied { number }, name);
        }
        let (entries, name) = match (self.selected_file(), self.selected_change()) {
            (Some(file), _) => {
                let name = format!("{}: {}", file.path, file.description);
                (vec![(file.path.clone(), file.version)], name)
            }
            (None, Some(change)) => {
                let mut own = change.of(&self.entries);
                if own.any(|entry| self.is_commit(entry)) {
                    return Response::say("git show, with the name of the commit, shows it");
                }
                let entries = change.of(&self.entries);
                let entries = entries.map(|entry| (entry.path.clone(), entry.version));
                (entries.collect(), change.title(&self.entries).to_owned())
            }
            (None, None) => return Response::Handled,
        };
        Response::ShowDiff(DiffScope::Entries { entries }, name)
    }

    fn selected_denied(&self) -> Option<&DeniedEdit> {
        match self.lines.get(self.at)? {
            HistoryLine::Denied(at) => self.denied.get(*at),
            HistoryLine::Change(_) | HistoryLine::Entry { .. } => None,
        }
    }

    /// Returns the change that is selected, or of which a file is.
    fn selected_change(&self) -> Option<&Change> {
        let at = match self.lines.get(self.at)? {
            HistoryLine::Change(at) | HistoryLine::Entry { change: at, .. } => *at,
            HistoryLine::Denied(_) => return None,
        };
        self.changes.get(at)
    }

    /// Returns the entry of the file that is selected.
    fn selected_file(&self) -> Option<&HistoryView> {
        match self.lines.get(self.at)? {
            HistoryLine::Change(_) | HistoryLine::Denied(_) => None,
            HistoryLine::Entry { entry, .. } => self.entries.get(*entry),
        }
    }

    /// Returns the entry of the file that is selected, or of a selected change that is one entry.
    fn selected_entry(&self) -> Option<&HistoryView> {
        let alone = || match self.selected_change()?.entries.as_slice() {
            [entry] => self.entries.get(*entry),
            _ => None,
        };
        self.selected_file().or_else(alone)
    }

    /// Returns the changeset of a selected change that has several entries.
    fn selected_changeset(&self) -> Option<(ChangesetId, &Change)> {
        let change = self
            .selected_change()
            .filter(|_| self.selected_entry().is_none())?;
        match change.key {
            ChangeKey::Changeset(id) => Some((id, change)),
            ChangeKey::Revert(_) | ChangeKey::Alone(..) => None,
        }
    }

    /// Returns the question about all files of the selected change; `deed` asks about so many files.
    fn of_change(
        &self,
        target: fn(ChangesetId) -> RevertTarget,
        deed: fn(&str, &str) -> String,
    ) -> Option<RevertQuestion> {
        let (id, change) = self.selected_changeset()?;
        let paths = change.paths(&self.entries);
        let files = format!("{}: {}", counted(paths.len(), "file"), listed(&paths));
        Some(RevertQuestion {
            target: target(id),
            text: deed(&one_line(change.title(&self.entries), TITLE_BYTES), &files),
            whole: None,
        })
    }

    /// Decides which entries are shown in `height` rows: the selected one is among them.
    pub fn lay_out(&mut self, height: usize) {
        self.page = height;
        self.top = self
            .top
            .min(self.at)
            .max((self.at + 1).saturating_sub(height));
    }

    /// Returns the rows of the lines that were decided on.
    pub fn rows(&self, width: usize, time: &LocalTime) -> Vec<Row> {
        if self.lines.is_empty() {
            let text = match (self.known, self.lists_denied) {
                (false, _) => "The history is being loaded.",
                (true, false) => "Nothing was written yet.",
                (true, true) => "No denied hunk is kept.",
            };
            return vec![Row::new(Role::Dim, text)];
        }
        let lines = self.lines.iter().enumerate();
        let shown = lines.skip(self.top).take(self.page);
        let row = |(index, line): (usize, &HistoryLine)| {
            let is_selected = index == self.at;
            let row = match *line {
                HistoryLine::Change(at) => {
                    let change = self.changes.get(at)?;
                    rows::change_row(change, &self.entries, is_selected, (time, width))
                }
                HistoryLine::Entry { entry, .. } => {
                    rows::file_row(self.entries.get(entry)?, is_selected, time)
                }
                HistoryLine::Denied(at) => {
                    rows::denied_row(self.denied.get(at)?, is_selected, time)
                }
            };
            Some(row.clipped(width))
        };
        shown.filter_map(row).collect()
    }

    fn only_selected(&self) -> Option<RevertQuestion> {
        let of_change = self.of_change(
            |changeset| RevertTarget::Changeset { changeset },
            |words, files| format!("Revert \"{words}\", in {files}? Later changes stay."),
        );
        if of_change.is_some() {
            return of_change;
        }
        let entry = self.selected_entry()?;
        Some(RevertQuestion {
            target: RevertTarget::file(&entry.path, RevertTo::Only(entry.version)),
            text: format!(
                "Revert {} in {}? Later changes stay.{}",
                named(entry),
                entry.path,
                self.others(entry)
            ),
            whole: self.shared(entry),
        })
    }

    fn redo_selected(&self) -> Option<RevertQuestion> {
        if let Some((changeset, _)) = self.selected_changeset()
            && let Some(question) = self.redo_of(changeset)
        {
            return Some(question);
        }
        let first = || self.selected_change()?.of(&self.entries).next();
        let path = &self.selected_entry().or_else(first)?.path;
        let mut own = self.entries.iter().filter(|entry| entry.path == *path);
        let changeset = own.find(|entry| is_taken_back(entry))?.changeset;
        if let Some(question) = changeset.and_then(|changeset| self.redo_of(changeset)) {
            return Some(question);
        }
        Some(redo_of_file(path))
    }

    fn revert_selected(&self) -> Option<RevertQuestion> {
        let of_change = self.of_change(
            |before| RevertTarget::Before { before },
            |words, files| {
                format!(
                    "Go back to before \"{words}\", in {files}? This reverts that change and \
                     all later ones of these files."
                )
            },
        );
        if of_change.is_some() {
            return of_change;
        }
        let entry = self.selected_entry()?;
        let own = self.entries.iter();
        let later = own.filter(|own| own.path == entry.path && own.version >= entry.version);
        let reverts = match later.count() {
            1 => "it".to_owned(),
            count => format!("it and {}", counted(count - 1, "later change")),
        };
        Some(RevertQuestion {
            target: RevertTarget::file(
                &entry.path,
                RevertTo::Version(entry.version.saturating_sub(1)),
            ),
            text: format!(
                "Put {} back to before {}? This reverts {reverts}.{}",
                entry.path,
                named(entry),
                self.others(entry)
            ),
            whole: self.shared(entry),
        })
    }
}

/// Returns how long ago something was, in one unit.
pub(super) fn age(then: Timestamp, now: Timestamp) -> String {
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
