//! `signoff rule`: proposes a rule in the project's instructions, or lists those that are enforced.
//!
//! In: a line. Out: a staged proposal, which waits for a verdict as any other, and whether it will be enforced.

use signoff_core::edit::rule::{self, draft};
use signoff_core::engine::Engine;
use signoff_setup::opened;
use signoff_setup::paths::Paths;

use super::{Ending, out};
use crate::args::RuleArgs;

pub(super) fn run(paths: &Paths, args: &RuleArgs) -> anyhow::Result<Ending> {
    let mut engine = opened::engine(paths)?;
    let rule = draft::sentence(&args.text.join(" "));
    if rule.is_empty() {
        return list(&mut engine);
    }
    let Some(answer) = engine.propose_rule(&rule)? else {
        out::remark("the instructions have this rule already");
        return Ok(Ending::Unmet);
    };
    if !answer.is_ok() {
        out::json(&answer)?;
        return Ok(Ending::NeedsUser);
    }
    for view in answer.proposals.iter() {
        out::remark(&format!(
            "{} is staged: `signoff approve {}` writes it; {}",
            view.path,
            view.id,
            rule::fate(&rule)
        ));
    }
    Ok(Ending::Done)
}

/// Prints the rules that hold for the whole workspace.
fn list(engine: &mut Engine) -> anyhow::Result<Ending> {
    let rules = engine.rules()?;
    if rules.is_empty() {
        out::remark("no rule is enforced here; `signoff rule TEXT` proposes one");
    }
    rules
        .iter()
        .try_for_each(|rule| out::text(&format!("{rule}\n")))?;
    for line in engine.nearly_rules()? {
        out::remark(&line);
    }
    Ok(Ending::Done)
}

/// Returns the command that makes a rule of a denial.
pub(super) fn command(path: &str, reason: &str) -> String {
    let rule = draft::draft(path, reason);
    format!("signoff rule '{}'", rule.replace('\'', "'\\''"))
}
