//! Hunks that the user edited before approving them.
//!
//! In: a hunk and the text that it shall bring. Out: the stage with that text in it, what builds
//! on the hunk moved onto it, and the hunks that cannot be, marked with the reason.

use super::layer::Layer;
use super::layer_kind::LayerKind;
use super::lost::lose;
use super::stack::PathStack;
use super::stage::Stage;
use super::{Proposal, not_waiting};
use crate::edit::diff::hunk::{self, by_line};
use crate::edit::diff::lines::difference;
use crate::edit::plan::Presence;
use crate::id::HunkId;
use crate::stage::review::{DeniedLines, HunkStatus};
use crate::text::{EditSet, Ending, Mismatch, Source, Splice};

/// So much of the user's text is kept with the verdict, in characters.
const KEPT_CHARS: usize = 2000;
/// Maximum number of denied lines kept with the verdict: the model has the rest of the hunk.
const KEPT_LINES: usize = 20;

/// What the user has a hunk bring.
#[derive(Clone, Debug)]
pub struct EditedHunk {
    /// The hunk.
    pub hunk: HunkId,
    /// The text in the place of its own.
    pub text: String,
    /// The lines of the hunk that the user denied.
    pub denied: Option<DeniedLines>,
}

impl EditedHunk {
    /// Makes it of a verdict.
    pub fn of(hunk: HunkId, text: &str, denied: Option<&DeniedLines>) -> Self {
        Self {
            hunk,
            text: text.to_owned(),
            denied: denied.cloned(),
        }
    }
}

impl Stage {
    /// Puts `text` in the place of a hunk's new text; refuses what has no text, and what would
    /// leave nothing of the hunk.
    pub fn replace_text(&mut self, hunk: HunkId, text: &str) -> Result<(), String> {
        let (path, record) = self.find(hunk).ok_or_else(|| not_waiting(hunk))?;
        if let HunkStatus::Conflict { reason } = &record.status {
            return Err(format!("hunk {hunk} cannot be approved: {reason}"));
        }
        let key = self
            .key_of(path)
            .cloned()
            .ok_or_else(|| not_waiting(hunk))?;
        let mut stack = self.stacks.get_mut(&key).ok_or_else(|| not_waiting(hunk))?;
        let (edited, lost) = replaced(&stack, hunk, text)?;
        let before = std::mem::replace(&mut *stack, edited);
        drop(stack);
        // It has the text that was proposed.
        self.formers.remove(&key);
        let why = format!(
            "depends on hunk {} of {}, which you edited",
            hunk.number, hunk.proposal
        );
        lose(self, (&key, &before), &lost, &why);
        Ok(())
    }

    /// Marks hunks as written with the user's text, as far as they were written: one that builds
    /// on a hunk denied with the same rulings was not.
    pub fn mark_edited(&mut self, edited: &[EditedHunk]) {
        for EditedHunk { hunk, text, denied } in edited {
            let own = self.proposal_mut(hunk.proposal);
            let hunks = own.into_iter().flat_map(|proposal| &mut proposal.hunks);
            for record in hunks.filter(|record| record.number == hunk.number) {
                if record.status != HunkStatus::Committed {
                    continue;
                }
                let text = text.chars().take(KEPT_CHARS).collect();
                let denied = denied.as_ref().map(|denied| DeniedLines {
                    lines: denied.lines.iter().take(KEPT_LINES).cloned().collect(),
                    reason: denied.reason.clone(),
                });
                record.status = HunkStatus::Edited { text, denied };
            }
        }
    }
}

impl Proposal {
    /// Returns whether a layer of it holds the user's text.
    pub fn is_edited(&self, layer: &Layer) -> bool {
        let numbers: Vec<u32> = layer.hunks().iter().map(|hunk| hunk.number).collect();
        self.hunks.iter().any(|record| {
            numbers.contains(&record.number) && matches!(record.status, HunkStatus::Edited { .. })
        })
    }
}

