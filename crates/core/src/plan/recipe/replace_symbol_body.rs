//! Replaces the body of a symbol, or all of it.
//!
//! In: a symbol, and its new body with or without braces, or its new code. Out: a plan that
//! puts that in the place of the old, at the indentation of the place. A docstring stays
//! unless the new body has one; what wraps an item (`export`, decorators) stays unless the
//! new code has it.

use std::ops::Range;

use tree_sitter::Node;

use super::indent::{self, Unit};
use super::snippet::Snippet;
use super::symbol::{self, Item};
use super::{Family, File, Outcome, already, invalid, modified, refused};
use crate::request::{Part, Replacement};
use crate::syntax::Language;
use crate::text::Splice;

/// Where new code goes, and how it has to look there.
#[derive(Clone, Copy)]
struct Place<'a> {
    file: File<'a>,
    family: Family,
    language: Language,
    unit: Unit,
}

/// Plans the replacement.
pub(super) fn plan(file: File<'_>, request: &Replacement) -> Result<Outcome, Outcome> {
    let (family, language, tree) = file.parsed()?;
    let item = symbol::one(file, family, &tree, &request.address)?;
    let unit = file.unit(family);
    let place = Place {
        file,
        family,
        language,
        unit,
    };
    let splices = match &request.part {
        Part::Whole(code) => place.whole(&item, code)?,
        // A body that is the item itself was meant as the whole.
        Part::Body(body) => match Snippet::parse(body, family, language, unit) {
            Ok(snippet) if snippet.name == item.name => place.whole(&item, body)?,
            _ => vec![place.body(&item, body)?],
        },
    };
    if splices.is_empty() {
        return Err(already(format!("`{}` is already so", item.name)));
    }
    Ok(modified(
        splices,
        format!("{} by syntax", item.node.kind()),
        1,
    ))
}

impl<'a> Place<'a> {
    fn body(self, item: &Item<'_>, body: &str) -> Result<Splice, Outcome> {
        let Some(old) = item.body() else {
            return Err(refused(format!(
                "`{}` on line {} has no body; give the whole item as `code`",
                item.name,
                self.file.line(item.node.start_byte())
            )));
        };
        let text = self.file.text.get(old.byte_range()).unwrap_or_default();
        match self.family {
            Family::Python => self.suite(item, old, body),
            _ if text.starts_with('{') && text.ends_with('}') => self.block(item, old, body),
            _ => self.expression(item, old, body),
        }
    }

    /// Returns the lines of `code` at an indentation.
    fn lines(self, code: &str, base: &str) -> Vec<String> {
        indent::lines(code, self.language, base, self.unit)
    }

    fn block(self, item: &Item<'_>, old: Node<'_>, body: &str) -> Result<Splice, Outcome> {
        let range = old.byte_range();
        let text = self.file.text.get(range.clone()).unwrap_or_default();
        let inner = text.get(1..text.len() - 1).unwrap_or_default();
        let body = self.unbraced(item, body);
        let new = self.lines(body, "");
        if self.lines(inner, "") == new {
            return Err(already(format!(
                "the body of `{}` is already so",
                item.name
            )));
        }
        let one_line = !text.contains('\n') && !inner.trim().is_empty();
        let bare = new
            .first()
            .filter(|line| new.len() == 1 && !line.contains("//"));
        if let Some(line) = bare.filter(|_| one_line) {
            return Ok(self.file.splice(range, format!("{{ {line} }}")));
        }
        Ok(self.file.splice(range, self.braced(item, old, body)))
    }

    /// Returns a block with `body` in it, for the place of `old`.
    fn braced(self, item: &Item<'_>, old: Node<'_>, body: &str) -> String {
        let file = self.file;
        let line = file.line_start(old.end_byte().saturating_sub(1));
        let closes = file
            .text
            .get(line..old.end_byte())
            .unwrap_or_default()
            .trim()
            == "}";
        let base = if closes {
            file.indent_at(old.end_byte().saturating_sub(1))
        } else {
            file.indent_at(item.outer.start_byte())
        };
        let lines = self.lines(body, &format!("{base}{}", self.unit.levels(1)));
        if lines.is_empty() {
            return "{}".into();
        }
        let ending = file.ending_at(old.start_byte());
        format!("{{{ending}{}{ending}{base}}}", lines.join(ending))
    }

