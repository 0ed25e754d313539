//! A conversation as one in front of the user reads, in Markdown: prompts, answers, a line for each call.
//!
//! In: its records. Out: what was said. Notices, surroundings and what calls answered are left out: the export has them.
//!
//! ```text
//! › make a new file
//!
//! I make it.
//!
//! - ✓ edit_section `src/new.rs` staged
//! ```

use std::collections::HashMap;

use serde_json::Value;
use signoff_core::id::Timestamp;
use signoff_core::quote::one_line;
use signoff_llm::memory::Record;
use signoff_llm::message::{CallId, ToolCall};
use signoff_llm::transcript::Entry;

/// Bytes of what a call is about.
const SUBJECT_BYTES: usize = 120;

/// Bytes of what a call that failed answered.
const WHY_BYTES: usize = 200;

/// Arguments that say what a call is about, the first of them that it has.
const SUBJECTS: [&str; 7] = [
    "path", "file", "command", "pattern", "query", "name", "task",
];

/// Returns a conversation; nothing if nothing was said in it.
pub(super) fn told(records: &[(Timestamp, Record)]) -> Option<String> {
    let mut entries: Vec<&Entry> = Vec::new();
    for (_, record) in records {
        match record {
            Record::Entry(entry) => entries.push(entry),
            // A copy begins with all that was said in the one before.
            Record::Retold(before) if entries.is_empty() => entries.extend(before),
            Record::Retold(_) | Record::Began { .. } | Record::Spent(_) | Record::Model(_) => {}
        }
    }
    let answers = entries.iter().filter_map(|entry| match entry {
        Entry::Answered {
            call,
            content,
            failed,
            ..
        } => Some((call, (content.as_str(), *failed))),
        _ => None,
    });
    let answers: HashMap<&CallId, (&str, bool)> = answers.collect();
    let paragraphs = entries.iter().flat_map(|entry| match entry {
        Entry::Prompt { text, .. } => {
            vec![format!("› {}", entry.typed().unwrap_or(text).trim())]
        }
        Entry::Said { text, calls, .. } => {
            let said = (!text.trim().is_empty()).then(|| text.trim().to_owned());
            let calls = calls.iter();
            let calls = calls.map(|call| call_line(call, answers.get(&call.id).copied()));
            said.into_iter().chain(calls).collect()
        }
        Entry::Answered { .. } | Entry::Noticed { .. } => Vec::new(),
    });
    let paragraphs: Vec<String> = paragraphs.collect();
    (!paragraphs.is_empty()).then(|| paragraphs.join("\n\n") + "\n")
}

fn call_line(call: &ToolCall, answer: Option<(&str, bool)>) -> String {
    let (mark, outcome) = match answer {
        None => ("·", String::new()),
        Some((content, false)) => ("✓", statuses(content)),
        Some((content, true)) => match statuses(content) {
            known if known.is_empty() => ("✗", one_line(content, WHY_BYTES)),
            known => ("✗", known),
        },
    };
    let parts = [plain(&call.name), subject(&call.arguments), plain(&outcome)];
    let parts = parts.into_iter().filter(|part| !part.is_empty());
    let parts: String = parts.map(|part| format!(" {part}")).collect();
    // An item of a list: as a line of its own it would be set off, for looking like one of the interface.
    format!("- {mark}{parts}")
}

/// Returns what a call is about.
fn subject(arguments: &str) -> String {
    let value: Value = serde_json::from_str(arguments).unwrap_or_default();
    let changes = value["changes"].as_array().into_iter().flatten();
    let within = changes.filter_map(|change| change["file"].as_str());
    let own = SUBJECTS.iter().find_map(|name| value[name].as_str());
    let mut subjects: Vec<&str> = own.into_iter().chain(within).collect();
    subjects.dedup();
    literal(&one_line(&subjects.join(", "), SUBJECT_BYTES))
}

/// Returns what an answer of the engine says became of files, each word once; nothing of another answer.
fn statuses(content: &str) -> String {
    let value: Value = serde_json::from_str(content).unwrap_or_default();
    let results = value["results"].as_array().into_iter().flatten();
    let results = results.filter_map(|result| result["status"].as_str());
    let mut words: Vec<String> = Vec::new();
    for status in results {
        let word = status.replace('_', " ");
        if !words.contains(&word) {
            words.push(word);
        }
    }
    words.join(", ")
}

/// Returns words as they are, and what may hold signs of Markdown as a literal.
fn plain(text: &str) -> String {
    let is_plain = |c: char| c.is_alphanumeric() || matches!(c, ' ' | '_' | '-' | ',' | ':');
    if text.chars().all(is_plain) {
        return text.to_owned();
    }
    literal(text)
}

/// Returns a text that Markdown does not read: between quotes that it does not hold.
fn literal(text: &str) -> String {
    if text.is_empty() {
        return String::new();
    }
    format!("`{}`", text.replace('`', "'"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_conversation_is_prompts_answers_and_a_line_for_each_call() {
        let entries = r#"{"retold":[
            {"entry":"prompt","text":"make it"},
            {"entry":"said","text":"I do.","calls":[
                {"id":"a","name":"apply_structured_edits","arguments":"{\"changes\":[{\"file\":\"a.txt\"},{\"file\":\"b.txt\"}]}"},
                {"id":"b","name":"bash","arguments":"{\"command\":\"make\\nall\"}"},
                {"id":"c","name":"read","arguments":"{\"path\":\"x\"}"}]},
            {"entry":"answered","call":"a","content":"{\"results\":[{\"status\":\"staged\",\"proposal\":\"01a22e3f-7560\"},{\"status\":\"staged\"}]}"},
            {"entry":"answered","call":"b","content":"exit 2","failed":true},
            {"entry":"said","text":"Made.","calls":[]}]}"#;
        let records = [(Timestamp(0), serde_json::from_str(entries).unwrap())];
        let expected = "› make it\n\nI do.\n\n- ✓ apply_structured_edits `a.txt, b.txt` staged\n\n- ✗ bash `make all` exit 2\n\n- · read `x`\n\nMade.\n";
        assert_eq!(told(&records).as_deref(), Some(expected));
        assert_eq!(told(&[]), None);
    }
}
