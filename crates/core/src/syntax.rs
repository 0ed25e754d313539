//! Grammars behind one door.
//!
//! In: a path and text. Out: [`Language`] and [`Parsed`], a tree-sitter tree over the text.
//! Nothing outside this room names a grammar.

use tree_sitter::{Node, Parser, Tree};

use crate::workspace::WorkspacePath;

/// Files above this size are not parsed.
pub const MAX_PARSE_BYTES: usize = 1_500_000;

/// A language with a grammar.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
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
}

/// A text and its tree.
pub struct Parsed<'a> {
    text: &'a str,
    tree: Tree,
}

impl Language {
    /// Returns the language of a file, told by its name.
    pub fn of(path: &WorkspacePath) -> Option<Self> {
        Some(match path.extension()?.as_str() {
            "rs" => Self::Rust,
            "ts" | "mts" | "cts" => Self::TypeScript,
            "tsx" => Self::Tsx,
            "js" | "jsx" | "mjs" | "cjs" => Self::JavaScript,
            "py" | "pyi" => Self::Python,
            _ => return None,
        })
    }

    /// Parses `text`; none if it is too large or the parser gives up.
    pub fn parse(self, text: &str) -> Option<Parsed<'_>> {
        if text.len() > MAX_PARSE_BYTES {
            return None;
        }
        let mut parser = Parser::new();
        parser.set_language(&self.grammar()).ok()?;
        parser.parse(text, None).map(|tree| Parsed { text, tree })
    }

    fn grammar(self) -> tree_sitter::Language {
        match self {
            Self::Rust => tree_sitter_rust::LANGUAGE.into(),
            Self::TypeScript => tree_sitter_typescript::LANGUAGE_TYPESCRIPT.into(),
            Self::Tsx => tree_sitter_typescript::LANGUAGE_TSX.into(),
            Self::JavaScript => tree_sitter_javascript::LANGUAGE.into(),
            Self::Python => tree_sitter_python::LANGUAGE.into(),
        }
    }
}

impl<'a> Parsed<'a> {
    /// Returns the root of the tree.
    pub fn root(&self) -> Node<'_> {
        self.tree.root_node()
    }

    /// Returns the whole text.
    pub(crate) fn whole(&self) -> &'a str {
        self.text
    }

    /// Returns the tree.
    pub(crate) fn tree(&self) -> &Tree {
        &self.tree
    }

    /// Returns the text of a node.
    pub fn text(&self, node: Node<'_>) -> &'a str {
        self.text.get(node.byte_range()).unwrap_or_default()
    }

    /// Calls `visit` for every node, parents first, in the order of the text.
    pub fn walk<'t>(&'t self, mut visit: impl FnMut(Node<'t>)) {
        let mut cursor = self.tree.walk();
        loop {
            visit(cursor.node());
            if cursor.goto_first_child() || cursor.goto_next_sibling() {
                continue;
            }
            loop {
                if !cursor.goto_parent() {
                    return;
                }
                if cursor.goto_next_sibling() {
                    break;
                }
            }
        }
    }
}
