//! Prompts in a terminal: queued ones, and those of earlier runs.

use std::fs;

use serde_json::json;

use crate::screen::Screen;
use crate::server::Server;
use crate::world::{World, signal};

const UP: &str = "\x1b[A";
const DOWN: &str = "\x1b[B";
const ENTER: &str = "\r";
const CTRL_C: &str = "\x03";

/// Returns where a text stands on the screen, as its row.
fn row_of(screen: &Screen, text: &str) -> usize {
    let contents = screen.contents();
    let row = contents.lines().position(|row| row.contains(text));
    row.unwrap_or_else(|| panic!("{text:?} is not in\n{contents}"))
}

/// What is sent while an answer comes is listed with what it waits for, and goes out in its order.
#[test]
fn queued_prompts_are_listed_and_go_out_in_their_order() {
    let world = World::new(&[("notes.md", "Text.\n")]);
    let server = Server::start();
    let url = server.url();
    let mut screen = Screen::open(&world, &["--url", &url, "--model", "m", "first"]);
    let mut answer = server.next().stream();
    answer.text("Let me see");
    screen.shows("Let me see");
    for prompt in ["second", "third"] {
        screen.press(prompt);
        screen.shows(&format!("› {prompt}"));
        screen.press(ENTER);
        screen.shows(&format!("· queued: {prompt}"));
    }
    screen.shows("2 prompts queued: wait for the answer");
    assert!(row_of(&screen, "queued: second") < row_of(&screen, "queued: third"));
    assert!(!server.was_asked(), "one at a time");
    answer.end("stop");
    let asked = server.next();
    assert_eq!(asked.said_by("user"), ["first", "second"]);
    screen.turns("1 prompt queued: waits for the answer", "queued: second");
    // A proposal comes before the next prompt.
    asked.call(
        "call_1",
        "edit_section",
        &json!({
            "path": "notes.md", "operation": "modify", "description": "say words",
            "edits": [{ "old_text": "Text.", "new_text": "Words." }],
        }),
    );
    server.next().say("It is staged.");
    screen.shows("1 prompt queued: waits for your verdicts");
    assert!(!server.was_asked(), "not before the verdict");
    screen.press("/approve all\r");
    let asked = server.next();
    let said = asked.said_by("user");
    assert_eq!(said.last(), Some(&"third"), "{said:?}");
    screen.turns("written notes.md", "queued");
    asked.say("All done.");
    screen.shows("All done.");
}

/// Prompts of earlier runs come back with Up, the newest first, also after a kill.
#[test]
fn prompts_are_remembered_over_a_restart() {
    let world = World::new(&[]);
    let mut screen = Screen::open(&world, &["--offline"]);
    screen.shows("ready");
    for prompt in ["one\ntwo".replace('\n', "\x1b\r"), "漢字 third".to_owned()] {
        screen.press(&prompt);
        screen.wait("all of the prompt", |screen| {
            let contents = screen.contents();
            contents.contains("two") || contents.contains("third")
        });
        screen.press(ENTER);
        screen.turns("Ask for a change", "› two");
    }
    screen.press("/status\r");
    screen.shows("Nothing waits for a verdict");
    screen.signal("KILL");
    drop(screen);
    let mut screen = Screen::open(&world, &["--offline"]);
    screen.shows("ready");
    screen.press(UP);
    screen.shows("› /status");
    screen.press(UP);
    screen.shows("› 漢字 third");
    screen.press(UP);
    screen.turns("› one", "third");
    screen.shows("two");
    screen.press(DOWN);
    screen.turns("› 漢字 third", "two");
    screen.press(CTRL_C);
    screen.turns("Ask for a change", "third");
    // Another folder has its own.
    let other = World::new(&[]);
    let mut screen = Screen::open(&other, &["--offline"]);
    screen.shows("ready");
    screen.press(&[UP, "x"].concat());
    screen.turns("› x", "third");
}

/// What is typed for the interface reaches no model.
#[test]
fn commands_are_answered_and_no_model_is_asked() {
    let world = World::new(&[("a.txt", "a 1\n")]);
    world.stage(json!([crate::world::section("a.txt", "a 1", "a 2")]));
    let server = Server::start();
    let url = server.url();
    let mut screen = Screen::open(&world, &["--url", &url, "--model", "m"]);
    screen.shows("m (");
    screen.shows("1 hunk waits: Tab");
    for (typed, said) in [
        ("/status", "mode: step; model: m"),
        ("/reject", "/deny REASON denies all that wait"),
        ("/login", "there are no accounts"),
        ("/mcp", "no MCP server is configured"),
        ("/aprove", "did you mean /approve?"),
    ] {
        screen.press(typed);
        screen.shows(&format!("› {typed}"));
        screen.press(ENTER);
        screen.shows(said);
        if screen.contents().contains(&format!("› {typed}")) {
            screen.press(CTRL_C);
            screen.turns("Ask for a change", &format!("› {typed}"));
        }
    }
    screen.press("/review\r");
    screen.shows("── Review");
    screen.shows("+ a 2");
    assert!(!server.was_asked());
    assert_eq!(world.text("a.txt"), "a 1\n");
}

