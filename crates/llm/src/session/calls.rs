//! What comes of the calls of an answer.
//!
//! In: results. Out: each call's one answer, what was staged, and when all are answered the
//! next request.

use std::hash::{DefaultHasher, Hash, Hasher};

use signoff_core::review::ProposalView;

use super::round::Outcome;
use super::turn::{Step, Turn};
use super::{Effect, Event, Phase, Session};
use crate::gate;
use crate::message::{CallId, ToolCall};
use crate::notice::{Limit, Notice, Staged};
use crate::tool::{Reach, ToolOutput};

impl Session {
    /// Takes the result of a call.
    pub(super) fn tool_done(&mut self, call: &CallId, output: ToolOutput) {
        let running = match &mut self.turn {
            Some(Turn {
                step: Step::Round(round),
                ..
            }) => round.finish(call),
            _ => None,
        };
        let staging = self.staging.remove(call);
        let Some(running) = running else {
            // A call of a cancelled turn; what it staged nevertheless is shown.
            if staging {
                self.show_deeds(call, &output);
                self.show_staged(output.staged);
                self.settle();
            }
            return;
        };
        let staged = output.staged.clone();
        self.show_deeds(call, &output);
        if !output.ok {
            self.failed(&running);
        }
        self.answer(call, &running.name, output);
        if let Some(turn) = &mut self.turn {
            turn.staged |= !staged.is_empty();
            if let Step::Round(round) = &mut turn.step {
                round.stage(staged.iter().map(Staged::from));
            }
        }
        self.show_staged(staged);
        self.go_on();
    }

    /// Answers a call, in the transcript and on the screen.
    pub(super) fn answer(&mut self, call: &CallId, tool: &str, output: ToolOutput) {
        if let Err(misplaced) = self.transcript.answer(call, output.content) {
            tracing::error!(%misplaced, "an answer was not taken");
            return;
        }
        self.emit(Event::CallDone {
            call: call.clone(),
            tool: tool.to_owned(),
            ok: output.ok,
            summary: output.summary,
        });
    }

    /// Notes that a call did not do what was asked.
    pub(super) fn failed(&mut self, call: &ToolCall) {
        let Some(turn) = &mut self.turn else { return };
        let key = key(call);
        if let Step::Round(round) = &mut turn.step {
            round.fail(key, turn.failed.contains(&key).then_some(&call.name));
        }
    }

    /// Begins the calls that may begin, or takes the next step if all are answered.
    pub(super) fn go_on(&mut self) {
        let Some(turn) = &mut self.turn else { return };
        let Step::Round(round) = &mut turn.step else {
            return;
        };
        let id = turn.id;
        for call in round.begin() {
            if self.tools.reach(&call.name) != Some(Reach::Observe) {
                self.staging.insert(call.id.clone());
            }
            self.effects.push_back(Effect::RunTool { turn: id, call });
        }
        self.ask_leave();
        let Some(turn) = &mut self.turn else { return };
        let Step::Round(round) = &mut turn.step else {
            return;
        };
        if round.is_over() {
            let outcome = std::mem::take(round).close();
            turn.failed.extend(&outcome.failed);
            let requests = turn.requests;
            self.next_request(outcome, requests);
        }
    }

    /// Shows what a call prints while it runs.
    pub(super) fn tool_printed(&mut self, call: CallId, tail: String, lines: u64) {
        let running = match &self.turn {
            Some(Turn {
                step: Step::Round(round),
                ..
            }) => round.is_running(&call),
            _ => false,
        };
        if running {
            self.emit(Event::CallOutput { call, tail, lines });
        }
    }

    /// Shows what a call did besides answering.
    fn show_deeds(&mut self, call: &CallId, output: &ToolOutput) {
        if !output.changed.is_empty() {
            self.emit(Event::Changed {
                call: call.clone(),
                files: output.changed.clone(),
            });
        }
        if let Some(steps) = output.plan.clone() {
            self.emit(Event::Plan { steps });
        }
    }

    fn next_request(&mut self, outcome: Outcome, requests: u32) {
        let Outcome {
            mut staged, stuck, ..
        } = outcome;
        // What the user decided meanwhile does not wait any more; another notice tells of it.
        staged.retain(|proposal| self.docket.waits(proposal.id));
        let phase = gate::after_calls(!staged.is_empty());
        let most = self.most_requests;
        if phase == Phase::Asking {
            if let Some(tool) = stuck {
                return self.stop_at(Limit::SameFailure { tool });
            }
            if requests >= most {
                return self.stop_at(Limit::Requests { most });
            }
        } else {
            self.flush();
            self.transcript.note(Notice::Staged { proposals: staged });
        }
        self.ask(phase);
    }

    /// Shows what a call staged.
    fn show_staged(&mut self, proposals: Vec<ProposalView>) {
        if !proposals.is_empty() {
            self.docket.stage(&proposals);
            self.consult(Effect::ReadReview);
            self.emit(Event::Staged { proposals });
        }
    }
}

/// Returns what makes two calls the same call.
pub(super) fn key(call: &ToolCall) -> u64 {
    let mut hasher = DefaultHasher::new();
    (&call.name, &call.arguments).hash(&mut hasher);
    hasher.finish()
}