    /// The body of an arrow function that is an expression.
    fn expression(self, item: &Item<'_>, old: Node<'_>, body: &str) -> Result<Splice, Outcome> {
        let range = old.byte_range();
        let file = self.file;
        let bare = body.trim();
        if bare.starts_with('{') || !self.is_expression(bare) {
            let inner = self.unbraced(item, body);
            return Ok(file.splice(range, self.braced(item, old, inner)));
        }
        let base = file.indent_at(item.outer.start_byte());
        let ending = file.ending_at(range.start);
        let new = self.lines(bare, base).join(ending);
        let new = new.trim_start();
        if file.text.get(range.clone()) == Some(new) {
            return Err(already(format!(
                "the body of `{}` is already so",
                item.name
            )));
        }
        Ok(file.splice(range, new))
    }

    fn is_expression(self, text: &str) -> bool {
        let whole = format!("({text}\n)");
        self.language
            .parse(&whole)
            .is_some_and(|tree| tree.root().named_child_count() == 1 && !tree.root().has_error())
    }

    /// Returns the body without the braces around all of it.
    fn unbraced<'b>(self, item: &Item<'_>, body: &'b str) -> &'b str {
        let bare = body.trim();
        let inner = bare
            .strip_prefix('{')
            .and_then(|rest| rest.strip_suffix('}'));
        let Some(inner) = inner else { return body };
        let kind = item.body().map(|node| node.kind()).unwrap_or_default();
        let head = match (self.family, kind) {
            (Family::Rust, "block") => "fn f() ",
            (Family::Rust, _) => "mod f ",
            (_, "class_body") => "class A ",
            _ => "async function* f() ",
        };
        let text = format!("{head}{bare}");
        let whole = self.language.parse(&text).is_some_and(|tree| {
            let first = tree.root().named_child(0);
            let own = first.and_then(|node| node.child_by_field_name("body"));
            own.is_some_and(|node| node.byte_range() == (head.len()..text.len()))
        });
        if whole { inner } else { body }
    }

    fn suite(self, item: &Item<'_>, old: Node<'_>, body: &str) -> Result<Splice, Outcome> {
        let file = self.file;
        let keeps = docstring(old).filter(|_| !self.begins_with_docstring(body));
        let start = match keeps {
            Some(docstring) => docstring.end_byte(),
            None => header_end(file, old),
        };
        let end = suite_end(file, old).max(start);
        let gap = file.text.get(start..end).unwrap_or_default();
        let blank = gap.len() - gap.trim_start().len();
        let own_line = gap.get(..blank).and_then(|gap| gap.rfind('\n'));
        let start = own_line.map_or(start, |at| start + at + 1);
        let first = old.named_child(0).unwrap_or(old);
        let base = if first.start_position().row == item.node.start_position().row {
            format!(
                "{}{}",
                file.indent_at(item.node.start_byte()),
                self.unit.levels(1)
            )
        } else {
            file.indent_at(first.start_byte()).to_owned()
        };
        let new = self.lines(body, &base);
        if new.is_empty() && keeps.is_none() {
            return Err(invalid(
                "the body is empty; a suite needs a statement, like `pass`",
            ));
        }
        let kept = file.text.get(start..end).unwrap_or_default();
        if self.lines(kept, "") == self.lines(body, "") {
            return Err(already(format!(
                "the body of `{}` is already so",
                item.name
            )));
        }
        let ending = file.ending_at(old.start_byte());
        let break_before = if own_line.is_some() { "" } else { ending };
        Ok(file.splice(start..end, format!("{break_before}{}", new.join(ending))))
    }

    fn begins_with_docstring(self, body: &str) -> bool {
        let plain = self.lines(body, "").join("\n");
        let tree = self.language.parse(&plain);
        tree.is_some_and(|tree| docstring(tree.root()).is_some())
    }

