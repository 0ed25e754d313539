//! Calls that need the user's permission: what is shown, and which keys answer.

use insta::assert_snapshot;
use signoff_llm::message::CallId;
use signoff_llm::session::{CallEvent, Command, Event, Grant, NETWORK};
use signoff_llm::tool::{ChangedFile, PlanStep, StepStatus};

use crate::stage::{self, Stage};

const COMMAND: &str = "cargo test --workspace\nrm -rf target/\u{1b}[31mx";

fn asked(width: u16) -> Stage {
    let mut stage = Stage::ready(width, 16);
    stage.tell(stage::asking("test it"));
    stage.tell([question()]);
    stage
}

fn question() -> Event {
    asking(COMMAND)
}

fn asking(command: &str) -> Event {
    Event::PermissionAsked {
        call: call(),
        tool: "bash".to_owned(),
        subject: command.to_owned(),
    }
}

/// Returns the screen on which a command asks for permission.
fn asked_about(command: &str, width: u16, height: u16) -> Stage {
    let mut stage = Stage::ready(width, height);
    stage.tell(stage::asking("test it"));
    stage.tell([asking(command)]);
    stage
}

fn call() -> CallId {
    CallId("a".to_owned())
}

fn permit(grant: Grant) -> Vec<Command> {
    vec![Command::Permit {
        call: call(),
        grant,
    }]
}

#[test]
fn the_whole_command_is_shown_before_it_may_run() {
    assert_snapshot!(asked(60).screen());
}

#[test]
fn keys_answer() {
    assert_eq!(asked(60).press("y"), permit(Grant::Once));
    assert_eq!(asked(60).press("a"), permit(Grant::Always));
    assert_eq!(asked(60).press("n"), permit(Grant::Refuse { reason: None }));
    assert_eq!(
        asked(60).press("<esc>"),
        permit(Grant::Refuse { reason: None })
    );
    let reason = Some("use nextest".to_owned());
    assert_eq!(
        asked(60).press("iuse nextest<enter>"),
        permit(Grant::Refuse { reason })
    );
}

#[test]
fn what_is_asked_each_time_is_not_allowed_for_good() {
    let stage = asked_about(
        "git push\n(it sends work to others: you are asked each time)",
        100,
        16,
    );
    let screen = stage.screen();
    assert!(
        screen.contains("n no") && !screen.contains("a always"),
        "{screen}"
    );
}

/// What comes of a call stands above the question about it: that one does not read as open any more.
#[test]
fn an_answered_question_is_told_as_answered() {
    let mut stage = asked(60);
    assert!(stage.screen().contains("? bash wants to run"));
    stage.press("y");
    stage.draw();
    let screen = stage.screen();
    assert!(!screen.contains("? bash wants to run"), "{screen}");
    assert!(screen.contains("· bash wants to run: answered"), "{screen}");
}

#[test]
fn a_host_is_allowed_once_for_the_session_or_for_good() {
    let about_host = || {
        let mut stage = Stage::ready(90, 16);
        stage.tell(stage::asking("test it"));
        stage.tell([Event::PermissionAsked {
            call: call(),
            tool: NETWORK.to_owned(),
            subject: "a.example:443".to_owned(),
        }]);
        stage
    };
    let screen = about_host().screen();
    assert!(
        screen.contains("y yes  n no  s this session  a always"),
        "{screen}"
    );
    assert_eq!(about_host().press("y"), permit(Grant::Once));
    assert_eq!(about_host().press("s"), permit(Grant::Session));
    assert_eq!(about_host().press("a"), permit(Grant::Always));
    assert_eq!(asked(60).press("s"), []);
}

#[test]
fn a_way_back_from_saying_what_to_do_instead() {
    let mut stage = asked(60);
    assert_eq!(stage.press("i<esc>"), []);
    assert_eq!(stage.press("i<enter>"), []);
    assert_eq!(stage.press("y"), permit(Grant::Once));
}

#[test]
fn what_was_typed_before_the_question_was_seen_does_not_answer_it() {
    let mut stage = Stage::ready(60, 16);
    stage.tell(stage::asking("test it"));
    stage.press("yes, and");
    stage.tell([question()]);
    assert_eq!(stage.press(" yay"), []);
    assert!(
        stage.screen().contains("› yes, and yay"),
        "{}",
        stage.screen()
    );
    assert!(stage.screen().contains("a call needs permission: Tab"));
    assert_eq!(stage.press("<tab>y"), permit(Grant::Once));
}

#[test]
fn a_key_that_comes_with_the_question_goes_into_the_text() {
    let mut stage = Stage::ready(60, 16);
    stage.tell(stage::asking("test it"));
    let key = stage::keys("y").remove(0);
    stage.feed(signoff_tui::app::Msg::Session(question()));
    let commands = stage.feed(signoff_tui::app::Msg::Terminal(
        ratatui::crossterm::event::Event::Key(key),
    ));
    stage.draw();
    assert_eq!(commands, []);
    assert!(stage.screen().contains("› y"), "{}", stage.screen());
}

#[test]
fn a_question_goes_away_with_its_call() {
    let mut stage = asked(60);
    stage.tell([Event::Call(CallEvent::Done {
        call: call(),
        tool: "bash".to_owned(),
        ok: false,
        summary: "cancelled".to_owned(),
        took_ms: None,
    })]);
    assert!(!stage.screen().contains("Allow bash?"));
    assert!(stage.screen().contains("Ask for a change"));
}

