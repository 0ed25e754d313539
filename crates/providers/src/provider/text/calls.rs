//! Tool calls in a block of text.
//!
//! In: a block, and the prompt that was answered. Out: the calls in it, or why one is not taken. What a fence or an
//! object is, is a guess: it is a call of tools that exist, and an edit only of a file that the request or the reads
//! name. An envelope is no guess: what is wrong with a call in it, its tool says, as of any other.

use serde_json::{Map, Value, json};

use super::CodeBlockReader;
use super::blocks::{Block, CODE};
use super::envelope::{self, RawArguments, RawCall};
use super::files::Files;
use crate::json;
use crate::message::{CallId, Prompt};
use crate::provider::wire::Ids;
use crate::tool_spec::{self, Reach, ToolSpec};

/// Fields in which models write the arguments of a call.
const ARGUMENTS: [&str; 5] = ["arguments", "args", "parameters", "params", "input"];

/// How a patch begins that names its files itself.
const BEGIN_PATCH: &str = "*** Begin Patch";

/// The tool that takes recipes.
const RECIPES: &str = "apply_structured_edits";

/// A call that a text holds.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TextCall {
    /// The tool.
    pub name: String,
    /// Its arguments, JSON text.
    pub arguments: String,
}

/// What a block is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum BlockContent {
    Calls(Vec<TextCall>),
    /// Text like other text.
    Nothing,
    /// A call that is not taken, and why.
    Refused(String),
}

/// Reads the calls of one answer.
#[derive(Clone, Debug)]
pub(super) struct TextCalls {
    /// Reads fences of code; none where only a plain call is one.
    code: Option<CodeBlockReader>,
    tools: Vec<ToolSpec>,
    /// What the conversation names; not known of a text without one.
    files: Option<Files>,
    ids: Ids,
}

impl TextCalls {
    /// Returns a reader of the answer to `prompt`.
    pub(super) fn new(prompt: &Prompt, code: Option<CodeBlockReader>) -> Self {
        Self {
            code,
            tools: prompt.tools.clone(),
            files: Some(Files::of(prompt)),
            ids: Ids::new(prompt),
        }
    }

    /// Returns a reader that knows the tools alone.
    pub(super) fn of(tools: &[ToolSpec]) -> Self {
        Self {
            code: None,
            tools: tools.to_vec(),
            files: None,
            ids: Ids::default(),
        }
    }

    /// Returns an id for the call at this place of the answer.
    pub(super) fn id(&mut self, at: usize) -> CallId {
        self.ids.fresh(String::new(), at)
    }

    /// Returns what a block is.
    pub(super) fn read(&self, block: &Block) -> BlockContent {
        if block.is_envelope {
            return match self.enveloped(block) {
                Some(calls) => BlockContent::Calls(calls),
                None => BlockContent::Nothing,
            };
        }
        if block.info == CODE {
            let calls = envelope::code(&block.body).into_iter().flatten();
            let calls = calls.map(|call| self.raw_call(call)).collect::<Vec<_>>();
            let is_known = calls.iter().all(|call| self.tool(&call.name).is_some());
            return if is_known && !calls.is_empty() {
                self.unless_objected(calls)
            } else {
                BlockContent::Nothing
            };
        }
        match objects(&block.body).map(|values| self.calls(values)) {
            // A `package.json` is an object and no call.
            None | Some(BlockContent::Nothing) => self.rewriting(block),
            Some(found) => found,
        }
    }

    fn tool(&self, name: &str) -> Option<&ToolSpec> {
        let names = self.tools.iter().map(|tool| tool.name);
        let meant = tool_spec::meant(name, names)?;
        self.tools.iter().find(|tool| tool.name == meant)
    }

