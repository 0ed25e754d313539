//! A conversation of one turn, as `signoff exec` has it, or of one look of the review agent.

use signoff_core::stage::review::critique::CritiqueEvent;
use tokio::sync::mpsc;

use super::Driver;
use crate::session::{Command, Event, FaultKind, TurnEnd};

/// Runs the turn that these commands begin, with others that answer events of it, and returns how it ended.
pub async fn one_turn(
    driver: Driver,
    begin: impl IntoIterator<Item = Command>,
    mut on_event: impl FnMut(Event) -> Option<Command> + Send,
) -> TurnEnd {
    let (sender, commands) = mpsc::unbounded_channel();
    let is_sent = begin
        .into_iter()
        .map(|command| sender.send(command))
        .all(|sent| sent.is_ok());
    let mut sender = is_sent.then_some(sender);
    let mut ended = TurnEnd::Failed;
    driver
        .run(commands, |event| {
            let is_over = match &event {
                Event::TurnEnded { end } => {
                    if sender.is_some() {
                        ended = *end;
                    }
                    true
                }
                // The prompt was not taken: no turn will end.
                Event::Fault(fault) => fault.kind == FaultKind::Usage,
                _ => false,
            };
            if is_over {
                sender = None;
            }
            if let (Some(answer), Some(sender)) = (on_event(event), &sender) {
                // Once the driver is gone, nothing waits for the answer.
                let _gone = sender.send(answer);
            }
        })
        .await;
    ended
}

/// Has the review agent look at what waits, once.
pub async fn one_look(driver: Driver, mut on_event: impl FnMut(Event) + Send) {
    let (sender, commands) = mpsc::unbounded_channel();
    // A conversation knows what waits once it has the list.
    let is_sent = sender.send(Command::Review).is_ok();
    let mut sender = is_sent.then_some(sender);
    let mut is_asked = false;
    driver
        .run(commands, |event| {
            let is_listed = matches!(event, Event::Review(_));
            if is_listed && !std::mem::replace(&mut is_asked, true) {
                let asked = sender.as_ref().map(|own| own.send(Command::Critique));
                if asked.is_some_and(|asked| asked.is_err()) {
                    sender = None;
                }
            }
            if matches!(
                event,
                Event::Critique(CritiqueEvent::Ended(_)) | Event::Fault(_)
            ) {
                sender = None;
            }
            on_event(event);
        })
        .await;
}

/// Runs the turn of one prompt, which answers nothing.
#[cfg(test)]
pub(super) async fn exec(
    driver: Driver,
    prompt: String,
    mut on_event: impl FnMut(Event) + Send,
) -> TurnEnd {
    one_turn(driver, [Command::Submit(prompt)], |event| {
        on_event(event);
        None
    })
    .await
}
