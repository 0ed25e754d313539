//! What changes come to, and the history by change, in a terminal.

use serde_json::json;

use crate::screen::Screen;
use crate::server::Server;
use crate::world::World;

const ENTER: &str = "\r";
const ESC: &str = "\x1b";

/// Rounds of repair are one diff, which is read while the model goes on.
#[test]
fn a_net_diff_is_read_while_the_model_works() {
    let world = World::new(&[("notes.md", "# Title\n\nText.\n")]);
    let server = Server::start();
    let url = server.url();
    let mut screen = Screen::open(&world, &["--url", &url, "--model", "m"]);
    screen.shows("ready");
    screen.press("/mode turn\r");
    screen.shows("· turn ·");
    screen.press("say words\r");
    let edit = |old: &str, new: &str| {
        json!({
            "path": "notes.md", "operation": "modify", "description": "say words",
            "edits": [{ "old_text": old, "new_text": new }],
        })
    };
    server
        .next()
        .call("call_1", "edit_section", &edit("Text.", "Wrods."));
    server
        .next()
        .call("call_2", "edit_section", &edit("Wrods.", "Words."));
    let mut answer = server.next().stream();
    answer.text("Now I look");
    screen.shows("Now I look");
    screen.press("/diff session\r");
    screen.shows("This conversation  1 file  +1 -1");
    screen.shows("3   - Text.");
    screen.shows("  3 + Words.");
    screen.press(ESC);
    screen.turns("Now I look", "This conversation");
    answer.text(" at it again.");
    answer.end("stop");
    screen.shows("1 hunk waits");
    screen.press("/diff\r");
    screen.shows("What waits  1 file  +1 -1");
    assert_eq!(world.text("notes.md"), "# Title\n\nText.\n");
}

#[test]
fn a_change_is_taken_back_in_all_of_its_files_from_the_history() {
    let text = "fn old_name() -> i32 {\n    1\n}\n";
    let world = World::new(&[("src/a.rs", text), ("src/b.rs", text)]);
    let before = world.files();
    world
        .run(&["exec", "--offline", "rename old_name to new_name"])
        .done();
    world.run(&["approve", "--all"]).done();
    assert_ne!(world.files(), before);
    let mut screen = Screen::open(&world, &["--offline"]);
    screen.shows("ready");
    screen.press("/history\r");
    screen.shows("rename old_name to new_name, 2 files, +2 -2");
    screen.press("l");
    screen.shows("src/b.rs  +1 -1");
    screen.press(ENTER);
    screen.shows("── rename old_name to new_name  2 files  +2 -2");
    screen.shows("1 + fn new_name() -> i32 {");
    screen.press(ESC);
    screen.shows("── History");
    screen.press("o");
    screen.shows("Revert \"rename old_name to new_name\", in 2 files");
    screen.shows("y yes");
    screen.press("y");
    screen.shows("↶ src/b.rs");
    assert_eq!(world.files(), before);
    screen.press("/history\r");
    screen.shows("rename old_name to new_name, 2 files, +2 -2  reverted");
}

/// A file that changed since stays, is said to, and comes as a proposal; the others go back.
#[test]
fn a_change_that_can_be_taken_back_in_part_is_after_a_question() {
    let text = "fn old_name() -> i32 {\n    1\n}\n";
    let world = World::new(&[("src/a.rs", text), ("src/b.rs", text), ("src/c.rs", text)]);
    world
        .run(&["exec", "--offline", "rename old_name to new_name"])
        .done();
    world.run(&["approve", "--all"]).done();
    let mine = "fn my_name() -> i32 {\n    1\n}\n";
    world.write("src/b.rs", mine);
    let mut screen = Screen::open(&world, &["--offline"]);
    screen.shows("ready");
    screen.press("/undo\r");
    screen.shows("2 of 3 files go back; src/b.rs changed since: it comes as a proposal");
    screen.shows("| fn my_name() -> i32 {");
    screen.shows("y yes");
    screen.press("y");
    screen.shows("1 hunk waits");
    screen.shows("- fn my_name() -> i32 {");
    assert_eq!(world.text("src/a.rs"), text);
    assert_eq!(world.text("src/c.rs"), text);
    assert_eq!(world.text("src/b.rs"), mine);
}

/// The user chooses the place of an edit that the model left open; the model learns of it.
#[test]
fn an_edit_that_fits_two_places_goes_where_the_user_wants_it() {
    let text = "fn first() {\n    done()\n}\n\nfn last() {\n    done()\n}\n";
    let world = World::new(&[("a.rs", text)]);
    let server = Server::start();
    let url = server.url();
    let mut screen = Screen::open(&world, &["--url", &url, "--model", "m"]);
    screen.shows("ready");
    screen.press("close the last one\r");
    let arguments = json!({
        "path": "a.rs", "operation": "modify", "description": "close the handle",
        "edits": [{ "old_text": "done()", "new_text": "close()" }],
    });
    server.next().call("call_1", "edit_section", &arguments);
    screen.shows("a.rs: 2 places fit; /places shows them");
    server.next().say("Which one do you mean?");
    screen.shows("Which one do you mean?");
    screen.press("/places\r");
    screen.shows("── a.rs: 2 places fit");
    screen.shows("2  line 6");
    screen.shows("1-9 choose");
    screen.press("2");
    screen.shows("1 hunk waits");
    screen.shows("6 +     close()");
    screen.shows("a approve");
    screen.press("a");
    screen.signs();
    screen.shows("written a.rs");
    let expected = text
        .replacen("done()", "close()", 2)
        .replacen("close()", "done()", 1);
    assert_eq!(world.text("a.rs"), expected);
    screen.press("\x1b");
    screen.press("go on\r");
    let asked = server.next();
    let notices = asked.said_by("system").join("\n");
    assert!(
        notices.contains("The user chose line 6 for your edit of a.rs"),
        "{notices}"
    );
}
