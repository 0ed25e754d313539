//! New suites for Python's functions and classes. A docstring stays unless the new suite has one.

use tree_sitter::Node;

use super::super::symbol::Item;
use super::super::{Outcome, invalid};
use super::{ParsedFile, body_is_so};
use crate::edit::plan::body::depth;
use crate::edit::plan::body::suite::{docstring, header_end, suite_end};
use crate::edit::plan::insertion::{InsertionPlace, InsertionPoint};
use crate::text::{Slice, Splice};

impl ParsedFile<'_> {
    pub(super) fn suite(
        &self,
        item: &Item<'_>,
        old: Node<'_>,
        body: &str,
    ) -> Result<Splice, Outcome> {
        let file = self.file;
        let keeps = docstring(old).filter(|_| !self.begins_with_docstring(body));
        let start = match keeps {
            Some(docstring) => docstring.end_byte(),
            None => header_end(file.source, file.text, old),
        };
        let end = suite_end(file.source, file.text, old).max(start);
        let gap = file.text.slice(start..end);
        let blank = gap.len() - gap.trim_start().len();
        let own_line = gap.get(..blank).and_then(|gap| gap.rfind('\n'));
        let start = own_line.map_or(start, |at| start + at + 1);
        let first = old.named_child(0);
        let base = depth(file.text, item.node, first.as_ref(), &self.unit.levels(1));
        let new = self.lines(body, &base);
        if new.is_empty() && keeps.is_none() {
            return Err(invalid(
                "the body is empty; a suite needs a statement, like `pass`",
            ));
        }
        let kept = file.text.slice(start..end);
        if self.lines(kept, "") == self.lines(body, "") {
            return Err(body_is_so(item));
        }
        let place = InsertionPlace::Suite(start..end);
        Ok(InsertionPoint::new(file.source, place, "").splice_lines(file.source, &new))
    }

    fn begins_with_docstring(&self, body: &str) -> bool {
        let plain = self.lines(body, "").join("\n");
        let tree = self.file.cache.parse_once(self.language, &plain);
        tree.is_some_and(|tree| docstring(tree.root()).is_some())
    }
}
