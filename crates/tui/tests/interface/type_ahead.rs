//! Keys that were typed before anybody could have read what they would answer, and marks that stay.

use ratatui::crossterm::event::{Event as TerminalEvent, KeyModifiers, MouseEvent, MouseEventKind};
use signoff_core::edit::intent::Operation;
use signoff_core::stage::review::{ProposalView, Ruling, Sight, Verdict};
use signoff_llm::message::CallId;
use signoff_llm::session::{Command, Event, Grant, Phase};
use signoff_tui::app::{Msg, Query};

use crate::stage::{self, Stage, submit};

/// Something that a user types without a look at the screen.
const TYPED: &[&str] = &["also add", "edit it", "s", "A", "test yes", "no", "Don't"];

/// The moment in which a proposal is on the screen; a prompt was sent long ago.
fn arriving() -> Stage {
    let mut stage = Stage::ready(80, 30);
    stage.tell(stage::asking("go"));
    stage.say(stage::staging(stage::two_files()));
    stage
}

fn question() -> Event {
    Event::PermissionAsked {
        call: CallId("a".to_owned()),
        tool: "bash".to_owned(),
        subject: "make".to_owned(),
    }
}

fn approved(commands: &[Command]) -> usize {
    let rulings = commands.iter().filter_map(|command| match command {
        Command::Decide(rulings) => Some(rulings.len()),
        _ => None,
    });
    rulings.sum()
}

#[test]
fn what_is_typed_as_a_proposal_comes_goes_to_the_composer() {
    for typed in TYPED {
        for pause in [0, 30, 150, 599] {
            let mut stage = arriving();
            assert_eq!(stage.hurry(typed, pause), [], "{typed} every {pause} ms");
            let screen = stage.screen();
            assert!(
                screen.contains(&format!("› {typed}")),
                "{pause} ms\n{screen}"
            );
            assert!(!screen.contains("[approve]"), "{screen}");
        }
    }
    let mut stage = arriving();
    assert_eq!(stage.hurry("/history<enter>", 100), []);
    assert_eq!(stage.queries(), [Query::History]);
    let mut stage = arriving();
    assert_eq!(stage.hurry("also add<enter>", 100), submit("also add"));
}

#[test]
fn a_verdict_counts_once_the_keyboard_was_idle() {
    let mut stage = arriving();
    assert!(!stage.screen().contains("a approve"), "{}", stage.screen());
    stage.pass(600);
    assert!(stage.screen().contains("a approve"), "{}", stage.screen());
    stage.hurry("a", 0);
    assert!(stage.screen().contains("[approve]"), "{}", stage.screen());
    // Keys that type nothing begin the pause anew.
    let mut stage = arriving();
    stage.hurry("<down><down>", 500);
    stage.hurry("a", 500);
    assert!(!stage.screen().contains("[approve]"), "{}", stage.screen());
    let mut stage = arriving();
    assert_eq!(stage.hurry("<enter>", 100), []);
    assert!(stage.screen().contains("Just opened"), "{}", stage.screen());
}

#[test]
fn the_review_waits_for_a_second_without_a_key() {
    let mut stage = Stage::ready(80, 30);
    assert_eq!(stage.hurry("go<enter>", 100), submit("go"));
    stage.say(stage::asking("go"));
    stage.say(stage::staging(stage::two_files()));
    assert!(stage.screen().contains("── Review"), "{}", stage.screen());
    stage.pass(999);
    assert_eq!(stage.hurry("a", 0), []);
    assert!(stage.screen().contains("› a"), "{}", stage.screen());
    // It does not come while something is typed, nor when that was deleted.
    stage.press("<backspace>");
    stage.pass(9_000);
    stage.press("a");
    assert!(stage.screen().contains("› a"), "{}", stage.screen());

    let mut stage = Stage::ready(80, 30);
    stage.hurry("go<enter>", 100);
    stage.say(stage::asking("go"));
    stage.say(stage::staging(stage::two_files()));
    stage.pass(1_000);
    stage.hurry("a", 599);
    assert!(stage.screen().contains("› a"), "{}", stage.screen());
}

#[test]
fn a_new_proposal_in_an_open_review_takes_no_key_that_was_on_its_way() {
    let mut stage = arriving();
    stage.pass(9_000);
    let new = stage::proposal(3, "c.rs", Operation::Modify, &[7]);
    stage.say([stage::one_more(new)]);
    assert_eq!(stage.hurry("A", 100), []);
    assert!(stage.screen().contains("Just opened"), "{}", stage.screen());
    assert!(!stage.screen().contains("› A"), "{}", stage.screen());
}

