//! Tree walk that keeps the ancestors.
//!
//! tree-sitter goes down from the root for every question about a parent. A walk knows what it came through.

use tree_sitter::Node;

/// A node and the field that it fills in its parent.
#[derive(Clone, Copy)]
pub(super) struct TreeStep<'t> {
    /// The node.
    pub(super) node: Node<'t>,
    /// The field.
    pub(super) field: Option<&'t str>,
}

/// Calls `visit` for every node, parents first, in the order of the text, with its
/// ancestors, outermost first.
pub(super) fn walk<'t>(root: Node<'t>, visit: impl FnMut(TreeStep<'t>, &[TreeStep<'t>])) {
    walk_where(root, |_| true, visit);
}

/// As [`walk`], for nodes that hold one of the bytes `places`, in order.
pub(super) fn walk_at<'t>(
    root: Node<'t>,
    places: &[usize],
    visit: impl FnMut(TreeStep<'t>, &[TreeStep<'t>]),
) {
    walk_where(
        root,
        |node| {
            let start = node.start_byte();
            let next = places.partition_point(|at| *at < start);
            places.get(next).is_some_and(|at| *at < node.end_byte())
        },
        visit,
    );
}

fn walk_where<'t>(
    root: Node<'t>,
    enter: impl Fn(Node<'t>) -> bool,
    mut visit: impl FnMut(TreeStep<'t>, &[TreeStep<'t>]),
) {
    let mut cursor = root.walk();
    let mut above: Vec<TreeStep<'t>> = Vec::new();
    loop {
        let node = cursor.node();
        if enter(node) {
            let step = TreeStep {
                node,
                field: cursor.field_name(),
            };
            visit(step, &above);
            if cursor.goto_first_child() {
                above.push(step);
                continue;
            }
        }
        while !cursor.goto_next_sibling() {
            if !cursor.goto_parent() {
                return;
            }
            above.pop();
        }
    }
}

/// Returns the named children that are no comments.
pub(super) fn children(node: Node<'_>) -> Vec<Node<'_>> {
    let mut cursor = node.walk();
    node.named_children(&mut cursor)
        .filter(|child| !is_comment(*child))
        .collect()
}

/// Returns whether the node is a comment.
pub(super) fn is_comment(node: Node<'_>) -> bool {
    node.is_extra() && node.kind().ends_with("comment")
}

impl<'t> TreeStep<'t> {
    /// Returns the node's kind.
    pub(super) fn kind(&self) -> &'t str {
        self.node.kind()
    }

    /// Returns whether the node fills `field` in its parent.
    pub(super) fn is(&self, field: &str) -> bool {
        self.field == Some(field)
    }
}
