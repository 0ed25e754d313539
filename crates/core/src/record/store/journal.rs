//! The journal of transactions, as rows.
//!
//! In: a [`Prepared`] transaction before its first step. Out: the [`Record`]s of those that did not end.

use rusqlite::{Connection, params};

use super::StoreError;
use super::stage::{attributes, attributes_as_text, folders, path};
use crate::disk::transaction::{FileStep, Prepared, Record};
use crate::text::{Fingerprint, codec};

/// The journal of a store.
pub(super) struct JournalTable<'c>(pub(super) &'c Connection);

impl JournalTable<'_> {
    /// Reads the records of transactions that did not end.
    pub(super) fn journal(&self) -> Result<Vec<Record>, StoreError> {
        let mut statement = self.0.prepare(
            "SELECT path, before, after, edits, attributes, tag, folders, encoding FROM journal ORDER BY tag, position",
        )?;
        let mut rows = statement.query([])?;
        let mut records: Vec<Record> = Vec::new();
        while let Some(row) = rows.next()? {
            let tag: String = row.get(5)?;
            let edits: Vec<u8> = row.get(3)?;
            let step = FileStep {
                path: path(row, 0)?,
                before: fingerprint(row.get(1)?)?,
                after: fingerprint(row.get(2)?)?,
                edits: codec::decode(&edits)?,
                attributes: attributes(row.get(4)?)?,
                folders: folders(&row.get::<_, String>(6)?)?,
                encoding: serde_json::from_str(&row.get::<_, String>(7)?)?,
            };
            match records.last_mut().filter(|record| record.tag == tag) {
                Some(record) => record.steps.push(step),
                None => records.push(Record {
                    tag,
                    steps: vec![step],
                }),
            }
        }
        Ok(records)
    }

    /// Writes down what a transaction is about to do.
    pub(super) fn begin(&self, prepared: &Prepared) -> Result<(), StoreError> {
        let mut insert = self.0.prepare(
            "INSERT INTO journal (tag, position, path, before, after, edits, attributes, folders, encoding)
             VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)",
        )?;
        for (position, step) in prepared.steps().enumerate() {
            insert.execute(params![
                prepared.tag(),
                position as i64,
                step.path.as_str(),
                step.before.map(|hash| hash.0),
                step.after.map(|hash| hash.0),
                codec::encode(&step.edits),
                attributes_as_text(step.attributes.as_ref())?,
                serde_json::to_string(&step.folders)?,
                serde_json::to_string(&step.encoding)?,
            ])?;
        }
        Ok(())
    }

    /// Forgets a transaction that ended.
    pub(super) fn end(&self, tag: &str) -> Result<(), StoreError> {
        self.0.execute("DELETE FROM journal WHERE tag = ?", [tag])?;
        Ok(())
    }
}

fn fingerprint(bytes: Option<Vec<u8>>) -> Result<Option<Fingerprint>, StoreError> {
    bytes
        .map(|bytes| {
            let hash = <[u8; 32]>::try_from(bytes.as_slice());
            hash.map(Fingerprint)
                .map_err(|_length| StoreError::Damaged("a hash of odd length".into()))
        })
        .transpose()
}
