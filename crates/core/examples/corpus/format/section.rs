//! Old and new text, a pair for each hunk.

use serde_json::{Value, json};

use super::{dressed, prefixed};
use crate::ask::{Ask, Hunk, Slip};

/// Returns the change.
pub(super) fn change(ask: &Ask) -> Value {
    let style = &ask.style;
    let side = |lines: Vec<String>| {
        if lines.is_empty() {
            return String::new();
        }
        let mut text = format!("{}\n", lines.join("\n"));
        if style.slip == Some(Slip::BlankEdges) {
            text = format!("\n{text}\n");
        }
        if style.slip == Some(Slip::OpenEnd) {
            text.truncate(text.trim_end_matches('\n').len());
        }
        dressed("", text, style)
    };
    let pair = |hunk: &Hunk| {
        let new = hunk.after().into_iter().map(str::to_owned).collect();
        json!({ "old_text": side(old(hunk, style.numbered_old)), "new_text": side(new) })
    };
    let edits: Vec<Value> = ask.hunks.iter().map(pair).collect();
    json!({ "strategy": "section", "section": { "edits": edits } })
}

fn old(hunk: &Hunk, numbered: Option<usize>) -> Vec<String> {
    let lines = hunk.before().into_iter().enumerate();
    let written = lines.map(|(at, line)| match numbered {
        Some(manner) => prefixed(manner, hunk.start + at + 1, line),
        None => line.to_owned(),
    });
    written.collect()
}
