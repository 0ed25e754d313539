//! Attachments: what requests hold of files.
//!
//! In: what was given before prompts, and what the user wants to be without. Out: the files that requests hold.

use std::collections::HashMap;

use super::{Entry, Transcript};
use crate::notice::Notice;
use crate::surroundings::{AttachedFile, Attachment, Grounds, Surroundings};

impl Transcript {
    /// Returns what requests hold of files.
    pub(crate) fn attached(&self) -> Vec<Attachment> {
        let detached = self.detached();
        let given = self.given();
        let each =
            given.flat_map(|(index, given)| given.attachments().map(move |file| (index, file)));
        let wanted = each.filter(|(index, file)| is_given(&detached, &file.path, *index));
        let files = wanted.map(|(_, file)| file);
        files.chain(self.attached_images()).collect()
    }

    /// Returns whether the user does not want a file to be given.
    pub(crate) fn is_detached(&self, path: &str) -> bool {
        self.detached().contains_key(path)
    }

    /// Returns whether a request holds a file as it is.
    pub(crate) fn has_given(&self, file: &AttachedFile) -> bool {
        let is_it = |own: &&AttachedFile| {
            own.path == file.path && own.lines == file.lines && own.text == file.text
        };
        self.given_files().any(|own| is_it(&own))
    }

    /// Returns how many bytes of files requests hold that no request names.
    pub(crate) fn unnamed_bytes(&self) -> usize {
        let unnamed = self.given_files();
        let unnamed = unnamed.filter(|file| file.grounds == Grounds::Ranked);
        unnamed.map(|file| file.text.len()).sum()
    }

    /// Returns what was given before prompts, each with the number of its entry.
    fn given(&self) -> impl Iterator<Item = (usize, &Surroundings)> {
        let entries = self.entries.iter().enumerate();
        entries.filter_map(|(index, entry)| match entry {
            Entry::Noticed {
                notice: Notice::Surroundings { given },
            } => Some((index, &**given)),
            _ => None,
        })
    }

    fn given_files(&self) -> impl Iterator<Item = &AttachedFile> {
        let detached = self.detached();
        let given = self.given();
        let each =
            given.flat_map(|(index, given)| given.files.iter().map(move |file| (index, file)));
        let wanted = each.filter(move |(index, file)| is_given(&detached, &file.path, *index));
        wanted.map(|(_, file)| file)
    }

    /// Returns the files that the user does not want to be given, with the entry that says so.
    pub(super) fn detached(&self) -> HashMap<&str, usize> {
        let entries = self.entries.iter().enumerate();
        let detached = entries.filter_map(|(index, entry)| match entry {
            Entry::Noticed {
                notice: Notice::Detached { path },
            } => Some((path.as_str(), index)),
            _ => None,
        });
        detached.collect()
    }
}

/// Returns whether what an entry gives of a file is still wanted.
pub(super) fn is_given(detached: &HashMap<&str, usize>, path: &str, index: usize) -> bool {
    detached.get(path).is_none_or(|since| *since < index)
}
