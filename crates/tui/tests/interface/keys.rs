//! Key scripts: what the session is asked, and what the screen says.

use ratatui::crossterm::event::Event as TerminalEvent;
use signoff_core::intent::Operation;
use signoff_core::review::{HunkStatus, ProposalView, RevertTo, Ruling, Verdict};
use signoff_llm::session::{Command, Event, Fault, FaultKind, Phase, TurnEnd};
use signoff_tui::app::{App, Exit, Msg, Options};

use crate::stage::{self, Stage, hunk_id};

fn submit(text: &str) -> Vec<Command> {
    vec![Command::Submit(text.to_owned())]
}

fn ruling(proposal: u128, number: u32, verdict: Verdict) -> Ruling {
    Ruling {
        hunk: hunk_id(proposal, number),
        verdict,
    }
}

fn denied(reason: Option<&str>) -> Verdict {
    Verdict::Deny {
        reason: reason.map(str::to_owned),
    }
}

fn fault(kind: FaultKind) -> Event {
    Event::Fault(Fault {
        kind,
        message: "it did not work".to_owned(),
        hint: None,
    })
}

#[test]
fn a_prompt_typed_before_the_session_is_ready_is_kept_and_sent() {
    let mut stage = Stage::starting(80, 12);
    assert_eq!(stage.press("rename a to b<enter>"), []);
    assert!(stage.screen().contains("1 prompt queued"));
    let asked = stage.tell([stage::ready()]);
    assert_eq!(
        asked,
        [
            Command::Review,
            Command::History,
            submit("rename a to b").remove(0)
        ]
    );
    assert!(!stage.screen().contains("queued"));
}

