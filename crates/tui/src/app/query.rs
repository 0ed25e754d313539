//! Queries: what the screen asks about the conversation and that changes nothing, and where each answer is shown.
//!
//! In: a query of the part that wants to know. Out: what shows the answer, found beside the session. An answer that comes too
//! late is dropped by the key of whoever asked: the hunk, the proposal, the scope, the verdicts.
//!
//! ```text
//! Query::Blame(hunk) ─> look_up, on a blocking thread ─> QueryAnswer(|app| app.show_blame(&blame)) ─> the loop
//! ```

use std::fmt;
use std::sync::Arc;

use signoff_core::engine::{AroundRequest, HunkBlame, LinesAround, OwnTextAlarms, Placement};
use signoff_core::id::{HunkId, ProposalId, Timestamp};
use signoff_core::stage::review::{
    DeniedEdit, DiffScope, HistoryView, ProposalView, RevertOutcome, RevertTarget, Ruling,
    ScopedDiff, WrittenSince,
};
use signoff_llm::memory::Summary;
use signoff_llm::provider::About;
use signoff_llm::query_lane::{CommitDraft, QueryLane, QueryScene};
use signoff_llm::session::{Command, Fault, ListedModel, PromptRef};

use super::overlay::Overlay;
use super::rewind_question::RewindQuestion;
use super::{App, notes};

/// What the screen asks.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Query {
    /// Lines around a hunk.
    Around(AroundRequest),
    /// Who last changed the old lines of a hunk.
    Blame(HunkId),
    /// The colours of the lines of a proposal as it is shown.
    Colours(Box<ProposalView>),
    /// A commit of what was signed off, with this message. It changes the repository, and neither files nor conversation.
    Commit(String),
    /// What would be committed, with a message for it.
    CommitDraft,
    /// What the changes of a scope make of each file.
    Diff(DiffScope),
    /// What taking back would do.
    Forecast(RevertTarget),
    /// The newest history entries.
    History,
    /// Ignored files below these paths, written from where programs left them; all of them where none is named. It changes
    /// neither proposals nor conversation.
    Keep(Vec<String>),
    /// The models that the provider offers.
    Models,
    /// What guards find in texts of the user's that verdicts would write.
    OwnText(Vec<Ruling>),
    /// How the place of a proposal was found.
    Placement(ProposalId),
    /// What taking back would do that was written since a prompt was sent.
    Rewind(PromptRef, WrittenSince),
    /// The conversations that are kept.
    Sessions,
    /// The edits that fit several places.
    Unplaced,
}

/// What shows the answer to a query.
pub struct QueryAnswer(Box<dyn FnOnce(&mut App) + Send>);

impl QueryAnswer {
    /// Returns an answer that is shown so.
    pub fn new(show: impl FnOnce(&mut App) + Send + 'static) -> Self {
        Self(Box::new(show))
    }

    pub(super) fn show(self, app: &mut App) {
        (self.0)(app);
    }
}

impl fmt::Debug for QueryAnswer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("QueryAnswer")
    }
}

/// Where answers come from.
impl Query {
    /// Returns true for what is compared, parsed, read from many files or asked of a server: no other query waits for it.
    pub fn is_long(&self) -> bool {
        matches!(
            self,
            Self::Colours(_)
                | Self::Commit(_)
                | Self::CommitDraft
                | Self::Diff(_)
                | Self::Keep(_)
                | Self::Models
                | Self::OwnText(_)
                | Self::Sessions
        )
    }

    /// Finds the answer, or what shows that there is none.
    pub async fn answer(self, lane: &QueryLane) -> QueryAnswer {
        let query = Arc::new(self);
        let asked = Arc::clone(&query);
        let answer = lane.ask(move |scene| asked.look_up(scene)).await;
        answer.unwrap_or_else(|fault| query.failed(fault))
    }

