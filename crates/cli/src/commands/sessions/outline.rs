//! Arguments and answers of calls as people read them.
//!
//! In: JSON as a model or a tool wrote it. Out: a list in Markdown; texts of several lines stand in fences.
//!
//! ```text
//! {"path": "a.txt", "edits": [{"old_text": "one", "new_text": "two\nthree"}]}
//!
//! - path: `a.txt`
//! - edits:
//!   - 1:
//!     - old_text: `one`
//!     - new_text:
//!
//!       ```
//!       two
//!       three
//!       ```
//! ```

use serde_json::Value;
use signoff_tui::transcript::export::fenced;

/// Columns of a level.
const INDENT: usize = 2;

/// Returns a text as it is read: a list if it is JSON with something in it, else between fences.
pub(super) fn readable(text: &str) -> String {
    match serde_json::from_str::<Value>(text) {
        Ok(value @ (Value::Object(_) | Value::Array(_))) => items(&value, 0),
        Ok(_) | Err(_) => fenced(text),
    }
}

/// Returns the members of a value, an item each; as deep as serde reads, which is bounded.
fn items(value: &Value, depth: usize) -> String {
    match value {
        Value::Object(members) => {
            let items = members.iter().map(|(name, value)| item(name, value, depth));
            items.collect()
        }
        Value::Array(values) => {
            let items = values.iter().enumerate();
            let items = items.map(|(index, value)| item(&(index + 1).to_string(), value, depth));
            items.collect()
        }
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => String::new(),
    }
}

fn item(name: &str, value: &Value, depth: usize) -> String {
    let margin = " ".repeat(depth * INDENT);
    match value {
        // It says nothing.
        Value::Null => String::new(),
        Value::String(text) if !text.contains(['\n', '`']) => {
            format!("{margin}- {name}: `{text}`\n")
        }
        Value::String(text) => {
            let inner = " ".repeat((depth + 1) * INDENT);
            let block = fenced(text).replace('\n', &format!("\n{inner}"));
            format!("{margin}- {name}:\n\n{inner}{block}\n\n")
        }
        Value::Bool(_) | Value::Number(_) => format!("{margin}- {name}: {value}\n"),
        Value::Object(_) | Value::Array(_) => {
            format!("{margin}- {name}:\n{}", items(value, depth + 1))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn json_is_a_list_and_no_text_of_it_leaves_its_place() {
        for (text, expected) in [
            (
                r#"{"path":"a.txt","strict":true,"line":null,"edits":[{"old":"one","new":"two\nthree"}]}"#,
                "- path: `a.txt`\n- strict: true\n- edits:\n  - 1:\n    - old: `one`\n    - new:\n\n      ```\n      two\n      three\n      ```\n\n",
            ),
            (
                r#"{"a":"`x`","b":""}"#,
                "- a:\n\n  ```\n  `x`\n  ```\n\n- b: ``\n",
            ),
            ("[1,\"b\"]", "- 1: 1\n- 2: `b`\n"),
            ("exit 0", "```\nexit 0\n```"),
            ("7", "```\n7\n```"),
            ("{}", ""),
            ("{broken", "```\n{broken\n```"),
        ] {
            assert_eq!(readable(text), expected, "{text}");
        }
    }
}