    /// Reads an envelope; nothing if not all of it is calls.
    fn enveloped(&self, block: &Block) -> Option<Vec<TextCall>> {
        let body = envelope::without_ends(&block.body);
        if let Some(values) = objects(body) {
            let calls: Option<Vec<TextCall>> = values
                .into_iter()
                .map(|value| self.call(value, false))
                .collect();
            return calls.filter(|calls| !calls.is_empty());
        }
        let raw = envelope::without_dsml(&block.raw);
        let calls = match envelope::calls(&raw, body) {
            Some(calls) => calls,
            // A call without arguments is a name.
            None if !block.is_cut && self.tool(body).is_some_and(|tool| tool.name == body) => {
                let arguments = RawArguments::Texts(Vec::new());
                vec![RawCall {
                    name: body,
                    arguments,
                }]
            }
            None => return None,
        };
        Some(calls.into_iter().map(|call| self.raw_call(call)).collect())
    }

    fn raw_call(&self, call: RawCall<'_>) -> TextCall {
        let tool = self.tool(call.name);
        let arguments = match call.arguments {
            // A patch as it is, as gpt-oss writes `apply_patch`.
            RawArguments::Json(text) if text.starts_with(BEGIN_PATCH) => {
                json!({ "patch": text }).to_string()
            }
            RawArguments::Json(text) => text.to_owned(),
            RawArguments::Values(values) => Value::Object(values).to_string(),
            RawArguments::Texts(texts) => {
                let typed = texts.into_iter().map(|(key, text)| {
                    let value = typed(
                        text,
                        tool.and_then(|tool| tool.parameters.get("properties")?.get(key)),
                    );
                    (key.to_owned(), value)
                });
                Value::Object(typed.collect()).to_string()
            }
        };
        let name = tool.map_or(call.name, |tool| tool.name).to_owned();
        TextCall { name, arguments }
    }

    /// Reads a block as another text of a file. One that was cut off is none.
    fn rewriting(&self, block: &Block) -> BlockContent {
        let code = self.code.filter(|_| !block.is_cut);
        let Some((edit, files)) = code.zip(self.files.as_ref()) else {
            return BlockContent::Nothing;
        };
        match edit(block, files, self.tool(RECIPES).is_some()) {
            Some(call) if self.tool(&call.name).is_some() => BlockContent::Calls(vec![call]),
            _ => BlockContent::Nothing,
        }
    }

    /// Reads objects, all of which must be calls of tools that exist.
    fn calls(&self, values: Vec<Value>) -> BlockContent {
        let calls: Option<Vec<TextCall>> = values
            .into_iter()
            .map(|value| self.call(value, true))
            .collect();
        match calls.filter(|calls| !calls.is_empty()) {
            Some(calls) => self.unless_objected(calls),
            None => BlockContent::Nothing,
        }
    }

    /// Returns the names of calls in an object or a fence that edit a file by a tool that there is not.
    pub(super) fn unknown_edits(&self, block: &Block) -> Vec<String> {
        let values = objects(&block.body).into_iter().flatten();
        let calls = values.filter(|value| ARGUMENTS.iter().any(|key| value.get(key).is_some()));
        let calls = calls.filter_map(|value| self.call(value, false));
        let unknown = calls.filter(|call| {
            self.tool(&call.name).is_none() && tool_spec::are_of_edit(&call.arguments)
        });
        unknown.map(|call| call.name).collect()
    }

    fn unless_objected(&self, calls: Vec<TextCall>) -> BlockContent {
        match calls.iter().find_map(|call| self.objection(call)) {
            Some(why) => BlockContent::Refused(why),
            None => BlockContent::Calls(calls),
        }
    }

    /// Reads one object in any of the shapes that models give it; of a tool that exists, if that `is_to_be_known`.
    fn call(&self, value: Value, is_to_be_known: bool) -> Option<TextCall> {
        let Value::Object(mut map) = value else {
            return None;
        };
        if let Some(Value::Object(inner)) = map.get_mut("function").map(Value::take) {
            map = inner;
        }
        for key in ["name", "tool", "function", "tool_name"] {
            let Some(name) = map.get(key).and_then(Value::as_str) else {
                continue;
            };
            let name = match self.tool(name) {
                Some(tool) => tool.name.to_owned(),
                None if is_to_be_known => continue,
                None => name.to_owned(),
            };
            return Some(TextCall {
                name,
                arguments: arguments(map, key)?,
            });
        }
        // {"read": {"path": ...}}
        let mut entries = map.into_iter();
        match (entries.next(), entries.next()) {
            (Some((name, given @ Value::Object(_))), None) => {
                self.tool(&name).map(|tool| TextCall {
                    name: tool.name.to_owned(),
                    arguments: given.to_string(),
                })
            }
            _ => None,
        }
    }

