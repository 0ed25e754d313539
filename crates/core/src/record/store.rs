//! The store: one SQLite file for each workspace.
//!
//! In: staged work, history and journal records. Out: the same, in a later process or in
//! another one at the same time. Write-ahead log, every transaction synced; writers take turns
//! by a lock file beside it, because a commit spans files and several transactions.
//!
//! Each table, or group of tables, is a type over a connection; [`Store`] reads by them, and [`Writer`] writes.
//!
//! One SQLite file per workspace, write-ahead log, every transaction synced. Also what was denied, and `repair`. Of
//! each file there are its entries as differences and one compressed copy of its last text; `size` drops the oldest
//! histories beyond a bound of history's own bytes and counts them. A lock file beside it makes writers take turns,
//! because a commit is two store transactions with file writes between them. Each group of tables is a type over a
//! connection, as `HistoryTables`; `Store` reads by them, and `Writer` writes.
//!
//! **Invariant:** there is one schema with a version. A store of one of the two versions before is brought to it, one of any other is refused, not read.

mod checked;
mod compressed;
mod denied;
mod dropped_changes;
mod handed_over;
mod history;
mod journal;
mod repair;
mod schema;
mod size;
mod stage;
mod writer;

use std::fs::{self, DirBuilder, File, OpenOptions};
use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;

use rusqlite::{Connection, TransactionBehavior};

use checked::CheckedTable;
use denied::DeniedTable;
use dropped_changes::DroppedChanges;
use handed_over::HandedOverTable;
use history::HistoryTables;
use journal::JournalTable;
use size::StoreSize;
use stage::StageTables;

use crate::disk::transaction::Record;
use crate::disk::workspace::{PathError, WorkspacePath};
use crate::id::{ChangesetId, ProposalId, Timestamp};
use crate::record::history::FileHistory;
use crate::stage::proposal::Proposal;
use crate::stage::proposal::denial::Denial;
use crate::stage::proposal::stage::Stage;
use crate::stage::review::{DeniedBefore, DeniedEdit, DiffHunk};
use crate::text::codec::Undecodable;

pub use checked::{CheckedState, StagedFiles};
pub use history::CommittedText;
pub use repair::Repaired;
pub use size::{DEFAULT_SIZE, Dropped};
pub use writer::Writer;

/// Size to which a longer write-ahead log is cut, in bytes.
const LOG_BYTES: i64 = 1024 * 1024;

/// The store of one workspace.
pub struct Store {
    db: Connection,
    lock: Option<PathBuf>,
    seen: Option<i64>,
    /// Whether whoever held the lock broke down.
    broke_down: Arc<AtomicBool>,
}

/// Why the store cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum StoreError {
    /// SQLite returned an error.
    #[error("the store of staged work and history: {}{}", .0, hint(.0))]
    Sqlite(#[from] rusqlite::Error),
    /// Its folder or its lock file.
    #[error("cannot {step} {path}: {source}")]
    Io {
        /// What was tried.
        step: &'static str,
        /// The file.
        path: String,
        /// What the system said.
        source: std::io::Error,
    },
    /// A row that no version of this program wrote.
    #[error("the store is damaged: {0}{REPAIR}")]
    Damaged(String),
    /// Made by another version of this program.
    #[error(
        "the store has schema {found} and this program reads {known}; use the program that made it, \
         or move the store away"
    )]
    OtherVersion {
        /// The schema found.
        found: i64,
        /// The schema that this program reads.
        known: i64,
    },
}

const REPAIR: &str = "; `signoff doctor --repair` makes a new one of what can be read";

fn hint(error: &rusqlite::Error) -> &'static str {
    use rusqlite::ErrorCode::{DatabaseCorrupt, DiskFull, NotADatabase, SystemIoFailure};
    match error.sqlite_error_code() {
        // The log's index grows by a call that has no error of its own for a full disk.
        Some(DiskFull | SystemIoFailure) => "; is there room left on its disk?",
        Some(DatabaseCorrupt | NotADatabase) => REPAIR,
        _ => "",
    }
}

/// Keeps other writers out while it lives.
#[derive(Debug)]
#[must_use]
pub struct StoreLock {
    _file: Option<File>,
    broke_down: Arc<AtomicBool>,
}

