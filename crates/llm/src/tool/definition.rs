//! `definition`, and `references` where a language server is there: what a name on a line stands for, as staged.

use std::collections::BTreeMap;
use std::time::Duration;

use signoff_core::plural::counted;
use signoff_core::quote;
use signoff_verify::language_server::{SourcePlace, Target};

use super::arguments::{HasSchema, Told, arguments, count, integer, parse, said, text};
use super::find_symbol::References;
use super::{CallFacts, Reach, Tool, ToolContext, ToolOutput, ToolSpec};
use crate::language_servers::patience;

/// Places that are told; more are counted.
const MAX_PLACES: usize = 100;

/// `definition`
pub(super) struct Definition;

/// `references` by the language server where a place is given, and else by the index.
pub(super) struct PlacedReferences;

arguments! {
    pub(super) struct DefinitionArguments {
        path: String = Told::Required(text()),
        line: usize = Told::Required(integer()),
        name: String = Told::Required(text()),
    }
}

arguments! {
    pub(super) struct ReferencesArguments {
        name: String = Told::Required(text()),
        path: Option<String> = Told::Optional(said(text(), "with line: only what that one stands for")),
        #[serde(default, deserialize_with = "count")]
        line: Option<usize> = Told::Optional(integer()),
    }
}

impl Tool for Definition {
    type Arguments = DefinitionArguments;

    fn spec(&self) -> ToolSpec {
        ToolSpec {
            name: "definition",
            description: "Where what `name` on this line stands for is defined, by the language server.",
            reach: Reach::Observe,
            parameters: DefinitionArguments::schema(),
        }
    }

    fn read(&self, arguments: &str) -> Result<DefinitionArguments, ToolOutput> {
        parse(arguments)
    }

    fn facts(&self, arguments: &DefinitionArguments) -> CallFacts {
        CallFacts::path(&arguments.path).looking_for(&arguments.name, None)
    }

    fn run(&self, arguments: &DefinitionArguments, context: &ToolContext<'_>) -> ToolOutput {
        let DefinitionArguments { path, line, name } = arguments;
        let target = Target {
            path: path.clone(),
            line: *line,
            name: name.clone(),
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
    type Arguments = ReferencesArguments;

    fn spec(&self) -> ToolSpec {
        ToolSpec {
            parameters: ReferencesArguments::schema(),
            ..References.spec()
        }
    }

    fn read(&self, arguments: &str) -> Result<ReferencesArguments, ToolOutput> {
        parse(arguments)
    }

    fn facts(&self, arguments: &ReferencesArguments) -> CallFacts {
        let path = arguments.path.as_deref();
        let facts = path.map_or_else(CallFacts::none, CallFacts::path);
        facts.looking_for(&arguments.name, None)
    }

    fn run(&self, arguments: &ReferencesArguments, context: &ToolContext<'_>) -> ToolOutput {
        let ReferencesArguments { name, path, line } = arguments;
        let (Some(path), Some(line)) = (path, line) else {
            return super::find_symbol::references(name, context);
        };
        let target = Target {
            path: path.clone(),
            line: *line,
            name: name.clone(),
        };
        let found =
            context.ask_language_server(path, &mut |client, wait| client.references(&target, wait));
        told(context, name, "reference", found)
    }

    fn time_limit(&self) -> Option<Duration> {
        Some(patience())
    }
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
