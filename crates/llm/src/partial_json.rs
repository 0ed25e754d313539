//! Partial JSON: reads a tool call's arguments before they are complete.
//!
//! In: the argument text in pieces, as a model writes it. Out: path, operation and description as soon as each is there, of
//! every change and of the files that a patch names, and how many lines of content have come.
//!
//! ```text
//! {"path":"a.rs","description":"Ad            first: path a.rs
//! d it","edits":[{"old_text":"x\ny           first: path a.rs, description "Add it"; 2 lines
//!
//! {"changes":[{"file":"a.ts","description":"First"},{"file":"b.ts","description":"Sec
//!                                             first: path a.ts, description "First"; more: path b.ts
//! ```
//!
//! **Invariant:** linear in the bytes, however they are cut. Content is counted, not kept.

use std::iter;

use signoff_core::edit::intent::Operation;
use signoff_core::edit::request::Payload;

mod patch;
mod text;

use patch::PatchFiles;
use text::Text;

/// Containers deeper than this are malformed, as they are for the parser that reads the whole.
const MAX_DEPTH: usize = 128;
/// Longer paths are no paths; what is kept of them ends in an ellipsis.
const MAX_PATH: usize = 4096;
/// A description is one line on a screen.
const MAX_DESCRIPTION: usize = 512;
/// Maximum number of files reported after the first.
const MAX_FILES: usize = 64;
/// Longer than every key and operation that means anything here.
const MAX_WORD: usize = 32;
/// Keys beside those of a payload whose short strings are no content: they do not count as lines.
const LABELS: [&str; 2] = ["id", "output"];

/// Scans the arguments of one call while they stream in, in time linear in their length.
#[derive(Debug, Default)]
pub struct ArgumentStream {
    at: At,
    stack: Vec<Level>,
    text: Text,
    first: PlannedFile,
    /// What the changes after the first are for, and files after the first that a patch names.
    more: Vec<PlannedFile>,
    /// Whether strings of the present change go into the last of them.
    into_more: bool,
    patch: PatchFiles,
    lines: u64,
    line_open: bool,
}

/// What a file is changed for, as far as it came.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PlannedFile {
    /// The file.
    pub path: Option<String>,
    /// What happens to it, where it is one that exists.
    pub operation: Option<Operation>,
    /// One line, in the model's words.
    pub description: Option<String>,
}

/// What may come next.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum At {
    #[default]
    Start,
    FirstKey,
    Key,
    Colon,
    FirstValue,
    Value,
    Comma,
    Text(StringRole),
    Number,
    Literal(&'static [u8]),
    End,
    Malformed,
}

/// What a string is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum StringRole {
    Key,
    /// A field of [`PlannedFile`], of the one that [`ArgumentStream::planned`] returns.
    Intent(IntentField),
    Label,
    Patch,
    Content,
}

/// A field of [`PlannedFile`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum IntentField {
    Path,
    Operation,
    Description,
}

/// An open container.
#[derive(Clone, Copy, Debug)]
enum Level {
    Object(Key),
    Array { first: bool },
}

/// The key whose value comes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Key {
    Intent(IntentField),
    Changes,
    Patch,
    Label,
    Other,
}

impl ArgumentStream {
    /// Returns a scanner that has seen nothing.
    pub fn new() -> Self {
        Self::default()
    }

    /// Takes the next piece of the text.
    pub fn push(&mut self, fragment: &str) {
        let mut rest = fragment;
        while let Some(&byte) = rest.as_bytes().first() {
            rest = match self.at {
                At::Malformed => return,
                At::Text(role) => self.read_text(role, rest),
                _ => {
                    // Outside strings every character that is allowed is one byte.
                    self.step(byte);
                    rest.get(1..).unwrap_or_default()
                }
            };
        }
    }

    /// Returns what came of the first file: that of the first change where there are several, the first path where it
    /// stands deeper.
    pub fn first(&self) -> &PlannedFile {
        &self.first
    }

    /// Returns what came of the files after the first, in order.
    pub fn more(&self) -> &[PlannedFile] {
        &self.more
    }

    /// Returns how many lines of content have begun in all strings that are neither intent
    /// nor label.
    pub fn lines(&self) -> u64 {
        self.lines
    }

