//! Patches in diff-match-patch format: the strategy `diff` of kind `dmp`.
//!
//! In: patch text. Out: a plan of the runs that change. Each stretch is found as it is, nearest
//! to its offset; else by what changes and the lines beside it; else by its lines, down the ladder.

mod parse;
mod seated;

use parse::{PatchStretch, parse};

use super::outcome::{
    OrAnswer, absent, already, created, found, invalid, refused, several, together,
};
use super::rewrite::{self, RequestContext};
use super::{Evidence, MAX_CANDIDATES, Outcome, Plan};
use crate::budget::Budget;
use crate::disk::workspace::WorkspacePath;
use crate::edit::locate::context::{ChosenLine, How, choose};
use crate::edit::locate::loose::forms::{LineChange, OldNewLines};
use crate::edit::locate::loose::normal::letters;
use crate::edit::locate::loose::{LocateOutcome, Scope, Views};
use crate::edit::locate::view::LfView;
use crate::edit::locate::{Candidate, Rung, exact, ladder, nearest};
use crate::text::{Source, Splice};

/// How far around its offset a stretch is looked for where it is not as given, in characters:
/// further away, something else is as likely.
const REACH: usize = 2000;
/// Of several places as given, the one this near to the offset is meant.
const MISCOUNTED: usize = 8;
/// A stretch with fewer characters is not looked for beyond [`REACH`].
const SHORT: usize = 12;
/// Lines from its offset within which a stretch is taken that is not as given: it shows a few words of
/// its place, and what is like them stands all over a text.
const CLOSE_LINES: usize = 12;
/// A stretch with fewer letters is not known by its lines where one of them is not as given.
const LEAST: usize = 60;
/// Number of removed letters that identify the place of a stretch.
const MUCH: usize = 60;

/// Plans `patch` for the file at `path`.
pub(super) fn plan(
    budget: &Budget,
    path: &WorkspacePath,
    source: Option<&Source>,
    patch: &str,
) -> OrAnswer<Plan> {
    let mut stretches = parse(patch).map_err(invalid)?;
    // Where a change is at the edge of what fits one, diff-match-patch makes empty stretches.
    if stretches.iter().any(PatchStretch::is_change) {
        stretches.retain(PatchStretch::is_change);
    }
    let Some(source) = source else {
        return create(path, &stretches);
    };
    let searched = DmpText::new(source, budget)?;
    if searched.is_made(&stretches) {
        return Err(done());
    }
    let located = searched.locate(&stretches)?;
    splice(located)
}

/// A stretch that has a place.
struct LocatedStretch {
    splices: Vec<Splice>,
    evidence: Evidence,
    changes: usize,
}

fn create(path: &WorkspacePath, stretches: &[PatchStretch]) -> OrAnswer<Plan> {
    if !stretches.iter().all(|stretch| stretch.before().is_empty()) {
        return Err(absent(path));
    }
    let after: String = stretches.iter().map(PatchStretch::after).collect();
    Ok(created(&after))
}

fn done() -> Outcome {
    already("the patch is already applied")
}

struct DmpText<'a> {
    source: &'a Source,
    view: LfView<'a>,
    views: Views<'a>,
    beside: RequestContext,
    /// Where each character begins; none where every character is a byte.
    starts: Option<Vec<usize>>,
}

impl<'a> DmpText<'a> {
    fn new(source: &'a Source, budget: &'a Budget) -> OrAnswer<Self> {
        let text = source.text().map_err(|error| refused(error.to_string()))?;
        let view = LfView::new(text);
        let starts = (!view.text().is_ascii())
            .then(|| view.text().char_indices().map(|(at, _)| at).collect());
        Ok(Self {
            source,
            view,
            views: Views::new(source, budget),
            beside: RequestContext::default(),
            starts,
        })
    }
}

