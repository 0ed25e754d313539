//! Which calls need the user's leave.
//!
//! In: rules, as data, and a call. Out: [`Leave`]. Of the rules that match, the last one
//! counts. A workspace's own rules can only make it stricter, and what [`never`] names is
//! refused whatever the rules say.

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::tool::Reach;

mod never;
mod pattern;
mod shell;

use never::{never, never_path};
use pattern::matches;

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
pub enum Leave {
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
    /// Calls that the user has allowed once and for all: tool and subject.
    always: Vec<(String, String)>,
}

/// The tool whose subject is a command line.
const BASH: &str = "bash";
/// Names under which arguments hold paths.
const PATHS: [&str; 5] = ["path", "file", "source", "destination", "to"];
/// How deep arguments are searched for paths.
const DEPTH: usize = 6;

impl Policy {
    /// Returns a policy of the user's rules and those of the workspace, which only narrow.
    pub fn new(rules: Vec<Rule>, narrower: Vec<Rule>) -> Self {
        Self {
            rules,
            narrower,
            always: Vec::new(),
        }
    }

    /// Returns the same with more rules of the user behind those that it has.
    #[must_use]
    pub fn and(mut self, rules: Vec<Rule>) -> Self {
        self.rules.extend(rules);
        self
    }

    /// Returns what becomes of a call, given how far its tool reaches.
    pub fn judge(&self, tool: &str, reach: Reach, arguments: &str) -> Leave {
        let subjects = subjects(tool, arguments);
        if let Some(why) = subjects
            .iter()
            .find_map(|subject| forbidden(tool, reach, subject))
        {
            return Leave::Denied(why.to_owned());
        }
        let usual = match reach {
            Reach::Observe | Reach::Stage => Permission::Allow,
            Reach::Execute => Permission::Ask,
        };
        let strictest = subjects
            .iter()
            .map(|subject| self.permission(tool, subject, usual))
            .max()
            .unwrap_or(usual);
        match strictest {
            Permission::Allow => Leave::Granted,
            Permission::Ask => Leave::Needed,
            Permission::Deny => Leave::Denied("a rule forbids it".to_owned()),
        }
    }

    /// Allows calls of this tool with exactly this subject from now on.
    pub fn always(&mut self, tool: &str, subject: &str) {
        self.always.push((tool.to_owned(), subject.to_owned()));
    }

    fn permission(&self, tool: &str, subject: &str, usual: Permission) -> Permission {
        let known = self.always.iter().any(|(t, s)| t == tool && s == subject);
        let own = match known {
            true => Permission::Allow,
            false => verdict(&self.rules, tool, subject, usual),
        };
        // Rules that match nothing leave it to the user's.
        own.max(verdict(&self.narrower, tool, subject, Permission::Allow))
    }
}

/// Returns what a call is used on, as the user is asked about it.
pub fn subject(tool: &str, arguments: &str) -> String {
    let mut subjects = subjects(tool, arguments);
    subjects.dedup();
    subjects.join(", ")
}

fn subjects(tool: &str, arguments: &str) -> Vec<String> {
    let Ok(arguments) = serde_json::from_str::<Value>(arguments) else {
        return vec![String::new()];
    };
    if tool == BASH {
        let command = arguments.get("command").and_then(Value::as_str);
        return vec![command.unwrap_or_default().to_owned()];
    }
    let mut found = Vec::new();
    paths(&arguments, DEPTH, &mut found);
    match found.is_empty() {
        true => vec![String::new()],
        false => found,
    }
}

fn paths(value: &Value, depth: usize, found: &mut Vec<String>) {
    if depth == 0 {
        return;
    }
    match value {
        Value::Object(fields) => {
            for (name, value) in fields {
                match value {
                    Value::String(text) if PATHS.contains(&name.as_str()) => {
                        found.push(text.clone());
                    }
                    _ => paths(value, depth - 1, found),
                }
            }
        }
        Value::Array(values) => values
            .iter()
            .for_each(|value| paths(value, depth - 1, found)),
        _ => {}
    }
}

fn forbidden(tool: &str, reach: Reach, subject: &str) -> Option<&'static str> {
    match (tool, reach) {
        (BASH, _) => never(subject),
        (_, Reach::Observe) => None,
        (_, Reach::Stage | Reach::Execute) => never_path(subject),
    }
}

/// Returns what rules say of a call: for a command, the strictest word on any part of it.
fn verdict(rules: &[Rule], tool: &str, subject: &str, usual: Permission) -> Permission {
    let last = |subject: &str| {
        let rule = rules
            .iter()
            .rfind(|rule| matches(&rule.tool, tool) && matches(&rule.pattern, subject));
        rule.map(|rule| rule.action)
    };
    if tool != BASH {
        return last(subject).unwrap_or(usual);
    }
    // What quotes hide may still be run, as by `bash -c`: it can be forbidden, not allowed.
    let hidden = shell::fragments(subject)
        .iter()
        .any(|fragment| last(&shell::bare(fragment)) == Some(Permission::Deny));
    if hidden {
        return Permission::Deny;
    }
    let parts = shell::parts(subject);
    let parts = parts.iter().map(|part| last(part).unwrap_or(usual));
    parts.max().unwrap_or(usual)
}

fn anything() -> String {
    "*".to_owned()
}

#[cfg(test)]
mod tests;
