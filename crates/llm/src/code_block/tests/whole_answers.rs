//! Answers that write a file anew: deletions, sorts, and those that were cut off.

use super::*;
use crate::message::{AnswerForm, TargetFile};

const STATS: &str = "def mean(values):\n    return sum(values) / len(values)\n\n\ndef median(values):\n    ordered = sorted(values)\n    middle = len(ordered) // 2\n    if len(ordered) % 2:\n        return ordered[middle]\n    return (ordered[middle] + ordered[middle + 1]) / 2\n\n\ndef mode(values):\n    counts = {}\n    for value in values:\n        counts[value] = counts.get(value, 0) + 1\n    return min(counts, key=counts.get)\n";
const MATH: &str = "import os\nimport sys\n\n\ndef add(x, y):\n    total = x + y\n    return total\n\n\ndef sub(x, y):\n    total = x - y\n    return total\n\n\ndef mul(x, y):\n    total = x * y\n    return total\n\n\ndef div(x, y):\n    if y == 0:\n        return None\n    return x / y\n\n\ndef neg(x):\n    return -x\n";
const CACHE: &str = "use std::collections::HashMap;\n\n/// A cache with a limit.\npub struct Cache {\n    entries: HashMap<String, String>,\n    limit: usize,\n    hits: u64,\n}\n\nimpl Cache {\n    pub fn new(limit: usize) -> Self {\n        Cache { entries: HashMap::new(), limit, hits: 0 }\n    }\n\n    /// Looks up a key.\n    pub fn get(&mut self, key: &str) -> Option<&String> {\n        let found = self.entries.get(key);\n        found\n    }\n\n    /// Stores a value, if there is room.\n    pub fn put(&mut self, key: &str, value: &str) -> bool {\n        if self.entries.len() > self.limit {\n            return false;\n        }\n        self.entries.insert(key.to_string(), value.to_string());\n        true\n    }\n\n    /// Removes a key.\n    pub fn remove(&mut self, key: &str) {\n        self.entries.remove(key);\n    }\n\n    /// Returns the number of entries.\n    pub fn len(&self) -> usize {\n        self.entries.len()\n    }\n}\n";
const QUEUE: &str = "'use strict';\n\nconst DEFAULT_RETRIES = 3;\nconst DELAY_MS = 100;\n\nfunction push(queue, job) {\n  queue.jobs.push(job);\n  run(queue);\n}\n\nfunction pop(queue) {\n  const job = queue.jobs.pop();\n  return job;\n}\n\nasync function run(queue) {\n  while (queue.jobs.length > 0) {\n    const job = pop(queue);\n    await attempt(queue, job);\n  }\n}\n\nasync function attempt(queue, job) {\n  for (let i = 0; i < DEFAULT_RETRIES; i++) {\n    await queue.worker(job);\n  }\n}\n\nmodule.exports = { push, pop, run };\n";
const SETTINGS: &str = "NAME = \"shop\"\nCOLOR = \"red\"\nSIZE = 3\nALPHA = 1\nZOOM = 2\n";
const FILES: &[(&str, &str)] = &[
    ("stats.py", STATS),
    ("math.py", MATH),
    ("src/cache.rs", CACHE),
    ("queue.js", QUEUE),
    ("settings.py", SETTINGS),
];

fn prompt_for(path: &str, text: &str, form: AnswerForm) -> Prompt {
    Prompt {
        messages: Vec::new(),
        tools: Registry::of_profile(Profile::Small).specs(),
        tool_choice: ToolChoice::Auto,
        target: Some(TargetFile {
            path: path.to_owned(),
            text: text.to_owned(),
            lines: None,
            request: "delete what is not used, or sort".to_owned(),
            form,
        }),
    }
}

/// Returns the text that an answer makes of a file, if it is an edit.
async fn written(path: &str, text: &str, form: AnswerForm, answer: &str) -> Option<String> {
    let told = ask(&prompt_for(path, text, form), answer, Lenience::Lenient).await;
    let line = told.lines().find_map(|line| line.strip_prefix("args 0 "))?;
    let given: Value = serde_json::from_str(line).unwrap();
    Some(
        given["content"]
            .as_str()
            .unwrap_or_else(|| panic!("{given}"))
            .to_owned(),
    )
}

/// Returns the paragraphs of a text: each begins in the first column, after an empty line.
fn paragraphs(text: &str) -> Vec<String> {
    let mut parts: Vec<String> = vec![String::new()];
    let mut is_apart = false;
    for line in text.lines() {
        let begins = line.starts_with(|c: char| !c.is_whitespace() && c != '}');
        if is_apart && begins {
            parts.push(String::new());
        }
        is_apart = line.trim().is_empty();
        let own = parts.last_mut().unwrap();
        own.push_str(line);
        own.push('\n');
    }
    parts
}

fn joined(parts: &[String]) -> String {
    format!("{}\n", parts.concat().trim_end())
}

