//! One word: a block that stands in the file but for one word of one line.
//!
//! In: a text and the lines of a block. Out: the line and the two words. For `b = item` asked for where
//! the file has `b = items`: that `item` is `items` there. It is said in answers, so that what was copied
//! wrongly need not be looked for.

use crate::budget::{Budget, OutOfBudget};
use crate::edit::locate::loose::view::string;
use crate::text::Source;
use crate::word::is_word;

/// The only word that a block has otherwise than the file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct OneWord {
    /// 1-based line of the file.
    line: usize,
    /// The word as it was asked for.
    asked: String,
    /// The word that the file has.
    file: String,
}

impl OneWord {
    /// Returns it as the end of a reason.
    pub(crate) fn words(&self) -> String {
        let Self { line, asked, file } = self;
        format!("; but for one word they are: line {line} has `{file}` in the place of `{asked}`")
    }
}

/// Returns the word that keeps a block of at least two lines from standing in the file, white space at the
/// ends of lines apart, if there is one such place.
pub(crate) fn one_word(
    budget: &Budget,
    source: &Source,
    wanted: &str,
) -> Result<Option<OneWord>, OutOfBudget> {
    let wanted: Vec<&str> = wanted.trim_matches('\n').lines().map(str::trim).collect();
    let count = source.line_count();
    let Some(starts) = (count + 1).checked_sub(wanted.len()) else {
        return Ok(None);
    };
    if wanted.len() < 2 {
        return Ok(None);
    }
    budget.spend(source.bytes().len())?;
    let mut places = (0..starts).filter_map(|start| at(source, start, &wanted));
    let only = places.next();
    Ok(only.filter(|_| places.next().is_none()))
}

fn at(source: &Source, start: usize, wanted: &[&str]) -> Option<OneWord> {
    let mut others = wanted
        .iter()
        .enumerate()
        .filter(|(index, asked)| source.line(start + index).trim_ascii() != asked.as_bytes());
    let (index, asked) = others.next()?;
    let (asked, file) = differing(asked, &string(source, start + index))?;
    others.next().is_none().then(|| OneWord {
        line: start + index + 1,
        asked,
        file,
    })
}

/// Returns the only word in which two lines differ.
pub(crate) fn differing(a: &str, b: &str) -> Option<(String, String)> {
    let (a, b) = (words(a), words(b));
    let mut others = a.iter().zip(&b).filter(|(a, b)| a != b);
    let (own, other) = others.next()?;
    let one = a.len() == b.len()
        && others.next().is_none()
        && own.starts_with(is_word)
        && other.starts_with(is_word);
    one.then(|| ((*own).to_owned(), (*other).to_owned()))
}

/// Takes a line apart into words and single characters, blanks apart.
fn words(line: &str) -> Vec<&str> {
    let mut words = Vec::new();
    let mut rest = line.trim_start();
    while let Some(first) = rest.chars().next() {
        let end = if is_word(first) {
            rest.find(|char| !is_word(char)).unwrap_or(rest.len())
        } else {
            first.len_utf8()
        };
        let (word, tail) = rest.split_at(end);
        words.push(word);
        rest = tail.trim_start();
    }
    words
}

#[cfg(test)]
mod tests {
    use super::*;

    fn one_word(source: &Source, wanted: &str) -> Option<OneWord> {
        super::one_word(&Budget::default(), source, wanted).unwrap()
    }

    #[test]
    fn the_only_word_that_differs_is_named() {
        let source = Source::new("a = one\n  b = items\nreturn b\nb = two\nreturn c\n");
        let named = |wanted: &str| one_word(&source, wanted).map(|word| (word.line, word.file));
        assert_eq!(
            named("a = one\nb = item\nreturn b\n"),
            Some((2, "items".into()))
        );
        assert_eq!(named("b = item\nreturn a\n"), None);
        assert_eq!(named("b = item + 1\nreturn b\n"), None);
        // Several places.
        assert_eq!(named("b = three\nreturn b\n"), Some((2, "items".into())));
        assert_eq!(named("b = items\nreturn x\n"), Some((3, "b".into())));
        assert_eq!(named("item"), None);
    }
}
