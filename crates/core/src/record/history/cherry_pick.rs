//! Cherry-pick: entries of history applied to another text of their file.
//!
//! Example: a commit has `a b c`. The user made `A b c` of it, then a change was signed off that made `A b C`. In: the
//! entry, its file's texts, and the commit's `a b c`. Out: `a b C`, and that this entry was missing.
//!
//! Which changes the text has already is found from the newest back: a hunk that can be taken out of it is in it, and
//! is taken out before the next older one is looked for. What the user changed in between is taken out alike, so that a line
//! which they rewrote and committed hides no change below it. What is missing and chosen is then carried over, oldest first,
//! as [`EditSet::over`] does it: a hunk that touches lines which are not in the text is not applied.

use std::collections::{HashMap, HashSet};

use super::blame::{Author, blame};
use super::{Entry, EntryKind, FileHistory};
use crate::disk::workspace::WorkspacePath;
use crate::edit::diff::lines::{diff_lines, difference, narrowed};
use crate::edit::plan::Presence;
use crate::id::ChangesetId;
use crate::text::{EditSet, Encoding, Mismatch, Source};

/// A file with its history, and what it is now.
#[derive(Clone, Debug)]
pub struct FileRecord {
    /// Where it is.
    pub path: WorkspacePath,
    /// What was written.
    pub history: FileHistory,
    /// Its text after the newest entry; none if that deleted it.
    pub written: Option<Source>,
    /// Its text on disk; none if nothing is there.
    pub now: Option<Source>,
    /// Whether the file on disk can be executed.
    pub executable: bool,
}

/// A file in a commit, or as it is to be in one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PickedFile {
    /// Its text.
    pub text: Source,
    /// Whether it can be executed.
    pub executable: bool,
}

/// Which entries are meant.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum PickChoice {
    /// All that are in effect.
    All,
    /// Those of these changesets, and what takes them back or puts them back.
    Changesets(HashSet<ChangesetId>),
    /// Those of a conversation, and what takes them back or puts them back.
    Session(String),
}

/// What applying entries to a file of a commit comes to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum PickOutcome {
    /// The commit has all that is meant.
    Nothing,
    /// The file is not in the commit, and no entry that is meant made it.
    Untracked,
    /// What the file becomes.
    Picked(Picked),
    /// An entry does not apply.
    Conflict {
        /// The version of the entry.
        version: u64,
        /// What is in its way.
        why: &'static str,
    },
}

/// What a file of a commit becomes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Picked {
    /// Where the commit has it, if entries move it.
    pub from: Option<WorkspacePath>,
    /// Where it is to be.
    pub path: WorkspacePath,
    /// What it is to be; none if it goes.
    pub after: Option<PickedFile>,
    /// The versions that were applied, oldest first.
    pub versions: Vec<u64>,
}

/// Lines of the user's, or of a change that is not chosen, are in the way.
const BUILDS_ON: &str = "it builds on lines that are not in the commit and not chosen";
const CAME: &str = "the commit has another file of this name";
const MOVED: &str = "it builds on a move of the file that is not chosen";
const ENCODING: &str = "its text cannot be written in the encoding of the commit's file";

/// One change to the text, of an entry or of the user.
struct TextStep<'h> {
    /// None if the user made it.
    entry: Option<&'h Entry>,
    edits: EditSet,
    before: Source,
    after: Source,
}

impl PickChoice {
    /// Returns whether an entry is chosen. A revert is if all the entries that it reverts are, as far as
    /// history has that.
    fn means(&self, history: &FileHistory, entry: &Entry) -> bool {
        let kind = &entry.kind;
        match (self, kind) {
            // The user commits their own moves.
            (_, EntryKind::MovedOutside) => false,
            (Self::All, _) => true,
            (_, EntryKind::Revert(versions)) => {
                let mut taken = history.entries.iter();
                let mut taken = taken
                    .by_ref()
                    .filter(|entry| versions.contains(&entry.version));
                taken.all(|entry| self.means(history, entry))
            }
            (Self::Changesets(ids), _) => kind.changeset().is_some_and(|id| ids.contains(&id)),
            (Self::Session(session), _) => kind
                .origin()
                .is_some_and(|origin| origin.session == *session),
        }
    }
}

