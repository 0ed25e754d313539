//! Removes a named item.
//!
//! In: a symbol. Out: a plan that takes the item out with its overloads, with the comments,
//! attributes and decorators that stand directly above it, and with the blank line that it
//! would leave doubled.

use std::ops::Range;

use super::symbol::{self, Item};
use super::{Family, File, OrAnswer, ParsedFile, Plan, modified, refused, removal};
use crate::edit::plan::tree::children;
use crate::edit::request::SymbolAddress;
use crate::text::{Slice, Source, Splice};

/// Plans the removal of the symbol at `address`.
pub(super) fn plan(file: File<'_>, address: &SymbolAddress) -> OrAnswer<Plan> {
    let site = file.parsed()?;
    let item = locate(&site, address)?;
    let how = "the definition, by syntax";
    modified(splice(file, site.family, &item), how, 1)
}

fn locate<'t>(site: &'t ParsedFile<'_>, address: &SymbolAddress) -> OrAnswer<Item<'t>> {
    let item = symbol::one(site, address)?;
    if item.shared {
        return Err(refused(format!(
            "`{}` is declared together with others on line {}; use `section`",
            item.name,
            site.file.line(item.node.start_byte())
        )));
    }
    Ok(item)
}

fn splice(file: File<'_>, family: Family, item: &Item<'_>) -> Vec<Splice> {
    let alone = family == Family::Python && is_alone(item);
    let mut splices = Vec::new();
    for (own, last) in runs(file, item) {
        if is_listed(item) {
            splices.push(removal(file.text, with_comma(file, own)));
        } else if alone && last {
            // A suite without a statement is none.
            splices.push(file.splice(own, "pass"));
        } else {
            splices.push(removal(file.text, lines_of(file, own)));
        }
    }
    merged(file, splices)
}

/// Returns the ranges of the item and its overloads, those that follow each other as one, and
/// which of them holds the item.
fn runs(file: File<'_>, item: &Item<'_>) -> Vec<(Range<usize>, bool)> {
    let mut runs: Vec<(Range<usize>, bool)> = Vec::new();
    for part in item.overloads.iter().chain([item]) {
        let own = part.leading..part.outer.end_byte();
        let last = std::ptr::eq(part, item);
        let follows = |run: &&mut (Range<usize>, bool)| {
            let gap = file.text.get(run.0.end..own.start).unwrap_or_default();
            gap.trim_start_matches([';', ',']).trim().is_empty()
        };
        match runs.last_mut().filter(follows) {
            Some(run) => *run = (run.0.start..own.end, last),
            None => runs.push((own, last)),
        }
    }
    runs
}

/// Returns whether the item is a member of an object, where commas part the members.
fn is_listed(item: &Item<'_>) -> bool {
    item.parent.is_some_and(|parent| parent.kind() == "object")
}

/// Returns whether nothing but the item stands in a suite.
fn is_alone(item: &Item<'_>) -> bool {
    item.parent.is_some_and(|parent| {
        let overloads = item.overloads.len() + 1;
        parent.kind() == "block" && children(parent).len() <= overloads
    })
}

/// Joins removals that touch: overloads that follow each other.
fn merged(file: File<'_>, splices: Vec<Splice>) -> Vec<Splice> {
    let mut out: Vec<(Range<usize>, Vec<u8>)> = Vec::new();
    for splice in splices {
        let range = splice.at..splice.end();
        match out.last_mut() {
            Some((before, new)) if before.end >= range.start && new.is_empty() => {
                before.end = before.end.max(range.end);
                *new = splice.new;
            }
            _ => out.push((range, splice.new)),
        }
    }
    let joined = out.into_iter().map(|(range, new)| file.splice(range, new));
    joined.collect()
}

/// Widens a range to the comma that parts it from the next member, or the one before.
fn with_comma(file: File<'_>, range: Range<usize>) -> Range<usize> {
    let after = file.text.slice(range.end..);
    if let Some(rest) = after.trim_start().strip_prefix(',') {
        let end = file.text.len() - rest.len();
        let whole = lines_of(file, range.start..end);
        if whole != (range.start..end) {
            return whole;
        }
        let gap = rest.len() - rest.trim_start_matches([' ', '\t']).len();
        return range.start..end + gap;
    }
    let before = file.text.slice(..range.start);
    match before.trim_end().strip_suffix(',') {
        Some(head) => head.len()..range.end,
        None => lines_of(file, range),
    }
}

