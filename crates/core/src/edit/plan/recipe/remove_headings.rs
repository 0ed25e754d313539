//! Removes the headings of a Markdown text.
//!
//! In: Markdown. Out: a plan that takes out ATX and setext headings (CommonMark 4.2 and 4.3)
//! outside code, front matter, quotes and lists, each with one blank line where two would be left.

use std::ops::Range;

use super::{File, OrAnswer, Plan, already, modified, refused, removal};
use crate::edit::plan::tree::walk;
use crate::syntax::{Language, Parsed};
use crate::text::Splice;

/// Plans the removal of all headings.
pub(super) fn plan(file: File<'_>) -> OrAnswer<Plan> {
    let (headings, nested) = locate(file)?;
    let stay = match nested {
        0 => String::new(),
        count => format!("; {count} in quotes and lists stay"),
    };
    modified(
        splice(file, &headings),
        format!("headings by Markdown's rules{stay}"),
        headings.len(),
    )
}

fn locate(
    File {
        cache, path, text, ..
    }: File<'_>,
) -> OrAnswer<(Vec<Range<usize>>, usize)> {
    let markdown = ["md", "markdown", "mdx", "mkd"];
    let extension = path.extension().unwrap_or_default();
    if !markdown.contains(&extension.as_str()) {
        return Err(refused(format!("{path} is not Markdown")));
    }
    let tree = cache.parse_once(Language::Markdown, text).ok_or_else(|| {
        refused(format!(
            "{path} is too large, or nests too deeply, to be parsed; use `section`"
        ))
    })?;
    match headings(&tree) {
        (headings, 0) if headings.is_empty() => Err(already(format!("{path} has no headings"))),
        (headings, nested) if headings.is_empty() => Err(already(format!(
            "{path} has no headings but {nested} in quotes and lists, which {}",
            if nested == 1 { "stays" } else { "stay" }
        ))),
        found => Ok(found),
    }
}

/// Takes the headings out, each with one blank line where two would be left.
fn splice(File { source, text, .. }: File<'_>, headings: &[Range<usize>]) -> Vec<Splice> {
    let mut splices = Vec::new();
    // The line that will stand before the next heading; none at the start.
    let mut before: Option<usize> = None;
    let mut from = 0;
    for heading in headings {
        if heading.start > from {
            before = Some(heading.start - 1);
        }
        let clear = before.is_none_or(|line| source.line(line).trim_ascii().is_empty());
        let mut end = heading.end;
        while clear && end < source.line_count() && source.line(end).trim_ascii().is_empty() {
            end += 1;
        }
        let range = source.line_range(heading.start).start..source.line_range(end).start;
        splices.push(removal(text, range));
        from = end;
    }
    splices
}

/// Returns the lines of each heading, and how many more there are in quotes and lists.
fn headings(tree: &Parsed<'_>) -> (Vec<Range<usize>>, usize) {
    let (mut found, mut nested) = (Vec::new(), 0);
    walk(tree.root(), |step, above| {
        if !matches!(step.kind(), "atx_heading" | "setext_heading") {
            return;
        }
        if !above
            .iter()
            .all(|step| matches!(step.kind(), "document" | "section"))
        {
            nested += 1;
            return;
        }
        let (start, end) = (step.node.start_position(), step.node.end_position());
        found.push(start.row..end.row + usize::from(end.column > 0));
    });
    (found, nested)
}

#[cfg(test)]
mod tests {
    use crate::edit::plan::Outcome;
    use crate::edit::plan::testing::{run, word};
    use crate::edit::request::{Recipe, Request};

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
        // A number is no list, code and a list's text are no heading above a rule.
        check("1.2.0 / today\n===\n\n* a\n", "* a\n");
        check("# a\n\n    code\n---\n", "    code\n---\n");
        check("# a\n- item\ntext\n---\n", "- item\ntext\n---\n");
        // A fence has no fence in its line.
        check("```a``` b\n\n# c\n", "```a``` b\n\n");
        check(
            "~~~\n```\n# a\n~~~ b\n# c\n~~~\n# d\n",
            "~~~\n```\n# a\n~~~ b\n# c\n~~~\n",
        );
        check("# a\n> # b\n", "> # b\n");
    }

    #[test]
    fn without_headings_nothing_is_to_do() {
        assert_eq!(word(&remove("text\n\n- a\n---\n")), "already_applied");
        assert_eq!(word(&remove("> # a\n")), "already_applied");
        let other = run("a.rs", "# x\n", Request::Recipe(Recipe::RemoveHeadings));
        assert_eq!(word(&other), "refused");
    }
}
