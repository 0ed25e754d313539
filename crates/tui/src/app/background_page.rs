//! Background page: the agents that work beside the conversation, one of which is selected, or what one has said.
//!
//! In: the agents as last told, keys, a size. Out: rows, and what is asked of an agent.
//!
//! ```text
//! ▸ 2  working  1 min 3 s  12,034 tokens  $0.02
//!       rename a to b in all tests
//!   1  done  40 s  3,000 tokens  2 proposals
//!       and document it
//! ```

use signoff_core::id::Timestamp;

use super::BackgroundRequest;
use crate::markdown::MarkdownLayout;
use crate::row_window::{RowWindow, Scroll};
use crate::theme::Role;
use crate::wrap::{self, Break, Row};

/// How often it is looked how agents that work stand.
const REFRESH_MS: i64 = 1000;

/// An agent as the page shows it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BackgroundAgent {
    /// Its number.
    pub id: u32,
    /// Whether its process lives.
    pub is_working: bool,
    /// Its state, time, tokens, cost and proposals, in words.
    pub facts: Vec<String>,
    /// What went wrong.
    pub troubles: Vec<String>,
    /// The first prompt.
    pub prompt: String,
}

/// What was told of the agents.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum BackgroundNews {
    /// What came of a request.
    Said(String),
    /// That one came to its end, and how it stands.
    Ended(String),
    /// What one has said, as it was asked for in the conversation.
    Shown(String),
    /// Why something was not done, or is not known.
    Failed(String),
    /// All of them, oldest first.
    Listed(Vec<BackgroundAgent>),
    /// What this one has said, the end of it where it is long.
    Conversation(u32, String),
}

/// What one agent has said.
#[derive(Debug)]
struct LookedAt {
    id: u32,
    /// Unknown until it was told.
    text: Option<String>,
    window: RowWindow,
    rows: Vec<Row>,
}

impl LookedAt {
    fn new(id: u32) -> Self {
        Self {
            id,
            text: None,
            window: RowWindow::default(),
            rows: Vec::new(),
        }
    }
}

/// The page.
#[derive(Debug, Default)]
pub(crate) struct BackgroundPage {
    /// Newest first; none until they were told.
    agents: Option<Vec<BackgroundAgent>>,
    at: usize,
    /// The agent about which the user is asked whether it is to end.
    about_to_stop: Option<u32>,
    /// When the list was requested last.
    asked: Option<Timestamp>,
    /// True until the list that was requested last has come.
    is_due: bool,
    /// Why the newest request failed.
    fault: Option<String>,
    looked_at: Option<LookedAt>,
    window: RowWindow,
    rows: Vec<Row>,
}

/// What happens to it.
impl BackgroundPage {
    /// Takes over what was told.
    pub(crate) fn take(&mut self, news: BackgroundNews) {
        match news {
            BackgroundNews::Said(_) | BackgroundNews::Ended(_) | BackgroundNews::Shown(_) => {}
            BackgroundNews::Failed(why) => {
                self.is_due = false;
                self.fault = Some(why);
            }
            BackgroundNews::Listed(mut agents) => {
                self.is_due = false;
                let is_there = |id: u32| agents.iter().any(|own| own.id == id);
                self.looked_at.take_if(|looked_at| !is_there(looked_at.id));
                self.about_to_stop.take_if(|id| !is_there(*id));
                agents.reverse();
                let selected = self.selected().map(|own| own.id);
                let place = agents.iter().position(|own| Some(own.id) == selected);
                self.at = place.unwrap_or_else(|| self.at.min(agents.len().saturating_sub(1)));
                self.agents = Some(agents);
            }
            BackgroundNews::Conversation(id, text) => {
                if let Some(looked_at) = self.looked_at.as_mut().filter(|own| own.id == id) {
                    let is_first = looked_at.text.replace(text).is_none();
                    if is_first {
                        looked_at.window.scroll(Scroll::Bottom);
                    }
                }
            }
        }
    }

