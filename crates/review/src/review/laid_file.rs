//! A file's diff as it is laid out, with what its parts read like.
//!
//! In: a file and the scene. Out: its layout, kept until it would be another.

use std::collections::HashMap;
use std::sync::Arc;

use signoff_core::edit::diff::line::DiffLine;
use signoff_core::syntax::tokens::Token;

use super::arrangement::DiffFormat;
use super::diff::{Diff, DiffItem, DiffSource, Drawn};
use super::edited;
use super::hunk_lines::{about, title};
use super::review_file::ReviewFile;
use super::scene::Scene;
use super::seen::{Item, Reading, Readings};

/// An element of more rows than this is drawn once and kept: a line of 1 MB takes longer than a key may.
const LONG: usize = 64;

/// A file's diff, laid out.
#[derive(Debug)]
pub(super) struct LaidFile {
    pub(super) diff: Diff,
    format: DiffFormat,
    has_next: bool,
    edited: HashMap<usize, Vec<DiffLine>>,
    hunks: HashMap<usize, KnownHunk>,
    long: HashMap<usize, Drawn>,
    /// The tokens of hunks that the user edited.
    edited_tokens: HashMap<usize, Arc<[Vec<Token>]>>,
}

/// What is known of a hunk that was shown.
#[derive(Clone, Copy, Debug)]
struct KnownHunk {
    readings: Readings,
    colours: Option<usize>,
}

impl LaidFile {
    /// Lays a file out.
    pub(super) fn new(
        file: &ReviewFile,
        format: DiffFormat,
        has_next: bool,
        scene: &Scene<'_>,
    ) -> Self {
        let mut laid = Self {
            diff: Diff::default(),
            format,
            has_next,
            edited: edited::lines(file, scene.marks()),
            hunks: HashMap::new(),
            long: HashMap::new(),
            edited_tokens: HashMap::new(),
        };
        laid.diff = laid.with_source(file, scene, |source| Diff::new(source, format));
        laid
    }

    /// Returns true if the file would be laid out in the same way for this format.
    pub(super) fn fits(&self, format: DiffFormat, has_next: bool) -> bool {
        (self.format, self.has_next) == (format, has_next)
    }

