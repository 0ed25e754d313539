//! Calls and prompts where there is no shadow that hooks could run in.
//!
//! In: a call, a prompt. Out: the call's answer; nothing is added to either.

use super::ToolContext;
use crate::tool::{PreparedCall, ToolOutput};

impl ToolContext<'_> {
    /// Runs a call, of which no hook knows.
    pub(crate) fn run_hooked(
        &self,
        call: &PreparedCall,
        _say: &dyn Fn(String),
    ) -> Result<ToolOutput, String> {
        Ok(call.run(self))
    }

    /// Returns that hooks add nothing to a prompt.
    pub(crate) fn judge_prompt(
        &self,
        _prompt: &str,
        _say: &dyn Fn(String),
    ) -> Result<String, Option<String>> {
        Ok(String::new())
    }
}
