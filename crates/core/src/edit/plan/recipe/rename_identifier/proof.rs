//! Proves that a name became another wherever it means the same, and nowhere else.
//!
//! ```text
//! def price(total):             def price(sum):               one binding, all of its uses, `sum` is free: proved
//!     return total * 2              return sum * 2
//!
//! def price(total):             def price(sum):               one use is left behind: not proved
//!     return total * rate(total)    return sum * rate(total)
//! ```
//!
//! In: files with the places where one name becomes another. Out: for each file the places that are proved: all uses of
//! one definition, none in a string, a comment or a macro that may look at names, and the new name means nothing yet in
//! the file. Names that something outside of the code calls by name, such as handlers and fixtures, are not proved.

use super::together::{origins, renamed};
use super::*;
use crate::disk::workspace::WorkspacePath;
use crate::syntax::SyntaxCache;
use crate::text::Source;

mod context;
mod reserved;

use self::context::Contexts;
use self::reserved::may_be_renamed;

/// A file in which one name becomes another.
pub(crate) struct RenamedFile<'a> {
    /// Its path.
    pub(crate) path: &'a WorkspacePath,
    /// Its text before.
    pub(crate) before: &'a Source,
    /// Where the old name stands that becomes the new one, in bytes of that text.
    pub(crate) places: BTreeSet<usize>,
}

/// What the other files of a list say of one.
#[derive(Clone, Copy)]
struct Surroundings {
    /// There are none.
    is_alone: bool,
    /// One of them imports the name from it.
    is_imported: bool,
}

