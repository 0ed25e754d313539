//! Edits that the text of an answer spells out: SEARCH/REPLACE blocks, patches, and files that a line names.
//!
//! ```text
//! src/a.py
//! <<<<<<< SEARCH
//! x = 1
//! =======
//! x = 2
//! >>>>>>> REPLACE
//! ```
//!
//! is `edit_section` on `src/a.py`, of `x = 1` to `x = 2`. In: the text, the files that were read, and the names of the
//! tools. Out: calls, as if the model had made them; and what looks like an edit but names no file, or has no tool.

use std::path::Path;

use serde_json::json;
use signoff_core::disk::workspace::WorkspacePath;
use signoff_core::edit::plan::file_named;
use signoff_core::syntax::Language;

use super::looks_like_a_file;
use crate::provider::text::{Block, Files, TextCall, words};

/// The edits of a text.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TextEdits {
    /// Calls that make them.
    pub calls: Vec<TextCall>,
    /// What looks like an edit and is not taken as one, a few words each.
    pub unread: Vec<String>,
}

/// An edit as it stands in a text.
#[derive(Debug, PartialEq, Eq)]
enum Spelled {
    Pair {
        path: Option<String>,
        old: String,
        new: String,
    },
    Patch {
        /// The file that a line before it names; a patch may name its files itself.
        path: Option<String>,
        patch: String,
    },
    /// The text of a file, or of a part of it.
    File { path: String, block: Block },
    /// A fence that no line names, of no language or of this one.
    Unnamed { language: String, code: String },
    /// A pair without its end.
    Cut,
}

/// Marks at the beginning of a line, behind which the word stands.
const SEARCH: (&[char], &str) = (&['<', '-'], "SEARCH");
const REPLACE: (&[char], &str) = (&['>', '+'], "REPLACE");
const DIVIDER: &str = "=======";
/// Fewest characters of a mark.
const FEWEST: usize = 5;

const BEGIN_PATCH: &str = "*** Begin Patch";
const END_PATCH: &str = "*** End Patch";

/// Returns the edits of an answer, for the tools of these names.
pub fn spelled(text: &str, files: &Files, tools: &[&str]) -> TextEdits {
    let mut found = Vec::new();
    read(text, &mut Names::default(), &mut found);
    let mut edits = TextEdits::default();
    let mut pairs: Vec<(String, Vec<(String, String)>)> = Vec::new();
    for one in found {
        match one {
            Spelled::Pair { path, old, new } => {
                match path.filter(|_| tools.contains(&"edit_section")) {
                    Some(path) if old.trim().is_empty() && tools.contains(&"write") => {
                        edits.calls.push(creation(&path, &new));
                    }
                    Some(path) => match pairs.iter_mut().find(|(known, _)| *known == path) {
                        Some((_, known)) => known.push((old, new)),
                        None => pairs.push((path, vec![(old, new)])),
                    },
                    None => edits
                        .unread
                        .push("a SEARCH/REPLACE block without the path of its file".to_owned()),
                }
            }
            Spelled::Patch { path, patch } => {
                if !tools.contains(&"apply_structured_edits") {
                    edits.unread.push("a patch".to_owned());
                } else if path.is_none() && !names_files(&patch) {
                    edits
                        .unread
                        .push("a diff without the path of its file".to_owned());
                } else {
                    edits.calls.push(patching(path.as_deref(), &patch));
                }
            }
            Spelled::File { path, block } => {
                let has_recipes = tools.contains(&"apply_structured_edits");
                let call = super::edit(&block, files, has_recipes);
                match call.filter(|call| tools.contains(&call.name.as_str())) {
                    Some(call) => edits.calls.push(call),
                    // What was read is quoted more often than it is changed.
                    None if files.is_seen(&path) || files.text(&path).is_some() => {}
                    None if tools.contains(&"write") => {
                        edits.unread.push(format!("the text of {path}"))
                    }
                    None => {}
                }
            }
            Spelled::Unnamed { language, code } => {
                let seen = files.only().filter(|_| tools.contains(&"write"));
                if let Some((path, _)) =
                    seen.filter(|(path, old)| is_another_text((path, old), &language, &code))
                {
                    edits
                        .unread
                        .push(format!("the text of {path}, without its name"));
                }
            }
            Spelled::Cut => edits
                .unread
                .push("a SEARCH/REPLACE block without its end".to_owned()),
        }
    }
    edits
        .calls
        .extend(pairs.iter().map(|(path, pairs)| sections(path, pairs)));
    edits
}

