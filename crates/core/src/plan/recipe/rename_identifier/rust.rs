//! What Rust's identifiers are.

use std::collections::HashMap;
use std::ops::Range;

use tree_sitter::Node;

use super::names::{Definition, Role, Shape, Spaces, Traits};
use crate::plan::recipe::tree::Step;
use crate::syntax::Parsed;

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

/// Tells what an identifier is; `above` are its ancestors, outermost first.
pub(super) fn role(tree: &Parsed<'_>, text: &str, leaf: Step<'_>, above: &[Step<'_>]) -> Role {
    let Some(parent) = above.last() else {
        return Role::Skip;
    };
    if above
        .iter()
        .any(|step| step.kind().ends_with("attribute_item"))
    {
        return Role::Skip;
    }
    match (leaf.kind(), parent.kind()) {
        (_, "lifetime" | "label" | "loop_label") => Role::Skip,
        ("field_identifier", _) => field(),
        (_, "token_tree" | "token_tree_pattern") => token(text, leaf.node, above),
        ("shorthand_field_identifier", _) => pattern(tree, leaf, above, Shape::Shorthand),
        ("type_identifier", _) => type_name(tree, leaf, above),
        ("identifier", _) => identifier(tree, leaf, above),
        _ => Role::Skip,
    }
}

fn value() -> Role {
    Role::Use(Spaces::VALUE, Shape::Plain)
}

fn type_use() -> Role {
    Role::Use(Spaces::TYPE, Shape::Plain)
}

fn field() -> Role {
    Role::Use(Spaces::FIELD, Shape::Plain)
}

fn type_name(tree: &Parsed<'_>, leaf: Step<'_>, above: &[Step<'_>]) -> Role {
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
        "scoped_type_identifier" if named => path_name(tree, parent.node, Spaces::TYPE),
        _ => type_use(),
    }
}

fn identifier(tree: &Parsed<'_>, leaf: Step<'_>, above: &[Step<'_>]) -> Role {
    let Some(parent) = above.last() else {
        return Role::Skip;
    };
    let named = leaf.is("name");
    if let Some(role) = imported(tree, leaf, above) {
        return role;
    }
    match parent.kind() {
        "function_item" | "function_signature_item" | "const_item" | "static_item" if named => {
            item(Spaces::VALUE, above)
        }
        "mod_item" if named => item(Spaces::TYPE, above),
        "enum_variant" if named => field(),
        "macro_definition" if named => item(Spaces::MACRO, above),
        "macro_invocation" if leaf.is("macro") => Role::Use(Spaces::MACRO, Shape::Plain),
        "const_parameter" if named => generic(Spaces::VALUE, above),
        "shorthand_field_initializer" => Role::Use(Spaces::VALUE, Shape::Shorthand),
        "scoped_identifier" if named => path_name(tree, parent.node, Spaces::VALUE),
        "scoped_identifier" | "scoped_type_identifier" => type_use(),
        "tuple_struct_pattern" if leaf.is("type") => value(),
        _ => pattern(tree, leaf, above, Shape::Plain),
    }
}

/// Tells what the last name of a path is.
fn path_name(tree: &Parsed<'_>, path: Node<'_>, spaces: Spaces) -> Role {
    let before = path.child_by_field_name("path").map(|node| tree.text(node));
    Role::Use(
        spaces_after(before.unwrap_or_default(), spaces),
        Shape::Plain,
    )
}

fn spaces_after(path: &str, own: Spaces) -> Spaces {
    let last = path.rsplit("::").next().unwrap_or(path);
    let last = last.trim();
    if matches!(last, "self" | "super" | "crate") {
        own
    } else if last.starts_with(char::is_uppercase) || last.ends_with('>') {
        Spaces::FIELD
    } else {
        Spaces::PATH
    }
}

/// Tells what a name within a `use` is.
fn imported(tree: &Parsed<'_>, leaf: Step<'_>, above: &[Step<'_>]) -> Option<Role> {
    let depth = above
        .iter()
        .rposition(|step| step.kind() == "use_declaration")?;
    let declaration = above.get(depth)?;
    let parent = above.last()?;
    let chain = above.get(depth + 1..)?.iter().chain([&leaf]);
    let glob = chain.clone().any(|step| step.kind() == "use_wildcard");
    if glob || chain.clone().any(|step| step.is("path")) {
        let renamed = parent.kind() == "use_as_clause"
            || (parent.kind() == "scoped_identifier" && leaf.is("name"));
        let spaces = if renamed { Spaces::PATH } else { Spaces::TYPE };
        return Some(Role::Use(spaces, Shape::Plain));
    }
    let text = tree.text(declaration.node);
    let path = text
        .split_once("use ")
        .map_or(text, |(_, path)| path)
        .trim_start();
    let root = path.split([':', ';', '{', ' ']).next().unwrap_or_default();
    let inner = above
        .get(..depth)?
        .iter()
        .any(|step| step.kind() == "mod_item");
    if inner && matches!(root, "self" | "super") && !leaf.is("alias") {
        // The name of an item outside, under which it is seen in here.
        return Some(Role::Use(Spaces::BOUND, Shape::Plain));
    }
    let own = matches!(root, "self" | "super" | "crate") || leaf.is("alias");
    let scope = item_scope(above.get(..depth)?)?;
    Some(Role::Define(Definition {
        spaces: Spaces::BOUND,
        shape: if own { Shape::Plain } else { Shape::Imported },
        visible: scope.clone(),
        scope,
        traits: Traits::default(),
    }))
}

/// Tells that a name is an item's own; a member of an `impl` or trait is found by name.
fn item(spaces: Spaces, above: &[Step<'_>]) -> Role {
    let outer = above
        .get(..above.len().saturating_sub(1))
        .unwrap_or_default();
    match item_scope(outer) {
        Some(scope) => Role::Define(Definition {
            spaces,
            shape: Shape::Plain,
            visible: scope.clone(),
            scope,
            traits: Traits::default(),
        }),
        None => field(),
    }
}

/// Returns the range in which items of a place are visible; none within `impl` and trait.
fn item_scope(above: &[Step<'_>]) -> Option<Range<usize>> {
    for (index, step) in above.iter().enumerate().rev() {
        match step.kind() {
            "block" => return Some(step.node.byte_range()),
            "declaration_list" => {
                let owner = index.checked_sub(1).and_then(|index| above.get(index));
                match owner.map(Step::kind) {
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
fn generic(spaces: Spaces, above: &[Step<'_>]) -> Role {
    let list = above
        .iter()
        .rposition(|step| step.kind() == "type_parameters");
    let owner = list
        .and_then(|at| at.checked_sub(1))
        .and_then(|at| above.get(at));
    let Some(owner) = owner else {
        return Role::Skip;
    };
    local(owner.node.byte_range(), spaces, Shape::Plain)
}

fn local(visible: Range<usize>, spaces: Spaces, shape: Shape) -> Role {
    Role::Define(Definition {
        spaces,
        shape,
        scope: visible.clone(),
        visible,
        traits: Traits::default(),
    })
}

/// Tells whether a name in a pattern is bound there, and where it is visible.
fn pattern(tree: &Parsed<'_>, leaf: Step<'_>, above: &[Step<'_>], shape: Shape) -> Role {
    let plain = Role::Use(Spaces::VALUE, shape);
    let mut child = leaf;
    let mut rest = above;
    while let Some((step, higher)) = rest.split_last() {
        let outside = child.is("type") || child.is("condition") || child.is("name");
        let in_pattern = PATTERNS.contains(&step.kind())
            && (!outside || (step.kind() == "field_pattern" && shape == Shape::Shorthand));
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
    if !bound || (capital && !captures && shape == Shape::Plain) {
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
fn visible(owner: Step<'_>, outer: &[Step<'_>]) -> Option<(Range<usize>, Range<usize>)> {
    let nearest = |kinds: &[&str]| outer.iter().rev().find(|step| kinds.contains(&step.kind()));
    let same = |range: Range<usize>| Some((range.clone(), range));
    match owner.kind() {
        "let_declaration" => {
            let block = nearest(&["block"])?.node.byte_range();
            Some((owner.node.end_byte()..block.end, block))
        }
        "let_condition" => {
            let holder = nearest(&["if_expression", "while_expression", "match_arm"])?.node;
            let body = holder
                .child_by_field_name("consequence")
                .or_else(|| holder.child_by_field_name("body"));
            let end = body.unwrap_or(holder).end_byte();
            same(owner.node.end_byte()..end)
        }
        "parameter" | "closure_parameters" => {
            let kinds = [
                "function_item",
                "function_signature_item",
                "closure_expression",
                "function_type",
            ];
            let function = nearest(&kinds)?.node;
            let start = function.child_by_field_name("parameters")?.start_byte();
            same(start..function.end_byte())
        }
        "for_expression" => same(owner.node.child_by_field_name("body")?.byte_range()),
        "match_arm" => same(owner.node.byte_range()),
        _ => None,
    }
}

/// Tells what a name among the tokens of a macro is, as far as its neighbours tell.
fn token(text: &str, leaf: Node<'_>, above: &[Step<'_>]) -> Role {
    let before = text.get(..leaf.start_byte()).unwrap_or_default().trim_end();
    let after = text.get(leaf.end_byte()..).unwrap_or_default().trim_start();
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
    let follows = |mark: &str, not: &[&str]| {
        after.starts_with(mark) && !not.iter().any(|not| after.starts_with(not))
    };
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
            .take_while(|c| is_word(*c) || *c == '>')
            .collect();
        let last: String = tail.chars().rev().collect();
        return Role::Use(spaces_after(&last, own), Shape::Plain);
    }
    if after.starts_with("::") {
        return type_use();
    }
    if follows("!", &["!="]) {
        return Role::Use(Spaces::MACRO, Shape::Plain);
    }
    let in_call = above.iter().rev().nth(1).map(Step::kind) == Some("macro_invocation");
    if in_call && begins && follows("=", &["==", "=>"]) {
        return Role::Skip;
    }
    if braced && begins && follows(":", &["::"]) {
        return field();
    }
    let of_struct = || {
        let head = text.get(..tree).unwrap_or_default().trim_end();
        let name: String = head.chars().rev().take_while(|c| is_word(*c)).collect();
        name.ends_with(char::is_uppercase)
    };
    if braced && begins && after.starts_with([',', '}']) && of_struct() {
        return Role::Use(own, Shape::Shorthand);
    }
    Role::Use(own, Shape::Plain)
}

/// Returns where the strings of a formatting macro capture variables of one of `names`.
pub(super) fn captures(tree: &Parsed<'_>, invocation: Node<'_>) -> Vec<Range<usize>> {
    let name = invocation
        .child_by_field_name("macro")
        .map(|node| tree.text(node));
    let name = name
        .unwrap_or_default()
        .rsplit("::")
        .next()
        .unwrap_or_default();
    let Some((_, skipped)) = FORMATS.iter().find(|(format, _)| *format == name) else {
        return Vec::new();
    };
    let mut cursor = invocation.walk();
    let tokens = invocation
        .children(&mut cursor)
        .find(|node| node.kind() == "token_tree");
    let Some(tokens) = tokens else {
        return Vec::new();
    };
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
        if literal.is_none() && starts && string && argument >= *skipped {
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
                let rest = literal.get(at + 1..).unwrap_or_default();
                let Some(inner) = rest.split('}').next() else {
                    continue;
                };
                in_braces(inner, at + 1, &mut found);
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
        let head = spec.get(..dollar).unwrap_or_default();
        let word = head.trim_end_matches(is_word).len();
        let name = head.get(word..).unwrap_or_default();
        if name.starts_with(|c: char| c.is_alphabetic() || c == '_') {
            found.push(spec_at + word..spec_at + dollar);
        }
    }
}

fn is_word(c: char) -> bool {
    c.is_alphanumeric() || c == '_'
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
    }
}
