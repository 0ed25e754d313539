//! Staged work, as rows.
//!
//! In: a [`Stage`]. Out: rows for the paths that changed, and the stage again.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::path::Path;

use rusqlite::{Connection, Row, params};
use serde::{Deserialize, Serialize};
use uuid::Uuid;

use super::StoreError;
use super::compressed::{compress, decompress};
use crate::disk::workspace::WorkspacePath;
use crate::disk::workspace::attributes::Attributes;
use crate::edit::plan::Presence;
use crate::id::{ChangesetId, ProposalId};
use crate::stage::proposal::former::FormerStack;
use crate::stage::proposal::layer::Layer;
use crate::stage::proposal::layer_kind::{BesideText, LayerKind, NewMode};
use crate::stage::proposal::stack::PathStack;
use crate::stage::proposal::stage::Stage;
use crate::stage::proposal::{Card, HunkRecord, Proposal};
use crate::stage::review::HunkStatus;
use crate::text::codec;

/// Decided proposals that are kept, so that the store of a long project does not grow with each edit.
const CLOSED_KEPT: i64 = 500;

/// A card as the column `card` holds it, with what the layers of its proposal do beside the text.
#[derive(Serialize)]
struct StoredCard<'a> {
    #[serde(flatten)]
    card: &'a Card,
    #[serde(flatten)]
    beside: Option<&'a Beside>,
}

/// Permission bits and folders of a layer's kind: of the column `layer.presence` they are no part.
#[derive(Debug, Default, Serialize, Deserialize)]
struct Beside {
    /// Permission bits that the file gets.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    mode: Option<u32>,
    /// Those that it had on disk.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    mode_before: Option<u32>,
    /// How many of its folders go with it.
    #[serde(default, skip_serializing_if = "is_zero")]
    folders_gone: usize,
}

#[expect(
    clippy::trivially_copy_pass_by_ref,
    reason = "serde passes a reference"
)]
fn is_zero(count: &usize) -> bool {
    *count == 0
}

impl Beside {
    /// Returns what is kept of a layer; none if it does nothing beside the text.
    fn of(layer: &Layer) -> Option<(ProposalId, Self)> {
        let (mode, folders_gone) = (layer.mode(), layer.kind().folders_gone());
        let own = Self {
            mode: mode.map(|mode| mode.to),
            mode_before: mode.and_then(|mode| mode.from),
            folders_gone,
        };
        (mode.is_some() || folders_gone > 0).then_some((layer.proposal(), own))
    }

    fn read(self) -> BesideText {
        let from = self.mode_before;
        BesideText {
            to: None,
            mode: self.mode.map(|to| NewMode { from, to }),
            folders_gone: self.folders_gone,
        }
    }
}

/// The tables of stacks: those over files as they are, or as they were.
struct StackTables {
    stack: &'static str,
    layer: &'static str,
}

const NOW: StackTables = StackTables {
    stack: "stack",
    layer: "layer",
};
const FORMER: StackTables = StackTables {
    stack: "former_stack",
    layer: "former_layer",
};

/// The staged work of a store.
pub(super) struct StageTables<'c>(pub(super) &'c Connection);

