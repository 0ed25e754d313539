//! Lists the named items of a tree.
//!
//! In: a tree. Out: its items, in the order of the text, each with what it stands in and what
//! wraps it.

use tree_sitter::Node;

use super::{Container, Item, leading};
use crate::edit::plan::tree::{TreeStep, walk};
use crate::syntax::definition::{Definition, DefinitionSort, Definitions};
use crate::syntax::node_links::NodeLinks;
use crate::syntax::{Language, Parsed};

/// Node kinds that declare a function that is written elsewhere.
const SIGNATURES: &[&str] = &[
    "function_signature",
    "method_signature",
    "abstract_method_signature",
];

/// Node kinds that wrap an item and go with it.
const WRAPPERS: &[&str] = &[
    "export_statement",
    "ambient_declaration",
    "decorated_definition",
    "lexical_declaration",
    "variable_declaration",
    "expression_statement",
];

/// Returns all named items, in the order of the text.
pub(in super::super) fn items<'t>(language: Language, tree: &'t Parsed<'_>) -> Vec<Item<'t>> {
    let definitions = Definitions::of(language);
    let mut found = Vec::new();
    let mut inside: Vec<(usize, Container)> = Vec::new();
    walk(tree.root(), |step, above| {
        let node = step.node;
        while inside
            .last()
            .is_some_and(|(end, _)| *end <= node.start_byte())
        {
            inside.pop();
        }
        let Some(definition) = definitions.get(node) else {
            return;
        };
        if definition.sort == DefinitionSort::Implementation {
            inside.push((node.end_byte(), implemented(tree, node)));
            return;
        }
        let Some(name) = name_of(tree, definition, node, above) else {
            return;
        };
        let path = inside.iter().map(|(_, container)| container.clone());
        let (outer, parent, shared) = wrapped(node, above);
        found.push(Item {
            name: name.clone(),
            path: path.collect(),
            node,
            outer,
            parent,
            shared,
            signature: is_signature(tree, node, outer),
            leading: outer.start_byte(),
            overloads: Vec::new(),
        });
        let of_trait = None;
        inside.push((node.end_byte(), Container { name, of_trait }));
    });
    let links = NodeLinks::of(tree.root(), found.iter().map(|item| item.outer));
    for item in &mut found {
        item.leading = leading(tree, &links, item.outer);
    }
    found
}

/// Returns the name of the node if it is an item.
fn name_of(
    tree: &Parsed<'_>,
    definition: &Definition,
    node: Node<'_>,
    above: &[TreeStep<'_>],
) -> Option<String> {
    let name = definition.name_in(node)?;
    let is_item = match node.kind() {
        "variable_declarator" => {
            name.kind() == "identifier" && (holds_items(node) || is_top_level(above))
        }
        "pair" => name.kind() == "property_identifier" && holds_items(node),
        "assignment" => name.kind() == "identifier" && is_python_constant(above),
        _ => true,
    };
    is_item.then(|| tree.text(name).to_owned())
}

/// Returns whether a declared value is a function, class or object.
fn holds_items(node: Node<'_>) -> bool {
    let value = node.child_by_field_name("value").map(|value| value.kind());
    matches!(
        value,
        Some("arrow_function" | "function_expression" | "generator_function" | "class" | "object")
    )
}

fn is_top_level(above: &[TreeStep<'_>]) -> bool {
    let mut kinds = above.iter().rev().map(TreeStep::kind);
    kinds.next().is_some_and(|kind| WRAPPERS.contains(&kind))
        && kinds
            .find(|kind| !matches!(*kind, "export_statement" | "ambient_declaration"))
            .is_some_and(|kind| kind == "program")
}

/// Returns whether an assignment is a statement of a module or class.
fn is_python_constant(above: &[TreeStep<'_>]) -> bool {
    let kinds: Vec<_> = above.iter().rev().take(3).map(TreeStep::kind).collect();
    matches!(
        kinds.as_slice(),
        ["expression_statement", "module", ..]
            | ["expression_statement", "block", "class_definition"]
    )
}

/// Returns the node with what wraps it, what that stands in, and whether other declarations
/// share the wrapper.
fn wrapped<'t>(node: Node<'t>, above: &[TreeStep<'t>]) -> (Node<'t>, Option<Node<'t>>, bool) {
    let mut outer = node;
    let mut rest = above;
    while let Some((parent, higher)) = rest.split_last() {
        if !WRAPPERS.contains(&parent.kind()) {
            break;
        }
        if node.kind() == "variable_declarator" && parent.node.named_child_count() > 1 {
            return (outer, Some(parent.node), true);
        }
        (outer, rest) = (parent.node, higher);
    }
    (outer, rest.last().map(|step| step.node), false)
}

/// Returns the type that an `impl` is for, and its trait.
pub(in super::super) fn implemented(tree: &Parsed<'_>, node: Node<'_>) -> Container {
    Container {
        name: bare_field(tree, node, "type").unwrap_or_default(),
        of_trait: bare_field(tree, node, "trait"),
    }
}

fn bare_field(tree: &Parsed<'_>, node: Node<'_>, field: &str) -> Option<String> {
    let text = tree.text(node.child_by_field_name(field)?);
    Some(bare_type(text).to_owned())
}

/// Returns a type's own name: without references, path and arguments.
pub(in super::super) fn bare_type(text: &str) -> &str {
    let text = text
        .trim_start_matches(['&', ' '])
        .trim_start_matches("mut ");
    let text = text.split_once('<').map_or(text, |(name, _)| name).trim();
    text.rsplit("::").next().unwrap_or(text)
}

/// Returns whether a node only declares what is written elsewhere.
fn is_signature(tree: &Parsed<'_>, node: Node<'_>, outer: Node<'_>) -> bool {
    if SIGNATURES.contains(&node.kind()) {
        return true;
    }
    let mut cursor = outer.walk();
    outer.kind() == "decorated_definition"
        && outer.named_children(&mut cursor).any(|child| {
            let name = tree.text(child).trim_start_matches('@').trim();
            child.kind() == "decorator" && (name == "overload" || name.ends_with(".overload"))
        })
}
