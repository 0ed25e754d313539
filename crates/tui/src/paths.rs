//! Paths: workspace, state folder, configuration.
//!
//! In: the folder asked for and the environment. Out: the workspace, its store, the config
//! file and the log. State is never inside the workspace.

use std::path::{Path, PathBuf};
use std::time::{SystemTime, UNIX_EPOCH};

use anyhow::Context as _;
use etcetera::{BaseStrategy, choose_base_strategy};
use signoff_core::engine::Engine;
use signoff_core::id::{Ambient, Timestamp};
use signoff_core::text::Source;
use uuid::Uuid;

use crate::args::PathArgs;
use crate::config;

/// The folders of one run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Paths {
    /// The workspace.
    pub root: PathBuf,
    /// The store of the workspace.
    pub store: PathBuf,
    /// What the user trusts of the workspace; also where a background agent has a store of its own.
    pub trust: PathBuf,
    /// The user's config file; need not be there.
    pub config: PathBuf,
    /// The log file.
    pub log: PathBuf,
}

impl Paths {
    /// Finds everything; nothing is made.
    pub fn find(args: &PathArgs) -> anyhow::Result<Self> {
        let asked = args.dir.as_deref().unwrap_or(Path::new("."));
        let root = asked.canonicalize();
        let root = root.with_context(|| format!("cannot open the folder {}", asked.display()))?;
        let base = choose_base_strategy().context("cannot tell the home folder")?;
        let state = base
            .state_dir()
            .unwrap_or_else(|| base.data_dir())
            .join("signoff");
        let state = without_links(&state);
        let key = Source::new(root.as_os_str().as_encoded_bytes())
            .fingerprint()
            .to_string();
        let name = root
            .file_name()
            .map(|name| name.to_string_lossy().into_owned());
        let folder = format!(
            "{}-{}",
            name.unwrap_or_default(),
            key.get(..16).unwrap_or_default()
        );
        let own = state.join("workspaces").join(folder);
        Ok(Self {
            trust: own.join("trust.json"),
            store: own.join("state.db"),
            config: base.config_dir().join("signoff").join("config.toml"),
            log: state.join("signoff.log"),
            root,
        })
    }

    /// Opens the engine of the workspace. A config that cannot be read is an error: it may say
    /// how much of history is kept.
    pub fn engine(&self) -> anyhow::Result<Engine> {
        self.engine_keeping(config::history_limit(&self.config)?)
    }

    /// Opens the engine of the workspace, which keeps `limit` entries of history per file.
    pub(crate) fn engine_keeping(&self, limit: Option<usize>) -> anyhow::Result<Engine> {
        let mut engine = self.engine_as_it_is()?;
        limit
            .into_iter()
            .for_each(|limit| engine.set_history_limit(limit));
        Ok(engine)
    }

    /// Opens the engine without a look at the configuration.
    pub(crate) fn engine_as_it_is(&self) -> anyhow::Result<Engine> {
        let opened = Engine::open(&self.root, &self.store, ambient());
        opened.with_context(|| format!("cannot open {}", self.store.display()))
    }

    /// Opens the engine of a background agent, whose paths these are: it proposes and cannot write.
    pub(crate) fn proposing_engine(&self) -> anyhow::Result<Engine> {
        let opened = Engine::proposing(&self.root, &self.store, ambient());
        opened.with_context(|| format!("cannot open {}", self.store.display()))
    }

    /// Returns the folder of the background agents of the workspace.
    pub(crate) fn background(&self) -> PathBuf {
        self.store.with_file_name("background")
    }

    /// Returns the folder of what is remembered of agents of others, which `signoff run --agent` ran.
    #[cfg(feature = "mcp")]
    pub(crate) fn foreign_agents(&self) -> PathBuf {
        self.store.with_file_name("foreign-agents")
    }

    /// Returns the folder of the conversations about the workspace.
    pub fn sessions(&self) -> PathBuf {
        self.store.with_file_name("sessions")
    }

    /// Returns the folder of the layers in which programs write.
    pub fn shadow(&self) -> PathBuf {
        self.store.with_file_name("shadow")
    }

    /// Returns the file of the tokens for a server of the Model Context Protocol, which the user or a workspace names.
    #[cfg(feature = "mcp")]
    pub(crate) fn sign_in(&self, owner: &Path, name: &str, url: &str) -> PathBuf {
        let parts = [
            owner.as_os_str().as_encoded_bytes(),
            name.as_bytes(),
            url.as_bytes(),
        ];
        let key = Source::new(parts.join(&0).as_slice())
            .fingerprint()
            .to_string();
        let key = key.get(..32).unwrap_or(&key).to_owned();
        // By this name it is no file that a model is given unasked, wherever the folder is.
        let file = format!("credentials-{name}-{key}.json");
        self.log.with_file_name("sign-ins").join(file)
    }

    /// Returns the folders of signoff's own state and configuration, which programs must not read.
    pub fn own(&self) -> Vec<PathBuf> {
        let folders = [self.log.parent(), self.config.parent()];
        folders.into_iter().flatten().map(Path::to_owned).collect()
    }

    /// Returns the workspace as a person names it, with `~` for the home folder.
    pub fn label(&self) -> String {
        let home = etcetera::home_dir().ok();
        let below = home
            .as_deref()
            .and_then(|home| self.root.strip_prefix(home).ok());
        match below {
            Some(rest) if rest.as_os_str().is_empty() => "~".to_owned(),
            Some(rest) => format!("~/{}", rest.display()),
            None => self.root.display().to_string(),
        }
    }
}

/// Returns a path with the links resolved of what is there of it: below it, none is followed.
fn without_links(path: &Path) -> PathBuf {
    let mut there = path.ancestors();
    let resolved = there.find_map(|there| Some((there.canonicalize().ok()?, there)));
    let below = |(real, there): (PathBuf, &Path)| Some(real.join(path.strip_prefix(there).ok()?));
    match resolved.and_then(below) {
        // Joined with nothing, a path gets a slash at its end.
        Some(real) => real.components().collect(),
        None => path.to_owned(),
    }
}

/// Returns the real clock and random ids.
fn ambient() -> Ambient {
    Ambient {
        now: Box::new(now),
        uuid: Box::new(Uuid::now_v7),
    }
}

/// Returns the time.
pub(crate) fn now() -> Timestamp {
    let since = SystemTime::now()
        .duration_since(UNIX_EPOCH)
        .unwrap_or_default();
    Timestamp(i64::try_from(since.as_millis()).unwrap_or(i64::MAX))
}
