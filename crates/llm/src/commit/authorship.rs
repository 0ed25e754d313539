//! Authorship log: which lines of a commit an agent wrote, in the format of the Git AI Standard, version 3.0.0.
//!
//! ```text
//! src/main.rs
//!   s_c9883b05a2487d::t_9f8e7d6c5b4a32 1-10,15
//!   h_31dce776f88375 12
//! ---
//! {"schema_version":"authorship/3.0.0", ...}
//! ```
//!
//! In: lines of files with the changes that wrote them, the commit, its author. Out: the text of a note. A change that the user
//! rewrote in the review is theirs (`h_`), one that a program made is nobody's, and the line has no entry.

use std::collections::BTreeMap;

use serde_json::{Map, Value, json};
use signoff_core::edit::diff::undisplayed::sha256;
use signoff_core::stage::review::HistoryView;
use signoff_sandbox::git_write::{Identity, ObjectId};

use super::assistant;

/// The version of the format.
const SCHEMA: &str = "authorship/3.0.0";

/// Digits of a hash in a key.
const DIGITS: usize = 14;

/// Lines of a file, with the changes that wrote them.
pub(super) struct AuthoredFile<'p> {
    pub(super) path: &'p str,
    pub(super) lines: Vec<AuthoredLine<'p>>,
}

/// A line, from 1, and the change that wrote it.
pub(super) struct AuthoredLine<'p> {
    pub(super) number: usize,
    pub(super) entry: &'p HistoryView,
    /// The splice of the change, from 0.
    pub(super) splice: usize,
}

/// Returns the log of a commit; none if no line of it has an author that is known.
pub(super) fn authorship_log(
    files: &[AuthoredFile<'_>],
    commit: &ObjectId,
    author: &Identity,
) -> Option<String> {
    let person = format!("{} <{}>", author.name, author.email);
    let (mut sessions, mut humans) = (Map::new(), Map::new());
    let mut log = String::new();
    for AuthoredFile { path, lines } in files {
        let mut by_key: BTreeMap<String, Vec<usize>> = BTreeMap::new();
        for AuthoredLine { number, entry, .. } in lines {
            let key = if entry.edited {
                let key = key("h_", &person);
                humans.insert(key.clone(), json!({"author": person}));
                key
            } else if let Some((id, trace, record)) = session(entry, &person) {
                sessions.insert(id.clone(), record);
                format!("{id}::{trace}")
            } else {
                continue;
            };
            by_key.entry(key).or_default().push(*number);
        }
        if !by_key.is_empty() {
            log += &format!("{}\n", quoted(path));
            for (key, lines) in &by_key {
                log += &format!("  {key} {}\n", ranges(lines));
            }
        }
    }
    let metadata = json!({
        "schema_version": SCHEMA,
        "base_commit_sha": commit.as_str(),
        "prompts": {},
        "humans": Value::Object(humans),
        "sessions": Value::Object(sessions),
    });
    (!log.is_empty()).then(|| format!("{log}---\n{metadata:#}\n"))
}

/// Returns the keys of the conversation and of the changeset that a change is of, and what is known of the former.
fn session(entry: &HistoryView, person: &str) -> Option<(String, String, Value)> {
    let (tool, model) = assistant(entry.proposer.as_ref()?)?;
    let id = entry.session.as_deref().unwrap_or("");
    let changeset = entry
        .changeset
        .map_or_else(String::new, |id| id.to_string());
    let record = json!({
        "agent_id": {"tool": tool, "id": id, "model": model.as_deref().unwrap_or("")},
        "human_author": person,
    });
    let trace = key("t_", &changeset);
    Some((key("s_", &format!("{tool}:{id}")), trace, record))
}

fn key(prefix: &str, of: &str) -> String {
    let hash = sha256(of.as_bytes());
    let digits: String = hash.chars().take(DIGITS).collect();
    format!("{prefix}{digits}")
}

fn quoted(path: &str) -> String {
    if path.contains(char::is_whitespace) {
        format!("\"{path}\"")
    } else {
        path.to_owned()
    }
}

/// Returns lines in order as ranges: `1-4,9`.
fn ranges(lines: &[usize]) -> String {
    let mut ranges: Vec<(usize, usize)> = Vec::new();
    for line in lines {
        match ranges.last_mut() {
            Some((_, end)) if *end + 1 == *line => *end = *line,
            _ => ranges.push((*line, *line)),
        }
    }
    let shown = ranges.into_iter().map(|(start, end)| {
        if start == end {
            start.to_string()
        } else {
            format!("{start}-{end}")
        }
    });
    shown.collect::<Vec<_>>().join(",")
}
