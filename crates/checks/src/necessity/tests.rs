//! Searches against oracles that are known whole.

use std::collections::BTreeMap;

use proptest::prelude::*;

use super::*;

const PLENTY: NecessityBudget = NecessityBudget {
    runs: 10_000,
    time: Duration::from_secs(10_000),
};

/// Runs a search to its end; the oracle says what fails without some hunks, and sees how often it was asked for these.
fn searched(
    hunks: Vec<Suspect>,
    budget: NecessityBudget,
    mut oracle: impl FnMut(&BTreeSet<usize>, usize) -> Option<String>,
) -> NecessitySearch {
    let mut search = NecessitySearch::new(hunks, budget);
    let mut times: BTreeMap<BTreeSet<usize>, usize> = BTreeMap::new();
    while let Some(dropped) = search.asked().cloned() {
        let times = times.entry(dropped.clone()).or_default();
        *times += 1;
        let outcome = match oracle(&dropped, *times) {
            Some(by) => StateOutcome::Fails { by },
            None => StateOutcome::Passes,
        };
        search.feed(outcome, Duration::from_secs(1));
    }
    search
}

fn plain(count: usize) -> Vec<Suspect> {
    vec![Suspect::default(); count]
}

fn named(dropped: &BTreeSet<usize>, needed: &BTreeSet<usize>) -> Option<String> {
    let first = dropped.intersection(needed).next()?;
    Some(format!("test_{first}"))
}

/// A comment goes with code that nothing needs; beside code that something needs, or that no test speaks about alone, it stays.
#[test]
fn comments_go_with_the_code_of_their_file() {
    let code = |file| Suspect {
        file,
        ..Suspect::default()
    };
    let silent = |file, beside_code| Suspect {
        uncovered: Some("why".to_owned()),
        beside_code,
        file,
        ..Suspect::default()
    };
    let hunks = vec![
        code(0),
        silent(0, false),
        silent(0, true),
        code(1),
        code(1),
        silent(1, true),
        silent(2, true),
    ];
    for (fails, marked) in [(false, vec![0, 2, 4]), (true, vec![0, 4])] {
        let needed = BTreeSet::from([3]);
        let search = searched(hunks.clone(), PLENTY, |dropped, _| {
            // A test that reads the comment.
            let reads = fails && dropped.contains(&2);
            named(dropped, &needed).or(reads.then(|| "doctest".to_owned()))
        });
        let needs = search.needs();
        let unneeded = (0..needs.len()).filter(|own| needs[*own] == Need::Unneeded);
        assert_eq!(unneeded.collect::<Vec<_>>(), marked);
    }
}

/// A comment in a function is about the code of that, wherever else its file has code that something needs.
#[test]
fn comments_in_a_function_go_with_its_code() {
    let in_function = |function: usize, is_comment: bool| Suspect {
        uncovered: is_comment.then(|| "why".to_owned()),
        beside_code: is_comment,
        within: BTreeSet::from([(0, function)]),
        ..Suspect::default()
    };
    let mut untested = in_function(4, false);
    untested.uncovered = Some("no test runs it".to_owned());
    let hunks = vec![
        in_function(1, false),
        in_function(1, true),
        in_function(2, false),
        in_function(2, true),
        in_function(3, true),
        untested,
        in_function(4, true),
        Suspect {
            within: BTreeSet::new(),
            ..in_function(0, true)
        },
    ];
    let needed = BTreeSet::from([0]);
    let search = searched(hunks, PLENTY, |dropped, _| named(dropped, &needed));
    let needs = search.needs();
    let unneeded = (0..needs.len()).filter(|own| needs[*own] == Need::Unneeded);
    assert_eq!(unneeded.collect::<Vec<_>>(), [2, 3, 4]);
}

/// An import fails alone, and is tried again once its only use is gone.
#[test]
fn what_is_needed_by_a_dropped_hunk_goes_too() {
    let mut hunks = plain(3);
    hunks[0].linked = BTreeSet::from([1]);
    hunks[1].linked = BTreeSet::from([0]);
    let search = searched(hunks, PLENTY, |dropped, _| {
        let lacks = dropped.contains(&0) && !dropped.contains(&1) || dropped.contains(&2);
        lacks.then(|| "test".to_owned())
    });
    let needs = search.needs();
    assert_eq!(needs[..2], [Need::Unneeded, Need::Unneeded]);
    assert!(matches!(needs[2], Need::Needed { .. }));
}

