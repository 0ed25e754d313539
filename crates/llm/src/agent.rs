//! Agents: roles with a prompt, tools, a model and limits of their own, which work on one task in a fresh context.
//!
//! An agent is a Markdown file with front matter; the text below it is the prompt:
//!
//! ```text
//! ---
//! name: debug
//! description: Finds the cause of a failure.
//! tools: [read, grep, bash]
//! model: small
//! profile: small
//! requests: 15
//! ---
//! Reproduce the failure first ...
//! ```
//!
//! In: such texts, and whose they are. Out: [`Agents`]: what the first message says of them, and which tools each may use.
//!
//! Agents: roles with a prompt, tools, a model and limits of their own, which work on one task in a fresh context.
//! Pure; `setup/definitions/agents` finds them. `delegate` names one, `driver/agents` runs it.
//!
//! **Invariant:** an agent of the workspace reads only, with the model of the conversation, and stands in for none
//! of the user's or of signoff's own (`Agent::may_use`). No agent starts agents.

use std::collections::BTreeMap;

use signoff_core::quote::{self, one_line};

use crate::front_matter::FrontMatter;
use crate::instructions::{Profile, bounded};
use crate::tool_names;
use crate::tool_spec::{Reach, ToolSpec};

/// Maximum size of an agent's prompt, in bytes: it goes out with every request of the agent.
const MOST_PROMPT: usize = 16 * 1024;

/// Maximum number of agents: a repository that was cloned may define any number.
pub const MOST_AGENTS: usize = 32;

/// Maximum size of a description, which stands in the first message and on the screen, in bytes.
const MOST_DESCRIPTION: usize = 160;

/// Maximum size of all lines together in the first message, in bytes.
const MOST_LISTED: usize = 2 * 1024;

/// Requests of an agent that names no limit: half of a turn's.
const USUAL_REQUESTS: u32 = 20;

/// The agents that are part of signoff.
const BUILT_IN: [(&str, &str); 5] = [
    ("debug", include_str!("agent/built_in/debug.md")),
    ("refactor", include_str!("agent/built_in/refactor.md")),
    ("review", include_str!("agent/built_in/review.md")),
    ("scaffold", include_str!("agent/built_in/scaffold.md")),
    ("test", include_str!("agent/built_in/test.md")),
];

/// Whose an agent is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AgentOwner {
    /// Part of signoff.
    BuiltIn,
    /// The user's, in the home or configuration folder.
    User,
    /// The workspace's, so of whoever wrote what was cloned: it only reads, with the model of the conversation.
    Workspace,
}

/// One agent.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Agent {
    name: String,
    description: String,
    prompt: String,
    place: String,
    owner: AgentOwner,
    /// The tools that it names; all where it names none.
    tools: Option<Vec<String>>,
    model: Option<String>,
    profile: Option<Profile>,
    requests: u32,
}

/// The agents of a conversation, by name.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Agents {
    known: BTreeMap<String, Agent>,
}

impl Agent {
    /// Reads an agent from its file; `place` is where it stands, as shown to the user, `called` the file's name, for an
    /// agent that does not name itself.
    ///
    /// # Errors
    ///
    /// Fails with why it is none, in one line for the user.
    pub fn read(called: &str, text: &str, place: &str, owner: AgentOwner) -> Result<Self, String> {
        let (fields, body) = FrontMatter::of(text)?;
        let name = fields.name(called)?;
        let requests = match fields.text("requests").map(str::parse::<u32>) {
            None => USUAL_REQUESTS,
            Some(Ok(number)) if number > 0 => number,
            Some(_) => return Err("`requests` is not a number above 0".to_owned()),
        };
        let profile = fields.text("profile").map(str::parse::<Profile>);
        let profile = profile.transpose();
        let profile = profile.map_err(|error| format!("`profile`: {error}"))?;
        let prompt = body.trim();
        if prompt.is_empty() {
            return Err("there is no prompt below its front matter".to_owned());
        }
        let tools = fields.words("tools").map(|words| {
            let named = words.iter().map(|word| match tool_names::meant(word) {
                Some(own) => own.to_owned(),
                None => (*word).to_owned(),
            });
            named.collect()
        });
        let model = fields.text("model").filter(|model| *model != "inherit");
        Ok(Self {
            name: name.to_owned(),
            description: one_line(fields.description(prompt), MOST_DESCRIPTION),
            prompt: bounded(prompt, MOST_PROMPT),
            place: place.to_owned(),
            owner,
            tools,
            model: model.map(str::to_owned),
            profile,
            requests,
        })
    }

    /// Returns its name.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Returns what it is for, in one line.
    pub fn description(&self) -> &str {
        &self.description
    }

