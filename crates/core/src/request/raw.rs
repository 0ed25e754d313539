//! The payload as it stands in JSON.
//!
//! In: a JSON value. Out: what it means, or the first thing that is wrong with it.

use serde::Deserialize;
use serde_json::Value;

use super::{
    Change, Invalid, LineOperation, MAX_REQUEST_BYTES, MatchScope, Pair, Payload, Placement,
    Recipe, Request, SectionRequest, WholeRequest,
};
use crate::intent::Operation;

#[derive(Deserialize)]
struct RawPayload {
    changes: Vec<Value>,
    #[serde(default)]
    verify: Option<RawVerify>,
}

/// Which checks shall run on the result.
#[derive(Deserialize)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
struct RawVerify {
    #[serde(default)]
    tsc: bool,
    #[serde(default)]
    eslint: bool,
    #[serde(default)]
    build: bool,
    #[serde(default, rename = "timeoutMs")]
    _timeout: Option<u64>,
}

#[derive(Deserialize)]
struct RawChange {
    #[serde(alias = "path")]
    file: String,
    strategy: Option<Strategy>,
    description: Option<String>,
    operation: Option<Operation>,
    section: Option<RawSection>,
    lines: Option<RawLines>,
    diff: Option<RawDiff>,
    whole: Option<RawWhole>,
    recipe: Option<Value>,
    expected: Option<usize>,
}

#[derive(Clone, Copy, Deserialize)]
#[serde(rename_all = "lowercase")]
enum Strategy {
    Section,
    Lines,
    Diff,
    Whole,
    Recipe,
    Delete,
    Ast,
    Struct,
    Move,
}

#[derive(Deserialize)]
struct RawSection {
    edits: Vec<RawPair>,
    #[serde(default, alias = "replaceAll")]
    replace_all: bool,
}

#[derive(Deserialize)]
struct RawPair {
    #[serde(alias = "oldText", alias = "old_string")]
    old_text: String,
    #[serde(alias = "newText", alias = "new_string")]
    new_text: String,
}

