//! Arguments of the commands that take changes back and put them back.
//!
//! In: the command line. Out: a file or a changeset, and how far to go.

use clap::{ArgGroup, Args as Group};

/// The name of the newest changeset that is in effect.
pub const LAST: &str = "last";

/// What `revert`, `undo` and `redo` have in common: whether something is written, and how it is told.
#[derive(Clone, Copy, Debug, Default, Group)]
pub struct RevertMode {
    /// Only show what would change.
    #[arg(long)]
    pub dry_run: bool,
    /// Where something is in the way in some files of a changeset, write the others, and propose what undoes those.
    #[arg(long)]
    pub yes: bool,
    /// Print JSON.
    #[arg(long)]
    pub json: bool,
}

/// `revert`
#[derive(Debug, Group)]
#[command(group(ArgGroup::new("what").required(true).args(["path", "changeset"])))]
#[command(group(ArgGroup::new("how_far").args(["to", "only", "changeset"])))]
pub struct RevertArgs {
    /// The file.
    pub path: Option<String>,
    /// Make it what it was right after this version; 0 is before the first.
    #[arg(long, value_name = "N")]
    pub to: Option<u64>,
    /// Undo this one version and keep the later ones.
    #[arg(long, value_name = "N")]
    pub only: Option<u64>,
    /// Undo everything that was written with this changeset, in all files or in none: its id, the first or last
    /// characters of it, or `last`.
    #[arg(long, value_name = "ID")]
    pub changeset: Option<String>,
    /// Whether something is written, and how it is told.
    #[command(flatten)]
    pub mode: RevertMode,
}

/// `undo`
#[derive(Debug, Group)]
pub struct UndoArgs {
    /// Whether something is written, and how it is told.
    #[command(flatten)]
    pub mode: RevertMode,
}

/// `redo`
#[derive(Debug, Group)]
#[command(group(ArgGroup::new("what").args(["path", "changeset"])))]
pub struct RedoArgs {
    /// The file; without one, and without a changeset, what was last undone is put back, in all of its files.
    pub path: Option<String>,
    /// Put back what was undone of this changeset, in all files or in none: its id, the first or last characters of
    /// it, or `last`.
    #[arg(long, value_name = "ID")]
    pub changeset: Option<String>,
    /// Whether something is written, and how it is told.
    #[command(flatten)]
    pub mode: RevertMode,
}
