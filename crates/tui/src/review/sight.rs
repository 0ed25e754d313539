//! Visible rows of the diff, and the selection.
//!
//! In: the size of the pane, scrolling. Out: the rows that the next frame shows; once they are
//! shown they count as displayed. The selection follows scrolling, so that a verdict falls on a
//! hunk that is on the screen.

use std::ops::Range;

use signoff_core::id::ProposalId;
use signoff_core::review::{HunkView, LineKind, ProposalView};

use super::checks::Checks;
use super::colours::Colours;
use super::hunk_lines::{Beside, Diff, DiffItem, NARROWEST};
use super::rows::MARGIN;
use super::seen::{Item, Reading};
use super::{Review, edited};

/// On fewer rows the head of a hunk does not stay in sight: they are for its lines.
const PINNED: usize = 3;

/// The selected file's diff, laid out.
#[derive(Debug)]
pub(super) struct Laid {
    proposal: ProposalId,
    width: usize,
    pub(super) diff: Diff,
    about: Reading,
    hunks: Vec<(Item, Reading)>,
}

impl Laid {
    fn new(
        file: &ProposalView,
        shown: &ProposalView,
        width: usize,
        (checks, colours): (&Checks, &Colours),
    ) -> Self {
        let hunks = shown.hunks.iter();
        Self {
            proposal: file.id,
            width,
            diff: Diff::new(
                shown,
                width,
                MARGIN,
                &Beside {
                    off: colours.off(file),
                    found: &|hunk| checks.rows(hunk),
                    colours: &|hunk| colours.of(hunk),
                },
            ),
            about: Reading::of_file(file),
            hunks: hunks
                .map(|hunk| (Item::Hunk(hunk.id), Reading::of_hunk(hunk)))
                .collect(),
        }
    }

    fn item(&self, item: DiffItem) -> Option<(Item, Reading)> {
        match item {
            DiffItem::About => Some((Item::About(self.proposal), self.about)),
            DiffItem::Hunk(hunk) => self.hunks.get(hunk).copied(),
        }
    }
}

impl Review {
    /// Decides which rows a pane of this size shows; they count as displayed from now on.
    pub(crate) fn lay_out(&mut self, width: usize, height: usize) {
        let page = height.saturating_sub(self.heading(height));
        let (turned, resized) = (self.width != width, self.page != page);
        (self.width, self.page) = (width, page);
        self.lay();
        if turned || (resized && !self.is_in_sight()) {
            self.reveal()
        } else {
            self.top = self.top.min(self.last_top())
        }
        // The question takes rows of its own from the pane.
        if self
            .question
            .as_ref()
            .is_some_and(|question| !question.drawn)
        {
            self.show_unseen();
        }
        self.display();
        self.drawn = page > 0;
        if let Some(question) = &mut self.question {
            question.drawn = page > 0;
        }
        self.count_anew();
    }

    /// Returns the rows of the diff that are shown. The first row of the screen shows the selected
    /// hunk's head where that is scrolled off.
    pub(super) fn shown(&self) -> Range<usize> {
        let top = self.top + usize::from(self.is_head_off());
        top..self.top.saturating_add(self.page)
    }

    /// Returns true if the head of the selected hunk is above the screen.
    pub(super) fn is_head_off(&self) -> bool {
        let laid = self.laid.as_ref();
        let span = laid.map_or(0..0, |laid| laid.diff.span(self.hunk));
        self.page >= PINNED && span.start < self.top && self.top < span.end
    }

    /// Returns how many rows a screen is scrolled by.
    pub(super) fn step(&self) -> usize {
        self.page.saturating_sub(1).max(1)
    }

    /// Scrolls to a row, and selects a hunk that is in sight there.
    pub(super) fn scroll_to(&mut self, top: usize) {
        self.lay();
        self.top = top.min(self.last_top());
        if let Some(laid) = &self.laid {
            self.hunk = follow(&laid.diff, self.hunk, &self.shown());
        }
    }

    /// Scrolls to the first row or the last, and selects the first hunk or the last.
    pub(super) fn scroll_to_end(&mut self, top: usize) {
        let last = self.selected_file().map_or(0, |file| file.hunks.len());
        self.hunk = if top == 0 { 0 } else { last.saturating_sub(1) };
        self.lay();
        self.top = top.min(self.last_top());
    }

    /// Brings the selected hunk to view.
    pub(super) fn reveal(&mut self) {
        self.lay();
        let Some(laid) = &self.laid else { return };
        let (last, height) = (self.last_top(), self.page);
        let top = self.top.min(last);
        let span = laid.diff.span(self.hunk);
        let whole = span.start >= top && span.end <= top + height;
        self.top = match self.hunk {
            _ if whole => top,
            // The first hunk is shown with what is said about the file, as far as it begins there.
            0 if span.start + 1 < height => 0,
            _ if span.len() < height && span.start > top => (span.end - height).min(last),
            _ => span.start.min(last),
        };
    }

    /// Returns the rows of the selected hunk.
    pub(super) fn span(&mut self) -> Range<usize> {
        self.lay();
        let laid = self.laid.as_ref();
        laid.map_or(0..0, |laid| laid.diff.span(self.hunk))
    }

