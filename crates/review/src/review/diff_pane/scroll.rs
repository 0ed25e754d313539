//! Scrolling of the diff pane.
//!
//! In: where to go. Out: the first row of the screen. Files are walked from the screen on, row by row, so that those far
//! away need not be laid out.

use std::ops::Range;

use super::super::diff::{DiffItem, NewNotes};
use super::super::list::HunkPlace;
use super::super::scene::Scene;
use super::{DiffPane, PINNED, RowPlace};
use crate::displayed::Part;

impl DiffPane {
    /// Returns the files of the scroll: all, or the selected one.
    pub(super) fn scroll(scene: &Scene<'_>) -> Range<usize> {
        let (at, count) = (scene.list().at().file, scene.list().files().len());
        if scene.style.arrangement.is_single() {
            at.min(count)..(at + 1).min(count)
        } else {
            0..count
        }
    }

    /// Returns the place so many rows on, behind the last row at most.
    pub(super) fn down(&mut self, scene: &Scene<'_>, from: RowPlace, mut rows: usize) -> RowPlace {
        let end = Self::scroll(scene).end;
        let mut at = from;
        while at.file < end {
            let left = self.len(scene, at.file).saturating_sub(at.row);
            if rows < left {
                at.row += rows;
                return at;
            }
            rows -= left;
            at = RowPlace {
                file: at.file + 1,
                row: 0,
            };
        }
        RowPlace { file: end, row: 0 }
    }

    /// Returns the place so many rows back, the first row at most.
    pub(super) fn up(&mut self, scene: &Scene<'_>, from: RowPlace, mut rows: usize) -> RowPlace {
        let start = Self::scroll(scene).start;
        let mut at = from;
        while rows > at.row {
            if at.file <= start {
                return RowPlace {
                    file: start,
                    row: 0,
                };
            }
            rows -= at.row;
            let file = at.file - 1;
            let row = self.len(scene, file);
            at = RowPlace { file, row };
        }
        at.row -= rows;
        at
    }

    /// Returns the last place that a screen begins at.
    fn last_top(&mut self, scene: &Scene<'_>) -> RowPlace {
        let end = Self::scroll(scene).end;
        self.up(scene, RowPlace { file: end, row: 0 }, self.page)
    }

    /// Returns a place that a screen begins at.
    pub(super) fn clamped(&mut self, scene: &Scene<'_>, top: RowPlace) -> RowPlace {
        let scroll = Self::scroll(scene);
        let first = RowPlace {
            file: scroll.start,
            row: 0,
        };
        let within = if top.file < scroll.end {
            let last = self.len(scene, top.file).saturating_sub(1);
            RowPlace {
                row: top.row.min(last),
                ..top
            }
        } else {
            top
        };
        within.min(self.last_top(scene)).max(first)
    }

    /// Scrolls by a screen; a row stays in sight.
    pub(in crate::review) fn scroll_screen(&mut self, scene: &Scene<'_>, down: bool) {
        self.scroll_rows(scene, down, self.page.saturating_sub(1).max(1));
    }

    /// Scrolls by so many rows.
    pub(in crate::review) fn scroll_rows(&mut self, scene: &Scene<'_>, down: bool, rows: usize) {
        let top = if down {
            self.down(scene, self.top, rows)
        } else {
            self.up(scene, self.top, rows)
        };
        self.top = self.clamped(scene, top);
    }

    /// Scrolls to the first row of the scroll, or to the last.
    pub(in crate::review) fn scroll_to_end(&mut self, scene: &Scene<'_>, last: bool) {
        let file = Self::scroll(scene).start;
        self.top = if last {
            self.last_top(scene)
        } else {
            RowPlace { file, row: 0 }
        };
    }

    /// Scrolls to the first row of the selected file.
    pub(in crate::review) fn scroll_to_file(&mut self, scene: &Scene<'_>) {
        let file = scene.list().at().file;
        self.top = self.clamped(scene, RowPlace { file, row: 0 });
    }

    /// Returns the hunk that is selected on this screen: the same if all of it is there, else the first of which all is,
    /// else the one with the most rows.
    pub(in crate::review) fn follow(&mut self, scene: &Scene<'_>) -> HunkPlace {
        let selected = scene.list().at();
        let shown = self.in_sight(scene);
        let is_whole = |span: &Range<RowPlace>| shown.start <= span.start && span.end <= shown.end;
        if is_whole(&self.span(scene, selected)) {
            return selected;
        }
        let mut most: Option<(usize, HunkPlace)> = None;
        for file in shown.start.file..(shown.end.file + 1).min(Self::scroll(scene).end) {
            let len = self.len(scene, file);
            let start = if file == shown.start.file {
                shown.start.row
            } else {
                0
            };
            let end = if file == shown.end.file {
                shown.end.row
            } else {
                len
            };
            let Some(laid) = self.laid(scene, file) else {
                continue;
            };
            for hunk in laid.diff.hunks_in(&(start..end)) {
                let span = laid.diff.span(hunk);
                let place = HunkPlace { file, hunk };
                if start <= span.start && span.end <= end {
                    return place;
                }
                let rows = span.end.min(end) - span.start.max(start);
                if most.is_none_or(|(other, _)| rows > other) {
                    most = Some((rows, place));
                }
            }
        }
        most.map_or(selected, |(_, place)| place)
    }

