//! What is configured.
//!
//! In: the user's file, the workspace's file, the environment and flags, each stronger than the
//! one before. Out: [`Config`]. A workspace's own file can only narrow what is allowed: it may
//! forbid the network, but never say where code and keys are sent.

use std::path::{Path, PathBuf};

use anyhow::Context as _;
use secrecy::SecretString;
use serde::Deserialize;

use crate::args::ModelArgs;
use crate::place::Place;
use crate::talk::{ApplyFile, Talk, TurnFile};

/// The file in a workspace.
pub(crate) const WORKSPACE_FILE: &str = ".signoff.toml";

/// The service that `OPENAI_API_KEY` belongs to.
const OPENAI: &str = "https://api.openai.com/v1";

/// Who answers, as far as it is configured.
#[derive(Clone, Debug)]
pub(crate) enum Source {
    /// The built-in planner.
    Offline,
    /// A recorded exchange.
    Replay(PathBuf),
    /// A server.
    Server {
        /// Its address.
        url: String,
        /// The model; none asks the server for its first.
        model: Option<String>,
        /// The key for it.
        key: Option<SecretString>,
    },
    /// Nothing is configured: look for a server on this machine.
    Look {
        /// The model, if only that is configured.
        model: Option<String>,
    },
}

/// What is configured.
#[derive(Clone, Debug)]
pub(crate) struct Config {
    /// Who answers.
    pub source: Source,
    /// The user's own header.
    pub header: Option<PathBuf>,
    /// Entries of history kept per file.
    pub history_limit: Option<usize>,
    /// How conversations are led.
    pub talk: Talk,
    /// What is odd about the configuration, a line each.
    pub warnings: Vec<String>,
}

/// The user's file.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
struct UserFile {
    model: Option<String>,
    url: Option<String>,
    /// The name of the environment variable that holds the key.
    api_key_env: Option<String>,
    offline: bool,
    header: Option<PathBuf>,
    history_limit: Option<usize>,
    turn: TurnFile,
    apply: Option<ApplyFile>,
}

/// The workspace's file.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct WorkspaceFile {
    offline: bool,
    #[serde(flatten)]
    others: toml::Table,
}

/// The variables that count.
#[derive(Clone, Debug, Default)]
pub(crate) struct Environment {
    /// `SIGNOFF_MODEL`
    pub model: Option<String>,
    /// `SIGNOFF_URL`
    pub url: Option<String>,
    /// `SIGNOFF_API_KEY`
    pub key: Option<SecretString>,
    /// `OPENAI_API_KEY`
    pub openai_key: Option<SecretString>,
}

impl Environment {
    /// Reads the process's environment.
    pub(crate) fn read() -> Self {
        Self {
            model: variable("SIGNOFF_MODEL"),
            url: variable("SIGNOFF_URL"),
            key: variable("SIGNOFF_API_KEY").map(SecretString::from),
            openai_key: variable("OPENAI_API_KEY").map(SecretString::from),
        }
    }
}

impl Config {
    /// Reads the files and puts everything together. A file that cannot be understood is an
    /// error; one that is not there is not.
    pub(crate) fn load(
        place: &Place,
        args: &ModelArgs,
        environment: Environment,
    ) -> anyhow::Result<Self> {
        let user: UserFile = read(&place.config)?;
        let workspace: WorkspaceFile = read(&place.root.join(WORKSPACE_FILE))?;
        Ok(together(user, workspace, environment, args, |name| {
            variable(name)
        }))
    }
}

fn together(
    user: UserFile,
    workspace: WorkspaceFile,
    environment: Environment,
    args: &ModelArgs,
    variable: impl Fn(&str) -> Option<String>,
) -> Config {
    let mut warnings = Vec::new();
    for name in workspace.others.keys() {
        warnings.push(format!(
            "{WORKSPACE_FILE}: `{name}` is ignored; a workspace can only set `offline`"
        ));
    }
    let own_key = || {
        user.api_key_env
            .as_deref()
            .and_then(&variable)
            .map(SecretString::from)
    };
    let key = environment.key.or_else(own_key);
    let model = args.model.clone().or(environment.model).or(user.model);
    let asked = args.url.is_some() || args.model.is_some() || environment.url.is_some();
    let url = args.url.clone().or(environment.url).or(user.url);
    let source = if let Some(file) = &args.replay {
        Source::Replay(file.clone())
    } else if args.offline || workspace.offline || (user.offline && !asked) {
        if workspace.offline && (args.url.is_some() || args.model.is_some()) {
            warnings.push(format!(
                "{WORKSPACE_FILE} forbids the network; working offline"
            ));
        }
        Source::Offline
    } else if let Some(url) = url {
        // OpenAI's key is for OpenAI's address, whatever else is configured.
        let key = key.or_else(|| environment.openai_key.filter(|_| is_openai(&url)));
        Source::Server { url, model, key }
    } else if let (Some(key), Some(_)) = (&environment.openai_key, &model) {
        Source::Server {
            url: OPENAI.to_owned(),
            model,
            key: Some(key.clone()),
        }
    } else {
        if environment.openai_key.is_some() {
            warnings.push("OPENAI_API_KEY is set, but no model: name one with --model".to_owned());
        }
        Source::Look { model }
    };
    Config {
        source,
        header: user.header,
        history_limit: user.history_limit,
        talk: Talk::new(user.turn, user.apply, &variable),
        warnings,
    }
}

