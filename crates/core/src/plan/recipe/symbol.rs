//! The named items of a file, and how one of them is addressed.
//!
//! In: a tree and an address: `name`, `Type::name`, `Class.name`, `<Type as Trait>::name`.
//! Out: the one [`Item`] that has it, with what belongs to it, or the answer why not.

use std::ops::Range;

use tree_sitter::Node;

use super::tree::{Step, is_comment, walk};
use super::{Family, File, Outcome, not_found};
use crate::locate::fuzzy::alike;
use crate::request::SymbolAddress;
use crate::syntax::Parsed;

/// Node kinds that are items with a name, in any of the languages.
const ITEMS: &[&str] = &[
    // Rust
    "function_item",
    "function_signature_item",
    "struct_item",
    "enum_item",
    "union_item",
    "trait_item",
    "const_item",
    "static_item",
    "type_item",
    "associated_type",
    "mod_item",
    "macro_definition",
    // TypeScript and JavaScript
    "function_declaration",
    "generator_function_declaration",
    "function_signature",
    "class_declaration",
    "abstract_class_declaration",
    "interface_declaration",
    "type_alias_declaration",
    "enum_declaration",
    "internal_module",
    "module",
    "method_definition",
    "method_signature",
    "abstract_method_signature",
    "property_signature",
    "public_field_definition",
    "field_definition",
    // Python
    "function_definition",
    "class_definition",
];

/// Node kinds that declare a function that is written elsewhere.
const SIGNATURES: &[&str] = &[
    "function_signature",
    "method_signature",
    "abstract_method_signature",
];

/// Node kinds that wrap an item and go with it.
const WRAPPERS: &[&str] = &[
    "export_statement",
    "ambient_declaration",
    "decorated_definition",
    "lexical_declaration",
    "variable_declaration",
    "expression_statement",
];

/// Node kinds that belong to the item below them.
const LEADING: &[&str] = &[
    "line_comment",
    "block_comment",
    "comment",
    "attribute_item",
    "decorator",
];

/// Names less alike than this, of 100, are not offered for each other.
const ALIKE: u32 = 60;

/// A named item.
#[derive(Clone)]
pub(super) struct Item<'t> {
    /// Its name.
    pub(super) name: String,
    /// What it stands in, outermost first.
    pub(super) path: Vec<Container>,
    /// The item itself.
    pub(super) node: Node<'t>,
    /// The item with what wraps it: `export`, decorators, `const`.
    pub(super) outer: Node<'t>,
    /// What the outer node stands in.
    pub(super) parent: Option<Node<'t>>,
    /// True if it is declared in one statement with others.
    pub(super) shared: bool,
    /// True if it only declares what is written elsewhere.
    signature: bool,
    /// The same name's overload signatures, before the item.
    pub(super) overloads: Vec<Self>,
}

/// What an item stands in.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Container {
    /// The name of a type, class, module or function.
    pub(super) name: String,
    /// The trait that an `impl` is of.
    pub(super) of_trait: Option<String>,
}

/// Names in an address.
struct Address {
    containers: Vec<String>,
    of_trait: Option<String>,
    name: String,
}

/// Returns the one item that has the address.
pub(super) fn one<'t>(
    file: File<'_>,
    family: Family,
    tree: &'t Parsed<'_>,
    address: &SymbolAddress,
) -> Result<Item<'t>, Outcome> {
    let all = items(family, tree);
    let symbol = &address.symbol;
    let found = with_address(all.clone(), symbol);
    if found.is_empty() {
        return Err(not_found(missing(file, &all, symbol)));
    }
    let starts: Vec<usize> = found.iter().map(|item| item.node.start_byte()).collect();
    let lines: Vec<String> = starts.iter().map(|at| file.line(*at).to_string()).collect();
    let on_line = |item: &Item<'_>| {
        let Some(line) = address.line else {
            return true;
        };
        let range = item.with_leading(file);
        let last = file.line(range.end.saturating_sub(1));
        (file.line(range.start)..=last).contains(&line)
    };
    let mut chosen: Vec<Item<'_>> = found.into_iter().filter(on_line).collect();
    // Of items within each other, a line of the inner one means that.
    if address.line.is_some()
        && let Some(inner) = chosen.iter().map(|item| item.node.byte_range().len()).min()
    {
        chosen.retain(|item| item.node.byte_range().len() == inner);
    }
    match (chosen.len(), address.line) {
        (1, _) => chosen.pop().ok_or_else(|| not_found("no item")),
        (0, _) => Err(not_found(format!(
            "`{symbol}` is not on that line, but on {}",
            lines.join(", ")
        ))),
        (several, _) => Err(file.ambiguous(
            format!(
                "{several} items are called `{symbol}`; say which by `line` or by what it is in, \
                 like `Type::name` or `Class.name`"
            ),
            starts,
        )),
    }
}

