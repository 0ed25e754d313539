//! Text that was only copied: what a rewrite of a file changes without having been asked to.
//!
//! In: a file, and what a model made of it. Out: the model's text with those parts put back that are far from
//! what it wrote: lines that were left out, lines that were only reformatted, the end where the answer stops
//! early, and the line endings. Lines are not put back if the answer has them elsewhere, or if the request is for
//! something to be removed.

use std::collections::HashSet;
use std::ops::Range;

use signoff_core::edit::diff::lines::diff_lines;

/// Lines between a change and another, from which on they have nothing to do with each other.
const FAR: usize = 10;

/// A rewrite after it was compared with the file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Compared {
    /// The text to write.
    pub(super) text: String,
    /// How many of the file's lines were put back.
    pub(super) put_back: usize,
}

/// What a changed region is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum RegionKind {
    /// It has something that the file had not.
    Written,
    /// Something went, and nothing came.
    Removed,
    /// Nothing but white space is another.
    Reformatted,
}

struct Region {
    old: Range<usize>,
    new: Range<usize>,
    kind: RegionKind,
}

/// Compares a rewrite with the file. `removes` tells whether the request is for something to go.
pub(super) fn compared(old: &str, new: &str, removes: bool) -> Compared {
    let ended = if old.contains("\r\n") {
        new.replace("\r\n", "\n").replace('\n', "\r\n")
    } else {
        new.to_owned()
    };
    let ended = with_end_of("\n", ended);
    let whole = with_end_of("\n", old.to_owned());
    let before: Vec<&str> = whole.split_inclusive('\n').collect();
    let after: Vec<&str> = ended.split_inclusive('\n').collect();
    let regions = regions(&before, &after);
    // What is least asked for by itself counts only where nothing else was done.
    let Some(meant) = regions.iter().map(|region| region.kind).min() else {
        return Compared {
            text: old.to_owned(),
            put_back: 0,
        };
    };
    let asked: Vec<&Range<usize>> = regions
        .iter()
        .filter(|region| region.kind == meant)
        .map(|region| &region.old)
        .collect();
    let come = regions
        .iter()
        .filter_map(|region| after.get(region.new.clone()));
    let come: HashSet<&str> = come.flatten().map(|line| line.trim()).collect();
    let mut text = String::new();
    let (mut at, mut put_back) = (0, 0);
    for region in &regions {
        text.extend(
            before
                .get(at..region.old.start)
                .unwrap_or_default()
                .iter()
                .copied(),
        );
        let ends_early = region.kind == RegionKind::Removed && region.old.end == before.len();
        let gone = before.get(region.old.clone()).unwrap_or_default();
        let is_asked = region.kind == RegionKind::Removed && (removes || is_moved(gone, &come));
        let is_copied =
            region.kind != meant && !is_asked && (ends_early || is_far(&region.old, &asked));
        let lines = if is_copied {
            put_back += region.old.len();
            before.get(region.old.clone())
        } else {
            after.get(region.new.clone())
        };
        text.extend(lines.unwrap_or_default().iter().copied());
        at = region.old.end;
    }
    text.extend(before.get(at..).unwrap_or_default().iter().copied());
    Compared {
        text: with_end_of(old, text),
        put_back,
    }
}

/// Tells whether a line that went has come elsewhere.
fn is_moved(gone: &[&str], come: &HashSet<&str>) -> bool {
    let mut telling = gone
        .iter()
        .filter(|line| line.contains(char::is_alphanumeric));
    telling.any(|line| come.contains(line.trim()))
}

fn regions(before: &[&str], after: &[&str]) -> Vec<Region> {
    let old: Vec<&[u8]> = before.iter().map(|line| line.as_bytes()).collect();
    let new: Vec<&[u8]> = after.iter().map(|line| line.as_bytes()).collect();
    let each = diff_lines(&old, &new).into_iter().map(|change| {
        let gone = dense(before.get(change.old.clone()));
        let come = dense(after.get(change.new.clone()));
        let kind = if gone == come {
            RegionKind::Reformatted
        } else if come.is_empty() {
            RegionKind::Removed
        } else {
            RegionKind::Written
        };
        Region {
            old: change.old,
            new: change.new,
            kind,
        }
    });
    each.collect()
}

