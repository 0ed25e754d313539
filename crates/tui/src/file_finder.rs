//! Fuzzy search of the workspace's files and definitions, on threads of its own.
//!
//! In: what stands behind an `@`. Out: the best matches, files that changed last first where they match as well. The
//! files are listed when they are asked for first, and again when the list is older than [`FRESH`]; until that is done,
//! the matches are among those that were listed so far.

mod definitions;
mod listing;

use std::cmp::Reverse;
use std::collections::HashSet;
use std::path::PathBuf;
use std::sync::mpsc::{self, Receiver, Sender};
use std::time::{Duration, Instant};

use nucleo_matcher::pattern::{AtomKind, CaseMatching, Normalization, Pattern};
use nucleo_matcher::{Config, Matcher, Utf32Str};

use signoff_core::disk::workspace::reserved::ReservedFolders;
use signoff_llm::image::ImageFormat;
use signoff_llm::mention;

use self::definitions::{Definition, Definitions};
use self::listing::Listed;

/// The most matches that are reported: more than anybody goes through line by line.
const MOST: usize = 50;
/// How old a list may be before files are listed again: files made meanwhile are found, and typing does not list anew.
const FRESH: Duration = Duration::from_secs(5);
/// How often matches are reported while files are listed: matching 100,000 files takes some 30 ms.
const PACE: Duration = Duration::from_millis(200);

/// What is looked for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Wanted {
    /// What stands behind the `@`.
    pub(crate) query: String,
    /// Paths with staged work: they come first, also those that are no files yet.
    pub(crate) staged: Vec<String>,
}

/// What was found.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Found {
    /// What was looked for.
    pub query: String,
    /// The matches, best first.
    pub choices: Vec<Mentioned>,
}

/// A file or a definition that a prompt can mention.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mentioned {
    /// As it is written in the prompt.
    pub mention: String,
    /// As it is shown.
    pub name: String,
    /// What it is.
    pub about: String,
}

/// What the search is told.
enum Job {
    Find(Wanted),
    Listed(Listed),
    AllListed,
    Definitions(Vec<Definition>),
}

/// Where questions go.
pub(crate) struct FileFinder(Sender<Job>);

impl FileFinder {
    /// Starts the search; `report` returns false once nobody listens any more.
    pub(crate) fn start(
        root: PathBuf,
        reserved: ReservedFolders,
        report: impl Fn(Found) -> bool + Send + 'static,
    ) -> std::io::Result<Self> {
        let (sender, jobs) = mpsc::channel();
        let own = sender.clone();
        std::thread::Builder::new()
            .name("files".to_owned())
            .spawn(move || {
                Search {
                    root,
                    reserved,
                    sender: own,
                    files: Vec::new(),
                    listing: None,
                    listed_at: None,
                    definitions: Vec::new(),
                    known: Definitions::default(),
                    matcher: Matcher::new(Config::DEFAULT.match_paths()),
                }
                .serve(&jobs, &report);
            })?;
        Ok(Self(sender))
    }

    /// Asks for files; the answer to an earlier question may not come any more.
    pub(crate) fn find(&self, wanted: Wanted) {
        // A thread that panicked has been reported.
        let _gone = self.0.send(Job::Find(wanted));
    }
}

struct Search {
    root: PathBuf,
    reserved: ReservedFolders,
    sender: Sender<Job>,
    files: Vec<Listed>,
    /// The files of a later listing that is under way.
    listing: Option<Vec<Listed>>,
    listed_at: Option<Instant>,
    definitions: Vec<Definition>,
    known: Definitions,
    matcher: Matcher,
}

impl Search {
    fn serve(mut self, jobs: &Receiver<Job>, report: &dyn Fn(Found) -> bool) {
        let mut last: Option<Wanted> = None;
        let mut reported: Option<Instant> = None;
        while let Ok(job) = jobs.recv() {
            let mut is_due = reported.is_none_or(|at| at.elapsed() >= PACE);
            for job in std::iter::once(job).chain(jobs.try_iter()) {
                is_due |= !matches!(job, Job::Listed(_));
                match job {
                    Job::Find(wanted) => last = Some(wanted),
                    Job::Listed(file) => {
                        self.listing.as_mut().unwrap_or(&mut self.files).push(file)
                    }
                    Job::AllListed => self.end_listing(),
                    Job::Definitions(definitions) => self.definitions = definitions,
                }
            }
            let Some(wanted) = last.as_ref().filter(|_| is_due) else {
                continue;
            };
            self.list_again();
            if !report(self.find(wanted)) {
                return;
            }
            reported = Some(Instant::now());
        }
    }

