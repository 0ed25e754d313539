//! `similar`: files that are like a part of a file.

use signoff_core::plural::counted;
use signoff_core::quote;
use signoff_core::word::is_word;

use super::arguments::{Told, arguments, integer, text};
use super::{CallFacts, PlainTool, Reach, ToolContext, ToolOutput};

/// Lines around the one that is asked about.
const AROUND: usize = 20;
/// Files that are told.
const MOST: usize = 8;

/// The tool.
pub(super) struct Similar;

arguments! {
    pub(super) struct Arguments {
        path: String = Told::Required(text()),
        line: usize = Told::Required(integer()),
    }
}

impl PlainTool for Similar {
    type Arguments = Arguments;
    const NAME: &'static str = "similar";
    const DESCRIPTION: &'static str = "Files with code like that around a line.";
    const REACH: Reach = Reach::Observe;

    fn facts(&self, arguments: &Arguments) -> CallFacts {
        CallFacts::path(&arguments.path)
    }

    fn run(&self, arguments: &Arguments, context: &ToolContext<'_>) -> ToolOutput {
        let Arguments { path, line } = arguments;
        let text = match context.read(path) {
            Ok(Some(text)) => text,
            Ok(None) => return context.missing(path),
            Err(error) => return ToolOutput::failed(format!("error: {error}"), error),
        };
        let asked: Vec<&str> = text
            .lines()
            .skip(line.saturating_sub(AROUND / 2 + 1))
            .take(AROUND)
            .collect();
        let asked = asked.join("\n");
        let found = context.code_index().and_then(|index| index.similar(&asked));
        match found {
            Ok(files) => {
                let files: Vec<String> = files.into_iter().filter(|file| file != path).collect();
                let each = files.iter().take(MOST);
                let out: String = each.map(|file| told(context, file, &asked)).collect();
                let summary = format!("{path}: {}", counted(files.len().min(MOST), "similar file"));
                if out.is_empty() {
                    return ToolOutput::done("nothing like it is known\n", summary);
                }
                ToolOutput::done(out, summary)
            }
            Err(why) => ToolOutput::failed(format!("error: {why}"), why),
        }
    }
}

/// Returns a file with the lines of it that share most words with a text.
fn told(context: &ToolContext<'_>, file: &str, asked: &str) -> String {
    let text = context.read(file).ok().flatten().unwrap_or_default();
    let wanted: std::collections::HashSet<&str> = words(asked).collect();
    let shared: Vec<usize> = text
        .lines()
        .map(|line| words(line).filter(|word| wanted.contains(word)).count())
        .collect();
    let mut sum: usize = shared.iter().take(AROUND).sum();
    let (mut best, mut first) = (sum, 0);
    // Over all windows of as many lines, each by what comes in and goes out.
    for (at, (come, gone)) in shared.iter().skip(AROUND).zip(&shared).enumerate() {
        sum = sum + come - gone;
        if sum > best {
            (best, first) = (sum, at + 1);
        }
    }
    let last = (first + AROUND).min(shared.len());
    format!("{}:{}-{last}\n", quote::name(file), first + 1)
}

fn words(text: &str) -> impl Iterator<Item = &str> {
    text.split(|c: char| !is_word(c))
        .filter(|word| word.len() > 2)
}
