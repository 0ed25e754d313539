//! The index of a repository as it was at some time: which files differed from it, and what it held of the others.

use std::collections::{BTreeSet, HashMap};
use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt as _;
use std::path::{Path, PathBuf};

use super::repository::Repository;
use super::view::View;
use super::{Asker, MAX_LISTED, StagedEntry, leads_out, tree};
use crate::process::{Captured, Ended, Limits};

/// Maximum size of a text that is asked for, in bytes.
pub(crate) const MAX_TEXT: usize = 8 << 20;

/// A repository with its index as it was when this was made.
#[derive(Debug)]
pub struct IndexAsOf {
    view: View,
    /// The workspace, and its path below the top of the work tree.
    root: PathBuf,
    prefix: PathBuf,
    entries: HashMap<PathBuf, IndexEntry>,
}

/// What git knows of a file beside its text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum IndexedKind {
    /// A regular file.
    File {
        /// Whether it can be executed.
        executable: bool,
    },
    /// A symbolic link, whose target is the text.
    Link,
}

impl IndexedKind {
    /// Returns what a mode of git means; none of what is no file, as another repository or a conflict.
    pub(crate) fn of_mode(mode: &str) -> Option<Self> {
        match mode {
            "120000" => Some(Self::Link),
            // Old repositories have other rights of files as well.
            file if file.starts_with("100") => Some(Self::File {
                executable: file == "100755",
            }),
            _ => None,
        }
    }
}

/// A file in the index.
#[derive(Clone, Debug, PartialEq, Eq)]
struct IndexEntry {
    object: String,
    /// `100644`, `100755`, `120000`.
    mode: String,
}

impl IndexAsOf {
    /// Takes the index of the repository around a workspace.
    ///
    /// # Errors
    ///
    /// Fails if there is none that can be looked at safely.
    pub fn now(asker: &Asker<'_>) -> Result<Self, String> {
        let mut view = Repository::find(asker.root)?.view()?;
        view.keep_index()?;
        tree::check(view.top(), asker.root)?;
        let prefix = asker.root.strip_prefix(view.top());
        let prefix = prefix.map_err(|_elsewhere| "the workspace is not in the work tree")?;
        let mut index = Self {
            root: asker.root.to_owned(),
            prefix: prefix.to_owned(),
            entries: HashMap::new(),
            view,
        };
        let listed = ["ls-files", "--stage", "--full-name", "-z"];
        let listed = index.ask(asker, &listed, MAX_LISTED)?;
        index.entries = entries(listed.bytes());
        if index
            .entries
            .keys()
            .any(|path| leads_out(&path.to_string_lossy()))
        {
            return Err("the index of the repository names what is no file of it".to_owned());
        }
        Ok(index)
    }

    /// Returns the paths, in the workspace, of files that are not ignored and differ from the index.
    ///
    /// # Errors
    ///
    /// Fails if git does.
    pub fn differing(&self, asker: &Asker<'_>) -> Result<Vec<PathBuf>, String> {
        let status = [
            "status",
            "--porcelain=v1",
            "-z",
            "--no-renames",
            "--untracked-files=all",
            "--ignore-submodules=all",
            "--",
            ".",
        ];
        let listed = self.ask(asker, &status, MAX_LISTED)?;
        let records = listed.bytes().split(|byte| *byte == 0);
        // The two letters tell of the index and of the files; only the second matters, and `??` has both.
        let differs = records.filter_map(|record| {
            let (letters, path) = record.split_at_checked(3)?;
            (letters.get(1) != Some(&b' ')).then_some(path)
        });
        let below = differs.filter_map(|path| {
            let path = Path::new(OsStr::from_bytes(path));
            path.strip_prefix(&self.prefix).ok().map(Path::to_owned)
        });
        Ok(below.collect())
    }

    /// Returns the text of a file of the workspace, and what it is; none if the index does not hold it.
    ///
    /// # Errors
    ///
    /// Fails if git does, or if it is too large.
    pub fn text(
        &self,
        asker: &Asker<'_>,
        path: &Path,
    ) -> Result<Option<(Vec<u8>, IndexedKind)>, String> {
        let path = self.prefix.join(path);
        let Some(IndexEntry { object, mode }) = self.entries.get(&path) else {
            return Ok(None);
        };
        let is_link = mode == "120000";
        let name = format!("--path={}", path.to_string_lossy());
        let kind = if is_link { "blob" } else { "--filters" };
        let mut arguments = vec!["cat-file", kind];
        if !is_link {
            arguments.push(&name);
        }
        arguments.push(object);
        let text = self.ask(asker, &arguments, MAX_TEXT)?;
        let kind = if is_link {
            IndexedKind::Link
        } else {
            let executable = mode == "100755";
            IndexedKind::File { executable }
        };
        Ok(Some((text.bytes().to_vec(), kind)))
    }

    fn ask(&self, asker: &Asker<'_>, arguments: &[&str], most: usize) -> Result<Captured, String> {
        let limits = Limits {
            most_bytes: most,
            ..asker.limits
        };
        let report = asker.run(&self.view, &self.root, arguments, limits)?;
        if report.ended != Ended::Exit(0) || report.out.is_cut() {
            let why = report.err.text();
            return Err(why.lines().next().unwrap_or("git failed").to_owned());
        }
        Ok(report.out)
    }
}

/// Reads records of `MODE OBJECT STAGE\tPATH\0`; files in a conflict are left out, and so are submodules.
fn entries(listed: &[u8]) -> HashMap<PathBuf, IndexEntry> {
    listed
        .split(|byte| *byte == 0)
        .filter_map(index_entry)
        .collect()
}

