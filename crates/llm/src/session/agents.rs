//! Agents as the user meets them: who there is, and calls of theirs that need permission.
//!
//! In: questions of several agents, and the user's word. Out: one question at a time, under an id that no call of the
//! conversation has; what the user says goes to the agent that asked.
//!
//! ```text
//! agents call_1 and call_2 both ask      the user is asked about call_1/bash, then about call_2/bash
//! ```

use std::collections::VecDeque;

use serde::Serialize;

use super::outbox::Outbox;
use super::{Config, Effect, Event, Grant};
use crate::agent::{Agent, AgentOwner};
use crate::message::CallId;
use crate::tool::Reach;

/// Whose an agent is, as the user sees it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum NamedOwner {
    /// Part of signoff.
    Signoff,
    /// The user's.
    User,
    /// The workspace's.
    Workspace,
}

/// An agent as the user sees it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct NamedAgent {
    /// Its name, of small letters, digits and hyphens.
    pub name: String,
    /// What it is for, in one line.
    pub description: String,
    /// The model that it asks, if it is not that of the conversation.
    pub model: Option<String>,
    /// Whose it is.
    pub owner: NamedOwner,
    /// The tools that it may use.
    pub tools: Vec<&'static str>,
    /// Whether any of them stages edits.
    pub edits: bool,
    /// Whether any of them runs programs.
    pub runs: bool,
}

impl NamedAgent {
    /// Returns an agent as the user sees it.
    pub(super) fn of(agent: &Agent, config: &Config) -> Self {
        let tools = config.tools_of(agent);
        let reaches = |reach: Reach| tools.tools().iter().any(|tool| tool.spec().reach == reach);
        Self {
            name: agent.name().to_owned(),
            description: agent.description().to_owned(),
            model: agent.model().map(str::to_owned),
            owner: match agent.owner() {
                AgentOwner::BuiltIn => NamedOwner::Signoff,
                AgentOwner::User => NamedOwner::User,
                AgentOwner::Workspace => NamedOwner::Workspace,
            },
            edits: reaches(Reach::Stage),
            runs: reaches(Reach::Execute),
            tools: tools.tools().iter().map(|tool| tool.spec().name).collect(),
        }
    }
}

/// The word in the place of a tool where a question is about a host that a command asks for.
pub const NETWORK: &str = "network";

/// A call of an agent that needs the user's permission, or a host that a command asks for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AgentQuestion {
    /// The call that started the agent, or the command.
    pub delegate: CallId,
    /// The agent's own call, or the host.
    pub call: CallId,
    /// The tool.
    pub tool: String,
    /// What it is used on.
    pub subject: String,
}

/// Questions of agents that the user has not answered, the one that is asked first.
#[derive(Debug, Default)]
pub(super) struct AgentQuestions(VecDeque<AgentQuestion>);

impl AgentQuestion {
    /// Returns the id under which the user is asked.
    fn shown(&self) -> CallId {
        CallId(format!("{}/{}", self.delegate, self.call))
    }
}

impl AgentQuestions {
    /// Takes a question; it is asked once those before it are answered.
    pub(super) fn add(&mut self, question: AgentQuestion, out: &mut Outbox) {
        self.0.push_back(question);
        if self.0.len() == 1 {
            self.ask(out);
        }
    }

    /// Takes the user's word, if it is about the question that is asked. Returns whether it is.
    pub(super) fn answer(&mut self, id: &CallId, grant: &Grant, out: &mut Outbox) -> bool {
        let Some(question) = self.0.pop_front_if(|question| question.shown() == *id) else {
            return false;
        };
        let AgentQuestion { delegate, call, .. } = question;
        out.want(Effect::PermitAgent {
            delegate,
            call,
            grant: grant.clone(),
        });
        self.ask(out);
        true
    }

    /// Drops the questions of an agent that has ended.
    pub(super) fn forget(&mut self, delegate: &CallId, out: &mut Outbox) {
        let asked = self.0.front().map(AgentQuestion::shown);
        self.0.retain(|question| question.delegate != *delegate);
        if self.0.front().map(AgentQuestion::shown) != asked {
            self.ask(out);
        }
    }

    fn ask(&self, out: &mut Outbox) {
        if let Some(question) = self.0.front() {
            out.emit(Event::PermissionAsked {
                call: question.shown(),
                tool: question.tool.clone(),
                subject: question.subject.clone(),
            });
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn question(delegate: &str, call: &str) -> AgentQuestion {
        AgentQuestion {
            delegate: CallId(delegate.to_owned()),
            call: CallId(call.to_owned()),
            tool: "bash".to_owned(),
            subject: "ls".to_owned(),
        }
    }

    /// Returns the calls that the user was asked about.
    fn asked(out: &mut Outbox) -> Vec<String> {
        let events = std::iter::from_fn(|| out.next_event());
        events
            .filter_map(|event| match event {
                Event::PermissionAsked { call, .. } => Some(call.0),
                _ => None,
            })
            .collect()
    }

    #[test]
    fn agents_ask_one_after_the_other_and_each_gets_its_own_answer() {
        let (mut questions, mut out) = (AgentQuestions::default(), Outbox::default());
        questions.add(question("a", "1"), &mut out);
        questions.add(question("b", "1"), &mut out);
        questions.add(question("a", "2"), &mut out);
        questions.add(question("c", "1"), &mut out);
        assert_eq!(asked(&mut out), ["a/1"]);
        assert!(!questions.answer(&id("b/1"), &Grant::Once, &mut out));
        assert!(questions.answer(&id("a/1"), &Grant::Once, &mut out));
        assert_eq!(asked(&mut out), ["b/1"]);
        let expected = Effect::PermitAgent {
            delegate: id("a"),
            call: id("1"),
            grant: Grant::Once,
        };
        assert_eq!(out.next_effect(), Some(expected));
        questions.forget(&id("a"), &mut out);
        assert_eq!(asked(&mut out), [""; 0]);
        questions.forget(&id("b"), &mut out);
        assert_eq!(asked(&mut out), ["c/1"]);
    }

    fn id(text: &str) -> CallId {
        CallId(text.to_owned())
    }
}
