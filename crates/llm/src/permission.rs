//! Permission rules: which calls run, which need the user's permission, and which never run.
//!
//! In: rules, as data, and what a call is used on. Out: [`Consent`]. Of the rules that match, the
//! last one counts. A workspace's own rules can only make it stricter, and what `never` names is
//! refused whatever the rules say.
//!
//! A command line is allowed only if it is plain and all commands in it are allowed. It is denied if a rule denies a command
//! that shows in it. Where one could run that does not show, a rule that denies or asks has people asked, and programs refused.
//!
//! Which calls run, which need the user's permission and which never run, by rules that are data. `command_line`
//! reads a line once: the commands that show in it, and whether it is plain; `runners` says what these run, and
//! whether that is all (`docs/decisions/0051`).
//!
//! **Invariant:** only a plain line is allowed by a rule for a command. Where a rule narrows, a line that could run
//! what does not show is refused to programs and asked of people.
//!
//! **Invariant:** the arguments of a call are read once, into a `PreparedCall` (`tool/prepared`). The rules judge
//! its subjects, the prompt shows them, and the tool runs its typed arguments; nothing can exchange one of these.
//! What does not parse is answered before any rule is asked.
//!
//! **Invariant:** a workspace's own rules only narrow, and no rule lifts what `never` names. What sends work to others, as
//! `git push`, runs on the user's word alone (`outward`), never by a rule.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use serde::de::Error as _;
use serde::{Deserialize, Deserializer, Serialize};

use crate::subjects::Subjects;
use crate::tool_names;
use crate::tool_spec::Reach;

mod command_line;
mod foreign;
mod never;
mod outward;
mod page;
mod paths;
mod pattern;
mod runners;
mod tree;

pub use outward::{Outward, outward, sends_work};
pub use paths::{DeniedPaths, Unreadable};
pub use pattern::matches as fits_pattern;
pub use tree::Tree;

use command_line::{CommandLine, UNKNOWN};
use never::{never, never_path};
use pattern::matches;
use runners::{RunCommands, without_options};

/// Said below a call that sends work to others, of which no permission is kept.
pub const ASKED_EACH_TIME: &str = "(it sends work to others: you are asked each time)";

/// Returns the simple commands that show in a command line, each as its words.
pub(crate) fn simple_commands(line: &str) -> Vec<Vec<String>> {
    CommandLine::read(line).commands
}

/// What a rule says of the calls that it matches; the later is the stricter.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Permission {
    /// They run.
    Allow,
    /// The user is asked.
    Ask,
    /// They do not run.
    Deny,
}

/// A rule.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Rule {
    /// A tool's name; `*` stands for any text.
    #[serde(deserialize_with = "tool_name")]
    pub tool: String,
    /// What it is used on: the command for `bash`, the path for others. `*` stands for any text, `/` included, `?`
    /// for one character; `cargo test *` is also `cargo test`. Without it, anything.
    #[serde(default = "anything")]
    pub pattern: String,
    /// `allow`, `ask` or `deny`.
    pub action: Permission,
}

/// What becomes of a call.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Consent {
    /// It runs.
    Granted,
    /// It runs if the user says so.
    Needed,
    /// It does not run, for this reason.
    Denied(String),
}

/// All rules that hold.
#[derive(Clone, Debug, Default)]
pub struct Policy {
    /// The user's.
    rules: Vec<Rule>,
    /// The workspace's own.
    narrower: Vec<Rule>,
    /// Calls that the user has allowed once and for all: the tool and what it is used on, the network
    /// included.
    always: Vec<(String, Subjects)>,
    /// The workspace's folder, by which absolute paths are known.
    root: PathBuf,
    /// What is in it.
    tree: tree::KnownTree,
}

/// What rules say of a command line.
struct LineVerdict {
    /// Of the commands that show in it; nothing if no rule matches.
    said: Option<Permission>,
    /// What they could say of commands that do not show.
    hidden: Permission,
}

/// Why a call does not run that a rule denies.
const FORBIDDEN: &str = "a rule forbids it";

/// The pattern that matches a command line however it is written.
const EVERYTHING: &str = "*";

