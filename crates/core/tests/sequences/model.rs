//! What the engine should come to.
//!
//! In: the same steps. Out: files, staged work and history, by rules that know nothing of bytes:
//! two changes depend on each other if they touch the same line, if both move the file, or if
//! one of them makes or deletes it.

use std::collections::{BTreeMap, BTreeSet};

use signoff_core::id::{ChangesetId, HunkId};

use crate::body::{Body, Change, Name};
use crate::past::{Entry, Kind, Past, Reversal};

/// What one hunk does.
#[derive(Clone, Debug)]
pub(crate) enum Op {
    Lines(BTreeMap<usize, String>),
    Create(Body),
    Delete,
    Move(Name),
}

/// A staged hunk; hunks with one tag become one entry of history.
#[derive(Clone, Debug)]
pub(crate) struct Hunk {
    pub(crate) id: HunkId,
    pub(crate) set: ChangesetId,
    pub(crate) op: Op,
    tag: u64,
}

/// The hunks over one file, lowest first.
#[derive(Clone, Debug, Default)]
pub(crate) struct Stack {
    pub(crate) base: Option<Body>,
    pub(crate) hunks: Vec<Hunk>,
}

/// A verdict.
#[derive(Clone, Debug)]
pub(crate) enum Fate {
    Approve,
    Edit(Op),
    Deny,
}

/// What becomes of verdicts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Outcome {
    Done,
    Refused,
    Moved,
}

/// Everything.
#[derive(Clone, Debug, Default)]
pub(crate) struct Model {
    pub(crate) disk: BTreeMap<Name, Body>,
    pub(crate) stacks: BTreeMap<Name, Stack>,
    pub(crate) conflicts: BTreeSet<HunkId>,
    /// What was staged over files before they changed.
    formers: BTreeMap<Name, Stack>,
    pub(crate) past: Past,
    tags: u64,
    time: u64,
}

fn depends(below: &Op, above: &Op) -> bool {
    let whole = |op: &Op| matches!(op, Op::Create(_) | Op::Delete);
    match (below, above) {
        (below, above) if whole(below) || whole(above) => true,
        (Op::Move(_), Op::Move(_)) => true,
        (Op::Lines(below), Op::Lines(above)) => below.keys().any(|line| above.contains_key(line)),
        _ => false,
    }
}

impl Stack {
    pub(crate) fn name(&self, key: Name) -> Name {
        let moves = self.hunks.iter().rev().find_map(|hunk| match hunk.op {
            Op::Move(to) => Some(to),
            _ => None,
        });
        moves.unwrap_or(key)
    }

    fn names(&self, key: Name) -> Vec<Name> {
        let moves = self.hunks.iter().filter_map(|hunk| match hunk.op {
            Op::Move(to) => Some(to),
            _ => None,
        });
        [key].into_iter().chain(moves).collect()
    }

    fn ids(&self) -> BTreeSet<HunkId> {
        self.hunks.iter().map(|hunk| hunk.id).collect()
    }

    pub(crate) fn text(&self) -> Option<Body> {
        let hunks = self.hunks.iter();
        hunks.fold(self.base.clone(), |text, hunk| applied(text, &hunk.op))
    }

    /// Takes a hunk out with all that builds on it; returns the latter.
    fn take_out(&mut self, at: usize) -> Vec<HunkId> {
        let mut taken = vec![self.hunks.remove(at).op];
        let mut orphans = Vec::new();
        let above = self.hunks.split_off(at);
        for hunk in above {
            if taken.iter().any(|below| depends(below, &hunk.op)) {
                orphans.push(hunk.id);
                taken.push(hunk.op);
            } else {
                self.hunks.push(hunk)
            }
        }
        orphans
    }

    fn take_out_while(&mut self, lost: impl Fn(&Op) -> bool) -> Vec<HunkId> {
        let mut gone = Vec::new();
        while let Some(at) = self.hunks.iter().position(|hunk| lost(&hunk.op)) {
            gone.push(self.hunks[at].id);
            gone.extend(self.take_out(at));
        }
        gone
    }

    /// Moves the hunks onto another text; returns those that are lost.
    fn rebase(&mut self, now: Option<Body>) -> Vec<HunkId> {
        let saved = Change::between(self.base.as_ref(), now.as_ref()).places();
        let stays = self.base.is_some() == now.is_some();
        self.base = now;
        if saved.is_empty() && stays {
            return Vec::new();
        }
        self.take_out_while(|op| match op {
            Op::Lines(lines) => !stays || lines.keys().any(|line| saved.contains(line)),
            Op::Move(_) => !stays,
            Op::Create(_) | Op::Delete => true,
        })
    }
}

