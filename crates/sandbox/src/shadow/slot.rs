//! Slots: the layers of one program at a time.
//!
//! ```text
//! layers/user/0    a program of the user's runs here
//! layers/user/1    a second one at the same time
//! layers/model/0   the model's commands, which the user's never meet
//! layers/trash     what is being removed
//! ```
//!
//! A program takes the free slot that was used last, so that builds go on where they were. What is in a slot that its owner
//! left without a word, because it was killed or the power failed, is not used again: a process that is just ending may still
//! write to it, and what was written may not be on the disk.

use std::cell::Cell;
use std::cmp::Reverse;
use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use rustix::fs::{FlockOperation, flock};
use rustix::io::Errno;

use super::beneath::{PRIVATE, Tree};
use super::discard;
use super::program_terminal::QUESTIONS;
use super::setup::Origin;
use super::snapshot::Time;
use super::unsynced::Unsynced;
use super::way_out::HANDOVER;

/// The file that is locked while a slot is in use.
const LOCK: &str = "lock";
/// The file that is there while a slot is in use, and stays where its owner was killed or the machine stopped.
const IN_USE: &str = "in-use";
/// Programs of one origin that run at once.
const MOST: usize = 64;

/// A folder of layers that this process alone uses.
#[derive(Debug)]
pub(super) struct Slot {
    path: PathBuf,
    folder: Tree,
    trash: Tree,
    /// Whether nothing stays in it.
    is_emptied: bool,
    /// Whether no program is to run in it: it stays as old as it is.
    is_looked_at: bool,
    /// What programs left in it that is not on the disk.
    unsynced: Cell<Unsynced>,
    lock: File,
}

impl Slot {
    /// Takes a free slot.
    pub(super) fn take(layers: &Path, origin: Origin) -> io::Result<Self> {
        let all = Tree::make(layers)?;
        let trash = all.make_below(Path::new("trash"), PRIVATE)?;
        discard::in_background(&trash);
        let own = all.make_below(Path::new(origin.folder()), PRIVATE)?;
        for name in candidates(&own)? {
            let folder = own.make_below(&name, PRIVATE)?;
            let lock = folder.lock_file(Path::new(LOCK))?;
            match flock(&lock, FlockOperation::NonBlockingLockExclusive) {
                Err(Errno::WOULDBLOCK) => continue,
                locked => locked?,
            }
            let slot = Self {
                path: layers.join(origin.folder()).join(name),
                folder,
                trash,
                is_emptied: false,
                is_looked_at: false,
                unsynced: Cell::new(Unsynced::Nothing),
                lock,
            };
            if [IN_USE, super::FULL].iter().any(|mark| slot.has(mark)) {
                slot.clear()?;
            }
            slot.folder.create(Path::new(IN_USE))?;
            return Ok(slot);
        }
        Err(io::Error::other(format!(
            "{MOST} programs run already; wait until one of them ends"
        )))
    }

    /// Takes the slots of an origin in which programs have ended, the one that was used last first, to look at what they left;
    /// their order stays. Returns how many others are in use.
    pub(super) fn all_left(layers: &Path, origin: Origin) -> io::Result<(Vec<Self>, usize)> {
        let all = Tree::make(layers)?;
        let trash = all.make_below(Path::new("trash"), PRIVATE)?;
        let own = all.make_below(Path::new(origin.folder()), PRIVATE)?;
        let (mut left, mut in_use) = (Vec::new(), 0);
        for name in candidates(&own)? {
            let Ok(folder) = own.below(&name) else {
                continue;
            };
            let lock = folder.lock_file(Path::new(LOCK))?;
            match flock(&lock, FlockOperation::NonBlockingLockExclusive) {
                Err(Errno::WOULDBLOCK) => in_use += 1,
                locked => {
                    locked?;
                    let slot = Self {
                        path: layers.join(origin.folder()).join(name),
                        folder,
                        trash: trash.again()?,
                        is_emptied: false,
                        is_looked_at: true,
                        unsynced: Cell::new(Unsynced::Nothing),
                        lock,
                    };
                    // Of a killed owner a process may still write to it.
                    if ![IN_USE, super::FULL].iter().any(|mark| slot.has(mark)) {
                        left.push(slot);
                    }
                }
            }
        }
        Ok((left, in_use))
    }

    /// Returns where the folder was when it was opened, for other processes.
    pub(super) fn path(&self) -> &Path {
        &self.path
    }

    /// Returns the folder.
    pub(super) fn folder(&self) -> &Tree {
        &self.folder
    }

