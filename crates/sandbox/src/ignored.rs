//! Ignore files, read as git reads them.
//!
//! In: paths below a folder. Out: whether `.ignore`, `.gitignore` and `.git/info/exclude` of the
//! repository around it, or of the folder where there is none, name them. An ignore file that is not
//! a regular file of text, or is too large, names nothing.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use ignore::gitignore::{Gitignore, GitignoreBuilder};
use ignore::{DirEntry, Match, WalkBuilder};
use signoff_source::path::reserved::ReservedFolders;

use crate::regular;

/// Maximum size of an ignore file, in bytes; the longest of the usual templates has 10 KB, and each
/// line takes room when it is compiled.
const MAX_BYTES: u64 = 64 * 1024;

/// The ignore files of a folder; those of the first name count before those of the second.
const NAMES: [&str; 2] = [".ignore", ".gitignore"];

/// The ignore files of a tree, read as they are needed.
#[derive(Debug)]
pub(crate) struct Ignored {
    top: PathBuf,
    exclude: Gitignore,
    levels: Mutex<HashMap<PathBuf, Arc<Level>>>,
}

/// The ignore files of a folder and of those above it.
#[derive(Debug)]
struct Level {
    above: Option<Arc<Self>>,
    own: [Gitignore; NAMES.len()],
}

/// Returns a walk through a folder that leaves out git's own folder, signoff's own folders and what is ignored. Links are
/// not followed.
pub fn walk(folder: &Path, reserved: &ReservedFolders) -> WalkBuilder {
    let ignored = Ignored::around(folder);
    let reserved = ReservedBelow {
        reserved: reserved.clone(),
        start: folder.to_owned(),
        real: folder
            .canonicalize()
            .unwrap_or_else(|_gone| folder.to_owned()),
    };
    let mut walk = WalkBuilder::new(folder);
    // The walk's own reading of ignore files takes whatever has their names.
    walk.standard_filters(false).filter_entry(move |entry| {
        let is_folder = entry.file_type().is_some_and(|kind| kind.is_dir());
        let is_git = entry.file_name() == ".git";
        entry.depth() == 0
            || !is_git && !reserved.has(entry) && !ignored.names(entry.path(), is_folder)
    });
    walk
}

/// Returns the files below a folder that are files of signoff's own under another name, ignored ones too.
pub fn reserved_files(folder: &Path, reserved: &ReservedFolders) -> Vec<PathBuf> {
    if !reserved.have_linked_files() {
        return Vec::new();
    }
    let walk = WalkBuilder::new(folder).standard_filters(false).build();
    let linked = walk.flatten().filter(|entry| {
        let is_file = entry.file_type().is_some_and(|kind| kind.is_file());
        let may_be = is_file && entry.ino().is_some_and(|inode| reserved.may_have(inode));
        may_be && entry.metadata().is_ok_and(|found| reserved.has(&found))
    });
    linked.map(DirEntry::into_path).collect()
}

/// The reserved folders, for a walk.
struct ReservedBelow {
    reserved: ReservedFolders,
    /// Where the walk begins, which may be a link. It follows none after that.
    start: PathBuf,
    real: PathBuf,
}

impl ReservedBelow {
    /// Returns whether an entry is one of signoff's own folders, or a file of them under another name.
    fn has(&self, entry: &DirEntry) -> bool {
        let reserved = &self.reserved;
        if reserved.folders().is_empty() {
            return false;
        }
        let below = entry.path().strip_prefix(&self.start);
        if below.is_ok_and(|below| reserved.is_one(&self.real.join(below))) {
            return true;
        }
        let is_folder = entry.file_type().is_some_and(|kind| kind.is_dir());
        // Of a folder that something is mounted on, a listing has the inode below the mount.
        let may_be = is_folder || entry.ino().is_some_and(|inode| reserved.may_have(inode));
        may_be && entry.metadata().is_ok_and(|found| reserved.has(&found))
    }
}

