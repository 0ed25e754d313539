//! Syntax: languages, trees, outlines and syntax errors.
//!
//! In: a path and text. Out: [`Language`], what is known of it, and [`Parsed`], a tree-sitter
//! tree over the text; from these [`outline`] and [`health`]. Nothing outside this room names a
//! grammar.
//!
//! tree-sitter behind `Language` and `Parsed`, one table for all languages. `precise` holds the parsers that accept
//! exactly the language: syn, oxc, ruff, serde_json, toml and saphyr. Cargo's feature `extra-grammars` holds the
//! grammars of C, C++, CSS, HTML and Java (`grammar/included`), `precise-parsers` oxc and ruff; core and tui hand
//! both on. `health` says which syntax errors a change brings in; `health/permissive` adds what the grammars of Go,
//! Java and YAML accept and the language rejects. New errors in C, C++, Bash, CSS and HTML only warn
//! (`docs/decisions/0019`).
//!
//! **Invariant:** nothing outside this room names a grammar. Texts over 1.5 MB are not parsed, nor what has 2,000
//! brackets open at once; of 5,000 comments in a row a parser sees both ends.
//!
//! **Invariant:** nobody asks a node of a large tree for its parent or siblings in a loop: tree-sitter goes down
//! from the root for each. `node_links` finds the families of many nodes in one descent, and walks tell what is
//! above.
//!
//! `definition` says which node kinds give something a name, and where in the node it stands; outlines and recipes
//! read it. What a precise parser accepts needs no tree. `defining` tells, from a line alone, whether a definition
//! may name itself there, so that most edits need none for their guards either.
//!
//! A `SyntaxCache` keeps the trees and findings of recent texts, told apart by hash and bounded by weight: trees
//! take 32 MiB, findings 4, and room for a large tree is made before it is parsed. The engine owns one, and so does
//! each command that answers lines. Work on large trees takes turns (`docs/decisions/0020`). After an edit of a
//! good text only what it touches is parsed; where that is not good, the text is parsed from its start, so that
//! errors do not depend on what came before.
//!
//! **Invariant:** what recurses as deep as a text is nested runs in `with_room`.

pub mod defining;
pub mod definition;
pub mod health;
pub mod lexis;
pub mod mentions;
pub mod moved_code;
pub mod outline;
pub mod same_code;
pub mod tokens;

mod cache;
mod grammar;
pub mod node_links;
mod kinds;
mod precise;
mod recent;
mod remarks;
mod stack;
mod table;

pub use tree_sitter::Node;
use tree_sitter::Tree;

pub use cache::{Earlier, SyntaxCache};
pub use stack::with_room;

use crate::budget::Budget;
use crate::path::WorkspacePath;
use crate::text::Slice;
use lexis::Lexis;

/// Files above this size are not parsed.
pub const MAX_PARSE_BYTES: usize = 1_500_000;

/// States that a query on a tree may be in at once. Attack: repetitions side by side, `(_)* (_)*`, over many siblings; at
/// each node all states are compared with each other, without a report in between.
pub const MATCH_LIMIT: u32 = 512;

/// A language that is known. Those in [`Language::ALL`] have a grammar in this build: files of another are of no known
/// language.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Language {
    /// Rust.
    Rust,
    /// TypeScript.
    TypeScript,
    /// TypeScript with JSX.
    Tsx,
    /// JavaScript, with JSX or without.
    JavaScript,
    /// Python.
    Python,
    /// Go.
    Go,
    /// JSON, with comments where the file's tool takes them.
    Json,
    /// CSS.
    Css,
    /// HTML.
    Html,
    /// Markdown.
    Markdown,
    /// TOML.
    Toml,
    /// YAML.
    Yaml,
    /// Bash and the plain shell.
    Bash,
    /// C.
    C,
    /// C++.
    Cpp,
    /// Java.
    Java,
}

/// What an alarm of a parser is worth.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Trust {
    /// It holds: an edit that raises it is refused.
    Block,
    /// The grammar alarms on some good files: an edit of a text without alarms that raises one
    /// is refused.
    Change,
    /// The grammar alarms on many good files: an edit that raises an alarm is flagged.
    Warn,
    /// The grammar takes any text.
    Ignore,
}

/// A text and its tree.
pub struct Parsed<'a> {
    text: &'a str,
    tree: Tree,
}

