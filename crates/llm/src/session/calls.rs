//! Handling the results of calls.
//!
//! In: results. Out: each call's one answer, what was staged, and when all are answered the
//! next request.

use signoff_core::id::ProposalId;
use signoff_core::stage::review::ProposalView;

use super::loop_detector::Circle;
use super::round::Outcome;
use super::turn::{Step, Turn};
use super::{Effect, Event, Phase, Session};
use crate::gate;
use crate::message::{CallId, ToolCall};
use crate::notice::{FailedCall, Limit, Notice, Staged};
use crate::tool::{Reach, Setback, ToolOutput};

impl Session {
    /// Takes the result of a call.
    pub(super) fn tool_done(&mut self, call: &CallId, output: ToolOutput, took_ms: Option<u64>) {
        let running = match &mut self.turn {
            Some(Turn {
                step: Step::Round(round),
                ..
            }) => round.end(call, took_ms),
            _ => None,
        };
        let staging = self.staging.remove(call);
        let Some(running) = running else {
            // A call of a cancelled turn; what it staged nevertheless is shown.
            if staging {
                self.show_deeds(call, &output);
                self.pending_hunks.forget(&output.deeds.rewritten);
                self.show_staged(output.staged);
                self.settle();
            }
            return;
        };
        let staged = output.staged.clone();
        self.pending_hunks.forget(&output.deeds.rewritten);
        if let Some(turn) = &mut self.turn {
            turn.staged_hunks
                .retain(|hunk| !output.deeds.rewritten.contains(hunk));
        }
        self.show_deeds(call, &output);
        let excused = self
            .turn
            .as_mut()
            .is_some_and(|turn| turn.excused.remove(call));
        let mut output = output;
        if !excused {
            let call = running.call();
            let circle = self.compare(call, Some(running.reach()), &output);
            match output.setback.as_deref() {
                Some(Setback::Misfit(path)) => self.misfit(call, path, circle),
                Some(Setback::Syntax(faults)) => self.tell(Notice::SyntaxRefused {
                    faults: faults.clone(),
                }),
                Some(Setback::Undefined(said)) => self.note_undefined(&running, said),
                None => {}
            }
            if circle != Circle::No && (output.ok || circle != Circle::Failing) {
                output.content += "\n(this call gave the same result before)";
            }
            self.take_outcome(call, running.files().to_vec(), &output);
        }
        self.answer(call, &running.call().name, output, took_ms);
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
        if let Some(streams) = output.printed {
            self.emit(Event::CallStreams {
                call: call.clone(),
                streams: *streams,
            });
        }
        self.emit(Event::CallDone {
            call: call.clone(),
            tool: tool.to_owned(),
            ok: output.ok,
            summary: output.summary,
            took_ms,
        });
    }

    /// Notes a call that failed, and an edit that is made up for one of an earlier answer; `paths` are the files that
    /// the call is about.
    pub(super) fn take_outcome(
        &mut self,
        call: &ToolCall,
        mut paths: Vec<String>,
        output: &ToolOutput,
    ) {
        let stages = self.tools.reach(&call.name) == Some(Reach::Stage);
        let Some(turn) = &mut self.turn else { return };
        let request = turn.requests;
        if output.ok && stages {
            let staged = output.staged.iter();
            paths.extend(
                staged
                    .flat_map(|own| [Some(own.path.clone()), own.to.clone()])
                    .flatten(),
            );
            turn.undone.retain(|(edit, failed_in)| {
                let is_made = match &edit.path {
                    Some(path) => paths.contains(path),
                    None => edit.tool == call.name,
                };
                *failed_in == request || !is_made
            });
        }
        if output.ok {
            return;
        }
        if let Some(Setback::Misfit(path)) = output.setback.as_deref()
            && !paths.contains(path)
        {
            paths.push(path.clone());
        }
        let failed = |path: Option<String>| FailedCall {
            tool: call.name.clone(),
            path,
            why: output.summary.clone(),
        };
        if let Step::Round(round) = &mut turn.step {
            round.fail(failed(paths.first().cloned()));
        }
        if stages {
            let each: Vec<Option<String>> = if paths.is_empty() {
                vec![None]
            } else {
                paths.into_iter().map(Some).collect()
            };
            for path in each {
                let is_same = |edit: &FailedCall| edit.tool == call.name && edit.path == path;
                turn.undone.retain(|(edit, _)| !is_same(edit));
                turn.undone.push((failed(path), request));
            }
        }
    }

