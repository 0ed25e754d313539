//! `signoff sessions`: earlier conversations about this folder.
//!
//! In: the files that they are in. Out: one line each, newest first.

use serde_json::{Value, json};
use signoff_core::id::Timestamp;
use signoff_llm::memory::{Archive, Summary};
use signoff_llm::usage::dollars;

use super::history::moment;
use super::{Ending, out};
use crate::args::JsonArgs;
use crate::paths::Paths;

pub(super) fn run(paths: &Paths, args: &JsonArgs) -> anyhow::Result<Ending> {
    let sessions = Archive::new(paths.sessions()).list()?;
    if args.json {
        let sessions: Vec<_> = sessions.iter().map(value).collect();
        out::json(&json!({ "sessions": sessions }))?;
        return Ok(Ending::Done);
    }
    if sessions.is_empty() {
        out::line("no conversations")?;
    }
    for (index, session) in sessions.iter().enumerate() {
        out::line(&line(index + 1, session))?;
    }
    Ok(Ending::Done)
}

/// Returns a conversation as one line; the number and the id both name it.
fn line(number: usize, session: &Summary) -> String {
    let prompts = match session.prompts {
        1 => "1 prompt".to_owned(),
        n => format!("{n} prompts"),
    };
    let cost = session
        .spent
        .cost
        .map(|cost| format!("  {}", dollars(cost)));
    let tokens = match session.spent.tokens() {
        0 => String::new(),
        1 => "  1 token".to_owned(),
        tokens => format!("  {tokens} tokens"),
    };
    format!(
        "{number:>3}  {}  {}  {prompts}{tokens}{}  {}",
        session.id,
        moment(Timestamp(session.last)),
        cost.unwrap_or_default(),
        session.title
    )
}

fn value(session: &Summary) -> Value {
    json!({
        "id": session.id,
        "title": session.title,
        "began": moment(Timestamp(session.began)),
        "last": moment(Timestamp(session.last)),
        "prompts": session.prompts,
        "parent": session.parent,
        "input": session.spent.input,
        "output": session.spent.output,
        "cost": session.spent.cost,
    })
}
