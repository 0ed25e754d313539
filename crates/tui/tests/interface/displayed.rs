//! Verdicts fall on what has been displayed, and on nothing else.

use insta::assert_snapshot;
use proptest::prelude::*;
use signoff_core::edit::diff::line::LineKind;
use signoff_core::edit::intent::Operation;
use signoff_core::stage::review::critique::CommentSeverity;
use signoff_core::stage::review::{ProposalView, Verdict};
use signoff_llm::session::{Command, Event};

use crate::critique;
use crate::stage::{self, Stage};

/// A file with hunks of so many lines each; every line is told from all others.
fn file(number: u128, lengths: &[usize]) -> ProposalView {
    let at: Vec<u32> = (1..).map(|n| n * 10).take(lengths.len()).collect();
    let mut file = stage::proposal(number, &format!("f{number}.rs"), Operation::Modify, &at);
    for (index, (hunk, length)) in file.hunks.iter_mut().zip(lengths).enumerate() {
        let template = hunk.lines[2].clone();
        hunk.header = format!("@@ {number}.{index}.");
        hunk.lines = (0..*length)
            .map(|line| {
                let mut own = template.clone();
                own.kind = LineKind::Added;
                own.emphasis.clear();
                own.text = format!("<{number}.{index}.{line}>");
                own
            })
            .collect();
    }
    file
}

fn reviewing(files: Vec<ProposalView>, width: u16, height: u16) -> Stage {
    let mut stage = Stage::ready(width, height);
    stage.tell(stage::asking("go"));
    stage.tell(stage::staging(files));
    stage
}

/// Returns the hunks, by index, that the commands approve or deny.
fn ruled(commands: &[Command]) -> Vec<u32> {
    let rulings = commands.iter().flat_map(|command| match command {
        Command::Decide(rulings) => rulings.as_slice(),
        _ => &[],
    });
    rulings.map(|ruling| ruling.hunk.number).collect()
}

#[test]
fn a_verdict_falls_on_a_hunk_that_is_on_the_screen() {
    let ways = [
        "G",
        "<pagedown>",
        "<pagedown><pagedown>",
        "G<pageup>",
        " ",
        "<end>",
        "Gg",
        "jjjG",
        "Gk",
        "G<home>",
        "jjjjj<pageup>",
    ];
    for (width, height) in [(80, 24), (40, 12), (120, 40), (40, 24), (60, 10)] {
        for way in ways {
            for verdict in ["a<enter>", "d<enter><enter>"] {
                let mut stage = reviewing(vec![file(1, &[4; 12])], width, height);
                stage.press(way);
                let before = stage.screen();
                let mut commands = stage.sign(verdict);
                // What of it is out of sight is shown first.
                for _ in 0..3 {
                    if commands.is_empty() {
                        commands = stage.sign(verdict);
                    }
                }
                let ruled = ruled(&commands);
                let [number] = ruled.as_slice() else {
                    panic!("{ruled:?} after {way}{verdict} at {width}x{height}\n{before}");
                };
                let selected = format!("<1.{}.", number - 1);
                let marked = before.lines().filter(|row| row.starts_with('▌'));
                assert!(
                    marked.clone().any(|row| row.contains(&selected)),
                    "{number} after {way}{verdict} at {width}x{height}\n{before}"
                );
            }
        }
    }
}

#[test]
fn a_hunk_that_is_longer_than_the_screen_asks_once() {
    let mut stage = reviewing(vec![file(1, &[301, 4])], 80, 24);
    assert!(
        stage.screen().contains("lines below out of sight"),
        "{}",
        stage.screen()
    );
    assert_eq!(stage.press("a"), []);
    assert!(!stage.screen().contains("[approve]"));
    assert_snapshot!("long_hunk_80", stage.screen());
    assert_eq!(stage.press("ja"), [], "another key in between");
    assert!(!stage.screen().contains("[approve]"));
    stage.press("a");
    stage.press("g");
    assert!(stage.screen().contains("[approve]"), "{}", stage.screen());
}

