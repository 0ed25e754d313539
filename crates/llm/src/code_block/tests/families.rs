//! Calls as the templates of model families write them, where a server does not parse them.

use super::*;

/// Calls of one answer, all of `read` on `a.py`, with the lines 2 to 4 where the form has room for numbers.
const ONE_CALL: [&str; 30] = [
    // Qwen2.5, Hermes; also without the end.
    "<tool_call>\n{\"name\": \"read\", \"arguments\": {\"path\": \"a.py\"}}\n</tool_call>",
    "I look.<tool_call>{\"name\": \"read\", \"arguments\": \"{\\\"path\\\": \\\"a.py\\\"}\"}</tool_call>",
    "<tool_call>\n{\"name\": \"read\", \"arguments\": {\"path\": \"a.py\"}}\n",
    // Qwen3-Coder; without the outer marks, and without the first of them.
    "<tool_call>\n<function=read>\n<parameter=path>\na.py\n</parameter>\n</function>\n</tool_call>",
    "<function=read>\n<parameter=path>\na.py\n</parameter>\n</function>",
    "<tool_call>\n<function=read>\n<parameter=path>\na.py\n</function>\n</tool_call>",
    // Llama 3.1 and 3.2.
    "<function=read>{\"path\": \"a.py\"}</function>",
    "<|python_tag|>{\"name\": \"read\", \"parameters\": {\"path\": \"a.py\"}}<|eom_id|>",
    "<|python_tag|>read.call(path=\"a.py\")",
    "{\"name\": \"read\", \"parameters\": {\"path\": \"a.py\"}}",
    // Kimi K2.
    "<|tool_calls_section_begin|><|tool_call_begin|>functions.read:0<|tool_call_argument_begin|>{\"path\": \"a.py\"}<|tool_call_end|><|tool_calls_section_end|>",
    "<|tool_call_section_begin|><|tool_call_begin|>functions.read:0<|tool_call_argument_begin|>{\"path\": \"a.py\"}<|tool_call_end|><|tool_call_section_end|>",
    "<|tool_call_begin|>functions.read:0<|tool_call_argument_begin|>{\"path\": \"a.py\"}<|tool_call_end|>",
    // GLM-4.5 and later.
    "<tool_call>read\n<arg_key>path</arg_key>\n<arg_value>a.py</arg_value>\n</tool_call>",
    "<tool_call>read<arg_key>path</arg_key><arg_value>a.py</arg_value></tool_call>",
    // DeepSeek V3 and R1, V3.1, V3.2.
    "<｜tool▁calls▁begin｜><｜tool▁call▁begin｜>function<｜tool▁sep｜>read\n```json\n{\"path\": \"a.py\"}\n```<｜tool▁call▁end｜><｜tool▁calls▁end｜>",
    "<｜tool▁calls▁begin｜><｜tool▁call▁begin｜>read<｜tool▁sep｜>{\"path\": \"a.py\"}<｜tool▁call▁end｜><｜tool▁calls▁end｜>",
    "<｜DSML｜function_calls>\n<｜DSML｜invoke name=\"read\">\n<｜DSML｜parameter name=\"path\" string=\"true\">a.py</｜DSML｜parameter>\n</｜DSML｜invoke>\n</｜DSML｜function_calls>",
    // Mistral, the older and the newer.
    "[TOOL_CALLS] [{\"name\": \"read\", \"arguments\": {\"path\": \"a.py\"}}]</s>",
    "[TOOL_CALLS]read[ARGS]{\"path\": \"a.py\"}",
    "[TOOL_CALLS]read[CALL_ID]abc123def[ARGS]{\"path\": \"a.py\"}",
    // MiniMax M2 and M1.
    "<minimax:tool_call>\n<invoke name=\"read\">\n<parameter name=\"path\">a.py</parameter>\n</invoke>\n</minimax:tool_call>",
    "<tool_calls>\n{\"name\": \"read\", \"arguments\": {\"path\": \"a.py\"}}\n</tool_calls>",
    // Gemma 3, FunctionGemma, Gemma 4.
    "```tool_code\nprint(default_api.read(path=\"a.py\"))\n```",
    "<start_function_call>call:read{path:<escape>a.py<escape>}<end_function_call>",
    "<|tool_call>call:read{path:<|\"|>a.py<|\"|>}<tool_call|>",
    // gpt-oss, whose servers leave the last mark out, and models that know Cline.
    "<|channel|>commentary to=functions.read <|constrain|>json<|message|>{\"path\": \"a.py\"}<|call|>",
    "<|channel|>commentary to=functions.read <|constrain|>json<|message|>{\"path\": \"a.py\"}",
    "<read_file>\n<path>a.py</path>\n</read_file>",
    // A name with leftovers.
    "<tool_call>{\"name\": \"functions.Read\", \"arguments\": {\"path\": \"a.py\"}}</tool_call>",
];

