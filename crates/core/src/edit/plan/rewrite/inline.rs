//! Splices within a line.
//!
//! In: a line as the request has it before and after, and as the file has it. Out: the file's
//! line with what differs between the two, and nothing else. Where the file's line shows that
//! the request copied it with other quotes, dashes or blanks, what is new gets the file's.

use std::collections::HashMap;

use crate::budget::Budget;
use crate::edit::diff::lines::diff_lines;
use crate::edit::locate::loose::normal::{
    Cell, Level, cells, is_fancy, is_invisible, normal, unspent_cells,
};
use crate::text::Slice;
use crate::word::is_word;

/// What the request got wrong in copying, all over the lines that it shares with the file.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Noise {
    /// Characters that stand for others.
    chars: HashMap<char, String>,
    /// Characters that look like others and are the file's own.
    real: Vec<char>,
    /// True if it has blanks at line ends where the file has none.
    pub(super) trailing: bool,
}

impl Noise {
    /// Compares rows with the lines that they stand on.
    pub(super) fn new(budget: &Budget, pairs: &[(usize, &str, String)]) -> Self {
        let mut noise = Self::default();
        let mut real: Vec<char> = Vec::new();
        for (_, row, file) in pairs {
            noise.trailing |=
                row.trim_end().len() < row.len() && file.trim_end().len() == file.len();
            if row.is_ascii() {
                continue;
            }
            let (own, theirs) = (
                cells(budget, row, Level::Blanks),
                cells(budget, file, Level::Blanks),
            );
            if !own
                .iter()
                .map(|cell| cell.char)
                .eq(theirs.iter().map(|cell| cell.char))
            {
                continue;
            }
            for (own, theirs) in own.iter().zip(&theirs) {
                let (own, theirs) = (cell_text(row, own), cell_text(file, theirs));
                match own.chars().next().filter(|char| is_fancy(*char)) {
                    Some(char) if own == theirs => real.push(char),
                    Some(char) if theirs.is_ascii() => {
                        let theirs = if char == '…' {
                            "...".to_owned()
                        } else {
                            theirs
                        };
                        noise.chars.insert(char, theirs);
                    }
                    _ => {}
                }
            }
        }
        for char in &real {
            noise.chars.remove(char);
        }
        noise.real = real;
        noise
    }

    /// Returns whether a character of the same kind stands for another: curly quotes say nothing
    /// of dashes.
    fn has_like(&self, char: char) -> bool {
        self.chars.keys().any(|own| kind(*own) == kind(char))
    }

    /// Returns text that comes new, as the file would have it.
    pub(super) fn fresh(&self, text: &str) -> String {
        let text = if self.trailing { text.trim_end() } else { text };
        if self.chars.is_empty() {
            return text.to_owned();
        }
        let mut out = String::with_capacity(text.len());
        for char in text.chars() {
            match self.chars.get(&char) {
                Some(plain) => out.push_str(plain),
                // Where some of a kind are wrong and none is right, all are.
                None if is_fancy(char) && !self.real.contains(&char) && self.has_like(char) => {
                    let own = char.to_string();
                    out.extend(
                        unspent_cells(&format!("x{own}x"), Level::Typography)
                            .iter()
                            .skip(1)
                            .map(|cell| cell.char),
                    );
                    out.pop();
                }
                None => out.push(char),
            }
        }
        out
    }
}

fn cell_text(line: &str, cell: &Cell) -> String {
    line.get(cell.at..cell.end).unwrap_or_default().to_owned()
}

/// The kinds of characters that models write for plain ones.
#[derive(PartialEq, Eq)]
enum TypographyKind {
    Blank,
    Quote,
    Other,
}

fn kind(char: char) -> TypographyKind {
    if char.is_whitespace() || is_invisible(char) {
        return TypographyKind::Blank;
    }
    let plain = unspent_cells(char.encode_utf8(&mut [0; 4]), Level::Typography);
    match plain.first().map(|cell| cell.char) {
        Some('\'' | '"' | '`') => TypographyKind::Quote,
        _ => TypographyKind::Other,
    }
}

/// Returns the file's line after the change from `old` to `new`; all three without indentation.
pub(super) fn merged(
    budget: &Budget,
    (old, new): (&str, &str),
    file: &str,
    noise: &Noise,
) -> String {
    // The blanks at the end of the file's line went with it, unless the new line has some as well.
    let tail = if trailing_blanks(new).is_empty() {
        String::new()
    } else if trailing_blanks(old) == trailing_blanks(new) {
        trailing_blanks(file)
    } else if noise.trailing {
        String::new()
    } else {
        trailing_blanks(new)
    };
    let (old, new, file) = (old.trim_end(), new.trim_end(), file.trim_end());
    if old == file {
        // Nothing of this line was copied wrongly; only what is new can be.
        return format!("{}{tail}", spliced(old, new, file, None, noise));
    }
    let (own, theirs) = (
        cells(budget, old, Level::Blanks),
        cells(budget, file, Level::Blanks),
    );
    if own
        .iter()
        .map(|cell| cell.char)
        .eq(theirs.iter().map(|cell| cell.char))
    {
        return format!(
            "{}{tail}",
            spliced(old, new, file, Some((&own, &theirs)), noise)
        );
    }
    if normal(budget, old, Level::Squashed) == normal(budget, new, Level::Squashed) {
        return format!("{file}{tail}");
    }
    format!("{}{tail}", noise.fresh(new))
}

