//! JavaScript's and TypeScript's `import`.

use tree_sitter::Node;

use super::super::symbol;
use super::{ImportLookup, Line, ParsedFile, list, top_level};
use crate::syntax::{Language, Parsed};

/// An import statement in parts.
struct Import<'t> {
    node: Node<'t>,
    module: String,
    /// True for `import type`.
    of_types: bool,
    /// `X` of `import X from`.
    default: Option<String>,
    /// `* as X`.
    namespace: Option<String>,
    names: Vec<Name<'t>>,
    /// What stands between `import` and `from`.
    clause: Option<Node<'t>>,
}

/// One of `{ a, b as c, type d }`.
struct Name<'t> {
    node: Node<'t>,
    /// `a`, `b as c`, `d`.
    text: String,
    /// What it is called in the file.
    local: String,
    of_types: bool,
}

impl Name<'_> {
    /// Returns the name as it stands in the list of an import, which may be of types as a whole.
    fn within(&self, host: &Import<'_>) -> String {
        if self.of_types && !host.of_types {
            format!("type {}", self.text)
        } else {
            self.text.clone()
        }
    }
}

/// Looks for everything that `import` brings in among the file's imports.
pub(super) fn find(site: &ParsedFile<'_>, import: &str) -> ImportLookup {
    let statement = import.trim();
    let Some(parsed) = site.file.cache.parse_once(site.language, statement) else {
        return ImportLookup::NotImport;
    };
    let Some(wanted) = only(&parsed) else {
        return ImportLookup::NotImport;
    };
    let imports: Vec<Import<'_>> = top_level(&site.tree)
        .into_iter()
        .filter(|node| node.kind() == "import_statement")
        .filter_map(|node| Import::of(&site.tree, node))
        .collect();
    let same: Vec<&Import<'_>> = imports
        .iter()
        .filter(|import| import.module == wanted.module)
        .collect();
    let missing: Vec<&Name<'_>> = wanted
        .names
        .iter()
        .filter(|name| !same.iter().any(|import| import.has(name)))
        .collect();
    let serves = |import: &&&Import<'_>| !import.of_types || wanted.of_types;
    let there = |part: for<'i> fn(&'i Import<'_>) -> &'i Option<String>| {
        part(&wanted).is_none() || same.iter().filter(serves).any(|i| part(i) == part(&wanted))
    };
    let default = there(|import| &import.default);
    let namespace = there(|import| &import.namespace);
    let bare = wanted.clause.is_none() && same.iter().filter(serves).count() == 0;
    if default && namespace && missing.is_empty() && !bare {
        return ImportLookup::Present;
    }
    if imports.is_empty() && is_common(site) {
        let path = site.file.path;
        return ImportLookup::Taken(format!(
            "{path} is a CommonJS module, in which an `import` does not run; write the `require` with `section`"
        ));
    }
    let mut new: Vec<&str> = missing.iter().map(|name| name.local.as_str()).collect();
    new.extend(wanted.default.as_deref().filter(|_| !default));
    new.extend(wanted.namespace.as_deref().filter(|_| !namespace));
    if let Some(taken) = taken(site, &imports, &new) {
        return ImportLookup::Taken(taken);
    }
    let whole = default && namespace;
    extended(
        site,
        &same,
        &missing,
        wanted.default.as_deref().filter(|_| !default),
    )
    .filter(|_| namespace && (whole || wanted.default.is_some()))
    .unwrap_or_else(|| {
        let text = in_style(site, &imports, &wanted, &missing, default, statement);
        ImportLookup::line(Line {
            key: key(&text),
            text,
            first: false,
        })
    })
}

/// Returns whether a file of JavaScript asks for modules with `require` or gives itself with `exports`, and
/// has neither `import` nor `export`.
fn is_common(site: &ParsedFile<'_>) -> bool {
    if site.language != Language::JavaScript {
        return false;
    }
    let own = top_level(&site.tree);
    let named = site.file.path.as_str().ends_with(".cjs");
    named
        || !own
            .iter()
            .any(|node| matches!(node.kind(), "import_statement" | "export_statement"))
            && own.iter().any(|node| asks_or_gives(&site.tree, *node))
}

