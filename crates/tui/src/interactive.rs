//! The terminal interface with everything behind it.
//!
//! In: arguments. Out: the interface, drawn first; then, on a thread of its own, config, store,
//! provider and driver.

use std::sync::{Arc, Mutex};

use signoff_llm::session::{Command, Event, Fault, FaultKind};
use signoff_verify::process::Supervision;
use tokio::sync::mpsc::{UnboundedReceiver, unbounded_channel};

use crate::app::{Colours, Options, notes};
use crate::args::{ModelArgs, TalkArgs};
use crate::config::{Config, Environment};
use crate::place::Place;
use crate::run::{CommandSender, EventSender, Outcome, Setup, run};
use crate::watch::Watch;
use crate::{header, model, talk};

/// Shows the interface until the user leaves.
pub fn start(
    place: Place,
    args: ModelArgs,
    talk: TalkArgs,
    prompt: Option<String>,
) -> anyhow::Result<Outcome> {
    let no_color = std::env::var_os("NO_COLOR").is_some_and(|value| !value.is_empty());
    let options = Options {
        header: header::load(None),
        workspace: place.label(),
        initial_prompt: prompt,
        colours: if no_color {
            Colours::None
        } else {
            Colours::Ansi
        },
    };
    run(Setup {
        options,
        watch: Watch::new(&place),
        connect: Box::new(move |events| connect(place, args, talk, events)),
    })
}

/// Starts everything slow; commands are kept until it is there.
fn connect(place: Place, args: ModelArgs, talk: TalkArgs, events: EventSender) -> CommandSender {
    let (sender, commands) = unbounded_channel::<Command>();
    std::thread::spawn(move || {
        crate::log::start(&place);
        let served = tokio::runtime::Runtime::new()
            .map_err(anyhow::Error::from)
            .and_then(|runtime| runtime.block_on(serve(&place, &args, &talk, &events, commands)));
        if let Err(error) = served {
            events.send(Event::Fault(Fault {
                kind: FaultKind::Usage,
                message: crate::cli::in_words(&error),
                hint: Some("`signoff doctor` says more; leave with Ctrl-C twice".to_owned()),
            }));
        }
    });
    CommandSender::new(move |command| {
        // Once the other side is gone, it has said why.
        let _gone = sender.send(command);
    })
}

async fn serve(
    place: &Place,
    args: &ModelArgs,
    talk: &TalkArgs,
    events: &EventSender,
    commands: UnboundedReceiver<Command>,
) -> anyhow::Result<()> {
    let config = Config::load(place, args, Environment::read())?;
    if let Some(path) = &config.header {
        events.set_header(header::load(Some(path)));
    }
    let info = |text: String| events.send(Event::Info { text });
    for warning in &config.warnings {
        info(warning.clone());
    }
    let mut engine = place.engine_keeping(config.history_limit)?;
    engine.set_write_through(config.write_through);
    if config.write_through {
        info("Edits are written at once. /history takes them back.".to_owned());
    }
    if let Some(text) = notes::recovered(engine.recovered()) {
        info(text);
    }
    let waiting = engine.review()?;
    if !waiting.is_empty() {
        events.send(Event::Review { proposals: waiting });
    }
    let chosen = model::choose(&config).await?;
    let engine = Arc::new(Mutex::new(engine));
    let (driver, remark) = talk::prepare(&config, talk, place, chosen, engine)?;
    if let Some(remark) = remark {
        info(remark);
    }
    let on_event = |event: Event| {
        events.send(event);
    };
    driver
        .with_policy(config.policy)
        .with_hidden(config.hidden)
        .with_supervision(Supervision::OwnExecutable)
        .run(commands, on_event)
        .await;
    Ok(())
}
