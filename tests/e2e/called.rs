//! What goes to the terminal beside the screen: title, bell, notifications and copies.

use crate::screen::Screen;
use crate::server::Server;
use crate::world::World;

const FOCUS_LOST: &str = "\x1b[O";
const CTRL_T: &str = "\x14";

#[test]
fn a_user_who_looks_elsewhere_is_called_and_the_title_is_given_back() {
    let world = World::new(&[]);
    let server = Server::start();
    let url = server.url();
    let mut screen = Screen::open(&world, &["--url", &url, "--model", "m", "hello"]);
    let mut answer = server.next().stream();
    answer.text("One moment");
    screen.shows("One moment");
    screen.press(FOCUS_LOST);
    // Keys are read in order.
    screen.press("x");
    screen.shows("› x");
    assert!(!screen.wrote("\x07\x1b]9;"));
    answer.text(".");
    answer.end("stop");
    screen.writes("\x07\x1b]9;signoff: done\x07");
    assert!(screen.wrote("\x1b[22;0t\x1b]2;signoff: "));
    screen.press("\x03\x03");
    let left = screen.left();
    assert_eq!(left.code, 0);
    assert!(left.raw.ends_with("\x1b[?1049l"), "{:?}", left.raw);
    assert!(left.raw.contains("\x1b[23;0t"));
    assert!(left.raw.contains("\x1b[?1004l"));
}

#[test]
fn nothing_is_said_where_the_user_does_not_want_it() {
    let world = World::new(&[]);
    world.configure("[interface]\nnotify = false\n");
    let server = Server::start();
    let url = server.url();
    let mut screen = Screen::open(&world, &["--url", &url, "--model", "m", "hello"]);
    screen.press(FOCUS_LOST);
    screen.press("x");
    screen.shows("› x");
    server.next().say("All of it.");
    screen.shows("All of it.");
    screen.shows("ready");
    assert!(!screen.wrote("\x1b]9;") && !screen.wrote("\x1b]2;"));
}

#[test]
fn a_block_of_code_is_copied_and_a_conversation_exported() {
    let world = World::new(&[("mine.md", "mine\n")]);
    let server = Server::start();
    let url = server.url();
    let mut screen = Screen::open(&world, &["--url", &url, "--model", "m", "hello"]);
    server.next().say("So:\n\n```sh\nls -l\n```\n");
    screen.shows("ls -l");
    screen.shows("ready");
    screen.press(CTRL_T);
    screen.shows("y copy");
    screen.press("j");
    screen.shows("▌   ls -l");
    screen.press("y");
    screen.shows("1 line handed");
    // The code and its line break, in Base64.
    assert!(screen.wrote("\x1b]52;c;bHMgLWwK\x07"));
    screen.press("\x1b");
    screen.turns("Ask for a change", "▌");
    screen.press("/export mine.md\r");
    screen.says("exists and stays as it is");
    screen.press("/export new.md\r");
    screen.says("The conversation is in");
    assert_eq!(world.text("mine.md"), "mine\n");
    assert!(
        world
            .text("new.md")
            .contains("## Model\n\nSo:\n\n```sh\nls -l\n```\n")
    );
}
