//! Turns an edit script into splices.
//!
//! In: a script and where its rows stand. Out: one splice for every run of rows that changes.
//! Context lines stay the file's. A line that becomes another keeps what the request does not
//! change of it, as the file has it; a line that comes takes over the file's indentation.

mod indent;
mod inline;

use std::cell::OnceCell;
use std::ops::Range;

use self::indent::Indents;
use self::inline::Noise;
use super::Outcome;
use crate::budget::Budget;
use crate::edit::locate::loose::LooseMatch;
use crate::edit::locate::loose::half::half_made;
use crate::edit::locate::loose::normal::{Level, normal};
use crate::edit::locate::loose::view::string;
use crate::edit::locate::nearest::region;
use crate::edit::locate::script::{Alignment, Row, Script};
use crate::text::indent::{Lead, Unit, body, leading};
use crate::text::lines::{Line, replace_with};
use crate::text::{Source, Splice};

/// What cannot be told from what is there, and the 0-based line where.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Unsure {
    /// How the new lines are to be indented.
    Indentation(usize),
    /// Whether lines that stand there already are to come again.
    Half(usize),
}

impl Unsure {
    /// Says so.
    pub(super) fn outcome(self, source: &Source) -> Outcome {
        let (line, why) = match self {
            Self::Indentation(line) => (
                line,
                "there it is indented otherwise than in the request, and how the new lines are \
                 to be indented cannot be told; give them as in the file",
            ),
            Self::Half(line) => (
                line,
                "lines that it puts in stand there already, as if a part of it was made; show \
                 those lines, and put in what is missing",
            ),
        };
        Outcome::NotFound {
            why: format!("the place is at line {}, but {why}", line + 1),
            nearest: Some(region(source, line.saturating_sub(2), 8)),
        }
    }
}

/// Refuses a match whose lines stand there in part.
pub(super) fn refuse_half(
    budget: &Budget,
    source: &Source,
    script: &Script,
    alignment: &Alignment,
) -> Result<(), Unsure> {
    match half_made(budget, source, script, alignment) {
        Some(line) => Err(Unsure::Half(line)),
        None => Ok(()),
    }
}

/// Pairs of a removed and an added line of one block, beyond which they are not compared: a block that is replaced as a
/// whole would take time with the square of its length.
const MAX_PAIRS: usize = 10_000;

/// Lines that show how a request is indented. Attack: a request of thousands of parts, where each reads the lines of all.
const MAX_LEADS: usize = 100;

/// What the parts of a request for one file share.
#[derive(Clone, Debug, Default)]
pub(super) struct RequestContext {
    /// How its lines are indented; it counts where a part has no indented line of its own.
    leads: Vec<Lead>,
    /// The unit of the file, once it was asked for: it takes a reading of the file.
    unit: OnceCell<Unit>,
}

impl RequestContext {
    /// Makes it of what parts have shown.
    pub(super) fn of(mut leads: Vec<Lead>) -> Self {
        leads.truncate(MAX_LEADS);
        Self {
            leads,
            unit: OnceCell::new(),
        }
    }
}

/// Returns the splices of a match that is part of a request.
pub(super) fn splices(
    budget: &Budget,
    source: &Source,
    found: &LooseMatch,
    beside: &RequestContext,
) -> Result<Vec<Splice>, Unsure> {
    refuse_half(budget, source, &found.script, &found.alignment)?;
    let writer = SectionWriter::new(budget, source, found, beside);
    let blocks = found
        .script
        .blocks()
        .into_iter()
        .map(|block| writer.block(block));
    blocks.collect()
}

/// Returns how the indented lines that a match shares with the file are indented, each way once.
pub(super) fn leads(source: &Source, found: &LooseMatch) -> Vec<Lead> {
    let rows = found.script.before().zip(&found.alignment.lines);
    let lead = |(row, line): (&Row, &Option<usize>)| {
        let file = string(source, (*line)?);
        (!row.text().trim().is_empty()).then(|| Lead {
            asked: leading(row.text()).to_owned(),
            file: leading(&file).to_owned(),
        })
    };
    let mut leads: Vec<Lead> = rows.filter_map(lead).collect();
    leads.retain(|lead| !lead.is_flush());
    leads.sort_unstable();
    leads.dedup();
    leads
}

struct SectionWriter<'a> {
    budget: &'a Budget,
    source: &'a Source,
    found: &'a LooseMatch,
    /// Per row, the file's line that it stands on.
    lines: Vec<Option<usize>>,
    indents: Indents<'a>,
    noise: Noise,
}

