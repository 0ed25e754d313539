//! The payload as it stands in JSON.
//!
//! Serde reads shapes, and its errors name types of Rust. Here a value becomes a request step by step, so that the first
//! thing that is wrong is named by its field.

pub(super) mod fields;
mod listed;
mod moving;
mod size;
mod syntactic;

use moving::RawMove;
pub(super) use size::check_size;
use syntactic::{RawAst, RawStruct, ast, structural};

use std::time::Duration;

use serde::Deserialize;
use serde_json::{Value, json};

use super::{
    Change, CheckKind, Invalid, LineOperation, MAX_REQUEST_BYTES, MatchScope, Pair, Payload,
    Recipe, Request, SectionRequest, Strategy, Verify, WholePlacement, WholeRequest,
};
use crate::edit::intent::Operation;

#[derive(Deserialize)]
struct RawPayload {
    changes: Vec<Value>,
    #[serde(default)]
    verify: Option<RawVerify>,
}

/// Which checks shall run on the result. An empty object asks for those that are quick.
#[derive(Deserialize)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
struct RawVerify {
    tsc: Option<bool>,
    eslint: Option<bool>,
    build: Option<bool>,
    #[serde(default, rename = "timeoutMs", alias = "timeout_ms")]
    timeout_ms: Option<u64>,
}

impl RawVerify {
    fn read(&self) -> Verify {
        // Two are meant where they are not named.
        let all = [
            (self.tsc, true, CheckKind::Tsc),
            (self.eslint, true, CheckKind::Eslint),
            (self.build, false, CheckKind::Build),
        ];
        let which = |wanted: fn(Option<bool>, bool) -> bool| {
            let asked = all
                .iter()
                .filter(|(asked, meant, _)| wanted(*asked, *meant));
            asked.map(|(_, _, check)| *check).collect()
        };
        Verify {
            checks: which(|asked, meant| asked.unwrap_or(meant)),
            named: which(|asked, _| asked == Some(true)),
            timeout: self.timeout_ms.map(Duration::from_millis),
        }
    }
}

#[derive(Deserialize)]
struct RawChange {
    file: Option<String>,
    strategy: Option<Strategy>,
    description: Option<String>,
    operation: Option<Operation>,
    section: Option<RawSection>,
    lines: Option<RawLines>,
    diff: Option<RawDiff>,
    whole: Option<RawWhole>,
    recipe: Option<Value>,
    ast: Option<RawAst>,
    r#struct: Option<RawStruct>,
    r#move: Option<RawMove>,
    expected: Option<usize>,
}

#[derive(Deserialize)]
struct RawSection {
    edits: Vec<RawPair>,
    #[serde(default)]
    replace_all: bool,
}

#[derive(Deserialize)]
struct RawPair {
    old_text: String,
    new_text: String,
    #[serde(default)]
    replace_all: bool,
}

