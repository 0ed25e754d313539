//! Node kinds by number.
//!
//! A walk asks every node for its kind. Comparing names would cost more than the rest of the walk, so that a table
//! answers by the number that the grammar gives a kind.

use tree_sitter::Node;

use super::Language;

/// What the kinds of one grammar stand for.
pub(super) struct Kinds<T> {
    by_id: Vec<Option<T>>,
}

impl<T: Copy> Kinds<T> {
    /// Returns the table of a language, in which `kinds` have names.
    pub(super) fn new(language: Language, kinds: &[(&str, T)]) -> Self {
        let Some(grammar) = language.grammar() else {
            return Self { by_id: Vec::new() };
        };
        let mut by_id = vec![None; grammar.node_kind_count()];
        for (id, value) in (0_u16..).zip(&mut by_id) {
            let name = grammar
                .node_kind_for_id(id)
                .filter(|_| grammar.node_kind_is_named(id));
            let own = kinds.iter().find(|(kind, _)| Some(*kind) == name);
            *value = own.map(|(_, value)| *value);
        }
        Self { by_id }
    }

    /// Returns what the node's kind stands for.
    pub(super) fn get(&self, node: Node<'_>) -> Option<T> {
        self.by_id
            .get(usize::from(node.kind_id()))
            .copied()
            .flatten()
    }
}
