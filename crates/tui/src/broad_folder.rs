//! Consent to work on a broad folder: the home folder, one above it, or `/`.
//!
//! In: the workspace, and who is there. Out: whether it may be indexed, shown to a model and opened to programs. Such a
//! folder has what is of no concern to a project: keys, letters, settings of other programs. It is mostly a mistake, as a
//! terminal that was opened and not yet moved; so the user is asked at each start, and where nobody can be asked, only
//! `--broad-folder` begins.

use std::io::{self, BufRead as _, IsTerminal as _, Write as _};
use std::path::Path;

use crate::args::Command;
use crate::paths::Paths;
use crate::sanitize;

/// What is said for the answer to the question.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Consent {
    /// The folder is no broad one, or the user wants it.
    Given,
    /// The user does not want it.
    Refused,
}

/// Asks whether a broad folder is meant, where it is one.
///
/// # Errors
///
/// Fails where nobody can be asked, and says how to go on.
pub fn ask(paths: &Paths, is_allowed: bool) -> anyhow::Result<Consent> {
    let Some(what) = what(&paths.root).filter(|_| !is_allowed) else {
        return Ok(Consent::Given);
    };
    if !io::stdin().is_terminal() || !io::stderr().is_terminal() {
        refuse(paths)?;
    }
    let folder = paths.root.display().to_string();
    let folder = sanitize::clean(&folder);
    let mut err = io::stderr();
    writeln!(
        err,
        "signoff: the workspace would be {folder}, {what}. All files in it would be listed, and the model and programs may \
         read them; signoff's own settings and state are left out."
    )?;
    write!(err, "Work on all of {folder}? [y/N] ")?;
    err.flush()?;
    let mut answer = String::new();
    io::stdin().lock().read_line(&mut answer)?;
    if matches!(answer.trim(), "y" | "Y" | "yes") {
        return Ok(Consent::Given);
    }
    writeln!(
        err,
        "signoff: nothing was read. Start in the folder of a project, or name one with --dir"
    )?;
    Ok(Consent::Refused)
}

/// Refuses a broad folder, where nobody can be asked.
///
/// # Errors
///
/// Fails where the folder is a broad one, and says how to go on.
pub fn refuse(paths: &Paths) -> anyhow::Result<()> {
    let Some(what) = what(&paths.root) else {
        return Ok(());
    };
    let folder = paths.root.display().to_string();
    anyhow::bail!(
        "the workspace would be {}, {what}: all files in it would be open to the model and to programs. Start in the folder \
         of a project, name one with --dir, or say --broad-folder if this one is meant",
        sanitize::clean(&folder)
    )
}

/// Returns whether a command looks through the workspace, or opens it to a model or to programs.
pub fn is_asked_for(command: &Command) -> bool {
    match command {
        Command::Exec(_)
        | Command::Background(_)
        | Command::Run(_)
        | Command::Test(_)
        | Command::Check(_)
        | Command::Context(_)
        | Command::Symbols(_)
        | Command::References(_)
        | Command::Init(_) => true,
        #[cfg(feature = "mcp")]
        Command::Mcp => true,
        // The editor names the folder of each conversation, which is asked about there.
        #[cfg(feature = "acp")]
        Command::Acp(_) => false,
        #[cfg(feature = "mcp")]
        Command::SignIn(_) => false,
        Command::Apply(_)
        | Command::Engine(_)
        | Command::Review(_)
        | Command::Diff
        | Command::Approve(_)
        | Command::Deny(_)
        | Command::Sessions(_)
        | Command::History(_)
        | Command::Revert(_)
        | Command::Undo(_)
        | Command::Redo(_)
        | Command::Blame(_)
        | Command::Doctor(_)
        | Command::Trust(_)
        | Command::Keys(_)
        | Command::Demo
        | Command::Completions { .. }
        | Command::Man => false,
    }
}

/// Says what a folder is, if it is a broad one. Links in both paths are followed.
fn what(root: &Path) -> Option<&'static str> {
    let home = etcetera::home_dir().ok();
    let home = home.map(|home| home.canonicalize().unwrap_or(home));
    broad(root, home.as_deref())
}

/// Says what a folder is to the home folder, if it is a broad one.
fn broad(root: &Path, home: Option<&Path>) -> Option<&'static str> {
    match home {
        _ if root.parent().is_none() => Some("the whole file system"),
        Some(home) if root == home => Some("your home folder"),
        Some(home) if home.starts_with(root) => Some("a folder around your home folder"),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_home_folder_and_what_is_around_it_are_broad() {
        for (root, home, is_broad) in [
            ("/", "/h/u", true),
            ("/", "/", true),
            ("/h", "/h/u", true),
            ("/h/u", "/h/u", true),
            ("/h/u/project", "/h/u", false),
            ("/h/u2", "/h/u", false),
            ("/srv/project", "/h/u", false),
        ] {
            let what = broad(Path::new(root), Some(Path::new(home)));
            assert_eq!(what.is_some(), is_broad, "{root} {home}");
        }
        assert_eq!(broad(Path::new("/srv"), None), None);
        assert!(broad(Path::new("/"), None).is_some());
    }
}
