//! Names in strings that Python's type checkers and imports read as code: annotations in quotes and `__all__`.
//!
//! In: a string and what it stands in. Out: where names are in it. Of `a.Name` only `a` is one, as in code.

use std::ops::Range;

use tree_sitter::Node;

use super::super::names::{NameShape, Role, Spaces};
use crate::edit::plan::tree::TreeStep;
use crate::syntax::Parsed;
use crate::word::is_identifier_part;

/// What takes strings that are no types, within an annotation too.
const TEXTUAL: [&str; 2] = ["Literal", "Annotated"];

/// Returns where the names of a string are, if it is read as code.
pub(in super::super) fn quoted(
    tree: &Parsed<'_>,
    string: TreeStep<'_>,
    above: &[TreeStep<'_>],
) -> Vec<(Range<usize>, Role)> {
    let mut cursor = string.node.walk();
    let parts: Vec<Node<'_>> = string.node.children(&mut cursor).collect();
    let [start, content, _] = parts.as_slice() else {
        return Vec::new();
    };
    let is_plain = tree.text(*start).starts_with(['"', '\'']) && content.child_count() == 0;
    if !is_plain || !is_code(tree, string, above) {
        return Vec::new();
    }
    let base = content.start_byte();
    names(tree.text(*content))
        .map(|name| {
            let range = base + name.start..base + name.end;
            (range, Role::Use(Spaces::BOUND, NameShape::Plain))
        })
        .collect()
}

fn is_code(tree: &Parsed<'_>, string: TreeStep<'_>, above: &[TreeStep<'_>]) -> bool {
    let Some((parent, higher)) = above.split_last() else {
        return false;
    };
    let owner = higher.last();
    let listed = matches!(parent.kind(), "list" | "tuple")
        && owner.is_some_and(|owner| field_text(tree, *owner, "left") == "__all__");
    // `cast("Name", value)` and `TypeVar("T", bound="Name")`.
    let is_first = parent.node.named_child(0) == Some(string.node);
    let cast = parent.kind() == "argument_list"
        && is_first
        && owner.is_some_and(|call| last_name(field_text(tree, *call, "function")) == "cast");
    let bound = parent.kind() == "keyword_argument" && field_text(tree, *parent, "name") == "bound";
    if listed || cast || bound {
        return true;
    }
    let mut is_type = false;
    for step in above.iter().rev() {
        let of = match step.kind() {
            "type" => {
                is_type = true;
                continue;
            }
            "generic_type" => step.node.named_child(0).map_or("", |node| tree.text(node)),
            "subscript" => field_text(tree, *step, "value"),
            "type_parameter" | "list" | "tuple" | "binary_operator" | "union_type" => continue,
            _ => break,
        };
        let of = last_name(of);
        if TEXTUAL.contains(&of) {
            return false;
        }
        // `Union["A", "B"]`, and not `TABLE["a"]`.
        is_type |= of.starts_with(char::is_uppercase) && of.contains(char::is_lowercase);
    }
    is_type
}

fn field_text<'t>(tree: &Parsed<'t>, step: TreeStep<'_>, name: &str) -> &'t str {
    let node = step.node.child_by_field_name(name);
    node.map_or("", |node| tree.text(node))
}

fn last_name(path: &str) -> &str {
    path.rsplit('.').next().unwrap_or(path)
}

/// Returns where names are in an expression, but for attributes and what is in quotes.
fn names(code: &str) -> impl Iterator<Item = Range<usize>> {
    let mut found = Vec::new();
    let mut rest = 0..0;
    let mut quote = None;
    for (at, c) in code.char_indices().chain([(code.len(), ' ')]) {
        if is_identifier_part(c) {
            rest.end = at + c.len_utf8();
            continue;
        }
        let is_attribute = code
            .get(..rest.start)
            .is_some_and(|head| head.ends_with('.'));
        if !rest.is_empty() && quote.is_none() && !is_attribute {
            found.push(rest.clone());
        }
        match quote {
            Some(open) if open == c => quote = None,
            None if matches!(c, '"' | '\'') => quote = Some(c),
            _ => {}
        }
        let next = at + c.len_utf8();
        rest = next..next;
    }
    found.into_iter()
}

#[cfg(test)]
mod tests {
    use super::names;

    #[test]
    fn finds_names_in_expressions() {
        let check = |code: &str, expected: &[&str]| {
            let found: Vec<&str> = names(code).map(|range| &code[range]).collect();
            assert_eq!(found, expected, "{code}");
        };
        check("A", &["A"]);
        check("List[A] | None", &["List", "A", "None"]);
        check("a.A[b.c]", &["a", "b"]);
        check("Literal['A', \"B\"] | C", &["Literal", "C"]);
        check("Größe[ä]", &["Größe", "ä"]);
        check("", &[]);
    }
}
