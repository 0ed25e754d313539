//! Sanitising untrusted text for display.
//!
//! In: text from a model, a server, a file or a paste. Out: the same text with control characters,
//! bidirectional overrides, invisible and blank-looking characters written out as `\u{2800}`, so
//! that what is on the screen is what is in the text. Tabs are left to the caller. Work is linear
//! in the text.
//!
//! **Invariant:** everything that came from a model, a server, a file or a paste passes `sanitize` before it is
//! shown. The width that is computed for a text is the number of cells that it takes.

mod class;

use std::borrow::Cow;
use std::fmt::Write as _;

use unicode_segmentation::UnicodeSegmentation as _;

use self::class::Class;

/// Combining marks shown on one character. Tibetan and pointed Hebrew need four; more would be
/// drawn over the lines around.
const MOST_MARKS: usize = 5;

/// Characters with cells of their own in one grapheme cluster: the longest emoji sequences and
/// conjuncts have five. A terminal cannot break a line within one.
const MOST_JOINED: usize = 8;

/// Maximum number of times that a character is repeated in a row; more are counted.
const MOST_REPEATS: usize = 8;

/// How one character of a text is shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Shown {
    /// As it is.
    Plain,
    /// By its name.
    WrittenOut,
    /// Not at all, since too many marks are on the same character; their number is shown.
    LeftOut,
}

/// Returns `text` with everything that could move, hide or reorder text written out.
pub fn clean(text: &str) -> Cow<'_, str> {
    if text.bytes().all(is_harmless_byte) {
        return Cow::Borrowed(text);
    }
    let mut printer = Printer::new(text.len());
    each(text, |c, shown| printer.take(c, shown));
    let out = printer.finish();
    if out == text {
        Cow::Borrowed(text)
    } else {
        Cow::Owned(out)
    }
}

/// Calls `on` with each character of `text` and how it is shown there.
pub fn each(text: &str, mut on: impl FnMut(char, Shown)) {
    let mut clusters = text.graphemes(true).peekable();
    let mut before = None;
    while let Some(cluster) = clusters.next() {
        let after = clusters.peek().and_then(|next| next.chars().next());
        let mut judge = Judge {
            before: before.take(),
            base: None,
            marks: 0,
            joined: 0,
        };
        let mut chars = cluster.chars().peekable();
        while let Some(c) = chars.next() {
            let shown = judge.take(c, chars.peek().copied().or(after));
            on(c, shown);
        }
        before = judge.before;
    }
}

/// What was seen of a grapheme cluster so far.
struct Judge {
    /// The character before, if it is shown as it is.
    before: Option<char>,
    /// What marks are put on in this cluster.
    base: Option<char>,
    /// Marks on it.
    marks: usize,
    /// Characters with cells of their own.
    joined: usize,
}

impl Judge {
    fn take(&mut self, c: char, after: Option<char>) -> Shown {
        let plain = match Class::of(c) {
            Class::Visible => {
                self.joined += 1;
                self.marks = 0;
                self.base = (self.joined <= MOST_JOINED).then_some(c);
                self.base.is_some()
            }
            Class::Mark if self.base.is_some_and(|base| class::is_seen_on(base, c)) => {
                self.marks += 1;
                if self.marks > MOST_MARKS {
                    return Shown::LeftOut;
                }
                true
            }
            Class::Joiner => self.base.is_some() && class::joins(c, self.before, after),
            Class::Selector => self.base.is_some() && class::selects(self.before, after),
            Class::WideBlank => {
                self.before.is_some_and(class::is_cjk) && after.is_some_and(class::is_cjk)
            }
            Class::Mark | Class::Hostile => false,
        };
        self.base = self.base.filter(|_| plain);
        self.before = plain.then_some(c);
        if plain {
            Shown::Plain
        } else {
            Shown::WrittenOut
        }
    }
}

/// Writes characters down as they are shown.
struct Printer {
    out: String,
    /// The character written out last, and how many times in a row.
    repeated: Option<(char, usize)>,
    left_out: usize,
}

impl Printer {
    fn new(length: usize) -> Self {
        Self {
            out: String::with_capacity(length + 16),
            repeated: None,
            left_out: 0,
        }
    }

    fn take(&mut self, c: char, shown: Shown) {
        if shown != Shown::LeftOut {
            self.note_marks();
        }
        match shown {
            Shown::Plain => {
                self.note_repeats();
                self.out.push(c);
            }
            Shown::LeftOut => self.left_out += 1,
            Shown::WrittenOut => {
                let times = match self.repeated {
                    Some((last, times)) if last == c => times + 1,
                    _ => {
                        self.note_repeats();
                        1
                    }
                };
                self.repeated = Some((c, times));
                if times <= MOST_REPEATS {
                    write_out(c, &mut self.out);
                }
            }
        }
    }

    fn note_marks(&mut self) {
        match std::mem::take(&mut self.left_out) {
            0 => {}
            1 => self.out.push_str("⟨1 more mark⟩"),
            more => self.note(format_args!("⟨{more} more marks⟩")),
        }
    }

    fn note_repeats(&mut self) {
        if let Some((_, times)) = self.repeated.take()
            && times > MOST_REPEATS
        {
            self.note(format_args!("⟨{} more⟩", times - MOST_REPEATS));
        }
    }

    fn note(&mut self, note: std::fmt::Arguments<'_>) {
        // Writing to a string cannot fail.
        let _written = self.out.write_fmt(note);
    }

    fn finish(mut self) -> String {
        self.note_marks();
        self.note_repeats();
        self.out
    }
}

/// Returns pasted text as it may be kept: line endings as `\n`, tabs kept, any other control
/// character replaced by its picture.
pub fn pasted(text: &str) -> Cow<'_, str> {
    if !text
        .chars()
        .any(|c| c.is_control() && c != '\n' && c != '\t')
    {
        return Cow::Borrowed(text);
    }
    let mut out = String::with_capacity(text.len());
    let mut chars = text.chars().peekable();
    while let Some(c) = chars.next() {
        match c {
            '\n' | '\t' => out.push(c),
            '\r' => {
                if chars.peek() == Some(&'\n') {
                    chars.next();
                }
                out.push('\n');
            }
            c if c.is_control() => out.push(picture(c).unwrap_or('\u{fffd}')),
            c => out.push(c),
        }
    }
    Cow::Owned(out)
}

fn is_harmless_byte(byte: u8) -> bool {
    matches!(byte, b' '..=b'~' | b'\t')
}

fn write_out(c: char, out: &mut String) {
    match picture(c) {
        Some(picture) => out.push(picture),
        // Writing to a String cannot fail.
        None => {
            let _ = write!(out, "\\u{{{:x}}}", u32::from(c));
        }
    }
}

/// Returns the control picture of a C0 control character or of DEL.
fn picture(c: char) -> Option<char> {
    match u32::from(c) {
        code @ 0..=0x1f => char::from_u32(0x2400 + code),
        0x7f => Some('\u{2421}'),
        _ => None,
    }
}

#[cfg(test)]
mod tests;