fn replaced(
    stack: &PathStack,
    hunk: HunkId,
    text: &str,
) -> Result<(PathStack, Vec<HunkId>), String> {
    let misfit = |_mismatch| format!("hunk {hunk} does not fit its file any more");
    let (mut layers, own, above) = stack.around(hunk).ok_or_else(|| not_waiting(hunk))?;
    let mut below = stack.base.clone();
    for layer in &layers {
        below = layer.apply(below.as_ref()).map_err(misfit)?;
    }
    if hunk::is_too_large(own.edits()) {
        return Err(format!("hunk {hunk} is too large to be edited"));
    }
    let edits = match own.kind() {
        LayerKind::Edit { .. } | LayerKind::Retarget if !own.edits().is_empty() => {
            within(&own, below.as_ref(), text).map_err(misfit)?
        }
        LayerKind::Create { .. } => EditSet::between(b"", text.as_bytes()),
        LayerKind::Edit { .. }
        | LayerKind::Retarget
        | LayerKind::Link
        | LayerKind::Delete { .. }
        | LayerKind::Move { .. }
        | LayerKind::Permissions(_) => {
            return Err(format!("hunk {hunk} has no text that could be edited"));
        }
    };
    if edits.is_empty() && own.presence() == Presence::Kept {
        return Err("that is what the file has now; deny the hunk instead".into());
    }
    let numbers = vec![hunk.number; edits.splices().len()];
    let edited = Layer::new(own.proposal(), own.kind().clone(), edits, numbers);
    let before = own.apply(below.as_ref()).map_err(misfit)?;
    let after = edited.apply(below.as_ref()).map_err(misfit)?;
    if let Some(text) = after.as_ref().filter(|text| text.encoded().is_none()) {
        let encoding = text.encoding();
        return Err(format!(
            "{encoding}, the file's encoding, has not all of these characters"
        ));
    }
    let rest = PathStack {
        base: before,
        layers: above,
    };
    let (rest, lost) = rest.rebase(after);
    layers.push(edited);
    layers.extend(rest.layers);
    let base = stack.base.clone();
    Ok((PathStack { base, layers }, lost))
}

/// Returns the change that puts `text` where the hunk is shown to change, from its first changed line to its last.
fn within(own: &Layer, below: Option<&Source>, text: &str) -> Result<EditSet, Mismatch> {
    let empty = Source::new(Vec::new());
    let below = below.unwrap_or(&empty);
    let splices = own.edits().splices();
    let Some(last) = splices.last() else {
        return Ok(EditSet::default());
    };
    let lines = hunk::changed_lines(below, splices);
    let [start, end] = [lines.start, lines.end].map(|line| below.line_range(line).start);
    let bytes = below.bytes();
    let beyond = Mismatch { at: end };
    let rest = bytes.get(end..).ok_or(beyond)?;
    let mut text = match below.ending() {
        Ending::Lf => text.to_owned(),
        Ending::CrLf => text.replace("\r\n", "\n").replace('\n', "\r\n"),
    };
    // The last line keeps its ending unless the model took it away as well, or the file has it without one.
    let own = below.line(below.line_count().saturating_sub(1));
    let is_own = !below.ends_with_newline()
        && text.as_bytes().split(|byte| *byte == b'\n').next_back() == Some(own);
    let ended = last.new.ends_with(b"\n") || last.new.is_empty();
    let ended = !rest.is_empty() || ended && !is_own;
    if ended && !text.is_empty() && !text.ends_with('\n') {
        text.push_str(below.ending().as_str());
    }
    // Only these lines are compared: among lines that are alike, the change would slide to where another hunk is.
    // Case: `selected_lines::stay_in_their_hunk_among_equal_lines`.
    let before = Source::new(bytes.get(start..end).ok_or(beyond)?.to_vec());
    let edits = difference(&before, &Source::new(text.into_bytes()));
    let moved = edits.into_splices().into_iter().map(|splice| Splice {
        at: splice.at + start,
        ..splice
    });
    let edits = EditSet::new(moved.collect()).map_err(|_overlap| beyond)?;
    Ok(by_line(below, &edits))
}
