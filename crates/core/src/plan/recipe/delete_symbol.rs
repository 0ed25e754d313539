//! Removes a named item.
//!
//! In: a name. Out: a plan that takes the item out with the comments, attributes and
//! decorators that stand directly above it, and the blank line that it would leave doubled.

use tree_sitter::Node;

use super::super::section::candidate;
use super::{Outcome, modified, parsed, removal};
use crate::plan::MAX_CANDIDATES;
use crate::syntax::Parsed;
use crate::text::Source;
use crate::workspace::WorkspacePath;

/// Node kinds that are items with a name.
const ITEMS: &[&str] = &[
    // Rust
    "function_item",
    "function_signature_item",
    "struct_item",
    "enum_item",
    "union_item",
    "trait_item",
    "const_item",
    "static_item",
    "type_item",
    "mod_item",
    "macro_definition",
    // TypeScript and JavaScript
    "function_declaration",
    "generator_function_declaration",
    "class_declaration",
    "abstract_class_declaration",
    "interface_declaration",
    "type_alias_declaration",
    "enum_declaration",
    "method_definition",
    // Python
    "function_definition",
    "class_definition",
];

/// Node kinds that wrap an item and go with it.
const WRAPPERS: &[&str] = &[
    "export_statement",
    "decorated_definition",
    "lexical_declaration",
    "variable_declaration",
];

/// Node kinds that belong to the item below them.
const LEADING: &[&str] = &[
    "line_comment",
    "block_comment",
    "comment",
    "attribute_item",
    "decorator",
];

/// Plans the removal of `symbol`.
pub(super) fn plan(path: &WorkspacePath, source: &Source, text: &str, symbol: &str) -> Outcome {
    let (_, tree) = match parsed(path, text) {
        Ok(parsed) => parsed,
        Err(outcome) => return outcome,
    };
    let items = items(&tree, symbol);
    match items.as_slice() {
        [] => Outcome::NotFound {
            why: format!("{path} has no item `{symbol}`"),
            nearest: None,
        },
        [item] => {
            let range = lines_of(source, text, with_leading(source, *item));
            modified(
                vec![removal(text, range)],
                format!("{} by syntax", item.kind()),
                1,
            )
        }
        several => Outcome::Ambiguous {
            why: format!("{} items are called `{symbol}`", several.len()),
            candidates: several
                .iter()
                .take(MAX_CANDIDATES)
                .map(|item| candidate(source, item.start_position().row))
                .collect(),
        },
    }
}

/// Returns the items called `symbol`, each with what wraps it.
fn items<'t>(tree: &'t Parsed<'_>, symbol: &str) -> Vec<Node<'t>> {
    let mut found = Vec::new();
    tree.walk(|node| {
        let named = node
            .child_by_field_name("name")
            .is_some_and(|name| tree.text(name) == symbol);
        let is_item = ITEMS.contains(&node.kind()) || is_function_constant(node);
        if named && is_item {
            found.push(wrapped(node));
        }
    });
    found
}

/// Returns whether the node is the one declarator of `const name = () => ...`.
fn is_function_constant(node: Node<'_>) -> bool {
    let value = node.child_by_field_name("value").map(|value| value.kind());
    let only = node
        .parent()
        .is_some_and(|parent| parent.named_child_count() == 1);
    node.kind() == "variable_declarator"
        && only
        && matches!(
            value,
            Some("arrow_function" | "function_expression" | "class")
        )
}

fn wrapped(node: Node<'_>) -> Node<'_> {
    match node.parent() {
        Some(parent) if WRAPPERS.contains(&parent.kind()) => wrapped(parent),
        _ => node,
    }
}

/// Returns the bytes of the item and of what stands directly above it.
fn with_leading(source: &Source, item: Node<'_>) -> std::ops::Range<usize> {
    let (mut start, mut row) = (item.start_byte(), item.start_position().row);
    let mut above = item.prev_sibling();
    while let Some(node) = above.filter(|node| LEADING.contains(&node.kind())) {
        // Rust's line comments end with their newline.
        let last = source.line_of(node.end_byte().saturating_sub(1));
        let alone = source.line_range(node.start_position().row).start
            + node.start_position().column
            == node.start_byte()
            && source
                .line(node.start_position().row)
                .trim_ascii_start()
                .len()
                == source.line(node.start_position().row).len() - node.start_position().column;
        if last + 1 != row || !alone {
            break;
        }
        (start, row) = (node.start_byte(), node.start_position().row);
        above = node.prev_sibling();
    }
    start..item.end_byte()
}

/// Widens a range to its whole lines, if nothing else is on them, and to a blank line that
/// would be left doubled.
fn lines_of(source: &Source, text: &str, range: std::ops::Range<usize>) -> std::ops::Range<usize> {
    let (first, last) = (
        source.line_of(range.start),
        source.line_of(range.end.saturating_sub(1)),
    );
    let start = source.line_range(first).start;
    let end = source.line_range(last).end;
    let blank = |range: std::ops::Range<usize>| {
        text.get(range)
            .is_some_and(|text| text.trim().is_empty() || text.trim() == ";")
    };
    if !blank(start..range.start) || !blank(range.end..end.max(range.end)) {
        return range;
    }
    let empty = |line: usize| source.line(line).trim_ascii().is_empty();
    let before = first == 0 || empty(first - 1);
    if before && last + 1 < source.line_count() && empty(last + 1) {
        return start..source.line_range(last + 1).end;
    }
    let at_end = last + 1 >= source.line_count();
    if at_end && first > 0 && empty(first - 1) {
        return source.line_range(first - 1).start..end;
    }
    start..end
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::plan::testing::{run, word};
    use crate::request::{Recipe, Request};

    fn delete(path: &str, before: &str) -> Result<String, Outcome> {
        run(
            path,
            before,
            Request::Recipe(Recipe::DeleteSymbol { symbol: "b".into() }),
        )
    }

    #[test]
    fn an_item_goes_with_what_belongs_to_it() {
        let check = |path: &str, before: &str, after: &str| {
            assert_eq!(delete(path, before).unwrap(), after, "{before}");
        };
        check(
            "x.rs",
            "fn a() {}\n\n/// Doc.\n#[inline]\nfn b() {}\n\nfn c() {}\n",
            "fn a() {}\n\nfn c() {}\n",
        );
        check("x.rs", "// other\n\nfn b() {}\n", "// other\n");
        check("x.rs", "fn b() {}\nfn c() {}\n", "fn c() {}\n");
        check(
            "x.ts",
            "/** d */\nexport function b() {}\nexport const c = 1;\n",
            "export const c = 1;\n",
        );
        check("x.ts", "const b = () => 1;\nb();\n", "b();\n");
        check(
            "x.py",
            "import a\n\n@d\ndef b():\n    pass\n\ndef c():\n    pass\n",
            "import a\n\ndef c():\n    pass\n",
        );
        check("x.rs", "fn a() {} fn b() {}\n", "fn a() {} \n");
    }

    #[test]
    fn none_and_several_are_answers() {
        assert_eq!(word(&delete("x.rs", "fn a() {}\n")), "not_found");
        assert_eq!(
            word(&delete("x.rs", "mod m { fn b() {} }\nfn b() {}\n")),
            "ambiguous"
        );
        assert_eq!(word(&delete("x.txt", "b\n")), "refused");
    }
}
