//! A tree that a program wrote, read and changed without leaving it: no link is followed, whoever puts one there meanwhile.
//!
//! In: a folder, opened once, and paths below it. Out: files, folders and links below it, read, made, moved and removed.
//! Another process of the user's may exchange a folder of the layers for a link to `~/Documents` at any time; what is
//! removed or written is below the folder that was opened, or nothing is. The other files of this room remove, move and
//! write nothing by a path.

use std::ffi::{OsStr, OsString};
use std::fs::{File, Metadata};
use std::io::{self, Read as _, Write as _};
use std::os::fd::{AsRawFd as _, OwnedFd};
use std::os::unix::ffi::OsStringExt as _;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};

use rustix::fs::{
    AtFlags, CWD, Dir, FileType, Mode, OFlags, RenameFlags, ResolveFlags, chmod, linkat, mkdirat,
    mknodat, open, openat2, readlinkat, removexattr, renameat, renameat_with, symlinkat, syncfs,
    unlinkat,
};
use rustix::io::Errno;

/// The permission bits of a folder of signoff's own, whatever the user's mask is: what programs wrote is for nobody else.
/// They are also the rights without which a folder cannot be emptied.
pub(super) const PRIVATE: u32 = 0o700;
/// The bits of a mode that are permissions.
pub(super) const PERMISSIONS: u32 = 0o7777;

/// The tree.
#[derive(Debug)]
pub(super) struct Tree {
    top: OwnedFd,
}

/// The errors of a path of which a part is not there, or is a file or a link by now.
const ABSENT: [Errno; 3] = [Errno::NOENT, Errno::NOTDIR, Errno::LOOP];

impl Tree {
    /// Opens a folder; its own path may go through links.
    pub(super) fn open(top: &Path) -> io::Result<Self> {
        let flags = OFlags::PATH | OFlags::DIRECTORY | OFlags::CLOEXEC;
        Ok(Self {
            top: open(top, flags, Mode::empty())?,
        })
    }

    /// Opens a folder of signoff's own by its absolute path, of which no part may be a link; what is missing of it is
    /// made, for this user alone.
    pub(super) fn make(path: &Path) -> io::Result<Self> {
        let root = Self::open(Path::new("/"))?;
        let below = path.strip_prefix("/");
        root.make_below(
            below.map_err(|_relative| io::ErrorKind::InvalidInput)?,
            PRIVATE,
        )
    }

    /// Opens a folder by its absolute path, of which no part may be a link.
    pub(super) fn real(path: &Path) -> io::Result<Self> {
        let below = path.strip_prefix("/");
        Self::open(Path::new("/"))?.below(below.map_err(|_relative| io::ErrorKind::InvalidInput)?)
    }

    /// Opens the folder that this process stands in.
    pub(super) fn here() -> io::Result<Self> {
        Self::open(Path::new("."))
    }

    /// Returns another handle on the same folder.
    pub(super) fn again(&self) -> io::Result<Self> {
        let top = self.top.try_clone()?;
        Ok(Self { top })
    }

    /// Has this process stand in the folder.
    pub(super) fn enter(&self) -> io::Result<()> {
        Ok(rustix::process::fchdir(&self.top)?)
    }

    /// Returns a path by which this process alone finds the folder, wherever it is moved. Mounts are named by it: their
    /// options are paths.
    pub(super) fn handle(&self) -> PathBuf {
        PathBuf::from(format!("/proc/self/fd/{}", self.top.as_raw_fd()))
    }

    /// Returns where the folder is now.
    pub(super) fn place(&self) -> io::Result<PathBuf> {
        Ok(PathBuf::from(OsString::from_vec(
            readlinkat(CWD, self.handle(), Vec::new())?.into_bytes(),
        )))
    }

    /// Opens a folder of it.
    pub(super) fn below(&self, path: &Path) -> io::Result<Self> {
        let top = self.at(path, OFlags::PATH | OFlags::DIRECTORY)?;
        Ok(Self { top: top.into() })
    }

