//! Schedules of what a program, the user and sign-offs do in one repository, drawn by chance: nothing that the user typed,
//! staged or committed is lost, and what cannot be made is refused by name.
//!
//! Runs the first four. `GIT_SCHEDULES=200` in the environment runs 1 to 200, `GIT_SCHEDULES=20-30` these.

use std::collections::BTreeSet;

use serde_json::Value;

use crate::commits::{FIRST, IDENTITY, is_commit, plainly, prepared};
use crate::run::sh;
use crate::world::World;

const SCHEDULES: u64 = 4;
/// Steps of a schedule.
const STEPS: u64 = 9;

/// What programs do; `N` is a text that is nowhere else.
const PROGRAMS: [&str; 8] = [
    "echo N >> a.txt; git commit -qam N",
    "echo N >> b.txt; git add b.txt",
    "echo N > new-N; git add .; git commit -qm N",
    "git commit -q --amend --allow-empty -m N",
    "echo N >> sub/c.txt; git stash -q",
    "git branch N",
    "git checkout -q -b N; echo N >> b.txt; git commit -qam N",
    "git tag -m N N",
];
/// What the user does.
const USERS: [&str; 8] = [
    "echo N >> a.txt",
    "echo N >> b.txt; git add b.txt",
    "echo N > own-N; git add own-N",
    "echo N >> sub/c.txt; git commit -qam N",
    "git commit -qm N || true",
    "git commit -q --amend --allow-empty -m N",
    "git checkout -q -b N",
    "echo N >> sub/c.txt; git stash -q || true",
];

/// A sequence of numbers, the same for a seed (xorshift).
struct Chance(u64);

impl Chance {
    fn below(&mut self, most: u64) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        usize::try_from(self.0 % most).unwrap()
    }
}

/// Returns all texts of the work tree, the index, and all commits that something leads to.
///
/// A file of the index may be missing: whoever denies a new file and then names the commit of it wants that.
fn texts(world: &World) -> String {
    let script = "cat $(git ls-files -c -o) /dev/null 2>/dev/null || true; git diff --cached; git log --all -p -m; \
                  for c in $(git reflog --format=%H refs/stash 2>/dev/null); do git show -m $c; done; true";
    plainly(world, script)
}

#[test]
fn whatever_the_order_nothing_of_the_user_is_lost() {
    let wanted = std::env::var("GIT_SCHEDULES").unwrap_or(SCHEDULES.to_string());
    let (first, last) = wanted.split_once('-').unwrap_or(("1", &wanted));
    for seed in first.parse().unwrap()..=last.parse().unwrap() {
        if !keeps_all(seed) {
            return;
        }
    }
}

/// Carries a schedule out. Returns whether programs run here.
fn keeps_all(seed: u64) -> bool {
    let Some(world) = prepared(FIRST) else {
        return false;
    };
    let mut chance = Chance(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15));
    let (mut typed, mut done) = (BTreeSet::new(), Vec::new());
    for step in 0..STEPS {
        let name = format!("n{seed}x{step}");
        let text =
            |scripts: [&str; 8], chance: &mut Chance| scripts[chance.below(8)].replace('N', &name);
        match chance.below(3) {
            0 => {
                let script = text(PROGRAMS, &mut chance);
                let ran = sh(&world, &format!("{IDENTITY}{script}"));
                done.push(format!("program {script}: {:?}", ran.code));
            }
            1 => {
                let script = text(USERS, &mut chance);
                plainly(&world, &script);
                if script.contains("echo") {
                    typed.insert(name);
                }
                done.push(format!("user {script}"));
            }
            _ => done.push(signed_off(&world, &mut chance)),
        }
        let (found, told) = (texts(&world), format!("{seed}: {done:#?}"));
        for own in &typed {
            assert!(found.contains(own.as_str()), "{own} is lost: {told}");
        }
        let checked = plainly(
            &world,
            "git fsck --no-dangling --no-progress 2>&1 || echo broken",
        );
        assert!(!checked.contains("broken"), "{checked}: {told}");
    }
    true
}

/// Approves what waits, or one of it, or denies that. What is staged stays staged, or is committed.
fn signed_off(world: &World, chance: &mut Chance) -> String {
    let staged = "git diff --cached | grep '^+n' || true";
    let before = plainly(world, staged);
    let waiting: Vec<Value> = world.review();
    let ended = match (chance.below(4), waiting.as_slice()) {
        (0, [_, ..]) => {
            let own = waiting[chance.below(waiting.len() as u64)]["id"].clone();
            world.run(&["deny", own.as_str().unwrap()])
        }
        (1 | 2, [_, ..]) => {
            // Who names what is in conflict replaces lines of their own.
            let fitting = waiting.iter().filter(|own| own["status"] != "conflict");
            let mut ids: Vec<&Value> = fitting.collect();
            ids.sort_by_key(|own| is_commit(own));
            let ended = ids
                .iter()
                .map(|own| world.run(&["approve", own["id"].as_str().unwrap()]));
            let last = ended.reduce(|_, later| later);
            last.unwrap_or_else(|| world.run(&["review"]))
        }
        _ => world.run(&["approve", "--all"]),
    };
    let told = format!("{ended:?}");
    assert!(matches!(ended.code, Some(0 | 3)), "{told}");
    let (after, committed) = (plainly(world, staged), plainly(world, "git log --all -p"));
    for line in before.lines() {
        let is_there = after.contains(line) || committed.contains(line);
        assert!(is_there, "{line} is not staged any more: {told}");
    }
    format!("sign-off: {} {}", ended.stdout.trim(), ended.stderr.trim())
}
