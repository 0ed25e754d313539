//! `signoff verify`: receipts of commits, and what becomes of those that are none.

use std::fs;
use std::path::PathBuf;
use std::process::Command;

use serde_json::json;

use crate::commit::{git, repository, sign_off};
use crate::untried::untried;
use crate::world::{World, section};

/// Returns a repository with a commit that was signed off.
fn receipted() -> Option<World> {
    let world = repository()?;
    world.configure("[commit]\nnotes = true\n");
    sign_off(&world, section("a.txt", "b", "B"));
    world.run(&["commit", "-m", "sign"]).done();
    Some(world)
}

/// Puts a text in the place of the receipt of `HEAD`.
fn replace_receipt(world: &World, text: &str) {
    world.write("../note", text);
    let blob = git(world, &["hash-object", "-w", "../note"]);
    let notes = ["notes", "--ref=signoff", "add", "-f", "-C", blob.trim()];
    git(world, &[&notes[..], &["HEAD"]].concat());
}

fn receipt(world: &World) -> String {
    let blob = git(world, &["notes", "--ref=signoff", "list", "HEAD"]);
    git(world, &["cat-file", "blob", blob.trim()])
}

#[test]
fn a_commit_is_signed_by_its_receipt_alone() {
    let Some(world) = receipted() else { return };
    let signed = world.run(&["verify", "HEAD^!"]).done();
    signed
        .says("signed off by Ann <ann@example.org>, without a key")
        .says("signed    a.txt  +1 -1")
        .says("no check had run")
        .says("1 commit: 1 new line, all signed, 1 of them unseen");
    // `approve --all` displays nothing.
    world
        .run(&["verify", "--seen", "HEAD^!"])
        .ends(3)
        .says("UNSEEN    a.txt");
    world
        .run(&["verify", "--keys", "HEAD^!"])
        .ends(3)
        .says("UNSIGNED  a.txt");
    let value = world.run(&["verify", "--json", "HEAD^!"]).done().json();
    let commit = &value["commits"][0];
    assert_eq!(commit["receipt"], "read");
    assert_eq!(commit["key"], "none");
    assert_eq!(commit["files"][0]["signed"], true);

    // Another message is the same change, under another id.
    let text = receipt(&world);
    git(&world, &["commit", "--quiet", "--amend", "--message=again"]);
    world
        .run(&["verify", "HEAD^!"])
        .done()
        .says("signed off by Ann <ann@example.org>, without a key, by the receipt of ");
    replace_receipt(&world, &text);
    world.run(&["verify", "HEAD^!"]).done();

    world.write("other.txt", "2\n3\n");
    git(&world, &["commit", "--quiet", "--all", "--message=own"]);
    let mixed = world.run(&["verify", "HEAD~2..HEAD"]).ends(3);
    mixed.says("2 commits: 1 new line signed, 1 of them unseen, 2 unsigned in 1 file");
    for (note, said) in [
        (text.as_str(), "for another change"),
        (
            &text.replace("\nencoding signoff-receipt\n", "\n"),
            "of an older kind",
        ),
        (&text[..text.len() - 9], "no receipt, or cut"),
        ("hello\n", "no receipt, or cut"),
    ] {
        replace_receipt(&world, note);
        world.run(&["verify", "HEAD^!"]).ends(3).says(said);
    }
    world.run(&["verify", "HEAD..HEAD"]).ends(1);
    world.run(&["verify", "nowhere..HEAD"]).ends(1);
    // Without an upstream a range has to be named.
    let unnamed = world.run(&["verify"]).ends(1);
    assert!(
        unnamed.stderr.contains("name a range"),
        "{}",
        unnamed.stderr
    );
}

#[test]
fn what_was_undone_and_redone_is_signed_as_it_was_first() {
    let Some(world) = repository() else { return };
    let tried = world.run(&["run", "--", "true"]);
    if tried.code == Some(125) {
        return untried("a change of an agent", tried.stderr.trim());
    }
    world.configure("[commit]\nnotes = true\n");
    let made = |from: &str, to: &str, times: usize| {
        let script = format!("sed -i s/{from}/{to}/ a.txt");
        let run = ["run", "--agent", "codex", "--", "sh", "-c", &script];
        world.run(&run).done();
        world.run(&["approve", "--all"]).done();
        for _ in 0..times {
            world.run(&["undo"]).done();
            world.run(&["redo"]).done();
        }
        world.run(&["commit", "-m", "sign"]).done();
        let seen = world.run(&["verify", "--seen", "HEAD^!"]).ends(3);
        seen.says("UNSEEN    a.txt");
        let message = git(&world, &["log", "-1", "--format=%B"]);
        let note = git(&world, &["notes", "--ref=ai", "show", "HEAD"]);
        let receipt = receipt(&world);
        (message, note.lines().count(), receipt.lines().count())
    };
    let first = made("b", "B", 0);
    assert!(first.0.contains("Assisted-by: codex"), "{first:?}");
    assert_eq!(made("B", "BB", 1), first);
    assert_eq!(made("BB", "C", 2), first);
}

