//! Reserved folders: signoff's own configuration, state and cache, which are part of no workspace.
//!
//! In: where they are, and the device and inode of what stands there. Out: whether a path, or what stands under it, is one
//! of them or in one. Who looks at the disk asks by both: a path may have other letters on a file system that does not
//! tell them apart, and a folder may be mounted or linked under a second name.
//!
//! ```text
//! reserved: /h/u/.config/signoff            (device 1, inode 7)
//! /h/u/.config/signoff/config.toml          in it, by path
//! /h/u/.Config/SIGNOFF/hooks.json           in it, by path: letters are compared without regard to case
//! /h/u/mnt, device 1, inode 7               it, by what stands there
//! /h/u/.config                              above it: must not become a link or a file
//! ```

use std::collections::BTreeSet;
use std::fmt;
use std::fs::Metadata;
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};
use std::sync::{Arc, LazyLock};

/// Device and inode.
pub type FileIdentity = (u64, u64);

/// Finds files with more than one name, once somebody asks for them.
type LinkedFiles =
    LazyLock<BTreeSet<FileIdentity>, Box<dyn FnOnce() -> BTreeSet<FileIdentity> + Send>>;

/// Folders that belong to signoff itself; cheap to clone.
#[derive(Clone, Default)]
pub struct ReservedFolders(Arc<Reserved>);

struct Reserved {
    folders: Vec<PathBuf>,
    /// Of the folders.
    standing: BTreeSet<FileIdentity>,
    /// Of files in them that have more than one name. Conversations of years are thousands of files, and no start waits
    /// until they were looked through.
    linked: LinkedFiles,
}

impl Default for Reserved {
    fn default() -> Self {
        Self {
            folders: Vec::new(),
            standing: BTreeSet::new(),
            linked: LazyLock::new(Box::new(BTreeSet::new)),
        }
    }
}

impl PartialEq for ReservedFolders {
    fn eq(&self, other: &Self) -> bool {
        self.0.folders == other.0.folders && self.0.standing == other.0.standing
    }
}

impl Eq for ReservedFolders {}

impl fmt::Debug for ReservedFolders {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("ReservedFolders")
            .field(&self.0.folders)
            .finish()
    }
}

impl ReservedFolders {
    /// Returns folders by absolute paths, and what stands there: the folders themselves, and files in them that have more
    /// than one name, which are looked for by the first question that needs them.
    pub fn new(
        folders: Vec<PathBuf>,
        standing: impl IntoIterator<Item = FileIdentity>,
        linked_files: impl FnOnce() -> BTreeSet<FileIdentity> + Send + 'static,
    ) -> Self {
        Self(Arc::new(Reserved {
            folders,
            standing: standing.into_iter().collect(),
            linked: LazyLock::new(Box::new(linked_files)),
        }))
    }

    /// Returns whether files in these folders have other names, which may be anywhere.
    pub fn have_linked_files(&self) -> bool {
        !self.0.linked.is_empty()
    }

    /// Returns the folders.
    pub fn folders(&self) -> &[PathBuf] {
        &self.0.folders
    }

    /// Returns whether an absolute path is that of a reserved folder.
    pub fn is_one(&self, path: &Path) -> bool {
        let mut folders = self.0.folders.iter();
        folders.any(|folder| {
            // Nearly every path that a walk asks about has another name.
            is_name_as_long(folder, path)
                && is_below(path, folder)
                && folder.components().count() == path.components().count()
        })
    }

    /// Returns whether an absolute path is that of a reserved folder or of something in one.
    pub fn holds(&self, path: &Path) -> bool {
        let mut folders = self.0.folders.iter();
        folders.any(|folder| is_below(path, folder))
    }

    /// Returns whether a reserved folder is, or would be, below an absolute path.
    pub fn is_above(&self, path: &Path) -> bool {
        let mut folders = self.0.folders.iter();
        folders.any(|folder| is_below(folder, path) && !is_below(path, folder))
    }

    /// Returns whether what was found is a reserved folder, or a file of one, under another name.
    pub fn has(&self, found: &Metadata) -> bool {
        let identity = (found.dev(), found.ino());
        if found.is_dir() {
            self.0.standing.contains(&identity)
        } else {
            // Most files have one name, and nothing is looked for because of them.
            found.nlink() > 1 && self.0.linked.contains(&identity)
        }
    }

    /// Returns whether [`Self::has`] may be true for something with this inode on some device.
    pub fn may_have(&self, inode: u64) -> bool {
        let mut identities = self.0.standing.iter().chain(self.0.linked.iter());
        identities.any(|(_, own)| *own == inode)
    }
}

/// Returns whether a path is a folder or below it, whatever the case of its letters.
fn is_below(path: &Path, folder: &Path) -> bool {
    let mut parts = path.components();
    folder.components().all(|component| {
        let part = parts.next();
        part.is_some_and(|part| part == component || { lowercase(&part) == lowercase(&component) })
    })
}

fn lowercase(part: &std::path::Component<'_>) -> String {
    part.as_os_str().to_string_lossy().to_lowercase()
}

fn is_name_as_long(one: &Path, other: &Path) -> bool {
    match (one.file_name(), other.file_name()) {
        (Some(one), Some(other)) => one.len() == other.len(),
        (one, other) => one == other,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_in_a_reserved_folder_are_told_in_any_spelling() {
        let reserved = ReservedFolders::new(vec!["/h/u/.config/signoff".into()], [(1, 7)], || {
            BTreeSet::from([(1, 9)])
        });
        for (path, is_one, holds, is_above) in [
            ("/h/u/.config/signoff", true, true, false),
            ("/h/u/.Config/SignOff", true, true, false),
            ("/h/u/.config/signoff/a/b", false, true, false),
            ("/h/u/.config", false, false, true),
            ("/h/U/.CONFIG", false, false, true),
            ("/", false, false, true),
            ("/h/u/.config/signoff2", false, false, false),
            ("/h/u/.config/signofg", false, false, false),
            ("/h/u/signoff", false, false, false),
        ] {
            let path = Path::new(path);
            assert_eq!(reserved.is_one(path), is_one, "{path:?}");
            assert_eq!(reserved.holds(path), holds, "{path:?}");
            assert_eq!(reserved.is_above(path), is_above, "{path:?}");
        }
        assert!(reserved.may_have(7) && reserved.may_have(9) && !reserved.may_have(8));
    }
}
