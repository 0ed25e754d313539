//! Texts: immutable sources and edits of them.
//!
//! In: bytes of a file. Out: [`Source`], an immutable image of them, and [`EditSet`], the one
//! shape in which every strategy, review, merge and undo expresses a change.

pub mod codec;
mod encoding;
mod entities;
pub mod edit;
pub mod indent;
pub mod lines;
mod shared;
mod slice;
pub mod source;

pub use edit::{Dependent, EditSet, Mismatch, Overlap, Splice};
pub use encoding::Encoding;
pub use entities::ENTITIES;
pub use shared::shared;
pub use slice::{MisplacedRange, Slice, placed};
pub use source::{Ending, Fingerprint, NotText, Source};
