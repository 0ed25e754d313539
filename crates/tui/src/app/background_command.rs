//! `/bg`: what the user asks of background agents.
//!
//! ```text
//! /bg, /bg list              shows them on a page of their own
//! /bg rename a to b          starts one
//! /bg show 2                 prints the conversation of the second
//! /bg say 2 and the tests?   sends it another prompt
//! /bg stop 2                 ends it
//! ```
//!
//! In: what stands after the name. Out: a request. `list` alone is the command, and so are `show`, `say` and `stop`
//! before a number: a prompt may begin with the word.

/// What the user asks of background agents.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum BackgroundRequest {
    /// To list them.
    List,
    /// To start one with this prompt.
    Start(String),
    /// To print the conversation of one.
    Show(u32),
    /// To tell what one has said, for the page.
    Look(u32),
    /// To send one another prompt.
    Say(u32, String),
    /// To end one.
    Stop(u32),
}

impl BackgroundRequest {
    /// Reads what stands after `/bg`.
    pub(crate) fn read(text: &str) -> Self {
        let text = text.trim();
        let (word, rest) = split(text);
        let (number, prompt) = split(rest);
        match (word, number.parse(), prompt) {
            ("", ..) | ("list", _, "") if rest.is_empty() => Self::List,
            ("show", Ok(id), "") => Self::Show(id),
            ("stop", Ok(id), "") => Self::Stop(id),
            ("say", Ok(id), prompt) if !prompt.is_empty() => Self::Say(id, prompt.to_owned()),
            _ => Self::Start(text.to_owned()),
        }
    }
}

fn split(text: &str) -> (&str, &str) {
    match text.split_once(char::is_whitespace) {
        Some((word, rest)) => (word, rest.trim_start()),
        None => (text, ""),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_stands_after_the_name_is_a_request_or_a_prompt() {
        let start = |text: &str| BackgroundRequest::Start(text.to_owned());
        for (text, request) in [
            ("", BackgroundRequest::List),
            ("  ", BackgroundRequest::List),
            ("list", BackgroundRequest::List),
            ("list the callers", start("list the callers")),
            ("show 2", BackgroundRequest::Show(2)),
            ("stop  12", BackgroundRequest::Stop(12)),
            (
                "say 2  and more?",
                BackgroundRequest::Say(2, "and more?".to_owned()),
            ),
            ("say 2", start("say 2")),
            ("stop the server", start("stop the server")),
            ("show 2 files", start("show 2 files")),
            ("rename a to b", start("rename a to b")),
        ] {
            assert_eq!(BackgroundRequest::read(text), request, "{text:?}");
        }
    }
}
