//! Matching a pattern with holes.
//!
//! In: a text, its units and a pattern. Out: every match, those within others included. The
//! search starts where the pattern's first text is; a hole never ends within a string, a
//! comment or brackets that begin in it. What failed once at a place is not tried again
//! there, and the number of steps is bounded.

mod place;

use std::ops::Range;

use super::pattern::{Element, HolePattern, Takes};
use super::units::{UnitStep, Units};
use super::{BASE_STEPS, StepsUsedUp};
use crate::edit::plan::template::{Capture, MAX_MATCHES, TemplateMatch};
use crate::text::Slice;
use crate::word::is_identifier_part;

/// Steps for each byte of text. Attack: `:[a]:[b]:[c]` has as many ways to match as a text has ways to be cut in three.
const STEPS_A_BYTE: usize = 16;
/// Bytes that the expression of a hole looks at. Attack: `:[x~.*]` at every place reads the rest of the text each time.
const REGEX_WINDOW: usize = 4096;
/// Operators that are other operators when doubled or joined with `=`.
const OPERATORS: &str = "=&|+-.:*/!";

/// What a search found.
pub(super) struct HoleSearch {
    pub(super) matches: Vec<TemplateMatch>,
    /// How often the pattern could begin.
    pub(super) begun: usize,
    /// The furthest that any beginning got: elements done, and where.
    pub(super) furthest: Option<(usize, usize)>,
}

/// Returns every match in `text`.
pub(super) fn all(text: &str, units: &Units, pattern: &HolePattern) -> Result<HoleSearch, String> {
    within(text, units, pattern, std::slice::from_ref(&(0..text.len())))
}

/// Returns every match that lies in one of `ranges`.
pub(super) fn within(
    text: &str,
    units: &Units,
    pattern: &HolePattern,
    ranges: &[Range<usize>],
) -> Result<HoleSearch, String> {
    let mut machine = Machine::new(text, units, pattern);
    let mut search = HoleSearch {
        matches: Vec::new(),
        begun: 0,
        furthest: None,
    };
    for range in ranges {
        machine
            .search(range, &mut search, MAX_MATCHES)
            .map_err(|StepsUsedUp| too_much())?;
    }
    if search.matches.len() >= MAX_MATCHES {
        return Err(format!("the pattern matches {MAX_MATCHES} times or more"));
    }
    search.furthest = machine.furthest;
    Ok(search)
}

/// Returns where the pattern matches first, if it does.
pub(super) fn first(text: &str, units: &Units, pattern: &HolePattern) -> Option<usize> {
    let mut machine = Machine::new(text, units, pattern);
    let mut search = HoleSearch {
        matches: Vec::new(),
        begun: 0,
        furthest: None,
    };
    machine.search(&(0..text.len()), &mut search, 1).ok()?;
    search.matches.first().map(|found| found.range.start)
}

/// Returns those of the matches whose whole range is no match of `made`.
pub(super) fn not_yet(
    text: &str,
    units: &Units,
    made: &HolePattern,
    matches: Vec<TemplateMatch>,
) -> Vec<TemplateMatch> {
    let mut machine = Machine::new(text, units, made);
    let mut open = matches;
    open.retain(|one| {
        machine.bindings.fill(None);
        let end = machine.go(0, one.range.start);
        !end.is_ok_and(|end| end == Some(one.range.end))
    });
    open
}

fn too_much() -> String {
    "the pattern has too many ways to match in this file; \
     put text or brackets next to its holes"
        .into()
}

struct Machine<'a> {
    text: &'a str,
    units: &'a Units,
    pattern: &'a HolePattern,
    bindings: Vec<Option<Range<usize>>>,
    steps: usize,
    /// For each hole the places from which the rest is known to fail.
    failed: Vec<Vec<u64>>,
    furthest: Option<(usize, usize)>,
}

impl<'a> Machine<'a> {
    fn new(text: &'a str, units: &'a Units, pattern: &'a HolePattern) -> Self {
        Self {
            text,
            units,
            pattern,
            bindings: vec![None; pattern.names.len()],
            steps: BASE_STEPS + STEPS_A_BYTE * text.len(),
            failed: vec![Vec::new(); pattern.elements.len()],
            furthest: None,
        }
    }

    fn search(
        &mut self,
        range: &Range<usize>,
        search: &mut HoleSearch,
        most: usize,
    ) -> Result<(), StepsUsedUp> {
        match self.pattern.elements.first() {
            Some(Element::Literal(first)) => self.at_literals(first, range, search, most),
            // An expression is anchored; it is tried where a word begins, as a word is.
            Some(Element::Hole {
                takes: Takes::Word | Takes::Regex(_),
                ..
            }) => self.at_words(range, search, most),
            _ => self.before_anchors(range, search, most),
        }
    }