/// Returns a repository of somebody who signs with ssh and trusts the key, with a commit that was signed off; and the file of the
/// keys that are trusted, and the key.
fn receipted_with_key() -> Option<(World, PathBuf, String)> {
    let world = repository()?;
    let key = world.beside("home/key");
    let made = Command::new("ssh-keygen")
        .args(["-q", "-t", "ed25519", "-N", "", "-f"])
        .arg(&key)
        .status();
    if !made.is_ok_and(|made| made.success()) {
        return None;
    }
    let public = fs::read_to_string(key.with_extension("pub")).unwrap();
    let vouched = world.beside("home/signers");
    fs::write(&vouched, "").unwrap();
    let settings = format!(
        "[user]\n\tsigningKey = {}\n[commit]\n\tgpgSign = true\n[gpg]\n\tformat = ssh\n\
         [gpg \"ssh\"]\n\tallowedSignersFile = {}\n",
        key.display(),
        vouched.display()
    );
    fs::write(world.beside("home/.gitconfig"), settings).unwrap();
    world.configure("[commit]\nnotes = true\n");
    sign_off(&world, section("a.txt", "b", "B"));
    world.run(&["commit", "-m", "sign"]).done();
    Some((world, vouched, public))
}

#[test]
fn a_key_vouches_for_a_receipt_and_a_changed_one_is_forged() {
    let Some((world, vouched, public)) = receipted_with_key() else {
        return;
    };
    world
        .run(&["verify", "HEAD^!"])
        .done()
        .says("with a key that your git cannot judge");
    world.run(&["verify", "--keys", "HEAD^!"]).ends(3);
    // An agent that writes to git's folder vouches for nobody.
    world.write("../signers", format!("ann@example.org {public}"));
    let signers = world.at("../signers").display().to_string();
    let setting = "gpg.ssh.allowedSignersFile";
    git(&world, &["config", setting, &signers]);
    world
        .run(&["verify", "--keys", "HEAD^!"])
        .ends(3)
        .says("gpg.ssh.allowedSignersFile of this repository is not read");
    git(&world, &["config", "--unset", setting]);
    fs::write(&vouched, format!("ann@example.org {public}")).unwrap();
    world
        .run(&["verify", "--keys", "HEAD^!"])
        .done()
        .says("with the key of ann@example.org");
    let text = receipt(&world);
    replace_receipt(
        &world,
        &text.replace("\"kind\": \"user\"", "\"kind\": \"program\""),
    );
    world
        .run(&["verify", "HEAD^!"])
        .ends(3)
        .says("its receipt is forged");
    // A receipt that was signed and is so no more is one without a key.
    let (header, body) = text.split_once("\n\n").unwrap();
    let bare: Vec<&str> = header
        .lines()
        .filter(|line| !line.starts_with("gpgsig") && !line.starts_with(' '))
        .collect();
    replace_receipt(&world, &format!("{}\n\n{body}", bare.join("\n")));
    world
        .run(&["verify", "HEAD^!"])
        .done()
        .says("without a key");
    world.run(&["verify", "--keys", "HEAD^!"]).ends(3);
}

