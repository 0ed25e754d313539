//! What the user does in the review beside giving verdicts: questions, search, comments.

use crate::stage::{Stage, asking, hunk_id, layered, staging, submit, text, two_files};
use signoff_core::stage::review::{AnswerEnd, Ruling, Verdict};
use signoff_llm::session::{Command, Event, Phase, TurnEnd};
use signoff_tui::app::Msg;

/// Returns the question that was sent.
fn asked(commands: &[Command]) -> (&str, &str) {
    match commands {
        [Command::Ask(question)] => (&question.path, &question.text),
        _ => ("", "no question"),
    }
}

pub(crate) fn question(text: &str) -> Event {
    Event::Asked {
        hunk: hunk_id(1, 1),
        path: "src/bill.rs".to_owned(),
        text: text.to_owned(),
    }
}

pub(crate) fn answer(text: &str, end: Option<AnswerEnd>) -> Event {
    let hunk = hunk_id(1, 1);
    let text = text.to_owned();
    Event::Answered { hunk, text, end }
}

/// The review hides the model's last words: a question at their end is named above the input.
#[test]
fn a_question_at_the_end_of_the_models_words_is_named_over_the_review() {
    let asks = "I renamed it.\n\nIs that what you want? Shall I go on with the tests? (y/n)";
    let named = "The model asks: Shall I go on with the tests? (y/n)";
    for (words, is_named) in [(asks, true), ("Is it? I renamed it.", false)] {
        let mut stage = Stage::ready(80, 24);
        stage.tell(asking("go"));
        let mut events = staging(two_files());
        for event in &mut events {
            if let Event::Text { text } = event {
                *text = words.to_owned();
            }
        }
        stage.tell(events);
        assert_eq!(
            stage.screen().contains(named),
            is_named,
            "{}",
            stage.screen()
        );
    }
}

#[test]
fn a_question_is_answered_below_the_hunk_which_waits_on() {
    for width in [40, 80, 120] {
        let mut stage = Stage::staged(width, 30);
        assert_eq!(stage.press("?"), []);
        assert!(stage.screen().contains("What do you ask about this hunk?"));
        let sent = stage.press("Why this?<enter>");
        assert_eq!(asked(&sent).1, "Why this?");
        stage.say([
            question("Why this?"),
            answer("Since the old \u{1b}[2Jname ", None),
        ]);
        insta::assert_snapshot!(format!("asked_{width}"), stage.screen());
        stage.say([answer("is gone.", Some(AnswerEnd::Whole))]);
        let screen = stage.screen();
        assert!(
            screen.contains("[asked]") && !screen.contains("Esc stops"),
            "{screen}"
        );
        assert_eq!(stage.press("a"), []);
        assert!(
            !stage.screen().contains("[asked]"),
            "it takes a verdict as any"
        );
    }
}

#[test]
fn a_remark_has_the_model_write_the_hunk_again() {
    for width in [40, 80] {
        let mut stage = Stage::staged(width, 30);
        assert_eq!(stage.press("R"), []);
        insta::assert_snapshot!(format!("remark_{width}"), stage.screen());
        assert_eq!(stage.press("No unw<esc>R"), []);
        assert!(stage.screen().contains("No unw"), "what was typed is kept");
        match stage.press("rap<enter>").as_slice() {
            [Command::Regenerate(remark)] => {
                let asked = (remark.path.as_str(), remark.text.as_str());
                assert_eq!(asked, ("src/cart.rs", "No unwrap"));
                assert_eq!(remark.hunk.id, hunk_id(1, 1));
            }
            other => panic!("{other:?}"),
        }
        assert_eq!(stage.press("R<enter>"), [], "an empty remark asks nothing");
    }
}

#[test]
fn a_denial_with_a_reason_begins_a_rule() {
    let mut stage = Stage::staged(80, 30);
    assert_eq!(stage.press("d<alt-enter>"), []);
    assert!(stage.screen().contains("A rule is made of a reason"));
    assert_eq!(stage.press("generated, never edit src/<alt-enter>"), []);
    let screen = stage.screen();
    assert!(screen.contains("› /rule Never edit `src/**`."), "{screen}");
    let rule = "Never edit `src/**`.".to_owned();
    assert_eq!(stage.press("<enter>"), [Command::AddRule(rule)]);
    // The denial is a mark as any, and the rule is drafted again.
    assert_eq!(stage.press("/rule<enter>"), []);
    assert!(stage.screen().contains("› /rule Never edit `src/**`."));
}