    /// Opens a folder of it; what is missing is made, with this mode.
    pub(super) fn make_below(&self, path: &Path, mode: u32) -> io::Result<Self> {
        let mut folder = self.again()?;
        for part in path.components() {
            let part = Path::new(part.as_os_str());
            folder = match folder.below(part) {
                Err(error) if error.kind() == io::ErrorKind::NotFound => {
                    match mkdirat(&folder.top, part, Mode::from_raw_mode(mode)) {
                        Ok(()) | Err(Errno::EXIST) => folder.below(part)?,
                        Err(error) => return Err(error.into()),
                    }
                }
                opened => opened?,
            };
        }
        Ok(folder)
    }

    fn at(&self, path: &Path, flags: OFlags) -> io::Result<File> {
        self.open_at(path, flags, Mode::empty())
    }

    fn open_at(&self, path: &Path, flags: OFlags, mode: Mode) -> io::Result<File> {
        let path = if path.as_os_str().is_empty() {
            Path::new(".")
        } else {
            path
        };
        let confined = ResolveFlags::BENEATH | ResolveFlags::NO_SYMLINKS;
        let flags = flags | OFlags::CLOEXEC | OFlags::NOFOLLOW;
        Ok(openat2(&self.top, path, flags, mode, confined)?.into())
    }

