//! Hook settings: the field `hooks` of Claude Code's settings.
//!
//! In: the text of a settings file. Out: the hooks that can be asked, and a line for the user for each thing that is passed
//! over. Other fields of such a file are of no concern here.

use std::time::Duration;

use serde_json::{Map, Value};
use signoff_core::quote::{self, one_line};

use super::{Hook, HookEvent, ToolMatcher};
use crate::trust::TrustQuestion;

/// Maximum size of a settings file, in bytes.
pub const MAX_SETTINGS: u64 = 256 * 1024;
/// Maximum number of hooks of one file.
const MAX_HOOKS: usize = 32;
/// Maximum number of lines about one file.
const MAX_REMARKS: usize = 8;
/// Time that a hook may take unless its settings say otherwise, and at most.
const USUAL_TIMEOUT: Duration = Duration::from_secs(60);
const MAX_TIMEOUT: Duration = Duration::from_secs(600);
/// Bytes of a name in a line for the user.
const MAX_NAME: usize = 60;

/// The hooks of one settings file.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct HookSettings {
    /// The hooks, in their order.
    pub hooks: Vec<Hook>,
    /// What is passed over, each thing once.
    pub remarks: Vec<String>,
}

impl HookSettings {
    /// Reads a settings file; `file` is its name for the user.
    ///
    /// # Errors
    ///
    /// Says why nothing of it can be read.
    pub fn read(file: &str, text: &str) -> Result<Self, String> {
        let settings: Value =
            serde_json::from_str(text).map_err(|error| format!("{file} is no JSON: {error}"))?;
        let mut read = SettingsReader {
            file,
            settings: Self::default(),
        };
        let is_off = settings.get("disableAllHooks").and_then(Value::as_bool);
        match settings.get("hooks") {
            None => {}
            Some(_) if is_off == Some(true) => {}
            Some(Value::Object(events)) => read.events(events),
            Some(_) => return Err(format!("`hooks` in {file} is no object")),
        }
        Ok(read.settings)
    }

    /// Returns what the user is asked about the hooks.
    pub fn question(&self, file: &str) -> TrustQuestion {
        let lines = self.hooks.iter().map(|hook| {
            let (event, matcher) = (hook.event.name(), hook.matcher.written());
            format!("{event} {matcher}: {}", hook.command)
        });
        let lines: Vec<String> = lines.collect();
        TrustQuestion {
            label: format!("hooks of {file}"),
            text: lines.join("\n"),
        }
    }
}

struct SettingsReader<'a> {
    file: &'a str,
    settings: HookSettings,
}

impl SettingsReader<'_> {
    fn events(&mut self, events: &Map<String, Value>) {
        for (name, groups) in events {
            let Some(event) = HookEvent::parse(name) else {
                self.passed_over(&format!("the event {}", shown(name)));
                continue;
            };
            let Value::Array(groups) = groups else {
                self.passed_over(&format!("{name}, which is no list"));
                continue;
            };
            for group in groups {
                self.group(event, group);
            }
        }
    }

    fn group(&mut self, event: HookEvent, group: &Value) {
        let Value::Object(group) = group else {
            return self.passed_over("an entry that is no object");
        };
        self.name_unknown(group, &["matcher", "hooks"]);
        let written = match group.get("matcher") {
            None => "",
            Some(Value::String(matcher)) => matcher,
            Some(_) => {
                self.remark(
                    "a matcher that is no text, so that its hooks are asked about every tool",
                );
                ""
            }
        };
        let (matcher, is_read) = ToolMatcher::read(written);
        if !is_read {
            let why = "is no list of names, so that its hooks are asked about every tool";
            self.remark(&format!("the matcher {} {why}", shown(written)));
        }
        match group.get("hooks") {
            Some(Value::Array(hooks)) => {
                for hook in hooks {
                    self.hook(event, &matcher, hook);
                }
            }
            Some(_) | None => self.passed_over("an entry without a list of `hooks`"),
        }
    }

    fn hook(&mut self, event: HookEvent, matcher: &ToolMatcher, hook: &Value) {
        let Value::Object(hook) = hook else {
            return self.passed_over("a hook that is no object");
        };
        let kind = hook.get("type").and_then(Value::as_str);
        if kind != Some("command") {
            let kind = shown(kind.unwrap_or("none"));
            return self.passed_over(&format!("a hook of the type {kind}"));
        }
        self.name_unknown(hook, &["type", "command", "timeout"]);
        let command = hook.get("command").and_then(Value::as_str);
        let Some(command) = command.filter(|it| !it.trim().is_empty() && !it.contains('\0')) else {
            return self.passed_over("a hook without a command");
        };
        let timeout = match hook.get("timeout").map(Value::as_f64) {
            None => USUAL_TIMEOUT,
            Some(Some(seconds)) if seconds > MAX_TIMEOUT.as_secs_f64() => {
                let most = MAX_TIMEOUT.as_secs();
                self.remark(&format!("a `timeout` of more than {most} s is {most} s"));
                MAX_TIMEOUT
            }
            Some(Some(seconds)) if seconds > 0.0 => Duration::from_secs_f64(seconds),
            Some(_) => {
                self.passed_over("a `timeout` that is no number of seconds");
                USUAL_TIMEOUT
            }
        };
        if self.settings.hooks.len() == MAX_HOOKS {
            return self.passed_over(&format!("hooks beyond the first {MAX_HOOKS}"));
        }
        self.settings.hooks.push(Hook {
            event,
            matcher: matcher.clone(),
            command: command.to_owned(),
            timeout,
        });
    }

    fn name_unknown(&mut self, fields: &Map<String, Value>, known: &[&str]) {
        for name in fields.keys().filter(|name| !known.contains(&name.as_str())) {
            self.passed_over(&format!("the field {}", shown(name)));
        }
    }

    fn passed_over(&mut self, what: &str) {
        self.remark(&format!("{what} is passed over"));
    }

    fn remark(&mut self, what: &str) {
        let line = format!("hooks of {}: {what}", self.file);
        let remarks = &mut self.settings.remarks;
        if remarks.len() < MAX_REMARKS && !remarks.contains(&line) {
            remarks.push(line);
        }
    }
}

