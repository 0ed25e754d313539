//! Indentation of added lines.
//!
//! A request is indented as its model writes, the file as it is. The lines that both have show how one becomes the
//! other. Below, `.` is a blank and `>` a tab:
//!
//! ```text
//! request          file           what it shows              written
//! ....if a {       >if a {        4 blanks are one tab
//! +........b();                   8 blanks are not known     >>b();
//! ....}            >}             4 blanks are one tab
//! ```
//!
//! [`Indents::of`] takes the first of these that applies:
//!
//! 1. The lines both have are indented alike, all of them or those around the new one: as in the request.
//! 2. What is further in for the request is not always further in for the file: as in the request if most lines are,
//!    else no answer.
//! 3. The request indents a line that both have in the same way: as the file indents that line.
//! 4. All lines are shifted by the same text: shifted by it as well.
//! 5. Else in levels, counted from the nearest line that is less deep, each the file's own unit.

use std::cell::OnceCell;
use std::cmp::Reverse;

use super::RequestContext;
use crate::edit::locate::script::{Row, Script};
use crate::text::Source;
use crate::text::indent::{Lead, Shift, Unit, columns, leading};

/// The unit of a file that shows none.
const DEFAULT_UNIT: Unit = Unit::Spaces(4);

/// Indentation as the request has it and as the file has it.
#[derive(Clone, Debug)]
pub(super) struct Indents<'a> {
    source: &'a Source,
    /// The lines of the request.
    asked: Vec<&'a str>,
    known: Vec<Known>,
    /// The unit of the file, shared by all parts of a request.
    unit: &'a OnceCell<Unit>,
    /// Computed on first use.
    levels: OnceCell<Levels>,
}

/// How a line that request and file share is indented.
#[derive(Clone, Debug)]
struct Known {
    /// The row of the request; `usize::MAX` for one of another part of it.
    row: usize,
    lead: Lead,
}

/// One level of indentation in request and file.
#[derive(Clone, Debug)]
struct Levels {
    /// Columns of one level in the request.
    asked: usize,
    /// One level in the file.
    unit: Unit,
    /// True if the request is indented by another unit than the file.
    resized: bool,
}

impl Known {
    /// Returns the columns of the file's indentation.
    fn file_width(&self) -> usize {
        columns(&self.lead.file, Unit::Tab.width())
    }

    /// Returns the columns of the request's indentation.
    fn asked_width(&self) -> usize {
        columns(&self.lead.asked, Unit::Tab.width())
    }
}

impl<'a> Indents<'a> {
    /// Compares rows with the lines that they stand on; those of the rest of the request count
    /// where none of these lines is indented.
    pub(super) fn new(
        source: &'a Source,
        script: &'a Script,
        pairs: &[(usize, &str, String)],
        widened: bool,
        beside: &'a RequestContext,
    ) -> Self {
        let told = pairs.iter().filter(|(_, row, _)| !row.trim().is_empty());
        let mut known: Vec<Known> = told
            .map(|(row, asked, file)| Known {
                row: *row,
                lead: Lead {
                    asked: leading(asked).to_owned(),
                    file: leading(file).to_owned(),
                },
            })
            .collect();
        if known.len() > 1 && widened {
            known.remove(0);
        }
        if known.iter().all(|known| known.lead.is_flush()) {
            let others = beside.leads.iter().cloned();
            known.extend(others.map(|lead| Known {
                row: usize::MAX,
                lead,
            }));
        }
        Self {
            source,
            asked: script.rows.iter().map(Row::text).collect(),
            known,
            unit: &beside.unit,
            levels: OnceCell::new(),
        }
    }

    fn levels(&self) -> &Levels {
        self.levels.get_or_init(|| {
            let unit = self
                .unit
                .get_or_init(|| Unit::of(self.source).unwrap_or(DEFAULT_UNIT));
            let unit = dividing(*unit, &self.known);
            let own = Unit::of_lines(self.asked.iter());
            Levels {
                asked: asked_level(own, &self.known, unit).max(1),
                resized: own.is_some_and(|own| own != unit),
                unit,
            }
        })
    }

    /// Returns how many columns an indentation of the request has.
    fn width(&self, lead: &str) -> usize {
        if lead.contains('\t') {
            columns(lead, self.levels().asked)
        } else {
            lead.chars().count()
        }
    }