#[derive(Deserialize)]
struct RawLines {
    operations: Vec<RawOperation>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct RawOperation {
    op: RawOp,
    #[serde(alias = "start_line")]
    start_line: Option<usize>,
    #[serde(alias = "end_line")]
    end_line: Option<usize>,
    #[serde(alias = "after_line")]
    after_line: Option<usize>,
    content: Option<RawContent>,
}

#[derive(Deserialize)]
#[serde(rename_all = "lowercase")]
enum RawOp {
    Replace,
    Insert,
    Delete,
}

#[derive(Deserialize)]
#[serde(untagged)]
enum RawContent {
    Lines(Vec<String>),
    Text(String),
}

#[derive(Deserialize)]
struct RawDiff {
    kind: Option<DiffKind>,
    patch: String,
}

#[derive(Deserialize)]
#[serde(rename_all = "lowercase")]
enum DiffKind {
    Unified,
    Dmp,
}

#[derive(Deserialize)]
struct RawWhole {
    content: String,
    #[serde(default)]
    mode: RawMode,
}

#[derive(Default, Deserialize)]
#[serde(rename_all = "lowercase")]
enum RawMode {
    #[default]
    Overwrite,
    Append,
}

/// Reads a whole payload.
pub(super) fn payload(value: Value) -> Result<Payload, Invalid> {
    let raw: RawPayload = serde_json::from_value(value).map_err(invalid)?;
    if raw.changes.is_empty() {
        return Err(Invalid("`changes` is empty".into()));
    }
    let read = |(index, value)| {
        change(value).map_err(|Invalid(why)| Invalid(format!("changes[{index}]: {why}")))
    };
    let changes = raw
        .changes
        .into_iter()
        .enumerate()
        .map(read)
        .collect::<Result<_, _>>()?;
    let verify = raw
        .verify
        .is_some_and(|verify| verify.tsc || verify.eslint || verify.build);
    Ok(Payload { changes, verify })
}

/// Reads one change.
pub(super) fn change(value: Value) -> Result<Change, Invalid> {
    let mut raw: RawChange = serde_json::from_value(value).map_err(invalid)?;
    let request = request(&mut raw)?;
    check_size(&request)?;
    Ok(Change {
        file: raw.file,
        description: raw.description,
        operation: raw.operation,
        request,
        expected: raw.expected,
    })
}

fn request(raw: &mut RawChange) -> Result<Request, Invalid> {
    let strategy = match raw.strategy {
        Some(strategy) => strategy,
        None => only_block(raw)?,
    };
    match strategy {
        Strategy::Section => section(block(raw.section.take(), "section")?),
        Strategy::Lines => lines(block(raw.lines.take(), "lines")?),
        Strategy::Diff => diff(block(raw.diff.take(), "diff")?),
        Strategy::Whole => Ok(Request::Whole(whole(block(raw.whole.take(), "whole")?))),
        Strategy::Recipe => Recipe::parse(block(raw.recipe.take(), "recipe")?).map(Request::Recipe),
        Strategy::Delete => Ok(Request::Delete),
        Strategy::Ast | Strategy::Struct | Strategy::Move => Err(Invalid(
            "strategies `ast`, `struct` and `move` are not available; \
             use `section`, `lines`, `diff`, `whole`, `recipe` or `delete`"
                .into(),
        )),
    }
}

/// Without a strategy, the one block that is there says which is meant.
fn only_block(raw: &RawChange) -> Result<Strategy, Invalid> {
    let present = [
        (raw.section.is_some(), Strategy::Section),
        (raw.lines.is_some(), Strategy::Lines),
        (raw.diff.is_some(), Strategy::Diff),
        (raw.whole.is_some(), Strategy::Whole),
        (raw.recipe.is_some(), Strategy::Recipe),
    ];
    let mut given = present
        .into_iter()
        .filter(|(there, _)| *there)
        .map(|(_, strategy)| strategy);
    match (given.next(), given.next()) {
        (Some(strategy), None) => Ok(strategy),
        (None, _) => Err(Invalid("no `strategy` and nothing that tells one".into())),
        (Some(_), Some(_)) => Err(Invalid(
            "several strategies given; name one in `strategy`".into(),
        )),
    }
}

fn section(raw: RawSection) -> Result<Request, Invalid> {
    if raw.edits.is_empty() {
        return Err(Invalid("`section.edits` is empty".into()));
    }
    let scope = if raw.replace_all {
        MatchScope::All
    } else {
        MatchScope::Single
    };
    let pair = |pair: RawPair| Pair {
        old: pair.old_text,
        new: pair.new_text,
    };
    let edits = raw.edits.into_iter().map(pair).collect();
    Ok(Request::Section(SectionRequest { edits, scope }))
}

fn lines(raw: RawLines) -> Result<Request, Invalid> {
    if raw.operations.is_empty() {
        return Err(Invalid("`lines.operations` is empty".into()));
    }
    let read = |(index, operation)| {
        line_operation(operation)
            .map_err(|Invalid(why)| Invalid(format!("lines.operations[{index}]: {why}")))
    };
    let operations = raw
        .operations
        .into_iter()
        .enumerate()
        .map(read)
        .collect::<Result<_, _>>()?;
    Ok(Request::Lines(operations))
}

fn line_operation(raw: RawOperation) -> Result<LineOperation, Invalid> {
    let content = raw.content.map(|content| match content {
        RawContent::Lines(lines) => lines,
        RawContent::Text(text) => text.lines().map(str::to_owned).collect(),
    });
    let content_or = || Invalid("`content` is missing".into());
    if content
        .as_ref()
        .is_some_and(|lines| lines.iter().any(|line| line.contains('\n')))
    {
        return Err(Invalid("`content` holds a line break within a line".into()));
    }
    if matches!(raw.op, RawOp::Insert) {
        let after = raw
            .after_line
            .ok_or(Invalid("`afterLine` is missing".into()))?;
        return Ok(LineOperation::Insert {
            after,
            content: content.ok_or_else(content_or)?,
        });
    }
    let start = raw
        .start_line
        .ok_or(Invalid("`startLine` is missing".into()))?;
    let end = raw.end_line.unwrap_or(start);
    if start == 0 || end < start {
        return Err(Invalid(format!(
            "lines {start} to {end} are no range; lines count from 1"
        )));
    }
    let content = match raw.op {
        RawOp::Delete => Vec::new(),
        _ => content.ok_or_else(content_or)?,
    };
    Ok(LineOperation::Replace {
        start,
        end,
        content,
    })
}

fn diff(raw: RawDiff) -> Result<Request, Invalid> {
    match raw.kind {
        Some(DiffKind::Dmp) => Err(Invalid(
            "diff kind `dmp` is not available; use `unified`".into(),
        )),
        Some(DiffKind::Unified) | None => Ok(Request::Unified(raw.patch)),
    }
}

fn whole(raw: RawWhole) -> WholeRequest {
    let placement = match raw.mode {
        RawMode::Overwrite => Placement::Everything,
        RawMode::Append => Placement::End,
    };
    WholeRequest {
        content: raw.content,
        placement,
    }
}

fn block<T>(given: Option<T>, name: &str) -> Result<T, Invalid> {
    given.ok_or_else(|| Invalid(format!("strategy `{name}` needs the field `{name}`")))
}

fn check_size(request: &Request) -> Result<(), Invalid> {
    let size: usize = match request {
        Request::Section(section) => section
            .edits
            .iter()
            .map(|pair| pair.old.len() + pair.new.len())
            .sum(),
        Request::Unified(patch) => patch.len(),
        Request::Whole(whole) => whole.content.len(),
        Request::Recipe(recipe) => recipe.size(),
        Request::Lines(_) | Request::Delete => 0,
    };
    if size > MAX_REQUEST_BYTES {
        return Err(Invalid(format!(
            "{size} bytes of text; the limit is {MAX_REQUEST_BYTES}"
        )));
    }
    Ok(())
}

fn invalid(error: serde_json::Error) -> Invalid {
    Invalid(error.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn why(text: &str) -> String {
        Payload::parse(text).unwrap_err().0
    }

    #[test]
    fn what_is_wrong_is_named() {
        assert!(why("{").starts_with("not JSON: EOF"));
        assert_eq!(why(r#"{"changes":[]}"#), "`changes` is empty");
        assert_eq!(
            why(r#"{"changes":[{"strategy":"section"}]}"#),
            "changes[0]: missing field `file`"
        );
        let check = |change: &str, expected: &str| {
            assert_eq!(
                why(&format!(r#"{{"changes":[{{"file":"a",{change}}}]}}"#)),
                expected
            );
        };
        check(
            r#""strategy":"section""#,
            "changes[0]: strategy `section` needs the field `section`",
        );
        check(
            r#""section":{"edits":[]}"#,
            "changes[0]: `section.edits` is empty",
        );
        check(
            r#""section":{"edits":[{"old_text":"a","new_text":"b"}]},"whole":{"content":""}"#,
            "changes[0]: several strategies given; name one in `strategy`",
        );
        check(
            r#""lines":{"operations":[{"op":"delete","startLine":0}]}"#,
            "changes[0]: lines.operations[0]: lines 0 to 0 are no range; lines count from 1",
        );
        check(
            r#""lines":{"operations":[{"op":"insert","afterLine":1}]}"#,
            "changes[0]: lines.operations[0]: `content` is missing",
        );
    }

    #[test]
    fn one_block_tells_the_strategy() {
        let text = r#"{"changes":[{"path":"a","diff":{"kind":"unified","patch":"@@"}}],"verify":{"tsc":true}}"#;
        let payload = Payload::parse(text).unwrap();
        assert_eq!(payload.changes[0].request, Request::Unified("@@".into()));
        assert!(payload.verify);
    }
}
