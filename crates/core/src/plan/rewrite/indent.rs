//! Indentation of added lines.
//!
//! In: how the lines that request and file share are indented in both. Out: how the file would
//! indent a line that is new: by the same line's indentation where there is one, by the same
//! shift where all are shifted alike, and else in the file's own unit from the nearest line.

use std::cell::OnceCell;
use std::collections::HashMap;

use super::Beside;
use crate::locate::loose::normal::indent;
use crate::locate::script::{Row, Script};
use crate::text::Source;

/// How many columns a tab is taken for where nothing else tells.
const TAB: usize = 4;
/// Lines of the file that are looked at for its unit.
const SAMPLE: usize = 4000;

/// Indentation as the request has it and as the file has it.
#[derive(Clone, Debug)]
pub(super) struct Indents<'a> {
    source: &'a Source,
    /// The lines of the request.
    own: Vec<&'a str>,
    /// Row, indentation in the request, indentation in the file.
    known: Vec<(usize, String, String)>,
    /// One step of the file, for all parts of a request: it takes a reading of the file.
    unit: &'a OnceCell<String>,
    /// Worked out when it is asked for.
    steps: OnceCell<Steps>,
}

/// By how much request and file go in.
#[derive(Clone, Debug)]
struct Steps {
    /// One step in the request, in columns.
    own: usize,
    /// One step in the file.
    unit: String,
    /// True if the request goes in by other steps than the file.
    resized: bool,
}

impl<'a> Indents<'a> {
    /// Compares rows with the lines that they stand on; those of the rest of the request count
    /// where none of these lines is indented.
    pub(super) fn new(
        source: &'a Source,
        script: &'a Script,
        pairs: &[(usize, &str, String)],
        widened: bool,
        beside: &'a Beside,
    ) -> Self {
        let told = pairs.iter().filter(|(_, row, _)| !row.trim().is_empty());
        let mut known: Vec<(usize, String, String)> = told
            .map(|(index, row, file)| (*index, indent(row).to_owned(), indent(file).to_owned()))
            .collect();
        if known.len() > 1 && (widened || first_was_trimmed(&known)) {
            known.remove(0);
        }
        if known
            .iter()
            .all(|(_, old, file)| old.is_empty() && file.is_empty())
        {
            let others = beside.leads.iter().cloned();
            known.extend(others.map(|(old, file)| (usize::MAX, old, file)));
        }
        Self {
            source,
            own: script.rows.iter().map(Row::text).collect(),
            known,
            unit: &beside.unit,
            steps: OnceCell::new(),
        }
    }

    fn steps(&self) -> &Steps {
        self.steps.get_or_init(|| {
            let sample = 0..self.source.line_count().min(SAMPLE);
            let lines = || sample.map(|line| self.source.line_text(line));
            let unit = self.unit.get_or_init(|| unit(lines()));
            let unit = dividing(unit.clone(), &self.known);
            let own = steps(self.own.iter().copied());
            Steps {
                own: columns(&own_unit(&self.own, &self.known, &unit)).max(1),
                resized: own.is_some_and(|own| own != unit),
                unit,
            }
        })
    }

    /// Returns how many columns an indentation of the request has.
    fn width(&self, lead: &str) -> usize {
        if lead.contains('\t') {
            columns_of(lead, self.steps().own)
        } else {
            lead.chars().count()
        }
    }

