//! Request: one change as it was asked for; nothing in it is trusted.
//!
//! In: JSON, as the payload of `apply_structured_edits`. Out: [`Payload`] and [`Change`],
//! whose shape is checked, or [`Invalid`] with a line that says what is wrong and where.
//!
//! One table (`request/raw/fields/table`) has the fields of a payload's objects and the other names under which
//! models write them; the schema that a model is told, the reading, the words of errors and what counts as content
//! while a call streams in come of it.
//!
//! **Invariant:** only `request` knows what a payload's JSON means. A tool that takes other arguments makes a
//! change of them and hands it in here.

mod made;
mod raw;
mod recipe;
mod strategy;

use std::str::FromStr;
use std::time::Duration;

use std::ops::RangeInclusive;

use serde::{Deserialize, Serialize};

pub use raw::in_words;
pub use recipe::{
    CallWrap, ContainerEnd, CrateRoot, JsxProp, NameKind, NewFunction, RECIPES, Recipe, Rename,
    SymbolAddress, SymbolPart, SymbolReplacement, Which,
};
pub use strategy::Strategy;

use crate::edit::intent::Operation;
use raw::syntactic::{RawAst, RawStruct};
use raw::{RawOperation, RawSection};

/// Bytes of a patch or content that are taken. Case: a model that repeats itself until its server stops it.
pub const MAX_REQUEST_BYTES: usize = 4 * 1024 * 1024;

/// Changes that are staged together or not at all.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Payload {
    /// The changes in order.
    pub changes: Vec<Change>,
    /// The checks that were asked for.
    pub verify: Verify,
}

/// Which checks a payload asks for.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Verify {
    /// What is to be checked.
    pub checks: Vec<CheckKind>,
    /// Those of them that are asked for by name: the project must have them.
    pub named: Vec<CheckKind>,
    /// How long all of it may take, if that is said.
    pub timeout: Option<Duration>,
}

impl Verify {
    /// Returns whether nothing is to be checked.
    pub fn is_empty(&self) -> bool {
        self.checks.is_empty()
    }

    /// Adds what else is asked for; of two limits, the shorter holds.
    fn add(&mut self, other: Self) {
        for (own, other) in [
            (&mut self.checks, other.checks),
            (&mut self.named, other.named),
        ] {
            for check in other {
                if !own.contains(&check) {
                    own.push(check);
                }
            }
        }
        self.timeout = [self.timeout, other.timeout].into_iter().flatten().min();
    }
}

/// A kind of checks of what a payload makes of the workspace.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum CheckKind {
    /// The types: the TypeScript compiler, and its like in other languages.
    Tsc,
    /// The style: ESLint, and other linters.
    Eslint,
    /// The project's build.
    Build,
}

impl CheckKind {
    /// Returns its name in payloads.
    pub fn name(self) -> &'static str {
        match self {
            Self::Tsc => "tsc",
            Self::Eslint => "eslint",
            Self::Build => "build",
        }
    }
}

/// One asked change to one file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Change {
    /// The path as written; empty for a patch that names its files itself.
    pub file: String,
    /// One line: what the change is for.
    pub description: Option<String>,
    /// What the model says happens to the file; the engine finds out by itself.
    pub operation: Option<Operation>,
    /// How the place is found and what is put there.
    pub request: Request,
    /// If given, any other number of changes is refused.
    pub expected: Option<usize>,
}

/// How a change is phrased.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Request {
    /// Old text becomes new text.
    Section(SectionRequest),
    /// Operations on line numbers.
    Lines(Vec<LineOperation>),
    /// A unified diff, or a patch between `*** Begin Patch` and `*** End Patch`.
    Unified(String),
    /// The whole new text, or text to add at the end.
    Whole(WholeRequest),
    /// A named edit.
    Recipe(Recipe),
    /// The file goes away.
    Delete,
    /// The file gets another path, given as written; its text stays.
    Move {
        /// Where to.
        to: String,
    },
    /// A patch in the text format of diff-match-patch.
    Dmp(String),
    /// What a tree-sitter query captures.
    Ast(AstRequest),
    /// What a pattern with holes matches.
    Struct(StructRequest),
    /// Several ways to ask for the same; the first that can be done is.
    FirstOf(Vec<Self>),
}

impl Request {
    /// Reads the block of one strategy, as `{"edits": [...]}` of `section`, for a tool whose arguments name file and
    /// description by themselves.
    ///
    /// # Errors
    ///
    /// Fails in the words of [`Change::parse`] if the block is none of this strategy, or brings too much text.
    pub fn parse(strategy: Strategy, block: serde_json::Value) -> Result<Self, Invalid> {
        raw::block_alone(strategy, block)
    }

    /// Returns whether the text has to be parsed to find the place.
    pub(crate) fn takes_a_tree(&self) -> bool {
        match self {
            Self::Ast(_) | Self::Struct(_) | Self::Recipe(_) => true,
            Self::FirstOf(ways) => ways.iter().any(Self::takes_a_tree),
            _ => false,
        }
    }
}

/// What a tree-sitter query captures, and what becomes of it.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(try_from = "RawAst")]
pub struct AstRequest {
    /// Only `tree-sitter` is built in.
    pub engine: String,
    /// The grammar; told by the path where it is not given.
    pub language: Option<String>,
    /// The query.
    pub query: String,
    /// Which capture is meant.
    pub capture: Option<String>,
    /// What becomes of it.
    pub action: AstAction,
    /// New text; `@name` is a capture and `@@` a plain `@`.
    pub template: String,
    /// The lines, from 1, that a match lies in; anywhere without them.
    pub lines: Option<RangeInclusive<usize>>,
}

