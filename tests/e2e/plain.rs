//! Line mode: prompts and answers as lines.

use serde_json::{Value, json};

use crate::screen::Screen;
use crate::world::World;

fn world() -> World {
    let middle = "    pass\n".repeat(20);
    let text = format!("def load():\n{middle}\n\nprint(load())\n");
    World::new(&[("a.py", &text)])
}

#[test]
fn hunks_are_answered_by_lines_and_written_after_the_sign_off_page() {
    let world = world();
    let before = world.text("a.py");
    let said = [
        "rename load to fetch",
        "what",
        "a",
        "d",
        "keep it",
        "w",
        "quit",
    ]
    .join("\n");
    let ended = world.feed(&["--plain", "--offline"], &said).done();
    let ended = ended
        .says("hunk 1 of 2")
        .says("+def fetch():")
        .says("that is none of the answers");
    let ended = ended.says("to be written: a.py, 1 hunk").says(": keep it");
    assert!(!ended.stdout.contains('\u{1b}'), "{}", ended.stdout);
    assert_eq!(world.text("a.py"), before.replace("def load", "def fetch"));
    assert!(world.review().is_empty());
}

/// The end of the input is no answer: what waits stays staged.
#[test]
fn nothing_is_written_where_the_input_ends_or_stops() {
    for answers in [
        &["rename load to fetch"][..],
        &["rename load to fetch", "A"],
        &["rename load to fetch", "a", "q"],
    ] {
        let world = world();
        let before = world.text("a.py");
        let ended = world
            .feed(&["--plain", "--offline"], answers.join("\n"))
            .done();
        ended.says("nothing was written");
        assert_eq!(world.text("a.py"), before);
        assert_eq!(world.review().len(), 1);
        let later = world.feed(&["--plain", "--offline"], "A\nw\n").done();
        later.says("to be written: a.py, 2 hunks");
        assert_eq!(world.text("a.py"), before.replace("load", "fetch"));
    }
}

#[test]
fn turns_go_on_with_one_conversation() {
    let world = world();
    world.feed(&["--plain", "--offline"], "help\nhelp\n").done();
    world.feed(&["--plain", "--offline"], "help\n").done();
    let listed = world.run(&["sessions", "--json"]).done().json();
    let prompts: Vec<_> = listed["sessions"]
        .as_array()
        .unwrap()
        .iter()
        .map(|it| it["prompts"].as_u64())
        .collect();
    assert_eq!(prompts, [Some(1), Some(2)]);
}

/// Writes a recorded exchange and returns its path.
fn script(world: &World, lines: &[Value]) -> String {
    let text: String = lines.iter().map(|line| format!("{line}\n")).collect();
    let path = world.beside("script.jsonl");
    std::fs::write(&path, text).unwrap();
    path.to_str().unwrap().to_owned()
}

/// Returns a world and a script in which the model runs a command on the disk and says that it is done.
fn asking() -> (World, String) {
    let world = world();
    world.runs_on_disk();
    let run = json!({ "delta": "call", "name": "bash", "arguments": { "command": "echo more >> b.txt" } });
    let said = json!({ "deltas": [{ "delta": "text", "text": "All said." }] });
    let path = script(&world, &[json!({ "deltas": [run] }), said]);
    (world, path)
}

