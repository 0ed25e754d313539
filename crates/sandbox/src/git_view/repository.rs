//! Finds the repository around a workspace.
//!
//! In: a folder. Out: where its index and `HEAD` are, and where objects and references. A `.git` file is
//! followed only to a repository that knows this work tree: `worktrees/NAME/gitdir` of a linked work
//! tree, `core.worktree` of a submodule. Whatever else leads somewhere is not followed.

use std::path::{Path, PathBuf};

use super::ownership;
use super::plain;
use super::view::View;
use crate::regular;

/// `HEAD`, references, `.git` files and their like are no longer, in bytes: a path, and a word before it.
pub(crate) const MAX_POINTER: u64 = 8 * 1024;
/// A configuration is no longer, in bytes: a program could leave one without an end.
const MAX_CONFIG: u64 = 1024 * 1024;

/// Where a repository is.
#[derive(Debug)]
pub(crate) struct Repository {
    /// The top of the work tree.
    pub(crate) top: PathBuf,
    /// What belongs to this work tree: `HEAD`, the index.
    pub(crate) own: PathBuf,
    /// What all work trees share: objects and references.
    pub(crate) common: PathBuf,
}

impl Repository {
    /// Finds the repository that `root` is in: the nearest `.git` at or above it. One of another user is not used.
    pub(crate) fn find(root: &Path) -> Result<Self, String> {
        let found = Self::locate(root)?;
        ownership::refusal(&found).map_or(Ok(found), Err)
    }

    /// Finds it, whosever it is.
    pub(super) fn locate(root: &Path) -> Result<Self, String> {
        let mut above = root.ancestors();
        let found = above.find(|top| std::fs::symlink_metadata(top.join(".git")).is_ok());
        let top = found.ok_or("this is not a git repository")?.to_owned();
        let git = top.join(".git");
        if plain::kind(&git)?.is_some_and(|kind| kind.is_dir()) {
            return Ok(Self {
                top,
                own: git.clone(),
                common: git,
            });
        }
        let linked = linked(&top, &git)?;
        linked.ok_or_else(|| {
            "the .git of this folder points to a repository that does not point back".to_owned()
        })
    }

    /// Returns what is checked out: `ref: NAME` or the hash of a commit.
    pub(crate) fn head(&self) -> Result<String, String> {
        let path = self.own.join("HEAD");
        let head = line(&path)?.ok_or_else(|| plain::refused(&path, "does not exist"))?;
        let is_plain = !head.chars().any(char::is_control);
        let is_hash = !head.is_empty() && head.bytes().all(|byte| byte.is_ascii_hexdigit());
        match head.strip_prefix("ref:").map(str::trim) {
            Some(name) if is_plain && name.starts_with("refs/") => Ok(format!("ref: {name}")),
            None if is_hash => Ok(head),
            _ => Err(plain::refused(&path, "names neither a branch nor a commit")),
        }
    }

    /// Returns the configuration, which nobody trusts: of all work trees, and behind it that of this one.
    pub(crate) fn config(&self) -> Result<String, String> {
        let shared = config(&self.common)?;
        let has_own = settings(&shared).any(|(section, key, value)| {
            section == "extensions" && key == "worktreeconfig" && value == "true"
        });
        if !has_own {
            return Ok(shared);
        }
        let own = text(&self.own.join("config.worktree"), MAX_CONFIG)?;
        Ok(shared + "\n" + &own.unwrap_or_default())
    }

    /// Returns git's folders of the repository's other work trees, each with the path of the work tree.
    pub(super) fn others(&self) -> Result<Vec<(PathBuf, PathBuf)>, String> {
        let mut others = Vec::new();
        let top = self.common.parent().unwrap_or(&self.common).to_owned();
        let (own, common) = (self.common.clone(), self.common.clone());
        let main = Self { top, own, common };
        if self.own != main.own && !is_bare(&main.config()?) {
            others.push((main.own, main.top));
        }
        let shelf = self.common.join("worktrees");
        if !plain::folder(&shelf)? {
            return Ok(others);
        }
        for own in plain::entries(&shelf, &mut 0)? {
            let is_other = own != self.own && plain::folder(&own)?;
            if is_other && let Some(git) = line(&own.join("gitdir"))? {
                let top = own.join(git).parent().map(Path::to_owned);
                others.push((own, top.unwrap_or_default()));
            }
        }
        Ok(others)
    }

