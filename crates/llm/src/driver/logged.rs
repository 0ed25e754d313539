//! One line in the log for each call.
//!
//! In: a call and what came of it. Out: its name, time and sizes; at `trace` also how the first
//! change of a file began before and after. Never whole texts, and nothing that may be a key.

use signoff_core::edit::diff::line::LineKind;
use signoff_core::stage::review::ProposalView;

use crate::message::ToolCall;
use crate::tool::ToolOutput;

/// So much of a line is logged, in characters.
const PREFIX: usize = 32;

/// So much of a line is looked at for words that may be keys, in characters.
const LOOKED_AT: usize = 4096;

/// Length from which on a word with a digit in it may be a key, in characters.
const KEY_CHARS: usize = 12;

/// Length from which on a word without a digit may be a key, in characters.
const LONG_KEY_CHARS: usize = 20;

/// Of a line with one of these nothing is logged.
const TELLING: [&str; 6] = [
    "passw",
    "secret",
    "token",
    "api_key",
    "apikey",
    "credential",
];

/// Logs a call that was carried out.
pub(super) fn call(call: &ToolCall, output: &ToolOutput, took_ms: u64) {
    tracing::debug!(
        tool = %prefix(&call.name),
        ok = output.ok,
        took_ms,
        arguments = call.arguments.len(),
        answer = output.content.len(),
        staged = output.staged.len(),
        changed = output.deeds.changed.len(),
        "call"
    );
    for proposal in output.staged.iter() {
        tracing::trace!(
            proposal = %proposal.id,
            hunks = proposal.hunks.len(),
            before = first(proposal, LineKind::Removed),
            after = first(proposal, LineKind::Added),
            "staged"
        );
    }
}

/// Returns how the first line of a kind begins.
fn first(proposal: &ProposalView, kind: LineKind) -> String {
    let mut lines = proposal.hunks.iter().flat_map(|hunk| &hunk.lines);
    let line = lines.find(|line| line.kind == kind);
    line.map(|line| prefix(&line.text)).unwrap_or_default()
}

/// Returns the beginning of a line, without what may be a key or move the terminal of whoever
/// reads the log.
fn prefix(line: &str) -> String {
    let line = line.trim_start();
    let lower = line.to_lowercase();
    if TELLING.iter().any(|word| lower.contains(word)) {
        return "[...]".to_owned();
    }
    // Whole words are looked at before the line is cut: half a key looks like any word.
    let within: String = line.chars().take(LOOKED_AT).collect();
    let words = within.split_inclusive(|c: char| !is_of_key(c));
    let shown = words.map(|word| {
        let end = word.trim_end_matches(|c: char| !is_of_key(c));
        let chars = end.chars().count();
        let digit = end.contains(|c: char| c.is_ascii_digit());
        if chars >= LONG_KEY_CHARS || (chars >= KEY_CHARS && digit) {
            format!("[...]{}", word.get(end.len()..).unwrap_or_default())
        } else {
            word.to_owned()
        }
    });
    let shown: String = shown.collect();
    let shown = shown.chars().filter(|c| !c.is_control());
    shown.take(PREFIX).collect()
}

fn is_of_key(c: char) -> bool {
    c.is_alphanumeric() || matches!(c, '-' | '_' | '+' | '/' | '=' | '.')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_prefix_is_short_and_holds_no_key() {
        for (line, expected) in [
            ("    let total = 1;", "let total = 1;"),
            ("  Password: hunter2", "[...]"),
            ("key = \"sk-0123456789abcdef\"", "key = \"[...]\""),
            ("let x = \"ghp_xKdjsLaaddssssKdjsLss", "let x = \"[...]"),
            ("a_name_of_letters(x)", "a_name_of_letters(x)"),
            (
                "one two three four five six seven eight nine",
                "one two three four five six seve",
            ),
            (
                "padding padding padding pad A1b2",
                "padding padding padding pad A1b2",
            ),
            (
                "padding padding padding padd A1b2c3d4e5f6",
                "padding padding padding padd [..",
            ),
            (
                "padding padding paddin xKdjsLaaddssssKdjsLss",
                "padding padding paddin [...]",
            ),
            ("letters in \"hunter\" before their password", "[...]"),
            ("\u{1b}[31mred\u{7}", "[31mred"),
            ("", ""),
        ] {
            assert_eq!(prefix(line), expected);
        }
    }
}
