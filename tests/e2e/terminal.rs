//! The terminal interface, in a terminal.

use serde_json::{Value, json};

use crate::screen::Screen;
use crate::server::Server;
use crate::world::{World, section};

const MAIN: &str = "fn old_name() -> i32 {\n    1\n}\n\nfn main() {\n    old_name();\n}\n";
const ENTER: &str = "\r";
const CTRL_C: &str = "\x03";
const ESC: &str = "\x1b";

fn world() -> World {
    World::new(&[("src/main.rs", MAIN)])
}

#[test]
fn a_rename_is_reviewed_written_and_taken_back() {
    let world = world();
    let before = world.files();
    let mut screen = Screen::open(&world, &["--offline"]);
    screen.shows("ready");
    screen.press("rename old_name to new_name");
    screen.shows("rename old_name to new_name");
    screen.press(ENTER);
    screen.shows("hunks wait");
    screen.shows("old_name → new_name");
    screen.shows("0 of 4 lines to be read");
    screen.shows("A all");
    screen.press("z");
    screen.shows("fn new_name() -> i32 {");
    screen.shows("A all");
    assert_eq!(
        world.files(),
        before,
        "nothing is written before it is approved"
    );

    screen.press("A");
    screen.wait("the question, and keys that answer it", |screen| {
        let contents = screen.contents();
        contents.contains("all were displayed: A approves them") && contents.contains("A all")
    });
    screen.press("A");
    screen.shows("To be written: 2 hunks in 1 file");
    assert_eq!(world.files(), before, "nothing is written before Enter");
    screen.signs();
    screen.shows("written src/main.rs");
    assert_eq!(
        world.text("src/main.rs"),
        MAIN.replace("old_name", "new_name")
    );
    screen.turns("ready", "── Review");

    screen.press("/history\r");
    screen.shows("── History");
    screen.shows("new_name, src/main.rs, +2 -2");
    screen.press("r");
    screen.shows("Revert?");
    screen.shows("y yes");
    screen.press("y");
    screen.shows("↶ src/main.rs");
    assert_eq!(world.files(), before);

    screen.press("\x04");
    let left = screen.left();
    assert_eq!(left.code, 0);
}

#[test]
fn hunks_are_approved_and_denied_one_by_one() {
    let world = world();
    let mut screen = Screen::open(&world, &["--offline", "rename old_name to new_name"]);
    screen.shows("2 hunks wait");
    screen.shows("a approve");
    screen.press("a");
    screen.shows("1 marked");
    assert_eq!(world.text("src/main.rs"), MAIN, "a mark is no verdict yet");
    screen.shows("d deny");
    screen.press("d");
    screen.shows("Why deny this hunk?");
    screen.press("not there\r");
    screen.signs();
    screen.shows("1 hunk approved, 1 hunk denied");
    assert_eq!(
        world.text("src/main.rs"),
        MAIN.replacen("old_name", "new_name", 1)
    );
}

/// The editor has the keys while it runs, and the interface has them afterwards.
#[test]
fn a_hunk_is_edited_in_the_users_own_editor() {
    let world = world();
    world.edit_by("echo Editing; read typed; printf 'fn %s() -> i32 {\\n' $typed > \"$1\"");
    let mut screen = Screen::open(&world, &["--offline", "rename old_name to new_name"]);
    screen.shows("2 hunks wait");
    screen.shows("a approve");
    screen.press("e");
    screen.shows("Editing");
    screen.press("enough\r");
    screen.shows("[approve edited]");
    screen.shows("a approve");
    screen.press("a");
    screen.signs();
    screen.shows("2 hunks approved");
    screen.shows("Ask for a change");
    let text = world.text("src/main.rs");
    assert!(text.starts_with("fn enough() -> i32 {\n"), "{text}");
    assert!(text.ends_with("    new_name();\n}\n"), "{text}");
    screen.press("\x04");
    assert_eq!(screen.left().code, 0);
}

