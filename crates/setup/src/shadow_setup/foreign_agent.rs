//! Coding agents of others, run in the shadow: what each needs of the home folder and the environment.
//!
//! In: the name of an agent, the home folder and the environment. Out: the folders that it finds with a layer over them,
//! the files that it finds as copies, the variables that it gets, and the keys that it uses and does not have. Nothing of what it
//! writes there reaches the home folder.
//!
//! ```text
//! claude   ~/.claude with a layer, ~/.claude.json as a copy, the use of $ANTHROPIC_API_KEY, the network
//! ```

use std::fmt;
use std::path::{Path, PathBuf};

use serde_json::Value;
use signoff_sandbox::network::ServiceAddress;
use signoff_sandbox::regular;

use crate::args::ForeignAgent;
use crate::config::{ANTHROPIC, GEMINI as GEMINI_SERVICE, OPENAI, Service};

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
    /// Variables with its settings, and with tokens that are no keys of a service below.
    variables: &'static [&'static str],
    /// Services that it asks.
    services: &'static [AgentService],
}

/// A service that takes a key, as one agent asks it.
struct AgentService {
    service: &'static Service,
    /// Variables with a key for it, beside the service's own.
    tokens: &'static [&'static str],
    /// Where the agent keeps one.
    stored: &'static [StoredKey],
    /// Its address, where no variable has another.
    public: &'static str,
}

/// A key in a file of an agent's: in one of its folders, or in the home folder.
struct StoredKey {
    file: &'static str,
    place: KeyPlace,
}

/// Where in a file a key is.
enum KeyPlace {
    /// At a pointer of JSON.
    Json(&'static str),
    /// In a line `NAME=key`.
    Line(&'static str),
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
    variables: &["ANTHROPIC_MODEL", "CLAUDE_CODE_OAUTH_TOKEN"],
    services: &[AgentService {
        service: &ANTHROPIC,
        tokens: &["ANTHROPIC_AUTH_TOKEN"],
        stored: &[StoredKey {
            file: ".claude.json",
            place: KeyPlace::Json("/primaryApiKey"),
        }],
        public: ANTHROPIC.url,
    }],
};

const CODEX: AgentNeeds = AgentNeeds {
    folders: &[folder(".codex", Some("CODEX_HOME"), "")],
    files: &[],
    variables: &[],
    services: &[AgentService {
        service: &OPENAI,
        tokens: &["CODEX_API_KEY"],
        stored: &[StoredKey {
            file: "auth.json",
            place: KeyPlace::Json("/OPENAI_API_KEY"),
        }],
        public: OPENAI.url,
    }],
};

const GEMINI: AgentNeeds = AgentNeeds {
    folders: &[folder(".gemini", None, "")],
    files: &[],
    variables: &[
        "GEMINI_MODEL",
        "GOOGLE_CLOUD_PROJECT",
        "GOOGLE_CLOUD_LOCATION",
    ],
    services: &[AgentService {
        service: &GEMINI_SERVICE,
        tokens: &[],
        stored: &[StoredKey {
            file: ".env",
            place: KeyPlace::Line("GEMINI_API_KEY"),
        }],
        public: GEMINI_SERVICE.url,
    }],
};
/// Where Gemini CLI keeps how the user signs in, and what it says with a key. Where an address is named and no sign-in is
/// chosen, it takes one that it has not.
const GEMINI_SETTINGS: &str = ".gemini/settings.json";
const GEMINI_SIGN_IN: &str = r#"{"security": {"auth": {"selectedType": "gemini-api-key"}}}"#;

/// It asks models of many services; keys of others than these two are named with `--env`.
const OPENCODE: AgentNeeds = AgentNeeds {
    folders: &[
        folder(".config", Some("XDG_CONFIG_HOME"), "opencode"),
        folder(".local/share", Some("XDG_DATA_HOME"), "opencode"),
        folder(".local/state", Some("XDG_STATE_HOME"), "opencode"),
        folder(".cache", Some("XDG_CACHE_HOME"), "opencode"),
        folder(".opencode", None, ""),
    ],
    files: &[],
    variables: &[],
    services: &[
        AgentService {
            service: &ANTHROPIC,
            tokens: &[],
            stored: &[StoredKey {
                file: "auth.json",
                place: KeyPlace::Json("/anthropic/key"),
            }],
            public: "https://api.anthropic.com/v1",
        },
        AgentService {
            service: &OPENAI,
            tokens: &[],
            stored: &[StoredKey {
                file: "auth.json",
                place: KeyPlace::Json("/openai/key"),
            }],
            public: OPENAI.url,
        },
    ],
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
    /// Keys that it uses and does not have.
    pub(crate) keys: Vec<AgentKey>,
    /// Files of its own with such a key, and their texts.
    pub(crate) key_files: Vec<(PathBuf, String)>,
}

/// A key that an agent uses and does not have.
#[derive(Clone, PartialEq, Eq)]
pub(crate) struct AgentKey {
    /// Where it is: a variable, or a file.
    pub(crate) from: String,
    /// The key.
    pub(crate) key: String,
    /// The variable with the address of its service.
    pub(crate) address: &'static str,
    /// That address.
    pub(crate) service: ServiceAddress,
}

impl fmt::Debug for AgentKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "AgentKey({})", self.from)
    }
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

    /// Returns what it is given. `variable` returns a variable of the environment. What is not there is left out, and variables
    /// that the user lets programs have are as they are.
    pub(crate) fn access(
        self,
        home: &Path,
        named: &[String],
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
        let own = needs.variables.iter().copied();
        access.variables.extend(
            own.filter(|name| variable(name).is_some())
                .map(str::to_owned),
        );
        for service in needs.services {
            access.use_keys(service, home, named, &variable);
        }
        let settings = home.join(GEMINI_SETTINGS);
        if self == Self::Gemini && !access.keys.is_empty() && !settings.exists() {
            access.copies.push((settings, GEMINI_SIGN_IN.to_owned()));
        }
        access
    }
}

