//! Symbols: named items of a file, and their addresses.
//!
//! ```text
//! impl Area for Square {       `area`, `Square::area`, `Square.area` and `<Square as Area>::area`
//!     /// In meters.           address the function, with the comment above it; `Circle::area`
//!     fn area() {}             has no item, and the answer says what comes nearest
//! }
//! ```
//!
//! `syntax::outline` lists definitions too, by the same table of node kinds (`syntax::definition`), of more languages, for
//! people and models to read. Recipes edit, so that an [`Item`] also has what wraps it, such as `export` or a decorator,
//! and what belongs to it above; and they address members of types and objects, which outlines leave out.

mod address;
mod listing;

use std::ops::Range;

use tree_sitter::Node;

use self::address::Address;
pub(super) use self::listing::{bare_type, implemented, items};
use super::{File, Outcome, ParsedFile, listed, not_found};
use crate::edit::locate::similarity::alike;
use crate::edit::plan::body::LEADING;
use crate::edit::plan::tree::is_comment;
use crate::edit::request::SymbolAddress;
use crate::syntax::Parsed;
use crate::syntax::node_links::NodeLinks;
use crate::text::indent::begins_line;

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
    /// Where the comments, attributes and decorators directly above it begin.
    pub(super) leading: usize,
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

/// Returns the one item that has the address.
pub(super) fn one<'t>(
    site: &'t ParsedFile<'_>,
    address: &SymbolAddress,
) -> Result<Item<'t>, Outcome> {
    let file = site.file;
    let all = items(site.language, &site.tree);
    let symbol = &address.symbol;
    let found = with_address(all.clone(), symbol);
    if found.is_empty() {
        return Err(not_found(missing(file, &all, symbol)));
    }
    let starts: Vec<usize> = found.iter().map(|item| item.node.start_byte()).collect();
    let mut chosen: Vec<Item<'_>> = found
        .into_iter()
        .filter(|item| is_on_line(address, file, item))
        .collect();
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
            listed(starts.iter().map(|at| file.line(*at)))
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

fn is_on_line(address: &SymbolAddress, file: File<'_>, item: &Item<'_>) -> bool {
    let Some(line) = address.line else {
        return true;
    };
    let range = item.with_leading();
    let last = file.line(range.end.saturating_sub(1));
    (file.line(range.start)..=last).contains(&line)
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
        !items.iter().any(|item| {
            item.name == **own || item.path.iter().any(|container| container.name == **own)
        })
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
    pub(super) fn with_leading(&self) -> Range<usize> {
        let first = self.overloads.first().unwrap_or(self);
        first.leading..self.outer.end_byte()
    }
}

/// Returns where what belongs to `node`, directly above it, begins. `links` knows the node.
pub(super) fn leading(tree: &Parsed<'_>, links: &NodeLinks<'_>, node: Node<'_>) -> usize {
    let (mut start, mut row) = (node.start_byte(), node.start_position().row);
    let before = links.place(node).map(|place| place.before);
    for node in before.unwrap_or_default().iter().rev() {
        let text = tree.text(*node);
        let of_file = ["#!", "//!", "/*!", "# -*-", "#:"]
            .iter()
            .any(|mark| text.starts_with(mark));
        let last = last_row(*node);
        let touches = last + 1 == row || (last == row && !is_comment(*node));
        let belongs = LEADING.contains(&node.kind()) && !(of_file && is_comment(*node));
        if is_comment(*node) && !begins_line(tree.whole(), node.start_byte()) {
            // What it trails may be an attribute.
            continue;
        }
        if !belongs || !touches || !begins_line(tree.whole(), node.start_byte()) {
            break;
        }
        (start, row) = (node.start_byte(), node.start_position().row);
    }
    start
}

/// Returns the row of a node's last character; Rust's doc comments end with their newline.
fn last_row(node: Node<'_>) -> usize {
    let end = node.end_position();
    let ends_line = end.column == 0 && end.row > node.start_position().row;
    end.row - usize::from(ends_line)
}
