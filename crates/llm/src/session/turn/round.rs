//! Round: the calls of one answer while they run.
//!
//! In: calls with their reach, the user's permission where it is needed, and the news that one is
//! done. Out: which calls may begin: neighbours that observe or delegate together, any other only alone, all
//! in the order made; and which call the user has to be asked about first.

use std::collections::{BTreeMap, VecDeque};

use super::super::event::RoundTiming;
use super::loop_detector::Circle;
use crate::message::CallId;
use crate::notice::{FailedCall, Staged};
use crate::tool::{PreparedCall, Reach};

/// The calls of one answer that have no result yet, and what the others came to.
#[derive(Debug, Default)]
pub(in crate::session) struct Round {
    waiting: VecDeque<WaitingCall>,
    running: BTreeMap<CallId, PreparedCall>,
    outcome: RoundOutcome,
    /// How many of the calls that run together have ended, and the longest time of one.
    ended: (usize, u64),
}

/// Maximum number of agents that work at once.
const MOST_AGENTS: usize = 3;

/// A call that has not begun.
#[derive(Debug)]
struct WaitingCall {
    call: PreparedCall,
    consent: Asking,
}

/// Whether a call may begin as far as the user is concerned.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::session) enum Asking {
    /// It may.
    Granted,
    /// The user is to be asked.
    Needed,
    /// The user was asked.
    Asked,
}

/// What the calls of one answer came to.
#[derive(Debug, Default)]
pub(in crate::session) struct RoundOutcome {
    /// What they staged.
    pub(in crate::session) staged: Vec<Staged>,
    /// Those that failed.
    pub(in crate::session) failed: Vec<FailedCall>,
    /// A tool that failed as it had failed in an earlier answer.
    pub(in crate::session) stuck: Option<String>,
    /// A tool that gave the same too often.
    pub(in crate::session) idle: Option<String>,
    /// How long they took.
    pub(in crate::session) timing: RoundTiming,
}

/// A call that the user has stopped.
#[derive(Debug)]
pub(in crate::session) enum Withdrawn {
    /// It had not begun.
    Waiting(PreparedCall),
    /// It changes nothing, so nobody waits for it.
    Looking(PreparedCall),
    /// It goes on until it has looked whether it should.
    Changing(CallId),
}

impl Round {
    /// Puts a call behind the others.
    pub(in crate::session) fn add(&mut self, call: PreparedCall, consent: Asking) {
        self.waiting.push_back(WaitingCall { call, consent });
    }

    /// Returns the calls that may begin now; they count as running from here on.
    pub(in crate::session) fn begin(&mut self) -> Vec<PreparedCall> {
        let mut begun = Vec::new();
        while let Some(next) = self.waiting.pop_front_if(|next| {
            let running = |reach: Reach| {
                self.running
                    .values()
                    .filter(move |own| own.reach() == reach)
            };
            let is_alone = running(Reach::Stage)
                .chain(running(Reach::Execute))
                .next()
                .is_some();
            next.consent == Asking::Granted
                && match next.call.reach() {
                    Reach::Stage | Reach::Execute => self.running.is_empty(),
                    Reach::Observe => !is_alone,
                    Reach::Delegate => !is_alone && running(Reach::Delegate).count() < MOST_AGENTS,
                }
        }) {
            begun.push(next.call.clone());
            self.running.insert(next.call.call().id.clone(), next.call);
        }
        begun
    }

    /// Takes out a call that the user has stopped, or the newest; one that may be changing
    /// something stays in.
    pub(in crate::session) fn stop(&mut self, wanted: Option<&CallId>) -> Option<Withdrawn> {
        let newest = self.waiting.back().map(|next| next.call.call().id.clone());
        let waits = wanted.cloned().or(newest);
        if let Some(call) = waits.and_then(|id| self.withdraw(&id)) {
            return Some(Withdrawn::Waiting(call));
        }
        let id = wanted.or_else(|| self.running.keys().next_back())?.clone();
        match self.running.get(&id)?.reach() {
            Reach::Observe => self.finish(&id).map(Withdrawn::Looking),
            Reach::Stage | Reach::Execute | Reach::Delegate => Some(Withdrawn::Changing(id)),
        }
    }

