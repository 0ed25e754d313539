//! Display of hunks that the user edited.
//!
//! In: a file and the marks. Out: lines with the user's in the place of the model's; what the review hands over
//! stays as it was.

use std::collections::HashMap;

use signoff_core::edit::diff::hunk::emphasise;
use signoff_core::edit::diff::line::{DiffLine, LineKind};
use signoff_core::edit::diff::lines::diff_lines;
use signoff_core::stage::review::{HunkStatus, HunkView, Verdict};
use signoff_core::syntax::tokens::Token;
use signoff_draw::snippet::Snippet;

use super::marks::Marks;
use super::review_file::ReviewFile;

/// Returns the lines of the hunks that are shown with the user's text, by their index.
pub(super) fn lines(file: &ReviewFile, marks: &Marks) -> HashMap<usize, Vec<DiffLine>> {
    let hunks = file.hunks().enumerate();
    let edited = hunks.filter_map(|(index, hunk)| {
        let text = users_text(hunk, marks)?;
        Some((index, with_text(hunk, text)))
    });
    edited.collect()
}

/// Returns how many lines a hunk adds and removes with the user's text, if it has one.
pub(super) fn counts(hunk: &HunkView, marks: &Marks) -> (u32, u32) {
    let Some(text) = users_text(hunk, marks) else {
        return (hunk.added, hunk.removed);
    };
    let lines = with_text(hunk, text);
    let count = |kind: LineKind| {
        let count = lines.iter().filter(|line| line.kind == kind).count();
        u32::try_from(count).unwrap_or(u32::MAX)
    };
    (count(LineKind::Added), count(LineKind::Removed))
}

/// Returns the text that the user puts in the place of a hunk's, if they do.
fn users_text<'a>(hunk: &'a HunkView, marks: &'a Marks) -> Option<&'a str> {
    match (&hunk.status, marks.get(hunk.id)) {
        (HunkStatus::Edited { text, .. }, _) => Some(text),
        (
            HunkStatus::Pending | HunkStatus::Conflict { .. },
            Some(Verdict::ApproveEdited { text, .. }),
        ) => Some(text),
        _ => None,
    }
}

/// Returns the tokens of lines that are shown of a hunk; `known` are those of its own lines.
pub(super) fn tokens(
    path: &str,
    (hunk, known): (&HunkView, &[Vec<Token>]),
    lines: &[DiffLine],
) -> Vec<Vec<Token>> {
    let own: HashMap<&str, &Vec<Token>> = (hunk.lines.iter().zip(known))
        .map(|(line, tokens)| (line.text.as_str(), tokens))
        .collect();
    let new = lines.iter().filter(|line| line.kind != LineKind::Removed);
    let code: String = new.flat_map(|line| [line.text.as_str(), "\n"]).collect();
    let extension = path.rsplit('.').next().unwrap_or(path);
    let snippet = Snippet::new(0, 0, extension, code);
    let told = snippet.map(|snippet| snippet.colours().lines);
    let mut told = told.into_iter().flatten();
    let tokens = lines.iter().map(|line| {
        let read = match line.kind {
            LineKind::Removed => None,
            LineKind::Context | LineKind::Added => told.next(),
        };
        let known = own.get(line.text.as_str()).map(|tokens| (*tokens).clone());
        known.or(read)
    });
    tokens
        .map(|own| own.into_iter().flatten().collect())
        .collect()
}

/// Returns the lines that are written for a text in the place of a hunk's, as `Stage::replace_text` makes them: with the
/// endings of the file, of which the hunk's own lines tell, and with the final ending that the file or the model left out.
fn written(hunk: &HunkView, text: &str) -> Vec<DiffLine> {
    let old = || {
        hunk.lines
            .iter()
            .filter(|line| line.kind != LineKind::Added)
    };
    // Carriage returns are in the lines where not all end alike.
    let carried = old().filter(|line| line.newline && line.text.ends_with('\r'));
    let is_crlf = carried.count() * 2 > old().filter(|line| line.newline).count();
    let mut text = if is_crlf {
        text.replace("\r\n", "\n")
    } else {
        text.to_owned()
    };
    let last = old().next_back();
    let is_own = last
        .is_some_and(|last| !last.newline && text.rsplit('\n').next() == Some(last.text.as_str()));
    let is_at_end = hunk.lines.last().is_none_or(is_changed);
    let is_ended = hunk
        .lines
        .last()
        .is_none_or(|last| last.kind == LineKind::Removed || last.newline);
    let ended = !is_at_end || is_ended && !is_own;
    if ended && !text.is_empty() && !text.ends_with('\n') {
        text.push('\n');
    }
    let lines = text.split_inclusive('\n').map(|line| {
        let own = line.strip_suffix('\n');
        let carriage_return = if own.is_some() && is_crlf { "\r" } else { "" };
        DiffLine {
            kind: LineKind::Added,
            old: None,
            new: None,
            text: format!("{}{carriage_return}", own.unwrap_or(line)),
            emphasis: Vec::new(),
            newline: own.is_some(),
        }
    });
    lines.collect()
}

