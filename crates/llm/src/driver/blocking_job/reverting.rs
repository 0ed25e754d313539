//! Jobs that take back what was written, or work out what that would do.

use std::sync::Arc;

use signoff_core::stage::review::{RevertTarget, WrittenSince};

use super::BlockingJob;
use crate::session::{Fault, Input, PromptRef};
use crate::tool::Ground;

impl BlockingJob {
    /// Takes back what was written.
    pub(in crate::driver) fn revert(ground: Arc<Ground>, target: RevertTarget) -> Self {
        Self {
            work: Box::new(move || {
                let mut engine = ground.lock();
                match target {
                    RevertTarget::OneFile { path, to } => {
                        let outcome = engine.revert(&path, to);
                        Input::Reverted(outcome.map_err(Fault::from))
                    }
                    RevertTarget::Changeset { changeset } => {
                        let outcome = engine.revert_changeset(changeset);
                        Input::ChangesetReverted(outcome.map_err(Fault::from))
                    }
                    RevertTarget::Before { before } => {
                        let outcome = engine.revert_to_before(before);
                        Input::RevertedToBefore(outcome.map_err(Fault::from))
                    }
                    RevertTarget::Since(written) => {
                        let outcome = engine.revert_since(&written);
                        let outcome = outcome.map_err(Fault::from);
                        let prompt = None;
                        Input::RevertedSince { prompt, outcome }
                    }
                    RevertTarget::Redo { redo } => {
                        let outcome = engine.redo_changeset(redo);
                        Input::ChangesetRedone(outcome.map_err(Fault::from))
                    }
                }
            }),
            broken: Input::Reverted(Err(Fault::broke_down())),
            limit: None,
        }
    }

    /// Takes back what was written since a time; the conversation goes back to before `prompt` with it.
    pub(in crate::driver) fn revert_since(
        ground: Arc<Ground>,
        written: WrittenSince,
        prompt: PromptRef,
    ) -> Self {
        let prompt = Some(prompt);
        let reverted = |prompt, outcome| Input::RevertedSince { prompt, outcome };
        let broken = reverted(prompt.clone(), Err(Fault::broke_down()));
        Self {
            work: Box::new(move || {
                let outcome = ground.lock().revert_since(&written);
                reverted(prompt, outcome.map_err(Fault::from))
            }),
            broken,
            limit: None,
        }
    }

    /// Works out what was written since a prompt, and what taking it back would do.
    pub(in crate::driver) fn preview_rewind(
        ground: Arc<Ground>,
        prompt: PromptRef,
        written: WrittenSince,
    ) -> Self {
        let sent = written.since;
        let previewed = move |prompt, outcome| Input::RewindPreviewed {
            prompt,
            sent,
            outcome,
        };
        let broken = previewed(prompt.clone(), Err(Fault::broke_down()));
        Self {
            work: Box::new(move || {
                let outcome = ground.lock().preview_since(&written);
                previewed(prompt, outcome.map_err(Fault::from))
            }),
            broken,
            limit: None,
        }
    }

    /// Works out what taking back would do.
    pub(in crate::driver) fn preview_revert(ground: Arc<Ground>, target: RevertTarget) -> Self {
        Self {
            work: Box::new(move || {
                let outcome = ground.lock().foresee(&target);
                Input::RevertPreviewed(outcome.map_err(Fault::from))
            }),
            broken: Input::RevertPreviewed(Err(Fault::broke_down())),
            limit: None,
        }
    }
}
