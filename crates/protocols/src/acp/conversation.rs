//! A conversation with what it needs: its folder, its engine, who answers, and the way to the editor.
//!
//! In: what the editor opens it with, and what comes to it. Out: messages, commands to the driver, and questions to the
//! engine, as the session wants them.

use std::collections::HashMap;
use std::iter;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use agent_client_protocol_schema::v1::{
    AgentResponse, CloseSessionResponse, ErrorCode, RequestId, SessionId,
};
use anyhow::bail;
use serde_json::Value;
use signoff_core::engine::Engine;
use signoff_core::id::ProposalId;
use signoff_llm::provider::ProviderError;
use signoff_llm::provider::catalogue::Model;
use signoff_llm::provider::discover::can_talk;
use signoff_llm::session::Command;
use signoff_llm::tool::lock;
use signoff_setup::args::{PathArgs, SessionArgs};
use signoff_setup::opened;
use signoff_setup::out;
use signoff_setup::paths::Paths;
use signoff_setup::session_setup::Presence;
use signoff_setup::session_setup::{self, model};
use signoff_tui::watch::Watch;
use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel};
use tokio::task::spawn_blocking;
use tokio::time::timeout;
use uuid::Uuid;

use super::AcpOptions;
use super::connection::AgentMessage;
use super::editor_server;
use super::editor_session::{
    EditorSession, OpeningRequest, SessionInput, SessionOrigin, SessionOutput, SessionSetting,
};
use super::serving::refuse;
use super::sign_in::{self, NoModel};

/// Between two looks at whether the store changed while a question is open: a person notices no delay.
const BETWEEN_LOOKS: Duration = Duration::from_millis(300);

/// How long a server may take to list its models; later there is no choice.
const ABOUT_MODELS: Duration = Duration::from_secs(10);

/// The conversations that are open, by id.
#[derive(Clone, Debug, Default)]
pub(super) struct SessionTable(Arc<Mutex<HashMap<SessionId, UnboundedSender<SessionInput>>>>);

impl SessionTable {
    fn entries(&self) -> MutexGuard<'_, HashMap<SessionId, UnboundedSender<SessionInput>>> {
        // A table of senders is whole whatever happened to whoever held it.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Hands an input to a conversation, if that is open. Returns whether it is.
    pub(super) fn pass(&self, session: &SessionId, input: SessionInput) -> bool {
        let entries = self.entries();
        entries
            .get(session)
            .is_some_and(|sender| sender.send(input).is_ok())
    }

    pub(super) fn has(&self, session: &SessionId) -> bool {
        self.entries().contains_key(session)
    }

    pub(super) fn remove(&self, session: &SessionId) {
        self.entries().remove(session);
    }
}

/// What a conversation is opened with.
pub(super) struct SessionStart {
    pub(super) folder: PathBuf,
    pub(super) options: AcpOptions,
    /// The MCP servers that the editor names.
    pub(super) servers: Vec<Value>,
    /// Whether the editor shows forms.
    pub(super) has_forms: bool,
    /// Whether it is opened only with a model: the editor can have the user connect one.
    pub(super) needs_model: bool,
    pub(super) table: SessionTable,
    pub(super) opening: OpeningRequest,
}

/// Leads one conversation, to which these inputs come by this sender. An error is why it was not opened.
pub(super) async fn lead(
    start: SessionStart,
    sender: UnboundedSender<SessionInput>,
    inputs: UnboundedReceiver<SessionInput>,
) -> anyhow::Result<()> {
    let SessionStart {
        folder,
        options,
        servers,
        has_forms,
        needs_model,
        table,
        opening,
    } = start;
    if !folder.is_absolute() {
        bail!("{}: the folder is not absolute", folder.display());
    }
    let setup = SessionArgs {
        resume: earlier(&opening.origin)?,
        ..SessionArgs::default()
    };
    let paths = Paths::find(&PathArgs {
        dir: Some(folder),
        ..PathArgs::default()
    })?;
    if !options.broad_folder {
        signoff_setup::broad_folder::refuse(&paths)?;
    }
    let mut config = (options.configure)(&paths, &options.model)?;
    let passed_over = editor_server::add(&mut config, &servers);
    for remark in config.warnings.iter().chain(&passed_over) {
        out::remark(remark);
    }
    let chosen = model::choose(&config, &paths).await?;
    if needs_model && !sign_in::is_model(&config, &chosen) {
        return Err(NoModel.into());
    }
    let mut engine = opened::with(&paths, &config.engine)?;
    engine.set_write_through(config.write_through);
    let engine = Arc::new(Mutex::new(engine));
    tokio::spawn(list_models(chosen.provider.models(), sender.clone()));
    let shared = Arc::clone(&engine);
    let (driver, remarks) =
        session_setup::prepare(&config, &setup, &paths, chosen, shared, Presence::User)?;
    remarks.iter().for_each(|remark| out::remark(remark));
    let driver = driver.telling_everything();
    let (commands, received) = unbounded_channel();
    let events = sender.clone();
    let setting = SessionSetting {
        root: paths.root.clone(),
        has_forms,
        message_prefix: Uuid::now_v7().to_string(),
        may_write_through: config.may_write_through || config.write_through,
    };
    let attendance = SessionAttendance {
        session: EditorSession::new(setting, opening),
        commands,
        engine,
        watch: Watch::new(&paths.root, &paths.store),
        table,
        sender,
    };
    let run = driver.run(received, move |event| {
        // The editor may be gone.
        let _gone = events.send(SessionInput::Event(Box::new(event)));
    });
    let (closing, ()) = tokio::join!(attendance.attend(inputs), run);
    if let Some(id) = closing {
        let closed = AgentResponse::CloseSessionResponse(CloseSessionResponse::new());
        AgentMessage::answer(id, closed).send();
    }
    Ok(())
}

