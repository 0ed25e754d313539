//! Saved conversations: one file of JSON lines each, beside the store.
//!
//! In: records, in the order in which they happen. Out: the conversation as it was. A line that
//! is not whole, as after a power cut, is left out. Files are the user's alone; they hold what
//! was said and read, never a key. Images of prompts are in files of their own (`image_files`).
//!
//! **Invariant:** lines are only added. A line that is not whole is left out.
//!
//! Images of prompts are files beside the records, named by the hash of their bytes (`memory/image_files`). A
//! record holds name, format, size and hash; bytes that do not have the hash are not taken.

use std::fs::{File, OpenOptions, TryLockError};
use std::io::{self, BufRead, BufReader};
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};
use signoff_core::id::Timestamp;
use uuid::Uuid;

use crate::image::PromptImage;
use crate::provider::About;
use crate::transcript::Entry;
use crate::usage::UsageTotal;

mod chronicle;
mod image_files;

pub use chronicle::Chronicle;
use image_files::ImageFiles;

/// How many conversations are listed.
const LISTED: usize = 50;
/// The longest title, in bytes.
const TITLE: usize = 80;

/// The conversations of one workspace.
#[derive(Clone, Debug)]
pub struct Archive {
    folder: PathBuf,
}

/// What is written down of a conversation.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Record {
    /// It began, or went on from another.
    Began {
        /// The one that it went on from.
        parent: Option<String>,
    },
    /// Something was said.
    Entry(Entry),
    /// A compaction replaces everything so far.
    Retold(Vec<Entry>),
    /// What it has taken so far.
    Spent(UsageTotal),
    /// The user chose the model that is asked from here on.
    Model(ChosenModel),
}

impl Record {
    /// Returns the images in it.
    fn images(&self) -> impl Iterator<Item = &PromptImage> {
        let entries = match self {
            Self::Entry(entry) => std::slice::from_ref(entry),
            Self::Retold(entries) => entries.as_slice(),
            Self::Began { .. } | Self::Spent(_) | Self::Model(_) => &[],
        };
        entries.iter().flat_map(Entry::images)
    }

    /// Tells whether something is asked in it.
    fn has_prompt(&self) -> bool {
        match self {
            Self::Entry(entry) => matches!(entry, Entry::Prompt { .. }),
            // Only what was asked is retold, not always in the words of the prompt.
            Self::Retold(entries) => !entries.is_empty(),
            Self::Began { .. } | Self::Spent(_) | Self::Model(_) => false,
        }
    }
}

/// A model that the user chose in a conversation.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ChosenModel {
    /// Address of the server that has it; empty where there is no server.
    pub endpoint: String,
    /// Its name, as the server knows it.
    pub name: String,
}

impl ChosenModel {
    /// Returns what a provider has to ask instead of its own model; nothing if it asks this model,
    /// or is another server.
    pub fn instead_of(&self, about: &About) -> Option<&str> {
        let differs = self.endpoint == about.endpoint && self.name != about.model;
        differs.then_some(&self.name)
    }
}

impl From<&About> for ChosenModel {
    fn from(about: &About) -> Self {
        Self {
            endpoint: about.endpoint.clone(),
            name: about.model.clone(),
        }
    }
}

/// A record, and when it was written, in milliseconds since 1970.
#[derive(Debug, Serialize, Deserialize)]
struct RecordLine {
    at: i64,
    record: Record,
}

/// A conversation as it was.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Recall {
    /// Its id.
    pub id: String,
    /// The one that it went on from.
    pub parent: Option<String>,
    /// Those before it in turn, and when each was left, in milliseconds since 1970.
    pub ancestors: Vec<(String, i64)>,
    /// What was said.
    pub entries: Vec<Entry>,
    /// What it took.
    pub spent: UsageTotal,
    /// The model that the user chose last, if they chose one.
    pub model: Option<ChosenModel>,
}

/// A conversation in a list.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Summary {
    /// Its id.
    pub id: String,
    /// The first prompt, in short; where there is none the first command that the user ran.
    pub title: String,
    /// When it began, in milliseconds since 1970.
    pub began: i64,
    /// When something was last said.
    pub last: i64,
    /// How many prompts it has.
    pub prompts: usize,
    /// What it took.
    pub spent: UsageTotal,
    /// The one that it went on from.
    pub parent: Option<String>,
}

