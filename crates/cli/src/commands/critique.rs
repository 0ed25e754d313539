//! One look of the review agent without the interface.
//!
//! In: what is configured, and the conversation that is gone on with. Out: comments as lines, kept beside the marks, so that
//! whoever asks about hunks prints them.

use std::sync::{Arc, Mutex};

use signoff_core::stage::review::critique::CritiqueEvent;
use signoff_llm::driver::one_look;
use signoff_llm::session::Event;
use signoff_llm::tool::lock;
use signoff_setup::opened;
use signoff_setup::paths::Paths;
use signoff_setup::session_setup::Presence;
use signoff_setup::session_setup::{self, model};
use signoff_tui::event_lines;
use signoff_tui::state_files::marks::MarksFile;

use super::{exec, out};
use crate::args::{ModelArgs, SessionArgs};

/// Has the review agent look at all that waits.
pub(super) fn look(paths: &Paths, model: &ModelArgs, setup: &SessionArgs) -> anyhow::Result<()> {
    let config = exec::configured(paths, model, true)?;
    let engine = Arc::new(Mutex::new(opened::with(paths, &config.engine)?));
    let runtime = tokio::runtime::Runtime::new()?;
    let mut critique = Vec::new();
    let mut printed = Ok(());
    runtime.block_on(async {
        let chosen = model::choose(&config, paths).await?;
        let shared = Arc::clone(&engine);
        let (driver, remarks) =
            session_setup::prepare(&config, setup, paths, chosen, shared, Presence::Lines)?;
        remarks.iter().for_each(|remark| out::remark(remark));
        one_look(driver, |event| {
            if printed.is_ok() {
                printed = print(&event);
            }
            if let Event::Critique(event) = event {
                critique.push(event);
            }
        })
        .await;
        anyhow::Ok(())
    })?;
    runtime.shutdown_timeout(exec::AT_THE_END);
    printed?;
    MarksFile::new(&paths.store).take_critique(&critique, &lock(&engine).unshown()?)
}

fn print(event: &Event) -> anyhow::Result<()> {
    let lines = event_lines::lines(event);
    match event {
        Event::Critique(CritiqueEvent::Ended(_)) => {
            lines.iter().try_for_each(|line| out::line(&line.in_one()))
        }
        Event::Fault(_) => {
            lines.iter().for_each(out::event_line);
            Ok(())
        }
        _ => Ok(()),
    }
}
