//! Diff pane: the rows of the files' diffs that are on the screen, and what was displayed.
//!
//! In: the size of the pane, scrolling. Out: the rows that the next frame shows; once they are shown they count as
//! displayed. All files are one scroll, or each is one by itself; only those near the screen are laid out. The selection
//! follows scrolling, so that a verdict falls on a hunk that is on the screen.

mod scroll;

use std::ops::Range;

use signoff_core::id::HunkId;
use signoff_core::stage::review::{HunkView, ProposalView};

use super::diff::{DiffItem, NARROWEST, NewNotes};
use super::hunk_lines::says_nothing;
use super::laid_file::{LaidFile, LaidFiles};
use super::list::{HunkPlace, ReviewList};
use super::review_file::ReviewFile;
use super::rows::MARGIN;
use super::scene::Scene;
use super::seen::{Item, Reading, Seen, changed_lines};
use crate::displayed::Part;
use crate::wrap::Row;

/// On fewer rows the head of a hunk does not stay in sight: they are for its lines.
const PINNED: usize = 3;

/// So many files stay laid out that are not on the screen: a walk back and forth lays none of them again.
const KEPT: usize = 64;

/// A row of the scroll: its file, and where it is in the file's diff. Behind the last row of a file comes the first one
/// of the next.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct RowPlace {
    pub(super) file: usize,
    pub(super) row: usize,
}

/// A row as it is on the screen.
#[derive(Clone, Debug)]
pub(super) struct ScreenRow {
    pub(super) file: usize,
    pub(super) hunk: Option<usize>,
    /// The line of the hunk that it shows.
    pub(super) line: Option<usize>,
    /// Nothing for a hunk's head, whose mark is drawn with it.
    pub(super) content: Option<Row>,
    /// What a hunk is, of which the head alone is shown.
    pub(super) fold: Option<String>,
}

/// What of the diffs is on the screen, and what was.
#[derive(Debug, Default)]
pub(super) struct DiffPane {
    /// The first row that is shown.
    top: RowPlace,
    /// Rows that fit the screen.
    page: usize,
    /// Columns of the screen.
    width: usize,
    /// True if what the pane holds was on the screen.
    drawn: bool,
    laid: LaidFiles,
    seen: Seen,
    /// The rows of the last frame.
    screen: Vec<ScreenRow>,
    /// What of the scroll they are.
    shown: Range<RowPlace>,
    /// True if the first of them stands for the head of the selected hunk.
    pinned: bool,
    /// What stays at the top when lines are laid out otherwise.
    anchor: Option<Anchor>,
    /// Notes of the selected hunk that the next frame shows.
    new_notes: Option<NewNotes>,
    /// The selected hunk, if the last frame showed some of it. Where the user scrolled away from it, only a key leads back.
    selected_shown: Option<HunkId>,
    /// True once a frame was laid out with rows that none had shown before.
    fresh: bool,
}

/// A line of a file that stays where it is on the screen.
#[derive(Clone, Copy, Debug)]
struct Anchor {
    file: usize,
    item: DiffItem,
    line: usize,
    /// Rows of the screen above it.
    above: usize,
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

    /// Returns the columns of the last frame.
    pub(super) fn width(&self) -> usize {
        self.width
    }

    /// Takes over that diffs read differently: they are to be laid out anew. The line at the top stays there.
    pub(super) fn changed(&mut self, list: &ReviewList) {
        self.anchor = self.anchor.or_else(|| self.line_at_top(list));
        self.laid.clear();
    }

    /// Takes over that one file reads differently.
    pub(super) fn changed_in(&mut self, list: &ReviewList, file: usize) {
        self.anchor = self.anchor.or_else(|| self.line_at_top(list));
        self.laid.remove(&file);
    }

    /// Has the next frame show notes of the selected hunk.
    pub(super) fn show_with_next(&mut self, notes: NewNotes) {
        self.new_notes = Some(notes);
    }

    /// Returns true if the last frame showed the end of the selected hunk, or the next one is to.
    pub(super) fn shows_end(&self, list: &ReviewList) -> bool {
        let HunkPlace { file, hunk } = list.at();
        let end = self.laid.get(&file).map(|laid| laid.diff.span(hunk).end);
        end.map_or(self.new_notes.is_some(), |row| {
            (self.shown.start..=self.shown.end).contains(&RowPlace { file, row })
        })
    }

    /// Has the line at the top stay there, whatever the next list has above it; false before the first frame.
    pub(super) fn hold_top(&mut self, list: &ReviewList) -> bool {
        self.anchor = self.anchor.or_else(|| self.line_at_top(list));
        self.anchor.is_some()
    }

