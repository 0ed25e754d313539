//! Java constructs that the tree-sitter grammar accepts and the compiler rejects.
//!
//! In: a node. Out: its fault. Examples are statements outside of classes, expressions that are
//! not statements, declarations without braces, and reserved words as names.

use crate::word::is_listed;
use tree_sitter::Node;

use crate::syntax::Parsed;
use crate::syntax::health::Fault;

const RESERVED: &[&str] = &[
    "abstract assert boolean break byte case catch char class const continue default do double",
    "else enum extends false final finally float for goto if implements import instanceof int",
    "interface long native new null package private protected public return short static strictfp",
    "super switch synchronized this throw throws transient true try void volatile while",
];

/// Node kinds allowed at the top level; fields and methods are allowed in an unnamed class.
const DECLARATIONS: &[&str] = &[
    "package_declaration import_declaration module_declaration class_declaration",
    "interface_declaration enum_declaration record_declaration annotation_type_declaration",
    "method_declaration field_declaration local_variable_declaration line_comment block_comment",
];

/// Returns the fault of a node.
pub(super) fn fault(parsed: &Parsed<'_>, node: Node<'_>, above: &[Node<'_>]) -> Option<Fault> {
    match node.kind() {
        "program" => out_of_place(node),
        "identifier" | "type_identifier" => super::reserved_name(RESERVED, parsed, node),
        "expression_statement" => not_a_statement(node, above),
        "if_statement"
        | "while_statement"
        | "do_statement"
        | "for_statement"
        | "enhanced_for_statement" => unbraced_declaration(node).or_else(|| idle_step(node)),
        _ => None,
    }
}

/// Returns the first top-level node that is out of order: the package declaration comes first, then
/// imports, then other declarations.
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
            kind if is_listed(kind, DECLARATIONS) => 3,
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

/// Returns a fault for an expression statement without an effect.
fn not_a_statement(statement: Node<'_>, above: &[Node<'_>]) -> Option<Fault> {
    let expression = statement.named_child(0)?;
    // After the arrow of a `switch` rule, an expression is the value.
    let is_value = above.last()?.kind() == "switch_rule";
    (!acts(expression) && !is_value).then(|| idle(expression))
}

/// Returns a fault for a loop's update expression without an effect.
fn idle_step(statement: Node<'_>) -> Option<Fault> {
    let step = statement.child_by_field_name("update")?;
    (!acts(step)).then(|| idle(step))
}

/// Returns whether an expression may stand as a statement.
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
    let message = "this expression is not a statement".to_owned();
    Fault::new(expression.byte_range(), message)
}

/// Returns a declaration that is the whole body of a branch or loop, without braces.
fn unbraced_declaration(statement: Node<'_>) -> Option<Fault> {
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