#[test]
fn what_a_command_prints_and_changes_is_shown() {
    let mut stage = Stage::ready(60, 24);
    stage.tell(stage::asking("test it"));
    let step = |step: &str, status| PlanStep {
        step: step.to_owned(),
        status,
    };
    let file = |path: &str, version| ChangedFile {
        path: path.to_owned(),
        version,
        added: 2,
        removed: 1,
    };
    stage.tell([
        Event::Plan {
            steps: vec![
                step("read it", StepStatus::Completed),
                step("test it", StepStatus::InProgress),
                step("mend it", StepStatus::Pending),
            ],
        },
        Event::Call(CallEvent::Started {
            call: call(),
            tool: "bash".to_owned(),
        }),
        Event::Call(CallEvent::Output {
            call: call(),
            tail: "one\ntwo\nthree\nfour\nfive\nsix \u{1b}[2J\n".to_owned(),
            lines: 6,
        }),
        Event::Call(CallEvent::Done {
            call: call(),
            tool: "bash".to_owned(),
            ok: true,
            summary: "exit 0 in 1.2 s, changed 2 files".to_owned(),
            took_ms: None,
        }),
        Event::Changed {
            call: call(),
            files: vec![file("a.rs", Some(3)), file("big.bin", None)],
        },
    ]);
    assert_snapshot!(stage.screen());
}

/// However a command hides its end, `y` runs it only after a frame in which the end was shown.
#[test]
fn a_command_runs_only_after_all_of_it_was_on_the_screen() {
    let hiding = [
        ("blanks", " ".repeat(3_000)),
        ("tabs", "\t".repeat(3_000)),
        ("empty lines", "\n".repeat(40)),
        (
            "lines of blanks",
            format!("{}\n", " ".repeat(50)).repeat(40),
        ),
        ("carriage returns", "\r\n".repeat(40)),
        ("dull lines", "\necho building".repeat(300)),
        ("one long line", "; echo building".repeat(300)),
        ("wide characters", "漢".repeat(900)),
        ("wide blanks", "\u{3000}".repeat(900)),
        ("braille blanks", "\u{2800}".repeat(900)),
        ("marks", format!("e{}", "\u{301}".repeat(900))),
        ("joined letters", "ᄀ".repeat(900)),
        ("comments", "\n# ".repeat(300)),
    ];
    for (name, hidden) in hiding {
        for (width, height) in [(80, 24), (40, 10), (40, 12), (120, 40), (20, 5), (80, 4)] {
            let command = format!("echo ok{hidden}\nrm -rf MARK");
            for (key, grant) in [("y", Grant::Once), ("a", Grant::Always)] {
                let mut stage = asked_about(&command, width, height);
                let mut before = stage.screen();
                let mut commands = stage.press(key);
                for _ in 0..2_000 {
                    if !commands.is_empty() {
                        break;
                    }
                    before = stage.screen();
                    commands = stage.press(key);
                }
                assert_eq!(commands, permit(grant), "{name} at {width}x{height}");
                let input = before.lines().rev().take(usize::from(height) - 1);
                let shown = input.take_while(|row| !row.starts_with("──"));
                let shown = shown.collect::<Vec<_>>().join("\n");
                assert!(
                    shown.contains("MARK"),
                    "{name} at {width}x{height}:\n{before}"
                );
            }
        }
    }
}

#[test]
fn runs_of_blanks_and_empty_lines_are_counted_in_the_question() {
    let command = format!("ls{}; rm x{}rm y\r", " ".repeat(3_000), "\n".repeat(41));
    assert_snapshot!(asked_about(&command, 60, 20).screen());
}

#[test]
fn a_long_command_says_what_is_out_of_sight() {
    let command = "echo building\n".repeat(300) + "rm -rf MARK";
    let mut stage = asked_about(&command, 40, 12);
    assert_eq!(stage.press("y"), []);
    assert_snapshot!(stage.screen());
}

#[test]
fn what_was_seen_of_a_command_is_seen_at_any_size() {
    let lines: String = (0..40).map(|n| format!("echo {n}\n")).collect();
    let mut stage = asked_about(&lines, 80, 24);
    stage.press("yyyyyyyyy");
    let mut stage = asked_about(&lines, 80, 24);
    assert_eq!(stage.press("<pagedown>jj jjj<pageup>"), []);
    stage.resize(40, 10);
    assert_eq!(stage.press("y"), permit(Grant::Once));
    let long = format!("echo {}", "x".repeat(600));
    let mut stage = asked_about(&long, 40, 10);
    assert_eq!(stage.press("y"), []);
    stage.resize(30, 10);
    assert_eq!(stage.press("y"), [], "rows of another width");
    stage.resize(120, 30);
    assert_eq!(stage.press("y"), permit(Grant::Once));
}

#[test]
fn keys_in_one_batch_do_not_answer_what_no_frame_has_shown() {
    let command = "echo building\n".repeat(300) + "rm -rf MARK";
    let mut stage = asked_about(&command, 80, 24);
    for key in stage::keys(&"y".repeat(500)) {
        let event = ratatui::crossterm::event::Event::Key(key);
        let commands = stage.feed(signoff_tui::app::Msg::Terminal(event));
        assert_eq!(commands, []);
    }
}
