//! Compare: a file as a program left it, beside what the program started from and what is there now.
//!
//! In: three states of a file. Out: nothing where the program changed nothing or made what is there already;
//! else how its change relates to what changed meanwhile. Lines that nobody else touched are moved onto what is
//! there; whatever clashes becomes a conflict.

use super::steps::{Difference, is_of_one_kind};
use super::{Maker, ProgramBase, ProgramContent, ProgramFile, own_path};
use crate::disk::workspace::WorkspacePath;
use crate::edit::diff::merge::{Merge, merge};
use crate::engine::EngineError;
use crate::engine::state::WorkspaceState;
use crate::stage::proposal::Proposal;
use crate::stage::proposal::layer_kind::NewMode;
use crate::stage::proposal::stage::Stage;
use crate::stage::review::HunkStatus;
use crate::text::Source;

const CHANGED: &str = "it changed";
const GONE: &str = "it was removed";
const CAME: &str = "another file of this name was made";
const UNKNOWN: &str = "it changed while the program ran, and what the program found is not known";
const MODE: &str = "its permissions were changed";

/// How a program's change relates to what changed while it ran.
#[derive(Clone, Debug)]
pub(super) enum Since {
    /// Nothing did.
    Nothing,
    /// Other lines did, or the same ones.
    Merged(Merge),
    /// All of it clashes, for this reason.
    Clashes {
        why: String,
        /// What the program found.
        found: Option<Source>,
    },
}

impl Since {
    pub(super) fn clashes(why: &str) -> Self {
        let (why, found) = (why.to_owned(), None);
        Self::Clashes { why, found }
    }

    pub(super) fn is_nothing(&self) -> bool {
        matches!(self, Self::Nothing)
    }
}

/// A file beside what is staged.
pub(super) enum Compared {
    Same,
    Differs(Vec<Difference>),
    /// Only its permission bits do, which what is staged for it sets.
    Permissions(WorkspacePath, NewMode),
    /// It cannot be staged.
    Refused(Refused),
}

/// A file that cannot be staged, why, and what the program left there.
pub(super) struct Refused {
    pub path: String,
    pub why: String,
    pub text: Option<Source>,
}

/// What a program found.
enum Base {
    Known(Option<Source>, Option<u32>),
    /// A file with this text; its permission bits are not known.
    Text(Source),
    Unknown,
}

/// What becomes of permission bits.
enum Bits {
    /// Those that are there stay.
    Kept,
    New(NewMode),
    Clash(NewMode),
}

/// Compares a file that a program left with what it found and what is there now.
pub(super) fn compare(
    state: &mut WorkspaceState,
    file: ProgramFile,
    maker: Maker,
) -> Result<Compared, EngineError> {
    let (after, mode) = decoded(file.content);
    let refused = |why: String, text: Option<Source>| {
        let path = file.path.clone();
        Ok(Compared::Refused(Refused { path, why, text }))
    };
    let path = match own_path(&state.overlay, &file.path) {
        Ok(path) => path,
        Err(why) => return refused(why, after),
    };
    let now = state.text(&path);
    let key = state.overlay.stage.key_of(&path).unwrap_or(&path);
    let (before, disk) =
        match now.and_then(|now| Ok((now, state.overlay.workspace.attributes(key)?))) {
            Ok((before, disk)) => (before, disk.map(|disk| disk.mode)),
            Err(EngineError::Access(error)) => return refused(error.to_string(), after),
            Err(error) => return Err(error),
        };
    // A staged file that is not on disk is the user's new one. What comes just now may be moved, with its bits.
    let is_new = disk.is_none() && before.is_some();
    let kept = if is_new {
        !state.overlay.workspace.umask()
    } else {
        u32::MAX
    };
    let mode = mode.map(|mode| mode & kept);
    let base = match file.base {
        ProgramBase::Current => Base::Known(before.clone(), None),
        ProgramBase::Known(content) => {
            let (text, mode) = decoded(content);
            Base::Known(text, mode)
        }
        ProgramBase::Text(bytes) => Base::Text(Source::decode(bytes)),
        ProgramBase::Unknown => Base::Unknown,
    };
    let bits = match mode {
        Some(to) => bits(
            &state.overlay.stage,
            &path,
            before.is_some(),
            &base,
            NewMode { from: disk, to },
        ),
        None => Bits::Kept,
    };
    let clash = match &bits {
        Bits::Clash(mode) => Some(Difference {
            path: path.clone(),
            before: before.clone(),
            after: before.clone(),
            mode: Some(*mode),
            found_mode: None,
            held: None,
            folders_gone: 0,
            since: Since::clashes(&maker.meanwhile(MODE)),
        }),
        Bits::Kept | Bits::New(_) => None,
    };
    let mode = match bits {
        Bits::New(mode) => Some(mode),
        Bits::Kept | Bits::Clash(_) => None,
    };
    let found_mode = match &base {
        // Staged ones are not on the disk to be moved with the file.
        Base::Known(_, mode) => mode.filter(|_| staged_mode(&state.overlay.stage, &path).is_none()),
        Base::Text(_) | Base::Unknown => None,
    };
    let since = since(base, before.as_ref(), after.as_ref(), maker);
    Ok(match (since, clash, mode) {
        (Some(since), clash, mode) => {
            let own = Difference {
                path,
                before,
                after,
                mode,
                found_mode,
                held: None,
                folders_gone: file.folders_gone,
                since,
            };
            Compared::Differs([Some(own), clash].into_iter().flatten().collect())
        }
        (None, Some(clash), _) => Compared::Differs(vec![clash]),
        (None, None, Some(mode)) if before.is_some() => {
            permissions(&state.overlay.stage, path, before, mode)
        }
        (None, None, _) => Compared::Same,
    })
}

