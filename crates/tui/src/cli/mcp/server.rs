//! The server: from a call to the engine and back.

use std::collections::HashSet;
use std::iter;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use anyhow::Context as _;
use rmcp::ErrorData;
use rmcp::handler::server::ServerHandler;
use rmcp::model::{
    CallToolRequestParams, CallToolResponse, CallToolResult, ContentBlock, Implementation,
    ListToolsResult, PaginatedRequestParams, ServerCapabilities, ServerConfig, Tool,
    ToolAnnotations,
};
use rmcp::service::{RequestContext, RoleServer};
use serde_json::{Map, Value, json};
use signoff_context::rank::{Weights, rank};
use signoff_core::disk::workspace::WorkspacePath;
use signoff_core::edit::plan;
use signoff_core::edit::request::{Payload, Verify};
use signoff_core::engine::{Engine, NamedChangeset, ReversalChanges, SubmittedPayload};
use signoff_core::id::ProposalId;
use signoff_core::stage::proposal::Origin;
use signoff_core::stage::review::{Proposer, RevertTarget, RevertTo};
use signoff_llm::permission::{Consent, Policy};
use signoff_llm::tool::lock;
use signoff_llm::tool_spec::{Reach, Subjects};
use signoff_llm::verified::{self, Wanted};
use signoff_verify::check::CheckReport;
use tokio::sync::Semaphore;
use tokio::task::spawn_blocking;
use uuid::Uuid;

use super::answer::{self, AgentAnswer};
use super::limits::{ENTRIES, FILES, MOST_BYTES};
use super::offered::{
    AgentCall, ContextAsked, FileAsked, HistoryAsked, OfferedEdit, RevertAsked, StatusAsked,
};
use super::run_record::{RunRecord, turns};
use super::waiting::DecisionWait;
use crate::check_consent::Starter;
use crate::cli::{check, context, opened};
use crate::config::Programs;
use crate::paths::Paths;
use crate::project_checks;
use crate::watch::Watch;
use crate::workspace_index::index;

/// The tool whose rules hold for what is proposed here.
const EDITS: &str = "apply_structured_edits";
/// The tool whose rules say what may be seen.
const READ: &str = "read";

/// Characters of a program's own name that are kept.
const MOST_NAME: usize = 60;

const INSTRUCTIONS: &str = "\
signoff keeps the user's files as they are until the user has looked at each change. Propose edits with propose_edits \
instead of writing files; tell the user that they wait in signoff, then ask proposal_status with wait_seconds. A denial \
comes with its reason: meet it, or ask the user.";

/// What one connection works with.
#[derive(Clone)]
pub(super) struct EditServer {
    ground: Arc<Ground>,
    tools: Vec<Tool>,
}

/// What the calls of a connection share.
struct Ground {
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

impl EditServer {
    /// Opens the workspace.
    pub(super) fn open(paths: &Paths) -> anyhow::Result<Self> {
        Self::of_run(paths, None)
    }

    /// Opens the workspace for a connection of a program in the shadow.
    pub(super) fn of_run(paths: &Paths, run: Option<Arc<RunRecord>>) -> anyhow::Result<Self> {
        let tools = OfferedEdit::ALL.into_iter().map(tool);
        let programs = Programs::load(&paths.config, &paths.root)?;
        let engine = Arc::new(Mutex::new(opened::engine(paths)?));
        let tree = Arc::clone(&engine);
        Ok(Self {
            tools: tools.collect::<anyhow::Result<_>>()?,
            ground: Arc::new(Ground {
                rules: programs.rules.clone().within(&paths.root).looking_at(tree),
                programs,
                engine,
                paths: paths.clone(),
                session: format!("mcp-{}", Uuid::now_v7()),
                proposed: Mutex::default(),
                turns: run.as_ref().map_or_else(turns, |run| run.turns()),
                run,
            }),
        })
    }

