//! Language servers: programs that know a language, asked by the Language Server Protocol 3.17.
//!
//! In: a shadow of the workspace, and texts as staged. Out: places, edits and diagnostics, all of files of the workspace.
//! A server is started when something is asked of it ([`Client::start`]) and ends with its client. Nothing of what it
//! says is trusted: messages are bounded, paths outside of the workspace and edits that do not fit the text that it was
//! sent are errors, and one that does not answer in time is given up on.
//!
//! The Language Server Protocol, by hand: `framing`, `position`, `uri` and `workspace_edit` are pure; `connection`
//! reads and writes on threads of its own, with bounds on what waits; `client` asks, and `catalogue` knows the
//! programs.
//!
//! **Invariant:** an edit counts only where every text that it changes was sent to the server, in the version that
//! it names. Otherwise the text is sent and the server is asked again.

mod catalogue;
mod client;
mod connection;
mod diagnosed;
mod framing;
mod position;
mod uri;
mod workspace_edit;

pub use catalogue::{LanguageServer, language_id};
pub use client::{Action, Client, ORGANIZE, SourcePlace, Target, Wait};
pub use workspace_edit::{EditedFile, FileOperation};

/// Why a language server did not do what was asked.
#[derive(Debug, thiserror::Error)]
pub enum ServerFault {
    /// The system.
    #[error(transparent)]
    Io(#[from] std::io::Error),
    /// It is over.
    #[error("the language server ended{0}")]
    Ended(String),
    /// It did not answer in time.
    #[error("the language server did not answer in {0} s")]
    Silent(u64),
    /// Nobody waits any more.
    #[error("nobody waits for the language server any more")]
    Stopped,
    /// It sent something that is no message, or one that is too large.
    #[error("the language server sent what cannot be read: {0}")]
    Unreadable(&'static str),
    /// It said that it cannot do it.
    #[error("the language server refuses: {0}")]
    Refused(String),
    /// Its answer does not fit the workspace.
    #[error("the language server's answer is not used: {0}")]
    Unfit(String),
}