/// Of a head that is too long the enclosing line is cut, which git makes long in typed code.
#[test]
fn the_reason_of_a_denial_stands_on_its_hunk_beside_a_long_heading() {
    for width in [60, 80, 100] {
        let mut files = two_files();
        let heading =
            "def _safecall(func: t.Callable[P, R]) -> t.Callable[P, R | None]: # and so on, and on";
        files[0].hunks[0].header = format!("@@ -42,7 +42,7 @@ {heading}");
        let mut stage = Stage::ready(width, 24);
        stage.tell(asking("go"));
        stage.tell(staging(files));
        stage.press("dtoo short a reason<enter>k");
        let screen = stage.screen();
        let head = screen.lines().find(|line| line.contains("[deny]"));
        let head = head.unwrap_or_else(|| panic!("{screen}"));
        assert!(head.contains("too short a reason"), "{screen}");
        assert!(head.contains("…  +"), "{screen}");
    }
}

#[test]
fn a_question_that_is_being_typed_is_kept() {
    let mut stage = Stage::staged(80, 30);
    assert_eq!(stage.press("?Why<esc>"), []);
    let sent = stage.press("? not?<enter>");
    assert_eq!(asked(&sent).1, "Why not?");
    assert_eq!(stage.press("?<enter>"), [], "an empty question is not sent");
}

#[test]
fn an_answer_is_stopped_by_escape() {
    let mut stage = Stage::staged(80, 30);
    stage.press("?Why<enter>");
    stage.say([question("Why"), answer("Since", None)]);
    assert_eq!(stage.press("<esc>"), [Command::CancelAsk(hunk_id(1, 1))]);
    stage.say([answer("", Some(AnswerEnd::Cancelled))]);
    assert!(stage.screen().contains("stopped"), "{}", stage.screen());
    assert_eq!(stage.press("<esc>hello<enter>"), submit("hello"));
}

/// Of 68 rejections with a reason that users wrote, 43 hold a question: it is not to be typed twice.
#[test]
fn a_question_without_an_answer_is_the_reason_of_a_denial() {
    let mut stage = Stage::staged(80, 30);
    stage.press("?Why<enter>");
    stage.say([question("Why"), answer("", Some(AnswerEnd::NoModel))]);
    let screen = stage.screen();
    assert!(screen.contains("no model is connected"), "{screen}");
    stage.press("d");
    let screen = stage.screen();
    assert!(screen.contains("› Why"), "{screen}");
}

#[test]
fn space_approves_and_takes_back_where_it_is() {
    let mut stage = Stage::staged(80, 30);
    assert_eq!(stage.press(" "), []);
    assert!(stage.screen().contains("▌ [approve]"), "{}", stage.screen());
    assert_eq!(stage.press(" "), []);
    assert!(stage.screen().contains("▌ [ ]"), "{}", stage.screen());
    assert_eq!(stage.press("dno<enter>k "), []);
    assert!(
        stage.screen().contains("▌ [ ]"),
        "a denial is taken back first"
    );
}

#[test]
fn the_last_marks_are_taken_back_and_shown() {
    let mut stage = Stage::staged(80, 30);
    assert_eq!(stage.press("aa"), []);
    assert!(stage.screen().contains("2 marked"), "{}", stage.screen());
    stage.press("u");
    let screen = stage.screen();
    assert!(
        screen.contains("1 marked") && screen.contains("▌ [ ] hunk 2 of 3"),
        "{screen}"
    );
    stage.press("u");
    assert!(!stage.screen().contains("marked:"), "{}", stage.screen());
    stage.press("u");
    assert!(stage.screen().contains("There is no mark to remove"));
}

#[test]
fn hunks_without_a_mark_are_found_in_both_directions() {
    let mut stage = Stage::staged(80, 30);
    stage.press("a");
    stage.press("n");
    assert!(
        stage.screen().contains("▸ docs/cart.md"),
        "{}",
        stage.screen()
    );
    stage.press("N");
    assert!(
        stage.screen().contains("▌ [ ] hunk 2 of 3"),
        "{}",
        stage.screen()
    );
}

