//! Name resolution: bindings and uses of two names in a file.
//!
//! In: what a language says of each identifier ([`Role`]). Out: [`NameUses`]. A binding is
//! visible in one range of bytes, and such ranges are disjoint or within each other in all
//! languages here, so that one pass over the text with a stack resolves every use.

use std::collections::HashMap;
use std::ops::{BitOr, Range};

use super::imports::ImportOrigin;

/// Sets of what a name can stand for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Spaces(u8);

impl Spaces {
    /// Variables, parameters, constants and functions.
    pub(super) const VALUE: Self = Self(1);
    /// Types and modules.
    pub(super) const TYPE: Self = Self(2);
    /// Rust's macros.
    pub(super) const MACRO: Self = Self(4);
    /// Fields, methods and keys: found by name alone.
    pub(super) const FIELD: Self = Self(8);
    /// Names of other modules' items.
    pub(super) const PATH: Self = Self(16);
    /// What has types inside: namespaces, classes, enums and imports of scripts.
    pub(super) const HOLDER: Self = Self(32);
    /// Everything that is bound.
    pub(super) const BOUND: Self = Self(39);

    /// Returns both sets together.
    pub(super) const fn and(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }

    /// Returns whether the sets share something.
    pub(super) fn meets(self, other: Self) -> bool {
        self.0 & other.0 != 0
    }
}

impl BitOr for Spaces {
    type Output = Self;

    fn bitor(self, other: Self) -> Self {
        self.and(other)
    }
}

/// How a name is written where it stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum NameShape {
    /// By itself.
    Plain,
    /// As key and value in one: `{ name }`.
    Shorthand,
}

/// What a language says of an identifier.
pub(super) enum Role {
    /// It is none of the names that can be renamed.
    Skip,
    /// A use.
    Use(Spaces, NameShape),
    /// A use after the path of a module whose inside begins at this byte.
    Within(Spaces, usize),
    /// A definition.
    Define(Definition),
}

/// A definition.
pub(super) struct Definition {
    pub(super) spaces: Spaces,
    pub(super) shape: NameShape,
    /// Where the binding is visible.
    pub(super) visible: Range<usize>,
    /// The whole scope that it is in.
    pub(super) scope: Range<usize>,
    pub(super) traits: Traits,
}

/// What else is to be known of a binding.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Traits {
    /// A part of the visible range in which it is not.
    pub(super) hole: Option<Range<usize>>,
    /// True in a Python class, whose functions do not see it.
    pub(super) in_class: bool,
    /// Why it cannot be renamed alone, if it cannot.
    pub(super) fixed: Option<&'static str>,
    /// For an import from a module of the file: where the inside of that begins.
    pub(super) source: Option<usize>,
    /// For imports from other files: where they come from.
    pub(super) origins: Vec<ImportOrigin>,
    /// The function that it is a parameter of, and where its bare name means it.
    pub(super) parameter_of: Option<(String, Range<usize>)>,
}

/// Something that a name is bound to.
pub(super) struct Binding {
    pub(super) spaces: Spaces,
    pub(super) visible: Range<usize>,
    pub(super) scope: Range<usize>,
    pub(super) traits: Traits,
    /// Where it is defined first.
    pub(super) at: usize,
}

/// An occurrence of a name.
#[derive(Clone, Copy)]
pub(super) struct Use {
    pub(super) at: usize,
    pub(super) spaces: Spaces,
    pub(super) shape: NameShape,
    /// Where it is looked up: where it stands, or the inside of the module before it.
    pub(super) view: usize,
    /// The index of its binding; none if it is not bound in the file.
    pub(super) binding: Option<usize>,
    /// The binding that it means in the end, through imports from modules of the file.
    pub(super) root: Option<usize>,
    /// Where the innermost function, class or comprehension around it begins.
    pub(super) function: usize,
    /// Bindings that begin before this are out of its sight: it is in a module of its own.
    pub(super) horizon: usize,
    /// Bindings that begin before this are out of its sight, but for the module's: a function
    /// that begins here says that the name is global.
    pub(super) global_since: usize,
}

/// Bindings and uses of one name.
#[derive(Default)]
pub(super) struct NameUses {
    pub(super) bindings: Vec<Binding>,
    pub(super) uses: Vec<Use>,
    known: HashMap<(usize, usize, u8), usize>,
}

/// Where an identifier stands.
#[derive(Clone, Copy)]
pub(super) struct IdentifierSite {
    pub(super) at: usize,
    pub(super) function: usize,
    pub(super) horizon: usize,
    pub(super) global_since: usize,
}

impl Use {
    /// Returns an occurrence that is an item of another file.
    pub(super) fn of_path(at: usize) -> Self {
        Self {
            at,
            spaces: Spaces::PATH,
            shape: NameShape::Plain,
            view: at,
            binding: None,
            root: None,
            function: 0,
            horizon: 0,
            global_since: 0,
        }
    }
}

impl Binding {
    /// Returns whether a place is in the part of the range in which the binding is not.
    pub(super) fn in_hole(&self, at: usize) -> bool {
        let hole = self.traits.hole.as_ref();
        hole.is_some_and(|hole| hole.contains(&at))
    }
}

impl NameUses {
    /// Takes what a language says of an identifier.
    pub(super) fn add(&mut self, site: IdentifierSite, role: Role) {
        let mut view = site.at;
        let mut horizon = site.horizon;
        let (spaces, shape, binding) = match role {
            Role::Skip => return,
            Role::Use(spaces, shape) => (spaces, shape, None),
            Role::Within(spaces, inside) => {
                (view, horizon) = (inside, inside);
                (spaces, NameShape::Plain, None)
            }
            Role::Define(definition) => {
                let (spaces, shape) = (definition.spaces, definition.shape);
                (spaces, shape, Some(self.bind(site.at, definition)))
            }
        };
        self.uses.push(Use {
            at: site.at,
            spaces,
            shape,
            view,
            binding,
            root: None,
            function: site.function,
            horizon,
            global_since: site.global_since,
        });
    }

