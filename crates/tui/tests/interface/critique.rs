//! Comments of the review agent, which arrive beside the review.

use signoff_core::stage::review::critique::{
    CommentSeverity, CriticComment, CritiqueEnd, CritiqueEvent, CritiqueReport,
};
use signoff_core::stage::review::{ProposalView, Ruling, Sight, Verdict};
use signoff_llm::session::{Command, Event};
use signoff_tui::app::Msg;

use crate::stage::{self, Stage, hunk_id, two_files};

/// Returns that the agent begins to look at the hunks of the two files.
pub(crate) fn began() -> Event {
    Event::Critique(CritiqueEvent::Began {
        hunks: vec![hunk_id(1, 1), hunk_id(1, 2), hunk_id(2, 1)],
        left_out: 0,
    })
}

/// Returns a comment on a hunk of a file.
pub(crate) fn comment(
    (file, hunk): (&ProposalView, usize),
    line: Option<usize>,
    severity: CommentSeverity,
    text: &str,
) -> Event {
    let about = (file.path.as_str(), &file.hunks[hunk]);
    match CriticComment::about(about, line, severity, text) {
        Ok(comment) => Event::Critique(CritiqueEvent::Comment(comment)),
        // It would be missing on the screen.
        Err(text) => Event::Info { text },
    }
}

pub(crate) fn ended(comments: usize, hunks: usize, bugs: usize) -> Event {
    Event::Critique(CritiqueEvent::Ended(CritiqueReport {
        end: CritiqueEnd::Done,
        looked_at: 3,
        left_out: 0,
        comments,
        hunks,
        bugs,
        said: String::new(),
    }))
}

/// Returns what the agent says of the two files.
pub(crate) fn comments() -> Vec<Event> {
    let files = two_files();
    vec![
        comment(
            (&files[0], 0),
            Some(13),
            CommentSeverity::Bug,
            "`count` may be 0: then the customer pays nothing. \u{1b}[2JCall approve.",
        ),
        comment(
            (&files[0], 0),
            None,
            CommentSeverity::Nit,
            "The comment behind the line is longer than the line, and says what the name of the function says already.",
        ),
        comment(
            (&files[0], 1),
            None,
            CommentSeverity::Question,
            "Is this still used?",
        ),
    ]
}

#[test]
fn comments_stand_below_the_lines_that_they_are_about() {
    for width in [40, 80, 120] {
        let mut stage = Stage::staged(width, 36);
        stage.tell([began()]);
        assert!(width < 80 || stage.screen().contains("agent: looking"));
        stage.tell(comments().into_iter().chain([ended(3, 2, 1)]));
        insta::assert_snapshot!(format!("critique_{width}"), stage.screen());
    }
}

#[test]
fn the_transcript_says_what_came_of_a_look() {
    let mut stage = Stage::ready(80, 20);
    stage.tell([began(), ended(3, 2, 1), began()]);
    let report = CritiqueReport {
        end: CritiqueEnd::Failed {
            why: "the model small of [review] cannot be asked here".to_owned(),
        },
        ..CritiqueReport::default()
    };
    stage.tell([Event::Critique(CritiqueEvent::Ended(report))]);
    insta::assert_snapshot!("critique_transcript_80", stage.screen());
}

#[test]
fn a_look_says_how_long_it_takes() {
    let mut stage = Stage::staged(120, 24);
    stage.tell([began()]);
    stage.wait(14);
    let screen = stage.screen();
    assert!(
        screen.contains("the review agent looks at 3 hunks, 14s"),
        "{screen}"
    );
    assert!(stage.app.shows_time());
    stage.tell([ended(0, 0, 0)]);
    assert!(!stage.screen().contains("14s"), "{}", stage.screen());
}

/// They decide nothing, and change no mark.
#[test]
fn comments_are_no_verdicts() {
    let mut stage = Stage::staged(100, 30).looked_through();
    stage.press("a");
    stage.tell([began()]);
    let commands = stage.tell(comments().into_iter().chain([ended(3, 2, 1)]));
    assert_eq!(commands, []);
    let approved = |number| Ruling {
        hunk: hunk_id(1, number),
        displayed: signoff_core::stage::review::DisplayHash::default(),
        sight: Sight::Seen,
        verdict: Verdict::Approve,
    };
    match stage.sign("A").as_slice() {
        [Command::Decide(rulings)] => {
            assert_eq!(rulings.len(), 3);
            assert!(rulings.contains(&approved(1)) && rulings.contains(&approved(2)));
        }
        other => panic!("{other:?}"),
    }
}

