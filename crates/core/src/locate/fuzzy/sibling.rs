//! Whether lines that nearly fit belong to a sibling of the block that is meant.
//!
//! In: the rows of a change and where they stand. Out: whether what reads otherwise there says that it
//! is another block. Lines that are left out or put in are how a place looks that was remembered badly,
//! or that has moved on; lines that read otherwise are how its sibling looks.

use std::ops::Range;

use super::align::{Path, Step};
use super::form;
use crate::locate::loose::Views;
use crate::locate::loose::elision::is_elision;
use crate::locate::loose::normal::letters;
use crate::locate::loose::view::string;
use crate::locate::script::{Row, Script};

/// A line with fewer letters stands in any block.
const TELLING: usize = 4;
/// The least that has to be there as it is, in letters: with less, any block will do.
const LEAST: usize = 20;
/// The least where what goes is all of it: no line around it tells its copies apart.
const LEAST_ALONE: usize = 60;
/// Words after which a name is given, in any of the languages.
const NAMING: [&str; 19] = [
    "fn",
    "def",
    "class",
    "struct",
    "enum",
    "union",
    "trait",
    "impl",
    "interface",
    "function",
    "func",
    "type",
    "mod",
    "module",
    "namespace",
    "macro_rules",
    "describe",
    "test",
    "it",
];
/// Words that may stand before those.
const BEFORE: [&str; 21] = [
    "pub",
    "crate",
    "super",
    "in",
    "async",
    "unsafe",
    "const",
    "extern",
    "C",
    "default",
    "export",
    "declare",
    "abstract",
    "static",
    "public",
    "private",
    "protected",
    "final",
    "override",
    "inline",
    "virtual",
];

/// What speaks for a path leading to a sibling of the block that is meant.
pub(super) struct Likeness {
    /// Something has another name there.
    pub(super) named: bool,
    /// Too little is as it is.
    pub(super) little: bool,
    /// So many lines are as likely other lines as reworded ones.
    otherwise: usize,
    /// So many lines are like their rows but read otherwise.
    reworded: usize,
}

impl Likeness {
    /// Looks at what stands in the place of rows that are not as given.
    pub(super) fn of(views: &Views<'_>, script: &Script, rows: &[&Row], path: &Path) -> Self {
        let reworded = |step: &&Step| matches!(step, Step::Reworded(_));
        let paragraphs = paragraphs(script);
        let mut found = Self {
            named: false,
            little: path.defects() > 0 && says_little(rows, path),
            otherwise: 0,
            reworded: path.steps.iter().filter(reworded).count(),
        };
        for run in runs(path) {
            let gap: Vec<String> = gap(views, path, &run)
                .map(|line| string(views.source(), line).into_owned())
                .filter(|text| letters(text) >= TELLING)
                .collect();
            let own: Vec<(usize, &str)> = run
                .filter_map(|index| Some((index, rows.get(index)?.text())))
                .filter(|(index, text)| {
                    letters(text) >= TELLING
                        && !is_elision(text)
                        && !is_part(views, path, *index, text)
                })
                .collect();
            found.otherwise += own.len().min(gap.len());
            let theirs: Vec<&str> = gap.iter().filter_map(|text| named(text)).collect();
            let mut names = own
                .iter()
                .filter(|(index, _)| paragraphs.get(*index) == Some(&true))
                .filter_map(|(_, text)| named(text));
            found.named |= !theirs.is_empty() && names.any(|name| !theirs.contains(&name));
        }
        found
    }

    /// Returns whether it is a sibling, as likely as not: something has another name, several lines
    /// read otherwise and are alike or another place is nearly as good (`pressed`), or too little is
    /// as it is.
    pub(super) fn is_sibling(&self, pressed: bool) -> bool {
        let several = self.otherwise > 1 && (self.reworded > 1 || pressed);
        self.named || self.little || several
    }
}

/// Returns, for each row that is in the text before, whether its name would be one of what changes:
/// it stands above a change, or below it without a blank line between them.
fn paragraphs(script: &Script) -> Vec<bool> {
    let last = script.rows.iter().rposition(|row| !row.is_context());
    let last = last.unwrap_or_default();
    let mut apart = false;
    let mut found = Vec::with_capacity(script.rows.len());
    for (index, row) in script.rows.iter().enumerate() {
        apart |= index > last && row.text().trim().is_empty();
        if row.is_before() {
            found.push(!apart);
        }
    }
    found
}

