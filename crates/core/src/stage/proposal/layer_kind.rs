//! Layer kinds: what a layer does to its file.
//!
//! In: a plan, where it moves the file, the permission bits and the folders that go with it. Out: one
//! [`LayerKind`], from which follows what is written: a file or a link, under which name, with which
//! permission bits, and which folders go.
//!
//! ```text
//! a program runs `chmod +x build.sh`     Permissions(644 -> 755)
//! it also changes a line of it           Edit { mode: 644 -> 755 }
//! it makes `latest` a link to `v2`       Link, or Retarget where `latest` was a link before
//! it removes `gen/x.rs` and then `gen`   Delete { folders: 1 }
//! ```

use serde::{Deserialize, Serialize};

use crate::disk::workspace::WorkspacePath;
use crate::edit::plan::Presence;
use crate::text::Source;

/// What a layer does to its file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum LayerKind {
    /// Lines of the file change.
    Edit {
        /// Permission bits that it gets as well.
        mode: Option<NewMode>,
    },
    /// The file comes to be.
    Create {
        /// Permission bits that it gets; none for those that the system gives new files.
        mode: Option<NewMode>,
    },
    /// A symbolic link comes to be.
    Link,
    /// A symbolic link comes to lead elsewhere.
    Retarget,
    /// The file, or the link, goes away.
    Delete {
        /// How many of its folders go with it if they are empty then, the innermost first.
        folders: usize,
    },
    /// The file gets another path.
    Move {
        /// The path.
        to: WorkspacePath,
        /// Permission bits that it gets as well.
        mode: Option<NewMode>,
        /// How many of the folders at its old path go if they are empty then, the innermost first.
        folders: usize,
    },
    /// Permission bits of the file change, and nothing else.
    Permissions(NewMode),
}

/// A change of permission bits.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct NewMode {
    /// Those that the file had on disk; none where there was no file, or its bits were staged before.
    pub from: Option<u32>,
    /// Those that it gets.
    pub to: u32,
}

/// What a change does to a file beside its bytes.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct BesideText {
    /// Where it moves the file.
    pub to: Option<WorkspacePath>,
    /// Permission bits that it gives the file.
    pub mode: Option<NewMode>,
    /// How many of the file's folders go with it, the innermost first.
    pub folders_gone: usize,
}

impl LayerKind {
    /// Returns the kind of a change. `edits` tells whether it has splices, and `over_link` whether a symbolic link
    /// is below it.
    pub fn of(presence: Presence, edits: bool, over_link: bool, beside: BesideText) -> Self {
        let BesideText {
            to,
            mode,
            folders_gone: folders,
        } = beside;
        match (presence, to, mode) {
            (_, Some(to), mode) => Self::Move { to, mode, folders },
            (Presence::Created, None, mode) => Self::Create { mode },
            (Presence::Linked, None, _) => Self::Link,
            (Presence::Deleted, None, _) => Self::Delete { folders },
            (Presence::Kept, None, Some(mode)) if !edits => Self::Permissions(mode),
            (Presence::Kept, None, _) if over_link => Self::Retarget,
            (Presence::Kept, None, mode) => Self::Edit { mode },
        }
    }

    /// Returns what happens to the file's existence.
    pub fn presence(&self) -> Presence {
        match self {
            Self::Edit { .. } | Self::Retarget | Self::Move { .. } | Self::Permissions(_) => {
                Presence::Kept
            }
            Self::Create { .. } => Presence::Created,
            Self::Link => Presence::Linked,
            Self::Delete { .. } => Presence::Deleted,
        }
    }

    /// Returns where the file goes, if it is moved.
    pub fn to(&self) -> Option<&WorkspacePath> {
        match self {
            Self::Move { to, .. } => Some(to),
            Self::Edit { .. }
            | Self::Create { .. }
            | Self::Link
            | Self::Retarget
            | Self::Delete { .. }
            | Self::Permissions(_) => None,
        }
    }

    /// Returns the permission bits that the file gets.
    pub fn mode(&self) -> Option<NewMode> {
        match self {
            Self::Edit { mode } | Self::Create { mode } | Self::Move { mode, .. } => *mode,
            Self::Permissions(mode) => Some(*mode),
            Self::Link | Self::Retarget | Self::Delete { .. } => None,
        }
    }

