//! Patches in git's format; the only printer of it.
//!
//! In: a file before and after, and both of its states. Out: what `git apply` takes.
//!
//! ```text
//! diff --git a/notes.md b/notes.md
//! old mode 100644
//! new mode 100755
//! --- a/notes.md
//! +++ b/notes.md
//! @@ -1,3 +1,3 @@
//! ```

use std::io::{self, Write};
use std::ops::Range;

use miniz_oxide::deflate::compress_to_vec_zlib;
use sha1::{Digest as _, Sha1};
use signoff_core::edit::diff::line::LineKind;
use signoff_core::edit::diff::lines::{LineDifference, diff_lines};

/// Unchanged lines on either side of a hunk, as git has them.
const CONTEXT: usize = 3;

/// Permission bits of a file that anybody may run, as git has them.
const EXECUTABLE: u32 = 0o111;

/// What git calls a file that is not there.
const NOTHING: &str = "/dev/null";

/// How much of a binary file is in one line of a patch, in bytes: its length is one letter, of which git reads 52.
const BINARY_LINE: usize = 52;

/// How hard binary files are compressed, as git does.
const COMPRESSION: u8 = 6;

/// What a file is for git, which knows no other permission bits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum GitMode {
    Regular,
    Executable,
    Link,
}

impl GitMode {
    /// Returns what git makes of permission bits; none are those of new files.
    pub(crate) fn of(is_link: bool, bits: Option<u32>) -> Self {
        match bits {
            _ if is_link => Self::Link,
            Some(bits) if bits & EXECUTABLE != 0 => Self::Executable,
            _ => Self::Regular,
        }
    }

    fn as_str(self) -> &'static str {
        match self {
            Self::Regular => "100644",
            Self::Executable => "100755",
            Self::Link => "120000",
        }
    }
}

/// A file at one side of a patch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct PatchSide<'a> {
    pub(crate) path: &'a str,
    pub(crate) mode: GitMode,
}

/// Which file a part of a patch is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct PatchHead<'a> {
    pub(crate) before: Option<PatchSide<'a>>,
    pub(crate) after: Option<PatchSide<'a>>,
}

/// One line of a hunk.
struct PatchLine<'a> {
    kind: LineKind,
    text: &'a [u8],
    /// False for a last line without a line ending.
    newline: bool,
}

impl PatchHead<'_> {
    /// Writes the part of a patch that leads from one state of a file to another; nothing where git knows no difference.
    /// A file that becomes a link goes and comes, as git has it.
    pub(crate) fn write_change(
        self,
        out: &mut impl Write,
        old: &[u8],
        new: &[u8],
    ) -> io::Result<()> {
        if let (Some(before), Some(after)) = (self.before, self.after)
            && (before.mode == GitMode::Link) != (after.mode == GitMode::Link)
        {
            let (goes, comes) = (
                Self {
                    after: None,
                    ..self
                },
                Self {
                    before: None,
                    ..self
                },
            );
            goes.write_change(out, old, &[])?;
            return comes.write_change(out, &[], new);
        }
        let head = self.head();
        if head.is_empty() && old == new {
            return Ok(());
        }
        self.write_name(out)?;
        out.write_all(head.as_bytes())?;
        if old == new {
            return Ok(());
        }
        if old.contains(&0) || new.contains(&0) {
            return self.write_binary(out, old, new);
        }
        let (old, new) = (lines(old), lines(new));
        self.write_names(out)?;
        hunks(&diff_lines(&old, &new))
            .into_iter()
            .try_for_each(|hunk| write_hunk_of(out, &hunk, &old, &new))
    }

    fn write_name(self, out: &mut impl Write) -> io::Result<()> {
        let Some(either) = self.before.or(self.after) else {
            return Ok(());
        };
        let old = name("a/", self.before.unwrap_or(either).path);
        let new = name("b/", self.after.unwrap_or(either).path);
        writeln!(out, "diff --git {old} {new}")
    }

    /// Returns the lines that say what becomes of the file beside its text.
    fn head(self) -> String {
        match (self.before, self.after) {
            (None, None) => String::new(),
            (None, Some(new)) => format!("new file mode {}\n", new.mode.as_str()),
            (Some(old), None) => format!("deleted file mode {}\n", old.mode.as_str()),
            (Some(old), Some(new)) => {
                let mut head = String::new();
                if old.mode != new.mode {
                    let (old, new) = (old.mode.as_str(), new.mode.as_str());
                    head += &format!("old mode {old}\nnew mode {new}\n");
                }
                if old.path != new.path {
                    let (from, to) = (name("", old.path), name("", new.path));
                    head += &format!("rename from {from}\nrename to {to}\n");
                }
                head
            }
        }
    }

    fn write_names(self, out: &mut impl Write) -> io::Result<()> {
        writeln!(out, "--- {}", name_of("a/", self.before))?;
        writeln!(out, "+++ {}", name_of("b/", self.after))
    }

    /// Writes both states of a file whose lines are no text. Git wants to know both by their hashes.
    fn write_binary(self, out: &mut impl Write, old: &[u8], new: &[u8]) -> io::Result<()> {
        let [from, to] = [(self.before, old), (self.after, new)].map(|(side, bytes)| match side {
            Some(_) => blob_hash(bytes),
            None => "0".repeat(40),
        });
        writeln!(out, "index {from}..{to}\nGIT binary patch")?;
        write_literal(out, new)?;
        write_literal(out, old)
    }
}