fn applied(text: Option<Body>, op: &Op) -> Option<Body> {
    match op {
        Op::Create(body) => Some(body.clone()),
        Op::Delete => None,
        Op::Move(_) => text,
        Op::Lines(lines) => text.map(|mut body| {
            for (line, new) in lines {
                body.slots[*line].clone_from(new);
            }
            body
        }),
    }
}

impl Model {
    /// Returns the path on disk of the file whose stack has this path anywhere.
    pub(crate) fn key_of(&self, name: Name) -> Option<Name> {
        let own = self.stacks.keys().find(|key| **key == name).copied();
        let mut passing = self.stacks.iter();
        own.or_else(|| {
            let found = passing.find(|(key, stack)| stack.names(key).contains(&name));
            found.map(|(key, _)| *key)
        })
    }

    pub(crate) fn overlay(&self, name: Name) -> Option<Body> {
        let Some(key) = self.key_of(name) else {
            return self.disk.get(name).cloned();
        };
        let stack = &self.stacks[key];
        if stack.name(key) == name {
            stack.text()
        } else {
            None
        }
    }

    /// Returns whether a staged move has led the file away from this path.
    pub(crate) fn is_vacated(&self, name: Name) -> bool {
        let key = self.key_of(name);
        key.is_some_and(|key| self.stacks[key].name(key) != name)
    }

    pub(crate) fn stage(&mut self, name: Name, set: ChangesetId, hunks: Vec<(HunkId, Op)>) {
        let key = self.key_of(name).unwrap_or(name);
        let base = self.disk.get(key).cloned();
        let fresh = Stack {
            base,
            hunks: Vec::new(),
        };
        let stack = self.stacks.entry(key).or_insert(fresh);
        self.tags += 1;
        let tag = self.tags;
        let hunks = hunks.into_iter();
        stack
            .hunks
            .extend(hunks.map(|(id, op)| Hunk { id, set, op, tag }));
    }

    pub(crate) fn pending(&self) -> BTreeSet<HunkId> {
        let hunks = self.stacks.values().flat_map(|stack| &stack.hunks);
        hunks.map(|hunk| hunk.id).collect()
    }

    pub(crate) fn hunk(&self, id: HunkId) -> Option<(Name, &Hunk)> {
        self.stacks.iter().find_map(|(key, stack)| {
            let own = stack.hunks.iter().find(|hunk| hunk.id == id);
            own.map(|hunk| (*key, hunk))
        })
    }

    /// Puts a file there, or takes it away, as the user does.
    pub(crate) fn save(&mut self, name: Name, body: Option<Body>) {
        match body {
            Some(body) => drop(self.disk.insert(name, body)),
            None => drop(self.disk.remove(name)),
        }
    }

    /// Moves what is staged onto the files as they are; returns the files where that did
    /// anything.
    pub(crate) fn settle(&mut self) -> BTreeSet<Name> {
        let mut touched = BTreeSet::new();
        let keys: BTreeSet<Name> = (self.stacks.keys().chain(self.formers.keys()))
            .copied()
            .collect();
        for key in &keys {
            if self.carry(key, self.disk.get(key).cloned()) {
                touched.insert(*key);
            }
        }
        for (key, stack) in &mut self.stacks {
            let names = stack.names(key);
            if names
                .iter()
                .skip(1)
                .any(|name| self.disk.contains_key(name))
            {
                let lost = stack.take_out_while(|op| matches!(op, Op::Move(_)));
                self.conflicts.extend(lost);
                touched.insert(*key);
            }
        }
        self.stacks.retain(|_, stack| !stack.hunks.is_empty());
        let mut formers = std::mem::take(&mut self.formers);
        formers.retain(|key, former| {
            let stack = self.stacks.get(key);
            self.counts(former, &stack.map(Stack::ids).unwrap_or_default())
        });
        self.formers = formers;
        touched
    }

    /// Returns whether nothing but a change on disk was done to what was staged over a file, of which these hunks still wait.
    fn counts(&self, former: &Stack, there: &BTreeSet<HunkId>) -> bool {
        let own = former.ids();
        let counts = |id: &HunkId| there.contains(id) != self.conflicts.contains(id);
        there.is_subset(&own) && own.iter().all(counts)
    }

