//! Syntax cache: the trees and the findings of recent texts, under one memory bound.
//!
//! In: a text, and perhaps the one before it with the edits between them. Out: its tree, or what
//! parsers found in it. Where the tree of the text before is known, only what the edits touch is
//! parsed.

use std::ops::Range;
use std::sync::{Arc, Mutex, PoisonError};

use tree_sitter::{InputEdit, Point, Tree};

use super::health::Findings;
use super::precise::Dialect;
use super::recent::Recent;
use super::{Language, MAX_PARSE_BYTES, Parsed, grammar, stack};
use crate::budget::Budget;
use crate::text::{EditSet, Slice};

/// What the trees take together, in bytes, about: those of a text of 300 KB before and after an edit.
const ROOM: usize = 32 * 1024 * 1024;
/// What the findings take together, in bytes, about: those of some hundred files.
const FINDINGS_ROOM: usize = 4 * 1024 * 1024;
/// What one tree may take that is kept alone, so that a request parses a large text once.
const MOST: usize = 64 * 1024 * 1024;
/// Shorter texts are parsed faster than they are looked up.
const MIN_BYTES: usize = 256;
/// A tree is not edited in more places than these: each costs a way down from the root.
const MAX_EDITS: usize = 100;
/// Work on trees of more bytes than these takes turns, so that many callers together need the
/// memory of one.
const HEAVY: usize = 4 * 1024 * 1024;

/// What an error or an item of a text takes, in bytes, about.
const ITEM_BYTES: usize = 64;

/// The trees and findings of recent texts. Clones share what they hold.
#[derive(Clone, Debug, Default)]
pub struct SyntaxCache {
    shared: Arc<Shared>,
    /// The budget of the work that parses; none for work without a bound but the parsers' own.
    budget: Option<Budget>,
}

#[derive(Debug)]
struct Shared {
    trees: Recent<TextKey, Tree>,
    findings: Recent<(TextKey, Dialect), KnownFindings>,
    /// Held by heavy work.
    heavy: Mutex<()>,
}

/// A text, told by its language, length and BLAKE3 hash.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct TextKey {
    language: Language,
    length: usize,
    hash: [u8; 32],
}

/// A text, and the edits that lead from it to the one that is meant.
#[derive(Clone, Copy, Debug)]
pub struct Earlier<'a> {
    /// The text before.
    pub text: &'a str,
    /// The edits.
    pub edits: &'a EditSet,
}

/// What is known of a text that parsers read.
#[derive(Clone, Debug)]
pub(super) enum KnownFindings {
    /// It came once, as the text before an edit.
    Met,
    Found(Arc<Findings>),
}

/// A tree, and where it may differ from that of the text before; none where that is not known.
pub(super) struct Found<'a> {
    pub(super) parsed: Parsed<'a>,
    pub(super) changed: Option<Vec<Range<usize>>>,
}

impl SyntaxCache {
    /// Returns the same cache, to be used by work within a budget.
    pub fn within(&self, budget: &Budget) -> Self {
        Self {
            shared: self.shared.clone(),
            budget: Some(budget.clone()),
        }
    }

