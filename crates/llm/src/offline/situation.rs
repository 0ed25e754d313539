//! Events since the user's last prompt.
//!
//! In: a prompt. Out: the request, the rounds of calls and answers after it, and what the
//! system said last.

use serde::Deserialize as _;
use serde_json::Value;
use signoff_core::engine::Status;

use crate::message::{Message, Prompt, ToolCall, ToolChoice};

/// What has happened since the user last spoke.
pub(super) struct Situation<'a> {
    /// What the user typed.
    pub(super) request: &'a str,
    /// What the planner did about it, oldest first.
    pub(super) rounds: Vec<PlannerRound<'a>>,
    /// What the system said since.
    pub(super) notices: Vec<&'a str>,
    pub(super) may_call: bool,
    /// Whether a language server can be asked to rename.
    pub(super) renames_symbols: bool,
}

/// One reply of the planner, and what its calls were answered.
#[derive(Default)]
pub(super) struct PlannerRound<'a> {
    pub(super) calls: Vec<(&'a ToolCall, Option<&'a str>)>,
}

/// What became of one change of a call.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct ChangeOutcome {
    pub(super) file: String,
    pub(super) ok: bool,
    /// What became of it, if the answer says so in a known word.
    pub(super) status: Option<Status>,
    pub(super) changes: u64,
    /// Why it did not fit or was left.
    pub(super) why: String,
}

impl<'a> Situation<'a> {
    /// Reads a prompt; there is none before the user has spoken.
    pub(super) fn of(prompt: &'a Prompt) -> Option<Self> {
        let mut found: Option<Self> = None;
        for message in &prompt.messages {
            match (message, &mut found) {
                (Message::User { text, .. }, _) => {
                    found = Some(Self {
                        request: text,
                        rounds: Vec::new(),
                        notices: Vec::new(),
                        may_call: prompt.tool_choice == ToolChoice::Auto,
                        renames_symbols: prompt
                            .tools
                            .iter()
                            .any(|tool| tool.name == "rename_symbol"),
                    });
                }
                (message, Some(situation)) => situation.add(message),
                (_, None) => {}
            }
        }
        found
    }

    /// Returns the last call and its answer.
    pub(super) fn last_call(&self) -> Option<(&'a ToolCall, Option<&'a str>)> {
        self.rounds.last()?.calls.last().copied()
    }

    fn add(&mut self, message: &'a Message) {
        match message {
            Message::System { text } => self.notices.push(text),
            Message::User { .. } => {}
            Message::Assistant { calls, .. } => {
                let calls = calls.iter().map(|call| (call, None)).collect();
                self.rounds.push(PlannerRound { calls });
                self.notices.clear();
            }
            Message::Tool {
                call: id, content, ..
            } => {
                let mut calls = self
                    .rounds
                    .iter_mut()
                    .rev()
                    .flat_map(|round| &mut round.calls);
                if let Some((_, answer)) = calls.find(|(call, _)| call.id == *id) {
                    *answer = Some(content);
                }
            }
        }
    }
}

impl<'a> PlannerRound<'a> {
    /// Returns what the last call was answered.
    pub(super) fn last_answer(&self) -> Option<&'a str> {
        self.calls.last()?.1
    }
}

/// Returns the files in an answer of grep, one `path:count` a line; others are skipped.
pub(super) fn files(answer: &str) -> Vec<&str> {
    answer
        .lines()
        .filter_map(|line| line.trim().rsplit_once(':'))
        .filter(|(path, count)| !path.is_empty() && count.trim().parse::<u64>().is_ok())
        .map(|(path, _)| path)
        .collect()
}

/// Returns the file and line of the only definition in an answer of `find_symbol`; none if there are several.
///
/// `src/a.rs`, and below it `  3: function: fn load() {`, is line 3 of `src/a.rs`.
pub(super) fn only_definition(answer: &str) -> Option<(&str, u64)> {
    let mut path = None;
    let mut found = None;
    for line in answer.lines() {
        let Some(place) = line.strip_prefix("  ") else {
            path = Some(line).filter(|path| !path.starts_with('"'));
            continue;
        };
        let (number, _) = place.split_once(':')?;
        if found.replace((path?, number.parse().ok()?)).is_some() {
            return None;
        }
    }
    found
}