/// Returns whether what stands as it is would stand in many a block.
fn says_little(rows: &[&Row], path: &Path) -> bool {
    let mut said = 0;
    let mut told = false;
    for (row, step) in rows.iter().zip(&path.steps) {
        if matches!(step, Step::Same(_)) {
            let letters = letters(row.text());
            said += letters;
            told |= row.is_context() && letters >= TELLING;
        }
    }
    said < if told { LEAST } else { LEAST_ALONE }
}

/// Returns the runs of rows that do not stand as they are.
fn runs(path: &Path) -> Vec<Range<usize>> {
    let mut runs: Vec<Range<usize>> = Vec::new();
    for (index, step) in path.steps.iter().enumerate() {
        match (step, runs.last_mut()) {
            (Step::Same(_), _) => {}
            (_, Some(last)) if last.end == index => last.end = index + 1,
            _ => runs.push(index..index + 1),
        }
    }
    runs
}

/// Returns the lines of the file between those that the rows around a run stand on; as many as the
/// run has where there is none.
fn gap(views: &Views<'_>, path: &Path, run: &Range<usize>) -> Range<usize> {
    let line = |index: Option<usize>| {
        index
            .and_then(|index| path.steps.get(index))
            .and_then(Step::line)
    };
    let above = line(run.start.checked_sub(1)).map(|line| line + 1);
    let below = line(Some(run.end));
    match (above, below) {
        (Some(above), Some(below)) => above..below,
        (Some(above), None) => above..(above + run.len()).min(views.source().line_count()),
        (None, Some(below)) => below.saturating_sub(run.len())..below,
        (None, None) => 0..0,
    }
}

/// Returns whether a row at the edge of the request is the end or the beginning of the line next to
/// those that stand: not every request is cut at the ends of lines.
fn is_part(views: &Views<'_>, path: &Path, index: usize, text: &str) -> bool {
    let line = |index: Option<usize>| {
        index
            .and_then(|index| path.steps.get(index))
            .and_then(Step::line)
    };
    let file = |line: usize| form(&string(views.source(), line));
    let form = form(text);
    let first = index == 0 && {
        let above = line(Some(1)).and_then(|line| line.checked_sub(1));
        above.is_some_and(|line| file(line).ends_with(&form))
    };
    let last = index + 1 == path.steps.len() && {
        let below = line(index.checked_sub(1)).map(|line| line + 1);
        below
            .is_some_and(|line| line < views.source().line_count() && file(line).starts_with(&form))
    };
    first || last
}

/// Returns the name that a line gives to what it begins.
pub(super) fn named(line: &str) -> Option<&str> {
    let mut rest = line.trim_start();
    loop {
        let end = rest
            .find(|char: char| !(char.is_alphanumeric() || char == '_'))
            .unwrap_or(rest.len());
        let (word, tail) = rest.split_at_checked(end)?;
        match word {
            // An implementation is told by its types; a method in Go is named behind its receiver.
            "impl" => return tail.split('{').next().map(str::trim),
            "func" if tail.trim_start().starts_with('(') => {
                return name(tail.split_once(')').map_or(tail, |(_, tail)| tail));
            }
            word if NAMING.contains(&word) => return name(tail),
            _ => {}
        }
        if !BEFORE.contains(&word) {
            return None;
        }
        rest = tail.trim_start_matches([' ', '\t', '(', ')', '"']);
    }
}

/// Returns the name, or the text in quotes, with which a line goes on.
fn name(tail: &str) -> Option<&str> {
    let tail = tail.trim_start_matches([' ', '\t', '!', '*', '(']);
    let quote = tail.chars().next().filter(|char| "\"'`".contains(*char));
    let name = match quote {
        Some(quote) => tail.get(1..)?.split(quote).next()?,
        None => tail
            .split(|char: char| !(char.is_alphanumeric() || "_:<>".contains(char)))
            .next()?,
    };
    (!name.is_empty()).then_some(name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_follows_the_word_that_gives_it() {
        let check =
            |line: &str, expected: Option<&str>| assert_eq!(named(line), expected, "{line}");
        check("    pub(crate) async fn load(path: &str) {", Some("load"));
        check("pub unsafe extern \"C\" fn load() {", Some("load"));
        check("export default class Panel extends Base {", Some("Panel"));
        check("  it('is empty', () => {", Some("is empty"));
        check("impl<T> From<T> for Row {", Some("<T> From<T> for Row"));
        check("func (r *Row) Name() string {", Some("Name"));
        check("macro_rules! rows {", Some("rows"));
        check("    def rest(self, items):", Some("rest"));
        check("/// It is of type `Row`.", None);
        check("let total = 1;", None);
        check("pub", None);
        check("", None);
    }
}