impl Language {
    /// The languages with a grammar, in the order of the table. Cargo's feature `extra-grammars` adds C, C++, CSS, HTML
    /// and Java.
    pub const ALL: &'static [Self] = &[
        Self::Rust,
        Self::TypeScript,
        Self::Tsx,
        Self::JavaScript,
        Self::Python,
        Self::Go,
        Self::Json,
        #[cfg(feature = "extra-grammars")]
        Self::Css,
        #[cfg(feature = "extra-grammars")]
        Self::Html,
        Self::Markdown,
        Self::Toml,
        Self::Yaml,
        Self::Bash,
        #[cfg(feature = "extra-grammars")]
        Self::C,
        #[cfg(feature = "extra-grammars")]
        Self::Cpp,
        #[cfg(feature = "extra-grammars")]
        Self::Java,
    ];

    /// Returns the language of a file, told by its name.
    pub fn of(path: &WorkspacePath) -> Option<Self> {
        let name = path.name();
        let by_name = all().find(|language| language.facts().files.contains(&name));
        by_name.or_else(|| {
            let extension = path.extension()?;
            all().find(|language| language.facts().extensions.contains(&extension.as_str()))
        })
    }

    /// Returns the language that a payload means by `name`: its name or the extension of its files,
    /// in any case.
    pub fn named(name: &str) -> Option<Self> {
        let name = name.trim().trim_start_matches('.').to_lowercase();
        Self::ALL.iter().copied().find(|language| {
            let facts = language.facts();
            let known = facts.names.iter().chain(facts.extensions);
            known.into_iter().any(|known| *known == name)
        })
    }

    /// Returns the language's first name.
    pub fn name(self) -> &'static str {
        self.facts().names.first().copied().unwrap_or_default()
    }

    /// Returns what delimits comments and strings.
    pub fn lexis(self) -> &'static Lexis {
        &self.facts().lexis
    }

    /// Returns what a syntax error that only the tree shows is worth.
    pub fn trust(self) -> Trust {
        self.facts().trust
    }

    /// Returns the node kinds that are names; none where a name is no part of the grammar.
    pub fn identifiers(self) -> &'static [&'static str] {
        self.facts().identifiers
    }

    /// Returns whether `...` alone on a line means something.
    pub fn has_ellipsis(self) -> bool {
        self.facts().ellipsis
    }

    /// Parses `text`; none if it is too large, the parser gives up or the build has no grammar. [`SyntaxCache::parse`] keeps
    /// the tree.
    pub fn parse(self, text: &str) -> Option<Parsed<'_>> {
        Parsed::of(self, text, None)
    }

    /// Returns the grammar, if the build includes it.
    pub(crate) fn grammar(self) -> Option<tree_sitter::Language> {
        grammar::included::of(self).map(|included| (included.grammar)())
    }
}

fn all() -> impl Iterator<Item = Language> {
    Language::ALL.iter().copied()
}

impl<'a> Parsed<'a> {
    /// Parses a text within a budget, if there is one.
    fn of(language: Language, text: &'a str, budget: Option<&Budget>) -> Option<Self> {
        if text.len() > MAX_PARSE_BYTES {
            return None;
        }
        let tree = grammar::parse(language, text, None, budget)?;
        Some(Self { text, tree })
    }

    /// Returns the root of the tree.
    pub fn root(&self) -> Node<'_> {
        self.tree.root_node()
    }

    /// Returns the whole text.
    pub fn whole(&self) -> &'a str {
        self.text
    }

    /// Returns the tree.
    pub fn tree(&self) -> &Tree {
        &self.tree
    }

    /// Returns the text of a node.
    pub fn text(&self, node: Node<'_>) -> &'a str {
        self.text.slice(node.byte_range())
    }

    /// Returns the text that was parsed.
    pub fn source(&self) -> &'a str {
        self.text
    }

    /// Calls `visit` for every node, parents first, in the order of the text.
    pub fn walk<'t>(&'t self, mut visit: impl FnMut(Node<'t>)) {
        self.walk_into(|node, _| {
            visit(node);
            true
        });
    }

    /// Calls `visit` for nodes, parents first, with what is above them, outermost first; for
    /// children only where it returns true.
    pub fn walk_into<'t>(&'t self, visit: impl FnMut(Node<'t>, &[Node<'t>]) -> bool) {
        walk_into(&self.tree, visit);
    }
}

/// Walks a tree as [`Parsed::walk_into`] does.
pub fn walk_into<'t>(tree: &'t Tree, mut visit: impl FnMut(Node<'t>, &[Node<'t>]) -> bool) {
    let mut cursor = tree.walk();
    let mut above = Vec::new();
    loop {
        let node = cursor.node();
        if visit(node, &above) && cursor.goto_first_child() {
            above.push(node);
            continue;
        }
        while !cursor.goto_next_sibling() {
            if !cursor.goto_parent() {
                return;
            }
            above.pop();
        }
    }
}

#[cfg(test)]
mod tests;
