//! What of a review is not on the screen, in as many words as fit.
//!
//! In: the rows that are shown, and the hunks of all files. Out: a line: of the selected hunk, then of all hunks
//! that need a verdict.
//!
//! ```text
//! ↓ 12 lines below out of sight ── ↑ 2 lines above ── ↓ 3 more hunks in 2 files ── ↑ 1 hunk
//! ↓ 12 below  ↑ 2  ↓ 3 hunks in 2 files  ↑ 1 hunk
//! ↓12 ↑2 lines  ↓3 ↑1 hunks
//! ```

use std::ops::Range;

use signoff_core::plural::counted;

use super::diff_pane::DiffPane;
use super::list::ReviewList;

/// Hunks that need a verdict.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Hunks {
    /// Those of the selected file.
    own: usize,
    /// Those of other files.
    others: usize,
    /// These other files.
    files: usize,
}

/// What is above and below the rows that are shown.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct OutOfSight {
    /// Lines of the selected hunk.
    lines_above: usize,
    lines_below: usize,
    hunks_above: Hunks,
    hunks_below: Hunks,
}

impl OutOfSight {
    /// Returns what is not on the screen.
    pub(super) fn of(list: &ReviewList, pane: &DiffPane) -> Self {
        let at = list.at();
        let Some(diff) = pane.diff_of(at.file) else {
            return Self::default();
        };
        let (lines_above, lines_below) = diff.out_of_sight(at.hunk, &pane.rows_shown(at.file));
        let shown = pane.files_shown();
        let open_in = |file: usize, is_meant: &dyn Fn(&Range<usize>, &Range<usize>) -> bool| {
            let own = list.files().get(file);
            let laid = own.and_then(|own| Some((own, pane.diff_of(file)?)));
            let rows = pane.rows_shown(file);
            laid.map_or(0, |(own, diff)| {
                let hunks = own.hunks().enumerate();
                let open = hunks.filter(|(_, hunk)| hunk.status.is_open());
                open.filter(|(hunk, _)| is_meant(&diff.span(*hunk), &rows))
                    .count()
            })
        };
        let above = |file: usize| open_in(file, &|span, rows| span.end <= rows.start);
        let below = |file: usize| open_in(file, &|span, rows| span.start >= rows.end);
        let before = list.open_in(0..shown.start);
        let after = list.open_in(shown.end..list.files().len().max(shown.end));
        let mut hunks_above = Hunks::of(above(at.file), before);
        let mut hunks_below = Hunks::of(below(at.file), after);
        // Another file may be in sight in part.
        for file in shown.filter(|file| *file != at.file) {
            hunks_above.add_of_other(above(file));
            hunks_below.add_of_other(below(file));
        }
        Self {
            lines_above,
            lines_below,
            hunks_above,
            hunks_below,
        }
    }
}

impl Hunks {
    /// Adds those of other files that need a verdict to `own`, which are in the selected one.
    fn of(own: usize, (others, files): (usize, usize)) -> Self {
        Self { own, others, files }
    }

    /// Adds those of one other file.
    fn add_of_other(&mut self, hunks: usize) {
        self.others += hunks;
        self.files += usize::from(hunks > 0);
    }

    fn count(self) -> usize {
        self.own + self.others
    }

    /// Returns how many hunks, and in how many files unless all are in the selected one; nothing if there are none.
    fn words(self, mark: &str, more: &str) -> Option<String> {
        let count = self.count();
        let within = match (self.own, self.files) {
            (_, 0) => String::new(),
            (0, files) => format!(" in {}", counted(files, "other file")),
            (_, files) => format!(" in {} files", files + 1),
        };
        let noun = if count == 1 { "hunk" } else { "hunks" };
        (count > 0).then(|| format!("{mark} {count} {more}{noun}{within}"))
    }
}

