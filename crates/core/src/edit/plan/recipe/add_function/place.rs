//! The insertion point of an added function.
//!
//! In: what was asked for, and the file. Out: the place: a line, or what stands between braces or
//! fills a suite.

use tree_sitter::Node;

use super::containers::of_impl;
use super::{FunctionPlace, FunctionSite, FunctionSpot};
use crate::edit::plan::Outcome;
use crate::edit::plan::body::depth;
use crate::edit::plan::body::suite::{docstring, suite_end};
use crate::edit::plan::recipe::head::Head;
use crate::edit::plan::recipe::{Family, not_found, refused, symbol};
use crate::edit::plan::tree::children;
use crate::edit::request::{ContainerEnd, NewFunction, SymbolAddress};
use crate::syntax::node_links::NodeLinks;
use crate::text::Slice;
use crate::text::indent::begins_line;

impl<'a> FunctionSite<'a, '_> {
    pub(super) fn place(&self, request: &NewFunction) -> Result<FunctionPlace<'a>, Outcome> {
        let beside = match (&request.after, &request.before) {
            (Some(name), _) => Some((name, ContainerEnd::End)),
            (_, Some(name)) => Some((name, ContainerEnd::Start)),
            _ => None,
        };
        match (beside, &request.container) {
            (Some((name, side)), container) => {
                let symbol = match container {
                    Some(container) => format!("{}::{name}", self.in_address(container)),
                    None => name.clone(),
                };
                let line = request.line;
                self.beside(&SymbolAddress { symbol, line }, side)
            }
            (None, Some(container)) => self.within(container, request),
            (None, None) => Ok(self.top_level(request.position)),
        }
    }

    /// Returns `impl Trait for Type` as an address.
    fn in_address(&self, container: &str) -> String {
        match of_impl(container) {
            (own, Some(of_trait)) => format!("<{own} as {of_trait}>"),
            (own, None) => own,
        }
    }

    fn beside(
        &self,
        address: &SymbolAddress,
        side: ContainerEnd,
    ) -> Result<FunctionPlace<'a>, Outcome> {
        let (file, name) = (self.site.file, &address.symbol);
        let item = symbol::one(self.site, address)?;
        let range = item.with_leading();
        let (first, last) = (
            file.source.line_of(range.start),
            file.source.line_of(range.end.saturating_sub(1)),
        );
        let before = file.text.get(file.line_start(range.start)..range.start);
        let after = file.text.get(range.end..file.source.line_range(last).end);
        let after = after.unwrap_or_default().trim().trim_start_matches(';');
        let remark = after.trim_start().starts_with(['/', '#']);
        let alone =
            before.unwrap_or_default().trim().is_empty() && (after.trim().is_empty() || remark);
        let listed = item.parent.is_some_and(|parent| {
            matches!(
                parent.kind(),
                "object" | "interface_body" | "object_type" | "enum_body"
            )
        });
        if !alone || listed {
            return Err(refused(format!(
                "`{name}` on line {} stands where no function can be put beside it; use `section`",
                first + 1
            )));
        }
        let (line, how) = match side {
            ContainerEnd::Start => (first, "before"),
            ContainerEnd::End => (last + 1, "after"),
        };
        Ok(FunctionPlace {
            spot: FunctionSpot::Line(line),
            base: file.indent_at(item.outer.start_byte()).to_owned(),
            path: item.path.clone(),
            in_class: item
                .parent
                .is_some_and(|parent| parent.kind() == "class_body"),
            how: format!("{how} `{name}`, by syntax"),
        })
    }

    fn within(&self, container: &str, request: &NewFunction) -> Result<FunctionPlace<'a>, Outcome> {
        let mut found = self.containers(container);
        let count = found.len();
        if let Some(line) = request.line {
            found.retain(|(node, _, _)| is_on(line, node));
        }
        match found.as_slice() {
            [] if count > 0 => Err(not_found(format!("`{container}` is not on that line"))),
            [] => Err(not_found(format!(
                "{} has no class, impl, trait or module `{container}` with a body",
                self.site.file.path
            ))),
            [(node, body, path)] => {
                let side = request.position.unwrap_or(ContainerEnd::End);
                let mut place = match self.site.family {
                    Family::Python => self.in_suite(*node, *body, side)?,
                    _ => self.in_braces(*node, *body, side),
                };
                place.path.clone_from(path);
                place.how = format!("in `{container}`, by syntax");
                Ok(place)
            }
            several => Err(self.site.file.ambiguous(
                format!(
                    "`{container}` is there {} times; give `line`",
                    several.len()
                ),
                several.iter().map(|(node, _, _)| node.start_byte()),
            )),
        }
    }

    fn in_braces(&self, node: Node<'_>, body: Node<'_>, side: ContainerEnd) -> FunctionPlace<'a> {
        let file = self.site.file;
        let outer = file.indent_at(node.start_byte());
        let (open, close) = (body.start_byte(), body.end_byte().saturating_sub(1));
        let base = depth(
            file.text,
            node,
            children(body).first(),
            &self.site.unit.levels(1),
        );
        let spot = match side {
            ContainerEnd::Start => {
                let rest = file.text.slice(open + 1..close);
                let blank = rest.len() - rest.trim_start_matches([' ', '\t']).len();
                let opens_line = rest.slice(blank..).starts_with(['\n', '\r']);
                if opens_line {
                    FunctionSpot::Line(file.source.line_of(open) + 1)
                } else {
                    FunctionSpot::Braces(open + 1..open + 1 + blank, outer)
                }
            }
            ContainerEnd::End if begins_line(file.text, close) => {
                FunctionSpot::Line(file.source.line_of(close))
            }
            ContainerEnd::End => {
                let inner = file.text.slice(open + 1..close);
                let blank = inner.len() - inner.trim_end().len();
                FunctionSpot::Braces(close - blank..close, outer)
            }
        };
        FunctionPlace {
            spot,
            base,
            path: Vec::new(),
            in_class: false,
            how: String::new(),
        }
    }

    fn in_suite(
        &self,
        node: Node<'_>,
        body: Node<'_>,
        side: ContainerEnd,
    ) -> Result<FunctionPlace<'a>, Outcome> {
        let file = self.site.file;
        let statements = children(body);
        let first = statements.first().copied().unwrap_or(body);
        let own_line = begins_line(file.text, first.start_byte());
        let base = depth(file.text, node, Some(&first), &self.site.unit.levels(1));
        let text = file.text.slice(first.byte_range());
        let spot = if statements.len() == 1 && matches!(text, "pass" | "...") {
            let start = if own_line {
                file.line_start(first.start_byte())
            } else {
                let before = file.text.slice(..first.start_byte());
                before.trim_end().len()
            };
            FunctionSpot::Filler(start..first.end_byte())
        } else if !own_line {
            return Err(refused(format!(
                "the suite on line {} stands on its header's line; use `section`",
                file.line(node.start_byte())
            )));
        } else {
            let end = match (side, docstring(body)) {
                (ContainerEnd::End, _) => suite_end(file.source, file.text, body),
                (ContainerEnd::Start, Some(docstring)) => docstring.end_byte(),
                (ContainerEnd::Start, None) => file.line_start(first.start_byte()),
            };
            FunctionSpot::Line(file.source.line_of(end.saturating_sub(1)) + 1)
        };
        Ok(FunctionPlace {
            spot,
            base,
            path: Vec::new(),
            in_class: false,
            how: String::new(),
        })
    }

    fn top_level(&self, side: Option<ContainerEnd>) -> FunctionPlace<'a> {
        let file = self.site.file;
        let (line, how) = match side {
            Some(ContainerEnd::Start) => {
                let head = Head::of(self.site);
                (head.end(file), "after the imports")
            }
            Some(ContainerEnd::End) => (file.source.line_count(), "at the end"),
            None => match self.coda() {
                Some(at) => (file.source.line_of(at), "before what closes the file"),
                None => (file.source.line_count(), "at the end"),
            },
        };
        FunctionPlace {
            spot: FunctionSpot::Line(line),
            base: String::new(),
            path: Vec::new(),
            in_class: false,
            how: how.into(),
        }
    }

    /// Returns where a file's last part begins that functions stand before by custom: a Rust
    /// test module, Python's `if __name__ == ..`.
    fn coda(&self) -> Option<usize> {
        let last = children(self.site.tree.root()).into_iter().next_back()?;
        let links = NodeLinks::of(self.site.tree.root(), [last]);
        let start = symbol::leading(&self.site.tree, &links, last);
        let text = self.site.file.text.get(start..last.end_byte())?;
        let is_coda = match self.site.family {
            Family::Rust => last.kind() == "mod_item" && text.contains("#[cfg(test)]"),
            Family::Python => last.kind() == "if_statement" && text.contains("__name__"),
            Family::Script => false,
        };
        is_coda.then_some(start)
    }
}

fn is_on(line: usize, node: &Node<'_>) -> bool {
    (node.start_position().row..=node.end_position().row).contains(&(line - 1))
}
