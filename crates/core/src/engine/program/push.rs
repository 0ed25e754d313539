//! Push: puts what was merged on top of what is staged.
//!
//! In: differences. Out: proposals, all of them or none. A staged change that a program rewrote becomes one proposal with
//! what the program made of it:
//!
//! ```text
//! on disk  staged     left by `fmt`   becomes
//! 1 2      1 two      ONE two         a proposal beside the staged one
//! 1 2      1 two      1 TWO           one proposal, `2` to `TWO`; the staged one is marked as replaced
//! 1 2      1 two      1 2             nothing; the staged one is marked as replaced
//! ```
//!
//! A formatter that a hook starts after an edit finishes that edit: what the model said of it stays first on the card.
//!
//! A background agent never saw what is staged here, and rewrites nothing of it: what touches that is a conflict.

use std::collections::{BTreeMap, BTreeSet};

use super::merge::{Difference, Since, is_of_one_kind};
use super::steps::{DiskModes, ProgramStep, edits, plan, replaces_whole, steps};
use super::work::{Stamp, Work};
use super::{LINES, names, sets_staged_bits};
use crate::disk::workspace::WorkspacePath;
use crate::edit::intent::Operation;
use crate::engine::EngineError;
use crate::engine::overlay::Overlay;
use crate::engine::staging::denied_before::recognise;
use crate::engine::staging::rules::FolderRules;
use crate::engine::state::WorkspaceState;
use crate::id::{HunkId, ProposalId};
use crate::stage::proposal::aside::Clashing;
use crate::stage::proposal::cards::Cards;
use crate::stage::proposal::layer::{self, Layer};
use crate::stage::proposal::layer_kind::{BesideText, NewMode};
use crate::stage::proposal::stage::Stage;

/// Why a change is in conflict that touches what was staged meanwhile.
const MEANWHILE: &str = "staged work on it changed";

/// Stages differences, and gives files `bits` in the place of staged ones. Returns the proposals, and the hunks that are
/// taken out for them.
pub(super) fn push(
    state: &mut WorkspaceState,
    differences: Vec<Difference>,
    bits: Vec<Difference>,
    work: &Work,
    stamp: Stamp<'_>,
) -> Result<(BTreeSet<ProposalId>, Vec<HunkId>), EngineError> {
    let mut pushed = StagePush {
        stage: state.overlay.stage.clone(),
        touched: BTreeSet::new(),
        ids: BTreeSet::new(),
        replaced: Vec::new(),
        rules: FolderRules::default(),
        words: BTreeMap::new(),
    };
    bits.iter()
        .for_each(|change| pushed.give_bits(change, work));
    let mut differences = pushed.over_rewritten(&state.overlay, differences, work)?;
    compare_again(&state.overlay, &mut differences, &pushed.stage)?;
    let disk = disk_modes(&state.overlay, &differences)?;
    let steps = steps(differences, &pushed.stage, &disk);
    let bearing: BTreeSet<WorkspacePath> = steps
        .iter()
        .filter(|step| sets_staged_bits(&pushed.stage, &step.change))
        .map(|step| step.change.path.clone())
        .collect();
    for step in steps {
        let is_program = matches!(work, Work::Program { .. });
        if is_program && step.change.is_of_bits() && bearing.contains(&step.change.path) {
            pushed.give_bits(&step.change, work);
            continue;
        }
        let id = ProposalId((state.ambient.uuid)());
        pushed.push(&state.overlay, step, id, work, stamp)?;
    }
    let StagePush {
        mut stage,
        touched,
        ids,
        replaced,
        ..
    } = pushed;
    let handed = match work {
        Work::Program { .. } => None,
        Work::Agent(_) => {
            let own: Vec<ProposalId> = ids.iter().copied().collect();
            recognise(&state.store, &mut stage, &own)?;
            Some(stamp.changeset)
        }
    };
    state.overlay.stage = stage;
    let touched: Vec<WorkspacePath> = touched.into_iter().collect();
    state.save_handed(&touched, handed)?;
    Ok((ids, replaced))
}

