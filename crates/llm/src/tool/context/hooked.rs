//! Hooks around a call: asked before it, told after it, in the shadow.
//!
//! In: a call, the hooks of the conversation. Out: whether the call runs; what the model reads beside its answer; what
//! hooks changed after an edit, staged. What a hook writes at any other time is dropped with the layers that it ran on.

use std::ffi::{OsStr, OsString};
use std::path::Path;

use serde_json::Value;
use signoff_core::disk::workspace::MAX_FILE_BYTES;
use signoff_core::quote::{self, one_line};
use signoff_verify::process::{Ended, Limits, Report};
use signoff_verify::shadow::{Launch, Origin, Setup, Shadow, run_fed};

use super::{PLAIN, ToolContext};
use crate::foreign::fenced;
use crate::hook::{
    Hook, HookAnswer, HookEvent, HookJudgement, HookOutcome, HookScene, HookedCall, HookedResponse,
    MAX_CONTEXT, MAX_FILES, named, prompt_input,
};
use crate::shadow::{self, ShadowError};
use crate::tool::{PreparedCall, Reach, ToolOutput};

/// Bytes of a hook's output that are looked at.
const MAX_OUTPUT: usize = 64 * 1024;
/// Bytes of a hook's reason in the line for the user.
const MAX_SUMMARY: usize = 80;

/// Whether a call runs, as far as hooks are concerned.
pub(crate) enum HookConsent {
    /// It does; this is added to its answer.
    Runs(String),
    /// It does not, and has this answer.
    Denied(ToolOutput),
    /// The user is to be asked, for this reason.
    Asks(String),
}

/// Hooks that are asked about something.
struct HookRound<'a> {
    asked: Vec<&'a Hook>,
    /// How many files it has; each hook is asked about each by itself.
    files: usize,
    /// What a hook reads, for each file.
    inputs: &'a dyn Fn(&Path) -> Vec<Value>,
    origin: Origin,
}

/// What hooks say to the user.
pub(crate) type SayOnce<'a> = &'a dyn Fn(String);

