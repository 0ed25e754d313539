//! Identifiers where scopes are not known.
//!
//! In: a tree and a name. Out: where the name stands as an identifier. What a macro of C is
//! defined as has no nodes: there it is a whole word outside strings and comments, unless it is
//! pasted to another one.

use super::words::words;
use crate::syntax::{Language, Parsed};
use crate::text::Slice;

/// Returns where `name` is an identifier, in order.
pub(super) fn identifiers(parsed: &Parsed<'_>, name: &str) -> Vec<usize> {
    let mut places = Vec::new();
    parsed.walk(|node| {
        if node.kind() == "preproc_arg" {
            let (text, start) = (parsed.text(node), node.start_byte());
            places.extend(in_macro(text, name).iter().map(|at| start + at));
            return;
        }
        let is_name = node.child_count() == 0 && node.kind().ends_with("identifier");
        if is_name && parsed.text(node) == name {
            places.push(node.start_byte());
        }
    });
    places
}

fn in_macro(text: &str, name: &str) -> Vec<usize> {
    let mut found = words(text, name);
    if found.is_empty() {
        return found;
    }
    let quoted = Language::C.lexis().regions(text);
    found.retain(|at| {
        let head = text.slice(..*at).trim_end();
        let tail = text.slice(at + name.len()..);
        let pasted = head.ends_with('#') || tail.trim_start().starts_with("##");
        !pasted && !quoted.iter().any(|region| region.range.contains(at))
    });
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn macros_are_defined_by_words() {
        let check = |text: &str, expected: &[usize]| {
            let parsed = Language::C.parse(text).unwrap();
            assert_eq!(identifiers(&parsed, "foo"), expected, "{text}");
        };
        check("#define A(x) foo(x) + \\\n  foo\nint foo;\n", &[13, 26, 34]);
        check("#define A \"foo\" food /* foo */ foo\n", &[31]);
        check("#define A(x) foo##x + x ## foo + #foo\n", &[]);
        check("#if foo > 1\n#endif\n", &[4]);
    }
}