    fn whole(self, item: &Item<'_>, code: &str) -> Result<Vec<Splice>, Outcome> {
        let snippet = Snippet::parse(code, self.family, self.language, self.unit)?;
        if snippet.name != item.name {
            return Err(invalid(format!(
                "the code is `{}`, not `{}`; use `rename_identifier` for another name",
                snippet.name, item.name
            )));
        }
        let in_class = item
            .parent
            .is_some_and(|parent| matches!(parent.kind(), "class_body" | "object"));
        if in_class != snippet.member && self.family == Family::Script {
            return Err(invalid(format!(
                "the code cannot stand where `{}` does; write it as it is there",
                item.name
            )));
        }
        let own = self.replaced(item, &snippet);
        let first = item.overloads.first().unwrap_or(item).outer;
        let above = symbol::leading(self.file, first)..first.start_byte();
        let mut splices = Vec::new();
        if !snippet.leading.is_empty() {
            let mut leading = self.placed(&snippet.leading, item);
            leading.push_str(self.file.ending_at(above.start));
            leading.push_str(self.file.indent_at(first.start_byte()));
            splices.push(self.file.splice(above, leading));
        }
        let splice = self
            .file
            .splice(own.clone(), self.placed(&snippet.item, item));
        let same = self.lines(self.with_indent(own), "") == self.lines(&snippet.item, "");
        if !same {
            splices.push(splice);
        }
        splices.retain(|splice| splice.old != splice.new);
        Ok(splices)
    }

    /// Returns the bytes that new code takes the place of.
    fn replaced(self, item: &Item<'_>, snippet: &Snippet) -> Range<usize> {
        let wraps = [
            "export_statement",
            "decorated_definition",
            "ambient_declaration",
        ];
        let range = item.node.byte_range();
        let keeps = item.outer.kind() != snippet.kind && wraps.contains(&item.outer.kind());
        let inner = (0..item.outer.child_count())
            .filter_map(|index| item.outer.child(index))
            .find(|child| child.start_byte() <= range.start && child.end_byte() >= range.end);
        let node = inner.filter(|_| keeps).unwrap_or(item.outer);
        let end = node.end_byte();
        let after = self.file.text.get(end..).unwrap_or_default();
        let closed = snippet.item.ends_with(';') && after.starts_with(';');
        node.start_byte()..end + usize::from(closed)
    }

    /// Returns code as it stands at the item's place, but for the first line's indentation.
    fn placed(self, code: &str, item: &Item<'_>) -> String {
        let base = self.file.indent_at(item.outer.start_byte());
        let ending = self.file.ending_at(item.outer.start_byte());
        let text = self.lines(code, base).join(ending);
        text.strip_prefix(base).map_or(text.clone(), str::to_owned)
    }

    /// Returns the text of a range with the white space before it on its line.
    fn with_indent(self, range: Range<usize>) -> &'a str {
        let line = self.file.line_start(range.start);
        let before = self.file.text.get(line..range.start).unwrap_or_default();
        let start = if before.trim().is_empty() {
            line
        } else {
            range.start
        };
        self.file.text.get(start..range.end).unwrap_or_default()
    }
}

