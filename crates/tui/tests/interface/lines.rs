//! Lines of a hunk: selecting them, verdicts on them, comments on one.

use crate::stage::{Stage, hunk_id, proposal, staging, two_files};
use signoff_core::edit::intent::Operation;
use signoff_core::stage::review::{DeniedLines, HunkStatus, Ruling, Verdict};
use signoff_llm::session::{Command, Event};
use signoff_tui::app::Msg;

/// Returns the verdict on the first hunk, if it was handed over.
fn verdict(commands: &[Command]) -> Option<&Verdict> {
    let rulings = commands.iter().flat_map(|command| match command {
        Command::Decide(rulings) => &rulings[..],
        _ => &[],
    });
    let mut own = rulings.filter(|ruling: &&Ruling| ruling.hunk == hunk_id(1, 1));
    own.next().map(|ruling| &ruling.verdict)
}

#[test]
fn selected_lines_are_approved_alone() {
    for width in [40, 80, 120, 200] {
        let mut stage = Stage::staged(width, 30);
        assert_eq!(stage.press("v jj"), []);
        insta::assert_snapshot!(format!("lines_{width}"), stage.screen());
        assert_eq!(stage.press("k a"), []);
        let screen = stage.screen();
        assert!(!screen.contains('●'), "{screen}");
    }
}

#[test]
fn what_is_selected_is_what_is_approved() {
    let check = |keys: &str, expected: Verdict| {
        let mut stage = Stage::staged(80, 40).looked_through();
        stage.press("gv");
        stage.press(keys);
        let sent = stage.sign("A");
        assert_eq!(verdict(&sent), Some(&expected), "{keys}");
    };
    let edited = |text: &str| Verdict::edited(text.to_owned());
    check("*a", Verdict::Approve);
    check(
        "ano<enter>",
        Verdict::Deny {
            reason: Some("no".to_owned()),
        },
    );
    let (old, new) = (
        "\tlet total = price * count;\n",
        "\tlet sum = price * count; // what the customer pays, before the discount\n",
    );
    check(" a", edited(""));
    check("j <enter>", edited(&[old, new].concat()));
    check("j j a", edited(&[old, new].concat()));
    let without = |text: String, sign: &str, line: &str| Verdict::ApproveEdited {
        text,
        denied: Some(DeniedLines {
            lines: vec![format!("{sign}{}", line.trim_end())],
            reason: None,
        }),
    };
    check("d<enter>", without([old, new].concat(), "-", old));
    check("jd<enter>", without(String::new(), "+", new));
    check(
        "*dno<enter>",
        Verdict::Deny {
            reason: Some("no".to_owned()),
        },
    );
}

#[test]
fn a_selection_is_forgotten_on_the_way_back() {
    let mut stage = Stage::staged(80, 30);
    let before = stage.screen();
    stage.press("v ");
    assert!(
        stage.screen().contains("1 of 2 lines selected"),
        "{}",
        stage.screen()
    );
    stage.press("<esc>");
    assert_eq!(stage.screen(), before);
    stage.press("v");
    assert!(
        stage.screen().contains("0 of 2 lines selected"),
        "{}",
        stage.screen()
    );
}

/// The page and the head of the hunk went on with the counts of all its lines.
#[test]
fn lines_that_were_deselected_are_not_counted() {
    let mut stage = Stage::ready(80, 30);
    stage.tell(staging(vec![proposal(1, "a.rs", Operation::Modify, &[12])]));
    assert!(stage.screen().contains("  +1 -1"), "{}", stage.screen());
    stage.press("v a");
    let page = stage.screen();
    assert!(page.contains("1 hunk in 1 file  +0 -1"), "{page}");
    assert!(page.contains("a.rs  1 hunk  +0 -1"), "{page}");
    stage.press("<esc>");
    let card = stage.screen();
    assert!(
        card.contains("[approve edited]") && card.contains("  +0 -1"),
        "{card}"
    );
}

#[test]
fn context_is_not_selected() {
    let mut stage = Stage::staged(80, 30);
    stage.press("vk ");
    assert!(
        stage.screen().contains("This line stays as it is"),
        "{}",
        stage.screen()
    );
}

/// A file goes whole or not at all: no line of it can stay.
#[test]
fn the_lines_of_a_file_that_goes_are_selected_together() {
    let mut stage = Stage::ready(80, 30);
    stage.tell(staging(vec![proposal(1, "a.rs", Operation::Delete, &[12])]));
    stage.press("v ");
    let screen = stage.screen();
    assert!(screen.contains("2 of 2 lines selected"), "{screen}");
    assert!(screen.contains("all lines go together"), "{screen}");
    assert_eq!(verdict(&stage.sign("a")), Some(&Verdict::Approve));
}

/// The margin of the lines was not read yet.
#[test]
fn letters_of_a_word_that_select_lines_answer_nothing() {
    let mut stage = Stage::staged(80, 30);
    assert_eq!(stage.hurry("vad", 200), []);
    let screen = stage.screen();
    assert!(!screen.contains("Why deny"), "{screen}");
}

