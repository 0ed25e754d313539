//! Skills: instructions for certain tasks, of which a model is told a line each and reads one when it needs it.
//!
//! A `SKILL.md` is Markdown behind a front matter:
//!
//! ```text
//! ---
//! name: release
//! description: How this project is released. Use when asked for a new version.
//! ---
//! Raise the version in `Cargo.toml`, then ...
//! ```
//!
//! In: such texts and where they stand. Out: [`Skills`]: what the first message says of them, and the text of one.
//!
//! **Invariant:** a skill is text for a model. It allows no tool, and one that was cloned stands in for none of the
//! user's.

use std::collections::BTreeMap;

use signoff_core::quote::{self, one_line};

use crate::front_matter::{FrontMatter, is_name};
use crate::instructions::bounded;

/// The file that makes a folder a skill.
pub const FILE: &str = "SKILL.md";

/// The most bytes of a skill that a model is given.
pub const MOST_BYTES: usize = 32 * 1024;

/// Skills that are known at once; of further ones nobody is told but the user.
pub const MOST_SKILLS: usize = 64;

/// Bytes of a description, which stands in the first message and on the screen.
const MOST_DESCRIPTION: usize = 300;

/// Bytes of all lines together in the first message, which is sent with every request.
const MOST_LISTED: usize = 4 * 1024;

/// What stands for the words after a command in the text of a skill.
const ARGUMENTS: &str = "$ARGUMENTS";

/// Whose a skill is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SkillOwner {
    /// The user's, in the home or configuration folder.
    User,
    /// The workspace's, so of whoever wrote what was cloned.
    Workspace,
}

/// One skill.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Skill {
    name: String,
    description: String,
    text: String,
    folder: String,
    owner: SkillOwner,
    /// False for one that only the user calls for.
    is_offered: bool,
}

/// The skills of a conversation, by name.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Skills {
    known: BTreeMap<String, Skill>,
}

impl Skill {
    /// Reads a skill from its file; `folder` is where it stands, as told to the model, `called` the name of that
    /// folder, for a skill that names itself not.
    ///
    /// # Errors
    ///
    /// Fails with why it is none, in one line for the user.
    pub fn read(called: &str, text: &str, folder: &str, owner: SkillOwner) -> Result<Self, String> {
        let (fields, body) = FrontMatter::of(text)?;
        let name = fields.name(called)?;
        let user_only = fields.text("disable-model-invocation");
        Ok(Self {
            name: name.to_owned(),
            description: one_line(fields.description(body), MOST_DESCRIPTION),
            text: body.trim().to_owned(),
            folder: folder.to_owned(),
            owner,
            is_offered: user_only.is_none_or(|said| said != "true"),
        })
    }

    /// Returns the same, which only the user calls for.
    #[must_use]
    pub fn for_the_user(self) -> Self {
        Self {
            is_offered: false,
            ..self
        }
    }

    /// Returns its name.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Returns what it is for, in one line.
    pub fn description(&self) -> &str {
        &self.description
    }

    /// Returns what the model reads of it.
    pub fn told(&self) -> String {
        format!(
            "Skill {}, from {}:\n{}",
            self.name,
            quote::name(&self.folder),
            bounded(&self.text, MOST_BYTES)
        )
    }

    /// Returns its text with the words that the user gave in the place of `$ARGUMENTS`, or behind it.
    fn with_words(&self, words: &str) -> String {
        let told = self.told();
        if self.text.contains(ARGUMENTS) {
            return told.replace(ARGUMENTS, words);
        }
        match words {
            "" => told,
            words => format!("{told}\n\n{words}"),
        }
    }
}

impl Skills {
    /// Takes skills in, and returns a line for the user for each that is left out. One that is known already stays:
    /// take the user's before the workspace's, so that nothing that was cloned stands in for the user's own.
    pub fn take(&mut self, skills: impl IntoIterator<Item = Skill>) -> Vec<String> {
        let mut left_out = Vec::new();
        for skill in skills {
            let why = if self.known.contains_key(&skill.name) {
                "there is another of this name"
            } else if self.known.len() >= MOST_SKILLS {
                "there are too many"
            } else {
                self.known.insert(skill.name.clone(), skill);
                continue;
            };
            let folder = quote::name(&skill.folder);
            left_out.push(format!("the skill in {folder} is passed over: {why}"));
        }
        left_out
    }

    /// Returns all of them, by name.
    pub fn iter(&self) -> impl Iterator<Item = &Skill> {
        self.known.values()
    }

    /// Returns whether there are none.
    pub fn is_empty(&self) -> bool {
        self.known.is_empty()
    }

    /// Returns those that the model may call for, by name.
    pub fn all_offered(&self) -> impl Iterator<Item = &Skill> {
        self.iter().filter(|skill| skill.is_offered)
    }

    /// Returns whether there is one that the model may call for.
    pub fn are_offered(&self) -> bool {
        self.all_offered().next().is_some()
    }

    /// Returns one that the model may call for.
    pub fn offered(&self, name: &str) -> Option<&Skill> {
        self.known.get(name).filter(|skill| skill.is_offered)
    }

