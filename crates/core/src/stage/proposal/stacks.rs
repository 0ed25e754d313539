//! Stacks: the layers over the files of a stage, found by every path that a file has.
//!
//! In: stacks by the paths of their files on disk. Out: the same, and which stack moves its file to a path. With a
//! search through all stacks for each of the 20,000 files that one program may change, staging them took a minute.
//!
//! ```text
//! a.rs: [edit, move to b.rs]      get(a.rs): the stack      key_moving_to(b.rs): a.rs
//! ```

use std::collections::BTreeMap;
use std::collections::btree_map::Iter;
use std::ops::{Deref, DerefMut};

use super::layer::Layer;
use super::stack::PathStack;
use crate::disk::workspace::WorkspacePath;

/// Stacks by the paths of their files on disk.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Stacks {
    by_key: BTreeMap<WorkspacePath, PathStack>,
    /// The keys of stacks that move their files, by where each of their layers moves them.
    by_target: BTreeMap<WorkspacePath, WorkspacePath>,
}

/// A stack that may be changed.
#[derive(Debug)]
pub struct StackMut<'a> {
    key: WorkspacePath,
    stack: &'a mut PathStack,
    by_target: &'a mut BTreeMap<WorkspacePath, WorkspacePath>,
}

impl Stacks {
    /// Returns the key of the stack of which a layer moves its file to `path`.
    pub fn key_moving_to(&self, path: &WorkspacePath) -> Option<&WorkspacePath> {
        self.by_target.get(path)
    }

    /// Returns the stack of the file at `key`, to be changed.
    pub fn get_mut(&mut self, key: &WorkspacePath) -> Option<StackMut<'_>> {
        let stack = self.by_key.get_mut(key)?;
        Some(StackMut::new(key.clone(), stack, &mut self.by_target))
    }

    /// Returns the stack of the file at `key`, to be changed; `fresh` where it has none.
    pub fn get_or_insert(&mut self, key: WorkspacePath, fresh: PathStack) -> StackMut<'_> {
        let stack = self.by_key.entry(key.clone()).or_insert(fresh);
        StackMut::new(key, stack, &mut self.by_target)
    }

    /// Puts a stack in the place of the one of the file at `key`, which is returned.
    pub fn insert(&mut self, key: WorkspacePath, stack: PathStack) -> Option<PathStack> {
        let mut there = self.get_or_insert(key.clone(), PathStack::default());
        let before = std::mem::replace(&mut *there, stack);
        Some(before).filter(|before| *before != PathStack::default())
    }

    /// Takes the stack of the file at `key` out.
    pub fn remove(&mut self, key: &WorkspacePath) -> Option<PathStack> {
        let taken = self.get_mut(key).map(|mut own| std::mem::take(&mut *own));
        self.by_key.remove(key);
        taken
    }

    /// Takes out the stacks that have no layer.
    pub fn forget_empty(&mut self) {
        // They move no file.
        self.by_key.retain(|_, stack| !stack.layers.is_empty());
    }
}

impl Deref for Stacks {
    type Target = BTreeMap<WorkspacePath, PathStack>;

    fn deref(&self) -> &Self::Target {
        &self.by_key
    }
}

impl<'a> IntoIterator for &'a Stacks {
    type Item = (&'a WorkspacePath, &'a PathStack);
    type IntoIter = Iter<'a, WorkspacePath, PathStack>;

    fn into_iter(self) -> Self::IntoIter {
        self.by_key.iter()
    }
}

impl<'a> StackMut<'a> {
    fn new(
        key: WorkspacePath,
        stack: &'a mut PathStack,
        by_target: &'a mut BTreeMap<WorkspacePath, WorkspacePath>,
    ) -> Self {
        // They are put in again when the change is over.
        for target in stack.layers.iter().filter_map(Layer::to) {
            if by_target.get(target) == Some(&key) {
                by_target.remove(target);
            }
        }
        Self {
            key,
            stack,
            by_target,
        }
    }
}

impl Deref for StackMut<'_> {
    type Target = PathStack;

    fn deref(&self) -> &PathStack {
        self.stack
    }
}

impl DerefMut for StackMut<'_> {
    fn deref_mut(&mut self) -> &mut PathStack {
        self.stack
    }
}

impl Drop for StackMut<'_> {
    fn drop(&mut self) {
        for target in self.stack.layers.iter().filter_map(Layer::to) {
            self.by_target.insert(target.clone(), self.key.clone());
        }
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use uuid::Uuid;

    use super::*;
    use crate::edit::plan::Presence;
    use crate::id::ProposalId;
    use crate::stage::proposal::layer_kind::{BesideText, LayerKind};
    use crate::text::EditSet;

    fn path(text: &str) -> WorkspacePath {
        WorkspacePath::parse(text, Path::new("/w")).unwrap()
    }

    fn moving(to: &str) -> Layer {
        let beside = BesideText {
            to: Some(path(to)),
            ..BesideText::default()
        };
        let kind = LayerKind::of(Presence::Kept, false, false, beside);
        Layer::new(
            ProposalId(Uuid::nil()),
            kind,
            EditSet::default(),
            Vec::new(),
        )
    }

    fn targets(stacks: &Stacks) -> Vec<(&str, &str)> {
        let each = ["b", "c", "d"].map(path);
        let found = each.map(|to| {
            let key = stacks.key_moving_to(&to)?;
            let (key, _) = stacks.get_key_value(key)?;
            let (to, _) = stacks.by_target.get_key_value(&to)?;
            Some((to.as_str(), key.as_str()))
        });
        found.into_iter().flatten().collect()
    }

    #[test]
    fn a_file_is_found_by_every_path_that_its_layers_give_it() {
        let mut stacks = Stacks::default();
        let mut own = stacks.get_or_insert(path("a"), PathStack::default());
        own.layers.extend([moving("b"), moving("c")]);
        drop(own);
        assert_eq!(targets(&stacks), [("b", "a"), ("c", "a")]);

        // A layer goes, another comes.
        if let Some(mut own) = stacks.get_mut(&path("a")) {
            own.layers.pop();
            own.layers.push(moving("d"));
        }
        assert_eq!(targets(&stacks), [("b", "a"), ("d", "a")]);

        // The file goes to another path on disk.
        let own = stacks.remove(&path("a")).unwrap();
        assert_eq!(targets(&stacks), []);
        stacks.insert(path("x"), own);
        assert_eq!(targets(&stacks), [("b", "x"), ("d", "x")]);

        if let Some(mut own) = stacks.get_mut(&path("x")) {
            own.layers.clear();
        }
        stacks.forget_empty();
        assert_eq!(stacks, Stacks::default());
    }
}
