//! Answers to requests by example, and the calls that they are.

use super::*;
use crate::message::{AnswerForm, TargetFile};

#[tokio::test]
async fn a_request_by_example_has_no_tools_and_takes_a_whole_file_or_a_function() {
    let target = TargetFile {
        path: "src/io.py".to_owned(),
        text: FILE.to_owned(),
        lines: None,
        request: "close files".to_owned(),
        form: AnswerForm::Whole,
    };
    let asked = by_example(&target);
    assert_eq!(
        (asked.tools.len(), asked.tool_choice),
        (0, ToolChoice::None)
    );
    let Some(Message::User { text, .. }) = asked.messages.last() else {
        panic!("{asked:?}")
    };
    assert!(text.starts_with("src/io.py\n```python\nimport os\n") && text.ends_with("close files"));
    let prompt = Prompt {
        messages: Vec::new(),
        tools: Registry::of_profile(Profile::Small).specs(),
        tool_choice: ToolChoice::Auto,
        target: Some(target),
    };
    let function = "def load(path):\n    with open(path) as f:\n        return f.read()\n";
    let whole = FILE.replace("def load(path):\n    return open(path).read()\n", function);
    for (answer, is_taken) in [
        (fence("src/io.py", &whole), true),
        (fence("", &whole), true),
        (fence("src/io.py", function), true),
        (fence("src/io.py", whole.trim_end_matches('\n')), true),
        // Another file, a piece of it, the file as it is.
        (fence("src/other.py", &whole), false),
        (fence("src/io.py", "return f.read()\n"), false),
        (fence("src/io.py", FILE), false),
    ] {
        let told = ask(&prompt, &answer, Lenience::Lenient).await;
        let is_written = told.contains(&serde_json::to_string(&whole).unwrap());
        assert_eq!(is_written, is_taken, "{answer}: {told}");
    }
}

fn fence(name: &str, code: &str) -> String {
    format!("{name}\n```python\n{code}```\n")
}

#[tokio::test]
async fn a_request_about_a_part_takes_that_part_with_its_indentation() {
    let part = "    def load(self, path):\n        # opens it\n        return open(path).read()";
    let target = TargetFile {
        path: "src/io.py".to_owned(),
        text: part.to_owned(),
        lines: Some((40, 42)),
        request: "close files".to_owned(),
        form: AnswerForm::Whole,
    };
    let asked = by_example(&target);
    let Some(Message::User { text, .. }) = asked.messages.last() else {
        panic!("{asked:?}")
    };
    assert!(
        text.starts_with("src/io.py\n```python\ndef load(self, path):\n    # opens it\n"),
        "{text}"
    );
    let prompt = Prompt {
        messages: Vec::new(),
        tools: Registry::of_profile(Profile::Small).specs(),
        tool_choice: ToolChoice::Auto,
        target: Some(target),
    };
    let changed = "    def load(self, path):\n        # opens it\n        with open(path) as f:\n            return f.read()";
    let bare: String = changed
        .lines()
        .map(|line| format!("{}\n", &line[4..]))
        .collect();
    for (code, is_taken) in [
        (bare.as_str(), true),
        (changed, true),
        // The part as it is, and a piece of it.
        (part, false),
        ("return f.read()\n", false),
    ] {
        let answer = format!("src/io.py\n```python\n{}\n```\n", code.trim_end());
        let told = ask(&prompt, &answer, Lenience::Lenient).await;
        let edit = serde_json::json!({ "old_text": part, "new_text": changed }).to_string();
        let is_edited = told.contains("edit_section") && told.contains(&edit);
        assert_eq!(is_edited, is_taken, "{answer}: {told}");
    }
}

#[tokio::test]
async fn lines_that_change_are_put_in_their_place() {
    let class = "class Store:\n    def load(self, path):\n        return open(path).read()\n\n    def names(self):\n        \
                 return []\n";
    let asked = by_example(prompt(class, None, "close files").target.as_ref().unwrap());
    let texts: Vec<String> = asked
        .messages
        .iter()
        .map(|one| format!("{one:?}"))
        .collect();
    assert_eq!((texts.len(), asked.tools.len()), (6, 0));
    assert_eq!(texts.concat().matches("def main()").count(), 1);
    assert!(texts[5].contains("close files\""), "{}", texts[5]);
    let listing = class.replace("return []", "return self.kept");
    let function = class.replace(
        "        return open(path).read()",
        "        with open(path) as f:\n            return f.read()",
    );
    for (request, answer, expected) in [
        ("list names", "        return []\n", None),
        ("list names", "        return self.kept\n", Some(&listing)),
        (
            "list names",
            "    def names(self):\n        return self.kept\n",
            Some(&listing),
        ),
        (
            "close files",
            "def load(self, path):\n    with open(path) as f:\n        return f.read()\n",
            Some(&function),
        ),
        (
            "also count",
            "    def size(self):\n        return self.kept\n",
            None,
        ),
        ("list names", "import os\n", None),
    ] {
        let answer = format!("src/io.py\n```python\n{answer}```\n");
        let told = ask(&prompt(class, None, request), &answer, Lenience::Lenient).await;
        match expected {
            Some(text) => assert!(
                told.contains(&serde_json::to_string(text).unwrap()),
                "{answer}: {told}"
            ),
            None => assert!(!told.contains("call "), "{answer}: {told}"),
        }
    }
    let part = "    def names(self):\n        return []";
    let told = ask(
        &prompt(part, Some((5, 6)), "x"),
        "```python\ndef names(self):\n    return [self]\n```",
        Lenience::Lenient,
    )
    .await;
    let edit =
        json!({ "old_text": part, "new_text": "    def names(self):\n        return [self]" });
    assert!(told.contains(&edit.to_string()), "{told}");
}

fn prompt(text: &str, lines: Option<(usize, usize)>, request: &str) -> Prompt {
    Prompt {
        messages: Vec::new(),
        tools: Registry::of_profile(Profile::Small).specs(),
        tool_choice: ToolChoice::Auto,
        target: Some(TargetFile {
            path: "src/io.py".to_owned(),
            text: text.to_owned(),
            lines,
            request: request.to_owned(),
            form: AnswerForm::Lines,
        }),
    }
}
