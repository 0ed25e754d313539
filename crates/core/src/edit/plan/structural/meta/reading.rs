//! Parsing a pattern with metavariables in a language.
//!
//! In: a tree, which knows its grammar, and a pattern. Out: the pattern's readings, each
//! within a context that makes it part of a program. A metavariable is read as a name; where
//! the language has no name, as something short that can stand there: a statement, a member, a
//! pair.

use std::ops::Range;

use tree_sitter::{Language as Grammar, Node, Parser, Tree};

use super::shape::{Shape, VariableSpot, trimmed};
use crate::edit::plan::structural::pattern::{Meta, metavariables};
use crate::syntax::Parsed;
use crate::text::Slice;

/// A kind of node that the language has, and what stands before and after a pattern.
type Context = (&'static str, &'static str, &'static str);

/// What stands around a pattern, in languages that have a kind of node. The first two come before
/// the plain reading, in which calls of Go and C are taken for something else.
const CONTEXTS: &[Context] = &[
    ("package_clause", "package p\nfunc f() { ", " }"),
    ("translation_unit", "void f(int p) { ", "; }"),
    (ANY, "", ""),
    ("function_item", "fn f() { ", " }"),
    ("impl_item", "impl X { ", " }"),
    ("match_arm", "fn f() { match x { ", " } }"),
    ("class_body", "class X { ", " }"),
    ("constructor_declaration", "class X { void f() { ", "; } }"),
    ("pair", "x = ({ ", " })"),
    (ANY, "f(", ")"),
    ("rule_set", "a { ", " }"),
    ("field_declaration_list", "struct X { ", " }"),
    ("translation_unit", "struct X { ", " };"),
    ("pair", "{ ", " }"),
    ("inline_table", "x = ", ""),
    ("rule_set", "a { b: ", " }"),
    ("atx_heading", "", "\n"),
    (ANY, "type X = ", ";"),
    ("jsx_attribute", "x = <a ", " />"),
];
const ANY: &str = "";
/// So many of them make the pattern a statement or an item; the others make it part of one.
const STATEMENTS: usize = 4;
/// What may stand for a metavariable, with `#` for its name: first a name.
const SPELLINGS: &[&str] = &[
    "#",
    "#;",
    "fn #();",
    "#: #",
    "int #;",
    "# #",
    "# #;",
    "#() {}",
    "void #() {}",
    "#: #;",
    "# => #",
    "#: #,",
    "case #: #;",
    "\"#\": 0",
    "\"#\"",
    "# = 0",
    "pass",
];
/// Metavariables of a pattern that are spelt other than as names: each is parsed in each spelling.
const MAX_SPELT: usize = 8;
/// Bytes of a pattern beyond which it is read with names alone: it is a file, and each try parses it.
const MAX_SPELT_BYTES: usize = 4096;
/// Bytes that are parsed to find how metavariables are spelt. Attack: a pattern of metavariables alone, which fits every
/// context in every spelling.
const SPELT_TOTAL: usize = 200_000;
/// Nodes within one another in a pattern. Attack: `((((`; matching recurses as deep as the pattern is nested.
const MAX_DEPTH: usize = 100;
/// Readings that are tried.
const MAX_READINGS: usize = 4;

/// One way to read a pattern.
pub(super) struct PatternReading {
    pub(super) shape: Shape,
    /// The kind of node that it is.
    pub(super) kind: String,
    /// The names in it, and whether each stands for several nodes.
    pub(super) names: Vec<(String, bool)>,
    /// Whether a name occurs twice.
    pub(super) repeats: bool,
    /// Whether names stand in the arguments of a macro, which have no nodes to match.
    pub(super) tokens: bool,
}

/// Returns the readings of a pattern, the likeliest first; each is of another kind.
pub(super) fn readings(tree: &Parsed<'_>, pattern: &str) -> Vec<PatternReading> {
    let mut reader = PatternReader::new(&tree.root().language(), pattern);
    let plain = vec![0; reader.metas.len()];
    reader.read(&plain, CONTEXTS, false);
    if !reader.is_whole && pattern.len() <= MAX_SPELT_BYTES {
        // A statement whose body has no name for its parts may look like a part of something.
        let contexts = if reader.found.is_empty() {
            CONTEXTS
        } else {
            CONTEXTS.slice(..STATEMENTS)
        };
        let known = reader.found.len();
        reader.left = SPELT_TOTAL;
        reader.spell(contexts);
        reader.left = usize::MAX;
        reader.found.rotate_left(known);
    }
    if reader.found.is_empty() {
        reader.read(&plain, CONTEXTS, true);
    }
    reader.found
}

struct PatternReader<'p> {
    grammar: Grammar,
    parser: Parser,
    pattern: &'p str,
    metas: Vec<Meta<'p>>,
    found: Vec<PatternReading>,
    /// Whether it was read as a statement or an item.
    is_whole: bool,
    /// Bytes that may still be parsed.
    left: usize,
}

