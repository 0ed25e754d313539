//! Arguments of `commit`.
//!
//! In: the command line. Out: what is committed, the message, and the format of the output.

use clap::Args as Group;

/// `commit`
#[derive(Debug, Group)]
pub struct CommitArgs {
    /// Only these files.
    pub paths: Vec<String>,
    /// The message; without one, your editor opens with one made of what the changes were for.
    #[arg(short, long, value_name = "TEXT")]
    pub message: Option<String>,
    /// Only what was written with this changeset: its id, the first or last characters of it, or `last`. Again for
    /// another.
    #[arg(long, value_name = "ID", conflicts_with = "session")]
    pub changeset: Vec<String>,
    /// Only what this conversation wrote: its id, the first characters of it, or `last`.
    #[arg(long, value_name = "ID")]
    pub session: Option<String>,
    /// Commit a file as it is on disk where a change builds on lines of yours that are not committed.
    #[arg(long)]
    pub own_lines: bool,
    /// Only show what would be committed.
    #[arg(long)]
    pub dry_run: bool,
    /// Print JSON.
    #[arg(long)]
    pub json: bool,
}
