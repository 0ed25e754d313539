//! A step of making a shadow that failed: what was tried, and what the system said.

use std::io;
use std::path::Path;

/// Returns an error that names the step, as in "cannot mount /proc: Operation not permitted".
pub(super) fn failed(step: &str, error: impl Into<io::Error>) -> io::Error {
    let error = error.into();
    io::Error::new(error.kind(), format!("cannot {step}: {error}"))
}

/// Does the same for a step on a path.
pub(super) fn failed_on(step: &str, path: &Path, error: impl Into<io::Error>) -> io::Error {
    failed(&format!("{step} {}", path.display()), error)
}
