//! Hooks around a call: asked before it, told after it, in the shadow.
//!
//! In: a call, the hooks of the conversation. Out: whether the call runs; what the model reads beside its answer; what
//! hooks changed after an edit, staged. What a hook writes at any other time is dropped with the layers that it ran on.

use std::ffi::{OsStr, OsString};
use std::path::Path;

use serde_json::Value;
use signoff_core::disk::workspace::MAX_FILE_BYTES;
use signoff_core::quote::{self, one_line};
use signoff_sandbox::process::{Ended, Limits, Report};
use signoff_sandbox::shadow::{Launch, Origin, Shadow, run_fed};

use super::{PLAIN, ToolContext};
use crate::foreign::fenced;
use crate::hook::{
    Hook, HookAnswer, HookEvent, HookJudgement, HookScene, HookVerdict, HookedCall, MAX_CONTEXT,
    MAX_FILES, named, prompt_input,
};
use crate::shadow::{self, ShadowError};
use crate::tool::{PreparedCall, Reach, ToolOutput};

/// Bytes of a hook's output that are looked at.
const MAX_OUTPUT: usize = 64 * 1024;
/// Bytes of a hook's reason in the line for the user.
const MAX_SUMMARY: usize = 80;

/// What hooks say to the user.
type SayOnce<'a> = &'a dyn Fn(String);

