//! Tree of the files under review.
//!
//! In: the files, marks and checks. Out: the order in which files are listed, and the rows of the tree. A folder that
//! holds one folder and nothing else shares a row with it:
//!
//! ```text
//!   crates/tui/
//!     src/review/
//! ▸     rows.rs  ✓·  +12 -3
//!       tree.rs  !  +80 -0  err
//!     Cargo.toml  ·  +1 -0
//! ```

use std::collections::HashMap;

use signoff_core::stage::review::{HunkState, HunkView, Verdict};

use super::checks::Checks;
use super::edited;
use super::marks::Marks;
use super::review_file::ReviewFile;
use crate::theme::Role;
use crate::wrap::Row;

/// Columns of the tree: at least, at most, and its share of the screen.
const LEAST: usize = 24;
const MOST: usize = 40;
const SHARE: usize = 4;

/// Files with more hunks than this show how many have each mark, instead of a mark for each.
const MOST_MARKS: usize = 8;

/// Columns of the path that are left before marks are counted.
const PATH_COLUMNS: usize = 10;

/// The files, by their folders.
#[derive(Debug, Default)]
pub(super) struct FileTree {
    entries: Vec<TreeEntry>,
}

/// A row of the tree.
#[derive(Clone, Debug, PartialEq, Eq)]
struct TreeEntry {
    depth: usize,
    name: String,
    /// The index of the file in the list; none for a folder.
    file: Option<usize>,
}

/// Returns the files in the order of the tree: what is in one folder is together. Otherwise they stay as they were.
pub(super) fn in_tree_order(files: Vec<ReviewFile>) -> Vec<ReviewFile> {
    let mut first: HashMap<&str, usize> = HashMap::new();
    for (index, file) in files.iter().enumerate() {
        for prefix in prefixes(file.path()) {
            first.entry(prefix).or_insert(index);
        }
    }
    let rank = |path: &str| -> Vec<usize> {
        let ranks = prefixes(path).map(|prefix| first.get(prefix).copied().unwrap_or_default());
        ranks.collect()
    };
    let mut ranks: Vec<(Vec<usize>, usize)> = files
        .iter()
        .enumerate()
        .map(|(index, file)| (rank(file.path()), index))
        .collect();
    if ranks.is_sorted() {
        return files;
    }
    ranks.sort_unstable();
    let mut files: Vec<Option<ReviewFile>> = files.into_iter().map(Some).collect();
    let taken = ranks
        .iter()
        .filter_map(|(_, index)| files.get_mut(*index)?.take());
    taken.collect()
}

/// Returns the folders that a path is in, outermost first, and the path itself.
fn prefixes(path: &str) -> impl Iterator<Item = &str> {
    let folders = path.match_indices('/').map(|(at, _)| at);
    let ends = folders.chain([path.len()]);
    ends.map(|end| path.get(..end).unwrap_or(path))
}

impl FileTree {
    /// Takes over the files that are listed.
    pub(super) fn set(&mut self, files: &[ReviewFile]) {
        let paths: Vec<&str> = files.iter().map(ReviewFile::path).collect();
        self.entries.clear();
        let mut open: Vec<&str> = Vec::new();
        for (index, path) in paths.iter().enumerate() {
            let own = folder(path);
            open.retain(|folder| own.starts_with(folder));
            loop {
                let above = open.last().copied().unwrap_or_default();
                let group = paths.iter().skip(index);
                let Some(next) = next_folder(path, above, group.copied()) else {
                    break;
                };
                self.entries.push(TreeEntry {
                    depth: open.len(),
                    name: next.get(above.len()..).unwrap_or(next).to_owned(),
                    file: None,
                });
                open.push(next);
            }
            self.entries.push(TreeEntry {
                depth: open.len(),
                name: path.get(own.len()..).unwrap_or(path).to_owned(),
                file: Some(index),
            });
        }
    }

    /// Returns the columns that the tree takes of a screen of this width.
    pub(super) fn columns(width: usize) -> usize {
        (width / SHARE).clamp(LEAST, MOST)
    }

