//! A conversation as other programs read it: ATIF, the Agent Trajectory Interchange Format, version 1.7.
//!
//! In: the records of a conversation, with their times. Out: one JSON document, a step for each prompt, answer and notice;
//! what a tool answered is in the step of its call.
//!
//! Example: a prompt, an answer with a call, what the tool answered, and what that took:
//!
//! ```text
//! {"step_id": 1, "source": "user", "message": "rename it", "timestamp": "..."}
//! {"step_id": 2, "source": "agent", "message": "", "timestamp": "...",
//!  "tool_calls": [{"tool_call_id": "c1", "function_name": "edit", "arguments": {...}}],
//!  "observation": {"results": [{"source_call_id": "c1", "content": "staged"}]},
//!  "metrics": {"prompt_tokens": 900, "completion_tokens": 12}}
//! ```

use serde_json::{Map, Value, json};
use signoff_core::id::Timestamp;
use signoff_llm::memory::Record;
use signoff_llm::message::{CallId, ToolCall};
use signoff_llm::transcript::Entry;
use signoff_llm::usage::UsageTotal;
use signoff_setup::clock::moment;

use super::RETOLD;

const VERSION: &str = "ATIF-v1.7";

/// Returns a conversation; nothing if nothing was said in it.
pub(super) fn trajectory(id: &str, records: &[(Timestamp, Record)]) -> Option<Value> {
    let mut told = Trajectory {
        steps: Vec::new(),
        model: None,
        // Nothing was taken yet, so that the price of it is known.
        spent: UsageTotal {
            cost: Some(0),
            ..UsageTotal::default()
        },
        unplaced: None,
    };
    for (at, record) in records {
        told.take(*at, record);
    }
    if told.steps.is_empty() {
        return None;
    }
    let steps = told.steps.len();
    Some(json!({
        "schema_version": VERSION,
        "session_id": id,
        "agent": {"name": "signoff", "version": env!("CARGO_PKG_VERSION")},
        "steps": told.steps,
        "final_metrics": final_metrics(&told.spent, steps),
    }))
}

struct Trajectory {
    steps: Vec<Map<String, Value>>,
    /// The model that the user chose last.
    model: Option<String>,
    /// What the conversation took so far.
    spent: UsageTotal,
    /// What was taken for an answer that did not come yet.
    unplaced: Option<UsageTotal>,
}

impl Trajectory {
    fn take(&mut self, at: Timestamp, record: &Record) {
        match record {
            Record::Began { .. } => {}
            Record::Entry(entry) => self.push(at, entry, false),
            // A copy begins with all that was said in the one before.
            Record::Retold(entries) if self.steps.is_empty() => {
                entries.iter().for_each(|entry| self.push(at, entry, true));
            }
            Record::Retold(_) => self.add(at, "system", RETOLD, []),
            Record::Spent(total) => self.spend(total),
            Record::Model(model) => self.model = Some(model.name.clone()),
        }
    }

    fn push(&mut self, at: Timestamp, entry: &Entry, is_copied: bool) {
        let copied = is_copied.then(|| ("is_copied_context", json!(true)));
        match entry {
            Entry::Prompt { text, images, sent } => {
                let names: Vec<&str> = images.iter().map(|image| image.name.as_str()).collect();
                let shown = (!names.is_empty()).then(|| ("extra", json!({ "images": names })));
                let more = [shown, copied].into_iter().flatten();
                self.add(sent.unwrap_or(at), "user", text, more);
            }
            Entry::Said { text, calls, .. } => {
                let model = self.model.as_ref().map(|name| ("model_name", json!(name)));
                let calls: Vec<Value> = calls.iter().map(call).collect();
                let calls = (!calls.is_empty()).then(|| ("tool_calls", json!(calls)));
                let taken = self
                    .unplaced
                    .take()
                    .map(|taken| ("metrics", metrics(&taken)));
                let more = [model, calls, taken, copied].into_iter().flatten();
                self.add(at, "agent", text, more);
            }
            Entry::Answered {
                call,
                content,
                failed,
                ..
            } => self.observe(at, call, content, *failed),
            Entry::Noticed { notice } => self.add(at, "system", &notice.to_string(), copied),
        }
    }