impl AgentAccess {
    /// Adds the use of the keys for a service, for a program that is no agent: those of the environment. Returns whether there is
    /// one; `named` are variables that the program has as they are.
    pub(crate) fn use_service(
        &mut self,
        service: &'static Service,
        named: &[String],
        variable: impl Fn(&str) -> Option<String>,
    ) -> bool {
        let asked = AgentService {
            service,
            tokens: &[],
            stored: &[],
            public: service.url,
        };
        // An agent may have the use of it already.
        let is_there = |own: &AgentKey| own.address == service.address;
        if !self.keys.iter().any(is_there) {
            self.use_keys(&asked, Path::new(""), named, &variable);
        }
        self.keys.iter().any(is_there)
    }

    /// Finds the keys for a service. Without any, its address is a variable as others.
    fn use_keys(
        &mut self,
        AgentService {
            service,
            tokens,
            stored,
            public,
        }: &AgentService,
        home: &Path,
        named: &[String],
        variable: &impl Fn(&str) -> Option<String>,
    ) {
        let before = self.keys.len();
        let at = variable(service.address).map_or(ServiceAddress::Public(public), |address| {
            ServiceAddress::Named {
                by: format!("${}", service.address),
                address,
            }
        });
        let held = |from: String, key: String| AgentKey {
            from,
            key,
            address: service.address,
            service: at.clone(),
        };
        for name in service.variables.iter().chain(*tokens) {
            let is_named = named.iter().any(|own| own == name);
            let key = variable(name).filter(|_| !is_named);
            self.keys
                .extend(key.map(|key| held((*name).to_owned(), key)));
        }
        for StoredKey { file, place } in *stored {
            let folders = self.folders.iter().map(PathBuf::as_path).chain([home]);
            let files: Vec<PathBuf> = folders.map(|folder| folder.join(file)).collect();
            for file in files {
                let Ok(text) = regular::text(&file, MAX_COPY) else {
                    continue;
                };
                if let Some(key) = place.find(&text) {
                    self.keys.push(held(file.display().to_string(), key));
                    self.key_files.push((file, text));
                }
            }
        }
        if self.keys.len() == before && variable(service.address).is_some() {
            self.variables.push(service.address.to_owned());
        }
    }
}

