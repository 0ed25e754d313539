//! Hooks: commands of the user's that are asked before a tool runs and told after it, in Claude Code's JSON.
//!
//! In: settings, a call, what a command printed. Out: which commands are asked, what they are given, and what follows from
//! their answers. Pure: `tool/context/hooked` runs the commands.
//!
//! ```text
//! {"hooks": {"PreToolUse": [{"matcher": "Bash", "hooks": [{"type": "command", "command": "./no-rm.sh"}]}]}}
//!
//! bash {"command": "rm -r build"}  ->  stdin {"hook_event_name": "PreToolUse", "tool_name": "Bash",
//!                                             "tool_input": {"command": "rm -r build"}, ...}
//! exit 2, stderr "use make clean"  ->  the call is refused, and the model reads "use make clean"
//! ```
//!
//! A hook only narrows. It denies a call, has the user asked about it, or adds text to the answer; nothing that it says
//! saves a question or a verdict. Hooks that came with the workspace are asked once the user trusts exactly that file.

use std::collections::BTreeSet;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use signoff_core::plural::counted;

mod answer;
mod call_input;
mod matcher;
mod settings;

pub use crate::foreign::TrustQuestion;
pub use answer::{HookAnswer, HookVerdict};
pub(crate) use call_input::{HookScene, HookedResponse, MAX_FILES, prompt_input};
pub use call_input::{HookedCall, ToolNames};
pub use matcher::ToolMatcher;
pub use settings::{HookSettings, MAX_SETTINGS};

/// When a hook is asked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum HookEvent {
    /// Before a call runs, and after the rules and the user have allowed it.
    PreToolUse,
    /// After a call has run.
    PostToolUse,
    /// Before a prompt of the user's is sent.
    UserPromptSubmit,
}

impl HookEvent {
    /// Returns the name in settings and in a hook's input.
    pub fn name(self) -> &'static str {
        match self {
            Self::PreToolUse => "PreToolUse",
            Self::PostToolUse => "PostToolUse",
            Self::UserPromptSubmit => "UserPromptSubmit",
        }
    }

    fn parse(name: &str) -> Option<Self> {
        let all = [Self::PreToolUse, Self::PostToolUse, Self::UserPromptSubmit];
        all.into_iter().find(|event| event.name() == name)
    }
}

/// A command that is asked about calls.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Hook {
    /// When it is asked.
    pub event: HookEvent,
    /// About which tools.
    pub matcher: ToolMatcher,
    /// The command line, for bash.
    pub command: String,
    /// How long it may take.
    pub timeout: Duration,
}

/// What the user thinks of hooks that came with the workspace.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum HookStanding {
    /// Nothing is known: the user is to be asked.
    Undecided,
    /// They are asked about calls.
    Trusted,
    /// They are not.
    Refused,
}

/// Keeps what the user decided; an error says why that could not be written down.
pub type KeepDecision = Box<dyn Fn(bool) -> Result<(), String> + Send + Sync>;

/// Hooks that came with the workspace.
pub struct WorkspaceHooks {
    /// The hooks.
    pub hooks: Vec<Hook>,
    /// What the user thinks of them.
    pub standing: HookStanding,
    /// What the user is asked about them.
    pub question: TrustQuestion,
    /// Keeps what the user decided.
    pub keep: KeepDecision,
}

/// The hooks of a conversation.
pub struct Hooks {
    users: Vec<Hook>,
    workspace: Option<WorkspaceHooks>,
    standing: Mutex<HookStanding>,
    /// What was said to the user.
    said: Mutex<BTreeSet<String>>,
}

impl Hooks {
    /// Returns the hooks of the user and of the workspace; none where there are none.
    pub fn new(users: Vec<Hook>, workspace: Option<WorkspaceHooks>) -> Option<Self> {
        let workspace = workspace.filter(|own| !own.hooks.is_empty());
        if users.is_empty() && workspace.is_none() {
            return None;
        }
        let standing = workspace
            .as_ref()
            .map_or(HookStanding::Refused, |own| own.standing);
        Some(Self {
            users,
            workspace,
            standing: Mutex::new(standing),
            said: Mutex::default(),
        })
    }

    /// Returns the hooks that are asked at an event about a tool of these names, the user's first.
    pub fn asked(&self, event: HookEvent, names: &ToolNames) -> Vec<&Hook> {
        let all = self.in_force(event).into_iter();
        all.filter(|hook| hook.matcher.fits(names)).collect()
    }

    /// Returns the hooks that are asked at an event, the user's first.
    pub fn in_force(&self, event: HookEvent) -> Vec<&Hook> {
        let workspace = match *held(&self.standing) {
            HookStanding::Trusted => self.workspace.as_ref(),
            HookStanding::Undecided | HookStanding::Refused => None,
        };
        let workspace = workspace.into_iter().flat_map(|own| &own.hooks);
        let all = self.users.iter().chain(workspace);
        all.filter(|hook| hook.event == event).collect()
    }

    /// Returns what the user is to be asked about the workspace's hooks, if nothing was decided on them.
    pub fn question(&self) -> Option<&TrustQuestion> {
        let workspace = self.workspace.as_ref()?;
        let standing = *held(&self.standing);
        (standing == HookStanding::Undecided).then_some(&workspace.question)
    }

    /// Takes the user's decision on the workspace's hooks. They are trusted only if that could be written down.
    ///
    /// # Errors
    ///
    /// Says why it could not be.
    pub fn decide(&self, is_trusted: bool) -> Result<(), String> {
        *held(&self.standing) = HookStanding::Refused;
        if let Some(workspace) = &self.workspace {
            (workspace.keep)(is_trusted)?;
            if is_trusted {
                *held(&self.standing) = HookStanding::Trusted;
            }
        }
        Ok(())
    }

    /// Says which hooks there are and whether they run: a line for the user's, and one for those of the workspace.
    pub fn in_words(&self) -> Vec<String> {
        let own = (!self.users.is_empty()).then(|| format!("yours: {}", listed(&self.users)));
        let workspace = self.workspace.as_ref().map(|workspace| {
            let standing = match *held(&self.standing) {
                HookStanding::Trusted => "",
                HookStanding::Refused => ", refused: they do not run",
                HookStanding::Undecided => ", not trusted: they do not run",
            };
            format!("the workspace's: {}{standing}", listed(&workspace.hooks))
        });
        own.into_iter().chain(workspace).collect()
    }

    /// Returns true the first time that this is to be said.
    pub fn is_news(&self, text: &str) -> bool {
        held(&self.said).insert(text.to_owned())
    }

    /// Returns how long all hooks may take that are asked about one file of a call.
    pub fn longest(&self, names: &ToolNames) -> Duration {
        let events = [HookEvent::PreToolUse, HookEvent::PostToolUse];
        let hooks = events.map(|event| self.asked(event, names));
        hooks.iter().flatten().map(|hook| hook.timeout).sum()
    }
}

/// Returns how many hooks there are, and at which events.
pub fn listed(hooks: &[Hook]) -> String {
    let mut events: Vec<&str> = hooks.iter().map(|hook| hook.event.name()).collect();
    events.sort_unstable();
    events.dedup();
    format!("{} ({})", counted(hooks.len(), "hook"), events.join(", "))
}

fn held<T>(value: &Mutex<T>) -> MutexGuard<'_, T> {
    value.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests;
