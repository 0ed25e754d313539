//! Shadow: the workspace as staged, for programs.
//!
//! In: a workspace, staged texts, a program. Out: how the program ended and which files it changed.
//! The program sees the workspace at its own path with the staged texts in it. What it writes goes to a
//! layer of an overlay file system; the workspace is never written. It is confined: it finds the system, toolchains
//! and caches and nothing else, writes nowhere but in layers of its own, has no network unless it is given one, and
//! nothing that it started outlives it. Where there are no namespaces, or no overlay, there is no shadow: no program runs.
//! Linux only.
//!
//! | stage | is |
//! |---|---|
//! | front end | [`Shadow`], in the process of signoff: fills layers, starts the maker, collects |
//! | `maker` | makes namespaces and the tree in `new_root`, copies `streams`, watches `bounds` |
//! | `first` | process 1: `/proc`, the inner user namespace, gives up `rights` |
//! | `confine` | Landlock, the filter in `calls`, becomes the program |
//!
//! The workspace as staged, for one program. In signoff's own process: `slot` takes layers that nobody else uses,
//! `layer` puts staged texts into an overlay's upper layer, `beneath` is how layers are read and changed,
//! `snapshot` knows what files were when the program started, `collect` reads what differs, `keep` writes ignored
//! files where the user wants them, `left_ignored` those that programs left earlier. `defaults` says what is shown of the home folder and the environment, `user_git` of the user's settings of git, `advice`
//! what is in the way of an overlay. In the stages in which signoff is run anew, which `main` enters first: `maker`
//! makes namespaces and the tree in `new_root`, and copies `streams`; `terminal_filter` looks through those for a
//! terminal; `way_out` is the listener by which a program reaches some hosts, `connector` what takes `ssh` there; `first` is process 1; `confine` becomes the program. `fed_run` runs one to its end with an input,
//! `service` one for many requests, which sees what was staged when it started. See programs (`docs/programs.md`)
//! and `docs/decisions/0033`.
//!
//! **Invariant:** the workspace is never written but by `keep`. What a program left in a layer is not trusted: no
//! link in it is followed, and what stops a later program is set aside.
//!
//! **Invariant:** only `beneath` removes, moves and writes what is in a layer: by descriptors, below a folder that
//! was opened, with no link on the way. Another process of the user's may exchange a folder of the layers for a
//! link at any moment.
//!
//! **Invariant:** a stage that cannot do all of its work starts no program: the exit code is 125, with the reason.

mod advice;
mod attend;
mod beneath;
mod bounds;
mod calls;
mod collect;
mod collected;
mod confine;
mod connector;
mod crew;
mod defaults;
mod descriptors;
mod discard;
mod failed;
mod fed_run;
mod first;
mod keep;
mod layer;
mod left_ignored;
mod lifeline;
mod loopback;
mod maker;
mod mount_table;
mod new_root;
mod private_files;
mod program_terminal;
mod rights;
mod service;
mod settings;
mod setup;
mod slot;
mod snapshot;
mod streams;
mod terminal_filter;
mod unseen;
mod unsynced;
mod user_git;
mod way_out;

use std::cell::RefCell;
use std::collections::BTreeSet;
use std::ffi::{OsStr, OsString};
use std::fs::File;
use std::io::{self, Read as _, Seek as _};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::atomic::AtomicBool;

use signoff_source::file::ProgramFile;

use crate::network::{Broker, Traffic};
use crate::waiting_commits::WaitingCommits;

use beneath::{PRIVATE, Tree};
use collect::{Evidence, KeptRepository, LayersRead};
use keep::{KeepScope, Keeper};
use layer::Staging;
use new_root::GIT_LAYER;
use slot::Slot;
use snapshot::{Snapshot, Time};