    /// Returns what the first message says of them; nothing if there are none that a model may call for.
    pub fn listing(&self) -> String {
        let mut text = String::new();
        let mut left_out = 0;
        for skill in self.all_offered() {
            let line = format!("- {}: {}\n", skill.name, skill.description);
            if text.len() + line.len() > MOST_LISTED {
                left_out += 1;
            } else {
                text += &line;
            }
        }
        if text.is_empty() {
            return text;
        }
        if left_out > 0 {
            text += &format!("({left_out} more are not listed)\n");
        }
        format!(
            "\n\nSkills: instructions for certain tasks. Before such a task call `skill` with the name.\n{}",
            text.trim_end()
        )
    }

    /// Returns what a prompt such as `/release 1.2` says to the model; none if it calls for no skill.
    pub fn called_for(&self, prompt: &str) -> Option<String> {
        let (word, words) = split_call(prompt)?;
        Some(self.known.get(word)?.with_words(words))
    }
}

/// Returns the name of the skill that a prompt may call for, and what stands behind it.
pub fn split_call(prompt: &str) -> Option<(&str, &str)> {
    let rest = prompt.trim().strip_prefix('/')?;
    let (word, words) = match rest.split_once(char::is_whitespace) {
        Some((word, words)) => (word, words.trim()),
        None => (rest, ""),
    };
    is_name(word).then_some((word, words))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn skill(called: &str, text: &str) -> Result<Skill, String> {
        Skill::read(called, text, ".agents/skills/x", SkillOwner::Workspace)
    }

    #[test]
    fn a_skill_says_what_it_is_for() {
        for (text, name, description, body) in [
            (
                "---\nname: release\ndescription: New versions.\n---\nDo it.\n",
                "release",
                "New versions.",
                "Do it.",
            ),
            (
                "\u{feff}--- \r\ndescription: >-\r\n  On two\r\n  lines.\r\nallowed-tools:\r\n  - name: x\r\n---\r\nDo\r\n",
                "folder",
                "On two lines.",
                "Do",
            ),
            (
                "\nNo front matter.\n---\n",
                "folder",
                "No front matter.",
                "No front matter.\n---",
            ),
            ("---\nname: open\n", "folder", "---", "---\nname: open"),
            ("", "folder", "", ""),
        ] {
            let skill = skill("folder", text).unwrap();
            let told = format!("Skill {name}, from .agents/skills/x:\n{body}");
            assert_eq!(
                (skill.name(), skill.description(), skill.told()),
                (name, description, told)
            );
        }
    }

    #[test]
    fn what_is_no_skill_says_why() {
        for (text, why) in [
            ("---\nname: ../x\n---\n", "is not made of small letters"),
            (
                "---\nname: a\u{1b}[2Jb\n---\n",
                "is not made of small letters",
            ),
            ("---\nname: [a\n---\n", "no YAML"),
        ] {
            let error = skill("folder", text).unwrap_err();
            assert!(error.contains(why), "{text:?}: {error}");
        }
    }

    #[test]
    fn the_users_own_goes_before_one_that_was_cloned() {
        let mut skills = Skills::default();
        let own = skill_of(SkillOwner::User, "mine");
        assert_eq!(skills.take([own.clone()]), [""; 0]);
        let told = skills.take([skill_of(SkillOwner::Workspace, "theirs")]);
        assert_eq!(
            told,
            ["the skill in there is passed over: there is another of this name"]
        );
        assert_eq!(skills.offered("x"), Some(&own));
    }

    fn skill_of(owner: SkillOwner, text: &str) -> Skill {
        Skill::read("x", text, "there", owner).unwrap()
    }

    #[test]
    fn a_prompt_calls_for_a_skill_with_words() {
        let mut skills = Skills::default();
        let fixed = skill("fix", "Fix $ARGUMENTS now.").unwrap();
        let plain = skill("plain", "Do it.").unwrap().for_the_user();
        skills.take([fixed, plain]);
        for (prompt, expected) in [
            ("/fix issue 7", Some("Fix issue 7 now.")),
            (" /fix", Some("Fix  now.")),
            ("/plain", Some("Do it.")),
            ("/plain with care", Some("Do it.\n\nwith care")),
            ("/other", None),
            ("fix", None),
            ("/fix/x", None),
        ] {
            let said = skills.called_for(prompt);
            let said = said.as_deref().and_then(|said| said.split_once('\n'));
            assert_eq!(said.map(|(_, said)| said), expected, "{prompt}");
        }
        assert!(skills.offered("plain").is_none() && skills.offered("fix").is_some());
        assert!(!skills.listing().contains("plain"));
    }

    #[test]
    fn the_listing_is_bounded() {
        let mut skills = Skills::default();
        let long = "x".repeat(10_000);
        let all = (0..100).map(|n| skill(&format!("s{n}"), &long).unwrap());
        assert_eq!(skills.take(all).len(), 100 - MOST_SKILLS);
        let listing = skills.listing();
        assert!(listing.len() < MOST_LISTED + 200, "{}", listing.len());
        assert!(listing.ends_with("more are not listed)"));
        assert_eq!(Skills::default().listing(), "");
        let most = skill("s", &"ü".repeat(MOST_BYTES)).unwrap().told();
        assert!(most.len() < MOST_BYTES + 100 && most.ends_with("more bytes)"));
    }

    proptest! {
        #[test]
        fn any_text_is_read(called in ".{0,80}", text in "(---\n)?[a-z:\\-\\[\\]{}&*>| \n\r\u{1b}ü]{0,200}(---\n)?.{0,50}") {
            if let Ok(skill) = skill(&called, &text) {
                prop_assert!(is_name(skill.name()));
                prop_assert!(!skill.description().contains('\n'));
            }
        }
    }
}