#[test]
fn what_is_asked_fits_a_narrow_screen() {
    let mut stage = reviewing(vec![file(1, &[301, 4])], 40, 12);
    stage.press("a");
    assert_snapshot!("long_hunk_40", stage.screen());
    let mut stage = reviewing(vec![file(1, &[4; 12])], 40, 24);
    stage.press("A");
    assert_snapshot!("all_40", stage.screen());
}

/// A description that fills many screens hides neither the hunk nor the way to a verdict.
#[test]
fn what_is_said_about_a_file_is_shown_before_a_verdict_and_can_be_waived() {
    let mut long = file(1, &[4]);
    long.description = "many words ".repeat(2_000);
    let mut stage = reviewing(vec![long], 80, 24);
    assert_eq!(stage.press("a"), []);
    assert!(
        stage.screen().contains("The notes on this file"),
        "{}",
        stage.screen()
    );
    assert_eq!(stage.press("a"), [], "the hunk comes into sight");
    assert!(stage.screen().contains("<1.0.3>"), "{}", stage.screen());
    assert_eq!(ruled(&stage.sign("a")), [1]);
}

#[test]
fn a_hunk_that_was_read_to_its_end_needs_no_question() {
    let mut stage = reviewing(vec![file(1, &[301])], 80, 24);
    stage.press(&"j".repeat(40));
    assert_eq!(ruled(&stage.sign("a")), [1]);
}

/// Presses a key until it approves; returns how many hunks.
fn walked(stage: &mut Stage, key: &str) -> usize {
    let mut ruled = (0..40).map(|_| ruled(&stage.sign(key)).len());
    ruled.find(|count| *count > 0).unwrap_or_default()
}

/// `A` and `s` show every changed line before they approve; only a typed command skips that.
#[test]
fn approving_several_hunks_walks_through_what_is_unseen() {
    for key in ["A", "s", "c", "S"] {
        for (width, height) in [(40, 24), (80, 24), (120, 40)] {
            let mut files = vec![file(1, &[4, 60, 3, 3]), file(2, &[30, 4, 4])];
            for hunk in files.iter_mut().flat_map(|file| &mut file.hunks) {
                hunk.group = Some(signoff_core::stage::review::Grouped {
                    key: "k".to_owned(),
                    rewrite: "a to b".to_owned(),
                    outlier: false,
                });
            }
            let mut stage = reviewing(files.clone(), width, height);
            let mut seen = stage.screen();
            let mut ruled = Vec::new();
            for _ in 0..40 {
                ruled = self::ruled(&stage.sign(key));
                if !ruled.is_empty() {
                    break;
                }
                seen.push_str(&stage.screen());
            }
            assert_eq!(ruled.len(), 7, "{key} at {width}x{height}");
            for line in files
                .iter()
                .flat_map(|file| &file.hunks)
                .flat_map(|hunk| &hunk.lines)
            {
                assert!(
                    seen.contains(&line.text),
                    "{} after {key} at {width}",
                    line.text
                );
            }
        }
    }
    let mut stage = reviewing(vec![file(1, &[301, 4, 4])], 80, 24);
    assert_eq!(ruled(&stage.sign("<tab>/approve all<enter>")), [1, 2, 3]);
}

#[test]
fn only_lines_that_change_have_to_be_displayed() {
    let mut wide = file(1, &[120]);
    for line in &mut wide.hunks[0].lines[3..] {
        line.kind = LineKind::Context;
    }
    let mut stage = reviewing(vec![wide.clone()], 80, 24);
    assert_eq!(ruled(&stage.sign("a")), [1]);
    wide.hunks[0].lines[119].kind = LineKind::Removed;
    let mut stage = reviewing(vec![wide], 80, 24);
    assert_eq!(stage.press("a"), []);
    let screen = stage.screen();
    assert!(
        screen.contains("1 of 4 changed lines not displayed yet"),
        "{screen}"
    );
    assert!(screen.contains("<1.0.119>"), "{screen}");
}