pub use advice::{advice, open_with_network};
pub use collected::{Collected, Flood, Kept, NotCollected, RepositoryWritten, Why};
pub use defaults::{UserFiles, UserPlace, environment};
pub use fed_run::run_fed;
pub use keep::{KeepRules, Keeping, KeptLink};
pub use left_ignored::{Brought, bring};
pub use program_terminal::{ProgramTerminal, TerminalAnswer};
pub use service::Service;
pub use setup::{GitElsewhere, Origin, PlacedPath, ProgramNetwork, Setup};
pub use unseen::closed_in_git;

/// The variable by which programs know the workspace that the shadow is of.
pub const ROOT_VARIABLE: &str = "SIGNOFF_SHADOW";
/// This program, also where its file was replaced since it started.
const OWN: &str = "/proc/self/exe";
/// Exit code where the shadow cannot be made.
pub const UNMADE: i32 = 125;
/// The folder that holds what differs from the workspace, in that of the layers.
const UPPER: &str = "workspace/upper";
/// Maximum length of what a stage says of its failure, in bytes.
const MAX_FAILURE: u64 = 64 << 10;
/// The file in which a stage says why the shadow cannot be made.
const FAILURE: &str = "failure";
/// The file that says what of the repository the next program finds as the last one left it.
const REPOSITORY: &str = "repository.json";
/// Git's index as the first of these programs found it; empty where there was none.
const INDEX: &str = "index";
/// The file that names what was staged for the last program, and what it changed: nothing of that is build output.
const PROPOSED: &str = "proposed.json";
/// The file that names the folder of hooks that a program set in the repository's settings, as `npm ci` does.
const HOOKS: &str = "hooks-path";
/// The file that says that a program was ended because the disk was full: its layers go.
const FULL: &str = "full";

/// The stages in which this binary is re-executed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Stage {
    /// Makes namespaces and mounts.
    Make,
    /// Is process 1 inside.
    First,
    /// Confines itself and becomes the program.
    Confine,
    /// Is started by a program inside, to connect it to a host.
    Connect,
}

impl Stage {
    const ALL: [Self; 4] = [Self::Make, Self::First, Self::Confine, Self::Connect];

    /// Returns the first argument that names the stage.
    fn word(self) -> &'static str {
        match self {
            Self::Make => "--signoff-shadow",
            Self::First => "--signoff-shadow-first",
            Self::Confine => "--signoff-shadow-confine",
            Self::Connect => "--signoff-connect",
        }
    }
}

/// Does a stage's work if the first argument names one. Returns the exit code.
pub(crate) fn enter(word: &OsStr, words: &[OsString]) -> Option<i32> {
    let stage = Stage::ALL.into_iter().find(|stage| word == stage.word())?;
    Some(match stage {
        Stage::Make => maker::make(words),
        Stage::First => first::first(words),
        Stage::Confine => confine::become_program(words),
        Stage::Connect => connector::connect(words),
    })
}

/// A program and how it is started.
#[derive(Clone, Debug)]
pub struct Launch<'a> {
    /// The program: a name on the path, or where it is.
    pub name: &'a OsStr,
    /// Its arguments.
    pub arguments: &'a [OsString],
    /// The folder of the workspace that it starts in; that of the setup where there is none.
    pub folder: Option<&'a Path>,
    /// Variables that it gets beside those of the setup.
    pub variables: &'a [(&'a str, &'a str)],
}

/// A shadow that this process alone uses.
#[derive(Debug)]
pub struct Shadow {
    setup: Setup,
    /// What is staged for the next program.
    staged: Vec<ProgramFile>,
    /// The workspace as it was, and when the layer was complete, once something is staged.
    started: Option<(Snapshot, Time)>,
    /// What of the repository this program finds as an earlier one left it.
    kept_repository: Option<KeptRepository>,
    /// Git's index as its programs found it, before the first of which something is kept.
    index: Option<File>,
    /// Where changes of the repository wait.
    waiting: WaitingCommits,
    origin: Origin,
    slot: Slot,
    /// What connects its programs to hosts.
    broker: Option<Broker>,
    /// Whether its program is a command that the user typed.
    by_user: bool,
}

