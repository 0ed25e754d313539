//! Containers to which a function can be added by name: classes, modules, traits and implementations.

use tree_sitter::Node;

use super::FunctionSite;
use crate::edit::plan::recipe::Family;
use crate::edit::plan::recipe::symbol::{self, Container};
use crate::edit::plan::tree::walk;

impl<'t> FunctionSite<'_, 't> {
    /// Returns what is called `name` and takes functions: node, body, and the path of what is
    /// in it.
    pub(super) fn containers(&self, name: &str) -> Vec<(Node<'t>, Node<'t>, Vec<Container>)> {
        let mut found = Vec::new();
        let (own, of_trait) = of_impl(name);
        if self.site.family == Family::Rust {
            walk(self.site.tree.root(), |step, _| {
                if step.kind() != "impl_item" {
                    return;
                }
                let container = symbol::implemented(&self.site.tree, step.node);
                let body = step.node.child_by_field_name("body");
                if container.name == own
                    && container.of_trait == of_trait
                    && let Some(body) = body
                {
                    found.push((step.node, body, vec![container]));
                }
            });
        }
        if !found.is_empty() || of_trait.is_some() {
            return found;
        }
        let takes = [
            "mod_item",
            "trait_item",
            "class_declaration",
            "abstract_class_declaration",
            "internal_module",
            "module",
            "variable_declarator",
            "class_definition",
        ];
        for item in symbol::with_address(self.items.clone(), name) {
            let body = item.body().filter(|_| takes.contains(&item.node.kind()));
            let is_class = item.node.kind() != "variable_declarator"
                || body.is_some_and(|body| body.kind() == "class_body");
            if let Some(body) = body.filter(|_| is_class) {
                let mut path = item.path.clone();
                path.push(Container {
                    name: item.name.clone(),
                    of_trait: None,
                });
                found.push((item.node, body, path));
            }
        }
        found
    }
}

/// Returns the type of `impl Trait for Type`, `Trait for Type` or `Type`, and the trait.
pub(super) fn of_impl(text: &str) -> (String, Option<String>) {
    let bare = text.trim().strip_prefix("impl").unwrap_or(text);
    let bare = if bare.starts_with([' ', '<']) {
        bare
    } else {
        text
    };
    match bare.split_once(" for ") {
        Some((of_trait, own)) => {
            let of_trait = symbol::bare_type(of_trait.trim());
            (
                symbol::bare_type(own.trim()).to_owned(),
                Some(of_trait.to_owned()),
            )
        }
        None => (symbol::bare_type(bare.trim()).to_owned(), None),
    }
}
