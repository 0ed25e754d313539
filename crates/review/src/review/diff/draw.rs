//! Drawing of a diff: the rows of one element.
//!
//! In: an element of the layout, and the tokens of its lines. Out: rows, and which lines they show how much of.

use signoff_core::edit::diff::line::LineKind;
use signoff_core::syntax::tokens::Token;

use super::super::line_rows::{Inked, Side};
use super::super::pairs::differing;
use super::{BETWEEN, Diff, DiffItem, DiffSource, Drawn, Element};
use crate::theme::Role;
use crate::wrap::Row;

impl Diff {
    /// Returns the rows of an element; `tokens` are those of the lines of its hunk, or of those
    /// around it, as far as they are known.
    pub(in crate::review) fn draw(
        &self,
        source: &DiffSource<'_>,
        element: usize,
        tokens: &[Vec<Token>],
    ) -> Drawn {
        let hunk = match self.item_of(element) {
            Some(DiffItem::Hunk(hunk)) => hunk,
            _ => 0,
        };
        let lines = source.lines(hunk);
        let place = source.file.hunk(hunk).and_then(|hunk| hunk.place);
        let inked = |index: u32| {
            let line = lines.get(index as usize)?;
            let tokens = tokens.get(index as usize).map_or(&[][..], Vec::as_slice);
            Some(Inked {
                place,
                ..Inked::of(line, tokens)
            })
        };
        let rows = match self.elements.get(element).copied() {
            None | Some(Element::Head) => Vec::new(),
            Some(Element::Gap) => vec![Row::default()],
            Some(
                Element::Title { text, .. }
                | Element::About { text, .. }
                | Element::Step(text)
                | Element::Said { text, .. }
                | Element::Note(text),
            ) => self.said.get(text as usize).cloned().unwrap_or_default(),
            Some(Element::Line(index)) => self.draw_line(inked(index)),
            Some(Element::Around { is_below, index }) => {
                let hunk = source.file.hunk(hunk);
                let [above, below] = hunk.map_or([&[][..]; 2], source.around);
                let side = if is_below { below } else { above };
                let line = side.get(index as usize);
                self.draw_line(line.map(|line| Inked {
                    place,
                    ..Inked::of(
                        line,
                        tokens.get(index as usize).map_or(&[][..], Vec::as_slice),
                    )
                }))
            }
            Some(Element::Alike(old, new)) => {
                let plain = |index| {
                    inked(index).map(|own| Inked {
                        is_plain: true,
                        emphasis: &[],
                        ..own
                    })
                };
                if !self.format.is_split {
                    return Drawn {
                        rows: self.draw_line(plain(new)),
                        lines: [None, None],
                    };
                }
                let (rows, _) = self.draw_pair(plain(old), plain(new));
                rows
            }
            Some(Element::Pair(old, new)) => {
                let (old, new) = (old.and_then(inked), new.and_then(inked));
                let (rows, heights) = self.draw_pair(old, new);
                let [left, right] = self.lines_of(element);
                return Drawn {
                    rows,
                    lines: [left.zip(heights[0]), right.zip(heights[1])],
                };
            }
        };
        let [line, _] = self.lines_of(element);
        let count = rows.len().max(1);
        Drawn {
            rows,
            lines: [line.map(|line| (line, count)), None],
        }
    }

    /// Returns the rows of a line that is alone, or on both sides.
    fn draw_line(&self, inked: Option<Inked<'_>>) -> Vec<Row> {
        match inked {
            None => Vec::new(),
            Some(inked) if self.format.is_split => self.draw_pair(Some(inked), Some(inked)).0,
            Some(inked) => self.line_format(Side::New).rows(&inked),
        }
    }

    /// Returns the rows of two lines side by side, and how many rows each has.
    fn draw_pair(
        &self,
        old: Option<Inked<'_>>,
        new: Option<Inked<'_>>,
    ) -> (Vec<Row>, [Option<usize>; 2]) {
        let is_told = |side: &Option<Inked<'_>>| side.is_some_and(|own| !own.emphasis.is_empty());
        let words = match (&old, &new) {
            (Some(old), Some(new)) if !is_told(&Some(*old)) && !is_told(&Some(*new)) => {
                differing(&old.line.text, &new.line.text)
            }
            _ => None,
        };
        let words = words.map(|[left, right]| [[left], [right]]);
        let rows = |inked: Option<Inked<'_>>, side: Side, words: Option<&[(usize, usize)]>| {
            let inked = inked?;
            let is_changed = inked.line.kind != LineKind::Context && !inked.is_plain;
            let emphasis = words.filter(|_| is_changed).unwrap_or(inked.emphasis);
            Some(self.line_format(side).rows(&Inked { emphasis, ..inked }))
        };
        let left = rows(old, Side::Old, words.as_ref().map(|words| &words[0][..]));
        let right = rows(new, Side::New, words.as_ref().map(|words| &words[1][..]));
        let heights = [&left, &right].map(|side| side.as_ref().map(Vec::len));
        let beside = match old {
            Some(old) if !old.is_plain && old.line.kind == LineKind::Removed => Role::Removed,
            Some(old) if !old.is_plain && old.line.kind == LineKind::Added => Role::Added,
            _ => Role::Text,
        };
        let is_there = |row: &Row| row.width() > 0;
        let mut left = left.unwrap_or_default().into_iter();
        let mut right = right.unwrap_or_default().into_iter();
        let count = heights.iter().flatten().max().copied().unwrap_or_default();
        let joined = (0..count).map(|_| {
            let mut row = left.next().unwrap_or_default();
            let gap = self.side_width().saturating_sub(row.width());
            let role = if is_there(&row) { beside } else { Role::Text };
            row.push(role, &" ".repeat(gap));
            row.push(Role::Dim, BETWEEN);
            row.append(&right.next().unwrap_or_default());
            row
        });
        (joined.collect(), heights)
    }
}