/// Removes a folder in which shadows were made, with all in it: the kernel leaves folders there that nobody may read.
///
/// # Errors
///
/// Fails if something in it cannot be removed, and if there is no such folder.
pub fn remove_all(folder: &Path) -> io::Result<()> {
    discard::empty(&Tree::open(folder)?);
    let (Some(around), Some(name)) = (folder.parent(), folder.file_name()) else {
        return Err(io::Error::other("it is no folder that can be removed"));
    };
    Tree::open(around)?.remove_folder(Path::new(name))
}

impl Shadow {
    /// Opens a shadow of the workspace with layers of one origin. Programs of one origin that run at once have layers
    /// of their own: nothing is waited for.
    ///
    /// # Errors
    ///
    /// Fails if its folder cannot be made or locked.
    pub fn open(setup: Setup, origin: Origin) -> io::Result<Self> {
        let slot = Slot::take(&setup.layers, origin)
            .map_err(|error| failed::failed_on("open the layers in", &setup.layers, error))?;
        Ok(Self {
            waiting: WaitingCommits::at(&setup.commits),
            kept_repository: None,
            index: None,
            setup: Setup {
                layers: slot.path().to_owned(),
                ..setup
            },
            staged: Vec::new(),
            started: None,
            origin,
            slot,
            broker: None,
            by_user: false,
        })
    }

    /// Takes note whether its program is a command that the user typed: what it changes of the repository is told as theirs.
    pub fn set_by_user(&mut self, by_user: bool) {
        self.by_user = by_user;
    }

    /// Lets its programs reach the hosts to which a broker connects them, and no others; where they have the whole network, the
    /// broker is kept for as long as they run.
    ///
    /// # Errors
    ///
    /// Fails if no socket can be made in the folder of its layers.
    pub fn connect_by(&mut self, broker: Broker) -> io::Result<()> {
        if self.setup.network != ProgramNetwork::Whole {
            broker.serve(way_out::await_listener(self.slot.folder())?);
            self.setup.network = ProgramNetwork::Brokered;
        }
        self.broker = Some(broker);
        Ok(())
    }

    /// Lets the user be asked at the terminal of its programs while these run.
    ///
    /// # Errors
    ///
    /// Fails if no socket can be made in the folder of its layers.
    pub fn ask_at(&self, terminal: &ProgramTerminal) -> io::Result<()> {
        terminal.open(self.slot.folder())
    }

    /// Returns the traffic of its programs with the hosts to which a broker connected them.
    pub fn traffic(&self) -> Option<&Traffic> {
        self.broker.as_ref().map(Broker::traffic)
    }

    /// Opens a shadow whose layers are empty, and gone afterwards, over those of another one: what programs on the
    /// state of the disk have built is there, and nothing that runs here stays.
    ///
    /// # Errors
    ///
    /// As [`Self::open`].
    pub fn open_on(setup: Setup, origin: Origin, base: &Self) -> io::Result<Self> {
        let mut own = Self::open(setup, origin)?;
        own.slot.clear()?;
        own.slot.is_emptied_at_end();
        own.setup.under = Some(base.setup.layers.join(UPPER));
        Ok(own)
    }

    /// Returns whether nothing was built in the layers so far.
    pub fn is_cold(&self) -> bool {
        let names = self.upper().and_then(|upper| upper.names(Path::new("")));
        names.map_or(true, |names| !names.iter().any(|name| name != ".git"))
    }