/// What was staged without a terminal, and by an interface that was left, is there again.
#[test]
fn what_waits_is_there_when_it_is_opened_again() {
    let world = world();
    world
        .run(&["exec", "--offline", "rename old_name to new_name"])
        .done();
    let mut screen = Screen::open(&world, &["--offline"]);
    screen.shows("2 hunks wait");
    screen.press(&[CTRL_C, CTRL_C].concat());
    let left = screen.left();
    assert!(left.contents.contains("2 hunks wait"), "{}", left.contents);
    assert_eq!(world.text("src/main.rs"), MAIN);
    world.run(&["approve", "--all"]).done();
}

#[test]
fn a_denial_and_its_reason_are_in_the_next_request() {
    let world = World::new(&[("notes.md", "# Title\n\nText.\n")]);
    let server = Server::start();
    let url = server.url();
    let mut screen = Screen::open(&world, &["--url", &url, "--model", "m"]);
    screen.shows("ready");
    screen.press("say words\r");
    let mut answer = server.next().stream();
    answer.call(0, "call_1", "edit_section");
    let arguments = json!({
        "path": "notes.md", "operation": "modify", "description": "say words instead of text",
        "edits": [{ "old_text": "Text.", "new_text": "Words." }],
    });
    let arguments = arguments.to_string();
    let (head, tail) = arguments.split_at(arguments.find("\"edits\"").unwrap());
    answer.arguments(0, head);
    screen.shows("say words instead of text");
    screen.shows("notes.md");
    assert!(
        screen.contents().contains("Editing "),
        "{}",
        screen.contents()
    );
    answer.arguments(0, tail);
    answer.end("tool_calls");
    let closing = server.next();
    assert_eq!(closing.tool_choice(), "none");
    // A call where none may be is answered as well: the next request shows it.
    closing.call("call_2", "read", &json!({ "path": "notes.md" }));

    screen.shows("d deny");
    screen.press("d");
    screen.shows("Why deny this hunk?");
    screen.press("keep the old word");
    screen.shows("keep the old word");
    screen.press(ENTER);
    let asked = server.next();
    assert_eq!(asked.tool_choice(), "auto", "tools are open again");
    let notices = asked.said_by("system");
    let notice = notices.last().unwrap();
    assert!(notice.contains("denied: keep the old word"), "{notice}");
    assert!(notice.contains(proposal(&asked.body)), "{notice}");
    assert!(asked.said_by("tool")[1].starts_with("refused: "));
    asked.say("I leave it as it is.");
    screen.shows("I leave it as it is.");
    assert_eq!(world.text("notes.md"), "# Title\n\nText.\n");
    assert_eq!(world.review(), Vec::<Value>::new());
}

/// Comments that go with verdicts follow them: nothing was decided elsewhere.
#[test]
fn a_comment_is_sent_after_the_verdicts_that_it_goes_with() {
    let world = World::new(&[("notes.md", "# Title\n\nText.\n")]);
    let server = Server::start();
    let url = server.url();
    let mut screen = Screen::open(&world, &["--url", &url, "--model", "m"]);
    screen.shows("ready");
    screen.press("say words\r");
    let edit = json!({
        "path": "notes.md", "operation": "modify", "description": "say words instead of text",
        "edits": [{ "old_text": "Text.", "new_text": "Words." }],
    });
    server.next().call("call_1", "edit_section", &edit);
    server.next().say("Staged.");
    screen.shows("a approve");
    screen.press("m");
    screen.shows("Comment on this hunk");
    screen.press("why not");
    screen.shows("why not");
    screen.press(ENTER);
    screen.shows("a approve");
    screen.press("a");
    screen.shows("To be written: 1 hunk in 1 file");
    screen.signs();
    let asked = server.next();
    let notices = asked.said_by("system").join("\n");
    assert!(notices.contains("hunk 1 kept"), "{notices}");
    asked.say("Since so.");
    screen.shows("Since so.");
    let contents = screen.contents();
    assert!(!contents.contains("made elsewhere"), "{contents}");
    let written = contents.find("1 hunk approved");
    let sent = contents.find("Comments on staged edits");
    assert!(written.is_some() && written < sent, "{contents}");
    assert_eq!(world.text("notes.md"), "# Title\n\nWords.\n");
}

/// Returns the id of the proposal that the answer to the call names.
fn proposal(body: &Value) -> &str {
    let messages = body["messages"].as_array().unwrap();
    let tool = messages
        .iter()
        .find(|message| message["role"] == "tool")
        .unwrap();
    let content = tool["content"].as_str().unwrap();
    let at = content.find("\"proposal\":\"").unwrap() + "\"proposal\":\"".len();
    &content[at..at + 36]
}