    /// Returns how the file would indent a line that the request indents by `lead`; `row` is
    /// where it stands. `None` where that is ambiguous.
    pub(super) fn of(&self, row: usize, lead: &str) -> Option<String> {
        let kept = self
            .known
            .iter()
            .filter(|known| known.lead.is_kept())
            .count();
        if kept == self.known.len() || self.stays_around(row) || self.stays_within() {
            return Some(lead.to_owned());
        }
        if !self.is_steady() {
            // Some lines stand elsewhere than in the request; most tell whether that is the rule.
            return (kept * 2 > self.known.len()).then(|| lead.to_owned());
        }
        if let Some(nearest) = self.nearest(row, lead) {
            return Some(nearest);
        }
        match Shift::of(self.known.iter().map(|known| &known.lead)) {
            Some(shift) if !self.is_one_level() => shift.applied(lead),
            _ => self.stepped(row, lead),
        }
    }

    /// Returns whether the one indentation that is known is as many levels deep in both, in other
    /// units: then that it is shifted says nothing of deeper lines.
    fn is_one_level(&self) -> bool {
        let Some(first) = self.known.first() else {
            return false;
        };
        let (level, unit) = (self.levels().asked, self.levels().unit.width());
        let deep = |known: &Known| {
            let (asked, file) = (self.width(&known.lead.asked), known.file_width());
            let whole = asked.is_multiple_of(level) && file.is_multiple_of(unit);
            asked > 0 && whole && asked / level == file / unit
        };
        let mut known = self.known.iter();
        self.levels().resized
            && known.all(|known| known.lead.asked == first.lead.asked && deep(known))
    }

    /// Returns whether the indented lines next to a row, above it and below, are indented as in the
    /// request. Lines further off that are not stand in a block that the file has had put in or taken away:
    ///
    /// ```text
    /// request      file
    /// ....a();     ....a();        kept
    /// +....b();                    between two lines that are kept
    /// ....c();     ....c();        kept
    /// ....d();     ........d();    within an `if` that the request does not know
    /// ```
    fn stays_around(&self, row: usize) -> bool {
        let told = || self.known.iter().filter(|known| !known.lead.is_flush());
        let above = told().rev().find(|known| known.row < row);
        let below = told().find(|known| known.row > row);
        matches!((above, below), (Some(above), Some(below)) if above.lead.is_kept() && below.lead.is_kept())
    }

    /// Returns whether the deepest line is indented as in the request, and at least half of the lines are:
    ///
    /// ```text
    /// request       file
    /// ........a)    ........a)    kept, and deeper than every line that is not
    /// ......}       ....}         moved: it was taken for another closing brace
    /// ..b           ..b           kept
    /// ```
    ///
    /// A block that was shifted, or a file that is indented by another unit, would have moved the deepest line too.
    /// So the lines that moved were taken for others, and show nothing.
    fn stays_within(&self) -> bool {
        let told = self.known.iter().filter(|known| !known.lead.is_flush());
        let (kept, moved): (Vec<&Known>, Vec<&Known>) =
            told.partition(|known| known.lead.is_kept());
        let deepest = |known: &[&Known]| {
            let widths = known.iter().map(|known| self.width(&known.lead.asked));
            widths.max()
        };
        kept.len() >= moved.len() && deepest(&kept) > deepest(&moved)
    }

    /// Returns whether what is further in for the request is further in for the file too.
    fn is_steady(&self) -> bool {
        let mut widths: Vec<(usize, usize)> = self
            .known
            .iter()
            .map(|known| (self.width(&known.lead.asked), known.file_width()))
            .collect();
        widths.sort_unstable();
        widths.dedup();
        widths
            .windows(2)
            .all(|pair| matches!(pair, [a, b] if a.0 < b.0 && a.1 < b.1))
    }

    /// Returns the file's indentation for one that is known: that of the nearest line that has it. All of them are as
    /// wide, where indentation is steady.
    fn nearest(&self, row: usize, lead: &str) -> Option<String> {
        let same = self.known.iter().filter(|known| known.lead.asked == lead);
        let nearest = same.min_by_key(|known| known.row.abs_diff(row))?;
        Some(nearest.lead.file.clone())
    }

