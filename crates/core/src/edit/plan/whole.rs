//! Replaces a whole text: the strategy `whole`.
//!
//! In: the text as it shall be, or text for the end. Out: a plan of only the lines that
//! differ, so that review, merge and undo see changes and not a new file. The file's own line
//! endings stay. Nothing is looked for: the place is everything, or the end.

use std::borrow::Cow;

use super::outcome::{OrAnswer, created, modified, planned};
use super::{Evidence, Plan};
use crate::disk::workspace::WorkspacePath;
use crate::edit::diff::lines::difference;
use crate::edit::locate::Rung;
use crate::edit::locate::loose::forms::unescape;
use crate::edit::request::{WholePlacement, WholeRequest};
use crate::text::{Ending, Source, Splice};

/// Plans `request` for `source`, or for a new file.
pub(super) fn plan(
    path: &WorkspacePath,
    source: Option<&Source>,
    request: &WholeRequest,
) -> OrAnswer<Plan> {
    let content = parse(path, &request.content);
    match source {
        Some(source) => splice(source, &content, request.placement),
        None => Ok(created(&content)),
    }
}

/// Texts for people, in which `\n` is no escape.
const PROSE: [&str; 8] = ["md", "markdown", "mdx", "mkd", "rst", "adoc", "org", "txt"];

/// Written-out line breaks from which on a text of one line is one that was escaped once too often. A sentence about
/// escapes has one or two.
const FEWEST_BREAKS: usize = 3;

/// Returns prose that is one line of `\n`s with its line breaks: `# A\n\nText\n`, as models write that escape once too often.
fn in_lines(path: &WorkspacePath, content: &str) -> Option<String> {
    let extension = path.extension()?;
    let is_prose = PROSE.contains(&extension.as_str());
    let is_one_line = !content.trim_end().contains('\n');
    let is_escaped = content.matches("\\n").count() >= FEWEST_BREAKS;
    (is_prose && is_one_line && is_escaped).then(|| unescape(content, "nrt\"'\\"))
}

/// Returns what a Markdown fence around the whole content holds: models answer in them. In
/// Markdown itself a fence is text.
fn parse<'a>(path: &WorkspacePath, content: &'a str) -> Cow<'a, str> {
    if let Some(lines) = in_lines(path, content) {
        return lines.into();
    }
    let markdown = path
        .extension()
        .is_some_and(|extension| ["md", "markdown", "mdx", "mkd"].contains(&extension.as_str()));
    let inner = content
        .trim_start_matches('\n')
        .strip_prefix("```")
        .filter(|_| !markdown);
    let inner = inner
        .and_then(|rest| rest.split_once('\n'))
        .map(|(_, inner)| inner);
    let inner = inner.and_then(|inner| inner.trim_end().strip_suffix("```"));
    inner
        .filter(|inner| inner.is_empty() || inner.ends_with('\n'))
        .unwrap_or(content)
        .into()
}

/// Writes all of a file.
pub(super) fn anew(source: &Source, content: &str) -> OrAnswer<Plan> {
    splice(source, content, WholePlacement::Everything)
}

fn splice(source: &Source, content: &str, placement: WholePlacement) -> OrAnswer<Plan> {
    let content = with_ending(content, source.ending());
    match placement {
        WholePlacement::Everything => everything(source, &content),
        WholePlacement::End => modified(vec![at_end(source, &content)], "end of the file", 1),
    }
}

/// Gives text the ending that most lines of the file have.
fn with_ending(content: &str, ending: Ending) -> String {
    match ending {
        Ending::Lf => content.replace("\r\n", "\n"),
        Ending::CrLf => content.replace("\r\n", "\n").replace('\n', "\r\n"),
    }
}

fn everything(source: &Source, content: &str) -> OrAnswer<Plan> {
    let edits = difference(source, &Source::new(content));
    let evidence = Evidence::new(Rung::Exact, "whole text, compared line by line");
    planned(edits, evidence, 1)
}

fn at_end(source: &Source, content: &str) -> Splice {
    let gap = if source.ends_with_newline() {
        ""
    } else {
        source.ending().as_str()
    };
    let new = format!("{gap}{content}").into_bytes();
    Splice {
        at: source.bytes().len(),
        old: Vec::new(),
        new,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::edit::plan::Outcome;
    use crate::edit::plan::testing::{run, word};
    use crate::edit::request::Request;

    fn whole(before: &str, content: &str, placement: WholePlacement) -> Result<String, Outcome> {
        let request = WholeRequest {
            content: content.to_owned(),
            placement,
        };
        run("a.txt", before, Request::Whole(request))
    }

    #[test]
    fn the_text_is_as_asked_and_endings_stay() {
        let check = |before: &str, content: &str, after: &str| {
            assert_eq!(
                whole(before, content, WholePlacement::Everything).unwrap(),
                after
            );
        };
        check("a\nb\nc\n", "a\nx\nc\n", "a\nx\nc\n");
        check("a\r\nb\r\n", "a\nx\n", "a\r\nx\r\n");
        check("a\n", "a", "a");
        check("a\nb\n", "a\r\nx\r\n", "a\nx\n");
        check("a\n", "```txt\nx\n```\n", "x\n");
        check("a\n", "```\nx", "```\nx");
        check("", "a\n", "a\n");
        assert_eq!(
            word(&whole("a\n", "a\n", WholePlacement::Everything)),
            "already_applied"
        );
    }

    #[test]
    fn prose_that_is_one_line_of_escapes_gets_its_lines() {
        for (file, content, after) in [
            ("a.md", r#"# A\n\nSay \"b\".\n"#, "# A\n\nSay \"b\".\n"),
            ("a.txt", "a\\nb\\tc\\nd\\n\n", "a\nb\tc\nd\n\n"),
            // A sentence about escapes, lines, and code.
            (
                "a.md",
                r"Lines end in `\n` or `\r\n`.",
                r"Lines end in `\n` or `\r\n`.",
            ),
            ("a.md", "`\\n`\n`\\n` `\\n`\n", "`\\n`\n`\\n` `\\n`\n"),
            ("a.json", r#"{"a": "b\nc\nd\ne"}"#, r#"{"a": "b\nc\nd\ne"}"#),
        ] {
            let request = WholeRequest {
                content: content.to_owned(),
                placement: WholePlacement::Everything,
            };
            assert_eq!(
                run(file, "x\n", Request::Whole(request)).unwrap(),
                after,
                "{content}"
            );
        }
    }

    #[test]
    fn text_is_appended_on_a_line_of_its_own() {
        let check = |before: &str, after: &str| {
            assert_eq!(whole(before, "x\n", WholePlacement::End).unwrap(), after);
        };
        check("a\n", "a\nx\n");
        check("a", "a\nx\n");
        check("a\r\nb", "a\r\nb\r\nx\r\n");
    }
}
