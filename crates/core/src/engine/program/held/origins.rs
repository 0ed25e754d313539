//! Origins: files on disk whose text staged work has put elsewhere.
//!
//! In: texts that are held because a program moved them to where nothing is staged, and the files with staged work.
//! Out: those of the files that lose the same text.
//!
//! | program | staged | held |
//! |---|---|---|
//! | `mv b.txt n.txt` | move `b.txt` to `n.txt` | |
//! | `mv n.txt k.o`, which is ignored | delete `b.txt` | its text, which is that of `n.txt`, is in `k.o` |

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};

use super::{Loser, LostText};
use crate::disk::workspace::WorkspacePath;
use crate::edit::intent::Operation;
use crate::engine::EngineError;
use crate::engine::committing::held_together::is_most;
use crate::engine::program::merge::Difference;
use crate::engine::state::WorkspaceState;
use crate::id::ProposalId;
use crate::stage::proposal::stage::Stage;
use crate::text::Source;

/// A file on disk with work that was staged before the program ran.
pub(in crate::engine::program) struct StagedFile {
    /// Its path on disk.
    pub key: WorkspacePath,
    /// Its path with the staged work.
    pub name: WorkspacePath,
    pub on_disk: Source,
    /// What the staged work makes of it.
    pub text: Option<Source>,
}

/// Returns the files on disk that lose, by staged work, most of what they lose to texts that are held.
pub(super) fn origins(
    held: &[(Loser<'_>, String)],
    staged: &HashSet<&[u8]>,
    differences: &[Difference],
    files: &[StagedFile],
) -> BTreeMap<WorkspacePath, String> {
    if held.is_empty() {
        return BTreeMap::new();
    }
    let lines = held.iter().flat_map(|(own, why)| {
        let lost = own.text.lines.iter().filter(|line| !staged.contains(*line));
        lost.map(move |line| (*line, why))
    });
    let lines: HashMap<&[u8], &String> = lines.collect();
    let left: BTreeMap<&WorkspacePath, &Difference> = differences
        .iter()
        .map(|difference| (&difference.path, difference))
        .collect();
    let each = files.iter().filter_map(|file| {
        let after = match left.get(&file.name) {
            Some(own) => own.after.as_ref(),
            None => file.text.as_ref(),
        };
        let lost = LostText::of(&file.on_disk, after)?;
        let found: Vec<&String> = lost
            .lines
            .iter()
            .filter_map(|line| lines.get(line).copied())
            .collect();
        let by_lines = found
            .first()
            .filter(|_| is_most(found.len(), lost.lines.len()));
        let why = by_lines.copied().or_else(|| {
            let mut held = held.iter();
            held.find_map(|(own, why)| lost.is_in(own.text.before.bytes()).then_some(why))
        })?;
        Some((file.key.clone(), why.clone()))
    });
    each.collect()
}

/// Returns the files on disk that have staged work.
pub(in crate::engine::program) fn staged_files(
    stage: &Stage,
) -> Result<Vec<StagedFile>, EngineError> {
    let each = stage.stacks.iter().filter_map(|(key, stack)| {
        let on_disk = stack.base.clone().filter(|base| !base.is_link())?;
        Some((key, stack, on_disk))
    });
    let each = each.map(|(key, stack, on_disk)| {
        Ok(StagedFile {
            key: key.clone(),
            name: stack.name(key).clone(),
            on_disk,
            text: stack.text()?,
        })
    });
    each.collect()
}

/// Notes on what is staged for files that what it removes is in nothing that is staged any more.
pub(in crate::engine::program) fn hold_origins(
    state: &mut WorkspaceState,
    came_from: BTreeMap<WorkspacePath, String>,
) -> Result<(), EngineError> {
    let mut touched = Vec::new();
    for (key, why) in came_from {
        let own = state.overlay.stage.proposals_over(&key);
        let own = own.filter(|own| own.card.operation != Operation::Move);
        let own: BTreeSet<ProposalId> = own.map(|own| own.id).collect();
        let all = state.overlay.stage.proposals.iter_mut();
        for proposal in all.filter(|proposal| own.contains(&proposal.id)) {
            proposal.card.held.get_or_insert_with(|| why.clone());
        }
        touched.push(key);
    }
    if touched.is_empty() {
        return Ok(());
    }
    state.save(&touched)
}
