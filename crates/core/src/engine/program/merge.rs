//! Merge: what a program or an agent did to one file, as changes of what is staged there now.
//!
//! In: three states of the file. Out: what becomes proposals; nothing where the program changed nothing, or made what is
//! there already. Lines that nobody else touched are moved onto what is there; lines that both changed become a conflict. Text
//! and permission bits are merged apart.
//!
//! ```text
//! found        staged       left         becomes
//! 1 2 3        1 2 3        1 2 three    change of `3`
//! 1 2 3        ONE 2 3      1 2 three    change of `3`, beside `ONE`
//! 1 2 3        ONE 2 3      one 2 three  conflict at `ONE`, change of `3`
//! 1 2 3        1 2 three    1 2 three    nothing: it is there already
//! 1 2 3        ONE 2 3      1 2 3        nothing: the program changed nothing
//! 1 2 3        no file      1 2 three    conflict: it was removed
//! no file      one          two          conflict: another file of this name was made
//! binary       another      a third      conflict of the whole file
//! not known    ONE 2 3      1 2 three    conflict of the whole file
//! 644          644          755          permissions 755
//! 644          600          755          conflict of the permissions
//! 644          600          644          nothing
//! ```

use super::Work;
use crate::disk::workspace::WorkspacePath;
use crate::edit::diff::merge::{Merge, merge as merge_lines};
use crate::file::{ProgramBase, ProgramContent};
use crate::stage::proposal::layer_kind::NewMode;
use crate::text::{Encoding, Source};

const CHANGED: &str = "it changed";
const GONE: &str = "it was removed";
const CAME: &str = "another file of this name was made";
const UNKNOWN: &str = "it changed while the program ran, and what the program found is not known";
const MODE: &str = "its permissions were changed";

/// The three states of a file.
pub(super) struct FileStates {
    pub(super) path: WorkspacePath,
    pub(super) found: FoundState,
    pub(super) now: StagedState,
    pub(super) left: KnownState,
    /// How many of the file's folders are gone with it, the innermost first.
    pub(super) folders_gone: usize,
}

/// A file, or its absence, with its permission bits where they are known.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct KnownState {
    pub(super) text: Option<Source>,
    pub(super) mode: Option<u32>,
}

/// A file as a program found it.
pub(super) enum FoundState {
    /// As it is now: nothing has changed it since.
    Current,
    Known(KnownState),
    /// With this text; its permission bits are not known.
    Text(Source),
    Unknown,
}

/// A file with everything that is staged for it.
#[derive(Default)]
pub(super) struct StagedState {
    pub(super) text: Option<Source>,
    /// Its permission bits on disk; none where it is not there.
    pub(super) disk_mode: Option<u32>,
    /// Those that are staged for it.
    pub(super) staged_mode: Option<u32>,
}

/// A change of one file: of its text, with the permission bits that come with that, or of its bits alone.
#[derive(Clone, Debug)]
pub(super) struct Difference {
    pub(super) path: WorkspacePath,
    pub(super) before: Option<Source>,
    /// What it becomes; the same as `before` where only permission bits change.
    pub(super) after: Option<Source>,
    /// Permission bits that are to be set.
    pub(super) mode: Option<NewMode>,
    /// Permission bits that the program found, where the file may have got others since.
    pub(super) found_mode: Option<u32>,
    /// Why what it removes would be nowhere, if so.
    pub(super) held: Option<String>,
    pub(super) folders_gone: usize,
    /// How it stands to what changed while the program ran.
    pub(super) since: Since,
}

/// How a program's change relates to what changed while it ran.
#[derive(Clone, Debug)]
pub(super) enum Since {
    /// Nothing did.
    Nothing,
    /// Other lines did, or the same ones.
    Merged(Merge),
    /// All of it clashes, for this reason.
    Clashes {
        why: String,
        /// What the program found.
        found: Option<Source>,
    },
}

