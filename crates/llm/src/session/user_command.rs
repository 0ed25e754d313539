//! Commands that the user runs in the conversation.
//!
//! In: a command line. Out: a turn of one call, which runs as the model's own do: confined in the shadow, its changes
//! staged. No request is sent; the call and its output are in the next one.
//!
//! The user typed the command, so a confined one is not asked about, and plan mode lets it run. Rules that deny hold, and
//! a command that cannot be confined is asked about.

use serde_json::json;

use super::by_example::Example;
use super::round::{Asking, Round};
use super::triage::{Triage, triage};
use super::turn::Step;
use super::{Event, Phase, Session};
use crate::message::{CallId, ToolCall};
use crate::mode::Mode;
use crate::tool::Subjects;

/// The tool that runs commands.
const TOOL: &str = "bash";

/// What the model reads behind a command of the user's.
pub(super) const ASKS_NOTHING: &str = "\n(The user ran this command. It asks nothing of you.)";

impl Session {
    /// Runs a command line of the user's.
    pub(super) fn run_command(&mut self, line: &str) {
        let line = line.trim();
        if line.is_empty() {
            return self.outbox.misused("the command is empty");
        }
        if self.turn.is_some() || self.is_held() {
            return self
                .outbox
                .misused("the command was not run: something else runs");
        }
        if self.config.tools.reach(TOOL).is_none() {
            return self
                .outbox
                .misused("the command was not run: this conversation has no tool for it");
        }
        self.open_turn(Example::None);
        let text = format!("!{line}");
        self.outbox.emit(Event::User { text: text.clone() });
        let prompt = format!("{text}{ASKS_NOTHING}");
        let call = self.ledger.append_command(
            prompt,
            ToolCall {
                id: CallId("user_command".to_owned()),
                name: TOOL.to_owned(),
                arguments: json!({ "command": line }).to_string(),
            },
        );
        match call {
            Some(call) => self.begin_command(call),
            None => self.end(super::TurnEnd::Failed),
        }
    }

    fn begin_command(&mut self, call: ToolCall) {
        self.outbox.emit(Event::CallStarted {
            call: call.id.clone(),
            tool: call.name.clone(),
        });
        self.enter(Phase::Working);
        let mut round = Round::default();
        let refusal = match triage(&self.config.tools, Phase::Asking, Mode::Step, &call) {
            Triage::Run(prepared) => {
                let is_confined = matches!(prepared.subjects(), Subjects::Confined(_));
                match self.consent_for(&prepared) {
                    Ok(Asking::Needed) if is_confined => {
                        round.add(prepared, Asking::Granted);
                        None
                    }
                    Ok(consent) => {
                        round.add(prepared, consent);
                        None
                    }
                    Err(output) => Some(output),
                }
            }
            Triage::Answer(output) | Triage::Unreadable(output) => Some(output),
        };
        if let Some(turn) = &mut self.turn {
            turn.step = Step::Round(round);
            turn.is_command = true;
        }
        if let Some(output) = refusal {
            self.ledger
                .answer_call((&call.id, &call.name), output, None, &mut self.outbox);
        }
        self.go_on();
    }
}
