//! Insertion inside a node: before its first child or after its last.
//!
//! In: a node. Out: a spot in its body: between its brackets or tags, in its block, or in
//! the file. At the start of a file, what has to stay first stays first.

use std::ops::Range;

use tree_sitter::Node;

use super::{QueryPoint, QuerySite, TwinPosition, is_leading};
use crate::edit::plan::body::suite::docstring;
use crate::edit::plan::body::{are_brackets, body, brackets, depth, tag, tags};
use crate::edit::plan::insertion::{InsertionPlace, ListMark, ListPlace};
use crate::syntax::node_links::NodeLinks;
use crate::text::Slice;
use crate::text::indent::{begins_line, leading_at};

/// Node kinds that nothing goes above.
const FIRST: &[&str] = &[
    "hash_bang_line",
    "shebang",
    "inner_attribute_item",
    "package_clause",
    "package_declaration",
    "future_import_statement",
    "charset_statement",
    "doctype",
    "xml_declaration",
];
/// Parts of node kinds whose children are parted by commas.
const LISTS: &[&str] = &[
    "arguments",
    "parameters",
    "array",
    "object",
    "dictionary",
    "tuple",
    "named_imports",
];

/// The inside of a pair of brackets or tags.
struct Inside<'t> {
    node: Node<'t>,
    range: Range<usize>,
    children: Vec<Node<'t>>,
    /// Whether commas part the children.
    list: bool,
    /// Whether it is one tag, in which blanks part the children.
    tag: bool,
}