    /// Puts a call that runs back in front of the others; the user is asked about it first.
    pub(in crate::session) fn hold(&mut self, call: &CallId) {
        if let Some(call) = self.finish(call) {
            let (call, consent) = (call.without_hooks(), Asking::Needed);
            self.waiting.push_front(WaitingCall { call, consent });
        }
    }

    /// Returns the call that the user is to be asked about now: the next one, once nothing runs.
    /// It counts as asked about from here on.
    pub(in crate::session) fn ask(&mut self) -> Option<PreparedCall> {
        let next = self.waiting.front_mut()?;
        if next.consent != Asking::Needed || !self.running.is_empty() {
            return None;
        }
        next.consent = Asking::Asked;
        Some(next.call.clone())
    }

    /// Returns the call that the user was asked about.
    pub(in crate::session) fn asked(&self) -> Option<&PreparedCall> {
        let next = self.waiting.front()?;
        (next.consent == Asking::Asked).then_some(&next.call)
    }

    /// Lets calls begin that have the user's permission.
    pub(in crate::session) fn grant(&mut self, granted: impl Fn(&PreparedCall) -> bool) {
        for next in &mut self.waiting {
            if granted(&next.call) {
                next.consent = Asking::Granted;
            }
        }
    }

    /// Takes a call out that has not begun.
    pub(in crate::session) fn withdraw(&mut self, call: &CallId) -> Option<PreparedCall> {
        let at = self
            .waiting
            .iter()
            .position(|next| next.call.call().id == *call)?;
        self.waiting.remove(at).map(|next| next.call)
    }

    /// Takes a call out and returns it, if it was running.
    pub(in crate::session) fn finish(&mut self, call: &CallId) -> Option<PreparedCall> {
        self.running.remove(call)
    }

    /// Takes a call out as [`Self::finish`] does, with the time that it took.
    pub(in crate::session) fn end(
        &mut self,
        call: &CallId,
        took_ms: Option<u64>,
    ) -> Option<PreparedCall> {
        let call = self.finish(call)?;
        self.ended.0 += 1;
        self.ended.1 = self.ended.1.max(took_ms.unwrap_or_default());
        if self.running.is_empty() {
            let (calls, took_ms) = std::mem::take(&mut self.ended);
            let timing = &mut self.outcome.timing;
            timing.took_ms += took_ms;
            timing.calls += calls;
            timing.parallel += if calls > 1 { calls } else { 0 };
        }
        Some(call)
    }

    /// Notes what a call staged.
    pub(in crate::session) fn stage(&mut self, staged: impl Iterator<Item = Staged>) {
        self.outcome.staged.extend(staged);
    }

    /// Notes that a call failed.
    pub(in crate::session) fn fail(&mut self, call: FailedCall) {
        self.outcome.failed.push(call);
    }

    /// Notes that a tool goes round in a circle.
    pub(in crate::session) fn circle(&mut self, circle: Circle, tool: &str) {
        match circle {
            Circle::No | Circle::Once => {}
            Circle::Failing => self.outcome.stuck = Some(tool.to_owned()),
            Circle::Idle => self.outcome.idle = Some(tool.to_owned()),
        }
    }

    /// Tells whether a call has begun and has no result.
    pub(in crate::session) fn is_running(&self, call: &CallId) -> bool {
        self.running.contains_key(call)
    }

    /// Returns the calls that have begun and have no result.
    pub(in crate::session) fn running(&self) -> impl Iterator<Item = &PreparedCall> {
        self.running.values()
    }

    /// Tells whether every call has its result.
    pub(in crate::session) fn is_over(&self) -> bool {
        self.waiting.is_empty() && self.running.is_empty()
    }

    /// Returns the calls that have no result.
    pub(in crate::session) fn abandon(self) -> impl Iterator<Item = PreparedCall> {
        let running = self.running.into_values();
        running.chain(self.waiting.into_iter().map(|next| next.call))
    }

