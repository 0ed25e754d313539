//! Permission prompt: asks the user about calls that need permission.
//!
//! In: a call, and what the user says of it. Out: it runs, or it is answered with a refusal.

use super::super::outbox::Outbox;
use super::super::{Config, Event, Grant};
use super::round::{Asking, Round};
use crate::message::CallId;
use crate::permission::{ASKED_EACH_TIME, Consent, Policy, sends_work};
use crate::tool::{PreparedCall, ToolOutput};

/// A reason is cut after this many characters.
const LONGEST_REASON: usize = 500;

/// What came of the user's word on a call.
#[derive(Debug)]
pub(in crate::session) enum Permitted {
    /// The call does not wait for permission.
    NotAsked,
    /// It may run.
    Granted,
    /// It may not.
    Refused {
        /// The call.
        call: Box<PreparedCall>,
        /// The answer that it gets instead.
        output: ToolOutput,
        /// True if the turn ends with it.
        ends_turn: bool,
    },
}

/// Returns whether the user is to be asked about a call, or the answer that it gets instead.
pub(in crate::session) fn consent_for(
    config: &Config,
    call: &PreparedCall,
) -> Result<Asking, ToolOutput> {
    let tool = &call.call().name;
    match config.policy.judge(tool, call.reach(), call.subjects()) {
        Consent::Granted => Ok(Asking::Granted),
        Consent::Needed if config.attended => Ok(Asking::Needed),
        Consent::Needed if sends_work(call.subjects()) => Err(refused(
            "it sends work to others, which only the user allows, and this run is not attended",
            "sends work to others, which no rule allows: run it yourself",
        )),
        Consent::Needed => Err(refused(
            "it needs the user's permission, and this run is not attended",
            "needs permission: allow it by a rule or --allow",
        )),
        Consent::Denied(why) => Err(refused(&why, &why)),
    }
}

impl Round {
    /// Asks the user about the call that is next, if it needs permission.
    pub(in crate::session) fn ask_permission(&mut self, out: &mut Outbox) {
        let Some(call) = self.ask() else {
            return;
        };
        let mut subject = call.subjects().shown();
        if sends_work(call.subjects()) {
            subject.push('\n');
            subject += ASKED_EACH_TIME;
        }
        out.emit(Event::PermissionAsked {
            subject,
            call: call.call().id.clone(),
            tool: call
                .subjects()
                .tool()
                .unwrap_or(&call.call().name)
                .to_owned(),
        });
    }

    /// Takes the user's word on a call; what is granted for good enters the policy.
    pub(in crate::session) fn permit(
        &mut self,
        id: &CallId,
        grant: Grant,
        policy: &mut Policy,
    ) -> Permitted {
        let asked = self.asked().filter(|call| call.call().id == *id);
        let Some(call) = asked.cloned() else {
            return Permitted::NotAsked;
        };
        match grant {
            Grant::Once => self.grant(|waiting| waiting.call().id == *id),
            Grant::Session | Grant::Always => {
                let (tool, subjects) = (&call.call().name, call.subjects());
                policy.always(tool, subjects.clone());
                self.grant(|waiting| {
                    let is_same = waiting.call().name == *tool && waiting.subjects() == subjects;
                    waiting.call().id == *id || is_same
                });
            }
            Grant::Refuse { reason } => {
                self.withdraw(id);
                return refusal(call, reason);
            }
        }
        Permitted::Granted
    }
}

fn refusal(call: PreparedCall, reason: Option<String>) -> Permitted {
    let reason = reason.filter(|reason| !reason.trim().is_empty());
    let said: String = match &reason {
        Some(reason) => reason.trim().chars().take(LONGEST_REASON).collect(),
        None => "no reason was given".to_owned(),
    };
    let why = format!("the user refused it: {said}");
    Permitted::Refused {
        call: Box::new(call),
        output: refused(&why, "refused by you"),
        ends_turn: reason.is_none(),
    }
}

fn refused(why: &str, summary: &str) -> ToolOutput {
    let content = format!("refused: {why}. It was not run, and nothing was changed.");
    ToolOutput::failed(content, summary)
}
