//! What a shadow is made of: the workspace, where its layers are kept, and what is writable and hidden.
//!
//! In: the caller's settings. Out: one JSON argument, which each stage of the re-executed helper reads.

use std::io;
use std::path::PathBuf;

use serde::{Deserialize, Serialize};

/// How a program sees the system.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Setup {
    /// The workspace, absolute.
    pub root: PathBuf,
    /// Where the layers are kept, absolute, outside the workspace.
    pub layers: PathBuf,
    /// The folder that the program starts in.
    pub folder: PathBuf,
    /// Whether it may use the network.
    pub network: bool,
    /// Folders that it may write to beside the workspace; what it writes stays in a layer.
    pub caches: Vec<PathBuf>,
    /// Files and folders that it finds empty.
    pub hidden: Vec<PathBuf>,
}

impl Setup {
    /// Returns the setup as an argument.
    pub(super) fn argument(&self) -> io::Result<String> {
        Ok(serde_json::to_string(self)?)
    }

    /// Reads the setup from an argument.
    pub(super) fn read(argument: &str) -> io::Result<Self> {
        Ok(serde_json::from_str(argument)?)
    }
}
