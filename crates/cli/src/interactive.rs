//! Wiring of the interactive interface.
//!
//! In: arguments. Out: the interface, drawn first; then, on a thread of its own, config, store,
//! provider and driver.

use std::sync::{Arc, Mutex};

use jiff::tz::TimeZone;
use signoff_draw::theme::{ColourDepth, Ground, TerminalColours};
use signoff_llm::query_lane::QueryLane;
use signoff_llm::session::{Command, Event};
use signoff_sandbox::scratch;
use signoff_setup::config;
use signoff_setup::opened;
use signoff_setup::paths::Paths;
use signoff_setup::session_setup::Presence;
use signoff_setup::session_setup::{self, model, surroundings};
use signoff_tui::app::{BackgroundNews, Colours, Msg, Options, Query};
use signoff_tui::error_text::in_words;
use signoff_tui::header;
use signoff_tui::run::{Connection, EventSender, Outcome, Setup, run};
use signoff_tui::state_files::draft::DraftFile;
use signoff_tui::state_files::exports::ExportFolder;
use signoff_tui::state_files::marks::MarksFile;
use signoff_tui::state_files::prompt_history::PromptHistory;
use signoff_tui::watch::Watch;
use tokio::sync::mpsc::{UnboundedReceiver, unbounded_channel};

use crate::args::{ModelArgs, SessionArgs};
use crate::configuration;

/// Shows the interface until the user quits.
pub fn start(
    paths: Paths,
    args: ModelArgs,
    setup: SessionArgs,
    prompt: Option<String>,
    is_inline: bool,
) -> anyhow::Result<Outcome> {
    let no_color = std::env::var_os("NO_COLOR").is_some_and(|value| !value.is_empty());
    let mut draft = DraftFile::new(&paths.store);
    // A draft that cannot be read is nothing to keep the interface from its first frame for.
    let unsent = draft.load().unwrap_or_else(|error| {
        tracing::warn!(%error, "the unsent prompt of the last run is lost");
        None
    });
    let first = config::first_frame(&paths.config);
    let options = Options {
        header: header::load(None),
        workspace: paths.label(),
        initial_prompt: prompt,
        draft: unsent,
        colours: if no_color {
            Colours::None
        } else {
            Colours::Themed
        },
        terminal_colours: terminal_colours(),
        zone: Some(zone()),
        is_inline: is_inline || first.inline,
        theme: first.theme,
    };
    let background = {
        let (paths, args) = (paths.clone(), args.clone());
        Arc::new(move |request, tell: &dyn Fn(BackgroundNews)| {
            crate::commands::carry_out_background(&paths, &args, request, tell);
        })
    };
    let commits = {
        let paths = paths.clone();
        Arc::new(move |request: &_| crate::commands::carry_out_on_commits(&paths, request))
    };
    run(Setup {
        options,
        watch: Watch::new(&paths.root, &paths.store),
        marks: MarksFile::new(&paths.store),
        prompts: PromptHistory::new(&paths.store),
        shell: configuration::user_shell(&paths),
        draft,
        root: paths.root.clone(),
        reserved: paths.reserved.clone(),
        exports: ExportFolder::new(&paths.root, &paths.store),
        background,
        commits,
        connect: Box::new(move |events| connect(paths, args, setup, events)),
    })
}

/// Returns the user's time zone, without its name: to look that up, all zones of the system are listed, before the first
/// frame.
fn zone() -> TimeZone {
    let is_named = std::env::var_os("TZ").is_some();
    let rules = (!is_named).then(|| std::fs::read("/etc/localtime").ok());
    let zone = rules
        .flatten()
        .and_then(|rules| TimeZone::tzif("local", &rules).ok());
    zone.unwrap_or_else(TimeZone::system)
}

/// Returns what the environment says of the terminal's colours; the terminal itself is asked beside the first frame.
fn terminal_colours() -> TerminalColours {
    let [colorterm, term, ground] =
        ["COLORTERM", "TERM", "COLORFGBG"].map(|name| std::env::var(name).ok());
    TerminalColours {
        depth: ColourDepth::said_by(colorterm.as_deref(), term.as_deref()),
        ground: ground.as_deref().and_then(Ground::from_colorfgbg),
    }
}

