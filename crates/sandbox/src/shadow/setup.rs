//! Shadow setup: the workspace, where its layers are kept, and what a program may see and write.
//!
//! The front end writes a [`Setup`] to a file of the layers' folder; each stage of the re-executed program reads it. The
//! last that reads the file removes it.

use std::io;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};
use signoff_source::path::reserved::ReservedFolders;

use super::beneath::Tree;
use crate::git_view::GitFolders;

/// The file that tells the stages what to make.
const SETUP: &str = "setup.json";
/// Maximum size of that file, in bytes: it has a path for each file that rules hide.
const MAX_SETUP: u64 = 256 << 20;

/// Whose programs share layers. What one of them leaves in ignored files is found by the next one of the same origin,
/// never by one of another.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Origin {
    /// Programs that the user starts.
    User,
    /// The model's commands.
    Model,
    /// Checks on the staged state.
    Checks,
    /// Tests on the staged state: they run code of the model's, which checks must not meet.
    Tests,
    /// Checks and tests on the state of the disk.
    Baseline,
    /// Language servers.
    LanguageServers,
    /// Servers of tools for the model.
    ToolServers,
    /// Hooks; what they write is dropped.
    Hooks,
    /// Hooks after an edit, as formatters; what they write is proposed.
    HooksAfterEdits,
    /// Nothing but a look whether a shadow can be made.
    Probe,
}

impl Origin {
    /// Returns whether somebody asks what a program changed.
    pub(super) fn is_collected(self) -> bool {
        match self {
            Self::User | Self::Model | Self::HooksAfterEdits => true,
            Self::Checks
            | Self::Tests
            | Self::Baseline
            | Self::LanguageServers
            | Self::ToolServers
            | Self::Hooks
            | Self::Probe => false,
        }
    }

    /// Returns the folder of its layers.
    pub(super) fn folder(self) -> &'static str {
        match self {
            Self::User => "user",
            Self::Model => "model",
            Self::Checks => "checks",
            Self::Tests => "tests",
            Self::Baseline => "baseline",
            Self::LanguageServers => "language-servers",
            Self::ToolServers => "tool-servers",
            Self::Hooks => "hooks",
            Self::HooksAfterEdits => "hooks-after-edits",
            Self::Probe => "probe",
        }
    }
}

/// A file or folder that a program finds at another path, read-only; not where an earlier program left a file or a link
/// in the way.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct PlacedPath {
    /// Where it is.
    pub from: PathBuf,
    /// Where the program finds it: a path in what is the program's own, as `/run`, its home folder, or a layer.
    pub to: PathBuf,
}

/// Git's folders outside of the workspace, to which programs write in a layer of their own.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct GitElsewhere {
    /// Where they are.
    pub folders: GitFolders,
    /// What of them is not there for programs.
    pub hidden: Vec<PathBuf>,
}

impl GitElsewhere {
    /// Returns what is hidden of them, from the folder that all work trees share.
    pub(super) fn hidden(&self) -> impl Iterator<Item = PathBuf> {
        let common = &self.folders.common;
        let hidden = self.hidden.iter();
        hidden.filter_map(move |path| path.strip_prefix(common).ok().map(Path::to_owned))
    }
}

/// The network that a program has.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum ProgramNetwork {
    /// Loopback, and nothing else.
    None,
    /// Loopback, and the hosts to which a broker connects it.
    Brokered,
    /// The user's own.
    Whole,
}

/// How a program sees the system.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Setup {
    /// The process that starts the first stage, if that is known.
    pub parent: Option<i32>,
    /// The workspace, absolute.
    pub root: PathBuf,
    /// Where the layers are kept, absolute, outside the workspace.
    pub layers: PathBuf,
    /// Where changes of the repository wait for the user, absolute, outside the workspace.
    #[serde(skip)]
    pub commits: PathBuf,
    /// A layer of other programs that is below this one's, if there is one: their ignored files are there to be read.
    pub under: Option<PathBuf>,
    /// The folder that the program starts in.
    pub folder: PathBuf,
    /// Its network.
    pub network: ProgramNetwork,
    /// The home folder, which is empty to the program.
    pub home: PathBuf,
    /// Folders that it may write to beside the workspace; what it writes stays in a layer.
    pub caches: Vec<PathBuf>,
    /// The repository of the workspace, if that has none in it.
    pub git: Option<GitElsewhere>,
    /// Files and folders that it may read beside the system's own.
    pub shown: Vec<PathBuf>,
    /// What it finds elsewhere. A socket in a placed folder can be connected to.
    pub placed: Vec<PlacedPath>,
    /// Files that it finds with these texts.
    pub texts: Vec<(PathBuf, String)>,
    /// Files that it finds with these texts in place of their own, and folders that it finds empty.
    pub replaced: Vec<(PathBuf, String)>,
    /// Files and folders that it finds empty; those in the workspace's `.git` are not there.
    pub hidden: Vec<PathBuf>,
    /// Folders of signoff's own: nothing of them is copied for programs or taken from them. They are hidden as well.
    #[serde(skip)]
    pub reserved: ReservedFolders,
    /// Its environment, whole.
    pub environment: Vec<(String, String)>,
}

impl Setup {
    /// Writes the setup to the folder of its layers.
    pub(super) fn write(&self, layers: &Tree) -> io::Result<()> {
        layers.write(Path::new(SETUP), &serde_json::to_vec(self)?)
    }

    /// Reads a setup from the folder of its layers, to which the front end has written it.
    pub(super) fn read(layers: &Tree) -> io::Result<Self> {
        Ok(serde_json::from_slice(
            &layers.read(Path::new(SETUP), MAX_SETUP)?,
        )?)
    }

    /// Reads a setup for the last time: keys do not stay on the disk while a program runs, and after it.
    pub(super) fn take(layers: &Tree) -> io::Result<Self> {
        let setup = Self::read(layers)?;
        layers.remove_file(Path::new(SETUP))?;
        Ok(setup)
    }
}
