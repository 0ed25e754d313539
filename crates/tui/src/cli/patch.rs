//! Patch of all that waits, in the format of git.
//!
//! In: the net change of each file. Out: a patch that `git apply` takes: bytes as they are, and on a terminal
//! harmless text in colours.
//!
//! ```text
//! diff --git a/notes.md b/notes.md
//! --- a/notes.md
//! +++ b/notes.md
//! @@ -1,3 +1,3 @@
//! ```

use std::io::{self, IsTerminal as _, Write};
use std::ops::Range;

use signoff_core::edit::diff::lines::{LineDifference, diff_lines};
use signoff_core::engine::{FileState, NetChange};

use super::pager::Pages;
use super::{Ending, opened, out};
use crate::paths::Paths;
use crate::user_shell::UserShell;

/// Unchanged lines on either side of a hunk, as git has them.
const CONTEXT: usize = 3;

/// Permission bits of a file that anybody may run, as git has them.
const EXECUTABLE: u32 = 0o111;

pub(super) fn run(paths: &Paths) -> anyhow::Result<Ending> {
    let changes = opened::as_it_is(paths)?.net_changes()?;
    if changes.is_empty() {
        out::remark("nothing waits for a verdict");
        return Ok(Ending::Done);
    }
    let mut patch = Vec::new();
    for change in &changes {
        write_file(&mut patch, change)?;
    }
    if io::stdout().is_terminal() {
        let mut pages = Pages::new();
        let text = String::from_utf8_lossy(&patch);
        text.lines().for_each(|line| pages.diff_line(line));
        pages.show(&UserShell::new(paths))?;
    } else {
        let mut out = io::stdout().lock();
        out.write_all(&patch)?;
        out.flush()?;
    }
    Ok(Ending::Done)
}

fn write_file(out: &mut impl Write, change: &NetChange) -> io::Result<()> {
    let (before, after) = (change.before.as_ref(), change.after.as_ref());
    let Some(either) = before.or(after) else {
        return Ok(());
    };
    let (old, new) = (before.unwrap_or(either), after.unwrap_or(either));
    let (a, b) = (name("a/", &old.path), name("b/", &new.path));
    writeln!(out, "diff --git {a} {b}")?;
    match (before, after) {
        (None, _) => writeln!(out, "new file mode {}", mode(new))?,
        (_, None) => writeln!(out, "deleted file mode {}", mode(old))?,
        (Some(_), Some(_)) => {
            if mode(old) != mode(new) {
                writeln!(out, "old mode {}\nnew mode {}", mode(old), mode(new))?;
            }
            if old.path != new.path {
                let (from, to) = (name("", &old.path), name("", &new.path));
                writeln!(out, "rename from {from}\nrename to {to}")?;
            }
        }
    }
    let nothing: &[u8] = &[];
    let old_lines = lines(before.map_or(nothing, |file| &file.bytes));
    let new_lines = lines(after.map_or(nothing, |file| &file.bytes));
    let changes = diff_lines(&old_lines, &new_lines);
    if changes.is_empty() {
        return Ok(());
    }
    let side = |file: Option<&FileState>, name: String| match file {
        // A blank in a name would end it.
        Some(file) if file.path.contains(' ') => name + "\t",
        Some(_) => name,
        None => "/dev/null".to_owned(),
    };
    writeln!(out, "--- {}\n+++ {}", side(before, a), side(after, b))?;
    hunks(&changes)
        .into_iter()
        .try_for_each(|hunk| write_hunk(out, &hunk, &old_lines, &new_lines))
}

/// Returns the changes that share a hunk: their context lines touch.
fn hunks(changes: &[LineDifference]) -> Vec<Vec<&LineDifference>> {
    let mut hunks: Vec<Vec<&LineDifference>> = Vec::new();
    for change in changes {
        match hunks.last_mut() {
            Some(hunk)
                if hunk
                    .last()
                    .is_some_and(|last| change.old.start - last.old.end <= 2 * CONTEXT) =>
            {
                hunk.push(change);
            }
            _ => hunks.push(vec![change]),
        }
    }
    hunks
}