fn dense(lines: Option<&[&str]>) -> String {
    let text = lines.unwrap_or_default().concat();
    text.chars().filter(|c| !c.is_whitespace()).collect()
}

/// Returns whether lines are far from each of these, which are in order.
fn is_far(lines: &Range<usize>, others: &[&Range<usize>]) -> bool {
    let next = others.partition_point(|other| other.end <= lines.start);
    let ahead = next.checked_sub(1).and_then(|last| others.get(last));
    let ahead = ahead.map(|other| lines.start - other.end);
    let behind = others.get(next);
    let behind = behind.map(|other| other.start.saturating_sub(lines.end));
    let distances = [ahead, behind].into_iter().flatten();
    distances.into_iter().all(|distance| distance >= FAR)
}

/// Returns the text with the last line ended as it is in the file.
fn with_end_of(old: &str, mut text: String) -> String {
    match (is_ended(old), is_ended(&text)) {
        (true, false) if old.contains("\r\n") => text.push_str("\r\n"),
        (true, false) => text.push('\n'),
        (false, true) => text.truncate(text.trim_end_matches(['\r', '\n']).len()),
        _ => {}
    }
    text
}

fn is_ended(text: &str) -> bool {
    text.is_empty() || text.ends_with('\n')
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns thirty lines `00` to `29`, with some of them changed; an empty one is left out.
    fn lines(changed: &[(usize, &str)]) -> String {
        let each = (0..30).map(|number| {
            let own = changed.iter().find(|(at, _)| *at == number);
            match own {
                Some((_, "")) => String::new(),
                Some((_, line)) => format!("{line}\n"),
                None => format!("  line {number:02}\n"),
            }
        });
        each.collect()
    }

    #[test]
    fn what_was_only_copied_stays_as_it_was() {
        let old = lines(&[]);
        let cases = [
            ("nothing changes", lines(&[]), lines(&[]), 0),
            ("a change", lines(&[(5, "x")]), lines(&[(5, "x")]), 0),
            (
                "a line left out far away",
                lines(&[(5, "x"), (20, "")]),
                lines(&[(5, "x")]),
                1,
            ),
            (
                "a line left out beside it",
                lines(&[(5, "x"), (8, "")]),
                lines(&[(5, "x"), (8, "")]),
                0,
            ),
            (
                "the end left out beside it",
                lines(&[(25, "x"), (28, ""), (29, "")]),
                lines(&[(25, "x")]),
                2,
            ),
            (
                "a line reformatted far away",
                lines(&[(5, "x"), (20, "line 20")]),
                lines(&[(5, "x")]),
                1,
            ),
            (
                "lines are to go",
                lines(&[(5, ""), (20, "")]),
                lines(&[(5, ""), (20, "")]),
                0,
            ),
            (
                "lines are to be indented",
                lines(&[(5, "line 05"), (20, "line 20")]),
                lines(&[(5, "line 05"), (20, "line 20")]),
                0,
            ),
        ];
        for (name, new, text, put_back) in cases {
            let compared = compared(&old, &new, false);
            assert_eq!(compared, Compared { text, put_back }, "{name}");
        }
    }

    #[test]
    fn what_moved_or_was_to_go_stays_away() {
        let old = lines(&[]);
        let moved = lines(&[(5, "  line 20"), (20, "")]);
        assert_eq!(compared(&old, &moved, false).text, moved);
        let removed = lines(&[(5, "x"), (20, "")]);
        assert_eq!(compared(&old, &removed, true).text, removed);
    }

    #[test]
    fn lines_end_as_in_the_file() {
        assert_eq!(compared_text("a\r\nb\r\n", "x\nb\n"), "x\r\nb\r\n");
        assert_eq!(compared_text("a\nb", "x\nb\n"), "x\nb");
        assert_eq!(compared_text("a\nb\n", "x\nb"), "x\nb\n");
        assert_eq!(compared_text("", "x\n"), "x\n");
        assert_eq!(compared_text("a", "a\nb\n"), "a\nb");
    }

    fn compared_text(old: &str, new: &str) -> String {
        compared(old, new, false).text
    }
}
