//! Import resolution: the module that a name comes from.
//!
//! In: a file, its tree, and the files that are renamed with it. Out: for an occurrence of the name
//! the files that could define it, going by the path in the import alone. What cannot be told from
//! that, such as a package, a path alias or a glob, has none, and is not renamed.

use tree_sitter::Node;

use super::modules::is_root;
use super::{Family, File, rust};
use crate::edit::plan::tree::TreeStep;
use crate::edit::request::CrateRoot;
use crate::syntax::Parsed;
use crate::word::{is_identifier, is_identifier_part};

/// What scripts are called, without the dot.
const SCRIPTS: [&str; 8] = ["ts", "tsx", "js", "jsx", "mts", "cts", "mjs", "cjs"];

/// Where a name comes from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct ImportOrigin {
    /// The module, as it is written.
    pub(super) module: String,
    /// The paths that the module's file may have.
    pub(super) files: Vec<String>,
}

/// How an occurrence of the name refers to another file.
pub(super) enum Reference {
    /// An import, which binds the name here.
    Binds(ImportOrigin),
    /// An item of the other file under its own name: `module.name`, `import { name as x }`.
    Names(ImportOrigin),
    /// As `NameUses`, and the name is exported from here too: `export { name } from`.
    PassesOn(ImportOrigin),
}

/// The modules that a file has names for.
pub(super) struct Imports<'a> {
    path: &'a str,
    family: Family,
    /// By the qualifier of `name`: `module` or `package.module`.
    modules: Vec<(String, ImportOrigin)>,
    /// Child modules of Rust that are in files of their own.
    declared: Vec<String>,
    /// Modules whose names Rust's `use super::*` and `use crate::a::*` bring in.
    globs: Vec<ImportOrigin>,
    crates: &'a [CrateRoot],
}

impl ImportOrigin {
    /// Returns whether one of these files, and one only, is meant.
    pub(super) fn is_one_of(&self, files: &[String]) -> bool {
        let named = files.iter().filter(|file| self.files.contains(file));
        named.count() == 1
    }
}

impl<'a> Imports<'a> {
    /// Notes the modules that the statements at the top of a file import.
    pub(super) fn of(
        file: File<'a>,
        family: Family,
        tree: &Parsed<'_>,
        crates: &'a [CrateRoot],
    ) -> Self {
        let mut imports = Self {
            path: file.path.as_str(),
            family,
            modules: Vec::new(),
            declared: Vec::new(),
            globs: Vec::new(),
            crates,
        };
        // A module whose file is named by an attribute is not looked for.
        let is_plain = !file.text.contains("#[path");
        let mut cursor = tree.root().walk();
        let statements: Vec<Node<'_>> = tree.root().named_children(&mut cursor).collect();
        for node in &statements {
            let name = node.child_by_field_name("name").map(|name| tree.text(name));
            let is_file = node.kind() == "mod_item" && node.child_by_field_name("body").is_none();
            if is_file && is_plain {
                imports.declared.extend(name.map(str::to_owned));
            }
        }
        for node in statements {
            imports.note(tree, node);
        }
        imports
    }

    fn note(&mut self, tree: &Parsed<'_>, node: Node<'_>) {
        let mut cursor = node.walk();
        match node.kind() {
            "use_declaration" => {
                let path = tree.text(node).trim_end_matches(';');
                let path = path
                    .split_once("use ")
                    .map_or(path, |(_, path)| path)
                    .trim();
                if let Some(around) = path.strip_suffix("::*") {
                    let origin = self.rust(around, &[]);
                    return self.globs.push(origin);
                }
                // Lists of modules are not followed.
                let (path, alias) = path.split_once(" as ").unwrap_or((path, ""));
                let local = path.rsplit_once("::").map_or(path, |(_, last)| last);
                let local = if alias.is_empty() {
                    local
                } else {
                    alias.trim()
                };
                let origin = self.rust(path.trim(), &[]);
                self.modules.push((local.to_owned(), origin));
            }
            "import_statement" if self.family == Family::Python => {
                for name in node.children_by_field_name("name", &mut cursor) {
                    let module = name.child_by_field_name("name").unwrap_or(name);
                    let local = name.child_by_field_name("alias").unwrap_or(name);
                    let origin = self.python(tree.text(module));
                    self.modules.push((owned_text(tree, local), origin));
                }
            }
            "import_from_statement" => {
                let from = node
                    .child_by_field_name("module_name")
                    .map(|node| owned_text(tree, node))
                    .unwrap_or_default();
                let dot = if from.ends_with('.') { "" } else { "." };
                for name in node.children_by_field_name("name", &mut cursor) {
                    let item = name.child_by_field_name("name").unwrap_or(name);
                    let local = name.child_by_field_name("alias").unwrap_or(name);
                    let origin = self.python(&format!("{from}{dot}{}", tree.text(item)));
                    self.modules.push((owned_text(tree, local), origin));
                }
            }
            "import_statement" => {
                let mut clauses = node.named_children(&mut cursor);
                let clause = clauses.find(|clause| clause.kind() == "import_clause");
                let space = clause.and_then(|clause| clause.named_child(0));
                let space = space.filter(|space| space.kind() == "namespace_import");
                let local = space.and_then(|space| space.named_child(0));
                if let (Some(local), Some(origin)) = (local, self.source_of(tree, node)) {
                    self.modules.push((owned_text(tree, local), origin));
                }
            }
            _ => {}
        }
    }

