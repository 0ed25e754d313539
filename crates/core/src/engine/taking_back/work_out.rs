//! Reversals worked out: what taking a target back would write, file by file.
//!
//! In: which versions of which files are meant, and the files as they are. Out: what is to be written, and which files stay
//! since something is in the way. Nothing is written.

use std::collections::HashSet;

use super::as_changes::{HeldChanges, of_one, over_later};
use super::copies::has_copy;
use super::ready::{ReadyReversal, mode, ready, rights_left_out};
use super::revert_conflict::{self, SeveralVersions, conflicts};
use super::selection::Selection;
use crate::disk::workspace::attributes::{Attributes, without_new_rights};
use crate::disk::workspace::{AccessError, WorkspacePath};
use crate::edit::plan::Presence;
use crate::engine::EngineError;
use crate::engine::drift::{Drift, drift};
use crate::engine::state::WorkspaceState;
use crate::id::{ChangesetId, Timestamp};
use crate::record::history::FileHistory;
use crate::record::history::revert::{NoReversal, reversal_of};
use crate::stage::review::{
    BlockedFile, RevertHunk, RevertOutcome, RevertTarget, StagedProposals, WrittenSince,
};
use crate::text::{EditSet, Source};

/// Said where lines that were put in since could be those that a change wrote. Case: a test function was added behind one that was
/// changed, and ends with the same lines.
const UNCERTAIN: &str = "the lines that it changed are there more than once since, and it is not certain which of them these are";

/// Said where a text that ended without a line ending would be joined with lines that were put behind it since. Case: the last line
/// of a file was changed, it had no line ending, and others added lines below.
const JOINED: &str = "its last line had no line ending, and lines were added behind it since";

/// What taking a target back comes to.
#[derive(Default)]
pub(super) struct WorkedOut {
    /// The files that go back.
    pub(super) ready: Vec<ReadyReversal>,
    /// The files that stay.
    pub(super) blocked: Vec<BlockedReversal>,
    /// Why there is nothing to take back, if there is not.
    pub(super) nothing: String,
    /// What changes of these files were written with.
    changesets: HashSet<ChangesetId>,
    /// When the newest change that is meant was written.
    newest: Option<Timestamp>,
}

/// What a reversal comes to for one file.
enum FileReversal {
    Ready(Box<ReadyReversal>),
    /// There is nothing to take back, for this reason.
    Nothing(String),
    Blocked(BlockedReversal),
}

/// A reversal that is not written.
pub(super) struct BlockedReversal {
    pub(super) file: BlockedFile,
    /// What would take it back all the same.
    pub(super) proposed: HeldChanges,
    /// Whether it was asked for that the file is not written.
    pub(super) is_apart: bool,
}

impl BlockedReversal {
    fn new(path: &WorkspacePath, why: String) -> Self {
        Self {
            file: BlockedFile {
                path: path.to_string(),
                why,
                hunks: Vec::new(),
                proposable: false,
            },
            proposed: HeldChanges::default(),
            is_apart: false,
        }
    }

    /// Keeps a file that could go back where it was asked for that it stays.
    fn apart(state: &WorkspaceState, ready: &ReadyReversal) -> Self {
        Self {
            is_apart: true,
            ..Self::proposed(state, ready, "it was to stay", None)
        }
    }

    /// Keeps a file that could go back, and proposes what takes it back.
    fn proposed(
        state: &WorkspaceState,
        ready: &ReadyReversal,
        why: &str,
        held: Option<&str>,
    ) -> Self {
        let path = &ready.commit.path;
        let proposed = HeldChanges {
            changes: of_one(state, ready).unwrap_or_default(),
            held: held.map(str::to_owned),
        };
        Self::new(path, format!("{path}: {why}")).over(proposed, Vec::new())
    }

    fn over(mut self, proposed: HeldChanges, hunks: Vec<RevertHunk>) -> Self {
        self.file.proposable = !proposed.changes.is_empty();
        self.file.hunks = hunks;
        self.proposed = proposed;
        self
    }
}

impl WorkedOut {
    /// Works out what taking a target back comes to.
    pub(super) fn of(state: &WorkspaceState, target: &RevertTarget) -> Result<Self, EngineError> {
        let (whole, apart) = target.parts();
        let selection = Selection::of(state, whole)?;
        let mut worked_out = Self {
            nothing: match whole {
                RevertTarget::Redo { .. } => "nothing of it is reverted".to_owned(),
                _ => "all of it is reverted already".to_owned(),
            },
            ..Self::default()
        };
        // What is taken back at once has one time in all files.
        let now = state.time_of_entries()?;
        for path in &selection.paths {
            let history = state.store.history(path)?;
            let meant = selection.versions(&history);
            if meant.as_ref().is_ok_and(Vec::is_empty) {
                continue;
            }
            match of_file(state, path, &history, meant.clone(), now)? {
                FileReversal::Nothing(why) => {
                    if matches!(whole, RevertTarget::OneFile { .. }) {
                        worked_out.nothing = why;
                    }
                }
                FileReversal::Ready(ready) if !apart.contains(&ready.file.path) => {
                    worked_out.ready.push(*ready);
                }
                FileReversal::Ready(ready) => {
                    worked_out
                        .blocked
                        .push(BlockedReversal::apart(state, &ready));
                }
                FileReversal::Blocked(mut blocked) => {
                    blocked.is_apart = apart.contains(&blocked.file.path);
                    worked_out.blocked.push(blocked);
                }
            }
            worked_out.note(&history, &meant.unwrap_or_default());
        }
        if let RevertTarget::Changeset { changeset: id } | RevertTarget::Before { before: id } =
            whole
        {
            for path in state.store.dropped_files(*id)? {
                worked_out.keep_dropped(&path, apart);
            }
        }
        Ok(worked_out)
    }