/// Widens a range to its whole lines, if nothing else but a comment is on them, and to a
/// blank line that would be left doubled.
fn lines_of(file: File<'_>, range: Range<usize>) -> Range<usize> {
    let source = file.source;
    let first = source.line_of(range.start);
    let last = source.line_of(range.end.saturating_sub(1));
    let start = source.line_range(first).start;
    let end = source.line_range(last).end;
    let after = trimmed(file, range.end..end.max(range.end))
        .trim_start_matches(';')
        .trim_start();
    let remark = ["//", "#"].iter().any(|mark| after.starts_with(mark));
    if !trimmed(file, start..range.start).is_empty() || !(after.is_empty() || remark) {
        return range;
    }
    let next = last + 1;
    let mut beyond = next;
    while beyond < source.line_count() && is_empty_line(source, beyond) {
        beyond += 1;
    }
    let above = (0..first)
        .rev()
        .take_while(|line| is_empty_line(source, *line))
        .count();
    let below = beyond - next;
    // Between two items the wider of both gaps stays; at an end, none.
    let opens = first == above || opens_suite(file, first - above - 1);
    if beyond >= source.line_count() {
        return source.line_range(first - above).start..end;
    }
    let closes = trimmed(file, source.line_range(beyond)).starts_with(['}', ')', ']']);
    if closes && below == 0 {
        return source.line_range(first - above).start..end;
    }
    let gone = if opens { below } else { below.min(above) };
    start..source.line_range(last + gone).end
}

fn is_empty_line(source: &Source, line: usize) -> bool {
    source.line(line).trim_ascii().is_empty()
}

fn trimmed(file: File<'_>, range: Range<usize>) -> &str {
    file.text.slice(range).trim()
}

/// Returns whether a line opens what the next ones stand in.
fn opens_suite(file: File<'_>, line: usize) -> bool {
    let text = file.source.line(line).trim_ascii_end();
    text.ends_with(b"{") || text.ends_with(b":")
}

#[cfg(test)]
mod tests {
    use super::super::testing::{answers, apply};

    const B: &str = r#"{"name":"delete_symbol","symbol":"b"}"#;

    #[test]
    fn overloads_leave_no_gap_doubled() {
        check(
            "x.ts",
            "b",
            "class C {\n  a(): void;\n\n  /** B. */\n  b(c: 1): void;\n  b(c: 2): void;\n\n  d() {}\n}\n",
            "class C {\n  a(): void;\n\n  d() {}\n}\n",
        );
        check(
            "x.d.ts",
            "b",
            "export declare const b: 1;\ndeclare const c: 2;\n",
            "declare const c: 2;\n",
        );
    }

