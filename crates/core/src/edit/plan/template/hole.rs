//! Text that fills a hole of a template.
//!
//! In: a capture, and what stands before and behind the hole. Out: the text of the capture, with the
//! matches in it rewritten, indented for its new place, and the commas around it mended.

use std::ops::Range;

use super::{Rewriter, Tree, indent};
use crate::text::Slice;
use crate::text::indent::leading_at;

/// What a text of the template loses, for what stands before it.
#[derive(Default)]
pub(super) enum Swallow {
    #[default]
    Nothing,
    /// A comma and the blanks after it.
    Comma,
    /// The blanks at its start.
    Blanks,
}

impl Swallow {
    /// Returns a text of the template less what it loses.
    pub(super) fn rest_of(self, text: &str) -> &str {
        match self {
            Self::Nothing => text,
            Self::Comma => text
                .trim_start()
                .strip_prefix(',')
                .map_or(text, |rest| rest.trim_start_matches(' ')),
            Self::Blanks => text.trim_start_matches(' '),
        }
    }
}

impl Rewriter<'_> {
    /// Appends what a name stands for; says what the text after it is to lose.
    pub(super) fn push_hole(
        &self,
        out: &mut String,
        tree: &Tree<'_>,
        name: &str,
        next: &str,
        base: &str,
    ) -> Result<Swallow, String> {
        let capture = tree.found.captures.iter().find(|one| one.name == name);
        let Some(range) = capture.map(|capture| capture.range.clone()) else {
            return Ok(Swallow::Nothing);
        };
        self.keep_margin(out, &range, name, base);
        let line = out.rfind('\n').map(|line| line + 1);
        let to = line.map_or(base, |line| leading_at(out, line)).to_owned();
        if let Some(room) = self.room(out, next, &range) {
            out.truncate(out.trim_end_matches(' ').len());
            let from = leading_at(self.text, room.start);
            out.push_str(&self.captured(tree, room, from, &to)?);
            return Ok(Swallow::Blanks);
        }
        let from = leading_at(self.text, range.start);
        let begins = out.slice(line.unwrap_or(0)..);
        // Parts that stood one below the other, and of which the first goes into a line, keep theirs.
        let inline = !begins.trim().is_empty() && self.begins_line(range.start);
        let to = if inline && self.is_list(&range, from) {
            from
        } else {
            to.as_str()
        };
        let mut text = self.captured(tree, range, from, to)?;
        // Some grammars count the line's end as part of a list of statements.
        if next
            .trim_start_matches([' ', '\t'])
            .starts_with(['\n', '\r'])
        {
            text.truncate(text.trim_end_matches(['\n', '\r']).len());
        }
        let swallow = tidy_comma(out, &mut text, next);
        out.push_str(&text);
        Ok(swallow)
    }

    /// Returns whether a line of a range begins as far in as its first, other than with what closes that.
    fn is_list(&self, range: &Range<usize>, from: &str) -> bool {
        let text = self.text.slice(range.clone());
        let mut lines = text.lines().skip(1);
        lines.any(|line| {
            let rest = line.strip_prefix(from).unwrap_or_default();
            !rest.is_empty() && !rest.starts_with([' ', '\t', ')', ']', '}', '<'])
        })
    }

    /// Returns the range between the brackets that a capture fills, if these stand on other lines in
    /// the text, and beside the hole in the template: `f(@args)` keeps the lines of `f(\n  a,\n)`.
    fn room(&self, out: &str, next: &str, capture: &Range<usize>) -> Option<Range<usize>> {
        let open = out.trim_end_matches(' ').chars().next_back()?;
        let close = next.trim_start_matches(' ').chars().next()?;
        let known = matches!(
            (open, close),
            ('(', ')') | ('[', ']') | ('{', '}') | ('>', '<')
        );
        let head = self.text.get(..capture.start)?.trim_end();
        let tail = self.text.get(capture.end..)?;
        let end = capture.end + (tail.len() - tail.trim_start().len());
        let blanks = (
            self.text.get(head.len()..capture.start)?,
            self.text.get(capture.end..end)?,
        );
        let lines = blanks.0.contains('\n') && blanks.1.contains('\n');
        let same = head.ends_with(open) && tail.trim_start().starts_with(close);
        (known && lines && same && !capture.is_empty()).then_some(head.len()..end)
    }

    /// Gives a line that a capture begins the capture's own indentation, if the pattern leaves
    /// it out as the template does.
    fn keep_margin(&self, out: &mut String, capture: &Range<usize>, name: &str, base: &str) {
        let Some(line) = out.rfind('\n') else {
            return;
        };
        let at = capture.start;
        let own = leading_at(self.text, at);
        let margin = out.slice(line + 1..);
        let flush = self.flush.iter().any(|flush| flush == name) && margin == base;
        if flush && own.starts_with(base) && self.begins_line(at) {
            out.truncate(line + 1);
            out.push_str(own);
        }
    }

    fn begins_line(&self, at: usize) -> bool {
        let line = self.source.line_range(self.source.line_of(at)).start;
        self.text
            .get(line..at)
            .is_some_and(|head| head.trim().is_empty())
    }

    /// Returns a range of a match with the matches in it rewritten, its lines indented anew.
    fn captured(
        &self,
        tree: &Tree<'_>,
        range: Range<usize>,
        from: &str,
        to: &str,
    ) -> Result<String, String> {
        let mut out = String::new();
        let mut at = range.start;
        for inner in &tree.within {
            let inside = inner.found.range.start >= at && inner.found.range.end <= range.end;
            if !inside {
                continue;
            }
            self.push_moved(&mut out, at..inner.found.range.start, from, to);
            let new = self.made(inner)?;
            indent::push_reindented(&mut out, &new, from, to);
            at = inner.found.range.end;
        }
        self.push_moved(&mut out, at..range.end, from, to);
        Ok(out)
    }

    /// Appends a range of the text, its later lines indented by `to` where they were by `from`.
    fn push_moved(&self, out: &mut String, range: Range<usize>, from: &str, to: &str) {
        let text = self.text.slice(range.clone());
        if from == to {
            out.push_str(text);
            return;
        }
        let mut at = range.start;
        for (index, line) in text.split_inclusive('\n').enumerate() {
            let quiet = index == 0 || self.is_within(at);
            // Blanks that end what is moved stand before what follows.
            let moved = line
                .strip_prefix(from)
                .filter(|rest| !(rest.trim().is_empty() && line.ends_with('\n')));
            match moved {
                Some(rest) if !quiet => {
                    out.push_str(to);
                    out.push_str(rest);
                }
                _ => out.push_str(line),
            }
            at += line.len();
        }
    }

    fn is_within(&self, at: usize) -> bool {
        let next = self.verbatim.partition_point(|range| range.start < at);
        let before = next
            .checked_sub(1)
            .and_then(|index| self.verbatim.get(index));
        before.is_some_and(|range| at < range.end)
    }
}

/// Mends the commas around a list that is empty or ends in one: `f(@args, x)` becomes `f(x)`; and
/// the blanks around what is empty: `<B @rest />` becomes `<B />`.
fn tidy_comma(out: &mut String, text: &mut String, next: &str) -> Swallow {
    if text.is_empty() && next.starts_with(' ') {
        let kept = out.trim_end_matches(' ');
        if !kept.is_empty() && !kept.ends_with('\n') {
            out.truncate(kept.len());
        }
    }
    let next = next.trim_start();
    if text.is_empty() {
        let bare = out.trim_end();
        if next.starts_with(',') && bare.ends_with(['(', '[', '{', '<', ',']) {
            return Swallow::Comma;
        } else if next.starts_with([')', ']', '}', '>']) && bare.ends_with(',') {
            let keep = bare.len() - 1;
            out.truncate(keep);
        }
    } else if next.starts_with(',') && text.trim_end().ends_with(',') {
        let keep = text.trim_end().len() - 1;
        text.truncate(keep);
    }
    Swallow::Nothing
}
