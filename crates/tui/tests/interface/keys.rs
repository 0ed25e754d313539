//! Key scripts: what the session is asked, and what the screen says.

use signoff_core::edit::intent::Operation;
use signoff_core::stage::review::{RevertTarget, RevertTo};
use signoff_llm::message::CallId;
use signoff_llm::mode::Mode;
use signoff_llm::session::{CallEvent, Command, Event, Phase, TurnEnd};
use signoff_tui::app::{App, Exit, Msg, Options, Query};

use crate::stage::{self, Stage, submit};

#[test]
fn a_prompt_typed_before_the_session_is_ready_is_kept_and_sent() {
    let mut stage = Stage::starting(80, 12);
    assert_eq!(stage.press("rename a to b<enter>"), []);
    assert!(stage.screen().contains("1 prompt queued"));
    let asked = stage.tell([stage::ready()]);
    assert_eq!(asked, [Command::Review, submit("rename a to b").remove(0)]);
    assert_eq!(stage.queries(), [Query::History]);
    assert!(!stage.screen().contains("queued"));
}

/// Whatever is typed for the interface is never a prompt for a model.
#[test]
fn what_is_meant_for_the_interface_is_answered_and_never_sent() {
    for (typed, said) in [
        ("/reject", "/deny REASON denies all that wait"),
        ("/login", "there are no accounts"),
        (
            "/mcp allow two servers",
            "/mcp lists servers, /mcp NAME starts one",
        ),
        ("/Status", "2 hunks wait"),
        ("/aprove", "did you mean /approve?"),
        ("/deny docs/cart.md", "the review denies one hunk"),
        ("/deny 0000#1", "the review denies one hunk"),
        ("/new and go on", "takes nothing after it"),
    ] {
        let mut stage = Stage::ready(80, 24);
        let mut files = stage::two_files();
        files[0].hunks.remove(1);
        stage.tell([Event::Review(files.into())]);
        stage.press("<tab>jjj<tab>");
        assert_eq!(stage.press(&format!("{typed}<enter>")), [], "{typed}");
        stage.press("<ctrl-c><tab><esc>");
        assert!(stage.screen().contains(said), "{typed}\n{}", stage.screen());
    }
    let mut app = App::new(Options {
        initial_prompt: Some("/status".to_owned()),
        ..Options::default()
    });
    let (asked, _) = stage::parted(app.update(Msg::Session(stage::ready()), Default::default()));
    assert_eq!(asked, [Command::Review]);
    let mut stage = Stage::ready(80, 24);
    stage.tell([Event::Review(stage::two_files().into())]);
    assert_eq!(stage.press("/review<enter>")[..1], [Command::Review]);
    assert!(stage.screen().contains("── Review"), "{}", stage.screen());
    let mut stage = Stage::ready(80, 24);
    assert_eq!(stage.press("/log<enter>"), []);
    assert_eq!(stage.queries(), [Query::History]);
    assert!(stage.screen().contains("── History"), "{}", stage.screen());
}

/// A review that has the whole screen gives it up: Tab brings it back.
#[test]
fn an_answer_is_on_the_screen_at_every_size() {
    for (width, height) in [(40, 12), (80, 24), (120, 40)] {
        for (typed, said) in [
            ("/status", "2 files"),
            ("/reject", "/reject is no command here"),
            ("/deny src/cart.rs", "/deny REASON denies all"),
        ] {
            let mut stage = Stage::staged(width, height);
            assert_eq!(stage.press(&format!("{typed}<enter>")), [], "{typed}");
            let screen = stage.screen();
            assert!(
                screen.contains(said),
                "{typed} at {width}x{height}\n{screen}"
            );
            stage.press("<ctrl-c><tab>");
            assert!(stage.screen().contains("── Review"), "{}", stage.screen());
        }
        let mut stage = Stage::staged(width, height);
        assert_eq!(stage.press("/sessions<enter>"), []);
        assert_eq!(stage.queries(), [Query::Sessions]);
        stage.tell([stage::answer(|app| app.show_sessions(&[]))]);
        let screen = stage.screen();
        assert!(screen.contains("no earlier conversations"), "{screen}");
    }
}

