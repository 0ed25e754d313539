//! Character classes: which characters a terminal shows as nothing, as a blank, or out of order.
//!
//! In: a character, at times with its neighbours. Out: whether it may be printed as it is.

use unicode_width::UnicodeWidthChar as _;

/// Joins the letters or emoji on both sides.
pub(super) const ZERO_WIDTH_JOINER: char = '\u{200d}';
/// The emoji form of the character before.
const EMOJI_SELECTOR: char = '\u{fe0f}';
/// The text form of the character before.
const TEXT_SELECTOR: char = '\u{fe0e}';
/// The box around a digit of a keycap emoji.
const KEYCAP: char = '\u{20e3}';
/// The blank of CJK text, as wide as a letter.
pub(super) const IDEOGRAPHIC_SPACE: char = '\u{3000}';

/// What a character does on a terminal.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Class {
    /// Takes cells of its own and marks them.
    Visible,
    /// Is drawn onto the character before.
    Mark,
    /// Zero width joiner and non-joiner: shape their neighbours.
    Joiner,
    /// Chooses the form of the character before.
    Selector,
    /// The ideographic space.
    WideBlank,
    /// Shows as nothing or as a blank, moves the cursor, or reorders the line.
    Hostile,
}

impl Class {
    pub(super) fn of(c: char) -> Self {
        match c {
            ' '..='~' | '\t' => Self::Visible,
            '\u{200c}' | ZERO_WIDTH_JOINER => Self::Joiner,
            TEXT_SELECTOR | EMOJI_SELECTOR => Self::Selector,
            IDEOGRAPHIC_SPACE => Self::WideBlank,
            _ if c.is_control() || is_bidi_control(c) || is_invisible(c) || is_blank(c) => {
                Self::Hostile
            }
            _ if c.width().unwrap_or(0) == 0 => Self::Mark,
            _ => Self::Visible,
        }
    }
}

