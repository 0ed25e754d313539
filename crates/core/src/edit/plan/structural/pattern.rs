//! Patterns and their replacements.
//!
//! In: text with holes. Out: [`HolePattern`], a list of elements, and the pieces of a template.

mod metavariables;
mod replacement;

use metavariables::with_words;
pub(super) use metavariables::{Meta, metavariables};
pub(super) use replacement::{flush, leading_hole, template};

use crate::edit::plan::template::{Piece, normalised};
use crate::edit::request::StructRequest;
use crate::text::Slice;
use crate::text::indent::{Unit, leading};
use crate::word::is_word;

/// Elements that a pattern may have. Attack: every hole can end at many places, and each is tried with each end of the
/// holes before it.
const MAX_ELEMENTS: usize = 256;
/// Bytes that a pattern may have. Attack: a whole file as a pattern, compared at each place that begins like it.
const MAX_BYTES: usize = 64 * 1024;

/// How a pattern is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Notation {
    /// `:[x]`, `...`, or plain text.
    Holes,
    /// `$A`, `$$$A`.
    Metavariables,
}

/// One element of a pattern.
#[derive(Clone, Debug)]
pub(super) enum Element {
    /// This text.
    Literal(String),
    /// White space.
    Space,
    /// Text that is to be found.
    Hole {
        /// Its position among the names; none for text without a name.
        name: Option<usize>,
        /// What it takes.
        takes: Takes,
    },
}

/// What a hole takes.
#[derive(Clone, Debug)]
pub(super) enum Takes {
    /// As little as possible.
    Least {
        /// Across lines outside brackets too.
        tall: bool,
        /// Between angle brackets, which it keeps balanced.
        angle: bool,
        /// One item of a list: at least a character, and no comma or semicolon.
        item: bool,
    },
    /// One word.
    Word,
    /// What an expression matches.
    Regex(regex::Regex),
}

/// A pattern.
#[derive(Clone, Debug)]
pub(super) struct HolePattern {
    pub(super) elements: Vec<Element>,
    pub(super) names: Vec<String>,
    /// Whether a name occurs twice.
    pub(super) repeats: bool,
    /// Whether white space only parts words.
    pub(super) tokens: bool,
}

impl Notation {
    /// Tells how a request is written.
    pub(super) fn of(pattern: &str, replacement: &str) -> Result<Self, String> {
        if pattern.trim().is_empty() {
            return Err("the pattern is empty".into());
        }
        if pattern.len() > MAX_BYTES {
            return Err(format!("the pattern is longer than {MAX_BYTES} bytes"));
        }
        let holes = pattern.contains(":[");
        let metas = !metavariables(pattern).is_empty();
        match (holes, metas) {
            (true, true) => Err(
                "the pattern has both `:[x]` and `$A`; write it in one of the two notations".into(),
            ),
            (false, true)
                if replacement.contains(":[") && !metavariables(replacement).is_empty() =>
            {
                Err("the replacement has both `:[x]` and `$A`; write it as the pattern is".into())
            }
            (_, true) => Ok(Self::Metavariables),
            (_, false) => Ok(Self::Holes),
        }
    }
}

fn rest_name(index: usize) -> String {
    format!("...{index}")
}

/// A part of a text with holes.
enum PatternPart<'a> {
    Text(&'a str),
    /// `...`
    Rest,
    Hole(Inner<'a>),
}

/// What stands in a hole's brackets.
struct Inner<'a> {
    name: &'a str,
    word: bool,
    regex: Option<&'a str>,
}

fn split(text: &str) -> Result<Vec<PatternPart<'_>>, String> {
    let mut parts = Vec::new();
    let (mut from, mut at) = (0, 0);
    while let Some(rest) = text.get(at..).filter(|rest| !rest.is_empty()) {
        let found = if rest.starts_with(":[") {
            let (inner, length) = hole(rest)?;
            Some((PatternPart::Hole(inner), length))
        } else if rest.starts_with("...") && is_rest(text, at) {
            Some((PatternPart::Rest, 3))
        } else {
            None
        };
        match found {
            Some((part, length)) => {
                parts.push(PatternPart::Text(text.slice(from..at)));
                parts.push(part);
                at += length;
                from = at;
            }
            None => at += rest.chars().next().map_or(1, char::len_utf8),
        }
    }
    parts.push(PatternPart::Text(text.slice(from..)));
    parts.retain(|part| !matches!(part, PatternPart::Text("")));
    Ok(parts)
}

/// Returns whether `...` at `at` stands for itself alone: it is no spread and no ellipsis in
/// a word.
fn is_rest(text: &str, at: usize) -> bool {
    let before = text.get(..at).and_then(|head| head.chars().next_back());
    let after = text.get(at + 3..).and_then(|rest| rest.chars().next());
    let opened = before.is_some_and(|c| c == '[');
    (!is_operand(before) || opened) && !is_operand(after)
}

