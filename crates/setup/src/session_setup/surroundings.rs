//! Surroundings of this workspace, for the model.
//!
//! In: a request. Out: the environment for the first one, the files that it names, of large ones an outline and the
//! part that is meant, the definitions that it names behind an `@`, and files that it is likely about, by the index:
//! excerpts of the first ones where it names none. Files that look like secrets are given only where the request names them. A
//! request that names nothing, as a greeting, brings nothing but the environment. The index is built beside the
//! conversation; until then nothing is ranked.

pub(crate) mod foreign;

use std::collections::BTreeMap;
use std::ops::RangeInclusive;
use std::panic::resume_unwind;
use std::path::Path;
use std::sync::Mutex;
use std::sync::mpsc::{self, Receiver, RecvTimeoutError};
use std::thread;
use std::time::{Duration, SystemTime};

use signoff_context::excerpt::{Excerpt, clear, excerpts};
use signoff_context::index::Index;
use signoff_context::part;
use signoff_context::rank::{Ranked, Weights, Work, rank_at_work};
use signoff_context::symbols::{self, Ask, Place};
use signoff_core::disk::workspace::WorkspacePath;
use signoff_core::engine::Engine;
use signoff_core::quote;
use signoff_core::syntax::Language;
use signoff_core::syntax::outline::{self, Symbol};
use signoff_llm::driver::SayWait;
use signoff_llm::permission::Policy;
use signoff_llm::secret_file::is_secret_name;
use signoff_llm::surroundings::{
    AttachedFile, Grounds, LikelyFile, MAX_ATTACHED, MAX_FILE, OutlinedFile, Surroundings,
};
use signoff_llm::tool::lock;
use signoff_sandbox::git_view::{self, Question};
use signoff_sandbox::process::Limits;
use signoff_sandbox::secret_text::holds_secret;

use crate::paths::Paths;
use crate::workspace_index;

/// Files that are ranked: of the files that commits change, 90 of 100 are among the first thirty.
const RANKED: usize = 30;
/// Definitions of a large file that are listed: some 2 KiB.
const OUTLINED: usize = 60;
/// Definitions of named symbols that are given.
const DEFINITIONS: usize = 4;
/// How long a request waits for an index to be built: that of some 200,000 lines takes less.
const PATIENCE: Duration = Duration::from_secs(3);
/// How long it waits without a word.
const UNNOTICED: Duration = Duration::from_millis(300);
/// Changed files, folders and languages that are named.
const NAMED: usize = 8;
/// How far git may go to tell what changed: the first request waits for it, and without it loses little.
const STATUS_LIMITS: Limits = Limits {
    timeout: Duration::from_secs(5),
    most_bytes: 256 * 1024,
};

/// The texts of the workspace as staged, but of files that a rule denies to read, or asks about: nobody is asked for what comes
/// with a request.
#[derive(Clone, Copy)]
pub(crate) struct ReadableTexts<'e> {
    engine: &'e Mutex<Engine>,
    policy: &'e Policy,
}

impl<'e> ReadableTexts<'e> {
    pub(crate) fn of(engine: &'e Mutex<Engine>, policy: &'e Policy) -> Self {
        Self { engine, policy }
    }

    fn read(self, path: &str) -> Option<String> {
        if !self.policy.shows(path) {
            return None;
        }
        let source = lock(self.engine).read(path).ok().flatten()?;
        source.text().ok().map(str::to_owned)
    }

    /// Returns a text that may be given to a request that does not name its file.
    fn unasked(self, path: &str) -> Option<String> {
        self.read(path).filter(|text| !is_secret(path, text))
    }
}

/// Of which files that a request is likely about the text is given.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum LikelyTexts {
    /// Excerpts of as many of the first ones as there is room for.
    First,
    /// Of the one that is clearly meant: a small model reads little.
    Meant,
}

impl LikelyTexts {
    /// Returns how many files are only named.
    fn most_named(self) -> usize {
        match self {
            Self::First => 15,
            Self::Meant => 6,
        }
    }
}

