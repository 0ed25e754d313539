//! Resources and prompts of servers that a prompt names: `@server:address`, and `/server:prompt words`.
//!
//! In: what the user typed. Out: the text of each, bounded and marked as foreign, with the images in it, or why there is none.

use signoff_core::budget::Stop;
use signoff_llm::foreign::{ForeignAnswer, ForeignServers};
use signoff_llm::mention;

/// Resources that a prompt is given.
const MOST_RESOURCES: usize = 4;

/// Returns what a prompt names of servers.
pub(crate) fn named(servers: &dyn ForeignServers, typed: &str) -> Vec<ForeignAnswer> {
    let stop = Stop::default();
    let mut told = Vec::new();
    if let Some((server, prompt, words)) = called(typed).filter(|(server, ..)| servers.has(server))
    {
        told.push(servers.prompt(server, prompt, words, &stop));
    }
    let mentions = mention::all(typed);
    let resources = mentions.iter().filter_map(|it| it.split_once(':'));
    let resources =
        resources.filter(|(server, address)| !address.is_empty() && servers.has(server));
    told.extend(
        resources
            .take(MOST_RESOURCES)
            .map(|(server, address)| servers.resource(server, address, &stop)),
    );
    told
}

/// Returns the server, the prompt and the words of a text that calls for a prompt.
fn called(typed: &str) -> Option<(&str, &str, &str)> {
    let line = typed.trim().strip_prefix('/')?;
    let (name, words) = line.split_once(char::is_whitespace).unwrap_or((line, ""));
    let (server, prompt) = name.split_once(':')?;
    Some((server, prompt, words.trim()))
}

#[cfg(test)]
mod tests {
    use signoff_llm::foreign::{ForeignCall, KnownTool, ServerRequest, ServersReport};

    use super::*;

    /// Servers with one, `s`, that answers with what it was asked for.
    struct Echo;

    fn answer(content: String) -> ForeignAnswer {
        ForeignAnswer {
            content,
            ok: true,
            summary: String::new(),
            images: Vec::new(),
        }
    }

    impl ForeignServers for Echo {
        fn listing(&self) -> String {
            String::new()
        }

        fn has(&self, server: &str) -> bool {
            server == "s"
        }

        fn known(&self, _tool: &str) -> Option<KnownTool> {
            None
        }

        fn find(&self, _words: &str, _stop: &Stop) -> ForeignAnswer {
            answer(String::new())
        }

        fn call(&self, _call: &ForeignCall, _stop: &Stop) -> ForeignAnswer {
            answer(String::new())
        }

        fn resource(&self, _server: &str, address: &str, _stop: &Stop) -> ForeignAnswer {
            answer(format!("resource {address}"))
        }

        fn prompt(&self, _server: &str, prompt: &str, words: &str, _stop: &Stop) -> ForeignAnswer {
            answer(format!("prompt {prompt} of {words}"))
        }

        fn trust_question(&self, _server: &str) -> Option<signoff_llm::trust::TrustQuestion> {
            None
        }

        fn answer_trust(&self, _server: &str, _is_allowed: bool) -> ServersReport {
            ServersReport::default()
        }

        fn report(&self, _request: &ServerRequest, _stop: &Stop) -> ServersReport {
            ServersReport::default()
        }
    }

    #[test]
    fn resources_and_prompts_are_named_as_files_and_commands_are() {
        for (typed, expected) in [
            (
                "explain @s:note://a/b, please",
                &["resource note://a/b"][..],
            ),
            (
                "`@s:note://a?b=c d` and @s:x",
                &["resource note://a?b=c d", "resource x"],
            ),
            ("/s:greet Ada  and all", &["prompt greet of Ada  and all"]),
            ("@other:x me@s:x @s: @src/s.rs:12 /other:x", &[]),
            ("what is /s:greet", &[]),
        ] {
            let told: Vec<String> = named(&Echo, typed)
                .into_iter()
                .map(|answer| answer.content)
                .collect();
            assert_eq!(told, expected, "{typed}");
        }
    }
}
