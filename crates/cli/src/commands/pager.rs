//! Pages: output for a reader.
//!
//! In: lines. Out: plain lines where a program reads them; on a terminal, colours as `git diff` has them, through
//! `$PAGER` or `less` where they are more than a screen.

use std::fmt::Write as _;
use std::io::{self, IsTerminal as _, Write as _};
use std::process::{Child, Stdio};

use signoff_draw::sanitize;
use signoff_sandbox::process::installed;
use signoff_tui::user_shell::UserShell;

use super::out;

/// What `less` is told where the user has not set `LESS`, as git has it: end at once if all fits on one screen, keep
/// colours, leave the text on the screen.
const LESS: &str = "FRX";

/// Lines for a reader.
pub(super) struct Pages {
    text: String,
    is_terminal: bool,
    has_colours: bool,
}

impl Pages {
    pub(super) fn new() -> Self {
        let is_terminal = io::stdout().is_terminal();
        let refuses = std::env::var_os("NO_COLOR").is_some_and(|value| !value.is_empty());
        Self {
            text: String::new(),
            is_terminal,
            has_colours: is_terminal && !refuses,
        }
    }

    /// Adds a line as it is.
    pub(super) fn line(&mut self, text: &str) {
        self.push("", text);
    }

    /// Adds a line that leads others.
    pub(super) fn head(&mut self, text: &str) {
        self.push("1", text);
    }

    /// Adds a line of a diff, in the colour of its mark.
    pub(super) fn diff_line(&mut self, text: &str) {
        let heads = ["diff ", "--- ", "+++ "];
        let colour = match text.bytes().next() {
            _ if heads.iter().any(|head| text.starts_with(head)) => "1",
            Some(b'+') => "32",
            Some(b'-') => "31",
            Some(b'@') => "36",
            _ => "",
        };
        self.push(colour, text);
    }

    /// Prints all of it.
    pub(super) fn show(self, shell: &UserShell) -> anyhow::Result<()> {
        if self.is_terminal
            && let Some(mut pager) = pager(shell)
        {
            if let Some(mut stdin) = pager.stdin.take() {
                // Whoever reads may stop before the end.
                let _left = stdin.write_all(self.text.as_bytes());
            }
            pager.wait()?;
            return Ok(());
        }
        let mut out = io::stdout().lock();
        out.write_all(self.text.as_bytes())?;
        out.flush()?;
        Ok(())
    }

    fn push(&mut self, colour: &str, text: &str) {
        let text = sanitize::clean(text);
        // Writing to a string cannot fail.
        let _written = if colour.is_empty() || !self.has_colours {
            writeln!(self.text, "{text}")
        } else {
            writeln!(self.text, "\u{1b}[{colour}m{text}\u{1b}[0m")
        };
    }
}

/// Starts the user's pager; none if there is none, or it is `cat` or empty.
fn pager(shell: &UserShell) -> Option<Child> {
    let set = std::env::var("PAGER").ok();
    let line = set.as_deref().map_or("less", str::trim);
    let program = line.split_whitespace().next()?;
    if program == "cat" {
        return None;
    }
    let mut command = shell.command(line);
    command.stdin(Stdio::piped());
    if std::env::var_os("LESS").is_none() {
        command.env("LESS", LESS);
    }
    if !installed(program) {
        return None;
    }
    let started = command.spawn();
    started
        .inspect_err(|error| out::remark(&format!("cannot start the pager {line}: {error}")))
        .ok()
}
