//! Calls as the templates of model families write them.
//!
//! Case: a server that does not parse the template of its model sends
//! `<tool_call>\n<function=read>\n<parameter=path>\na.py\n</parameter>\n</function>\n</tool_call>` as text.
//! In: the text between the marks of an envelope. Out: the calls in it, named and with arguments as the model wrote
//! them. Which tools there are, and of which type an argument is, the caller knows.

use serde_json::{Map, Value};
use signoff_source::text::Slice as _;

use super::literal;

/// The marks around calls. A family without a second mark has calls to the end of its answer.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Envelope {
    pub(super) open: &'static str,
    pub(super) close: &'static str,
}

/// A call in an envelope.
#[derive(Debug, PartialEq)]
pub(super) struct RawCall<'a> {
    pub(super) name: &'a str,
    pub(super) arguments: RawArguments<'a>,
}

/// The arguments of a call in an envelope.
#[derive(Debug, PartialEq)]
pub(super) enum RawArguments<'a> {
    /// JSON, or what was to be JSON.
    Json(&'a str),
    /// Values that were written as code.
    Values(Map<String, Value>),
    /// Names and texts, whose types the tool knows.
    Texts(Vec<(&'a str, &'a str)>),
}

/// Marks of one call in a family that writes names, a separator and JSON.
struct CallMarks {
    begin: &'static str,
    separator: &'static str,
    end: &'static str,
}

/// Marks of a call whose arguments are elements of their own.
struct ElementMarks {
    call: &'static str,
    end: &'static str,
    argument: &'static str,
}

/// What the calls of DeepSeek's newest template have in every mark, which is else that of `invoke`.
const DSML: &str = "｜DSML｜";

/// All envelopes. No first mark begins with another.
#[rustfmt::skip]
pub(super) const ENVELOPES: &[Envelope] = &[
    // Qwen, Hermes, GLM; Qwen3-Coder and Llama 3.1 leave the outer marks out.
    Envelope { open: "<tool_call>", close: "</tool_call>" },
    Envelope { open: "<function=", close: "</function>" },
    // Kimi K2.
    Envelope { open: "<|tool_calls_section_begin|>", close: "<|tool_calls_section_end|>" },
    Envelope { open: "<|tool_call_section_begin|>", close: "<|tool_call_section_end|>" },
    Envelope { open: "<|tool_call_begin|>", close: "<|tool_call_end|>" },
    // DeepSeek.
    Envelope { open: "<｜tool▁calls▁begin｜>", close: "<｜tool▁calls▁end｜>" },
    Envelope { open: "<｜DSML｜function_calls>", close: "</｜DSML｜function_calls>" },
    // Mistral, Llama.
    Envelope { open: BRACKETED, close: "" },
    Envelope { open: "<|python_tag|>", close: "" },
    // MiniMax.
    Envelope { open: "<minimax:tool_call>", close: "</minimax:tool_call>" },
    Envelope { open: "<tool_calls>", close: "</tool_calls>" },
    Envelope { open: "<function_calls>", close: "</function_calls>" },
    Envelope { open: "<invoke name=", close: "</invoke>" },
    // Gemma.
    Envelope { open: "<start_function_call>", close: "<end_function_call>" },
    Envelope { open: "<|tool_call>", close: "<tool_call|>" },
    // Phi, Nemotron, Seed, LFM2.
    Envelope { open: "<|tool_call|>", close: "<|/tool_call|>" },
    Envelope { open: "<TOOLCALL>", close: "</TOOLCALL>" },
    Envelope { open: "<seed:tool_call>", close: "</seed:tool_call>" },
    Envelope { open: "<|tool_call_start|>", close: "<|tool_call_end|>" },
    // gpt-oss.
    Envelope { open: "<|channel|>commentary to=", close: HARMONY.end },
    Envelope { open: "<|channel|>analysis to=", close: HARMONY.end },
    // Models that know Cline.
    Envelope { open: "<write_to_file>", close: "</write_to_file>" },
    Envelope { open: "<replace_in_file>", close: "</replace_in_file>" },
    Envelope { open: "<read_file>", close: "</read_file>" },
    Envelope { open: "<list_files>", close: "</list_files>" },
    Envelope { open: "<execute_command>", close: "</execute_command>" },
];

