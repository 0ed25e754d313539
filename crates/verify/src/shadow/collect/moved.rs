//! Where nothing is proposed: ignored files, and git's folder, to which a program may have moved what is proposed gone.
//!
//! In: what the program wrote there. Out: counts of it, and deletions that are refused, as approved they would leave the
//! text of a file on no path.

use std::fs::Metadata;
use std::path::{Path, PathBuf};

use super::super::collected::{After, Why};
use super::super::layer::{Content, is_whiteout};
use super::super::snapshot::{self, Base};
use super::Walk;

/// Entries of ignored folders that are counted; beyond that the count is a lower bound.
const MAX_COUNTED: usize = 200_000;

impl Walk<'_> {
    /// Counts what is ignored, and was written by this program.
    pub(super) fn keep(&mut self, path: &Path) {
        let before = self.out.kept.files;
        for (path, metadata) in self.written_below(vec![path.to_owned()]) {
            self.out.kept.files += 1;
            if !is_whiteout(&metadata) {
                self.out.kept.bytes += metadata.len();
            }
            self.hold(path, &metadata);
        }
        if self.out.kept.files > before {
            let path = path.to_string_lossy().into_owned();
            self.out.kept.paths.push(path);
        }
    }

    /// Notes a file that may hold what is gone elsewhere.
    fn hold(&mut self, path: PathBuf, metadata: &Metadata) {
        if metadata.is_file() {
            self.kept.entry(metadata.len()).or_default().push(path);
        }
    }

    /// Returns what a program wrote or moved below these paths, but for files with staged work, which are proposed all
    /// the same.
    fn written_below(&self, mut left: Vec<PathBuf>) -> Vec<(PathBuf, Metadata)> {
        let mut written = Vec::new();
        let mut looked_at = 0;
        while let Some(path) = left.pop() {
            let is_staged = |path: &str| self.staged.contains_key(path);
            let Ok(metadata) = self.tree.metadata(&path) else {
                continue;
            };
            if path.to_str().is_some_and(is_staged) {
                continue;
            }
            looked_at += 1;
            if metadata.is_dir() && looked_at < MAX_COUNTED {
                let names = self.tree.names(&path).unwrap_or_default();
                left.extend(names.into_iter().map(|name| path.join(name)));
            } else if self.is_written(&metadata) {
                written.push((path, metadata));
            }
        }
        written
    }

    /// Returns whether a program wrote or moved a file. In a folder that is moved within a copy, the files stay as they
    /// were.
    fn is_written(&self, metadata: &Metadata) -> bool {
        self.evidence.copied.is_some() || snapshot::changed(metadata) >= self.evidence.started
    }

    /// Refuses deletions of files whose content is in what is ignored now, or in git's folder: approved, it would be
    /// nowhere.
    pub(super) fn refuse_moved(&mut self) {
        let mut found = self.found.values();
        if found.any(|(_, after)| matches!(after, After::Gone(_))) {
            // A file may have been moved into one of git's folders.
            let git = std::mem::take(&mut self.git);
            for (path, metadata) in self.written_below(git) {
                self.hold(path, &metadata);
            }
        }
        let found = std::mem::take(&mut self.found);
        for (path, (base, after)) in found {
            let content = match (&base, &after) {
                (
                    Base::Known(Some(Content::File { bytes, .. })) | Base::Text(bytes),
                    After::Gone(_),
                ) => Some(bytes),
                _ => None,
            };
            let is_kept = content.is_some_and(|bytes| !bytes.is_empty() && self.is_kept(bytes));
            if is_kept {
                self.out.refuse(path, Why::MovedToIgnored);
            } else {
                self.found.insert(path, (base, after));
            }
        }
    }

    /// Returns whether an ignored file that the program wrote has these bytes.
    fn is_kept(&self, bytes: &[u8]) -> bool {
        let length = bytes.len() as u64;
        let alike = self.kept.get(&length).into_iter().flatten();
        let mut texts = alike.filter_map(|path| self.tree.read(path, length).ok());
        texts.any(|text| text == bytes)
    }
}