    fn add(
        &mut self,
        at: Timestamp,
        source: &str,
        message: &str,
        more: impl IntoIterator<Item = (&'static str, Value)>,
    ) {
        let fields = [
            ("step_id", json!(self.steps.len() + 1)),
            ("timestamp", json!(moment(at))),
            ("source", json!(source)),
            ("message", json!(message)),
        ];
        let fields = fields.into_iter().chain(more);
        let step = fields.map(|(name, value)| (name.to_owned(), value));
        self.steps.push(step.collect());
    }

    /// Puts what a tool answered into the step that has its call. Where the line with the call is damaged, it is a step of
    /// its own.
    fn observe(&mut self, at: Timestamp, call: &CallId, content: &str, failed: bool) {
        let step = self.steps.iter_mut().rev().find(|step| {
            let calls = step.get("tool_calls").and_then(Value::as_array);
            calls.is_some_and(|calls| calls.iter().any(|made| made["tool_call_id"] == *call.0))
        });
        let Some(step) = step else {
            return self.add(at, "system", content, []);
        };
        let mut result = json!({ "source_call_id": call.0, "content": content });
        if failed {
            result["extra"] = json!({ "failed": true });
        }
        let observation = step
            .entry("observation")
            .or_insert_with(|| json!({ "results": [] }));
        if let Some(results) = observation["results"].as_array_mut() {
            results.push(result);
        }
    }

    /// Counts what was taken since the last record for the newest answer that has no figures, or else for the next one.
    /// So what a question about a hunk took counts for the answer after it.
    fn spend(&mut self, total: &UsageTotal) {
        let since = UsageTotal {
            requests: total.requests.saturating_sub(self.spent.requests),
            input: total.input.saturating_sub(self.spent.input),
            output: total.output.saturating_sub(self.spent.output),
            cost: match (total.cost, self.spent.cost) {
                (Some(now), Some(before)) => Some(now.saturating_sub(before)),
                _ => None,
            },
        };
        self.spent = *total;
        let mut newest_first = self.steps.iter_mut().rev();
        let newest = newest_first.find(|step| step["source"] == "agent");
        match newest.filter(|step| !step.contains_key("metrics")) {
            Some(step) => {
                step.insert("metrics".to_owned(), metrics(&since));
            }
            None => self.unplaced = Some(since),
        }
    }
}

fn call(call: &ToolCall) -> Value {
    // Arguments that a model wrote may be no object, or no JSON at all.
    let arguments = match serde_json::from_str(&call.arguments) {
        Ok(Value::Object(arguments)) => Value::Object(arguments),
        _ => json!({ "text": call.arguments }),
    };
    json!({ "tool_call_id": call.id.0, "function_name": call.name, "arguments": arguments })
}

fn metrics(taken: &UsageTotal) -> Value {
    let mut metrics = json!({ "prompt_tokens": taken.input, "completion_tokens": taken.output });
    if let Some(cost) = taken.cost {
        metrics["cost_usd"] = json!(in_dollars(cost));
    }
    metrics
}

fn final_metrics(spent: &UsageTotal, steps: usize) -> Value {
    let mut metrics = json!({
        "total_prompt_tokens": spent.input,
        "total_completion_tokens": spent.output,
        "total_steps": steps,
    });
    if let Some(cost) = spent.cost {
        metrics["total_cost_usd"] = json!(in_dollars(cost));
    }
    metrics
}

/// Returns millionths of a dollar in dollars.
#[expect(
    clippy::cast_precision_loss,
    reason = "a bill of 9 billion dollars is exact"
)]
fn in_dollars(millionths: u64) -> f64 {
    millionths as f64 / 1e6
}

#[cfg(test)]
mod tests {
    use super::*;

    fn records(lines: &[(i64, &str)]) -> Vec<(Timestamp, Record)> {
        let record =
            |(at, json): &(i64, &str)| (Timestamp(*at), serde_json::from_str(json).unwrap());
        lines.iter().map(record).collect()
    }

    const PROMPT: &str = r#"{"entry":{"entry":"prompt","text":"rename it"}}"#;
    const CALL: &str = r#"{"entry":{"entry":"said","text":"","calls":[{"id":"c1","name":"edit","arguments":"{\"file\":\"a\"}"},{"id":"c2","name":"bash","arguments":"ls"}]}}"#;
    const ANSWER: &str =
        r#"{"entry":{"entry":"answered","call":"c2","content":"no","failed":true}}"#;

    fn spent(input: u64, cost: u64) -> String {
        format!(r#"{{"spent":{{"requests":1,"input":{input},"output":2,"cost":{cost}}}}}"#)
    }

    #[test]
    fn answers_of_tools_and_tokens_stand_in_the_step_of_the_answer() {
        for (order, first) in [("before", true), ("after", false)] {
            let spent = spent(10, 2_500_000);
            let mut lines = vec![(0, PROMPT), (1_000, CALL)];
            lines.insert(if first { 1 } else { 2 }, (1_000, &spent));
            lines.push((2_000, ANSWER));
            let told = trajectory("id", &records(&lines)).unwrap();
            assert_eq!(
                told["steps"],
                json!([
                    {"step_id": 1, "timestamp": "1970-01-01T00:00:00Z", "source": "user", "message": "rename it"},
                    {
                        "step_id": 2, "timestamp": "1970-01-01T00:00:01Z", "source": "agent", "message": "",
                        "tool_calls": [
                            {"tool_call_id": "c1", "function_name": "edit", "arguments": {"file": "a"}},
                            {"tool_call_id": "c2", "function_name": "bash", "arguments": {"text": "ls"}},
                        ],
                        "metrics": {"prompt_tokens": 10, "completion_tokens": 2, "cost_usd": 2.5},
                        "observation": {"results": [
                            {"source_call_id": "c2", "content": "no", "extra": {"failed": true}},
                        ]},
                    },
                ]),
                "{order}"
            );
            let total = json!({"total_prompt_tokens": 10, "total_completion_tokens": 2, "total_steps": 2, "total_cost_usd": 2.5});
            assert_eq!(told["final_metrics"], total);
        }
    }

    #[test]
    fn what_was_copied_or_retold_is_said_to_be() {
        let retold = r#"{"retold":[{"entry":"prompt","text":"rename it"}]}"#;
        let told = trajectory("id", &records(&[(0, retold), (1, CALL), (2, retold)])).unwrap();
        let steps = told["steps"].as_array().unwrap();
        assert_eq!(steps[0]["is_copied_context"], true);
        assert_eq!(steps[1].get("is_copied_context"), None);
        assert_eq!(
            (&steps[2]["source"], &steps[2]["message"]),
            (&json!("system"), &json!(RETOLD))
        );
        assert_eq!(steps.len(), 3);
    }

    #[test]
    fn a_damaged_conversation_loses_nothing_that_is_there() {
        assert_eq!(trajectory("id", &[]), None);
        let told = trajectory("id", &records(&[(0, ANSWER)])).unwrap();
        assert_eq!(told["steps"][0]["message"], "no");
    }
}
