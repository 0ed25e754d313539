//! What a driver is made of, one part after the other.
//!
//! In: a conversation with the usual parts. Out: the same with others.

use std::sync::Arc;
use std::time::Duration;

#[cfg(target_os = "linux")]
use signoff_sandbox::shadow::Setup;
use signoff_sandbox::waiting_commits::WaitingCommits;

use super::Driver;
use crate::commit::CommitSettings;
#[cfg(target_os = "linux")]
use crate::commit::HookRunner;
use crate::instructions::Profile;
#[cfg(target_os = "linux")]
use crate::language_servers::LanguageServers;
use crate::memory::Memory;
use crate::permission::Policy;
use crate::session::{Config, ProfileOutfit};
use crate::tool::{Ground, Registry};

impl Driver {
    /// Returns the same with a line that [`Event::Ready`] shows the user.
    #[must_use]
    pub fn with_hint(self, hint: Option<String>) -> Self {
        Self { hint, ..self }
    }

    /// Returns the same with these rules on which calls need the user's permission.
    #[must_use]
    pub fn with_policy(mut self, policy: Policy) -> Self {
        self.config.policy = policy;
        self
    }

    /// Returns the same without anybody to ask for permission.
    #[must_use]
    pub fn unattended(mut self) -> Self {
        self.config.attended = false;
        self
    }

    /// Returns the same on another ground, as one with checks.
    #[must_use]
    pub fn on_ground(self, change: impl FnOnce(Ground) -> Ground) -> Self {
        let ground = change(self.ground);
        Self { ground, ..self }
    }

    /// Returns a builder whose session replays every text of an earlier conversation when it resumes it.
    #[must_use]
    pub fn telling_everything(mut self) -> Self {
        self.config.most_told = usize::MAX;
        self
    }

    /// Returns the same, whose commits have this beside their messages and are noted there while they are made. Who ends programs is known by then.
    #[must_use]
    pub fn with_commits(self, settings: CommitSettings, journal: WaitingCommits) -> Self {
        let supervision = self.ground.supervision();
        self.queries.commit_with(settings, supervision, journal);
        self
    }

    /// Returns the same, where commands run in a shadow made so.
    #[cfg(target_os = "linux")]
    #[must_use]
    pub fn with_shadow(mut self, setup: Setup) -> Self {
        self.config.tools = self.config.tools.with_shadow();
        if let Some(other) = self.config.other.take() {
            let tools = other.tools.clone().with_shadow();
            self.config.other = Some(Box::new(ProfileOutfit { tools, ..*other }));
        }
        self.queries.run_hooks_by(Arc::new(HookRunner {
            setup: setup.clone(),
            supervision: self.ground.supervision(),
        }));
        self.queries.keep_from(setup.clone());
        let ground = self.ground.with_shadow(setup);
        Self { ground, ..self }
    }

    /// Returns the same with language servers; models of the full profile get the tools that ask them.
    #[cfg(target_os = "linux")]
    #[must_use]
    pub fn with_language_servers(mut self, servers: LanguageServers) -> Self {
        if self.config.profile == Profile::Full {
            self.config.tools = self.config.tools.with_language_servers();
        }
        let other = self.config.other.take();
        self.config.other = other.map(|other| match other.profile {
            Profile::Full => {
                let tools = other.tools.clone().with_language_servers();
                Box::new(ProfileOutfit { tools, ..*other })
            }
            Profile::Small => other,
        });
        let ground = self.ground.with_language_servers(servers);
        Self { ground, ..self }
    }

    /// Returns the same, which reports a server that has been silent for this time.
    #[must_use]
    pub fn with_silence(self, silence: Duration) -> Self {
        Self { silence, ..self }
    }

    /// Returns the same with these tools.
    #[must_use]
    pub fn with_tools(mut self, tools: Registry) -> Self {
        self.config.tools = tools;
        self
    }

    /// Returns the same with these instructions and limits; tools, rules and attendance stay.
    #[must_use]
    pub fn with_config(self, config: Config) -> Self {
        let config = Config {
            tools: self.config.tools,
            policy: self.config.policy,
            attended: self.config.attended,
            ..config
        };
        Self { config, ..self }
    }

    /// Returns the same, written down, and going on from what was said before.
    #[must_use]
    pub fn with_memory(self, memory: Memory) -> Self {
        self.queries.keep_in(memory.archive.clone());
        let memory = Some(memory);
        Self { memory, ..self }
    }
}
