//! Normal form of a line at a level of looseness.
//!
//! In: a line. Out: its normal form at a [`Level`], and the [`Cell`]s that lead from every
//! character of that form back to the bytes it stands for.

use unicode_normalization::char::is_combining_mark;
use unicode_normalization::{UnicodeNormalization, is_nfc};

use crate::budget::Budget;
use crate::edit::locate::limits::STEPS_PER_BYTE;

/// How much of a line is looked through; each level includes those before it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Level {
    /// Nothing.
    Exact,
    /// Blanks at the end of the line.
    Trailing,
    /// Curly quotes, dashes, odd spaces and invisible characters; and whether an accent is a character of its own.
    Typography,
    /// Indentation, and how many blanks stand between words.
    Blanks,
    /// All blanks.
    Squashed,
}

/// One character of a normal form and the bytes of the line that it stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Cell {
    /// The character.
    pub char: char,
    /// Where its bytes begin.
    pub at: usize,
    /// Where they end.
    pub end: usize,
}

/// Returns the normal form of a line.
pub(crate) fn normal(budget: &Budget, line: &str, level: Level) -> String {
    let mut form = String::with_capacity(line.len());
    push_normal(budget, line, level, &mut form);
    form
}

/// Adds the normal form of a line to `form`.
pub(super) fn push_normal(budget: &Budget, line: &str, level: Level, form: &mut String) {
    match level {
        Level::Exact => form.push_str(line),
        Level::Trailing => form.push_str(line.trim_end()),
        // Nearly every line of code is plain: fold it without a table of cells.
        _ if line.is_ascii() => ascii(line, level, form),
        _ => form.extend(cells(budget, line, level).iter().map(|cell| cell.char)),
    }
}

/// Returns whether `form` is the normal form of a line, without making that.
pub(crate) fn is_form(budget: &Budget, line: &str, form: &str, level: Level) -> bool {
    if level == Level::Exact {
        return line == form;
    }
    if level == Level::Trailing {
        return is_but_for_blanks(line, form);
    }
    // Most lines differ at once.
    if let (Some(own), Some(other)) = (first_sign(line), first_sign(form))
        && own.is_ascii()
        && other.is_ascii()
        && own != other
    {
        return false;
    }
    if !line.is_ascii() {
        return normal(budget, line, level) == form;
    }
    match level {
        Level::Exact | Level::Trailing | Level::Typography => is_but_for_blanks(line, form),
        Level::Blanks | Level::Squashed => {
            let mut rest = form;
            for (index, word) in line.split_whitespace().enumerate() {
                let gap = if index > 0 && level == Level::Blanks {
                    " "
                } else {
                    ""
                };
                let tail = rest
                    .strip_prefix(gap)
                    .and_then(|rest| rest.strip_prefix(word));
                let Some(tail) = tail else { return false };
                rest = tail;
            }
            rest.is_empty()
        }
    }
}

fn first_sign(text: &str) -> Option<u8> {
    text.bytes().find(|byte| *byte > b' ')
}

/// Returns whether a line is `form` and blanks after it.
fn is_but_for_blanks(line: &str, form: &str) -> bool {
    let rest = line.strip_prefix(form);
    rest.is_some_and(|rest| rest.trim_end().is_empty()) && form.trim_end().len() == form.len()
}

fn ascii(line: &str, level: Level, form: &mut String) {
    match level {
        Level::Exact | Level::Trailing | Level::Typography => form.push_str(line.trim_end()),
        Level::Blanks => {
            for (index, word) in line.split_whitespace().enumerate() {
                if index > 0 {
                    form.push(' ');
                }
                form.push_str(word);
            }
        }
        Level::Squashed => line.split_whitespace().for_each(|word| form.push_str(word)),
    }
}

/// Returns where the bytes begin behind those that the first `count` characters of a line's normal
/// form stand for.
pub(super) fn end_of(budget: &Budget, line: &str, level: Level, count: usize) -> usize {
    // What is plain and long need not be taken apart.
    if level <= Level::Typography && line.is_ascii() {
        return match line.trim_end().len() {
            end if count < end => count,
            _ => line.len(),
        };
    }
    if line.is_ascii() {
        return match budget.spend(line.len() * STEPS_PER_BYTE) {
            Ok(()) => ascii_end_of(line, level, count),
            Err(_) => line.len(),
        };
    }
    let cells = cells(budget, line, level);
    cells.get(count).map_or(line.len(), |cell| cell.at)
}

