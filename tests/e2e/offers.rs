//! `signoff offer` and `signoff take`: a second person decides on what waits, over plain git.

use std::path::PathBuf;

use serde_json::{Value, json};

use crate::commit::{git, repository};
use crate::world::{World, section, whole};

/// Returns the repositories of two people, and the one that both know as `origin`.
pub(crate) fn two_people() -> Option<(World, World, PathBuf)> {
    let ann = repository()?;
    let origin = ann.beside("origin.git");
    let at = origin.to_string_lossy().into_owned();
    git(&ann, &["clone", "--quiet", "--bare", ".", &at]);
    git(&ann, &["remote", "add", "origin", &at]);
    Some((ann, clone(&at, "Bob"), origin))
}

/// Returns the clone of another person.
pub(crate) fn clone(origin: &str, name: &str) -> World {
    let world = World::new(&[]);
    git(&world, &["clone", "--quiet", origin, "."]);
    git(&world, &["config", "user.name", name]);
    let email = format!("{}@example.org", name.to_lowercase());
    git(&world, &["config", "user.email", &email]);
    world
}

/// Returns what waits.
pub(crate) fn waiting(world: &World) -> Value {
    world.run(&["review", "--json"]).done().json()
}

#[test]
fn another_person_decides_hunk_by_hunk_and_nothing_is_written_here_by_that() {
    let Some((ann, bob, _)) = two_people() else {
        return;
    };
    // What is on disk and in no commit goes along.
    ann.write("other.txt", "mine\n1\n");
    ann.stage(json!([section("a.txt", "a", "A")]));
    ann.stage(json!([section("a.txt", "b", "B")]));
    ann.stage(json!([
        section("other.txt", "1", "2"),
        whole("new.txt", "new\n")
    ]));
    let offered = ann
        .run(&["offer", "--to", "origin", "--json"])
        .done()
        .json();
    assert_eq!(offered["hunks"].as_array().unwrap().len(), 4);
    let again = ann
        .run(&["offer", "--to", "origin", "--json"])
        .done()
        .json();
    assert_eq!(
        (&again["offer"], &again["new"]),
        (&offered["offer"], &json!(false))
    );
    // People read it with git alone.
    let reference = offered["reference"].as_str().unwrap();
    let shown = git(&ann, &["log", "--patch", &format!("HEAD..{reference}")]);
    assert!(
        shown.contains("+new") && shown.contains("a.txt: "),
        "{shown}"
    );

    bob.write("other.txt", "one\n");
    let taken = bob.run(&["take", "origin"]).ends(3);
    taken
        .says("by Ann <ann@example.org>, without a key: 4 hunks in 3 files")
        .says("took 3 changes")
        .says("other.txt: not taken, conflict: your file has other lines in the place of hunk 1");
    bob.write("other.txt", "1\n");
    bob.run(&["take", offered["offer"].as_str().unwrap()])
        .done()
        .says("took 1 change")
        .says("new.txt: taken before");
    bob.run(&["take", "origin"]).ends(1);
    let waits = waiting(&bob);
    assert_eq!(waits.as_array().unwrap().len(), 4);
    assert_eq!(waits[0]["proposer"]["kind"], "person");
    bob.run(&["review"])
        .done()
        .says("proposed by Ann <ann@example.org>");
    assert_eq!(bob.text("a.txt"), "a\n.\n.\nb\n");

    let id = |path: &str, at: usize| {
        let waits = waiting(&bob);
        let own = waits.as_array().unwrap().iter();
        let own = own.filter(|own| own["path"] == path);
        let own: Vec<&Value> = own.collect();
        own[at]["id"].as_str().unwrap().to_owned()
    };
    let (first, other, new) = (id("a.txt", 0), id("other.txt", 0), id("new.txt", 0));
    bob.run(&["deny", &first, "--reason", "keep it small"])
        .done();
    bob.run(&["approve", &other, &new]).done();
    assert_eq!(bob.text("new.txt"), "new\n");
    bob.run(&["offer", "--answers", "--to", "origin"])
        .done()
        .says("3 verdicts on 1 offer; pushed to origin");

    ann.run(&["take", "origin"])
        .done()
        .says("3 verdicts of others arrived")
        .says("denied by Bob <bob@example.org>: keep it small, without a key")
        .says("approved by Bob <bob@example.org>, without a key");
    let waits = waiting(&ann);
    let all: Vec<(&Value, &Value)> = waits
        .as_array()
        .unwrap()
        .iter()
        .flat_map(|own| own["hunks"].as_array().unwrap())
        .map(|hunk| {
            (
                &hunk["verdicts"][0]["verdict"],
                &hunk["verdicts"][0]["counts"],
            )
        })
        .collect();
    let (yes, none) = (json!(true), Value::Null);
    assert_eq!(
        all,
        [
            (&json!("deny"), &yes),
            (&none, &none),
            (&json!("approve"), &yes),
            (&json!("approve"), &yes)
        ]
    );
    // Nothing is written here by that; and a second delivery brings nothing new.
    assert_eq!(ann.text("a.txt"), "a\n.\n.\nb\n");
    ann.run(&["take", "origin"]).done();
    ann.run(&["approve", "--all"]).done();
    assert_eq!(ann.text("other.txt"), "mine\n2\n");
}

#[test]
fn an_offer_goes_in_a_bundle_and_is_placed_beside_other_lines() {
    let Some((ann, bob, _)) = two_people() else {
        return;
    };
    ann.stage(json!([section("a.txt", "b", "B")]));
    let bundle = ann.beside("offer.bundle");
    let file = bundle.to_string_lossy().into_owned();
    ann.run(&["offer", "--bundle", &file])
        .done()
        .says("written to");
    ann.run(&["offer", "--bundle", &file]).ends(1);
    bob.write("a.txt", "mine\na\n.\n.\nb\n");
    bob.run(&["take", &file]).done().says("took 1 change");
    bob.run(&["approve", "--all"]).done();
    assert_eq!(bob.text("a.txt"), "mine\na\n.\n.\nB\n");
    let back = bob.beside("back.bundle");
    let back = back.to_string_lossy().into_owned();
    bob.run(&["offer", "--answers", "--bundle", &back]).done();
    // It was placed among other lines, and is the same change.
    ann.run(&["take", &back]).done().says("approved by Bob");
    assert_eq!(waiting(&ann)[0]["hunks"][0]["verdicts"][0]["counts"], true);
    // Of the user's own change of the lines, the verdict knows nothing.
    ann.write("a.txt", "a\n.\n..\nb\n");
    assert_eq!(waiting(&ann)[0]["hunks"][0]["verdicts"][0]["counts"], false);
    ann.run(&["review"]).done().says("does not count");
}
