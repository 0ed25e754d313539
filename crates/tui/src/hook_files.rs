//! Files of hooks: the user's own, and the one that came with the workspace.
//!
//! In: the folders of this run. Out: the hooks, what the user thinks of those of the workspace, and a line for the user for
//! whatever is passed over.
//!
//! The workspace's file is read as it is on disk: what a model staged in it does not count. What was read is what is asked
//! about and what runs: the file is not read again.

use std::io::ErrorKind;
use std::path::Path;

use signoff_llm::hook::{Hook, HookSettings, Hooks, MAX_SETTINGS, WorkspaceHooks, listed};
use signoff_llm::trust::TrustStanding;
use signoff_verify::regular;

use crate::paths::Paths;
use crate::workspace_trust::{DefinitionHash, TrustFile, TrustKind};

/// The file in a workspace: that of Claude Code.
pub(crate) const WORKSPACE_FILE: &str = ".claude/settings.json";
/// The user's own file, in the folder of the configuration.
const OWN_FILE: &str = "hooks.json";

/// All hooks that there are.
pub(crate) struct FoundHooks {
    /// The user's.
    pub(crate) own: Vec<Hook>,
    /// Those of the workspace.
    pub(crate) workspace: Option<WorkspaceHooks>,
    /// What is passed over.
    pub(crate) remarks: Vec<String>,
}

/// Finds the hooks.
pub(crate) fn find(paths: &Paths) -> FoundHooks {
    let mut remarks = Vec::new();
    let own = paths.config.with_file_name(OWN_FILE);
    let own = read(&own, OWN_FILE, &mut remarks);
    let file = paths.root.join(WORKSPACE_FILE);
    let workspace = read(&file, WORKSPACE_FILE, &mut remarks);
    let workspace = workspace.filter(|(settings, _)| !settings.hooks.is_empty());
    FoundHooks {
        own: own.map_or_else(Vec::new, |(settings, _)| settings.hooks),
        workspace: workspace.map(|(settings, definition)| {
            let question = settings.question(WORKSPACE_FILE);
            let file = TrustFile::new(paths);
            WorkspaceHooks {
                trust: file.record(TrustKind::Hooks, WORKSPACE_FILE, definition, question),
                hooks: settings.hooks,
            }
        }),
        remarks,
    }
}

impl FoundHooks {
    /// Returns the hooks of a conversation, none where there are none.
    pub(crate) fn of_conversation(self) -> Option<Hooks> {
        Hooks::new(self.own, self.workspace)
    }

    /// Says which hooks are in force, and which are not, a line each.
    pub(crate) fn in_force(&self) -> Vec<String> {
        let own = (!self.own.is_empty()).then(|| format!("yours: {}", listed(&self.own)));
        own.into_iter()
            .chain(self.workspace.as_ref().map(in_words))
            .collect()
    }
}

/// Says how the hooks of a workspace stand.
pub(crate) fn in_words(hooks: &WorkspaceHooks) -> String {
    let standing = match hooks.trust.standing() {
        TrustStanding::Trusted => "",
        TrustStanding::Refused => ", refused: they do not run",
        TrustStanding::Changed => ", changed since you decided: they do not run",
        TrustStanding::Unknown => ", not trusted: they do not run",
    };
    format!("{WORKSPACE_FILE}: {}{standing}", listed(&hooks.hooks))
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
        let found = find(&paths);
        assert!(found.in_force().is_empty() && found.remarks.is_empty());
        assert!(found.of_conversation().is_none());
        let file = paths.root.join(WORKSPACE_FILE);
        fs::write(&file, HOOKS).unwrap();
        fs::write(paths.config.with_file_name(OWN_FILE), HOOKS).unwrap();
        let first = find(&paths);
        let told = [
            "yours: 1 hook (PreToolUse)",
            ".claude/settings.json: 1 hook (PreToolUse), not trusted: they do not run",
        ];
        assert_eq!(first.in_force(), told);
        // Trust is in what was read, whatever the file has become.
        fs::write(&file, HOOKS.replace("\"x\"", "\"evil\"")).unwrap();
        let hooks = first.of_conversation().unwrap();
        let trust = hooks.trust().unwrap();
        assert_eq!(trust.question().text, "PreToolUse *: x");
        trust.decide(true).unwrap();
        let standing = || find(&paths).workspace.unwrap().trust.standing();
        assert_eq!(standing(), TrustStanding::Changed);
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
            let found = find(&paths);
            assert_eq!(found.remarks.len(), 1);
            assert!(found.of_conversation().is_none());
        }
        fs::remove_file(&file).unwrap();
        std::os::unix::fs::symlink("/dev/zero", &file).unwrap();
        let found = find(&paths);
        assert!(found.remarks[0].contains("is not a regular file"));
        assert!(found.of_conversation().is_none());
    }
}
