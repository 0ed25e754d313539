//! Workspace paths, which cannot lead out.
//!
//! In: a path as a model or a user wrote it. Out: [`WorkspacePath`]: relative, normal, with
//! `/` between components. Symbolic links are looked at where the path is used.
//!
//! **Invariant:** signoff's own folders are part of no workspace. `DiskWorkspace` refuses them where a path is
//! resolved and where a folder is opened to be written, and every walk (`sandbox/ignored`), question to git and copy
//! leaves them out (`docs/decisions/0042`).
//!
//! **Invariant:** `git_folder` is the one place that knows the names of git's folder: `.git` in any case, with
//! invisible characters in it, with blanks, dots or `:stream` at its end, `git~1`, behind `/` or `\`.

use std::fmt;
use std::path::Path;

pub mod git_folder;
pub mod reserved;

use git_folder::is_in_git_folder;

/// Bytes of a path that are taken: `PATH_MAX` of Linux, beyond which no call takes it.
const MAX_PATH_BYTES: usize = 4096;

/// A path relative to the workspace that cannot lead out of it by its own components.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, serde::Serialize)]
#[serde(transparent)]
pub struct WorkspacePath(String);

/// Why a path is refused.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum PathError {
    /// There is nothing to name.
    #[error("the path is empty")]
    Empty,
    /// An absolute path, or more `..` than folders.
    #[error("{} leads out of the workspace", crate::quote::name(.path))]
    Outside {
        /// As it was given.
        path: String,
    },
    /// A symbolic link on the way points out.
    #[error("{} leads out of the workspace through a symbolic link", crate::quote::name(.path))]
    Link {
        /// As it was given.
        path: String,
    },
    /// A part of the path became a symbolic link since all of them were resolved.
    #[error("{} leads to another place now: a part of it became a symbolic link", crate::quote::name(.path))]
    Relinked {
        /// The path.
        path: String,
    },
    /// Git's own files, which could make git run anything.
    #[error("{} belongs to git and is not edited", crate::quote::name(.path))]
    Git {
        /// As it was given.
        path: String,
    },
    /// A folder of signoff's own, which is part of no workspace: its settings say which programs signoff runs.
    #[error(
        "{} belongs to signoff itself: its settings, its state and its cache are neither read nor written as files of a \
         workspace. To change a setting, the user edits the file with an editor", crate::quote::name(.path)
    )]
    Reserved {
        /// As it was given.
        path: String,
    },
    /// A folder around one of signoff's own: a link or a file there would put another folder in that one's place.
    #[error(
        "{} is a folder that signoff's own settings or state are in; it stays a folder where it is", crate::quote::name(.path)
    )]
    AroundReserved {
        /// As it was given.
        path: String,
    },
    /// NUL bytes or an absurd length.
    #[error("the path is not one that a file can have")]
    Malformed,
}

impl WorkspacePath {
    /// Takes a path as it was written. `root` is the workspace: an absolute path below it is
    /// taken as relative to it.
    pub fn parse(text: &str, root: &Path) -> Result<Self, PathError> {
        if text.trim().is_empty() {
            return Err(PathError::Empty);
        }
        if text.len() > MAX_PATH_BYTES || text.contains('\0') {
            return Err(PathError::Malformed);
        }
        let relative = match text.strip_prefix('/') {
            None => text,
            Some(_) => {
                let inside = Path::new(text)
                    .strip_prefix(root)
                    .map_err(|_not_below| outside(text))?;
                inside.to_str().ok_or(PathError::Malformed)?
            }
        };
        let mut parts: Vec<&str> = Vec::new();
        for part in relative.split('/') {
            match part {
                "" | "." => {}
                ".." => drop(parts.pop().ok_or_else(|| outside(text))?),
                name => parts.push(name),
            }
        }
        let path = parts.join("/");
        // What reads as nothing could be written down, but never found again.
        if !path.is_empty() && path.trim().is_empty() {
            return Err(PathError::Malformed);
        }
        Ok(Self(path))
    }

    /// Returns the workspace folder itself.
    pub fn root() -> Self {
        Self(String::new())
    }

    /// Returns the path as text; empty for the workspace itself.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// Returns the path as a person reads it; `.` for the workspace itself.
    pub fn shown(&self) -> &str {
        if self.0.is_empty() { "." } else { &self.0 }
    }

    /// Returns the folder that the path is in.
    pub fn parent(&self) -> Self {
        Self(
            self.0
                .rsplit_once('/')
                .map(|(folder, _)| folder.to_owned())
                .unwrap_or_default(),
        )
    }

    /// Returns the folders that the path is in, deepest first; not the workspace itself.
    pub fn folders(&self) -> impl Iterator<Item = Self> {
        std::iter::successors(inside(self.parent()), move |folder| inside(folder.parent()))
    }

    /// Returns the last component.
    pub fn name(&self) -> &str {
        self.0.rsplit_once('/').map_or(&self.0, |(_, name)| name)
    }

    /// Returns the last component's extension in lower case, if it has one.
    pub fn extension(&self) -> Option<String> {
        self.name()
            .rsplit_once('.')
            .map(|(_, extension)| extension.to_lowercase())
    }

    /// Refuses what must not be edited whatever the user approves: the workspace itself and
    /// git's own files.
    pub fn editable(&self) -> Result<(), PathError> {
        if self.0.is_empty() {
            return Err(PathError::Empty);
        }
        if is_in_git_folder(&self.0) {
            return Err(PathError::Git {
                path: self.0.clone(),
            });
        }
        Ok(())
    }
}

fn outside(text: &str) -> PathError {
    PathError::Outside {
        path: text.to_owned(),
    }
}

fn inside(folder: WorkspacePath) -> Option<WorkspacePath> {
    Some(folder).filter(|folder| !folder.0.is_empty())
}

impl fmt::Display for WorkspacePath {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.shown())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_are_made_normal_or_refused() {
        let parse = |text: &str| WorkspacePath::parse(text, Path::new("/w/s"));
        let ok = |text: &str, path: &str| assert_eq!(parse(text).unwrap().as_str(), path, "{text}");
        ok("a/b.rs", "a/b.rs");
        ok("./a//b/../c", "a/c");
        ok("/w/s/a", "a");
        ok(".", "");
        let out = |text: &str| assert!(matches!(parse(text), Err(PathError::Outside { .. })));
        out("..");
        out("a/../../b");
        out("/etc/passwd");
        out("/w/s2/a");
        out("/w/s/../x");
        assert_eq!(parse(" "), Err(PathError::Empty));
        assert_eq!(parse("./ "), Err(PathError::Malformed));
        assert_eq!(parse("a\0b"), Err(PathError::Malformed));
    }

    #[test]
    fn git_folders_are_not_edited() {
        let editable = |text: &str| {
            WorkspacePath::parse(text, Path::new("/w"))
                .unwrap()
                .editable()
        };
        assert!(editable(".git/hooks/pre-commit").is_err());
        assert!(editable("sub/.GIT/config").is_err());
        assert!(editable("sub\\.g\u{200c}it /config").is_err());
        assert!(editable(".gitignore").is_ok());
        assert!(editable(".").is_err());
    }
}
