//! Minimal splices between old and new text.
//!
//! In: a place and a pair. Out: splices: by line where the pair spans lines, within the line
//! where it does not.

use crate::diff::lines::diff_lines;
use crate::locate::view::LfView;
use crate::request::Pair;
use crate::text::{Source, Splice, shared};

/// Returns the splices that turn the old text at `at` (an offset in the view) into the new.
pub(super) fn splices(source: &Source, view: &LfView<'_>, at: usize, pair: &Pair) -> Vec<Splice> {
    if pair.old.contains('\n') || pair.new.contains('\n') {
        by_line(source, view, at, pair)
    } else {
        vec![within_line(source, view, at, pair)]
    }
}

fn by_line(source: &Source, view: &LfView<'_>, at: usize, pair: &Pair) -> Vec<Splice> {
    let old: Vec<&[u8]> = pair.old.split_inclusive('\n').map(str::as_bytes).collect();
    let new: Vec<&[u8]> = pair.new.split_inclusive('\n').map(str::as_bytes).collect();
    let (old_starts, new_starts) = (starts(&old), starts(&new));
    let offset = |starts: &[usize], line: usize| starts.get(line).copied().unwrap_or_default();
    let made = diff_lines(&old, &new).into_iter().map(|change| {
        let from = at + offset(&old_starts, change.old.start);
        let to = at + offset(&old_starts, change.old.end);
        let put = offset(&new_starts, change.new.start)..offset(&new_starts, change.new.end);
        view.splice(source, from..to, pair.new.get(put).unwrap_or_default())
    });
    made.collect()
}

/// Returns where each line starts, and the end.
fn starts(lines: &[&[u8]]) -> Vec<usize> {
    let ends = lines.iter().scan(0, |end, line| {
        *end += line.len();
        Some(*end)
    });
    std::iter::once(0).chain(ends).collect()
}

fn within_line(source: &Source, view: &LfView<'_>, at: usize, pair: &Pair) -> Splice {
    let (head, tail) = shared(&pair.old, &pair.new);
    let put = pair.new.get(head..pair.new.len() - tail);
    let gone = at + head..at + pair.old.len() - tail;
    view.splice(source, gone, put.unwrap_or_default())
}
