//! What a `#define` tells of a name.
//!
//! In: what stands after `#define`. Out: the name, and what it may be used as.

use super::names::{BRANCHES, CALLED, DEFINED, FUNCTION, OPERAND, Uses};

/// Returns the name that is defined, and what uses it stands for.
pub(super) fn uses(rest: &str) -> (&str, Uses) {
    let rest = rest.trim();
    let end = rest.find(|c: char| !(c.is_alphanumeric() || c == '_' || c == '$'));
    let (name, body) = rest
        .split_at_checked(end.unwrap_or(rest.len()))
        .unwrap_or((rest, ""));
    let takes = body.starts_with('(');
    let body = match takes {
        true => body.split_once(')').map_or("", |split| split.1),
        false => body,
    };
    let body = body.trim_start_matches(|c: char| c.is_whitespace() || c == '\\');
    let body = body.split("/*").next().unwrap_or_default().trim();
    let whole = body.starts_with('(') && body.ends_with(')') && is_one_group(body);
    let uses = if whole || !takes && body.starts_with(|c: char| c.is_ascii_digit()) {
        if takes { FUNCTION } else { OPERAND }
    } else if !takes
        && (body.contains('|') || body.contains("<<"))
        && body.starts_with(|c: char| c.is_alphanumeric() || matches!(c, '_' | '(' | '-' | '~'))
        && !body.contains(['"', ';', '{', '#'])
    {
        OPERAND
    } else if takes && body.starts_with("do") && body.ends_with(')') {
        CALLED
    } else {
        DEFINED
    };
    let branches = body.starts_with("if") || body.contains("else");
    (name, if branches { uses | BRANCHES } else { uses })
}

/// Returns whether the first bracket of a text is closed by its last.
fn is_one_group(body: &str) -> bool {
    let mut depth = 0_usize;
    let mut bytes = body.bytes().peekable();
    while let Some(byte) = bytes.next() {
        match byte {
            b'(' => depth += 1,
            b')' => depth = depth.saturating_sub(1),
            b'"' | b'\'' => return !body.contains([';', '{']),
            _ => {}
        }
        if depth == 0 && bytes.peek().is_some() {
            return false;
        }
    }
    true
}
