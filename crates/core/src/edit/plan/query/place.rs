//! Insertion points of a query's action.
//!
//! In: a node, a position and a template. Out: a splice, or that the text stands there.
//! Beside a node that has its lines for itself, and in a body of several lines, whole lines
//! are put in; elsewhere the text goes into the line. In a list the comma is taken care of.

mod body;
mod compare;

use std::ops::Range;

use tree_sitter::Node;

use crate::edit::plan::body::LEADING;
use crate::edit::request::InsertPosition;
use crate::syntax::Parsed;
use crate::syntax::node_links::NodeLinks;
use crate::text::indent::{begins_line, leading_at};
use crate::text::{Slice, Source, Splice};

/// Node kinds that wrap an item and are meant with it.
const WRAPPERS: &[&str] = &["export_statement", "decorated_definition"];
/// A text and its tree.
pub(super) struct QuerySite<'a> {
    pub(super) source: &'a Source,
    pub(super) text: &'a str,
    pub(super) tree: &'a Parsed<'a>,
    /// Of the nodes that are asked about.
    pub(super) links: &'a NodeLinks<'a>,
    /// One step of its indentation.
    pub(super) unit: &'a str,
}

/// What an insertion comes to.
pub(super) enum Put {
    /// It stands there already.
    There(Range<usize>),
    /// It goes here.
    Here(Splice),
}

/// A point, and how text stands there.
struct InsertionPoint {
    at: usize,
    /// Indentation of the lines there.
    base: String,
    /// Put in front and behind.
    around: (String, String),
    /// Whether a comma at the end of the text would be one too many.
    bare: bool,
    /// Where the same text would stand if it were there.
    seen: TwinPosition,
}

enum TwinPosition {
    /// Directly after this byte, white space apart.
    After(usize),
    /// Directly before this byte.
    Before(usize),
    /// Directly before this byte, or after it.
    Around(usize),
    /// The same for what belongs to an item: decorators are a part of it in some grammars.
    Leading(usize),
}

impl<'a> QuerySite<'a> {
    /// Puts what `made` makes of a template, given the indentation of the place, by `node`.
    pub(super) fn put(
        &self,
        node: Node<'a>,
        position: InsertPosition,
        template: &str,
        implied: bool,
        made: impl Fn(&str) -> Result<String, String>,
    ) -> Result<Put, String> {
        let mut spot = match position {
            InsertPosition::Before => self.before(self.wrapped(node), template),
            InsertPosition::After => self.after(self.wrapped(node), template),
            InsertPosition::Start => self.start(node, template),
            InsertPosition::End => self.end(node, template),
        };
        let new = made(&spot.base)?;
        let lines = !spot.around.0.is_empty() || spot.around.1.contains('\n');
        let bare = match (lines, spot.bare) {
            (true, true) => new.trim_end().trim_end_matches(','),
            (true, false) => new.trim_end(),
            (false, _) => new.as_str(),
        };
        if let Some(range) = self.stands(&spot, bare) {
            return Ok(Put::There(range));
        }
        if lines {
            self.blank_lines(&mut spot, template, bare);
        }
        let root = self.is_root(node) && matches!(position, InsertPosition::Start);
        if root
            && (implied || compare::is_import(bare))
            && let Some(range) = compare::whole_lines(self.source, bare)
        {
            return Ok(Put::There(range));
        }
        if bare.contains('\n') && !lines {
            spot.around.1.truncate(spot.around.1.trim_end().len());
        }
        let text = format!("{}{bare}{}", spot.around.0, spot.around.1);
        Ok(Put::Here(Splice {
            at: spot.at,
            old: Vec::new(),
            new: text.into_bytes(),
        }))
    }

