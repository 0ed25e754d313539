//! Adds an import unless it is there.
//!
//! In: an import statement. Out: a plan that adds its names to an import of the same module,
//! or puts it among the imports, where their order has it; a first one goes below what has
//! to stay on top.

mod javascript;
mod list;
mod order;
mod python;
mod rust;

use tree_sitter::Node;

use super::head::{Head, line_after};
use super::{
    Family, File, OrAnswer, ParsedFile, Plan, already, invalid, modified, refused, symbol,
};
use crate::edit::plan::body::suite::docstring;
use crate::edit::plan::insertion::{BlankMargin, InsertionPlace, InsertionPoint};
use crate::edit::plan::tree::children;
use crate::syntax::Parsed;
use crate::syntax::node_links::NodeLinks;
use crate::text::Splice;

/// What a language says of an import.
enum ImportLookup {
    /// It is there.
    Present,
    /// It is not, and goes here.
    At(ImportPlace),
    /// Something else on a 1-based line has its name.
    Taken(String),
    /// It is none of this language.
    NotImport,
}

/// Where an import goes.
enum ImportPlace {
    /// Its names go into imports that are there.
    Within(Vec<Splice>),
    /// It goes on a line of its own.
    Line(Line),
}

/// An import on a line of its own.
struct Line {
    text: String,
    /// What imports of its block are ordered by.
    key: String,
    /// True if it has to stand above all others.
    first: bool,
}

/// Plans the import.
pub(super) fn plan(file: File<'_>, import: &str) -> OrAnswer<Plan> {
    let site = file.parsed()?;
    let place = locate(&site, import)?;
    splice(&site, place)
}

impl ImportLookup {
    fn within(splices: Vec<Splice>) -> Self {
        Self::At(ImportPlace::Within(splices))
    }

    fn line(line: Line) -> Self {
        Self::At(ImportPlace::Line(line))
    }
}

/// Finds the import, or where it goes.
fn locate(site: &ParsedFile<'_>, import: &str) -> OrAnswer<ImportPlace> {
    let path = site.file.path;
    let finding = match site.family {
        Family::Rust => rust::find(site, import),
        Family::Python => python::find(site, import),
        Family::Script => javascript::find(site, import),
    };
    match finding {
        ImportLookup::Present => Err(already(format!("{path} has this import"))),
        ImportLookup::NotImport => Err(invalid(format!("`{import}` is no import for {path}"))),
        ImportLookup::Taken(why) => Err(refused(why)),
        ImportLookup::At(place) => Ok(place),
    }
}

fn splice(site: &ParsedFile<'_>, place: ImportPlace) -> OrAnswer<Plan> {
    match place {
        ImportPlace::Within(splices) => {
            modified(splices, "added to the import of the same module", 1)
        }
        ImportPlace::Line(line) => {
            let splice = own_line(site, &line);
            modified(vec![splice], "among the imports", 1)
        }
    }
}

/// Makes the splice that puts an import on a line of its own.
fn own_line(site: &ParsedFile<'_>, line: &Line) -> Splice {
    let head = Head::of(site);
    let source = site.file.source;
    let (above, blank) = if head.imports.is_empty() || line.first {
        let above = head
            .imports
            .first()
            .filter(|first| line.first && first.start_byte() <= first_own(site));
        let at = above.map_or(head.prologue, |first| source.line_of(first.start_byte()));
        let touches = at < source.line_count() && !source.line(at).trim_ascii().is_empty();
        (at, usize::from(above.is_none() && touches))
    } else {
        (in_order(site, &head.imports, &line.key), 0)
    };
    let lines: Vec<String> = line.text.lines().map(str::to_owned).collect();
    let place = InsertionPlace::Lines(above, BlankMargin::Below(blank));
    InsertionPoint::new(source, place, "").splice_lines(source, &lines)
}

/// Returns where the first statement of a file begins, its docstring aside.
fn first_own(site: &ParsedFile<'_>) -> usize {
    let root = site.tree.root();
    let doc = docstring(root).filter(|_| site.family == Family::Python);
    let own = children(root).into_iter().find(|node| Some(*node) != doc);
    own.map_or(0, |node| node.start_byte())
}

/// Returns the 0-based line at which an import goes among others: in the block of those that
/// its key begins like, or the last.
fn in_order(site: &ParsedFile<'_>, imports: &[Node<'_>], key: &str) -> usize {
    let (file, tree) = (site.file, &site.tree);
    let mut blocks: Vec<Vec<Node<'_>>> = Vec::new();
    for node in imports {
        let touches = blocks
            .last()
            .and_then(|block| block.last())
            .is_some_and(|last| line_after(file, *last) == file.source.line_of(node.start_byte()));
        match blocks.last_mut().filter(|_| touches) {
            Some(block) => block.push(*node),
            None => blocks.push(vec![*node]),
        }
    }
    let links = blocks.iter().rfind(|block| {
        block
            .iter()
            .any(|node| root(&key_of(site, node)) == root(key))
    });
    let Some(block) = links.or(blocks.last()) else {
        return 0;
    };
    let keys: Vec<String> = block.iter().map(|node| key_of(site, node)).collect();
    let keys: Vec<&str> = keys.iter().map(String::as_str).collect();
    let at = order::position(&keys, key);
    match (
        at,
        block.get(at),
        at.checked_sub(1).and_then(|before| block.get(before)),
    ) {
        (_, Some(next), None) => {
            let links = NodeLinks::of(tree.root(), [*next]);
            file.source.line_of(symbol::leading(tree, &links, *next))
        }
        (_, _, Some(before)) => line_after(file, *before),
        (_, None, None) => 0,
    }
}

fn key_of(site: &ParsedFile<'_>, node: &Node<'_>) -> String {
    let tree = &site.tree;
    match site.family {
        Family::Rust => rust::key(tree.text(*node)),
        Family::Python => python::key(tree.text(*node)),
        Family::Script => javascript::key(tree.text(*node)),
    }
}

fn root(key: &str) -> Option<String> {
    key.split(['.', ':', '/']).next().map(str::to_owned)
}

/// Returns the nodes at the top level, comments included.
fn top_level<'t>(tree: &'t Parsed<'_>) -> Vec<Node<'t>> {
    let root = tree.root();
    let mut cursor = root.walk();
    root.children(&mut cursor).collect()
}

#[cfg(test)]
mod tests;