/// Returns the docstring that a suite or module begins with.
pub(super) fn docstring(suite: Node<'_>) -> Option<Node<'_>> {
    let first = super::tree::children(suite).first().copied()?;
    let only = first.named_child(0)?;
    let is_string = matches!(only.kind(), "string" | "concatenated_string");
    (first.kind() == "expression_statement" && is_string).then_some(first)
}

/// Returns where a suite's header ends, a remark behind its colon included.
fn header_end(file: File<'_>, suite: Node<'_>) -> usize {
    let mut colon = suite.start_byte();
    let mut before = suite.prev_sibling();
    while let Some(node) = before {
        if node.kind() == ":" {
            colon = node.end_byte();
            break;
        }
        before = node.prev_sibling();
    }
    let line = file.source.line_of(colon);
    let end = file.source.line_range(line).start + file.source.line(line).len();
    let rest = file.text.get(colon..end).unwrap_or_default().trim_start();
    if rest.starts_with('#') { end } else { colon }
}

/// Returns where a suite ends, with the comments that follow its last statement at its depth.
pub(super) fn suite_end(file: File<'_>, suite: Node<'_>) -> usize {
    let source = file.source;
    // A comment's node holds the `\r` of its line's ending.
    let text = file.text.get(..suite.end_byte()).unwrap_or_default();
    let mut end = text.trim_end_matches('\r').len();
    let depth = file.indent_at(suite.start_byte()).len();
    let one_line = suite
        .prev_sibling()
        .is_some_and(|colon| colon.start_position().row == suite.start_position().row);
    if one_line {
        return end;
    }
    let mut line = source.line_of(end.saturating_sub(1)) + 1;
    while line < source.line_count() {
        let text = source.line(line);
        let bare = text.trim_ascii_start();
        let white = text.len() - bare.len();
        let remark = bare.starts_with(b"#") && white >= depth;
        if !remark && !bare.is_empty() {
            break;
        }
        if remark {
            end = source.line_range(line).start + text.len();
        }
        line += 1;
    }
    end
}

#[cfg(test)]
mod tests {
    use super::super::testing::{answers, check as check_all};

    fn request(symbol: &str, part: &str, text: &str) -> String {
        let text = serde_json::to_string(text).unwrap();
        format!(r#"{{"name":"replace_symbol_body","symbol":"{symbol}","{part}":{text}}}"#)
    }

    fn body(path: &str, symbol: &str, new: &str, before: &str, after: &str) {
        check_all(path, &request(symbol, "body", new), before, after);
    }

    fn code(path: &str, symbol: &str, new: &str, before: &str, after: &str) {
        check_all(path, &request(symbol, "code", new), before, after);
    }

    #[test]
    fn a_block_is_replaced_at_its_depth() {
        body(
            "a.rs",
            "f",
            "b();\nc()",
            "fn f() {\n    a()\n}\n",
            "fn f() {\n    b();\n    c()\n}\n",
        );
        body(
            "a.rs",
            "A::f",
            "{\n  if b {\n    c()\n  }\n}",
            "impl A {\n\tfn f(\n\t\t&self,\n\t) {\n\t\ta()\n\t}\n}\n",
            "impl A {\n\tfn f(\n\t\t&self,\n\t) {\n\t\tif b {\n\t\t\tc()\n\t\t}\n\t}\n}\n",
        );
        body("a.rs", "f", "b()", "fn f() { a() }\n", "fn f() { b() }\n");
        body("a.rs", "f", "", "fn f() { a() }\n", "fn f() {}\n");
        body(
            "a.rs",
            "f",
            "{ a } + { b }",
            "fn f() { c }\n",
            "fn f() { { a } + { b } }\n",
        );
        body(
            "a.ts",
            "A.f",
            "return 2;",
            "class A {\n  f(): number {\n    return 1;\n  }\n}\n",
            "class A {\n  f(): number {\n    return 2;\n  }\n}\n",
        );
        body(
            "a.ts",
            "A",
            "x = 1;",
            "export class A {}\n",
            "export class A {\n  x = 1;\n}\n",
        );
        body(
            "a.js",
            "f",
            "return `\n a`;",
            "const f = () => {\n  x();\n};\n",
            "const f = () => {\n  return `\n a`;\n};\n",
        );
    }

    #[test]
    fn an_arrow_keeps_an_expression_or_gets_a_block() {
        body(
            "a.ts",
            "f",
            "a + 2",
            "const f = (a) => a + 1;\n",
            "const f = (a) => a + 2;\n",
        );
        body(
            "a.ts",
            "f",
            "const b = a;\nreturn b;",
            "const f = (a) => a + 1;\n",
            "const f = (a) => {\n  const b = a;\n  return b;\n};\n",
        );
    }

    #[test]
    fn a_suite_keeps_its_docstring_and_remarks_of_the_header() {
        let before = "def f():  # x\n    \"\"\"Doc.\"\"\"\n\n    a()\n    # end\n\n\nb()\n";
        let after = "def f():  # x\n    \"\"\"Doc.\"\"\"\n\n    if c:\n        d()\n\n\nb()\n";
        body("a.py", "f", "if c:\n  d()", before, after);
        let after = "def f():  # x\n    \"\"\"New.\"\"\"\n    d()\n\n\nb()\n";
        body("a.py", "f", "\"\"\"New.\"\"\"\nd()", before, after);
        body(
            "a.py",
            "f",
            "a()\nb()",
            "def f(): pass\nc()\n",
            "def f():\n    a()\n    b()\nc()\n",
        );
        body(
            "a.py",
            "A.f",
            "if a:\n    b()\nc()",
            "class A:\n  def f(self):\n    if a:\n      b()\n      c()\n",
            "class A:\n  def f(self):\n    if a:\n      b()\n    c()\n",
        );
        body(
            "a.py",
            "f",
            "return 1",
            "def f():\n    'Doc.'\n",
            "def f():\n    'Doc.'\n    return 1\n",
        );
    }

    #[test]
    fn a_whole_item_keeps_what_wraps_it() {
        code(
            "a.rs",
            "A::f",
            "fn f(&self) {\n    b()\n}",
            "impl A {\n    /// Doc.\n    fn f() {\n        a()\n    }\n}\n",
            "impl A {\n    /// Doc.\n    fn f(&self) {\n        b()\n    }\n}\n",
        );
        code(
            "a.rs",
            "f",
            "/// New.\n#[inline]\nfn f() {}",
            "/// Old.\nfn f() { a() }\n",
            "/// New.\n#[inline]\nfn f() {}\n",
        );
        code(
            "a.ts",
            "f",
            "function f() {}",
            "export function f(a) {}\n",
            "export function f() {}\n",
        );
        code(
            "a.ts",
            "f",
            "const f = 2;",
            "export const f = 1;\n",
            "export const f = 2;\n",
        );
        code(
            "a.ts",
            "A.f",
            "async f() {\n  b();\n}",
            "class A {\n    f() {\n        a();\n    }\n}\n",
            "class A {\n    async f() {\n        b();\n    }\n}\n",
        );
        code(
            "a.py",
            "A.f",
            "def f(self):\n    return 2",
            "class A:\n    @d\n    def f(self):\n        return 1\n",
            "class A:\n    @d\n    def f(self):\n        return 2\n",
        );
        code(
            "a.py",
            "f",
            "@e\ndef f(): pass",
            "@d\ndef f(): pass\n",
            "@e\ndef f(): pass\n",
        );
        // A body that is the whole item is one.
        body(
            "a.rs",
            "f",
            "fn f() { b() }",
            "fn f() { a() }\n",
            "fn f() { b() }\n",
        );
    }

    #[test]
    fn what_does_not_fit_is_told() {
        let check = |path: &str, request: &str, before: &str, expected: &str, why: &str| {
            answers(path, request, before, expected, why);
        };
        check(
            "a.rs",
            &request("f", "body", "x"),
            "fn g() {}\n",
            "not_found",
            "no item `f`",
        );
        check(
            "a.rs",
            &request("f", "code", "fn g() {}"),
            "fn f() {}\n",
            "invalid",
            "is `g`",
        );
        check(
            "a.rs",
            &request("f", "code", "fn f( {"),
            "fn f() {}\n",
            "invalid",
            "not one whole",
        );
        check(
            "a.rs",
            &request("S", "body", "x"),
            "struct S;\n",
            "refused",
            "has no body",
        );
        check(
            "a.py",
            &request("f", "body", ""),
            "def f(): pass\n",
            "invalid",
            "is empty",
        );
        let two = "impl A { fn f() {} }\nimpl B { fn f() {} }\n";
        check(
            "a.rs",
            &request("f", "body", "x"),
            two,
            "ambiguous",
            "2 items",
        );
        let of_class = request("A.f", "code", "function f() {}");
        check(
            "a.js",
            &of_class,
            "class A { f() {} }\n",
            "invalid",
            "cannot stand",
        );
    }
}