fn trailing_blanks(text: &str) -> String {
    text.slice(text.trim_end().len()..).to_owned()
}

/// Returns whether one line may have become another.
pub(super) fn are_alike(old: &str, new: &str) -> bool {
    let (short, long) = (old.len().min(new.len()), old.len().max(new.len()));
    let head = old
        .bytes()
        .zip(new.bytes())
        .take_while(|(a, b)| a == b)
        .count();
    let room = short - head.min(short);
    let tail = old
        .bytes()
        .rev()
        .zip(new.bytes().rev())
        .take(room)
        .take_while(|(a, b)| a == b)
        .count();
    (head + tail) * 10 >= long * 6
}

/// Puts what differs between `old` and `new` into `file`; `cells` lead from one to the other
/// where they are not the same.
fn spliced(
    old: &str,
    new: &str,
    file: &str,
    cells: Option<(&[Cell], &[Cell])>,
    noise: &Noise,
) -> String {
    let (old_tokens, new_tokens) = (tokens(old), tokens(new));
    let old_bytes: Vec<&[u8]> = old_tokens.iter().map(|token| token.as_bytes()).collect();
    let new_bytes: Vec<&[u8]> = new_tokens.iter().map(|token| token.as_bytes()).collect();
    let (old_starts, new_starts) = (starts(&old_tokens), starts(&new_tokens));
    let place = |byte: usize| match cells {
        None => byte,
        Some((own, theirs)) => {
            let index = own.partition_point(|cell| cell.at < byte);
            theirs.get(index).map_or(file.len(), |cell| cell.at)
        }
    };
    let mut out = String::with_capacity(file.len() + new.len());
    let mut done = 0;
    for change in diff_lines(&old_bytes, &new_bytes) {
        let from = place(start_of(&old_starts, change.old.start));
        let to = place(start_of(&old_starts, change.old.end));
        out.push_str(file.get(done..from).unwrap_or_default());
        let put =
            new.get(start_of(&new_starts, change.new.start)..start_of(&new_starts, change.new.end));
        out.push_str(&noise.fresh_part(put.unwrap_or_default()));
        done = to.max(done);
    }
    out.push_str(file.get(done..).unwrap_or_default());
    out
}

fn start_of(starts: &[usize], index: usize) -> usize {
    debug_assert!(index < starts.len(), "token {index} is beyond the line");
    starts
        .get(index)
        .or(starts.last())
        .map_or(0, |start| *start)
}

impl Noise {
    /// As [`Self::fresh`], for a part of a line, whose end is none.
    fn fresh_part(&self, text: &str) -> String {
        Self {
            trailing: false,
            ..self.clone()
        }
        .fresh(text)
    }
}

/// Takes a line apart into words, runs of blanks and single characters.
fn tokens(line: &str) -> Vec<&str> {
    let mut tokens = Vec::new();
    let mut start = 0;
    let mut last = None;
    for (at, char) in line.char_indices() {
        let own = char_kind(char);
        if last.is_some_and(|last| last != own || own == 0) {
            tokens.push(line.slice(start..at));
            start = at;
        }
        last = Some(own);
    }
    if start < line.len() {
        tokens.push(line.slice(start..));
    }
    tokens
}

fn char_kind(char: char) -> u8 {
    match char {
        _ if is_word(char) => 1,
        _ if char.is_whitespace() => 2,
        _ => 0,
    }
}

/// Returns where each token starts, and the end.
fn starts(tokens: &[&str]) -> Vec<usize> {
    let ends = tokens.iter().scan(0, |end, token| {
        *end += token.len();
        Some(*end)
    });
    std::iter::once(0).chain(ends).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_differs_is_written() {
        let check = |old: &str, new: &str, file: &str, expected: &str| {
            let budget = Budget::default();
            let noise = Noise::new(&budget, &[(0, old, file.to_owned())]);
            assert_eq!(merged(&budget, (old, new), file, &noise), expected);
        };
        check("say('a')", "say('b')", "say(‘a’)  ", "say(‘b’)");
        check(
            "say(“a”)",
            "say(“b”, “c”)",
            "say(\"a\")",
            "say(\"b\", \"c\")",
        );
        check("x = 1  ", "x = 2  ", "x   = 1", "x   = 2");
        check("a - b…", "a - c…", "a – b...", "a – c...");
        check("f( a )", "g( a )", "f(a)", "g( a )");
        check("a\u{a0}= b", "a\u{a0}= c — d", "a = b", "a = c — d");
        check(
            "say(“a”)",
            "say(“b”) // c — d",
            "say(\"a\")",
            "say(\"b\") // c — d",
        );
    }
}
