//! Program changes: stages what a program left in the shadow.
//!
//! In: files as a program left them, which had seen them as staged. Out: proposals for what differs, and
//! the files that cannot be staged, with the reason. What a program did is a fact: no guard looks at it, and
//! nothing has to be located. A staged change that the program rewrote becomes one proposal with what
//! the program made of it.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use super::{Engine, EngineError};
use crate::diff::lines::difference;
use crate::id::{ChangesetId, ProposalId};
use crate::intent::Operation;
use crate::locate::Rung;
use crate::plan::{Evidence, Plan, Presence, Strategy};
use crate::proposal::stage::Stage;
use crate::proposal::{Card, Origin, Proposal};
use crate::review::ProposalView;
use crate::text::{EditSet, Encoding, Fingerprint, Mismatch, Source};
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

/// A file or symbolic link as a program left it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ProgramFile {
    /// Path relative to the workspace, which goes through no link.
    pub path: String,
    /// What it is; none if nothing has this name.
    pub content: Option<ProgramContent>,
    /// How many of the folders that it was in are gone with it, the innermost first.
    pub folders_gone: usize,
}

/// What a program finds or leaves under a name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ProgramContent {
    /// A regular file.
    File {
        /// Its bytes.
        bytes: Vec<u8>,
        /// Its permission bits; none for those that it has on disk, or that new files get.
        mode: Option<u32>,
    },
    /// A symbolic link with this target.
    Link(Vec<u8>),
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
    /// Permission bits that are to be set.
    mode: Option<NewMode>,
    folders_gone: usize,
}

/// Permission bits, on disk and to be.
#[derive(Clone, Copy)]
struct NewMode {
    from: Option<u32>,
    to: u32,
}

