//! Old text becomes new text.
//!
//! In: pairs of old and new text. Out: a plan, if each old text is there exactly once (or all
//! are meant). Old and new are compared first: only what differs between them is written,
//! with the file's own line endings; the rest of the request is context.

mod difference;
mod places;

use std::collections::HashSet;

use super::rewrite::{self, Beside, Lead};
use super::{Evidence, MAX_CANDIDATES, Outcome, created};
use crate::locate::loose::forms::{Asked, Texts, unescape, unescaping};
use crate::locate::loose::normal::Level;
use crate::locate::loose::{Found, Match, Scope, Views};
use crate::locate::script::Alignment;
use crate::locate::view::LfView;
use crate::locate::{Candidate, Rung, exact, ladder, nearest};
use crate::request::{MatchScope, Pair, SectionRequest};
use crate::text::{Source, Splice};
use crate::workspace::WorkspacePath;

/// New text at all places together has at most so many bytes.
const MAX_PUT: usize = 8 * 1024 * 1024;

/// Plans `request` for `source`.
pub(super) fn plan(source: &Source, request: &SectionRequest) -> Outcome {
    let Ok(text) = source.text() else {
        return Outcome::Refused {
            why: "not text".into(),
        };
    };
    let desk = Desk {
        source,
        view: LfView::new(text),
        views: Views::new(source),
    };
    let pairs: Vec<Pair> = request.edits.iter().map(with_lf).collect();
    match desk.together(&pairs) {
        Ok(found) => found.outcome(pairs.len()),
        Err(outcome) => outcome,
    }
}

fn with_lf(pair: &Pair) -> Pair {
    Pair {
        old: pair.old.replace("\r\n", "\n"),
        new: pair.new.replace("\r\n", "\n"),
        scope: pair.scope,
    }
}

/// Where one pair turned out to be escaped once too often, those whose old text does not show it
/// are so as well. None if there is no such pair.
fn evenly_unescaped(pairs: &[Pair], which: &str) -> Option<Vec<Pair>> {
    let even = |pair: &Pair| match pair.old.contains('\\') {
        true => pair.clone(),
        false => Pair {
            old: pair.old.clone(),
            new: unescape(&pair.new, which),
            scope: pair.scope,
        },
    };
    let made: Vec<Pair> = pairs.iter().map(even).collect();
    (made != pairs).then_some(made)
}

/// What all pairs of a request become.
#[derive(Default)]
struct Tally {
    splices: Vec<Splice>,
    evidence: Option<Evidence>,
    already: usize,
    changes: usize,
    /// The characters from which one pair had a level of escaping taken away.
    escaped: Option<&'static str>,
    /// How indented lines of the pairs are indented in the file, where that was looked through.
    leads: Vec<Lead>,
}

impl Tally {
    fn outcome(self, pairs: usize) -> Outcome {
        let Some(mut evidence) = self.evidence else {
            return Outcome::AlreadyApplied {
                why: "the new text is already there".into(),
            };
        };
        if self.already > 0 {
            evidence.how = format!(
                "{}; {} of {pairs} already there",
                evidence.how, self.already
            );
        }
        super::found(self.splices, evidence, self.changes)
    }
}

/// A text and how pairs are matched against it.
struct Desk<'a> {
    source: &'a Source,
    view: LfView<'a>,
    views: Views<'a>,
}

/// What one pair becomes.
struct Located {
    places: usize,
    found: Evidence,
    splices: Vec<Splice>,
    escaped: Option<&'static str>,
    leads: Vec<Lead>,
}

