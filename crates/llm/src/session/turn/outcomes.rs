//! What the calls of a turn came to.
//!
//! In: each call with its answer. Out: whether it goes round in a circle, which edits were left undone, and another way of
//! editing where one did not fit twice.

use signoff_core::stage::review::StagedProposals;

use super::super::ledger::Ledger;
use super::super::review::PendingHunks;
use super::super::triage::Refusal;
use super::super::{Event, TurnSummary};
use super::loop_detector::Circle;
use super::{Step, Turn};
use crate::message::ToolCall;
use crate::notice::{FailedCall, Notice, Staged};
use crate::tool::{PreparedCall, Reach, Registry, Setback, ToolOutput};
use crate::tool_spec;

/// What stands for a tool where an edit is in the text of an answer.
const TEXT: &str = "the text";

impl Turn {
    /// Returns the files that it staged something for.
    pub(in crate::session) fn staged_files(&self) -> impl Iterator<Item = &String> {
        self.staged_files.iter()
    }

    /// Takes note of what a call came to, and returns its answer with what the model should know of that. A call that the
    /// user has stopped counts for nothing.
    pub(in crate::session) fn take_result(
        &mut self,
        running: &PreparedCall,
        mut output: ToolOutput,
        tools: &Registry,
        ledger: &mut Ledger,
    ) -> ToolOutput {
        let rewritten = &output.deeds.rewritten;
        self.staged_hunks.retain(|hunk| !rewritten.contains(hunk));
        if let Some(only) = self.only.as_mut().filter(|_| !rewritten.is_empty()) {
            // What took their place may be mended.
            only.retain(|hunk| !rewritten.contains(hunk));
            let fresh = output.staged.iter().flat_map(|view| view.pending());
            only.extend(fresh.map(|hunk| hunk.id));
        }
        let call = running.call();
        if self.excused.remove(&call.id) {
            return output;
        }
        let circle = self.compare(call, Some(running.reach()), &output);
        match output.setback.as_deref() {
            Some(Setback::Misfit(path)) => self.misfit(call, path, circle, (tools, ledger)),
            Some(Setback::Syntax(faults)) => ledger.tell(Notice::SyntaxRefused {
                faults: faults.clone(),
            }),
            Some(Setback::Undefined(said)) => self.note_undefined(running, said),
            None => {}
        }
        if circle != Circle::No && (output.ok || circle != Circle::Failing) {
            output.content += "\n(this call gave the same result before)";
        }
        self.note_outcome(call, running.files().to_vec(), &output, tools);
        output
    }

    /// Takes note of a call that is answered without being run; `is_failed` unless it was not to be made at all.
    pub(in crate::session) fn take_refusal(
        &mut self,
        refusal: &Refusal,
        is_failed: bool,
        tools: &Registry,
        ledger: &mut Ledger,
    ) {
        let Refusal {
            call,
            files,
            output,
            is_unreadable,
        } = refusal;
        let circle = self.compare(call, None, output);
        if let Some(path) = files.first().filter(|_| *is_unreadable) {
            self.misfit(call, path, circle, (tools, ledger));
        }
        if is_failed {
            self.note_outcome(call, files.clone(), output, tools);
        }
    }

    /// Compares what a call gave with what it gave before. One that was not run has no reach.
    pub(in crate::session) fn compare(
        &mut self,
        call: &ToolCall,
        reach: Option<Reach>,
        output: &ToolOutput,
    ) -> Circle {
        let circle = self.loop_detector.note(call, reach, output, self.requests);
        if let Step::Round(round) = &mut self.step {
            round.circle(circle, &call.name);
        }
        circle
    }

