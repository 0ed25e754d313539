//! Parses an item that a request brings along.
//!
//! In: code at any indentation. Out: [`Snippet`], the one named item in it, brought to column
//! 0 and to the file's unit, and what stands above it.

use super::symbol::{self, Item};
use super::{Family, Outcome, ParsedFile, invalid};
use crate::edit::plan::tree::{children, is_comment};
use crate::syntax::{Language, Parsed, SyntaxCache};

/// One item as code.
pub(super) struct Snippet {
    /// The item's name.
    pub(super) name: String,
    /// The node kind of the item with what wraps it.
    pub(super) kind: String,
    /// True if it can stand in a class alone.
    pub(super) member: bool,
    /// Comments, attributes and decorators above it.
    pub(super) leading: String,
    /// The item, overload signatures included.
    pub(super) item: String,
}

impl Snippet {
    /// Reads code that has to be one item.
    pub(super) fn parse(site: &ParsedFile<'_>, code: &str) -> Result<Self, Outcome> {
        let (cache, language) = (site.file.cache, site.language);
        let plain = site.lines(code, "").join("\n");
        Self::within(cache, &plain, language, "", "")
            .or_else(|| match site.family {
                Family::Script => Self::within(cache, &plain, language, "class A {\n", "\n}"),
                Family::Rust | Family::Python => None,
            })
            .ok_or_else(|| invalid("the code is not one whole named item of this language"))
    }

    fn within(
        cache: &SyntaxCache,
        plain: &str,
        language: Language,
        head: &str,
        tail: &str,
    ) -> Option<Self> {
        let text = format!("{head}{plain}{tail}");
        let tree = cache.parse_once(language, &text)?;
        if tree.root().has_error() {
            return None;
        }
        let depth = usize::from(!head.is_empty());
        let items = symbol::items(language, &tree).into_iter();
        let own: Vec<Item<'_>> = items.filter(|item| item.path.len() == depth).collect();
        let name = own.first()?.name.clone();
        let folded = symbol::with_address(own, &name);
        let [item] = folded.as_slice() else {
            return None;
        };
        if count(&tree, item, depth) != item.overloads.len() + 1 {
            return None;
        }
        let first = item.overloads.first().unwrap_or(item);
        let start = first.outer.start_byte();
        // A `;` after the item stays with it.
        let end = text.len() - tail.len();
        Some(Self {
            name,
            kind: item.outer.kind().to_owned(),
            member: depth > 0,
            leading: text.get(head.len()..start)?.trim_end().to_owned(),
            item: text.get(start..end)?.trim_end().to_owned(),
        })
    }
}

/// Returns how many things but comments and attributes stand beside the item, and itself.
fn count(tree: &Parsed<'_>, item: &Item<'_>, depth: usize) -> usize {
    let around = if depth == 0 {
        Some(tree.root())
    } else {
        item.parent
    };
    let rest = around.map(children).unwrap_or_default();
    rest.iter()
        .filter(|node| {
            !is_comment(**node) && !matches!(node.kind(), "attribute_item" | "decorator")
        })
        .count()
}
