//! The head of a file: what stands above its first item of its own.
//!
//! ```text
//! #!/usr/bin/env python3      prologue: stays above every import
//! """Doc."""                  prologue
//!
//! import os                   imports
//!
//! A = 1                       the first item
//! ```

use tree_sitter::Node;

use super::{Family, File, ParsedFile};
use crate::edit::plan::body::suite::docstring;

/// The head of a file.
pub(super) struct Head<'t> {
    /// Its imports; all of the file's, if none are in the head.
    pub(super) imports: Vec<Node<'t>>,
    /// The 0-based line after what has to stay above a first import.
    pub(super) prologue: usize,
}

impl<'t> Head<'t> {
    /// Finds the head.
    pub(super) fn of(site: &'t ParsedFile<'_>) -> Self {
        let (file, family, tree) = (site.file, site.family, &site.tree);
        let root = tree.root();
        let mut cursor = root.walk();
        let items: Vec<Node<'t>> = root.children(&mut cursor).collect();
        let docstring = docstring(root).filter(|_| family == Family::Python);
        let first_own = items
            .iter()
            .position(|node| !belongs(family, *node) && Some(*node) != docstring)
            .unwrap_or(items.len());
        let is_import = |node: &&Node<'t>| is_import(family, **node);
        let head = items.iter().take(first_own);
        let mut imports: Vec<Node<'t>> = head.filter(is_import).copied().collect();
        if imports.is_empty() {
            imports = items.iter().filter(is_import).copied().collect();
        }
        let above = items.iter().take_while(|node| {
            Some(**node) == docstring || (belongs(family, **node) && !is_import(node))
        });
        let mut prologue = 0;
        for node in above {
            if Some(*node) == docstring || is_prologue(family, tree.text(*node), *node) {
                prologue = line_after(file, *node);
            } else if stands_alone(file, *node) {
                // The blank line stays with the comment.
                prologue = line_after(file, *node) + 1;
            }
        }
        Self { imports, prologue }
    }

    /// Returns the 0-based line after the head.
    pub(super) fn end(&self, file: File<'_>) -> usize {
        let last = self.imports.last();
        last.map_or(self.prologue, |node| line_after(file, *node))
    }
}

/// Returns the 0-based line after a node.
pub(super) fn line_after(file: File<'_>, node: Node<'_>) -> usize {
    file.source.line_of(node.end_byte().saturating_sub(1)) + 1
}

/// Returns whether the node is an import.
pub(super) fn is_import(family: Family, node: Node<'_>) -> bool {
    match family {
        Family::Rust => matches!(node.kind(), "use_declaration" | "extern_crate_declaration"),
        Family::Script => node.kind() == "import_statement",
        Family::Python => matches!(
            node.kind(),
            "import_statement" | "import_from_statement" | "future_import_statement"
        ),
    }
}

/// Returns whether a node may stand among the imports of a head.
fn belongs(family: Family, node: Node<'_>) -> bool {
    let module = node.kind() == "mod_item" && node.child_by_field_name("body").is_none();
    is_import(family, node)
        || (family == Family::Rust && module)
        || node.kind().ends_with("comment")
        || matches!(
            node.kind(),
            "attribute_item" | "inner_attribute_item" | "shebang" | "hash_bang_line" | ";"
        )
        || is_directive(family, node)
}

/// Returns whether a node has to stay above a first import; no comment of the item below.
fn is_prologue(family: Family, text: &str, node: Node<'_>) -> bool {
    match node.kind() {
        "line_comment" | "block_comment" => text.starts_with("//!") || text.starts_with("/*!"),
        "comment" => {
            let python = family == Family::Python && says_coding(text, node);
            python || text.starts_with("#!") || text.starts_with("# -*-")
        }
        "inner_attribute_item" | "shebang" | "hash_bang_line" => true,
        _ => is_directive(family, node),
    }
}

/// Returns whether the node is a comment that a blank line parts from what is below.
fn stands_alone(file: File<'_>, node: Node<'_>) -> bool {
    let below = line_after(file, node);
    node.kind().ends_with("comment")
        && below < file.source.line_count()
        && file.source.line_text(below).trim().is_empty()
}

/// Returns whether a text of the first two lines says how a Python file is encoded (PEP 263).
fn says_coding(text: &str, node: Node<'_>) -> bool {
    node.start_position().row < 2 && (names_coding(text, ":") || names_coding(text, "="))
}

fn names_coding(text: &str, mark: &str) -> bool {
    text.contains(&format!("coding{mark}"))
}

/// Returns whether the node is a directive such as `'use client'`.
fn is_directive(family: Family, node: Node<'_>) -> bool {
    family == Family::Script
        && node.kind() == "expression_statement"
        && node
            .named_child(0)
            .is_some_and(|child| child.kind() == "string")
}
