//! Requests built by a program instead of parsed from JSON.
//!
//! The constructors take what every request of a kind has. Everything else is as in a payload that leaves it out.

use super::{
    AstAction, AstRequest, Change, MatchScope, Pair, Request, SectionRequest, StructRequest,
    WholePlacement, WholeRequest,
};

impl Change {
    /// Returns the change of a file that is asked for by `request`, and nothing else.
    ///
    /// ```
    /// use signoff_core::edit::request::{Change, Pair};
    ///
    /// let change = Change::new("src/main.rs", [Pair::new("total = 1", "total = 2")]);
    /// # assert!(change.description.is_none());
    /// ```
    pub fn new(file: impl Into<String>, request: impl Into<Request>) -> Self {
        Self {
            file: file.into(),
            description: None,
            operation: None,
            request: request.into(),
            expected: None,
        }
    }
}

impl Pair {
    /// Returns the pair for a text that is there once.
    pub fn new(old: impl Into<String>, new: impl Into<String>) -> Self {
        Self {
            old: old.into(),
            new: new.into(),
            scope: MatchScope::Single,
        }
    }
}

impl AstRequest {
    /// Returns the request that puts `template` in the place of what `query` captures; at the start
    /// of the file, if that is its root.
    pub fn new(query: impl Into<String>, template: impl Into<String>) -> Self {
        Self {
            engine: "tree-sitter".into(),
            language: None,
            query: query.into(),
            capture: None,
            action: AstAction::Implied,
            template: template.into(),
            lines: None,
        }
    }
}

impl StructRequest {
    /// Returns the request that makes `replacement` of every match of `pattern`.
    pub fn new(pattern: impl Into<String>, replacement: impl Into<String>) -> Self {
        Self {
            pattern: pattern.into(),
            replacement: replacement.into(),
            language: None,
            constraints: Vec::new(),
        }
    }
}

impl WholeRequest {
    /// Returns the request for a text in the place of everything.
    pub fn new(content: impl Into<String>) -> Self {
        Self {
            content: content.into(),
            placement: WholePlacement::Everything,
        }
    }
}

impl<const N: usize> From<[Pair; N]> for Request {
    fn from(pairs: [Pair; N]) -> Self {
        Self::Section(SectionRequest {
            edits: pairs.into(),
        })
    }
}

impl From<AstRequest> for Request {
    fn from(request: AstRequest) -> Self {
        Self::Ast(request)
    }
}

impl From<StructRequest> for Request {
    fn from(request: StructRequest) -> Self {
        Self::Struct(request)
    }
}

impl From<WholeRequest> for Request {
    fn from(request: WholeRequest) -> Self {
        Self::Whole(request)
    }
}

impl From<super::Recipe> for Request {
    fn from(recipe: super::Recipe) -> Self {
        Self::Recipe(recipe)
    }
}
