//! The index of this workspace, as the model's tools ask it.
//!
//! In: a name or a text. Out: places and paths. The index is brought up to date for the questions of
//! each answer; while it is
//! made for the first time, there is none.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use signoff_context::index::Index;
use signoff_context::map::by_importers;
use signoff_context::rank::{Weights, rank};
use signoff_context::symbols::{self, Ask, Place};
use signoff_llm::code_index::{Asked, CodeIndex, CodePlace, ReadText};

use crate::paths::Paths;
use crate::workspace_index;

/// Files that are like a text, at most.
const SIMILAR: usize = 20;

/// How long an index is as good as new: the calls of one answer ask within moments of each other, and to look at
/// all files takes some 200 ms where there are 100,000. What is staged is looked at each time.
const FRESH: Duration = Duration::from_secs(2);

/// The index of a workspace.
pub(crate) struct OwnIndex {
    paths: Paths,
    last: Mutex<Option<(Instant, Arc<Index>)>>,
}

impl OwnIndex {
    /// Returns the index of a workspace.
    pub(crate) fn new(paths: Paths) -> Self {
        let last = Mutex::new(None);
        Self { paths, last }
    }

    fn load(&self) -> Result<Arc<Index>, String> {
        let mut last = self.last.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((at, index)) = &*last
            && at.elapsed() < FRESH
        {
            return Ok(Arc::clone(index));
        }
        if !workspace_index::is_there(&self.paths) {
            return Err(
                "the index is being made: use grep, find and outline until then".to_owned(),
            );
        }
        let index = workspace_index::index(&self.paths).map_err(|error| format!("{error:#}"))?;
        let index = Arc::new(index);
        *last = Some((Instant::now(), Arc::clone(&index)));
        Ok(index)
    }
}

impl CodeIndex for OwnIndex {
    fn places(
        &self,
        asked: Asked,
        name: &str,
        staged: &[String],
        read: &ReadText<'_>,
    ) -> Result<Vec<CodePlace>, String> {
        let index = self.load()?;
        let ask = match asked {
            Asked::Definitions => Ask::Definitions,
            Asked::References => Ask::References,
        };
        let found = symbols::find(&index, ask, name, staged, read).into_iter();
        let place = |place: Place| CodePlace {
            path: place.path,
            line: *place.lines.start(),
            kind: place.kind.to_owned(),
            container: place.container,
        };
        Ok(found.map(place).collect())
    }

    fn sources(&self) -> Result<Vec<String>, String> {
        let index = self.load()?;
        Ok(by_importers(&index))
    }

    fn called(&self, name: &str) -> Result<Vec<String>, String> {
        Ok(self.load()?.called(name))
    }

    fn similar(&self, text: &str) -> Result<Vec<String>, String> {
        let index = self.load()?;
        let ranked = rank(&index, text, &Weights::default(), SIMILAR);
        Ok(ranked.into_iter().map(|file| file.path).collect())
    }
}
