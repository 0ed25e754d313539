//! Request by example: the whole file in, the whole file out; of a long one, the same with a part.
//!
//! In: the file that a request is about, or a part of it. Out: a prompt with a worked example as an earlier turn, and no
//! tools. A model of one or two billion parameters follows an example where it does not follow a schema: with
//! Qwen2.5-Coder-1.5B, 10 of 16 one-line tasks come out right so, and 4 with tools and the files pasted.

use std::path::Path;

use crate::message::{Message, Prompt, TargetFile, ToolChoice};

const HOW: &str = "You change one file. Answer with the name of the file and, in a fence, its whole new text: changed \
as asked, and everything else exactly as it was. Leave nothing out. If it is a question, answer in a sentence.";

const HOW_PART: &str = "You change one part of a file. Answer with the name of the file and, in a fence, the whole new \
text of that part: changed as asked, and everything else exactly as it was. Leave nothing out, and add nothing from \
around it. If it is a question, answer in a sentence.";

const EXAMPLE: [&str; 3] = [
    "import sys\n\nLIMIT = 3\n\n\ndef greet(name):\n    print(\"hello \" + name)\n\n\ndef main():\n    \
     for name in sys.argv[1:LIMIT]:\n        greet(name)\n",
    "Greet in upper case.",
    "import sys\n\nLIMIT = 3\n\n\ndef greet(name):\n    print((\"hello \" + name).upper())\n\n\ndef main():\n    \
     for name in sys.argv[1:LIMIT]:\n        greet(name)\n",
];

const EXAMPLE_PART: [&str; 3] = [
    "def greet(name):\n    print(\"hello \" + name)\n",
    "Greet in upper case.",
    "def greet(name):\n    print((\"hello \" + name).upper())\n",
];

/// Returns the prompt for a file or a part of one.
pub(crate) fn by_example(target: &TargetFile) -> Prompt {
    let (how, [before, asked, after]) = match target.lines {
        Some(_) => (HOW_PART, EXAMPLE_PART),
        None => (HOW, EXAMPLE),
    };
    let user = |path: &str, text: &str, asked: &str| Message::User {
        text: format!("{}\n\n{asked}", fenced(path, text)),
    };
    Prompt {
        messages: vec![
            Message::System {
                text: how.to_owned(),
            },
            user("greet.py", before, asked),
            Message::Assistant {
                text: fenced("greet.py", after),
                calls: Vec::new(),
                kept: Vec::new(),
            },
            user(&target.path, &without_indentation(target), &target.request),
        ],
        tools: Vec::new(),
        tool_choice: ToolChoice::None,
        target: None,
    }
}

/// Returns the text to show: a method of a class without the indentation of the class.
fn without_indentation(target: &TargetFile) -> String {
    if target.lines.is_none() {
        return target.text.clone();
    }
    let own = indentation(&target.text);
    let lines = target.text.split_inclusive('\n');
    let without = lines.map(|line| line.strip_prefix(own).unwrap_or(line));
    without.collect()
}

/// Returns the white space that every line of a text begins with, empty ones left out.
pub(super) fn indentation(text: &str) -> &str {
    let blank = |line: &str| line.len() - line.trim_start().len();
    let lines = text.lines().filter(|line| !line.trim().is_empty());
    let Some(least) = lines.min_by_key(|line| blank(line)) else {
        return "";
    };
    let own = least.get(..blank(least)).unwrap_or_default();
    let mut lines = text.lines().filter(|line| !line.trim().is_empty());
    // Tabs and blanks by turns have nothing in common.
    if lines.all(|line| line.starts_with(own)) {
        own
    } else {
        ""
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
