//! Blame: who wrote each line of a file.
//!
//! In: a file's entries, its text, and what the user changed since. Out: for each line the
//! entry, or the user, that last put something into it. What a revert puts back belongs to whoever
//! wrote it first.

use std::ops::Range;

use super::{Entry, EntryKind, FileHistory};
use crate::edit::diff::lines::narrowed;
use crate::text::{EditSet, Mismatch, Slice, Source};

/// Who last put something into a line.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Author {
    /// Before the oldest entry that is kept.
    Before,
    /// An entry of this version.
    Entry(u64),
    /// The user, after the entry of this version.
    User(u64),
}

/// Who last put something into a line, and with which splice of their change.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LineOrigin {
    /// Who.
    pub author: Author,
    /// The splice of the entry or of the user's change, from 0.
    pub splice: usize,
}

/// Bytes in a row with one author, that came with one splice.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Run {
    length: usize,
    author: Author,
    splice: usize,
}

/// Returns where each line of `now` comes from.
pub fn blame(
    history: &FileHistory,
    since: &EditSet,
    now: &Source,
) -> Result<Vec<LineOrigin>, Mismatch> {
    let mut steps: Vec<(&EditSet, Author)> = Vec::new();
    let mut version = 0;
    for (index, entry) in history.entries.iter().enumerate() {
        if index > 0 {
            steps.push((&entry.drift, Author::User(version)));
        }
        version = entry.version;
        steps.push((&entry.edits, Author::Entry(version)));
    }
    steps.push((since, Author::User(version)));

    let grown: isize = steps.iter().map(|(edits, _)| growth(edits)).sum();
    let length = now
        .bytes()
        .len()
        .checked_add_signed(-grown)
        .ok_or(Mismatch { at: 0 })?;
    let mut runs = vec![Run {
        length,
        author: Author::Before,
        splice: 0,
    }];
    let mut before: Vec<Vec<Run>> = Vec::with_capacity(history.entries.len());
    for (edits, author) in steps {
        let next = after(&runs, edits, author)?;
        let known = std::mem::replace(&mut runs, next);
        if let Author::Entry(_) = author {
            before.push(known);
            runs = with_first_authors(&history.entries, &before, runs);
        }
    }
    Ok(by_line(&runs, now))
}

/// Gives the bytes that the newest entry played, a revert, put back to those who wrote them before
/// the entries that it takes back. `before` holds the runs before each entry played.
fn with_first_authors(entries: &[Entry], before: &[Vec<Run>], runs: Vec<Run>) -> Vec<Run> {
    let played = entries.slice(..before.len());
    let Some((
        Entry {
            kind: EntryKind::Revert(taken),
            version,
            ..
        },
        _,
    )) = played.split_last()
    else {
        return runs;
    };
    let first = played
        .iter()
        .position(|entry| taken.contains(&entry.version));
    let known = first.and_then(|first| {
        let since = composed(played.get(first..)?).ok()?;
        after(before.get(first)?, &since, Author::Entry(*version)).ok()
    });
    match known {
        Some(known) => replaced(&runs, &known, Author::Entry(*version)),
        None => runs,
    }
}

/// Returns what entries, and what the user changed between them, change in all, without the lines
/// that end as they began.
fn composed(entries: &[Entry]) -> Result<EditSet, Mismatch> {
    let mut all = EditSet::default();
    for (index, entry) in entries.iter().enumerate() {
        if index > 0 {
            all = all.compose(&entry.drift)?;
        }
        all = all.compose(&entry.edits)?;
    }
    Ok(narrowed(&all))
}

/// Returns `runs` with the author in `known` for each byte of `author`; both are of one text.
fn replaced(runs: &[Run], known: &[Run], author: Author) -> Vec<Run> {
    let mut cursor = Cursor {
        runs: known,
        next: 0,
        used: 0,
    };
    let mut out = Vec::with_capacity(runs.len() + known.len());
    for run in runs {
        let mut own = Vec::new();
        let taken = cursor.take(run.length, |known| own.push(known));
        match taken {
            Ok(()) if run.author == author => out.append(&mut own),
            _ => out.push(*run),
        }
    }
    out
}

fn growth(edits: &EditSet) -> isize {
    edits
        .splices()
        .iter()
        .map(|splice| splice.new.len() as isize - splice.old.len() as isize)
        .sum()
}

/// Returns the runs after a change whose new bytes are `author`'s.
fn after(runs: &[Run], edits: &EditSet, author: Author) -> Result<Vec<Run>, Mismatch> {
    let mut cursor = Cursor {
        runs,
        next: 0,
        used: 0,
    };
    let mut out: Vec<Run> = Vec::with_capacity(runs.len() + edits.splices().len() * 2);
    let mut done = 0;
    for (number, splice) in edits.splices().iter().enumerate() {
        cursor.take(splice.at - done, |run| out.push(run))?;
        cursor.take(splice.old.len(), drop)?;
        if !splice.new.is_empty() {
            out.push(Run {
                length: splice.new.len(),
                author,
                splice: number,
            });
        }
        done = splice.end();
    }
    cursor.take(usize::MAX, |run| out.push(run)).or(Ok(()))?;
    Ok(out)
}

