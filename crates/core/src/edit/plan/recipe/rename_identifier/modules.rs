//! Modules and namespaces inside a file.
//!
//! In: a tree. Out: for a path and the place it is written at, where the inside of the module
//! begins whose name comes next; none for what is in other files or there twice. And what a
//! module of Rust sees of the text around it.

use std::collections::{BTreeMap, HashMap};

use tree_sitter::Node;

use super::{Family, File};
use crate::edit::locate::exact;
use crate::edit::plan::tree::{TreeStep, walk_at};
use crate::syntax::Parsed;
use crate::text::Slice;

/// Node kinds that are modules with a name.
const MODULES: &[&str] = &["mod_item", "internal_module", "module"];

/// The modules that a file has inside it.
#[derive(Default)]
pub(super) struct Modules {
    /// By where their bodies begin.
    known: HashMap<usize, Module>,
    /// By the module around them, 0 for the file, and by name; none for a name that is there twice.
    named: HashMap<(usize, String), Option<usize>>,
    family: Option<Family>,
    /// True if `crate` means this file.
    is_root: bool,
}

struct Module {
    /// Where the module around it begins, 0 for the file.
    outer: usize,
}

impl Modules {
    pub(super) fn of(file: File<'_>, family: Family, tree: &Parsed<'_>) -> Self {
        let words: &[&str] = match family {
            Family::Rust => &["mod "],
            Family::Script => &["namespace ", "module "],
            Family::Python => &[],
        };
        let mut places: Vec<usize> = words
            .iter()
            .flat_map(|word| exact::all(file.text, word))
            .collect();
        places.sort_unstable();
        let mut modules = Self {
            family: Some(family),
            is_root: is_root(file.path.as_str()),
            ..Self::default()
        };
        walk_at(tree.root(), &places, |step, above| {
            let name = step.node.child_by_field_name("name");
            if let (Some(name), Some(body)) = (name, body(step.node)) {
                let outer = own(above);
                let key = (outer, tree.text(name).to_owned());
                let at = body.start_byte();
                modules.known.insert(at, Module { outer });
                let entry = modules.named.entry(key);
                entry.and_modify(|known| *known = None).or_insert(Some(at));
            }
        });
        modules
    }

    /// Returns whether `crate` means this file.
    pub(super) fn is_root(&self) -> bool {
        self.is_root
    }

    /// Returns where the inside of the module begins that `path` leads to from a place with the
    /// ancestors `above`: 0 is the file.
    pub(super) fn inside(&self, path: &str, above: &[TreeStep<'_>]) -> Option<usize> {
        let own = own(above);
        let script = self.family == Some(Family::Script);
        let mut names = path.split(if script { "." } else { "::" }).map(str::trim);
        let first = names.next()?;
        let mut at = match first {
            "self" if !script => own,
            "super" if !script => self.known.get(&own)?.outer,
            "crate" if !script => self.is_root.then_some(0)?,
            _ if script => self.seen(first, own)?,
            _ => self.child(own, first)?,
        };
        for name in names {
            at = match name {
                "super" => self.known.get(&at)?.outer,
                _ => self.child(at, name)?,
            };
        }
        Some(at)
    }

    /// Returns the module of a name in the innermost of the modules around that has one.
    fn seen(&self, name: &str, own: usize) -> Option<usize> {
        let mut at = own;
        loop {
            if let Some(found) = self.child(at, name) {
                return Some(found);
            }
            at = self.known.get(&at)?.outer;
        }
    }

    fn child(&self, outer: usize, name: &str) -> Option<usize> {
        self.named.get(&(outer, name.to_owned())).copied()?
    }
}

/// Returns where the innermost Rust module around a place begins that does not see what is
/// outside; 0 if there is none.
pub(super) fn horizon(
    file: File<'_>,
    above: &[TreeStep<'_>],
    modules: &Modules,
    closed: &mut BTreeMap<usize, bool>,
) -> usize {
    for step in above.iter().rev().filter(|step| step.kind() == "mod_item") {
        let Some(body) = step.node.child_by_field_name("body") else {
            continue;
        };
        let is_closed = *closed
            .entry(body.start_byte())
            .or_insert_with(|| !sees_outside(file, body, modules));
        if is_closed {
            return body.start_byte();
        }
    }
    0
}

/// Returns whether a module's body takes in names of the module around it.
fn sees_outside(file: File<'_>, body: Node<'_>, modules: &Modules) -> bool {
    let mut cursor = body.walk();
    body.named_children(&mut cursor).any(|node| {
        let text = file.text.slice(node.byte_range());
        let outer = text.contains("super") || (modules.is_root() && text.contains("crate"));
        node.kind() == "use_declaration" && outer
    })
}

/// Returns where the innermost module around a place begins, 0 for the file.
fn own(above: &[TreeStep<'_>]) -> usize {
    let bodies = above.windows(2).rev().find_map(|pair| {
        let [owner, child] = pair else { return None };
        (MODULES.contains(&owner.kind()) && child.is("body")).then_some(child)
    });
    bodies.map_or(0, |step| step.node.start_byte())
}

fn body(node: Node<'_>) -> Option<Node<'_>> {
    if !MODULES.contains(&node.kind()) {
        return None;
    }
    node.child_by_field_name("body")
}

/// Returns whether a file is the root of a crate by Cargo's layout. A folder `tests` among the sources is a module.
pub(super) fn is_root(path: &str) -> bool {
    let (folder, name) = path.rsplit_once('/').unwrap_or(("", path));
    let (above, last) = folder.rsplit_once('/').unwrap_or(("", folder));
    match last {
        _ if matches!(name, "lib.rs" | "main.rs" | "build.rs") => true,
        "bin" => above.ends_with("src"),
        "examples" | "tests" | "benches" => above.split('/').all(|part| part != "src"),
        _ => false,
    }
}