#[test]
fn an_initial_prompt_is_sent_first() {
    let mut app = App::new(Options {
        initial_prompt: Some("help".to_owned()),
        ..Options::default()
    });
    let asked = app.update(Msg::Session(stage::ready()), Default::default());
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

#[test]
fn marking_every_hunk_submits_the_verdicts() {
    let mut stage = Stage::staged(80, 30);
    assert_eq!(stage.press("ad"), []);
    assert!(stage.screen().contains("Why deny this hunk?"));
    assert_eq!(stage.press("keep it<enter>"), []);
    let asked = stage.press("d<enter>");
    assert_eq!(
        asked,
        [Command::Decide(vec![
            ruling(1, 1, Verdict::Approve),
            ruling(1, 2, denied(Some("keep it"))),
            ruling(2, 1, denied(None)),
        ])]
    );
    assert_eq!(stage.press("aA<enter>"), [], "nothing is handed over twice");
}

#[test]
fn marks_can_be_taken_away_and_submitted_in_part() {
    let mut stage = Stage::staged(80, 30);
    assert_eq!(stage.press("a<esc>"), []);
    assert_eq!(
        stage.press("<tab>kuja<enter>"),
        [Command::Decide(vec![ruling(1, 2, Verdict::Approve)])]
    );
}

#[test]
fn a_mark_does_not_outlive_the_lines_it_was_for() {
    let mut stage = Stage::staged(80, 30);
    stage.press("aa");
    let mut files = stage::two_files();
    files[0].hunks[0].lines[2].text.push_str(" // and more");
    files[0].hunks[1].lines[2].new = Some(99);
    stage.tell([Event::Review { proposals: files }]);
    assert_eq!(
        stage.press("<enter>"),
        [Command::Decide(vec![ruling(1, 2, Verdict::Approve)])]
    );
}

/// A denial lost on the way would let the denied text be written with the next key.
#[test]
fn verdicts_that_were_not_carried_out_stay_marked() {
    let all = || {
        vec![Command::Decide(vec![
            ruling(1, 1, denied(Some("keep it"))),
            ruling(1, 2, Verdict::Approve),
            ruling(2, 1, Verdict::Approve),
        ])]
    };
    let mut stage = Stage::staged(80, 40);
    assert_eq!(stage.press("dkeep it<enter>a"), []);
    assert_eq!(stage.press("a"), all());
    stage.tell([fault(FaultKind::Provider)]);
    assert_eq!(stage.press("A<enter>"), [], "it is on its way still");
    stage.tell([fault(FaultKind::FileChanged), Event::Undecided]);
    let screen = stage.screen();
    assert!(screen.contains("3 marked: Enter submits"), "{screen}");
    assert!(screen.contains("2/2 marked"), "{screen}");
    assert_eq!(stage.press("<enter>"), all());
    stage.tell([fault(FaultKind::Files), Event::Undecided]);
    let mut files = stage::two_files();
    files[1].hunks[0].lines[3].text.push_str(" // mine");
    stage.tell([Event::Review { proposals: files }]);
    let screen = stage.screen();
    assert!(screen.contains("2 marked: Enter submits"), "{screen}");
    assert!(screen.contains("A mark in docs/cart.md is taken away"));
    assert_eq!(stage.press("A"), all());
}

#[test]
fn a_denial_outlives_the_lines_it_was_for() {
    let mut stage = Stage::staged(80, 40);
    stage.press("dkeep it<enter>a");
    let mut files = stage::two_files();
    files[0].hunks[0].lines[2].text.push_str(" // and more");
    let reason = "you changed the same lines".to_owned();
    files[0].hunks[0].status = HunkStatus::Conflict { reason };
    files[0].hunks[1].status = files[0].hunks[0].status.clone();
    stage.tell([Event::Review { proposals: files }]);
    assert_eq!(
        stage.press("<enter>"),
        [Command::Decide(vec![ruling(1, 1, denied(Some("keep it")))])]
    );
}

/// Each lot is answered by itself, in the order in which they were handed over.
#[test]
fn answers_are_for_the_verdicts_that_were_given_first() {
    let mut stage = Stage::staged(80, 40);
    let one = |number| vec![Command::Decide(vec![ruling(1, number, Verdict::Approve)])];
    assert_eq!(stage.press("a<enter>"), one(1));
    assert_eq!(stage.press("a<enter>"), one(2));
    stage.tell([Event::Undecided]);
    assert_eq!(stage.press("<enter>"), one(1));
    stage.tell([Event::Decided {
        committed: vec![],
        approved: 1,
        denied: 0,
        pending: 2,
    }]);
    let mut left = stage::two_files();
    left[0].hunks.remove(1);
    stage.tell([Event::Review { proposals: left }]);
    assert_eq!(stage.press("<enter>"), [], "it is on its way still");
}

#[test]
fn all_at_once() {
    let all = |verdict: Verdict| {
        vec![Command::Decide(vec![
            ruling(1, 1, verdict.clone()),
            ruling(1, 2, verdict.clone()),
            ruling(2, 1, verdict),
        ])]
    };
    let asked = |script| Stage::staged(80, 50).looked_through().press(script);
    assert_eq!(asked("A"), all(Verdict::Approve));
    assert_eq!(asked("Dtoo long<enter>"), all(denied(Some("too long"))));
    assert_eq!(asked("D<esc>"), []);
    assert_eq!(asked("<tab>/approve<enter>"), all(Verdict::Approve));
    assert_eq!(
        asked("<tab>/deny no, thanks<enter>"),
        all(denied(Some("no, thanks")))
    );
}

#[test]
fn a_card_that_was_not_seen_takes_no_verdict() {
    let mut stage = Stage::ready(80, 20);
    stage.tell(stage::asking("go"));
    for event in stage::staging(stage::two_files()) {
        stage.feed(Msg::Session(event));
    }
    let key = |c| {
        let key = ratatui::crossterm::event::KeyCode::Char(c);
        Msg::Terminal(ratatui::crossterm::event::Event::Key(key.into()))
    };
    assert_eq!(stage.feed(key('A')), []);
    stage.draw();
    assert!(
        stage.screen().contains("› A"),
        "typing goes on in the composer"
    );
    assert!(stage.screen().contains("3 hunks wait: Tab"));
}

#[test]
fn a_card_does_not_take_the_focus_from_somebody_typing() {
    let mut stage = Stage::ready(80, 20);
    stage.tell(stage::asking("go"));
    stage.press("and then");
    stage.tell(stage::staging(stage::two_files()));
    assert_eq!(stage.press("a"), []);
    assert!(stage.screen().contains("› and thena"));
    assert!(stage.screen().contains("3 hunks wait: Tab"));
    assert!(
        stage
            .press("<tab>AA")
            .iter()
            .any(|c| matches!(c, Command::Decide(_)))
    );
}

#[test]
fn a_review_that_was_closed_does_not_come_back_by_itself() {
    let mut stage = Stage::ready(80, 20);
    stage.tell(stage::asking("go"));
    let mut events = stage::staging(stage::two_files());
    let rest = events.split_off(2);
    stage.tell(events);
    assert!(stage.screen().contains("Review"));
    stage.press("<esc>");
    stage.tell(rest);
    assert!(!stage.screen().contains("Review "));
    assert!(stage.screen().contains("3 hunks wait: Tab"));
}

#[test]
fn decided_hunks_go_before_the_new_list_comes() {
    let mut stage = Stage::staged(80, 20);
    stage.press("AA");
    stage.tell([Event::Decided {
        committed: vec![],
        approved: 3,
        denied: 0,
        pending: 0,
    }]);
    let screen = stage.screen();
    assert!(screen.contains("Nothing waits for review."), "{screen}");
}

/// The list that comes after verdicts shows what is on the screen already: a key pressed as it
/// comes is meant for that.
#[test]
fn a_list_without_news_takes_keys_before_it_is_drawn() {
    let mut stage = Stage::staged(80, 24).looked_through();
    stage.press("a<enter>");
    stage.tell([Event::Decided {
        committed: vec![],
        approved: 1,
        denied: 0,
        pending: 2,
    }]);
    let mut left = stage::two_files();
    left[0].hunks.remove(0);
    left[0].note = Some("what it is next to was written".to_owned());
    let key = |stage: &mut Stage, list: &[ProposalView]| {
        let proposals = list.to_vec();
        stage.feed(Msg::Session(Event::Review { proposals }));
        stage.feed(Msg::Terminal(TerminalEvent::Key(stage::keys("A")[0])))
    };
    let all = vec![
        ruling(1, 2, Verdict::Approve),
        ruling(2, 1, Verdict::Approve),
    ];
    assert_eq!(key(&mut stage, &left), [Command::Decide(all)]);
    let mut stage = Stage::staged(80, 24).looked_through();
    left[0].hunks[0].lines[2].text.push_str(" // and more");
    assert_eq!(key(&mut stage, &left), [], "not seen yet");
}

#[test]
fn the_review_closes_when_nothing_is_left() {
    let mut stage = Stage::staged(80, 20);
    stage.press("AA");
    let asked = stage.tell([
        Event::Decided {
            committed: vec![],
            approved: 3,
            denied: 0,
            pending: 0,
        },
        Event::Review { proposals: vec![] },
        Event::Phase { phase: Phase::Idle },
    ]);
    assert_eq!(asked, [Command::History]);
    assert!(stage.screen().contains("3 hunks approved"));
    assert_eq!(stage.press("next<enter>"), submit("next"));
}

#[test]
fn a_hunk_in_conflict_says_why_and_cannot_be_approved() {
    let mut stage = Stage::ready(80, 28);
    let mut proposal = stage::proposal(1, "a.rs", Operation::Modify, &[5, 20]);
    let reason = "depends on a hunk that you denied".to_owned();
    proposal.hunks[0].status = HunkStatus::Conflict { reason };
    proposal.hunks[0].yours = vec!["my \u{1b}[31mown".to_owned()];
    stage.tell(stage::staging(vec![proposal]));
    assert!(stage.screen().contains("! there now:"));
    assert!(stage.screen().contains("| my ␛[31mown"));
    assert!(stage.screen().contains("[conflict]"));
    assert!(
        stage
            .screen()
            .contains("! depends on a hunk that you denied")
    );
    assert_eq!(stage.press("ka"), []);
    assert!(stage.screen().contains("can only be denied"));
    assert_eq!(
        stage.press("AA"),
        [Command::Decide(vec![ruling(1, 2, Verdict::Approve)])]
    );
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
        vec![Command::Revert {
            path: path.to_owned(),
            to,
        }]
    };
    let preview = |path: &str, to| Command::PreviewRevert {
        path: path.to_owned(),
        to,
    };
    let mut stage = Stage::ready(100, 20);
    assert_eq!(
        stage.press("/revert src/cart.rs<enter>"),
        [Command::History]
    );
    stage.tell([stage::history()]);
    let last = preview("src/cart.rs", RevertTo::Last);
    assert_eq!(
        stage.press("/revert src/cart.rs<enter>"),
        std::slice::from_ref(&last)
    );
    assert!(
        stage
            .screen()
            .contains("Take back version 3 of src/cart.rs")
    );
    assert_eq!(stage.press("n"), []);
    assert_eq!(stage.press("/revert<enter>"), [last]);
    assert_eq!(stage.press("y"), revert("src/cart.rs", RevertTo::Last));
    assert_eq!(stage.press("/history<enter>"), [Command::History]);
    let before_2 = preview("src/cart.rs", RevertTo::Version(1));
    assert_eq!(stage.press("jjr"), [before_2]);
    assert!(stage.screen().contains("takes back versions 2 to 3"));
    assert_eq!(
        stage.press("y"),
        revert("src/cart.rs", RevertTo::Version(1))
    );
    assert_eq!(stage.press("/revert gone.rs<enter>"), []);
    assert!(stage.screen().contains("nothing to take back"));
}

