//! History, as rows.
//!
//! In: entries, and each file's text after the newest. Out: the entries of one file or of all.

use rusqlite::{Connection, OptionalExtension, Params, Row, params};

use super::StoreError;
use super::compressed::{compress, decompress};
use super::dropped_changes::DroppedChanges;
use super::stage::{attributes, attributes_as_text, folders, maybe_path, path, presence};
use crate::disk::workspace::WorkspacePath;
use crate::id::Timestamp;
use crate::record::history::{Entry, EntryKind, FileHistory};
use crate::text::{Source, codec};

/// How many entries a file may have for each change that is kept. A change is taken back and put back a few times by
/// hand; a script that goes on doing so must not fill the store.
const REVERTS_PER_CHANGE: usize = 10;

/// A file's text after its newest entry; the inner none is for a file that went away.
pub type CommittedText = Option<Option<Source>>;

const COLUMNS: &str = "path, version, time, description, kind, presence, drift, edits, added, removed, attributes, \
     moved_from, moved_to, folders, encoding, sign_off";

/// The entries of a store, and the text of each file after its newest.
pub(super) struct HistoryTables<'c>(pub(super) &'c Connection);

impl HistoryTables<'_> {
    /// Reads the entries of one file, oldest first.
    pub(super) fn history(&self, path: &WorkspacePath) -> Result<FileHistory, StoreError> {
        read(self.0, path)
    }

    /// Returns the time of the newest entry of all files; none where there is none.
    pub(super) fn newest(&self) -> Result<Option<i64>, StoreError> {
        let query = "SELECT max(time) FROM history WHERE shelf = 0";
        Ok(self.0.query_row(query, [], |row| row.get(0))?)
    }

    /// Returns the files that have entries, the most recently written first.
    pub(super) fn history_paths(&self) -> Result<Vec<WorkspacePath>, StoreError> {
        let query =
            "SELECT path FROM history WHERE shelf = 0 GROUP BY path ORDER BY max(time) DESC, path";
        self.paths(query, [])
    }

    /// Returns the files that may have entries of this conversation.
    pub(super) fn written_by(&self, session: &str) -> Result<Vec<WorkspacePath>, StoreError> {
        let query = "SELECT DISTINCT path FROM history WHERE shelf = 0 AND instr(kind, ?) > 0 ORDER BY path";
        self.paths(query, [serde_json::to_string(session)?])
    }

    /// Returns the files that were there after their newest entry.
    pub(super) fn paths_with_text(&self) -> Result<Vec<WorkspacePath>, StoreError> {
        let query = "SELECT path FROM committed WHERE shelf = 0 AND text IS NOT NULL ORDER BY path";
        self.paths(query, [])
    }

    /// Removes an entry.
    pub(super) fn remove_entry(
        &self,
        path: &WorkspacePath,
        version: u64,
    ) -> Result<(), StoreError> {
        let query = "DELETE FROM history WHERE path = ?1 AND shelf = 0 AND version = ?2";
        self.0
            .execute(query, params![path.as_str(), version as i64])?;
        Ok(())
    }

    fn paths(&self, query: &str, with: impl Params) -> Result<Vec<WorkspacePath>, StoreError> {
        let mut statement = self.0.prepare_cached(query)?;
        let mut rows = statement.query(with)?;
        let mut paths = Vec::new();
        while let Some(row) = rows.next()? {
            paths.push(path(row, 0)?);
        }
        Ok(paths)
    }

    /// Returns where the file went that was last moved away from this path.
    pub(super) fn moved_from(
        &self,
        path: &WorkspacePath,
    ) -> Result<Option<WorkspacePath>, StoreError> {
        let query = "SELECT path FROM history WHERE moved_from = ? AND shelf = 0
                     ORDER BY time DESC, version DESC LIMIT 1";
        let mut statement = self.0.prepare(query)?;
        let mut rows = statement.query([path.as_str()])?;
        rows.next()?.map(|row| self::path(row, 0)).transpose()
    }

    /// Reads a file's text after its newest entry.
    pub(super) fn committed(&self, path: &WorkspacePath) -> Result<CommittedText, StoreError> {
        let query = "SELECT text FROM committed WHERE path = ? AND shelf = 0";
        let mut statement = self.0.prepare_cached(query)?;
        let row = statement.query_row([path.as_str()], |row| row.get::<_, Option<Vec<u8>>>(0));
        let text = row.optional()?;
        text.map(|text| text.as_deref().map(decompress).transpose())
            .transpose()
    }

    /// Adds an entry and drops the oldest of its file beyond `limit`. All of a changeset counts as one, so that none is kept in
    /// part. Reverts do not count, so that taking changes back and putting them back again pushes none out, up to as many
    /// reverts as ten for each change.
    pub(super) fn add_history(&self, entry: &Entry, limit: usize) -> Result<(), StoreError> {
        let signed = entry.sign_off.as_ref().map(serde_json::to_string);
        let query = format!(
            "INSERT INTO history ({COLUMNS}, shelf) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, 0)"
        );
        self.0.execute(
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
                attributes_as_text(entry.attributes.as_ref())?,
                entry.moved.as_ref().map(|(from, _)| from.as_str()),
                entry.moved.as_ref().map(|(_, to)| to.as_str()),
                serde_json::to_string(&entry.folders)?,
                serde_json::to_string(&entry.encoding)?,
                signed.transpose()?,
            ],
        )?;
        let newest = self.newest_to_drop(entry, limit)?;
        DroppedChanges(self.0).drop_up_to(entry.path.as_str(), 0, newest)
    }

    /// Returns the newest version of a file that is beyond the limit.
    fn newest_to_drop(&self, entry: &Entry, limit: usize) -> Result<i64, StoreError> {
        let most = limit.saturating_mul(REVERTS_PER_CHANGE);
        let query =
            "SELECT version, kind FROM history WHERE path = ?1 AND shelf = 0 ORDER BY version DESC";
        let mut statement = self.0.prepare_cached(query)?;
        let mut rows = statement.query([entry.path.as_str()])?;
        let (mut changes, mut reverts, mut changeset) = (0, 0, None);
        while let Some(row) = rows.next()? {
            let kind: EntryKind = serde_json::from_str(&row.get::<_, String>(1)?)?;
            if !kind.is_change() {
                reverts += 1;
            } else if kind.changeset().is_none() || kind.changeset() != changeset {
                changes += 1;
                changeset = kind.changeset();
            }
            if changes > limit || reverts > most {
                return Ok(row.get(0)?);
            }
        }
        Ok(0)
    }

    /// Lets a file's history go with it to another path. What was there of an earlier file of
    /// that name is put on a shelf, and comes back when the path is free again.
    pub(super) fn move_history(
        &self,
        from: &WorkspacePath,
        to: &WorkspacePath,
    ) -> Result<(), StoreError> {
        DroppedChanges(self.0).follow(from, to)?;
        for table in ["history", "committed"] {
            self.shift(table, to, 1)?;
            let follow = format!("UPDATE {table} SET path = ?2 WHERE path = ?1 AND shelf = 0");
            self.0.execute(&follow, [from.as_str(), to.as_str()])?;
            // What was under the old path before comes down from its shelf.
            self.shift(table, from, -1)?;
        }
        Ok(())
    }

    /// Puts what a path has `by` one shelf up or down, in the order in which none meets another.
    fn shift(&self, table: &str, path: &WorkspacePath, by: i64) -> Result<(), StoreError> {
        let query =
            format!("SELECT DISTINCT shelf FROM {table} WHERE path = ?1 ORDER BY shelf * ?2 DESC");
        let shelves: Vec<i64> = {
            let mut statement = self.0.prepare(&query)?;
            let found = statement.query_map(params![path.as_str(), by], |row| row.get(0))?;
            found.collect::<Result<_, _>>()?
        };
        for shelf in shelves {
            let one =
                format!("UPDATE {table} SET shelf = shelf + ?3 WHERE path = ?1 AND shelf = ?2");
            self.0.execute(&one, params![path.as_str(), shelf, by])?;
        }
        Ok(())
    }

    /// Keeps a file's text after its newest entry.
    pub(super) fn set_committed(
        &self,
        path: &WorkspacePath,
        text: Option<&Source>,
    ) -> Result<(), StoreError> {
        self.0.execute(
            "INSERT INTO committed (path, shelf, text) VALUES (?1, 0, ?2)
             ON CONFLICT (path, shelf) DO UPDATE SET text = ?2",
            params![path.as_str(), text.map(compress)],
        )?;
        Ok(())
    }
}

