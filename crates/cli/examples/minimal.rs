//! The least that a ratatui program can do: raw mode, the other screen, typed characters.
//!
//! In: keys. Out: the characters typed so far. The start-up benchmark compares with it.

use ratatui::crossterm::event::{self, Event, KeyCode};

fn main() -> std::io::Result<()> {
    let mut terminal = ratatui::try_init()?;
    let mut typed = String::new();
    let outcome = loop {
        let drawn = terminal.draw(|frame| frame.render_widget(typed.as_str(), frame.area()));
        if let Err(error) = drawn {
            break Err(error);
        }
        match event::read() {
            Ok(Event::Key(key)) => match key.code {
                KeyCode::Char(c) => typed.push(c),
                KeyCode::Esc => break Ok(()),
                _ => {}
            },
            Ok(_) => {}
            Err(error) => break Err(error),
        }
    };
    ratatui::try_restore()?;
    outcome
}
