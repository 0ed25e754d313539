//! What programs left in the layers and is not on the disk yet.
//!
//! ```text
//! signoff run -- ls            leaves nothing, and nothing is waited for
//! signoff run -- cargo build   leaves target/, which is synced before the mark `in-use` goes
//! the power fails meanwhile    the next owner of the layers finds the mark, and clears them
//! ```
//!
//! Overlays are mounted `volatile`: the system syncs nothing of them, neither when a program asks for it nor when they are
//! unmounted. That synced the whole file system of the layers after every program, with all that others write to it. What was
//! written through such a mount is not to be used after a loss of power. Of what programs leave, ignored files, caches and a
//! repository with a proposed commit are used again; texts are in the store by then, and are put into the layer anew.

use std::io;
use std::path::{Path, PathBuf};

use super::UPPER;
use super::beneath::Tree;
use super::new_root::{CACHES, GIT_LAYER};
use super::snapshot::{Time, changed};

/// Maximum number of entries that are looked at, in 3 ms; where there are more, something counts as changed. After a build the
/// layer of Cargo's registry has ten, after a download thousands.
const MAX_ENTRIES: usize = 1_000;

/// What may be in the layers of a slot and not on the disk.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Unsynced {
    /// Nothing.
    Nothing,
    /// What was changed in caches since then.
    Caches(Time),
    /// What was changed in any layer since then.
    Layers(Time),
    /// Something was changed.
    Changed,
}

impl Unsynced {
    /// Returns what it is once a program may run, and had not started before `started`.
    pub(super) fn with_program(self, started: Time) -> Self {
        match self {
            Self::Nothing => Self::Layers(started),
            // What an earlier program left was not looked for since then.
            Self::Caches(earlier) => Self::Layers(earlier),
            Self::Layers(_) | Self::Changed => self,
        }
    }

    /// Returns what it is once it is known whether the program that started then left something in the layer of the workspace
    /// or of the repository.
    pub(super) fn with_left(self, started: Time, is_left: bool) -> Self {
        match self {
            Self::Layers(since) if !is_left && since == started => Self::Caches(since),
            Self::Layers(_) if is_left => Self::Changed,
            other => other,
        }
    }

    /// Writes it to the disk.
    pub(super) fn sync(self, slot: &Tree) -> io::Result<()> {
        if self.is_in(slot) {
            slot.sync()?;
        }
        Ok(())
    }

    /// Returns whether there is something in the layers of a slot, or may be.
    fn is_in(self, slot: &Tree) -> bool {
        let (since, mut layers) = match self {
            Self::Nothing => return false,
            Self::Changed => return true,
            Self::Caches(since) => (since, Vec::new()),
            Self::Layers(since) => (
                since,
                vec![UPPER.into(), Path::new(GIT_LAYER).join("upper")],
            ),
        };
        let caches = Path::new(CACHES);
        match slot.found(caches) {
            Ok(None) => {}
            Ok(Some(_)) => match slot.names(caches) {
                Ok(names) => {
                    let each = names.iter();
                    layers.extend(each.map(|name| caches.join(name).join("upper")));
                }
                Err(_unreadable) => return true,
            },
            Err(_unreadable) => return true,
        }
        is_changed(slot, layers, since).unwrap_or(true)
    }
}

/// Returns whether something below these folders was changed since then, or may have been.
fn is_changed(slot: &Tree, mut left: Vec<PathBuf>, since: Time) -> io::Result<bool> {
    let mut looked_at = 0;
    while let Some(folder) = left.pop() {
        if slot.found(&folder)?.is_none() {
            continue;
        }
        for name in slot.names(&folder)? {
            let path = folder.join(name);
            let metadata = slot.metadata(&path)?;
            looked_at += 1;
            if changed(&metadata) >= since || looked_at > MAX_ENTRIES {
                return Ok(true);
            }
            if metadata.is_dir() {
                left.push(path);
            }
        }
    }
    Ok(false)
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    const PAST: Time = (0, 0);
    const FUTURE: Time = (i64::MAX, 0);

    #[test]
    fn what_later_programs_find_is_waited_for_and_nothing_else() {
        let target = "workspace/upper/target/app";
        let registry = "caches/4f/upper/index";
        for (left, unsynced, expected) in [
            (target, Unsynced::Layers(PAST), true),
            (target, Unsynced::Layers(FUTURE), false),
            (target, Unsynced::Caches(PAST), false),
            (target, Unsynced::Nothing, false),
            (registry, Unsynced::Caches(PAST), true),
            (registry, Unsynced::Caches(FUTURE), false),
            (registry, Unsynced::Layers(PAST), true),
            ("repository/upper/HEAD", Unsynced::Layers(PAST), true),
            ("workspace/work/work", Unsynced::Layers(PAST), false),
            ("proposed.json", Unsynced::Layers(PAST), false),
            ("proposed.json", Unsynced::Changed, true),
        ] {
            let folder = tempfile::tempdir().expect("a folder");
            let at = folder.path().join(left);
            fs::create_dir_all(at.parent().expect("a folder")).expect("folders");
            fs::write(at, "").expect("a file");
            let slot = Tree::open(folder.path()).expect("a tree");
            assert_eq!(unsynced.is_in(&slot), expected, "{left}: {unsynced:?}");
        }
    }

    #[test]
    fn more_than_can_be_looked_at_is_waited_for() {
        let folder = tempfile::tempdir().expect("a folder");
        let upper = folder.path().join(UPPER);
        fs::create_dir_all(&upper).expect("folders");
        let slot = Tree::open(folder.path()).expect("a tree");
        for number in 0..=MAX_ENTRIES {
            fs::write(upper.join(number.to_string()), "").expect("a file");
        }
        assert!(Unsynced::Layers(FUTURE).is_in(&slot));
        fs::remove_file(upper.join("0")).expect("a file less");
        assert!(!Unsynced::Layers(FUTURE).is_in(&slot));
    }

    #[test]
    fn what_an_earlier_program_left_is_not_forgotten() {
        let (first, second) = ((1, 0), (2, 0));
        let one = Unsynced::Nothing.with_program(first);
        let none_left = one.with_left(first, false);
        let two = none_left.with_program(second);
        for (state, expected) in [
            (one, Unsynced::Layers(first)),
            (one.with_left(first, true), Unsynced::Changed),
            (one.with_program(second), Unsynced::Layers(first)),
            (none_left, Unsynced::Caches(first)),
            (two, Unsynced::Layers(first)),
            (two.with_left(second, false), Unsynced::Layers(first)),
            (two.with_left(second, true), Unsynced::Changed),
            (Unsynced::Changed.with_program(second), Unsynced::Changed),
        ] {
            assert_eq!(state, expected);
        }
    }
}