#[tokio::test]
async fn every_family_calls() {
    for answer in ONE_CALL {
        let told = ask(&prompt(FILE), answer, Lenience::Strict).await;
        let told = told.trim_start_matches("text \"I look.\"\n");
        let expected = "call 0 call_0_4 read\nargs 0 {\"path\":\"a.py\"}\nstop ToolCalls";
        let told = told.replace("{\"path\": \"a.py\"}", "{\"path\":\"a.py\"}");
        assert_eq!(told, expected, "{answer}");
    }
}

#[tokio::test]
async fn texts_become_what_the_tool_takes() {
    let lines = "<parameter=start>\n2\n</parameter>\n";
    let answer = format!("<function=read>\n<parameter=path>\n12\n</parameter>\n{lines}</function>");
    let told = ask(&prompt(FILE), &answer, Lenience::Strict).await;
    assert!(told.contains(r#"{"path":"12","start":2}"#), "{told}");
    let answer = "<tool_call>edit_section\n<arg_key>path</arg_key>\n<arg_value>new.py</arg_value>\n<arg_key>edits</arg_key>\n<arg_value>[{\"old_text\": \"a\", \"new_text\": \"b\"}]</arg_value>\n</tool_call>";
    let told = ask(&prompt(FILE), answer, Lenience::Strict).await;
    // Nobody has named the file: an envelope is a call like any other.
    assert!(
        told.contains(r#""edits":[{"old_text":"a","new_text":"b"}]"#),
        "{told}"
    );
    let code = "<function=write>\n<parameter=path>\na.py\n</parameter>\n<parameter=content>\nif a < b:\n\n    print(\"{}\")\n\n</parameter>\n</function>";
    let told = ask(&prompt(FILE), code, Lenience::Strict).await;
    assert!(
        told.contains(r#""content":"if a < b:\n\n    print(\"{}\")\n""#),
        "{told}"
    );
}

#[tokio::test]
async fn other_programs_tools_are_called_as_those_that_do_the_same() {
    for (answer, name, arguments) in [
        (
            "<write_to_file>\n<path>a.py</path>\n<content>\n<b></content></b>\n</content>\n</write_to_file>",
            "write",
            json!({ "path": "a.py", "content": "<b></content></b>\n" }),
        ),
        (
            "<replace_in_file>\n<path>a.py</path>\n<diff>\nx\n</diff>\n</replace_in_file>",
            "edit_section",
            json!({ "path": "a.py", "diff": "x" }),
        ),
        (
            "<|channel|>commentary to=functions.apply_patch <|constrain|>json<|message|>{\"input\":\"p\"}",
            "apply_structured_edits",
            json!({ "input": "p" }),
        ),
        (
            "<|channel|>commentary to=functions.apply_patch code<|message|>*** Begin Patch\n*** End Patch<|call|>",
            "apply_structured_edits",
            json!({ "patch": "*** Begin Patch\n*** End Patch" }),
        ),
        (
            "<tool_call>{\"name\": \"create_file\", \"arguments\": {\"path\": \"a\"}}</tool_call>",
            "write",
            json!({ "path": "a" }),
        ),
    ] {
        let told = ask(&prompt(FILE), answer, Lenience::Strict).await;
        let expected = format!("call 0 call_0_4 {name}\nargs 0 {arguments}\nstop ToolCalls");
        assert_eq!(told, expected, "{answer}");
    }
}

#[tokio::test]
async fn several_calls_and_words_around_them() {
    let answer = "First <tool_call>{\"name\": \"read\", \"arguments\": {\"path\": \"a\"}}</tool_call><tool_call>{\"name\": \"nope\", \"arguments\": {}}</tool_call>\n<function=read><parameter=path>b</parameter></function> then.";
    assert_snapshot!(ask(&prompt(FILE), answer, Lenience::Strict).await, @r#"
    text "First "
    call 0 call_0_4 read
    args 0 {"path":"a"}
    call 1 call_1_4 nope
    args 1 {}
    call 2 call_2_4 read
    args 2 {"path":"b"}
    text " then."
    stop ToolCalls
    "#);
}

#[tokio::test]
async fn arguments_that_are_no_json_are_answered_by_the_tool() {
    let answer = "[TOOL_CALLS]read[ARGS]{\"path\": ";
    let told = ask(&prompt(FILE), answer, Lenience::Strict).await;
    assert_eq!(
        told,
        "call 0 call_0_4 read\nargs 0 {\"path\":\nstop ToolCalls"
    );
}

#[tokio::test]
async fn what_is_quoted_is_not_run() {
    for answer in [
        // In a fence of another language, in a sentence, in an example with words behind it.
        "Qwen writes:\n```xml\n<tool_call>\n{\"name\": \"read\", \"arguments\": {\"path\": \"a.py\"}}\n</tool_call>\n```\n",
        "Write `<tool_call>{\"name\": \"read\", \"arguments\": {}}</tool_call>` to call.",
        "Call it so:\n```json\n{\"name\": \"read\", \"arguments\": {\"path\": \"a.py\"}}\n```\nThen you see the file.",
        "{\"name\": \"read\", \"arguments\": {\"path\": \"a.py\"}}\nis how it looks.",
        "<tool_call>\nnot a call\n</tool_call>",
        "<function=read>\n<parameter=path>\na.py\n</parameter>\n",
        "[TOOL_CALLS] are what Mistral writes",
        "[a link](b) < c <tool",
    ] {
        let told = ask(&prompt(FILE), answer, Lenience::Strict).await;
        assert_eq!(told, format!("text {answer:?}\nstop Stop"), "{answer}");
    }
}

#[test]
fn what_was_not_taken_is_named() {
    let tools = Registry::standard().specs();
    for (answer, expected) in [
        (
            "<tool_call>\nnot a call\n</tool_call>",
            &["a call that is not whole"][..],
        ),
        (
            "So:\n```json\n{\"name\": \"read\", \"arguments\": {\"path\": \"a.py\"}}\n```\nand it is read.",
            &["a call of `read` within its text"],
        ),
        ("```json\n{\"port\": 80}\n```\n", &[]),
        (
            "```json\n{\"name\": \"insert_text\", \"arguments\": {\"path\": \"a.py\", \"content\": \"x\"}}\n```\n",
            &[
                "a call of `insert_text`, which is no tool; edits are made by execute_edit, edit_section, apply_structured_edits, edit, write, move, delete",
            ],
        ),
        // An entry of a list, and the schema of a tool.
        (
            "```json\n{\"name\": \"x\", \"path\": \"a.py\", \"content\": \"x\"}\n```\n",
            &[],
        ),
        (
            "```json\n{\"name\": \"x\", \"parameters\": {\"type\": \"object\"}}\n```\n",
            &[],
        ),
        (
            "<write_to_file>\n<path>a.py</path>\n<content>\nx",
            &["a call that is not whole"],
        ),
        ("plain", &[]),
    ] {
        assert_eq!(
            crate::provider::text::unread(answer, &tools),
            expected,
            "{answer}"
        );
    }
}