    /// Starts wherever the pattern's first text is.
    fn at_literals(
        &mut self,
        first: &str,
        range: &Range<usize>,
        search: &mut HoleSearch,
        most: usize,
    ) -> Result<(), StepsUsedUp> {
        let mut from = range.start;
        let step = first.chars().next().map_or(1, char::len_utf8);
        while let Some(at) = self.find(first, from, range.end) {
            from = at + step;
            if self.units.within(at).is_none() {
                self.begin(at, range, search)?;
            }
            if search.matches.len() >= most {
                break;
            }
        }
        Ok(())
    }

    /// Starts wherever a word begins.
    fn at_words(
        &mut self,
        range: &Range<usize>,
        search: &mut HoleSearch,
        most: usize,
    ) -> Result<(), StepsUsedUp> {
        let mut before = None;
        let text = self.text.slice(range.clone());
        for (offset, c) in text.char_indices() {
            let at = range.start + offset;
            let within = is_identifier_part(c) && before.is_some_and(is_identifier_part);
            let starts = !(within || c.is_whitespace());
            before = Some(c);
            if starts && self.units.within(at).is_none() {
                self.begin(at, range, search)?;
            }
            if search.matches.len() >= most {
                break;
            }
        }
        Ok(())
    }

    /// Starts a pattern that begins with a hole: the text before what follows the hole is the
    /// hole's. Before a call, an index or a member it is the operand there, else all back to the
    /// line's start, an opening bracket, a comma or a semicolon.
    fn before_anchors(
        &mut self,
        range: &Range<usize>,
        search: &mut HoleSearch,
        most: usize,
    ) -> Result<(), StepsUsedUp> {
        let pattern = self.pattern;
        let (spaced, anchor) = match pattern.elements.get(1..) {
            Some([Element::Literal(text), ..]) => (false, text),
            Some([Element::Space, Element::Literal(text), ..]) => (true, text),
            _ => return Ok(()),
        };
        let step = anchor.chars().next().map_or(1, char::len_utf8);
        let mut from = range.start;
        while let Some(at) = self.find(anchor, from, range.end) {
            from = at + step;
            if self.units.within(at).is_some() {
                continue;
            }
            let head = self.text.slice(range.start..at);
            let end = if spaced {
                range.start + head.trim_end().len()
            } else {
                at
            };
            if spaced && end == at {
                continue;
            }
            search.begun += 1;
            let close = !spaced && anchor.starts_with(['.', '(', '[', '?']);
            let start = self.back(end, range.start, close)?;
            if start == end {
                continue;
            }
            self.bindings.fill(None);
            self.bind(0, start..end);
            if let Some(end) = self.go(1, end)? {
                self.push(start..end, search);
            }
            if search.matches.len() >= most {
                break;
            }
        }
        Ok(())
    }

    /// Returns where the text that ends at `end` begins; `close`: only names, members, calls and
    /// indexes.
    fn back(&mut self, end: usize, least: usize, close: bool) -> Result<usize, StepsUsedUp> {
        let mut at = end;
        while at > least {
            self.spend(1)?;
            if let Some(start) = self.units.back(at) {
                if self.units.comment_at(start) {
                    break;
                }
                at = start;
                continue;
            }
            let Some(c) = self
                .text
                .get(..at)
                .and_then(|head| head.chars().next_back())
            else {
                break;
            };
            let operand = is_identifier_part(c) || matches!(c, '.' | ':' | '?' | '!');
            let ends = matches!(c, '\n' | ';' | ',' | '(' | '[' | '{' | '}' | ')' | ']');
            if ends || (close && !operand) {
                break;
            }
            at -= c.len_utf8();
        }
        let text = self.text.slice(at..end);
        Ok(end - text.trim_start().len())
    }

    fn begin(
        &mut self,
        at: usize,
        range: &Range<usize>,
        search: &mut HoleSearch,
    ) -> Result<(), StepsUsedUp> {
        self.spend(1)?;
        self.bindings.fill(None);
        search.begun += 1;
        if let Some(end) = self.go(0, at)?.filter(|end| *end <= range.end) {
            self.push(at..end, search);
        }
        Ok(())
    }

    fn push(&self, range: Range<usize>, search: &mut HoleSearch) {
        if range.is_empty() {
            return;
        }
        let names = self.pattern.names.iter().zip(&self.bindings);
        let captures = names.filter_map(|(name, range)| {
            range.clone().map(|range| Capture {
                name: name.clone(),
                range,
            })
        });
        search.matches.push(TemplateMatch {
            range,
            captures: captures.collect(),
        });
    }