/// Tells what there is to know before a prompt.
pub(crate) fn of(
    paths: &Paths,
    texts: ReadableTexts<'_>,
    prompt: &str,
    (is_first, likely): (bool, LikelyTexts),
    say: SayWait<'_>,
) -> Surroundings {
    // Git looks at every file, as the index does, in a process of its own: each would wait for the other.
    let (index, modified) = thread::scope(|scope| {
        let modified = scope.spawn(|| modified(paths));
        let index = if workspace_index::is_there(paths) {
            workspace_index::index(paths).ok()
        } else {
            first_index(paths, say)
        };
        let modified = modified.join();
        (index, modified.unwrap_or_else(|panic| resume_unwind(panic)))
    });
    let mut gathered = Gathered {
        texts,
        prompt,
        room: MAX_ATTACHED,
        given: Surroundings {
            environment: is_first.then(|| environment(paths, index.as_ref(), &modified)),
            ..Surroundings::default()
        },
    };
    for path in named(prompt, index.as_ref()) {
        gathered.named(path);
    }
    if let Some(index) = &index {
        for region in definitions(texts, index, prompt) {
            gathered.definition(region);
        }
        let work = Work {
            modified: &modified,
            diff: &|| diff(paths),
        };
        let ranking = rank_at_work(index, prompt, &work, &Weights::default(), RANKED);
        let asked = match ranking.changed_lines {
            Some(lines) => format!("{prompt}\n{lines}"),
            None => prompt.to_owned(),
        };
        gathered.ranked(&ranking.files, &asked, likely);
    }
    gathered.given
}

/// What was found for a request so far.
struct Gathered<'a> {
    texts: ReadableTexts<'a>,
    prompt: &'a str,
    given: Surroundings,
    /// Bytes that there is room for.
    room: usize,
}

impl Gathered<'_> {
    /// Returns whether a text of this size may be given.
    fn has_room(&self, bytes: usize) -> bool {
        bytes <= MAX_FILE.min(self.room)
    }

    fn attach(&mut self, file: AttachedFile) {
        self.room -= file.text.len().min(self.room);
        self.given.files.push(file);
    }

    /// Adds a file that the user named; of one that looks like a secret, that it does.
    fn named(&mut self, path: String) {
        let Some(text) = self.texts.read(&path) else {
            return;
        };
        let reason = if is_secret(&path, &text) {
            format!("named by you: {} looks like a secret", quote::name(&path))
        } else {
            "named by the user".to_owned()
        };
        if self.has_room(text.len()) {
            self.whole(path, Grounds::Named, reason, text);
        } else {
            self.large(path, &reason, &text);
        }
    }

    /// Adds all of a file.
    fn whole(&mut self, path: String, grounds: Grounds, reason: String, text: String) {
        let about = part::about(&path, &text, self.prompt);
        self.attach(AttachedFile {
            path,
            grounds,
            reason,
            text,
            lines: None,
            about: about.map(RangeInclusive::into_inner),
        });
    }

    /// Adds what a large file defines, and the part that is meant; of one without definitions, that it is there.
    fn large(&mut self, path: String, reason: &str, text: &str) {
        let symbols = outlined(&path, text);
        let count = text.lines().count();
        if symbols.is_empty() {
            return self.given.likely.push(LikelyFile {
                path,
                reason: format!("{reason}; {count} lines"),
            });
        }
        let about = part::about(&path, text, self.prompt);
        let region = about.map(|lines| {
            let reason = format!("{reason}; the part that seems meant");
            region(path.clone(), reason, text, lines.into_inner())
        });
        self.given.outlines.push(OutlinedFile {
            path,
            lines: count,
            outline: outline::listing(&symbols, OUTLINED),
        });
        region.into_iter().for_each(|region| self.part(region));
    }

    /// Adds a definition that the user named, unless its file, which the user did not name, looks like a secret.
    fn definition(&mut self, region: AttachedFile) {
        let (path, text) = (&region.path, &region.text);
        if !is_secret(path, text) || named(self.prompt, None).contains(path) {
            self.part(region);
        }
    }

    /// Adds a part of a file, unless all of it is there.
    fn part(&mut self, region: AttachedFile) {
        let mut files = self.given.files.iter();
        let is_whole = files.any(|file| file.path == region.path && file.lines.is_none());
        if !is_whole && self.has_room(region.text.len()) {
            self.attach(region);
        }
    }

    /// Adds what is given of the first files, if none is named, and names the others; `asked` has the words to look for.
    fn ranked(&mut self, ranked: &[Ranked], asked: &str, likely: LikelyTexts) {
        if self.given.files.is_empty() && self.given.outlines.is_empty() {
            match likely {
                LikelyTexts::First => {
                    let read = |path: &str| self.texts.unasked(path);
                    for excerpt in excerpts(ranked, asked, self.room, &read) {
                        self.excerpt(excerpt);
                    }
                }
                LikelyTexts::Meant => self.meant(ranked),
            }
        }
        let others = ranked
            .iter()
            .filter(|file| !is_secret_name(&file.path) && !self.has(&file.path));
        let others: Vec<LikelyFile> = others
            .map(|file| LikelyFile {
                path: file.path.clone(),
                reason: file.reasons.join("; "),
            })
            .collect();
        self.given.likely.extend(others);
        self.given.likely.truncate(likely.most_named());
    }

    /// Returns whether something is told of a file.
    fn has(&self, path: &str) -> bool {
        let Surroundings {
            files,
            outlines,
            likely,
            ..
        } = &self.given;
        files.iter().any(|file| file.path == path)
            || outlines.iter().any(|file| file.path == path)
            || likely.iter().any(|file| file.path == path)
    }

    /// Adds a file that the request is likely about, or lines of it.
    fn excerpt(&mut self, excerpt: Excerpt<'_>) {
        let Excerpt { file, text, lines } = excerpt;
        let reason = file.reasons.join("; ");
        let Some(lines) = lines else {
            return self.whole(file.path.clone(), Grounds::Ranked, reason, text);
        };
        self.attach(AttachedFile {
            path: file.path.clone(),
            grounds: Grounds::Ranked,
            reason: format!("{reason}; the part that seems meant"),
            text,
            lines: Some(lines.into_inner()),
            about: None,
        });
    }

    /// Adds the file that is clearly meant, or of a large one the part that is.
    fn meant(&mut self, ranked: &[Ranked]) {
        let ranked: Vec<&Ranked> = ranked.iter().collect();
        let Some(file) = clear(&ranked) else {
            return;
        };
        let path = &file.path;
        let Some(text) = self.texts.unasked(path) else {
            return;
        };
        let reason = file.reasons.join("; ");
        if self.has_room(text.len()) {
            return self.whole(path.clone(), Grounds::Meant, reason, text);
        }
        let Some(lines) = part::about(path, &text, self.prompt) else {
            return;
        };
        let reason = format!("{reason}; the part that seems meant");
        let mut part = region(path.clone(), reason, &text, lines.into_inner());
        part.grounds = Grounds::Meant;
        self.part(part);
    }
}

