//! `find_symbol` and `references` where a language server is there: with a path and a line they are about what the name
//! stands for there, as staged, and else they ask the index.

use std::collections::BTreeMap;
use std::time::Duration;

use signoff_core::plural::counted;
use signoff_core::quote;
use signoff_verify::language_server::{SourcePlace, Target};

use super::arguments::{HasSchema, Told, arguments, count, integer, parse, text};
use super::find_symbol::{FindSymbol, References};
use super::{CallFacts, Tool, ToolContext, ToolOutput, ToolSpec};
use crate::language_servers::patience;

/// Places that are told; more are counted.
const MAX_PLACES: usize = 100;

/// `find_symbol` by the language server where a place is given, and else by the index.
pub(super) struct PlacedDefinitions;

/// `references` by the language server where a place is given, and else by the index.
pub(super) struct PlacedReferences;

arguments! {
    pub(super) struct PlacedArguments {
        name: String = Told::Required(text()),
        path: Option<String> = Told::Optional(text()),
        #[serde(default, deserialize_with = "count")]
        line: Option<usize> = Told::Optional(integer()),
    }
}

impl Tool for PlacedDefinitions {
    type Arguments = PlacedArguments;

    fn spec(&self) -> ToolSpec {
        ToolSpec {
            parameters: PlacedArguments::schema(),
            ..FindSymbol.spec()
        }
    }

    fn read(&self, arguments: &str) -> Result<PlacedArguments, ToolOutput> {
        parse(arguments)
    }

    fn facts(&self, arguments: &PlacedArguments) -> CallFacts {
        facts(arguments)
    }

    fn run(&self, arguments: &PlacedArguments, context: &ToolContext<'_>) -> ToolOutput {
        let name = &arguments.name;
        let Some((path, target)) = arguments.target() else {
            return super::find_symbol::definitions(name, context);
        };
        let found = context
            .ask_language_server(path, &mut |client, wait| client.definitions(&target, wait));
        told(context, name, "definition", found)
    }

    fn time_limit(&self) -> Option<Duration> {
        Some(patience())
    }
}

impl Tool for PlacedReferences {
    type Arguments = PlacedArguments;

    fn spec(&self) -> ToolSpec {
        ToolSpec {
            parameters: PlacedArguments::schema(),
            ..References.spec()
        }
    }

    fn read(&self, arguments: &str) -> Result<PlacedArguments, ToolOutput> {
        parse(arguments)
    }

    fn facts(&self, arguments: &PlacedArguments) -> CallFacts {
        facts(arguments)
    }

    fn run(&self, arguments: &PlacedArguments, context: &ToolContext<'_>) -> ToolOutput {
        let name = &arguments.name;
        let Some((path, target)) = arguments.target() else {
            return super::find_symbol::references(name, context);
        };
        let found =
            context.ask_language_server(path, &mut |client, wait| client.references(&target, wait));
        told(context, name, "reference", found)
    }

    fn time_limit(&self) -> Option<Duration> {
        Some(patience())
    }
}

impl PlacedArguments {
    /// Returns the file and the place in it, if both are given.
    fn target(&self) -> Option<(&str, Target)> {
        let (path, line) = (self.path.as_deref()?, self.line?);
        let target = Target {
            path: path.to_owned(),
            line,
            name: self.name.clone(),
        };
        Some((path, target))
    }
}

fn facts(arguments: &PlacedArguments) -> CallFacts {
    let path = arguments.path.as_deref();
    let facts = path.map_or_else(CallFacts::none, CallFacts::path);
    facts.looking_for(&arguments.name, None)
}

/// Returns the places by file, each with its line.
fn told(
    context: &ToolContext<'_>,
    name: &str,
    noun: &str,
    found: Result<Vec<SourcePlace>, String>,
) -> ToolOutput {
    let places = match found {
        Ok(places) => places,
        Err(why) => return ToolOutput::failed(format!("error: {why}"), why),
    };
    let mut files: BTreeMap<&str, Vec<usize>> = BTreeMap::new();
    for place in places.iter().take(MAX_PLACES) {
        files.entry(&place.path).or_default().push(place.line);
    }
    let mut out = String::new();
    for (path, numbers) in files {
        let text = context.read(path).ok().flatten();
        out += &format!("{}\n", quote::name(path));
        for number in numbers {
            let line = text.as_ref().and_then(|text| text.lines().nth(number - 1));
            out += &match line {
                Some(line) => format!("  {number}: {}\n", line.trim()),
                None => format!("  {number}\n"),
            };
        }
    }
    if let Some(more @ 1..) = places.len().checked_sub(MAX_PLACES) {
        out += &format!("({more} more)\n");
    }
    if places.is_empty() {
        out = format!("the language server knows no {noun} of it\n");
    }
    ToolOutput::done(out, format!("{name}: {}", counted(places.len(), noun)))
}
