//! What the user trusts: the questions about it, and what follows from an answer.
//!
//! In: hooks and servers that came with the workspace, a model that was found on this machine, and the user's answers. Out:
//! questions for the session, which asks them before the first prompt; and hooks that run, a server that may be started, a
//! model that answers. Without a user to ask there are no questions, and what is not trusted does not run.

use std::sync::Arc;

use uuid::Uuid;

use super::{Driver, Shell};
use crate::foreign::ServerRequest;
use crate::hook::Hooks;
use crate::message::CallId;
use crate::provider::Provider;
use crate::session::{Input, TrustRequest, TrustSubject};
use crate::trust::{TrustQuestion, TrustRecord};

/// What the user is told of the workspace's hooks begins so.
pub(super) const WORKSPACES_HOOKS: &str = "the workspace's";

/// A model of a server that was found and not configured: it is asked once the user agrees.
pub struct FoundModel {
    /// Whether the user trusts it.
    pub trust: TrustRecord,
    /// Who answers if the user agrees.
    pub provider: Arc<dyn Provider>,
}

impl Driver {
    /// Returns the same, where these hooks are asked about calls.
    #[must_use]
    pub fn with_hooks(self, hooks: Arc<Hooks>) -> Self {
        let ground = self.ground.with_hooks(hooks);
        Self { ground, ..self }
    }

    /// Returns the same, where the user is asked about this model before the first prompt, if one can be asked.
    #[must_use]
    pub fn with_found_model(self, found: FoundModel) -> Self {
        Self {
            found: Some(found),
            ..self
        }
    }

    /// Returns the same, where the user is asked about what came with the workspace, or was found on this machine.
    #[must_use]
    pub fn asking_for_trust(self) -> Self {
        Self {
            asks_for_trust: true,
            ..self
        }
    }

    /// Returns what the user is to be asked before the first prompt, the model first: a prompt goes nowhere without one.
    pub(super) fn trust_requests(&self) -> Vec<TrustRequest> {
        let model = self.found.as_ref().map(|found| &found.trust);
        let hooks = self.ground.hooks().and_then(Hooks::trust);
        [(TrustSubject::Model, model), (TrustSubject::Hooks, hooks)]
            .into_iter()
            .filter_map(|(subject, trust)| Some((subject, trust?)))
            .filter(|(_, trust)| self.asks_for_trust && trust.is_open())
            .map(|(subject, trust)| request(subject, trust.question().clone()))
            .collect()
    }
}

impl Shell {
    /// Returns what the user is to be asked before a server of the workspace is allowed, if that can be asked now.
    pub(super) fn server_to_trust(&self, asked: &ServerRequest) -> Option<TrustRequest> {
        let ServerRequest::Allow(name) = asked else {
            return None;
        };
        if !self.asks_for_trust || !self.session.may_ask_for_trust() {
            return None;
        }
        let question = self.ground.servers()?.trust_question(name)?;
        Some(request(TrustSubject::Server(name.clone()), question))
    }

    /// Has what the user decided in force, and says what follows from it.
    pub(super) fn trust(&mut self, subject: TrustSubject, is_trusted: bool) {
        match subject {
            TrustSubject::Model => self.trust_found_model(is_trusted),
            TrustSubject::Hooks => self.trust_hooks(is_trusted),
            TrustSubject::Server(name) => {
                let servers = self.ground.servers();
                if let Some(report) = servers.map(|servers| servers.answer_trust(&name, is_trusted))
                {
                    self.handle(Input::ServersAsked(report));
                }
            }
        }
        self.handle(Input::TrustDecided);
    }

    /// Has the model that was found answer, or leaves it alone from now on.
    fn trust_found_model(&mut self, is_trusted: bool) {
        let Some(found) = self.found.take() else {
            return;
        };
        if let Err(why) = found.trust.decide(is_trusted) {
            self.say(format!(
                "You are asked about this server again: this cannot be written down ({why})."
            ));
        }
        if is_trusted {
            let about = found.provider.about();
            self.provider = found.provider;
            self.scope = Arc::new(self.scope.with_model(&about.model));
            self.handle(Input::ModelChosen(Some(about)));
        }
    }

    fn trust_hooks(&mut self, is_trusted: bool) {
        let Some((hooks, trust)) = self.ground.hooks().and_then(|it| Some((it, it.trust()?)))
        else {
            return;
        };
        let said = match (trust.decide(is_trusted), is_trusted) {
            (Ok(()), true) => {
                "The hooks of the workspace run from now on; `signoff trust --forget` takes that back.".to_owned()
            }
            (Ok(()), false) => {
                "The hooks of the workspace do not run; `signoff trust` lets them.".to_owned()
            }
            (Err(why), _) => format!(
                "The hooks of the workspace do not run: what you decided cannot be written down ({why})."
            ),
        };
        let known = hooks.in_words(WORKSPACES_HOOKS);
        self.say(said);
        self.handle(Input::HooksKnown(known));
    }

    fn say(&mut self, text: String) {
        self.handle(Input::Said(text));
    }
}

fn request(subject: TrustSubject, question: TrustQuestion) -> TrustRequest {
    TrustRequest {
        call: CallId(Uuid::now_v7().to_string()),
        subject,
        question,
    }
}
