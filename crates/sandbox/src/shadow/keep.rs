//! Writing ignored files from the layer to the disk, where the user wants them there.
//!
//! In: the outermost ignored paths of the layer. Out: the disk has what was written below them, and the layer
//! has it no more: right after a program what that program wrote, later on what any left ([`KeepScope`]). What the caller
//! names stays in the layer: what makes a program run, and links that lead where they should not. A link is written as a
//! link; nothing is written through one.

mod virtual_environment;

use std::cell::RefCell;
use std::collections::BTreeSet;
use std::ffi::OsStr;
use std::fs::{FileTimes, FileType, Metadata};
use std::io;
use std::os::unix::ffi::OsStrExt as _;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};

use signoff_source::path::reserved::ReservedFolders;

use super::beneath::{Tree, same_bytes};
use super::collected::{Kept, Why};
use super::layer::is_whiteout;
use super::snapshot::{self, Time};
use virtual_environment::{is_programs, linked_programs};

/// Name of a file until it is complete, beside its place.
const DRAFT: &str = ".signoff-draft-of-kept-file";
/// Permission bits that are written; set-user-id and its like are not.
const WRITTEN: u32 = 0o777;

/// Why the programs of a virtual environment of Python are not written: editors and shells start them by name.
const VIRTUAL_ENVIRONMENT: &str =
    "a virtual environment runs it by its name; look at it and copy it yourself";

/// Why a link is not written through which a later build would write what is the user's and not the workspace's.
const ELSEWHERE: &str = "the link leads to files of yours that are not the workspace's";

/// Why a file that an earlier program left is not written where there is one.
const TAKEN: &str = "the disk has another one, which is not overwritten";

/// What the caller says of ignored files before they are written.
pub trait KeepRules {
    /// Returns the permission bits that the user's new files do not get: a program sets a mask of its own.
    fn umask(&self) -> u32;

    /// Says why a file, link or folder has to be looked at before it is written, if it has.
    fn runs(&self, path: &str, kind: Option<FileType>) -> Option<String>;

    /// Returns where a link leads. `in_layer` returns the target of the link that the layer has at a path.
    fn leads(
        &self,
        path: &str,
        target: &[u8],
        in_layer: &dyn Fn(&str) -> Option<Vec<u8>>,
    ) -> KeptLink;
}

/// Where a link leads that is to be written.
#[derive(Debug, Default)]
pub struct KeptLink {
    /// Why it is not written, wherever it leads.
    pub refused: Option<String>,
    /// The absolute paths outside of the workspace to which it may lead.
    pub outside: Vec<PathBuf>,
}

/// What became of ignored files that were to be written to the disk.
#[derive(Debug, Default)]
pub struct Keeping {
    /// Those that were written.
    pub written: Kept,
    /// How many the disk has already with the same contents.
    pub unchanged: usize,
    /// Those that were not, and why.
    pub refused: Vec<(String, io::Error)>,
}

/// Which files of a layer are written, and over what.
#[derive(Debug)]
pub(super) enum KeepScope<'a> {
    /// What the last program wrote, over what nobody has changed since it began.
    LastProgram {
        /// When it was about to start, by the clock of the layer.
        started: Time,
        /// When it started, by the same clock, for what the user has changed since.
        began: Time,
    },
    /// What any program left, where the disk has nothing: who made what it has is not known any more.
    Vacant {
        /// Paths of which proposals were made: whatever became of those, they are written by a sign-off alone.
        proposed: &'a BTreeSet<String>,
        /// Paths that a layer used later had something at.
        settled: &'a RefCell<BTreeSet<PathBuf>>,
    },
}

/// What is done with a file of the layer.
enum FileDeed {
    Write,
    /// It stays in the layer, and nothing is said.
    Leave,
    /// The disk has the same.
    Unchanged,
}

/// Moves ignored files from a layer to a workspace.
pub(super) struct Keeper<'a> {
    /// The workspace.
    pub(super) root: &'a Path,
    /// The same, through no link.
    pub(super) disk: Tree,
    /// Where the layer is, to be looked at.
    pub(super) upper: &'a Path,
    /// The layer, through no link.
    pub(super) layer: Tree,
    /// Folders of signoff's own: nothing is written in them.
    pub(super) reserved: &'a ReservedFolders,
    /// Which files are written.
    pub(super) scope: KeepScope<'a>,
    /// What must not be written.
    pub(super) rules: &'a dyn KeepRules,
    /// Permission bits that are not written.
    pub(super) umask: u32,
    /// Folders of the workspace that are those of a virtual environment's programs by a link, as far as is known.
    pub(super) linked: RefCell<Vec<PathBuf>>,
}

