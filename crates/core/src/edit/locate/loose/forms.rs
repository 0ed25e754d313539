//! Forms of a request: without copied line numbers, escapes or extra blank lines.
//!
//! In: old and new lines, or the rows of a patch. Out: the same less line numbers copied from a
//! read, less one level of escaping or of entities, less fences and blank lines around it. A form is
//! only looked for where the ones before it are not in the file.

use memchr::memmem;

use super::normal::Level;
use crate::budget::Budget;
use crate::edit::locate::script::{Row, Script};
use crate::text::{ENTITIES, Source};

/// A change as it was asked, before its place is known.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum LineChange {
    /// Old lines become new lines.
    Texts(OldNewLines),
    /// The rows of a patch.
    Rows(Script),
}

/// Old and new lines.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct OldNewLines {
    /// The lines before.
    pub old: Vec<String>,
    /// The lines after.
    pub new: Vec<String>,
    /// True if the last old line had an ending, so that it is whole.
    pub closed: bool,
}

/// One form of a change, and what was undone to get it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Form {
    /// The change.
    pub asked: LineChange,
    /// What was undone, in words; empty for the change as it was given.
    pub undone: Vec<&'static str>,
}

impl OldNewLines {
    /// Takes the two texts of a request apart; endings are `\n`.
    pub(crate) fn new(old: &str, new: &str) -> Self {
        let closed = old.ends_with('\n');
        let new = if closed && new.is_empty() {
            Vec::new()
        } else {
            lines_of(new)
        };
        Self {
            old: lines_of(old),
            new,
            closed,
        }
    }
}

fn lines_of(text: &str) -> Vec<String> {
    let text = text.strip_suffix('\n').unwrap_or(text);
    text.split('\n').map(str::to_owned).collect()
}

impl LineChange {
    /// Returns the lines that must be in the file.
    pub(crate) fn before(&self) -> Vec<&str> {
        match self {
            Self::Texts(texts) => texts.old.iter().map(String::as_str).collect(),
            Self::Rows(script) => script.before().map(Row::text).collect(),
        }
    }

    /// Returns the lines that will be in their place.
    pub(crate) fn after(&self) -> Vec<&str> {
        match self {
            Self::Texts(texts) => texts.new.iter().map(String::as_str).collect(),
            Self::Rows(script) => script.after().collect(),
        }
    }

    /// Returns the change as rows, where old and new lines are compared at `level`.
    pub(crate) fn script(&self, budget: &Budget, level: Level) -> Script {
        match self {
            Self::Texts(_) => Script::between(budget, &self.before(), &self.after(), level),
            Self::Rows(script) => script.clone(),
        }
    }

    /// Returns the change with every line put through `each`, which may make several of one.
    fn map(&self, each: &dyn Fn(&str) -> String) -> Self {
        let split =
            |text: &str| -> Vec<String> { each(text).split('\n').map(str::to_owned).collect() };
        match self {
            Self::Texts(texts) => Self::Texts(OldNewLines {
                old: texts.old.iter().flat_map(|line| split(line)).collect(),
                new: texts.new.iter().flat_map(|line| split(line)).collect(),
                closed: texts.closed,
            }),
            Self::Rows(script) => {
                let rows = script.rows.iter().flat_map(|row| {
                    split(row.text())
                        .into_iter()
                        .map(|text| row.with(text))
                        .collect::<Vec<_>>()
                });
                Self::Rows(Script {
                    rows: rows.collect(),
                })
            }
        }
    }
}

/// Returns the forms of a change in the order in which they are tried; the first is the change
/// as it was given.
pub(crate) fn forms(asked: &LineChange, source: &Source) -> Vec<Form> {
    let mut forms = all_forms(asked);
    if memmem::find(source.bytes(), b"\\u").is_none() {
        forms.retain(|form| !form.undone.contains(&ESCAPED));
    }
    forms
}

fn all_forms(asked: &LineChange) -> Vec<Form> {
    let mut forms = vec![Form {
        asked: asked.clone(),
        undone: Vec::new(),
    }];
    for (what, undo) in STEPS {
        for index in 0..forms.len() {
            let Some(form) = forms.get(index) else {
                continue;
            };
            let Some(made) = undo(&form.asked) else {
                continue;
            };
            if form.undone.contains(&what) {
                continue;
            }
            let mut undone = form.undone.clone();
            undone.push(what);
            if forms.iter().all(|form| form.asked != made) {
                forms.push(Form {
                    asked: made,
                    undone,
                });
            }
        }
    }
    forms
}

type Undo = fn(&LineChange) -> Option<LineChange>;

/// What one level of escaping too many is called in evidence, with the characters that it is
/// taken away from. Line breaks come last: where a text has its own, `\n` is mostly meant.
const ESCAPES: [(&str, &str); 2] = [("unescaped", "\"'\\`"), (LINE_BREAKS, "nrt\"'\\`")];

/// What taking `\n` for a line break is called in evidence.
pub(crate) const LINE_BREAKS: &str = "unescaped, with line breaks";

