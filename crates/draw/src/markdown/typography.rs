//! Blanks of typography in prose.

use std::borrow::Cow;

/// Returns prose with the narrow and the non-breaking spaces of typography as ordinary blanks, where each stands alone
/// between words and marks.
pub(super) fn typographic(prose: &str) -> Cow<'_, str> {
    let is_space = |c: char| matches!(c, '\u{a0}' | '\u{202f}' | '\u{2009}');
    if !prose.contains(is_space) {
        return Cow::Borrowed(prose);
    }
    let mut out = String::with_capacity(prose.len());
    let mut blank = true;
    for c in prose.chars() {
        let alone = is_space(c) && !blank;
        blank = is_space(c) || c == ' ';
        out.push(if alone { ' ' } else { c });
    }
    Cow::Owned(out)
}
