//! Snapshot: what files were when a program started, where the user changes them while it runs.
//!
//! ```text
//! program starts    a.txt is "one"
//! user saves        a.txt is "two"
//! program ends      its a.txt is "ONE": a change of "one", to be carried over to "two"
//! ```
//!
//! A file whose time of change is before the start is what it was then; nothing has to be known of it. For the others a
//! thread looks while the program runs. In a repository git tells which files differ from its index: these are copied,
//! and of the others git has the text. Elsewhere all files are copied, within a bound. What was changed before the
//! thread came to it is not known, and said to be so.

use std::collections::HashMap;
use std::fs::{self, File, Metadata};
use std::io;
use std::os::unix::ffi::OsStringExt as _;
use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, OnceLock};
use std::thread;
use std::time::Duration;

use signoff_source::file::{ProgramBase, ProgramContent};
use signoff_source::path::reserved::ReservedFolders;

use super::beneath::{PERMISSIONS, Tree};
use crate::git_view::{Asker, IndexAsOf, IndexedKind};
use crate::ignored;
use crate::process::{Limits, Supervision};

/// How long a program runs before anybody looks: most are over by then, and nothing was saved meanwhile.
const PATIENCE: Duration = Duration::from_millis(30);
/// How long is waited for the look to end, once the program is over and a file has changed.
const LAST_LOOK: Duration = Duration::from_secs(10);
/// Maximum number of files that are copied, their bytes together, and those of one.
const MAX_FILES: usize = 20_000;
const MAX_BYTES: u64 = 256 << 20;
const MAX_FILE_BYTES: u64 = 8 << 20;
/// Maximum number of files that are known without a repository.
const MAX_KNOWN: usize = 500_000;

/// Seconds and nanoseconds, by the clock of the file system.
pub(super) type Time = (i64, i64);

/// Returns when a file was last changed: text, mode or name. No program can set it.
pub(super) fn changed(metadata: &Metadata) -> Time {
    (metadata.ctime(), metadata.ctime_nsec())
}

/// Returns the time now, by the clock of the file system that a folder is on.
pub(super) fn now(folder: &Tree) -> io::Result<Time> {
    let mark = Path::new("now");
    let _absent = folder.remove_file(mark);
    Ok(changed(&folder.create(mark)?.metadata()?))
}

/// A file as somebody found it who looked.
#[derive(Debug)]
struct SeenFile {
    inode: u64,
    changed: Time,
    mode: u32,
    text: SeenText,
}

#[derive(Debug)]
enum SeenText {
    /// A copy with this number.
    Copied(u64),
    Link(Vec<u8>),
    /// It is too large, or nobody could read it.
    NotCopied,
}

/// What somebody found who looked.
#[derive(Debug)]
enum Look {
    /// All files.
    Files(HashMap<PathBuf, SeenFile>),
    /// Those that are not as in git's index; none stands for one that was not there.
    Repository {
        differing: HashMap<PathBuf, Option<SeenFile>>,
        index: Box<IndexAsOf>,
    },
}

/// Knows, or will know, what files were when a program started.
#[derive(Debug)]
pub(super) struct Snapshot {
    root: PathBuf,
    /// The workspace, through no link.
    disk: Tree,
    copies: Tree,
    began: Time,
    stop: Arc<AtomicBool>,
    /// Dropped when nobody needs to wait any more.
    hurry: Sender<()>,
    found: Receiver<Look>,
    look: OnceLock<Option<Look>>,
}

impl Snapshot {
    /// Begins to look at a workspace; copies are kept in a folder of the layers.
    pub(super) fn begin(
        root: &Path,
        reserved: &ReservedFolders,
        layers: &Tree,
    ) -> io::Result<Self> {
        let began = now(layers)?;
        let copies = layers.make_below(Path::new("copies"), 0o700)?;
        let stop = Arc::new(AtomicBool::new(false));
        let (hurry, patience) = channel::<()>();
        let (found_out, found) = channel();
        let looker = Looker {
            root: root.to_owned(),
            reserved: reserved.clone(),
            copies: copies.again()?,
            stop: Arc::clone(&stop),
            number: 0,
            bytes: 0,
        };
        thread::spawn(move || {
            let _elapsed = patience.recv_timeout(PATIENCE);
            if let Some(look) = looker.look() {
                // Nobody asks any more where the other end is gone.
                let _unasked = found_out.send(look);
            }
        });
        Ok(Self {
            root: root.to_owned(),
            disk: Tree::open(root)?,
            copies,
            began,
            stop,
            hurry,
            found,
            look: OnceLock::new(),
        })
    }

