//! Recipes: named edits, which change nothing that is already as asked.
//!
//! In: a recipe and a text. Out: a plan. One file a recipe; what several of them need stands
//! in [`symbol`] and [`indent`].

mod add_function;
mod add_jsx_prop;
mod delete_symbol;
mod ensure_import;
mod head;
mod indent;
mod remove_headings;
mod rename_identifier;
mod replace_symbol_body;
mod snippet;
mod symbol;
mod wrap_call;

pub(crate) use rename_identifier::{Companions, PayloadFacts, RenamedFile, proved_places};

use super::outcome::{OrAnswer, already, invalid, listed, modified, not_found, refused};
use super::{MAX_CANDIDATES, Outcome, Plan};
use crate::disk::workspace::WorkspacePath;
use crate::edit::locate::{Candidate, Rung};
use crate::edit::request::{Recipe, Which};
use crate::syntax::{Language, Parsed, SyntaxCache};
use crate::text::indent::{Unit, leading_at};
use crate::text::{Slice, Source, Splice};

/// The file that a recipe is for.
#[derive(Clone, Copy)]
struct File<'a> {
    cache: &'a SyntaxCache,
    path: &'a WorkspacePath,
    source: &'a Source,
    text: &'a str,
}

/// Languages that recipes treat alike.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Family {
    Rust,
    /// TypeScript and JavaScript, with JSX or without.
    Script,
    Python,
}

/// A file in a language that recipes know, with its tree.
struct ParsedFile<'a> {
    file: File<'a>,
    family: Family,
    language: Language,
    /// One step of indentation.
    unit: Unit,
    tree: Parsed<'a>,
}

/// Plans `recipe` for the file at `path`.
pub(super) fn plan(
    cache: &SyntaxCache,
    path: &WorkspacePath,
    source: &Source,
    recipe: &Recipe,
) -> OrAnswer<Plan> {
    let text = source.text().map_err(|error| refused(error.to_string()))?;
    let file = File {
        cache,
        path,
        source,
        text,
    };
    let planned = match recipe {
        Recipe::RenameIdentifier(request) => rename_identifier::plan(file, request),
        Recipe::RemoveHeadings => remove_headings::plan(file),
        Recipe::EnsureImport { import } => ensure_import::plan(file, import),
        Recipe::DeleteSymbol(address) => delete_symbol::plan(file, address),
        Recipe::AddJsxProp(request) => add_jsx_prop::plan(file, request),
        Recipe::AddFunction(request) => add_function::plan(file, request),
        Recipe::WrapCall(request) => wrap_call::plan(file, request),
        Recipe::ReplaceSymbolBody(request) => replace_symbol_body::plan(file, request),
    };
    match planned? {
        by_words if by_words.evidence.rung == Rung::Pattern => Ok(by_words),
        plan => Ok(plan.found_by(Rung::Syntax)),
    }
}

impl<'a> File<'a> {
    /// Parses the file for a recipe that cannot do without a tree.
    fn parsed(self) -> Result<ParsedFile<'a>, Outcome> {
        let path = self.path;
        let language = Language::of(path)
            .ok_or_else(|| refused(format!("there is no grammar for {path}; use `section`")))?;
        let family = Family::of(language).ok_or_else(|| {
            refused(format!(
                "this recipe knows Rust, TypeScript, JavaScript and Python, not {path}; \
                 use `section`"
            ))
        })?;
        let tree = self.cache.parse(language, self.text).ok_or_else(|| {
            refused(format!(
                "{path} is too large, or nests too deeply, to be parsed; use `section`"
            ))
        })?;
        Ok(ParsedFile {
            file: self,
            family,
            language,
            unit: self.unit(family),
            tree,
        })
    }

    /// Returns the 1-based line of a byte.
    fn line(self, at: usize) -> usize {
        self.source.line_of(at) + 1
    }

    /// Returns the 0-based line of a byte's start.
    fn line_start(self, at: usize) -> usize {
        self.source.line_range(self.source.line_of(at)).start
    }

    /// Returns the white space that the line of a byte begins with.
    fn indent_at(self, at: usize) -> &'a str {
        leading_at(self.text, at)
    }

    /// Returns the line ending that text put in at a byte gets.
    fn ending_at(self, at: usize) -> &'static str {
        self.source.ending_near(self.source.line_of(at)).as_str()
    }

    /// Makes the splice that puts `new` in the place of a range.
    fn splice(self, range: std::ops::Range<usize>, new: impl Into<Vec<u8>>) -> Splice {
        Splice {
            new: new.into(),
            ..removal(self.text, range)
        }
    }

    /// Answers that several places, given by their offsets, could be meant.
    fn ambiguous(self, why: String, places: impl IntoIterator<Item = usize>) -> Outcome {
        Outcome::Ambiguous {
            why,
            candidates: Candidate::each(self.source, places.into_iter().take(MAX_CANDIDATES)),
        }
    }

    /// Picks the places that a request means, each given with the 0-based lines it is on.
    fn pick<T>(
        self,
        places: Vec<T>,
        which: Which,
        what: &str,
        at: impl Fn(&T) -> usize,
        on: impl Fn(&T, usize) -> bool,
    ) -> Result<Vec<T>, Outcome> {
        let count = places.len();
        let lines = listed(places.iter().map(|place| self.line(at(place))));
        let chosen: Vec<T> = match which.line {
            Some(line) => places.into_iter().filter(|p| on(p, line - 1)).collect(),
            None => places,
        };
        match (chosen.len(), which.line) {
            (0, Some(line)) if count > 0 => Err(not_found(format!(
                "{what} is not on line {line}, but on {lines}"
            ))),
            (0, _) => Err(not_found(format!("{} has no {what}", self.path))),
            (1, _) => Ok(chosen),
            _ if which.all => Ok(chosen),
            (several, _) => Err(self.ambiguous(
                format!("{what} is there {several} times; give `line` or `\"all\": true`"),
                chosen.iter().map(at),
            )),
        }
    }
}

impl Family {
    fn of(language: Language) -> Option<Self> {
        let script = [Language::TypeScript, Language::Tsx, Language::JavaScript];
        if language == Language::Rust {
            Some(Self::Rust)
        } else if language == Language::Python {
            Some(Self::Python)
        } else {
            script.contains(&language).then_some(Self::Script)
        }
    }
}

/// Makes the splice that takes a range of the text out.
fn removal(text: &str, range: std::ops::Range<usize>) -> Splice {
    let old = text.slice(range.clone()).as_bytes().to_vec();
    Splice {
        at: range.start,
        old,
        new: Vec::new(),
    }
}

#[cfg(test)]
mod testing;
