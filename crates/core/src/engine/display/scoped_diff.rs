//! Diffs of a scope: what some changes make of each file, written and staged, as one diff.
//!
//! In: a scope, as the last turn. Out: for each file the texts before and after these changes alone, and from them, without
//! the lock, the diff. What others changed meanwhile is left out where it commutes.

mod own_part;

use std::collections::{BTreeSet, HashMap, HashSet};

use self::own_part::OwnPart;
use crate::disk::workspace::WorkspacePath;
use crate::edit::diff::hunk::{self, Rendered};
use crate::edit::diff::line::LineMemory;
use crate::edit::diff::lines::difference;
use crate::edit::intent::Operation;
use crate::edit::plan::Presence;
use crate::engine::EngineError;
use crate::engine::drift::{Drift, drift};
use crate::engine::state::WorkspaceState;
use crate::id::{ChangesetId, ProposalId};
use crate::plural::counted;
use crate::record::history::{Entry, EntryKind, FileHistory};
use crate::stage::proposal::layer::Layer;
use crate::stage::proposal::stack::PathStack;
use crate::stage::proposal::{Origin, Proposal};
use crate::stage::review::{DeniedEdit, DiffHunk, DiffScope, FileDiff, ScopedDiff};
use crate::text::{EditSet, Source};

/// Memory that the lines of a diff take: 260,000 lines of 40 characters, and small hunks half as many.
const MEMORY: LineMemory = LineMemory::new(32 * 1024 * 1024, 48 * 1024 * 1024);

/// What is said of a diff that has changes of others in it.
const MIXED: &str = "with later changes by you or others to the same lines";

/// The texts of a scope's files before and after its changes.
#[derive(Debug)]
pub struct ScopedTexts {
    scope: DiffScope,
    files: Vec<FileTexts>,
    left_out: Vec<(String, String)>,
    /// A denied hunk, as it was shown.
    denied: Option<FileDiff>,
}

/// One file before and after.
#[derive(Debug)]
struct FileTexts {
    path: String,
    from: Option<String>,
    before: Option<Source>,
    after: Option<Source>,
    notes: Vec<String>,
}

/// Which changes are those of the scope.
enum Chosen {
    Waiting,
    Changeset(ChangesetId),
    Session(String),
    Entries(HashMap<String, HashSet<u64>>),
}

/// One change on the way from the oldest text to the newest.
struct PastChange<'a> {
    edits: &'a EditSet,
    presence: Presence,
    moved: Option<(String, String)>,
    mode: Option<u32>,
    is_own: bool,
}

/// Returns what is needed for the diff of a scope; `session` is the conversation that asks.
pub(in crate::engine) fn scoped_texts(
    state: &WorkspaceState,
    scope: DiffScope,
    session: &str,
) -> Result<ScopedTexts, EngineError> {
    let mut texts = ScopedTexts {
        files: Vec::new(),
        left_out: Vec::new(),
        denied: None,
        scope,
    };
    if let DiffScope::Denied { number } = texts.scope {
        texts.denied = state.store.denied_hunk(number)?.map(denied_diff);
        return Ok(texts);
    }
    let Some(chosen) = chosen(state, &texts.scope, session)? else {
        return Ok(texts);
    };
    let mut paths: BTreeSet<WorkspacePath> = state.overlay.stage.stacks.keys().cloned().collect();
    if !matches!(chosen, Chosen::Waiting) {
        paths.extend(state.store.history_paths()?);
    }
    let proposals = state.overlay.stage.proposals.iter();
    let proposals: HashMap<ProposalId, &Proposal> =
        proposals.map(|proposal| (proposal.id, proposal)).collect();
    for path in paths {
        match file_texts(state, &path, &chosen, &proposals) {
            Ok(file) => texts.files.extend(file),
            Err(error) => texts.left_out.push((path.to_string(), error.to_string())),
        }
    }
    Ok(texts)
}