    async fn answered(
        &self,
        call: AgentCall,
        context: &RequestContext<RoleServer>,
    ) -> anyhow::Result<AgentAnswer> {
        let ground = Arc::clone(&self.ground);
        match call {
            AgentCall::Propose(payload) => {
                let origin = ground.origin(context);
                let stop = StopFlag::default();
                let flag = Arc::clone(&stop.0);
                self.in_turn(move || ground.propose(*payload, origin, &flag))
                    .await
            }
            AgentCall::Status(asked) => self.status(asked).await,
            AgentCall::ReadStaged(asked) => self.in_turn(move || ground.read(&asked)).await,
            AgentCall::History(asked) => self.in_turn(move || ground.history(&asked)).await,
            AgentCall::Revert(asked) => {
                let origin = ground.origin(context);
                self.in_turn(move || ground.revert(&asked, origin)).await
            }
            AgentCall::Context(asked) => self.in_turn(move || ground.context(&asked)).await,
            AgentCall::Check => {
                let stop = StopFlag::default();
                let flag = Arc::clone(&stop.0);
                self.in_turn(move || ground.check(&flag)).await
            }
        }
    }

    /// Reads a call, unless the run has proposed as much as it may.
    fn admitted(
        &self,
        tool: OfferedEdit,
        arguments: Option<Map<String, Value>>,
    ) -> Result<AgentCall, String> {
        if let Some(run) = self.ground.run.as_ref().filter(|_| !tool.only_looks()) {
            let bytes = arguments
                .as_ref()
                .map(|own| Value::Object(own.clone()).to_string().len());
            run.admit(bytes.unwrap_or(0))?;
        }
        tool.read(arguments)
    }

    /// Does work on another thread, once few others are under way.
    async fn in_turn<T: Send + 'static>(
        &self,
        work: impl FnOnce() -> anyhow::Result<T> + Send + 'static,
    ) -> anyhow::Result<T> {
        let turn = Arc::clone(&self.ground.turns).acquire_owned().await?;
        spawn_blocking(move || {
            let _turn = turn;
            work()
        })
        .await?
    }

    async fn status(&self, asked: StatusAsked) -> anyhow::Result<AgentAnswer> {
        let mut unknown = Vec::new();
        let mut ids = Vec::new();
        for name in asked.proposals {
            match name.parse::<ProposalId>() {
                Ok(id) => ids.push(id),
                Err(_no_id) => unknown.push(name),
            }
        }
        if ids.is_empty() && unknown.is_empty() {
            ids = self.ground.proposed().clone();
        }
        if ids.is_empty() && unknown.is_empty() {
            return Ok(AgentAnswer::refusal(
                "nothing was proposed on this connection; give ids",
            ));
        }
        let mut watch = Watch::new(&self.ground.paths);
        let mut hunks = Vec::new();
        let mut waited = DecisionWait::for_seconds(asked.wait_seconds);
        loop {
            if watch.changed(iter::empty()) {
                let (ground, ids) = (Arc::clone(&self.ground), ids.clone());
                let outcomes = move || Ok(lock(&ground.engine).outcomes(&ids, &[])?.hunks);
                hunks = self.in_turn(outcomes).await?;
            }
            if !hunks.iter().any(answer::waits) || !waited.goes_on().await {
                break;
            }
        }
        if let Some(run) = &self.ground.run {
            let waiting = hunks.iter().filter(|own| answer::waits(own));
            let waiting: HashSet<ProposalId> = waiting.map(|own| own.hunk.proposal).collect();
            run.told(ids.iter().filter(|id| !waiting.contains(id)).copied());
        }
        let known: HashSet<ProposalId> = hunks.iter().map(|own| own.hunk.proposal).collect();
        let gone = ids.iter().filter(|id| !known.contains(id));
        unknown.extend(gone.map(ToString::to_string));
        Ok(AgentAnswer::of(&answer::outcomes(&hunks, &unknown)))
    }
}

/// A flag that is set when this is dropped, as the future of a request is that is cancelled: what the request started ends
/// then.
#[derive(Default)]
struct StopFlag(Arc<AtomicBool>);

impl Drop for StopFlag {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Relaxed);
    }
}

