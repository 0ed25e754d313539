//! Files as they stand under a name: what a program finds and leaves there, and stamps.
//!
//! Nothing here looks at the disk: whoever does describes with these types what there was.
//!
//! Files as they stand under a name. A `FileStamp` tells two states of a file apart without reading it; a
//! `ProgramFile` is what a program is to find, or has left, and goes from the engine to the shadow and back.

mod program;
mod stamp;

pub use program::{ProgramBase, ProgramContent, ProgramFile};
pub use stamp::FileStamp;
