//! `find_symbol` and `references` where a language server is there: with a path and a line they are about what the name
//! stands for there, as staged, and else they ask the index.

use std::time::Duration;

use signoff_checks::language_server::Target;
use signoff_core::plural::counted;

use super::arguments::{HasSchema, Told, arguments, count, integer, names_of, parse, text};
use super::find_symbol::{FindSymbol, PlaceLine, References, by_index, noun, told};
use super::{CallFacts, Tool, ToolContext, ToolOutput, ToolSpec};
use crate::code_index::Asked;
use crate::language_servers::patience;

/// `find_symbol` or `references` by the language server where a place is given, and else by the index.
pub(super) struct PlacedSymbol(pub(super) Asked);

arguments! {
    pub(super) struct PlacedArguments {
        name: String = Told::Required(text()),
        path: Option<String> = Told::Optional(text()),
        #[serde(default, deserialize_with = "count")]
        line: Option<usize> = Told::Optional(integer()),
    }
}

impl Tool for PlacedSymbol {
    type Arguments = PlacedArguments;

    fn spec(&self) -> ToolSpec {
        ToolSpec {
            parameters: PlacedArguments::schema(),
            ..match self.0 {
                Asked::Definitions => FindSymbol.spec(),
                Asked::References => References.spec(),
            }
        }
    }

    fn read(&self, arguments: &str) -> Result<PlacedArguments, ToolOutput> {
        parse(arguments)
    }

    fn known(&self) -> Option<Vec<&'static str>> {
        Some(names_of::<PlacedArguments>())
    }

    fn facts(&self, arguments: &PlacedArguments) -> CallFacts {
        let path = arguments.path.as_deref();
        let facts = path.map_or_else(CallFacts::none, CallFacts::path);
        facts.looking_for(&arguments.name, None)
    }

    fn run(&self, arguments: &PlacedArguments, context: &ToolContext<'_>) -> ToolOutput {
        let (asked, name) = (self.0, &arguments.name);
        let Some((path, target)) = arguments.target() else {
            return by_index(asked, name, context);
        };
        let found = context.ask_language_server(path, &mut |client, wait| match asked {
            Asked::Definitions => client.definitions(&target, wait),
            Asked::References => client.references(&target, wait),
        });
        let places = match found {
            Ok(places) => places,
            Err(why) => return ToolOutput::failed(format!("error: {why}"), why),
        };
        let noun = noun(asked);
        let summary = format!("{name}: {}", counted(places.len(), noun));
        if places.is_empty() {
            let told = format!("the language server knows no {noun} of it\n");
            return ToolOutput::done(told, summary);
        }
        let places = places.iter().map(|place| PlaceLine {
            path: &place.path,
            line: place.line,
            what: String::new(),
        });
        ToolOutput::done(told(context, places.collect()), summary)
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