/// What becomes of permission bits.
#[derive(Debug, PartialEq, Eq)]
enum Bits {
    /// Those that are there stay.
    Kept,
    Set(NewMode),
    Clash(NewMode),
}

impl KnownState {
    pub(super) fn of(content: Option<ProgramContent>) -> Self {
        match content {
            None => Self::default(),
            Some(ProgramContent::Link(target)) => Self {
                text: Some(Source::link(target)),
                mode: None,
            },
            Some(ProgramContent::File { bytes, mode }) => Self {
                text: Some(Source::decode(bytes)),
                mode,
            },
        }
    }
}

impl FoundState {
    pub(super) fn of(base: ProgramBase) -> Self {
        match base {
            ProgramBase::Current => Self::Current,
            ProgramBase::Known(content) => Self::Known(KnownState::of(content)),
            ProgramBase::Text(bytes) => Self::Text(Source::decode(bytes)),
            ProgramBase::Unknown => Self::Unknown,
        }
    }
}

impl StagedState {
    /// Returns the permission bits that the file is to have; none where there is no file, or a new one without any.
    fn mode(&self) -> Option<u32> {
        self.staged_mode.or(self.disk_mode)
    }
}

impl Difference {
    /// Returns the change of a file's text, with nothing else.
    pub(super) fn new(path: WorkspacePath, before: Option<Source>, after: Option<Source>) -> Self {
        Self {
            path,
            before,
            after,
            mode: None,
            found_mode: None,
            held: None,
            folders_gone: 0,
            since: Since::Nothing,
        }
    }

    /// Returns the change of the permission bits alone of a file with this text.
    pub(super) fn of_bits(path: WorkspacePath, text: Source, mode: NewMode) -> Self {
        Self {
            mode: Some(mode),
            ..Self::new(path, Some(text.clone()), Some(text))
        }
    }

    /// Returns whether it changes nothing but permission bits.
    pub(super) fn is_of_bits(&self) -> bool {
        self.before.is_some() && self.before == self.after
    }
}

impl Since {
    pub(super) fn clashes(why: &str) -> Self {
        let (why, found) = (why.to_owned(), None);
        Self::Clashes { why, found }
    }

    pub(super) fn is_nothing(&self) -> bool {
        matches!(self, Self::Nothing)
    }
}

/// Returns what a program did to a file as changes of what is staged there now.
pub(super) fn merge(states: FileStates, work: &Work) -> Vec<Difference> {
    let FileStates {
        path,
        found,
        now,
        left,
        folders_gone,
    } = states;
    let since = merge_texts(&found, now.text.as_ref(), left.text.as_ref(), work);
    let bits = merge_bits(&found, &now, left.mode);
    let mut differences = Vec::new();
    match (since, &bits, &now.text) {
        (Some(since), ..) => {
            let mode = match bits {
                Bits::Set(mode) => Some(mode),
                Bits::Kept | Bits::Clash(_) => None,
            };
            // Staged bits are not on the disk to be moved with the file.
            let found_mode = match found {
                FoundState::Known(found) if now.staged_mode.is_none() => found.mode,
                _ => None,
            };
            differences.push(Difference {
                mode,
                found_mode,
                folders_gone,
                since,
                ..Difference::new(path.clone(), now.text.clone(), left.text)
            });
        }
        (None, Bits::Set(mode), Some(text)) if now.mode() != Some(mode.to) => {
            differences.push(Difference::of_bits(path.clone(), text.clone(), *mode));
        }
        (None, ..) => {}
    }
    if let (Bits::Clash(mode), Some(text)) = (bits, now.text) {
        differences.push(Difference {
            since: Since::clashes(&work.meanwhile(MODE)),
            ..Difference::of_bits(path, text, mode)
        });
    }
    differences
}

