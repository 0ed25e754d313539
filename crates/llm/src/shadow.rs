//! Between the engine and the shadow: staged files go in, proposals come back.

use std::sync::Mutex;

use signoff_core::engine::{
    Engine, EngineError, ProgramBase, ProgramContent, ProgramFile, ProgramRun, ProgramStaged,
    UnstagedFile,
};
use signoff_core::id::ChangesetId;
use signoff_core::stage::proposal::Origin;
use signoff_verify::shadow::{After, Base, Changed, Collected, Content, Setup, Staged};

use crate::permission::Policy;

/// Why a program could not be run in the shadow, or its changes not be staged.
#[derive(Debug, thiserror::Error)]
pub enum ShadowError {
    /// The shadow.
    #[error(transparent)]
    Shadow(#[from] std::io::Error),
    /// The engine.
    #[error(transparent)]
    Engine(#[from] EngineError),
}

/// Names of the workspace that are looked at for files that rules deny to read.
const MAX_LOOKED_AT: usize = 200_000;

/// Returns a setup in which programs find nothing in the files that rules deny to read.
pub fn hiding(
    setup: &Setup,
    policy: &Policy,
    engine: &Mutex<Engine>,
) -> Result<Setup, std::io::Error> {
    let denied = policy.denied_paths(engine, MAX_LOOKED_AT);
    if !denied.complete {
        return Err(std::io::Error::other(format!(
            "rules deny files to read, and the workspace has more than {MAX_LOOKED_AT} names to look for them"
        )));
    }
    let mut setup = setup.clone();
    let denied = denied.paths.iter();
    let denied: Vec<_> = denied
        .map(|path| setup.root.join(path.to_string()))
        .collect();
    setup.hidden.extend(denied);
    Ok(setup)
}

/// Returns the files with staged work for a shadow.
pub fn staged(engine: &mut Engine) -> Result<Vec<Staged>, EngineError> {
    let files = engine.for_program()?.into_iter();
    let each = files.map(|file| Staged {
        path: file.path,
        content: file.content.map(|content| match content {
            ProgramContent::File { bytes, mode } => Content::File { bytes, mode },
            ProgramContent::Link(target) => Content::Link(target),
        }),
        folders_gone: file.folders_gone,
    });
    Ok(each.collect())
}

/// Stages what a program left. What cannot be staged is named with the reason, up to a number.
pub fn stage(
    engine: &mut Engine,
    collected: Collected,
    command: String,
    origin: Origin,
    changeset: Option<ChangesetId>,
) -> Result<ProgramStaged, EngineError> {
    let others = collected.not_collected.into_iter();
    let (holders, others): (Vec<_>, Vec<_>) = others.partition(|other| other.why.may_hold_text());
    let not_collected = holders.iter().map(|other| UnstagedFile {
        path: other.path.clone(),
        bytes: None,
    });
    let unproposed = collected.unproposed.into_iter();
    let unproposed = unproposed.map(|(path, bytes)| UnstagedFile { path, bytes });
    let (read, unread): (Vec<_>, Vec<_>) = unproposed.partition(|own| own.bytes.is_some());
    // Any of those that were not read may hold any text, and a build leaves thousands: one is named.
    let unproposed = read.into_iter().chain(unread.into_iter().next());
    let mut staged = engine.stage_program(ProgramRun {
        command,
        files: collected.changed.into_iter().map(file).collect(),
        not_collected: not_collected.chain(unproposed).collect(),
        origin,
        changeset,
    })?;
    let others = holders.into_iter().chain(others);
    staged
        .refused
        .extend(others.map(|other| (other.path, other.why.to_string())));
    staged.refused_more = collected.unnamed;
    if let Some(flood) = collected.flood {
        let all = "everything that it changed".to_owned();
        staged.refused.push((all, flood.to_string()));
    }
    Ok(staged)
}

fn file(changed: Changed) -> ProgramFile {
    let (content, folders_gone) = match changed.after {
        After::Gone(folders) => (None, folders),
        After::File(bytes, mode) => {
            let mode = Some(mode);
            (Some(ProgramContent::File { bytes, mode }), 0)
        }
        After::Link(target) => (Some(ProgramContent::Link(target)), 0),
    };
    ProgramFile {
        path: changed.path,
        content,
        base: match changed.base {
            Base::Current => ProgramBase::Current,
            Base::Known(found) => ProgramBase::Known(found.map(content_of)),
            Base::Text(bytes) => ProgramBase::Text(bytes),
            Base::Unknown => ProgramBase::Unknown,
        },
        folders_gone,
    }
}

fn content_of(content: Content) -> ProgramContent {
    match content {
        Content::File { bytes, mode } => ProgramContent::File { bytes, mode },
        Content::Link(target) => ProgramContent::Link(target),
    }
}