struct Cursor<'a> {
    runs: &'a [Run],
    next: usize,
    used: usize,
}

impl Cursor<'_> {
    /// Takes `length` bytes; fails if there are fewer.
    fn take(&mut self, mut length: usize, mut each: impl FnMut(Run)) -> Result<(), Mismatch> {
        while length > 0 {
            let run = *self.runs.get(self.next).ok_or(Mismatch { at: 0 })?;
            let taken = (run.length - self.used).min(length);
            if taken > 0 {
                each(Run {
                    length: taken,
                    ..run
                });
            }
            length -= taken;
            self.used += taken;
            if self.used == run.length {
                self.next += 1;
                self.used = 0;
            }
        }
        Ok(())
    }
}

/// Returns where the latest bytes of each line come from.
fn by_line(runs: &[Run], now: &Source) -> Vec<LineOrigin> {
    let mut origins = Vec::with_capacity(now.line_count());
    let mut runs = runs.iter().scan(0, |start, run| {
        let range = *start..*start + run.length;
        *start = range.end;
        let (author, splice) = (run.author, run.splice);
        Some((range, LineOrigin { author, splice }))
    });
    let mut current = runs.next();
    for line in 0..now.line_count() {
        let range = now.line_range(line);
        let mut latest = LineOrigin {
            author: Author::Before,
            splice: 0,
        };
        while let Some((bytes, origin)) = current.clone() {
            if overlap(&bytes, &range) {
                latest = latest.max_by_time(origin);
            }
            if bytes.end > range.end {
                break;
            }
            current = runs.next();
        }
        origins.push(latest);
    }
    origins
}

fn overlap(a: &Range<usize>, b: &Range<usize>) -> bool {
    a.start < b.end && b.start < a.end
}

impl LineOrigin {
    fn max_by_time(self, other: Self) -> Self {
        if time_of(other.author) >= time_of(self.author) {
            other
        } else {
            self
        }
    }
}

