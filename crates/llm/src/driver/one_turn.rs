//! A conversation of one turn, as `signoff exec` has it.

use tokio::sync::mpsc;

use super::Driver;
use crate::session::{Command, Event, FaultKind, TurnEnd};

/// Runs one turn and returns how it ended.
pub async fn exec(
    driver: Driver,
    prompt: String,
    mut on_event: impl FnMut(Event) + Send,
) -> TurnEnd {
    let (sender, commands) = mpsc::unbounded_channel();
    let mut sender = sender
        .send(Command::Submit(prompt))
        .is_ok()
        .then_some(sender);
    let mut ended = TurnEnd::Failed;
    let watch = |event: Event| {
        match &event {
            Event::TurnEnded { end } if sender.is_some() => {
                ended = *end;
                sender = None;
            }
            // The prompt was not taken: no turn will end.
            Event::Fault(fault) if fault.kind == FaultKind::Usage => sender = None,
            _ => {}
        }
        on_event(event);
    };
    driver.run(commands, watch).await;
    ended
}
