//! A patch in the text format of diff-match-patch.
//!
//! In: patch text. Out: a plan of the runs that change. Each stretch is found as it is, nearest
//! to its offset; else loosely by its lines; else by the fewest characters that differ, if
//! nothing that changes is among them and no other place comes near.

mod parse;

use std::ops::Range;

use parse::{Stretch, parse};

use super::{Evidence, MAX_CANDIDATES, Outcome, created, rewrite, section};
use crate::locate::approximate::{self, Near};
use crate::locate::context::{How, Place, choose};
use crate::locate::loose::forms::{Asked, Texts};
use crate::locate::loose::{Found, Scope, Views};
use crate::locate::view::LfView;
use crate::locate::{Rung, RunnerUp, exact, ladder, nearest};
use crate::text::{Source, Splice};
use crate::workspace::WorkspacePath;

/// How far around its offset a stretch is looked for where it is not as given, in characters:
/// further away, something else is as likely.
const REACH: usize = 2000;
/// The least score that is taken: three quarters of the characters.
const FLOOR: u8 = 75;
/// The least distance to the next best place.
const MARGIN: u8 = 20;
/// Of several places as given, the one this near to the offset is meant.
const MISCOUNTED: usize = 8;
/// A stretch with fewer characters is not looked for beyond [`REACH`].
const SHORT: usize = 12;
/// So many lines, or characters, from its offset is a stretch that is not as given: it shows a few
/// words of its place, and what is like them stands all over a text.
const CLOSE_LINES: usize = 12;
const CLOSE_CHARS: usize = 64;
/// A stretch that takes so many letters away tells its place by them.
const MUCH: usize = 60;

/// Plans `patch` for the file at `path`.
pub(super) fn plan(path: &WorkspacePath, source: Option<&Source>, patch: &str) -> Outcome {
    let stretches = match parse(patch) {
        Ok(stretches) => stretches,
        Err(why) => return Outcome::Invalid { why },
    };
    let Some(source) = source else {
        let after: String = stretches.iter().map(Stretch::after).collect();
        return match stretches.iter().all(|stretch| stretch.before().is_empty()) {
            true => created(&after, "new file"),
            false => super::absent(path),
        };
    };
    let Ok(text) = source.text() else {
        return Outcome::Refused {
            why: "not text".into(),
        };
    };
    let desk = Desk::new(source, text);
    if desk.is_made(&stretches) {
        return done();
    }
    desk.all(&stretches)
}

fn done() -> Outcome {
    Outcome::AlreadyApplied {
        why: "the patch is already applied".into(),
    }
}

struct Desk<'a> {
    source: &'a Source,
    view: LfView<'a>,
    views: Views<'a>,
    /// Where each character begins; none where every character is a byte.
    starts: Option<Vec<usize>>,
}

impl<'a> Desk<'a> {
    fn new(source: &'a Source, text: &'a str) -> Self {
        let view = LfView::new(text);
        let starts = || view.text().char_indices().map(|(at, _)| at).collect();
        let starts = (!view.text().is_ascii()).then(starts);
        Self {
            source,
            view,
            views: Views::new(source),
            starts,
        }
    }
}

