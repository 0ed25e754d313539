//! Steps: the proposals that differences become.
//!
//! In: files as they are staged and as a program left them. Out: an operation and a plan for each: changes,
//! moves, files that come and go, links, permission bits.

use std::collections::{BTreeMap, BTreeSet, HashSet};

use super::compare::{Since, staged_mode};
use super::{LINES, Maker};
use crate::disk::workspace::{AccessError, WorkspacePath};
use crate::edit::diff::lines::difference;
use crate::edit::intent::Operation;
use crate::edit::locate::Rung;
use crate::edit::plan::{Evidence, Plan, Presence};
use crate::engine::EngineError;
use crate::engine::committing::held_together::{is_most, telling};
use crate::stage::proposal::cards::Cards;
use crate::stage::proposal::layer::{self, Layer};
use crate::stage::proposal::layer_kind::NewMode;
use crate::stage::proposal::stage::Stage;
use crate::text::{EditSet, Encoding, Fingerprint, Overlap, Source, Splice};

/// Permission bits that let anybody but its owner use a file.
const FOR_OTHERS: u32 = 0o077;

/// A file that differs from what is staged.
#[derive(Clone)]
pub(super) struct Difference {
    pub path: WorkspacePath,
    pub before: Option<Source>,
    pub after: Option<Source>,
    /// Permission bits that are to be set. Those of a file that changes become a difference of their own, see [`steps`].
    pub mode: Option<NewMode>,
    /// Permission bits that the program found, where the file may have got others since.
    pub found_mode: Option<u32>,
    /// Why what it removes would be nowhere, if so.
    pub held: Option<String>,
    pub folders_gone: usize,
    /// How it stands to what changed while the program ran.
    pub since: Since,
}

impl Difference {
    /// Keeps what was staged for a file that this takes the place of: the permission bits, if it is still there and was
    /// given no others, and that it was held.
    pub(super) fn keep_of(&mut self, cards: &Cards<'_>, layers: &[Layer]) {
        let staged = layer::mode(layers).map(|to| NewMode { from: None, to });
        let is_there = self.after.is_some();
        self.mode = self.mode.or(staged.filter(|_| is_there));
        self.held = self.held.take().or_else(|| cards.held(layers));
    }
}

/// Returns whether a text can be told as a change of another one: both are files in one encoding, or both
/// are links. Plain ASCII is in any.
pub(super) fn is_of_one_kind(before: &Source, after: &Source) -> bool {
    let plain = after.encoding() == Encoding::Utf8 && after.bytes().is_ascii();
    after.encoding() == before.encoding() || plain && before.encoding() == Encoding::Windows1252
}

/// Returns whether a difference touches what is staged for its file.
pub(super) fn rewrites(
    stage: &Stage,
    key: &WorkspacePath,
    difference: &Difference,
) -> Result<bool, EngineError> {
    let (Some(stack), Some(before), Some(after)) =
        (stage.stacks.get(key), &difference.before, &difference.after)
    else {
        return Ok(true);
    };
    let Some(base) = &stack.base else {
        return Ok(true);
    };
    if !is_of_one_kind(before, after) {
        return Ok(true);
    }
    // Lines that are not as on disk are staged.
    let staged = difference_of(base, before);
    let own = difference_of(before, after);
    Ok(staged.commute(&own).is_err())
}

fn difference_of(before: &Source, after: &Source) -> EditSet {
    if before.text().is_ok() && after.text().is_ok() {
        difference(before, after)
    } else {
        EditSet::between(before.bytes(), after.bytes())
    }
}

/// Permission bits on disk, and those that no new file of the user's gets.
pub(super) struct DiskModes<M> {
    pub of: M,
    pub umask: u32,
}

