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

/// Takes an offer whose change of one file is in conflict at first.
fn take_in_parts(bob: &World, offer: &str) {
    bob.write("other.txt", "one\n");
    let taken = bob.run(&["take", "origin"]).ends(3);
    taken
        .says("by Ann <ann@example.org>, without a key: 4 hunks in 3 files")
        .says("took 3 changes")
        .says("other.txt: not taken, conflict: your file has other lines in the place of hunk 1");
    // What is left of it stays listed, and is in the way of nothing.
    bob.run(&["take", "origin"])
        .ends(1)
        .says("; taken in part, `signoff take ");
    let listed = bob.run(&["take", "--list", "--json"]).ends(1).json();
    assert_eq!(listed["waiting"][0]["in_part"], true);
    bob.write("other.txt", "1\n");
    bob.run(&["take", offer])
        .done()
        .says("took 1 change")
        .says("new.txt: taken before");
    bob.run(&["take", "origin"]).ends(1);
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

    take_in_parts(&bob, offered["offer"].as_str().unwrap());
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
    bob.run(&["offer", "--answers", "--to", "origin"])
        .done()
        .says("3 verdicts on 1 offer; pushed to origin");

    ann.run(&["take", "origin"])
        .done()
        .says("3 verdicts of others arrived")
        .says("denied by Bob <bob@example.org>, without a key: keep it small")
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
    assert_eq!(
        all,
        [
            (&json!("deny"), &json!(true)),
            (&Value::Null, &Value::Null),
            (&json!("approve"), &json!(true)),
            (&json!("approve"), &json!(true))
        ]
    );
    // Nothing is written here by that; and a second delivery brings nothing new.
    assert_eq!(ann.text("a.txt"), "a\n.\n.\nb\n");
    ann.run(&["take", "origin"]).done();
    // What another denied is written only by its name.
    ann.run(&["approve", "--all"])
        .ends(3)
        .says("hunk 1 was denied by Bob");
    assert_eq!(ann.text("other.txt"), "mine\n2\n");
    assert_eq!(ann.text("a.txt"), "a\n.\n.\nB\n");
    ann.run(&["approve", waiting(&ann)[0]["id"].as_str().unwrap()])
        .done();
    assert_eq!(ann.text("a.txt"), "A\n.\n.\nB\n");
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
    let whole = std::fs::read(&bundle).unwrap();
    for (size, said) in [
        (60, "ends before its contents"),
        (whole.len() - 9, "cut.bundle: "),
    ] {
        bob.write("../cut.bundle", &whole[..size]);
        let cut = bob.run(&["take", "../cut.bundle"]).ends(1).says(said);
        assert_eq!(cut.stderr.lines().count(), 1, "{cut:?}");
    }
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

#[test]
fn a_path_that_wants_a_second_signature_is_written_with_one_alone() {
    let Some((ann, bob, _)) = two_people() else {
        return;
    };
    ann.write(".signoff.toml", "[second_signature]\npaths = [\"a.txt\"]\n");
    ann.stage(json!([
        section("a.txt", "b", "B"),
        whole("new.txt", "new\n")
    ]));
    let words = "a.txt wants a second signature: `signoff offer`";
    ann.run(&["review"]).done().says(words);
    let refused = ann.run(&["approve", "--all"]).ends(3).says(words);
    // No command is named that is refused.
    let told = format!("{}{}", refused.stdout, refused.stderr);
    assert!(
        told.contains("left until another person approved it: a.txt (")
            && !told.contains("`signoff approve "),
        "{told}"
    );
    assert_eq!(ann.text("new.txt"), "new\n");
    let id = waiting(&ann)[0]["id"].as_str().unwrap().to_owned();
    let refused = ann.run(&["approve", &id, "--json"]).ends(3).json();
    assert_eq!(refused["status"], "refused");
    let written = ann.apply(
        &["--write"],
        &json!({"changes": [section("a.txt", "a", "A")]}),
    );
    assert_ne!(written.code, Some(0), "{written:?}");
    assert_eq!(ann.text("a.txt"), "a\n.\n.\nb\n");
    ann.feed(&["review", "--plain"], "").code.unwrap();

    ann.run(&["offer", "--to", "origin"]).done();
    bob.run(&["take", "origin"]).done();
    bob.run(&["approve", "--all"]).done();
    bob.run(&["offer", "--answers", "--to", "origin"]).done();
    ann.run(&["take", "origin"]).done();
    // Another text than Bob saw.
    ann.write("../text", "BB\n");
    let other = ann.run(&["approve", &id, "--with", "../text"]).ends(3);
    other.says("nobody else saw your text");
    ann.run(&["approve", "--all"]).done();
    assert_eq!(ann.text("a.txt"), "A\n.\n.\nB\n");
    // What another offers has two signatures once it is approved.
    bob.write(".signoff.toml", "[second_signature]\npaths = [\"*\"]\n");
    bob.stage(json!([section("other.txt", "1", "2")]));
    bob.run(&["offer", "--to", "origin"]).done();
    ann.write(".signoff.toml", "[second_signature]\npaths = [\"*\"]\n");
    ann.run(&["take", "origin"]).done();
    ann.run(&["approve", "--all"]).done();
    assert_eq!(ann.text("other.txt"), "2\n");
    // With keys, an offer without one is none.
    ann.configure("[second_signature]\nkeys = true\n");
    bob.stage(json!([whole("k.txt", "k\n")]));
    let all = bob
        .run(&["offer", "--to", "origin", "--json"])
        .done()
        .json();
    ann.run(&["take", "origin", all["offer"].as_str().unwrap()])
        .done();
    ann.run(&["approve", "--all"])
        .ends(3)
        .says("with a key that your git trusts");
    ann.run(&["deny", "--all"]).done();
    ann.stage(json!([whole("n.txt", "n\n")]));
    ann.run(&["offer", "--to", "origin"]).done();
    bob.run(&["take", "origin"]).code.unwrap();
    bob.run(&["approve", "--all"]).code.unwrap();
    bob.run(&["offer", "--answers", "--to", "origin"]).done();
    ann.run(&["take", "origin"])
        .done()
        .says("without a key; a key that your git trusts is wanted, and it does not count");
    let verdict = &waiting(&ann)[0]["hunks"][0]["verdicts"][0];
    assert_eq!(verdict["counts"], false, "{verdict}");
    assert_eq!(verdict["lacks_key"], true, "{verdict}");
}

#[test]
fn an_approval_that_was_undone_is_no_second_signature() {
    let Some((ann, bob, _)) = two_people() else {
        return;
    };
    ann.write(".signoff.toml", "[second_signature]\npaths = [\"a.txt\"]\n");
    ann.stage(json!([section("a.txt", "b", "B")]));
    ann.run(&["offer", "--to", "origin"]).done();
    bob.run(&["take", "origin"]).done();
    bob.run(&["approve", "--all"]).done();
    bob.run(&["undo", "--yes"]).done();
    let answer = ["offer", "--answers", "--to", "origin"];
    // Nothing was said, and nothing is.
    bob.run(&answer)
        .ends(1)
        .says("you decided on nothing that came with an offer");
    bob.run(&["redo"]).done();
    bob.run(&answer).done().says("1 verdict on 1 offer");
    ann.run(&["take", "origin"]).done().says("approved by Bob");
    assert_eq!(waiting(&ann)[0]["hunks"][0]["verdicts"][0]["counts"], true);
    bob.run(&["undo", "--yes"]).done();
    bob.run(&answer).done().says("1 verdict on 1 offer");
    ann.run(&["take", "origin"])
        .done()
        .says("approval withdrawn by Bob");
    ann.run(&["approve", "--all"])
        .ends(3)
        .says("wants a second signature");
    assert_eq!(ann.text("a.txt"), "a\n.\n.\nb\n");
    // What is redone is approved since then.
    bob.run(&["redo"]).done();
    bob.run(&answer).done();
    ann.run(&["take", "origin"]).done();
    ann.run(&["approve", "--all"]).done();
    assert_eq!(ann.text("a.txt"), "a\n.\n.\nB\n");
}

#[test]
fn what_was_denied_or_undone_is_decided_again_where_it_is_named() {
    let Some((ann, bob, _)) = two_people() else {
        return;
    };
    ann.apply(
        &["--stage"],
        &json!({"changes": [{"file": "a.txt", "strategy": "section", "description": "both",
            "section": {"edits": [{"old_text": "a\n", "new_text": "A\n"}, {"old_text": "b\n", "new_text": "B\n"}]}}]}),
    )
    .done();
    let offered = ann
        .run(&["offer", "--to", "origin", "--json"])
        .done()
        .json();
    let id = offered["offer"].as_str().unwrap().to_owned();
    bob.run(&["take", "origin"]).done();
    let answer = ["offer", "--answers", "--to", "origin"];
    let hunk = |world: &World, at: usize| {
        let waits = waiting(world);
        waits[0]["hunks"][at]["id"].as_str().unwrap().to_owned()
    };
    bob.run(&["approve", &hunk(&bob, 0)]).done();
    bob.run(&["deny", &hunk(&bob, 1), "--reason", "not yet"])
        .done();
    bob.run(&answer).done();
    ann.run(&["take", "origin"]).done().says("denied by Bob");
    ann.run(&["approve", "--all"])
        .ends(3)
        .says("hunk 2 was denied by Bob");
    // Nothing new waits, but what is named is proposed again, as far as it was not approved.
    bob.run(&["take", "origin"]).ends(1);
    bob.run(&["take", "origin", &id])
        .done()
        .says("took 1 change");
    assert_eq!(waiting(&bob)[0]["hunks"].as_array().unwrap().len(), 1);
    bob.run(&["take", &id]).done().says("a.txt: taken before");
    bob.run(&["approve", &hunk(&bob, 0)]).done();
    assert_eq!(bob.text("a.txt"), "A\n.\n.\nB\n");
    bob.run(&answer).done();
    ann.run(&["take", "origin"]).done();
    let verdicts = &waiting(&ann)[0]["hunks"][1]["verdicts"];
    assert_eq!(verdicts.as_array().unwrap().len(), 2, "{verdicts}");
    ann.run(&["approve", "--all"]).done();
    assert_eq!(ann.text("a.txt"), "A\n.\n.\nB\n");
    bob.run(&["take", &id]).done().says("a.txt: taken before");
    // What was undone is proposed again too.
    bob.run(&["undo", "--yes"]).done();
    bob.run(&["take", &id]).done().says("took 1 change");
}

#[test]
fn what_replaces_what_was_approved_says_what_to_undo() {
    let Some((ann, bob, _)) = two_people() else {
        return;
    };
    ann.stage(json!([section("a.txt", "b", "B")]));
    ann.run(&["offer", "--to", "origin"]).done();
    bob.run(&["take", "origin"]).done();
    bob.run(&["approve", "--all"]).done();
    // Of another text in its place, and on the same lines.
    ann.run(&["deny", "--all"]).done();
    ann.stage(json!([section("a.txt", "b", "BB")]));
    ann.run(&["offer", "--to", "origin"]).done();
    let taken = bob.run(&["take", "origin", "--json"]).ends(3).json();
    let why = taken["taken"]["changes"][0]["error"].as_str().unwrap();
    let (_, rest) = why.split_once("--changeset ").unwrap();
    let (changeset, rest) = rest.split_once('`').unwrap();
    let (_, rest) = rest.split_once("`signoff take ").unwrap();
    let (id, _) = rest.split_once('`').unwrap();
    bob.run(&["revert", "--changeset", changeset]).done();
    bob.run(&["take", id]).done().says("took ");
}

#[test]
fn verdicts_that_are_not_what_they_say_are_named_and_do_not_count() {
    let Some((ann, bob, origin)) = two_people() else {
        return;
    };
    ann.stage(json!([section("a.txt", "b", "B")]));
    ann.run(&["offer", "--to", "origin"]).done();
    bob.run(&["take", "origin"]).done();
    bob.run(&["approve", "--all"]).done();
    bob.run(&["offer", "--answers"]).done();
    let notes = git(&bob, &["for-each-ref", "--format=%(refname)", "refs/notes"]);
    let notes = notes.trim().to_owned();
    let offer = git(
        &bob,
        &[
            "for-each-ref",
            "--format=%(objectname)",
            "refs/signoff/offers",
        ],
    );
    let offer = offer.trim().to_owned();
    let listed = git(&bob, &["notes", "--ref", &notes, "list", &offer]);
    let note = git(&bob, &["cat-file", "blob", listed.trim()]);
    let at = origin.to_string_lossy().into_owned();
    let head = git(&bob, &["rev-parse", "HEAD"]);
    let put = |text: &str, reference: &str| {
        bob.write("../note", text);
        let blob = git(&bob, &["hash-object", "-w", "../note"]);
        let of = format!("--ref={reference}");
        git(
            &bob,
            &["notes", &of, "add", "-f", "-C", blob.trim(), &offer],
        );
        git(&bob, &["push", "--quiet", "--force", &at, reference]);
    };
    let elsewhere = notes.replace("verdicts/", "verdicts/0");
    for (text, reference, said) in [
        (note.as_str(), &elsewhere, "in the notes of another"),
        (
            &note[..note.len() - 9],
            &elsewhere,
            "in the notes of another",
        ),
        (&note[..note.len() - 9], &notes, "damaged or cut"),
        (&note.replace(&offer, head.trim()), &notes, "another offer"),
        ("hello\n", &notes, "does not say who made it"),
        // As a commit that the user signs because a program made it.
        (
            &note.replace("\nencoding signoff-verdicts\n", "\n"),
            &notes,
            "of an older kind",
        ),
    ] {
        put(text, reference);
        let taken = ann.run(&["take", "origin"]).ends(3);
        assert!(taken.stderr.contains(said), "{said}: {taken:?}");
        assert!(
            waiting(&ann)[0]["hunks"][0]["verdicts"]
                .as_array()
                .unwrap()
                .is_empty()
        );
        // As if it had never been.
        for world in [&ann, &bob] {
            git(world, &["update-ref", "-d", reference]);
        }
        git(&bob, &["push", "--quiet", &at, &format!(":{reference}")]);
    }
    // For other bytes than what waits.
    let hash = note.split("\"hash\":\"").nth(1).unwrap();
    let hash = &hash[..64];
    put(&note.replace(hash, &"0".repeat(64)), &notes);
    ann.run(&["take", "origin"]).done().says("does not count");
}

#[test]
fn a_commit_that_only_says_that_it_is_an_offer_is_refused() {
    let Some((ann, bob, origin)) = two_people() else {
        return;
    };
    let at = origin.to_string_lossy().into_owned();
    // Paths out of the workspace, a link, and bytes that are none of its texts.
    git(&bob, &["checkout", "--quiet", "--orphan", "odd"]);
    std::os::unix::fs::symlink("/etc/passwd", bob.at("link")).unwrap();
    bob.write("text.txt", "1\n");
    git(&bob, &["add", "."]);
    let change = |path: &str, edits: Value| {
        json!({"step": 0, "path": path, "proposal": "01a22d3b-817c-7385-80d3-18c61d5fe098",
            "description": "\u{1b}[31mred", "by": {"kind": "mcp", "client": "\u{202e}x"}, "edits": edits})
    };
    for (change, said) in [
        (change("../x", json!([])), "../x"),
        (change(".git/config", json!([])), "git"),
        (change("link", json!([[1, 0, 0, 11]])), "link"),
        (change("text.txt", json!([[1, 0, 0, 1]])), "text.txt"),
        (change("text.txt", json!([[1, 0, 0, 99]])), "damaged"),
    ] {
        let text = json!({"offer": 1, "on": null, "changes": [change]});
        let message = format!("odd\n\nSignoff-Offer: {text}\n");
        let tree = git(&bob, &["write-tree"]);
        let commit = git(&bob, &["commit-tree", tree.trim(), "-m", &message]);
        let commit = commit.trim();
        let reference = format!("refs/signoff/offers/{}", &commit[..16]);
        let refspec = format!("{commit}:{reference}");
        git(&bob, &["push", "--quiet", &at, &refspec]);
        let before = ann.files();
        let taken = ann.run(&["take", "origin", &commit[..16]]);
        assert_ne!(taken.code, Some(0), "{said}: {taken:?}");
        let told = format!("{}{}", taken.stdout, taken.stderr);
        assert!(
            told.contains(said) || told.contains("do not fit"),
            "{said}: {told}"
        );
        assert!(!told.chars().any(crate::world::is_hostile), "{told}");
        assert_eq!(
            waiting(&ann).as_array().unwrap().len(),
            0,
            "{said}: {taken:?}"
        );
        let ours = |files: &std::collections::BTreeMap<PathBuf, crate::world::Found>| {
            let files = files.keys();
            files
                .filter(|path| !path.to_string_lossy().contains(".git"))
                .count()
        };
        assert_eq!(ours(&before), ours(&ann.files()));
    }
}

/// Schedules over real repositories; with `OFFER_SCHEDULES=20` in the environment, so many.
const SCHEDULES: u64 = 2;
/// Steps of a schedule.
const STEPS: u64 = 14;

#[test]
fn schedules_of_three_people_over_git_converge() {
    let schedules = std::env::var("OFFER_SCHEDULES");
    let schedules = schedules.map_or(SCHEDULES, |number| number.parse().unwrap());
    for seed in 1..=schedules {
        let Some((ann, bob, origin)) = two_people() else {
            return;
        };
        let cy = clone(&origin.to_string_lossy(), "Cy");
        converges(seed, &[ann, bob, cy]);
    }
}

fn converges(seed: u64, people: &[World; 3]) {
    let mut state = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1;
    let mut below = |most: u64| {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        state % most
    };
    let texts = |world: &World| [world.text("a.txt"), world.text("other.txt")];
    for step in 0..STEPS {
        let at = usize::try_from(below(3)).unwrap();
        let own = &people[at];
        let before: Vec<[String; 2]> = people.iter().map(texts).collect();
        let action = below(6);
        match action {
            0 | 1 => {
                let change = section("a.txt", "\n.\n", &format!("\n.\n{seed} {step}\n"));
                let change = if below(2) == 0 {
                    whole("other.txt", &format!("{seed} {step}\n"))
                } else {
                    change
                };
                own.apply(&["--stage"], &json!({"changes": [change]}));
            }
            2 => drop(own.run(&["offer", "--to", "origin"])),
            3 => {
                let listed = own.run(&["take", "origin", "--list", "--json"]).json();
                let offers = listed["waiting"].as_array().unwrap();
                if !offers.is_empty() {
                    let most = u64::try_from(offers.len()).unwrap();
                    let one = &offers[usize::try_from(below(most)).unwrap()];
                    own.run(&["take", one["offer"].as_str().unwrap()]);
                }
            }
            4 => {
                let waits = waiting(own);
                if let Some(first) = waits.as_array().unwrap().first() {
                    let verdict = if below(3) > 0 { "approve" } else { "deny" };
                    own.run(&[verdict, first["id"].as_str().unwrap()]);
                }
            }
            _ => drop(own.run(&["offer", "--answers", "--to", "origin"])),
        }
        for (other, (world, before)) in people.iter().zip(&before).enumerate() {
            assert!(
                other == at && action == 4 || texts(world) == *before,
                "{step}"
            );
        }
    }
    for world in people {
        world.run(&["offer", "--answers", "--to", "origin"]);
    }
    let references = ["for-each-ref", "refs/signoff/offers", "refs/notes"];
    for world in people {
        // Offers that were not pushed are nobody's but their author's.
        let all = "refs/signoff/offers/*:refs/signoff/offers/*";
        git(world, &["push", "--quiet", "origin", all]);
    }
    let known: Vec<String> = people
        .iter()
        .map(|world| {
            world.run(&["take", "origin", "--list"]);
            git(world, &references)
        })
        .collect();
    assert!(known.windows(2).all(|two| two[0] == two[1]), "{known:?}");
}

#[test]
fn what_checks_said_of_exactly_the_offered_files_goes_along() {
    let Some((ann, bob, _)) = two_people() else {
        return;
    };
    ann.write("test.sh", "! grep -q bad a.txt\n");
    ann.configure("[test]\ncommand = [\"sh\", \"test.sh\"]\n");
    ann.stage(json!([section("a.txt", "a", "A")]));
    ann.run(&["test"]).done();
    let shown = |offer: &Value| {
        let reference = offer["reference"].as_str().unwrap();
        git(&ann, &["log", "-1", "--format=%B", reference])
    };
    let offered = ann
        .run(&["offer", "--to", "origin", "--json"])
        .done()
        .json();
    assert!(
        shown(&offered).contains("[test] command passed"),
        "{}",
        shown(&offered)
    );
    bob.run(&["take", "origin"]).done();
    bob.run(&["review"])
        .done()
        .says("note: where it was made, [test] command passed");
    // Nothing ran on this.
    ann.stage(json!([section("a.txt", "b", "B")]));
    let offered = ann.run(&["offer", "--json"]).done().json();
    assert!(!shown(&offered).contains("passed"), "{}", shown(&offered));
}

#[test]
fn a_damaged_reference_is_named_once_and_is_in_the_way_of_nothing() {
    let Some((ann, bob, _)) = two_people() else {
        return;
    };
    let [first, second] = ["1111111111111111", "2222222222222222"];
    for id in [first, second] {
        let reference = format!("HEAD:refs/signoff/offers/{id}");
        git(&ann, &["push", "--quiet", "origin", &reference]);
    }
    bob.run(&["take", "origin"])
        .ends(3)
        .says(&format!("refs/signoff/offers/{first} is left"))
        .says(&format!("`git push origin :refs/signoff/offers/{second}`"));
    ann.stage(json!([section("a.txt", "a", "A")]));
    ann.run(&["offer", "--to", "origin"]).done();
    let taken = bob.run(&["take", "origin"]).done().says("took 1 change");
    assert!(!taken.stderr.contains(first), "{taken:?}");
    bob.run(&["take", "origin", "--list"]).says(first);
    bob.run(&["take", "origin"]).ends(1);
}

#[test]
fn permissions_that_an_offer_has_not_are_named() {
    let Some((ann, bob, _)) = two_people() else {
        return;
    };
    ann.run(&[
        "run",
        "--",
        "sh",
        "-c",
        "umask 002; echo 1 > x; echo 1 > y; chmod 4755 x; chmod 775 y",
    ]);
    ann.run(&["offer", "--to", "origin"])
        .ends(3)
        .says("x is not offered: an offer has permissions of `755` at most");
    bob.run(&["take", "origin"]).done();
    let id = waiting(&bob)[0]["id"].as_str().unwrap().to_owned();
    bob.run(&["approve", &id]).done();
    bob.run(&["offer", "--answers", "--to", "origin"]).done();
    let verdicts = ann.run(&["take", "origin"]).done().says("approved by Bob");
    assert!(!verdicts.stdout.contains("does not count"), "{verdicts:?}");
}

#[test]
fn of_what_was_not_reached_it_is_not_said_that_nothing_is_there() {
    let Some((ann, _, origin)) = two_people() else {
        return;
    };
    ann.run(&["take", "origin"])
        .ends(1)
        .says("no offer of another person waits");
    std::fs::remove_dir_all(origin).unwrap();
    let missing = ann.run(&["take", "origin"]).ends(1).says("origin: ");
    assert!(!missing.stderr.contains("no offer"), "{missing:?}");
}

/// Two clones of one person answer, and receipts and verdicts are in one repository.
#[test]
fn one_person_answers_from_two_machines() {
    let Some((ann, bob, origin)) = two_people() else {
        return;
    };
    let desktop = clone(&origin.to_string_lossy(), "Bob");
    bob.configure("[commit]\nnotes = true\n");
    bob.stage(json!([section("other.txt", "1", "2")]));
    bob.run(&["approve", "--all"]).done();
    bob.run(&["commit", "-m", "own"]).done();
    git(&bob, &["push", "--quiet", "origin", "refs/notes/signoff"]);
    ann.stage(json!([section("a.txt", "a", "A")]));
    ann.run(&["offer", "--to", "origin"]).done();
    bob.run(&["take", "origin"]).done();
    ann.stage(json!([whole("new.txt", "new\n")]));
    let id = waiting(&ann)[1]["changeset"].as_str().unwrap().to_owned();
    ann.run(&["offer", &id, "--to", "origin"]).done();
    let offers = desktop.run(&["take", "origin", "--json"]).ends(3).json();
    let offers = offers["waiting"].as_array().unwrap().iter();
    let new = offers.filter(|own| own["files"] == json!(["new.txt"]));
    let new: Vec<&Value> = new.collect();
    desktop
        .run(&["take", new[0]["offer"].as_str().unwrap()])
        .done();
    for world in [&bob, &desktop] {
        world.run(&["approve", "--all"]).done();
        world.run(&["offer", "--answers", "--to", "origin"]).done();
    }
    ann.run(&["take", "origin"])
        .done()
        .says("2 verdicts of others arrived");
    // And again, after what the other machine sent has arrived.
    bob.run(&["take", "origin"]).code.unwrap();
    bob.run(&["offer", "--answers", "--to", "origin"]).done();
    git(
        &ann,
        &["fetch", "--quiet", "origin", "refs/notes/*:refs/notes/*"],
    );
}

#[test]
fn an_offer_is_replaced_and_withdrawn_and_whoever_took_it_is_told() {
    let Some((ann, bob, _)) = two_people() else {
        return;
    };
    ann.stage(json!([section("a.txt", "a", "A")]));
    let offer = ["offer", "--to", "origin", "--json"];
    let first = ann.run(&offer).done().json();
    bob.run(&["take", "origin"]).done();
    ann.stage(json!([section("a.txt", "b", "B")]));
    let second = ann.run(&offer).done().json();
    let ids = [&first, &second].map(|own| own["offer"].as_str().unwrap().to_owned());
    assert_eq!(second["replaces"], json!([ids[0]]));
    let again = ann.run(&offer).done().json();
    assert_eq!(
        (&again["offer"], &again["new"]),
        (&second["offer"], &json!(false))
    );
    bob.run(&["take", "origin", "--list"])
        .done()
        .says(&format!("it replaces {}", ids[0]));
    // What waits of the one goes as the other comes: it is in its way.
    bob.run(&["take", "origin"])
        .done()
        .says("took 2 changes")
        .says("in place of 1 hunk of the offers that it replaces");
    let ids_of = |waits: &Value| {
        let all = waits.as_array().unwrap().iter();
        let all = all.map(|own| own["id"].as_str().unwrap().to_owned());
        all.collect::<Vec<_>>()
    };
    assert_eq!(ids_of(&waiting(&bob)).len(), 2);
    bob.run(&["offer", "--answers"]).ends(1);
    // Of what something of Bob's builds on, nothing goes.
    bob.stage(json!([section("a.txt", "A", "A2")]));
    ann.stage(json!([whole("more.txt", "more\n")]));
    let third = ann.run(&offer).done().json();
    bob.run(&["take", "origin"])
        .ends(3)
        .says("a.txt: not taken, conflict");
    assert_eq!(ids_of(&waiting(&bob)).len(), 4);
    let third = third["offer"].as_str().unwrap();
    ann.run(&["offer", "--withdraw", third, "--to", "origin"])
        .done();
    bob.run(&["take", "origin"])
        .done()
        .says(&format!("{third} was withdrawn"));
    ann.run(&["offer", "--withdraw", "0000"]).ends(1);
    ann.run(&["offer", "--withdraw", &ids[0], "--to", "origin"])
        .done()
        .says(&format!("withdrew {}", ids[0]));
    bob.run(&["take", "origin"])
        .done()
        .says(&format!("{} was withdrawn", ids[0]));
    bob.run(&["take", "origin"]).ends(1);
    bob.run(&["offer", "--withdraw", &ids[1]]).ends(1);
    let fresh = clone(&ann.beside("origin.git").to_string_lossy(), "Cy");
    fresh.run(&["take", "origin"]).done().says("took");
}

#[test]
fn a_group_that_another_person_has_to_approve_is_not_said_to_be_written() {
    let Some((ann, _, _)) = two_people() else {
        return;
    };
    ann.write(".signoff.toml", "[second_signature]\npaths = [\"x.py\"]\n");
    ann.write("x.py", "x = old(1)\n");
    ann.write("y.py", "y = old(2)\n");
    ann.stage(json!([
        section("x.py", "old", "new"),
        section("y.py", "old", "new")
    ]));
    ann.run(&["review"])
        .done()
        .says("in 2 hunks; `signoff approve --group ")
        .says("` writes 1, and says why not the others");
    let key = waiting(&ann)[1]["hunks"][0]["group"]["key"].clone();
    let key = key.as_str().unwrap();
    ann.run(&["approve", "--group", key])
        .ends(3)
        .says("left until another person approved it: x.py (");
    assert_eq!(ann.text("y.py"), "y = new(2)\n");
    assert_eq!(ann.text("x.py"), "x = old(1)\n");
}