    /// Counts levels from the nearest indentation that is known: the deepest one that is less
    /// deep, or the least deep.
    fn stepped(&self, row: usize, lead: &str) -> Option<String> {
        let (level, unit) = (self.levels().asked, self.levels().unit);
        let width = |known: &Known| self.width(&known.lead.asked);
        let target = self.width(lead);
        let below = self.known.iter().filter(|known| width(known) < target);
        let below = below.max_by_key(|known| (width(known), Reverse(known.row.abs_diff(row))));
        if let Some(below) = below {
            let base = self.nearest(row, &below.lead.asked)?;
            let more = target - width(below);
            let rest = " ".repeat(more % level);
            return Some(format!("{base}{}{rest}", unit.levels(more / level)));
        }
        let above = self.known.iter().min_by_key(|known| width(known))?;
        let less = width(above) - target;
        let base = self.nearest(row, &above.lead.asked)?;
        let outer = base.strip_suffix(unit.levels(less / level).as_str());
        outer
            .filter(|_| less.is_multiple_of(level))
            .map(str::to_owned)
    }
}

/// Returns a level of blanks that the indentation of every known line of the file is a multiple of: in a file whose
/// lines are mostly 4 blanks further in than the line above, known lines at 2 and 6 blanks make the level 2. Most steps
/// of such a file are several levels at once.
fn dividing(unit: Unit, known: &[Known]) -> Unit {
    let Unit::Spaces(width) = unit else {
        return unit;
    };
    let leads = known.iter().map(|known| known.lead.file.as_str());
    let common = leads
        .filter(|lead| lead.chars().all(|char| char == ' '))
        .map(str::len)
        .fold(width, |a, b| {
            let (mut a, mut b) = (a, b);
            while b > 0 {
                (a, b) = (b, a % b);
            }
            a
        });
    if common < 2 {
        unit
    } else {
        Unit::Spaces(common)
    }
}

/// Returns the columns of one level in the request: by two lines that differ in both texts, else
/// by one line, else by how its own lines differ (`own`), else as the file has it.
fn asked_level(own: Option<Unit>, known: &[Known], unit: Unit) -> usize {
    let level = by_two(known, unit).or_else(|| by_one(known, unit));
    level.unwrap_or_else(|| own.unwrap_or(unit).width())
}

/// Returns the columns of one level in the request by the first line that tells. One of several lines tells nothing
/// where all are indented by blanks, or all by tabs, in both texts.
fn by_one(known: &[Known], unit: Unit) -> Option<usize> {
    let tells = known.len() < 2
        || known
            .iter()
            .any(|Known { lead, .. }| lead.asked.chars().next() != lead.file.chars().next());
    let mut levels = known.iter().filter_map(|known| by_line(known, unit));
    levels.next().filter(|_| tells)
}

/// Returns the columns of one level in the request by two lines that are indented otherwise in
/// both texts.
fn by_two(known: &[Known], unit: Unit) -> Option<usize> {
    let first = known.first()?;
    known.iter().find_map(|known| {
        let asked = known.asked_width().abs_diff(first.asked_width());
        let file = known.file_width().abs_diff(first.file_width());
        let tabs = [known, first]
            .iter()
            .any(|known| known.lead.asked.starts_with('\t'));
        level(asked, file, unit).map(|level| if tabs { Unit::Tab.width() } else { level })
    })
}

/// Returns the columns of one level in the request by one line that is whole levels deep in the file.
fn by_line(known: &Known, unit: Unit) -> Option<usize> {
    let file = known.file_width();
    if known.lead.file != unit.levels(file / unit.width()) {
        return None;
    }
    let level = level(known.asked_width(), file, unit)?;
    let tabs = known.lead.asked.starts_with('\t');
    Some(if tabs { Unit::Tab.width() } else { level })
}

/// Returns the columns of a level where `asked` columns are as many levels as `file` columns of
/// the file are.
fn level(asked: usize, file: usize, unit: Unit) -> Option<usize> {
    let count = file / unit.width();
    let whole =
        count > 0 && file.is_multiple_of(unit.width()) && asked > 0 && asked.is_multiple_of(count);
    whole.then(|| asked / count)
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
        let beside = RequestContext::default();
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
        check(
            &[("    ", "\t"), ("    ", "\t")],
            tabs,
            "        ",
            Some("\t\t"),
        );
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
