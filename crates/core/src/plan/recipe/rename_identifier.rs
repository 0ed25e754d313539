//! Gives a name another, in one file.
//!
//! In: two names, and which of the bindings of the first is meant. Out: a plan of every use
//! of that binding, outside strings and comments; a name that the new one would hide, or that
//! would hide it, is refused with its line. Where there is no grammar: whole words.

mod names;
mod python;
mod rust;
mod script;

use std::collections::{BTreeMap, BTreeSet};

use tree_sitter::Node;

use self::names::{Names, Shape, Site, Spaces, Use};
use super::tree::{Step, is_comment, walk};
use super::{Family, File, Outcome, already, invalid, modified, not_found, refused};
use crate::locate::exact;
use crate::plan::MAX_CANDIDATES;
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
pub(super) fn plan(file: File<'_>, request: &Rename) -> Result<Outcome, Outcome> {
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
                "{} is too large to be parsed, and words alone do not tell names from text; \
                 use `section` with `replace_all`",
                file.path
            ),
        }),
        (None, None, _) => {
            let places = |name: &str| words(file.text, name);
            let how = "whole words, there is no grammar for this file";
            by_name(file, request, places(from), &places(to), how)
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
) -> Result<Outcome, Outcome> {
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
    Ok(modified(
        splices.collect(),
        format!("{how}{warning}"),
        count,
    ))
}

