//! Writing ignored files from the layer to the disk, where the user wants them there.
//!
//! In: the outermost ignored paths of the layer. Out: the disk has what this program wrote below them, and the layer
//! has it no more. What an earlier program left stays in the layer, and so does what makes a program run that the
//! caller names. A link is written as a link; nothing is written through one.

use std::ffi::OsStr;
use std::fs::{self, Metadata, Permissions};
use std::io;
use std::os::unix::fs::{PermissionsExt as _, symlink};
use std::path::{Component, Path, PathBuf};

use super::collected::Kept;
use super::layer::{is_whiteout, remove};
use super::snapshot::{self, Time};

/// Name of a file until it is complete, beside its place.
const DRAFT: &str = ".signoff-draft-of-kept-file";
/// Permission bits that are written; set-user-id and its like are not.
const WRITTEN: u32 = 0o777;

/// Why the programs of a virtual environment of Python are not written: editors and shells start them by name.
const VIRTUAL_ENVIRONMENT: &str =
    "a virtual environment runs it by its name; look at it and copy it yourself";

/// How the names of programs begin that every virtual environment has.
const VIRTUAL_NAMES: [&[u8]; 2] = [b"activate", b"python"];

/// What became of ignored files that were to be written to the disk.
#[derive(Debug, Default)]
pub struct Keeping {
    /// Those that were written.
    pub written: Kept,
    /// Those that were not, and why.
    pub refused: Vec<(String, io::Error)>,
}

/// Moves ignored files from a layer to a workspace.
pub(super) struct Keeper<'a> {
    /// The workspace.
    pub(super) root: &'a Path,
    /// The layer.
    pub(super) upper: &'a Path,
    /// When the program was about to start, by the clock of the layer.
    pub(super) started: Time,
    /// When the program started, by the same clock, for what the user has changed since.
    pub(super) began: Time,
    /// Says why a file, or a folder where the second is true, has to be looked at before it is written.
    pub(super) runs: &'a dyn Fn(&str, bool) -> Option<String>,
}