    /// Moves what is staged over a file onto another text: what was staged before it changed, if that is more. Returns whether
    /// that did anything.
    fn carry(&mut self, key: Name, now: Option<Body>) -> bool {
        let stack = match self.stacks.get(key) {
            Some(stack) if stack.base == now => return false,
            Some(stack) => stack.clone(),
            None => Stack {
                base: now.clone(),
                hunks: Vec::new(),
            },
        };
        let mut moved = stack.clone();
        let lost = moved.rebase(now.clone());
        let former = self.formers.remove(key);
        let former = former.filter(|former| self.counts(former, &stack.ids()));
        let carried = former.clone().map(|mut former| {
            former.rebase(now.clone());
            former
        });
        let more = carried.filter(|own| {
            let (own, waiting) = (own.ids(), moved.ids());
            own.is_superset(&waiting) && own != waiting
        });
        let then = former.clone().filter(|former| former.base == now);
        match (then, more) {
            (Some(then), _) => {
                let ids = then.ids();
                self.conflicts.retain(|id| !ids.contains(id));
                self.stacks.insert(key, then);
            }
            (None, Some(more)) => {
                let ids = more.ids();
                self.conflicts.retain(|id| !ids.contains(id));
                self.stacks.insert(key, more);
                self.formers.extend(former.map(|former| (key, former)));
            }
            (None, None) => {
                let kept = former.or_else(|| (!stack.hunks.is_empty()).then(|| stack.clone()));
                self.formers.extend(kept.map(|former| (key, former)));
                if !self.stacks.contains_key(key) {
                    return false;
                }
                self.conflicts.extend(lost);
                self.stacks.insert(key, moved);
            }
        }
        true
    }

    /// Carries verdicts out, or leaves everything as it is.
    pub(crate) fn decide(&mut self, verdicts: &[(HunkId, Fate)]) -> Outcome {
        let mut next = self.clone();
        next.time += 1;
        let outcome = next.decide_all(verdicts);
        if outcome == Outcome::Done {
            *self = next;
        }
        outcome
    }

    fn decide_all(&mut self, verdicts: &[(HunkId, Fate)]) -> Outcome {
        let approves = |fate: &Fate| !matches!(fate, Fate::Deny);
        let dead = |(id, fate): &(HunkId, Fate)| approves(fate) && self.conflicts.contains(id);
        if verdicts.iter().any(dead) {
            return Outcome::Refused;
        }
        for (id, fate) in verdicts {
            let Fate::Edit(op) = fate else { continue };
            if !self.edit(*id, op) {
                return Outcome::Refused;
            }
        }
        let chosen = |wanted: bool| -> BTreeSet<HunkId> {
            let fits = verdicts.iter().filter(|(_, fate)| approves(fate) == wanted);
            fits.map(|(id, _)| *id).collect()
        };
        let (approved, denied) = (chosen(true), chosen(false));
        let mut commits: Vec<(Name, Vec<Hunk>)> = Vec::new();
        let keys: Vec<Name> = self.stacks.keys().copied().collect();
        for key in keys {
            let Some(stack) = self.stacks.get_mut(key) else {
                continue;
            };
            while let Some(at) = stack.hunks.iter().position(|h| denied.contains(&h.id)) {
                self.conflicts.extend(stack.take_out(at));
            }
            let (go, wait): (Vec<Hunk>, Vec<Hunk>) = stack
                .hunks
                .iter()
                .cloned()
                .partition(|hunk| approved.contains(&hunk.id));
            let order = |id: HunkId| stack.hunks.iter().position(|hunk| hunk.id == id);
            let blocks = |hunk: &Hunk, below: &Hunk| {
                order(below.id) < order(hunk.id) && depends(&below.op, &hunk.op)
            };
            if go
                .iter()
                .any(|hunk| wait.iter().any(|below| blocks(hunk, below)))
            {
                return Outcome::Refused;
            }
            stack.hunks = wait;
            if !go.is_empty() {
                commits.push((key, go));
            }
        }
        let lands = |(key, hunks): &(Name, Vec<Hunk>)| {
            let way = Stack {
                base: None,
                hunks: hunks.clone(),
            };
            Some(way.name(key)).filter(|name| name != key)
        };
        let mut targets = commits.iter().filter_map(lands);
        if targets.any(|to| self.disk.contains_key(to)) {
            return Outcome::Moved;
        }
        for (key, hunks) in commits {
            self.commit(key, hunks);
        }
        for id in denied {
            self.conflicts.remove(&id);
        }
        self.stacks.retain(|_, stack| !stack.hunks.is_empty());
        Outcome::Done
    }

