//! `signoff engine`: edits on texts.
//!
//! In: JSON lines. Out: a JSON line for each, in order. No file is touched.

use std::io;

use signoff_core::edit::guard::Guards;
use signoff_core::engine::one_shot;
use signoff_core::syntax::SyntaxCache;

use super::Ending;
use super::jsonl::answer_all;
use crate::args::{EngineArgs, GuardsArg};

pub(super) fn run(args: &EngineArgs) -> anyhow::Result<Ending> {
    let guards = match args.guards {
        GuardsArg::On => Guards::On,
        GuardsArg::Off => Guards::Off,
    };
    let cache = SyntaxCache::default();
    answer_all(io::stdin().lock(), io::stdout(), |line| {
        one_shot(&cache, line, guards)
    })?;
    Ok(Ending::Done)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_line_is_answered_in_order() {
        let input = "{\"id\":1,\"path\":\"a\",\"before\":\"x\\n\",\"change\":{\"whole\":{\"content\":\"y\\n\"}}}\n\nnonsense\n";
        let mut output = Vec::new();
        answer_all(input.as_bytes(), &mut output, |line| {
            one_shot(&SyntaxCache::default(), line, Guards::On)
        })
        .unwrap();
        let answers: Vec<serde_json::Value> = String::from_utf8(output)
            .unwrap()
            .lines()
            .map(|line| serde_json::from_str(line).unwrap())
            .collect();
        assert_eq!(answers.len(), 2);
        assert_eq!(answers[0]["after"], "y\n");
        assert_eq!(answers[1]["status"], "invalid");
    }
}
