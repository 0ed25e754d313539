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

use std::sync::atomic::AtomicBool;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use signoff_core::engine::Engine;
use signoff_core::record::history::cherry_pick::PickChoice;
use signoff_sandbox::git_view::Asker;
use signoff_sandbox::git_write::{GitWriter, UserVariables};
use signoff_sandbox::process::Supervision;
#[cfg(target_os = "linux")]
use signoff_sandbox::shadow::Setup;
use signoff_sandbox::waiting_commits::WaitingCommits;
use tokio::runtime::Handle;
use tokio::task::spawn_blocking;

use crate::commit::{self, CommitChoice, CommitHooks, CommitPlan, CommitSettings, wording};
use crate::memory::{Archive, Summary};
use crate::provider::{About, Provider};
use crate::session::{Fault, ListedModel};
#[cfg(target_os = "linux")]
use crate::shadow::ignored_files;
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
    /// What commits have beside their messages, and who ends a git that runs for one.
    commits: (CommitSettings, Supervision),
    /// Where a commit is noted while it is made; none before it is known how commits are made.
    journal: Option<WaitingCommits>,
    /// What runs git's hooks at a commit; none where there is no shadow.
    hooks: Option<Arc<dyn CommitHooks>>,
    /// The shadow in which programs run; none where they run on the disk.
    #[cfg(target_os = "linux")]
    shadow: Option<Setup>,
}

/// A commit that could be made, with a message for the user to edit.
#[derive(Clone, Debug)]
pub struct CommitDraft {
    /// The message.
    pub message: String,
    /// Why the model proposed none, where it was asked.
    pub unproposed: Option<String>,
    /// What would be committed.
    pub plan: CommitPlan,
}

/// What the built-in planner calls itself; it writes no messages.
const OFFLINE: &str = "offline";

impl QueryLane {
    /// Returns the lane of a conversation that is about to begin.
    pub(crate) fn new(engine: Arc<Mutex<Engine>>, provider: Arc<dyn Provider>) -> Self {
        let current = Mutex::new(CurrentConversation {
            id: String::new(),
            provider,
            archive: None,
            commits: (CommitSettings::default(), Supervision::None),
            journal: None,
            hooks: None,
            #[cfg(target_os = "linux")]
            shadow: None,
        });
        Self(Arc::new(QueryScene { engine, current }))
    }

    /// Takes over where conversations are kept.
    pub(crate) fn keep_in(&self, archive: Archive) {
        self.0.current().archive = Some(archive);
    }

    /// Takes over how commits are made.
    pub(crate) fn commit_with(
        &self,
        settings: CommitSettings,
        supervision: Supervision,
        journal: WaitingCommits,
    ) {
        let mut current = self.0.current();
        current.commits = (settings, supervision);
        current.journal = Some(journal);
    }

    /// Takes over what runs git's hooks at a commit.
    pub(crate) fn run_hooks_by(&self, hooks: Arc<dyn CommitHooks>) {
        self.0.current().hooks = Some(hooks);
    }

    /// Takes over where programs leave ignored files.
    #[cfg(target_os = "linux")]
    pub(crate) fn keep_from(&self, setup: Setup) {
        self.0.current().shadow = Some(setup);
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

    /// Proposes a commit of all that was signed off and is missing in the last one. The model is asked for its message; where
    /// there is none, or it gives none, what the changes were for is one.
    ///
    /// # Errors
    /// If there is no repository that can be written to.
    pub fn draft_commit(&self) -> Result<CommitDraft, Fault> {
        self.with_commit_plan(|plan, _writer, _settings| {
            let provider = Arc::clone(&self.current().provider);
            let no_model = plan.files.is_empty() || provider.about().provider == OFFLINE;
            let proposed = if no_model {
                Ok(String::new())
            } else {
                let requests = self.requests(plan);
                let asked = wording::propose(provider.as_ref(), plan, &requests);
                Handle::current().block_on(asked)
            };
            let (message, unproposed) = match proposed {
                Ok(message) if !message.is_empty() => (message, None),
                Ok(_) => (plan.message(), None),
                Err(error) => (plan.message(), Some(error.to_string())),
            };
            Ok(CommitDraft {
                message,
                unproposed,
                plan: plan.clone(),
            })
        })
    }

    /// Commits all that was signed off and is missing in the last commit. Returns what is said of it.
    ///
    /// # Errors
    /// If git fails.
    pub fn commit(&self, message: &str) -> Result<Vec<String>, Fault> {
        self.with_commit_plan(|plan, writer, settings| {
            if !plan.blocked.is_empty() {
                return Ok(plan.obstacles());
            }
            let hooks = self.current().hooks.clone();
            let Some(journal) = self.current().journal.clone() else {
                return Err(Fault::of_git("no commits are made here".to_owned()));
            };
            let made = plan.commit(writer, message, settings, hooks.as_deref(), &journal);
            Ok(match made.map_err(Fault::of_git)? {
                Ok(report) => [vec![report.line(plan)], report.remarks()].concat(),
                Err(refusal) => vec![refusal.to_string()],
            })
        })
    }

    /// Writes the ignored files below some paths that programs left in the shadow, all of them where none is named. Returns
    /// what is said of it.
    ///
    /// # Errors
    /// If a path is none of the workspace, or what programs left cannot be read.
    #[cfg(target_os = "linux")]
    pub fn keep_ignored(&self, paths: &[String]) -> Result<Vec<String>, Fault> {
        let Some(setup) = self.current().shadow.clone() else {
            return Ok(vec![
                "programs run on the disk here, so that nothing of theirs is kept elsewhere"
                    .to_owned(),
            ]);
        };
        let brought = ignored_files::bring(&setup, &self.engine, paths);
        Ok(ignored_files::lines(&brought.map_err(Fault::of_git)?))
    }

    fn with_commit_plan<A>(
        &self,
        with: impl FnOnce(&CommitPlan, &GitWriter<'_>, CommitSettings) -> Result<A, Fault>,
    ) -> Result<A, Fault> {
        let (settings, supervision) = self.current().commits;
        let mut engine = self.engine();
        let (records, root) = (engine.file_records(None)?, engine.root().to_owned());
        // Nothing of git is waited for with the engine held.
        drop(engine);
        let asker = Asker {
            root: &root,
            reserved: None,
            supervision,
            limits: commit::LIMITS,
            stop: &AtomicBool::new(false),
        };
        let user = UserVariables::of_process();
        let writer = GitWriter::open(asker, &user).map_err(Fault::of_git)?;
        let choice = CommitChoice {
            changes: PickChoice::All,
            own_lines: false,
        };
        let plan = CommitPlan::of(&writer, records, &choice).map_err(Fault::of_git)?;
        with(&plan, &writer, settings)
    }

    /// Returns the first prompts of the conversations that a commit has changes of.
    fn requests(&self, plan: &CommitPlan) -> Vec<String> {
        let sessions = plan.sessions();
        // Without them, the message is proposed from the rest.
        let Ok(kept) = self.sessions() else {
            return Vec::new();
        };
        let kept = kept
            .into_iter()
            .filter(|own| sessions.contains(own.id.as_str()));
        kept.map(|own| own.title).collect()
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
