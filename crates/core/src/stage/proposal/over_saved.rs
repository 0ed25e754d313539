//! Staged hunks over lines that the user saved meanwhile: what a hunk in conflict would make of the file as it is.
//!
//! In: the file below the layers before and after the save, the hunk, and the layers that still stand. Out: the hunk as a
//! three-way merge that decides for it, as a change of the file as it is, or why it has no certain place.
//!
//! Example: of `a b c` (one letter a line) the hunk makes `a B c`, and the user saves `new a mine c`. The change is
//! `mine` -> `B` then: the user's line gives way, and the line that they added elsewhere stays.

use super::aside::Aside;
use super::layer::Layer;
use super::layer_kind::LayerKind;
use super::stack::PathStack;
use crate::edit::diff::hunk::{self, Rendered};
use crate::edit::diff::lines::difference;
use crate::edit::diff::merge::merge;
use crate::edit::plan::Presence;
use crate::id::HunkId;
use crate::text::{EditSet, Source};

/// What a lost hunk makes of the file as it is.
pub(super) struct OverSaved {
    /// What takes the place of what is there.
    pub(super) aside: Aside,
    /// The same as it is shown.
    pub(super) shown: Rendered,
}

/// Why a lost hunk has no certain place in the file as it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum NoPlace {
    /// There is no file, or one of another kind: what the conflict says already.
    OtherFile,
    /// It builds on other staged work, which does not stand any more either.
    BuildsOnOthers,
    /// Other staged work changes the same lines.
    OthersThere,
    /// The file has what the hunk puts there: nothing is left of it.
    AlreadyThere,
    /// The same, but not its permission bits.
    WithoutBits,
    /// The file's lines end otherwise than they did.
    OtherEndings,
    /// It is not shown with its lines.
    TooLarge,
    /// So many hunks were lost at once that to look for all would take long.
    TooMany,
}

/// Maximum size of the file times the number of hunks that are lost at once, in bytes; a three-way merge of 64 MiB takes
/// about a second.
const MOST_MERGED: usize = 64 * 1024 * 1024;

impl NoPlace {
    /// Returns why a hunk in conflict can only be denied, in words.
    pub(super) fn words(self) -> Option<&'static str> {
        match self {
            Self::OtherFile | Self::AlreadyThere => None,
            Self::BuildsOnOthers => {
                Some("it builds on other staged changes, so that it can only be denied")
            }
            Self::OthersThere => {
                Some("other staged changes are at the same lines, so that it can only be denied")
            }
            Self::WithoutBits => Some(
                "the file has these lines already, but not these permissions, so that it can only be denied",
            ),
            Self::OtherEndings => {
                Some("the file has other line endings now, so that it can only be denied")
            }
            Self::TooLarge => {
                Some("it is too large to be shown over your lines, so that it can only be denied")
            }
            Self::TooMany => {
                Some("too many changes of this file are in conflict, so that it can only be denied")
            }
        }
    }
}

/// Returns what a hunk of the stack `before`, one of `lost` of them, makes of the file as it is below the stack `moved`.
pub(super) fn over_saved(
    (before, moved): (&PathStack, &PathStack),
    hunk: HunkId,
    lost: usize,
) -> Result<OverSaved, NoPlace> {
    let now = moved.base.as_ref().ok_or(NoPlace::OtherFile)?;
    if now.bytes().len().saturating_mul(lost) > MOST_MERGED {
        return Err(NoPlace::TooMany);
    }
    let own = at_bottom(before, hunk).ok_or(NoPlace::BuildsOnOthers)?;
    let (kind, edits, is_whole) = match own.kind() {
        LayerKind::Edit { .. } if !own.edits().is_empty() => {
            let edits = merged(before.base.as_ref(), now, &own)?;
            (LayerKind::Edit { mode: None }, edits, false)
        }
        LayerKind::Create { .. } if !now.is_link() => {
            let made = own.apply(None).ok().flatten().ok_or(NoPlace::OtherFile)?;
            let edits = difference(now, &made);
            (LayerKind::Edit { mode: None }, edits, true)
        }
        LayerKind::Delete { .. } if !now.is_link() => {
            (own.kind().clone(), EditSet::between(now.bytes(), b""), true)
        }
        LayerKind::Edit { .. }
        | LayerKind::Create { .. }
        | LayerKind::Link
        | LayerKind::Retarget
        | LayerKind::Delete { .. }
        | LayerKind::Move { .. }
        | LayerKind::Permissions(_) => return Err(NoPlace::OtherFile),
    };
    if edits.is_empty() && kind.presence() == Presence::Kept {
        return Err(match own.kind().mode() {
            Some(_) => NoPlace::WithoutBits,
            None => NoPlace::AlreadyThere,
        });
    }
    if is_whole && !moved.layers.is_empty() {
        return Err(NoPlace::OthersThere);
    }
    let edits = over_layers(edits, &moved.layers).ok_or(NoPlace::OthersThere)?;
    let text = moved.text().ok().flatten().ok_or(NoPlace::OthersThere)?;
    let numbers = vec![hunk.number; edits.splices().len()];
    let shown = hunk::render(&text, &edits, &numbers).into_iter().next();
    let shown = shown
        .filter(|shown| !shown.sizes_only)
        .ok_or(NoPlace::TooLarge)?;
    let whole = is_whole.then_some(&text);
    let aside = Aside::over(&kind, edits, &text, whole);
    Ok(OverSaved { aside, shown })
}

