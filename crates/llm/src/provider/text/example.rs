//! Request by example: the whole file in, the whole file out.
//!
//! In: the file that a request is about. Out: a prompt with a worked example as an earlier turn, and no
//! tools. A model of one or two billion parameters follows an example where it does not follow a schema: with
//! Qwen2.5-Coder-1.5B, 10 of 16 one-line tasks come out right so, and 4 with tools and the files pasted.

use std::path::Path;

use crate::message::{Message, Prompt, TargetFile, ToolChoice};

const HOW: &str = "You change one file. Answer with the name of the file and, in a fence, its whole new text: changed \
as asked, and everything else exactly as it was. Leave nothing out. If it is a question, answer in a sentence.";

const EXAMPLE: [&str; 3] = [
    "import sys\n\nLIMIT = 3\n\n\ndef greet(name):\n    print(\"hello \" + name)\n\n\ndef main():\n    \
     for name in sys.argv[1:LIMIT]:\n        greet(name)\n",
    "Greet in upper case.",
    "import sys\n\nLIMIT = 3\n\n\ndef greet(name):\n    print((\"hello \" + name).upper())\n\n\ndef main():\n    \
     for name in sys.argv[1:LIMIT]:\n        greet(name)\n",
];

/// Returns the prompt for a file.
pub(crate) fn by_example(target: &TargetFile) -> Prompt {
    let [before, asked, after] = EXAMPLE;
    let user = |path: &str, text: &str, asked: &str| Message::User {
        text: format!("{}\n\n{asked}", fenced(path, text)),
    };
    Prompt {
        messages: vec![
            Message::System {
                text: HOW.to_owned(),
            },
            user("greet.py", before, asked),
            Message::Assistant {
                text: fenced("greet.py", after),
                calls: Vec::new(),
                kept: Vec::new(),
            },
            user(&target.path, &target.text, &target.request),
        ],
        tools: Vec::new(),
        tool_choice: ToolChoice::None,
        target: None,
    }
}

/// Returns a file as it stands in a message. A fence that is longer than any in the text cannot be
/// closed by it.
fn fenced(path: &str, text: &str) -> String {
    let longest = text.split(|c| c != '`').map(str::len).max();
    let fence = "`".repeat(longest.unwrap_or_default().max(2) + 1);
    let extension = Path::new(path).extension().and_then(|own| own.to_str());
    let language = match extension.unwrap_or_default() {
        "py" => "python",
        "rs" => "rust",
        "js" | "mjs" | "cjs" => "javascript",
        other => other,
    };
    format!(
        "{path}\n{fence}{language}\n{}\n{fence}",
        text.trim_end_matches('\n')
    )
}