    /// Parses `text` and keeps nothing of it; none if it is too large or the parser gives up.
    pub fn parse_once<'a>(&self, language: Language, text: &'a str) -> Option<Parsed<'a>> {
        Parsed::of(language, text, self.budget.as_ref())
    }

    /// Parses `text`; none if it is too large or the parser gives up.
    pub fn parse<'a>(&self, language: Language, text: &'a str) -> Option<Parsed<'a>> {
        if text.len() < MIN_BYTES || text.len() > MAX_PARSE_BYTES {
            return self.parse_once(language, text);
        }
        let key = TextKey::new(language, text);
        let known = self.shared.trees.get(&key);
        let tree = known.or_else(|| self.parse_whole(language, text, key))?;
        Some(Parsed { text, tree })
    }

    /// Parses `text`, which edits make of an earlier one; where the tree of that is known, only
    /// what they touch.
    pub fn parse_after<'a>(
        &self,
        language: Language,
        text: &'a str,
        earlier: &Earlier<'_>,
    ) -> Option<Parsed<'a>> {
        self.parse_changes(language, text, earlier)
            .map(|found| found.parsed)
    }

    /// Parses as [`Self::parse_after`] does, and says where the tree may differ from that of the
    /// earlier text, if that is known.
    pub(super) fn parse_changes<'a>(
        &self,
        language: Language,
        text: &'a str,
        earlier: &Earlier<'_>,
    ) -> Option<Found<'a>> {
        let found = |tree, changed| Found {
            parsed: Parsed { text, tree },
            changed,
        };
        if text.len() < MIN_BYTES || text.len() > MAX_PARSE_BYTES {
            let changed = None;
            let parsed = self.parse_once(language, text);
            return parsed.map(|parsed| Found { parsed, changed });
        }
        let key = TextKey::new(language, text);
        if let Some(tree) = self.shared.trees.get(&key) {
            return Some(found(tree, None));
        }
        // What is made of a tree may share little with it, and two such are too much.
        let known = self.shared.trees.get(&TextKey::new(language, earlier.text));
        let known = known.filter(|tree| weight(language, tree) <= ROOM);
        match known
            .and_then(|tree| parse_edited(language, text, tree, earlier, self.budget.as_ref()))
        {
            Some((tree, changed)) => {
                self.keep_tree(language, key, &tree);
                Some(found(tree, Some(changed)))
            }
            None => Some(found(self.parse_whole(language, text, key)?, None)),
        }
    }

    /// Runs `work` on a text of `bytes` bytes, which is parsed in `language` if that is known. Heavy
    /// work waits for other such work to end, and runs again here if it panics.
    pub fn in_turn<T: Send>(
        &self,
        language: Option<Language>,
        bytes: usize,
        work: impl Fn() -> T + Sync,
    ) -> T {
        let takes = language.map_or(0, |language| estimate(language, bytes));
        if takes < HEAVY {
            return work();
        }
        let _turn = self
            .shared
            .heavy
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        // glibc's allocator keeps a pool of memory for each thread that lives. Threads that end one
        // after the other use the same pool.
        let made = stack::in_new_thread(&work);
        // A tree alone may take more than all may together.
        self.shared.trees.make_room(0);
        made.unwrap_or_else(work)
    }

    /// Returns what is known of a text that parsers read in a dialect.
    pub(super) fn findings(
        &self,
        language: Language,
        text: &str,
        dialect: Dialect,
    ) -> Option<KnownFindings> {
        self.shared
            .findings
            .get(&(TextKey::new(language, text), dialect))
    }

    /// Keeps what parsers say of a text.
    pub(super) fn keep_findings(
        &self,
        language: Language,
        text: &str,
        dialect: Dialect,
        found: KnownFindings,
    ) {
        if self.is_cut_short() {
            return;
        }
        let items = match &found {
            KnownFindings::Met => 1,
            KnownFindings::Found(found) => found.items(),
        };
        let key = (TextKey::new(language, text), dialect);
        self.shared.findings.put(key, found, items * ITEM_BYTES);
    }

    /// Returns whether the work was to end: what it makes of a text then is not true of it.
    fn is_cut_short(&self) -> bool {
        self.budget.as_ref().is_some_and(Budget::is_over)
    }

    fn parse_whole(&self, language: Language, text: &str, key: TextKey) -> Option<Tree> {
        self.shared.trees.make_room(estimate(language, text.len()));
        let tree = grammar::parse(language, text, None, self.budget.as_ref())?;
        self.keep_tree(language, key, &tree);
        Some(tree)
    }

    fn keep_tree(&self, language: Language, key: TextKey, tree: &Tree) {
        if self.is_cut_short() {
            return;
        }
        let weight = weight(language, tree);
        self.shared.trees.put(key, tree.clone(), weight);
    }
}