    /// Returns when it began to be made.
    pub(super) fn began(&self) -> Time {
        self.began
    }

    /// Returns what a program found under a path that had no staged work.
    /// `left` are the permission bits that the program left, if it left a file.
    pub(super) fn base(&self, path: &Path, left: Option<u32>) -> ProgramBase {
        let now = self.disk.metadata(path).ok();
        let last = match &now {
            Some(now) => changed(now),
            None => {
                let mut around = path.ancestors().skip(1);
                let around = around.find_map(|folder| self.disk.metadata(folder).ok());
                around.map_or(self.began, |folder| changed(&folder))
            }
        };
        if last < self.began && !self.is_moved(path) {
            return ProgramBase::Current;
        }
        match self.look() {
            Some(Look::Files(seen)) => self.of_files(seen.get(path), now.as_ref()),
            Some(Look::Repository { differing, index }) => match differing.get(path) {
                Some(seen) => self.of_files(seen.as_ref(), now.as_ref()),
                None => self.of_index(index, path, left, now.as_ref()),
            },
            None => ProgramBase::Unknown,
        }
    }

    fn of_files(&self, seen: Option<&SeenFile>, now: Option<&Metadata>) -> ProgramBase {
        let Some(seen) = seen else {
            return ProgramBase::Known(None);
        };
        if seen.changed >= self.began {
            // Whoever looked came too late.
            return ProgramBase::Unknown;
        }
        if now.is_some_and(|now| now.ino() == seen.inode && changed(now) == seen.changed) {
            return ProgramBase::Current;
        }
        match &seen.text {
            SeenText::Copied(number) => match self.copies.read(&copy_name(*number), MAX_FILE_BYTES)
            {
                Ok(bytes) => ProgramBase::Known(Some(ProgramContent::File {
                    bytes,
                    mode: Some(seen.mode),
                })),
                Err(_gone) => ProgramBase::Unknown,
            },
            SeenText::Link(target) => {
                ProgramBase::Known(Some(ProgramContent::Link(target.clone())))
            }
            SeenText::NotCopied => ProgramBase::Unknown,
        }
    }

    /// Returns what a file was that did not differ from the index; `left` are the bits that the program left.
    fn of_index(
        &self,
        index: &IndexAsOf,
        path: &Path,
        left: Option<u32>,
        now: Option<&Metadata>,
    ) -> ProgramBase {
        let never = AtomicBool::new(false);
        let (bytes, kind) = match index.text(&asker(&self.root, &never), path) {
            Ok(Some(found)) => found,
            Ok(None) => return ProgramBase::Known(None),
            Err(_unreadable) => return ProgramBase::Unknown,
        };
        let executable = match kind {
            IndexedKind::Link => return ProgramBase::Known(Some(ProgramContent::Link(bytes))),
            IndexedKind::File { executable } => executable,
        };
        // Git knows of one bit. Where the others are on disk as the program left them, nobody has changed them; where
        // they are not, the user has, or the program.
        let now = now.filter(|now| now.is_file());
        let now = now.map(|now| now.permissions().mode() & PERMISSIONS);
        let usual = if executable { 0o755 } else { 0o644 };
        match (left, now) {
            (Some(left), Some(now)) if is_executable(left) == executable && left != now => {
                ProgramBase::Text(bytes)
            }
            (Some(left), _) if is_executable(left) == executable => known(bytes, left),
            _ => known(bytes, usual),
        }
    }

    /// Returns whether a folder around a file was put there since the program started: what is in it now may be other
    /// files with old times. A folder that is renamed has a new time of change, and the time of its entries as before.
    fn is_moved(&self, path: &Path) -> bool {
        let mut around = path.ancestors().skip(1);
        around.any(|folder| {
            let found = self.disk.metadata(folder).ok().filter(Metadata::is_dir);
            found.is_some_and(|found| {
                changed(&found) >= self.began && (found.mtime(), found.mtime_nsec()) < self.began
            })
        })
    }

    /// Returns what was found, once the look is over; none if it was not made to its end.
    fn look(&self) -> Option<&Look> {
        self.look
            .get_or_init(|| {
                // It need not be patient any more.
                let _over = self.hurry.send(());
                self.found.recv_timeout(LAST_LOOK).ok()
            })
            .as_ref()
    }
}

