//! Insertion: how new text stands among what is there.
//!
//! In: the place that a strategy found. Out: an [`InsertionPoint`]: what is written in front of the new text and behind
//! it, so that it has the lines, blank lines, commas and line endings of its place.
//!
//! The new text is `x`, indented by two blanks; `/` stands for a line ending:
//!
//! | place | before | after |
//! |---|---|---|
//! | `Lines(2, Below(0))` | `{/  a/}` | `{/  a/  x/}` |
//! | `Lines(2, Between(1, Brace))` | `{/  a/}` | `{/  a//  x/}` |
//! | `Lines(1, Between(1, Brace))` | `{/  a/}` | `{/  x//  a/}` |
//! | `Brackets`, of the blank before `}` | `{ a }` | `{ a/  x/}` |
//! | `Suite`, of ` pass` | `A: pass` | `A:/  x` |
//! | `Spaced`, behind `a` | `<A a>` | `<A a x>` |
//! | `LineBehind`, behind `a` | `<A/  a>` | `<A/  a/  x>` |
//! | `Listed`, `Before` and `After` | `f(a)` | `f(x, a)` and `f(a, x)` |
//! | `Listed`, `AfterMark` | `f(a,)` | `f(a, x,)` |
//! | `Listed`, `LineAfter` | `f(/  a/)` | `f(/  a,/  x/)` |
//! | `Listed`, `Line(2)` | `f(/  a,/)` | `f(/  a,/  x,/)` |
//!
//! Each strategy finds the place by itself: `ast` by a node and a side of it, `add_function` by the names of items,
//! `ensure_import` by the order of the imports. A text that replaces a whole item keeps the item's lines, so that nothing
//! is put around it.

use std::ops::Range;

use crate::text::{Ending, Slice, Source, Splice};

/// A place for new text. Offsets are bytes of the file, lines count from 0.
pub(super) enum InsertionPlace<'a> {
    /// Within a line, at this byte.
    Inline(usize),
    /// Within a line, with a blank in front.
    Spaced(usize),
    /// On lines of its own above a line; below the last one for the number of lines.
    Lines(usize, BlankMargin),
    /// On a line of its own that begins at this byte, behind something.
    LineBehind(usize),
    /// On lines of its own between brackets that have text beside them, in the place of these blanks. The closing
    /// bracket comes below, with this indentation.
    Brackets(Range<usize>, &'a str),
    /// On lines of its own in the place of the statements of a suite, which may stand behind the colon.
    Suite(Range<usize>),
    /// Among the items of a list, which this mark parts.
    Listed(ListMark, ListPlace),
}

/// Blank lines around new lines.
#[derive(Clone, Copy)]
pub(super) enum BlankMargin {
    /// This many more below the new lines.
    Below(usize),
    /// This many in all on both sides, but none beside a line that opens or closes a body. New lines go above blank lines
    /// that are there.
    Between(usize, BodyMark),
}

/// What a line ends with that opens a body.
#[derive(Clone, Copy)]
pub(super) enum BodyMark {
    Brace,
    BraceOrColon,
}

/// What parts the items of a list.
#[derive(Clone, Copy)]
pub(super) enum ListMark {
    Comma,
    Semicolon,
}

/// A place in a list.
#[derive(Clone, Copy)]
pub(super) enum ListPlace {
    /// On the line of the item that begins here, before it.
    Before(usize),
    /// On the line of the item that ends here, after it.
    After(usize),
    /// On the line of the mark that ends here, after it.
    AfterMark(usize),
    /// On a line of its own after the item that ends here, which gets its mark.
    LineAfter(usize),
    /// On a line of its own above this line.
    Line(usize),
}

/// Where new text goes, and what is written around it.
pub(super) struct InsertionPoint {
    /// What it takes the place of: nothing, blanks, or statements.
    pub(super) range: Range<usize>,
    /// Indentation of the lines there, written in front of the first one; empty where the lines bring it along.
    pub(super) base: String,
    front: String,
    behind: String,
    ending: Ending,
}