    /// Returns its prompt.
    pub fn prompt(&self) -> &str {
        &self.prompt
    }

    /// Returns whose it is.
    pub fn owner(&self) -> AgentOwner {
        self.owner
    }

    /// Returns the model that it asks; none for that of the conversation, which one of the workspace always asks.
    pub fn model(&self) -> Option<&str> {
        match self.owner {
            AgentOwner::BuiltIn | AgentOwner::User => self.model.as_deref(),
            AgentOwner::Workspace => None,
        }
    }

    /// Returns how much its model is given to read; none for what fits the model.
    pub fn profile(&self) -> Option<Profile> {
        self.profile
    }

    /// Returns whether it names its tools.
    pub(crate) fn names_tools(&self) -> bool {
        self.tools.is_some()
    }

    /// Returns what is wrong with the names of its tools: it works without those.
    fn faults(&self) -> impl Iterator<Item = String> {
        let named = self.tools.iter().flatten();
        let faults = named.filter_map(|name| tool_names::fault(name));
        faults.map(|fault| format!("the agent in {}: {fault}", quote::name(&self.place)))
    }

    /// Returns how many requests one task of it may take.
    pub fn requests(&self) -> u32 {
        self.requests
    }

    /// Returns whether it may use a tool: none that starts agents, none that it does not name, and none that changes
    /// anything if it is the workspace's.
    pub fn may_use(&self, tool: &ToolSpec) -> bool {
        let is_named = self
            .tools
            .as_ref()
            .is_none_or(|named| named.iter().any(|name| name == tool.name));
        let is_in_reach = match (self.owner, tool.reach) {
            (_, Reach::Delegate) => false,
            (_, Reach::Observe) => true,
            (AgentOwner::BuiltIn | AgentOwner::User, Reach::Stage | Reach::Execute) => true,
            (AgentOwner::Workspace, Reach::Stage | Reach::Execute) => false,
        };
        is_named && is_in_reach
    }
}

impl Agents {
    /// Returns the agents that are part of signoff.
    pub fn built_in() -> impl Iterator<Item = Agent> {
        BUILT_IN.into_iter().filter_map(|(name, text)| {
            // A test reads all of them.
            Agent::read(name, text, "signoff", AgentOwner::BuiltIn).ok()
        })
    }

    /// Takes agents in, and returns a line for the user for each that is left out, and for each tool that there is not. One that is known already stays:
    /// take the user's first and the workspace's last, so that nothing that was cloned stands in for another.
    pub fn take(&mut self, agents: impl IntoIterator<Item = Agent>) -> Vec<String> {
        let mut left_out = Vec::new();
        for agent in agents {
            let is_full = self.known.len() >= MOST_AGENTS;
            let why = match self.known.get(&agent.name) {
                // The user's own stands in for one of signoff's without a word.
                Some(_) if agent.owner == AgentOwner::BuiltIn => continue,
                Some(_) => "there is another of this name",
                None if is_full => "there are too many",
                None => {
                    left_out.extend(agent.faults());
                    self.known.insert(agent.name.clone(), agent);
                    continue;
                }
            };
            let place = quote::name(&agent.place);
            left_out.push(format!("the agent in {place} is passed over: {why}"));
        }
        left_out
    }

    /// Returns all of them, by name.
    pub fn iter(&self) -> impl Iterator<Item = &Agent> {
        self.known.values()
    }

    /// Returns whether there are none.
    pub fn is_empty(&self) -> bool {
        self.known.is_empty()
    }

    /// Returns the agent of a name.
    pub fn find(&self, name: &str) -> Option<&Agent> {
        self.known.get(name)
    }

