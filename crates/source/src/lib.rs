//! Source code as it is: texts and their edits, paths, trees.
//!
//! Nothing here knows of requests or of staged work, or looks at the disk. Other programs may use it alone:
//!
//! ```
//! use std::path::Path;
//!
//! use signoff_source::path::WorkspacePath;
//! use signoff_source::syntax::Language;
//! use signoff_source::text::{EditSet, Splice};
//!
//! let path = WorkspacePath::parse("src/main.rs", Path::new("/"))?;
//! assert_eq!(Language::of(&path), Some(Language::Rust));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # Rooms
//!
//! Each uses only those above it:
//!
//! | room | in | out |
//! |---|---|---|
//! | [`plural`] | a number, a noun | both in words |
//! | [`quote`] | a name | the same on one line, in quotes where it needs them |
//! | [`clip`] | a text, a bound | the part that fits, and the rest |
//! | [`word`] | a character or a text | whether it is part of a name, or one |
//! | [`spelling`] | a mistyped word, and names | the names that it is nearest to |
//! | [`lookalikes`] | a line | its word that passes for another one |
//! | [`percent`] | bytes, or a part of an address | the other |
//! | [`address`] | an IP address | which network it is part of |
//! | [`budget`] | steps, a stop | whether work goes on |
//! | [`path`] | a path as it was written | one that cannot lead out of the workspace |
//! | [`role`] | a path | what the file is for |
//! | [`file`] | what the system says of a file | stamps; files as programs find and leave them |
//! | [`text`] | bytes | sources, and edits with their algebra |
//! | [`syntax`] | text | trees, outlines, syntax errors |

pub mod plural;
pub mod quote;
pub mod clip;
pub mod word;
pub mod spelling;
pub mod lookalikes;
pub mod percent;
pub mod address;
pub mod budget;
pub mod path;
pub mod role;
pub mod file;
pub mod text;
pub mod syntax;