/// At the end of a long hunk the next one is in sight as well: the head says which is meant.
#[test]
fn the_head_of_the_selected_hunk_stays_in_sight() {
    for (width, height) in [(40, 24), (80, 24), (120, 40)] {
        let mut stage = reviewing(vec![file(1, &[60, 4]), file(2, &[3])], width, height);
        for _ in 0..12 {
            stage.press("a");
            let screen = stage.screen();
            if screen.contains("── Sign off") {
                break;
            }
            let mut marked = screen.lines().filter(|row| row.contains('▌'));
            let head = marked.next().unwrap_or_default();
            assert!(
                head.contains("@@ ") && head.contains(']'),
                "{width}x{height}\n{screen}"
            );
        }
    }
}

#[test]
fn verdicts_on_all_say_how_many_were_not_displayed() {
    let mut stage = reviewing(vec![file(1, &[4; 12])], 80, 19);
    assert_eq!(stage.press("A"), []);
    let screen = stage.screen();
    assert!(
        screen.contains("12 hunks, 8 not displayed yet: A shows more"),
        "{screen}"
    );
    assert_eq!(stage.press("<esc>A"), [], "it was put away");
    assert_eq!(walked(&mut stage, "A"), 12);
    let mut stage = reviewing(vec![file(1, &[4; 12])], 80, 24);
    assert_eq!(stage.press("D"), []);
    let screen = stage.screen();
    assert!(
        screen.contains("Why deny all 12 hunks? 9 unseen"),
        "{screen}"
    );
    assert_eq!(ruled(&stage.sign("<enter>")).len(), 12);
    let mut stage = reviewing(vec![file(1, &[4; 12])], 80, 24);
    assert_eq!(stage.press("<tab>/approve<enter>"), []);
    assert!(
        stage.screen().contains("A shows more"),
        "{}",
        stage.screen()
    );
    assert_eq!(walked(&mut stage, "A"), 12);
    let mut stage = reviewing(vec![file(1, &[4; 12])], 80, 24);
    assert_eq!(stage.press("<tab>/deny no<enter>"), []);
    assert!(stage.screen().contains("9 unseen"));
    assert_eq!(ruled(&stage.sign("<enter>")).len(), 12);
}

#[test]
fn keys_in_one_batch_do_not_confirm_what_no_frame_has_asked() {
    let mut stage = reviewing(vec![file(1, &[301, 4])], 80, 24);
    for key in stage::keys("aaaaAAAAGaja<pagedown>a") {
        let event = ratatui::crossterm::event::Event::Key(key);
        let commands = stage.feed(signoff_tui::app::Msg::Terminal(event));
        assert_eq!(commands, []);
    }
    stage.draw();
    assert!(!stage.screen().contains("[approve]"), "{}", stage.screen());
}

#[test]
fn a_hunk_that_reads_differently_is_unseen_again() {
    let mut stage = reviewing(vec![file(1, &[301, 4])], 80, 24);
    stage.press(&"j".repeat(40));
    let mut changed = file(1, &[301, 4]);
    changed.hunks[0].lines[300].text.push_str("; rm()");
    stage.tell([Event::Review(vec![changed].into())]);
    assert_eq!(stage.press("GA"), []);
    assert!(
        stage.screen().contains("2 hunks, 1 not displayed yet"),
        "{}",
        stage.screen()
    );
    // Line numbers move under an edit elsewhere; that is no news.
    let mut stage = reviewing(vec![file(1, &[301, 4])], 80, 24);
    stage.press(&"j".repeat(40));
    let mut moved = file(1, &[301, 4]);
    moved.hunks[0]
        .lines
        .iter_mut()
        .for_each(|line| line.new = Some(9_000));
    stage.tell([Event::Review(vec![moved].into())]);
    assert_eq!(ruled(&stage.sign("GA")), [1, 2]);
}

