//! What comes of the calls of an answer.
//!
//! In: results. Out: each call's one answer, what was staged, and when all are answered the
//! next request.

use std::hash::{DefaultHasher, Hash, Hasher};

use signoff_core::id::ProposalId;
use signoff_core::review::ProposalView;

use super::round::{Gave, Outcome};
use super::turn::{Seen, Step, Turn};
use super::{Effect, Event, Phase, Session};
use crate::gate;
use crate::message::{CallId, ToolCall};
use crate::notice::{Limit, Notice, Staged};
use crate::tool::{Reach, ToolOutput};

impl Session {
    /// Takes the result of a call.
    pub(super) fn tool_done(&mut self, call: &CallId, output: ToolOutput, took_ms: Option<u64>) {
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
        let excused = self
            .turn
            .as_mut()
            .is_some_and(|turn| turn.excused.remove(call));
        if !output.ok && !excused {
            self.failed(&running);
            match &output.broken {
                None => self.misfit(&running),
                Some(broken) => self.tell(Notice::SyntaxRefused {
                    faults: broken.faults.clone(),
                }),
            }
        }
        let output = self.compared(&running, output);
        self.answer(call, &running.name, output, took_ms);
        if let Some(turn) = &mut self.turn {
            turn.staged |= !staged.is_empty();
            turn.proposals.extend(staged.iter().map(|view| view.id));
            if let Step::Round(round) = &mut turn.step {
                round.stage(staged.iter().map(Staged::from));
            }
        }
        self.show_staged(staged);
        self.go_on();
    }

    /// Answers a call, in the transcript and on the screen.
    pub(super) fn answer(
        &mut self,
        call: &CallId,
        tool: &str,
        output: ToolOutput,
        took_ms: Option<u64>,
    ) {
        if let Err(misplaced) = self
            .transcript
            .answer_with(call, output.content, !output.ok)
        {
            tracing::error!(%misplaced, "an answer was not taken");
            return;
        }
        self.emit(Event::CallDone {
            call: call.clone(),
            tool: tool.to_owned(),
            ok: output.ok,
            summary: output.summary,
            took_ms,
        });
    }

    /// Notes what a call gave, and tells the model where it gave the same before.
    fn compared(&mut self, call: &ToolCall, mut output: ToolOutput) -> ToolOutput {
        let Some(turn) = &mut self.turn else {
            return output;
        };
        let key = key(call);
        let result = hash(&output.content);
        if let Step::Round(round) = &mut turn.step {
            let tool = call.name.clone();
            round.give(key, Gave { result, tool });
        }
        let before = turn.seen.get(&key).filter(|seen| seen.result == result);
        if output.ok && before.is_some() {
            output.content += "\n(this call gave the same result before)";
        }
        output
    }

    /// Notes that an edit did not fit, and names another way of editing the second time.
    fn misfit(&mut self, call: &ToolCall) {
        if self.tools.reach(&call.name) != Some(Reach::Stage) {
            return;
        }
        let path = crate::compaction::paths(&call.arguments).into_iter().next();
        let (Some(turn), Some(path)) = (&mut self.turn, path) else {
            return;
        };
        // The very same call again ends the turn, with words of its own.
        if turn.failed.contains(&key(call)) {
            return;
        }
        let times = turn.misfits.entry(path.clone()).or_insert(0);
        *times += 1;
        if *times == 2 {
            self.tell(Notice::Misfits {
                path,
                tool: call.name.clone(),
                by_lines: self.tools.reach("edit").is_some(),
            });
        }
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
            let looping = turn.compare(&outcome);
            let requests = turn.requests;
            self.next_request(outcome, looping, requests);
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
                files: output.changed.to_vec(),
            });
        }
        if let Some(steps) = output.plan.clone() {
            self.emit(Event::Plan {
                steps: steps.into_vec(),
            });
        }
    }

    fn next_request(&mut self, outcome: Outcome, looping: Option<String>, requests: u32) {
        let Outcome {
            mut staged, stuck, ..
        } = outcome;
        // What the user decided meanwhile does not wait any more; another notice tells of it.
        staged.retain(|proposal| self.docket.waits(proposal.id));
        let waiting = |id: &&ProposalId| self.docket.waits(**id);
        let ours = self.turn.as_ref().map(|turn| &turn.proposals);
        let edits = ours.into_iter().flatten().filter(waiting).count();
        let edits = u32::try_from(edits).unwrap_or(u32::MAX);
        let phase = gate::after_calls(self.stop, !staged.is_empty(), edits);
        let open = phase == Phase::Asking;
        if !staged.is_empty() {
            self.flush();
            let proposals = staged;
            self.transcript.note(Notice::Staged { proposals, open });
        }
        let stuck = stuck.map(|tool| Limit::SameFailure { tool });
        let looping = looping.map(|tool| Limit::SameResult { tool });
        let limit = stuck.or_else(|| self.limit(requests)).or(looping);
        match limit.filter(|_| open) {
            Some(limit) => self.stop_at(limit),
            None => self.ask(phase),
        }
    }

    /// Returns the limit that the turn has reached, if it has.
    fn limit(&self, requests: u32) -> Option<Limit> {
        let spent = self.ledger.turn();
        let most = self.most_requests;
        if requests >= most {
            return Some(Limit::Requests { most });
        }
        let tokens = self.most_tokens.filter(|most| spent.tokens() >= *most);
        let cost = spent.cost.unwrap_or_default();
        let cost = self.most_cost.filter(|most| cost >= *most);
        tokens
            .map(|most| Limit::Tokens { most })
            .or(cost.map(|most| Limit::Cost { most }))
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

impl Turn {
    /// Takes in what the calls of an answer gave, and returns a tool that gave the same result
    /// too often. Once something was staged, every result may be another.
    fn compare(&mut self, outcome: &Outcome) -> Option<String> {
        const MOST: u32 = 3;
        if !outcome.staged.is_empty() {
            self.seen.clear();
        }
        let mut looping = None;
        for (key, gave) in &outcome.results {
            let seen = self.seen.entry(*key).or_insert(Seen {
                result: gave.result,
                times: 0,
            });
            if seen.result != gave.result {
                seen.times = 0;
                seen.result = gave.result;
            }
            seen.times += 1;
            if seen.times >= MOST {
                looping = Some(gave.tool.clone());
            }
        }
        looping
    }
}

/// Returns what makes two calls the same call.
pub(super) fn key(call: &ToolCall) -> u64 {
    hash(&(&call.name, &call.arguments))
}

fn hash(value: &impl Hash) -> u64 {
    let mut hasher = DefaultHasher::new();
    value.hash(&mut hasher);
    hasher.finish()
}
