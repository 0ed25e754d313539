//! Background agents of a workspace: their folders, records and processes.
//!
//! ```text
//! workspaces/WS/background/3/agent.json    what it was asked and how it stands, replaced in one step
//!                          3/lock          locked by its process as long as that lives
//!                          3/inbox/ID      prompts that its process has not taken yet
//!                          3/stop          its process ends when this is there
//!                          3/state.db      its overlay; 3/sessions its conversation, 3/log.jsonl its events
//! ```
//!
//! In: a prompt, or the number of an agent. Out: a process that outlives this one, and what is known of all agents. An agent
//! works if its lock is held: the system gives it up when the process ends, however that happens, so that no agent is taken
//! for a process that got its number after a restart.
//!
//! **Invariant:** a background agent works as long as its lock is held, and no two processes hold it. What it is
//! and was asked is replaced in one step; a number of a process is never kept.

use std::fs::{self, DirBuilder, File, OpenOptions, TryLockError};
use std::io::ErrorKind;
use std::os::unix::fs::{DirBuilderExt as _, OpenOptionsExt as _};
use std::os::unix::process::CommandExt as _;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use anyhow::{Context as _, bail};
use serde::{Deserialize, Serialize};
use signoff_core::id::{ChangesetId, Timestamp};
use signoff_llm::memory::Archive;
use signoff_llm::usage::UsageTotal;
use signoff_sandbox::polling;
use signoff_sandbox::private_file::{self, PrivateFile};
use signoff_sandbox::shadow;
use signoff_setup::clock::now;
use signoff_setup::paths::Paths;
use uuid::Uuid;

use crate::args::ModelArgs;

/// How often a process looks whether it is to end, and whoever waits for that looks whether it did.
const LOOK: Duration = Duration::from_millis(100);
/// How long a process that is told to end may take.
const END: Duration = Duration::from_secs(10);
/// The exit code of a process that was told to end.
const TOLD_TO_END: i32 = 130;
/// Agents that a workspace may have at once.
const MOST: usize = 100;

/// The background agents of a workspace.
#[derive(Clone, Debug)]
pub(crate) struct BackgroundAgents {
    paths: Paths,
}

/// The folder of one agent.
#[derive(Clone, Debug)]
pub(crate) struct AgentHome {
    /// Its number.
    pub(crate) id: u32,
    folder: PathBuf,
}

/// What is written down of an agent.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct AgentRecord {
    /// The first prompt.
    pub(crate) prompt: String,
    /// Whom it asks.
    pub(crate) model: ModelArgs,
    /// Commands that it may run.
    pub(crate) allow: Vec<String>,
    pub(crate) began: Timestamp,
    pub(crate) ended: Option<Timestamp>,
    pub(crate) stage: AgentStage,
}

/// How far an agent is.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum AgentStage {
    /// It has prompts to work on.
    Working,
    /// It hands over what it staged. Whoever finds it so without a process does it again: it has an effect once.
    HandingOver(ChangesetId),
    /// It handed over what it staged.
    HandedOver {
        /// How many files' changes were staged.
        proposals: usize,
        /// What was not, by file, and why.
        left: Vec<(String, String)>,
    },
    /// Its turn did not come to its end: what it staged stays in its overlay.
    Failed(String),
}

/// What a user sees of how an agent stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum AgentStatus {
    Working,
    Done,
    Failed,
    /// Its process ended without a word: a crash, a kill, a restart of the machine.
    Died,
}

/// An agent in a list.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct ListedAgent {
    pub(crate) id: u32,
    pub(crate) record: AgentRecord,
    pub(crate) status: AgentStatus,
    pub(crate) spent: UsageTotal,
}

/// A prompt that waits for an agent.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct WaitingPrompt {
    pub(crate) text: String,
    /// Whether the user typed it; text through a pipe may be anybody's.
    pub(crate) is_typed: bool,
}

impl WaitingPrompt {
    pub(crate) fn typed(text: String) -> Self {
        Self {
            text,
            is_typed: true,
        }
    }
}