/// The user saves the file while the card is open: what they did not see is not written.
#[test]
fn a_file_saved_under_an_open_card_is_not_overwritten() {
    let world = World::new(&[
        ("a.rs", "fn old_name() {}\n"),
        ("b.rs", "fn old_name() {}\n"),
    ]);
    let mut screen = Screen::open(&world, &["--offline", "rename old_name to new_name"]);
    screen.shows("2 hunks wait");
    screen.shows("a approve");
    screen.press("a");
    screen.shows("1 marked: Enter");
    screen.shows("a approve");
    screen.press(ENTER);
    screen.signs();
    // The list is new, since one alone is like no other, so that everything asked of the engine so
    // far has been answered.
    screen.turns("1 hunk waits", "same:");
    assert_eq!(world.text("a.rs"), "fn new_name() {}\n");
    screen.shows("a approve");
    let mine = "// mine\nfn old_name() {}\n";
    world.write("b.rs", mine);
    // The card is another one now, and says so by itself; the keys wait until it was there for a moment.
    screen.shows("moved onto your own change");
    screen.shows("// mine");
    assert_eq!(world.text("b.rs"), mine);
    screen.shows("a approve");
    screen.press("A");
    screen.signs();
    screen.shows("written b.rs");
    assert_eq!(world.text("b.rs"), mine.replace("old_name", "new_name"));
}

/// The end of a command is shown before `y` runs it.
#[test]
fn a_long_command_runs_only_after_its_end_was_shown() {
    let world = world();
    world.runs_on_disk();
    let command = "echo building\n".repeat(30) + "touch made";
    let deltas = json!({ "delta": "call", "name": "bash", "arguments": json!({
        "command": command, "description": "build it",
    }).to_string() });
    let answers = [
        json!({ "deltas": [deltas] }),
        json!({ "deltas": [{ "delta": "text", "text": "Built." }] }),
    ];
    let replay = world.beside("replay.jsonl");
    std::fs::write(&replay, answers.map(|answer| answer.to_string()).join("\n")).unwrap();
    let replay = replay.display().to_string();
    let mut screen = Screen::open(&world, &["--replay", &replay, "build"]);
    for unseen in ["bash: 20 lines unseen", "bash: 8 lines unseen"] {
        screen.shows(unseen);
        screen.shows("y yes");
        assert!(!world.at("made").exists());
        screen.press("y");
    }
    screen.shows("Allow bash?");
    screen.shows("y yes");
    assert!(!world.at("made").exists());
    screen.press("y");
    screen.shows("Built.");
    assert!(world.at("made").exists());
}

/// Another process decides while the card is open: the card shows it without a key.
#[test]
fn what_another_process_decides_is_shown_at_once() {
    let world = world();
    let mut screen = Screen::open(&world, &["--offline", "rename old_name to new_name"]);
    screen.shows("2 hunks wait");
    screen.shows("a approve");
    let id = world.review()[0]["id"].as_str().unwrap().to_owned();
    world.run(&["approve", &format!("{id}#1")]).done();
    screen.shows("hunk 1 of src/main.rs was approved by another signoff process");
    screen.shows("1 hunk waits");
    world.write(
        "src/main.rs",
        format!("// mine\n{}", world.text("src/main.rs")),
    );
    screen.shows("moved onto your own change");
    world.run(&["deny", "--all"]).done();
    screen.shows("hunk 2 of src/main.rs was denied by another signoff process");
    screen.turns("Ask for a change", "── Review");
    assert!(!screen.contents().contains("nothing was written"));
}