    /// Returns how the file would indent a line that the request indents by `lead`; `row` is
    /// where it stands. None where that cannot be told.
    pub(super) fn of(&self, row: usize, lead: &str) -> Option<String> {
        if self.known.iter().all(|(_, old, file)| old == file) {
            return Some(lead.to_owned());
        }
        if self.stays_around(row) || self.stays_within() {
            return Some(lead.to_owned());
        }
        if !self.is_steady() {
            // Some lines stand elsewhere than in the request; most tell whether that is the rule.
            let kept = self
                .known
                .iter()
                .filter(|(_, old, file)| old == file)
                .count();
            return (kept * 2 > self.known.len()).then(|| lead.to_owned());
        }
        if self.known.iter().any(|(_, old, _)| old == lead) {
            return self.voted(row, lead);
        }
        // One known indentation in another unit is as well so many steps as it is shifted.
        let single = self
            .known
            .iter()
            .all(|(_, old, _)| Some(old) == self.known.first().map(|(_, old, _)| old));
        let deep = |(_, old, file): &(usize, String, String)| {
            let (own, theirs) = (self.width(old), columns(file));
            let (step, unit) = (self.steps().own, columns(&self.steps().unit).max(1));
            own % step == 0 && theirs % unit == 0 && own / step == theirs / unit && own > 0
        };
        let steps = single && self.steps().resized && self.known.iter().all(deep);
        match self.shift().filter(|_| !steps) {
            Some(Shift::In(by)) => return Some(format!("{by}{lead}")),
            Some(Shift::Out(by)) => return lead.strip_prefix(by).map(str::to_owned),
            None => {}
        }
        self.stepped(row, lead)
    }

    /// Returns whether the indented lines next to a row, above it and below, are indented as in the
    /// request: then lines further off that are not stand in a block that was put in or taken away.
    fn stays_around(&self, row: usize) -> bool {
        let told = |(_, old, file): &&(usize, String, String)| !(old.is_empty() && file.is_empty());
        let known = || self.known.iter().filter(told);
        let above = known().rev().find(|(index, _, _)| *index < row);
        let below = known().find(|(index, _, _)| *index > row);
        let stays = |(_, old, file): &(usize, String, String)| old == file;
        matches!((above, below), (Some(above), Some(below)) if stays(above) && stays(below))
    }

    /// Returns whether a line that goes further in than all those that stand elsewhere is indented
    /// as in the request, and as many lines as stand elsewhere are: neither a shift nor another unit
    /// leaves such a line where it was, so those that stand elsewhere were taken for others.
    fn stays_within(&self) -> bool {
        let told = |(_, old, file): &&(usize, String, String)| !(old.is_empty() && file.is_empty());
        let (kept, moved): (Vec<_>, Vec<_>) = self
            .known
            .iter()
            .filter(told)
            .partition(|(_, old, file)| old == file);
        let deepest = |leads: &[&(usize, String, String)]| {
            leads.iter().map(|(_, old, _)| self.width(old)).max()
        };
        kept.len() >= moved.len() && deepest(&kept) > deepest(&moved)
    }

    /// Returns whether what is further in for the request is further in for the file too.
    fn is_steady(&self) -> bool {
        let mut widths: Vec<(usize, usize)> = self
            .known
            .iter()
            .map(|(_, old, file)| (self.width(old), columns(file)))
            .collect();
        widths.sort_unstable();
        widths.dedup();
        widths
            .windows(2)
            .all(|pair| matches!(pair, [a, b] if a.0 < b.0 && a.1 < b.1))
    }

    /// Returns the file's indentation for one that is known: the commonest, or the nearest
    /// where two are as common.
    fn voted(&self, row: usize, lead: &str) -> Option<String> {
        let mut votes: HashMap<&str, (usize, usize)> = HashMap::new();
        for (index, _, file) in self.known.iter().filter(|(_, old, _)| old == lead) {
            let entry = votes.entry(file).or_insert((0, usize::MAX));
            entry.0 += 1;
            entry.1 = entry.1.min(index.abs_diff(row));
        }
        let best = votes
            .into_iter()
            .max_by_key(|(_, (count, off))| (*count, std::cmp::Reverse(*off)));
        best.map(|(file, _)| file.to_owned())
    }