    /// Returns what the calls came to.
    pub(in crate::session) fn close(self) -> RoundOutcome {
        self.outcome
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tool::testing::prepared;

    /// Returns the reach that a call is named for.
    fn reach(id: &str) -> Reach {
        match id.chars().next() {
            Some('s') => Reach::Stage,
            Some('e') => Reach::Execute,
            Some('d') => Reach::Delegate,
            _ => Reach::Observe,
        }
    }

    /// Runs calls that are named for their reach (`o1`, `s2`) and returns what began after
    /// each end; the oldest running call always ends first.
    fn check(calls: &str, expected: &[&str]) {
        let mut round = Round::default();
        for id in calls.split(' ') {
            round.add(call(id), Asking::Granted);
        }
        let mut running: VecDeque<CallId> = VecDeque::new();
        let mut seen = Vec::new();
        loop {
            let begun = round.begin();
            let ids: Vec<_> = begun.iter().map(|call| call.call().id.0.clone()).collect();
            running.extend(begun.into_iter().map(|call| call.call().id.clone()));
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
        check("d1 d2 o3 d4 d5", &["d1 d2 o3 d4", "d5", "", "", "", ""]);
        check("d1 s2 d3", &["d1", "s2", "d3", ""]);
        check("o1 e2 e3 o4", &["o1", "e2", "e3", "o4", ""]);
    }

    fn call(id: &str) -> PreparedCall {
        prepared(id, reach(id))
    }

    fn id(id: &str) -> CallId {
        CallId(id.to_owned())
    }

    #[test]
    fn a_call_that_needs_permission_holds_up_what_is_behind_it() {
        let mut round = Round::default();
        round.add(call("o1"), Asking::Granted);
        round.add(call("e2"), Asking::Needed);
        round.add(call("o3"), Asking::Granted);
        assert_eq!(round.begin(), [call("o1")]);
        assert_eq!((round.ask(), round.asked()), (None, None));
        round.finish(&id("o1"));
        assert_eq!((round.begin(), round.ask()), (vec![], Some(call("e2"))));
        assert_eq!((round.ask(), round.asked()), (None, Some(&call("e2"))));
        round.grant(|granted| *granted == call("e2"));
        assert_eq!(round.begin(), [call("e2")]);
        round.finish(&id("e2"));
        assert_eq!(round.begin(), [call("o3")]);
    }

    #[test]
    fn a_call_that_is_held_is_asked_about_before_any_other_begins() {
        let mut round = Round::default();
        for id in ["o1", "o2", "s3"] {
            round.add(call(id), Asking::Granted);
        }
        assert_eq!(round.begin().len(), 2);
        round.hold(&id("o2"));
        // Nothing asks while another call runs.
        assert_eq!((round.begin(), round.ask()), (vec![], None));
        round.finish(&id("o1"));
        assert_eq!((round.begin(), round.ask()), (vec![], Some(call("o2"))));
        round.grant(|granted| *granted == call("o2"));
        assert_eq!(round.begin(), [call("o2")]);
        round.hold(&id("gone"));
        round.finish(&id("o2"));
        assert_eq!(round.begin(), [call("s3")]);
    }

    #[test]
    fn a_call_that_was_refused_is_taken_out() {
        let mut round = Round::default();
        round.add(call("e1"), Asking::Needed);
        assert_eq!(round.withdraw(&id("e1")), Some(call("e1")));
        assert_eq!(round.withdraw(&id("e1")), None);
        assert!(round.is_over());
    }

    #[test]
    fn calls_that_ran_together_take_as_long_as_the_longest() {
        let mut round = Round::default();
        for (id, reach) in [
            ("a", Reach::Observe),
            ("b", Reach::Observe),
            ("c", Reach::Stage),
        ] {
            round.add(prepared(id, reach), Asking::Granted);
        }
        assert_eq!(round.begin().len(), 2);
        round.end(&CallId("b".to_owned()), Some(30));
        round.end(&CallId("a".to_owned()), Some(10));
        assert_eq!(round.begin().len(), 1);
        round.end(&CallId("c".to_owned()), Some(5));
        let timing = RoundTiming {
            calls: 3,
            parallel: 2,
            took_ms: 35,
        };
        assert_eq!(round.close().timing, timing);
    }
}
