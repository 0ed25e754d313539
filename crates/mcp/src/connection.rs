//! Connections to one server.
//!
//! In: a definition, and what starts programs. Out: a connection that lists and calls, each request within the server's
//! time. Both revisions are spoken: `server/discover` of 2026-07-28 is tried first, and `initialize` of 2025-11-25 where
//! the server does not know it. Nothing is offered to the server: no sampling, no roots, no questions to the user.
//!
//! What a server sends without having been asked is read and dropped, up to a bound between two requests; then the
//! connection is closed.
//!
//! **Invariant:** signoff offers servers nothing, and sends them only what a call, a mention or `/mcp` asks for.

use std::error::Error;
use std::future::Future;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};

use rmcp::ClientHandler;
use rmcp::model::{
    ClientCapabilities, ClientConfig, ClientRequest, CustomResult, Implementation, JsonRpcMessage,
    ListToolsRequest, PaginatedRequestParams, ProtocolVersion, ServerNotification, ServerResult,
    Tool,
};
use rmcp::service::{
    ClientInitializeError, ClientLifecycleMode, Peer, RoleClient, RunningService, RxJsonRpcMessage,
    ServiceError, TxJsonRpcMessage, serve_client_with_lifecycle,
};
use rmcp::transport::async_rw::AsyncRwTransport;
use rmcp::transport::{StreamableHttpClientTransport, Transport};
use serde::Deserialize as _;
use serde_json::Value;
use tokio::net::unix::pipe;
use tokio::time::timeout;

use crate::catalogue::{Catalogue, MOST_LISTED};
use crate::child::{Complaints, Launcher, RunningProgram};
use crate::definition::{ServerDefinition, ServerEndpoint};
use crate::foreign_text::line;
use crate::redaction::Redactor;
use crate::sign_in::{self, MOST_ERROR, advice, is_bare_401, with_sources};

mod any_transport;
mod http;

use any_transport::{AnyTransport, TransportError};

/// Messages that a server may send between two requests of signoff's; one that floods it is given up.
const MOST_UNASKED: u32 = 10_000;
/// Bytes of a message: one without an end would fill the memory. An answer with screenshots has some megabytes.
const MOST_MESSAGE: usize = 16 * 1024 * 1024;
/// Pages of a list that are asked for: cursors can lead in a circle.
const MOST_PAGES: usize = 32;
/// Bytes of a reason, with what signoff says about it.
const MOST_TROUBLE: usize = 2_000;

/// A connection. It is closed when it is dropped, and the server's program is ended.
pub(crate) struct Connection {
    service: RunningService<RoleClient, Client>,
    definition: Arc<ServerDefinition>,
    incoming: Arc<Incoming>,
    /// Says more of why a program ended.
    complaints: Option<Complaints>,
    /// Ends the program of the server once the connection is dropped.
    _guard: Option<Box<dyn RunningProgram>>,
}

/// Why a server did not do what was asked.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub(crate) enum ServerTrouble {
    /// It answered with an error; where it is to say which revisions it speaks, with something else.
    #[error("the server answered with an error: {0:?}")]
    Refused(String),
    /// It does not let the user do this.
    #[error("{0}")]
    Forbidden(String),
    /// It cannot be spoken to; the connection is of no more use.
    #[error("{0}")]
    Broken(String),
}

impl ServerTrouble {
    /// Returns the same without the secrets of the server: its errors quote addresses and headers.
    fn redacted(self, redactor: &Redactor) -> Self {
        let line = |why: String| redactor.line(&why, MOST_TROUBLE);
        match self {
            Self::Refused(why) => Self::Refused(line(why)),
            Self::Forbidden(why) => Self::Forbidden(line(why)),
            Self::Broken(why) => Self::Broken(line(why)),
        }
    }
}

/// What a server says to somebody whom it does not know.
pub(crate) enum Challenge {
    /// It answers.
    None,
    /// That it wants to know who asks, and no more.
    Mute,
    /// How it wants to know.
    Said(String),
}

