//! Read cache: texts that tools have read, and answers of searches, valid while their files are unchanged.
//!
//! In: a text, and what the system says of its file without opening it. Out: the text again,
//! if the system says the same. Texts of files with staged work are never kept here; a search is kept with a hash of them.

use std::collections::{HashMap, HashSet};
use std::path::Path;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, SystemTime};

use signoff_core::file::FileStamp;

use super::ToolOutput;

/// How many bytes are kept in all.
const MOST_BYTES: usize = 32 << 20;
/// A file that was written this short a time ago may be written again without showing it.
const UNSETTLED: Duration = Duration::from_millis(100);

/// Answers of searches that are kept; a turn makes a few dozen.
const MOST_SEARCHES: usize = 64;

/// Texts by the paths that they were asked for.
#[derive(Debug, Default)]
pub(crate) struct Reads {
    known: Mutex<KnownTexts>,
}

#[derive(Debug, Default)]
struct KnownTexts {
    files: HashMap<String, (FileStamp, String)>,
    /// The files that the model was shown, as it wrote their paths.
    shown: HashSet<String>,
    bytes: usize,
    /// Answers of searches by what was asked, each with what was searched.
    searches: HashMap<String, (blake3::Hash, ToolOutput)>,
    /// How often a text was given without a file being opened.
    recalled: u64,
}

/// Returns the stamp of a regular file that was not written just now.
pub(super) fn settled_stamp(path: &Path) -> Option<FileStamp> {
    let file = std::fs::metadata(path)
        .ok()
        .filter(std::fs::Metadata::is_file)?;
    let settled = match SystemTime::now().duration_since(file.modified().ok()?) {
        Ok(age) => age > UNSETTLED,
        Err(_) => false,
    };
    settled.then(|| FileStamp::of(&file))
}

impl Reads {
    /// Returns a text whose file is what it was.
    pub(super) fn recall(&self, path: &str, stamp: FileStamp) -> Option<String> {
        let mut known = self.known();
        let (_, text) = known.files.get(path).filter(|(then, _)| *then == stamp)?;
        let text = text.clone();
        known.recalled += 1;
        Some(text)
    }

    /// Keeps a text.
    pub(super) fn keep(&self, path: &str, stamp: FileStamp, text: &str) {
        let mut known = self.known();
        if known.bytes + text.len() > MOST_BYTES {
            known.files.clear();
            known.bytes = 0;
        }
        known.bytes += text.len();
        let old = known
            .files
            .insert(path.to_owned(), (stamp, text.to_owned()));
        known.bytes -= old.map_or(0, |(_, old)| old.len());
    }

    /// Returns the answer to a search, if the files that it looked at are what they were.
    pub(super) fn recall_search(&self, asked: &str, searched: blake3::Hash) -> Option<ToolOutput> {
        let mut known = self.known();
        let (_, output) = known
            .searches
            .get(asked)
            .filter(|(then, _)| *then == searched)?;
        let output = output.clone();
        known.recalled += 1;
        Some(output)
    }

    /// Keeps the answer to a search.
    pub(super) fn keep_search(&self, asked: String, searched: blake3::Hash, output: &ToolOutput) {
        let mut known = self.known();
        if known.searches.len() >= MOST_SEARCHES {
            known.searches.clear();
        }
        known.searches.insert(asked, (searched, output.clone()));
    }

    /// Notes that the model was shown a file; returns whether it was before.
    pub(super) fn show(&self, path: &str) -> bool {
        let path = path.strip_prefix("./").unwrap_or(path);
        !self.known().shown.insert(path.to_owned())
    }

    /// Returns how often a text was given without a file being opened.
    #[cfg(test)]
    pub(crate) fn recalled(&self) -> u64 {
        self.known().recalled
    }

    fn known(&self) -> MutexGuard<'_, KnownTexts> {
        self.known.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use std::fs::File;

    use serde_json::json;

    use std::sync::Arc;

    use super::*;
    use crate::tool::Registry;
    use crate::tool::testing::{Folder, conversation, run, save};

