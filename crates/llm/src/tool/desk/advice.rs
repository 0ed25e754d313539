//! What helps after a failed call: other ways to edit a file, and what the nearest folder holds.
//!
//! In: a payload's answer, or a path that names nothing. Out: the file that can be edited in another
//! way, or the answer that lists a folder.

use signoff_core::engine::{Answer, FileAnswer, Status};

use super::{Desk, Entry, Kind};
use crate::notice::one_line;
use crate::tool::ToolOutput;

/// Maximum number of names of a folder that are shown to a model that asked for another name.
const MOST_NAMES: usize = 20;

/// Maximum length of those names together, in characters.
const LONGEST_NAMES: usize = 600;

impl Desk<'_> {
    /// Returns the path of a file that is there, as text, and can be edited.
    pub(super) fn editable(&self, path: &str) -> Option<Box<str>> {
        let text = self.read_anew(path).ok().flatten();
        text.map(|_| path.into())
    }

    /// Returns the answer to a call that names no file; it shows what the nearest folder holds.
    pub(in crate::tool) fn missing(&self, path: &str) -> ToolOutput {
        let parent = |path: &str| Some(path.rsplit_once('/')?.0.to_owned());
        let folders = std::iter::successors(parent(path), |folder| parent(folder));
        let folders = folders.chain(std::iter::once(".".to_owned()));
        let mut listed = folders.filter_map(|folder| {
            let entries = self.list(&folder).ok()?;
            Some((folder, entries))
        });
        let error = format!("{path} does not exist");
        let content = match listed.next() {
            Some((folder, entries)) => {
                format!("error: {error}; {folder} holds {}", names(&entries))
            }
            None => format!("error: {error}"),
        };
        ToolOutput::failed(content, error)
    }
}

/// Returns the names in a folder, in one line.
fn names(entries: &[Entry]) -> String {
    let shown = entries
        .iter()
        .take(MOST_NAMES)
        .map(|entry| match entry.kind {
            Kind::Folder => format!("{}/", entry.name),
            Kind::File | Kind::Link => entry.name.clone(),
        });
    let mut names = shown.collect::<Vec<_>>().join(", ");
    match entries.len().saturating_sub(MOST_NAMES) {
        0 if names.is_empty() => "nothing".clone_into(&mut names),
        0 => {}
        more => names += &format!(" and {more} more"),
    }
    one_line(&names, LONGEST_NAMES)
}

/// Returns the file of the first change that may be made in another way: its place was not found, or
/// guards refused its text.
pub(super) fn misfitting(answer: &Answer) -> Option<&str> {
    let misfits = |result: &&FileAnswer| match result.status {
        Status::NotFound | Status::Ambiguous | Status::Invalid => true,
        Status::Refused => !result.refusals.is_empty(),
        Status::Applied | Status::Staged | Status::AlreadyApplied | Status::NotStaged => false,
    };
    let found = answer.results.iter().find(misfits);
    found.map(|result| result.file.as_str())
}
