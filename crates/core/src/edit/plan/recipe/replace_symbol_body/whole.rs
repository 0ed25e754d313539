//! Replaces an item with its head. What wraps it (`export`, decorators) stays unless the new code has it.

use std::ops::Range;

use super::super::snippet::Snippet;
use super::super::symbol::Item;
use super::super::{Family, Outcome, invalid};
use super::ParsedFile;
use crate::text::{Slice, Splice};

impl<'a> ParsedFile<'a> {
    pub(super) fn whole(&self, item: &Item<'_>, code: &str) -> Result<Vec<Splice>, Outcome> {
        let snippet = Snippet::parse(self, code)?;
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
        let first = item.overloads.first().unwrap_or(item);
        let (above, first) = (first.leading..first.outer.start_byte(), first.outer);
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
    fn replaced(&self, item: &Item<'_>, snippet: &Snippet) -> Range<usize> {
        let wraps = [
            "export_statement",
            "decorated_definition",
            "ambient_declaration",
        ];
        let range = item.node.byte_range();
        let keeps = item.outer.kind() != snippet.kind && wraps.contains(&item.outer.kind());
        let mut cursor = item.outer.walk();
        let inner = item
            .outer
            .children(&mut cursor)
            .find(|child| child.start_byte() <= range.start && child.end_byte() >= range.end);
        let node = inner.filter(|_| keeps).unwrap_or(item.outer);
        let end = node.end_byte();
        let after = self.file.text.slice(end..);
        let closed = snippet.item.ends_with(';') && after.starts_with(';');
        node.start_byte()..end + usize::from(closed)
    }

    /// Returns code as it stands at the item's place, but for the first line's indentation.
    fn placed(&self, code: &str, item: &Item<'_>) -> String {
        let base = self.file.indent_at(item.outer.start_byte());
        let ending = self.file.ending_at(item.outer.start_byte());
        let text = self.lines(code, base).join(ending);
        text.strip_prefix(base).map_or(text.clone(), str::to_owned)
    }

    /// Returns the text of a range with the white space before it on its line.
    fn with_indent(&self, range: Range<usize>) -> &'a str {
        let line = self.file.line_start(range.start);
        let before = self.file.text.slice(line..range.start);
        let start = if before.trim().is_empty() {
            line
        } else {
            range.start
        };
        self.file.text.slice(start..range.end)
    }
}
