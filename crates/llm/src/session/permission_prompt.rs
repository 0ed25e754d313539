//! Permission prompt: asks the user about calls that need permission.
//!
//! In: a call, and what the user says of it. Out: it runs, or it is answered with a refusal.

use super::round::{Asking, Round};
use super::turn::{Step, Turn};
use super::{Event, Grant, Session};
use crate::message::CallId;
use crate::permission::Consent;
use crate::tool::{PreparedCall, ToolOutput};

/// A reason is cut after this many characters.
const LONGEST_REASON: usize = 500;

impl Session {
    /// Returns whether the user is to be asked about a call, or the answer that it gets instead.
    pub(super) fn consent_for(&self, call: &PreparedCall) -> Result<Asking, ToolOutput> {
        let tool = &call.call().name;
        match self
            .config
            .policy
            .judge(tool, call.reach(), call.subjects())
        {
            Consent::Granted => Ok(Asking::Granted),
            Consent::Needed if self.config.attended => Ok(Asking::Needed),
            Consent::Needed => Err(refused(
                "it needs the user's permission, and this run is not attended",
                "needs permission: allow it by a rule or --allow",
            )),
            Consent::Denied(why) => Err(refused(&why, &why)),
        }
    }

    /// Asks the user about the call that is next, if it needs permission.
    pub(super) fn ask_permission(&mut self) {
        let Some(call) = self.round().and_then(Round::ask) else {
            return;
        };
        self.outbox.emit(Event::PermissionAsked {
            subject: call.subjects().shown(),
            call: call.call().id.clone(),
            tool: call.call().name.clone(),
        });
    }

    /// Takes the user's word on a call.
    pub(super) fn permit(&mut self, id: &CallId, grant: Grant) {
        let asked = self.round().and_then(|round| round.asked().cloned());
        let Some(call) = asked.filter(|call| call.call().id == *id) else {
            return self
                .outbox
                .misused("this call does not wait for permission any more");
        };
        match grant {
            Grant::Once => self.grant(|waiting| waiting.call().id == *id),
            Grant::Always => {
                let (tool, subjects) = (&call.call().name, call.subjects());
                self.config.policy.always(tool, subjects.clone());
                self.grant(|waiting| {
                    let is_same = waiting.call().name == *tool && waiting.subjects() == subjects;
                    waiting.call().id == *id || is_same
                });
            }
            Grant::Refuse { reason } => self.refuse(&call, reason),
        }
    }

    fn grant(&mut self, granted: impl Fn(&PreparedCall) -> bool) {
        if let Some(round) = self.round() {
            round.grant(granted);
        }
        self.go_on();
    }

    fn refuse(&mut self, call: &PreparedCall, reason: Option<String>) {
        if let Some(round) = self.round() {
            round.withdraw(&call.call().id);
        }
        let reason = reason.filter(|reason| !reason.trim().is_empty());
        let said: String = match &reason {
            Some(reason) => reason.trim().chars().take(LONGEST_REASON).collect(),
            None => "no reason was given".to_owned(),
        };
        let why = format!("the user refused it: {said}");
        let output = refused(&why, "refused by you");
        let call = call.call();
        self.compare(call, None, &output);
        self.ledger
            .answer_call((&call.id, &call.name), output, None, &mut self.outbox);
        match reason {
            Some(_) => self.go_on(),
            None => self.cancel(),
        }
    }

    fn round(&mut self) -> Option<&mut Round> {
        round_of(&mut self.turn)
    }
}

fn round_of(turn: &mut Option<Turn>) -> Option<&mut Round> {
    match turn {
        Some(Turn {
            step: Step::Round(round),
            ..
        }) => Some(round),
        _ => None,
    }
}

fn refused(why: &str, summary: &str) -> ToolOutput {
    let content = format!("refused: {why}. It was not run, and nothing was changed.");
    ToolOutput::failed(content, summary)
}
