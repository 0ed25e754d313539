//! Staged work, as rows.
//!
//! In: a [`Stage`]. Out: rows for the paths that changed, and the stage again.

use std::collections::BTreeSet;
use std::path::Path;

use rusqlite::{Row, params};
use uuid::Uuid;

use super::compressed::{compress, decompress};
use super::{Store, StoreError, Writer};
use crate::id::{ChangesetId, ProposalId};
use crate::plan::Presence;
use crate::proposal::layer::Layer;
use crate::proposal::stack::PathStack;
use crate::proposal::stage::Stage;
use crate::proposal::{HunkRecord, Proposal};
use crate::review::HunkStatus;
use crate::text::codec;
use crate::workspace::WorkspacePath;
use crate::workspace::attributes::Attributes;

/// Decided proposals that are kept.
const CLOSED_KEPT: i64 = 500;

impl Store {
    /// Reads everything that is staged.
    pub fn stage(&self) -> Result<Stage, StoreError> {
        let mut stage = Stage::default();
        let mut stacks = self.db.prepare("SELECT path, base FROM stack")?;
        let mut rows = stacks.query([])?;
        while let Some(row) = rows.next()? {
            let stack = PathStack {
                base: row
                    .get::<_, Option<Vec<u8>>>(1)?
                    .as_deref()
                    .map(decompress)
                    .transpose()?,
                layers: Vec::new(),
            };
            stage.stacks.insert(path(row, 0)?, stack);
        }
        let mut layers = self.db.prepare(
            "SELECT path, proposal, presence, edits, numbers, moved_to FROM layer ORDER BY path, position",
        )?;
        let mut rows = layers.query([])?;
        while let Some(row) = rows.next()? {
            let layer = layer(row)?;
            let stack = stage.stacks.get_mut(&path(row, 0)?);
            stack
                .ok_or_else(|| StoreError::Damaged("a layer without a file".into()))?
                .layers
                .push(layer);
        }
        let mut proposals = self.db.prepare(
            "SELECT id, changeset, path, card, hunks FROM proposal WHERE open = 1 ORDER BY seq",
        )?;
        let mut rows = proposals.query([])?;
        while let Some(row) = rows.next()? {
            stage.proposals.push(proposal(row)?);
        }
        Ok(stage)
    }

    /// Returns a proposal, open or decided, if it is still kept.
    pub fn proposal(&self, id: ProposalId) -> Result<Option<Proposal>, StoreError> {
        let query = "SELECT id, changeset, path, card, hunks FROM proposal WHERE id = ?";
        let mut statement = self.db.prepare_cached(query)?;
        let mut rows = statement.query([id.to_string()])?;
        rows.next()?.map(proposal).transpose()
    }
}

impl Writer<'_> {
    /// Writes what is staged over `paths`, and the proposals `closed` since.
    pub fn save_stage(
        &mut self,
        stage: &Stage,
        paths: &[WorkspacePath],
        closed: &[Proposal],
    ) -> Result<(), StoreError> {
        for path in paths {
            for delete in [
                "DELETE FROM stack WHERE path = ?",
                "DELETE FROM layer WHERE path = ?",
            ] {
                self.db.prepare_cached(delete)?.execute([path.as_str()])?;
            }
            if let Some(stack) = stage.stacks.get(path) {
                self.save_stack(path, stack)?;
            }
        }
        let paths: BTreeSet<&WorkspacePath> = paths.iter().collect();
        let touched = |proposal: &&Proposal| {
            let key = stage.key_of(&proposal.path);
            // One that has lost its layer has a path that leads to no stack any more.
            let lost = |hunk: &HunkRecord| matches!(hunk.status, HunkStatus::Conflict { .. });
            paths.contains(&proposal.path)
                || key.is_some_and(|key| paths.contains(key))
                || proposal.hunks.iter().any(lost)
        };
        for proposal in stage.proposals.iter().filter(touched).chain(closed) {
            self.save_proposal(proposal)?;
        }
        self.db.execute(
            "DELETE FROM proposal WHERE open = 0 AND seq <= (SELECT max(seq) FROM proposal) - ?",
            [CLOSED_KEPT],
        )?;
        Ok(())
    }

    fn save_stack(&mut self, path: &WorkspacePath, stack: &PathStack) -> Result<(), StoreError> {
        let base = stack.base.as_ref().map(compress);
        let insert = "INSERT INTO stack (path, base) VALUES (?, ?)";
        let mut insert = self.db.prepare_cached(insert)?;
        insert.execute(params![path.as_str(), base])?;
        let mut insert = self.db.prepare_cached(
            "INSERT INTO layer (path, position, proposal, presence, edits, numbers, moved_to)
             VALUES (?, ?, ?, ?, ?, ?, ?)",
        )?;
        for (position, layer) in stack.layers.iter().enumerate() {
            insert.execute(params![
                path.as_str(),
                position as i64,
                layer.proposal().to_string(),
                serde_json::to_string(&layer.presence())?,
                codec::encode(layer.edits()),
                serde_json::to_string(layer.numbers())?,
                layer.to().map(WorkspacePath::as_str),
            ])?;
        }
        Ok(())
    }

    fn save_proposal(&mut self, proposal: &Proposal) -> Result<(), StoreError> {
        let mut insert = self.db.prepare_cached(
            "INSERT INTO proposal (id, changeset, path, card, hunks, open)
             VALUES (?1, ?2, ?3, ?4, ?5, ?6)
             ON CONFLICT (id) DO UPDATE SET path = ?3, card = ?4, hunks = ?5, open = ?6",
        )?;
        insert.execute(params![
            proposal.id.to_string(),
            proposal.changeset.to_string(),
            proposal.path.as_str(),
            serde_json::to_string(&proposal.card)?,
            serde_json::to_string(&proposal.hunks)?,
            proposal.is_open(),
        ])?;
        Ok(())
    }
}

