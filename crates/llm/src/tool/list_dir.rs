//! `list_dir`: what one folder holds, with every staged change in it.

use signoff_core::disk::workspace::{DirEntry, DirEntryKind};
use signoff_core::quote;

use super::arguments::InFolder;
use super::{CallFacts, PlainTool, Reach, ToolContext, ToolOutput};

/// The tool.
pub(super) struct ListDir;

const DESCRIPTION: &str = "List one folder: files with size, folders with /, links with @.";
/// More entries than this are counted, not listed: folders of caches have a hundred thousand.
const MOST: usize = 1000;

impl PlainTool for ListDir {
    type Arguments = InFolder;
    const NAME: &'static str = "list_dir";
    const DESCRIPTION: &'static str = DESCRIPTION;
    const REACH: Reach = Reach::Observe;

    fn facts(&self, arguments: &InFolder) -> CallFacts {
        CallFacts::path(&arguments.path)
    }

    fn run(&self, arguments: &InFolder, context: &ToolContext<'_>) -> ToolOutput {
        let path = match arguments.path.trim() {
            "" => ".",
            path => path,
        };
        match context.list(path) {
            Ok(entries) => listed(path, &entries),
            Err(error) => ToolOutput::failed(format!("error: {error}"), error),
        }
    }
}

fn listed(path: &str, entries: &[DirEntry]) -> ToolOutput {
    let mut text: String = entries.iter().take(MOST).map(line).collect();
    if entries.is_empty() {
        text = "(empty)\n".to_owned();
    }
    if let Some(more @ 1..) = entries.len().checked_sub(MOST) {
        text += &format!("({more} more not listed; use find)\n");
    }
    let count = entries.len();
    let noun = if count == 1 { "entry" } else { "entries" };
    ToolOutput::done(text, format!("{path}: {count} {noun}"))
}

fn line(entry: &DirEntry) -> String {
    let name = quote::name(&entry.name);
    match entry.kind {
        DirEntryKind::Dir => format!("{name}/\n"),
        DirEntryKind::Symlink => format!("{name}@\n"),
        DirEntryKind::File | DirEntryKind::Other => format!("{name} {}\n", entry.size),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn entry(name: &str, kind: DirEntryKind, size: u64) -> DirEntry {
        DirEntry {
            name: name.to_owned(),
            kind,
            size,
        }
    }

    #[test]
    fn kinds_are_told_apart() {
        let entries = [
            entry("a.rs", DirEntryKind::File, 120),
            entry("link", DirEntryKind::Symlink, 0),
            entry("src", DirEntryKind::Dir, 0),
        ];
        let output = listed(".", &entries);
        assert_eq!(output.content, "a.rs 120\nlink@\nsrc/\n");
        assert_eq!(output.summary, ".: 3 entries");
    }

    #[test]
    fn long_lists_are_cut_and_say_so() {
        let entries: Vec<_> = (0..MOST + 2)
            .map(|number| entry(&number.to_string(), DirEntryKind::File, 0))
            .collect();
        let output = listed(".", &entries);
        assert!(output.content.ends_with("(2 more not listed; use find)\n"));
        assert_eq!(output.content.lines().count(), MOST + 1);
        assert_eq!(listed(".", &[]).content, "(empty)\n");
    }
}