impl Desk<'_> {
    fn all(&self, stretches: &[Stretch]) -> Outcome {
        let mut splices = Vec::new();
        let mut evidence: Option<Evidence> = None;
        let mut changes = 0;
        let mut shift = 0;
        for (index, stretch) in stretches.iter().enumerate() {
            let hint = self.offset(stretch.at).saturating_add_signed(shift);
            match self.place(stretch, hint) {
                Ok((own, found)) => {
                    shift = self.shift(stretch, hint).unwrap_or(shift);
                    splices.extend(own);
                    changes += stretch.parts;
                    evidence = Some(match evidence {
                        Some(known) => known.weaker(found),
                        None => found,
                    });
                }
                Err(Outcome::AlreadyApplied { .. }) => {}
                Err(outcome) => return super::unified::numbered(outcome, index, stretches.len()),
            }
        }
        evidence.map_or_else(done, |evidence| super::found(splices, evidence, changes))
    }

    /// Returns whether the text is as the whole patch leaves it: whether the stretches can be taken
    /// back, the last one first, each at its own offset.
    fn is_made(&self, stretches: &[Stretch]) -> bool {
        let stands = |stretch: &Stretch| {
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
            let at = match text.is_ascii() {
                true => Some(stretch.made_at),
                false => text.char_indices().nth(stretch.made_at).map(|(at, _)| at),
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
    fn shift(&self, stretch: &Stretch, hint: usize) -> Option<isize> {
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

    fn place(&self, stretch: &Stretch, hint: usize) -> Result<(Vec<Splice>, Evidence), Outcome> {
        let (before, after) = (stretch.before(), stretch.after());
        if before == after {
            return Err(Outcome::Invalid {
                why: "the stretch changes nothing".into(),
            });
        }
        if before.is_empty() {
            return self.alone(stretch);
        }
        let rest = self.view.text().get(hint..).unwrap_or_default();
        let places = match rest.starts_with(&before) {
            true => vec![hint],
            false => exact::places(self.view.text(), &before),
        };
        match choose(places.clone(), Some(hint)) {
            // Offsets move with every character that comes or goes above them.
            Place::One {
                how: How::NearestNumber { off },
                ..
            } if off.unsigned_abs() > MISCOUNTED => Err(self.ambiguous(&places)),
            Place::One { line: at, how } if self.is_within_reach(&before, at, hint) => {
                self.exactly(stretch, at, how, &after)
            }
            Place::Many(places) => Err(self.ambiguous(&places)),
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
    fn alone(&self, stretch: &Stretch) -> Result<(Vec<Splice>, Evidence), Outcome> {
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
        stretch: &Stretch,
        at: usize,
        how: How,
        after: &str,
    ) -> Result<(Vec<Splice>, Evidence), Outcome> {
        let shifts = exact::places(after, &stretch.before());
        let there = |shift: &usize| {
            let start = at
                .checked_sub(*shift)
                .and_then(|start| self.view.text().get(start..));
            start.is_some_and(|rest| rest.starts_with(after))
        };
        if shifts.iter().any(there) {
            return Err(Outcome::AlreadyApplied { why: String::new() });
        }
        let how = match how {
            How::AtNumber => "at its offset",
            How::Unique { .. } => "only place",
            How::NearestNumber { .. } => "near its offset",
        };
        Ok((
            self.splices(stretch, |byte| Some(at + byte)),
            Evidence::new(Rung::Exact, how),
        ))
    }

    fn loosely(
        &self,
        stretch: &Stretch,
        before: &str,
        after: &str,
        hint: usize,
    ) -> Result<(Vec<Splice>, Evidence), Outcome> {
        let made = choose(exact::places(self.view.text(), after), Some(hint));
        if matches!(made, Place::One { line: at, .. } if self.is_within_reach(after, at, hint)) {
            return Err(Outcome::AlreadyApplied { why: String::new() });
        }
        let number = Some(self.source.line_of(self.view.real(hint..hint).start));
        let scope = Scope {
            from: 0,
            to: self.source.line_count(),
            number,
            all: false,
        };
        let asked = Asked::Texts(Texts::new(before, after));
        match ladder::find(&self.views, &asked, scope) {
            Found::At(matches) => {
                let Some(found) = matches.into_iter().next() else {
                    return Err(self.missing(before));
                };
                let line = found.alignment.first().unwrap_or_default();
                let far = number.is_some_and(|number| number.abs_diff(line) > CLOSE_LINES)
                    && stretch.removed_letters() < MUCH;
                if far || found.finding.score.is_some() && !stretch.tells() {
                    return Err(self.missing(before));
                }
                let splices = rewrite::splices(self.source, &found)
                    .map_err(|unsure| unsure.outcome(self.source))?;
                Ok((splices, found.finding))
            }
            Found::Done | Found::There(_) => Err(Outcome::AlreadyApplied { why: String::new() }),
            Found::Many(lines, _) => {
                let candidates = lines.iter().take(MAX_CANDIDATES);
                let candidates = candidates
                    .map(|line| section::candidate(self.source, *line))
                    .collect();
                Err(Outcome::Ambiguous {
                    why: "the text around the change is there several times".into(),
                    candidates,
                })
            }
            Found::Missing => self.nearly(stretch, before, hint),
        }
    }

    /// Finds the stretch by its characters, around its offset.
    fn nearly(
        &self,
        stretch: &Stretch,
        before: &str,
        hint: usize,
    ) -> Result<(Vec<Splice>, Evidence), Outcome> {
        let text = self.view.text();
        let length = before.chars().count();
        let back = text
            .get(..hint)
            .unwrap_or_default()
            .char_indices()
            .rev()
            .nth(REACH)
            .map_or(0, |(at, _)| at);
        let end = self.offset_after(back, 2 * REACH + length);
        let around = text.get(back..end).unwrap_or_default();
        let window: Vec<(usize, char)> = around.char_indices().collect();
        let pattern: Vec<(usize, char)> = before.char_indices().collect();
        let chars =
            |from: &[(usize, char)]| -> Vec<char> { from.iter().map(|(_, char)| *char).collect() };
        let most = length - (length * usize::from(FLOOR)).div_ceil(100);
        if approximate::has_within(&chars(&pattern), around, most) == Some(false) {
            return Err(self.missing(before));
        }
        let near = approximate::nearest(&chars(&pattern), &chars(&window))
            .ok_or_else(|| self.missing(before))?;
        let clear = near
            .next
            .is_none_or(|(_, next)| near.score >= next.saturating_add(MARGIN));
        if near.score < FLOOR
            || !clear
            || !stretch.tells()
            || self.is_elsewhere(&chars(&pattern), &near, back)
        {
            return Err(self.missing(before));
        }
        // Byte of the text for a byte of the stretch, where that character is there.
        let stands = |byte: usize| {
            let index = pattern.binary_search_by_key(&byte, |(at, _)| *at).ok()?;
            let place = near.stands.get(index).copied().flatten()?;
            window.get(place).map(|(at, _)| back + at)
        };
        let off = |(at, _): &(usize, char)| Some(stands(*at)?.abs_diff(hint + at));
        let close = pattern.iter().find_map(off);
        if close.is_none_or(|off| off > CLOSE_CHARS)
            || !stretch
                .changes()
                .iter()
                .all(|(range, _)| is_sure(before, range, &stands))
        {
            return Err(self.missing(before));
        }
        let place = |byte: usize| {
            stands(byte).or_else(|| {
                let last = before.get(..byte)?.char_indices().next_back()?;
                stands(last.0).map(|at| at + last.1.len_utf8())
            })
        };
        let line_of = |at: usize| self.source.line_of(self.view.real(at..at).start) + 1;
        let runner_up = near.next.and_then(|(index, score)| {
            window.get(index).map(|(at, _)| RunnerUp {
                line: line_of(back + at),
                score,
            })
        });
        let how = format!("fuzzy: {} of 100 characters as given", near.score);
        let evidence = Evidence {
            rung: Rung::Fuzzy,
            how,
            score: Some(near.score),
            runner_up,
        };
        Ok((self.splices(stretch, place), evidence))
    }

    /// Returns whether a stretch that was found nearly, in a window from byte `back` on, nearly
    /// stands outside of it as well: its offset is no reason to prefer one of the two.
    fn is_elsewhere(&self, pattern: &[char], near: &Near, back: usize) -> bool {
        let least = usize::from(near.score.saturating_sub(MARGIN));
        let cost = pattern.len() - pattern.len() * least / 100;
        let text = self.view.text();
        let end = self.offset_after(back, 2 * REACH + pattern.len());
        let outside = [text.get(..back), text.get(end..)];
        let mut outside = outside.into_iter().flatten();
        outside.any(|part| approximate::has_within(pattern, part, cost) != Some(false))
    }

    /// Returns the byte that is so many characters after byte `from`.
    fn offset_after(&self, from: usize, count: usize) -> usize {
        let rest = self.view.text().get(from..).unwrap_or_default();
        let end = rest
            .char_indices()
            .nth(count)
            .map_or(rest.len(), |(at, _)| at);
        from + end
    }

    /// Makes the splices of a stretch; `place` leads from its bytes to those of the view.
    fn splices(&self, stretch: &Stretch, place: impl Fn(usize) -> Option<usize>) -> Vec<Splice> {
        let splice = |(range, new): (Range<usize>, String)| {
            let at = place(range.start)?;
            Some(section::splice(
                self.source,
                &self.view,
                at..at + range.len(),
                &new,
            ))
        };
        stretch.changes().into_iter().filter_map(splice).collect()
    }

    fn ambiguous(&self, places: &[usize]) -> Outcome {
        let line = |at: &usize| self.source.line_of(self.view.real(*at..*at).start);
        Outcome::Ambiguous {
            why: format!("the text around the change is there {} times", places.len()),
            candidates: places
                .iter()
                .take(MAX_CANDIDATES)
                .map(|at| section::candidate(self.source, line(at)))
                .collect(),
        }
    }

    fn missing(&self, before: &str) -> Outcome {
        Outcome::NotFound {
            why: "the text around the change is not in the file".into(),
            nearest: nearest::nearest(self.source, before),
        }
    }
}

/// Returns whether all that goes is there without a gap, and the characters on both sides of
/// it as well, as far as the stretch has them.
fn is_sure(before: &str, range: &Range<usize>, stands: &impl Fn(usize) -> Option<usize>) -> bool {
    let start = before
        .get(..range.start)
        .and_then(|head| head.char_indices().next_back())
        .map_or(0, |(at, _)| at);
    let end = before
        .get(range.end..)
        .and_then(|tail| tail.chars().next())
        .map_or(range.end, |char| range.end + char.len_utf8());
    let bytes = before.get(start..end).unwrap_or_default().char_indices();
    let places: Vec<Option<usize>> = bytes
        .map(|(at, _)| stands(start + at).map(|place| place.wrapping_sub(at)))
        .collect();
    places.iter().all(Option::is_some)
        && places
            .windows(2)
            .all(|pair| matches!(pair, [a, b] if a == b))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::plan::testing::{run, word};
    use crate::request::Request;

    fn patch(before: &str, patch: &str) -> Result<String, Outcome> {
        run("a.txt", before, Request::Dmp(patch.to_owned()))
    }

    #[test]
    fn stretches_are_found_at_their_offset_or_near_it() {
        let check = |before: &str, text: &str, after: &str| {
            assert_eq!(patch(before, text).unwrap(), after, "{text}")
        };
        check(
            "the quick fox\n",
            "@@ -1,13 +1,12 @@\n the \n-quick\n+slow\n  fox\n",
            "the slow fox\n",
        );
        check(
            "a = 1\nb = 1\n",
            "@@ -8,4 +8,4 @@\n = \n-1\n+2\n %0A\n",
            "a = 1\nb = 2\n",
        );
        check(
            "50% of\r\nit\r\n",
            "@@ -1,9 +1,10 @@\n 50%25 of%0Ait\n+s\n %0A\n",
            "50% of\r\nits\r\n",
        );
        check("a+b\n", "@@ -1,3 +1,3 @@\n a+\n-b\n+c\n", "a+c\n");
        check(
            "let total = price + tax;\n",
            "@@ -1,24 +1,26 @@\n let total = prize + \n-tax\n+taxes\n ;\n",
            "let total = price + taxes;\n",
        );
        check("", "@@ -0,0 +1,3 @@\n+new\n", "new");
    }

    #[test]
    fn what_is_unsure_is_not_done() {
        let check = |before: &str, text: &str, expected: &str| {
            assert_eq!(word(&patch(before, text)), expected, "{text}")
        };
        check(
            "x = 1;  x = 1;\n",
            "@@ -7,4 +7,4 @@\n = \n-1\n+2\n ;\n",
            "ambiguous",
        );
        check(
            "let total = price + vat;\n",
            "@@ -1,24 +1,26 @@\n let total = price + \n-tax\n+taxes\n ;\n",
            "not_found",
        );
        check(
            "the slow fox\n",
            "@@ -1,13 +1,12 @@\n the \n-quick\n+slow\n  fox\n",
            "already_applied",
        );
        check("abcdef\n", "@@ -1,2 +1,3 @@\n%FF\n", "invalid");
        check("a\n", "hello", "invalid");
        check("a\n", "@@ -1 +1 @@\n a\n", "invalid");
    }

    #[test]
    fn what_is_not_as_given_is_near_its_offset() {
        let text = "@@ -1,63 +1,89 @@\n [test]%0A#[cfg(full)]%0A\n+#[cfg_attr(miri, ignore)]%0A\n async fn aborted_future_1() {%0A    let\n";
        let near = "[test]\n#[cfg(full)]\nasync fn aborted_futures_1() {\n    let m\n";
        assert!(patch(near, text).is_ok());
        let gap = "// nothing of note stands on this line of text\n".repeat(20);
        assert_eq!(word(&patch(&format!("{gap}{near}"), text)), "not_found");
    }

    #[test]
    fn a_patch_that_is_there_at_its_offsets_is_done() {
        // What the first stretch looks for stands further down too.
        let before = "let a = f(1);\nlet b = g(2);\n";
        let text = "@@ -1,14 +1,14 @@\n let \n-a\n+c\n  = f(1);%0A\n";
        let made = before.replace("let a", "let c");
        assert_eq!(patch(before, text).unwrap(), made);
        let twice = format!("{made}let a = f(1);\n");
        assert_eq!(word(&patch(&twice, text)), "already_applied");
        // The second stretch changes what stands around the first.
        let before = "one two three\n";
        let text = "@@ -1,8 +1,10 @@\n one \n+1 \n two \n@@ -7,9 +7,9 @@\n two \n-three\n+THREE\n";
        assert_eq!(word(&patch("one 1 two THREE\n", text)), "already_applied");
        assert_eq!(patch(before, text).unwrap(), "one 1 two THREE\n");
    }

    #[test]
    fn a_place_that_is_nearly_it_beside_the_offset_is_not_preferred_to_one_further_off() {
        let near = "fn total(price: u32) -> u32 { price + tax }\n";
        let gap = "// nothing of note stands on this line of text\n".repeat(100);
        let text =
            "@@ -1,43 +1,45 @@\n fn total(prise: u32) -> u32 { price + \n-tax\n+taxes\n  }\n";
        let made = near.replace("tax", "taxes");
        assert_eq!(patch(near, text).unwrap(), made);
        let far = near.replace("total", "sums");
        assert_eq!(
            word(&patch(&format!("{far}{gap}{near}"), text)),
            "not_found"
        );
    }

    #[test]
    fn what_comes_is_not_put_where_little_stands() {
        let text = "@@ -6,24 +6,29 @@\n (self) -> None:%0A    \n+x()%0A    \n if a.\n";
        assert_eq!(
            word(&patch("def f(self) -> None:\n   if x.b:\n", text)),
            "not_found"
        );
        let text =
            "@@ -9,32 +9,45 @@\n )%0A        else:%0A\n+            make()%0A\n             retu\n";
        assert_eq!(
            word(&patch(
                "if a:\n    f(\n        b\n    )\n        else:\n            raise b\n",
                text
            )),
            "not_found"
        );
    }

    #[test]
    fn a_stretch_shows_what_the_one_before_it_leaves() {
        let before = "const a = f(1);\nconst b = g(2);\nend\n";
        let text = "@@ -7,10 +7,11 @@\n a = f(\n-1\n+10\n );%0A\n@@ -12,15 +12,12 @@\n 10);%0A\n-const\n+let\n  b =\n";
        let after = "const a = f(10);\nlet b = g(2);\nend\n";
        assert_eq!(patch(before, text).unwrap(), after);
        assert_eq!(word(&patch(after, text)), "already_applied");
        // What the first brings in, the second takes away again.
        let text = "@@ -1,5 +1,7 @@\n one\n+ 1\n  t\n@@ -4,4 +4,3 @@\n  \n-1\n  t\n";
        assert_eq!(patch("one two\n", text).unwrap(), "one  two\n");
    }

    #[test]
    fn a_second_stretch_counts_on_the_first() {
        let before = "one two three four five six seven\n";
        let text = "@@ -1,7 +1,9 @@\n one \n+2 \n two\n@@ -26,6 +26,6 @@\n  six \n-s\n+S\n";
        assert_eq!(
            patch(before, text).unwrap(),
            "one 2 two three four five six Seven\n"
        );
    }
}