/// What becomes of a captured node.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AstAction {
    /// Not said: an insertion at the start of a captured root, else a replacement.
    Implied,
    /// The template is put somewhere by the node.
    Insert(InsertPosition),
    /// The template takes the node's place.
    Replace,
    /// The node goes away.
    Delete,
}

/// Where text is put, seen from a node.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum InsertPosition {
    /// Before the node.
    Before,
    /// After the node.
    After,
    /// Within the node, before its first child.
    Start,
    /// Within the node, after its last child.
    End,
}

/// A pattern with holes and what its matches become.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(from = "RawStruct")]
pub struct StructRequest {
    /// Text with holes (`:[x]`) or metavariables (`$A`).
    pub pattern: String,
    /// Text with the same.
    pub replacement: String,
    /// Told by the path where it is not given.
    pub language: Option<String>,
    /// What a hole's text has to be like.
    pub constraints: Vec<Constraint>,
}

/// What the text of one hole has to be like.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Constraint {
    /// The hole's name.
    pub hole: String,
    /// How its text is tested.
    pub test: ConstraintTest,
    /// Whether the test has to succeed.
    pub wanted: bool,
}

/// How the text of a hole is tested.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ConstraintTest {
    /// A regular expression matches somewhere in it.
    Regex(String),
    /// It is this text.
    Equals(String),
}

/// Pairs of old and new text, all matched against the same base.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(from = "RawSection")]
pub struct SectionRequest {
    /// The pairs.
    pub edits: Vec<Pair>,
}

/// Which matches of an old text are meant.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(from = "bool")]
pub enum MatchScope {
    /// The only one; several are ambiguous.
    #[default]
    Single,
    /// Every one.
    All,
}

impl From<bool> for MatchScope {
    /// Returns what `replace_all` asks for.
    fn from(replace_all: bool) -> Self {
        if replace_all { Self::All } else { Self::Single }
    }
}

/// Old text and what it becomes.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
pub struct Pair {
    /// Text in the file.
    #[serde(rename = "old_text")]
    pub old: String,
    /// Text that takes its place.
    #[serde(rename = "new_text")]
    pub new: String,
    /// Which matches are meant.
    #[serde(default, rename = "replace_all")]
    pub scope: MatchScope,
}

/// An operation on 1-based, inclusive line numbers of the text before all of them.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(try_from = "RawOperation")]
pub enum LineOperation {
    /// Lines `start..=end` become `content`; nothing, for a deletion.
    Replace {
        /// First line.
        start: usize,
        /// Last line.
        end: usize,
        /// New lines, without endings.
        content: Vec<String>,
    },
    /// `content` is put after line `after`; 0 is the start.
    Insert {
        /// The line before.
        after: usize,
        /// New lines, without endings.
        content: Vec<String>,
    },
}

/// A whole text.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
pub struct WholeRequest {
    /// The text.
    #[serde(deserialize_with = "content_text")]
    pub content: String,
    /// Where it goes.
    #[serde(default, rename = "mode")]
    pub placement: WholePlacement,
}

/// Reads the text of a file: what is written as an object, as models write `package.json`, is the JSON of it, with two
/// blanks for each level.
///
/// # Errors
///
/// Fails if it is neither a text nor an object.
pub fn content_text<'de, D: serde::Deserializer<'de>>(from: D) -> Result<String, D::Error> {
    #[derive(Deserialize)]
    #[serde(untagged, expecting = "a text or an object")]
    enum Written {
        Text(String),
        Object(serde_json::Map<String, serde_json::Value>),
    }
    match Written::deserialize(from)? {
        Written::Text(text) => Ok(text),
        Written::Object(object) => serde_json::to_string_pretty(&object)
            .map(|text| text + "\n")
            .map_err(serde::de::Error::custom),
    }
}

/// Where a whole text goes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
pub enum WholePlacement {
    /// In the place of everything.
    #[default]
    #[serde(rename = "overwrite")]
    Everything,
    /// After what is there.
    #[serde(rename = "append")]
    End,
}

/// A payload that has not the shape of one.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct Invalid(pub String);

impl Payload {
    /// Returns the JSON schema of a payload, as it is sent to models.
    pub fn schema() -> serde_json::Value {
        raw::fields::schema()
    }

    /// Returns whether a field of this name in a payload holds a short text, as a name or a language, and no content of
    /// a file.
    pub fn is_label(key: &str) -> bool {
        raw::fields::is_label(key)
    }

    /// Reads the JSON text of a payload.
    pub fn parse(text: &str) -> Result<Self, Invalid> {
        let value = serde_json::from_str(text).map_err(|e| Invalid(format!("not JSON: {e}")))?;
        raw::payload(value)
    }
}

/// Takes the block `verify` out of an object and of a change in it; returns the checks.
pub(crate) fn take_checks(objects: [&mut serde_json::Value; 2]) -> Result<Verify, Invalid> {
    let mut checks = Verify::default();
    for object in objects {
        checks.add(raw::checks(object)?);
    }
    Ok(checks)
}

impl FromStr for Change {
    type Err = Invalid;

    /// Reads the JSON text of one element of a payload's `changes`.
    fn from_str(text: &str) -> Result<Self, Invalid> {
        let value = serde_json::from_str(text).map_err(|e| Invalid(format!("not JSON: {e}")))?;
        raw::change(value)
    }
}

impl Change {
    /// Checks how much text the change brings; reading one from JSON has checked that.
    ///
    /// # Errors
    ///
    /// Fails beyond [`MAX_REQUEST_BYTES`].
    pub fn check_size(&self) -> Result<(), Invalid> {
        raw::check_size(&self.request)
    }

    /// Reads one element of a payload's `changes`. A block `verify` in it is checked and left out.
    pub fn parse(value: serde_json::Value) -> Result<Self, Invalid> {
        raw::change(value)
    }
}