impl StageTables<'_> {
    /// Reads everything that is staged.
    pub(super) fn stage(&self) -> Result<Stage, StoreError> {
        let mut stage = Stage::default();
        let mut proposals = self.0.prepare(
            "SELECT id, changeset, path, card, hunks FROM proposal WHERE open = 1 ORDER BY seq",
        )?;
        let mut beside = HashMap::new();
        let mut rows = proposals.query([])?;
        while let Some(row) = rows.next()? {
            let (proposal, own) = proposal(row)?;
            if own != BesideText::default() {
                beside.insert(proposal.id, own);
            }
            stage.proposals.push(proposal);
        }
        for (path, stack) in self.stacks(&NOW, &beside)? {
            stage.stacks.insert(path, stack);
        }
        let mut notes = self.0.prepare("SELECT path, notes FROM former_stack")?;
        let mut rows = notes.query([])?;
        let mut formers = self.stacks(&FORMER, &beside)?;
        while let Some(row) = rows.next()? {
            let path = path(row, 0)?;
            let notes: String = row.get(1)?;
            if let Some(stack) = formers.remove(&path) {
                let former = FormerStack {
                    stack,
                    notes: serde_json::from_str(&notes)?,
                    tried: None,
                    is_obstructed: false,
                };
                stage.formers.insert(path, former);
            }
        }
        Ok(stage)
    }

    fn stacks(
        &self,
        tables: &StackTables,
        beside: &HashMap<ProposalId, BesideText>,
    ) -> Result<BTreeMap<WorkspacePath, PathStack>, StoreError> {
        let mut found: BTreeMap<WorkspacePath, PathStack> = BTreeMap::new();
        let mut stacks = self
            .0
            .prepare(&format!("SELECT path, base FROM {}", tables.stack))?;
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
            found.insert(path(row, 0)?, stack);
        }
        let mut layers = self.0.prepare(&format!(
            "SELECT path, proposal, presence, edits, numbers, moved_to FROM {} ORDER BY path, position",
            tables.layer
        ))?;
        let mut rows = layers.query([])?;
        while let Some(row) = rows.next()? {
            let stack = found
                .get_mut(&path(row, 0)?)
                .ok_or_else(|| StoreError::Damaged("a layer without a file".into()))?;
            let layer = layer(row, stack, beside)?;
            stack.layers.push(layer);
        }
        Ok(found)
    }

    /// Returns a proposal, open or decided, if it is still kept.
    pub(super) fn proposal(&self, id: ProposalId) -> Result<Option<Proposal>, StoreError> {
        let query = "SELECT id, changeset, path, card, hunks FROM proposal WHERE id = ?";
        let mut statement = self.0.prepare_cached(query)?;
        let mut rows = statement.query([id.to_string()])?;
        let found = rows.next()?.map(proposal).transpose()?;
        Ok(found.map(|(proposal, _)| proposal))
    }

    /// Returns the proposals that came with offers of other people, oldest first.
    pub(super) fn taken_proposals(&self) -> Result<Vec<Proposal>, StoreError> {
        // A text within the JSON has its quotation marks escaped.
        let query = "SELECT id, changeset, path, card, hunks FROM proposal
             WHERE instr(hunks, '\"offer\":{\"taken\"') > 0 ORDER BY seq";
        let mut statement = self.0.prepare(query)?;
        let mut rows = statement.query([])?;
        let mut found = Vec::new();
        while let Some(row) = rows.next()? {
            found.push(proposal(row)?.0);
        }
        Ok(found)
    }

    /// Writes what is staged over `paths`, and the proposals `closed` since.
    pub(super) fn save_stage(
        &self,
        stage: &Stage,
        paths: &[WorkspacePath],
        closed: &[Proposal],
    ) -> Result<(), StoreError> {
        for path in paths {
            self.drop_stack(&NOW, path)?;
            if let Some(stack) = stage.stacks.get(path) {
                self.save_stack(&NOW, path, stack)?;
            }
        }
        self.save_formers(stage, paths)?;
        let paths: BTreeSet<&WorkspacePath> = paths.iter().collect();
        let formers = stage.formers.values().map(|former| &former.stack);
        let stacks = stage.stacks.values();
        let layers = formers.chain(stacks).flat_map(|stack| &stack.layers);
        let beside: HashMap<ProposalId, Beside> = layers.filter_map(Beside::of).collect();
        for proposal in stage
            .proposals
            .iter()
            .filter(|proposal| is_touched(stage, &paths, proposal))
            .chain(closed)
        {
            self.save_proposal(proposal, beside.get(&proposal.id))?;
        }
        self.0.execute(
            "DELETE FROM proposal WHERE open = 0 AND seq <= (SELECT max(seq) FROM proposal) - ?",
            [CLOSED_KEPT],
        )?;
        Ok(())
    }

    /// Writes what was staged over `paths` before these changed, and drops what counts no more.
    fn save_formers(&self, stage: &Stage, paths: &[WorkspacePath]) -> Result<(), StoreError> {
        let mut stored = self.0.prepare_cached("SELECT path FROM former_stack")?;
        let mut rows = stored.query([])?;
        let mut gone = Vec::new();
        while let Some(row) = rows.next()? {
            gone.push(path(row, 0)?);
        }
        gone.retain(|path| !stage.formers.contains_key(path));
        for path in gone.iter().chain(paths) {
            self.drop_stack(&FORMER, path)?;
        }
        for path in paths {
            let Some(former) = stage.formers.get(path) else {
                continue;
            };
            self.save_stack(&FORMER, path, &former.stack)?;
            let notes = serde_json::to_string(&former.notes)?;
            let update = "UPDATE former_stack SET notes = ? WHERE path = ?";
            let mut update = self.0.prepare_cached(update)?;
            update.execute(params![notes, path.as_str()])?;
        }
        Ok(())
    }

    fn drop_stack(&self, tables: &StackTables, path: &WorkspacePath) -> Result<(), StoreError> {
        for table in [tables.stack, tables.layer] {
            let delete = format!("DELETE FROM {table} WHERE path = ?");
            self.0.prepare_cached(&delete)?.execute([path.as_str()])?;
        }
        Ok(())
    }

    fn save_stack(
        &self,
        tables: &StackTables,
        path: &WorkspacePath,
        stack: &PathStack,
    ) -> Result<(), StoreError> {
        let base = stack.base.as_ref().map(compress);
        let mut insert = self.0.prepare_cached(&format!(
            "INSERT INTO {} (path, base) VALUES (?, ?)",
            tables.stack
        ))?;
        insert.execute(params![path.as_str(), base])?;
        let mut insert = self.0.prepare_cached(&format!(
            "INSERT INTO {} (path, position, proposal, presence, edits, numbers, moved_to)
             VALUES (?, ?, ?, ?, ?, ?, ?)",
            tables.layer
        ))?;
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

    fn save_proposal(
        &self,
        proposal: &Proposal,
        beside: Option<&Beside>,
    ) -> Result<(), StoreError> {
        let card = StoredCard {
            card: &proposal.card,
            beside,
        };
        let mut insert = self.0.prepare_cached(
            "INSERT INTO proposal (id, changeset, path, card, hunks, open)
             VALUES (?1, ?2, ?3, ?4, ?5, ?6)
             ON CONFLICT (id) DO UPDATE SET path = ?3, card = ?4, hunks = ?5, open = ?6",
        )?;
        insert.execute(params![
            proposal.id.to_string(),
            proposal.changeset.to_string(),
            proposal.path.as_str(),
            serde_json::to_string(&card)?,
            serde_json::to_string(&proposal.hunks)?,
            proposal.is_open(),
        ])?;
        Ok(())
    }
}