    /// Takes the modules whose names are all brought in. If one of them is not known, a name may be of
    /// that, unless a module around this one has it, whose private names are seen too.
    pub(super) fn into_globs(self) -> Vec<ImportOrigin> {
        let all_known = self.globs.iter().all(|origin| !origin.files.is_empty());
        let mut globs = self.globs;
        globs.retain(|origin| all_known || origin.module.split("::").all(|part| part == "super"));
        globs
    }

    /// Tells how an occurrence of a name refers to another file, if it does; `is_sole` tells
    /// whether a name is bound in one place of the file, at its top.
    pub(super) fn reference(
        &self,
        tree: &Parsed<'_>,
        text: &str,
        leaf: TreeStep<'_>,
        above: &[TreeStep<'_>],
        is_sole: impl FnOnce(&str) -> bool,
    ) -> Option<Reference> {
        let statement = match self.family {
            Family::Rust => self.in_use(tree, leaf, above),
            Family::Python => self.in_import(tree, leaf, above),
            Family::Script => self.in_module(tree, leaf, above),
        };
        statement.or_else(|| {
            let before = text.get(..leaf.node.start_byte())?;
            if self.family == Family::Rust {
                let path = chain(before, "::")?;
                return Some(Reference::Names(
                    self.rust(path, above_modules(tree, above).as_slice()),
                ));
            }
            let name = chain(before, ".")?;
            let (_, origin) = self.modules.iter().find(|(local, _)| local == name)?;
            let first = name.split('.').next()?;
            is_sole(first).then(|| Reference::Names(origin.clone()))
        })
    }

    fn in_use(
        &self,
        tree: &Parsed<'_>,
        leaf: TreeStep<'_>,
        above: &[TreeStep<'_>],
    ) -> Option<Reference> {
        let depth = above
            .iter()
            .rposition(|step| step.kind() == "use_declaration")?;
        let within = above.get(depth + 1..)?;
        let renamed = kind_above(within, 0) == Some("use_as_clause")
            || kind_above(within, 1) == Some("use_as_clause");
        let is_last = leaf.field.is_none() || leaf.is("name") || leaf.is("argument");
        let is_part = within.iter().any(|step| step.is("path")) && !renamed;
        if is_part || leaf.is("alias") || (!is_last && !renamed) {
            return None;
        }
        let path = rust::source(tree, leaf, within).unwrap_or_default();
        let origin = self.rust(&path, above_modules(tree, above).as_slice());
        Some(if renamed {
            Reference::Names(origin)
        } else {
            Reference::Binds(origin)
        })
    }

    fn in_import(
        &self,
        tree: &Parsed<'_>,
        leaf: TreeStep<'_>,
        above: &[TreeStep<'_>],
    ) -> Option<Reference> {
        let (name, above) = above
            .split_last()
            .filter(|(name, _)| name.kind() == "dotted_name")?;
        let (owner, above) = above.split_last()?;
        let is_first = name.node.start_byte() == leaf.node.start_byte();
        let (statement, is_aliased) = match owner.kind() {
            "aliased_import" => (above.last()?, true),
            _ => (owner, false),
        };
        match statement.kind() {
            "import_from_statement" if name.is("name") => {
                let module = statement.node.child_by_field_name("module_name")?;
                let origin = self.python(tree.text(module));
                Some(if is_aliased {
                    Reference::Names(origin)
                } else {
                    Reference::Binds(origin)
                })
            }
            "import_statement" if is_first && !is_aliased => Some(Reference::Binds(ImportOrigin {
                module: tree.text(name.node).to_owned(),
                files: Vec::new(),
            })),
            _ => None,
        }
    }

    fn in_module(
        &self,
        tree: &Parsed<'_>,
        leaf: TreeStep<'_>,
        above: &[TreeStep<'_>],
    ) -> Option<Reference> {
        let parent = above.last()?;
        let is_aliased = parent.node.child_by_field_name("alias").is_some();
        match parent.kind() {
            "import_specifier" if leaf.is("name") => {
                let origin = self.source_of(tree, statement(above, "import_statement")?.node)?;
                Some(if is_aliased {
                    Reference::Names(origin)
                } else {
                    Reference::Binds(origin)
                })
            }
            "export_specifier" if leaf.is("name") => {
                let origin = self.source_of(tree, statement(above, "export_statement")?.node)?;
                Some(if is_aliased {
                    Reference::Names(origin)
                } else {
                    Reference::PassesOn(origin)
                })
            }
            // `const { name } = require('module')` imports a key, which stays.
            _ if leaf.kind() == "shorthand_property_identifier_pattern" => {
                let value = statement(above, "variable_declarator")?.node;
                let value = tree
                    .text(value.child_by_field_name("value")?)
                    .trim_start_matches("await ");
                let loads = value.starts_with("require(") || value.starts_with("import(");
                loads.then(|| {
                    Reference::Binds(ImportOrigin {
                        module: value.to_owned(),
                        files: Vec::new(),
                    })
                })
            }
            _ => None,
        }
    }

    /// Returns where a statement of a script imports from.
    fn source_of(&self, tree: &Parsed<'_>, statement: Node<'_>) -> Option<ImportOrigin> {
        let source = statement.child_by_field_name("source")?;
        let module = tree.text(source).trim_matches(['"', '\'']).to_owned();
        let mut files = Vec::new();
        if module.starts_with("./") || module.starts_with("../") {
            let base = joined(folder(self.path), &module)?;
            files.push(base.clone());
            let (stem, ending) = base.rsplit_once('.').unwrap_or((&base, ""));
            let written = SCRIPTS.contains(&ending).then_some(stem);
            for stem in written.into_iter().chain([base.as_str()]) {
                files.extend(SCRIPTS.iter().map(|ending| format!("{stem}.{ending}")));
            }
            files.extend(
                SCRIPTS
                    .iter()
                    .map(|ending| format!("{base}/index.{ending}")),
            );
            files.sort_unstable();
            files.dedup();
        }
        Some(ImportOrigin { module, files })
    }

    /// Returns where a module of Python is: beside the file for a relative one, else below a folder
    /// that the file is in, or below `src`.
    fn python(&self, module: &str) -> ImportOrigin {
        let name = module.trim_start_matches('.');
        let level = module.len() - name.len();
        let own = folder(self.path);
        let above = |count: usize| {
            let mut folders = std::iter::successors(Some(own), |inner| {
                (!inner.is_empty()).then(|| folder(inner))
            });
            folders.nth(count)
        };
        let mut roots: Vec<&str> = match level {
            0 => (0..).map_while(above).chain(["src"]).collect(),
            _ => above(level - 1).into_iter().collect(),
        };
        roots.sort_unstable();
        roots.dedup();
        let inner = name.replace('.', "/");
        let path = |root: &&str| {
            [*root, inner.as_str()]
                .iter()
                .filter(|part| !part.is_empty())
                .copied()
                .collect::<Vec<_>>()
                .join("/")
        };
        let stems = roots.iter().map(path);
        let files = stems.flat_map(|stem| [format!("{stem}.py"), format!("{stem}/__init__.py")]);
        ImportOrigin {
            module: module.to_owned(),
            files: files.collect(),
        }
    }

    /// Returns where a module of Rust is, by the path before a name; `inline` are the modules within
    /// the file that the path stands in.
    fn rust(&self, path: &str, inline: &[String]) -> ImportOrigin {
        let files = self.rust_module(path, inline).map(|(root, module)| {
            let stem = [vec![root.clone()], module.clone()]
                .concat()
                .into_iter()
                .filter(|part| !part.is_empty())
                .collect::<Vec<_>>()
                .join("/");
            match module.is_empty() {
                true if is_root(self.path) && root == folder(self.path) => {
                    vec![self.path.to_owned()]
                }
                true => ["lib.rs", "main.rs"]
                    .map(|name| below(&root, name))
                    .to_vec(),
                false => vec![format!("{stem}.rs"), format!("{stem}/mod.rs")],
            }
        });
        ImportOrigin {
            module: path.to_owned(),
            files: files.unwrap_or_default(),
        }
    }

    /// Returns the folder of the crate, and the module in it.
    fn rust_module(&self, path: &str, inline: &[String]) -> Option<(String, Vec<String>)> {
        let (mut root, own) = own_module(self.path)?;
        let here = || [own.clone(), inline.to_vec()].concat();
        let mut parts = path.split("::").map(str::trim);
        let first = parts.next()?;
        let mut module = match first {
            "crate" | "$crate" => Vec::new(),
            "self" => here(),
            "super" => {
                let mut module = here();
                module.pop()?;
                module
            }
            name if inline.is_empty() && self.declared.iter().any(|known| known == name) => {
                [own, vec![name.to_owned()]].concat()
            }
            name if self.crates.iter().any(|one| one.name == name) => {
                let named = self.crates.iter().find(|one| one.name == name)?;
                root.clone_from(&named.sources);
                Vec::new()
            }
            name if inline.is_empty() => {
                // An import of the module itself, told by its path.
                let (_, known) = self.modules.iter().find(|(local, _)| local == name)?;
                let is_own = known.module != name && !known.files.is_empty();
                let known = is_own.then_some(&known.module)?;
                let (outer, module) = self.item(known)?;
                root = outer;
                module
            }
            _ => return None,
        };
        for part in parts {
            match part {
                "super" => drop(module.pop()?),
                name if is_identifier(name) => module.push(name.to_owned()),
                _ => return None,
            }
        }
        Some((root, module))
    }

    /// Returns the crate and module that the whole path of an import names.
    fn item(&self, path: &str) -> Option<(String, Vec<String>)> {
        let first = path.split("::").next()?;
        let is_plain = matches!(first, "crate" | "$crate" | "self" | "super")
            || self.declared.iter().any(|known| known == first)
            || self.crates.iter().any(|known| known.name == first);
        is_plain.then(|| self.rust_module(path, &[]))?
    }
}

fn statement<'s, 't>(above: &'s [TreeStep<'t>], kind: &str) -> Option<&'s TreeStep<'t>> {
    above.iter().rev().find(|step| step.kind() == kind)
}

fn kind_above<'t>(within: &[TreeStep<'t>], back: usize) -> Option<&'t str> {
    within.iter().rev().nth(back).map(TreeStep::kind)
}