    fn look_up(&self, scene: &QueryScene) -> Result<QueryAnswer, Fault> {
        Ok(match self {
            Self::Around(request) => {
                let lines = scene.engine().lines_around(request)?;
                QueryAnswer::new(|app| app.show_around(lines))
            }
            Self::Blame(hunk) => {
                let blame = scene.engine().hunk_blame(*hunk)?;
                QueryAnswer::new(move |app| app.show_blame(&blame))
            }
            Self::Colours(file) => {
                let uncoloured = scene.engine().uncoloured(file.as_ref().clone())?;
                let colours = uncoloured.colours();
                QueryAnswer::new(|app| app.review.coloured(colours))
            }
            Self::Commit(message) => {
                let lines = scene.commit(message)?;
                QueryAnswer::new(move |app| {
                    // What was said while it was made.
                    app.status.hush();
                    app.answer(&lines.join("\n"));
                })
            }
            Self::CommitDraft => {
                let draft = scene.draft_commit()?;
                QueryAnswer::new(move |app| app.show_commit_draft(&draft))
            }
            Self::Diff(scope) => {
                let conversation = scene.conversation();
                let texts = scene.engine().scoped_texts(scope.clone(), &conversation)?;
                let diff = texts.diff();
                QueryAnswer::new(|app| app.show_diff(diff))
            }
            Self::Forecast(target) => {
                let outcome = scene.engine().foresee(target)?;
                QueryAnswer::new(|app| app.show_forecast(outcome))
            }
            Self::History => {
                let mut engine = scene.engine();
                let (entries, denied) = (engine.history(None)?, engine.denied_hunks(None)?);
                QueryAnswer::new(|app| {
                    app.show_history(entries);
                    app.show_denied(denied);
                })
            }
            Self::Keep(paths) => {
                let lines = scene.keep_ignored(paths)?;
                QueryAnswer::new(move |app| {
                    app.status.hush();
                    app.answer(&lines.join("\n"));
                })
            }
            Self::Models => {
                let (about, models) = scene.models()?;
                QueryAnswer::new(move |app| app.show_models(&about, &models))
            }
            Self::OwnText(rulings) => {
                let (rulings, found) = (rulings.clone(), scene.engine().own_text_alarms(rulings)?);
                QueryAnswer::new(move |app| app.show_own_text(&rulings, &Ok(found)))
            }
            Self::Placement(proposal) => {
                let (proposal, placement) = (*proposal, scene.engine().placement(*proposal)?);
                QueryAnswer::new(move |app| app.show_placement(proposal, placement.as_ref()))
            }
            Self::Rewind(prompt, written) => {
                let target = RevertTarget::Since(written.clone());
                let outcome = scene.engine().foresee(&target)?;
                let (prompt, sent) = (prompt.clone(), Some(written.since));
                QueryAnswer::new(move |app| app.show_rewind(prompt, sent, Ok(outcome)))
            }
            Self::Sessions => {
                let sessions = scene.sessions()?;
                QueryAnswer::new(move |app| app.show_sessions(&sessions))
            }
            Self::Unplaced => {
                let places = scene.engine().unplaced();
                QueryAnswer::new(|app| app.show_places(places))
            }
        })
    }

    /// Returns what shows that there is no answer: in its place where somebody waits for it there.
    fn failed(&self, fault: Fault) -> QueryAnswer {
        match self {
            Self::Around(request) => {
                let missing = LinesAround {
                    hunk: request.hunk,
                    lines: request.lines,
                    above: Vec::new(),
                    below: Vec::new(),
                    above_tokens: Vec::new(),
                    below_tokens: Vec::new(),
                    is_cut: false,
                    missing: Some(fault.message),
                };
                QueryAnswer::new(|app| app.show_around(missing))
            }
            Self::Colours(_) => {
                tracing::warn!(error = fault.message, "code stays plain");
                QueryAnswer::new(|_| {})
            }
            Self::OwnText(rulings) => {
                let rulings = rulings.clone();
                QueryAnswer::new(move |app| app.show_own_text(&rulings, &Err(fault.message)))
            }
            Self::Commit(_) => QueryAnswer::new(move |app| {
                app.status.hush();
                app.on_fault(&fault);
            }),
            _ => QueryAnswer::new(move |app| app.on_fault(&fault)),
        }
    }
}

/// Where answers go.
impl App {
    /// Shows lines around a hunk.
    pub fn show_around(&mut self, lines: LinesAround) {
        let said = self.review.around(lines);
        self.say(said);
    }

    /// Shows who wrote the old lines of a hunk, if that is asked on the page that is open.
    pub fn show_blame(&mut self, blame: &HunkBlame) {
        if let Some(Overlay::Note(page)) = self.focus.overlay_mut() {
            page.take_blame(blame, self.now);
        }
    }