/// Returns how the change that a program made relates to what is there `now`; none if nothing is left to do.
fn merge_texts(
    found: &FoundState,
    now: Option<&Source>,
    left: Option<&Source>,
    work: &Work,
) -> Option<Since> {
    if now == left {
        return None;
    }
    let base = match found {
        FoundState::Current => now,
        FoundState::Known(found) => found.text.as_ref(),
        FoundState::Text(found) => Some(found),
        FoundState::Unknown => return Some(Since::clashes(UNKNOWN)),
    };
    if base == now {
        return Some(Since::Nothing);
    }
    if base == left {
        return None;
    }
    if let (Some(base), Some(now), Some(left)) = (base, now, left)
        && [base, now, left].iter().all(|text| text.text().is_ok())
        && [(base, now), (base, left), (now, left)]
            .iter()
            .all(|(before, after)| is_of_one_kind(before, after))
    {
        let merge = merge_lines(base, now, left);
        let is_done = merge.clean.is_empty() && merge.clashing.is_empty();
        return (!is_done).then_some(Since::Merged(merge));
    }
    let why = match (base, now) {
        (None, _) => CAME,
        (Some(_), None) => GONE,
        (Some(_), Some(_)) => CHANGED,
    };
    Some(Since::Clashes {
        why: work.meanwhile(why),
        found: base.cloned(),
    })
}

/// Returns what becomes of the permission bits of a file that a program left with those of `left`.
fn merge_bits(found: &FoundState, now: &StagedState, left: Option<u32>) -> Bits {
    let Some(to) = left else {
        return Bits::Kept;
    };
    let set = Bits::Set(NewMode {
        from: now.disk_mode,
        to,
    });
    let found = match found {
        FoundState::Current | FoundState::Known(KnownState { mode: None, .. }) => return set,
        FoundState::Known(KnownState { mode, .. }) => *mode,
        FoundState::Text(_) | FoundState::Unknown => None,
    };
    match now.mode() {
        _ if now.text.is_none() => set,
        _ if found == Some(to) => Bits::Kept,
        Some(mode) if mode == to => Bits::Kept,
        Some(mode) if Some(mode) != found => Bits::Clash(NewMode {
            from: Some(mode),
            to,
        }),
        _ => set,
    }
}