impl Keeper<'_> {
    /// Moves what is in the scope below some paths.
    pub(super) fn keep(&self, paths: &[String]) -> Keeping {
        let mut done = Keeping::default();
        for path in paths {
            if self.is_reserved(Path::new(path)) {
                done.refused.push((path.clone(), reserved()));
                continue;
            }
            if let Err(error) = self.folders(Path::new(path)) {
                done.refused.push((path.clone(), error));
                continue;
            }
            let before = done.written.files;
            self.entry(Path::new(path), &mut done);
            if done.written.files > before {
                done.written.paths.push(path.clone());
            }
        }
        done
    }

    /// Makes the folders of a path, of which none may be a link.
    fn folders(&self, path: &Path) -> io::Result<()> {
        let mut folder = PathBuf::new();
        self.look_for_linked(&folder);
        for part in path.parent().into_iter().flat_map(Path::components) {
            folder.push(part);
            match self.disk.metadata(&folder) {
                Ok(metadata) if metadata.is_dir() => {}
                Ok(_) => return Err(io::Error::other("a folder of it is a link or a file")),
                Err(_absent) => self.disk.make_folder(&folder)?,
            }
            self.look_for_linked(&folder);
        }
        Ok(())
    }

    fn entry(&self, path: &Path, done: &mut Keeping) {
        let name = path.to_string_lossy().into_owned();
        let kind = self.layer.metadata(path).ok().map(|own| own.file_type());
        let moved = match self.rules.runs(&name, kind) {
            _ if self.is_reserved(path) => Err(reserved()),
            Some(why) => Err(io::Error::other(why)),
            None if self.is_in_virtual_environment(path) => {
                Err(io::Error::other(VIRTUAL_ENVIRONMENT))
            }
            None => self.moved(path, done),
        };
        if let Err(error) = moved {
            done.refused.push((name, error));
        }
    }

    /// Returns whether a path is in a folder of signoff's own, or would put a link or a file in the place of one around it.
    fn is_reserved(&self, path: &Path) -> bool {
        let whole = self.root.join(path);
        let found = self.layer.metadata(path);
        let is_folder = found.is_ok_and(|found| found.is_dir());
        self.reserved.holds(&whole) || self.reserved.is_above(&whole) && !is_folder
    }

    /// Returns whether a path is that of the programs of a virtual environment of Python, or one of them.
    fn is_in_virtual_environment(&self, path: &Path) -> bool {
        let sides = [self.root, self.upper];
        let whole = self.root.join(path);
        is_programs(path, &sides)
            || self
                .linked
                .borrow()
                .iter()
                .any(|own| whole.starts_with(own))
    }

    /// Notes which folders are those of a virtual environment's programs by a link in this folder.
    fn look_for_linked(&self, folder: &Path) {
        let linked = linked_programs(&self.root.join(folder));
        self.linked.borrow_mut().extend(linked);
    }

    fn moved(&self, path: &Path, done: &mut Keeping) -> io::Result<()> {
        let metadata = self.layer.metadata(path)?;
        let kind = metadata.file_type();
        if kind.is_dir() {
            return self.folder(path, &metadata, done);
        }
        match self.deed(path, &metadata)? {
            FileDeed::Write => {}
            FileDeed::Leave => return Ok(()),
            FileDeed::Unchanged => {
                done.unchanged += 1;
                return Ok(());
            }
        }
        let in_its_place = self.disk.metadata(path).ok();
        if !is_whiteout(&metadata) && in_its_place.is_some_and(|own| own.is_dir()) {
            return Err(io::Error::other("a folder is in its place on disk"));
        }
        if is_whiteout(&metadata) {
            self.disk.remove(path)?;
        } else if kind.is_symlink() {
            let target = self.layer.link(path)?;
            if let Some(why) = self.why_not_linked(path, &target) {
                return Err(io::Error::other(why));
            }
            if !self.is_vacant() {
                self.disk.remove(path)?;
            }
            self.disk.make_link(path, OsStr::from_bytes(&target))?;
        } else if kind.is_file() {
            self.file(path)?;
        } else {
            // Pipes and sockets belong to the programs that made them.
            return Ok(());
        }
        done.written.files += 1;
        if !is_whiteout(&metadata) {
            done.written.bytes += metadata.len();
        }
        self.layer.remove(path)
    }

    /// Returns what is done with a file of the layer, or why it must not be written.
    fn deed(&self, path: &Path, metadata: &Metadata) -> io::Result<FileDeed> {
        match &self.scope {
            KeepScope::LastProgram { started, .. } if snapshot::changed(metadata) < *started => {
                Ok(FileDeed::Leave)
            }
            KeepScope::LastProgram { began, .. } if !self.is_as_it_was(path, *began) => {
                Err(io::Error::other("it was changed on disk meanwhile"))
            }
            KeepScope::LastProgram { .. } => Ok(FileDeed::Write),
            KeepScope::Vacant { proposed, settled } => {
                if !settled.borrow_mut().insert(path.to_owned()) {
                    return Ok(FileDeed::Leave);
                }
                if path.to_str().is_some_and(|path| proposed.contains(path)) {
                    return Err(io::Error::other(
                        "it was proposed: a sign-off writes it, and nothing else",
                    ));
                }
                self.deed_where_vacant(path, metadata)
            }
        }
    }

    fn deed_where_vacant(&self, path: &Path, metadata: &Metadata) -> io::Result<FileDeed> {
        let Some(on_disk) = self.disk.found(path)? else {
            return Ok(if is_whiteout(metadata) {
                FileDeed::Leave
            } else {
                FileDeed::Write
            });
        };
        if is_whiteout(metadata) {
            return Err(io::Error::other("a program removed it; on disk it stays"));
        }
        let is_same = if metadata.is_symlink() {
            on_disk.is_symlink() && self.disk.link(path)? == self.layer.link(path)?
        } else {
            metadata.is_file()
                && on_disk.is_file()
                && metadata.len() == on_disk.len()
                && same_bytes(self.layer.file(path)?, self.disk.file(path)?)?
        };
        if is_same {
            return Ok(FileDeed::Unchanged);
        }
        Err(io::Error::other(TAKEN))
    }

    fn is_vacant(&self) -> bool {
        matches!(self.scope, KeepScope::Vacant { .. })
    }

    /// Returns why a link is not written, if it is not: what is written through it could reach git's folder, or what the
    /// user may write outside of the workspace. The next build would, as through `build/out -> ~/.bashrc`. What only the
    /// system may write, as `.venv/lib/python -> /usr/lib/python3`, is none of that.
    fn why_not_linked(&self, path: &Path, target: &[u8]) -> Option<String> {
        let name = path.to_string_lossy();
        let leads = self
            .rules
            .leads(&name, target, &|at| self.layer.link(Path::new(at)).ok());
        let elsewhere = leads.outside.iter().any(|there| is_users(there));
        leads.refused.or(elsewhere.then(|| ELSEWHERE.to_owned()))
    }

    /// Returns whether nobody has changed a file, or anything below a folder, since the program started.
    fn is_as_it_was(&self, path: &Path, began: Time) -> bool {
        let mut left = vec![path.to_owned()];
        while let Some(path) = left.pop() {
            let Ok(found) = self.disk.metadata(&path) else {
                continue;
            };
            if snapshot::changed(&found) >= began {
                return false;
            }
            if found.is_dir() {
                let names = self.disk.names(&path).into_iter().flatten();
                left.extend(names.map(|name| path.join(name)));
            }
        }
        true
    }

    fn folder(&self, path: &Path, metadata: &Metadata, done: &mut Keeping) -> io::Result<()> {
        let in_its_place = self.disk.metadata(path).ok();
        let is_new = in_its_place.is_none();
        if in_its_place.is_some_and(|own| !own.is_dir()) {
            return Err(io::Error::other("a file or link is in its place on disk"));
        }
        if is_new {
            self.disk.make_folder(path)?;
        }
        self.look_for_linked(path);
        for name in self.layer.names(path)? {
            self.entry(&path.join(name), done);
        }
        if is_new {
            let mode = metadata.permissions().mode() & WRITTEN;
            self.disk.set_mode(path, mode & !self.umask)?;
            // Nothing of this program's was in it.
            let _filled = self.disk.remove_folder(path);
        }
        // What earlier programs left keeps it.
        let _filled = self.layer.remove_folder(path);
        Ok(())
    }

    /// Copies a file with its permissions and times, whole or not at all.
    fn file(&self, path: &Path) -> io::Result<()> {
        let draft = path.with_file_name(DRAFT);
        self.disk.remove(&draft)?;
        let copied = self.copied(path, &draft);
        if copied.is_err() {
            self.disk.remove(&draft)?;
        }
        copied
    }

    fn copied(&self, path: &Path, draft: &Path) -> io::Result<()> {
        let mut from = self.layer.file(path)?;
        let found = from.metadata()?;
        let mut to = self.disk.create_new(draft, 0o600)?;
        io::copy(&mut from, &mut to)?;
        let times = FileTimes::new()
            .set_accessed(found.accessed()?)
            .set_modified(found.modified()?);
        to.set_times(times)?;
        let mode = found.permissions().mode() & WRITTEN;
        self.disk.set_mode(draft, mode & !self.umask)?;
        if !self.is_vacant() {
            return self.disk.move_to(draft, &self.disk, path);
        }
        // Somebody may have made one while this one was copied.
        let placed = self.disk.move_where_nothing_is(draft, path);
        placed.map_err(|error| match error.kind() {
            io::ErrorKind::AlreadyExists => io::Error::other(TAKEN),
            _ => error,
        })
    }
}

/// Says why nothing is written in a folder of signoff's own.
fn reserved() -> io::Error {
    io::Error::other(Why::Reserved)
}

/// Returns whether the user may write to a path, or make it.
fn is_users(path: &Path) -> bool {
    let there = path.ancestors().find(|there| there.exists());
    there.is_none_or(|there| rustix::fs::access(there, rustix::fs::Access::WRITE_OK).is_ok())
}