impl FileRecord {
    /// Returns where a commit may have the file: where it is, and before each of its moves, newest first.
    pub fn names(&self) -> impl Iterator<Item = &WorkspacePath> {
        let moves = self.history.entries.iter().rev();
        let before = moves.filter_map(|entry| Some(&entry.moved.as_ref()?.0));
        [&self.path].into_iter().chain(before)
    }

    /// Applies the entries that are meant and missing to the file of a commit, which has it under `name`.
    ///
    /// # Errors
    ///
    /// Fails if history does not lead to the text that was written.
    pub fn cherry_pick(
        &self,
        base: Option<(&WorkspacePath, &PickedFile)>,
        choice: &PickChoice,
    ) -> Result<PickOutcome, Mismatch> {
        if base.is_none() && self.now.is_none() {
            return Ok(PickOutcome::Nothing);
        }
        let steps = self.steps()?;
        let text = base.map(|(_, file)| file.text.clone());
        let missing = missing(&steps, text.clone())?;
        let effective = self.history.in_effect();
        let moves = self.missing_moves(base.map(|(name, _)| name));
        let mut picking = Picking {
            text,
            executable: base.is_some_and(|(_, file)| file.executable),
            path: base.map_or(&self.path, |(name, _)| name),
            versions: Vec::new(),
        };
        let mut is_all = true;
        for step in &steps {
            let Some(entry) = step.entry else { continue };
            let lacks = Lacking {
                edits: missing.get(&entry.version),
                moves: moves.contains(&entry.version),
                mode: entry
                    .mode_after()
                    .filter(|mode| *mode != picking.executable),
            };
            if lacks.is_nothing() {
                continue;
            }
            if !effective.contains(&entry.version) || !choice.means(&self.history, entry) {
                is_all &= !effective.contains(&entry.version);
                continue;
            }
            if let Some(why) = picking.take(step, entry, &lacks, self.executable)? {
                let version = entry.version;
                return Ok(match picking.text {
                    None if base.is_none() => PickOutcome::Untracked,
                    _ => PickOutcome::Conflict { version, why },
                });
            }
        }
        Ok(self.picked(base, picking, is_all))
    }

    fn picked(
        &self,
        base: Option<(&WorkspacePath, &PickedFile)>,
        picking: Picking<'_>,
        is_all: bool,
    ) -> PickOutcome {
        let Some(last) = picking.versions.last().copied() else {
            return PickOutcome::Nothing;
        };
        let encoding = self.written.as_ref().map(Source::encoding);
        let text = picking.text.map(|text| match encoding {
            // All that was signed off is in it, the encoding as well.
            Some(encoding) if is_all && text.is_link() == (encoding == Encoding::Link) => {
                Source::in_encoding(text.bytes().to_vec(), encoding)
            }
            _ => text,
        });
        if text.as_ref().is_some_and(|text| text.encoded().is_none()) {
            let (version, why) = (last, ENCODING);
            return PickOutcome::Conflict { version, why };
        }
        let executable = picking.executable;
        let after = text.map(|text| PickedFile { text, executable });
        let from = base
            .map(|(name, _)| name)
            .filter(|name| *name != picking.path);
        if from.is_none() && after.as_ref() == base.map(|(_, file)| file) {
            return PickOutcome::Nothing;
        }
        PickOutcome::Picked(Picked {
            from: from.cloned(),
            path: picking.path.clone(),
            after,
            versions: picking.versions,
        })
    }