    fn with_source<R>(
        &self,
        file: &ReviewFile,
        scene: &Scene<'_>,
        use_it: impl FnOnce(&DiffSource<'_>) -> R,
    ) -> R {
        let (checks, context) = (scene.subject.checks(), &scene.style.context);
        use_it(&DiffSource {
            file,
            title: &|file| vec![title(file)],
            about: &|proposal| about(proposal, scene.subject.names()),
            names: scene.subject.names(),
            edited: &self.edited,
            off: scene.style.colours.off(file),
            found: &|hunk| checks.rows(hunk.id),
            around: &|hunk| context.around(hunk.id),
            is_folded: &|proposal, hunk| {
                !scene.list().shows(hunk.id) || scene.fold(proposal, hunk).is_some()
            },
            notes: &|hunk, lines| scene.subject.verdicts.notes(hunk, lines),
            has_next: self.has_next,
        })
    }

    /// Calls `on` with the rows of an element.
    pub(super) fn draw<R>(
        &mut self,
        file: &ReviewFile,
        scene: &Scene<'_>,
        element: usize,
        on: impl FnOnce(&Drawn) -> R,
    ) -> R {
        if let Some(drawn) = self.long.get(&element) {
            return on(drawn);
        }
        let edited = self.edited_tokens(file, scene, element);
        let known = self.tokens(file, scene, element);
        let tokens = edited.as_deref().unwrap_or(known);
        let drawn = self.with_source(file, scene, |source| {
            self.diff.draw(source, element, tokens)
        });
        let out = on(&drawn);
        if drawn.rows.len() > LONG {
            self.long.insert(element, drawn);
        }
        out
    }

    fn tokens<'a>(
        &mut self,
        file: &ReviewFile,
        scene: &Scene<'a>,
        element: usize,
    ) -> &'a [Vec<Token>] {
        let Some(DiffItem::Hunk(index)) = self.diff.item_of(element) else {
            return &[];
        };
        let own = file.hunk(index).map(|hunk| hunk.id);
        if let Some((hunk, is_below)) = own.zip(self.diff.around_side(element)) {
            return scene.style.context.tokens(hunk, is_below);
        }
        let colours = self
            .known(file, scene, index)
            .and_then(|known| known.colours);
        let proposal = file.hunk(index).map(|hunk| hunk.id.proposal);
        let known = colours.zip(proposal);
        known.map_or(&[], |(at, own)| scene.style.colours.tokens(own, at))
    }

    /// Returns the tokens of a hunk that is shown with the user's text: those of the lines that the hunk has as well, and
    /// of the others what the new lines by themselves tell. None of any other element.
    fn edited_tokens(
        &mut self,
        file: &ReviewFile,
        scene: &Scene<'_>,
        element: usize,
    ) -> Option<Arc<[Vec<Token>]>> {
        let Some(DiffItem::Hunk(index)) = self.diff.item_of(element) else {
            return None;
        };
        if self.diff.around_side(element).is_some() {
            return None;
        }
        let lines = self.edited.get(&index)?;
        let hunk = file.hunk(index)?;
        let tokens = self.edited_tokens.entry(index).or_insert_with(|| {
            let colours = &scene.style.colours;
            let found = colours.find(hunk, &hunk.lines);
            let known = found.map_or(&[][..], |at| colours.tokens(hunk.id.proposal, at));
            edited::tokens(file.path(), (hunk, known), lines).into()
        });
        Some(Arc::clone(tokens))
    }

    /// Returns what is known of a hunk.
    fn known(&mut self, file: &ReviewFile, scene: &Scene<'_>, index: usize) -> Option<KnownHunk> {
        let (proposal, hunk) = file.entry(index)?;
        let edited = self.edited.get(&index);
        let known = self.hunks.entry(index).or_insert_with(|| {
            let listed = Reading::of_hunk(hunk);
            let shown = match (edited, scene.fold(proposal, hunk)) {
                // The head alone is no part of what is read.
                _ if !scene.list().shows(hunk.id) => Reading::of_words("hidden"),
                (Some(lines), _) => Reading::of_lines(hunk, lines),
                (None, Some(words)) => Reading::of_words(&words.to_string()),
                (None, None) => listed,
            };
            KnownHunk {
                readings: Readings { shown, listed },
                colours: (scene.style.colours).find(hunk, edited.unwrap_or(&hunk.lines)),
            }
        });
        Some(*known)
    }

    /// Returns the identity of a part of the file, and how it reads.
    pub(super) fn item(
        &mut self,
        file: &ReviewFile,
        scene: &Scene<'_>,
        item: DiffItem,
    ) -> Option<(Item, Readings)> {
        match item {
            DiffItem::Title => {
                let first = file.proposals().first()?;
                let reading = Reading::of_title(file);
                Some((Item::Title(first.id), Readings::same(reading)))
            }
            DiffItem::About(proposal) => {
                let own = file.proposals().get(proposal)?;
                let reading = Reading::of_proposal(own);
                Some((Item::About(own.id), Readings::same(reading)))
            }
            DiffItem::Hunk(index) => {
                let known = self.known(file, scene, index)?;
                let id = file.hunk(index)?.id;
                Some((Item::Hunk(id), known.readings))
            }
        }
    }

    /// Returns which lines of a part of the file have to be displayed before a verdict.
    pub(super) fn needed(&self, file: &ReviewFile, scene: &Scene<'_>, item: DiffItem) -> Vec<bool> {
        self.with_source(file, scene, |source| self.diff.needed(source, item))
    }
}

/// The files that are laid out, by their places in the list.
pub(super) type LaidFiles = HashMap<usize, LaidFile>;