/// A record of `ls-files --stage -z`.
pub(crate) struct IndexRecord<'r> {
    pub(crate) mode: &'r str,
    pub(crate) object: &'r str,
    /// `0`, and others of a file in a conflict.
    pub(crate) stage: &'r str,
    pub(crate) path: &'r [u8],
}

pub(crate) fn index_record(record: &[u8]) -> Option<IndexRecord<'_>> {
    let tab = record.iter().position(|byte| *byte == b'\t')?;
    let (fields, path) = record.split_at_checked(tab)?;
    let mut fields = std::str::from_utf8(fields).ok()?.split(' ');
    Some(IndexRecord {
        mode: fields.next()?,
        object: fields.next()?,
        stage: fields.next()?,
        path: path.get(1..)?,
    })
}

/// Stands before each byte of a name that is no part of a character.
pub(super) const NO_CHARACTER: char = char::REPLACEMENT_CHARACTER;

/// Returns what git prints as a text in which names that are not UTF-8 differ where they do: `caf\xe9` is `caf\u{fffd}e9`.
pub(crate) fn told(bytes: &[u8]) -> String {
    let mut text = String::new();
    for chunk in bytes.utf8_chunks() {
        text += chunk.valid();
        for byte in chunk.invalid() {
            text += &format!("{NO_CHARACTER}{byte:02x}");
        }
    }
    text
}

/// Returns the entries that `ls-files --stage -z` lists, by path; of a file in a conflict none that any commit has.
pub(crate) fn staged_entries(listed: &[u8]) -> HashMap<String, StagedEntry> {
    let records = listed.split(|byte| *byte == 0);
    let entries = records.filter_map(index_record).map(|record| {
        let path = told(record.path);
        let mode = match record.stage {
            "0" => record.mode.to_owned(),
            stage => format!("{} {IN_CONFLICT} {stage}", record.mode),
        };
        (path, (mode, record.object.to_owned()))
    });
    entries.collect()
}

/// Stands in the mode of an entry that `git add -N` made: of a file that is to be added, with nothing of it staged.
const INTENDED: &str = " intended";
/// The name of the empty file, by SHA-1 and SHA-256: such entries have it, and so do those of empty files.
const EMPTY_FILES: [&str; 2] = [
    "e69de29bb2d1d6434b8b29ae775ad8c2e48c5391",
    "473a0f4c3be8a93681a267e3b1e9a7dcda1185436fe141f7749120a303721813",
];

/// Returns whether one of these entries may be of a file that is to be added: `ls-files` does not say so.
pub(crate) fn may_be_intended(entries: &HashMap<String, StagedEntry>) -> bool {
    entries.values().any(is_of_empty_file)
}

fn is_of_empty_file((mode, object): &StagedEntry) -> bool {
    mode.starts_with("100") && !mode.contains(' ') && EMPTY_FILES.contains(&object.as_str())
}

/// How git is asked which files an index has staged, against the empty tree, which is named behind it.
pub(crate) const LIST_STAGED: [&str; 6] = [
    "diff-index",
    "--cached",
    "--ita-invisible-in-index",
    "--name-only",
    "--no-renames",
    "-z",
];

/// Marks the entries of files that are to be added: empty ones that are not among those that are staged.
pub(crate) fn mark_intended(entries: &mut HashMap<String, StagedEntry>, staged: &str) {
    let staged: BTreeSet<&str> = staged.split_terminator('\0').collect();
    for (path, entry) in entries {
        if is_of_empty_file(entry) && !staged.contains(path.as_str()) {
            entry.0 += INTENDED;
        }
    }
}

/// Returns the mode of the file that is to be added, if an entry says so.
pub(crate) fn intended(mode: &str) -> Option<&str> {
    mode.strip_suffix(INTENDED)
}

/// Returns whether an entry is of a file in a conflict.
pub(crate) fn is_in_conflict((mode, _): &StagedEntry) -> bool {
    mode.contains(IN_CONFLICT)
}

/// Stands in the mode of an entry in a conflict.
pub(super) const IN_CONFLICT: &str = "in conflict,";

fn index_entry(record: &[u8]) -> Option<(PathBuf, IndexEntry)> {
    let record = index_record(record)?;
    let is_file = record.mode.starts_with("100") || record.mode == "120000";
    let entry = IndexEntry {
        object: record.object.to_owned(),
        mode: record.mode.to_owned(),
    };
    let path = PathBuf::from(OsStr::from_bytes(record.path));
    (record.stage == "0" && is_file).then_some((path, entry))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_that_are_not_utf8_stay_apart() {
        assert_eq!(
            told(b"caf\xe9 \xff\xfe"),
            "caf\u{fffd}e9 \u{fffd}ff\u{fffd}fe"
        );
        let listed = b"100644 abc 0\tcaf\xe9\x00100644 def 0\tcaf\xe8\0";
        assert_eq!(staged_entries(listed).len(), 2);
    }

    #[test]
    fn files_are_listed_with_their_objects() {
        let listed =
            b"100644 abc 0\ta b\x00120000 def 0\tlink\x00160000 aaa 0\tsub\x00100644 bbb 2\tboth\0broken";
        let found = entries(listed);
        assert_eq!(found.len(), 2);
        assert_eq!(found[Path::new("a b")].object, "abc");
        assert_eq!(found[Path::new("link")].mode, "120000");
    }
}
