//! Tests that run by themselves beside the review, without any configuration, and what the sign-off page says of them.
//!
//! Where the system makes no shadow, or has no such runner, there is nothing to try.

use std::path::Path;

use serde_json::{Value, json};

use crate::screen::Screen;
use crate::server::Server;
use crate::untried::untried;
use crate::world::{World, finish, section};

const FOLDERS: &str = "/usr/bin:/bin";

/// A project that one program tests.
struct Project {
    program: &'static str,
    files: [(&'static str, &'static str); 2],
    /// How the page calls the tests of what is staged, and all of them.
    named: [&'static str; 2],
}

const PROJECTS: [Project; 2] = [
    Project {
        program: "node",
        files: [
            ("sum.mjs", "export const sum = (a, b) => a + b;\n"),
            (
                "sum.test.mjs",
                "import test from 'node:test';\nimport assert from 'node:assert';\nimport { sum } from './sum.mjs';\n\
                 test('sums', () => assert.equal(sum(1, 2), 3));\ntest('broken', () => assert.equal(1, 2));\n",
            ),
        ],
        named: ["node --test (sum.test.mjs)", "node --test (all tests)"],
    },
    Project {
        program: "python3",
        files: [
            ("sum.py", "def sum(a, b):\n    return a + b\n"),
            (
                "test_sum.py",
                "import unittest\nfrom sum import sum\n\n\nclass Sums(unittest.TestCase):\n    def test_sum(self):\n        \
                 self.assertEqual(sum(1, 2), 3)\n\n    def test_broken(self):\n        self.assertEqual(1, 2)\n",
            ),
        ],
        named: ["unittest (test_sum.py)", "unittest (all tests)"],
    },
];

/// Returns the workspace of a project, or none where its program is not installed or no shadow can be made.
fn world(project: &Project) -> Option<World> {
    let installed = FOLDERS
        .split(':')
        .any(|folder| Path::new(folder).join(project.program).exists());
    if !installed {
        untried("tests", &format!("{} is not installed", project.program));
        return None;
    }
    let world = World::new(&project.files);
    let tried = world.run(&["run", "--", "true"]);
    if tried.code == Some(125) {
        untried("tests", tried.stderr.trim());
        return None;
    }
    Some(world)
}

#[test]
fn tests_run_by_themselves_and_the_page_says_which_newly_fail() {
    for project in &PROJECTS {
        let Some(world) = world(project) else {
            continue;
        };
        let server = Server::start();
        let url = server.url();
        let arguments = ["--url", &url, "--model", "m", "subtract"];
        let mut screen = Screen::open_in(&world, &arguments, &[("PATH", FOLDERS)]);
        let edit = json!({
            "path": project.files[0].0, "description": "Subtract",
            "edits": [{"old_text": "a + b", "new_text": "a - b"}],
        });
        server.next().call("a", "edit_section", &edit);
        server.next().say("Staged.");
        screen.shows("checks: 1 new error");
        screen.shows("a approve");
        screen.press("a");
        screen.shows("To be written: 1 hunk");
        screen.shows(project.named[0]);
        screen.says("0 passed, 1 newly failed, 1 failed before too");
        screen.shows("t runs all tests");
        screen.press("t");
        screen.shows(project.named[1]);
        assert_eq!(world.text(project.files[0].0), project.files[0].1);
    }
}

#[test]
fn a_turn_that_was_cut_goes_on_after_enter_and_the_page_says_so() {
    let world = World::new(&[("a.txt", "one\n"), ("b.txt", "one\n")]);
    let server = Server::start();
    let url = server.url();
    let mut screen = Screen::open(&world, &["--url", &url, "--model", "m", "change both"]);
    let edit = |path: &str| json!({"path": path, "description": "Change it", "edits": [{"old_text": "one", "new_text": "two"}]});
    server.next().call("a", "edit_section", &edit("a.txt"));
    server.next().say("Changed a.txt.\nLeft: b.txt");
    screen.shows("a approve");
    screen.press("a");
    screen.shows("Enter writes, and the model goes on");
    screen.shows("S writes, and the model stops");
    screen.signs();
    server.next().call("b", "edit_section", &edit("b.txt"));
    server.next().say("Changed b.txt.");
    screen.shows("a approve");
    screen.press("a");
    screen.shows("c writes, and the model goes on");
    screen.signs();
    screen.shows("written b.txt");
    assert_eq!(world.text("a.txt") + &world.text("b.txt"), "two\ntwo\n");
    assert!(!server.was_asked());
}

#[test]
fn tests_that_cannot_run_are_named_with_the_reason() {
    let world = World::new(&[
        ("lib/sum.rb", "def sum(a, b) = a + b\n"),
        ("spec/sum_spec.rb", "describe('sum') {}\n"),
        ("src/sum.go", "package sum\n\nvar One = 1\n"),
        ("src/sum_test.go", "package sum\n"),
        ("src/go.mod", "module sum\n"),
    ]);
    for (file, old, new, why) in [
        (
            "lib/sum.rb",
            "a + b",
            "b + a",
            "nothing is known that runs spec/sum_spec.rb",
        ),
        (
            "src/sum.go",
            "One = 1",
            "One = 2",
            "go test: not run: go is not installed",
        ),
    ] {
        world.stage(json!([crate::world::section(file, old, new)]));
        let ran = world.run(&["test"]).ends(3);
        assert!(ran.stderr.contains(why), "{}", ran.stderr);
        let ran = world.run(&["test", "--json"]).ends(3);
        assert!(
            ran.stdout.contains("\"error\":\"not run: "),
            "{}",
            ran.stdout
        );
        world.run(&["deny", "--all"]).done();
    }
}

#[test]
fn hunks_that_no_test_needs_are_told_from_those_that_none_reaches() {
    let project = Project {
        program: "python3",
        files: [
            (
                "price.py",
                "import sys\n\n\ndef price(amount, rate):\n    total = amount + rate\n    # The sum.\n\n\n    return total\n\n\n\
                 def label(name):\n    return name\n",
            ),
            (
                "test_price.py",
                "import unittest\nfrom price import price\n\n\nclass Prices(unittest.TestCase):\n    def test_price(self):\n        \
                 self.assertEqual(price(2, 5), 10)\n",
            ),
        ],
        named: ["", ""],
    };
    let Some(world) = world(&project) else { return };
    for (old, new) in [
        ("import sys", "import os\nimport sys"),
        ("amount + rate", "amount * rate"),
        ("    # The sum.", "    # The product."),
        ("    return total", "    return total + 0"),
        ("    return name", "    return name.upper()"),
    ] {
        world.stage(json!([section("price.py", old, new)]));
    }
    let before = world.files();
    let needed = || {
        let mut command = world.command(&["test", "--needed", "--json"]);
        command.env("PATH", FOLDERS);
        finish(command, b"").done().stdout
    };
    let told = needed();
    let told = told.lines().map(|line| serde_json::from_str(line).unwrap());
    let told: Vec<Value> = told.collect();
    let each: Vec<String> = told
        .iter()
        .filter_map(|own| Some(format!("{} {}", own["line"], own["need"].as_str()?)))
        .collect();
    assert_eq!(
        each,
        [
            "1 unneeded",
            "6 needed",
            "7 uncovered",
            "10 unneeded",
            "14 uncovered",
        ]
    );
    let detail = told[1]["detail"].as_str().unwrap();
    assert!(detail.contains("test_price"), "{detail}");
    assert_eq!(told[2]["detail"], "none of its lines is code");
    let last = told.last().unwrap();
    assert!(last["runs"].as_u64().unwrap() < 12, "{last}");
    assert_eq!(world.files(), before);
    world.run(&["deny", "--all"]).done();
    assert_eq!(needed(), "[]\n");
}

/// The test below `tests` looks at `price.py`, which nothing of it says.
#[test]
fn a_hunk_that_only_an_unrelated_test_needs_is_needed() {
    let project = Project {
        program: "python3",
        files: [
            (
                "price.py",
                "def price(amount, rate):\n    return amount * rate\n\n\n\n\ndef twice(amount):\n    return price(amount, 2)\n",
            ),
            (
                "test_price.py",
                "import unittest\nfrom price import twice\n\n\nclass Prices(unittest.TestCase):\n    def test_price(self):\n        \
                 self.assertEqual(twice(2), 4)\n",
            ),
        ],
        named: ["", ""],
    };
    let Some(world) = world(&project) else { return };
    world.write("tests/__init__.py", "");
    let far = "import unittest, glob, pathlib\n\n\nclass Far(unittest.TestCase):\n    def test_far(self):\n        \
               self.assertTrue(any('rate + 0' in pathlib.Path(name).read_text() for name in glob.glob('p*.py')))\n";
    world.write("tests/test_far.py", far);
    let needs = || {
        let mut command = world.command(&["test", "--needed", "--json"]);
        command.env("PATH", FOLDERS);
        let told = finish(command, b"").done().stdout;
        let told = told.lines().map(|line| serde_json::from_str(line).unwrap());
        let told: Vec<Value> = told.collect();
        let each = told.iter().filter_map(|own| {
            let (need, detail) = (own["need"].as_str()?, own["detail"].as_str().unwrap_or(""));
            Some(format!("{} {need} {detail}", own["line"]))
        });
        each.collect::<Vec<String>>()
    };
    for (old, new) in [
        ("amount * rate", "amount * rate + 0"),
        ("price(amount, 2)", "price(2, amount)"),
    ] {
        world.stage(json!([section("price.py", old, new)]));
    }
    let told = needs();
    assert!(told[0].starts_with("2 needed "), "{told:?}");
    assert!(told[0].contains("test_far"), "{told:?}");
    assert_eq!(told[1], "8 unneeded ");
    // Tests that do not come to their end say nothing.
    world.write(
        "tests/test_far.py",
        "import gone, unittest\n\n\nclass Far(unittest.TestCase):\n    pass\n",
    );
    world.write("tests/test_far.js", "import 'gone'\n");
    world.write("package.json", "{\"devDependencies\": {\"jest\": \"1\"}}\n");
    let told = needs();
    for (line, told) in [2, 8].iter().zip(told) {
        let expected = format!("{line} uncovered not all tests can be run: jest: ");
        assert!(told.starts_with(&expected), "{told}");
    }
}

#[test]
fn a_hunk_that_no_test_needs_is_marked_in_the_review() {
    let Some(world) = world(&PROJECTS[1]) else {
        return;
    };
    world.configure("[turn]\ntests = \"needed\"\n");
    let server = Server::start();
    let url = server.url();
    let arguments = ["--url", &url, "--model", "m", "tidy"];
    let mut screen = Screen::open_in(&world, &arguments, &[("PATH", FOLDERS)]);
    let edit = json!({
        "path": "sum.py", "description": "Tidy",
        "edits": [{"old_text": "    return a + b", "new_text": "    return b + a"}],
    });
    server.next().call("a", "edit_section", &edit);
    server.next().say("Staged.");
    screen.shows("checks: 1 new warning");
    screen.shows("no test or check fails without this hunk");
    screen.shows("a approve");
    screen.press("a");
    screen.shows("To be written: 1 hunk");
    screen.shows("necessity: 1 not needed, 6 runs");
    // One key denies what nothing needs, and the model is told why.
    screen.press("\x1b");
    screen.shows("1 marked");
    screen.press("u");
    screen.shows("P needless");
    screen.press("P");
    let asked = server.next();
    let told = asked.body.to_string();
    assert!(
        told.contains("not needed: no test or check fails"),
        "{told}"
    );
    asked.say("So be it.");
    screen.shows("So be it.");
}

const SHOP: Project = Project {
    program: "python3",
    files: [
        (
            "shop.py",
            "RATE = 2\n\n\ndef price(amount):\n    return amount * RATE\n\n\n# Totals.\n\n\ndef total(amounts):\n    \
             return sum(price(amount) for amount in amounts)\n\n\n# Labels.\n\n\ndef label(name):\n    return name.strip()\n",
        ),
        (
            "test_shop.py",
            "import unittest\nfrom shop import label, price, total\n\n\nclass Shop(unittest.TestCase):\n    def test_price(self):\n        \
             self.assertEqual(price(3), 6)\n\n    def test_total(self):\n        self.assertEqual(total([1, 2]), 6)\n\n    \
             def test_label(self):\n        self.assertEqual(label(' a '), 'a')\n",
        ),
    ],
    named: ["", ""],
};

/// A change in four places, of which one makes two tests fail.
const EDITS: [(&str, &str); 4] = [
    ("def price(amount):", "def price(amount: int) -> int:"),
    ("amount * RATE", "amount + RATE"),
    ("# Totals.", "# Sums."),
    ("name.strip()", "name.strip().casefold()"),
];

#[test]
fn the_hunk_that_makes_tests_fail_is_told_from_the_others() {
    let Some(world) = world(&SHOP) else { return };
    let needed = |json: &[&str]| {
        let mut command = world.command(&[&["test", "--needed"], json].concat());
        command.env("PATH", FOLDERS);
        finish(command, b"").done()
    };
    for (old, new) in EDITS {
        world.stage(json!([section("shop.py", old, new)]));
    }
    let before = world.files();
    let told = needed(&["--json"]).stdout;
    let told: Vec<Value> = told
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    let breaks: Vec<(u64, &str)> = told
        .iter()
        .filter_map(|own| Some((own["line"].as_u64()?, own["breaks"].as_str()?)))
        .collect();
    let [(5, why)] = breaks.as_slice() else {
        panic!("{told:?}")
    };
    assert!(
        why.contains("test_price")
            && why.contains("and 1 other fail with this hunk, and pass without it"),
        "{why}"
    );
    assert!(needed(&[]).stdout.contains("shop.py:5: the test "));
    let mut command = world.command(&["test"]);
    command.env("PATH", FOLDERS);
    let failed = finish(command, b"").ends(3).stderr;
    assert!(
        failed.contains("looks for the hunks that make it fail"),
        "{failed}"
    );
    assert_eq!(world.files(), before);
}

#[test]
fn the_hunk_that_keeps_tests_from_being_read_is_told_too() {
    let Some(world) = world(&SHOP) else { return };
    for (old, new) in [EDITS[0], EDITS[2], ("RATE = 2", "RATE = rate")] {
        world.stage(json!([section("shop.py", old, new)]));
    }
    let mut command = world.command(&["test", "--needed"]);
    command.env("PATH", FOLDERS);
    let told = finish(command, b"").done().stdout;
    let breaking: Vec<&str> = told
        .lines()
        .filter(|line| line.contains("with this hunk"))
        .collect();
    let [line] = breaking.as_slice() else {
        panic!("{told}")
    };
    assert!(line.contains(" shop.py:1: the test "), "{line}");
}

#[test]
fn hunks_that_break_a_test_only_together_are_both_told() {
    let Some(world) = world(&SHOP) else { return };
    // Each alone doubles nothing that a test would see.
    world.write("shop.py", "A = 1\n\n\nB = 1\n\n\ndef price(amount):\n    return amount * (2 if A + B < 4 else 3)\n\n\n\
         def total(amounts):\n    return sum(map(price, amounts))\n\n\ndef label(name):\n    return name.strip()\n");
    for (old, new) in [
        ("A = 1", "A = 2"),
        ("B = 1", "B = 2"),
        ("name.strip()", "name.strip(' ')"),
    ] {
        world.stage(json!([section("shop.py", old, new)]));
    }
    let mut command = world.command(&["test", "--needed"]);
    command.env("PATH", FOLDERS);
    let told = finish(command, b"").done().stdout;
    // One of them away is enough: which one is as good as the other, and it is said of one.
    assert_eq!(
        told.matches(" fail with this hunk, and pass without it")
            .count(),
        1,
        "{told}"
    );
}

#[test]
fn a_test_that_comes_with_the_change_and_fails_is_not_laid_on_a_hunk() {
    let Some(world) = world(&SHOP) else { return };
    world.stage(json!([section("shop.py", "# Totals.", "# Sums.")]));
    world.stage(json!([section(
        "test_shop.py",
        "    def test_label",
        "    def test_new(self):\n        self.assertEqual(price(1), 5)\n\n    def test_label"
    )]));
    let mut command = world.command(&["test", "--needed"]);
    command.env("PATH", FOLDERS);
    let told = finish(command, b"").done();
    assert!(!told.stdout.contains("with this hunk"), "{}", told.stdout);
    assert!(
        told.stderr
            .contains("it does not pass either with only the tests' hunks staged"),
        "{}",
        told.stderr
    );
}

#[test]
fn the_review_says_below_a_hunk_which_test_it_breaks() {
    let Some(world) = world(&SHOP) else { return };
    let server = Server::start();
    let url = server.url();
    let arguments = ["--url", &url, "--model", "m", "tidy"];
    let mut screen = Screen::open_in(&world, &arguments, &[("PATH", FOLDERS)]);
    screen.resize(100, 60);
    let edits = EDITS.map(|(old, new)| json!({"old_text": old, "new_text": new}));
    let edit = json!({"path": "shop.py", "description": "Tidy", "edits": edits});
    server.next().call("a", "edit_section", &edit);
    server.next().say("Staged.");
    // What fails is there at once, and then why.
    screen.shows("checks: 2 new errors");
    screen.shows("breaking hunks)");
    screen.says("and pass without it (breaking hunks)");
    screen.shows("a approve");
    // From the last hunk a verdict leads to the one that is wrong.
    screen.press("G");
    screen.shows("▌ [ ] hunk 3 of 3");
    screen.press("a");
    screen.shows("▌ [ ] hunk 1 of 3");
    screen.press("A");
    screen.shows("To be written: 3 hunks");
    screen.says("! shop.py:4:1: warning: the test");
    assert_eq!(world.text("shop.py"), SHOP.files[0].1);
}

#[test]
fn what_breaks_a_test_that_only_all_tests_run_is_told_too() {
    let Some(world) = world(&SHOP) else { return };
    world.write("tests/__init__.py", "");
    let far = "import unittest, glob, pathlib\n\n\nclass Far(unittest.TestCase):\n    def test_far(self):\n        \
               self.assertTrue(any('# Totals' in pathlib.Path(name).read_text() for name in glob.glob('s*.py')))\n";
    world.write("tests/test_far.py", far);
    let server = Server::start();
    let url = server.url();
    let arguments = ["--url", &url, "--model", "m", "tidy"];
    let mut screen = Screen::open_in(&world, &arguments, &[("PATH", FOLDERS)]);
    screen.resize(100, 60);
    let edits = [EDITS[0], EDITS[2], EDITS[3]];
    let edits = edits.map(|(old, new)| json!({"old_text": old, "new_text": new}));
    let edit = json!({"path": "shop.py", "description": "Tidy", "edits": edits});
    server.next().call("a", "edit_section", &edit);
    server.next().say("Staged.");
    screen.shows("3 tests passed");
    screen.shows("a approve");
    screen.press("A");
    screen.shows("t runs all tests");
    screen.press("t");
    screen.shows("checks: 1 new error");
    screen.shows("(breaking hunks)");
    screen.says("! shop.py:8:1: warning: the test");
}
