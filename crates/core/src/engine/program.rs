//! Program changes: stages what a program left in the shadow.
//!
//! In: files as a program left them, which had seen them as staged. Out: proposals for what differs, and
//! the files that cannot be staged, with the reason. What a program did is a fact: no guard looks at it, and
//! nothing has to be located. A staged change that the program rewrote becomes one proposal with what
//! the program made of it.

use std::collections::{BTreeMap, BTreeSet};

use super::{Engine, EngineError};
use crate::diff::lines::difference;
use crate::id::{ChangesetId, ProposalId};
use crate::intent::Operation;
use crate::locate::Rung;
use crate::plan::{Evidence, Plan, Presence, Strategy};
use crate::proposal::stage::Stage;
use crate::proposal::{Card, Origin, Proposal};
use crate::review::ProposalView;
use crate::text::{EditSet, Encoding, Mismatch, Source};
use crate::workspace::{AccessError, WorkspacePath};

/// Characters of a command that a card has room for.
const COMMAND_CHARS: usize = 120;

/// What a program left.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ProgramRun {
    /// The command, as the user or the model wrote it.
    pub command: String,
    /// The files that it may have changed.
    pub files: Vec<ProgramFile>,
    /// Where the command comes from.
    pub origin: Origin,
    /// The turn's changeset; a new one is made where there is none.
    pub changeset: Option<ChangesetId>,
}

/// A file as a program left it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ProgramFile {
    /// Path relative to the workspace.
    pub path: String,
    /// The bytes; none if it is not there.
    pub bytes: Option<Vec<u8>>,
    /// Permission bits; none if it is not there.
    pub mode: Option<u32>,
    /// How many of the folders that it was in are gone with it, the innermost first.
    pub folders_gone: usize,
}

/// What became of a program's changes.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ProgramStaged {
    /// The changeset; none if nothing differs.
    pub changeset: Option<ChangesetId>,
    /// The proposals.
    pub proposals: Vec<ProposalView>,
    /// Whether they were written at once.
    pub written: bool,
    /// Files that cannot be staged, and why.
    pub refused: Vec<(String, String)>,
}

/// A file that differs from what is staged.
struct Difference {
    path: WorkspacePath,
    before: Option<Source>,
    after: Option<Source>,
    mode: Option<u32>,
    folders_gone: usize,
}

/// A file beside what is staged.
enum Compared {
    Same,
    Differs(Difference),
    /// Only its permission bits do; they are those of a file that is not there yet.
    NewFile(WorkspacePath, u32),
    /// It cannot be staged, for this reason.
    Refused(String),
}

/// What is staged for a file.
struct Step {
    difference: Difference,
    operation: Operation,
    plan: Plan,
    to: Option<WorkspacePath>,
}

impl Engine {
    /// Returns the files with staged work as a program is to see them, moved onto the files as they
    /// are now.
    pub fn for_program(&mut self) -> Result<Vec<ProgramFile>, EngineError> {
        let _lock = self.begin()?;
        let keys: Vec<WorkspacePath> = self.stage.stacks.keys().cloned().collect();
        for key in &keys {
            self.settle(key)?;
        }
        let modes = self.stage.proposals.iter();
        let modes: BTreeMap<&WorkspacePath, Option<u32>> = modes
            .map(|proposal| (&proposal.path, proposal.card.mode))
            .collect();
        let file = |(path, text): (&WorkspacePath, Result<Option<Source>, Mismatch>)| {
            Ok(ProgramFile {
                path: path.to_string(),
                bytes: text?.as_ref().and_then(Source::encoded),
                mode: modes.get(path).copied().flatten(),
                folders_gone: 0,
            })
        };
        self.stage.texts().map(file).collect()
    }

    /// Stages what a program left; files stay as they are.
    pub fn stage_program(&mut self, run: ProgramRun) -> Result<ProgramStaged, EngineError> {
        let _lock = self.begin()?;
        let mut staged = ProgramStaged::default();
        let mut differences = Vec::new();
        for file in run.files {
            let path = file.path.clone();
            match self.difference(file)? {
                Compared::Same => {}
                Compared::Differs(difference) => differences.push(difference),
                Compared::NewFile(path, mode) => self.give_mode(&path, mode)?,
                Compared::Refused(why) => staged.refused.push((path, why)),
            }
        }
        if differences.is_empty() {
            return Ok(staged);
        }
        let before = self.stage.clone();
        let changeset = run
            .changeset
            .unwrap_or_else(|| ChangesetId((self.ambient.uuid)()));
        let made = self.push_program(differences, &run.command, &run.origin, changeset);
        let ids = match made {
            Ok(ids) => ids,
            Err(error) => {
                self.stage = before;
                return Err(error);
            }
        };
        staged.changeset = Some(changeset);
        let views = self.show().into_iter();
        staged.proposals = views.filter(|view| ids.contains(&view.id)).collect();
        staged.written = self.write_at_once(&staged.proposals, &mut [])?;
        Ok(staged)
    }