    /// Tells whether the text cannot become valid any more; nothing after that is read.
    pub fn is_malformed(&self) -> bool {
        self.at == At::Malformed
    }

    /// Tells whether the object is closed.
    pub fn is_complete(&self) -> bool {
        self.at == At::End
    }

    fn step(&mut self, byte: u8) {
        if let At::Literal(expected) = self.at {
            self.at = match expected {
                [only] if *only == byte => At::Comma,
                [next, rest @ ..] if *next == byte => At::Literal(rest),
                _ => At::Malformed,
            };
            return;
        }
        if self.at == At::Number {
            if matches!(byte, b'0'..=b'9' | b'+' | b'-' | b'.' | b'e' | b'E') {
                return;
            }
            self.at = At::Comma;
        }
        if matches!(byte, b' ' | b'\t' | b'\n' | b'\r') {
            return;
        }
        self.at = match (self.at, byte) {
            (At::Start, b'{') => self.open(Level::Object(Key::Other)),
            (At::FirstKey | At::Key, b'"') => self.begin(StringRole::Key),
            (At::Colon, b':') => At::Value,
            (At::FirstKey, b'}') | (At::FirstValue, b']') => self.close(byte),
            (At::Comma, b',') => self.after_comma(),
            (At::Comma, b'}' | b']') => self.close(byte),
            (At::Value | At::FirstValue, _) => self.value(byte),
            _ => At::Malformed,
        };
    }

    fn value(&mut self, byte: u8) -> At {
        match byte {
            b'"' => {
                let role = self.role();
                self.begin(role)
            }
            b'{' => self.open(Level::Object(Key::Other)),
            b'[' => self.open(Level::Array { first: true }),
            b't' => At::Literal(b"rue"),
            b'f' => At::Literal(b"alse"),
            b'n' => At::Literal(b"ull"),
            b'-' | b'0'..=b'9' => At::Number,
            _ => At::Malformed,
        }
    }

    fn open(&mut self, level: Level) -> At {
        if self.stack.len() >= MAX_DEPTH {
            return At::Malformed;
        }
        self.stack.push(level);
        if self.stack.len() == 3 && self.in_next_change() {
            self.into_more = self.more.len() < MAX_FILES;
            if self.into_more {
                self.more.push(PlannedFile::default());
            }
        }
        match level {
            Level::Object(_) => At::FirstKey,
            Level::Array { .. } => At::FirstValue,
        }
    }

    fn close(&mut self, byte: u8) -> At {
        match (self.stack.pop(), byte) {
            (Some(Level::Object(_)), b'}') | (Some(Level::Array { .. }), b']') => {}
            _ => return At::Malformed,
        }
        if self.stack.is_empty() {
            At::End
        } else {
            At::Comma
        }
    }

    fn after_comma(&mut self) -> At {
        match self.stack.last_mut() {
            Some(Level::Object(_)) => At::Key,
            Some(Level::Array { first }) => {
                *first = false;
                At::Value
            }
            None => At::Malformed,
        }
    }

    /// Returns what the string that begins now is for.
    fn role(&self) -> StringRole {
        let Some(Level::Object(key)) = self.stack.last() else {
            return StringRole::Content;
        };
        match *key {
            Key::Patch => StringRole::Patch,
            Key::Changes | Key::Other => StringRole::Content,
            Key::Intent(field) if self.tells(field) => StringRole::Intent(field),
            Key::Intent(_) | Key::Label => StringRole::Label,
        }
    }

    /// Tells whether a field here is one of a file's intent that is not known yet.
    fn tells(&self, field: IntentField) -> bool {
        if self.in_next_change() {
            return self.stack.len() == 3 && self.into_more;
        }
        match field {
            IntentField::Path => self.first.path.is_none(),
            IntentField::Operation => self.first.operation.is_none() && self.tells_intent(),
            IntentField::Description => self.first.description.is_none() && self.tells_intent(),
        }
    }

    /// Returns the file of the change that is being read; none beyond the files that are kept.
    fn planned(&mut self) -> Option<&mut PlannedFile> {
        if !self.in_next_change() {
            return Some(&mut self.first);
        }
        self.more.last_mut().filter(|_| self.into_more)
    }

