//! What a session is made of: tools, instructions, limits, rules.

use std::sync::Arc;
use std::time::Duration;

use signoff_core::stage::review::AfterApproval;

use super::{CheckPolicy, CritiquePolicy};
use crate::agent::{Agent, Agents};
use crate::critic::{CRITIC_PROMPT, CRITIC_REQUESTS};
use crate::gate::StopRule;
use crate::instructions::Profile;
use crate::message::AnswerForm;
use crate::mode::WriteThrough;
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
    /// Which profile instructions and tools are of.
    pub profile: Profile,
    /// Those of the other profile, for roles whose model it fits; without them all roles have the same.
    pub other: Option<Box<ProfileOutfit>>,
    /// The model that makes plans, if it is not that of the conversation.
    pub planner: Option<String>,
    /// The profile of whoever makes plans; what fits the model without it.
    pub planner_profile: Option<Profile>,
    /// The review agent.
    pub critic: CriticSetup,
    /// What the model does once all is approved, unless the user says otherwise with the verdict.
    pub after_approval: AfterApproval,
}

/// Instructions and tools of a profile.
#[derive(Clone, Debug)]
pub struct ProfileOutfit {
    /// Which profile.
    pub profile: Profile,
    /// The tools that the model is told of.
    pub tools: Registry,
    /// The first message of every request.
    pub instructions: String,
}

/// How the review agent works.
#[derive(Clone, Debug)]
pub struct CriticSetup {
    /// When it looks at what waits.
    pub policy: CritiquePolicy,
    /// The model that it asks, if it is not that of the conversation.
    pub model: Option<String>,
    /// How much it is given to read; what fits its model without it.
    pub profile: Option<Profile>,
    /// Its first message.
    pub instructions: String,
}

