//! The conversation in the terminal's scrollback, in a terminal.

use crate::screen::Screen;
use crate::world::World;

const MAIN: &str = "fn old_name() -> i32 {\n    1\n}\n\nfn main() {\n    old_name();\n}\n";
const ESC: &str = "\x1b";

/// Returns how many rows begin with a text.
fn rows_with(rows: &[String], begin: &str) -> usize {
    rows.iter().filter(|row| row.starts_with(begin)).count()
}

#[test]
fn a_conversation_is_in_the_scrollback_once_it_is_over() {
    let world = World::new(&[("src/main.rs", MAIN)]);
    let mut screen = Screen::open(&world, &["--inline", "--offline"]);
    screen.shows("ready");
    assert!(!screen.wrote("\x1b[?1049h"), "the terminal's own screen");
    assert!(!screen.wrote("\x1b[?1000h"), "the wheel is the terminal's");
    screen.press("help\r");
    screen.shows("rename OLD to NEW");
    screen.shows("ready");
    screen.press("?");
    screen.wait("the keys", |screen| {
        screen.alternate_screen() && screen.contents().contains("── Keys")
    });
    screen.press(ESC);
    screen.wait("the conversation", |screen| {
        !screen.alternate_screen() && screen.contents().contains("Ask for a change")
    });
    screen.press("rename old_name to new_name\r");
    screen.wait("the review", |screen| {
        screen.alternate_screen() && screen.contents().contains("A all")
    });
    screen.press("A");
    screen.wait("the question, and keys that answer it", |screen| {
        let contents = screen.contents();
        contents.contains("all were displayed: A approves them") && contents.contains("A all")
    });
    screen.press("A");
    screen.signs();
    screen.shows("── Written");
    screen.press(ESC);
    screen.wait("what was written", |screen| {
        !screen.alternate_screen() && screen.contents().contains("written src/main.rs")
    });
    screen.turns("ready", "── Review");
    let before = screen.read();
    screen.press("x");
    screen.shows("› x");
    assert!(screen.read() - before < 200, "a key costs a key");
    screen.press("\x03");
    screen.turns("Ask for a change", "› x");
    screen.press("\x04");
    let left = screen.left();
    assert_eq!(left.code, 0);
    for (row, times) in [
        (" Nothing is written until you sign off.", 1),
        ("› help", 1),
        ("› rename old_name to new_name", 1),
        ("■ 2 hunks approved", 1),
        ("  written src/main.rs", 1),
        ("› Ask for a change", 0),
        ("──", 0),
    ] {
        assert_eq!(rows_with(&left.rows, row), times, "{row}: {:#?}", left.rows);
    }
    let last = left.rows.iter().rposition(|row| !row.is_empty());
    let below = left.cursor_row;
    assert!(last < Some(below), "the cursor is below: {:#?}", left.rows);
}

#[test]
fn it_can_be_configured_and_a_header_of_ones_own_is_the_only_one() {
    let world = World::new(&[]);
    let file = world.beside("header.txt");
    std::fs::write(&file, "  my own\n").unwrap();
    let header = file.display();
    world.configure(&format!(
        "header = '{header}'\n[interface]\ninline = true\n"
    ));
    let mut screen = Screen::open(&world, &["--offline"]);
    screen.shows("  my own");
    screen.shows("ready");
    screen.press("\x04");
    let left = screen.left();
    assert!(!left.raw.contains("\x1b[?1049h"), "{}", left.raw);
    assert_eq!(rows_with(&left.rows, "  my own"), 1, "{:#?}", left.rows);
    assert!(!left.contents.contains("Nothing is written"));
}

/// What changes goes while the shell has the terminal, and what was said stays.
#[test]
fn the_shell_has_the_terminal_below_the_conversation() {
    let world = World::new(&[]);
    let script =
        "echo before; set -m; \"$0\" --inline --offline; echo it stopped; read line; fg; echo over";
    let mut screen = Screen::under_shell(&world, script);
    screen.shows("ready");
    screen.press("help\r");
    screen.shows("rename OLD to NEW");
    screen.turns("ready", "asking");
    screen.press("typed");
    screen.shows("› typed");
    screen.press("\x1a");
    screen.turns("it stopped", "› typed");
    screen.press("words\r");
    screen.shows("› typed");
    screen.press("\x03");
    screen.turns("Ask for a change", "› typed");
    screen.press("\x04");
    let left = screen.left();
    let order = ["before", "› help", "it stopped", "words", "over"];
    let at = order.map(|begin| left.rows.iter().position(|row| row.starts_with(begin)));
    assert!(at.is_sorted() && at[0].is_some(), "{at:?} {:#?}", left.rows);
    assert_eq!(rows_with(&left.rows, "──"), 0, "{:#?}", left.rows);
}

#[test]
fn a_signal_leaves_the_conversation() {
    let world = World::new(&[]);
    let mut screen = Screen::open(&world, &["--inline", "--offline"]);
    screen.shows("ready");
    screen.press("help\r");
    screen.shows("rename OLD to NEW");
    screen.signal("TERM");
    let left = screen.left();
    assert_eq!(left.code, 128 + 15);
    assert_eq!(rows_with(&left.rows, "› help"), 1, "{:#?}", left.rows);
    assert_eq!(rows_with(&left.rows, "──"), 0, "{:#?}", left.rows);
    assert!(left.raw.contains("\x1b[?7h"), "text wraps again");
}

#[test]
fn an_editor_has_the_terminal_below_the_conversation() {
    let world = World::new(&[]);
    world.edit_by("echo Editing; read typed; echo $typed > \"$1\"");
    let mut screen = Screen::open(&world, &["--inline", "--offline"]);
    screen.shows("ready");
    screen.press("typed");
    screen.shows("› typed");
    screen.press("\x07");
    screen.turns("Editing", "› typed");
    screen.press("help\r");
    screen.shows("› help");
    screen.press("\r");
    screen.shows("rename OLD to NEW");
    screen.turns("ready", "asking");
    screen.press("\x04");
    let left = screen.left();
    assert_eq!(rows_with(&left.rows, "Editing"), 1, "{:#?}", left.rows);
    assert_eq!(rows_with(&left.rows, "› help"), 1, "{:#?}", left.rows);
    assert_eq!(rows_with(&left.rows, "──"), 0, "{:#?}", left.rows);
}

#[test]
fn a_resize_leaves_no_remains() {
    let world = World::new(&[]);
    let cuts = [("XTERM_VERSION", "XTerm(390)")];
    let mut screen = Screen::open_in(&world, &["--inline", "--offline"], &cuts);
    screen.shows("ready");
    screen.press("help\r");
    screen.shows("rename OLD to NEW");
    screen.turns("ready", "asking");
    for (columns, rows) in [(60, 24), (50, 9), (110, 40), (80, 24)] {
        screen.resize_in_place(columns, rows);
        let rule = "─".repeat(columns.into());
        screen.wait("a rule of that width", |screen| {
            let mut rows = screen.rows(0, columns);
            rows.any(|row| row == rule) && !screen.hide_cursor()
        });
        screen.press("x");
        screen.shows("› x");
        screen.press("\x7f");
        screen.shows("› Ask for a change");
        let (all, _) = screen.rows();
        assert_eq!(rows_with(&all, "──"), 1, "{columns}x{rows} {all:#?}");
        assert_eq!(rows_with(&all, "› help"), 1, "{columns}x{rows} {all:#?}");
    }
    screen.press("\x04");
    let left = screen.left();
    assert_eq!(rows_with(&left.rows, "──"), 0, "{:#?}", left.rows);
}