/// Returns whether a statement is `const a = require("a")`, `module.exports = a` or the like.
fn asks_or_gives(tree: &Parsed<'_>, statement: Node<'_>) -> bool {
    let text = tree.text(statement);
    if statement.kind() == "expression_statement" {
        return text.starts_with("module.exports") || text.starts_with("exports.");
    }
    let mut cursor = statement.walk();
    let mut values = statement
        .named_children(&mut cursor)
        .filter_map(|declarator| declarator.child_by_field_name("value"));
    values.any(|mut value| {
        while let Some(inner) = value.child_by_field_name("object") {
            value = inner;
        }
        let called = value.child_by_field_name("function");
        called.is_some_and(|called| tree.text(called) == "require")
    })
}

/// Returns what a statement is ordered by: its module.
pub(super) fn key(statement: &str) -> String {
    let bare = statement.trim_end().trim_end_matches(';');
    let quoted = bare.split(['"', '\'']).rev().nth(1);
    quoted.unwrap_or(bare).to_owned()
}

/// Puts names and a default import into imports of the same module that take them.
fn extended(
    site: &ParsedFile<'_>,
    same: &[&Import<'_>],
    missing: &[&Name<'_>],
    default: Option<&str>,
) -> Option<ImportLookup> {
    let all_types = missing.iter().all(|name| name.of_types) && !missing.is_empty();
    let same: Vec<&Import<'_>> = same
        .iter()
        .copied()
        .filter(|import| import.clause.is_some() && import.namespace.is_none())
        .collect();
    let plain = same.iter().find(|import| !import.of_types);
    if let Some(name) = default {
        let host = plain.filter(|import| import.default.is_none() && missing.is_empty())?;
        let at = host.clause?.start_byte();
        return Some(ImportLookup::within(vec![
            site.file.splice(at..at, format!("{name}, ")),
        ]));
    }
    let mut listing = same.iter().filter(|import| !import.names.is_empty());
    let typed = listing.clone().find(|import| import.of_types);
    let untyped = listing.find(|import| !import.of_types);
    let inline = |import: &&&Import<'_>| !all_types || import.names.iter().any(|n| n.of_types);
    if let Some(host) = typed.filter(|_| all_types).or(untyped.filter(inline)) {
        let nodes: Vec<Node<'_>> = host.names.iter().map(|name| name.node).collect();
        let new: Vec<String> = missing.iter().map(|name| name.within(host)).collect();
        return Some(ImportLookup::within(list::extend(site.file, &nodes, &new)));
    }
    let host =
        plain.filter(|import| import.names.is_empty() && import.default.is_some() && !all_types)?;
    let at = host.clause?.end_byte();
    let ends_in_names = site
        .file
        .text
        .get(..at)
        .is_some_and(|text| text.ends_with('}'));
    let names: Vec<&str> = missing.iter().map(|name| name.text.as_str()).collect();
    let new = format!(", {{ {} }}", names.join(", "));
    (!ends_in_names).then(|| ImportLookup::within(vec![site.file.splice(at..at, new)]))
}

/// Returns why one of the names is not free in the file.
fn taken(site: &ParsedFile<'_>, imports: &[Import<'_>], new: &[&str]) -> Option<String> {
    for import in imports {
        let names = import.names.iter().map(|name| name.local.as_str());
        let mut all = names
            .chain(import.default.as_deref())
            .chain(import.namespace.as_deref());
        if let Some(name) = all.find(|name| new.contains(name)) {
            let how = "imported otherwise than asked";
            return Some(taken_name(site, name, how, import.node.start_byte()));
        }
    }
    let items = symbol::items(site.language, &site.tree);
    let own = items
        .iter()
        .find(|item| item.path.is_empty() && new.contains(&item.name.as_str()));
    own.map(|item| taken_name(site, &item.name, "declared", item.node.start_byte()))
}

fn taken_name(site: &ParsedFile<'_>, name: &str, what: &str, at: usize) -> String {
    let line = site.file.line(at);
    format!("`{name}` is {what} on line {line}; use `section` or another name")
}

/// Returns the statement with the quotes and the end that the file's own imports have, and
/// without what is there already.
fn in_style(
    site: &ParsedFile<'_>,
    imports: &[Import<'_>],
    wanted: &Import<'_>,
    missing: &[&Name<'_>],
    has_default: bool,
    statement: &str,
) -> String {
    let mut text = statement.trim_end_matches(';').trim_end().to_owned();
    if missing.len() < wanted.names.len() || (has_default && wanted.default.is_some()) {
        text = rest(wanted, missing, has_default);
    }
    let sample = imports.iter().map(|import| site.tree.text(import.node));
    let sample: Vec<&str> = sample.collect();
    let (single, double) = (lines_with(&sample, '\''), lines_with(&sample, '"'));
    if single > double {
        text = swap_quotes(&text, '"', '\'');
    } else if double > single {
        text = swap_quotes(&text, '\'', '"');
    }
    let closed = sample.iter().filter(|text| text.ends_with(';')).count();
    let closes = if sample.is_empty() {
        statement.ends_with(';')
    } else {
        closed * 2 > sample.len()
    };
    if closes { format!("{text};") } else { text }
}

fn lines_with(sample: &[&str], mark: char) -> usize {
    sample.iter().filter(|text| text.contains(mark)).count()
}

fn swap_quotes(text: &str, from: char, to: char) -> String {
    if text.contains(to) {
        text.to_owned()
    } else {
        text.replace(from, &to.to_string())
    }
}

fn rest(wanted: &Import<'_>, missing: &[&Name<'_>], has_default: bool) -> String {
    let names: Vec<String> = missing
        .iter()
        .map(|name| {
            if name.of_types && !wanted.of_types {
                format!("type {}", name.text)
            } else {
                name.text.clone()
            }
        })
        .collect();
    let default = wanted.default.clone().filter(|_| !has_default);
    let namespace = wanted.namespace.as_ref().map(|name| format!("* as {name}"));
    let listed = (!names.is_empty()).then(|| format!("{{ {} }}", names.join(", ")));
    let parts: Vec<String> = [default, namespace, listed].into_iter().flatten().collect();
    let kind = if wanted.of_types { "type " } else { "" };
    format!("import {kind}{} from '{}'", parts.join(", "), wanted.module)
}

/// Returns the one import that a text is.
fn only<'t>(parsed: &'t Parsed<'_>) -> Option<Import<'t>> {
    let root = parsed.root();
    let node = root.named_child(0)?;
    let only = root.named_child_count() == 1 && !root.has_error();
    (only && node.kind() == "import_statement").then_some(())?;
    Import::of(parsed, node)
}

impl<'t> Import<'t> {
    fn of(tree: &'t Parsed<'_>, node: Node<'t>) -> Option<Self> {
        let source = node.child_by_field_name("source")?;
        let text = tree.text(node);
        let kind = text.strip_prefix("import").unwrap_or_default().trim_start();
        let mut cursor = node.walk();
        let clause = node
            .children(&mut cursor)
            .find(|node| node.kind() == "import_clause");
        let mut import = Self {
            node,
            module: tree.text(source).trim_matches(['"', '\'']).to_owned(),
            of_types: kind.starts_with("type ") && !kind.starts_with("type from"),
            default: None,
            namespace: None,
            names: Vec::new(),
            clause,
        };
        let Some(clause) = clause else {
            return Some(import);
        };
        let mut cursor = clause.walk();
        for part in clause.named_children(&mut cursor) {
            match part.kind() {
                "identifier" => import.default = Some(tree.text(part).to_owned()),
                "namespace_import" => {
                    let name = part.named_child(0).map(|name| tree.text(name));
                    import.namespace = name.map(str::to_owned);
                }
                "named_imports" => import.read_names(tree, part),
                _ => {}
            }
        }
        Some(import)
    }

    fn read_names(&mut self, tree: &Parsed<'_>, list: Node<'t>) {
        let mut cursor = list.walk();
        for node in list.named_children(&mut cursor) {
            if node.kind() != "import_specifier" {
                continue;
            }
            let text = tree.text(node);
            let bare = text
                .strip_prefix("type ")
                .filter(|rest| !rest.starts_with("as "));
            let bare_text = bare.unwrap_or(text).trim();
            let local = bare_text.rsplit(" as ").next().unwrap_or(bare_text).trim();
            self.names.push(Name {
                node,
                text: bare_text.to_owned(),
                local: local.to_owned(),
                of_types: self.of_types || bare.is_some(),
            });
        }
    }

    /// Returns whether the import has the name; one that is a value serves as a type too.
    fn has(&self, wanted: &Name<'_>) -> bool {
        self.names
            .iter()
            .any(|name| name.text == wanted.text && (wanted.of_types || !name.of_types))
    }
}
