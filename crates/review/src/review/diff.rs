//! Layout of a file's diff: which rows it has, and what each shows.
//!
//! In: a file and columns. Out: elements (a head, a line, a pair of lines, …) with the row at which each begins. Rows
//! are made from them when they are drawn, so that what it costs to show a screen does not depend on the length of the
//! diff. Nothing is left out, so that nothing unseen is approved.

mod draw;
mod lines;
mod lookup;

use std::collections::HashMap;
use std::ops::Range;

use signoff_core::edit::diff::line::DiffLine;
use signoff_core::stage::review::{HunkView, ProposalView};

use super::KeyNames;
use super::arrangement::DiffFormat;
use super::comments::HunkNotes;
use super::hunk_lines::{warnings, yours};
use super::line_rows::{LineFormat, Side, digits};
use super::review_file::ReviewFile;
use crate::theme::Role;
use crate::wrap::{self, Break, Row};

/// The narrowest layout. What is drawn narrower is cut.
pub(crate) const NARROWEST: usize = 8;

/// What is between the two sides.
const BETWEEN: &str = "│ ";

/// Columns of it.
const BETWEEN_COLUMNS: usize = 2;

/// What of a file a row shows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum DiffItem {
    /// What is said of the file as a whole.
    Title,
    /// What is said about the file's proposal with this index.
    About(usize),
    /// The hunk with this index.
    Hunk(usize),
}

/// Notes that are to be seen, since they are new: the user typed them, or asked for them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum NewNotes {
    /// Those below a hunk.
    BelowHunk,
    /// Those below a line of it.
    BelowLine(usize),
    /// So many of those below a hunk, the last.
    Last(usize),
}

/// What a diff is made of.
pub(super) struct DiffSource<'a> {
    pub(super) file: &'a ReviewFile,
    /// What is said of the file as a whole.
    pub(super) title: &'a dyn Fn(&ReviewFile) -> Vec<Row>,
    /// What is said about a proposal.
    pub(super) about: &'a dyn Fn(&ProposalView) -> Vec<Row>,
    /// What keys are called.
    pub(super) names: &'a KeyNames,
    /// The lines of hunks that the user edited, by their index.
    pub(super) edited: &'a HashMap<usize, Vec<DiffLine>>,
    /// Why it has no colours, where one would expect them.
    pub(super) off: Option<&'a str>,
    /// What checks found in a hunk.
    pub(super) found: &'a dyn Fn(&HunkView) -> Vec<Row>,
    /// The lines that are shown above and below a hunk besides its own.
    pub(super) around: &'a dyn Fn(&HunkView) -> [&'a [DiffLine]; 2],
    /// Whether a hunk is its head alone.
    pub(super) is_folded: &'a dyn Fn(&ProposalView, &HunkView) -> bool,
    /// What stands below a hunk that is shown with these lines.
    pub(super) notes: &'a dyn Fn(&HunkView, &[DiffLine]) -> HunkNotes,
    /// An empty row follows.
    pub(super) has_next: bool,
}

impl<'a> DiffSource<'a> {
    /// Returns the lines of a hunk as they are shown.
    fn lines(&self, hunk: usize) -> &'a [DiffLine] {
        let edited = self.edited.get(&hunk).map(Vec::as_slice);
        let own = || self.file.hunk(hunk).map(|hunk| hunk.lines.as_slice());
        edited.or_else(own).unwrap_or_default()
    }
}

/// A diff laid out.
#[derive(Debug, Default)]
pub(super) struct Diff {
    format: DiffFormat,
    digits: usize,
    elements: Vec<Element>,
    /// The row at which each element begins, and the end of the last.
    starts: Vec<u32>,
    hunks: Vec<LaidHunk>,
    /// Texts beside the lines, wrapped.
    said: Vec<Vec<Row>>,
    title: usize,
    /// What is said about each proposal, by its index.
    about: HashMap<usize, Range<usize>>,
    /// Lines that are not told apart since white space is ignored.
    ignored: usize,
}

