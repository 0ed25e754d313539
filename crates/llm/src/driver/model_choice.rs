//! The choice of another model, among those that the provider offers.
//!
//! In: what the session wants to know or have. Out: one input with what came of it.

use std::sync::Arc;

use super::Shell;
use crate::session::Input;

impl Shell {
    /// Asks what the server lists, for a model that the user named.
    pub(super) fn find_model(&self, name: String) {
        let (about, list) = (self.provider.about(), self.provider.models());
        let others = self.provider.with_model(&name).is_some();
        let inbox = self.wires.inbox.clone();
        tokio::spawn(async move {
            let input = if others {
                let models = list.await;
                Input::ModelFound {
                    name,
                    about,
                    models,
                }
            } else {
                Input::ModelChosen(None)
            };
            if inbox.send(input).is_err() {
                tracing::debug!("the list of models is not needed any more");
            }
        });
    }

    /// Asks another model from the next request on; the one that runs goes on.
    pub(super) fn use_model(&mut self, name: &str) {
        let chosen = self.provider.with_model(name);
        let about = chosen.as_ref().map(|provider| provider.about());
        if let Some(provider) = chosen {
            self.provider = provider;
            self.scope = Arc::new(self.scope.with_model(name));
        }
        if self.wires.inbox.send(Input::ModelChosen(about)).is_err() {
            tracing::debug!("the choice of a model is not needed any more");
        }
    }
}
