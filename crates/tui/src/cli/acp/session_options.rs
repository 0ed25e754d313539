//! What the user chooses for a conversation in the editor: the mode, and the model that is asked.
//!
//! In: what the conversation says of both, and the models that its server lists. Out: the choices that an editor offers, and
//! what a value of theirs means.

use signoff_llm::mode::Mode;

/// Maximum number of models that are offered; a server of many services lists hundreds.
const MOST_MODELS: usize = 200;

/// The choices of a conversation, and what is chosen.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct SessionOptions {
    pub(super) mode: Mode,
    may_write_through: bool,
    /// The model that is asked; empty until that is known.
    model: String,
    /// Those that can be asked instead.
    models: Vec<String>,
}

/// A choice that the user made.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum ChosenOption {
    Mode(Mode),
    Model(String),
}

/// A value of an option.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct OptionValue {
    pub(super) id: String,
    pub(super) name: String,
    pub(super) description: Option<&'static str>,
}

/// The id of the option for the mode.
pub(super) const MODE: &str = "mode";
/// The id of the option for the model.
pub(super) const MODEL: &str = "model";

impl SessionOptions {
    pub(super) fn new(may_write_through: bool) -> Self {
        Self {
            mode: Mode::default(),
            may_write_through,
            model: String::new(),
            models: Vec::new(),
        }
    }

    /// Takes the model that is asked.
    pub(super) fn ask(&mut self, model: &str) {
        model.clone_into(&mut self.model);
    }

    pub(super) fn model(&self) -> &str {
        &self.model
    }

    /// Takes the models that can be asked.
    pub(super) fn offer(&mut self, models: Vec<String>) {
        self.models = models;
        self.models.truncate(MOST_MODELS);
    }

    /// Returns the modes that can be chosen.
    pub(super) fn modes(&self) -> Vec<OptionValue> {
        let all = [Mode::Step, Mode::Turn, Mode::Plan, Mode::WriteThrough];
        let offered = all.into_iter().filter(|mode| self.offers(*mode));
        let value = |mode: Mode| {
            let (name, description) = described(mode);
            OptionValue {
                id: mode.word().to_owned(),
                name: name.to_owned(),
                description: Some(description),
            }
        };
        offered.map(value).collect()
    }

    /// Returns the models that can be chosen, the one that is asked first where it is not listed; none where there is no
    /// choice.
    pub(super) fn models(&self) -> Vec<OptionValue> {
        let is_listed = self.models.contains(&self.model);
        let unlisted = Some(&self.model).filter(|model| !is_listed && !model.is_empty());
        let mut values: Vec<OptionValue> = Vec::new();
        for model in unlisted.into_iter().chain(&self.models) {
            if values.iter().all(|value| value.id != *model) {
                values.push(OptionValue {
                    id: model.clone(),
                    name: model.clone(),
                    description: None,
                });
            }
        }
        if values.len() < 2 {
            values.clear();
        }
        values
    }

    /// Returns what a value of an option means; or why it means nothing.
    pub(super) fn choice(&self, option: &str, value: &str) -> Result<ChosenOption, &'static str> {
        match option {
            MODE => match value.parse() {
                Ok(mode) if self.offers(mode) => Ok(ChosenOption::Mode(mode)),
                Ok(_) => Err("this workspace does not let edits be written at once"),
                Err(_) => Err("there is no such mode: plan, step, turn or write-through"),
            },
            MODEL if self.models().iter().any(|model| model.id == value) => {
                Ok(ChosenOption::Model(value.to_owned()))
            }
            MODEL => Err("the server does not list this model"),
            _ => Err("there is no such option: mode or model"),
        }
    }

    fn offers(&self, mode: Mode) -> bool {
        match mode {
            Mode::WriteThrough => self.may_write_through,
            Mode::Plan | Mode::Step | Mode::Turn => true,
        }
    }
}

/// Returns how a mode is called, and what it does.
fn described(mode: Mode) -> (&'static str, &'static str) {
    match mode {
        Mode::Plan => (
            "Plan",
            "Nothing is changed and no command runs; the model ends with a plan",
        ),
        Mode::Step => ("Step", "You are asked as soon as edits are staged"),
        Mode::Turn => (
            "Turn",
            "The model works on in what it staged; you are asked at the end",
        ),
        Mode::WriteThrough => (
            "Write through",
            "Edits are written at once; you are not asked, and can take them back",
        ),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_is_offered_can_be_chosen() {
        let mut options = SessionOptions::new(false);
        options.ask("a");
        options.offer(vec!["b".to_owned(), "c".to_owned(), "b".to_owned()]);
        let modes: Vec<String> = options.modes().into_iter().map(|own| own.id).collect();
        assert_eq!(modes, ["step", "turn", "plan"]);
        let models: Vec<String> = options.models().into_iter().map(|own| own.id).collect();
        assert_eq!(models, ["a", "b", "c"]);
        for (option, value, is_offered) in [
            (MODE, "plan", true),
            (MODE, "write-through", false),
            (MODE, "yolo", false),
            (MODEL, "a", true),
            (MODEL, "c", true),
            (MODEL, "d", false),
            ("x", "plan", false),
        ] {
            assert_eq!(options.choice(option, value).is_ok(), is_offered, "{value}");
        }
        assert!(
            SessionOptions::new(true)
                .choice(MODE, "write-through")
                .is_ok()
        );
        options.offer(vec!["a".to_owned()]);
        assert!(options.models().is_empty(), "there is no choice");
    }
}
