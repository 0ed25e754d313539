//! The folders of a workspace, each with a stamp that changes when a file is made in it, removed or renamed.
//!
//! In: a walk. Out: [`Folders`], kept beside the segments. Where none changed, the files of the workspace are
//! those that the index has. Ignore rules outside of the workspace are looked at as folders are.

use std::fs;
use std::path::Path;
use std::time::SystemTime;

use super::listing::stamp;
use crate::codec::{Reader, checksum, put_number, put_text};

/// Stands for something that is not there.
const ABSENT: u64 = 2;

/// The folders of a workspace.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Folders {
    /// The ids of base and tail that have the files of these folders.
    pub(super) of: (u64, u64),
    /// Folders relative to the workspace, and files with rules by their whole path.
    entries: Vec<(Box<str>, u64)>,
}

impl Folders {
    /// Adds the ignore rules around a workspace to its folders.
    pub(super) fn of(root: &Path, mut entries: Vec<(Box<str>, u64)>) -> Self {
        let now = SystemTime::now();
        let repository = root.ancestors().find(|above| above.join(".git").exists());
        for above in root
            .ancestors()
            .take_while(|above| repository.is_some_and(|top| above.starts_with(top)))
        {
            for name in [".gitignore", ".ignore", ".git/info/exclude"] {
                let rules = above.join(name);
                if let Some(path) = rules.to_str() {
                    entries.push((path.into(), stamp_at(&rules, now)));
                }
            }
        }
        Self {
            of: (0, 0),
            entries,
        }
    }

    /// Returns whether nothing was made in the folders, removed or renamed.
    pub(super) fn are_as_they_were(&self, root: &Path) -> bool {
        let now = SystemTime::now();
        self.entries
            .iter()
            .all(|(path, known)| *known != 0 && stamp_at(&root.join(&**path), now) == *known)
    }

    pub(super) fn load(file: &Path) -> Option<Self> {
        Self::decode(&fs::read(file).ok()?)
    }

    pub(super) fn encode(&self) -> Vec<u8> {
        let mut out = Vec::new();
        put_number(&mut out, self.of.0);
        put_number(&mut out, self.of.1);
        for (path, stamp) in &self.entries {
            put_text(&mut out, path);
            out.extend_from_slice(&stamp.to_le_bytes());
        }
        out.extend_from_slice(&checksum(&out).to_le_bytes());
        out
    }

    fn decode(bytes: &[u8]) -> Option<Self> {
        let (body, sum) = bytes.split_last_chunk::<8>()?;
        if u64::from_le_bytes(*sum) != checksum(body) {
            return None;
        }
        let mut reader = Reader(body);
        let mut folders = Self {
            of: (reader.number()?, reader.number()?),
            entries: Vec::new(),
        };
        while !reader.0.is_empty() {
            folders
                .entries
                .push((reader.text()?.into(), reader.word()?));
        }
        Some(folders)
    }
}

fn stamp_at(path: &Path, now: SystemTime) -> u64 {
    path.symlink_metadata()
        .map_or(ABSENT, |metadata| stamp(&metadata, now))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn folders_are_read_back_as_they_were_written() {
        let folders = Folders {
            of: (1, 2),
            entries: vec![("a".into(), 3), ("".into(), 0)],
        };
        assert_eq!(Folders::decode(&folders.encode()), Some(folders));
        assert_eq!(Folders::decode(b""), None);
    }
}
