//! Descriptors that a stage inherits: those beyond the three standard ones are closed before anything else is opened.

use std::fs;
use std::io;
use std::os::fd::RawFd;

/// The last of the standard descriptors.
const LAST_STANDARD: RawFd = 2;

/// Returns the descriptors of this process beyond the standard ones.
pub(super) fn numbers() -> io::Result<Vec<RawFd>> {
    let entries = fs::read_dir("/proc/self/fd")?.flatten();
    let numbers = entries.filter_map(|entry| entry.file_name().to_str()?.parse().ok());
    // The listing's own descriptor is among them, and closed by then.
    Ok(numbers.filter(|number| *number > LAST_STANDARD).collect())
}

/// Closes every descriptor beyond the standard ones. Must be called before this process has opened any.
pub(super) fn close_inherited() -> io::Result<()> {
    numbers()?.into_iter().for_each(close);
    Ok(())
}

/// Closes a descriptor that this process has inherited and not opened.
pub(super) fn close(number: RawFd) {
    let _closed = nix::unistd::close(number);
}
