//! Files of unsent prompts, beside the store of the workspace.
//!
//! In: the text of the composer, whenever it changes. Out: the same in a later run. A session locks the file that it types
//! into for as long as it lives. For example, of two sessions one has `draft.txt` and the other `draft-2.txt`; once both
//! ended, the next one begins with the text of `draft.txt`. The files are the user's alone.

use std::fs::{File, TryLockError};
use std::io;
use std::path::Path;

use signoff_sandbox::private_file::PrivateFile;

/// Maximum number of sessions in one workspace whose unsent prompts are kept.
const FILES: usize = 16;

/// Where the unsent prompt of this session is kept.
#[derive(Debug)]
pub struct DraftFile {
    /// All files that a session may have.
    files: Vec<PrivateFile>,
    /// The one of this session, and its lock. None until there is something to keep.
    own: Option<(PrivateFile, File)>,
}

impl DraftFile {
    /// Returns the files beside the store of a workspace; nothing is made.
    pub fn new(store: &Path) -> Self {
        let name = |number: usize| match number {
            1 => "draft.txt".to_owned(),
            number => format!("draft-{number}.txt"),
        };
        let files = (1..=FILES).map(|number| PrivateFile::new(store.with_file_name(name(number))));
        Self {
            files: files.collect(),
            own: None,
        }
    }

    /// Takes over what a session that ended left, and returns it; none if none left anything.
    ///
    /// # Errors
    ///
    /// Fails if a file cannot be read or locked.
    pub fn load(&mut self) -> io::Result<Option<String>> {
        for file in &self.files {
            if file.text()?.is_none() {
                continue;
            }
            // It may have been sent before the lock was there.
            if let Some(lock) = lock(file)?
                && let Some(text) = file.text()?
            {
                self.own = Some((file.clone(), lock));
                return Ok(Some(text));
            }
        }
        Ok(None)
    }

    /// Writes the text down; without one the file goes. The file has the earlier text or this one, whatever happens.
    pub(crate) fn save(&mut self, text: &str) -> io::Result<()> {
        match &self.own {
            Some((file, _)) if text.is_empty() => file.remove().map(drop),
            Some((file, _)) => file.replace(text.as_bytes()),
            None if text.is_empty() => Ok(()),
            None => {
                let own = self.take_free()?;
                own.0.replace(text.as_bytes())?;
                self.own = Some(own);
                Ok(())
            }
        }
    }

    /// Locks a file that no session has and in which none left anything.
    fn take_free(&self) -> io::Result<(PrivateFile, File)> {
        for file in &self.files {
            if let Some(lock) = lock(file)?
                && file.text()?.is_none()
            {
                return Ok((file.clone(), lock));
            }
        }
        Err(io::Error::other(format!(
            "{FILES} other unsent prompts are kept"
        )))
    }
}

/// Locks a file of unsent prompts; nothing if a session that lives has it.
fn lock(file: &PrivateFile) -> io::Result<Option<File>> {
    let lock = file.lock_file()?;
    match lock.try_lock() {
        Ok(()) => Ok(Some(lock)),
        Err(TryLockError::WouldBlock) => Ok(None),
        Err(TryLockError::Error(error)) => Err(error),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_draft_is_read_as_it_was_written_and_goes_when_it_is_empty() {
        let folder = tempfile::tempdir().unwrap();
        let store = folder.path().join("state/store");
        let mut file = DraftFile::new(&store);
        assert_eq!(file.load().unwrap(), None);
        file.save("").unwrap();
        assert!(!folder.path().join("state").exists(), "nothing is made");
        file.save("why\n漢?").unwrap();
        drop(file);
        let mut file = DraftFile::new(&store);
        assert_eq!(file.load().unwrap().as_deref(), Some("why\n漢?"));
        file.save("").unwrap();
        assert!(!folder.path().join("state/draft.txt").exists());
        drop(file);
        assert_eq!(DraftFile::new(&store).load().unwrap(), None);
    }

    #[test]
    fn a_draft_is_of_the_session_that_types_it_while_that_lives() {
        let folder = tempfile::tempdir().unwrap();
        let store = folder.path().join("store");
        let open = || {
            let mut file = DraftFile::new(&store);
            let text = file.load().unwrap();
            (file, text)
        };
        let (mut first, _) = open();
        first.save("of the first").unwrap();
        let (mut second, text) = open();
        assert_eq!(text, None, "the first one lives");
        second.save("of the second").unwrap();
        first.save("of the first, more").unwrap();
        drop((first, second));
        let (first, text) = open();
        assert_eq!(text.as_deref(), Some("of the first, more"));
        let (second, text) = open();
        assert_eq!(text.as_deref(), Some("of the second"));
        // One that types anew overwrites nothing that was left.
        drop((first, second));
        let mut fresh = DraftFile::new(&store);
        fresh.save("of another").unwrap();
        assert_eq!(open().1.as_deref(), Some("of the first, more"));
    }
}
