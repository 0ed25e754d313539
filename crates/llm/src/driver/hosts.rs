//! Questions about hosts: from a command that runs to the user, and back.
//!
//! In: a host that no rule is about. Out: a question of the session, as an agent's is one; the user's word goes to the command
//! that asked, or to the agent.

use std::sync::Arc;

use signoff_sandbox::network::{HostAnswer, Target};

use super::blocking_job::BlockingJob;
use super::{Shell, Wires};
use crate::message::CallId;
use crate::session::{AgentQuestion, Grant, Input, NETWORK};
use crate::tool::{HostQuestion, HostQuestions};

/// Returns what asks the user about hosts, where somebody is there.
pub(super) fn questions(attended: bool, wires: &Wires) -> Option<Arc<HostQuestions>> {
    let inbox = wires.inbox.clone();
    let questions = HostQuestions::new(move |question| {
        let HostQuestion {
            call,
            target,
            asking,
        } = question;
        let asked = Input::AgentAsks(AgentQuestion {
            delegate: call,
            subject: format!("{target}\n(asked for by {asking})"),
            call: CallId(target),
            tool: NETWORK.to_owned(),
        });
        // The command ends with the conversation.
        let _gone = inbox.send(asked);
    });
    attended.then(|| Arc::new(questions))
}

impl Shell {
    /// Passes on what the user says of a host that a command asked for, or of a call of an agent.
    pub(super) fn permit(&self, asking: &CallId, about: CallId, grant: Grant) {
        let questions = self.scope.host_questions();
        let answer = match &grant {
            Grant::Once | Grant::Session | Grant::Always => HostAnswer::Allowed,
            Grant::Refuse { reason } => HostAnswer::Refused {
                reason: reason.clone(),
            },
        };
        if !questions.is_some_and(|questions| questions.answer(asking, &about.0, answer)) {
            return self.agents.permit(asking, about, grant);
        }
        let Ok(target) = Target::parse(&about.0, None) else {
            return;
        };
        match grant {
            Grant::Once | Grant::Refuse { .. } => {}
            Grant::Session => {
                self.ground.hosts().allow(&target);
                let said = format!("{target} is allowed until you quit");
                // The conversation goes on as long as this does.
                let _gone = self.wires.inbox.send(Input::Said(said));
            }
            Grant::Always => {
                self.ground.hosts().allow(&target);
                let job = BlockingJob::write_host_rule(Arc::clone(&self.ground), target);
                drop(tokio::spawn(job.carry_out(self.wires.inbox.clone())));
            }
        }
    }
}
