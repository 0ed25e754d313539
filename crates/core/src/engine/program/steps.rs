//! Steps: the proposals that differences become, and where files are moved.
//!
//! A file that goes where another one with the same bytes comes is moved, the one with the same permission bits before
//! others. Permission bits are a step of their own wherever there is a file that keeps its own without it, so that each is
//! seen and decided by itself:
//!
//! ```text
//! chmod 666 key.pem; echo >>key.pem     modify key.pem, permissions key.pem
//! mv key.pem k; chmod 644 k             move key.pem -> k, permissions k
//! rm key.pem; (umask 0; echo >key.pem)  modify key.pem, permissions key.pem
//! ln -sf v2 README                      delete README, link README
//! ```

use std::collections::{BTreeMap, BTreeSet, HashSet};

use super::merge::{Difference, Since, is_of_one_kind};
use super::{LINES, Work, staged_mode};
use crate::disk::workspace::WorkspacePath;
use crate::edit::diff::lines::difference;
use crate::edit::intent::Operation;
use crate::edit::locate::Rung;
use crate::edit::plan::{Evidence, Plan, Presence};
use crate::engine::committing::held_together::{is_most, telling};
use crate::stage::proposal::layer_kind::NewMode;
use crate::stage::proposal::stage::Stage;
use crate::text::{EditSet, Fingerprint, Overlap, Source, Splice};

/// Permission bits that let anybody but its owner use a file.
const FOR_OTHERS: u32 = 0o077;

/// A change of one kind, which becomes one proposal.
pub(super) struct ProgramStep {
    pub(super) change: Difference,
    /// Where the file is moved.
    pub(super) to: Option<WorkspacePath>,
}

/// Permission bits of files on disk, and those that no new file of the user's gets.
pub(super) struct DiskModes {
    pub(super) of: BTreeMap<WorkspacePath, u32>,
    pub(super) umask: u32,
}

impl DiskModes {
    fn of(&self, path: &WorkspacePath) -> Option<u32> {
        self.of.get(path).copied()
    }
}

/// Returns what is staged, in order: files that go or are moved, then the others.
pub(super) fn steps(
    differences: Vec<Difference>,
    stage: &Stage,
    disk: &DiskModes,
) -> Vec<ProgramStep> {
    let private = PrivateTexts::of(&differences, disk);
    let mut moves = moves(&differences, stage, disk);
    let moved: BTreeSet<WorkspacePath> = moves.values().map(|(to, _)| to.clone()).collect();
    let (gone, others): (Vec<_>, Vec<_>) = differences
        .into_iter()
        .partition(|difference| difference.after.is_none());
    let mut steps = Vec::new();
    for change in gone {
        let (to, mode) = moves.remove(&change.path).unzip();
        let bits = to.clone().zip(change.before.clone()).zip(mode.flatten());
        steps.push(ProgramStep { change, to });
        let bits = bits.map(|((to, text), mode)| Difference::of_bits(to, text, mode));
        steps.extend(bits.map(alone));
    }
    for change in others {
        if moved.contains(&change.path) {
            continue;
        }
        let now = disk
            .of(&change.path)
            .or_else(|| private.mode_of_origin(&change));
        let is_staged = staged_mode(stage, &change.path).is_some();
        let parts = apart(change, now, is_staged, disk.umask).into_iter();
        steps.extend(parts.map(alone));
    }
    steps
}

fn alone(change: Difference) -> ProgramStep {
    ProgramStep { change, to: None }
}

