//! Rust's `use`.

use std::collections::HashMap;

use tree_sitter::Node;

use super::{ImportLookup, Line, ParsedFile, list, top_level};
use crate::edit::plan::tree::is_comment;
use crate::syntax::{Language, SyntaxCache};
use crate::text::Slice;

/// A path that a declaration brings in.
struct Leaf<'t> {
    path: String,
    /// The name that it has in the file.
    name: String,
    declaration: Declaration<'t>,
}

/// A `use` declaration of the file.
#[derive(Clone, Copy)]
struct Declaration<'t> {
    node: Node<'t>,
    public: bool,
    /// True if an attribute says when it counts.
    conditional: bool,
    /// True if any attribute stands above it.
    attributed: bool,
}

/// A group in a declaration: what stands before its braces, and its list.
struct Group<'t> {
    prefix: String,
    list: Node<'t>,
    declaration: Declaration<'t>,
}

/// Looks for every path that `import` names among the file's `use` declarations.
pub(super) fn find(site: &ParsedFile<'_>, import: &str) -> ImportLookup {
    let Some(statement) = statement(site.file.cache, import) else {
        return ImportLookup::NotImport;
    };
    let public = !statement.starts_with("use ");
    let wanted = paths(&statement);
    let (leaves, groups) = declared(site);
    let mut missing = Vec::new();
    for path in &wanted {
        let same = leaves.iter().find(|leaf| leaf.path == *path);
        let name = name_of(path);
        let taken = same.or_else(|| leaves.iter().find(|leaf| leaf.name == name && name != "_"));
        match (same, taken) {
            (Some(leaf), _) if leaf.serves(public) => {}
            (_, Some(leaf)) => return ImportLookup::Taken(taken_by(site, leaf, name)),
            (_, None) => missing.push(path.clone()),
        }
    }
    if missing.is_empty() {
        return ImportLookup::Present;
    }
    let hosts: Vec<Option<(&Group<'_>, String)>> = missing
        .iter()
        .map(|path| host(&groups, path, public))
        .collect();
    if hosts.iter().all(Option::is_some) {
        return extend(site, hosts.into_iter().flatten());
    }
    let text = if missing.len() == wanted.len() {
        statement
    } else {
        let head = statement
            .split_once("use ")
            .map_or(statement.as_str(), |(head, _)| head);
        let lines = missing.iter().map(|path| format!("{head}use {path};"));
        lines.collect::<Vec<_>>().join("\n")
    };
    ImportLookup::line(Line {
        key: key(&text),
        text,
        first: false,
    })
}

/// Returns what a declaration is ordered by: its path.
pub(super) fn key(statement: &str) -> String {
    let path = statement
        .split_once("use ")
        .map_or(statement, |(_, path)| path);
    path.trim_end().trim_end_matches(';').to_owned()
}

impl Leaf<'_> {
    fn serves(&self, public: bool) -> bool {
        !self.declaration.conditional && (self.declaration.public || !public)
    }
}

fn taken_by(site: &ParsedFile<'_>, leaf: &Leaf<'_>, name: &str) -> String {
    let line = site.file.line(leaf.declaration.node.start_byte());
    format!("`{name}` is imported on line {line}, otherwise than asked; use `section`")
}

fn extend<'g>(
    site: &ParsedFile<'_>,
    hosts: impl Iterator<Item = (&'g Group<'g>, String)>,
) -> ImportLookup {
    let mut lists: HashMap<usize, (Node<'g>, Vec<String>)> = HashMap::new();
    for (group, rest) in hosts {
        let list = lists
            .entry(group.list.id())
            .or_insert((group.list, Vec::new()));
        list.1.push(rest);
    }
    let splices = lists.into_values().flat_map(|(node, new)| {
        let mut cursor = node.walk();
        let names: Vec<Node<'_>> = node
            .named_children(&mut cursor)
            .filter(|node| !is_comment(*node))
            .collect();
        list::extend(site.file, &names, &new)
    });
    ImportLookup::within(splices.collect())
}

/// Returns the group that takes a path in, and what of the path stands in it: the group of
/// its own prefix, or one further up that holds paths already.
fn host<'g>(groups: &'g [Group<'g>], path: &str, public: bool) -> Option<(&'g Group<'g>, String)> {
    let fitting = groups.iter().filter_map(|group| {
        let rest = path.strip_prefix(&group.prefix)?;
        let own = !group.declaration.attributed && group.declaration.public == public;
        let mut cursor = group.list.walk();
        let filled = group.list.named_child_count() > 0;
        let deep = group
            .list
            .named_children(&mut cursor)
            .any(|child| child.kind().starts_with("scoped"));
        (own && filled && (deep || !rest.contains("::"))).then_some((group, rest.to_owned()))
    });
    fitting.min_by_key(|(_, rest)| rest.len())
}

/// Returns every path that the file's declarations bring in, and their groups.
fn declared<'t>(site: &'t ParsedFile<'_>) -> (Vec<Leaf<'t>>, Vec<Group<'t>>) {
    let tree = &site.tree;
    let (mut leaves, mut groups) = (Vec::new(), Vec::new());
    let (mut attributed, mut conditional) = (false, false);
    for node in top_level(tree) {
        match node.kind() {
            "attribute_item" => {
                attributed = true;
                conditional |= tree.text(node).contains("cfg");
                continue;
            }
            "use_declaration" => {
                let declaration = Declaration {
                    node,
                    public: tree.text(node).starts_with("pub"),
                    conditional,
                    attributed,
                };
                for path in paths(tree.text(node)) {
                    leaves.push(Leaf {
                        name: name_of(&path).to_owned(),
                        path,
                        declaration,
                    });
                }
                groups_of(site, declaration, &mut groups);
            }
            _ if is_comment(node) => continue,
            _ => {}
        }
        (attributed, conditional) = (false, false);
    }
    (leaves, groups)
}