    fn has(&self, name: &str) -> bool {
        self.folder.metadata(Path::new(name)).is_ok()
    }

    /// Returns the folder of what is to be removed.
    pub(super) fn trash(&self) -> &Tree {
        &self.trash
    }

    /// Notes that a program may run in it, and does not start before `started`.
    pub(super) fn expect_program(&self, started: Time) {
        self.unsynced.set(self.unsynced.get().with_program(started));
    }

    /// Notes whether the program that started then left something in the layer of the workspace or of the repository that
    /// later programs find.
    pub(super) fn note_left(&self, started: Time, is_left: bool) {
        self.unsynced
            .set(self.unsynced.get().with_left(started, is_left));
    }

    /// Waits until what programs left in it is on the disk.
    pub(super) fn sync(&self) -> io::Result<()> {
        self.unsynced.get().sync(&self.folder)?;
        self.unsynced.set(Unsynced::Nothing);
        Ok(())
    }

    /// Has everything taken out of the slot when this is dropped.
    pub(super) fn is_emptied_at_end(&mut self) {
        self.is_emptied = true;
    }

    /// Takes everything out of the slot.
    pub(super) fn clear(&self) -> io::Result<()> {
        for name in self.folder.names(Path::new(""))? {
            // The sockets are there before anything is staged.
            let is_used = [LOCK, IN_USE, HANDOVER, QUESTIONS]
                .iter()
                .any(|used| name == *used);
            if !is_used {
                discard::set_aside(&self.folder, Path::new(&name), &self.trash)?;
            }
        }
        discard::in_background(&self.trash);
        Ok(())
    }
}

impl Drop for Slot {
    fn drop(&mut self) {
        if self.is_looked_at {
            return;
        }
        if self.is_emptied || self.has(super::FULL) {
            // What stays is cleared by the next owner.
            let _cleared = self.clear();
            discard::empty(&self.trash);
            self.unsynced.set(Unsynced::Nothing);
        }
        // What is not on the disk is cleared by the next owner.
        if self.sync().is_ok() {
            let _cleared = self.folder.remove_file(Path::new(IN_USE));
        }
        let _unordered = self.lock.set_modified(SystemTime::now());
    }
}

/// Returns the names that a slot may have, the one that was used last first, and those that are not there yet last.
fn candidates(own: &Tree) -> io::Result<Vec<PathBuf>> {
    let mut there = Vec::new();
    let mut new = Vec::new();
    for number in 0..MOST {
        let folder = PathBuf::from(number.to_string());
        match own.metadata(&folder.join(LOCK)) {
            Ok(lock) => there.push((lock.modified()?, folder)),
            Err(_absent) => new.push(folder),
        }
    }
    there.sort_by_key(|(used, _)| Reverse(*used));
    let there = there.into_iter().map(|(_, folder)| folder);
    Ok(there.chain(new).collect())
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    #[test]
    fn programs_at_once_have_slots_of_their_own_and_the_last_one_is_taken_again() {
        let layers = tempfile::tempdir().expect("a folder");
        let (first, second) = (
            slot(layers.path(), Origin::User),
            slot(layers.path(), Origin::User),
        );
        assert_ne!(first.path(), second.path());
        let other = slot(layers.path(), Origin::Model);
        assert!(!other.path().starts_with(layers.path().join("user")));
        fs::write(second.path().join("kept"), "").expect("a file");
        let folder = second.path().to_owned();
        drop(first);
        drop(second);
        // A process that another test forks has the lock as well, until it becomes its program.
        let lock = fs::File::open(folder.join(LOCK)).expect("a lock");
        lock.lock().expect("it is free by and by");
        drop(lock);
        let again = slot(layers.path(), Origin::User);
        assert_eq!(again.path(), folder);
        assert!(folder.join("kept").exists());
    }

    fn slot(layers: &Path, origin: Origin) -> Slot {
        Slot::take(layers, origin).expect("a slot")
    }

    #[test]
    fn a_slot_whose_owner_was_killed_is_cleared() {
        let layers = tempfile::tempdir().expect("a folder");
        let slot = Slot::take(layers.path(), Origin::User).expect("a slot");
        let folder = slot.path().to_owned();
        drop(slot);
        fs::create_dir(folder.join("workspace")).expect("a folder");
        fs::write(folder.join(IN_USE), "").expect("a file");
        let _slot = Slot::take(layers.path(), Origin::User).expect("a slot");
        assert!(!folder.join("workspace").exists());
    }
}
