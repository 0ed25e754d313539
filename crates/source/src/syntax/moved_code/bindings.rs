//! Bindings at the top of a file: imports with what they are of, and what is defined.
//!
//! In: a tree and the path of its file. Out: [`Bindings`]. What is not understood counts as defined, so that nothing that
//! uses the name is proved.

use std::collections::{BTreeMap, BTreeSet};

use tree_sitter::Node;

use crate::syntax::Parsed;
use crate::text::Slice;

/// What names mean at the top of a file.
#[derive(Default)]
pub(super) struct Bindings {
    /// What each imported name is of: module and name, or path.
    pub(super) imports: BTreeMap<String, String>,
    /// Names that are defined or assigned to.
    pub(super) defined: BTreeSet<String>,
    /// Names that occur anywhere.
    pub(super) used: BTreeSet<String>,
    /// Imports of all names, as they are written.
    pub(super) globs: BTreeSet<String>,
    /// Directives, `__future__` imports and inner attributes, as they are written.
    pub(super) prologue: BTreeSet<String>,
    /// Where statements stand that run when the file is read.
    pub(super) runs: Vec<usize>,
}

impl Bindings {
    pub(super) fn of(parsed: &Parsed<'_>, path: &str) -> Self {
        let folder = path.rsplit_once('/').map_or("", |(folder, _)| folder);
        let mut bindings = Self::default();
        let mut cursor = parsed.root().walk();
        let statements: Vec<Node<'_>> = parsed.root().named_children(&mut cursor).collect();
        let mut is_prologue = true;
        for node in statements {
            let text = parsed.text(node);
            let is_directive = is_prologue
                && node.kind() == "expression_statement"
                && text.starts_with(['"', '\''])
                && node
                    .named_child(0)
                    .is_some_and(|child| child.kind() == "string");
            is_prologue &= is_directive || node.is_extra();
            match node.kind() {
                "use_declaration" => bindings.rust_use(parsed, node),
                "import_from_statement" | "import_statement" if is_python(parsed) => {
                    bindings.python_import(parsed, node, folder);
                }
                "import_statement" => bindings.script_import(parsed, node, folder),
                "future_import_statement" | "inner_attribute_item" => {
                    bindings.prologue.insert(text.to_owned());
                }
                // Python's first string documents its module.
                "expression_statement" if is_directive && !is_python(parsed) => {
                    bindings
                        .prologue
                        .insert(text.trim_end_matches(';').to_owned());
                }
                _ => bindings.definition(parsed, node, is_directive),
            }
        }
        parsed.walk(|node| {
            if node.child_count() == 0 && node.kind().ends_with("identifier") {
                bindings.used.insert(parsed.text(node).to_owned());
            }
        });
        bindings
    }

    pub(super) fn binds(&self, name: &String) -> bool {
        self.imports.contains_key(name) || self.defined.contains(name)
    }

    fn import(&mut self, name: &str, of: String) {
        // Of two imports of a name the later one may hold.
        if self.imports.insert(name.to_owned(), of).is_some() {
            self.defined.insert(name.to_owned());
        }
    }

    fn definition(&mut self, parsed: &Parsed<'_>, node: Node<'_>, is_text: bool) {
        let quiet = [
            "function_definition",
            "class_definition",
            "function_declaration",
            "generator_function_declaration",
            "class_declaration",
            "abstract_class_declaration",
            "interface_declaration",
            "type_alias_declaration",
            "enum_declaration",
            "comment",
        ];
        let is_quiet = node.is_extra()
            || is_text
            || node.kind().ends_with("_item")
            || quiet.contains(&node.kind())
            || matches!(node.kind(), "export_statement" | "lexical_declaration")
                && !has_call(parsed, node)
            || node.kind() == "expression_statement"
                && is_python(parsed)
                && !has_call(parsed, node);
        if !is_quiet {
            self.runs.push(node.start_byte());
        }
        let mut bound = BTreeSet::new();
        let within = node.byte_range();
        parsed.walk_into(|leaf, above| {
            if leaf.end_byte() <= within.start || leaf.start_byte() >= within.end {
                return false;
            }
            let parent = above.last();
            let is_body = parent.is_some_and(|parent| {
                parent
                    .child_by_field_name("body")
                    .is_some_and(|body| body.id() == leaf.id())
                    && parent.child_by_field_name("name").is_some()
            });
            if is_body {
                return false;
            }
            let names = ["name", "left", "alias", "pattern", "declarator"];
            let is_bound = parent.is_some_and(|parent| {
                names.iter().any(|field| {
                    parent.child_by_field_name(field).is_some_and(|own| {
                        own.start_byte() <= leaf.start_byte() && leaf.end_byte() <= own.end_byte()
                    })
                })
            });
            let is_in_pattern = above.iter().any(|step| {
                step.kind().contains("pattern")
                    || step.kind().contains("tuple")
                    || step.kind() == "use_declaration"
            });
            if leaf.child_count() == 0
                && leaf.kind().contains("identifier")
                && (is_bound || is_in_pattern)
            {
                bound.insert(parsed.text(leaf).to_owned());
            }
            true
        });
        self.defined.append(&mut bound);
    }

