//! Lines of instructions that are meant as rules and do not have the form of one, so that they are not enforced.
//!
//! ```text
//! - **Never edit `gen/`!**                  write Never edit `GLOB`.
//! - [ ] do not modify files in `gen/`       write Never edit `GLOB`.
//! - Never edit in haste.                    nothing: it names no file
//! - No new dependencies, please             write No new dependencies.
//! ```
//!
//! In: the text of a file with instructions. Out: such lines, each with the form that is enforced.

use super::{RULE_CHARS, SHAPES, kind, unfenced};
use crate::quote;

/// Returns the lines of a file that look like rules, with their places and what is enforced instead.
pub fn nearly(file: &str, text: &str) -> Vec<String> {
    let lines = unfenced(text).filter_map(|(line, said)| {
        let form = meant(said)?;
        let said = quote::one_line(said.trim(), RULE_CHARS);
        let file = quote::name(file);
        Some(format!(
            "{file}:{line}: not enforced: write ``{form}``, not: {said}"
        ))
    });
    lines.collect()
}

/// Returns the form of the rule that a line looks like, if it is none.
fn meant(line: &str) -> Option<&'static str> {
    if kind(line).is_some() {
        return None;
    }
    let bare = line.trim_start_matches(|c: char| !c.is_alphabetic() && c != '`');
    // The box of a list of things to do.
    let bare = bare.strip_prefix("x] ").unwrap_or(bare);
    let words: Vec<&str> = bare.split_whitespace().collect();
    let bare = words.join(" ").to_lowercase();
    let bare = bare.replace(['*', '_'], "").replace('\u{2019}', "'");
    let bare = bare.strip_prefix("please ").unwrap_or(&bare);
    let shapes = SHAPES
        .iter()
        .filter(|shape| !shape.form.contains('`') || names_something(bare));
    let begun = shapes.flat_map(|shape| shape.beginnings.iter().map(move |own| (own, shape)));
    let fitting = begun.filter(|(own, _)| bare.starts_with(**own));
    // `Never add a dependency` begins as `Never add` does, and means more.
    let longest = fitting.max_by_key(|(own, _)| own.len());
    longest.map(|(_, shape)| shape.form)
}

/// Returns whether a line has something quoted, or a word that looks like a path.
fn names_something(line: &str) -> bool {
    let mut words = line.split_whitespace();
    line.contains('`') || words.any(|word| word.contains('/') || word.starts_with('*'))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_that_looks_like_a_rule_is_told_from_a_rule_and_from_other_words() {
        let (edit, add, none) = (Some("Never edit `GLOB`."), Some("Never add `TEXT`."), None);
        let dependencies = Some("No new dependencies.");
        for (line, form) in [
            ("Never edit `gen/`.", none),
            ("- No new dependencies", none),
            ("- never edit `gen/`.", edit),
            ("**Never edit `gen/`.**", edit),
            ("Never edit **`gen/`**", edit),
            ("Never edit `gen/`!", edit),
            ("Never edit `gen/` (generated).", edit),
            ("Never edit: `gen/`", edit),
            ("Never edit files in `gen/`.", edit),
            ("Never modify `gen/`.", edit),
            ("Never delete `gen/`.", edit),
            ("Don\u{2019}t touch gen/.", edit),
            ("Never  edit `gen/`.", edit),
            ("1) never edit `gen/`.", edit),
            ("- [ ] Never edit `gen/`.", edit),
            ("- [x] Never edit `gen/`.", edit),
            ("\u{2022} Never edit `gen/`.", edit),
            ("Never edit in haste.", none),
            ("Never add `unwrap()`!", add),
            ("Never add new things.", none),
            ("No new dependencies!", dependencies),
            ("**No new dependencies.**", dependencies),
            ("Do not add dependencies without asking", dependencies),
            ("New dependencies are welcome", none),
            ("", none),
        ] {
            assert_eq!(meant(line), form, "{line}");
        }
    }
}
