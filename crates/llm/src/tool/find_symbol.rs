//! `find_symbol` and `references`: where a name is defined and where it is used, as staged.

use std::collections::BTreeMap;

use signoff_core::plural::counted;
use signoff_core::quote;

use super::arguments::{HasSchema, Told, arguments, parse, text};
use super::{CallFacts, Reach, Tool, ToolContext, ToolOutput, ToolSpec};
use crate::code_index::{Asked, CodePlace};

/// Places that are told; more are counted.
const MOST: usize = 100;

/// `find_symbol`
pub(super) struct FindSymbol;

/// `references`
pub(super) struct References;

arguments! {
    pub(super) struct Arguments {
        name: String = Told::Required(text()),
    }
}

fn spec(name: &'static str, description: &'static str) -> ToolSpec {
    ToolSpec {
        name,
        description,
        reach: Reach::Observe,
        parameters: Arguments::schema(),
    }
}

impl Tool for FindSymbol {
    type Arguments = Arguments;

    fn spec(&self) -> ToolSpec {
        spec(
            "find_symbol",
            "Where a function, type, constant is defined; Type.method too.",
        )
    }

    fn read(&self, arguments: &str) -> Result<Arguments, ToolOutput> {
        parse(arguments)
    }

    fn facts(&self, arguments: &Arguments) -> CallFacts {
        facts(arguments)
    }

    fn run(&self, arguments: &Arguments, context: &ToolContext<'_>) -> ToolOutput {
        find(Asked::Definitions, arguments, context)
    }
}

impl Tool for References {
    type Arguments = Arguments;

    fn spec(&self) -> ToolSpec {
        spec(
            "references",
            "Where a name is used, by syntax: no strings, no comments.",
        )
    }

    fn read(&self, arguments: &str) -> Result<Arguments, ToolOutput> {
        parse(arguments)
    }

    fn facts(&self, arguments: &Arguments) -> CallFacts {
        facts(arguments)
    }

    fn run(&self, arguments: &Arguments, context: &ToolContext<'_>) -> ToolOutput {
        find(Asked::References, arguments, context)
    }
}

/// Answers by the index where a name is defined.
#[cfg(target_os = "linux")]
pub(super) fn definitions(name: &str, context: &ToolContext<'_>) -> ToolOutput {
    let name = name.to_owned();
    find(Asked::Definitions, &Arguments { name }, context)
}

/// Answers by the index where a name is used.
#[cfg(target_os = "linux")]
pub(super) fn references(name: &str, context: &ToolContext<'_>) -> ToolOutput {
    let name = name.to_owned();
    find(Asked::References, &Arguments { name }, context)
}

fn facts(arguments: &Arguments) -> CallFacts {
    CallFacts::none().looking_for(&arguments.name, None)
}

fn find(asked: Asked, arguments: &Arguments, context: &ToolContext<'_>) -> ToolOutput {
    let Arguments { name } = arguments;
    let found = context.code_index().and_then(|index| {
        let staged = context.staged_paths()?.into_iter();
        let staged: Vec<String> = staged.map(|(path, _)| path).collect();
        index.places(asked, name, &staged, &|path| {
            context.read(path).ok().flatten()
        })
    });
    let word = match asked {
        Asked::Definitions => "definition",
        Asked::References => "reference",
    };
    match found {
        Ok(places) if places.is_empty() => {
            let told = format!(
                "no {word} of {} is known; grep finds it as text",
                quote::name(name)
            );
            ToolOutput::done(format!("{told}\n"), told)
        }
        Ok(places) => {
            let summary = format!("{name}: {}", counted(places.len(), word));
            ToolOutput::done(told(context, &places), summary)
        }
        Err(why) => ToolOutput::failed(format!("error: {why}"), why),
    }
}

/// Returns the places by file, each with its line.
fn told(context: &ToolContext<'_>, places: &[CodePlace]) -> String {
    let mut files: BTreeMap<&str, Vec<&CodePlace>> = BTreeMap::new();
    for place in places.iter().take(MOST) {
        files.entry(&place.path).or_default().push(place);
    }
    let mut out = String::new();
    for (path, places) in files {
        let text = context.read(path).ok().flatten().unwrap_or_default();
        let lines: Vec<&str> = text.lines().collect();
        out += &format!("{}\n", quote::name(path));
        for place in places {
            let line = place.line.checked_sub(1).and_then(|at| lines.get(at));
            let within = place.container.as_ref();
            let within = within.map(|container| format!(" in {container}"));
            out += &format!(
                "  {}: {}{}: {}\n",
                place.line,
                place.kind,
                within.unwrap_or_default(),
                line.map_or("", |line| line.trim())
            );
        }
    }
    if let Some(more @ 1..) = places.len().checked_sub(MOST) {
        out += &format!("({more} more)\n");
    }
    out
}
