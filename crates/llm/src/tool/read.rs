//! `read`: lines of one file with their numbers, with every staged change in it; of a long file
//! first what it defines, and where.

use serde::de::IgnoredAny;
use signoff_core::clip;
use signoff_core::plural::counted;
use signoff_core::quote;

use super::arguments::{Told, arguments, count, integer, said, text};
use super::{CallFacts, PlainTool, Reach, ToolContext, ToolOutput, outline};

/// The tool.
pub(super) struct Read;

const DESCRIPTION: &str = "Read a file as numbered lines (number, tab, text).";
/// The most lines that one answer holds.
const MOST_LINES: usize = 2000;
/// The most bytes that one answer holds, roughly: some 15,000 tokens.
pub(super) const MOST_BYTES: usize = 60 * 1024;
/// Where a single line is cut, as of minified files.
const MOST_LINE: usize = 8 * 1024;

arguments! {
    pub(super) struct Arguments {
        #[serde(alias = "file_path", alias = "filePath")]
        path: String = Told::Required(text()),
        #[serde(default, deserialize_with = "count")]
        start: Option<usize> = Told::Optional(said(integer(), "first line, from 1")),
        #[serde(default, deserialize_with = "count")]
        end: Option<usize> = Told::Optional(integer()),
        /// As Claude Code's `Read` has them: the first line, and how many.
        #[serde(default, deserialize_with = "count")]
        offset: Option<usize> = Told::Untold,
        #[serde(default, deserialize_with = "count")]
        limit: Option<usize> = Told::Untold,
        /// As text editors of other programs have it: the first line and the last, -1 for that of the file.
        view_range: Option<(i64, i64)> = Told::Untold,
        #[serde(default)]
        #[expect(dead_code, reason = "it led here: no other command is meant")]
        command: IgnoredAny = Told::Untold,
    }
}

impl Arguments {
    /// Returns the first line that is asked for.
    fn first(&self) -> Option<usize> {
        let viewed = self.view_range.map(|(first, _)| first);
        let viewed = viewed.and_then(|first| usize::try_from(first).ok());
        self.start.or(self.offset).or(viewed)
    }

    /// Returns the last line that is asked for.
    fn last(&self) -> Option<usize> {
        let first = self.first().unwrap_or(1).max(1);
        let counted = self
            .limit
            .map(|lines| first.saturating_add(lines).saturating_sub(1));
        let viewed = self.view_range.map(|(_, last)| last);
        let viewed = viewed.and_then(|last| usize::try_from(last).ok());
        self.end.or(counted).or(viewed)
    }
}

impl PlainTool for Read {
    type Arguments = Arguments;
    const NAME: &'static str = "read";
    const DESCRIPTION: &'static str = DESCRIPTION;
    const REACH: Reach = Reach::Observe;

    fn facts(&self, arguments: &Arguments) -> CallFacts {
        CallFacts::path(&arguments.path)
    }

    fn run(&self, arguments: &Arguments, context: &ToolContext<'_>) -> ToolOutput {
        let (path, start, end) = (&arguments.path, arguments.first(), arguments.last());
        match context.read(path) {
            Ok(Some(text)) => {
                context.show(path);
                match (start, end) {
                    (None, None) => whole(path, &text, context),
                    _ => page(path, &text, start.unwrap_or(1), end),
                }
            }
            Ok(None) => context.missing(path),
            Err(error) => ToolOutput::failed(format!("error: {error}"), error),
        }
    }
}

/// Returns all of a file, or of a long one its outline: the first page is seldom the one that is
/// wanted. A file without an outline comes in pages.
fn whole(path: &str, text: &str, context: &ToolContext<'_>) -> ToolOutput {
    let total = text.lines().count();
    let is_long = total > MOST_LINES || text.len() > MOST_BYTES;
    let outline = is_long.then(|| outline::lines(context, path, text, outline::MOST_DEFINITIONS));
    let Some((shown, count)) = outline.flatten() else {
        return page(path, text, 1, None);
    };
    ToolOutput::done(
        format!(
            "{} has {}, too many for one answer. Its definitions, with their \
             lines:\n{shown}(read the part that you need with start and end, as start=1 end=200)\n",
            quote::name(path),
            counted(total, "line")
        ),
        format!(
            "{path}: {}, outline of {}",
            counted(total, "line"),
            counted(count, "definition")
        ),
    )
}

/// Returns lines of a file with their numbers.
pub(super) fn page(path: &str, text: &str, start: usize, end: Option<usize>) -> ToolOutput {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let total = text.lines().count();
    let start = start.max(1);
    let last = end.unwrap_or(usize::MAX).min(total);
    if total == 0 {
        return ToolOutput::done("(empty file)\n", format!("{path}: empty"));
    }
    if start > last {
        let error = format!(
            "{} has {}; {start} to {last} is no range of them",
            quote::name(path),
            counted(total, "line")
        );
        return ToolOutput::failed(format!("error: {error}"), error);
    }
    let mut shown = String::new();
    let mut next = start;
    for line in text.lines().skip(start - 1).take(last - start + 1) {
        if next - start == MOST_LINES || shown.len() + line.len().min(MOST_LINE) > MOST_BYTES {
            break;
        }
        push_line(&mut shown, next, line);
        next += 1;
    }
    if next <= last {
        let more = last + 1 - next;
        shown += &format!(
            "({} of {total}; go on with start={next})\n",
            counted(more, "more line")
        );
    }
    let until = next - 1;
    ToolOutput::done(shown, format!("{path}: lines {start}-{until} of {total}"))
}

