//! What git has under way in a repository, as the files that say so.
//!
//! ```text
//! git merge topic      CONFLICT    .git/MERGE_HEAD, MERGE_MSG, MERGE_MODE, AUTO_MERGE
//! git commit                       none of them
//! ```
//!
//! In: git's folder. Out: which operation is under way, with the bytes of its files, so that one that a program ended is ended
//! in the repository, and begun again where that is taken back.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use super::plain;
use crate::regular;

/// What git leaves while something is under way, and its word for it.
pub(crate) const UNDER_WAY: [(&str, &str); 5] = [
    ("MERGE_HEAD", "merge"),
    ("rebase-merge", "rebase"),
    ("rebase-apply", "rebase"),
    ("CHERRY_PICK_HEAD", "cherry-pick"),
    ("REVERT_HEAD", "revert"),
];
/// What else it leaves with one of these.
const BESIDE: [&str; 6] = [
    "MERGE_MSG",
    "MERGE_MODE",
    "MERGE_RR",
    "AUTO_MERGE",
    "REBASE_HEAD",
    "sequencer",
];
/// Maximum number of files of an operation, and of their bytes together: a rebase of 1,000 commits has a few dozen files of 100
/// KB.
const MAX_FILES: usize = 1_000;
const MAX_BYTES: u64 = 4 << 20;

/// An operation of git that is under way.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct UnderWay {
    /// Git's word for it: `merge`.
    pub what: String,
    /// The bytes of its files, by path below git's folder.
    pub files: BTreeMap<String, Vec<u8>>,
}

/// What becomes of an operation that is under way.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum UnderWayStep {
    /// A program ended it.
    Ends(UnderWay),
    /// The end is taken back.
    Begins(UnderWay),
}

impl UnderWayStep {
    /// Returns the step that takes this one back.
    pub fn reversed(&self) -> Self {
        match self {
            Self::Ends(own) => Self::Begins(own.clone()),
            Self::Begins(own) => Self::Ends(own.clone()),
        }
    }

    /// Says what becomes of it.
    pub(super) fn line(&self) -> String {
        match self {
            Self::Ends(own) => format!("the {} that is under way ends", own.what),
            Self::Begins(own) => format!("the {} is under way again", own.what),
        }
    }
}

impl UnderWay {
    /// Reads what is under way in a repository; `own` is git's folder of the work tree.
    ///
    /// # Errors
    ///
    /// Fails if a file cannot be read, is no regular file, or is too large.
    pub(crate) fn read(own: &Path) -> Result<Option<Self>, String> {
        let mut known = UNDER_WAY.iter();
        let found = known.find(|(name, _)| own.join(name).symlink_metadata().is_ok());
        let Some((_, what)) = found else {
            return Ok(None);
        };
        let marks = UNDER_WAY.iter().map(|(name, _)| *name);
        let mut left: Vec<PathBuf> = marks.chain(BESIDE).map(PathBuf::from).collect();
        let (mut files, mut bytes) = (BTreeMap::new(), 0);
        while let Some(path) = left.pop() {
            let at = own.join(&path);
            let Some(found) = plain::kind(&at)? else {
                continue;
            };
            if found.is_dir() {
                let names = fs::read_dir(&at).map_err(|error| format!("{at:?}: {error}"))?;
                let names = names.flatten().map(|entry| path.join(entry.file_name()));
                left.extend(names);
                continue;
            }
            bytes += found.len();
            if files.len() == MAX_FILES || bytes > MAX_BYTES {
                return Err(format!("the {what} that is under way has too many files"));
            }
            let text = regular::read(&at, MAX_BYTES).map_err(|error| format!("{at:?}: {error}"))?;
            let name = path.to_str().ok_or("a name is not UTF-8")?;
            files.insert(name.to_owned(), text);
        }
        Ok(Some(Self {
            what: (*what).to_owned(),
            files,
        }))
    }

    /// Returns whether the same operation is under way, as far as it was then.
    pub(crate) fn is(&self, other: Option<&Self>) -> bool {
        other == Some(self)
    }

    /// Returns the names at the top of git's folder that an operation may have.
    pub(crate) fn names() -> impl Iterator<Item = &'static str> {
        UNDER_WAY.iter().map(|(name, _)| *name).chain(BESIDE)
    }
}