impl DmpText<'_> {
    /// Places all stretches. A place is known character by character, so what is found are splices.
    fn locate(&self, stretches: &[PatchStretch]) -> OrAnswer<Vec<LocatedStretch>> {
        let mut shift = 0;
        let located = stretches.iter().map(|stretch| {
            let hint = self.offset(stretch.at).saturating_add_signed(shift);
            match self.place(stretch, hint) {
                Ok((splices, evidence)) => {
                    shift = self.shift(stretch, hint).unwrap_or(shift);
                    Ok(Some(LocatedStretch {
                        splices,
                        evidence,
                        changes: stretch.parts,
                    }))
                }
                Err(Outcome::AlreadyApplied { .. }) => Ok(None),
                Err(outcome) => Err(outcome),
            }
        });
        let located = together(located, |index| format!("hunk {}", index + 1))?;
        Ok(located.into_iter().flatten().collect())
    }

    /// Returns whether the text is as the whole patch leaves it: whether the stretches can be taken
    /// back, the last one first, each at its own offset.
    fn is_made(&self, stretches: &[PatchStretch]) -> bool {
        let stands = |stretch: &PatchStretch| {
            let rest = self.view.text().get(self.offset(stretch.at)..);
            rest.is_some_and(|rest| rest.starts_with(&stretch.before()))
        };
        if stretches.iter().all(stands) {
            return false;
        }
        let mut text = self.view.text().to_owned();
        let mut stretches = stretches.iter().rev();
        stretches.all(|stretch| {
            let after = stretch.after();
            let at = if text.is_ascii() {
                Some(stretch.made_at)
            } else {
                text.char_indices().nth(stretch.made_at).map(|(at, _)| at)
            };
            let there = at.filter(|at| {
                let rest = text.get(*at..).unwrap_or_default();
                !after.trim().is_empty() && rest.starts_with(&after)
            });
            if let Some(at) = there {
                text.replace_range(at..at + after.len(), &stretch.before());
            }
            there.is_some()
        })
    }

    /// Returns how far a stretch stands from its offset, if it stands somewhere, as given, once.
    fn shift(&self, stretch: &PatchStretch, hint: usize) -> Option<isize> {
        let own = self.offset(stretch.at) as isize;
        let before = stretch.before();
        let rest = self.view.text().get(hint..).unwrap_or_default();
        if rest.starts_with(&before) {
            return Some(hint as isize - own);
        }
        match exact::places(self.view.text(), &before).as_slice() {
            [at] => Some(*at as isize - own),
            _ => None,
        }
    }

    fn place(
        &self,
        stretch: &PatchStretch,
        hint: usize,
    ) -> Result<(Vec<Splice>, Evidence), Outcome> {
        let (before, after) = (stretch.before(), stretch.after());
        if !stretch.is_change() {
            return Err(Outcome::Invalid {
                why: "the stretch changes nothing".into(),
            });
        }
        if before.is_empty() {
            return self.alone(stretch);
        }
        let rest = self.view.text().get(hint..).unwrap_or_default();
        let places = if rest.starts_with(&before) {
            vec![hint]
        } else {
            exact::places(self.view.text(), &before)
        };
        match choose(places.clone(), Some(hint)) {
            // Offsets move with every character that comes or goes above them.
            ChosenLine::One {
                how: How::NearestNumber { off },
                ..
            } if off.unsigned_abs() > MISCOUNTED => Err(self.ambiguous(&places)),
            ChosenLine::One { line: at, how } if self.is_within_reach(&before, at, hint) => {
                self.exactly(stretch, at, how, &after)
            }
            ChosenLine::Many(places) => Err(self.ambiguous(&places)),
            _ => self.loosely(stretch, &before, &after, hint),
        }
    }

    /// Returns the byte of the view at which character `count` of it stands.
    fn offset(&self, count: usize) -> usize {
        let end = self.view.text().len();
        match &self.starts {
            Some(starts) => starts.get(count).copied().unwrap_or(end),
            None => count.min(end),
        }
    }

    fn is_within_reach(&self, before: &str, at: usize, hint: usize) -> bool {
        at.abs_diff(hint) <= REACH || before.trim().chars().count() >= SHORT
    }

    /// A stretch without anything that stays or goes has a place only in an empty text.
    fn alone(&self, stretch: &PatchStretch) -> Result<(Vec<Splice>, Evidence), Outcome> {
        if !self.view.text().is_empty() {
            let why = "the patch has text to put in but none beside which it goes".into();
            return Err(Outcome::Invalid { why });
        }
        Ok((
            self.splices(stretch, Some),
            Evidence::new(Rung::Exact, "empty file"),
        ))
    }

    fn exactly(
        &self,
        stretch: &PatchStretch,
        at: usize,
        how: How,
        after: &str,
    ) -> Result<(Vec<Splice>, Evidence), Outcome> {
        if self.is_made_at(&stretch.before(), after, at) {
            return Err(Outcome::AlreadyApplied { why: String::new() });
        }
        let how = match how {
            How::AtNumber => "at the offset given",
            How::Unique { .. } => "the only place that matches",
            How::NearestNumber { .. } => "near the offset given",
        };
        Ok((
            self.splices(stretch, |byte| Some(at + byte)),
            Evidence::new(Rung::Exact, how),
        ))
    }

    /// Returns whether `before`, which stands at byte `at`, stands there as a part of `after`.
    fn is_made_at(&self, before: &str, after: &str, at: usize) -> bool {
        let shifts = exact::places(after, before);
        shifts.iter().any(|shift| {
            let start = at
                .checked_sub(*shift)
                .and_then(|start| self.view.text().get(start..));
            start.is_some_and(|rest| rest.starts_with(after))
        })
    }

    fn loosely(
        &self,
        stretch: &PatchStretch,
        before: &str,
        after: &str,
        hint: usize,
    ) -> Result<(Vec<Splice>, Evidence), Outcome> {
        let made = choose(exact::places(self.view.text(), after), Some(hint));
        let is_made = |at: usize| {
            let near = at.abs_diff(hint) <= MISCOUNTED && !after.trim().is_empty();
            near || stretch.tells_made() && self.is_within_reach(after, at, hint)
        };
        if matches!(made, ChosenLine::One { line: at, .. } if is_made(at)) {
            return Err(Outcome::AlreadyApplied { why: String::new() });
        }
        if let Some(placed) = self.seated(stretch, before, hint) {
            return placed;
        }
        let number = Some(self.source.line_of(self.view.real(hint..hint).start));
        let scope = Scope {
            from: 0,
            to: self.source.line_count(),
            number,
            all: false,
        };
        let asked = [LineChange::Texts(OldNewLines::new(before, after))];
        match ladder::find(&self.views, &asked, scope)? {
            LocateOutcome::At(matches) => {
                let Some(found) = matches.into_iter().next() else {
                    return Err(self.missing(before)?);
                };
                let line = found.alignment.first().unwrap_or_default();
                let far = number.is_some_and(|number| number.abs_diff(line) > CLOSE_LINES)
                    && stretch.removed_letters() < MUCH;
                let unsure = letters(before) < LEAST || !stretch.tells();
                if far || found.finding.score.is_some() && unsure {
                    return Err(self.missing(before)?);
                }
                let splices =
                    rewrite::splices(self.views.budget(), self.source, &found, &self.beside)
                        .map_err(|unsure| unsure.outcome(self.source))?;
                Ok((splices, found.finding))
            }
            LocateOutcome::Done | LocateOutcome::There(_) => {
                Err(Outcome::AlreadyApplied { why: String::new() })
            }
            LocateOutcome::Many(lines, _) => {
                let why = "the text around the change is there several times".into();
                Err(several(self.source, why, &lines))
            }
            LocateOutcome::Missing => Err(self.missing(before)?),
        }
    }

    /// Makes the splices of a stretch; `place` leads from its bytes to those of the view.
    fn splices(
        &self,
        stretch: &PatchStretch,
        place: impl Fn(usize) -> Option<usize>,
    ) -> Vec<Splice> {
        stretch
            .changes()
            .into_iter()
            .filter_map(|(range, new)| {
                let at = place(range.start)?;
                Some(self.view.splice(self.source, at..at + range.len(), &new))
            })
            .collect()
    }

    fn ambiguous(&self, places: &[usize]) -> Outcome {
        let start = |at: &usize| self.view.real(*at..*at).start;
        Outcome::Ambiguous {
            why: format!("the text around the change is there {} times", places.len()),
            candidates: Candidate::each(self.source, places.iter().take(MAX_CANDIDATES).map(start)),
        }
    }

    fn missing(&self, before: &str) -> OrAnswer<Outcome> {
        Ok(Outcome::NotFound {
            why: "the text around the change is not in the file".into(),
            nearest: nearest::nearest(self.views.budget(), self.source, before)?,
        })
    }
}

fn splice(located: Vec<LocatedStretch>) -> OrAnswer<Plan> {
    let changes = located.iter().map(|one| one.changes).sum();
    let evidence = located.iter().map(|one| one.evidence.clone());
    let evidence = evidence.reduce(Evidence::weaker).ok_or_else(done)?;
    let splices = located.into_iter().flat_map(|one| one.splices);
    found(splices.collect(), evidence, changes)
}

#[cfg(test)]
mod tests;
