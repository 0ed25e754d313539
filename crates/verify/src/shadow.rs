//! Shadow: the workspace as staged, for programs.
//!
//! In: a workspace, staged texts, a program. Out: how the program ended and which files it changed.
//! The program sees the workspace at its own path with the staged texts in it. What it writes goes to a
//! layer of an overlay file system; the workspace is never written. Where there are no such file systems,
//! it sees a copy at another path. Layer and copy keep ignored files from program to program, so that builds
//! go on where they were. The program is confined: it writes nowhere else, has no network unless it is given
//! one, and nothing that it started outlives it. Linux only.

mod attend;
mod collect;
mod confine;
mod copy;
mod defaults;
mod keep;
mod layer;
mod loopback;
mod namespaces;
mod setup;

use std::ffi::{OsStr, OsString};
use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};
use std::process::{Child, Command};

use copy::Manifest;
use rustix::fs::{FlockOperation, flock};

pub use collect::{After, Changed, Collected, Kept, NotCollected, Why};
pub use confine::{Confined, probe as probe_confinement};
pub use defaults::{caches, hidden};
pub use layer::{Content, Staged};
pub use setup::{Backend, Setup};

/// This program, also where its file was replaced since it started.
const OWN: &str = "/proc/self/exe";
/// Exit code where the shadow cannot be made.
pub const UNMADE: i32 = 125;
/// The file in which a stage says why the shadow cannot be made.
const FAILURE: &str = "failure";
/// The file that is locked while anything of a program runs.
const RUNNING: &str = "running";
/// The file that is locked while a shadow is in use.
const LOCK: &str = "lock";

/// The stages in which this binary is re-executed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Stage {
    /// Makes namespaces and mounts.
    Make,
    /// Maps ids from outside.
    Map,
    /// Is process 1 inside.
    First,
    /// Confines itself and becomes the program.
    Confine,
}

impl Stage {
    const ALL: [Self; 4] = [Self::Make, Self::Map, Self::First, Self::Confine];

    /// Returns the first argument that names the stage.
    fn word(self) -> &'static str {
        match self {
            Self::Make => "--signoff-shadow",
            Self::Map => "--signoff-shadow-map",
            Self::First => "--signoff-shadow-first",
            Self::Confine => "--signoff-shadow-confine",
        }
    }
}

/// Does a stage's work if the first argument names one. Returns the exit code.
pub(crate) fn enter(word: &OsStr, words: &[OsString]) -> Option<i32> {
    let stage = Stage::ALL.into_iter().find(|stage| word == stage.word())?;
    Some(match stage {
        Stage::Make => namespaces::make(words),
        Stage::Map => namespaces::map(words),
        Stage::First => namespaces::first(words),
        Stage::Confine => confine::become_program(words),
    })
}

/// A shadow that this process alone uses.
#[derive(Debug)]
pub struct Shadow {
    setup: Setup,
    /// The files before the next program, where they are copies.
    copied: Option<Manifest>,
    _lock: File,
}

impl Shadow {
    /// Opens the shadow of a workspace. Waits while another process uses it.
    ///
    /// # Errors
    ///
    /// Fails if its folder cannot be made or locked.
    pub fn open(setup: Setup) -> io::Result<Self> {
        fs::create_dir_all(&setup.layers)?;
        let locked = |name: &str| {
            let path = setup.layers.join(name);
            let file = File::options().create(true).append(true).open(path)?;
            flock(&file, FlockOperation::LockExclusive)?;
            io::Result::Ok(file)
        };
        let lock = locked(LOCK)?;
        // What an earlier program started may be about to end.
        drop(locked(RUNNING)?);
        Ok(Self {
            setup,
            copied: None,
            _lock: lock,
        })
    }

    /// Puts staged texts into the layer, takes out what is not staged any more, and clears the
    /// temporary folders.
    ///
    /// # Errors
    ///
    /// Fails if the layer cannot be written.
    pub fn stage(&mut self, staged: &[Staged]) -> io::Result<()> {
        let temporary = self.setup.temporary();
        layer::remove(&temporary)?;
        layer::remove(&self.setup.layers.join(FAILURE))?;
        match self.setup.backend {
            Backend::Overlay => layer::stage(&self.setup.root, &self.upper(), staged)?,
            Backend::Copy => {
                fs::create_dir_all(temporary)?;
                let copied = copy::stage(&self.setup.root, &self.upper(), staged)?;
                self.copied = Some(copied);
            }
        }
        Ok(())
    }

