//! Finding a program on the path.

use std::ffi::OsStr;
use std::io;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

/// Returns where a program is: its own path if it has one, else the first on `PATH`.
///
/// # Errors
///
/// [`io::ErrorKind::NotFound`] if there is none that can be executed.
pub(super) fn executable(name: &OsStr, folder: &Path) -> io::Result<PathBuf> {
    let is_path = Path::new(name).components().count() > 1;
    let paths = std::env::var_os("PATH").unwrap_or_default();
    let mut candidates: Vec<PathBuf> = if is_path {
        vec![folder.join(name)]
    } else {
        std::env::split_paths(&paths)
            .map(|path| folder.join(path).join(name))
            .collect()
    };
    candidates.retain(|path| is_executable(path));
    candidates
        .into_iter()
        .next()
        .ok_or_else(|| io::ErrorKind::NotFound.into())
}

/// Returns whether a program is on `PATH`.
pub fn installed(name: &str) -> bool {
    on_path(name).is_some()
}

/// Returns where a program is on `PATH`.
pub fn on_path(name: &str) -> Option<PathBuf> {
    executable(name.as_ref(), Path::new("/")).ok()
}

fn is_executable(path: &Path) -> bool {
    let found = std::fs::metadata(path);
    found.is_ok_and(|found| found.is_file() && found.permissions().mode() & 0o111 != 0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn programs_are_found_on_the_path_and_by_their_own() {
        let check = |name: &str| executable(OsStr::new(name), Path::new("/"));
        assert!(check("sh").is_ok_and(|path| path.ends_with("sh")));
        assert!(check("/bin/sh").is_ok());
        for name in [
            "no-such-program",
            "/bin/no-such-program",
            "/bin",
            "",
            "/etc/passwd",
        ] {
            assert_eq!(
                check(name).map_err(|error| error.kind()),
                Err(io::ErrorKind::NotFound),
                "{name}"
            );
        }
    }
}
