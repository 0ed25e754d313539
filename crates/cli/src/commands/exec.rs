//! `signoff exec`: one turn without the terminal interface.
//!
//! In: a prompt. Out: events as JSON lines; or the model's text on standard output, and everything else on
//! standard error. Edits are staged; with `--approve all` they are written when the turn is over.

mod ended_turn;
mod prompt;

use std::sync::{Arc, Mutex};
use std::time::Duration;

use serde::Serialize;
use signoff_core::engine::Engine;
use signoff_core::id::HunkId;
use signoff_core::stage::review::ProposalView;
use signoff_core::stage::review::critique::{CommentSeverity, CriticComment, CritiqueEvent};
use signoff_llm::driver::one_turn;
use signoff_llm::mode::Mode;
use signoff_llm::permission::{Permission, Rule};
use signoff_llm::session::{
    CallEvent, CheckPolicy, Command, ConversationState, Event, Grant, TurnEnd,
};
use signoff_llm::tool::lock;
use signoff_setup::config::Config;
use signoff_setup::opened;
use signoff_setup::paths::Paths;
use signoff_setup::session_setup::Presence;
use signoff_setup::session_setup::{self, model};
use signoff_tui::event_lines;
use signoff_tui::state_files::marks::MarksFile;

use self::ended_turn::{EndedTurn, against, half_done, written_at_once};
use self::prompt::{TurnPrompt, remark_unread};
pub(super) use self::prompt::{as_typed, prompt_from};
use super::commits::{Commits, last_changeset};
use super::{Ending, out, review};
use crate::args::{ExecArgs, ModelArgs};
use crate::configuration;

/// The prompt that stands for standard input.
pub(super) const FROM_STDIN: &str = "-";

/// How long programs that still run may take to end with the turn.
pub(super) const AT_THE_END: Duration = Duration::from_secs(5);

/// Says whether a call may run: of which tool, and what it is used on.
pub(super) type AskPermission<'a> = &'a mut (dyn FnMut(&str, &str) -> Grant + Send);

/// Who leads a turn.
#[derive(Default)]
pub(super) struct Attendance<'a> {
    /// Who is asked for permission; without anybody, calls that need it are refused.
    pub(super) asks: Option<AskPermission<'a>>,
    /// The mode, if it is another than is configured.
    pub(super) mode: Option<Mode>,
    /// Whose turn it is.
    pub(super) worker: Worker,
    /// What stands before each line of the model's text: where signoff's own lines are on the same stream, none of the
    /// model's may pass for one.
    pub(super) indent: &'static str,
}

/// Whose turn it is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Worker {
    /// That of the user's own conversation, on what is staged.
    #[default]
    Conversation,
    /// That of a background agent, whose paths are given: in an overlay of its own, of which nothing is written.
    BackgroundAgent {
        /// Whether the user typed the prompt; text through a pipe may be anybody's.
        is_typed: bool,
    },
}

/// Runs a turn as the command line has it.
pub(super) fn run_typed(paths: &Paths, mut args: ExecArgs) -> anyhow::Result<Ending> {
    let mut is_said = args.prompt == FROM_STDIN;
    args.prompt = as_typed(paths, args.prompt)?;
    remark_unread(&mut is_said);
    let ending = run(paths, args, Attendance::default());
    remark_unread(&mut is_said);
    ending
}

