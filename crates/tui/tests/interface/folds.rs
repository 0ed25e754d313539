//! What one line tells whole is folded, and one key approves it.

use signoff_core::edit::diff::line::LineKind;
use signoff_core::edit::intent::Operation;
use signoff_core::engine::{CodeColours, HunkColours, lines_key};
use signoff_core::stage::review::{ChangedMove, Grouped, Proof, ProposalView};
use signoff_llm::session::{Command, Event};

use crate::stage::{self, Stage};

fn reviewing(files: Vec<ProposalView>, width: u16, height: u16) -> Stage {
    let mut stage = Stage::ready(width, height);
    stage.tell(stage::asking("go"));
    stage.tell(stage::staging(files));
    stage
}

/// A file of so many hunks that all rename the same.
fn renamed(number: u128, path: &str, hunks: u32) -> ProposalView {
    let places: Vec<u32> = (1..=hunks).map(|hunk| hunk * 10).collect();
    let mut file = stage::proposal(number, path, Operation::Modify, &places);
    for hunk in &mut file.hunks {
        hunk.proof = Some(Proof::Renamed {
            from: "total".to_owned(),
            to: "sum".to_owned(),
        });
    }
    file
}

/// A block that goes from one file to another.
fn moved() -> Vec<ProposalView> {
    let mut files = vec![
        stage::proposal(1, "a.rs", Operation::Modify, &[10]),
        stage::proposal(2, "b.rs", Operation::Modify, &[40]),
    ];
    let ids: Vec<_> = files.iter().map(|file| file.hunks[0].id).collect();
    for (at, gone, path, kind) in [
        (0, 1, "b.rs", LineKind::Added),
        (1, 0, "a.rs", LineKind::Removed),
    ] {
        let hunk = &mut files[at].hunks[0];
        hunk.lines.retain(|line| line.kind != kind);
        (hunk.added, hunk.removed) = if at == 0 { (0, 3) } else { (3, 0) };
        hunk.proof = Some(Proof::Moved {
            with: ids[gone],
            path: path.to_owned(),
            line: 11,
            lines: 3,
        });
    }
    files
}

/// Hunks that make one rewrite, told by the first of them.
fn same_rewrite(count: u32) -> Vec<ProposalView> {
    let places: Vec<u32> = (1..=count).map(|hunk| hunk * 10).collect();
    let mut file = stage::proposal(1, "a.rs", Operation::Modify, &places);
    let with = file.hunks[0].id;
    for hunk in &mut file.hunks {
        hunk.group = Some(Grouped {
            key: "k".to_owned(),
            rewrite: "`total` → `sum`".to_owned(),
            outlier: false,
        });
    }
    for hunk in &mut file.hunks[1..] {
        hunk.proof = Some(Proof::SameRewrite {
            with,
            path: "a.rs".to_owned(),
            from: "log(".to_owned(),
            to: "log(ctx, ".to_owned(),
        });
    }
    vec![file]
}

/// One rewrite in many places is read once: the others fold when the first is approved, and one key approves them.
#[test]
fn the_same_rewrite_is_read_once() {
    let mut stage = reviewing(same_rewrite(40), 80, 24);
    assert!(
        !stage.screen().contains("as approved"),
        "{}",
        stage.screen()
    );
    assert_eq!(stage.press("F"), []);
    assert!(!stage.screen().contains("[approve]"), "{}", stage.screen());
    stage.press("ga");
    insta::assert_snapshot!("folds_same_rewrite", stage.screen());
    stage.press("F");
    assert_eq!(decided(&stage.press("<enter>")), 40);
    // The same by the key for what makes the same rewrite.
    let mut stage = reviewing(same_rewrite(40), 80, 24);
    stage.press("gs");
    assert_eq!(decided(&stage.press("<enter>")), 40);
}

/// Without the first one the others are to be read.
#[test]
fn approvals_of_unread_hunks_go_with_the_one_that_told_them() {
    let mut stage = reviewing(same_rewrite(12), 80, 24);
    stage.press("gaF<esc>");
    assert!(stage.screen().contains("12 marked"), "{}", stage.screen());
    stage.press("gu");
    assert!(
        !stage.screen().contains("as approved"),
        "{}",
        stage.screen()
    );
    assert!(!stage.screen().contains("marked:"), "{}", stage.screen());
}

/// A block that moved with words changed says where its other side is; it is not folded, and the words are emphasised.
#[test]
fn a_block_that_moved_with_words_changed_shows_which() {
    let mut files = moved();
    for (file, path, words) in [(0, "b.rs", (9, 14)), (1, "a.rs", (4, 9))] {
        let with = files[1 - file].hunks[0].id;
        let hunk = &mut files[file].hunks[0];
        hunk.proof = None;
        hunk.moved = Some(ChangedMove {
            with,
            path: path.to_owned(),
            line: 11,
            lines: 3,
            words: 1,
        });
        let lines = &mut hunk.lines;
        lines.retain(|line| line.kind != LineKind::Context);
        lines[0].emphasis = vec![words];
    }
    for width in [40, 80, 120] {
        let stage = reviewing(files.clone(), width, 24);
        insta::assert_snapshot!(format!("folds_changed_move_{width}"), stage.screen());
    }
}

fn decided(commands: &[Command]) -> usize {
    let rulings = commands.iter().map(|command| match command {
        Command::Decide(rulings) => rulings.len(),
        _ => 0,
    });
    rulings.sum()
}