    /// Returns the first entry that is shown of a tree of so many rows.
    fn top(&self, selected: usize, height: usize) -> usize {
        let mut entries = self.entries.iter();
        let at = entries.position(|entry| entry.file == Some(selected));
        let last_top = self.entries.len().saturating_sub(height);
        (at.unwrap_or_default().saturating_sub(height / 2)).min(last_top)
    }

    /// Returns the file that is shown on a row of the tree.
    pub(super) fn file_at(&self, row: usize, selected: usize, height: usize) -> Option<usize> {
        let entry = self.entries.get(self.top(selected, height) + row)?;
        entry.file.filter(|_| row < height)
    }

    /// Returns the rows of the tree that are shown; the selected file is always among them.
    pub(super) fn rows(
        &self,
        files: &[ReviewFile],
        selected: usize,
        (marks, checks): (&Marks, &Checks),
        (width, height): (usize, usize),
    ) -> Vec<Row> {
        let is_selected = |entry: &TreeEntry| entry.file == Some(selected);
        let shown = self.entries.iter().skip(self.top(selected, height));
        let shown = shown.take(height);
        let rows = shown.map(|entry| {
            let mut row = match entry.file {
                Some(file) if file == selected => Row::new(Role::Selected, "▸ "),
                _ => Row::new(Role::Text, "  "),
            };
            row.push(Role::Text, &"  ".repeat(entry.depth.min(width / 4)));
            match entry.file.and_then(|index| files.get(index)) {
                Some(file) => {
                    let role = if is_selected(entry) {
                        Role::Selected
                    } else {
                        Role::Text
                    };
                    let room = width.saturating_sub(row.width());
                    row.append(&file_row(file, role, &entry.name, (marks, checks), room));
                }
                None => row.push(Role::Dim, &entry.name),
            }
            row.clipped(width)
        });
        rows.collect()
    }
}

/// Returns the folder of a path, with a slash at its end unless it is the workspace.
fn folder(path: &str) -> &str {
    let end = path.rfind('/').map_or(0, |at| at + 1);
    path.get(..end).unwrap_or_default()
}

/// Returns the folder below `above` that a path is in, with those in it that share its row: all of `group` that is in the
/// one is in the other. `group` begins with the path.
fn next_folder<'a>(
    path: &'a str,
    above: &str,
    group: impl Iterator<Item = &'a str>,
) -> Option<&'a str> {
    let rest = folder(path).get(above.len()..)?;
    let first = above.len() + rest.find('/')? + 1;
    let within = path.get(..first)?;
    let mut shared = folder(path);
    for other in group.take_while(|other| other.starts_with(within)) {
        while !other.starts_with(shared) {
            shared = folder(shared.strip_suffix('/').unwrap_or(shared));
        }
        if shared.len() == first {
            break;
        }
    }
    Some(shared)
}

/// Returns the row of a file: its name, the mark of each hunk, its lines, and what checks found.
pub(super) fn file_row(
    file: &ReviewFile,
    role: Role,
    name: &str,
    (marks, checks): (&Marks, &Checks),
    room: usize,
) -> Row {
    let counts = file.hunks().map(|hunk| edited::counts(hunk, marks));
    let (added, removed) = counts.fold((0_u32, 0_u32), |sum, own| {
        (sum.0.saturating_add(own.0), sum.1.saturating_add(own.1))
    });
    let mut tail = Row::new(Role::Text, " ")
        .with(Role::Good, &format!("+{added}"))
        .with(Role::Text, " ")
        .with(Role::Bad, &format!("-{removed}"));
    if let Some((role, word)) = checks.sign_of(file) {
        tail.push(Role::Text, " ");
        tail.push(role, word);
    }
    let each = Row::new(Role::Text, " ");
    let own = file.hunks().map(|hunk| mark_of(hunk, marks));
    let own: Vec<(Role, &str)> = own.collect();
    let fits = own.len() + 1 + tail.width() + PATH_COLUMNS <= room;
    let marks = if own.len() <= MOST_MARKS && fits {
        own.iter()
            .fold(each, |row, (role, mark)| row.with(*role, mark))
    } else {
        counted_marks(&own)
    };
    let left = room.saturating_sub(marks.width() + tail.width());
    let mut row = Row::new(role, name).clipped(left);
    row.append(&marks);
    row.append(&tail);
    row
}

