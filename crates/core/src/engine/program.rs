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
use super::staging::denied_before::recognise;
use super::state::WorkspaceState;
use crate::disk::workspace::{AccessError, WorkspacePath};
use crate::edit::intent::Operation;
use crate::file::{ProgramBase, ProgramContent, ProgramFile};
use crate::id::{ChangesetId, ProposalId};
use crate::stage::proposal::Origin;
use crate::stage::proposal::aside::Clashing;
use crate::stage::proposal::cards::Cards;
use crate::stage::proposal::layer;
use crate::stage::proposal::layer_kind::{BesideText, NewMode};
use crate::stage::proposal::stack::PathStack;
use crate::stage::proposal::stage::Stage;
use crate::stage::review::StagedProposals;
use crate::text::Source;

mod compare;
pub(super) mod hand_over;
mod held;
mod steps;
mod work;

use compare::{Compared, Refused, Since, compare, staged_mode};
use hand_over::HandOver;
use held::Unstaged;
use held::origins::{hold_origins, staged_files};
use steps::{Difference, DiskModes, replaces_whole, rewrites, step, steps};
use work::{CardFacts, Maker, Work};

/// Why hunks of a program are in conflict.
const LINES: &str = "these lines changed";
const MEANWHILE: &str = "staged work on it changed";

/// Why permission bits of a background agent are refused.
const BITS: &str = "its permissions are staged otherwise";

/// Changes that are to be staged together.
struct Delivery {
    files: Vec<ProgramFile>,
    not_collected: Vec<UnstagedFile>,
    origin: Origin,
    changeset: ChangesetId,
    work: Work,
}

/// What a program left.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ProgramRun {
    /// The command, as the user or the model wrote it.
    pub command: String,
    /// The files that it may have changed.
    pub files: Vec<ProgramFile>,
    /// What it left that may hold content and is not among the files.
    pub not_collected: Vec<UnstagedFile>,
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
    let files = stacks.map(|(key, stack)| names(overlay, key, stack));
    let files: Vec<Vec<Difference>> = files.collect::<Result<_, EngineError>>()?;
    Ok(files.into_iter().flatten().map(found).collect())
}

/// Stages what a program left; files stay as they are. Returns the proposals that it became beside what is said of it.
pub(super) fn stage_program(
    state: &mut WorkspaceState,
    run: ProgramRun,
) -> Result<(ProgramStaged, BTreeSet<ProposalId>), EngineError> {
    let new = || ChangesetId((state.ambient.uuid)());
    let delivery = Delivery {
        files: run.files,
        not_collected: run.not_collected,
        origin: run.origin,
        changeset: run.changeset.unwrap_or_else(new),
        work: Work::Program {
            command: run.command,
        },
    };
    deliver(state, delivery)
}

/// Stages what a background agent hands over, and records in the same transaction that it did.
pub(super) fn take_over(
    state: &mut WorkspaceState,
    handed: HandOver,
) -> Result<(ProgramStaged, BTreeSet<ProposalId>), EngineError> {
    let changeset = handed.changeset;
    let (files, cards) = hand_over::apart(handed.files);
    let delivery = Delivery {
        files,
        not_collected: Vec::new(),
        origin: handed.origin,
        changeset,
        work: Work::Agent(cards),
    };
    let (staged, ids) = deliver(state, delivery)?;
    if ids.is_empty() {
        state.save_handed(&[], Some(changeset))?;
    }
    Ok((staged, ids))
}