    /// Returns the shift that all known lines share.
    fn shift(&self) -> Option<Shift<'_>> {
        let (_, old, file) = self.known.first()?;
        if let Some(by) = file.strip_suffix(old.as_str()) {
            let same = |(_, old, file): &(usize, String, String)| {
                file.strip_prefix(by) == Some(old.as_str())
            };
            return self.known.iter().all(same).then_some(Shift::In(by));
        }
        let by = old.strip_suffix(file.as_str())?;
        let same =
            |(_, old, file): &(usize, String, String)| old.strip_prefix(by) == Some(file.as_str());
        self.known.iter().all(same).then_some(Shift::Out(by))
    }

    /// Counts steps from the nearest indentation that is known: the deepest one that is less
    /// deep, or the least deep.
    fn stepped(&self, row: usize, lead: &str) -> Option<String> {
        let (step, unit) = (self.steps().own, self.steps().unit.as_str());
        let width = |lead: &str| self.width(lead);
        let target = width(lead);
        let below = self.known.iter().filter(|(_, old, _)| width(old) < target);
        let below = below
            .max_by_key(|(index, old, _)| (width(old), std::cmp::Reverse(index.abs_diff(row))));
        if let Some((_, old, _)) = below {
            let base = self.voted(row, old)?;
            let more = target - width(old);
            return Some(format!(
                "{base}{}{}",
                unit.repeat(more / step),
                " ".repeat(more % step)
            ));
        }
        let above = self.known.iter().min_by_key(|(_, old, _)| width(old))?;
        let less = width(&above.1) - target;
        if less % step != 0 {
            return None;
        }
        let base = self.voted(row, &above.1)?;
        base.strip_suffix(unit.repeat(less / step).as_str())
            .map(str::to_owned)
    }
}