/// What answers the server: nothing but what the protocol demands.
pub(crate) struct Client;

impl ClientHandler for Client {
    fn get_info(&self) -> ClientConfig {
        let own = Implementation::new("signoff", env!("CARGO_PKG_VERSION"));
        ClientConfig::new(ClientCapabilities::default(), own)
            .with_protocol_version(ProtocolVersion::LATEST_WITH_INITIALIZE)
    }
}

/// What a server sends, between the transport that reads it and the connection that asks.
struct Incoming {
    redactor: Redactor,
    /// Messages since the last request.
    unasked: AtomicU32,
    /// Whether the list of tools changed since it was read.
    is_changed: AtomicBool,
}

impl Incoming {
    fn of(definition: &ServerDefinition) -> Self {
        Self {
            redactor: Redactor::of(definition),
            unasked: AtomicU32::new(0),
            is_changed: AtomicBool::new(false),
        }
    }
}

/// A transport that ends where the server sends without end, takes the secrets out of what it sends, and notes what it says of
/// its tools as it comes: an answer that comes after it is about the tools as they are then.
struct Bounded {
    inner: Box<dyn AnyTransport>,
    incoming: Arc<Incoming>,
}

impl Transport<RoleClient> for Bounded {
    type Error = TransportError;

    fn send(
        &mut self,
        item: TxJsonRpcMessage<RoleClient>,
    ) -> impl Future<Output = Result<(), Self::Error>> + Send + 'static {
        self.inner.send(item)
    }

    async fn receive(&mut self) -> Option<RxJsonRpcMessage<RoleClient>> {
        let incoming = Arc::clone(&self.incoming);
        // All that arrives counts, answers as well: with each question the count begins anew.
        if incoming.unasked.fetch_add(1, Ordering::SeqCst) >= MOST_UNASKED {
            return None;
        }
        let message = incoming.redactor.message(self.inner.receive().await?)?;
        if let JsonRpcMessage::Notification(told) = &message
            && matches!(
                told.notification,
                ServerNotification::ToolListChangedNotification(_)
            )
        {
            incoming.is_changed.store(true, Ordering::SeqCst);
        }
        Some(message)
    }

    async fn close(&mut self) -> Result<(), Self::Error> {
        self.inner.close().await
    }
}

impl Connection {
    /// Starts or reaches a server.
    pub(crate) async fn open(
        definition: &Arc<ServerDefinition>,
        launcher: &Launcher,
    ) -> Result<Self, ServerTrouble> {
        let opened = match Self::open_by(definition, launcher, both_revisions()).await {
            // Such a server answers a method that it does not know with anything but the error for that.
            Err(ServerTrouble::Refused(_)) => {
                let older = ClientLifecycleMode::Initialize;
                Self::open_by(definition, launcher, older).await
            }
            opened => opened,
        };
        opened.map_err(|trouble| {
            let trouble = match trouble {
                ServerTrouble::Refused(why) => ServerTrouble::Broken(why),
                trouble @ (ServerTrouble::Forbidden(_) | ServerTrouble::Broken(_)) => trouble,
            };
            trouble.redacted(&Redactor::of(definition))
        })
    }