    /// Keeps a file of which history has not all any more that is meant.
    fn keep_dropped(&mut self, path: &WorkspacePath, apart: &[String]) {
        let name = path.as_str();
        self.ready.retain(|own| own.file.path != name);
        self.blocked.retain(|own| own.file.path != name);
        let why = format!(
            "{path}: what the changeset wrote there is not kept any more (`history_limit`)"
        );
        self.blocked.push(BlockedReversal {
            is_apart: apart.iter().any(|own| own == name),
            ..BlockedReversal::new(path, why)
        });
    }

    fn note(&mut self, history: &FileHistory, versions: &[u64]) {
        let entries = history.entries.iter();
        for entry in entries.filter(|entry| versions.contains(&entry.version)) {
            self.changesets.extend(entry.kind.changeset());
            self.newest = self.newest.max(Some(entry.time));
        }
    }

    /// Returns whether all files that stay were to stay, so that the others may be written.
    pub(super) fn is_as_asked(&self) -> bool {
        !self.ready.is_empty() && self.blocked.iter().all(|blocked| blocked.is_apart)
    }

    /// Returns the outcome while nothing is written, without the hunks of files that go back.
    pub(super) fn told(&self, target: &RevertTarget) -> RevertOutcome {
        let files: Vec<_> = self.ready.iter().map(|ready| ready.file.clone()).collect();
        let blocked = self.blocked.iter().map(|blocked| blocked.file.clone());
        let offered = (!files.is_empty()).then(|| self.offered(target));
        RevertOutcome {
            target: target.clone(),
            written: false,
            files,
            blocked: blocked.collect(),
            nothing: self.nothing.clone(),
            unkept: Vec::new(),
            proposals: StagedProposals::default(),
            offered,
            changesets: self.changesets.len(),
        }
    }

    fn offered(&self, target: &RevertTarget) -> RevertTarget {
        let whole = match target.parts().0 {
            // What another process writes from here on is not shown, and is not meant.
            RevertTarget::Since(written) => RevertTarget::Since(WrittenSince {
                until: self.newest,
                ..written.clone()
            }),
            whole => whole.clone(),
        };
        let apart = self.blocked.iter();
        let apart: Vec<String> = apart.map(|blocked| blocked.file.path.clone()).collect();
        if apart.is_empty() {
            return whole;
        }
        RevertTarget::Part {
            of: Box::new(whole),
            apart,
        }
    }
}