    /// Shows what would be committed, and puts the command for it into the composer, with its message, unless something is typed
    /// there.
    pub fn show_commit_draft(&mut self, draft: &CommitDraft) {
        let CommitDraft {
            message,
            unproposed,
            plan,
        } = draft;
        // What was said of it while it was made.
        self.status.hush();
        if !plan.blocked.is_empty() {
            return self.answer(&plan.obstacles().join("\n"));
        }
        let left_out = plan.left_out.iter();
        let left_out = left_out.map(|file| format!("{} is left out: {}", file.path, file.why));
        if plan.files.is_empty() {
            let nothing = "nothing that was signed off is missing in the last commit".to_owned();
            let lines: Vec<String> = [nothing].into_iter().chain(left_out).collect();
            return self.answer(&lines.join("\n"));
        }
        let is_free = self.conversation.composer().is_empty();
        if is_free {
            self.conversation.edited(&format!("/commit {message}"));
        }
        let how = if is_free {
            "edit the message below and send it"
        } else {
            "/commit MESSAGE does it"
        };
        let files = plan.files.iter().map(|file| format!("  {file}"));
        let unproposed = unproposed.iter();
        let unproposed = unproposed.map(|why| format!("the model proposed no message: {why}"));
        let lines: Vec<String> = [format!("would commit on {}; {how}:", plan.place())]
            .into_iter()
            .chain(files)
            .chain(left_out)
            .chain(unproposed)
            .collect();
        self.answer(&lines.join("\n"));
    }

    /// Shows a diff, if it is that of the page that is open.
    pub fn show_diff(&mut self, diff: ScopedDiff) {
        if let Some(Overlay::Diff(page)) = self.focus.overlay_mut() {
            page.take(diff);
        }
    }

    /// Shows what taking back would do, if that is still the question.
    pub fn show_forecast(&mut self, outcome: RevertOutcome) {
        self.focus.foresee(outcome);
    }

    /// Takes over the history, newest first.
    pub fn show_history(&mut self, entries: Vec<HistoryView>) {
        self.history.set(entries);
    }

    /// Takes over the hunks that were denied, newest first.
    pub fn show_denied(&mut self, denied: Vec<DeniedEdit>) {
        self.history.set_denied(denied);
    }

    /// Lists the models, to be picked or in the transcript.
    pub fn show_models(&mut self, about: &About, models: &[ListedModel]) {
        let history = &self.history;
        if (self.conversation).take_models((about, models), history, &self.keys, &mut self.status) {
            self.transcript.lines(notes::models(about, models));
        }
    }

    /// Says what was found in texts of the user's, or why nobody looked, if that is about what the open page writes.
    pub fn show_own_text(
        &mut self,
        rulings: &[Ruling],
        found: &Result<Vec<OwnTextAlarms>, String>,
    ) {
        self.focus.take_own_text(rulings, found);
    }

    /// Asks what goes back to a prompt; `written` is what taking back would do what was written since, or why that is not
    /// known. Nothing is asked where the conversation alone has something to go back to.
    pub fn show_rewind(
        &mut self,
        prompt: PromptRef,
        sent: Option<Timestamp>,
        written: Result<RevertOutcome, String>,
    ) {
        let staged = self.review.list().pending_since(sent);
        match RewindQuestion::new(prompt, written, staged) {
            Err(prompt) => {
                let files = None;
                self.ask(Command::Rewind { prompt, files });
            }
            Ok(_) if self.focus.is_taken() || self.status.is_busy() => self
                .status
                .say("Not gone back: something else has begun; Esc twice asks again"),
            Ok((question, preview)) => self.focus.ask_rewind(question, preview),
        }
    }

    /// Shows how a proposal was placed, if that is asked on the page that is open; none if it is not staged any more.
    pub fn show_placement(&mut self, proposal: ProposalId, placement: Option<&Placement>) {
        if let Some(Overlay::Note(page)) = self.focus.overlay_mut() {
            page.take_placement(proposal, placement);
        }
    }

    /// Lists the conversations, to be picked or in the transcript.
    pub fn show_sessions(&mut self, sessions: &[Summary]) {
        let history = &self.history;
        if (self.conversation).take_sessions(sessions, history, &mut self.status) {
            self.transcript.lines(notes::sessions(sessions));
        }
    }
}