/// Returns what is staged, and where a file is moved. A file that goes where another one with the same bytes comes is
/// moved, the one with the same permission bits before others. Permission bits are a step of their own wherever there is
/// a file that keeps its own without it, so that each is seen and decided by itself:
///
/// ```text
/// chmod 666 key.pem; echo >>key.pem     modify key.pem, permissions key.pem
/// mv key.pem k; chmod 644 k             move key.pem -> k, permissions k
/// rm key.pem; (umask 0; echo >key.pem)  modify key.pem, permissions key.pem
/// ```
pub(super) fn steps<M>(
    differences: Vec<Difference>,
    stage: &Stage,
    modes: &DiskModes<M>,
) -> Result<Vec<(Difference, Option<WorkspacePath>)>, AccessError>
where
    M: Fn(&WorkspacePath) -> Result<Option<u32>, AccessError>,
{
    let free = |path: &WorkspacePath| stage.key_of(path).is_none();
    let mut targets: BTreeMap<(Fingerprint, Option<u32>), Vec<WorkspacePath>> = BTreeMap::new();
    for difference in &differences {
        let comes = difference.before.is_none() && difference.since.is_nothing();
        if let (true, Some(after)) = (comes && free(&difference.path), &difference.after) {
            let mode = difference.mode.map(|mode| mode.to);
            let alike = targets.entry((after.fingerprint(), mode)).or_default();
            alike.push(difference.path.clone());
        }
    }
    let private = PrivateTexts::of(&differences, modes)?;
    let (gone, others): (Vec<_>, Vec<_>) = differences
        .into_iter()
        .partition(|difference| difference.after.is_none());
    let mut moves: BTreeMap<WorkspacePath, (WorkspacePath, Option<NewMode>)> = BTreeMap::new();
    for difference in &gone {
        // The user may have given it other bits since: it is moved with these.
        let known = [(modes.of)(&difference.path)?, difference.found_mode];
        let text = moved_text(difference, stage).map(Source::fingerprint);
        let mut alike = text
            .into_iter()
            .flat_map(|text| known.map(|mode| (text, mode)));
        if let Some(to) = alike.find_map(|alike| targets.get_mut(&alike)?.pop()) {
            moves.insert(difference.path.clone(), (to, None));
        }
    }
    for difference in &gone {
        let Some(text) = moved_text(difference, stage) else {
            continue;
        };
        if moves.contains_key(&difference.path) {
            continue;
        }
        let text = text.fingerprint();
        let mut alike = targets.range_mut((text, None)..=(text, Some(u32::MAX)));
        let found = alike.find_map(|((_, mode), paths)| Some((*mode, paths.pop()?)));
        if let Some((mode, to)) = found {
            let from = (modes.of)(&difference.path)?;
            let mode = mode.map(|to| NewMode { from, to });
            moves.insert(difference.path.clone(), (to, mode));
        }
    }
    let moved: BTreeSet<WorkspacePath> = moves.values().map(|(to, _)| to.clone()).collect();
    let mut steps = Vec::new();
    for difference in gone {
        let (to, mode) = moves.remove(&difference.path).unzip();
        let bits = to
            .clone()
            .zip(mode.flatten())
            .zip(difference.before.clone());
        steps.push((difference, to));
        steps.extend(bits.map(|((to, mode), text)| (permissions(to, text, mode), None)));
    }
    let others = others.into_iter();
    for difference in others.filter(|difference| !moved.contains(&difference.path)) {
        let now = (modes.of)(&difference.path)?;
        let now = now.or_else(|| private.mode_of_origin(&difference));
        let is_staged = staged_mode(stage, &difference.path).is_some();
        let apart = apart(difference, (now, is_staged), modes.umask).into_iter();
        steps.extend(apart.map(|own| (own, None)));
    }
    Ok(steps)
}

/// Files that only their owner may use, and the text that each has before a program changed, moved or removed it. A new
/// file with most of such a text is private as well until the user approves another mode for it: of
/// `mv key.pem k; echo >>k; chmod 644 k` the new file is no move.
struct PrivateTexts(Vec<(u32, HashSet<Vec<u8>>)>);

impl PrivateTexts {
    fn of<M>(differences: &[Difference], modes: &DiskModes<M>) -> Result<Self, AccessError>
    where
        M: Fn(&WorkspacePath) -> Result<Option<u32>, AccessError>,
    {
        let mut texts = Vec::new();
        let is_new = |own: &Difference| own.before.is_none() && own.after.is_some();
        if !differences.iter().any(is_new) {
            return Ok(Self(texts));
        }
        for difference in differences {
            let Some(before) = difference.before.as_ref().filter(|text| !text.is_link()) else {
                continue;
            };
            let Some(mode) = (modes.of)(&difference.path)?.filter(|mode| mode & FOR_OTHERS == 0)
            else {
                continue;
            };
            let lines = telling(before.bytes()).map(<[u8]>::to_vec);
            texts.push((mode, lines.collect()));
        }
        Ok(Self(texts))
    }

