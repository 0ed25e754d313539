//! History queries: log, diff and blame.
//!
//! In: a file, or none for all. Out: its history, what each entry changed, what was dropped of
//! it, and whose line is whose. Nothing is changed.

use crate::disk::workspace::WorkspacePath;
use crate::edit::diff::hunk;
use crate::edit::diff::line::DiffLine;
use crate::edit::plan::Presence;
use crate::engine::EngineError;
use crate::engine::drift::{Drift, drift};
use crate::engine::state::WorkspaceState;
use crate::id::ChangesetId;
use crate::record::history::blame::{Author, LineOrigin, blame};
use crate::record::history::cherry_pick::FileRecord;
use crate::record::history::{Entry, EntryKind, FileHistory};
use crate::record::store::Dropped;
use crate::stage::review::{BlameView, EntryStatus, HistoryView, LineAuthor, Proposer};
use crate::text::{EditSet, Source};

/// What one entry of history changed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Patch {
    /// The version of the entry.
    pub version: u64,
    /// Header and lines of each hunk.
    pub hunks: Vec<(String, Vec<DiffLine>)>,
}

/// The changeset that a user means.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum NamedChangeset {
    /// This one.
    One(ChangesetId),
    /// None that anything was written with.
    None,
    /// Several, newest first.
    Several(Vec<ChangesetId>),
}

/// The name of the newest changeset that is in effect.
const LAST: &str = "last";

/// Returns the changeset that is meant by an id, its first or last characters, or `last`: the newest of which
/// anything is in effect.
pub(in crate::engine) fn changeset(
    state: &WorkspaceState,
    name: &str,
) -> Result<NamedChangeset, EngineError> {
    let written = history(state, None)?;
    let mut ids: Vec<ChangesetId> = Vec::new();
    for entry in written {
        let in_effect = matches!(entry.status, EntryStatus::Applied | EntryStatus::Ran);
        let Some(id) = entry.changeset.filter(|id| !ids.contains(id)) else {
            continue;
        };
        let text = id.to_string();
        let is_meant = match name {
            LAST => in_effect && ids.is_empty(),
            part => !part.is_empty() && (text.starts_with(part) || text.ends_with(part)),
        };
        if is_meant {
            ids.push(id);
        }
    }
    Ok(match ids.as_slice() {
        [] => NamedChangeset::None,
        [id] => NamedChangeset::One(*id),
        _ => NamedChangeset::Several(ids),
    })
}

/// Returns history, newest first: of one file, or of all.
pub(in crate::engine) fn history(
    state: &WorkspaceState,
    path: Option<&str>,
) -> Result<Vec<HistoryView>, EngineError> {
    let paths = match path {
        Some(path) => vec![state.file_at(path)?],
        None => state.store.history_paths()?,
    };
    let mut views = Vec::new();
    for path in paths {
        views.extend(state.store.history(&path)?.views());
    }
    views.sort_by_key(|view| std::cmp::Reverse(view.time));
    Ok(views)
}

/// Returns files with their histories and what they are now; all that have one, or those of a path.
pub(in crate::engine) fn file_records(
    state: &WorkspaceState,
    path: Option<&str>,
) -> Result<Vec<FileRecord>, EngineError> {
    let paths = match path {
        Some(path) => vec![state.file_at(path)?],
        None => state.store.history_paths()?,
    };
    let records = paths.into_iter().map(|path| file_record(state, path));
    records.collect()
}

fn file_record(state: &WorkspaceState, path: WorkspacePath) -> Result<FileRecord, EngineError> {
    let workspace = &state.overlay.workspace;
    let attributes = workspace.attributes(&path)?;
    Ok(FileRecord {
        history: state.store.history(&path)?,
        written: state.store.committed(&path)?.flatten(),
        now: workspace.read(&path)?.map(|image| image.source),
        executable: attributes.is_some_and(|own| own.mode & 0o100 != 0),
        path,
    })
}

/// Returns what was dropped of the history of one file, or of all.
pub(in crate::engine) fn dropped(
    state: &WorkspaceState,
    path: Option<&str>,
) -> Result<Dropped, EngineError> {
    let path = path.map(|path| state.file_at(path)).transpose()?;
    Ok(state.store.dropped(path.as_ref())?)
}

