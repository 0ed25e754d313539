//! What the calls of other agents work on: the workspace, its engine, and the user's rules.
//!
//! In: calls, read. Out: answers. Nothing here approves or writes: what is proposed is staged.

use std::collections::HashSet;
use std::iter;
use std::sync::atomic::AtomicBool;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use rmcp::model::CallToolResult;
use serde_json::{Value, json};
use signoff_checks::check::CheckReport;
use signoff_context::rank::{Ranked, Weights, rank};
use signoff_core::disk::workspace::WorkspacePath;
use signoff_core::edit::plan;
use signoff_core::edit::request::{Payload, Verify};
use signoff_core::engine::{Engine, NamedChangeset, ReversalChanges, SubmittedPayload};
use signoff_core::id::ProposalId;
use signoff_core::stage::proposal::Origin;
use signoff_core::stage::review::{Proposer, RevertTarget, RevertTo};
use signoff_llm::permission::{Consent, Policy};
use signoff_llm::tool::lock;
use signoff_llm::tool::{Reach, Subjects};
use signoff_llm::verified::{self, Wanted};
use signoff_setup::config::Programs;
use signoff_setup::opened;
use signoff_setup::paths::Paths;
use signoff_setup::project::consent::Starter;
use signoff_setup::project::{self, syntax};
use signoff_setup::workspace_index::{index, rounded};
use signoff_tui::watch::Watch;
use tokio::sync::Semaphore;
use tokio::task::spawn_blocking;
use tokio::time::{Instant, sleep};
use uuid::Uuid;

use super::answer::{self, refusal, success};
use super::limits::{BETWEEN_LOOKS, ENTRIES, FILES, LONGEST_WAIT};
use super::offered::{ContextAsked, FileAsked, HistoryAsked, RevertAsked, StatusAsked};
use super::run_record::{RunRecord, turns};

/// The tool whose rules hold for what is proposed here.
const EDITS: &str = "apply_structured_edits";
/// The tool whose rules say what may be seen.
const READ: &str = "read";

/// What the calls of a connection share.
pub(super) struct ProposalWorkspace {
    paths: Paths,
    programs: Programs,
    engine: Arc<Mutex<Engine>>,
    /// The user's rules; those on paths hold for what links lead to.
    rules: Policy,
    /// Stands for a conversation in history: nobody else's proposals are this connection's.
    session: String,
    /// What was proposed, oldest first.
    proposed: Mutex<Vec<ProposalId>>,
    /// How much is worked on at once, by all connections of a run. Of a request that is cancelled while it waits for its
    /// turn, nothing is left.
    turns: Arc<Semaphore>,
    /// The run of which this is a connection, if the other side is in the shadow.
    run: Option<Arc<RunRecord>>,
}

impl ProposalWorkspace {
    /// Opens the workspace, for a connection of a program in the shadow if there is a run.
    pub(super) fn open(paths: &Paths, run: Option<Arc<RunRecord>>) -> anyhow::Result<Self> {
        let programs = Programs::load(&paths.config, &paths.root)?;
        let engine = Arc::new(Mutex::new(opened::engine(paths)?));
        let tree = Arc::clone(&engine);
        Ok(Self {
            rules: programs.rules.clone().within(&paths.root).looking_at(tree),
            programs,
            engine,
            paths: paths.clone(),
            session: format!("mcp-{}", Uuid::now_v7()),
            proposed: Mutex::default(),
            turns: run.as_ref().map_or_else(turns, |run| run.turns()),
            run,
        })
    }

    pub(super) fn run(&self) -> Option<&RunRecord> {
        self.run.as_deref()
    }

    /// Returns whom the proposals of a call come from.
    pub(super) fn origin(&self, call: String, client: String) -> Origin {
        Origin {
            session: self.session.clone(),
            call,
            proposer: Proposer::Mcp { client },
            ..Origin::default()
        }
    }