impl KeyPlace {
    fn find(&self, text: &str) -> Option<String> {
        let found = match self {
            Self::Json(pointer) => {
                let value: Value = serde_json::from_str(text).ok()?;
                value.pointer(pointer)?.as_str()?.to_owned()
            }
            Self::Line(name) => text.lines().find_map(|line| {
                let line = line.trim();
                let (own, value) = line
                    .strip_prefix("export ")
                    .unwrap_or(line)
                    .split_once('=')?;
                let value = value.trim().trim_matches(['"', '\'']);
                (own.trim() == *name).then(|| value.to_owned())
            })?,
        };
        (!found.is_empty()).then_some(found)
    }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    #[test]
    fn an_agent_is_given_its_own_and_nothing_else() {
        let home = tempfile::tempdir().unwrap();
        let home = home.path();
        for folder in [".claude", ".codex", ".ssh", ".config/opencode", "elsewhere"] {
            fs::create_dir_all(home.join(folder)).unwrap();
        }
        fs::write(home.join(".claude.json"), "{}").unwrap();
        for (agent, paths, variables, keys) in [
            (
                ForeignAgent::Claude,
                &[".claude", ".claude.json"][..],
                &[][..],
                &["ANTHROPIC_API_KEY"][..],
            ),
            (ForeignAgent::Codex, &["elsewhere"], &["CODEX_HOME"], &[]),
            (ForeignAgent::Gemini, &[], &[], &[]),
            (
                ForeignAgent::Opencode,
                &[".config/opencode"],
                &[],
                &["ANTHROPIC_API_KEY"],
            ),
        ] {
            let access = agent.access(home, &[], |name| match name {
                "ANTHROPIC_API_KEY" | "AWS_SECRET_ACCESS_KEY" => Some("secret".to_owned()),
                "CODEX_HOME" => home.join("elsewhere").to_str().map(str::to_owned),
                // What is no absolute path names no folder.
                "CLAUDE_CONFIG_DIR" => Some("relative".to_owned()),
                _ => None,
            });
            let copies = access.copies.into_iter().map(|(path, _)| path);
            let found: Vec<PathBuf> = access.folders.into_iter().chain(copies).collect();
            let paths: Vec<PathBuf> = paths.iter().map(|path| home.join(path)).collect();
            assert_eq!(found, paths, "{agent:?}");
            assert_eq!(access.variables, variables, "{agent:?}");
            let from: Vec<&str> = access.keys.iter().map(|own| own.from.as_str()).collect();
            assert_eq!(from, keys, "{agent:?}");
        }
    }

    /// Rows: an agent, a file of its own, and the key in it.
    #[test]
    fn a_key_is_found_where_its_agent_keeps_it() {
        for (agent, file, text, key) in [
            (
                ForeignAgent::Claude,
                ".claude.json",
                r#"{"primaryApiKey": "sk-1"}"#,
                Some("sk-1"),
            ),
            (
                ForeignAgent::Codex,
                ".codex/auth.json",
                r#"{"OPENAI_API_KEY": "sk-1"}"#,
                Some("sk-1"),
            ),
            (
                ForeignAgent::Codex,
                ".codex/auth.json",
                r#"{"OPENAI_API_KEY": null, "tokens": {}}"#,
                None,
            ),
            (
                ForeignAgent::Gemini,
                ".gemini/.env",
                "A=b\nexport GEMINI_API_KEY=\"sk-1\"\n",
                Some("sk-1"),
            ),
            (
                ForeignAgent::Opencode,
                ".local/share/opencode/auth.json",
                r#"{"openai": {"type": "api", "key": "sk-1"}, "anthropic": {"type": "oauth"}}"#,
                Some("sk-1"),
            ),
        ] {
            let home = tempfile::tempdir().unwrap();
            let file = home.path().join(file);
            fs::create_dir_all(file.parent().unwrap()).unwrap();
            fs::write(&file, text).unwrap();
            let access = agent.access(home.path(), &[], |_| None);
            let keys: Vec<&str> = access.keys.iter().map(|own| own.key.as_str()).collect();
            assert_eq!(keys, Vec::from_iter(key), "{agent:?}");
            assert_eq!(access.key_files.len(), keys.len());
        }
    }

    #[test]
    fn the_users_word_goes_before_and_an_address_without_a_key_is_a_variable() {
        let home = tempfile::tempdir().unwrap();
        let variable = |name: &str| match name {
            "ANTHROPIC_API_KEY" | "ANTHROPIC_BASE_URL" => Some(name.to_lowercase()),
            _ => None,
        };
        let named = ["ANTHROPIC_API_KEY".to_owned()];
        let access = ForeignAgent::Claude.access(home.path(), &named, variable);
        assert_eq!((access.keys.len(), access.variables.len()), (0, 1));
        assert_eq!(access.variables, ["ANTHROPIC_BASE_URL"]);
        let access = ForeignAgent::Claude.access(home.path(), &[], variable);
        let named = ServiceAddress::Named {
            by: "$ANTHROPIC_BASE_URL".to_owned(),
            address: "anthropic_base_url".to_owned(),
        };
        assert_eq!(access.keys[0].service, named);
        assert!(access.variables.is_empty());
    }
}