/// Returns the old and new texts of the SEARCH/REPLACE blocks of a text; none if it has anything else, or one without its end.
pub fn pairs(text: &str) -> Option<Vec<(String, String)>> {
    let mut found = Vec::new();
    read(text, &mut Names::default(), &mut found);
    let pairs = found.into_iter().map(|one| match one {
        Spelled::Pair { old, new, .. } => Some((old, new)),
        _ => None,
    });
    pairs.collect()
}

/// Tells whether code is another text of all of a file: most of the file's lines are in it. A part of a file, which answers
/// quote, has fewer.
fn is_another_text((path, old): (&str, &str), language: &str, code: &str) -> bool {
    let said = Language::named(language);
    let own = WorkspacePath::parse(path, Path::new("/")).ok();
    let is_of_other = said.is_some() && said != own.and_then(|own| Language::of(&own));
    let telling = |text: &str| -> Vec<String> {
        let lines = text.lines().map(str::trim);
        lines
            .filter(|line| !line.is_empty())
            .map(str::to_owned)
            .collect()
    };
    let (before, after) = (telling(old), telling(code));
    let kept = before.iter().filter(|line| after.contains(line)).count();
    !is_of_other && before != after && kept > 1 && 3 * kept >= 2 * before.len()
}

/// Tells whether a text has the form of such an edit, so that it is no text of a file.
pub(super) fn is_spelled(text: &str) -> bool {
    text.lines()
        .any(|line| is_mark(line, SEARCH) || line.trim_end() == BEGIN_PATCH)
        || is_diff("", text)
}

fn creation(path: &str, content: &str) -> TextCall {
    TextCall {
        name: "write".to_owned(),
        arguments: json!({
            "path": path,
            "operation": "create",
            "description": format!("Create {path} as in the reply"),
            "content": content,
        })
        .to_string(),
    }
}

fn sections(path: &str, pairs: &[(String, String)]) -> TextCall {
    let pairs = pairs
        .iter()
        .map(|(old, new)| json!({ "old_text": old, "new_text": new }));
    TextCall {
        name: "edit_section".to_owned(),
        arguments: json!({
            "path": path,
            "description": format!("Change {path} as in the reply"),
            "edits": pairs.collect::<Vec<_>>(),
        })
        .to_string(),
    }
}

fn patching(path: Option<&str>, patch: &str) -> TextCall {
    let mut change = json!({
        "strategy": "diff",
        "description": "Apply the patch of the reply",
        "diff": { "patch": patch },
    });
    if let Some(path) = path.filter(|_| !names_files(patch)) {
        change["file"] = path.into();
    }
    TextCall {
        name: "apply_structured_edits".to_owned(),
        arguments: json!({ "changes": [change] }).to_string(),
    }
}

/// The files that the lines before an edit name.
#[derive(Clone, Debug, Default)]
struct Names {
    /// That of the last line that is not blank, and whether it is all of the line.
    line: Option<(String, bool)>,
    /// That of the last edit: the next may be of the same file.
    edit: Option<String>,
}

impl Names {
    fn of_edit(&mut self) -> Option<String> {
        let path = self.line.take().map(|(path, _)| path);
        self.edit = path.or(self.edit.take());
        self.edit.clone()
    }
}

fn read(text: &str, names: &mut Names, out: &mut Vec<Spelled>) {
    let mut lines = text.split_inclusive('\n').peekable();
    while let Some(line) = lines.next() {
        if is_mark(line, SEARCH) {
            let (old, _) = until(&mut lines, |line| line.trim_end().starts_with(DIVIDER));
            let (new, is_whole) = until(&mut lines, |line| is_mark(line, REPLACE));
            let path = names.of_edit();
            out.push(if is_whole {
                Spelled::Pair { path, old, new }
            } else {
                Spelled::Cut
            });
        } else if line.trim_end() == BEGIN_PATCH {
            let (body, _) = until(&mut lines, |line| line.trim_end() == END_PATCH);
            let patch = format!("{line}{body}{END_PATCH}\n");
            out.push(Spelled::Patch { path: None, patch });
        } else if begins_diff(line, lines.peek().copied()) {
            let mut patch = line.to_owned();
            while let Some(more) = lines.next_if(|line| is_in_diff(line)) {
                patch.push_str(more);
            }
            // An empty line behind it is no line of the file.
            let patch = format!("{}\n", patch.trim_end());
            out.push(Spelled::Patch { path: None, patch });
        } else if let Some((count, info)) = fence(line) {
            let closes = |line: &str| {
                fence(line).is_some_and(|(marks, info)| marks >= count && info.is_empty())
            };
            let (body, is_whole) = until(&mut lines, closes);
            fenced(info, &body, is_whole, names, out);
            names.line = None;
        } else if !line.trim().is_empty() {
            names.line = named(line);
        }
    }
}

