//! Past commits: what their messages say and which files they touched.
//!
//! In: the output of `git log`, which the caller runs with [`LOG_OPTIONS`]. Out: [`History`], the
//! newest commit first. Commits of very many files say nothing of any of them and are left out, and so is the first of all.

use std::collections::HashMap;

use crate::codec::{Reader, checksum, put_number, put_text};
use crate::words::{self, Field, Key};

/// Options of `git log`; a range of commits or `HEAD` comes after them. Names are to be printed with
/// `core.quotePath=false`.
pub const LOG_OPTIONS: &[&str] = &[
    "--no-merges",
    "--no-renames",
    "--relative",
    "--name-only",
    "--format=%x01%H %P%n%B%x02",
    "--max-count=3000",
];
/// Commits that are kept: the older ones are about code that is no more.
const MAX_COMMITS: usize = 3_000;
/// Commits of more files are left out: moves, formatting, imports of whole trees.
const MAX_FILES: usize = 40;
/// Terms of a message that are kept. Case: squashed commits with a changelog as their message.
const MAX_TERMS: usize = 150;
/// The longest subject that is kept, in characters.
const SUBJECT_CHARS: usize = 72;
/// Begins the stored form; the number is the version of format and tokenization.
const MAGIC: u64 = u64::from_le_bytes(*b"sohis002");

/// A commit.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Commit {
    /// The begin of its message.
    pub subject: String,
    /// The terms of its message, sorted.
    pub terms: Vec<Key>,
    /// The files that it touched, as numbers of [`History::paths`].
    pub files: Vec<u32>,
}

/// Past commits, the newest first.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct History {
    /// The id of the newest commit that was read, also if it is left out; empty where there is none.
    pub head: String,
    /// The commits.
    pub commits: Vec<Commit>,
    /// The paths of the files that the commits touched.
    pub paths: Vec<String>,
}

impl History {
    /// Reads the output of `git log`.
    pub fn parse(log: &str) -> Self {
        let mut history = Self::default();
        let mut numbers = HashMap::new();
        for entry in log.split('\u{1}').skip(1) {
            let (head, files) = entry.split_once('\u{2}').unwrap_or((entry, ""));
            let (ids, message) = head.split_once('\n').unwrap_or((head, ""));
            let (id, parents) = ids.split_once(' ').unwrap_or((ids, ""));
            if history.head.is_empty() {
                history.head = id.trim().to_owned();
            }
            // The first commit, and the first that a shallow clone has, brings all files of its time.
            if parents.trim().is_empty() {
                continue;
            }
            let files: Vec<&str> = files.lines().filter(|line| !line.is_empty()).collect();
            if files.is_empty() || files.len() > MAX_FILES || history.commits.len() >= MAX_COMMITS {
                continue;
            }
            let files = files.iter().map(|path| {
                *numbers.entry((*path).to_owned()).or_insert_with(|| {
                    history.paths.push((*path).to_owned());
                    u32::try_from(history.paths.len() - 1).unwrap_or(u32::MAX)
                })
            });
            let files = files.collect();
            history.commits.push(Commit::new(message, files));
        }
        history
    }

    /// Puts newer commits before these.
    pub fn extend(self, newer: Self) -> Self {
        let mut all = newer;
        if all.head.is_empty() {
            all.head = self.head;
        }
        let known = all.paths.iter().cloned().zip(0_u32..);
        let mut numbers: HashMap<String, u32> = known.collect();
        for mut commit in self.commits {
            if all.commits.len() >= MAX_COMMITS {
                break;
            }
            for file in &mut commit.files {
                let path = self.paths.get(*file as usize).cloned().unwrap_or_default();
                *file = *numbers.entry(path.clone()).or_insert_with(|| {
                    all.paths.push(path);
                    u32::try_from(all.paths.len() - 1).unwrap_or(u32::MAX)
                });
            }
            all.commits.push(commit);
        }
        all
    }

    /// Returns the stored form.
    pub fn encode(&self) -> Vec<u8> {
        let mut out = Vec::new();
        put_text(&mut out, &self.head);
        put_number(&mut out, self.paths.len() as u64);
        self.paths.iter().for_each(|path| put_text(&mut out, path));
        put_number(&mut out, self.commits.len() as u64);
        for commit in &self.commits {
            put_text(&mut out, &commit.subject);
            put_number(&mut out, commit.terms.len() as u64);
            commit
                .terms
                .iter()
                .for_each(|term| out.extend_from_slice(&term.0.to_le_bytes()));
            put_number(&mut out, commit.files.len() as u64);
            commit
                .files
                .iter()
                .for_each(|file| put_number(&mut out, u64::from(*file)));
        }
        out.extend_from_slice(&(checksum(&out) ^ MAGIC).to_le_bytes());
        out
    }