#[test]
fn a_resize_keeps_what_was_seen_and_forgets_halves_of_lines() {
    let mut stage = reviewing(vec![file(1, &[60])], 120, 40);
    stage.press("jjjjj");
    stage.resize(40, 12);
    assert_eq!(ruled(&stage.sign("a")), [1]);
    let mut long = file(1, &[1]);
    long.hunks[0].lines[0].text = "x".repeat(4_000);
    let mut stage = reviewing(vec![long], 80, 24);
    stage.resize(70, 24);
    assert_eq!(stage.press("a"), []);
    assert!(
        stage
            .screen()
            .contains("1 of 1 changed line not displayed yet"),
        "{}",
        stage.screen()
    );
}

#[test]
fn code_behind_a_run_of_blanks_is_on_the_screen() {
    for run in [" ".repeat(3_000), "\t".repeat(3_000), " \t".repeat(3_000)] {
        for (width, height) in [(80, 24), (40, 24)] {
            let mut hiding = file(1, &[1]);
            hiding.hunks[0].lines[0].text = format!("x = 1{run}; run()");
            let stage = reviewing(vec![hiding], width, height);
            let screen = stage.screen();
            assert!(
                screen.contains("; run") && screen.contains(" blanks") | screen.contains(" tabs"),
                "{screen}"
            );
        }
    }
}

#[test]
fn a_line_that_goes_on_says_so_at_the_end_of_each_row() {
    let mut long = file(1, &[1]);
    long.hunks[0].lines[0].text = "x".repeat(200);
    let stage = reviewing(vec![long], 80, 24);
    let screen = stage.screen();
    let rows: Vec<&str> = screen.lines().filter(|row| row.contains("xxx")).collect();
    let (last, others) = rows.split_last().unwrap();
    assert!(
        others.len() > 1 && others.iter().all(|row| row.ends_with("x…")),
        "{screen}"
    );
    assert!(last.ends_with('x'), "{screen}");
}

#[test]
fn a_very_long_hunk_is_walked_through_quickly() {
    let mut stage = reviewing(vec![file(1, &[20_000, 4])], 80, 24);
    stage.press("aGgjjj<pagedown>G<pageup>");
    assert!(stage.screen().contains("19"), "{}", stage.screen());
    assert_eq!(stage.press("<home>a"), []);
    assert!(
        stage
            .screen()
            .contains("of 20000 changed lines not displayed yet"),
        "{}",
        stage.screen()
    );
}

/// Returns true if the same key again would confirm a verdict.
fn asks(stage: &Stage) -> bool {
    let screen = stage.screen();
    let words: Vec<&str> = screen.split_whitespace().collect();
    words.contains(&"again")
}

