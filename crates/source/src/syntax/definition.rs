//! Definitions: which node kinds give something a name, of what sort each is, and where in the node the name stands.
//!
//! ```text
//! impl Area for Square {        an implementation, named by the field `type`: `Square`
//!     fn area() {}              an item, named by the field `name`
//! }
//! interface Point { x: number } an item, and in it a member
//! [dependencies]                an item, named by its first child
//! ```
//!
//! The rows are those of the table of languages. Outlines list items and implementations; recipes address items and
//! members, and take an implementation for what they are in.

use tree_sitter::Node;

use super::Language;
use super::kinds::Kinds;

/// A node kind that gives something a name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Definition {
    pub(super) kind: &'static str,
    /// What it defines, in one word.
    pub what: &'static str,
    /// Its sort.
    pub sort: DefinitionSort,
    name: NamePlace,
}

/// A sort of definition.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DefinitionSort {
    /// It can be named alone.
    Item,
    /// It adds to the type that it names.
    Implementation,
    /// It belongs to an item, and is too small for an outline: a field, a property, the signature of a method.
    Member,
}

/// Where in a node its name stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum NamePlace {
    Field(&'static str),
    FirstChild,
    /// Within C's declarators: `f` of `int *f(void)`.
    Declarator,
}

/// The definitions of a language by node kind.
pub struct Definitions(Kinds<&'static Definition>);

impl Definitions {
    /// Returns the definitions of a language.
    pub fn of(language: Language) -> Self {
        let all = language.facts().definitions.iter();
        let rows: Vec<(&str, &'static Definition)> = all.map(|own| (own.kind, own)).collect();
        Self(Kinds::new(language, &rows))
    }

    /// Returns what nodes of this kind define; a node may lack the name all the same.
    pub fn get(&self, node: Node<'_>) -> Option<&'static Definition> {
        self.0.get(node)
    }
}

impl Definition {
    pub(super) const fn item(kind: &'static str, what: &'static str) -> Self {
        Self {
            kind,
            what,
            sort: DefinitionSort::Item,
            name: NamePlace::Field("name"),
        }
    }

    pub(super) const fn implementation(kind: &'static str, what: &'static str) -> Self {
        let sort = DefinitionSort::Implementation;
        Self {
            sort,
            ..Self::item(kind, what)
        }
    }

    pub(super) const fn member(kind: &'static str, what: &'static str) -> Self {
        let sort = DefinitionSort::Member;
        Self {
            sort,
            ..Self::item(kind, what)
        }
    }

    /// Returns the same, with its name in another field than `name`.
    pub(super) const fn named_by(self, field: &'static str) -> Self {
        let name = NamePlace::Field(field);
        Self { name, ..self }
    }

    /// Returns the same, named by the first child.
    pub(super) const fn named_by_first(self) -> Self {
        let name = NamePlace::FirstChild;
        Self { name, ..self }
    }

    /// Returns the same, named within a declarator.
    pub(super) const fn declared(self) -> Self {
        let name = NamePlace::Declarator;
        Self { name, ..self }
    }

    /// Returns whether outlines list it.
    pub fn is_outlined(&self) -> bool {
        match self.sort {
            DefinitionSort::Item | DefinitionSort::Implementation => true,
            DefinitionSort::Member => false,
        }
    }

    /// Returns what holds the name in a node of this kind, if it is there.
    pub fn name_in<'t>(&self, node: Node<'t>) -> Option<Node<'t>> {
        match self.name {
            NamePlace::Field(field) => node.child_by_field_name(field),
            NamePlace::FirstChild => node.named_child(0),
            NamePlace::Declarator => {
                let mut at = node.child_by_field_name("declarator")?;
                while let Some(inner) = at.child_by_field_name("declarator") {
                    at = inner;
                }
                Some(at)
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nodes_are_named_where_their_row_says() {
        use DefinitionSort::{Implementation, Item, Member};
        let check = |language: Language, text: &str, expected: &[(&str, DefinitionSort)]| {
            let parsed = language.parse(text).unwrap();
            let definitions = Definitions::of(language);
            let mut found = Vec::new();
            parsed.walk(|node| {
                let own = definitions.get(node);
                let named = own.and_then(|own| Some((parsed.text(own.name_in(node)?), own.sort)));
                found.extend(named);
            });
            assert_eq!(found, expected, "{text}");
        };
        check(
            Language::Rust,
            "impl A for B { fn c() {} }",
            &[("B", Implementation), ("c", Item)],
        );
        check(
            Language::TypeScript,
            "interface A { b: c; d(): e }\nx = { y: 1 };",
            &[("A", Item), ("b", Member), ("d", Member), ("y", Member)],
        );
        check(
            Language::JavaScript,
            "class A { b = 1 }",
            &[("A", Item), ("b", Member)],
        );
        check(Language::Python, "a = 1", &[("a", Item)]);
        check(Language::Toml, "[a.b]\nc = 1\n", &[("a.b", Item)]);
    }
}
