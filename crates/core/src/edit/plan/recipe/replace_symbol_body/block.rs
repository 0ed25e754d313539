//! New bodies in braces, and for arrow functions that are an expression.

use tree_sitter::Node;

use super::super::symbol::Item;
use super::super::{Family, Outcome};
use super::{ParsedFile, body_is_so};
use crate::edit::plan::insertion::{InsertionPlace, InsertionPoint};
use crate::text::{Slice, Splice};

impl ParsedFile<'_> {
    pub(super) fn block(
        &self,
        item: &Item<'_>,
        old: Node<'_>,
        body: &str,
    ) -> Result<Splice, Outcome> {
        let range = old.byte_range();
        let text = self.file.text.slice(range.clone());
        let inner = text.get(1..text.len() - 1).unwrap_or_default();
        let body = self.unbraced(item, body);
        let new = self.lines(body, "");
        if self.lines(inner, "") == new {
            return Err(body_is_so(item));
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
    fn braced(&self, item: &Item<'_>, old: Node<'_>, body: &str) -> String {
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
        let place = InsertionPlace::Brackets(old.byte_range(), base);
        let inner = InsertionPoint::new(file.source, place, "").around_lines(&lines);
        format!("{{{inner}}}")
    }

    /// The body of an arrow function that is an expression.
    pub(super) fn expression(
        &self,
        item: &Item<'_>,
        old: Node<'_>,
        body: &str,
    ) -> Result<Splice, Outcome> {
        let range = old.byte_range();
        let file = self.file;
        let bare = body.trim();
        if bare.starts_with('{') || !self.is_expression(bare) {
            let inner = self.unbraced(item, body);
            return Ok(file.splice(range, self.braced(item, old, inner)));
        }
        let base = file.indent_at(item.outer.start_byte());
        let ending = file.ending_at(range.start);
        let lines = self.lines(bare, base).join(ending);
        let new = lines.trim_start();
        if file.text.get(range.clone()) == Some(new) {
            return Err(body_is_so(item));
        }
        Ok(file.splice(range, new))
    }

    fn is_expression(&self, text: &str) -> bool {
        let whole = format!("({text}\n)");
        self.language
            .parse(&whole)
            .is_some_and(|tree| tree.root().named_child_count() == 1 && !tree.root().has_error())
    }

    /// Returns the body without the braces around all of it.
    fn unbraced<'b>(&self, item: &Item<'_>, body: &'b str) -> &'b str {
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
        let whole = self
            .file
            .cache
            .parse_once(self.language, &text)
            .is_some_and(|tree| {
                let first = tree.root().named_child(0);
                let own = first.and_then(|node| node.child_by_field_name("body"));
                own.is_some_and(|node| node.byte_range() == (head.len()..text.len()))
            });
        if whole { inner } else { body }
    }
}