/// Works a reversal out for one file; `meant` are the versions, or why they cannot be told.
fn of_file(
    state: &WorkspaceState,
    path: &WorkspacePath,
    history: &FileHistory,
    meant: Result<Vec<u64>, NoReversal>,
    now: Timestamp,
) -> Result<FileReversal, EngineError> {
    let before = match state.overlay.workspace.read(path) {
        Ok(image) => image.map(|image| image.source),
        Err(error) => return other_kind(path, error),
    };
    let since = match drift(&state.store, path, before.as_ref())? {
        Drift::Edited(since) => since,
        Drift::Unknown(why) if !history.entries.is_empty() => {
            let ambiguous = state.renames.why_ambiguous(path);
            return blocked(path, ambiguous.unwrap_or(why));
        }
        Drift::Unknown(_) => EditSet::default(),
    };
    let versions = meant.clone().unwrap_or_default();
    let reversal = match meant.and_then(|meant| reversal_of(history, &since, &meant)) {
        Ok(reversal) => reversal,
        Err(error @ NoReversal::Conflict { .. }) => {
            let found = in_the_way(
                state,
                (path, history),
                (&since, before.as_ref()),
                &versions,
                error,
            )?;
            return Ok(FileReversal::Blocked(found));
        }
        Err(error @ NoReversal::Dropped { .. }) => {
            return blocked(path, format!("{path}: {error}"));
        }
        Err(error @ (NoReversal::Nothing | NoReversal::Unknown { .. })) => {
            return Ok(FileReversal::Nothing(format!("{path}: {error}")));
        }
    };
    let uncertain = match (state.store.committed(path)?.flatten(), &before) {
        (Some(_), Some(_)) if since.is_empty() => None,
        (Some(_), Some(now)) if joins_lines(now, &reversal.edits) => Some(JOINED),
        (Some(written), Some(now)) if has_copy(&written, (&since, now), &reversal.edits) => {
            Some(UNCERTAIN)
        }
        _ => None,
    };
    // What came and went again, under whatever name, is not there either way.
    if before.is_none() && reversal.presence != Presence::Created {
        return Ok(as_then(path));
    }
    if let Some(to) = &reversal.to
        && !matches!(state.overlay.workspace.read(to), Ok(None))
    {
        return blocked(
            path,
            format!("{path}: it cannot go back to {to}, which is there again"),
        );
    }
    let comes = before.is_none() || reversal.to.is_some();
    let attributes = state.overlay.workspace.attributes(path)?;
    let given = attributes.as_ref().map(|attribute| {
        let mode = mode(history, &reversal.versions, attribute.mode);
        let (given, names) = without_new_rights(mode, attribute.mode);
        let given = (given != attribute.mode).then_some(given);
        (given, rights_left_out(path, &names))
    });
    let mut ready = ready(path, history, before, since, now, reversal)?;
    let stays_file = ready
        .commit
        .after
        .as_ref()
        .is_some_and(|own| !own.is_link());
    let given = given.filter(|_| stays_file);
    let (mode, left_out) = given.unwrap_or_default();
    ready.left_out.extend(left_out);
    let stays = ready.commit.before == ready.commit.after && ready.commit.to.is_none();
    if stays && mode.is_none() {
        return Ok(as_then(path));
    }
    if let Some(why) = uncertain {
        let found = BlockedReversal::proposed(state, &ready, why, Some(why));
        return Ok(FileReversal::Blocked(found));
    }
    if mode.is_some() || !stays_file {
        ready.commit.mode = mode;
        ready.entry.attributes = attributes.map(|attribute| Attributes {
            replaced_by: mode,
            ..attribute
        });
    }
    if comes {
        ready.entry.folders = state
            .overlay
            .workspace
            .missing_folders(ready.commit.name())?;
    }
    Ok(FileReversal::Ready(Box::new(ready)))
}

/// Returns a file that stays since something later touches what versions wrote: where that is, and what goes back all the same.
fn in_the_way(
    state: &WorkspaceState,
    (path, history): (&WorkspacePath, &FileHistory),
    (since, now): (&EditSet, Option<&Source>),
    versions: &[u64],
    mut error: NoReversal,
) -> Result<BlockedReversal, EngineError> {
    let (mut hunks, mut places, mut way) = (Vec::new(), None, String::new());
    match error {
        NoReversal::Conflict {
            version,
            alone: true,
        } => {
            hunks = conflicts(&state.store, path, history, version, now)?;
            places = revert_conflict::places(&hunks);
        }
        _ => {
            let several = SeveralVersions::of(history, since, versions);
            if let Some((version, found)) = several.conflict(&state.store, path, now)? {
                let alone = false;
                error = NoReversal::Conflict { version, alone };
                places = revert_conflict::places(&found);
            }
            way = several.way_on(path);
        }
    }
    let places = places.map_or_else(String::new, |places| format!(": {places}"));
    let error = worded(history, &error);
    let why = format!("{path}: {error}{places}{way}");
    let proposed = over_later(state, path, history, versions, now)?;
    Ok(BlockedReversal::new(path, why).over(proposed, hunks))
}

/// Returns that something is in the place of a file that is none, where that is why it cannot be read.
fn other_kind(path: &WorkspacePath, error: AccessError) -> Result<FileReversal, EngineError> {
    let what = match &error {
        AccessError::IsFolder { .. } => "a folder",
        AccessError::NotRegular { .. } => "a pipe, a socket or a device",
        AccessError::BelowFile { .. } => {
            return blocked(path, format!("{error}"));
        }
        _ => return Err(error.into()),
    };
    blocked(
        path,
        format!("{path} became {what} since it was written here"),
    )
}

/// Says why versions stay; of a revert that they are not put back.
fn worded(history: &FileHistory, error: &NoReversal) -> String {
    let NoReversal::Conflict { version, .. } = error else {
        return error.to_string();
    };
    let mut entries = history.entries.iter();
    match entries.find(|entry| entry.version == *version) {
        Some(entry) if entry.kind.is_revert() => format!(
            "what version {version} reverted cannot be put back: later changes touch the same lines"
        ),
        _ => error.to_string(),
    }
}

/// Returns whether whole lines go back to a text without a line ending, before others.
fn joins_lines(now: &Source, reversal: &EditSet) -> bool {
    reversal.splices().iter().any(|splice| {
        let is_at_line = |at: usize| at == 0 || now.bytes().get(at - 1) == Some(&b'\n');
        is_at_line(splice.at)
            && is_at_line(splice.end())
            && splice.end() < now.bytes().len()
            && splice.new.last().is_some_and(|byte| *byte != b'\n')
    })
}

fn as_then(path: &WorkspacePath) -> FileReversal {
    FileReversal::Nothing(format!("{path}: it is as it was then"))
}

fn blocked<E>(path: &WorkspacePath, why: String) -> Result<FileReversal, E> {
    Ok(FileReversal::Blocked(BlockedReversal::new(path, why)))
}
