//! Frames of the review pane: which rows are shown, and how.
//!
//! In: the size of the pane, and keys that change how it shows changes. Out: rows, which count as displayed once they are
//! laid out.

use super::Presentation;
use crate::review::arrangement::ArrangeKey;
use crate::review::diff::Diff;
use crate::review::line_selection::LineSelection;
use crate::review::out_of_sight::OutOfSight;
use crate::review::rows::{self, HeadSource};
use crate::review::search::Search;
use crate::review::subject::ReviewSubject;
use crate::wrap::Row;

impl Presentation {
    /// Decides which rows a pane of this size shows; they count as displayed from now on.
    pub(in crate::review) fn lay_out(
        &mut self,
        subject: &ReviewSubject,
        (width, height): (usize, usize),
    ) {
        self.style.arrangement.resize(width);
        let tree = self.tree_columns(subject);
        let page = height.saturating_sub(rows::heading(&subject.list, tree.is_some(), height));
        let width = width.saturating_sub(tree.unwrap_or_default());
        let resized = self.diff.resize(&subject.list, width, page);
        self.diff.settle(&self.style.scene(subject), resized);
        // The question takes rows of its own from the pane.
        if subject.verdicts.is_question_new() {
            self.show_unseen(subject);
        }
        self.diff.display(&self.style.scene(subject));
    }

    /// Returns the rows for `height` rows of `width` columns, as they were laid out: title, files,
    /// diff.
    pub(in crate::review) fn rows(
        &self,
        subject: &ReviewSubject,
        (lines, search): (Option<&LineSelection>, &Search),
        (width, height): (usize, usize),
    ) -> Vec<Row> {
        let (list, marks, checks) = (&subject.list, subject.marks(), subject.checks());
        let critique = &subject.verdicts.critique;
        let ignored = self.style.arrangement.ignores_blanks().then(|| {
            let diff = self.diff.diff_of(list.at().file);
            diff.map_or(0, Diff::ignored)
        });
        let mut all = Vec::new();
        all.extend(rows::title(
            list,
            marks,
            (checks, critique),
            (ignored, subject.eyes_needed(), subject.names()),
            (width, height),
        ));
        let diff = |width| {
            let source = HeadSource {
                list,
                marks,
                critique,
                names: subject.names(),
            };
            let rows = rows::diff(source, lines, &self.diff, width).into_iter();
            rows.map(|row| search.emphasised(row))
        };
        let Some(columns) = self.tree_columns(subject) else {
            all.extend(rows::files(list, (marks, checks), width, height));
            all.extend(diff(width));
            return all;
        };
        let beside = diff(width.saturating_sub(columns)).collect();
        let size = (columns.saturating_sub(1), height.saturating_sub(all.len()));
        let tree = (self.tree).rows(list.files(), list.at().file, (marks, checks), size);
        all.extend(rows::beside(tree, beside, size));
        all
    }

    /// Changes how the diffs are shown; returns what there is to say.
    pub(in crate::review) fn arrange(
        &mut self,
        subject: &ReviewSubject,
        key: ArrangeKey,
    ) -> Option<String> {
        if let ArrangeKey::MoreContext | ArrangeKey::LessContext = key {
            return self.open_context(subject, key);
        }
        self.diff.changed(&subject.list);
        let files = subject.list.files().len();
        let arrangement = &mut self.style.arrangement;
        let said = arrangement.change(key, self.diff.width(), files);
        said.map(str::to_owned)
    }

    /// Opens more lines around the selected hunk, or folds them; returns what there is to say.
    fn open_context(&mut self, subject: &ReviewSubject, key: ArrangeKey) -> Option<String> {
        let (file, hunk) = subject.selected()?;
        if key == ArrangeKey::MoreContext {
            // A fold shows none of its lines.
            self.style.folds.open(hunk.id);
            self.changed_in(subject, file.id);
            let at = subject.list.at();
            let listed = subject.list.selected_file()?;
            return self.style.context.open(listed, at.hunk);
        }
        self.diff.changed_around(&subject.list);
        self.style
            .context
            .fold(hunk.id, &subject.names().more_context)
    }

    pub(super) fn tree_columns(&self, subject: &ReviewSubject) -> Option<usize> {
        let files = subject.list.files().len();
        self.style.arrangement.tree_columns(files)
    }

    /// Returns what is not on the screen.
    pub(in crate::review) fn out_of_sight(&self, subject: &ReviewSubject) -> OutOfSight {
        OutOfSight::of(&subject.list, &self.diff)
    }
}