fn is_touched(stage: &Stage, paths: &BTreeSet<&WorkspacePath>, proposal: &Proposal) -> bool {
    let key = stage.key_of(&proposal.path);
    // One that has lost its layer has a path that leads to no stack any more.
    paths.contains(&proposal.path)
        || key.is_some_and(|key| paths.contains(key))
        || proposal
            .hunks
            .iter()
            .any(|hunk| matches!(hunk.status, HunkStatus::Conflict { .. }))
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

/// Reads the layer that comes on top of `stack`.
fn layer(
    row: &Row<'_>,
    stack: &PathStack,
    beside: &HashMap<ProposalId, BesideText>,
) -> Result<Layer, StoreError> {
    let (id, edits, numbers): (String, Vec<u8>, String) = (row.get(1)?, row.get(3)?, row.get(4)?);
    let proposal = ProposalId(Uuid::parse_str(&id)?);
    let edits = codec::decode(&edits)?;
    let mut beside = beside.get(&proposal).cloned().unwrap_or_default();
    beside.to = maybe_path(row, 5)?;
    let kind = LayerKind::of(
        presence(row, 2)?,
        !edits.is_empty(),
        stack.ends_as_link(),
        beside,
    );
    let numbers = serde_json::from_str(&numbers)?;
    Ok(Layer::new(proposal, kind, edits, numbers))
}

/// Reads a proposal, and what its layers do beside the text.
fn proposal(row: &Row<'_>) -> Result<(Proposal, BesideText), StoreError> {
    let (id, changeset): (String, String) = (row.get(0)?, row.get(1)?);
    let (card, hunks): (String, String) = (row.get(3)?, row.get(4)?);
    let beside = serde_json::from_str::<Beside>(&card)?.read();
    let mut hunks: Vec<HunkRecord> = serde_json::from_str(&hunks)?;
    let asides = hunks.iter_mut().filter_map(|hunk| hunk.aside.as_mut());
    asides.for_each(|aside| aside.add_beside(&beside));
    let proposal = Proposal {
        id: ProposalId(Uuid::parse_str(&id)?),
        changeset: ChangesetId(Uuid::parse_str(&changeset)?),
        path: path(row, 2)?,
        card: serde_json::from_str(&card)?,
        hunks,
    };
    Ok((proposal, beside))
}
