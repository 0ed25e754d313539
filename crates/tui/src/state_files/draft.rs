//! File of the unsent prompt, beside the store of the workspace.
//!
//! In: the text of the composer, whenever it changes. Out: the same in a later run. The file is the user's alone.

use std::io;
use std::path::Path;

use signoff_sandbox::private_file::PrivateFile;

/// Where the unsent prompt is kept.
#[derive(Clone, Debug)]
pub struct DraftFile(PrivateFile);

impl DraftFile {
    /// Returns the file beside the store of a workspace; nothing is made.
    pub fn new(store: &Path) -> Self {
        Self(PrivateFile::new(store.with_file_name("draft.txt")))
    }

    /// Reads what an earlier run left, none if it left nothing.
    pub fn load(&self) -> io::Result<Option<String>> {
        self.0.text()
    }

    /// Writes the text down; without one the file goes. The file has the earlier text or this one, whatever happens.
    pub(crate) fn save(&self, text: &str) -> io::Result<()> {
        if text.is_empty() {
            self.0.remove().map(drop)
        } else {
            self.0.replace(text.as_bytes())
        }
    }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    #[test]
    fn a_draft_is_read_as_it_was_written_and_goes_when_it_is_empty() {
        let folder = tempfile::tempdir().unwrap();
        let file = DraftFile(PrivateFile::new(folder.path().join("state/draft.txt")));
        assert_eq!(file.load().unwrap(), None);
        file.save("").unwrap();
        file.save("why\n漢?").unwrap();
        assert_eq!(file.load().unwrap().as_deref(), Some("why\n漢?"));
        file.save("").unwrap();
        assert_eq!(file.load().unwrap(), None);
        assert_eq!(
            fs::read_dir(folder.path().join("state")).unwrap().count(),
            0
        );
    }
}