#[test]
fn what_a_revert_would_change_is_seen_with_the_question() {
    let mut stage = Stage::ready(80, 16);
    stage.tell([stage::history()]);
    stage.press("/history<enter>r");
    stage.tell([stage::revert_preview(RevertTo::Last, 30)]);
    assert!(
        stage.screen().contains("History"),
        "that is not the question"
    );
    stage.tell([stage::revert_preview(RevertTo::Version(2), 30)]);
    assert!(stage.screen().contains("What it would change  1-"));
    assert!(
        stage
            .screen()
            .contains("src/cart.rs back to before version 3")
    );
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
fn leaving_takes_two_interrupts_in_a_row() {
    let mut stage = Stage::ready(80, 12);
    stage.press("draft<ctrl-c>");
    assert!(stage.screen().contains("Press Ctrl-C again to quit"));
    assert!(!stage.screen().contains("draft"));
    stage.press("<up>");
    assert!(stage.screen().contains("› draft"), "nothing is lost");
    stage.press("<ctrl-c>");
    assert_eq!(stage.app.exit(), None);
    stage.press("<ctrl-c>");
    assert_eq!(stage.app.exit(), Some(Exit::Left));
}

#[test]
fn other_ways_out() {
    let exit = |script: &str| {
        let mut stage = Stage::ready(80, 12);
        stage.press(script);
        stage.app.exit()
    };
    assert_eq!(exit("<ctrl-d>"), Some(Exit::Left));
    assert_eq!(exit("ab<left><ctrl-d>"), None);
    assert_eq!(exit("/quit<enter>"), Some(Exit::Left));
    let mut stage = Stage::ready(80, 12);
    stage.feed(Msg::Terminate(15));
    assert_eq!(stage.app.exit(), Some(Exit::Signal(15)));
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
    assert_eq!(stage.press("/model<enter>"), [Command::Models]);
    let other = Command::UseModel("qwen3:8b".to_owned());
    assert_eq!(stage.press("/model qwen3:8b<enter>"), [other]);
}

#[test]
fn help_is_turned_by_what_is_seen_so_that_no_row_is_skipped() {
    let mut stage = Stage::ready(80, 12);
    stage.press("?");
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
