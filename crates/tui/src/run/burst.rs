//! Keys as they are read: one, or all that come at once.

use std::io;
use std::time::Duration;

use ratatui::crossterm::event;

use super::BATCH;
use crate::app::Msg;
use crate::keymap;

/// Keys that follow each other faster are no person's typing: a paste, or a program.
const BURST_GAP: Duration = Duration::from_millis(8);

/// Returns whether no key may be read before this one was dealt with: it may open the editor,
/// and then keys are the editor's.
pub(super) fn holds_keys(event: &event::Event) -> bool {
    matches!(event, event::Event::Key(key) if key.code == event::KeyCode::Char('e'))
}

/// Reads the next key, or all keys that come at once if a letter is among them.
pub(super) fn read_burst() -> io::Result<Vec<Msg>> {
    let mut keys = Vec::new();
    let mut last = None;
    loop {
        match event::read()? {
            event::Event::Key(key) => keys.push(key),
            other => last = Some(other),
        }
        if last.is_some() || keys.len() >= BATCH || !event::poll(BURST_GAP)? {
            break;
        }
    }
    let types = keys.iter().any(|key| keymap::typed(*key).is_some());
    let mut burst = if types && keys.len() > 1 {
        vec![Msg::Burst(keys)]
    } else {
        let keys = keys.into_iter().map(event::Event::Key);
        keys.map(Msg::Terminal).collect()
    };
    burst.extend(last.map(Msg::Terminal));
    Ok(burst)
}
