//! A tree that a program wrote, read without leaving it: no link is followed, whoever puts one there meanwhile.

use std::ffi::OsString;
use std::fs::{File, Metadata};
use std::io::{self, Read as _};
use std::os::fd::OwnedFd;
use std::os::unix::ffi::OsStringExt as _;
use std::path::Path;

use rustix::fs::{Dir, Mode, OFlags, ResolveFlags, open, openat2, readlinkat};
use rustix::io::Errno;

/// The tree.
#[derive(Debug)]
pub(super) struct Tree {
    top: OwnedFd,
}

impl Tree {
    /// Opens a folder; its own path may go through links.
    pub(super) fn open(top: &Path) -> io::Result<Self> {
        let flags = OFlags::PATH | OFlags::DIRECTORY | OFlags::CLOEXEC;
        Ok(Self {
            top: open(top, flags, Mode::empty())?,
        })
    }

    fn at(&self, path: &Path, flags: OFlags) -> io::Result<File> {
        let path = if path.as_os_str().is_empty() {
            Path::new(".")
        } else {
            path
        };
        let confined = ResolveFlags::BENEATH | ResolveFlags::NO_SYMLINKS;
        let flags = flags | OFlags::CLOEXEC | OFlags::NOFOLLOW;
        Ok(openat2(&self.top, path, flags, Mode::empty(), confined)?.into())
    }

    /// Returns what is known of a file, folder or link.
    pub(super) fn metadata(&self, path: &Path) -> io::Result<Metadata> {
        self.at(path, OFlags::PATH)?.metadata()
    }

    /// Returns what is known of a path, and none where nothing is: what cannot be looked at may well be there.
    pub(super) fn found(&self, path: &Path) -> io::Result<Option<Metadata>> {
        match self.metadata(path) {
            Ok(metadata) => Ok(Some(metadata)),
            // A folder of it is another file, or a link, by now.
            Err(error)
                if [Errno::NOENT, Errno::NOTDIR, Errno::LOOP]
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
        let file = |name: &str, bytes: &[u8]| {
            fs::write(folder.path().join(name), bytes).expect("a file");
            File::open(folder.path().join(name)).expect("a file")
        };
        for (a, b, expected) in [
            (&b"same"[..], &b"same"[..], true),
            (b"same", b"sama", false),
            (b"longer", b"long", false),
            (b"long", b"longer", false),
            (b"", b"", true),
        ] {
            assert_eq!(same_bytes(file("a", a), file("b", b)).ok(), Some(expected));
        }
    }
}