    /// Returns the kind with other permission bits, or without any; none if nothing is left of it, or if what it
    /// leaves has none.
    pub(super) fn with_mode(&self, mode: Option<NewMode>) -> Option<Self> {
        match self {
            Self::Edit { .. } => Some(Self::Edit { mode }),
            Self::Create { .. } => Some(Self::Create { mode }),
            Self::Move { to, folders, .. } => Some(Self::Move {
                to: to.clone(),
                mode,
                folders: *folders,
            }),
            Self::Permissions(_) => mode.map(Self::Permissions),
            Self::Link | Self::Retarget | Self::Delete { .. } => None,
        }
    }

    /// Returns how many of the file's folders go with it, the innermost first.
    pub fn folders_gone(&self) -> usize {
        match self {
            Self::Delete { folders } | Self::Move { folders, .. } => *folders,
            Self::Edit { .. }
            | Self::Create { .. }
            | Self::Link
            | Self::Retarget
            | Self::Permissions(_) => 0,
        }
    }

    /// Returns whether there can be a layer of this kind over a text; none stands for an absent file.
    pub(super) fn stands_on(&self, below: Option<&Source>) -> bool {
        match self {
            Self::Create { .. } | Self::Link => below.is_none(),
            Self::Edit { .. } | Self::Permissions(_) => below.is_some_and(|below| !below.is_link()),
            Self::Retarget => below.is_some_and(Source::is_link),
            Self::Delete { .. } | Self::Move { .. } => below.is_some(),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;

    const MODE: NewMode = NewMode {
        from: Some(0o644),
        to: 0o755,
    };

    /// Presence, whether there are splices, whether a link is below, mode, folders.
    type Of = (Presence, bool, bool, Option<NewMode>, usize);

    #[test]
    fn a_kind_is_told_from_a_plan_and_what_it_does_beside_the_text() {
        let cases: &[(Of, LayerKind)] = &[
            (
                (Presence::Kept, true, false, None, 0),
                LayerKind::Edit { mode: None },
            ),
            (
                (Presence::Kept, true, false, Some(MODE), 0),
                LayerKind::Edit { mode: Some(MODE) },
            ),
            (
                (Presence::Kept, false, false, Some(MODE), 0),
                LayerKind::Permissions(MODE),
            ),
            ((Presence::Kept, true, true, None, 0), LayerKind::Retarget),
            (
                (Presence::Created, true, false, Some(MODE), 0),
                LayerKind::Create { mode: Some(MODE) },
            ),
            ((Presence::Linked, true, false, None, 0), LayerKind::Link),
            (
                (Presence::Deleted, true, true, None, 2),
                LayerKind::Delete { folders: 2 },
            ),
        ];
        for ((presence, edits, over_link, mode, folders_gone), kind) in cases {
            let beside = |to| BesideText {
                to,
                mode: *mode,
                folders_gone: *folders_gone,
            };
            let own = LayerKind::of(*presence, *edits, *over_link, beside(None));
            assert_eq!(own, *kind);
            let kept = (own.presence(), own.mode(), own.folders_gone());
            assert_eq!(kept, (*presence, *mode, *folders_gone), "{kind:?}");
            let to = WorkspacePath::parse("b", Path::new("/w")).unwrap();
            let moved = LayerKind::of(*presence, *edits, *over_link, beside(Some(to.clone())));
            assert_eq!((moved.to(), moved.presence()), (Some(&to), Presence::Kept));
        }
    }

    #[test]
    fn a_layer_stands_on_what_it_was_made_for_alone() {
        let (file, link) = (Source::new("a\n"), Source::link("a"));
        let to = WorkspacePath::parse("b", Path::new("/w")).unwrap();
        let moved = LayerKind::Move {
            to,
            mode: None,
            folders: 0,
        };
        for (kind, on) in [
            (LayerKind::Edit { mode: None }, [false, true, false]),
            (LayerKind::Create { mode: None }, [true, false, false]),
            (LayerKind::Link, [true, false, false]),
            (LayerKind::Retarget, [false, false, true]),
            (LayerKind::Delete { folders: 0 }, [false, true, true]),
            (moved, [false, true, true]),
            (LayerKind::Permissions(MODE), [false, true, false]),
        ] {
            let own = [None, Some(&file), Some(&link)].map(|below| kind.stands_on(below));
            assert_eq!(own, on, "{kind:?}");
        }
    }
}