    /// Lets the line at the top go.
    pub(super) fn release_top(&mut self) {
        self.anchor = None;
    }

    /// Takes over that the files in the list are others.
    pub(super) fn relist(&mut self, before: &[ReviewFile], list: &ReviewList) {
        self.laid.clear();
        self.seen.relist(list.files());
        self.anchor = self.anchor.take().and_then(|anchor| {
            let same = before.get(anchor.file)?;
            let file = list.files().iter().position(|file| file == same)?;
            Some(Anchor { file, ..anchor })
        });
        let top = before.get(self.top.file).map(ReviewFile::path);
        let mut files = list.files().iter();
        if let Some(file) = files.position(|file| Some(file.path()) == top) {
            self.top.file = file;
        } else {
            self.top = RowPlace {
                file: list.at().file,
                row: 0,
            };
        }
    }

    /// Returns the first line below the top of the screen, which the next file has where the top one ends.
    fn line_at_top(&self, list: &ReviewList) -> Option<Anchor> {
        let (mut above, mut from) = (0, self.top.row);
        let files = 0..list.files().len();
        for file in files.skip(self.top.file).take(2) {
            let diff = &self.laid.get(&file)?.diff;
            let first = diff.element_at(from);
            let mut elements = first..diff.element_at(usize::MAX) + 1;
            let line = elements.find_map(|element| {
                let line = diff.lines_of(element).into_iter().flatten().next()?;
                Some((element, diff.item_of(element)?, line))
            });
            if let Some((element, item, line)) = line {
                above += diff.rows_of(element).start.saturating_sub(from);
                return Some(Anchor {
                    file,
                    item,
                    line,
                    // At the very top the file's beginning stays, however many rows that takes.
                    above: if self.top.row == 0 { 0 } else { above },
                });
            }
            above += diff.len().saturating_sub(from);
            from = 0;
        }
        None
    }

    /// Takes over that lines around the selected hunk come or go: those of the hunk that are on the screen stay there.
    pub(super) fn changed_around(&mut self, list: &ReviewList) {
        self.anchor = self.anchor.or_else(|| self.line_of_hunk(list));
        self.changed_in(list, list.at().file);
    }

    /// Returns the first line of the selected hunk on the screen, its head and warnings left out.
    fn line_of_hunk(&self, list: &ReviewList) -> Option<Anchor> {
        let HunkPlace { file, hunk } = list.at();
        let diff = &self.laid.get(&file)?.diff;
        let item = DiffItem::Hunk(hunk);
        let shown = self.rows_shown(list.at().file);
        let mut elements = diff.elements_of(item);
        elements.find_map(|element| {
            let row = diff.rows_of(element).start;
            let line = diff
                .changed_line(element)
                .filter(|_| shown.contains(&row))?;
            let same = |own: &ScreenRow| own.file == list.at().file && own.hunk == Some(hunk);
            let first = self.screen.iter().position(same)? + usize::from(self.pinned);
            let above = first + row - shown.start.max(diff.span(hunk).start);
            Some(Anchor {
                file,
                item,
                line,
                above,
            })
        })
    }

    /// Lays a file out, unless it is.
    fn laid(&mut self, scene: &Scene<'_>, file: usize) -> Option<&mut LaidFile> {
        let own = scene.list().files().get(file)?;
        let format = scene.style.arrangement.format(self.width);
        let has_next =
            !scene.style.arrangement.is_single() && file + 1 < scene.list().files().len();
        if self.width == 0 {
            return None;
        }
        let fits = |laid: &LaidFile| laid.fits(format, has_next);
        if !self.laid.get(&file).is_some_and(fits) {
            let laid = LaidFile::new(own, format, has_next, scene);
            self.laid.insert(file, laid);
        }
        self.laid.get_mut(&file)
    }

    fn len(&mut self, scene: &Scene<'_>, file: usize) -> usize {
        self.laid(scene, file).map_or(0, |laid| laid.diff.len())
    }

    /// Takes the size of the next frame over.
    pub(super) fn resize(&mut self, list: &ReviewList, width: usize, page: usize) -> Resized {
        let resized = match (self.width == width, self.page == page) {
            (true, true) => Resized::Same,
            (true, false) => Resized::Rows,
            (false, _) => Resized::Columns,
        };
        if resized == Resized::Columns {
            self.anchor = self.anchor.or_else(|| self.line_at_top(list));
        }
        (self.width, self.page) = (width, page);
        resized
    }

