//! Session of an agent: a conversation of its own on the ground of the one that started it.
//!
//! In: the commands that begin its one turn. Out: its events as they come, and the state that they tell at its end.

use std::collections::HashMap;
use std::sync::Arc;

use tokio::sync::mpsc::{self, UnboundedReceiver, UnboundedSender, WeakUnboundedSender};

use super::agents::RunningAgents;
use super::critiquing::Critiquing;
use super::{Asides, BeforePrompt, Checking, Shell, WireEnds, connect, hosts};
use crate::provider::Provider;
use crate::query_lane::QueryLane;
use crate::session::{Command, Config, ConversationState, Event, Input, Session};
use crate::tool::ConversationScope;

/// A session that works for a conversation.
pub(super) struct AgentSession {
    shell: Shell,
    commands: UnboundedReceiver<Command>,
    ends: WireEnds,
    /// Where its commands come from; once it is gone, the session ends.
    sender: UnboundedSender<Command>,
}

impl AgentSession {
    /// Returns a session in which nothing was said, on the ground of this shell.
    pub(super) fn new(
        of: &Shell,
        config: Config,
        provider: Arc<dyn Provider>,
        scope: ConversationScope,
    ) -> Self {
        let (wires, ends) = connect(None);
        let questions = hosts::questions(config.attended, &wires);
        let (sender, commands) = mpsc::unbounded_channel();
        let mut session = Session::new(config);
        session.handle(Input::Ready {
            about: provider.about(),
            hint: None,
        });
        let shell = Shell {
            session,
            queries: QueryLane::new(Arc::clone(of.ground.engine()), Arc::clone(&provider)),
            provider,
            ground: Arc::clone(&of.ground),
            scope: Arc::new(
                scope
                    .with_reads(Arc::default())
                    .with_host_questions(questions),
            ),
            stream: None,
            asides: Asides::default(),
            silence: of.silence,
            turn: None,
            stops: HashMap::new(),
            // Hooks that nobody trusted by now do not run.
            asks_for_trust: false,
            found: None,
            preparing: None,
            checking: Checking::default(),
            look: BeforePrompt::default(),
            agents: RunningAgents::default(),
            critiquing: Critiquing::default(),
            wires,
        };
        Self {
            shell,
            commands,
            ends,
            sender,
        }
    }

    /// Returns the way for commands to it, as long as it works.
    pub(super) fn commands(&self) -> WeakUnboundedSender<Command> {
        self.sender.downgrade()
    }

    /// Runs the turn that these commands begin. Returns what its events told.
    pub(super) async fn turn(
        self,
        begin: impl IntoIterator<Item = Command>,
        mut watch: impl FnMut(&ConversationState, Event) + Send,
    ) -> ConversationState {
        let mut state = ConversationState::default();
        for command in begin {
            // The other end is in this value.
            let _sent = self.sender.send(command);
        }
        let mut sender = Some(self.sender);
        self.shell
            .run(self.commands, self.ends, |event| {
                state.apply(&event);
                if state.end.is_some() {
                    // No more commands can come, so that the session ends.
                    sender = None;
                }
                watch(&state, event);
            })
            .await;
        state
    }
}