enum Shift<'a> {
    /// The file has this before the request's indentation.
    In(&'a str),
    /// The request has this before the file's indentation.
    Out(&'a str),
}

/// Returns whether the first line alone lost its indentation, as where text is trimmed before
/// it is sent.
fn first_was_trimmed(known: &[(usize, String, String)]) -> bool {
    let [(_, old, file), rest @ ..] = known else {
        return false;
    };
    old.is_empty()
        && !file.is_empty()
        && rest.iter().any(|(_, old, _)| !old.is_empty())
        && rest
            .iter()
            .all(|(_, old, file)| !old.is_empty() && old == file)
}

/// Makes a step of blanks one that the known lines of the file are indented by several times
/// over: where they are not, most steps of the file are several at once.
fn dividing(unit: String, known: &[(usize, String, String)]) -> String {
    let gcd = |a: usize, b: usize| {
        let (mut a, mut b) = (a, b);
        while b > 0 {
            (a, b) = (b, a % b);
        }
        a
    };
    let blanks = |lead: &String| lead.chars().all(|char| char == ' ');
    let widths = known
        .iter()
        .map(|(_, _, file)| file)
        .filter(|file| blanks(file));
    let common = widths.fold(unit.len(), |common, file| gcd(common, file.len()));
    if unit.starts_with('\t') || common < 2 {
        unit
    } else {
        " ".repeat(common)
    }
}

/// Returns the step that most lines take from one to the next; four blanks where none does.
fn unit(lines: impl Iterator<Item = impl AsRef<str>>) -> String {
    steps(lines).unwrap_or_else(|| "    ".to_owned())
}

fn steps(lines: impl Iterator<Item = impl AsRef<str>>) -> Option<String> {
    let (mut tabs, mut blanks) = (0_usize, 0_usize);
    // By columns, of which a step has two to eight.
    let mut votes = [0_usize; 9];
    let mut last: Option<usize> = None;
    for line in lines {
        let line = line.as_ref();
        let lead = indent(line);
        if line
            .get(lead.len()..)
            .unwrap_or_default()
            .trim_start()
            .is_empty()
        {
            continue;
        }
        if lead.starts_with('\t') {
            tabs += 1;
        } else if !lead.is_empty() {
            blanks += 1;
        }
        let width = columns(lead);
        // Lines come back by several steps at once, so ways in tell more.
        let (step, weight) = match last {
            Some(last) if width > last => (width - last, 100),
            Some(last) => (last - width, 1),
            None => (0, 0),
        };
        if let Some(votes) = votes.get_mut(step).filter(|_| step >= 2) {
            *votes += weight;
        }
        last = Some(width);
    }
    if tabs > blanks {
        return Some("\t".to_owned());
    }
    let voted = votes.iter().enumerate().filter(|(_, votes)| **votes > 0);
    let best = voted.max_by_key(|(step, votes)| (**votes, std::cmp::Reverse(*step)));
    best.map(|(step, _)| " ".repeat(step))
}

/// Returns the step of the request: by how its lines differ from each other; where they do not,
/// by how much of it one step of the file became.
fn own_unit(own: &[&str], known: &[(usize, String, String)], unit: &str) -> String {
    if let Some(step) = by_two(known, unit) {
        return step;
    }
    let by_file = known.iter().find_map(|(_, old, file)| {
        let count = file.strip_prefix(unit).map(|_| file.len() / unit.len())?;
        let exact =
            file.len() % unit.len() == 0 && columns(old).is_multiple_of(count) && !old.is_empty();
        exact.then(|| {
            if old.starts_with('\t') {
                "\t".to_owned()
            } else {
                " ".repeat(columns(old) / count)
            }
        })
    });
    let by_file = by_file
        .filter(|_| known.iter().any(|(_, old, file)| kind(old) != kind(file)) || known.len() < 2);
    by_file
        .or_else(|| steps(own.iter().copied()))
        .unwrap_or_else(|| unit.to_owned())
}

/// Returns the step of the request by two lines that are indented otherwise in both.
fn by_two(known: &[(usize, String, String)], unit: &str) -> Option<String> {
    let (_, first, from) = known.first()?;
    known.iter().find_map(|(_, old, file)| {
        let (own, theirs) = (
            columns(old).abs_diff(columns(first)),
            columns(file).abs_diff(columns(from)),
        );
        let count = theirs / columns(unit).max(1);
        let exact = count > 0 && theirs % columns(unit) == 0 && own % count == 0 && own > 0;
        let tabs = old.starts_with('\t') || first.starts_with('\t');
        exact.then(|| {
            if tabs {
                "\t".to_owned()
            } else {
                " ".repeat(own / count)
            }
        })
    })
}

fn kind(lead: &str) -> Option<char> {
    lead.chars().next()
}

fn columns(lead: &str) -> usize {
    columns_of(lead, TAB)
}

fn columns_of(lead: &str, tab: usize) -> usize {
    lead.chars()
        .map(|char| if char == '\t' { tab } else { 1 })
        .sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(pairs: &[(&str, &str)], file: &str, lead: &str, expected: Option<&str>) {
        let rows = pairs.iter().map(|(old, _)| Row::Context(format!("{old}x")));
        let script = Script {
            rows: rows.chain([Row::Added(format!("{lead}y"))]).collect(),
        };
        let old: Vec<String> = pairs.iter().map(|(old, _)| format!("{old}x")).collect();
        let known: Vec<(usize, &str, String)> = pairs
            .iter()
            .enumerate()
            .map(|(index, (_, file))| (index, old[index].as_str(), format!("{file}x")))
            .collect();
        let source = Source::new(file);
        let beside = Beside::default();
        let indents = Indents::new(&source, &script, &known, false, &beside);
        assert_eq!(
            indents.of(pairs.len(), lead).as_deref(),
            expected,
            "{pairs:?} {lead:?}"
        );
    }

    #[test]
    fn new_lines_are_indented_as_the_file_would() {
        let tabs = "a\n\tb\n\t\tc\n";
        let twos = "a\n  b\n    c\n";
        let fours = "a\n    b\n        c\n";
        check(&[("  ", "  ")], twos, "    ", Some("    "));
        check(
            &[("", "    "), ("    ", "        ")],
            fours,
            "        ",
            Some("            "),
        );
        check(&[("        ", "    ")], fours, "    ", Some(""));
        // The second was taken for another closing bracket.
        check(
            &[("        ", "        "), ("      ", "    "), ("  ", "  ")],
            twos,
            "    ",
            Some("    "),
        );
        check(&[("        ", "    ")], fours, "  ", None);
        check(
            &[("    ", "\t"), ("        ", "\t\t")],
            tabs,
            "            ",
            Some("\t\t\t"),
        );
        check(&[("    ", "\t")], tabs, "        ", Some("\t\t"));
        check(&[("  ", "\t")], tabs, "    ", Some("\t\t"));
        check(&[("\t", "  ")], twos, "\t\t", Some("    "));
        check(
            &[("    ", "  "), ("        ", "    ")],
            twos,
            "            ",
            Some("      "),
        );
        check(&[("        ", "\t\t")], tabs, "    ", Some("\t"));
        check(
            &[("", "    "), ("    ", "    ")],
            fours,
            "    ",
            Some("    "),
        );
    }
}
