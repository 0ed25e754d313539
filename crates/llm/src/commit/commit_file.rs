//! A file of a commit: what becomes of it, and who wrote its lines.

use std::fmt;

use signoff_core::disk::workspace::WorkspacePath;
use signoff_core::edit::diff::lines::difference;
use signoff_core::record::history::cherry_pick::{FileRecord, Picked, PickedFile};
use signoff_core::stage::review::HistoryView;
use signoff_core::text::Source;
use signoff_sandbox::git_write::LineEndRule;

use super::authorship::{AuthoredFile, AuthoredLine};
use super::line_ends;

/// A file of a commit.
#[derive(Clone, Debug)]
pub struct CommitFile {
    /// Where it is, or was.
    pub path: String,
    /// Where the last commit has it, if it is elsewhere.
    pub from: Option<String>,
    /// As the last commit has it; none if it comes.
    pub before: Option<PickedFile>,
    /// As it is to be; none if it goes.
    pub after: Option<PickedFile>,
    /// The changes that are in it, oldest first; what was reverted and redone as it was first signed off.
    pub entries: Vec<HistoryView>,
    /// Of each line afterwards the version that wrote it and the splice of that, where they are known.
    pub authors: Vec<Option<(u64, usize)>>,
}

impl CommitFile {
    /// Returns what entries make of a file that is so in the commit before.
    pub(super) fn of(
        record: &FileRecord,
        base: Option<(WorkspacePath, PickedFile)>,
        picked: Picked,
    ) -> Self {
        let views = record.history.views().into_iter().rev();
        let versions = record.history.with_first_changes(&picked.versions);
        let entries = views.filter(|view| versions.contains(&view.version));
        let text = picked.after.as_ref().map(|file| record.authors(&file.text));
        // Of a history that does not lead to the text, nobody is known.
        let authors = match text {
            Some(Ok(authors)) => authors,
            Some(Err(_)) | None => Vec::new(),
        };
        Self {
            path: picked.path.to_string(),
            from: picked.from.map(|from| from.to_string()),
            entries: entries.collect(),
            authors: authors
                .into_iter()
                .map(|author| author.map(|(entry, splice)| (entry.version, splice)))
                .collect(),
            before: base.map(|(_, file)| file),
            after: picked.after,
        }
    }

    /// Has its lines end as git would store them; false if that is not known.
    pub(super) fn store_line_ends(&mut self, rule: &LineEndRule) -> bool {
        let bytes = |file: &PickedFile| file.text.encoded();
        let after = self.after.as_ref().and_then(bytes);
        let before = self.before.as_ref().and_then(bytes);
        let Some(after) = after else {
            return true;
        };
        if !rule.changes(before.as_deref(), &after) {
            return true;
        }
        if !line_ends::is_plain(&after) {
            return false;
        }
        if let Some(file) = &mut self.after {
            file.text = Source::decode(line_ends::with_lf(&after));
        }
        true
    }

    /// Returns whether it is text before and after.
    pub(super) fn is_text(&self) -> bool {
        let mut sides = [&self.before, &self.after].into_iter().flatten();
        sides.all(|side| side.text.text().is_ok())
    }

    /// Returns how many lines come and go.
    pub fn lines(&self) -> (usize, usize) {
        let empty = Source::new(Vec::new());
        let before = self.before.as_ref().map_or(&empty, |file| &file.text);
        let after = self.after.as_ref().map_or(&empty, |file| &file.text);
        let edits = difference(before, after);
        let splices = edits.splices().iter();
        splices.fold((0, 0), |(added, removed), splice| {
            (
                added + line_count(&splice.new),
                removed + line_count(&splice.old),
            )
        })
    }
}

fn line_count(bytes: &[u8]) -> usize {
    Source::new(bytes).line_count()
}

/// As a line: `src/a.rs  +3 -1`, `b.rs (new)  +9 -0`.
impl fmt::Display for CommitFile {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.path)?;
        match (&self.from, &self.before, &self.after) {
            (Some(from), ..) => write!(f, " (from {from})")?,
            (None, None, Some(_)) => f.write_str(" (new)")?,
            (None, _, None) => f.write_str(" (deleted)")?,
            (None, Some(_), Some(_)) => {}
        }
        let (added, removed) = self.lines();
        write!(f, "  +{added} -{removed}")
    }
}

/// Returns the lines of a file that the commit brings, each with the change that wrote it; of what is no text, none.
pub(super) fn authored(file: &CommitFile) -> Option<AuthoredFile<'_>> {
    let after = file.after.as_ref().filter(|_| file.is_text())?;
    let empty = Source::new(Vec::new());
    let before = file.before.as_ref().map_or(&empty, |before| &before.text);
    let edits = difference(before, &after.text);
    let mut shift = 0_isize;
    let mut lines = Vec::new();
    for splice in edits.splices() {
        let start = after.text.line_of(splice.at.saturating_add_signed(shift));
        shift += splice.new.len() as isize - splice.old.len() as isize;
        let count = line_count(&splice.new);
        for line in start..start + count {
            let Some((version, splice)) = file.authors.get(line).copied().flatten() else {
                continue;
            };
            let mut entries = file.entries.iter();
            let entry = entries.find(|entry| entry.version == version);
            lines.extend(entry.map(|entry| AuthoredLine {
                number: line + 1,
                entry,
                splice,
            }));
        }
    }
    (!lines.is_empty()).then_some(AuthoredFile {
        path: &file.path,
        lines,
    })
}