fn owned_text(tree: &Parsed<'_>, node: Node<'_>) -> String {
    tree.text(node).to_owned()
}

/// Returns the folder of the crate that a file is in, and the path of its module there.
fn own_module(path: &str) -> Option<(String, Vec<String>)> {
    let mut parts: Vec<&str> = path.split('/').collect();
    let name = parts.pop()?.strip_suffix(".rs")?;
    let source = parts.iter().rposition(|part| *part == "src");
    let start = source.map_or(parts.len(), |at| at + 1);
    let (root, inner) = (parts.get(..start)?.join("/"), parts.get(start..)?);
    let mut module: Vec<String> = inner.iter().map(|part| (*part).to_owned()).collect();
    match name {
        _ if is_root(path) => return Some((folder(path).to_owned(), Vec::new())),
        "mod" => {}
        name => module.push(name.to_owned()),
    }
    Some((root, module))
}

/// Returns the names of the modules within the file that a place is in, outermost first.
fn above_modules(tree: &Parsed<'_>, above: &[TreeStep<'_>]) -> Vec<String> {
    let modules = above.iter().filter(|step| step.kind() == "mod_item");
    let names = modules.filter_map(|step| step.node.child_by_field_name("name"));
    names.map(|name| tree.text(name).to_owned()).collect()
}