    /// Returns to the line at the top where lines were laid out otherwise, and keeps the selected hunk on a screen of
    /// another size.
    pub(super) fn settle(&mut self, scene: &Scene<'_>, resized: Resized) {
        let anchored = self.hold_anchor(scene);
        self.top = self.clamped(scene, self.top);
        if let Some(notes) = self.new_notes.take() {
            self.show_notes(scene, notes);
        }
        let may_leave = anchored || resized != Resized::Same;
        let was_in_sight = self.selected_shown.is_some() || self.screen.is_empty();
        if may_leave && was_in_sight && !self.is_in_sight(scene) {
            self.reveal(scene);
        }
    }

    fn hold_anchor(&mut self, scene: &Scene<'_>) -> bool {
        let Some(anchor) = self.anchor.take() else {
            return false;
        };
        let file = anchor.file;
        let begins = self.top.row == 0;
        let laid = self.laid(scene, file);
        let row = laid.and_then(|laid| laid.diff.row_of(anchor.item, anchor.line));
        if let Some(row) = row.filter(|_| !begins || anchor.above > 0) {
            self.top = self.up(scene, RowPlace { file, row }, anchor.above);
        }
        true
    }

    /// Takes over that the next frame shows the rows in sight. On a screen that is too narrow for any
    /// layout they are cut, and do not count.
    pub(super) fn display(&mut self, scene: &Scene<'_>) {
        self.drawn = self.page > 0;
        self.pinned = self.is_head_off(scene);
        let selected = scene.list().selected_hunk().map(|hunk| hunk.id);
        self.selected_shown = selected.filter(|_| self.is_in_sight(scene));
        self.shown = self.in_sight(scene);
        let Range { start, end } = self.shown.clone();
        let mut screen = Vec::with_capacity(self.page);
        for file in start.file..(end.file + 1).min(Self::scroll(scene).end) {
            let from = if file == start.file { start.row } else { 0 };
            let to = if file == end.file {
                end.row
            } else {
                usize::MAX
            };
            self.display_file(scene, file, from..to, &mut screen);
        }
        self.screen = screen;
        if self.laid.len() > KEPT {
            let near = start.file..=end.file;
            self.laid.retain(|file, _| near.contains(file));
        }
    }

    fn display_file(
        &mut self,
        scene: &Scene<'_>,
        file: usize,
        rows: Range<usize>,
        screen: &mut Vec<ScreenRow>,
    ) {
        let counts = self.width >= MARGIN + NARROWEST;
        let Some(listed) = scene.list().files().get(file) else {
            return;
        };
        if self.laid(scene, file).is_none() {
            return;
        }
        let Self {
            laid, seen, fresh, ..
        } = self;
        let Some(laid) = laid.get_mut(&file) else {
            return;
        };
        let end = rows.end.min(laid.diff.len());
        let mut row = rows.start;
        while row < end {
            let element = laid.diff.element_at(row);
            let own = laid.diff.rows_of(element);
            let within = row - own.start..end.min(own.end) - own.start;
            let item = laid.diff.item_of(element);
            let hunk = match item {
                Some(DiffItem::Hunk(hunk)) => Some(hunk),
                _ => None,
            };
            let is_head = laid.diff.is_head(element);
            let fold = hunk.filter(|_| is_head).and_then(|hunk| {
                let (proposal, hunk) = listed.entry(hunk)?;
                let words = scene.fold(proposal, hunk)?;
                Some(words.to_string())
            });
            let line = laid.diff.hunk_line(element);
            let lines = laid.draw(listed, scene, element, |drawn| {
                let contents = drawn.rows.iter().cloned().map(Some).chain([None]);
                let contents = contents.skip(if is_head { 0 } else { within.start });
                screen.extend(contents.take(within.len()).map(|content| ScreenRow {
                    file,
                    hunk,
                    line,
                    content,
                    fold: fold.clone(),
                }));
                drawn.lines
            });
            let known = item.and_then(|item| Some((item, laid.item(listed, scene, item)?)));
            if let Some((of, (item, readings))) = known.filter(|_| counts) {
                let key = laid.diff.key();
                let needed = || laid.needed(listed, scene, of);
                for (line, height) in lines.into_iter().flatten() {
                    for row in within.clone().filter(|row| *row < height) {
                        let part = Part {
                            line,
                            row,
                            rows: height,
                        };
                        *fresh |= seen.show(item, readings, needed, key, part);
                    }
                }
            }
            row = own.end.max(row + 1);
        }
    }

    /// Brings a line of the selected hunk to view.
    pub(super) fn show_line(&mut self, scene: &Scene<'_>, line: usize) {
        let HunkPlace { file, hunk } = scene.list().at();
        let Some(laid) = self.laid(scene, file) else {
            return;
        };
        let Some(row) = laid.diff.row_of(DiffItem::Hunk(hunk), line) else {
            return;
        };
        let place = RowPlace { file, row };
        if !self.in_sight(scene).contains(&place) {
            let top = self.up(scene, place, self.page / 3);
            self.top = self.clamped(scene, top);
        }
    }

