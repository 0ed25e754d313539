//! The page between marks and files.

use signoff_checks::check::{CheckOutcome, CheckReport, Checked};
use signoff_core::edit::diff::line::{DiffLine, LineKind};
use signoff_core::edit::diff::undisplayed::{TextDigest, Undisplayed, UndisplayedReason};
use signoff_core::edit::intent::Operation;
use signoff_core::engine::OwnTextAlarms;
use signoff_core::id::{ChangesetId, Timestamp};
use signoff_core::stage::review::{
    AfterApproval, EntryStatus, HistoryView, ProposalView, Ruling, Verdict,
};
use signoff_llm::session::{Command, CommittedFile, Event, FaultKind, Phase};

use signoff_tui::app::{Exit, Query};
use uuid::Uuid;

use crate::stage::{self, Stage, fault};

/// Four files: one that a program runs, one placed by likeness, one that goes, one of two hunks.
fn files() -> Vec<ProposalView> {
    let mut script = stage::proposal(1, "build.sh", Operation::Modify, &[3]);
    script.runs = Some("it is executable: programs run it".to_owned());
    let mut guessed = stage::proposal(2, "src/lib.rs", Operation::Modify, &[7]);
    guessed.is_guess = true;
    let placed = "placed by similarity: one context line differs (similarity 75 of 100)";
    guessed.placed = Some(placed.to_owned());
    vec![
        script,
        guessed,
        stage::proposal(3, "docs/old.md", Operation::Delete, &[1]),
        stage::proposal(4, "src/cart.rs", Operation::Modify, &[12, 40]),
    ]
}

fn marked(width: u16, height: u16) -> Stage {
    let mut stage = Stage::ready(width, height);
    mark_all(&mut stage);
    stage
}

/// Reads the four files and marks every hunk.
pub(crate) fn mark_all(stage: &mut Stage) {
    stage.tell(stage::asking("go"));
    stage.tell(stage::staging(files()));
    stage.press("jjjjjjjjjjjjkkkkkkkkkkkk");
    assert!(!stage.screen().contains("Sign off"));
    stage.press("aaadkeep it, total is public<enter>a");
}

fn decides(commands: &[Command]) -> usize {
    let rulings = commands.iter().map(|command| match command {
        Command::Decide(rulings) => rulings.len(),
        _ => 0,
    });
    rulings.sum()
}

pub(crate) fn written() -> Event {
    let file = |path: &str| CommittedFile {
        path: path.to_owned(),
        version: 1,
        deleted: false,
    };
    Event::Decided {
        committed: vec![file("build.sh"), file("src/cart.rs")],
        approved: 4,
        denied: 1,
        pending: 0,
    }
}

#[test]
fn the_last_mark_opens_the_page_and_enter_writes() {
    for (width, height) in [(40, 24), (80, 24), (120, 40)] {
        let mut stage = marked(width, height);
        insta::assert_snapshot!(format!("sign_off_{width}"), stage.screen());
        assert_eq!(stage.press("axjk "), [], "no other key writes");
        assert!(stage.screen().contains("── Sign off"), "{}", stage.screen());
        assert_eq!(decides(&stage.press("<enter>")), 5);
        assert_eq!(stage.press("<enter>c"), [], "once");
        stage.tell([written(), Event::Review(vec![].into())]);
        insta::assert_snapshot!(format!("signed_off_{width}"), stage.screen());
    }
}

#[test]
fn esc_goes_back_and_nothing_is_written() {
    let mut stage = marked(80, 24);
    assert_eq!(stage.press("<esc>"), []);
    assert!(!stage.screen().contains("── Sign off"));
    assert!(stage.screen().contains("5 marked"), "{}", stage.screen());
    assert_eq!(decides(&stage.press("<enter><enter>")), 5);
}

#[test]
fn the_model_goes_on_or_stops_as_the_page_says() {
    for (key, expected) in [
        ("<enter>", None),
        ("c", Some(AfterApproval::GoOn)),
        ("S", Some(AfterApproval::Stop)),
    ] {
        let asked = marked(80, 24).press(key);
        let after = asked.iter().find_map(|command| match command {
            Command::AfterApproval(after) => Some(*after),
            _ => None,
        });
        assert_eq!((after, decides(&asked)), (expected, 5), "{key}");
    }
}

