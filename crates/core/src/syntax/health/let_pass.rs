//! What a grammar lets pass that its language does not.
//!
//! In: a tree, and perhaps where it may differ from one without such faults. Out: the faults in
//! it. Each is a matter of one node, its children and their names.

mod go;
mod java;

use std::ops::Range;

use tree_sitter::Node;

use super::Fault;
use super::findings::MAX_FAULTS;
use crate::syntax::kinds::Tables;
use crate::syntax::{Language, Parsed};

/// What a node is looked at for.
#[derive(Clone, Copy)]
enum Check {
    Tags,
    Attributes,
    Commas,
    Key,
    Command,
    /// The file as a whole.
    File,
    Name,
    Path,
    Statement,
    Body,
    Short,
    Parameters,
    Constants,
    List,
}

const CHECKS: &[(&str, Check)] = &[
    ("jsx_element", Check::Tags),
    ("jsx_opening_element", Check::Attributes),
    ("jsx_self_closing_element", Check::Attributes),
    ("arguments", Check::Commas),
    ("object", Check::Commas),
    ("formal_parameters", Check::Commas),
    ("named_imports", Check::Commas),
    ("block_mapping_pair", Check::Key),
    ("command_name", Check::Command),
    ("source_file", Check::File),
    ("program", Check::File),
    ("import_spec", Check::Path),
    ("expression_statement", Check::Statement),
    ("if_statement", Check::Body),
    ("while_statement", Check::Body),
    ("do_statement", Check::Body),
    ("for_statement", Check::Body),
    ("enhanced_for_statement", Check::Body),
    ("short_var_declaration", Check::Short),
    ("parameter_list", Check::Parameters),
    ("const_declaration", Check::Constants),
    ("argument_list", Check::List),
    ("literal_value", Check::List),
    ("identifier", Check::Name),
    ("type_identifier", Check::Name),
    ("field_identifier", Check::Name),
    ("package_identifier", Check::Name),
    ("label_name", Check::Name),
];

static TABLES: Tables<Check> = Tables::new();

/// Returns what a grammar lets pass though the language does not, at nodes that touch one of the
/// ranges `within`; everywhere, if there are none.
pub(super) fn let_pass(
    language: Language,
    parsed: &Parsed<'_>,
    within: Option<&[Range<usize>]>,
) -> Vec<Fault> {
    use Language::{Bash, Go, Java, JavaScript, Tsx, TypeScript, Yaml};
    let mut faults = Vec::new();
    let judged = matches!(
        language,
        JavaScript | TypeScript | Tsx | Yaml | Bash | Go | Java
    );
    let Some(checks) = TABLES.of(language, CHECKS).filter(|_| judged) else {
        return faults;
    };
    let touches = |node: Node<'_>| {
        let own = node.byte_range();
        within.is_none_or(|ranges| {
            let meets = |range: &Range<usize>| range.start <= own.end && own.start <= range.end;
            ranges.iter().any(meets)
        })
    };
    parsed.walk_into(|node, above| {
        if faults.len() >= MAX_FAULTS || !touches(node) {
            return false;
        }
        match checks.get(node) {
            Some(Check::Tags) => faults.extend(other_tag(parsed, node)),
            Some(Check::Attributes) => faults.extend(unnamed(node)),
            Some(Check::Commas) => faults.extend(left_out(node)),
            Some(Check::Key) => faults.extend(keyless(node)),
            Some(Check::Command) => faults.extend(reserved(parsed, node)),
            Some(check) => match language {
                Go => faults.extend(go::fault(check, parsed, node)),
                Java => faults.extend(java::fault(check, parsed, node, above)),
                _ => {}
            },
            None => {}
        }
        true
    });
    faults
}

fn keyless(pair: Node<'_>) -> Option<Fault> {
    let first = pair.child(0)?;
    (first.kind() == ":").then(|| Fault::new(first.byte_range(), "a key is missing".to_owned()))
}

fn reserved(parsed: &Parsed<'_>, name: Node<'_>) -> Option<Fault> {
    let word = parsed.text(name);
    let reserved = matches!(
        word,
        "fi" | "done" | "esac" | "then" | "else" | "elif" | "do" | "}"
    );
    reserved.then(|| Fault::new(name.byte_range(), format!("`{word}` is out of place")))
}

fn other_tag(parsed: &Parsed<'_>, node: Node<'_>) -> Option<Fault> {
    let (open, close) = (
        node.child_by_field_name("open_tag")?,
        node.child_by_field_name("close_tag")?,
    );
    let name = |tag: Node<'_>| {
        tag.child_by_field_name("name")
            .map(|name| parsed.text(name))
            .unwrap_or_default()
    };
    let (open, closed) = (name(open), name(close));
    let message = || format!("`</{closed}>` closes `<{open}>`");
    (open != closed).then(|| Fault::new(close.byte_range(), message()))
}

/// Returns the first attribute of an element that is a value without a name.
fn unnamed(element: Node<'_>) -> Option<Fault> {
    let mut cursor = element.walk();
    let mut attributes = element.children_by_field_name("attribute", &mut cursor);
    let plain = attributes.find(|attribute| {
        let inner = attribute.named_child(0).map(|inner| inner.kind());
        let spreads = matches!(inner, None | Some("spread_element" | "comment"));
        attribute.kind() == "jsx_expression" && !spreads
    })?;
    let message = "a value without the name of an attribute".to_owned();
    Some(Fault::new(plain.byte_range(), message))
}

/// Returns the first comma of a list that nothing stands before.
fn left_out(list: Node<'_>) -> Option<Fault> {
    let mut cursor = list.walk();
    let mut wanted = true;
    for child in list.children(&mut cursor).filter(|child| !child.is_extra()) {
        match child.kind() {
            "," if wanted => {
                return Some(Fault::new(
                    child.byte_range(),
                    "nothing stands before this comma".to_owned(),
                ));
            }
            "," | "(" | "{" => wanted = true,
            _ => wanted = false,
        }
    }
    None
}

/// Returns the fault of a name that is a word of the language.
fn reserved_name(words: &[&str], parsed: &Parsed<'_>, name: Node<'_>) -> Option<Fault> {
    let word = parsed.text(name);
    let message = || format!("`{word}` is no name");
    (words.binary_search(&word).is_ok()).then(|| Fault::new(name.byte_range(), message()))
}
