//! Files as they stand under a name: what a program finds and leaves there, and stamps.
//!
//! Nothing here looks at the disk: whoever does describes with these types what there was.

mod program;
mod stamp;

pub use program::{ProgramBase, ProgramContent, ProgramFile};
pub use stamp::FileStamp;
