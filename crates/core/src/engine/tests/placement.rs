//! Placements: what was quoted and what is there.

use super::*;

#[test]
fn quoted_lines_are_kept_with_a_place_that_is_not_as_quoted() {
    let text = "fn total() {\n    let sum = start();\n    sum += 1;\n    finish(sum)  \n}\n";
    let world = World::new(&[("a.rs", text)]);
    let mut engine = world.process();
    let old = "    let sum = start();\n    sum += 1;\n    finish(sum)\n";
    let new = "    let sum = start();\n    sum += 2;\n    finish(sum)\n";
    let answer = propose(&mut engine, &section("a.rs", old, new));
    assert!(answer.staged, "{answer:?}");
    let told = serde_json::to_string(&answer).unwrap();
    assert!(!told.contains("quoted"), "{told}");
    let id = answer.proposals.to_vec()[0].id;
    let mut later = world.process();
    let placement = later.placement(id).unwrap().unwrap();
    assert!(placement.is_guess, "{placement:?}");
    let differing: Vec<_> = placement
        .quoted
        .iter()
        .filter(|own| own.differs())
        .collect();
    assert_eq!(differing.len(), 1);
    assert_eq!(differing[0].quoted, "    finish(sum)");
    assert_eq!(differing[0].there.as_deref(), Some("    finish(sum)  "));
    assert_eq!((differing[0].line, differing[0].stays), (Some(4), true));
    assert_eq!(placement.quoted.len(), 3);
}

#[test]
fn an_exact_place_keeps_nothing() {
    let world = World::new(&[("a", "1\n")]);
    let mut engine = world.process();
    let answer = propose(&mut engine, &section("a", "1", "2"));
    let id = answer.proposals.to_vec()[0].id;
    let placement = engine.placement(id).unwrap().unwrap();
    assert!(!placement.is_guess && placement.quoted.is_empty());
    approve_all(&mut engine);
    assert!(engine.placement(id).unwrap().is_none());
}