impl Policy {
    /// Returns a policy of the user's rules and those of the workspace, which only narrow.
    pub fn new(rules: Vec<Rule>, narrower: Vec<Rule>) -> Self {
        Self {
            rules,
            narrower,
            ..Self::default()
        }
    }

    /// Returns the same with more rules of the user behind those that it has.
    #[must_use]
    pub fn and(mut self, rules: Vec<Rule>) -> Self {
        self.rules.extend(rules);
        self
    }

    /// Returns the same for a workspace in this folder.
    #[must_use]
    pub fn within(self, root: &Path) -> Self {
        let root = root.to_owned();
        Self { root, ..self }
    }

    /// Returns the same with a look at what is in the workspace: rules that deny hold for what a path leads
    /// to then, and for what is in a folder.
    #[must_use]
    pub fn looking_at(self, tree: Arc<dyn Tree>) -> Self {
        let tree = tree::KnownTree(Some(tree));
        Self { tree, ..self }
    }

    /// Returns the user's rules that let programs run any other, each with the option that does.
    pub fn runs_others(&self) -> impl Iterator<Item = (&Rule, &'static str)> {
        self.rules
            .iter()
            .filter_map(|rule| runners::opened_by(rule).map(|by| (rule, by)))
    }

    /// Returns why a confined command line must not run that nobody can be asked about, as that of a check.
    pub fn forbids(&self, tool: &str, line: &str) -> Option<&'static str> {
        if let Some(why) = never(line) {
            return Some(why);
        }
        let verdicts =
            [&self.rules, &self.narrower].map(|rules| LineVerdict::of(line, rules, tool));
        if verdicts.iter().any(|it| it.said == Some(Permission::Deny)) {
            Some(FORBIDDEN)
        } else if verdicts.iter().any(|it| it.hidden == Permission::Deny) {
            Some("it is not plain, and could run a command that a rule forbids")
        } else {
            None
        }
    }

    /// Returns what becomes of a call, given how far its tool reaches.
    pub fn judge(&self, tool: &str, reach: Reach, subjects: &Subjects) -> Consent {
        let usual = match reach {
            Reach::Observe | Reach::Stage | Reach::Delegate => Permission::Allow,
            Reach::Execute => Permission::Ask,
        };
        let strictest = match subjects {
            Subjects::Command(line) | Subjects::Confined(line) | Subjects::Networked(line) => {
                if let Some(why) = never(line) {
                    return Consent::Denied(why.to_owned());
                }
                let usual = match subjects {
                    // Its hosts are judged one by one while it runs.
                    Subjects::Confined(_) | Subjects::Networked(_) => Permission::Allow,
                    _ => usual,
                };
                let is_outward = sends_work(subjects);
                let always = !is_outward && self.is_always(tool, subjects);
                let own = self.of_command(tool, line, usual, always);
                if is_outward {
                    own.max(Permission::Ask)
                } else {
                    own
                }
            }
            Subjects::Paths(paths) => {
                let writes = reach != Reach::Observe;
                let forbidden = paths.iter().filter(|_| writes);
                if let Some(why) = forbidden.into_iter().find_map(|path| never_path(path)) {
                    return Consent::Denied(why.to_owned());
                }
                let always = self.is_always(tool, subjects);
                self.of_paths(tool, reach, paths, always)
            }
            Subjects::Page(address) => self.of_page(tool, address),
            Subjects::Foreign(subject) => {
                self.of_foreign(tool, subject, self.is_always(tool, subjects))
            }
        };
        match strictest {
            Permission::Allow => Consent::Granted,
            Permission::Ask => Consent::Needed,
            Permission::Deny => Consent::Denied(FORBIDDEN.to_owned()),
        }
    }

    /// Allows calls of this tool on exactly this from now on: a command that was allowed without the
    /// network is asked about with it, and the other way round.
    pub fn always(&mut self, tool: &str, subjects: Subjects) {
        self.always.push((tool.to_owned(), subjects));
    }

    fn of_command(&self, tool: &str, line: &str, usual: Permission, always: bool) -> Permission {
        let own = LineVerdict::of(line, &self.rules, tool).for_people(usual);
        // Rules that match nothing leave it to the user's.
        let narrower = LineVerdict::of(line, &self.narrower, tool).for_people(Permission::Allow);
        lifted(own, always).max(narrower)
    }

    fn is_always(&self, tool: &str, subjects: &Subjects) -> bool {
        self.always.iter().any(|(t, s)| t == tool && s == subjects)
    }
}

