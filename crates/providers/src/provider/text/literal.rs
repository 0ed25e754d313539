//! Literals of calls that are written as code.
//!
//! In: `path="a.py", lines=[1, 2], all=True` of a call in Python, or `path:<escape>a.py<escape>` of one of Gemma's
//! templates. Out: the same as values of JSON; nothing where anything else stands in it, as a variable.

use serde_json::{Map, Value};

/// Marks between which a text stands: those that begin with another come first.
const QUOTES: [&str; 6] = ["\"\"\"", "'''", "<|\"|>", "<escape>", "\"", "'"];

/// How deep values are nested that are read.
const MAX_DEPTH: usize = 32;

/// Returns the named values between the mark that `text` begins with and the one that closes it, and what follows.
pub(super) fn named(text: &str) -> Option<(Map<String, Value>, &str)> {
    let text = text.trim_start();
    let close = match text.chars().next()? {
        '(' => ')',
        '{' => '}',
        _ => return None,
    };
    entries(text.get(1..)?, close, MAX_DEPTH)
}

fn entries(text: &str, close: char, depth: usize) -> Option<(Map<String, Value>, &str)> {
    let mut values = Map::new();
    let mut rest = text.trim_start();
    loop {
        if let Some(after) = rest.strip_prefix(close) {
            return Some((values, after));
        }
        let (key, after) = match quoted(rest) {
            Some(found) => found,
            None => {
                let end = rest.find(|c: char| !c.is_alphanumeric() && !matches!(c, '_' | '-'))?;
                (rest.get(..end)?.to_owned(), rest.get(end..)?)
            }
        };
        let after = after.trim_start().strip_prefix(['=', ':'])?;
        let (value, after) = value(after.trim_start(), depth.checked_sub(1)?)?;
        if key.is_empty() || values.insert(key, value).is_some() {
            return None;
        }
        rest = separated(after, close)?;
    }
}

/// Returns what follows the comma, or the mark that closes.
fn separated(text: &str, close: char) -> Option<&str> {
    let text = text.trim_start();
    match text.strip_prefix(',') {
        Some(after) => Some(after.trim_start()),
        None => text.starts_with(close).then_some(text),
    }
}

fn value(text: &str, depth: usize) -> Option<(Value, &str)> {
    if let Some((found, rest)) = quoted(text) {
        return Some((found.into(), rest));
    }
    if let Some(inner) = text.strip_prefix('{') {
        let (map, rest) = entries(inner, '}', depth)?;
        return Some((map.into(), rest));
    }
    if let Some(inner) = text.strip_prefix('[') {
        let (mut list, mut rest) = (Vec::new(), inner.trim_start());
        loop {
            if let Some(after) = rest.strip_prefix(']') {
                return Some((list.into(), after));
            }
            let (one, after) = value(rest, depth.checked_sub(1)?)?;
            list.push(one);
            rest = separated(after, ']')?;
        }
    }
    let end = text.find(|c: char| !c.is_alphanumeric() && !matches!(c, '.' | '-' | '+'));
    let (word, rest) = text.split_at(end.unwrap_or(text.len()));
    let value = match word {
        "True" | "true" => true.into(),
        "False" | "false" => false.into(),
        "None" | "null" => Value::Null,
        number => Value::Number(serde_json::from_str(number).ok()?),
    };
    Some((value, rest))
}

/// Returns the text in quotes that `text` begins with, its escapes read.
fn quoted(text: &str) -> Option<(String, &str)> {
    let quote = QUOTES.iter().find(|quote| text.starts_with(**quote))?;
    let inner = text.get(quote.len()..)?;
    // Marks of a template have no escapes.
    if quote.starts_with('<') {
        let (found, rest) = inner.split_once(quote)?;
        return Some((found.to_owned(), rest));
    }
    let mut out = String::new();
    let mut rest = inner;
    loop {
        let at = rest.find(['\\', *quote.as_bytes().first()? as char])?;
        out.push_str(rest.get(..at)?);
        rest = rest.get(at..)?;
        if let Some(after) = rest.strip_prefix(quote) {
            return Some((out, after));
        }
        let mut chars = rest.chars();
        match (chars.next()?, rest.starts_with('\\')) {
            (_, true) => {
                let escaped = chars.next()?;
                match escaped {
                    'n' => out.push('\n'),
                    't' => out.push('\t'),
                    'r' => out.push('\r'),
                    '\n' => {}
                    '\\' | '\'' | '"' | '/' => out.push(escaped),
                    'u' => {
                        let code = u32::from_str_radix(chars.as_str().get(..4)?, 16).ok()?;
                        out.push(char::from_u32(code)?);
                        chars = chars.as_str().get(4..)?.chars();
                    }
                    // Other escapes stay as they are, as Python leaves them.
                    other => out.extend(['\\', other]),
                }
            }
            (c, false) => out.push(c),
        }
        rest = chars.as_str();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn literals_of_code_are_values() {
        for (text, expected) in [
            ("()", Some("{}")),
            (
                r#"(path="a.py", n=3, all=True, none=None)"#,
                Some(r#"{"path":"a.py","n":3,"all":true,"none":null}"#),
            ),
            (
                "(path='it\\'s', text=\"\"\"a\n\"b\"\n\"\"\")",
                Some(r#"{"path":"it's","text":"a\n\"b\"\n"}"#),
            ),
            (
                r#"(edits=[{"old_text": "a\n", 'new_text': "\d"}], x=-1.5)"#,
                Some(r#"{"edits":[{"old_text":"a\n","new_text":"\\d"}],"x":-1.5}"#),
            ),
            (
                "{path:<escape>a\\b<escape>,n:2,deep:{a:[<|\"|>x<|\"|>]}}",
                Some(r#"{"path":"a\\b","n":2,"deep":{"a":["x"]}}"#),
            ),
            ("(path=name)", None),
            ("(\"a.py\")", None),
            ("(path=\"a", None),
            ("(path=open(\"a\"))", None),
            ("(a=1, a=2)", None),
            ("path", None),
        ] {
            let found = named(text).map(|(map, _)| Value::Object(map).to_string());
            assert_eq!(found.as_deref(), expected, "{text}");
        }
        let deep = format!("(a={}1", "[".repeat(100_000));
        assert_eq!(named(&deep), None);
    }
}