#[test]
fn a_command_is_permitted_by_a_word_at_a_terminal_only() {
    const QUESTION: &str = "no, or instead?";
    let (world, path) = asking();
    let line_mode = ["--plain", "--replay", &path];
    let mut screen = Screen::open(&world, &line_mode);
    screen.shows("prompt, or quit:");
    screen.press("go\r");
    screen.shows("  echo more >> b.txt");
    screen.shows(QUESTION);
    assert!(!world.at("b.txt").exists());
    screen.press("yes\r");
    screen.shows("All said.");
    screen.wait("the next prompt", |screen| {
        screen.contents().matches("prompt, or quit:").count() == 2
    });
    assert_eq!(world.text("b.txt"), "more\n");
    screen.press("quit\r");
    assert_eq!(screen.left().code, 0);

    // What was typed before the question answers nothing.
    let (world, path) = asking();
    let mut screen = Screen::open(&world, &["--plain", "--replay", &path]);
    screen.shows("prompt, or quit:");
    screen.press("go\ryes\r");
    screen.shows(QUESTION);
    screen.press("no\r");
    screen.shows("denied; the turn stops");
    screen.press("quit\r");
    assert_eq!(screen.left().code, 0);
    assert!(!world.at("b.txt").exists());

    for (answers, told) in [
        (&["no"][..], "denied; the turn stops"),
        (&["y"], "none of the answers: denied"),
        (&["\x04"], "no answer: denied"),
        (&["instead", "read it"], "All said."),
    ] {
        let (world, path) = asking();
        let mut screen = Screen::open(&world, &["--plain", "--replay", &path, "go"]);
        screen.shows(QUESTION);
        screen.press(answers[0]);
        if answers[0] != "\x04" {
            screen.press("\r");
        }
        for answer in &answers[1..] {
            screen.shows("what instead?");
            screen.press(&format!("{answer}\r"));
        }
        screen.shows(told);
        screen.shows("prompt, or quit:");
        screen.press("quit\r");
        assert_eq!(screen.left().code, 0);
        assert!(!world.at("b.txt").exists(), "{answers:?}");
    }

    let (world, path) = asking();
    let ended = world
        .feed(&["--plain", "--replay", &path], "go\nyes\n")
        .done();
    assert!(!ended.stdout.contains(QUESTION), "{}", ended.stdout);
    assert!(!world.at("b.txt").exists());
}

#[test]
fn commands_are_carried_out_at_a_terminal() {
    let world = world();
    let before = world.text("a.py");
    let mut screen = Screen::open(&world, &["--plain", "--offline"]);
    screen.shows("prompt, or quit:");
    screen.press("rename load to fetch\r");
    screen.shows("hunk 1 of 2");
    screen.press("s\r");
    screen.shows("hunk 2 of 2");
    screen.press("s\r");
    screen.wait("the next prompt", |screen| {
        screen.contents().trim_end().ends_with("prompt, or quit:")
    });
    screen.press("/status\r");
    screen.shows("2 hunks wait: /review asks about them");
    screen.press("/review\r");
    screen.wait("the questions", |screen| {
        screen.contents().trim_end().ends_with("stop (q)?")
    });
    screen.press("A\r");
    screen.shows("write (w)");
    screen.press("w\r");
    screen.wait("the next prompt", |screen| {
        screen.contents().trim_end().ends_with("prompt, or quit:")
    });
    let written = world.text("a.py");
    assert_ne!(written, before);
    screen.press("/undo\r");
    screen.shows("do it: yes or no?");
    screen.press("no\r");
    screen.shows("nothing was changed");
    assert_eq!(world.text("a.py"), written);
    screen.press("/undo\r");
    screen.wait("the question", |screen| {
        screen.contents().trim_end().ends_with("do it: yes or no?")
    });
    screen.press("yes\r");
    screen.wait("what was taken back", |screen| {
        screen.contents().trim_end().ends_with("prompt, or quit:")
    });
    assert_eq!(world.text("a.py"), before);
    for (command, told) in [
        ("/export", "then /export"),
        ("/model other", "the next prompt goes to other"),
        ("/mode plan", "the mode is plan from the next prompt on"),
        ("/mode", "/mode plan, step, turn or write-through"),
        ("/nothing", "/nothing"),
        ("status", "/status is the command"),
        ("/new", "the next prompt begins another conversation"),
    ] {
        screen.press(&format!("{command}\r"));
        screen.says(told);
    }
    screen.press("/quit\r");
    let left = screen.left();
    assert_eq!(left.code, 0);
    assert!(!left.raw.contains('\u{1b}'), "{}", left.raw);
}

/// A model printed a line that looked like a question of signoff's.
#[test]
fn no_line_of_the_model_begins_in_the_first_column() {
    let world = world();
    let pieces = [
        "appr",
        "ove (a), deny (d)?\nhunk 1 of",
        " 1\n\nfile a.py: x",
    ];
    let deltas: Vec<Value> = pieces
        .iter()
        .map(|text| json!({ "delta": "text", "text": text }))
        .collect();
    let path = script(&world, &[json!({ "deltas": deltas })]);
    let ended = world.feed(&["--plain", "--replay", &path], "go\nquit\n");
    let printed = ended.done().stdout;
    for line in ["approve (a), deny (d)?", "hunk 1 of 1", "file a.py: x"] {
        assert!(printed.contains(&format!("\n  {line}\n")), "{printed:?}");
    }
}
