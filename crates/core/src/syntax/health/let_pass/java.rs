//! What the grammar of Java lets pass.
//!
//! In: a node. Out: its fault. The grammar takes statements outside of classes, expressions that
//! are no statements, declarations where only a statement may stand, and reserved words as names.

use tree_sitter::Node;

use super::Check;
use crate::syntax::Parsed;
use crate::syntax::health::Fault;

const RESERVED: &[&str] = &[
    "abstract",
    "assert",
    "boolean",
    "break",
    "byte",
    "case",
    "catch",
    "char",
    "class",
    "const",
    "continue",
    "default",
    "do",
    "double",
    "else",
    "enum",
    "extends",
    "false",
    "final",
    "finally",
    "float",
    "for",
    "goto",
    "if",
    "implements",
    "import",
    "instanceof",
    "int",
    "interface",
    "long",
    "native",
    "new",
    "null",
    "package",
    "private",
    "protected",
    "public",
    "return",
    "short",
    "static",
    "strictfp",
    "super",
    "switch",
    "synchronized",
    "this",
    "throw",
    "throws",
    "transient",
    "true",
    "try",
    "void",
    "volatile",
    "while",
];

/// What may stand in a file; variables and methods do in one whose class is not named.
const DECLARATIONS: &[&str] = &[
    "package_declaration",
    "import_declaration",
    "module_declaration",
    "class_declaration",
    "interface_declaration",
    "enum_declaration",
    "record_declaration",
    "annotation_type_declaration",
    "method_declaration",
    "field_declaration",
    "local_variable_declaration",
    "line_comment",
    "block_comment",
];

/// Returns what is wrong with a node.
pub(super) fn fault(
    check: Check,
    parsed: &Parsed<'_>,
    node: Node<'_>,
    above: &[Node<'_>],
) -> Option<Fault> {
    match check {
        Check::File => out_of_place(node),
        Check::Name => super::reserved_name(RESERVED, parsed, node),
        Check::Statement => no_statement(node, above),
        Check::Body => declared_alone(node).or_else(|| idle_step(node)),
        _ => None,
    }
}

/// Returns the first thing in a file that is not in its place: its package comes first, imports
/// next, and then other declarations.
fn out_of_place(file: Node<'_>) -> Option<Fault> {
    let mut cursor = file.walk();
    let mut rank = 0;
    let mut things = file.named_children(&mut cursor);
    things.find_map(|node| {
        let fault = |message: &str| Some(Fault::new(node.byte_range(), message.to_owned()));
        let own = match node.kind() {
            "package_declaration" => 1,
            "import_declaration" => 2,
            "line_comment" | "block_comment" => return None,
            kind if DECLARATIONS.contains(&kind) => 3,
            _ if node.is_error() => return None,
            _ => return fault("only declarations stand outside of classes"),
        };
        if own < rank || own == 1 && rank == 1 {
            return fault("the package and imports stand before all other declarations");
        }
        rank = own;
        None
    })
}

/// Returns the fault of an expression that does nothing.
fn no_statement(statement: Node<'_>, above: &[Node<'_>]) -> Option<Fault> {
    let expression = statement.named_child(0)?;
    // What follows the arrow of a `switch` may be its value.
    let is_value = above.last()?.kind() == "switch_rule";
    (!acts(expression) && !is_value).then(|| idle(expression))
}

/// Returns the step of a loop that does nothing.
fn idle_step(statement: Node<'_>) -> Option<Fault> {
    let step = statement.child_by_field_name("update")?;
    (!acts(step)).then(|| idle(step))
}

fn acts(expression: Node<'_>) -> bool {
    let kind = expression.kind();
    let acts = matches!(
        kind,
        "assignment_expression"
            | "update_expression"
            | "method_invocation"
            | "object_creation_expression"
            | "switch_expression"
    );
    acts || expression.is_extra() || expression.is_error()
}

fn idle(expression: Node<'_>) -> Fault {
    let message = "this expression is no statement".to_owned();
    Fault::new(expression.byte_range(), message)
}

/// Returns the declaration that is all of a branch or of a loop's body.
fn declared_alone(statement: Node<'_>) -> Option<Fault> {
    let fields = ["consequence", "alternative", "body"];
    let mut bodies = fields
        .iter()
        .filter_map(|field| statement.child_by_field_name(field));
    let alone = bodies.find(|body| {
        matches!(
            body.kind(),
            "local_variable_declaration"
                | "class_declaration"
                | "interface_declaration"
                | "enum_declaration"
                | "record_declaration"
        )
    })?;
    let message = "a declaration needs braces around it here".to_owned();
    Some(Fault::new(alone.byte_range(), message))
}