/// Says what comes nearest to an item that is not there.
fn missing(file: File<'_>, items: &[Item<'_>], symbol: &str) -> String {
    let mut words = format!("{} has no item `{symbol}`", file.path);
    let Address {
        containers, name, ..
    } = Address::parse(symbol);
    let elsewhere = items.iter().find(|item| item.name == name);
    let alike = || {
        let near = items.iter().map(|item| (alike(&item.name, &name), item));
        let best =
            near.max_by_key(|(alike, item)| (*alike, std::cmp::Reverse(item.node.start_byte())));
        best.filter(|(alike, _)| *alike >= ALIKE)
            .map(|(_, item)| item)
    };
    if let Some(item) = elsewhere.or_else(alike) {
        let path = item.path.iter().map(|container| container.name.as_str());
        let path: Vec<&str> = path.chain([item.name.as_str()]).collect();
        words.push_str(&format!(
            "; nearest is `{}` on line {}",
            path.join("."),
            file.line(item.node.start_byte())
        ));
    } else if let Some(container) = containers.last().filter(|own| {
        let is_there = |item: &Item<'_>| {
            item.name == **own || item.path.iter().any(|container| container.name == **own)
        };
        !items.iter().any(is_there)
    }) {
        words.push_str(&format!(", and nothing called `{container}`"));
    }
    words
}

/// Returns the items that an address could mean, overloads folded into one.
pub(super) fn with_address<'t>(items: Vec<Item<'t>>, address: &str) -> Vec<Item<'t>> {
    let address = Address::parse(address);
    let found = items.into_iter().filter(|item| address.fits(item));
    folded(found.collect())
}

/// Returns all named items, in the order of the text.
pub(super) fn items<'t>(family: Family, tree: &'t Parsed<'_>) -> Vec<Item<'t>> {
    let mut found = Vec::new();
    let mut inside: Vec<(usize, Container)> = Vec::new();
    walk(tree.root(), |step, above| {
        let node = step.node;
        while inside
            .last()
            .is_some_and(|(end, _)| *end <= node.start_byte())
        {
            inside.pop();
        }
        if node.kind() == "impl_item" {
            inside.push((node.end_byte(), implemented(tree, node)));
            return;
        }
        let Some(name) = name_of(family, tree, step, above) else {
            return;
        };
        let path = inside.iter().map(|(_, container)| container.clone());
        let (outer, parent, shared) = wrapped(node, above);
        found.push(Item {
            name: name.clone(),
            path: path.collect(),
            node,
            outer,
            parent,
            shared,
            signature: is_signature(tree, node, outer),
            overloads: Vec::new(),
        });
        let of_trait = None;
        inside.push((node.end_byte(), Container { name, of_trait }));
    });
    found
}