/// Where a hunk is; its head is the first row.
#[derive(Clone, Debug, Default)]
struct LaidHunk {
    rows: Range<usize>,
    elements: Range<usize>,
    /// Warnings, which come between head and lines.
    warnings: usize,
    /// Texts below the lines.
    below: usize,
    /// It is its head alone.
    is_folded: bool,
}

/// What a run of rows shows. Indexes of lines are those in the hunk.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Element {
    /// An empty row.
    Gap,
    /// A text about the whole file: its number, and its place among them.
    Title { text: u32, place: u32 },
    /// A text about a proposal: its number, the proposal's index, and its place among them.
    About {
        text: u32,
        proposal: u32,
        place: u32,
    },
    /// What the hunks below are for, where it was said before: the number of the text.
    Step(u32),
    /// The head of a hunk; its mark is drawn with it.
    Head,
    /// A text: its number among all of the diff, and its place in the hunk.
    Said { text: u32, place: u32 },
    /// A text below a hunk that is no part of it: its number among all of the diff.
    Note(u32),
    /// A line.
    Line(u32),
    /// An old line and a new one beside it.
    Pair(Option<u32>, Option<u32>),
    /// An old line and a new one that differ in white space alone: only the new one is shown where there is one column.
    Alike(u32, u32),
    /// A line above the hunk, or below it, that is not part of it.
    Around { is_below: bool, index: u32 },
}

/// The rows of an element.
#[derive(Debug, Default)]
pub(super) struct Drawn {
    /// None for a head, which is one row.
    pub(super) rows: Vec<Row>,
    /// Which lines of the item they show, and how many rows each of them has, from the first on.
    pub(super) lines: [Option<(usize, usize)>; 2],
}

impl Diff {
    /// Lays a proposal out.
    pub(super) fn new(source: &DiffSource<'_>, format: DiffFormat) -> Self {
        let format = DiffFormat {
            width: format.width.max(NARROWEST),
            ..format
        };
        let around = source.file.hunks().flat_map(source.around);
        let all = (0..source.file.len()).flat_map(|hunk| source.lines(hunk));
        let mut diff = Self {
            format,
            digits: digits(all.chain(around.flatten()), ahead(source.file)),
            ..Self::default()
        };
        diff.starts.push(0);
        let off = source.off.map(|why| Row::new(Role::Dim, why));
        for row in (source.title)(source.file).into_iter().chain(off) {
            let place = diff.title as u32;
            diff.push_text(&row, |text| Element::Title { text, place });
            diff.title += 1;
        }
        for hunk in 0..source.file.len() {
            diff.push_step(source, hunk);
            diff.push_hunk(source, hunk);
        }
        if source.has_next {
            diff.push(Element::Gap, 1);
        }
        diff
    }

    fn push(&mut self, element: Element, rows: usize) {
        self.elements.push(element);
        self.starts.push(self.len() as u32 + rows as u32);
    }

    /// Appends a text as an element that is made of its number.
    fn push_text(&mut self, row: &Row, element: impl Fn(u32) -> Element) {
        let rows = wrap::wrap(row, self.format.width, 2, Break::Words);
        self.push(element(self.said.len() as u32), rows.len());
        self.said.push(rows);
    }

    /// Appends what a hunk's proposal is for, unless the hunk above is of the same.
    fn push_step(&mut self, source: &DiffSource<'_>, hunk: usize) {
        let above = hunk.checked_sub(1);
        let above = above.and_then(|above| source.file.proposal_of(above));
        let own = source.file.proposal_of(hunk);
        let Some(index) = own.filter(|_| own != above) else {
            return;
        };
        let Some(proposal) = source.file.proposals().get(index) else {
            return;
        };
        let rows = (source.about)(proposal);
        if hunk > 0 && !rows.is_empty() {
            self.push(Element::Gap, 1);
        }
        if self.about.contains_key(&index) {
            rows.first()
                .into_iter()
                .for_each(|row| self.push_text(row, Element::Step));
            return;
        }
        let from = self.elements.len();
        for (row, place) in rows.iter().zip(0..) {
            let proposal = index as u32;
            self.push_text(row, |text| Element::About {
                text,
                proposal,
                place,
            });
        }
        self.about.insert(index, from..self.elements.len());
    }

