//! Files named in a patch while it streams in.
//!
//! In: the patch in pieces. Out: each file once its header is whole, and what happens to it.

use signoff_core::clip;
use signoff_core::edit::intent::Operation;
use signoff_core::edit::plan::{Presence, file_named};

/// No header of a file is longer.
const LONGEST: usize = 1024;

/// Reads along in a patch, line by line.
#[derive(Debug, Default)]
pub(super) struct PatchFiles {
    /// The line before, as a header may be two.
    before: String,
    line: String,
    cut: bool,
}

impl PatchFiles {
    /// Begins a patch.
    pub(super) fn begin(&mut self) {
        *self = Self::default();
    }

    /// Takes the next piece and adds the files that it names.
    pub(super) fn read(&mut self, piece: &str, found: &mut Vec<(String, Operation)>) {
        for part in piece.split_inclusive('\n') {
            let text = part.trim_end_matches('\n');
            let room = LONGEST.saturating_sub(self.line.len());
            let (fits, rest) = clip::split(text, room);
            self.line.push_str(fits);
            self.cut |= !rest.is_empty();
            if part.ends_with('\n') {
                self.end_line(found);
            }
        }
    }

    fn end_line(&mut self, found: &mut Vec<(String, Operation)>) {
        let line = std::mem::take(&mut self.line);
        let whole = !std::mem::take(&mut self.cut);
        let named = file_named(&self.before, line.trim_end()).filter(|(path, _)| !path.is_empty());
        found.extend(named.filter(|_| whole).map(|(path, presence)| {
            let operation = match presence {
                Presence::Kept => Operation::Modify,
                Presence::Created => Operation::Create,
                Presence::Linked => Operation::Link,
                Presence::Deleted => Operation::Delete,
            };
            (path, operation)
        }));
        self.before = line;
    }
}