/// Returns whether a text can be told as a change of another one: both are files in one encoding, or both
/// are links. Plain ASCII is in any.
pub(super) fn is_of_one_kind(before: &Source, after: &Source) -> bool {
    let plain = after.encoding() == Encoding::Utf8 && after.bytes().is_ascii();
    after.encoding() == before.encoding() || plain && before.encoding() == Encoding::Windows1252
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;

    /// Reads `1 2 3` as a text of three lines, `-` as no file, `0` as a binary one, `-> a` as a link.
    fn text(word: &str) -> Option<Source> {
        match (word, word.strip_prefix("-> ")) {
            ("-", _) => None,
            (_, Some(target)) => Some(Source::link(target)),
            (_, None) if word.starts_with('0') => {
                Some(Source::decode(format!("\0{word}").into_bytes()))
            }
            _ => Some(Source::new(word.replace(' ', "\n") + "\n")),
        }
    }

    fn found(word: &str) -> FoundState {
        match word {
            "?" => FoundState::Unknown,
            "=" => FoundState::Current,
            word => FoundState::Known(KnownState {
                text: text(word),
                mode: None,
            }),
        }
    }

    fn merged(found: FoundState, now: StagedState, left: KnownState) -> Vec<String> {
        let states = FileStates {
            path: WorkspacePath::parse("a", Path::new("/w")).unwrap(),
            found,
            now,
            left,
            folders_gone: 0,
        };
        let command = "fmt".into();
        let work = Work::Program {
            command,
            held: None,
            finishes: Vec::new(),
        };
        let word = |own: &Difference| {
            let what = if own.is_of_bits() { "bits" } else { "text" };
            let how = match &own.since {
                Since::Nothing => String::new(),
                Since::Merged(merge) => {
                    let count = |edits: &crate::text::EditSet| edits.splices().len();
                    format!(": {} + {}", count(&merge.clean), count(&merge.clashing))
                }
                Since::Clashes { why, .. } => format!(": {why}"),
            };
            format!("{what}{how}")
        };
        merge(states, &work).iter().map(word).collect()
    }

    #[test]
    fn three_texts_are_a_change_a_merge_a_conflict_or_nothing() {
        let changed = "text: it changed while the program ran";
        for (base, now, left, becomes) in [
            ("=", "1 2 3", "1 2 three", Some("text")),
            ("=", "-", "1", Some("text")),
            ("=", "1", "-", Some("text")),
            ("=", "1", "1", None),
            ("=", "-> x", "-> y", Some("text")),
            ("1 2 3", "1 2 3", "1 2 three", Some("text")),
            // Clean changes and clashing ones.
            ("1 2 3", "ONE 2 3", "1 2 three", Some("text: 1 + 0")),
            ("1 2 3", "ONE 2 3", "one 2 three", Some("text: 1 + 1")),
            ("1 2 3", "ONE 2 3", "one 2 3", Some("text: 0 + 1")),
            ("1 2 3", "1 2 three", "1 2 three", None),
            ("1 2 3", "ONE 2 3", "1 2 3", None),
            ("1", "-", "1", None),
            ("-", "1", "-", None),
            (
                "1",
                "-",
                "2",
                Some("text: it was removed while the program ran"),
            ),
            ("1", "2", "-", Some(changed)),
            ("1", "0", "2", Some(changed)),
            ("01", "02", "03", Some(changed)),
            ("1", "2", "-> x", Some(changed)),
            (
                "-",
                "1",
                "2",
                Some("text: another file of this name was made while the program ran"),
            ),
            ("?", "1", "1", None),
            (
                "?",
                "1",
                "2",
                Some(
                    "text: it changed while the program ran, and what the program found is not known",
                ),
            ),
        ] {
            let now = StagedState {
                text: text(now),
                ..StagedState::default()
            };
            let state = KnownState {
                text: text(left),
                mode: None,
            };
            let said = merged(found(base), now, state);
            assert_eq!(said.first().map(String::as_str), becomes, "{base}, {left}");
            assert!(said.len() <= 1, "{said:?}");
        }
    }

    #[test]
    fn permission_bits_are_set_kept_or_clash_whatever_the_text_does() {
        let clash = "bits: its permissions were changed while the program ran";
        // Bits that the program found, those on disk, those staged, those that it left.
        for (base, disk, staged, left, becomes) in [
            (Some(0o644), Some(0o644), None, Some(0o755), Some("bits")),
            (Some(0o644), Some(0o644), None, Some(0o644), None),
            (Some(0o644), Some(0o644), None, None, None),
            (Some(0o644), Some(0o600), None, Some(0o644), None),
            (Some(0o644), Some(0o755), None, Some(0o755), None),
            (Some(0o644), Some(0o600), None, Some(0o755), Some(clash)),
            (
                Some(0o644),
                Some(0o644),
                Some(0o600),
                Some(0o755),
                Some(clash),
            ),
            (Some(0o644), Some(0o644), Some(0o755), Some(0o755), None),
            // What the program found is what is there.
            (None, Some(0o644), None, Some(0o755), Some("bits")),
            (None, Some(0o644), Some(0o755), Some(0o644), Some("bits")),
            (None, Some(0o644), Some(0o755), Some(0o755), None),
        ] {
            let state = |mode| KnownState {
                text: text("1"),
                mode,
            };
            let now = || StagedState {
                text: text("1"),
                disk_mode: disk,
                staged_mode: staged,
            };
            let said = merged(FoundState::Known(state(base)), now(), state(left));
            let case = (base, disk, staged, left);
            assert_eq!(said.first().map(String::as_str), becomes, "{case:?}");
            let changed = KnownState {
                text: text("2"),
                mode: left,
            };
            let said = merged(FoundState::Known(state(base)), now(), changed);
            let clashes = becomes.filter(|own| *own == clash);
            let all: Vec<&str> = ["text"].into_iter().chain(clashes).collect();
            assert_eq!(said, all, "{case:?}");
        }
    }
}