fn deliver(
    state: &mut WorkspaceState,
    delivery: Delivery,
) -> Result<(ProgramStaged, BTreeSet<ProposalId>), EngineError> {
    let Delivery {
        files,
        not_collected,
        origin,
        changeset,
        work,
    } = delivery;
    let mut staged = ProgramStaged::default();
    let mut differences = Vec::new();
    let mut refused = Vec::new();
    for file in files {
        match (compare(state, file, work.maker())?, &work) {
            (Compared::Same, _) => {}
            (Compared::Differs(own), _) => differences.extend(own),
            (Compared::Permissions(path, mode), Work::Program { command }) => {
                give_mode(state, &path, mode, command)?;
            }
            (Compared::Permissions(path, _), Work::Agent(_)) => refused.push(Refused {
                path: path.to_string(),
                why: BITS.to_owned(),
                text: None,
            }),
            (Compared::Refused(own), _) => refused.push(own),
        }
    }
    let (differences, came_from) = apart(&state.overlay, differences, &mut refused, not_collected)?;
    let named = refused.into_iter().map(|own| (own.path, own.why));
    staged.refused = named.collect();
    if differences.is_empty() {
        return Ok((staged, BTreeSet::new()));
    }
    let before = state.overlay.stage.clone();
    let made = push_program(state, differences, &work, &origin, changeset)
        .and_then(|ids| hold_origins(state, came_from).map(|()| ids));
    let ids = match made {
        Ok(ids) => ids,
        Err(error) => {
            state.overlay.stage = before;
            return Err(error);
        }
    };
    staged.changeset = Some(changeset);
    Ok((staged, ids))
}

/// Returns the differences that can be staged; the others are refused: those whose names cannot be beside
/// what is staged, or what is refused. Those that remove what may be in what is refused are held; also returned are the
/// files with staged work that are held with them.
fn apart(
    overlay: &Overlay,
    differences: Vec<Difference>,
    refused: &mut Vec<Refused>,
    not_collected: Vec<UnstagedFile>,
) -> Result<(Vec<Difference>, BTreeMap<WorkspacePath, String>), EngineError> {
    let gone = differences.iter().filter(|own| own.after.is_none());
    let gone: BTreeSet<&str> = gone.map(|own| own.path.as_str()).collect();
    let staged = overlay.stage.names().map(WorkspacePath::as_str);
    let staged: BTreeSet<&str> = staged.filter(|name| !gone.contains(name)).collect();
    let in_the_way = |path: &str| {
        let above = held::folders(path).find_map(|folder| staged.get(folder));
        let below = format!("{path}/");
        let below = staged
            .range(below.as_str()..)
            .next()
            .filter(|name| name.starts_with(&below));
        above.or(below).map(|name| (*name).to_owned())
    };
    let mut kept = Vec::new();
    for own in differences {
        let comes = own.before.is_none() && own.after.is_some();
        match in_the_way(own.path.as_str()).filter(|_| comes) {
            Some(name) => refused.push(Refused {
                why: format!("it cannot be beside {name}, which is staged"),
                path: own.path.to_string(),
                text: own.after,
            }),
            None => kept.push(own),
        }
    }
    let known = refused.iter().filter(|own| own.text.is_some());
    let known = known.map(|own| Unstaged {
        path: own.path.clone(),
        text: own.text.clone(),
        is_ignored: false,
    });
    let others = not_collected.into_iter().map(|own| Unstaged {
        is_ignored: own.bytes.is_some(),
        path: own.path,
        text: own.bytes.map(Source::decode),
    });
    let unstaged: Vec<Unstaged> = known.chain(others).collect();
    let places = held::Places::of(&unstaged);
    kept.retain(|own| {
        let why = places.why_refused(own);
        refused.extend(why.clone().map(|why| Refused {
            path: own.path.to_string(),
            why,
            text: None,
        }));
        why.is_none()
    });
    let came_from = held::hold(&mut kept, &unstaged, &staged_files(&overlay.stage)?);
    Ok((kept, came_from))
}

