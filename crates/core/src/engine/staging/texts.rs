//! Texts of files after each change of a payload.
//!
//! In: what each change makes of its file. Out: the text that the next one is planned on, and for
//! the guards what all of them together make of each file.

use std::collections::BTreeMap;

use crate::disk::workspace::WorkspacePath;
use crate::engine::EngineError;
use crate::engine::overlay::Overlay;
use crate::engine::state::WorkspaceState;
use crate::text::Source;

/// A file before the payload, and now.
pub(in crate::engine) struct Text {
    pub(in crate::engine) first: Option<Source>,
    pub(in crate::engine) now: Option<Source>,
    /// Where the file went.
    pub(in crate::engine) to: Option<WorkspacePath>,
}

/// The files that the payload has changed so far.
#[derive(Default)]
pub(in crate::engine) struct Texts(BTreeMap<WorkspacePath, Text>);

impl Texts {
    pub(in crate::engine) fn get(&self, path: &WorkspacePath) -> Option<&Text> {
        self.0.get(path)
    }

    pub(in crate::engine) fn contains_key(&self, path: &WorkspacePath) -> bool {
        self.0.contains_key(path)
    }

    /// Returns the files that the payload has changed so far, and whether each is there.
    fn names(&self) -> impl Iterator<Item = (&WorkspacePath, bool)> {
        self.0.iter().map(|(path, text)| (path, text.now.is_some()))
    }

    /// Notes that a file with the text `text` went from `path` to `to`.
    pub(in crate::engine) fn moved(
        &mut self,
        path: &WorkspacePath,
        text: Option<&Source>,
        to: &WorkspacePath,
    ) {
        let own = self.0.remove(path);
        let there = Text {
            first: own.map_or_else(|| text.cloned(), |own| own.first),
            now: text.cloned(),
            to: None,
        };
        let gone = Text {
            first: None,
            now: None,
            to: Some(to.clone()),
        };
        self.0.insert(to.clone(), there);
        self.0.insert(path.clone(), gone);
    }

    /// Notes that the text `before` of a file became `after`.
    pub(in crate::engine) fn edited(
        &mut self,
        path: &WorkspacePath,
        before: Option<&Source>,
        after: Option<Source>,
    ) {
        self.0
            .entry(path.clone())
            .or_insert_with(|| Text {
                first: before.cloned(),
                now: None,
                to: None,
            })
            .now = after;
    }
}

/// Returns a file's text as the payload so far leaves it.
pub(super) fn text_in(
    state: &mut WorkspaceState,
    path: &WorkspacePath,
    texts: &Texts,
) -> Result<Option<Source>, EngineError> {
    match texts.get(path) {
        Some(text) => Ok(text.now.clone()),
        None => state.text(path),
    }
}

/// Returns why a file cannot come at `path`, if something is staged in the place of one of its folders, or below
/// its name: `d/f` where `d` is a staged link.
pub(in crate::engine) fn in_the_way(
    overlay: &Overlay,
    path: &WorkspacePath,
    texts: &Texts,
) -> Option<String> {
    let staged = overlay
        .stage
        .names()
        .filter(|name| !texts.contains_key(name));
    let made = texts
        .names()
        .filter_map(|(name, there)| there.then_some(name));
    let mut names = staged.chain(made);
    names.find_map(|name| {
        if path.folders().any(|folder| folder == *name) {
            let text = overlay.stage.text(name).and_then(Result::ok).flatten();
            Some(match text.filter(Source::is_link) {
                Some(_) => format!(
                    "{path} cannot exist: {name} is a staged symbolic link; name the file by the folder that it leads to"
                ),
                None => format!("{path} cannot exist: {name} is staged and not a folder"),
            })
        } else if name.folders().any(|folder| folder == *path) {
            Some(format!("{path} is a folder in which {name} is staged"))
        } else {
            None
        }
    })
}