    fn check(path: &str, symbol: &str, before: &str, after: &str) {
        let recipe = format!(r#"{{"name":"delete_symbol","symbol":"{symbol}"}}"#);
        assert_eq!(apply(path, before, &recipe).unwrap(), after, "{before}");
        let (before, after) = (before.replace('\n', "\r\n"), after.replace('\n', "\r\n"));
        assert_eq!(apply(path, &before, &recipe).unwrap(), after, "{before}");
    }

    #[test]
    fn an_item_goes_with_what_belongs_to_it() {
        check(
            "x.rs",
            "b",
            "fn a() {}\n\n/// Doc.\n#[inline]\nfn b() {}\n\nfn c() {}\n",
            "fn a() {}\n\nfn c() {}\n",
        );
        check("x.rs", "b", "// other\n\nfn b() {}\n", "// other\n");
        check(
            "x.rs",
            "b",
            "use a; // other\n#[inline] // why\nfn b() {}\n\nfn c() {}\n",
            "use a; // other\n\nfn c() {}\n",
        );
        check(
            "x.rs",
            "b",
            "//! Doc.\nfn b() {}\nfn c() {}\n",
            "//! Doc.\nfn c() {}\n",
        );
        check("x.rs", "b", "fn b() {} // gone\nfn c() {}\n", "fn c() {}\n");
        check("x.rs", "b", "fn a() {} fn b() {}\n", "fn a() {} \n");
        check(
            "x.ts",
            "b",
            "/** d */\nexport function b() {}\nexport const c = 1;\n",
            "export const c = 1;\n",
        );
        check("x.ts", "b", "const b = () => 1;\nb();\n", "b();\n");
        check(
            "x.py",
            "b",
            "import a\n\n\n@d\ndef b():\n    pass\n\n\ndef c():\n    pass\n",
            "import a\n\n\ndef c():\n    pass\n",
        );
        check(
            "x.py",
            "b",
            "#!/bin/py\ndef b(): pass\nx = 1\n",
            "#!/bin/py\nx = 1\n",
        );
    }

    #[test]
    fn members_are_addressed_by_what_they_are_in() {
        check(
            "x.rs",
            "A::f",
            "fn f() {}\nimpl A {\n    fn e() {}\n\n    /// F.\n    fn f() {}\n}\n",
            "fn f() {}\nimpl A {\n    fn e() {}\n}\n",
        );
        check(
            "x.ts",
            "A.f",
            "class A {\n  x = 1;\n  @d()\n  f() {}\n\n  g() {}\n}\nfunction f() {}\n",
            "class A {\n  x = 1;\n\n  g() {}\n}\nfunction f() {}\n",
        );
        check(
            "x.js",
            "A.x",
            "class A {\n  x = 1;\n  y = 2;\n}\n",
            "class A {\n  y = 2;\n}\n",
        );
        check(
            "x.py",
            "A.x",
            "class A:\n    x = 1\n    y = 2\n\nx = 3\n",
            "class A:\n    y = 2\n\nx = 3\n",
        );
        check(
            "x.py",
            "A.f",
            "class A:\n    def f(self):\n        return 1\n\n\nx = 1\n",
            "class A:\n    pass\n\n\nx = 1\n",
        );
    }

    #[test]
    fn members_of_objects_take_their_comma_along() {
        check(
            "x.js",
            "o.b",
            "const o = {\n  a: 1,\n  b() {},\n  c: 2,\n};\n",
            "const o = {\n  a: 1,\n  c: 2,\n};\n",
        );
        check(
            "x.js",
            "o.b",
            "const o = {\n  a: 1,\n  b: () => 1\n};\n",
            "const o = {\n  a: 1\n};\n",
        );
        check(
            "x.js",
            "o.b",
            "x = 1; const o = { b() {}, c };\n",
            "x = 1; const o = { c };\n",
        );
    }

    #[test]
    fn overloads_of_a_function_are_deleted_together() {
        check(
            "x.ts",
            "b",
            "a();\nfunction b(x: string): void;\nfunction b(x: any) {}\nc();\n",
            "a();\nc();\n",
        );
        check(
            "x.py",
            "b",
            "@overload\ndef b(x: int): ...\n\n@overload\ndef b(x: str): ...\n\n\
             def b(x): pass\n\ny = 1\n",
            "y = 1\n",
        );
    }

    #[test]
    fn none_and_several_are_answers() {
        // What is gone looks like what never was.
        answers("x.rs", B, "fn a() {}\n", "not_found", "no item `b`");
        let of_other = r#"{"name":"delete_symbol","symbol":"X::b"}"#;
        answers(
            "x.rs",
            of_other,
            "fn b() {}\n",
            "not_found",
            "no item `X::b`",
        );
        let two = "mod m { fn b() {} }\nfn b() {}\n";
        answers("x.rs", B, two, "ambiguous", "2 items are called `b`");
        let second = r#"{"name":"delete_symbol","symbol":"b","line":2}"#;
        assert_eq!(apply("x.rs", two, second).unwrap(), "mod m { fn b() {} }\n");
        answers("x.txt", B, "b\n", "refused", "no grammar");
        answers(
            "x.js",
            B,
            "const a = 1, b = 2;\n",
            "refused",
            "together with others",
        );
    }
}
