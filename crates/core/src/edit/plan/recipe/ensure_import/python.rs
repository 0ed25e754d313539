//! Python's `import` and `from ... import`.

use tree_sitter::Node;

use super::super::head::is_import;
use super::{Family, ImportLookup, Line, ParsedFile, list, top_level};
use crate::syntax::{Language, SyntaxCache};

/// The longest line that names are added to.
const MAX_LINE: usize = 100;

/// Looks for every name that `import` brings in among the file's imports.
pub(super) fn find(site: &ParsedFile<'_>, import: &str) -> ImportLookup {
    let Some(statement) = statement(site.file.cache, import) else {
        return ImportLookup::NotImport;
    };
    let wanted = names(&statement);
    let imports: Vec<Node<'_>> = top_level(&site.tree)
        .into_iter()
        .filter(|node| is_import(Family::Python, *node))
        .collect();
    let present: Vec<_> = imports
        .iter()
        .flat_map(|node| names(site.tree.text(*node)))
        .collect();
    let missing: Vec<&(String, String)> = wanted
        .iter()
        .filter(|name| !present.contains(name))
        .collect();
    let Some((module, first)) = missing.first() else {
        return ImportLookup::Present;
    };
    let new: Vec<String> = missing.iter().map(|(_, name)| name.clone()).collect();
    let from = !first.is_empty();
    let host = imports
        .iter()
        .find_map(|node| host(site, *node, module, &new));
    if let Some(listed) = host.filter(|_| from) {
        return ImportLookup::within(list::extend(site.file, &listed, &new));
    }
    let text = if missing.len() == wanted.len() {
        statement
    } else if from {
        format!("from {module} import {}", new.join(", "))
    } else {
        let modules: Vec<&str> = missing.iter().map(|(module, _)| module.as_str()).collect();
        format!("import {}", modules.join(", "))
    };
    ImportLookup::line(Line {
        key: key(&text),
        first: module == "__future__",
        text,
    })
}

/// Returns what a statement is ordered by: `import` before `from`, as is the custom.
pub(super) fn key(statement: &str) -> String {
    let mut words = statement.split_whitespace();
    let from = words.next() == Some("from");
    let module = words.next().unwrap_or_default();
    // A blank sorts before everything that a module's name may hold.
    if from {
        format!("{module}~")
    } else {
        module.to_owned()
    }
}

/// Returns the names of a `from` import of the module that may take `new` in.
fn host<'t>(
    site: &'t ParsedFile<'_>,
    node: Node<'t>,
    module: &str,
    new: &[String],
) -> Option<Vec<Node<'t>>> {
    let text = site.tree.text(node);
    let own = names(text)
        .iter()
        .all(|(own, name)| own == module && name != "*");
    if !own || !text.starts_with("from ") || new.iter().any(|name| name == "*") {
        return None;
    }
    let mut cursor = node.walk();
    let listed: Vec<Node<'t>> = node.children_by_field_name("name", &mut cursor).collect();
    let line = site.file.source.line(node.start_position().row).len();
    let added: usize = new.iter().map(|name| name.len() + 2).sum();
    let one_line = node.start_position().row == node.end_position().row;
    let fits = !one_line || line + added <= MAX_LINE;
    (fits && !listed.is_empty()).then_some(listed)
}

/// Returns `import` as a whole statement, if it parses as one.
fn statement(cache: &SyntaxCache, import: &str) -> Option<String> {
    let bare = import.trim().trim_end_matches(';').trim_end();
    let is_statement = bare.starts_with("import ") || bare.starts_with("from ");
    let statement = if is_statement {
        bare.to_owned()
    } else {
        format!("import {bare}")
    };
    let parsed = cache.parse_once(Language::Python, &statement)?;
    let root = parsed.root();
    let only = root.named_child_count() == 1 && !root.has_error();
    let kind = root
        .named_child(0)
        .map(|node| is_import(Family::Python, node));
    (only && kind == Some(true)).then_some(statement)
}

/// Returns what a statement brings in, each as (module, name); without a name for the module
/// itself.
fn names(statement: &str) -> Vec<(String, String)> {
    let lines = statement.lines();
    let bare: Vec<&str> = lines
        .map(|line| line.split_once('#').map_or(line, |(code, _)| code))
        .collect();
    let statement = bare.join(" ");
    if let Some(rest) = statement.strip_prefix("from ") {
        let Some((module, list)) = rest.split_once(" import") else {
            return Vec::new();
        };
        return names_in(list)
            .into_iter()
            .map(|name| (module.trim().to_owned(), name))
            .collect();
    }
    let list = statement.strip_prefix("import ").unwrap_or_default();
    names_in(list)
        .into_iter()
        .map(|module| (module, String::new()))
        .collect()
}

fn names_in(list: &str) -> Vec<String> {
    let bare = list.replace(['(', ')', '\\'], " ");
    let parts = bare
        .split(',')
        .map(|part| part.split_whitespace().collect::<Vec<_>>().join(" "));
    parts.filter(|part| !part.is_empty()).collect()
}
