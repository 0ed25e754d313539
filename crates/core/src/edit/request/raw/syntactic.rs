//! The blocks `ast` and `struct`, which find their places by syntax or by pattern.

use serde::Deserialize;
use serde_json::Value;

use super::super::{
    AstAction, AstRequest, Constraint, ConstraintTest, InsertPosition, Invalid, StructRequest,
};

#[derive(Deserialize)]
pub(super) struct RawAst {
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
    range: Option<Value>,
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
pub(super) struct RawStruct {
    pattern: String,
    replacement: String,
    language: Option<String>,
    #[serde(default)]
    r#where: serde_json::Map<String, Value>,
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

pub(super) fn ast(raw: RawAst) -> Result<AstRequest, Invalid> {
    let bare = |name: String| name.trim().trim_start_matches('@').to_owned();
    let (action, position, capture, template) = match raw.edit {
        Some(edit) if edit.range.is_some() => {
            return Err(Invalid(
                "`ast.edit.range` is not read; name a capture in `target`, or use `lines`".into(),
            ));
        }
        Some(edit) => (
            Some(edit.r#type),
            edit.position.or(raw.position),
            edit.anchor.or(raw.capture),
            edit.content.or(raw.template),
        ),
        None => (raw.action, raw.position, raw.capture, raw.template),
    };
    let Some(query) = raw.query else {
        return Err(Invalid(
            "ast: `query` is missing; `capture`, `anchor` and `target` name one of its captures"
                .into(),
        ));
    };
    // In the place of the node: that is a replacement, whoever asks for it by position.
    let action = match (action, position) {
        (None, Some(RawPosition::Replace)) => Some(RawAction::Replace),
        (Some(RawAction::Insert | RawAction::Delete), Some(RawPosition::Replace)) => {
            return Err(Invalid(
                "ast: `position`: `replace` is for a replacement; `action` asks for another change"
                    .into(),
            ));
        }
        (action, _) => action,
    };
    let position = position.and_then(|position| match position {
        RawPosition::Before => Some(InsertPosition::Before),
        RawPosition::After => Some(InsertPosition::After),
        RawPosition::Start => Some(InsertPosition::Start),
        RawPosition::End => Some(InsertPosition::End),
        RawPosition::Replace => None,
    });
    let action = match (action, position) {
        (Some(RawAction::Insert) | None, Some(position)) => AstAction::Insert(position),
        (Some(RawAction::Insert), None) => {
            return Err(Invalid(
                "ast: an insertion needs `position`: `before`, `after`, `start` or `end`".into(),
            ));
        }
        (Some(RawAction::Replace), _) => AstAction::Replace,
        (Some(RawAction::Delete), _) => AstAction::Delete,
        (None, None) => AstAction::Implied,
    };
    let needs_text = !matches!(action, AstAction::Delete);
    if needs_text && template.is_none() {
        return Err(Invalid(
            "ast: `template` is missing; to take nodes out, give `action`: `delete`".into(),
        ));
    }
    Ok(AstRequest {
        engine: raw.engine,
        language: raw.language,
        query,
        capture: capture.map(bare),
        action,
        template: template.filter(|_| needs_text).unwrap_or_default(),
    })
}

pub(super) fn structural(raw: RawStruct) -> Result<StructRequest, Invalid> {
    let mut constraints = Vec::new();
    for (hole, value) in raw.r#where {
        let wrong = |why: String| Invalid(format!("struct.where.{hole}: {why}"));
        let tests: RawConstraint =
            serde_json::from_value(value).map_err(|error| wrong(error.to_string()))?;
        let all = [
            (tests.regex.map(ConstraintTest::Regex), true),
            (tests.not_regex.map(ConstraintTest::Regex), false),
            (tests.equals.map(ConstraintTest::Equals), true),
            (tests.not_equals.map(ConstraintTest::Equals), false),
        ];
        let name = hole
            .trim_start_matches([':', '[', '$'])
            .trim_end_matches(']');
        for (test, wanted) in all {
            constraints.extend(test.map(|test| Constraint {
                hole: name.to_owned(),
                test,
                wanted,
            }));
        }
    }
    Ok(StructRequest {
        pattern: raw.pattern,
        replacement: raw.replacement,
        language: raw.language,
        constraints,
    })
}
