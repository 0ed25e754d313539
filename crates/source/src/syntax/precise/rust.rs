//! Rust by syn.
//!
//! In: a text; or one that edits make of a text that was accepted. Out: where its items begin, or
//! the first error. Of the second sort only the items around the edits are read.
//! [`stays_good`] does so for a text of which nothing is known.

mod around;

pub(in crate::syntax) use around::stays_good;
use syn::Item;
use syn::parse::{ParseStream, Parser};

use super::{Fault, first_line, is_flat, offset};
use crate::text::EditSet;

/// Where the items of a file begin; nothing, where that is not known.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(in crate::syntax) struct Items(Vec<usize>);

impl Items {
    /// Returns how many there are.
    pub(super) fn count(&self) -> usize {
        self.0.len()
    }
}

/// Reads a whole text.
pub(super) fn read(text: &str) -> Result<Items, Fault> {
    // What may stand before the first token is a matter for the parser of whole files.
    let plain =
        !text.starts_with('\u{feff}') && (!text.starts_with("#!") || text.starts_with("#!["));
    let read = if plain {
        file.parse_str(text).map(Items)
    } else {
        syn::parse_file(text).map(|_| Items::default())
    };
    let read = read.map_err(|error| {
        let start = error.span().start();
        let at = offset(text, start.line, start.column);
        Fault::new(at..at, message(&error.to_string()))
    });
    // The texts that spans point into are kept by the thread.
    proc_macro2::extra::invalidate_current_thread_spans();
    read
}

/// Reads a whole file with its inner attributes.
fn file(input: ParseStream<'_>) -> syn::Result<Vec<usize>> {
    input.call(syn::Attribute::parse_inner)?;
    items(input)
}

/// Reads a text that `edits` make of one whose items are `known`: those that are edited, and one
/// on either side. None where that does not tell whether the text as a whole is accepted.
///
/// A file is its items one after another, so that it is accepted if what the edits leave alone
/// was, and what they touch is items again. This holds if neither end of it can merge with what
/// is beyond: the text is cut where an item begins, after white space on one side, and after the
/// end of a line on the other, so that no comment reaches across.
pub(super) fn read_again(text: &str, known: &Items, edits: &EditSet) -> Option<Items> {
    let Items(starts) = known;
    let (first, last) = (edits.splices().first()?, edits.splices().last()?);
    let edited = starts
        .partition_point(|start| *start <= first.at)
        .checked_sub(1)?;
    let from = edited.saturating_sub(1);
    let to = starts.partition_point(|start| *start <= last.end()) + 1;
    let length = length_before(text, edits);
    let shift = |at: usize| (at + text.len()).checked_sub(length);
    let start = *starts.get(from)?;
    let end = match starts.get(to) {
        Some(end) => shift(*end)?,
        None => text.len(),
    };
    let clean = is_cut(text, start, u8::is_ascii_whitespace)
        && (end == text.len() || is_cut(text, end, |byte| *byte == b'\n'));
    let read = items_of(text.get(start..end).filter(|_| clean)?)?;
    let mut all: Vec<usize> = starts.get(..from)?.to_vec();
    all.extend(read.into_iter().map(|at| start + at));
    for start in starts.get(to..).unwrap_or_default() {
        all.push(shift(*start)?);
    }
    Some(Items(all))
}

fn is_cut(text: &str, at: usize, after: fn(&u8) -> bool) -> bool {
    at == 0 || text.as_bytes().get(at - 1).is_some_and(after)
}

/// Returns where the items of a part begin, if it is items and nothing else.
fn items_of(part: &str) -> Option<Vec<usize>> {
    let read = Some(part).filter(|part| is_flat(part))?;
    let read = items.parse_str(read).ok();
    proc_macro2::extra::invalidate_current_thread_spans();
    read
}

/// Returns whether a part is items and nothing else, of the kinds that may stand in a module and in
/// an implementation or trait as well.
fn are_members(part: &str) -> bool {
    let is_read = is_flat(part) && members.parse_str(part).is_ok();
    proc_macro2::extra::invalidate_current_thread_spans();
    is_read
}