/// Returns whether a file likely holds secrets, by its name or by what is in it.
fn is_secret(path: &str, text: &str) -> bool {
    is_secret_name(path) || holds_secret(text)
}

/// Returns the definitions that a request names behind an `@`.
fn definitions(texts: ReadableTexts<'_>, index: &Index, prompt: &str) -> Vec<AttachedFile> {
    let words = prompt.split(|c: char| !c.is_alphanumeric() && !"_.:@/".contains(c));
    let names = words.filter_map(|word| word.trim_end_matches(['.', ':']).strip_prefix('@'));
    let found = names.flat_map(|name| {
        let places = symbols::find(index, Ask::Definitions, name, &[], &|path| texts.read(path));
        places
            .into_iter()
            .filter_map(move |place| attached(texts, name, place))
    });
    found.take(DEFINITIONS).collect()
}

/// Returns a definition with its text.
fn attached(texts: ReadableTexts<'_>, name: &str, place: Place) -> Option<AttachedFile> {
    let text = texts.read(&place.path)?;
    let reason = format!("defines {name}, named by the user");
    Some(region(place.path, reason, &text, place.lines.into_inner()))
}

/// Returns some lines of a file, counted from one.
fn region(path: String, reason: String, text: &str, (first, last): (usize, usize)) -> AttachedFile {
    let lines = text.lines().take(last).skip(first.saturating_sub(1));
    AttachedFile {
        path,
        grounds: Grounds::Named,
        reason,
        text: lines.collect::<Vec<_>>().join("\n"),
        lines: Some((first, last)),
        about: None,
    }
}

/// Returns what a file defines.
fn outlined(path: &str, text: &str) -> Vec<Symbol> {
    let path = WorkspacePath::parse(path, Path::new("/")).ok();
    let language = path.as_ref().and_then(Language::of);
    let parsed = language.and_then(|language| Some((language, language.parse(text)?)));
    parsed.map_or_else(Vec::new, |(language, parsed)| {
        outline::outline(language, &parsed)
    })
}