#[test]
fn a_page_that_was_just_opened_takes_no_key_that_was_on_its_way() {
    let mut stage = marked(80, 24);
    stage.press("<esc>");
    assert_eq!(stage.hurry("<enter><enter>", 299), []);
    assert!(stage.screen().contains("Just shown"), "{}", stage.screen());
    assert_eq!(stage.burst("c\u{1}<enter>"), []);
    assert_eq!(decides(&stage.press("<enter>")), 5);
}

/// What is written is what the page says: news on the way to Enter are shown first.
#[test]
fn the_page_follows_what_is_staged() {
    let mut stage = marked(80, 24);
    let mut changed = files();
    changed[0].hunks[0].lines[2].text.push_str(" && rm -rf /");
    let news = || Event::Review(changed.clone().into());
    stage.say([news()]);
    assert!(
        stage.screen().contains("Left as it is: 1 hunk"),
        "{}",
        stage.screen()
    );
    assert_eq!(
        stage.hurry("<enter>", 100),
        [],
        "the page says something else by now"
    );
    assert_eq!(decides(&stage.press("<enter>")), 4);
    assert!(
        !stage.screen().contains("── Sign off"),
        "one hunk waits still"
    );
    let mut stage = marked(80, 24);
    stage.tell([Event::Review(vec![].into())]);
    assert_eq!(stage.press("<enter>"), []);
    assert!(!stage.screen().contains("Sign off"), "{}", stage.screen());
}

#[test]
fn what_could_not_be_written_is_back_in_the_review() {
    let mut stage = marked(80, 24);
    stage.press("<enter>");
    stage.tell([fault(FaultKind::FileChanged), Event::Undecided]);
    assert!(stage.screen().contains("5 marked"), "{}", stage.screen());
    assert_eq!(decides(&stage.press("<enter><enter>")), 5);
}

/// The list of what waits comes a moment after what was written, and keys may come between.
#[test]
fn once_all_is_written_keys_go_to_the_composer() {
    let written_page = || {
        let mut stage = marked(80, 24);
        stage.press("<enter>");
        stage.tell([written()]);
        assert!(stage.screen().contains("── Written"), "{}", stage.screen());
        stage
    };
    let mut stage = written_page();
    stage.press("<ctrl-d>");
    assert_eq!(stage.exit(), Some(Exit::Left));
    let mut stage = written_page();
    assert_eq!(stage.press("next"), []);
    assert!(stage.screen().contains("› next"), "{}", stage.screen());
}

#[test]
fn after_writing_one_key_takes_it_back_and_letters_are_text() {
    let mut stage = marked(80, 24);
    stage.press("<enter>");
    stage.tell([written(), Event::Review(vec![].into())]);
    stage.tell([stage::history()]);
    assert_eq!(stage.press("U"), []);
    assert!(matches!(stage.queries().as_slice(), [Query::Forecast(_)]));
    stage.press("n");
    assert_eq!(stage.press("next"), []);
    assert!(stage.screen().contains("› next"), "{}", stage.screen());
    assert!(!stage.screen().contains("── Written"), "{}", stage.screen());
    // The model's next words are not hidden.
    let mut stage = marked(80, 24);
    stage.press("c");
    stage.tell([written(), Event::Review(vec![].into())]);
    stage.tell([
        Event::Phase {
            phase: Phase::Asking,
        },
        stage::text("Next step."),
    ]);
    assert!(stage.screen().contains("Next step."), "{}", stage.screen());
}

