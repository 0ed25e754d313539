//! Paths: workspace, state folder, configuration.
//!
//! In: the folder asked for and the environment. Out: the workspace, its store, the config
//! file and the log. State is never inside the workspace.

use std::collections::BTreeSet;
use std::fs;
use std::os::unix::fs::MetadataExt as _;
use std::path::{Component, Path, PathBuf};

use anyhow::Context as _;
use etcetera::{BaseStrategy, choose_base_strategy};
use signoff_core::disk::workspace::reserved::{FileIdentity, ReservedFolders};
use signoff_core::engine::{Engine, FileWalk, SecondSignature, WalkedFile};
use signoff_core::id::Ambient;
use signoff_core::text::Source;
use signoff_sandbox::ignored;
use uuid::Uuid;

use crate::args::PathArgs;
use crate::clock::now;
use crate::config::EngineSettings;

/// The name of signoff's folders among those of other programs.
const NAME: &str = "signoff";
/// Maximum number of links on the way to a folder, as the kernel has it; more are a circle.
const MAX_LINKS: usize = 40;
/// Folders of the state that are not searched for files with other names: build output of programs, which link their files
/// among themselves, and the index, which is made anew.
const NOT_SEARCHED: [&str; 2] = ["shadow", "index"];
/// Maximum number of entries of signoff's folders that are searched for files with other names: conversations of years are
/// some thousand files.
const MAX_SEARCHED: usize = 50_000;

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
    /// The folders of signoff's own, which are part of no workspace.
    pub reserved: ReservedFolders,
}

impl Paths {
    /// Finds everything; nothing is made.
    pub fn find(args: &PathArgs) -> anyhow::Result<Self> {
        let asked = args.dir.as_deref().unwrap_or(Path::new("."));
        let root = asked.canonicalize();
        let root = root.with_context(|| format!("cannot open the folder {}", asked.display()))?;
        let base = choose_base_strategy().context(
            "cannot tell the home folder; set HOME, below which signoff keeps its configuration and state",
        )?;
        let state = base
            .state_dir()
            .unwrap_or_else(|| base.data_dir())
            .join(NAME);
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
        let reserved = [
            state.clone(),
            base.config_dir().join(NAME),
            base.cache_dir().join(NAME),
        ];
        let reserved = reserved_folders(&reserved);
        if reserved.holds(&root) {
            anyhow::bail!(
                "{} belongs to signoff itself, and signoff works on no file of it; start in the folder of a project",
                root.display()
            );
        }
        Ok(Self {
            reserved,
            trust: own.join("trust.json"),
            store: own.join("state.db"),
            config: base.config_dir().join(NAME).join("config.toml"),
            log: state.join("signoff.log"),
            root,
        })
    }

    /// Opens the engine of the workspace. A config that cannot be read is an error: it may say
    /// how much of history is kept.
    pub fn engine(&self) -> anyhow::Result<Engine> {
        self.engine_with(&EngineSettings::read(&self.config, &self.root)?)
    }

    /// Opens the engine of the workspace with settings that were read before.
    pub fn engine_with(&self, settings: &EngineSettings) -> anyhow::Result<Engine> {
        let mut engine = self.opened(settings.second_signature())?;
        if let Some(limit) = settings.history_limit {
            engine.set_history_limit(limit);
        }
        Ok(engine)
    }

    /// Opens the engine for a look, whatever is wrong with the configuration.
    pub fn engine_as_it_is(&self) -> anyhow::Result<Engine> {
        // It only lists. Where a file cannot be read, whatever decides says so and does not open.
        let settings = EngineSettings::read(&self.config, &self.root).unwrap_or_default();
        self.opened(settings.second_signature())
    }

    fn opened(&self, second: SecondSignature) -> anyhow::Result<Engine> {
        let reserved = self.reserved.clone();
        let walk = file_walk(self.root.clone(), reserved.clone());
        let opened = Engine::open_without(&self.root, reserved, &self.store, ambient());
        let mut engine = opened.with_context(|| format!("cannot open {}", self.store.display()))?;
        engine.set_file_walk(walk);
        engine.set_second_signature(second);
        Ok(engine)
    }

    /// Opens the engine of a background agent, whose paths these are: it proposes and cannot write.
    pub(crate) fn proposing_engine(&self) -> anyhow::Result<Engine> {
        let reserved = self.reserved.clone();
        let opened = Engine::proposing(&self.root, reserved, &self.store, ambient());
        opened.with_context(|| format!("cannot open {}", self.store.display()))
    }

    /// Returns the folder of the background agents of the workspace.
    pub fn background(&self) -> PathBuf {
        self.store.with_file_name("background")
    }

