//! `grep`: lines that match, in the files as they would be with every staged change.
//!
//! In: a pattern and where to look. Out: `path:line:text`, or counts a file, sorted by path,
//! bounded, and with a word on whatever was left out.

use signoff_core::plural::{amount, counted};
use signoff_core::quote;
use std::fmt::Write;

use grep_regex::{RegexMatcher, RegexMatcherBuilder};
use serde::Deserialize;

use super::arguments::{Told, arguments, count, integer, one_of, text};
use super::read::MOST_BYTES;
use super::walk::{self, SearchedFile};
use super::{CallFacts, PlainTool, Reach, ToolContext, ToolOutput};

mod search;
mod spellings;

use search::{FoundLine, Search, SearchOutcome, SearchRoom};
use spellings::spellings;

/// The tool.
pub(super) struct Grep;

const DESCRIPTION: &str = "Search files for a regex, ignored files not. \
                           output files: path:count per file.";
/// Matches, or files, in one answer unless asked otherwise, and at most.
const USUAL: usize = 200;
const MOST: usize = 2000;
/// Matches of other spellings in one answer.
const MOST_NEAR: usize = 10;
/// Lines around a match that are shown at most.
const MOST_CONTEXT: usize = 10;
/// The longest pattern, in bytes.
const MOST_PATTERN: usize = 4 * 1024;
/// The most bytes that a pattern may take compiled, and what is kept of its states: repetitions of
/// repetitions (`a{1000}{1000}`) take more, and every byte of a file would be looked at as often.
const MOST_COMPILED: usize = 4 << 20;

arguments! {
    #[derive(Clone, Debug)]
    pub(super) struct Arguments {
        pattern: String = Told::Required(text()),
        #[serde(default)]
        path: Option<String> = Told::Optional(text()),
        #[serde(default)]
        glob: Option<String> = Told::Optional(text()),
        #[serde(default)]
        output: Output = Told::Optional(one_of(&["lines", "files"])),
        #[serde(default, deserialize_with = "count")]
        max: Option<usize> = Told::Optional(integer()),
        #[serde(default, deserialize_with = "count")]
        context: Option<usize> = Told::Optional(integer()),
    }
}

#[derive(Clone, Copy, Debug, Default, Deserialize, PartialEq)]
#[serde(rename_all = "snake_case")]
pub(super) enum Output {
    #[default]
    Lines,
    Files,
}

/// An answer in the making.
struct Report {
    output: Output,
    most: usize,
    text: String,
    matches: usize,
    files: usize,
    too_large: usize,
    unreadable: usize,
    cut: bool,
}

impl PlainTool for Grep {
    type Arguments = Arguments;
    const NAME: &'static str = "grep";
    const DESCRIPTION: &'static str = DESCRIPTION;
    const REACH: Reach = Reach::Observe;

    fn facts(&self, arguments: &Arguments) -> CallFacts {
        let path = arguments.path.as_deref().unwrap_or_default();
        CallFacts::path(path).looking_for(&arguments.pattern, arguments.glob.as_deref())
    }

    fn run(&self, arguments: &Arguments, context: &ToolContext<'_>) -> ToolOutput {
        search(arguments, context).unwrap_or_else(|answer| answer)
    }
}

fn search(arguments: &Arguments, context: &ToolContext<'_>) -> Result<ToolOutput, ToolOutput> {
    let path = arguments.path.as_deref().unwrap_or_default();
    let (candidates, withheld) =
        walk::readable(context, path, arguments.glob.as_deref()).map_err(failed)?;
    // Looked at before the files are: what changes meanwhile is then searched again.
    let kept = context
        .reads()
        .and_then(|reads| Some((reads, walk::state(context, &candidates)?)));
    let Some((reads, state)) = kept else {
        return answer(arguments, &candidates, withheld, context);
    };
    let asked = format!("{arguments:?}");
    if let Some(known) = reads.recall_search(&asked, state) {
        return Ok(known);
    }
    let output = answer(arguments, &candidates, withheld, context)?;
    reads.keep_search(asked, state, &output);
    Ok(output)
}

fn answer(
    arguments: &Arguments,
    candidates: &[SearchedFile],
    withheld: usize,
    context: &ToolContext<'_>,
) -> Result<ToolOutput, ToolOutput> {
    let found = report(arguments, candidates, context)?;
    let otherwise = spellings(&arguments.pattern).filter(|_| found.matches == 0);
    let mut output = found.finish(withheld);
    if let Some(pattern) = otherwise {
        let near = report(
            &Arguments {
                pattern,
                output: Output::Lines,
                max: Some(MOST_NEAR),
                context: None,
                ..arguments.clone()
            },
            candidates,
            context,
        )?;
        if near.matches > 0 {
            output.content += &format!("spelt otherwise:\n{}", near.text);
        }
    }
    Ok(output)
}

