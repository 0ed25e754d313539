//! `signoff background`: agents that work while the user does something else.
//!
//! In: a prompt or the number of an agent. Out: a list, a conversation, or the process of an agent: it works on its prompts in
//! an overlay of its own, and hands over what it staged when none is left.

mod agent_folders;

use std::process::Child;

use anyhow::Context as _;
use serde_json::{Value, json};
use signoff_core::engine::{ProgramStaged, TakenOver};
use signoff_core::id::ChangesetId;
use signoff_core::plural::counted;
use signoff_core::quote::one_line;
use signoff_core::stage::proposal::{DESCRIPTION_CHARS, Origin};
use signoff_core::stage::review::Proposer;
use signoff_llm::memory::Archive;
use signoff_llm::mode::Mode;
use signoff_llm::usage::dollars;
use signoff_setup::clock::now;
use signoff_setup::opened;
use signoff_setup::paths::Paths;
use signoff_tui::app::{BackgroundAgent, BackgroundNews, BackgroundRequest};
use signoff_tui::error_text::in_words;
use uuid::Uuid;

use self::agent_folders::{
    AgentHome, AgentRecord, AgentStage, AgentStatus, BackgroundAgents, ListedAgent, WaitingPrompt,
};
use super::exec::{self, Attendance, FROM_STDIN, Worker};
use super::{Ending, out, sessions};
use crate::args::{BackgroundArgs, BackgroundCommand, ExecArgs, ModelArgs, SessionArgs};

/// Why an agent that ended without handing over did so.
const UNMET: &str = "its turn did not come to its end";

/// Stands for the conversation of an agent that has none yet.
const NOTHING_SAID: &str = "nothing was said yet\n";

/// Lines of a conversation that the interface shows at once.
const LINES_SHOWN: usize = 200;

/// Characters of a prompt in the list.
const PROMPT_CHARS: usize = 60;

/// Starts an agent for `exec --background`.
pub(super) fn start(paths: &Paths, args: ExecArgs) -> anyhow::Result<Ending> {
    let is_typed = args.prompt != FROM_STDIN;
    let text = if is_typed {
        exec::as_typed(paths, args.prompt)?
    } else {
        exec::prompt_from(std::io::stdin().lock())?
    };
    let model = asked(&args.model)?;
    let prompt = WaitingPrompt { text, is_typed };
    let (id, _process) = BackgroundAgents::new(paths).start(prompt, model, args.allow)?;
    if args.json {
        out::json(&json!({ "type": "background", "id": id }))?;
    } else {
        out::line(&id.to_string())?;
        out::progress(
            "`signoff background` shows how it stands; what it proposes waits in `signoff review`",
        );
    }
    Ok(Ending::Done)
}

/// Runs `signoff background`.
pub(super) fn run(paths: &Paths, args: BackgroundArgs) -> anyhow::Result<Ending> {
    let agents = BackgroundAgents::new(paths);
    match args.command {
        None => list(&agents, paths, args.json),
        Some(BackgroundCommand::List { json }) => list(&agents, paths, json),
        Some(BackgroundCommand::Show { id }) => show(&agents, &agents.find(id)?),
        Some(BackgroundCommand::Say { id, text }) => {
            let _process = agents.say(&agents.find(id)?, &WaitingPrompt::typed(text))?;
            Ok(Ending::Done)
        }
        Some(BackgroundCommand::Stop { id }) => {
            agents.stop(&agents.find(id)?)?;
            out::progress(&stopped(id));
            Ok(Ending::Done)
        }
        Some(BackgroundCommand::Run { id }) => work(&agents, &agents.find(id)?, paths),
    }
}

fn list(agents: &BackgroundAgents, paths: &Paths, json: bool) -> anyhow::Result<Ending> {
    let listed = settled(agents, paths)?;
    if json {
        let listed: Vec<Value> = listed.iter().map(value).collect();
        out::json(&json!({ "agents": listed }))?;
        return Ok(Ending::Done);
    }
    if listed.is_empty() {
        out::line("no background agents")?;
    }
    listed.iter().try_for_each(|own| out::line(&line(own)))?;
    Ok(Ending::Done)
}