impl Ground {
    fn proposed(&self) -> MutexGuard<'_, Vec<ProposalId>> {
        // A list of ids is whole whatever happened to whoever held it.
        self.proposed.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn propose(
        &self,
        payload: Payload,
        origin: Origin,
        stop: &AtomicBool,
    ) -> anyhow::Result<AgentAnswer> {
        let subjects = Subjects::Paths(plan::paths(&payload.changes));
        // What does not fit is answered with what stands there.
        if let Consent::Denied(why) = self.rules.judge(READ, Reach::Observe, &subjects) {
            return Ok(AgentAnswer::refusal(why));
        }
        match self.rules.judge(EDITS, Reach::Stage, &subjects) {
            Consent::Granted => {}
            Consent::Needed => {
                return Ok(AgentAnswer::refusal(
                    "a rule of the user asks before such an edit, which only a conversation in signoff can do",
                ));
            }
            Consent::Denied(why) => return Ok(AgentAnswer::refusal(why)),
        }
        let verify = payload.verify.clone();
        let asked = SubmittedPayload {
            payload,
            origin,
            changeset: None,
        };
        let mut answer = lock(&self.engine).propose(asked)?;
        let ids = answer.proposals.iter().map(|own| own.id);
        self.proposed().extend(ids.clone());
        if let Some(run) = &self.run {
            run.made(ids);
        }
        // What the checks say is in the answer; whether they hold decides nothing here, since nothing is written.
        let _told = verified::verify(&mut answer, &verify, |wanted| {
            self.checked(wanted, stop)
                .map_err(|error| format!("{error:#}"))
        });
        Ok(AgentAnswer::proposed(&answer)?)
    }

    /// Returns whom a proposal of a call comes from.
    fn origin(&self, context: &RequestContext<RoleServer>) -> Origin {
        Origin {
            session: self.session.clone(),
            call: context.id.to_string(),
            proposer: Proposer::Mcp {
                client: client(context),
            },
        }
    }

    /// Proposes what takes a written change back.
    fn revert(&self, asked: &RevertAsked, origin: Origin) -> anyhow::Result<AgentAnswer> {
        let mut engine = lock(&self.engine);
        let target = match (&asked.file, asked.version, &asked.changeset) {
            (Some(file), version, None) => {
                let to = version.map_or(RevertTo::Last, RevertTo::Only);
                RevertTarget::file(file, to)
            }
            (None, None, Some(changeset)) => match engine.changeset(changeset)? {
                NamedChangeset::One(changeset) => RevertTarget::Changeset { changeset },
                NamedChangeset::None | NamedChangeset::Several(_) => {
                    return Ok(AgentAnswer::refusal("there is no one changeset of this id"));
                }
            },
            _ => return Ok(AgentAnswer::refusal("give a file, or a changeset")),
        };
        let changes = engine.as_changes(&target)?;
        drop(engine);
        match changes {
            ReversalChanges::Refused(why) => Ok(AgentAnswer::refusal(why)),
            ReversalChanges::Possible(changes) => {
                let payload = Payload {
                    changes,
                    verify: Verify::default(),
                };
                self.propose(payload, origin, &AtomicBool::new(false))
            }
        }
    }

    /// Runs the project's checks on what is staged.
    fn checked(&self, wanted: Wanted, stop: &AtomicBool) -> anyhow::Result<CheckReport> {
        project_checks::report(
            &self.paths,
            &self.programs,
            &self.engine,
            (wanted, Starter::Session),
            (stop, &|_| {}),
        )
    }

    fn read(&self, asked: &FileAsked) -> anyhow::Result<AgentAnswer> {
        let subjects = Subjects::Paths(vec![asked.file.clone()]);
        if let Consent::Denied(why) = self.rules.judge(READ, Reach::Observe, &subjects) {
            return Ok(AgentAnswer::refusal(why));
        }
        let mut engine = lock(&self.engine);
        let file = WorkspacePath::parse(&asked.file, &self.paths.root)?.to_string();
        let staged = engine.staged_paths()?;
        Ok(match staged.iter().find(|(path, _)| *path == file) {
            None => AgentAnswer::refusal(format!("nothing is staged in {file}; read it from disk")),
            Some((_, false)) => AgentAnswer::refusal(format!("{file} would be gone")),
            Some((_, true)) => match engine.read(&file)? {
                Some(source) => AgentAnswer::text(&file, &source),
                None => AgentAnswer::refusal(format!("{file} would be gone")),
            },
        })
    }

    fn history(&self, asked: &HistoryAsked) -> anyhow::Result<AgentAnswer> {
        let mut engine = lock(&self.engine);
        let entries = engine.history(asked.file.as_deref())?;
        let gone = engine.dropped(asked.file.as_deref())?;
        let most = asked.limit.unwrap_or(ENTRIES);
        Ok(AgentAnswer::of(&answer::history(&entries, most, gone)))
    }

