//! Diff pane: the selected file's diff, the rows of it that are on the screen, and what was displayed.
//!
//! In: the size of the pane, scrolling. Out: the rows that the next frame shows; once they are
//! shown they count as displayed. The selection follows scrolling, so that a verdict falls on a
//! hunk that is on the screen.

use std::ops::Range;

use signoff_core::id::{HunkId, ProposalId};
use signoff_core::review::{HunkView, ProposalView};

use super::checks::Checks;
use super::colours::Colours;
use super::edited;
use super::hunk_lines::{Beside, Diff, DiffItem, NARROWEST};
use super::list::ReviewList;
use super::marks::Marks;
use super::pending_verdicts::PendingVerdicts;
use super::rows::MARGIN;
use super::seen::{Counts, Item, Reading, Seen, changed_lines};
use crate::wrap::Row;

/// On fewer rows the head of a hunk does not stay in sight: they are for its lines.
const PINNED: usize = 3;

/// A file's diff, laid out.
#[derive(Debug)]
struct LaidFile {
    proposal: ProposalId,
    width: usize,
    diff: Diff,
    about: Reading,
    hunks: Vec<(Item, Reading)>,
}

impl LaidFile {
    fn new(
        file: &ProposalView,
        shown: &ProposalView,
        width: usize,
        (checks, colours, verdicts): (&Checks, &Colours, &PendingVerdicts),
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
                    below: &|hunk| verdicts.below(hunk),
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

/// What of the diff is on the screen, and what was.
#[derive(Debug, Default)]
pub(super) struct DiffPane {
    /// The first row of the diff that is shown.
    top: usize,
    /// Rows of the diff that fit the screen.
    page: usize,
    /// Columns of the screen.
    width: usize,
    /// True if what the pane holds was on the screen.
    drawn: bool,
    laid: Option<LaidFile>,
    seen: Seen,
    /// True once a frame was laid out with rows that none had shown before.
    fresh: bool,
}

/// How the size of the pane differs from that of the last frame.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Resized {
    /// Not at all.
    Same,
    /// In its rows alone.
    Rows,
    /// In its columns: every row is another one.
    Columns,
}

impl DiffPane {
    /// Returns true if what the pane holds was on the screen.
    pub(super) fn was_drawn(&self) -> bool {
        self.drawn
    }

    /// Takes over that the pane holds something that was not on the screen, unless `known`.
    pub(super) fn keep_drawn(&mut self, known: bool) {
        self.drawn &= known;
    }

    /// Returns true once after rows were laid out for the first time.
    pub(super) fn take_fresh(&mut self) -> bool {
        std::mem::take(&mut self.fresh)
    }

    /// Returns the diff, once it is laid out.
    pub(super) fn diff(&self) -> Option<&Diff> {
        self.laid.as_ref().map(|laid| &laid.diff)
    }

    /// Takes over that the diff reads differently: it is to be laid out anew.
    pub(super) fn changed(&mut self) {
        self.laid = None;
    }

    /// Puts rows below a hunk of the file that is laid out, in the place of those that are there. The screen follows
    /// their end if it showed the end of the hunk that is `followed`.
    pub(super) fn put_below(&mut self, hunk: HunkId, rows: &[Row], followed: Option<usize>) {
        let width = self.width;
        let bottom = self.top.saturating_add(self.page);
        let followed = followed.filter(|hunk| self.span(*hunk).end <= bottom);
        let Some(laid) = &mut self.laid else { return };
        let own = laid.hunks.iter();
        let mut own = own.map(|(item, _)| *item == Item::Hunk(hunk));
        if let Some(index) = own.position(|is_own| is_own) {
            laid.diff
                .put_below(index, rows, width.saturating_sub(MARGIN));
        }
        if let Some(hunk) = followed {
            let end = self.span(hunk).end;
            self.top = self
                .top
                .max(end.saturating_sub(self.page))
                .min(self.last_top());
        }
    }