impl ToolContext<'_> {
    /// Asks the hooks about a call that rules and the user allow.
    pub(crate) fn ask_hooks(&self, call: &PreparedCall, say: SayOnce<'_>) -> HookConsent {
        let event = HookEvent::PreToolUse;
        let hooked = call.hooked();
        let files = hooked.files();
        if files > MAX_FILES && !self.hooks_about(event, &hooked).is_empty() {
            let content = format!(
                "refused: hooks are asked about {MAX_FILES} files of one call, and this one has {files}. Nothing was changed. \
                 Make several calls."
            );
            return HookConsent::Denied(ToolOutput::failed(content, "too many files for a hook"));
        }
        let inputs = |root: &Path| hooked.inputs(event, self.scene(root), None);
        let round = HookRound {
            asked: self.hooks_about(event, &hooked),
            files,
            inputs: &inputs,
            origin: Origin::Hooks,
        };
        let judgement = self.judge(round, say, |_, _, _| String::new());
        match judgement.outcome {
            HookOutcome::Passes => HookConsent::Runs(judgement.context),
            HookOutcome::Asks(why) => HookConsent::Asks(why),
            HookOutcome::Denied { hook, why } => HookConsent::Denied(denied(&hook, &why)),
            HookOutcome::Stopped => HookConsent::Denied(self.cut_short()),
        }
    }

    /// Tells the hooks of a call that did what was asked, and stages what they change after an edit.
    pub(crate) fn tell_hooks(
        &self,
        call: &PreparedCall,
        output: &mut ToolOutput,
        say: SayOnce<'_>,
    ) {
        if !output.ok {
            return;
        }
        let event = HookEvent::PostToolUse;
        let hooked = call.hooked();
        let is_edit = call.reach() == Reach::Stage && !output.staged.is_empty();
        let content = output.content.clone();
        let inputs = |root: &Path| {
            let response = HookedResponse {
                ok: true,
                content: &content,
            };
            hooked.inputs(event, self.scene(root), Some(response))
        };
        let stage = |hook: &Hook, ended: Ended, shadow: &Shadow| {
            if !is_edit || ended == Ended::TimedOut {
                return String::new();
            }
            self.stage_hook(hook, shadow, output)
                .unwrap_or_else(|error| {
                    self.say(hook, &format!("changed files in vain: {error}"), say);
                    String::new()
                })
        };
        let round = HookRound {
            asked: self.hooks_about(event, &hooked),
            files: hooked.files().min(MAX_FILES),
            inputs: &inputs,
            origin: if is_edit {
                Origin::HooksAfterEdits
            } else {
                Origin::Hooks
            },
        };
        let judgement = self.judge(round, say, stage);
        if judgement.outcome != HookOutcome::Stopped {
            output.content += &judgement.context;
        }
    }

    /// Asks the hooks about a prompt of the user's. Returns what the model is to read with it; an error says why it is not
    /// sent, nothing where the user stopped a hook.
    pub(crate) fn judge_prompt(
        &self,
        prompt: &str,
        say: SayOnce<'_>,
    ) -> Result<String, Option<String>> {
        let event = HookEvent::UserPromptSubmit;
        let asked = self.ground.hooks().map(|hooks| hooks.in_force(event));
        let inputs = |root: &Path| vec![prompt_input(self.scene(root), prompt)];
        let round = HookRound {
            asked: asked.into_iter().flatten().collect(),
            files: 1,
            inputs: &inputs,
            origin: Origin::Hooks,
        };
        let judgement = self.judge(round, say, |_, _, _| String::new());
        match judgement.outcome {
            HookOutcome::Passes | HookOutcome::Asks(_) => {
                Ok(judgement.context.trim_start().to_owned())
            }
            HookOutcome::Denied { hook, why } => {
                let why = one_line(&why, MAX_OUTPUT);
                Err(Some(format!("{hook} refuses the prompt: {why}")))
            }
            HookOutcome::Stopped => Err(None),
        }
    }

    /// Returns the hooks that are asked at an event about a call.
    fn hooks_about(&self, event: HookEvent, call: &HookedCall<'_>) -> Vec<&Hook> {
        let hooks = self.ground.hooks();
        hooks.map_or_else(Vec::new, |hooks| hooks.asked(event, &call.names()))
    }

    /// Asks hooks one after the other, each about one file after the other. What `after` makes of what one left is read as
    /// well.
    fn judge(
        &self,
        round: HookRound<'_>,
        say: SayOnce<'_>,
        mut after: impl FnMut(&Hook, Ended, &Shadow) -> String,
    ) -> HookJudgement {
        let mut judgement = HookJudgement::default();
        let hooks = round.asked.into_iter();
        let each = hooks.flat_map(|hook| (0..round.files).map(move |file| (hook, file)));
        for (hook, file) in each {
            let input = |root: &Path| (round.inputs)(root).into_iter().nth(file);
            let (report, shadow) = match self.run_hook(hook, round.origin, &input) {
                Ok(ran) => ran,
                Err(error) => {
                    let why = format!("cannot be run, and work goes on as without it: {error}");
                    self.say(hook, &why, say);
                    continue;
                }
            };
            let answer = self.answer(hook, &report, say);
            if !judgement.take(hook, report.ended, answer) {
                break;
            }
            judgement.context += &after(hook, report.ended, &shadow);
        }
        judgement
    }

    fn scene<'a>(&'a self, root: &'a Path) -> HookScene<'a> {
        HookScene {
            session: self.conversation.id(),
            root,
        }
    }

    /// Runs a hook in the shadow on the workspace as staged.
    fn run_hook(
        &self,
        hook: &Hook,
        origin: Origin,
        input: &dyn Fn(&Path) -> Option<Value>,
    ) -> Result<(Report, Shadow), ShadowError> {
        let (setup, policy) = self.ground.shadow();
        let setup = setup.ok_or_else(|| std::io::Error::from(std::io::ErrorKind::Unsupported))?;
        let setup = shadow::hiding(setup, policy, self.ground.engine())?;
        let network = false;
        let mut shadow = Shadow::open(Setup { network, ..setup }, origin)?;
        let seen = self.ground.lock().for_program()?;
        shadow.stage(seen)?;
        let root = shadow.root().to_owned();
        let input = input(&root).unwrap_or(Value::Null).to_string();
        let words = [OsString::from("-c"), hook.command.clone().into()];
        let root = root.to_string_lossy();
        let own = [("CLAUDE_PROJECT_DIR", root.as_ref())];
        let variables: Vec<(&str, &str)> = PLAIN.into_iter().chain(own).collect();
        let launch = Launch {
            name: OsStr::new("/bin/bash"),
            arguments: &words,
            folder: None,
            variables: &variables,
        };
        let limits = Limits {
            timeout: hook.timeout,
            most_bytes: MAX_OUTPUT,
        };
        let stop = match hook.event {
            HookEvent::PreToolUse | HookEvent::UserPromptSubmit => self.call.stop.flag(),
            // The call has taken effect by then.
            HookEvent::PostToolUse => self.call.stop.cancelled(),
        };
        Ok(run_fed(shadow, &launch, input.into_bytes(), limits, stop)?)
    }

    fn answer(&self, hook: &Hook, report: &Report, say: SayOnce<'_>) -> HookAnswer {
        let (out, err) = (report.out.text(), report.err.text());
        let answer = HookAnswer::read(hook.event, report.ended, &out, &err);
        for remark in &answer.remarks {
            self.say(hook, remark, say);
        }
        answer
    }

    /// Says something of a hook to the user, unless it was said before.
    fn say(&self, hook: &Hook, what: &str, say: SayOnce<'_>) {
        let line = format!("{} {what}", named(hook));
        let is_news = self
            .ground
            .hooks()
            .is_some_and(|hooks| hooks.is_news(&line));
        if is_news {
            say(line);
        }
    }

    /// Stages what a hook changed after an edit, and returns what the model is told of it.
    fn stage_hook(
        &self,
        hook: &Hook,
        shadow: &Shadow,
        output: &mut ToolOutput,
    ) -> Result<String, ShadowError> {
        let collected = shadow.collect(MAX_FILE_BYTES)?;
        let mut engine = self.ground.lock();
        let staged = shadow::stage(
            &mut engine,
            collected,
            hook.command.clone(),
            self.origin(),
            Some(self.call.changeset),
        )?;
        if staged.proposals.is_empty() {
            return Ok(String::new());
        }
        drop(engine);
        let names = staged.proposals.iter().map(|view| quote::name(&view.path));
        let names: Vec<_> = names.collect();
        let done = if staged.written { "written" } else { "staged" };
        let told = format!(
            "\n\n{} then changed {} ({done}): read these lines before you edit them again.",
            named(hook),
            names.join(", ")
        );
        output.written |= staged.written;
        // What it rewrote of the edit is one proposal with it, under the id of either.
        output.staged.extend(staged.proposals);
        Ok(told)
    }
}

fn denied(hook: &str, why: &str) -> ToolOutput {
    let head = format!("refused by {hook}, in its own words");
    let content = fenced(&head, why, MAX_CONTEXT) + "\nIt was not run, and nothing was changed.";
    let summary = format!("refused by a hook: {}", one_line(why, MAX_SUMMARY));
    ToolOutput::failed(content, summary)
}
