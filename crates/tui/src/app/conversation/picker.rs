//! Pickers: `/model` and `/sessions` without a name put the command into the input and list what it takes.
//!
//! In: the models or conversations that the session lists. Out: the list above the input. What is typed behind the
//! command searches it, and Enter carries the command out.

use jiff::tz::TimeZone;
use signoff_core::plural::counted;
use signoff_llm::memory::Summary;
use signoff_llm::provider::About;
use signoff_llm::provider::discover::can_talk;
use signoff_llm::session::ListedModel;

use super::Conversation;
use crate::app::Query;
use crate::app::keymap::{Context, KeyMap};
use crate::app::status::Status;
use crate::composer::menu::{Choice, Menu, MenuKind};
use crate::review::history::History;

/// What is picked from a list.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::app) enum Picker {
    /// The model that is asked.
    Models,
    /// The conversation that goes on.
    Sessions,
}

impl Picker {
    /// Returns what stands in the input before what is picked.
    pub(super) fn stem(self) -> &'static str {
        match self {
            Self::Models => "/model ",
            Self::Sessions => "/resume ",
        }
    }

    /// Returns the query for what can be picked.
    pub(in crate::app) fn query(self) -> Query {
        match self {
            Self::Models => Query::Models,
            Self::Sessions => Query::Sessions,
        }
    }
}

impl Conversation {
    /// Makes the input ready for what is picked, and returns what is said until the list is there; unless it holds something
    /// else.
    pub(in crate::app) fn open_picker(&mut self, picker: Picker) -> Option<&'static str> {
        let is_free = self.propose(picker.stem());
        is_free.then_some(match picker {
            Picker::Models => "Asking which models there are",
            Picker::Sessions => "Looking for conversations",
        })
    }

    /// Has the models listed for a user who named none.
    pub(in crate::app) fn offer_models(&mut self) -> Query {
        self.completion.offers_models = true;
        Query::Models
    }

    /// Takes over which models there are; returns true if they are to be listed in the transcript.
    pub(in crate::app) fn take_models(
        &mut self,
        (about, models): (&About, &[ListedModel]),
        history: &History,
        keys: &KeyMap,
        status: &mut Status,
    ) -> bool {
        let choices: Vec<Choice> = models
            .iter()
            .filter(|model| can_talk(&model.name))
            .map(|model| Choice {
                text: model.name.clone(),
                name: model.name.clone(),
                help: in_use(model, about),
            })
            .collect();
        self.completion.know_models(choices.clone(), &about.model);
        if std::mem::take(&mut self.completion.offers_models) {
            if self.offer_to_pick(choices, about, status) {
                let down = keys.name(Context::Menu, "next");
                let take = keys.name(Context::Menu, "take");
                status.say(format!(
                    "{down} and {take} pick a model; Esc closes the list"
                ));
            }
            return false;
        }
        !self.show_picker(Picker::Models, history, status)
    }

    /// Offers models, unless the user does something else by now: typing closes the list. Returns true if they are offered.
    fn offer_to_pick(&mut self, mut choices: Vec<Choice>, about: &About, status: &Status) -> bool {
        // Who answers already need not be picked.
        choices.retain(|choice| choice.text != about.model);
        let is_free = self.composer.is_empty() && self.composer.menu().is_none();
        let is_offered = is_free && !status.is_busy() && !choices.is_empty();
        if is_offered {
            self.composer
                .offer(Some(Menu::new(MenuKind::Models, 0..0, choices)));
        }
        is_offered
    }

    /// Takes over which conversations there are; returns true if they are to be listed in the transcript.
    pub(in crate::app) fn take_sessions(
        &mut self,
        sessions: &[Summary],
        history: &History,
        status: &mut Status,
    ) -> bool {
        let choices = sessions.iter().zip(1..).map(conversation);
        self.completion.know_sessions(choices.collect());
        if !sessions.is_empty() && self.show_picker(Picker::Sessions, history, status) {
            return false;
        }
        if self.close_picker() {
            status.hush();
        }
        true
    }

    /// Opens the list that was asked for; false if the user went on to something else, or there is nothing to pick.
    fn show_picker(&mut self, picker: Picker, history: &History, status: &mut Status) -> bool {
        if !self.composer.text().starts_with(picker.stem()) {
            return false;
        }
        status.hush();
        self.complete(history);
        self.composer.menu().is_some()
    }

    /// Takes a command that picks nothing out of the input; false if none is there.
    pub(super) fn close_picker(&mut self) -> bool {
        let stems = [Picker::Models, Picker::Sessions].map(Picker::stem);
        let is_there = stems.contains(&self.composer.text().as_ref());
        if is_there {
            self.composer.set("");
        }
        is_there
    }
}

fn in_use(model: &ListedModel, about: &About) -> String {
    match (model.name == about.model, model.known.as_str()) {
        (true, "") => "in use".to_owned(),
        (true, known) => format!("in use, {known}"),
        (false, known) => known.to_owned(),
    }
}

/// Returns the line of a conversation: its number, when something was last said, and its first words.
fn conversation((session, number): (&Summary, usize)) -> Choice {
    Choice {
        text: session.id.clone(),
        name: format!("{number:>2}  {}", day(session.last)),
        help: format!("{}  {}", session.title, counted(session.prompts, "prompt")),
    }
}

/// Returns a time to the minute, in UTC as `signoff sessions` has it.
fn day(milliseconds: i64) -> String {
    let moment = jiff::Timestamp::from_millisecond(milliseconds).unwrap_or_default();
    let moment = moment.to_zoned(TimeZone::UTC);
    moment.strftime("%Y-%m-%d %H:%M").to_string()
}