    /// Returns for each line of a text of the file the entry that wrote it and the splice of it, as blame has it, where the file
    /// on disk has the line as well.
    ///
    /// # Errors
    ///
    /// Fails if history does not lead to the text that was written.
    pub fn authors(&self, text: &Source) -> Result<Vec<Option<(&Entry, usize)>>, Mismatch> {
        let mut authors = vec![None; text.line_count()];
        let (Some(written), Some(now)) = (&self.written, &self.now) else {
            return Ok(authors);
        };
        let blamed = blame(&self.history, &difference(written, now), now)?;
        let (old, new) = (lines(now), lines(text));
        let changes = diff_lines(&old, &new);
        let ends = changes
            .iter()
            .map(|change| (change.old.end, change.new.end));
        let starts = changes.iter().map(|change| change.old.start);
        let equal = [(0, 0)]
            .into_iter()
            .chain(ends)
            .zip(starts.chain([old.len()]));
        for ((old, new), end) in equal {
            let found = blamed.get(old..end).into_iter().flatten();
            for (origin, line) in found.zip(authors.iter_mut().skip(new)) {
                *line = match origin.author {
                    Author::Entry(version) => {
                        self.entry(version).map(|entry| (entry, origin.splice))
                    }
                    Author::Before | Author::User(_) => None,
                };
            }
        }
        Ok(authors)
    }

    /// Returns the entry of a version.
    pub fn entry(&self, version: u64) -> Option<&Entry> {
        let mut entries = self.history.entries.iter();
        entries.find(|entry| entry.version == version)
    }

    /// Returns the entries that move the file on from where a commit has it.
    fn missing_moves(&self, name: Option<&WorkspacePath>) -> HashSet<u64> {
        let moves = self.history.entries.iter().rev();
        let moves = moves.filter_map(|entry| Some((entry.version, entry.moved.as_ref()?)));
        let mut at = &self.path;
        let mut missing = HashSet::new();
        for (version, (from, to)) in moves {
            if name == Some(at) || name.is_none() || at != to {
                break;
            }
            missing.insert(version);
            at = from;
        }
        missing
    }

    /// Returns all changes to the text in order, with those of the user between them.
    fn steps(&self) -> Result<Vec<TextStep<'_>>, Mismatch> {
        let empty = Source::new(Vec::new());
        let mut text = self.written.clone().unwrap_or(empty);
        let mut steps = Vec::with_capacity(self.history.entries.len() * 2 + 1);
        if let (Some(written), Some(now)) = (&self.written, &self.now)
            && written.is_alike(now)
        {
            steps.push(TextStep {
                entry: None,
                edits: difference(written, now),
                before: written.clone(),
                after: now.clone(),
            });
        }
        for entry in self.history.entries.iter().rev() {
            let (before, below) = entry.undone(&text)?;
            steps.push(TextStep {
                entry: Some(entry),
                edits: narrowed(&entry.edits),
                before: before.clone(),
                after: text,
            });
            if !entry.drift.is_empty() {
                steps.push(TextStep {
                    entry: None,
                    edits: narrowed(&entry.drift),
                    before: below.clone(),
                    after: before,
                });
            }
            text = below;
        }
        steps.reverse();
        Ok(steps)
    }
}

impl Entry {
    /// Returns whether the file can be executed after the entry, if it changes that.
    fn mode_after(&self) -> Option<bool> {
        let mode = self.attributes.as_ref()?.replaced_by?;
        (self.presence == Presence::Kept).then_some(mode & 0o100 != 0)
    }
}

