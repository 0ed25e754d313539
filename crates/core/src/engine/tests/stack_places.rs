//! Places of hunks in a file about which several proposals wait.

use super::*;
use crate::id::ChangesetId;

/// Stages a change as a turn of its own.
fn in_turn(engine: &mut Engine, turn: u128, change: &str) {
    let payload = Payload::parse(&format!(r#"{{"changes":[{change}]}}"#)).unwrap();
    let asked = SubmittedPayload {
        payload,
        origin: Origin::default(),
        changeset: Some(ChangesetId(Uuid::from_u128(turn))),
        only: None,
    };
    engine.propose(asked).unwrap();
}

const TEXT: &str = "one\ntwo\nthree\nfour\nfive\nsix\nseven\neight\nnine\nten\neleven\ntwelve\n";

#[test]
fn hunks_of_several_proposals_are_numbered_as_in_the_file() {
    let world = World::new(&[("a", TEXT)]);
    let mut engine = world.process();
    in_turn(&mut engine, 1, &section("a", "six", "six\n6a\n6b"));
    in_turn(&mut engine, 2, &section("a", "two", "two\n2a"));
    in_turn(&mut engine, 3, &section("a", "6b\nseven", "6c\n7"));
    in_turn(&mut engine, 4, &section("a", "eleven", "XI"));
    let views = engine.review().unwrap();
    let hunks = views.iter().flat_map(|view| &view.hunks);
    let told = hunks.map(|hunk| {
        let place = hunk.place.unwrap();
        let on = place.builds_on.map(|on| on.proposal == views[0].id);
        (hunk.line_in_file(), place.before, place.after, on)
    });
    let told: Vec<_> = told.collect();
    assert_eq!(
        told,
        [
            (5, 0, 1, None),
            (1, 0, 0, None),
            (5, -3, 0, Some(true)),
            (10, -3, 0, None),
        ]
    );
}

#[test]
fn the_hunks_of_one_proposal_are_numbered_as_they_are() {
    let world = World::new(&[("a", TEXT)]);
    let mut engine = world.process();
    in_turn(&mut engine, 1, &section("a", "six", "6"));
    let views = engine.review().unwrap();
    assert_eq!(
        (views[0].hunks[0].place, views[0].hunks[0].line_in_file()),
        (None, 5)
    );
}