/// Returns what of a line is compared: one without an ending is another.
fn with_ending(line: &DiffLine) -> Vec<u8> {
    let ending: &[u8] = if line.newline { b"\n" } else { b"" };
    [line.text.as_bytes(), ending].concat()
}

/// Returns a line that stays, at its place in the new text.
fn kept(line: &DiffLine, new: Option<u32>) -> DiffLine {
    DiffLine {
        kind: LineKind::Context,
        new,
        emphasis: Vec::new(),
        ..line.clone()
    }
}

fn is_changed(line: &DiffLine) -> bool {
    line.kind != LineKind::Context
}

/// Returns the lines of a hunk whose new text, from the first change to the last, is `text`.
fn with_text(hunk: &HunkView, text: &str) -> Vec<DiffLine> {
    let first = hunk.lines.iter().position(is_changed).unwrap_or(0);
    let end = hunk
        .lines
        .iter()
        .rposition(is_changed)
        .map_or(first, |last| last + 1);
    let (before, rest) = hunk.lines.split_at(first);
    let (within, after) = rest.split_at(end - first);
    let old: Vec<&DiffLine> = within
        .iter()
        .filter(|line| line.kind != LineKind::Added)
        .collect();
    let new = written(hunk, text);
    let mut number = within.iter().find_map(|line| line.new);
    number = number.or_else(|| before.last().and_then(|line| Some(line.new? + 1)));
    let mut next = || {
        let own = number;
        number = number.map(|number| number + 1);
        own
    };
    let mut lines = before.to_vec();
    let old_texts: Vec<Vec<u8>> = old.iter().map(|line| with_ending(line)).collect();
    let new_texts: Vec<Vec<u8>> = new.iter().map(with_ending).collect();
    let mut at = 0;
    let old_texts: Vec<&[u8]> = old_texts.iter().map(Vec::as_slice).collect();
    let new_texts: Vec<&[u8]> = new_texts.iter().map(Vec::as_slice).collect();
    for change in diff_lines(&old_texts, &new_texts) {
        let stays = old.iter().take(change.old.start).skip(at);
        lines.extend(stays.map(|line| kept(line, next())));
        let gone = old.iter().take(change.old.end).skip(change.old.start);
        lines.extend(gone.map(|line| DiffLine {
            kind: LineKind::Removed,
            new: None,
            emphasis: Vec::new(),
            ..(*line).clone()
        }));
        let come = new.iter().take(change.new.end).skip(change.new.start);
        lines.extend(come.map(|line| DiffLine {
            new: next(),
            ..line.clone()
        }));
        at = change.old.end;
    }
    lines.extend(old.iter().skip(at).map(|line| kept(line, next())));
    lines.extend(after.iter().map(|line| DiffLine {
        new: next(),
        ..line.clone()
    }));
    emphasise(&mut lines);
    lines
}

#[cfg(test)]
mod tests {
    use signoff_core::id::{HunkId, ProposalId};

    use super::*;

    #[test]
    fn the_users_lines_stand_where_the_models_stood() {
        let line = |(kind, old, new, text): (LineKind, u32, u32, &str)| DiffLine {
            kind,
            old: Some(old).filter(|old| *old > 0),
            new: Some(new).filter(|new| *new > 0),
            text: text.to_owned(),
            emphasis: Vec::new(),
            newline: true,
        };
        let lines = [
            (LineKind::Context, 1, 1, "a"),
            (LineKind::Removed, 2, 0, "b"),
            (LineKind::Added, 0, 2, "B"),
            (LineKind::Context, 3, 3, "c"),
            (LineKind::Removed, 4, 0, "d"),
            (LineKind::Context, 5, 4, "e"),
        ];
        let proposal = ProposalId(uuid::Uuid::nil());
        let hunk = HunkView {
            id: HunkId {
                proposal,
                number: 1,
            },
            status: HunkStatus::Pending,
            lines: lines.into_iter().map(line).collect(),
            added: 1,
            removed: 2,
            ..HunkView::default()
        };
        let check = |text: &str, expected: &str| {
            let shown = with_text(&hunk, text);
            let shown = shown.iter().map(|line| {
                let mark = match line.kind {
                    LineKind::Context => ' ',
                    LineKind::Removed => '-',
                    LineKind::Added => '+',
                };
                let number = |number: Option<u32>| number.unwrap_or_default();
                format!(
                    "{mark}{}{}{} ",
                    number(line.old),
                    number(line.new),
                    line.text
                )
            });
            assert_eq!(shown.collect::<String>().trim_end(), expected);
        };
        check("mine\nc\n", " 11a -20b +02mine  33c -40d  54e");
        check("b\nc\nd\nmore\n", " 11a  22b  33c  44d +05more  56e");
        check("", " 11a -20b -30c -40d  52e");
        check("x\nd\n", " 11a -20b -30c +02x  43d  54e");
        // Lines that were deselected between others.
        check("B\nc\nD\n", " 11a -20b +02B  33c -40d +04D  55e");
    }