#[test]
fn a_search_goes_through_the_lines_of_all_files() {
    for width in [40, 80, 120] {
        let mut stage = Stage::staged(width, 30);
        assert_eq!(stage.press("/SUM"), []);
        assert!(stage.screen().contains("no match"), "{}", stage.screen());
        stage.press("<esc>/sum<enter>");
        assert!(stage.screen().contains("/sum 1 of 3"), "{}", stage.screen());
        stage.press("nn");
        insta::assert_snapshot!(format!("found_{width}"), stage.screen());
        stage.press("N");
        assert!(stage.screen().contains("/sum 2 of 3"), "{}", stage.screen());
        stage.press("<esc>");
        assert!(!stage.screen().contains("/sum"), "{}", stage.screen());
        assert!(
            stage.screen().contains("a approve"),
            "the review stays open"
        );
    }
}

#[test]
fn a_search_that_is_given_up_goes_back_to_where_it_began() {
    let mut stage = Stage::staged(80, 30);
    stage.press("j");
    let before = stage.screen();
    stage.press("/price<esc>");
    assert_eq!(stage.screen(), before);
}

#[test]
fn what_a_filter_hides_takes_no_verdict() {
    let mut stage = Stage::staged(80, 40);
    stage.press("dno<enter>f");
    let screen = stage.screen();
    assert!(
        screen.contains("filter: without a mark, 1 hidden"),
        "{screen}"
    );
    stage.press("f");
    let screen = stage.screen();
    assert!(screen.contains("filter: denied, 2 hidden"), "{screen}");
    insta::assert_snapshot!("filtered", screen);
    let denial = Ruling {
        displayed: signoff_core::stage::review::DisplayHash::default(),
        hunk: hunk_id(1, 1),
        sight: signoff_core::stage::review::Sight::Unseen,
        verdict: Verdict::Deny {
            reason: Some("no".to_owned()),
        },
    };
    assert_eq!(stage.press("A"), [Command::Decide(vec![denial])]);
}

#[test]
fn a_filter_that_shows_nothing_is_left_out_and_the_last_shows_all() {
    let mut stage = Stage::staged(80, 40);
    stage.press("ff");
    let screen = stage.screen();
    assert!(screen.contains("No filter: 3 hunks shown"), "{screen}");
    assert!(!screen.contains("hidden"), "{screen}");
}

#[test]
fn comments_are_sent_with_the_verdicts() {
    for width in [40, 80] {
        let mut stage = Stage::staged(width, 30);
        assert_eq!(stage.press("mUse the helper<enter>"), []);
        insta::assert_snapshot!(format!("commented_{width}"), stage.screen());
        stage.press("m in money<enter>");
        let sent = stage.press("Dno<enter>");
        let [Command::Decide(_), Command::Submit(message)] = &sent[..] else {
            unreachable!("{sent:?}");
        };
        let expected = "src/cart.rs:13\n> \tlet sum = price * count;";
        assert!(message.contains(expected), "{message}");
        assert!(message.ends_with("Use the helper in money"), "{message}");
    }
}

#[test]
fn comments_are_sent_by_a_command_and_removed_when_empty() {
    let mut stage = Stage::staged(80, 30);
    stage.press("mshort<enter>");
    let sent = stage.press("<tab>/comments send<enter>");
    assert!(matches!(&sent[..], [Command::Submit(_)]), "{sent:?}");
    assert_eq!(stage.press("/comments send<enter>"), []);
    assert!(stage.screen().contains("no comments"), "{}", stage.screen());
}

/// On a low screen the end of a hunk is below the last row: what is new there is scrolled to.
#[test]
fn what_appears_below_the_selected_hunk_is_shown() {
    let mut stage = Stage::staged(80, 12);
    let shows = |stage: &Stage, text: &str| {
        assert!(stage.screen().contains(text), "{text}: {}", stage.screen());
    };
    stage.press("?Why?<enter>");
    stage.tell([question("Why?")]);
    shows(&stage, "▌ ? Why?");
    shows(&stage, "▌   asking the model");
    stage.tell([answer("One.\nTwo.\n", None)]);
    shows(&stage, "▌ ? Why?");
    shows(&stage, "▌   …");
    // Of a long answer the beginning stays, and who scrolled away is not moved.
    stage.tell([answer("3\n4\n5\n6\n7\n8\n9\n", None)]);
    shows(&stage, "▌ ? Why?");
    stage.press("<home>");
    let before = stage.screen();
    stage.tell([answer("10\n", Some(AnswerEnd::Whole))]);
    assert_eq!(stage.screen(), before);
    // Comments are shown once they are entered.
    stage.press("mRather not<enter>");
    shows(&stage, "▌ m Rather not");
    stage.press("<home>vm");
    stage.press("On the line<enter>");
    shows(&stage, "▌ m On the line");
    // The reason stands in the head of a hunk that is not selected any more.
    stage.press("<esc>dRather not<enter>");
    shows(&stage, "To be denied: Rather not");
}

