//! Program changes: stages what a program left in the shadow.
//!
//! In: files as a program left them, which had seen them as staged. Out: proposals for what differs, and
//! the files that cannot be staged, with the reason. What a program did is a fact: no guard looks at it, and
//! nothing has to be located. A staged change that the program rewrote becomes one proposal with what
//! the program made of it.

use std::collections::BTreeSet;
use std::path::Path;

use super::{Engine, EngineError};
use crate::id::{ChangesetId, ProposalId};
use crate::intent::Operation;
use crate::plan::Strategy;
use crate::proposal::cards::Cards;
use crate::proposal::stack::PathStack;
use crate::proposal::{Card, Origin, Proposal};
use crate::review::ProposalView;
use crate::text::Source;
use crate::workspace::{AccessError, WorkspacePath};

mod steps;

use steps::{Difference, NewMode, rewrites, steps};

/// Characters of a command that a card has room for.
const COMMAND_CHARS: usize = 120;

/// What a program left.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ProgramRun {
    /// The command, as the user or the model wrote it.
    pub command: String,
    /// The files that it may have changed.
    pub files: Vec<ProgramFile>,
    /// Paths of what it left that may hold content and is not among the files.
    pub not_collected: Vec<String>,
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
    /// What the program found there.
    pub base: ProgramBase,
    /// How many of the folders that it was in are gone with it, the innermost first.
    pub folders_gone: usize,
}

/// What a program found under a name when it started.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ProgramBase {
    /// What is there now: nothing has changed it since.
    Current,
    /// This; none if nothing had this name.
    Known(Option<ProgramContent>),
    /// Something changed it since the program started, and what it was is not known.
    Unknown,
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

/// A file beside what is staged.
enum Compared {
    Same,
    Differs(Difference),
    /// Only its permission bits do, which what is staged for it sets.
    Permissions(WorkspacePath, NewMode),
    /// It cannot be staged, for this reason.
    Refused(String),
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
        let cards = Cards::of(&self.stage.proposals);
        let stacks = self.stage.stacks.iter();
        let files = stacks.map(|(key, stack)| self.names(key, stack, &cards));
        let files: Vec<Vec<Difference>> = files.collect::<Result<_, EngineError>>()?;
        Ok(files.into_iter().flatten().map(found).collect())
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
            mode,
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

    /// Returns what staged work makes of the file at `key`, under each of its names.
    fn names(
        &self,
        key: &WorkspacePath,
        stack: &PathStack,
        cards: &Cards<'_>,
    ) -> Result<Vec<Difference>, EngineError> {
        let mode = match cards.mode(&stack.layers) {
            Some(mode) => Some(mode),
            None => self.workspace.attributes(key)?.map(|own| own.mode),
        };
        let each = stack.texts(key).map(|(path, text)| {
            let after = text?;
            let (mode, folders_gone) = match after {
                Some(_) => (mode.map(|to| NewMode { from: None, to }), 0),
                None => (None, cards.folders_gone(&stack.layers)),
            };
            Ok(Difference {
                path: path.clone(),
                before: None,
                after,
                mode,
                folders_gone,
            })
        });
        each.collect()
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
        let cards = Cards::of(&self.stage.proposals);
        let mut still = Vec::new();
        let mut beside = Vec::new();
        for difference in differences {
            if let Some(key) = stage.key_of(&difference.path).cloned()
                && rewrites(&stage, &key, &difference)?
            {
                if let Some(stack) = stage.stacks.get(&key) {
                    // The program left as they were what other names it did not touch.
                    beside.extend(self.names(&key, stack, &cards)?);
                }
                stage.replace(&key, command);
                touched.insert(key);
            }
            still.push(difference);
        }
        let told: BTreeSet<WorkspacePath> = still.iter().map(|own| own.path.clone()).collect();
        still.extend(beside.into_iter().filter(|own| !told.contains(&own.path)));
        // What was dropped may leave a file as the program did.
        for difference in &mut still {
            difference.before = match stage.text(&difference.path) {
                Some(text) => text?,
                None => self
                    .workspace
                    .read(&difference.path)?
                    .map(|image| image.source),
            };
            let key = stage.key_of(&difference.path);
            let stack = key.and_then(|key| stage.stacks.get(key));
            let staged = stack.and_then(|stack| cards.mode(&stack.layers));
            let is_new = |mode: &NewMode| staged.or(mode.from) != Some(mode.to);
            difference.mode = difference.mode.filter(is_new);
        }
        still.retain(|difference| {
            difference.before != difference.after || difference.mode.is_some()
        });
        let mut ids = BTreeSet::new();
        let mode = |path: &WorkspacePath| {
            let own = self.workspace.attributes(path)?;
            Ok(own.map(|own| own.mode))
        };
        for step in steps(still, &stage, mode)? {
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

/// Returns a file with staged work as a program finds it.
fn found(file: Difference) -> ProgramFile {
    let content = file.after.and_then(|text| {
        if text.is_link() {
            return Some(ProgramContent::Link(text.bytes().to_vec()));
        }
        let mode = file.mode.map(|mode| mode.to);
        text.encoded()
            .map(|bytes| ProgramContent::File { bytes, mode })
    });
    ProgramFile {
        path: file.path.to_string(),
        content,
        base: ProgramBase::Current,
        folders_gone: file.folders_gone,
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

#[cfg(test)]
mod tests;
