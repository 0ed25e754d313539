//! Whole screens at three widths.

use insta::assert_snapshot;
use signoff_core::edit::intent::Operation;
use signoff_core::stage::review::RevertTo;
use signoff_draw::theme::Ground;
use signoff_llm::message::CallId;
use signoff_llm::session::{Event, Fault, FaultKind, Phase, TurnEnd};
use signoff_tui::app::Msg;

use crate::stage::{self, Stage};

/// Draws the same scene at 40, 80 and 120 columns.
fn at_widths(name: &str, scene: impl Fn(u16, u16) -> Stage) {
    for (width, height) in [(40, 24), (80, 26), (120, 32)] {
        let stage = scene(width, height);
        let screen = stage.screen();
        assert_snapshot!(format!("{name}_{width}"), screen);
    }
}

#[test]
fn start() {
    at_widths("start", Stage::starting);
}

#[test]
fn streaming_with_an_intent() {
    at_widths("streaming", |width, height| {
        let mut stage = Stage::ready(width, height);
        stage.tell(stage::asking("remove all headings from notes.md"));
        stage.tell([stage::text(
            "I will take the **headings** out:\n\n1. read `notes.md`\n2. write it without them\n\n```md\n# gone\n```\n",
        )]);
        stage.tell(stage::streaming(42));
        stage.wait(3);
        stage
    });
}

#[test]
fn staged_review() {
    at_widths("review", Stage::staged);
}

#[test]
fn a_file_with_several_proposals() {
    at_widths("layered", |width, height| {
        let mut stage = Stage::ready(width, height);
        stage.tell(stage::staging(stage::layered()));
        stage.press("a");
        stage
    });
    at_widths("layered_sign_off", |width, height| {
        let mut stage = Stage::ready(width, height);
        stage.tell(stage::staging(stage::layered()));
        stage.press("AAAAAAAA");
        stage
    });
}

#[test]
fn status() {
    at_widths("status", |width, height| {
        let mut stage = Stage::staged(width, height);
        stage.press("a");
        stage.press("/status<enter>");
        stage.press("later<enter>");
        stage.press("/status<enter><tab><esc>");
        stage
    });
}

#[test]
fn hunks_in_other_files_are_counted() {
    for (width, height) in [(40, 12), (80, 24), (120, 40)] {
        let mut stage = Stage::ready(width, height);
        let file = |number, path| stage::proposal(number, path, Operation::Modify, &[12, 40, 90]);
        let files = vec![file(1, "a.rs"), file(2, "b.rs"), file(3, "c.rs")];
        stage.tell(stage::staging(files));
        assert_snapshot!(format!("other_files_{width}x{height}"), stage.screen());
        stage.press("JJG");
        assert_snapshot!(format!("last_file_{width}x{height}"), stage.screen());
    }
}

#[test]
fn deny_reason() {
    at_widths("deny_reason", |width, height| {
        let mut stage = Stage::staged(width, height);
        stage.press("adkeep the old name, others use it");
        stage
    });
}

#[test]
fn history() {
    at_widths("history", |width, height| {
        let mut stage = Stage::ready(width, height);
        stage.tell([stage::history()]);
        stage.press("/history<enter>ljj");
        stage.press("r");
        stage
    });
}

#[test]
fn revert_preview() {
    at_widths("revert_preview", |width, height| {
        let mut stage = Stage::ready(width, height);
        stage.tell([stage::history()]);
        stage.press("/revert<enter>");
        stage.tell([stage::revert_preview(RevertTo::Last, 3)]);
        stage
    });
}

#[test]
fn help() {
    at_widths("help", |width, height| {
        let mut stage = Stage::ready(width, height);
        stage.press("?");
        stage
    });
}

#[test]
fn fault() {
    at_widths("fault", |width, height| {
        let mut stage = Stage::ready(width, height);
        stage.tell(stage::asking("rename a to b"));
        stage.tell([
            Event::Retrying {
                reason: "the server answered 500".to_owned(),
                attempt: 2,
                wait_ms: 1500,
            },
            Event::Fault(Fault {
                kind: FaultKind::Provider,
                message: "cannot reach http://localhost:8080/v1: connection refused".to_owned(),
                hint: Some("start the server, or choose another with --base-url".to_owned()),
            }),
            Event::TurnEnded {
                end: TurnEnd::Failed,
            },
            Event::Phase { phase: Phase::Idle },
        ]);
        stage
    });
}