    /// Reads the stored form; none if it is damaged or of another version.
    pub fn decode(bytes: &[u8]) -> Option<Self> {
        let (body, sum) = bytes.split_last_chunk::<8>()?;
        if u64::from_le_bytes(*sum) != checksum(body) ^ MAGIC {
            return None;
        }
        let mut reader = Reader(body);
        let mut history = Self {
            head: reader.text()?.to_owned(),
            ..Self::default()
        };
        for _ in 0..reader.size()? {
            history.paths.push(reader.text()?.to_owned());
        }
        for _ in 0..reader.size()? {
            let subject = reader.text()?.to_owned();
            let terms = (0..reader.small()?)
                .map(|_| reader.word().map(Key))
                .collect::<Option<_>>()?;
            let files = (0..reader.small()?)
                .map(|_| reader.small())
                .collect::<Option<_>>()?;
            history.commits.push(Commit {
                subject,
                terms,
                files,
            });
        }
        Some(history)
    }
}

impl Commit {
    fn new(message: &str, files: Vec<u32>) -> Self {
        let message = message.trim();
        let subject = message.lines().next().unwrap_or_default();
        let mut terms = Vec::new();
        for line in message.lines().filter(|line| !is_trailer(line)) {
            for (_, word) in words::identifiers(line) {
                words::terms(word, |term| terms.push(Key::new(Field::Text, term)));
            }
            if terms.len() >= MAX_TERMS {
                break;
            }
        }
        terms.sort_unstable();
        terms.dedup();
        Self {
            subject: subject.chars().take(SUBJECT_CHARS).collect(),
            terms,
            files,
        }
    }
}

/// Returns whether a line of a message is about the commit and not about its subject: `Signed-off-by:`
/// and its like.
pub(crate) fn is_trailer(line: &str) -> bool {
    let Some((key, _)) = line.split_once(": ") else {
        return false;
    };
    let lower = key.to_ascii_lowercase();
    let is_id = matches!(
        lower.as_str(),
        "change-id" | "git-svn-id" | "reviewed-on" | "auto-submit" | "cc"
    );
    is_id || lower.ends_with("-by") && !lower.contains(' ')
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const LOG: &str = "\u{1}c3 c2\nfix the parser\n\nSigned-off-by: A <a>\n\u{2}\n\nsrc/parser.rs\ntests/parser.rs\n\u{1}c2 c1\nadd lexer\n\u{2}\n\nsrc/lexer.rs\n\u{1}c1 \nfirst\n\u{2}\n\nREADME.md\n";

    #[test]
    fn commits_are_read_from_a_log() {
        let history = History::parse(LOG);
        assert_eq!(history.head, "c3");
        assert_eq!(
            history.paths,
            ["src/parser.rs", "tests/parser.rs", "src/lexer.rs"]
        );
        let files: Vec<_> = history
            .commits
            .iter()
            .map(|commit| commit.files.clone())
            .collect();
        assert_eq!(files, [vec![0, 1], vec![2]]);
        assert_eq!(history.commits[0].subject, "fix the parser");
        assert_eq!(history.commits[0].terms.len(), 3, "trailers say nothing");
    }

    #[test]
    fn newer_commits_come_first_and_share_paths() {
        let newer = History::parse("\u{1}c4 c3\nagain\n\u{2}\nsrc/new.rs\nsrc/lexer.rs\n");
        let all = History::parse(LOG).extend(newer);
        assert_eq!(all.head, "c4");
        assert_eq!(all.commits.len(), 3);
        let names: Vec<&str> = all.commits[2]
            .files
            .iter()
            .map(|file| all.paths[*file as usize].as_str())
            .collect();
        assert_eq!(names, ["src/lexer.rs"]);
        assert_eq!(all.paths.len(), 4);
        assert_eq!(all.clone().extend(History::default()), all);
    }

    #[test]
    fn commits_of_very_many_files_are_left_out() {
        let files: String = (0..=MAX_FILES).map(|n| format!("f{n}\n")).collect();
        let history = History::parse(&format!("\u{1}c1 c0\nmove\n\u{2}\n{files}"));
        assert_eq!((history.head.as_str(), history.commits.len()), ("c1", 0));
    }

    proptest! {
        #[test]
        fn any_log_is_read_and_comes_back(log in "[\u{1}\u{2}\na-c: /]{0,200}") {
            let history = History::parse(&log);
            prop_assert_eq!(History::decode(&history.encode()), Some(history));
        }

        #[test]
        fn a_flipped_bit_in_a_stored_history_is_noticed(at in any::<prop::sample::Index>(), bit in 0..8) {
            let mut bytes = History::parse(LOG).encode();
            let at = at.index(bytes.len());
            bytes[at] ^= 1_u8 << bit;
            prop_assert_eq!(History::decode(&bytes), None);
        }
    }
}
