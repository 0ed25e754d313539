//! Scope analysis of Rust: whether an identifier defines a name, uses one, or does neither.

mod macros;
mod patterns;

use std::ops::Range;

use tree_sitter::Node;

pub(super) use self::macros::captures;
use self::patterns::pattern;
use super::modules::Modules;
use super::names::{Definition, NameShape, Role, Spaces, Traits};
use crate::edit::plan::tree::TreeStep;
use crate::syntax::Parsed;

/// Tells what an identifier is; `above` are its ancestors, outermost first.
pub(super) fn role(
    tree: &Parsed<'_>,
    text: &str,
    leaf: TreeStep<'_>,
    above: &[TreeStep<'_>],
    modules: &Modules,
) -> Role {
    let Some(parent) = above.last() else {
        return Role::Skip;
    };
    let mut above_all = above.iter();
    let attribute = above_all.find(|step| step.kind().ends_with("attribute_item"));
    if attribute.is_some_and(|step| !macros::is_formatting(tree, step.node)) {
        return Role::Skip;
    }
    match (leaf.kind(), parent.kind()) {
        (_, "lifetime" | "label" | "loop_label") => Role::Skip,
        ("field_identifier", _) => field(),
        (_, "token_tree" | "token_tree_pattern") => macros::token(text, leaf.node, above, modules),
        ("shorthand_field_identifier", _) => pattern(tree, leaf, above, NameShape::Shorthand),
        ("type_identifier", _) => type_name(tree, leaf, above, modules),
        ("identifier", _) => identifier(tree, leaf, above, modules),
        _ => Role::Skip,
    }
}

fn value() -> Role {
    Role::Use(Spaces::VALUE, NameShape::Plain)
}

fn type_use() -> Role {
    Role::Use(Spaces::TYPE, NameShape::Plain)
}

fn field() -> Role {
    Role::Use(Spaces::FIELD, NameShape::Plain)
}

fn type_name(
    tree: &Parsed<'_>,
    leaf: TreeStep<'_>,
    above: &[TreeStep<'_>],
    modules: &Modules,
) -> Role {
    let Some(parent) = above.last() else {
        return Role::Skip;
    };
    let named = leaf.is("name");
    match parent.kind() {
        "struct_item" if named => {
            let body = parent
                .node
                .child_by_field_name("body")
                .map(|body| body.kind());
            let spaces = match body {
                Some("field_declaration_list") => Spaces::TYPE,
                _ => Spaces::TYPE | Spaces::VALUE,
            };
            item(spaces, above)
        }
        "enum_item" | "union_item" | "trait_item" | "type_item" | "associated_type" if named => {
            item(Spaces::TYPE, above)
        }
        "type_parameter" | "constrained_type_parameter" | "optional_type_parameter"
            if leaf.is("name") || leaf.is("left") =>
        {
            generic(Spaces::TYPE, above)
        }
        "scoped_type_identifier" if named => {
            path_name(tree, parent.node, Spaces::TYPE, above, modules)
        }
        _ => type_use(),
    }
}

fn identifier(
    tree: &Parsed<'_>,
    leaf: TreeStep<'_>,
    above: &[TreeStep<'_>],
    modules: &Modules,
) -> Role {
    let Some(parent) = above.last() else {
        return Role::Skip;
    };
    let named = leaf.is("name");
    if let Some(role) = imported(tree, leaf, above, modules) {
        return role;
    }
    match parent.kind() {
        "function_item" | "function_signature_item" | "const_item" | "static_item" if named => {
            item(Spaces::VALUE, above)
        }
        "mod_item" if named => module(*parent, above),
        "enum_variant" if named => field(),
        "macro_definition" if named => item(Spaces::MACRO, above),
        "macro_invocation" if leaf.is("macro") => Role::Use(Spaces::MACRO, NameShape::Plain),
        "const_parameter" if named => generic(Spaces::VALUE, above),
        "shorthand_field_initializer" => Role::Use(Spaces::VALUE, NameShape::Shorthand),
        "scoped_identifier" if named => path_name(tree, parent.node, Spaces::VALUE, above, modules),
        "scoped_identifier" | "scoped_type_identifier" => type_use(),
        "tuple_struct_pattern" if leaf.is("type") => value(),
        _ => pattern(tree, leaf, above, NameShape::Plain),
    }
}

/// Tells what the last name of a path is.
fn path_name(
    tree: &Parsed<'_>,
    path: Node<'_>,
    spaces: Spaces,
    above: &[TreeStep<'_>],
    modules: &Modules,
) -> Role {
    let before = path.child_by_field_name("path").map(|node| tree.text(node));
    after_path(before.unwrap_or_default(), spaces, above, modules)
}

/// Tells what a name after a path is.
fn after_path(path: &str, own: Spaces, above: &[TreeStep<'_>], modules: &Modules) -> Role {
    match modules.inside(path, above) {
        Some(inside) => Role::Within(own, inside),
        None => Role::Use(spaces_after(path, own), NameShape::Plain),
    }
}

fn spaces_after(path: &str, own: Spaces) -> Spaces {
    let last = path.rsplit("::").next().unwrap_or(path).trim();
    if matches!(last, "self" | "super" | "crate") {
        own
    } else if last.starts_with(char::is_uppercase) || last.ends_with('>') {
        Spaces::FIELD
    } else {
        Spaces::PATH
    }
}

/// Tells what a name within a `use` is.
fn imported(
    tree: &Parsed<'_>,
    leaf: TreeStep<'_>,
    above: &[TreeStep<'_>],
    modules: &Modules,
) -> Option<Role> {
    let depth = above
        .iter()
        .rposition(|step| step.kind() == "use_declaration")?;
    let declaration = above.get(depth)?;
    let parent = above.last()?;
    let chain = above.get(depth + 1..)?.iter().chain([&leaf]);
    let around = above.get(..depth)?;
    let source =
        source(tree, leaf, above.get(depth + 1..)?).and_then(|path| modules.inside(&path, around));
    let glob = chain.clone().any(|step| step.kind() == "use_wildcard");
    if glob || chain.clone().any(|step| step.is("path")) {
        let renamed = parent.kind() == "use_as_clause"
            || (parent.kind() == "scoped_identifier" && leaf.is("name"));
        if let Some(inside) = source.filter(|_| renamed) {
            return Some(Role::Within(Spaces::BOUND, inside));
        }
        let spaces = if renamed { Spaces::PATH } else { Spaces::TYPE };
        return Some(Role::Use(spaces, NameShape::Plain));
    }
    let text = tree.text(declaration.node);
    let path = text
        .split_once("use ")
        .map_or(text, |(_, path)| path)
        .trim_start();
    let root = path
        .split_once([':', ';', '{', ' '])
        .map_or(path, |(root, _)| root);
    let inner = above
        .get(..depth)?
        .iter()
        .any(|step| step.kind() == "mod_item");
    let outside = matches!(root, "self" | "super") || (root == "crate" && modules.is_root());
    let from_within = source.filter(|inside| !is_around(*inside, around));
    if inner && outside && from_within.is_none() && !leaf.is("alias") {
        // The name of an item outside, under which it is seen in here.
        return Some(Role::Use(Spaces::BOUND, NameShape::Plain));
    }
    let scope = item_scope(above.get(..depth)?)?;
    Some(Role::Define(Definition {
        spaces: Spaces::BOUND,
        shape: NameShape::Plain,
        visible: scope.clone(),
        scope,
        traits: Traits {
            source: from_within.filter(|_| !leaf.is("alias")),
            ..Traits::default()
        },
    }))
}

/// Returns the path before a name within a `use`; `within` are its ancestors there.
pub(super) fn source(
    tree: &Parsed<'_>,
    leaf: TreeStep<'_>,
    within: &[TreeStep<'_>],
) -> Option<String> {
    let mut path: Vec<&str> = Vec::new();
    for (step, inner) in within.iter().zip(within.iter().skip(1).chain([&leaf])) {
        if matches!(step.kind(), "scoped_use_list" | "scoped_identifier") && !inner.is("path") {
            path.push(tree.text(step.node.child_by_field_name("path")?));
        }
    }
    (!path.is_empty()).then(|| path.join("::"))
}

/// Returns whether the inside of a module that begins at a byte is around a place.
fn is_around(inside: usize, above: &[TreeStep<'_>]) -> bool {
    inside == 0 || above.iter().any(|step| step.node.start_byte() == inside)
}

/// Tells that a name is an item's own; a member of an `impl` or trait is found by name.
fn item(spaces: Spaces, above: &[TreeStep<'_>]) -> Role {
    let outer = above
        .get(..above.len().saturating_sub(1))
        .unwrap_or_default();
    match item_scope(outer) {
        Some(scope) => Role::Define(Definition {
            spaces,
            shape: NameShape::Plain,
            visible: scope.clone(),
            scope,
            traits: Traits::default(),
        }),
        None => field(),
    }
}

/// Tells that a name is a module's, which may have the file of its text named after it.
fn module(module: TreeStep<'_>, above: &[TreeStep<'_>]) -> Role {
    let mut role = item(Spaces::TYPE, above);
    let is_file = module.node.child_by_field_name("body").is_none();
    if let Role::Define(definition) = &mut role
        && is_file
    {
        definition.traits.fixed = Some("is a module in a file of its own, which has its name");
    }
    role
}

/// Returns the range in which items of a place are visible; none within `impl` and trait.
fn item_scope(above: &[TreeStep<'_>]) -> Option<Range<usize>> {
    for (index, step) in above.iter().enumerate().rev() {
        match step.kind() {
            "block" => return Some(step.node.byte_range()),
            "declaration_list" => {
                let owner = index.checked_sub(1).and_then(|index| above.get(index));
                match owner.map(TreeStep::kind) {
                    Some("mod_item") => return Some(step.node.byte_range()),
                    Some("impl_item" | "trait_item") => return None,
                    _ => {}
                }
            }
            "source_file" => return Some(0..usize::MAX),
            _ => {}
        }
    }
    Some(0..usize::MAX)
}

/// Tells that a name is a generic parameter of the item around it.
fn generic(spaces: Spaces, above: &[TreeStep<'_>]) -> Role {
    let list = above
        .iter()
        .rposition(|step| step.kind() == "type_parameters");
    let owner = list
        .and_then(|at| at.checked_sub(1))
        .and_then(|at| above.get(at));
    let Some(owner) = owner else {
        return Role::Skip;
    };
    local(owner.node.byte_range(), spaces, NameShape::Plain)
}

fn local(visible: Range<usize>, spaces: Spaces, shape: NameShape) -> Role {
    Role::Define(Definition {
        spaces,
        shape,
        scope: visible.clone(),
        visible,
        traits: Traits::default(),
    })
}
