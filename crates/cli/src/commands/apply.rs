//! `signoff apply`: an `apply_structured_edits` payload from standard input.
//!
//! In: the payload. Out: its result as JSON. Without a flag it is staged.

use std::io::{self, Read};
use std::sync::Mutex;
use std::sync::atomic::AtomicBool;

use anyhow::bail;
use serde_json::json;
use signoff_checks::check::CheckReport;
use signoff_core::edit::request::{MAX_REQUEST_BYTES, Payload};
use signoff_core::engine::{Decision, Engine, SubmittedPayload};
use signoff_core::stage::proposal::Origin;
use signoff_llm::tool::lock;
use signoff_llm::verified::{self, Verification, Wanted};
use signoff_setup::config::Programs;
use signoff_setup::opened;
use signoff_setup::paths::Paths;
use signoff_setup::project;
use signoff_setup::project::consent::Starter;

use super::verdict::{LOOK, approve_these, summary};
use super::{Ending, out};
use crate::args::ApplyArgs;

pub(super) fn run(paths: &Paths, args: &ApplyArgs) -> anyhow::Result<Ending> {
    let payload = read()?;
    let verify = payload.verify.clone();
    let engine = Mutex::new(opened::engine(paths)?);
    let asked = SubmittedPayload {
        payload,
        origin: Origin::default(),
        changeset: None,
        only: None,
    };
    let mut answer = if args.dry_run {
        lock(&engine).rehearse(asked)?
    } else {
        lock(&engine).propose(asked)?
    };
    let verification = verified::verify(&mut answer, &verify, |wanted| {
        checked(paths, &engine, wanted).map_err(|error| format!("{error:#}"))
    });
    let written = match verification {
        _ if !(args.write && answer.staged) => None,
        Verification::Failed { why } => {
            out::remark(LOOK);
            Some(Decision::Refused { why })
        }
        Verification::NotAsked | Verification::Passed => {
            Some(approve_these(&mut lock(&engine), answer.proposals.iter())?)
        }
    };
    let mut value = serde_json::to_value(&answer)?;
    if let (Some(object), Some(decision)) = (value.as_object_mut(), &written) {
        object.insert(
            "written".into(),
            json!(matches!(decision, Decision::Done(_))),
        );
    }
    out::json(&value)?;
    Ok(match written {
        Some(
            decision @ (Decision::Changed { .. }
            | Decision::Elsewhere { .. }
            | Decision::Refused { .. }),
        ) => {
            out::remark(&summary(&decision));
            Ending::NeedsUser
        }
        _ if answer.is_ok() => Ending::Done,
        _ if answer.needs_user() => Ending::NeedsUser,
        _ => Ending::Unmet,
    })
}

/// Runs the project's checks that the payload asks for.
fn checked(paths: &Paths, engine: &Mutex<Engine>, wanted: Wanted) -> anyhow::Result<CheckReport> {
    let programs = Programs::load(&paths.config, &paths.root)?;
    let never = AtomicBool::new(false);
    project::checks::report(
        paths,
        &programs,
        engine,
        (wanted, Starter::User),
        (&never, &|_| {}),
    )
}

fn read() -> anyhow::Result<Payload> {
    // JSON escapes can make a text six times as long.
    let limit = MAX_REQUEST_BYTES as u64 * 6;
    let mut text = String::new();
    io::stdin()
        .lock()
        .take(limit + 1)
        .read_to_string(&mut text)?;
    if text.len() as u64 > limit {
        bail!("the payload is larger than {limit} bytes");
    }
    Ok(Payload::parse(&text)?)
}
