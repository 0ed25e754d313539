//! Review agent at work: a session of its own that reads, and comments on what waits.
//!
//! In: that it is to look. Out: [`CritiqueNews`], the last of which says how the look ended. It has a fresh context, tools
//! that read, and one to comment with; its session stages, runs, asks and decides nothing, and what it says goes into no
//! request of the conversation.

use std::collections::HashSet;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use signoff_core::budget::{Stop, Stopped};
use signoff_core::id::HunkId;
use signoff_core::quote::one_line;
use signoff_core::stage::review::critique::CritiqueEnd;
use signoff_core::stage::review::{HunkReading, Proposer};
use tokio::sync::mpsc::{UnboundedSender, WeakUnboundedSender};

use super::Shell;
use super::agent_session::AgentSession;
use crate::critic::{CritiqueTask, ShownHunks};
use crate::instructions::Profile;
use crate::session::{
    Command, ConversationState, CritiqueNews, CritiqueScope, Event, Input, TurnEnd,
};
use crate::tool::{Aside, CommentOnHunk, ConversationScope, Ground};
use crate::usage::Prices;

/// The name under which it works.
const CRITIC: &str = "critic";

/// Maximum length of its last words, in bytes.
const MOST_SAID: usize = 300;

/// The hunks that were looked at, as they read then.
type LookedAt = Arc<Mutex<HashSet<(HunkId, HunkReading)>>>;

/// The look that runs, if one does, and what earlier ones were at.
#[derive(Default)]
pub(super) struct Critiquing {
    stop: Stop,
    commands: Option<WeakUnboundedSender<Command>>,
    looked_at: LookedAt,
}

impl Critiquing {
    /// Ends the look that runs.
    pub(super) fn stop(&mut self) {
        self.stop.stop(Stopped::Cancelled);
        let commands = self.commands.take();
        if let Some(commands) = commands.as_ref().and_then(WeakUnboundedSender::upgrade) {
            // One that has ended needs to be told nothing.
            let _gone = commands.send(Command::Cancel);
        }
    }
}

/// Has the review agent look at what waits, or says why it cannot.
pub(super) fn start(shell: &mut Shell, critique: u64, (scope, request): (CritiqueScope, String)) {
    shell.critiquing.stop();
    let tell = NewsSender {
        critique,
        inbox: shell.wires.inbox.clone(),
    };
    match CriticWork::new(shell, (scope, request), &tell) {
        Ok(work) => {
            shell.critiquing.stop = work.stop.clone();
            shell.critiquing.commands = Some(work.session.commands());
            tokio::spawn(work.carry_out(tell));
        }
        Err(why) => tell.end(CritiqueEnd::Failed { why }, String::new()),
    }
}

/// Tells the session what a look comes to.
#[derive(Clone)]
struct NewsSender {
    critique: u64,
    inbox: UnboundedSender<Input>,
}

impl NewsSender {
    fn tell(&self, news: CritiqueNews) {
        let critique = self.critique;
        if self.inbox.send(Input::Critique { critique, news }).is_err() {
            tracing::debug!("nobody hears the review agent any more");
        }
    }

    fn end(&self, end: CritiqueEnd, said: String) {
        self.tell(CritiqueNews::Ended { end, said });
    }
}

/// A look that is about to begin.
struct CriticWork {
    session: AgentSession,
    plan: LookPlan,
    stop: Stop,
    prices: Option<Prices>,
}

/// What is to be looked at, once that is read.
struct LookPlan {
    ground: Arc<Ground>,
    scope: CritiqueScope,
    request: String,
    profile: Profile,
    looked_at: LookedAt,
    /// What the tool knows of it.
    shown: Arc<OnceLock<ShownHunks>>,
}

impl CriticWork {
    fn new(
        shell: &Shell,
        (scope, request): (CritiqueScope, String),
        tell: &NewsSender,
    ) -> Result<Self, String> {
        let config = shell.session.config();
        let setup = &config.critic;
        let provider = match &setup.model {
            None => Arc::clone(&shell.provider),
            Some(model) => shell
                .provider
                .with_model(model)
                .ok_or_else(|| format!("the model {model} of [review] cannot be asked here"))?,
        };
        let model = provider.about().model;
        let known = config.catalogue.find(&model);
        let profile = config.fitting(setup.profile, setup.model.as_deref());
        let shown = Arc::<OnceLock<ShownHunks>>::default();
        let inbox = tell.clone();
        let comment = CommentOnHunk::new(Arc::clone(&shown), move |comment| {
            inbox.tell(CritiqueNews::Commented(comment));
        });
        let config = config.of_critic(config.tools_for(Profile::Full).for_critic(profile, comment));
        let proposer = Proposer::Agent {
            name: CRITIC.to_owned(),
            model,
        };
        let conversation = ConversationScope::new(shell.scope.id().to_owned(), proposer);
        Ok(Self {
            session: AgentSession::new(shell, config, provider, conversation),
            plan: LookPlan {
                ground: Arc::clone(&shell.ground),
                scope,
                request,
                profile,
                looked_at: Arc::clone(&shell.critiquing.looked_at),
                shown,
            },
            stop: Stop::default(),
            prices: known.price.map(Prices::from),
        })
    }

