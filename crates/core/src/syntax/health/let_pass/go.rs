//! What the grammar of Go lets pass.
//!
//! In: a node. Out: its fault. The grammar takes statements outside of functions, and files
//! without a package.

use tree_sitter::Node;

use super::Check;
use crate::syntax::Parsed;
use crate::syntax::health::Fault;

const RESERVED: &[&str] = &[
    "break",
    "case",
    "chan",
    "const",
    "continue",
    "default",
    "defer",
    "else",
    "fallthrough",
    "for",
    "func",
    "go",
    "goto",
    "if",
    "import",
    "interface",
    "map",
    "package",
    "range",
    "return",
    "select",
    "struct",
    "switch",
    "type",
    "var",
];

/// What no path of a package has in it.
const NOT_IN_PATHS: &str = "!\"#$%&'()*,:;<=>?[\\]^`{|} \t";

/// Returns what is wrong with a node.
pub(super) fn fault(check: Check, parsed: &Parsed<'_>, node: Node<'_>) -> Option<Fault> {
    match check {
        Check::File => out_of_place(node),
        Check::Path => no_path(parsed, node),
        Check::Short => no_name(node),
        Check::Parameters => partly_named(node).or_else(|| no_comma(node)),
        Check::List => no_comma(node),
        Check::Constants => no_value(node),
        Check::Name => super::reserved_name(RESERVED, parsed, node),
        _ => None,
    }
}

/// Returns the first thing in a file that is not in its place: its package comes first, imports
/// next, and then other declarations.
fn out_of_place(file: Node<'_>) -> Option<Fault> {
    let mut cursor = file.walk();
    let children = file.named_children(&mut cursor);
    let mut things = children.filter(|child| !child.is_extra() && !child.is_error());
    let fault = |node: Node<'_>, message: &str| Some(Fault::new(node.byte_range(), message.into()));
    let Some(first) = things.next() else {
        return fault(file, "the package is missing");
    };
    if first.kind() != "package_clause" {
        return fault(first, "the package is missing before this");
    }
    let mut imports = true;
    things.find_map(|node| match node.kind() {
        "import_declaration" if imports => None,
        "import_declaration" => fault(node, "an import stands before all other declarations"),
        "function_declaration"
        | "method_declaration"
        | "type_declaration"
        | "const_declaration"
        | "var_declaration" => {
            imports = false;
            None
        }
        _ => fault(node, "only declarations stand outside of functions"),
    })
}

fn no_path(parsed: &Parsed<'_>, import: Node<'_>) -> Option<Fault> {
    let path = import.child_by_field_name("path")?;
    let quoted = parsed.text(path);
    let inner = quoted.get(1..quoted.len().checked_sub(1)?)?;
    let wrong = inner.is_empty() || inner.contains(|c| NOT_IN_PATHS.contains(c));
    wrong.then(|| Fault::new(path.byte_range(), "this is no path of a package".to_owned()))
}

/// Returns what `:=` cannot declare.
fn no_name(declaration: Node<'_>) -> Option<Fault> {
    let names = declaration.child_by_field_name("left")?;
    let mut cursor = names.walk();
    let mut names = names.named_children(&mut cursor);
    // What the language declares by itself may be declared anew.
    let own = ["identifier", "iota", "nil", "true", "false"];
    let other = names.find(|name| !name.is_extra() && !own.contains(&name.kind()))?;
    let message = "`:=` declares names, and this is none".to_owned();
    Some(Fault::new(other.byte_range(), message))
}

/// Returns the first parameter that is only a type, where others have names. What could be a name
/// is left alone: of a long row of names the grammar takes the first ones for types.
fn partly_named(list: Node<'_>) -> Option<Fault> {
    let mut cursor = list.walk();
    let parameters = list.named_children(&mut cursor);
    let parameters = parameters.filter(|child| child.kind().ends_with("parameter_declaration"));
    let (named, unnamed): (Vec<Node<'_>>, Vec<Node<'_>>) =
        parameters.partition(|child| child.child_by_field_name("name").is_some());
    let is_type = |child: &&Node<'_>| {
        let own = child.child_by_field_name("type").map(|own| own.kind());
        !matches!(own, None | Some("type_identifier"))
    };
    let first = unnamed.iter().find(is_type).filter(|_| !named.is_empty())?;
    let message = "some parameters have names, and this has none".to_owned();
    Some(Fault::new(first.byte_range(), message))
}

/// Returns the end of a list that stands on a line of its own, where the line before lacks a comma.
fn no_comma(list: Node<'_>) -> Option<Fault> {
    let mut cursor = list.walk();
    let own = list.children(&mut cursor).filter(|node| !node.is_extra());
    let (mut before, mut close) = (None, None);
    for node in own {
        before = close.replace(node);
    }
    let close = close?;
    let before = before.filter(|before| before.is_named() && !before.is_error())?;
    let own_line = before.end_position().row < close.start_position().row;
    (own_line && !close.is_missing()).then(|| {
        let end = before.end_byte();
        Fault::new(
            end..end,
            "`,` is missing at the end of this line".to_owned(),
        )
    })
}

/// Returns the first constant without a value, if there is none before it to repeat.
fn no_value(declaration: Node<'_>) -> Option<Fault> {
    let mut cursor = declaration.walk();
    let mut specs = declaration.named_children(&mut cursor);
    let first = specs.find(|child| child.kind() == "const_spec")?;
    let message = || "this constant has no value".to_owned();
    (first.child_by_field_name("value").is_none() && !first.has_error())
        .then(|| Fault::new(first.byte_range(), message()))
}
