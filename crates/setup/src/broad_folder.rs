//! Broad folders: the home folder, one above it, or `/`.
//!
//! In: the workspace. Out: what it is, if it is a broad one, or a refusal. Such a folder has what is of no concern to a
//! project: keys, letters, settings of other programs. It is mostly a mistake, as a terminal that was opened and not yet
//! moved.

use std::path::Path;

use signoff_draw::sanitize;

use crate::paths::Paths;

/// Refuses a broad folder, where nobody can be asked.
///
/// # Errors
///
/// Fails where the folder is a broad one, and says how to go on.
pub fn refuse(paths: &Paths) -> anyhow::Result<()> {
    let Some(what) = what(&paths.root) else {
        return Ok(());
    };
    let folder = paths.root.display().to_string();
    anyhow::bail!(
        "the workspace would be {}, {what}: all files in it would be open to the model and to programs. Start in the folder \
         of a project, name one with --dir, or say --broad-folder if this one is meant",
        sanitize::clean(&folder)
    )
}

/// Says what a folder is, if it is a broad one. Links in both paths are followed.
pub fn what(root: &Path) -> Option<&'static str> {
    let home = etcetera::home_dir().ok();
    let home = home.map(|home| home.canonicalize().unwrap_or(home));
    broad(root, home.as_deref())
}

/// Says what a folder is to the home folder, if it is a broad one.
fn broad(root: &Path, home: Option<&Path>) -> Option<&'static str> {
    match home {
        _ if root.parent().is_none() => Some("the whole file system"),
        Some(home) if root == home => Some("your home folder"),
        Some(home) if home.starts_with(root) => Some("a folder around your home folder"),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_home_folder_and_what_is_around_it_are_broad() {
        for (root, home, is_broad) in [
            ("/", "/h/u", true),
            ("/", "/", true),
            ("/h", "/h/u", true),
            ("/h/u", "/h/u", true),
            ("/h/u/project", "/h/u", false),
            ("/h/u2", "/h/u", false),
            ("/srv/project", "/h/u", false),
        ] {
            let what = broad(Path::new(root), Some(Path::new(home)));
            assert_eq!(what.is_some(), is_broad, "{root} {home}");
        }
        assert_eq!(broad(Path::new("/srv"), None), None);
        assert!(broad(Path::new("/"), None).is_some());
    }
}
