//! JavaScript's and TypeScript's `import`.

use tree_sitter::Node;

use super::{Finding, top_level};
use crate::syntax::{Language, Parsed};
use crate::text::Splice;

/// An import statement in parts.
#[derive(Debug, PartialEq, Eq)]
struct Import {
    module: String,
    /// True for `import type`.
    of_types: bool,
    /// `X` of `import X from`, or `* as X`.
    whole: Option<String>,
    /// `a`, `b as c`, `type d`.
    names: Vec<String>,
    /// Offset after the last named import, where there is one.
    names_end: Option<usize>,
}

/// Looks for every name that `import` brings in among the file's imports.
pub(super) fn find(tree: &Parsed<'_>, import: &str) -> Finding {
    let statement = import.trim().to_owned();
    let Some(wanted) = parse_one(&statement) else {
        return Finding::NotImport;
    };
    let imports = top_level(tree)
        .into_iter()
        .filter(|node| node.kind() == "import_statement");
    let present: Vec<Import> = imports.filter_map(|node| parts(tree, node)).collect();
    let same = || {
        present
            .iter()
            .filter(|import| import.module == wanted.module)
    };
    let missing: Vec<&String> = wanted
        .names
        .iter()
        .filter(|name| !same().any(|import| import.names.contains(name)))
        .collect();
    let whole_there = match &wanted.whole {
        Some(_) => same().any(|import| import.whole == wanted.whole),
        None => !wanted.names.is_empty() || same().next().is_some(),
    };
    if whole_there && missing.is_empty() {
        return Finding::Present;
    }
    let host =
        same().find(|import| import.of_types == wanted.of_types && import.names_end.is_some());
    match host.and_then(|import| import.names_end) {
        Some(at) if wanted.whole.is_none() => {
            let names: String = missing
                .into_iter()
                .map(|name| format!(", {name}"))
                .collect();
            Finding::Extend(Splice {
                at,
                old: Vec::new(),
                new: names.into_bytes(),
            })
        }
        _ => Finding::Add(statement),
    }
}

fn parse_one(statement: &str) -> Option<Import> {
    if statement.contains('\n') {
        return None;
    }
    let parsed = Language::TypeScript.parse(statement)?;
    let root = parsed.root();
    let node = root.named_child(0)?;
    let only = root.named_child_count() == 1 && !root.has_error();
    if !only || node.kind() != "import_statement" {
        return None;
    }
    parts(&parsed, node)
}

fn parts(tree: &Parsed<'_>, statement: Node<'_>) -> Option<Import> {
    let source = statement.child_by_field_name("source")?;
    let module = tree.text(source).trim_matches(['"', '\'']).to_owned();
    let text = tree.text(statement);
    let mut import = Import {
        module,
        of_types: text
            .trim_start_matches("import")
            .trim_start()
            .starts_with("type "),
        whole: None,
        names: Vec::new(),
        names_end: None,
    };
    let mut cursor = statement.walk();
    let clause = statement
        .children(&mut cursor)
        .find(|node| node.kind() == "import_clause");
    let Some(clause) = clause else {
        return Some(import);
    };
    let mut cursor = clause.walk();
    for part in clause.named_children(&mut cursor) {
        if part.kind() == "named_imports" {
            let mut cursor = part.walk();
            for name in part
                .named_children(&mut cursor)
                .filter(|node| node.kind() == "import_specifier")
            {
                import.names.push(tree.text(name).to_owned());
                import.names_end = Some(name.end_byte());
            }
        } else {
            import.whole = Some(tree.text(part).to_owned());
        }
    }
    Some(import)
}
