//! Disks that fail and processes that end in the middle of a commit.

use super::*;
use crate::text::{MisplacedRange, placed};
use std::panic::panic_any;

#[test]
fn a_range_outside_of_its_text_ends_before_anything_is_kept() {
    let world = World::new(&[("a", "1\n")]);
    let mut engine = world.process();
    propose(&mut engine, &section("a", "1", "2"));
    let kept = world.process().review().unwrap();
    let path = engine.state.overlay.path("a").unwrap();
    let broken = placed(|| {
        let _lock = engine.state.begin().unwrap();
        engine.state.overlay.stage.block(&path, "a bug");
        panic_any(MisplacedRange)
    });
    assert_eq!(broken, Err::<(), _>(MisplacedRange));
    assert_eq!(world.process().review().unwrap(), kept);
    assert_eq!(engine.review().unwrap(), kept, "it works afterwards");
    assert!(matches!(approve_all(&mut engine), Decision::Done(_)));
    assert_eq!(world.text("a").as_deref(), Some("2\n"));
}

#[test]
fn a_failing_disk_leaves_files_and_staged_work_as_they_were() {
    for step in 0.. {
        let world = World::new(&[("a", "1\n"), ("b", "2\n")]);
        let mut engine = world.process();
        propose(
            &mut engine,
            &[section("a", "1", "x"), section("b", "2", "y")].join(","),
        );
        let views = engine.review().unwrap();
        let each = views.iter().map(|view| &view.hunks[0]);
        let rulings: Vec<_> = each
            .map(|hunk| Ruling::new(hunk, Verdict::Approve))
            .collect();
        world.files.fail_at(Some((step, Failure::Error)));
        let decided = engine.decide(&rulings);
        let steps = world.files.steps();
        world.files.fail_at(None);
        if step >= steps {
            assert!(matches!(decided.unwrap(), Decision::Done(_)));
            break;
        }
        assert!(decided.is_err(), "step {step}");
        assert_eq!(
            (world.text("a").as_deref(), world.text("b").as_deref()),
            (Some("1\n"), Some("2\n"))
        );
        assert!(world.process().history(None).unwrap().is_empty());
        assert!(
            matches!(engine.decide(&rulings).unwrap(), Decision::Done(_)),
            "it works afterwards"
        );
        assert_eq!(world.text("b").as_deref(), Some("y\n"));
    }
}

#[test]
fn a_crash_in_the_middle_is_undone_at_the_next_start() {
    for step in 0.. {
        let world = World::new(&[("a", "1\n"), ("b", "2\n")]);
        let mut engine = world.process();
        propose(
            &mut engine,
            &[section("a", "1", "x"), section("b", "2", "y")].join(","),
        );
        world.files.fail_at(Some((step, Failure::Crash)));
        let views = engine.review().unwrap();
        let each = views.iter().flat_map(|view| &view.hunks);
        let rulings: Vec<_> = each
            .map(|hunk| Ruling::new(hunk, Verdict::Approve))
            .collect();
        let finished = engine.decide(&rulings).is_ok();
        drop(engine);
        world.files.fail_at(None);
        let mut later = world.process();
        if finished {
            break;
        }
        let both = (world.text("a"), world.text("b"));
        assert_eq!(
            both,
            (Some("1\n".into()), Some("2\n".into())),
            "step {step}"
        );
        assert_eq!(world.files.drafts(), 0);
        assert_eq!(
            later.review().unwrap().len(),
            2,
            "what was staged still waits"
        );
    }
}

#[test]
fn a_commit_half_undone_is_undone_before_anything_else() {
    let world = World::new(&[("a", "1\n")]);
    let mut engine = world.process();
    propose(&mut engine, &section("a", "1", "2"));
    world.files.fail_at(Some((2, Failure::Crash)));
    let views = engine.review().unwrap();
    let ruling = Ruling::new(&views[0].hunks[0], Verdict::Approve);
    assert!(engine.decide(&[ruling]).is_err());
    world.files.fail_at(None);
    assert!(matches!(approve_all(&mut engine), Decision::Done(_)));
    assert_eq!(world.files.drafts(), 0);
    // Its record would fit what is there now.
    assert!(world.process().recovered().restored.is_empty());
    assert_eq!(world.text("a").as_deref(), Some("2\n"));
}