/// Returns where files go that other ones with the same bytes come for, and the permission bits that they get there if
/// those are others.
fn moves(
    differences: &[Difference],
    stage: &Stage,
    disk: &DiskModes,
) -> BTreeMap<WorkspacePath, (WorkspacePath, Option<NewMode>)> {
    let mut coming: BTreeMap<(Fingerprint, Option<u32>), Vec<&WorkspacePath>> = BTreeMap::new();
    for difference in differences {
        let comes = difference.before.is_none() && difference.since.is_nothing();
        if let Some(after) = difference.after.as_ref().filter(|_| comes)
            && stage.key_of(&difference.path).is_none()
        {
            let alike = (after.fingerprint(), difference.mode.map(|mode| mode.to));
            coming.entry(alike).or_default().push(&difference.path);
        }
    }
    let gone = differences.iter().filter_map(|difference| {
        let text = moved_text(difference, stage).filter(|_| difference.after.is_none())?;
        Some((difference, text.fingerprint()))
    });
    let gone: Vec<(&Difference, Fingerprint)> = gone.collect();
    let mut moves = BTreeMap::new();
    for (own, text) in &gone {
        // The user may have given it other bits since: it is moved with these.
        let known = [disk.of(&own.path), own.found_mode];
        let target = known
            .iter()
            .find_map(|mode| coming.get_mut(&(*text, *mode))?.pop());
        if let Some(to) = target {
            moves.insert(own.path.clone(), (to.clone(), None));
        }
    }
    for (own, text) in gone {
        if moves.contains_key(&own.path) {
            continue;
        }
        let mut alike = coming.range_mut((text, None)..=(text, Some(u32::MAX)));
        if let Some((mode, to)) = alike.find_map(|((_, mode), paths)| Some((*mode, paths.pop()?))) {
            let from = disk.of(&own.path);
            let mode = mode.map(|to| NewMode { from, to });
            moves.insert(own.path.clone(), (to.clone(), mode));
        }
    }
    moves
}

/// Returns the text that may be at another path now: that of a file that goes and has nothing staged.
fn moved_text<'d>(gone: &'d Difference, stage: &Stage) -> Option<&'d Source> {
    // A file that the user changed meanwhile goes with the change.
    let text = match &gone.since {
        Since::Clashes { found, .. } => found.as_ref(),
        Since::Nothing | Since::Merged(_) => gone.before.as_ref(),
    };
    let is_link = gone.before.as_ref().map(Source::is_link);
    text.filter(|text| {
        is_link == Some(text.is_link())
            && !text.bytes().is_empty()
            && stage.key_of(&gone.path).is_none()
    })
}

/// Files that only their owner may use, and the text that each has before a program changed, moved or removed it. A new
/// file with most of such a text is private as well until the user approves another mode for it: of
/// `mv key.pem k; echo >>k; chmod 644 k` the new file is no move.
struct PrivateTexts(Vec<(u32, HashSet<Vec<u8>>)>);

impl PrivateTexts {
    fn of(differences: &[Difference], disk: &DiskModes) -> Self {
        if !differences
            .iter()
            .any(|difference| difference.before.is_none() && difference.after.is_some())
        {
            return Self(Vec::new());
        }
        let private = differences.iter().filter_map(|difference| {
            let before = difference.before.as_ref().filter(|text| !text.is_link())?;
            let mode = disk
                .of(&difference.path)
                .filter(|mode| mode & FOR_OTHERS == 0)?;
            let lines = telling(before.bytes()).map(<[u8]>::to_vec);
            Some((mode, lines.collect()))
        });
        Self(private.collect())
    }

    /// Returns the permission bits of the private file of whose text a new file has most.
    fn mode_of_origin(&self, new: &Difference) -> Option<u32> {
        let text = new.after.as_ref().filter(|text| !text.is_link())?;
        if new.before.is_some() || self.0.is_empty() {
            return None;
        }
        let lines: HashSet<&[u8]> = telling(text.bytes()).collect();
        let origin = self.0.iter().find(|(_, own)| has_most(&lines, own));
        origin.map(|(mode, _)| *mode)
    }
}

fn has_most(lines: &HashSet<&[u8]>, own: &HashSet<Vec<u8>>) -> bool {
    let found = own.iter().filter(|line| lines.contains(line.as_slice()));
    is_most(found.count(), own.len())
}