impl Desk<'_> {
    /// Places all pairs. What one shows of how the request is written counts for the others.
    fn together(&self, pairs: &[Pair]) -> Result<Tally, Outcome> {
        let plain = Beside::default();
        let mut found = self.all(pairs, &plain)?;
        let even = found
            .escaped
            .and_then(|which| evenly_unescaped(pairs, which));
        let pairs = even.as_deref().unwrap_or(pairs);
        if even.is_some() {
            found = self.all(pairs, &plain)?;
        }
        if found.leads.iter().any(|(own, theirs)| own != theirs) && pairs.len() > 1 {
            found = self.all(pairs, &Beside::of(found.leads))?;
        }
        Ok(found)
    }

    fn all(&self, pairs: &[Pair], beside: &Beside) -> Result<Tally, Outcome> {
        let mut tally = Tally::default();
        for (index, pair) in pairs.iter().enumerate() {
            match self.pair(pair, beside) {
                Ok(located) => {
                    tally.changes += located.places;
                    tally.splices.extend(located.splices);
                    tally.escaped = tally.escaped.or(located.escaped);
                    tally.leads.extend(located.leads);
                    tally.evidence = Some(match tally.evidence {
                        Some(known) => known.weaker(located.found),
                        None => located.found,
                    });
                }
                Err(Outcome::AlreadyApplied { .. }) => tally.already += 1,
                Err(outcome) => return Err(numbered(outcome, index, pairs.len())),
            }
        }
        Ok(tally)
    }

    fn pair(&self, pair: &Pair, beside: &Beside) -> Result<Located, Outcome> {
        match places::locate(self.source, &self.view, pair) {
            Ok(places) if places.is_empty() || self.leaves_indentation(&places, pair) => {
                self.loosely(pair, beside)
            }
            Ok(places) => {
                let put = places.len().saturating_mul(pair.new.len());
                if places.len() > 1 && put > MAX_PUT {
                    return Err(Outcome::Refused {
                        why: format!(
                            "at {} places the new text would be {put} bytes; the limit is {MAX_PUT}",
                            places.len()
                        ),
                    });
                }
                if let [at] = places.as_slice() {
                    self.refuse_half(*at, pair)?;
                }
                let splices = places
                    .iter()
                    .flat_map(|at| difference::splices(self.source, &self.view, *at, pair));
                let splices: Vec<Splice> = splices.collect();
                let places = match pair.scope {
                    MatchScope::Single => 1,
                    MatchScope::All => splices.len(),
                };
                Ok(Located {
                    places,
                    found: Evidence::new(Rung::Exact, "exact"),
                    splices,
                    escaped: None,
                    leads: Vec::new(),
                })
            }
            Err(outcome) => Err(outcome),
        }
    }

    /// Refuses whole lines at byte `at` of which a part stands there as it would be after the change.
    fn refuse_half(&self, at: usize, pair: &Pair) -> Result<(), Outcome> {
        let head = self.view.text().get(..at).unwrap_or_default();
        let begins = head.is_empty() || head.ends_with('\n');
        let tail = self
            .view
            .text()
            .get(at + pair.old.len()..)
            .unwrap_or_default();
        let closed = pair.old.ends_with('\n');
        let ends = closed || tail.is_empty() || tail.starts_with('\n');
        if !begins || !ends || closed != pair.new.ends_with('\n') || !pair.new.contains('\n') {
            return Ok(());
        }
        let asked = Asked::Texts(Texts::new(&pair.old, &pair.new));
        let script = asked.script(Level::Exact);
        let line = self.source.line_of(self.view.real(at..at).start);
        let alignment = Alignment::solid(line, script.before().count());
        let half = rewrite::refuse_half(self.source, &script, &alignment);
        half.map_err(|unsure| unsure.outcome(self.source))
    }

    /// Returns whether the old text is there but for the indentation before it, which the new
    /// text does not have either on lines of its own: then it is lines that are meant, and they
    /// are to be indented.
    fn leaves_indentation(&self, places: &[usize], pair: &Pair) -> bool {
        if pair.old.starts_with([' ', '\t']) || !pair.new.trim_end().contains('\n') {
            return false;
        }
        let leads = places
            .iter()
            .filter_map(|at| places::lead(self.view.text(), *at));
        let leads: HashSet<&str> = leads.filter(|lead| !lead.is_empty()).collect();
        leads.into_iter().any(|lead| {
            let short = |line: &str| !line.trim().is_empty() && !line.starts_with(lead);
            pair.new.lines().skip(1).any(short)
        })
    }

    /// Goes down the ladder with a pair whose old text is not in the file as it is written.
    fn loosely(&self, pair: &Pair, beside: &Beside) -> Result<Located, Outcome> {
        let asked = Asked::Texts(Texts::new(&pair.old, &pair.new));
        let scope = Scope {
            from: 0,
            to: self.source.line_count(),
            number: None,
            all: pair.scope == MatchScope::All,
        };
        match ladder::find(&self.views, &asked, scope) {
            Found::At(matches) => self.written(&matches, beside),
            Found::Done | Found::There(_) => Err(Outcome::AlreadyApplied { why: String::new() }),
            Found::Many(lines, how) => Err(Outcome::Ambiguous {
                why: format!(
                    "the old text is not there as written, but {} times {how}; add lines that tell which is meant",
                    lines.len()
                ),
                candidates: lines
                    .iter()
                    .take(MAX_CANDIDATES)
                    .map(|line| candidate(self.source, *line))
                    .collect(),
            }),
            // What only goes leaves nothing that would show that it went.
            Found::Missing
                if !pair.old.contains(&pair.new) && places::is_there(self.view.text(), pair) =>
            {
                Err(Outcome::AlreadyApplied { why: String::new() })
            }
            Found::Missing => Err(Outcome::NotFound {
                why: "the old text is not in the file".into(),
                nearest: nearest::nearest(self.source, &pair.old),
            }),
        }
    }

    fn written(&self, matches: &[Match], beside: &Beside) -> Result<Located, Outcome> {
        let mut splices = Vec::new();
        for found in matches {
            splices.extend(
                rewrite::splices(self.source, found, beside)
                    .map_err(|unsure| unsure.outcome(self.source))?,
            );
        }
        splices.retain(|splice| splice.old != splice.new);
        match matches.first() {
            Some(first) if !splices.is_empty() => Ok(Located {
                places: matches.len(),
                found: first.finding.clone(),
                splices,
                escaped: unescaping(&first.undone),
                leads: rewrite::leads(self.source, first),
            }),
            _ => Err(Outcome::AlreadyApplied { why: String::new() }),
        }
    }
}