/// Waits a while for the first index of a folder, and says so.
fn first_index(paths: &Paths, say: SayWait<'_>) -> Option<Index> {
    let built = build_beside(paths);
    let built = match built.recv_timeout(UNNOTICED) {
        Ok(index) => return Some(index),
        Err(RecvTimeoutError::Disconnected) => return None,
        Err(RecvTimeoutError::Timeout) => {
            let most = PATIENCE.as_secs();
            say(format!(
                "indexing this folder for the first time; the request waits up to {most} s for it"
            ));
            built.recv_timeout(PATIENCE - UNNOTICED)
        }
    };
    if let Err(RecvTimeoutError::Timeout) = built {
        let late = "the index is not ready: no files are looked up for this request";
        say(late.to_owned());
    }
    built.ok()
}

/// Builds the index on a thread of its own; one that is being built is waited for there.
pub fn build_beside(paths: &Paths) -> Receiver<Index> {
    let paths = paths.clone();
    let (sender, built) = mpsc::channel();
    std::thread::spawn(move || match workspace_index::index(&paths) {
        // Nobody may wait for it any more.
        Ok(index) => drop(sender.send(index)),
        Err(error) => tracing::warn!(%error, "the workspace is not indexed"),
    });
    built
}

/// Returns the paths that a request names: as they are, behind an `@`, or by the name alone of a file that only one
/// folder has; in backticks also without its extension, or with characters that end a word. A plain word, as `list` or `name`, is no name of a file. What
/// looks like a secret is named only by all of its name: `credentials` is a word as any other.
fn named(prompt: &str, index: Option<&Index>) -> Vec<String> {
    let mut found: Vec<String> = Vec::new();
    for (at, text) in prompt.split('`').enumerate() {
        let is_quoted = at % 2 == 1 && text.chars().all(may_name);
        let whole = text.strip_prefix('@').unwrap_or(text);
        if at % 2 == 1 && !is_quoted && index.is_some_and(|index| index.find(whole).is_some()) {
            found.extend((!found.iter().any(|path| path == whole)).then(|| whole.to_owned()));
            continue;
        }
        for word in text.split(|c: char| !may_name(c)) {
            let word = word.trim_start_matches('@').trim_end_matches('.');
            let word = word.strip_prefix("./").unwrap_or(word);
            let path = named_by(word, is_quoted, index);
            found.extend(path.filter(|path| !found.contains(path)));
        }
    }
    found
}

/// Returns whether a character may be one of a path that a request names without quotes.
fn may_name(c: char) -> bool {
    c.is_alphanumeric() || "_-./@+".contains(c)
}

/// Returns the path that a word names; one that is quoted may lack its extension.
fn named_by(word: &str, is_quoted: bool, index: Option<&Index>) -> Option<String> {
    let is_secret = index.is_some_and(|index| {
        let path = index.find(word).map(|_| word.to_owned());
        let path = path.or_else(|| index.only(word));
        path.is_some_and(|path| is_secret_name(&path))
    });
    let is_name = word.contains('/') || Path::new(word).extension().is_some() || is_secret;
    match index {
        Some(index) if !is_name => Some(word)
            .filter(|word| is_quoted && !word.is_empty())
            .and_then(|word| index.only_stem(word))
            .filter(|path| !is_secret_name(path)),
        _ if !is_name => None,
        Some(index) if index.find(word).is_none() => index.only(word),
        _ => Some(word.to_owned()),
    }
}

/// Returns where the model is, in one paragraph.
fn environment(paths: &Paths, index: Option<&Index>, modified: &[String]) -> String {
    let mut parts = vec![
        format!(
            "Folder {} on {}",
            quote::name(&paths.label()),
            std::env::consts::OS
        ),
        today(),
    ];
    if let Ok(Some(branch)) = git_view::branch(&paths.root) {
        parts.push(format!("git branch {}", quote::name(&branch)));
        if !modified.is_empty() {
            let modified = modified.iter().map(|path| quote::name(path).into_owned());
            parts.push(format!("changed: {}", listed(modified.collect())));
        }
    }
    let languages = index.map(languages).unwrap_or_default();
    if !languages.is_empty() {
        parts.push(format!("files: {}", listed(languages)));
    }
    let folders = folders(&paths.root);
    if !folders.is_empty() {
        let folders = folders.iter().map(|name| quote::name(name).into_owned());
        parts.push(format!("folders: {}", listed(folders.collect())));
    }
    format!("{}.", parts.join("; "))
}

