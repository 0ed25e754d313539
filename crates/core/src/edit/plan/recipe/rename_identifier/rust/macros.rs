//! What names within the arguments of Rust's macros are: tokens, of which only the neighbours tell.
//!
//! In: a token, or an invocation or attribute. Out: its role, or the variables that its strings capture.

use std::collections::HashMap;
use std::ops::Range;

use tree_sitter::Node;

use super::super::modules::Modules;
use super::super::names::{NameShape, Role, Spaces};
use super::{after_path, field, type_use, value};
use crate::edit::plan::tree::{TreeStep, is_comment};
use crate::syntax::Parsed;
use crate::text::Slice;
use crate::word::is_word;

/// Macros whose strings capture variables, with how many arguments stand before the string.
const FORMATS: &[(&str, usize)] = &[
    ("format", 0),
    ("format_args", 0),
    ("print", 0),
    ("println", 0),
    ("eprint", 0),
    ("eprintln", 0),
    ("panic", 0),
    ("todo", 0),
    ("unimplemented", 0),
    ("unreachable", 0),
    ("bail", 0),
    ("anyhow", 0),
    ("trace", 0),
    ("debug", 0),
    ("info", 0),
    ("warn", 0),
    ("error", 0),
    ("write", 1),
    ("writeln", 1),
    ("assert", 1),
    ("debug_assert", 1),
    ("ensure", 1),
    ("assert_eq", 2),
    ("assert_ne", 2),
    ("debug_assert_eq", 2),
    ("debug_assert_ne", 2),
];

/// Attributes whose strings capture fields of what stands below them, or constants: those of `thiserror` and
/// `derive_more`.
const FORMAT_ATTRIBUTES: [&str; 2] = ["error", "display"];

/// Tells what a name among the tokens of a macro is, as far as its neighbours tell.
pub(super) fn token(text: &str, leaf: Node<'_>, above: &[TreeStep<'_>], modules: &Modules) -> Role {
    let before = text.slice(..leaf.start_byte()).trim_end();
    let after = text.slice(leaf.end_byte()..).trim_start();
    let capital = text
        .get(leaf.byte_range())
        .is_some_and(|name| name.starts_with(char::is_uppercase));
    let own = if capital {
        Spaces::VALUE | Spaces::TYPE
    } else {
        Spaces::VALUE
    };
    let begins = before.ends_with(['{', '(', '[', ',']);
    let tree = above
        .last()
        .map(|step| step.node.start_byte())
        .unwrap_or_default();
    let braced = text.get(tree..).is_some_and(|text| text.starts_with('{'));
    if before.ends_with('\'') {
        return Role::Skip;
    }
    if before.ends_with('.') && !before.ends_with("..") {
        return field();
    }
    if let Some(path) = before.strip_suffix("::") {
        let tail: String = path
            .chars()
            .rev()
            .take_while(|c| is_word(*c) || matches!(c, '>' | ':'))
            .collect();
        let path: String = tail.chars().rev().collect();
        return after_path(&path, own, above, modules);
    }
    if after.starts_with("::") {
        return type_use();
    }
    if follows(after, "!", &["!="]) {
        return Role::Use(Spaces::MACRO, NameShape::Plain);
    }
    let in_call = above.iter().rev().nth(1).map(TreeStep::kind) == Some("macro_invocation");
    if in_call && begins && follows(after, "=", &["==", "=>"]) {
        return Role::Skip;
    }
    if braced && begins && follows(after, ":", &["::"]) {
        return field();
    }
    if braced && begins && after.starts_with([',', '}']) && is_of_struct(text, tree) {
        return Role::Use(own, NameShape::Shorthand);
    }
    Role::Use(own, NameShape::Plain)
}

fn is_of_struct(text: &str, tree: usize) -> bool {
    let head = text.slice(..tree).trim_end();
    let name: String = head.chars().rev().take_while(|c| is_word(*c)).collect();
    name.ends_with(char::is_uppercase)
}

fn follows(after: &str, mark: &str, not: &[&str]) -> bool {
    after.starts_with(mark) && !not.iter().any(|not| after.starts_with(not))
}

/// Returns where the strings of a formatting macro or attribute capture a name, and what it is there.
pub(in super::super) fn captures(
    tree: &Parsed<'_>,
    text: &str,
    node: Node<'_>,
) -> Vec<(Range<usize>, Role)> {
    let attribute = node.named_child(0).filter(|_| is_formatting(tree, node));
    if let Some(attribute) = attribute {
        let arguments = attribute.child_by_field_name("arguments");
        let ranges = arguments.map(|tokens| captured_among(tree, tokens, 0));
        let fields = fields_below(tree, node);
        return ranges
            .into_iter()
            .flatten()
            .map(|range| {
                let name = text.slice(range.clone());
                let is_field = fields.contains(&name);
                (range, if is_field { field() } else { value() })
            })
            .collect();
    }
    let name = node.child_by_field_name("macro");
    let name = name.map(|node| tree.text(node)).unwrap_or_default();
    let name = name.rsplit_once("::").map_or(name, |(_, last)| last);
    let format = FORMATS.iter().find(|(format, _)| *format == name);
    let mut cursor = node.walk();
    let mut children = node.children(&mut cursor);
    let tokens = children.find(|node| node.kind() == "token_tree");
    let (Some((_, skipped)), Some(tokens)) = (format, tokens) else {
        return Vec::new();
    };
    let ranges = captured_among(tree, tokens, *skipped);
    ranges.into_iter().map(|range| (range, value())).collect()
}

