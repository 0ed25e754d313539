//! Adds an import unless it is there.
//!
//! In: an import statement. Out: a plan that puts it after the last import (or where a first
//! one belongs), or adds its names to an import of the same module.

mod javascript;
mod python;
mod rust;

use tree_sitter::Node;

use super::{Outcome, modified};
use crate::syntax::{Language, Parsed};
use crate::text::lines::replace_lines;
use crate::text::{Source, Splice};

/// What a language says of an import.
enum Finding {
    /// It is there.
    Present,
    /// Its names go into an import that is there.
    Extend(Splice),
    /// It goes on a line of its own.
    Add(String),
    /// It is none of this language.
    NotImport,
}

/// Plans the import.
pub(super) fn plan(file: super::File<'_>, import: &str) -> Result<Outcome, Outcome> { Ok(plan2(file, import)) }
fn plan2(file: super::File<'_>, import: &str) -> Outcome {
    let source = file.source; let path = file.path;
    let (_, language, tree) = match file.parsed() {
        Ok(parsed) => parsed,
        Err(outcome) => return outcome,
    };
    let (finding, kinds, prologue): (_, &[&str], &[&str]) = match language {
        Language::Rust => (
            rust::find(&tree, import),
            &["use_declaration", "extern_crate_declaration"],
            &["inner_attribute_item", "line_comment", "shebang"],
        ),
        Language::Python => (
            python::find(&tree, import),
            &[
                "import_statement",
                "import_from_statement",
                "future_import_statement",
            ],
            &["comment", "expression_statement"],
        ),
        Language::TypeScript | Language::Tsx | Language::JavaScript => (
            javascript::find(&tree, import),
            &["import_statement"],
            &["hash_bang_line", "expression_statement"],
        ),
    };
    match finding {
        Finding::Present => Outcome::AlreadyApplied {
            why: format!("{path} has this import"),
        },
        Finding::NotImport => Outcome::Invalid {
            why: format!("`{import}` is no import for {path}"),
        },
        Finding::Extend(splice) => {
            modified(vec![splice], "added to the import of the same module", 1)
        }
        Finding::Add(line) => {
            let (at, blank) = line_for(&tree, source, kinds, prologue);
            let lines: &[&str] = if blank { &[&line, ""] } else { &[&line] };
            modified(
                vec![replace_lines(source, at..at, lines)],
                "after the imports",
                1,
            )
        }
    }
}

/// Returns the 0-based line at which a new import goes, and whether a blank line follows it.
fn line_for(
    tree: &Parsed<'_>,
    source: &Source,
    kinds: &[&str],
    prologue: &[&str],
) -> (usize, bool) {
    let items = top_level(tree);
    if let Some(last) = items.iter().rfind(|node| kinds.contains(&node.kind())) {
        return (source.line_of(last.end_byte().saturating_sub(1)) + 1, false);
    }
    let head = items
        .iter()
        .take_while(|node| prologue.contains(&node.kind()) && is_head(tree, **node));
    let at = head.last().map_or(0, |node| {
        source.line_of(node.end_byte().saturating_sub(1)) + 1
    });
    let blank = at < source.line_count() && !source.line(at).trim_ascii().is_empty();
    (at, blank)
}

/// Returns whether a leading node stays above a first import: an inner doc comment, a
/// docstring or a directive, but no comment of the item below.
fn is_head(tree: &Parsed<'_>, node: Node<'_>) -> bool {
    let text = tree.text(node);
    match node.kind() {
        "line_comment" => text.starts_with("//!"),
        "comment" => text.starts_with("#!") || text.starts_with("# -*-"),
        "expression_statement" => text.starts_with(['"', '\'']),
        _ => true,
    }
}

fn top_level<'t>(tree: &'t Parsed<'_>) -> Vec<Node<'t>> {
    let root = tree.root();
    let mut cursor = root.walk();
    root.children(&mut cursor).collect()
}

