//! Error bodies of servers, as one line.
//!
//! In: the body of a refusal, or the error inside a stream. Out: [`ProviderError::Status`].

use serde_json::Value;

use crate::json;
use crate::provider::ProviderError;
use signoff_source::clip;

/// The longest message that is shown, in characters.
const MAX_MESSAGE: usize = 400;
/// The longest text that an error carries until secrets are taken out of it, in bytes.
const MAX_FLAT: usize = 64 << 10;

/// Returns the server's own words out of the body of a refusal; empty if it has none.
pub(crate) fn refusal_text(body: &str) -> String {
    match json::parse::<Value>(body) {
        Ok(value) => flat(message(&value).unwrap_or(body)),
        Err(_) if body.trim_start().starts_with('<') => String::new(),
        Err(_) => flat(body),
    }
}

/// Returns the error that a server put into a stream that had begun well.
pub(crate) fn refusal(value: &Value) -> ProviderError {
    let message = message(value).map_or_else(|| flat(&value.to_string()), flat);
    ProviderError::Status {
        code: code(value),
        message,
        retry_after: None,
    }
}

/// Returns `text` as one line without control characters. It is not cut to what is shown: a secret
/// that a cut takes the end of cannot be recognised any more.
pub(crate) fn flat(text: &str) -> String {
    let mut line = String::new();
    for word in text.split(|c: char| c.is_whitespace() || c.is_control()) {
        if word.is_empty() {
            continue;
        }
        if !line.is_empty() {
            line.push(' ');
        }
        let room = MAX_FLAT.saturating_sub(line.len());
        line.push_str(clip::head(word, room));
        if room < word.len() {
            break;
        }
    }
    line
}

/// Returns `text` as one line to show: bounded, without control characters.
pub fn one_line(text: &str) -> String {
    let line = flat(text);
    match line.char_indices().nth(MAX_MESSAGE) {
        Some((end, _)) => format!("{}…", line.get(..end).unwrap_or_default()),
        None => line,
    }
}

/// Looks for the words where servers put them: `error.message`, `error`, `message`, `detail`.
fn message(value: &Value) -> Option<&str> {
    let value = first(value);
    let error = value.get("error").unwrap_or(value);
    ["message", "detail", "msg"]
        .into_iter()
        .find_map(|key| error.get(key)?.as_str())
        .or_else(|| error.as_str())
        .or_else(|| {
            ["message", "detail"]
                .into_iter()
                .find_map(|key| value.get(key)?.as_str())
        })
        .filter(|text| !text.trim().is_empty())
}

/// Some servers wrap the error in a list.
fn first(value: &Value) -> &Value {
    value
        .as_array()
        .and_then(|list| list.first())
        .unwrap_or(value)
}

/// Returns the status that a refusal would have had, had it come before the stream.
fn code(value: &Value) -> u16 {
    let value = first(value);
    let error = value.get("error").unwrap_or(value);
    let numbers = ["code", "status", "status_code"]
        .into_iter()
        .filter_map(|key| error.get(key));
    let given = numbers
        .filter_map(|number| number.as_u64().or_else(|| number.as_str()?.parse().ok()))
        .find_map(|number| {
            u16::try_from(number)
                .ok()
                .filter(|code| (400..600).contains(code))
        });
    given.unwrap_or_else(|| {
        let [kind, code] =
            ["type", "code"].map(|key| error.get(key).and_then(Value::as_str).unwrap_or_default());
        code_of_kind(&format!("{kind} {code}"))
    })
}

fn code_of_kind(kind: &str) -> u16 {
    let table = [
        ("rate_limit", 429),
        ("insufficient_quota", 429),
        ("authentication", 401),
        ("invalid_api_key", 401),
        ("permission", 403),
        ("not_found", 404),
        ("context_length", 400),
        ("invalid_request", 400),
        ("overloaded", 503),
    ];
    table
        .into_iter()
        .find(|(word, _)| kind.contains(word))
        .map_or(500, |(_, code)| code)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn the_servers_words_are_found() {
        let cases = [
            (
                r#"{"error":{"message":"no such model","type":"x"}}"#,
                "no such model",
            ),
            (r#"{"error":"model is loading"}"#, "model is loading"),
            (r#"{"message":"slow down"}"#, "slow down"),
            (r#"{"detail":"Not Found"}"#, "Not Found"),
            (r#"[{"error":{"message":"listed","code":429}}]"#, "listed"),
            (r#"{"odd":1}"#, r#"{"odd":1}"#),
            ("plain\n  words\u{1b}[31m", "plain words [31m"),
            ("<html><body>502</body></html>", ""),
            ("", ""),
        ];
        for (body, expected) in cases {
            assert_eq!(refusal_text(body), expected, "{body}");
        }
    }

    #[test]
    fn long_messages_are_cut() {
        for long in ["word ".repeat(100_000), "é".repeat(100_000)] {
            let text = one_line(&refusal_text(&long));
            assert!(text.chars().count() <= MAX_MESSAGE + 1 && text.ends_with('…'));
        }
    }

    #[test]
    fn errors_inside_a_stream_have_a_status() {
        let cases = [
            (json!({"error":{"message":"m","code":502}}), 502),
            (json!({"error":{"message":"m","code":"429"}}), 429),
            (
                json!({"error":{"message":"m","type":"rate_limit_error"}}),
                429,
            ),
            (
                json!({"error":{"message":"m","code":"context_length_exceeded"}}),
                400,
            ),
            (json!({"error":{"message":"m","code":7}}), 500),
            (json!({"error":"m"}), 500),
            (json!({"code":503,"message":"m"}), 503),
        ];
        for (value, expected) in cases {
            let ProviderError::Status { code, message, .. } = refusal(&value) else {
                panic!("{value}");
            };
            assert_eq!((code, message.as_str()), (expected, "m"), "{value}");
        }
    }
}