/// Returns which changes a scope means; none if there is no such change.
fn chosen(
    state: &WorkspaceState,
    scope: &DiffScope,
    session: &str,
) -> Result<Option<Chosen>, EngineError> {
    Ok(Some(match scope {
        DiffScope::Denied { .. } => return Ok(None),
        DiffScope::Waiting => Chosen::Waiting,
        DiffScope::Conversation => Chosen::Session(session.to_owned()),
        DiffScope::LastTurn => match last_turn(state, session)? {
            Some(changeset) => Chosen::Changeset(changeset),
            None => return Ok(None),
        },
        DiffScope::Entries { entries } => {
            let mut chosen: HashMap<String, HashSet<u64>> = HashMap::new();
            for (path, version) in entries {
                let path = state.file_at(path)?.to_string();
                chosen.entry(path).or_default().insert(*version);
            }
            Chosen::Entries(chosen)
        }
    }))
}

/// Returns the newest changeset of a conversation: ids of changesets are ordered by time.
fn last_turn(state: &WorkspaceState, session: &str) -> Result<Option<ChangesetId>, EngineError> {
    let staged = state.overlay.stage.proposals.iter();
    let staged = staged.filter(|own| own.is_open() && own.card.origin.session == session);
    let mut newest = staged.map(|own| own.changeset).max();
    for path in state.store.history_paths()? {
        for entry in &state.store.history(&path)?.entries {
            let origin = entry.kind.origin();
            if origin.is_some_and(|origin| origin.session == session) {
                newest = newest.max(entry.kind.changeset());
            }
        }
    }
    Ok(newest)
}

fn file_texts(
    state: &WorkspaceState,
    path: &WorkspacePath,
    chosen: &Chosen,
    proposals: &HashMap<ProposalId, &Proposal>,
) -> Result<Option<FileTexts>, EngineError> {
    let history = match chosen {
        Chosen::Waiting => FileHistory::default(),
        Chosen::Entries(entries) if !entries.contains_key(path.as_str()) => return Ok(None),
        _ => state.store.history(path)?,
    };
    let versions = chosen.versions(path, &history);
    let first = (history.entries.iter()).position(|entry| versions.contains(&entry.version));
    let entries = first
        .and_then(|at| history.entries.get(at..))
        .unwrap_or_default();
    let empty = PathStack::default();
    let mut stack = state.overlay.stage.stacks.get(path).unwrap_or(&empty);
    let is_own = |layer: &Layer| {
        let own = proposals.get(&layer.proposal());
        own.is_some_and(|own| chosen.takes(own.changeset, &own.card.origin))
    };
    let has_own_layer = stack.layers.iter().any(is_own);
    let (mut since, mut lost) = (EditSet::default(), None);
    let base = match entries {
        [] if !has_own_layer => return Ok(None),
        [] => stack.base.clone(),
        _ => text_before(state, path, entries)?,
    };
    if !entries.is_empty() && has_own_layer {
        match drift(&state.store, path, stack.base.as_ref())? {
            Drift::Edited(edits) => since = edits,
            Drift::Unknown(why) => (stack, lost) = (&empty, Some(why)),
        }
    }
    let mut changes = Vec::new();
    for (index, entry) in entries.iter().enumerate() {
        if index > 0 {
            changes.push(PastChange::others(&entry.drift));
        }
        changes.push(PastChange::entry(entry, versions.contains(&entry.version)));
    }
    changes.push(PastChange::others(&since));
    let mut name = path.clone();
    for layer in &stack.layers {
        let mode = layer.mode().map(|mode| mode.to);
        changes.push(PastChange::layer(layer, &mut name, mode, is_own(layer)));
    }
    let mut file = folded(path, base, &changes)?;
    if let Some(file) = &mut file {
        file.notes.extend(lost);
    }
    Ok(file)
}

