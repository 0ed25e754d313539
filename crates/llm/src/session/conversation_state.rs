//! The state of a conversation, as its events tell it: the one reducer that front ends, and whoever runs a session for
//! somebody else, read.
//!
//! In: [`Event`]s, in order. Out: who answers and in which mode, what runs, what the model said since it last did something,
//! what was staged, found, spent, left undone, and how the newest turn ended.
//!
//! ```text
//! User "fix it"          said: ""           end: none
//! Text "I look. "        said: "I look. "
//! Call(Started grep)     said: ""
//! Text "Done."           said: "Done."
//! Spent                  spent: 1 request
//! TurnEnded(Done)                           end: Done
//! ```

use std::collections::BTreeSet;

use signoff_checks::check::CheckReport;
use signoff_core::id::ProposalId;

use super::{CallEvent, Event, Fault, Phase, TurnEnd};
use crate::mode::Mode;
use crate::notice::FailedCall;
use crate::provider::About;
use crate::usage::{Fill, UsageTotal};

/// What is known of a conversation from its events.
#[derive(Clone, Debug, Default)]
pub struct ConversationState {
    /// Its id; empty until it is known.
    pub id: String,
    /// Who answers, once the session takes prompts.
    pub about: Option<About>,
    /// Its mode.
    pub mode: Mode,
    /// A line for the user's hooks, and one for those of the workspace, where there are some.
    pub hooks: Vec<String>,
    /// Where it stands.
    pub phase: Phase,
    /// The attempt that is waited for, and the pause before it in milliseconds.
    pub retry: Option<(u32, u64)>,
    /// What the model said since the prompt, or since it last began a call.
    pub said: String,
    /// What was spent.
    pub spent: UsageTotal,
    /// How full the model's memory is, where its size is known.
    pub context: Option<Fill>,
    /// What it staged, whatever became of that.
    pub staged: BTreeSet<ProposalId>,
    /// The newest report on what is staged; none once something was staged after it.
    pub checked: Option<CheckReport>,
    /// Edits that failed in the newest turn and that it did not make otherwise.
    pub undone: Vec<FailedCall>,
    /// What did not work last.
    pub fault: Option<Fault>,
    /// How the newest turn ended; none while one runs.
    pub end: Option<TurnEnd>,
}

impl ConversationState {
    /// Takes an event.
    pub fn apply(&mut self, event: &Event) {
        match event {
            Event::Ready { about, .. } => self.about = Some(about.clone()),
            Event::Session { id, staged, .. } => {
                self.id.clone_from(id);
                self.staged = staged.iter().copied().collect();
            }
            Event::Mode { mode } => self.mode = *mode,
            Event::Hooks { lines } => self.hooks.clone_from(lines),
            Event::Phase { phase } => {
                self.phase = *phase;
                self.retry = None;
                if phase.is_busy() {
                    self.end = None;
                }
            }
            Event::User { .. } => {
                self.said.clear();
                self.undone.clear();
                self.end = None;
            }
            Event::Text { text } => {
                self.said += text;
                self.retry = None;
            }
            Event::Reasoning { .. } => self.retry = None,
            Event::Call(CallEvent::Started { .. }) => self.said.clear(),
            Event::Staged(staged) => {
                self.staged.extend(&staged.new);
                // What was checked is not what is staged now.
                self.checked = None;
            }
            Event::Checked { report } => self.checked = Some(report.clone()),
            Event::Breaking { report } => {
                self.checked = match self.checked.take() {
                    Some(checked) => Some(checked.and(report.clone())),
                    None => Some(report.clone()),
                };
            }
            Event::LeftUndone { edits, .. } => self.undone.clone_from(edits),
            Event::Retrying {
                attempt, wait_ms, ..
            } => self.retry = Some((*attempt, *wait_ms)),
            Event::Spent {
                session, context, ..
            } => {
                self.spent = *session;
                self.context = context.or(self.context);
            }
            Event::Fault(fault) => {
                self.fault = Some(fault.clone());
                self.retry = None;
            }
            Event::TurnEnded { end } => self.end = Some(*end),
            _ => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::message::CallId;

    #[test]
    fn the_last_words_are_those_after_the_last_call() {
        let mut state = ConversationState::default();
        let call = CallEvent::Started {
            call: CallId("c".to_owned()),
            tool: "grep".to_owned(),
        };
        for event in [text("I look. "), call.into(), text("Do"), text("ne.")] {
            state.apply(&event);
        }
        assert_eq!(state.said, "Done.");
        state.apply(&Event::TurnEnded { end: TurnEnd::Done });
        assert_eq!(state.end, Some(TurnEnd::Done));
        let phase = Phase::Asking;
        state.apply(&Event::Phase { phase });
        assert_eq!(state.end, None);
    }

    fn text(text: &str) -> Event {
        Event::Text {
            text: text.to_owned(),
        }
    }
}
