//! Payload drafts: payloads that are planned without the engine's lock.
//!
//! In: changes one after another, each with its text as the ones before it leave that. Out: what
//! became of each, for the engine to stage. Nothing here needs the engine, so that others have it
//! meanwhile.

use std::collections::BTreeMap;

use super::propose::SubmittedPayload;
use super::rules::FolderRules;
use super::texts::Texts;
use crate::budget::Budget;
use crate::disk::workspace::{MAX_FILE_BYTES, WorkspacePath};
use crate::edit::guard;
use crate::edit::intent::Operation;
use crate::edit::plan::{
    self, Attempted, Companions, Outcome, Part, PayloadFacts, Plan, PlanContext, Presence, Strategy,
};
use crate::edit::request::Change;
use crate::engine::{EngineError, FileAnswer};
use crate::syntax::SyntaxCache;
use crate::text::{EditSet, MisplacedRange, Source, placed};

/// Error for a request that uses up its step budget.
pub(super) const TOO_MUCH: &str = "this takes too much work: the lines are very long, or too many \
     places are alike; copy the text exactly as it is in the file, with what stands around it, \
     use line numbers, or ask for less in one call";

/// Error for a request that met a bug of signoff.
const MISPLACED: &str = "signoff made a mistake here: a range does not lie in its text; nothing \
     of this is staged. Ask for the change in another way, and tell the user to report it";

/// A payload that is being planned.
pub struct PayloadDraft {
    pub(in crate::engine) asked: SubmittedPayload,
    pub(in crate::engine) parts: Vec<Part>,
    pub(in crate::engine) texts: Texts,
    pub(in crate::engine) results: Vec<FileAnswer>,
    pub(super) ready: Vec<ReadyChange>,
    /// What the changes were planned on: files as they were, places of moves as free.
    pub(in crate::engine) read: Vec<(WorkspacePath, Option<Source>)>,
    /// What other files of the payload have told of its changes.
    pub(super) facts: PayloadFacts,
    /// The rules of the folders around the files.
    pub(super) rules: FolderRules,
    /// Why nothing of it is written without a look, if so.
    pub(super) held: Option<String>,
    budget: Budget,
    syntax: SyntaxCache,
}

/// A change of a payload that is to be planned.
pub struct Unplanned {
    pub(in crate::engine) change: Change,
    pub(super) site: Site,
    /// Other files that it is planned with.
    pub(super) companions: Companions,
}

/// A change that can be staged.
pub(super) struct ReadyChange {
    pub(in crate::engine) at: usize,
    pub(in crate::engine) path: WorkspacePath,
    pub(in crate::engine) operation: Operation,
    pub(in crate::engine) strategy: Strategy,
    pub(in crate::engine) plan: Plan,
    pub(in crate::engine) to: Option<WorkspacePath>,
    /// The file as the request names it, where links lead from there to it.
    pub(super) named: Option<WorkspacePath>,
    /// True if the request says that the file is to be empty.
    pub(super) empties: bool,
}

/// A change that may be planned: its file, the text to plan it on, and where the file goes.
pub(super) struct Site {
    pub(in crate::engine) path: WorkspacePath,
    pub(in crate::engine) text: Option<Source>,
    pub(in crate::engine) to: Option<WorkspacePath>,
    /// The file as the request names it, where links lead from there to it.
    pub(super) named: Option<WorkspacePath>,
}

impl PayloadDraft {
    pub(in crate::engine) fn new(
        asked: SubmittedPayload,
        parts: Vec<Part>,
        budget: Budget,
        syntax: SyntaxCache,
    ) -> Self {
        Self {
            asked,
            results: Vec::with_capacity(parts.len()),
            parts,
            texts: Texts::default(),
            ready: Vec::new(),
            read: Vec::new(),
            facts: PayloadFacts::default(),
            rules: FolderRules::default(),
            held: None,
            budget,
            syntax,
        }
    }

    /// Returns the part that comes next: the first of which nothing is known yet.
    pub(in crate::engine) fn part(&self) -> Option<&Part> {
        self.parts.get(self.results.len())
    }

    /// Takes what becomes of the next part, which needs no planning.
    pub(in crate::engine) fn known(&mut self, change: &Change, outcome: Outcome) {
        let attempted = attempted(change, outcome);
        self.results.push(FileAnswer::of(&change.file, &attempted));
    }

    /// Notes what a change is planned on, unless that is what earlier changes have left.
    pub(super) fn note(&mut self, site: &Site) {
        if !self.texts.contains_key(&site.path) {
            self.read.push((site.path.clone(), site.text.clone()));
        }
        self.read.extend(site.to.clone().map(|to| (to, None)));
    }

