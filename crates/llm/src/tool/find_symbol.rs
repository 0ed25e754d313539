//! `find_symbol` and `references`: where a name is defined and where it is used, as staged.

use std::collections::BTreeMap;

use signoff_core::plural::counted;
use signoff_core::quote;

use super::arguments::{Told, arguments, text};
use super::{CallFacts, PlainTool, Reach, ToolContext, ToolOutput};
use crate::code_index::{Asked, CodePlace};

/// Places that are listed; more are counted, as of a name like `new`.
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

impl PlainTool for FindSymbol {
    type Arguments = Arguments;
    const NAME: &'static str = "find_symbol";
    const DESCRIPTION: &'static str =
        "Where a function, type, constant is defined; Type.method too.";
    const REACH: Reach = Reach::Observe;

    fn facts(&self, arguments: &Arguments) -> CallFacts {
        facts(arguments)
    }

    fn run(&self, arguments: &Arguments, context: &ToolContext<'_>) -> ToolOutput {
        by_index(Asked::Definitions, &arguments.name, context)
    }
}

impl PlainTool for References {
    type Arguments = Arguments;
    const NAME: &'static str = "references";
    const DESCRIPTION: &'static str = "Where a name is used, by syntax: no strings, no comments.";
    const REACH: Reach = Reach::Observe;

    fn facts(&self, arguments: &Arguments) -> CallFacts {
        facts(arguments)
    }

    fn run(&self, arguments: &Arguments, context: &ToolContext<'_>) -> ToolOutput {
        by_index(Asked::References, &arguments.name, context)
    }
}

fn facts(arguments: &Arguments) -> CallFacts {
    CallFacts::none().looking_for(&arguments.name, None)
}

/// Returns what the places are called that are asked for.
pub(super) fn noun(asked: Asked) -> &'static str {
    match asked {
        Asked::Definitions => "definition",
        Asked::References => "reference",
    }
}

/// Answers by the index.
pub(super) fn by_index(asked: Asked, name: &str, context: &ToolContext<'_>) -> ToolOutput {
    let found = context.code_index().and_then(|index| {
        let staged = context.staged_paths()?.into_iter();
        let staged: Vec<String> = staged.map(|(path, _)| path).collect();
        index.places(asked, name, &staged, &|path| {
            context.read(path).ok().flatten()
        })
    });
    let word = noun(asked);
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
            let places = places.iter().map(PlaceLine::of);
            ToolOutput::done(told(context, places.collect()), summary)
        }
        Err(why) => ToolOutput::failed(format!("error: {why}"), why),
    }
}

/// A place as it is told.
pub(super) struct PlaceLine<'p> {
    pub(super) path: &'p str,
    /// 1-based.
    pub(super) line: usize,
    /// What the name is there, with a colon; empty where that is not known.
    pub(super) what: String,
}

impl<'p> PlaceLine<'p> {
    fn of(place: &'p CodePlace) -> Self {
        let within = place.container.as_ref();
        let within = within.map(|container| format!(" in {container}"));
        Self {
            path: &place.path,
            line: place.line,
            what: format!("{}{}: ", place.kind, within.unwrap_or_default()),
        }
    }
}

/// Returns the places by file, each with its line.
pub(super) fn told(context: &ToolContext<'_>, mut places: Vec<PlaceLine<'_>>) -> String {
    let all = places.len();
    if let Some(unreadable) = context.unreadable() {
        places.retain(|place| !unreadable.holds(place.path));
    }
    let withheld = all - places.len();
    let more = places.len().saturating_sub(MOST);
    let mut files: BTreeMap<&str, Vec<PlaceLine<'_>>> = BTreeMap::new();
    for place in places.into_iter().take(MOST) {
        files.entry(place.path).or_default().push(place);
    }
    let mut out = String::new();
    for (path, places) in files {
        let text = context.read(path).ok().flatten().unwrap_or_default();
        let lines: Vec<&str> = text.lines().collect();
        out += &format!("{}\n", quote::name(path));
        for PlaceLine { line, what, .. } in places {
            let text = line.checked_sub(1).and_then(|at| lines.get(at));
            let text = text.map_or("", |text| text.trim());
            out += &format!("  {line}: {what}{text}\n");
        }
    }
    if more > 0 {
        out += &format!("({more} more)\n");
    }
    if withheld > 0 {
        out += &format!("(in files that the user's rules keep from you: {withheld})\n");
    }
    out
}
