//! The mouse: the wheel scrolls, a click selects or does what a hint says, and neither answers anything.

use ratatui::crossterm::event::{
    Event as TerminalEvent, KeyModifiers, MouseButton, MouseEvent, MouseEventKind,
};
use signoff_core::edit::intent::Operation;
use signoff_llm::message::CallId;
use signoff_llm::session::{Command, Event};
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
    let row = row_of(&stage, "  c.rs ···");
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
    stage.press("?/");
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

/// Clicks on a text in the last row.
fn click_on(stage: &mut Stage, text: &str) -> Vec<Command> {
    let screen = stage.screen();
    let line = screen.lines().last().unwrap_or_default();
    let at = line.find(text);
    assert!(at.is_some(), "no {text} in\n{screen}");
    let before = line.get(..at.unwrap_or_default()).unwrap_or_default();
    let column = u16::try_from(before.chars().count()).unwrap_or_default();
    let last = u16::try_from(screen.lines().count() - 1).unwrap_or_default();
    mouse(stage, CLICK, column, last)
}

#[test]
fn a_click_on_a_hint_does_what_its_key_does() {
    let by_click = |stage: &mut Stage, hint: &str, key: &str, becomes: &str| {
        assert!(!stage.screen().contains(becomes), "{}", stage.screen());
        let commands = click_on(stage, hint);
        let clicked = stage.screen();
        assert!(clicked.contains(becomes), "{hint}\n{clicked}");
        // Esc leads back; the key does the same.
        stage.press("<esc>");
        assert_eq!(stage.press(key), commands, "{hint}");
        assert_eq!(stage.screen(), clicked, "{hint}");
    };
    let mut stage = Stage::ready(80, 24);
    by_click(&mut stage, "? help", "?", "Keys");
    let mut stage = three_files(140, 24);
    by_click(&mut stage, "h history", "h", "── History");
    // Words of what waits, and the focus.
    let mut stage = three_files(160, 24);
    assert_eq!(click_on(&mut stage, "Tab type"), []);
    assert!(stage.screen().contains("Ask for a change"));
    assert_eq!(click_on(&mut stage, "9 hunks wait: Tab"), []);
    assert!(!stage.screen().contains("Ask for a change"));
    // A turn that runs.
    let mut stage = Stage::ready(80, 24);
    stage.tell(stage::asking("rename total to sum"));
    assert_eq!(click_on(&mut stage, "Esc stops"), [Command::Cancel]);
    // What is beside the hints.
    let mut stage = Stage::ready(80, 24);
    let before = stage.screen();
    assert_eq!(click_on(&mut stage, "ready"), []);
    assert_eq!(stage.screen(), before);
}

#[test]
fn a_click_sends_a_prompt_and_no_command() {
    let mut stage = Stage::ready(80, 24);
    stage.press("rename total to sum");
    assert_eq!(
        click_on(&mut stage, "Enter send"),
        [Command::Submit("rename total to sum".to_owned())]
    );
    for command in ["/approve all ", "/deny no", "!rm -r x"] {
        let mut stage = three_files(80, 24);
        stage.press("<tab>");
        stage.paste(command);
        stage.settle();
        stage.press("<esc>");
        assert_eq!(click_on(&mut stage, "Enter send"), [], "{command}");
        let screen = stage.screen();
        assert!(screen.contains("Enter does a command"), "{screen}");
        assert!(screen.contains(command.trim()), "{screen}");
    }
}

/// Clicks along the status line, more than once on each hint, on a screen of its own each.
fn clicks(make: impl Fn() -> Stage, check: impl Fn(u16, &Stage, &[Command])) {
    let area = make().buffer().area;
    for column in (0..area.width).step_by(3) {
        let mut stage = make();
        let commands = mouse(&mut stage, CLICK, column, area.height - 1);
        check(column, &stage, &commands);
    }
}

#[test]
fn no_click_on_the_status_line_decides_anything() {
    for keys in ["", "d", "v", "i", "h"] {
        let make = || {
            let mut stage = three_files(120, 24);
            stage.press(keys);
            stage
        };
        clicks(make, |column, stage, commands| {
            assert_eq!(commands, [], "{keys}, column {column}");
            let screen = stage.screen();
            let is_marked = ["[approve", "[deny", "[edit"]
                .iter()
                .any(|mark| screen.contains(mark));
            assert!(!is_marked, "{keys}, column {column}\n{screen}");
        });
    }
    let sign_off = || {
        let mut stage = three_files(80, 60);
        stage.press("AA");
        stage
    };
    let screen = sign_off().screen();
    assert!(screen.contains("Enter writes"), "{screen}");
    clicks(sign_off, |column, _, commands| {
        assert_eq!(commands, [], "column {column}");
    });
    let asked = || {
        let mut stage = Stage::ready(100, 24);
        stage.tell(stage::asking("test it"));
        stage.tell([Event::PermissionAsked {
            call: CallId("a".to_owned()),
            tool: "bash".to_owned(),
            subject: "make".to_owned(),
        }]);
        stage
    };
    let screen = asked().screen();
    assert!(screen.contains("y yes"), "{screen}");
    clicks(asked, |column, stage, commands| {
        assert_eq!(commands, [], "column {column}");
        assert_eq!(stage.screen(), screen);
    });
}