    /// Does work on another thread, once few others are under way.
    pub(super) async fn in_turn<T: Send + 'static>(
        self: &Arc<Self>,
        work: impl FnOnce(&Self) -> anyhow::Result<T> + Send + 'static,
    ) -> anyhow::Result<T> {
        let turn = Arc::clone(&self.turns).acquire_owned().await?;
        let workspace = Arc::clone(self);
        spawn_blocking(move || {
            let _turn = turn;
            work(&workspace)
        })
        .await?
    }

    /// Says what was decided, once all is or the time to wait is over. Nothing is held meanwhile.
    pub(super) async fn status(
        self: &Arc<Self>,
        asked: StatusAsked,
    ) -> anyhow::Result<CallToolResult> {
        let mut unknown = Vec::new();
        let mut ids = Vec::new();
        for name in asked.proposals {
            match name.parse::<ProposalId>() {
                Ok(id) => ids.push(id),
                Err(_no_id) => unknown.push(name),
            }
        }
        if ids.is_empty() && unknown.is_empty() {
            ids = self.proposed().clone();
        }
        if ids.is_empty() && unknown.is_empty() {
            return Ok(refusal("nothing was proposed on this connection; give ids"));
        }
        let wait = Duration::from_secs(asked.wait_seconds).min(LONGEST_WAIT);
        let end = Instant::now() + wait;
        let mut watch = Watch::new(&self.paths.root, &self.paths.store);
        let mut hunks = Vec::new();
        loop {
            if watch.changed(iter::empty()) {
                let ids = ids.clone();
                let outcomes =
                    self.in_turn(move |workspace| Ok(lock(&workspace.engine).outcomes(&ids, &[])?));
                hunks = outcomes.await?.hunks;
            }
            let left = end.saturating_duration_since(Instant::now());
            if left.is_zero() || !hunks.iter().any(answer::waits) {
                break;
            }
            sleep(left.min(BETWEEN_LOOKS)).await;
        }
        if let Some(run) = &self.run {
            let waiting = hunks.iter().filter(|hunk| answer::waits(hunk));
            let waiting: HashSet<ProposalId> = waiting.map(|hunk| hunk.hunk.proposal).collect();
            run.told(ids.iter().filter(|id| !waiting.contains(id)).copied());
        }
        let known: HashSet<ProposalId> = hunks.iter().map(|hunk| hunk.hunk.proposal).collect();
        let gone = ids.iter().filter(|id| !known.contains(id));
        unknown.extend(gone.map(ToString::to_string));
        Ok(answer::outcomes(&hunks, &unknown))
    }

    fn proposed(&self) -> MutexGuard<'_, Vec<ProposalId>> {
        // A list of ids is whole whatever happened to whoever held it.
        self.proposed.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(super) fn propose(
        &self,
        payload: Payload,
        origin: Origin,
        stop: &AtomicBool,
    ) -> anyhow::Result<CallToolResult> {
        let subjects = Subjects::Paths(plan::paths(&payload.changes));
        // What does not fit is answered with what stands there.
        if let Consent::Denied(why) = self.rules.judge(READ, Reach::Observe, &subjects) {
            return Ok(refusal(why));
        }
        match self.rules.judge(EDITS, Reach::Stage, &subjects) {
            Consent::Granted => {}
            Consent::Needed => {
                return Ok(refusal(
                    "a rule of the user asks before such an edit, which only a conversation in signoff can do",
                ));
            }
            Consent::Denied(why) => return Ok(refusal(why)),
        }
        let verify = payload.verify.clone();
        let submitted = SubmittedPayload {
            payload,
            origin,
            changeset: None,
            only: None,
        };
        let mut answer = lock(&self.engine).propose(submitted)?;
        let ids: Vec<ProposalId> = answer.proposals.iter().map(|own| own.id).collect();
        self.proposed().extend(&ids);
        if let Some(run) = &self.run {
            run.made(ids.into_iter());
        }
        // What the checks say is in the answer; whether they hold decides nothing here, since nothing is written.
        let _told = verified::verify(&mut answer, &verify, |wanted| {
            self.checked(wanted, stop)
                .map_err(|error| format!("{error:#}"))
        });
        Ok(answer::proposed(&answer)?)
    }

    /// Proposes what takes a written change back.
    pub(super) fn revert(
        &self,
        asked: &RevertAsked,
        origin: Origin,
        stop: &AtomicBool,
    ) -> anyhow::Result<CallToolResult> {
        let mut engine = lock(&self.engine);
        let target = match (&asked.file, asked.version, &asked.changeset) {
            (Some(file), version, None) => {
                let to = version.map_or(RevertTo::Last, RevertTo::Only);
                RevertTarget::file(file, to)
            }
            (None, None, Some(changeset)) => match engine.changeset(changeset)? {
                NamedChangeset::One(changeset) => RevertTarget::Changeset { changeset },
                NamedChangeset::None | NamedChangeset::Several(_) => {
                    return Ok(refusal("there is no one changeset of this id"));
                }
            },
            _ => return Ok(refusal("give a file, or a changeset")),
        };
        let changes = engine.as_changes(&target)?;
        drop(engine);
        match changes {
            ReversalChanges::Refused(why) => Ok(refusal(why)),
            ReversalChanges::Possible(changes) => {
                let verify = Verify::default();
                self.propose(Payload { changes, verify }, origin, stop)
            }
        }
    }

    /// Runs the project's checks on what is staged.
    fn checked(&self, wanted: Wanted, stop: &AtomicBool) -> anyhow::Result<CheckReport> {
        project::checks::report(
            &self.paths,
            &self.programs,
            &self.engine,
            (wanted, Starter::Session),
            (stop, &|_| {}),
        )
    }

    pub(super) fn read(&self, asked: &FileAsked) -> anyhow::Result<CallToolResult> {
        let subjects = Subjects::Paths(vec![asked.file.clone()]);
        if let Consent::Denied(why) = self.rules.judge(READ, Reach::Observe, &subjects) {
            return Ok(refusal(why));
        }
        let mut engine = lock(&self.engine);
        let file = WorkspacePath::parse(&asked.file, &self.paths.root)?.to_string();
        let staged = engine.staged_paths()?;
        let stays = match staged.iter().find(|(path, _)| *path == file) {
            None => {
                let why = format!("nothing is staged in {file}; read it from disk");
                return Ok(refusal(why));
            }
            Some((_, stays)) => *stays,
        };
        let source = if stays { engine.read(&file)? } else { None };
        Ok(match source {
            Some(source) => answer::text(&file, &source),
            None => refusal(format!("{file} would be gone")),
        })
    }

    pub(super) fn history(&self, asked: &HistoryAsked) -> anyhow::Result<CallToolResult> {
        let mut engine = lock(&self.engine);
        let entries = engine.history(asked.file.as_deref())?;
        let gone = engine.dropped(asked.file.as_deref())?;
        let most = asked.limit.unwrap_or(ENTRIES);
        Ok(answer::history(&entries, most, gone))
    }

    pub(super) fn context(&self, asked: &ContextAsked) -> anyhow::Result<CallToolResult> {
        let index = index(&self.paths)?;
        let most = asked.limit.unwrap_or(FILES);
        let ranked = rank(&index, &asked.request, &Weights::default(), most);
        let files: Vec<Value> = ranked.iter().map(file).collect();
        Ok(success(json!({ "files": files })))
    }

    pub(super) fn check(&self, stop: &AtomicBool) -> anyhow::Result<CallToolResult> {
        let Some(files) = syntax::staged(&mut lock(&self.engine), &self.paths.root)? else {
            return Ok(refusal("nothing is staged, so nothing was checked"));
        };
        let report = self.checked(Wanted::Found, stop)?;
        let none = "no check of this project is known or installed for the staged files";
        let syntax: Vec<Value> = files.iter().map(syntax::CheckedFile::value).collect();
        Ok(success(json!({
            "syntax": syntax,
            "new": report.new,
            "checks": report.checks,
            "errors": report.errors(),
            "note": report.checks.is_empty().then_some(none),
        })))
    }
}

/// Returns a file that a request is about.
fn file(file: &Ranked) -> Value {
    json!({"file": file.path, "score": rounded(file.score), "reasons": file.reasons})
}