/// Returns what each entry of a file changed, newest first.
pub(in crate::engine) fn patches(
    state: &WorkspaceState,
    path: &str,
) -> Result<Vec<Patch>, EngineError> {
    let path = state.file_at(path)?;
    let history = state.store.history(&path)?;
    let written = state.store.committed(&path)?.flatten();
    let mut text = written.unwrap_or_else(|| Source::new(Vec::new()));
    let mut patches = Vec::with_capacity(history.entries.len());
    for entry in history.entries.iter().rev() {
        let (before, below) = entry.undone(&text)?;
        patches.push(patch(entry, &before));
        text = below;
    }
    Ok(patches)
}

/// Returns for each line of a file who last put something into it; a line that was taken back
/// and put back is still its author's.
pub(super) fn file_blame(
    state: &WorkspaceState,
    path: &str,
) -> Result<Vec<BlameView>, EngineError> {
    let path = state.file_at(path)?;
    let history = state.store.history(&path)?;
    let Some(now) = state
        .overlay
        .workspace
        .read(&path)?
        .map(|image| image.source)
    else {
        return Ok(Vec::new());
    };
    let since = match drift(&state.store, &path, Some(&now))? {
        Drift::Edited(since) => since,
        Drift::Unknown(_) => EditSet::default(),
    };
    let authors = if history.entries.is_empty() {
        vec![
            LineOrigin {
                author: Author::Before,
                splice: 0,
            };
            now.line_count()
        ]
    } else {
        blame(&history, &since, &now)?
    };
    Ok(authors
        .iter()
        .enumerate()
        .map(|(line, origin)| {
            let text = String::from_utf8_lossy(now.line(line)).into_owned();
            blame_view(&history, line, *origin, text)
        })
        .collect())
}

fn patch(entry: &Entry, before: &Source) -> Patch {
    let edits = hunk::by_line(before, &entry.edits);
    let numbers = match entry.presence {
        Presence::Kept => hunk::group(before, &edits),
        Presence::Created | Presence::Linked | Presence::Deleted => vec![1; edits.splices().len()],
    };
    let rendered = hunk::render(before, &edits, &numbers).into_iter();
    Patch {
        version: entry.version,
        hunks: rendered.map(|hunk| (hunk.header, hunk.lines)).collect(),
    }
}

fn blame_view(history: &FileHistory, line: usize, of: LineOrigin, text: String) -> BlameView {
    let LineOrigin { author, splice } = of;
    let entry = match author {
        Author::Entry(version) => history
            .entries
            .iter()
            .find(|entry| entry.version == version),
        Author::Before | Author::User(_) => None,
    };
    let kind = entry.map(|entry| &entry.kind);
    let signed = entry.and_then(|entry| entry.sign_off.as_ref());
    let origin = kind.and_then(EntryKind::origin);
    let author = match (author, kind) {
        (Author::User(_), _) => LineAuthor::User,
        (Author::Before, _) | (Author::Entry(_), None) => LineAuthor::Before,
        (Author::Entry(_), Some(EntryKind::Ran { .. })) => LineAuthor::Command,
        (Author::Entry(_), Some(EntryKind::Revert(_))) => LineAuthor::Revert,
        (Author::Entry(_), Some(kind)) if kind.is_edited() => LineAuthor::Edited,
        (Author::Entry(_), Some(_)) => match origin.map(|origin| &origin.proposer) {
            Some(Proposer::User) => LineAuthor::Applied,
            Some(Proposer::Program) => LineAuthor::Program,
            Some(Proposer::Person { .. }) => LineAuthor::Person,
            _ => LineAuthor::Model,
        },
    };
    let strategy = match author {
        LineAuthor::Command => Some("command".to_owned()),
        _ => kind
            .and_then(EntryKind::strategy)
            .map(|strategy| strategy.to_string()),
    };
    BlameView {
        line: u32::try_from(line + 1).unwrap_or(u32::MAX),
        author,
        version: entry.map(|entry| entry.version),
        time: entry.map(|entry| entry.time),
        description: entry.map(|entry| entry.description.clone()),
        proposal: kind.and_then(EntryKind::proposal),
        strategy,
        session: origin.map(|origin| origin.session.clone()),
        proposer: origin.map(|origin| origin.proposer.clone()),
        request: origin
            .map(|origin| origin.request.clone())
            .filter(|request| !request.is_empty()),
        sight: signed.and_then(|signed| signed.sight(splice)).cloned(),
        checks: signed.map_or_else(Vec::new, |signed| signed.checks.clone()),
        text,
    }
}