/// Runs a turn.
pub(super) fn run(
    paths: &Paths,
    args: ExecArgs,
    Attendance {
        mut asks,
        mode,
        worker,
        indent,
    }: Attendance<'_>,
) -> anyhow::Result<Ending> {
    let prompt = TurnPrompt::of(args.prompt, worker)?;
    let mut config = configured(paths, &args.model, asks.is_some())?;
    let mut engine = engine_of(paths, &mut config, worker)?;
    if let Some(recovered) = opened::event(&engine).filter(|_| args.json) {
        out::json(&recovered)?;
    }
    engine.set_write_through(config.write_through);
    let engine = Arc::new(Mutex::new(engine));
    config.policy = config.policy.and(allowed(args.allow));
    let runtime = tokio::runtime::Runtime::new()?;
    let mut staged: Vec<ProposalView> = Vec::new();
    let gated = matches!(config.programs.policy, CheckPolicy::Repair(_));
    let mut state = ConversationState::default();
    let mut critique: Vec<CritiqueEvent> = Vec::new();
    let mut printed: anyhow::Result<()> = Ok(());
    let mut mid_line = false;
    let mut is_silent = true;
    let writes = args.approve.is_some();
    let waited = Commits::of(paths)?.ids();
    let written = last_changeset(paths)?;
    let end = runtime.block_on(async {
        let chosen = model::choose(&config, paths).await?;
        let presence = match asks {
            Some(_) => Presence::Lines,
            None => Presence::Nobody {
                is_typed: prompt.is_typed,
            },
        };
        let shared = Arc::clone(&engine);
        let (driver, remarks) =
            session_setup::prepare(&config, &args.setup, paths, chosen, shared, presence)?;
        remarks.iter().for_each(|remark| out::remark(remark));
        let on_event = |event: Event| {
            state.apply(&event);
            match &event {
                Event::Staged(new) => staged.extend(new.to_vec()),
                Event::Text { text } => is_silent &= text.trim().is_empty(),
                Event::Critique(event) => critique.push(event.clone()),
                _ => {}
            }
            if printed.is_ok() {
                printed = if args.json {
                    printed_as(&event).iter().try_for_each(out::json)
                } else {
                    // What is written next does not wait.
                    let is_written = writes && !staged.is_empty();
                    tell(&event, indent, &mut mid_line, is_written)
                };
            }
            match (event, &mut asks) {
                (
                    Event::PermissionAsked {
                        call,
                        tool,
                        subject,
                    },
                    Some(ask),
                ) => {
                    let grant = ask(&tool, &subject);
                    Some(Command::Permit { call, grant })
                }
                _ => None,
            }
        };
        let mode = mode.map(Command::SetMode);
        let prompt = [
            Command::TypedPaths(prompt.paths),
            Command::Submit(prompt.text),
        ];
        let begin = mode.into_iter().chain(prompt);
        anyhow::Ok(one_turn(driver, begin, on_event).await)
    })?;
    // A tool that does not end is not waited for: it can have no effect any more.
    runtime.shutdown_timeout(AT_THE_END);
    printed?;
    if !critique.is_empty() {
        MarksFile::new(&paths.store).take_critique(&critique, &lock(&engine).unshown()?)?;
    }
    // The built-in planner leaves out files that do not fit, and says which.
    let is_planned = state.about.is_some_and(|about| about.provider == "offline");
    let undone = if is_planned { Vec::new() } else { state.undone };
    let refusal = half_done(&undone);
    let refusal = refusal.or_else(|| gated.then(|| against(state.checked.as_ref()))?);
    let at_once = is_at_once(worker, &args.model, &config).then_some(config.write_through);
    let already = if config.write_through {
        let before = written.as_ref().map(|(_, time)| *time);
        written_at_once(&engine, &state.id, before)?
    } else {
        Vec::new()
    };
    let turn = EndedTurn {
        already,
        commits: Commits::of(paths)?.but(&waited),
        paths,
        engine: &engine,
        staged: &staged,
        has_undone: !undone.is_empty(),
        is_silent,
        refusal,
        before: written,
        json: args.json,
    };
    turn.conclude(end, writes, at_once)
}

/// Returns rules that allow commands.
fn allowed(patterns: Vec<String>) -> Vec<Rule> {
    let rules = patterns.into_iter().map(|pattern| Rule {
        tool: "bash".to_owned(),
        pattern,
        action: Permission::Allow,
    });
    rules.collect()
}

/// Returns whether a turn was to write at once; a background agent's never is.
fn is_at_once(worker: Worker, asked: &ModelArgs, config: &Config) -> bool {
    worker == Worker::Conversation && (asked.write_through || config.write_through)
}

