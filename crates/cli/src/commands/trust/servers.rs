//! Servers of `.mcp.json` in `signoff trust`: each is shown, all of it, and then asked about.
//!
//! In: the servers that the workspace names and nothing was decided on. Out: those that the user allows are kept as allowed;
//! the others stay as they are.

use signoff_draw::sanitize;
use signoff_setup::paths::Paths;
use signoff_setup::session_setup::mcp_servers;

use super::{TrustPrompt, show};
use crate::args::{ModelArgs, TrustArgs};
use crate::commands::out;
use crate::configuration;

/// Shows the servers that wait for a decision, and asks about each unless they are only listed. Returns whether none is
/// left that was not allowed.
pub(super) fn ask(paths: &Paths, args: &TrustArgs) -> anyhow::Result<bool> {
    let model = ModelArgs::default();
    let config = configuration::load(paths, &model)?;
    let found = mcp_servers::find(&config, paths, true);
    for remark in &found.passed_over {
        out::remark(remark);
    }
    let open = (found.definitions.iter()).filter(|it| it.unusable.is_none() && it.trust.is_open());
    let mut is_all_allowed = true;
    for definition in open {
        let trust = &definition.trust;
        out::line(&sanitize::clean(&trust.question().label))?;
        show(trust)?;
        if args.list {
            continue;
        }
        let question = TrustPrompt {
            text: "allow this server? yes or no:",
            given: "allowed, until its definition changes; its calls still ask",
            refused: "not allowed: it is not started",
            unasked: "the server is not allowed",
        };
        is_all_allowed &= question.ask(args, trust)?;
    }
    Ok(is_all_allowed)
}
