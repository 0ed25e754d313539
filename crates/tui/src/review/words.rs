//! Words of a review that the screen and the command line share.
//!
//! In: an operation, a hunk's header. Out: what a person reads: `deleted`, `the whole file`.

use signoff_core::intent::Operation;

/// Returns the header of a hunk as it is shown: a file that moves, or an empty one, has no lines to name.
pub(crate) fn place(header: &str) -> &str {
    const NO_LINES: &str = "@@ -0,0 +0,0 @@";
    if header == NO_LINES {
        "the whole file"
    } else {
        header
    }
}

/// Returns an operation as what becomes of the file.
pub(crate) fn deed(operation: Operation) -> String {
    match operation {
        Operation::Delete => "deleted".to_owned(),
        Operation::Move => "moved".to_owned(),
        other => other.to_string(),
    }
}