#[test]
fn what_is_signed_as_a_commit_is_no_receipt() {
    let Some((world, vouched, public)) = receipted_with_key() else {
        return;
    };
    fs::write(&vouched, format!("ann@example.org {public}")).unwrap();
    let text = receipt(&world);
    let message = text.split_once("\n\n").unwrap().1;
    world.write("../message", message);
    let key = format!("user.signingKey={}", world.beside("home/key").display());
    let signed = [
        "-c",
        &key,
        "-c",
        "gpg.format=ssh",
        "commit",
        "--quiet",
        "--gpg-sign",
    ];
    git(
        &world,
        &[&signed[..], &["--allow-empty", "--file=../message"]].concat(),
    );
    let commit = git(&world, &["cat-file", "commit", "HEAD"]);
    assert!(commit.contains("gpgsig"), "{commit}");
    git(&world, &["reset", "--quiet", "--soft", "HEAD^"]);
    replace_receipt(&world, &commit);
    world
        .run(&["verify", "--keys", "HEAD^!"])
        .ends(3)
        .says("of an older kind, and does not count");
    // A key of several addresses is that of each.
    replace_receipt(&world, &text);
    fs::write(&vouched, format!("ann@work,ann@example.org {public}")).unwrap();
    world.run(&["verify", "--keys", "HEAD^!"]).done();
    // The key of one person under the name of another.
    fs::write(&vouched, format!("bob@example.org {public}")).unwrap();
    world
        .run(&["verify", "HEAD^!"])
        .ends(3)
        .says("forged: it has the key of bob@example.org, and names Ann");
    let value = world.run(&["verify", "--json", "HEAD^!"]).ends(3).json();
    let commit = &value["commits"][0];
    assert_eq!(commit["receipt"], "forged");
    assert_eq!(commit["key_of"], "bob@example.org");
}

/// What was displayed and what had run are in history, blame and the receipt, which holds in a clone.
#[test]
fn a_sign_off_says_what_was_displayed_and_what_had_run() {
    let Some(world) = repository() else { return };
    world.configure(
        "[commit]\nnotes = true\n[[checks]]\nname = \"look\"\ncommand = [\"true\"]\nwhen = [\"*.txt\"]\n");
    world.stage(json!([section("a.txt", "b", "B")]));
    let list = world.run(&["review", "--json"]).done().json();
    let id = list[0]["id"].as_str().unwrap().to_owned();
    let tried = world.run(&["run", "--", "true"]);
    if tried.code == Some(125) {
        return untried("checks of a sign-off", tried.stderr.trim());
    }
    world.run(&["check", "--project"]).done();
    world.run(&["approve", &id]).done();
    world
        .run(&["history"])
        .done()
        .says("approved by its id; look passed");
    let blame = world.run(&["blame", "a.txt:4"]).done();
    blame
        .says("named")
        .says("by you, approved by its id; look passed");
    let blame = world.run(&["blame", "--json", "a.txt:4"]).done().json();
    assert_eq!(blame["lines"][0]["sight"]["as"], "named");
    assert_eq!(blame["lines"][0]["checks"][0]["name"], "look");
    world.run(&["commit", "-m", "sign"]).done();
    let verified = world.run(&["verify", "HEAD^!"]).done();
    verified.says("look passed").says("1 unseen");
    let value = world.run(&["verify", "--json", "HEAD^!"]).done().json();
    let file = &value["commits"][0]["files"][0];
    assert_eq!(file["unseen"], 1);
    assert_eq!(file["lines"][0]["sight"]["as"], "named");
    assert_eq!(file["lines"][0]["checks"][0]["passed"], true);
    // A receipt of an earlier version says nothing of it, and holds.
    let text = receipt(&world);
    let (head, body) = text.split_once("{\n").unwrap();
    let mut old: serde_json::Value = serde_json::from_str(&format!("{{{body}")).unwrap();
    old.as_object_mut().unwrap().remove("revision");
    let lines = old["files"][0]["lines"][0].as_object_mut().unwrap();
    lines.remove("sight");
    lines.remove("checks");
    replace_receipt(&world, &format!("{head}{old:#}\n"));
    world
        .run(&["verify", "HEAD^!"])
        .done()
        .says("all signed, 1 of them unseen");
    world.run(&["verify", "--seen", "HEAD^!"]).ends(3);
}

#[test]
fn what_ran_on_a_part_of_a_commit_is_not_said_of_all_of_it() {
    let Some(world) = repository() else { return };
    world.configure(
        "[commit]\nnotes = true\n[[checks]]\nname = \"look\"\ncommand = [\"true\"]\nwhen = [\"*.txt\"]\n");
    let tried = world.run(&["run", "--", "true"]);
    if tried.code == Some(125) {
        return untried("checks of a sign-off", tried.stderr.trim());
    }
    world.stage(json!([section("a.txt", "b", "B")]));
    world.run(&["check", "--project"]).done();
    world.run(&["approve", "--all"]).done();
    sign_off(&world, section("a.txt", "a", "A"));
    world.run(&["commit", "-m", "both"]).done();
    let verified = world.run(&["verify", "HEAD^!"]).done();
    verified.says("look passed, for a part of the lines");
}

