//! Whose a repository is. One of another user is not used, as git does not use it: its settings, links and hooks are theirs.
//!
//! The rule is git's (`ensure_valid_ownership` of its `setup.c`). The work tree, its `.git`, and the folder that a `.git` file
//! names belong to the user; for root by sudo also to who called sudo. Or `safe.directory` of the user's or the system's
//! configuration names the work tree. Git itself does not ask where it is told of a folder, as every view tells it.

use std::fs;
use std::io;
use std::os::unix::fs::MetadataExt as _;
use std::path::Path;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use rustix::process::geteuid;

use super::program;
use super::repository::Repository;
use crate::process::{self, Ended, Limits, Program, Supervision};

/// Variables by which git finds the configuration of the user and of the system.
const CONFIGURED_BY: [&str; 7] = [
    "GIT_CONFIG_GLOBAL",
    "GIT_CONFIG_NOSYSTEM",
    "GIT_CONFIG_SYSTEM",
    "HOME",
    "LD_LIBRARY_PATH",
    "PATH",
    "XDG_CONFIG_HOME",
];
/// How far git may go that lists settings: it reads a few files.
const LIMITS: Limits = Limits {
    timeout: Duration::from_secs(10),
    most_bytes: 64 * 1024,
};

/// Returns why a repository is not used, in git's words; none if it is the user's, or they allow it.
pub(super) fn refusal(repository: &Repository) -> Option<String> {
    let Repository { top, own, .. } = repository;
    let sudo = std::env::var("SUDO_UID").ok();
    let users = users(geteuid().as_raw(), sudo.as_deref());
    let places = [top.as_path(), &top.join(".git"), own];
    let is_own = places.iter().all(|path| {
        // As git: what cannot be looked at is nobody's.
        fs::symlink_metadata(path).is_ok_and(|found| users.contains(&found.uid()))
    });
    let real = top.canonicalize().unwrap_or_else(|_| top.clone());
    if is_own || is_named(&safe_folders(top).unwrap_or_default(), &real) {
        return None;
    }
    let top = top.display().to_string();
    Some(format!(
        "detected dubious ownership in repository at {top:?}: it is another user's; `git config --global --add safe.directory {top:?}` makes an exception"
    ))
}

/// Returns whose repositories a user uses.
fn users(user: u32, sudo: Option<&str>) -> Vec<u32> {
    let by_sudo = sudo.filter(|_| user == 0);
    let by_sudo = by_sudo.and_then(|id| id.parse().ok());
    [user].into_iter().chain(by_sudo).collect()
}

/// Returns the values of `safe.directory`, each with a zero byte at its end.
fn safe_folders(top: &Path) -> io::Result<String> {
    let name = program::git(std::env::var_os("PATH"), top);
    let name = name.ok_or(io::ErrorKind::NotFound)?;
    let arguments = [
        "config",
        "--null",
        "--type=path",
        "--get-all",
        "safe.directory",
    ];
    // In no repository, whatever is around the folder.
    let nowhere = ("GIT_DIR".to_owned(), "/dev/null".to_owned());
    let variables = CONFIGURED_BY.iter().filter_map(|name| {
        let value = std::env::var(name).ok()?;
        Some(((*name).to_owned(), value))
    });
    let program = Program {
        name: name.into(),
        arguments: arguments.iter().map(Into::into).collect(),
        folder: "/".into(),
        inherits: false,
        hidden: Vec::new(),
        variables: variables.chain([nowhere]).collect(),
        supervision: Supervision::None,
    };
    let never = AtomicBool::new(false);
    let report = process::run(&program, LIMITS, &never, &mut |_, _| {})?;
    match report.ended {
        Ended::Exit(0) => Ok(report.out.text()),
        _ => Ok(String::new()),
    }
}

/// Returns whether values of `safe.directory` name a work tree. An empty one takes back what was named before it.
fn is_named(values: &str, top: &Path) -> bool {
    let mut is_named = false;
    for value in values.split_terminator('\0') {
        is_named = match value {
            "" => false,
            "*" => true,
            _ => is_named || names(value, top),
        };
    }
    is_named
}

fn names(value: &str, top: &Path) -> bool {
    let (folder, is_of_all_below) = match value.strip_suffix("/*") {
        Some(folder) => (folder, true),
        None => (value, false),
    };
    let folder = Path::new(if folder.is_empty() { "/" } else { folder });
    let Ok(folder) = folder.canonicalize() else {
        return false;
    };
    let is_absolute = value.starts_with('/');
    is_absolute && (folder == top || is_of_all_below && top.starts_with(&folder))
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::chown;

    use super::*;
    use crate::git_view::tests::place;

    #[test]
    fn the_user_and_who_called_sudo_own_what_is_theirs() {
        assert_eq!(users(1000, None), [1000]);
        assert_eq!(users(1000, Some("1001")), [1000]);
        assert_eq!(users(0, None), [0]);
        assert_eq!(users(0, Some("1001")), [0, 1001]);
        assert_eq!(users(0, Some("x")), [0]);
    }

    #[test]
    fn safe_folders_are_named_as_git_has_it() {
        let folder = tempfile::tempdir().expect("a folder");
        let above = folder.path().canonicalize().expect("a folder");
        let top = above.join("top");
        fs::create_dir(&top).expect("a folder");
        std::os::unix::fs::symlink(&top, above.join("link")).expect("a link");
        let above = above.display();
        for (values, expected) in [
            (String::new(), false),
            ("*\0".to_owned(), true),
            ("*\0\0".to_owned(), false),
            (format!("{above}/top\0"), true),
            (format!("{above}/top/\0/elsewhere\0"), true),
            (format!("\0{above}/link\0"), true),
            (format!("{above}/*\0"), true),
            ("/*\0".to_owned(), true),
            (format!("{above}\0"), false),
            (format!("{above}/to\0{above}/top/.git\0top\0.\0"), false),
        ] {
            assert_eq!(is_named(&values, &top), expected, "{values:?}");
        }
    }

    #[test]
    fn a_repository_of_another_user_is_not_used() {
        // Root alone can make one.
        let Some(place) = place().filter(|_| geteuid().is_root()) else {
            return;
        };
        let root = place.at("own/below");
        fs::create_dir(&root).expect("a folder");
        if is_named(&safe_folders(&root).unwrap_or_default(), &root) {
            return;
        }
        for path in ["own", "own/.git"] {
            chown(place.at(path), Some(12_345), None).expect("an owner");
            let refused = Repository::find(&root).expect_err("it is another's");
            assert!(refused.contains("dubious ownership"), "{refused}");
            assert_eq!(crate::git_view::folders_around(&root).count(), 0);
            chown(place.at(path), Some(0), None).expect("an owner");
        }
        Repository::find(&root).expect("it is the user's");
    }
}