    /// Compares what a call gave with what it gave before. One that was not run has no reach.
    pub(super) fn compare(
        &mut self,
        call: &ToolCall,
        reach: Option<Reach>,
        output: &ToolOutput,
    ) -> Circle {
        let Some(turn) = &mut self.turn else {
            return Circle::No;
        };
        let circle = turn.loop_detector.note(call, reach, output, turn.requests);
        if let Step::Round(round) = &mut turn.step {
            round.circle(circle, &call.name);
        }
        circle
    }

    /// Notes that an edit of a file did not fit, and names another way of editing the second time.
    pub(super) fn misfit(&mut self, call: &ToolCall, path: &str, circle: Circle) {
        let Some(turn) = &mut self.turn else {
            return;
        };
        // The very same call again ends the turn, with words of its own.
        if circle == Circle::Failing {
            return;
        }
        let path = path.to_owned();
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

    /// Takes note that the user has changed files: a call may give something else from now on.
    pub(super) fn begin_anew(&mut self) {
        if let Some(turn) = &mut self.turn {
            turn.loop_detector.forget();
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
            if call.reach() != Reach::Observe {
                self.staging.insert(call.call().id.clone());
            }
            if let Some(input) = call.input().map(str::to_owned) {
                let ToolCall { id, name, .. } = call.call().clone();
                let event = Event::CallInput {
                    call: id,
                    tool: name,
                    input,
                };
                self.events.push_back(event);
            }
            self.effects.push_back(Effect::RunTool { turn: id, call });
        }
        self.ask_permission();
        let Some(turn) = &mut self.turn else { return };
        let Step::Round(round) = &mut turn.step else {
            return;
        };
        if round.is_over() {
            let outcome = std::mem::take(round).close();
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
        if !output.deeds.changed.is_empty() {
            self.emit(Event::Changed {
                call: call.clone(),
                files: output.deeds.changed.clone(),
            });
        }
        if let Some(steps) = output.plan.clone().map(|plan| plan.0) {
            self.going_on.plan(&steps);
            self.emit(Event::Plan { steps });
        }
    }

    fn next_request(&mut self, outcome: Outcome, requests: u32) {
        let Outcome {
            mut staged,
            failed,
            stuck,
            idle,
            timing,
        } = outcome;
        if timing.calls > 1 {
            self.emit(Event::Timed(timing));
        }
        // What the user decided meanwhile does not wait any more; another notice tells of it.
        staged.retain(|proposal| self.pending_hunks.waits(proposal.id));
        let waiting = |id: &&ProposalId| self.pending_hunks.waits(**id);
        let ours = self.turn.as_ref().map(|turn| &turn.proposals);
        let edits = ours.into_iter().flatten().filter(waiting).count();
        let edits = u32::try_from(edits).unwrap_or(u32::MAX);
        let stop = self.modes.now.stop(self.stop);
        let phase = gate::after_calls(stop, !staged.is_empty(), !failed.is_empty(), edits);
        let open = phase == Phase::Asking;
        let unfinished = self.take_unfinished();
        let edited = self.take_edited();
        let is_refused = staged.is_empty();
        if !staged.is_empty() {
            self.flush();
            let proposals = staged;
            self.transcript.note(Notice::Staged {
                proposals,
                open,
                failed,
            });
        }
        if self.turn.as_ref().is_some_and(|turn| turn.is_command) {
            return self.end(self.natural_end());
        }
        let stuck = stuck.map(|tool| Limit::SameFailure { tool });
        let idle = idle.map(|tool| Limit::SameResult { tool });
        let limit = stuck.or_else(|| self.limit(requests)).or(idle);
        let unfinished = unfinished.filter(|_| limit.is_none());
        match limit.filter(|_| open) {
            Some(limit) => self.stop_at(limit),
            None if unfinished.is_some() => self.ask_to_mend(unfinished),
            None => match edited {
                Some(_) if phase == Phase::Closing => self.close(),
                Some(target) if is_refused => {
                    if !self.ask_in_next_form(target) {
                        self.close();
                    }
                }
                _ => self.ask(phase),
            },
        }
    }

    /// Returns the limit that the turn has reached, if it has.
    fn limit(&self, requests: u32) -> Option<Limit> {
        let spent = self.usage.turn();
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
            self.pending_hunks.stage(&proposals);
            if let Some(turn) = &mut self.turn {
                turn.staged_files
                    .extend(proposals.iter().map(|own| own.path.clone()));
                let hunks = proposals.iter().flat_map(|own| &own.hunks);
                turn.staged_hunks.extend(hunks.map(|hunk| hunk.id));
            }
            self.consult(Effect::ReadReview);
            self.emit(Event::Staged { proposals });
        }
    }
}