fn scoped(
    file: File<'_>,
    request: &Rename,
    family: Family,
    tree: &Parsed<'_>,
) -> Result<Outcome, Outcome> {
    let scene = Scene::of(file, request, family, tree);
    let choice = scene.choose()?;
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
        "{uses} uses: {}{}",
        choice.how,
        scene.remarks(&choice.uses, &keywords)
    );
    let count = splices.len();
    Ok(modified(splices.into_values().collect(), how, count))
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
        };
        let mut outer = python::Outer::default();
        if family == Family::Python {
            walk(tree.root(), |step, above| {
                python::note_outer(tree, step, above, &mut outer);
            });
        }
        let mut closed: BTreeMap<usize, bool> = BTreeMap::new();
        walk(tree.root(), |step, above| {
            if family == Family::Rust && step.kind() == "macro_invocation" {
                let horizon = horizon(file, above, &mut closed);
                for range in rust::captures(tree, step.node) {
                    let name = file.text.get(range.clone()).unwrap_or_default();
                    let role = names::Role::Use(Spaces::VALUE, Shape::Plain);
                    let site = Site {
                        at: range.start,
                        function: 0,
                        horizon,
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
                Family::Rust => rust::role(tree, file.text, step, above),
                Family::Script => script::role(tree, step, above),
                Family::Python => python::role(tree, step, above, &outer),
            };
            let (function, horizon) = match family {
                Family::Python => (python::function(above), 0),
                Family::Rust => (0, horizon(file, above, &mut closed)),
                Family::Script => (0, 0),
            };
            if name == request.from {
                scene.note_keyword(tree, step, above);
            }
            let at = step.node.start_byte();
            let site = Site {
                at,
                function,
                horizon,
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

    /// Decides which uses are meant.
    fn choose(&self) -> Result<Choice, Outcome> {
        match (self.request.which.line, self.request.kind) {
            (Some(line), kind) => self.on_line(line, kind),
            (None, Some(NameKind::Any)) => self.everything(),
            (None, Some(NameKind::Field)) => match self.fields() {
                uses if uses.is_empty() => Err(self.nothing()),
                uses => Ok(fields_by_name(uses)),
            },
            (None, kind) => self.at_top(kind),
        }
    }

    fn everything(&self) -> Result<Choice, Outcome> {
        if self.from.uses.is_empty() {
            return Err(self.nothing());
        }
        Ok(Choice {
            uses: self.from.uses.clone(),
            how: "every identifier of that name".into(),
        })
    }

    fn on_line(&self, line: usize, kind: Option<NameKind>) -> Result<Choice, Outcome> {
        let here = |use_: &&Use| {
            let column = self.request.column;
            self.file.line(use_.at) == line
                && column.is_none_or(|column| self.column(use_.at) == column)
        };
        let wanted = kind.map_or(Spaces::BOUND, spaces_of);
        let all: Vec<&Use> = self.from.uses.iter().filter(here).collect();
        let mut meant: Vec<&Use> = all
            .iter()
            .filter(|use_| use_.spaces.meets(wanted))
            .copied()
            .collect();
        if meant.is_empty() && kind.is_none() && !self.to.uses.iter().any(|use_| here(&use_)) {
            meant = all;
        }
        let targets: BTreeSet<Target> = meant.iter().map(|use_| target(use_)).collect();
        let mut targets = targets.into_iter();
        match (targets.next(), targets.next()) {
            (Some(target), None) => Ok(self.with_target(target, kind)),
            (Some(_), Some(_)) => Err(self.file.ambiguous(
                format!(
                    "line {line} has different `{}`s, at columns {}; give `column`",
                    self.request.from,
                    self.columns(&meant)
                ),
                meant.first().map(|use_| use_.at),
            )),
            (None, _) => Err(self.not_on_line(line, here)),
        }
    }

    fn not_on_line(&self, line: usize, here: impl Fn(&&Use) -> bool) -> Outcome {
        let (from, to) = (&self.request.from, &self.request.to);
        if self.to.uses.iter().any(|use_| here(&use_)) {
            return already(format!("line {line} has `{to}` and no `{from}`"));
        }
        let lines: BTreeSet<usize> = self
            .from
            .uses
            .iter()
            .map(|use_| self.file.line(use_.at))
            .collect();
        if lines.is_empty() {
            return self.nothing();
        }
        let lines: Vec<String> = lines
            .iter()
            .take(MAX_CANDIDATES)
            .map(usize::to_string)
            .collect();
        not_found(format!(
            "line {line} has no identifier `{from}`; lines that have: {}",
            lines.join(", ")
        ))
    }

    fn with_target(&self, target: Target, kind: Option<NameKind>) -> Choice {
        let same = |use_: &&Use| self::target(use_) == target;
        let mut uses: Vec<Use> = self.from.uses.iter().filter(same).copied().collect();
        if kind == Some(NameKind::Any) {
            uses.extend(self.fields());
        }
        match target {
            Target::Field => fields_by_name(self.fields()),
            Target::Path => Choice {
                uses,
                how: "names of another module's item".into(),
            },
            Target::Free => Choice {
                uses,
                how: "a name that is not bound in this file".into(),
            },
            Target::Binding(_) => Choice {
                uses,
                how: "one binding, by scope".into(),
            },
        }
    }

    /// Without a line, the name at the top level is meant.
    fn at_top(&self, kind: Option<NameKind>) -> Result<Choice, Outcome> {
        let wanted = kind.map_or(Spaces::BOUND, spaces_of);
        let bound: Vec<Use> = self
            .from
            .uses
            .iter()
            .filter(|use_| use_.spaces.meets(wanted))
            .copied()
            .collect();
        if self.request.which.all && !bound.is_empty() {
            return Ok(Choice {
                uses: bound,
                how: "every binding of that name, by scope".into(),
            });
        }
        let (top, inner): (Vec<Use>, Vec<Use>) = bound
            .into_iter()
            .partition(|use_| self.is_top(&self.from, use_));
        if !top.is_empty() {
            self.refuse_two_kinds(&top, kind)?;
            let shadowed = match inner.len() {
                0 => String::new(),
                count => format!("; {count} uses of inner bindings stay"),
            };
            return Ok(Choice {
                uses: top,
                how: format!("the name at the top level, by scope{shadowed}"),
            });
        }
        if !inner.is_empty() {
            return self.local(inner);
        }
        let fields = self.fields();
        let paths = fields.is_empty();
        let left = if paths {
            self.from.uses.clone()
        } else {
            fields
        };
        // A variable's renaming leaves the fields of its name, and theirs other modules' items:
        // they are not what is left of it.
        let is_done = left.iter().any(|use_| self.leads_to_new_name(use_))
            || self
                .to
                .uses
                .iter()
                .any(|use_| paths || use_.spaces.meets(Spaces::BOUND));
        if left.is_empty() || kind.is_some() || is_done {
            return Err(self.nothing());
        }
        Ok(fields_by_name(left))
    }

    /// A name that is bound within functions alone.
    fn local(&self, inner: Vec<Use>) -> Result<Choice, Outcome> {
        let (from, to) = (&self.request.from, &self.request.to);
        let bindings: BTreeSet<usize> = inner.iter().filter_map(|use_| use_.binding).collect();
        let places = || {
            let at = bindings
                .iter()
                .filter_map(|index| self.from.bindings.get(*index));
            at.map(|binding| binding.at)
        };
        let is_done = self
            .to
            .uses
            .iter()
            .any(|use_| use_.binding.is_some() && self.is_top(&self.to, use_));
        if is_done {
            let lines: Vec<String> = places().map(|at| self.file.line(at).to_string()).collect();
            return Err(already(format!(
                "`{to}` is at the top level and `{from}` is not; an inner `{from}` is on line {}: \
                 give `line` to rename it",
                lines.join(", ")
            )));
        }
        if bindings.len() > 1 {
            return Err(self.file.ambiguous(
                format!(
                    "`{from}` is bound {} times, each in a scope of its own; give `line`, or \
                     `\"all\": true`",
                    bindings.len()
                ),
                places(),
            ));
        }
        Ok(Choice {
            uses: inner,
            how: "the one local binding, by scope".into(),
        })
    }

    fn is_top(&self, names: &Names, use_: &Use) -> bool {
        match use_.binding.and_then(|index| names.bindings.get(index)) {
            Some(binding) => binding.visible == (0..usize::MAX),
            None => use_.horizon == 0,
        }
    }

    /// In Rust, a module and a function of one name are different things; elsewhere a type and
    /// a value of one name are companions.
    fn refuse_two_kinds(&self, top: &[Use], kind: Option<NameKind>) -> Result<(), Outcome> {
        let bindings: BTreeSet<usize> = top.iter().filter_map(|use_| use_.binding).collect();
        if self.family != Family::Rust || kind.is_some() || bindings.len() < 2 {
            return Ok(());
        }
        let places: Vec<usize> = bindings
            .iter()
            .filter_map(|index| self.from.bindings.get(*index))
            .map(|binding| binding.at)
            .collect();
        Err(self.file.ambiguous(
            format!(
                "`{}` is a value and a type here; give `kind`: value, type or any",
                self.request.from
            ),
            places,
        ))
    }

    fn fields(&self) -> Vec<Use> {
        let fields = self.from.uses.iter().filter(|use_| {
            let key = use_.shape == Shape::Shorthand && use_.spaces.meets(Spaces::VALUE);
            use_.spaces.meets(Spaces::FIELD) || key
        });
        let as_field = |use_: &Use| Use {
            spaces: Spaces::FIELD,
            ..*use_
        };
        let all: Vec<Use> = fields.map(as_field).collect();
        // A shorthand alone is a variable's, whose fields are elsewhere.
        let real = all.iter().any(|use_| use_.shape != Shape::Shorthand);
        if real { all } else { Vec::new() }
    }

    /// Returns whether what follows is `: to` or `as to`: what a renaming leaves.
    fn leads_to_new_name(&self, use_: &Use) -> bool {
        let end = use_.at + self.request.from.len();
        let after = self.file.text.get(end..).unwrap_or_default().trim_start();
        let rest = after
            .strip_prefix(':')
            .or_else(|| after.strip_prefix("as "));
        let to = &self.request.to;
        rest.and_then(|rest| rest.trim_start().strip_prefix(to.as_str()))
            .is_some_and(|rest| !rest.starts_with(is_word))
    }

    fn nothing(&self) -> Outcome {
        let (from, to, path) = (&self.request.from, &self.request.to, self.file.path);
        if self.to.uses.is_empty() {
            return not_found(format!(
                "{path} has no identifier `{from}` of this kind outside strings and comments"
            ));
        }
        let fields = match self.fields().len() {
            0 => String::new(),
            count => format!("; {count} fields `{from}` stay (`\"kind\": \"field\"` renames them)"),
        };
        already(format!("{path} has `{to}` and no `{from}`{fields}"))
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
                    && binding.visible.contains(&use_.at)
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
        let new = match use_.shape {
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
        let functions: BTreeSet<&String> = uses
            .iter()
            .filter_map(|use_| self.from.bindings.get(use_.binding?))
            .filter_map(|binding| binding.traits.parameter_of.as_ref())
            .collect();
        let own = self
            .keywords
            .iter()
            .filter(|(_, callee)| functions.contains(callee));
        own.map(|(at, _)| *at).collect()
    }

    fn remarks(&self, uses: &[Use], keywords: &[usize]) -> String {
        let mut remarks = String::new();
        let renames_fields = uses.iter().any(|use_| use_.spaces.meets(Spaces::FIELD));
        let fields = self.fields().len();
        if !renames_fields && fields > 0 {
            remarks.push_str(&format!(
                "; {fields} fields or keys of that name stay (`\"kind\": \"field\"` renames them)"
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
        let columns = uses.iter().map(|use_| self.column(use_.at).to_string());
        columns.collect::<Vec<_>>().join(", ")
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
    use_.binding.map_or(Target::Free, Target::Binding)
}

fn spaces_of(kind: NameKind) -> Spaces {
    match kind {
        NameKind::Any => Spaces::BOUND | Spaces::FIELD,
        NameKind::Value => Spaces::VALUE | Spaces::MACRO,
        NameKind::Type => Spaces::TYPE,
        NameKind::Field => Spaces::FIELD,
    }
}

/// Returns where the innermost Rust module around a place begins that does not see what is
/// outside; 0 if there is none.
fn horizon(file: File<'_>, above: &[Step<'_>], closed: &mut BTreeMap<usize, bool>) -> usize {
    for step in above.iter().rev().filter(|step| step.kind() == "mod_item") {
        let Some(body) = step.node.child_by_field_name("body") else {
            continue;
        };
        let is_closed = *closed
            .entry(body.start_byte())
            .or_insert_with(|| !sees_outside(file, body));
        if is_closed {
            return body.start_byte();
        }
    }
    0
}

/// Returns whether a module's body takes in names of the module around it.
fn sees_outside(file: File<'_>, body: Node<'_>) -> bool {
    let mut cursor = body.walk();
    body.named_children(&mut cursor).any(|node| {
        let text = file.text.get(node.byte_range()).unwrap_or_default();
        node.kind() == "use_declaration" && text.contains("super")
    })
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

fn identifiers(parsed: &Parsed<'_>, name: &str) -> Vec<usize> {
    let mut places = Vec::new();
    parsed.walk(|node| {
        let is_name = node.child_count() == 0 && node.kind().ends_with("identifier");
        if is_name && parsed.text(node) == name {
            places.push(node.start_byte());
        }
    });
    places
}

fn words(text: &str, name: &str) -> Vec<usize> {
    let bounded = |at: &usize| {
        let before = text.get(..*at).and_then(|head| head.chars().next_back());
        let after = text
            .get(at + name.len()..)
            .and_then(|tail| tail.chars().next());
        !before.is_some_and(is_word) && !after.is_some_and(is_word)
    };
    exact::all(text, name).into_iter().filter(bounded).collect()
}

fn is_identifier(name: &str) -> bool {
    name.chars().all(is_word)
        && !name
            .chars()
            .next()
            .is_none_or(|first| first.is_ascii_digit())
}

fn is_word(c: char) -> bool {
    c.is_alphanumeric() || c == '_' || c == '$'
}

#[cfg(test)]
mod tests;
