//! Operations on line numbers.

use serde_json::{Value, json};

use super::dressed;
use crate::ask::{Ask, Hunk, Row};

/// Returns the change.
pub(super) fn change(ask: &Ask) -> Value {
    let operations: Vec<Value> = ask.hunks.iter().flat_map(|hunk| of(ask, hunk)).collect();
    json!({ "strategy": "lines", "lines": { "operations": operations } })
}

fn of(ask: &Ask, hunk: &Hunk) -> Vec<Value> {
    let mut operations = Vec::new();
    let mut at = hunk.start;
    let mut rows = hunk.rows.iter().peekable();
    while rows.peek().is_some() {
        while rows.next_if(|row| row.is_context()).is_some() {
            at += 1;
        }
        let (start, mut content) = (at, String::new());
        let mut adds = false;
        while let Some(row) = rows.next_if(|row| !row.is_context()) {
            if let Row::Added(text) = row {
                adds = true;
                content.push_str(text);
                content.push('\n');
            } else {
                at += 1;
            }
        }
        let content = dressed("", content, &ask.style);
        let numbers = (number(ask, start + 1), number(ask, at));
        operations.extend(match (start < at, adds) {
            (true, true) => Some(json!({
                "op": "replace", "startLine": numbers.0, "endLine": numbers.1, "content": content,
            })),
            (true, false) => {
                Some(json!({ "op": "delete", "startLine": numbers.0, "endLine": numbers.1 }))
            }
            (false, true) => {
                let after = number(ask, start);
                Some(json!({ "op": "insert", "afterLine": after, "content": content }))
            }
            (false, false) => None,
        });
    }
    operations
}

fn number(ask: &Ask, line: usize) -> usize {
    line.saturating_add_signed(ask.style.numbers_off)
}