/// What reading `\u00e4` for the character is called in evidence, and the other way round.
const CHARACTERS: &str = "with the characters of its \\u escapes";
const ESCAPED: &str = "with \\u escapes for its characters";

const STEPS: [(&str, Undo); 10] = [
    ("without the fence around it", fence),
    ("without line numbers", |asked| numbers(asked, false)),
    ("without line numbers", |asked| numbers(asked, true)),
    (ESCAPES[0].0, |asked| unescaped(asked, ESCAPES[0].1)),
    (ESCAPES[1].0, |asked| unescaped(asked, ESCAPES[1].1)),
    ("with the characters of its entities", entities),
    (CHARACTERS, characters),
    (ESCAPED, |asked| {
        escaped(asked, |unit| format!("\\u{unit:04x}"))
    }),
    (ESCAPED, |asked| {
        escaped(asked, |unit| format!("\\u{unit:04X}"))
    }),
    ("without blank lines around it", outer_blanks),
];

fn fence(asked: &LineChange) -> Option<LineChange> {
    let LineChange::Texts(texts) = asked else {
        return None;
    };
    let old = without_fence(&texts.old)?;
    let new = without_fence(&texts.new).unwrap_or_else(|| texts.new.clone());
    Some(LineChange::Texts(OldNewLines {
        old,
        new,
        closed: true,
    }))
}

fn without_fence(lines: &[String]) -> Option<Vec<String>> {
    match lines {
        [first, inner @ .., last] if first.starts_with("```") && last.trim() == "```" => {
            Some(inner.to_vec())
        }
        _ => None,
    }
}

/// Line numbers count as copied from a read if every line before the change that is not blank
/// has one, and they count up. A blank after the mark may be part of it (`spaced`) or of the
/// line.
fn numbers(asked: &LineChange, spaced: bool) -> Option<LineChange> {
    let before = asked.before();
    let mut last = 0;
    let mut mark = None;
    for line in before.iter().filter(|line| !line.trim().is_empty()) {
        let (number, own, rest) = numbered(line)?;
        if number <= last || mark.is_some_and(|mark| mark != own) {
            return None;
        }
        (last, mark) = (number, Some(own));
        if spaced && !rest.is_empty() && !rest.starts_with(' ') {
            return None;
        }
    }
    let mark = mark?;
    let is_empty = |line: &&str| numbered(line).is_some_and(|(.., rest)| rest.trim().is_empty());
    let ends_in_number = before.last().is_some_and(is_empty);
    let mut bare = asked.map(&|line| match numbered(line) {
        Some((_, own, rest)) if own == mark => rest
            .strip_prefix(' ')
            .filter(|_| spaced)
            .unwrap_or(rest)
            .to_owned(),
        _ => line.to_owned(),
    });
    // The number of the line after the last one is no line that goes: `3\tx\n4\t` becomes `y`.
    if let LineChange::Texts(texts) = &mut bare
        && ends_in_number
        && texts.old.len() > 1
        && texts.new.last().is_some_and(|line| !line.trim().is_empty())
    {
        texts.old.pop();
        texts.closed = true;
    }
    Some(bare)
}

/// Takes `  12\tlet x` apart into its number, the mark after it and the rest.
fn numbered(line: &str) -> Option<(u64, char, &str)> {
    let line = line.trim_start();
    let digits = line.len()
        - line
            .trim_start_matches(|char: char| char.is_ascii_digit())
            .len();
    let number = line.get(..digits)?.parse().ok()?;
    let rest = line.get(digits..)?;
    let marked = if rest.starts_with('\t') {
        rest
    } else {
        rest.trim_start_matches(' ')
    };
    let mark = marked
        .chars()
        .next()
        .filter(|mark| matches!(mark, '\t' | '|' | ':' | '→' | '│'))?;
    Some((number, mark, marked.get(mark.len_utf8()..)?))
}

fn unescaped(asked: &LineChange, which: &str) -> Option<LineChange> {
    let before = asked.before();
    let changes = before.iter().any(|line| unescape(line, which) != **line);
    changes.then(|| asked.map(&|line| unescape(line, which)))
}

fn entities(asked: &LineChange) -> Option<LineChange> {
    asked
        .before()
        .iter()
        .any(|line| ENTITIES.iter().any(|(entity, _)| line.contains(entity)))
        .then(|| asked.map(&without_entities))
}

fn without_entities(line: &str) -> String {
    ENTITIES
        .iter()
        .fold(line.to_owned(), |line, (entity, char)| {
            line.replace(entity, char)
        })
}

/// Reads the `\u` escapes of a change as the characters that they stand for. JSON with a character of
/// an icon font in it is read so by models, and written otherwise.
fn characters(asked: &LineChange) -> Option<LineChange> {
    let before = asked.before();
    let changes = before.iter().any(|line| unescape_units(line) != **line);
    changes.then(|| asked.map(&unescape_units))
}

