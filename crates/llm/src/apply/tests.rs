//! The question, the answer, and the contract.

use super::*;

const BEFORE: &str = "use a::B;\n\nfn one() {\n    1;\n}\n\nfn two() {\n    2;\n}\n";

fn checked(after: &str, intent: &str) -> Result<(), String> {
    check("a.rs", BEFORE, after, intent).map_err(|breach| breach.to_string())
}

#[test]
fn what_is_named_may_change_and_nothing_else() {
    let one = BEFORE.replace("    1;", "    11;");
    assert_eq!(checked(&one, "make `one` return 11"), Ok(()));
    assert_eq!(
        checked(&one, "change two, in the same way as none"),
        refused("it changed one, which the intent does not name")
    );
    let gone = BEFORE.replace("fn two() {\n    2;\n}\n", "");
    assert_eq!(
        checked(&gone, "change one"),
        refused("it removed two, which the intent does not name")
    );
    assert_eq!(checked(BEFORE, "change one"), refused("it changed nothing"));
    let more = format!("{BEFORE}\nfn three() {{}}\n");
    assert_eq!(checked(&more, "add a function"), Ok(()));
    let import = BEFORE.replace("use a::B;", "use a::B;\nuse c::D;");
    assert_eq!(checked(&import, "import D"), Ok(()));
}

fn refused<T>(text: &str) -> Result<T, String> {
    Err(text.to_owned())
}

#[test]
fn a_method_that_is_named_frees_neither_its_twins_nor_its_neighbours() {
    let before = "struct S;\nimpl S {\n    fn a(&self) {}\n    fn b(&self) {}\n}\n";
    let ours = before.replace("fn a(&self) {}", "fn a(&self) { 1; }");
    let both = ours.replace("fn b(&self) {}", "fn b(&self) { 2; }");
    assert_eq!(check("a.rs", before, &ours, "let a return 1"), Ok(()));
    let breach = check("a.rs", before, &both, "let a return 1");
    assert!(matches!(breach, Err(Breach::Changed(path)) if path.ends_with('b')));
}

#[test]
fn texts_without_definitions_keep_half_their_lines() {
    let before = "a\nb\nc\nd\n";
    assert_eq!(check("a.txt", before, "a\nb\nx\ny\n", ""), Ok(()));
    assert_eq!(
        check("a.txt", before, "a\nx\ny\nz\n", ""),
        Err(Breach::Rewritten)
    );
}

#[test]
fn the_file_is_taken_out_of_the_answer() {
    let taken = |answer: &str, before: &str| content(answer, before);
    assert_eq!(
        taken("Sure:\n```rust\nx\n```\nDone.", "y\n"),
        Ok("x\n".into())
    );
    assert_eq!(taken("```\nx\nz\n```", "y\r\n"), Ok("x\r\nz\r\n".into()));
    assert_eq!(taken("```\nx\n```", "no newline"), Ok("x".into()));
    let nested = "````md\n```sh\nls\n```\n````";
    assert_eq!(taken(nested, "\n"), Ok("```sh\nls\n```\n".into()));
    assert_eq!(taken("```rust\nx\n", "y\n"), Err(Breach::Unclosed));
    assert_eq!(taken("I cannot.", "y\n"), Err(Breach::NoFile));
    assert_eq!(taken("```\n```", "y\n"), Err(Breach::NoFile));
}

#[test]
fn the_question_holds_the_file_in_a_fence_of_its_own() {
    let prompt = prompt("a.md", "```\nx\n```", "Fix it", "by hand");
    let Some(Message::User { text, .. }) = prompt.messages.first() else {
        panic!("no question");
    };
    assert!(text.ends_with("````\n```\nx\n```\n````"), "{text}");
    assert!(text.contains("Task: Fix it\nby hand\n"));
}

const SCRIPT: &str = "import sys\nimport os\n\nif sys.argv:\n    print(1)\n\n\ndef a():\n    return 1\n\n\ndef b():\n    return 2\n\n\nif __name__ == '__main__':\n    a()\n";

