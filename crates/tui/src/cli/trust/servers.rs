//! Servers of `.mcp.json` in `signoff trust`: each is shown, all of it, and then asked about.
//!
//! In: the servers that the workspace names and nothing was decided on. Out: those that the user allows are kept as allowed;
//! the others stay as they are.

use signoff_mcp::definition::Standing;

use super::{NOBODY_TO_ASK, TrustAnswer, consent, show};
use crate::args::{ModelArgs, TrustArgs};
use crate::cli::out;
use crate::config::{Config, Environment};
use crate::mcp_servers;
use crate::paths::Paths;
use crate::sanitize;

/// Shows the servers that wait for a decision, and asks about each unless they are only listed. Returns whether none is
/// left that was not allowed.
pub(super) fn ask(paths: &Paths, args: &TrustArgs) -> anyhow::Result<bool> {
    let model = ModelArgs::default();
    let config = Config::load(&paths.config, &paths.root, &model, Environment::read())?;
    let found = mcp_servers::find(&config, paths, true);
    for remark in &found.passed_over {
        out::remark(remark);
    }
    let open = (found.definitions.iter()).filter(|it| it.standing() == Standing::Undecided);
    let mut is_all_allowed = true;
    for definition in open {
        let question = definition.trust.question();
        out::line(&sanitize::clean(&question.label))?;
        show(&question.text)?;
        if args.list {
            continue;
        }
        let is_allowed = match consent(args, "allow this server? yes or no:")? {
            TrustAnswer::Given => {
                let kept = definition.trust.decide(true);
                kept.map_err(anyhow::Error::msg)?;
                out::line("allowed, until its definition changes; its calls still ask")?;
                true
            }
            TrustAnswer::Refused => {
                out::line("not allowed: it is not started")?;
                false
            }
            TrustAnswer::NobodyToAsk => {
                out::remark(&format!("the server is not allowed: {NOBODY_TO_ASK}"));
                false
            }
        };
        is_all_allowed &= is_allowed;
    }
    Ok(is_all_allowed)
}