/// A denial given before another file turned out to have been saved meanwhile is a denial still.
#[test]
fn verdicts_that_could_not_be_carried_out_stay_marked() {
    let world = World::new(&[("a.txt", "a 1\n"), ("b.txt", "b 1\n"), ("c.txt", "c 1\n")]);
    world.stage(json!([
        section("a.txt", "a 1", "a 2"),
        section("b.txt", "b 1", "b 2"),
        section("c.txt", "c 1", "c 2"),
    ]));
    let mut screen = Screen::open(&world, &["--offline"]);
    screen.shows("built-in planner");
    screen.press("\t");
    screen.shows("a approve");
    // The history comes after the list, so that everything asked of the engine so far has been
    // answered.
    screen.press("h");
    screen.shows("Nothing was written yet.");
    screen.press(ESC);
    screen.shows("a approve");
    screen.press("d");
    screen.shows("Why deny");
    screen.press("not this\r");
    screen.shows("1 marked: Enter");
    screen.shows("a approve");
    screen.press("a");
    screen.shows("2 marked: Enter");
    screen.shows("a approve");
    // A closed review does not look for what is saved.
    screen.press(ESC);
    screen.turns("Ask for a change", "── Review");
    world.write("c.txt", "c 1\nmine\n");
    screen.press("/approve\r");
    screen.signs();
    screen.shows("changed on disk");
    screen.press("\t");
    screen.shows("moved onto your own change");
    screen.shows("2 marked: Enter");
    assert_eq!(world.text("b.txt"), "b 1\n");
    screen.shows("a approve");
    screen.press("A");
    screen.signs();
    screen.shows("2 hunks approved, 1 hunk denied");
    assert_eq!(world.text("a.txt"), "a 1\n", "it was denied");
    assert_eq!(world.text("b.txt"), "b 2\n");
    assert_eq!(world.text("c.txt"), "c 2\nmine\n");
}

#[test]
fn escape_stops_what_runs() {
    let world = world();
    let server = Server::start();
    let url = server.url();
    let mut screen = Screen::open(&world, &["--url", &url, "--model", "m", "think"]);
    let mut answer = server.next().stream();
    answer.text("Let me see");
    screen.shows("Let me see");
    screen.press(ESC);
    screen.shows("Stopped.");
    answer.wait_closed();
    screen.press("again\r");
    let asked = server.next();
    assert_eq!(asked.said_by("user"), ["think", "again"]);
    asked.say("Here I am.");
    screen.shows("Here I am.");
}

#[test]
fn a_server_that_fails_is_told_and_the_next_prompt_goes_out() {
    let world = world();
    let server = Server::start();
    let url = server.url();
    let mut screen = Screen::open(&world, &["--url", &url, "--model", "m", "hello"]);
    server.next().refuse(
        "401 Unauthorized",
        "",
        r#"{"error":{"message":"no such key"}}"#,
    );
    screen.shows("✗ the server answered 401: no such key");
    screen.press("once more\r");
    server.next().say("Welcome back.");
    screen.shows("Welcome back.");
}

#[test]
fn ctrl_c_twice_leaves_and_gives_the_terminal_back() {
    let world = world();
    let mut screen = Screen::open(&world, &["--offline"]);
    screen.shows("ready");
    screen.press("half a prompt");
    screen.shows("half a prompt");
    screen.press(CTRL_C);
    screen.turns("again to quit", "half a prompt");
    // Not once more: a terminal that is its own again throws away what it has not shown yet.
    screen.press(CTRL_C);
    assert_eq!(screen.left().code, 0);
}

#[test]
fn ctrl_c_twice_leaves_while_a_request_runs() {
    let world = world();
    let server = Server::start();
    let url = server.url();
    let mut screen = Screen::open(&world, &["--url", &url, "--model", "m", "think"]);
    let mut answer = server.next().stream();
    answer.text("Let me see");
    screen.shows("Let me see");
    screen.press(&[CTRL_C, CTRL_C].concat());
    assert_eq!(screen.left().code, 0);
    answer.wait_closed();
}

#[test]
fn signals_end_it_and_give_the_terminal_back() {
    for (name, code) in [("TERM", 143), ("HUP", 129), ("INT", 130)] {
        let world = world();
        let mut screen = Screen::open(&world, &["--offline"]);
        screen.shows("ready");
        screen.signal(name);
        assert_eq!(screen.left().code, code, "{name}");
    }
}

#[test]
fn what_is_typed_before_anything_is_up_appears() {
    let world = world();
    let mut screen = Screen::with_keys(&world, &["--offline"], "rename old_name");
    screen.shows("rename old_name");
    screen.shows("ready");
    screen.press(" to new_name\r");
    screen.shows("2 hunks wait");
}