fn write_hunk(
    out: &mut impl Write,
    hunk: &[&LineDifference],
    old: &[&[u8]],
    new: &[&[u8]],
) -> io::Result<()> {
    let (Some(first), Some(last)) = (hunk.first(), hunk.last()) else {
        return Ok(());
    };
    let lead = first.old.start.min(CONTEXT);
    let trail = (old.len() - last.old.end).min(CONTEXT);
    let span = |start: usize, end: usize| {
        let count = end + trail - (start - lead);
        let first = start - lead + usize::from(count > 0);
        format!("{first},{count}")
    };
    writeln!(
        out,
        "@@ -{} +{} @@",
        span(first.old.start, last.old.end),
        span(first.new.start, last.new.end)
    )?;
    let mut at = first.old.start - lead;
    for change in hunk {
        write_lines(out, b' ', old, at..change.old.start)?;
        write_lines(out, b'-', old, change.old.clone())?;
        write_lines(out, b'+', new, change.new.clone())?;
        at = change.old.end;
    }
    write_lines(out, b' ', old, at..at + trail)
}

fn write_lines(
    out: &mut impl Write,
    mark: u8,
    lines: &[&[u8]],
    which: Range<usize>,
) -> io::Result<()> {
    for line in lines.get(which).unwrap_or_default() {
        out.write_all(&[mark])?;
        out.write_all(line)?;
        if !line.ends_with(b"\n") {
            out.write_all(b"\n\\ No newline at end of file\n")?;
        }
    }
    Ok(())
}

fn lines(bytes: &[u8]) -> Vec<&[u8]> {
    bytes.split_inclusive(|byte| *byte == b'\n').collect()
}

fn mode(file: &FileState) -> &'static str {
    match file.mode {
        _ if file.is_link => "120000",
        Some(mode) if mode & EXECUTABLE != 0 => "100755",
        _ => "100644",
    }
}

/// Returns a path as git writes it: in quotes, with escapes, where it holds what is no plain character.
fn name(side: &str, path: &str) -> String {
    let plain = |byte: u8| matches!(byte, b' '..=b'~') && byte != b'"' && byte != b'\\';
    if path.bytes().all(plain) {
        return format!("{side}{path}");
    }
    let mut quoted = format!("\"{side}");
    for byte in path.bytes() {
        match byte {
            b'"' | b'\\' => quoted.extend(['\\', char::from(byte)]),
            byte if plain(byte) => quoted.push(char::from(byte)),
            byte => quoted += &format!("\\{byte:03o}"),
        }
    }
    quoted + "\""
}

#[cfg(test)]
mod tests {
    use super::*;

    fn file(path: &str, text: &str) -> Option<FileState> {
        Some(FileState {
            path: path.to_owned(),
            bytes: text.into(),
            is_link: false,
            mode: Some(0o644),
        })
    }

    fn patch(before: Option<FileState>, after: Option<FileState>) -> String {
        let mut out = Vec::new();
        write_file(&mut out, &NetChange { before, after }).unwrap();
        String::from_utf8(out).unwrap()
    }

    #[test]
    fn a_change_has_context_and_what_lacks_a_line_ending_says_so() {
        let text: String = (1..=20).map(|n| format!("{n}\n")).collect();
        let changed = text
            .replace("2\n3\n", "2\nx\n")
            .replace("19\n20\n", "19\ny");
        assert_eq!(
            patch(file("a b", &text), file("a b", &changed)),
            "diff --git a/a b b/a b\n--- a/a b\t\n+++ b/a b\t\n\
             @@ -1,6 +1,6 @@\n 1\n 2\n-3\n+x\n 4\n 5\n 6\n\
             @@ -17,4 +17,4 @@\n 17\n 18\n 19\n-20\n+y\n\\ No newline at end of file\n"
        );
    }

    #[test]
    fn files_come_go_and_move() {
        assert_eq!(
            patch(None, file("é", "1\n")),
            "diff --git \"a/\\303\\251\" \"b/\\303\\251\"\nnew file mode 100644\n\
             --- /dev/null\n+++ \"b/\\303\\251\"\n@@ -0,0 +1,1 @@\n+1\n"
        );
        assert_eq!(
            patch(file("a", "1\n"), None),
            "diff --git a/a b/a\ndeleted file mode 100644\n--- a/a\n+++ /dev/null\n@@ -1,1 +0,0 @@\n-1\n"
        );
        assert_eq!(
            patch(file("a", "1\n"), file("b", "1\n")),
            "diff --git a/a b/b\nrename from a\nrename to b\n"
        );
        assert_eq!(
            patch(None, file("empty", "")),
            "diff --git a/empty b/empty\nnew file mode 100644\n"
        );
    }
}
