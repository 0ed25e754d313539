//! Removes the headings of a Markdown text.
//!
//! In: Markdown. Out: a plan that takes out ATX and setext headings (CommonMark 4.2 and 4.3)
//! outside fenced code and front matter, each with one blank line where two would be left.

use std::ops::Range;

use super::{File, OrAnswer, Plan, already, modified, refused, removal};
use crate::text::Splice;

/// Plans the removal of all headings.
pub(super) fn plan(file: File<'_>) -> OrAnswer<Plan> {
    let headings = locate(file)?;
    modified(
        splice(file, &headings),
        "headings by Markdown's rules",
        headings.len(),
    )
}

fn locate(File { path, text, .. }: File<'_>) -> OrAnswer<Vec<Range<usize>>> {
    let markdown = ["md", "markdown", "mdx", "mkd"];
    let extension = path.extension().unwrap_or_default();
    if !markdown.contains(&extension.as_str()) {
        return Err(refused(format!("{path} is not Markdown")));
    }
    let headings = headings(&text.lines().collect::<Vec<_>>());
    match headings.is_empty() {
        true => Err(already(format!("{path} has no headings"))),
        false => Ok(headings),
    }
}

/// Takes the headings out, each with one blank line where two would be left.
fn splice(File { source, text, .. }: File<'_>, headings: &[Range<usize>]) -> Vec<Splice> {
    let blank = |line: usize| source.line(line).trim_ascii().is_empty();
    let mut splices = Vec::new();
    // The line that will stand before the next heading; none at the start.
    let mut before: Option<usize> = None;
    let mut from = 0;
    for heading in headings {
        if heading.start > from {
            before = Some(heading.start - 1);
        }
        let clear = before.is_none_or(blank);
        let mut end = heading.end;
        while clear && end < source.line_count() && blank(end) {
            end += 1;
        }
        let range = source.line_range(heading.start).start..source.line_range(end).start;
        splices.push(removal(text, range));
        from = end;
    }
    splices
}

/// Returns the lines of each heading.
fn headings(lines: &[&str]) -> Vec<Range<usize>> {
    let mut found = Vec::new();
    let mut fence: Option<(char, usize)> = None;
    let mut paragraph: Option<usize> = None;
    let mut index = front_matter(lines);
    while let Some(line) = lines.get(index) {
        let own = fence_of(line);
        match (fence, own) {
            (Some(open), Some(close)) if close.0 == open.0 && close.1 >= open.1 => fence = None,
            (Some(_), _) => {}
            (None, Some(open)) => {
                fence = Some(open);
                paragraph = None;
            }
            (None, None) if is_atx(line) => {
                found.push(index..index + 1);
                paragraph = None;
            }
            (None, None) if is_underline(line) && paragraph.is_some() => {
                found.push(paragraph.unwrap_or(index)..index + 1);
                paragraph = None;
            }
            (None, None) if line.trim().is_empty() || starts_block(line) => paragraph = None,
            (None, None) => paragraph = paragraph.or(Some(index)),
        }
        index += 1;
    }
    found
}

/// Returns the number of lines of YAML front matter.
fn front_matter(lines: &[&str]) -> usize {
    if lines.first().map(|line| line.trim_end()) != Some("---") {
        return 0;
    }
    let close = lines
        .iter()
        .skip(1)
        .position(|line| line.trim_end() == "---");
    close.map_or(0, |at| at + 2)
}

fn fence_of(line: &str) -> Option<(char, usize)> {
    let line = outdented(line)?;
    let mark = line.chars().next().filter(|c| matches!(c, '`' | '~'))?;
    let length = line.chars().take_while(|c| *c == mark).count();
    (length >= 3).then_some((mark, length))
}

fn is_atx(line: &str) -> bool {
    let Some(line) = outdented(line) else {
        return false;
    };
    let rest = line.trim_start_matches('#');
    let level = line.len() - rest.len();
    (1..=6).contains(&level) && (rest.is_empty() || rest.starts_with([' ', '\t']))
}

fn is_underline(line: &str) -> bool {
    let Some(line) = outdented(line).map(str::trim_end) else {
        return false;
    };
    let all = |mark: char| !line.is_empty() && line.chars().all(|c| c == mark);
    all('=') || all('-')
}

/// Returns whether a line begins a list item, a quote or a table row, which no underline makes
/// a heading.
fn starts_block(line: &str) -> bool {
    let line = line.trim_start();
    let numbered = line.trim_start_matches(|c: char| c.is_ascii_digit());
    let list = ["- ", "* ", "+ ", ">", "|"]
        .iter()
        .any(|mark| line.starts_with(mark));
    list || (numbered.len() < line.len() && numbered.starts_with(['.', ')']))
}

/// Returns the line without its indentation, unless that makes it code.
fn outdented(line: &str) -> Option<&str> {
    let bare = line.trim_start_matches(' ');
    (line.len() - bare.len() <= 3).then_some(bare)
}

#[cfg(test)]
mod tests {
    use crate::plan::Outcome;
    use crate::plan::testing::{run, word};
    use crate::request::{Recipe, Request};

    fn remove(before: &str) -> Result<String, Outcome> {
        run("notes.md", before, Request::Recipe(Recipe::RemoveHeadings))
    }

    #[test]
    fn headings_go_and_everything_else_stays() {
        let check = |before: &str, after: &str| assert_eq!(remove(before).unwrap(), after);
        check("# Title\n\nText.\n\n## Part\n\nMore.\n", "Text.\n\nMore.\n");
        check(
            "Title\n=====\n\nText.\n\nPart\n---\nMore.\n",
            "Text.\n\nMore.\n",
        );
        check("a\n# b\nc\n", "a\nc\n");
        check(
            "```sh\n# comment\n```\n\n### c ###\n",
            "```sh\n# comment\n```\n\n",
        );
        check("---\ntitle: x\n---\n# a\nb\n", "---\ntitle: x\n---\nb\n");
        check(
            "# a\n## b\n\n#hash\n\n    # code\n",
            "#hash\n\n    # code\n",
        );
        check("- item\n---\n# a\r\n\r\nb\r\n", "- item\n---\n\r\nb\r\n");
    }

    #[test]
    fn without_headings_nothing_is_to_do() {
        assert_eq!(word(&remove("text\n\n- a\n---\n")), "already_applied");
        let other = run("a.rs", "# x\n", Request::Recipe(Recipe::RemoveHeadings));
        assert_eq!(word(&other), "refused");
    }
}