fn shown(name: &str) -> String {
    one_line(&quote::name(name), MAX_NAME)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> (Vec<String>, Vec<String>) {
        let read = HookSettings::read("s.json", text).unwrap();
        let hooks = read.hooks.iter().map(|hook| {
            let (event, matcher) = (hook.event.name(), hook.matcher.written());
            format!("{event} {matcher} {} {:?}", hook.command, hook.timeout)
        });
        (hooks.collect(), read.remarks)
    }

    #[test]
    fn settings_are_read_and_what_is_unknown_is_named_once() {
        let hook = |more: &str| format!(r#"{{"type":"command","command":"x"{more}}}"#);
        let group = |matcher: &str, hook: &str| format!(r#"{{{matcher}"hooks":[{hook}]}}"#);
        let event = |name: &str, groups: &str| format!(r#"{{"hooks":{{"{name}":[{groups}]}}}}"#);
        let pre = |groups: &str| event("PreToolUse", groups);
        let cases: Vec<(String, &[&str], &[&str])> = vec![
            ("{}".to_owned(), &[], &[]),
            (r#"{"permissions":{"allow":["*"]}}"#.to_owned(), &[], &[]),
            (
                pre(&group(r#""matcher":"Edit|Write","#, &hook(""))),
                &["PreToolUse Edit|Write x 60s"],
                &[],
            ),
            (
                event("PostToolUse", &group("", &hook(r#","timeout":1.5"#))),
                &["PostToolUse * x 1.5s"],
                &[],
            ),
            (
                pre(&group("", &hook(r#","timeout":1e9"#))),
                &["PreToolUse * x 600s"],
                &["hooks of s.json: a `timeout` of more than 600 s is 600 s"],
            ),
            (
                pre(&group("", &hook(r#","timeout":"soon","async":true"#))),
                &["PreToolUse * x 60s"],
                &[
                    "hooks of s.json: the field async is passed over",
                    "hooks of s.json: a `timeout` that is no number of seconds is passed over",
                ],
            ),
            (
                pre(&group(r#""matcher":"(?i)x","#, &hook(""))),
                &["PreToolUse (?i)x x 60s"],
                &[
                    "hooks of s.json: the matcher (?i)x is no list of names, so that its hooks are asked about every tool",
                ],
            ),
            (
                event("SessionStart", &group("", &hook(""))),
                &[],
                &["hooks of s.json: the event SessionStart is passed over"],
            ),
            (
                event("a\\u001b[2Jb", ""),
                &[],
                &["hooks of s.json: the event \"a\\u{1b}[2Jb\" is passed over"],
            ),
            (
                pre(&group("", r#"{"type":"http","url":"https://x"}"#)),
                &[],
                &["hooks of s.json: a hook of the type http is passed over"],
            ),
            (
                pre(&group("", r#"{"type":"command","command":" "},7"#)),
                &[],
                &[
                    "hooks of s.json: a hook without a command is passed over",
                    "hooks of s.json: a hook that is no object is passed over",
                ],
            ),
            (
                pre(r#"{},7,{}"#),
                &[],
                &[
                    "hooks of s.json: an entry without a list of `hooks` is passed over",
                    "hooks of s.json: an entry that is no object is passed over",
                ],
            ),
        ];
        for (text, hooks, remarks) in cases {
            let (found, told) = read(&text);
            assert_eq!(found, hooks, "{text}");
            assert_eq!(told, remarks, "{text}");
        }
        let off = pre(&group("", &hook(""))).replacen('{', r#"{"disableAllHooks":true,"#, 1);
        assert_eq!(read(&off).0, [""; 0]);
        for text in ["[", r#"{"hooks":[]}"#] {
            assert!(HookSettings::read("s.json", text).is_err(), "{text}");
        }
    }

    #[test]
    fn a_flood_of_hooks_is_cut() {
        let hooks = vec![r#"{"type":"command","command":"x"}"#; 100].join(",");
        let text = format!(r#"{{"hooks":{{"PreToolUse":[{{"hooks":[{hooks}]}}]}}}}"#);
        let (hooks, remarks) = read(&text);
        assert_eq!((hooks.len(), remarks.len()), (MAX_HOOKS, 1));
    }

    #[test]
    fn a_question_shows_every_command_as_written() {
        let text = r#"{"hooks":{"PreToolUse":[{"matcher":"Bash","hooks":[{"type":"command","command":"a\nb"}]}]}}"#;
        let settings = HookSettings::read("s.json", text).unwrap();
        let question = settings.question("s.json");
        assert_eq!(question.text, "PreToolUse Bash: a\nb");
        assert_eq!(question.label, "hooks of s.json");
    }
}
