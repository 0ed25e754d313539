//! How a pattern is read in a language.
//!
//! In: a tree, which knows its grammar, and a pattern. Out: the pattern's readings, each
//! within a context that makes it part of a program, with `$` in a form that the language
//! takes for a name.

use std::ops::Range;

use ast_grep_core::language::Language;
use ast_grep_core::matcher::{PatternBuilder, PatternError};
use ast_grep_core::tree_sitter::{LanguageExt, StrDoc};
use ast_grep_core::{AstGrep, Pattern as Shape};
use tree_sitter::{Language as Grammar, Parser};

use crate::plan::structural::pattern::metavariables;
use crate::syntax::Parsed;

/// What stands around a pattern. The first two come before the plain reading, in which calls
/// of Go and C are taken for something else.
const CONTEXTS: &[(&str, &str)] = &[
    ("package p\nfunc f() { ", " }"),
    ("void f(int p) { ", "; }"),
    ("", ""),
    ("fn f() { ", " }"),
    ("impl X { ", " }"),
    ("fn f() { match x { ", " } }"),
    ("class X { ", " }"),
    ("class X { void f() { ", "; } }"),
    ("x = ({ ", " })"),
    ("f(", ")"),
    ("a { ", " }"),
    ("struct X { ", " }"),
    ("type X = ", ";"),
    ("x = <a ", " />"),
];
/// What may stand for `$`: the last two are letters everywhere.
const EXPANDOS: &[char] = &['$', 'µ', '_'];
/// Nodes within one another in a pattern.
const MAX_DEPTH: usize = 100;
/// Readings that are tried.
const MAX_READINGS: usize = 4;

/// A grammar as the matcher wants it.
#[derive(Clone)]
pub(super) struct Tongue {
    grammar: Grammar,
    expando: char,
}

/// One way to read a pattern.
pub(super) struct Reading {
    pub(super) shape: Shape,
    /// The kind of node that it is.
    pub(super) kind: String,
    /// The names in it, and whether each stands for several nodes.
    pub(super) names: Vec<(String, bool)>,
    /// Whether names stand in the arguments of a macro, which have no nodes to match.
    pub(super) tokens: bool,
    /// The text of its own.
    pub(super) text: String,
}

/// Returns the parsed text for the matcher.
pub(super) fn document(tree: &Parsed<'_>) -> StrDoc<Tongue> {
    let grammar = (*tree.root().language()).clone();
    StrDoc {
        src: tree.whole().to_owned(),
        lang: Tongue {
            grammar,
            expando: '$',
        },
        tree: tree.tree().clone(),
    }
}

/// Returns the readings of a pattern, the likeliest first; each is of another kind.
pub(super) fn readings(tree: &Parsed<'_>, pattern: &str) -> Vec<Reading> {
    let grammar = (*tree.root().language()).clone();
    let mut readings: Vec<Reading> = Vec::new();
    for missing in [false, true] {
        for expando in EXPANDOS {
            let tongue = Tongue {
                grammar: grammar.clone(),
                expando: *expando,
            };
            for context in CONTEXTS {
                let Some(reading) = tongue.read(pattern, *context, missing) else {
                    continue;
                };
                if readings.len() < MAX_READINGS
                    && readings.iter().all(|other| other.kind != reading.kind)
                {
                    readings.push(reading);
                }
            }
            if !readings.is_empty() {
                return readings;
            }
        }
    }
    readings
}

