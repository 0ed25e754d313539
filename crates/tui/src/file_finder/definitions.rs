//! Names of definitions in the files that changed last.
//!
//! In: files, newest first. Out: what they define, as an `@` in a prompt names it. A file is parsed once, and again
//! after it changed.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use signoff_core::disk::workspace::WorkspacePath;
use signoff_core::syntax::{Language, outline};
use signoff_llm::mention;
use signoff_sandbox::regular;

use super::listing::Listed;

/// Files that are parsed at most: the 1,000 that changed last take some 2 s of one core, once.
const MOST_FILES: usize = 1_000;
/// Size of a file that is parsed at most, in bytes; generated ones are larger.
const MAX_BYTES: u64 = 256 * 1024;

/// A definition that a prompt can name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Definition {
    /// Its name after those that it is within: `Type.method`.
    pub(super) name: String,
    /// What it is, in one word.
    pub(super) what: &'static str,
    /// The file that it is in.
    pub(super) path: Arc<str>,
}

/// What is known of each file, with the time at which the file changed.
type Known = HashMap<Box<str>, (u64, Vec<Definition>)>;

/// The definitions of the files that were read.
#[derive(Debug, Default)]
pub(super) struct Definitions(Arc<Mutex<Known>>);

impl Definitions {
    /// Reads the newest source files on a thread of its own, and hands over what they define.
    pub(super) fn read(
        &self,
        root: &Path,
        files: &[Listed],
        report: impl Fn(Vec<Definition>) + Send + 'static,
    ) {
        let sources = files
            .iter()
            .filter(|file| language(&file.path).is_some())
            .take(MOST_FILES)
            .cloned()
            .collect::<Vec<_>>();
        let (known, root) = (Arc::clone(&self.0), root.to_owned());
        std::thread::spawn(move || {
            let mut known = known.lock().unwrap_or_else(PoisonError::into_inner);
            let mut all = Vec::new();
            for file in sources {
                let is_known = known
                    .get(&file.path)
                    .is_some_and(|(changed, _)| *changed == file.changed);
                if !is_known {
                    let defined = defined(&root, &file.path);
                    known.insert(file.path.clone(), (file.changed, defined));
                }
                all.extend(
                    known
                        .get(&file.path)
                        .into_iter()
                        .flat_map(|it| it.1.clone()),
                );
            }
            report(all);
        });
    }
}

fn language(path: &str) -> Option<Language> {
    let path = WorkspacePath::parse(path, Path::new("/")).ok()?;
    Language::of(&path)
}

/// Returns what a file defines that can be named behind an `@`.
fn defined(root: &Path, path: &str) -> Vec<Definition> {
    let full: PathBuf = root.join(path);
    let Ok(text) = regular::text(&full, MAX_BYTES) else {
        return Vec::new();
    };
    let parsed = language(path).and_then(|language| Some((language, language.parse(&text)?)));
    let Some((language, parsed)) = parsed else {
        return Vec::new();
    };
    let path: Arc<str> = path.into();
    let symbols = outline::outline(language, &parsed).into_iter();
    let nameable = symbols.filter(|symbol| {
        let is_text = matches!(symbol.what, "heading" | "section" | "key" | "table");
        !is_text && symbol.path.chars().all(mention::is_part) && !symbol.path.contains('/')
    });
    nameable
        .map(|symbol| Definition {
            name: symbol.path,
            what: symbol.what,
            path: Arc::clone(&path),
        })
        .collect()
}
