//! Difference of old and new text, without their common parts: by line where the pair spans lines, within the line
//! where it does not.

use crate::edit::diff::lines::diff_lines;
use crate::edit::locate::view::LfView;
use crate::edit::request::Pair;
use crate::text::{Slice, Source, Splice, shared};

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
    let made = diff_lines(&old, &new).into_iter().map(|change| {
        let from = at + start_of(&old_starts, change.old.start);
        let to = at + start_of(&old_starts, change.old.end);
        let put = start_of(&new_starts, change.new.start)..start_of(&new_starts, change.new.end);
        view.splice(source, from..to, pair.new.slice(put))
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

/// Returns where a line starts: a line of the text, or the end.
fn start_of(starts: &[usize], line: usize) -> usize {
    debug_assert!(line < starts.len(), "line {line} is beyond the text");
    starts.get(line).or(starts.last()).map_or(0, |start| *start)
}

fn within_line(source: &Source, view: &LfView<'_>, at: usize, pair: &Pair) -> Splice {
    let (head, tail) = shared(&pair.old, &pair.new);
    let put = pair.new.slice(head..pair.new.len() - tail);
    let gone = at + head..at + pair.old.len() - tail;
    view.splice(source, gone, put)
}