    /// Puts staged texts into the layer, and takes out what is not staged any more.
    ///
    /// # Errors
    ///
    /// Fails if the layer cannot be written.
    pub fn stage(&mut self, staged: Vec<ProgramFile>) -> io::Result<()> {
        let snapshot = if self.origin.is_collected() {
            Some(Snapshot::begin(
                &self.setup.root,
                &self.setup.reserved,
                self.slot.folder(),
            )?)
        } else {
            None
        };
        let mut kept_repository = self.take_kept_repository();
        let (root, trash) = (self.setup.root.as_path(), self.slot.trash());
        let root = (root, self.setup.hidden.as_slice());
        let proposed = match left_ignored::proposed(self.slot.folder()) {
            Ok(proposed) => proposed,
            Err(_damaged) => {
                self.slot.clear()?;
                kept_repository = None;
                BTreeSet::new()
            }
        };
        let staging = Staging {
            staged: &staged,
            proposed: &proposed,
        };
        let put = |keeps_git| {
            if let (Some(git), Some(upper)) = (&self.setup.git, self.git_upper()?) {
                let common = &git.folders.common;
                layer::stage_git(common, git.hidden(), keeps_git, &upper, trash)?;
            }
            layer::stage(root, keeps_git, &self.upper()?, staging, trash)
        };
        if put(kept_repository.is_some()).is_err() {
            // An earlier program left what cannot be put in order, as folders thousands deep.
            self.slot.clear()?;
            kept_repository = None;
            put(false)?;
        }
        self.index = match kept_repository {
            Some(_) => Some(self.slot.folder().file(Path::new(INDEX))?),
            // Git puts another file in its place.
            None => match &self.setup.git {
                Some(git) => Tree::open(&git.folders.own)?.file(Path::new("index")).ok(),
                None => Tree::open(&self.setup.root)?
                    .file(Path::new(".git/index"))
                    .ok(),
            },
        };
        discard::in_background(trash);
        let named = staged.iter().map(|own| own.path.as_str());
        left_ignored::remember_proposed(self.slot.folder(), named)?;
        self.kept_repository = kept_repository;
        self.staged = staged;
        let started = snapshot::now(self.slot.folder())?;
        self.slot.expect_program(started);
        self.started = snapshot.map(|snapshot| (snapshot, started));
        Ok(())
    }

    /// Returns the workspace, which a program finds under its own path.
    pub fn root(&self) -> &Path {
        &self.setup.root
    }

    /// Returns the program and arguments that run a program in the shadow.
    ///
    /// # Errors
    ///
    /// Fails if what they need to know cannot be written.
    pub fn wrap(&self, launch: &Launch<'_>) -> io::Result<(OsString, Vec<OsString>)> {
        self.wrapped(launch, None)
    }

    fn wrapped(
        &self,
        launch: &Launch<'_>,
        parent: Option<i32>,
    ) -> io::Result<(OsString, Vec<OsString>)> {
        let mut setup = self.setup.clone();
        setup.parent = parent;
        if let Some(folder) = launch.folder {
            setup.folder = folder.to_owned();
        }
        setup.environment.extend(
            launch
                .variables
                .iter()
                .map(|(name, value)| ((*name).to_owned(), (*value).to_owned())),
        );
        defaults::tell_git(&mut setup.environment);
        let root = setup.root.to_string_lossy().into_owned();
        setup.environment.push((ROOT_VARIABLE.to_owned(), root));
        match setup.network {
            ProgramNetwork::None => {
                let names = &mut setup.environment;
                names.retain(|(name, _)| !defaults::is_proxy(name));
            }
            ProgramNetwork::Brokered => connector::tell(&mut setup),
            ProgramNetwork::Whole => {}
        }
        setup.write(self.slot.folder())?;
        // Of an earlier program.
        let _absent = self.slot.folder().remove_file(Path::new(FAILURE));
        let mut words = vec![
            Stage::Make.word().into(),
            setup.layers.into(),
            launch.name.to_owned(),
        ];
        words.extend_from_slice(launch.arguments);
        Ok((OWN.into(), words))
    }

