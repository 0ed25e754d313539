//! Permission rules: which calls run, which need the user's permission, and which never run.
//!
//! In: rules, as data, and what a call is used on. Out: [`Consent`]. Of the rules that match, the
//! last one counts. A workspace's own rules can only make it stricter, and what `never` names is
//! refused whatever the rules say.
//!
//! A command line is allowed only if it is proven to run nothing but commands that rules allow:
//! `plain` reads it by a grammar of its own, `reading` by a bash parser, and both must agree.
//! It is denied if any command in it could match a rule that denies.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use serde::{Deserialize, Serialize};

use crate::tool_spec::{Reach, Subjects};

mod foreign;
mod never;
mod page;
mod paths;
mod pattern;
mod plain;
mod reading;
mod runners;
mod tree;
mod word;

pub use paths::DeniedPaths;
pub use tree::Tree;

use never::{never, never_path};
use pattern::{matches, may_match};
use word::{SimpleCommand, Token, joined, without_options};

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
    /// The tool, `*` standing for anything.
    pub tool: String,
    /// What it is used on, `*` standing for anything: a command for `bash`, a path for others.
    #[serde(default = "anything")]
    pub pattern: String,
    /// What becomes of the call.
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

/// A command line as rules see it.
struct CommandLine {
    /// The commands that it runs, if both readings of it agree.
    plain: Option<Vec<SimpleCommand>>,
    /// The commands that it could run, wrapped ones included.
    possible: Vec<SimpleCommand>,
}

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
        let told = |rule| runners::runs_others(rule).map(|by| (rule, by));
        self.rules.iter().filter_map(told)
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
                    Subjects::Confined(_) => Permission::Allow,
                    _ => usual,
                };
                let always = self.is_always(tool, subjects);
                self.of_command(tool, line, usual, always)
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
            Permission::Deny => Consent::Denied("a rule forbids it".to_owned()),
        }
    }

    /// Allows calls of this tool on exactly this from now on: a command that was allowed without the
    /// network is asked about with it, and the other way round.
    pub fn always(&mut self, tool: &str, subjects: Subjects) {
        self.always.push((tool.to_owned(), subjects));
    }

    fn of_command(&self, tool: &str, line: &str, usual: Permission, always: bool) -> Permission {
        let read = CommandLine::read(line);
        let own = lifted(read.judge(&self.rules, tool).unwrap_or(usual), always);
        // Rules that match nothing leave it to the user's.
        own.max(
            read.judge(&self.narrower, tool)
                .unwrap_or(Permission::Allow),
        )
    }

    fn is_always(&self, tool: &str, subjects: &Subjects) -> bool {
        self.always.iter().any(|(t, s)| t == tool && s == subjects)
    }
}

impl CommandLine {
    fn read(line: &str) -> Self {
        let plain = plain::commands(line);
        let agreed = plain.filter(|plain| reading::simple_commands(line).as_ref() == Some(plain));
        Self {
            plain: agreed,
            possible: reading::all_commands(line),
        }
    }

    /// Returns the strictest action that rules have for a command of the line; `None` if they
    /// say nothing of one and nothing stricter of another.
    fn judge(&self, rules: &[Rule], tool: &str) -> Option<Permission> {
        let own: Vec<&Rule> = rules
            .iter()
            .filter(|rule| matches(&rule.tool, tool))
            .collect();
        let narrowed = self.possible.iter().flat_map(|command| {
            let spellings = without_options(command);
            spellings
                .into_iter()
                .filter_map(|spelling| narrowing(&own, &joined(&spelling)))
        });
        let narrowed = narrowed.max();
        let allowed = match &self.plain {
            Some(commands) => commands.iter().all(|command| {
                let text = quoted(command);
                let last = own.iter().rfind(|rule| matches(&rule.pattern, &text));
                last.is_some_and(|rule| rule.action == Permission::Allow)
            }),
            None => false,
        };
        let everything = own.iter().rfind(|rule| rule.pattern == EVERYTHING);
        let everything = everything.map(|rule| rule.action);
        let granted = allowed.then_some(Permission::Allow);
        match granted.or(everything) {
            None => narrowed,
            Some(action) => Some(narrowed.map_or(action, |narrowed| narrowed.max(action))),
        }
    }
}

/// Returns what becomes of a call that the user may have allowed once and for all; no such word lifts a
/// rule that denies.
fn lifted(own: Permission, always: bool) -> Permission {
    match own {
        Permission::Ask if always => Permission::Allow,
        own => own,
    }
}

/// Returns `ask` or `deny` if the last rule that could match says so. A rule that allows counts
/// only if it matches whatever the unknown parts are.
fn narrowing(rules: &[&Rule], text: &[Token]) -> Option<Permission> {
    let fits = |rule: &&&Rule| match rule.action {
        Permission::Ask | Permission::Deny => may_match(&rule.pattern, text),
        Permission::Allow => matches(&rule.pattern, &certain(text)),
    };
    let last = rules.iter().rfind(fits)?;
    (last.action != Permission::Allow).then_some(last.action)
}

/// Returns a text in which unknown parts are characters that only a star matches.
fn certain(text: &[Token]) -> String {
    let chars = text.iter().flat_map(|token| match token {
        Token::Char(char) => vec![*char],
        Token::Any => vec!['\u{fffe}'; 2],
    });
    chars.collect()
}

/// Returns a plain command as rules that allow see it: with quotes around words that need them.
fn quoted(command: &SimpleCommand) -> String {
    let word = |text: String| {
        let bare = |char: char| char.is_ascii_alphanumeric() || "_-./:=@%+,~^".contains(char);
        if !text.is_empty() && text.chars().all(bare) {
            text
        } else {
            format!("'{text}'")
        }
    };
    let words = command.iter().map(|word_| match word_.known() {
        Some(text) => word(text),
        None => certain(&word_.0),
    });
    words.collect::<Vec<_>>().join(" ")
}

fn anything() -> String {
    "*".to_owned()
}

#[cfg(test)]
mod against_bash;
#[cfg(test)]
mod tests;
