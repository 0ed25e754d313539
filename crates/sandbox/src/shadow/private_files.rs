//! Private files: where a repository and toolchains keep credentials among what programs need.
//!
//! In: a folder that programs find. Out: the files of it that they find with other texts: settings without the lines
//! that hold keys, or nothing.

use std::fs;
use std::path::{Path, PathBuf};

use super::settings::{git_settings, holds_key};

/// Maximum size of such a file, in bytes.
pub(super) const MAX_SETTINGS: u64 = 64 * 1024;
/// Entries of a folder that are looked at.
const MAX_ENTRIES: usize = 512;
/// Files of a repository in which addresses with credentials are.
const REPOSITORY_SETTINGS: [&str; 4] = ["config", "config.worktree", "FETCH_HEAD", "credentials"];
/// Folders of submodules and work trees that are looked at: some a submodule, and a repository has tens of them.
const MAX_FOLDERS: usize = 4_096;
/// Folders of a repository that hold no other one.
const OF_REPOSITORY: [&str; 6] = ["objects", "refs", "logs", "hooks", "info", "lfs"];
/// What of its folder git needs to read a repository and to go on with what was begun, as a merge. Everything else is not
/// there for programs: copies of the settings, and what other programs keep there.
const OF_GIT: [&str; 27] = [
    "HEAD",
    "config",
    "config.worktree",
    "objects",
    "refs",
    "reftable",
    "packed-refs",
    "index",
    "info",
    "shallow",
    "logs",
    "lfs",
    "worktrees",
    "modules",
    "commondir",
    "gitdir",
    "FETCH_HEAD",
    "ORIG_HEAD",
    "MERGE_HEAD",
    "MERGE_MODE",
    "MERGE_MSG",
    "CHERRY_PICK_HEAD",
    "REVERT_HEAD",
    "AUTO_MERGE",
    "rebase-merge",
    "rebase-apply",
    "sequencer",
];
/// What of the folder of Git LFS it needs to have the texts of files.
const OF_LFS: [&str; 2] = ["objects", "tmp"];
/// How names of others begin.
const OF_GIT_PREFIXES: [&str; 2] = ["sharedindex.", "BISECT_"];
/// Those in which a command may have left an address, beside the logs.
const OF_COMMANDS: [&str; 2] = ["ORIG_HEAD", "MERGE_MSG"];
/// Maximum size of a log of git's that is looked through, in bytes: some 25,000 entries.
const MAX_LOG: u64 = 4 << 20;
/// Files of toolchains that hold keys of package servers.
const PRIVATE: [&str; 7] = [
    "credentials",
    "credentials.toml",
    "etc/npmrc",
    ".npmrc",
    "pip.conf",
    ".condarc",
    ".pypirc",
];
/// The same in each entry of a folder: settings of each Node that `nvm` has, certificates of .NET's servers.
const PRIVATE_EACH: [(&str, &str); 4] = [
    ("versions/node", "etc/npmrc"),
    ("installs/node", "etc/npmrc"),
    ("node-versions", "installation/etc/npmrc"),
    ("corefx/cryptography/x509stores/my", ""),
];

/// Returns the files in which a repository keeps addresses, with those of its submodules and work trees; none if these
/// have too many folders to be looked at.
pub(super) fn repository_settings(folder: &Path) -> Option<Vec<PathBuf>> {
    let mut found: Vec<PathBuf> = REPOSITORY_SETTINGS
        .iter()
        .map(|name| folder.join(name))
        .collect();
    let mut left: Vec<PathBuf> = ["modules", "worktrees"]
        .map(|name| folder.join(name))
        .into();
    let mut looked_at = 0;
    while let Some(folder) = left.pop() {
        looked_at += 1;
        if looked_at > MAX_FOLDERS {
            return None;
        }
        found.extend(REPOSITORY_SETTINGS.iter().map(|name| folder.join(name)));
        let entries = fs::read_dir(&folder).into_iter().flatten().flatten();
        let inner = entries.filter(|entry| {
            let name = entry.file_name();
            let is_content = OF_REPOSITORY.iter().any(|own| name == *own);
            !is_content && entry.file_type().is_ok_and(|kind| kind.is_dir())
        });
        left.extend(inner.map(|entry| entry.path()));
    }
    found.retain(|file| file.symlink_metadata().is_ok());
    Some(found)
}

