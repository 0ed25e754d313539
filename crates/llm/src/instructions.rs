//! Instructions: the first message of every request.
//!
//! In: the profile, and what the user and the project want of any agent. Out: one text of
//! bounded size. Instructions of folders further in come with the first file of theirs, bounded
//! together.
//!
//! The first message: the profile's own text, the user's `AGENTS.md`, the project's. Those of inner folders come
//! with the first answer about a file of theirs, 8 KiB of each and 32 KiB together in a conversation.

use std::collections::HashSet;
use std::str::FromStr;

use signoff_core::clip;
pub use signoff_core::edit::rule::{FILE, FILES};
use signoff_core::quote::name;

use crate::provider::catalogue::Model;

/// The most bytes of the user's file, and of the project's, that go into a request: as much as other agents read.
const MOST_BYTES: usize = 32 * 1024;

/// The same for a small model, and of a file in an inner folder: 8,192 tokens, which many small models read at most, are
/// about 32 KiB.
const MOST_SMALL_BYTES: usize = 8 * 1024;

/// The most bytes of those of inner folders that a conversation is given.
pub const MOST_NESTED_BYTES: usize = 32 * 1024;

/// Maximum number of places searched for instructions for one call; a payload may name any number of
/// files, as deep as it likes.
const MOST_LOOKS: usize = 64;

/// What the first message says at its end where edits are written at once.
pub const WRITTEN_AT_ONCE: &str = "\n\nHere edits are written at once: one whose answer has \
     `\"written\":true` is in the file. Only others wait for the user.";

/// How much a model is given to read before the first word.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Profile {
    /// All tools.
    #[default]
    Full,
    /// Four tools and a short text, for models that are small or slow.
    Small,
}

/// A word that names no [`Profile`].
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0:?} is none of full, small")]
pub struct NoProfile(String);

impl FromStr for Profile {
    type Err = NoProfile;

    fn from_str(word: &str) -> Result<Self, Self::Err> {
        match word {
            "full" => Ok(Self::Full),
            "small" => Ok(Self::Small),
            _ => Err(NoProfile(word.to_owned())),
        }
    }
}

impl Profile {
    /// Returns the profile that fits a model: small for up to four billion parameters, as its name
    /// says or else what is known of it, and for one that reads little.
    pub fn for_model(model: &Model) -> Self {
        const FEW: f64 = 4.0;
        const LITTLE: u64 = 8192;
        let few = size_in(&model.name).or(model.billions);
        let little = model.context.is_some_and(|tokens| tokens <= LITTLE);
        if little || few.is_some_and(|billions| billions <= FEW) {
            Self::Small
        } else {
            Self::Full
        }
    }

    /// Returns how many bytes of a file with instructions a model of this profile is given.
    pub fn most_bytes(self) -> usize {
        match self {
            Self::Full => MOST_BYTES,
            Self::Small => MOST_SMALL_BYTES,
        }
    }

    /// Returns the instructions of this profile.
    pub fn text(self) -> &'static str {
        match self {
            Self::Full => include_str!("prompt.md").trim_end(),
            Self::Small => include_str!("prompt_small.md").trim_end(),
        }
    }
}

/// Returns how many billions of parameters a name says that its model has.
fn size_in(name: &str) -> Option<f64> {
    let name = name.to_lowercase();
    let words = name.split(|c: char| !c.is_ascii_alphanumeric() && c != '.');
    let billions = words.filter_map(|word| {
        let (number, unit) = word.split_at_checked(word.len().checked_sub(1)?)?;
        let number: f64 = number.parse().ok()?;
        match unit {
            "b" => Some(number),
            "m" => Some(number / 1000.0),
            _ => None,
        }
    });
    billions.reduce(f64::max)
}

