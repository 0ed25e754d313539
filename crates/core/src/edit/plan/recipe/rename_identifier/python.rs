//! Scope analysis of Python.

mod quoted;

use std::collections::HashSet;
use std::ops::Range;

pub(super) use self::quoted::quoted;
use super::names::{Definition, NameShape, Role, Spaces, Traits};
use crate::edit::plan::tree::TreeStep;
use crate::syntax::Parsed;

const TARGETS: &[&str] = &[
    "pattern_list",
    "tuple_pattern",
    "list_pattern",
    "list_splat_pattern",
    "as_pattern_target",
    "tuple",
    "list",
];

const COMPREHENSIONS: &[&str] = &[
    "list_comprehension",
    "set_comprehension",
    "dictionary_comprehension",
    "generator_expression",
];

/// Names that functions declare to be of an outer scope: where the function begins, and the
/// name.
#[derive(Default)]
pub(super) struct Outer<'a> {
    said: HashSet<(usize, &'a str)>,
    global: HashSet<(usize, &'a str)>,
}

/// Adds the names of a `global` or `nonlocal` statement to those of its function.
pub(super) fn note_outer<'a>(
    tree: &Parsed<'a>,
    step: TreeStep<'_>,
    above: &[TreeStep<'_>],
    outer: &mut Outer<'a>,
) {
    if matches!(step.kind(), "global_statement" | "nonlocal_statement") {
        let mut cursor = step.node.walk();
        for name in step.node.named_children(&mut cursor) {
            let said = (block(above), tree.text(name));
            outer.said.insert(said);
            if step.kind() == "global_statement" {
                outer.global.insert(said);
            }
        }
    }
}

/// Returns where the innermost function around a place begins that says `global name`, 0 if
/// none does. What functions around that one bind is not seen from there.
pub(super) fn global_since(above: &[TreeStep<'_>], name: &str, outer: &Outer<'_>) -> usize {
    let said = blocks(above).find(|start| outer.global.contains(&(*start, name)));
    said.unwrap_or(0)
}

/// Returns where the innermost function, lambda, class or comprehension around a name begins.
pub(super) fn innermost(leaf: TreeStep<'_>, above: &[TreeStep<'_>]) -> usize {
    let comprehension = above.iter().enumerate().rev().find(|(index, step)| {
        COMPREHENSIONS.contains(&step.kind()) && !is_first_source(leaf, above, *index)
    });
    let comprehension = comprehension.map_or(0, |(_, step)| step.node.start_byte());
    let lambda = above.last().filter(|_| leaf.is("body"));
    let lambda = lambda.map_or(0, |step| step.node.start_byte());
    comprehension.max(block(above)).max(lambda)
}

/// Returns whether a name is in what the comprehension at `index` goes through first: that
/// belongs to what is around it.
fn is_first_source(leaf: TreeStep<'_>, above: &[TreeStep<'_>], index: usize) -> bool {
    let Some(whole) = above.get(index) else {
        return false;
    };
    let mut cursor = whole.node.walk();
    let mut clauses = whole.node.named_children(&mut cursor);
    let first = clauses.find(|node| node.kind() == "for_in_clause");
    let own = above.get(index + 1).map(|step| step.node.id());
    let within = above.get(index + 2).copied().unwrap_or(leaf);
    own.is_some() && own == first.map(|node| node.id()) && within.is("right")
}