    /// Returns true if some of the selected hunk is shown.
    pub(super) fn is_in_sight(&self) -> bool {
        let laid = self.laid.as_ref();
        let span = laid.map(|laid| laid.diff.span(self.hunk));
        span.is_some_and(|span| overlap(&span, &self.shown()) > 0)
    }

    /// Scrolls to what has not been displayed of the selected hunk; false if all of it was.
    pub(super) fn scroll_to_unseen(&mut self, item: DiffItem) -> bool {
        self.lay();
        let Some(laid) = &self.laid else { return false };
        let shown = laid.item(item);
        let displayed = shown.and_then(|(item, reading)| self.seen.get(item, reading));
        let unseen = laid.diff.rows().iter().position(|row| {
            let part = row.part().filter(|(own, _)| *own == item);
            part.is_some_and(|(_, part)| !displayed.is_some_and(|seen| seen.has(self.width, part)))
        });
        if let Some(row) = unseen {
            // One row is the head's, where that is above.
            let head = matches!(item, DiffItem::Hunk(hunk) if laid.diff.span(hunk).start < row);
            let above = usize::from(head && self.page >= PINNED);
            self.top = row.saturating_sub(above).min(self.last_top());
        }
        unseen.is_some()
    }

    /// Scrolls to what is said about the selected file, else to the selected hunk, as far as it has
    /// not been displayed; false if all of it was.
    pub(super) fn show_unseen(&mut self) -> bool {
        let file = self.selected_file();
        let about = file.is_some_and(|file| self.is_file_unseen(file));
        (about && self.scroll_to_unseen(DiffItem::About))
            || self.scroll_to_unseen(DiffItem::Hunk(self.hunk))
    }

    /// Returns how many lines of a hunk have not been displayed that have to be.
    pub(super) fn unseen_lines(&self, hunk: &HunkView) -> usize {
        let seen = self.seen.get(Item::Hunk(hunk.id), Reading::of_hunk(hunk));
        seen.map_or(changed_lines(hunk).max(1), |seen| seen.missing())
    }

    /// Returns true if something that is said about a file has not been displayed.
    pub(super) fn is_file_unseen(&self, file: &ProposalView) -> bool {
        let seen = self.seen.get(Item::About(file.id), Reading::of_file(file));
        seen.is_none_or(|seen| seen.missing() > 0)
    }

    /// Takes over that the user knows what is said about the selected file.
    pub(super) fn waive_file(&mut self) {
        if let Some(file) = self.files.get(self.file) {
            let item = Item::About(file.id);
            self.seen.waive(item, Reading::of_file(file));
        }
    }

    /// Lays the selected file out, unless it is.
    pub(super) fn lay(&mut self) {
        let Some(file) = self.files.get(self.file) else {
            self.laid = None;
            return;
        };
        let fits = |laid: &Laid| laid.proposal == file.id && laid.width == self.width;
        if self.width > 0 && !self.laid.as_ref().is_some_and(fits) {
            let shown = edited::shown(file, &self.marks);
            self.laid = Some(Laid::new(
                file,
                &shown,
                self.width,
                (&self.checks, &self.colours),
            ));
        }
    }

    fn last_top(&self) -> usize {
        let rows = self.laid.as_ref().map_or(0, |laid| laid.diff.rows().len());
        rows.saturating_sub(self.page)
    }

    /// Takes over that the rows in sight were on the screen. On a screen that is too narrow for any
    /// layout they are cut, and do not count.
    fn display(&mut self) {
        let Some(laid) = self
            .laid
            .as_ref()
            .filter(|_| self.width >= MARGIN + NARROWEST)
        else {
            return;
        };
        let shown = self.shown();
        let rows = laid.diff.rows().iter().skip(shown.start).take(shown.len());
        for (of, part) in rows.filter_map(|row| row.part()) {
            if let Some((item, reading)) = laid.item(of) {
                let needed = laid.diff.needed(of);
                self.fresh |= self.seen.show(item, reading, needed, self.width, part);
            }
        }
    }
}

/// Returns the hunk that is selected when these rows are shown: the same if all of it is there,
/// else the first of which all is, else the one with the most rows.
fn follow(diff: &Diff, selected: usize, shown: &Range<usize>) -> usize {
    let is_whole = |span: &Range<usize>| shown.start <= span.start && span.end <= shown.end;
    if is_whole(&diff.span(selected)) {
        return selected;
    }
    let whole = diff.spans().find(|(_, span)| is_whole(span));
    let most = || {
        let spans = diff.spans().rev();
        spans.max_by_key(|(_, span)| overlap(span, shown))
    };
    whole.or_else(most).map_or(selected, |(hunk, _)| hunk)
}

/// Returns how many lines of a hunk come or go.
pub(super) fn changed_lines(hunk: &HunkView) -> usize {
    let lines = hunk.lines.iter();
    lines.filter(|line| line.kind != LineKind::Context).count()
}

fn overlap(span: &Range<usize>, shown: &Range<usize>) -> usize {
    let end = span.end.min(shown.end);
    end.saturating_sub(span.start.max(shown.start))
}