/// Plans `request` for a file that does not exist: only a pair with an empty old text makes
/// sense.
pub(super) fn create(path: &WorkspacePath, request: &SectionRequest) -> Outcome {
    match request.edits.as_slice() {
        [Pair { old, new, .. }] if old.is_empty() => created(new, "new file"),
        _ => super::absent(path),
    }
}

fn ambiguous(source: &Source, view: &LfView<'_>, places: &[usize]) -> Outcome {
    let count = places.len();
    let count = if count == exact::MAX_PLACES {
        format!("{count} or more")
    } else {
        count.to_string()
    };
    let line_of = |at: &usize| source.line_of(view.real(*at..*at).start);
    Outcome::Ambiguous {
        why: format!("the old text is there {count} times; add lines that tell which is meant"),
        candidates: places
            .iter()
            .take(MAX_CANDIDATES)
            .map(|at| candidate(source, line_of(at)))
            .collect(),
    }
}

/// Returns line `line` (0-based) and its neighbours as a candidate.
pub(super) fn candidate(source: &Source, line: usize) -> Candidate {
    let region = nearest::region(
        source,
        line.saturating_sub(1),
        if line == 0 { 2 } else { 3 },
    );
    Candidate {
        line: line + 1,
        excerpt: region.excerpt,
    }
}

fn numbered(outcome: Outcome, index: usize, count: usize) -> Outcome {
    let number = |why: String| {
        if count == 1 {
            why
        } else {
            format!("edits[{index}]: {why}")
        }
    };
    match outcome {
        Outcome::Ambiguous { why, candidates } => Outcome::Ambiguous {
            why: number(why),
            candidates,
        },
        Outcome::NotFound { why, nearest } => Outcome::NotFound {
            why: number(why),
            nearest,
        },
        Outcome::Invalid { why } => Outcome::Invalid { why: number(why) },
        other => other,
    }
}

/// Makes the splice for a range of the view.
pub(super) fn splice(
    source: &Source,
    view: &LfView<'_>,
    range: std::ops::Range<usize>,
    new: &str,
) -> Splice {
    let real = view.real(range);
    let ending = source
        .ending_of(source.line_of(real.start))
        .unwrap_or_else(|| source.ending());
    let old = source
        .bytes()
        .get(real.clone())
        .unwrap_or_default()
        .to_vec();
    Splice {
        at: real.start,
        old,
        new: new.replace('\n', ending.as_str()).into_bytes(),
    }
}

#[cfg(test)]
mod noise;
#[cfg(test)]
mod surroundings;

#[cfg(test)]
mod tests;
