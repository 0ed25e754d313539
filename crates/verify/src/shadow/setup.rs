//! What a shadow is made of: the workspace, where its layers are kept, and what is writable and hidden.
//!
//! In: the caller's settings. Out: one JSON argument, which each stage of the re-executed helper reads.

use std::io;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

/// How a program is shown the workspace as staged.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Backend {
    /// Under its own path, by an overlay file system in namespaces.
    Overlay,
    /// As a copy under another path.
    Copy,
}

/// How a program sees the system.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Setup {
    /// How the workspace is shown.
    pub backend: Backend,
    /// The workspace, absolute.
    pub root: PathBuf,
    /// Where the layers are kept, absolute, outside the workspace.
    pub layers: PathBuf,
    /// The folder that the program starts in.
    pub folder: PathBuf,
    /// Whether it may use the network.
    pub network: bool,
    /// Folders that it may write to beside the workspace; what it writes stays in a layer. With a copy, it
    /// can read them.
    pub caches: Vec<PathBuf>,
    /// Files and folders that it finds empty, or cannot read.
    pub hidden: Vec<PathBuf>,
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

    /// Returns the setup as an argument.
    pub(super) fn argument(&self) -> io::Result<String> {
        Ok(serde_json::to_string(self)?)
    }

    /// Reads the setup from an argument.
    pub(super) fn read(argument: &str) -> io::Result<Self> {
        Ok(serde_json::from_str(argument)?)
    }
}
