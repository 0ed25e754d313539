//! Any row of staging, verdicts, saves, reverts, redos, failures and restarts ends where a simple
//! model says, or in a reported conflict that changes nothing.
//!
//! Every text that is ever put in is new, so the model needs no merging: what is on a line says
//! whose it is. More cases: `PROPTEST_CASES=10000`.

#![expect(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    clippy::disallowed_methods,
    reason = "a test: a surprise is a failure, and it plays the outside world"
)]

mod body;
mod model;
mod past;
mod step;
mod world;

use proptest::prelude::*;
use step::{Choice, Place, Step, To};
use world::World;

fn step() -> impl Strategy<Value = Step> {
    let file = || 0..body::NAMES.len();
    let mask = || 1..16_u8;
    let hunk = || 0..8_usize;
    let choice = prop_oneof![
        4 => Just(Choice::Approve),
        2 => Just(Choice::Edit),
        2 => Just(Choice::Deny),
    ];
    let verdicts = proptest::collection::vec((hunk(), choice), 1..4);
    let place = prop_oneof![
        3 => (file(), 0..4_usize).prop_map(|(file, slot)| Place::Line(file, slot)),
        1 => file().prop_map(Place::Whole),
        1 => file().prop_map(Place::Gone),
    ];
    let to = prop_oneof![
        3 => Just(To::Last),
        3 => (1..8_u64).prop_map(To::Only),
        2 => (0..8_u64).prop_map(To::Version),
        3 => Just(To::Redo),
    ];
    prop_oneof![
        10 => (file(), mask()).prop_map(|(file, mask)| Step::Stage(file, mask)),
        3 => (file(), file(), mask()).prop_map(|(one, two, mask)| Step::StageTwo(one, two, mask)),
        2 => file().prop_map(Step::Create),
        2 => file().prop_map(Step::Delete),
        4 => (file(), file()).prop_map(|(from, to)| Step::Move(from, to)),
        16 => verdicts.prop_map(Step::Decide),
        2 => (place.clone(), hunk()).prop_map(|(place, hunk)| Step::Unseen(place, hunk)),
        4 => place.clone().prop_map(Step::Save),
        8 => (file(), to).prop_map(|(file, to)| Step::Revert(file, to)),
        2 => hunk().prop_map(Step::RevertSet),
        2 => (0..14_usize, any::<bool>()).prop_map(|(at, crash)| Step::Fault(at, crash)),
        2 => (0..14_usize, place).prop_map(|(at, place)| Step::During(at, place)),
        1 => Just(Step::Restart),
        1 => Just(Step::Switch),
    ]
}

/// Fewer cases than usual unless told otherwise: each writes to disk and waits for it.
fn config() -> ProptestConfig {
    let default = ProptestConfig::default();
    let cases = default
        .cases
        .min(if std::env::var_os("PROPTEST_CASES").is_some() {
            u32::MAX
        } else {
            48
        });
    ProptestConfig { cases, ..default }
}

proptest! {
    #![proptest_config(config())]

    #[test]
    fn everything_ends_where_the_model_says(steps in proptest::collection::vec(step(), 1..32)) {
        let mut world = World::new();
        for step in steps {
            world.take(step);
        }
    }
}

#[test]
fn a_torn_commit_may_bring_back_what_the_user_removed_meanwhile() {
    let mut world = World::new();
    for step in [
        Step::Fault(8, false),
        Step::Stage(1, 5),
        Step::Move(1, 2),
        Step::Stage(0, 5),
        Step::During(0, Place::Gone(1)),
        Step::Decide(vec![(3, Choice::Approve), (2, Choice::Approve)]),
    ] {
        world.take(step);
    }
}
