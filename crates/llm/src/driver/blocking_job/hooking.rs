//! A call with its hooks.
//!
//! In: a call, and whether hooks have spoken on it. Out: its answer, or why the user is to be asked about it first.

use std::time::Duration;

use crate::tool::{Ground, PreparedCall, ToolContext, ToolOutput};

/// Whether hooks are asked before a call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::driver) enum Hooking {
    /// They are.
    Asks,
    /// They were, had the user asked, and the user allowed the call.
    Answered,
}

/// Returns how long the hooks of a call may take beside the call.
pub(super) fn time(ground: &Ground, call: &PreparedCall) -> Duration {
    let Some(hooks) = ground.hooks() else {
        return Duration::ZERO;
    };
    let hooked = call.hooked();
    let files = u32::try_from(hooked.files().min(crate::hook::MAX_FILES)).unwrap_or(u32::MAX);
    hooks.longest(&hooked.names()).saturating_mul(files)
}

/// Runs a call between its hooks, or returns why the user is to be asked about it.
#[cfg(target_os = "linux")]
pub(super) fn run(
    context: &ToolContext<'_>,
    call: &PreparedCall,
    hooking: Hooking,
    say: &dyn Fn(String),
) -> Result<ToolOutput, String> {
    use crate::tool::HookConsent;

    let told = match hooking {
        Hooking::Answered => String::new(),
        Hooking::Asks => match context.ask_hooks(call, say) {
            HookConsent::Runs(told) => told,
            HookConsent::Denied(output) => return Ok(output),
            HookConsent::Asks(why) => return Err(why),
        },
    };
    let mut output = call.run(context);
    output.content += &told;
    context.tell_hooks(call, &mut output, say);
    Ok(output)
}

/// Runs a call. There is no shadow here that hooks could run in.
#[cfg(not(target_os = "linux"))]
pub(super) fn run(
    context: &ToolContext<'_>,
    call: &PreparedCall,
    _hooking: Hooking,
    _say: &dyn Fn(String),
) -> Result<ToolOutput, String> {
    Ok(call.run(context))
}

/// Returns what hooks add to a prompt, or why it is not sent.
#[cfg(target_os = "linux")]
pub(in crate::driver) fn judge(
    context: &ToolContext<'_>,
    prompt: &str,
    say: &dyn Fn(String),
) -> Result<String, Option<String>> {
    context.judge_prompt(prompt, say)
}

/// Returns that hooks add nothing: there is no shadow here that they could run in.
#[cfg(not(target_os = "linux"))]
pub(in crate::driver) fn judge(
    _context: &ToolContext<'_>,
    _prompt: &str,
    _say: &dyn Fn(String),
) -> Result<String, Option<String>> {
    Ok(String::new())
}