    /// A line of old or new text, as ` a`, `-b` or `+c`; one with a `$` at its end has no ending.
    fn line(own: &str) -> DiffLine {
        let (kind, text) = match own.split_at(1) {
            ("-", text) => (LineKind::Removed, text),
            ("+", text) => (LineKind::Added, text),
            (_, text) => (LineKind::Context, text),
        };
        DiffLine {
            kind,
            old: None,
            new: None,
            text: text.trim_end_matches('$').to_owned(),
            emphasis: Vec::new(),
            newline: !text.ends_with('$'),
        }
    }

    #[test]
    fn line_endings_are_those_that_are_written() {
        let check = |lines: &[&str], text: &str, expected: &[&str]| {
            let hunk = HunkView {
                lines: lines.iter().map(|own| line(own)).collect(),
                ..HunkView::default()
            };
            let shown = with_text(&hunk, text).into_iter();
            let shown: Vec<_> = shown.map(|own| (own.kind, own.text, own.newline)).collect();
            let expected = expected.iter().map(|own| line(own));
            let expected: Vec<_> = expected
                .map(|own| (own.kind, own.text, own.newline))
                .collect();
            assert_eq!(shown, expected, "{lines:?} {text:?}");
        };
        // A final ending comes.
        let comes = &[" a", "-b", "-c$", "+B", "+c"][..];
        check(comes, "XB\nc\n", &[" a", "-b", "-c$", "+XB", "+c"]);
        // The user leaves it as it was, or ends with another line, which gets one.
        check(comes, "XB\nc", &[" a", "-b", "+XB", " c$"]);
        check(comes, "XB\nd", &[" a", "-b", "-c$", "+XB", "+d"]);
        // One goes that the model took away, and stays where the model left it.
        check(&[" a", "-b", "+B$"], "XB", &[" a", "-b", "+XB$"]);
        check(&[" a", "-b", "+B"], "XB", &[" a", "-b", "+XB"]);
        check(&["-a", "+A", " b$"], "XA", &["-a", "+XA", " b$"]);
        // Lines of a file of CRLF that come with LF.
        let mixed = &[" five\r", "-six\r", "-seven$", "+six!", "+seven\r"][..];
        let written = &[" five\r", "-six\r", "-seven$", "+six?\r", "+seven\r"];
        check(mixed, "six?\nseven\r\n", written);
    }

    #[test]
    fn the_users_lines_are_coloured_and_marked_where_they_differ() {
        use signoff_core::syntax::tokens::TokenKind;

        let mut hunk = crate::review::kit::file("fn a() {").hunks.remove(0);
        let line = hunk.lines[1].clone();
        let removed = DiffLine {
            kind: LineKind::Removed,
            new: None,
            text: "    let total = 1;".to_owned(),
            ..line
        };
        hunk.lines.insert(1, removed);
        let lines = with_text(&hunk, "    let sum = 1;\n");
        let texts: Vec<(&str, &[(usize, usize)])> = lines
            .iter()
            .map(|line| (line.text.as_str(), line.emphasis.as_slice()))
            .collect();
        assert_eq!(
            texts[1..],
            [
                ("    let total = 1;", &[(8, 13)][..]),
                ("    let sum = 1;", &[(8, 11)][..]),
            ]
        );
        let told = tokens("a.rs", (&hunk, &[]), &lines);
        assert_eq!(told.len(), lines.len());
        let keyword = Token {
            at: 4..7,
            kind: TokenKind::Keyword,
        };
        assert!(told[2].contains(&keyword), "{told:?}");
        assert!(
            told[1].is_empty(),
            "the old lines have those that the hunk has"
        );
    }
}