    fn context(&self, asked: &ContextAsked) -> anyhow::Result<AgentAnswer> {
        let index = index(&self.paths)?;
        let most = asked.limit.unwrap_or(FILES);
        let ranked = rank(&index, &asked.request, &Weights::default(), most);
        let file = |file: &signoff_context::rank::Ranked| json!({"file": file.path, "score": context::rounded(file.score), "reasons": file.reasons});
        let files: Vec<Value> = ranked.iter().map(file).collect();
        Ok(AgentAnswer::of(&json!({ "files": files })))
    }

    fn check(&self, stop: &AtomicBool) -> anyhow::Result<AgentAnswer> {
        let Some(syntax) = check::staged(&mut lock(&self.engine), &self.paths.root)? else {
            return Ok(AgentAnswer::refusal(
                "nothing is staged, so nothing was checked",
            ));
        };
        let report = self.checked(Wanted::Found, stop)?;
        let none = "no check of this project is known or installed for the staged files";
        let syntax: Vec<Value> = syntax.iter().map(check::CheckedFile::value).collect();
        Ok(AgentAnswer::of(&json!({
            "syntax": syntax,
            "new": report.new,
            "checks": report.checks,
            "errors": report.errors(),
            "note": report.checks.is_empty().then_some(none),
        })))
    }
}

impl ServerHandler for EditServer {
    fn get_info(&self) -> ServerConfig {
        let more = self.ground.run.as_ref().map(|run| run.instructions());
        ServerConfig::new(ServerCapabilities::builder().enable_tools().build())
            .with_server_info(Implementation::new("signoff", env!("CARGO_PKG_VERSION")))
            .with_instructions(format!("{INSTRUCTIONS}{}", more.as_deref().unwrap_or("")))
    }

    async fn list_tools(
        &self,
        _page: Option<PaginatedRequestParams>,
        _context: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        if let Some(run) = &self.ground.run {
            run.notice_told();
        }
        Ok(ListToolsResult::with_all_items(self.tools.clone()))
    }

    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        let named = OfferedEdit::ALL.into_iter();
        let Some(tool) = named.into_iter().find(|tool| tool.name() == request.name) else {
            return Err(ErrorData::invalid_params(
                "there is no tool of this name",
                None,
            ));
        };
        let answer = match self.admitted(tool, request.arguments) {
            Err(wrong) => AgentAnswer::refusal(wrong),
            Ok(call) => {
                let answered = self.answered(call, &context);
                match context.ct.run_until_cancelled(answered).await {
                    Some(Ok(answer)) => answer,
                    Some(Err(error)) => AgentAnswer::refusal(format!("{error:#}")),
                    None => AgentAnswer::refusal("the request was cancelled"),
                }
            }
        };
        let text = bounded(answer.text);
        let content = vec![ContentBlock::text(text)];
        let result = if answer.failed {
            CallToolResult::error(content)
        } else {
            CallToolResult::success(content)
        };
        Ok(result.into())
    }
}

fn tool(offered: OfferedEdit) -> anyhow::Result<Tool> {
    let schema = offered.schema();
    let schema = schema.as_object().cloned();
    let schema = schema.with_context(|| format!("{}: its schema is no object", offered.name()))?;
    let annotations = ToolAnnotations::new()
        .read_only(offered.only_looks())
        .destructive(false)
        .open_world(false);
    let tool = Tool::new(offered.name(), offered.description(), schema);
    Ok(tool.with_annotations(annotations))
}

/// Returns what the program on the other side calls itself, as history names it.
fn client(context: &RequestContext<RoleServer>) -> String {
    let said = context.client_info();
    let said = said.map(|own| format!("{} {}", own.name, own.version));
    let said = said.as_deref().unwrap_or("an agent");
    let plain = said.chars().filter(|letter| !letter.is_control());
    plain.take(MOST_NAME).collect::<String>().trim().to_owned()
}

/// Cuts what is longer than clients take, and says so.
fn bounded(mut text: String) -> String {
    if text.len() > MOST_BYTES {
        let cut = text.floor_char_boundary(MOST_BYTES);
        let left = text.len() - cut;
        text.truncate(cut);
        text.push_str(&format!("\n[{left} more bytes are left out; ask for less]"));
    }
    text
}
