//! Calls and edits that a model writes into its text, where the server does not parse them.

use serde_json::json;

use crate::server::Server;
use crate::world::World;

const FILE: &str = "x = 1\ny = 2\n";

/// Runs a turn that is to write all; the model gives these answers, and after the last of them the turn ends.
fn turn(answers: &[&str]) -> (World, crate::world::Ended, Vec<String>) {
    let world = World::new(&[("src/a.py", FILE)]);
    let server = Server::start();
    let url = server.url();
    let running = world.start(&[
        "exec",
        "--approve",
        "all",
        "--url",
        &url,
        "--model",
        "m",
        "set x to 2",
    ]);
    let mut asked = Vec::new();
    for answer in answers {
        let request = server.next();
        asked.push(request.body["messages"].to_string());
        request.say(answer);
    }
    (world, running.end(), asked)
}

#[test]
fn a_call_in_the_envelope_of_a_family_runs_as_any_other() {
    let edits = json!([{ "old_text": "x = 1", "new_text": "x = 2" }]);
    let coder = format!(
        "I set it.\n<tool_call>\n<function=edit_section>\n<parameter=path>\nsrc/a.py\n</parameter>\n<parameter=description>\nset x\n</parameter>\n<parameter=edits>\n{edits}\n</parameter>\n</function>\n</tool_call>"
    );
    let kimi = format!(
        "<|tool_calls_section_begin|><|tool_call_begin|>functions.edit_section:0<|tool_call_argument_begin|>{}<|tool_call_end|><|tool_calls_section_end|>",
        json!({ "path": "src/a.py", "description": "set x", "edits": edits })
    );
    for answer in [coder, kimi] {
        let (world, ended, asked) = turn(&[&answer, "Done."]);
        ended.done();
        assert_eq!(world.text("src/a.py"), "x = 2\ny = 2\n");
        // The marks are not in the conversation; the call is.
        assert!(
            !asked[1].contains("<tool_call>") && !asked[1].contains("section_begin"),
            "{}",
            asked[1]
        );
    }
}

#[test]
fn an_edit_that_the_text_spells_out_is_staged_and_written() {
    for answer in [
        "src/a.py\n```python\n<<<<<<< SEARCH\nx = 1\n=======\nx = 2\n>>>>>>> REPLACE\n```\n",
        "```diff\n--- a/src/a.py\n+++ b/src/a.py\n@@ -1,2 +1,2 @@\n-x = 1\n+x = 2\n y = 2\n```\n",
        "*** Begin Patch\n*** Update File: src/a.py\n@@\n-x = 1\n+x = 2\n y = 2\n*** End Patch",
    ] {
        let (world, ended, _) = turn(&[answer, "Done."]);
        ended.done();
        assert_eq!(world.text("src/a.py"), "x = 2\ny = 2\n", "{answer}");
    }
}

/// Each of these ended the turn with nothing done, and with 0.
#[test]
fn calls_of_other_programs_tools_are_staged_and_written() {
    let patch =
        "*** Begin Patch\n*** Update File: src/a.py\n@@\n-x = 1\n+x = 2\n y = 2\n*** End Patch";
    let replacement = "<path>src/a.py</path>\n<diff>\n------- SEARCH\nx = 1\n=======\nx = 2\n+++++++ REPLACE\n</diff>";
    let pair = json!({ "command": "str_replace", "path": "src/a.py", "old_str": "x = 1", "new_str": "x = 2" });
    let editor = json!({ "name": "str_replace_editor", "arguments": pair });
    for answer in [
        "--- a/src/a.py\n+++ b/src/a.py\n@@ -1,2 +1,2 @@\n-x = 1\n+x = 2\n y = 2\n".to_owned(),
        format!("<replace_in_file>\n{replacement}\n</replace_in_file>"),
        "<write_to_file>\n<path>src/a.py</path>\n<content>\nx = 2\ny = 2\n</content>\n</write_to_file>".to_owned(),
        format!("<|channel|>commentary to=functions.apply_patch <|constrain|>json<|message|>{}", json!({ "input": patch })),
        format!("<tool_call>{editor}</tool_call>"),
    ] {
        let (world, ended, _) = turn(&[&answer, "Done."]);
        ended.done();
        assert_eq!(world.text("src/a.py"), "x = 2\ny = 2\n", "{answer}");
    }
}

#[test]
fn a_call_of_an_edit_that_no_tool_makes_is_told_and_left_undone() {
    let edit = json!({ "path": "src/a.py", "content": "x = 2\n" });
    let call = json!({ "name": "insert_text", "arguments": edit });
    let fence = format!("```json\n{call}\n```");
    let (world, ended, asked) = turn(&[&fence, &fence]);
    ended
        .ends(3)
        .says("a call of `insert_text`, which is no tool");
    assert!(asked[1].contains("edits are made by"), "{}", asked[1]);
    assert_eq!(world.text("src/a.py"), FILE);
    let (world, ended, asked) = turn(&[&format!("<tool_call>{call}</tool_call>"), "Done."]);
    ended
        .ends(3)
        .says("the model did not make up for it: insert_text: no such tool");
    assert!(asked[1].contains("there is no tool"), "{}", asked[1]);
    assert_eq!(world.text("src/a.py"), FILE);
}

#[test]
fn what_is_not_clear_is_asked_about_once_and_is_not_done() {
    let pair = "<<<<<<< SEARCH\nx = 1\n=======\nx = 2\n>>>>>>> REPLACE\n";
    let (world, ended, asked) = turn(&[pair, pair]);
    ended
        .ends(3)
        .says("a SEARCH/REPLACE block without the path of its file");
    assert_eq!(world.text("src/a.py"), FILE);
    assert!(
        asked[1].contains("was neither run nor staged"),
        "{}",
        asked[1]
    );

    // What is staged beside it is half of what was asked for.
    let both = format!("src/a.py\n{pair}\nAnd:\n<<<<<<< SEARCH\ny = 2\n=======\ny = 3\n");
    let (world, ended, _) = turn(&[&both, "Done."]);
    ended
        .ends(3)
        .says("the text: a SEARCH/REPLACE block without its end was not staged");
    assert_eq!(world.text("src/a.py"), FILE);

    let example = "Call it so:\n```json\n{\"name\": \"edit_section\", \"arguments\": {\"path\": \"src/a.py\", \"old_text\": \"x = 1\", \"new_text\": \"x = 2\"}}\n```\nand x is two.";
    let (world, ended, _) = turn(&[example, "That was an example."]);
    ended
        .done()
        .says("a call of `edit_section` within its text");
    assert_eq!(world.text("src/a.py"), FILE);
}
