//! A workspace in which programs are tried, and what the tests of it share.

use std::fs;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::{Duration, Instant};

use signoff_sandbox::shadow::{self, ProgramNetwork, Setup};

/// What a loop waits for at most.
pub(crate) const LONG: Duration = Duration::from_secs(30);

/// What is tried in a workspace.
pub(crate) type Case = fn(&Place);

/// Tries all of a group in one workspace.
pub(crate) fn try_all(group: &str, cases: &[(&str, Case)]) -> ExitCode {
    let place = Place::new();
    if let Err(why) = shadow::probe(&place.setup) {
        untried(&format!("{group}: {why}"));
        return ExitCode::SUCCESS;
    }
    for (name, case) in cases {
        case(&place);
        println!("test {group} {name} ... ok");
    }
    ExitCode::SUCCESS
}

/// A workspace, and the setup of shadows of it.
pub(crate) struct Place {
    /// Removed with this.
    _folder: tempfile::TempDir,
    pub(crate) setup: Setup,
}

impl Place {
    pub(crate) fn new() -> Self {
        // Not in a temporary folder of the system, of which programs have one of their own.
        let folder = tempfile::tempdir_in(own_folder()).expect("a folder");
        let setup = setup(folder.path());
        fs::create_dir(&setup.root).expect("a folder");
        fs::create_dir(&setup.home).expect("a folder");
        fs::write(setup.root.join("a.txt"), "disk\n").expect("a file");
        Self {
            _folder: folder,
            setup,
        }
    }
}

/// Returns the setup of shadows of the workspace in a folder.
pub(crate) fn setup(folder: &Path) -> Setup {
    let root = folder.join("workspace");
    Setup {
        parent: None,
        layers: folder.join("layers"),
        commits: folder.join("commits"),
        under: None,
        folder: root.clone(),
        root,
        network: ProgramNetwork::None,
        home: folder.join("home"),
        git: None,
        caches: Vec::new(),
        shown: Vec::new(),
        placed: Vec::new(),
        texts: Vec::new(),
        replaced: Vec::new(),
        hidden: Vec::new(),
        reserved: Default::default(),
        environment: vec![("PATH".to_owned(), "/usr/bin:/bin".to_owned())],
    }
}

/// Waits for what comes by itself.
pub(crate) fn wait_until(is_done: impl Fn() -> bool) {
    let deadline = Instant::now() + LONG;
    while !is_done() {
        assert!(Instant::now() < deadline, "it does not come");
        std::thread::yield_now();
    }
}

/// Returns the folder for what tests leave.
fn own_folder() -> PathBuf {
    let named = std::env::var_os("SIGNOFF_UNTRIED");
    named.map_or_else(|| env!("CARGO_TARGET_TMPDIR").into(), PathBuf::from)
}

/// Records that something was not tried, where the test `untried` finds it.
fn untried(what: &str) {
    let folder = own_folder().join("untried");
    fs::create_dir_all(&folder).expect("a folder");
    let file = folder.join(std::process::id().to_string());
    let mut file = fs::File::options()
        .create(true)
        .append(true)
        .open(file)
        .expect("a file");
    writeln!(file, "{what}").expect("room");
    println!("untried: {what}");
}