fn report(
    arguments: &Arguments,
    candidates: &[SearchedFile],
    context: &ToolContext<'_>,
) -> Result<Report, ToolOutput> {
    let matcher = matcher(&arguments.pattern).map_err(failed)?;
    let most = arguments.max.unwrap_or(USUAL).clamp(1, MOST);
    let mut report = Report::new(arguments.output, most);
    let around = arguments.context.unwrap_or_default().min(MOST_CONTEXT);
    let kept = (arguments.output == Output::Lines).then_some(around);
    let mut search = Search::new(matcher, kept);
    for candidate in candidates {
        if context.stopped() {
            return Err(context.cut_short());
        }
        if report.is_full() {
            report.cut = true;
            break;
        }
        let room = SearchRoom {
            lines: report.room(),
            bytes: MOST_BYTES.saturating_sub(report.text.len()),
        };
        let found = look(&mut search, candidate, room, context);
        report.add(&candidate.path, found);
    }
    if context.stopped() {
        return Err(context.cut_short());
    }
    Ok(report)
}

fn look(
    search: &mut Search,
    candidate: &SearchedFile,
    room: SearchRoom,
    context: &ToolContext<'_>,
) -> SearchOutcome {
    let stopped = || context.stopped();
    match &candidate.on_disk {
        Some(path) => search.file(path, room, &stopped),
        None => match context.read(&candidate.path) {
            Ok(Some(text)) => search.text(text.as_bytes(), room, &stopped),
            Ok(None) => SearchOutcome::Nothing,
            Err(_) => SearchOutcome::Unreadable,
        },
    }
}

fn matcher(pattern: &str) -> Result<RegexMatcher, String> {
    if pattern.len() > MOST_PATTERN {
        return Err(format!(
            "the pattern has {} bytes; the limit is {MOST_PATTERN}",
            pattern.len()
        ));
    }
    RegexMatcherBuilder::new()
        .line_terminator(Some(b'\n'))
        .size_limit(MOST_COMPILED)
        .dfa_size_limit(MOST_COMPILED)
        .build(pattern)
        .map_err(|error| format!("the pattern is not a regex for single lines: {error}"))
}

fn failed(error: String) -> ToolOutput {
    ToolOutput::failed(format!("error: {error}"), error)
}

impl Report {
    fn new(output: Output, most: usize) -> Self {
        Self {
            output,
            most,
            text: String::new(),
            matches: 0,
            files: 0,
            too_large: 0,
            unreadable: 0,
            cut: false,
        }
    }

    /// Returns how many more lines may be added.
    fn room(&self) -> usize {
        self.most.saturating_sub(self.matches)
    }

    fn is_full(&self) -> bool {
        let shown = match self.output {
            Output::Lines => self.matches,
            Output::Files => self.files,
        };
        shown >= self.most || self.text.len() > MOST_BYTES
    }

    fn add(&mut self, path: &str, found: SearchOutcome) {
        let path = quote::name(path);
        match found {
            SearchOutcome::Nothing => {}
            SearchOutcome::TooLarge => self.too_large += 1,
            SearchOutcome::Unreadable => self.unreadable += 1,
            SearchOutcome::Lines { lines, more } => {
                self.files += 1;
                self.cut |= more;
                for line in lines {
                    self.matches += usize::from(matches!(line, FoundLine::Match(..)));
                    let _ = match line {
                        FoundLine::Match(number, text) => {
                            writeln!(self.text, "{path}:{number}:{text}")
                        }
                        FoundLine::Around(number, text) => {
                            writeln!(self.text, "{path}-{number}-{text}")
                        }
                        FoundLine::Gap => writeln!(self.text, "--"),
                    };
                }
            }
            SearchOutcome::Count(count) => {
                self.files += 1;
                self.matches += count;
                let _ = writeln!(self.text, "{path}:{count}");
            }
        }
    }

    fn finish(mut self, withheld: usize) -> ToolOutput {
        let most = self.most;
        if self.matches == 0 {
            self.text.push_str("no matches\n");
        }
        if self.too_large > 0 {
            let _ = writeln!(
                self.text,
                "(files over 8 MB not searched: {})",
                self.too_large
            );
        }
        if withheld > 0 {
            let _ = writeln!(
                self.text,
                "(files that the user's rules keep from you: {withheld})"
            );
        }
        if self.unreadable > 0 {
            let _ = writeln!(
                self.text,
                "(files that could not be read: {})",
                self.unreadable
            );
        }
        if self.cut {
            let _ = writeln!(
                self.text,
                "(cut at {most}; narrow pattern, path or glob, or raise max to {MOST})"
            );
        }
        let files = counted(self.files, "file");
        if self.output == Output::Files {
            let _ = writeln!(self.text, "{files}");
        }
        let matches = amount(self.matches, "match", "matches");
        let cut = if self.cut { ", cut" } else { "" };
        ToolOutput::done(self.text, format!("{matches} in {files}{cut}"))
    }
}

#[cfg(test)]
mod tests;