    async fn open_by(
        definition: &Arc<ServerDefinition>,
        launcher: &Launcher,
        lifecycle: ClientLifecycleMode,
    ) -> Result<Self, ServerTrouble> {
        let incoming = Arc::new(Incoming::of(definition));
        let (service, complaints, guard) = match &definition.endpoint {
            ServerEndpoint::Program(program) => {
                let launched = launcher(program).map_err(|error| {
                    let command = line(&program.command, MOST_ERROR);
                    ServerTrouble::Broken(format!("{command} cannot be started: {error}"))
                })?;
                let pipes = pipe::Sender::from_owned_fd(launched.input)
                    .and_then(|input| Ok((pipe::Receiver::from_owned_fd(launched.output)?, input)));
                let (output, input) =
                    pipes.map_err(|error| ServerTrouble::Broken(error.to_string()))?;
                let inner = AsyncRwTransport::new(output, input).with_max_line_length(MOST_MESSAGE);
                let opened = opened(Box::new(inner), lifecycle, definition, &incoming).await;
                let service = match opened {
                    Err(ServerTrouble::Broken(why)) => {
                        let why = launched.guard.failure().unwrap_or(why);
                        let why = with_complaint(why, &launched.complaints).await;
                        return Err(ServerTrouble::Broken(why));
                    }
                    opened => opened?,
                };
                (service, Some(launched.complaints), Some(launched.guard))
            }
            ServerEndpoint::Http {
                url,
                headers,
                sign_in,
            } => {
                let (client, config) = http::client(url, headers).map_err(ServerTrouble::Broken)?;
                let tokens = match sign_in {
                    Some(settings) => sign_in::authorized(&client, url, settings).await,
                    None => Ok(None),
                };
                let inner: Box<dyn AnyTransport> = match tokens.map_err(ServerTrouble::Broken)? {
                    Some(client) => {
                        Box::new(StreamableHttpClientTransport::with_client(client, config))
                    }
                    None => Box::new(StreamableHttpClientTransport::with_client(client, config)),
                };
                (
                    opened(inner, lifecycle, definition, &incoming).await?,
                    None,
                    None,
                )
            }
        };
        Ok(Self {
            service,
            definition: Arc::clone(definition),
            incoming,
            complaints,
            _guard: guard,
        })
    }

    /// Asks a server by HTTP without tokens. Returns what it says of the sign-in that it wants.
    pub(crate) async fn challenge(definition: &ServerDefinition) -> Result<Challenge, String> {
        let ServerEndpoint::Http { url, headers, .. } = &definition.endpoint else {
            return Ok(Challenge::None);
        };
        let (client, config) = http::client(url, headers)?;
        let inner = Box::new(StreamableHttpClientTransport::with_client(client, config));
        let incoming = Arc::new(Incoming::of(definition));
        let begun =
            serve_client_with_lifecycle(Client, Bounded { inner, incoming }, both_revisions());
        match timeout(definition.timeout, begun).await {
            Ok(Ok(_open)) => Ok(Challenge::None),
            Ok(Err(error)) => match error.auth_challenge() {
                Some(said) => Ok(Challenge::Said(said.to_owned())),
                None if is_bare_401(of_start(&error)) => Ok(Challenge::Mute),
                None => Err(line(&with_sources(&error), MOST_ERROR)),
            },
            Err(_elapsed) => {
                let seconds = definition.timeout.as_secs();
                Err(format!("the server did not answer within {seconds} s"))
            }
        }
    }

    /// Tells whether nothing can be asked any more.
    pub(crate) fn is_closed(&self) -> bool {
        self.service.is_closed() || self.service.peer().is_transport_closed()
    }

    /// Tells once whether the list of tools changed.
    pub(crate) fn has_changed(&self) -> bool {
        self.incoming.is_changed.swap(false, Ordering::SeqCst)
    }

    /// Returns the revision of the protocol that is spoken, and what the server says it is.
    pub(crate) fn about(&self) -> String {
        let Some(info) = self.service.peer().peer_info() else {
            return String::new();
        };
        let version = line(&info.protocol_version.to_string(), 40);
        match &info.server_info {
            Some(own) => {
                let (name, release) = (line(&own.name, 60), line(&own.version, 40));
                format!("{name} {release}, revision {version}")
            }
            None => format!("revision {version}"),
        }
    }

    /// Asks the server within its time.
    pub(crate) async fn ask<T>(
        &self,
        work: impl Future<Output = Result<T, ServiceError>>,
    ) -> Result<T, ServerTrouble> {
        self.incoming.unasked.store(0, Ordering::SeqCst);
        let within = self.definition.timeout;
        let answered = timeout(within, work).await.map_err(|_elapsed| {
            let seconds = within.as_secs();
            ServerTrouble::Broken(format!(
                "the server did not answer within {seconds} s and was given up; `timeout_s` waits longer"
            ))
        })?;
        match answered {
            Ok(answer) => Ok(answer),
            Err(error) => Err(self.trouble(&error).await),
        }
    }

