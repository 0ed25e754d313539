//! Git view: a copy of a repository's metadata without its settings.
//!
//! In: the workspace's folder. Out: a folder that stands for the repository's own (`GIT_DIR`). It
//! links to what the repository holds and has a configuration of ours, because a repository's
//! own configuration names programs: filters, hooks, signature checks, file system monitors,
//! transports. Hence none of them is known to git, also those of later versions.

use std::fs;
use std::io;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};

use tempfile::TempDir;

use crate::regular;

/// `HEAD`, `.git` files and their like are no longer, in bytes.
const MAX_POINTER: u64 = 8 * 1024;
/// A configuration is no longer, in bytes.
const MAX_CONFIG: u64 = 1024 * 1024;
/// What git looks at below its folder, for a repository and for a work tree of its own.
const SHARED: [&str; 5] = ["refs", "packed-refs", "reftable", "shallow", "info/exclude"];
/// Settings that say how a repository is stored; with others git reads it wrongly or not at all.
const STORAGE: [&str; 2] = ["objectformat", "refstorage"];

/// Where a repository is.
#[derive(Debug)]
pub struct Repository {
    /// The top of the work tree.
    top: PathBuf,
    /// What belongs to this work tree: `HEAD`, the index.
    own: PathBuf,
    /// What all work trees share: objects and references.
    common: PathBuf,
}

/// A repository as git sees it, until this value is dropped.
#[derive(Debug)]
pub struct View {
    folder: TempDir,
    repository: Repository,
}

impl Repository {
    /// Finds the repository that `root` is in: the nearest `.git` at or above it.
    pub fn find(root: &Path) -> Result<Self, String> {
        let found = root.ancestors().find_map(|top| {
            let git = top.join(".git");
            fs::symlink_metadata(&git).ok().map(|kind| (top, git, kind))
        });
        let Some((top, git, kind)) = found else {
            return Err("this is not a git repository".to_owned());
        };
        let repository = |own: PathBuf, common: PathBuf| Self {
            top: top.to_owned(),
            own,
            common,
        };
        if kind.is_dir() {
            return Ok(repository(git.clone(), git));
        }
        let own = linked(top, &git)
            .ok_or("the .git of this folder points to a repository that does not point back")?;
        let common = match pointer(&own.join("commondir")) {
            Ok(path) => own.join(path).canonicalize(),
            Err(_) => Ok(own.clone()),
        };
        let common = common.map_err(|error| format!("the repository cannot be read: {error}"))?;
        if own.starts_with(&common) {
            Ok(repository(own, common))
        } else {
            Err("the repository of this work tree is elsewhere".to_owned())
        }
    }

    /// Makes the folder that stands for the repository's.
    pub fn view(self) -> io::Result<View> {
        let folder = TempDir::with_prefix("signoff-git-")?;
        let path = folder.path();
        fs::create_dir(path.join("info"))?;
        fs::write(
            path.join("HEAD"),
            regular::text(&self.own.join("HEAD"), MAX_POINTER)?,
        )?;
        for name in SHARED {
            let target = self.common.join(name);
            if fs::symlink_metadata(&target).is_ok() {
                symlink(target, path.join(name))?;
            }
        }
        if !path.join("refs").exists() {
            fs::create_dir(path.join("refs"))?;
        }
        // A split index lies in several files beside each other.
        for entry in fs::read_dir(&self.own)?.flatten() {
            if entry
                .file_name()
                .to_string_lossy()
                .starts_with("sharedindex.")
            {
                symlink(entry.path(), path.join(entry.file_name()))?;
            }
        }
        let config = regular::text(&self.common.join("config"), MAX_CONFIG).unwrap_or_default();
        fs::write(path.join("config"), own_config(&config))?;
        Ok(View {
            folder,
            repository: self,
        })
    }
}

impl View {
    /// Returns the variables by which git finds everything, and that keep it from all else.
    pub fn variables(&self) -> Vec<(String, String)> {
        let Repository { top, own, common } = &self.repository;
        let path = |path: &Path| path.to_string_lossy().into_owned();
        let pairs = [
            ("GIT_DIR", path(self.folder.path())),
            ("GIT_COMMON_DIR", path(self.folder.path())),
            ("GIT_WORK_TREE", path(top)),
            ("GIT_INDEX_FILE", path(&own.join("index"))),
            ("GIT_OBJECT_DIRECTORY", path(&common.join("objects"))),
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
        let owned = |(name, value): (&str, String)| (name.to_owned(), value);
        pairs.into_iter().map(owned).collect()
    }
}

/// Follows a `.git` that is a file: to the folder of a linked work tree or of a submodule. Both
/// know where their work tree is; a folder that does not is somebody else's repository.
fn linked(top: &Path, git: &Path) -> Option<PathBuf> {
    let own = pointer(git).ok()?;
    let own = own.strip_prefix("gitdir:")?.trim();
    let own = top.join(own).canonicalize().ok()?;
    let git = git.canonicalize().ok()?;
    let back = pointer(&own.join("gitdir")).ok();
    let work_tree = back.and_then(|path| own.join(path).canonicalize().ok());
    let submodule = || {
        let mut above = top.ancestors().skip(1);
        above.any(|above| own.starts_with(above.join(".git/modules")))
    };
    (work_tree.as_deref() == Some(&git) || submodule()).then_some(own)
}

/// Reads the one line of a file that names a path.
fn pointer(path: &Path) -> io::Result<String> {
    Ok(regular::text(path, MAX_POINTER)?.trim().to_owned())
}

/// Returns a configuration with nothing of a repository's but how it is stored.
fn own_config(config: &str) -> String {
    let mut section = String::new();
    let mut kept = String::new();
    for line in config.lines().map(str::trim) {
        if let Some(name) = line.strip_prefix('[') {
            section = name
                .split(']')
                .next()
                .unwrap_or_default()
                .trim()
                .to_ascii_lowercase();
        }
        let Some((key, value)) = line.split_once('=') else {
            continue;
        };
        let (key, value) = (key.trim().to_ascii_lowercase(), value.trim());
        let is_word = !value.is_empty() && value.bytes().all(|byte| byte.is_ascii_alphanumeric());
        if section == "extensions" && STORAGE.contains(&key.as_str()) && is_word {
            kept += &format!("\t{key} = {value}\n");
        }
    }
    let version = i32::from(!kept.is_empty());
    format!("[core]\n\trepositoryformatversion = {version}\n\tbare = false\n[extensions]\n{kept}")
}
