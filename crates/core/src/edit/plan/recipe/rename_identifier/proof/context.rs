//! Where names stand that become others, as far as that forbids a proof.
//!
//! In: a tree and places. Out: which of them stand in strings, comments, macros or annotations that look at names, and
//! which are parameters.

use crate::word::is_listed;
use std::collections::BTreeSet;

use super::{Family, Parsed, RenamedFile, TreeStep, walk_at};
use crate::word::is_word;

/// Macros that do nothing with the names of their arguments: `stringify!`, `dbg!` and `json!` do.
const BLIND_MACROS: &[&str] = &[
    "format format_args print println eprint eprintln panic todo unimplemented unreachable write",
    "writeln vec matches assert assert_eq assert_ne debug_assert debug_assert_eq debug_assert_ne",
];

/// Attributes that do nothing with the name of what they stand on: `#[no_mangle]` exports it, and macros may read it.
const BLIND_ATTRIBUTES: &[&str] = &[
    "inline",
    "must_use",
    "allow",
    "expect",
    "warn",
    "deny",
    "doc",
    "cfg",
    "cold",
    "track_caller",
    "derive",
    "repr",
    "non_exhaustive",
    "deprecated",
    "test",
    "default",
];

/// Decorators that do nothing with names of the function: others register it, or pass arguments by name.
const BLIND_DECORATORS: &[&str] = &[
    "staticmethod",
    "classmethod",
    "abstractmethod",
    "override",
    "final",
    "cache",
    "lru_cache",
    "cached_property",
    "contextmanager",
    "wraps",
    "dataclass",
    "overload",
    "total_ordering",
];

/// What the places of a file stand in.
#[derive(Default)]
pub(super) struct Contexts {
    forbidden: BTreeSet<usize>,
    parameters: BTreeSet<usize>,
}

impl Contexts {
    pub(super) fn of(family: Family, tree: &Parsed<'_>, renamed: &RenamedFile<'_>) -> Self {
        let mut contexts = Self::default();
        let places: Vec<usize> = renamed.places.iter().copied().collect();
        walk_at(tree.root(), &places, |step, above| {
            if step.node.child_count() > 0 {
                return;
            }
            for at in renamed.places.range(step.node.byte_range()) {
                if is_forbidden(family, tree, step, above) {
                    contexts.forbidden.insert(*at);
                }
                if above.iter().any(|step| matches!(step.kind(), "parameters")) {
                    contexts.parameters.insert(*at);
                }
            }
        });
        contexts
    }

    pub(super) fn forbid(&self, at: usize) -> bool {
        self.forbidden.contains(&at)
    }

    pub(super) fn is_parameter(&self, at: usize) -> bool {
        self.parameters.contains(&at)
    }
}

fn is_forbidden(
    family: Family,
    tree: &Parsed<'_>,
    leaf: TreeStep<'_>,
    above: &[TreeStep<'_>],
) -> bool {
    let is_in_macro = above.iter().any(|step| step.kind() == "macro_invocation");
    is_in_text(leaf, above, family == Family::Rust && is_in_macro)
        || above.iter().enumerate().any(|(depth, step)| match family {
            Family::Rust => is_read_by_macro(tree, *step),
            Family::Python => is_read_by_decorator(tree, leaf, above, depth),
            Family::Script => step.kind() == "ambient_declaration",
        })
}

/// Tells whether a place is in a string or comment, and not in code within it. Rust's formatting macros capture variables
/// in strings.
fn is_in_text(leaf: TreeStep<'_>, above: &[TreeStep<'_>], is_format: bool) -> bool {
    let steps = above.iter().chain([&leaf]).rev();
    let within = steps.take_while(|step| !is_code(step.kind()));
    within.clone().any(|step| is_text(is_format, step.kind()))
}

fn is_code(kind: &str) -> bool {
    matches!(kind, "template_substitution" | "interpolation")
}

fn is_text(is_format: bool, kind: &str) -> bool {
    kind.contains("comment")
        || kind.contains("regex")
        || !is_format && (kind.contains("string") || kind.contains("char_literal"))
}

fn is_read_by_macro(tree: &Parsed<'_>, step: TreeStep<'_>) -> bool {
    match step.kind() {
        "macro_definition" | "attribute_item" | "inner_attribute_item" | "foreign_mod_item" => true,
        "macro_invocation" => {
            let name = step
                .node
                .child_by_field_name("macro")
                .map(|node| tree.text(node));
            !name.is_some_and(|name| is_listed(name, BLIND_MACROS))
        }
        "function_item" | "struct_item" | "enum_item" | "static_item" | "const_item"
        | "mod_item" | "trait_item" | "impl_item" => {
            let mut before = std::iter::successors(step.node.prev_named_sibling(), |node| {
                node.prev_named_sibling()
            })
            .take_while(|node| node.kind() == "attribute_item" || node.is_extra())
            .filter(|node| node.kind() == "attribute_item");
            before.any(|node| {
                let text = tree.text(node).trim_start_matches("#[");
                let name: String = text.chars().take_while(|c| is_word(*c)).collect();
                !BLIND_ATTRIBUTES.contains(&name.as_str())
            })
        }
        _ => false,
    }
}

fn is_read_by_decorator(
    tree: &Parsed<'_>,
    leaf: TreeStep<'_>,
    above: &[TreeStep<'_>],
    depth: usize,
) -> bool {
    let Some(step) = above.get(depth) else {
        return false;
    };
    if step.kind() == "interpolation" {
        // `f"{total=}"` shows the name.
        let mut cursor = step.node.walk();
        return step
            .node
            .children(&mut cursor)
            .any(|child| child.kind() == "=");
    }
    if !matches!(step.kind(), "function_definition" | "class_definition") {
        return false;
    }
    let inner = above.get(depth + 1).copied().unwrap_or(leaf);
    if !inner.is("name") && !inner.is("parameters") {
        return false;
    }
    // Test runners give arguments by their names.
    let name = step
        .node
        .child_by_field_name("name")
        .map(|node| tree.text(node));
    let is_test = name.is_some_and(|name| name.starts_with("test")) && inner.is("parameters");
    let decorated = depth.checked_sub(1).and_then(|at| above.get(at));
    let decorated = decorated.filter(|step| step.kind() == "decorated_definition");
    let is_seen = decorated.is_some_and(|decorated| {
        let mut cursor = decorated.node.walk();
        let decorators: Vec<_> = decorated.node.named_children(&mut cursor).collect();
        decorators
            .into_iter()
            .filter(|node| node.kind() == "decorator")
            .any(|node| {
                let text = tree.text(node).trim_start_matches('@').trim();
                let path = text.split('(').next().unwrap_or_default().trim();
                let name = path.rsplit('.').next().unwrap_or_default();
                !BLIND_DECORATORS.contains(&name)
            })
    });
    is_test || is_seen
}