/// Returns the first message: the text of a profile or a role, then what the user wants of every project,
/// then what this project wants, which goes before the user's: the name of its file, and the text. Of each at most so many
/// bytes.
pub fn assemble(
    own: &str,
    user: Option<&str>,
    project: Option<(&str, &str)>,
    most: usize,
) -> String {
    let mut text = own.to_owned();
    let file = project.map_or(FILE, |(file, _)| file);
    let projects = format!("This project's instructions ({file}), which go before those:");
    let parts = [
        ("The user's instructions for every project:", user),
        (&projects, project.map(|(_, text)| text)),
    ];
    for (head, part) in parts {
        if let Some(part) = part.map(str::trim).filter(|part| !part.is_empty()) {
            text += &format!("\n\n{head}\n{}", bounded(part, most));
        }
    }
    text
}

/// Which instructions of inner folders a conversation was given.
#[derive(Debug, Default)]
pub struct Given {
    /// Folders in which instructions were looked for.
    looked: HashSet<String>,
    /// Folders whose instructions were given.
    told: HashSet<String>,
    /// Bytes that were given.
    bytes: usize,
}

impl Given {
    /// Returns where instructions for these files may stand that were not looked for yet, those of
    /// outer folders first. They count as looked for.
    pub fn unseen(&mut self, paths: &[String]) -> Vec<String> {
        let all = paths
            .iter()
            .flat_map(|path| folders(path).into_iter().rev());
        let fresh = all.filter(|folder| self.looked.insert((*folder).to_owned()));
        fresh
            .take(MOST_LOOKS)
            .flat_map(|folder| FILES.map(|file| format!("{folder}/{file}")))
            .collect()
    }

    /// Returns what is said of instructions that were found, as far as there is room for them; of a second file in one
    /// folder nothing.
    pub fn take(&mut self, file: &str, text: &str) -> String {
        let folder = file.rsplit_once('/').map_or("", |(folder, _)| folder);
        if !self.told.insert(folder.to_owned()) {
            return String::new();
        }
        let text = nested(file, text);
        if self.bytes >= MOST_NESTED_BYTES {
            return String::new();
        }
        self.bytes += text.len();
        if self.bytes <= MOST_NESTED_BYTES {
            text
        } else {
            format!(
                "\n\nInstructions from {}, and from further folders, are left out: those of \
             inner folders have {MOST_NESTED_BYTES} bytes together. Read them if you need them.",
                name(file)
            )
        }
    }
}

/// Returns what is said with the first file below a folder that has instructions of its own.
fn nested(file: &str, text: &str) -> String {
    let folder = file.rsplit_once('/').map_or("", |(folder, _)| folder);
    let below = format!("{folder}/");
    let folder = name(&below);
    let file = name(file);
    format!(
        "\n\nInstructions for files below {folder}, from {file}; they go before those of the \
         folders around it:\n{}",
        bounded(text.trim(), MOST_SMALL_BYTES)
    )
}

/// Returns the folders in which instructions for a file may stand, the nearest first; not the workspace
/// itself, whose instructions are in the first message.
fn folders(path: &str) -> Vec<&str> {
    let mut folder = path;
    let mut folders = Vec::new();
    while let Some((outer, _)) = folder.rsplit_once('/') {
        folders.push(outer);
        folder = outer;
    }
    folders
}

