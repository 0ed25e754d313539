//! What the calls of a turn came to.
//!
//! In: each call with its answer. Out: whether it goes round in a circle, which edits were left undone, and another way of
//! editing where one did not fit twice.

use signoff_core::id::HunkId;
use signoff_core::review::ProposalView;

use super::loop_detector::Circle;
use super::{Step, Turn};
use crate::message::ToolCall;
use crate::notice::{FailedCall, Notice, Staged};
use crate::tool::{Reach, Setback, ToolOutput};

impl Turn {
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
    /// the call is about, and `stages` tells whether its tool edits.
    pub(in crate::session) fn take_outcome(
        &mut self,
        call: &ToolCall,
        mut paths: Vec<String>,
        output: &ToolOutput,
        stages: bool,
    ) {
        let request = self.requests;
        if output.ok && stages {
            let staged = output.staged.iter();
            paths.extend(
                staged
                    .flat_map(|own| [Some(own.path.clone()), own.to.clone()])
                    .flatten(),
            );
            self.undone.retain(|(edit, failed_in)| {
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
                let is_same = |edit: &FailedCall| edit.tool == call.name && edit.path == path;
                self.undone.retain(|(edit, _)| !is_same(edit));
                self.undone.push((failed(path), request));
            }
        }
    }

    /// Returns the edits that were left undone.
    pub(in crate::session) fn left_undone(&self) -> Vec<FailedCall> {
        self.undone.iter().map(|(edit, _)| edit.clone()).collect()
    }

    /// Notes that an edit of a file did not fit, and returns what names another way of editing the second time;
    /// `by_lines` tells whether there is a tool that edits by line numbers.
    pub(in crate::session) fn misfit(
        &mut self,
        call: &ToolCall,
        path: &str,
        circle: Circle,
        by_lines: bool,
    ) -> Option<Notice> {
        // The very same call again ends the turn, with words of its own.
        if circle == Circle::Failing {
            return None;
        }
        let times = self.misfits.entry(path.to_owned()).or_insert(0);
        *times += 1;
        (*times == 2).then(|| Notice::Misfits {
            path: path.to_owned(),
            tool: call.name.clone(),
            by_lines,
        })
    }

    /// Forgets hunks that are part of later ones now.
    pub(in crate::session) fn forget_rewritten(&mut self, hunks: &[HunkId]) {
        self.staged_hunks.retain(|hunk| !hunks.contains(hunk));
    }

    /// Notes what a call of the round staged.
    pub(in crate::session) fn stage(&mut self, proposals: &[ProposalView]) {
        self.staged |= !proposals.is_empty();
        self.proposals.extend(proposals.iter().map(|view| view.id));
        if let Step::Round(round) = &mut self.step {
            round.stage(proposals.iter().map(Staged::from));
        }
    }

    /// Notes what is shown as staged, for the summary of the turn.
    pub(in crate::session) fn count_staged(&mut self, proposals: &[ProposalView]) {
        self.staged_files
            .extend(proposals.iter().map(|own| own.path.clone()));
        let hunks = proposals.iter().flat_map(|own| &own.hunks);
        self.staged_hunks.extend(hunks.map(|hunk| hunk.id));
    }
}
