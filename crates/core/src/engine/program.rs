//! Program changes: stages what a program left in the shadow.
//!
//! In: files as a program left them, which had seen them as staged. Out: proposals for what differs, and
//! the files that cannot be staged, with the reason. What a program did is a fact: no guard looks at it, and
//! nothing has to be located. A staged change that the program rewrote becomes one proposal with what
//! the program made of it. What a background agent hands over is staged in the same way, less that: it never saw what is
//! staged here, and rewrites nothing of it.

use std::collections::{BTreeMap, BTreeSet};

use super::EngineError;
use super::overlay::Overlay;
use super::state::WorkspaceState;
use crate::disk::workspace::{AccessError, WorkspacePath};
use crate::file::{ProgramBase, ProgramContent, ProgramFile};
use crate::id::{ChangesetId, HunkId, ProposalId};
use crate::stage::proposal::layer;
use crate::stage::proposal::layer_kind::NewMode;
use crate::stage::proposal::stack::PathStack;
use crate::stage::proposal::stage::Stage;
use crate::stage::proposal::{Origin, Proposal};
use crate::stage::review::{HunkStatus, StagedProposals};
use crate::text::Source;

pub(super) mod hand_over;
mod held;
mod merge;
pub(super) mod part;
mod push;
mod steps;
mod work;

use hand_over::HandOver;
use held::Unstaged;
use held::origins::{hold_origins, staged_files};
use merge::{Difference, FileStates, FoundState, KnownState, StagedState, merge};
use push::push;
use work::{Stamp, Work};

/// Why hunks of a program are in conflict.
const LINES: &str = "these lines changed";

/// Why permission bits of a background agent are refused.
const BITS: &str = "its permissions are staged otherwise";

/// What a program left.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ProgramRun {
    /// The command, as the user or the model wrote it.
    pub command: String,
    /// The files that it may have changed.
    pub files: Vec<ProgramFile>,
    /// What it left that may hold content and is not among the files.
    pub not_collected: Vec<UnstagedFile>,
    /// Why files that it changed or removed are not written without a look, if so.
    pub held: Option<String>,
    /// The proposals of the call that it was started after, as a formatter is: their words stay where it rewrites them.
    pub finishes: Vec<ProposalId>,
    /// Where the command comes from.
    pub origin: Origin,
    /// The turn's changeset; a new one is made where there is none.
    pub changeset: Option<ChangesetId>,
}

/// What a program left where nothing is staged.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnstagedFile {
    /// Path relative to the workspace.
    pub path: String,
    /// What an ignored file or one of git's holds; none for what may hold anything, as it was not read, is too large or
    /// has no name that is text.
    pub bytes: Option<Vec<u8>>,
}

/// What became of a program's changes.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ProgramStaged {
    /// The changeset; none if nothing differs.
    pub changeset: Option<ChangesetId>,
    /// The proposals.
    pub proposals: StagedProposals,
    /// Hunks that waited and are in the proposals now, or were taken back.
    pub rewritten: Vec<HunkId>,
    /// Whether they were written at once.
    pub written: bool,
    /// Files that cannot be staged, and why.
    pub refused: Vec<(String, String)>,
    /// How many more there are, which are not named.
    pub refused_more: usize,
}

/// Returns the files with staged work as a program is to see them, moved onto the files as they
/// are now.
pub(super) fn for_program(overlay: &Overlay) -> Result<Vec<ProgramFile>, EngineError> {
    let stacks = overlay.stage.stacks.iter();
    let files: Vec<Vec<Difference>> = stacks
        .map(|(key, stack)| names(overlay, key, stack))
        .collect::<Result<_, EngineError>>()?;
    Ok(files.into_iter().flatten().map(found).collect())
}

/// Stages what a program left; files stay as they are. Returns the proposals that it became beside what is said of it.
pub(super) fn stage_program(
    state: &mut WorkspaceState,
    run: ProgramRun,
) -> Result<(ProgramStaged, BTreeSet<ProposalId>), EngineError> {
    let stamp = Stamp {
        created: (state.ambient.now)(),
        changeset: run
            .changeset
            .unwrap_or_else(|| ChangesetId((state.ambient.uuid)())),
        origin: &run.origin,
    };
    let work = Work::Program {
        command: run.command,
        held: run.held,
        finishes: run.finishes,
    };
    deliver(state, run.files, run.not_collected, &work, stamp)
}

/// Stages what a background agent hands over, and records in the same transaction that it did.
pub(super) fn take_over(
    state: &mut WorkspaceState,
    handed: HandOver,
) -> Result<(ProgramStaged, BTreeSet<ProposalId>), EngineError> {
    let stamp = Stamp {
        created: (state.ambient.now)(),
        changeset: handed.changeset,
        origin: &handed.origin,
    };
    let (files, cards) = hand_over::apart(handed.files);
    let (staged, ids) = deliver(state, files, Vec::new(), &Work::Agent(cards), stamp)?;
    if ids.is_empty() {
        state.save_handed(&[], Some(handed.changeset))?;
    }
    Ok((staged, ids))
}