    /// Returns the rows of the last frame.
    pub(super) fn screen(&self) -> &[ScreenRow] {
        &self.screen
    }

    /// Returns true if the first row of the last frame stands for the head of the selected hunk, which is above it.
    pub(super) fn is_pinned(&self) -> bool {
        self.pinned
    }

    /// Returns the files of which rows are on the screen.
    pub(super) fn files_shown(&self) -> Range<usize> {
        let Range { start, end } = &self.shown;
        start.file..end.file + usize::from(end.row > 0)
    }

    /// Returns the rows of a file that are on the screen.
    pub(super) fn rows_shown(&self, file: usize) -> Range<usize> {
        let Range { start, end } = &self.shown;
        let row = |place: &RowPlace, behind: usize| match place.file.cmp(&file) {
            std::cmp::Ordering::Less => 0,
            std::cmp::Ordering::Equal => place.row,
            std::cmp::Ordering::Greater => behind,
        };
        row(start, usize::MAX)..row(end, usize::MAX)
    }

    /// Returns the layout of a file, if it has one.
    pub(super) fn diff_of(&self, file: usize) -> Option<&super::diff::Diff> {
        self.laid.get(&file).map(|laid| &laid.diff)
    }

    /// Returns the rows that are shown. The first row of the screen shows the selected hunk's head where that is scrolled
    /// off.
    fn in_sight(&mut self, scene: &Scene<'_>) -> Range<RowPlace> {
        let pinned = usize::from(self.is_head_off(scene));
        let start = self.down(scene, self.top, pinned);
        start..self.down(scene, self.top, self.page)
    }

    /// Returns true if the head of the selected hunk is above the screen.
    fn is_head_off(&mut self, scene: &Scene<'_>) -> bool {
        let span = self.span(scene, scene.list().at());
        self.page >= PINNED && span.start < self.top && self.top < span.end
    }

    /// Returns true if some of the selected hunk is shown.
    pub(super) fn is_in_sight(&mut self, scene: &Scene<'_>) -> bool {
        let span = self.span(scene, scene.list().at());
        let shown = self.in_sight(scene);
        span.start < shown.end && shown.start < span.end
    }

    /// Returns the rows of a hunk.
    fn span(&mut self, scene: &Scene<'_>, HunkPlace { file, hunk }: HunkPlace) -> Range<RowPlace> {
        let laid = self.laid(scene, file);
        let span = laid.map_or(0..0, |laid| laid.diff.span(hunk));
        let place = |row| RowPlace { file, row };
        place(span.start)..place(span.end)
    }

    /// Returns how many lines of a hunk have not been displayed that have to be.
    pub(super) fn unseen_lines(&self, hunk: &HunkView) -> usize {
        let seen = self.seen.get(Item::Hunk(hunk.id));
        seen.map_or_else(|| changed_lines(hunk).max(1), |seen| seen.missing())
    }

    /// Returns true if something that is said about a file as a whole has not been displayed.
    pub(super) fn is_title_unseen(&self, file: &ReviewFile) -> bool {
        let first = file.proposals().first();
        first.is_some_and(|first| self.is_item_unseen(Item::Title(first.id)))
    }

    /// Returns true if something that is said about a proposal has not been displayed.
    pub(super) fn is_about_unseen(&self, proposal: &ProposalView) -> bool {
        !says_nothing(proposal) && self.is_item_unseen(Item::About(proposal.id))
    }

    fn is_item_unseen(&self, item: Item) -> bool {
        let seen = self.seen.get(item);
        seen.is_none_or(|seen| seen.missing() > 0)
    }

    /// Returns true if lines of a hunk have not been displayed.
    fn is_hunk_unseen(&self, hunk: &HunkView) -> bool {
        self.is_item_unseen(Item::Hunk(hunk.id))
    }

    /// Returns true if lines of a hunk of this file, or something that is said about its proposal or the file, have not
    /// been displayed.
    pub(super) fn is_unseen(
        &self,
        file: &ReviewFile,
        (proposal, hunk): (&ProposalView, &HunkView),
    ) -> bool {
        self.is_title_unseen(file) || self.is_about_unseen(proposal) || self.is_hunk_unseen(hunk)
    }

    /// Takes over that the user knows what is said about a file as a whole and about one of its proposals.
    pub(super) fn waive(&mut self, file: &ReviewFile, proposal: &ProposalView) {
        if let Some(first) = file.proposals().first() {
            let title = Item::Title(first.id);
            self.seen.waive(title, Reading::of_title(file));
        }
        let about = Item::About(proposal.id);
        self.seen.waive(about, Reading::of_proposal(proposal));
    }
}