/// A file beside what is staged.
enum Compared {
    Same,
    Differs(Difference),
    /// Only its permission bits do, which what is staged for it sets.
    Permissions(WorkspacePath, NewMode),
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
        let modes: BTreeMap<&WorkspacePath, u32> = modes
            .filter_map(|proposal| Some((&proposal.path, proposal.card.mode?)))
            .collect();
        let content = |path: &WorkspacePath, text: Source| {
            if text.is_link() {
                return Some(ProgramContent::Link(text.bytes().to_vec()));
            }
            let mode = modes.get(path).copied();
            text.encoded()
                .map(|bytes| ProgramContent::File { bytes, mode })
        };
        let file = |(path, text): (&WorkspacePath, Result<Option<Source>, Mismatch>)| {
            Ok(ProgramFile {
                path: path.to_string(),
                content: text?.and_then(|text| content(path, text)),
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
                Compared::Permissions(path, mode) => self.give_mode(&path, mode, &run.command)?,
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
        let path = match self.own_path(&file.path) {
            Ok(path) => path,
            Err(why) => return Ok(Compared::Refused(why)),
        };
        let key = self.stage.key_of(&path).unwrap_or(&path).clone();
        let before = self.overlay(&path)?;
        let mut mode = None;
        let after = match file.content {
            None => None,
            Some(ProgramContent::Link(target)) => Some(Source::link(target)),
            Some(ProgramContent::File { bytes, mode: own }) => {
                let from = self.workspace.attributes(&key)?.map(|own| own.mode);
                mode = own.map(|to| NewMode { from, to });
                Some(Source::decode(bytes))
            }
        };
        if before == after {
            return Ok(match mode {
                Some(mode) => self.permissions(path, before, mode),
                None => Compared::Same,
            });
        }
        Ok(Compared::Differs(Difference {
            path,
            before,
            after,
            mode: mode.filter(|mode| mode.from != Some(mode.to)),
            folders_gone: file.folders_gone,
        }))
    }

    /// Returns the path of a file that a program may have changed, or why it cannot be staged. A program's
    /// path goes through no link; one that does on disk is that of another file there.
    fn own_path(&self, text: &str) -> Result<WorkspacePath, String> {
        let path = WorkspacePath::parse(text, &self.root).map_err(|error| error.to_string())?;
        let key = self.stage.key_of(&path).unwrap_or(&path);
        let allowed = path.editable().map_err(AccessError::from);
        let allowed = allowed.and_then(|()| {
            self.workspace.check_writable(key)?;
            self.workspace.entry(key)
        });
        match allowed {
            Ok(own) if own == *key => Ok(path),
            Ok(_) => Err("a folder of it is a symbolic link on disk".to_owned()),
            Err(error) => Err(error.to_string()),
        }
    }

    /// Compares permission bits of a file whose bytes are as staged.
    fn permissions(&self, path: WorkspacePath, before: Option<Source>, mode: NewMode) -> Compared {
        let own = |proposal: &&Proposal| proposal.is_open() && proposal.path == path;
        let mut staged = self.stage.proposals.iter().filter(own);
        let known = staged.clone().rev().find_map(|proposal| proposal.card.mode);
        if known.or(mode.from) == Some(mode.to) {
            Compared::Same
        } else if known.is_some() || (mode.from.is_none() && staged.next().is_some()) {
            Compared::Permissions(path, mode)
        } else {
            Compared::Differs(Difference {
                path,
                after: before.clone(),
                before,
                mode: Some(mode),
                folders_gone: 0,
            })
        }
    }

    /// Gives a file other permission bits than those that are staged for it.
    fn give_mode(
        &mut self,
        path: &WorkspacePath,
        mode: NewMode,
        command: &str,
    ) -> Result<(), EngineError> {
        let open = |proposal: &Proposal| proposal.is_open() && proposal.path == *path;
        let mut own: Vec<&mut Proposal> = self.stage.proposals.iter_mut().collect();
        own.retain(|proposal| open(proposal));
        let at = own
            .iter()
            .rposition(|proposal| proposal.card.mode.is_some());
        let at = at.or(own.len().checked_sub(1));
        let Some(proposal) = at.and_then(|at| own.get_mut(at)) else {
            return Ok(());
        };
        proposal.card.mode = Some(mode.to).filter(|_| mode.from != Some(mode.to));
        if proposal.card.operation == Operation::Permissions {
            proposal.show_permissions(mode.from, mode.to);
            if proposal.card.mode.is_none() {
                let (id, key) = (proposal.id, self.stage.key_of(path).cloned());
                key.into_iter()
                    .for_each(|key| self.stage.drop_permissions(&key, id, command));
            }
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
        still.retain(|difference| {
            difference.before != difference.after || difference.mode.is_some()
        });
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
                note: leads_out(&path, step.difference.after.as_ref(), &self.root),
                mode: step.difference.mode.map(|mode| mode.to),
                folders_gone: step.difference.folders_gone,
                created,
                origin: origin.clone(),
            };
            let base = match stage.key_of(&path) {
                Some(_) => None,
                None => self.workspace.read(&path)?.map(|image| image.source),
            };
            stage.push(&path, base, (id, changeset), card, (step.plan, step.to))?;
            if let (Operation::Permissions, Some(mode), Some(proposal)) = (
                step.operation,
                step.difference.mode,
                stage.proposals.last_mut(),
            ) {
                proposal.show_permissions(mode.from, mode.to);
            }
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

/// Returns what is to be known of a symbolic link before it is made.
fn leads_out(path: &WorkspacePath, after: Option<&Source>, root: &Path) -> Option<String> {
    let link = after.filter(|after| after.is_link())?;
    let target = String::from_utf8_lossy(link.bytes());
    let whole = match target.strip_prefix('/') {
        Some(_) => target.into_owned(),
        None => format!("{}/{target}", path.parent().shown()),
    };
    let inside = WorkspacePath::parse(&whole, root).is_ok();
    (!inside).then(|| "the link leads out of the workspace".to_owned())
}

/// Returns whether a text can be told as a change of another one: both are files in one encoding, or both
/// are links. Plain ASCII is in any.
fn is_of_one_kind(before: &Source, after: &Source) -> bool {
    let plain = after.encoding() == Encoding::Utf8 && after.bytes().is_ascii();
    after.encoding() == before.encoding() || plain && before.encoding() == Encoding::Windows1252
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
    if !is_of_one_kind(before, after) {
        return Ok(true);
    }
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
    let mut targets: BTreeMap<Fingerprint, Vec<WorkspacePath>> = BTreeMap::new();
    for difference in &differences {
        if let (None, Some(after)) = (&difference.before, &difference.after) {
            let of_text = targets.entry(after.fingerprint()).or_default();
            of_text.push(difference.path.clone());
        }
    }
    let mut moved: BTreeSet<WorkspacePath> = BTreeSet::new();
    let mut steps = Vec::new();
    let (gone, others): (Vec<_>, Vec<_>) = differences
        .into_iter()
        .partition(|difference| difference.after.is_none());
    for difference in gone {
        let text = difference.before.as_ref();
        let free = |path: &WorkspacePath| stage.key_of(path).is_none();
        let to = text
            .filter(|text| !text.bytes().is_empty() && free(&difference.path))
            .and_then(|text| targets.get_mut(&text.fingerprint()))
            .and_then(Vec::pop)
            .filter(free);
        moved.extend(to.clone());
        steps.push(step(difference, to));
    }
    let others = others.into_iter();
    let others = others.filter(|difference| !moved.contains(&difference.path));
    steps.extend(
        others
            .flat_map(anew)
            .map(|difference| step(difference, None)),
    );
    steps
}

/// Returns a file that becomes a link, a link that becomes a file, or one that gets another encoding, as two
/// changes: it goes, and it comes.
fn anew(difference: Difference) -> Vec<Difference> {
    let (Some(before), Some(after)) = (&difference.before, &difference.after) else {
        return vec![difference];
    };
    if is_of_one_kind(before, after) {
        return vec![difference];
    }
    let goes = Difference {
        path: difference.path.clone(),
        before: difference.before.clone(),
        after: None,
        mode: None,
        folders_gone: 0,
    };
    let comes = Difference {
        before: None,
        ..difference
    };
    vec![goes, comes]
}

fn step(difference: Difference, to: Option<WorkspacePath>) -> Step {
    let empty = Source::new(Vec::new());
    let before = difference.before.as_ref().unwrap_or(&empty);
    let after = difference.after.as_ref().unwrap_or(&empty);
    let (operation, presence) = match (&difference.before, &difference.after, &to) {
        (_, _, Some(_)) => (Operation::Move, Presence::Kept),
        (None, Some(after), None) if after.is_link() => (Operation::Link, Presence::Linked),
        (None, _, None) => (Operation::Create, Presence::Created),
        (_, None, None) => (Operation::Delete, Presence::Deleted),
        (Some(before), Some(after), None) if before == after => {
            (Operation::Permissions, Presence::Kept)
        }
        (_, Some(after), None) if after.is_link() => (Operation::Link, Presence::Kept),
        _ => (Operation::Modify, Presence::Kept),
    };
    let edits = match presence {
        _ if to.is_some() => EditSet::default(),
        // As it is in the file, whatever its encoding.
        Presence::Created | Presence::Linked => {
            EditSet::between(b"", &after.encoded().unwrap_or_default())
        }
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