    /// Returns the path under which a program finds the workspace.
    pub fn shown(&self) -> PathBuf {
        self.setup.shown()
    }

    /// Returns the program and arguments that run a program in the shadow.
    ///
    /// # Errors
    ///
    /// Fails if a path is not UTF-8.
    pub fn wrap(
        &self,
        name: &OsStr,
        arguments: &[OsString],
    ) -> io::Result<(OsString, Vec<OsString>)> {
        wrapped(&self.setup, name, arguments)
    }

    /// The same for a program that starts in another folder.
    ///
    /// # Errors
    ///
    /// Fails if a path is not UTF-8.
    pub fn wrap_in(
        &self,
        folder: &Path,
        name: &OsStr,
        arguments: &[OsString],
    ) -> io::Result<(OsString, Vec<OsString>)> {
        wrapped(
            &Setup {
                folder: folder.to_owned(),
                ..self.setup.clone()
            },
            name,
            arguments,
        )
    }

    /// Runs a program on this process's own terminal. Returns its exit code: 128 and the signal's
    /// number if a signal ended it.
    ///
    /// # Errors
    ///
    /// Fails if the shadow cannot be made, and says why.
    pub fn run(
        &self,
        name: &OsStr,
        arguments: &[OsString],
        hidden_variables: &[String],
    ) -> io::Result<i32> {
        let (own, words) = self.wrap(name, arguments)?;
        let mut command = Command::new(own);
        command.args(words);
        for variable in hidden_variables {
            command.env_remove(variable);
        }
        let status = match self.setup.backend {
            Backend::Overlay => attend::spawn(&mut command, Child::try_wait)?,
            Backend::Copy => attend::spawn_and_end_all(&mut command)?,
        };
        match self.failure() {
            Some(why) => Err(io::Error::other(why)),
            None => Ok(namespaces::code(status)),
        }
    }

    /// Returns why the shadow could not be made for the last program, if so.
    pub fn failure(&self) -> Option<String> {
        fs::read_to_string(self.setup.layers.join(FAILURE)).ok()
    }

    /// Returns what the program changed, which had seen `staged`; no file above `most_bytes` is read.
    ///
    /// # Errors
    ///
    /// Fails if the layer cannot be read.
    pub fn collect(&self, staged: &[Staged], most_bytes: u64) -> io::Result<Collected> {
        let (root, copied) = (&self.setup.root, self.copied.as_ref());
        collect::collect(root, &self.upper(), staged, most_bytes, copied)
    }

    /// Writes ignored files of the layer to the workspace. Returns those that cannot be, and why.
    pub fn keep(&self, kept: &Kept) -> Vec<(String, io::Error)> {
        keep::keep(&self.setup.root, &self.upper(), &kept.paths)
    }

    /// Returns the folder that holds what differs from the workspace.
    fn upper(&self) -> PathBuf {
        match self.setup.backend {
            Backend::Overlay => self.setup.layers.join("workspace/upper"),
            Backend::Copy => self.setup.shown(),
        }
    }
}

fn wrapped(
    setup: &Setup,
    name: &OsStr,
    arguments: &[OsString],
) -> io::Result<(OsString, Vec<OsString>)> {
    let stage = match setup.backend {
        Backend::Overlay => Stage::Make,
        Backend::Copy => Stage::Confine,
    };
    let mut words: Vec<OsString> = vec![
        stage.word().into(),
        setup.argument()?.into(),
        name.to_owned(),
    ];
    words.extend_from_slice(arguments);
    Ok((OWN.into(), words))
}

/// Tries whether a shadow can be made here: runs nothing in one.
///
/// # Errors
///
/// Says why not.
pub fn probe(layers: &Path, backend: Backend) -> io::Result<()> {
    fs::create_dir_all(layers)?;
    let folder = tempfile::Builder::new()
        .prefix("probe")
        .tempdir_in(layers)?;
    let root = folder.path().join("root");
    fs::create_dir(&root)?;
    let mut shadow = Shadow::open(Setup {
        backend,
        folder: root.clone(),
        root,
        layers: folder.path().join("layers"),
        network: false,
        caches: Vec::new(),
        hidden: Vec::new(),
    })?;
    shadow.stage(&[])?;
    let (own, words) = shadow.wrap(OsStr::new(OWN), &["--version".into()])?;
    let output = Command::new(own).args(words).output()?;
    match shadow.failure() {
        Some(why) => Err(io::Error::other(why)),
        None if output.status.success() => Ok(()),
        None => Err(io::Error::other(
            String::from_utf8_lossy(&output.stderr).into_owned(),
        )),
    }
}
