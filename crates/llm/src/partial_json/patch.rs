//! The files that a patch names, while it streams in.
//!
//! In: the patch in pieces. Out: each file once its header is whole, and what happens to it.

use signoff_core::intent::Operation;

/// No header of a file is longer.
const LONGEST: usize = 1024;

/// Reads along in a patch, line by line.
#[derive(Debug, Default)]
pub(super) struct PatchFiles {
    line: String,
    cut: bool,
    /// The old name, from the line before.
    old: Option<String>,
}

impl PatchFiles {
    /// Begins a patch.
    pub(super) fn begin(&mut self) {
        self.line.clear();
        self.cut = false;
        self.old = None;
    }

    /// Takes the next piece and adds the files that it names.
    pub(super) fn read(&mut self, piece: &str, found: &mut Vec<(String, Operation)>) {
        for part in piece.split_inclusive('\n') {
            let text = part.trim_end_matches('\n');
            let room = LONGEST.saturating_sub(self.line.len());
            let fits = text.floor_char_boundary(room);
            self.line.push_str(text.get(..fits).unwrap_or_default());
            self.cut |= fits < text.len();
            if part.ends_with('\n') {
                let cut = std::mem::take(&mut self.cut);
                let line = std::mem::take(&mut self.line);
                found.extend(self.header(line.trim_end()).filter(|_| !cut));
            }
        }
    }

    fn header(&mut self, line: &str) -> Option<(String, Operation)> {
        let old = self.old.take();
        for (head, operation) in [
            ("*** Add File: ", Operation::Create),
            ("*** Update File: ", Operation::Modify),
            ("*** Delete File: ", Operation::Delete),
        ] {
            if let Some(path) = line.strip_prefix(head) {
                return named(path).map(|path| (path, operation));
            }
        }
        if let Some(path) = line.strip_prefix("--- ") {
            self.old = Some(name(path, "a/").to_owned());
            return None;
        }
        // Without the line before it, this is a line that is added.
        let (old, new) = (old?, name(line.strip_prefix("+++ ")?, "b/"));
        match (old.as_str(), new) {
            (gone, "/dev/null") => named(gone).map(|path| (path, Operation::Delete)),
            ("/dev/null", new) => named(new).map(|path| (path, Operation::Create)),
            (_, new) => named(new).map(|path| (path, Operation::Modify)),
        }
    }
}

/// Returns a name without what follows a tab, and without the prefix that git puts before it.
fn name<'a>(path: &'a str, prefix: &str) -> &'a str {
    let path = path.split('\t').next().unwrap_or_default().trim();
    path.strip_prefix(prefix).unwrap_or(path)
}

fn named(path: &str) -> Option<String> {
    let path = path.trim();
    (!path.is_empty()).then(|| path.to_owned())
}
