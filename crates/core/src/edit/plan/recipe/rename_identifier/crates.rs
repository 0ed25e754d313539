//! Crates of Rust around files: which name leads to which folder of sources.
//!
//! ```text
//! crates/own/Cargo.toml    [package] name = "own-name"     `own_name::` leads to `crates/own/src`
//! ```
//!
//! A library that a manifest puts elsewhere than in `src/lib.rs` is left out.

use std::collections::BTreeSet;

use crate::disk::workspace::WorkspacePath;
use crate::edit::request::CrateRoot;
use crate::text::Source;

/// A folder whose manifest may name a crate.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct CrateFolder(WorkspacePath);

/// Returns the folders around these files that may hold crates.
pub(super) fn crate_folders<'p>(
    paths: impl Iterator<Item = &'p WorkspacePath>,
) -> BTreeSet<CrateFolder> {
    let sources = paths.filter(|path| path.extension().as_deref() == Some("rs"));
    let folders = sources.flat_map(|path| path.folders().chain([WorkspacePath::root()]));
    folders.map(CrateFolder).collect()
}

impl CrateFolder {
    /// Returns the name of the folder's manifest.
    pub(super) fn manifest(&self) -> String {
        self.within("Cargo.toml")
    }

    /// Returns the library that a manifest of the folder names.
    pub(super) fn library(&self, manifest: &Source) -> Option<CrateRoot> {
        let manifest: toml::Table = toml::from_str(manifest.text().ok()?).ok()?;
        let text =
            |table: &str, key: &str| Some(manifest.get(table)?.get(key)?.as_str()?.to_owned());
        if text("lib", "path").is_some_and(|path| path != "src/lib.rs") {
            return None;
        }
        let name = text("lib", "name").or_else(|| text("package", "name"))?;
        Some(CrateRoot {
            name: name.replace('-', "_"),
            sources: self.within("src"),
        })
    }

    fn within(&self, name: &str) -> String {
        match self.0.as_str() {
            "" => name.to_owned(),
            folder => format!("{folder}/{name}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;

    #[test]
    fn manifests_around_a_source_name_its_crates() {
        let path = |path: &str| WorkspacePath::parse(path, Path::new("/w")).unwrap();
        let files = [path("crates/own/src/a.rs"), path("web/a.ts")];
        let folders = crate_folders(files.iter());
        let manifests: Vec<String> = folders.iter().map(CrateFolder::manifest).collect();
        let expected = [
            "Cargo.toml",
            "crates/Cargo.toml",
            "crates/own/Cargo.toml",
            "crates/own/src/Cargo.toml",
        ];
        assert_eq!(manifests, expected);
        let own = folders
            .iter()
            .find(|folder| folder.manifest() == expected[2])
            .unwrap();
        let library = |manifest: &str| {
            let found = own.library(&Source::new(manifest));
            found.map(|found| format!("{} {}", found.name, found.sources))
        };
        let named = Some("own_name crates/own/src".to_owned());
        assert_eq!(library("[package]\nname = \"own-name\"\n"), named);
        assert_eq!(
            library("[package]\nname = \"a\"\n[lib]\nname = \"own_name\"\n"),
            named
        );
        assert_eq!(
            library("[package]\nname = \"a\"\n[lib]\npath = \"a.rs\"\n"),
            None
        );
        assert_eq!(library("[workspace]\n"), None);
        assert_eq!(library("no manifest"), None);
    }
}
