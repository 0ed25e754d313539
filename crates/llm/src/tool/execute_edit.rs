//! `execute_edit`: carries out a declared edit. The main model gives the whole text; where a
//! small model is there to write it, instructions will do.

use std::time::{Duration, Instant};

use futures_util::StreamExt;
use signoff_core::edit::intent::Operation;
use signoff_core::edit::request::{Change, WholeRequest};
use signoff_sandbox::polling::GLANCE;
use tokio::runtime::Handle;
use tokio::time::timeout;

use super::arguments::{HasSchema, Told, arguments, names_of, one_of, parse, text};
use super::context::change;
use super::{CallFacts, Reach, TIME_LIMIT, Tool, ToolContext, ToolOutput, ToolSpec};
use crate::apply::{self, ApplyModel};
use crate::message::Prompt;
use crate::provider::{Delta, Usage};
use crate::usage::dollars;

/// The tool.
#[derive(Debug, Default)]
pub(super) struct ExecuteEdit {
    /// Who writes the content of an edit that comes as instructions.
    pub(super) apply: Option<ApplyModel>,
}

const DESCRIPTION: &str = "Carry out a declared edit: content is the file's whole new text.";
const WITH_APPLY: &str = "Carry out a declared edit: content is the file's whole new text. Or \
                          give instructions that name the functions to change, and a small model \
                          writes it.";
/// How long a small model may take in all.
const PATIENCE: Duration = Duration::from_secs(180);
/// How much more than the file an answer may hold.
const SLACK: usize = 16 * 1024;

arguments! {
    pub(super) struct Arguments {
        path: String = Told::Required(text()),
        operation: Option<Operation> = Told::Optional(one_of(&["create", "modify", "rewrite"])),
        description: Option<String> = Told::Required(text()),
        content: Option<String> = Told::Optional(text()),
        /// For a small model.
        instructions: Option<String> = Told::Optional(text()),
    }
}

/// What a small model wrote.
struct Written {
    text: String,
    usage: Usage,
    took: Duration,
}

impl Tool for ExecuteEdit {
    type Arguments = Arguments;

    fn spec(&self) -> ToolSpec {
        let hidden: &[&str] = match self.apply {
            Some(_) => &[],
            None => &["instructions"],
        };
        ToolSpec {
            name: "execute_edit",
            description: match self.apply {
                Some(_) => WITH_APPLY,
                None => DESCRIPTION,
            },
            reach: Reach::Stage,
            parameters: Arguments::schema_without(hidden),
        }
    }

    fn time_limit(&self) -> Option<Duration> {
        Some(PATIENCE + TIME_LIMIT)
    }

    fn read(&self, arguments: &str) -> Result<Arguments, ToolOutput> {
        parse(arguments)
    }

    fn known(&self) -> Option<Vec<&'static str>> {
        Some(names_of::<Arguments>())
    }

    fn facts(&self, arguments: &Arguments) -> CallFacts {
        CallFacts::path(&arguments.path)
    }

    fn new_text<'a>(&self, arguments: &'a Arguments) -> Option<&'a str> {
        arguments.content.as_deref()
    }

    fn run(&self, arguments: &Arguments, context: &ToolContext<'_>) -> ToolOutput {
        match (&arguments.content, &arguments.instructions, &self.apply) {
            (Some(content), _, _) => stage(arguments, content, context),
            (None, Some(instructions), Some(apply)) => {
                delegate(arguments, instructions, apply, context)
            }
            (None, _, _) => ToolOutput::failed(
                "error: give the file's whole new text as content. Nothing was changed.",
                "no content",
            ),
        }
    }
}

fn stage(arguments: &Arguments, content: &str, context: &ToolContext<'_>) -> ToolOutput {
    let (path, description) = (arguments.path.clone(), arguments.description.clone());
    context.propose(vec![Change {
        operation: arguments.operation,
        ..change(path, description, WholeRequest::new(content))
    }])
}

/// Lets the small model write, and stages what keeps the contract.
fn delegate(
    arguments: &Arguments,
    instructions: &str,
    model: &ApplyModel,
    context: &ToolContext<'_>,
) -> ToolOutput {
    let before = match context.read(&arguments.path) {
        Ok(before) => before.unwrap_or_default(),
        Err(error) => return ToolOutput::failed(format!("error: {error}"), error),
    };
    let name = model.provider.about().model;
    if before.len() > apply::MOST_BYTES {
        return back("the file is too long for it", &name, None);
    }
    let description = arguments.description.as_deref().unwrap_or_default();
    let prompt = apply::prompt(&arguments.path, &before, description, instructions);
    let written = match write(model, prompt, before.len() * 2 + SLACK, context) {
        Ok(written) => written,
        Err(why) => return back(&why, &name, None),
    };
    let cost = model.prices.map(|prices| prices.cost(&written.usage));
    context.spend(written.usage, cost);
    let took = paid(&name, &written, cost);
    let intent = format!("{description}\n{instructions}");
    let after = apply::content(&written.text, &before);
    let after = after.and_then(|after| {
        apply::check(&arguments.path, &before, &after, &intent)?;
        Ok(after)
    });
    match after {
        Ok(after) => {
            let mut output = stage(arguments, &after, context);
            output.summary = format!("{}; {took}", output.summary);
            output
        }
        Err(breach) => back(&breach.to_string(), &name, Some(&took)),
    }
}

/// Returns the answer that gives the work back to the main model.
fn back(why: &str, name: &str, took: Option<&str>) -> ToolOutput {
    let took = took.map(|took| format!("; {took}")).unwrap_or_default();
    ToolOutput::failed(
        format!(
            "error: the small model did not do it: {why}. Nothing was changed. Make this edit \
             yourself with edit_section."
        ),
        format!("{name} did not do it: {why}{took}"),
    )
}

fn paid(name: &str, written: &Written, cost: Option<u64>) -> String {
    let seconds = written.took.as_millis() as f64 / 1000.0;
    let cost = cost.map(|cost| format!(", {}", dollars(cost)));
    format!(
        "{name}: {} in, {} out, {seconds:.1} s{}",
        written.usage.input,
        written.usage.output,
        cost.unwrap_or_default()
    )
}

fn write(
    model: &ApplyModel,
    prompt: Prompt,
    most: usize,
    context: &ToolContext<'_>,
) -> Result<Written, String> {
    let runtime = Handle::try_current().map_err(|error| error.to_string())?;
    let began = Instant::now();
    let mut written = Written {
        text: String::new(),
        usage: Usage::default(),
        took: Duration::ZERO,
    };
    runtime.block_on(async {
        let mut pieces = model.provider.stream(prompt);
        loop {
            if context.stopped() {
                return Err("it was stopped".to_owned());
            }
            if began.elapsed() > PATIENCE {
                return Err(format!("it took more than {} s", PATIENCE.as_secs()));
            }
            match timeout(GLANCE, pieces.next()).await {
                Err(_) => {}
                Ok(None) => return Ok(()),
                Ok(Some(Err(error))) => return Err(error.to_string()),
                Ok(Some(Ok(Delta::Text { text }))) => written.text += &text,
                Ok(Some(Ok(Delta::Usage(usage)))) => written.usage = usage,
                Ok(Some(Ok(_))) => {}
            }
            if written.text.len() > most {
                return Err("it wrote without end".to_owned());
            }
        }
    })?;
    written.took = began.elapsed();
    Ok(written)
}

#[cfg(test)]
mod tests;