    /// Forgets what was displayed of files and hunks that are not in the list any more.
    pub(super) fn retain(&mut self, files: &[ProposalView]) {
        self.seen.retain(files);
    }

    /// Lays a file out, unless it is.
    pub(super) fn lay(
        &mut self,
        file: Option<&ProposalView>,
        (marks, hidden): (&Marks, &dyn Fn(HunkId) -> bool),
        beside: (&Checks, &Colours, &PendingVerdicts),
    ) {
        let Some(file) = file else {
            self.laid = None;
            return;
        };
        let fits = |laid: &LaidFile| laid.proposal == file.id && laid.width == self.width;
        if self.width > 0 && !self.laid.as_ref().is_some_and(fits) {
            let shown = edited::shown(file, marks, hidden);
            self.laid = Some(LaidFile::new(file, &shown, self.width, beside));
        }
    }

    /// Takes the size of the next frame over.
    pub(super) fn resize(&mut self, width: usize, page: usize) -> Resized {
        let resized = match (self.width == width, self.page == page) {
            (true, true) => Resized::Same,
            (true, false) => Resized::Rows,
            (false, _) => Resized::Columns,
        };
        (self.width, self.page) = (width, page);
        resized
    }

    /// Keeps the selected hunk on a screen of another size.
    pub(super) fn settle(&mut self, resized: Resized, hunk: usize) {
        match resized {
            Resized::Columns => self.reveal(hunk),
            Resized::Rows if !self.is_in_sight(hunk) => self.reveal(hunk),
            Resized::Rows | Resized::Same => self.top = self.top.min(self.last_top()),
        }
    }

    /// Takes over that the next frame shows the rows in sight. On a screen that is too narrow for any
    /// layout they are cut, and do not count.
    pub(super) fn display(&mut self, hunk: usize) {
        self.drawn = self.page > 0;
        let Some(laid) = self
            .laid
            .as_ref()
            .filter(|_| self.width >= MARGIN + NARROWEST)
        else {
            return;
        };
        let shown = self.shown(hunk);
        let rows = laid.diff.rows().iter().skip(shown.start).take(shown.len());
        for (of, part) in rows.filter_map(|row| row.part()) {
            if let Some((item, reading)) = laid.item(of) {
                let needed = laid.diff.needed(of);
                self.fresh |= self.seen.show(item, reading, needed, self.width, part);
            }
        }
    }

    /// Returns the rows of the diff that are shown. The first row of the screen shows the selected
    /// hunk's head where that is scrolled off.
    pub(super) fn shown(&self, hunk: usize) -> Range<usize> {
        let top = self.top + usize::from(self.is_head_off(hunk));
        top..self.top.saturating_add(self.page)
    }

    /// Returns true if the head of the selected hunk is above the screen.
    pub(super) fn is_head_off(&self, hunk: usize) -> bool {
        let span = self.span(hunk);
        self.page >= PINNED && span.start < self.top && self.top < span.end
    }

    /// Returns true if some of a hunk is shown.
    pub(super) fn is_in_sight(&self, hunk: usize) -> bool {
        let is_laid = self.laid.is_some();
        is_laid && overlap(&self.span(hunk), &self.shown(hunk)) > 0
    }

    /// Returns the rows of a hunk.
    fn span(&self, hunk: usize) -> Range<usize> {
        self.diff().map_or(0..0, |diff| diff.span(hunk))
    }

    fn last_top(&self) -> usize {
        let rows = self.diff().map_or(0, |diff| diff.rows().len());
        rows.saturating_sub(self.page)
    }

    /// Returns the first row of the screen after this one. A row stays in sight.
    pub(super) fn screen_below(&self) -> usize {
        self.top.saturating_add(self.page.saturating_sub(1).max(1))
    }

    /// Returns the first row of the screen before this one.
    pub(super) fn screen_above(&self) -> usize {
        self.top.saturating_sub(self.page.saturating_sub(1).max(1))
    }

