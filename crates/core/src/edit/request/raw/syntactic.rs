//! The blocks `ast` and `struct`, which find their places by syntax or by pattern.

use std::collections::BTreeMap;

use serde::Deserialize;

use crate::edit::request::{
    AstAction, AstRequest, Constraint, ConstraintTest, InsertPosition, Invalid, StructRequest,
};

#[derive(Deserialize)]
pub(in crate::edit::request) struct RawAst {
    #[serde(default = "tree_sitter")]
    engine: String,
    language: Option<String>,
    query: Option<String>,
    action: Option<RawAction>,
    position: Option<RawPosition>,
    capture: Option<String>,
    template: Option<String>,
    edit: Option<RawEdit>,
}

/// The same as the flat fields of [`RawAst`], under other names.
#[derive(Deserialize)]
struct RawEdit {
    r#type: RawAction,
    position: Option<RawPosition>,
    anchor: Option<String>,
    content: Option<String>,
    range: Option<RawRange>,
}

/// Lines, as `lines` counts them.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct RawRange {
    start: usize,
    end: usize,
}

#[derive(Clone, Copy, Deserialize)]
#[serde(rename_all = "lowercase")]
enum RawAction {
    Insert,
    Replace,
    Delete,
}

#[derive(Clone, Copy, Deserialize)]
#[serde(rename_all = "lowercase")]
enum RawPosition {
    Before,
    After,
    Start,
    End,
    Replace,
}

#[derive(Deserialize)]
pub(in crate::edit::request) struct RawStruct {
    pattern: String,
    replacement: String,
    language: Option<String>,
    #[serde(default)]
    r#where: BTreeMap<String, RawConstraint>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct RawConstraint {
    regex: Option<String>,
    not_regex: Option<String>,
    equals: Option<String>,
    not_equals: Option<String>,
}

fn tree_sitter() -> String {
    "tree-sitter".into()
}

impl TryFrom<RawAst> for AstRequest {
    type Error = Invalid;

    fn try_from(raw: RawAst) -> Result<Self, Invalid> {
        let mut lines = None;
        let (action, position, capture, template) = match raw.edit {
            Some(edit) => {
                lines = edit.range.map(|range| range.start..=range.end);
                (
                    Some(edit.r#type),
                    edit.position.or(raw.position),
                    edit.anchor.or(raw.capture),
                    edit.content.or(raw.template),
                )
            }
            None => (raw.action, raw.position, raw.capture, raw.template),
        };
        if let Some(lines) = lines
            .as_ref()
            .filter(|lines| *lines.start() == 0 || lines.is_empty())
        {
            let (start, end) = (lines.start(), lines.end());
            return Err(Invalid(format!(
                "`edit.range`: lines {start} to {end} are no range; lines count from 1"
            )));
        }
        let Some(query) = raw.query else {
            return invalid(if lines.is_some() {
                "`query` is missing, of whose matches `range` takes those in its lines; `lines` changes lines as they are"
            } else {
                "`query` is missing; `capture`, `anchor` and `target` name one of its captures"
            });
        };
        let action = match (action, position.map(RawPosition::insertion)) {
            // In the place of the node: that is a replacement, whoever asks for it by position.
            (None | Some(RawAction::Replace), Some(None)) => AstAction::Replace,
            (Some(RawAction::Insert | RawAction::Delete), Some(None)) => {
                return invalid(
                    "`position`: `replace` is for a replacement; `action` asks for another change",
                );
            }
            (Some(RawAction::Insert) | None, Some(Some(position))) => AstAction::Insert(position),
            (Some(RawAction::Insert), None) => {
                return invalid(
                    "an insertion needs `position`: `before`, `after`, `start` or `end`",
                );
            }
            (Some(RawAction::Replace), _) => AstAction::Replace,
            (Some(RawAction::Delete), _) => AstAction::Delete,
            (None, None) => AstAction::Implied,
        };
        let template = match (action, template) {
            (AstAction::Delete, _) => String::new(),
            (_, Some(template)) => template,
            (_, None) => {
                return invalid(
                    "`template` is missing; to take nodes out, give `action`: `delete`",
                );
            }
        };
        Ok(Self {
            engine: raw.engine,
            language: raw.language,
            query,
            capture: capture.map(|name| name.trim().trim_start_matches('@').to_owned()),
            action,
            template,
            lines,
        })
    }
}

fn invalid<T>(why: &str) -> Result<T, Invalid> {
    Err(Invalid(why.to_owned()))
}

impl RawPosition {
    /// Returns where text is put by the node; none in the node's place.
    fn insertion(self) -> Option<InsertPosition> {
        match self {
            Self::Before => Some(InsertPosition::Before),
            Self::After => Some(InsertPosition::After),
            Self::Start => Some(InsertPosition::Start),
            Self::End => Some(InsertPosition::End),
            Self::Replace => None,
        }
    }
}

impl From<RawStruct> for StructRequest {
    fn from(raw: RawStruct) -> Self {
        let mut constraints = Vec::new();
        for (hole, tests) in raw.r#where {
            let name = hole
                .trim_start_matches([':', '[', '$'])
                .trim_end_matches(']');
            for (test, wanted) in [
                (tests.regex.map(ConstraintTest::Regex), true),
                (tests.not_regex.map(ConstraintTest::Regex), false),
                (tests.equals.map(ConstraintTest::Equals), true),
                (tests.not_equals.map(ConstraintTest::Equals), false),
            ] {
                constraints.extend(test.map(|test| Constraint {
                    hole: name.to_owned(),
                    test,
                    wanted,
                }));
            }
        }
        Self {
            pattern: raw.pattern,
            replacement: raw.replacement,
            language: raw.language,
            constraints,
        }
    }
}