/// Keys that were meant for the selection do not approve the whole hunk.
#[test]
fn a_selection_of_a_hunk_that_changed_is_given_up() {
    let mut stage = Stage::staged(80, 30);
    stage.press("v ");
    let mut files = two_files();
    files[0].hunks[0].lines[2].text.push_str(" anew");
    stage.tell(staging(files));
    assert_eq!(stage.press("a"), []);
    let screen = stage.screen();
    assert!(screen.contains("v selects its lines again"), "{screen}");
    assert!(!screen.contains("[approve"), "{screen}");
}

#[test]
fn denied_lines_are_handed_over_with_the_reason() {
    let mut stage = Stage::staged(80, 40).looked_through();
    stage.press("gvjdtoo long<enter>");
    stage.press("A");
    let screen = stage.screen();
    assert!(screen.contains("Denied: 1 line"), "{screen}");
    assert!(screen.contains("1 line  too long"), "{screen}");
    let kept = stage.marks().unwrap();
    let sent = stage.press("<enter>");
    let line = "+\tlet sum = price * count; // what the customer pays, before the discount";
    let denied = DeniedLines {
        lines: vec![line.to_owned()],
        reason: Some("too long".to_owned()),
    };
    let Some(Verdict::ApproveEdited { denied: own, .. }) = verdict(&sent) else {
        panic!("{sent:?}");
    };
    assert_eq!(own.as_ref(), Some(&denied));
    let is_message = |command: &Command| matches!(command, Command::Submit(_));
    assert!(!sent.iter().any(is_message), "{sent:?}");
    // The next run has the reason as well.
    let mut next = Stage::staged(80, 40);
    next.feed(Msg::Marks(kept));
    let mut next = next.looked_through();
    next.press("A");
    assert!(
        next.screen().contains("1 line  too long"),
        "{}",
        next.screen()
    );
}

/// A line that the user puts in again is not said to be denied.
#[test]
fn lines_that_are_put_in_again_are_not_denied() {
    let mut stage = Stage::staged(80, 40).looked_through();
    stage.press("gvjdtoo long<enter>gi");
    stage.paste("// mine\n");
    stage.press("<ctrl-s>");
    assert!(matches!(
        verdict_after(&mut stage),
        Some(Verdict::ApproveEdited {
            denied: Some(_),
            ..
        })
    ));
    let mut stage = Stage::staged(80, 40).looked_through();
    stage.press("gvjdtoo long<enter>gi");
    stage.paste("\tlet sum = price * count; // what the customer pays, before the discount\n");
    stage.press("<ctrl-s>");
    let verdict = verdict_after(&mut stage);
    assert!(!matches!(
        verdict,
        Some(Verdict::ApproveEdited {
            denied: Some(_),
            ..
        })
    ));
}

#[test]
fn a_line_is_commented_below_it() {
    for width in [40, 80, 120] {
        let mut stage = Stage::staged(width, 30);
        stage.press("vmkeep the name<enter>");
        insta::assert_snapshot!(format!("line_commented_{width}"), stage.screen());
        assert_eq!(stage.press("m<enter>"), [], "it is there to be edited");
        assert!(
            stage.screen().contains("m keep the name"),
            "{}",
            stage.screen()
        );
    }
}

/// The new text of the first hunk of `Stage::staged`.
const NEW: &str = "\tlet sum = price * count; // what the customer pays, before the discount\n";

fn verdict_after(stage: &mut Stage) -> Option<Verdict> {
    verdict(&stage.sign("A")).cloned()
}

#[test]
fn the_new_text_is_edited_in_place() {
    for width in [40, 80, 120] {
        let mut stage = Stage::staged(width, 30).looked_through();
        stage.press("gi// why<enter><tab>");
        insta::assert_snapshot!(format!("in_place_{width}"), stage.screen());
        stage.press("<ctrl-s>");
        assert!(
            stage.screen().contains("[approve edited]"),
            "{}",
            stage.screen()
        );
        let text = format!("// why\n\t{NEW}");
        assert_eq!(verdict_after(&mut stage), Some(Verdict::edited(text)));
    }
}

#[test]
fn an_unchanged_text_approves_the_hunk_as_it_is() {
    let mut stage = Stage::staged(80, 40).looked_through();
    stage.press("gi<alt-enter>");
    assert_eq!(verdict_after(&mut stage), Some(Verdict::Approve));
}

#[test]
fn a_text_that_was_begun_is_offered_again() {
    let mut stage = Stage::staged(80, 40).looked_through();
    stage.press("gi// mine <esc>");
    assert!(!stage.screen().contains("[approve"), "{}", stage.screen());
    stage.press("i<ctrl-s>");
    let text = format!("// mine {NEW}");
    assert_eq!(verdict_after(&mut stage), Some(Verdict::edited(text)));
}