impl QuerySite<'_> {
    /// Returns the spot before everything in a node.
    pub(super) fn start(&self, node: Node<'_>, template: &str) -> QueryPoint {
        if self.is_root(node) {
            return self.top(node, template);
        }
        let Some(inside) = self.inside(node) else {
            return self.bare_start(body(node));
        };
        let open = inside.range.start;
        let first = inside.children.first();
        if !self.is_tall(&inside.range) {
            return self.flat(&inside, true);
        }
        let base = self.depth(&inside, first);
        let parted = first.is_some() && !template.trim_end().ends_with(',');
        let line = self.source.line_of(open.saturating_sub(1));
        if !(inside.list && parted) {
            return self.next_line(open, &base);
        }
        let next = self.source.line_range(line).end;
        self.item(ListPlace::Line(line + 1), &base, TwinPosition::After(next))
    }

    /// Returns the spot after everything in a node.
    pub(super) fn end(&self, node: Node<'_>, template: &str) -> QueryPoint {
        if self.is_root(node) {
            return self.bottom();
        }
        let Some(inside) = self.inside(node) else {
            return self.bare_end(body(node));
        };
        let last = inside
            .children
            .last()
            .map(|child| (*child, self.end_of(*child)));
        let close = inside.range.end;
        let (Some((child, end)), true) = (last, self.is_tall(&inside.range)) else {
            return self.flat(&inside, false);
        };
        if !begins_line(self.text, close) {
            return self.flat(&inside, false);
        }
        let base = self.depth(&inside, Some(&child));
        let tail = self.text.get(end..close).unwrap_or_default();
        let comma = tail.trim_start().starts_with(',');
        let seen = TwinPosition::Before(close);
        if inside.list && !comma {
            // The comma belongs to the last child, and the new one has none behind it.
            return QueryPoint {
                bare: true,
                ..self.item(ListPlace::LineAfter(end), &base, seen)
            };
        }
        let line = self.source.line_of(close);
        if inside.list && !template.trim_end().ends_with(',') {
            return self.item(ListPlace::Line(line), &base, seen);
        }
        self.lines(line, &base, seen)
    }

    fn item(&self, place: ListPlace, base: &str, seen: TwinPosition) -> QueryPoint {
        self.at(InsertionPlace::Listed(ListMark::Comma, place), base, seen)
    }

    /// Returns the indentation of what stands beside a child.
    fn depth(&self, inside: &Inside<'_>, child: Option<&Node<'_>>) -> String {
        depth(self.text, inside.node, child, self.unit)
    }

    /// The spot within brackets that are on one line.
    fn flat(&self, inside: &Inside<'_>, start: bool) -> QueryPoint {
        let Range {
            start: open,
            end: close,
        } = inside.range.clone();
        let text = self.text.slice(open..close);
        let seen = if start {
            TwinPosition::After(open)
        } else {
            TwinPosition::Before(close)
        };
        let (first, last) = (inside.children.first(), inside.children.last());
        let (Some(first), Some(last)) = (first, last) else {
            return self.empty(inside, seen);
        };
        let end = open + text.trim_end().len();
        if inside.list {
            let place = match (start, text.trim_end().ends_with(',')) {
                (true, _) => ListPlace::Before(first.start_byte()),
                (false, true) => ListPlace::AfterMark(end),
                (false, false) => ListPlace::After(self.end_of(*last)),
            };
            return QueryPoint {
                bare: true,
                ..self.item(place, "", seen)
            };
        }
        let at = if start { open } else { end };
        let place = if inside.tag || text.starts_with(' ') {
            InsertionPlace::Spaced(at)
        } else {
            InsertionPlace::Inline(at)
        };
        self.within(place, seen)
    }

    /// The spot within brackets that hold nothing: a block gets lines, a list does not.
    fn empty(&self, inside: &Inside<'_>, seen: TwinPosition) -> QueryPoint {
        let open = inside.range.start;
        if self.is_tall(&inside.range) {
            let base = self.depth(inside, None);
            return self.at(InsertionPlace::LineBehind(open), &base, seen);
        }
        let braces = self.text.slice(..open).ends_with('{');
        if inside.tag {
            return self.within(InsertionPlace::Spaced(open), seen);
        }
        if inside.list || !braces {
            return self.within(InsertionPlace::Inline(open), seen);
        }
        let outer = leading_at(self.text, inside.node.start_byte());
        let base = format!("{outer}{}", self.unit);
        self.at(InsertionPlace::Brackets(open..open, outer), &base, seen)
    }

    /// The spot before the first child of a body without brackets, as Python has.
    fn bare_start(&self, body: Node<'_>) -> QueryPoint {
        let at = body.start_byte();
        if !begins_line(self.text, at) || body.named_child_count() == 0 {
            return self.statement(body, ListPlace::Before, at, TwinPosition::After(at));
        }
        let base = leading_at(self.text, at);
        if let Some(doc) = docstring(body) {
            return self.next_line(self.end_of(doc), base);
        }
        let line = self.source.line_of(at);
        let start = self.source.line_range(line).start;
        self.lines(line, base, TwinPosition::After(start))
    }

    fn bare_end(&self, body: Node<'_>) -> QueryPoint {
        let end = self.end_of(body);
        let seen = TwinPosition::Before(end);
        if !begins_line(self.text, body.start_byte()) || body.named_child_count() == 0 {
            return self.statement(body, ListPlace::After, end, seen);
        }
        let base = leading_at(self.text, body.start_byte());
        QueryPoint {
            seen,
            ..self.next_line(end, base)
        }
    }

    /// The spot beside the statements of a body in one line.
    fn statement(
        &self,
        body: Node<'_>,
        side: fn(usize) -> ListPlace,
        at: usize,
        seen: TwinPosition,
    ) -> QueryPoint {
        let place = match body.kind() {
            "block" => InsertionPlace::Listed(ListMark::Semicolon, side(at)),
            _ => InsertionPlace::Inline(at),
        };
        self.within(place, seen)
    }

    /// The spot at the start of a file.
    fn top(&self, root: Node<'_>, template: &str) -> QueryPoint {
        let bom = if self.text.starts_with('\u{feff}') {
            3
        } else {
            0
        };
        let mut at = bom;
        let mut cursor = root.walk();
        for child in root.children(&mut cursor) {
            if !self.stays_first(child, is_leading(template)) {
                break;
            }
            let line = self.source.line_of(self.end_of(child).saturating_sub(1));
            at = self.source.line_range(line).end;
        }
        if at > bom && at == self.text.len() {
            return self.next_line(at, "");
        }
        let line = self.source.line_of(at);
        let mut spot = self.lines(line, "", TwinPosition::After(at));
        spot.point.range = at..at;
        spot
    }

    fn bottom(&self) -> QueryPoint {
        let end = self.text.len();
        let seen = TwinPosition::Before(end);
        self.lines(self.source.line_count(), "", seen)
    }

    /// Returns whether a top-level node stays above what is put at the start; above a comment
    /// only what has to be in the first line.
    fn stays_first(&self, child: Node<'_>, comment: bool) -> bool {
        let text = self.tree.text(child);
        if text.starts_with("#!") && !text.starts_with("#![") {
            return true;
        }
        if comment {
            return false;
        }
        match child.kind() {
            "line_comment" | "block_comment" => text.starts_with("//!") || text.starts_with("/*!"),
            "comment" => text.starts_with("# -*-") || text.starts_with("//go:build"),
            "expression_statement" => {
                text.starts_with(['"', '\'']) && child.named_child_count() == 1
            }
            kind => FIRST.contains(&kind),
        }
    }

    /// Returns the inside of a node, or of its body, where brackets or tags hold it.
    fn inside<'t>(&self, node: Node<'t>) -> Option<Inside<'t>> {
        let own = |node: Node<'t>| {
            tag(node)
                .or_else(|| brackets(node))
                .or_else(|| tags(node))
                .map(|pair| (node, pair))
        };
        let (node, (open, close)) = own(node).or_else(|| own(body(node)))?;
        let range = open.end_byte()..close.start_byte();
        let mut cursor = node.walk();
        let children: Vec<Node<'t>> = node
            .children(&mut cursor)
            .filter(|child| child.start_byte() >= range.start && child.end_byte() <= range.end)
            .collect();
        let commas = children.iter().any(|child| child.kind() == ",");
        let kind = node.kind();
        let list = commas || LISTS.iter().any(|part| kind.contains(part));
        let children = children.into_iter().filter(Node::is_named).collect();
        let tag = tag(node).is_some();
        Some(Inside {
            node,
            range,
            children,
            list,
            tag,
        })
    }

    fn is_tall(&self, range: &Range<usize>) -> bool {
        self.text
            .get(range.clone())
            .is_some_and(|text| text.contains('\n'))
    }
}

/// Returns the range of a node with the comma that parts it from its neighbour in a list.
pub(super) fn with_comma<'t>(links: &NodeLinks<'t>, node: Node<'t>) -> Range<usize> {
    let own = node.byte_range();
    let Some(place) = links.place(node) else {
        return own;
    };
    let ends = (place.children.first(), place.children.last());
    let (Some(open), Some(close)) = ends else {
        return own;
    };
    if !are_brackets(*open, *close) {
        return own;
    }
    let next = place.after.first().filter(|next| next.kind() == ",");
    if let Some(comma) = next {
        let follows = place.after.get(1);
        let same_line = follows
            .filter(|next| next.is_named() && next.start_position().row == node.end_position().row);
        return own.start..same_line.map_or(comma.end_byte(), |next| next.start_byte());
    }
    let before = place.before.last().filter(|before| before.kind() == ",");
    match before {
        Some(comma) if place.parent.named_child_count() > 1 => comma.start_byte()..own.end,
        _ => own,
    }
}