/// Returns the path of a file that a program may have changed, or why it cannot be staged. A program's
/// path goes through no link; one that does on disk is that of another file there.
fn own_path(overlay: &Overlay, text: &str) -> Result<WorkspacePath, String> {
    let path = WorkspacePath::parse(text, &overlay.root).map_err(|error| error.to_string())?;
    let key = overlay.stage.key_of(&path).unwrap_or(&path);
    let allowed = path.editable().map_err(AccessError::from);
    let allowed = allowed.and_then(|()| {
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

/// Gives a file other permission bits than those that are staged for it.
fn give_mode(
    state: &mut WorkspaceState,
    path: &WorkspacePath,
    mode: NewMode,
    command: &str,
) -> Result<(), EngineError> {
    state.overlay.stage.give_mode(path, mode, command);
    state.save(std::slice::from_ref(path))
}

/// Returns what staged work makes of the file at `key`, under each of its names.
fn names(
    overlay: &Overlay,
    key: &WorkspacePath,
    stack: &PathStack,
) -> Result<Vec<Difference>, EngineError> {
    let mode = match layer::mode(&stack.layers) {
        Some(mode) => Some(mode),
        None => overlay.workspace.attributes(key)?.map(|own| own.mode),
    };
    let each = stack.texts(key).map(|(path, text)| {
        let after = text?;
        let (mode, folders_gone) = match after {
            Some(_) => (mode.map(|to| NewMode { from: None, to }), 0),
            None => (None, layer::folders_gone(&stack.layers)),
        };
        Ok(Difference {
            path: path.clone(),
            before: None,
            after,
            mode,
            found_mode: None,
            held: None,
            folders_gone,
            since: Since::Nothing,
        })
    });
    each.collect()
}

/// Compares what a program left with what is staged now: what was dropped may leave a file as the program did.
fn compare_again(
    overlay: &Overlay,
    still: &mut Vec<Difference>,
    stage: &Stage,
) -> Result<(), EngineError> {
    for difference in still.iter_mut().filter(|own| own.since.is_nothing()) {
        difference.before = match stage.text(&difference.path) {
            Some(text) => text?,
            None => overlay
                .workspace
                .read(&difference.path)?
                .map(|image| image.source),
        };
        let key = stage.key_of(&difference.path);
        let stack = key.and_then(|key| stage.stacks.get(key));
        let staged = stack.and_then(|stack| layer::mode(&stack.layers));
        let is_new = |mode: &NewMode| staged.or(mode.from) != Some(mode.to);
        difference.mode = difference.mode.filter(is_new);
    }
    still.retain(|difference| difference.before != difference.after || difference.mode.is_some());
    Ok(())
}

fn push_program(
    state: &mut WorkspaceState,
    differences: Vec<Difference>,
    work: &Work,
    origin: &Origin,
    changeset: ChangesetId,
) -> Result<BTreeSet<ProposalId>, EngineError> {
    let created = (state.ambient.now)();
    let mut touched: BTreeSet<WorkspacePath> = BTreeSet::new();
    let mut stage = state.overlay.stage.clone();
    let cards = Cards::of(&state.overlay.stage.proposals);
    let mut still = Vec::new();
    let mut beside = Vec::new();
    // What changed meanwhile stays, and what the program made comes on top of it.
    let changed = differences.iter().filter(|own| !own.since.is_nothing());
    let changed = changed.filter_map(|own| stage.key_of(&own.path).cloned());
    let changed: BTreeSet<WorkspacePath> = changed.collect();
    for mut difference in differences {
        if difference.since.is_nothing()
            && let Some(key) = stage.key_of(&difference.path).cloned()
            && rewrites(&stage, &key, &difference)?
        {
            let command = match work {
                Work::Program { command } if !changed.contains(&key) => command,
                Work::Program { .. } | Work::Agent(_) => {
                    difference.since = Since::clashes(&work.maker().meanwhile(MEANWHILE));
                    still.push(difference);
                    continue;
                }
            };
            if let Some(stack) = stage.stacks.get(&key) {
                difference.keep_of(&cards, &stack.layers);
                // The program left as they were what other names it did not touch.
                beside.extend(names(&state.overlay, &key, stack)?);
            }
            stage.replace(&key, command);
            touched.insert(key);
        }
        still.push(difference);
    }
    let told: BTreeSet<WorkspacePath> = still.iter().map(|own| own.path.clone()).collect();
    still.extend(beside.into_iter().filter(|own| !told.contains(&own.path)));
    compare_again(&state.overlay, &mut still, &stage)?;
    let mut ids = BTreeSet::new();
    let steps = steps(still, &stage, &disk_modes(&state.overlay))?;
    let bearing = bearing_modes(&stage, &steps);
    for (difference, to) in steps {
        let id = ProposalId((state.ambient.uuid)());
        let path = difference.path.clone();
        let mode = difference.mode;
        let is_of_bits = difference.before.is_some() && difference.before == difference.after;
        if let (true, Work::Program { command }, Some(mode)) = (is_of_bits, work, mode)
            && bearing.contains(&path)
        {
            touched.extend(stage.key_of(&path).cloned());
            stage.give_mode(&path, mode, command);
            continue;
        }
        let beside = BesideText {
            to: to.clone(),
            mode,
            folders_gone: difference.folders_gone,
        };
        let held = difference.held.clone().or_else(|| work.held(&path));
        let held = held.filter(|_| !is_of_bits);
        let before = difference.before.clone();
        let (operation, plan, since) = step(difference, to.as_ref(), work.maker());
        let found = CardFacts {
            operation,
            evidence: &plan.evidence.how,
            created,
            origin,
        };
        let mut card = work.card(&path, found);
        card.held = held.filter(|_| to.is_none());
        let base = base(&state.overlay, &stage, &path)?;
        let lines = work.maker().meanwhile(LINES);
        let clashing = clashing(&since, &lines);
        let whole = before.filter(|before| replaces_whole(before, &plan, &since));
        let ids_of_it = (id, changeset);
        match clashing.filter(|_| to.is_none()) {
            Some(clashing) => {
                let plan = (plan, beside);
                stage.push_beside(&path, base, ids_of_it, card, plan, clashing)?;
                whole.iter().for_each(|text| stage.bind_to_whole(text));
            }
            None => stage.push(&path, base, ids_of_it, card, (plan, beside))?,
        }
        if let (Operation::Permissions, Some(mode), Some(proposal)) =
            (operation, mode, stage.proposals.last_mut())
        {
            proposal.show_permissions(mode);
        }
        touched.extend(stage.key_of(&path).cloned());
        ids.insert(id);
    }
    let handed = match work.maker() {
        Maker::Program => None,
        Maker::Agent => {
            let own: Vec<ProposalId> = ids.iter().copied().collect();
            recognise(&state.store, &mut stage, &own)?;
            Some(changeset)
        }
    };
    state.overlay.stage = stage;
    let touched: Vec<WorkspacePath> = touched.into_iter().collect();
    state.save_handed(&touched, handed)?;
    Ok(ids)
}

/// Returns what tells the permission bits of files on disk.
fn disk_modes(
    overlay: &Overlay,
) -> DiskModes<impl Fn(&WorkspacePath) -> Result<Option<u32>, AccessError>> {
    DiskModes {
        of: move |path: &WorkspacePath| {
            let own = overlay.workspace.attributes(path)?;
            Ok(own.map(|own| own.mode))
        },
        umask: overlay.workspace.umask(),
    }
}

/// Returns the files of which something staged by earlier programs bears the permission bits, which it gets anew: what
/// this one makes has its own, and those asked for beside it.
fn bearing_modes(
    stage: &Stage,
    steps: &[(Difference, Option<WorkspacePath>)],
) -> BTreeSet<WorkspacePath> {
    let bears_mode = |own: &Difference| {
        let is_new = own.mode.is_some_and(|mode| mode.from.is_none());
        staged_mode(stage, &own.path).is_some() || is_new && stage.key_of(&own.path).is_some()
    };
    let bearing = steps.iter().filter(|(own, _)| bears_mode(own));
    bearing.map(|(own, _)| own.path.clone()).collect()
}

/// Returns the file on disk that a first layer for it stands on; none where something is staged for it.
fn base(
    overlay: &Overlay,
    stage: &Stage,
    path: &WorkspacePath,
) -> Result<Option<Source>, EngineError> {
    Ok(match stage.key_of(path) {
        Some(_) => None,
        None => overlay.workspace.read(path)?.map(|image| image.source),
    })
}

/// Returns what of a change clashes with what changed meanwhile.
fn clashing<'s>(since: &'s Since, lines: &'s str) -> Option<Clashing<'s>> {
    match since {
        Since::Nothing => None,
        Since::Merged(merge) => Some(Clashing::These(&merge.clashing, lines)),
        Since::Clashes { why, .. } => Some(Clashing::All(why)),
    }
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
