//! Looking around before a prompt.
//!
//! In: a prompt. Out: inputs with what the user changed and decided since, with what there is to know of the workspace, and
//! with the images that the prompt names.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use signoff_core::engine::Engine;
use tokio::time::timeout;

use super::{Driver, Shell};
use crate::image::{Image, NamedImages};
use crate::session::{Command, Input};
use crate::surroundings::Surroundings;

/// Tells what there is to know of the workspace before a prompt; the flag is true for the first one.
pub type LookAround = Arc<dyn Fn(&Mutex<Engine>, &str, bool) -> Surroundings + Send + Sync>;

/// Reads the images that a prompt names; those outside of the workspace only if their paths are among the last ones,
/// which the user typed.
pub type ReadImages = Arc<dyn Fn(&Mutex<Engine>, &str, &[String]) -> NamedImages + Send + Sync>;

/// What is asked before a prompt, where there is somebody to ask.
#[derive(Clone, Default)]
pub(super) struct BeforePrompt {
    around: Option<LookAround>,
    images: Option<ReadImages>,
    /// Paths outside of the workspace that the user typed in the next prompt.
    typed: Vec<String>,
    /// Images that were given for the next prompt.
    given: Vec<Image>,
}

impl BeforePrompt {
    /// Returns the images that were given for a prompt, and behind them those that it names; none if there is nothing to say
    /// of images.
    fn images_of(self, engine: &Mutex<Engine>, prompt: &str) -> Option<NamedImages> {
        let mut found = match &self.images {
            Some(read) => read(engine, prompt, &self.typed),
            None if self.given.is_empty() => return None,
            None => NamedImages::default(),
        };
        found.images.splice(0..0, self.given);
        Some(found)
    }
}

/// How long a server may take to say whether a model takes images; until then the prompt waits.
const ABOUT_IMAGES: Duration = Duration::from_secs(3);

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

    /// Returns the same, where the user typed these paths outside of the workspace in the first prompt.
    #[must_use]
    pub fn with_typed_paths(mut self, paths: Vec<String>) -> Self {
        self.look.typed = paths;
        self
    }
}

impl Shell {
    /// Before a prompt, tells the session what the user changed and decided since. Waited for
    /// here, so that what is asked next stays behind the prompt.
    pub(super) async fn look_around(&mut self, command: &Command) {
        let prompt = match command {
            Command::Submit(prompt) => prompt.clone(),
            Command::TypedPaths(paths) => return self.look.typed.clone_from(paths),
            Command::GiveImages(images) => return self.look.given.clone_from(images),
            _ => return,
        };
        let look = self.look.clone();
        self.look.typed.clear();
        self.look.given.clear();
        let is_first = self.session.transcript().entries().is_empty();
        let ground = Arc::clone(&self.ground);
        let inquiry = self.session.inquiry();
        let is_of_agent = self.scope.is_of_agent();
        let looked = move || {
            let mut engine = ground.lock();
            let outcomes = inquiry.map(|about| engine.outcomes(&about.proposals, &about.sessions));
            let edits = if is_of_agent {
                Vec::new()
            } else {
                engine.user_edits()
            };
            drop(engine);
            let given = look
                .around
                .as_ref()
                .map(|look| look(ground.engine(), &prompt, is_first));
            let images = look.images_of(ground.engine(), &prompt);
            (outcomes.transpose(), edits, given, images)
        };
        match tokio::task::spawn_blocking(looked).await {
            Ok((outcomes, edits, given, images)) => {
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
                if let Some(named) = images {
                    let is_any = !named.images.is_empty() || !named.of_servers.is_empty();
                    self.session.handle(Input::Images(named));
                    if is_any {
                        self.ask_about_images().await;
                    }
                }
            }
            Err(error) => tracing::error!(%error, "looking for the user's changes broke down"),
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
