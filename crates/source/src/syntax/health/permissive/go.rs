//! Go constructs that the tree-sitter grammar accepts and the compiler rejects.
//!
//! In: a node. Out: its fault. Examples are statements outside of functions and files without a
//! package clause.

use tree_sitter::Node;

use crate::syntax::Parsed;
use crate::syntax::health::Fault;

const RESERVED: &[&str] = &[
    "break case chan const continue default defer else fallthrough for func go goto if import",
    "interface map package range return select struct switch type var",
];

/// Characters that a package path must not contain.
const NOT_IN_PATHS: &str = "!\"#$%&'()*,:;<=>?[\\]^`{|} \t";

/// Returns the fault of a node.
pub(super) fn fault(parsed: &Parsed<'_>, node: Node<'_>) -> Option<Fault> {
    match node.kind() {
        "source_file" => out_of_place(node),
        "import_spec" => invalid_import_path(parsed, node),
        "short_var_declaration" => declared_non_name(node),
        "parameter_list" => partly_named(node).or_else(|| missing_comma(node)),
        "argument_list" | "literal_value" => missing_comma(node),
        "const_declaration" => missing_value(node),
        "identifier" | "type_identifier" | "field_identifier" | "package_identifier"
        | "label_name" => super::reserved_name(RESERVED, parsed, node),
        _ => None,
    }
}

/// Returns the first top-level node that is out of order: the package clause comes first, then
/// imports, then other declarations.
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

fn invalid_import_path(parsed: &Parsed<'_>, import: Node<'_>) -> Option<Fault> {
    let path = import.child_by_field_name("path")?;
    let quoted = parsed.text(path);
    let inner = quoted.get(1..quoted.len().checked_sub(1)?)?;
    let wrong = inner.is_empty() || inner.contains(|c| NOT_IN_PATHS.contains(c));
    wrong.then(|| Fault::new(path.byte_range(), "this is not a package path".to_owned()))
}

/// Returns the first operand left of `:=` that is not a name.
fn declared_non_name(declaration: Node<'_>) -> Option<Fault> {
    let names = declaration.child_by_field_name("left")?;
    let mut cursor = names.walk();
    let mut names = names.named_children(&mut cursor);
    // Predeclared identifiers may be redeclared.
    let own = ["identifier", "iota", "nil", "true", "false"];
    let other = names.find(|name| !name.is_extra() && !own.contains(&name.kind()))?;
    let message = "`:=` declares names, and this is not a name".to_owned();
    Some(Fault::new(other.byte_range(), message))
}

/// Returns the first parameter that is only a type where other parameters have names. Plain type
/// identifiers are skipped: in a list like `a, b, c int` the grammar reads the first names as types.
fn partly_named(list: Node<'_>) -> Option<Fault> {
    let mut cursor = list.walk();
    let parameters = list
        .named_children(&mut cursor)
        .filter(|child| child.kind().ends_with("parameter_declaration"));
    let (named, unnamed): (Vec<Node<'_>>, Vec<Node<'_>>) =
        parameters.partition(|child| child.child_by_field_name("name").is_some());
    let first = unnamed
        .iter()
        .find(|child| {
            let own = child.child_by_field_name("type").map(|own| own.kind());
            !matches!(own, None | Some("type_identifier"))
        })
        .filter(|_| !named.is_empty())?;
    let message = "this parameter has no name, but others have".to_owned();
    Some(Fault::new(first.byte_range(), message))
}

/// Returns the end of a list's last element if the closing bracket is on a later line and no comma
/// follows the element.
fn missing_comma(list: Node<'_>) -> Option<Fault> {
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

/// Returns the first constant of a declaration if it has no value; later ones repeat the first.
fn missing_value(declaration: Node<'_>) -> Option<Fault> {
    let mut cursor = declaration.walk();
    let mut specs = declaration.named_children(&mut cursor);
    let first = specs.find(|child| child.kind() == "const_spec")?;
    (first.child_by_field_name("value").is_none() && !first.has_error())
        .then(|| Fault::new(first.byte_range(), "this constant has no value".to_owned()))
}
