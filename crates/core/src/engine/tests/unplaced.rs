//! Edits that fit several places.

use super::*;
use crate::engine::Placed;

const TEXT: &str = "fn first() {\n    done()\n}\n\nfn last() {\n    done()\n}\n";

fn ambiguous(engine: &mut Engine) -> u64 {
    let answer = propose(engine, &section("a.rs", "done()", "close()"));
    assert!(!answer.staged);
    let questions = engine.unplaced();
    assert_eq!(questions.len(), 1);
    let lines: Vec<usize> = questions[0].candidates.iter().map(|one| one.line).collect();
    assert_eq!((questions[0].path.as_str(), lines), ("a.rs", vec![2, 6]));
    questions[0].id
}

#[test]
fn the_user_chooses_among_places_that_fit() {
    for (choice, first, last) in [(0, "close()", "done()"), (1, "done()", "close()")] {
        let world = World::new(&[("a.rs", TEXT)]);
        let mut engine = world.process();
        let id = ambiguous(&mut engine);
        let placed = engine.place(id, choice).unwrap();
        assert!(
            matches!(&placed, Placed::Answered { answer, .. } if answer.staged),
            "{placed:?}"
        );
        assert_eq!(engine.unplaced(), []);
        approve_all(&mut engine);
        let expected = format!("fn first() {{\n    {first}\n}}\n\nfn last() {{\n    {last}\n}}\n");
        assert_eq!(world.text("a.rs"), Some(expected));
    }
}

#[test]
fn a_question_goes_when_the_model_repairs_it_or_the_file_changes() {
    let world = World::new(&[("a.rs", TEXT)]);
    let mut engine = world.process();
    let id = ambiguous(&mut engine);
    propose(
        &mut engine,
        &section(
            "a.rs",
            "fn last() {\n    done()",
            "fn last() {\n    close()",
        ),
    );
    assert_eq!(engine.unplaced(), []);
    assert_eq!(engine.place(id, 0).unwrap(), Placed::Gone);
    let world = World::new(&[("a.rs", TEXT)]);
    let mut engine = world.process();
    let id = ambiguous(&mut engine);
    world.files.save("a.rs", format!("// mine\n{TEXT}"));
    assert_eq!(engine.place(id, 0).unwrap(), Placed::Gone);
    assert_eq!(engine.place(id, 7).unwrap(), Placed::Gone);
}