/// Says that this process works for an agent, as long as it lives.
#[derive(Debug)]
pub(crate) struct AgentLock(#[expect(dead_code, reason = "dropping it releases the lock")] File);

impl BackgroundAgents {
    /// Returns those of a workspace; nothing is made.
    pub(crate) fn new(paths: &Paths) -> Self {
        let paths = paths.clone();
        Self { paths }
    }

    /// Starts an agent and returns its number and its process, which outlives this one.
    pub(crate) fn start(
        &self,
        prompt: WaitingPrompt,
        model: ModelArgs,
        allow: Vec<String>,
    ) -> anyhow::Result<(u32, Child)> {
        let home = self.new_home()?;
        let record = AgentRecord {
            prompt: prompt.text.clone(),
            model,
            allow,
            began: now(),
            ended: None,
            stage: AgentStage::Working,
        };
        home.save(&record)?;
        let process = self.say(&home, &prompt)?;
        Ok((home.id, process))
    }

    /// Puts a prompt before an agent, and returns a process that ends once it was worked on.
    pub(crate) fn say(&self, home: &AgentHome, prompt: &WaitingPrompt) -> anyhow::Result<Child> {
        home.put_prompt(prompt)?;
        // One that finds another at work waits for it, and then looks whether anything is left to do.
        self.spawn(home)
    }

    /// Returns the home of an agent.
    pub(crate) fn find(&self, id: u32) -> anyhow::Result<AgentHome> {
        let home = self.home(id);
        if !home.record_file().is_file() {
            bail!("there is no background agent {id}; `signoff background` lists them");
        }
        Ok(home)
    }

    /// Returns all agents, oldest first.
    pub(crate) fn list(&self) -> anyhow::Result<Vec<ListedAgent>> {
        let mut listed = Vec::new();
        for id in self.ids()? {
            let home = self.home(id);
            let own = home.listed(&self.paths);
            // It may have been stopped in this instant.
            if home.record_file().is_file() {
                listed.push(own?);
            }
        }
        Ok(listed)
    }

    /// Ends the process of an agent and removes all that is left of it. What it proposed stays.
    pub(crate) fn stop(&self, home: &AgentHome) -> anyhow::Result<()> {
        let mut mark = OpenOptions::new();
        let mark = mark
            .create(true)
            .append(true)
            .mode(0o600)
            .open(home.stop_file());
        mark.with_context(|| home.unusable())?;
        let Some(lock) = polling::until(Instant::now() + END, || home.try_lock().transpose())
        else {
            bail!(
                "background agent {} was told to end and did not within {} s; end the process \
                 `signoff background run {}`, then stop it again",
                home.id,
                END.as_secs(),
                home.id
            );
        };
        let _lock = lock?;
        // No process takes up what has no record.
        fs::remove_file(home.record_file()).with_context(|| home.unusable())?;
        shadow::remove_all(&home.folder).with_context(|| home.unusable())
    }

    /// Returns the paths of an agent: its own store, conversations and layers over the same workspace.
    pub(crate) fn paths_of(&self, home: &AgentHome) -> Paths {
        home.paths(&self.paths)
    }

    fn home(&self, id: u32) -> AgentHome {
        let folder = self.paths.background().join(id.to_string());
        AgentHome { id, folder }
    }

    fn ids(&self) -> anyhow::Result<Vec<u32>> {
        let folder = self.paths.background();
        let entries = match fs::read_dir(&folder) {
            Err(error) if error.kind() == ErrorKind::NotFound => return Ok(Vec::new()),
            entries => entries.with_context(|| format!("cannot read {}", folder.display()))?,
        };
        let names = entries.filter_map(|entry| entry.ok()?.file_name().into_string().ok());
        let mut ids: Vec<u32> = names.filter_map(|name| name.parse().ok()).collect();
        ids.sort_unstable();
        Ok(ids)
    }

    /// Makes the folder of a new agent, with the next number.
    fn new_home(&self) -> anyhow::Result<AgentHome> {
        let folder = self.paths.background();
        private_file::make_folder(&folder)
            .with_context(|| format!("cannot make {}", folder.display()))?;
        let ids = self.ids()?;
        if ids.len() >= MOST {
            bail!(
                "there are {MOST} background agents here; `signoff background stop ID` removes one"
            );
        }
        let mut id = ids.last().map_or(1, |last| last.saturating_add(1));
        loop {
            let home = self.home(id);
            match DirBuilder::new().mode(0o700).create(&home.folder) {
                // Another process was faster.
                Err(error) if error.kind() == ErrorKind::AlreadyExists => id = id.saturating_add(1),
                made => {
                    made.with_context(|| home.unusable())?;
                    // Made once: whoever only looks must not put it into a folder that is being removed.
                    let mut lock = OpenOptions::new();
                    let lock = lock.create_new(true).write(true).mode(0o600);
                    lock.open(home.lock_path())
                        .with_context(|| home.unusable())?;
                    return Ok(home);
                }
            }
        }
    }

    /// Starts a process for an agent. It leads a process group, so that neither the terminal's keys nor its end reach it. It
    /// stays in the session: signoff takes orphans in other sessions for what is left of a program, and ends them.
    fn spawn(&self, home: &AgentHome) -> anyhow::Result<Child> {
        let mut log = OpenOptions::new();
        let log = log.create(true).append(true).mode(0o600);
        let log = log
            .open(home.folder.join("log.jsonl"))
            .with_context(|| home.unusable())?;
        let own = std::env::current_exe().context("cannot tell where signoff is")?;
        Command::new(own)
            .args(["background", "run", &home.id.to_string(), "--dir"])
            .arg(&self.paths.root)
            // Who started it was asked.
            .arg("--broad-folder")
            .current_dir(&self.paths.root)
            .stdin(Stdio::null())
            .stdout(log.try_clone()?)
            .stderr(log)
            .process_group(0)
            .spawn()
            .context("cannot start signoff again")
    }
}

impl AgentHome {
    /// Returns what is written down of it.
    pub(crate) fn record(&self) -> anyhow::Result<AgentRecord> {
        let path = self.record_file();
        let read = fs::read_to_string(&path).with_context(|| self.unusable())?;
        serde_json::from_str(&read).with_context(|| format!("cannot understand {}", path.display()))
    }

    /// Writes down how it stands. The file has the earlier record or this one, whatever happens.
    pub(crate) fn save(&self, record: &AgentRecord) -> anyhow::Result<()> {
        let file = PrivateFile::new(self.record_file());
        let saved = file.replace_durably(&serde_json::to_vec(record)?);
        saved.with_context(|| self.unusable())
    }

    /// Waits until no other process works for it; none if it was stopped.
    pub(crate) fn lock(&self) -> anyhow::Result<Option<AgentLock>> {
        let Some(file) = self.lock_file()? else {
            return Ok(None);
        };
        file.lock().with_context(|| self.unusable())?;
        // The folder may be gone, or another one's of the same number.
        let is_there = self.record_file().is_file() && !self.stop_file().exists();
        Ok(is_there.then_some(AgentLock(file)))
    }

    /// Returns a lock if no process works for it.
    pub(crate) fn try_lock(&self) -> anyhow::Result<Option<AgentLock>> {
        let Some(file) = self.lock_file()? else {
            bail!("background agent {} is gone", self.id);
        };
        match file.try_lock() {
            Ok(()) => Ok(Some(AgentLock(file))),
            Err(TryLockError::WouldBlock) => Ok(None),
            Err(TryLockError::Error(error)) => Err(error).with_context(|| self.unusable()),
        }
    }

    /// Tells whether a process works for it; looks do not get in each other's way.
    fn is_at_work(&self) -> anyhow::Result<bool> {
        let Some(file) = self.lock_file()? else {
            return Ok(false);
        };
        match file.try_lock_shared() {
            Ok(()) => Ok(false),
            Err(TryLockError::WouldBlock) => Ok(true),
            Err(TryLockError::Error(error)) => Err(error).with_context(|| self.unusable()),
        }
    }

    /// Ends this process as soon as the agent is stopped. What runs for it ends with this process.
    pub(crate) fn end_when_stopped(&self) {
        let stop = self.stop_file();
        thread::spawn(move || {
            while !stop.exists() {
                thread::sleep(LOOK);
            }
            std::process::exit(TOLD_TO_END);
        });
    }

    /// Takes the oldest prompt that waits.
    pub(crate) fn take_prompt(&self) -> anyhow::Result<Option<WaitingPrompt>> {
        let entries = match fs::read_dir(self.inbox()) {
            Err(error) if error.kind() == ErrorKind::NotFound => return Ok(None),
            entries => entries.with_context(|| self.unusable())?,
        };
        let paths = entries.filter_map(|entry| Some(entry.ok()?.path()));
        let whole = paths.filter(|path| path.extension().is_none());
        let Some(oldest) = whole.min() else {
            return Ok(None);
        };
        let text = fs::read_to_string(&oldest).with_context(|| self.unusable())?;
        fs::remove_file(&oldest).with_context(|| self.unusable())?;
        let read = serde_json::from_str(&text);
        read.map(Some)
            .with_context(|| format!("cannot understand {}", oldest.display()))
    }

    fn put_prompt(&self, prompt: &WaitingPrompt) -> anyhow::Result<()> {
        private_file::make_folder(&self.inbox()).with_context(|| self.unusable())?;
        // In the order in which they come.
        let path = self.inbox().join(Uuid::now_v7().simple().to_string());
        PrivateFile::new(path)
            .replace_durably(&serde_json::to_vec(prompt)?)
            .with_context(|| self.unusable())
    }

    /// Removes its overlay: it was handed over.
    pub(crate) fn forget_overlay(&self) -> anyhow::Result<()> {
        for name in ["state.db", "state.db-wal", "state.db-shm", "state.lock"] {
            match fs::remove_file(self.folder.join(name)) {
                Err(error) if error.kind() != ErrorKind::NotFound => {
                    return Err(error).with_context(|| self.unusable());
                }
                _ => {}
            }
        }
        match shadow::remove_all(&self.folder.join("shadow")) {
            Err(error) if error.kind() != ErrorKind::NotFound => {
                Err(error).with_context(|| self.unusable())
            }
            _ => Ok(()),
        }
    }

    fn listed(&self, paths: &Paths) -> anyhow::Result<ListedAgent> {
        // The lock first: a process writes how it ended before it gives the lock up.
        let is_at_work = self.is_at_work()?;
        let has_prompts = fs::read_dir(self.inbox()).is_ok_and(|mut inbox| inbox.next().is_some());
        let record = self.record()?;
        let status = match &record.stage {
            _ if is_at_work => AgentStatus::Working,
            AgentStage::HandedOver { .. } if !has_prompts => AgentStatus::Done,
            AgentStage::Failed(_) if !has_prompts => AgentStatus::Failed,
            // Its process is about to take the lock.
            _ if has_prompts && is_recent(&self.inbox()) => AgentStatus::Working,
            AgentStage::Working
            | AgentStage::HandingOver(_)
            | AgentStage::HandedOver { .. }
            | AgentStage::Failed(_) => AgentStatus::Died,
        };
        let sessions = Archive::new(self.paths(paths).sessions()).list();
        let newest = sessions.ok().and_then(|all| all.into_iter().next());
        Ok(ListedAgent {
            id: self.id,
            record,
            status,
            // It has not been answered yet.
            spent: newest.map_or_else(UsageTotal::default, |own| own.spent),
        })
    }

    fn paths(&self, of_workspace: &Paths) -> Paths {
        Paths {
            store: self.folder.join("state.db"),
            ..of_workspace.clone()
        }
    }

    /// Returns the file that is locked; none if the folder is gone.
    fn lock_file(&self) -> anyhow::Result<Option<File>> {
        match OpenOptions::new().write(true).open(self.lock_path()) {
            Err(error) if error.kind() == ErrorKind::NotFound => Ok(None),
            opened => Ok(Some(opened.with_context(|| self.unusable())?)),
        }
    }

    fn lock_path(&self) -> PathBuf {
        self.folder.join("lock")
    }

    fn record_file(&self) -> PathBuf {
        self.folder.join("agent.json")
    }

    fn stop_file(&self) -> PathBuf {
        self.folder.join("stop")
    }

    fn inbox(&self) -> PathBuf {
        self.folder.join("inbox")
    }

    fn unusable(&self) -> String {
        format!(
            "cannot use the folder of background agent {}, {}",
            self.id,
            self.folder.display()
        )
    }
}

impl AgentStatus {
    /// Returns the word that a list has for it.
    pub(crate) fn word(self) -> &'static str {
        match self {
            Self::Working => "working",
            Self::Done => "done",
            Self::Failed => "failed",
            Self::Died => "died",
        }
    }
}