/// The stage with what was pushed so far.
struct StagePush {
    stage: Stage,
    touched: BTreeSet<WorkspacePath>,
    ids: BTreeSet<ProposalId>,
    /// What was taken out.
    replaced: Vec<HunkId>,
    rules: FolderRules,
    /// What the cards of files say, where that is more than the command.
    words: BTreeMap<WorkspacePath, String>,
}

impl StagePush {
    /// Gives a file other permission bits than those that are staged for it.
    fn give_bits(&mut self, change: &Difference, work: &Work) {
        if let (Work::Program { command, .. }, Some(mode)) = (work, change.mode) {
            let key = self.stage.key_of(&change.path);
            self.touched.extend(key.cloned());
            self.stage.give_mode(&change.path, mode, command);
        }
    }

    /// Takes staged work out that the differences rewrite, so that they are of the file on disk; what clashes with it
    /// instead says so.
    fn over_rewritten(
        &mut self,
        overlay: &Overlay,
        mut differences: Vec<Difference>,
        work: &Work,
    ) -> Result<Vec<Difference>, EngineError> {
        let cards = Cards::of(&overlay.stage.proposals);
        // What changed meanwhile stays, and what the program made comes on top of it.
        let changed: BTreeSet<WorkspacePath> = differences
            .iter()
            .filter(|difference| !difference.since.is_nothing())
            .filter_map(|own| self.stage.key_of(&own.path).cloned())
            .collect();
        let mut other_names = Vec::new();
        for difference in &mut differences {
            let Some(key) = self.stage.key_of(&difference.path).cloned() else {
                continue;
            };
            if !difference.since.is_nothing() || !rewrites(&self.stage, &key, difference)? {
                continue;
            }
            let command = match work {
                Work::Program { command, .. } if !changed.contains(&key) => command,
                Work::Program { .. } | Work::Agent(_) => {
                    difference.since = Since::clashes(&work.meanwhile(MEANWHILE));
                    continue;
                }
            };
            if let Some(stack) = self.stage.stacks.get(&key) {
                // It is still there, and was given no other bits.
                let staged = layer::mode(&stack.layers)
                    .filter(|_| difference.after.is_some())
                    .map(|to| NewMode { from: None, to });
                difference.mode = difference.mode.or(staged);
                let held = difference.held.take();
                difference.held = held.or_else(|| cards.held(&stack.layers));
                let rewritten: Vec<ProposalId> = stack.layers.iter().map(Layer::proposal).collect();
                let words = work.words(&rewritten, cards.descriptions(&stack.layers));
                let words = words.map(|words| (difference.path.clone(), words));
                self.words.extend(words);
                other_names.extend(names(overlay, &key, stack)?);
            }
            self.replaced.extend(self.stage.replace(&key, command));
            self.touched.insert(key);
        }
        // The program left them as they were.
        let told: BTreeSet<WorkspacePath> = differences
            .iter()
            .map(|difference| difference.path.clone())
            .collect();
        other_names.retain(|other_name| !told.contains(&other_name.path));
        differences.append(&mut other_names);
        Ok(differences)
    }

    /// Returns which rules a step breaks, if any.
    fn forbidden(
        &mut self,
        overlay: &Overlay,
        step: &ProgramStep,
    ) -> Result<Option<String>, EngineError> {
        let change = &step.change;
        let texts = (change.before.as_ref(), change.after.as_ref());
        let why = self.rules.why_held(overlay, &change.path, texts)?;
        match &step.to {
            Some(to) if why.is_none() => self.rules.why_held(overlay, to, (texts.0, texts.0)),
            _ => Ok(why),
        }
    }

