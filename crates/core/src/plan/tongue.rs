//! Which language a request is in.
//!
//! In: a path, and the name that a request gives. Out: the grammar, or why there is none.

use std::path::Path;

use crate::syntax::Language;
use crate::workspace::WorkspacePath;

/// Names of languages that are not extensions of their files.
const NAMES: &[(&str, &str)] = &[
    ("rust", "rs"),
    ("typescript", "ts"),
    ("javascript", "js"),
    ("typescriptreact", "tsx"),
    ("javascriptreact", "jsx"),
    ("python", "py"),
    ("golang", "go"),
    ("markdown", "md"),
    ("bash", "sh"),
    ("shell", "sh"),
    ("c++", "cpp"),
    ("cxx", "cpp"),
    ("yml", "yaml"),
];

/// Returns the language of a request for the file at `path`; none where there is no grammar
/// and none was named.
pub(super) fn language(
    path: &WorkspacePath,
    name: Option<&str>,
) -> Result<Option<Language>, String> {
    let Some(name) = name.map(str::trim).filter(|name| !name.is_empty()) else {
        return Ok(Language::of(path));
    };
    let lower = name.trim_start_matches('.').to_ascii_lowercase();
    let known = NAMES.iter().find(|(other, _)| *other == lower);
    let extension = known.map_or(lower.as_str(), |(_, extension)| extension);
    let named = WorkspacePath::parse(&format!("x.{extension}"), Path::new("/"));
    match named.ok().as_ref().and_then(Language::of) {
        Some(language) => Ok(Some(language)),
        None => Err(format!("there is no grammar for the language `{name}`")),
    }
}