impl Ignored {
    /// Returns the ignore files for what is below a folder.
    pub(crate) fn around(folder: &Path) -> Self {
        let repository = folder.ancestors().find(|above| above.join(".git").exists());
        let top = repository.unwrap_or(folder).to_owned();
        Self {
            exclude: patterns(&top, &top.join(".git/info/exclude")),
            levels: Mutex::default(),
            top,
        }
    }

    /// Returns whether a path is named; what is in a folder that is named is not asked about.
    pub(crate) fn names(&self, path: &Path, is_folder: bool) -> bool {
        let Some(level) = path.parent().and_then(|folder| self.level(folder)) else {
            return false;
        };
        let named = (0..NAMES.len()).find_map(|name| {
            let mut levels = std::iter::successors(Some(&level), |level| level.above.as_ref());
            levels.find_map(|level| verdict(level.own.get(name)?, path, is_folder))
        });
        let named = named.or_else(|| verdict(&self.exclude, path, is_folder));
        named.unwrap_or(false)
    }

    /// Returns the ignore files of a folder and of those above it.
    fn level(&self, folder: &Path) -> Option<Arc<Level>> {
        let unknown = folder
            .ancestors()
            .take_while(|above| above.starts_with(&self.top));
        let unknown: Vec<&Path> = unknown
            .take_while(|above| self.known_level(above).is_none())
            .collect();
        let above = unknown.last().map_or(Some(folder), |first| first.parent());
        let mut level = above.and_then(|folder| self.known_level(folder));
        for folder in unknown.into_iter().rev() {
            // The lock is free while files are read: two threads may read a level twice, and both read the same.
            let own = NAMES.map(|name| patterns(folder, &folder.join(name)));
            let new = Arc::new(Level { above: level, own });
            let mut levels = self.levels.lock().unwrap_or_else(PoisonError::into_inner);
            levels.insert(folder.to_owned(), Arc::clone(&new));
            level = Some(new);
        }
        level
    }

    fn known_level(&self, folder: &Path) -> Option<Arc<Level>> {
        let levels = self.levels.lock().unwrap_or_else(PoisonError::into_inner);
        levels.get(folder).cloned()
    }
}

/// Returns whether patterns ignore a path; none if they do not say.
fn verdict(patterns: &Gitignore, path: &Path, is_folder: bool) -> Option<bool> {
    match patterns.matched(path, is_folder) {
        Match::None => None,
        Match::Ignore(_) => Some(true),
        Match::Whitelist(_) => Some(false),
    }
}

/// Returns the patterns of an ignore file about a folder.
fn patterns(folder: &Path, file: &Path) -> Gitignore {
    match regular::text(file, MAX_BYTES) {
        Ok(text) => compiled(folder, &text),
        Err(_) => Gitignore::empty(),
    }
}