    /// Works to the end, and tells of it exactly once, also if the work breaks down.
    async fn carry_out(self, tell: NewsSender) {
        let work = tokio::spawn(self.work(tell.clone()));
        let (end, said) = work.await.unwrap_or_else(|error| {
            tracing::error!(%error, "the review agent broke down");
            let why = "the review agent broke down".to_owned();
            (CritiqueEnd::Failed { why }, String::new())
        });
        tell.end(end, said);
    }

    /// Runs the session of the agent. Boxed, since a session that starts it runs sessions.
    fn work(
        self,
        tell: NewsSender,
    ) -> std::pin::Pin<Box<dyn Future<Output = (CritiqueEnd, String)> + Send>> {
        let Self {
            session,
            plan,
            stop,
            prices,
        } = self;
        Box::pin(async move {
            let looked_at = Arc::clone(&plan.looked_at);
            let shown = Arc::clone(&plan.shown);
            let read = tokio::task::spawn_blocking(move || plan.read()).await;
            let task = match read.unwrap_or_else(|error| Err(error.to_string())) {
                Ok(task) => task,
                Err(why) => return (CritiqueEnd::Failed { why }, String::new()),
            };
            let hunks: Vec<HunkId> = shown.get().into_iter().flat_map(ShownHunks::ids).collect();
            let left_out = task.left_out;
            if hunks.is_empty() {
                let end = match left_out {
                    0 => CritiqueEnd::Nothing,
                    _ => CritiqueEnd::TooLong,
                };
                return (end, String::new());
            }
            if stop.why().is_some() {
                return (CritiqueEnd::Cancelled, String::new());
            }
            tell.tell(CritiqueNews::Began { hunks, left_out });
            // What is no comment leads to nothing: no event of this session reaches that of the conversation.
            let state = session
                .turn([Command::Submit(task.text)], |_, event| {
                    if let Event::Used(usage) = event {
                        let cost = prices.map(|prices| prices.cost(&usage));
                        tell.tell(CritiqueNews::Spent(Aside { usage, cost }));
                    }
                })
                .await;
            let (end, said) = (ending(&state), one_line(&state.said, MOST_SAID));
            if end == CritiqueEnd::Done {
                let readings = shown.get().into_iter().flat_map(ShownHunks::readings);
                lock(&looked_at).extend(readings);
            }
            (end, said)
        })
    }
}

impl LookPlan {
    /// Reads what waits, and gives the tool what the agent is shown. To look counts as no look of the user's.
    fn read(self) -> Result<TaskText, String> {
        let files = self.ground.lock().unshown();
        let files = files.map_err(|error| error.to_string())?;
        let task = CritiqueTask::of(
            &self.request,
            &files,
            |hunk, reads| match self.scope {
                CritiqueScope::All => true,
                CritiqueScope::Unseen => !lock(&self.looked_at).contains(&(hunk, reads.clone())),
            },
            self.profile,
        );
        let CritiqueTask {
            text,
            shown,
            left_out,
        } = task;
        if self.shown.set(shown).is_err() {
            return Err("the look began twice".to_owned());
        }
        Ok(TaskText { text, left_out })
    }
}

/// The task in words, and how many hunks are not in it for lack of room.
struct TaskText {
    text: String,
    left_out: usize,
}

fn lock(looked_at: &LookedAt) -> std::sync::MutexGuard<'_, HashSet<(HunkId, HunkReading)>> {
    looked_at.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Returns how a look ended.
fn ending(state: &ConversationState) -> CritiqueEnd {
    match state.end.unwrap_or(TurnEnd::Failed) {
        TurnEnd::Done | TurnEnd::Review | TurnEnd::Unmet => CritiqueEnd::Done,
        TurnEnd::Cancelled => CritiqueEnd::Cancelled,
        TurnEnd::Limit => CritiqueEnd::Limit,
        TurnEnd::Failed => CritiqueEnd::Failed {
            why: match &state.fault {
                Some(fault) => one_line(&fault.message, MOST_SAID),
                None => "it broke off".to_owned(),
            },
        },
    }
}
