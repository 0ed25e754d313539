//! Copies: whether lines that are about to go back are certainly those that were written.
//!
//! In: a file as it was written and as it is, and a reversal. Out: whether lines that were put in since fit as well as those that
//! the reversal changes. A comparison of two texts takes one of several equal lines for the one that stayed:
//!
//! ```text
//! written            now                  a comparison may say
//! fn one() {         fn one() {           that stayed
//!     let a = run();     run();           put in
//!     new()              new()            put in
//! }                  }                    put in
//!                                         put in
//!                    fn two() {           put in
//!                        other();         put in
//!                        new()            that stayed
//!                    }                    that stayed
//! ```
//!
//! The lines around decide: `}` stands below both, `fn one() {` above the first alone. A place is certain only if it has more of the
//! lines that stood around it than each copy.

use crate::text::{EditSet, Source};

/// How many lines above and below are compared: as many as a patch shows.
const AROUND: usize = 3;

/// A file as it was written and as it is, by lines.
struct Compared<'t> {
    written: Vec<&'t [u8]>,
    now: Vec<&'t [u8]>,
    /// For each line as it is, which one as it was written it is; none if it was put in since.
    stayed: Vec<Option<usize>>,
}

/// Returns whether a reversal changes lines of which there is a copy, put in since, that fits as well. `since` is what was
/// changed, whole lines.
pub(super) fn has_copy(
    written: &Source,
    (since, now): (&EditSet, &Source),
    reversal: &EditSet,
) -> bool {
    if since.is_empty() {
        return false;
    }
    let compared = Compared::of(written, since, now);
    let mut splices = reversal.splices().iter();
    splices.any(|splice| {
        let first = line_at(now, splice.at);
        let is_between = splice.old.is_empty() && now.line_range(first).start == splice.at;
        let last = splice.end().saturating_sub(1).max(splice.at);
        let end = if is_between {
            first
        } else {
            now.line_of(last) + 1
        };
        compared.has_copy(first, end)
    })
}

/// Returns the line at a byte; at the end of a text the one that would come.
fn line_at(source: &Source, at: usize) -> usize {
    if at < source.bytes().len() {
        source.line_of(at)
    } else {
        source.line_count()
    }
}

impl<'t> Compared<'t> {
    fn of(written: &'t Source, since: &EditSet, now: &'t Source) -> Self {
        let lines = |source: &'t Source| -> Vec<&'t [u8]> {
            let all = 0..source.line_count();
            all.map(|line| source.line_with_ending(line)).collect()
        };
        let (written_lines, now_lines) = (lines(written), lines(now));
        let mut stayed = Vec::with_capacity(now_lines.len());
        let mut next = 0;
        for splice in since.splices() {
            let first = line_at(written, splice.at);
            stayed.extend((next..first).map(Some));
            let put_in = Source::new(splice.new.clone()).line_count();
            stayed.extend(std::iter::repeat_n(None, put_in));
            next = first + Source::new(splice.old.clone()).line_count();
        }
        stayed.extend((next..written_lines.len()).map(Some));
        // Where the lines do not add up, no line is taken for a copy.
        stayed.resize(now_lines.len(), Some(0));
        Self {
            written: written_lines,
            now: now_lines,
            stayed,
        }
    }

    /// Returns whether lines that were put in fit as well as these do.
    fn has_copy(&self, first: usize, end: usize) -> bool {
        let at = |line: usize| self.stayed.get(line).copied().flatten();
        let above = first.checked_sub(1).and_then(at).map(|line| line + 1);
        let Some(origin) = at(first).or(above) else {
            return false;
        };
        let count = end - first;
        let as_written = self.around(first, origin, count);
        let is_copy = |place: usize| {
            // Of a place between two lines, these stand for it.
            let same = if count > 0 {
                (0..count).all(|line| self.now.get(place + line) == self.now.get(first + line))
            } else {
                origin > 0
                    && place > 0
                    && self.now.get(place) == self.written.get(origin)
                    && self.now.get(place - 1) == self.written.get(origin - 1)
            };
            place != first && same
        };
        let mut copies = self.with_new_line(count).filter(|place| is_copy(*place));
        copies.any(|place| self.around(place, origin, count) >= as_written)
    }

    /// Returns each line, once, from which at least one of the next `count` lines was put in: every copy begins at one of them.
    fn with_new_line(&self, count: usize) -> impl Iterator<Item = usize> {
        let lines = self.stayed.iter().enumerate();
        let put_in: Vec<usize> = lines
            .filter_map(|(line, stayed)| stayed.is_none().then_some(line))
            .collect();
        (0..self.now.len()).filter(move |place| {
            let from = put_in.partition_point(|line| line < place);
            let first = put_in.get(from);
            first.is_some_and(|line| *line < place + count.max(1))
        })
    }

    /// Returns how many of the lines around a place are those that stood around the lines as they were written.
    fn around(&self, place: usize, origin: usize, count: usize) -> usize {
        let is_same = |now: Option<usize>, written: Option<usize>| {
            let line = now.and_then(|line| self.now.get(line));
            line.is_some() && line == written.and_then(|line| self.written.get(line))
        };
        let above =
            (1..=AROUND).filter(|by| is_same(place.checked_sub(*by), origin.checked_sub(*by)));
        let below =
            (0..AROUND).filter(|by| is_same(Some(place + count + by), Some(origin + count + by)));
        above.count() + below.count()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::edit::diff::lines::difference;

    #[test]
    fn lines_with_a_copy_that_fits_as_well_are_not_certain() {
        let written = "fn one() {\n    let a = run();\n    new()\n}\n\nend\n";
        for (now, expected) in [
            (
                "fn one() {\n    run();\n    new()\n}\n\nfn two() {\n    other();\n    new()\n}\n\nend\n",
                true,
            ),
            ("fn one() {\n    run();\n    new()\n}\n\nend\n", false),
            // All that stood around it is there.
            (
                "fn two() {\n    let a = run();\n    new()\n}\n\nfn one() {\n    let a = run();\n    new()\n}\n\nend\n",
                false,
            ),
            (
                "mine\nfn one() {\n    let a = run();\n    new()\n}\n\nend\nnew()\n",
                false,
            ),
        ] {
            let (written, source) = (Source::new(written), Source::new(now));
            let since = difference(&written, &source);
            // As a reversal would have it: where the comparison has the line.
            let at = source_place(&written, &since, "    new()\n");
            let before = now.split_at(at).0;
            let goes = EditSet::between(
                now.as_bytes(),
                format!("{before}    old()\n{}", &now[at + "    new()\n".len()..]).as_bytes(),
            );
            assert_eq!(
                has_copy(&written, (&since, &source), &goes),
                expected,
                "{now}"
            );
        }
    }

    /// Returns where a line of the text as it was written is now.
    fn source_place(written: &Source, since: &EditSet, line: &str) -> usize {
        let text = String::from_utf8(written.bytes().to_vec()).unwrap();
        let at = text.find(line).unwrap();
        let before = since.splices().iter().filter(|splice| splice.end() <= at);
        let by =
            before.map(|splice| splice.new.len().cast_signed() - splice.old.len().cast_signed());
        at.saturating_add_signed(by.sum())
    }
}