fn groups_of<'t>(
    site: &'t ParsedFile<'_>,
    declaration: Declaration<'t>,
    groups: &mut Vec<Group<'t>>,
) {
    let mut open = vec![(declaration.node, String::new())];
    while let Some((node, prefix)) = open.pop() {
        let mut cursor = node.walk();
        for child in node.named_children(&mut cursor) {
            match child.kind() {
                "scoped_use_list" => {
                    let own = child.child_by_field_name("path");
                    let own = own.map(|path| site.tree.text(path)).unwrap_or_default();
                    let prefix = format!("{prefix}{}::", squeezed(own));
                    let Some(list) = child.child_by_field_name("list") else {
                        continue;
                    };
                    groups.push(Group {
                        prefix: prefix.clone(),
                        list,
                        declaration,
                    });
                    open.push((list, prefix));
                }
                "use_list" => open.push((child, prefix.clone())),
                _ => {}
            }
        }
    }
}

/// Returns `import` as a whole declaration, if it parses as one.
fn statement(cache: &SyntaxCache, import: &str) -> Option<String> {
    let bare = import.trim().trim_end_matches(';').trim_end();
    let has_use = bare.split_whitespace().any(|word| word == "use");
    let statement = if has_use {
        format!("{bare};")
    } else {
        format!("use {bare};")
    };
    let parsed = cache.parse_once(Language::Rust, &statement)?;
    let root = parsed.root();
    let only = root.named_child_count() == 1 && !root.has_error();
    let kind = root.named_child(0).map(|node| node.kind());
    (only && kind == Some("use_declaration")).then_some(statement)
}

/// Returns the name that a path has in the file.
fn name_of(path: &str) -> &str {
    let last = path.rsplit("::").next().unwrap_or(path);
    match last.split_once(" as ") {
        Some((_, name)) => name.trim(),
        // A glob takes no name.
        None if last == "*" => path,
        None => last,
    }
}

/// Returns the paths that a declaration brings in, groups written out.
fn paths(declaration: &str) -> Vec<String> {
    let tree = match declaration.split_once("use ") {
        Some((_, tree)) => squeezed(tree),
        None => return Vec::new(),
    };
    let mut found = Vec::new();
    let mut open = vec![(String::new(), tree.trim_end_matches(';').trim().to_owned())];
    while let Some((prefix, tree)) = open.pop() {
        let Some((head, group)) = tree.split_once('{') else {
            let path = format!("{prefix}{}", tree.trim());
            let path = path
                .strip_suffix("::self")
                .map_or(path.clone(), str::to_owned);
            found.push(path);
            continue;
        };
        let prefix = format!("{prefix}{}", head.trim());
        let group = group.trim_end().strip_suffix('}').unwrap_or(group);
        let parts = parts(group);
        open.extend(
            parts
                .into_iter()
                .rev()
                .map(|part| (prefix.clone(), part.to_owned())),
        );
    }
    found
}

/// Splits a group at its own commas.
fn parts(group: &str) -> Vec<&str> {
    let (mut depth, mut start) = (0_usize, 0);
    let mut found = Vec::new();
    for (at, c) in group.char_indices().chain([(group.len(), ',')]) {
        match c {
            '{' => depth += 1,
            '}' => depth = depth.saturating_sub(1),
            ',' if depth == 0 => {
                found.push(group.slice(start..at).trim());
                start = at + 1;
            }
            _ => {}
        }
    }
    found.retain(|part| !part.is_empty());
    found
}

/// Returns the text without comments, and with single blanks between words alone.
fn squeezed(text: &str) -> String {
    let lines = text
        .lines()
        .map(|line| line.split_once("//").map_or(line, |(code, _)| code));
    let words: Vec<&str> = lines.flat_map(str::split_whitespace).collect();
    words.join(" ").replace(" ::", "::").replace(":: ", "::")
}
