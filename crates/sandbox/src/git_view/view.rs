//! The folder that stands for a repository's own (`GIT_DIR`).
//!
//! In: a repository. Out: a temporary folder that links to the files that git needs, each looked at before,
//! and a configuration of ours: a repository's own names programs, as filters, hooks, signature
//! checks, file system monitors, transports. What only makes git faster is left out: commit graphs,
//! indexes over several packs, bitmaps. So are replacements, grafts and attributes.

use std::fs;
use std::io;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};

use super::plain::{self, refused};
use super::repository::{MAX_POINTER, Repository, settings};
use crate::regular;
use crate::scratch::{ScratchFolder, ScratchUse};

/// `packed-refs`, `shallow` and the tables of references are no longer, in bytes: 1,000,000 references.
const MAX_REFERENCES: u64 = 128 * 1024 * 1024;
/// An index is no longer, in bytes: that of 1,000,000 files.
const MAX_INDEX: u64 = 256 * 1024 * 1024;
/// `info/exclude` is no longer, in bytes; a longer one ignores nothing.
const MAX_EXCLUDE: u64 = 64 * 1024;
/// The folder, in one that stands for a repository's, of what a linked work tree keeps in tables: `HEAD` and its log.
pub(crate) const OF_WORK_TREE: &str = "work-tree";
/// Settings that say how a repository is stored; with others git reads it wrongly or not at all.
const STORAGE: [&str; 2] = ["objectformat", "refstorage"];
/// What git does by itself, and must not where the repository has a say in it.
const OWN_CONFIG: &str = "\
[core]
\tbare = false
\tbigFileThreshold = 32m
\tfsmonitor = false
\tuntrackedCache = false
\tcommitGraph = false
\tmultiPackIndex = false
\thooksPath = /dev/null
[diff]
\tignoreSubmodules = all
[log]
\tmailmap = false
\tshowSignature = false
[status]
\tsubmoduleSummary = false
[submodule]
\trecurse = false
";

/// A repository as git sees it, until this value is dropped.
#[derive(Debug)]
pub(crate) struct View {
    folder: ScratchFolder,
    /// What of it is this work tree's: the whole, unless references of its own are in tables.
    git_dir: PathBuf,
    top: PathBuf,
    index: PathBuf,
}

impl View {
    /// Makes the folder.
    pub(crate) fn of(repository: Repository) -> Result<Self, String> {
        let made = ScratchFolder::new(ScratchUse::View);
        let folder = made.map_err(|error| unmade(&error))?;
        let Repository { own, common, .. } = &repository;
        let at = folder.path();
        write(at, "HEAD", &(repository.head()? + "\n"))?;
        write(at, "config", &own_config(&repository.config()?))?;
        if plain::folders(&common.join("refs"), MAX_POINTER)? {
            link(at, "refs", common)?;
        } else {
            make(&at.join("refs"))?;
        }
        if plain::folders(&common.join("reftable"), MAX_REFERENCES)? {
            link(at, "reftable", common)?;
        }
        for name in ["packed-refs", "shallow"] {
            if plain::file(&common.join(name), MAX_REFERENCES)? {
                link(at, name, common)?;
            }
        }
        make(&at.join("info"))?;
        let exclude = common.join("info/exclude");
        let is_own = plain::folder(&common.join("info")) == Ok(true)
            && plain::file(&exclude, MAX_EXCLUDE) == Ok(true);
        if is_own && let Ok(text) = regular::text(&exclude, MAX_EXCLUDE) {
            write(at, "info/exclude", &text)?;
        }
        objects(&common.join("objects"), &at.join("objects"))?;
        // A split index lies in several files beside each other.
        for path in plain::entries(own, &mut 0)? {
            let name = path.file_name().unwrap_or_default().to_string_lossy();
            if name.starts_with("sharedindex.") && plain::file(&path, MAX_INDEX)? {
                link(at, &name, own)?;
            }
        }
        let index = own.join("index");
        plain::file(&index, MAX_INDEX)?;
        let is_linked = own != common && plain::folders(&own.join("reftable"), MAX_REFERENCES)?;
        let git_dir = if is_linked {
            let of_tree = at.join(OF_WORK_TREE);
            make(&of_tree)?;
            write(&of_tree, "HEAD", &(repository.head()? + "\n"))?;
            write(&of_tree, "commondir", "..\n")?;
            link(&of_tree, "reftable", own)?;
            of_tree
        } else {
            at.to_owned()
        };
        let top = repository.top;
        Ok(Self {
            folder,
            git_dir,
            top,
            index,
        })
    }

