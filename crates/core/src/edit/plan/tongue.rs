//! The language of a request: the one that it names, else that of the path.

use crate::disk::workspace::WorkspacePath;
use crate::syntax::Language;

/// Returns the language of a request for the file at `path`; none where there is no grammar
/// and none was named.
pub(super) fn language(
    path: &WorkspacePath,
    name: Option<&str>,
) -> Result<Option<Language>, String> {
    match name.map(str::trim).filter(|name| !name.is_empty()) {
        None => Ok(Language::of(path)),
        Some(name) => match Language::named(name) {
            Some(language) => Ok(Some(language)),
            None => Err(format!("there is no grammar for the language `{name}`")),
        },
    }
}