/// Merges files with what is staged, and stages the result of all of them or of none.
fn deliver(
    state: &mut WorkspaceState,
    files: Vec<ProgramFile>,
    not_collected: Vec<UnstagedFile>,
    work: &Work,
    stamp: Stamp<'_>,
) -> Result<(ProgramStaged, BTreeSet<ProposalId>), EngineError> {
    let mut differences = Vec::new();
    let mut refused = Vec::new();
    for file in files {
        match states(state, file)? {
            Ok(states) => differences.extend(merge(states, work)),
            Err(own) => refused.push(own),
        }
    }
    let stage = &state.overlay.stage;
    let (bits, differences): (Vec<_>, Vec<_>) = differences.into_iter().partition(|difference| {
        difference.is_of_bits()
            && difference.since.is_nothing()
            && sets_staged_bits(stage, difference)
    });
    if let Work::Agent(_) = work {
        refused.extend(bits.iter().map(|bit| Refused::new(&bit.path, BITS)));
    }
    let (differences, came_from) =
        stageable(&state.overlay, differences, &mut refused, not_collected)?;
    let mut staged = ProgramStaged {
        changeset: Some(stamp.changeset).filter(|_| !differences.is_empty()),
        refused: refused.into_iter().map(|own| (own.path, own.why)).collect(),
        ..ProgramStaged::default()
    };
    if differences.is_empty() && bits.is_empty() {
        return Ok((staged, BTreeSet::new()));
    }
    let before = state.overlay.stage.clone();
    let made = push(state, differences, bits, work, stamp)
        .and_then(|made| hold_origins(state, came_from).map(|()| made));
    match made {
        Ok((ids, rewritten)) => {
            staged.rewritten = rewritten;
            Ok((staged, ids))
        }
        Err(error) => {
            state.overlay.stage = before;
            Err(error)
        }
    }
}

/// A file that cannot be staged, why, and what the program left there.
struct Refused {
    path: String,
    why: String,
    text: Option<Source>,
}

impl Refused {
    fn new(path: &WorkspacePath, why: impl Into<String>) -> Self {
        Self {
            path: path.to_string(),
            why: why.into(),
            text: None,
        }
    }
}

/// Reads what is there now beside what a program found and left of a file, unless that cannot be staged.
fn states(
    state: &mut WorkspaceState,
    file: ProgramFile,
) -> Result<Result<FileStates, Refused>, EngineError> {
    let mut left = KnownState::of(file.content);
    let read = match own_path(&state.overlay, &file.path) {
        Ok(path) => match staged_state(state, &path) {
            Err(EngineError::Access(error)) => Err(error.to_string()),
            now => Ok((path, now?)),
        },
        Err(why) => Err(why),
    };
    let (path, now) = match read {
        Ok(read) => read,
        Err(why) => {
            let (path, text) = (file.path, left.text);
            return Ok(Err(Refused { path, why, text }));
        }
    };
    // A staged file that is not on disk is the user's new one. What comes just now may be moved, with its bits.
    if now.text.is_some() && now.disk_mode.is_none() {
        let umask = state.overlay.workspace.umask();
        left.mode = left.mode.map(|mode| mode & !umask);
    }
    Ok(Ok(FileStates {
        path,
        found: FoundState::of(file.base),
        now,
        left,
        folders_gone: file.folders_gone,
    }))
}

fn staged_state(
    state: &mut WorkspaceState,
    path: &WorkspacePath,
) -> Result<StagedState, EngineError> {
    let text = state.text(path)?;
    let Overlay {
        workspace, stage, ..
    } = &state.overlay;
    let attributes = workspace.attributes(stage.key_of(path).unwrap_or(path))?;
    Ok(StagedState {
        text,
        disk_mode: attributes.map(|attributes| attributes.mode),
        staged_mode: staged_mode(stage, path),
    })
}

/// Returns whether permission bits take the place of staged ones, or are those of a staged new file: that gets them, and
/// nothing is staged beside it.
fn sets_staged_bits(stage: &Stage, own: &Difference) -> bool {
    let key = stage.key_of(&own.path).unwrap_or(&own.path);
    let is_new = own.mode.is_some_and(|mode| mode.from.is_none());
    let mut staged = stage.proposals_over(key);
    staged_mode(stage, &own.path).is_some()
        || is_new && staged.any(|staged| waits_for(staged, &own.path))
}

/// Returns the permission bits that what is staged gives a file.
fn staged_mode(stage: &Stage, path: &WorkspacePath) -> Option<u32> {
    let key = stage.key_of(path)?;
    let layers = stage.stacks.get(key)?.layers.iter().rev();
    let mut modes = layers.filter_map(|layer| {
        let own = stage.proposal(layer.proposal())?;
        layer.mode().filter(|_| waits_for(own, path))
    });
    modes.next().map(|mode| mode.to)
}

/// Returns whether a proposal is of this file and something of it waits for a verdict.
fn waits_for(proposal: &Proposal, path: &WorkspacePath) -> bool {
    let mut hunks = proposal.hunks.iter();
    proposal.path == *path && hunks.any(|hunk| hunk.status == HunkStatus::Pending)
}

