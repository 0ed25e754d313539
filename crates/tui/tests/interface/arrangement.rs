//! How the review shows changes: the tree, two sides, one scroll, lines around, and white space.

use insta::assert_snapshot;
use signoff_core::edit::diff::line::{DiffLine, LineKind};
use signoff_core::edit::intent::Operation;
use signoff_core::engine::LinesAround;
use signoff_core::stage::review::{HunkStatus, ProposalView};
use signoff_llm::session::{Command, Event};
use signoff_tui::app::Query;

use crate::stage::{self, Stage};

fn line(kind: LineKind, number: u32, text: &str) -> DiffLine {
    DiffLine {
        kind,
        old: (kind != LineKind::Added).then_some(number),
        new: (kind != LineKind::Removed).then_some(number),
        text: text.to_owned(),
        emphasis: Vec::new(),
        newline: true,
    }
}

/// Returns a proposal whose hunks have these lines; the sign is the first character.
fn proposal(number: u128, path: &str, hunks: &[&[&str]]) -> ProposalView {
    let at: Vec<u32> = (0..).map(|at| 10 + at * 30).take(hunks.len()).collect();
    let mut file = stage::proposal(number, path, Operation::Modify, &at);
    for (own, lines) in file.hunks.iter_mut().zip(hunks) {
        let first = own.lines[0].old.unwrap_or_default();
        let lines = lines.iter().zip(first..).map(|(text, number)| {
            let kind = match &text[..1] {
                "+" => LineKind::Added,
                "-" => LineKind::Removed,
                _ => LineKind::Context,
            };
            line(kind, number, &text[1..])
        });
        own.lines = lines.collect();
        let count = |kind| own.lines.iter().filter(|line| line.kind == kind).count() as u32;
        (own.added, own.removed) = (count(LineKind::Added), count(LineKind::Removed));
    }
    file
}

const MANY: &[&str] = &[
    " fn bill(cart: &Cart) -> Money {",
    "-    let total = cart.price * cart.count;",
    "-    print(total);",
    "+    // what the customer pays",
    "+    let sum = cart.price * cart.count;",
    "+    print(sum);  ",
    "     done()",
];

const INDENTED: &[&str] = &[
    " if ready {",
    "-  first();",
    "-  second();",
    "+\tfirst();",
    "+\tsecond();",
    "+\tthird();",
    " }",
];

fn files() -> Vec<ProposalView> {
    let mut files = vec![
        proposal(1, "crates/shop/src/cart.rs", &[MANY, INDENTED]),
        proposal(2, "crates/shop/src/bill/print.rs", &[MANY]),
        proposal(3, "README.md", &[&["-old", "+new"]]),
    ];
    let reason = "you changed the same lines".to_owned();
    files[1].hunks[0].status = HunkStatus::Conflict { reason };
    files
}

fn reviewing(files: Vec<ProposalView>, width: u16, height: u16) -> Stage {
    let mut stage = Stage::ready(width, height);
    stage.tell(stage::asking("go"));
    stage.tell(stage::staging(files));
    stage
}

#[test]
fn changes_are_arranged_by_the_width_of_the_screen() {
    for (width, height) in [(80, 30), (120, 34), (200, 34)] {
        let mut stage = reviewing(files(), width, height);
        stage.press("a");
        assert_snapshot!(format!("arranged_{width}"), stage.screen());
    }
}

#[test]
fn the_arrangement_is_changed_by_keys_and_stays() {
    let mut stage = reviewing(files(), 80, 30);
    stage.press("t");
    assert_snapshot!("two_sides_80", stage.screen());
    stage.press("tT");
    assert_snapshot!("tree_80", stage.screen());
    stage.resize(60, 30);
    assert!(
        !stage.screen().contains("crates/shop/\n"),
        "{}",
        stage.screen()
    );
    stage.resize(80, 30);
    assert!(stage.screen().contains("  README.md"), "{}", stage.screen());
    stage.press("L");
    assert!(
        stage.screen().contains("One file at a time"),
        "{}",
        stage.screen()
    );
    assert!(!stage.screen().contains("3/4 "), "{}", stage.screen());
    stage.press("J");
    assert!(stage.screen().contains("3/4 "), "{}", stage.screen());
    assert!(!stage.screen().contains("1/4 "), "{}", stage.screen());
    stage.press("L");
    assert!(stage.screen().contains("4/4 "), "{}", stage.screen());
}

#[test]
fn white_space_is_shown_and_ignored() {
    for (width, height) in [(80, 40), (200, 40)] {
        let mut stage = reviewing(files(), width, height);
        stage.press(".");
        assert_snapshot!(format!("blanks_shown_{width}"), stage.screen());
        stage.press(".W");
        assert_snapshot!(format!("blanks_ignored_{width}"), stage.screen());
    }
}

