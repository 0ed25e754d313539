//! What one line tells whole is folded, and one key approves it once its lines were displayed.

use signoff_core::edit::diff::line::LineKind;
use signoff_core::edit::intent::Operation;
use signoff_core::stage::review::{ChangedMove, Proof, ProposalView};
use signoff_llm::session::Command;

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

/// Presses a key until the sign-off page opens, and returns the screens that were shown on the way.
fn walked(stage: &mut Stage, key: &str) -> String {
    let mut seen = stage.screen();
    for _ in 0..60 {
        stage.press(key);
        seen.push_str(&stage.screen());
        if stage.screen().contains("── Sign off") {
            break;
        }
    }
    seen
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
fn what_is_folded_is_displayed_before_one_key_approves_it() {
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
        stage.press("aaaaaaaaaa");
        let seen = walked(&mut stage, "F");
        assert!(seen.contains("not displayed yet: F shows more"), "{seen}");
        let all = "40 hunks, all were displayed: F approves them";
        assert!(seen.contains(all), "{seen}");
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
fn each_side_of_a_block_that_moved_has_a_verdict_of_its_own() {
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
    // The line of a fold is what `a` approves; the other side is another verdict.
    stage.press("a");
    assert_eq!(
        stage.screen().matches("[approve]").count(),
        1,
        "{}",
        stage.screen()
    );
    stage.press("a");
    assert_eq!(decided(&stage.press("<enter>")), 2);
    let mut stage = reviewing(moved(), 80, 24);
    // Denied on one side, the other is to be read.
    stage.press("dkeep it<enter>");
    let screen = stage.screen();
    assert!(screen.contains("[deny]"), "{screen}");
    assert!(!screen.contains("moved from a.rs"), "{screen}");
    assert!(screen.contains("let "), "{screen}");
}

#[test]
fn layout_alone_is_folded() {
    let places: Vec<u32> = (1..9).map(|hunk| hunk * 10).collect();
    let mut files = vec![
        stage::proposal(1, "a.rs", Operation::Modify, &[3]),
        stage::proposal(2, "b.rs", Operation::Modify, &places),
    ];
    for hunk in &mut files[1].hunks {
        hunk.proof = Some(Proof::Layout);
    }
    let stage = reviewing(files, 80, 24);
    let screen = stage.screen();
    assert!(screen.contains("2 of 18 lines to be read"), "{screen}");
    assert!(screen.contains("layout only, the same code"), "{screen}");
}
