//! Plans exact old-text/new-text replacements: the strategy `section`.
//!
//! In: pairs of old and new text. Out: a plan, if each old text is there exactly once (or all
//! are meant). Old and new are compared first: only what differs between them is written,
//! with the file's own line endings; the rest of the request is context.

mod difference;
mod places;

use std::collections::HashSet;

use super::outcome::{
    OrAnswer, already, created, found, invalid, not_found, refused, several, together,
};
use super::rewrite::{self, RequestContext};
use super::template::MAX_GROWTH;
use super::{Evidence, Outcome, Plan};
use crate::budget::Budget;
use crate::disk::workspace::WorkspacePath;
use crate::edit::locate::loose::forms::{LineChange, OldNewLines, unescape, unescaping};
use crate::edit::locate::loose::normal::Level;
use crate::edit::locate::loose::{LocateOutcome, LooseMatch, Scope, Views};
use crate::edit::locate::script::Alignment;
use crate::edit::locate::view::LfView;
use crate::edit::locate::{Rung, ladder, nearest};
use crate::edit::request::{MatchScope, Pair, SectionRequest};
use crate::text::indent::Lead;
use crate::text::{Slice, Source, Splice};

/// Plans `request` for `source`, or for a new file.
pub(super) fn plan(
    budget: &Budget,
    path: &WorkspacePath,
    source: Option<&Source>,
    request: &SectionRequest,
) -> OrAnswer<Plan> {
    let Some(source) = source else {
        return create(path, request);
    };
    let searched = SectionText::new(source, budget)?;
    let pairs = parse(request)?;
    let places = locate(&searched, pairs)?;
    splice(&searched, &places)
}

/// Only a pair with an empty old text makes sense of a file that does not exist.
fn create(path: &WorkspacePath, request: &SectionRequest) -> OrAnswer<Plan> {
    match request.edits.as_slice() {
        [Pair { old, new, .. }] if old.is_empty() => Ok(created(new)),
        _ => Err(not_found(format!(
            "{path} does not exist; a file is made from its whole text, or by one edit with an empty \
             old text"
        ))),
    }
}

/// Reads the pairs with `\n` for every line ending.
fn parse(request: &SectionRequest) -> OrAnswer<Vec<Pair>> {
    let count = request.edits.len();
    let pairs = request.edits.iter().enumerate().map(|(index, pair)| {
        let pair = Pair {
            old: pair.old.replace("\r\n", "\n"),
            new: pair.new.replace("\r\n", "\n"),
            scope: pair.scope,
        };
        if pair.old == pair.new {
            Err(numbered(
                invalid("old and new text are the same"),
                index,
                count,
            ))
        } else {
            Ok(pair)
        }
    });
    pairs.collect()
}

/// A text and how pairs are matched against it.
struct SectionText<'a> {
    source: &'a Source,
    view: LfView<'a>,
    views: Views<'a>,
}

/// Where a pair applies.
struct LocatedPair {
    pair: Pair,
    place: PairPlace,
}

enum PairPlace {
    /// Letter by letter, at these offsets in the view.
    Exact(Vec<usize>),
    /// On lines that were found further down the ladder.
    Lines(Vec<LooseMatch>),
    /// The new text is there already.
    Made,
}

/// Places all pairs. What one shows of how the request is escaped counts for the others.
fn locate(searched: &SectionText<'_>, pairs: Vec<Pair>) -> OrAnswer<Vec<LocatedPair>> {
    let located = locate_each(searched, pairs)?;
    let escaped = located.iter().find_map(|one| one.place.escaped());
    match escaped.and_then(|which| evenly_unescaped(&located, which)) {
        Some(even) => locate_each(searched, even),
        None => Ok(located),
    }
}

fn locate_each(searched: &SectionText<'_>, pairs: Vec<Pair>) -> OrAnswer<Vec<LocatedPair>> {
    let located = pairs.into_iter().map(|pair| {
        let place = searched.locate(&pair)?;
        Ok(LocatedPair { pair, place })
    });
    together(located, name)
}

/// Where one pair turned out to be escaped once too often, those whose old text does not show it
/// are so as well. None if there is no such pair.
fn evenly_unescaped(located: &[LocatedPair], which: &str) -> Option<Vec<Pair>> {
    let mut changed = false;
    let even = located.iter().map(|LocatedPair { pair, .. }| {
        let mut even = pair.clone();
        if !pair.old.contains('\\') {
            even.new = unescape(&pair.new, which);
        }
        changed |= even != *pair;
        even
    });
    let even = even.collect();
    changed.then_some(even)
}

impl PairPlace {
    /// Returns the characters from which a level of escaping was taken away, if it was.
    fn escaped(&self) -> Option<&'static str> {
        match self {
            Self::Lines(matches) => unescaping(&matches.first()?.undone),
            Self::Exact(_) | Self::Made => None,
        }
    }
}