/// Starts everything slow; commands and queries are kept until it is there.
fn connect(paths: Paths, args: ModelArgs, setup: SessionArgs, events: EventSender) -> Connection {
    let (sender, commands) = unbounded_channel();
    let (asked, queries) = unbounded_channel();
    // Before anything slow: the first key may be Up.
    let earlier = PromptHistory::new(&paths.store).load();
    std::thread::spawn(move || {
        crate::log::start(&paths);
        match earlier {
            Ok(prompts) => events.tell(Msg::Prompts(prompts)),
            Err(error) => tracing::warn!(%error, "prompts of earlier runs are not remembered"),
        }
        scratch::remove_left();
        let served = tokio::runtime::Runtime::new()
            .map_err(anyhow::Error::from)
            .and_then(|runtime| {
                runtime.block_on(serve(&paths, &args, &setup, &events, (commands, queries)))
            });
        if let Err(error) = served {
            events.tell(Msg::Unstarted(in_words(&error)));
        }
    });
    Connection {
        commands: sender,
        queries: asked,
    }
}

async fn serve(
    paths: &Paths,
    args: &ModelArgs,
    setup: &SessionArgs,
    events: &EventSender,
    (commands, queries): (UnboundedReceiver<Command>, UnboundedReceiver<Query>),
) -> anyhow::Result<()> {
    let config = configuration::load(paths, args)?;
    if let Some(path) = &config.header {
        events.tell(Msg::Header(header::load(Some(path))));
    }
    events.tell(Msg::Keys(configuration::key_map(&config.keys).0));
    events.tell(Msg::Interface(config.interface));
    events.tell(Msg::Configured);
    for warning in &config.warnings {
        tell_info(events, warning.clone());
    }
    let mut engine = paths.engine_with(&config.engine)?;
    engine.set_write_through(config.write_through);
    if config.write_through {
        let text = "Edits are written at once. /history reverts them.";
        tell_info(events, text.to_owned());
    }
    if let Some(text) = opened::undone(engine.recovered()) {
        tell_info(events, text);
    }
    match MarksFile::new(&paths.store).load() {
        Ok(marks) => events.tell(Msg::Marks(marks)),
        Err(error) => {
            let why = in_words(&error);
            tell_info(
                events,
                format!("The marks of the last review are lost: {why}"),
            );
        }
    }
    let waiting = engine.listing()?;
    if !waiting.proposals.is_empty() {
        events.tell(Msg::Session(Event::Review(waiting)));
    }
    if config.setup.turn.context.unwrap_or(true) {
        // Ready when the first request comes, with some luck; nobody waits for it here. Behind what waits for the user, as it
        // takes a processor and reads every file.
        drop(surroundings::build_beside(paths));
    }
    let chosen = model::choose(&config, paths).await?;
    if chosen.is_to_be_picked {
        events.tell(Msg::OfferModels);
    }
    let engine = Arc::new(Mutex::new(engine));
    let (driver, remarks) =
        session_setup::prepare(&config, setup, paths, chosen, engine, Presence::User)?;
    for remark in remarks {
        tell_info(events, remark);
    }
    tokio::spawn(answer(queries, driver.queries(), events.clone()));
    driver
        .run(commands, |event| events.tell(Msg::Session(event)))
        .await;
    Ok(())
}

fn tell_info(events: &EventSender, text: String) {
    events.tell(Msg::Session(Event::Info { text }));
}

/// Answers what the screen asks, in the order in which it asks; nothing waits for what takes long.
async fn answer(mut queries: UnboundedReceiver<Query>, lane: QueryLane, events: EventSender) {
    while let Some(query) = queries.recv().await {
        let (lane, events) = (lane.clone(), events.clone());
        let is_long = query.is_long();
        let answering = async move {
            let answer = query.answer(&lane).await;
            events.tell(Msg::Answered(answer));
        };
        if is_long {
            drop(tokio::spawn(answering));
        } else {
            answering.await;
        }
    }
}