impl Summary {
    /// Counts a prompt; `is_asked` tells whether the title is one for the model.
    fn count(&mut self, entry: &Entry, is_asked: &mut bool) {
        let Some(typed) = entry.typed() else {
            return;
        };
        if self.prompts == 0 || !*is_asked && !entry.is_command() {
            self.title = crate::notice::one_line(typed, TITLE);
        }
        *is_asked |= !entry.is_command();
        self.prompts += 1;
    }
}

/// Why a conversation cannot be taken up.
#[derive(Debug, thiserror::Error)]
pub enum MemoryError {
    /// The system returned an error.
    #[error("cannot {step} {path}: {source}")]
    Io {
        /// What was tried.
        step: &'static str,
        /// The file.
        path: String,
        /// What the system said.
        source: io::Error,
    },
    /// A file of the user's alone cannot be used; the error names it.
    #[error(transparent)]
    Private(io::Error),
    /// There is none, or there are several.
    #[error("{found} conversations here are {wanted:?}; `signoff sessions` lists them")]
    NotOne {
        /// What was asked for.
        wanted: String,
        /// How many fit.
        found: usize,
    },
    /// Another process writes it.
    #[error("the conversation {0} is open in another process; fork it there, or begin another")]
    Busy(String),
}

/// A conversation that begins or goes on, and where it is written.
#[derive(Debug)]
pub struct Memory {
    pub(crate) archive: Archive,
    pub(crate) recall: Recall,
    pub(crate) chronicle: Chronicle,
}

impl Memory {
    /// Returns a conversation in which nothing was said.
    pub fn begin(archive: Archive) -> Self {
        let id = Archive::fresh();
        let chronicle = archive.begin(&id, None);
        let recall = Recall {
            id,
            ..Recall::default()
        };
        Self {
            archive,
            recall,
            chronicle,
        }
    }

    /// Returns an earlier conversation, to go on with.
    pub fn resume(archive: Archive, id: &str) -> Result<Self, MemoryError> {
        let (recall, chronicle) = archive.resume(id)?;
        Ok(Self {
            archive,
            recall,
            chronicle,
        })
    }

    /// Returns a copy of an earlier conversation, to go on with.
    pub fn fork(archive: Archive, id: &str) -> Result<Self, MemoryError> {
        let (recall, chronicle) = archive.fork(id, now_ms())?;
        Ok(Self {
            archive,
            recall,
            chronicle,
        })
    }

    /// Returns the same, asking whatever model is configured now.
    #[must_use]
    pub fn without_model(mut self) -> Self {
        self.recall.model = None;
        self
    }

    /// Returns the model that the user chose last, if they chose one.
    pub fn model(&self) -> Option<&ChosenModel> {
        self.recall.model.as_ref()
    }

    /// Returns the id of the conversation.
    pub fn id(&self) -> &str {
        &self.recall.id
    }

    /// Tells whether anything was said in it before.
    pub fn is_new(&self) -> bool {
        self.recall.entries.is_empty()
    }
}

impl Archive {
    /// Returns the conversations below `folder`; nothing is made.
    pub fn new(folder: PathBuf) -> Self {
        Self { folder }
    }

    /// Returns an id for a conversation that begins.
    pub fn fresh() -> String {
        Uuid::now_v7().to_string()
    }

    /// Returns a conversation of which nothing is written; its file is made with the first
    /// record. `parent` is the one that it goes on from.
    pub fn begin(&self, id: &str, parent: Option<String>) -> Chronicle {
        Chronicle::begin(self.path(id), parent)
    }

    /// Returns a conversation as it was, and what writes down how it goes on.
    pub fn resume(&self, id: &str) -> Result<(Recall, Chronicle), MemoryError> {
        let path = self.path(id);
        let file = OpenOptions::new().append(true).read(true).open(&path);
        let file = file.map_err(failed("open", &path))?;
        match file.try_lock() {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => return Err(MemoryError::Busy(id.to_owned())),
            Err(TryLockError::Error(error)) => return Err(failed("lock", &path)(error)),
        }
        let recall = self.read(id)?;
        Ok((recall, Chronicle::go_on(path, file)))
    }

