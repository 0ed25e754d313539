//! Scene of a rename: the bindings and uses of the old and the new name in a file.
//!
//! In: a tree, the present name and the new one. Out: a [`RenameScene`]: where the names are bound and used,
//! and what of that belongs to other files.

use super::*;
use crate::text::Slice;

impl<'a, 'r> RenameScene<'a, 'r> {
    pub(super) fn of(
        file: File<'a>,
        request: &'r Rename,
        family: Family,
        tree: &Parsed<'_>,
    ) -> Self {
        let imports = Imports::of(file, family, tree, &request.crates);
        let mut scene = Self::read(file, request, family, tree, Some(&imports));
        scene.globs = imports.into_globs();
        scene
    }

    /// Tells whether a name is bound once in a file, at its top.
    fn is_sole(file: File<'a>, family: Family, tree: &Parsed<'_>, name: &str) -> bool {
        let request = Rename::of(name, name);
        let scene = RenameScene::read(file, &request, family, tree, None);
        let mut bindings = scene.from.bindings.iter();
        let is_top = bindings
            .next()
            .is_some_and(|binding| binding.visible == (0..usize::MAX));
        is_top && bindings.next().is_none()
    }

    fn read(
        file: File<'a>,
        request: &'r Rename,
        family: Family,
        tree: &Parsed<'_>,
        imports: Option<&Imports<'_>>,
    ) -> Self {
        let mut scene = Self {
            file,
            request,
            family,
            from: NameUses::default(),
            to: NameUses::default(),
            keywords: Vec::new(),
            unread: None,
            linked: Vec::new(),
            passed_on: Vec::new(),
            is_exported: false,
            globs: Vec::new(),
        };
        // Nothing else of the tree tells anything of the names.
        let mut places = exact::all(file.text, &request.from);
        places.extend(exact::all(file.text, &request.to));
        places.sort_unstable();
        let mut outer = python::Outer::default();
        if family == Family::Python {
            walk_at(tree.root(), &places, |step, above| {
                python::note_outer(tree, step, above, &mut outer);
            });
        }
        let modules = Modules::of(file, family, tree);
        let mut closed: BTreeMap<usize, bool> = BTreeMap::new();
        let mut sole: BTreeMap<String, bool> = BTreeMap::new();
        walk_at(tree.root(), &places, |step, above| {
            let mut site = |at: usize, name: &str| {
                let (function, horizon, global_since) = match family {
                    Family::Python => {
                        let global_since = python::global_since(above, name, &outer);
                        (python::innermost(step, above), 0, global_since)
                    }
                    Family::Rust => (0, horizon(file, above, &modules, &mut closed), 0),
                    Family::Script => (0, 0, 0),
                };
                IdentifierSite {
                    at,
                    function,
                    horizon,
                    global_since,
                }
            };
            let in_strings = match (family, step.kind()) {
                (Family::Rust, "macro_invocation" | "attribute_item") => {
                    rust::captures(tree, file.text, step.node)
                }
                (Family::Python, "string") => python::quoted(tree, step, above),
                _ => Vec::new(),
            };
            for (range, role) in in_strings {
                let name = file.text.slice(range.clone());
                scene.add(name, site(range.start, name), role);
            }
            let is_name = step.node.child_count() == 0
                && (step.kind().ends_with("identifier")
                    || step.kind() == "shorthand_property_identifier_pattern");
            if !is_name {
                return;
            }
            let name = tree.text(step.node);
            if name != request.from && name != request.to {
                return;
            }
            let mut role = match family {
                Family::Rust => rust::role(tree, file.text, step, above, &modules),
                Family::Script => script::role(tree, step, above, &modules),
                Family::Python => python::role(tree, step, above, &outer),
            };
            if name == request.from {
                scene.note_keyword(tree, step, above);
            }
            let at = step.node.start_byte();
            if unread::is_unread(above) {
                scene.unread.get_or_insert(at);
            }
            let site = site(at, name);
            if let Some(imports) = imports.filter(|_| name == request.from) {
                let reference = imports.reference(tree, file.text, step, above, |name| {
                    let known = sole.entry(name.to_owned());
                    *known.or_insert_with(|| RenameScene::is_sole(file, family, tree, name))
                });
                scene.note_export(step, above, &role);
                role = scene.linked_role(site, reference, role);
            }
            scene.add(name, site, role);
        });
        scene.from.resolve();
        scene.to.resolve();
        scene
    }

    /// Takes what an occurrence has to do with another file, and returns what it is then.
    fn linked_role(
        &mut self,
        site: IdentifierSite,
        reference: Option<Reference>,
        mut role: names::Role,
    ) -> names::Role {
        if let Some(Reference::PassesOn(origin)) = &reference {
            self.passed_on.push(origin.clone());
        }
        match (reference, &mut role) {
            (Some(Reference::Binds(origin)), names::Role::Define(definition)) => {
                if definition.traits.source.is_none() {
                    definition.traits.origins.push(origin);
                }
                return role;
            }
            // What leads to a module within the file is told by scopes.
            (_, names::Role::Within(..) | names::Role::Define(_)) | (None, _) => return role,
            (Some(Reference::Binds(_)), _) => return role,
            (Some(Reference::Names(origin) | Reference::PassesOn(origin)), _)
                if !origin.is_one_of(&self.request.together) =>
            {
                return role;
            }
            _ => {}
        }
        self.linked.push(Use::of_path(site.at));
        names::Role::Skip
    }

    /// Notes that a script exports the name.
    fn note_export(&mut self, leaf: TreeStep<'_>, above: &[TreeStep<'_>], role: &names::Role) {
        let is_top = matches!(role, names::Role::Define(own) if own.visible == (0..usize::MAX));
        let statement = above
            .iter()
            .rev()
            .find(|step| step.kind() == "export_statement");
        let Some(statement) = statement else { return };
        let specifier = above
            .last()
            .filter(|step| step.kind() == "export_specifier");
        let is_named = specifier.is_some_and(|step| {
            leaf.is("name") && step.node.child_by_field_name("alias").is_none()
        });
        let is_own = statement.node.child_by_field_name("source").is_none();
        self.is_exported |= is_own && (is_top || is_named);
    }

    fn add(&mut self, name: &str, site: IdentifierSite, role: names::Role) {
        if name == self.request.from {
            self.from.add(site, role);
        } else if name == self.request.to {
            self.to.add(site, role);
        }
    }

    /// Notes Python's `f(name=..)`.
    fn note_keyword(&mut self, tree: &Parsed<'_>, leaf: TreeStep<'_>, above: &[TreeStep<'_>]) {
        let argument = above
            .last()
            .is_some_and(|step| step.kind() == "keyword_argument");
        let call = above
            .iter()
            .rev()
            .nth(2)
            .filter(|step| step.kind() == "call");
        if let Some(call) = call.filter(|_| argument && leaf.is("name")) {
            let callee = call.node.child_by_field_name("function");
            let callee = callee.map(|node| tree.text(node)).unwrap_or_default();
            self.keywords
                .push((leaf.node.start_byte(), callee.to_owned()));
        }
    }
}
