//! Bounded reads of regular files.
//!
//! In: a path that somebody else may have made: a link, a pipe, a device without an end. Out: bytes,
//! or an error at once.

use std::fs::File;
use std::io::{self, Read};
use std::os::unix::fs::OpenOptionsExt;
use std::path::Path;

use rustix::fs::OFlags;

/// Reads the beginning of a regular file, at most `most` bytes, and returns it with the size of all of it.
///
/// # Errors
///
/// Fails if there is no regular file.
pub fn head(path: &Path, most: usize) -> io::Result<(Vec<u8>, u64)> {
    let file = open(path)?;
    let size = file.metadata()?.len();
    let mut bytes = room(size.min(most as u64));
    file.take(most as u64).read_to_end(&mut bytes)?;
    Ok((bytes, size))
}

/// Reads a regular file without waiting for a writer.
///
/// # Errors
///
/// Fails if there is none, if it is something else than a regular file, or if it has more than
/// `most` bytes.
pub fn read(path: &Path, most: u64) -> io::Result<Vec<u8>> {
    let file = open(path)?;
    let mut bytes = room(file.metadata()?.len().min(most));
    file.take(most.saturating_add(1)).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > most {
        Err(refused(&format!("it has more than {most} bytes")))
    } else {
        Ok(bytes)
    }
}

/// Returns a buffer into which a file of this size is read in two calls: into one without room it is read in pieces of
/// 32 bytes, 64, and so on.
fn room(size: u64) -> Vec<u8> {
    let mut bytes = Vec::new();
    let room = usize::try_from(size).unwrap_or(usize::MAX);
    // The size of a sparse file is a claim: where there is no such room, it is read in pieces.
    let _in_pieces = bytes.try_reserve_exact(room.saturating_add(1));
    bytes
}

fn refused(why: &str) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, why)
}

fn not_regular() -> io::Error {
    refused("it is not a regular file")
}

/// Opens a regular file.
fn open(path: &Path) -> io::Result<File> {
    // Some devices do something when they are opened.
    if !std::fs::metadata(path)?.is_file() {
        return Err(not_regular());
    }
    let flags = OFlags::NONBLOCK.bits().cast_signed();
    let file = File::options().read(true).custom_flags(flags).open(path)?;
    if !file.metadata()?.is_file() {
        return Err(not_regular());
    }
    Ok(file)
}

/// Reads a regular file of UTF-8 text, as [`read`] does.
///
/// # Errors
///
/// As [`read`], and if it is no UTF-8 text.
pub fn text(path: &Path, most: u64) -> io::Result<String> {
    String::from_utf8(read(path, most)?)
        .map_err(|error| io::Error::new(io::ErrorKind::InvalidData, error))
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::symlink;
    use std::process::Command;

    use super::*;

    #[test]
    fn only_regular_files_within_the_bound_are_read() {
        let folder = tempfile::tempdir().expect("a folder");
        let at = |name: &str| folder.path().join(name);
        std::fs::write(at("file"), "12345").expect("a file");
        symlink("file", at("link")).expect("a link");
        symlink("/dev/zero", at("zero")).expect("a link");
        let made = Command::new("mkfifo").arg(at("pipe")).status();
        assert!(made.expect("mkfifo").success());
        for name in ["file", "link"] {
            assert_eq!(text(&at(name), 5).expect("it is read"), "12345");
            assert!(read(&at(name), 4).is_err());
            assert_eq!(
                head(&at(name), 4).expect("it is read"),
                (b"1234".to_vec(), 5)
            );
        }
        for name in ["zero", "pipe", "missing", "."] {
            assert!(read(&at(name), 100).is_err(), "{name}");
            assert!(head(&at(name), 100).is_err(), "{name}");
        }
    }
}
