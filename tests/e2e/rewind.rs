//! Esc twice in a terminal: back to an earlier prompt, with the files or without.

use serde_json::json;

use crate::screen::Screen;
use crate::server::Server;
use crate::world::World;

const ESC: &str = "\x1b";

/// Has the model replace a line of `a.txt`, and the user approve it.
fn edit(screen: &mut Screen, server: &Server, prompt: &str, (old, new): (&str, &str)) {
    screen.press(&format!("{prompt}\r"));
    let arguments = json!({
        "path": "a.txt", "operation": "modify", "description": prompt,
        "edits": [{ "old_text": old, "new_text": new }],
    });
    server.next().call(prompt, "edit_section", &arguments);
    server.next().say("Staged.");
    screen.shows("a approve");
    screen.press("a");
    screen.signs();
    screen.shows("── Written");
    screen.press(ESC);
    screen.turns("Ask for a change", "── Written");
}

/// Opens the list of prompts and takes the newest.
fn back_to_newest(screen: &mut Screen, prompt: &str) {
    screen.press(ESC);
    screen.shows("Esc again");
    screen.press(ESC);
    screen.shows(&format!("▸ {prompt}"));
    screen.press("\r");
}

/// Both go back, the user's own line stays, and the model that is asked again knows of neither. Another process then takes
/// the files of the first prompt back alone, and `signoff redo` puts them back.
#[test]
fn conversation_and_files_go_back_together_and_files_alone() {
    let world = World::new(&[("a.txt", "one\ntwo\nthree\n")]);
    let server = Server::start();
    let url = server.url();
    let arguments = ["--url", &url, "--model", "m"];
    let mut screen = Screen::open(&world, &arguments);
    screen.shows("ready");
    edit(&mut screen, &server, "first", ("one", "1"));
    edit(&mut screen, &server, "second", ("two", "2"));
    assert_eq!(world.text("a.txt"), "1\n2\nthree\n");
    world.write("a.txt", "1\n2\nthree\nmine\n");
    back_to_newest(&mut screen, "second");
    screen.shows("1 change in 1 file was written since.");
    screen.shows("2 + two");
    screen.shows("c conversation");
    screen.press("b");
    screen.shows("Back before: second.");
    screen.shows("↶ a.txt");
    assert_eq!(world.text("a.txt"), "1\ntwo\nthree\nmine\n");
    screen.press(" again\r");
    let asked = server.next();
    assert_eq!(asked.said_by("user"), ["first", "second again"]);
    let notices = asked.said_by("system").join("\n");
    assert!(!notices.contains("reverted a change"), "{notices}");
    asked.say("Done.");
    screen.shows("Done.");
    screen.press("\x04");
    assert_eq!(screen.left().code, 0);

    let mut screen = Screen::open(&world, &[&arguments[..], &["--continue"]].concat());
    screen.shows("ready");
    screen.shows("second again");
    // Nothing was written since this prompt: nothing is asked.
    back_to_newest(&mut screen, "second again");
    screen.shows("Back before: second again.");
    screen.press("\x03");
    back_to_newest(&mut screen, "first");
    screen.shows("1 change in 1 file was written since.");
    screen.shows("c conversation");
    screen.press("f");
    screen.shows("↶ a.txt");
    assert_eq!(world.text("a.txt"), "one\ntwo\nthree\nmine\n");
    screen.press("\x04");
    assert_eq!(screen.left().code, 0);
    world.run(&["redo", "a.txt"]).done();
    assert_eq!(world.text("a.txt"), "1\ntwo\nthree\nmine\n");
}