#[test]
fn an_initial_prompt_is_sent_first() {
    let mut app = App::new(Options {
        initial_prompt: Some("help".to_owned()),
        ..Options::default()
    });
    let (asked, _) = stage::parted(app.update(Msg::Session(stage::ready()), Default::default()));
    assert_eq!(asked.last(), submit("help").last());
}

#[test]
fn prompts_wait_while_something_runs_and_come_back_when_it_is_stopped() {
    let mut stage = Stage::ready(80, 12);
    assert_eq!(stage.press("first<enter>"), submit("first"));
    stage.tell(stage::asking("first"));
    assert_eq!(stage.press("second<enter>third<enter>"), []);
    assert!(stage.screen().contains("2 prompts queued"));
    let asked = stage.tell([
        Event::TurnEnded { end: TurnEnd::Done },
        Event::Phase { phase: Phase::Idle },
    ]);
    assert_eq!(asked, submit("second"));
    stage.tell(stage::asking("second"));
    assert_eq!(stage.press("<esc>"), [Command::Cancel]);
    assert!(stage.screen().contains("› third"), "{}", stage.screen());
}

/// At rest it would be sent as well: what waits is of an earlier turn.
#[test]
fn a_prompt_waits_for_no_verdict_where_its_turn_staged_nothing() {
    for (end, is_sent) in [(TurnEnd::Done, true), (TurnEnd::Review, false)] {
        let mut stage = Stage::ready(80, 12);
        assert_eq!(stage.press("first<enter>"), submit("first"));
        stage.tell(stage::asking("first"));
        assert_eq!(stage.press("second<enter>"), []);
        let phase = Phase::AwaitingReview;
        let asked = stage.tell([Event::TurnEnded { end }, Event::Phase { phase }]);
        let expected = if is_sent {
            submit("second")
        } else {
            Vec::new()
        };
        assert_eq!(asked, expected);
    }
}

#[test]
fn every_line_of_a_long_diff_can_be_reached() {
    let mut stage = Stage::ready(60, 12);
    let mut proposal = stage::proposal(1, "a.rs", Operation::Create, &[1]);
    let template = proposal.hunks[0].lines[2].clone();
    proposal.hunks[0].lines = (1..=100)
        .map(|n| {
            let mut line = template.clone();
            line.text = format!("<row {n}> {}", "x".repeat(100));
            line.emphasis.clear();
            line
        })
        .collect();
    stage.tell(stage::staging(vec![proposal]));
    let mut seen = String::new();
    for _ in 0..120 {
        seen.push_str(&stage.screen());
        stage.press("j");
    }
    for n in 1..=100 {
        assert!(seen.contains(&format!("<row {n}>")), "row {n}");
    }
    stage.press("g");
    assert!(stage.screen().contains("new file"));
    stage.press("G");
    assert!(stage.screen().contains("<row 100>"));
}

#[test]
fn reverting_asks_first_and_says_what_is_taken_back() {
    let revert = |path: &str, to| {
        vec![Command::Revert(RevertTarget::OneFile {
            path: path.to_owned(),
            to,
        })]
    };
    let preview = |path: &str, to| {
        [Query::Forecast(RevertTarget::OneFile {
            path: path.to_owned(),
            to,
        })]
    };
    let mut stage = Stage::ready(100, 20);
    assert_eq!(stage.press("/revert src/cart.rs<enter>"), []);
    assert_eq!(stage.queries(), [Query::History]);
    stage.tell([stage::history()]);
    let last = preview("src/cart.rs", RevertTo::Last);
    assert_eq!(stage.press("/revert src/cart.rs<enter>"), []);
    assert_eq!(stage.queries(), last);
    assert!(
        stage
            .screen()
            .contains("Revert \"Rename total to sum\" in src/cart.rs")
    );
    assert_eq!(stage.press("n"), []);
    assert_eq!(stage.press("/revert<enter>"), []);
    assert_eq!(stage.queries(), last);
    assert_eq!(stage.press("y"), revert("src/cart.rs", RevertTo::Last));
    assert_eq!(stage.press("/history<enter>"), []);
    assert_eq!(stage.queries(), [Query::History]);
    let before_2 = preview("src/cart.rs", RevertTo::Version(1));
    assert_eq!(stage.press("ljjjr"), []);
    assert_eq!(stage.queries(), before_2);
    assert!(
        stage
            .screen()
            .contains("This reverts it and 1 later change")
    );
    assert_eq!(
        stage.press("y"),
        revert("src/cart.rs", RevertTo::Version(1))
    );
    assert_eq!(stage.press("/revert gone.rs<enter>"), []);
    assert!(stage.screen().contains("Nothing to revert"));
}