#[test]
fn what_a_test_needs_is_told_from_what_none_needs_or_reaches() {
    let mut hunks = plain(4);
    hunks[3].uncovered = Some("no test runs it".to_owned());
    let needed = BTreeSet::from([1]);
    let mut asked = Vec::new();
    let search = searched(hunks, PLENTY, |dropped, _| {
        asked.push(dropped.iter().copied().collect::<Vec<_>>());
        named(dropped, &needed)
    });
    let expected: [&[usize]; 6] = [&[0, 1, 2], &[0], &[0, 1], &[0, 2], &[0, 2], &[0, 2]];
    assert_eq!(asked, expected);
    assert_eq!(
        search.needs(),
        [
            Need::Unneeded,
            Need::Needed {
                by: "test_1".to_owned()
            },
            Need::Unneeded,
            Need::Uncovered {
                why: "no test runs it".to_owned()
            },
        ]
    );
}

#[test]
fn thirty_hunks_take_about_as_many_runs() {
    for (share, most) in [(0, 3), (1, 14), (2, 20), (15, 38), (28, 36), (30, 31)] {
        // Spread over all, as a change has them.
        let needed: BTreeSet<usize> = (0..share).map(|own| own * 30 / share).collect();
        let search = searched(plain(30), PLENTY, |dropped, _| named(dropped, &needed));
        let unneeded = search
            .needs()
            .iter()
            .filter(|own| **own == Need::Unneeded)
            .count();
        assert_eq!(unneeded, 30 - share);
        assert!(search.spent().0 <= most, "{share}: {:?}", search.spent());
    }
}

#[test]
fn the_most_suspicious_hunk_is_dropped_first() {
    let hunk = |same_code, asked_words, lines| Suspect {
        same_code,
        asked_words,
        lines,
        ..Suspect::default()
    };
    let hunks = vec![
        hunk(false, 2, 1),
        hunk(false, 0, 9),
        hunk(false, 0, 2),
        hunk(true, 3, 50),
    ];
    let mut asked = Vec::new();
    searched(hunks, PLENTY, |dropped, _| {
        asked.push(dropped.clone());
        Some("t".to_owned())
    });
    let singles: Vec<usize> = asked.iter().skip(1).flatten().copied().collect();
    assert_eq!(singles, [3, 2, 1, 0]);
}

#[test]
fn a_function_and_its_only_call_fall_together() {
    // Without the function alone, the call fails; the test needs 0.
    let mut hunks = plain(4);
    hunks[1].linked.insert(3);
    hunks[3].linked.insert(1);
    let search = searched(hunks, PLENTY, |dropped, _| {
        let is_torn = dropped.contains(&1) != dropped.contains(&3);
        (dropped.contains(&0) || is_torn).then(|| "t".to_owned())
    });
    let by = "t".to_owned();
    assert_eq!(
        search.needs(),
        [
            Need::Needed { by },
            Need::Unneeded,
            Need::Unneeded,
            Need::Unneeded
        ]
    );
}

#[test]
fn what_goes_with_a_hunk_is_dropped_with_it_or_keeps_it() {
    let mut hunks = plain(3);
    hunks[0].carries.insert(1);
    hunks[2].carries.insert(1);
    hunks[1].uncovered = Some("no test runs it".to_owned());
    let search = searched(hunks.clone(), PLENTY, |_, _| None);
    let uncovered = |own: &Need| matches!(own, Need::Uncovered { .. });
    assert!(search.needs().iter().all(uncovered), "{:?}", search.needs());
    hunks[1].uncovered = None;
    let search = searched(hunks, PLENTY, |dropped, _| {
        assert!(dropped.contains(&1), "{dropped:?}");
        dropped.contains(&2).then(|| "t".to_owned())
    });
    let needs = search.needs();
    assert_eq!(needs[0], Need::Unneeded);
    assert!(matches!(needs[2], Need::Needed { .. }));
}