/// Whatever arrives, and however many keys a busy machine hands over together, the keys stay in the review.
#[test]
fn keys_for_the_review_stay_there_whatever_arrives() {
    let in_review = |stage: &Stage, what: &str| {
        let screen = stage.screen();
        let last = screen.trim_end().lines().last().unwrap();
        assert!(last.starts_with(" review"), "{what}\n{screen}");
        assert!(!screen.contains("[approve]"), "{what}\n{screen}");
    };
    let mut stage = arriving();
    stage.pass(9_000);
    for (number, typed) in (3..).zip(["jjjj", "n", "jka", "aaaa", "A", "dd", "gG", "z", "e"]) {
        let new = stage::proposal(number, &format!("{number}.rs"), Operation::Modify, &[7]);
        stage.say([stage::one_more(new)]);
        assert_eq!(stage.burst(typed), [], "{typed}");
        in_review(&stage, typed);
        stage.say([Event::Checking]);
        assert_eq!(stage.hurry(typed.get(..1).unwrap(), 20), []);
        in_review(&stage, typed);
    }
    // The same right after Tab, before a frame has shown the review.
    let mut stage = arriving();
    stage.hurry("x<backspace>", 10);
    stage.say([stage::one_more(stage::proposal(
        3,
        "c.rs",
        Operation::Modify,
        &[7],
    ))]);
    assert_eq!(stage.hurry("<tab>a", 0), []);
    assert!(!stage.screen().contains("› a"), "{}", stage.screen());
}

/// A list that is refreshed moves neither the selection nor what is on the screen.
#[test]
fn a_list_that_is_refreshed_moves_nothing() {
    let files: Vec<_> = (10..30)
        .map(|number| {
            stage::proposal(
                number,
                &format!("{number}.rs"),
                Operation::Modify,
                &[10, 60],
            )
        })
        .collect();
    for (keys, wheel) in [("jjjjjjj", 0), ("jjjjjjjaaak", 0), ("jjjjjjjj", 9)] {
        let mut stage = Stage::ready(80, 30);
        stage.tell(stage::staging(files.clone()));
        stage.press(keys);
        for _ in 0..wheel {
            stage.feed(Msg::Terminal(TerminalEvent::Mouse(MouseEvent {
                kind: MouseEventKind::ScrollDown,
                column: 5,
                row: 20,
                modifiers: KeyModifiers::NONE,
            })));
            stage.draw();
        }
        let before = diffs(&stage);
        // One more in front of all, and one behind.
        for (number, path) in [(5, "0.rs"), (40, "zz.rs")] {
            let mut more = files.clone();
            let new = stage::proposal(number, path, Operation::Modify, &[7]);
            more.insert(if number == 5 { 0 } else { more.len() }, new);
            stage.tell([Event::Review(more.into())]);
            assert_eq!(diffs(&stage), before, "{keys} {path}\n{}", stage.screen());
        }
    }
}

/// Returns the last rows of the review, without the numbers of hunks among all of them.
fn diffs(stage: &Stage) -> Vec<String> {
    let screen = stage.screen();
    let rows = screen.lines().rev().skip(3).take(16);
    let numberless = |row: &str| match (row.split_once("hunk "), row.split_once("@@")) {
        (Some((before, _)), Some((_, after))) => format!("{before}{after}"),
        _ => row.to_owned(),
    };
    rows.map(numberless).collect()
}