/// Returns for each file the places that are proved to be the renaming of definitions.
pub(crate) fn proved_places(
    cache: &SyntaxCache,
    (from, to): (&str, &str),
    files: &[RenamedFile<'_>],
) -> Vec<BTreeSet<usize>> {
    let requests: Vec<(WorkspacePath, Source, Rename)> = files
        .iter()
        .map(|file| (file.path.clone(), file.before.clone(), Rename::of(from, to)))
        .collect();
    let mut request = Rename::of(from, to);
    request.together = renamed(cache, &requests);
    let origins = if files.len() > 1 {
        origins(cache, &requests)
    } else {
        Vec::new()
    };
    let is_imported = |path: &WorkspacePath| {
        let named = [path.as_str().to_owned()];
        let mut all = origins.iter().flatten();
        all.any(|origin| origin.is_one_of(&named))
    };
    loop {
        let is_alone = files.len() == 1;
        let each = files.iter().map(|file| {
            let surroundings = Surroundings {
                is_alone,
                is_imported: is_imported(file.path),
            };
            in_file(cache, &request, file, surroundings)
        });
        let proved: Vec<BTreeSet<usize>> = each.collect();
        // Importing from a file whose own renaming is not proved proves nothing.
        let whole = |path: &String| {
            let mut own = files.iter().zip(&proved);
            own.any(|(file, places)| file.path.as_str() == path && *places == file.places)
        };
        let known = request.together.len();
        request.together.retain(whole);
        if request.together.len() == known {
            return proved;
        }
    }
}

fn in_file(
    cache: &SyntaxCache,
    request: &Rename,
    renamed: &RenamedFile<'_>,
    surroundings: Surroundings,
) -> BTreeSet<usize> {
    proved_in_file(cache, request, renamed, surroundings).unwrap_or_default()
}

fn proved_in_file(
    cache: &SyntaxCache,
    request: &Rename,
    renamed: &RenamedFile<'_>,
    surroundings: Surroundings,
) -> Option<BTreeSet<usize>> {
    let language = Language::of(renamed.path)?;
    let family = Family::of(language)?;
    if !may_be_renamed(family, &request.from, &request.to) || renamed.path.name().ends_with(".d.ts")
    {
        return None;
    }
    let text = renamed.before.text().ok()?;
    let tree = cache.parse(language, text)?;
    let after = replaced(text, request, &renamed.places)?;
    let new_tree = cache.parse(language, &after)?;
    if !has_same_shape((&tree, &new_tree), request, &renamed.places) {
        return None;
    }
    let file = File {
        cache,
        path: renamed.path,
        source: renamed.before,
        text,
    };
    let scene = RenameScene::of(file, request, family, &tree);
    if scene.unread.is_some() || !scene.is_new_name_free() || reserved::looks_at_names(family, text)
    {
        return None;
    }
    // Without a file that imports it in the list, nobody knows who else does.
    if scene.is_exported && !surroundings.is_imported {
        return None;
    }
    let contexts = Contexts::of(family, &tree, renamed);
    Some(scene.proved(&renamed.places, &contexts, surroundings.is_alone))
}

impl RenameScene<'_, '_> {
    /// Returns whether the new name means nothing in the file: fields, and items of other modules, are told by what
    /// stands before them.
    fn is_new_name_free(&self) -> bool {
        let told_apart = |use_: &Use| use_.spaces == Spaces::FIELD || use_.spaces == Spaces::PATH;
        self.to.bindings.is_empty() && self.to.uses.iter().all(told_apart)
    }

    /// Returns those of the places that are all uses of bindings.
    fn proved(
        &self,
        places: &BTreeSet<usize>,
        contexts: &Contexts,
        is_alone: bool,
    ) -> BTreeSet<usize> {
        let mut proved = BTreeSet::new();
        for index in 0..self.from.bindings.len() {
            let is_known = !is_alone || !self.is_used_elsewhere(index);
            if is_known && self.is_renamed_whole(index, places, contexts) {
                let own: Vec<Use> = self.uses_of(index).copied().collect();
                proved.extend(own.iter().map(|use_| use_.at));
                proved.extend(self.keywords_of(&own));
            }
        }
        let linked = self.linked.iter().map(|use_| use_.at);
        if linked
            .clone()
            .all(|at| places.contains(&at) && !contexts.forbid(at))
        {
            proved.extend(linked);
        }
        proved
    }

    /// Returns whether what uses a name at the top of the file is not in it: a setting, a handler, an entry.
    fn is_used_elsewhere(&self, index: usize) -> bool {
        let binding = self.from.bindings.get(index);
        let is_top = binding.is_some_and(|binding| binding.visible == (0..usize::MAX));
        is_top && self.uses_of(index).nth(1).is_none()
    }

    fn uses_of(&self, binding: usize) -> impl Iterator<Item = &Use> {
        let uses = self.from.uses.iter();
        uses.filter(move |use_| use_.root == Some(binding))
    }

    fn is_renamed_whole(
        &self,
        index: usize,
        places: &BTreeSet<usize>,
        contexts: &Contexts,
    ) -> bool {
        let Some(binding) = self.from.bindings.get(index) else {
            return false;
        };
        let is_renamed = |origin: &ImportOrigin| origin.is_one_of(&self.request.together);
        if binding.traits.fixed.is_some() || !binding.traits.origins.iter().all(is_renamed) {
            return false;
        }
        let is_open = |use_: &Use| {
            use_.shape == NameShape::Plain
                && use_.spaces.meets(Spaces::BOUND)
                && !use_.spaces.meets(Spaces::FIELD)
                && places.contains(&use_.at)
                && !contexts.forbid(use_.at)
        };
        if self.uses_of(index).next().is_none() || !self.uses_of(index).all(is_open) {
            return false;
        }
        // A type and a value of one name in one scope may be exported as one.
        let mut companions = self.from.uses.iter().filter(|use_| {
            let other = use_.root.and_then(|root| self.from.bindings.get(root));
            other.is_some_and(|other| other.scope == binding.scope)
        });
        // Calls may name a parameter: all of them have to be known, and renamed with it.
        let is_parameter = self
            .uses_of(index)
            .any(|use_| contexts.is_parameter(use_.at));
        let own: Vec<Use> = self.uses_of(index).copied().collect();
        let named = self.keywords_of(&own);
        let keywords_follow = !is_parameter
            || self
                .keywords
                .iter()
                .all(|(at, _)| named.contains(at) && places.contains(at));
        companions.all(|use_| places.contains(&use_.at)) && keywords_follow
    }
}

/// Returns a text with the new name at these places; none if the old one is not there.
fn replaced(text: &str, request: &Rename, places: &BTreeSet<usize>) -> Option<String> {
    let mut out = String::with_capacity(text.len());
    let mut at = 0;
    for place in places {
        let end = place + request.from.len();
        if text.get(*place..end)? != request.from {
            return None;
        }
        out.push_str(text.get(at..*place)?);
        out.push_str(&request.to);
        at = end;
    }
    out.push_str(text.get(at..)?);
    Some(out)
}

/// Tells whether two trees are without errors and differ in the names at these places alone.
fn has_same_shape(
    (before, after): (&Parsed<'_>, &Parsed<'_>),
    request: &Rename,
    places: &BTreeSet<usize>,
) -> bool {
    if before.root().has_error() || after.root().has_error() {
        return false;
    }
    let (mut left, mut right) = (before.root().walk(), after.root().walk());
    loop {
        let (old, new) = (left.node(), right.node());
        if old.kind_id() != new.kind_id() || old.child_count() != new.child_count() {
            return false;
        }
        if old.child_count() == 0 {
            let range = old.byte_range();
            let within = places.range(range.clone()).map(|at| at - range.start);
            let expected = replaced(before.text(old), request, &within.collect());
            if expected.as_deref() != Some(after.text(new)) {
                return false;
            }
        }
        if left.goto_first_child() && right.goto_first_child() {
            continue;
        }
        loop {
            match (left.goto_next_sibling(), right.goto_next_sibling()) {
                (true, true) => break,
                (false, false) => {}
                _ => return false,
            }
            match (left.goto_parent(), right.goto_parent()) {
                (true, true) => {}
                (false, false) => return true,
                _ => return false,
            }
        }
    }
}
