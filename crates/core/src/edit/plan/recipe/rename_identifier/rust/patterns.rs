//! Bindings in Rust patterns, and where they are visible.
//!
//! ```text
//! match row {
//!     Row { at, size: n } if n > 1 => at,     `at` and `n`, in guard and arm; `size` is a field
//! }
//! ```

use std::ops::Range;

use super::super::names::{Definition, NameShape, Role, Spaces, Traits};
use crate::edit::plan::tree::TreeStep;
use crate::syntax::Parsed;

const PATTERNS: &[&str] = &[
    "tuple_pattern",
    "slice_pattern",
    "tuple_struct_pattern",
    "struct_pattern",
    "field_pattern",
    "ref_pattern",
    "mut_pattern",
    "reference_pattern",
    "captured_pattern",
    "or_pattern",
    "match_pattern",
];

/// Tells whether a name in a pattern is bound there, and where it is visible.
pub(super) fn pattern(
    tree: &Parsed<'_>,
    leaf: TreeStep<'_>,
    above: &[TreeStep<'_>],
    shape: NameShape,
) -> Role {
    let plain = Role::Use(Spaces::VALUE, shape);
    let mut child = leaf;
    let mut rest = above;
    while let Some((step, higher)) = rest.split_last() {
        let outside = child.is("type") || child.is("condition") || child.is("name");
        let in_pattern = PATTERNS.contains(&step.kind())
            && (!outside || (step.kind() == "field_pattern" && shape == NameShape::Shorthand));
        if !in_pattern {
            break;
        }
        (child, rest) = (*step, higher);
    }
    let Some((owner, outer)) = rest.split_last() else {
        return plain;
    };
    let capital = tree.text(leaf.node).starts_with(char::is_uppercase);
    let captures = above
        .last()
        .is_some_and(|step| step.kind() == "captured_pattern");
    let bound = child.is("pattern") || owner.kind() == "closure_parameters";
    if !bound || (capital && !captures && shape == NameShape::Plain) {
        return plain;
    }
    match visible(*owner, outer) {
        Some((visible, scope)) => Role::Define(Definition {
            spaces: Spaces::VALUE,
            shape,
            visible,
            scope,
            traits: Traits::default(),
        }),
        None => plain,
    }
}

/// Returns where names that `owner` binds are visible, and in which scope.
fn visible(owner: TreeStep<'_>, outer: &[TreeStep<'_>]) -> Option<(Range<usize>, Range<usize>)> {
    match owner.kind() {
        "let_declaration" => {
            let block = nearest(outer, &["block"])?.node.byte_range();
            Some((owner.node.end_byte()..block.end, block))
        }
        "let_condition" => {
            let holder = nearest(outer, &["if_expression", "while_expression", "match_arm"])?.node;
            let body = holder
                .child_by_field_name("consequence")
                .or_else(|| holder.child_by_field_name("body"));
            let end = body.unwrap_or(holder).end_byte();
            same_range(owner.node.end_byte()..end)
        }
        "parameter" | "closure_parameters" => {
            let kinds = [
                "function_item",
                "function_signature_item",
                "closure_expression",
                "function_type",
            ];
            let function = nearest(outer, &kinds)?.node;
            let start = function.child_by_field_name("parameters")?.start_byte();
            same_range(start..function.end_byte())
        }
        "for_expression" => same_range(owner.node.child_by_field_name("body")?.byte_range()),
        "match_arm" => same_range(owner.node.byte_range()),
        _ => None,
    }
}

fn nearest<'s, 't>(outer: &'s [TreeStep<'t>], kinds: &[&str]) -> Option<&'s TreeStep<'t>> {
    outer.iter().rev().find(|step| kinds.contains(&step.kind()))
}

fn same_range(range: Range<usize>) -> Option<(Range<usize>, Range<usize>)> {
    Some((range.clone(), range))
}
