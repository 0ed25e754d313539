//! Checks for constructs that a tree-sitter grammar accepts and its language rejects.
//!
//! In: a tree, and the ranges in which it may differ from a tree without such constructs. Out: a
//! fault for each. Every check looks at one node, its children and their names.

mod go;
mod java;

use std::ops::Range;

use tree_sitter::Node;

use super::Fault;
use super::findings::MAX_FAULTS;
use crate::syntax::{Language, Parsed};
use crate::word::is_listed;

/// Returns the faults of nodes that touch one of the ranges `within`, or of all nodes if `within`
/// is `None`. Stops at [`MAX_FAULTS`].
pub(super) fn faults(
    language: Language,
    parsed: &Parsed<'_>,
    within: Option<&[Range<usize>]>,
) -> Vec<Fault> {
    let mut faults = Vec::new();
    if !matches!(language, Language::Go | Language::Java | Language::Yaml) {
        return faults;
    }
    parsed.walk_into(|node, above| {
        if faults.len() >= MAX_FAULTS || !touches(node, within) {
            return false;
        }
        faults.extend(match language {
            Language::Go => go::fault(parsed, node),
            Language::Java => java::fault(parsed, node, above),
            _ => missing_key(node),
        });
        true
    });
    faults
}

fn touches(node: Node<'_>, within: Option<&[Range<usize>]>) -> bool {
    let own = node.byte_range();
    within.is_none_or(|ranges| {
        ranges
            .iter()
            .any(|range| range.start <= own.end && own.start <= range.end)
    })
}

/// Returns the colon of a YAML mapping pair that has no key.
fn missing_key(pair: Node<'_>) -> Option<Fault> {
    let first = pair.child(0).filter(|first| first.kind() == ":")?;
    let in_mapping = pair.kind() == "block_mapping_pair";
    in_mapping.then(|| Fault::new(first.byte_range(), "a key is missing".to_owned()))
}

/// Returns a fault if a name is one of the language's reserved `words`, which are sorted.
fn reserved_name(words: &[&str], parsed: &Parsed<'_>, name: Node<'_>) -> Option<Fault> {
    let word = parsed.text(name);
    is_listed(word, words).then(|| Fault::new(name.byte_range(), reserved_word(word)))
}

fn reserved_word(word: &str) -> String {
    format!("`{word}` is a reserved word and cannot be a name")
}
