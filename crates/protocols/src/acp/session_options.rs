//! What the user chooses for a conversation in the editor: the mode, and the model that is asked.
//!
//! In: what the conversation says of both, and the models that its server lists. Out: the choices that an editor offers, and
//! what a value of theirs means.

use agent_client_protocol_schema::v1::{
    SessionConfigOption, SessionConfigOptionCategory, SessionConfigSelectOption, SessionMode,
    SessionModeState,
};
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

    /// Returns the mode, and those that can be chosen.
    pub(super) fn mode_state(&self) -> SessionModeState {
        let modes = [Mode::Step, Mode::Turn, Mode::Plan, Mode::WriteThrough].into_iter();
        let offered = modes.filter(|mode| self.offers(*mode)).map(|mode| {
            let (name, description) = described(mode);
            SessionMode::new(mode.word(), name).description(description)
        });
        SessionModeState::new(self.mode.word(), offered.collect())
    }

    /// Returns the models that can be chosen, the one that is asked first where it is not listed; none where there is no
    /// choice.
    fn models_offered(&self) -> Vec<&String> {
        let is_listed = self.models.contains(&self.model);
        let unlisted = Some(&self.model).filter(|model| !is_listed && !model.is_empty());
        let mut offered: Vec<&String> = Vec::new();
        for model in unlisted.into_iter().chain(&self.models) {
            if !offered.contains(&model) {
                offered.push(model);
            }
        }
        if offered.len() < 2 {
            offered.clear();
        }
        offered
    }

    pub(super) fn has_models(&self) -> bool {
        !self.models_offered().is_empty()
    }

    /// Returns what there is to choose from, with what is chosen.
    pub(super) fn config(&self) -> Vec<SessionConfigOption> {
        let modes = self.mode_state().available_modes.into_iter();
        let modes: Vec<SessionConfigSelectOption> = modes
            .map(|mode| {
                SessionConfigSelectOption::new(mode.id.0, mode.name).description(mode.description)
            })
            .collect();
        let mode = SessionConfigOption::select(MODE, "Mode", self.mode.word(), modes);
        let mut config = vec![mode.category(SessionConfigOptionCategory::Mode)];
        let models = self.models_offered().into_iter();
        let models: Vec<SessionConfigSelectOption> = models
            .map(|model| SessionConfigSelectOption::new(model.clone(), model))
            .collect();
        if !models.is_empty() {
            let model = SessionConfigOption::select(MODEL, "Model", self.model.clone(), models);
            config.push(model.category(SessionConfigOptionCategory::Model));
        }
        config
    }

    /// Returns what a value of an option means; or why it means nothing.
    pub(super) fn choice(&self, option: &str, value: &str) -> Result<ChosenOption, &'static str> {
        match option {
            MODE => match value.parse() {
                Ok(mode) if self.offers(mode) => Ok(ChosenOption::Mode(mode)),
                Ok(_) => Err("this workspace does not let edits be written at once"),
                Err(_) => Err("there is no such mode: plan, step, turn or write-through"),
            },
            MODEL if self.models_offered().iter().any(|model| *model == value) => {
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
            "Edits are written at once; you are not asked, and can revert them",
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
        let state = options.mode_state();
        let modes = state.available_modes.iter();
        let modes: Vec<&str> = modes.map(|mode| mode.id.0.as_ref()).collect();
        assert_eq!(modes, ["step", "turn", "plan"]);
        assert_eq!(options.models_offered(), ["a", "b", "c"]);
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
        assert!(!options.has_models(), "there is no choice");
    }
}
