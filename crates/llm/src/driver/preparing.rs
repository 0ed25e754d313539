//! Preparing a prompt: hooks look at it, and what there is to know before it is sent is found.
//!
//! In: a prompt. Out: what hooks add, what the user changed and decided since, what there is to know of the workspace, and
//! the images that the prompt names; or why it is not sent. Where hooks are asked, that runs beside the driver, so that the
//! user can stop them.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use signoff_core::budget::{Stop, Stopped};
use signoff_core::engine::{Engine, EngineError};
use signoff_core::id::ChangesetId;
use tokio::time::timeout;
use uuid::Uuid;

use super::{Driver, Shell};
use crate::hook::HookEvent;
use crate::image::NamedImages;
use crate::message::CallId;
use crate::session::{Input, PreparedPrompt, TypedPrompt};
use crate::surroundings::Surroundings;
use crate::tool::{CallScope, ToolContext};

/// Tells what there is to know of the workspace before a prompt; the flag is true for the first one, and what takes a
/// while is said.
pub type LookAround =
    Arc<dyn Fn(&Mutex<Engine>, &str, bool, SayWait<'_>) -> Surroundings + Send + Sync>;

/// Tells the user what a prompt waits for.
pub type SayWait<'a> = &'a dyn Fn(String);

/// Reads the images that a prompt names; those outside of the workspace only if their paths are among the last ones,
/// which the user typed.
pub type ReadImages = Arc<dyn Fn(&Mutex<Engine>, &str, &[String]) -> NamedImages + Send + Sync>;

/// What a front end looks up before a prompt; each is optional.
#[derive(Clone, Default)]
pub(super) struct BeforePrompt {
    around: Option<LookAround>,
    images: Option<ReadImages>,
}

impl BeforePrompt {
    /// Returns the images that were given for a prompt, and behind them those that it names.
    fn images_of(&self, engine: &Mutex<Engine>, prompt: TypedPrompt) -> NamedImages {
        let read = self.images.as_ref();
        let mut found = read.map_or_else(NamedImages::default, |read| {
            read(engine, &prompt.text, &prompt.paths)
        });
        found.images.splice(0..0, prompt.images);
        found
    }
}

/// How long a server may take to say whether a model takes images; until then the prompt waits.
const ABOUT_IMAGES: Duration = Duration::from_secs(3);

/// Why a prompt is not sent whose hooks failed in a way that nobody foresaw.
const HOOK_BROKE_DOWN: &str = "a hook broke down, and the prompt was not sent";

impl Driver {
    /// Returns the same, where this tells what there is to know before a prompt.
    #[must_use]
    pub fn with_surroundings(mut self, look: LookAround) -> Self {
        self.look.around = Some(look);
        self
    }

    /// Returns the same, where this reads the images that a prompt names; without it prompts have none.
    #[must_use]
    pub fn with_images(mut self, read: ReadImages) -> Self {
        self.look.images = Some(read);
        self
    }
}

impl Shell {
    /// Prepares a prompt. It is waited for here, so that what comes next stays behind it, unless that may take a while:
    /// hooks are asked, or, with the first prompt, the index is made.
    pub(super) async fn prepare(&mut self, prompt: TypedPrompt) {
        let stop = Stop::default();
        let hooks = self.ground.hooks();
        let is_judged =
            hooks.is_some_and(|hooks| !hooks.in_force(HookEvent::UserPromptSubmit).is_empty());
        let is_first = self.session.transcript().entries().is_empty();
        let find = self.finding(prompt, is_first, stop.clone());
        let found = tokio::task::spawn_blocking(find);
        let waits_for_index = is_first && self.look.around.is_some();
        if !is_judged && !waits_for_index {
            let outcome = found.await.unwrap_or_else(|error| {
                tracing::error!(%error, "looking around before a prompt broke down");
                Ok(PreparedPrompt::default())
            });
            return self.take(Input::Prepared(outcome)).await;
        }
        self.preparing = Some(stop);
        let inbox = self.wires.inbox.clone();
        drop(tokio::spawn(async move {
            let outcome = found.await.unwrap_or_else(|error| {
                tracing::error!(%error, "preparing a prompt broke down");
                Err(Some(HOOK_BROKE_DOWN.to_owned()))
            });
            // Nobody waits for it where the conversation is over.
            let _gone = inbox.send(Input::Prepared(outcome));
        }));
    }

    /// Ends the hooks that look at a prompt.
    pub(super) fn stop_preparing(&mut self) {
        if let Some(stop) = self.preparing.take() {
            stop.stop(Stopped::Cancelled);
        }
    }

    /// Returns the work of preparing a prompt.
    fn finding(
        &self,
        prompt: TypedPrompt,
        is_first: bool,
        stop: Stop,
    ) -> impl FnOnce() -> Result<PreparedPrompt, Option<String>> + Send + use<> {
        let look = self.look.clone();
        let inquiry = self.session.inquiry();
        let (ground, conversation) = (Arc::clone(&self.ground), Arc::clone(&self.scope));
        let inbox = self.wires.inbox.clone();
        move || {
            let scope = CallScope {
                call: CallId("prompt".to_owned()),
                changeset: ChangesetId(Uuid::now_v7()),
                only: None,
                request: String::new(),
                by_user: false,
                stop,
            };
            let context = ToolContext::new(&ground, &conversation, &scope, &|_| {});
            let say = |text| {
                // Nobody looks any more where the conversation is over.
                let _gone = inbox.send(Input::Said(text));
            };
            let hooked = context.judge_prompt(&prompt.text, &say)?;
            let mut engine = ground.lock();
            let known = inquiry.map(|about| {
                // The list finds files that changed, of which the outcomes tell then.
                let listing = engine.listing()?;
                let outcomes = engine.outcomes(&about.proposals, &about.sessions)?;
                Ok::<_, EngineError>((outcomes, listing))
            });
            let known = known.transpose().unwrap_or_else(|error| {
                tracing::error!(%error, "what became of edits is not known");
                None
            });
            let (outcomes, listing) = known.unzip();
            let commits = ground.settled_commits();
            let edits = if conversation.is_of_agent() {
                Vec::new()
            } else {
                engine.user_edits()
            };
            drop(engine);
            let around = look.around.as_ref();
            let surroundings =
                around.map(|look| look(ground.engine(), &prompt.text, is_first, &say));
            let images = look.images_of(ground.engine(), prompt);
            Ok(PreparedPrompt {
                hooked,
                outcomes,
                commits,
                listing,
                edits,
                surroundings,
                images,
            })
        }
    }

    /// Asks the server whether the model takes images, once for each model of which that is not known.
    pub(super) async fn ask_about_images(&mut self) {
        if !self.session.asks_about_images() {
            return;
        }
        let told = timeout(ABOUT_IMAGES, self.provider.takes_images()).await;
        if let Ok(Some(is_taken)) = told {
            self.session.handle(Input::ImagesTaken(is_taken));
        }
    }
}