    /// Returns what is to be asked so that the page goes on showing how things stand.
    pub(crate) fn wanted(&mut self, now: Timestamp) -> Vec<BackgroundRequest> {
        let is_old = |asked: Timestamp| now.0.saturating_sub(asked.0) >= REFRESH_MS;
        if self.is_due || !self.is_live() || !self.asked.is_none_or(is_old) {
            return Vec::new();
        }
        self.asked = Some(now);
        self.is_due = true;
        let look = self.looked_at.as_ref();
        let look = look.map(|looked_at| BackgroundRequest::Look(looked_at.id));
        [BackgroundRequest::List].into_iter().chain(look).collect()
    }

    /// Returns true while the user is asked whether an agent is to end.
    pub(crate) fn asks(&self) -> bool {
        self.about_to_stop.is_some()
    }

    /// Tells whether what it shows may change by itself.
    pub(crate) fn is_live(&self) -> bool {
        let mut agents = self.agents.iter().flatten();
        agents.any(|own| own.is_working)
    }

    /// Selects the agent above, or scrolls in what one has said.
    pub(crate) fn previous(&mut self) {
        self.key_pressed();
        match &mut self.looked_at {
            Some(looked_at) => looked_at.window.scroll(Scroll::WheelUp),
            None => self.at = self.at.saturating_sub(1),
        }
    }

    /// Selects the agent below, or scrolls in what one has said.
    pub(crate) fn next(&mut self) {
        self.key_pressed();
        let last = self.agents.as_ref().map_or(0, Vec::len).saturating_sub(1);
        match &mut self.looked_at {
            Some(looked_at) => looked_at.window.scroll(Scroll::WheelDown),
            None => self.at = (self.at + 1).min(last),
        }
    }

    /// Shows what the selected agent has said.
    pub(crate) fn look(&mut self) -> Option<BackgroundRequest> {
        self.key_pressed();
        if self.looked_at.is_some() {
            return None;
        }
        let id = self.selected()?.id;
        self.looked_at = Some(LookedAt::new(id));
        Some(BackgroundRequest::Look(id))
    }

    /// Returns how the command begins that sends the selected agent another prompt.
    pub(crate) fn say(&mut self) -> Option<String> {
        self.key_pressed();
        let agent = self.selected()?;
        Some(format!("/bg say {} ", agent.id))
    }

    /// Asks whether the selected agent is to end.
    pub(crate) fn ask_to_stop(&mut self) {
        self.key_pressed();
        self.about_to_stop = self.selected().map(|agent| agent.id);
    }

    /// Ends the agent that was asked about.
    pub(crate) fn stop(&mut self) -> Option<BackgroundRequest> {
        let id = self.key_pressed()?;
        self.looked_at = None;
        Some(BackgroundRequest::Stop(id))
    }

    /// Lets the agent that was asked about work on.
    pub(crate) fn keep(&mut self) {
        self.key_pressed();
    }

    /// Takes over that a key was pressed: it answers what is asked, if anything is. Returns the agent that was asked about.
    fn key_pressed(&mut self) -> Option<u32> {
        self.fault = None;
        self.about_to_stop.take()
    }

    /// Goes back to the list; false where that is what is shown.
    pub(crate) fn back(&mut self) -> bool {
        self.about_to_stop = None;
        self.looked_at.take().is_some()
    }

    /// Moves by a screen, or to an end.
    pub(crate) fn scroll(&mut self, scroll: Scroll) {
        match &mut self.looked_at {
            Some(looked_at) => looked_at.window.scroll(scroll),
            None => self.window.scroll(scroll),
        }
    }

    fn selected(&self) -> Option<&BackgroundAgent> {
        self.agents.as_ref()?.get(self.at)
    }
}

/// How it looks.
impl BackgroundPage {
    /// Returns what the page is called.
    pub(crate) fn title(&self) -> String {
        match &self.looked_at {
            Some(looked_at) => format!(
                "Background agent {}{}",
                looked_at.id,
                looked_at.window.position(looked_at.rows.len())
            ),
            None => format!("Background agents{}", self.window.position(self.rows.len())),
        }
    }

