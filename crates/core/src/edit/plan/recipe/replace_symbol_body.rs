//! Replaces the body of a symbol, or all of it.
//!
//! In: a symbol, and its new body with or without braces, or its new code. Out: a plan that
//! puts that in the place of the old, at the indentation of the place. A docstring stays
//! unless the new body has one; what wraps an item (`export`, decorators) stays unless the
//! new code has it.

mod block;
mod suite;
mod whole;

use super::snippet::Snippet;
use super::symbol::{self, Item};
use super::{Family, File, OrAnswer, Outcome, ParsedFile, Plan, already, modified, refused};
use crate::edit::request::{SymbolPart, SymbolReplacement};
use crate::text::{Slice, Splice};

/// Plans the replacement.
pub(super) fn plan(file: File<'_>, request: &SymbolReplacement) -> OrAnswer<Plan> {
    let site = file.parsed()?;
    let item = symbol::one(&site, &request.address)?;
    let splices = site.replaced_part(&item, &request.part)?;
    if splices.is_empty() {
        return Err(already(format!("`{}` is already so", item.name)));
    }
    modified(splices, "the definition, by syntax", 1)
}

impl ParsedFile<'_> {
    fn replaced_part(&self, item: &Item<'_>, part: &SymbolPart) -> OrAnswer<Vec<Splice>> {
        match part {
            SymbolPart::Whole(code) => self.whole(item, code),
            // A body that is the item itself was meant as the whole.
            SymbolPart::Body(body) => match Snippet::parse(self, body) {
                Ok(snippet) if snippet.name == item.name => self.whole(item, body),
                _ => Ok(vec![self.body(item, body)?]),
            },
        }
    }

    fn body(&self, item: &Item<'_>, body: &str) -> Result<Splice, Outcome> {
        let Some(old) = item.body() else {
            return Err(refused(format!(
                "`{}` on line {} has no body; give the whole item as `code`",
                item.name,
                self.file.line(item.node.start_byte())
            )));
        };
        let text = self.file.text.slice(old.byte_range());
        match self.family {
            Family::Python => self.suite(item, old, body),
            _ if text.starts_with('{') && text.ends_with('}') => self.block(item, old, body),
            _ => self.expression(item, old, body),
        }
    }
}

fn body_is_so(item: &Item<'_>) -> Outcome {
    already(format!("the body of `{}` is already so", item.name))
}

#[cfg(test)]
mod tests;
