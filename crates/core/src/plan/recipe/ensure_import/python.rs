//! Python's `import` and `from ... import`.

use super::{Finding, top_level};
use crate::syntax::{Language, Parsed};

/// Looks for every name that `import` brings in among the file's imports.
pub(super) fn find(tree: &Parsed<'_>, import: &str) -> Finding {
    let Some(statement) = statement(import) else {
        return Finding::NotImport;
    };
    let wanted = names(&statement);
    let mut present = Vec::new();
    for node in top_level(tree)
        .into_iter()
        .filter(|node| node.kind().contains("import"))
    {
        present.extend(names(tree.text(node)));
    }
    if wanted.iter().all(|name| present.contains(name)) {
        return Finding::Present;
    }
    Finding::Add(statement)
}

/// Returns `import` as a whole statement, if it parses as one.
fn statement(import: &str) -> Option<String> {
    let bare = import.trim().trim_end_matches(';').trim_end();
    let is_statement = bare.starts_with("import ") || bare.starts_with("from ");
    let statement = if is_statement {
        bare.to_owned()
    } else {
        format!("import {bare}")
    };
    let parsed = Language::Python.parse(&statement)?;
    let root = parsed.root();
    let kind = root
        .named_child(0)
        .map(|node| node.kind())
        .unwrap_or_default();
    let only = root.named_child_count() == 1 && !root.has_error() && kind.contains("import");
    only.then_some(statement)
}

/// Returns what a statement brings in, each as (module, name); without a name for the module
/// itself.
fn names(statement: &str) -> Vec<(String, String)> {
    let split = |list: &str| -> Vec<String> {
        let bare = list.replace(['(', ')', '\\'], " ");
        let parts = bare
            .split(',')
            .map(|part| part.split_whitespace().collect::<Vec<_>>().join(" "));
        parts.filter(|part| !part.is_empty()).collect()
    };
    if let Some(rest) = statement.strip_prefix("from ") {
        let Some((module, list)) = rest.split_once(" import") else {
            return Vec::new();
        };
        return split(list)
            .into_iter()
            .map(|name| (module.trim().to_owned(), name))
            .collect();
    }
    let list = statement.strip_prefix("import ").unwrap_or_default();
    split(list)
        .into_iter()
        .map(|module| (module, String::new()))
        .collect()
}
