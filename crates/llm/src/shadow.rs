//! Between the engine and the shadow: what is hidden from programs, and what becomes of what they left.

pub mod ignored_files;

use std::sync::Mutex;

use signoff_core::engine::{Engine, EngineError, ProgramRun, ProgramStaged, UnstagedFile};
use signoff_core::id::{ChangesetId, ProposalId};
use signoff_core::stage::proposal::Origin;
use signoff_sandbox::network::{Broker, HeldKey, HostAsker, Internet, NetworkRules, Upstream};
use signoff_sandbox::shadow::{Collected, Setup};

use crate::permission::Policy;
use crate::web::class_here;

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

/// Why a program's changes wait for a look where it stashed something: they may remove what only the stash has then.
const STASHED: &str = "it goes with what the program put away in git's stash";

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
    if policy.denies_reading() {
        setup.hide_around();
    }
    let denied = denied.paths.iter();
    let denied: Vec<_> = denied
        .map(|path| setup.root.join(path.to_string()))
        .collect();
    setup.hidden.extend(denied);
    Ok(setup)
}

/// Returns what connects a program to the hosts that rules allow, and asks about those that no rule is about. Of `keys`
/// it has the use.
///
/// # Errors
///
/// Fails if the system has no descriptor left.
pub fn broker(
    rules: NetworkRules,
    upstream: Upstream,
    asker: impl HostAsker + 'static,
    keys: Vec<HeldKey>,
) -> std::io::Result<Broker> {
    Broker::new(rules, upstream, Internet { class: class_here }, asker, keys)
}

/// Stages what a program left that `finishes` these proposals, if it was started after an edit. What cannot be staged is named with the reason, up to a number.
pub fn stage(
    engine: &mut Engine,
    collected: Collected,
    (command, finishes): (String, Vec<ProposalId>),
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
        finishes,
        files: collected.changed,
        not_collected: not_collected.chain(unproposed).collect(),
        held: collected.git.stashed.then(|| STASHED.to_owned()),
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
