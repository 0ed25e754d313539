//! `signoff exec`: one turn without the terminal interface.
//!
//! In: a prompt. Out: events as JSON lines; or the model's text on standard output, and everything else on
//! standard error. Edits are staged; with `--approve all` they are written when the turn is over.

use std::io::{self, Read};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use anyhow::{Context as _, bail};
use serde::Serialize;
use serde_json::json;
use signoff_checks::check::{CheckReport, Checked};
use signoff_core::engine::{Decision, Engine};
use signoff_core::id::HunkId;
use signoff_core::plural::counted;
use signoff_core::stage::review::ProposalView;
use signoff_core::stage::review::critique::{CommentSeverity, CriticComment, CritiqueEvent};
use signoff_llm::driver::one_turn;
use signoff_llm::mention;
use signoff_llm::mode::Mode;
use signoff_llm::notice::FailedCall;
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

use super::commits::{Commits, last_changeset, written_since};
use super::verdict::{LOOK, approve_these, ending, summary, value};
use super::{Ending, out, review};
use crate::args::{ExecArgs, ModelArgs};
use crate::configuration;

/// Said where a turn that did not come to its end was to be written.
const HALF: &str =
    "the turn did not come to its end: what it staged stays staged and is not written";

/// The prompt that stands for standard input.
pub(super) const FROM_STDIN: &str = "-";

/// How long programs that still run may take to end with the turn.
pub(super) const AT_THE_END: Duration = Duration::from_secs(5);