    /// Returns the folder of what is remembered of agents of others, which `signoff run --agent` ran.
    #[cfg(feature = "mcp")]
    pub fn foreign_agents(&self) -> PathBuf {
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

    /// Returns the folder of the commits of programs that wait. Those of a background agent wait with the workspace's.
    pub fn commits(&self) -> PathBuf {
        self.trust.with_file_name("commits")
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
        let folders = [self.log.parent(), self.config.parent()].into_iter();
        let folders = folders
            .flatten()
            .chain(self.reserved.folders().iter().map(PathBuf::as_path));
        let mut all: Vec<PathBuf> = Vec::new();
        for folder in folders {
            if !all.iter().any(|known| known == folder) {
                all.push(folder.to_owned());
            }
        }
        all
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
    let real = resolved.and_then(|(real, there)| Some(real.join(path.strip_prefix(there).ok()?)));
    match real {
        // Joined with nothing, a path gets a slash at its end.
        Some(real) => real.components().collect(),
        None => path.to_owned(),
    }
}

/// Returns folders of signoff's own by each of their paths, and what stands there now.
fn reserved_folders(named: &[PathBuf]) -> ReservedFolders {
    let mut folders: Vec<PathBuf> = Vec::new();
    for folder in named {
        for path in spellings(folder) {
            if !folders.contains(&path) {
                folders.push(path);
            }
        }
    }
    let standing: Vec<_> = folders
        .iter()
        .filter_map(|folder| fs::metadata(folder).ok())
        .map(|found| (found.dev(), found.ino()))
        .collect();
    let searched = folders.clone();
    ReservedFolders::new(folders, standing, move || linked_files(searched))
}

/// Returns device and inode of the files in folders that have more than one name.
fn linked_files(folders: Vec<PathBuf>) -> BTreeSet<FileIdentity> {
    let mut linked = BTreeSet::new();
    let mut searched = 0;
    let mut left = folders;
    while let Some(folder) = left.pop() {
        for entry in fs::read_dir(&folder).into_iter().flatten().flatten() {
            searched += 1;
            if searched > MAX_SEARCHED {
                tracing::warn!(folder = %folder.display(), "not searched for files with other names: there are too many");
                return linked;
            }
            let is_searched = !NOT_SEARCHED.iter().any(|name| entry.file_name() == *name);
            match entry.metadata() {
                Ok(found) if found.is_dir() && is_searched => left.push(entry.path()),
                Ok(found) if found.is_file() && found.nlink() > 1 => {
                    linked.insert((found.dev(), found.ino()));
                }
                Ok(_) | Err(_) => {}
            }
        }
    }
    linked
}

/// Returns the paths that a folder has, one for each link on the way, as where `~/.config` is one: who changes that link puts
/// another folder in its place.
fn spellings(path: &Path) -> Vec<PathBuf> {
    let mut all = vec![path.to_owned()];
    let mut at = path.to_owned();
    for _ in 0..MAX_LINKS {
        let mut above: Vec<&Path> = at.ancestors().collect();
        above.reverse();
        let link = above.into_iter().find_map(|above| {
            let target = fs::read_link(above).ok()?;
            Some((above, target))
        });
        let Some((link, target)) = link else {
            return all;
        };
        let mut next = link.parent().unwrap_or(link).to_owned();
        for part in target.components() {
            match part {
                Component::ParentDir => drop(next.pop()),
                part => next.push(part),
            }
        }
        let rest = at.strip_prefix(link).unwrap_or(Path::new(""));
        at = next.join(rest);
        all.push(at.clone());
    }
    all
}

/// Returns the real clock and random ids.
fn ambient() -> Ambient {
    Ambient {
        now: Box::new(now),
        uuid: Box::new(Uuid::now_v7),
    }
}

/// Returns what lists the files of a workspace that no ignore file names. Links, and names that are not UTF-8, are left out.
fn file_walk(root: PathBuf, reserved: ReservedFolders) -> FileWalk {
    Box::new(move || {
        let found = ignored::walk(&root, &reserved).build().flatten();
        let files = found.filter(|entry| entry.file_type().is_some_and(|kind| kind.is_file()));
        let walked = files.filter_map(|entry| {
            Some(WalkedFile {
                path: entry.path().strip_prefix(&root).ok()?.to_str()?.to_owned(),
                size: entry.metadata().ok()?.len(),
            })
        });
        walked.collect()
    })
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::symlink;

    use super::*;

    #[test]
    fn signoffs_folders_are_known_by_each_link_on_the_way_and_by_what_stands_there() {
        let folder = tempfile::tempdir().unwrap();
        let home = folder.path().canonicalize().unwrap();
        fs::create_dir_all(home.join("dotfiles/config/signoff")).unwrap();
        symlink("links/c", home.join(".config")).unwrap();
        fs::create_dir(home.join("links")).unwrap();
        symlink("../dotfiles/config", home.join("links/c")).unwrap();
        let file = home.join("dotfiles/config/signoff/config.toml");
        fs::write(&file, "").unwrap();
        fs::hard_link(&file, home.join("linked")).unwrap();
        let reserved = reserved_folders(&[
            home.join(".config/signoff"),
            home.join(".local/state/signoff"),
        ]);
        for path in [
            ".config/signoff/x",
            "links/c/signoff",
            "dotfiles/config/signoff/x",
            ".local/state/signoff/x",
        ] {
            assert!(reserved.holds(&home.join(path)), "{path}");
        }
        for path in [".config", "links/c", "links", "dotfiles", ".local"] {
            assert!(reserved.is_above(&home.join(path)), "{path}");
        }
        let linked = fs::metadata(home.join("linked")).unwrap();
        assert!(reserved.has(&linked));
    }
}