/// Somebody who goes on typing after what was written looks at the prompt, and `U` begins many words.
#[test]
fn a_word_that_begins_with_the_key_for_undo_is_typed() {
    let written_page = || {
        let mut stage = marked(80, 24);
        stage.press("<enter>");
        stage.tell([written(), Event::Review(vec![].into())]);
        stage.tell([stage::history()]);
        stage
    };
    for typed in ["Update it", "Undo the last step", "Unify", "Usage"] {
        for pause in [0, 100, 599] {
            let mut stage = written_page();
            assert_eq!(stage.hurry(typed, pause), [], "{typed} every {pause} ms");
            let screen = stage.screen();
            assert!(
                screen.contains(&format!("› {typed}")),
                "{pause} ms\n{screen}"
            );
            assert!(!screen.contains("Revert?"), "{screen}");
        }
    }
    // An answer that came too early is said to be that, and the question stays.
    let mut stage = written_page();
    assert_eq!(stage.hurry("Uy", 100), []);
    assert!(stage.screen().contains("Revert?"), "{}", stage.screen());
    assert!(matches!(stage.press("y").as_slice(), [Command::Revert(_)]));
}

/// Each changeset is taken back by itself: the page promises no more.
#[test]
fn the_page_says_what_one_key_takes_back() {
    for (other, expected) in [
        (
            stage::proposal(1, "a.rs", Operation::Modify, &[1]).changeset,
            "U reverts all of it",
        ),
        (
            ChangesetId(Uuid::from_u128(77)),
            "U reverts the last of 2 changes",
        ),
    ] {
        let mut files = vec![
            stage::proposal(1, "a.rs", Operation::Modify, &[1]),
            stage::proposal(2, "b.rs", Operation::Modify, &[1]),
        ];
        files[1].changeset = other;
        let mut stage = Stage::ready(80, 24);
        stage.tell(stage::asking("go"));
        stage.tell(stage::staging(files));
        stage.sign("aa");
        stage.tell([written(), Event::Review(vec![].into())]);
        assert!(stage.screen().contains(expected), "{}", stage.screen());
    }
}

/// Taking back is about a changeset: what an earlier sign-off wrote of it goes too, which page and question say.
#[test]
fn the_page_says_that_what_was_written_before_goes_too() {
    let files = vec![stage::proposal(1, "a.rs", Operation::Modify, &[1])];
    let changeset = files[0].changeset;
    let entry = |version, time, path: &str| HistoryView {
        changeset: Some(changeset),
        version,
        time: Timestamp(time),
        path: path.to_owned(),
        status: EntryStatus::Applied,
        ..HistoryView::default()
    };
    let earlier = entry(1, 1, "b.rs");
    let both = vec![entry(1, 2, "a.rs"), earlier.clone()];
    let mut stage = Stage::ready(120, 24);
    stage.feed(stage::answer(|app| app.show_history(vec![earlier])));
    stage.tell(stage::asking("go"));
    stage.tell(stage::staging(files));
    stage.sign("a");
    stage.tell([written(), Event::Review(vec![].into())]);
    let screen = stage.screen();
    assert!(
        screen.contains("U reverts all of the change, what was written of it before too"),
        "{screen}"
    );
    stage.feed(stage::answer(|app| app.show_history(both)));
    stage.press("U");
    let screen = stage.screen();
    assert!(
        screen.contains("Part of it was signed off before, in b.rs."),
        "{screen}"
    );
}

#[test]
fn denials_alone_need_no_page() {
    let mut stage = Stage::staged(80, 40).looked_through();
    let asked = stage.press("dno<enter>dno<enter>dno<enter>");
    let [Command::Decide(rulings)] = asked.as_slice() else {
        panic!("{asked:?}")
    };
    let denials = rulings.iter();
    assert!(
        denials
            .clone()
            .all(|it| matches!(it.verdict, Verdict::Deny { .. }))
    );
}

/// Many files take a while to write: what is on its way is said with its time, until it is over.
#[test]
fn writing_that_takes_over_a_second_is_said() {
    let mut stage = marked(80, 24);
    stage.press("<enter>");
    assert!(
        !stage.screen().contains("writing 4 hunks"),
        "{}",
        stage.screen()
    );
    stage.wait(2);
    assert!(
        stage.screen().contains("writing 4 hunks, 2s"),
        "{}",
        stage.screen()
    );
    assert!(stage.app.shows_time());
    stage.tell([written(), Event::Review(vec![].into())]);
    assert!(!stage.screen().contains("writing"), "{}", stage.screen());
}

