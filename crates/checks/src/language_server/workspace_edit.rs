//! Workspace edits: what a server wants changed, applied to texts that it was sent.
//!
//! `{"changes": {"file:///w/a.rs": [{"range": 0:3-0:6, "newText": "new"}]}}` makes `fn new() {}` of `fn old() {}`. Where an
//! edit has `documentChanges`, they count, in their order: a file may be renamed before it is edited.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use serde::Deserialize;
use serde_json::Value;

use super::position::{Encoding, Lines, Range};
use super::{ServerFault, uri};

/// Files that one edit may touch.
const MAX_FILES: usize = 5000;
/// Bytes of the new texts of one edit.
const MAX_BYTES: usize = 64 << 20;

/// A file as an edit leaves it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EditedFile {
    /// Its text.
    pub text: String,
    /// The text that the server was sent; none for a new file.
    pub before: Option<String>,
}

/// What becomes of one file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum FileOperation {
    /// It has another text, or is new.
    Write(EditedFile),
    /// It is gone.
    Delete,
    /// It has another path, and then perhaps another text.
    Move {
        /// The path.
        to: String,
        /// Its text, where that changes as well.
        edited: Option<EditedFile>,
    },
}

/// One replacement.
#[derive(Deserialize)]
struct TextEdit {
    range: Range,
    #[serde(rename = "newText")]
    new_text: String,
}

/// What a server wants, in order.
enum Step {
    Edit {
        path: String,
        version: Option<i64>,
        edits: Vec<TextEdit>,
    },
    Create(String),
    Rename(String, String),
    Delete(String),
}

/// The texts that a server was sent.
pub(super) trait Sent {
    /// Returns the version and text of a file; none if it was not sent.
    fn sent(&self, path: &str) -> Option<(i64, &str)>;
}

/// Returns the files that an edit touches and that were there before, so that they can be sent to the server before it
/// is asked again.
pub(super) fn touched(root: &Path, edit: &Value) -> Result<BTreeSet<String>, ServerFault> {
    let mut made = BTreeSet::new();
    let mut touched = BTreeSet::new();
    for step in steps(root, edit)? {
        match step {
            Step::Edit { path, .. } if !made.contains(&path) => {
                touched.insert(path);
            }
            Step::Edit { .. } | Step::Delete(_) => {}
            Step::Create(path) => {
                made.insert(path);
            }
            Step::Rename(from, to) => {
                touched.insert(from);
                made.insert(to);
            }
        }
    }
    Ok(touched)
}

/// Returns what an edit makes of each file, by the path that it has now.
pub(super) fn applied(
    root: &Path,
    encoding: Encoding,
    edit: &Value,
    sent: &impl Sent,
) -> Result<BTreeMap<String, FileOperation>, ServerFault> {
    let mut files: BTreeMap<String, FileOperation> = BTreeMap::new();
    // Paths that files were moved to, and where they are now.
    let mut moved: BTreeMap<String, String> = BTreeMap::new();
    let mut bytes = 0;
    for step in steps(root, edit)? {
        match step {
            Step::Edit {
                path,
                version,
                edits,
            } => {
                let own = moved.get(&path).unwrap_or(&path).clone();
                let unknown = || unfit(format!("it edits {path}, which it was not sent"));
                let before = match files.get(&own) {
                    Some(FileOperation::Write(edited))
                    | Some(FileOperation::Move {
                        edited: Some(edited),
                        ..
                    }) => edited.clone(),
                    Some(FileOperation::Delete) => return Err(unknown()),
                    Some(FileOperation::Move { edited: None, .. }) | None => {
                        let (known, text) = sent.sent(&own).ok_or_else(unknown)?;
                        if version.is_some_and(|version| version != known) {
                            return Err(unfit(format!("it is for another version of {path}")));
                        }
                        EditedFile {
                            text: text.to_owned(),
                            before: Some(text.to_owned()),
                        }
                    }
                };
                let text = edited(&before.text, encoding, edits)
                    .map_err(|why| unfit(format!("{path}: {why}")))?;
                bytes += text.len();
                if bytes > MAX_BYTES {
                    return Err(unfit("it makes more than 64 MiB of text".to_owned()));
                }
                let now = EditedFile { text, ..before };
                let operation = match files.remove(&own) {
                    Some(FileOperation::Move { to, .. }) => FileOperation::Move {
                        to,
                        edited: Some(now),
                    },
                    _ => FileOperation::Write(now),
                };
                files.insert(own, operation);
            }
            Step::Create(path) => {
                let new = EditedFile {
                    text: String::new(),
                    before: None,
                };
                if files.contains_key(&path) {
                    return Err(unfit(format!("it makes {path}, which it changed before")));
                }
                files.insert(path, FileOperation::Write(new));
            }
            Step::Rename(from, to) => {
                let edited = match files.remove(&from) {
                    None => None,
                    Some(FileOperation::Write(edited)) if edited.before.is_some() => Some(edited),
                    Some(_) => return Err(unfit(format!("it moves {from} after other changes"))),
                };
                moved.insert(to.clone(), from.clone());
                files.insert(from, FileOperation::Move { to, edited });
            }
            Step::Delete(path) => {
                files.insert(path, FileOperation::Delete);
            }
        }
    }
    files.retain(|_, operation| match operation {
        FileOperation::Write(edited) => edited.before.as_ref() != Some(&edited.text),
        FileOperation::Delete | FileOperation::Move { .. } => true,
    });
    Ok(files)
}