/// Returns the files that differ from the last commit, the one that was written last first; none without git.
fn modified(paths: &Paths) -> Vec<String> {
    let question = Question::Status { branch: false };
    let status = workspace_index::ask(paths, question, STATUS_LIMITS).unwrap_or_default();
    let mut modified: Vec<(Option<SystemTime>, String)> = status
        .lines()
        .filter_map(|line| line.get(3..))
        .map(|path| {
            // Git puts names that need it in quotes, and says of a renamed file what it was.
            let path = path.rsplit(" -> ").next().unwrap_or(path).trim_matches('"');
            let metadata = paths.root.join(path).symlink_metadata();
            (
                metadata.and_then(|own| own.modified()).ok(),
                path.to_owned(),
            )
        })
        .collect();
    modified.sort_by(|(a, _), (b, _)| b.cmp(a));
    modified.into_iter().map(|(_, path)| path).collect()
}

/// Returns what differs from the last commit, as a diff; none without git.
fn diff(paths: &Paths) -> Option<String> {
    let question = Question::Diff {
        staged: false,
        commit: Some("HEAD"),
    };
    workspace_index::ask(paths, question, STATUS_LIMITS)
}

/// Returns the day, as `2026-11-23`.
fn today() -> String {
    let now = jiff::Timestamp::try_from(SystemTime::now()).unwrap_or_default();
    now.to_zoned(jiff::tz::TimeZone::UTC).date().to_string()
}

/// Returns the first of some names, which are on one line each.
fn listed(mut names: Vec<String>) -> String {
    let more = names.len().saturating_sub(NAMED);
    names.truncate(NAMED);
    if more > 0 {
        names.push(format!("{more} more"));
    }
    names.join(", ")
}

/// Returns the extensions of source files with their counts, the most frequent first.
fn languages(index: &Index) -> Vec<String> {
    let mut counts: BTreeMap<String, usize> = BTreeMap::new();
    for path in index.sources() {
        if let Some(extension) = Path::new(path).extension().and_then(|own| own.to_str()) {
            *counts.entry(extension.to_owned()).or_default() += 1;
        }
    }
    let mut counts: Vec<(String, usize)> = counts.into_iter().collect();
    counts.sort_by_key(|(_, count)| std::cmp::Reverse(*count));
    let each = counts
        .into_iter()
        .map(|(extension, count)| format!("{count} {}", quote::name(&format!(".{extension}"))));
    each.collect()
}

/// Returns the folders at the top that are not hidden.
fn folders(root: &Path) -> Vec<String> {
    let entries = std::fs::read_dir(root).into_iter().flatten().flatten();
    let folders = entries.filter(|entry| entry.file_type().is_ok_and(|kind| kind.is_dir()));
    let names = folders.filter_map(|entry| entry.file_name().into_string().ok());
    let mut names: Vec<String> = names.filter(|name| !name.starts_with('.')).collect();
    names.sort();
    names
}

#[cfg(test)]
mod tests {
    use signoff_context::history::History;

    use super::*;

    #[test]
    fn files_are_named_by_path_by_mark_and_by_their_name_alone() {
        let files = [
            "src/main.rs",
            "src/a/mod.rs",
            "src/b/mod.rs",
            "docs/notes.md",
            ".env",
            "keys/id_rsa",
            "credentials.json",
            "app/[id]/a page.tsx",
        ];
        let texts = files.iter().map(|path| (*path, &b"x\n"[..]));
        let index = Index::of_texts(texts, History::default());
        for (prompt, expected) in [
            ("fix src/main.rs.", &["src/main.rs"][..]),
            ("look at `@src/main.rs`, please", &["src/main.rs"]),
            (
                "the typo in notes.md and ./src/a/mod.rs",
                &["docs/notes.md", "src/a/mod.rs"],
            ),
            ("mod.rs of which", &[]),
            // A plain word is no file, quoted it is one.
            ("fix the typo in main", &[]),
            ("fix the typo in `main`", &["src/main.rs"]),
            ("run `cargo test main`", &[]),
            ("list the notes of the main module", &[]),
            ("look at `@app/[id]/a page.tsx`", &["app/[id]/a page.tsx"]),
            ("what is in .env?", &[".env"]),
            ("is id_rsa a key", &["keys/id_rsa"]),
            ("fix how credentials are read", &[]),
            ("look at credentials.json", &["credentials.json"]),
            ("hello there. e.g. this", &[]),
        ] {
            assert_eq!(named(prompt, Some(&index)), expected, "{prompt}");
        }
    }
}