/// Returns the differences that can be staged; the others are refused: those whose names cannot be beside
/// what is staged, or what is refused. Those that remove what may be in what is refused are held; also returned are the
/// files with staged work that are held with them.
fn stageable(
    overlay: &Overlay,
    differences: Vec<Difference>,
    refused: &mut Vec<Refused>,
    not_collected: Vec<UnstagedFile>,
) -> Result<(Vec<Difference>, BTreeMap<WorkspacePath, String>), EngineError> {
    let gone: BTreeSet<&WorkspacePath> = differences
        .iter()
        .filter(|difference| difference.after.is_none())
        .map(|own| &own.path)
        .collect();
    let names = overlay.stage.names().filter(|name| !gone.contains(name));
    let names: BTreeSet<&str> = names.map(WorkspacePath::as_str).collect();
    let mut fitting = Vec::new();
    for difference in &differences {
        match in_the_way(&names, difference) {
            None => fitting.push(difference.clone()),
            Some(name) => refused.push(Refused {
                path: difference.path.to_string(),
                why: format!("it cannot be beside {name}, which is staged"),
                text: difference.after.clone(),
            }),
        }
    }
    let left = refused.iter().filter(|own| own.text.is_some());
    let left = left.map(|own| Unstaged {
        path: own.path.clone(),
        text: own.text.clone(),
        is_ignored: false,
    });
    let others = not_collected.into_iter().map(|own| Unstaged {
        is_ignored: own.bytes.is_some(),
        path: own.path,
        text: own.bytes.map(Source::decode),
    });
    let unstaged: Vec<Unstaged> = left.chain(others).collect();
    let places = held::Places::of(&unstaged);
    fitting.retain(|own| match places.why_refused(own) {
        Some(why) => {
            refused.push(Refused::new(&own.path, why));
            false
        }
        None => true,
    });
    let came_from = held::hold(&mut fitting, &unstaged, &staged_files(&overlay.stage)?);
    Ok((fitting, came_from))
}

/// Returns what is staged in the place of a folder of a file that comes, or below its name.
fn in_the_way(names: &BTreeSet<&str>, coming: &Difference) -> Option<String> {
    if coming.before.is_some() || coming.after.is_none() {
        return None;
    }
    let path = coming.path.as_str();
    let above = held::folders(path).find(|folder| names.contains(folder));
    let below = format!("{path}/");
    let first = names.range(below.as_str()..).next().copied();
    let below = first.filter(|name| name.starts_with(&below));
    above.or(below).map(str::to_owned)
}

/// Returns the path of a file that a program may have changed, or why it cannot be staged. A program's
/// path goes through no link; one that does on disk is that of another file there.
fn own_path(overlay: &Overlay, text: &str) -> Result<WorkspacePath, String> {
    let path = WorkspacePath::parse(text, &overlay.root).map_err(|error| error.to_string())?;
    let key = overlay.stage.key_of(&path).unwrap_or(&path);
    let allowed = path.editable().map_err(AccessError::from).and_then(|()| {
        match overlay.workspace.check_writable(key) {
            // A program may have replaced it; so may the transaction.
            Ok(()) | Err(AccessError::ReadOnly { .. }) => overlay.workspace.entry(key),
            Err(error) => Err(error),
        }
    });
    match allowed {
        Ok(own) if own == *key => Ok(path),
        Ok(_) => Err("a folder of it is a symbolic link on disk".to_owned()),
        Err(error) => Err(error.to_string()),
    }
}

/// Returns what staged work makes of the file at `key`, under each of its names.
fn names(
    overlay: &Overlay,
    key: &WorkspacePath,
    stack: &PathStack,
) -> Result<Vec<Difference>, EngineError> {
    let disk_mode = match layer::mode(&stack.layers) {
        Some(_) => None,
        None => overlay.workspace.attributes(key)?.map(|own| own.mode),
    };
    names_over(disk_mode, key, stack)
}

/// Returns the same for a file that has these permission bits where none are staged.
fn names_over(
    disk_mode: Option<u32>,
    key: &WorkspacePath,
    stack: &PathStack,
) -> Result<Vec<Difference>, EngineError> {
    let mode = layer::mode(&stack.layers).or(disk_mode);
    let each = stack.texts(key).map(|(path, text)| {
        let after = text?;
        let (mode, folders_gone) = match after {
            Some(_) => (mode.map(|to| NewMode { from: None, to }), 0),
            None => (None, layer::folders_gone(&stack.layers)),
        };
        Ok(Difference {
            mode,
            folders_gone,
            ..Difference::new(path.clone(), None, after)
        })
    });
    each.collect()
}

/// Returns a file with staged work as a program finds it.
fn found(file: Difference) -> ProgramFile {
    let content = file.after.and_then(|text| {
        if text.is_link() {
            return Some(ProgramContent::Link(text.bytes().to_vec()));
        }
        let mode = file.mode.map(|mode| mode.to);
        text.encoded()
            .map(|bytes| ProgramContent::File { bytes, mode })
    });
    ProgramFile {
        path: file.path.to_string(),
        content,
        base: ProgramBase::Current,
        folders_gone: file.folders_gone,
    }
}

#[cfg(test)]
mod tests;
