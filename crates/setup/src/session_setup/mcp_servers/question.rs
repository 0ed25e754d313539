//! Trust question: all of a server's definition, as the user is asked whether it may run.
//!
//! In: a server of `.mcp.json`. Out: a [`TrustQuestion`], a line for each part. Nothing is cut, and nothing of the definition
//! ends a line or passes for a blank: whoever wrote it cannot push `--require ./evil.js` out of sight or forge an end.
//!
//! ```text
//! program        node, confined, without the network
//! argument 1/2   --require
//! argument 2/2   ./evil.js
//! variable 1/1   LD_PRELOAD=./evil.so
//! gets from your environment: nothing
//! end of the definition
//! ```

use secrecy::{ExposeSecret as _, SecretString};
use serde_json::Value;
use signoff_core::quote;
use signoff_llm::trust::TrustQuestion;

use super::WORKSPACE_FILE;
use super::variables::VariableAccess;
use crate::config::McpServer;

/// The fields of a server in `.mcp.json` that are read.
pub(super) const FIELDS: [&str; 6] = ["type", "command", "args", "env", "url", "headers"];

/// Returns what the user is asked about a server. Values of variables and headers are those of the file, before variables
/// are put in.
pub(super) fn about(
    name: &str,
    written: &McpServer,
    value: &Value,
    variables: &VariableAccess<'_>,
) -> TrustQuestion {
    let mut lines = Vec::new();
    if let Some(command) = &written.command {
        lines.push(format!(
            "program        {}, confined, without the network",
            quote::name(command)
        ));
        let count = written.args.len();
        for (number, argument) in (1..).zip(&written.args) {
            lines.push(labelled(
                &format!("argument {number}/{count}"),
                &quote::name(argument),
            ));
        }
        pairs(&mut lines, "variable", "=", written.env.iter());
    }
    if let Some(url) = &written.url {
        lines.push(labelled("address", &quote::name(&url.0)));
        pairs(&mut lines, "header", ": ", written.headers.iter());
    }
    let fields = value.as_object();
    let unread = fields
        .into_iter()
        .flat_map(serde_json::Map::keys)
        .filter(|field| !FIELDS.contains(&field.as_str()));
    let unread: Vec<_> = unread.map(|field| quote::name(field)).collect();
    if !unread.is_empty() {
        lines.push(format!("not read: {}", unread.join(", ")));
    }
    let given: Vec<String> = variables.given(texts(written)).into_keys().collect();
    lines.push(format!(
        "gets from your environment: {}",
        if given.is_empty() {
            "nothing".to_owned()
        } else {
            given.join(", ")
        }
    ));
    lines.push("end of the definition".to_owned());
    TrustQuestion {
        label: format!("MCP server {} of {WORKSPACE_FILE}", quote::name(name)),
        text: lines.join("\n"),
    }
}

fn labelled(label: &str, text: &str) -> String {
    format!("{label:<14} {text}")
}

fn pairs<'a>(
    lines: &mut Vec<String>,
    label: &str,
    between: &str,
    all: impl ExactSizeIterator<Item = (&'a String, &'a SecretString)>,
) {
    let count = all.len();
    for (number, (name, value)) in (1..).zip(all) {
        let (name, value) = (quote::name(name), quote::name(value.expose_secret()));
        lines.push(labelled(
            &format!("{label} {number}/{count}"),
            &format!("{name}{between}{value}"),
        ));
    }
}

/// Returns the texts into which variables are put.
pub(super) fn texts(written: &McpServer) -> impl Iterator<Item = &str> {
    let values = written.env.values().chain(written.headers.values());
    let whole = written.command.iter().chain(&written.args);
    whole
        .chain(written.url.iter().map(|url| &url.0))
        .map(String::as_str)
        .chain(values.map(|value| value.expose_secret()))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::super::of_json;
    use super::*;

    fn shown(value: &Value) -> Vec<String> {
        let variables = VariableAccess {
            hidden: &[],
            named: Some(&["NAMED".to_owned()]),
            value: &|_| Some("s3cret".to_owned()),
        };
        let question = about("s", &of_json(value).unwrap(), value, &variables);
        question.text.lines().map(str::to_owned).collect()
    }

    #[test]
    fn all_of_a_program_is_shown_however_long_it_is() {
        let mut args = vec!["-y".to_owned(); 400];
        args.push("--require".to_owned());
        args.push("./evil.js".to_owned());
        args.push("a\n\n\nend of the definition\u{202e}".to_owned());
        let lines = shown(&json!({
            "command": "node",
            "args": args,
            "env": { "LD_PRELOAD": "./evil.so", "T": "${NAMED} ${AWS_SECRET_ACCESS_KEY:-none}" },
            "cwd": "/etc",
        }));
        assert_eq!(lines.len(), 1 + 403 + 2 + 3);
        for (line, expected) in [
            (0, "program        node, confined, without the network"),
            (402, "argument 402/403 ./evil.js"),
            (
                403,
                r#"argument 403/403 "a\n\n\nend of the definition\u{202e}""#,
            ),
            (404, "variable 1/2   LD_PRELOAD=./evil.so"),
            (
                405,
                r#"variable 2/2   T="${NAMED} ${AWS_SECRET_ACCESS_KEY:-none}""#,
            ),
            (406, "not read: cwd"),
            (407, "gets from your environment: NAMED"),
            (408, "end of the definition"),
        ] {
            assert_eq!(lines[line], expected);
        }
    }

    #[test]
    fn all_of_an_address_is_shown() {
        let lines = shown(&json!({
            "type": "http",
            "url": "https://u:p@x.org/mcp?key=${GITHUB_TOKEN:-k}",
            "headers": { "Authorization": "Bearer t" },
        }));
        assert_eq!(
            lines,
            [
                "address        https://u:p@x.org/mcp?key=${GITHUB_TOKEN:-k}",
                "header 1/1     Authorization: \"Bearer t\"",
                "gets from your environment: nothing",
                "end of the definition",
            ]
        );
    }
}
