//! The server: calls of the protocol, and their answers.

use std::sync::Arc;

use rmcp::ErrorData;
use rmcp::handler::server::ServerHandler;
use rmcp::model::{
    CallToolRequestParams, CallToolResponse, CallToolResult, Implementation, ListToolsResult,
    PaginatedRequestParams, ServerCapabilities, ServerConfig,
};
use rmcp::service::{RequestContext, RoleServer};
use serde_json::{Map, Value};
use signoff_setup::paths::Paths;

use super::answer::refusal;
use super::offered::{OfferedTool, TOOLS, ToolCall};
use super::run_record::RunRecord;
use super::workspace::ProposalWorkspace;

/// Characters of a program's own name that are kept: it stands in every line of history.
const MOST_NAME: usize = 60;

const INSTRUCTIONS: &str = "\
signoff keeps the user's files as they are until the user has looked at each change. Propose edits with propose_edits \
instead of writing files; tell the user that they wait in signoff, then ask proposal_status with wait_seconds. A denial \
comes with its reason: meet it, or ask the user.";

/// What one connection works with.
#[derive(Clone)]
pub(super) struct EditServer(Arc<ProposalWorkspace>);

impl EditServer {
    /// Opens the workspace, for a connection of a program in the shadow if there is a run.
    pub(super) fn open(paths: &Paths, run: Option<Arc<RunRecord>>) -> anyhow::Result<Self> {
        Ok(Self(Arc::new(ProposalWorkspace::open(paths, run)?)))
    }

    /// Carries a call out, unless the run has proposed as much as it may.
    async fn call(
        &self,
        tool: &OfferedTool,
        request: CallToolRequestParams,
        context: &RequestContext<RoleServer>,
    ) -> anyhow::Result<CallToolResult> {
        let arguments: Map<String, Value> = request.arguments.into_iter().flatten().collect();
        if let Some(run) = self.0.run().filter(|_| !tool.only_looks) {
            let bytes = Value::Object(arguments.clone()).to_string().len();
            run.admit(bytes).map_err(anyhow::Error::msg)?;
        }
        let call = ToolCall {
            arguments,
            origin: self.0.origin(context.id.to_string(), client(context)),
            stop: Arc::default(),
        };
        tool.carry_out(Arc::clone(&self.0), call).await
    }
}

impl ServerHandler for EditServer {
    fn get_info(&self) -> ServerConfig {
        let more = self.0.run().map(RunRecord::instructions);
        ServerConfig::new(ServerCapabilities::builder().enable_tools().build())
            .with_server_info(Implementation::new("signoff", env!("CARGO_PKG_VERSION")))
            .with_instructions(format!("{INSTRUCTIONS}{}", more.as_deref().unwrap_or("")))
    }

    async fn list_tools(
        &self,
        _page: Option<PaginatedRequestParams>,
        _context: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        if let Some(run) = self.0.run() {
            run.notice_told();
        }
        let tools = TOOLS.iter().map(OfferedTool::listed).collect();
        Ok(ListToolsResult::with_all_items(tools))
    }

    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        let Some(tool) = TOOLS.iter().find(|tool| tool.name == request.name) else {
            let why = "there is no tool of this name";
            return Err(ErrorData::invalid_params(why, None));
        };
        let called = self.call(tool, request, &context);
        let result = match context.ct.run_until_cancelled(called).await {
            Some(Ok(result)) => result,
            Some(Err(error)) => refusal(format!("{error:#}")),
            None => refusal("the request was cancelled"),
        };
        Ok(result.into())
    }
}

/// Returns what the program on the other side calls itself, as history names it.
fn client(context: &RequestContext<RoleServer>) -> String {
    let name = match context.client_info() {
        Some(client) => format!("{} {}", client.name, client.version),
        None => "an agent".to_owned(),
    };
    let plain = name.chars().filter(|letter| !letter.is_control());
    plain.take(MOST_NAME).collect::<String>().trim().to_owned()
}