#[test]
fn checks_say_how_long_they_run() {
    let mut stage = Stage::staged(120, 24);
    stage.tell([Event::Checking]);
    stage.wait(14);
    assert!(
        stage.screen().contains("checks run, 14s"),
        "{}",
        stage.screen()
    );
    let report = signoff_checks::check::CheckReport::default();
    stage.tell([Event::Checked { report }]);
    assert!(!stage.screen().contains("checks run"), "{}", stage.screen());
}

/// The user's text is looked at as a model's is; it is written all the same.
#[test]
fn the_page_says_what_guards_find_in_a_text_of_the_users() {
    let alarm = "line 2, column 12: new syntax error: `(` was never closed [syntax]";
    let found = |alarms: &[&str]| {
        Ok(vec![OwnTextAlarms {
            path: "a.py".to_owned(),
            alarms: alarms.iter().map(ToString::to_string).collect(),
        }])
    };
    for (own_text, said) in [
        (Ok(Vec::new()), "Your text: nothing was found in it"),
        (found(&[alarm]), "  ! a.py: line 2"),
        (
            Err("it broke down".to_owned()),
            "! Your text was not checked: it broke down",
        ),
    ] {
        let mut stage = Stage::ready(120, 40);
        stage.own_text = Some(own_text);
        stage.tell(stage::staging(vec![stage::proposal(
            1,
            "a.py",
            Operation::Modify,
            &[3],
        )]));
        stage.press("i// mine<ctrl-s>");
        let screen = stage.screen();
        assert!(screen.contains("── Sign off"), "{screen}");
        assert!(screen.contains(said), "{screen}");
        // Words that skip the page do not skip this.
        stage.press("<esc>");
        assert_eq!(decides(&stage.press("/approve all<enter>")), 0);
        assert!(stage.screen().contains(said), "{}", stage.screen());
        assert_eq!(decides(&stage.press("<enter>")), 1);
    }
}

/// Checks ran on the model's text: they say nothing of the user's, or of a part.
#[test]
fn tests_of_all_that_was_staged_are_not_credited_to_a_part_or_to_a_text_of_the_users() {
    let part = "run on all staged changes and not on this part alone";
    let text = "run on the model's text and not on your text";
    let both = "not on this part alone, nor on your text";
    for (keys, waiting, said) in [
        ("a", 1, None),
        ("i// mine<ctrl-s>", 1, Some(text)),
        ("v a", 1, Some(part)),
        ("i// mine<ctrl-s>dno<enter>", 2, Some(both)),
    ] {
        let mut stage = Stage::ready(160, 40);
        let at: Vec<u32> = (0..waiting).map(|number| 3 + 40 * number).collect();
        let proposal = stage::proposal(1, "a.py", Operation::Modify, &at);
        stage.tell(stage::staging(vec![proposal]));
        let outcome = CheckOutcome::Tested {
            passed: 297,
            failed: 0,
            known: 0,
            files: Vec::new(),
        };
        let checked = Checked {
            name: "pytest".to_owned(),
            outcome,
            took_ms: 1,
        };
        let report = CheckReport {
            checks: vec![checked],
            new: Vec::new(),
        };
        stage.tell([Event::Checking, Event::Checked { report }]);
        let mut stage = stage.looked_through();
        stage.press("g");
        stage.press(keys);
        let screen = stage.screen();
        assert!(screen.contains("── Sign off"), "{keys}: {screen}");
        assert!(screen.contains("297 tests passed"), "{keys}: {screen}");
        match said {
            Some(said) => assert!(screen.contains(said), "{keys}: {screen}"),
            None => assert!(!screen.contains(", run on"), "{keys}: {screen}"),
        }
    }
}

/// Of such a hunk it is known only then whether it still fits.
#[test]
fn the_page_says_what_is_made_on_a_hunk_that_the_user_edited() {
    let said = "1 hunk not written if your text takes its lines away";
    for (first, is_said) in [("i// mine<ctrl-s>", true), ("a", false)] {
        let mut stage = Stage::ready(160, 40);
        let mut files = stage::layered();
        files.remove(1);
        files[1].hunks.remove(2);
        files[1].hunks.remove(0);
        stage.tell(stage::staging(files));
        let mut stage = stage.looked_through();
        stage.press("g");
        stage.press(first);
        stage.press("a");
        let screen = stage.screen();
        assert!(screen.contains("── Sign off"), "{screen}");
        assert_eq!(screen.contains(said), is_said, "{screen}");
    }
}