/// Reads a fence. One that the answer ends in may have lost lines: of it, only what has an end of its own counts.
fn fenced(info: &str, body: &str, is_whole: bool, names: &mut Names, out: &mut Vec<Spelled>) {
    let is_edit = body
        .lines()
        .any(|line| is_mark(line, SEARCH) || line.trim_end() == BEGIN_PATCH);
    // Behind the language, as in `python src/a.py`, or in its place.
    let place = info.split_once([' ', ':']).map_or(info, |(_, rest)| rest);
    if let Some((path, _)) = named(place) {
        names.line = Some((path, true));
    }
    if is_edit {
        return read(body, names, out);
    }
    if !is_whole {
        return;
    }
    if is_diff(info, body) {
        let path = names.of_edit();
        let patch = body.to_owned();
        return out.push(Spelled::Patch { path, patch });
    }
    match names.line.take() {
        Some((path, true)) => {
            let block = Block {
                before: path.clone(),
                body: body.to_owned(),
                ..Block::default()
            };
            out.push(Spelled::File { path, block });
        }
        // A sentence that names a file shows what could be in it.
        Some((_, false)) => {}
        None if info.split_whitespace().count() <= 1 => {
            let (language, code) = (info.to_owned(), body.to_owned());
            out.push(Spelled::Unnamed { language, code });
        }
        None => {}
    }
}

/// Returns the lines up to one, which is taken as well, and whether there is such a line.
fn until<'a>(
    lines: &mut impl Iterator<Item = &'a str>,
    is_end: impl Fn(&str) -> bool,
) -> (String, bool) {
    let mut text = String::new();
    for line in lines {
        if is_end(line) {
            return (text, true);
        }
        text.push_str(line);
    }
    (text, false)
}

fn is_mark(line: &str, (marks, word): (&[char], &str)) -> bool {
    let line = line.trim_end();
    let rest = line.trim_start_matches(marks);
    line.len() - rest.len() >= FEWEST && rest.trim_start() == word
}

/// Returns how many characters begin a fence, and what stands behind them.
fn fence(line: &str) -> Option<(usize, &str)> {
    let line = line.trim();
    let rest = line.trim_start_matches('`');
    let count = line.len() - rest.len();
    (count >= 3 && !rest.contains('`')).then_some((count, rest.trim()))
}

/// Tells whether a diff without a fence begins with these two lines.
fn begins_diff(line: &str, next: Option<&str>) -> bool {
    let is_head = line.starts_with("--- ") && next.is_some_and(|next| next.starts_with("+++ "));
    is_head || line.starts_with("diff --git ")
}

/// Tells whether a line may be one of a diff without a fence. White space at the end of an empty line gets lost.
fn is_in_diff(line: &str) -> bool {
    const HEADS: [&str; 9] = [
        "diff --git ",
        "index ",
        "new file mode ",
        "deleted file mode ",
        "old mode ",
        "new mode ",
        "similarity index ",
        "rename from ",
        "rename to ",
    ];
    let is_head = HEADS.iter().any(|head| line.starts_with(head));
    is_head || line.trim().is_empty() || line.starts_with([' ', '+', '-', '@', '\\'])
}

/// Tells whether a fence is a diff: its lines say so, or its head and lines that come or go.
fn is_diff(info: &str, body: &str) -> bool {
    let mut lines = body.lines();
    let has_hunk = lines.any(|line| line.starts_with("@@")) && names_files(body);
    let is_named = matches!(
        info.split_whitespace().next(),
        Some("diff" | "patch" | "udiff")
    );
    has_hunk || is_named && body.lines().any(|line| line.starts_with(['+', '-']))
}

fn names_files(patch: &str) -> bool {
    let mut before = "";
    patch.lines().any(|line| {
        let named = file_named(before, line);
        before = line;
        named.is_some()
    })
}

/// Returns the one file that a line names, and whether it names it alone.
fn named(line: &str) -> Option<(String, bool)> {
    let is_path = |word: &String| {
        looks_like_a_file(word)
            || word.contains('/') && !word.contains("//") && !word.ends_with('/')
    };
    let all: Vec<String> = words(line)
        .filter(|word| word.chars().any(char::is_alphanumeric))
        .collect();
    let mut paths = all.iter().filter(|word| is_path(word));
    let path = paths.next().filter(|_| paths.next().is_none())?;
    let said = ["file", "path", "filename"];
    let others = all
        .iter()
        .filter(|word| !said.contains(&word.to_lowercase().as_str()));
    Some((path.clone(), others.count() == 1))
}
