//! Changes that history does not keep any more, of changesets of which it keeps others.
//!
//! In: entries that are dropped. Out: the files in which a changeset was in effect when its entries there were dropped.
//!
//! ```text
//! one changeset writes a and b; a is written more often than history keeps
//! dropped_change    the changeset, a
//! b is written as often, so that nothing of the changeset is kept
//! dropped_change    (nothing)
//! ```

use std::collections::BTreeSet;

use rusqlite::{Connection, params};

use super::StoreError;
use super::stage::path;
use crate::disk::workspace::WorkspacePath;
use crate::id::ChangesetId;
use crate::record::history::{EntryKind, in_effect};

/// The table `dropped_change`, and entries that are dropped.
pub(super) struct DroppedChanges<'c>(pub(super) &'c Connection);

impl DroppedChanges<'_> {
    /// Returns the files in which a changeset was in effect when its entries there were dropped.
    pub(super) fn files(&self, id: ChangesetId) -> Result<Vec<WorkspacePath>, StoreError> {
        let query = "SELECT path FROM dropped_change WHERE changeset = ? ORDER BY path";
        let mut statement = self.0.prepare_cached(query)?;
        let mut rows = statement.query([id.to_string()])?;
        let mut paths = Vec::new();
        while let Some(row) = rows.next()? {
            paths.push(path(row, 0)?);
        }
        Ok(paths)
    }

    /// Drops the entries of a file up to a version.
    pub(super) fn drop_up_to(&self, path: &str, shelf: i64, newest: i64) -> Result<(), StoreError> {
        let of_them = "WHERE path = ?1 AND shelf = ?2 AND version <= ?3";
        let is_any = format!("SELECT EXISTS (SELECT 1 FROM history {of_them})");
        let mut statement = self.0.prepare_cached(&is_any)?;
        let is_any: bool = statement.query_row(params![path, shelf, newest], |row| row.get(0))?;
        if !is_any {
            return Ok(());
        }
        let kinds = self.kinds(path, shelf)?;
        let effective = in_effect(kinds.iter().map(|(version, kind)| (*version, kind)));
        let delete = format!("DELETE FROM history {of_them}");
        self.0.execute(&delete, params![path, shelf, newest])?;
        let newest = newest.unsigned_abs();
        let gone = kinds.iter().filter(|(version, _)| *version <= newest);
        let gone = gone.filter_map(|(version, kind)| Some((*version, kind.changeset()?)));
        let (mut all, mut in_file) = (BTreeSet::new(), BTreeSet::new());
        for (version, changeset) in gone {
            all.insert(changeset.to_string());
            if effective.contains(&version) {
                in_file.insert(changeset.to_string());
            }
        }
        for changeset in &all {
            if !self.is_kept(changeset)? {
                let forget = "DELETE FROM dropped_change WHERE changeset = ?";
                self.0.execute(forget, [changeset])?;
            } else if in_file.contains(changeset) {
                let note = "INSERT OR IGNORE INTO dropped_change (changeset, path) VALUES (?, ?)";
                self.0.execute(note, [changeset.as_str(), path])?;
            }
        }
        Ok(())
    }

    /// Lets what was dropped go with a file to another path.
    pub(super) fn follow(
        &self,
        from: &WorkspacePath,
        to: &WorkspacePath,
    ) -> Result<(), StoreError> {
        let follow = "UPDATE OR REPLACE dropped_change SET path = ?2 WHERE path = ?1";
        self.0.execute(follow, [from.as_str(), to.as_str()])?;
        Ok(())
    }

    fn kinds(&self, path: &str, shelf: i64) -> Result<Vec<(u64, EntryKind)>, StoreError> {
        let query =
            "SELECT version, kind FROM history WHERE path = ?1 AND shelf = ?2 ORDER BY version";
        let mut statement = self.0.prepare_cached(query)?;
        let mut rows = statement.query(params![path, shelf])?;
        let mut kinds = Vec::new();
        while let Some(row) = rows.next()? {
            let version: i64 = row.get(0)?;
            let kind = serde_json::from_str(&row.get::<_, String>(1)?)?;
            kinds.push((version.unsigned_abs(), kind));
        }
        Ok(kinds)
    }

    /// Returns whether any entry of a changeset is kept; by the index `history_changeset`.
    fn is_kept(&self, changeset: &str) -> Result<bool, StoreError> {
        let query = "SELECT EXISTS (SELECT 1 FROM history WHERE CASE WHEN json_valid(kind) THEN
                     coalesce(kind ->> '$.applied.changeset', kind ->> '$.ran.changeset') END = ?)";
        let mut statement = self.0.prepare_cached(query)?;
        Ok(statement.query_row([changeset], |row| row.get(0))?)
    }
}
