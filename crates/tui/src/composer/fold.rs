//! Folded pastes: a long paste, or the path of an image, is one grapheme of the input, which stands in for its text.
//!
//! ```text
//! why? [pasted 120 lines]               Backspace removes the paste as a whole
//! what is this? [image shot.png 120 kB] sent as @/pictures/shot.png
//! ```
//!
//! The grapheme is [`MARK`], and behind it, as variation selectors, the digits of numbers: of a paste its own number, its
//! lines and its characters; of an image its own number, its bytes, and two or more that are the length of its name and the
//! code points of that. So cursor, rows and undo need not know of folds.

use std::borrow::Cow;

use signoff_core::plural::counted;
use signoff_llm::image::size_in_words;

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

/// Characters of the name of an image that are shown.
const NAME_CHARS: usize = 40;

/// The pastes that are folded, by number.
#[derive(Debug, Default)]
pub(crate) struct Folds(Vec<Folded>);

/// What a fold stands in for.
#[derive(Debug)]
enum Folded {
    /// A long paste.
    Text(String),
    /// The mention of an image.
    Image(String),
}

impl Folded {
    fn text(&self) -> &String {
        match self {
            Self::Text(text) | Self::Image(text) => text,
        }
    }
}

impl Folds {
    /// Returns what stands in for pasted text in the input: for a long one a fold.
    pub(crate) fn fold<'t>(&mut self, text: &'t str) -> Cow<'t, str> {
        // Terminals send line breaks as carriage returns.
        let text = sanitize::pasted(text);
        let (lines, chars) = (text.lines().count(), text.chars().count());
        if lines <= MAX_LINES && chars <= MAX_CHARS {
            return text;
        }
        let fold = grapheme(&[self.0.len(), lines, chars]);
        self.0.push(Folded::Text(text.into_owned()));
        Cow::Owned(fold)
    }

    /// Returns the fold of an image that is sent as this mention.
    pub(crate) fn image(&mut self, name: &str, bytes: usize, mention: String) -> String {
        let name = sanitize::clean(name);
        let name: Vec<usize> = name.chars().take(NAME_CHARS).map(|c| c as usize).collect();
        let mut numbers = vec![self.0.len(), bytes, name.len()];
        numbers.extend(name);
        self.0.push(Folded::Image(mention));
        grapheme(&numbers)
    }

    /// Returns a text with the mentions of images in the place of their folds, and without the pastes.
    pub(crate) fn without_pastes(&self, text: &str) -> String {
        self.replace(text, |folded| match folded {
            Folded::Text(_) => "",
            Folded::Image(mention) => mention,
        })
    }

    /// Returns the long pastes whose folds are in a text, each with what stood in for it.
    pub(crate) fn pastes(&self, text: &str) -> Vec<(String, String)> {
        let folds = text.match_indices(MARK).filter_map(|(at, mark)| {
            let after = text.get(at + mark.len()..)?;
            let length = after.find(|c| !is_selector(c)).unwrap_or(after.len());
            let Some(Folded::Text(paste)) = self.folded(after.get(..length)?) else {
                return None;
            };
            let fold = text.get(at..at + mark.len() + length)?;
            Some((paste.clone(), label(fold)?))
        });
        folds.collect()
    }

    /// Returns a text with the pastes in the place of their folds.
    pub(crate) fn expand<'t>(&self, text: &'t str) -> Cow<'t, str> {
        if !text.contains(MARK) {
            return Cow::Borrowed(text);
        }
        Cow::Owned(self.replace(text, |folded| folded.text()))
    }

    fn replace<'t>(&'t self, text: &str, shown: impl Fn(&'t Folded) -> &'t str) -> String {
        let mut out = String::new();
        let mut rest = text;
        while let Some((before, after)) = rest.split_once(MARK) {
            out.push_str(before);
            let length = after.find(|c| !is_selector(c)).unwrap_or(after.len());
            let (selectors, behind) = after.split_at_checked(length).unwrap_or((after, ""));
            match self.folded(selectors) {
                Some(folded @ Folded::Image(_)) => {
                    // A mention begins and ends a word.
                    let is_apart = out.is_empty() || out.ends_with(char::is_whitespace);
                    out.push_str(if is_apart { "" } else { " " });
                    out.push_str(shown(folded));
                    let goes_on = behind.starts_with(|c: char| c.is_alphanumeric() || c == MARK);
                    out.push_str(if goes_on { " " } else { "" });
                }
                Some(folded) => out.push_str(shown(folded)),
                None => {
                    out.push(MARK);
                    out.push_str(selectors);
                }
            }
            rest = behind;
        }
        out.push_str(rest);
        out
    }

    fn folded(&self, selectors: &str) -> Option<&Folded> {
        self.0.get(*numbers(selectors)?.first()?)
    }
}

/// Returns the grapheme that holds some numbers.
fn grapheme(numbers: &[usize]) -> String {
    let mut fold = MARK.to_string();
    for number in numbers {
        fold.extend(number.to_string().chars().filter_map(selector));
        fold.push(STOP);
    }
    fold
}

/// Returns what is shown for a grapheme, if it is a fold.
pub(crate) fn label(grapheme: &str) -> Option<String> {
    let numbers = numbers(grapheme.strip_prefix(MARK)?)?;
    let (lines, chars) = match numbers.as_slice() {
        [_, lines, chars] => (*lines, *chars),
        [_, bytes, length, name @ ..] if name.len() == *length => {
            let code_point = |number: &usize| char::from_u32(u32::try_from(*number).ok()?);
            let name: Option<String> = name.iter().map(code_point).collect();
            return Some(format!("[image {} {}]", name?, size_in_words(*bytes)));
        }
        _ => return None,
    };
    let size = if lines > MAX_LINES {
        counted(lines, "line")
    } else {
        counted(chars, "character")
    };
    Some(format!("[pasted {size}]"))
}

/// Returns the numbers of a fold.
fn numbers(selectors: &str) -> Option<Vec<usize>> {
    let parts = selectors.split_terminator(STOP).map(|part| {
        let digit = |c: char| char::from_digit(u32::from(c).checked_sub(ZERO)?, 10);
        part.chars()
            .map(digit)
            .collect::<Option<String>>()?
            .parse()
            .ok()
    });
    parts.collect()
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
    fn lines_that_end_in_carriage_returns_are_counted() {
        for end in ["\n", "\r", "\r\n"] {
            let fold = Folds::default()
                .fold(&format!("line{end}").repeat(120))
                .into_owned();
            assert_eq!(label(&fold).as_deref(), Some("[pasted 120 lines]"));
        }
    }

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
        let image = folds.image("sh\u{1b}ot.png", 119_500, "`@/a b/shot.png`".to_owned());
        assert_eq!(image.graphemes(true).count(), 1);
        assert_eq!(label(&image).as_deref(), Some("[image sh␛ot.png 120 kB]"));
        let long = folds.fold(&many).into_owned();
        let text = format!("see {image} {long}.");
        assert_eq!(folds.expand(&text), format!("see `@/a b/shot.png` {many}."));
        assert_eq!(folds.without_pastes(&text), "see `@/a b/shot.png` .");
        let text = format!("see{image}now");
        assert_eq!(folds.expand(&text), "see `@/a b/shot.png` now");
        let short = "line\n".repeat(10);
        assert_eq!(folds.fold(&short), short);
        for other in ["\u{10fffd}", "\u{10fffd}\u{e0109}\u{e010a}x"] {
            assert_eq!(folds.expand(other), other);
            assert_eq!(label(other), None);
        }
    }
}