    /// Runs a program with this process's own streams; a terminal reaches it through one of its own. Returns its
    /// exit code: 128 and the signal's number if a signal ended it. Signals reach the program; after it, the second ends this process.
    ///
    /// # Errors
    ///
    /// Fails if the shadow cannot be made, and says why.
    pub fn run(&self, launch: &Launch<'_>) -> io::Result<i32> {
        let attention = attend::Attention::begin()?;
        let own = rustix::process::getpid().as_raw_nonzero().get();
        let (own, words) = self.wrapped(launch, Some(own))?;
        let mut command = Command::new(own);
        command.args(words).env_clear();
        let status = {
            let _keys = streams::PassingKeys::begin();
            // Where what ends them was killed, the program's processes come to this one.
            attend::spawn_and_end_all(attention, command, &|| false, |_| Ok(()))?
        };
        attend::end_by_second_signal()?;
        match self.failure() {
            Some(why) => Err(io::Error::other(why)),
            None => Ok(attend::code(status)),
        }
    }

    /// Returns why the shadow could not be made for the last program, if so.
    pub fn failure(&self) -> Option<String> {
        let told = self.slot.folder().read(Path::new(FAILURE), MAX_FAILURE);
        let told = String::from_utf8_lossy(&told.ok()?).into_owned();
        (!told.is_empty()).then_some(told)
    }

    /// Returns what the program changed; no file above `most_bytes` is read.
    ///
    /// # Errors
    ///
    /// Fails if the layer cannot be read.
    pub fn collect(&self, most_bytes: u64) -> io::Result<Collected> {
        let Some((snapshot, started)) = &self.started else {
            return Err(io::Error::other("what a check changes is not collected"));
        };
        let git_layer = self.git_upper()?;
        let hooks_path = self.slot.folder().read(Path::new(HOOKS), MAX_FAILURE);
        let hooks_path = hooks_path
            .ok()
            .and_then(|path| String::from_utf8(path).ok());
        let evidence = Evidence {
            git: self.setup.git.as_ref().zip(git_layer.as_ref()),
            root: &self.setup.root,
            setup: &self.setup,
            hooks_path: hooks_path.as_deref(),
            staged: &self.staged,
            snapshot,
            started: *started,
            hidden: &self.setup.hidden,
            reserved: &self.setup.reserved,
            waiting: &self.waiting,
            owner: &self.setup.layers,
            by_user: self.by_user,
            index: self.index.as_ref(),
            most_bytes,
        };
        let earlier = self.kept_repository.clone();
        let LayersRead {
            collected,
            kept_repository: kept,
            is_left,
        } = collect::collect(evidence, self.upper()?, earlier)?;
        self.slot.note_left(*started, is_left);
        let named = self.staged.iter().chain(&collected.changed);
        let named = named.map(|own| own.path.as_str());
        let folder = self.slot.folder();
        left_ignored::remember_proposed(folder, named)?;
        if let Some(path) = &collected.git.hooks_path {
            folder.write(Path::new(HOOKS), path.as_bytes())?;
        }
        if let Some(kept) = &kept {
            if self.kept_repository.is_none() {
                let mut index = Vec::new();
                if let Some(mut found) = self.index.as_ref() {
                    found.rewind()?;
                    found.read_to_end(&mut index)?;
                }
                folder.write(Path::new(INDEX), &index)?;
            }
            folder.write(Path::new(REPOSITORY), &serde_json::to_vec(kept)?)?;
        }
        Ok(collected)
    }

    /// Returns what of the repository an earlier program left for this one: while the references on disk are as they were,
    /// and what waits of it was not decided on. A program of which nobody asks what it changed leaves nothing.
    fn take_kept_repository(&self) -> Option<KeptRepository> {
        let file = Path::new(REPOSITORY);
        let kept = self.slot.folder().read(file, MAX_FAILURE).ok()?;
        self.slot.folder().remove_file(file).ok()?;
        let kept: KeptRepository = serde_json::from_slice(&kept).ok()?;
        let never = AtomicBool::new(false);
        let mark = snapshot::asker(&self.setup.root, &never).reference_mark();
        self.slot.folder().metadata(Path::new(INDEX)).ok()?;
        let is_undecided = kept.id.as_ref().is_none_or(|id| self.waiting.holds(id));
        (is_undecided && mark.ok()? == kept.mark).then_some(kept)
    }