/// Returns what [`end_of`] does of a plain line where blanks are looked through, without a table of cells: that of a line of
/// 4 MB has 96 MB.
fn ascii_end_of(line: &str, level: Level, count: usize) -> usize {
    let mut seen = 0;
    let mut is_in_blanks = true;
    for (at, char) in line.trim_end().char_indices() {
        let is_blank = char.is_whitespace();
        if !is_blank || level == Level::Blanks && !is_in_blanks {
            if seen == count {
                return at;
            }
            seen += 1;
        }
        is_in_blanks = is_blank;
    }
    line.len()
}

/// Returns the cells of a line's normal form; none once the budget has run out.
pub(crate) fn cells(budget: &Budget, line: &str, level: Level) -> Vec<Cell> {
    if budget.spend(line.len() * STEPS_PER_BYTE).is_err() {
        return Vec::new();
    }
    unspent_cells(line, level)
}

/// Returns the cells of the normal form of a few characters, which no budget is worth.
pub(crate) fn unspent_cells(line: &str, level: Level) -> Vec<Cell> {
    let mut cells: Vec<Cell> = Vec::with_capacity(line.len());
    let mut past = 0;
    for (at, char) in line.char_indices() {
        if at < past {
            continue;
        }
        let end = at + char.len_utf8();
        if level >= Level::Typography
            && let Some((composed, end)) = composed(line, at)
        {
            past = end;
            cells.extend(composed.map(|char| Cell { char, at, end }));
            continue;
        }
        let blank = char.is_whitespace();
        if level >= Level::Typography && is_invisible(char) {
            continue;
        }
        match (level, blank) {
            (Level::Squashed, true) => {}
            (Level::Blanks, true) => match cells.last_mut() {
                Some(last) if last.char == ' ' => last.end = end,
                Some(_) => cells.push(Cell { char: ' ', at, end }),
                None => {}
            },
            (Level::Typography, true) if char != '\t' => cells.push(Cell { char: ' ', at, end }),
            (Level::Exact | Level::Trailing, _) | (_, true) => cells.push(Cell { char, at, end }),
            (_, false) => folded(char)
                .chars(char)
                .for_each(|char| cells.push(Cell { char, at, end })),
        }
    }
    while cells.last().is_some_and(|cell| cell.char.is_whitespace()) {
        cells.pop();
    }
    cells
}

/// Returns a letter and the marks on it in canonical composition, and where they end: `e\u{301}` is `\u{e9}`. Nothing
/// where they are composed as they stand.
fn composed(line: &str, at: usize) -> Option<(impl Iterator<Item = char>, usize)> {
    let rest = line.get(at..)?;
    let mut chars = rest.char_indices();
    let (_, first) = chars.next()?;
    let is_mark = |char: char| is_combining_mark(char) || HANGUL_ENDS.contains(&char);
    let len = chars
        .find(|(_, char)| !is_mark(*char))
        .map_or(rest.len(), |(at, _)| at);
    if first.is_ascii() && len == 1 {
        return None;
    }
    let cluster = rest.get(..len)?;
    (!is_nfc(cluster)).then(|| (cluster.nfc(), at + len))
}

/// The vowels and last consonants of Korean syllables that are written in parts.
const HANGUL_ENDS: std::ops::RangeInclusive<char> = '\u{1160}'..='\u{11ff}';

/// Returns whether a character looks like another one that is on every keyboard.
pub(crate) fn is_fancy(char: char) -> bool {
    !char.is_ascii() && (is_invisible(char) || char.is_whitespace() || folded(char) != Fold::Same)
}

/// Returns whether the words of a line may be others in its normal form.
pub(super) fn is_odd(line: &str) -> bool {
    line.chars().any(is_fancy) || !is_nfc(line)
}

/// Returns how much a text says: its letters and digits.
pub(crate) fn letters(text: &str) -> usize {
    if text.is_ascii() {
        return text.bytes().filter(u8::is_ascii_alphanumeric).count();
    }
    text.chars().filter(|char| char.is_alphanumeric()).count()
}