impl LineVerdict {
    /// Asks the rules for a tool about a line.
    fn of(line: &str, rules: &[Rule], tool: &str) -> Self {
        let rules: Vec<&Rule> = rules
            .iter()
            .filter(|rule| matches(&rule.tool, tool))
            .collect();
        let line = CommandLine::read(line);
        let is_allowed = line.is_plain
            && line
                .commands
                .iter()
                .all(|command| last_fitting(&rules, &quoted(command)) == Some(Permission::Allow));
        let everything = rules.iter().rposition(|rule| rule.pattern == EVERYTHING);
        let usual = everything
            .and_then(|at| rules.get(at))
            .map(|rule| rule.action);
        // What stands before a rule for everything has no say.
        let begin = everything.map_or(0, |at| at + 1);
        let narrowing = rules.get(begin..).unwrap_or_default();
        let run = RunCommands::of(&line);
        let spellings = run
            .shown
            .iter()
            .flat_map(|command| without_options(command));
        let shown = spellings
            .filter_map(|words| last_fitting(narrowing, &words.join(" ")))
            .filter(|action| *action != Permission::Allow);
        let granted = is_allowed.then_some(Permission::Allow).or(usual);
        let strictest = narrowing.iter().map(|rule| rule.action).max();
        Self {
            said: granted.max(shown.max()),
            hidden: match strictest {
                Some(strictest) if !run.is_all => strictest,
                Some(_) | None => Permission::Allow,
            },
        }
    }

    /// Returns what becomes of the line where there is somebody to ask; `usual` if no rule speaks.
    fn for_people(&self, usual: Permission) -> Permission {
        let said = self.said.unwrap_or(usual);
        said.max(self.hidden.min(Permission::Ask))
    }
}

fn last_fitting(rules: &[&Rule], text: &str) -> Option<Permission> {
    let last = rules.iter().rfind(|rule| matches(&rule.pattern, text));
    last.map(|rule| rule.action)
}

/// Returns what becomes of a call that the user may have allowed once and for all; no such word lifts a
/// rule that denies.
fn lifted(own: Permission, always: bool) -> Permission {
    match own {
        Permission::Ask if always => Permission::Allow,
        own => own,
    }
}

/// Returns a plain command as rules that allow see it: with quotes around words that need them.
fn quoted(command: &[String]) -> String {
    let words = command.iter().map(|word| {
        if word.contains(UNKNOWN)
            || !word.is_empty()
                && word
                    .chars()
                    .all(|char| char.is_ascii_alphanumeric() || "_-./:=@%+,~^".contains(char))
        {
            word.clone()
        } else {
            format!("'{word}'")
        }
    });
    words.collect::<Vec<_>>().join(" ")
}

/// Reads the name of a tool, or a pattern of names. A pattern that fits no tool of signoff's may be for those of a server.
fn tool_name<'de, D: Deserializer<'de>>(from: D) -> Result<String, D::Error> {
    let written = String::deserialize(from)?;
    let fits = |pattern: &str| tool_names::all().any(|own| matches(pattern, own));
    let lower = written.to_lowercase();
    let fault = match written.strip_prefix("mcp__") {
        // As other programs name the tools of servers.
        Some("*") => Some("the tools of all servers are `mcp_call` here".to_owned()),
        Some(tool) if tool.contains("__") => Some(format!("`{written}` is `{tool}` here")),
        _ if written.contains("__") || fits(&written) => None,
        _ if written.contains(['*', '?']) => {
            let meant = format!("`{written}` fits no tool (did you mean `{lower}`?)");
            fits(&lower).then_some(meant)
        }
        _ => tool_names::fault(&written),
    };
    fault.map_or(Ok(written), |fault| Err(D::Error::custom(fault)))
}

fn anything() -> String {
    "*".to_owned()
}

#[cfg(test)]
mod against_bash;
#[cfg(test)]
mod tests;
