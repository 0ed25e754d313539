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
//!
//! Hooks in Claude Code's JSON: which commands are asked about a call, what they read, what follows from their
//! answers. Pure; `setup/definitions/hooks` finds them, `tool/context/hooked` runs them in the shadow; `driver/preparing`
//! has them look at a prompt before it is sent.
//!
//! **Invariant:** a hook only narrows: it is asked after rules and the user, and no answer of it allows a call. A
//! workspace's hooks are asked once the user trusts the bytes of their file. `judgement` says what the answers of
//! several come to.

use std::collections::BTreeSet;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use signoff_core::plural::counted;

use crate::trust::{TrustRecord, TrustStanding};

mod answer;
mod call_input;
mod judgement;
mod matcher;
mod settings;

pub use answer::{HookAnswer, HookVerdict};
pub use call_input::HookedCall;
pub(crate) use call_input::{HookScene, MAX_FILES, prompt_input};
pub(crate) use judgement::{HookJudgement, MAX_CONTEXT, named};
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

/// Hooks that came with the workspace.
pub struct WorkspaceHooks {
    /// The hooks.
    pub hooks: Vec<Hook>,
    /// Whether the user trusts them.
    pub trust: TrustRecord,
}

/// The hooks of a conversation.
pub struct Hooks {
    users: Vec<Hook>,
    workspace: Option<WorkspaceHooks>,
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
        Some(Self {
            users,
            workspace,
            said: Mutex::default(),
        })
    }

    /// Returns the hooks that are asked at an event about a tool of these names, the user's first.
    pub fn asked(&self, event: HookEvent, names: &[String]) -> Vec<&Hook> {
        let all = self.in_force(event).into_iter();
        all.filter(|hook| hook.matcher.fits(names)).collect()
    }

    /// Returns the hooks that are asked at an event, the user's first.
    pub fn in_force(&self, event: HookEvent) -> Vec<&Hook> {
        let workspace = self.workspace.iter().filter(|it| it.trust.is_trusted());
        let theirs = workspace.flat_map(|workspace| &workspace.hooks);
        let all = self.users.iter().chain(theirs);
        all.filter(|hook| hook.event == event).collect()
    }

    /// Returns the hooks that came with the workspace, whether or not they run.
    pub fn of_workspace(&self) -> Option<&WorkspaceHooks> {
        self.workspace.as_ref()
    }

    /// Returns what the user thinks of the workspace's hooks, if there are some.
    pub fn trust(&self) -> Option<&TrustRecord> {
        self.workspace.as_ref().map(|workspace| &workspace.trust)
    }

    /// Says which hooks there are and whether they run: a line for the user's, and one for those of the workspace, which are
    /// called so.
    pub fn in_words(&self, workspaces: &str) -> Vec<String> {
        let own = (!self.users.is_empty()).then(|| format!("yours: {}", listed(&self.users)));
        let workspace = self.workspace.iter().map(|it| it.in_words(workspaces));
        own.into_iter().chain(workspace).collect()
    }

    /// Returns true the first time that this is to be said.
    pub fn is_news(&self, text: &str) -> bool {
        let mut said = self.said.lock().unwrap_or_else(PoisonError::into_inner);
        said.insert(text.to_owned())
    }

    /// Returns how long all hooks of a call may take beside it.
    pub(crate) fn time(&self, call: &HookedCall<'_>) -> Duration {
        let events = [HookEvent::PreToolUse, HookEvent::PostToolUse];
        let hooks = events.map(|event| self.asked(event, &call.names()));
        let each = hooks.iter().flatten().map(|hook| hook.timeout);
        let files = u32::try_from(call.files().min(MAX_FILES)).unwrap_or(u32::MAX);
        each.sum::<Duration>().saturating_mul(files)
    }
}

impl WorkspaceHooks {
    /// Says which hooks these are and whether they run, in a line.
    pub fn in_words(&self, name: &str) -> String {
        let standing = match self.trust.standing() {
            TrustStanding::Trusted => "",
            TrustStanding::Refused => ", refused: they do not run",
            TrustStanding::Changed => ", changed since you decided: they do not run",
            TrustStanding::Unknown => ", not trusted: they do not run",
        };
        format!("{name}: {}{standing}", listed(&self.hooks))
    }
}

/// Returns how many hooks there are, and at which events.
fn listed(hooks: &[Hook]) -> String {
    let mut events: Vec<&str> = hooks.iter().map(|hook| hook.event.name()).collect();
    events.sort_unstable();
    events.dedup();
    format!("{} ({})", counted(hooks.len(), "hook"), events.join(", "))
}

#[cfg(test)]
mod tests;