impl<'p> PatternReader<'p> {
    fn new(grammar: &Grammar, pattern: &'p str) -> Self {
        Self {
            grammar: grammar.clone(),
            parser: Parser::new(),
            pattern,
            metas: metavariables(pattern),
            found: Vec::new(),
            is_whole: false,
            left: usize::MAX,
        }
    }

    /// Reads the pattern in contexts, its metavariables spelt as given; `missing` tolerates a token
    /// that the pattern leaves out.
    fn read(&mut self, spelt: &[usize], contexts: &[Context], missing: bool) {
        let (text, spots) = self.expanded(spelt);
        for (index, (kind, before, after)) in contexts.iter().enumerate() {
            if !self.knows(kind) || self.found.len() >= MAX_READINGS {
                continue;
            }
            let reading = self.read_in(before, after, &text, &spots, missing);
            let Some(reading) = reading else { continue };
            self.is_whole |= index < STATEMENTS;
            if self.found.iter().all(|other| other.kind != reading.kind) {
                self.found.push(reading);
            }
        }
    }

    fn read_in(
        &mut self,
        before: &str,
        after: &str,
        text: &str,
        spots: &[(Range<usize>, bool)],
        missing: bool,
    ) -> Option<PatternReading> {
        let source = format!("{before}{text}{after}");
        let tree = self.parse(&source)?;
        if has_error(&tree, missing) {
            return None;
        }
        let shift = before.len();
        let node = whole(&tree, &source, shift..shift + text.len())?;
        let spots: Vec<VariableSpot> = spots
            .iter()
            .map(|(range, many)| VariableSpot {
                range: range.start + shift..range.end + shift,
                many: *many,
            })
            .collect();
        let shape = Shape::of(node, &source, &spots);
        let all = (0..spots.len()).all(|index| shape.holds(index));
        shape.kind().filter(|_| all)?;
        Some(PatternReading {
            kind: node.kind().to_owned(),
            tokens: holds_tokens(node) && !spots.is_empty(),
            names: self.names(),
            repeats: self.repeats(),
            shape,
        })
    }

    fn names(&self) -> Vec<(String, bool)> {
        let names = self.metas.iter();
        names
            .map(|meta| (meta.name.to_owned(), meta.many))
            .collect()
    }

    fn repeats(&self) -> bool {
        let metas = self.metas.iter().enumerate();
        let mut named = metas.filter(|(_, meta)| !meta.name.is_empty());
        named.any(|(index, meta)| {
            let before = self.metas.slice(..index);
            before.iter().any(|other| other.name == meta.name)
        })
    }

    /// Returns the pattern with its metavariables spelt, and where they stand then.
    fn expanded(&self, spelt: &[usize]) -> (String, Vec<(Range<usize>, bool)>) {
        let (mut text, mut spots, mut at) = (String::new(), Vec::new(), 0);
        for (index, meta) in self.metas.iter().enumerate() {
            text.push_str(self.pattern.slice(at..meta.start));
            at = meta.end;
            let spelling = spelt.get(index).and_then(|which| SPELLINGS.get(*which));
            let spelling = spelling.copied().unwrap_or("#");
            let start = text.len();
            // One name is one word: tags have to match.
            let first = self
                .metas
                .iter()
                .position(|other| !meta.name.is_empty() && other.name == meta.name);
            let word = format!("meta{}q", first.unwrap_or(index));
            text.push_str(&spelling.replace('#', &word));
            spots.push((start..text.len(), meta.many));
        }
        text.push_str(self.pattern.slice(at..));
        (text, spots)
    }

    /// Reads the pattern with those metavariables spelt in other ways that stand where something
    /// whole may: all in one way, or each in the way that leaves the fewest errors.
    fn spell(&mut self, contexts: &[Context]) {
        let all: Vec<usize> = (0..self.metas.len()).collect();
        let open = all.iter().copied();
        let open: Vec<usize> = open.filter(|index| self.stands_open(*index)).collect();
        self.spell_those(&open, contexts);
        if self.found.is_empty() && open.len() < all.len() {
            self.spell_those(&all, contexts);
        }
    }