/// Returns where the innermost function, lambda or class around a place begins.
fn block(above: &[TreeStep<'_>]) -> usize {
    blocks(above).next().unwrap_or(0)
}

/// Returns where the functions, lambdas and classes around a place begin, from within.
fn blocks(above: &[TreeStep<'_>]) -> impl Iterator<Item = usize> {
    let kinds = ["function_definition", "lambda", "class_definition"];
    let found = above.windows(2).rev().filter_map(move |pair| {
        let [owner, child] = pair else { return None };
        (kinds.contains(&owner.kind()) && child.is("body")).then_some(owner)
    });
    found.map(|step| step.node.start_byte())
}

/// Tells what an identifier is; `above` are its ancestors, outermost first.
pub(super) fn role(
    tree: &Parsed<'_>,
    leaf: TreeStep<'_>,
    above: &[TreeStep<'_>],
    outer: &Outer<'_>,
) -> Role {
    let Some((parent, higher)) = above.split_last() else {
        return Role::Skip;
    };
    let used = Role::Use(Spaces::BOUND, NameShape::Plain);
    let path = Role::Use(Spaces::PATH, NameShape::Plain);
    let define = |above: &[TreeStep<'_>], traits: Traits, shape: NameShape| {
        let own = outer.said.contains(&(block(above), tree.text(leaf.node)));
        if own {
            return Role::Use(Spaces::BOUND, shape);
        }
        bound(above, traits, shape)
    };
    let plain = |above: &[TreeStep<'_>]| define(above, Traits::default(), NameShape::Plain);
    match parent.kind() {
        "attribute" if leaf.is("attribute") => Role::Use(Spaces::FIELD, NameShape::Plain),
        "keyword_argument" if leaf.is("name") => path,
        "keyword_pattern" if !leaf.is("value") => Role::Use(Spaces::FIELD, NameShape::Plain),
        "function_definition" | "class_definition" if leaf.is("name") => plain(higher),
        "dotted_name" => dotted(leaf, *parent, higher, &define),
        "aliased_import" if leaf.is("alias") => plain(higher),
        "named_expression" if leaf.is("name") => plain(higher),
        "splat_pattern" => plain(higher),
        "as_pattern" if in_case(higher) => plain(higher),
        "global_statement" | "nonlocal_statement" => used,
        _ => parameter(tree, leaf, above)
            .or_else(|| target(leaf, above, &plain))
            .unwrap_or(used),
    }
}

fn in_case(above: &[TreeStep<'_>]) -> bool {
    above
        .last()
        .is_some_and(|step| step.kind() == "case_pattern")
}

/// Tells what a name in `a.b` of an import or a pattern is.
fn dotted(
    leaf: TreeStep<'_>,
    name: TreeStep<'_>,
    above: &[TreeStep<'_>],
    define: &dyn Fn(&[TreeStep<'_>], Traits, NameShape) -> Role,
) -> Role {
    let path = Role::Use(Spaces::PATH, NameShape::Plain);
    let first = name.node.start_byte() == leaf.node.start_byte();
    let single = name.node.named_child_count() == 1;
    let Some(owner) = above.last() else {
        return path;
    };
    match owner.kind() {
        "future_import_statement" => Role::Skip,
        "import_statement" if first => define(above, Traits::default(), NameShape::Plain),
        "import_from_statement" if name.is("name") => {
            define(above, Traits::default(), NameShape::Plain)
        }
        "import_statement" | "import_from_statement" | "relative_import" | "aliased_import" => path,
        "case_pattern" | "keyword_pattern" if single => {
            define(above, Traits::default(), NameShape::Plain)
        }
        _ if first => Role::Use(Spaces::BOUND, NameShape::Plain),
        _ => Role::Use(Spaces::FIELD, NameShape::Plain),
    }
}

/// Tells that a name is a parameter.
fn parameter(tree: &Parsed<'_>, leaf: TreeStep<'_>, above: &[TreeStep<'_>]) -> Option<Role> {
    let list = above
        .iter()
        .rposition(|step| matches!(step.kind(), "parameters" | "lambda_parameters"))?;
    let between = above.get(list + 1..)?.iter().chain([&leaf]);
    let outside = between
        .clone()
        .any(|step| step.is("value") || step.is("type") || step.kind() == "type");
    let kinds = [
        "identifier",
        "default_parameter",
        "typed_parameter",
        "typed_default_parameter",
        "list_splat_pattern",
        "dictionary_splat_pattern",
        "tuple_pattern",
    ];
    let is_parameter = between.clone().all(|step| kinds.contains(&step.kind()));
    let (function, outer) = above.get(..list)?.split_last()?;
    let body = function.node.child_by_field_name("body")?.byte_range();
    (is_parameter && !outside).then(|| {
        Role::Define(Definition {
            spaces: Spaces::BOUND,
            shape: NameShape::Plain,
            visible: body.clone(),
            scope: body,
            traits: Traits {
                parameter_of: called(tree, *function, outer),
                ..Traits::default()
            },
        })
    })
}

/// Returns how a function is called by its bare name, and where: a method is not.
fn called(
    tree: &Parsed<'_>,
    function: TreeStep<'_>,
    outer: &[TreeStep<'_>],
) -> Option<(String, Range<usize>)> {
    let name = function.node.child_by_field_name("name")?;
    let holder = outer
        .iter()
        .rev()
        .find(|step| matches!(step.kind(), "function_definition" | "class_definition"));
    let seen = match holder {
        Some(holder) if holder.kind() == "class_definition" => return None,
        Some(holder) => holder.node.byte_range(),
        None => 0..usize::MAX,
    };
    Some((tree.text(name).to_owned(), seen))
}

/// Tells that a name is assigned to.
fn target(
    leaf: TreeStep<'_>,
    above: &[TreeStep<'_>],
    define: &dyn Fn(&[TreeStep<'_>]) -> Role,
) -> Option<Role> {
    let mut child = leaf;
    let mut rest = above;
    let mut aliased = false;
    while let Some((step, higher)) = rest.split_last() {
        if !TARGETS.contains(&step.kind()) {
            break;
        }
        aliased |= step.kind() == "as_pattern_target";
        (child, rest) = (*step, higher);
    }
    let (owner, higher) = rest.split_last()?;
    match owner.kind() {
        "as_pattern" if aliased => Some(define(higher)),
        "assignment" | "augmented_assignment" | "for_statement" if child.is("left") => {
            Some(define(higher))
        }
        "delete_statement" => Some(define(higher)),
        "for_in_clause" if child.is("left") => {
            let whole = higher.last()?;
            let visible = whole.node.byte_range();
            let mut cursor = whole.node.walk();
            let first = whole
                .node
                .named_children(&mut cursor)
                .find(|node| node.kind() == "for_in_clause");
            let hole = first.and_then(|node| node.child_by_field_name("right"));
            Some(Role::Define(Definition {
                spaces: Spaces::BOUND,
                shape: NameShape::Plain,
                visible: visible.clone(),
                scope: visible,
                traits: Traits {
                    hole: hole.map(|node| node.byte_range()),
                    ..Traits::default()
                },
            }))
        }
        _ => None,
    }
}

/// Tells that a name is bound in the function, class or module around a place.
fn bound(above: &[TreeStep<'_>], mut traits: Traits, shape: NameShape) -> Role {
    let mut visible: Range<usize> = 0..usize::MAX;
    for pair in above.windows(2).rev() {
        let [owner, child] = pair else { continue };
        let is_scope = matches!(
            owner.kind(),
            "function_definition" | "class_definition" | "lambda"
        );
        if is_scope && child.is("body") {
            visible = child.node.byte_range();
            traits.in_class = owner.kind() == "class_definition";
            break;
        }
    }
    Role::Define(Definition {
        spaces: Spaces::BOUND,
        shape,
        visible: visible.clone(),
        scope: visible,
        traits,
    })
}