fn members(input: ParseStream<'_>) -> syn::Result<()> {
    while !input.is_empty() {
        let is_member = match input.parse()? {
            Item::Fn(_) | Item::Const(_) | Item::Type(_) => true,
            Item::Macro(item) => item.ident.is_none(),
            _ => false,
        };
        if !is_member {
            return Err(input.error("no member"));
        }
    }
    Ok(())
}

/// Returns the length of the text that `edits` made into `text`.
fn length_before(text: &str, edits: &EditSet) -> usize {
    let splices = edits.splices().iter();
    splices.fold(text.len(), |length, splice| {
        (length + splice.old.len()).saturating_sub(splice.new.len())
    })
}

/// Reads items up to the end; returns where each begins.
fn items(input: ParseStream<'_>) -> syn::Result<Vec<usize>> {
    let mut starts = Vec::new();
    while !input.is_empty() {
        starts.push(input.span().byte_range().start);
        input.parse::<Item>()?;
    }
    Ok(starts)
}

fn message(message: &str) -> String {
    match message {
        "cannot parse string into token stream" | "lex error" => {
            "brackets, quotes or comments do not match up".to_owned()
        }
        other => first_line(other),
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::text::Splice;

    const FILE: &str = "#![allow(dead_code)]\n//! The file.\n\nuse std::fmt;\n\n/// One, \u{e4}.\n\
        fn a() { let x = \"}\"; }\n\n// A note.\n#[derive(Debug)]\nstruct B<'a> {\n    b: &'a str,\n}\n\
        impl<'a> B<'a> { fn c(&self) -> char { '{' } }\nmod d { pub fn e() {} } const F: u8 = b'\"';\n\
        macro_rules! g { ($x:expr) => { $x } }\n/* end */ fn h() {}\n";

    fn splice(at: usize, old: &str, new: &str) -> EditSet {
        let (old, new) = (old.as_bytes().to_vec(), new.as_bytes().to_vec());
        EditSet::new(vec![Splice { at, old, new }]).unwrap()
    }

    fn after(edits: &EditSet) -> String {
        String::from_utf8(edits.apply(FILE.as_bytes()).unwrap()).unwrap()
    }

    #[test]
    fn items_are_found_where_they_begin() {
        let Items(starts) = read(FILE).unwrap();
        let heads: Vec<&str> = starts.iter().map(|at| &FILE[*at..][..6]).collect();
        assert_eq!(
            heads,
            [
                "use st", "/// On", "#[deri", "impl<'", "mod d ", "const ", "macro_", "fn h()"
            ]
        );
    }

    #[test]
    fn a_good_edit_is_read_by_itself() {
        let known = read(FILE).unwrap();
        let at = FILE.find("b: &'a").unwrap();
        let edits = splice(at, "b", "renamed");
        assert_eq!(
            read_again(&after(&edits), &known, &edits),
            read(&after(&edits)).ok()
        );
        assert!(read_again(&after(&edits), &known, &edits).is_some());
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(2000))]

        /// What is accepted by its part is accepted as a whole, with the same items.
        #[test]
        fn no_edit_is_accepted_that_the_whole_refuses(
            from in 0..FILE.len(),
            length in 0..12_usize,
            new in prop::sample::select(vec![
                "", "x", " ", "\n", "{", "}", "\"", "'", "//", "/*", "*/", "#![x]", "//! x", "r#\"", "\"#", "#",
                ";", "fn i() {}", "fn i() {}\n", "fn i(", "'a", "b", "!", "/// x\n", "macro_rules! m {} ;", "pub ",
            ]),
        ) {
            let end = (from + length).min(FILE.len());
            prop_assume!(FILE.is_char_boundary(from) && FILE.is_char_boundary(end));
            let edits = splice(from, &FILE[from..end], new);
            prop_assume!(!edits.is_empty());
            let known = read(FILE).unwrap();
            if let Some(items) = read_again(&after(&edits), &known, &edits) {
                prop_assert_eq!(Ok(items), read(&after(&edits)));
            }
        }
    }
}