impl Default for Shared {
    fn default() -> Self {
        Self {
            trees: Recent::new(ROOM, MOST),
            findings: Recent::new(FINDINGS_ROOM, FINDINGS_ROOM),
            heavy: Mutex::new(()),
        }
    }
}

impl TextKey {
    fn new(language: Language, text: &str) -> Self {
        Self {
            language,
            length: text.len(),
            hash: *blake3::hash(text.as_bytes()).as_bytes(),
        }
    }
}

/// Returns about how many bytes the tree of a text takes.
fn estimate(language: Language, bytes: usize) -> usize {
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

/// Parses what edits touch, and returns where the tree may differ. Where that gives errors, they need
/// not be those of the text as a whole, which is then parsed from its start.
fn parse_edited(
    language: Language,
    text: &str,
    mut tree: Tree,
    earlier: &Earlier<'_>,
    budget: Option<&Budget>,
) -> Option<(Tree, Vec<Range<usize>>)> {
    if earlier.edits.splices().len() > MAX_EDITS || tree.root_node().has_error() {
        return None;
    }
    let edits = input_edits(earlier);
    // From the last to the first, so that none moves another.
    edits.iter().rev().for_each(|edit| tree.edit(edit));
    let made = grammar::parse(language, text, Some(&tree), budget)?;
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
    Some((made, changed))
}

/// Returns the edits as tree-sitter wants them, all in places of the text before.
fn input_edits(earlier: &Earlier<'_>) -> Vec<InputEdit> {
    let bytes = earlier.text.as_bytes();
    let (mut at, mut point) = (0, Point::default());
    let mut edits = Vec::with_capacity(earlier.edits.splices().len());
    for splice in earlier.edits.splices() {
        point = beyond(point, bytes.slice(at..splice.at));
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

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicUsize, Ordering};
    use std::thread;

    use super::*;

    #[test]
    fn heavy_work_takes_turns() {
        let (now, most) = (AtomicUsize::new(0), AtomicUsize::new(0));
        let work = || {
            let others = now.fetch_add(1, Ordering::SeqCst);
            most.fetch_max(others + 1, Ordering::SeqCst);
            thread::yield_now();
            now.fetch_sub(1, Ordering::SeqCst);
        };
        let cache = SyntaxCache::default();
        thread::scope(|scope| {
            for _ in 0..8 {
                scope.spawn(|| {
                    assert_eq!(cache.in_turn(Some(Language::Rust), 1000, || 1), 1);
                    cache.in_turn(Some(Language::Rust), 1_000_000, work);
                });
            }
        });
        assert_eq!(most.load(Ordering::SeqCst), 1);
    }

    #[test]
    fn heavy_work_that_panics_runs_again_where_it_was_asked_for() {
        let here = thread::current().id();
        let work = move || {
            assert_eq!(thread::current().id(), here, "on purpose");
            7
        };
        let cache = SyntaxCache::default();
        assert_eq!(cache.in_turn(Some(Language::Rust), 1_000_000, work), 7);
        assert_eq!(cache.in_turn(Some(Language::Rust), 1_000_000, || 8), 8);
    }

    #[test]
    fn an_edited_text_is_parsed_where_it_changed() {
        let cache = SyntaxCache::default();
        let before = "fn f() { 1; }\n".repeat(100);
        let edits = EditSet::between(before.as_bytes(), before.replacen('1', "2", 1).as_bytes());
        let after = before.replacen('1', "2", 1);
        let earlier = Earlier {
            text: &before,
            edits: &edits,
        };
        let changed = |cache: &SyntaxCache| {
            let found = cache.parse_changes(Language::Rust, &after, &earlier);
            found.unwrap().changed
        };
        assert_eq!(changed(&cache), None, "nothing is known of the text before");
        let cache = SyntaxCache::default();
        assert!(cache.parse(Language::Rust, &before).is_some());
        let found = changed(&cache).unwrap_or_default();
        assert!(found.iter().all(|range| *range == (9..10)) && found.len() == 1);
        assert_eq!(changed(&cache), None, "the tree is kept");
    }
}