    /// Opens the folder around a path, and returns it with the last part of the path.
    fn around<'p>(&self, path: &'p Path) -> io::Result<(File, &'p OsStr)> {
        let name = path.file_name().ok_or(io::ErrorKind::InvalidInput)?;
        let folder = path.parent().unwrap_or(Path::new(""));
        Ok((self.at(folder, OFlags::PATH | OFlags::DIRECTORY)?, name))
    }

    /// Makes a folder.
    pub(super) fn make_folder(&self, path: &Path) -> io::Result<()> {
        let (folder, name) = self.around(path)?;
        Ok(mkdirat(folder, name, Mode::from_raw_mode(0o777))?)
    }

    /// Makes a file with these permissions, which must not be there, to be written.
    pub(super) fn create_new(&self, path: &Path, mode: u32) -> io::Result<File> {
        let flags = OFlags::WRONLY | OFlags::CREATE | OFlags::EXCL;
        let file = self.open_at(path, flags, Mode::from_raw_mode(0o600))?;
        // The mask has taken bits of the mode.
        file.set_permissions(std::fs::Permissions::from_mode(mode & PERMISSIONS))?;
        Ok(file)
    }

    /// Opens a file of signoff's own, empty or new, to be written.
    pub(super) fn create(&self, path: &Path) -> io::Result<File> {
        let flags = OFlags::WRONLY | OFlags::CREATE | OFlags::TRUNC;
        self.open_at(path, flags, Mode::from_raw_mode(0o600))
    }

    /// Opens a file of signoff's own to be locked, and makes it where it is not there.
    pub(super) fn lock_file(&self, path: &Path) -> io::Result<File> {
        let flags = OFlags::WRONLY | OFlags::CREATE | OFlags::APPEND;
        self.open_at(path, flags, Mode::from_raw_mode(0o600))
    }

    /// Writes a file of signoff's own.
    pub(super) fn write(&self, path: &Path, bytes: &[u8]) -> io::Result<()> {
        self.create(path)?.write_all(bytes)
    }

    /// Makes a symbolic link.
    pub(super) fn make_link(&self, path: &Path, target: &OsStr) -> io::Result<()> {
        let (folder, name) = self.around(path)?;
        Ok(symlinkat(target, folder, name)?)
    }

    /// Makes a whiteout, which hides what is below the layer.
    pub(super) fn make_whiteout(&self, path: &Path) -> io::Result<()> {
        let (folder, name) = self.around(path)?;
        let kind = FileType::CharacterDevice;
        Ok(mknodat(folder, name, kind, Mode::empty(), 0)?)
    }

    /// Gives a file or folder these permissions; a link has none.
    pub(super) fn set_mode(&self, path: &Path, mode: u32) -> io::Result<()> {
        let file = Self {
            top: self.at(path, OFlags::PATH)?.into(),
        };
        // The last part of the path is this process's own, and leads to what is open and to nothing else.
        Ok(chmod(
            file.handle(),
            Mode::from_raw_mode(mode & PERMISSIONS),
        )?)
    }

    /// Gives this user all rights on a folder, if it is one.
    pub(super) fn open_up(&self, path: &Path) -> io::Result<()> {
        let found = self.metadata(path)?;
        let mode = found.permissions().mode();
        if found.is_dir() && mode & PRIVATE != PRIVATE {
            self.set_mode(path, mode | PRIVATE)?;
        }
        Ok(())
    }

    /// Takes an attribute of a folder away.
    pub(super) fn clear_attribute(&self, path: &Path, name: &str) -> io::Result<()> {
        let file = Self {
            top: self.at(path, OFlags::PATH)?.into(),
        };
        Ok(removexattr(file.handle(), name)?)
    }

    /// Removes a file or link; a folder is an error.
    pub(super) fn remove_file(&self, path: &Path) -> io::Result<()> {
        let (folder, name) = self.around(path)?;
        Ok(unlinkat(folder, name, AtFlags::empty())?)
    }

    /// Removes an empty folder.
    pub(super) fn remove_folder(&self, path: &Path) -> io::Result<()> {
        let (folder, name) = self.around(path)?;
        Ok(unlinkat(folder, name, AtFlags::REMOVEDIR)?)
    }

    /// Moves a file, folder or link to a path of another tree.
    pub(super) fn move_to(&self, path: &Path, other: &Self, to: &Path) -> io::Result<()> {
        let (folder, name) = self.around(path)?;
        let (into, new) = other.around(to)?;
        Ok(renameat(folder, name, into, new)?)
    }

    /// Moves a file to a path of this tree where nothing is.
    pub(super) fn move_where_nothing_is(&self, path: &Path, to: &Path) -> io::Result<()> {
        let ((folder, name), (into, new)) = (self.around(path)?, self.around(to)?);
        match renameat_with(&folder, name, &into, new, RenameFlags::NOREPLACE) {
            // Not every file system has that; all that programs are built on have links.
            Err(Errno::INVAL | Errno::NOSYS | Errno::OPNOTSUPP) => {
                linkat(&folder, name, &into, new, AtFlags::empty())?;
                Ok(unlinkat(&folder, name, AtFlags::empty())?)
            }
            renamed => Ok(renamed?),
        }
    }

    /// Writes all of the file system that the folder is on to the disk.
    pub(super) fn sync(&self) -> io::Result<()> {
        let folder = self.at(Path::new(""), OFlags::RDONLY | OFlags::DIRECTORY)?;
        Ok(syncfs(folder)?)
    }

    /// Removes whatever there is at a path, if there is something, with all that is in it.
    pub(super) fn remove(&self, path: &Path) -> io::Result<()> {
        let removed = match self.metadata(path) {
            Ok(found) if found.is_dir() => self.empty(path).and_then(|()| self.remove_folder(path)),
            Ok(_) => self.remove_file(path),
            Err(error) => Err(error),
        };
        match removed {
            Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
            _ => Ok(()),
        }
    }

    fn empty(&self, path: &Path) -> io::Result<()> {
        self.open_up(path)?;
        let folder = self.below(path)?;
        let mut names = folder.names(Path::new(""))?.into_iter();
        names.try_for_each(|name| folder.remove(Path::new(&name)))
    }

    /// Returns what is known of a file, folder or link.
    pub(super) fn metadata(&self, path: &Path) -> io::Result<Metadata> {
        self.at(path, OFlags::PATH)?.metadata()
    }

    /// Returns what is known of a path, and none where nothing is: what cannot be looked at may well be there.
    pub(super) fn found(&self, path: &Path) -> io::Result<Option<Metadata>> {
        match self.metadata(path) {
            Ok(metadata) => Ok(Some(metadata)),
            Err(error)
                if ABSENT
                    .iter()
                    .any(|absent| error.raw_os_error() == Some(absent.raw_os_error())) =>
            {
                Ok(None)
            }
            Err(error) => Err(error),
        }
    }

    /// Returns the names in a folder, sorted.
    pub(super) fn names(&self, folder: &Path) -> io::Result<Vec<OsString>> {
        let folder = self.at(folder, OFlags::RDONLY | OFlags::DIRECTORY)?;
        let mut names = Vec::new();
        for entry in Dir::read_from(&folder)? {
            let name = entry?.file_name().to_bytes().to_vec();
            if name != b"." && name != b".." {
                names.push(OsString::from_vec(name));
            }
        }
        names.sort();
        Ok(names)
    }

    /// Opens a regular file to be read.
    pub(super) fn file(&self, path: &Path) -> io::Result<File> {
        // A pipe that was put there is opened without waiting, and is no regular file.
        let file = self.at(path, OFlags::RDONLY | OFlags::NONBLOCK)?;
        if file.metadata()?.is_file() {
            Ok(file)
        } else {
            Err(io::ErrorKind::InvalidData.into())
        }
    }

    /// Reads a regular file of at most so many bytes.
    pub(super) fn read(&self, path: &Path, most: u64) -> io::Result<Vec<u8>> {
        let mut bytes = Vec::new();
        let file = self.file(path)?;
        file.take(most.saturating_add(1)).read_to_end(&mut bytes)?;
        if bytes.len() as u64 > most {
            return Err(io::ErrorKind::FileTooLarge.into());
        }
        Ok(bytes)
    }

    /// Returns the target of a link.
    pub(super) fn link(&self, path: &Path) -> io::Result<Vec<u8>> {
        let link = self.at(path, OFlags::PATH)?;
        Ok(readlinkat(&link, "", Vec::new())?.into_bytes())
    }

    /// Returns an attribute of a file or folder, of one byte.
    pub(super) fn has_attribute(&self, path: &Path, name: &str, value: u8) -> bool {
        let Ok(file) = self.at(path, OFlags::RDONLY | OFlags::NONBLOCK) else {
            return false;
        };
        let mut own = [0_u8; 1];
        let read = rustix::fs::fgetxattr(&file, name, &mut own);
        read.is_ok_and(|length| length == 1 && own == [value])
    }
}