    /// Returns what the first message says of those that are not built in, whose names say it all; nothing if there are none.
    pub fn listing(&self) -> String {
        let mut text = String::new();
        for agent in self
            .iter()
            .filter(|agent| agent.owner != AgentOwner::BuiltIn)
        {
            let line = format!("- {}: {}\n", agent.name, agent.description);
            if text.len() + line.len() <= MOST_LISTED {
                text += &line;
            }
        }
        if text.is_empty() {
            return text;
        }
        format!(
            "\n\nAgents, for `delegate`: each works on one task in a context of its own.\n{}",
            text.trim_end()
        )
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::json;

    use super::*;
    use crate::front_matter::is_name;

    fn agent(text: &str, owner: AgentOwner) -> Result<Agent, String> {
        Agent::read("file", text, ".agents/agents/file.md", owner)
    }

    fn tool(name: &'static str, reach: Reach) -> ToolSpec {
        ToolSpec {
            name,
            description: "",
            parameters: json!({}),
            reach,
        }
    }

    #[test]
    fn every_agent_of_signoffs_own_is_read() {
        let names: Vec<String> = Agents::built_in().map(|own| own.name).collect();
        assert_eq!(names, BUILT_IN.map(|(name, _)| name));
        for agent in Agents::built_in() {
            assert!(agent.description.len() > 20, "{agent:?}");
        }
    }

    #[test]
    fn a_file_says_what_an_agent_is() {
        let text = "---\nname: fix\ndescription: Fixes.\ntools: Read, Grep\nmodel: small\nrequests: 7\n---\nDo it.";
        let own = agent(text, AgentOwner::User).unwrap();
        assert_eq!(
            (own.name(), own.description(), own.prompt()),
            ("fix", "Fixes.", "Do it.")
        );
        assert_eq!((own.model(), own.requests()), (Some("small"), 7));
        assert!(own.may_use(&tool("read", Reach::Observe)));
        assert!(!own.may_use(&tool("write", Reach::Stage)));
        let text = "---\ntools: [Glob, WebFetch, bsh]\n---\nDo it.";
        let other = agent(text, AgentOwner::User).unwrap();
        assert!(other.may_use(&tool("find", Reach::Observe)));
        assert!(other.may_use(&tool("web_fetch", Reach::Observe)));
        let said = Agents::default().take([other]);
        assert_eq!(
            said,
            ["the agent in .agents/agents/file.md: `bsh` is no tool (did you mean `bash`?)"]
        );
        let plain = agent("Do it.", AgentOwner::User).unwrap();
        assert_eq!((plain.name(), plain.model()), ("file", None));
        assert_eq!(plain.requests(), USUAL_REQUESTS);
        for (text, why) in [
            ("---\nname: ../x\n---\nDo", "is not made of small letters"),
            ("---\nrequests: 0\n---\nDo", "`requests`"),
            ("---\nrequests: many\n---\nDo", "`requests`"),
            ("---\nprofile: huge\n---\nDo", "`profile`"),
            ("---\nname: x\n---\n", "no prompt"),
            ("---\nname: [x\n---\nDo", "no YAML"),
        ] {
            let error = agent(text, AgentOwner::User).unwrap_err();
            assert!(error.contains(why), "{text:?}: {error}");
        }
    }

    #[test]
    fn an_agent_that_was_cloned_only_reads() {
        let greedy = "---\ntools: [read, write, bash, delegate]\nmodel: expensive\n---\nDo";
        for text in [greedy, "Do"] {
            let cloned = agent(text, AgentOwner::Workspace).unwrap();
            assert!(cloned.may_use(&tool("read", Reach::Observe)));
            assert!(!cloned.may_use(&tool("write", Reach::Stage)));
            assert!(!cloned.may_use(&tool("bash", Reach::Execute)));
            assert!(!cloned.may_use(&tool("delegate", Reach::Delegate)));
            assert_eq!(cloned.model(), None);
            let users = agent(text, AgentOwner::User).unwrap();
            assert!(users.may_use(&tool("bash", Reach::Execute)));
            assert!(!users.may_use(&tool("delegate", Reach::Delegate)));
        }
    }

    #[test]
    fn nothing_that_was_cloned_stands_in_for_another() {
        let mut agents = Agents::default();
        let named =
            |name: &str, owner| agent(&format!("---\nname: {name}\n---\nDo"), owner).unwrap();
        assert_eq!(agents.take([named("debug", AgentOwner::User)]), [""; 0]);
        assert_eq!(agents.take(Agents::built_in()), [""; 0]);
        let told =
            agents.take(["debug", "review", "own"].map(|name| named(name, AgentOwner::Workspace)));
        assert_eq!(told.len(), 2, "{told:?}");
        assert_eq!(owner(&agents, "debug"), Some(AgentOwner::User));
        assert_eq!(owner(&agents, "review"), Some(AgentOwner::BuiltIn));
        assert_eq!(owner(&agents, "own"), Some(AgentOwner::Workspace));
        assert!(agents.listing().len() < MOST_LISTED + 100);
        let many = (0..100).map(|n| named(&format!("a{n}"), AgentOwner::Workspace));
        assert!(!agents.take(many).is_empty() && agents.iter().count() == MOST_AGENTS);
        assert!(agents.listing().len() < MOST_LISTED + 100);
    }

    fn owner(agents: &Agents, name: &str) -> Option<AgentOwner> {
        agents.find(name).map(Agent::owner)
    }

    proptest! {
        #[test]
        fn any_text_is_read(text in "(---\n)?[a-z:\\-\\[\\]{}&*>| \n\r\u{1b}ü]{0,200}(---\n)?.{0,50}") {
            if let Ok(agent) = agent(&text, AgentOwner::Workspace) {
                prop_assert!(is_name(agent.name()));
                prop_assert!(!agent.description().contains('\n'));
            }
        }
    }
}
