//! Long runs of comments, shortened for a parser.
//!
//! In: a text. Out: the same, where of a very long row of comments only both ends are left, and
//! blanks of the same length are between them. A parser keeps a row as a list until it has read
//! what follows, and goes through the list at every error: quadratic in what a file may hold.

use std::borrow::Cow;
use std::ops::Range;

use memchr::memmem;

use super::Language;
use super::lexis::RegionKind;
use crate::text::Slice;

/// A row with more comments than these is made shorter.
const MAX_ROW: usize = 5_000;
/// Number of comments kept at each end: those that belong to what is next to them.
const ENDS: usize = 1_000;

/// Returns the text as a parser gets to see it; every byte that is left is where it was.
pub(super) fn thinned(language: Language, text: &str) -> Cow<'_, str> {
    let lexis = language.lexis();
    let lines = lexis.line_comments.iter();
    let heads = lines.chain(lexis.block_comments.iter().map(|(open, _)| open));
    if heads
        .map(|head| memmem::find_iter(text.as_bytes(), head.as_bytes()).count())
        .sum::<usize>()
        <= MAX_ROW
    {
        return Cow::Borrowed(text);
    }
    let regions = lexis.regions(text).into_iter();
    let comments = regions.filter(|region| region.kind == RegionKind::Comment);
    let comments: Vec<Range<usize>> = comments.map(|region| region.range).collect();
    let mut bytes = text.as_bytes().to_vec();
    let long = comments
        .chunk_by(|one, next| {
            let between = text.get(one.end..next.start);
            between.is_some_and(|between| between.trim().is_empty())
        })
        .filter(|row| row.len() > MAX_ROW);
    for comment in long.flat_map(|row| row.slice(ENDS..row.len() - ENDS)) {
        let own = bytes.get_mut(comment.clone()).unwrap_or_default();
        let shown = own.iter_mut().filter(|byte| !byte.is_ascii_whitespace());
        shown.for_each(|byte| *byte = b' ');
    }
    String::from_utf8(bytes).map_or(Cow::Borrowed(text), Cow::Owned)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_ends_of_a_long_row_stay() {
        let row = "// é\n".repeat(MAX_ROW + 1);
        let text = format!("a();\n{row}b(\"\n//\"); /* c */ d();\n");
        let thin = thinned(Language::TypeScript, &text);
        assert_eq!(thin.len(), text.len());
        assert_eq!(thin.matches("// é").count(), 2 * ENDS);
        assert_eq!(thin.lines().count(), text.lines().count());
        assert!(thin.starts_with("a();\n// é\n"));
        assert!(thin.ends_with("// é\nb(\"\n//\"); /* c */ d();\n"));
    }

    #[test]
    fn ordinary_texts_stay_as_they_are() {
        let apart = "// x\na();\n".repeat(2 * MAX_ROW);
        assert_eq!(thinned(Language::TypeScript, &apart), apart);
        let strings = format!("x = '''\n{}'''\n", "# x\n".repeat(2 * MAX_ROW));
        assert_eq!(thinned(Language::Python, &strings), strings);
        assert!(matches!(
            thinned(Language::Rust, "// x\nfn a() {}\n"),
            Cow::Borrowed(_)
        ));
    }
}
