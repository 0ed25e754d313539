//! What the user does in the review.

use crate::stage::{self, Stage, fault, hunk_id, submit};
use ratatui::crossterm::event::Event as TerminalEvent;
use signoff_core::edit::intent::Operation;
use signoff_core::stage::review::{
    AfterApproval, HunkStatus, ProposalView, Ruling, Sight, Verdict,
};
use signoff_llm::session::{Command, Event, FaultKind, Phase};
use signoff_tui::app::{Msg, Query};

fn ruling(proposal: u128, number: u32, verdict: Verdict) -> Ruling {
    Ruling {
        displayed: signoff_core::stage::review::DisplayHash::default(),
        hunk: hunk_id(proposal, number),
        sight: match verdict {
            Verdict::Approve | Verdict::ApproveEdited { .. } => Sight::Seen,
            Verdict::Deny { .. } => Sight::Unseen,
        },
        verdict,
    }
}

fn denied(reason: Option<&str>) -> Verdict {
    Verdict::Deny {
        reason: reason.map(str::to_owned),
    }
}

#[test]
fn marking_every_hunk_leads_to_the_sign_off_page() {
    let mut stage = Stage::staged(80, 30);
    assert_eq!(stage.press("ad"), []);
    assert!(stage.screen().contains("Why deny this hunk?"));
    assert_eq!(stage.press("keep it<enter>"), []);
    let asked = stage.sign("d<enter>");
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
        stage.sign("<tab>kuja<enter>"),
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
    stage.tell([Event::Review(files.into())]);
    assert_eq!(
        stage.sign("<enter>"),
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
    assert_eq!(stage.sign("a"), all());
    stage.tell([fault(FaultKind::Provider)]);
    assert_eq!(stage.press("A<enter>"), [], "it is on its way still");
    stage.tell([fault(FaultKind::FileChanged), Event::Undecided]);
    let screen = stage.screen();
    assert!(screen.contains("3 marked: Enter signs off"), "{screen}");
    assert!(screen.contains("src/cart.rs ✗✓"), "{screen}");
    assert_eq!(stage.sign("<enter>"), all());
    stage.tell([fault(FaultKind::Files), Event::Undecided]);
    let mut files = stage::two_files();
    files[1].hunks[0].lines[3].text.push_str(" // mine");
    stage.tell([Event::Review(files.into())]);
    let screen = stage.screen();
    assert!(screen.contains("2 marked: Enter signs off"), "{screen}");
    assert!(screen.contains("A mark in docs/cart.md is taken away"));
    assert_eq!(stage.sign("A"), all());
}

/// The review has the whole screen while it has the keys; what is said meanwhile stands above the input.
#[test]
fn what_is_said_during_a_review_is_not_missed() {
    for (width, height) in [(40, 24), (80, 24), (120, 40)] {
        let mut stage = Stage::staged(width, height);
        assert!(!stage.screen().contains("Both are staged"));
        stage.tell([fault(FaultKind::Files)]);
        let screen = stage.screen();
        assert!(screen.contains(": Esc ──"), "{screen}");
        assert!(screen.contains("── ✗ "), "{screen}");
        stage.tell([fault(FaultKind::FileChanged)]);
        let screen = stage.screen();
        assert!(screen.contains(" (+1): Esc ──"), "{screen}");
        stage.press("j");
        assert!(stage.screen().contains(" (+1): Esc ──"), "a key is no look");
        stage.press("<tab>");
        let screen = stage.screen();
        assert!(!screen.contains(": Esc ──"), "{screen}");
        assert!(screen.contains("Review  3 hunks"), "{screen}");
        stage.press("<tab>");
        assert!(!stage.screen().contains(": Esc ──"), "it was on the screen");
    }
    let mut stage = Stage::staged(80, 12);
    stage.tell([fault(FaultKind::Files)]);
    assert!(stage.screen().contains(": Esc ──"));
    stage.press("<esc>");
    let screen = stage.screen();
    assert!(screen.contains("\n✗ "), "{screen}");
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
    stage.tell([Event::Review(files.into())]);
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
    assert_eq!(stage.sign("a<enter>"), one(1));
    assert_eq!(stage.sign("a<enter>"), one(2));
    stage.tell([Event::Undecided]);
    assert_eq!(stage.sign("<enter>"), one(1));
    stage.tell([stage::one_approved()]);
    let mut left = stage::two_files();
    left[0].hunks.remove(1);
    stage.tell([Event::Review(left.into())]);
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
    let asked = |script| Stage::staged(80, 50).looked_through().sign(script);
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
fn all_is_approved_and_the_model_goes_on_or_stops() {
    for (key, after) in [("c", AfterApproval::GoOn), ("S", AfterApproval::Stop)] {
        let mut stage = Stage::staged(80, 40).looked_through();
        let asked = stage.sign(key);
        let [Command::AfterApproval(next), Command::Decide(rulings)] = asked.as_slice() else {
            panic!("{asked:?}")
        };
        assert_eq!((*next, rulings.len()), (after, 3));
    }
    // Of what was not seen it is asked first, and the choice holds.
    let mut stage = Stage::staged(80, 12);
    assert_eq!(stage.press("c"), []);
    let asked = stage.sign("AAAAAAAA");
    assert!(
        matches!(
            asked.first(),
            Some(Command::AfterApproval(AfterApproval::GoOn))
        ),
        "{asked:?}"
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
            .sign("<tab>AAA")
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
    let mut stage = Stage::staged(80, 20).looked_through();
    stage.sign("A");
    stage.tell([Event::Decided {
        committed: vec![],
        approved: 3,
        denied: 0,
        pending: 0,
    }]);
    let screen = stage.screen();
    assert!(!screen.contains("Review "), "{screen}");
    assert!(screen.contains("3 hunks approved"), "{screen}");
    assert_eq!(stage.press("next<enter>"), submit("next"));
}

/// The list that comes after verdicts shows what is on the screen already: a key pressed as it
/// comes is meant for that.
#[test]
fn a_list_without_news_takes_keys_before_it_is_drawn() {
    let mut stage = Stage::staged(80, 24).looked_through();
    stage.sign("a<enter>");
    stage.tell([stage::one_approved()]);
    let mut left = stage::two_files();
    left[0].hunks.remove(0);
    let key = |stage: &mut Stage, list: &[ProposalView]| {
        let proposals = list.to_vec();
        stage.feed(Msg::Session(Event::Review(proposals.into())));
        stage.feed(Msg::Terminal(TerminalEvent::Key(stage::keys("A")[0])))
    };
    let all = vec![
        ruling(1, 2, Verdict::Approve),
        ruling(2, 1, Verdict::Approve),
    ];
    assert_eq!(key(&mut stage, &left), []);
    stage.draw();
    assert_eq!(stage.sign(""), [Command::Decide(all)]);
    let mut stage = Stage::staged(80, 24).looked_through();
    left[0].hunks[0].lines[2].text.push_str(" // and more");
    assert_eq!(key(&mut stage, &left), [], "not seen yet");
}

#[test]
fn the_review_closes_when_nothing_is_left() {
    let mut stage = Stage::staged(80, 20).looked_through();
    stage.sign("A");
    let asked = stage.tell([
        Event::Decided {
            committed: vec![],
            approved: 3,
            denied: 0,
            pending: 0,
        },
        Event::Review(vec![].into()),
        Event::Phase { phase: Phase::Idle },
    ]);
    assert_eq!(asked, []);
    assert_eq!(stage.queries(), [Query::History]);
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
    let why = "In conflict, d denies it: depends on a hunk that you denied";
    assert!(stage.screen().contains(why), "{}", stage.screen());
    assert_eq!(stage.press("e"), []);
    assert!(stage.screen().contains(why), "{}", stage.screen());
    assert_eq!(
        stage.sign("AA"),
        [Command::Decide(vec![ruling(1, 2, Verdict::Approve)])]
    );
}

/// A file with a hunk that waits, and one in conflict that can be taken over what the user has there.
fn takeable() -> ProposalView {
    let mut proposal = stage::proposal(1, "a.rs", Operation::Modify, &[5, 20]);
    let hunk = &mut proposal.hunks[0];
    let reason = "you saved these lines while `sed` ran".to_owned();
    hunk.status = HunkStatus::Conflict { reason };
    hunk.yours = vec!["my own".to_owned()];
    hunk.takeable = true;
    proposal
}

#[test]
fn what_the_user_has_is_overwritten_by_the_second_key_alone() {
    let open = |width, height| {
        let mut stage = Stage::ready(width, height);
        stage.tell(stage::staging(vec![takeable()]));
        stage.press("k");
        stage
    };
    for (width, height) in [(40, 24), (80, 28), (120, 40)] {
        let mut stage = open(width, height);
        let said = "1 hunk waits, 1 in conflict";
        assert!(stage.screen().contains(said), "{}", stage.screen());
        let mut asked = stage.press("a");
        while !stage.screen().contains("overwrites") && asked.is_empty() {
            asked = stage.press("a");
        }
        assert_eq!(asked, []);
        assert!(!stage.screen().contains("over yours"), "{}", stage.screen());
        insta::assert_snapshot!(format!("overwriting_{width}"), stage.screen());
        // Any other key is none, and the question has to be read.
        stage.press("<down><up>");
        assert!(!stage.screen().contains("overwrites"), "{}", stage.screen());
        stage.hurry("a", 600);
        assert!(stage.screen().contains("overwrites"), "{}", stage.screen());
        stage.hurry("a", 599);
        assert!(stage.screen().contains("Just asked"), "{}", stage.screen());
        stage.press("a");
        stage.press("k");
        assert!(stage.screen().contains("over yours"), "{}", stage.screen());
        stage.press("j");
        let both = [
            ruling(1, 1, Verdict::Approve),
            ruling(1, 2, Verdict::Approve),
        ];
        assert_eq!(stage.sign("a"), [Command::Decide(both.into())]);
    }
    // Not with others.
    let mut stage = open(80, 28);
    let waits = vec![ruling(1, 2, Verdict::Approve)];
    assert_eq!(stage.sign("AA"), [Command::Decide(waits)]);
}

/// A refresh leaves the user at the hunk in conflict that they look at.
#[test]
fn a_hunk_in_conflict_stays_selected() {
    let mut stage = Stage::ready(80, 22);
    stage.tell(stage::staging(vec![takeable()]));
    stage.press("k");
    let mut list = takeable();
    list.hunks[1].lines[0].text.push('x');
    stage.tell([Event::Review(vec![list].into())]);
    let screen = stage.screen();
    assert!(screen.contains("▌ [conflict]"), "{screen}");
    stage.press("a");
    assert!(stage.screen().contains("overwrites"), "{}", stage.screen());
}

/// What was agreed to be overwritten is what was there then.
#[test]
fn a_mark_over_what_the_user_has_goes_with_it() {
    for (changed, stays) in [(false, true), (true, false)] {
        let mut stage = Stage::ready(80, 40);
        stage.tell(stage::staging(vec![takeable()]));
        stage.press("kaa");
        assert!(stage.screen().contains("over yours"), "{}", stage.screen());
        let kept = stage.marks().unwrap();
        let mut list = takeable();
        list.note = Some("moved".to_owned());
        if changed {
            list.hunks[0].yours.push("more".to_owned());
        }
        let again = Event::Review(vec![list].into());
        stage.tell([again.clone()]);
        assert_eq!(stage.screen().contains("over yours"), stays);
        let mut next = Stage::ready(80, 40);
        next.feed(Msg::Marks(kept));
        next.tell([again]);
        next.press("<tab>");
        assert_eq!(next.screen().contains("over yours"), stays);
    }
}

/// A mark is not written yet: what denies all denies what is marked as well, and says so. A denial keeps its reason.
#[test]
fn a_denial_of_all_is_for_marked_hunks_too() {
    for ask in ["D", "<tab>/deny too much<enter>"] {
        let mut stage = Stage::staged(80, 40).looked_through();
        stage.press("gadkeep it<enter>");
        stage.press(ask);
        let screen = stage.screen();
        assert!(
            screen.contains("Why deny all 2 hunks? 1 marked ✓"),
            "{screen}"
        );
        let reason = if ask == "D" { None } else { Some("too much") };
        assert_eq!(
            stage.press("<enter>"),
            [Command::Decide(vec![
                ruling(1, 1, denied(reason)),
                ruling(1, 2, denied(Some("keep it"))),
                ruling(2, 1, denied(reason)),
            ])]
        );
        stage.press("D");
        let screen = stage.screen();
        assert!(screen.contains("Already handed over"), "{screen}");
    }
    // All are marked, and the page was left.
    let mut stage = Stage::staged(80, 40).looked_through();
    stage.press("A<esc>");
    stage.press("D");
    let screen = stage.screen();
    assert!(
        screen.contains("Why deny all 3 hunks? 3 marked ✓"),
        "{screen}"
    );
    let denials = [(1, 1), (1, 2), (2, 1)].map(|(own, at)| ruling(own, at, denied(None)));
    assert_eq!(stage.press("<enter>"), [Command::Decide(denials.to_vec())]);
}

/// To leave the editor is no verdict.
#[test]
fn a_text_that_the_editor_left_as_it_was_marks_nothing() {
    for (key, is_marked) in [("e", false), ("ae", true), (" e", true)] {
        let mut stage = Stage::staged(80, 40).looked_through();
        stage.press("g");
        stage.press(key);
        let edited = stage.edited();
        let manuscript = edited.expect("the editor is opened");
        let text = manuscript.text.clone();
        stage.say([Msg::HunkEdited(manuscript, Ok(text))]);
        let screen = stage.screen();
        assert!(screen.contains("Nothing was changed"), "{screen}");
        assert_eq!(screen.contains("[approve]"), is_marked, "{screen}");
    }
    let mut stage = Stage::staged(80, 40).looked_through();
    stage.press("ge");
    let manuscript = stage.edited().expect("the editor is opened");
    stage.say([Msg::HunkEdited(manuscript, Ok("mine\n".to_owned()))]);
    let screen = stage.screen();
    assert!(screen.contains("[approve edited]"), "{screen}");
}

/// Two files are in sight in part, one of them selected.
#[test]
fn hunks_below_the_screen_in_a_file_that_is_in_sight_in_part_are_counted() {
    let files = [
        (1, "a.rs", &[10][..]),
        (2, "b.rs", &[10, 60, 110]),
        (3, "c.rs", &[10]),
    ];
    let files =
        files.map(|(number, path, at)| stage::proposal(number, path, Operation::Modify, at));
    let mut stage = Stage::ready(120, 22);
    stage.tell(stage::staging(files.to_vec()));
    let screen = stage.screen();
    let in_sight = screen.matches("] hunk ").count();
    assert!((2..4).contains(&in_sight), "{screen}");
    let left = format!("↓ {} more hunks in 2 other files", 5 - in_sight);
    assert!(screen.contains(&left), "{screen}");
}

#[test]
fn what_is_marked_is_said_on_a_narrow_screen() {
    let mut stage = Stage::staged(60, 30);
    stage.press("a");
    let screen = stage.screen();
    assert!(screen.contains("1 marked: Enter signs off"), "{screen}");
}

/// Page by page it would take thousands of presses.
#[test]
fn a_hunk_of_thousands_of_lines_says_how_many_are_left() {
    let mut file = stage::proposal(1, "a.rs", Operation::Modify, &[10]);
    let line = file.hunks[0].lines[2].clone();
    file.hunks[0].lines.extend(std::iter::repeat_n(line, 5_000));
    let mut stage = Stage::ready(100, 24);
    stage.tell(stage::staging(vec![file]));
    stage.press("A");
    let screen = stage.screen();
    let told = "lines not displayed yet: A shows more; a a approves a hunk unseen";
    assert!(screen.contains(told), "{screen}");
    stage.press("aa");
    let screen = stage.screen();
    assert!(screen.contains("To be written"), "{screen}");
}

#[test]
fn that_edits_are_written_at_once_is_said() {
    let mut stage = Stage::ready(100, 24);
    stage.tell([Event::Mode {
        mode: signoff_llm::mode::Mode::WriteThrough,
    }]);
    let screen = stage.screen();
    assert!(screen.contains("edits are on disk at once"), "{screen}");
}

/// Lines that were selected are the model's.
#[test]
fn selected_lines_are_no_text_of_the_users() {
    for (keys, told) in [
        ("gvdno<enter>", "1 hunk in part"),
        ("gi// mine <ctrl-s>", "1 hunk with your text"),
    ] {
        let mut stage = Stage::staged(80, 40).looked_through();
        stage.press(keys);
        stage.press("<enter>");
        let screen = stage.screen();
        assert!(screen.contains(told), "{keys}\n{screen}");
    }
}

#[test]
fn help_goes_on_with_the_first_key_and_back_to_the_page_below() {
    let mut stage = Stage::ready(80, 24);
    stage.tell([stage::history()]);
    stage.press("/history<enter><f1>");
    let first = stage.screen();
    stage.press("<pagedown>");
    let second = stage.screen();
    let rows = |screen: &str| {
        screen
            .lines()
            .skip(2)
            .take(10)
            .collect::<Vec<_>>()
            .join("\n")
    };
    assert_ne!(rows(&first), rows(&second));
    stage.press("<esc><esc>");
    let screen = stage.screen();
    assert!(screen.contains("── History"), "{screen}");
}
