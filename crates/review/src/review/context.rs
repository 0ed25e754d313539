//! Lines around hunks that the user opened.
//!
//! In: keys, and lines of files as the engine tells them. Out: which lines are wanted, and those that are shown above
//! and below a hunk. They are no part of the hunk: no verdict waits until they were displayed.

use std::collections::HashMap;

use signoff_core::edit::diff::line::DiffLine;
use signoff_core::engine::{AroundRequest, LinesAround, MOST_AROUND};
use signoff_core::id::HunkId;
use signoff_core::plural::thousands;
use signoff_core::syntax::tokens::Token;

use super::review_file::{ReviewFile, proposals};

/// How many lines there are above a hunk and below it after each press of the key: a screen's half, some screens, and
/// the whole of most files.
const STEPS: [usize; 4] = [20, 100, 1_000, MOST_AROUND];

/// What is open of the context.
#[derive(Debug, Default)]
pub(super) struct OpenContext {
    open: HashMap<HunkId, Around>,
    wanted: Option<AroundRequest>,
}

/// The lines above and below a hunk.
#[derive(Debug)]
struct Around {
    /// How many were asked for on each side.
    asked: usize,
    above: Vec<DiffLine>,
    below: Vec<DiffLine>,
    above_tokens: Vec<Vec<Token>>,
    below_tokens: Vec<Vec<Token>>,
    /// There are no more.
    is_all: bool,
}

impl OpenContext {
    /// Returns the lines above and below a hunk.
    pub(super) fn around(&self, hunk: HunkId) -> [&[DiffLine]; 2] {
        let around = self.open.get(&hunk);
        around.map_or([&[], &[]], |around| [&around.above, &around.below])
    }

    /// Returns the tokens of the lines above a hunk, or below it.
    pub(super) fn tokens(&self, hunk: HunkId, is_below: bool) -> &[Vec<Token>] {
        match self.open.get(&hunk) {
            Some(around) if is_below => &around.below_tokens,
            Some(around) => &around.above_tokens,
            None => &[],
        }
    }

    /// Asks for more lines around a hunk; returns what there is to say.
    pub(super) fn open(&mut self, file: &ReviewFile, index: usize) -> Option<String> {
        let (proposal, own) = file.entry(index)?;
        let hunk = own.id;
        let known = self.open.get(&hunk);
        if known.is_some_and(|around| around.is_all) {
            return Some("There are no more lines around it".to_owned());
        }
        let asked = known.map_or(0, |around| around.asked);
        let Some(next) = STEPS.into_iter().find(|step| *step > asked) else {
            let most = thousands(MOST_AROUND as u64);
            return Some(format!("At most {most} lines are shown above and below"));
        };
        let beside = [index.checked_sub(1), index.checked_add(1)];
        let [before, after] = beside.map(|at| at.and_then(|at| file.hunk(at)));
        let request = AroundRequest::new(proposal, hunk, next);
        self.wanted = request.map(|request| request.between(own, before, after));
        let is_known = self.wanted.is_some();
        (!is_known).then(|| "There are no lines around it".to_owned())
    }

    /// Folds the lines around a hunk; returns what there is to say.
    pub(super) fn fold(&mut self, hunk: HunkId, key: &str) -> Option<String> {
        let was_open = self.open.remove(&hunk).is_some();
        (!was_open).then(|| format!("No extra lines are shown: {key} shows some"))
    }

    /// Returns once which lines are to be asked for.
    pub(super) fn wanted(&mut self) -> Option<AroundRequest> {
        self.wanted.take()
    }

    /// Takes over lines around a hunk; returns what there is to say.
    pub(super) fn take(&mut self, told: LinesAround) -> Option<String> {
        if let Some(why) = told.missing {
            self.open.remove(&told.hunk);
            return Some(format!("The lines around it cannot be shown: {why}"));
        }
        let before = self.open.get(&told.hunk);
        let count = |around: &Around| around.above.len() + around.below.len();
        let shown = before.map_or(0, count);
        let around = Around {
            asked: told.lines,
            is_all: told.above.len().max(told.below.len()) < told.lines && !told.is_cut,
            above: told.above,
            below: told.below,
            above_tokens: told.above_tokens,
            below_tokens: told.below_tokens,
        };
        let is_more = count(&around) > shown;
        self.open.insert(told.hunk, around);
        (!is_more).then(|| "There are no more lines around it".to_owned())
    }

    /// Takes over another list: what is open around hunks of a file that reads differently there is folded.
    pub(super) fn relist(&mut self, before: &[ReviewFile], after: &[ReviewFile]) {
        if self.open.is_empty() {
            return;
        }
        let before: HashMap<_, _> = proposals(before).map(|own| (own.id, own)).collect();
        let same = proposals(after).filter(|own| before.get(&own.id) == Some(own));
        let same: Vec<_> = same.map(|own| own.id).collect();
        self.open.retain(|hunk, _| same.contains(&hunk.proposal));
    }
}