#[test]
fn all_of_the_last_changeset_is_taken_back_after_a_question() {
    let mut stage = Stage::ready(100, 24);
    stage.tell([stage::history()]);
    let changeset = stage::changeset();
    let target = RevertTarget::Changeset { changeset };
    assert_eq!(stage.press("/undo<enter>"), []);
    assert_eq!(stage.queries(), [Query::Forecast(target.clone())]);
    stage.draw();
    let screen = stage.screen();
    assert!(
        screen.contains("Revert the last change, in 1 file: src/cart.rs?"),
        "{screen}"
    );
    assert_eq!(stage.press("y"), [Command::Revert(target)]);
}

#[test]
fn what_a_revert_would_change_is_seen_with_the_question() {
    let mut stage = Stage::ready(80, 16);
    stage.tell([stage::history()]);
    stage.press("/history<enter>ljr");
    stage.tell([stage::revert_preview(RevertTo::Last, 30)]);
    assert!(
        stage.screen().contains("History"),
        "that is not the question"
    );
    stage.tell([stage::revert_preview(RevertTo::Version(2), 30)]);
    assert!(stage.screen().contains("What it would change  1-"));
    assert!(stage.screen().contains("src/cart.rs back to before "));
    assert!(!stage.screen().contains("old line 30"));
    stage.press("jjjjjj");
    assert!(stage.screen().contains("old line 30"));
    assert!(stage.screen().contains("| my ␛own"));
    stage.press("kkkkkk");
    assert!(
        stage
            .screen()
            .contains("! later changes touch the same lines")
    );
    stage.press("n");
    assert!(stage.screen().contains("History"));
}

#[test]
fn a_key_goes_to_the_next_mode_and_a_plan_is_edited_before_it_is_carried_out() {
    let mut stage = Stage::ready(100, 16);
    assert_eq!(stage.press("<backtab>"), [Command::SetMode(Mode::Turn)]);
    assert_eq!(
        stage.press("/mode plan<enter>"),
        [Command::SetMode(Mode::Plan)]
    );
    stage.tell([Event::Mode { mode: Mode::Plan }]);
    stage.draw();
    assert!(stage.screen().contains(" · plan"), "{}", stage.screen());
    stage.press("fix it<enter>");
    stage.tell(stage::asking("fix it"));
    stage.tell([
        Event::Text {
            text: "I look first.".into(),
        },
        Event::Call(CallEvent::Started {
            call: CallId("a".into()),
            tool: "read".into(),
        }),
        Event::Text {
            text: "1. Fix a.rs".into(),
        },
        Event::Phase { phase: Phase::Idle },
        Event::TurnEnded { end: TurnEnd::Done },
    ]);
    let prompt = "Carry out this plan:\n\n1. Fix a.rs and b.rs";
    let asked = [Command::CarryOut(prompt.to_owned())];
    assert_eq!(stage.press(" and b.rs<enter>"), asked);
}

#[test]
fn leaving_takes_two_interrupts_in_a_row() {
    let mut stage = Stage::ready(80, 12);
    stage.press("draft<ctrl-c>");
    assert!(stage.screen().contains("Press Ctrl-C again to quit"));
    assert!(!stage.screen().contains("draft"));
    stage.press("<up>");
    assert!(stage.screen().contains("› draft"), "nothing is lost");
    stage.press("<ctrl-c>");
    assert_eq!(stage.exit(), None);
    stage.press("<ctrl-c>");
    assert_eq!(stage.exit(), Some(Exit::Left));
}