    /// Compares a file with what is staged.
    fn difference(&mut self, file: ProgramFile) -> Result<Compared, EngineError> {
        let path = match self.path(&file.path) {
            Ok(path) => path,
            Err(error) => return Ok(Compared::Refused(error.to_string())),
        };
        let key = self.stage.key_of(&path).unwrap_or(&path);
        let allowed = path.editable().map_err(AccessError::from);
        if let Err(error) = allowed.and_then(|()| self.workspace.check_writable(key)) {
            return Ok(Compared::Refused(error.to_string()));
        }
        let before = self.overlay(&path)?;
        let after = match file.bytes.map(|bytes| image(bytes, before.as_ref())) {
            Some(Err(why)) => return Ok(Compared::Refused(why)),
            Some(Ok(after)) => Some(after),
            None => None,
        };
        if before == after {
            return Ok(match file.mode {
                Some(mode) if before.is_some() => self.permissions(&path, mode)?,
                _ => Compared::Same,
            });
        }
        Ok(Compared::Differs(Difference {
            path,
            before,
            after,
            mode: file.mode,
            folders_gone: file.folders_gone,
        }))
    }

    /// Compares permission bits of a file whose bytes are as staged.
    fn permissions(&self, path: &WorkspacePath, mode: u32) -> Result<Compared, EngineError> {
        let key = self.stage.key_of(path).unwrap_or(path);
        let on_disk = self.workspace.attributes(key)?;
        Ok(match on_disk {
            Some(own) if own.mode == mode => Compared::Same,
            Some(_) => Compared::Refused("only its permissions changed".to_owned()),
            None => Compared::NewFile(path.clone(), mode),
        })
    }

    /// Gives a staged file that is not there yet its permission bits.
    fn give_mode(&mut self, path: &WorkspacePath, mode: u32) -> Result<(), EngineError> {
        let own = |proposal: &&mut Proposal| proposal.is_open() && proposal.path == *path;
        if let Some(proposal) = self.stage.proposals.iter_mut().rev().find(own) {
            proposal.card.mode = Some(mode);
        }
        self.save(std::slice::from_ref(path))
    }

    fn push_program(
        &mut self,
        differences: Vec<Difference>,
        command: &str,
        origin: &Origin,
        changeset: ChangesetId,
    ) -> Result<BTreeSet<ProposalId>, EngineError> {
        let created = (self.ambient.now)();
        let mut touched: BTreeSet<WorkspacePath> = BTreeSet::new();
        let mut stage = self.stage.clone();
        let mut still = Vec::new();
        for difference in differences {
            if let Some(key) = stage.key_of(&difference.path).cloned()
                && rewrites(&stage, &key, &difference)?
            {
                stage.replace(&key, command);
                touched.insert(key);
            }
            still.push(difference);
        }
        // What was dropped may leave a file as the program did.
        for difference in &mut still {
            difference.before = match stage.text(&difference.path) {
                Some(text) => text?,
                None => self
                    .workspace
                    .read(&difference.path)?
                    .map(|image| image.source),
            };
        }
        still.retain(|difference| difference.before != difference.after);
        let mut ids = BTreeSet::new();
        for step in steps(still, &stage) {
            let id = ProposalId((self.ambient.uuid)());
            let path = step.difference.path;
            let card = Card {
                operation: step.operation,
                description: format!("`{}`", first_line(command)),
                strategy: Strategy::Program,
                evidence: step.plan.evidence.how.clone(),
                matched: None,
                note: None,
                mode: step.difference.mode,
                folders_gone: step.difference.folders_gone,
                created,
                origin: origin.clone(),
            };
            let base = match stage.key_of(&path) {
                Some(_) => None,
                None => self.workspace.read(&path)?.map(|image| image.source),
            };
            stage.push(&path, base, (id, changeset), card, (step.plan, step.to))?;
            touched.extend(stage.key_of(&path).cloned());
            ids.insert(id);
        }
        self.stage = stage;
        let touched: Vec<WorkspacePath> = touched.into_iter().collect();
        self.save(&touched)?;
        Ok(ids)
    }
}

