//! The mouse: the wheel scrolls, a click selects, and neither answers anything.

use ratatui::crossterm::event::{
    Event as TerminalEvent, KeyModifiers, MouseButton, MouseEvent, MouseEventKind,
};
use signoff_core::edit::intent::Operation;
use signoff_llm::session::Command;
use signoff_tui::app::Msg;

use crate::stage::{self, Stage};

const CLICK: MouseEventKind = MouseEventKind::Down(MouseButton::Left);

fn mouse(stage: &mut Stage, kind: MouseEventKind, column: u16, row: u16) -> Vec<Command> {
    let modifiers = KeyModifiers::NONE;
    let event = MouseEvent {
        kind,
        column,
        row,
        modifiers,
    };
    let commands = stage.feed(Msg::Terminal(TerminalEvent::Mouse(event)));
    stage.settle();
    stage.draw();
    commands
}

/// Returns the row of the screen that has a text.
fn row_of(stage: &Stage, text: &str) -> u16 {
    let screen = stage.screen();
    let row = screen.lines().position(|row| row.contains(text));
    assert!(row.is_some(), "no {text} in\n{screen}");
    u16::try_from(row.unwrap_or_default()).unwrap_or_default()
}

fn three_files(width: u16, height: u16) -> Stage {
    let mut stage = Stage::ready(width, height);
    let file = |number, path| stage::proposal(number, path, Operation::Modify, &[12, 40, 90]);
    stage.tell(stage::staging(vec![
        file(1, "a.rs"),
        file(2, "b.rs"),
        file(3, "c.rs"),
    ]));
    stage
}

/// Returns the row with the mark of the selected hunk.
fn selected(stage: &Stage) -> String {
    let screen = stage.screen();
    let row = screen.lines().find(|row| row.contains("▌ ["));
    row.unwrap_or_default().to_owned()
}

#[test]
fn a_click_selects_the_hunk_or_the_file() {
    let mut stage = three_files(80, 40);
    assert!(
        selected(&stage).contains("hunk 1 of 9"),
        "{}",
        stage.screen()
    );
    let row = row_of(&stage, "hunk 2 of 9") + 2;
    assert_eq!(mouse(&mut stage, CLICK, 20, row), []);
    assert!(
        selected(&stage).contains("hunk 2 of 9"),
        "{}",
        stage.screen()
    );
    let row = row_of(&stage, "  c.rs  modify");
    mouse(&mut stage, CLICK, 4, row);
    assert!(
        selected(&stage).contains("hunk 7 of 9"),
        "{}",
        stage.screen()
    );
    // In the tree.
    let mut stage = three_files(140, 40);
    let row = row_of(&stage, "  b.rs");
    mouse(&mut stage, CLICK, 4, row);
    assert!(
        selected(&stage).contains("hunk 4 of 9"),
        "{}",
        stage.screen()
    );
}

#[test]
fn a_click_gives_the_keys_and_answers_nothing() {
    let mut stage = three_files(80, 40);
    stage.press("<tab>");
    let row = row_of(&stage, "Review");
    assert_eq!(mouse(&mut stage, CLICK, 20, row), []);
    assert!(
        !stage.screen().contains("Ask for a change"),
        "{}",
        stage.screen()
    );
    mouse(&mut stage, CLICK, 5, 38);
    assert!(
        stage.screen().contains("Ask for a change"),
        "{}",
        stage.screen()
    );
    // On the page that says what will be written.
    let mut stage = three_files(80, 60);
    stage.press("AA");
    assert!(stage.screen().contains("── Sign off"), "{}", stage.screen());
    for row in 0..60 {
        assert_eq!(mouse(&mut stage, CLICK, 5, row), []);
    }
    assert!(stage.screen().contains("── Sign off"), "{}", stage.screen());
}

#[test]
fn a_letter_that_follows_a_click_at_once_answers_nothing() {
    let mut stage = three_files(80, 40);
    let row = row_of(&stage, "hunk 2 of 9");
    let event = MouseEvent {
        kind: CLICK,
        column: 20,
        row,
        modifiers: KeyModifiers::NONE,
    };
    stage.feed(Msg::Terminal(TerminalEvent::Mouse(event)));
    stage.draw();
    stage.hurry("a", 50);
    assert!(!stage.screen().contains("[approve]"), "{}", stage.screen());
}

#[test]
fn the_wheel_scrolls_what_it_is_over() {
    let mut stage = three_files(80, 24);
    let (down, up) = (MouseEventKind::ScrollDown, MouseEventKind::ScrollUp);
    for _ in 0..40 {
        mouse(&mut stage, down, 20, 10);
    }
    assert!(selected(&stage).contains("of 9"), "{}", stage.screen());
    assert!(stage.screen().contains("hunk 9 of 9"), "{}", stage.screen());
    for _ in 0..40 {
        mouse(&mut stage, up, 20, 10);
    }
    assert!(
        selected(&stage).contains("hunk 1 of 9"),
        "{}",
        stage.screen()
    );
    let mut stage = Stage::ready(80, 24);
    stage.press("?");
    let before = stage.screen();
    mouse(&mut stage, down, 20, 10);
    assert_ne!(stage.screen(), before);
    mouse(&mut stage, up, 20, 10);
    assert_eq!(stage.screen(), before);
}

#[test]
fn what_the_command_palette_is_about_stays_as_it_is() {
    let mut stage = three_files(80, 40);
    let row = row_of(&stage, "hunk 2 of 9");
    stage.press("<ctrl-p>");
    let before = stage.screen();
    for kind in [CLICK, MouseEventKind::ScrollDown] {
        assert_eq!(mouse(&mut stage, kind, 20, row), []);
        assert_eq!(stage.screen(), before, "{kind:?}");
    }
}