impl ToolContext<'_> {
    /// Runs a call between its hooks. Before it they are asked, unless they have had the user asked about it. An error
    /// says why the user is to be asked first.
    pub(crate) fn run_hooked(
        &self,
        call: &PreparedCall,
        say: SayOnce<'_>,
    ) -> Result<ToolOutput, String> {
        let mut judgement = HookJudgement::none();
        if call.asks_hooks() {
            let event = HookEvent::PreToolUse;
            let hooked = call.hooked();
            let files = hooked.files();
            if files > MAX_FILES && !self.hooks_about(event, &hooked).is_empty() {
                let content = format!(
                    "refused: hooks are asked about {MAX_FILES} files of one call, and this one has {files}. Nothing was \
                     changed. Make several calls."
                );
                return Ok(ToolOutput::failed(content, "too many files for a hook"));
            }
            judgement = self.judge_call(event, &hooked, None, say, None);
        }
        let by = &judgement.by;
        match &judgement.verdict {
            HookVerdict::None => {}
            HookVerdict::Ask(why) => {
                let why = Some(why.as_str()).filter(|why| !why.is_empty());
                let why = why.unwrap_or("no reason given");
                return Err(format!("{by} asks you to look at this call: {why}"));
            }
            HookVerdict::Deny(why) => return Ok(denied(by, why)),
            HookVerdict::Stopped => return Ok(self.cut_short()),
        }
        let mut output = call.run(self);
        output.content += &judgement.context;
        self.tell_hooks(call, &mut output, say);
        Ok(output)
    }

    /// Tells the hooks of a call that did what was asked, and stages what they change after an edit.
    fn tell_hooks(&self, call: &PreparedCall, output: &mut ToolOutput, say: SayOnce<'_>) {
        if !output.ok {
            return;
        }
        let content = output.content.clone();
        let (event, hooked) = (HookEvent::PostToolUse, call.hooked());
        let is_edit = call.reach() == Reach::Stage && !output.staged.is_empty();
        let edit = is_edit.then_some(&mut *output);
        let judgement = self.judge_call(event, &hooked, Some(&content), say, edit);
        if judgement.verdict != HookVerdict::Stopped {
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
        let hooks = self.ground.hooks();
        let asked = hooks.map(|hooks| hooks.in_force(HookEvent::UserPromptSubmit));
        let input = prompt_input(self.scene(), prompt);
        let asked = asked.into_iter().flatten().collect();
        let HookJudgement {
            verdict,
            by,
            context,
        } = self.judge(asked, &[input], say, None);
        match verdict {
            HookVerdict::None | HookVerdict::Ask(_) => Ok(context.trim_start().to_owned()),
            HookVerdict::Deny(why) => {
                let why = one_line(&why, MAX_OUTPUT);
                Err(Some(format!("{by} refuses the prompt: {why}")))
            }
            HookVerdict::Stopped => Err(None),
        }
    }

    /// Returns the hooks that are asked at an event about a call.
    fn hooks_about(&self, event: HookEvent, call: &HookedCall<'_>) -> Vec<&Hook> {
        let hooks = self.ground.hooks();
        hooks.map_or_else(Vec::new, |hooks| hooks.asked(event, &call.names()))
    }

    fn judge_call(
        &self,
        event: HookEvent,
        call: &HookedCall<'_>,
        response: Option<&str>,
        say: SayOnce<'_>,
        edit: Option<&mut ToolOutput>,
    ) -> HookJudgement {
        let asked = self.hooks_about(event, call);
        if asked.is_empty() {
            return HookJudgement::none();
        }
        let mut inputs = call.inputs(event, self.scene(), response);
        inputs.truncate(MAX_FILES);
        self.judge(asked, &inputs, say, edit)
    }

    /// Asks hooks one after the other, each about one input after the other. What one changes after an edit is staged.
    fn judge(
        &self,
        asked: Vec<&Hook>,
        inputs: &[Value],
        say: SayOnce<'_>,
        mut edit: Option<&mut ToolOutput>,
    ) -> HookJudgement {
        let mut judgement = HookJudgement::none();
        let origin = if edit.is_some() {
            Origin::HooksAfterEdits
        } else {
            Origin::Hooks
        };
        let hooks = asked.into_iter();
        for (hook, input) in hooks.flat_map(|hook| inputs.iter().map(move |input| (hook, input))) {
            let (report, shadow) = match self.run_hook(hook, origin, input) {
                Ok(ran) => ran,
                Err(error) => {
                    let why = format!("cannot be run, and work goes on as without it: {error}");
                    self.say(hook, &why, say);
                    continue;
                }
            };
            let (out, err) = (report.out.text(), report.err.text());
            let answer = HookAnswer::read(hook.event, report.ended, &out, &err);
            for remark in &answer.remarks {
                self.say(hook, remark, say);
            }
            if !judgement.take(hook, answer) {
                break;
            }
            let Some(output) = edit.as_deref_mut() else {
                continue;
            };
            if report.ended == Ended::TimedOut {
                continue;
            }
            match self.stage_hook(hook, &shadow, output) {
                Ok(told) => judgement.context += &told,
                Err(error) => self.say(hook, &format!("changed files in vain: {error}"), say),
            }
        }
        judgement
    }

    fn scene(&self) -> HookScene<'_> {
        let (setup, _) = self.ground.shadow();
        HookScene {
            session: self.conversation.id(),
            // Without a shadow no hook runs that could read it.
            root: setup.map_or(Path::new(""), |setup| &setup.root),
        }
    }

    /// Runs a hook in the shadow on the workspace as staged.
    fn run_hook(
        &self,
        hook: &Hook,
        origin: Origin,
        input: &Value,
    ) -> Result<(Report, Shadow), ShadowError> {
        let (setup, policy) = self.ground.shadow();
        let setup = setup.ok_or_else(|| std::io::Error::from(std::io::ErrorKind::Unsupported))?;
        let setup = shadow::hiding(setup, policy, self.ground.engine())?;
        let mut shadow = Shadow::open(setup, origin)?;
        let seen = self.ground.lock().for_program()?;
        shadow.stage(seen)?;
        let words = [OsString::from("-c"), hook.command.clone().into()];
        let root = shadow.root().to_string_lossy().into_owned();
        let own = [("CLAUDE_PROJECT_DIR", root.as_str())];
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
        Ok(run_fed(
            shadow,
            &launch,
            input.to_string().into_bytes(),
            limits,
            stop,
        )?)
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
        let repository = collected.git.remarks().into_iter();
        let repository = repository.map(|remark| format!("\n\n{}: {remark}", named(hook)));
        let repository: String = repository.collect();
        let edited = output.staged.iter().map(|view| view.id).collect();
        let mut engine = self.ground.lock();
        let staged = shadow::stage(
            &mut engine,
            collected,
            (hook.command.clone(), edited),
            self.origin(),
            Some(self.call.changeset),
        )?;
        output.deeds.rewritten.extend(staged.rewritten);
        if staged.proposals.is_empty() {
            return Ok(repository);
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
        Ok(told + &repository)
    }
}

fn denied(hook: &str, why: &str) -> ToolOutput {
    let head = format!("refused by {hook}, in its own words");
    let content = fenced(&head, why, MAX_CONTEXT) + "\nIt was not run, and nothing was changed.";
    let summary = format!("refused by a hook: {}", one_line(why, MAX_SUMMARY));
    ToolOutput::failed(content, summary)
}
