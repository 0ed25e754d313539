//! Where nothing is proposed: ignored files, and git's folder, to which a program may have moved what is proposed gone.
//!
//! In: what the program wrote there. Out: counts of it, and the texts of what may hold one that a file has lost.

use std::collections::BTreeSet;
use std::fs::Metadata;
use std::path::{Path, PathBuf};

use signoff_source::file::{ProgramBase, ProgramContent};

use super::super::beneath::Tree;
use super::super::layer::is_whiteout;
use super::super::snapshot;
use super::Walk;

/// Entries of ignored folders that are counted; beyond that the count is a lower bound.
const MAX_COUNTED: usize = 200_000;

/// Maximum number of files, and of bytes, that are compared with texts that are lost: those nearest to one in size. A
/// build writes tens of thousands of files beside the one that a moved text is in; of the same size are few. The others
/// may hold it.
const MAX_COMPARED: usize = 1_000;
const MAX_COMPARED_BYTES: u64 = 16 << 20;

/// What a program wrote or moved somewhere in a layer.
pub(super) struct WrittenFiles {
    pub(super) written: Vec<(PathBuf, Metadata)>,
    /// What could not be looked at.
    pub(super) unread: Vec<PathBuf>,
    /// Whether all entries were looked at.
    is_whole: bool,
}

impl WrittenFiles {
    fn may_have_any(&self) -> bool {
        !self.written.is_empty() || !self.unread.is_empty() || !self.is_whole
    }
}

impl Walk<'_> {
    /// Counts what is ignored, and was written by this program.
    pub(super) fn keep(&mut self, path: &Path) {
        let before = self.out.kept.files;
        let found = self.written_below(vec![path.to_owned()]);
        self.is_left |= found.may_have_any();
        for (path, metadata) in found.written {
            self.out.kept.files += 1;
            if !is_whiteout(&metadata) {
                self.out.kept.bytes += metadata.len();
            }
            self.hold(path, &metadata);
        }
        self.unread.extend(found.unread);
        if self.out.kept.files > before {
            let path = path.to_string_lossy().into_owned();
            self.out.kept.paths.push(path);
        }
    }

    /// Counts an ignored file no more. Returns whether it was one.
    pub(super) fn release(&mut self, path: &Path, metadata: &Metadata) -> bool {
        let of_its_size = self.kept.get_mut(&metadata.len());
        let of_its_size = of_its_size.filter(|kept| kept.iter().any(|own| own == path));
        let Some(of_its_size) = of_its_size else {
            return false;
        };
        of_its_size.retain(|own| own != path);
        let kept = &mut self.out.kept;
        kept.files = kept.files.saturating_sub(1);
        kept.bytes = kept.bytes.saturating_sub(metadata.len());
        kept.paths.retain(|own| Path::new(own) != path);
        true
    }

    /// Notes a file that may hold what is gone elsewhere.
    fn hold(&mut self, path: PathBuf, metadata: &Metadata) {
        if metadata.is_file() {
            self.kept.entry(metadata.len()).or_default().push(path);
        }
    }

    /// Returns what a program wrote or moved below these paths, but for files with staged work, which are proposed all
    /// the same.
    fn written_below(&self, left: Vec<PathBuf>) -> WrittenFiles {
        let mut found = self.written_in(&self.tree, left);
        let is_staged = |path: &Path| {
            let mut around = path.ancestors().filter_map(Path::to_str);
            around.any(|path| self.staged.contains_key(path))
        };
        found.written.retain(|(path, _)| !is_staged(path));
        found.unread.retain(|path| !is_staged(path));
        found
    }

    /// Returns what a program wrote or moved below these paths of a layer.
    pub(super) fn written_in(&self, tree: &Tree, mut left: Vec<PathBuf>) -> WrittenFiles {
        let (mut written, mut unread) = (Vec::new(), Vec::new());
        let mut looked_at = 0;
        while let Some(path) = left.pop() {
            let metadata = match tree.found(&path) {
                Ok(Some(metadata)) => metadata,
                Ok(None) => continue,
                Err(_unreadable) => {
                    unread.push(path);
                    continue;
                }
            };
            looked_at += 1;
            let is_folder = metadata.is_dir();
            let names = (is_folder && looked_at < MAX_COUNTED).then(|| tree.names(&path));
            if let Some(Ok(names)) = names {
                left.extend(names.into_iter().map(|name| path.join(name)));
            } else if self.is_written(&metadata) {
                unread.extend(is_folder.then(|| path.clone()));
                written.push((path, metadata));
            }
        }
        WrittenFiles {
            written,
            unread,
            is_whole: looked_at < MAX_COUNTED,
        }
    }

    /// Returns whether a program wrote or moved a file.
    fn is_written(&self, metadata: &Metadata) -> bool {
        snapshot::changed(metadata) >= self.evidence.started
    }

    /// Takes along what the program wrote where nothing is proposed and may hold a text that a file has lost. After
    /// `mv a.txt k.o; echo x >> k.o`, where `*.o` is ignored, that is `k.o` for `a.txt`.
    pub(super) fn take_unproposed(&mut self) {
        let lost = self.found.values().filter_map(|(base, after)| {
            let before = match base {
                ProgramBase::Known(Some(ProgramContent::File { bytes, .. }))
                | ProgramBase::Text(bytes) => bytes,
                ProgramBase::Known(_) | ProgramBase::Current | ProgramBase::Unknown => return None,
            };
            let is_same =
                matches!(after, Some(ProgramContent::File { bytes, .. }) if bytes == before);
            (!before.is_empty() && !is_same).then_some(before.len() as u64)
        });
        let lost: BTreeSet<u64> = lost.collect();
        if lost.is_empty() {
            return;
        }
        // A file may have been moved into one of git's folders.
        let git = std::mem::take(&mut self.git);
        let WrittenFiles {
            written,
            mut unread,
            ..
        } = self.written_below(git);
        // Of what git wrote itself, lines that are there by accident tell nothing.
        for (path, metadata) in written.into_iter().filter(|(path, _)| !is_object(path)) {
            self.hold(path, &metadata);
        }
        unread.append(&mut self.unread);
        let unread = unread.into_iter();
        let unread = unread.map(|path| (path.to_string_lossy().into_owned(), None));
        self.out.unproposed.extend(unread);
        let each = std::mem::take(&mut self.kept).into_iter();
        let mut near: Vec<(u64, u64, PathBuf)> = each
            .flat_map(|(size, paths)| {
                let distance = distance(size, &lost);
                let each = paths.into_iter();
                each.filter_map(move |path| Some((distance?, size, path)))
            })
            .collect();
        near.sort();
        let mut bytes = 0;
        for (index, (distance, size, path)) in near.into_iter().enumerate() {
            bytes += size;
            let is_near = index < MAX_COMPARED && bytes <= MAX_COMPARED_BYTES;
            // What is in a file that is not read is not known, nor is whose name is no text.
            let text = (distance == 0 || is_near).then(|| self.tree.read(&path, size).ok());
            let name = path.to_string_lossy().into_owned();
            self.out.unproposed.push((name, text.flatten()));
        }
    }
}

