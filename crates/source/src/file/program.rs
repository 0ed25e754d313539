//! A file before and after a program.
//!
//! ```text
//! sed -i s/a/b/ x.txt    x.txt   content: b...   base: a...
//! rm -r d                d/y     content: none   base: its text   folders_gone: 1
//! ```

/// A file or symbolic link, as a program is to find it or has left it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ProgramFile {
    /// Path relative to the workspace, with `/` between its parts, which goes through no link.
    pub path: String,
    /// What it is; none if nothing has this name.
    pub content: Option<ProgramContent>,
    /// What the program found there; [`ProgramBase::Current`] for a file that no program has seen yet.
    pub base: ProgramBase,
    /// How many of the folders that it was in are gone with it if they are empty, the innermost first.
    pub folders_gone: usize,
}

/// What a program found under a name when it started.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ProgramBase {
    /// What is there now: nothing has changed it since.
    Current,
    /// This; none if nothing had this name.
    Known(Option<ProgramContent>),
    /// A file with these bytes; its permission bits are not known.
    Text(Vec<u8>),
    /// Something changed it since the program started, and what it was is not known.
    Unknown,
}

/// What a program finds or leaves under a name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ProgramContent {
    /// A regular file.
    File {
        /// Its bytes.
        bytes: Vec<u8>,
        /// Its permission bits; none for those that it has on disk, or that new files get.
        mode: Option<u32>,
    },
    /// A symbolic link with this target.
    Link(Vec<u8>),
}
