//! Folded pastes: a long paste is one grapheme of the input, which stands in for its text.
//!
//! ```text
//! why? [pasted 120 lines]     Backspace removes the paste as a whole
//! ```
//!
//! The grapheme is [`MARK`], and behind it, as variation selectors, the digits of the paste's number, of its
//! lines and of its characters. So cursor, rows and undo need not know of folds.

use std::borrow::Cow;

use signoff_core::plural::counted;

use crate::sanitize;

/// Begins a fold: the last code point for private use, which no font has a sign for.
const MARK: char = '\u{10fffd}';
/// The variation selector for the digit 0; the others follow.
const ZERO: u32 = 0xe0100;
/// Ends a number.
const STOP: char = '\u{e010a}';

/// Longer pastes are folded: they would leave no room in a composer of ten rows for what is asked about them.
const MAX_LINES: usize = 10;
const MAX_CHARS: usize = 1_000;

/// The pastes that are folded, by number.
#[derive(Debug, Default)]
pub(crate) struct Folds(Vec<String>);

impl Folds {
    /// Returns what stands in for pasted text in the input: for a long one a fold.
    pub(crate) fn fold<'t>(&mut self, text: &'t str) -> Cow<'t, str> {
        let (lines, chars) = (text.lines().count(), text.chars().count());
        if lines <= MAX_LINES && chars <= MAX_CHARS {
            return Cow::Borrowed(text);
        }
        let mut fold = MARK.to_string();
        for number in [self.0.len(), lines, chars] {
            fold.extend(number.to_string().chars().filter_map(selector));
            fold.push(STOP);
        }
        self.0.push(sanitize::pasted(text).into_owned());
        Cow::Owned(fold)
    }

    /// Returns a text with the pastes in the place of their folds.
    pub(crate) fn expand<'t>(&self, text: &'t str) -> Cow<'t, str> {
        if !text.contains(MARK) {
            return Cow::Borrowed(text);
        }
        let mut out = String::new();
        let mut rest = text;
        while let Some((before, after)) = rest.split_once(MARK) {
            out.push_str(before);
            let length = after.find(|c| !is_selector(c)).unwrap_or(after.len());
            let (selectors, behind) = after.split_at_checked(length).unwrap_or((after, ""));
            match self.paste(selectors) {
                Some(paste) => out.push_str(paste),
                None => {
                    out.push(MARK);
                    out.push_str(selectors);
                }
            }
            rest = behind;
        }
        out.push_str(rest);
        Cow::Owned(out)
    }

    fn paste(&self, selectors: &str) -> Option<&String> {
        self.0.get(numbers(selectors)?[0])
    }
}

/// Returns what is shown for a grapheme, if it is a fold.
pub(crate) fn label(grapheme: &str) -> Option<String> {
    let [_, lines, chars] = numbers(grapheme.strip_prefix(MARK)?)?;
    let size = if lines > MAX_LINES {
        counted(lines, "line")
    } else {
        counted(chars, "character")
    };
    Some(format!("[pasted {size}]"))
}

/// Returns the three numbers of a fold.
fn numbers(selectors: &str) -> Option<[usize; 3]> {
    let mut parts = selectors.split_terminator(STOP).map(|part| {
        let digit = |c: char| char::from_digit(u32::from(c).checked_sub(ZERO)?, 10);
        part.chars()
            .map(digit)
            .collect::<Option<String>>()?
            .parse()
            .ok()
    });
    let numbers = [parts.next()??, parts.next()??, parts.next()??];
    parts.next().is_none().then_some(numbers)
}

fn selector(digit: char) -> Option<char> {
    char::from_u32(ZERO + digit.to_digit(10)?)
}

fn is_selector(c: char) -> bool {
    (ZERO..=u32::from(STOP)).contains(&u32::from(c))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_long_paste_is_one_grapheme_and_comes_back_whole() {
        use unicode_segmentation::UnicodeSegmentation as _;
        let mut folds = Folds::default();
        let many = "line\n".repeat(120);
        let long = "漢".repeat(1_001);
        for (text, shown) in [
            (many.as_str(), "[pasted 120 lines]"),
            (&long, "[pasted 1001 characters]"),
        ] {
            let fold = folds.fold(text).into_owned();
            assert_eq!(fold.graphemes(true).count(), 1);
            assert_eq!(label(&fold).as_deref(), Some(shown));
            assert_eq!(folds.expand(&format!("a{fold}b")), format!("a{text}b"));
        }
        let short = "line\n".repeat(10);
        assert_eq!(folds.fold(&short), short);
        for other in ["\u{10fffd}", "\u{10fffd}\u{e0109}\u{e010a}x"] {
            assert_eq!(folds.expand(other), other);
            assert_eq!(label(other), None);
        }
    }
}
