//! Code inside comments.
//!
//! In: rows and the lines that they stand on. Out: whether what a comment shows is indented otherwise
//! there. What stands before the mark of a comment is indentation, and gets lost in copying; what stands
//! behind it is text, and tells one example from the next.

use super::view::string;
use crate::edit::locate::script::{Alignment, Row, Script};
use crate::text::Source;

/// What begins a line of a comment; the longest first.
const MARKS: [&str; 8] = ["///", "//!", "//", "#", "*", "--", ";", "%"];

/// Returns whether lines of comments that are further in than by a blank are so in both, but nowhere
/// alike: then they are of another example.
pub(crate) fn is_nested_otherwise(source: &Source, script: &Script, alignment: &Alignment) -> bool {
    let lines = script.before().map(Row::text).zip(&alignment.lines);
    let mut pairs = lines
        .filter_map(|(row, line)| {
            let file = string(source, (*line)?);
            Some((depth(row)?, depth(&file)?))
        })
        .peekable();
    pairs.peek().is_some() && pairs.all(|(own, theirs)| own != theirs)
}

/// Returns the mark of a comment and how many blanks are behind it, if that is more than one.
fn depth(line: &str) -> Option<(&'static str, usize)> {
    let line = line.trim();
    let (mark, rest) = MARKS
        .iter()
        .find_map(|mark| Some((*mark, line.strip_prefix(mark)?)))?;
    let blanks = rest.len() - rest.trim_start().len();
    (blanks > 1).then_some((mark, blanks))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_example_further_in_is_another() {
        let check = |file: &str, rows: &[&str], expected: bool| {
            let source = Source::new(file);
            let rows = rows.iter().map(|row| Row::Context((*row).to_owned()));
            let script = Script {
                rows: rows.collect(),
            };
            let alignment = Alignment::solid(0, script.rows.len());
            let found = is_nested_otherwise(&source, &script, &alignment);
            assert_eq!(found, expected, "{file:?}");
        };
        check(
            "//!   a(b\n//!     c)\n",
            &["//!       a(b", "//!         c)"],
            true,
        );
        check("  //!   a(b\n//!   c)\n", &["//!   a(b", "//!   c)"], false);
        check(
            "//!   a(b\n//!   c)\n",
            &["//!   a(b", "//!      c)"],
            false,
        );
        check("// a\n", &["//  a"], false);
        check("  a\n", &["      a"], false);
    }
}