/// A prompt that is sent before anybody can answer is kept and answered.
#[test]
fn a_prompt_sent_before_anything_is_up_is_answered() {
    let world = world();
    let mut screen = Screen::open(&world, &["--offline"]);
    screen.wait("the first frame", vt100::Screen::alternate_screen);
    screen.press("rename old_name to new_name\r");
    screen.shows("2 hunks wait");
    assert_eq!(world.text("src/main.rs"), MAIN);
}

#[test]
fn a_resize_is_followed() {
    let world = world();
    let mut screen = Screen::open(&world, &["--offline"]);
    screen.shows("ready");
    let words = "one two three four five six seven eight nine ten eleven";
    screen.press(words);
    screen.shows(words);
    screen.resize(30, 12);
    screen.wait("the prompt in several rows", |screen| {
        let contents = screen.contents();
        contents.contains("one two") && contents.contains("eleven") && !contents.contains(words)
    });
    screen.resize(100, 30);
    screen.shows(words);
    screen.resize(1, 1);
    screen.resize(80, 24);
    screen.shows(words);
    screen.press(CTRL_C);
    screen.turns("Ask for a change", words);
}

#[test]
fn a_paste_is_text_and_not_keys() {
    let world = world();
    let mut screen = Screen::open(&world, &["--offline"]);
    screen.wait("bracketed paste", vt100::Screen::bracketed_paste);
    screen.press("\x1b[200~first line\rsecond \x03 漢字\x1b[201~");
    screen.shows("first line");
    screen.shows("漢字");
    screen.press("!");
    screen.shows("漢字!");
    assert!(!screen.contents().contains("Ctrl-C again"));
}

/// A terminal that does not mark pastes hands all of it over at once.
#[test]
fn a_long_paste_that_is_not_marked_arrives_whole() {
    let world = world();
    let mut screen = Screen::open(&world, &["--offline"]);
    screen.shows("ready");
    for bytes in [1_023, 1_024, 1_025, 3_000, 4_000] {
        screen.press(&format!("{}END", "é a ".repeat(bytes / 5)));
        screen.shows("END");
        screen.press(CTRL_C);
        screen.turns("Ask for a change", "END");
        // Not twice in a row: that quits.
        screen.press("x");
        screen.shows("› x");
        screen.press("\x7f");
        screen.turns("Ask for a change", "› x");
    }
}

/// What is typed or pasted as a proposal comes is text: no letter of it is a verdict, and `e` starts
/// no editor.
#[test]
fn type_ahead_writes_nothing() {
    let world = world();
    world.edit_by("touch started");
    let mut screen = Screen::open(&world, &["--offline", "rename old_name to new_name"]);
    screen.shows("2 hunks wait");
    screen.press("edit it, also add A");
    screen.shows("› edit it, also add A");
    // A key is on the screen before it is on the disk: the terminal is closed, nothing is killed.
    screen.signal("HUP");
    assert_eq!(screen.left().code, 129);
    let mut screen = Screen::open(&world, &["--offline"]);
    screen.shows("2 hunks wait: Tab");
    screen.press("\t");
    screen.shows("a approve");
    screen.press("e also AA");
    // What was not sent before is there.
    screen.shows("› edit it, also add Ae also AA");
    assert_eq!(world.text("src/main.rs"), MAIN);
    assert!(!world.at("started").exists());
}

/// Marks are written down as they are made, with what the user typed.
#[test]
fn marks_survive_a_kill() {
    let world = world();
    world.edit_by("printf 'fn mine() -> i32 {\\n' > \"$1\"");
    let mut screen = Screen::open(&world, &["--offline", "rename old_name to new_name"]);
    screen.shows("2 hunks wait");
    screen.shows("a approve");
    screen.press("e");
    screen.shows("1 marked");
    screen.shows("d deny");
    screen.press("d");
    screen.shows("Why deny");
    screen.press("half a reas");
    screen.shows("half a reas");
    screen.signal("KILL");
    drop(screen);
    let mut screen = Screen::open(&world, &["--offline"]);
    screen.shows("2 hunks wait: Tab");
    screen.press("\t");
    screen.shows("1 marked: Enter signs off");
    screen.shows("d deny");
    screen.press("d");
    screen.shows("half a reas");
    screen.press("on\r");
    screen.signs();
    screen.shows("1 hunk approved, 1 hunk denied");
    let expected = MAIN.replacen("fn old_name()", "fn mine()", 1);
    assert_eq!(world.text("src/main.rs"), expected);
    screen.shows("Ask for a change");
    let kept = world.state_files();
    assert!(
        !kept.iter().any(|path| path.ends_with("marks.json")),
        "{kept:?}"
    );
}