    /// Returns what goes away with a node: what wraps it, its comma in a list, and the
    /// attributes and documentation directly above it.
    pub(super) fn doomed(&self, node: Node<'a>) -> Range<usize> {
        let node = self.wrapped(node);
        let range = body::with_comma(self.links, node);
        if !self.is_alone(node) {
            return self.with_blanks(node, range);
        }
        let mut top = node;
        for above in self.above(node) {
            let text = self.tree.text(above);
            let bound = ["///", "/**", "#[", "@"]
                .iter()
                .any(|head| text.starts_with(head));
            let last = self.source.line_of(self.end_of(above).saturating_sub(1));
            let near = last + 1 == top.start_position().row && self.is_alone(above);
            if !(bound && near && LEADING.contains(&above.kind())) {
                break;
            }
            top = above;
        }
        top.start_byte().min(range.start)..range.end
    }

    /// Returns a range within a line with the blanks before it, where they would be left over.
    fn with_blanks(&self, node: Node<'_>, range: Range<usize>) -> Range<usize> {
        let head = self.text.slice(..range.start);
        let tail = self.text.slice(range.end..);
        let kept = head.trim_end_matches([' ', '\t']);
        let closes = node.kind().ends_with("attribute") && tail.starts_with(['>', '/']);
        let left_over = closes || tail.starts_with([' ', '\t', '\n', '\r']);
        if left_over && !kept.is_empty() && !kept.ends_with('\n') {
            kept.len()..range.end
        } else {
            range
        }
    }

    fn stands(&self, spot: &InsertionPoint, new: &str) -> Option<Range<usize>> {
        match spot.seen {
            TwinPosition::After(at) => compare::follows(self.text, at, new),
            TwinPosition::Before(at) => compare::precedes(self.text, at, new),
            TwinPosition::Leading(at) => compare::precedes(self.text, at, new)
                .or_else(|| compare::follows(self.text, at, new)),
            // A modifier becomes part of the node that it was put before.
            TwinPosition::Around(at) => compare::precedes(self.text, at, new).or_else(|| {
                let word = new.trim_end().ends_with(char::is_alphanumeric);
                compare::follows(self.text, at, new).filter(|_| word)
            }),
        }
    }

    /// Keeps the blank lines that a template begins or ends with.
    fn blank_lines(&self, spot: &mut InsertionPoint, template: &str, new: &str) {
        if new.starts_with(['\n', '\r']) {
            let keep = spot.around.0.len().saturating_sub(spot.base.len());
            spot.around.0.truncate(keep);
        }
        let tail = template.slice(template.trim_end().len()..);
        let blank = tail.matches('\n').count().saturating_sub(1);
        if blank > 0 {
            spot.around
                .1
                .insert_str(0, &self.ending(spot.at).repeat(blank));
        }
    }

    fn before(&self, node: Node<'a>, template: &str) -> InsertionPoint {
        let at = node.start_byte();
        if !self.is_alone(node) || glues(template) {
            return inline(at, TwinPosition::Around(at));
        }
        let leads = is_leading(template);
        let top = if leads { node } else { self.with_leading(node) };
        let line = self
            .source
            .line_range(self.source.line_of(top.start_byte()))
            .start;
        let base = leading_at(self.text, line).to_owned();
        InsertionPoint {
            at: line,
            around: (base.clone(), self.ending(line)),
            base,
            bare: false,
            seen: if leads {
                TwinPosition::Leading(top.start_byte())
            } else {
                TwinPosition::Before(top.start_byte())
            },
        }
    }

    fn after(&self, node: Node<'_>, template: &str) -> InsertionPoint {
        let end = self.end_of(node);
        if !self.is_alone(node) || glues(template) {
            let mut spot = inline(end, TwinPosition::After(end));
            let rest = self.text.slice(end..);
            if is_sentence(node) && rest.starts_with(' ') && !glues(template) {
                spot.around.0 = " ".to_owned();
            }
            return spot;
        }
        let base = leading_at(self.text, node.start_byte()).to_owned();
        self.next_line(end, base)
    }

