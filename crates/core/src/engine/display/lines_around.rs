//! Lines around a hunk, for those who want to see more of the file than its context.
//!
//! In: a hunk as it is shown, and how many lines are wanted above and below it. Out: the lines between it and the hunks
//! beside it, from the text below its proposal. Where that text has other lines in the hunk's place by now, none.
//!
//! ```text
//! @@ -5,3 +5,4 @@  with 2 lines: 3 and 4 above it, 8 and 9 below, which are 3, 4 and 9, 10 after the change
//! ```

use std::ops::Range;

use serde::Serialize;

use super::colours::tokens_of;
use crate::edit::diff::line::{DiffLine, LineKind};
use crate::engine::EngineError;
use crate::id::HunkId;
use crate::stage::proposal::stage::Stage;
use crate::stage::review::{HunkView, ProposalView};
use crate::syntax::tokens::Token;
use crate::syntax::{Language, SyntaxCache};
use crate::text::Source;

/// Maximum number of lines above a hunk, and below it; as many as a screen of 50 lines goes through in 200 pages.
pub const MOST_AROUND: usize = 10_000;

/// Maximum number of bytes of these lines on either side.
const MOST_BYTES: usize = 1024 * 1024;

/// A wish to see lines around a hunk. All lines are counted from 0 in the text before the change.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AroundRequest {
    /// The hunk.
    pub hunk: HunkId,
    /// The lines that are wanted above the hunk, and below it.
    pub lines: usize,
    own: Range<usize>,
    /// Where the hunk before ends, and where the one behind begins.
    free: (usize, Option<usize>),
    /// How far earlier hunks move the lines above it and below it.
    shift: [isize; 2],
    /// Old lines of the hunk, to tell whether it is there still.
    known: Vec<(usize, String)>,
}

/// Lines around a hunk.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct LinesAround {
    /// The hunk.
    pub hunk: HunkId,
    /// How many lines were wanted on each side.
    pub lines: usize,
    /// Lines above it, in order.
    pub above: Vec<DiffLine>,
    /// Lines below it.
    pub below: Vec<DiffLine>,
    /// The tokens of the lines above it, in bytes of each; none where no language is known.
    pub above_tokens: Vec<Vec<Token>>,
    /// The tokens of those below it.
    pub below_tokens: Vec<Vec<Token>>,
    /// True if lines that were wanted are left out, since they are too many.
    pub is_cut: bool,
    /// Why there are none, if they cannot be told.
    pub missing: Option<String>,
}

impl AroundRequest {
    /// Returns the request for a hunk of a proposal; nothing if its header names no lines.
    pub fn new(view: &ProposalView, hunk: HunkId, lines: usize) -> Option<Self> {
        let index = view.hunks.iter().position(|own| own.id == hunk)?;
        let shown = view.hunks.get(index)?;
        let [old, new] = sides(&shown.header)?;
        let before = view.hunks.get(..index)?.iter().rev().find(has_lines);
        let after = view.hunks.get(index + 1..)?.iter().find(has_lines);
        let known = shown.lines.iter().filter_map(|line| {
            let number = line.old?.checked_sub(1)?;
            Some((number as usize, line.text.clone()))
        });
        let mut known = known;
        let first = known.next();
        let last = known.next_back();
        Some(Self {
            hunk,
            lines: lines.min(MOST_AROUND),
            free: (
                before.and_then(old_side).map_or(0, |old| old.end),
                after.and_then(old_side).map(|old| old.start),
            ),
            shift: [
                new.start as isize - old.start as isize,
                new.end as isize - old.end as isize,
            ],
            own: old,
            known: first.into_iter().chain(last).collect(),
        })
    }

    /// Keeps the lines between the hunks of other proposals that stand before it and behind it in the file.
    pub fn between(
        mut self,
        own: &HunkView,
        before: Option<&HunkView>,
        after: Option<&HunkView>,
    ) -> Self {
        let before = before.and_then(|other| side_for(own, other));
        let after = after.and_then(|other| side_for(own, other));
        if let Some(lines) = before {
            self.free.0 = self.free.0.max(lines.end).min(self.own.start);
        }
        if let Some(lines) = after {
            let end = self.free.1.map_or(lines.start, |end| end.min(lines.start));
            self.free.1 = Some(end.max(self.own.end));
        }
        self
    }