/// What was begun is there in the next run, whether the marks come before the list or after it; a hunk that reads
/// differently by then has its own text, and what was typed goes into the transcript.
#[test]
fn a_text_that_was_begun_is_there_in_the_next_run() {
    for (marks_first, changed) in [(true, false), (false, false), (true, true), (false, true)] {
        let mut stage = Stage::staged(80, 40).looked_through();
        assert!(stage.marks().is_none());
        stage.press("gi// mine ");
        let kept = stage.marks().unwrap();
        assert!(stage.marks().is_none(), "once for each change");

        let mut files = two_files();
        if changed {
            files[0].hunks[0].lines[2].text.push_str(" anew");
        }
        let mut next = Stage::ready(80, 40);
        if marks_first {
            next.feed(Msg::Marks(kept.clone()));
            next.tell(staging(files));
        } else {
            next.tell(staging(files));
            next.feed(Msg::Marks(kept.clone()));
        }
        let mut next = next.looked_through();
        assert!(next.marks().is_none(), "nothing changed");
        next.press("gi");
        if changed {
            next.press("<esc><esc>");
            let screen = next.screen();
            assert!(screen.contains("// mine"), "{screen}");
            assert!(next.marks().unwrap().is_empty());
        } else {
            next.press("<ctrl-s>");
            let text = format!("// mine {NEW}");
            let verdict = Some(Verdict::edited(text));
            assert_eq!(verdict_after(&mut next), verdict);
        }
    }
}

#[test]
fn a_pasted_text_keeps_its_lines() {
    let mut stage = Stage::staged(80, 40).looked_through();
    stage.press("gi");
    stage.paste("one\r\ntwo\n");
    stage.press("<ctrl-s>");
    let text = format!("one\ntwo\n{NEW}");
    assert_eq!(verdict_after(&mut stage), Some(Verdict::edited(text)));
}

/// What was typed is not lost, and does not go over what the user has not seen.
#[test]
fn a_text_for_a_hunk_that_changed_is_refused_and_kept() {
    let mut stage = Stage::staged(80, 40).looked_through();
    stage.press("gi// mine ");
    let mut files = two_files();
    files[0].hunks[0].lines[2].text.push_str(" anew");
    stage.tell(staging(files));
    assert_eq!(stage.press("<ctrl-s>"), []);
    assert!(!stage.screen().contains("[approve"), "{}", stage.screen());
    stage.press("<esc>");
    let screen = stage.screen();
    assert!(screen.contains("nothing is approved"), "{screen}");
    assert!(screen.contains("// mine"), "{screen}");
}

/// The hunk is denied elsewhere, or its lines are in the file already, while the user's text for it is typed or marked.
#[test]
fn a_text_whose_hunk_is_gone_goes_into_the_transcript() {
    for (keys, after) in [
        ("gi// mine ", "<ctrl-s>"),
        ("gi// mine ", "<esc>"),
        ("gi// mine <ctrl-s>", ""),
    ] {
        for is_listed in [false, true] {
            let mut stage = Stage::staged(80, 40).looked_through();
            stage.press(keys);
            let mut files = two_files();
            if is_listed {
                files[0].hunks[0].status = HunkStatus::Denied { reason: None };
            } else {
                files.remove(0);
            }
            stage.tell([Event::Review(files.into())]);
            assert_eq!(stage.press(after), [], "{keys}{after}");
            let screen = stage.screen();
            assert!(!screen.contains("[approve"), "{screen}");
            stage.tell([Event::Review(Vec::new().into())]);
            let screen = stage.screen();
            assert!(
                screen.contains("// mine"),
                "{keys}{after} {is_listed}: {screen}"
            );
        }
    }
}

/// The editor is closed before it is known that the hunk is gone, or after.
#[test]
fn a_text_from_the_editor_whose_hunk_is_gone_goes_into_the_transcript() {
    for is_known in [false, true] {
        let mut stage = Stage::staged(80, 40).looked_through();
        stage.press("ge");
        let manuscript = stage.edited().expect("the editor is opened");
        let closed = || Msg::HunkEdited(manuscript.clone(), Ok("// mine\n".to_owned()));
        let gone = || Msg::Session(Event::Review(Vec::new().into()));
        let both = if is_known {
            [gone(), closed()]
        } else {
            [closed(), gone()]
        };
        stage.say(both);
        let screen = stage.screen();
        assert!(screen.contains("// mine"), "{screen}");
    }
}

/// What was marked in an earlier run, and decided on elsewhere since.
#[test]
fn a_marked_text_whose_hunk_is_gone_in_the_next_run_goes_into_the_transcript() {
    let mut stage = Stage::staged(80, 40).looked_through();
    stage.press("gi// mine <ctrl-s>");
    let kept = stage.marks().unwrap();
    let mut files = two_files();
    files[0].hunks[0].lines[2].text.push_str(" anew");
    for (files, said) in [
        (
            Vec::new(),
            "A hunk in src/cart.rs that you had marked or edited",
        ),
        (files, "A mark in src/cart.rs is taken away"),
    ] {
        let mut next = Stage::ready(100, 40);
        next.feed(Msg::Marks(kept.clone()));
        next.tell([
            Event::Review(files.into()),
            Event::Review(Vec::new().into()),
        ]);
        let screen = next.screen();
        assert!(screen.contains(said), "{screen}");
        assert!(screen.contains("// mine"), "{screen}");
    }
}