    /// Returns a folder of the work tree below its top: nothing, or with a slash at its end.
    pub(crate) fn below_top(&self, root: &Path) -> Result<String, String> {
        let below = root.strip_prefix(&self.top).ok().and_then(Path::to_str);
        Ok(
            match below.ok_or("the workspace is not in the work tree")? {
                "" => String::new(),
                below => format!("{below}/"),
            },
        )
    }

    /// Makes the folder that stands for the repository's.
    pub(crate) fn view(self) -> Result<View, String> {
        View::of(self)
    }
}

/// Follows a `.git` that is a file: to the folder of a linked work tree or of a submodule. Both
/// know where their work tree is; a folder that does not is somebody else's repository.
fn linked(top: &Path, git: &Path) -> Result<Option<Repository>, String> {
    let Some(line) = line(git)? else {
        return Ok(None);
    };
    let own = line.strip_prefix("gitdir:").map(str::trim);
    let own = own.and_then(|own| top.join(own).canonicalize().ok());
    let (Some(own), Ok(real_top)) = (own, top.canonicalize()) else {
        return Ok(None);
    };
    let top = top.to_owned();
    if let Some(common) = worktree_of(&own, &real_top.join(".git"))? {
        return Ok(Some(Repository { top, own, common }));
    }
    let mut above = real_top.ancestors().skip(1);
    let is_below = above.any(|above| own.starts_with(above.join(".git/modules")));
    if is_below && worktree(&config(&own)?).is_some_and(|tree| points_to(&own, &tree, &real_top)) {
        let common = own.clone();
        return Ok(Some(Repository { top, own, common }));
    }
    Ok(None)
}

/// Returns the repository of a linked work tree, if `own` is `worktrees/NAME` in it and names `git`.
fn worktree_of(own: &Path, git: &Path) -> Result<Option<PathBuf>, String> {
    let shelf = own.parent().filter(|shelf| shelf.ends_with("worktrees"));
    let Some(common) = shelf.and_then(Path::parent) else {
        return Ok(None);
    };
    let is_known = names(own, "gitdir", git)? && names(own, "commondir", common)?;
    Ok(is_known.then(|| common.to_owned()))
}

/// Returns whether a file of git's folder `own` has one line, which leads to `target`.
fn names(own: &Path, file: &str, target: &Path) -> Result<bool, String> {
    let line = line(&own.join(file))?;
    Ok(line.is_some_and(|line| points_to(own, &line, target)))
}

/// Tells whether a path, relative to `from`, is `target`.
fn points_to(from: &Path, path: &str, target: &Path) -> bool {
    from.join(path).canonicalize().ok().as_deref() == Some(target)
}

/// Returns whether a configuration says that there is no work tree beside git's folder.
fn is_bare(config: &str) -> bool {
    let found = settings(config).filter(|(section, key, _)| section == "core" && key == "bare");
    found.last().is_some_and(|(.., value)| value == "true")
}

/// Reads a file of one line, no link; none if there is no such file.
pub(super) fn line(path: &Path) -> Result<Option<String>, String> {
    let text = text(path, MAX_POINTER)?;
    Ok(text.map(|text| text.trim().to_owned()))
}

fn config(folder: &Path) -> Result<String, String> {
    Ok(text(&folder.join("config"), MAX_CONFIG)?.unwrap_or_default())
}

fn text(path: &Path, most: u64) -> Result<Option<String>, String> {
    if !plain::file(path, most)? {
        return Ok(None);
    }
    regular::text(path, most)
        .map(Some)
        .map_err(|error| plain::refused(path, &format!("cannot be read ({error})")))
}

/// Returns `core.worktree` of a configuration.
fn worktree(config: &str) -> Option<String> {
    let found = settings(config).filter(|(section, key, _)| section == "core" && key == "worktree");
    found
        .last()
        .map(|(.., value)| value.trim_matches('"').to_owned())
}

/// Returns the settings of a configuration: section, key, value.
pub(crate) fn settings(config: &str) -> impl Iterator<Item = (String, String, &str)> {
    let mut section = String::new();
    config.lines().map(str::trim).filter_map(move |line| {
        if let Some(name) = line.strip_prefix('[') {
            let name = name.split(']').next().unwrap_or_default();
            section = name.trim().to_ascii_lowercase();
        }
        let (key, value) = line.split_once('=')?;
        Some((
            section.clone(),
            key.trim().to_ascii_lowercase(),
            value.trim(),
        ))
    })
}