/// Returns a difference as changes of one kind each. A file that becomes a link, a link that becomes a file, and one that
/// gets another encoding goes, and comes. Permission bits that a file does not have `now` come last; a new file gets
/// none that `umask` keeps from the user's new files.
///
/// Where bits are staged, those that the program left take their place, also if they are those on disk.
fn apart(change: Difference, now: Option<u32>, is_staged: bool, umask: u32) -> Vec<Difference> {
    let Some(after) = change.after.clone().filter(|_| !change.is_of_bits()) else {
        return vec![change];
    };
    let path = change.path.clone();
    let bits = |from, to| Difference::of_bits(path, after.clone(), NewMode { from, to });
    let asked = change.mode.filter(|_| !after.is_link()).map(|mode| mode.to);
    if let Some(before) = &change.before
        && is_of_one_kind(before, &after)
    {
        let new = asked.filter(|to| is_staged || now != Some(*to));
        let text = Difference {
            mode: None,
            ..change
        };
        return std::iter::once(text)
            .chain(new.map(|to| bits(now, to)))
            .collect();
    }
    let was_link = change.before.as_ref().is_some_and(Source::is_link);
    let now = now.filter(|_| !was_link && !after.is_link());
    let goes = change.before.is_some().then(|| Difference {
        after: None,
        mode: None,
        found_mode: None,
        folders_gone: 0,
        ..change.clone()
    });
    let given = now.or(asked.map(|to| to & !umask));
    let comes = Difference {
        before: None,
        mode: given.map(|to| NewMode { from: None, to }),
        ..change
    };
    let new = asked.filter(|to| now.is_some_and(|now| now != *to));
    let steps = goes.into_iter().chain([comes]);
    steps.chain(new.map(|to| bits(now, to))).collect()
}

/// Returns what is staged for a step, and how that stands to what changed meanwhile.
pub(super) fn plan(step: ProgramStep, work: &Work) -> (Operation, Plan, Since) {
    let ProgramStep { change, to } = step;
    let empty = Source::new(Vec::new());
    let before = change.before.as_ref().unwrap_or(&empty);
    let after = change.after.as_ref().unwrap_or(&empty);
    let (operation, presence) = match (&change.before, &change.after, to) {
        (_, _, Some(_)) => (Operation::Move, Presence::Kept),
        (None, Some(after), None) if after.is_link() => (Operation::Link, Presence::Linked),
        (None, _, None) => (Operation::Create, Presence::Created),
        (_, None, None) => (Operation::Delete, Presence::Deleted),
        _ if change.is_of_bits() => (Operation::Permissions, Presence::Kept),
        (_, Some(after), None) if after.is_link() => (Operation::Link, Presence::Kept),
        _ => (Operation::Modify, Presence::Kept),
    };
    let (edits, since) = match (operation, presence, change.since) {
        (Operation::Move, _, since) => (EditSet::default(), since),
        // As it is in the file, whatever its encoding.
        (_, Presence::Created | Presence::Linked, since) => match after.encoded() {
            Some(encoded) => (EditSet::between(b"", &encoded), since),
            None => {
                debug_assert!(false, "a file that was read cannot be encoded");
                let why = "the file's encoding does not have all of its characters";
                (edits(&empty, after), Since::clashes(why))
            }
        },
        (_, _, Since::Merged(merge)) => match merge.all() {
            Ok(all) => (all, Since::Merged(merge)),
            Err(Overlap { .. }) => {
                let why = work.meanwhile(LINES);
                (edits(before, after), Since::clashes(&why))
            }
        },
        (_, _, since) => (edits(before, after), since),
    };
    let plan = Plan {
        presence,
        edits,
        evidence: Evidence::new(Rung::Exact, "as the program left it"),
        changes: 1,
    };
    (operation, plan, since)
}

/// Returns what leads from a text to another one: by lines, or by bytes where either is no text.
pub(super) fn edits(before: &Source, after: &Source) -> EditSet {
    if before.text().is_ok() && after.text().is_ok() {
        difference(before, after)
    } else {
        EditSet::between(before.bytes(), after.bytes())
    }
}

/// Returns whether a change that clashes replaces a text as a whole and not lines of it: the file goes, is a
/// link or no text, or another file was put in its place that has nothing in common with it.
pub(super) fn replaces_whole(before: &Source, plan: &Plan, since: &Since) -> bool {
    match plan.presence {
        Presence::Deleted => true,
        // They need a name that nothing has.
        Presence::Created | Presence::Linked => false,
        Presence::Kept if plan.edits.is_empty() => false,
        Presence::Kept if before.text().is_err() => true,
        Presence::Kept => {
            matches!(since, Since::Clashes { .. }) && is_all(before, plan.edits.splices())
        }
    }
}

fn is_all(before: &Source, splices: &[Splice]) -> bool {
    match splices {
        [only] => only.at == 0 && only.end() == before.bytes().len(),
        _ => false,
    }
}
