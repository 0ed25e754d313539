//! The model's files: a few lines of which each can be told from all others.
//!
//! In: texts. Out: [`Body`], and [`Change`], the difference of two of them place by place.

use std::collections::{BTreeMap, BTreeSet};

/// All paths that there ever are.
pub(crate) const NAMES: [Name; 3] = ["a", "b", "d/c"];
/// Lines that change; the first two and the last two are neighbours.
pub(crate) const SLOTS: usize = 4;
/// The place of the lines between them, which never change by themselves.
const FILLER: usize = SLOTS;

/// A path.
pub(crate) type Name = &'static str;

/// The text of a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Body {
    pub(crate) slots: Vec<String>,
    pub(crate) filler: String,
}

impl Body {
    /// Makes a text of which nothing was ever there before.
    pub(crate) fn fresh(mut text: impl FnMut() -> String) -> Self {
        Self {
            slots: (0..SLOTS).map(|_| text()).collect(),
            filler: text(),
        }
    }

    /// Returns the bytes of the file.
    pub(crate) fn bytes(&self) -> Vec<u8> {
        let [one, two, three, four] = self.slots.as_slice() else {
            return Vec::new();
        };
        let filler = &self.filler;
        format!("{one}\n{two}\n{filler}1\n{filler}2\n{filler}3\n{three}\n{four}\n").into_bytes()
    }

    fn at(&self, place: usize) -> Option<&String> {
        match place {
            FILLER => Some(&self.filler),
            slot => self.slots.get(slot),
        }
    }
}

/// What becomes of each place of a text.
#[derive(Clone, Debug, Default)]
pub(crate) struct Change(BTreeMap<usize, (Option<String>, Option<String>)>);

impl Change {
    pub(crate) fn between(old: Option<&Body>, new: Option<&Body>) -> Self {
        let side = |body: Option<&Body>, place| body.and_then(|body| body.at(place)).cloned();
        let each = (0..=FILLER).map(|place| (place, (side(old, place), side(new, place))));
        Self(each.filter(|(_, (old, new))| old != new).collect())
    }

    /// Adds a later change. What was changed and changed back is as if it never had been: what
    /// the user puts there then is nobody else's.
    pub(crate) fn then(&mut self, later: &Self) {
        for (place, (old, new)) in &later.0 {
            let own = self.0.entry(*place).or_insert((old.clone(), None));
            own.1 = new.clone();
        }
        self.0.retain(|_, (old, new)| old != new);
    }

    /// Returns the places where it makes a difference.
    pub(crate) fn places(&self) -> BTreeSet<usize> {
        let differs = self.0.iter().filter(|(_, (old, new))| old != new);
        differs.map(|(place, _)| *place).collect()
    }

    /// Takes the change out of a text that has it.
    pub(crate) fn undo(&self, now: Option<&Body>) -> Option<Body> {
        let text = |place: usize| match self.0.get(&place) {
            Some((old, _)) => old.clone(),
            None => now.and_then(|now| now.at(place)).cloned(),
        };
        let slots = (0..SLOTS).map(text).collect::<Option<Vec<_>>>()?;
        Some(Body {
            slots,
            filler: text(FILLER)?,
        })
    }
}