/// Returns what of a repository's folder is not there for programs: what git does not need, and logs in which there is an
/// address with a key, as of `git clone https://user:key@host/`.
pub(super) fn beside_repository(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    let others = entries.filter(|entry| {
        !entry.file_name().to_str().is_some_and(|name| {
            OF_GIT.contains(&name) || OF_GIT_PREFIXES.iter().any(|start| name.starts_with(start))
        })
    });
    let mut found: Vec<PathBuf> = others.map(|entry| entry.path()).collect();
    let of_lfs = fs::read_dir(folder.join("lfs"))
        .into_iter()
        .flatten()
        .flatten();
    let beside = of_lfs.filter(|entry| !OF_LFS.iter().any(|own| entry.file_name() == *own));
    found.extend(beside.map(|entry| entry.path()));
    let logs = folder.join("logs");
    let mut files: Vec<PathBuf> = OF_COMMANDS.iter().map(|name| folder.join(name)).collect();
    files.retain(|file| file.symlink_metadata().is_ok());
    match files_below(&logs) {
        Some(own) => files.extend(own),
        None => found.push(logs),
    }
    found.extend(files.into_iter().filter(|file| is_closed(file)));
    // What the user has run at a commit is there, so that it says no when the program commits.
    let hooks = folder.join("hooks");
    if files_below(&hooks).is_some_and(|own| !own.iter().any(|file| is_closed(file))) {
        found.retain(|path| *path != hooks);
    }
    found
}

/// Returns whether a file may hold a key.
fn is_closed(file: &Path) -> bool {
    let text = crate::regular::text(file, MAX_LOG);
    text.map_or(true, |text| text.lines().any(holds_key))
}

/// Returns the files below a folder, none of them if they are too many.
fn files_below(folder: &Path) -> Option<Vec<PathBuf>> {
    let (mut files, mut left) = (Vec::new(), vec![folder.to_owned()]);
    while let Some(folder) = left.pop() {
        for entry in fs::read_dir(&folder).into_iter().flatten().flatten() {
            match entry.file_type() {
                Ok(kind) if kind.is_dir() => left.push(entry.path()),
                _ => files.push(entry.path()),
            }
        }
        if files.len() + left.len() > MAX_FOLDERS {
            return None;
        }
    }
    Some(files)
}

/// Returns a repository's file with the text in which programs find it, if that is another one.
pub(super) fn without_keys(file: PathBuf) -> Option<(PathBuf, String)> {
    let is_of_git = file.ends_with("config") || file.ends_with("config.worktree");
    let kept = match crate::regular::text(&file, MAX_SETTINGS) {
        Ok(text) if is_of_git => {
            let kept = git_settings(&text);
            (kept != text).then_some(kept)
        }
        Ok(text) => holds_key(&text).then(String::new),
        // What nobody has read is not shown.
        Err(_unreadable) => Some(String::new()),
    };
    Some((file, kept?))
}

/// Returns the files of a toolchain in which it keeps keys.
pub(super) fn private_files(folder: &Path) -> Vec<PathBuf> {
    // Programs are shown one by one, by the hundred.
    if !folder.is_dir() {
        return Vec::new();
    }
    let mut found: Vec<PathBuf> = PRIVATE.iter().map(|name| folder.join(name)).collect();
    for (around, inner) in PRIVATE_EACH {
        let entries = fs::read_dir(folder.join(around))
            .into_iter()
            .flatten()
            .flatten();
        let entries = entries.take(MAX_ENTRIES).map(|entry| entry.path());
        found.extend(entries.map(|entry| match inner {
            "" => entry,
            inner => entry.join(inner),
        }));
    }
    found.retain(|file| file.is_file());
    found
}