    /// Returns the answer from the text before the change.
    fn answer(&self, text: Option<&Source>) -> LinesAround {
        let mut out = LinesAround {
            hunk: self.hunk,
            lines: self.lines,
            above: Vec::new(),
            below: Vec::new(),
            above_tokens: Vec::new(),
            below_tokens: Vec::new(),
            is_cut: false,
            missing: None,
        };
        let Some(text) = text else {
            return out;
        };
        let is_there = |(line, known): &(usize, String)| shown(text, *line) == *known;
        let count = text.line_count();
        if self.own.end > count || !self.known.iter().all(is_there) {
            out.missing = Some("the file has changed".to_owned());
            return out;
        }
        let above = (self.free.0..self.own.start).rev();
        let end = self.free.1.unwrap_or(count).min(count);
        let below = self.own.end..end;
        let mut take = |all: &mut dyn Iterator<Item = usize>, shift: isize| {
            let mut bytes = 0;
            let mut lines = Vec::new();
            for at in all.take(self.lines) {
                bytes += text.line(at).len();
                if bytes > MOST_BYTES {
                    out.is_cut = true;
                    break;
                }
                lines.push(context_line(text, at, shift));
            }
            out.is_cut |= lines.len() == MOST_AROUND;
            lines
        };
        let [above_shift, below_shift] = self.shift;
        let mut lines_above = take(&mut above.into_iter(), above_shift);
        lines_above.reverse();
        let lines_below = take(&mut below.into_iter(), below_shift);
        (out.above, out.below) = (lines_above, lines_below);
        out
    }
}

fn old_side(view: &HunkView) -> Option<Range<usize>> {
    sides(&view.header).map(|[old, _]| old)
}

/// Returns the old lines of another hunk of the file, as the text below `own` counts them.
fn side_for(own: &HunkView, other: &HunkView) -> Option<Range<usize>> {
    let [from, to] = [other, own].map(|hunk| hunk.place.map_or(0, |place| place.before));
    let shift = isize::try_from(from - to).ok()?;
    let lines = old_side(other)?;
    Some(lines.start.checked_add_signed(shift)?..lines.end.checked_add_signed(shift)?)
}

fn has_lines(view: &&HunkView) -> bool {
    !view.lines.is_empty()
}

/// Returns what is shown of a line.
fn shown(text: &Source, at: usize) -> String {
    String::from_utf8_lossy(text.line(at)).into_owned()
}

/// Returns a line of the text before the change; after it, the line is `shift` lines further down.
fn context_line(text: &Source, at: usize, shift: isize) -> DiffLine {
    DiffLine {
        kind: LineKind::Context,
        old: line_number(at),
        new: at.checked_add_signed(shift).and_then(line_number),
        text: shown(text, at),
        emphasis: Vec::new(),
        newline: text.line_with_ending(at).ends_with(b"\n"),
    }
}

fn line_number(at: usize) -> Option<u32> {
    u32::try_from(at + 1).ok()
}

/// Returns the lines of a hunk before and after the change, as its header names them, counted from 0.
fn sides(header: &str) -> Option<[Range<usize>; 2]> {
    let (old, new) = header.strip_prefix("@@ -")?.split_once(" +")?;
    let (new, _) = new.split_once(" @@")?;
    Some([header_side(old)?, header_side(new)?])
}

fn header_side(text: &str) -> Option<Range<usize>> {
    let (first, count) = text.split_once(',')?;
    let (first, count): (usize, usize) = (first.parse().ok()?, count.parse().ok()?);
    let start = if count == 0 {
        first
    } else {
        first.checked_sub(1)?
    };
    Some(start..start + count)
}

