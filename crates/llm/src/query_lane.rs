//! Query lane: what a front end asks of a running conversation and that changes nothing, beside the session.
//!
//! In: a look-up, as a function of what can be asked. Out: its answer, for whoever asked; the session learns of neither. What
//! changes the conversation is a [`crate::session::Command`].
//!
//! ```text
//! lane.ask(|scene| scene.engine().hunk_blame(hunk))    the authors of a hunk's lines, from a blocking thread
//! ```
//!
//! What a front end asks of a running conversation and that changes nothing: `QueryLane::ask` runs a function of a
//! `QueryScene` (engine, conversation, who answers, kept conversations) on a blocking thread, beside the session,
//! which learns of neither question nor answer.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use signoff_core::engine::Engine;
use tokio::runtime::Handle;
use tokio::task::spawn_blocking;

use crate::memory::{Archive, Summary};
use crate::provider::{About, Provider};
use crate::session::{Fault, ListedModel};
use crate::tool::lock;

/// Where a conversation is asked; clones lead to the same one.
#[derive(Clone)]
pub struct QueryLane(Arc<QueryScene>);

/// What can be asked.
pub struct QueryScene {
    engine: Arc<Mutex<Engine>>,
    current: Mutex<CurrentConversation>,
}

/// What the driver changes while the conversation goes on.
struct CurrentConversation {
    id: String,
    provider: Arc<dyn Provider>,
    /// None where no conversations are kept.
    archive: Option<Archive>,
}

impl QueryLane {
    /// Returns the lane of a conversation that is about to begin.
    pub(crate) fn new(engine: Arc<Mutex<Engine>>, provider: Arc<dyn Provider>) -> Self {
        let current = Mutex::new(CurrentConversation {
            id: String::new(),
            provider,
            archive: None,
        });
        Self(Arc::new(QueryScene { engine, current }))
    }

    /// Takes over where conversations are kept.
    pub(crate) fn keep_in(&self, archive: Archive) {
        self.0.current().archive = Some(archive);
    }

    /// Takes over which conversation goes on, and who answers in it.
    pub(crate) fn follow(&self, id: &str, provider: &Arc<dyn Provider>) {
        let mut current = self.0.current();
        if current.id != id {
            id.clone_into(&mut current.id);
        }
        current.provider = Arc::clone(provider);
    }

    /// Looks something up on a blocking thread. A look-up that panics is answered with a fault, as is one that failed.
    pub async fn ask<A: Send + 'static>(
        &self,
        look_up: impl FnOnce(&QueryScene) -> Result<A, Fault> + Send + 'static,
    ) -> Result<A, Fault> {
        let scene = Arc::clone(&self.0);
        let answer = spawn_blocking(move || look_up(&scene)).await;
        answer.unwrap_or_else(|error| {
            tracing::error!(%error, "a query failed");
            Err(Fault::broke_down())
        })
    }
}

impl QueryScene {
    /// Returns the engine for one look-up; what takes long is done once it is given back.
    pub fn engine(&self) -> MutexGuard<'_, Engine> {
        lock(&self.engine)
    }

    /// Returns the id of the conversation that goes on.
    pub fn conversation(&self) -> String {
        self.current().id.clone()
    }

    /// Returns the conversations that are kept, newest first.
    ///
    /// # Errors
    /// If their folder cannot be read.
    pub fn sessions(&self) -> Result<Vec<Summary>, Fault> {
        let archive = self.current().archive.clone();
        Ok(match archive {
            Some(archive) => archive.list()?,
            None => Vec::new(),
        })
    }

    /// Returns who answers and the models that the provider offers, in its order. Waits for the provider's server.
    ///
    /// # Errors
    /// If the server does not list them.
    pub fn models(&self) -> Result<(About, Vec<ListedModel>), Fault> {
        let provider = Arc::clone(&self.current().provider);
        let models = Handle::current().block_on(provider.models());
        let models = models.map_err(|error| Fault::from(&error))?;
        Ok((
            provider.about(),
            models.iter().map(ListedModel::from).collect(),
        ))
    }

    fn current(&self) -> MutexGuard<'_, CurrentConversation> {
        // Each field is whole whatever happened to whoever held it.
        self.current.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::offline::Offline;
    use crate::tool::testing::Folder;

    #[tokio::test]
    async fn a_query_that_panics_is_answered_and_the_next_one_too() {
        let folder = Folder::new(&[("a.txt", "one\n")]);
        let lane = QueryLane::new(Arc::clone(&folder.engine), Arc::new(Offline));
        let broken = lane.ask(|scene| match scene.engine().history(None) {
            Ok(entries) if entries.is_empty() => panic!("while the engine is held"),
            _ => Ok(()),
        });
        assert_eq!(broken.await, Err(Fault::broke_down()));
        let entries = lane.ask(|scene| Ok(scene.engine().history(None)?.len()));
        assert_eq!(entries.await, Ok(0));
    }

    #[tokio::test]
    async fn a_query_sees_the_conversation_that_goes_on() {
        let folder = Folder::new(&[]);
        let provider: Arc<dyn Provider> = Arc::new(Offline);
        let lane = QueryLane::new(Arc::clone(&folder.engine), Arc::clone(&provider));
        let screens = lane.clone();
        lane.follow("a", &provider);
        lane.follow("b", &provider);
        let asked = screens.ask(|scene| Ok(scene.conversation()));
        assert_eq!(asked.await.as_deref(), Ok("b"));
        assert_eq!(screens.ask(QueryScene::sessions).await, Ok(Vec::new()));
    }
}