/// Replaces `\uXXXX`, in pairs where a character takes two.
fn unescape_units(line: &str) -> String {
    let mut out = String::with_capacity(line.len());
    let mut rest = line;
    while let Some(at) = rest.find("\\u") {
        let (head, tail) = rest.split_at(at);
        out.push_str(head);
        let units: Vec<u16> = [utf16_unit(tail), tail.get(6..).and_then(utf16_unit)]
            .into_iter()
            .map_while(|unit| unit)
            .collect();
        let first = char::decode_utf16(units).next();
        let (char, length) = match first {
            Some(Ok(char)) => (char, 6 * char.len_utf16()),
            _ => ('\\', 1),
        };
        out.push(char);
        rest = tail.get(length..).unwrap_or_default();
    }
    out.push_str(rest);
    out
}

/// Reads the number of an escape `\uXXXX`.
fn utf16_unit(text: &str) -> Option<u16> {
    let digits = text.strip_prefix("\\u")?.get(..4)?;
    let hex = digits.bytes().all(|byte| byte.is_ascii_hexdigit());
    u16::from_str_radix(digits, 16).ok().filter(|_| hex)
}

/// Writes the characters of a change that are not of ASCII as escapes.
fn escaped(asked: &LineChange, write: fn(u16) -> String) -> Option<LineChange> {
    let each = |line: &str| -> String {
        let write = |char: char| match char {
            char if char.is_ascii() => String::from(char),
            char => char
                .encode_utf16(&mut [0; 2])
                .iter()
                .map(|unit| write(*unit))
                .collect(),
        };
        line.chars().map(write).collect()
    };
    let before = asked.before();
    let changes = before.iter().any(|line| !line.is_ascii());
    changes.then(|| asked.map(&each))
}

/// Returns the characters from which a form takes one level of escaping away, if it does.
pub(crate) fn unescaping(undone: &[&str]) -> Option<&'static str> {
    let found = ESCAPES.iter().find(|(word, _)| undone.contains(word));
    found.map(|(_, which)| *which)
}

/// Takes one level of escaping away from the characters in `which`.
pub(crate) fn unescape(line: &str, which: &str) -> String {
    let mut out = String::with_capacity(line.len());
    let mut chars = line.chars().peekable();
    while let Some(char) = chars.next() {
        match chars.next_if(|next| char == '\\' && which.contains(*next)) {
            None => out.push(char),
            Some('n') => out.push('\n'),
            Some('r') => {}
            Some('t') => out.push('\t'),
            Some(other) => out.push(other),
        }
    }
    out
}

/// Returns how many blank lines there are before any other.
fn blank_lines<'t>(lines: impl Iterator<Item = &'t &'t str>) -> usize {
    lines.take_while(|line| line.trim().is_empty()).count()
}

/// Takes away the blank lines at the head and at the tail: from both sides as far as both have them,
/// and from the old side alone beyond that.
fn outer_blanks(asked: &LineChange) -> Option<LineChange> {
    let before = asked.before();
    let (head, tail) = (blank_lines(before.iter()), blank_lines(before.iter().rev()));
    if head + tail == 0 || head == before.len() {
        return None;
    }
    let cut = |lines: &[&str]| {
        let head = head.min(blank_lines(lines.iter()));
        let tail = tail
            .min(blank_lines(lines.iter().rev()))
            .min(lines.len() - head);
        head..lines.len() - tail
    };
    match asked {
        LineChange::Texts(texts) => Some(LineChange::Texts(OldNewLines {
            old: texts.old.get(cut(&before))?.to_vec(),
            new: texts.new.get(cut(&asked.after()))?.to_vec(),
            closed: texts.closed || tail > 0,
        })),
        LineChange::Rows(script) => {
            let stays: Vec<&str> = script
                .rows
                .iter()
                .map(|row| if row.is_context() { row.text() } else { "x" })
                .collect();
            let rows = script.rows.get(cut(&stays))?.to_vec();
            (rows.len() < script.rows.len()).then_some(LineChange::Rows(Script { rows }))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_copied_along_is_undone() {
        let check = |old: &str, new: &str, expected: Option<(&str, &str)>| {
            let asked = LineChange::Texts(OldNewLines::new(old, new));
            let mut found = all_forms(&asked).into_iter().skip(1).map(|form| {
                (
                    form.asked.before().join("\n"),
                    form.asked.after().join("\n"),
                )
            });
            let expected = expected.map(|(old, new)| (old.to_owned(), new.to_owned()));
            assert_eq!(found.next_back(), expected, "{old:?}");
        };
        check(
            "   12\ta\n   13\t b",
            "   12\tc\n   13\t b",
            Some(("a\n b", "c\n b")),
        );
        check("12|a\n13|b", "12|a\nx\n13|b", Some(("a\nb", "a\nx\nb")));
        check("12: a\n13:   b", "12: c", Some(("a\n  b", "c")));
        check("13: a\n12: b", "x", None);
        check("12: a\nb", "x", None);
        check("a\\n\\tb", "a\\nc", Some(("a\n\tb", "a\nc")));
        check(
            "a &lt; b &amp;lt;",
            "a &gt; b",
            Some(("a < b &lt;", "a > b")),
        );
        check("\n\na\n\n", "\nb\n", Some(("a", "b")));
        check("```rust\na\n```", "b", Some(("a", "b")));
    }
}