    /// Writes ignored files that the program wrote to the workspace, but those of which `rules` say that they make
    /// programs run, and which, or that they are links that lead where they should not.
    pub fn keep(&self, kept: &Kept, rules: &dyn KeepRules) -> Keeping {
        let Some((snapshot, started)) = &self.started else {
            return Keeping::default();
        };
        // What is on the user's disk is not lost with the power.
        let synced = self.slot.sync();
        let trees = synced.and_then(|()| Ok((Tree::open(&self.setup.root)?, self.upper()?)));
        let (disk, layer) = match trees {
            Ok(trees) => trees,
            Err(error) => {
                let path = self.setup.root.display().to_string();
                return Keeping {
                    refused: vec![(path, error)],
                    ..Keeping::default()
                };
            }
        };
        let keeper = Keeper {
            root: &self.setup.root,
            disk,
            upper: &self.setup.layers.join(UPPER),
            layer,
            reserved: &self.setup.reserved,
            scope: KeepScope::LastProgram {
                started: *started,
                began: snapshot.began(),
            },
            rules,
            umask: rules.umask(),
            linked: RefCell::default(),
        };
        keeper.keep(&kept.paths)
    }

    /// Says what a program that failed may have to leave to the user; `command` is its command line.
    pub fn may_be_closed_in_git(&self, command: &str) -> Option<String> {
        self.setup.may_be_closed_in_git(command)
    }

    /// Returns paths in a text that are there and not shown to programs.
    pub fn unseen(&self, text: &str) -> Vec<PathBuf> {
        self.setup.unseen(text)
    }

    /// Opens the folder that holds what differs from the workspace.
    /// Returns the names at the top of the workspace that differ from the disk's: of staged files and their folders, and
    /// of what programs wrote.
    ///
    /// # Errors
    ///
    /// Fails if the layer cannot be read.
    pub fn names_written(&self) -> io::Result<Vec<OsString>> {
        self.upper()?.names(Path::new(""))
    }

    /// Opens the layer of git's folder, if that is outside of the workspace.
    fn git_upper(&self) -> io::Result<Option<Tree>> {
        let path = Path::new(GIT_LAYER).join("upper");
        let folder = self.slot.folder();
        let opened = self
            .setup
            .git
            .as_ref()
            .map(|_| folder.make_below(&path, PRIVATE));
        opened.transpose()
    }

    fn upper(&self) -> io::Result<Tree> {
        self.slot.folder().make_below(Path::new(UPPER), PRIVATE)
    }
}

/// Tries whether a shadow can be made: runs `true` in one, on layers of its own.
///
/// # Errors
///
/// Says why not.
pub fn probe(setup: &Setup) -> io::Result<()> {
    let mut setup = setup.clone();
    setup.folder = setup.root.clone();
    let mut shadow = Shadow::open(setup, Origin::Probe)?;
    shadow.slot.clear()?;
    shadow.slot.is_emptied_at_end();
    shadow.stage(Vec::new())?;
    let (own, words) = shadow.wrap(&Launch {
        name: OsStr::new("/bin/true"),
        arguments: &[],
        folder: None,
        variables: &[],
    })?;
    let output = Command::new(own).args(words).env_clear().output()?;
    match shadow.failure() {
        Some(why) => Err(io::Error::other(why)),
        None if output.status.success() => Ok(()),
        None => Err(io::Error::other(
            String::from_utf8_lossy(&output.stderr).into_owned(),
        )),
    }
}

#[cfg(test)]
mod tests;