    /// Copies the index, which may change from now on.
    pub(crate) fn keep_index(&mut self) -> Result<(), String> {
        let kept = self.folder.path().join("index");
        match fs::copy(&self.index, &kept) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(unmade(&error)),
            // Without one, nothing is in it.
            _ => {}
        }
        self.index = kept;
        Ok(())
    }

    /// Returns the folder that stands for the repository's.
    pub(crate) fn folder(&self) -> &Path {
        self.folder.path()
    }

    /// Gives another folder that git takes for a repository's the same configuration.
    pub(super) fn share_config(&self, folder: &Path) -> Result<(), String> {
        let shared = fs::copy(self.folder.path().join("config"), folder.join("config"));
        shared.map(drop).map_err(|error| unmade(&error))
    }

    /// Returns the top of the work tree.
    pub(crate) fn top(&self) -> &Path {
        &self.top
    }

    /// Returns the variables by which git finds everything, and that keep it from all else.
    pub(crate) fn variables(&self) -> Vec<(String, String)> {
        let folder = self.folder.path();
        let pairs = [
            ("GIT_DIR", lossy(&self.git_dir)),
            ("GIT_COMMON_DIR", lossy(folder)),
            ("GIT_WORK_TREE", lossy(&self.top)),
            ("GIT_INDEX_FILE", lossy(&self.index)),
            ("GIT_OBJECT_DIRECTORY", lossy(&folder.join("objects"))),
            ("GIT_ALTERNATE_OBJECT_DIRECTORIES", String::new()),
            ("GIT_NO_REPLACE_OBJECTS", "1".to_owned()),
            ("GIT_CONFIG_GLOBAL", "/dev/null".to_owned()),
            ("GIT_CONFIG_SYSTEM", "/dev/null".to_owned()),
            ("GIT_CONFIG_NOSYSTEM", "1".to_owned()),
            ("GIT_CONFIG_COUNT", "0".to_owned()),
            ("GIT_ATTR_NOSYSTEM", "1".to_owned()),
            ("GIT_LITERAL_PATHSPECS", "1".to_owned()),
            ("GIT_OPTIONAL_LOCKS", "0".to_owned()),
            ("GIT_NO_LAZY_FETCH", "1".to_owned()),
            ("GIT_ALLOW_PROTOCOL", String::new()),
            ("GIT_TERMINAL_PROMPT", "0".to_owned()),
        ];
        pairs
            .into_iter()
            .map(|(name, value)| (name.to_owned(), value))
            .collect()
    }
}

fn lossy(path: &Path) -> String {
    path.to_string_lossy().into_owned()
}

/// Links to the objects of a repository, packed and single, and to nothing by which others are found.
fn objects(theirs: &Path, ours: &Path) -> Result<(), String> {
    make(ours)?;
    make(&ours.join("pack"))?;
    if !plain::folder(theirs)? {
        return Err(refused(theirs, "does not exist"));
    }
    // An empty list borrows nothing; one that cannot be looked at is in a folder that git is not shown.
    let alternates = theirs.join("info/alternates");
    if fs::symlink_metadata(&alternates).is_ok_and(|found| found.len() > 0 || !found.is_file()) {
        let why = "borrows objects of another repository, which is not followed";
        return Err(refused(&alternates, why));
    }
    let mut seen = 0;
    for path in plain::entries(theirs, &mut seen)? {
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        let is_shelf = name.len() == 2 && name.bytes().all(|byte| byte.is_ascii_hexdigit());
        if is_shelf && plain::flat(&path, &mut seen)? {
            link(ours, &name, theirs)?;
        }
    }
    let packs = theirs.join("pack");
    if !plain::folder(&packs)? {
        return Ok(());
    }
    for path in plain::entries(&packs, &mut seen)? {
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        let is_pack = name.ends_with(".pack") || name.ends_with(".idx");
        if is_pack && plain::file(&path, u64::MAX)? {
            link(&ours.join("pack"), &name, &packs)?;
        }
    }
    Ok(())
}

fn unmade(error: &io::Error) -> String {
    format!("no folder can be made for git to look at: {error}")
}

fn make(path: &Path) -> Result<(), String> {
    fs::create_dir(path).map_err(|error| unmade(&error))
}

fn write(folder: &Path, name: &str, text: &str) -> Result<(), String> {
    fs::write(folder.join(name), text).map_err(|error| unmade(&error))
}

fn link(folder: &Path, name: &str, theirs: &Path) -> Result<(), String> {
    symlink(theirs.join(name), folder.join(name)).map_err(|error| unmade(&error))
}

/// Returns a configuration with nothing of a repository's but how it is stored.
fn own_config(config: &str) -> String {
    let mut kept = String::new();
    for (section, key, value) in settings(config) {
        let is_word = !value.is_empty() && value.bytes().all(|byte| byte.is_ascii_alphanumeric());
        if section == "extensions" && STORAGE.contains(&key.as_str()) && is_word {
            kept += &format!("\t{key} = {value}\n");
        }
    }
    let version = i32::from(!kept.is_empty());
    format!("{OWN_CONFIG}[core]\n\trepositoryformatversion = {version}\n[extensions]\n{kept}")
}
