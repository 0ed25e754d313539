//! Permission prompt: asks the user about calls that need permission.
//!
//! In: a call, and what the user says of it. Out: it runs, or it is answered with a refusal.

use super::round::{Asking, Round};
use super::turn::{Step, Turn};
use super::{Event, Grant, Session};
use crate::message::{CallId, ToolCall};
use crate::permission::Consent;
use crate::tool::{Reach, Subjects, ToolOutput};

/// A reason is cut after this many characters.
const LONGEST_REASON: usize = 500;

impl Session {
    /// Returns whether the user is to be asked about a call, or the answer that it gets instead.
    pub(super) fn consent_for(
        &self,
        tool: &str,
        reach: Reach,
        subjects: &Subjects,
    ) -> Result<Asking, ToolOutput> {
        match self.policy.judge(tool, reach, subjects) {
            Consent::Granted => Ok(Asking::Granted),
            Consent::Needed if self.attended => Ok(Asking::Needed),
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
        self.emit(Event::PermissionAsked {
            subject: self.tools.subject(&call),
            call: call.id,
            tool: call.name,
        });
    }

    /// Takes the user's word on a call.
    pub(super) fn permit(&mut self, id: &CallId, grant: Grant) {
        let asked = self.round().and_then(|round| round.asked().cloned());
        let Some(call) = asked.filter(|call| call.id == *id) else {
            return self.misused("this call does not wait for permission any more");
        };
        match grant {
            Grant::Once => self.grant(|waiting| waiting.id == *id),
            Grant::Always => {
                let subjects = self.tools.subjects(&call);
                if let Some(subjects) = &subjects {
                    self.policy.always(&call.name, subjects.clone());
                }
                let tools = &self.tools;
                if let Some(round) = round_of(&mut self.turn) {
                    round.grant(|waiting, _| {
                        waiting.id == *id
                            || (waiting.name == call.name && tools.subjects(waiting) == subjects)
                    });
                }
                self.go_on();
            }
            Grant::Refuse { reason } => self.refuse(&call, reason),
        }
    }

    fn grant(&mut self, granted: impl Fn(&ToolCall) -> bool) {
        if let Some(round) = self.round() {
            round.grant(|call, _| granted(call));
        }
        self.go_on();
    }

    fn refuse(&mut self, call: &ToolCall, reason: Option<String>) {
        if let Some(round) = self.round() {
            round.withdraw(&call.id);
        }
        let reason = reason.filter(|reason| !reason.trim().is_empty());
        let said: String = match &reason {
            Some(reason) => reason.trim().chars().take(LONGEST_REASON).collect(),
            None => "no reason was given".to_owned(),
        };
        let why = format!("the user refused it: {said}");
        let output = refused(&why, "refused by you");
        self.compare(call, None, &output);
        self.answer(&call.id, &call.name, output, None);
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
