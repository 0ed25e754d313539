//! Words of a review that the screen and the command line share.
//!
//! In: an operation, a hunk's header, counts. Out: what a person reads: `deleted`, `the whole file`, `2 hunks wait`.

use signoff_core::edit::intent::Operation;
use signoff_core::plural::amount;

/// Returns the header of a hunk as it is shown: a file that moves, or an empty one, has no lines to name.
pub fn place(header: &str) -> &str {
    const NO_LINES: &str = "@@ -0,0 +0,0 @@";
    if header == NO_LINES {
        "the whole file"
    } else {
        header
    }
}

/// Returns an operation as what becomes of the file.
pub fn deed(operation: Operation) -> String {
    match operation {
        Operation::Delete => "deleted".to_owned(),
        Operation::Move => "moved".to_owned(),
        other => other.to_string(),
    }
}

/// Returns how many hunks wait, and how many are in conflict, if any are.
pub fn waiting(pending: usize, conflicts: usize) -> String {
    let waits = amount(pending, "hunk waits", "hunks wait");
    match (pending, conflicts) {
        (_, 0) => waits,
        (0, conflicts) => amount(conflicts, "hunk in conflict", "hunks in conflict"),
        (_, conflicts) => format!("{waits}, {conflicts} in conflict"),
    }
}