/// Returns whether a file in git's folder is an object or a pack: its name is a hash, so that git wrote it, and compressed.
/// No program moves a text there by accident. Case: a commit with a file of 6 MB, in whose object the one letter of a changed
/// line stood between two line feeds.
fn is_object(path: &Path) -> bool {
    let mut names = path.iter().rev().map(|name| name.to_str().unwrap_or(""));
    let (name, folder, above) = (names.next(), names.next(), names.next());
    let (Some(name), Some(folder), Some("objects")) = (name, folder, above) else {
        return false;
    };
    let is_hex = |name: &str| name.bytes().all(|byte| byte.is_ascii_hexdigit());
    // SHA-1 has 40 digits, SHA-256 has 64; the first two of an object's are its folder.
    match name.strip_prefix("pack-") {
        Some(pack) if folder == "pack" => {
            let hash = pack.split_once('.').map(|(hash, _)| hash);
            hash.is_some_and(|hash| matches!(hash.len(), 40 | 64) && is_hex(hash))
        }
        _ => folder.len() == 2 && matches!(name.len(), 38 | 62) && is_hex(folder) && is_hex(name),
    }
}

/// Returns how far the size of a file is from that of a text that it may hold most of; none if it is less than half of
/// each.
fn distance(size: u64, lost: &BTreeSet<u64>) -> Option<u64> {
    let below = lost.range(..=size).next_back();
    let above = lost.range(size..).next();
    let near = [below, above].into_iter().flatten();
    let near = near.filter(|lost| size.saturating_mul(2) >= **lost);
    near.map(|lost| lost.abs_diff(size)).min()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_git_compressed_is_told_by_its_name() {
        let hash = "473f19aa".repeat(5);
        let (shelf, rest) = hash.split_at(2);
        for (path, expected) in [
            (format!(".git/objects/{shelf}/{rest}"), true),
            (format!("sub/.git/objects/{shelf}/{rest}"), true),
            (format!(".git/objects/pack/pack-{hash}.pack"), true),
            (format!(".git/objects/pack/pack-{hash}.idx"), true),
            (format!(".git/objects/pack/pack-{hash}"), false),
            (".git/objects/pack/pack-notes.txt".to_owned(), false),
            (format!(".git/objects/{shelf}/notes.txt"), false),
            (format!(".git/objects/{rest}"), false),
            (format!(".git/{shelf}/{rest}"), false),
            (".git/a.txt".to_owned(), false),
        ] {
            assert_eq!(is_object(Path::new(&path)), expected, "{path}");
        }
    }
}
