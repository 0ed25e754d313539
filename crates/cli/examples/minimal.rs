//! The least that a ratatui program for prompts can do: raw mode, the other screen, typed characters, Enter.
//!
//! In: `--url URL`, keys. Out: the characters typed so far, sent to the server by Enter, and its answer. The start-up
//! benchmark compares with it.

use std::io::{Error, Read as _, Write as _};
use std::net::TcpStream;

use ratatui::crossterm::event::{self, Event, KeyCode};

fn main() -> std::io::Result<()> {
    let url = std::env::args().nth(2).unwrap_or_default();
    let mut terminal = ratatui::try_init()?;
    let mut text = String::new();
    let outcome = loop {
        let drawn = terminal.draw(|frame| frame.render_widget(text.as_str(), frame.area()));
        if let Err(error) = drawn {
            break Err(error);
        }
        match event::read() {
            Ok(Event::Key(key)) => match key.code {
                KeyCode::Char(c) => text.push(c),
                KeyCode::Enter => match send(&url, &text) {
                    Ok(answer) => text = answer,
                    Err(error) => break Err(error),
                },
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

/// Sends a prompt over a connection of its own, and returns the first words of the answer.
fn send(url: &str, prompt: &str) -> std::io::Result<String> {
    let (host, path) = url
        .strip_prefix("http://")
        .and_then(|rest| rest.split_once('/'))
        .ok_or_else(|| Error::other("--url takes http://HOST:PORT/PATH"))?;
    let mut server = TcpStream::connect(host)?;
    let length = prompt.len();
    write!(
        server,
        "POST /{path} HTTP/1.1\r\nhost: {host}\r\ncontent-length: {length}\r\n\r\n{prompt}"
    )?;
    let mut answer = vec![0; 64 * 1024];
    let read = server.read(&mut answer)?;
    answer.truncate(read);
    let answer = String::from_utf8_lossy(&answer);
    let words = answer
        .split_once("\"content\":\"")
        .and_then(|(_, rest)| rest.split_once('"'));
    Ok(words.map_or_else(String::new, |(words, _)| words.to_owned()))
}