/// Checks what becomes of a script in which `a` returns 3, and these texts are replaced as well.
fn script(replaced: &[(&str, &str)]) -> Result<(), String> {
    let mut after = SCRIPT.replace("return 1", "return 3");
    for (old, new) in replaced {
        assert!(after.contains(old), "{old}");
        after = after.replacen(old, new, 1);
    }
    check("a.py", SCRIPT, &after, "let a return 3").map_err(|breach| breach.to_string())
}

#[test]
fn what_stands_outside_of_definitions_stays() {
    assert_eq!(script(&[]), Ok(()));
    assert_eq!(script(&[("import sys\n", "")]), outside("import sys"));
    assert_eq!(
        script(&[("if sys.argv:\n    print(1)\n", "")]),
        outside("if sys.argv:")
    );
    let entry = "if __name__ == '__main__':\n    a()\n";
    assert_eq!(
        script(&[(entry, "")]),
        outside("if __name__ == '__main__':")
    );
    assert_eq!(script(&[("print(1)", "print(2)")]), outside("    print(1)"));
    assert_eq!(
        script(&[("if __name__", "a()\nif __name__")]),
        outside("a()")
    );
    // Imports may come, also within one that is there, and so may definitions.
    assert_eq!(script(&[("import os", "import os, json")]), Ok(()));
    assert_eq!(
        script(&[("import os\n", "import os\nfrom re import (\n    sub,\n)\n")]),
        Ok(())
    );
    let more = "# Says so.\n@cached\ndef c():\n    return 3\n\n\ndef b";
    assert_eq!(script(&[("def b", more)]), Ok(()));
    assert_eq!(script(&[("def a", "# Returns.\n@cached\ndef a")]), Ok(()));
}

fn outside(text: &str) -> Result<(), String> {
    Err(format!(
        "it changed `{text}`, which stands outside of what the intent names"
    ))
}

#[test]
fn what_surrounds_a_named_definition_stays() {
    let before = "# One\n\nText of one.\n\n## Two\n\nText of two.\n\n## Three\n\nMore.\n";
    let two = before.replace("Text of two.", "Other words.");
    assert_eq!(check("a.md", before, &two, "rewrite Two"), Ok(()));
    assert_eq!(check("a.md", before, &two, "One: rewrite Two"), Ok(()));
    let both = two.replace("Text of one.", "Gone.");
    let breach = check("a.md", before, &both, "One: rewrite Two");
    assert_eq!(breach, Err(Breach::Outside("Text of one.".to_owned())));

    let more = format!("{two}\n## Four\n\nNew.\n");
    assert_eq!(
        check("a.md", before, &more, "rewrite Two, add Four"),
        Ok(())
    );
    let three = two.replace("More.", "Less.");
    assert_eq!(
        check("a.md", before, &three, "rewrite Two"),
        Err(Breach::Changed("Three".to_owned()))
    );
    let moved = two.replace("## Three", "## Two and a half\n\n## Three");
    assert_eq!(check("a.md", before, &moved, "rewrite Two"), Ok(()));

    let before = "class A {\n  x = 1;\n  a() { return 1; }\n}\nexport const K = 1;\n";
    let named = before.replace("return 1", "return 2");
    assert_eq!(check("a.js", before, &named, "let a return 2"), Ok(()));
    let field = named.replace("x = 1", "x = 2");
    assert!(check("a.js", before, &field, "let a return 2").is_err());
    let more =
        format!("import z from 'z';\n{named}export function c() {{}}\nexport const L = 2;\n");
    assert_eq!(check("a.js", before, &more, "let a return 2"), Ok(()));
}

#[test]
fn attributes_and_comments_go_with_what_they_stand_above() {
    let before = "const A: u8 = 1;\n\n/// One.\nfn one() {}\n\nfn two() {}\n";
    let after = before.replace(
        "/// One.\nfn one() {}",
        "/// Now.\n#[inline]\nfn one() { 1; }",
    ) + "\n/// New.\n#[test]\nfn three() {}\n";
    assert_eq!(
        check("a.rs", before, &after, "change one, add three"),
        Ok(())
    );
    let macros = "include!(\"a\");\nfn one() {}\n";
    let breach = check("a.rs", macros, "fn one() { 1; }\n", "change one");
    assert!(matches!(breach, Err(Breach::Outside(_))), "{breach:?}");
}
