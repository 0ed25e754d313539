//! The mount table of this process (`/proc/self/mountinfo`): mount points and the flags that must be kept when one is
//! made read-only.
//!
//! ```text
//! 36 35 98:0 /mnt1 /mnt/a\040b rw,nosuid,noatime master:1 - ext3 /dev/root rw
//!                  mount point flags
//! ```

use std::collections::HashSet;
use std::ffi::OsString;
use std::fs;
use std::io;
use std::os::unix::ffi::OsStringExt as _;
use std::path::{Path, PathBuf};

use rustix::mount::MountFlags;

/// Mount points and their flags, in the order of the table.
#[derive(Debug)]
pub(super) struct MountTable {
    mounts: Vec<(PathBuf, MountFlags)>,
}

impl MountTable {
    /// Reads the table of this process.
    pub(super) fn read() -> io::Result<Self> {
        Ok(Self::parse(&fs::read("/proc/self/mountinfo")?))
    }

    fn parse(table: &[u8]) -> Self {
        let lines = table.split(|byte| *byte == b'\n');
        Self {
            mounts: lines.filter_map(mount).collect(),
        }
    }

    /// Returns what is mounted at or below a folder; of several at one point, the last, which is the one on top.
    pub(super) fn below(&self, folder: &Path) -> impl Iterator<Item = (&Path, MountFlags)> {
        let mounts = self.mounts.iter();
        let mounts = mounts.map(|(point, flags)| (point.as_path(), *flags));
        let mut below: Vec<_> = mounts
            .filter(|(point, _)| point.starts_with(folder))
            .collect();
        below.reverse();
        let mut seen = HashSet::new();
        below.retain(|(point, _)| seen.insert(*point));
        below.reverse();
        below.into_iter()
    }
}

fn mount(line: &[u8]) -> Option<(PathBuf, MountFlags)> {
    let mut fields = line.split(|byte| *byte == b' ').skip(4);
    let point = unescaped(fields.next()?);
    let flags = std::str::from_utf8(fields.next()?).ok()?;
    Some((PathBuf::from(OsString::from_vec(point)), kept(flags)))
}

/// Returns the flags that a user namespace may not take away.
fn kept(options: &str) -> MountFlags {
    options.split(',').map(flag).collect()
}

fn flag(option: &str) -> MountFlags {
    match option {
        "ro" => MountFlags::RDONLY,
        "nosuid" => MountFlags::NOSUID,
        "nodev" => MountFlags::NODEV,
        "noexec" => MountFlags::NOEXEC,
        "noatime" => MountFlags::NOATIME,
        "nodiratime" => MountFlags::NODIRATIME,
        "relatime" => MountFlags::RELATIME,
        _ => MountFlags::empty(),
    }
}

/// Returns a path in which blanks, tabs, line breaks and backslashes are written as `\040`.
fn unescaped(field: &[u8]) -> Vec<u8> {
    let mut path = Vec::with_capacity(field.len());
    let mut rest = field;
    while let Some((first, after)) = rest.split_first() {
        let digits = after.get(..3).filter(|_| *first == b'\\');
        let octal = digits.and_then(|digits| std::str::from_utf8(digits).ok());
        let byte = octal.and_then(|octal| u8::from_str_radix(octal, 8).ok());
        path.push(byte.unwrap_or(*first));
        rest = if byte.is_some() {
            after.get(3..).unwrap_or_default()
        } else {
            after
        };
    }
    path
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn points_and_flags_are_read_as_the_kernel_writes_them() {
        let table = b"36 35 98:0 /m /mnt/a\\040b rw,nosuid,noatime master:1 - ext3 /dev/root rw\n\
                      37 35 98:0 /m /mnt/a\\040b ro,relatime - ext3 /dev/root rw\n\
                      38 35 98:0 / /mnt/ab rw - ext3 /dev/root rw\nbroken\n";
        let table = MountTable::parse(table);
        let below: Vec<_> = table.below(Path::new("/mnt/a b")).collect();
        let expected = MountFlags::RDONLY | MountFlags::RELATIME;
        assert_eq!(below, [(Path::new("/mnt/a b"), expected)]);
    }
}
