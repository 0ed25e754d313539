//! What a model is given before a request: files that it names, of large ones the part that is meant.

use crate::server::{Asked, Server};
use crate::world::{Ended, World};

/// A file of functions, of which one greets.
fn long(functions: usize) -> String {
    let each = (0..functions).map(|at| match at {
        7 => "def greet_all(names):\n    for name in names:\n        print(\"helo\", name)\n\n\n"
            .to_owned(),
        _ => format!("def step_{at}(value):\n    value = value + {at}\n    return value\n\n\n"),
    });
    each.collect()
}

/// Asks a model of this name, and lets it be answered by the test.
fn ask(world: &World, model: &str, request: &str, answer: impl FnOnce(Asked)) -> Ended {
    let server = Server::start();
    let url = server.url();
    let running = world.start(&["exec", "--url", &url, "--model", model, request]);
    answer(server.next());
    running.end().done()
}

#[test]
fn a_small_model_is_shown_the_part_of_a_long_file_and_its_answer_is_that_part() {
    for functions in [40, 400] {
        let text = long(functions);
        let world = World::new(&[("tools/greet.py", &text)]);
        let ended = ask(
            &world,
            "qwen2.5-coder:1.5b",
            "fix the typo helo in greet.py",
            |asked| {
                let body = &asked.body;
                assert!(body["tools"].is_null(), "{body}");
                let said = asked.said_by("user");
                let shown = "tools/greet.py\n```python\ndef greet_all(names):\n    for name in names:\n        \
                             print(\"helo\", name)\n```\n\nfix the typo helo in greet.py";
                assert_eq!(*said.last().unwrap(), shown);
                asked.say(
                    "tools/greet.py\n```python\ndef greet_all(names):\n    for name in names:\n        \
                     print(\"hello\", name)\n```\n",
                );
            },
        );
        ended.says("tools/greet.py +1 -1");
        world.run(&["approve", "--all"]).done();
        assert_eq!(world.text("tools/greet.py"), text.replace("helo", "hello"));
    }
}

#[test]
fn a_small_model_is_asked_once_for_what_its_edit_leaves_undefined() {
    let text = "def greet(name):\n    print(\"hello \" + name)\n";
    let world = World::new(&[("greet.py", text)]);
    let server = Server::start();
    let url = server.url();
    let model = "qwen2.5-coder:1.5b";
    let request = "let greet in greet.py take the greeting";
    let running = world.start(&["exec", "--url", &url, "--model", model, request]);
    let fence = |code: &str| format!("greet.py\n```python\n{code}```\n");
    let first = server.next();
    first.say(&fence("    print(\"hello \" + greeting + name)\n"));
    let second = server.next();
    let said = second.said_by("user");
    let missing =
        "Something is missing: line 2: `greeting` is not defined: nothing in the file binds it.";
    assert!(said.last().unwrap().ends_with(missing), "{said:?}");
    second.say(&fence("def greet(name, greeting):\n"));
    running
        .end()
        .done()
        .says("the edit of greet.py leaves names undefined");
    world.run(&["approve", "--all"]).done();
    let expected = "def greet(name, greeting):\n    print(\"hello \" + greeting + name)\n";
    assert_eq!(world.text("greet.py"), expected);
}

#[test]
fn of_a_large_file_the_outline_and_the_part_that_is_meant_are_given() {
    let text = long(400);
    let world = World::new(&[("tools/greet.py", &text)]);
    ask(&world, "large", "fix the typo helo in greet.py", |asked| {
        let told = asked.said_by("system").concat() + &asked.said_by("user").concat();
        for expected in [
            "tools/greet.py has 2000 lines and defines:\n1-3 function step_0\n",
            "\n(340 more)\n",
            "tools/greet.py lines 36-38 as it is now (named by the user; the part that seems meant):\n```\n\
             def greet_all(names):\n",
        ] {
            assert!(told.contains(expected), "{expected}: {told}");
        }
        asked.say("No.");
    });
}

#[test]
fn what_looks_like_a_secret_is_given_only_where_the_user_names_it() {
    let told = |world: &World, request: &str| {
        let mut told = String::new();
        ask(world, "large", request, |asked| {
            told = asked.said_by("system").concat() + &asked.said_by("user").concat();
            asked.say("No.");
        });
        told
    };
    let key = format!("-----BEGIN {} KEY-----\nHIDDEN\n", "PRIVATE");
    let token = format!(
        "def reticulate_splines():\n    return 'ghp_{}HIDDEN'\n",
        "a1".repeat(18)
    );
    for (path, text, request) in [
        (
            ".env",
            "RETICULATE_SPLINES=HIDDEN\n",
            "why does RETICULATE_SPLINES fail",
        ),
        (
            "secrets.yaml",
            "reticulate_splines: HIDDEN\n",
            "why does reticulate_splines fail",
        ),
        (
            "credentials.py",
            "def reticulate_splines():\n    return 'HIDDEN'\n",
            "fix the credentials here",
        ),
        (
            "credentials.py",
            "def reticulate_splines():\n    return 'HIDDEN'\n",
            "fix @reticulate_splines here",
        ),
        ("notes/reticulate.txt", &key, "what does reticulate do here"),
        (
            "notes/splines.py",
            &token,
            "why does reticulate_splines fail",
        ),
        (
            "notes/splines.py",
            &token,
            "why does @reticulate_splines fail",
        ),
    ] {
        let world = World::new(&[("a.txt", "a\n"), (path, text)]);
        world.run(&["context", request]).done();
        let without = told(&world, request);
        assert!(!without.contains("HIDDEN"), "{path}, {request}: {without}");
        let with = told(&world, &format!("what is wrong in {path}"));
        let said = format!("named by you: {path} looks like a secret");
        assert!(
            with.contains("HIDDEN") && with.contains(&said),
            "{path}: {with}"
        );
    }
    let world = World::new(&[(".env.example", "RETICULATE_SPLINES=shown\n")]);
    let with = told(&world, "what is wrong in .env.example");
    assert!(with.contains("named by the user"), "{with}");
}