/// Returns the text before the first of a file's newest entries; none if that made the file.
fn text_before(
    state: &WorkspaceState,
    path: &WorkspacePath,
    entries: &[Entry],
) -> Result<Option<Source>, EngineError> {
    let written = state.store.committed(path)?.flatten();
    let mut after = written.unwrap_or_else(|| Source::new(Vec::new()));
    let mut base = None;
    for entry in entries.iter().rev() {
        let (before, below) = entry.undone(&after)?;
        let before = Source::in_encoding(before.bytes().to_vec(), entry.encoding);
        base = (!entry.presence.comes()).then_some(before);
        after = below;
    }
    Ok(base)
}

impl Chosen {
    /// Tells whether changes of this changeset, made there, are meant.
    fn takes(&self, changeset: ChangesetId, origin: &Origin) -> bool {
        match self {
            Self::Waiting => true,
            Self::Changeset(own) => *own == changeset,
            Self::Session(session) => *session == origin.session,
            Self::Entries(_) => false,
        }
    }

    /// Returns the versions of a file that are meant. What takes one of them back belongs to it, unless entries are named.
    fn versions(&self, path: &WorkspacePath, history: &FileHistory) -> HashSet<u64> {
        if let Self::Entries(entries) = self {
            return entries.get(path.as_str()).cloned().unwrap_or_default();
        }
        let mut versions = HashSet::new();
        for entry in &history.entries {
            let is_own = match &entry.kind {
                EntryKind::Applied {
                    changeset, origin, ..
                }
                | EntryKind::Ran { changeset, origin } => self.takes(*changeset, origin),
                EntryKind::Revert(of) => of.iter().any(|version| versions.contains(version)),
                EntryKind::MovedOutside => false,
            };
            if is_own {
                versions.insert(entry.version);
            }
        }
        versions
    }
}

impl<'a> PastChange<'a> {
    fn others(edits: &'a EditSet) -> Self {
        Self {
            edits,
            presence: Presence::Kept,
            moved: None,
            mode: None,
            is_own: false,
        }
    }

    fn entry(entry: &'a Entry, is_own: bool) -> Self {
        let ends = entry.moved.as_ref();
        let attributes = entry.attributes.as_ref();
        Self {
            edits: &entry.edits,
            presence: entry.presence,
            moved: ends.map(|(from, to)| (from.to_string(), to.to_string())),
            mode: attributes.and_then(|own| own.replaced_by),
            is_own,
        }
    }

    /// Takes a layer over a file that is called `name` below it.
    fn layer(layer: &'a Layer, name: &mut WorkspacePath, mode: Option<u32>, is_own: bool) -> Self {
        let moved = layer.to().map(|to| {
            let from = std::mem::replace(name, to.clone());
            (from.to_string(), to.to_string())
        });
        Self {
            edits: layer.edits(),
            presence: layer.presence(),
            moved,
            mode,
            is_own,
        }
    }
}