#[test]
fn a_budget_that_is_over_leaves_hunks_undecided() {
    let needed = BTreeSet::from([0, 5]);
    let budget = NecessityBudget { runs: 6, ..PLENTY };
    let search = searched(plain(10), budget, |dropped, _| named(dropped, &needed));
    assert!(search.spent().0 <= 6);
    let needs = search.needs();
    assert!(
        needs.contains(&Need::Undecided) && needs.contains(&Need::Unneeded),
        "{needs:?}"
    );
    let budget = NecessityBudget {
        time: Duration::from_secs(6),
        ..PLENTY
    };
    assert!(
        searched(plain(10), budget, |dropped, _| named(dropped, &needed))
            .spent()
            .0
            <= 7
    );
    let mut search = NecessitySearch::new(plain(3), PLENTY);
    search.stop();
    assert_eq!(
        (search.asked(), search.needs()),
        (None, vec![Need::Undecided; 3])
    );
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    /// A monotone oracle, where some hunks are needed and nothing else counts, has one answer.
    #[test]
    fn a_monotone_oracle_is_answered_exactly(count in 0_usize..25, bits in any::<u32>()) {
        let needed: BTreeSet<usize> = (0..count).filter(|own| bits >> own & 1 == 1).collect();
        let search = searched(plain(count), PLENTY, |dropped, _| named(dropped, &needed));
        for (hunk, need) in search.needs().iter().enumerate() {
            match need {
                Need::Needed { .. } => prop_assert!(needed.contains(&hunk)),
                need => {
                    prop_assert_eq!(need, &Need::Unneeded);
                    prop_assert!(!needed.contains(&hunk));
                }
            }
        }
    }

    /// Whatever fails with whatever: what is marked passes together without them, three times, and all else has a state
    /// that fails.
    #[test]
    fn what_is_marked_passes_together(
        count in 1_usize..14,
        seed in any::<u64>(),
        always in 0_usize..14,
        share in 1_u64..8,
    ) {
        let mut passed: BTreeMap<BTreeSet<usize>, usize> = BTreeMap::new();
        let mut failed: BTreeSet<usize> = BTreeSet::new();
        let search = searched(plain(count), PLENTY, |dropped, _| {
            let mixed = dropped.iter().fold(seed, |sum, own| {
                (sum ^ (*own as u64 + 1)).wrapping_mul(0x9E37_79B9_7F4A_7C15).rotate_left(17)
            });
            if dropped.contains(&always) || mixed % 8 < share {
                failed.extend(dropped);
                return Some("t".to_owned());
            }
            *passed.entry(dropped.clone()).or_default() += 1;
            None
        });
        let needs = search.needs();
        let marked: BTreeSet<usize> =
            (0..count).filter(|own| needs[*own] == Need::Unneeded).collect();
        prop_assert!(marked.is_empty() || passed.get(&marked).is_some_and(|times| *times >= 3));
        prop_assert!(!marked.contains(&always));
        for (hunk, need) in needs.iter().enumerate() {
            if matches!(need, Need::Needed { .. }) {
                prop_assert!(failed.contains(&hunk));
            }
        }
    }

    /// A hunk whose test fails in one of three runs of a state is needed.
    #[test]
    fn a_flaky_test_keeps_its_hunk(count in 1_usize..12, flaky in 0_usize..12, at in 1_usize..4) {
        let search = searched(plain(count), PLENTY, |dropped, times| {
            (dropped.contains(&flaky) && times == at).then(|| "flaky".to_owned())
        });
        let needs = search.needs();
        if let Some(need) = needs.get(flaky) {
            prop_assert_ne!(need, &Need::Unneeded);
        }
        let others = needs.iter().enumerate().filter(|(own, _)| *own != flaky);
        prop_assert!(at > 1 || others.clone().all(|(_, need)| *need == Need::Unneeded));
    }
}

/// Of what a first search found unneeded, a search with more tests says what those need, and that nothing is known where it
/// does not come to its end.
#[test]
fn what_other_tests_need_is_not_unneeded() {
    let hunks = plain(6);
    let first = BTreeSet::from([1]);
    let search = searched(hunks.clone(), PLENTY, |dropped, _| named(dropped, &first));
    let mut needs = search.needs();
    let more = BTreeSet::from([1, 4]);
    let mut search = NecessitySearch::among_unneeded(&hunks, &needs, PLENTY);
    let mut runs = 0;
    while let Some(dropped) = search.asked().cloned() {
        runs += 1;
        let by = named(&dropped, &more);
        let outcome = by.map_or(StateOutcome::Passes, |by| StateOutcome::Fails { by });
        search.feed(outcome, Duration::from_secs(1));
    }
    for (need, by_all) in needs.iter_mut().zip(search.needs()) {
        need.refine(by_all, "");
    }
    let needed = |test: &str| Need::Needed {
        by: test.to_owned(),
    };
    let expected = [
        Need::Unneeded,
        needed("test_1"),
        Need::Unneeded,
        Need::Unneeded,
        needed("test_4"),
        Need::Unneeded,
    ];
    assert_eq!(needs, expected);
    assert!(runs < 8, "{runs}");
    // One run is enough where all pass, and none is made without time for it.
    for (time, expected) in [
        (9, Need::Unneeded),
        (
            0,
            Need::Uncovered {
                why: "late".to_owned(),
            },
        ),
    ] {
        let mut needs = vec![Need::Unneeded; 6];
        let budget = NecessityBudget {
            runs: 9,
            time: Duration::from_secs(time),
        };
        let mut search = NecessitySearch::among_unneeded(&hunks, &needs, budget);
        if time > 0 {
            search.feed(StateOutcome::Passes, Duration::from_secs(1));
        }
        assert_eq!(search.asked(), None);
        for (need, by_all) in needs.iter_mut().zip(search.needs()) {
            need.refine(by_all, "late");
        }
        assert_eq!(needs, vec![expected; 6]);
    }
}