    /// Returns why an edit is not taken: it is of a file that nobody named.
    fn objection(&self, call: &TextCall) -> Option<String> {
        if self.tool(&call.name).map(|tool| tool.reach) != Some(Reach::Stage) {
            return None;
        }
        let files = self.files.as_ref()?;
        let arguments: Value = json::parse(&call.arguments).ok()?;
        let changes = arguments.get("changes").and_then(Value::as_array);
        let changes = changes
            .into_iter()
            .flatten()
            .filter_map(|change| change.get("file"));
        let paths = arguments.get("path").into_iter().chain(changes);
        let strange = paths
            .filter_map(Value::as_str)
            .find(|path| !files.is_named(path));
        strange.map(|path| {
            format!("not staged: {path} is named neither by the request nor by what was read")
        })
    }
}

/// Returns a text as the value that a tool takes there: itself, unless its schema wants something else that it is.
fn typed(text: &str, schema: Option<&Value>) -> Value {
    let kind = schema
        .and_then(|schema| schema.get("type"))
        .and_then(Value::as_str);
    let is_text = match (schema, kind) {
        (Some(schema), None) => schema.get("enum").is_some(),
        (_, kind) => kind == Some("string"),
    };
    let value = || {
        json::parse(text.trim())
            .ok()
            .filter(|value: &Value| !value.is_string())
    };
    let value = if is_text { None } else { value() };
    value.unwrap_or_else(|| text.into())
}

/// Returns the arguments beside a name: under a key of their own, or all other fields.
fn arguments(mut map: Map<String, Value>, name: &str) -> Option<String> {
    for key in ARGUMENTS {
        match map.get_mut(key).map(Value::take) {
            Some(given @ Value::Object(_)) => return Some(given.to_string()),
            Some(Value::String(text)) if json::parse::<Map<_, _>>(&text).is_ok() => {
                return Some(text);
            }
            Some(_) => return None,
            None => {}
        }
    }
    map.shift_remove(name);
    map.shift_remove("type");
    map.shift_remove("id");
    (!map.is_empty()).then(|| Value::Object(map).to_string())
}

/// Returns the objects of a text that holds nothing else, one after another or in a list.
fn objects(body: &str) -> Option<Vec<Value>> {
    let body = body.trim();
    if !body.starts_with(['{', '[']) {
        return None;
    }
    let values = values(body).or_else(|| values(&json::mended(&mended(body))))?;
    let flat = values.into_iter().flat_map(|value| match value {
        Value::Array(list) => list,
        value => vec![value],
    });
    let values: Vec<Value> = flat.collect();
    values.iter().all(Value::is_object).then_some(values)
}

fn values(text: &str) -> Option<Vec<Value>> {
    let values = serde_json::Deserializer::from_str(text).into_iter::<Value>();
    values.collect::<Result<Vec<Value>, _>>().ok()
}

/// Writes out the line breaks that models put into strings, and leaves out commas and
/// semicolons between objects.
fn mended(text: &str) -> String {
    let mut out = String::with_capacity(text.len() + 16);
    let (mut quoted, mut escaped, mut depth) = (false, false, 0usize);
    for c in text.chars() {
        match c {
            _ if escaped => escaped = false,
            '\\' if quoted => escaped = true,
            '"' => quoted = !quoted,
            '\n' if quoted => {
                out.push_str("\\n");
                continue;
            }
            '\t' if quoted => {
                out.push_str("\\t");
                continue;
            }
            '\r' if quoted => continue,
            '{' | '[' if !quoted => depth += 1,
            '}' | ']' if !quoted => depth = depth.saturating_sub(1),
            ',' | ';' if !quoted && depth == 0 => continue,
            _ => {}
        }
        out.push(c);
    }
    out
}
