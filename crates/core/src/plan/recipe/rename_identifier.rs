//! Gives a name another, in one file.
//!
//! In: two names, and which of the bindings of the first is meant. Out: a plan of every use
//! of that binding, outside strings and comments; a name that the new one would hide, or that
//! would hide it, is refused with its line. Where there is no grammar: whole words.

mod choose;
mod identifiers;
mod modules;
mod names;
mod python;
mod rust;
mod script;
mod unread;
mod words;

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

use self::identifiers::identifiers;
use self::modules::{Modules, horizon};
use self::names::{Names, Shape, Site, Spaces, Use};
use self::words::{is_identifier, words};
use super::tree::{Step, is_comment, walk_at};
use super::{
    Family, File, OrAnswer, Outcome, Plan, already, amount, invalid, listed, modified, not_found,
    refused,
};
use crate::locate::{Rung, exact};
use crate::request::{NameKind, Rename};
use crate::syntax::{Language, Parsed};
use crate::text::Splice;

/// Both names in a file.
struct Scene<'a, 'r> {
    file: File<'a>,
    request: &'r Rename,
    family: Family,
    from: Names,
    to: Names,
    /// Keyword arguments of the first name, with what is called.
    keywords: Vec<(usize, String)>,
    /// Where one of the names first stands in text that the grammar cannot read.
    unread: Option<usize>,
}

/// What uses have in common.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Target {
    /// A binding, by its index.
    Binding(usize),
    /// Not bound in this file.
    Free,
    /// A field or method: found by name.
    Field,
    /// Another module's item.
    Path,
}

/// The uses to rename, and what there is to say of them.
struct Choice {
    uses: Vec<Use>,
    how: String,
}

/// Plans the renaming.
pub(super) fn plan(file: File<'_>, request: &Rename) -> OrAnswer<Plan> {
    let (from, to) = (request.from.as_str(), request.to.as_str());
    for name in [from, to] {
        if !is_identifier(name) {
            return Err(invalid(format!("`{name}` is no identifier")));
        }
    }
    if from == to {
        return Err(invalid("both names are the same"));
    }
    let language = Language::of(file.path).filter(|language| !language.identifiers().is_empty());
    let parsed = language.and_then(|language| language.parse(file.text));
    match (&parsed, language, language.and_then(Family::of)) {
        (Some(tree), _, Some(family)) => scoped(file, request, family, tree),
        (Some(tree), _, None) => {
            let places = |name: &str| identifiers(tree, name);
            by_name(
                file,
                request,
                places(from),
                &places(to),
                "identifiers by syntax",
            )
        }
        (None, Some(_), _) => Err(Outcome::Refused {
            why: format!(
                "{} is too large, or nests too deeply, to be parsed, and words alone do not tell names from text; \
                 use `section` with `replace_all`",
                file.path
            ),
        }),
        (None, None, _) => {
            let places = |name: &str| words(file.text, name);
            let how = "whole words, there is no grammar for this file";
            let renamed = by_name(file, request, places(from), &places(to), how)?;
            Ok(renamed.found_by(Rung::Pattern))
        }
    }
}

/// Renames every occurrence, where scopes are not known.
fn by_name(
    file: File<'_>,
    request: &Rename,
    places: Vec<usize>,
    taken: &[usize],
    how: &str,
) -> OrAnswer<Plan> {
    let (from, to, path) = (&request.from, &request.to, file.path);
    if places.is_empty() && !taken.is_empty() {
        return Err(already(format!("{path} has `{to}` and no `{from}`")));
    }
    if places.is_empty() {
        return Err(not_found(format!("{path} has no identifier `{from}`")));
    }
    let warning = match taken.is_empty() {
        true => "",
        false => "; careful: the new name is used in this file already",
    };
    let count = places.len();
    let splices = places
        .into_iter()
        .map(|at| file.splice(at..at + from.len(), to.as_str()));
    modified(splices.collect(), format!("{how}{warning}"), count)
}

fn scoped(file: File<'_>, request: &Rename, family: Family, tree: &Parsed<'_>) -> OrAnswer<Plan> {
    let scene = Scene::of(file, request, family, tree);
    let choice = scene.choose()?;
    scene.refuse_unread(&choice.uses)?;
    scene.refuse_collisions(&choice.uses)?;
    let mut splices: BTreeMap<usize, Splice> = BTreeMap::new();
    for use_ in &choice.uses {
        splices.insert(use_.at, scene.splice(use_));
    }
    let keywords = scene.keywords_of(&choice.uses);
    let range = |at: usize| at..at + request.from.len();
    for at in &keywords {
        splices.insert(*at, file.splice(range(*at), request.to.as_str()));
    }
    let uses = splices.len();
    for at in prose(file, request, tree) {
        let splice = file.splice(range(at), request.to.as_str());
        splices.entry(at).or_insert(splice);
    }
    let how = format!(
        "{}: {}{}",
        amount(uses, "use", "uses"),
        choice.how,
        scene.remarks(&choice.uses, &keywords)
    );
    let count = splices.len();
    modified(splices.into_values().collect(), how, count)
}

