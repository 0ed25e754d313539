//! Inputs of the session.

use signoff_core::engine::{Answer, Decision, HunkOutcome, Placed};
use signoff_core::stage::review::{RevertOutcome, ReviewListing};

use signoff_checks::check::{CheckReport, CheckStep};

use super::{
    AgentQuestion, Command, CritiqueNews, Fault, PreparedPrompt, PromptRef, RequestId,
    TrustRequest, TurnId,
};
use crate::claims::JudgedSentence;
use crate::foreign::ServersReport;
use crate::memory::Recall;
use crate::message::CallId;
use crate::provider::catalogue::Model;
use crate::provider::{About, Delta, ProviderError};
use crate::tool::{Aside, ToolOutput};

/// What the world tells the session.
#[derive(Clone, Debug, PartialEq)]
pub enum Input {
    /// The user asks for something.
    Command(Command),
    /// Everything is in place.
    Ready {
        /// Who answers.
        about: About,
        /// A line for the user, as how to connect a model.
        hint: Option<String>,
    },
    /// A piece of an answer.
    Delta {
        /// Of which request.
        request: RequestId,
        /// The piece.
        delta: Delta,
    },
    /// No more pieces come.
    RequestEnded {
        /// Of which request.
        request: RequestId,
        /// Whether the answer is whole.
        result: Result<(), ProviderError>,
    },
    /// A call prints while it runs.
    ToolOutput {
        /// Which call.
        call: CallId,
        /// The last lines, of bounded size.
        tail: String,
        /// Lines so far.
        lines: u64,
    },
    /// A call was carried out.
    ToolDone {
        /// Which.
        call: CallId,
        /// What came of it.
        output: ToolOutput,
        /// How long it took, in milliseconds, where that is known.
        took_ms: Option<u64>,
        /// What other models took for it.
        aside: Option<Aside>,
    },
    /// An agent used tokens.
    AgentSpent(Aside),
    /// A call of an agent needs the user's permission.
    AgentAsks(AgentQuestion),
    /// A hook has the user asked about a call, which was not run.
    CallHeld {
        /// Which.
        call: CallId,
        /// Why, in a line for the user.
        why: String,
    },
    /// Which hooks there are, and whether they run.
    HooksKnown(Vec<String>),
    /// What the user should know of hooks, or of what they trust.
    Said(String),
    /// The server has said nothing for a while.
    Silent {
        /// Of which request.
        request: RequestId,
        /// For how many seconds.
        seconds: u64,
    },
    /// Another conversation is open, or cannot be.
    Switched(Result<Recall, Fault>),
    /// Something beside the conversation did not work.
    Failed(Fault),
    /// Verdicts were carried out, or not.
    Decided {
        /// What came of them.
        outcome: Result<Decision, Fault>,
        /// The review list after that; none if it has to be read.
        listing: Option<ReviewListing>,
    },
    /// Changes were taken back, or not.
    TakenBack {
        /// The prompt that the conversation goes back to with them, if it does.
        prompt: Option<PromptRef>,
        /// What came of it.
        outcome: Result<RevertOutcome, Fault>,
    },
    /// The review list.
    Reviewed(Result<ReviewListing, Fault>),
    /// What became of hunks, as far as that is known.
    OutcomesRead(Vec<HunkOutcome>),
    /// How the servers of the Model Context Protocol stand.
    ServersAsked(ServersReport),
    /// The user is to be asked whether something is trusted: about a server now, about others before the next prompt.
    TrustWanted(TrustRequest),
    /// What the user said of that is in force.
    TrustDecided,
    /// What there is to know before a prompt, or why it is not sent, in a line for the user; nothing where the user stopped
    /// its preparation.
    Prepared(Result<PreparedPrompt, Option<String>>),
    /// Whether the model that is asked takes images, as its server says.
    ImagesTaken(bool),
    /// One of the checks of what is staged begins.
    CheckBegins {
        /// Which check of what is staged.
        check: u64,
        /// Which one of it.
        step: CheckStep,
    },
    /// What came of a check of what is staged, or why it was not done.
    Checked {
        /// Which.
        check: u64,
        /// What came of it.
        outcome: Result<CheckReport, String>,
    },
    /// What a look of the review agent comes to.
    Critique {
        /// Which look.
        critique: u64,
        /// What.
        news: CritiqueNews,
    },
    /// Which sentences of a turn's last message hold, and which do not.
    ClaimsJudged {
        /// The turn.
        turn: TurnId,
        /// Those that could be judged.
        sentences: Vec<JudgedSentence>,
    },
    /// What became of an edit that the user chose a place for.
    Placed(Result<Placed, Fault>),
    /// What became of a rule that the user proposed; none if the instructions have it.
    RuleProposed {
        /// The rule.
        rule: String,
        /// The answer.
        outcome: Result<Option<Answer>, Fault>,
    },
    /// What the server lists, for a model that the user named.
    ModelFound {
        /// Its name, as the user typed it.
        name: String,
        /// Who answers now.
        about: About,
        /// What the provider offers.
        models: Result<Vec<Model>, ProviderError>,
    },
    /// Another model answers from now on; nothing if there is no other.
    ModelChosen(Option<About>),
    /// The user quits: nothing new begins.
    Quit,
}