/// Returns a hunk as a layer of its own directly over the file; none if it builds on what is below it.
fn at_bottom(before: &PathStack, hunk: HunkId) -> Option<Layer> {
    let (below, own, _) = before.around(hunk)?;
    below.iter().rev().try_fold(own, |own, below| {
        below.commute(&own).ok().map(|(sunk, _)| sunk)
    })
}

/// Returns a change of the saved file that decides for the hunk where both changed the same lines.
fn merged(base: Option<&Source>, now: &Source, own: &Layer) -> Result<EditSet, NoPlace> {
    let base = base
        .filter(|base| base.is_alike(now))
        .ok_or(NoPlace::OtherFile)?;
    if base.ending() != now.ending() {
        return Err(NoPlace::OtherEndings);
    }
    let wanted = own.apply(Some(base)).ok().flatten();
    let wanted = wanted.ok_or(NoPlace::BuildsOnOthers)?;
    let all = merge(base, now, &wanted).all();
    all.map_err(|_overlap| NoPlace::OthersThere)
}

/// Returns a change of the file as it is on top of the layers over it; none if they touch.
fn over_layers(edits: EditSet, layers: &[Layer]) -> Option<EditSet> {
    layers
        .iter()
        .try_fold(edits, |edits, layer| edits.over(layer.edits()).ok())
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use uuid::Uuid;

    use super::*;
    use crate::edit::diff::line::{DiffLine, LineKind};
    use crate::id::ProposalId;

    /// Few different lines, so that places look alike.
    fn text() -> impl Strategy<Value = String> {
        let line = prop::sample::select(vec!["a\n", "b\n", "c\n", "}\n", "\n"]);
        prop::collection::vec(line, 0..9).prop_map(|lines| lines.concat())
    }

    /// Returns a text with a hunk in it, read off what is shown of the hunk.
    fn with_shown(text: &str, shown: &Rendered) -> Option<String> {
        let lines: Vec<&str> = text.split_inclusive('\n').collect();
        let side = |wanted: LineKind| -> Vec<&DiffLine> {
            let own = shown.lines.iter();
            own.filter(|line| line.kind == LineKind::Context || line.kind == wanted)
                .collect()
        };
        let (before, after) = (side(LineKind::Removed), side(LineKind::Added));
        let first = before.first().and_then(|line| line.old);
        let start = first.map_or(0, |line| line as usize - 1);
        let written =
            |line: &&DiffLine| format!("{}{}", line.text, ["", "\n"][usize::from(line.newline)]);
        let old: String = before.iter().map(written).collect();
        let new: String = after.iter().map(written).collect();
        let (above, rest) = lines.split_at_checked(start)?;
        let rest = rest.concat().strip_prefix(&old)?.to_owned();
        Some(above.concat() + &new + &rest)
    }

    proptest! {
        #[test]
        fn what_is_written_is_what_is_shown(
            (base, wanted, saved) in (text(), text(), text()), other in 0_usize..9
        ) {
            let source = |text: &str| Source::new(text.as_bytes().to_vec());
            let id = |number: u128| ProposalId(Uuid::from_u128(number));
            let layer = |number: u128, below: &Source, after: &str| {
                let edits = hunk::by_line(below, &difference(below, &source(after)));
                let numbers = hunk::group(below, &edits);
                Layer::new(id(number), LayerKind::Edit { mode: None }, edits, numbers)
            };
            let own = source(&base);
            let first = layer(1, &own, &wanted);
            // A second change on top of it, of one line.
            let mut lines: Vec<&str> = wanted.split_inclusive('\n').collect();
            if let Some(line) = lines.get_mut(other) {
                *line = "other\n";
            }
            let second = layer(2, &source(&wanted), &lines.concat());
            let before = PathStack { base: Some(own), layers: vec![first, second] };
            let (moved, lost) = before.rebase(Some(source(&saved)));
            let now = moved.text().unwrap().unwrap();
            for hunk in &lost {
                let Ok(over) = over_saved((&before, &moved), *hunk, lost.len()) else {
                    continue;
                };
                let edits = over.aside.placed(Some(&now)).unwrap();
                let written = edits.apply(now.bytes()).unwrap();
                let text = now.text().unwrap();
                let expected = with_shown(text, &over.shown);
                prop_assert_eq!(Some(String::from_utf8(written).unwrap()), expected, "{:?}", over.shown);
            }
        }
    }
}
