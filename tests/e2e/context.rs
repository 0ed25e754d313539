//! `signoff context`, `symbols` and `references`: what the index knows, from any process, with git or without.

use std::process::Command;

use serde_json::json;

use crate::world::World;

const LEXER: &str = "pub fn next_token() -> u32 {\n    1\n}\n";
const PARSER: &str = "use crate::lexer::next_token;\n\nimpl Parser {\n    fn parse_header(&self) {\n        next_token();\n    }\n}\n";

fn world() -> World {
    World::new(&[
        ("src/lexer.rs", LEXER),
        ("src/parser.rs", PARSER),
        ("tests/parser.rs", "fn works() {}\n"),
        (".gitignore", "built/\n"),
        ("built/parser.rs", PARSER),
    ])
}

/// Returns the paths that a request finds.
fn found(world: &World, request: &str) -> Vec<String> {
    let lines = world.run(&["context", request, "--json"]).done().events();
    let files = lines.iter().filter(|line| line.is_object());
    let paths = files.map(|line| line["path"].as_str().unwrap());
    paths.map(str::to_owned).collect()
}

#[test]
fn files_are_printed_best_first_with_reasons() {
    let world = world();
    let lines = world
        .run(&["context", "parse_header fails", "--json"])
        .done()
        .events();
    assert_eq!(lines[0]["path"], "src/parser.rs");
    assert!(
        lines[0]["reason"]
            .as_str()
            .unwrap()
            .contains("defines `parse_header`")
    );
    let scores: Vec<f64> = lines
        .iter()
        .map(|line| line["score"].as_f64().unwrap())
        .collect();
    assert!(scores.is_sorted_by(|a, b| a >= b), "{scores:?}");
    assert!(lines.iter().any(|line| line["path"] == "tests/parser.rs"));
    assert!(!lines.iter().any(|line| line["path"] == "built/parser.rs"));
    let one = world
        .run(&["context", "parse_header", "fails", "--limit", "1"])
        .done();
    assert_eq!(one.stdout.lines().count(), 1);
    one.says("src/parser.rs");
}

#[test]
fn a_greeting_brings_nothing_and_no_file_changes() {
    let world = world();
    let before = world.files();
    for request in ["hello", "thanks, great!", "how are you?"] {
        assert_eq!(world.run(&["context", request, "--json"]).done().stdout, "");
    }
    world
        .run(&["context", "hello"])
        .done()
        .says("names nothing");
    assert_eq!(world.files(), before);
}

#[test]
fn the_index_follows_the_files() {
    let world = world();
    assert_eq!(found(&world, "reticulate_splines"), [""; 0]);
    world.write("src/lexer.rs", "fn reticulate_splines() {}\n");
    assert_eq!(found(&world, "reticulate_splines")[0], "src/lexer.rs");
    std::fs::remove_file(world.at("src/lexer.rs")).unwrap();
    assert_eq!(found(&world, "reticulate_splines"), [""; 0]);
}

#[test]
fn past_commits_bring_the_files_that_they_touched() {
    let world = world();
    let git = |arguments: &[&str]| {
        let mut command = Command::new("git");
        command
            .args(["-c", "user.name=a", "-c", "user.email=a@b"])
            .args(arguments);
        assert!(
            command
                .current_dir(world.root())
                .status()
                .unwrap()
                .success()
        );
    };
    git(&["init", "-q"]);
    // The first commit says nothing: it brings all files of its time.
    git(&["commit", "-qm", "begin", "--allow-empty"]);
    git(&["add", "src/lexer.rs"]);
    git(&["commit", "-qm", "reticulate the splines"]);
    let lines = world
        .run(&["context", "splines in src/lexer.rs", "--json"])
        .done()
        .events();
    assert_eq!(lines[0]["path"], "src/lexer.rs");
    let reason = lines[0]["reason"].as_str().unwrap();
    assert!(
        reason.contains("changed in the commit \"reticulate the splines\""),
        "{reason}"
    );
}