impl<'a> SectionWriter<'a> {
    fn new(
        budget: &'a Budget,
        source: &'a Source,
        found: &'a LooseMatch,
        beside: &'a RequestContext,
    ) -> Self {
        let mut aligned = found.alignment.lines.iter().copied();
        let rows = found.script.rows.iter();
        let lines: Vec<Option<usize>> = rows
            .map(|row| {
                if row.is_before() {
                    aligned.next().flatten()
                } else {
                    None
                }
            })
            .collect();
        let pairs: Vec<(usize, &str, String)> = found
            .script
            .rows
            .iter()
            .enumerate()
            .zip(&lines)
            .filter_map(|((index, row), line)| {
                Some((index, row.text(), string(source, (*line)?).into_owned()))
            })
            .collect();
        let indents = Indents::new(source, &found.script, &pairs, found.widened, beside);
        let noise = Noise::new(budget, &pairs);
        Self {
            budget,
            source,
            found,
            lines,
            indents,
            noise,
        }
    }

    fn block(&self, block: Range<usize>) -> Result<Splice, Unsure> {
        let rows = |wanted: fn(&Row) -> bool| -> Vec<usize> {
            block
                .clone()
                .filter(|index| self.found.script.rows.get(*index).is_some_and(wanted))
                .collect()
        };
        let removed = rows(|row| matches!(row, Row::Removed(_)));
        let added = rows(|row| matches!(row, Row::Added(_)));
        let range = self.range(&block, &removed)?;
        let pairs = self.pairs(&removed, &added);
        let mut lines = Vec::with_capacity(added.len());
        for (row, partner) in added.iter().zip(pairs) {
            lines.push(self.line(*row, partner, range.start)?);
        }
        Ok(replace_with(self.source, range, &lines))
    }

    /// Returns the file's lines that a block replaces.
    fn range(&self, block: &Range<usize>, removed: &[usize]) -> Result<Range<usize>, Unsure> {
        if let (Some(first), Some(last)) = (
            self.file_line(removed.first()),
            self.file_line(removed.last()),
        ) {
            return Ok(first..last + 1);
        }
        let at = crate::edit::locate::loose::insertion(
            &self.found.script,
            &self.found.alignment,
            block.start,
        )
        .ok_or(Unsure::Indentation(0))?;
        Ok(at..at)
    }

    fn file_line(&self, row: Option<&usize>) -> Option<usize> {
        row.and_then(|row| self.lines.get(*row)).copied().flatten()
    }

    /// Returns, for each added row, the removed row that it comes from.
    fn pairs(&self, removed: &[usize], added: &[usize]) -> Vec<Option<usize>> {
        if removed.len() == added.len() {
            return removed.iter().map(|row| Some(*row)).collect();
        }
        let mut pairs = vec![None; added.len()];
        if removed.len().saturating_mul(added.len()) > MAX_PAIRS {
            return pairs;
        }
        let form = |row: &usize| normal(self.budget, self.row_text(row), Level::Squashed);
        let (olds, news): (Vec<String>, Vec<String>) = (
            removed.iter().map(form).collect(),
            added.iter().map(form).collect(),
        );
        let mut from = 0;
        for (new, pair) in news
            .iter()
            .zip(&mut pairs)
            .filter(|(new, _)| !new.is_empty())
        {
            let same = olds.iter().skip(from).position(|old| old == new);
            let found = same.or_else(|| {
                olds.iter()
                    .skip(from)
                    .position(|old| inline::are_alike(old, new))
            });
            if let Some(at) = found {
                *pair = removed.get(from + at).copied();
                from += at + 1;
            }
        }
        pairs
    }

    fn row_text(&self, row: &usize) -> &str {
        self.found
            .script
            .rows
            .get(*row)
            .map(Row::text)
            .unwrap_or_default()
    }

    /// Makes the line of an added row, which comes from the removed row `partner` if there is one.
    fn line(&self, row: usize, partner: Option<usize>, at: usize) -> Result<Line, Unsure> {
        let new = self
            .found
            .script
            .rows
            .get(row)
            .map(Row::text)
            .unwrap_or_default();
        let old = partner
            .and_then(|partner| self.found.script.rows.get(partner))
            .map(Row::text);
        let line = partner
            .and_then(|partner| self.lines.get(partner))
            .copied()
            .flatten();
        let file = line.map(|line| string(self.source, line));
        if new.trim().is_empty() {
            let text = if self.noise.trailing { "" } else { new };
            return Ok(Line {
                text: text.to_owned(),
                like: line,
            });
        }
        let (Some(old), Some(file)) = (old, file) else {
            let lead = self
                .indents
                .of(row, leading(new))
                .ok_or(Unsure::Indentation(at))?;
            return Ok(Line {
                text: format!("{lead}{}", self.noise.fresh(body(new))),
                like: None,
            });
        };
        let lead = if leading(old) == leading(new) && !old.trim().is_empty() {
            leading(&file).to_owned()
        } else {
            self.indents
                .of(row, leading(new))
                .ok_or(Unsure::Indentation(at))?
        };
        let text = inline::merged(
            self.budget,
            (body(old), body(new)),
            body(&file),
            &self.noise,
        );
        Ok(Line {
            text: format!("{lead}{text}"),
            like: line,
        })
    }
}
