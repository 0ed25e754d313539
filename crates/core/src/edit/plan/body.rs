//! Bodies: what holds the statements or members of an item.
//!
//! ```text
//! fn f() { a(); }        brackets `{` and `}`, in the field `body`
//! f(a, b)                brackets `(` and `)`, of the node itself or of its last child
//! <A b={c}>d</A>         tags around `d`; one tag around the attribute `b={c}`
//! class A:               a suite: no brackets, delimited by its indentation
//!     '''Doc.'''         its docstring
//!     b = 1
//! ```
//!
//! Every strategy that puts text into a body, or replaces one, asks here what the body is. Where in it the text goes is
//! for the strategy to say; which blank lines and commas it has there is for `insertion`.

use tree_sitter::Node;

use crate::text::indent::{begins_line, leading_at};

pub(super) mod suite;

/// Node kinds that belong to the item below them.
pub(super) const LEADING: &[&str] = &[
    "line_comment",
    "block_comment",
    "comment",
    "attribute_item",
    "decorator",
    "marker_annotation",
];

/// Returns what holds the children of an item: its body, or the node itself.
pub(super) fn body(node: Node<'_>) -> Node<'_> {
    if let Some(body) = node.child_by_field_name("body") {
        return body;
    }
    let mut cursor = node.walk();
    let last = node.named_children(&mut cursor).last();
    match last.filter(|child| brackets(*child).is_some_and(|(open, _)| open.kind() == "{")) {
        Some(block) => block,
        None => node,
    }
}

/// Returns the indentation of what stands in the body of a node, beside a child that has its own line: that of the
/// child. Where no such child is known it is a `level` deeper than the node.
pub(super) fn depth(text: &str, node: Node<'_>, child: Option<&Node<'_>>, level: &str) -> String {
    match child.filter(|child| begins_line(text, child.start_byte())) {
        Some(child) => leading_at(text, child.start_byte()).to_owned(),
        None => format!("{}{level}", leading_at(text, node.start_byte())),
    }
}

/// Returns the brackets that a node begins and ends with.
pub(super) fn brackets(node: Node<'_>) -> Option<(Node<'_>, Node<'_>)> {
    let (open, close) = ends(node)?;
    are_brackets(open, close).then_some((open, close))
}

/// Returns whether two nodes are an opening bracket and its closing one, which is there.
pub(super) fn are_brackets(open: Node<'_>, close: Node<'_>) -> bool {
    let pair = matches!(
        (open.kind(), close.kind()),
        ("{", "}") | ("(", ")") | ("[", "]") | ("<", ">")
    );
    pair && !close.is_missing()
}

/// Returns the tags around the children of an element.
pub(super) fn tags(node: Node<'_>) -> Option<(Node<'_>, Node<'_>)> {
    let (open, close) = ends(node)?;
    let opens = open.kind().contains("opening") || open.kind() == "start_tag";
    let closes = close.kind().contains("closing") || close.kind() == "end_tag";
    (opens && closes && node.child_count() > 1).then_some((open, close))
}

/// Returns what is around the attributes of one tag: its name, and what closes it.
pub(super) fn tag(node: Node<'_>) -> Option<(Node<'_>, Node<'_>)> {
    let (open, close) = ends(node)?;
    let is_tag = node.kind().ends_with("_element") || node.kind().ends_with("_tag");
    if !is_tag || open.kind() != "<" || !matches!(close.kind(), ">" | "/>") || close.is_missing() {
        return None;
    }
    let mut cursor = node.walk();
    let mut children = node.children(&mut cursor).filter(Node::is_named);
    let name = children.next()?;
    let types = children
        .next()
        .filter(|node| node.kind() == "type_arguments");
    Some((types.unwrap_or(name), close))
}

/// Returns a node's first and last child.
fn ends(node: Node<'_>) -> Option<(Node<'_>, Node<'_>)> {
    let count = node.child_count();
    Some((node.child(0)?, node.child(count.checked_sub(1)?)?))
}