/// The mark of Mistral's calls, which stands before each.
const BRACKETED: &str = "[TOOL_CALLS]";

const NAMED: [CallMarks; 2] = [
    CallMarks {
        begin: "<|tool_call_begin|>",
        separator: "<|tool_call_argument_begin|>",
        end: "<|tool_call_end|>",
    },
    CallMarks {
        begin: "<｜tool▁call▁begin｜>",
        separator: "<｜tool▁sep｜>",
        end: "<｜tool▁call▁end｜>",
    },
];

/// The tools of which a call is an element of their name.
const NAMED_ELEMENTS: [&str; 5] = [
    "write_to_file",
    "replace_in_file",
    "read_file",
    "list_files",
    "execute_command",
];

/// `<|channel|>commentary to=functions.read <|constrain|>json<|message|>{…}<|call|>`: the mark behind a call ends an answer, so
/// that servers leave it out.
const HARMONY: CallMarks = CallMarks {
    begin: " to=",
    separator: "<|message|>",
    end: "<|call|>",
};

const ELEMENTS: [ElementMarks; 2] = [
    ElementMarks {
        call: "<function=",
        end: "</function>",
        argument: "<parameter=",
    },
    ElementMarks {
        call: "<invoke name=",
        end: "</invoke>",
        argument: "<parameter name=",
    },
];

/// Marks at the end of an answer that servers leave in the text.
const ENDS: [&str; 5] = [
    "</s>",
    "<|eom_id|>",
    "<|eot_id|>",
    "<|im_end|>",
    "<end_of_turn>",
];

/// Returns the first envelope that begins in a line at or after `from`. A mark behind a backtick is code in a sentence.
pub(super) fn begins(line: &str, from: usize) -> Option<(usize, &'static Envelope)> {
    let marks = line.get(from..)?.match_indices(['<', '[']);
    let mut places = marks
        .map(|(at, _)| from + at)
        .filter(|at| !is_code(line, *at));
    places.find_map(|at| {
        let rest = line.get(at..)?;
        let mut all = ENVELOPES.iter();
        Some((at, all.find(|one| rest.starts_with(one.open))?))
    })
}

/// Returns where a mark may begin that the end of a line is a part of; the length of the line if none does.
pub(super) fn may_begin(line: &str, from: usize) -> usize {
    let mut starts = line.slice(from..).rmatch_indices(['<', '[']);
    let at = starts.next().map_or(line.len(), |(at, _)| from + at);
    let end = line.slice(at..);
    let is_part = ENVELOPES.iter().any(|one| one.open.starts_with(end));
    if is_part && !is_code(line, at) {
        at
    } else {
        line.len()
    }
}

fn is_code(line: &str, at: usize) -> bool {
    line.get(..at).is_some_and(|before| before.ends_with('`'))
}

/// Returns the calls of an envelope: `raw` has its marks, `body` is between them. Nothing if not all of it is calls.
pub(super) fn calls<'a>(raw: &'a str, body: &'a str) -> Option<Vec<RawCall<'a>>> {
    if let Some(marks) = ELEMENTS.iter().find(|marks| raw.contains(marks.call)) {
        return elements(raw, marks);
    }
    if body.contains("<arg_key>") {
        return keyed(body).map(|call| vec![call]);
    }
    if let Some(marks) = NAMED.iter().find(|marks| raw.contains(marks.begin)) {
        return named(raw, marks);
    }
    if raw.starts_with("<|channel|>") {
        return harmony(raw).map(|call| vec![call]);
    }
    if let Some(call) = named_element(raw, body) {
        return Some(vec![call]);
    }
    if raw.starts_with(BRACKETED) {
        return body.split(BRACKETED).map(bracketed).collect();
    }
    code(body)
}