impl InsertionPoint {
    /// Returns how text stands at `place`, where lines are indented by `base`.
    pub(super) fn new(source: &Source, place: InsertionPlace<'_>, base: &str) -> Self {
        match place {
            InsertionPlace::Inline(at) => Self::within(source, at, ("", "")),
            InsertionPlace::Spaced(at) => Self::within(source, at, (" ", "")),
            InsertionPlace::Lines(above, blank) => Self::lines(source, above, base, blank),
            InsertionPlace::LineBehind(at) => Self::line_behind(source, at, base, ""),
            InsertionPlace::Brackets(blanks, outer) => {
                let mut point = Self::line_behind(source, blanks.start, base, "");
                point.behind = format!("{}{outer}", point.ending.as_str());
                point.range = blanks;
                point
            }
            InsertionPlace::Suite(statements) => {
                let mut point = Self::line_behind(source, statements.start, base, "");
                let line = source.line_of(statements.start);
                if source.line_range(line).start == statements.start {
                    point.front.clear();
                }
                point.range = statements;
                point
            }
            InsertionPlace::Listed(mark, place) => Self::listed(source, mark, place, base),
        }
    }

    fn listed(source: &Source, mark: ListMark, place: ListPlace, base: &str) -> Self {
        let mark = match mark {
            ListMark::Comma => ",",
            ListMark::Semicolon => ";",
        };
        let spaced = format!("{mark} ");
        match place {
            ListPlace::Before(at) => Self::within(source, at, ("", &spaced)),
            ListPlace::After(at) => Self::within(source, at, (&spaced, "")),
            ListPlace::AfterMark(at) => Self::within(source, at, (" ", mark)),
            ListPlace::LineAfter(at) => Self::line_behind(source, at, base, mark),
            ListPlace::Line(above) => {
                let mut point = Self::lines(source, above, base, BlankMargin::Below(0));
                point.behind.insert_str(0, mark);
                point
            }
        }
    }

    fn within(source: &Source, at: usize, (front, behind): (&str, &str)) -> Self {
        Self {
            range: at..at,
            base: String::new(),
            front: front.to_owned(),
            behind: behind.to_owned(),
            ending: source.ending_near(source.line_of(at)),
        }
    }

    fn line_behind(source: &Source, at: usize, base: &str, mark: &str) -> Self {
        let mut point = Self::within(source, at, (mark, ""));
        point.front.push_str(point.ending.as_str());
        base.clone_into(&mut point.base);
        point
    }

    fn lines(source: &Source, above: usize, base: &str, blank: BlankMargin) -> Self {
        let (above, lead, tail) = match blank {
            BlankMargin::Below(count) => (above, 0, count),
            BlankMargin::Between(count, opens) => between(source, above, count, opens),
        };
        let at = source.line_range(above).start;
        let ending = source.ending_near(above);
        // The last line stays without an ending, where it has none.
        let is_open = above >= source.line_count() && !source.ends_with_newline();
        let (first, last) = if is_open { (1, 0) } else { (0, 1) };
        Self {
            range: at..at,
            base: base.to_owned(),
            front: ending.as_str().repeat(first + lead),
            behind: ending.as_str().repeat(last + tail),
            ending,
        }
    }

    /// Returns whether the text goes into a line, with nothing in front of it.
    pub(super) fn is_inline(&self) -> bool {
        self.front.is_empty() && self.base.is_empty() && !self.behind.contains('\n')
    }

    /// Adds this many blank lines below the text.
    pub(super) fn add_blank_lines(&mut self, count: usize) {
        let at = self.behind.find(['\r', '\n']).unwrap_or(self.behind.len());
        self.behind
            .insert_str(at, &self.ending.as_str().repeat(count));
    }

    /// Makes the splice that puts `new` there.
    pub(super) fn splice(&self, source: &Source, new: &str) -> Splice {
        Splice {
            at: self.range.start,
            old: source.bytes().slice(self.range.clone()).to_vec(),
            new: self.around(new).into_bytes(),
        }
    }

    /// Makes the splice that puts lines there.
    pub(super) fn splice_lines(&self, source: &Source, lines: &[String]) -> Splice {
        self.splice(source, &lines.join(self.ending.as_str()))
    }

    /// Returns lines with what is written around them.
    pub(super) fn around_lines(&self, lines: &[String]) -> String {
        self.around(&lines.join(self.ending.as_str()))
    }

    fn around(&self, new: &str) -> String {
        // A text that begins with a blank line has the indentation behind it.
        let begins_blank = new.starts_with(['\n', '\r']);
        let base = if begins_blank { "" } else { &self.base };
        // Nor does one of several lines end in a blank.
        let behind = if self.is_inline() && new.contains('\n') {
            self.behind.trim_end()
        } else {
            &self.behind
        };
        format!("{}{base}{new}{behind}", self.front)
    }
}

