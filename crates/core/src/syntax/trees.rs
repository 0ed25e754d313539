//! The trees of texts, each parsed once.
//!
//! In: a text, and perhaps the one before it with the edits between them. Out: its tree. Trees
//! of texts that came lately are kept, and where that of the text before is, only what the edits
//! touch is parsed.

use std::ops::Range;

use tree_sitter::{InputEdit, Point, Tree};

use super::recent::{Mark, Recent};
use super::{Language, grammar};
use crate::text::EditSet;

/// What the kept trees take together, in bytes, about: room for a text of 300 KB before and after
/// an edit.
const ROOM: usize = 32 * 1024 * 1024;
/// What one may take that is kept alone, so that a request parses a text once.
const MOST: usize = 64 * 1024 * 1024;
/// Shorter texts are parsed faster than they are looked up.
const MIN_BYTES: usize = 256;
/// A tree is not edited in more places than these: each costs a way down from the root.
const MAX_EDITS: usize = 100;

static TREES: Recent<Mark, Tree> = Recent::with_one(ROOM, MOST);

/// A text, and the edits that lead from it to the one that is meant.
#[derive(Clone, Copy, Debug)]
pub struct Earlier<'a> {
    /// The text before.
    pub text: &'a str,
    /// The edits.
    pub edits: &'a EditSet,
}

/// A tree, and where it may differ from that of the text before; none where that is not known.
pub(super) struct Found {
    pub(super) tree: Tree,
    pub(super) changed: Option<Vec<Range<usize>>>,
}

/// Returns the tree of a text; none if it cannot be parsed.
pub(super) fn tree(language: Language, text: &str) -> Option<Tree> {
    if text.len() < MIN_BYTES {
        return grammar::parse(language, text, None);
    }
    let mark = Mark::new(language, text);
    TREES.get(&mark).or_else(|| fresh(language, text, mark))
}

/// Returns the tree of a text, made from that of an earlier one if that is known.
pub(super) fn tree_after(language: Language, text: &str, earlier: &Earlier<'_>) -> Option<Found> {
    let found = |tree| Found {
        tree,
        changed: None,
    };
    if text.len() < MIN_BYTES {
        return grammar::parse(language, text, None).map(found);
    }
    let mark = Mark::new(language, text);
    if let Some(tree) = TREES.get(&mark) {
        return Some(found(tree));
    }
    // What is made of a tree may share little with it, and two such are too much.
    let known = TREES.get(&Mark::new(language, earlier.text));
    let known = known.filter(|tree| weight(language, tree) <= ROOM);
    let made = known.and_then(|tree| again(language, text, tree, earlier));
    match made {
        Some(made) => {
            keep(language, mark, &made.tree);
            Some(made)
        }
        None => fresh(language, text, mark).map(found),
    }
}

/// Returns what the tree of a text of so many bytes takes, about, in bytes.
pub(super) fn estimate(language: Language, bytes: usize) -> usize {
    let of_byte = match language {
        Language::Yaml => 150,
        Language::Markdown => 125,
        Language::Toml => 80,
        Language::Css | Language::Html => 35,
        _ => 60,
    };
    bytes * of_byte
}

/// Returns what a tree takes, about, in bytes. Nodes that queries do not see count as well, and
/// in Markdown each word is one.
fn weight(language: Language, tree: &Tree) -> usize {
    let of_node = match language {
        Language::Markdown => 400,
        Language::Toml | Language::Yaml => 145,
        Language::Tsx => 80,
        Language::Json | Language::Css | Language::Html => 65,
        _ => 120,
    };
    tree.root_node().descendant_count() * of_node
}

/// Lets go of a tree that is kept though it takes more than all may together.
pub(super) fn let_giant_go() {
    TREES.make_room(0);
}

fn fresh(language: Language, text: &str, mark: Mark) -> Option<Tree> {
    TREES.make_room(estimate(language, text.len()));
    let tree = grammar::parse(language, text, None)?;
    keep(language, mark, &tree);
    Some(tree)
}

fn keep(language: Language, mark: Mark, tree: &Tree) {
    TREES.put(mark, tree.clone(), weight(language, tree));
}

/// Parses what edits touch. Where that gives errors, they need not be those of the text as a
/// whole, which is then parsed from its start.
fn again(language: Language, text: &str, mut tree: Tree, earlier: &Earlier<'_>) -> Option<Found> {
    if earlier.edits.splices().len() > MAX_EDITS || tree.root_node().has_error() {
        return None;
    }
    let edits = input_edits(earlier);
    // From the last to the first, so that none moves another.
    edits.iter().rev().for_each(|edit| tree.edit(edit));
    let made = grammar::parse(language, text, Some(&tree))?;
    if made.root_node().has_error() {
        return None;
    }
    let mut changed: Vec<Range<usize>> = tree
        .changed_ranges(&made)
        .map(|range| range.start_byte..range.end_byte)
        .collect();
    let mut shift = 0_isize;
    for splice in earlier.edits.splices() {
        let start = splice.at.saturating_add_signed(shift);
        shift += splice.new.len() as isize - splice.old.len() as isize;
        changed.push(start..start + splice.new.len());
    }
    Some(Found {
        tree: made,
        changed: Some(changed),
    })
}

/// Returns the edits as tree-sitter wants them, all in places of the text before.
fn input_edits(earlier: &Earlier<'_>) -> Vec<InputEdit> {
    let bytes = earlier.text.as_bytes();
    let (mut at, mut point) = (0, Point::default());
    let mut edits = Vec::with_capacity(earlier.edits.splices().len());
    for splice in earlier.edits.splices() {
        point = beyond(point, bytes.get(at..splice.at).unwrap_or_default());
        let start = point;
        point = beyond(point, &splice.old);
        at = splice.end();
        edits.push(InputEdit {
            start_byte: splice.at,
            old_end_byte: at,
            new_end_byte: splice.at + splice.new.len(),
            start_position: start,
            old_end_position: point,
            new_end_position: beyond(start, &splice.new),
        });
    }
    edits
}

/// Returns the point after `bytes`, which begin at `from`.
fn beyond(from: Point, bytes: &[u8]) -> Point {
    let rows = bytes.iter().filter(|byte| **byte == b'\n').count();
    match bytes.iter().rposition(|byte| *byte == b'\n') {
        None => Point::new(from.row, from.column + bytes.len()),
        Some(last) => Point::new(from.row + rows, bytes.len() - last - 1),
    }
}
