//! What a session is made of: tools, instructions, limits, rules.

use std::sync::Arc;
use std::time::Duration;

use super::CheckPolicy;
use crate::agent::{Agent, Agents};
use crate::gate::StopRule;
use crate::instructions::Profile;
use crate::message::AnswerForm;
use crate::mode::{AfterApproval, WriteThrough};
use crate::notice::Limit;
use crate::permission::Policy;
use crate::provider::catalogue::Catalogue;
use crate::provider::retry::Schedule;
use crate::skill::Skills;
use crate::tool::{Registry, ToolSpec};
use crate::usage::UsageTotal;

/// What a session is made of.
#[derive(Clone, Debug)]
pub struct Config {
    /// The tools that the model is told of.
    pub tools: Registry,
    /// What the user can call for by a slash and a name.
    pub skills: Arc<Skills>,
    /// Who can be given tasks.
    pub agents: Arc<Agents>,
    /// The first message of every request.
    pub instructions: String,
    /// How many requests with tools one turn may take.
    pub most_requests: u32,
    /// How many tokens one turn may take; looked at between its requests.
    pub most_tokens: Option<u64>,
    /// What one turn may cost, in millionths of a dollar; only where prices are known.
    pub most_cost: Option<u64>,
    /// When staged edits go before the user.
    pub stop: StopRule,
    /// What is known of models: how much they read, and what that costs.
    pub catalogue: Catalogue,
    /// How long to wait before the model is asked to go on after its answer broke off; twice as
    /// long the second time.
    pub pause: Duration,
    /// True if what is said shall be written down.
    pub remember: bool,
    /// How many texts are told when a conversation is taken up, the newest: a screen has no room for more.
    pub most_told: usize,
    /// Which calls need the user's permission.
    pub policy: Policy,
    /// True if somebody is there to be asked.
    pub attended: bool,
    /// What becomes of diagnostics in staged work.
    pub checks: CheckPolicy,
    /// What a first request about one file asks for, if it is made by example.
    pub by_example: Option<AnswerForm>,
    /// Whether edits are written at once.
    pub write_through: WriteThrough,
    /// The model that makes plans, if it is not that of the conversation.
    pub planner: Option<String>,
    /// What the model does once all is approved, unless the user says otherwise with the verdict.
    pub after_approval: AfterApproval,
}

impl Config {
    /// Returns the usual instructions and limits for these tools.
    pub fn new(tools: Registry) -> Self {
        Self {
            tools,
            skills: Arc::default(),
            agents: Arc::default(),
            instructions: Profile::Full.text().to_owned(),
            most_requests: 40,
            most_tokens: None,
            most_cost: None,
            stop: StopRule::default(),
            catalogue: Catalogue::default(),
            pause: Schedule::default().base,
            remember: false,
            most_told: 40,
            policy: Policy::default(),
            attended: true,
            checks: CheckPolicy::default(),
            by_example: None,
            write_through: WriteThrough::default(),
            planner: None,
            after_approval: AfterApproval::default(),
        }
    }

    /// Returns what a session of an agent is made of: its prompt and those of these tools that it may use. Rules are the
    /// same; edits are reviewed when it is done, and nothing is written down.
    pub(crate) fn of_agent(&self, agent: &Agent) -> Self {
        let listing = self.agents.listing();
        let instructions = self.instructions.replace(&listing, "");
        let (name, prompt) = (agent.name(), agent.prompt());
        Self {
            tools: self.tools.for_agent(agent),
            agents: Arc::default(),
            instructions: format!(
                "{instructions}\n\nYou are the agent {name}. You were given one task, and nobody answers questions: do it, \
                 and end with a short summary of what you found and did.\n{prompt}"
            ),
            most_requests: agent.requests().min(self.most_requests()),
            most_tokens: None,
            most_cost: None,
            stop: StopRule::TurnEnd,
            remember: false,
            checks: CheckPolicy::Off,
            by_example: None,
            write_through: WriteThrough::Off,
            planner: None,
            after_approval: AfterApproval::Stop,
            ..self.clone()
        }
    }

    /// Returns how many requests with tools one turn may take: at least one.
    pub(super) fn most_requests(&self) -> u32 {
        self.most_requests.max(1)
    }

    /// Returns the limit that a turn with so many requests has reached, if it has.
    pub(super) fn limit(&self, requests: u32, spent: UsageTotal) -> Option<Limit> {
        let most = self.most_requests();
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

    /// Returns about how many bytes instructions and tools take in every request.
    pub(super) fn fixed_size(&self) -> usize {
        let tools = self.tools.specs().iter().map(spec_size).sum::<usize>();
        self.instructions.len() + tools
    }
}

/// Returns about how many bytes a tool takes in a request.
fn spec_size(spec: &ToolSpec) -> usize {
    const FRAME: usize = 60;
    FRAME + spec.name.len() + spec.description.len() + spec.parameters.to_string().len()
}