#[derive(Deserialize)]
struct RawLines {
    operations: Vec<RawOperation>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct RawOperation {
    op: RawOp,
    start_line: Option<usize>,
    end_line: Option<usize>,
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
    if !value.is_object() {
        return Err(Invalid("a payload is an object with `changes`".into()));
    }
    let mut value = value;
    fields::settle_payload(&mut value)?;
    let raw: RawPayload = serde_json::from_value(value).map_err(invalid)?;
    if raw.changes.is_empty() {
        return Err(Invalid("`changes` is empty".into()));
    }
    let mut verify = raw.verify.map(|verify| verify.read()).unwrap_or_default();
    let mut read = |(index, mut value): (usize, Value)| {
        let asked = checks(&mut value).and_then(|asked| Ok((asked, change(value)?)));
        let (asked, change) =
            asked.map_err(|Invalid(why)| Invalid(format!("changes[{index}]: {why}")))?;
        verify.add(asked);
        Ok(change)
    };
    let changes = raw
        .changes
        .into_iter()
        .enumerate()
        .map(&mut read)
        .collect::<Result<_, _>>()?;
    Ok(Payload { changes, verify })
}

/// Takes the block `verify` out of an object; returns the checks that it asks for.
pub(super) fn checks(object: &mut Value) -> Result<Verify, Invalid> {
    let verify = object
        .as_object_mut()
        .and_then(|object| object.remove("verify"));
    let verify: Option<RawVerify> = serde_json::from_value(verify.unwrap_or_default())
        .map_err(|error| Invalid(format!("verify: {error}")))?;
    Ok(verify.map(|verify| verify.read()).unwrap_or_default())
}

/// Reads one change.
pub(super) fn change(value: Value) -> Result<Change, Invalid> {
    let mut value = value;
    checks(&mut value)?;
    fields::settle(&mut value)?;
    let mut raw: RawChange = serde_json::from_value(value).map_err(invalid)?;
    let missing = || Invalid("missing field `file`".into());
    if raw.file.is_none() && raw.diff.is_none() {
        return Err(missing());
    }
    let request = request(&mut raw)?;
    check_size(&request)?;
    let file = match (raw.file, &request) {
        (Some(file), _) => file,
        // A patch names its files itself.
        (None, Request::Unified(_)) => String::new(),
        (None, _) => return Err(missing()),
    };
    Ok(Change {
        file,
        description: raw.description,
        operation: raw.operation,
        request,
        expected: raw.expected,
    })
}

/// Reads the block of one strategy without a change around it.
pub(super) fn block_alone(strategy: Strategy, block: Value) -> Result<Request, Invalid> {
    let name = strategy.name();
    let alone = json!({ "file": "", "strategy": name, name: block });
    change(alone).map(|change| change.request)
}

fn request(raw: &mut RawChange) -> Result<Request, Invalid> {
    let mut requests = Vec::new();
    for strategy in ways(raw)? {
        requests.push(one_request(raw, strategy)?);
    }
    match requests.pop() {
        Some(only) if requests.is_empty() => Ok(only),
        Some(last) => {
            requests.push(last);
            Ok(Request::FirstOf(requests))
        }
        None => Err(Invalid("no `strategy` and nothing that tells one".into())),
    }
}

fn one_request(raw: &mut RawChange, strategy: Strategy) -> Result<Request, Invalid> {
    match strategy {
        Strategy::Section => section(block(raw.section.take(), "section")?),
        Strategy::Lines => lines(block(raw.lines.take(), "lines")?),
        Strategy::Diff => diff(block(raw.diff.take(), "diff")?),
        Strategy::Whole => Ok(Request::Whole(whole(block(raw.whole.take(), "whole")?))),
        Strategy::Recipe => Recipe::parse(block(raw.recipe.take(), "recipe")?).map(Request::Recipe),
        Strategy::Delete => Ok(Request::Delete),
        Strategy::Ast => ast(block(raw.ast.take(), "ast")?).map(Request::Ast),
        Strategy::Struct => structural(block(raw.r#struct.take(), "struct")?).map(Request::Struct),
        Strategy::Move => Ok(block(raw.r#move.take(), "move")?.into()),
        Strategy::Program => Err(Invalid("`strategy` cannot be `program`".into())),
    }
}

/// Returns the strategies that the change can be read as, in the order in which they are tried:
/// the one that it names, if it has a block, then those of the ladder whose blocks are there as well.
fn ways(raw: &RawChange) -> Result<Vec<Strategy>, Invalid> {
    let ladder = [
        (raw.ast.is_some(), Strategy::Ast),
        (raw.recipe.is_some(), Strategy::Recipe),
        (raw.r#struct.is_some(), Strategy::Struct),
        (raw.section.is_some(), Strategy::Section),
        (raw.diff.is_some(), Strategy::Diff),
    ];
    let others = [
        (raw.lines.is_some(), Strategy::Lines),
        (raw.whole.is_some(), Strategy::Whole),
        (raw.r#move.is_some(), Strategy::Move),
    ];
    let given = |list: &[(bool, Strategy)]| -> Vec<Strategy> {
        let there = list.iter().filter(|(there, _)| *there);
        there.map(|(_, strategy)| *strategy).collect()
    };
    let (mut ways, others) = (given(&ladder), given(&others));
    match raw.strategy {
        Some(named) if ladder.iter().any(|(_, strategy)| *strategy == named) => {
            let own = ways.contains(&named);
            ways.retain(|strategy| *strategy != named);
            if own || ways.is_empty() {
                ways.insert(0, named);
            }
        }
        Some(named) => ways = vec![named],
        None if others.is_empty() => {}
        None if ways.is_empty() && others.len() == 1 => ways = others,
        None => {
            return Err(Invalid(
                "several strategies given; name one in `strategy`".into(),
            ));
        }
    }
    Ok(ways)
}

fn section(raw: RawSection) -> Result<Request, Invalid> {
    if raw.edits.is_empty() {
        return Err(Invalid("`section.edits` is empty".into()));
    }
    let pair = |pair: RawPair| Pair {
        old: pair.old_text,
        new: pair.new_text,
        scope: if raw.replace_all || pair.replace_all {
            MatchScope::All
        } else {
            MatchScope::Single
        },
    };
    let edits = raw.edits.into_iter().map(pair).collect();
    Ok(Request::Section(SectionRequest { edits }))
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
        Some(DiffKind::Dmp) => Ok(Request::Dmp(raw.patch)),
        Some(DiffKind::Unified) | None => Ok(Request::Unified(raw.patch)),
    }
}

fn whole(raw: RawWhole) -> WholeRequest {
    let placement = match raw.mode {
        RawMode::Overwrite => WholePlacement::Everything,
        RawMode::Append => WholePlacement::End,
    };
    WholeRequest {
        content: raw.content,
        placement,
    }
}

fn block<T>(given: Option<T>, name: &str) -> Result<T, Invalid> {
    given.ok_or_else(|| Invalid(format!("strategy `{name}` needs the field `{name}`")))
}

fn invalid(error: serde_json::Error) -> Invalid {
    Invalid(error.to_string())
}

#[cfg(test)]
mod tests;
