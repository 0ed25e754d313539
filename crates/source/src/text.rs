//! Texts: immutable sources and edits of them.
//!
//! In: bytes of a file. Out: [`Source`], an immutable image of them, and [`EditSet`], the one
//! shape in which every strategy, review, merge and undo expresses a change.
//!
//! `Source` is an immutable file image. `EditSet` is the one shape of a change, with `apply`, `invert`, `compose`
//! and `commute`. A splice carries the bytes that it removes, so the last three need no text.
//!
//! **Invariant:** the splices of an edit set are sorted and disjoint, at most one at a point. The field is private
//! and `EditSet::new` checks.
//!
//! **Invariant:** a `Source` is UTF-8 in memory and remembers how its file is written. It is decoded only if
//! encoding gives the same bytes again.
//!
//! **Invariant:** `apply` refuses a text that does not hold the bytes to be removed. Bytes outside the splices are
//! never touched.
//!
//! **Invariant:** `commute` swaps or refuses; it never guesses. It works on bytes: two changes to one line that
//! touch different bytes are independent.

pub mod codec;
pub mod difference;
mod encoding;
mod entities;
pub mod edit;
pub mod indent;
mod line_kind;
pub mod lines;
mod shared;
mod slice;
pub mod source;

pub use edit::{Dependent, EditSet, Mismatch, Overlap, Splice};
pub use encoding::Encoding;
pub use entities::ENTITIES;
pub use line_kind::LineKind;
pub use shared::shared;
pub use slice::{MisplacedRange, Slice, placed};
pub use source::{Ending, Fingerprint, NotText, Source};
