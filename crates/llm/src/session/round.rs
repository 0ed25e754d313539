//! The calls of one answer while they are carried out.
//!
//! In: calls with their reach, and the news that one is done. Out: which calls may begin:
//! neighbours that observe together, one that stages only alone, all in the order made.

use std::collections::{BTreeMap, HashMap, VecDeque};

use crate::message::{CallId, ToolCall};
use crate::notice::Staged;
use crate::tool::Reach;

/// The calls of one answer that have no result yet, and what the others came to.
#[derive(Debug, Default)]
pub(super) struct Round {
    waiting: VecDeque<(ToolCall, Reach)>,
    running: BTreeMap<CallId, (ToolCall, Reach)>,
    outcome: Outcome,
}

/// What the calls of one answer came to.
#[derive(Debug, Default)]
pub(super) struct Outcome {
    /// What they staged.
    pub(super) staged: Vec<Staged>,
    /// Those that failed.
    pub(super) failed: Vec<u64>,
    /// A tool that failed as it had failed in an earlier answer.
    pub(super) stuck: Option<String>,
    /// What calls gave, by what makes them the same call.
    pub(super) results: HashMap<u64, Gave>,
}

/// What a call gave.
#[derive(Debug)]
pub(super) struct Gave {
    /// What makes two results the same.
    pub(super) result: u64,
    pub(super) tool: String,
}

/// A call that the user has stopped.
#[derive(Debug)]
pub(super) enum Withdrawn {
    /// It had not begun.
    Waiting(ToolCall),
    /// It changes nothing, so nobody waits for it.
    Looking(ToolCall),
    /// It goes on until it has looked whether it should.
    Staging(CallId),
}

impl Round {
    /// Puts a call behind the others.
    pub(super) fn add(&mut self, call: ToolCall, reach: Reach) {
        self.waiting.push_back((call, reach));
    }

    /// Returns the calls that may begin now; they count as running from here on.
    pub(super) fn begin(&mut self) -> Vec<ToolCall> {
        let mut begun = Vec::new();
        while let Some((call, reach)) = self.waiting.pop_front_if(|(_, reach)| match reach {
            Reach::Stage => self.running.is_empty(),
            Reach::Observe => !self
                .running
                .values()
                .any(|(_, reach)| *reach == Reach::Stage),
        }) {
            begun.push(call.clone());
            self.running.insert(call.id.clone(), (call, reach));
        }
        begun
    }

    /// Takes out a call that the user has stopped, or the newest; one that stages stays in.
    pub(super) fn withdraw(&mut self, wanted: Option<&CallId>) -> Option<Withdrawn> {
        let place = match wanted {
            Some(id) => self.waiting.iter().position(|(call, _)| call.id == *id),
            None => self.waiting.len().checked_sub(1),
        };
        if let Some((call, _)) = place.and_then(|place| self.waiting.remove(place)) {
            return Some(Withdrawn::Waiting(call));
        }
        let id = wanted.or_else(|| self.running.keys().next_back())?.clone();
        match self.running.get(&id)? {
            (_, Reach::Observe) => self.finish(&id).map(Withdrawn::Looking),
            (_, Reach::Stage) => Some(Withdrawn::Staging(id)),
        }
    }

    /// Notes what a call gave.
    pub(super) fn give(&mut self, key: u64, gave: Gave) {
        self.outcome.results.insert(key, gave);
    }

    /// Takes a call out and returns it, if it was running.
    pub(super) fn finish(&mut self, call: &CallId) -> Option<ToolCall> {
        self.running.remove(call).map(|(call, _)| call)
    }

    /// Notes what a call staged.
    pub(super) fn stage(&mut self, staged: impl Iterator<Item = Staged>) {
        self.outcome.staged.extend(staged);
    }

    /// Notes that a call failed, and the tool if it failed before with the same arguments.
    pub(super) fn fail(&mut self, key: u64, again: Option<&String>) {
        self.outcome.failed.push(key);
        self.outcome.stuck = again.cloned().or(self.outcome.stuck.take());
    }

    /// Tells whether every call has its result.
    pub(super) fn is_over(&self) -> bool {
        self.waiting.is_empty() && self.running.is_empty()
    }

    /// Returns the calls that have no result.
    pub(super) fn abandon(self) -> impl Iterator<Item = ToolCall> {
        let running = self.running.into_values();
        running.chain(self.waiting).map(|(call, _)| call)
    }

    /// Returns what the calls came to.
    pub(super) fn close(self) -> Outcome {
        self.outcome
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Runs calls that are named for their reach (`o1`, `s2`) and returns what began after
    /// each end; the oldest running call always ends first.
    fn check(calls: &str, expected: &[&str]) {
        let mut round = Round::default();
        for id in calls.split(' ') {
            let reach = if id.starts_with('s') {
                Reach::Stage
            } else {
                Reach::Observe
            };
            let call = ToolCall {
                id: CallId(id.to_owned()),
                name: String::new(),
                arguments: String::new(),
            };
            round.add(call, reach);
        }
        let mut running: VecDeque<CallId> = VecDeque::new();
        let mut seen = Vec::new();
        loop {
            let begun = round.begin();
            let ids: Vec<_> = begun.iter().map(|call| call.id.0.clone()).collect();
            running.extend(begun.into_iter().map(|call| call.id));
            seen.push(ids.join(" "));
            let Some(id) = running.pop_front() else { break };
            assert!(round.finish(&id).is_some() && round.finish(&id).is_none());
        }
        assert!(round.is_over());
        assert_eq!(seen, expected, "{calls}");
    }

    #[test]
    fn observing_calls_run_together_and_staging_ones_alone() {
        check("o1 o2 o3", &["o1 o2 o3", "", "", ""]);
        check("s1 s2", &["s1", "s2", ""]);
        check(
            "o1 o2 s3 o4 o5 s6",
            &["o1 o2", "", "s3", "o4 o5", "", "s6", ""],
        );
        check("s1 o2", &["s1", "o2", ""]);
    }
}
