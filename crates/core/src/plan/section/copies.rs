//! Whether a pair was found in a copy of what is meant.
//!
//! In: where all pairs of a request were found. Out: the question which place is meant, where what other
//! pairs show speaks for another one.

use std::ops::Range;

use super::{Located, Place, Searched, numbered, places};
use crate::locate::{Candidate, exact};
use crate::plan::outcome::OrAnswer;
use crate::plan::{Outcome, rewrite};
use crate::request::MatchScope;
use crate::text::indent::{Shift, of_others};

/// Refuses a request of which a pair may have been found in a copy.
pub(super) fn refuse(searched: &Searched<'_>, located: &[Located]) -> OrAnswer<()> {
    if located.len() < 2 {
        return Ok(());
    }
    let made = located.iter().any(|one| matches!(one.place, Place::Made));
    let own: Vec<Option<Shift>> = located.iter().map(|one| searched.shift(one)).collect();
    for (index, (one, shifts)) in located.iter().zip(of_others(&own)).enumerate() {
        let mut checked = searched.refuse_shifted(one, &shifts);
        if made {
            checked = checked.and_then(|()| searched.refuse_sibling(one));
        }
        checked.map_err(|outcome| numbered(outcome, index, located.len()))?;
    }
    Ok(())
}

impl Searched<'_> {
    /// Returns how much further in or out a pair stands than it is given.
    fn shift(&self, located: &Located) -> Option<Shift> {
        let Place::Lines(matches) = &located.place else {
            return None;
        };
        let leads = |found| rewrite::leads(self.source, found);
        matches.iter().find_map(|found| Shift::of(&leads(found)))
    }

    /// Asks which is meant of a pair that stands, letter by letter, in the way that others of the request
    /// are shifted, and was found elsewhere: that may be a copy which is not as far in or out.
    fn refuse_shifted(&self, located: &Located, shifts: &[&Shift]) -> OrAnswer<()> {
        let (text, pair) = (self.view.text(), &located.pair);
        let own = self.lines(located);
        if pair.scope == MatchScope::All || places::starts_within(text, &located.place) {
            return Ok(());
        }
        let line_at = |at: usize| self.source.line_of(self.view.real(at..at).start);
        let stands = |shift: &&Shift| {
            let moved = shift.moved(pair.old.trim_matches('\n'))?;
            let places = exact::places_up_to(text, &moved, 2);
            let places = places
                .into_iter()
                .filter(|at| places::lead(text, *at) == Some(""));
            places.map(line_at).find(|line| !own.contains(line))
        };
        let Some(other) = shifts.iter().find_map(stands) else {
            return Ok(());
        };
        let lines = own.take(1).chain([other]);
        Err(Outcome::Ambiguous {
            why: "other edits of this request are indented otherwise in the file, and so this one \
                  stands there as well; give all of them as in the file"
                .into(),
            candidates: lines.map(|line| Candidate::at(self.source, line)).collect(),
        })
    }

    /// Asks which is meant of a pair whose new text is there as well, where others of the request are made
    /// already: then its old text may be a sibling's.
    fn refuse_sibling(&self, located: &Located) -> OrAnswer<()> {
        let (text, pair) = (self.view.text(), &located.pair);
        let line_at = |at: usize| self.source.line_of(self.view.real(at..at).start);
        let own = self.lines(located).next();
        let single = pair.scope == MatchScope::Single && !pair.old.contains(&pair.new);
        let made = match single && places::is_there(text, pair) {
            true => text.find(&pair.new).map(line_at),
            false => None,
        };
        let (Some(own), Some(made)) = (own, made) else {
            return Ok(());
        };
        let candidates = [own, made].map(|line| Candidate::at(self.source, line));
        Err(Outcome::Ambiguous {
            why: format!(
                "other edits of this request are made already, and the new text of this one stands at line {} while its old text stands elsewhere; ask for it alone if it is meant",
                made + 1
            ),
            candidates: candidates.into(),
        })
    }

    /// Returns the lines on which a pair stands first; none of one that is made.
    fn lines(&self, located: &Located) -> Range<usize> {
        let range = match &located.place {
            Place::Exact(places) => places.first().map(|at| {
                let range = self.view.real(*at..at + located.pair.old.len());
                self.source.line_of(range.start)..self.source.line_of(range.end) + 1
            }),
            Place::Lines(matches) => matches.first().and_then(|found| {
                let start = found.alignment.first()?;
                Some(start..found.alignment.end()?)
            }),
            Place::Made => None,
        };
        range.unwrap_or_default()
    }
}