impl Default for CriticSetup {
    fn default() -> Self {
        Self {
            policy: CritiquePolicy::default(),
            model: None,
            profile: None,
            instructions: CRITIC_PROMPT.to_owned(),
        }
    }
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
            profile: Profile::Full,
            other: None,
            planner: None,
            planner_profile: None,
            critic: CriticSetup::default(),
            after_approval: AfterApproval::default(),
        }
    }

    /// Returns what a session of an agent is made of: its prompt and those of these tools that it may use. Rules are the
    /// same; edits are reviewed when it is done, and nothing is written down.
    pub(crate) fn of_agent(&self, agent: &Agent) -> Self {
        let listing = self.agents.listing();
        let profile = self.profile_of(agent);
        let instructions = self.instructions_of(profile).replace(&listing, "");
        let (name, prompt) = (agent.name(), agent.prompt());
        Self {
            tools: self.tools_of(agent),
            profile,
            instructions: format!(
                "{instructions}\n\nYou are the agent {name}. You were given one task, and nobody answers questions: do it, \
                 and end with a short summary of what you found and did.\n{prompt}"
            ),
            most_requests: agent.requests().min(self.most_requests()),
            ..self.of_one_task()
        }
    }

    /// Returns what a session of the review agent is made of: tools that read, and one to comment with. Nobody is asked for
    /// permission: what needs it is refused.
    pub(crate) fn of_critic(&self, tools: Registry) -> Self {
        Self {
            tools,
            skills: Arc::default(),
            instructions: self.critic.instructions.clone(),
            most_requests: CRITIC_REQUESTS.min(self.most_requests()),
            attended: false,
            ..self.of_one_task()
        }
    }

    /// Returns what sessions of agents have in common: one task in a fresh context, with the same rules, of which nothing
    /// is written down.
    fn of_one_task(&self) -> Self {
        Self {
            other: None,
            agents: Arc::default(),
            most_tokens: None,
            most_cost: None,
            stop: StopRule::TurnEnd,
            remember: false,
            checks: CheckPolicy::Off,
            by_example: None,
            write_through: WriteThrough::Off,
            planner: None,
            planner_profile: None,
            critic: CriticSetup {
                policy: CritiquePolicy::Off,
                ..self.critic.clone()
            },
            after_approval: AfterApproval::Stop,
            ..self.clone()
        }
    }

    /// Returns the profile that was asked for, or else the one that fits a model; that of the conversation where neither is
    /// named.
    pub(crate) fn fitting(&self, wanted: Option<Profile>, model: Option<&str>) -> Profile {
        wanted
            .or_else(|| model.map(|model| Profile::for_model(&self.catalogue.find(model))))
            .unwrap_or(self.profile)
    }

    /// Returns the tools of a profile; those of the conversation where it has no others.
    pub(crate) fn tools_for(&self, profile: Profile) -> &Registry {
        match &self.other {
            Some(other) if other.profile == profile => &other.tools,
            _ => &self.tools,
        }
    }

    fn instructions_of(&self, profile: Profile) -> &str {
        match &self.other {
            Some(other) if other.profile == profile => &other.instructions,
            _ => &self.instructions,
        }
    }

    fn profile_of(&self, agent: &Agent) -> Profile {
        self.fitting(agent.profile(), agent.model())
    }

    /// Returns the tools that an agent may use: those that it names, else those of its profile.
    pub(super) fn tools_of(&self, agent: &Agent) -> Registry {
        let profile = if agent.names_tools() {
            Profile::Full
        } else {
            self.profile_of(agent)
        };
        self.tools_for(profile).for_agent(agent)
    }

    /// Goes to a profile, if there are instructions and tools of it. Returns whether they are others now.
    pub(super) fn wear(&mut self, profile: Profile) -> bool {
        let Some(other) = self.other.as_mut().filter(|other| other.profile == profile) else {
            return false;
        };
        std::mem::swap(&mut self.profile, &mut other.profile);
        std::mem::swap(&mut self.tools, &mut other.tools);
        std::mem::swap(&mut self.instructions, &mut other.instructions);
        true
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
    // The names and braces of JSON around what a tool says.
    const FRAME: usize = 60;
    FRAME + spec.name.len() + spec.description.len() + spec.parameters.to_string().len()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::agent::AgentOwner;

    /// Returns the tools of an agent of this front matter, in a conversation of the full profile.
    fn of_agent(fields: &str) -> (Profile, Vec<&'static str>, bool) {
        let text = format!("---\nname: a\n{fields}---\nDo it.");
        let agent = Agent::read("a", &text, "there", AgentOwner::User).unwrap();
        let config = Config {
            instructions: "FULL".to_owned(),
            other: Some(Box::new(ProfileOutfit {
                profile: Profile::Small,
                tools: Registry::of_profile(Profile::Small),
                instructions: "SMALL".to_owned(),
            })),
            ..Config::new(Registry::standard())
        };
        let own = config.of_agent(&agent);
        let tools = own.tools.specs().iter().map(|tool| tool.name).collect();
        (own.profile, tools, own.instructions.starts_with("FULL"))
    }

    #[test]
    fn an_agent_has_the_profile_that_it_names_or_that_fits_its_model() {
        for (fields, profile, has_bash) in [
            ("", Profile::Full, true),
            ("model: large\n", Profile::Full, true),
            ("model: qwen:0.5b\n", Profile::Small, false),
            ("profile: small\n", Profile::Small, false),
            ("profile: full\nmodel: qwen:0.5b\n", Profile::Full, true),
            // The tools that it names are its own, whatever its model.
            (
                "profile: small\ntools: [read, bash]\n",
                Profile::Small,
                true,
            ),
        ] {
            let (own, tools, is_full) = of_agent(fields);
            assert_eq!(own, profile, "{fields}");
            assert_eq!(is_full, profile == Profile::Full, "{fields}");
            assert_eq!(tools.contains(&"bash"), has_bash, "{fields}: {tools:?}");
        }
    }
}
