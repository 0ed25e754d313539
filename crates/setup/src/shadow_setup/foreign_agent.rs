//! Coding agents of others, run in the shadow: what each needs of the home folder and the environment.
//!
//! In: the name of an agent, the home folder and the environment. Out: the folders that it finds with a layer over them,
//! the files that it finds as copies, and the variables that it gets. Nothing of what it writes there reaches the home folder.
//!
//! ```text
//! claude   ~/.claude with a layer, ~/.claude.json as a copy, $ANTHROPIC_API_KEY, the network
//! ```

use std::path::{Path, PathBuf};

use signoff_sandbox::regular;

use crate::args::ForeignAgent;

/// Maximum size of a file that an agent finds as a copy, in bytes. Claude Code keeps its list of projects in one.
const MAX_COPY: u64 = 8 << 20;

/// A folder below the home folder; the folder that a variable names counts in place of the first part.
struct AgentFolder {
    first: &'static str,
    variable: Option<&'static str>,
    rest: &'static str,
}

/// What an agent needs beside the workspace and the network.
struct AgentNeeds {
    folders: &'static [AgentFolder],
    /// Files below the home folder.
    files: &'static [&'static str],
    /// Variables with its keys and settings.
    variables: &'static [&'static str],
}

const fn folder(
    first: &'static str,
    variable: Option<&'static str>,
    rest: &'static str,
) -> AgentFolder {
    AgentFolder {
        first,
        variable,
        rest,
    }
}

const CLAUDE: AgentNeeds = AgentNeeds {
    folders: &[folder(".claude", Some("CLAUDE_CONFIG_DIR"), "")],
    files: &[".claude.json"],
    variables: &[
        "ANTHROPIC_API_KEY",
        "ANTHROPIC_AUTH_TOKEN",
        "ANTHROPIC_BASE_URL",
        "ANTHROPIC_MODEL",
        "CLAUDE_CODE_OAUTH_TOKEN",
    ],
};

const CODEX: AgentNeeds = AgentNeeds {
    folders: &[folder(".codex", Some("CODEX_HOME"), "")],
    files: &[],
    variables: &["OPENAI_API_KEY", "OPENAI_BASE_URL", "CODEX_API_KEY"],
};

const GEMINI: AgentNeeds = AgentNeeds {
    folders: &[folder(".gemini", None, "")],
    files: &[],
    variables: &[
        "GEMINI_API_KEY",
        "GEMINI_MODEL",
        "GOOGLE_GEMINI_BASE_URL",
        "GOOGLE_API_KEY",
        "GOOGLE_CLOUD_PROJECT",
        "GOOGLE_CLOUD_LOCATION",
    ],
};

/// It asks models of many services; keys other than these three are named with `--env`.
const OPENCODE: AgentNeeds = AgentNeeds {
    folders: &[
        folder(".config", Some("XDG_CONFIG_HOME"), "opencode"),
        folder(".local/share", Some("XDG_DATA_HOME"), "opencode"),
        folder(".local/state", Some("XDG_STATE_HOME"), "opencode"),
        folder(".cache", Some("XDG_CACHE_HOME"), "opencode"),
        folder(".opencode", None, ""),
    ],
    files: &[],
    variables: &["ANTHROPIC_API_KEY", "OPENAI_API_KEY", "GEMINI_API_KEY"],
};

/// What an agent is given of the user's.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct AgentAccess {
    /// Folders that it reads, and writes to in a layer.
    pub(crate) folders: Vec<PathBuf>,
    /// Files that it finds with these texts.
    pub(crate) copies: Vec<(PathBuf, String)>,
    /// Variables that it gets, whatever they hold.
    pub(crate) variables: Vec<String>,
}

impl ForeignAgent {
    fn needs(self) -> AgentNeeds {
        match self {
            Self::Claude => CLAUDE,
            Self::Codex => CODEX,
            Self::Gemini => GEMINI,
            Self::Opencode => OPENCODE,
        }
    }

    /// Returns what it is given. `variable` returns a variable of the environment. What is not there is left out.
    pub(crate) fn access(
        self,
        home: &Path,
        variable: impl Fn(&str) -> Option<String>,
    ) -> AgentAccess {
        let needs = self.needs();
        let mut access = AgentAccess::default();
        for AgentFolder {
            first,
            variable: name,
            rest,
        } in needs.folders
        {
            let named = name.and_then(&variable).map(PathBuf::from);
            let first = match named.filter(|named| named.is_absolute()) {
                Some(named) => {
                    access.variables.extend(name.map(str::to_owned));
                    named
                }
                None => home.join(first),
            };
            let folder = first.join(rest);
            access
                .folders
                .extend(Some(folder).filter(|folder| folder.is_dir()));
        }
        for file in needs.files {
            let file = home.join(file);
            if let Ok(text) = regular::text(&file, MAX_COPY) {
                access.copies.push((file, text));
            }
        }
        let keys = needs.variables.iter().copied();
        access.variables.extend(
            keys.filter(|key| variable(key).is_some())
                .map(str::to_owned),
        );
        access
    }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    #[test]
    fn an_agent_is_given_its_own_and_nothing_else() {
        let home = tempfile::tempdir().unwrap();
        let at = |path: &str| home.path().join(path);
        for folder in [".claude", ".codex", ".ssh", ".config/opencode", "elsewhere"] {
            fs::create_dir_all(at(folder)).unwrap();
        }
        fs::write(at(".claude.json"), "{}").unwrap();
        let variable = |name: &str| match name {
            "ANTHROPIC_API_KEY" | "AWS_SECRET_ACCESS_KEY" => Some("secret".to_owned()),
            "CODEX_HOME" => at("elsewhere").to_str().map(str::to_owned),
            // What is no absolute path names no folder.
            "CLAUDE_CONFIG_DIR" => Some("relative".to_owned()),
            _ => None,
        };
        let given = |agent: ForeignAgent| {
            let access = agent.access(home.path(), variable);
            let copies = access.copies.into_iter().map(|(path, _)| path);
            let paths: Vec<PathBuf> = access.folders.into_iter().chain(copies).collect();
            (paths, access.variables)
        };
        let words = |words: &[&str]| words.iter().map(|it| (*it).to_owned()).collect::<Vec<_>>();
        for (agent, paths, variables) in [
            (
                ForeignAgent::Claude,
                &[".claude", ".claude.json"][..],
                &["ANTHROPIC_API_KEY"][..],
            ),
            (ForeignAgent::Codex, &["elsewhere"], &["CODEX_HOME"]),
            (ForeignAgent::Gemini, &[], &[]),
            (
                ForeignAgent::Opencode,
                &[".config/opencode"],
                &["ANTHROPIC_API_KEY"],
            ),
        ] {
            let paths: Vec<PathBuf> = paths.iter().map(|path| at(path)).collect();
            assert_eq!(given(agent), (paths, words(variables)), "{agent:?}");
        }
    }
}
