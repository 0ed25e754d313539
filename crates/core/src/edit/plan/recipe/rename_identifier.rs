//! Renames an identifier in one file, by scope analysis.
//!
//! `{"from": "size", "to": "length", "line": 1}`:
//!
//! ```text
//! fn size() -> u8 { 4 }                      fn length() -> u8 { 4 }
//! fn show(row: Row) { // size                fn show(row: Row) { // size           a comment
//!     print("size", size(), row.size);           print("size", length(), row.size);    a string, a field
//! }                                          }
//! fn grow(size: u8) -> u8 { size + 1 }       fn grow(size: u8) -> u8 { size + 1 }  another binding
//! ```
//!
//! `scene` lists the bindings and uses of both names, `choose` the uses that the request means: those of one binding,
//! where a line says so or only one is meant. A use that the new name would hide, or a use of the new name that would
//! mean something else afterwards, refuses the change with its line. Where no scopes are known every identifier of the
//! name is renamed, and where there is no grammar every whole word. `together` compares the files of one request,
//! which `companions` asks for.

mod choose;
mod companions;
mod crates;
mod identifiers;
mod imports;
mod modules;
mod names;
mod proof;
mod python;
mod rust;
mod scene;
mod script;
mod together;
mod unread;
mod words;

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

pub(crate) use self::companions::{Companions, PayloadFacts};
use self::identifiers::identifiers;
use self::imports::{ImportOrigin, Imports, Reference};
use self::modules::{Modules, horizon};
use self::names::{IdentifierSite, NameShape, NameUses, Spaces, Use};
pub(crate) use self::proof::{RenamedFile, proved_places};
use self::words::words;
use super::{
    Family, File, OrAnswer, Outcome, Plan, already, invalid, listed, modified, not_found, refused,
};
use crate::edit::locate::{Rung, exact};
use crate::edit::plan::tree::{TreeStep, is_comment, walk_at};
use crate::edit::request::{NameKind, Rename};
use crate::plural::amount;
use crate::syntax::outline::outline;
use crate::syntax::{Language, Parsed};
use crate::text::{Slice, Splice};
use crate::word::is_identifier;

/// Both names in a file.
struct RenameScene<'a, 'r> {
    file: File<'a>,
    request: &'r Rename,
    family: Family,
    from: NameUses,
    to: NameUses,
    /// Keyword arguments of the first name, with what is called.
    keywords: Vec<(usize, String)>,
    /// Where one of the names first stands in text that the grammar cannot read.
    unread: Option<usize>,
    /// Uses of the first name that are items of files that are renamed with this one.
    linked: Vec<Use>,
    /// Where names come from that this file exports without binding them.
    passed_on: Vec<ImportOrigin>,
    /// True if the name at the top of a script is exported under this name.
    is_exported: bool,
    /// Modules whose names are all brought in.
    globs: Vec<ImportOrigin>,
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
    let has_scopes = language.and_then(Family::of).is_some();
    if !has_scopes && !request.together.is_empty() && request.kind != Some(NameKind::Any) {
        return Err(Outcome::Left {
            why: format!(
                "{} is left as it is: `{from}` may be another name there, or only a word",
                file.path
            ),
        });
    }
    let parsed = language.and_then(|language| file.cache.parse(language, file.text));
    match (&parsed, language, language.and_then(Family::of)) {
        (Some(tree), _, Some(family)) => scoped(file, request, family, tree),
        (Some(tree), Some(language), None) => {
            refuse_unrelated(file, request, language, tree)?;
            by_name(
                file,
                request,
                identifiers(tree, from),
                &identifiers(tree, to),
                "identifiers by syntax",
            )
        }
        (_, Some(_), _) => Err(Outcome::Refused {
            why: format!(
                "{} is too large, or nests too deeply, to be parsed, and words alone do not tell names from text; \
                 use `section` with `replace_all`",
                file.path
            ),
        }),
        (_, None, _) => {
            let places = |name: &str| words(file.text, name);
            let how = "whole words, there is no grammar for this file";
            let renamed = by_name(file, request, places(from), &places(to), how)?;
            Ok(renamed.found_by(Rung::Pattern))
        }
    }
}

