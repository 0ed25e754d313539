//! Bytes written to the terminal while an answer streams in.

use crate::screen::Screen;
use crate::server::Server;
use crate::world::World;

fn line(number: usize) -> String {
    format!("Line {number} says something of ordinary length, `as answers do`, and ends.\n")
}

/// An answer that comes as fast as it can takes fewer bytes than it has: a frame shows many lines.
#[test]
fn a_fast_answer_takes_less_than_its_bytes() {
    let world = World::new(&[]);
    let server = Server::start();
    let url = server.url();
    let mut screen = Screen::open(&world, &["--url", &url, "--model", "m", "count"]);
    let mut answer = server.next().stream();
    answer.text("Begin.\n");
    screen.shows("Begin.");
    let before = screen.read();
    let text: Vec<String> = (0..2_000).map(line).collect();
    text.iter().for_each(|line| answer.text(line));
    screen.shows("Line 1999 ");
    let written = screen.read() - before;
    let all = text.concat().len();
    assert!(written < all, "{written} bytes for {all}");
    answer.end("stop");
}

/// One that comes line by line takes little more than it has, though each line is a frame.
#[test]
fn a_slow_answer_takes_little_more_than_its_bytes() {
    let world = World::new(&[]);
    let server = Server::start();
    let url = server.url();
    let mut screen = Screen::open(&world, &["--url", &url, "--model", "m", "count"]);
    let mut answer = server.next().stream();
    let mut streams = |range: std::ops::Range<usize>| {
        let before = screen.read();
        let mut all = 0;
        for number in range {
            let line = line(number);
            answer.text(&line);
            screen.shows(&format!("Line {number} says"));
            all += line.len();
        }
        (screen.read() - before, all)
    };
    // The first ones fill the screen.
    streams(0..30);
    let (written, all) = streams(30..130);
    assert!(written * 2 < all * 3, "{written} bytes for {all}");
    answer.end("stop");
}
