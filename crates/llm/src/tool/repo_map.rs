//! `repo_map`: the source files and what they define, within a budget.

use std::collections::HashSet;

use signoff_core::disk::workspace::WorkspacePath;
use signoff_core::plural::counted;
use signoff_core::quote::{self, one_line};
use signoff_core::syntax::{Language, outline};

use super::arguments::{HasSchema, InFolder, names_of, parse, said, text};
use super::{CallFacts, Reach, Tool, ToolContext, ToolOutput, ToolSpec};
use crate::secret_file::is_secret_name;

/// Characters of a map: some 1,500 tokens.
const BUDGET: usize = 6_000;
/// Files that are read for a map at most: as many fill it with their names alone.
const MOST_FILES: usize = 150;

/// The tool.
pub(super) struct RepoMap;

impl Tool for RepoMap {
    type Arguments = InFolder;

    fn spec(&self) -> ToolSpec {
        let mut parameters = InFolder::schema();
        parameters["properties"]["path"] = said(text(), "a folder; default .");
        ToolSpec {
            name: "repo_map",
            description: "The source files that others refer to most, with what they define.",
            reach: Reach::Observe,
            parameters,
        }
    }

    fn read(&self, arguments: &str) -> Result<InFolder, ToolOutput> {
        parse(arguments)
    }

    fn known(&self) -> Option<Vec<&'static str>> {
        Some(names_of::<InFolder>())
    }

    fn facts(&self, arguments: &InFolder) -> CallFacts {
        CallFacts::path(&arguments.path)
    }

    fn run(&self, arguments: &InFolder, context: &ToolContext<'_>) -> ToolOutput {
        let InFolder { path } = arguments;
        let sources = match context.code_index().and_then(|index| index.sources()) {
            Ok(sources) => with_staged(sources, context),
            Err(why) => return ToolOutput::failed(format!("error: {why}"), why),
        };
        let folder = path
            .trim()
            .trim_start_matches("./")
            .trim_matches(['/', '.']);
        let files: Vec<&String> = sources
            .iter()
            .filter(|file| {
                let rest = file.strip_prefix(folder);
                folder.is_empty() || rest.is_some_and(|rest| rest.starts_with('/'))
            })
            .collect();
        let unreadable = context.unreadable();
        let mut out = String::new();
        let mut shown = 0;
        for file in files.iter().take(MOST_FILES) {
            let is_withheld = unreadable.as_ref().is_some_and(|own| own.holds(file));
            let entry = entry(context, file, !is_withheld && !is_secret_name(file));
            if out.len() + entry.len() > BUDGET {
                break;
            }
            out += &entry;
            shown += 1;
        }
        if let Some(more @ 1..) = files.len().checked_sub(shown) {
            out += &format!("({more} more files; give a folder, or use outline)\n");
        }
        if files.is_empty() {
            out = format!("no source file is known below {}\n", quote::name(path));
        }
        ToolOutput::done(out, format!("map of {}", counted(shown, "file")))
    }
}

/// Adds the files with staged work that the index does not know.
fn with_staged(mut sources: Vec<String>, context: &ToolContext<'_>) -> Vec<String> {
    let known: HashSet<&String> = sources.iter().collect();
    let staged = context.staged_paths().unwrap_or_default().into_iter();
    let there = staged.filter_map(|(path, is_there)| is_there.then_some(path));
    let new: Vec<String> = there.filter(|path| !known.contains(path)).collect();
    sources.extend(new);
    sources
}

/// Returns a file with its outer definitions, or the name alone.
fn entry(context: &ToolContext<'_>, file: &str, with_definitions: bool) -> String {
    let text = with_definitions.then(|| context.read(file).ok().flatten());
    let names = text
        .flatten()
        .and_then(|text| outer(context, file, &text))
        .unwrap_or_default();
    if names.is_empty() {
        return format!("{}\n", quote::name(file));
    }
    let names = one_line(&names.join(", "), BUDGET);
    format!("{}: {names}\n", quote::name(file))
}

fn outer(context: &ToolContext<'_>, file: &str, text: &str) -> Option<Vec<String>> {
    let path = WorkspacePath::parse(file, context.root()).ok()?;
    let language = Language::of(&path)?;
    let made = context.bounded(|syntax| {
        let parsed = syntax.parse_once(language, text)?;
        Some(outline::outline(language, &parsed))
    });
    let symbols = made.flatten()?.into_iter();
    let outer = symbols.filter(|symbol| symbol.depth == 0 && symbol.what != "impl");
    Some(outer.map(|symbol| symbol.name).collect())
}