/// Reads a path; what is stored was relative and normal when it was written.
pub(super) fn path(row: &Row<'_>, column: usize) -> Result<WorkspacePath, StoreError> {
    let text: String = row.get(column)?;
    Ok(WorkspacePath::parse(&text, Path::new("/"))?)
}

/// Reads a list of folders.
pub(super) fn folders(json: &str) -> Result<Vec<WorkspacePath>, StoreError> {
    let texts: Vec<String> = serde_json::from_str(json)?;
    let parsed = texts.iter();
    Ok(parsed
        .map(|text| WorkspacePath::parse(text, Path::new("/")))
        .collect::<Result<_, _>>()?)
}

/// Reads attributes, where they are known.
pub(super) fn attributes(json: Option<String>) -> Result<Option<Attributes>, StoreError> {
    Ok(json.map(|json| serde_json::from_str(&json)).transpose()?)
}

/// Returns attributes as [`attributes`] reads them.
pub(super) fn attributes_as_text(
    attributes: Option<&Attributes>,
) -> Result<Option<String>, StoreError> {
    Ok(attributes.map(serde_json::to_string).transpose()?)
}

/// Reads a path that may be absent.
pub(super) fn maybe_path(
    row: &Row<'_>,
    column: usize,
) -> Result<Option<WorkspacePath>, StoreError> {
    let text: Option<String> = row.get(column)?;
    let parsed = text.map(|text| WorkspacePath::parse(&text, Path::new("/")));
    Ok(parsed.transpose()?)
}

pub(super) fn presence(row: &Row<'_>, column: usize) -> Result<Presence, StoreError> {
    let text: String = row.get(column)?;
    Ok(serde_json::from_str(&text)?)
}

fn layer(row: &Row<'_>) -> Result<Layer, StoreError> {
    let (id, edits, numbers): (String, Vec<u8>, String) = (row.get(1)?, row.get(3)?, row.get(4)?);
    let proposal = ProposalId(Uuid::parse_str(&id)?);
    let edits = codec::decode(&edits)?;
    if let Some(to) = maybe_path(row, 5)? {
        return Ok(Layer::moving(proposal, to));
    }
    Ok(Layer::new(
        proposal,
        presence(row, 2)?,
        edits,
        serde_json::from_str(&numbers)?,
    ))
}

fn proposal(row: &Row<'_>) -> Result<Proposal, StoreError> {
    let (id, changeset): (String, String) = (row.get(0)?, row.get(1)?);
    let (card, hunks): (String, String) = (row.get(3)?, row.get(4)?);
    Ok(Proposal {
        id: ProposalId(Uuid::parse_str(&id)?),
        changeset: ChangesetId(Uuid::parse_str(&changeset)?),
        path: path(row, 2)?,
        card: serde_json::from_str(&card)?,
        hunks: serde_json::from_str(&hunks)?,
    })
}