    /// Goes on in the selected hunk; false if its end is on the screen.
    pub(in crate::review) fn scroll_on(&mut self, scene: &Scene<'_>) -> bool {
        let end = self.span(scene, scene.list().at()).end;
        let is_longer = end > self.down(scene, self.top, self.page);
        if is_longer {
            let step = self.page.saturating_sub(2).max(1);
            let on = self.down(scene, self.top, step);
            self.top = on.min(self.up(scene, end, self.page)).max(self.top);
        }
        is_longer
    }

    /// Goes back in the selected hunk; false if its start is on the screen.
    pub(in crate::review) fn scroll_back(&mut self, scene: &Scene<'_>) -> bool {
        let start = self.span(scene, scene.list().at()).start;
        let is_longer = start < self.top;
        if is_longer {
            let step = self.page.saturating_sub(2).max(1);
            self.top = self.up(scene, self.top, step).max(start);
        }
        is_longer
    }

    /// Brings the selected hunk to view; the first one with what is said about its file, as far as it begins there.
    pub(in crate::review) fn reveal(&mut self, scene: &Scene<'_>) {
        let at = scene.list().at();
        if self.laid(scene, at.file).is_none() {
            return;
        }
        let mut span = self.span(scene, at);
        if at.hunk == 0 && span.start.row + 1 < self.page {
            span.start.row = 0;
        }
        let top = self.clamped(scene, self.top);
        let end = self.down(scene, top, self.page);
        let is_whole = span.start >= top && span.end <= end;
        let rows = span.end.row - span.start.row;
        let goal = match is_whole {
            true => top,
            false if rows < self.page && span.start > top && at.hunk > 0 => {
                self.up(scene, span.end, self.page)
            }
            false => span.start,
        };
        self.top = self.clamped(scene, goal);
    }

    /// Brings notes of the selected hunk to view, the first of them where they are more than fit.
    pub(super) fn show_notes(&mut self, scene: &Scene<'_>, notes: NewNotes) {
        let HunkPlace { file, hunk } = scene.list().at();
        let laid = self.laid(scene, file);
        let Some(rows) = laid.and_then(|laid| laid.diff.rows_of_notes(hunk, notes)) else {
            return;
        };
        let [first, end] = [rows.start, rows.end].map(|row| RowPlace { file, row });
        let shown = self.in_sight(scene);
        if first < shown.start || end > shown.end {
            // The head of the hunk has the first row.
            let top = self.up(scene, first, 1).min(self.up(scene, end, self.page));
            self.top = self.clamped(scene, top);
        }
    }

    /// Scrolls to what has not been displayed of a part of the selected file; false if none of it is laid out.
    pub(in crate::review) fn scroll_to_unseen(
        &mut self,
        scene: &Scene<'_>,
        item: DiffItem,
    ) -> bool {
        let file = scene.list().at().file;
        let Some(row) = self.first_unseen(scene, item) else {
            return false;
        };
        let head = self.span(scene, scene.list().at()).start.row;
        // One row is the head's, where that is above.
        let is_hunk = matches!(item, DiffItem::Hunk(_));
        let above = usize::from(is_hunk && head < row && self.page >= PINNED);
        let top = RowPlace {
            file,
            row: row.saturating_sub(above),
        };
        self.top = self.clamped(scene, top);
        true
    }

    /// Returns the first row of a part of the selected file that has not been displayed and has to be.
    fn first_unseen(&mut self, scene: &Scene<'_>, item: DiffItem) -> Option<usize> {
        let file = scene.list().at().file;
        let listed = scene.list().files().get(file)?;
        self.laid(scene, file)?;
        let Self { laid, seen, .. } = self;
        let laid = laid.get_mut(&file)?;
        let (own, readings) = laid.item(listed, scene, item)?;
        let displayed = seen.shown_as(own, readings.shown);
        let needed = laid.needed(listed, scene, item);
        let key = laid.diff.key();
        let is_seen = |line: usize| match displayed {
            Some(seen) => seen.has_line(line),
            None => !needed.get(line).copied().unwrap_or_default(),
        };
        for element in laid.diff.elements_of(item) {
            let lines = laid.diff.lines_of(element);
            if lines.into_iter().flatten().all(is_seen) {
                continue;
            }
            let start = laid.diff.rows_of(element).start;
            let heights = laid.draw(listed, scene, element, |drawn| drawn.lines);
            let unseen = heights
                .into_iter()
                .flatten()
                .filter(|(line, _)| !is_seen(*line));
            let rows = unseen.filter_map(|(line, rows)| {
                (0..rows).find(|row| {
                    let part = Part {
                        line,
                        row: *row,
                        rows,
                    };
                    !displayed.is_some_and(|seen| seen.has(key, part))
                })
            });
            if let Some(row) = rows.min() {
                return Some(start + row);
            }
        }
        None
    }
}