/// Asks which is meant where scopes are not known and the name is defined in several places, as `load` of two classes.
fn refuse_unrelated(
    file: File<'_>,
    request: &Rename,
    language: Language,
    tree: &Parsed<'_>,
) -> Result<(), Outcome> {
    if request.which.all || request.kind == Some(NameKind::Any) {
        return Ok(());
    }
    let from = &request.from;
    let mut defined = outline(language, tree);
    defined.retain(|symbol| symbol.name == *from);
    // Overloads are one name.
    defined.dedup_by(|a, b| a.path == b.path);
    if defined.len() < 2 {
        return Ok(());
    }
    let why = format!(
        "`{from}` is defined {} times, and which use is of which is not known in this language; give `\"all\": true` for \
         every one, or use `section`",
        defined.len()
    );
    let places = defined.iter().map(|symbol| symbol.range.start);
    Err(file.ambiguous(why, places))
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
    let warning = if taken.is_empty() {
        ""
    } else {
        "; careful: the new name is used in this file already"
    };
    let count = places.len();
    let splices = places.into_iter().map(|at| {
        let start = at - usize::from(is_escape_before(file, at, to));
        file.splice(start..at + from.len(), to.as_str())
    });
    modified(splices.collect(), format!("{how}{warning}"), count)
}

/// Returns whether a backslash before a name goes with it: in Markdown `\_a` is `_a`, and `\b` would be a backslash and `b`.
fn is_escape_before(file: File<'_>, at: usize, to: &str) -> bool {
    let extension = file.path.extension();
    let is_markdown = matches!(extension.as_deref(), Some("md" | "markdown"));
    let Some((before, name)) = file.text.split_at_checked(at) else {
        return false;
    };
    let escapes = before.chars().rev().take_while(|c| *c == '\\').count();
    let is_escaped = escapes % 2 == 1 && name.starts_with('_');
    is_markdown && is_escaped && !to.starts_with('_')
}

fn scoped(file: File<'_>, request: &Rename, family: Family, tree: &Parsed<'_>) -> OrAnswer<Plan> {
    let scene = RenameScene::of(file, request, family, tree);
    let choice = scene.bound(scene.choose())?;
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
        "{} {}{}",
        amount(uses, "reference", "references"),
        choice.how,
        scene.remarks(&choice.uses, &keywords)
    );
    let count = splices.len();
    modified(splices.into_values().collect(), how, count)
}

impl RenameScene<'_, '_> {
    fn refuse_collisions(&self, uses: &[Use]) -> Result<(), Outcome> {
        let (from, to) = (&self.request.from, &self.request.to);
        let bindings: BTreeSet<usize> = uses
            .iter()
            .filter(|use_| !use_.spaces.meets(Spaces::FIELD))
            .filter_map(|use_| use_.binding)
            .collect();
        for binding in bindings
            .iter()
            .filter_map(|index| self.from.bindings.get(*index))
        {
            let at = self.line_of(binding.at);
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
                    self.line_of(other.at)
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
                    self.line_of(use_.at)
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
                    self.line_of(use_.at),
                    self.line_of(caught.at)
                )));
            }
        }
        Ok(())
    }

    fn line_of(&self, at: usize) -> usize {
        self.file.line(at)
    }

    fn splice(&self, use_: &Use) -> Splice {
        let (from, to) = (&self.request.from, &self.request.to);
        let any = self.request.kind == Some(NameKind::Any);
        let field = use_.spaces == Spaces::FIELD;
        let new = match use_.shape {
            NameShape::Shorthand if any => to.clone(),
            NameShape::Shorthand if field => format!("{to}: {from}"),
            NameShape::Shorthand => format!("{from}: {to}"),
            NameShape::Plain => to.clone(),
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
        let paths = self
            .from
            .uses
            .iter()
            .filter(|use_| use_.spaces == Spaces::PATH)
            .filter(|_| self.family != Family::Python)
            .count();
        if paths > 0 && !uses.iter().any(|use_| use_.binding.is_none()) {
            let stay = amount(
                paths,
                "item of another module stays",
                "items of other modules stay",
            );
            remarks.push_str(&format!("; {stay}"));
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
        how: "to fields, methods and keys by name, whatever they are of".into(),
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
            let text = file.text.slice(range.clone());
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