    fn push_said(&mut self, row: &Row, breaks: Break, place: usize) {
        let rows = wrap::wrap(row, self.format.width, 2, breaks);
        let element = Element::Said {
            text: self.said.len() as u32,
            place: place as u32,
        };
        self.push(element, rows.len());
        self.said.push(rows);
    }

    fn push_hunk(&mut self, source: &DiffSource<'_>, index: usize) {
        let Some((proposal, hunk)) = source.file.entry(index) else {
            return;
        };
        let is_folded = (source.is_folded)(proposal, hunk);
        let above = index.checked_sub(1).and_then(|above| self.hunks.get(above));
        let follows = above.is_some_and(|above| above.rows.end == self.len() && above.is_folded);
        if !(is_folded && follows) {
            self.push(Element::Gap, 1);
        }
        let (row, element) = (self.len(), self.elements.len());
        self.push(Element::Head, 1);
        if is_folded {
            self.hunks.push(LaidHunk {
                rows: row..self.len(),
                elements: element..self.elements.len(),
                is_folded,
                ..LaidHunk::default()
            });
            return;
        }
        let warnings = warnings(hunk, source.names);
        for (place, row) in warnings.iter().enumerate() {
            self.push_said(row, Break::Words, 1 + place);
        }
        let [above, below] = (source.around)(hunk);
        self.push_around(above, false);
        let lines = source.lines(index);
        let notes = (source.notes)(hunk, lines);
        self.push_noted(lines, &notes);
        self.push_around(below, true);
        let end = 1 + warnings.len() + lines.len();
        let yours = yours(&hunk.yours)
            .into_iter()
            .map(|row| (row, Break::Anywhere));
        let found = (source.found)(hunk)
            .into_iter()
            .map(|row| (row, Break::Words));
        let mut count = 0;
        for (row, breaks) in yours.chain(found) {
            self.push_said(&row, breaks, end + count);
            count += 1;
        }
        notes.below.iter().for_each(|row| self.push_note(row));
        self.hunks.push(LaidHunk {
            rows: row..self.len(),
            elements: element..self.elements.len(),
            warnings: warnings.len(),
            below: count,
            is_folded,
        });
    }

    /// Returns how a line is laid out; of two columns, one of this side.
    fn line_format(&self, side: Side) -> LineFormat {
        let DiffFormat {
            width,
            shows_blanks,
            ..
        } = self.format;
        if self.format.is_split {
            LineFormat::side(self.digits, self.side_width(), shows_blanks, side)
        } else {
            LineFormat::stacked(self.digits, width, shows_blanks)
        }
    }

    fn side_width(&self) -> usize {
        self.format.width.saturating_sub(BETWEEN_COLUMNS) / 2
    }
}