/// Returns whether two files have the same bytes.
pub(super) fn same_bytes(mut a: File, mut b: File) -> io::Result<bool> {
    let mut pieces = [vec![0; 64 * 1024], vec![0; 64 * 1024]];
    loop {
        let [left, right] = &mut pieces;
        let read = a.read(left)?;
        let (left, right) = (left.split_at(read).0, right.split_at_mut(read).0);
        if read == 0 {
            return Ok(b.read(&mut [0])? == 0);
        }
        match b.read_exact(right) {
            Err(error) if error.kind() == io::ErrorKind::UnexpectedEof => return Ok(false),
            done => done?,
        }
        if left != right {
            return Ok(false);
        }
    }
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::os::unix::fs::symlink;

    use super::*;

    #[test]
    fn nothing_is_read_through_a_link() {
        let folder = tempfile::tempdir().expect("a folder");
        let at = |name: &str| folder.path().join(name);
        fs::create_dir_all(at("tree/in")).expect("folders");
        fs::write(at("secret"), "secret").expect("a file");
        fs::write(at("tree/in/file"), "text").expect("a file");
        symlink("../secret", at("tree/link")).expect("a link");
        symlink("in", at("tree/inner")).expect("a link");
        let tree = Tree::open(&at("tree")).expect("a tree");
        let read = |path: &str| tree.read(Path::new(path), 100).ok();
        assert_eq!(read("in/file"), Some(b"text".to_vec()));
        for path in ["link", "inner/file", "../secret", "/etc/passwd", "in"] {
            assert_eq!(read(path), None, "{path}");
        }
        assert_eq!(
            tree.link(Path::new("link")).ok(),
            Some(b"../secret".to_vec())
        );
        assert!(tree.read(Path::new("in/file"), 3).is_err());
        assert_eq!(
            tree.names(Path::new("")).expect("names"),
            ["in", "inner", "link"]
        );
    }

    #[test]
    fn files_are_compared_to_their_ends() {
        let folder = tempfile::tempdir().expect("a folder");
        for (a, b, expected) in [
            (&b"same"[..], &b"same"[..], true),
            (b"same", b"sama", false),
            (b"longer", b"long", false),
            (b"long", b"longer", false),
            (b"", b"", true),
        ] {
            assert_eq!(
                same_bytes(file(folder.path(), "a", a), file(folder.path(), "b", b)).ok(),
                Some(expected)
            );
        }
    }

    fn file(folder: &Path, name: &str, bytes: &[u8]) -> File {
        fs::write(folder.join(name), bytes).expect("a file");
        File::open(folder.join(name)).expect("a file")
    }
}