/// What was signed off and committed with git is signed here; a clone has it once there is a receipt.
#[test]
fn a_commit_by_git_is_vouched_for_by_history_and_by_a_receipt_made_of_it() {
    let Some(world) = repository() else { return };
    // The user's own line is committed before, and what is signed off comes on top of it.
    world.write("a.txt", "mine\na\n.\n.\nb\n");
    git(&world, &["commit", "--quiet", "--all", "--message=own"]);
    sign_off(&world, section("a.txt", "b", "B"));
    git(&world, &["commit", "--quiet", "--all", "--message=one"]);
    sign_off(&world, section("a.txt", "mine", "Mine"));
    sign_off(&world, section("other.txt", "1", "2"));
    git(&world, &["commit", "--quiet", "--all", "--message=two"]);
    let here = world.run(&["verify", "HEAD~2..HEAD"]).done();
    here.says("a.txt  +1 -1 (1 by the signer, 1 unseen), by the history of this machine")
        .says("2 commits: 3 new lines, all signed");
    world.run(&["verify", "--keys", "HEAD~2..HEAD"]).ends(3);
    world
        .run(&["verify", "HEAD~3..HEAD"])
        .ends(3)
        .says("UNSIGNED  a.txt  +1 -0");

    let copy = World::new(&[]);
    let from = world.root().display().to_string();
    git(&copy, &["clone", "--quiet", &from, "."]);
    copy.run(&["verify", "HEAD~2..HEAD"])
        .ends(3)
        .says("no receipt");
    world
        .run(&["verify", "--write", "HEAD~3..HEAD"])
        .ends(3)
        .says("signed off by Ann <ann@example.org>");
    let fetch = [
        "fetch",
        "--quiet",
        "origin",
        "refs/notes/signoff:refs/notes/signoff",
    ];
    git(&copy, &fetch);
    copy.run(&["verify", "HEAD~2..HEAD"])
        .done()
        .says("2 commits: 3 new lines, all signed");

    // A line that is typed beside is nobody's.
    sign_off(&world, section("a.txt", "Mine", "yours"));
    world.write("a.txt", "yours\na\n.\n.\nB\ntyped\n");
    git(&world, &["commit", "--quiet", "--all", "--message=three"]);
    world
        .run(&["verify", "--write", "HEAD^!"])
        .ends(3)
        .says("no receipt");
}

/// In a clone there is neither the history of this machine nor the commit that a receipt was left at.
#[test]
fn a_receipt_is_found_in_a_clone_after_its_commit_was_amended_or_squashed() {
    let Some(world) = receipted() else { return };
    sign_off(&world, section("a.txt", "B", "C"));
    world.run(&["commit", "-m", "again"]).done();
    git(
        &world,
        &["config", "notes.rewriteRef", "refs/notes/signoff"],
    );
    git(
        &world,
        &["commit", "--quiet", "--amend", "--message=amended"],
    );
    let from = world.root().display().to_string();
    let notes = "refs/notes/signoff:refs/notes/signoff";
    let cloned = || {
        let copy = World::new(&[]);
        // By a server, which sends no object that nothing leads to.
        let from = format!("file://{from}");
        git(&copy, &["clone", "--quiet", &from, "."]);
        git(&copy, &["fetch", "--quiet", "origin", notes]);
        copy
    };
    // One note was moved by git, and names a parent that is nowhere; one is of no commit that is left.
    let copy = cloned();
    copy.run(&["verify", "HEAD~2..HEAD"])
        .done()
        .says("2 commits: 2 new lines, all signed");
    git(&world, &["config", "--unset", "notes.rewriteRef"]);
    git(&world, &["commit", "--quiet", "--amend", "--message=twice"]);
    let copy = cloned();
    copy.run(&["verify", "HEAD~2..HEAD"])
        .done()
        .says("by the receipt of");
    // Both in one commit: from the first text to the last, by both receipts.
    git(&world, &["reset", "--quiet", "--soft", "HEAD~2"]);
    git(&world, &["commit", "--quiet", "--message=squashed"]);
    let copy = cloned();
    let value = copy.run(&["verify", "--json", "HEAD^!"]).done().json();
    let commit = &value["commits"][0];
    assert_eq!(commit["receipt"], "missing");
    assert_eq!(commit["files"][0]["signed"], true);
    assert_eq!(commit["others"].as_array().unwrap().len(), 2);
}

