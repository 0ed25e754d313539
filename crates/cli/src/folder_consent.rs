//! Consent to work on a broad folder: the home folder, one above it, or `/`.
//!
//! In: the workspace, and who is there. Out: whether it may be indexed, shown to a model and opened to programs. The user is
//! asked at each start, and where nobody can be asked, only `--broad-folder` begins.

use std::io::{self, BufRead as _, IsTerminal as _, Write as _};

use signoff_draw::sanitize;
use signoff_setup::broad_folder::{refuse, what};
use signoff_setup::paths::Paths;

use crate::args::Command;

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
    if !answer.ends_with('\n') {
        // Ctrl-D ends the input and not the line.
        writeln!(err)?;
    }
    if matches!(answer.trim(), "y" | "Y" | "yes") {
        return Ok(Consent::Given);
    }
    writeln!(
        err,
        "signoff: nothing was read. Start in the folder of a project, or name one with --dir"
    )?;
    Ok(Consent::Refused)
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
        | Command::Commit(_)
        | Command::Keep(_)
        | Command::Offer(_)
        | Command::Take(_)
        | Command::Blame(_)
        | Command::Verify(_)
        | Command::Doctor(_)
        | Command::Setup(_)
        | Command::Trust(_)
        | Command::Keys(_)
        | Command::Rule(_)
        | Command::Demo
        | Command::Completions { .. }
        | Command::Man => false,
    }
}