/// A save under the user's eyes changes what the card shows: a key on its way was meant for what it showed before.
#[test]
fn a_card_that_changed_takes_no_key_that_was_on_its_way() {
    type Change = fn(&mut ProposalView);
    let changes: &[(&str, Change)] = &[
        ("a context line", |file| {
            file.hunks[0].lines[0].text.push('x')
        }),
        ("a changed line", |file| {
            file.hunks[0].lines[2].text.push('x')
        }),
        ("line numbers alone", |file| {
            file.hunks[0].lines[0].old = Some(13)
        }),
        ("the note alone", |file| {
            file.note = Some("moved onto your own change".to_owned());
        }),
        ("what runs it", |file| file.runs = Some("make".to_owned())),
        ("a hunk further down", |file| {
            file.hunks[1].lines[2].text.push('x')
        }),
        ("what the user has there", |file| {
            file.hunks[0].yours.push("mine".to_owned());
        }),
    ];
    for (what, change) in changes {
        for (key, pause) in [
            ("a", 0),
            ("a", 301),
            ("a", 599),
            ("A", 599),
            ("<enter>", 599),
        ] {
            let mut stage = arriving();
            stage.pass(9_000);
            stage.press("a");
            let mut proposals = stage::two_files();
            change(&mut proposals[0]);
            stage.say([Event::Review(proposals.into())]);
            let before = marked(&stage);
            assert_eq!(
                stage.hurry(key, pause),
                [],
                "{what}: {key} after {pause} ms"
            );
            assert_eq!(marked(&stage), before, "{what}: {key} after {pause} ms");
        }
        let mut stage = arriving();
        stage.pass(9_000);
        let mut proposals = stage::two_files();
        change(&mut proposals[0]);
        stage.say([Event::Review(proposals.into())]);
        stage.hurry("a", 600);
        assert_eq!(marked(&stage), 1, "{what}: {}", stage.screen());
    }
    // The same list again is no news.
    let mut stage = arriving();
    stage.pass(9_000);
    stage.say([Event::Review(stage::two_files().into())]);
    stage.hurry("a", 0);
    assert_eq!(marked(&stage), 1, "{}", stage.screen());
}

fn marked(stage: &Stage) -> usize {
    stage.screen().matches("[approve]").count()
}

/// `e` would open the editor, `d` ask for a reason.
#[test]
fn letters_of_a_word_answer_nothing() {
    for typed in ["tie it a", "xode", "xow made", "2a", "xsA"] {
        let mut stage = arriving();
        stage.pass(9_000);
        let before = stage.screen();
        let asked = stage.hurry(typed, 200);
        assert_eq!(asked, [], "{typed}");
        let screen = stage.screen();
        let is_said = screen.contains("Tab to type") || screen.contains("Just shown");
        assert!(is_said, "{screen}");
        let pane = |screen: &str| screen.lines().take(25).collect::<Vec<_>>().join("\n");
        assert_eq!(pane(&screen), pane(&before), "{typed}");
    }
    // `n` goes to another hunk, and then no letter answers for a while: `o` would open the editor, Space approve.
    let mut stage = arriving();
    stage.pass(9_000);
    assert_eq!(stage.hurry("now edit", 200), []);
    assert_eq!(marked(&stage), 0, "{}", stage.screen());
    assert!(!stage.screen().contains("Why deny"), "{}", stage.screen());
    let mut stage = arriving();
    stage.pass(9_000);
    assert_eq!(stage.hurry("/mode step<enter>", 200).len(), 1);
    assert!(!stage.screen().contains("Why deny"), "{}", stage.screen());
}

#[test]
fn keys_that_come_at_once_are_text() {
    let check = |mut stage: Stage, typed: &str, shown: &str| {
        assert_eq!(stage.burst(typed), [], "{typed}");
        assert!(stage.screen().contains(shown), "{}", stage.screen());
        assert!(!stage.screen().contains("[approve]"), "{}", stage.screen());
    };
    for (typed, shown) in [("also add", "› also add"), ("<tab>A rule", "› A rule")] {
        let mut stage = arriving();
        stage.pass(9_000);
        check(stage, typed, shown);
        check(arriving(), typed, shown);
    }
    // Letters that are keys of the review alone, where it took the keyboard just now.
    check(arriving(), "aa", "› aa");
    // A tab in what is pasted leads nowhere.
    let mut stage = arriving();
    stage.hurry("x", 10);
    stage.pass(9_000);
    assert_eq!(stage.burst("all:<tab>a"), []);
    assert!(stage.screen().contains("› xall:a"), "{}", stage.screen());
    let mut stage = Stage::ready(80, 20);
    stage.tell([stage::history()]);
    stage.press("/revert<enter>");
    assert_eq!(stage.burst("yes"), []);
    assert!(stage.screen().contains("Revert"), "{}", stage.screen());
}

#[test]
fn what_is_typed_ahead_takes_nothing_back() {
    let mut stage = Stage::ready(80, 20);
    stage.tell([stage::history()]);
    assert_eq!(stage.hurry("/revert<enter>y", 100), []);
    assert!(matches!(stage.queries()[..], [Query::Forecast(_)]));
    assert!(stage.screen().contains("Just asked"), "{}", stage.screen());
    assert!(matches!(stage.press("y")[..], [Command::Revert(_)]));
}