#[test]
fn definitions_and_references_have_line_kind_and_container() {
    let world = world();
    let places = |command: &str, name: &str| world.run(&[command, name, "--json"]).done().events();
    assert_eq!(
        places("symbols", "parse_header"),
        [json!({"path": "src/parser.rs", "line": 4, "kind": "function", "container": "Parser"})]
    );
    assert_eq!(places("symbols", "Parser::parse_header").len(), 1);
    assert_eq!(
        places("references", "next_token"),
        [
            json!({"path": "src/parser.rs", "line": 1, "kind": "import", "container": null}),
            json!({"path": "src/parser.rs", "line": 5, "kind": "call", "container": "Parser.parse_header"}),
        ]
    );
    world.run(&["symbols", "absent"]).ends(1);
    world.run(&["symbols", "Other::parse_header"]).ends(1);
    world
        .run(&["symbols", "parse_header"])
        .done()
        .says("src/parser.rs:4: function in Parser");
}

/// Returns what the model was given with a request.
fn given(world: &World, prompt: &str) -> Vec<String> {
    let replay = world.beside("replay.jsonl");
    std::fs::write(&replay, r#"{"deltas":[{"delta":"text","text":"ok"}]}"#).unwrap();
    let exec = [
        "exec",
        "--json",
        "--replay",
        replay.to_str().unwrap(),
        prompt,
    ];
    let events = world.run(&exec).done().events();
    let attached = events.iter().filter(|event| event["type"] == "attached");
    let files = attached.flat_map(|event| event["files"].as_array().unwrap());
    files
        .map(|file| file[0].as_str().unwrap().to_owned())
        .collect()
}

#[test]
fn a_request_brings_no_file_that_a_rule_denies_to_read() {
    let world = world();
    world.run(&["context", "anything"]).done();
    world.configure("[[permissions]]\ntool = \"read\"\npattern = \"*\"\naction = \"deny\"\n");
    for prompt in ["fix the typo in src/lexer.rs", "rename @parse_header."] {
        assert_eq!(given(&world, prompt), [""; 0]);
    }
}

#[test]
fn a_request_brings_the_files_that_it_names_and_a_greeting_none() {
    let world = world();
    // Whoever asks first may be answered before there is an index.
    world.run(&["context", "anything"]).done();
    assert_eq!(
        given(&world, "fix the typo in src/lexer.rs"),
        ["src/lexer.rs"]
    );
    assert_eq!(given(&world, "fix the typo in `lexer`"), ["src/lexer.rs"]);
    assert_eq!(given(&world, "hello there, how are you?"), [""; 0]);
    for symbol in [
        "@parse_header",
        "@Parser.parse_header",
        "@Parser::parse_header",
    ] {
        assert_eq!(
            given(&world, &format!("rename {symbol}.")),
            ["src/parser.rs"]
        );
    }
    world.configure("[turn]\ncontext = false\n");
    assert_eq!(given(&world, "fix the typo in src/lexer.rs"), [""; 0]);
}

#[test]
fn a_request_that_names_no_file_brings_the_text_of_the_first_ones() {
    let files: Vec<(String, String)> = (0..12)
        .map(|at| {
            let text = format!("pub fn retry_{at}() {{}} // waits before the retry\n");
            (format!("src/part{at:02}.rs"), text)
        })
        .collect();
    let files: Vec<(&str, &str)> = files
        .iter()
        .map(|(path, text)| (path.as_str(), text.as_str()))
        .collect();
    let world = World::new(&files);
    world.run(&["context", "anything"]).done();
    let given = given(&world, "retry_7 waits too long before the retry");
    assert_eq!(given.len(), 12, "{given:?}");
}

#[test]
fn finish_what_i_began_is_about_what_is_modified() {
    let world = world();
    let git = |arguments: &[&str]| {
        let mut command = Command::new("git");
        command
            .args(["-c", "user.name=a", "-c", "user.email=a@b"])
            .args(arguments);
        assert!(
            command
                .current_dir(world.root())
                .status()
                .unwrap()
                .success()
        );
    };
    git(&["init", "-q"]);
    git(&["add", "."]);
    git(&["commit", "-qm", "begin"]);
    world.run(&["context", "anything"]).done();
    assert_eq!(given(&world, "finish what I began"), [""; 0]);
    world.write(
        "src/parser.rs",
        PARSER.replace("next_token();", "next_token() + 1;"),
    );
    assert_eq!(given(&world, "finish what I began")[0], "src/parser.rs");
    assert_eq!(given(&world, "thanks, that is great"), [""; 0]);
}

/// The model asks the index, which knows what is staged.
#[test]
fn the_model_finds_names_also_in_what_it_staged() {
    let world = world();
    world.run(&["context", "next_token"]).done();
    let call = |name: &str, arguments: serde_json::Value| json!({"deltas": [{"delta": "call", "name": name, "arguments": arguments}]});
    let new =
        json!({"path": "src/new.rs", "description": "x", "content": "fn f() { next_token(); }\n"});
    let answers = [
        call("write", new),
        call("find_symbol", json!({"name": "next_token"})),
        call("references", json!({"name": "next_token"})),
        call("find_symbol", json!({"name": "Parser.parse_header"})),
        call("repo_map", json!({})),
        call("similar", json!({"path": "src/parser.rs", "line": 4})),
        call("find_symbol", json!({"name": "nowhere"})),
        json!({"deltas": [{"delta": "text", "text": "Done."}]}),
    ];
    let replay = world.beside("replay.jsonl");
    let lines = answers.map(|answer| answer.to_string());
    std::fs::write(&replay, lines.join("\n")).unwrap();
    let exec = [
        "exec",
        "--json",
        "--stop",
        "turn-end",
        "--replay",
        replay.to_str().unwrap(),
        "go",
    ];
    let events = world.run(&exec).done().events();
    let done = events.iter().filter(|event| event["type"] == "call_done");
    let told: Vec<&str> = done
        .map(|event| event["summary"].as_str().unwrap())
        .collect();
    assert_eq!(
        told[1..],
        [
            "next_token: 1 definition",
            "next_token: 3 references",
            "Parser.parse_header: 1 definition",
            "map of 4 files",
            "src/parser.rs: 2 similar files",
            "no definition of nowhere is known; grep finds it as text",
        ]
    );
}

/// A guessed folder is answered with the file that is meant.
#[test]
fn a_path_that_is_not_there_is_answered_with_files_of_its_name() {
    let world = world();
    world.run(&["context", "next_token"]).done();
    let call = |name: &str, arguments: serde_json::Value| json!({"deltas": [{"delta": "call", "name": name, "arguments": arguments}]});
    let edit =
        json!({"path": "lib/Lexer.rs", "description": "x", "old_text": "1", "new_text": "2"});
    let answers = [
        call("edit_section", edit),
        call("read", json!({"path": "lib/parser.rs"})),
        call("read", json!({"path": "lib/nothing.rs"})),
        json!({"deltas": [{"delta": "text", "text": "Done."}]}),
    ];
    let replay = world.beside("replay.jsonl");
    let lines = answers.map(|answer| answer.to_string());
    std::fs::write(&replay, lines.join("\n")).unwrap();
    world.run(&["exec", "--replay", replay.to_str().unwrap(), "go"]);
    let saved = world
        .state_files()
        .into_iter()
        .filter(|path| path.extension().is_some_and(|own| own == "jsonl"));
    let told: String = saved
        .map(|path| std::fs::read_to_string(path).unwrap())
        .collect();
    for words in [
        "the only file of that name is src/lexer.rs: call again with it",
        "files of that name: src/parser.rs, tests/parser.rs",
        "lib/nothing.rs does not exist; . holds",
    ] {
        assert!(told.contains(words), "{words}: {told}");
    }
}
