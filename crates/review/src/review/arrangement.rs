//! Arrangement of the review pane: what the user chose of how changes are shown.
//!
//! In: keys and the width of the screen. Out: whether there is a tree of files, the diff's columns, and how a line is
//! shown. A choice stays until the user changes it; without one the width decides.

use super::rows::MARGIN;
use super::tree::FileTree;

/// From this width on the files are shown as a tree beside the diff.
const TREE_FROM: usize = 120;

/// The least columns of a diff beside a tree.
const BESIDE_TREE: usize = 50;

/// From this width of the screen on the two sides of a diff are side by side.
const SPLIT_FROM: usize = 160;

/// The least columns of a diff whose sides are side by side.
pub(super) const SPLIT_LEAST: usize = 58;

/// What keys change of the arrangement.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ArrangeKey {
    /// Stacked lines, or side by side.
    Sides,
    /// The tree of files.
    Tree,
    /// One scroll over all files, or one file at a time.
    Scroll,
    /// More lines around the selected hunk.
    MoreContext,
    /// No more lines around it than at first.
    LessContext,
    /// White space counts, or not.
    IgnoreBlanks,
    /// Blanks and tabs are shown, or not.
    ShowBlanks,
}

/// What the user chose.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Arrangement {
    /// Side by side, if that was chosen or not.
    split: Option<bool>,
    tree: Option<bool>,
    /// One file at a time.
    single: bool,
    ignores_blanks: bool,
    shows_blanks: bool,
    purpose: DiffPurpose,
    /// Columns of the review, as of the last frame.
    width: usize,
}

/// What a diff is shown for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum DiffPurpose {
    /// To be read, as the user chose.
    #[default]
    Read,
    /// To select lines: they stand one below another, each by itself.
    SelectLines,
}

/// How the lines of a diff are laid out.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct DiffFormat {
    /// Columns, the margin not counted.
    pub(super) width: usize,
    /// The two sides are side by side.
    pub(super) is_split: bool,
    /// Lines that differ in white space alone are shown as one.
    pub(super) ignores_blanks: bool,
    /// Blanks and tabs are shown as `·` and `→`.
    pub(super) shows_blanks: bool,
}

impl Arrangement {
    /// Takes the width of the next frame over.
    pub(super) fn resize(&mut self, width: usize) {
        self.width = width;
    }

    /// Returns the columns of the tree and what is between it and the diff; none if there is no tree.
    pub(super) fn tree_columns(&self, files: usize) -> Option<usize> {
        let wanted = self.tree.unwrap_or(self.width >= TREE_FROM && files > 1);
        (wanted && self.has_room_for_tree() && files > 0).then(|| FileTree::columns(self.width) + 1)
    }

    fn has_room_for_tree(&self) -> bool {
        self.width > FileTree::columns(self.width) + BESIDE_TREE
    }

    /// Returns how a diff of this width is laid out.
    pub(super) fn format(&self, width: usize) -> DiffFormat {
        let width = width.saturating_sub(MARGIN);
        let wanted = self.split.unwrap_or(self.width >= SPLIT_FROM);
        DiffFormat {
            width,
            is_split: wanted && width >= SPLIT_LEAST && self.purpose == DiffPurpose::Read,
            ignores_blanks: self.ignores_blanks && self.purpose == DiffPurpose::Read,
            shows_blanks: self.shows_blanks,
        }
    }

    /// Returns true if one file is shown at a time.
    pub(super) fn is_single(&self) -> bool {
        self.single
    }

    /// Returns true if white space does not count.
    pub(super) fn ignores_blanks(&self) -> bool {
        self.ignores_blanks
    }

    /// Has white space count again.
    pub(super) fn heed_blanks(&mut self) {
        self.ignores_blanks = false;
    }

    /// Takes over what the diff is shown for.
    pub(super) fn show_for(&mut self, purpose: DiffPurpose) {
        self.purpose = purpose;
    }

    /// Does what a key asks of a diff of this width beside so many files; returns what there is to say.
    pub(super) fn change(
        &mut self,
        key: ArrangeKey,
        width: usize,
        files: usize,
    ) -> Option<&'static str> {
        match key {
            ArrangeKey::Sides => {
                let is_split = self.format(width).is_split;
                self.split = Some(!is_split);
                let narrow = !is_split && !self.format(width).is_split;
                return Some(match (narrow, is_split) {
                    (true, _) => "Too narrow for side by side: shown once the window is wider",
                    (false, true) => "Stacked: old above new",
                    (false, false) => "Side by side: old left, new right",
                });
            }
            ArrangeKey::Tree => {
                let shown = self.tree_columns(files).is_some();
                self.tree = Some(!shown);
                let narrow = !shown && !self.has_room_for_tree();
                return narrow.then_some("Too narrow for the tree: shown once the window is wider");
            }
            ArrangeKey::Scroll => {
                self.single = !self.single;
                return Some(if self.single {
                    "One file at a time"
                } else {
                    "All files in one scroll"
                });
            }
            ArrangeKey::IgnoreBlanks => {
                self.ignores_blanks = !self.ignores_blanks;
                return (!self.ignores_blanks).then_some("White space counts");
            }
            ArrangeKey::ShowBlanks => self.shows_blanks = !self.shows_blanks,
            ArrangeKey::MoreContext | ArrangeKey::LessContext => {}
        }
        None
    }
}
