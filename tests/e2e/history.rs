//! `signoff history` and `revert`: what was written can be taken back, in any later process.

use serde_json::{Value, json};

use crate::world::{World, section, whole};

const TEXTS: [&str; 4] = [
    "a\n.\n.\nb\n.\n.\nc\n",
    "A\n.\n.\nb\n.\n.\nc\n",
    "A\n.\n.\nB\n.\n.\nc\n",
    "A\n.\n.\nB\n.\n.\nC\n",
];

/// A file that was written three times.
fn written() -> World {
    let world = World::new(&[("a.txt", TEXTS[0])]);
    for (old, new) in [("a", "A"), ("b", "B"), ("c", "C")] {
        world.stage(json!([section("a.txt", old, new)]));
        world.run(&["approve", "--all"]).done();
    }
    assert_eq!(world.text("a.txt"), TEXTS[3]);
    world
}

fn column(world: &World, name: &str) -> Vec<Value> {
    world
        .history()
        .iter()
        .map(|entry| entry[name].clone())
        .collect()
}

#[test]
fn history_is_listed_newest_first() {
    let world = written();
    assert_eq!(column(&world, "version"), [3, 2, 1]);
    assert_eq!(
        column(&world, "description"),
        ["put C for c", "put B for b", "put A for a"]
    );
    assert_eq!(column(&world, "status"), ["applied"; 3]);
    for entry in world.history() {
        assert_eq!(entry["path"], "a.txt");
        assert_eq!(
            (entry["added"].clone(), entry["removed"].clone()),
            (json!(1), json!(1))
        );
        let time = entry["time"].as_str().unwrap();
        assert!(time.len() == 20 && time.ends_with('Z'), "{time}");
        assert_eq!(entry["proposal"].as_str().unwrap().len(), 36);
    }
    let listed = world.run(&["history", "a.txt"]).done();
    assert_eq!(listed.stdout.lines().count(), 3);
    world.run(&["history", "b.txt"]).done().says("no history");
}

#[test]
fn the_last_change_is_taken_back_then_the_one_before() {
    let world = written();
    for text in [TEXTS[2], TEXTS[1], TEXTS[0]] {
        world.run(&["revert", "a.txt"]).done();
        assert_eq!(world.text("a.txt"), text);
    }
    world.run(&["revert", "a.txt"]).ends(1);
    assert_eq!(world.text("a.txt"), TEXTS[0]);
    assert_eq!(
        column(&world, "version"),
        [6, 5, 4, 3, 2, 1],
        "a revert is an entry too"
    );
    assert_eq!(column(&world, "status")[..3], ["revert"; 3]);
    assert_eq!(column(&world, "status")[3..], ["reverted"; 3]);
}

#[test]
fn any_version_can_be_gone_back_to() {
    for (version, text) in TEXTS.iter().enumerate().take(3) {
        let world = written();
        let back = world
            .run(&["revert", "a.txt", "--to", &version.to_string(), "--json"])
            .done()
            .json();
        assert_eq!(back["status"], "reverted");
        assert_eq!(back["version"], 4);
        assert_eq!(world.text("a.txt"), *text);
        // And forward again: to what it was after version 3.
        world.run(&["revert", "a.txt", "--to", "3"]).done();
        assert_eq!(world.text("a.txt"), TEXTS[3]);
    }
    let world = written();
    world.run(&["revert", "a.txt", "--to", "3"]).ends(1);
    world
        .run(&["revert", "a.txt", "--to", "9"])
        .ends(1)
        .says("9");
    assert_eq!(world.text("a.txt"), TEXTS[3]);
}

#[test]
fn what_the_user_wrote_since_stays() {
    let world = written();
    world.write("a.txt", format!("mine\n{}", TEXTS[3]));
    world.run(&["revert", "a.txt", "--to", "0"]).done();
    assert_eq!(world.text("a.txt"), format!("mine\n{}", TEXTS[0]));
}

#[test]
fn what_the_user_wrote_over_a_change_is_a_conflict() {
    let world = written();
    let mine = TEXTS[3].replace("C\n", "mine\n");
    world.write("a.txt", &mine);
    let conflict = world.run(&["revert", "a.txt", "--json"]).ends(3).json();
    assert_eq!(conflict["status"], "conflict");
    assert_eq!(world.text("a.txt"), mine);
    std::fs::remove_file(world.at("a.txt")).unwrap();
    world.run(&["revert", "a.txt"]).ends(3).says("deleted");
    assert!(!world.at("a.txt").exists());
}

#[test]
fn a_file_that_was_made_goes_and_one_that_went_is_made() {
    let world = World::new(&[("old.txt", "old\nlines\n")]);
    world.stage(json!([whole("new.txt", "new\n"), { "file": "old.txt", "strategy": "delete" }]));
    world.run(&["approve", "--all"]).done();
    assert!(!world.at("old.txt").exists());
    world.run(&["revert", "new.txt"]).done();
    world.run(&["revert", "old.txt"]).done();
    assert!(!world.at("new.txt").exists());
    assert_eq!(world.text("old.txt"), "old\nlines\n");
}

#[test]
fn a_file_keeps_its_last_ten_entries() {
    let world = World::new(&[("a.txt", "0\n")]);
    for number in 1..=12 {
        let payload = json!({ "changes": [whole("a.txt", &format!("{number}\n"))] });
        world.apply(&["--write"], &payload).done();
    }
    let versions: Vec<u64> = (3..=12).rev().collect();
    assert_eq!(column(&world, "version"), versions);
    world.run(&["revert", "a.txt", "--to", "1"]).ends(1);
    world.run(&["revert", "a.txt", "--to", "2"]).done();
    assert_eq!(world.text("a.txt"), "2\n");
}

/// Staged work and a revert do not get into each other's way.
#[test]
fn a_revert_under_staged_work_moves_it() {
    let world = written();
    world.stage(json!([section("a.txt", "C", "see")]));
    world.run(&["revert", "a.txt", "--to", "2"]).done();
    assert_eq!(world.text("a.txt"), TEXTS[2]);
    assert_eq!(world.review()[0]["status"], "conflict");
    world.run(&["deny", "--all"]).done();
    assert_eq!(world.text("a.txt"), TEXTS[2]);
}