/// Returns the lines around a hunk.
pub(in crate::engine) fn lines_around(
    stage: &Stage,
    syntax: &SyntaxCache,
    request: &AroundRequest,
) -> Result<LinesAround, EngineError> {
    let proposal = request.hunk.proposal;
    let path = stage.proposal(proposal).map(|own| &own.path);
    let key = path.and_then(|path| stage.key_of(path));
    let stack = key.and_then(|key| stage.stacks.get(key));
    let Some(stack) = stack else {
        return Ok(LinesAround {
            missing: Some("it is not staged any more".to_owned()),
            ..request.answer(None)
        });
    };
    let mut before = stack.base.clone();
    for layer in &stack.layers {
        if layer.proposal() == proposal {
            break;
        }
        before = layer.apply(before.as_ref())?;
    }
    let mut told = request.answer(before.as_ref());
    let language = path.and_then(Language::of);
    if let (Some(language), Some(text)) = (language, &before) {
        told.above_tokens = tokens_of((syntax, language), text, &told.above);
        told.below_tokens = tokens_of((syntax, language), text, &told.below);
    }
    Ok(told)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::edit::intent::Operation;
    use crate::id::ProposalId;
    use crate::stage::review::{HunkStatus, Proposer};

    fn view(headers: &[&str]) -> ProposalView {
        let id = ProposalId(uuid::Uuid::nil());
        let line = |kind, old, new, text: &str| DiffLine {
            kind,
            old,
            new,
            text: text.to_owned(),
            emphasis: Vec::new(),
            newline: true,
        };
        let hunk = |(header, number): (&&str, u32)| HunkView {
            id: HunkId {
                proposal: id,
                number,
            },
            header: (*header).to_owned(),
            status: HunkStatus::Pending,
            lines: vec![line(LineKind::Added, None, Some(1), "new")],
            added: 1,
            ..HunkView::default()
        };
        ProposalView {
            id,
            path: "a.txt".to_owned(),
            operation: Operation::Modify,
            proposer: Proposer::User,
            hunks: headers.iter().zip(1..).map(hunk).collect(),
            ..ProposalView::default()
        }
    }

    #[test]
    fn lines_between_hunks_are_told_with_both_numbers() {
        let text: String = (1..=12).map(|line| format!("line {line}\n")).collect();
        let text = Source::new(text);
        let view = view(&[
            "@@ -2,1 +2,3 @@",
            "@@ -6,2 +8,1 @@ fn a",
            "@@ -12,0 +14,1 @@",
        ]);
        for (number, lines, above, below) in [
            (1, 2, "1/1", "3/5 4/6"),
            (2, 1, "5/7", "8/9"),
            (2, 99, "3/5 4/6 5/7", "8/9 9/10 10/11 11/12 12/13"),
            (3, 99, "8/9 9/10 10/11 11/12 12/13", ""),
        ] {
            let hunk = HunkId {
                proposal: view.id,
                number,
            };
            let request = AroundRequest::new(&view, hunk, lines).unwrap();
            let around = request.answer(Some(&text));
            let shown = |lines: &[DiffLine]| {
                let each = lines.iter().map(|line| {
                    assert_eq!(line.text, format!("line {}", line.old.unwrap()));
                    format!("{}/{}", line.old.unwrap(), line.new.unwrap())
                });
                each.collect::<Vec<_>>().join(" ")
            };
            assert_eq!(shown(&around.above), above, "above {number}");
            assert_eq!(shown(&around.below), below, "below {number}");
        }
    }

    #[test]
    fn a_text_that_has_changed_has_no_lines_around_a_hunk() {
        let mut view = view(&["@@ -2,1 +2,1 @@"]);
        view.hunks[0].lines[0].old = Some(2);
        let hunk = view.hunks[0].id;
        let request = AroundRequest::new(&view, hunk, 5).unwrap();
        for (text, expected) in [
            ("a\nnew\nb\n", None),
            ("a\nold\nb\n", Some("the file has changed")),
            ("a\n", Some("the file has changed")),
        ] {
            let around = request.answer(Some(&Source::new(text)));
            assert_eq!(around.missing.as_deref(), expected, "{text}");
            assert_eq!(around.above.len(), usize::from(expected.is_none()));
        }
        view.hunks[0].header = "@@ elsewhere".to_owned();
        assert_eq!(AroundRequest::new(&view, hunk, 5), None);
    }
}