impl Tongue {
    /// Reads a pattern in a context; `missing` tolerates a token that the pattern leaves out.
    fn read(&self, pattern: &str, (before, after): (&str, &str), missing: bool) -> Option<Reading> {
        let expanded = self.expanded(pattern);
        let range = before.len()..before.len() + expanded.len();
        let source = format!("{before}{expanded}{after}");
        let mut parser = Parser::new();
        parser.set_language(&self.grammar).ok()?;
        let tree = parser.parse(&source, None)?;
        if has_error(&tree, missing) {
            return None;
        }
        let node = whole(&tree, range)?;
        let kind = node.kind().to_owned();
        let tokens = holds_tokens(node);
        let (start, end, kind_id) = (node.start_byte(), node.end_byte(), node.kind_id());
        let document = AstGrep::doc(StrDoc {
            src: source,
            lang: self.clone(),
            tree,
        });
        let top = document.root();
        let mut nodes = top.dfs().filter(|node| node.range() == (start..end));
        let node = nodes.find(|node| node.kind_id() == kind_id)?;
        let shape = Shape::from(node);
        let metas = metavariables(pattern);
        let names: Vec<(String, bool)> = metas
            .iter()
            .map(|meta| (meta.name.to_owned(), meta.many))
            .collect();
        let defined = shape.defined_vars();
        let all = (0..names.len()).all(|index| defined.contains(own_name(index).as_str()));
        let only = matches!(
            shape.node,
            ast_grep_core::matcher::PatternNode::MetaVar { .. }
        );
        (all && !only).then(|| Reading {
            kind,
            names,
            tokens: tokens && !metas.is_empty(),
            text: squashed(pattern, metas.iter().map(|meta| meta.start..meta.end)),
            shape: shape.clone(),
        })
    }

    /// Gives every metavariable a name of its own, in letters of the language: what is equal is
    /// compared by its text, and what has no name is known as well.
    fn expanded(&self, pattern: &str) -> String {
        let mut text = pattern.to_owned();
        for (index, meta) in metavariables(pattern).iter().enumerate().rev() {
            let sigil = self
                .expando
                .to_string()
                .repeat(if meta.many { 3 } else { 1 });
            text.replace_range(meta.start..meta.end, &format!("{sigil}{}", own_name(index)));
        }
        text
    }
}

/// Returns the name of the metavariable at `index` within the matcher.
pub(super) fn own_name(index: usize) -> String {
    format!("META{index}")
}

/// Returns a text without the given ranges, white space, commas and semicolons.
pub(super) fn squashed(text: &str, holes: impl Iterator<Item = Range<usize>>) -> String {
    let mut out = String::new();
    let mut at = 0;
    let mut push = |range: Range<usize>| {
        let part = text.get(range).unwrap_or_default().chars();
        out.extend(part.filter(|c| !c.is_whitespace() && !matches!(c, ',' | ';')));
    };
    for hole in holes {
        push(at..hole.start.max(at));
        at = at.max(hole.end);
    }
    push(at..text.len());
    out
}

/// Returns whether a tree has errors, or is too deep to be a pattern.
fn has_error(tree: &tree_sitter::Tree, missing: bool) -> bool {
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

fn holds_tokens(node: tree_sitter::Node<'_>) -> bool {
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
fn whole(tree: &tree_sitter::Tree, range: Range<usize>) -> Option<tree_sitter::Node<'_>> {
    let node = tree
        .root_node()
        .descendant_for_byte_range(range.start, range.end)?;
    let exact = node.byte_range() == range;
    let several = node.parent().is_none() && node.named_child_count() != 1;
    (exact && !several && node.is_named()).then_some(node)
}

impl Language for Tongue {
    fn expando_char(&self) -> char {
        self.expando
    }

    fn kind_to_id(&self, kind: &str) -> u16 {
        self.grammar.id_for_node_kind(kind, true)
    }

    fn field_to_id(&self, field: &str) -> Option<u16> {
        self.grammar.field_id_for_name(field).map(|id| id.get())
    }

    fn build_pattern(&self, builder: &PatternBuilder<'_>) -> Result<Shape, PatternError> {
        builder.build(|source| StrDoc::try_new(source, self.clone()))
    }
}

impl LanguageExt for Tongue {
    fn get_ts_language(&self) -> Grammar {
        self.grammar.clone()
    }
}
