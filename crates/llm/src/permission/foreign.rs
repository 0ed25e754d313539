//! Rules on the tools of servers.
//!
//! A rule names such a tool as `server__tool`, or all of them as `mcp_call`. Its pattern is matched with the arguments as
//! one line of JSON, and with each text and each path in them: `deny`, `files__*`, `*.env` holds for
//! `{"path":"/ws/.env"}`.
//!
//! In: a tool with arguments. Out: the strictest that the rules say. Without a rule the user is asked, whatever the server
//! says of its tool: that it only reads is a claim.

use serde_json::Value;

use super::pattern::matches;
use super::{Permission, Policy, Rule, lifted};
use crate::subjects::ForeignSubject;

impl Policy {
    /// Returns what becomes of a call of a server's tool that is made by `tool`.
    pub(super) fn of_foreign(
        &self,
        tool: &str,
        subject: &ForeignSubject,
        always: bool,
    ) -> Permission {
        let whole = subject.arguments.to_string();
        let mut texts = Vec::new();
        collect(&subject.arguments, &mut texts);
        let mut parts: Vec<String> = texts.iter().map(|text| self.named(text)).collect();
        parts.extend(texts.into_iter().map(str::to_owned));
        let all = |rules: &[Rule], usual: Permission| {
            let of_whole = self.last_on((tool, &subject.tool), rules, &whole);
            let of_parts = parts
                .iter()
                .filter_map(|part| self.last_on((tool, &subject.tool), rules, part));
            of_parts
                .max()
                .into_iter()
                .fold(of_whole.unwrap_or(usual), Permission::max)
        };
        let own = lifted(all(&self.rules, Permission::Ask), always);
        let own = own.max(all(&self.narrower, Permission::Allow));
        if subject.is_changed {
            own.max(Permission::Ask)
        } else {
            own
        }
    }

    /// Returns the action of the last rule that matches a text in a call of a tool, by either of the tool's names.
    fn last_on(&self, names: (&str, &str), rules: &[Rule], text: &str) -> Option<Permission> {
        rules
            .iter()
            .rfind(|rule| {
                let named = matches(&rule.tool, names.0) || matches(&rule.tool, names.1);
                named && (matches(&rule.pattern, text) || matches(self.pattern(rule), text))
            })
            .map(|rule| rule.action)
    }
}

/// Collects the texts in a value, names of fields included.
fn collect<'v>(value: &'v Value, texts: &mut Vec<&'v str>) {
    let mut open = vec![value];
    while let Some(value) = open.pop() {
        match value {
            Value::String(text) => texts.push(text),
            Value::Array(items) => open.extend(items),
            Value::Object(fields) => {
                texts.extend(fields.keys().map(String::as_str));
                open.extend(fields.values());
            }
            Value::Null | Value::Bool(_) | Value::Number(_) => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::permission::Consent;
    use crate::subjects::Subjects;
    use crate::tool_spec::Reach;

    fn rule(tool: &str, pattern: &str, action: Permission) -> Rule {
        Rule {
            tool: tool.to_owned(),
            pattern: pattern.to_owned(),
            action,
        }
    }

    fn subject(is_changed: bool) -> Subjects {
        Subjects::Foreign(Box::new(ForeignSubject {
            tool: "files__read".to_owned(),
            arguments: json!({ "path": "/ws/.env", "lines": [1, "x"] }),
            fingerprint: "f".to_owned(),
            is_changed,
        }))
    }

    #[test]
    fn a_tool_of_a_server_asks_unless_a_rule_says_otherwise() {
        use Permission::{Allow, Ask, Deny};
        for (rules, expected) in [
            (vec![], Consent::Needed),
            (vec![rule("files__read", "*", Allow)], Consent::Granted),
            (vec![rule("files__*", "*", Allow)], Consent::Granted),
            (vec![rule("mcp_call", "*", Allow)], Consent::Granted),
            (vec![rule("other__*", "*", Allow)], Consent::Needed),
            (vec![rule("bash", "*", Allow)], Consent::Needed),
            // A rule that allows has to match all of the arguments.
            (vec![rule("files__read", "x", Allow)], Consent::Needed),
            (
                vec![rule("files__read", "*\"/ws/*", Allow)],
                Consent::Granted,
            ),
            (
                vec![rule("files__*", "*", Allow), rule("*", "*.env", Deny)],
                denied(),
            ),
            (
                vec![rule("files__*", "*", Allow), rule("*", "x", Ask)],
                Consent::Needed,
            ),
            // The workspace is /ws here.
            (
                vec![rule("files__*", "*", Allow), rule("*", ".env", Deny)],
                denied(),
            ),
        ] {
            let policy = Policy::new(rules.clone(), Vec::new()).within("/ws".as_ref());
            let consent = policy.judge("mcp_call", Reach::Execute, &subject(false));
            assert_eq!(consent, expected, "{rules:?}");
        }
    }

    fn denied() -> Consent {
        Consent::Denied("a rule forbids it".to_owned())
    }

    #[test]
    fn a_workspace_only_narrows_what_servers_may() {
        let allow = || vec![rule("*", "*", Permission::Allow)];
        assert_eq!(judged(Vec::new(), allow()), Consent::Needed);
        let asks = vec![rule("files__read", "*", Permission::Ask)];
        assert_eq!(judged(allow(), asks), Consent::Needed);
    }

    fn judged(own: Vec<Rule>, narrower: Vec<Rule>) -> Consent {
        Policy::new(own, narrower).judge("mcp_call", Reach::Execute, &subject(false))
    }

    #[test]
    fn a_tool_that_changed_asks_anew() {
        let mut policy = Policy::new(vec![rule("*", "*", Permission::Allow)], Vec::new());
        let judge =
            |policy: &Policy, changed| policy.judge("mcp_call", Reach::Execute, &subject(changed));
        assert_eq!(judge(&policy, true), Consent::Needed);
        policy.always("mcp_call", subject(true));
        assert_eq!(judge(&policy, true), Consent::Needed);
        let mut policy = Policy::default();
        policy.always("mcp_call", subject(false));
        assert_eq!(judge(&policy, false), Consent::Granted);
    }
}