impl Keeper<'_> {
    /// Moves what this program wrote below some paths.
    pub(super) fn keep(&self, paths: &[String]) -> Keeping {
        let mut done = Keeping::default();
        for path in paths {
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
        let mut folder = self.root.to_owned();
        for part in path.parent().into_iter().flat_map(Path::components) {
            folder.push(part);
            match fs::symlink_metadata(&folder) {
                Ok(metadata) if metadata.is_dir() => {}
                Ok(_) => return Err(io::Error::other("a folder of it is a link or a file")),
                Err(_absent) => fs::create_dir(&folder)?,
            }
        }
        Ok(())
    }

    fn entry(&self, path: &Path, done: &mut Keeping) {
        let name = path.to_string_lossy().into_owned();
        let is_folder = fs::symlink_metadata(self.upper.join(path)).is_ok_and(|own| own.is_dir());
        let moved = match (self.runs)(&name, is_folder) {
            Some(why) => Err(io::Error::other(why)),
            None if self.is_of_virtual_environment(path) => {
                Err(io::Error::other(VIRTUAL_ENVIRONMENT))
            }
            None => self.moved(path, done),
        };
        if let Err(error) = moved {
            done.refused.push((name, error));
        }
    }

    /// Returns whether a path is that of the programs of a virtual environment of Python, or one of them:
    /// `.venv/bin`, `.venv/bin/pytest`. Where nothing else tells of one, `bin/activate` and `bin/python3` do.
    fn is_of_virtual_environment(&self, path: &Path) -> bool {
        let is_programs = |folder: &Path| folder.ends_with("bin") || folder.ends_with("Scripts");
        let has_settings = |folder: &Path| {
            // They make a program run themselves and are never moved: they are on disk or in the layer.
            let settings = folder.with_file_name("pyvenv.cfg");
            let mut sides = [self.root, self.upper].into_iter();
            sides.any(|side| fs::symlink_metadata(side.join(&settings)).is_ok())
        };
        let name = path.file_name().map(OsStr::as_encoded_bytes);
        let is_usual =
            name.is_some_and(|name| VIRTUAL_NAMES.iter().any(|own| name.starts_with(own)));
        let mut folders = path.ancestors();
        is_usual && path.parent().is_some_and(is_programs)
            || folders.any(|folder| is_programs(folder) && has_settings(folder))
    }

    fn moved(&self, path: &Path, done: &mut Keeping) -> io::Result<()> {
        let (from, to) = (self.upper.join(path), self.root.join(path));
        let metadata = fs::symlink_metadata(&from)?;
        let kind = metadata.file_type();
        if kind.is_dir() {
            return self.folder(path, &metadata, done);
        }
        if snapshot::changed(&metadata) < self.started {
            return Ok(());
        }
        if !self.is_as_it_was(&to) {
            return Err(io::Error::other("it was changed on disk meanwhile"));
        }
        let in_its_place = fs::symlink_metadata(&to).ok();
        if !is_whiteout(&metadata) && in_its_place.is_some_and(|own| own.is_dir()) {
            return Err(io::Error::other("a folder is in its place on disk"));
        }
        if is_whiteout(&metadata) {
            remove(&to)?;
        } else if kind.is_symlink() {
            let target = fs::read_link(&from)?;
            if self.opens_way(path, &target) {
                return Err(io::Error::other(
                    "the link leads to files of yours that are not the workspace's",
                ));
            }
            remove(&to)?;
            symlink(target, to)?;
        } else if kind.is_file() {
            file(&from, &to)?;
        } else {
            // Pipes and sockets belong to the programs that made them.
            return Ok(());
        }
        done.written.files += 1;
        if !is_whiteout(&metadata) {
            done.written.bytes += metadata.len();
        }
        remove(&from)
    }

    /// Returns whether what is written through a link could reach git's folder, or what the user may write outside of
    /// the workspace: the next build would, as `build/out -> ~/.bashrc`. What only the system may write, as
    /// `.venv/bin/python -> /usr/bin/python3`, is none of that.
    fn opens_way(&self, path: &Path, target: &Path) -> bool {
        let mut whole = PathBuf::new();
        let around = self.root.join(path);
        for part in around
            .parent()
            .into_iter()
            .chain([target])
            .flat_map(Path::components)
        {
            match part {
                Component::ParentDir => drop(whole.pop()),
                Component::CurDir => {}
                part => whole.push(part),
            }
        }
        let is_gits = |part: Component<'_>| part.as_os_str().eq_ignore_ascii_case(".git");
        match whole.strip_prefix(self.root) {
            Ok(below) => below.components().any(is_gits),
            Err(_outside) => {
                let there = whole.ancestors().find(|there| there.exists());
                let may = |there| rustix::fs::access(there, rustix::fs::Access::WRITE_OK).is_ok();
                there.is_none_or(may)
            }
        }
    }

    /// Returns whether nobody has changed a file, or anything below a folder, since the program started.
    fn is_as_it_was(&self, path: &Path) -> bool {
        let mut left = vec![path.to_owned()];
        while let Some(path) = left.pop() {
            let Ok(found) = fs::symlink_metadata(&path) else {
                continue;
            };
            if snapshot::changed(&found) >= self.began {
                return false;
            }
            if found.is_dir() {
                let entries = fs::read_dir(&path).into_iter().flatten().flatten();
                left.extend(entries.map(|entry| entry.path()));
            }
        }
        true
    }

    fn folder(&self, path: &Path, metadata: &Metadata, done: &mut Keeping) -> io::Result<()> {
        let (from, to) = (self.upper.join(path), self.root.join(path));
        let is_new = !fs::symlink_metadata(&to).is_ok_and(|own| own.is_dir());
        if is_new {
            if fs::symlink_metadata(&to).is_ok() {
                return Err(io::Error::other("a file or link is in its place on disk"));
            }
            fs::create_dir(&to)?;
        }
        for inner in fs::read_dir(&from)? {
            self.entry(&path.join(inner?.file_name()), done);
        }
        if is_new {
            let mode = metadata.permissions().mode() & WRITTEN;
            fs::set_permissions(&to, Permissions::from_mode(mode))?;
            // Nothing of this program's was in it.
            let _filled = fs::remove_dir(&to);
        }
        // What earlier programs left keeps it.
        let _filled = fs::remove_dir(&from);
        Ok(())
    }
}

/// Copies a file with its permissions and times, whole or not at all.
fn file(from: &Path, to: &Path) -> io::Result<()> {
    let draft = to.with_file_name(DRAFT);
    remove(&draft)?;
    let copied = fs::copy(from, &draft).and_then(|_| {
        let found = fs::metadata(from)?;
        let times = fs::FileTimes::new()
            .set_accessed(found.accessed()?)
            .set_modified(found.modified()?);
        fs::File::open(&draft)?.set_times(times)?;
        let mode = found.permissions().mode() & WRITTEN;
        fs::set_permissions(&draft, Permissions::from_mode(mode))?;
        fs::rename(&draft, to)
    });
    if copied.is_err() {
        remove(&draft)?;
    }
    copied
}