/// Returns the line that new lines go above, and how many blank lines they need above and below.
fn between(source: &Source, above: usize, count: usize, opens: BodyMark) -> (usize, usize, usize) {
    let mut at = above.min(source.line_count());
    while at > 0 && trimmed(source, at - 1).is_empty() {
        at -= 1;
    }
    let mut below = at;
    while below < source.line_count() && trimmed(source, below).is_empty() {
        below += 1;
    }
    let is_opened = at == 0 || {
        let above = trimmed(source, at - 1);
        let colon = matches!(opens, BodyMark::BraceOrColon) && above.ends_with(b":");
        above.ends_with(b"{") || colon
    };
    let is_closed = below >= source.line_count() || trimmed(source, below).starts_with(b"}");
    let lead = if is_opened { 0 } else { count };
    let tail = if is_closed {
        0
    } else {
        count.saturating_sub(below - at)
    };
    (at, lead, tail)
}

fn trimmed(source: &Source, line: usize) -> &[u8] {
    source.line(line).trim_ascii()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::text::EditSet;

    fn check(text: &str, place: InsertionPlace<'_>, base: &str, expected: &str) {
        let source = Source::new(text);
        let point = InsertionPoint::new(&source, place, base);
        let edits = EditSet::new(vec![point.splice(&source, "x")]).unwrap();
        let after = String::from_utf8(edits.apply(source.bytes()).unwrap()).unwrap();
        assert_eq!(after, expected, "{text}");
    }

    #[test]
    fn lines_of_its_own_have_the_endings_and_blank_lines_of_the_place() {
        use BlankMargin::{Below, Between};
        use BodyMark::{Brace, BraceOrColon};
        use InsertionPlace::Lines;
        check("a\nb\n", Lines(1, Below(0)), "  ", "a\n  x\nb\n");
        check("a\r\nb\r\n", Lines(1, Below(1)), "", "a\r\nx\r\n\r\nb\r\n");
        check("a\nb", Lines(2, Below(0)), " ", "a\nb\n x");
        check("", Lines(0, Below(0)), "", "x\n");
        check(
            "{\n a\n}\n",
            Lines(2, Between(1, Brace)),
            " ",
            "{\n a\n\n x\n}\n",
        );
        check(
            "{\n a\n}\n",
            Lines(1, Between(1, Brace)),
            " ",
            "{\n x\n\n a\n}\n",
        );
        check("a\n\nb\n", Lines(2, Between(1, Brace)), "", "a\n\nx\n\nb\n");
        check(
            "a:\n b\n",
            Lines(1, Between(2, BraceOrColon)),
            " ",
            "a:\n x\n\n\n b\n",
        );
        check(
            "a:\n b\n",
            Lines(1, Between(1, Brace)),
            " ",
            "a:\n\n x\n\n b\n",
        );
        check("a", Lines(1, Between(1, Brace)), "", "a\n\nx");
    }

    #[test]
    fn brackets_and_suites_in_one_line_are_broken_up() {
        use InsertionPlace::{Brackets, Inline, LineBehind, Spaced, Suite};
        check(" {}", Brackets(2..2, " "), "  ", " {\n  x\n }");
        check("{ a }\r\n", Brackets(3..4, ""), " ", "{ a\r\n x\r\n}\r\n");
        check("a: b\n", Suite(2..4), " ", "a:\n x\n");
        check("a:\n b\n", Suite(3..5), " ", "a:\n x\n");
        check("<a />", Spaced(2), "", "<a x />");
        check("<a\n b />", LineBehind(5), " ", "<a\n b\n x />");
        check("ab", Inline(1), "", "axb");
    }

    #[test]
    fn items_of_a_list_have_their_marks() {
        let item = |place| InsertionPlace::Listed(ListMark::Comma, place);
        check("(a)", item(ListPlace::Before(1)), "", "(x, a)");
        check("(a)", item(ListPlace::After(2)), "", "(a, x)");
        check("(a,)", item(ListPlace::AfterMark(3)), "", "(a, x,)");
        check(
            "(\n a\n)",
            item(ListPlace::LineAfter(4)),
            " ",
            "(\n a,\n x\n)",
        );
        check("(\n a,\n)", item(ListPlace::Line(2)), " ", "(\n a,\n x,\n)");
        let statement = InsertionPlace::Listed(ListMark::Semicolon, ListPlace::After(1));
        check("a", statement, "", "a; x");
    }
}