fn is_operand(c: Option<char>) -> bool {
    c.is_some_and(|c| c.is_alphanumeric() || matches!(c, '_' | '.' | ':' | '$' | '[' | '"' | '\''))
}

/// Reads a hole; returns it and its length.
fn hole(text: &str) -> Result<(Inner<'_>, usize), String> {
    let word = text.starts_with(":[[");
    let body = text
        .get(if word { 3 } else { 2 }..)
        .ok_or_else(|| no_hole(text))?;
    let end = body
        .find(|c: char| !is_word(c))
        .ok_or_else(|| no_hole(text))?;
    let name = body
        .get(..end)
        .filter(|name| !name.is_empty())
        .ok_or_else(|| no_hole(text))?;
    let rest = body.slice(end..);
    if word {
        let rest = rest.strip_prefix("]]").ok_or_else(|| no_hole(text))?;
        return Ok((
            Inner {
                name,
                word,
                regex: None,
            },
            text.len() - rest.len(),
        ));
    }
    if let Some(rest) = rest.strip_prefix(']') {
        return Ok((
            Inner {
                name,
                word,
                regex: None,
            },
            text.len() - rest.len(),
        ));
    }
    let expression = rest.strip_prefix('~').ok_or_else(|| no_hole(text))?;
    let end = closing(expression).ok_or_else(|| no_hole(text))?;
    let (expression, rest) = expression.split_at(end);
    let rest = rest.slice(1..);
    Ok((
        Inner {
            name,
            word,
            regex: Some(expression),
        },
        text.len() - rest.len(),
    ))
}

fn no_hole(text: &str) -> String {
    let shown: String = text.chars().take(20).collect();
    format!("`{shown}` is no hole; there are `:[x]`, `:[[x]]`, `:[x~regex]`, `:[_]` and `...`")
}

/// Returns where the `]` is that ends an expression: outside its escapes and classes.
fn closing(expression: &str) -> Option<usize> {
    let (mut depth, mut escaped) = (0_usize, false);
    for (at, c) in expression.char_indices() {
        match c {
            _ if escaped => escaped = false,
            '\\' => escaped = true,
            '[' => depth += 1,
            ']' if depth == 0 => return Some(at),
            ']' => depth -= 1,
            _ => {}
        }
    }
    None
}

impl HolePattern {
    /// Parses a pattern with holes.
    pub(super) fn parse(text: &str) -> Result<Self, String> {
        let text = text.replace("\r\n", "\n");
        let mut pattern = Self::empty();
        let mut quote = None;
        let mut rests = 0;
        for part in split(text.trim())? {
            match part {
                PatternPart::Text(text) => pattern.push_text(text, &mut quote),
                PatternPart::Rest => {
                    let name = rest_name(rests);
                    rests += 1;
                    pattern.push_hole(&name, Takes::least());
                }
                PatternPart::Hole(inner) => {
                    let takes = match inner {
                        Inner { word: true, .. } => Takes::Word,
                        Inner {
                            regex: Some(text), ..
                        } => Takes::Regex(expression(text)?),
                        _ => Takes::least(),
                    };
                    pattern.push_hole(inner.name, takes);
                }
            }
        }
        pattern.finished()
    }

    /// Reads metavariables as holes, for text that has no tree.
    pub(super) fn of_metavariables(text: &str) -> Result<Self, String> {
        let text = text.replace("\r\n", "\n");
        let text = text.trim();
        let mut pattern = Self::empty();
        pattern.tokens = true;
        let (mut quote, mut at) = (None, 0);
        for meta in metavariables(text) {
            pattern.push_text(text.slice(at..meta.start), &mut quote);
            let takes = Takes::Least {
                tall: false,
                angle: false,
                item: !meta.many,
            };
            pattern.push_hole(if meta.name.is_empty() { "_" } else { meta.name }, takes);
            at = meta.end;
        }
        pattern.push_text(text.slice(at..), &mut quote);
        pattern.finished()
    }

    /// Reads a template as a pattern for what it makes.
    pub(super) fn of_template(template: &[Piece]) -> Option<Self> {
        let mut pattern = Self::empty();
        let mut quote = None;
        let last = template.len().checked_sub(1)?;
        for (index, piece) in template.iter().enumerate() {
            match piece {
                Piece::Text(text) => {
                    let text = if index == 0 { text.trim_start() } else { text };
                    let text = if index == last { text.trim_end() } else { text };
                    pattern.push_text(text, &mut quote);
                }
                Piece::Hole(name) => pattern.push_hole(name, Takes::least()),
            }
        }
        pattern.finished().ok()
    }

    /// Refuses a template with names that the pattern has not.
    pub(super) fn knows(&self, template: &[Piece]) -> Result<(), String> {
        let unknown = template.iter().find_map(|piece| match piece {
            Piece::Hole(name) if !self.names.contains(name) => Some(name),
            _ => None,
        });
        match unknown {
            Some(name) => Err(format!(
                "the replacement has `:[{name}]`, which the pattern has not"
            )),
            None => Ok(()),
        }
    }