#[test]
fn a_key_that_is_held_down_approves_no_row_of_an_instant() {
    let file = stage::proposal(1, "a.rs", Operation::Modify, &[10, 20, 30, 40, 50, 60]);
    let mut stage = Stage::ready(80, 18);
    stage.tell(stage::staging(vec![file]));
    assert_eq!(stage.hurry(&"a".repeat(40), 30), []);
    assert!(stage.screen().contains(" 1 marked"), "{}", stage.screen());
    assert!(stage.screen().contains("Just shown"), "{}", stage.screen());
    assert_eq!(approved(&stage.hurry(&"a".repeat(5), 301)), 0);
    assert_eq!(approved(&stage.hurry("<enter>", 100)), 0, "too early");
    assert_eq!(approved(&stage.hurry("<enter>", 301)), 6);
}

#[test]
fn a_question_is_not_confirmed_by_a_key_that_was_on_its_way() {
    let long = || {
        let mut file = stage::proposal(1, "a.rs", Operation::Modify, &[10, 900]);
        let line = file.hunks[0].lines[2].clone();
        file.hunks[0].lines.extend(std::iter::repeat_n(line, 300));
        let mut stage = Stage::ready(80, 24);
        stage.tell(stage::staging(vec![file]));
        stage
    };
    for (key, pause) in [
        ("a", 100),
        ("a", 249),
        ("A", 30),
        ("A", 100),
        ("A", 249),
        ("c", 100),
    ] {
        let mut stage = long();
        assert_eq!(
            stage.hurry(&key.repeat(100), pause),
            [],
            "{key} every {pause} ms"
        );
        assert!(!stage.screen().contains(" marked:"), "{}", stage.screen());
        assert!(stage.screen().contains("Just asked"), "{}", stage.screen());
    }
    let mut stage = long();
    stage.hurry("aa", 600);
    assert!(stage.screen().contains("1 marked"), "{}", stage.screen());
}

/// A refused press began the pause anew: whoever pressed faster than the pause never got on.
#[test]
fn deliberate_presses_go_on() {
    for pause in [300, 400, 450, 599] {
        let files = (1..=11).map(|number| {
            let path = format!("{number:02}.rs");
            stage::proposal(number, &path, Operation::Modify, &[10])
        });
        let mut stage = Stage::ready(80, 24);
        stage.tell(stage::staging(files.collect()));
        stage.hurry(&"A".repeat(20), pause);
        let screen = stage.screen();
        assert!(screen.contains("To be written"), "{pause} ms\n{screen}");
    }
}

#[test]
fn no_command_is_allowed_by_what_was_typed_ahead() {
    for typed in TYPED.iter().chain(&["y", "a", "yes", "always", "n", "i"]) {
        let mut stage = Stage::ready(80, 16);
        stage.tell(stage::asking("go"));
        stage.say([question()]);
        assert_eq!(stage.hurry(typed, 150), [], "{typed}");
        let screen = stage.screen();
        assert!(screen.contains(&format!("› {typed}")), "{screen}");
        assert!(screen.contains("a call needs permission: Tab"), "{screen}");
        let mut stage = Stage::ready(80, 16);
        stage.hurry("go<enter>", 100);
        stage.say([question()]);
        assert_eq!(stage.burst(typed), [], "{typed}");
    }
    let once = || {
        vec![Command::Permit {
            call: CallId("a".to_owned()),
            grant: Grant::Once,
        }]
    };
    let mut stage = Stage::ready(80, 16);
    stage.say([question()]);
    assert_eq!(stage.hurry("y", 600), once());
    let mut stage = Stage::ready(80, 16);
    stage.hurry("no<tab>", 100);
    stage.say([question()]);
    assert_eq!(
        stage.hurry("<tab>y", 100),
        [],
        "it was not on the screen before"
    );
    assert_eq!(stage.hurry("y", 600), once());
}

/// A reader that was late hands keys over with the time at which they came.
#[test]
fn a_key_that_came_before_the_frame_answers_nothing_however_late_it_is_read() {
    let mut stage = arriving();
    stage.pass(5_000);
    let mut late = Stage::ready(80, 30);
    late.tell(stage::asking("go"));
    let pressed = late.now();
    late.pass(5_000);
    late.say(stage::staging(stage::two_files()));
    let key = Msg::Terminal(TerminalEvent::Key(stage::keys("a")[0]));
    assert_eq!(late.update(key, pressed), []);
    late.draw();
    assert!(late.screen().contains("› a"), "{}", late.screen());
}

