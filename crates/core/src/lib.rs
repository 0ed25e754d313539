//! The edit engine of signoff: finds where a change belongs, stages it, lets it be reviewed,
//! writes it all or not at all, and takes it back.
//!
//! No network, no terminal, no async runtime, no clock and no environment: time and ids come in
//! through [`id::Ambient`], files through [`disk::workspace::Workspace`].
//!
//! # For other programs
//!
//! [`edit::plan::plan`] turns a text and a change, as a model phrased it, into edits, or into an answer why
//! not; [`edit::guard::screen`] looks at what they make of the text. Neither touches a file.
//!
//! ```
//! use std::path::Path;
//!
//! use signoff_core::edit::plan::{Outcome, plan};
//! use signoff_core::edit::request::Change;
//! use signoff_core::text::Source;
//! use signoff_core::disk::workspace::WorkspacePath;
//!
//! let path = WorkspacePath::parse("src/main.rs", Path::new("/"))?;
//! let source = Source::new("fn main() {\n    let total = 1;\n}\n");
//! let change: Change = r#"{
//!     "file": "src/main.rs",
//!     "section": {"edits": [{"old_text": "total = 1", "new_text": "total = 2"}]}
//! }"#
//! .parse()?;
//! match plan(&path, Some(&source), &change) {
//!     Outcome::Planned(plan) => {
//!         assert_eq!(plan.evidence.how, "exact");
//!         let after = plan.edits.apply(source.bytes())?;
//!         assert_eq!(after, b"fn main() {\n    let total = 2;\n}\n");
//!         let back = plan.edits.invert().apply(&after)?;
//!         assert_eq!(back, source.bytes());
//!     }
//!     Outcome::Ambiguous { why, candidates } => println!("{why}: {candidates:?}"),
//!     Outcome::NotFound { why, nearest } => println!("{why}: {nearest:?}"),
//!     answer => println!("{answer:?}"),
//! }
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! A change can be made without JSON too: [`edit::request::Change::new`]. [`edit::plan`] has an example for every
//! strategy, `docs/edits.md` every payload. [`engine::one_shot`] does all of it for a line of JSON,
//! and [`engine::Engine`] stages, reviews, writes and takes back.
//!
//! # Rooms
//!
//! Each uses only those above it:
//!
//! | room | in | out |
//! |---|---|---|
//! | [`id`] | | identities, time, the outside world as arguments |
//! | [`disk`] | paths, texts to write | files; all of them written, or none |
//! | [`edit`] | a request | splices, or an answer why not |
//! | [`stage`] | plans | layers over files, and what a person sees of them |
//! | [`record`] | what was written | the way back, in later processes too |
//! | [`engine`] | requests and verdicts | answers, commits, reverts |
//!
//! Below them is the crate `signoff-source`, whose rooms this one hands on: texts, syntax, budgets.

pub mod id;
pub mod disk;
pub mod edit;
pub mod stage;
pub mod record;
pub mod engine;

pub use signoff_source::{
    budget, clip, file, percent, plural, quote, role, spelling, syntax, text, word,
};
