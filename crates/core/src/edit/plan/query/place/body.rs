//! Insertion inside a node: before its first child or after its last.
//!
//! In: a node. Out: a spot in its body: between its brackets or tags, in its block, or in
//! the file. At the start of a file, what has to stay first stays first.

use std::ops::Range;

use tree_sitter::Node;

use super::{InsertionPoint, QuerySite, TwinPosition, inline, is_leading};
use crate::edit::plan::body::suite::docstring;
use crate::edit::plan::body::{are_brackets, body, brackets, depth, tag, tags};
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
    pub(super) fn start(&self, node: Node<'_>, template: &str) -> InsertionPoint {
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
        let mut spot = self.next_line(open, base);
        if inside.list && first.is_some() && !template.trim_end().ends_with(',') {
            spot.around.1.insert(0, ',');
        }
        spot
    }

    /// Returns the spot after everything in a node.
    pub(super) fn end(&self, node: Node<'_>, template: &str) -> InsertionPoint {
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
        if inside.list && !comma {
            // The comma belongs to the last child, and the new one has none behind it.
            return InsertionPoint {
                at: end,
                around: (format!(",{}{base}", self.ending(end)), String::new()),
                base,
                bare: true,
                seen: TwinPosition::Before(close),
            };
        }
        let line = self.source.line_range(self.source.line_of(close)).start;
        let own = template.trim_end().ends_with(',');
        let behind = if inside.list && !own { "," } else { "" };
        InsertionPoint {
            at: line,
            around: (base.clone(), format!("{behind}{}", self.ending(line))),
            base,
            bare: false,
            seen: TwinPosition::Before(close),
        }
    }

    /// Returns the indentation of what stands beside a child.
    fn depth(&self, inside: &Inside<'_>, child: Option<&Node<'_>>) -> String {
        depth(self.text, inside.node, child, self.unit)
    }

    /// The spot within brackets that are on one line.
    fn flat(&self, inside: &Inside<'_>, start: bool) -> InsertionPoint {
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
        let pad = if inside.tag || text.starts_with(' ') && !inside.list {
            " "
        } else {
            ""
        };
        let trailing = text.trim_end().ends_with(',');
        let (at, around) = match (start, inside.list) {
            (true, true) => (first.start_byte(), (String::new(), ", ".to_owned())),
            (true, false) => (open, (pad.to_owned(), String::new())),
            (false, true) if trailing => (
                open + text.trim_end().len(),
                (" ".to_owned(), ",".to_owned()),
            ),
            (false, true) => (self.end_of(*last), (", ".to_owned(), String::new())),
            (false, false) => (
                open + text.trim_end().len(),
                (pad.to_owned(), String::new()),
            ),
        };
        InsertionPoint {
            at,
            base: String::new(),
            around,
            bare: inside.list,
            seen,
        }
    }

    /// The spot within brackets that hold nothing: a block gets lines, a list does not.
    fn empty(&self, inside: &Inside<'_>, seen: TwinPosition) -> InsertionPoint {
        let open = inside.range.start;
        let braces = self
            .text
            .get(..open)
            .is_some_and(|head| head.ends_with('{'));
        if inside.list || !braces || self.is_tall(&inside.range) {
            let mut spot = inline(open, seen);
            if inside.tag {
                spot.around.0 = " ".to_owned();
            }
            if self.is_tall(&inside.range) {
                let base = self.depth(inside, None);
                spot.around.0 = format!("{}{base}", self.ending(open));
                spot.base = base;
            }
            return spot;
        }
        let outer = leading_at(self.text, inside.node.start_byte()).to_owned();
        let base = format!("{outer}{}", self.unit);
        let ending = self.ending(open);
        InsertionPoint {
            at: open,
            around: (format!("{ending}{base}"), format!("{ending}{outer}")),
            base,
            bare: false,
            seen,
        }
    }

    /// The spot before the first child of a body without brackets, as Python has.
    fn bare_start(&self, body: Node<'_>) -> InsertionPoint {
        let at = body.start_byte();
        if !begins_line(self.text, at) || body.named_child_count() == 0 {
            let mut spot = inline(at, TwinPosition::After(at));
            spot.around.1 = joint(body);
            return spot;
        }
        if let Some(doc) = docstring(body) {
            let base = leading_at(self.text, at).to_owned();
            return self.next_line(self.end_of(doc), base);
        }
        let line = self.source.line_range(self.source.line_of(at)).start;
        let base = leading_at(self.text, at).to_owned();
        InsertionPoint {
            at: line,
            around: (base.clone(), self.ending(line)),
            base,
            bare: false,
            seen: TwinPosition::After(line),
        }
    }

    fn bare_end(&self, body: Node<'_>) -> InsertionPoint {
        let end = self.end_of(body);
        if !begins_line(self.text, body.start_byte()) || body.named_child_count() == 0 {
            let mut spot = inline(end, TwinPosition::Before(end));
            spot.around.0 = joint(body);
            return spot;
        }
        let base = leading_at(self.text, body.start_byte()).to_owned();
        InsertionPoint {
            seen: TwinPosition::Before(end),
            ..self.next_line(end, base)
        }
    }

    /// The spot at the start of a file.
    fn top(&self, root: Node<'_>, template: &str) -> InsertionPoint {
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
            return self.next_line(at, String::new());
        }
        InsertionPoint {
            at,
            base: String::new(),
            around: (String::new(), self.ending(at)),
            bare: false,
            seen: TwinPosition::After(at),
        }
    }

    fn bottom(&self) -> InsertionPoint {
        let end = self.text.len();
        let mut spot = match end {
            0 => InsertionPoint {
                around: (String::new(), self.ending(0)),
                ..inline(0, TwinPosition::Before(0))
            },
            _ => self.next_line(end, String::new()),
        };
        spot.seen = TwinPosition::Before(end);
        spot
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
        let held = |node: Node<'t>| tag(node).or_else(|| brackets(node)).or_else(|| tags(node));
        let own = |node: Node<'t>| held(node).map(|pair| (node, pair));
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

/// Returns what parts two statements in one line of a body without brackets.
fn joint(body: Node<'_>) -> String {
    match body.kind() {
        "block" => "; ".to_owned(),
        _ => String::new(),
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