/// Tells whether something was put into a folder so lately that a process that was started then may still be starting.
fn is_recent(folder: &Path) -> bool {
    let changed = fs::metadata(folder).and_then(|own| own.modified());
    changed.is_ok_and(|changed| changed.elapsed().is_ok_and(|since| since < END))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn agents() -> (tempfile::TempDir, BackgroundAgents) {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path().to_owned();
        let paths = Paths {
            store: root.join("state/state.db"),
            trust: root.join("state/trust.json"),
            config: root.join("config.toml"),
            log: root.join("log"),
            root,
            reserved: Default::default(),
        };
        let agents = BackgroundAgents::new(&paths);
        (folder, agents)
    }

    fn prompt(text: &str) -> WaitingPrompt {
        WaitingPrompt::typed(text.to_owned())
    }

    fn record(stage: AgentStage) -> AgentRecord {
        AgentRecord {
            prompt: "fix it".to_owned(),
            model: ModelArgs::default(),
            allow: Vec::new(),
            began: Timestamp(1),
            ended: None,
            stage,
        }
    }

    #[test]
    fn prompts_are_taken_once_in_their_order() {
        let (_folder, agents) = agents();
        let home = agents.new_home().unwrap();
        assert_eq!(home.take_prompt().unwrap(), None);
        for text in ["one", "two"] {
            home.put_prompt(&prompt(text)).unwrap();
        }
        assert_eq!(home.take_prompt().unwrap(), Some(prompt("one")));
        assert_eq!(home.take_prompt().unwrap(), Some(prompt("two")));
        assert_eq!(home.take_prompt().unwrap(), None);
    }

    fn newest_status(agents: &BackgroundAgents) -> AgentStatus {
        agents.list().unwrap().pop().unwrap().status
    }

    #[test]
    fn an_agent_works_as_long_as_its_lock_is_held() {
        let (_folder, agents) = agents();
        let handed_over = AgentStage::HandedOver {
            proposals: 1,
            left: Vec::new(),
        };
        for (stage, ended) in [
            (AgentStage::Working, AgentStatus::Died),
            (
                AgentStage::HandingOver(ChangesetId(Uuid::nil())),
                AgentStatus::Died,
            ),
            (handed_over, AgentStatus::Done),
            (
                AgentStage::Failed("no answer".to_owned()),
                AgentStatus::Failed,
            ),
        ] {
            let home = agents.new_home().unwrap();
            home.save(&record(stage)).unwrap();
            assert_eq!(newest_status(&agents), ended);
            let lock = home.lock().unwrap().unwrap();
            assert_eq!(newest_status(&agents), AgentStatus::Working);
            drop(lock);
            assert_eq!(newest_status(&agents), ended);
        }
        assert_eq!(agents.ids().unwrap(), [1, 2, 3, 4]);
    }

    #[test]
    fn nothing_is_left_of_a_stopped_agent_and_its_number_stands_for_none() {
        let (folder, agents) = agents();
        let home = agents.new_home().unwrap();
        home.save(&record(AgentStage::Working)).unwrap();
        home.put_prompt(&prompt("one")).unwrap();
        agents.stop(&agents.find(home.id).unwrap()).unwrap();
        assert_eq!(
            fs::read_dir(folder.path().join("state/background"))
                .unwrap()
                .count(),
            0
        );
        assert!(agents.find(home.id).is_err());
        assert!(
            home.lock().unwrap().is_none(),
            "a process that waited finds it gone"
        );
    }
}
