//! Lexical units of a text: strings, comments and bracket pairs.
//!
//! In: a text and its strings and comments. Out: [`Units`], which tells in one step where the
//! unit that begins at a byte ends. A bracket without a partner is plain text.

use std::ops::Range;

use crate::syntax::lexis::RegionKind;
use crate::syntax::{Language, Parsed};

/// Marks a closing bracket with a partner.
const CLOSE: u32 = u32::MAX;

/// A string or a comment.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Span {
    pub(super) range: Range<usize>,
    pub(super) comment: bool,
}

/// What begins at a byte.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum UnitStep {
    /// A plain character.
    Plain,
    /// A unit that ends here.
    Unit(usize),
    /// The end of what is between brackets.
    Close,
}

/// The units of a text.
pub(super) struct Units {
    spans: Vec<Span>,
    /// For each byte: 0, [`CLOSE`], or the end of the unit that begins there.
    ends: Vec<u32>,
    /// For each byte: 0, or the start of the unit that ends there, plus 1.
    starts: Vec<u32>,
}

impl Units {
    /// Finds the brackets of `text` outside `spans`, which are in order.
    pub(super) fn new(text: &str, spans: Vec<Span>) -> Self {
        let mut units = Self {
            ends: vec![0; text.len() + 1],
            starts: vec![0; text.len() + 1],
            spans: Vec::new(),
        };
        let mut open: Vec<(u8, usize)> = Vec::new();
        let mut at = 0;
        let mut next = spans.iter().peekable();
        let bytes = text.as_bytes();
        while let Some(byte) = bytes.get(at).copied() {
            if let Some(span) = next.next_if(|span| span.range.start <= at) {
                if span.range.start == at && span.range.end > at {
                    units.link(at, span.range.end);
                    at = span.range.end;
                }
                continue;
            }
            match byte {
                b'(' | b'[' | b'{' => open.push((byte, at)),
                b')' | b']' | b'}' => units.close(&mut open, byte, at),
                _ => {}
            }
            at += 1;
        }
        units.spans = spans;
        units
    }

    /// Returns what begins at byte `at`.
    pub(super) fn step(&self, at: usize) -> UnitStep {
        match self.ends.get(at).copied() {
            None | Some(0) => UnitStep::Plain,
            Some(CLOSE) => UnitStep::Close,
            Some(end) => UnitStep::Unit(end as usize),
        }
    }

    /// Returns the start of the unit that ends at byte `at`.
    pub(super) fn back(&self, at: usize) -> Option<usize> {
        let start = self.starts.get(at).copied().unwrap_or_default();
        (start > 0).then(|| start as usize - 1)
    }

    /// Returns the string or comment that byte `at` is within; not at its first byte.
    pub(super) fn within(&self, at: usize) -> Option<&Span> {
        let next = self.spans.partition_point(|span| span.range.start < at);
        let before = next.checked_sub(1).and_then(|index| self.spans.get(index));
        before.filter(|span| at < span.range.end)
    }

    /// Returns the comment that begins at byte `at`.
    pub(super) fn comment_at(&self, at: usize) -> bool {
        let found = self
            .spans
            .binary_search_by_key(&at, |span| span.range.start);
        found
            .ok()
            .and_then(|index| self.spans.get(index))
            .is_some_and(|span| span.comment)
    }

    /// Returns the ranges of strings and comments.
    pub(super) fn ranges(&self) -> Vec<Range<usize>> {
        self.spans.iter().map(|span| span.range.clone()).collect()
    }

    fn link(&mut self, start: usize, end: usize) {
        if let Some(slot) = self.ends.get_mut(start) {
            *slot = u32::try_from(end).unwrap_or_default();
        }
        if let Some(slot) = self.starts.get_mut(end) {
            *slot = u32::try_from(start + 1).unwrap_or_default();
        }
    }

    fn close(&mut self, open: &mut Vec<(u8, usize)>, byte: u8, at: usize) {
        let partner = match byte {
            b')' => b'(',
            b']' => b'[',
            _ => b'{',
        };
        // A few unpartnered openers between are plain text; looking further would cost.
        let near = open
            .iter()
            .rev()
            .take(8)
            .position(|(opener, _)| *opener == partner);
        let Some(skip) = near else { return };
        open.truncate(open.len() - skip);
        if let Some((_, start)) = open.pop() {
            self.link(start, at + 1);
            if let Some(slot) = self.ends.get_mut(at) {
                *slot = CLOSE;
            }
        }
    }
}

/// Returns the strings and comments of a parsed text, in order.
pub(super) fn quoted(tree: &Parsed<'_>) -> Vec<Span> {
    let grammar = tree.root().language();
    let ids = 0..u16::try_from(grammar.node_kind_count()).unwrap_or(u16::MAX);
    // Names are compared once for each kind, not once for each node.
    let kinds: Vec<Option<bool>> = ids
        .map(|id| {
            let kind = grammar.node_kind_for_id(id).unwrap_or_default();
            let comment = kind.ends_with("comment");
            let named = grammar.node_kind_is_named(id);
            (named && (comment || is_string(kind))).then_some(comment)
        })
        .collect();
    let mut spans: Vec<Span> = Vec::new();
    let mut end = 0;
    let line = grammar.id_for_node_kind("preproc_arg", true);
    tree.walk(|node| {
        if line > 0 && node.kind_id() == line && node.start_byte() >= end {
            // What a macro of C stands for is a text to the grammar.
            let regions = Language::C.lexis().regions(tree.text(node));
            let start = node.start_byte();
            spans.extend(regions.into_iter().map(|region| Span {
                range: start + region.range.start..start + region.range.end,
                comment: region.kind == RegionKind::Comment,
            }));
            end = node.end_byte();
        }
        let comment = kinds.get(usize::from(node.kind_id())).copied().flatten();
        if let Some(comment) = comment.filter(|_| node.start_byte() >= end) {
            let text = tree.text(node);
            let text = if comment {
                text.trim_end_matches(['\n', '\r'])
            } else {
                text
            };
            let range = node.start_byte()..node.start_byte() + text.len();
            if range.len() > 1 {
                end = range.end;
                spans.push(Span { range, comment });
            }
        }
    });
    spans
}

fn is_string(kind: &str) -> bool {
    let whole = matches!(
        kind,
        "string"
            | "template_string"
            | "raw_string"
            | "ansi_c_string"
            | "heredoc_body"
            | "regex"
            | "string_value"
    );
    whole
        || (kind.ends_with("string_literal") && kind != "concatenated_string")
        || kind.ends_with("char_literal")
        || kind.ends_with("character_literal")
        || kind.ends_with("rune_literal")
        || kind.ends_with("quote_scalar")
        || kind.ends_with("text_block")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn brackets_find_their_partners_outside_strings() {
        let text = "f(a, \")\", [b}]) )";
        let span = Span {
            range: 5..8,
            comment: false,
        };
        let units = Units::new(text, vec![span]);
        assert_eq!(units.step(1), UnitStep::Unit(15));
        assert_eq!(units.step(5), UnitStep::Unit(8));
        assert_eq!(units.step(10), UnitStep::Unit(14));
        assert_eq!(units.step(12), UnitStep::Plain);
        assert_eq!(units.step(14), UnitStep::Close);
        assert_eq!(units.step(16), UnitStep::Plain);
        assert_eq!(units.back(15), Some(1));
        assert!(units.within(6).is_some() && units.within(5).is_none());
    }
}
