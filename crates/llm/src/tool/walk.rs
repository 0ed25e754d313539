//! The files of a folder as staged: those on disk that no ignore file names, less what is
//! staged to go away, plus what is staged to come.

use std::collections::HashMap;
use std::path::PathBuf;

use ignore::overrides::{Override, OverrideBuilder};
use signoff_core::disk::workspace::WorkspacePath;
use signoff_sandbox::ignored;

use super::ToolContext;
use super::reads::settled_stamp;

/// The longest glob, in bytes.
const MOST_GLOB: usize = 1024;

/// A file that a tool may look at.
pub(super) struct SearchedFile {
    /// Path relative to the workspace.
    pub(super) path: String,
    /// Where it is on disk; none if its staged text is to be searched.
    pub(super) on_disk: Option<PathBuf>,
}

/// Returns the files under a folder, or the one file, sorted by path.
pub(super) fn candidates(
    context: &ToolContext<'_>,
    path: &str,
    glob: Option<&str>,
) -> Result<Vec<SearchedFile>, String> {
    let folder = normal(context, path)?;
    let Err(not_a_folder) = context.list(if folder.is_empty() { "." } else { &folder }) else {
        return in_folder(context, &folder, glob);
    };
    match context.read(&folder) {
        Ok(Some(_)) => Ok(vec![SearchedFile {
            path: folder,
            on_disk: None,
        }]),
        Ok(None) => Err(not_a_folder),
        Err(error) => Err(error),
    }
}

/// Returns those of which a tool may show the text without naming them, and how many it may not.
pub(super) fn readable(
    context: &ToolContext<'_>,
    path: &str,
    glob: Option<&str>,
) -> Result<(Vec<SearchedFile>, usize), String> {
    let mut found = candidates(context, path, glob)?;
    let all = found.len();
    if let Some(unreadable) = context.unreadable() {
        let named = normal(context, path)?;
        // A file that the call names was judged before.
        found.retain(|file| file.path == named || !unreadable.holds(&file.path));
    }
    let withheld = all - found.len();
    Ok((found, withheld))
}

/// Returns a hash of what is searched: of the paths, and of what the system says of each file without opening it, or its
/// staged text. None where a file was written just now, or cannot be read.
pub(super) fn state(context: &ToolContext<'_>, files: &[SearchedFile]) -> Option<blake3::Hash> {
    let mut hash = blake3::Hasher::new();
    for file in files {
        let path = file.path.as_bytes();
        hash.update(&path.len().to_le_bytes()).update(path);
        match &file.on_disk {
            Some(path) => settled_stamp(path)?.kept().iter().for_each(|number| {
                hash.update(&number.to_le_bytes());
            }),
            None => {
                let text = context.read(&file.path).ok()??;
                hash.update(&text.len().to_le_bytes())
                    .update(text.as_bytes());
            }
        }
    }
    Some(hash.finalize())
}

fn in_folder(
    context: &ToolContext<'_>,
    folder: &str,
    glob: Option<&str>,
) -> Result<Vec<SearchedFile>, String> {
    let globs = globs(context, glob)?;
    let staged: HashMap<String, bool> = context.staged_paths()?.into_iter().collect();
    let mut found = on_disk(context, folder, &globs);
    found.retain(|candidate| !staged.contains_key(&candidate.path));
    let coming = staged
        .into_iter()
        .filter(|(path, exists)| {
            *exists && (is_under(path, folder) && !globs.matched(path, false).is_ignore())
        })
        .map(|(path, _)| SearchedFile {
            path,
            on_disk: None,
        });
    found.extend(coming);
    found.sort_unstable_by(|a, b| a.path.cmp(&b.path));
    Ok(found)
}

fn on_disk(context: &ToolContext<'_>, folder: &str, globs: &Override) -> Vec<SearchedFile> {
    let root = context.root();
    let start = match folder {
        "" => root.to_owned(),
        folder => root.join(folder),
    };
    let walk = ignored::walk(&start, context.reserved())
        .overrides(globs.clone())
        .build();
    walk.take_while(|_| !context.stopped())
        .filter_map(Result::ok)
        .filter(|entry| entry.file_type().is_some_and(|kind| kind.is_file()))
        .filter_map(|entry| {
            let relative = entry.path().strip_prefix(root).ok()?;
            let parts = relative.iter().map(|part| part.to_string_lossy());
            Some(SearchedFile {
                path: parts.collect::<Vec<_>>().join("/"),
                on_disk: Some(entry.into_path()),
            })
        })
        .collect()
}

fn globs(context: &ToolContext<'_>, glob: Option<&str>) -> Result<Override, String> {
    let mut globs = OverrideBuilder::new(context.root());
    if let Some(glob) = glob.map(str::trim).filter(|glob| !glob.is_empty()) {
        if glob.len() > MOST_GLOB {
            let bytes = glob.len();
            return Err(format!(
                "the glob has {bytes} bytes; the limit is {MOST_GLOB}"
            ));
        }
        globs
            .add(glob)
            .map_err(|error| format!("{glob:?} is not a glob: {error}"))?;
    }
    globs.build().map_err(|error| error.to_string())
}

/// Returns the path relative to the workspace, without `.` and `..`; empty for all of it.
fn normal(context: &ToolContext<'_>, path: &str) -> Result<String, String> {
    if path.trim().is_empty() {
        return Ok(String::new());
    }
    let path =
        WorkspacePath::parse(path.trim(), context.root()).map_err(|error| error.to_string())?;
    Ok(path.as_str().to_owned())
}

fn is_under(path: &str, folder: &str) -> bool {
    folder.is_empty()
        || path
            .strip_prefix(folder)
            .is_some_and(|rest| rest.starts_with('/'))
}