/// Returns of each entry what the text of a commit does not have.
fn missing(
    steps: &[TextStep<'_>],
    base: Option<Source>,
) -> Result<HashMap<u64, EditSet>, Mismatch> {
    let mut missing = HashMap::new();
    let mut text = base;
    for (index, step) in steps.iter().enumerate().rev() {
        let presence = step.entry.map_or(Presence::Kept, |entry| entry.presence);
        let left = match (&text, presence) {
            (Some(own), Presence::Created | Presence::Linked)
                if own.is_link() == (presence == Presence::Linked)
                    && (own.bytes() == step.after.bytes() || !goes_before(steps, index)) =>
            {
                text = None;
                None
            }
            (None, Presence::Deleted) => {
                text = Some(step.before.clone());
                None
            }
            (Some(own), Presence::Kept) => {
                let (left, without) = taken_out(step, own)?;
                text = Some(without);
                (!left.is_empty()).then_some(left)
            }
            _ => Some(step.edits.clone()),
        };
        if let (Some(entry), Some(left)) = (step.entry, left) {
            missing.insert(entry.version, left);
        }
    }
    Ok(missing)
}

/// Returns whether an entry before this one deletes the file: a commit may have the one that went, or the one that came.
fn goes_before(steps: &[TextStep<'_>], index: usize) -> bool {
    let mut before = steps.iter().take(index).filter_map(|step| step.entry);
    before.any(|entry| entry.presence == Presence::Deleted)
}

/// Takes those hunks of a change out of a text that are in it. Returns the others, and the text without them.
fn taken_out(step: &TextStep<'_>, text: &Source) -> Result<(EditSet, Source), Mismatch> {
    let ours = between(&step.after, text);
    let back = step.edits.invert();
    let clashes: HashSet<usize> = ours.invert().clashes(&back).into_iter().collect();
    let there = back.select(|index| !clashes.contains(&index));
    // Those that clash with none are carried over.
    let Ok(there) = there.over(&ours) else {
        return Ok((step.edits.clone(), text.clone()));
    };
    let left = step.edits.select(|index| clashes.contains(&index));
    Ok((left, text.with_bytes(there.apply(text.bytes())?)))
}

fn lines(text: &Source) -> Vec<&[u8]> {
    (0..text.line_count())
        .map(|line| text.line_with_ending(line))
        .collect()
}

fn between(from: &Source, to: &Source) -> EditSet {
    if from.bytes() == to.bytes() {
        return EditSet::default();
    }
    difference(from, to)
}

/// A file on its way to what it is to be.
struct Picking<'h> {
    text: Option<Source>,
    executable: bool,
    path: &'h WorkspacePath,
    versions: Vec<u64>,
}

/// What a commit lacks of an entry.
struct Lacking<'m> {
    edits: Option<&'m EditSet>,
    /// Whether it lacks the move of the file.
    moves: bool,
    /// Whether the file can be executed after it, if that changes.
    mode: Option<bool>,
}

impl Lacking<'_> {
    fn is_nothing(&self) -> bool {
        self.edits.is_none() && !self.moves && self.mode.is_none()
    }
}

impl<'h> Picking<'h> {
    /// Takes over all that is missing of an entry, or says what is in its way.
    fn take(
        &mut self,
        step: &TextStep<'_>,
        entry: &'h Entry,
        lacks: &Lacking<'_>,
        is_executable: bool,
    ) -> Result<Option<&'static str>, Mismatch> {
        if let Some(edits) = lacks.edits
            && let Some(why) = self.apply(step, entry, edits, is_executable)?
        {
            return Ok(Some(why));
        }
        if let Some((from, to)) = entry.moved.as_ref().filter(|_| lacks.moves) {
            if from != self.path {
                return Ok(Some(MOVED));
            }
            self.path = to;
        }
        self.executable = lacks.mode.unwrap_or(self.executable);
        self.versions.push(entry.version);
        Ok(None)
    }

    /// Applies what is missing of an entry's text, or says what is in its way.
    fn apply(
        &mut self,
        step: &TextStep<'_>,
        entry: &Entry,
        edits: &EditSet,
        is_executable: bool,
    ) -> Result<Option<&'static str>, Mismatch> {
        match (entry.presence, &self.text) {
            (Presence::Deleted, _) => self.text = None,
            (Presence::Created | Presence::Linked, Some(_)) => return Ok(Some(CAME)),
            (Presence::Created, None) => {
                self.text = Some(step.after.clone());
                self.executable = is_executable;
            }
            (Presence::Linked, None) => self.text = Some(Source::link(step.after.bytes().to_vec())),
            (Presence::Kept, None) => return Ok(Some(BUILDS_ON)),
            (Presence::Kept, Some(text)) => {
                let Ok(edits) = edits.over(&between(&step.before, text)) else {
                    return Ok(Some(BUILDS_ON));
                };
                self.text = Some(text.with_bytes(edits.apply(text.bytes())?));
            }
        }
        Ok(None)
    }
}

#[cfg(test)]
mod tests;