/// Returns whether an address is OpenAI's own, and not one that merely begins like it.
fn is_openai(url: &str) -> bool {
    let host = OPENAI.trim_end_matches("/v1");
    url.strip_prefix(host)
        .is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
}

fn read<T: for<'a> Deserialize<'a> + Default>(path: &Path) -> anyhow::Result<T> {
    let text = match std::fs::read_to_string(path) {
        Ok(text) => text,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(T::default()),
        Err(error) => return Err(error).with_context(|| format!("cannot read {}", path.display())),
    };
    toml::from_str(&text).with_context(|| format!("{} is not understood", path.display()))
}

fn variable(name: &str) -> Option<String> {
    std::env::var(name).ok().filter(|value| !value.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn source(user: &str, workspace: &str, environment: Environment, args: ModelArgs) -> String {
        let user = toml::from_str(user).unwrap();
        let workspace = toml::from_str(workspace).unwrap();
        let config = together(user, workspace, environment, &args, |_| None);
        match config.source {
            Source::Offline => "offline".into(),
            Source::Replay(file) => format!("replay {}", file.display()),
            Source::Server { url, model, key } => {
                format!(
                    "{url} {} {}",
                    model.unwrap_or_default(),
                    if key.is_some() { "key" } else { "open" }
                )
            }
            Source::Look { model } => format!("look {}", model.unwrap_or_default()),
        }
    }

    #[test]
    fn flags_beat_the_environment_and_that_beats_files() {
        let user = "model = 'm'\nurl = 'http://user'";
        let env = || Environment {
            url: Some("http://env".into()),
            ..Environment::default()
        };
        let flag = ModelArgs {
            url: Some("http://flag".into()),
            ..ModelArgs::default()
        };
        assert_eq!(
            source("", "", Environment::default(), ModelArgs::default()),
            "look "
        );
        assert_eq!(
            source(user, "", Environment::default(), ModelArgs::default()),
            "http://user m open"
        );
        assert_eq!(
            source(user, "", env(), ModelArgs::default()),
            "http://env m open"
        );
        assert_eq!(source(user, "", env(), flag), "http://flag m open");
    }

    #[test]
    fn a_workspace_narrows_and_never_redirects() {
        let user = "model = 'm'\nurl = 'http://user'";
        let none = Environment::default;
        assert_eq!(
            source(user, "url = 'http://evil'", none(), ModelArgs::default()),
            "http://user m open"
        );
        assert_eq!(
            source(user, "offline = true", none(), ModelArgs::default()),
            "offline"
        );
    }

    #[test]
    fn openais_key_goes_to_openai_only() {
        let env = || Environment {
            openai_key: Some("k".to_owned().into()),
            ..Environment::default()
        };
        let model = ModelArgs {
            model: Some("m".into()),
            ..ModelArgs::default()
        };
        let elsewhere = ModelArgs {
            url: Some("http://else".into()),
            ..model.clone()
        };
        assert_eq!(
            source("", "", env(), model),
            "https://api.openai.com/v1 m key"
        );
        assert_eq!(source("", "", env(), elsewhere), "http://else m open");
        assert_eq!(source("", "", env(), ModelArgs::default()), "look ");
        assert!(is_openai("https://api.openai.com") && is_openai("https://api.openai.com/v1/"));
        assert!(
            !is_openai("https://api.openai.com.evil.example/v1")
                && !is_openai("http://api.openai.com")
        );
    }

    #[test]
    fn what_is_asked_for_beats_the_users_file() {
        let user = "offline = true\nurl = 'http://user'\nmodel = 'm'";
        let flag = ModelArgs {
            url: Some("http://flag".into()),
            ..ModelArgs::default()
        };
        let none = Environment::default;
        assert_eq!(source(user, "", none(), ModelArgs::default()), "offline");
        assert_eq!(source(user, "", none(), flag.clone()), "http://flag m open");
        assert_eq!(source(user, "offline = true", none(), flag), "offline");
    }
}