/// Returns all agents, and finishes before what those that died in the middle of it were handing over.
fn settled(agents: &BackgroundAgents, paths: &Paths) -> anyhow::Result<Vec<ListedAgent>> {
    let listed = agents.list()?;
    let mut is_changed = false;
    for own in &listed {
        if !matches!(own.record.stage, AgentStage::HandingOver(_)) {
            continue;
        }
        let home = agents.find(own.id)?;
        if let Some(_lock) = home.try_lock()?
            // Its own process may have come to the end since, or begun anew.
            && matches!(home.record()?.stage, AgentStage::HandingOver(_))
        {
            hand_over(agents, &home, paths)?;
            is_changed = true;
        }
    }
    if is_changed {
        return agents.list();
    }
    Ok(listed)
}

fn show(agents: &BackgroundAgents, home: &AgentHome) -> anyhow::Result<Ending> {
    out::text(&conversation(agents, home)?)?;
    Ok(Ending::Done)
}

/// Returns the conversation of an agent as Markdown.
fn conversation(agents: &BackgroundAgents, home: &AgentHome) -> anyhow::Result<String> {
    let archive = Archive::new(agents.paths_of(home).sessions());
    let text = sessions::newest_as_text(&archive)?;
    Ok(text.unwrap_or_else(|| NOTHING_SAID.to_owned()))
}

/// Returns the end of the conversation of an agent as the interface shows it.
fn told(agents: &BackgroundAgents, id: u32) -> anyhow::Result<String> {
    let archive = Archive::new(agents.paths_of(&agents.find(id)?).sessions());
    let text = sessions::newest_as_told(&archive)?;
    Ok(end_of(text.as_deref().unwrap_or(NOTHING_SAID), id))
}

/// Carries out what is asked in the interface, and says what came of it; of an agent that is given work also how it ended.
pub(crate) fn carry_out(
    paths: &Paths,
    model: &ModelArgs,
    request: BackgroundRequest,
    tell: &dyn Fn(BackgroundNews),
) {
    if let Err(error) = carried_out(paths, model, request, tell) {
        tell(BackgroundNews::Failed(in_words(&error)));
    }
}

fn carried_out(
    paths: &Paths,
    model: &ModelArgs,
    request: BackgroundRequest,
    tell: &dyn Fn(BackgroundNews),
) -> anyhow::Result<()> {
    let agents = BackgroundAgents::new(paths);
    match request {
        BackgroundRequest::List => {
            tell(for_the_page(&settled(&agents, paths)?));
        }
        BackgroundRequest::Start(prompt) => {
            let (id, process) =
                agents.start(WaitingPrompt::typed(prompt), asked(model)?, Vec::new())?;
            tell(BackgroundNews::Said(format!(
                "Background agent {id} works on it; /bg shows how it stands, and what it proposes waits in the review"
            )));
            tell_end(&agents, id, process, tell)?;
        }
        BackgroundRequest::Show(id) => {
            tell(BackgroundNews::Shown(told(&agents, id)?));
        }
        BackgroundRequest::Look(id) => {
            tell(BackgroundNews::Conversation(id, told(&agents, id)?));
        }
        BackgroundRequest::Say(id, text) => {
            let process = agents.say(&agents.find(id)?, &WaitingPrompt::typed(text))?;
            let line = format!("Background agent {id} has it");
            tell(BackgroundNews::Said(line));
            tell_end(&agents, id, process, tell)?;
        }
        BackgroundRequest::Stop(id) => {
            agents.stop(&agents.find(id)?)?;
            tell(BackgroundNews::Said(stopped(id)));
            tell(for_the_page(&agents.list()?));
        }
    }
    Ok(())
}

/// Waits for the process of an agent, and says how the agent stands then; nothing of one that was stopped.
fn tell_end(
    agents: &BackgroundAgents,
    id: u32,
    mut process: Child,
    tell: &dyn Fn(BackgroundNews),
) -> anyhow::Result<()> {
    process.wait()?;
    let listed = agents.list()?;
    let own = listed.iter().find(|own| own.id == id);
    if let Some(agent) = own {
        tell(BackgroundNews::Ended(format!(
            "Background agent {}",
            line(agent)
        )));
    }
    Ok(())
}

/// Returns the last lines of a conversation.
fn end_of(text: &str, id: u32) -> String {
    let lines: Vec<&str> = text.lines().collect();
    let left_out = lines.len().saturating_sub(LINES_SHOWN);
    let shown = lines.get(left_out..).unwrap_or(&[]).join("\n");
    if left_out == 0 {
        return shown;
    }
    let before = counted(left_out, "line");
    format!("{before} before this: `signoff background show {id}` prints all\n\n{shown}")
}