    /// Returns the literal text without white space.
    pub(super) fn literals(&self) -> String {
        let texts = self.elements.iter().filter_map(|element| match element {
            Element::Literal(text) => Some(text.as_str()),
            _ => None,
        });
        texts
            .flat_map(str::chars)
            .filter(|c| !c.is_whitespace())
            .collect()
    }

    /// Returns whether the literal text says enough to be known again.
    pub(super) fn is_telling(&self) -> bool {
        self.literals()
            .chars()
            .filter(|c| c.is_alphanumeric())
            .count()
            >= 3
    }

    /// Returns text that the pattern matches: every hole a word.
    pub(super) fn sample(&self) -> String {
        let mut text = String::new();
        for element in &self.elements {
            match element {
                Element::Literal(literal) => text.push_str(literal),
                Element::Space => text.push(' '),
                Element::Hole { name, .. } => {
                    text.push_str(&format!("hole{}", name.unwrap_or(usize::MAX)));
                }
            }
        }
        text
    }

    fn empty() -> Self {
        Self {
            elements: Vec::new(),
            names: Vec::new(),
            repeats: false,
            tokens: false,
        }
    }

    /// Appends text: white space outside its strings becomes an element of its own.
    fn push_text(&mut self, text: &str, quote: &mut Option<char>) {
        let mut literal = String::new();
        for (at, c) in text.char_indices() {
            match *quote {
                Some(open) => {
                    if c == open {
                        *quote = None;
                    }
                    literal.push(c);
                }
                None if c.is_whitespace() => {
                    self.push_literal(&mut literal);
                    if !matches!(self.elements.last(), Some(Element::Space)) {
                        self.elements.push(Element::Space);
                    }
                    if c == '\n' {
                        self.widen();
                    }
                }
                None => {
                    let rest = text.slice(at + c.len_utf8()..);
                    let closes = rest.lines().next().is_some_and(|line| line.contains(c));
                    if matches!(c, '"' | '\'' | '`') && closes {
                        *quote = Some(c);
                    }
                    literal.push(c);
                }
            }
        }
        self.push_literal(&mut literal);
    }

    fn push_literal(&mut self, literal: &mut String) {
        if !literal.is_empty() {
            self.elements
                .push(Element::Literal(std::mem::take(literal)));
        }
    }

    /// Lets a hole before a line break go across lines.
    fn widen(&mut self) {
        let mut last = self.elements.iter_mut().rev();
        last.next();
        if let Some(Element::Hole {
            takes: Takes::Least { tall, .. },
            ..
        }) = last.next()
        {
            *tall = true;
        }
    }

    fn push_hole(&mut self, name: &str, takes: Takes) {
        let known = self.names.iter().position(|known| known == name);
        let name = match known {
            _ if name == "_" => None,
            Some(index) => {
                self.repeats = true;
                Some(index)
            }
            None => {
                self.names.push(name.to_owned());
                Some(self.names.len() - 1)
            }
        };
        self.elements.push(Element::Hole { name, takes });
    }

    /// Works out which holes go across lines and which stand between angle brackets.
    fn finished(mut self) -> Result<Self, String> {
        if self.elements.len() > MAX_ELEMENTS {
            return Err(format!("the pattern has more than {MAX_ELEMENTS} parts"));
        }
        if self.literals().is_empty() {
            return Err("the pattern has no text of its own; give some that the file has".into());
        }
        let edges: Vec<(String, String)> = (0..self.elements.len())
            .map(|index| {
                (
                    self.literal_at(index.checked_sub(1)),
                    self.literal_at(Some(index + 1)),
                )
            })
            .collect();
        let mut depth = 0_isize;
        for (element, (before, after)) in self.elements.iter_mut().zip(edges) {
            match element {
                Element::Literal(text) => {
                    for c in text.chars() {
                        match c {
                            '(' | '[' | '{' => depth += 1,
                            ')' | ']' | '}' => depth -= 1,
                            _ => {}
                        }
                    }
                }
                Element::Hole {
                    takes: Takes::Least { tall, angle, .. },
                    ..
                } => {
                    let tags = before.ends_with('>') && after.starts_with("</");
                    *tall |= depth > 0 || tags;
                    *angle = before.ends_with('<') && before.len() > 1 && after.starts_with('>');
                }
                _ => {}
            }
        }
        Ok(self)
    }

    fn literal_at(&self, index: Option<usize>) -> String {
        match index.and_then(|index| self.elements.get(index)) {
            Some(Element::Literal(text)) => text.clone(),
            _ => String::new(),
        }
    }
}

impl Takes {
    fn least() -> Self {
        Self::Least {
            tall: false,
            angle: false,
            item: false,
        }
    }
}

fn expression(text: &str) -> Result<regex::Regex, String> {
    regex::RegexBuilder::new(&format!("\\A(?:{text})"))
        .size_limit(super::constraints::MAX_REGEX)
        .build()
        .map_err(|error| format!("`{text}` is no regular expression: {error}"))
}