/// Returns the names before a place, with `sign` between them and before it: `a.b` in `a.b.`.
fn chain<'t>(before: &'t str, sign: &str) -> Option<&'t str> {
    let before = before.strip_suffix(sign)?;
    let start = before
        .rfind(|c| !(is_identifier_part(c) || sign.contains(c)))
        .map_or(0, |at| {
            at + before
                .get(at..)
                .and_then(|rest| rest.chars().next())
                .map_or(1, char::len_utf8)
        });
    let path = before.get(start..)?;
    let head = before.get(..start)?.trim_end();
    let goes_on = head.ends_with(['.', '?', ')', ']', '>']) && start == head.len();
    let is_plain = path.split(sign).all(is_identifier) && !path.is_empty();
    (is_plain && !goes_on).then_some(path)
}

fn folder(path: &str) -> &str {
    path.rsplit_once('/').map_or("", |(folder, _)| folder)
}

fn below(folder: &str, name: &str) -> String {
    if folder.is_empty() {
        name.to_owned()
    } else {
        format!("{folder}/{name}")
    }
}

/// Joins a folder and a relative path; returns none for one that leads out.
fn joined(folder: &str, path: &str) -> Option<String> {
    let mut parts: Vec<&str> = folder.split('/').filter(|part| !part.is_empty()).collect();
    for part in path.split('/') {
        match part {
            "" | "." => {}
            ".." => drop(parts.pop()?),
            name => parts.push(name),
        }
    }
    Some(parts.join("/"))
}