/// Returns the first line of a command, cut short.
fn first_line(command: &str) -> String {
    let line = command.trim().lines().next().unwrap_or_default();
    line.chars().take(COMMAND_CHARS).collect()
}

/// Returns a program's bytes as a text that can stand over `before`, or why they cannot.
fn image(bytes: Vec<u8>, before: Option<&Source>) -> Result<Source, String> {
    let after = Source::decode(bytes);
    let Some(own) = before.map(Source::encoding) else {
        return Ok(after);
    };
    // Plain ASCII is the same in both.
    if after.encoding() == own || after.encoding() == Encoding::Utf8 && own == Encoding::Windows1252
    {
        return Ok(after);
    }
    Err(format!(
        "the program made it {}; a change of encoding cannot be reviewed",
        after.encoding()
    ))
}

/// Returns whether a difference touches what is staged for its file.
fn rewrites(
    stage: &Stage,
    key: &WorkspacePath,
    difference: &Difference,
) -> Result<bool, EngineError> {
    let (Some(stack), Some(before), Some(after)) =
        (stage.stacks.get(key), &difference.before, &difference.after)
    else {
        return Ok(true);
    };
    let Some(base) = &stack.base else {
        return Ok(true);
    };
    // Lines that are not as on disk are staged.
    let staged = difference_of(base, before);
    let own = difference_of(before, after);
    Ok(staged.commute(&own).is_err())
}

fn difference_of(before: &Source, after: &Source) -> EditSet {
    if before.text().is_ok() && after.text().is_ok() {
        difference(before, after)
    } else {
        EditSet::between(before.bytes(), after.bytes())
    }
}

/// Returns what is staged for each difference. A file that goes where another one with the same
/// bytes comes is moved.
fn steps(differences: Vec<Difference>, stage: &Stage) -> Vec<Step> {
    let mut targets: BTreeMap<Vec<u8>, Vec<WorkspacePath>> = BTreeMap::new();
    for difference in &differences {
        if let (None, Some(after)) = (&difference.before, &difference.after) {
            let of_text = targets.entry(after.bytes().to_vec()).or_default();
            of_text.push(difference.path.clone());
        }
    }
    let mut moved: BTreeSet<WorkspacePath> = BTreeSet::new();
    let mut steps = Vec::new();
    let (gone, others): (Vec<_>, Vec<_>) = differences
        .into_iter()
        .partition(|difference| difference.after.is_none());
    for difference in gone {
        let text = difference.before.as_ref().map(Source::bytes);
        let free = |path: &WorkspacePath| stage.key_of(path).is_none();
        let to = text
            .filter(|text| !text.is_empty() && free(&difference.path))
            .and_then(|text| targets.get_mut(text))
            .and_then(Vec::pop)
            .filter(free);
        moved.extend(to.clone());
        steps.push(step(difference, to));
    }
    let others = others.into_iter();
    let others = others.filter(|difference| !moved.contains(&difference.path));
    steps.extend(others.map(|difference| step(difference, None)));
    steps
}

fn step(difference: Difference, to: Option<WorkspacePath>) -> Step {
    let empty = Source::new(Vec::new());
    let before = difference.before.as_ref().unwrap_or(&empty);
    let after = difference.after.as_ref().unwrap_or(&empty);
    let (operation, presence) = match (&difference.before, &difference.after, &to) {
        (_, _, Some(_)) => (Operation::Move, Presence::Kept),
        (None, _, None) => (Operation::Create, Presence::Created),
        (_, None, None) => (Operation::Delete, Presence::Deleted),
        _ => (Operation::Modify, Presence::Kept),
    };
    let edits = match presence {
        _ if to.is_some() => EditSet::default(),
        // As it is in the file, whatever its encoding.
        Presence::Created => EditSet::between(b"", &after.encoded().unwrap_or_default()),
        Presence::Kept | Presence::Deleted => difference_of(before, after),
    };
    let plan = Plan {
        presence,
        edits,
        evidence: Evidence::new(Rung::Exact, "as the program left it"),
        changes: 1,
    };
    Step {
        difference,
        operation,
        plan,
        to,
    }
}

#[cfg(test)]
mod tests;