/// Returns a text with replacements made, all of which are about the text as it was.
fn edited(text: &str, encoding: Encoding, edits: Vec<TextEdit>) -> Result<String, &'static str> {
    let lines = Lines::of(text);
    let mut placed = Vec::with_capacity(edits.len());
    for edit in edits {
        let start = encoding.byte(&lines, edit.range.start);
        let end = encoding.byte(&lines, edit.range.end);
        let (Some(start), Some(end)) = (start, end) else {
            return Err("an edit is outside of the text");
        };
        if start > end {
            return Err("an edit ends before it starts");
        }
        placed.push((start, end, edit.new_text));
    }
    // Insertions at one place keep their order.
    placed.sort_by_key(|(start, end, _)| (*start, *end));
    let mut new = String::with_capacity(text.len());
    let mut done = 0;
    for (start, end, inserted) in placed {
        let Some(kept) = text.get(done..start) else {
            return Err("edits overlap");
        };
        new += kept;
        new += &inserted;
        if new.len() > MAX_BYTES {
            return Err("its new text has more than 64 MiB");
        }
        done = end;
    }
    let rest = text.get(done..).ok_or("an edit is outside of the text")?;
    Ok(new + rest)
}

/// Reads the steps of an edit.
fn steps(root: &Path, edit: &Value) -> Result<Vec<Step>, ServerFault> {
    let mut steps = Vec::new();
    if let Some(changes) = edit.get("documentChanges").and_then(Value::as_array) {
        for change in changes {
            let kind = change.get("kind").and_then(Value::as_str);
            steps.push(match kind {
                None => Step::Edit {
                    path: path_of(root, change.pointer("/textDocument/uri"))?,
                    version: change
                        .pointer("/textDocument/version")
                        .and_then(Value::as_i64),
                    edits: edits_of(change.get("edits"))?,
                },
                Some("create") => Step::Create(path_of(root, change.get("uri"))?),
                Some("delete") => Step::Delete(path_of(root, change.get("uri"))?),
                Some("rename") => Step::Rename(
                    path_of(root, change.get("oldUri"))?,
                    path_of(root, change.get("newUri"))?,
                ),
                Some(_) => return Err(unfit("it has a change of an unknown kind".to_owned())),
            });
        }
    } else if let Some(changes) = edit.get("changes").and_then(Value::as_object) {
        for (uri, own) in changes {
            steps.push(Step::Edit {
                path: path_of(root, Some(&Value::from(uri.as_str())))?,
                version: None,
                edits: edits_of(Some(own))?,
            });
        }
    }
    if steps.len() > MAX_FILES {
        return Err(unfit(format!("it changes more than {MAX_FILES} files")));
    }
    Ok(steps)
}

/// Returns the path of a file of the workspace.
fn path_of(root: &Path, uri: Option<&Value>) -> Result<String, ServerFault> {
    let uri = uri.and_then(Value::as_str).unwrap_or("");
    uri::below(root, uri).ok_or_else(|| {
        unfit(format!(
            "it changes {uri:.200?}, which is not in the workspace"
        ))
    })
}

/// Reads the replacements in one file.
fn edits_of(edits: Option<&Value>) -> Result<Vec<TextEdit>, ServerFault> {
    let edits = edits.cloned().unwrap_or(Value::Null);
    serde_json::from_value(edits)
        .map_err(|_shape| unfit("its edits have not the shape of edits".to_owned()))
}

fn unfit(why: String) -> ServerFault {
    ServerFault::Unfit(why)
}

#[cfg(test)]
mod tests;