    /// Plans a change, and notes what it leaves of its file.
    pub fn plan(&mut self, unplanned: Unplanned) -> Result<(), EngineError> {
        let Unplanned {
            mut change,
            site,
            companions,
        } = unplanned;
        let context = PlanContext::new(&self.syntax, &self.budget);
        let planned = placed(|| {
            self.facts.tell(&mut change, companions, context.syntax());
            plan::attempt(&context, &site.path, site.text.as_ref(), &change)
        });
        let mut attempted = planned.unwrap_or_else(|MisplacedRange| misplaced(&change));
        if let Outcome::Planned(plan) = &attempted.outcome {
            match &site.to {
                Some(to) => self.texts.moved(&site.path, site.text.as_ref(), to),
                None => match after(&site, plan)? {
                    After::Text(now) => {
                        let now = Some(now);
                        self.texts.edited(&site.path, site.text.as_ref(), now);
                    }
                    After::Deleted => self.texts.edited(&site.path, site.text.as_ref(), None),
                    After::Refused(why) => attempted.outcome = Outcome::Refused { why },
                },
            }
        }
        let at = self.results.len();
        let strategy = attempted.strategy;
        self.results.push(FileAnswer::of(&change.file, &attempted));
        if let Outcome::Planned(plan) = attempted.outcome {
            let Site {
                path, to, named, ..
            } = site;
            let operation = match to {
                Some(_) => Operation::Move,
                None => operation(&plan, strategy),
            };
            self.ready.push(ReadyChange {
                at,
                path,
                operation,
                strategy,
                plan,
                to,
                named,
                empties: guard::asks_for_empty(&change),
            });
        }
        Ok(())
    }

    /// Lets the guards look at what all changes together make of each file, and the rules.
    pub fn check(&mut self) {
        let Self {
            asked,
            texts,
            ready,
            results,
            rules,
            budget,
            syntax,
            ..
        } = self;
        let guarded = placed(|| guard_all(&syntax.within(budget), texts, ready, results));
        // What the guards did not see to its end must not be staged.
        if let Some(last) = results.last_mut().filter(|_| budget.is_over()) {
            last.refuse(TOO_MUCH);
        }
        if let Some(last) = results.last_mut().filter(|_| guarded.is_err()) {
            last.refuse(MISPLACED);
        }
        for (at, alarm) in rules.alarms(ready, texts, &asked.origin.proposer) {
            if let Some(result) = results.get_mut(at) {
                result.note_rule(alarm);
            }
        }
    }
}

/// What a plan leaves of a file.
enum After {
    Text(Source),
    Deleted,
    /// No file can hold it, for this reason.
    Refused(String),
}

/// Returns what a plan leaves of its file.
fn after(Site { path, text, .. }: &Site, plan: &Plan) -> Result<After, EngineError> {
    let bytes = plan
        .edits
        .apply(text.as_ref().map_or(&[][..], Source::bytes))?;
    if bytes.len() as u64 > MAX_FILE_BYTES {
        return Ok(After::Refused(format!(
            "{path} would have {} bytes; the limit is {MAX_FILE_BYTES}",
            bytes.len()
        )));
    }
    if plan.presence == Presence::Deleted {
        return Ok(After::Deleted);
    }
    let now = match text {
        Some(text) => text.with_bytes(bytes),
        None => Source::new(bytes),
    };
    match now.encoded() {
        Some(_) => Ok(After::Text(now)),
        None => Ok(After::Refused(format!(
            "{path} is in {}, which does not have all characters of the new text",
            now.encoding()
        ))),
    }
}

fn attempted(change: &Change, outcome: Outcome) -> Attempted {
    Attempted {
        outcome,
        strategy: change.request.strategy(),
        others: Vec::new(),
    }
}

/// Returns the answer to a change whose planning met a bug of signoff.
pub(in crate::engine) fn misplaced(change: &Change) -> Attempted {
    let why = MISPLACED.to_owned();
    attempted(change, Outcome::Refused { why })
}

/// Lets the guards look at what all changes together make of each file: one of them may break
/// what a later one mends. Alarms go to the last change of their file.
fn guard_all(
    cache: &SyntaxCache,
    texts: &Texts,
    ready: &[ReadyChange],
    results: &mut [FileAnswer],
) {
    let mut by_path: BTreeMap<&WorkspacePath, Vec<&ReadyChange>> = BTreeMap::new();
    for change in ready {
        match &change.to {
            // What was done to the file before it was moved is looked at where it goes.
            Some(to) => {
                let own = by_path.remove(&change.path).unwrap_or_default();
                by_path.entry(to).or_default().extend(own);
            }
            None => by_path.entry(&change.path).or_default().push(change),
        }
    }
    for (path, changes) in by_path {
        let (Some(text), Some((first, rest))) = (texts.get(path), changes.split_first()) else {
            continue;
        };
        let (mut last, mut edits) = (first.at, first.plan.edits.clone());
        for change in rest {
            last = change.at;
            edits = edits.compose(&change.plan.edits).unwrap_or_else(|_misfit| {
                EditSet::between(
                    text_or_empty(&text.first).bytes(),
                    text_or_empty(&text.now).bytes(),
                )
            });
        }
        let Some(result) = results.get_mut(last) else {
            continue;
        };
        let strategy = result.strategy_used;
        let mut alarms = guard::inspect(
            cache,
            path,
            text.first.as_ref(),
            text.now.as_ref(),
            &edits,
            strategy,
        );
        if changes.iter().any(|change| change.empties) {
            guard::accept_empty(&mut alarms);
        }
        if let Some(why) = guard::refusal(&alarms) {
            result.refuse(&why);
        }
        result.note_alarms(alarms);
    }
}

fn text_or_empty(text: &Option<Source>) -> Source {
    text.clone().unwrap_or(Source::new(""))
}

fn operation(plan: &Plan, strategy: Strategy) -> Operation {
    match (plan.presence, strategy) {
        (Presence::Created, _) => Operation::Create,
        (Presence::Linked, _) => Operation::Link,
        (Presence::Deleted, _) => Operation::Delete,
        (Presence::Kept, Strategy::Whole) => Operation::Rewrite,
        (Presence::Kept, _) => Operation::Modify,
    }
}