fn stopped(id: u32) -> String {
    format!("Background agent {id} is stopped, and nothing of it is left but what it proposed")
}

/// Returns whom an agent asks; a recorded exchange is found from any folder.
fn asked(model: &ModelArgs) -> anyhow::Result<ModelArgs> {
    let mut model = ModelArgs {
        write_through: false,
        ..model.clone()
    };
    if let Some(file) = &mut model.replay {
        let found = file.canonicalize();
        *file = found.with_context(|| format!("cannot open {}", file.display()))?;
    }
    Ok(model)
}

/// Returns agents as the page shows them.
fn for_the_page(listed: &[ListedAgent]) -> BackgroundNews {
    let shown = listed.iter().map(|own| BackgroundAgent {
        id: own.id,
        is_working: matches!(own.status, AgentStatus::Working),
        facts: facts(own),
        troubles: troubles(own),
        prompt: own.record.prompt.clone(),
    });
    BackgroundNews::Listed(shown.collect())
}

/// Returns an agent as one line.
fn line(own: &ListedAgent) -> String {
    let mut parts = vec![own.id.to_string()];
    parts.extend(facts(own));
    parts.extend(troubles(own));
    let first = own.record.prompt.lines().next().unwrap_or("");
    parts.push(first.chars().take(PROMPT_CHARS).collect());
    parts.join("  ")
}

/// Returns state, time, tokens, cost and proposals of an agent.
fn facts(own: &ListedAgent) -> Vec<String> {
    let mut facts = vec![own.status.word().to_owned(), minutes(elapsed(&own.record))];
    let tokens = usize::try_from(own.spent.tokens()).unwrap_or(usize::MAX);
    facts.push(counted(tokens, "token"));
    facts.extend(own.spent.cost.map(dollars));
    if let AgentStage::HandedOver { proposals, .. } = &own.record.stage {
        facts.push(counted(*proposals, "proposal"));
    }
    facts
}

/// Returns what an agent could not do, and why.
fn troubles(own: &ListedAgent) -> Vec<String> {
    match &own.record.stage {
        AgentStage::HandedOver { left, .. } => left
            .iter()
            .map(|(path, why)| format!("not proposed: {path}: {why}"))
            .collect(),
        AgentStage::Failed(why) => vec![why.clone()],
        AgentStage::Working | AgentStage::HandingOver(_) => Vec::new(),
    }
}

/// Returns an agent as other programs read it.
fn value(own: &ListedAgent) -> Value {
    let (proposals, left, why) = match &own.record.stage {
        AgentStage::HandedOver { proposals, left } => (Some(proposals), left.as_slice(), None),
        AgentStage::Failed(why) => (None, &[][..], Some(why)),
        AgentStage::Working | AgentStage::HandingOver(_) => (None, &[][..], None),
    };
    let left = left.iter();
    let left: Vec<Value> = left
        .map(|(path, why)| json!({ "path": path, "why": why }))
        .collect();
    json!({
        // Its number.
        "id": own.id,
        // `working` while its process lives, `done` once it handed over, `failed` where its turn did not come to its
        // end, `died` where its process ended without a word; what it staged then stays in its overlay.
        "state": own.status,
        // The prompt.
        "prompt": own.record.prompt,
        // When it began, in milliseconds since 1970.
        "began": own.record.began,
        // When it ended, likewise; or null.
        "ended": own.record.ended,
        // Tokens in and out.
        "tokens": own.spent.tokens(),
        // Millionths of a dollar; or null.
        "cost": own.spent.cost,
        // How many it handed over; or null.
        "proposals": proposals,
        // `path` and `why` of what could not be staged here.
        "not_proposed": left,
        // Why it failed; or null.
        "why": why,
    })
}

/// Returns how long an agent has worked, in milliseconds.
fn elapsed(record: &AgentRecord) -> i64 {
    let until = record.ended.unwrap_or_else(now);
    until.0.saturating_sub(record.began.0).max(0)
}

fn minutes(milliseconds: i64) -> String {
    let seconds = milliseconds / 1000;
    match seconds {
        0..60 => format!("{seconds} s"),
        _ => format!("{} min {} s", seconds / 60, seconds % 60),
    }
}