fn time_of(author: Author) -> (u64, u8) {
    match author {
        Author::Before => (0, 0),
        Author::Entry(version) => (version, 0),
        Author::User(version) => (version, 1),
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;
    use crate::disk::workspace::WorkspacePath;
    use crate::edit::diff::lines::difference;
    use crate::edit::plan::Presence;
    use crate::id::Timestamp;
    use crate::record::history::{Entry, EntryKind};

    fn entry(version: u64, drift: (&str, &str), edits: (&str, &str)) -> Entry {
        let change = |(old, new): (&str, &str)| difference(&Source::new(old), &Source::new(new));
        Entry {
            path: WorkspacePath::parse("a", Path::new("/w")).unwrap(),
            version,
            time: Timestamp(0),
            description: String::new(),
            kind: EntryKind::Revert(Vec::new()),
            presence: Presence::Kept,
            drift: change(drift),
            edits: change(edits),
            lines: (0, 0),
            attributes: None,
            encoding: crate::text::Encoding::Utf8,
            moved: None,
            folders: Vec::new(),
            sign_off: None,
        }
    }

    fn authors(history: &FileHistory, since: &EditSet, now: &Source) -> Vec<Author> {
        let origins = blame(history, since, now).unwrap().into_iter();
        origins.map(|origin| origin.author).collect()
    }

    #[test]
    fn a_line_knows_the_splice_that_it_came_with() {
        let texts = ["a\nb\nc\nd\n", "A\nb\nC\nd\n"];
        let history = FileHistory {
            entries: vec![entry(1, ("", ""), (texts[0], texts[1]))],
            ..FileHistory::default()
        };
        let now = Source::new("new\nA\nb\nC\nd\n");
        let since = difference(&Source::new(texts[1]), &now);
        let origins = blame(&history, &since, &now).unwrap().into_iter();
        let splices = origins.filter(|own| own.author == Author::Entry(1));
        let splices: Vec<usize> = splices.map(|own| own.splice).collect();
        assert_eq!(splices, [0, 1]);
    }

    #[test]
    fn each_line_has_its_latest_author() {
        let texts = [
            "a\nb\nc\n",
            "a\nB\nc\n",
            "mine\na\nB\nc\n",
            "mine\na\nB\nC\nd\n",
        ];
        let history = FileHistory {
            entries: vec![
                entry(3, ("", ""), (texts[0], texts[1])),
                entry(4, (texts[1], texts[2]), (texts[2], texts[3])),
            ],
            ..FileHistory::default()
        };
        let now = Source::new("mine\na\nB\nC\nd\nlast\n");
        let since = difference(&Source::new(texts[3]), &now);
        let authors = authors(&history, &since, &now);
        use Author::{Before, Entry, User};
        assert_eq!(
            authors,
            [User(3), Before, Entry(3), Entry(4), Entry(4), User(4)]
        );
    }

    /// Plays texts, each with the versions that its entry takes back, if it is a revert, and
    /// checks the authors of the last one's lines.
    fn check(texts: &[(&str, &[u64])], expected: &[Author]) {
        let entries = texts.windows(2).zip(1..).map(|(pair, version)| {
            let kind = match pair[1].1 {
                [] => EntryKind::Ran {
                    changeset: crate::id::ChangesetId(uuid::Uuid::nil()),
                    origin: crate::stage::proposal::Origin::default(),
                },
                taken => EntryKind::Revert(taken.to_vec()),
            };
            Entry {
                kind,
                ..entry(version, ("", ""), (pair[0].0, pair[1].0))
            }
        });
        let history = FileHistory {
            entries: entries.collect(),
            ..FileHistory::default()
        };
        let now = Source::new(texts.last().unwrap().0);
        let authors = authors(&history, &EditSet::default(), &now);
        assert_eq!(authors, expected, "{texts:?}");
    }

    #[test]
    fn a_line_that_was_put_back_is_its_first_authors() {
        use Author::{Before, Entry};
        let (old, new, last) = ("a\nb\nc\n", "a\nB\nc\n", "a\nB\nC\n");
        let changed = [Before, Entry(1), Before];
        check(&[(old, &[]), (new, &[]), (old, &[1])], &[Before; 3]);
        check(
            &[(old, &[]), (new, &[]), (old, &[1]), (new, &[2])],
            &changed,
        );
        // A revert of a redo, and a redo of that.
        let back = [
            (old, &[][..]),
            (new, &[]),
            (old, &[1]),
            (new, &[2]),
            (old, &[3]),
        ];
        check(&back, &[Before; 3]);
        check(&[&back[..], &[(new, &[4])]].concat(), &changed);
        // Several at once, and put back at once.
        let both = [
            (old, &[][..]),
            (new, &[]),
            (last, &[]),
            (old, &[2, 1]),
            (last, &[3]),
        ];
        check(&both, &[Before, Entry(1), Entry(2)]);
        // One out of the middle.
        check(
            &[
                (old, &[]),
                (new, &[]),
                (last, &[]),
                ("a\nb\nC\n", &[1]),
                (last, &[3]),
            ],
            &[Before, Entry(1), Entry(2)],
        );
        // A file that goes and comes again.
        check(&[(old, &[]), (new, &[]), ("", &[]), (new, &[2])], &changed);
        check(
            &[
                (old, &[]),
                (new, &[]),
                ("", &[]),
                (new, &[2]),
                ("", &[3]),
                (new, &[4]),
            ],
            &changed,
        );
        // Lines that went away come back to whoever wrote them.
        check(
            &[
                (old, &[]),
                ("a\nx\nb\nc\n", &[]),
                (old, &[]),
                ("a\nx\nb\nc\n", &[2]),
            ],
            &[Before, Entry(1), Before, Before],
        );
    }

    #[test]
    fn what_only_the_revert_knows_stays_its_own() {
        use Author::{Before, Entry};
        // Version 0 is not kept any more.
        check(&[("B\nc\n", &[]), ("b\nc\n", &[9])], &[Entry(1), Before]);
        // What came in meanwhile is the later author's.
        check(
            &[
                ("a\nb\n", &[]),
                ("A\nb\n", &[]),
                ("A\nb\nnew\n", &[]),
                ("a\nb\nnew\n", &[1]),
                ("A\nb\nnew\n", &[3]),
            ],
            &[Entry(1), Before, Entry(2)],
        );
    }

    #[test]
    fn the_users_line_that_was_put_back_is_the_users() {
        let mut removing = entry(2, ("b\n", "b\nmine\n"), ("b\nmine\n", "b\n"));
        removing.kind = EntryKind::Revert(vec![7]);
        let mut back = entry(3, ("", ""), ("b\n", "b\nmine\n"));
        back.kind = EntryKind::Revert(vec![2]);
        let history = FileHistory {
            entries: vec![entry(1, ("", ""), ("a\n", "b\n")), removing, back],
            ..FileHistory::default()
        };
        let now = Source::new("b\nmine\n");
        let authors = authors(&history, &EditSet::default(), &now);
        assert_eq!(authors, [Author::Entry(1), Author::User(1)]);
    }

    #[test]
    fn a_text_that_the_history_does_not_lead_to_is_an_error() {
        let history = FileHistory {
            entries: vec![entry(1, ("", ""), ("a\nb\n", "a\nb\nc\n"))],
            ..FileHistory::default()
        };
        assert!(blame(&history, &EditSet::default(), &Source::new("")).is_err());
    }
}