    /// Returns what requests are sent by. A request whose future is dropped is cancelled.
    pub(crate) fn service(&self) -> &RunningService<RoleClient, Client> {
        &self.service
    }

    /// Returns the tools, and where the server has them resources and prompts.
    pub(crate) async fn catalogue(&self) -> Result<Catalogue, ServerTrouble> {
        let mut catalogue = Catalogue::default();
        let info = self.service.peer().peer_info();
        let Some(offers) = info.map(|info| info.capabilities.clone()) else {
            return Ok(catalogue);
        };
        let peer = self.service.peer();
        if offers.tools.is_some() {
            let tools = self.pages(async |params| match peer.list_tools(params.clone()).await {
                Ok(page) => Ok((page.tools.into_iter().map(Ok).collect(), page.next_cursor)),
                Err(ServiceError::UnexpectedResponse) => tools_one_by_one(peer, params).await,
                Err(error) => Err(error),
            });
            for tool in tools.await? {
                match tool {
                    Ok(tool) => catalogue.add_tools(vec![tool]),
                    Err(name) => catalogue.leave_out(&name),
                }
            }
        }
        if offers.resources.is_some() {
            let resources = self.pages(async |params| {
                let page = peer.list_resources(params).await?;
                Ok((page.resources, page.next_cursor))
            });
            catalogue.add_resources(or_nothing(resources.await, "resources")?);
        }
        if offers.prompts.is_some() {
            let prompts = self.pages(async |params| {
                let page = peer.list_prompts(params).await?;
                Ok((page.prompts, page.next_cursor))
            });
            catalogue.add_prompts(or_nothing(prompts.await, "prompts")?);
        }
        Ok(catalogue)
    }

    /// Reads a list page by page, as far as it is of use.
    async fn pages<T>(
        &self,
        page: impl AsyncFn(
            Option<PaginatedRequestParams>,
        ) -> Result<(Vec<T>, Option<String>), ServiceError>,
    ) -> Result<Vec<T>, ServerTrouble> {
        let mut items = Vec::new();
        let mut cursor = None;
        for _ in 0..MOST_PAGES {
            let params = PaginatedRequestParams::default().with_cursor(cursor);
            let (some, next) = self.ask(page(Some(params))).await?;
            items.extend(some);
            cursor = next;
            if cursor.is_none() || items.len() > MOST_LISTED {
                break;
            }
        }
        Ok(items)
    }

    async fn trouble(&self, error: &ServiceError) -> ServerTrouble {
        self.trouble_as_said(error)
            .await
            .redacted(&self.incoming.redactor)
    }

    async fn trouble_as_said(&self, error: &ServiceError) -> ServerTrouble {
        if let Some(advice) = advice(&self.definition, of_call(error), error.auth_challenge()) {
            return ServerTrouble::Forbidden(advice);
        }
        match error {
            ServiceError::McpError(error) => {
                ServerTrouble::Refused(line(&error.message, MOST_ERROR))
            }
            ServiceError::TransportClosed
                if self.incoming.unasked.load(Ordering::SeqCst) >= MOST_UNASKED =>
            {
                ServerTrouble::Broken(format!(
                    "the server sent more than {MOST_UNASKED} messages without having been asked, and was given up"
                ))
            }
            ServiceError::TransportClosed => {
                let why = "the server closed the connection".to_owned();
                ServerTrouble::Broken(match &self.complaints {
                    Some(complaints) => with_complaint(why, complaints).await,
                    None => why,
                })
            }
            error @ (ServiceError::TransportSend(_) | ServiceError::Timeout { .. }) => {
                ServerTrouble::Broken(line(&with_sources(error), MOST_ERROR))
            }
            error => ServerTrouble::Refused(line(&error.to_string(), MOST_ERROR)),
        }
    }
}