impl Drop for StoreLock {
    fn drop(&mut self) {
        if thread::panicking() {
            self.broke_down.store(true, Ordering::Relaxed);
        }
    }
}

impl Store {
    /// Opens the store at `path`, making it and its folder if they are not there.
    pub fn open(path: &Path) -> Result<Self, StoreError> {
        if let Some(folder) = path.parent() {
            let mut private = DirBuilder::new();
            let made = private.recursive(true).mode(0o700).create(folder);
            made.map_err(failed("make the folder", folder))?;
        }
        // The store holds texts of files: its own files are the user's alone. SQLite gives the
        // files beside it the same mode.
        let made = OpenOptions::new()
            .create(true)
            .append(true)
            .mode(0o600)
            .open(path);
        made.map_err(failed("open", path))?;
        // Switching to the write-ahead log and creating the tables do not wait for each other.
        let lock = path.with_extension("lock");
        let _opening = take_turn(&lock)?;
        let db = Connection::open(path)?;
        db.busy_timeout(std::time::Duration::from_secs(5))?;
        let found = fs::metadata(path).map_err(failed("open", path))?;
        if found.len() == 0 {
            // In a store that is there it changes nothing, and yet is a transaction that waits for the disk.
            db.pragma_update(None, "auto_vacuum", "INCREMENTAL")?;
        }
        db.pragma_update(None, "journal_mode", "WAL")?;
        db.pragma_update(None, "journal_size_limit", LOG_BYTES)?;
        db.pragma_update(None, "synchronous", "FULL")?;
        Self::prepared(db, Some(lock))
    }

    /// Opens a store that is gone with the process.
    pub fn in_memory() -> Result<Self, StoreError> {
        Self::prepared(Connection::open_in_memory()?, None)
    }

    fn prepared(mut db: Connection, lock: Option<PathBuf>) -> Result<Self, StoreError> {
        schema::create(&mut db)?;
        Ok(Self {
            db,
            lock,
            seen: None,
            broke_down: Arc::default(),
        })
    }

    /// Waits until no other process writes.
    pub fn lock(&self) -> Result<StoreLock, StoreError> {
        Ok(StoreLock {
            _file: self.lock.as_deref().map(take_turn).transpose()?,
            broke_down: self.broke_down.clone(),
        })
    }

    /// Returns whether what was read before may be wrong: another process has written since the last call, or a holder
    /// of the lock broke down and may have left work half done. True at first.
    pub fn changed(&mut self) -> Result<bool, StoreError> {
        let version = self
            .db
            .query_row("PRAGMA data_version", [], |row| row.get(0))?;
        let broke_down = self.broke_down.swap(false, Ordering::Relaxed);
        let changed = self.seen != Some(version);
        self.seen = Some(version);
        Ok(changed || broke_down)
    }

