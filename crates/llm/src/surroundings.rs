//! Surroundings: what the model is given to know of the workspace before a request.
//!
//! In: the environment, files that the request names, and files that it is likely about. Out: one text of
//! bounded size.
//!
//! **Invariant:** a file that looks like a secret is given only if the user names it, and is marked as one.
//!
//! **Invariant:** no file outside of the workspace is read for a prompt unless `Command::TypedPaths` names it, and
//! none whose first bytes are not an image's. What the model or a file wrote never gets into that command.

use std::fmt;

use serde::{Deserialize, Serialize};
use signoff_core::clip;
use signoff_core::plural::counted;
use signoff_core::quote::{fence, name, one_line};

use crate::provider::text::AS_IT_IS;

/// Bytes of the text about the environment.
pub const MAX_ENVIRONMENT: usize = 600;
/// Bytes of attached files together: some 6,000 tokens.
pub const MAX_ATTACHED: usize = 24 * 1024;
/// Bytes of attached files that a conversation has without having named them: some 12,000 tokens.
pub const MAX_UNNAMED: usize = 2 * MAX_ATTACHED;
/// Bytes of one file that is attached whole; of a larger one the model reads what it needs.
pub const MAX_FILE: usize = 12 * 1024;
/// Bytes of why a file is given.
const MAX_REASON: usize = 240;

/// What the model is given to know.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Surroundings {
    /// Folder, system, date, state of git, languages, checks; in the first request only.
    pub environment: Option<String>,
    /// The skill that the request calls for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub skill: Option<String>,
    /// Resources and prompts of servers that the request names, each bounded and marked as foreign.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub foreign: Vec<String>,
    /// Files that the request names, or else those that it is likely about, best first.
    pub files: Vec<AttachedFile>,
    /// What files define that the request names and that are too large to be given whole.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub outlines: Vec<OutlinedFile>,
    /// Files that the request is likely about, best first.
    pub likely: Vec<LikelyFile>,
}

/// How a file came to be given.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Grounds {
    /// The request names it.
    #[default]
    Named,
    /// The request names none, and is clearly about this one.
    Meant,
    /// It is among those that the request is likely about.
    Ranked,
}

/// A file whose text is given.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct AttachedFile {
    /// Path relative to the workspace.
    pub path: String,
    /// How it came to be given.
    #[serde(default)]
    pub grounds: Grounds,
    /// Why it is given, in a few words.
    pub reason: String,
    /// The text with everything staged in it.
    pub text: String,
    /// Which lines of the file it is, if it is not all of it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub lines: Option<(usize, usize)>,
    /// Which lines of the file the request is about, if that is clear.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub about: Option<(usize, usize)>,
}

/// A file of which is told what it defines.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct OutlinedFile {
    /// Path relative to the workspace.
    pub path: String,
    /// How many lines it has.
    pub lines: usize,
    /// What it defines, a line each.
    pub outline: String,
}

/// A file that is only named.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct LikelyFile {
    /// Path relative to the workspace.
    pub path: String,
    /// Why, in a few words.
    pub reason: String,
}

/// What a request holds of a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Attachment {
    /// Path relative to the workspace.
    pub path: String,
    /// Why it is there, in a few words.
    pub reason: String,
    /// Bytes of what is given.
    pub bytes: usize,
}

impl Surroundings {
    /// Returns what is given of files.
    pub fn attachments(&self) -> impl Iterator<Item = Attachment> {
        let files = self.files.iter();
        let files = files.map(move |file| attachment(&file.path, &file.reason, file.text.len()));
        let outlines = self.outlines.iter();
        let outlines =
            outlines.map(move |file| attachment(&file.path, "what it defines", file.outline.len()));
        let likely = self.likely.iter();
        let likely =
            likely.map(move |file| attachment(&file.path, &file.reason, file.reason.len()));
        files.chain(outlines).chain(likely)
    }

    /// Returns the same without the files that `keep` refuses.
    #[must_use]
    pub fn keeping(&self, keep: impl Fn(&str) -> bool) -> Self {
        let mut kept = self.clone();
        kept.files.retain(|file| keep(&file.path));
        kept.outlines.retain(|file| keep(&file.path));
        kept.likely.retain(|file| keep(&file.path));
        kept
    }

    /// Returns whether there is nothing to tell.
    pub fn is_empty(&self) -> bool {
        self.environment.is_none()
            && self.skill.is_none()
            && self.foreign.is_empty()
            && self.files.is_empty()
            && self.outlines.is_empty()
            && self.likely.is_empty()
    }
}

fn attachment(path: &str, reason: &str, bytes: usize) -> Attachment {
    Attachment {
        path: path.to_owned(),
        reason: reason.to_owned(),
        bytes,
    }
}

impl fmt::Display for Surroundings {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut parts = Vec::new();
        if let Some(environment) = &self.environment {
            let environment = clip::head(environment, MAX_ENVIRONMENT);
            parts.push(one_line(environment, MAX_ENVIRONMENT));
        }
        for file in &self.outlines {
            let lines = counted(file.lines, "line");
            let outline = file.outline.trim_end_matches('\n');
            let path = name(&file.path);
            parts.push(format!("{path} has {lines} and defines:\n{outline}"));
        }
        for file in &self.files {
            let edge = fence(&file.text);
            let lines = file
                .lines
                .map(|(first, last)| format!(" lines {first}-{last}"));
            parts.push(format!(
                "{}{}{AS_IT_IS}{}):\n{edge}\n{}\n{edge}",
                name(&file.path),
                lines.unwrap_or_default(),
                one_line(&file.reason, MAX_REASON),
                file.text.trim_end_matches('\n')
            ));
        }
        parts.extend(self.skill.clone());
        parts.extend(self.foreign.iter().cloned());
        if !self.likely.is_empty() {
            let lines = self.likely.iter().map(|file| {
                format!(
                    "- {}: {}",
                    name(&file.path),
                    one_line(&file.reason, MAX_REASON)
                )
            });
            let lines: Vec<String> = lines.collect();
            parts.push(format!("Likely about:\n{}", lines.join("\n")));
        }
        f.write_str(&parts.join("\n"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_cannot_close_its_fence() {
        let surroundings = Surroundings {
            environment: Some("é".repeat(MAX_ENVIRONMENT)),
            skill: None,
            foreign: Vec::new(),
            files: vec![AttachedFile {
                path: "a.md".into(),
                grounds: Grounds::Named,
                reason: "named".into(),
                text: "````\nx\n````\n".into(),
                lines: None,
                about: None,
            }],
            outlines: vec![OutlinedFile {
                path: "c.rs".into(),
                lines: 900,
                outline: "1-20 function f\n".into(),
            }],
            likely: vec![LikelyFile {
                path: "b.md".into(),
                reason: "named".into(),
            }],
        };
        let told = surroundings.to_string();
        assert!(told.starts_with(&"é".repeat(MAX_ENVIRONMENT / 2)));
        assert!(told.contains("\n`````\n````\nx\n````\n`````\n"), "{told}");
        assert!(told.contains("\nc.rs has 900 lines and defines:\n1-20 function f\na.md as"));
        assert!(told.ends_with("Likely about:\n- b.md: named"));
        assert_eq!(Surroundings::default().to_string(), "");
    }
}