/// Returns what a server lists beside its tools; nothing where it refuses: it still has its tools.
fn or_nothing<T>(
    listed: Result<Vec<T>, ServerTrouble>,
    what: &str,
) -> Result<Vec<T>, ServerTrouble> {
    match listed {
        Err(ServerTrouble::Refused(why) | ServerTrouble::Forbidden(why)) => {
            tracing::warn!(why, "no {what} are listed");
            Ok(Vec::new())
        }
        listed => listed,
    }
}

/// Asks for a page of tools again of which one is not as the protocol has it, as without `inputSchema`, and reads them one by
/// one: the others are of use. Of one that cannot be read, the name is returned.
async fn tools_one_by_one(
    peer: &Peer<RoleClient>,
    params: Option<PaginatedRequestParams>,
) -> Result<(Vec<Result<Tool, String>>, Option<String>), ServiceError> {
    let request = ListToolsRequest {
        method: Default::default(),
        params,
        extensions: Default::default(),
    };
    let answer = peer.send_request(ClientRequest::ListToolsRequest(request));
    let ServerResult::CustomResult(CustomResult(page)) = answer.await? else {
        return Err(ServiceError::UnexpectedResponse);
    };
    let Some(listed) = page.get("tools").and_then(Value::as_array) else {
        return Err(ServiceError::UnexpectedResponse);
    };
    let tools = listed.iter().map(|tool| {
        let name = tool
            .get("name")
            .and_then(Value::as_str)
            .unwrap_or("a tool without a name");
        Tool::deserialize(tool).ok().ok_or_else(|| name.to_owned())
    });
    let cursor = page.get("nextCursor").and_then(Value::as_str);
    Ok((tools.collect(), cursor.map(str::to_owned)))
}

/// Returns the beginning of a conversation with a server of which the revision is not known.
fn both_revisions() -> ClientLifecycleMode {
    ClientLifecycleMode::Auto {
        preferred_versions: vec![ProtocolVersion::LATEST],
        legacy_version: Some(ProtocolVersion::LATEST_WITH_INITIALIZE),
    }
}

async fn opened(
    inner: Box<dyn AnyTransport>,
    lifecycle: ClientLifecycleMode,
    definition: &ServerDefinition,
    incoming: &Arc<Incoming>,
) -> Result<RunningService<RoleClient, Client>, ServerTrouble> {
    let incoming = Arc::clone(incoming);
    let begun = serve_client_with_lifecycle(Client, Bounded { inner, incoming }, lifecycle);
    match timeout(definition.timeout, begun).await {
        Ok(begun) => begun.map_err(|error| unopened(&error, definition)),
        Err(_elapsed) => {
            let seconds = definition.timeout.as_secs();
            Err(ServerTrouble::Broken(format!(
                "the server did not begin to speak within {seconds} s; `timeout_s` waits longer"
            )))
        }
    }
}

fn unopened(error: &ClientInitializeError, definition: &ServerDefinition) -> ServerTrouble {
    if let Some(advice) = advice(definition, of_start(error), error.auth_challenge()) {
        return ServerTrouble::Forbidden(advice);
    }
    let why = line(&with_sources(error), MOST_ERROR);
    match error {
        ClientInitializeError::ExpectedInitResult(_) => ServerTrouble::Refused(why),
        _ => ServerTrouble::Broken(why),
    }
}

/// Returns what a transport says of a connection that did not come about.
fn of_start(error: &ClientInitializeError) -> &(dyn Error + 'static) {
    match error {
        ClientInitializeError::TransportError { error, .. } => error.error.as_ref(),
        ClientInitializeError::LegacyFallbackFailed { fallback, .. } => of_start(fallback),
        other => other,
    }
}

/// Returns what a transport says of a request that failed.
fn of_call(error: &ServiceError) -> &(dyn Error + 'static) {
    match error {
        ServiceError::TransportSend(error) => error.error.as_ref(),
        other => other,
    }
}

async fn with_complaint(why: String, complaints: &Complaints) -> String {
    match complaints.last_line().await {
        Some(last) => format!("{why}; it printed {:?}", line(&last, MOST_ERROR)),
        None => why,
    }
}
