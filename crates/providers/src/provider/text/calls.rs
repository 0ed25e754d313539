//! Tool calls in a block of text.
//!
//! In: a block, and the prompt that was answered. Out: calls of tools that exist, or why one is
//! not taken. An edit is taken only of a file that the request or the reads name.

use std::collections::HashMap;

use serde_json::{Map, Value};

use super::CodeBlockReader;
use super::blocks::Block;
use super::files::Files;
use crate::json;
use crate::message::{CallId, Prompt};
use crate::provider::wire::Ids;
use crate::tool_spec::Reach;

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
    /// The tools, and how far they reach.
    tools: HashMap<&'static str, Reach>,
    files: Files,
    ids: Ids,
}

impl TextCalls {
    /// Returns a reader of the answer to `prompt`.
    pub(super) fn new(prompt: &Prompt, code: Option<CodeBlockReader>) -> Self {
        Self {
            code,
            tools: prompt
                .tools
                .iter()
                .map(|tool| (tool.name, tool.reach))
                .collect(),
            files: Files::of(prompt),
            ids: Ids::new(prompt),
        }
    }

    /// Returns an id for the call at this place of the answer.
    pub(super) fn id(&mut self, at: usize) -> CallId {
        self.ids.fresh(String::new(), at)
    }

    /// Returns what a block is.
    pub(super) fn read(&self, block: &Block) -> BlockContent {
        match objects(&block.body).map(|values| self.calls(values)) {
            // A `package.json` is an object and no call.
            None | Some(BlockContent::Nothing) => self.rewriting(block),
            Some(found) => found,
        }
    }

    /// Reads a block as another text of a file. One that was cut off is none.
    fn rewriting(&self, block: &Block) -> BlockContent {
        let Some(edit) = self.code.filter(|_| !block.is_cut) else {
            return BlockContent::Nothing;
        };
        match edit(block, &self.files, self.tools.contains_key(RECIPES)) {
            Some(call) if self.tools.contains_key(call.name.as_str()) => {
                BlockContent::Calls(vec![call])
            }
            _ => BlockContent::Nothing,
        }
    }

    /// Reads objects, all of which must be calls.
    fn calls(&self, values: Vec<Value>) -> BlockContent {
        let calls: Option<Vec<TextCall>> =
            values.into_iter().map(|value| self.call(value)).collect();
        let Some(calls) = calls.filter(|calls| !calls.is_empty()) else {
            return BlockContent::Nothing;
        };
        match calls.iter().find_map(|call| self.objection(call)) {
            Some(why) => BlockContent::Refused(why),
            None => BlockContent::Calls(calls),
        }
    }

    /// Reads one object in any of the shapes that models give it.
    fn call(&self, value: Value) -> Option<TextCall> {
        let Value::Object(mut map) = value else {
            return None;
        };
        if let Some(Value::Object(inner)) = map.get_mut("function").map(Value::take) {
            map = inner;
        }
        let known = |name: &str| self.tools.contains_key(name);
        for key in ["name", "tool", "function", "tool_name"] {
            if let Some(name) = map
                .get(key)
                .and_then(Value::as_str)
                .filter(|name| known(name))
            {
                let name = name.to_owned();
                return Some(TextCall {
                    name,
                    arguments: arguments(map, key)?,
                });
            }
        }
        // {"read": {"path": ...}}
        let mut entries = map.into_iter();
        match (entries.next(), entries.next()) {
            (Some((name, given @ Value::Object(_))), None) if known(&name) => Some(TextCall {
                name,
                arguments: given.to_string(),
            }),
            _ => None,
        }
    }

    /// Returns why an edit is not taken: it is of a file that nobody named.
    fn objection(&self, call: &TextCall) -> Option<String> {
        if self.tools.get(call.name.as_str()) != Some(&Reach::Stage) {
            return None;
        }
        let arguments: Value = json::parse(&call.arguments).ok()?;
        let changes = arguments.get("changes").and_then(Value::as_array);
        let changes = changes
            .into_iter()
            .flatten()
            .filter_map(|change| change.get("file"));
        let paths = arguments.get("path").into_iter().chain(changes);
        let strange = paths
            .filter_map(Value::as_str)
            .find(|path| !self.files.is_named(path));
        strange.map(|path| {
            format!("not staged: {path} is named neither by the request nor by what was read")
        })
    }
}

/// Returns the arguments beside a name: under a key of their own, or all other fields.
fn arguments(mut map: Map<String, Value>, name: &str) -> Option<String> {
    for key in ["arguments", "args", "parameters", "params", "input"] {
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