    /// Matches the elements from `index` on at byte `at`; returns where the match ends.
    fn go(&mut self, index: usize, at: usize) -> Result<Option<usize>, StepsUsedUp> {
        self.spend(1)?;
        if self.furthest.is_none_or(|(best, _)| index > best) {
            self.furthest = Some((index, at));
        }
        let pattern = self.pattern;
        let rest = self.text.slice(at..);
        match pattern.elements.get(index) {
            None => Ok(Some(at)),
            Some(Element::Literal(text)) => {
                let fits = rest.starts_with(text.as_str()) && self.edges(index, at, text);
                if fits {
                    self.go(index + 1, at + text.len())
                } else {
                    Ok(None)
                }
            }
            Some(Element::Space) => {
                let run = rest.len() - rest.trim_start().len();
                if run == 0 && !self.after_nothing(index, at) && !self.parts_nothing(at) {
                    return Ok(None);
                }
                self.spend(run)?;
                self.go(index + 1, at + run)
            }
            Some(Element::Hole { takes, .. }) => match takes {
                Takes::Least { tall, angle, item } => self.least(index, at, *tall, *angle, *item),
                Takes::Word => self.word(index, at),
                Takes::Regex(regex) => {
                    let window = self
                        .text
                        .floor_char_boundary(at.saturating_add(REGEX_WINDOW));
                    let text = self.text.slice(at..window);
                    self.spend(8)?;
                    let found = regex.find(text).map(|found| at + found.end());
                    self.spend(found.unwrap_or(at) - at)?;
                    match found {
                        Some(end) if self.bind(index, at..end) => self.go(index + 1, end),
                        _ => Ok(None),
                    }
                }
            },
        }
    }

    /// Matches a hole that takes as little as possible.
    fn least(
        &mut self,
        index: usize,
        start: usize,
        tall: bool,
        angle: bool,
        item: bool,
    ) -> Result<Option<usize>, StepsUsedUp> {
        let last = index + 1 == self.pattern.elements.len();
        let remembers = !self.pattern.repeats && !angle && !last;
        let limit = self.units.within(start).map(|span| span.range.end);
        let (mut at, mut angles, mut tried) = (start, 0_usize, Vec::new());
        loop {
            self.spend(1)?;
            if remembers && at > start && self.has_failed(index, at) {
                break;
            }
            if !last && angles == 0 && !(item && at == start) && self.bind(index, start..at) {
                if let Some(end) = self.go(index + 1, at)? {
                    return Ok(Some(end));
                }
                // A later element of the same name may have been bound on the way.
                if at > start {
                    tried.push(at);
                }
            }
            match self.next(at, limit, (tall, item, last)) {
                Some(next) => {
                    if angle && !self.count_angles(at, next, &mut angles) {
                        break;
                    }
                    at = next;
                }
                None => break,
            }
        }
        self.unbind(index);
        if last {
            let text = self.text.slice(start..at);
            let bare = text.trim_end().trim_end_matches([';', ',']);
            let end = start + bare.trim_end().len();
            let fits = !(item && end == start) && self.bind(index, start..end);
            return Ok(fits.then_some(end));
        }
        if remembers {
            for at in tried {
                self.fail(index, at);
            }
        }
        Ok(None)
    }

    /// Returns where a hole that reaches to byte `at` could reach to next.
    fn next(
        &self,
        at: usize,
        limit: Option<usize>,
        (tall, item, last): (bool, bool, bool),
    ) -> Option<usize> {
        let c = self.text.get(at..)?.chars().next()?;
        if let Some(limit) = limit {
            // In a string or a comment: up to its end, not over it.
            let next = at + c.len_utf8();
            return (next < limit || (last && next <= limit && c != '"' && c != '\'' && c != '`'))
                .then_some(next);
        }
        match self.units.step(at) {
            UnitStep::Close => None,
            UnitStep::Unit(_) if last && self.units.comment_at(at) => None,
            UnitStep::Unit(end) => Some(end),
            UnitStep::Plain if c == '\n' && !tall => None,
            UnitStep::Plain if item && matches!(c, ',' | ';') => None,
            UnitStep::Plain => Some(at + c.len_utf8()),
        }
    }

    /// Counts the angle brackets that a hole goes over; false where it may not.
    fn count_angles(&self, at: usize, next: usize, open: &mut usize) -> bool {
        let before = self
            .text
            .get(..at)
            .and_then(|head| head.chars().next_back());
        match self.text.get(at..next) {
            Some("<") => *open += 1,
            Some(">") if matches!(before, Some('-' | '=')) => {}
            Some(">") => match open.checked_sub(1) {
                Some(less) => *open = less,
                None => return false,
            },
            _ => {}
        }
        true
    }

    fn spend(&mut self, steps: usize) -> Result<(), StepsUsedUp> {
        self.steps = self.steps.checked_sub(steps).ok_or(StepsUsedUp)?;
        Ok(())
    }
}

/// Returns whether two characters are one operator, as in `==` or `&&`.
fn is_joined(left: Option<char>, right: Option<char>) -> bool {
    let (Some(left), Some(right)) = (left, right) else {
        return false;
    };
    let doubled = left == right && OPERATORS.contains(left);
    let assigned = right == '=' && "=!<>+-*/%&|^".contains(left);
    let arrow = right == '>' && "=-".contains(left);
    doubled || assigned || arrow
}