    /// Lists the files if that was not done lately.
    fn list_again(&mut self) {
        if self.listed_at.is_some_and(|at| at.elapsed() < FRESH) || self.listing.is_some() {
            return;
        }
        self.listing = self.listed_at.is_some().then(Vec::new);
        self.listed_at = Some(Instant::now());
        let (root, sender) = (self.root.clone(), self.sender.clone());
        let reserved = self.reserved.clone();
        std::thread::spawn(move || {
            listing::list(&root, &reserved, |file| {
                sender.send(Job::Listed(file)).is_ok()
            });
            drop(sender.send(Job::AllListed));
        });
    }

    fn end_listing(&mut self) {
        if let Some(files) = self.listing.take() {
            self.files = files;
        }
        self.files.sort_unstable_by(|a, b| {
            let by_change = b.changed.cmp(&a.changed);
            by_change.then_with(|| a.path.cmp(&b.path))
        });
        self.listed_at = Some(Instant::now());
        let sender = self.sender.clone();
        let report = move |definitions| drop(sender.send(Job::Definitions(definitions)));
        self.known.read(&self.root, &self.files, report);
    }

    /// Returns the best matches.
    fn find(&mut self, wanted: &Wanted) -> Found {
        let staged: HashSet<&str> = wanted.staged.iter().map(String::as_str).collect();
        let files = self.files.iter().map(|file| &*file.path);
        let files = files.filter(|path| !staged.contains(path));
        let staged = wanted.staged.iter().map(|path| (path.as_str(), "staged"));
        let about = |path| {
            if ImageFormat::is_named(path) {
                "image"
            } else {
                ""
            }
        };
        let files = staged.chain(files.map(|path| (path, about(path))));
        let mut found = Vec::new();
        let pattern = Pattern::new(
            &wanted.query,
            CaseMatching::Smart,
            Normalization::Smart,
            AtomKind::Fuzzy,
        );
        let mut buffer = Vec::new();
        for (path, about) in files {
            let text = Utf32Str::new(path, &mut buffer);
            if let Some(score) = pattern.score(text, &mut self.matcher) {
                keep(&mut found, score, (path, None, about));
            }
        }
        let definitions = self.definitions.iter().filter(|_| !wanted.query.is_empty());
        for definition in definitions {
            let text = Utf32Str::new(&definition.name, &mut buffer);
            if let Some(score) = pattern.score(text, &mut self.matcher) {
                let at = definition.path.as_ref();
                keep(
                    &mut found,
                    score,
                    (&definition.name, Some(at), definition.what),
                );
            }
        }
        shorten(&mut found);
        Found {
            query: wanted.query.clone(),
            choices: found.into_iter().map(|(_, it)| mentioned(it)).collect(),
        }
    }
}

/// A match: its text, for a definition the file that it is in, and what it is.
type Hit<'a> = (&'a str, Option<&'a str>, &'a str);

/// Keeps a match that may be among the best.
fn keep<'a>(found: &mut Vec<(u32, Hit<'a>)>, score: u32, hit: Hit<'a>) {
    found.push((score, hit));
    if found.len() >= 20 * MOST {
        shorten(found);
    }
}

/// Keeps the best matches; the order of equal ones stays.
fn shorten(found: &mut Vec<(u32, Hit<'_>)>) {
    found.sort_by_key(|(score, _)| Reverse(*score));
    found.truncate(MOST);
}

fn mentioned((text, within, about): Hit<'_>) -> Mentioned {
    match within {
        None => Mentioned {
            mention: mention::of(text),
            name: text.to_owned(),
            about: about.to_owned(),
        },
        Some(path) => Mentioned {
            mention: format!("@{text}"),
            name: text.to_owned(),
            about: format!("{about} in {path}"),
        },
    }
}

#[cfg(test)]
mod tests;