    /// Returns the spot for whole lines below the one that byte `at` is in.
    fn next_line(&self, at: usize, base: String) -> InsertionPoint {
        let line = self.source.line_of(at.saturating_sub(1));
        let next = self.source.line_range(line).end;
        let ending = self.ending(at.saturating_sub(1));
        let open = self.source.ending_of(line).is_none() && next > 0;
        let around = if open {
            (format!("{ending}{base}"), String::new())
        } else {
            (base.clone(), ending)
        };
        InsertionPoint {
            at: next,
            base,
            around,
            bare: false,
            seen: TwinPosition::After(next),
        }
    }

    fn ending(&self, at: usize) -> String {
        let line = self.source.line_of(at);
        self.source.ending_near(line).as_str().to_owned()
    }

    /// Returns the end of a node, less a line break that some grammars count in.
    fn end_of(&self, node: Node<'_>) -> usize {
        let text = self.tree.text(node);
        node.start_byte() + text.trim_end().len()
    }

    /// Returns whether nothing else is on the node's lines, closing punctuation and a comment
    /// behind it apart.
    fn is_alone(&self, node: Node<'_>) -> bool {
        // The rest of a line with many nodes is not looked at for each of them.
        if !begins_line(self.text, node.start_byte()) {
            return false;
        }
        let end = self.end_of(node);
        let rest = self.text.slice(end..);
        let rest = rest.lines().next().unwrap_or_default();
        let rest = rest.trim_start_matches([';', ',', ' ', '\t']);
        let comment = rest.starts_with("//") || rest.starts_with('#') || rest.starts_with("--");
        rest.trim().is_empty() || comment
    }

    /// Returns the first of the comments and attributes directly above a node, or the node.
    fn with_leading(&self, node: Node<'a>) -> Node<'a> {
        let mut top = node;
        for above in self.above(node) {
            let last = self.source.line_of(self.end_of(above).saturating_sub(1));
            let near = last + 1 == top.start_position().row && self.is_alone(above);
            if !(near && LEADING.contains(&above.kind())) {
                break;
            }
            top = above;
        }
        top
    }

    /// Returns what stands before a node beside it, the nearest first, without comments that
    /// trail something on their line.
    fn above(&self, node: Node<'a>) -> impl Iterator<Item = Node<'a>> {
        let before = self.links.place(node).map(|place| place.before);
        let before = before.unwrap_or_default().iter().rev().copied();
        let trails = |node: &Node<'_>| !begins_line(self.text, node.start_byte());
        before.filter(move |node| !(node.kind().ends_with("comment") && trails(node)))
    }

    /// Returns a node with what wraps it.
    fn wrapped(&self, node: Node<'a>) -> Node<'a> {
        let mut outer = node;
        while let Some(parent) = self.links.parent(outer)
            && WRAPPERS.contains(&parent.kind())
        {
            outer = parent;
        }
        outer
    }

    fn is_root(&self, node: Node<'_>) -> bool {
        node == self.tree.root()
    }
}

fn inline(at: usize, seen: TwinPosition) -> InsertionPoint {
    InsertionPoint {
        at,
        base: String::new(),
        around: (String::new(), String::new()),
        bare: false,
        seen,
    }
}

/// Returns whether a blank parts a node from the next of its kind on the same line.
fn is_sentence(node: Node<'_>) -> bool {
    let kinds = ["statement", "declaration", "item", "definition"];
    kinds.iter().any(|kind| node.kind().ends_with(kind))
}

/// Returns whether a template is made to touch what is beside it.
fn glues(template: &str) -> bool {
    let starts = template.starts_with([' ', ',', '.', ')', ']', '}', ';', '?', ':']);
    let ends = template.ends_with([' ', '(', '[', '!', '&', '*', '.', '-', '?', ':']);
    (starts && !template.starts_with("  ")) || ends
}

/// Returns whether a template is a comment or an attribute of the item below it.
fn is_leading(template: &str) -> bool {
    let text = template.trim();
    let comment = text.starts_with("//") || text.starts_with("/*") || text.starts_with('#');
    let last = text.lines().last().unwrap_or_default().trim();
    comment && (last.starts_with("//") || last.ends_with("*/") || last.starts_with('#'))
        || text.starts_with('@') && !text.contains('\n')
}