    /// Returns the permission bits of the private file of whose text a new file has most.
    fn mode_of_origin(&self, new: &Difference) -> Option<u32> {
        let text = new.after.as_ref().filter(|text| !text.is_link())?;
        if new.before.is_some() || self.0.is_empty() {
            return None;
        }
        let lines: HashSet<&[u8]> = telling(text.bytes()).collect();
        let has_most = |own: &HashSet<Vec<u8>>| {
            let found = own.iter().filter(|line| lines.contains(line.as_slice()));
            is_most(found.count(), own.len())
        };
        let origin = self.0.iter().find(|(_, own)| has_most(own));
        origin.map(|(mode, _)| *mode)
    }
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

/// Returns a change of permission bits alone, of a file with this text.
fn permissions(path: WorkspacePath, text: Source, mode: NewMode) -> Difference {
    Difference {
        path,
        before: Some(text.clone()),
        after: Some(text),
        mode: Some(mode),
        found_mode: None,
        held: None,
        folders_gone: 0,
        since: Since::Nothing,
    }
}

/// Returns a difference as changes of one kind each. A file that becomes a link, a link that becomes a file, and one that
/// gets another encoding goes, and comes. Permission bits that a file does not have `now` come last; a new file gets
/// none that `umask` keeps from the user's new files.
///
/// Where bits are staged, those that the program left take their place, also if they are those on disk.
fn apart(
    difference: Difference,
    (now, is_staged): (Option<u32>, bool),
    umask: u32,
) -> Vec<Difference> {
    let Some(after) = difference.after.clone() else {
        return vec![difference];
    };
    if difference.before.as_ref() == Some(&after) {
        return vec![difference];
    }
    let path = difference.path.clone();
    let asked = difference.mode.filter(|_| !after.is_link());
    let is_changed = |before: &Source| is_of_one_kind(before, &after);
    if difference.before.as_ref().is_some_and(is_changed) {
        let bits = asked.filter(|asked| is_staged || now != Some(asked.to));
        let bits = bits.map(|NewMode { to, .. }| {
            let mode = NewMode { from: now, to };
            permissions(path, after, mode)
        });
        let text = Difference {
            mode: None,
            ..difference
        };
        return std::iter::once(text).chain(bits).collect();
    }
    let was_link = difference.before.as_ref().is_some_and(Source::is_link);
    let now = now.filter(|_| !was_link && !after.is_link());
    let bits = now.zip(asked).filter(|(now, asked)| asked.to != *now);
    let bits = bits.map(|(now, NewMode { to, .. })| {
        let mode = NewMode {
            from: Some(now),
            to,
        };
        permissions(path, after, mode)
    });
    let given = now.or_else(|| Some(asked?.to & !umask));
    let comes = Difference {
        before: None,
        mode: given.map(|to| NewMode { from: None, to }),
        ..difference.clone()
    };
    let goes = difference.before.is_some().then_some(Difference {
        after: None,
        mode: None,
        found_mode: None,
        folders_gone: 0,
        ..difference
    });
    goes.into_iter().chain([comes]).chain(bits).collect()
}

/// Returns what is staged for a difference, and how that stands to what changed meanwhile.
pub(super) fn step(
    difference: Difference,
    to: Option<&WorkspacePath>,
    maker: Maker,
) -> (Operation, Plan, Since) {
    let empty = Source::new(Vec::new());
    let before = difference.before.as_ref().unwrap_or(&empty);
    let after = difference.after.as_ref().unwrap_or(&empty);
    let (operation, presence) = match (&difference.before, &difference.after, to) {
        (_, _, Some(_)) => (Operation::Move, Presence::Kept),
        (None, Some(after), None) if after.is_link() => (Operation::Link, Presence::Linked),
        (None, _, None) => (Operation::Create, Presence::Created),
        (_, None, None) => (Operation::Delete, Presence::Deleted),
        (Some(before), Some(after), None) if before == after => {
            (Operation::Permissions, Presence::Kept)
        }
        (_, Some(after), None) if after.is_link() => (Operation::Link, Presence::Kept),
        _ => (Operation::Modify, Presence::Kept),
    };
    let (edits, since) = match (presence, difference.since) {
        (_, since) if to.is_some() => (EditSet::default(), since),
        // As it is in the file, whatever its encoding.
        (Presence::Created | Presence::Linked, since) => {
            let encoded = after.encoded();
            debug_assert!(encoded.is_some(), "a file that was read cannot be encoded");
            match encoded {
                Some(encoded) => (EditSet::between(b"", &encoded), since),
                None => {
                    let why = "the file's encoding does not have all of its characters";
                    (difference_of(&empty, after), Since::clashes(why))
                }
            }
        }
        (_, Since::Merged(merge)) => match merge.all() {
            Ok(all) => (all, Since::Merged(merge)),
            Err(Overlap { .. }) => (
                difference_of(before, after),
                Since::clashes(&maker.meanwhile(LINES)),
            ),
        },
        (Presence::Kept | Presence::Deleted, since) => (difference_of(before, after), since),
    };
    let plan = Plan {
        presence,
        edits,
        evidence: Evidence::new(Rung::Exact, "as the program left it"),
        changes: 1,
    };
    (operation, plan, since)
}

/// Returns whether a change that clashes replaces a text as a whole and not lines of it: the file goes, is a
/// link or no text, or another file was put in its place that has nothing in common with it.
pub(super) fn replaces_whole(before: &Source, plan: &Plan, since: &Since) -> bool {
    let is_all = |splices: &[Splice]| match splices {
        [only] => only.at == 0 && only.end() == before.bytes().len(),
        _ => false,
    };
    match plan.presence {
        Presence::Deleted => true,
        // They need a name that nothing has.
        Presence::Created | Presence::Linked => false,
        Presence::Kept if plan.edits.is_empty() => false,
        Presence::Kept if before.text().is_err() => true,
        Presence::Kept => matches!(since, Since::Clashes { .. }) && is_all(plan.edits.splices()),
    }
}