#[test]
fn a_verdict_on_what_was_not_displayed() {
    at_widths("unseen_hunk", |width, height| {
        let mut stage = Stage::ready(width, height);
        let mut file = stage::proposal(1, "src/cart.rs", Operation::Modify, &[12, 400]);
        let line = file.hunks[0].lines[2].clone();
        file.hunks[0].lines.extend(std::iter::repeat_n(line, 60));
        stage.tell(stage::staging(vec![file]));
        stage.press("a");
        stage
    });
}

#[test]
fn permission_for_a_long_command() {
    at_widths("unseen_command", |width, height| {
        let mut stage = Stage::ready(width, height);
        stage.tell(stage::asking("build it"));
        let blanks = " ".repeat(3_000);
        let lines = "echo a line that is wider than a narrow terminal is\n".repeat(40);
        stage.tell([Event::PermissionAsked {
            call: CallId("a".to_owned()),
            tool: "bash".to_owned(),
            subject: format!("make;{blanks}\u{2800}make\tinstall\n\n\n\n\n{lines}rm -rf x\r"),
        }]);
        stage.press("y");
        stage
    });
}

#[test]
fn a_growing_input_takes_room_from_the_transcript() {
    let mut stage = Stage::ready(40, 16);
    stage.paste("one\ntwo\tand a longer line that wraps around\n漢字 and 👩\u{200d}💻");
    assert_snapshot!("growing_input", stage.screen());
    assert_eq!(stage.cursor(), (13, 14));
    for _ in 0..2 {
        stage.paste(&"more\n".repeat(10));
    }
    assert_snapshot!("scrolled_input", stage.screen());
}

#[test]
fn a_tiny_screen_shows_the_diff_and_the_input() {
    let mut stage = Stage::staged(80, 24);
    stage.resize(20, 5);
    assert_snapshot!("tiny_review", stage.screen());
    stage.resize(10, 2);
    assert_snapshot!("tiniest_review", stage.screen());
}

#[test]
fn removed_and_added_words_stand_out() {
    use ratatui::style::Color;
    let stage = Stage::staged(80, 40);
    let screen = stage.screen();
    let find = |needle: &str| {
        let (y, line) = screen
            .lines()
            .enumerate()
            .find(|(_, line)| line.contains(needle))
            .unwrap();
        let x = line[..line.find(needle).unwrap()].chars().count();
        stage
            .cell(u16::try_from(x).unwrap(), u16::try_from(y).unwrap())
            .style()
    };
    let removed = find("total = price");
    let added = find("sum = price");
    let expected = [231, 28, 88].map(|index| Some(Color::Indexed(index)));
    assert_eq!([removed.fg, added.bg, removed.bg], expected);
}

#[test]
fn the_header_is_blue_and_keeps_its_blanks() {
    use ratatui::style::Color;
    let stage = Stage::starting(80, 24);
    assert!(
        stage
            .screen()
            .starts_with("      _                    __  __\n")
    );
    assert_eq!(stage.cell(6, 0).style().fg, Some(Color::Indexed(153)));
}

/// A theme paints its own background everywhere, and another one behind lines that change; without colours there is none.
#[test]
fn themes_have_backgrounds_of_their_own() {
    use ratatui::style::Color;
    let grounds = |stage: &Stage| {
        let all = (0..24).flat_map(|y| (0..80).map(move |x| (x, y)));
        all.map(|(x, y)| stage.cell(x, y).bg)
            .collect::<std::collections::HashSet<Color>>()
    };
    let mut stage = Stage::ready(80, 24);
    assert_eq!(grounds(&stage), [Color::Reset].into());
    stage.press("/theme dark<enter>");
    assert_eq!(grounds(&stage).len(), 1, "{}", stage.screen());
    assert!(!grounds(&stage).contains(&Color::Reset));
    stage.tell(stage::asking("go"));
    stage.tell(stage::staging(stage::two_files()));
    assert!(grounds(&stage).len() >= 3, "{:?}", grounds(&stage));
    stage.press("<tab>/theme terminal<enter><tab>");
    assert_eq!(grounds(&stage), [Color::Reset].into());
    // By itself it tints changed lines alone, for the background that the terminal tells of.
    stage.press("<tab>/theme auto<enter><tab>");
    let on_dark = grounds(&stage);
    assert!(on_dark.contains(&Color::Reset) && on_dark.len() >= 3);
    stage.tell([Msg::Ground(Ground::Rgb([255; 3]))]);
    let on_light = grounds(&stage);
    assert_eq!(on_light.len(), on_dark.len());
    assert_eq!(on_dark.intersection(&on_light).count(), 1, "{on_light:?}");
    stage.press("<tab>/theme blue<enter>");
    assert!(
        stage.screen().contains("high-contrast-light"),
        "{}",
        stage.screen()
    );
}