impl<'a> SectionText<'a> {
    fn new(source: &'a Source, budget: &'a Budget) -> OrAnswer<Self> {
        let text = source.text().map_err(|error| refused(error.to_string()))?;
        Ok(Self {
            source,
            view: LfView::new(text),
            views: Views::new(source, budget),
        })
    }
}

impl SectionText<'_> {
    /// Places a pair letter by letter, else further down the ladder.
    fn locate(&self, pair: &Pair) -> OrAnswer<PairPlace> {
        match places::locate(self.source, &self.view, pair)? {
            PairPlace::Exact(places)
                if places.is_empty() || self.leaves_indentation(&places, pair) =>
            {
                self.loosely(pair)
            }
            PairPlace::Exact(places) if self.tears_a_line(&places, pair) => self.loosely(&Pair {
                old: format!("{}\n", pair.old),
                new: format!("{}\n", pair.new),
                scope: pair.scope,
            }),
            place => Ok(place),
        }
    }

    /// Refuses whole lines at byte `at` of which a part stands there as it would be after the change.
    fn refuse_half(&self, at: usize, pair: &Pair) -> OrAnswer<()> {
        let head = self.view.text().slice(..at);
        let begins = head.is_empty() || head.ends_with('\n');
        let tail = self.view.text().slice(at + pair.old.len()..);
        let closed = pair.old.ends_with('\n');
        let ends = closed || tail.is_empty() || tail.starts_with('\n');
        if !begins || !ends || closed != pair.new.ends_with('\n') || !pair.new.contains('\n') {
            return Ok(());
        }
        let asked = LineChange::Texts(OldNewLines::new(&pair.old, &pair.new));
        let script = asked.script(self.views.budget(), Level::Exact);
        let line = self.source.line_of(self.view.real(at..at).start);
        let alignment = Alignment::solid(line, script.before().count());
        let half = rewrite::refuse_half(self.views.budget(), self.source, &script, &alignment);
        half.map_err(|unsure| unsure.outcome(self.source))
    }

    /// Returns whether whole lines are put behind a text of several lines that ends in the middle of a line of the
    /// file: `a\nb` becomes `a\nb\nx` where the file has `a\nb more`. Then `b` is the line with a word missing, and
    /// letter by letter `x` would come before that word. Behind a sign, as in `f(`, the line is meant to be broken.
    fn tears_a_line(&self, places: &[usize], pair: &Pair) -> bool {
        let added = pair.new.strip_prefix(pair.old.as_str());
        let is_added =
            added.is_some_and(|added| added.starts_with('\n') && !added.trim().is_empty());
        let is_line = |c: char| c.is_alphanumeric() || c.is_whitespace();
        if !is_added || !pair.old.contains('\n') || !pair.old.ends_with(is_line) {
            return false;
        }
        places.iter().all(|at| {
            let tail = self.view.text().slice(at + pair.old.len()..);
            !pair.old.ends_with('\n') && !tail.is_empty() && !tail.starts_with('\n')
        })
    }

    /// Returns whether the old text is one line without all of its indentation, which the new text does
    /// not have either on the lines that it puts below: then lines are meant, and they are to be
    /// indented. For `    x = 1` in the file, `x = 1` becomes `x = 1\ny = 2`. A further line of the old
    /// text shows how the request is indented, and what comes below a blank line may be another block.
    fn leaves_indentation(&self, places: &[usize], pair: &Pair) -> bool {
        let own = pair.old.len() - pair.old.trim_start_matches([' ', '\t']).len();
        let shown = pair
            .old
            .lines()
            .skip(1)
            .any(|line| line.starts_with([' ', '\t']));
        if shown || !pair.new.trim_end().contains('\n') {
            return false;
        }
        let leads: HashSet<&str> = places
            .iter()
            .filter_map(|at| {
                let missing = places::lead(self.view.text(), *at)?;
                let text = self.view.text().get(at - missing.len()..at + own);
                text.filter(|_| !missing.is_empty())
            })
            .collect();
        leads.into_iter().any(|lead| {
            let mut beside = pair
                .new
                .lines()
                .skip(1)
                .take_while(|line| !line.trim().is_empty());
            beside.any(|line| !line.starts_with(lead))
        })
    }

    /// Names the word that keeps a text from standing in the file, if it is only one.
    fn one_word(&self, old: &str) -> OrAnswer<String> {
        let word = nearest::word::one_word(self.views.budget(), self.source, old)?;
        Ok(word.map_or_else(String::new, |word| word.words()))
    }

    /// Goes down the ladder with a pair whose old text is not in the file as it is written.
    fn loosely(&self, pair: &Pair) -> OrAnswer<PairPlace> {
        let asked = [LineChange::Texts(OldNewLines::new(&pair.old, &pair.new))];
        let scope = Scope {
            from: 0,
            to: self.source.line_count(),
            number: None,
            all: pair.scope == MatchScope::All,
        };
        match ladder::find(&self.views, &asked, scope)? {
            LocateOutcome::At(matches) => Ok(PairPlace::Lines(matches)),
            LocateOutcome::Done | LocateOutcome::There(_) => Ok(PairPlace::Made),
            LocateOutcome::Many(lines, how) => {
                let count = lines.len();
                let why = format!(
                    "the old text is not there as written, but {count} times {how}; add lines that tell which is meant"
                );
                Err(several(self.source, why, &lines))
            }
            // What only goes leaves nothing that would show that it went.
            LocateOutcome::Missing
                if !pair.old.contains(&pair.new) && places::is_there(self.view.text(), pair) =>
            {
                Ok(PairPlace::Made)
            }
            LocateOutcome::Missing => Err(Outcome::NotFound {
                why: format!(
                    "the old text is not in the file{}",
                    self.one_word(&pair.old)?
                ),
                nearest: nearest::nearest(self.views.budget(), self.source, &pair.old)?,
            }),
        }
    }
}

