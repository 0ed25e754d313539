//! Looking around before a prompt.
//!
//! In: a prompt. Out: inputs with what the user changed and decided since, and with what there is to know of
//! the workspace.

use std::sync::{Arc, Mutex};

use signoff_core::engine::Engine;

use super::Shell;
use crate::session::{Command, Input};
use crate::surroundings::Surroundings;
use crate::tool::lock;

/// Tells what there is to know of the workspace before a prompt; the flag is true for the first one.
pub type LookAround = Arc<dyn Fn(&Mutex<Engine>, &str, bool) -> Surroundings + Send + Sync>;

impl Shell {
    /// Before a prompt, tells the session what the user changed and decided since. Waited for
    /// here, so that what is asked next stays behind the prompt.
    pub(super) async fn look_around(&mut self, command: &Command) {
        let Command::Submit(prompt) = command else {
            return;
        };
        let (prompt, look_around) = (prompt.clone(), self.look.clone());
        let is_first = self.session.transcript().entries().is_empty();
        let env = Arc::clone(&self.env);
        let inquiry = self.session.inquiry();
        let look = move || {
            let mut engine = lock(&env.engine);
            let outcomes = inquiry.map(|about| engine.outcomes(&about.proposals, &about.sessions));
            let edits = engine.user_edits();
            drop(engine);
            let given = look_around.map(|look| look(&env.engine, &prompt, is_first));
            (outcomes.transpose(), edits, given)
        };
        match tokio::task::spawn_blocking(look).await {
            Ok((outcomes, edits, given)) => {
                match outcomes {
                    Ok(outcomes) => outcomes.into_iter().for_each(|outcomes| {
                        self.session.handle(Input::Outcomes(outcomes));
                    }),
                    Err(error) => tracing::error!(%error, "what became of edits is not known"),
                }
                self.session.handle(Input::UserEdits(edits));
                given
                    .into_iter()
                    .for_each(|given| self.session.handle(Input::Surroundings(given)));
            }
            Err(error) => tracing::error!(%error, "looking for the user's changes broke down"),
        }
    }
}
