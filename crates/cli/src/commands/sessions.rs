//! `signoff sessions`: earlier conversations about this folder.
//!
//! In: the files that they are in. Out: one line each, newest first; or one of them as a document.

use serde_json::{Value, json};
use signoff_core::id::Timestamp;
use signoff_core::plural::counted;
use signoff_llm::memory::{Archive, Summary};
use signoff_llm::usage::dollars;
use signoff_setup::clock::moment;
use signoff_setup::paths::Paths;

use super::{Ending, out};
use crate::args::{ExportArgs, ExportFormat, SessionsArgs, SessionsCommand};

mod document;
mod outline;
mod told;
mod trajectory;

/// Said where a compaction or a rewind put other entries in the place of those so far.
const RETOLD: &str = "From here on the model reads another telling of what was said so far.";

pub(super) fn run(paths: &Paths, args: &SessionsArgs) -> anyhow::Result<Ending> {
    match &args.command {
        Some(SessionsCommand::Export(args)) => export(&Archive::new(paths.sessions()), args),
        None => list(paths, args.json),
    }
}

/// Prints one line for each conversation, or all of them as JSON.
pub(super) fn list(paths: &Paths, json: bool) -> anyhow::Result<Ending> {
    let sessions = Archive::new(paths.sessions()).list()?;
    if json {
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

/// Prints a conversation: its id, or the first characters or the number of it.
fn export(archive: &Archive, args: &ExportArgs) -> anyhow::Result<Ending> {
    let id = match &args.id {
        Some(wanted) => archive.find(wanted)?,
        None => match archive.newest()? {
            Some(id) => id,
            None => anyhow::bail!("there is no conversation about this folder"),
        },
    };
    let records = archive.records(&id)?;
    let is_printed = match args.format {
        ExportFormat::Markdown => document::document(&records).map(|text| out::text(&text)),
        ExportFormat::Atif => trajectory::trajectory(&id, &records).map(|told| out::json(&told)),
    };
    match is_printed {
        Some(printed) => printed.map(|()| Ending::Done),
        None => anyhow::bail!("nothing was said in the conversation {id}"),
    }
}

/// Returns the newest conversation of an archive as Markdown; none if nothing was said.
pub(super) fn newest_as_text(archive: &Archive) -> anyhow::Result<Option<String>> {
    let Some(id) = archive.newest()? else {
        return Ok(None);
    };
    Ok(document::document(&archive.records(&id)?))
}

/// Returns the newest conversation of an archive as one in front of the user reads; none if nothing was said.
pub(super) fn newest_as_told(archive: &Archive) -> anyhow::Result<Option<String>> {
    let Some(id) = archive.newest()? else {
        return Ok(None);
    };
    Ok(told::told(&archive.records(&id)?))
}

/// Returns a conversation as one line; the number and the id both name it.
fn line(number: usize, session: &Summary) -> String {
    let prompts = counted(session.prompts, "prompt");
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