/// What one pair becomes.
struct Spliced {
    splices: Vec<Splice>,
    changes: usize,
    evidence: Evidence,
}

/// Writes all pairs. What one shows of the file's indentation counts for the others.
fn splice(searched: &SectionText<'_>, located: &[LocatedPair]) -> OrAnswer<Plan> {
    let beside = beside(searched, located);
    let (mut splices, mut changes, mut already_there) = (Vec::new(), 0, 0);
    let mut evidence: Option<Evidence> = None;
    for (index, one) in located.iter().enumerate() {
        let spliced = match &one.place {
            PairPlace::Exact(places) => searched.exactly(places, &one.pair),
            PairPlace::Lines(matches) => searched.on_lines(matches, &beside),
            PairPlace::Made => Ok(None),
        };
        match spliced.map_err(|outcome| numbered(outcome, index, located.len()))? {
            Some(spliced) => {
                changes += spliced.changes;
                splices.extend(spliced.splices);
                evidence = Some(match evidence {
                    Some(known) => known.weaker(spliced.evidence),
                    None => spliced.evidence,
                });
            }
            None => already_there += 1,
        }
    }
    let mut evidence = evidence.ok_or_else(|| already("the new text is already there"))?;
    if already_there > 0 {
        let count = located.len();
        evidence.how = format!("{}; {already_there} of {count} already there", evidence.how);
    }
    found(splices, evidence, changes)
}

fn beside(searched: &SectionText<'_>, located: &[LocatedPair]) -> RequestContext {
    let leads: Vec<_> = located
        .iter()
        .filter_map(|one| match &one.place {
            PairPlace::Lines(matches) => matches
                .first()
                .map(|found| rewrite::leads(searched.source, found)),
            PairPlace::Exact(_) | PairPlace::Made => None,
        })
        .flatten()
        .collect();
    if located.len() > 1 && !leads.iter().all(Lead::is_kept) {
        RequestContext::of(leads)
    } else {
        RequestContext::default()
    }
}

impl SectionText<'_> {
    fn exactly(&self, places: &[usize], pair: &Pair) -> OrAnswer<Option<Spliced>> {
        let put = places.len().saturating_mul(pair.new.len());
        if places.len() > 1 && put > MAX_GROWTH {
            return Err(refused(format!(
                "at {} places the new text would be {put} bytes; the limit is {MAX_GROWTH}",
                places.len()
            )));
        }
        if let [at] = places {
            self.refuse_half(*at, pair)?;
        }
        let splices: Vec<Splice> = places
            .iter()
            .flat_map(|at| difference::splices(self.source, &self.view, *at, pair))
            .collect();
        let changes = match pair.scope {
            MatchScope::Single => 1,
            MatchScope::All => splices.len(),
        };
        Ok(Some(Spliced {
            splices,
            changes,
            evidence: Evidence::new(Rung::Exact, "exact"),
        }))
    }

    fn on_lines(
        &self,
        matches: &[LooseMatch],
        beside: &RequestContext,
    ) -> OrAnswer<Option<Spliced>> {
        let mut splices = Vec::new();
        for found in matches {
            let own = rewrite::splices(self.views.budget(), self.source, found, beside);
            splices.extend(own.map_err(|unsure| unsure.outcome(self.source))?);
        }
        splices.retain(|splice| splice.old != splice.new);
        let first = matches.first().filter(|_| !splices.is_empty());
        Ok(first.map(|first| Spliced {
            splices,
            changes: matches.len(),
            evidence: first.finding.clone(),
        }))
    }
}

fn numbered(outcome: Outcome, index: usize, count: usize) -> Outcome {
    outcome.of_part(|| name(index), count)
}

fn name(index: usize) -> String {
    format!("edits[{index}]")
}

#[cfg(test)]
mod copied;
#[cfg(test)]
mod noise;
#[cfg(test)]
mod surroundings;

#[cfg(test)]
mod tests;