#[test]
fn other_ways_out() {
    let exit = |script: &str| {
        let mut stage = Stage::ready(80, 12);
        stage.press(script);
        stage.exit()
    };
    assert_eq!(exit("<ctrl-d>"), Some(Exit::Left));
    assert_eq!(exit("ab<left><ctrl-d>"), None);
    assert_eq!(exit("/quit<enter>"), Some(Exit::Left));
    for script in [
        "<ctrl-d>",
        "H<ctrl-d>",
        "<f1><ctrl-d>",
        "d<ctrl-d>",
        "?<ctrl-d>",
        "m<ctrl-d>",
        "/<ctrl-d>",
        "<ctrl-p><ctrl-d>",
    ] {
        let mut stage = Stage::staged(80, 24);
        stage.press(script);
        assert_eq!(stage.exit(), Some(Exit::Left), "{script} in the review");
    }
    // Where something is typed it deletes on.
    for script in ["dab<left><ctrl-d>", "<ctrl-p>ab<left><ctrl-d>"] {
        let mut stage = Stage::staged(80, 24);
        stage.press(script);
        assert_eq!(stage.exit(), None, "{script} in the review");
    }
    let mut stage = Stage::ready(80, 12);
    stage.feed(Msg::Terminate(15));
    assert_eq!(stage.exit(), Some(Exit::Signal(15)));
}

#[test]
fn an_unknown_command_is_said_and_kept() {
    let mut stage = Stage::ready(80, 20);
    assert_eq!(stage.press("/nope it<enter>"), []);
    assert!(stage.screen().contains("There is no command /nope"));
    assert!(stage.screen().contains("› /nope it"));
}

#[test]
fn a_paste_is_text_wherever_the_focus_is() {
    let mut stage = Stage::staged(80, 24);
    assert_eq!(stage.paste("A\r\nay\x1b[2J"), []);
    assert!(
        stage.screen().contains("› A\n  ay␛[2J"),
        "{}",
        stage.screen()
    );
    assert_eq!(stage.press("<enter>"), submit("A\nay␛[2J"));
}

#[test]
fn silence_and_retries_are_said() {
    let mut stage = Stage::ready(100, 12);
    stage.tell(stage::asking("go"));
    stage.wait(4);
    assert!(stage.screen().contains("asking 4s"));
    stage.wait(7);
    assert!(stage.screen().contains("no data for 11s"));
    stage.tell([Event::Retrying {
        reason: "the server answered 429".to_owned(),
        attempt: 2,
        wait_ms: 4_000,
    }]);
    assert!(stage.screen().contains("attempt 2 in 4 s"));
}

#[test]
fn what_a_model_sends_cannot_touch_the_screen() {
    let mut stage = Stage::ready(80, 20);
    stage.tell(stage::asking("\x1b]0;title\x07"));
    stage.tell([
        stage::text("\x1b[2Jgone\u{202e}txt.exe\u{200b}\n"),
        Event::Info {
            text: "\u{9b}31m".to_owned(),
        },
    ]);
    let screen = stage.screen();
    assert!(screen.contains("› ␛]0;title␇"));
    assert!(screen.contains("␛[2Jgone\\u{202e}txt.exe\\u{200b}"));
    assert!(screen.contains("\\u{9b}31m"));
}

#[test]
fn scrolling_back_holds_still_while_more_arrives() {
    let mut stage = Stage::ready(60, 12);
    let lines: String = (1..=60).map(|n| format!("row {n}\n")).collect();
    stage.tell([stage::text(&lines)]);
    stage.press("<pageup>");
    let before = stage.screen();
    let first = before.lines().next().unwrap().to_owned();
    stage.tell([stage::text("row 61\nrow 62\n")]);
    assert_eq!(stage.screen().lines().next().unwrap(), first);
    assert!(stage.screen().contains("lines below: Ctrl-End"));
    stage.press("<ctrl-end>");
}

#[test]
fn models_are_listed_and_chosen_by_name() {
    let mut stage = Stage::ready(80, 24);
    assert_eq!(stage.press("/model<enter>"), []);
    assert_eq!(stage.queries(), [Query::Models]);
    let other = Command::UseModel("qwen3:8b".to_owned());
    assert_eq!(stage.press("qwen3:8b<enter>"), [other]);
}

#[test]
fn help_is_turned_by_what_is_seen_so_that_no_row_is_skipped() {
    let mut stage = Stage::ready(80, 12);
    stage.press("?/");
    let last = |stage: &Stage| -> String {
        let screen = stage.screen();
        let rows = screen.lines().take_while(|row| !row.starts_with("────"));
        rows.last().unwrap_or_default().to_owned()
    };
    let seen = last(&stage);
    stage.press(" ");
    let next = stage.screen();
    assert_eq!(next.lines().nth(1), Some(seen.as_str()), "{next}");
}
