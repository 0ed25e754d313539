//! Resolved names: which files a path stands for.
//!
//! In: a path. Out: the paths that it leads to through symbolic links, on disk and staged, and the other
//! names of the files that staged work moves. Nothing is read from the store, and no lock is taken: what
//! another process stages is known with the next call that does.

use super::executed::aliases::{MAX_NAMES, staged_links, through};
use crate::disk::workspace::{DirEntryKind, WorkspacePath};
use crate::engine::overlay::Overlay;
use crate::stage::proposal::stack::PathStack;
use crate::stage::proposal::stage::Stage;

/// Returns the paths that a path leads to, itself first.
pub(in crate::engine) fn names_of(overlay: &Overlay, path: &WorkspacePath) -> Vec<WorkspacePath> {
    let workspace = overlay.workspace.as_ref();
    let links = staged_links(workspace, &overlay.stage);
    let mut names = vec![path.clone()];
    let mut at = 0;
    while let Some(name) = names.get(at).cloned() {
        at += 1;
        // What leads out, or to nothing, is refused where it is used.
        let canonical = workspace.canonical(&name).ok();
        let entry = workspace.entry(&name).ok();
        let led = links
            .iter()
            .filter_map(|link| through(workspace, &name, link));
        let key = overlay.stage.key_of(&name);
        let stack = key.and_then(|key| Some((key, overlay.stage.stacks.get(key)?)));
        let moved = stack
            .into_iter()
            .flat_map(|(key, stack)| all_names(key, stack));
        let new = [canonical, entry]
            .into_iter()
            .flatten()
            .chain(led)
            .chain(moved);
        for new in new.collect::<Vec<_>>() {
            if names.len() < MAX_NAMES && !names.contains(&new) {
                names.push(new);
            }
        }
    }
    names
}

/// Returns what is in a folder on disk; nothing if it cannot be read.
pub(in crate::engine) fn on_disk(
    overlay: &Overlay,
    folder: &WorkspacePath,
) -> Vec<(WorkspacePath, DirEntryKind)> {
    let entries = overlay
        .workspace
        .list(folder)
        .unwrap_or_default()
        .into_iter()
        .filter_map(|entry| {
            let path = format!("./{folder}/{}", entry.name);
            let path = WorkspacePath::parse(&path, &overlay.root).ok()?;
            Some((path, entry.kind))
        });
    entries.collect()
}

/// Returns every name of the files with staged work.
pub(in crate::engine) fn staged_names(stage: &Stage) -> Vec<WorkspacePath> {
    let stacks = stage.stacks.iter();
    stacks
        .flat_map(|(key, stack)| all_names(key, stack))
        .collect()
}

/// Returns the names that a file has with some of its layers.
fn all_names(key: &WorkspacePath, stack: &PathStack) -> Vec<WorkspacePath> {
    let moves = stack.layers.iter().filter_map(|layer| layer.to());
    [key].into_iter().chain(moves).cloned().collect()
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::os::unix::fs::symlink;

    use super::*;
    use crate::engine::tests::{on_disk, propose};

    #[test]
    fn a_path_stands_for_what_links_and_moves_lead_to() {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path().join("ws");
        fs::create_dir_all(root.join("secret")).unwrap();
        fs::write(root.join("secret/key"), "k\n").unwrap();
        fs::write(root.join("other"), "k\n").unwrap();
        symlink("secret", root.join("link")).unwrap();
        symlink("link/key", root.join("far")).unwrap();
        symlink("../..", root.join("out")).unwrap();
        let mut engine = on_disk(&root);
        let change = r#"{"file":"other","description":"d","strategy":"move","move":{"to":"new"}}"#;
        assert!(propose(&mut engine, change).staged);
        for (path, expected) in [
            ("other", &["other", "new"][..]),
            ("new", &["new", "other"]),
            ("secret/key", &["secret/key"]),
            ("link/key", &["link/key", "secret/key"]),
            ("link", &["link", "secret"]),
            ("far", &["far", "secret/key"]),
            ("link/none", &["link/none", "secret/none"]),
            ("out/x", &["out/x"]),
        ] {
            let path = WorkspacePath::parse(path, &root).unwrap();
            let names = engine.names_of(&path);
            let names: Vec<&str> = names.iter().map(WorkspacePath::as_str).collect();
            assert_eq!(names, expected);
        }
        let staged = engine.staged_names();
        assert_eq!(staged.len(), 2);
    }
}