    fn spell_those(&mut self, open: &[usize], contexts: &[Context]) {
        if open.is_empty() || open.len() > MAX_SPELT {
            return;
        }
        let known = self.found.len();
        for which in 1..SPELLINGS.len() {
            let mut spelt = vec![0; self.metas.len()];
            let slots = spelt.iter_mut().enumerate();
            slots
                .filter(|(index, _)| open.contains(index))
                .for_each(|(_, slot)| *slot = which);
            self.read(&spelt, contexts, false);
            if self.found.len() > known {
                return;
            }
        }
        for context in contexts {
            let backwards: Vec<usize> = open.iter().rev().copied().collect();
            for order in [open, backwards.as_slice()] {
                if open.len() > 1
                    && self.found.len() == known
                    && let Some(spelt) = self.best(context, order)
                {
                    self.read(&spelt, std::slice::from_ref(context), false);
                }
            }
        }
    }

    /// Returns how metavariables are spelt in a context with the fewest errors, one after another.
    fn best(&mut self, context: &Context, open: &[usize]) -> Option<Vec<usize>> {
        let (kind, before, after) = *context;
        if !self.knows(kind) {
            return None;
        }
        let mut spelt = vec![0; self.metas.len()];
        let mut least = usize::MAX;
        for index in open.iter().chain(open) {
            let mut best = *spelt.get(*index)?;
            for which in 0..SPELLINGS.len() {
                *spelt.get_mut(*index)? = which;
                let source = format!("{before}{}{after}", self.expanded(&spelt).0);
                let errors = errors(&self.parse(&source)?);
                if errors < least {
                    (least, best) = (errors, which);
                }
            }
            *spelt.get_mut(*index)? = best;
        }
        (least == 0).then_some(spelt)
    }

    fn knows(&self, kind: &str) -> bool {
        kind == ANY || self.grammar.id_for_node_kind(kind, true) > 0
    }

    fn parse(&mut self, source: &str) -> Option<Tree> {
        self.left = self.left.checked_sub(source.len())?;
        self.parser.set_language(&self.grammar).ok()?;
        self.parser.parse(source, None)
    }

    /// Returns whether a metavariable stands between brackets, separators or line ends.
    fn stands_open(&self, index: usize) -> bool {
        let Some(meta) = self.metas.get(index) else {
            return false;
        };
        let head = self.pattern.slice(..meta.start);
        let tail = self.pattern.slice(meta.end..);
        let left = head.trim_end();
        let begins_line = head.trim_end_matches([' ', '\t']).ends_with('\n');
        let after_meta = self.metas.iter().any(|other| other.end == left.len());
        if left.is_empty() || left.ends_with(['{', '}', ';']) || begins_line || after_meta {
            return true;
        }
        let right = tail.trim_start();
        let ends_line = tail
            .trim_start_matches([' ', '\t'])
            .starts_with(['\n', '\r']);
        left.ends_with(['(', '[', ',', ':', '>', '='])
            && (right.is_empty() || right.starts_with(['}', ')', ']', ';', ',', '<']) || ends_line)
    }
}

/// Returns how many bytes of a tree are errors, at least one for each.
fn errors(tree: &Tree) -> usize {
    let mut cursor = tree.walk();
    let mut stack = vec![tree.root_node()];
    let mut bytes = 0;
    while let Some(node) = stack.pop() {
        if node.is_error() || node.is_missing() {
            bytes += node.byte_range().len().max(1);
        } else if node.has_error() {
            stack.extend(node.children(&mut cursor));
        }
    }
    bytes
}

/// Returns whether a tree has errors, or is too deep to be a pattern.
fn has_error(tree: &Tree, missing: bool) -> bool {
    let mut cursor = tree.walk();
    if tree.root_node().has_error() && !missing {
        return true;
    }
    loop {
        if cursor.node().is_error() || cursor.depth() as usize > MAX_DEPTH {
            return true;
        }
        if cursor.goto_first_child() || cursor.goto_next_sibling() {
            continue;
        }
        loop {
            if !cursor.goto_parent() {
                return false;
            }
            if cursor.goto_next_sibling() {
                break;
            }
        }
    }
}

fn holds_tokens(node: Node<'_>) -> bool {
    let mut cursor = node.walk();
    let mut stack = vec![node];
    while let Some(node) = stack.pop() {
        if node.kind() == "token_tree" {
            return true;
        }
        stack.extend(node.named_children(&mut cursor));
    }
    false
}

/// Returns the node that is exactly the pattern.
fn whole<'t>(tree: &'t Tree, text: &str, range: Range<usize>) -> Option<Node<'t>> {
    let root = tree.root_node();
    let mut node = root.descendant_for_byte_range(range.start, range.end)?;
    // A grammar may count the line's end or a blank as part of the node.
    while trimmed(node, text) != range {
        let mut inner = (0..node.named_child_count())
            .rev()
            .filter_map(|index| node.named_child(index as u32));
        node = inner
            .find(|child| child.start_byte() <= range.start && child.end_byte() >= range.end)?;
    }
    let several = node.parent().is_none() && node.named_child_count() != 1;
    (!several && node.is_named()).then_some(node)
}