fn name_of(prefix: &str, side: Option<PatchSide<'_>>) -> String {
    match side {
        // A blank in a name would end it.
        Some(side) if side.path.contains(' ') => name(prefix, side.path) + "\t",
        Some(side) => name(prefix, side.path),
        None => NOTHING.to_owned(),
    }
}

/// Writes a hunk: where its lines are, as `@@ -3,7 +3,8 @@`, and its lines.
fn write_hunk<'l>(
    out: &mut impl Write,
    range: &str,
    lines: impl Iterator<Item = PatchLine<'l>>,
) -> io::Result<()> {
    writeln!(out, "{range}")?;
    for line in lines {
        let mark = match line.kind {
            LineKind::Context => b' ',
            LineKind::Removed => b'-',
            LineKind::Added => b'+',
        };
        out.write_all(&[mark])?;
        out.write_all(line.text)?;
        out.write_all(b"\n")?;
        if !line.newline {
            out.write_all(b"\\ No newline at end of file\n")?;
        }
    }
    Ok(())
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

fn write_hunk_of(
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
    let [removed, added] = [
        first.old.start - lead..last.old.end + trail,
        first.new.start - lead..last.new.end + trail,
    ]
    .map(|lines| {
        let first = lines.start + usize::from(!lines.is_empty());
        format!("{first},{}", lines.len())
    });
    let range = format!("@@ -{removed} +{added} @@");
    let mut shown = Vec::new();
    let mut at = first.old.start - lead;
    for change in hunk {
        shown.extend(of_kind(LineKind::Context, old, at..change.old.start));
        shown.extend(of_kind(LineKind::Removed, old, change.old.clone()));
        shown.extend(of_kind(LineKind::Added, new, change.new.clone()));
        at = change.old.end;
    }
    shown.extend(of_kind(LineKind::Context, old, at..at + trail));
    write_hunk(out, &range, shown.into_iter())
}

fn of_kind<'l>(
    kind: LineKind,
    lines: &[&'l [u8]],
    which: Range<usize>,
) -> impl Iterator<Item = PatchLine<'l>> {
    let lines = lines.get(which).unwrap_or_default().to_vec().into_iter();
    lines.map(move |line| PatchLine {
        kind,
        text: line.strip_suffix(b"\n").unwrap_or(line),
        newline: line.ends_with(b"\n"),
    })
}

fn lines(bytes: &[u8]) -> Vec<&[u8]> {
    bytes.split_inclusive(|byte| *byte == b'\n').collect()
}

/// Returns a path as git writes it: in quotes, with escapes, where it holds what is no plain character.
fn name(prefix: &str, path: &str) -> String {
    if path.bytes().all(is_plain) {
        return format!("{prefix}{path}");
    }
    let mut quoted = format!("\"{prefix}");
    for byte in path.bytes() {
        match byte {
            b'"' | b'\\' => quoted.extend(['\\', char::from(byte)]),
            b'\n' => quoted.push_str("\\n"),
            b'\t' => quoted.push_str("\\t"),
            byte if is_plain(byte) => quoted.push(char::from(byte)),
            byte => quoted += &format!("\\{byte:03o}"),
        }
    }
    quoted + "\""
}

fn is_plain(byte: u8) -> bool {
    matches!(byte, b' '..=b'~') && byte != b'"' && byte != b'\\'
}

/// Returns the name that git has for a file of these bytes.
fn blob_hash(bytes: &[u8]) -> String {
    let mut hasher = Sha1::new();
    hasher.update(format!("blob {}\0", bytes.len()));
    hasher.update(bytes);
    let hash = hasher.finalize();
    hash.iter().map(|byte| format!("{byte:02x}")).collect()
}

