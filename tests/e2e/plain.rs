//! Line mode: prompts and answers as lines.

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
