//! `signoff init`: proposes an `AGENTS.md`, the instructions that a model gets with every request.
//!
//! In: what the workspace holds. Out: a staged proposal, which waits for a verdict as any other. A model is asked with a
//! fixed prompt; without one, the text says what was found.

mod survey;

use serde_json::json;
use signoff_core::edit::request::Payload;
use signoff_core::engine::SubmittedPayload;
use signoff_core::stage::proposal::Origin;
use signoff_llm::instructions::FILE;
use signoff_setup::opened;
use signoff_setup::paths::Paths;
use signoff_setup::session_setup::model;

use self::survey::Survey;
use super::{Ending, exec, out};
use crate::args::{ExecArgs, InitArgs, SessionArgs};
use crate::configuration;

/// What a model is asked.
const PROMPT: &str = "Look through this project and write AGENTS.md, the instructions that coding agents get with \
     every request; if the file is there already, edit it and keep what still holds. At most 40 lines: what the project \
     is, how it is laid out, the commands that build, check and test it, one test alone included, and conventions that \
     the code follows and no tool enforces. Write only what you have seen in its files. Change no other file.";

pub(super) fn run(paths: &Paths, args: InitArgs) -> anyhow::Result<Ending> {
    let config = configuration::load(paths, &args.model)?;
    let runtime = tokio::runtime::Runtime::new()?;
    let about = runtime
        .block_on(model::choose(&config, paths))?
        .provider
        .about();
    if about.provider != "offline" {
        out::remark(&format!("{} is asked to write {FILE}", about.model));
        return exec::run(
            paths,
            ExecArgs {
                prompt: PROMPT.to_owned(),
                json: false,
                approve: None,
                background: false,
                allow: Vec::new(),
                model: args.model,
                setup: SessionArgs::default(),
            },
            exec::Attendance::default(),
        );
    }
    if paths.root.join(FILE).exists() {
        out::remark(&format!(
            "{FILE} is there already, and only a model edits it: connect one (`signoff setup`), or edit it \
             yourself"
        ));
        return Ok(Ending::Unmet);
    }
    propose(paths)
}

/// Stages what was found as a new file.
fn propose(paths: &Paths) -> anyhow::Result<Ending> {
    let survey = Survey::of(&paths.root, &paths.reserved);
    if survey.is_empty() {
        out::remark("there is no code and no build file here to write instructions about");
        return Ok(Ending::Unmet);
    }
    let payload = json!({"changes": [{
        "path": FILE,
        "operation": "create",
        "description": "Say what the project is made of, and how it is checked",
        "section": {"edits": [{"old_text": "", "new_text": survey.text()}]},
    }]});
    let mut engine = opened::engine(paths)?;
    if engine.is_staged(FILE)? {
        out::remark(&format!(
            "{FILE} is proposed already: `signoff review` shows it"
        ));
        return Ok(Ending::NeedsUser);
    }
    let answer = engine.propose(SubmittedPayload {
        payload: Payload::parse(&payload.to_string())?,
        origin: Origin::default(),
        changeset: None,
        only: None,
    })?;
    if !answer.is_ok() {
        out::json(&answer)?;
        return Ok(if answer.needs_user() {
            Ending::NeedsUser
        } else {
            Ending::Unmet
        });
    }
    out::text(&survey.text())?;
    let ids: Vec<String> = answer
        .proposals
        .iter()
        .map(|it| it.id.to_string())
        .collect();
    out::remark(&format!(
        "{FILE} is staged, from what was found here without a model: `signoff review` shows it, `signoff approve {}` \
         writes it",
        ids.join(" ")
    ));
    Ok(Ending::Done)
}