    /// Puts a step on top of what is staged for its file; what clashes stands aside.
    fn push(
        &mut self,
        overlay: &Overlay,
        step: ProgramStep,
        id: ProposalId,
        work: &Work,
        stamp: Stamp<'_>,
    ) -> Result<(), EngineError> {
        let (path, mode) = (step.change.path.clone(), step.change.mode);
        let moves = step.to.is_some();
        let before = step.change.before.clone();
        let held = step.change.held.clone().or_else(|| work.held(&step.change));
        let held = held.filter(|_| !moves && !step.change.is_of_bits());
        let beside = BesideText {
            to: step.to.clone(),
            mode,
            folders_gone: step.change.folders_gone,
        };
        let forbidden = self.forbidden(overlay, &step)?;
        let is_of_bits = step.change.is_of_bits();
        let (operation, plan, since) = plan(step, work);
        let mut card = work.card(&path, operation, &plan.evidence.how, stamp);
        card.held = held.or(forbidden);
        if let Some(words) = self.words.get(&path).filter(|_| !is_of_bits) {
            card.description.clone_from(words);
        }
        let base = match self.stage.key_of(&path) {
            Some(_) => None,
            None => overlay.on_disk(&path)?,
        };
        let lines = work.meanwhile(LINES);
        let clashing = match &since {
            _ if moves => None,
            Since::Nothing => None,
            Since::Merged(merge) => Some(Clashing::These(&merge.clashing, &lines)),
            Since::Clashes { why, .. } => Some(Clashing::All(why)),
        };
        let ids = (id, stamp.changeset);
        let stage = &mut self.stage;
        match clashing {
            Some(clashing) => {
                let whole = before.filter(|before| replaces_whole(before, &plan, &since));
                stage.push_beside(&path, base, ids, card, (plan, beside), clashing)?;
                whole.iter().for_each(|text| stage.bind_to_whole(text));
            }
            None => stage.push(&path, base, ids, card, (plan, beside))?,
        }
        if let (Operation::Permissions, Some(mode), Some(proposal)) =
            (operation, mode, stage.proposals.last_mut())
        {
            proposal.show_permissions(mode);
        }
        self.touched.extend(stage.key_of(&path).cloned());
        self.ids.insert(id);
        Ok(())
    }
}

/// Returns whether a difference touches what is staged for its file.
fn rewrites(
    stage: &Stage,
    key: &WorkspacePath,
    difference: &Difference,
) -> Result<bool, EngineError> {
    let stack = stage.stacks.get(key);
    let (Some(on_disk), Some(before), Some(after)) = (
        stack.and_then(|stack| stack.base.as_ref()),
        &difference.before,
        &difference.after,
    ) else {
        return Ok(true);
    };
    if !is_of_one_kind(before, after) {
        return Ok(true);
    }
    // Lines that are not as on disk are staged.
    let staged = edits(on_disk, before);
    Ok(staged.commute(&edits(before, after)).is_err())
}

/// Compares what a program left with what is staged now: what was taken out may leave a file as the program did.
fn compare_again(
    overlay: &Overlay,
    differences: &mut Vec<Difference>,
    stage: &Stage,
) -> Result<(), EngineError> {
    for difference in differences
        .iter_mut()
        .filter(|difference| difference.since.is_nothing())
    {
        difference.before = match stage.text(&difference.path) {
            Some(text) => text?,
            None => overlay.on_disk(&difference.path)?,
        };
        let key = stage.key_of(&difference.path);
        let stack = key.and_then(|key| stage.stacks.get(key));
        let staged = stack.and_then(|stack| layer::mode(&stack.layers));
        difference.mode = difference
            .mode
            .filter(|mode| staged.or(mode.from) != Some(mode.to));
    }
    differences
        .retain(|difference| difference.before != difference.after || difference.mode.is_some());
    Ok(())
}

fn disk_modes(overlay: &Overlay, differences: &[Difference]) -> Result<DiskModes, EngineError> {
    let mut of = BTreeMap::new();
    for Difference { path, .. } in differences {
        let own = overlay.workspace.attributes(path)?;
        of.extend(own.map(|own| (path.clone(), own.mode)));
    }
    let umask = overlay.workspace.umask();
    Ok(DiskModes { of, umask })
}
