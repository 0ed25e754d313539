//! Names of a change: those that it gives to other code, told from those that it merely uses, by the syntax tree.
//!
//! In: a word of a text, and the nodes that lead to it. Out: its [`NameRole`].
//!
//! ```text
//! def load(path, cache=None):          load, path and cache are given
//!     if path is Ellipsis:             path and Ellipsis are used
//!         raise TypeError("a path")    TypeError is used, and so is what it says
//!     self.rows = read(path)           rows is given, read and path are used
//!     total = self.sums["a path"]      total is a local name, sums is used, the key is given
//! ```
//!
//! Used is only what certainly is: all else, as patterns, keys, names of arguments and of imports, counts as given.

use std::ops::Range;

use signoff_source::syntax::{Node, Parsed};

use super::{DescentStep, ReachGrammar, is_class, is_silent, words};

/// What a word of a text does with a name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum NameRole {
    /// It is no name: a keyword, or in a comment.
    None,
    /// It uses a name that is given elsewhere.
    Used,
    /// It binds a name in the function that begins at this byte, and nowhere else.
    Local(usize),
    /// Other code may find something by it.
    Given,
}

/// Parents of which a child is a value that the code uses, and its field; none stands for all children.
const USES: &[(&str, Option<&str>)] = &[
    // Python.
    ("call", Some("function")),
    ("argument_list", None),
    ("keyword_argument", Some("value")),
    ("binary_operator", None),
    ("comparison_operator", None),
    ("boolean_operator", None),
    ("not_operator", None),
    ("unary_operator", None),
    ("conditional_expression", None),
    ("elif_clause", Some("condition")),
    ("assert_statement", None),
    ("raise_statement", None),
    ("except_clause", None),
    ("assignment", Some("right")),
    ("augmented_assignment", Some("right")),
    ("named_expression", Some("value")),
    ("for_statement", Some("right")),
    ("for_in_clause", Some("right")),
    ("list_comprehension", Some("body")),
    ("generator_expression", Some("body")),
    ("lambda", Some("body")),
    ("interpolation", None),
    ("decorator", None),
    ("type", None),
    // JavaScript and TypeScript.
    ("call_expression", Some("function")),
    ("new_expression", Some("constructor")),
    ("arguments", None),
    ("binary_expression", None),
    ("unary_expression", None),
    ("ternary_expression", None),
    ("throw_statement", None),
    ("assignment_expression", Some("right")),
    ("augmented_assignment_expression", Some("right")),
    ("variable_declarator", Some("value")),
    ("for_in_statement", Some("right")),
    ("arrow_function", Some("body")),
    ("template_substitution", None),
    // Both.
    ("if_statement", Some("condition")),
    ("while_statement", Some("condition")),
    ("return_statement", None),
];

/// Parents that are used, or given, as a whole: `path.rows` in `f(path.rows)` and in `path.rows = 1`.
const WHOLES: &[&str] = &[
    "attribute",
    "subscript",
    "expression_list",
    "list",
    "tuple",
    "list_splat",
    "await",
    "member_expression",
    "subscript_expression",
    "array",
    "spread_element",
    "await_expression",
    "parenthesized_expression",
];

/// Parents that bind a name, and the field of what is bound.
const BINDS: &[(&str, &str)] = &[
    ("assignment", "left"),
    ("for_statement", "left"),
    ("variable_declarator", "name"),
];
/// Lists of names that are bound.
const PATTERNS: &[&str] = &["pattern_list", "tuple_pattern"];

/// Returns what a word does with its name; `way` leads to it.
pub(super) fn role_of(
    grammar: &ReachGrammar,
    parsed: &Parsed<'_>,
    way: &[DescentStep<'_>],
) -> NameRole {
    let Some((leaf, _)) = way.last() else {
        return NameRole::Given;
    };
    if !leaf.is_named() || way.iter().any(|(node, _)| is_silent(*node)) {
        return NameRole::None;
    }
    if is_said(grammar, way) {
        return NameRole::Used;
    }
    if !matches!(leaf.kind(), "identifier" | "property_identifier") {
        return NameRole::Given;
    }
    let (mut is_whole, mut is_pattern) = (true, true);
    for pair in way.windows(2).rev() {
        let [(above, _), (_, field)] = pair else {
            break;
        };
        let kind = above.kind();
        if is_whole && USES.iter().any(|own| is_at(*own, kind, *field)) {
            return NameRole::Used;
        }
        if is_pattern
            && BINDS
                .iter()
                .any(|(own, at)| is_at((own, Some(at)), kind, *field))
        {
            return bound(grammar, parsed, way);
        }
        is_whole &= WHOLES.contains(&kind);
        is_pattern &= PATTERNS.contains(&kind);
    }
    NameRole::Given
}

fn is_at(own: (&str, Option<&str>), kind: &str, field: Option<&str>) -> bool {
    own.0 == kind && (own.1.is_none() || own.1 == field)
}

/// Returns whether a text is what an exception says: people read it, and no code finds anything by it.
fn is_said(grammar: &ReachGrammar, way: &[DescentStep<'_>]) -> bool {
    let is_text = |node: Node<'_>| matches!(node.kind(), "string" | "template_string");
    let inner = way.iter().rev().map(|(node, _)| *node);
    let mut inner = inner.take_while(|node| !grammar.is_function(*node));
    way.iter().any(|(node, _)| is_text(*node))
        && inner.any(|node| matches!(node.kind(), "raise_statement" | "throw_statement"))
}

/// Returns the role of a name that is bound: in a function it is local, but for what a class has, and what is global.
fn bound(grammar: &ReachGrammar, parsed: &Parsed<'_>, way: &[DescentStep<'_>]) -> NameRole {
    let mut within = way.iter().map(|(node, _)| *node);
    let function = within.find(|node| grammar.is_function(*node));
    let Some(function) = function.filter(|_| !within.any(is_class)) else {
        return NameRole::Given;
    };
    if words(parsed.text(function)).any(|word| word == "global") {
        return NameRole::Given;
    }
    NameRole::Local(function.start_byte())
}

/// Returns the function around a place, and where it is, if it can be seen in its file alone and nothing there names it: it
/// stands in no class and no other function, and begins with `_` in Python, or is a function of a module of JavaScript that is
/// not exported.
pub(super) fn unnamed_function<'t>(
    parsed: &'t Parsed<'_>,
    way: &[DescentStep<'_>],
) -> Option<(&'t str, Range<usize>)> {
    let [(root, _), (function, _), ..] = way else {
        return None;
    };
    let name = parsed.text(function.child_by_field_name("name")?);
    let is_private = match function.kind() {
        "function_definition" => name.starts_with('_') && !name.starts_with("__"),
        "function_declaration" => is_module(parsed, *root),
        _ => false,
    };
    let range = function.byte_range();
    let (before, after) = (
        parsed.whole().get(..range.start)?,
        parsed.whole().get(range.end..)?,
    );
    let mut others = words(before).chain(words(after));
    (is_private && others.all(|word| word != name)).then_some((name, range))
}

/// Returns whether a text of JavaScript is a module: what it does not export is seen in no other file.
fn is_module(parsed: &Parsed<'_>, root: Node<'_>) -> bool {
    let mut cursor = root.walk();
    let mut statements = root.named_children(&mut cursor);
    let text = parsed.whole();
    statements.any(|own| matches!(own.kind(), "import_statement" | "export_statement"))
        || text.contains("require(")
        || text.contains("module.exports")
}