/// Returns the id of the earlier conversation that is opened, if one is.
fn earlier(origin: &SessionOrigin) -> anyhow::Result<Option<String>> {
    match origin {
        SessionOrigin::New => Ok(None),
        SessionOrigin::Earlier { session, .. } if Uuid::try_parse(&session.0).is_ok() => {
            Ok(Some(session.to_string()))
        }
        SessionOrigin::Earlier { session, .. } => {
            bail!("{:?} is not the id of a conversation", session.0)
        }
    }
}

/// Tells the session which models the server lists; nothing if it lists none, or not in time.
async fn list_models(
    list: impl Future<Output = Result<Vec<Model>, ProviderError>>,
    sender: UnboundedSender<SessionInput>,
) {
    let models = match timeout(ABOUT_MODELS, list).await {
        Ok(Ok(models)) => models,
        Ok(Err(error)) => return tracing::info!(%error, "no models to choose from"),
        Err(error) => return tracing::info!(%error, "no models to choose from"),
    };
    let names = models.into_iter().map(|model| model.name);
    let names = names.filter(|name| can_talk(name)).collect();
    // The conversation may be over.
    let _gone = sender.send(SessionInput::Models(names));
}

/// A conversation, and what its outputs go to.
struct SessionAttendance {
    session: EditorSession,
    commands: UnboundedSender<Command>,
    engine: Arc<Mutex<Engine>>,
    watch: Watch,
    table: SessionTable,
    sender: UnboundedSender<SessionInput>,
}

impl SessionAttendance {
    /// Feeds the session until the editor is gone, or closes it: with that the conversation gets no more commands, and ends.
    /// Returns the request that closed it.
    async fn attend(mut self, mut inputs: UnboundedReceiver<SessionInput>) -> Option<RequestId> {
        let closing = loop {
            self.carry_all_out();
            match self.next_input(&mut inputs).await {
                None => break None,
                Some(SessionInput::Close(closing)) => break closing,
                Some(input) => self.session.handle(input),
            }
        };
        self.session.handle(SessionInput::Close(None));
        self.carry_all_out();
        self.table.remove(self.session.id());
        if let Some(OpeningRequest { id, .. }) = self.session.opening() {
            let why = "the connection was closed";
            refuse(id.clone(), ErrorCode::InternalError, why);
        }
        closing
    }

    /// Returns what comes next; none once nothing can. While a question is open, it looks whether others decide.
    async fn next_input(
        &mut self,
        inputs: &mut UnboundedReceiver<SessionInput>,
    ) -> Option<SessionInput> {
        loop {
            return match self.session.asked_about() {
                None => inputs.recv().await,
                Some(file) => match timeout(BETWEEN_LOOKS, inputs.recv()).await {
                    Ok(input) => input,
                    Err(_nothing_came) if self.watch.changed(iter::once(file)) => {
                        Some(SessionInput::Changed)
                    }
                    Err(_nothing_came) => continue,
                },
            };
        }
    }

    fn carry_all_out(&mut self) {
        for output in self.session.take_outputs() {
            self.carry_out(output);
        }
    }

    fn carry_out(&self, output: SessionOutput) {
        match output {
            SessionOutput::Send(message) => message.send(),
            SessionOutput::Command(command) => {
                // Once the conversation is gone, so is the connection.
                let _gone = self.commands.send(command);
            }
            SessionOutput::ReadOutcomes(ids) => self.read_outcomes(ids),
            SessionOutput::Opened(id) => {
                self.table.entries().insert(id, self.sender.clone());
            }
            SessionOutput::Remark(text) => out::remark(&text),
        }
    }

    fn read_outcomes(&self, ids: Vec<ProposalId>) {
        let (engine, sender) = (Arc::clone(&self.engine), self.sender.clone());
        spawn_blocking(move || {
            let hunks = match lock(&engine).outcomes(&ids, &[]) {
                Ok(outcomes) => outcomes.hunks,
                Err(error) => {
                    out::remark(&format!("what was decided cannot be read: {error}"));
                    Vec::new()
                }
            };
            let _gone = sender.send(SessionInput::Outcomes(hunks));
        });
    }
}