/// Returns whether a character takes no room.
pub(crate) fn is_invisible(char: char) -> bool {
    matches!(
        char,
        '\u{200b}'..='\u{200d}' | '\u{2060}' | '\u{feff}' | '\u{ad}'
    )
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Fold {
    Same,
    One(char),
    Dots,
}

impl Fold {
    fn chars(self, own: char) -> impl Iterator<Item = char> {
        let (char, count) = match self {
            Self::Same => (own, 1),
            Self::One(char) => (char, 1),
            Self::Dots => ('.', 3),
        };
        std::iter::repeat_n(char, count)
    }
}

fn folded(char: char) -> Fold {
    match char {
        '\u{2018}'..='\u{201b}' | '\u{2032}' | '\u{2b9}' | '\u{2bc}' | '\u{ff07}' | '\u{b4}' => {
            Fold::One('\'')
        }
        '\u{201c}'..='\u{201f}' | '\u{2033}' | '\u{ab}' | '\u{bb}' | '\u{ff02}' => Fold::One('"'),
        '\u{2010}'..='\u{2015}' | '\u{2212}' | '\u{fe58}' | '\u{fe63}' | '\u{ff0d}' => {
            Fold::One('-')
        }
        '\u{2026}' => Fold::Dots,
        '\u{2024}' => Fold::One('.'),
        _ => Fold::Same,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn normal(line: &str, level: Level) -> String {
        super::normal(&Budget::default(), line, level)
    }

    fn cells(line: &str, level: Level) -> Vec<Cell> {
        super::cells(&Budget::default(), line, level)
    }

    fn is_form(line: &str, form: &str, level: Level) -> bool {
        super::is_form(&Budget::default(), line, form, level)
    }

    #[test]
    fn each_level_looks_through_more() {
        let check = |line: &str, forms: [&str; 4]| {
            let levels = [
                Level::Trailing,
                Level::Typography,
                Level::Blanks,
                Level::Squashed,
            ];
            assert_eq!(levels.map(|level| normal(line, level)), forms, "{line:?}");
            for level in levels {
                let form: String = cells(line, level).iter().map(|cell| cell.char).collect();
                assert_eq!(form, normal(line, level), "{line:?} {level:?}");
                assert!(is_form(line, &form, level) && !is_form(line, &format!("{form}x"), level));
            }
        };
        check("\ta  = b ", ["\ta  = b", "\ta  = b", "a = b", "a=b"]);
        check(
            "“a”\u{a0}—…\u{200b} ",
            [
                "“a”\u{a0}—…\u{200b}",
                "\"a\" -...",
                "\"a\" -...",
                "\"a\"-...",
            ],
        );
        check("   ", ["", "", "", ""]);
    }

    #[test]
    fn canonically_equivalent_lines_have_one_form() {
        for (composed, parts) in [
            ("caf\u{e9} x", "cafe\u{301} x"),
            ("\u{1eb7}", "a\u{306}\u{323}"),
            ("\u{1eb7}", "a\u{323}\u{306}"),
            ("\u{ac01}", "\u{1100}\u{1161}\u{11a8}"),
            ("\u{c5}", "\u{212b}"),
        ] {
            for level in [Level::Typography, Level::Blanks, Level::Squashed] {
                let form = normal(composed, level);
                assert_eq!(normal(parts, level), form, "{parts:?}");
                assert!(is_form(parts, &form, level) && is_form(composed, &form, level));
            }
            assert_ne!(
                normal(parts, Level::Trailing),
                normal(composed, Level::Trailing)
            );
        }
        let line = "ae\u{301}x\u{302}";
        let back: Vec<&str> = cells(line, Level::Blanks)
            .iter()
            .map(|cell| &line[cell.at..cell.end])
            .collect();
        assert_eq!(back, ["a", "e\u{301}", "x", "\u{302}"]);
    }

    #[test]
    fn cells_of_a_normalised_line_lead_back_to_its_bytes() {
        let line = "  a \t “b”";
        let back: Vec<&str> = cells(line, Level::Blanks)
            .iter()
            .map(|cell| &line[cell.at..cell.end])
            .collect();
        assert_eq!(back, ["a", " \t ", "“", "b", "”"]);
    }

    #[test]
    fn a_plain_line_is_taken_apart_as_by_its_cells() {
        let budget = Budget::default();
        for line in [
            "",
            " ",
            "a",
            "  a  b\t c  ",
            "x x x",
            "\u{b}a\u{b}\u{b}b",
            "ab c",
        ] {
            for level in [Level::Blanks, Level::Squashed] {
                let cells = unspent_cells(line, level);
                for count in 0..=cells.len() + 1 {
                    let expected = cells.get(count).map_or(line.len(), |cell| cell.at);
                    let found = end_of(&budget, line, level, count);
                    assert_eq!(found, expected, "{line:?} {level:?} {count}");
                }
            }
        }
    }
}
