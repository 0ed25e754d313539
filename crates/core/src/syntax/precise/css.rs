//! CSS, as far as its rules of tokens and blocks go.
//!
//! In: a text. Out: its first error. What a property or a selector may be is not looked at: there
//! are more of them every year, and what a browser does not know it leaves out.

use std::ops::Range;

use super::{Fault, balance};
use crate::syntax::Language;

/// Returns the errors of a text.
///
/// The syntax is that of CSS Syntax Module Level 3, except that no value has a colon of its own: there
/// it would be valid, and here it is one where a `;` is missing.
pub(super) fn faults(text: &str) -> Vec<Fault> {
    let faults = balance(Language::Css, text);
    if !faults.is_empty() {
        return faults;
    }
    Reader {
        text,
        depth: 0,
        brackets: 0,
        item: Item::default(),
    }
    .first()
    .into_iter()
    .collect()
}

/// What stands between two ends of a statement.
#[derive(Debug, Default)]
struct Item {
    /// From the first byte that is no blank to the last.
    range: Option<Range<usize>>,
    /// The first colon outside of brackets.
    colon: Option<usize>,
    /// The second.
    second: Option<usize>,
}

struct Reader<'a> {
    text: &'a str,
    /// How many blocks are open.
    depth: usize,
    /// How many round and square brackets.
    brackets: usize,
    item: Item,
}

impl Reader<'_> {
    /// Returns the first error of a text whose brackets match.
    fn first(mut self) -> Option<Fault> {
        let (bytes, lexis) = (self.text.as_bytes(), Language::Css.lexis());
        let mut at = 0;
        while let Some(byte) = bytes.get(at).copied() {
            if matches!(byte, b'/' | b'"' | b'\'')
                && let Some(region) = lexis.region_at(self.text, at)
            {
                if byte != b'/' {
                    self.note(at..region.range.end);
                }
                at = region.range.end.max(at + 1);
                continue;
            }
            if byte == b'(' && super::is_plain_url(self.text, at) {
                let rest = self.text.get(at..).unwrap_or_default();
                let end = rest.find(')').map_or(self.text.len(), |end| at + end + 1);
                self.note(at..end);
                at = end;
                continue;
            }
            let fault = self.step(byte, at);
            if fault.is_some() {
                return fault;
            }
            at += if byte == b'\\' { 2 } else { 1 };
        }
        self.end(false)
    }

    /// Takes a byte that is in no comment and no string.
    fn step(&mut self, byte: u8, at: usize) -> Option<Fault> {
        match byte {
            b'(' | b'[' => self.brackets += 1,
            b')' | b']' => self.brackets = self.brackets.saturating_sub(1),
            _ if self.brackets > 0 => {}
            b';' => return self.end(true),
            b'{' => {
                self.depth += 1;
                let item = std::mem::take(&mut self.item);
                // Of a property of one's own the value may be a block, which `;` follows.
                return item.range.is_none().then(|| {
                    Fault::new(at..at + 1, "nothing stands before this block".to_owned())
                });
            }
            b'}' => {
                let fault = self.end(true);
                self.depth = self.depth.saturating_sub(1);
                return fault;
            }
            b':' => self.colon(at),
            _ => {}
        }
        if !byte.is_ascii_whitespace() {
            self.note(at..at + 1);
        }
        None
    }

    fn note(&mut self, range: Range<usize>) {
        let start = self
            .item
            .range
            .as_ref()
            .map_or(range.start, |own| own.start);
        self.item.range = Some(start..range.end);
    }

    fn colon(&mut self, at: usize) {
        let head = self.text.get(..at).unwrap_or_default();
        let tail = head.get(head.len().saturating_sub(6)..).unwrap_or_default();
        match self.item.colon {
            None => self.item.colon = Some(at),
            // As old filters are written: `filter: progid:A.B()`.
            Some(_) if tail.eq_ignore_ascii_case("progid") => {}
            Some(_) => self.item.second = self.item.second.or(Some(at)),
        }
    }

    /// Ends what stands before `;`, `}` or the end of the text; `closed` unless it is the last.
    fn end(&mut self, closed: bool) -> Option<Fault> {
        let Item {
            range,
            colon,
            second,
        } = std::mem::take(&mut self.item);
        let range = range?;
        let own = self.text.get(range.clone())?;
        let fault = |at: Range<usize>, message: &str| Some(Fault::new(at, message.to_owned()));
        if own.starts_with('@') || own == "<!--" || own == "-->" {
            return None;
        }
        if self.depth == 0 && !closed {
            return fault(range, "a block is missing after this");
        }
        let Some(colon) = colon else {
            return fault(range, "`:` is missing in this declaration");
        };
        let name = self
            .text
            .get(range.start..colon)
            .unwrap_or_default()
            .trim_end();
        if name.is_empty() {
            return fault(range, "this declaration has no name");
        }
        if name.contains(|c: char| c.is_whitespace() || c == ',' || c == '`')
            && !name.contains("/*")
        {
            return fault(range, "this is no name of a declaration");
        }
        let second = second.filter(|_| !name.starts_with("--"))?;
        let before = self.text.get(colon..second).unwrap_or_default();
        let start = colon
            + before
                .trim_end()
                .rfind(char::is_whitespace)
                .unwrap_or_default();
        fault(start..second, "`;` is missing before this")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, expected: Option<&str>) {
        let found = faults(text);
        let message = found.first().map(|fault| fault.message());
        assert_eq!(message, expected, "{text}");
    }

    #[test]
    fn good_texts_are_accepted() {
        for text in [
            "",
            ";",
            "@charset \"utf-8\";\n@import url(a;b.css) layer(x);",
            "a:hover, b::after { color: red }\n",
            "a { b: c; ; }",
            ".a { &:hover { b: c } > d { e: f }\n  @apply g h;\n  --x: { y: z };\n  --empty:;\n *zoom: 1;\n }",
            "a { filter: progid:DXImageTransform.Microsoft.gradient(startColorstr='#1', endColorstr='#2'); }",
            "a { background: url(data:image/png;base64,iVBOR) no-repeat, url('a:b') }",
            "@media (min-width: 1px) { a { b: c } }\n@font-face { src: local(\"a\"),\n    url(b) }",
            "a { grid-template-areas:\n    'a b'\n    'c d'; transition: b 1s,\n    c 2s }",
            ".a\\:b { c: d\\; e }\n.md\\:x:is(.y):hover { a: b }",
            "/* a { */ a /* ; */ { b: /* } */ c }",
            "@tailwind base;\n<!-- a { b: c } -->",
            "--x: y;\na { --b:c\nd:e; }",
            "a { b /* x */ : c; *zoom: 1; _d: e; &:not(.f):hover > g:h { i: j } }",
        ] {
            check(text, None);
        }
    }

    #[test]
    fn what_is_missing_is_told() {
        check("a { b: c", Some("`}` is missing for this"));
        check("a { b: (c; }", Some("`}` closes nothing"));
        check("a { b c; }", Some("`:` is missing in this declaration"));
        check("a { b }", Some("`:` is missing in this declaration"));
        check("a { : c }", Some("this declaration has no name"));
        check("a { b: c\n  d: e; }", Some("`;` is missing before this"));
        check(
            "a { b: c }\n.d, .e\n",
            Some("a block is missing after this"),
        );
        check("{ b: c }", Some("nothing stands before this block"));
    }
}