    /// Scrolls to the first row of a file.
    pub(super) fn scroll_to_start(&mut self) {
        self.top = 0;
    }

    /// Scrolls to a row.
    pub(super) fn scroll_to(&mut self, top: usize) {
        self.top = top.min(self.last_top());
    }

    /// Returns the hunk that is selected on this screen, if `hunk` was before.
    pub(super) fn follow(&self, hunk: usize) -> usize {
        self.diff()
            .map_or(hunk, |diff| follow(diff, hunk, &self.shown(hunk)))
    }

    /// Goes on in a hunk; false if its end is on the screen.
    pub(super) fn scroll_on(&mut self, hunk: usize) -> bool {
        let end = self.span(hunk).end;
        let is_longer = end > self.top.saturating_add(self.page);
        if is_longer {
            let step = self.page.saturating_sub(2).max(1);
            self.top += step.min(end.saturating_sub(self.page + self.top));
        }
        is_longer
    }

    /// Goes back in a hunk; false if its start is on the screen.
    pub(super) fn scroll_back(&mut self, hunk: usize) -> bool {
        let start = self.span(hunk).start;
        let is_longer = start < self.top;
        if is_longer {
            let step = self.page.saturating_sub(2).max(1);
            self.top = self.top.saturating_sub(step).max(start);
        }
        is_longer
    }

    /// Brings a line of a hunk to view.
    pub(super) fn show_line(&mut self, hunk: usize, line: usize) {
        let span = self.span(hunk);
        let Some(diff) = self.diff() else { return };
        let rows = diff.rows().iter().skip(span.start).take(span.len());
        let mut parts = rows.map(|row| row.part().map_or(0, |(_, part)| part.line));
        let Some(row) = parts.position(|own| own >= line) else {
            return;
        };
        let row = span.start + row;
        if !self.shown(hunk).contains(&row) {
            self.top = row.saturating_sub(self.page / 3).min(self.last_top());
        }
    }

    /// Brings a hunk to view.
    pub(super) fn reveal(&mut self, hunk: usize) {
        if self.laid.is_none() {
            return;
        }
        let (last, height) = (self.last_top(), self.page);
        let top = self.top.min(last);
        let span = self.span(hunk);
        let whole = span.start >= top && span.end <= top + height;
        self.top = match hunk {
            _ if whole => top,
            // The first hunk is shown with what is said about the file, as far as it begins there.
            0 if span.start + 1 < height => 0,
            _ if span.len() < height && span.start > top => (span.end - height).min(last),
            _ => span.start.min(last),
        };
    }

    /// Scrolls to what has not been displayed of a part of the file; false if all of it was.
    pub(super) fn scroll_to_unseen(&mut self, item: DiffItem) -> bool {
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

    /// Returns true if lines of a hunk, or something that is said about its file, have not been displayed.
    pub(super) fn is_unseen(&self, file: &ProposalView, hunk: &HunkView) -> bool {
        self.is_file_unseen(file) || self.unseen_lines(hunk) > 0
    }

    /// Takes over that the user knows what is said about a file.
    pub(super) fn waive(&mut self, file: &ProposalView) {
        self.seen
            .waive(Item::About(file.id), Reading::of_file(file));
    }

    /// Returns how many hunks are meant, and how many of them have not been displayed whole.
    pub(super) fn counts(&self, list: &ReviewList, meant: impl Fn(&HunkView) -> bool) -> Counts {
        let mut counts = Counts::default();
        for file in list.files() {
            let about = self.is_file_unseen(file);
            for hunk in file.hunks.iter().filter(|hunk| meant(hunk)) {
                counts.all += 1;
                counts.unseen += usize::from(about || self.unseen_lines(hunk) > 0);
            }
        }
        counts
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

fn overlap(span: &Range<usize>, shown: &Range<usize>) -> usize {
    let end = span.end.min(shown.end);
    end.saturating_sub(span.start.max(shown.start))
}
