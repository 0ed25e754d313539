//! `signoff context`, `signoff symbols`, `signoff references`: what the index of the workspace knows.
//!
//! In: a request or a name. Out: files with the reasons for each, or places in files. The index is brought
//! up to date first; it lies in the state folder. No session, no model, no network.

use serde_json::json;
use signoff_context::rank::{Weights, rank};
use signoff_context::symbols::{self, Ask, Place};
use signoff_core::disk::workspace::MAX_FILE_BYTES;
use signoff_sandbox::regular;
use signoff_setup::paths::Paths;
use signoff_setup::workspace_index::{index, rounded};

use super::{Ending, out};
use crate::args::{ContextArgs, SymbolArgs};

/// Prints the files that a request is about, best first.
pub(super) fn run(paths: &Paths, args: &ContextArgs) -> anyhow::Result<Ending> {
    let index = index(paths)?;
    let request = args.query.join(" ");
    let ranked = rank(&index, &request, &Weights::default(), args.limit);
    for file in &ranked {
        let reason = file.reasons.join("; ");
        if args.json {
            out::json(&json!({"path": file.path, "score": rounded(file.score), "reason": reason}))?;
        } else {
            out::line(&format!("{:.2}  {}  {reason}", file.score, file.path))?;
        }
    }
    if ranked.is_empty() {
        // With `--json` too: programs read one file a line, and there is none.
        out::remark("the request names nothing that this folder has");
    }
    Ok(Ending::Done)
}

/// Prints where a name is defined.
pub(super) fn symbols(paths: &Paths, args: &SymbolArgs) -> anyhow::Result<Ending> {
    find(paths, args, Ask::Definitions)
}

/// Prints where a name is referred to.
pub(super) fn references(paths: &Paths, args: &SymbolArgs) -> anyhow::Result<Ending> {
    find(paths, args, Ask::References)
}

fn find(paths: &Paths, args: &SymbolArgs, ask: Ask) -> anyhow::Result<Ending> {
    let index = index(paths)?;
    // A file may have been removed since.
    let places = symbols::find(&index, ask, &args.name, &[], &|path| {
        regular::text(&paths.root.join(path), MAX_FILE_BYTES).ok()
    });
    places
        .iter()
        .try_for_each(|place| print(place, args.json))?;
    if places.is_empty() {
        out::nothing(args.json)?;
        return Ok(Ending::Unmet);
    }
    Ok(Ending::Done)
}

fn print(place: &Place, as_json: bool) -> anyhow::Result<()> {
    let Place {
        path,
        lines,
        kind,
        container,
    } = place;
    let line = lines.start();
    if as_json {
        return out::json(
            &json!({"path": path, "line": line, "kind": kind, "container": container}),
        );
    }
    let within = container
        .as_deref()
        .map(|container| format!(" in {container}"));
    out::line(&format!(
        "{path}:{line}: {kind}{}",
        within.unwrap_or_default()
    ))
}