    /// Makes a file look as if it was written long ago.
    fn age(folder: &Folder, path: &str, seconds: u64) {
        let file = File::options().write(true).open(folder.path(path)).unwrap();
        let time = SystemTime::UNIX_EPOCH + Duration::from_secs(seconds);
        file.set_modified(time).unwrap();
    }

    fn read(folder: &Folder, reads: &Arc<Reads>) -> String {
        let conversation = conversation().with_reads(Arc::clone(reads));
        let context = folder.context_in(&conversation);
        let arguments = json!({ "path": "a.txt" });
        run(&Registry::standard(), "read", &arguments, &context).content
    }

    #[test]
    fn a_second_read_opens_no_file() {
        let folder = Folder::new(&[("a.txt", "one\n")]);
        age(&folder, "a.txt", 1_000);
        let reads = Arc::new(Reads::default());
        for recalled in 0..3 {
            assert_eq!(read(&folder, &reads), "    1\tone\n");
            assert_eq!(reads.recalled(), recalled);
        }
    }

    #[test]
    fn what_changed_is_read_again() {
        let folder = Folder::new(&[("a.txt", "one\n")]);
        age(&folder, "a.txt", 1_000);
        let reads = Arc::new(Reads::default());
        read(&folder, &reads);
        save(&folder.path("a.txt"), "two\n");
        assert_eq!(
            read(&folder, &reads),
            "    1\ttwo\n",
            "same size, just written"
        );
        age(&folder, "a.txt", 2_000);
        assert_eq!(read(&folder, &reads), "    1\ttwo\n");
        assert_eq!(reads.recalled(), 0);
    }

    #[test]
    fn a_search_is_answered_again_until_what_it_looked_at_changes() {
        let folder = Folder::new(&[("a.txt", "one\n"), ("b/c.txt", "two\n")]);
        age(&folder, "a.txt", 1_000);
        age(&folder, "b/c.txt", 1_000);
        let reads = Arc::new(Reads::default());
        let grep = |pattern: &str| {
            let conversation = conversation().with_reads(Arc::clone(&reads));
            let context = folder.context_in(&conversation);
            let arguments = json!({ "pattern": pattern });
            run(&Registry::standard(), "grep", &arguments, &context).content
        };
        for recalled in 0..2 {
            assert_eq!(grep("o"), "a.txt:1:one\nb/c.txt:1:two\n");
            assert_eq!(reads.recalled(), recalled);
        }
        assert_eq!(grep("w"), "b/c.txt:1:two\n");
        assert_eq!(reads.recalled(), 1);
        save(&folder.path("a.txt"), "owl\n");
        age(&folder, "a.txt", 1_000);
        assert_eq!(
            grep("w"),
            "a.txt:1:owl\nb/c.txt:1:two\n",
            "the time was set back"
        );
        let edits = json!([{ "old_text": "owl", "new_text": "own" }]);
        let edit = json!({ "path": "a.txt", "description": "x", "edits": edits });
        assert!(folder.call("edit_section", edit).ok);
        assert_eq!(grep("w"), "a.txt:1:own\nb/c.txt:1:two\n");
        assert_eq!(reads.recalled(), 1);
        assert_eq!(grep("w"), "a.txt:1:own\nb/c.txt:1:two\n");
        assert_eq!(reads.recalled(), 2, "a staged text is known by its bytes");
    }

    #[test]
    fn what_is_staged_is_read_as_staged() {
        let folder = Folder::new(&[("a.txt", "one\n")]);
        age(&folder, "a.txt", 1_000);
        let reads = Arc::new(Reads::default());
        read(&folder, &reads);
        let edits = json!([{ "old_text": "one", "new_text": "two" }]);
        let edit = json!({ "path": "a.txt", "description": "x", "edits": edits });
        assert!(folder.call("edit_section", edit).ok);
        assert_eq!(read(&folder, &reads), "    1\ttwo\n");
        assert_eq!(reads.recalled(), 0);
    }
}
