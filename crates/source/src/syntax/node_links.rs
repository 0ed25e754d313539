//! Node links: parents and siblings of nodes, found in one descent.
//!
//! In: a root, and the nodes asked about. Out: their parents and siblings, and those of all nodes
//! above them. tree-sitter itself goes down from the root for every such question, child by child:
//! for many nodes among many children that takes quadratic time.

use std::collections::HashMap;

use tree_sitter::Node;

/// The families of some nodes.
pub struct NodeLinks<'t> {
    families: Vec<Family<'t>>,
    /// By a node's id: its family, and its number among the children.
    places: HashMap<usize, (usize, usize)>,
}

/// A node's parent, and what stands beside the node.
pub struct Place<'k, 't> {
    /// The parent.
    pub parent: Node<'t>,
    /// All children of the parent, the node among them.
    pub children: &'k [Node<'t>],
    /// The children before the node, the nearest one last.
    pub before: &'k [Node<'t>],
    /// The children after the node, the nearest one first.
    pub after: &'k [Node<'t>],
}

struct Family<'t> {
    parent: Node<'t>,
    children: Vec<Node<'t>>,
}

impl<'t> NodeLinks<'t> {
    /// Finds the families of `nodes` in the tree below `root`, in time linear in the families.
    pub fn of(root: Node<'t>, nodes: impl IntoIterator<Item = Node<'t>>) -> Self {
        let mut starts: Vec<usize> = nodes.into_iter().map(|node| node.start_byte()).collect();
        starts.sort_unstable();
        starts.dedup();
        let mut links = Self {
            families: Vec::new(),
            places: HashMap::new(),
        };
        let mut open = vec![root];
        while let Some(parent) = open.pop() {
            let mut cursor = parent.walk();
            let children: Vec<Node<'t>> = parent.children(&mut cursor).collect();
            for (number, child) in children.iter().enumerate() {
                if holds(&starts, *child) {
                    links
                        .places
                        .insert(child.id(), (links.families.len(), number));
                    open.push(*child);
                }
            }
            links.families.push(Family { parent, children });
        }
        links
    }

    /// Returns where a node stands; none of the root, and of what was not asked about.
    pub fn place(&self, node: Node<'t>) -> Option<Place<'_, 't>> {
        let (family, number) = *self.places.get(&node.id())?;
        let Family { parent, children } = self.families.get(family)?;
        Some(Place {
            parent: *parent,
            children,
            before: children.get(..number)?,
            after: children.get(number + 1..)?,
        })
    }

    /// Returns the parent of a node; none as for [`Self::place`].
    pub fn parent(&self, node: Node<'t>) -> Option<Node<'t>> {
        self.place(node).map(|place| place.parent)
    }
}

fn holds(starts: &[usize], node: Node<'_>) -> bool {
    let next = starts.partition_point(|start| *start < node.start_byte());
    let end = node.end_byte().max(node.start_byte() + 1);
    starts.get(next).is_some_and(|start| *start < end)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::syntax::Language;

    #[test]
    fn kin_are_those_that_the_tree_knows() {
        let texts = [
            (
                Language::Rust,
                "// a\n// b\nfn f(a: u8) { g(a, /* c */ 1); }\n// d\n",
            ),
            (
                Language::Python,
                "@d\n@e\ndef f(): pass\n\nclass A:\n  x = (1, 2,\n",
            ),
            (
                Language::TypeScript,
                "export class A { f(): void; f() {} }\nlet a = [1,, 2",
            ),
        ];
        for (language, text) in texts {
            let tree = language.parse(text).unwrap();
            let mut all = Vec::new();
            tree.walk(|node| all.push(node));
            let links = NodeLinks::of(tree.root(), all.iter().copied());
            for node in &all {
                assert_eq!(links.parent(*node), node.parent(), "{node}");
                let place = links.place(*node);
                let before = place
                    .as_ref()
                    .and_then(|place| place.before.last().copied());
                let after = place
                    .as_ref()
                    .and_then(|place| place.after.first().copied());
                assert_eq!(before, node.prev_sibling(), "{node}");
                assert_eq!(after, node.next_sibling(), "{node}");
            }
            let few = NodeLinks::of(tree.root(), all.get(5).copied());
            assert_eq!(few.parent(all[5]), all[5].parent());
            assert_eq!(few.parent(*all.last().unwrap()), None);
        }
    }
}