/// Returns a file before and after the own ones among changes, up to the last of these; nothing if they come to nothing.
fn folded(
    path: &WorkspacePath,
    base: Option<Source>,
    changes: &[PastChange<'_>],
) -> Result<Option<FileTexts>, crate::text::Mismatch> {
    let encoding = base.as_ref().map(Source::encoding).unwrap_or_default();
    let mut part = OwnPart::new(base.as_ref().map_or(&[][..], Source::bytes).to_vec());
    let [mut was_there, mut is_there] = [base.is_some(); 2];
    let (mut from, mut name, mut mode) = (None, path.to_string(), None);
    let mut is_link = base.as_ref().is_some_and(Source::is_link);
    let end = changes.iter().rposition(|change| change.is_own);
    let until = end.map_or(0, |end| end + 1);
    for change in changes.iter().take(until) {
        let comes = (change.presence != Presence::Kept).then(|| change.presence.comes());
        if change.is_own {
            part.add(change.edits.clone());
            mode = change.mode.or(mode);
        } else if part.add_other(change.edits)? {
            was_there = comes.unwrap_or(was_there);
        }
        is_there = comes.unwrap_or(is_there);
        is_link = comes.map_or(is_link, |_| change.presence == Presence::Linked);
        if let Some((old, new)) = &change.moved {
            name.clone_from(new);
            if change.is_own {
                from.get_or_insert_with(|| old.clone());
            }
        }
    }
    let mut notes: Vec<String> = Vec::new();
    notes.extend(part.is_mixed().then(|| MIXED.to_owned()));
    notes.extend(mode.map(|mode| format!("permissions {:o}", mode & 0o7777)));
    let (before, after) = part.texts()?;
    let before = was_there.then(|| Source::in_encoding(before, encoding));
    let after = is_there.then(|| {
        if is_link {
            Source::link(after)
        } else {
            Source::in_encoding(after, encoding)
        }
    });
    let from = from.filter(|from| *from != name);
    if bytes_of(&before) == bytes_of(&after) && from.is_none() && mode.is_none() {
        return Ok(None);
    }
    Ok(Some(FileTexts {
        path: name,
        from,
        before,
        after,
        notes,
    }))
}

fn bytes_of(text: &Option<Source>) -> Option<Vec<u8>> {
    text.as_ref().map(|own| own.bytes().to_vec())
}

impl ScopedTexts {
    /// Makes the diffs; takes as long as it takes to compare all texts.
    pub fn diff(&self) -> ScopedDiff {
        let mut memory = MEMORY;
        let mut files = Vec::with_capacity(self.files.len());
        for file in &self.files {
            let diff = file.diff(memory.largest());
            memory.take(diff.hunks.iter().flat_map(|hunk| &hunk.lines));
            files.push(diff);
        }
        files.extend(self.denied.clone());
        ScopedDiff {
            scope: self.scope.clone(),
            files,
            left_out: self.left_out.clone(),
        }
    }
}

impl FileTexts {
    /// Returns the diff; hunks of more than `most` bytes are told by their sizes.
    fn diff(&self, most: usize) -> FileDiff {
        let nothing = Source::new(Vec::new());
        let before = self.before.as_ref().unwrap_or(&nothing);
        let after = self.after.as_ref().unwrap_or(&nothing);
        let edits = difference(before, after);
        let numbers = hunk::group(before, &edits);
        let rendered = hunk::render_within(before, &edits, &numbers, most);
        let is_link = before.is_link() || after.is_link();
        let hunks: Vec<DiffHunk> = rendered
            .into_iter()
            .map(|hunk| diff_hunk(is_link, hunk))
            .collect();
        let is_moved = self.from.is_some();
        let operation = match (&self.before, &self.after) {
            (_, Some(after)) if after.is_link() => Operation::Link,
            (None, Some(_)) => Operation::Create,
            (Some(_), None) => Operation::Delete,
            _ if is_moved => Operation::Move,
            (Some(_), Some(_)) if hunks.is_empty() => Operation::Permissions,
            _ => Operation::Modify,
        };
        FileDiff {
            path: self.path.clone(),
            from: self.from.clone(),
            operation,
            note: (!self.notes.is_empty()).then(|| self.notes.join("; ")),
            hunks,
        }
    }
}

/// Returns the diff of a hunk that was denied, with the reason and how much of it is not kept.
fn denied_diff((hunk, shown): (DeniedEdit, DiffHunk)) -> FileDiff {
    let reason = hunk.denied.reason.as_deref();
    let denied = reason.map_or_else(|| "denied".to_owned(), |reason| format!("denied: {reason}"));
    let left_out = shown.left_out();
    let note = match left_out {
        0 => denied,
        _ => format!(
            "{denied}; {} of it not kept",
            counted(left_out, "more changed line")
        ),
    };
    FileDiff {
        path: hunk.path,
        from: None,
        operation: Operation::Modify,
        note: Some(note),
        hunks: vec![shown],
    }
}

fn diff_hunk(is_link: bool, hunk: Rendered) -> DiffHunk {
    let mut lines = hunk.lines;
    // The target of a link is no line that could lack its end.
    lines.iter_mut().for_each(|line| line.newline |= is_link);
    DiffHunk {
        header: hunk.header,
        lines,
        added: hunk.added,
        removed: hunk.removed,
    }
}