#[test]
fn hostile_text_does_not_take_the_terminal_over() {
    let world = World::new(&[]);
    let server = Server::start();
    let url = server.url();
    let mut screen = Screen::open(&world, &["--url", &url, "--model", "m", "hello"]);
    server
        .next()
        .say("before\u{1b}[?1049l\u{1b}[2J\u{1b}[?2004l\u{9b}2J\u{202e}after");
    screen.shows("after");
    assert!(
        screen.contents().contains("before"),
        "{}",
        screen.contents()
    );
    screen.wait("the other screen, kept", |screen| {
        screen.alternate_screen() && screen.bracketed_paste()
    });
    screen.press("?");
    screen.shows("── Keys");
}

#[test]
fn help_is_shown_and_put_away() {
    let world = world();
    let mut screen = Screen::open(&world, &["--offline"]);
    screen.shows("ready");
    screen.press("?");
    screen.shows("── Keys");
    screen.shows("remove the last queued prompt");
    screen.press(ESC);
    screen.turns("Ask for a change", "── Keys");
}

/// The terminal is not one: it says so and ends.
#[test]
fn without_a_terminal_it_says_so() {
    let world = world();
    let ended = world.run(&["--offline"]);
    assert_eq!(ended.code, Some(2), "{ended:#?}");
    assert!(ended.stderr.contains("use: signoff exec -"), "{ended:#?}");
    assert!(ended.stdout.is_empty(), "{ended:#?}");
}

/// A header of the user's own is shown as it is; one that is missing is a line in the log.
#[test]
fn a_header_can_be_ones_own_or_missing() {
    let world = world();
    let file = world.beside("header.txt");
    world.configure(&format!("header = '{}'\n", file.display()));
    std::fs::write(&file, "  two  blanks\n").unwrap();
    let mut screen = Screen::open(&world, &["--offline"]);
    screen.shows("  two  blanks");
    drop(screen);
    std::fs::remove_file(&file).unwrap();
    let mut screen = Screen::open(&world, &["--offline"]);
    screen.shows("ready");
    screen.press("help\r");
    screen.shows("rename OLD to NEW");
    assert!(world.log().contains("no header"), "{}", world.log());
}

#[test]
fn a_store_that_cannot_be_used_is_told() {
    let world = world();
    std::fs::write(world.beside("state"), "a file").unwrap();
    let mut screen = Screen::open(&world, &["--offline"]);
    screen.shows("cannot open ");
    screen.shows("Not a directory");
    assert_eq!(screen.left().code, 1);
}

#[test]
#[cfg(target_os = "linux")]
fn a_program_has_a_terminal_of_its_own() {
    let world = World::new(&[]);
    if world.run(&["run", "--", "true"]).code == Some(125) {
        crate::untried::untried("terminals", "no shadow can be made");
        return;
    }
    let script = "test -t 0 && test -t 1 && test -t 2 && stty size; read line; echo read $line; \
                  trap 'echo interrupted; exit 5' INT; echo waits; read line";
    let mut screen = Screen::open(&world, &["run", "--", "sh", "-c", script]);
    screen.shows("24 80");
    screen.press("typed\r");
    screen.shows("read typed");
    screen.shows("waits");
    // The key reaches the program through its own terminal.
    screen.press("\x03");
    screen.shows("interrupted");
    assert_eq!(screen.left().code, 5);
}