fn is_bidi_control(c: char) -> bool {
    matches!(c, '\u{061c}' | '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}

/// Default-ignorable and format characters, fillers, noncharacters, and every variation selector
/// that chooses no emoji.
fn is_invisible(c: char) -> bool {
    matches!(
        c,
        '\u{00ad}'
            | '\u{034f}'
            | '\u{115f}'
            | '\u{1160}'
            | '\u{17b4}'
            | '\u{17b5}'
            | '\u{180b}'..='\u{180f}'
            | '\u{200b}'
            | '\u{2028}'
            | '\u{2029}'
            | '\u{2060}'..='\u{2065}'
            | '\u{206a}'..='\u{206f}'
            | '\u{3164}'
            | '\u{fdd0}'..='\u{fdef}'
            | '\u{fe00}'..='\u{fe0d}'
            | '\u{feff}'
            | '\u{ffa0}'
            | '\u{fff0}'..='\u{fffb}'
            | '\u{13430}'..='\u{1345f}'
            | '\u{16fe4}'
            | '\u{1bca0}'..='\u{1bca3}'
            | '\u{1d159}'
            | '\u{1d173}'..='\u{1d17a}'
            | '\u{e0000}'..='\u{e0fff}'
    ) || u32::from(c) & 0xfffe == 0xfffe
}

/// Every space separator but the ordinary and the ideographic one, and the braille pattern
/// without dots.
fn is_blank(c: char) -> bool {
    matches!(
        c,
        '\u{00a0}' | '\u{1680}' | '\u{2000}'..='\u{200a}' | '\u{202f}' | '\u{205f}' | '\u{2800}'
    )
}

/// Returns true for letters and punctuation of Chinese, Japanese and Korean.
pub(super) fn is_cjk(c: char) -> bool {
    matches!(c,
        '\u{3001}'..='\u{312f}'
            | '\u{31f0}'..='\u{31ff}'
            | '\u{3400}'..='\u{4dbf}'
            | '\u{4e00}'..='\u{9fff}'
            | '\u{ac00}'..='\u{d7a3}'
            | '\u{f900}'..='\u{faff}'
            | '\u{ff01}'..='\u{ff60}'
            | '\u{20000}'..='\u{3fffd}')
}

/// Returns true if a combining mark is seen on this character. Terminals draw nothing where a mark
/// of one script is put on a letter of another.
pub(super) fn is_seen_on(base: char, mark: char) -> bool {
    let of_any = matches!(mark,
        '\u{0300}'..='\u{036f}'
            | '\u{1ab0}'..='\u{1aff}'
            | '\u{1dc0}'..='\u{1dff}'
            | '\u{20d0}'..='\u{20ff}'
            | '\u{fe20}'..='\u{fe2f}');
    let jamo = matches!(mark, '\u{1161}'..='\u{11ff}' | '\u{d7b0}'..='\u{d7fb}');
    match base {
        // Latin, Greek, Cyrillic, Armenian.
        '\0'..'\u{0590}' => of_any || matches!(mark, '\u{0483}'..='\u{0489}'),
        '\u{1100}'..='\u{115e}' | '\u{a960}'..='\u{a97c}' | '\u{ac00}'..='\u{d7a3}' => {
            of_any || jamo
        }
        '\u{ff61}'..='\u{ff9d}' => matches!(mark, '\u{ff9e}' | '\u{ff9f}'),
        _ if is_cjk(base) => {
            of_any || matches!(mark, '\u{302a}'..='\u{302f}' | '\u{3099}' | '\u{309a}')
        }
        // Punctuation and symbols.
        '\u{2010}'..='\u{2bff}' | '\u{1d400}'..='\u{1faff}' => of_any,
        _ => !jamo,
    }
}

/// Returns true if a joiner between these two characters shapes what is seen: letters of a
/// script whose letters join, or two emoji.
pub(super) fn joins(joiner: char, before: Option<char>, after: Option<char>) -> bool {
    let (Some(before), Some(after)) = (before, after) else {
        return false;
    };
    let emoji = || {
        let tail = before == EMOJI_SELECTOR || matches!(before, '\u{1f3fb}'..='\u{1f3ff}');
        (tail || is_emoji(before)) && is_emoji(after)
    };
    (is_joining_script(before) && is_joining_script(after))
        || (joiner == ZERO_WIDTH_JOINER && emoji())
}

/// Returns true if a selector after this character makes an emoji of it, or text.
pub(super) fn selects(before: Option<char>, after: Option<char>) -> bool {
    match before {
        Some('0'..='9' | '#' | '*') => after == Some(KEYCAP),
        Some(before) => is_emoji(before),
        None => false,
    }
}

/// Returns true for characters that can be emoji, but for digits, `#` and `*`.
fn is_emoji(c: char) -> bool {
    matches!(c,
        '\u{a9}' | '\u{ae}' | '\u{203c}' | '\u{2049}' | '\u{2122}' | '\u{2139}'
            | '\u{2190}'..='\u{21ff}'
            | '\u{2300}'..='\u{23ff}'
            | '\u{24c2}'
            | '\u{25a0}'..='\u{27bf}'
            | '\u{2900}'..='\u{297f}'
            | '\u{2b00}'..='\u{2bff}'
            | '\u{3030}' | '\u{303d}' | '\u{3297}' | '\u{3299}'
            | '\u{1f000}'..='\u{1faff}')
}

/// Returns true for letters of scripts in which a joiner changes the form of its neighbours:
/// Arabic and its kin, those of India and South East Asia, Mongolian.
fn is_joining_script(c: char) -> bool {
    let letter = matches!(c,
        '\u{0600}'..='\u{109f}'
            | '\u{1780}'..='\u{18af}'
            | '\u{1900}'..='\u{1cff}'
            | '\u{a800}'..='\u{abff}'
            | '\u{fb50}'..='\u{fdcf}'
            | '\u{fe70}'..='\u{fefc}'
            | '\u{11000}'..='\u{11fff}'
            | '\u{1e900}'..='\u{1e95f}');
    letter && matches!(Class::of(c), Class::Visible | Class::Mark)
}