/// Returns what became of each change, as far as an answer says it.
pub(super) fn outcomes(answer: &str) -> Vec<ChangeOutcome> {
    let json = answer
        .find('{')
        .and_then(|start| answer.get(start..))
        .unwrap_or_default();
    let value = serde_json::Deserializer::from_str(json)
        .into_iter::<Value>()
        .next();
    let Some(Ok(value)) = value else {
        return Vec::new();
    };
    let list = value.get("results").and_then(Value::as_array).cloned();
    list.unwrap_or_else(|| vec![value])
        .iter()
        .filter_map(outcome)
        .collect()
}

fn outcome(value: &Value) -> Option<ChangeOutcome> {
    let why = ["error", "evidence"]
        .into_iter()
        .find_map(|key| value.get(key)?.as_str());
    Some(ChangeOutcome {
        file: value
            .get("file")
            .or_else(|| value.get("path"))?
            .as_str()?
            .to_owned(),
        ok: value.get("ok")?.as_bool()?,
        status: value
            .get("status")
            .and_then(|status| Status::deserialize(status).ok()),
        changes: value
            .get("changesApplied")
            .and_then(Value::as_u64)
            .unwrap_or(1),
        why: why.unwrap_or_default().to_owned(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_of_all_kinds_of_answers() {
        let cases: [(&str, &[&str]); 5] = [
            ("src/a.rs:3\nb c.py:1\n2 files\n", &["src/a.rs", "b c.py"]),
            ("no matches\n0 files\n", &[]),
            ("error: the pattern is not a regex: x\n", &[]),
            (
                "odd:name.rs:12\n(cut at 200; raise max to 2000)\n1 file",
                &["odd:name.rs"],
            ),
            ("", &[]),
        ];
        for (answer, expected) in cases {
            assert_eq!(files(answer), expected, "{answer}");
        }
    }

    #[test]
    fn a_definition_counts_where_it_is_the_only_one() {
        for (answer, expected) in [
            (
                "src/a.rs\n  3: function: fn load() {\n",
                Some(("src/a.rs", 3)),
            ),
            ("a.rs\n  3: function: x\n  9: function: y\n", None),
            ("a.rs\n  3: function: x\nb.rs\n  3: function: x\n", None),
            ("\"a\\nb.rs\"\n  3: function: x\n", None),
            ("error: there is no index here\n", None),
            ("no definition of x is known; grep finds it as text\n", None),
            ("", None),
        ] {
            assert_eq!(only_definition(answer), expected, "{answer}");
        }
    }

    #[test]
    fn outcomes_with_and_without_words_around() {
        let answer = r#"Nothing was staged. {"results":[
            {"file":"a.rs","ok":true,"status":"applied","changesApplied":2},
            {"file":"b.md","ok":false,"status":"not_found","error":"no such name"}]} Read again."#;
        let found = outcomes(answer);
        assert_eq!(found.len(), 2);
        assert_eq!((found[0].changes, found[0].ok), (2, true));
        assert_eq!(
            (found[1].status, found[1].why.as_str()),
            (Some(Status::NotFound), "no such name")
        );
        for odd in [
            r#"{"file":"a","ok":true}"#,
            r#"{"file":"a","ok":true,"status":"odd"}"#,
            r#"{"file":"a","ok":true,"status":7}"#,
        ] {
            let statuses: Vec<_> = outcomes(odd).iter().map(|one| one.status).collect();
            assert_eq!(statuses, [None], "{odd}");
        }
        for answer in ["", "error: no", "{", "{}", "[1]", r#"{"results":[3]}"#] {
            assert_eq!(outcomes(answer), [], "{answer}");
        }
    }
}
