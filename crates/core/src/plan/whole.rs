//! The whole new text.
//!
//! In: the text as it shall be, or text for the end. Out: a plan of only the lines that
//! differ, so that review, merge and undo see changes and not a new file. The file's own line
//! endings stay.

use super::{Outcome, created, modified, planned};
use crate::diff::lines::difference;
use crate::request::{Placement, WholeRequest};
use crate::text::{Ending, Source, Splice};

/// Plans `request` for `source`, or for a new file.
pub(super) fn plan(source: Option<&Source>, request: &WholeRequest) -> Outcome {
    let Some(source) = source else {
        return created(&request.content, "new file");
    };
    let content = with_ending(&request.content, source.ending());
    match request.placement {
        Placement::Everything => everything(source, &content),
        Placement::End => modified(vec![at_end(source, &content)], "end of the file", 1),
    }
}

/// Gives text the ending of the file that it goes into, if that is CRLF throughout.
fn with_ending(content: &str, ending: Ending) -> String {
    match ending {
        Ending::Lf => content.to_owned(),
        Ending::CrLf => content.replace("\r\n", "\n").replace('\n', "\r\n"),
    }
}

fn everything(source: &Source, content: &str) -> Outcome {
    let edits = difference(source, &Source::new(content));
    planned(edits, "whole text, compared line by line", 1)
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
    use crate::plan::testing::{run, word};
    use crate::request::Request;

    fn whole(before: &str, content: &str, placement: Placement) -> Result<String, Outcome> {
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
                whole(before, content, Placement::Everything).unwrap(),
                after
            );
        };
        check("a\nb\nc\n", "a\nx\nc\n", "a\nx\nc\n");
        check("a\r\nb\r\n", "a\nx\n", "a\r\nx\r\n");
        check("a\n", "a", "a");
        check("", "a\n", "a\n");
        assert_eq!(
            word(&whole("a\n", "a\n", Placement::Everything)),
            "already_applied"
        );
    }

    #[test]
    fn text_is_appended_on_a_line_of_its_own() {
        let check = |before: &str, after: &str| {
            assert_eq!(whole(before, "x\n", Placement::End).unwrap(), after);
        };
        check("a\n", "a\nx\n");
        check("a", "a\nx\n");
        check("a\r\nb", "a\r\nb\r\nx\r\n");
    }
}