/// Returns by how much a line number of the file is larger than that of its hunk, at most.
fn ahead(file: &ReviewFile) -> u32 {
    let places = file.hunks().filter_map(|hunk| hunk.place);
    let ahead = places.flat_map(|place| [place.before, place.after]);
    ahead.max().map_or(0, |most| most.max(0).unsigned_abs())
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use signoff_core::edit::diff::line::LineKind;

    use super::super::hunk_lines::{about, title};
    use super::*;
    use crate::review::arrangement::SPLIT_LEAST;
    use crate::review::kit;
    use crate::wrap::text_of;

    fn lines(all: &[(u8, String)]) -> Vec<DiffLine> {
        let line = |(kind, text): &(u8, String)| DiffLine {
            kind: match kind {
                0 => LineKind::Context,
                1 => LineKind::Removed,
                _ => LineKind::Added,
            },
            old: (*kind < 2).then_some(7),
            new: (*kind != 1).then_some(1_234),
            text: text.clone(),
            emphasis: Vec::new(),
            newline: !text.ends_with('b'),
        };
        all.iter().map(line).collect()
    }

    proptest! {
        /// A row that is not where the layout has it would count as displayed while another one was on the screen.
        #[test]
        fn every_line_is_drawn_once_where_it_is_laid_out(
            all in prop::collection::vec((0u8..3, "[ab 漢\t]{0,40}"), 0..24),
            above in prop::collection::vec("[ab]{0,9}", 0..4),
            width in 4usize..130,
            is_split: bool, ignores_blanks: bool, shows_blanks: bool,
        ) {
            let mut file = kit::file("");
            file.hunks[0].lines = lines(&all);
            let file = ReviewFile::new(vec![file]);
            let above: Vec<(u8, String)> = above.into_iter().map(|text| (0, text)).collect();
            let above = lines(&above);
            let names = KeyNames::default();
            let source = DiffSource {
                file: &file,
                title: &|file| vec![title(file)],
                about: &|proposal| about(proposal, &names),
                names: &names,
                edited: &HashMap::new(),
                off: None,
                found: &|_| vec![Row::new(Role::Bad, "error: this does not compile at all")],
                around: &|_| [&above, &[]],
                is_folded: &|_, _| false,
                notes: &|_, lines| {
                    let note = |line| (line, vec![Row::new(Role::User, "m a comment on this line")]);
                    let by_line = (0..lines.len()).step_by(2).map(note).collect();
                    HunkNotes { by_line, below: Vec::new() }
                },
                has_next: true,
            };
            let is_split = is_split && width >= SPLIT_LEAST;
            let format = DiffFormat { width, is_split, ignores_blanks, shows_blanks };
            let diff = Diff::new(&source, format);
            let mut shown = vec![0; 1 + all.len() + 1];
            let mut row = 0;
            for element in 0..diff.elements.len() {
                let own = diff.rows_of(element);
                prop_assert_eq!(own.start, row);
                prop_assert_eq!(diff.element_at(own.start), element);
                row = own.end;
                let drawn = diff.draw(&source, element, &[]);
                let rows = if diff.is_head(element) { 1 } else { drawn.rows.len() };
                prop_assert_eq!(rows, own.len(), "{:?} {:?}", diff.elements[element], text_of(&drawn.rows));
                let widest = drawn.rows.iter().map(Row::width).max();
                prop_assert!(widest.unwrap_or(0) <= width.max(NARROWEST), "{:?}", text_of(&drawn.rows));
                let told: Vec<usize> = drawn.lines.iter().flatten().map(|(line, _)| *line).collect();
                prop_assert_eq!(&told, &diff.lines_of(element).into_iter().flatten().collect::<Vec<_>>());
                for (_, height) in drawn.lines.into_iter().flatten() {
                    prop_assert!((1..=own.len()).contains(&height));
                }
                if diff.item_of(element) == Some(DiffItem::Hunk(0)) {
                    told.iter().for_each(|line| shown[*line] += 1);
                }
            }
            prop_assert_eq!(row, diff.len());
            let alike = |element: &Element| match element {
                Element::Alike(old, new) => vec![*old as usize, *new as usize],
                _ => Vec::new(),
            };
            let alike: Vec<usize> = diff.elements.iter().flat_map(alike).collect();
            prop_assert!(ignores_blanks || alike.is_empty());
            for (line, count) in shown.iter().enumerate() {
                let hidden = line > 0 && alike.contains(&(line - 1));
                prop_assert_eq!(*count, usize::from(!hidden), "line {}", line);
            }
            prop_assert_eq!(diff.needed(&source, DiffItem::Hunk(0)).len(), shown.len());
        }
    }
}
