//! Rust items around an edit, found by brackets.
//!
//! In: the texts after and before, of which nothing is known. Out: whether what the edits touch
//! is whole items in both, so that no error comes in with them.

use std::ops::Range;

use super::{are_members, is_flat, items_of, read};
use crate::syntax::precise::part::{Part, edited, is_good};
use crate::syntax::{Earlier, Language};

/// Returns whether the edits of an earlier text bring in no error, as far as the items that they
/// touch show.
///
/// A file is items one after another, and so is what stands between the braces of a module, a
/// trait or an implementation. If whole items stand in the place of whole items, what is around
/// them is read as it was. What is cut out begins and ends with a line, outside of comments and
/// strings, between the same brackets; that it is items, in both texts, is what the parser says.
pub(in crate::syntax) fn stays_good(after: &str, earlier: &Earlier<'_>) -> bool {
    let Some(edited) = edited(earlier) else {
        return true;
    };
    let (outer, inner) = around(earlier.text, &edited);
    outer.is_some_and(|part| {
        is_good(after, earlier, &part, |text| match part.start {
            // What stands before the items of a file is read with them.
            0 => is_flat(text) && read(text).is_ok(),
            _ => items_of(text).is_some(),
        })
    }) || inner.is_some_and(|part| is_good(after, earlier, &part, are_members))
}

/// Returns the items of the file that hold an edit, and of what stands between the braces of one
/// of them, what holds it.
fn around(text: &str, edited: &Range<usize>) -> (Option<Range<usize>>, Option<Range<usize>>) {
    let (mut outer, mut inner, mut within) = (Part::from_start(), Part::default(), None);
    let mut depth = 0_usize;
    let bytes = text.as_bytes();
    let lexis = Language::Rust.lexis();
    let mut at = 0;
    while let Some(byte) = bytes.get(at).copied() {
        let begins = match byte {
            b'"' | b'\'' | b'/' => true,
            b'r' => matches!(bytes.get(at + 1), Some(b'"' | b'#')),
            _ => false,
        };
        if begins && let Some(region) = lexis.region_at(text, at) {
            at = region.range.end.max(at + 1);
            continue;
        }
        let closes = matches!(byte, b')' | b']' | b'}');
        if closes {
            if depth == 1 && byte == b'}' {
                inner.cut(line_start(bytes, at), edited);
                within = within.or(inner.range());
            }
            depth = depth.saturating_sub(1);
        }
        if matches!(byte, b'}' | b';')
            && let Some(next) = line_end(bytes, at + 1)
        {
            match depth {
                0 => outer.cut(next, edited),
                1 => inner.cut(next, edited),
                _ => {}
            }
        }
        if matches!(byte, b'(' | b'[' | b'{') {
            depth += 1;
            if depth == 1 {
                inner = Part::default();
            }
        }
        if outer.is_done() {
            break;
        }
        at += 1;
    }
    (outer.range(), within)
}

/// Returns where the line after byte `at` begins, if only blanks are left on this one.
fn line_end(bytes: &[u8], at: usize) -> Option<usize> {
    let rest = bytes.get(at..)?;
    let blanks = rest
        .iter()
        .position(|byte| !matches!(byte, b' ' | b'\t' | b'\r'))?;
    (rest.get(blanks) == Some(&b'\n')).then_some(at + blanks + 1)
}

/// Returns where the line begins that byte `at` is the first of, blanks aside.
fn line_start(bytes: &[u8], at: usize) -> usize {
    let head = bytes.get(..at).unwrap_or_default();
    let blanks = head
        .iter()
        .rev()
        .take_while(|byte| matches!(byte, b' ' | b'\t'))
        .count();
    at - blanks
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::syntax::precise::part::judge;

    /// Large items, so that a part of it is worth a look.
    fn file() -> String {
        let mut text = String::from(
            "#![allow(dead_code)]\n//! The file.\n\nuse std::fmt;\n\nconst C: u8 = { 1 }\n + 1;\n",
        );
        for n in 0..6 {
            text += &format!(
                "\n/// One, {n} \u{e4}.\n#[derive(Debug)]\nstruct B{n}<'a> {{\n    b: &'a [u8; 2],\n}}\n\n\
                 fn a{n}() {{\n    let x = \"}}\";\n    fn inner() {{}}\n}}\n// A note {{.\n"
            );
        }
        text += "\nimpl<'a> B0<'a> {\n    const D: char = '{';\n";
        for n in 0..12 {
            text += &format!(
                "\n    /// Says {n}.\n    fn c{n}(&self) -> char {{\n        let r = r#\"}}\"#;\n        '{{'\n    }}\n"
            );
        }
        text + "}\n"
    }

    #[test]
    fn an_edit_is_judged_by_the_items_around_it() {
        let text = file();
        let check = |old: &str, new: &str, expected: bool| {
            let (_, good) = judge(stays_good, &text, text.find(old).unwrap(), old, new);
            assert_eq!(good, expected, "{old} -> {new}");
        };
        check("b: &'a [u8; 2]", "c: u8", true);
        check("#[derive(Debug)]", "", true);
        check("let x = \"}\"", "let x = \"{\"", true);
        check("let x = \"}\"", "let x = }", false);
        check("fn inner() {}\n}", "fn inner() {}", false);
        // Within the braces of the implementation, which is more than a part of the file.
        check("Says 4.", "Answers 4.", true);
        check("fn c4(&self) -> char {", "fn c4(&self) -> char", false);
        check("fn c4(&self)", "pub fn c4<T: Into<u8>>(&self, t: T)", true);
        check("{ 1 }\n + 1;", "{ 2 }\n + 1;", true);
        check("fn c4(&self) -> char {", "f! char {", false);
        check("fn c4(&self) -> char {", "struct S {", false);
        check("#![allow(dead_code)]", "#![allow(unused)]", true);
        check("#![allow(dead_code)]", "#![allow(unused)", false);
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(2000))]

        /// What is good by its part is good as a whole.
        #[test]
        fn no_edit_is_good_that_the_whole_refuses(
            from in 0..file().len(),
            length in 0..40_usize,
            new in prop::sample::select(vec![
                "", "x", " ", "\n", "{", "}", "\"", "'", "//", "/*", "*/", "#![x]", "//! x", "r#\"", "\"#", "#",
                ";", "fn i() {}", "fn i() {}\n", "fn i(", "'a", "b", "!", "/// x\n", "macro_rules! m {} ;", "pub ",
                "}\n", "struct S;\n", "use a::b;\n", "}\nfn j() {\n", "{\n", ";\n", "const E: u8 = {1}\n", "}\n}\n", "impl X {\n",
            ]),
        ) {
            let text = file();
            let end = (from + length).min(text.len());
            prop_assume!(text.is_char_boundary(from) && text.is_char_boundary(end));
            let (after, good) = judge(stays_good, &text, from, &text[from..end], new);
            if good {
                prop_assert!(read(&after).is_ok(), "{}", after);
            }
        }
    }
}
