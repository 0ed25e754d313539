//! Rust's `use`.

use super::{Finding, top_level};
use crate::syntax::{Language, Parsed};

/// Looks for every path that `import` names among the file's `use` declarations.
pub(super) fn find(tree: &Parsed<'_>, import: &str) -> Finding {
    let Some(statement) = statement(import) else {
        return Finding::NotImport;
    };
    let wanted = paths(&statement);
    let mut present = Vec::new();
    for node in top_level(tree)
        .into_iter()
        .filter(|node| node.kind() == "use_declaration")
    {
        present.extend(paths(tree.text(node)));
    }
    if wanted.iter().all(|path| present.contains(path)) {
        return Finding::Present;
    }
    Finding::Add(statement)
}

/// Returns `import` as a whole declaration, if it parses as one.
fn statement(import: &str) -> Option<String> {
    let bare = import.trim().trim_end_matches(';').trim_end();
    let has_use = bare.split_whitespace().any(|word| word == "use");
    let statement = if has_use {
        format!("{bare};")
    } else {
        format!("use {bare};")
    };
    let parsed = Language::Rust.parse(&statement)?;
    let root = parsed.root();
    let only = root.named_child_count() == 1 && !root.has_error();
    let kind = root.named_child(0).map(|node| node.kind());
    (only && kind == Some("use_declaration")).then_some(statement)
}

/// Returns the paths that a declaration brings in, groups written out.
fn paths(declaration: &str) -> Vec<String> {
    let tree: String = match declaration.split_once("use ") {
        Some((_, tree)) => tree.split_whitespace().collect::<Vec<_>>().join(" "),
        None => return Vec::new(),
    };
    let mut found = Vec::new();
    expand("", tree.trim_end_matches(';').trim(), &mut found);
    found
}

fn expand(prefix: &str, tree: &str, found: &mut Vec<String>) {
    let Some((head, group)) = tree.split_once('{') else {
        let path = format!("{prefix}{}", tree.trim());
        found.push(
            path.strip_suffix("::self")
                .map(str::to_owned)
                .unwrap_or(path),
        );
        return;
    };
    let prefix = format!("{prefix}{}", head.trim());
    let group = group.trim_end().strip_suffix('}').unwrap_or(group);
    let (mut depth, mut start) = (0_usize, 0);
    for (at, c) in group.char_indices().chain([(group.len(), ',')]) {
        match c {
            '{' => depth += 1,
            '}' => depth = depth.saturating_sub(1),
            ',' if depth == 0 => {
                let part = group.get(start..at).unwrap_or_default().trim();
                if !part.is_empty() {
                    expand(&prefix, part, found);
                }
                start = at + 1;
            }
            _ => {}
        }
    }
}
