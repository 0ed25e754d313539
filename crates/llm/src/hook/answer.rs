//! Hook answers: what follows from what a hook printed.
//!
//! In: an event, how the hook ended, its output. Out: whether the call is denied or asked about, text for the model, and a
//! line for the user where the hook did not work or speaks to the user.
//!
//! | hook | call, or prompt |
//! |---|---|
//! | exit 2 | denied, with standard error as the reason; after a call, standard error is added to the answer |
//! | exit 0, JSON with `permissionDecision: "deny"` | denied, with `permissionDecisionReason` |
//! | exit 0, JSON with `permissionDecision: "ask"` | the user is asked |
//! | exit 0, JSON with `permissionDecision: "allow"` | as without the hook: rules and the user decide |
//! | exit 0, anything else | as without the hook; for a prompt, the text is added to it |
//! | another exit code, a signal, no time left | as without the hook; the interface reports it once |

use serde_json::{Map, Value};
use signoff_core::clip;
use signoff_core::quote::{self, one_line};
use signoff_sandbox::process::Ended;

use super::HookEvent;

/// What is said of a hook that did not work.
const GOES_ON: &str = ", and work goes on as without it";
/// Bytes of a reason, and of a line for the user.
const MAX_REASON: usize = 2_000;
const MAX_LINE: usize = 300;
/// Fields of an answer that are known; the second list is that of `hookSpecificOutput`.
const KNOWN: [&str; 8] = [
    "hookSpecificOutput",
    "decision",
    "reason",
    "continue",
    "stopReason",
    "systemMessage",
    "suppressOutput",
    "additionalContext",
];
const KNOWN_SPECIFIC: [&str; 4] = [
    "hookEventName",
    "permissionDecision",
    "permissionDecisionReason",
    "additionalContext",
];

/// What a hook says of a call.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum HookVerdict {
    /// Nothing: rules and the user decide.
    None,
    /// It must not run, for this reason.
    Deny(String),
    /// The user is to be asked, for this reason.
    Ask(String),
    /// The user stopped the hook.
    Stopped,
}

/// What follows from a hook's answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HookAnswer {
    /// What it says of the call.
    pub verdict: HookVerdict,
    /// What the model is to read.
    pub context: Option<String>,
    /// What the user is to know.
    pub remarks: Vec<String>,
}

impl HookAnswer {
    /// Reads the answer of a hook.
    pub fn read(event: HookEvent, ended: Ended, out: &str, err: &str) -> Self {
        let mut answer = Self {
            verdict: HookVerdict::None,
            context: None,
            remarks: Vec::new(),
        };
        match ended {
            Ended::Exit(0) => answer.read_output(event, out),
            Ended::Exit(2) => answer.block(event, err),
            Ended::Exit(code) => {
                let (between, err) = match one_line(err.trim(), MAX_LINE) {
                    err if err.is_empty() => ("", err),
                    err => (": ", err),
                };
                answer.remark(format!(
                    "ended with exit code {code}{GOES_ON}{between}{err}"
                ));
            }
            Ended::Signal(signal) => {
                answer.remark(format!("was ended by signal {signal}{GOES_ON}"));
            }
            Ended::TimedOut => answer.remark(format!("was ended after its time{GOES_ON}")),
            Ended::Stopped => answer.verdict = HookVerdict::Stopped,
        }
        answer
    }

    /// Denies a call, or adds to the answer of one that has run.
    fn block(&mut self, event: HookEvent, reason: &str) {
        let reason = match reason.trim() {
            "" => "it gave no reason".to_owned(),
            reason => clip::head(reason, MAX_REASON).to_owned(),
        };
        match event {
            HookEvent::PreToolUse | HookEvent::UserPromptSubmit => {
                self.verdict = HookVerdict::Deny(reason);
            }
            HookEvent::PostToolUse => self.add_context(&reason),
        }
    }

    fn remark(&mut self, line: String) {
        self.remarks.push(line);
    }

    fn add_context(&mut self, text: &str) {
        if text.trim().is_empty() {
            return;
        }
        match &mut self.context {
            Some(context) => {
                context.push('\n');
                context.push_str(text);
            }
            None => self.context = Some(text.to_owned()),
        }
    }

    fn read_output(&mut self, event: HookEvent, out: &str) {
        let out = out.trim();
        if !out.starts_with('{') {
            if event == HookEvent::UserPromptSubmit {
                self.add_context(out);
            }
            return;
        }
        let fields: Map<String, Value> = match crate::json::parse(out) {
            Ok(fields) => fields,
            Err(error) => {
                return self.remark(format!(
                    "printed JSON that cannot be read{GOES_ON}: {error}"
                ));
            }
        };
        let none = Map::new();
        let specific = fields.get("hookSpecificOutput").and_then(Value::as_object);
        let specific = specific.unwrap_or(&none);
        self.name_unknown(&fields, &KNOWN);
        self.name_unknown(specific, &KNOWN_SPECIFIC);
        for of in [specific, &fields] {
            if let Some(context) = text(of, "additionalContext") {
                self.add_context(context);
            }
        }
        if let Some(message) = text(&fields, "systemMessage") {
            self.remark(format!("says: {}", one_line(message.trim(), MAX_LINE)));
        }
        let reason = text(specific, "permissionDecisionReason");
        let reason = reason.or_else(|| text(&fields, "reason")).unwrap_or("");
        match text(specific, "permissionDecision") {
            Some("deny") => self.block(event, reason),
            Some("ask") if event == HookEvent::PreToolUse => {
                self.verdict = HookVerdict::Ask(one_line(reason.trim(), MAX_REASON));
            }
            // What it would allow, rules and the user allow or not.
            Some(_) | None => {}
        }
        if text(&fields, "decision") == Some("block") {
            self.block(event, reason);
        }
        if fields.get("continue").and_then(Value::as_bool) == Some(false) {
            let why = text(&fields, "stopReason").unwrap_or(reason);
            self.block(event, why);
        }
    }

    fn name_unknown(&mut self, fields: &Map<String, Value>, known: &[&str]) {
        let unknown = fields.keys().filter(|name| !known.contains(&name.as_str()));
        // One line is enough: an answer may have thousands.
        if let Some(name) = unknown.into_iter().next() {
            let name = one_line(&quote::name(name), MAX_LINE);
            self.remark(format!(
                "answered with the field {name}, which is passed over"
            ));
        }
    }
}

fn text<'a>(of: &'a Map<String, Value>, name: &str) -> Option<&'a str> {
    of.get(name).and_then(Value::as_str)
}