    /// Copies a conversation and returns the copy, to go on with; `at` is in milliseconds since
    /// 1970.
    pub fn fork(&self, id: &str, at: i64) -> Result<(Recall, Chronicle), MemoryError> {
        let mut recall = if self.path(id).exists() {
            self.read(id)?
        } else {
            Recall::default()
        };
        recall.parent = Some(id.to_owned());
        recall.ancestors.insert(0, (id.to_owned(), at));
        recall.id = Self::fresh();
        let mut chronicle = self.begin(&recall.id, recall.parent.clone());
        chronicle.write(at, Record::Retold(recall.entries.clone()))?;
        chronicle.write(at, Record::Spent(recall.spent))?;
        if let Some(model) = &recall.model {
            chronicle.write(at, Record::Model(model.clone()))?;
        }
        Ok((recall, chronicle))
    }

    /// Returns a conversation as it was.
    pub fn read(&self, id: &str) -> Result<Recall, MemoryError> {
        let mut recall = Recall {
            id: id.to_owned(),
            ..Recall::default()
        };
        for line in self.lines(id)? {
            match line.record {
                Record::Began { parent } => {
                    recall.ancestors = self.ancestors(parent.as_deref(), line.at);
                    recall.parent = parent;
                }
                // A prompt is written down when it is sent; older versions did not date it itself.
                Record::Entry(entry) => recall.entries.push(entry.dated(Timestamp(line.at))),
                Record::Retold(entries) => recall.entries = entries,
                Record::Spent(spent) => recall.spent = spent,
                Record::Model(model) => recall.model = Some(model),
            }
        }
        ImageFiles::of(&self.folder).load(&mut recall.entries);
        Ok(recall)
    }

    /// Returns the conversations that one goes on from which began at `left` from `parent`.
    fn ancestors(&self, parent: Option<&str>, mut left: i64) -> Vec<(String, i64)> {
        // Files that were edited by hand could name each other in a circle.
        const MOST: usize = 64;
        let mut found: Vec<(String, i64)> = Vec::new();
        let mut next = parent.map(str::to_owned);
        while let Some(id) = next.take()
            && found.len() < MOST
        {
            let mut first = String::new();
            let read = File::open(self.path(&id))
                .and_then(|file| BufReader::new(file).read_line(&mut first));
            if let (Ok(_), Ok(line)) = (read, serde_json::from_str::<RecordLine>(&first))
                && let Record::Began { parent } = line.record
            {
                next = parent;
                found.push((id, left));
                left = line.at;
            } else {
                found.push((id, left));
            }
        }
        found
    }

    /// Returns the newest conversations, newest first.
    pub fn list(&self) -> Result<Vec<Summary>, MemoryError> {
        let ids = self.asked()?.take(LISTED);
        ids.map(|id| self.summary(&id)).collect()
    }

    /// Returns the id that is meant: its first characters, or its place in the list, from 1.
    pub fn find(&self, wanted: &str) -> Result<String, MemoryError> {
        let ids: Vec<String> = self.asked()?.collect();
        let place = wanted.parse::<usize>().ok().filter(|_| wanted.len() < 4);
        let place = place.and_then(|place| place.checked_sub(1));
        if let Some(id) = place.and_then(|place| ids.get(place)) {
            return Ok(id.clone());
        }
        let found: Vec<_> = ids
            .iter()
            .filter(|id| !wanted.is_empty() && id.starts_with(wanted))
            .collect();
        match found.as_slice() {
            [id] => Ok((*id).clone()),
            _ => Err(MemoryError::NotOne {
                wanted: wanted.to_owned(),
                found: found.len(),
            }),
        }
    }

    /// Returns the id of the conversation that was written last, if there is any.
    pub fn newest(&self) -> Result<Option<String>, MemoryError> {
        Ok(self.asked()?.next())
    }