    /// Runs `write` in one transaction: everything in it becomes durable, or nothing does.
    pub fn transact<T>(
        &mut self,
        write: impl FnOnce(&mut Writer<'_>) -> Result<T, StoreError>,
    ) -> Result<T, StoreError> {
        let transaction = self
            .db
            .transaction_with_behavior(TransactionBehavior::Immediate)?;
        let mut writer = Writer { db: transaction };
        let value = write(&mut writer)?;
        StoreSize(&writer.db).shrink()?;
        writer.db.commit()?;
        Ok(value)
    }

    /// Reads everything that is staged.
    pub fn stage(&self) -> Result<Stage, StoreError> {
        StageTables(&self.db).stage()
    }

    /// Returns a proposal, open or decided, if it is still kept.
    pub fn proposal(&self, id: ProposalId) -> Result<Option<Proposal>, StoreError> {
        StageTables(&self.db).proposal(id)
    }

    /// Returns the proposals that came with offers of other people, open or decided, as far as they are kept.
    pub fn taken_proposals(&self) -> Result<Vec<Proposal>, StoreError> {
        StageTables(&self.db).taken_proposals()
    }

    /// Reads the entries of one file, oldest first.
    pub fn history(&self, path: &WorkspacePath) -> Result<FileHistory, StoreError> {
        HistoryTables(&self.db).history(path)
    }

    /// Returns the time of the newest entry of all files; none where there is none.
    pub fn newest(&self) -> Result<Option<Timestamp>, StoreError> {
        Ok(HistoryTables(&self.db).newest()?.map(Timestamp))
    }

    /// Returns the files that have entries, the most recently written first.
    pub fn history_paths(&self) -> Result<Vec<WorkspacePath>, StoreError> {
        HistoryTables(&self.db).history_paths()
    }

    /// Returns the files that were there after their newest entry.
    pub fn paths_with_text(&self) -> Result<Vec<WorkspacePath>, StoreError> {
        HistoryTables(&self.db).paths_with_text()
    }

    /// Returns the files that may have entries of this conversation.
    pub fn written_by(&self, session: &str) -> Result<Vec<WorkspacePath>, StoreError> {
        HistoryTables(&self.db).written_by(session)
    }

    /// Returns the files in which a changeset was in effect when its entries there were dropped, while others of it are kept.
    pub fn dropped_files(&self, id: ChangesetId) -> Result<Vec<WorkspacePath>, StoreError> {
        DroppedChanges(&self.db).files(id)
    }

    /// Returns where the file went that was last moved away from this path.
    pub fn moved_from(&self, path: &WorkspacePath) -> Result<Option<WorkspacePath>, StoreError> {
        HistoryTables(&self.db).moved_from(path)
    }

    /// Reads a file's text after its newest entry.
    pub fn committed(&self, path: &WorkspacePath) -> Result<CommittedText, StoreError> {
        HistoryTables(&self.db).committed(path)
    }

    /// Returns what was denied in a file, the newest first.
    pub fn denied(&self, path: &WorkspacePath) -> Result<Vec<(Denial, DeniedBefore)>, StoreError> {
        DeniedTable(&self.db).denied(path)
    }

    /// Returns the hunks that were denied, in one file or in all, the newest first.
    pub fn denied_hunks(
        &self,
        path: Option<&WorkspacePath>,
    ) -> Result<Vec<DeniedEdit>, StoreError> {
        DeniedTable(&self.db).hunks(path)
    }

    /// Returns a denied hunk with its lines; none if it is not kept any more.
    pub fn denied_hunk(&self, number: u64) -> Result<Option<(DeniedEdit, DiffHunk)>, StoreError> {
        DeniedTable(&self.db).shown(number)
    }

    /// Returns whether the changeset of a background agent was handed over.
    pub fn is_handed_over(&self, changeset: ChangesetId) -> Result<bool, StoreError> {
        HandedOverTable(&self.db).contains(changeset)
    }

    /// Returns the state of staged files that checks ran on last, and what came of them.
    pub fn checked(&self) -> Result<Option<CheckedState>, StoreError> {
        CheckedTable(&self.db).checked()
    }

    /// Returns what was dropped: of one file, or of all.
    pub fn dropped(&self, path: Option<&WorkspacePath>) -> Result<Dropped, StoreError> {
        StoreSize(&self.db).dropped(path)
    }

    /// Reads the records of transactions that did not end.
    pub fn journal(&self) -> Result<Vec<Record>, StoreError> {
        JournalTable(&self.db).journal()
    }
}

impl From<Undecodable> for StoreError {
    fn from(error: Undecodable) -> Self {
        Self::Damaged(error.to_string())
    }
}

impl From<serde_json::Error> for StoreError {
    fn from(error: serde_json::Error) -> Self {
        Self::Damaged(error.to_string())
    }
}

impl From<PathError> for StoreError {
    fn from(error: PathError) -> Self {
        Self::Damaged(error.to_string())
    }
}

impl From<uuid::Error> for StoreError {
    fn from(error: uuid::Error) -> Self {
        Self::Damaged(error.to_string())
    }
}

fn take_turn(path: &Path) -> Result<File, StoreError> {
    let open = OpenOptions::new()
        .create(true)
        .truncate(false)
        .write(true)
        .mode(0o600)
        .open(path);
    let file = open.map_err(failed("open", path))?;
    // The system gives the lock up when the process ends, however it ends. The file stays: were it removed, one process
    // could hold a lock on the old file while another takes one on the new.
    file.lock().map_err(failed("lock", path))?;
    Ok(file)
}

fn failed(step: &'static str, path: &Path) -> impl FnOnce(std::io::Error) -> StoreError {
    let path = path.display().to_string();
    move |source| StoreError::Io { step, path, source }
}

#[cfg(test)]
mod tests;