impl OutOfSight {
    /// Returns parts of a line, the most important first, of which all fit: each takes `around` columns more than
    /// its text. On a screen that is too narrow for numbers the first parts that fit.
    pub fn parts(self, width: usize, around: usize) -> Vec<String> {
        let fits = |parts: &[String]| {
            let columns = parts.iter().map(|text| text.chars().count() + around);
            columns.sum::<usize>() <= width
        };
        let joined = |parts: Vec<String>| vec![parts.join("  ")];
        let candidates = [
            self.in_words(),
            joined(self.in_short()),
            joined(self.in_numbers()),
        ];
        let mut fitting = candidates.into_iter().filter(|parts| fits(parts));
        fitting.next().unwrap_or_else(|| {
            let mut parts = self.in_numbers();
            while !fits(&joined(parts.clone())) && parts.pop().is_some() {}
            joined(parts)
        })
    }

    fn in_words(self) -> Vec<String> {
        let lines = |count: usize| (count > 0).then(|| counted(count, "line"));
        let below = lines(self.lines_below).map(|lines| format!("↓ {lines} below out of sight"));
        let above = lines(self.lines_above).map(|lines| format!("↑ {lines} above"));
        let more = self.hunks_below.words("↓", "more ");
        let earlier = self.hunks_above.words("↑", "");
        [below, above, more, earlier]
            .into_iter()
            .flatten()
            .collect()
    }

    fn in_short(self) -> Vec<String> {
        let below = (self.lines_below > 0).then(|| format!("↓ {} below", self.lines_below));
        let above = (self.lines_above > 0).then(|| format!("↑ {}", self.lines_above));
        let (more, earlier) = (
            self.hunks_below.words("↓", ""),
            self.hunks_above.words("↑", ""),
        );
        [below, above, more, earlier]
            .into_iter()
            .flatten()
            .collect()
    }

    fn in_numbers(self) -> Vec<String> {
        let numbers = |below: usize, above: usize, noun: &str| {
            let below = (below > 0).then(|| format!("↓{below} "));
            let above = (above > 0).then(|| format!("↑{above} "));
            let marks: String = below.into_iter().chain(above).collect();
            (!marks.is_empty()).then(|| format!("{marks}{noun}"))
        };
        let hunks = match (self.hunks_below.count(), self.hunks_above.count()) {
            (1, 0) | (0, 1) => "hunk",
            _ => "hunks",
        };
        let lines = numbers(self.lines_below, self.lines_above, "lines");
        let hunks = numbers(self.hunks_below.count(), self.hunks_above.count(), hunks);
        lines.into_iter().chain(hunks).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_out_of_sight_is_said_in_as_many_words_as_fit() {
        let hunks = |own, others, files| Hunks { own, others, files };
        let all = OutOfSight {
            lines_above: 2,
            lines_below: 12,
            hunks_above: hunks(1, 0, 0),
            hunks_below: hunks(1, 2, 1),
        };
        let hunks_alone = OutOfSight {
            lines_above: 0,
            lines_below: 0,
            ..all
        };
        let next = OutOfSight {
            hunks_above: hunks(0, 0, 0),
            hunks_below: hunks(0, 3, 2),
            ..hunks_alone
        };
        let own = OutOfSight {
            hunks_below: hunks(1, 0, 0),
            ..next
        };
        for (out, width, expected) in [
            (OutOfSight::default(), 80, ""),
            (
                all,
                120,
                "↓ 12 lines below out of sight|↑ 2 lines above|↓ 3 more hunks in 2 files|↑ 1 hunk",
            ),
            (all, 80, "↓ 12 below  ↑ 2  ↓ 3 hunks in 2 files  ↑ 1 hunk"),
            (all, 40, "↓12 ↑2 lines  ↓3 ↑1 hunks"),
            (all, 20, "↓12 ↑2 lines"),
            (all, 10, ""),
            (hunks_alone, 80, "↓ 3 more hunks in 2 files|↑ 1 hunk"),
            (hunks_alone, 40, "↓ 3 hunks in 2 files  ↑ 1 hunk"),
            (hunks_alone, 20, "↓3 ↑1 hunks"),
            (next, 40, "↓ 3 more hunks in 2 other files"),
            (own, 40, "↓ 1 more hunk"),
            (own, 14, "↓ 1 hunk"),
        ] {
            assert_eq!(out.parts(width, 4).join("|"), expected, "{width} columns");
        }
    }
}
