//! Scope analysis of TypeScript and JavaScript.

use std::ops::Range;

use tree_sitter::Node;

use super::modules::Modules;
use super::names::{Definition, NameShape, Role, Spaces, Traits};
use crate::edit::plan::tree::TreeStep;
use crate::syntax::Parsed;

const FUNCTIONS: &[&str] = &[
    "function_declaration",
    "function_expression",
    "generator_function_declaration",
    "generator_function",
    "arrow_function",
    "method_definition",
    "function_signature",
    "method_signature",
    "abstract_method_signature",
    "function_type",
    "constructor_type",
    "call_signature",
    "construct_signature",
];

/// What a class, an enum or a namespace is.
const HOLDER: Spaces = Spaces::TYPE.and(Spaces::VALUE).and(Spaces::HOLDER);

const PATTERNS: &[&str] = &[
    "object_pattern",
    "array_pattern",
    "rest_pattern",
    "assignment_pattern",
    "object_assignment_pattern",
    "pair_pattern",
    "required_parameter",
    "optional_parameter",
];

/// Tells what an identifier is; `above` are its ancestors, outermost first.
pub(super) fn role(
    tree: &Parsed<'_>,
    leaf: TreeStep<'_>,
    above: &[TreeStep<'_>],
    modules: &Modules,
) -> Role {
    match leaf.kind() {
        "property_identifier" => Role::Use(Spaces::FIELD, NameShape::Plain),
        "shorthand_property_identifier" => Role::Use(Spaces::VALUE, NameShape::Shorthand),
        "shorthand_property_identifier_pattern" => pattern(tree, leaf, above, NameShape::Shorthand),
        "type_identifier" => type_name(tree, leaf, above, modules),
        "identifier" => identifier(tree, leaf, above),
        _ => Role::Skip,
    }
}

fn type_name(
    tree: &Parsed<'_>,
    leaf: TreeStep<'_>,
    above: &[TreeStep<'_>],
    modules: &Modules,
) -> Role {
    let Some((parent, outer)) = above.split_last() else {
        return Role::Skip;
    };
    let named = leaf.is("name");
    let used = Role::Use(Spaces::TYPE, NameShape::Plain);
    match parent.kind() {
        "class_declaration" | "abstract_class_declaration" if named => declared(HOLDER, outer),
        "class" if named => local(parent.node.byte_range(), HOLDER),
        "interface_declaration" | "type_alias_declaration" if named => {
            declared(Spaces::TYPE, outer)
        }
        "type_parameter" if named => match outer.iter().rev().nth(1) {
            Some(owner) => local(owner.node.byte_range(), Spaces::TYPE),
            None => used,
        },
        "mapped_type_clause" if named => match outer.iter().rev().nth(1) {
            Some(owner) => local(owner.node.byte_range(), Spaces::TYPE),
            None => used,
        },
        "infer_type" => {
            let owner = outer
                .iter()
                .rev()
                .find(|step| step.kind() == "conditional_type");
            let visible = owner.and_then(|owner| inferred(owner.node));
            visible.map_or(used, |visible| local(visible, Spaces::TYPE))
        }
        "nested_type_identifier" if named => {
            let holder = parent.node.child_by_field_name("module");
            let holder = holder.map(|node| tree.text(node)).unwrap_or_default();
            match modules.inside(holder, above) {
                Some(inside) => Role::Within(HOLDER, inside),
                None => Role::Use(Spaces::PATH, NameShape::Plain),
            }
        }
        _ => used,
    }
}

fn identifier(tree: &Parsed<'_>, leaf: TreeStep<'_>, above: &[TreeStep<'_>]) -> Role {
    let Some((parent, outer)) = above.split_last() else {
        return Role::Skip;
    };
    let named = leaf.is("name");
    let path = Role::Use(Spaces::PATH, NameShape::Plain);
    match parent.kind() {
        "function_declaration" | "generator_function_declaration" | "function_signature"
            if named =>
        {
            declared(Spaces::VALUE, outer)
        }
        "function_expression" | "generator_function" if named => {
            local(parent.node.byte_range(), Spaces::VALUE)
        }
        "class_declaration" | "enum_declaration" | "internal_module" | "module" if named => {
            declared(HOLDER, outer)
        }
        "class" if named => local(parent.node.byte_range(), HOLDER),
        "import_specifier" => {
            let alias = parent.node.child_by_field_name("alias").is_some();
            if named && alias {
                return path;
            }
            imported()
        }
        "import_clause" | "namespace_import" | "import_require_clause" | "import_alias"
            if leaf.field.is_none() || leaf.is("name") =>
        {
            imported()
        }
        "export_specifier" => {
            let elsewhere = above
                .iter()
                .rev()
                .find(|step| step.kind() == "export_statement")
                .is_some_and(|step| step.node.child_by_field_name("source").is_some());
            if leaf.is("alias") || elsewhere {
                return path;
            }
            Role::Use(Spaces::BOUND, NameShape::Plain)
        }
        "namespace_export" => path,
        "jsx_opening_element" | "jsx_closing_element" | "jsx_self_closing_element" if named => {
            // `<a>` is an element of HTML, `<A>` a variable.
            if tree.text(leaf.node).starts_with(char::is_lowercase) {
                return Role::Skip;
            }
            Role::Use(Spaces::VALUE, NameShape::Plain)
        }
        "nested_type_identifier" => Role::Use(Spaces::HOLDER, NameShape::Plain),
        "nested_identifier" if in_type(above) => Role::Use(Spaces::HOLDER, NameShape::Plain),
        _ => pattern(tree, leaf, above, NameShape::Plain),
    }
}

/// Returns where what a conditional type infers is visible: in what it infers it from, and where
/// that fits.
fn inferred(conditional: Node<'_>) -> Option<Range<usize>> {
    let from = conditional.child_by_field_name("right")?.start_byte();
    let to = conditional.child_by_field_name("consequence")?.end_byte();
    Some(from..to)
}

/// Returns whether a qualified name is one of a type.
fn in_type(above: &[TreeStep<'_>]) -> bool {
    let outer = above
        .iter()
        .rev()
        .find(|step| step.kind() != "nested_identifier");
    outer.is_some_and(|step| step.kind() == "nested_type_identifier")
}

fn imported() -> Role {
    Role::Define(Definition {
        spaces: Spaces::BOUND,
        shape: NameShape::Plain,
        visible: 0..usize::MAX,
        scope: 0..usize::MAX,
        traits: Traits::default(),
    })
}

fn local(visible: Range<usize>, spaces: Spaces) -> Role {
    Role::Define(Definition {
        spaces,
        shape: NameShape::Plain,
        scope: visible.clone(),
        visible,
        traits: Traits::default(),
    })
}

/// Tells that a name is declared in the block around it.
fn declared(spaces: Spaces, outer: &[TreeStep<'_>]) -> Role {
    local(block_scope(outer), spaces)
}

/// Tells whether a name in a pattern is bound there.
fn pattern(
    tree: &Parsed<'_>,
    leaf: TreeStep<'_>,
    above: &[TreeStep<'_>],
    shape: NameShape,
) -> Role {
    let used = Role::Use(Spaces::VALUE, shape);
    let mut child = leaf;
    let mut rest = above;
    let mut property = false;
    while let Some((step, higher)) = rest.split_last() {
        let outside = child.is("right")
            || child.is("key")
            || child.is("value") && { step.kind() != "pair_pattern" }
            || child.is("type");
        if !PATTERNS.contains(&step.kind()) || outside {
            break;
        }
        if step.kind() == "required_parameter" || step.kind() == "optional_parameter" {
            let text = tree.text(step.node);
            let marks = [
                "public ",
                "private ",
                "protected ",
                "readonly ",
                "override ",
            ];
            property |= marks.iter().any(|mark| text.starts_with(mark));
        }
        (child, rest) = (*step, higher);
    }
    let Some((owner, outer)) = rest.split_last() else {
        return used;
    };
    let scope = match owner.kind() {
        "variable_declarator" if child.is("name") => match outer.last().map(TreeStep::kind) {
            Some("variable_declaration") => function_scope(outer),
            _ => block_scope(outer),
        },
        "formal_parameters" => function_scope(outer),
        "arrow_function" if child.is("parameter") => owner.node.byte_range(),
        "catch_clause" if child.is("parameter") => owner.node.byte_range(),
        "for_in_statement" if child.is("left") => {
            let kind = owner
                .node
                .child_by_field_name("kind")
                .map(|node| tree.text(node));
            match kind {
                Some("var") => function_scope(outer),
                Some(_) => owner.node.byte_range(),
                None => return used,
            }
        }
        _ => return used,
    };
    let fixed = property.then_some("is a parameter and a field at once");
    Role::Define(Definition {
        spaces: Spaces::VALUE,
        shape,
        visible: scope.clone(),
        scope,
        traits: Traits {
            fixed,
            ..Traits::default()
        },
    })
}

/// Returns the range of the function around a place: parameters and body.
fn function_scope(above: &[TreeStep<'_>]) -> Range<usize> {
    let own = ["internal_module", "module", "class_static_block"];
    let holder = above
        .iter()
        .rev()
        .find(|step| FUNCTIONS.contains(&step.kind()) || own.contains(&step.kind()));
    match holder {
        None => 0..usize::MAX,
        Some(holder) if FUNCTIONS.contains(&holder.kind()) => of_function(*holder),
        Some(holder) => {
            let body = holder.node.child_by_field_name("body");
            body.unwrap_or(holder.node).byte_range()
        }
    }
}

fn of_function(step: TreeStep<'_>) -> Range<usize> {
    let parameters = step
        .node
        .child_by_field_name("parameters")
        .or_else(|| step.node.child_by_field_name("parameter"));
    let start = parameters.map_or(step.node.start_byte(), |node| node.start_byte());
    start..step.node.end_byte()
}

/// Returns the range of the block around a place.
fn block_scope(above: &[TreeStep<'_>]) -> Range<usize> {
    for (index, step) in above.iter().enumerate().rev() {
        match step.kind() {
            "statement_block" => {
                let owner = index.checked_sub(1).and_then(|index| above.get(index));
                return match owner.filter(|owner| FUNCTIONS.contains(&owner.kind())) {
                    Some(owner) => of_function(*owner),
                    None => step.node.byte_range(),
                };
            }
            "switch_body" | "for_statement" | "for_in_statement" | "class_static_block" => {
                return step.node.byte_range();
            }
            _ => {}
        }
    }
    0..usize::MAX
}
