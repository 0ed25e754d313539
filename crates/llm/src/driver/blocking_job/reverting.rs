//! Jobs that take back what was written.

use std::sync::Arc;

use signoff_core::stage::review::RevertTarget;

use super::BlockingJob;
use crate::session::{Fault, Input, PromptRef};
use crate::tool::Ground;

impl BlockingJob {
    /// Takes back what was written; the conversation goes back to before `prompt` with it, if there is one.
    pub(in crate::driver) fn take_back(
        ground: Arc<Ground>,
        target: RevertTarget,
        prompt: Option<PromptRef>,
    ) -> Self {
        let broken = Input::TakenBack {
            prompt: prompt.clone(),
            outcome: Err(Fault::broke_down()),
        };
        Self {
            work: Box::new(move || {
                let outcome = ground.lock().take_back(&target);
                let outcome = outcome.map_err(Fault::from);
                Input::TakenBack { prompt, outcome }
            }),
            broken,
            limit: None,
        }
    }
}