#[test]
fn fifty_hunks_with_forty_alike_take_twelve_keys() {
    let places: Vec<u32> = (1..=5).map(|hunk| hunk * 10).collect();
    for (width, height) in [(80, 24), (120, 40), (200, 50)] {
        let files = vec![
            renamed(1, "a.rs", 20),
            stage::proposal(2, "b.rs", Operation::Modify, &places),
            renamed(3, "c.rs", 20),
            stage::proposal(4, "d.rs", Operation::Modify, &places),
        ];
        let mut stage = reviewing(files, width, height);
        let title = "20 of 100 lines to be read";
        assert!(stage.screen().contains(title), "{}", stage.screen());
        stage.press("aaaaaaaaaaF");
        insta::assert_snapshot!(format!("folds_signed_{width}"), stage.screen());
        assert_eq!(decided(&stage.press("<enter>")), 50, "{width}x{height}");
    }
}

#[test]
fn twelve_hunks_in_six_files_take_twelve_keys_and_enter() {
    let files = (1..=6).map(|number| {
        let path = format!("src/part{number}.rs");
        stage::proposal(number, &path, Operation::Modify, &[10, 30])
    });
    let files: Vec<_> = files.collect();
    for (width, height) in [(80, 24), (120, 40), (200, 50)] {
        let mut stage = reviewing(files.clone(), width, height);
        assert_eq!(
            decided(&stage.press("aaaaaaaaaaaa<enter>")),
            12,
            "{width}x{height}"
        );
    }
}

#[test]
fn folds_open_and_close() {
    for width in [40, 80, 120] {
        let mut stage = reviewing(vec![renamed(1, "a.rs", 3)], width, 24);
        insta::assert_snapshot!(format!("folds_{width}"), stage.screen());
        assert!(!stage.screen().contains("let sum"));
        stage.press("z");
        assert_eq!(
            stage.screen().matches("let sum").count(),
            1,
            "{}",
            stage.screen()
        );
        stage.press("z");
        assert!(!stage.screen().contains("let sum"));
        stage.press("Z");
        assert!(
            stage.screen().matches("let sum").count() > 1,
            "{}",
            stage.screen()
        );
    }
}

/// Half of a block that moved is another change than the whole of it.
#[test]
fn a_block_that_moved_is_decided_on_as_one() {
    let mut stage = reviewing(moved(), 80, 24);
    assert!(
        stage
            .screen()
            .contains("3 lines moved to b.rs:11, unchanged"),
        "{}",
        stage.screen()
    );
    assert!(
        stage
            .screen()
            .contains("3 lines moved from a.rs:11, unchanged")
    );
    assert_eq!(decided(&stage.press("a<enter>")), 2);
    let mut stage = reviewing(moved(), 80, 24);
    stage.press("a<esc>u");
    assert!(!stage.screen().contains("[approve]"), "{}", stage.screen());
    // Denied on one side, the other is to be read.
    stage.press("dkeep it<enter>");
    let screen = stage.screen();
    assert!(screen.contains("[deny]"), "{screen}");
    assert!(!screen.contains("moved from a.rs"), "{screen}");
    assert!(screen.contains("let "), "{screen}");
}

/// A mark that was set because of a proof goes with it.
#[test]
fn what_is_not_proved_any_more_is_to_be_read() {
    let mut stage = reviewing(
        vec![
            renamed(1, "a.rs", 8),
            stage::proposal(2, "b.rs", Operation::Modify, &[3]),
        ],
        80,
        24,
    );
    stage.press("F");
    assert!(stage.screen().contains("8 marked"), "{}", stage.screen());
    let mut news = renamed(1, "a.rs", 8);
    for hunk in &mut news.hunks[4..] {
        hunk.proof = None;
    }
    let other = stage::proposal(2, "b.rs", Operation::Modify, &[3]);
    stage.tell([Event::Review {
        proposals: vec![news, other],
    }]);
    assert!(stage.screen().contains("4 marked"), "{}", stage.screen());
}

#[test]
fn layout_alone_is_folded_once_it_is_proved() {
    let mut files = vec![
        stage::proposal(1, "a.rs", Operation::Modify, &[3]),
        stage::proposal(
            2,
            "b.rs",
            Operation::Modify,
            &(1..9).map(|hunk| hunk * 10).collect::<Vec<_>>(),
        ),
    ];
    for hunk in &mut files[1].hunks {
        hunk.lines[2].text = hunk.lines[1].text.replace(' ', "  ");
    }
    let colours = CodeColours {
        proposal: files[1].id,
        hunks: files[1]
            .hunks
            .iter()
            .map(|hunk| HunkColours {
                hunk: hunk.id,
                key: lines_key(&hunk.lines),
                lines: Vec::new(),
                is_layout_only: true,
            })
            .collect(),
        off: None,
    };
    let mut stage = Stage::ready(80, 24);
    stage.tell(stage::asking("go"));
    let asked = stage.tell(stage::staging(files));
    assert!(
        asked
            .iter()
            .any(|command| matches!(command, Command::Colour(file) if file.path == "b.rs"))
    );
    stage.tell([Event::Coloured(colours)]);
    let screen = stage.screen();
    assert!(
        screen.contains("let  total"),
        "what is on the screen does not close: {screen}"
    );
    assert!(screen.contains("2 of 18 lines to be read"), "{screen}");
    stage.press("G");
    let screen = stage.screen();
    assert!(screen.contains("layout only, the same code"), "{screen}");
}
