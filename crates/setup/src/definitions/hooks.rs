//! Files of hooks: the user's own, and the one that came with the workspace.
//!
//! In: the folders of this run. Out: the hooks, what the user thinks of those of the workspace, and a line for the user for
//! whatever is passed over.
//!
//! The workspace's file is read as it is on disk: what a model staged in it does not count. What was read is what is asked
//! about and what runs: the file is not read again.

use std::io::ErrorKind;
use std::path::Path;

use signoff_llm::hook::{HookSettings, Hooks, MAX_SETTINGS, WorkspaceHooks};
use signoff_sandbox::regular;

use super::trust::{DefinitionHash, TrustFile, TrustKind};
use crate::paths::Paths;

/// The file in a workspace: that of Claude Code.
pub const WORKSPACE_FILE: &str = ".claude/settings.json";
/// The user's own file, in the folder of the configuration.
const OWN_FILE: &str = "hooks.json";

/// Finds the hooks, none where there are none, and a line for each thing that is passed over.
pub fn find(paths: &Paths) -> (Option<Hooks>, Vec<String>) {
    let mut remarks = Vec::new();
    let own = paths.config.with_file_name(OWN_FILE);
    let own = read(&own, OWN_FILE, &mut remarks);
    let file = paths.root.join(WORKSPACE_FILE);
    let workspace = read(&file, WORKSPACE_FILE, &mut remarks);
    let workspace = workspace.map(|(settings, definition)| {
        let question = settings.question(WORKSPACE_FILE);
        let file = TrustFile::new(paths);
        WorkspaceHooks {
            trust: file.record(TrustKind::Hooks, WORKSPACE_FILE, definition, question),
            hooks: settings.hooks,
        }
    });
    let own = own.map_or_else(Vec::new, |(settings, _)| settings.hooks);
    (Hooks::new(own, workspace), remarks)
}

/// Reads a file of hooks; what cannot be read is said.
fn read(
    file: &Path,
    name: &str,
    remarks: &mut Vec<String>,
) -> Option<(HookSettings, DefinitionHash)> {
    let text = match regular::text(file, MAX_SETTINGS) {
        Ok(text) => text,
        // A part of the path may be a file.
        Err(error) if matches!(error.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory) => {
            return None;
        }
        Err(error) => {
            remarks.push(format!("{name} is passed over, with its hooks: {error}"));
            return None;
        }
    };
    match HookSettings::read(name, &text) {
        Ok(mut settings) => {
            remarks.append(&mut settings.remarks);
            Some((settings, DefinitionHash::of(text.as_bytes())))
        }
        Err(why) => {
            remarks.push(format!("{why}; its hooks are passed over"));
            None
        }
    }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use signoff_llm::trust::TrustStanding;

    use super::*;

    const HOOKS: &str =
        r#"{"hooks":{"PreToolUse":[{"hooks":[{"type":"command","command":"x"}]}]},"model":"m"}"#;

    fn paths(folder: &Path) -> Paths {
        for name in ["root/.claude", "state", "config"] {
            fs::create_dir_all(folder.join(name)).unwrap();
        }
        Paths {
            root: folder.join("root"),
            store: folder.join("state/state.db"),
            trust: folder.join("state/trust.json"),
            config: folder.join("config/config.toml"),
            log: folder.join("log"),
            reserved: Default::default(),
        }
    }

    #[test]
    fn hooks_of_a_workspace_are_trusted_as_they_were_shown() {
        let folder = tempfile::tempdir().unwrap();
        let paths = paths(folder.path());
        let (hooks, remarks) = find(&paths);
        assert!(hooks.is_none() && remarks.is_empty());
        let file = paths.root.join(WORKSPACE_FILE);
        fs::write(&file, HOOKS).unwrap();
        fs::write(paths.config.with_file_name(OWN_FILE), HOOKS).unwrap();
        let hooks = find(&paths).0.unwrap();
        let told = [
            "yours: 1 hook (PreToolUse)",
            ".claude/settings.json: 1 hook (PreToolUse), not trusted: they do not run",
        ];
        assert_eq!(hooks.in_words(WORKSPACE_FILE), told);
        // Trust is in what was read, whatever the file has become.
        fs::write(&file, HOOKS.replace("\"x\"", "\"evil\"")).unwrap();
        let trust = hooks.trust().unwrap();
        assert_eq!(trust.question().text, "PreToolUse *: x");
        trust.decide(true).unwrap();
        let standing = || find(&paths).0.unwrap().trust().unwrap().standing();
        assert_eq!(standing(), TrustStanding::Changed);
        let told = find(&paths).0.unwrap().in_words(WORKSPACE_FILE);
        assert!(told[1].ends_with(", changed since you decided: they do not run"));
        fs::write(&file, HOOKS).unwrap();
        assert_eq!(standing(), TrustStanding::Trusted);
    }

    #[test]
    fn files_that_cannot_be_read_are_said_and_run_nothing() {
        let folder = tempfile::tempdir().unwrap();
        let paths = paths(folder.path());
        let file = paths.root.join(WORKSPACE_FILE);
        for text in ["{", r#"{"hooks":7}"#, &" ".repeat(300 * 1024)] {
            fs::write(&file, text).unwrap();
            let (hooks, remarks) = find(&paths);
            assert_eq!(remarks.len(), 1);
            assert!(hooks.is_none());
        }
        fs::remove_file(&file).unwrap();
        std::os::unix::fs::symlink("/dev/zero", &file).unwrap();
        let (hooks, remarks) = find(&paths);
        assert!(remarks[0].contains("is not a regular file"));
        assert!(hooks.is_none());
    }
}