/// Is the process of an agent: works on all prompts, then hands over.
fn work(agents: &BackgroundAgents, home: &AgentHome, paths: &Paths) -> anyhow::Result<Ending> {
    let Some(_lock) = home.lock()? else {
        return Ok(Ending::Done);
    };
    home.end_when_stopped();
    match home.record()?.stage {
        AgentStage::HandingOver(_) => hand_over(agents, home, paths)?,
        AgentStage::HandedOver { .. } => home.forget_overlay()?,
        AgentStage::Working | AgentStage::Failed(_) => {}
    }
    let mut ending = None;
    while let Some(prompt) = home.take_prompt()? {
        let turn = turn(agents, home, prompt);
        if let Err(error) = &turn {
            out::error(error);
        }
        ending = Some(turn);
    }
    // Without a prompt, another process did it all.
    let Some(ending) = ending else {
        return Ok(Ending::Done);
    };
    let why = match ending {
        Ok(Ending::Done) => {
            hand_over(agents, home, paths)?;
            return Ok(Ending::Done);
        }
        Ok(Ending::Unmet | Ending::Usage | Ending::NeedsUser | Ending::Program(_)) => {
            UNMET.to_owned()
        }
        Err(error) => in_words(&error),
    };
    home.save(&AgentRecord {
        ended: Some(now()),
        stage: AgentStage::Failed(why),
        ..home.record()?
    })?;
    Ok(Ending::Unmet)
}

/// Runs the turn of one prompt, with events in the agent's log.
fn turn(
    agents: &BackgroundAgents,
    home: &AgentHome,
    prompt: WaitingPrompt,
) -> anyhow::Result<Ending> {
    let record = AgentRecord {
        ended: None,
        stage: AgentStage::Working,
        ..home.record()?
    };
    home.save(&record)?;
    let own = agents.paths_of(home);
    let goes_on = Archive::new(own.sessions()).newest()?.is_some();
    let args = ExecArgs {
        prompt: prompt.text,
        json: true,
        approve: None,
        background: false,
        allow: record.allow,
        model: record.model,
        setup: SessionArgs {
            go_on: goes_on,
            ..SessionArgs::default()
        },
    };
    let attendance = Attendance {
        mode: Some(Mode::Turn),
        worker: Worker::BackgroundAgent {
            is_typed: prompt.is_typed,
        },
        ..Attendance::default()
    };
    exec::run(&own, args, attendance)
}

/// Hands over what an agent staged. The record names the changeset first, so that this has an effect once however often it
/// is tried.
fn hand_over(agents: &BackgroundAgents, home: &AgentHome, paths: &Paths) -> anyhow::Result<()> {
    let mut record = home.record()?;
    let changeset = match record.stage {
        AgentStage::HandingOver(changeset) => changeset,
        AgentStage::Working | AgentStage::HandedOver { .. } | AgentStage::Failed(_) => {
            ChangesetId(Uuid::now_v7())
        }
    };
    record.stage = AgentStage::HandingOver(changeset);
    home.save(&record)?;
    let own = agents.paths_of(home);
    let mut overlay = opened::proposing(&own)?;
    let views = overlay.review()?;
    let files = views.len();
    let mut models = views.iter().filter_map(|view| view.proposer.model());
    let model = models.next().unwrap_or("").to_owned();
    let name = format!("background-{}", home.id);
    let session = Archive::new(own.sessions()).newest()?;
    let origin = Origin {
        session: session.unwrap_or_else(|| name.clone()),
        call: String::new(),
        proposer: Proposer::Agent { name, model },
        request: one_line(&record.prompt, DESCRIPTION_CHARS),
    };
    let handed = overlay.hand_over(changeset, origin)?;
    let (proposals, left) = match opened::engine(paths)?.take_over(handed)? {
        TakenOver::Now(ProgramStaged {
            proposals, refused, ..
        }) => (proposals.len(), refused),
        // It was staged before this process was there.
        TakenOver::Before => (files, Vec::new()),
    };
    drop(overlay);
    let is_whole = left.is_empty();
    home.save(&AgentRecord {
        ended: Some(now()),
        stage: AgentStage::HandedOver { proposals, left },
        ..record
    })?;
    // What was not taken over is nowhere else.
    if is_whole {
        home.forget_overlay()
    } else {
        Ok(())
    }
}
