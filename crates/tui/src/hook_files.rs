//! Files of hooks: the user's own, and the one that came with the workspace.
//!
//! In: the folders of this run. Out: the hooks, what the user thinks of those of the workspace, and a line for the user for
//! whatever is passed over.
//!
//! The workspace's file is read as it is on disk: what a model staged in it does not count. What was read is what is asked
//! about and what runs: the file is not read again.

use std::io::ErrorKind;
use std::path::Path;

use signoff_llm::hook::{
    Hook, HookSettings, HookStanding, Hooks, MAX_SETTINGS, TrustQuestion, WorkspaceHooks, listed,
};
use signoff_verify::regular;

use crate::paths::Paths;
use crate::workspace_trust::{DefinitionHash, TrustFile, TrustKind, TrustStanding};

/// The file in a workspace: that of Claude Code.
pub(crate) const WORKSPACE_FILE: &str = ".claude/settings.json";
/// The user's own file, in the folder of the configuration.
const OWN_FILE: &str = "hooks.json";

/// All hooks that there are.
pub(crate) struct FoundHooks {
    /// The user's.
    pub(crate) own: Vec<Hook>,
    /// Those of the workspace.
    pub(crate) workspace: Option<FoundWorkspaceHooks>,
    /// What is passed over.
    pub(crate) remarks: Vec<String>,
}

/// The hooks that came with the workspace.
pub(crate) struct FoundWorkspaceHooks {
    pub(crate) hooks: Vec<Hook>,
    pub(crate) question: TrustQuestion,
    definition: DefinitionHash,
    pub(crate) standing: TrustStanding,
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
        workspace: workspace.map(|(settings, definition)| FoundWorkspaceHooks {
            standing: TrustFile::new(paths).standing(TrustKind::Hooks, WORKSPACE_FILE, &definition),
            question: settings.question(WORKSPACE_FILE),
            hooks: settings.hooks,
            definition,
        }),
        remarks,
    }
}

impl FoundHooks {
    /// Returns the hooks of a conversation, none where there are none.
    pub(crate) fn of_conversation(self, paths: &Paths) -> Option<Hooks> {
        let file = TrustFile::new(paths);
        let workspace = self.workspace.map(|own| {
            let definition = own.definition;
            WorkspaceHooks {
                hooks: own.hooks,
                standing: match own.standing {
                    TrustStanding::Trusted => HookStanding::Trusted,
                    TrustStanding::Refused => HookStanding::Refused,
                    TrustStanding::Changed | TrustStanding::Unknown => HookStanding::Undecided,
                },
                question: own.question,
                keep: Box::new(move |allowed| {
                    file.decide(TrustKind::Hooks, WORKSPACE_FILE, &definition, allowed)
                        .map_err(|error| error.to_string())
                }),
            }
        });
        Hooks::new(self.own, workspace)
    }

    /// Says which hooks are in force, and which are not, a line each.
    pub(crate) fn in_force(&self) -> Vec<String> {
        let own = (!self.own.is_empty()).then(|| format!("yours: {}", listed(&self.own)));
        let workspace = self.workspace.as_ref().map(FoundWorkspaceHooks::in_words);
        own.into_iter().chain(workspace).collect()
    }
}

impl FoundWorkspaceHooks {
    /// Tells whether they run.
    pub(crate) fn is_trusted(&self) -> bool {
        self.standing == TrustStanding::Trusted
    }

    /// Says how they stand.
    pub(crate) fn in_words(&self) -> String {
        let standing = match self.standing {
            TrustStanding::Trusted => "",
            TrustStanding::Refused => ", refused: they do not run",
            TrustStanding::Changed => ", changed since you decided: they do not run",
            TrustStanding::Unknown => ", not trusted: they do not run",
        };
        format!("{WORKSPACE_FILE}: {}{standing}", listed(&self.hooks))
    }

    /// Keeps that the user trusts them.
    pub(crate) fn trust(&self, paths: &Paths) -> std::io::Result<()> {
        let file = TrustFile::new(paths);
        file.decide(TrustKind::Hooks, WORKSPACE_FILE, &self.definition, true)
    }
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
        assert!(found.of_conversation(&paths).is_none());
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
        let hooks = first.of_conversation(&paths).unwrap();
        assert_eq!(hooks.question().unwrap().text, "PreToolUse *: x");
        hooks.decide(true).unwrap();
        let changed = find(&paths).workspace.unwrap();
        assert_eq!(changed.standing, TrustStanding::Changed);
        assert!(!changed.is_trusted());
        fs::write(&file, HOOKS).unwrap();
        assert!(find(&paths).workspace.unwrap().is_trusted());
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
            assert!(found.of_conversation(&paths).is_none());
        }
        fs::remove_file(&file).unwrap();
        std::os::unix::fs::symlink("/dev/zero", &file).unwrap();
        let found = find(&paths);
        assert!(found.remarks[0].contains("is not a regular file"));
        assert!(found.of_conversation(&paths).is_none());
    }
}