    /// Returns the ids of the conversations in which something was asked, those written last first.
    fn asked(&self) -> Result<impl Iterator<Item = String> + '_, MemoryError> {
        let ids = self.ids()?.into_iter().map(|(_, id)| id);
        Ok(ids.filter(|id| self.has_prompt(id)))
    }

    /// Tells whether something was asked in a conversation; one that cannot be read is left to whoever opens it.
    fn has_prompt(&self, id: &str) -> bool {
        let Ok(file) = File::open(self.path(id)) else {
            return true;
        };
        let lines = BufReader::new(file).split(b'\n').map_while(Result::ok);
        let mut records = lines.filter_map(|line| serde_json::from_slice::<RecordLine>(&line).ok());
        records.any(|line| line.record.has_prompt())
    }

    fn summary(&self, id: &str) -> Result<Summary, MemoryError> {
        let mut summary = Summary {
            id: id.to_owned(),
            title: String::new(),
            began: 0,
            last: 0,
            prompts: 0,
            spent: UsageTotal::default(),
            parent: None,
        };
        // A command that the user ran names a conversation in which nothing is asked.
        let mut is_asked = false;
        for line in self.lines(id)? {
            summary.last = line.at;
            if summary.began == 0 {
                summary.began = line.at;
            }
            match line.record {
                Record::Began { parent } => summary.parent = parent,
                Record::Spent(spent) => summary.spent = spent,
                Record::Entry(entry) => summary.count(&entry, &mut is_asked),
                // A fork begins with all that was said in the one before.
                Record::Retold(entries) if summary.prompts == 0 => {
                    for entry in &entries {
                        summary.count(entry, &mut is_asked);
                    }
                }
                Record::Retold(_) | Record::Model(_) => {}
            }
        }
        Ok(summary)
    }

    /// Returns the ids, those written last first.
    fn ids(&self) -> Result<Vec<(std::time::SystemTime, String)>, MemoryError> {
        let folder = match std::fs::read_dir(&self.folder) {
            Ok(folder) => folder,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
            Err(error) => return Err(failed("read", &self.folder)(error)),
        };
        let mut ids: Vec<_> = folder
            .filter_map(|entry| {
                let entry = entry.ok()?;
                let id = entry
                    .file_name()
                    .to_str()?
                    .strip_suffix(".jsonl")?
                    .to_owned();
                Some((entry.metadata().ok()?.modified().ok()?, id))
            })
            .collect();
        ids.sort_unstable();
        ids.reverse();
        Ok(ids)
    }

    /// Returns all that was recorded of a conversation, in its order, and when. A line that is not whole is left out.
    pub fn records(&self, id: &str) -> Result<Vec<(Timestamp, Record)>, MemoryError> {
        let lines = self.lines(id)?.into_iter();
        Ok(lines
            .map(|line| (Timestamp(line.at), line.record))
            .collect())
    }

    fn lines(&self, id: &str) -> Result<Vec<RecordLine>, MemoryError> {
        let path = self.path(id);
        let file = File::open(&path).map_err(failed("open", &path))?;
        let mut lines = Vec::new();
        for line in BufReader::new(file).split(b'\n') {
            let line = line.map_err(failed("read", &path))?;
            match serde_json::from_slice(&line) {
                Ok(line) => lines.push(line),
                Err(error) => tracing::warn!(%error, id, "a line of a conversation is left out"),
            }
        }
        Ok(lines)
    }

    /// An id names a file of this folder and none elsewhere.
    fn path(&self, id: &str) -> PathBuf {
        let name: String = id
            .chars()
            .filter(|c| c.is_ascii_alphanumeric() || *c == '-')
            .collect();
        self.folder.join(name).with_extension("jsonl")
    }
}

/// Returns the time in milliseconds since 1970.
pub(crate) fn now_ms() -> i64 {
    let since = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH);
    since.map_or(0, |since| {
        i64::try_from(since.as_millis()).unwrap_or(i64::MAX)
    })
}

fn failed(step: &'static str, path: &Path) -> impl FnOnce(io::Error) -> MemoryError {
    let path = path.display().to_string();
    move |source| MemoryError::Io { step, path, source }
}

#[cfg(test)]
mod tests;
