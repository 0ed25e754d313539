//! Prompts that hooks look at before they are sent.
//!
//! In: commands of the user. Out: the same, a prompt only once the hooks have looked at it, with what they add. Hooks run
//! beside the driver, so that the user can stop them; what the user does meanwhile waits in its order, as far as it begins
//! something.

use std::sync::Arc;

use signoff_core::budget::{Stop, Stopped};
use signoff_core::id::ChangesetId;
use uuid::Uuid;

use super::Shell;
use super::blocking_job::BlockingJob;
use super::trusting::prompt;
use crate::hook::HookEvent;
use crate::message::CallId;
use crate::phase::Phase;
use crate::session::{Command, HookNews, Input};
use crate::surroundings::Surroundings;
use crate::tool::CallScope;

/// A prompt that hooks look at.
#[derive(Debug)]
pub(super) struct JudgedPrompt {
    text: String,
    /// Ends the hooks.
    stop: Stop,
    /// What the user wanted since.
    behind: Vec<Command>,
}

impl Shell {
    /// Has hooks look at a prompt first, if there are hooks that do.
    pub(super) fn judge_first(&mut self, command: Command) -> Vec<Input> {
        let Some(judged) = &mut self.judged else {
            return self.begin_judging(command);
        };
        match command {
            Command::Submit(_) | Command::TypedPaths(_) | Command::Run(_) | Command::Retry => {
                judged.behind.push(command);
                Vec::new()
            }
            Command::Cancel => {
                judged.stop.stop(Stopped::Cancelled);
                match self.session.phase() {
                    Phase::Idle | Phase::AwaitingReview => Vec::new(),
                    Phase::Asking | Phase::Working | Phase::Closing => {
                        vec![Input::Command(Command::Cancel)]
                    }
                }
            }
            command => vec![Input::Command(command)],
        }
    }

    /// Ends the hooks that look at a prompt.
    pub(super) fn stop_judging(&self) {
        if let Some(judged) = &self.judged {
            judged.stop.stop(Stopped::Cancelled);
        }
    }

    fn begin_judging(&mut self, command: Command) -> Vec<Input> {
        let hooks = self.ground.hooks();
        let is_asked =
            hooks.is_some_and(|hooks| !hooks.in_force(HookEvent::UserPromptSubmit).is_empty());
        let text = match command {
            Command::Submit(text) if is_asked => text,
            command => return vec![Input::Command(command)],
        };
        let stop = Stop::default();
        let scope = CallScope {
            call: CallId("prompt".to_owned()),
            changeset: ChangesetId(Uuid::now_v7()),
            stop: stop.clone(),
        };
        let shared = (Arc::clone(&self.ground), Arc::clone(&self.scope));
        let job = BlockingJob::judge(shared, scope, text.clone(), self.wires.inbox.clone());
        drop(tokio::spawn(job.carry_out(self.wires.inbox.clone())));
        self.judged = Some(JudgedPrompt {
            text,
            stop,
            behind: Vec::new(),
        });
        Vec::new()
    }

    /// Sends the prompt that hooks have looked at, or gives it back.
    pub(super) fn take_judgement(
        &mut self,
        judgement: Result<String, Option<String>>,
    ) -> Vec<Input> {
        let Some(JudgedPrompt { text, behind, .. }) = self.judged.take() else {
            return Vec::new();
        };
        let mut inputs = Vec::new();
        match judgement {
            Ok(told) => {
                if !told.is_empty() {
                    let foreign = vec![told];
                    inputs.push(Input::Surroundings(Surroundings {
                        foreign,
                        ..Surroundings::default()
                    }));
                }
                inputs.push(Input::Command(Command::Submit(text)));
            }
            Err(Some(why)) => {
                inputs.push(Input::Hook(HookNews::PromptRefused { text, why }));
            }
            Err(None) => {
                let all = std::iter::once(text).chain(behind.into_iter().filter_map(prompt));
                return vec![Input::Hook(HookNews::PromptsLeft(all.collect()))];
            }
        }
        for command in behind {
            // Each prompt is looked at by itself.
            if self.wires.inbox.send(Input::Command(command)).is_err() {
                tracing::debug!("the conversation is over");
            }
        }
        inputs
    }
}