    fn python_import(&mut self, parsed: &Parsed<'_>, node: Node<'_>, folder: &str) {
        let module = node
            .child_by_field_name("module_name")
            .map(|node| parsed.text(node));
        let text = parsed.text(node);
        if text.trim_end().ends_with('*') {
            self.globs.insert(text.to_owned());
            return;
        }
        let mut cursor = node.walk();
        let names: Vec<Node<'_>> = node.children_by_field_name("name", &mut cursor).collect();
        for name in names {
            let item = name.child_by_field_name("name").unwrap_or(name);
            let item = parsed.text(item);
            let alias = name
                .child_by_field_name("alias")
                .map(|node| parsed.text(node));
            let module = module.unwrap_or("");
            // What a relative module is depends on the package.
            let place = if module.starts_with('.') { folder } else { "" };
            let local = alias.unwrap_or_else(|| item.split('.').next().unwrap_or(item));
            self.import(
                local,
                format!("{place} {module} {item} {}", alias.is_some()),
            );
        }
    }

    fn script_import(&mut self, parsed: &Parsed<'_>, node: Node<'_>, folder: &str) {
        let source = node
            .child_by_field_name("source")
            .map(|node| parsed.text(node))
            .unwrap_or("")
            .trim_matches(['"', '\'']);
        let from = if source.starts_with('.') {
            joined(folder, source)
        } else {
            source.to_owned()
        };
        let is_type = parsed.text(node).starts_with("import type");
        let text = |node: Node<'_>| parsed.text(node);
        let within = node.byte_range();
        let mut found: Vec<(String, String)> = Vec::new();
        parsed.walk_into(|own, above| {
            if own.end_byte() <= within.start || own.start_byte() >= within.end {
                return false;
            }
            let parent = above.last().map_or("", |parent| parent.kind());
            match own.kind() {
                "import_specifier" => {
                    let name = own.child_by_field_name("name").map(text).unwrap_or("");
                    let alias = own.child_by_field_name("alias").map_or(name, text);
                    found.push((alias.to_owned(), name.to_owned()));
                    false
                }
                "namespace_import" => {
                    let local = own.named_child(0).map(text).unwrap_or("");
                    found.push((local.to_owned(), "*".to_owned()));
                    false
                }
                "identifier" if parent == "import_clause" => {
                    found.push((text(own).to_owned(), "default".to_owned()));
                    false
                }
                "identifier" => {
                    // `import a = require("b")`
                    found.push((text(own).to_owned(), text(node).to_owned()));
                    false
                }
                _ => true,
            }
        });
        for (local, name) in found {
            self.import(&local, format!("{from} {name} {is_type}"));
        }
    }

    fn rust_use(&mut self, parsed: &Parsed<'_>, node: Node<'_>) {
        if let Some(tree) = node.child_by_field_name("argument") {
            self.use_tree(parsed, tree, "");
        }
    }

    fn use_tree(&mut self, parsed: &Parsed<'_>, tree: Node<'_>, before: &str) {
        let text = parsed.text(tree);
        match tree.kind() {
            "use_wildcard" => {
                self.globs.insert(under(before, text));
            }
            "use_as_clause" => {
                let path = tree
                    .child_by_field_name("path")
                    .map_or("", |node| parsed.text(node));
                let alias = tree
                    .child_by_field_name("alias")
                    .map_or("", |node| parsed.text(node));
                self.import(alias, under(before, path));
            }
            "scoped_use_list" => {
                let path = tree
                    .child_by_field_name("path")
                    .map_or("", |node| parsed.text(node));
                if let Some(list) = tree.child_by_field_name("list") {
                    self.use_tree(parsed, list, &under(before, path));
                }
            }
            "use_list" => {
                let mut cursor = tree.walk();
                let items: Vec<Node<'_>> = tree.named_children(&mut cursor).collect();
                for item in items {
                    self.use_tree(parsed, item, before);
                }
            }
            "self" => self.import(&last_part(before), before.to_owned()),
            _ => {
                let path = under(before, text);
                // Relative to a module that may be another one.
                let relative = ["self", "super"].iter().any(|head| path.starts_with(head));
                if relative {
                    self.defined.insert(last_part(text));
                }
                self.import(&last_part(text), path);
            }
        }
    }
}

fn under(before: &str, path: &str) -> String {
    if before.is_empty() {
        path.to_owned()
    } else {
        format!("{before}::{path}")
    }
}

fn last_part(path: &str) -> String {
    path.rsplit("::").next().unwrap_or(path).trim().to_owned()
}

fn is_python(parsed: &Parsed<'_>) -> bool {
    parsed.root().kind() == "module"
}

fn has_call(parsed: &Parsed<'_>, node: Node<'_>) -> bool {
    let mut found = false;
    super::outside_bodies(parsed, node, |own| {
        found |= matches!(
            own.kind(),
            "call" | "call_expression" | "new_expression" | "await_expression" | "await"
        );
    });
    found
}

/// Joins a relative path of a module with the folder of its file.
fn joined(folder: &str, source: &str) -> String {
    let mut parts: Vec<&str> = folder.split('/').filter(|part| !part.is_empty()).collect();
    for part in source.split('/') {
        match part {
            "." | "" => {}
            ".." => match parts.last() {
                Some(last) if *last != ".." => {
                    parts.pop();
                }
                _ => parts.push(".."),
            },
            name => parts.push(name),
        }
    }
    let path = parts.join("/");
    let stem = [".js", ".ts", ".tsx", ".jsx"]
        .iter()
        .find_map(|end| path.strip_suffix(end));
    format!("./{}", stem.unwrap_or(path.slice(..)))
}
