//! Shape of a pattern with metavariables: a tree of nodes and metavariables.
//!
//! In: the tree of a pattern, and where its metavariables stand in it. Out: a [`Shape`]: the
//! same tree, with whole nodes left open. Commas and semicolons stand beside what they part, so
//! that a list with nothing in a `$$$` needs none of them.

use std::ops::Range;

use tree_sitter::Node;

use crate::text::Slice;

/// A node that is to be found.
#[derive(Clone, Debug)]
pub(super) enum Shape {
    /// Any node with a name; the metavariable's position in the pattern.
    One(usize),
    /// Any number of nodes.
    Many(usize),
    /// A node without children, and its text.
    Leaf { kind: u16, text: String },
    /// A node with children.
    Inner { kind: u16, list: List },
}

/// What a node is made of.
#[derive(Clone, Debug)]
pub(super) struct List {
    pub(super) parts: Vec<ShapePart>,
    /// What stands after the last of them.
    pub(super) tail: Separators,
    /// Text of the node that none of its children has.
    pub(super) own: String,
}

/// A child, and what parts it from the one before.
#[derive(Clone, Debug)]
pub(super) struct ShapePart {
    pub(super) before: Separators,
    pub(super) shape: Shape,
}

/// How many commas and semicolons stand before a child, and where they end.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Separators {
    commas: usize,
    semicolons: usize,
    pub(super) end: usize,
}

/// A child of a node in the text.
#[derive(Clone, Copy)]
pub(super) struct ChildInText<'t> {
    pub(super) before: Separators,
    pub(super) node: Node<'t>,
}

/// A metavariable where it stands in the text of a pattern.
pub(super) struct VariableSpot {
    pub(super) range: Range<usize>,
    pub(super) many: bool,
}

impl Shape {
    /// Returns the shape of a node of a pattern.
    pub(super) fn of(node: Node<'_>, text: &str, spots: &[VariableSpot]) -> Self {
        let range = trimmed(node, text);
        if let Some(index) = spots.iter().position(|spot| spot.range == range) {
            return if spots.get(index).is_some_and(|spot| spot.many) {
                Self::Many(index)
            } else {
                Self::One(index)
            };
        }
        let kind = node.kind_id();
        if node.child_count() == 0 {
            let text = text.slice(node.byte_range()).to_owned();
            return Self::Leaf { kind, text };
        }
        let (items, tail) = items(node, text);
        let parts = items.into_iter().map(|item| ShapePart {
            before: item.before,
            shape: Self::of(item.node, text, spots),
        });
        Self::Inner {
            kind,
            list: List {
                parts: parts.collect(),
                tail,
                own: own_text(node, text),
            },
        }
    }

    /// Returns whether it leaves the metavariable at `index` open.
    pub(super) fn holds(&self, index: usize) -> bool {
        match self {
            Self::One(own) | Self::Many(own) => *own == index,
            Self::Leaf { .. } => false,
            Self::Inner { list, .. } => list.parts.iter().any(|part| part.shape.holds(index)),
        }
    }

    /// Returns its kind; none for a metavariable.
    pub(super) fn kind(&self) -> Option<u16> {
        match self {
            Self::One(_) | Self::Many(_) => None,
            Self::Leaf { kind, .. } | Self::Inner { kind, .. } => Some(*kind),
        }
    }
}

impl Separators {
    /// Returns whether there are none.
    pub(super) fn is_none(self) -> bool {
        self.commas == 0 && self.semicolons == 0
    }

    /// Returns whether two nodes of a `kind` are parted in the same way. A semicolon only ends
    /// what is before it, except where places may be empty or where it means something else.
    pub(super) fn is_as(self, other: Self, kind: &str) -> bool {
        let members = matches!(kind, "interface_body" | "object_type");
        let tells = kind.starts_with("for") || kind.starts_with("array");
        (members || self.commas == other.commas) && (!tells || self.semicolons == other.semicolons)
    }
}

/// Returns the children of a node without commas, semicolons and line breaks, and those at its end.
pub(super) fn items<'t>(node: Node<'t>, text: &str) -> (Vec<ChildInText<'t>>, Separators) {
    let mut found = Vec::new();
    let mut before = Separators::default();
    let mut cursor = node.walk();
    for child in node.children(&mut cursor) {
        let own = text.slice(child.byte_range());
        match own {
            "," if !child.is_named() => before.commas += 1,
            ";" if !child.is_named() => before.semicolons += 1,
            _ if !child.is_named() && own.trim().is_empty() => continue,
            _ => {
                found.push(ChildInText {
                    before: std::mem::take(&mut before),
                    node: child,
                });
                continue;
            }
        }
        before.end = child.end_byte();
    }
    (found, before)
}

/// Returns the text of a node that none of its children has, such as what is in a string.
pub(super) fn own_text(node: Node<'_>, text: &str) -> String {
    let kind = node.kind();
    let exact = ["string", "scalar", "char", "rune", "regex", "heredoc"]
        .iter()
        .any(|part| kind.contains(part));
    let mut own = String::new();
    let mut at = node.start_byte();
    let mut push = |range: Range<usize>| {
        let gap = text.slice(range);
        own.push_str(if exact { gap } else { gap.trim() });
    };
    let mut cursor = node.walk();
    for child in node.children(&mut cursor) {
        push(at..child.start_byte().max(at));
        at = child.end_byte();
    }
    push(at..node.end_byte().max(at));
    own
}

/// Returns the range of a node without the white space at its ends.
pub(super) fn trimmed(node: Node<'_>, text: &str) -> Range<usize> {
    let own = text.slice(node.byte_range());
    let start = node.start_byte() + (own.len() - own.trim_start().len());
    start..start + own.trim().len()
}