/// Opens the engine of whoever works; a background agent writes nothing, whatever is configured.
fn engine_of(paths: &Paths, config: &mut Config, worker: Worker) -> anyhow::Result<Engine> {
    match worker {
        Worker::Conversation => opened::with(paths, &config.engine),
        Worker::BackgroundAgent { .. } => {
            (config.write_through, config.may_write_through) = (false, false);
            // Its hunks get other ids once they are handed over.
            config.setup.review.switch_off();
            opened::proposing(paths)
        }
    }
}

/// Reads the configuration, and says what is odd about it.
pub(super) fn configured(
    paths: &Paths,
    args: &ModelArgs,
    is_attended: bool,
) -> anyhow::Result<Config> {
    let mut config = configuration::load(paths, args)?;
    config
        .warnings
        .iter()
        .for_each(|warning| out::remark(warning));
    if is_attended && config.programs.policy == CheckPolicy::Inform {
        // The report would come when the turn is over, and nothing here shows it.
        config.programs.policy = CheckPolicy::Off;
    }
    Ok(config)
}

/// An event as other programs read it: its proposals are as `review --json` prints them.
#[derive(Serialize)]
#[serde(untagged)]
enum Printed<'a> {
    Proposals {
        r#type: &'static str,
        proposals: Vec<review::Shown<'a>>,
    },
    Comment {
        r#type: &'static str,
        step: &'static str,
        hunk: HunkId,
        path: &'a str,
        line: Option<u32>,
        severity: CommentSeverity,
        text: &'a str,
    },
    Other(&'a Event),
}

/// Returns the lines of an event: what was staged is one, and the list that came with it another.
fn printed_as(event: &Event) -> Vec<Printed<'_>> {
    match event {
        Event::Staged(staged) => vec![
            printed_proposals("staged", staged.iter()),
            printed_proposals("review", staged.listing.iter()),
        ],
        Event::Review(list) => vec![printed_proposals("review", list.iter())],
        Event::Critique(CritiqueEvent::Comment(comment)) => vec![printed_comment(comment)],
        other => vec![Printed::Other(other)],
    }
}

fn printed_proposals<'a>(
    word: &'static str,
    proposals: impl Iterator<Item = &'a ProposalView>,
) -> Printed<'a> {
    Printed::Proposals {
        r#type: word,
        proposals: proposals.map(review::shown).collect(),
    }
}

fn printed_comment(comment: &CriticComment) -> Printed<'_> {
    Printed::Comment {
        r#type: "critique",
        step: "comment",
        hunk: comment.hunk,
        path: &comment.path,
        line: comment.line(),
        severity: comment.severity,
        text: &comment.text,
    }
}

/// Tells of an event in words, on a line of its own, but for the end of a turn that is written.
fn tell(event: &Event, indent: &str, mid_line: &mut bool, is_written: bool) -> anyhow::Result<()> {
    if let Event::Text { text } = event {
        let is_begun = std::mem::replace(mid_line, !text.ends_with('\n'));
        return out::text_set_off(text, indent, is_begun);
    }
    let lines = match event {
        // That the servers answer is nothing to report, and what the checks find is in the sum of the turn.
        Event::Servers(_) | Event::Checked { .. } => Vec::new(),
        event => event_lines::lines(event),
    };
    let is_asked_or_over = matches!(
        event,
        Event::PermissionAsked { .. } | Event::TurnEnded { .. }
    );
    if (is_asked_or_over || !lines.is_empty()) && std::mem::take(mid_line) {
        out::line("")?;
    }
    match event {
        // A command may be a script.
        Event::Call(CallEvent::Input { tool, input, .. }) if tool == "bash" => {
            out::progress(&format!("[{tool}] {input}"));
        }
        Event::TurnEnded {
            end: TurnEnd::Review,
        } if !is_written => out::progress(
            "staged, not written: `signoff review` shows it, `signoff approve --all` writes what nothing holds back",
        ),
        _ => lines.iter().for_each(out::event_line),
    }
    Ok(())
}