    fn bind(&mut self, at: usize, definition: Definition) -> usize {
        let Range { start, end } = definition.visible;
        let key = (start, end, definition.spaces.0);
        let bindings = &mut self.bindings;
        let fixed = definition.traits.fixed;
        let mut origins = definition.traits.origins.clone();
        let index = *self.known.entry(key).or_insert_with(|| {
            bindings.push(Binding {
                spaces: definition.spaces,
                visible: definition.visible,
                scope: definition.scope,
                traits: definition.traits,
                at,
            });
            bindings.len() - 1
        });
        if let Some(binding) = bindings.get_mut(index) {
            binding.traits.fixed = binding.traits.fixed.or(fixed);
            origins.retain(|origin| !binding.traits.origins.contains(origin));
            binding.traits.origins.extend(origins);
        }
        index
    }

    /// Finds the binding of every use.
    pub(super) fn resolve(&mut self) {
        let open: Vec<Use> = self.uses.clone();
        let found = self.lookup(&open);
        for (use_, found) in self.uses.iter_mut().zip(found) {
            if use_.binding.is_none() && use_.spaces.meets(Spaces::BOUND) {
                use_.binding = found;
            }
            let in_class = use_
                .binding
                .and_then(|index| self.bindings.get(index))
                .is_some_and(|binding| binding.traits.in_class);
            if in_class {
                use_.spaces = Spaces::FIELD;
            }
            if use_.view != use_.at && use_.binding.is_none() {
                use_.spaces = Spaces::PATH;
            }
        }
        let roots = self.roots();
        for use_ in &mut self.uses {
            use_.root = use_.binding.map(|own| root(&roots, own));
        }
    }

    /// Returns for each import from a module of the file what it imports.
    fn roots(&self) -> HashMap<usize, usize> {
        let imports: Vec<(usize, Use)> = self
            .bindings
            .iter()
            .enumerate()
            .filter_map(|(index, binding)| {
                let inside = binding.traits.source?;
                let asked = Use {
                    at: binding.at,
                    spaces: binding.spaces,
                    shape: NameShape::Plain,
                    view: inside,
                    binding: None,
                    root: None,
                    function: 0,
                    horizon: inside,
                    global_since: 0,
                };
                Some((index, asked))
            })
            .collect();
        let asked: Vec<Use> = imports.iter().map(|(_, use_)| *use_).collect();
        let found = self.lookup(&asked).into_iter();
        let pairs = imports.iter().map(|(index, _)| *index).zip(found);
        pairs
            .filter_map(|(index, found)| Some((index, found?)))
            .filter(|(index, found)| index != found)
            .collect()
    }

    /// Returns what each of `uses` would mean if it had this name.
    pub(super) fn lookup(&self, uses: &[Use]) -> Vec<Option<usize>> {
        let mut order: Vec<usize> = (0..uses.len()).collect();
        order.sort_by_key(|index| uses.get(*index).map_or(0, |use_| use_.view));
        let mut by_start: Vec<usize> = (0..self.bindings.len()).collect();
        by_start.sort_by_key(|index| {
            self.visible(*index)
                .map(|range| (range.start, std::cmp::Reverse(range.end)))
        });
        let mut coming = by_start.into_iter().peekable();
        let mut active: Vec<usize> = Vec::new();
        let mut found = vec![None; uses.len()];
        for index in order {
            let Some(use_) = uses.get(index) else {
                continue;
            };
            while let Some(next) = coming.next_if(|next| {
                self.visible(*next)
                    .is_some_and(|range| range.start <= use_.view)
            }) {
                while active
                    .last()
                    .is_some_and(|last| ended(self.visible(*last), self.visible(next)))
                {
                    active.pop();
                }
                active.push(next);
            }
            while active.last().is_some_and(|last| {
                self.visible(*last)
                    .is_some_and(|range| range.end <= use_.view)
            }) {
                active.pop();
            }
            let seen = active
                .iter()
                .rev()
                .find(|binding| self.sees(use_, **binding));
            if let Some(slot) = found.get_mut(index) {
                *slot = seen.copied();
            }
        }
        found
    }

    fn visible(&self, index: usize) -> Option<Range<usize>> {
        self.bindings.get(index).map(|b| b.visible.clone())
    }

    fn sees(&self, use_: &Use, binding: usize) -> bool {
        self.bindings.get(binding).is_some_and(|binding| {
            binding.visible.contains(&use_.view)
                && binding.spaces.meets(use_.spaces)
                && !binding.in_hole(use_.view)
                && !(binding.traits.in_class && use_.function >= binding.visible.start)
                && binding.visible.start >= use_.horizon
                && (binding.visible.start >= use_.global_since || binding.visible.start == 0)
        })
    }
}

/// Follows imports to what they import, and no further than there are imports.
fn root(roots: &HashMap<usize, usize>, own: usize) -> usize {
    let mut at = own;
    for _ in 0..roots.len() {
        match roots.get(&at) {
            Some(next) => at = *next,
            None => break,
        }
    }
    at
}

/// Returns whether the first range is over where the second begins.
fn ended(first: Option<Range<usize>>, second: Option<Range<usize>>) -> bool {
    match (first, second) {
        (Some(first), Some(second)) => first.end <= second.start,
        _ => false,
    }
}