    /// Notes a call that failed, and an edit that is made up for one of an earlier answer; `paths` are the files that
    /// the call is about.
    fn note_outcome(
        &mut self,
        call: &ToolCall,
        mut paths: Vec<String>,
        output: &ToolOutput,
        tools: &Registry,
    ) {
        // A tool of a server goes by another name.
        let is_unknown = |name: &str| tools.reach(name).is_none() && !name.contains("__");
        let mut stages = tools.reach(&call.name) == Some(Reach::Stage);
        if is_unknown(&call.name) {
            stages = tool_spec::are_of_edit(&call.arguments);
            // However the edit is made up for, whatever this calls the file.
            paths.clear();
        }
        let request = self.requests;
        // A program may have made what an edit was to make.
        if output.ok && (stages || !output.staged.is_empty()) {
            let staged = output.staged.iter();
            paths.extend(
                staged
                    .flat_map(|own| [Some(own.path.clone()), own.to.clone()])
                    .flatten(),
            );
            self.undone.retain(|(edit, failed_in)| {
                let is_made = match &edit.path {
                    Some(path) => paths.contains(path),
                    None => edit.tool == call.name || edit.tool == TEXT || is_unknown(&edit.tool),
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
        if let Step::Round(round) = &mut self.step {
            round.fail(failed(paths.first().cloned()));
        }
        if stages {
            let each: Vec<Option<String>> = if paths.is_empty() {
                vec![None]
            } else {
                paths.into_iter().map(Some).collect()
            };
            for path in each {
                self.undone
                    .retain(|(edit, _)| !(edit.tool == call.name && edit.path == path));
                self.undone.push((failed(path), request));
            }
        }
    }

    /// Notes what an answer only shows beside edits that were made: it is left undone until a later answer edits something.
    pub(in crate::session) fn leave_unread(&mut self, seen: &[String]) {
        let request = self.requests;
        let failed = seen.iter().map(|what| FailedCall {
            tool: TEXT.to_owned(),
            path: None,
            why: format!("{what} was not staged"),
        });
        self.undone.extend(failed.map(|edit| (edit, request)));
    }

    /// Returns what is told at the end of the turn: the edits that were left undone, and what was staged; `tokens` is what
    /// it took.
    pub(in crate::session) fn closing_events(&self, tokens: u64) -> impl Iterator<Item = Event> {
        let left = self.undone.iter().map(|(edit, _)| edit.clone());
        let left_undone = (!self.undone.is_empty()).then(|| Event::LeftUndone {
            staged: self.staged,
            edits: left.collect(),
        });
        let summary = Event::TurnSummary(TurnSummary {
            files: self.staged_files.len(),
            hunks: self.staged_hunks.len(),
            requests: self.requests,
            tokens,
        });
        let summary = (!self.staged_files.is_empty()).then_some(summary);
        left_undone.into_iter().chain(summary)
    }

    /// Returns how many of the turn's proposals have hunks that wait.
    pub(in crate::session) fn waiting_edits(&self, hunks: &PendingHunks) -> u32 {
        let waiting = self.proposals.iter().filter(|id| hunks.waits(**id));
        u32::try_from(waiting.count()).unwrap_or(u32::MAX)
    }

    /// Notes that an edit of a file did not fit, and names another way of editing the second time.
    fn misfit(
        &mut self,
        call: &ToolCall,
        path: &str,
        circle: Circle,
        (tools, ledger): (&Registry, &mut Ledger),
    ) {
        // The very same call again ends the turn, with words of its own.
        if circle == Circle::Failing {
            return;
        }
        let times = self.misfits.entry(path.to_owned()).or_insert(0);
        *times += 1;
        if *times == 2 {
            ledger.tell(Notice::Misfits {
                path: path.to_owned(),
                tool: call.name.clone(),
                by_lines: tools.reach("edit").is_some(),
            });
        }
    }

    /// Notes what a call of the round staged.
    pub(in crate::session) fn stage(&mut self, proposals: &StagedProposals) {
        self.staged |= !proposals.is_empty();
        self.proposals.extend(proposals.iter().map(|view| view.id));
        if let Step::Round(round) = &mut self.step {
            round.stage(proposals.iter().map(Staged::from));
        }
    }

    /// Notes what is shown as staged, for the summary of the turn.
    pub(in crate::session) fn count_staged(&mut self, proposals: &StagedProposals) {
        self.staged_files
            .extend(proposals.iter().map(|own| own.path.clone()));
        let hunks = proposals.iter().flat_map(|own| &own.hunks);
        self.staged_hunks.extend(hunks.map(|hunk| hunk.id));
    }
}
