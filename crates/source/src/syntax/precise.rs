//! Parsers that accept exactly the language, beside tree-sitter's grammars, which recover.
//!
//! In: a text. Out: its first errors, or none; or no opinion, where there is no such parser or
//! the text is nested so deeply that a recursive parser must not be let near it. Those of Python,
//! TypeScript and JavaScript are in builds with Cargo's feature `precise-parsers`.

mod part;
#[cfg(feature = "precise-parsers")]
mod python;
mod rust;
#[cfg(feature = "precise-parsers")]
mod script;

use memchr::memmem;

pub(super) use rust::Items;
#[cfg(feature = "precise-parsers")]
pub(super) use script::is_flat as is_flat_script;

use super::health::Fault;
use super::lexis::RegionKind;
use super::{Earlier, Language, with_room};
use crate::text::EditSet;

/// Brackets within brackets up to which the recursive parsers are asked. Attack: `((((` or `[[[[` by the thousand
/// overflows their stack, which ends the process.
const MAX_NESTING: usize = 200;
/// Operators, or `else if`s, in a row up to which they are asked: each is a level of recursion. An operator with its
/// operand is about four signs.
const MAX_CHAIN: usize = 4000;

/// What a language's parser says of a text.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Verdict {
    /// The errors, at most those that it lists.
    pub(super) faults: Vec<Fault>,
    /// In Rust, where the items of a text that it accepts begin.
    pub(super) items: Items,
}

impl Verdict {
    /// Returns how many errors and items it lists.
    pub(super) fn items(&self) -> usize {
        self.faults.len() + self.items.count()
    }
}

/// Returns the verdict on a text.
pub(super) fn judge(language: Language, text: &str, dialect: Dialect) -> Option<Verdict> {
    // A panic of a parser is no opinion.
    match language {
        Language::Json => Some(plain(json(text, dialect))),
        Language::Toml => with_room(|| toml(text)).map(plain),
        Language::Yaml => with_room(|| yaml(text)).map(plain),
        Language::Rust if is_flat(text) => with_room(|| match rust::read(text) {
            Ok(items) => Verdict {
                faults: Vec::new(),
                items,
            },
            Err(fault) => plain(vec![fault]),
        }),
        #[cfg(feature = "precise-parsers")]
        Language::Python if is_flat(text) => with_room(|| python::faults(text)).map(plain),
        #[cfg(feature = "precise-parsers")]
        Language::TypeScript | Language::Tsx | Language::JavaScript
            if is_flat(text) && script::is_flat(text) =>
        {
            with_room(|| script::faults(language, text, dialect)).map(plain)
        }
        _ => None,
    }
}

fn plain(faults: Vec<Fault>) -> Verdict {
    Verdict {
        faults,
        items: Items::default(),
    }
}

/// Returns the verdict on a text that `edits` make of one that was accepted, where reading what
/// they touch is enough to accept it.
pub(super) fn judge_again(known: &Verdict, text: &str, edits: &EditSet) -> Option<Verdict> {
    if !known.faults.is_empty() || known.items == Items::default() {
        return None;
    }
    let items = with_room(|| rust::read_again(text, &known.items, edits)).flatten()?;
    Some(Verdict {
        faults: Vec::new(),
        items,
    })
}

/// Returns whether a text comes from an earlier one without a new error, as far as what was
/// edited shows. Nothing needs to be known of either.
pub(super) fn stays_good(language: Language, text: &str, earlier: &Earlier<'_>) -> bool {
    let judge = match language {
        Language::Rust => rust::stays_good,
        #[cfg(feature = "precise-parsers")]
        Language::Python => python::stays_good,
        _ => return false,
    };
    with_room(|| judge(text, earlier)).unwrap_or_default()
}

/// Returns whether what the language's parser accepts is right whatever its grammar says.
pub(super) fn is_authority(language: Language) -> bool {
    matches!(
        language,
        Language::Rust
            | Language::Python
            | Language::Json
            | Language::Toml
            | Language::TypeScript
            | Language::Tsx
            | Language::JavaScript
    )
}

/// Returns whether [`stays_good`] tells so often that the text before need not be read for more.
pub(super) fn judges_edits(language: Language) -> bool {
    is_authority(language) && !reads_again(language) && is_included(language)
}

/// Returns whether the build includes the parser of a language that has one.
fn is_included(language: Language) -> bool {
    let may_be_left_out = matches!(
        language,
        Language::Python | Language::TypeScript | Language::Tsx | Language::JavaScript
    );
    cfg!(feature = "precise-parsers") || !may_be_left_out
}

/// Returns whether [`judge_again`] may tell.
pub(super) fn reads_again(language: Language) -> bool {
    language == Language::Rust
}

/// Which form of a language a file is in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Dialect {
    /// As the standard has it.
    Standard,
    /// JSON with comments and trailing commas.
    Lenient,
    /// TypeScript that declares and does nothing.
    Declarations,
}

/// Returns whether a recursive parser can take the text.
pub(super) fn is_flat(text: &str) -> bool {
    let (mut depth, mut chain) = (0_usize, 0_usize);
    let mut previous = b'\n';
    for byte in text.bytes() {
        // Most bytes are those of words, and a text is as long as it is.
        if byte.is_ascii_alphanumeric() {
            previous = byte;
            continue;
        }
        match byte {
            b'(' | b'[' | b'{' => {
                depth += 1;
                chain = if byte == b'{' { 0 } else { chain + 1 };
            }
            b')' | b']' | b'}' => depth = depth.saturating_sub(1),
            b';' | b',' => chain = 0,
            b'\n' if depth == 0 => chain = 0,
            b'_' | b'\t' | b'\r' | b'\n' => {}
            // Words that can stand in a row, as `not not x`, count as signs do.
            b' ' => chain += usize::from(previous != b' '),
            _ => chain += 1,
        }
        if depth > MAX_NESTING || chain > MAX_CHAIN * 4 {
            return false;
        }
        previous = byte;
    }
    memmem::find_iter(text.as_bytes(), "else if").count() < MAX_CHAIN
}

