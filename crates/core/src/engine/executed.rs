//! Marks proposals for files that are executed implicitly.
//!
//! In: the files with staged work. Out: a mark on their cards that names what runs them. Marked files
//! require a review: approving everything at once does not approve them.

use std::collections::HashMap;
use std::iter;

use super::Engine;
use crate::proposal::layer::Layer;
use crate::review::ProposalView;
use crate::workspace::executed::runs;
use crate::workspace::{EntryKind, WorkspacePath};

const EXECUTABLE: &str = "it may be run as a program";
const REPOSITORY: &str = "git takes its folder for a repository";

/// Permission bits of which one is enough to run a file.
const EXECUTE: u32 = 0o111;

impl Engine {
    /// Looks what runs the files with staged work.
    pub(super) fn look_for_programs(&mut self) {
        let mut repositories = HashMap::new();
        let found = self.stage.stacks.iter().filter_map(|(key, stack)| {
            let moves = stack.layers.iter().filter_map(|layer| layer.to());
            let names: Vec<&WorkspacePath> = iter::once(key).chain(moves).collect();
            let by_name = names.iter().find_map(|name| runs(name));
            let by = by_name.or_else(|| self.runs_on_disk(key, &names, &mut repositories))?;
            Some((key.clone(), by))
        });
        self.executed = found.collect();
    }

    /// Returns what runs the file of a proposal, as last looked.
    pub(super) fn known_program(&self, view: &ProposalView) -> Option<&'static str> {
        if self.executed.is_empty() {
            return None;
        }
        self.executed.get(self.key_of(view)?).copied()
    }

    /// Adds what runs a file to its card.
    pub(super) fn mark_program(&self, view: &mut ProposalView) {
        let Some(by) = self.known_program(view) else {
            return;
        };
        view.runs = Some(by.to_owned());
        view.add_note(&format!("this file makes a program run: {by}"));
    }

    /// Returns what runs a file for what is on disk: its execute bit, or a repository around it.
    fn runs_on_disk(
        &self,
        key: &WorkspacePath,
        names: &[&WorkspacePath],
        repositories: &mut HashMap<WorkspacePath, bool>,
    ) -> Option<&'static str> {
        if names
            .iter()
            .any(|name| self.is_in_repository(name, repositories))
        {
            return Some(REPOSITORY);
        }
        // What it runs stays the same.
        let stack = self.stage.stacks.get(key);
        if stack.is_some_and(|stack| stack.layers.iter().all(Layer::is_of_permissions)) {
            return None;
        }
        // What cannot be looked at is found out when it is to be written.
        let attributes = self.workspace.attributes(key).ok().flatten();
        let executable = attributes.is_some_and(|own| own.mode & EXECUTE != 0);
        executable.then_some(EXECUTABLE)
    }

    /// Returns whether a folder around a file looks like a repository of git without a `.git`.
    fn is_in_repository(
        &self,
        path: &WorkspacePath,
        known: &mut HashMap<WorkspacePath, bool>,
    ) -> bool {
        let below_root = |folder: &WorkspacePath| *folder != WorkspacePath::root();
        let mut folders = iter::successors(Some(path.parent()).filter(below_root), |folder| {
            Some(folder.parent()).filter(below_root)
        });
        folders.any(|folder| {
            *known.entry(folder.clone()).or_insert_with(|| {
                let entries = self.workspace.list(&folder).unwrap_or_default();
                let has = |name: &str, kind: EntryKind| {
                    entries
                        .iter()
                        .any(|entry| entry.name == name && entry.kind == kind)
                };
                has("objects", EntryKind::Dir) && entries.iter().any(|entry| entry.name == "HEAD")
            })
        })
    }
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::os::unix::fs::PermissionsExt;

    use super::super::Decision;
    use super::super::tests::{on_disk, propose, whole};
    use super::*;

    /// Returns what is said to run the file of one change, and whether it is written unseen.
    fn check(change: &str) -> (Option<String>, bool) {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path().join("ws");
        for made in ["lib/objects", "lib/sub", "src"] {
            fs::create_dir_all(root.join(made)).unwrap();
        }
        fs::write(root.join("lib/HEAD"), "ref: refs/heads/main\n").unwrap();
        fs::write(root.join("tool"), "echo\n").unwrap();
        fs::set_permissions(root.join("tool"), fs::Permissions::from_mode(0o755)).unwrap();
        fs::write(root.join("notes.md"), "a\n").unwrap();
        let mut engine = on_disk(&root);
        let proposals = propose(&mut engine, change).proposals;
        assert_eq!(proposals.len(), 1, "{change}");
        let runs = engine.review().unwrap()[0].runs.clone();
        assert_eq!(engine.waiting().unwrap()[0].runs, runs);
        let decision = engine.approve_unseen(&proposals).unwrap();
        (runs, matches!(decision, Decision::Done(_)))
    }

    #[test]
    fn what_makes_a_program_run_is_marked_and_not_written_unseen() {
        let to = |to: &str| {
            format!(
                r#"{{"file":"notes.md","description":"d","strategy":"move","move":{{"to":"{to}"}}}}"#
            )
        };
        for (change, by) in [
            (whole(".envrc", "x\n"), "direnv runs it"),
            (whole("src/.Envrc", "x\n"), "direnv runs it"),
            (whole("tool", "rm\n"), EXECUTABLE),
            (whole("lib/config", "[core]\n"), REPOSITORY),
            (whole("lib/sub/x", "x\n"), REPOSITORY),
            (whole("src/HEAD", "x\n"), "git takes a folder"),
            (to(".bashrc"), "a shell runs it"),
            (to("lib/description"), REPOSITORY),
        ] {
            let (runs, written) = check(&change);
            assert!(runs.is_some_and(|runs| runs.starts_with(by)), "{change}");
            assert!(!written, "{change}");
        }
        for change in [whole("src/main.rs", "fn main() {}\n"), to("src/notes.md")] {
            assert_eq!(check(&change), (None, true), "{change}");
        }
    }
}
