//! `skill`: the text of one of the skills that the first message lists.

use std::sync::Arc;

use super::arguments::{Told, arguments, text};
use super::{CallFacts, PlainTool, Reach, ToolContext, ToolOutput};
use crate::skill::{Skill, Skills};

/// The tool, and what it reads from.
pub(super) struct ReadSkill {
    pub(super) skills: Arc<Skills>,
}

arguments! {
    pub(super) struct Arguments {
        name: String = Told::Required(text()),
    }
}

impl PlainTool for ReadSkill {
    type Arguments = Arguments;
    const NAME: &'static str = "skill";
    const DESCRIPTION: &'static str = "Read the instructions of a skill.";
    const REACH: Reach = Reach::Observe;

    fn facts(&self, _arguments: &Arguments) -> CallFacts {
        CallFacts::none()
    }

    fn run(&self, arguments: &Arguments, _context: &ToolContext<'_>) -> ToolOutput {
        match self.skills.offered(&arguments.name) {
            Some(skill) => ToolOutput::done(skill.told(), skill.name().to_owned()),
            None => {
                let names: Vec<&str> = self.skills.all_offered().map(Skill::name).collect();
                ToolOutput::failed(
                    format!(
                        "error: there is no skill of this name; there are: {}",
                        names.join(", ")
                    ),
                    "no such skill".to_owned(),
                )
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::skill::SkillOwner;
    use crate::tool::testing::{Folder, run};
    use crate::tool::{OfferedTool, Registry};

    #[test]
    fn a_skill_is_read_by_its_name() {
        let mut skills = Skills::default();
        let release = Skill::read("release", "Raise it.", "~/s/release", SkillOwner::User);
        skills.take([release.unwrap()]);
        let tool = OfferedTool::new(ReadSkill {
            skills: Arc::new(skills),
        });
        let folder = Folder::new(&[]);
        let tools = Registry::of(vec![tool]);
        let context = folder.context();
        let call = |name: &str| run(&tools, "skill", &json!({ "name": name }), &context).content;
        assert_eq!(
            call("release"),
            "Skill release, from ~/s/release:\nRaise it."
        );
        assert_eq!(
            call("other"),
            "error: there is no skill of this name; there are: release"
        );
    }
}