#[test]
fn a_commit_that_only_removes_lines_is_counted_by_them() {
    let Some(world) = repository() else { return };
    world.write("a.txt", ".\n.\nb\n");
    git(&world, &["commit", "--quiet", "--all", "--message=gone"]);
    world
        .run(&["verify", "HEAD^!"])
        .ends(3)
        .says("0 new lines signed, 1 removed line unsigned in 1 file");
}

#[test]
fn what_leaves_no_line_is_unseen_too() {
    let Some(world) = repository() else { return };
    world.configure("[commit]\nnotes = true\n");
    world.write("c.txt", "1\n2\n");
    git(&world, &["add", "."]);
    git(&world, &["commit", "--quiet", "--message=c"]);
    for (change, said) in [
        (
            section("a.txt", "a\n.\n", ".\n"),
            "a.txt  +0 -1 (what it removes unseen)",
        ),
        (
            json!({"file": "c.txt", "strategy": "delete"}),
            "c.txt  +0 -2 (its removal unseen)",
        ),
        (
            json!({"file": "other.txt", "strategy": "move", "move": {"to": "moved.txt"}}),
            "moved.txt  +1 -0 (its name or its mode unseen)",
        ),
    ] {
        sign_off(&world, change);
        // By history alone, and by its receipt.
        world.run(&["commit", "-m", "sign"]).done();
        world.run(&["verify", "HEAD^!"]).done().says(said);
        world
            .run(&["verify", "--seen", "HEAD^!"])
            .ends(3)
            .says(&format!("UNSEEN    {said}"))
            .says("--seen refuses");
        let value = world.run(&["verify", "--json", "HEAD^!"]).done().json();
        let file = &value["commits"][0]["files"][0];
        assert_eq!(file["unseen_changes"], 1, "{value}");
        assert_eq!(file["changes"][0]["sight"]["as"], "unseen", "{value}");
    }
    git(&world, &["update-ref", "-d", "refs/notes/signoff"]);
    let here = world.run(&["verify", "--seen", "HEAD~3..HEAD"]).ends(3);
    here.says("3 commits: ")
        .says(", other changes unseen in 4 files, so --seen refuses 4 files");
    // A receipt of an earlier version does not know what was displayed of removals.
    world.run(&["verify", "--write", "HEAD~3..HEAD~2"]).done();
    let blob = git(&world, &["notes", "--ref=signoff", "list", "HEAD~2"]);
    let text = git(&world, &["cat-file", "blob", blob.trim()]);
    let (head, body) = text.split_once("{\n").unwrap();
    let mut old: serde_json::Value = serde_json::from_str(&format!("{{{body}")).unwrap();
    old["revision"] = json!(2);
    let file = old["files"][0].as_object_mut().unwrap();
    assert!(file.remove("changes").is_some());
    world.write("../note", format!("{head}{old:#}\n"));
    let blob = git(&world, &["hash-object", "-w", "../note"]);
    let notes = ["notes", "--ref=signoff", "add", "-f", "-C", blob.trim()];
    git(&world, &[&notes[..], &["HEAD~2"]].concat());
    world.run(&["verify", "HEAD~3..HEAD~2"]).done();
    world
        .run(&["verify", "--seen", "HEAD~3..HEAD~2"])
        .ends(3)
        .says("UNSEEN    a.txt  +0 -1 (what it removes: not known whether seen)");
}

#[test]
fn bytes_that_are_no_text_have_no_lines_to_count() {
    let Some(world) = repository() else { return };
    world.configure("[commit]\nnotes = true\n");
    let tried = world.run(&[
        "run",
        "--",
        "sh",
        "-c",
        "printf '\\0\\n\\1\\n\\377\\n' > z.bin",
    ]);
    if tried.code == Some(125) {
        return untried("a file of a program that is no text", tried.stderr.trim());
    }
    let list = world.run(&["review", "--json"]).done().json();
    world
        .run(&["approve", list[0]["id"].as_str().unwrap()])
        .done();
    sign_off(&world, section("a.txt", "b", "B"));
    world.run(&["commit", "-m", "sign"]).done();
    world
        .run(&["verify", "HEAD^!"])
        .done()
        .says("z.bin  bytes (its bytes unseen)")
        .says("1 new line, all signed, 1 of them unseen, other changes unseen in 1 file");
    world
        .run(&["verify", "--seen", "HEAD^!"])
        .ends(3)
        .says("1 commit: 1 new line signed, 1 of them unseen, other changes unseen in 1 file, so --seen refuses 2 files");
}