    /// Puts the user's text in the place of a hunk's; false if it has none.
    fn edit(&mut self, id: HunkId, op: &Op) -> bool {
        let Some((key, hunk)) = self.hunk(id) else {
            return false;
        };
        if matches!(hunk.op, Op::Move(_) | Op::Delete) {
            return false;
        }
        let tag = hunk.tag;
        self.tags += 1;
        let Some(stack) = self.stacks.get_mut(key) else {
            return false;
        };
        let own = |hunk: &Hunk| hunk.tag == tag;
        let first = stack.hunks.iter().position(own).unwrap_or(0);
        let last = stack.hunks.iter().rposition(own).unwrap_or(0);
        // It comes after those beside it in its own proposal, as an entry of its own.
        let mut above = stack.hunks.split_off(last + 1);
        let mut beside = stack.hunks.split_off(first);
        let at = beside.iter().position(|hunk| hunk.id == id).unwrap_or(0);
        let mut edited = beside.remove(at);
        stack.hunks.append(&mut beside);
        let before = stack.text();
        let model = applied(before.clone(), &edited.op);
        edited.op = op.clone();
        edited.tag = self.tags;
        let after = applied(before, &edited.op);
        stack.hunks.push(edited);
        let mut rest = Stack {
            base: model,
            hunks: std::mem::take(&mut above),
        };
        self.conflicts.extend(rest.rebase(after));
        stack.hunks.append(&mut rest.hunks);
        true
    }

    fn commit(&mut self, key: Name, hunks: Vec<Hunk>) {
        let before = self.disk.remove(key);
        let way = Stack {
            base: before.clone(),
            hunks,
        };
        let (name, after) = (way.name(key), way.text());
        let written = self.past.written(key);
        let mut drift = written.map_or_else(Change::default, |written| {
            Change::between(written, before.as_ref())
        });
        if name != key {
            self.past.follow(key, name);
        }
        let (mut below, mut at, mut tag) = (before, key, None);
        let mut entries: Vec<Entry> = Vec::new();
        for hunk in &way.hunks {
            let text = applied(below.clone(), &hunk.op);
            let moved = match hunk.op {
                Op::Move(to) => Some((std::mem::replace(&mut at, to), to)),
                _ => None,
            };
            match entries.last_mut().filter(|_| tag == Some(hunk.tag)) {
                Some(same) => same.after.clone_from(&text),
                None => entries.push(Entry {
                    version: self.past.next(name) + entries.len() as u64,
                    time: self.time,
                    kind: Kind::Applied(hunk.set),
                    before: below,
                    after: text.clone(),
                    moved,
                    drift: std::mem::take(&mut drift),
                }),
            }
            (below, tag) = (text, Some(hunk.tag));
        }
        for entry in entries {
            self.past.push(name, entry);
        }
        self.save(name, after.clone());
        if let Some(mut rest) = self.stacks.remove(key) {
            rest.base = after;
            self.stacks.insert(name, rest);
        }
    }

    /// Takes versions back in files, in all or in none.
    pub(crate) fn revert(&mut self, wanted: &[(Name, Vec<u64>)]) -> Reversal {
        let mut ready = Vec::new();
        for (name, versions) in wanted {
            let now = self.disk.get(name);
            match self.past.reversal(name, versions, now) {
                Reversal::Conflict => return Reversal::Conflict,
                Reversal::Nothing => {}
                Reversal::Done { to: Some(to), .. } if self.disk.contains_key(to) => {
                    return Reversal::Conflict;
                }
                Reversal::Done {
                    after,
                    to,
                    versions,
                } => ready.push((*name, after, to, versions)),
            }
        }
        self.time += 1;
        let mut last = Reversal::Nothing;
        for (name, after, to, versions) in ready {
            let to = to.filter(|_| after.is_some());
            self.write_back(name, after.clone(), to, versions.clone());
            last = Reversal::Done {
                after,
                to,
                versions,
            };
        }
        last
    }

    fn write_back(
        &mut self,
        name: Name,
        after: Option<Body>,
        to: Option<Name>,
        versions: Vec<u64>,
    ) {
        let before = self.disk.remove(name);
        let written = self.past.written(name).flatten();
        let drift = Change::between(written, before.as_ref());
        let at = to.unwrap_or(name);
        if let Some(to) = to {
            self.past.follow(name, to);
            // What waits for a file of that name meets one.
            if self.stacks.contains_key(to) {
                self.carry(to, None);
                self.carry(to, after.clone());
                self.stacks.remove(to);
            }
            if let Some(stack) = self.stacks.remove(name) {
                self.stacks.insert(to, stack);
            }
        }
        let entry = Entry {
            version: self.past.next(at),
            time: self.time,
            kind: Kind::Revert(versions),
            before,
            after: after.clone(),
            moved: to.map(|to| (name, to)),
            drift,
        };
        self.past.push(at, entry);
        self.save(at, after);
    }
}
