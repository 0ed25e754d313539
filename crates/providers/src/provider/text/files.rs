//! Files that a conversation names.
//!
//! In: a prompt. Out: the names in what the user wrote, and the texts of the files that were
//! read, or of the one that the prompt is about. A text counts only if all of it was shown.

use std::collections::{BTreeMap, HashMap, HashSet};

use serde_json::Value;

use crate::message::{CallId, Message, Prompt, TargetFile};

/// The files of a conversation.
#[derive(Clone, Debug, Default)]
pub struct Files {
    /// Words of the user that may be names of files.
    words: HashSet<String>,
    /// Files that calls named and that are there, with their text if all of it was shown.
    seen: BTreeMap<String, Option<String>>,
    /// Files that were given with the request, as a whole.
    attached: BTreeMap<String, String>,
    /// What the prompt is about, if it is one file or a part of one.
    target: Option<TargetFile>,
}

impl Files {
    /// Returns the files of a conversation; what was read later counts more.
    pub fn of(prompt: &Prompt) -> Self {
        let mut files = Self::default();
        if let Some(target) = &prompt.target {
            let text = Some(target.text.clone());
            files.seen.insert(target.path.clone(), text);
            files.target = Some(target.clone());
            return files;
        }
        let mut reads: HashMap<&CallId, (String, bool)> = HashMap::new();
        for message in &prompt.messages {
            match message {
                Message::User { text, .. } => files.words.extend(words(text)),
                Message::Assistant { calls, .. } => {
                    for call in calls {
                        let given: Value =
                            serde_json::from_str(&call.arguments).unwrap_or_default();
                        if let Some(path) = given.get("path").and_then(Value::as_str) {
                            let path = path.trim_start_matches("./").to_owned();
                            reads.insert(&call.id, (path, ends_early(&given)));
                        }
                    }
                }
                Message::Tool { call, content, .. } => {
                    if let Some((path, ends_early)) = reads.get(call)
                        && !content.starts_with("error")
                    {
                        let text = shown(content).filter(|_| !ends_early);
                        let known = files.seen.entry(path.clone()).or_default();
                        *known = text.or(known.take());
                    }
                }
                Message::System { text } => files.attached.extend(attached(text)),
            }
        }
        files
    }

    /// Tells whether the request or the reads name a file.
    pub fn is_named(&self, path: &str) -> bool {
        let path = path.trim_start_matches("./");
        let name = path.rsplit('/').next().unwrap_or(path);
        self.seen.contains_key(path)
            || self.attached.contains_key(path)
            || self.words.contains(path)
            || self.words.contains(name)
    }

    /// Returns the words of the user that may be names of files.
    pub fn asked(&self) -> impl Iterator<Item = &str> {
        self.words.iter().map(String::as_str)
    }

    /// Tells whether the request has one of these words, which are in lower case.
    pub fn ask(&self, wanted: &[&str]) -> bool {
        let is_wanted = |word: &str| wanted.contains(&word.to_lowercase().as_str());
        match &self.target {
            Some(target) => {
                let mut words = target.request.split(|c: char| !c.is_alphanumeric());
                words.any(is_wanted)
            }
            None => self.asked().any(is_wanted),
        }
    }

    /// Returns what the prompt is about, if it is one file or a part of one.
    pub fn target(&self) -> Option<&TargetFile> {
        self.target.as_ref()
    }

    /// Tells whether a call named a file that is there.
    pub fn is_seen(&self, path: &str) -> bool {
        self.seen
            .keys()
            .any(|seen| seen == path || seen.ends_with(&format!("/{path}")))
    }

    /// Returns the text of a file that was read, or given, as a whole.
    pub fn text(&self, path: &str) -> Option<(&str, &str)> {
        let path = path.trim_start_matches("./");
        if let Some((path, text)) = self.seen.get_key_value(path) {
            return Some((path, text.as_deref()?));
        }
        let (path, text) = self.attached.get_key_value(path)?;
        Some((path, text))
    }

    /// Returns the only file that was read as a whole, if there is just one.
    pub fn only(&self) -> Option<(&str, &str)> {
        let mut whole = self
            .seen
            .iter()
            .filter_map(|(path, text)| Some((path.as_str(), text.as_deref()?)));
        whole.next().filter(|_| whole.next().is_none())
    }
}

/// Returns words that may be names of files.
pub fn words(text: &str) -> impl Iterator<Item = String> {
    let apart = |c: char| {
        c.is_whitespace()
            || matches!(
                c,
                '"' | '\'' | '`' | ',' | '(' | ')' | '[' | ']' | '*' | '='
            )
    };
    text.split(apart).map(|word| {
        let word = word.trim_end_matches(['.', ':', ';', '?', '!']);
        word.trim_start_matches("./").to_owned()
    })
}

/// What stands between the path of a file that is given as a whole and why it is; its text follows in a fence.
pub const AS_IT_IS: &str = " as it is now (";

/// Returns the files that a notice gives as a whole. A name with a space may be that of a part.
fn attached(notice: &str) -> Vec<(String, String)> {
    let mut found = Vec::new();
    let mut lines = notice.lines();
    while let Some(line) = lines.next() {
        let Some((path, _)) = line.split_once(AS_IT_IS) else {
            continue;
        };
        let Some(fence) = lines.next().filter(|line| line.starts_with("```")) else {
            continue;
        };
        let text: String = lines
            .by_ref()
            .take_while(|line| *line != fence)
            .map(|line| format!("{line}\n"))
            .collect();
        if !path.contains(' ') {
            found.push((path.to_owned(), text));
        }
    }
    found
}

/// Tells whether a call asks for lines up to one: what it shows may not be all.
fn ends_early(given: &Value) -> bool {
    let limits = ["end", "limit"].iter().filter_map(|key| given.get(key));
    limits.into_iter().any(|limit| !limit.is_null())
}

/// Returns the text that a numbered listing shows, if it begins at the first line and no more
/// follows.
fn shown(listing: &str) -> Option<String> {
    let mut text = String::new();
    for (index, line) in listing.lines().enumerate() {
        let (number, line) = line.split_once('\t')?;
        if number.trim().parse() != Ok(index + 1) {
            return None;
        }
        text.push_str(line);
        text.push('\n');
    }
    Some(text)
}