/// `@` lists files and definitions of the folder, those that git ignores left out; what is chosen reaches the model.
#[test]
fn files_and_definitions_are_mentioned_from_a_list() {
    let world = World::new(&[
        (".gitignore", "out/\n"),
        ("out/basket.txt", "none\n"),
        ("src/basket.rs", "pub fn total_price() -> u32 {\n    1\n}\n"),
    ]);
    let server = Server::start();
    let url = server.url();
    let mut screen = Screen::open(&world, &["--url", &url, "--model", "m"]);
    screen.shows("ready");
    // A key for itself: keys that come at once are a paste.
    screen.press("explain ");
    screen.shows("› explain");
    screen.press("@");
    screen.shows("  src/basket.rs");
    screen.press("bask");
    screen.turns("▸ src/basket.rs", "  .gitignore");
    assert!(!screen.contents().contains("out/"), "{}", screen.contents());
    screen.press("\t");
    screen.turns("› explain @src/basket.rs", "▸");
    screen.press("@");
    screen.shows("▸ ");
    screen.press("total");
    screen.shows("▸ total_price");
    screen.press(ENTER);
    screen.turns("@src/basket.rs @total_price", "▸");
    screen.press(ENTER);
    let asked = server.next();
    assert_eq!(
        asked.said_by("user"),
        ["explain @src/basket.rs @total_price"]
    );
    let told = asked.said_by("system").join("\n");
    assert!(told.contains("pub fn total_price()"), "{told}");
    asked.say("It is one.");
    screen.shows("It is one.");
}

/// The unsent text is there after a kill, and gone once it was sent or cleared.
#[test]
fn an_unsent_prompt_survives_a_kill() {
    let world = World::new(&[]);
    let mut screen = Screen::open(&world, &["--offline"]);
    screen.shows("ready");
    screen.press("half a\x1b\rthought");
    screen.shows("  thought");
    // The next frame comes after the text was written.
    screen.press("!");
    screen.shows("thought!");
    screen.signal("KILL");
    drop(screen);
    let mut screen = Screen::open(&world, &["--offline"]);
    screen.shows("› half a");
    screen.shows("  thought");
    screen.shows("ready");
    screen.press(CTRL_C);
    screen.turns("Ask for a change", "thought");
    screen.press("\x04");
    assert_eq!(screen.left().code, 0);
    let mut screen = Screen::open(&world, &["--offline"]);
    screen.turns("ready", "thought");
}

/// The prompt goes to the user's editor and comes back; an editor that fails changes nothing.
#[test]
fn a_prompt_is_written_in_the_users_own_editor() {
    let world = World::new(&[]);
    world.edit_by("echo Editing; read typed; test $typed != no && echo $typed words >> \"$1\"");
    let mut screen = Screen::open(&world, &["--offline"]);
    screen.shows("ready");
    screen.press("some");
    screen.shows("› some");
    screen.press("\x07");
    screen.shows("Editing");
    screen.press("more\r");
    screen.shows("› somemore words");
    screen.press("\x07");
    screen.shows("Editing");
    screen.press("no\r");
    screen.says("ended with exit status: 1");
    screen.shows("› somemore words");
}

/// Ctrl-Z gives the terminal to the shell, and so does a signal from outside; `fg` brings the interface back with what was
/// typed. The job may be a script around signoff.
#[test]
fn the_interface_is_stopped_and_continued_by_the_shell() {
    for (job, stop) in [
        ("\"$0\" --offline", None),
        ("sh -c '\"$0\" --offline; :' \"$0\"", None),
        (
            "sh -c 'echo $$ > \"$HOME/job\"; exec \"$0\" --offline' \"$0\"",
            Some("job"),
        ),
    ] {
        let world = World::new(&[]);
        let script =
            format!("set -m; {job}; echo it stopped; read line; echo got $line; fg; echo over");
        let mut screen = Screen::under_shell(&world, &script);
        screen.shows("ready");
        screen.press("typed");
        screen.shows("› typed");
        match stop {
            None => screen.press("\x1a"),
            Some(file) => {
                let id = fs::read_to_string(world.beside("home").join(file)).unwrap();
                assert!(signal(id.trim().parse().unwrap(), "TSTP"));
            }
        }
        screen.shows("it stopped");
        let is_ours = screen.contents().contains("› typed");
        assert!(!is_ours, "{job}: {}", screen.contents());
        // The line is the shell's: it echoes, and ends lines.
        screen.press("words\r");
        screen.shows("› typed");
        screen.press("!");
        screen.shows("› typed!");
        screen.press(CTRL_C);
        screen.turns("Ask for a change", "typed");
        screen.press("\x04");
        let left = screen.left();
        assert_eq!(left.code, 0, "{job}");
        for said in ["got words", "over"] {
            assert!(left.contents.contains(said), "{job}: {}", left.contents);
        }
    }
}