impl<'a, 'r> Scene<'a, 'r> {
    fn of(file: File<'a>, request: &'r Rename, family: Family, tree: &Parsed<'_>) -> Self {
        let mut scene = Self {
            file,
            request,
            family,
            from: Names::default(),
            to: Names::default(),
            keywords: Vec::new(),
            unread: None,
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
        walk_at(tree.root(), &places, |step, above| {
            if family == Family::Rust && step.kind() == "macro_invocation" {
                let horizon = horizon(file, above, &modules, &mut closed);
                for range in rust::captures(tree, step.node) {
                    let name = file.text.get(range.clone()).unwrap_or_default();
                    let role = names::Role::Use(Spaces::VALUE, Shape::Plain);
                    let site = Site {
                        at: range.start,
                        function: 0,
                        horizon,
                        global_since: 0,
                    };
                    scene.add(name, site, role);
                }
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
            let role = match family {
                Family::Rust => rust::role(tree, file.text, step, above, &modules),
                Family::Script => script::role(tree, step, above, &modules),
                Family::Python => python::role(tree, step, above, &outer),
            };
            let (function, horizon, global_since) = match family {
                Family::Python => {
                    let global_since = python::global_since(above, name, &outer);
                    (python::innermost(step, above), 0, global_since)
                }
                Family::Rust => (0, horizon(file, above, &modules, &mut closed), 0),
                Family::Script => (0, 0, 0),
            };
            if name == request.from {
                scene.note_keyword(tree, step, above);
            }
            let at = step.node.start_byte();
            if unread::is_unread(above) {
                scene.unread.get_or_insert(at);
            }
            let site = Site {
                at,
                function,
                horizon,
                global_since,
            };
            scene.add(name, site, role);
        });
        scene.from.resolve();
        scene.to.resolve();
        scene
    }

    fn add(&mut self, name: &str, site: Site, role: names::Role) {
        if name == self.request.from {
            self.from.add(site, role);
        } else if name == self.request.to {
            self.to.add(site, role);
        }
    }

    /// Notes Python's `f(name=..)`.
    fn note_keyword(&mut self, tree: &Parsed<'_>, leaf: Step<'_>, above: &[Step<'_>]) {
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

    fn refuse_collisions(&self, uses: &[Use]) -> Result<(), Outcome> {
        let (from, to) = (&self.request.from, &self.request.to);
        let line = |at: usize| self.file.line(at);
        let bindings: BTreeSet<usize> = uses
            .iter()
            .filter(|use_| !use_.spaces.meets(Spaces::FIELD))
            .filter_map(|use_| use_.binding)
            .collect();
        for binding in bindings
            .iter()
            .filter_map(|index| self.from.bindings.get(*index))
        {
            let at = line(binding.at);
            if let Some(why) = binding.traits.fixed
                && self.request.kind != Some(NameKind::Any)
            {
                return Err(refused(format!(
                    "`{from}` on line {at} {why}; `\"kind\": \"any\"` renames all of it"
                )));
            }
            let same =
                self.to.bindings.iter().find(|other| {
                    other.scope == binding.scope && other.spaces.meets(binding.spaces)
                });
            if let Some(other) = same {
                return Err(refused(format!(
                    "`{to}` is bound in the same scope, on line {}",
                    line(other.at)
                )));
            }
            let hidden = self.to.uses.iter().find(|use_| {
                let outer = use_.binding.and_then(|index| self.to.bindings.get(index));
                use_.spaces.meets(binding.spaces)
                    && use_.spaces.meets(Spaces::BOUND)
                    && binding.visible.contains(&use_.view)
                    && !binding.in_hole(use_.at)
                    && use_.horizon <= binding.visible.start
                    && outer.is_none_or(|outer| outer.visible.start < binding.visible.start)
            });
            if let Some(use_) = hidden {
                return Err(refused(format!(
                    "the `{to}` on line {} would mean the renamed `{from}`",
                    line(use_.at)
                )));
            }
        }
        let bound: Vec<Use> = uses
            .iter()
            .filter(|use_| use_.spaces.meets(Spaces::BOUND))
            .copied()
            .collect();
        for (use_, caught) in bound.iter().zip(self.to.lookup(&bound)) {
            let Some(caught) = caught.and_then(|index| self.to.bindings.get(index)) else {
                continue;
            };
            let own = use_.binding.and_then(|index| self.from.bindings.get(index));
            if own.is_none_or(|own| caught.visible.start >= own.visible.start) {
                return Err(refused(format!(
                    "on line {}, `{to}` would mean what is bound on line {}",
                    line(use_.at),
                    line(caught.at)
                )));
            }
        }
        Ok(())
    }

    fn splice(&self, use_: &Use) -> Splice {
        let (from, to) = (&self.request.from, &self.request.to);
        let any = self.request.kind == Some(NameKind::Any);
        let field = use_.spaces == Spaces::FIELD;
        let binding = use_.binding.and_then(|index| self.from.bindings.get(index));
        // What is the first part of other names too has no alias.
        let whole = binding.is_some_and(|binding| binding.traits.fixed.is_some());
        let new = match use_.shape {
            Shape::Imported if whole => to.clone(),
            Shape::Shorthand if any => to.clone(),
            Shape::Shorthand if field => format!("{to}: {from}"),
            Shape::Shorthand => format!("{from}: {to}"),
            Shape::Imported => format!("{from} as {to}"),
            Shape::Plain => to.clone(),
        };
        self.file.splice(use_.at..use_.at + from.len(), new)
    }

    /// Returns the keyword arguments of plain calls of the function whose parameter is
    /// renamed.
    fn keywords_of(&self, uses: &[Use]) -> Vec<usize> {
        let bindings: BTreeSet<usize> = uses.iter().filter_map(|use_| use_.binding).collect();
        let mut functions: BTreeMap<&str, Vec<&Range<usize>>> = BTreeMap::new();
        for index in bindings {
            let binding = self.from.bindings.get(index);
            let function = binding.and_then(|binding| binding.traits.parameter_of.as_ref());
            if let Some((name, seen)) = function {
                functions.entry(name).or_default().push(seen);
            }
        }
        let own = self.keywords.iter().filter(|(at, callee)| {
            let seen = functions.get(callee.as_str());
            seen.is_some_and(|seen| seen.iter().any(|range| range.contains(at)))
        });
        own.map(|(at, _)| *at).collect()
    }

    fn remarks(&self, uses: &[Use], keywords: &[usize]) -> String {
        let mut remarks = String::new();
        let renames_fields = uses.iter().any(|use_| use_.spaces.meets(Spaces::FIELD));
        let fields = self.fields().len();
        if !renames_fields && fields > 0 {
            remarks.push_str(&format!(
                "; {} of that name {} (`\"kind\": \"field\"` renames {})",
                amount(fields, "field or key", "fields or keys"),
                if fields == 1 { "stays" } else { "stay" },
                if fields == 1 { "it" } else { "them" },
            ));
        }
        if uses.iter().any(|use_| use_.shape == Shape::Imported) {
            remarks.push_str("; the import gets an alias");
        }
        let parameter = uses.iter().any(|use_| {
            let binding = use_.binding.and_then(|index| self.from.bindings.get(index));
            binding.is_some_and(|binding| binding.traits.parameter_of.is_some())
        });
        let other = self.keywords.iter().find(|(at, _)| !keywords.contains(at));
        if let Some((at, _)) = other.filter(|_| parameter) {
            remarks.push_str(&format!(
                "; the keyword argument on line {} stays",
                self.file.line(*at)
            ));
        }
        remarks
    }

    /// Returns the 1-based column of a byte, in characters.
    fn column(&self, at: usize) -> usize {
        let line = self.file.text.get(self.file.line_start(at)..at);
        line.unwrap_or_default().chars().count() + 1
    }

    fn columns(&self, uses: &[&Use]) -> String {
        listed(uses.iter().map(|use_| self.column(use_.at)))
    }
}

fn fields_by_name(uses: Vec<Use>) -> Choice {
    Choice {
        uses,
        how: "fields, methods and keys by name, whatever they are of".into(),
    }
}

fn target(use_: &Use) -> Target {
    if use_.spaces == Spaces::FIELD {
        return Target::Field;
    }
    if use_.spaces == Spaces::PATH {
        return Target::Path;
    }
    use_.root.map_or(Target::Free, Target::Binding)
}

fn spaces_of(kind: NameKind) -> Spaces {
    match kind {
        NameKind::Any => Spaces::BOUND | Spaces::FIELD,
        NameKind::Value => Spaces::VALUE | Spaces::MACRO,
        NameKind::Type => Spaces::TYPE,
        NameKind::Field => Spaces::FIELD,
    }
}

/// Returns where the name stands as a word in strings and comments, as far as asked for.
fn prose(file: File<'_>, request: &Rename, tree: &Parsed<'_>) -> BTreeSet<usize> {
    let mut places = BTreeSet::new();
    if !request.in_strings && !request.in_comments {
        return places;
    }
    let strings = [
        "string_content",
        "string_fragment",
        "template_string",
        "raw_string_literal",
        "char_literal",
    ];
    tree.walk(|node| {
        let string = request.in_strings && strings.contains(&node.kind());
        let comment = request.in_comments && is_comment(node);
        if string || comment {
            let range = node.byte_range();
            let text = file.text.get(range.clone()).unwrap_or_default();
            places.extend(words(text, &request.from).iter().map(|at| range.start + at));
        }
    });
    let mut code = BTreeSet::new();
    tree.walk(|node| {
        let is_code = matches!(node.kind(), "template_substitution" | "interpolation");
        if is_code {
            code.extend(places.range(node.byte_range()).copied());
        }
    });
    &places - &code
}

#[cfg(test)]
mod tests;
