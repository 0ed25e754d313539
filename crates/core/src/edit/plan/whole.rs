//! Replaces a whole text: the strategy `whole`.
//!
//! In: the text as it shall be, or text for the end. Out: a plan of only the lines that
//! differ, so that review, merge and undo see changes and not a new file. The file's own line
//! endings stay. Nothing is looked for: the place is everything, or the end.

use super::outcome::{OrAnswer, created, modified, planned};
use super::{Evidence, Plan};
use crate::disk::workspace::WorkspacePath;
use crate::edit::diff::lines::difference;
use crate::edit::locate::Rung;
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
        Some(source) => splice(source, content, request.placement),
        None => Ok(created(content)),
    }
}

/// Returns what a Markdown fence around the whole content holds: models answer in them. In
/// Markdown itself a fence is text.
fn parse<'a>(path: &WorkspacePath, content: &'a str) -> &'a str {
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
    fn text_is_appended_on_a_line_of_its_own() {
        let check = |before: &str, after: &str| {
            assert_eq!(whole(before, "x\n", WholePlacement::End).unwrap(), after);
        };
        check("a\n", "a\nx\n");
        check("a", "a\nx\n");
        check("a\r\nb", "a\r\nb\r\nx\r\n");
    }
}
