//! History as rows.
//!
//! In: entries, and each file's text after the newest. Out: the entries of one file or of all.

use rusqlite::{OptionalExtension, Row, params};

use super::stage::{path, presence};
use super::{Store, StoreError, Writer};
use crate::history::{Entry, FileHistory};
use crate::id::Timestamp;
use crate::text::{Source, codec};
use crate::workspace::WorkspacePath;

/// A file's text after its newest entry; the inner none is for a file that went away.
pub type CommittedText = Option<Option<Source>>;

const COLUMNS: &str =
    "path, version, time, description, kind, presence, drift, edits, added, removed, mode";

impl Store {
    /// Reads the entries of one file, oldest first.
    pub fn history(&self, path: &WorkspacePath) -> Result<FileHistory, StoreError> {
        let query = format!("SELECT {COLUMNS} FROM history WHERE path = ? ORDER BY version");
        let mut statement = self.db.prepare(&query)?;
        let mut rows = statement.query([path.as_str()])?;
        let mut entries = Vec::new();
        while let Some(row) = rows.next()? {
            entries.push(entry(row)?);
        }
        Ok(FileHistory { entries })
    }

    /// Returns the files that have entries, the most recently written first.
    pub fn history_paths(&self) -> Result<Vec<WorkspacePath>, StoreError> {
        let query = "SELECT path FROM history GROUP BY path ORDER BY max(time) DESC, path";
        let mut statement = self.db.prepare(query)?;
        let mut rows = statement.query([])?;
        let mut paths = Vec::new();
        while let Some(row) = rows.next()? {
            paths.push(path(row, 0)?);
        }
        Ok(paths)
    }

    /// Reads a file's text after its newest entry.
    pub fn committed(&self, path: &WorkspacePath) -> Result<CommittedText, StoreError> {
        let query = "SELECT text FROM committed WHERE path = ?";
        let text = self.db.query_row(query, [path.as_str()], |row| {
            row.get::<_, Option<Vec<u8>>>(0)
        });
        Ok(text.optional()?.map(|text| text.map(Source::new)))
    }
}

impl Writer<'_> {
    /// Adds an entry and drops the oldest of its file beyond `limit`.
    pub fn add_history(&mut self, entry: &Entry, limit: usize) -> Result<(), StoreError> {
        let query =
            format!("INSERT INTO history ({COLUMNS}) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)");
        self.db.execute(
            &query,
            params![
                entry.path.as_str(),
                entry.version as i64,
                entry.time.0,
                entry.description,
                serde_json::to_string(&entry.kind)?,
                serde_json::to_string(&entry.presence)?,
                codec::encode(&entry.drift),
                codec::encode(&entry.edits),
                entry.lines.0,
                entry.lines.1,
                entry.mode,
            ],
        )?;
        self.db.execute(
            "DELETE FROM history WHERE path = ?1 AND version <= ?2",
            params![entry.path.as_str(), entry.version as i64 - limit as i64],
        )?;
        Ok(())
    }

    /// Keeps a file's text after its newest entry.
    pub fn set_committed(
        &mut self,
        path: &WorkspacePath,
        text: Option<&Source>,
    ) -> Result<(), StoreError> {
        self.db.execute(
            "INSERT INTO committed (path, text) VALUES (?1, ?2)
             ON CONFLICT (path) DO UPDATE SET text = ?2",
            params![path.as_str(), text.map(Source::bytes)],
        )?;
        Ok(())
    }
}

fn entry(row: &Row<'_>) -> Result<Entry, StoreError> {
    let (kind, drift, edits): (String, Vec<u8>, Vec<u8>) = (row.get(4)?, row.get(6)?, row.get(7)?);
    let version: i64 = row.get(1)?;
    Ok(Entry {
        path: path(row, 0)?,
        version: u64::try_from(version).unwrap_or_default(),
        time: Timestamp(row.get(2)?),
        description: row.get(3)?,
        kind: serde_json::from_str(&kind)?,
        presence: presence(row, 5)?,
        drift: codec::decode(&drift)?,
        edits: codec::decode(&edits)?,
        lines: (row.get(8)?, row.get(9)?),
        mode: row.get(10)?,
    })
}