/// Whoever presses Enter before the answer has not been warned.
#[test]
fn nothing_is_written_before_a_text_of_the_users_was_looked_at() {
    let mut stage = Stage::ready(120, 40);
    stage.own_text = None;
    let proposals = vec![stage::proposal(1, "a.py", Operation::Modify, &[3])];
    stage.tell(stage::staging(proposals));
    stage.press("i// mine<ctrl-s>");
    assert!(
        stage.screen().contains("Your text: being checked"),
        "{}",
        stage.screen()
    );
    assert_eq!(decides(&stage.press("<enter>")), 0);
    assert!(
        stage.screen().contains("Your text is being checked"),
        "{}",
        stage.screen()
    );
}

/// A file whose text is too large to be shown.
fn undisplayed(id: u128) -> ProposalView {
    let mut file = stage::proposal(id, "big.csv", Operation::Create, &[1]);
    let digest = TextDigest {
        lines: 18_001,
        bytes: 1_314_073,
        sha256: "5f0e".repeat(16),
    };
    let hunk = &mut file.hunks[0];
    let why = UndisplayedReason::TooLarge;
    (hunk.added, hunk.removed) = (18_001, 0);
    hunk.lines = vec![DiffLine {
        kind: LineKind::Added,
        old: None,
        new: None,
        text: format!("{digest}: {why}"),
        emphasis: Vec::new(),
        newline: true,
    }];
    let (old, new) = (None, Some(digest));
    hunk.undisplayed = Some(Undisplayed { why, old, new });
    file
}

/// 18,001 lines were approved by `a`, Enter.
#[test]
fn what_is_not_displayed_is_signed_by_its_hash_after_a_question() {
    let question = "brings 18001 lines, not displayed";
    for width in [40, 80, 120] {
        let mut stage = Stage::ready(width, 40);
        stage.tell(stage::staging(vec![undisplayed(1)]));
        assert_eq!(stage.press("a"), []);
        let asked = stage.screen();
        insta::assert_snapshot!(format!("undisplayed_asked_{width}"), asked);
        assert!(!asked.contains("── Sign off"), "{asked}");
        assert_eq!(decides(&stage.press("<enter>")), 0);
        stage.press("aa");
        let signed = stage.screen();
        insta::assert_snapshot!(format!("undisplayed_signed_{width}"), signed);
        assert_eq!(decides(&stage.press("<enter>")), 1);
    }
    // No key for several hunks takes it.
    for keys in [
        "A",
        "AA",
        "AAAA",
        "F",
        "s",
        "c",
        " <enter>",
        "/approve all<enter>",
    ] {
        let mut stage = Stage::ready(120, 40);
        stage.tell(stage::staging(vec![undisplayed(1)]));
        assert_eq!(decides(&stage.sign(keys)), 0, "{keys}: {}", stage.screen());
        assert!(!stage.screen().contains("[approve]"), "{keys}");
        let other = stage::proposal(2, "a.rs", Operation::Modify, &[5]);
        stage.tell(stage::staging(vec![undisplayed(1), other]));
        let asked = stage.sign(keys);
        let is_other = |ruling: &Ruling| ruling.hunk == stage::hunk_id(2, 1);
        let mut rulings = asked.iter().filter_map(|command| match command {
            Command::Decide(rulings) => Some(rulings),
            _ => None,
        });
        assert!(
            rulings.all(|own| own.iter().all(is_other)),
            "{keys}: {asked:?}"
        );
    }
    let mut stage = Stage::ready(120, 40);
    let other = stage::proposal(2, "a.rs", Operation::Modify, &[5]);
    stage.tell(stage::staging(vec![undisplayed(1), other]));
    stage.press("AA");
    let left = "Left as it is: 1 hunk, not displayed";
    assert!(stage.screen().contains(left), "{}", stage.screen());
    assert!(!stage.screen().contains(question));
}