/// Returns the name of the node if it is an item.
fn name_of(
    family: Family,
    tree: &Parsed<'_>,
    step: Step<'_>,
    above: &[Step<'_>],
) -> Option<String> {
    let node = step.node;
    let field = match node.kind() {
        "variable_declarator" => "name",
        "pair" => "key",
        "assignment" if family == Family::Python => "left",
        "field_definition" => "property",
        kind if ITEMS.contains(&kind) => "name",
        _ => return None,
    };
    let name = node.child_by_field_name(field)?;
    let is_item = match node.kind() {
        "variable_declarator" => {
            name.kind() == "identifier" && (holds_items(node) || is_top_level(above))
        }
        "pair" => name.kind() == "property_identifier" && holds_items(node),
        "assignment" => name.kind() == "identifier" && is_python_constant(above),
        _ => true,
    };
    is_item.then(|| tree.text(name).to_owned())
}

/// Returns whether a declared value is a function, class or object.
fn holds_items(node: Node<'_>) -> bool {
    let value = node.child_by_field_name("value").map(|value| value.kind());
    matches!(
        value,
        Some("arrow_function" | "function_expression" | "generator_function" | "class" | "object")
    )
}

fn is_top_level(above: &[Step<'_>]) -> bool {
    let mut kinds = above.iter().rev().map(Step::kind);
    kinds.next().is_some_and(|kind| WRAPPERS.contains(&kind))
        && kinds
            .find(|kind| *kind != "export_statement")
            .is_some_and(|kind| kind == "program")
}

/// Returns whether an assignment is a statement of a module or class.
fn is_python_constant(above: &[Step<'_>]) -> bool {
    let kinds: Vec<_> = above.iter().rev().take(3).map(Step::kind).collect();
    matches!(
        kinds.as_slice(),
        ["expression_statement", "module", ..]
            | ["expression_statement", "block", "class_definition"]
    )
}

/// Returns the type that an `impl` is for, and its trait.
pub(super) fn implemented(tree: &Parsed<'_>, node: Node<'_>) -> Container {
    let bare = |field: &str| {
        let text = tree.text(node.child_by_field_name(field)?);
        Some(bare_type(text).to_owned())
    };
    Container {
        name: bare("type").unwrap_or_default(),
        of_trait: bare("trait"),
    }
}

/// Returns a type's own name: without references, path and arguments.
pub(super) fn bare_type(text: &str) -> &str {
    let text = text
        .trim_start_matches(['&', ' '])
        .trim_start_matches("mut ");
    let text = text.split('<').next().unwrap_or_default().trim();
    text.rsplit("::").next().unwrap_or(text)
}

/// Returns the node with what wraps it, what that stands in, and whether other declarations
/// share the wrapper.
fn wrapped<'t>(node: Node<'t>, above: &[Step<'t>]) -> (Node<'t>, Option<Node<'t>>, bool) {
    let mut outer = node;
    let mut rest = above;
    while let Some((parent, higher)) = rest.split_last() {
        if !WRAPPERS.contains(&parent.kind()) {
            break;
        }
        if node.kind() == "variable_declarator" && parent.node.named_child_count() > 1 {
            return (outer, Some(parent.node), true);
        }
        (outer, rest) = (parent.node, higher);
    }
    (outer, rest.last().map(|step| step.node), false)
}

/// Folds overload signatures into the item that they belong to.
fn folded(found: Vec<Item<'_>>) -> Vec<Item<'_>> {
    let mut out: Vec<Item<'_>> = Vec::new();
    for mut item in found {
        let belongs = out.last().is_some_and(|before| {
            before.signature
                && before.name == item.name
                && before.parent.map(|node| node.id()) == item.parent.map(|node| node.id())
        });
        if belongs && let Some(mut before) = out.pop() {
            let earlier = std::mem::take(&mut before.overloads);
            item.overloads = earlier;
            item.overloads.push(before);
        }
        out.push(item);
    }
    out
}

impl<'t> Item<'t> {
    /// Returns the node that holds the item's function or class body.
    pub(super) fn body(&self) -> Option<Node<'t>> {
        let holder = match self.node.kind() {
            "variable_declarator" | "pair" | "public_field_definition" | "field_definition" => {
                self.node.child_by_field_name("value")?
            }
            _ => self.node,
        };
        holder.child_by_field_name("body")
    }

    /// Returns the bytes of the item and of the comments, attributes and decorators that
    /// stand directly above it.
    pub(super) fn with_leading(&self, file: File<'_>) -> Range<usize> {
        let first = self.overloads.first().map_or(self.outer, |item| item.outer);
        leading(file, first)..self.outer.end_byte()
    }
}

/// Returns whether a node only declares what is written elsewhere.
fn is_signature(tree: &Parsed<'_>, node: Node<'_>, outer: Node<'_>) -> bool {
    if SIGNATURES.contains(&node.kind()) {
        return true;
    }
    let mut cursor = outer.walk();
    outer.kind() == "decorated_definition"
        && outer.named_children(&mut cursor).any(|child| {
            let name = tree.text(child).trim_start_matches('@').trim();
            child.kind() == "decorator" && (name == "overload" || name.ends_with(".overload"))
        })
}

/// Returns where what belongs to `node`, directly above it, begins.
pub(super) fn leading(file: File<'_>, node: Node<'_>) -> usize {
    let source = file.source;
    let (mut start, mut row) = (node.start_byte(), node.start_position().row);
    let mut above = node.prev_sibling();
    while let Some(node) = above.filter(|node| LEADING.contains(&node.kind())) {
        // Rust's doc comments end with their newline.
        let last = source.line_of(node.end_byte().saturating_sub(1));
        let line = file.line_start(node.start_byte());
        let before = file.text.get(line..node.start_byte()).unwrap_or_default();
        let text = file.text.get(node.byte_range()).unwrap_or_default();
        let of_file = ["#!", "//!", "/*!", "# -*-", "#:"]
            .iter()
            .any(|mark| text.starts_with(mark));
        let touches = last + 1 == row || (last == row && !is_comment(node));
        if !touches || !before.trim().is_empty() || (of_file && is_comment(node)) {
            break;
        }
        (start, row) = (node.start_byte(), node.start_position().row);
        above = node.prev_sibling();
    }
    start
}

impl Address {
    fn parse(text: &str) -> Self {
        let (of_trait, text) = match qualified(text) {
            Some((of_trait, rest)) => (Some(of_trait), rest),
            None => (None, text.to_owned()),
        };
        let mut names: Vec<String> = text
            .replace("::", ".")
            .split(['.', '#'])
            .map(|name| name.trim().trim_end_matches("()").to_owned())
            .filter(|name| !name.is_empty())
            .collect();
        let name = names.pop().unwrap_or_default();
        Self {
            containers: names,
            of_trait,
            name,
        }
    }

    /// Returns whether the address ends as the item's own path does.
    fn fits(&self, item: &Item<'_>) -> bool {
        let Some(skipped) = item.path.len().checked_sub(self.containers.len()) else {
            return false;
        };
        let path = item.path.get(skipped..).unwrap_or_default();
        let same = path
            .iter()
            .zip(&self.containers)
            .all(|(container, name)| container.name == *name);
        let of_trait = || {
            path.last()
                .and_then(|container| container.of_trait.as_ref())
        };
        item.name == self.name
            && same
            && (self.of_trait.is_none() || of_trait() == self.of_trait.as_ref())
    }
}

/// Splits `<Type as Trait>::name` into its trait and `Type::name`.
fn qualified(text: &str) -> Option<(String, String)> {
    let (inner, name) = text.strip_prefix('<')?.rsplit_once(">::")?;
    let (own, of_trait) = inner.split_once(" as ")?;
    let own = bare_type(own.trim());
    Some((
        bare_type(of_trait.trim()).to_owned(),
        format!("{own}::{name}"),
    ))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::syntax::Language;

    fn found(language: Language, text: &str, address: &str) -> Vec<(String, usize)> {
        let tree = language.parse(text).unwrap();
        let items = items(Family::of(language).unwrap(), &tree);
        with_address(items, address)
            .iter()
            .map(|item| {
                let path: Vec<_> = item.path.iter().map(|c| c.name.as_str()).collect();
                (path.join("/"), item.node.start_position().row)
            })
            .collect()
    }

    #[test]
    fn addresses_end_as_paths_do() {
        let rust = "struct A;\nimpl<T> A<T> { fn f() {} }\nimpl B for &x::A { fn f() {} }\n\
                    mod m { fn f() {} }\n";
        let check = |address: &str, expected: &[(&str, usize)]| {
            let expected: Vec<_> = expected
                .iter()
                .map(|(p, l)| ((*p).to_owned(), *l))
                .collect();
            assert_eq!(found(Language::Rust, rust, address), expected, "{address}");
        };
        check("f", &[("A", 1), ("A", 2), ("m", 3)]);
        check("A::f", &[("A", 1), ("A", 2)]);
        check("<A as B>::f", &[("A", 2)]);
        check("m::f()", &[("m", 3)]);
        check("x::y::f", &[]);
    }

    #[test]
    fn overloads_are_one_item() {
        let ts = "function f(a: string): void;\nfunction f(a: number): void;\n\
                  function f(a: any) {}\nclass C { m(): void; m() {} }\n";
        assert_eq!(found(Language::TypeScript, ts, "f"), [(String::new(), 2)]);
        assert_eq!(found(Language::TypeScript, ts, "C.m").len(), 1);
        let py = "@overload\ndef f(a): ...\n@typing.overload\ndef f(b): ...\ndef f(c): pass\n";
        assert_eq!(found(Language::Python, py, "f"), [(String::new(), 4)]);
    }
}