/// Returns a text with DeepSeek's element marks as those of `invoke`.
pub(super) fn without_dsml(raw: &str) -> std::borrow::Cow<'_, str> {
    if raw.contains(DSML) {
        raw.replace(DSML, "").into()
    } else {
        raw.into()
    }
}

/// Returns a body without the marks at the end of an answer.
pub(super) fn without_ends(body: &str) -> &str {
    let mut body = body.trim();
    while let Some(less) = ENDS.iter().find_map(|end| body.strip_suffix(end)) {
        body = less.trim_end();
    }
    body
}

/// Reads `<function=NAME><parameter=KEY>TEXT</parameter></function>`, one or more. The mark behind the last argument
/// may be missing, that behind a call not: the answer may have been cut.
fn elements<'a>(text: &'a str, marks: &ElementMarks) -> Option<Vec<RawCall<'a>>> {
    let mut calls = Vec::new();
    let mut rest = text;
    while let Some((_, after)) = rest.split_once(marks.call) {
        let (name, after) = after.split_once('>')?;
        let (content, after) = after.split_once(marks.end)?;
        rest = after;
        let arguments = if content.trim_start().starts_with('{') {
            RawArguments::Json(content.trim())
        } else {
            RawArguments::Texts(arguments(content, marks.argument)?)
        };
        let name = attribute(name);
        calls.push(RawCall { name, arguments });
    }
    (!calls.is_empty()).then_some(calls)
}

fn arguments<'a>(content: &'a str, mark: &str) -> Option<Vec<(&'a str, &'a str)>> {
    let mut found = Vec::new();
    let mut rest = content;
    while let Some((_, after)) = rest.split_once(mark) {
        let (key, after) = after.split_once('>')?;
        let (text, after) = match after.split_once("</parameter>") {
            Some(parts) => parts,
            None => after.split_at(after.find(mark).unwrap_or(after.len())),
        };
        found.push((attribute(key), unwrapped(text)));
        rest = after;
    }
    Some(found)
}

/// Returns the value of the attribute that a mark ends in: `"read" string="true"` is `read`.
fn attribute(text: &str) -> &str {
    let text = text.trim();
    let quote = text.chars().next().filter(|c| matches!(c, '"' | '\''));
    match quote {
        Some(quote) => text.split(quote).nth(1).unwrap_or(text),
        None => text,
    }
}

/// Returns a text without the line breaks that the template puts around it.
fn unwrapped(text: &str) -> &str {
    let text = text.strip_prefix('\n').unwrap_or(text);
    text.strip_suffix('\n').unwrap_or(text)
}

/// Reads `NAME<arg_key>KEY</arg_key><arg_value>TEXT</arg_value>`.
fn keyed(body: &str) -> Option<RawCall<'_>> {
    let (name, _) = body.split_once("<arg_key>")?;
    let mut texts = Vec::new();
    let mut rest = body;
    while let Some((_, after)) = rest.split_once("<arg_key>") {
        let (key, after) = after.split_once("</arg_key>")?;
        let (_, after) = after.split_once("<arg_value>")?;
        let (text, after) = after.split_once("</arg_value>")?;
        texts.push((key.trim(), text));
        rest = after;
    }
    let name = name.trim();
    let arguments = RawArguments::Texts(texts);
    Some(RawCall { name, arguments })
}

/// Reads calls between marks of their own. `function<sep>NAME` and a fence of JSON is how the first of these templates
/// were.
fn named<'a>(text: &'a str, marks: &CallMarks) -> Option<Vec<RawCall<'a>>> {
    let calls = text.split(marks.begin).skip(1);
    let read = calls.map(|call| {
        let (call, _) = call.split_once(marks.end)?;
        let (name, json) = call.split_once(marks.separator)?;
        let (name, json) = match name.trim() {
            "function" => json.split_once('\n')?,
            name => (name, json),
        };
        let (name, arguments) = (name.trim(), RawArguments::Json(unfenced(json)));
        Some(RawCall { name, arguments })
    });
    read.collect()
}