    /// Decides which rows are shown in `room` rows of `width` columns.
    pub(crate) fn lay_out(&mut self, width: usize, room: usize) {
        let question = self
            .about_to_stop
            .map(|id| format!("End agent {id}? What it has not handed over is dropped."));
        let above = self.fault.iter().chain(&question);
        let above = above.map(|line| Row::new(Role::Warn, line));
        let above = above.flat_map(|row| wrap::wrap(&row, width, 2, Break::Words));
        let mut rows: Vec<Row> = above.collect();
        let unknown = self.fault.is_none().then_some("Looking...");
        if let Some(looked_at) = &mut self.looked_at {
            let said = looked_at.text.as_deref().or(unknown).unwrap_or("");
            MarkdownLayout::new(width).extend(said, &mut rows);
            looked_at.rows = rows;
            looked_at.window.fit(looked_at.rows.len(), room);
            return;
        }
        let mut selected = 0..0;
        match self.agents.as_deref() {
            None => rows.extend(unknown.map(|line| Row::new(Role::Dim, line))),
            Some([]) => {
                let row = Row::new(
                    Role::Dim,
                    "There are no background agents; /bg PROMPT starts one",
                );
                rows.extend(wrap::wrap(&row, width, 2, Break::Words));
            }
            Some(agents) => {
                for (index, agent) in agents.iter().enumerate() {
                    let first = rows.len();
                    rows.extend(agent_rows(agent, index == self.at, width));
                    if index == self.at {
                        selected = first..rows.len();
                    }
                }
            }
        }
        self.rows = rows;
        self.window.fit(self.rows.len(), room);
        self.window.show(selected);
    }

    /// Returns the rows that were decided on.
    pub(crate) fn rows(&self) -> impl Iterator<Item = &Row> {
        match &self.looked_at {
            Some(looked_at) => looked_at.window.of(&looked_at.rows),
            None => self.window.of(&self.rows),
        }
    }
}