fn push_line(shown: &mut String, number: usize, line: &str) {
    let (start, rest) = clip::split(line, MOST_LINE);
    *shown += &format!("{number:>5}\t{start}");
    if !rest.is_empty() {
        *shown += &format!(" (line cut: {} more bytes)", rest.len());
    }
    shown.push('\n');
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::tool::testing::Folder;

    #[test]
    fn a_long_file_is_outlined_until_a_part_is_asked_for() {
        let code: String = (0..900)
            .map(|number| format!("def f{number}():\n    a = 1\n    return a\n"))
            .collect();
        let notes = "x\n".repeat(2001);
        let folder = Folder::new(&[("long.py", &code), ("long.txt", &notes)]);
        let output = folder.call("read", json!({ "path": "long.py" }));
        let lines: Vec<&str> = output.content.lines().collect();
        assert!(lines[0].starts_with("long.py has 2700 lines, too many for one answer."));
        assert_eq!(lines[1..3], ["1-3 function f0", "4-6 function f1"]);
        assert_eq!(lines[401], "(500 more)");
        assert!(lines[402].contains("start=1 end=200"), "{}", lines[402]);
        let part = folder.call("read", json!({ "path": "long.py", "start": 4, "end": 5 }));
        assert_eq!(part.content, "    4\tdef f1():\n    5\t    a = 1\n");
        let first = folder.call("read", json!({ "path": "long.py", "start": 1 }));
        assert!(
            first
                .content
                .ends_with("(700 more lines of 2700; go on with start=2001)\n")
        );
        let plain = folder.call("read", json!({ "path": "long.txt" }));
        assert!(plain.content.starts_with("    1\tx\n"), "no outline");
    }

    #[test]
    fn offset_and_limit_are_the_first_line_and_how_many() {
        let folder = Folder::new(&[("a", "1\n2\n3\n4\n")]);
        for (given, expected) in [
            (json!({ "offset": 2, "limit": 2 }), "    2\t2\n    3\t3\n"),
            (json!({ "offset": 4 }), "    4\t4\n"),
            (json!({ "limit": "1" }), "    1\t1\n"),
            (json!({ "offset": 0, "limit": 1 }), "    1\t1\n"),
            (json!({ "offset": 3, "limit": 99 }), "    3\t3\n    4\t4\n"),
            (
                json!({ "offset": 9, "limit": 1, "start": 2, "end": 2 }),
                "    2\t2\n",
            ),
            (
                json!({ "limit": 0 }),
                "error: a has 4 lines; 1 to 0 is no range of them",
            ),
        ] {
            let mut arguments = given.clone();
            arguments["path"] = "a".into();
            let output = folder.call("read", arguments);
            assert_eq!(output.content, expected, "{given}");
        }
    }

    fn check(text: &str, start: usize, end: Option<usize>, expected: &str) {
        assert_eq!(page("a", text, start, end).content, expected);
    }

    #[test]
    fn lines_are_numbered_from_one() {
        check("x\ny\n", 1, None, "    1\tx\n    2\ty\n");
        check("x\r\ny", 1, None, "    1\tx\n    2\ty\n");
        check("x\ny\nz\n", 2, Some(2), "    2\ty\n");
        check("x\ny\nz\n", 0, Some(1), "    1\tx\n");
        check("x\ny\nz\n", 3, Some(99), "    3\tz\n");
        check("\u{feff}x\n", 1, None, "    1\tx\n");
        check("", 1, None, "(empty file)\n");
    }

    #[test]
    fn a_range_that_is_none_is_an_answer() {
        check(
            "x\n",
            2,
            None,
            "error: a has 1 line; 2 to 1 is no range of them",
        );
        check(
            "x\ny\n",
            2,
            Some(1),
            "error: a has 2 lines; 2 to 1 is no range of them",
        );
        assert!(!page("a", "x\n", 2, None).ok);
    }

    #[test]
    fn long_files_come_in_pages() {
        let text = "x\n".repeat(4500);
        let first = page("a", &text, 1, None);
        assert!(
            first
                .content
                .ends_with(" 2000\tx\n(2500 more lines of 4500; go on with start=2001)\n")
        );
        assert_eq!(first.summary, "a: lines 1-2000 of 4500");
        let third = page("a", &text, 4001, None);
        assert!(third.content.ends_with(" 4500\tx\n"));
    }

    #[test]
    fn pages_are_bounded_in_bytes_and_every_page_gets_on() {
        let text = format!("{}\n", "ü".repeat(40_000)).repeat(30);
        let mut start = 1;
        while start <= 30 {
            let content = page("a", &text, start, None).content;
            assert!(content.len() < MOST_BYTES + MOST_LINE);
            let lines = content
                .lines()
                .filter(|line| line.contains("line cut: "))
                .count();
            assert!(lines > 0);
            start += lines;
        }
    }
}