/// Edits of a turn come one by one, and a later one may be above an earlier one.
#[test]
fn the_first_hunk_is_selected_until_the_user_does_something_in_the_review() {
    for (keys, expected) in [("", "▌ [ ] hunk 1 of 5"), ("k", "▌ [ ] hunk 2 of 5")] {
        let mut stage = Stage::ready(80, 40);
        stage.tell(asking("print a receipt"));
        stage.tell([Event::Staged(layered()[..1].to_vec().into())]);
        stage.press(keys);
        stage.tell(staging(layered()));
        assert!(stage.screen().contains(expected), "{}", stage.screen());
    }
}

/// The output of a command is what the user wants to read: what it changed is told in the status line.
#[test]
fn a_command_of_the_users_that_changes_files_leaves_its_output_on_the_screen() {
    let mut stage = Stage::ready(80, 24);
    stage.press("!make<enter>");
    let ran = [
        Event::User {
            text: "!make".to_owned(),
        },
        Event::Phase {
            phase: Phase::Working,
        },
        text("built"),
        Event::Staged(two_files().into()),
        Event::TurnEnded {
            end: TurnEnd::Review,
        },
        Event::Phase {
            phase: Phase::AwaitingReview,
        },
    ];
    stage.tell(ran);
    let screen = stage.screen();
    assert!(screen.contains("built"), "{screen}");
    assert!(screen.contains("3 hunks wait: Tab"), "{screen}");
    assert!(!screen.contains("── Review"), "{screen}");
    // What a model stages is shown, as ever.
    stage.press("go on<enter>");
    stage.tell(staging(two_files()));
    assert!(stage.screen().contains("── Review"), "{}", stage.screen());
}

#[test]
fn what_is_said_of_the_review_goes_with_it() {
    let mut stage = Stage::staged(80, 24);
    stage.press("/sum<enter>");
    assert!(stage.screen().contains("/sum 1 of 3"), "{}", stage.screen());
    // Elsewhere its keys do not go from match to match.
    for away in ["<tab>", "h"] {
        stage.press(away);
        assert!(!stage.screen().contains("/sum"), "{}", stage.screen());
        stage.press(if away == "h" { "<esc>" } else { "<tab>" });
        assert!(stage.screen().contains("/sum 1 of 3"), "{}", stage.screen());
    }
    stage.press("<esc>/rate<enter>");
    assert!(stage.screen().contains("/rate no match"));
    stage.press("j");
    assert!(!stage.screen().contains("/rate"), "{}", stage.screen());
    // The editor that failed was that of one hunk.
    stage.say([Msg::FileOpened(Err("the editor vi ended".to_owned()))]);
    assert!(stage.screen().contains("the editor vi ended"));
    stage.press("j");
    assert!(!stage.screen().contains("the editor"), "{}", stage.screen());
}

/// Esc goes back: what was typed is there again, and is no comment and no reason.
#[test]
fn what_was_begun_and_left_is_a_draft() {
    for keys in ["m", "vm"] {
        let mut stage = Stage::staged(80, 40).looked_through();
        stage.press("g");
        stage.press(keys);
        stage.press("half a tho<esc>");
        let screen = stage.screen();
        assert!(!screen.contains("half a tho"), "{screen}");
        assert_eq!(stage.press("<esc>"), []);
        let sent = stage.press("<esc>/comments send<enter>");
        assert_eq!(sent, [], "nothing is sent");
        let kept = stage.marks().unwrap();
        let mut next = Stage::ready(80, 40);
        next.feed(Msg::Marks(kept));
        next.tell(staging(two_files()));
        let mut next = next.looked_through();
        next.press("g");
        next.press(keys);
        assert!(next.screen().contains("half a tho"), "{}", next.screen());
        next.press("ught<enter>");
        let screen = next.screen();
        assert!(screen.contains("m half a thought"), "{screen}");
    }
    let mut stage = Stage::staged(80, 40).looked_through();
    stage.press("gdtoo lo<esc>");
    assert!(!stage.screen().contains("too lo"), "{}", stage.screen());
    stage.press("d");
    assert!(stage.screen().contains("too lo"), "{}", stage.screen());
    stage.press("ng<enter>");
    assert!(stage.screen().contains("[deny]"), "{}", stage.screen());
    assert!(stage.screen().contains("too long"), "{}", stage.screen());
}