/// Writes the bytes of a file: compressed, in lines of base 85, each behind a letter that says how many bytes it has.
fn write_literal(out: &mut impl Write, bytes: &[u8]) -> io::Result<()> {
    writeln!(out, "literal {}", bytes.len())?;
    for chunk in compress_to_vec_zlib(bytes, COMPRESSION).chunks(BINARY_LINE) {
        let count = u8::try_from(chunk.len()).unwrap_or(u8::MAX);
        let length = match count {
            ..=26 => b'A' + count.saturating_sub(1),
            _ => b'a' + count - 27,
        };
        out.write_all(&[length])?;
        out.write_all(&base_85(chunk))?;
        out.write_all(b"\n")?;
    }
    out.write_all(b"\n")
}

/// Returns bytes in git's base 85: five digits for each four bytes, the last of which may be missing.
fn base_85(bytes: &[u8]) -> Vec<u8> {
    const DIGITS: &[u8; 85] =
        b"0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz!#$%&()*+-;<=>?@^_`{|}~";
    let mut out = Vec::new();
    for group in bytes.chunks(4) {
        let mut bytes = [0; 4];
        for (to, from) in bytes.iter_mut().zip(group) {
            *to = *from;
        }
        let number = u32::from_be_bytes(bytes);
        for place in (0..5).rev() {
            let digit = number / 85_u32.pow(place) % 85;
            out.extend(DIGITS.get(digit as usize));
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    type File<'t> = Option<(&'t str, GitMode, &'t str)>;

    fn patch(before: File<'_>, after: File<'_>) -> String {
        let [old, new] = [before, after].map(|file| file.map_or("", |(_, _, text)| text));
        let [before, after] =
            [before, after].map(|file| file.map(|(path, mode, _)| PatchSide { path, mode }));
        let mut out = Vec::new();
        PatchHead { before, after }
            .write_change(&mut out, old.as_bytes(), new.as_bytes())
            .unwrap();
        String::from_utf8(out).unwrap()
    }

    fn file<'t>(path: &'t str, text: &'t str) -> File<'t> {
        Some((path, GitMode::Regular, text))
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
    fn files_come_go_move_and_become_others() {
        let link = Some(("a", GitMode::Link, "b"));
        let run = Some(("a", GitMode::Executable, "1\n"));
        for (before, after, expected) in [
            (
                None,
                file("é", "1\n"),
                "diff --git \"a/\\303\\251\" \"b/\\303\\251\"\nnew file mode 100644\n\
                 --- /dev/null\n+++ \"b/\\303\\251\"\n@@ -0,0 +1,1 @@\n+1\n",
            ),
            (
                file("a", "1\n"),
                None,
                "diff --git a/a b/a\ndeleted file mode 100644\n--- a/a\n+++ /dev/null\n@@ -1,1 +0,0 @@\n-1\n",
            ),
            (
                file("a", "1\n"),
                file("b", "1\n"),
                "diff --git a/a b/b\nrename from a\nrename to b\n",
            ),
            (
                None,
                file("empty", ""),
                "diff --git a/empty b/empty\nnew file mode 100644\n",
            ),
            (
                file("a", "1\n"),
                run,
                "diff --git a/a b/a\nold mode 100644\nnew mode 100755\n",
            ),
            // Bits that git does not know.
            (file("a", "1\n"), file("a", "1\n"), ""),
            (
                file("a", "1\n"),
                link,
                "diff --git a/a b/a\ndeleted file mode 100644\n--- a/a\n+++ /dev/null\n@@ -1,1 +0,0 @@\n-1\n\
                 diff --git a/a b/a\nnew file mode 120000\n--- /dev/null\n+++ b/a\n@@ -0,0 +1,1 @@\n+b\n\
                 \\ No newline at end of file\n",
            ),
            (
                None,
                file("n\"\n\t\\", ""),
                "diff --git \"a/n\\\"\\n\\t\\\\\" \"b/n\\\"\\n\\t\\\\\"\nnew file mode 100644\n",
            ),
        ] {
            assert_eq!(patch(before, after), expected);
        }
    }

    #[test]
    fn binary_files_are_told_as_git_tells_them() {
        // The hash is what `printf 'a\0' | git hash-object --stdin` says.
        let told = patch(None, file("a", "a\0"));
        let head = "diff --git a/a b/a\nnew file mode 100644\n\
                    index 0000000000000000000000000000000000000000..90802fedc2462f10bf2114d086cacb9e3af99ffb\n";
        assert!(told.starts_with(head), "{told}");
        assert!(told.contains("\nGIT binary patch\nliteral 2\n"), "{told}");
        // The last four bytes are filled up with zeros, and all five letters are written.
        assert_eq!(base_85(b"\0\0\0\0a"), b"00000VE_OC");
    }
}