/// Returns how many hunks have each mark.
fn counted_marks(marks: &[(Role, &str)]) -> Row {
    let kinds = ["✓", "✗", "!", "·", "–"];
    let mut row = Row::default();
    for kind in kinds {
        let mut own = marks.iter().filter(|(_, mark)| *mark == kind);
        if let Some((role, _)) = own.next() {
            row.push(Role::Text, " ");
            row.push(*role, &format!("{kind}{}", own.count() + 1));
        }
    }
    row
}

/// Returns the mark of a hunk: `✓` approved, `✗` denied, `·` waits, `!` in conflict, `–` replaced, or in the file already.
fn mark_of(hunk: &HunkView, marks: &Marks) -> (Role, &'static str) {
    match (hunk.status.state(), marks.get(hunk.id)) {
        (HunkState::Committed, _) => (Role::Good, "✓"),
        (HunkState::Denied, _) => (Role::Bad, "✗"),
        (HunkState::Replaced | HunkState::InFile, _) => (Role::Dim, "–"),
        (_, Some(Verdict::Deny { .. })) => (Role::Bad, "✗"),
        (_, Some(Verdict::Approve | Verdict::ApproveEdited { .. })) => (Role::Good, "✓"),
        (HunkState::Conflict, None) => (Role::Warn, "!"),
        (HunkState::Pending, None) => (Role::Text, "·"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::review::{kit, review_file};
    use crate::wrap::text_of;
    use signoff_core::stage::review::ProposalView;

    fn files(paths: &[&str]) -> Vec<ReviewFile> {
        let file = |path: &&str| ProposalView {
            path: (*path).to_owned(),
            ..kit::file("")
        };
        review_file::files(paths.iter().map(file))
    }

    fn shown(paths: &[&str], selected: usize, size: (usize, usize)) -> Vec<String> {
        let files = files(paths);
        let mut tree = FileTree::default();
        tree.set(&files);
        let (marks, checks) = (Marks::default(), Checks::None);
        text_of(&tree.rows(&files, selected, (&marks, &checks), size))
    }

    #[test]
    fn folders_with_one_folder_in_them_share_its_row() {
        let paths = [
            "a/b/c/x.rs",
            "a/b/c/y.rs",
            "a/b/d/z.rs",
            "top.rs",
            "e/f/w.rs",
        ];
        let expected = [
            "  a/b/",
            "    c/",
            "▸     x.rs · +1 -0",
            "      y.rs · +1 -0",
            "    d/",
            "      z.rs · +1 -0",
            "  top.rs · +1 -0",
            "  e/f/",
            "    w.rs · +1 -0",
        ];
        assert_eq!(shown(&paths, 0, (40, 20)), expected);
        let end = ["  top.rs · +1 -0", "  e/f/", "▸   w.rs · +1 -0"];
        assert_eq!(shown(&paths, 4, (40, 3)), end);
    }

    #[test]
    fn the_selected_file_is_in_sight_and_rows_fit() {
        let paths: Vec<String> = (0..100)
            .map(|at| format!("src/long/{at}/{}.rs", "n".repeat(60)))
            .collect();
        let paths: Vec<&str> = paths.iter().map(String::as_str).collect();
        for selected in [0, 1, 50, 98, 99] {
            let rows = shown(&paths, selected, (24, 7));
            assert_eq!(rows.len(), 7);
            assert!(rows.iter().any(|row| row.starts_with('▸')), "{rows:?}");
            assert!(rows.iter().all(|row| row.chars().count() <= 24), "{rows:?}");
        }
    }

    #[test]
    fn what_is_in_one_folder_is_together() {
        let listed = in_tree_order(files(&["a/x", "b", "a/c/y", "b", "a/z", "d"]));
        let paths: Vec<&str> = listed.iter().map(ReviewFile::path).collect();
        assert_eq!(paths, ["a/x", "a/c/y", "a/z", "b", "d"]);
    }
}