/// Lines that differ in white space alone are not told apart while it is ignored: no key approves them so.
#[test]
fn ignored_white_space_is_shown_before_a_verdict() {
    for keys in ["W", "Wt", "tW", "WtTtT"] {
        let mut stage = reviewing(vec![proposal(1, "a.rs", &[INDENTED])], 80, 40);
        // Of the first frame all has been displayed: the list comes anew, and reads differently.
        stage.press(keys);
        let changed = [" if ready {", "-    first();", "+\t\tfirst();", " }"];
        let again = vec![proposal(1, "a.rs", &[&changed])];
        stage.tell([Event::Review(again.into())]);
        let screen = stage.screen();
        assert!(screen.contains("white space ignored: 1 line"), "{screen}");
        assert_eq!(stage.press("a"), [], "{screen}");
        let screen = stage.screen();
        assert!(
            screen.contains("2 of 2 changed lines not displayed yet"),
            "{screen}"
        );
        assert!(!screen.contains("ignored"), "{screen}");
        assert!(matches!(
            stage.press("a<enter>").as_slice(),
            [Command::Decide(_)]
        ));
    }
}

#[test]
fn lines_around_a_hunk_are_opened_and_folded() {
    let mut stage = reviewing(files(), 80, 40);
    let hunk = files()[0].hunks[0].id;
    assert_eq!(stage.press("x"), []);
    let asked = stage.queries();
    let [Query::Around(request)] = asked.as_slice() else {
        panic!("{asked:?}")
    };
    assert_eq!((request.hunk, request.lines), (hunk, 20));
    let context = |first: u32| {
        let lines = (first..first + 3).map(|at| line(LineKind::Context, at, &format!("line {at}")));
        lines.collect::<Vec<_>>()
    };
    let told = LinesAround {
        hunk,
        lines: 20,
        above: context(7),
        below: context(13),
        above_tokens: Vec::new(),
        below_tokens: Vec::new(),
        is_cut: false,
        missing: None,
    };
    let shown = told.clone();
    stage.tell([stage::answer(|app| app.show_around(shown))]);
    assert_snapshot!("lines_around_80", stage.screen());
    assert_eq!(stage.press("x"), []);
    assert!(
        stage.screen().contains("no more lines around it"),
        "{}",
        stage.screen()
    );
    stage.press("X");
    assert!(!stage.screen().contains("line 7"), "{}", stage.screen());
    let missing = LinesAround {
        above: Vec::new(),
        below: Vec::new(),
        missing: Some("the file has changed".to_owned()),
        ..told
    };
    stage.tell([stage::answer(|app| app.show_around(missing))]);
    assert!(
        stage
            .screen()
            .contains("cannot be shown: the file has changed"),
        "{}",
        stage.screen()
    );
}

/// Many lines above a hunk push it nowhere: the user goes on reading where they were.
#[test]
fn lines_of_the_hunk_stay_where_they_are_when_more_are_opened() {
    for keys in ["", "j", "jj"] {
        let mut stage = reviewing(files(), 80, 24);
        stage.press(keys);
        assert_eq!(stage.press("x"), []);
        let asked = stage.queries();
        let [Query::Around(request)] = asked.as_slice() else {
            panic!("{asked:?}")
        };
        let row_of = |stage: &Stage| {
            let screen = stage.screen();
            let mut rows = screen.lines();
            rows.position(|row| {
                row.starts_with('▌')
                    && (row.contains("if ready") || row.contains("fn bill("))
                    && !row.contains("@@")
            })
        };
        let before = row_of(&stage);
        let above = (1..200).map(|at| line(LineKind::Context, at, &format!("above {at}")));
        let told = LinesAround {
            hunk: request.hunk,
            lines: 1_000,
            above: above.collect(),
            below: Vec::new(),
            above_tokens: Vec::new(),
            below_tokens: Vec::new(),
            is_cut: false,
            missing: None,
        };
        stage.tell([stage::answer(|app| app.show_around(told))]);
        assert_eq!(row_of(&stage), before, "{}", stage.screen());
        assert!(stage.screen().contains("above 199"), "{}", stage.screen());
        stage.press("X");
        assert_eq!(row_of(&stage), before, "{}", stage.screen());
    }
}

/// What was read in one arrangement need not be read again in another.
#[test]
fn another_arrangement_keeps_what_was_displayed() {
    let long: Vec<String> = (0..60).map(|at| format!("+line {at}")).collect();
    let long: Vec<&str> = long.iter().map(String::as_str).collect();
    for keys in ["t", "T", "L", "tTL", "W", "."] {
        let mut stage = reviewing(vec![proposal(1, "a.rs", &[&long])], 120, 20);
        stage.press("jjjjjjjjj");
        stage.press(keys);
        assert!(
            matches!(stage.press("a<enter>").as_slice(), [Command::Decide(_)]),
            "{keys}"
        );
        // Half of it is not enough.
        let mut stage = reviewing(vec![proposal(1, "a.rs", &[&long])], 120, 20);
        stage.press("j");
        stage.press(keys);
        assert_eq!(stage.press("a"), [], "{keys}");
        assert!(
            stage.screen().contains("not displayed yet"),
            "{}",
            stage.screen()
        );
    }
}