fn toml(text: &str) -> Vec<Fault> {
    match toml::from_str::<toml::Table>(text) {
        Ok(_) => Vec::new(),
        Err(error) => {
            let range = error.span().unwrap_or(0..0);
            vec![Fault::new(range, first_line(error.message()))]
        }
    }
}

fn yaml(text: &str) -> Vec<Fault> {
    let faults = yaml_events(text);
    match faults.first() {
        // Others take a closing bracket at the indent of its key; the rest is read as if it
        // stood on the line before.
        Some(fault) if closes(text, fault) => {
            let joined = yaml_events(&brackets_joined(text));
            joined
                .into_iter()
                .filter(|fault| !closes(text, fault))
                .collect()
        }
        // An alias is no matter of syntax.
        Some(fault) if fault.says("unknown anchor") => Vec::new(),
        _ => faults,
    }
}

fn closes(text: &str, fault: &Fault) -> bool {
    let line = text.get(fault.start()..).unwrap_or_default();
    line.trim_start().starts_with([']', '}'])
}

fn yaml_events(text: &str) -> Vec<Fault> {
    // Each event takes at least a byte, or closes one that did.
    let events = saphyr_parser::Parser::new_from_str(text).take(text.len() * 4 + 16);
    let error = events.into_iter().find_map(Result::err);
    let fault = error.map(|error| {
        let at = offset(text, error.marker().line(), 0);
        let line = text
            .get(at..)
            .and_then(|rest| rest.lines().next())
            .unwrap_or_default();
        let column = line.char_indices().nth(error.marker().col());
        let at = at + column.map_or(line.len(), |(column, _)| column);
        Fault::new(at..at, first_line(error.info()))
    });
    fault.into_iter().collect()
}

/// Puts a blank in the place of the newline before each line that begins with a closing
/// bracket; every byte stays where it is. A comment would take the bracket in.
fn brackets_joined(text: &str) -> String {
    let mut joined = String::with_capacity(text.len());
    let mut lines = text.split_inclusive('\n').peekable();
    while let Some(line) = lines.next() {
        let closes = lines
            .peek()
            .is_some_and(|next| next.trim_start().starts_with([']', '}']));
        match line
            .strip_suffix('\n')
            .filter(|line| closes && !line.contains('#'))
        {
            Some(line) => {
                joined.push_str(line);
                joined.push(' ');
            }
            None => joined.push_str(line),
        }
    }
    joined
}

fn json(text: &str, dialect: Dialect) -> Vec<Fault> {
    let plain;
    let text = match dialect {
        Dialect::Standard | Dialect::Declarations => text,
        Dialect::Lenient => {
            plain = without_comments(text);
            &plain
        }
    };
    match serde_json::from_str::<serde::de::IgnoredAny>(text.trim_start_matches('\u{feff}')) {
        Ok(_) => Vec::new(),
        Err(error) => {
            let at = offset_of_byte(text, error.line(), error.column().saturating_sub(1));
            let message = error.to_string();
            let message = message
                .rsplit_once(" at line ")
                .map_or(message.as_str(), |split| split.0);
            vec![Fault::new(at..at, message.to_owned())]
        }
    }
}

/// Blanks comments and trailing commas; every other byte stays where it is.
fn without_comments(text: &str) -> String {
    let mut bytes = text.as_bytes().to_vec();
    let regions = Language::Json.lexis().regions(text);
    let mut comma = None;
    let mut at = 0;
    let mut regions = regions.into_iter().peekable();
    while let Some(byte) = bytes.get(at).copied() {
        if let Some(region) = regions.next_if(|region| region.range.start == at) {
            if region.kind == RegionKind::Comment && region.closed {
                if let Some(comment) = bytes.get_mut(region.range.clone()) {
                    comment
                        .iter_mut()
                        .for_each(|byte| *byte = if *byte == b'\n' { b'\n' } else { b' ' });
                }
            } else {
                comma = None;
            }
            at = region.range.end;
            continue;
        }
        match byte {
            b',' => comma = Some(at),
            b']' | b'}' => {
                if let Some(byte) = comma.take().and_then(|comma| bytes.get_mut(comma)) {
                    *byte = b' ';
                }
            }
            byte if byte.is_ascii_whitespace() => {}
            _ => comma = None,
        }
        at += 1;
    }
    String::from_utf8(bytes).unwrap_or_else(|_not_text| text.to_owned())
}

/// Returns the byte at a 1-based line and a 0-based column in characters.
fn offset(text: &str, line: usize, column: usize) -> usize {
    let start = line_start(text, line);
    let line = text.get(start..).unwrap_or_default();
    line.char_indices()
        .nth(column)
        .map_or(text.len(), |(at, _)| start + at)
}

/// Returns the byte at a 1-based line and a 0-based column in bytes.
fn offset_of_byte(text: &str, line: usize, column: usize) -> usize {
    let at = (line_start(text, line) + column).min(text.len());
    (0..=at)
        .rev()
        .find(|at| text.is_char_boundary(*at))
        .unwrap_or_default()
}

fn line_start(text: &str, line: usize) -> usize {
    let mut lines = text.match_indices('\n').map(|(at, _)| at + 1);
    match line.checked_sub(2) {
        None => 0,
        Some(before) => lines.nth(before).unwrap_or(text.len()),
    }
}

fn first_line(message: &str) -> String {
    message.lines().next().unwrap_or_default().trim().to_owned()
}