fn read(db: &Connection, path: &WorkspacePath) -> Result<FileHistory, StoreError> {
    let query =
        format!("SELECT {COLUMNS} FROM history WHERE path = ? AND shelf = 0 ORDER BY version");
    let mut statement = db.prepare_cached(&query)?;
    let mut rows = statement.query([path.as_str()])?;
    let mut entries = Vec::new();
    while let Some(row) = rows.next()? {
        entries.push(entry(row)?);
    }
    let query = "SELECT newest FROM dropped WHERE path = ?";
    let mut statement = db.prepare_cached(query)?;
    let newest = statement.query_row([path.as_str()], |row| row.get::<_, i64>(0));
    let dropped = newest.optional()?.map_or(0, i64::unsigned_abs);
    Ok(FileHistory { entries, dropped })
}

fn entry(row: &Row<'_>) -> Result<Entry, StoreError> {
    let (kind, drift, edits): (String, Vec<u8>, Vec<u8>) = (row.get(4)?, row.get(6)?, row.get(7)?);
    let version: i64 = row.get(1)?;
    let signed: Option<String> = row.get(15)?;
    let signed = signed.as_deref().map(serde_json::from_str);
    Ok(Entry {
        path: path(row, 0)?,
        version: u64::try_from(version)
            .map_err(|_negative| StoreError::Damaged(format!("version {version} of a file")))?,
        time: Timestamp(row.get(2)?),
        description: row.get(3)?,
        kind: serde_json::from_str(&kind)?,
        presence: presence(row, 5)?,
        drift: codec::decode(&drift)?,
        edits: codec::decode(&edits)?,
        lines: (row.get(8)?, row.get(9)?),
        attributes: attributes(row.get(10)?)?,
        moved: maybe_path(row, 11)?.zip(maybe_path(row, 12)?),
        folders: folders(&row.get::<_, String>(13)?)?,
        encoding: serde_json::from_str(&row.get::<_, String>(14)?)?,
        sign_off: signed.transpose()?,
    })
}