/// Returns whether an attribute is one whose arguments are a format string and what it shows.
pub(super) fn is_formatting(tree: &Parsed<'_>, node: Node<'_>) -> bool {
    let attribute = node.named_child(0);
    let name = attribute.and_then(|attribute| attribute.named_child(0));
    let name = name.map(|name| tree.text(name)).unwrap_or_default();
    node.kind() == "attribute_item" && FORMAT_ATTRIBUTES.contains(&name)
}

/// Returns the names of the fields of the struct or variant below an attribute.
fn fields_below<'t>(tree: &Parsed<'t>, attribute: Node<'t>) -> Vec<&'t str> {
    let mut below = std::iter::successors(attribute.next_named_sibling(), |node| {
        node.next_named_sibling()
    });
    let owner = below.find(|node| node.kind() != "attribute_item" && !is_comment(*node));
    let body = owner.and_then(|owner| owner.child_by_field_name("body"));
    let Some(body) = body.filter(|body| body.kind() == "field_declaration_list") else {
        return Vec::new();
    };
    let mut cursor = body.walk();
    let fields = body.named_children(&mut cursor);
    let names = fields.filter_map(|field| field.child_by_field_name("name"));
    names.map(|name| tree.text(name)).collect()
}

/// Returns where the first string among tokens captures variables, with `skipped` arguments before it.
fn captured_among(tree: &Parsed<'_>, tokens: Node<'_>, skipped: usize) -> Vec<Range<usize>> {
    let mut cursor = tokens.walk();
    let children: Vec<Node<'_>> = tokens.children(&mut cursor).collect();
    let mut argument = 0;
    let mut literal = None;
    let mut own: HashMap<&str, ()> = HashMap::new();
    for window in children.windows(2) {
        let [first, second] = window else { continue };
        let (mark, next) = (tree.text(*first), second.kind());
        argument += usize::from(mark == ",");
        let starts = matches!(mark, "," | "(" | "[" | "{");
        let string = matches!(next, "string_literal" | "raw_string_literal");
        if literal.is_none() && starts && string && argument >= skipped {
            literal = Some(*second);
        }
        if first.kind() == "identifier" && tree.text(*second) == "=" {
            own.insert(mark, ());
        }
    }
    let Some(literal) = literal else {
        return Vec::new();
    };
    let mut found = captured(tree.text(literal), literal.kind() == "raw_string_literal");
    for range in &mut found {
        *range = range.start + literal.start_byte()..range.end + literal.start_byte();
    }
    found.retain(|range| {
        let text = literal.start_byte();
        let name = tree.text(literal).get(range.start - text..range.end - text);
        !name.is_some_and(|name| own.contains_key(name))
    });
    found
}

/// Returns the names within the braces of a format string.
fn captured(literal: &str, raw: bool) -> Vec<Range<usize>> {
    let mut found = Vec::new();
    let mut chars = literal.char_indices().peekable();
    while let Some((at, c)) = chars.next() {
        match c {
            '\\' if !raw && chars.next().is_some_and(|(_, c)| c == 'u') => {
                chars.find(|(_, c)| *c == '}');
            }
            '{' if chars.next_if(|(_, c)| *c == '{').is_some() => {}
            '{' => {
                let rest = literal.slice(at + 1..);
                // Up to the next brace of either kind, so that no part is looked at twice.
                let inner = rest.split_inclusive(['{', '}']).next().unwrap_or_default();
                if let Some(inner) = inner.strip_suffix('}') {
                    in_braces(inner, at + 1, &mut found);
                }
            }
            _ => {}
        }
    }
    found
}

/// `name`, and `width$` and `precision$` after the colon.
fn in_braces(inner: &str, at: usize, found: &mut Vec<Range<usize>>) {
    let (name, spec) = inner.split_once(':').unwrap_or((inner, ""));
    let bare = name.trim();
    if bare.starts_with(|c: char| c.is_alphabetic() || c == '_') && bare.chars().all(is_word) {
        let start = at + (name.len() - name.trim_start().len());
        found.push(start..start + bare.len());
    }
    let spec_at = at + name.len() + 1;
    for (dollar, _) in spec.match_indices('$') {
        let head = spec.slice(..dollar);
        let word = head.trim_end_matches(is_word).len();
        let name = head.slice(word..);
        if name.starts_with(|c: char| c.is_alphabetic() || c == '_') {
            found.push(spec_at + word..spec_at + dollar);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn format_strings_hold_names() {
        let check = |literal: &str, expected: &[&str]| {
            let names: Vec<_> = captured(literal, false)
                .into_iter()
                .map(|range| &literal[range])
                .collect();
            assert_eq!(names, expected, "{literal}");
        };
        check("\"{a} {b:?} {{c}} {} {0}\"", &["a", "b"]);
        check("\"{a:>w$.p$} {:1$}\"", &["a", "w", "p"]);
        check("\"\\u{61} \\\"{a}\\\"\"", &["a"]);
        check("\"{\"", &[]);
        check("\"{a {b}\"", &["b"]);
    }
}