fn is_executable(mode: u32) -> bool {
    mode & 0o100 != 0
}

impl Drop for Snapshot {
    fn drop(&mut self) {
        self.stop.store(true, Ordering::Relaxed);
    }
}

fn known(bytes: Vec<u8>, mode: u32) -> ProgramBase {
    let mode = Some(mode);
    ProgramBase::Known(Some(ProgramContent::File { bytes, mode }))
}

/// Returns how git is asked.
pub(super) fn asker<'a>(root: &'a Path, stop: &'a AtomicBool) -> Asker<'a> {
    Asker {
        root,
        reserved: None,
        supervision: Supervision::OwnExecutable,
        limits: Limits {
            timeout: LAST_LOOK,
            most_bytes: 0,
        },
        stop,
    }
}

/// Returns the name of a copy.
fn copy_name(number: u64) -> PathBuf {
    PathBuf::from(number.to_string())
}

/// Looks at the files of a workspace.
struct Looker {
    root: PathBuf,
    copies: Tree,
    /// Nothing of these folders is copied.
    reserved: ReservedFolders,
    stop: Arc<AtomicBool>,
    /// Copies so far, and their bytes.
    number: u64,
    bytes: u64,
}

impl Looker {
    /// Returns none if nobody needs it any more, or if it cannot be found out.
    fn look(mut self) -> Option<Look> {
        if self.is_stopped() {
            return None;
        }
        for earlier in self.copies.names(Path::new("")).ok()? {
            self.copies.remove(Path::new(&earlier)).ok()?;
        }
        let stop = Arc::clone(&self.stop);
        let root = self.root.clone();
        let asker = asker(&root, &stop);
        match IndexAsOf::now(&asker) {
            Ok(index) => {
                let differing = index.differing(&asker).ok()?.into_iter();
                let differing = differing.map(|path| {
                    let seen = self.seen(&path);
                    (path, seen)
                });
                let differing = differing.collect();
                (!self.is_stopped()).then(|| Look::Repository {
                    differing,
                    index: Box::new(index),
                })
            }
            // No repository, or none that is safe to ask.
            Err(_none) => self.files(),
        }
    }

    fn is_stopped(&self) -> bool {
        self.stop.load(Ordering::Relaxed)
    }

    fn files(&mut self) -> Option<Look> {
        let mut files = HashMap::new();
        for entry in ignored::walk(&self.root, &self.reserved).build().flatten() {
            if self.is_stopped() || files.len() > MAX_KNOWN {
                return None;
            }
            let Ok(path) = entry.path().strip_prefix(&self.root) else {
                continue;
            };
            if let Some(seen) = self.seen(path) {
                files.insert(path.to_owned(), seen);
            }
        }
        Some(Look::Files(files))
    }

    /// Returns what a file is now, with a copy where there is room for one; none if there is none, or a folder.
    fn seen(&mut self, path: &Path) -> Option<SeenFile> {
        let own = self.root.join(path);
        if self.reserved.holds(&own) {
            return None;
        }
        let found = fs::symlink_metadata(&own).ok()?;
        let text = if found.is_dir() {
            return None;
        } else if found.is_symlink() {
            let target = fs::read_link(&own).ok()?;
            SeenText::Link(target.into_os_string().into_vec())
        } else if found.is_file() && self.has_room(&found) {
            self.copy(&own, &found)
        } else {
            SeenText::NotCopied
        };
        Some(SeenFile {
            inode: found.ino(),
            changed: changed(&found),
            mode: found.permissions().mode() & PERMISSIONS,
            text,
        })
    }

    fn has_room(&self, found: &Metadata) -> bool {
        found.len() <= MAX_FILE_BYTES
            && self.bytes + found.len() <= MAX_BYTES
            && self.number < MAX_FILES as u64
    }

    /// Copies a file; one that changes meanwhile is not taken.
    fn copy(&mut self, own: &Path, found: &Metadata) -> SeenText {
        let to = self.copies.create_new(&copy_name(self.number), 0o600);
        let copied = to.and_then(|mut to| io::copy(&mut File::open(own)?, &mut to));
        let copied = copied.and_then(|_| fs::symlink_metadata(own));
        match copied {
            Ok(after) if changed(&after) == changed(found) && after.ino() == found.ino() => {
                let number = self.number;
                self.number += 1;
                self.bytes += found.len();
                SeenText::Copied(number)
            }
            Ok(_) | Err(_) => SeenText::NotCopied,
        }
    }
}