/// An editor stops its job, of which signoff is a part: the shell would wait for it for ever.
#[test]
fn an_editor_that_is_stopped_gives_the_terminal_to_the_shell() {
    let world = World::new(&[]);
    world.edit_by("echo Editing; kill -TSTP 0; echo words >> \"$1\"");
    let script = "set -m; \"$0\" --offline; echo it stopped; read line; fg; echo over";
    let mut screen = Screen::under_shell(&world, script);
    screen.shows("ready");
    screen.press("some");
    screen.shows("› some");
    screen.press("\x07");
    screen.shows("it stopped");
    screen.press("\r");
    screen.shows("› somewords");
    screen.press(CTRL_C);
    screen.turns("Ask for a change", "somewords");
    screen.press("\x04");
    assert_eq!(screen.left().code, 0);
}

/// In a terminal without a shell nothing would continue it: it stays.
#[test]
fn the_interface_stays_where_no_shell_could_continue_it() {
    let world = World::new(&[]);
    let mut screen = Screen::open(&world, &["--offline"]);
    screen.shows("ready");
    screen.press("\x1a");
    screen.press("typed");
    screen.shows("› typed");
    screen.signal("TSTP");
    screen.press("!");
    screen.shows("› typed!");
}

/// A command of the user's runs on the files as staged; what it changes waits, and the model learns of it.
#[test]
fn a_command_of_the_users_runs_and_its_changes_wait() {
    let world = World::new(&[("a.txt", "one\n")]);
    let server = Server::start();
    let url = server.url();
    let mut screen = Screen::open(&world, &["--url", &url, "--model", "m"]);
    screen.shows("m (");
    screen.press("!cat a.txt; echo two >> a.txt");
    screen.shows("› !cat a.txt");
    screen.press(ENTER);
    screen.shows("1 hunk waits: Tab");
    screen.shows("│ one");
    assert!(
        !screen.contents().contains("Allow bash?"),
        "{}",
        screen.contents()
    );
    assert_eq!(world.text("a.txt"), "one\n");
    assert!(!server.was_asked(), "nothing is asked of the model");
    screen.press("\t");
    screen.shows("  2 + two");
    screen.press("\t");
    screen.shows("› Ask for a change");
    screen.press("/approve all\r");
    screen.shows("written a.txt");
    assert_eq!(world.text("a.txt"), "one\ntwo\n");
    screen.press("why?\r");
    let asked = server.next();
    assert!(asked.said_by("user")[0].starts_with("!cat a.txt;"));
    let output = asked.said_by("tool").join("\n");
    assert!(output.contains("one"), "{output}");
    asked.say("Because.");
    screen.shows("Because.");
}

/// What was asked behind the prompt that was gone back to reaches no model any more, in a later run neither.
#[test]
fn the_conversation_goes_on_from_an_earlier_prompt() {
    let world = World::new(&[]);
    let server = Server::start();
    let url = server.url();
    let mut screen = Screen::open(&world, &["--url", &url, "--model", "m", "first"]);
    server.next().say("Answer one.");
    screen.shows("Answer one.");
    screen.press("second\r");
    server.next().say("Answer two.");
    screen.shows("Answer two.");
    // Before that, Esc stops the turn.
    screen.shows("ready");
    screen.press("\x1b");
    screen.shows("Esc again");
    screen.press("\x1b");
    screen.shows("▸ second");
    screen.press(ENTER);
    screen.shows("Back before: second.");
    screen.shows("› second");
    screen.press(" try\r");
    let asked = server.next();
    assert_eq!(asked.said_by("user"), ["first", "second try"]);
    asked.say("Answer three.");
    screen.shows("Answer three.");
    screen.press("\x04");
    assert_eq!(screen.left().code, 0);
    let arguments = ["--url", &url, "--model", "m", "--continue", "third"];
    let _screen = Screen::open(&world, &arguments);
    let asked = server.next();
    assert_eq!(asked.said_by("user"), ["first", "second try", "third"]);
}