/// Returns the patterns of a text about a folder.
fn compiled(folder: &Path, text: &str) -> Gitignore {
    let mut builder = GitignoreBuilder::new(folder);
    for line in text.lines() {
        // As git does, what is no pattern is passed over.
        let _no_pattern = builder.add_line(None, line);
    }
    builder
        .build()
        .unwrap_or_else(|_too_large| Gitignore::empty())
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::os::unix::fs::MetadataExt as _;
    use std::os::unix::fs::symlink;
    use std::process::Command;

    use super::*;

    fn found(root: &Path) -> Vec<String> {
        found_without(root, &ReservedFolders::default())
    }

    /// Returns the files that a walk finds, sorted.
    fn found_without(root: &Path, reserved: &ReservedFolders) -> Vec<String> {
        let files = walk(root, reserved).build().filter_map(Result::ok);
        let files = files.filter(|entry| entry.file_type().is_some_and(|kind| kind.is_file()));
        let names = files.map(|file| file.path().strip_prefix(root).map(Path::to_owned));
        let mut names: Vec<String> = names
            .map(|name| name.expect("below").display().to_string())
            .collect();
        names.sort();
        names
    }

    fn tree(files: &[(&str, &str)]) -> tempfile::TempDir {
        let folder = tempfile::tempdir().expect("a folder");
        for (path, text) in files {
            let path = folder.path().join(path);
            fs::create_dir_all(path.parent().expect("a parent")).expect("a folder");
            fs::write(path, text).expect("a file");
        }
        folder
    }

    #[test]
    fn ignore_files_are_read_as_git_reads_them() {
        let tree = tree(&[
            (".git/info/exclude", "excluded\n"),
            (".gitignore", "*.log\n/target\nbuilt/\n[\n"),
            (".ignore", "hidden.txt\n"),
            ("a.log", ""),
            ("excluded", ""),
            ("hidden.txt", ""),
            ("sub/.gitignore", "!keep.log\n"),
            ("sub/.ignore", "!hidden.txt\n"),
            ("sub/a.log", ""),
            ("sub/keep.log", ""),
            ("sub/hidden.txt", ""),
            ("sub/built", ""),
            ("sub/target/x", ""),
            ("target/x", ""),
            ("built/x", ""),
            ("x", ""),
        ]);
        let expected = [
            ".gitignore",
            ".ignore",
            "sub/.gitignore",
            "sub/.ignore",
            "sub/built",
            "sub/hidden.txt",
            "sub/keep.log",
            "sub/target/x",
            "x",
        ];
        assert_eq!(found(tree.path()), expected);
        // A walk through a part of a repository knows the rest of it.
        let sub = found(&tree.path().join("sub"));
        let expected: Vec<String> = expected
            .iter()
            .filter_map(|path| path.strip_prefix("sub/").map(str::to_owned))
            .collect();
        assert_eq!(sub, expected);
    }

    #[test]
    fn reserved_folders_are_not_entered_under_any_name() {
        let tree = tree(&[
            (".config/signoff/config.toml", ""),
            (".config/signoff/agents/a", ""),
            (".config/other/config.toml", ""),
            ("under-another-name/x", ""),
            ("x", ""),
        ]);
        let at = |name: &str| tree.path().join(name);
        let file = at(".config/signoff/config.toml");
        fs::hard_link(&file, at("linked")).expect("a link");
        symlink(".config", at("to")).expect("a link");
        let [linked, mounted] = [file, at("under-another-name")].map(|path| {
            let found = fs::metadata(path).expect("a file");
            (found.dev(), found.ino())
        });
        let folders = vec![at(".config/signoff")];
        let reserved = ReservedFolders::new(folders, [mounted], move || [linked].into());
        assert_eq!(
            found_without(tree.path(), &reserved),
            [".config/other/config.toml", "x"]
        );
        assert_eq!(found_without(&at("to"), &reserved), ["other/config.toml"]);
    }

    #[test]
    fn without_a_repository_nothing_above_counts() {
        let tree = tree(&[(".gitignore", "x\n"), ("sub/x", "")]);
        assert_eq!(found(&tree.path().join("sub")), ["x"]);
    }

    #[test]
    fn ignore_files_without_an_end_name_nothing() {
        let tree = tree(&[("x", ""), ("sub/x", ""), ("large/x", ""), ("odd/x", "")]);
        let at = |name: &str| tree.path().join(name);
        symlink("/dev/zero", at(".ignore")).expect("a link");
        for pipe in [".gitignore", "sub/.ignore", "sub/.gitignore"] {
            let made = Command::new("mkfifo").arg(at(pipe)).status();
            assert!(made.expect("mkfifo").success());
        }
        let large = "x\n".repeat(MAX_BYTES as usize);
        fs::write(at("large/.gitignore"), large).expect("a file");
        fs::write(at("odd/.gitignore"), b"x\n\xff").expect("a file");
        let mut found = found(tree.path());
        found.retain(|path| path.ends_with('x'));
        assert_eq!(found, ["large/x", "odd/x", "sub/x", "x"]);
    }
}