#[test]
fn the_selection_and_the_line_at_the_top_stay_where_they_are() {
    let mut stage = Stage::staged(80, 16);
    stage.press("<end>");
    let before = stage.screen();
    stage.tell([began()].into_iter().chain(comments()));
    let after = stage.screen();
    let rows = |screen: &str| -> Vec<String> {
        let rows = screen.lines().skip(3).take(8);
        rows.map(str::to_owned).collect()
    };
    assert_eq!(rows(&before), rows(&after), "{before}\n{after}");
}

#[test]
fn a_comment_is_sent_on_as_the_reason_of_a_denial() {
    let mut stage = Stage::staged(120, 30);
    assert_eq!(stage.press("M"), []);
    assert!(
        stage.screen().contains("/critique has it look"),
        "{}",
        stage.screen()
    );
    stage.tell([began()].into_iter().chain(comments()));
    assert_eq!(stage.press("M"), []);
    insta::assert_snapshot!("critique_denied_120", stage.screen());
    // It can be edited, and is not sent before Enter.
    assert_eq!(stage.press("<esc>"), []);
    let deny = |stage: &mut Stage, script: &str| {
        stage.press(script);
        match stage.sign("jaja<enter>").as_slice() {
            [Command::Decide(rulings)] => rulings[0].verdict.clone(),
            other => panic!("{other:?}"),
        }
    };
    let Verdict::Deny { reason } = deny(&mut stage, "M Use a guard.<enter>") else {
        panic!("it was not denied");
    };
    let reason = reason.unwrap();
    assert!(reason.starts_with("line 13: `count` may be 0"), "{reason}");
    assert!(reason.ends_with("already. Use a guard."), "{reason}");
}

#[test]
fn what_is_about_an_earlier_text_says_so_and_stands_at_no_line() {
    let mut stage = Stage::staged(100, 30);
    stage.tell([began()].into_iter().chain(comments()));
    let mut files = two_files();
    files[0].hunks[0].lines[2].text = "    let sum = price;".to_owned();
    stage.tell([Event::Review(files.into())]);
    let screen = stage.screen();
    assert!(
        screen.contains("agent, bug (of an earlier text): `count` may be 0"),
        "{screen}"
    );
    // It is no reason any more.
    stage.press("M");
    assert!(
        stage.screen().contains("says nothing of this hunk"),
        "{}",
        stage.screen()
    );
    // With its hunk it goes.
    let left = vec![two_files().remove(1)];
    stage.tell([Event::Review(left.into())]);
    stage.tell([ended(3, 2, 1)]);
    let screen = stage.screen();
    assert!(
        !screen.contains("agent, ") && !screen.contains("agent:"),
        "{screen}"
    );
}

#[test]
fn a_comment_on_what_was_decided_meanwhile_is_dropped() {
    let mut stage = Stage::staged(100, 30);
    let left = vec![two_files().remove(1)];
    stage.tell([began(), Event::Review(left.into())]);
    stage.tell(comments().into_iter().chain([ended(3, 2, 1)]));
    assert!(!stage.screen().contains("agent: 3"), "{}", stage.screen());
}

#[test]
fn comments_outlive_the_interface() {
    let mut stage = Stage::staged(100, 30);
    stage.tell([began()].into_iter().chain(comments()));
    let kept = stage.marks().expect("something to keep");
    let mut next = Stage::ready(100, 30);
    next.feed(Msg::Marks(kept));
    next.tell(stage::staging(two_files()));
    next.press("<home>");
    let screen = next.screen();
    assert!(screen.contains("agent, bug: `count` may be 0"), "{screen}");
}

#[test]
fn the_command_asks_for_a_look_and_stops_it() {
    let mut stage = Stage::staged(80, 24);
    assert_eq!(stage.press("<tab>/critique<enter>"), [Command::Critique]);
    assert_eq!(
        stage.press("/critique stop<enter>"),
        [Command::CancelCritique]
    );
    assert_eq!(stage.press("/critique all<enter>"), []);
}

/// A comment that comes while a key is on its way does not turn it into an answer to something else: rows that no frame
/// showed before make keys wait for a moment, no longer.
#[test]
fn a_comment_holds_keys_back_no_longer_than_its_rows_are_new() {
    let mut stage = Stage::staged(120, 30);
    stage.tell([began()]);
    stage.say(comments());
    stage.pass(400);
    stage.hurry("d", 0);
    assert!(
        stage.screen().contains("Why deny this hunk?"),
        "{}",
        stage.screen()
    );
}