/// The demo goes from a request to undo, and leaves nothing behind.
#[test]
fn the_demo_is_a_tour_that_leaves_nothing_behind() {
    let world = World::new(&[]);
    let temporary = world.beside("demo");
    std::fs::create_dir(&temporary).unwrap();
    let folder = temporary.display().to_string();
    let mut screen = Screen::open_in(&world, &["demo"], &[("TMPDIR", &folder)]);
    screen.shows("3 hunks wait");
    screen.shows("a approve");
    screen.press("a");
    screen.shows("1 marked: Enter");
    screen.shows("a approve");
    screen.press("d");
    screen.shows("Why deny");
    screen.press("nobody asked for it\r");
    screen.shows("2 marked: Enter");
    screen.shows("a approve");
    screen.press("a");
    screen.shows("nobody asked for it");
    screen.signs();
    screen.shows("Now ask me for something else");
    screen.press("/undo\r");
    screen.shows("Revert?");
    screen.shows("y yes");
    screen.press("y");
    screen.shows("↶ words.py");
    screen.press("call report show\r");
    screen.shows("That was the tour.");
    screen.shows("a approve");
    screen.press(ESC);
    screen.turns("Ctrl-D quit", "── Review");
    screen.press("\x04");
    let left = screen.left();
    assert_eq!(left.code, 0);
    assert!(left.contents.contains("the folder of the demo is removed"));
    assert_eq!(std::fs::read_dir(&temporary).unwrap().count(), 0);
    world
        .run(&["demo"])
        .ends(1)
        .says("the demo needs a terminal");
}

#[test]
fn the_first_frame_has_the_configured_colours() {
    let world = World::new(&[]);
    world.configure("[interface]\ntheme = 'light'\n");
    let mut screen = Screen::open_in(&world, &["--offline"], &[("COLORTERM", "truecolor")]);
    screen.shows("ready");
    screen.press("\x04");
    let raw = screen.left().raw;
    let ground = raw.find("48;2;251;251;249");
    let said = raw.find("Nothing is written");
    assert!(ground.is_some() && ground < said, "{raw:?}");
    let times = raw.matches("Nothing is written").count();
    assert_eq!(times, 1, "it is drawn once: {raw:?}");
}

const ASK_GROUND: &str = "\x1b]11;?";
/// Dim text where the background is light, and where it is dark.
const DIM_ON_LIGHT: &str = "38;2;95;101;112";
const DIM_ON_DARK: &str = "38;2;155;162;176";

/// Opens a terminal with this in its environment, has it answer, and returns all that was written.
fn coloured(environment: &[(&str, &str)], answers: &[&str]) -> String {
    let world = World::new(&[]);
    let mut screen = Screen::open_in(&world, &["--offline"], environment);
    screen.shows("ready");
    for answer in answers {
        screen.press(answer);
    }
    screen.press("typed");
    screen.shows("› typed");
    assert!(!screen.contents().contains("rgb"), "{}", screen.contents());
    screen.press(&[CTRL_C, CTRL_C, CTRL_C].concat());
    screen.left().raw
}

/// Its answer may come late, in pieces, or never, and none of it is typed.
#[test]
fn a_light_terminal_is_told_by_its_answer() {
    let truecolor = [("COLORTERM", "truecolor")];
    let raw = coloured(&truecolor, &["\x1b]11;rgb:ffff/ffff/ffff\x1b\\"]);
    let (frame, asked) = (raw.find("Nothing is written"), raw.find(ASK_GROUND));
    assert!(frame.is_some() && frame < asked, "{raw:?}");
    assert!(raw.contains(DIM_ON_LIGHT), "{raw:?}");

    let pieces = ["\x1b]11;rgb:1e1e", "/1e1e/1e1e", "\x07"];
    let raw = coloured(&truecolor, &pieces);
    assert!(raw.contains(DIM_ON_DARK) && !raw.contains(DIM_ON_LIGHT));

    let raw = coloured(&truecolor, &[]);
    assert!(!raw.contains(DIM_ON_DARK) && !raw.contains(DIM_ON_LIGHT));
}

#[test]
fn a_light_terminal_is_told_by_its_environment() {
    let raw = coloured(&[("COLORTERM", "truecolor"), ("COLORFGBG", "0;15")], &[]);
    let (dim, said) = (raw.find(DIM_ON_LIGHT), raw.find(ASK_GROUND));
    assert!(
        dim.is_some() && dim < said,
        "the first frame has it: {raw:?}"
    );
    // Where no colours are wanted, none are asked for.
    let raw = coloured(&[("NO_COLOR", "1"), ("COLORFGBG", "0;15")], &[]);
    assert!(!raw.contains(ASK_GROUND) && !raw.contains("38;"), "{raw:?}");
}
