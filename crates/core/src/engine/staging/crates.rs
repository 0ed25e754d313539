//! Crates of Rust around files: which name leads to which folder of sources.
//!
//! In: paths of sources. Out: the library crates whose manifests are in folders around them. A library that a
//! manifest puts elsewhere than in `src/lib.rs` is left out.

use std::collections::BTreeSet;

use crate::disk::workspace::WorkspacePath;
use crate::edit::request::CrateRoot;
use crate::engine::state::WorkspaceState;

/// Returns the crates around these files.
pub(super) fn crates_around<'p>(
    state: &mut WorkspaceState,
    paths: impl Iterator<Item = &'p WorkspacePath>,
) -> Vec<CrateRoot> {
    let sources = paths.filter(|path| path.extension().as_deref() == Some("rs"));
    let root = WorkspacePath::root;
    let folders = sources.flat_map(|path| path.folders().chain([root()]));
    let folders: BTreeSet<WorkspacePath> = folders.collect();
    let found = folders.iter().filter_map(|folder| crate_in(state, folder));
    found.collect()
}

/// Returns the crate of the manifest in a folder, if there is one.
fn crate_in(state: &mut WorkspaceState, folder: &WorkspacePath) -> Option<CrateRoot> {
    let within = |name: &str| match folder.as_str() {
        "" => name.to_owned(),
        folder => format!("{folder}/{name}"),
    };
    let path = state.overlay.path(&within("Cargo.toml")).ok()?;
    // What cannot be read names nothing.
    let manifest = state.text(&path).ok()??;
    let manifest: toml::Table = toml::from_str(manifest.text().ok()?).ok()?;
    let text = |table: &str, key: &str| Some(manifest.get(table)?.get(key)?.as_str()?.to_owned());
    if text("lib", "path").is_some_and(|path| path != "src/lib.rs") {
        return None;
    }
    let name = text("lib", "name").or_else(|| text("package", "name"))?;
    Some(CrateRoot {
        name: name.replace('-', "_"),
        sources: within("src"),
    })
}