/// Returns what requests to delete and to sort may make of a text.
fn asked_of(text: &str) -> Vec<String> {
    let mut parts = paragraphs(text);
    let last = parts.len() - 1;
    // All of them end in the same way, so that they can change places.
    let gap = parts[last / 2].len() - parts[last / 2].trim_end().len();
    parts[last].push_str(&"\n".repeat(gap - 1));
    let mut wanted = Vec::new();
    for at in 0..=last {
        let mut less = parts.clone();
        less.remove(at);
        wanted.push(joined(&less));
        if at < last {
            let mut swapped = parts.clone();
            swapped.swap(at, at + 1);
            wanted.push(joined(&swapped));
        }
    }
    let mut sorted: Vec<&str> = text.lines().collect();
    sorted.sort_unstable();
    wanted.push(format!("{}\n", sorted.join("\n")));
    wanted.retain(|wanted| wanted != text && !wanted.trim().is_empty());
    wanted
}

#[tokio::test]
async fn a_file_without_a_part_or_in_another_order_is_that_or_nothing() {
    for (path, text) in FILES {
        for wanted in asked_of(text) {
            let answer = format!("{path}\n```\n{wanted}```\n");
            let whole = written(path, text, AnswerForm::Whole, &answer).await;
            assert_eq!(whole.as_deref(), Some(wanted.as_str()), "{answer}");
            let lines = written(path, text, AnswerForm::Lines, &answer).await;
            if let Some(lines) = lines {
                assert_eq!(lines, wanted, "{answer}");
            }
        }
    }
}

#[tokio::test]
async fn a_whole_answer_to_a_request_for_lines_is_all_of_the_file() {
    // `median` goes, and what follows it stays as it is, once.
    let wanted = joined(&[paragraphs(STATS)[0].clone(), paragraphs(STATS)[2].clone()]);
    let answer = format!("stats.py\n```python\n{wanted}```\n");
    let lines = written("stats.py", STATS, AnswerForm::Lines, &answer).await;
    assert_eq!(lines.as_deref(), Some(wanted.as_str()));
    // The line before the function and the one after it: what is between them is more than a gap.
    let answer =
        "stats.py\n```python\n    return sum(values) / len(values)\n\n\ndef mode(values):\n```\n";
    assert_eq!(
        written("stats.py", STATS, AnswerForm::Lines, answer).await,
        None
    );
}

#[tokio::test]
async fn the_head_of_a_function_and_the_line_after_a_change_are_not_all_of_it() {
    let head = "def median(values):\n    if not values:\n        return None\n    ordered = sorted(values)\n";
    let wanted = STATS.replace("def median(values):\n    ordered = sorted(values)\n", head);
    let answer = format!("stats.py\n```python\n{head}```\n");
    let lines = written("stats.py", STATS, AnswerForm::Lines, &answer).await;
    assert_eq!(lines.as_deref(), Some(wanted.as_str()));
    // A body that is written anew does not stand beside the old one.
    let text = "import sys\n\n\ndef greet(name):\n    print(\"hello \" + name)\n";
    let body = "def greet(name):\n    sys.stdout.write(GREETING % name)\n";
    let answer = format!("greet.py\n```python\n{body}```\n");
    let lines = written("greet.py", text, AnswerForm::Lines, &answer).await;
    assert_eq!(lines, Some(format!("import sys\n\n\n{body}")));
}

#[tokio::test]
async fn of_two_functions_one_goes() {
    let text = joined(&paragraphs(STATS)[..2]);
    for left in [0, 1] {
        let wanted = joined(&paragraphs(&text)[left..=left]);
        let answer = format!("stats.py\n```python\n{wanted}```\n");
        let whole = written("stats.py", &text, AnswerForm::Whole, &answer).await;
        assert_eq!(whole.as_deref(), Some(wanted.as_str()));
    }
}

#[tokio::test]
async fn a_file_that_is_an_object_is_no_call() {
    let text = "{\n  \"name\": \"read\",\n  \"version\": \"1.2.0\"\n}\n";
    let wanted = text.replace("1.2.0\"", "1.2.0\",\n  \"license\": \"MIT\"");
    let answer = format!("```json\n{wanted}```\n");
    for form in [AnswerForm::Lines, AnswerForm::Whole] {
        let text = text.replace("read", "queue");
        let wanted = wanted.replace("read", "queue");
        let answer = answer.replace("read", "queue");
        let given = written("package.json", &text, form, &answer).await;
        assert_eq!(given.as_deref(), Some(wanted.as_str()));
        // Of another file it is no text.
        assert_eq!(
            written("queue.js", "push();\npop();\n", form, &answer).await,
            None
        );
    }
}

#[tokio::test]
async fn an_answer_that_was_cut_off_is_none() {
    let wanted = STATS.replace("min(counts", "max(counts");
    let answer = format!("stats.py\n```python\n{wanted}```");
    for form in [AnswerForm::Lines, AnswerForm::Whole] {
        let whole = written("stats.py", STATS, form, &answer).await;
        assert_eq!(whole.as_deref(), Some(wanted.as_str()));
        for end in 0..answer.len() - 3 {
            let cut = written("stats.py", STATS, form, &answer[..end]).await;
            assert_eq!(cut, None, "{}", &answer[..end]);
        }
    }
}