/// Maximum size of a prompt from standard input: more than any model reads.
const MAX_PROMPT_BYTES: u64 = 8 << 20;

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
    let (prompt, typed) = prompt_of(args.prompt, worker)?;
    let mut config = configured(paths, &args.model, asks.is_some())?;
    let mut engine = engine_of(paths, &mut config, worker)?;
    if let Some(recovered) = opened::event(&engine).filter(|_| args.json) {
        out::json(&recovered)?;
    }
    engine.set_write_through(config.write_through);
    let engine = Arc::new(Mutex::new(engine));
    let allowed = args.allow.into_iter().map(|pattern| Rule {
        tool: "bash".to_owned(),
        pattern,
        action: Permission::Allow,
    });
    config.policy = config.policy.and(allowed.collect());
    let runtime = tokio::runtime::Runtime::new()?;
    let mut staged: Vec<ProposalView> = Vec::new();
    let gated = matches!(config.programs.policy, CheckPolicy::Repair(_));
    let mut state = ConversationState::default();
    let mut critique: Vec<CritiqueEvent> = Vec::new();
    let mut printed: anyhow::Result<()> = Ok(());
    let mut mid_line = false;
    let writes = args.approve.is_some();
    let waited = Commits::of(paths)?.ids();
    let written = last_changeset(paths)?;
    let end = runtime.block_on(async {
        let chosen = model::choose(&config, paths).await?;
        let presence = match asks {
            Some(_) => Presence::Lines,
            None => Presence::Nobody,
        };
        let shared = Arc::clone(&engine);
        let (driver, remarks) =
            session_setup::prepare(&config, &args.setup, paths, chosen, shared, presence)?;
        remarks.iter().for_each(|remark| out::remark(remark));
        let on_event = |event: Event| {
            state.apply(&event);
            match &event {
                Event::Staged(new) => staged.extend(new.to_vec()),
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
        let prompt = [Command::TypedPaths(typed), Command::Submit(prompt)];
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
    let whole = is_whole(end);
    let commits = Commits::of(paths)?.but(&waited);
    let is_asked = writes && (!staged.is_empty() || !undone.is_empty());
    match (is_asked, whole) {
        (false, true) if writes && !commits.is_empty() => make(&commits, None, args.json),
        (true, true) => {
            let why = half_done(&undone);
            let why = why.or_else(|| gated.then(|| against(state.checked.as_ref()))?);
            let decision = decided(&engine, why, &staged)?;
            match report(&decision, args.json)? {
                Ending::Done => make(&commits, written_since(paths, written.as_ref())?, args.json),
                ending => Ok(ending),
            }
        }
        (true, false) if !staged.is_empty() => {
            out::remark(HALF);
            Ok(Ending::Unmet)
        }
        (false, true) if !undone.is_empty() => Ok(Ending::NeedsUser),
        (false, true) if !is_at_once(worker, &args.model, &config) => Ok(Ending::Done),
        (false, true) => told_of_left(&engine, &staged, config.write_through, args.json),
        // It only showed what was to be done.
        (_, false) if end == TurnEnd::Unmet && !undone.is_empty() => Ok(Ending::NeedsUser),
        (_, false) => Ok(Ending::Unmet),
    }
}

fn is_whole(end: TurnEnd) -> bool {
    match end {
        TurnEnd::Done | TurnEnd::Review => true,
        TurnEnd::Cancelled | TurnEnd::Failed | TurnEnd::Limit | TurnEnd::Unmet => false,
    }
}

/// Writes what a turn staged, unless something is against it.
fn decided(
    engine: &Mutex<Engine>,
    against: Option<String>,
    staged: &[ProposalView],
) -> anyhow::Result<Decision> {
    match against {
        Some(why) => {
            out::remark(LOOK);
            Ok(Decision::Refused { why })
        }
        None => approve_these(&mut lock(engine), staged),
    }
}

/// Returns whether a turn was to write at once; a background agent's never is.
fn is_at_once(worker: Worker, asked: &ModelArgs, config: &Config) -> bool {
    worker == Worker::Conversation && (asked.write_through || config.write_through)
}

/// Says of a turn that writes at once what waits all the same, and why.
fn told_of_left(
    engine: &Mutex<Engine>,
    staged: &[ProposalView],
    may_write: bool,
    json: bool,
) -> anyhow::Result<Ending> {
    let mut waiting = lock(engine).waiting()?;
    waiting
        .retain(|own| own.pending().next().is_some() && staged.iter().any(|new| new.id == own.id));
    if waiting.is_empty() {
        return Ok(Ending::Done);
    }
    if !may_write {
        // The workspace's file forbids it, which was said.
        return Ok(Ending::NeedsUser);
    }
    let decision = approve_these(&mut lock(engine), &waiting)?;
    report(&decision, json)
}

/// Makes the commits of a turn, which belong to what was written with them, but those that have to be looked at and named.
fn make(commits: &Commits<'_>, written: Option<String>, json: bool) -> anyhow::Result<Ending> {
    let (chosen, left) = commits.unheld();
    let ending = commits.approve(&chosen, written, json)?;
    left.iter().for_each(|line| out::remark(line));
    Ok(match ending {
        Ending::Done if !left.is_empty() => Ending::NeedsUser,
        ending => ending,
    })
}

/// Returns a prompt and the paths outside of the workspace that the user typed in it. What comes through a pipe may be
/// anybody's text.
fn prompt_of(given: String, worker: Worker) -> anyhow::Result<(String, Vec<String>)> {
    Ok(match (given.as_str(), worker) {
        (_, Worker::BackgroundAgent { is_typed: false }) => (given, Vec::new()),
        (FROM_STDIN, Worker::Conversation) => (prompt_from(io::stdin().lock())?, Vec::new()),
        (prompt, _) => {
            let typed = mention::leading_out(prompt);
            (given, typed)
        }
    })
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

/// Returns which edits a turn left undone: what it staged may be half of what was asked for.
fn half_done(undone: &[FailedCall]) -> Option<String> {
    let edits: Vec<String> = undone.iter().map(ToString::to_string).collect();
    let count = counted(edits.len(), "edit");
    let list = edits.join("; ");
    (!edits.is_empty())
        .then(|| format!("{count} failed and the model did not make up for it: {list}"))
}

/// Returns what the newest check has against writing what is staged.
fn against(report: Option<&CheckReport>) -> Option<String> {
    let Some(report) = report else {
        return Some("what is staged was not checked".to_owned());
    };
    let errors = report.errors();
    let mut against: Vec<String> = report.unfinished().map(Checked::told).collect();
    let found = (errors > 0).then(|| {
        let first = report.new.first().map(ToString::to_string);
        let new = counted(errors, "new error");
        format!("the checks find {new}: {}", first.unwrap_or_default())
    });
    against.splice(0..0, found);
    (!against.is_empty()).then(|| against.join("; "))
}

/// Reads a prompt to the end of its source.
pub(super) fn prompt_from(source: impl Read) -> anyhow::Result<String> {
    let mut bytes = Vec::new();
    let read = source.take(MAX_PROMPT_BYTES + 1).read_to_end(&mut bytes);
    read.context("cannot read the prompt from standard input")?;
    if bytes.len() as u64 > MAX_PROMPT_BYTES {
        bail!("the prompt on standard input is over {MAX_PROMPT_BYTES} bytes");
    }
    let text = String::from_utf8(bytes).context("the prompt on standard input is not UTF-8")?;
    match text.trim() {
        "" => bail!("there is no prompt on standard input"),
        _ => Ok(text.trim_end().to_owned()),
    }
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

fn report(decision: &Decision, json: bool) -> anyhow::Result<Ending> {
    if ending(decision) != Ending::Done {
        out::remark(&summary(decision));
    }
    if json {
        let mut value = value(decision);
        if let Some(object) = value.as_object_mut() {
            object.insert("type".into(), json!("verdicts"));
        }
        out::json(&value)?;
    } else if ending(decision) == Ending::Done {
        out::progress(&summary(decision));
    }
    Ok(ending(decision))
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

#[cfg(test)]
mod tests {
    use super::*;

    fn read(bytes: &[u8]) -> Result<String, String> {
        prompt_from(bytes).map_err(|error| format!("{error:#}"))
    }

    #[test]
    fn a_prompt_is_read_to_its_end_and_bounded() {
        assert_eq!(read(b"  fix\n\nthis\n\n").unwrap(), "  fix\n\nthis");
        for (bytes, why) in [
            (&b""[..], "no prompt"),
            (b" \n\t", "no prompt"),
            (b"\xff", "not UTF-8"),
        ] {
            assert!(read(bytes).unwrap_err().contains(why), "{bytes:?}");
        }
        let large = vec![b'x'; 8 << 20];
        assert!(read(&large).is_ok());
        let larger = [&large[..], b"x"].concat();
        assert!(read(&larger).unwrap_err().contains("8388608 bytes"));
    }
}
