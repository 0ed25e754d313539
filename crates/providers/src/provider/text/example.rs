//! Request by example: a file in, or a part of a long one; the lines that change out, or the whole of it.
//!
//! In: what a request is about. Out: a prompt with worked examples as earlier turns, and no tools. A model of one or two
//! billion parameters follows an example where it does not follow a schema: with Qwen2.5-Coder-1.5B, 3 of 16 one-line
//! tasks come out right with tools, 12 of 16 where it writes whole files, and 29 of 32 where it writes the lines that
//! change first, in a quarter of the time.

use std::path::Path;

use signoff_source::quote;

use crate::message::{AnswerForm, Message, Prompt, TargetFile, ToolChoice};

const HOW_LINES: &str = "You change one file. Answer, in a fence, with only the lines that change, as they are to be, \
whole and with their indentation. Where lines are added or removed, write the line before and the line after as well. \
Leave out the rest of the file. If it is a question, answer in a sentence.";

const HOW: &str = "You change one file. Answer with the name of the file and, in a fence, its whole new text: changed \
as asked, and everything else exactly as it was. Leave nothing out. If it is a question, answer in a sentence.";

const HOW_PART: &str = "You change one part of a file. Answer with the name of the file and, in a fence, the whole new \
text of that part: changed as asked, and everything else exactly as it was. Leave nothing out, and add nothing from \
around it. If it is a question, answer in a sentence.";

/// What the examples begin with.
const BEFORE: &str = "import sys\n\nLIMIT = 3\n\n\ndef greet(name):\n    print(\"hello \" + name)\n\n\n\
                      def main():\n    for name in sys.argv[1:LIMIT]:\n        greet(name)\n";
/// The part that examples of parts begin with.
const BEFORE_PART: &str = "def greet(name):\n    print(\"hello \" + name)\n";

/// What is asked for, and the answer: a line that is added stands between two that stay, one that changes alone.
const LINES: &[(&str, &str)] = &[
    (
        "Skip empty names.",
        "    for name in sys.argv[1:LIMIT]:\n        if not name:\n            continue\n        greet(name)\n",
    ),
    (
        "Greet in upper case.",
        "    print((\"hello \" + name).upper())\n",
    ),
];
const WHOLE: &[(&str, &str)] = &[(
    "Greet in upper case.",
    "import sys\n\nLIMIT = 3\n\n\ndef greet(name):\n    print((\"hello \" + name).upper())\n\n\ndef main():\n    \
     for name in sys.argv[1:LIMIT]:\n        greet(name)\n",
)];
const WHOLE_PART: &[(&str, &str)] = &[(
    "Greet in upper case.",
    "def greet(name):\n    print((\"hello \" + name).upper())\n",
)];

/// Returns the prompt for a file or a part of one.
pub fn by_example(target: &TargetFile) -> Prompt {
    let (how, before, examples) = match (target.form, target.lines) {
        (AnswerForm::Lines, _) => (HOW_LINES, BEFORE, LINES),
        (AnswerForm::Whole, None) => (HOW, BEFORE, WHOLE),
        (AnswerForm::Whole, Some(_)) => (HOW_PART, BEFORE_PART, WHOLE_PART),
    };
    let mut messages = vec![Message::System {
        text: how.to_owned(),
    }];
    let mut shown = format!("{}\n\n", fenced("greet.py", before));
    for (asked, answer) in examples {
        // The file of the examples is shown once.
        messages.push(Message::User {
            text: format!("{}{asked}", std::mem::take(&mut shown)),
            images: Vec::new(),
        });
        messages.push(Message::Assistant {
            text: fenced("greet.py", answer),
            calls: Vec::new(),
            kept: Vec::new(),
        });
    }
    let file = fenced(&target.path, &without_indentation(target));
    messages.push(Message::User {
        text: format!("{file}\n\n{}", target.request),
        images: Vec::new(),
    });
    Prompt {
        messages,
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
pub fn indentation(text: &str) -> &str {
    let lines = text.lines().filter(|line| !line.trim().is_empty());
    let Some(own) = lines
        .filter_map(|line| line.get(..line.len() - line.trim_start().len()))
        .min_by_key(|blanks| blanks.len())
    else {
        return "";
    };
    let mut lines = text.lines().filter(|line| !line.trim().is_empty());
    // Tabs and blanks by turns have nothing in common.
    if lines.all(|line| line.starts_with(own)) {
        own
    } else {
        ""
    }
}

/// Returns a file as it stands in a message.
fn fenced(path: &str, text: &str) -> String {
    let fence = quote::fence(text);
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
