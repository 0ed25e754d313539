//! What a grammar lets pass that its language does not.
//!
//! In: a tree without alarms. Out: the faults in it.

use super::*;

/// Returns what a grammar lets pass though the language does not.
pub(super) fn let_pass(language: Language, parsed: &Parsed<'_>) -> Vec<Fault> {
    use Language::{Bash, JavaScript, Tsx, TypeScript, Yaml};
    let mut faults = Vec::new();
    if !matches!(language, JavaScript | TypeScript | Tsx | Yaml | Bash) {
        return faults;
    }
    parsed.walk(|node| match node.kind() {
        _ if faults.len() >= MAX_FAULTS => {}
        "jsx_element" => faults.extend(other_tag(parsed, node)),
        "jsx_opening_element" | "jsx_self_closing_element" => faults.extend(unnamed(node)),
        "arguments" | "object" | "formal_parameters" | "named_imports" => {
            faults.extend(left_out(node));
        }
        "block_mapping_pair" => faults.extend(keyless(node)),
        "command_name" => faults.extend(reserved(parsed, node)),
        _ => {}
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