    /// Tells whether this is within a change that is not the first.
    fn in_next_change(&self) -> bool {
        matches!(
            self.stack.as_slice(),
            [
                Level::Object(Key::Changes),
                Level::Array { first: false },
                _,
                ..
            ]
        )
    }

    /// Tells whether this is the object itself or the first of its changes.
    fn tells_intent(&self) -> bool {
        matches!(
            self.stack.as_slice(),
            [_] | [Level::Object(Key::Changes), Level::Array { first: true }, _]
        )
    }

    fn begin(&mut self, role: StringRole) -> At {
        let keep = match role {
            StringRole::Intent(IntentField::Path) => MAX_PATH,
            StringRole::Intent(IntentField::Description) => MAX_DESCRIPTION,
            StringRole::Intent(IntentField::Operation) | StringRole::Key => MAX_WORD,
            StringRole::Label | StringRole::Patch | StringRole::Content => 0,
        };
        self.patch.begin();
        self.text.begin(keep);
        self.line_open = false;
        At::Text(role)
    }

    /// Reads up to the string's end, and returns what comes after it.
    fn read_text<'a>(&mut self, role: StringRole, rest: &'a str) -> &'a str {
        let (lines, line_open) = (&mut self.lines, &mut self.line_open);
        let (patch, mut found) = (&mut self.patch, Vec::new());
        let step = self.text.read(rest, |piece| {
            if matches!(role, StringRole::Content | StringRole::Patch) {
                *lines += count_lines(piece, line_open);
            }
            if role == StringRole::Patch {
                patch.read(piece, &mut found);
            }
        });
        for (path, operation) in found {
            self.patched(path, operation);
        }
        match step {
            text::StringProgress::More => "",
            text::StringProgress::Malformed => {
                self.at = At::Malformed;
                ""
            }
            text::StringProgress::End(after) => {
                self.end_text(role);
                after
            }
        }
    }

    /// Takes in a file that a patch names; one that its change named before is no other.
    fn patched(&mut self, path: String, operation: Operation) {
        let Some(planned) = self.planned() else {
            return;
        };
        if planned.path.is_none() {
            planned.path = Some(path);
            planned.operation = planned.operation.or(Some(operation));
            return;
        }
        let named = PlannedFile {
            path: Some(path),
            operation: Some(operation),
            description: planned.description.clone(),
        };
        let mut known = iter::once(&self.first).chain(&self.more);
        if known.all(|planned| planned.path != named.path) && self.more.len() < MAX_FILES {
            self.more.push(named);
        }
    }

    fn end_text(&mut self, role: StringRole) {
        let text = self.text.take();
        self.at = At::Comma;
        match role {
            StringRole::Key => {
                self.at = At::Colon;
                if let Some(Level::Object(key)) = self.stack.last_mut() {
                    *key = Key::of(&text);
                }
            }
            StringRole::Intent(field) => {
                let Some(planned) = self.planned() else {
                    return;
                };
                match field {
                    IntentField::Path => planned.path = Some(text),
                    IntentField::Operation => planned.operation = operation(&text),
                    IntentField::Description => planned.description = Some(text),
                }
            }
            StringRole::Label | StringRole::Patch | StringRole::Content => {}
        }
    }
}

impl Key {
    fn of(text: &str) -> Self {
        match text {
            "path" | "file" => Self::Intent(IntentField::Path),
            "operation" => Self::Intent(IntentField::Operation),
            "description" => Self::Intent(IntentField::Description),
            "changes" => Self::Changes,
            "patch" => Self::Patch,
            _ if Payload::is_label(text) || LABELS.contains(&text) => Self::Label,
            _ => Self::Other,
        }
    }
}

fn operation(text: &str) -> Option<Operation> {
    [
        Operation::Create,
        Operation::Modify,
        Operation::Rewrite,
        Operation::Move,
        Operation::Delete,
    ]
    .into_iter()
    .find(|operation| operation.to_string() == text)
}

/// Counts the lines that begin in `piece`; `open` carries over whether the last one goes on.
fn count_lines(piece: &str, open: &mut bool) -> u64 {
    let mut lines = 0;
    for part in piece.split_inclusive('\n') {
        lines += u64::from(!*open);
        *open = !part.ends_with('\n');
    }
    lines
}

#[cfg(test)]
mod tests;