#[derive(Clone, Debug)]
enum Step {
    Key(&'static str),
    Resize(u16, u16),
    Refresh,
    Comment(usize),
}

/// A question of fewer rows makes no room for the transcript that the review loses.
#[test]
fn a_shorter_question_hides_no_row_of_the_review() {
    let mut stage = reviewing(vec![file(1, &[1, 1]), file(2, &[3, 30])], 80, 24);
    stage.press("a");
    stage.resize(46, 21);
    let mut seen = String::new();
    while !seen.contains("all were displayed") {
        assert!(stage.press("A").is_empty(), "{seen}");
        seen.push_str(&stage.screen());
    }
    assert!(
        (0..30).all(|line| seen.contains(&format!("<2.1.{line}>"))),
        "{seen}"
    );
}

fn steps() -> impl Strategy<Value = Vec<Step>> {
    let keys = [
        "j",
        "k",
        "g",
        "G",
        "J",
        "K",
        "a",
        "a",
        "a",
        "d<enter>",
        "u",
        "<pagedown>",
        "<pageup>",
        "A",
        "<enter>",
        "t",
        "T",
        "L",
        "W",
        ".",
    ];
    let step = prop_oneof![
        12 => prop::sample::select(keys.to_vec()).prop_map(Step::Key),
        1 => (24u16..190, 10u16..40).prop_map(|(width, height)| Step::Resize(width, height)),
        1 => Just(Step::Refresh),
        1 => (0usize..5).prop_map(Step::Comment),
    ];
    prop::collection::vec(step, 1..40)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 64, ..ProptestConfig::default() })]
    #[test]
    fn nothing_is_approved_of_which_a_line_was_never_on_the_screen(
        steps in steps(), lengths in prop::collection::vec(1usize..40, 1..6),
    ) {
        let files = vec![file(1, &lengths), file(2, &[3, 30])];
        let mut stage = reviewing(files.clone(), 80, 24);
        let mut seen = stage.screen();
        for step in steps {
            let commands = match step {
                // A question that is confirmed approves what was not displayed: that is not tried.
                Step::Key(key) if asks(&stage) && !"jkgG".contains(key) => {
                    stage.press("j")
                }
                Step::Key(key) => stage.press(key),
                Step::Resize(width, height) => {
                    stage.resize(width, height);
                    Vec::new()
                }
                Step::Refresh => stage.tell([Event::Review(files.clone().into())]),
                // The review agent's comments come between rows that the user reads.
                Step::Comment(hunk) => {
                    let file = &files[hunk % 2];
                    let about = (file, hunk % file.hunks.len());
                    let text = "This is wrong, since it does something else. ".repeat(hunk + 1);
                    let comment = critique::comment(about, None, CommentSeverity::Bug, &text);
                    stage.tell([critique::began(), comment])
                }
            };
            for command in commands {
                let Command::Decide(rulings) = command else { continue };
                for ruling in rulings.iter().filter(|ruling| ruling.verdict == Verdict::Approve) {
                    let file = files.iter().find(|file| file.id == ruling.hunk.proposal).unwrap();
                    let hunk = file.hunks.iter().find(|hunk| hunk.id == ruling.hunk).unwrap();
                    for line in &hunk.lines {
                        prop_assert!(seen.contains(&line.text), "{} of {:?}", line.text, ruling);
                    }
                }
            }
            seen.push_str(&stage.screen());
        }
    }
}

/// No key approves what makes a program run before all of it was displayed.
#[test]
fn what_makes_a_program_run_is_never_approved_unseen() {
    let program = |number, lengths: &[usize]| {
        let mut file = file(number, lengths);
        file.runs = Some("direnv runs it".to_owned());
        file
    };
    // Hidden behind another file.
    let mut stage = reviewing(vec![file(1, &[2]), program(2, &[3])], 60, 16);
    assert_eq!(stage.press("A"), []);
    assert!(stage.screen().contains("<2.0.2>"), "{}", stage.screen());
    // Longer than the screen: each press shows more of it, until all of it was displayed.
    let mut stage = reviewing(vec![program(1, &[60])], 60, 16);
    let presses = (1..40).find(|_| !ruled(&stage.sign("a")).is_empty());
    assert!(presses.is_some_and(|presses| presses > 4), "{presses:?}");
    // All at once shows it, and approves nothing however often.
    let mut stage = reviewing(vec![program(1, &[60])], 60, 16);
    for _ in 0..3 {
        assert_eq!(stage.press("A"), []);
    }
}

/// A line without one like it in its place is one changed line and fifty rows: no second key takes it unseen.
#[test]
fn a_long_line_is_never_approved_unseen() {
    let mut long = file(1, &[2]);
    long.hunks[0].lines[0].text = "x = 1; ".repeat(400) + "rm()";
    let mut stage = reviewing(vec![long], 100, 12);
    let mut seen = String::new();
    let presses = (1..40).find(|_| {
        let is_ruled = !ruled(&stage.sign("a")).is_empty();
        seen += &stage.screen();
        is_ruled
    });
    assert!(presses.is_some_and(|presses| presses > 4), "{presses:?}");
    assert!(
        seen.contains("a line of it is long: a shows more"),
        "{seen}"
    );
    assert!(seen.contains("rm()"), "{seen}");
}
