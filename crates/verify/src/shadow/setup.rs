//! Shadow setup: the workspace, where its layers are kept, and what a program may see and write.
//!
//! The front end writes a [`Setup`] to a file of the layers' folder; each stage of the re-executed program reads it. The
//! last that reads the file removes it.

use std::fs::{self, OpenOptions};
use std::io::{self, Write as _};
use std::os::unix::fs::OpenOptionsExt as _;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

/// How a program is shown the workspace as staged.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Backend {
    /// Under its own path, by an overlay file system in namespaces.
    Overlay,
    /// As a copy under another path. The program is not confined.
    Copy,
}

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

/// How a program sees the system.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Setup {
    /// How the workspace is shown.
    pub backend: Backend,
    /// The process that starts the first stage, if that is known.
    pub parent: Option<i32>,
    /// The workspace, absolute.
    pub root: PathBuf,
    /// Where the layers are kept, absolute, outside the workspace.
    pub layers: PathBuf,
    /// A layer of other programs that is below this one's, if there is one: their ignored files are there to be read.
    pub under: Option<PathBuf>,
    /// The folder that the program starts in.
    pub folder: PathBuf,
    /// Whether it may use the network.
    pub network: bool,
    /// The home folder, which is empty to the program.
    pub home: PathBuf,
    /// Folders that it may write to beside the workspace; what it writes stays in a layer.
    pub caches: Vec<PathBuf>,
    /// Files and folders that it may read beside the system's own.
    pub shown: Vec<PathBuf>,
    /// What it finds elsewhere; in a copy it finds everything where it is. A socket in a placed folder can be connected to.
    pub placed: Vec<PlacedPath>,
    /// Files that it finds with these texts.
    pub texts: Vec<(PathBuf, String)>,
    /// Files that it finds with these texts in place of their own, and folders that it finds empty.
    pub replaced: Vec<(PathBuf, String)>,
    /// Files and folders that it finds empty, or cannot read; those in the workspace's `.git` are not there.
    pub hidden: Vec<PathBuf>,
    /// Its environment, whole.
    pub environment: Vec<(String, String)>,
}

impl Setup {
    /// Returns the path under which a program finds the workspace.
    pub fn shown(&self) -> PathBuf {
        match self.backend {
            Backend::Overlay => self.root.clone(),
            Backend::Copy => {
                let name = self.root.file_name().unwrap_or("workspace".as_ref());
                self.layers.join("copy").join(name)
            }
        }
    }

    /// Returns the path under which a program finds a folder of the workspace.
    pub(super) fn shown_folder(&self, folder: &Path) -> PathBuf {
        let below = folder.strip_prefix(&self.root).unwrap_or(Path::new(""));
        self.shown().join(below)
    }

    /// Returns the folder for a program's temporary files, where it has one of its own.
    pub(super) fn temporary(&self) -> PathBuf {
        self.layers.join("temporary")
    }

    /// Writes the setup to a file that nobody else reads: variables of a program may be keys.
    pub(super) fn write(&self, file: &Path) -> io::Result<()> {
        let mut options = OpenOptions::new();
        options.write(true).create(true).truncate(true).mode(0o600);
        options.open(file)?.write_all(&serde_json::to_vec(self)?)
    }

    /// Reads a setup from the file that the front end has written.
    pub(super) fn read(file: &Path) -> io::Result<Self> {
        Ok(serde_json::from_slice(&fs::read(file)?)?)
    }

    /// Reads a setup for the last time: keys do not stay on the disk while a program runs, and after it.
    pub(super) fn take(file: &Path) -> io::Result<Self> {
        let setup = Self::read(file)?;
        fs::remove_file(file)?;
        Ok(setup)
    }
}