#[test]
fn marks_outlive_the_interface() {
    let mut stage = Stage::staged(80, 40);
    assert!(stage.marks().is_none());
    stage.press("a");
    let first = stage.marks().unwrap();
    assert!(stage.marks().is_none(), "once for each change");
    stage.press("dkeep it<enter>dhalf a rea");
    let kept = stage.marks().unwrap();
    assert_ne!(first, kept);

    let again = |change: fn(&mut Vec<signoff_core::stage::review::ProposalView>)| {
        let mut files = stage::two_files();
        change(&mut files);
        let mut stage = Stage::ready(80, 40);
        stage.feed(Msg::Marks(kept.clone()));
        stage.tell([Event::Review(files.into())]);
        stage.tell([Event::Phase { phase: Phase::Idle }]);
        stage.press("<tab>");
        stage
    };
    let denied = |number, reason: &str| Ruling {
        hunk: stage::hunk_id(1, number),
        displayed: signoff_core::stage::review::DisplayHash::default(),
        sight: Sight::Unseen,
        verdict: Verdict::Deny {
            reason: Some(reason.to_owned()),
        },
    };
    let approved = Ruling {
        hunk: stage::hunk_id(1, 1),
        displayed: signoff_core::stage::review::DisplayHash::default(),
        sight: Sight::Seen,
        verdict: Verdict::Approve,
    };
    let mut stage = again(|_| {});
    assert!(stage.marks().is_none(), "nothing changed");
    assert!(
        stage.screen().contains("2 marked: Enter signs off"),
        "{}",
        stage.screen()
    );
    stage.press("d");
    assert!(stage.screen().contains("half a rea"), "{}", stage.screen());
    stage.press("<esc>");
    let asked = stage.sign("<enter>");
    assert_eq!(
        asked,
        [Command::Decide(vec![approved, denied(2, "keep it")])]
    );
    stage.tell([Event::Decided {
        committed: vec![],
        approved: 1,
        denied: 1,
        pending: 1,
    }]);
    // The reason that was begun, and left by Esc, is offered again.
    assert!(!stage.marks().unwrap().is_empty());
    // An approval was for the lines that were displayed.
    let mut stage = again(|files| files[0].hunks[0].lines[2].text.push_str(" // more"));
    let asked = stage.sign("<enter>");
    assert_eq!(asked, [Command::Decide(vec![denied(2, "keep it")])]);
    // Another process decided on all of it.
    let mut stage = again(Vec::clear);
    assert!(stage.marks().unwrap().is_empty());
}

/// A letter that came too early for the review stands in the prompt, and Enter after it was meant for the review as well.
#[test]
fn a_prompt_that_is_one_key_of_the_review_is_sent_only_once_more() {
    for letter in ["a", "d", "A", "j"] {
        let mut stage = arriving();
        stage.hurry(letter, 100);
        assert!(stage.screen().contains(&format!("› {letter}")), "{letter}");
        assert_eq!(stage.hurry("<enter>", 100), [], "{letter}");
        let screen = stage.screen();
        assert!(screen.contains("is a review key"), "{screen}");
        assert_eq!(stage.hurry("<enter>", 100), submit(letter));
        // Any other key begins anew.
        let mut stage = arriving();
        assert_eq!(stage.hurry(letter, 100), []);
        assert_eq!(stage.hurry("<enter><left><enter>", 100), [], "{letter}");
    }
    let mut stage = arriving();
    assert_eq!(stage.hurry("ä<enter>", 100), submit("ä"), "no key");
    let mut stage = Stage::ready(80, 30);
    assert_eq!(stage.hurry("a<enter>", 100), submit("a"), "nothing waits");
}

/// What decides nothing is no answer: after a letter that means nothing it does what it does.
#[test]
fn after_a_letter_that_means_nothing_only_what_decides_is_held() {
    let mut stage = arriving();
    stage.pass(9_000);
    assert_eq!(stage.hurry("la", 300), []);
    assert_eq!(marked(&stage), 0, "{}", stage.screen());
    stage.hurry("l/sum<enter>", 100);
    let screen = stage.screen();
    assert!(screen.contains("/sum 1 of 3"), "{screen}");
    assert!(!screen.contains("› "), "nothing is in the prompt\n{screen}");
}
