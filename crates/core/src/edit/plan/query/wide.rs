//! Repetitions in a query, and nodes with too many children for them.
//!
//! In: a query and a tree. Out: the node that makes the query take too long, if there is one.
//! tree-sitter follows each beginning and each end that a repetition (`(_)* @a`) may have among the
//! children of a node, and compares all that it follows with each other: with two repetitions side
//! by side, 250 children take seconds, and no report comes in between.

use tree_sitter::Node;

use super::matches::Query;
use super::tokens::repetitions;
use crate::syntax::Parsed;
use crate::text::Slice;

/// Children of a node that a pattern with one repetition is matched against: work grows with their square.
const MOST_WITH_ONE: u32 = 10_000;
/// Children of a node that a pattern with several repetitions is matched against: 250 take seconds.
const MOST_WITH_SEVERAL: u32 = 200;

/// Returns why a query is not run on a tree, if it is not.
pub(super) fn too_wide(query: &Query, tree: &Parsed<'_>) -> Option<String> {
    let most = match repetitions(query.text()) {
        0 => return None,
        1 => MOST_WITH_ONE,
        _ => MOST_WITH_SEVERAL,
    };
    let mut widest: Option<Node<'_>> = None;
    let any = takes_any_parent(query);
    tree.walk(|node| {
        let wider = widest.is_none_or(|known| node.child_count() > known.child_count());
        if node.child_count() > most && wider && (any || is_named(query, node)) {
            widest = Some(node);
        }
    });
    widest.map(|node| {
        format!(
            "the query repeats nodes, and a `{}` here has {} children; with repetitions at most \
             {most} are looked at. Leave out `*` and `+`, and match each node by itself",
            node.kind(),
            node.child_count()
        )
    })
}

/// Returns whether repetitions may be among the children of any node.
fn takes_any_parent(query: &Query) -> bool {
    let compiled = query.compiled();
    // A wildcard with something in it.
    let wild = query.text().match_indices("(_").any(|(at, _)| {
        let rest = query.text().slice(at + 2..);
        rest.trim_start().starts_with(['(', '[', '"', '.', '_'])
    });
    wild || !(0..compiled.pattern_count()).all(|pattern| compiled.is_pattern_rooted(pattern))
}

fn is_named(query: &Query, node: Node<'_>) -> bool {
    query.text().contains(node.kind())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::budget::Budget;
    use crate::edit::plan::query::matches::QueryFailure;
    use crate::syntax::Language;

    #[test]
    fn repetitions_are_refused_where_a_node_has_too_many_children() {
        let wide = "f(1);\n".repeat(MOST_WITH_SEVERAL as usize + 1);
        let widest = "1,".repeat(MOST_WITH_ONE as usize / 2 + 1);
        let check = |text: &str, wording: &str, refused: bool| {
            let tree = Language::JavaScript.parse(text).unwrap();
            let query = Query::new(&tree, wording).unwrap();
            assert_eq!(too_wide(&query, &tree).is_some(), refused, "{wording}");
            if refused {
                assert!(matches!(
                    query.run(&Budget::default(), &tree, Some("a")),
                    Err(QueryFailure::TooMuch(_))
                ));
            }
        };
        for refused in [
            "(program (_)* @a (_)* @b)",
            "(program (_)* @a (_)* @b (_)* @c (_)* @d)",
            "(program (expression_statement)+ @a (expression_statement)+ @b)",
            "(_ (expression_statement)+ @a (expression_statement)+ @b)",
            "((expression_statement)+ @a (comment)* @b)",
            "(program (expression_statement)+ @a . [(comment) (identifier)]* @b)",
        ] {
            check(&wide, refused, true);
        }
        for taken in [
            "(program (expression_statement)* @a)",
            "(arguments (number)* @a (identifier)* @b)",
            "(arguments (_)* @a (_)* @b)",
            "(expression_statement) @a",
            "((number) @a (#match? @a \"1*+\"))",
        ] {
            check(&wide, taken, false);
        }
        check(&format!("[{widest}]"), "(array (number)* @a)", true);
        check(&format!("[{widest}]"), "(array (number) @a)", false);
    }
}
