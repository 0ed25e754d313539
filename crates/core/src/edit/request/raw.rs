//! The payload as it stands in JSON.
//!
//! Fields are settled first, as models write them under several names and in several places. Then serde reads the blocks
//! that are asked for, and its errors name the place: `section.edits[0]: missing field `new_text``.

pub(super) mod fields;
mod listed;
mod size;
pub(super) mod syntactic;

pub(super) use size::check_size;

use std::time::Duration;

use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::{Map, Value, json};

use super::{
    Change, CheckKind, Invalid, LineOperation, MAX_REQUEST_BYTES, Pair, Payload, Recipe, Request,
    SectionRequest, Strategy, Verify,
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

/// A change but for its blocks.
#[derive(Deserialize)]
struct RawChange {
    file: Option<String>,
    strategy: Option<Strategy>,
    description: Option<String>,
    operation: Option<Operation>,
    expected: Option<usize>,
}

#[derive(Deserialize)]
pub(super) struct RawSection {
    edits: Vec<Pair>,
    #[serde(default)]
    replace_all: bool,
}

#[derive(Deserialize)]
struct RawLines {
    operations: Vec<LineOperation>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct RawOperation {
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
    #[serde(default)]
    kind: DiffKind,
    patch: String,
}

#[derive(Default, Deserialize)]
#[serde(rename_all = "lowercase")]
enum DiffKind {
    #[default]
    Unified,
    Dmp,
}

#[derive(Deserialize)]
struct RawMove {
    to: String,
}

/// Reads a whole payload.
pub(super) fn payload(value: Value) -> Result<Payload, Invalid> {
    if !value.is_object() {
        return Err(Invalid("a payload is an object with `changes`".into()));
    }
    let mut value = value;
    fields::settle_payload(&mut value)?;
    let raw: RawPayload = read(value, "")?;
    if raw.changes.is_empty() {
        return Err(Invalid("`changes` is empty".into()));
    }
    let mut verify = raw.verify.map(|verify| verify.read()).unwrap_or_default();
    let mut changes = Vec::with_capacity(raw.changes.len());
    for (index, mut value) in raw.changes.into_iter().enumerate() {
        listed::unquote(&mut value);
        let read = checks(&mut value).and_then(|asked| Ok((asked, change(value)?)));
        let (asked, change) =
            read.map_err(|Invalid(why)| Invalid(format!("changes[{index}]: {why}")))?;
        verify.add(asked);
        changes.push(change);
    }
    Ok(Payload { changes, verify })
}

/// Takes the block `verify` out of an object; returns the checks that it asks for.
pub(super) fn checks(object: &mut Value) -> Result<Verify, Invalid> {
    let verify = object
        .as_object_mut()
        .and_then(|object| object.remove("verify"));
    let verify: Option<RawVerify> = read(verify.unwrap_or_default(), "verify")?;
    Ok(verify.map(|verify| verify.read()).unwrap_or_default())
}

/// Reads one change.
pub(super) fn change(value: Value) -> Result<Change, Invalid> {
    let mut value = value;
    checks(&mut value)?;
    fields::settle(&mut value)?;
    let mut blocks = Map::new();
    if let Some(change) = value.as_object_mut() {
        let names = Strategy::ALL.iter().map(|strategy| strategy.name());
        blocks.extend(names.filter_map(|name| change.remove_entry(name)));
    }
    let mut raw: RawChange = read(value, "")?;
    let moved = blocks.get_mut(Strategy::Move.name());
    let source = moved.and_then(Value::as_object_mut);
    let source = source.and_then(|block| block.remove("source"));
    if let (None, Some(Value::String(source))) = (&raw.file, &source) {
        raw.file = Some(source.clone());
    }
    if source.is_some_and(|source| raw.file.as_deref() != source.as_str()) {
        return Err(Invalid("`move.source` is another path than `file`".into()));
    }
    if raw.file.is_none() && !blocks.contains_key(Strategy::Diff.name()) {
        return Err(Invalid("missing field `file`".into()));
    }
    let request = request(raw.strategy, &mut blocks)?;
    check_size(&request)?;
    let file = match (raw.file, &request) {
        (Some(file), _) => file,
        // A patch names its files itself.
        (None, Request::Unified(_)) => String::new(),
        (None, _) => return Err(Invalid("missing field `file`".into())),
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

fn request(named: Option<Strategy>, blocks: &mut Map<String, Value>) -> Result<Request, Invalid> {
    let mut requests = Vec::new();
    for strategy in ways(named, blocks)? {
        let block = blocks.remove(strategy.name());
        requests.push(one_request(strategy, block)?);
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

fn one_request(strategy: Strategy, block: Option<Value>) -> Result<Request, Invalid> {
    let name = strategy.name();
    let given = block.ok_or_else(|| Invalid(format!("strategy `{name}` needs the field `{name}`")));
    let empty = |list: &str| Err(Invalid(format!("`{name}.{list}` is empty")));
    match strategy {
        Strategy::Section => match read::<SectionRequest>(given?, name)? {
            section if section.edits.is_empty() => empty("edits"),
            section => Ok(Request::Section(section)),
        },
        Strategy::Lines => match read::<RawLines>(given?, name)?.operations {
            operations if operations.is_empty() => empty("operations"),
            operations => Ok(Request::Lines(operations)),
        },
        Strategy::Diff => read(given?, name).map(|RawDiff { kind, patch }| match kind {
            DiffKind::Unified => Request::Unified(patch),
            DiffKind::Dmp => Request::Dmp(patch),
        }),
        Strategy::Whole => read(given?, name).map(Request::Whole),
        Strategy::Recipe => Recipe::parse(given?).map(Request::Recipe),
        Strategy::Delete => Ok(Request::Delete),
        Strategy::Ast => read(given?, name).map(Request::Ast),
        Strategy::Struct => read(given?, name).map(Request::Struct),
        Strategy::Move => read(given?, name).map(|RawMove { to }| Request::Move { to }),
        Strategy::Program => Err(Invalid("`strategy` cannot be `program`".into())),
    }
}

/// Returns the strategies that the change can be read as, in the order in which they are tried:
/// the one that it names, if it has a block, then those of the ladder whose blocks are there as well.
fn ways(named: Option<Strategy>, blocks: &Map<String, Value>) -> Result<Vec<Strategy>, Invalid> {
    use Strategy::{Ast, Diff, Lines, Move, Recipe, Section, Struct, Whole};
    let ladder = [Ast, Recipe, Struct, Section, Diff];
    let is_there = |strategy: &Strategy| blocks.contains_key(strategy.name());
    let mut ways: Vec<Strategy> = ladder.into_iter().filter(is_there).collect();
    let others: Vec<Strategy> = [Lines, Whole, Move].into_iter().filter(is_there).collect();
    match named {
        Some(named) if ladder.contains(&named) => {
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

impl From<RawSection> for SectionRequest {
    fn from(raw: RawSection) -> Self {
        let mut edits = raw.edits;
        if raw.replace_all {
            edits.iter_mut().for_each(|pair| pair.scope = true.into());
        }
        Self { edits }
    }
}

impl TryFrom<RawOperation> for LineOperation {
    type Error = Invalid;

    fn try_from(raw: RawOperation) -> Result<Self, Invalid> {
        let content = match raw.content {
            Some(RawContent::Lines(lines)) => Some(lines),
            Some(RawContent::Text(text)) => Some(text.lines().map(str::to_owned).collect()),
            None => None,
        };
        if content.iter().flatten().any(|line| line.contains('\n')) {
            return Err(Invalid("`content` holds a line break within a line".into()));
        }
        if matches!(raw.op, RawOp::Insert) {
            return Ok(Self::Insert {
                after: raw.after_line.ok_or_else(|| missing_field("afterLine"))?,
                content: content.ok_or_else(|| missing_field("content"))?,
            });
        }
        let start = raw.start_line.ok_or_else(|| missing_field("startLine"))?;
        let end = raw.end_line.unwrap_or(start);
        if start == 0 || end < start {
            return Err(Invalid(format!(
                "lines {start} to {end} are no range; lines count from 1"
            )));
        }
        let content = match raw.op {
            RawOp::Delete => Vec::new(),
            _ => content.ok_or_else(|| missing_field("content"))?,
        };
        Ok(Self::Replace {
            start,
            end,
            content,
        })
    }
}

fn missing_field(field: &str) -> Invalid {
    Invalid(format!("`{field}` is missing"))
}

/// Returns what serde says of a value in the words of JSON: `expected struct RawPair` is `expected an object`.
pub fn in_words(error: &serde_json::Error) -> String {
    let error = error.to_string();
    if error.contains("did not match any variant of untagged enum") {
        return "it has none of the forms that are read".to_owned();
    }
    let mut words = Vec::new();
    let mut all = error.split(' ');
    while let Some(word) = all.next() {
        match word {
            "struct" | "enum" => {
                // The name of the type, which is nothing to whoever wrote the value.
                let Some(name) = all.next() else { break };
                let end = name.trim_start_matches(|c: char| c.is_alphanumeric() || c == '_');
                words.push(format!("an object{end}"));
            }
            "tuple" | "unit" | "newtype" | "internally" | "adjacently" | "tagged" => {}
            "sequence" | "sequence," => words.push(word.replace("sequence", "list")),
            "map" | "map," => words.push(word.replace("map", "object")),
            word => words.push(word.to_owned()),
        }
    }
    words.join(" ")
}

/// Reads a part of a payload; errors begin with `name` and the place in it.
pub(super) fn read<T: DeserializeOwned>(value: Value, name: &str) -> Result<T, Invalid> {
    serde_path_to_error::deserialize(value).map_err(|error| {
        let path = error.path().to_string();
        let place = [name, path.as_str()].into_iter();
        let place: Vec<&str> = place.filter(|part| !matches!(*part, "" | ".")).collect();
        let why = error.into_inner();
        match place.as_slice() {
            [] => Invalid(in_words(&why)),
            place => Invalid(format!("{}: {}", place.join("."), in_words(&why))),
        }
    })
}

#[cfg(test)]
mod tests;