/// Returns what is known of an agent: a row of facts, and a row for each of prompt and troubles.
fn agent_rows(agent: &BackgroundAgent, is_selected: bool, width: usize) -> Vec<Row> {
    const HANG: usize = 6;
    let (mark, role) = if is_selected {
        ("▸ ", Role::Selected)
    } else {
        ("  ", Role::Text)
    };
    let mut facts = Row::new(role, mark);
    facts.push(Role::Key, &agent.id.to_string());
    for (index, fact) in agent.facts.iter().enumerate() {
        facts.push(
            if index == 0 { role } else { Role::Dim },
            &format!("  {fact}"),
        );
    }
    let mut rows = wrap::wrap(&facts, width, HANG, Break::Words);
    let indent = " ".repeat(HANG);
    let prompt = agent.prompt.trim().lines().next().unwrap_or("");
    rows.push(
        Row::new(Role::Text, &indent)
            .with(Role::Text, prompt)
            .clipped(width),
    );
    for trouble in &agent.troubles {
        let row = Row::new(Role::Warn, &indent).with(Role::Warn, trouble);
        rows.extend(wrap::wrap(&row, width, HANG, Break::Words));
    }
    rows
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::wrap::text_of;

    fn agent(id: u32, state: &str) -> BackgroundAgent {
        BackgroundAgent {
            id,
            is_working: state == "working",
            facts: vec![state.to_owned(), "3 s".to_owned()],
            troubles: Vec::new(),
            prompt: format!("task {id}\nmore"),
        }
    }

    fn listed(states: &[(u32, &str)]) -> BackgroundNews {
        BackgroundNews::Listed(states.iter().map(|(id, state)| agent(*id, state)).collect())
    }

    fn shown(page: &mut BackgroundPage) -> Vec<String> {
        page.lay_out(40, 10);
        let rows: Vec<Row> = page.rows().cloned().collect();
        let lines = text_of(&rows);
        lines
            .iter()
            .map(|line| line.trim_end().to_owned())
            .collect()
    }

    #[test]
    fn the_newest_agent_is_on_top_and_the_selection_stays_with_its_agent() {
        let mut page = BackgroundPage::default();
        assert_eq!(shown(&mut page), ["Looking..."]);
        page.take(listed(&[(1, "done"), (2, "working")]));
        assert_eq!(
            shown(&mut page),
            [
                "▸ 2  working  3 s",
                "      task 2",
                "  1  done  3 s",
                "      task 1"
            ]
        );
        assert!(page.is_live());
        page.next();
        page.take(listed(&[(1, "done"), (2, "done"), (3, "done")]));
        assert_eq!(page.say(), Some("/bg say 1 ".to_owned()));
        assert!(!page.is_live());
        page.take(listed(&[]));
        assert_eq!(
            shown(&mut page),
            ["There are no background agents; /bg", "  PROMPT starts one"]
        );
    }

    #[test]
    fn only_the_agent_that_was_asked_about_ends() {
        let mut page = BackgroundPage::default();
        page.take(listed(&[(1, "working"), (2, "working")]));
        assert_eq!(page.stop(), None);
        // A key that is held down asks again and again.
        page.ask_to_stop();
        assert!(page.asks());
        page.ask_to_stop();
        assert!(page.asks());
        assert_eq!(
            shown(&mut page)[0],
            "End agent 2? What it has not handed over"
        );
        page.next();
        assert_eq!(page.stop(), None);
        page.ask_to_stop();
        assert!(page.asks());
        // It went by itself, and another took its place.
        page.take(listed(&[(2, "working")]));
        assert!(!page.asks());
        assert_eq!(page.stop(), None);
        page.ask_to_stop();
        assert!(page.asks());
        page.keep();
        assert_eq!(page.stop(), None);
        page.ask_to_stop();
        let ended = Some(BackgroundRequest::Stop(2));
        assert_eq!(page.stop(), ended);
        assert_eq!(page.stop(), None);
    }

    #[test]
    fn what_fails_is_on_the_page_and_an_agent_that_is_gone_is_left() {
        let failed = |why: &str| BackgroundNews::Failed(why.to_owned());
        let mut page = BackgroundPage::default();
        page.take(failed("agent.json cannot be read"));
        assert_eq!(shown(&mut page), ["agent.json cannot be read"]);
        page.take(listed(&[(1, "working"), (2, "working")]));
        page.look();
        page.take(failed("there is no agent 2"));
        assert_eq!(shown(&mut page), ["there is no agent 2"]);
        page.take(listed(&[(1, "working")]));
        assert_eq!(shown(&mut page)[1], "▸ 1  working  3 s");
        assert_eq!(page.wanted(Timestamp(9_000)), [BackgroundRequest::List]);
        // A slow answer is waited for.
        assert_eq!(page.wanted(Timestamp(19_000)), []);
        page.take(failed("a disk error"));
        assert_eq!(page.wanted(Timestamp(29_000)), [BackgroundRequest::List]);
    }

    #[test]
    fn a_conversation_is_looked_at_from_its_end_and_left_again() {
        let mut page = BackgroundPage::default();
        page.take(listed(&[(1, "working")]));
        let look = Some(BackgroundRequest::Look(1));
        assert_eq!(page.look(), look);
        let both = [BackgroundRequest::List, BackgroundRequest::Look(1)];
        assert_eq!(page.wanted(Timestamp(5_000)), both);
        assert_eq!(page.wanted(Timestamp(5_900)), []);
        page.take(listed(&[(1, "working")]));
        assert_eq!(page.wanted(Timestamp(6_000)), both);
        page.take(BackgroundNews::Conversation(2, "not this".to_owned()));
        assert_eq!(shown(&mut page), ["Looking..."]);
        let lines: Vec<String> = (0..30).map(|line| format!("line {line}")).collect();
        page.take(BackgroundNews::Conversation(1, lines.join("\n")));
        assert_eq!(shown(&mut page).last().map(String::as_str), Some("line 29"));
        page.scroll(Scroll::Top);
        page.take(BackgroundNews::Conversation(1, lines.join("\n")));
        assert_eq!(shown(&mut page)[0], "line 0", "the place stays");
        assert!(page.back());
        assert_eq!(shown(&mut page)[0], "▸ 1  working  3 s");
        assert!(!page.back());
    }
}
