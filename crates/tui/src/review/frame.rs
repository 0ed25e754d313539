//! Frames of the review pane: which rows are shown, and how.
//!
//! In: the size of the pane, and keys that change how it shows changes. Out: rows, which count as displayed once they are
//! laid out.

use signoff_core::engine::{AroundRequest, LinesAround};
use signoff_core::review::HunkView;

use super::arrangement::ArrangeKey;
use super::diff::Diff;
use super::diff_pane::DiffPane;
use super::laid_file::Scene;
use super::out_of_sight::OutOfSight;
use super::{Review, rows};
use crate::wrap::Row;

impl Review {
    /// Decides which rows a pane of this size shows; they count as displayed from now on.
    pub(crate) fn lay_out(&mut self, width: usize, height: usize) {
        self.arrangement.resize(width);
        let tree = self.tree_columns();
        let page = height.saturating_sub(rows::heading(&self.list, tree.is_some(), height));
        let width = width.saturating_sub(tree.unwrap_or_default());
        let resized = self.diff.resize(&self.list, width, page);
        let (diff, scene) = self.parts();
        diff.settle(&scene, resized);
        // The question takes rows of its own from the pane.
        if self.verdicts.is_question_new() {
            self.show_unseen();
        }
        let (diff, scene) = self.parts();
        diff.display(&scene);
        self.verdicts.show_question(self.was_drawn());
        if let Some(meant) = self.verdicts.several() {
            let meant = |hunk: &HunkView| meant.contains(&hunk.id);
            let counts = self.counts(meant);
            self.verdicts.count_anew(counts);
        }
    }

    /// Returns the rows for `height` rows of `width` columns, as they were laid out: title, files,
    /// diff.
    pub(crate) fn rows(&self, width: usize, height: usize) -> Vec<Row> {
        let Self { list, diff, .. } = self;
        let marks = &self.verdicts.marks;
        let names = &self.verdicts.names;
        let lines = self.line_selection();
        let ignored = self.arrangement.ignores_blanks().then(|| {
            let file = list.selected_file().and_then(|file| diff.diff_of(file.id));
            file.map_or(0, Diff::ignored)
        });
        let mut all = Vec::new();
        all.extend(rows::title(
            list,
            marks,
            &self.checks,
            (ignored, self.eyes_needed(), names),
            (width, height),
        ));
        let Some(columns) = self.tree_columns() else {
            all.extend(rows::files(list, marks, width, height));
            let diff = rows::diff((list, marks, names), lines, diff, width).into_iter();
            all.extend(diff.map(|row| self.search.emphasised(row)));
            return all;
        };
        let beside = rows::diff(
            (list, marks, names),
            lines,
            diff,
            width.saturating_sub(columns),
        )
        .into_iter();
        let beside = beside.map(|row| self.search.emphasised(row)).collect();
        let size = (columns.saturating_sub(1), height.saturating_sub(all.len()));
        let tree = (self.tree).rows(list.files(), list.at().file, (marks, &self.checks), size);
        all.extend(rows::beside(tree, beside, size));
        all
    }

    /// Changes how the diffs are shown; returns what there is to say. A verdict that waits for its key again is dropped.
    pub(crate) fn arrange(&mut self, key: ArrangeKey) -> Option<String> {
        self.verdicts.drop_question();
        if let ArrangeKey::MoreContext | ArrangeKey::LessContext = key {
            return self.open_context(key);
        }
        self.diff.changed(&self.list);
        let files = self.list.files().len();
        let said = self.arrangement.change(key, self.diff.width(), files);
        said.map(str::to_owned)
    }

    /// Opens more lines around the selected hunk, or folds them; returns what there is to say.
    fn open_context(&mut self, key: ArrangeKey) -> Option<String> {
        let file = self.list.selected_file()?;
        let hunk = self.list.selected_hunk()?.id;
        if key == ArrangeKey::MoreContext {
            // A fold shows none of its lines.
            self.folds.open(hunk);
            self.diff.changed_in(&self.list, file.id);
            return self.context.open(file, hunk);
        }
        self.diff.changed_around(&self.list);
        let key = &self.verdicts.names.more_context;
        self.context.fold(hunk, key)
    }

    /// Returns once which lines around a hunk are to be asked for.
    pub(crate) fn wants_around(&mut self) -> Option<AroundRequest> {
        self.context.wanted()
    }

    /// Takes over lines around a hunk; returns what there is to say.
    pub(crate) fn around(&mut self, told: LinesAround) -> Option<String> {
        self.list.hunk(told.hunk)?;
        if self.list.selected_hunk().map(|hunk| hunk.id) == Some(told.hunk) {
            self.diff.changed_around(&self.list);
        } else {
            self.diff.changed_in(&self.list, told.hunk.proposal);
        }
        self.context.take(told)
    }

    fn tree_columns(&self) -> Option<usize> {
        self.arrangement.tree_columns(self.list.files().len())
    }

    /// Returns what is not on the screen.
    pub(crate) fn out_of_sight(&self) -> OutOfSight {
        OutOfSight::of(&self.list, &self.diff)
    }

    /// Returns the diff pane, and what it lays files out from.
    pub(super) fn parts(&mut self) -> (&mut DiffPane, Scene<'_>) {
        let scene = Scene {
            list: &self.list,
            marks: &self.verdicts.marks,
            checks: &self.checks,
            colours: &self.colours,
            context: &self.context,
            arrangement: &self.arrangement,
            folds: &self.folds,
            notes: &self.verdicts,
        };
        (&mut self.diff, scene)
    }
}
