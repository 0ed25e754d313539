//! Files of skills: those of the user, in the home and configuration folders, and those of the workspace.
//!
//! In: the folders of this run and the engine. Out: the skills, and a line for the user for each that is none. Those of
//! the workspace are read as staged, by paths that cannot lead out of it; what they say is text for a model, as
//! everything else in a workspace is.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Mutex;

use signoff_core::disk::workspace::DirEntryKind;
use signoff_core::engine::Engine;
use signoff_core::quote;
use signoff_llm::skill::{FILE, MOST_SKILLS, Skill, SkillOwner, Skills};
use signoff_llm::tool::lock;
use signoff_sandbox::regular;

use crate::paths::Paths;

/// Folders of skills, in the workspace and in the home folder: the convention of most agents, and Claude Code's.
const FOLDERS: [&str; 2] = [".agents/skills", ".claude/skills"];

/// Folder of prompts that users call for by name, of Claude Code.
const COMMANDS: &str = ".claude/commands";

/// Maximum size of a skill's file, in bytes; of a longer text than 32 KiB a model reads the beginning.
const MOST_FILE: u64 = 1024 * 1024;

/// Finds all skills.
pub(crate) fn find(paths: &Paths, engine: &Mutex<Engine>) -> (Skills, Vec<String>) {
    let mut skills = Skills::default();
    let mut told = Vec::new();
    let mut found = FoundSkills {
        skills: Vec::new(),
        told: Vec::new(),
    };
    found.of_user(&paths.config.with_file_name("skills"));
    if let Ok(home) = etcetera::home_dir() {
        for folder in FOLDERS {
            found.of_user(&home.join(folder));
        }
        found.commands_of_user(&home.join(COMMANDS));
    }
    found.of_workspace(engine);
    told.append(&mut found.told);
    told.extend(skills.take(found.skills));
    (skills, told)
}

/// What was found so far, the user's first.
struct FoundSkills {
    skills: Vec<Skill>,
    told: Vec<String>,
}

impl FoundSkills {
    /// Adds the skills in a folder of the user's.
    fn of_user(&mut self, folder: &Path) {
        for skill in listed(folder) {
            let file = skill.join(FILE);
            let text = regular::text(&file, MOST_FILE);
            if let Some(text) = self.read_or_told(&file.display().to_string(), text) {
                let folder = skill.display().to_string();
                self.add(&name_of(&skill), &text, &folder, SkillOwner::User, false);
            }
        }
    }

    /// Adds the prompts in a folder of the user's.
    fn commands_of_user(&mut self, folder: &Path) {
        for file in listed(folder) {
            if file.extension().is_none_or(|extension| extension != "md") {
                continue;
            }
            let text = regular::text(&file, MOST_FILE);
            let shown = file.display().to_string();
            if let Some(text) = self.read_or_told(&shown, text) {
                let name = name_of(&file.with_extension(""));
                self.add(&name, &text, &shown, SkillOwner::User, true);
            }
        }
    }

    /// Adds those of the workspace, as staged.
    fn of_workspace(&mut self, engine: &Mutex<Engine>) {
        let mut engine = lock(engine);
        for folder in FOLDERS {
            for name in names(&mut engine, folder, DirEntryKind::Dir) {
                let skill = format!("{folder}/{name}");
                let text = text(&mut engine, &format!("{skill}/{FILE}"));
                if let Some(text) = text {
                    self.add(&name, &text, &skill, SkillOwner::Workspace, false);
                }
            }
        }
        for name in names(&mut engine, COMMANDS, DirEntryKind::File) {
            let file = format!("{COMMANDS}/{name}");
            let Some(name) = name.strip_suffix(".md") else {
                continue;
            };
            if let Some(text) = text(&mut engine, &file) {
                self.add(name, &text, &file, SkillOwner::Workspace, true);
            }
        }
    }

    fn add(&mut self, called: &str, text: &str, folder: &str, owner: SkillOwner, users: bool) {
        match Skill::read(called, text, folder, owner) {
            Ok(skill) if users => self.skills.push(skill.for_the_user()),
            Ok(skill) => self.skills.push(skill),
            Err(why) => self.told.push(format!(
                "the skill in {} is passed over: {why}",
                quote::name(folder)
            )),
        }
    }

    fn read_or_told(&mut self, file: &str, read: io::Result<String>) -> Option<String> {
        match read {
            Ok(text) => Some(text),
            Err(error) if error.kind() == io::ErrorKind::NotFound => None,
            Err(error) => {
                let file = quote::name(file);
                self.told
                    .push(format!("the skill in {file} is passed over: {error}"));
                None
            }
        }
    }
}

/// Returns what is in a folder of the user's, sorted; nothing where there is no such folder.
pub(crate) fn listed(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    let mut paths: Vec<PathBuf> = entries.map(|entry| entry.path()).collect();
    paths.sort();
    paths.truncate(MOST_SKILLS);
    paths
}

pub(crate) fn name_of(path: &Path) -> String {
    path.file_name().map_or_else(String::new, |name| {
        // A name that is no text is none of a skill either, and is refused as such.
        name.to_string_lossy().into_owned()
    })
}

/// Returns the names of this kind in a folder of the workspace; nothing where there is no such folder.
pub(crate) fn names(engine: &mut Engine, folder: &str, kind: DirEntryKind) -> Vec<String> {
    let entries = engine.list(folder).into_iter().flatten();
    let fitting = entries.filter(|entry| entry.kind == kind);
    fitting.map(|entry| entry.name).take(MOST_SKILLS).collect()
}

pub(crate) fn text(engine: &mut Engine, file: &str) -> Option<String> {
    let source = engine.read(file).ok().flatten()?;
    source.text().ok().map(str::to_owned)
}