/// Returns as much of a text as may be given, and says how much is left out.
pub(crate) fn bounded(text: &str, most: usize) -> String {
    let (head, rest) = clip::split(text, most);
    match rest.len() {
        0 => head.to_owned(),
        left => format!("{head}\n(cut: {left} more bytes)"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::provider::catalogue::Catalogue;

    #[test]
    fn the_nearest_folder_comes_first() {
        assert_eq!(folders("a/b/c.rs"), ["a/b", "a"]);
        assert!(folders("c.rs").is_empty());
    }

    #[test]
    fn instructions_of_inner_folders_have_a_bound_together() {
        let mut given = Given::default();
        let long = "x".repeat(MOST_SMALL_BYTES);
        let told = (0..100).map(|folder| given.take(&format!("{folder}/{FILE}"), &long));
        let told: Vec<String> = told.filter(|told| !told.is_empty()).collect();
        let bytes: usize = told.iter().map(String::len).sum();
        assert!(bytes < MOST_NESTED_BYTES + 500, "{bytes}");
        let left_out = told.iter().filter(|told| told.contains("are left out"));
        assert_eq!((told.len(), left_out.count()), (4, 1));
    }

    #[test]
    fn a_call_that_names_many_files_has_few_places_looked_at() {
        let mut given = Given::default();
        let paths: Vec<String> = (0..500).map(|n| format!("{n}/a/b/c.rs")).collect();
        assert_eq!(given.unseen(&paths).len(), MOST_LOOKS * FILES.len());
        let deep = vec!["a/".repeat(500) + "c.rs"];
        assert_eq!(given.unseen(&deep).len(), MOST_LOOKS * FILES.len());
        let one = ["x/y/c.rs".to_owned()];
        let seen = given.unseen(&one);
        let first: Vec<&String> = seen.iter().step_by(FILES.len()).collect();
        assert_eq!(first, ["x/AGENTS.md", "x/y/AGENTS.md"]);
        assert!(given.unseen(&one).is_empty());
    }

    #[test]
    fn of_several_files_in_one_folder_the_first_one_counts() {
        let mut given = Given::default();
        assert!(
            given
                .take("a/CLAUDE.md", "x")
                .contains("below a/, from a/CLAUDE.md")
        );
        assert_eq!(given.take("a/GEMINI.md", "y"), "");
        assert!(
            given
                .take("a/b/GEMINI.md", "y")
                .contains("from a/b/GEMINI.md")
        );
    }

    #[test]
    fn small_models_are_known_by_their_names() {
        for name in [
            "qwen2.5-coder:1.5b",
            "SmolLM2-135M-Instruct",
            "llama-3.2-3b",
            "gemma3:4B",
            "llama3.2:latest",
            "phi3",
            "gemma2:27b",
        ] {
            assert_eq!(profile_of(name), Profile::Small, "{name}");
        }
        for name in [
            "qwen3-coder:30b-a3b",
            "gpt-5.2",
            "claude-4",
            "llama-3.1-8b",
            "m",
            "",
            "128k",
            "phi3:14b",
            "llama3.2-vision:90b",
        ] {
            assert_eq!(profile_of(name), Profile::Full, "{name}");
        }
    }

    fn profile_of(name: &str) -> Profile {
        Profile::for_model(&Catalogue::standard().find(name))
    }

    #[test]
    fn parts_stand_in_the_order_of_their_weight() {
        let text = assemble(
            Profile::Small.text(),
            Some(" Be brief.\n"),
            Some((FILE, "Use tabs.")),
            MOST_BYTES,
        );
        let (own, rest) = text.split_at(Profile::Small.text().len());
        assert_eq!(own, Profile::Small.text());
        insta::assert_snapshot!(rest.trim(), @"
        The user's instructions for every project:
        Be brief.

        This project's instructions (AGENTS.md), which go before those:
        Use tabs.
        ");
        assert_eq!(
            assemble(Profile::Full.text(), Some("  "), None, MOST_BYTES),
            Profile::Full.text()
        );
    }

    #[test]
    fn long_instructions_are_cut_in_sight() {
        let long = "ü".repeat(MOST_BYTES);
        for (profile, cut) in [(Profile::Full, 32 * 1024), (Profile::Small, 56 * 1024)] {
            let text = assemble(
                profile.text(),
                None,
                Some((FILE, &long)),
                profile.most_bytes(),
            );
            assert!(text.len() < profile.text().len() + profile.most_bytes() + 200);
            assert!(text.ends_with(&format!("(cut: {cut} more bytes)")));
        }
        assert!(nested("a/AGENTS.md", &long).len() < MOST_SMALL_BYTES + 300);
    }
}