/// Reads the call of a channel.
fn harmony(raw: &str) -> Option<RawCall<'_>> {
    let (_, call) = raw.split_once(HARMONY.begin)?;
    let (name, json) = call.split_once(HARMONY.separator)?;
    let json = json.split_once(HARMONY.end).map_or(json, |(json, _)| json);
    Some(RawCall {
        name: name.trim(),
        arguments: RawArguments::Json(json.trim()),
    })
}

/// Reads an element that is named as its tool, with an element for each argument:
/// `<read_file>\n<path>a.py</path>\n</read_file>`. The last argument is all up to its last mark, as a text that is written may
/// have such marks.
fn named_element<'a>(raw: &'a str, body: &'a str) -> Option<RawCall<'a>> {
    let (name, _) = raw.strip_prefix('<')?.split_once('>')?;
    if !NAMED_ELEMENTS.contains(&name) {
        return None;
    }
    let mut texts = Vec::new();
    let mut rest = body.trim();
    while !rest.is_empty() {
        let (key, after) = rest.strip_prefix('<')?.split_once('>')?;
        let end = format!("</{key}>");
        let (text, after) = match after.strip_suffix(&end) {
            Some(text) => (text, ""),
            None => after.split_once(&end)?,
        };
        texts.push(match key {
            // The last line of a file ends as the others do.
            "content" => (key, text.strip_prefix('\n').unwrap_or(text)),
            _ => (key, unwrapped(text)),
        });
        rest = after.trim_start();
    }
    let is_name = |key: &str| key.chars().all(|c| c.is_ascii_alphanumeric() || c == '_');
    let is_call = !texts.is_empty() && texts.iter().all(|(key, _)| is_name(key));
    let arguments = RawArguments::Texts(texts);
    is_call.then_some(RawCall { name, arguments })
}

fn unfenced(text: &str) -> &str {
    let text = text.trim();
    let Some(inner) = text
        .strip_prefix("```")
        .and_then(|text| text.strip_suffix("```"))
    else {
        return text;
    };
    inner
        .trim_start_matches(|c: char| c.is_ascii_alphabetic())
        .trim()
}

/// Reads `NAME[ARGS]{…}`, where an id may stand before the arguments, and `NAME{…}`.
fn bracketed(text: &str) -> Option<RawCall<'_>> {
    let at = text.find(['[', '{'])?;
    let (name, rest) = text.split_at(at);
    let json = match rest.split_once("[ARGS]") {
        Some((_, json)) => json,
        None => rest,
    };
    let (name, json) = (name.trim(), json.trim());
    let is_named = !name.is_empty() && !name.contains(char::is_whitespace);
    let arguments = RawArguments::Json(json);
    (is_named && json.starts_with('{')).then_some(RawCall { name, arguments })
}

/// Reads calls that are written as code, one after another or in a list: `read(path="a.py")`, `call:read{path:…}`.
pub(super) fn code(body: &str) -> Option<Vec<RawCall<'_>>> {
    let mut calls = Vec::new();
    let mut rest = body.trim().trim_start_matches('[');
    while !rest.is_empty() {
        let start = rest.strip_prefix("print(").unwrap_or(rest);
        let (start, mark) = match start.strip_prefix("call:") {
            Some(start) => (start, '{'),
            None => (start, '('),
        };
        let end = start.find(|c: char| !c.is_alphanumeric() && !matches!(c, '_' | '-' | '.'))?;
        let (name, after) = start.split_at(end);
        if name.is_empty() || !after.starts_with(mark) {
            return None;
        }
        let (values, after) = literal::named(after)?;
        let name = name.strip_suffix(".call").unwrap_or(name);
        let arguments = RawArguments::Values(values);
        calls.push(RawCall { name, arguments });
        rest = after
            .trim_start_matches(|c: char| c.is_whitespace() || matches!(c, ',' | ';' | ')' | ']'));
    }
    (!calls.is_empty()).then_some(calls)
}