/// Returns what becomes of the permission bits of a file that has `mode.to` after a program.
fn bits(stage: &Stage, path: &WorkspacePath, is_there: bool, base: &Base, mode: NewMode) -> Bits {
    let found = match base {
        Base::Known(_, None) => return Bits::New(mode),
        Base::Known(_, Some(found)) => Some(*found),
        Base::Text(_) | Base::Unknown => None,
    };
    if !is_there {
        return Bits::New(mode);
    }
    if found == Some(mode.to) {
        return Bits::Kept;
    }
    match staged_mode(stage, path).or(mode.from) {
        Some(now) if now != mode.to && Some(now) != found => Bits::Clash(NewMode {
            from: Some(now),
            to: mode.to,
        }),
        Some(now) if now == mode.to => Bits::Kept,
        _ => Bits::New(mode),
    }
}

/// Returns the permission bits that what is staged gives a file.
pub(super) fn staged_mode(stage: &Stage, path: &WorkspacePath) -> Option<u32> {
    let key = stage.key_of(path)?;
    let layers = stage.stacks.get(key)?.layers.iter().rev();
    let mut modes = layers.filter_map(|layer| {
        let own = stage.proposal(layer.proposal())?;
        layer.mode().filter(|_| is_staged(own, path))
    });
    modes.next().map(|mode| mode.to)
}

/// Compares permission bits of a file whose bytes are as staged.
fn permissions(
    stage: &Stage,
    path: WorkspacePath,
    before: Option<Source>,
    mode: NewMode,
) -> Compared {
    let known = staged_mode(stage, &path);
    let key = stage.key_of(&path).unwrap_or(&path);
    let mut staged = stage.proposals_over(key);
    if known.or(mode.from) == Some(mode.to) {
        Compared::Same
    } else if known.is_some() || (mode.from.is_none() && staged.any(|own| is_staged(own, &path))) {
        Compared::Permissions(path, mode)
    } else {
        Compared::Differs(vec![Difference {
            path,
            after: before.clone(),
            before,
            mode: Some(mode),
            found_mode: None,
            held: None,
            folders_gone: 0,
            since: Since::Nothing,
        }])
    }
}

/// Returns whether a proposal has a layer over a file.
pub(super) fn is_staged(proposal: &Proposal, path: &WorkspacePath) -> bool {
    let mut hunks = proposal.hunks.iter();
    proposal.path == *path && hunks.any(|hunk| hunk.status == HunkStatus::Pending)
}

/// Returns what a program finds or leaves as the text and the permission bits that it has.
fn decoded(content: Option<ProgramContent>) -> (Option<Source>, Option<u32>) {
    match content {
        None => (None, None),
        Some(ProgramContent::Link(target)) => (Some(Source::link(target)), None),
        Some(ProgramContent::File { bytes, mode }) => (Some(Source::decode(bytes)), mode),
    }
}

/// Returns how a change from `base` to `there` relates to what is `here` now; none if nothing is left to do.
fn since(base: Base, here: Option<&Source>, there: Option<&Source>, maker: Maker) -> Option<Since> {
    if here == there {
        return None;
    }
    let base = match base {
        Base::Known(base, _) => base,
        Base::Text(base) => Some(base),
        Base::Unknown => return Some(Since::clashes(UNKNOWN)),
    };
    if base.as_ref() == here {
        return Some(Since::Nothing);
    }
    if base.as_ref() == there {
        return None;
    }
    if let (Some(base), Some(here), Some(there)) = (&base, here, there)
        && [base, here, there].iter().all(|text| text.text().is_ok())
        && is_of_one_kind(base, here)
        && is_of_one_kind(base, there)
        && is_of_one_kind(here, there)
    {
        let merge = merge(base, here, there);
        let is_done = merge.clean.is_empty() && merge.clashing.is_empty();
        return (!is_done).then_some(Since::Merged(merge));
    }
    let why = match (&base, here) {
        (None, _) => CAME,
        (Some(_), None) => GONE,
        (Some(_), Some(_)) => CHANGED,
    };
    let why = maker.meanwhile(why);
    Some(Since::Clashes { why, found: base })
}
