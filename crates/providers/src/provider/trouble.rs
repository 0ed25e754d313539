//! Faults of answers and their remedies, as one table.
//!
//! In: why there is no whole answer, and whether any of it had come. Out: the kind of trouble,
//! its remedy, and what the user can do. `docs/faults.md` is this table in print, held to it
//! by a test.

use super::ProviderError;

/// What is wrong with an answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Trouble {
    /// No connection stands.
    Unreachable,
    /// The server's certificate is not trusted.
    Untrusted,
    /// The server is there and its model is not yet.
    Loading,
    /// The server has too much to do, or this user asked too often.
    Busy,
    /// The server failed.
    Failing,
    /// The connection ended, or nothing came for too long.
    BrokenOff,
    /// What came is no answer.
    Garbled,
    /// The request is longer than the model reads.
    Overflow,
    /// The model takes no tools.
    NoTools,
    /// There is no such model.
    NoModel,
    /// The key is not good for this.
    NotAllowed,
    /// The account is empty.
    Unpaid,
    /// The server refuses the request for another reason.
    Rejected,
    /// A recorded exchange has no answer.
    Replay,
}

/// What is done about it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Remedy {
    /// The same request goes out again after a pause, as [`super::retry`] says.
    Repeat,
    /// What came is kept, and the model is asked to go on.
    GoOn,
    /// The conversation is made shorter, and the model asked again.
    Compact,
    /// The model is asked again with the tools in words.
    InWords,
    /// The turn ends.
    Stop,
}

impl Trouble {
    /// Every kind, in the order of the page.
    pub const ALL: [Self; 14] = [
        Self::Unreachable,
        Self::Untrusted,
        Self::Loading,
        Self::Busy,
        Self::Failing,
        Self::BrokenOff,
        Self::Garbled,
        Self::Overflow,
        Self::NoTools,
        Self::NoModel,
        Self::NotAllowed,
        Self::Unpaid,
        Self::Rejected,
        Self::Replay,
    ];

    /// Returns what is wrong. Servers say it in status codes that differ and in words that are
    /// much alike, so the words go first.
    pub fn of(error: &ProviderError) -> Self {
        match error {
            ProviderError::Connect { detail, .. } if detail.contains(UNTRUSTED) => Self::Untrusted,
            ProviderError::Connect { .. } => Self::Unreachable,
            ProviderError::Status { code, message, .. } => refused(*code, &message.to_lowercase()),
            ProviderError::Cut { .. } => Self::BrokenOff,
            ProviderError::Malformed { .. } => Self::Garbled,
            ProviderError::Replay { .. } => Self::Replay,
        }
    }

    /// Returns what is done, given whether any of the answer had come.
    pub fn remedy(self, begun: bool) -> Remedy {
        match (self, begun) {
            (Self::Unreachable | Self::Loading | Self::Busy | Self::Failing, false) => {
                Remedy::Repeat
            }
            (Self::Unreachable | Self::Loading | Self::Busy | Self::Failing, true)
            | (Self::BrokenOff, _)
            | (Self::Garbled, true) => Remedy::GoOn,
            (Self::Overflow, _) => Remedy::Compact,
            (Self::NoTools, _) => Remedy::InWords,
            (Self::Garbled, false)
            | (
                Self::Untrusted
                | Self::NoModel
                | Self::NotAllowed
                | Self::Unpaid
                | Self::Rejected
                | Self::Replay,
                _,
            ) => Remedy::Stop,
        }
    }

    /// Returns what the user can do once the remedy did not help.
    pub fn hint(self) -> &'static str {
        match self {
            Self::Unreachable => {
                "is the server running, and is its address right? `signoff doctor` tells what is \
                 reachable"
            }
            Self::Untrusted => {
                "the server's certificate is not trusted: `ca_file` in the configuration names the \
                 certificate of who does"
            }
            Self::Loading => "the model is still loading; ask again when it is there",
            Self::Busy => "the server wants a pause; ask again later",
            Self::Failing => "the server failed; ask again",
            Self::BrokenOff => "its text is kept and none of its calls were run; ask again",
            Self::Garbled => "is there a chat server at this address? ask again",
            Self::Overflow => {
                "the conversation is longer than the model reads: /compact makes it shorter, /new \
                 begins another"
            }
            Self::NoTools => "this model takes no tools: choose another",
            Self::NoModel => {
                "check the model's name and the server's address; `signoff doctor` lists what the \
                 server offers"
            }
            Self::NotAllowed => {
                "check the key and what it may be used for: `signoff doctor` says whether one is set, \
                 `signoff setup` names another"
            }
            Self::Unpaid => "the account has no credit left, or its quota is used up",
            Self::Rejected => "the server does not take this request",
            Self::Replay => "record the exchange again",
        }
    }
}

/// Returns how many tokens the model reads, where a server says so in its refusal.
pub fn context_in(error: &ProviderError) -> Option<u64> {
    const BEFORE: [&str; 5] = [
        "context length is ",
        "context size (",
        "context size is ",
        "tokens > ",
        "tokens allowed (",
    ];
    let ProviderError::Status { message, .. } = error else {
        return None;
    };
    let message = message.to_lowercase();
    BEFORE
        .into_iter()
        .find_map(|before| number_after(&message, before))
        .filter(|tokens| *tokens > 0)
}

/// Returns the number right behind some words, as 8192 in `context length is 8,192 tokens`.
fn number_after(message: &str, words: &str) -> Option<u64> {
    let (_, rest) = message.split_once(words)?;
    let end = rest
        .find(|c: char| !c.is_ascii_digit() && c != ',')
        .unwrap_or(rest.len());
    rest.get(..end)?.replace(',', "").parse().ok()
}

fn refused(code: u16, message: &str) -> Trouble {
    let passes = matches!(code, 408 | 429 | 503 | 529);
    if !passes && says(message, &OVERFLOW) {
        Trouble::Overflow
    } else if code == 402 || says(message, &UNPAID) {
        Trouble::Unpaid
    } else if matches!(code, 401 | 403) {
        Trouble::NotAllowed
    } else if !passes && message.contains("tool") && says(message, &UNSUPPORTED) {
        Trouble::NoTools
    } else if code == 404 || (message.contains("model") && says(message, &UNKNOWN)) {
        Trouble::NoModel
    } else if code == 503 && message.contains("loading") {
        Trouble::Loading
    } else if matches!(code, 408 | 429 | 529) || message.contains("overloaded") {
        Trouble::Busy
    } else if matches!(code, 500 | 502..=504 | 506..=599) {
        Trouble::Failing
    } else {
        Trouble::Rejected
    }
}

fn says(message: &str, words: &[&str]) -> bool {
    words.iter().any(|word| message.contains(word))
}

/// What the TLS library says first of a certificate that it does not take.
const UNTRUSTED: &str = "invalid peer certificate";
const OVERFLOW: [&str; 10] = [
    "context_length_exceeded",
    "exceed_context_size",
    "context length",
    "context size",
    "context window",
    "maximum context",
    "prompt is too long",
    "input is too long",
    "input token count",
    "too many input tokens",
];
const UNPAID: [&str; 3] = ["insufficient_quota", "current quota", "credit balance"];
const UNSUPPORTED: [&str; 6] = [
    "not support",
    "unsupported",
    "no endpoints found",
    "--jinja",
    "enable-auto-tool-choice",
    "not allowed",
];
const UNKNOWN: [&str; 6] = [
    "not found",
    "not exist",
    "unknown model",
    "no such model",
    "invalid model",
    "not a valid model",
];

#[cfg(test)]
mod tests {
    use std::fmt::Write;

    use super::*;

    fn status(code: u16, message: &str) -> ProviderError {
        ProviderError::Status {
            code,
            message: message.to_owned(),
            retry_after: None,
        }
    }

    /// What servers say, by kind of trouble.
    const SAID: [(Trouble, u16, &str); 27] = [
        (Trouble::Loading, 503, "Loading model"),
        (Trouble::Busy, 408, "request timeout"),
        (Trouble::Busy, 429, "Rate limit reached for requests"),
        (
            Trouble::Busy,
            429,
            "too many requests; tools are not supported",
        ),
        (Trouble::Busy, 529, "Overloaded"),
        (Trouble::Busy, 500, "overloaded_error: Overloaded"),
        (Trouble::Failing, 500, "internal server error"),
        (Trouble::Failing, 502, "bad gateway"),
        (Trouble::Failing, 503, "service unavailable"),
        (
            Trouble::Overflow,
            400,
            "This model's maximum context length is 8192 tokens. However, your messages resulted in 9001 tokens.",
        ),
        (
            Trouble::Overflow,
            400,
            "request (5034 tokens) exceeds the available context size (4096 tokens), try increasing it",
        ),
        (
            Trouble::Overflow,
            400,
            "prompt is too long: 209000 tokens > 200000 maximum",
        ),
        (
            Trouble::Overflow,
            400,
            "The input token count (1200000) exceeds the maximum number of tokens allowed (1048576).",
        ),
        (
            Trouble::NoTools,
            400,
            "registry.ollama.ai/library/tinyllama does not support tools",
        ),
        (Trouble::NoTools, 500, "tools param requires --jinja flag"),
        (
            Trouble::NoTools,
            400,
            "\"auto\" tool choice requires --enable-auto-tool-choice and --tool-call-parser to be set",
        ),
        (
            Trouble::NoTools,
            404,
            "No endpoints found that support tool use",
        ),
        (
            Trouble::NoModel,
            404,
            "model \"nope\" not found, try pulling it first",
        ),
        (Trouble::NoModel, 404, "not found"),
        (Trouble::NoModel, 400, "The model `gpt-9` does not exist"),
        (Trouble::NotAllowed, 401, "no such key"),
        (Trouble::NotAllowed, 403, "your key may not use this model"),
        (
            Trouble::Unpaid,
            429,
            "You exceeded your current quota, please check your plan and billing details.",
        ),
        (
            Trouble::Unpaid,
            400,
            "Your credit balance is too low to access the API.",
        ),
        (Trouble::Rejected, 400, "messages: roles must alternate"),
        (
            Trouble::Rejected,
            422,
            "tool_use ids were found without tool_result blocks",
        ),
        (Trouble::Rejected, 301, "moved"),
    ];

    #[test]
    fn servers_are_understood() {
        for (trouble, code, message) in SAID {
            assert_eq!(Trouble::of(&status(code, message)), trouble, "{message}");
        }
    }

    #[test]
    fn a_refusal_may_say_how_much_the_model_reads() {
        let said: Vec<Option<u64>> = SAID
            .iter()
            .filter(|(trouble, ..)| *trouble == Trouble::Overflow)
            .map(|(_, code, message)| context_in(&status(*code, message)))
            .collect();
        assert_eq!(
            said,
            [Some(8192), Some(4096), Some(200_000), Some(1_048_576)]
        );
        assert_eq!(context_in(&status(400, "context window exceeded")), None);
    }

    #[test]
    fn a_certificate_is_not_asked_for_again() {
        assert_eq!(
            trouble_of("invalid peer certificate: UnknownIssuer"),
            Trouble::Untrusted
        );
        assert_eq!(trouble_of("connection refused"), Trouble::Unreachable);
        assert_eq!(Trouble::Untrusted.remedy(false), Remedy::Stop);
    }

    fn trouble_of(detail: &str) -> Trouble {
        Trouble::of(&ProviderError::Connect {
            url: "https://host".to_owned(),
            detail: detail.to_owned(),
        })
    }

    fn known(trouble: Trouble) -> &'static str {
        match trouble {
            Trouble::Untrusted => {
                "a certificate that no trusted authority has signed, or for another name"
            }
            Trouble::Unreachable => "no connection: refused, no such host, no connection in 10 s",
            Trouble::Loading => "503 that speaks of loading",
            Trouble::Busy => "408, 429, 529, or the word overloaded",
            Trouble::Failing => "500, 502 to 504, 506 and above",
            Trouble::BrokenOff => {
                "the connection ends or falls silent (180 s; 600 s before the first byte) before \
                 the answer is whole"
            }
            Trouble::Garbled => "no event stream, no JSON, a web page, an event over 32 MiB",
            Trouble::Overflow => "words of a context that is too small, in any refusal",
            Trouble::NoTools => "words of tools that are not supported",
            Trouble::NoModel => "404, or words of a model that is not known",
            Trouble::NotAllowed => "401, 403",
            Trouble::Unpaid => "402, or words of a quota or a credit",
            Trouble::Rejected => "every other refusal",
            Trouble::Replay => "the script of `--replay` has no such line",
        }
    }

    fn done(remedy: Remedy) -> &'static str {
        match remedy {
            Remedy::Repeat => "sent again after a pause",
            Remedy::GoOn => "text is kept, no call of it is run, the model goes on",
            Remedy::Compact => "the conversation is compacted, then asked again",
            Remedy::InWords => "asked again with the tools in words",
            Remedy::Stop => "the turn ends",
        }
    }

    fn page() -> String {
        let mut page = String::from(
            "# Faults\n\
             \n\
             What can be wrong with an answer, and what is done about it. Printed from\n\
             `crates/providers/src/provider/trouble.rs`, whose test compares it with this page.\n\
             \n\
             | trouble | known by | nothing had come | something had come | what the user is advised |\n\
             |---|---|---|---|---|\n",
        );
        for trouble in Trouble::ALL {
            let _ = writeln!(
                page,
                "| {trouble:?} | {} | {} | {} | {} |",
                known(trouble),
                done(trouble.remedy(false)),
                done(trouble.remedy(true)),
                trouble.hint(),
            );
        }
        page.push_str(
            "\n\
             A pause is 0.5 s, then twice the one before, or what the server asks for with `Retry-After`; one of\n\
             more than 30 s is told instead. There are four attempts; while a model loads, one every 2 s for two\n\
             minutes. Every repetition is named on the screen at once, with its reason, attempt and pause, and a\n\
             server that says nothing for 10 s is named too, with the key that asks again. Times can be\n\
             [configured](config.md#wait).\n\
             \n\
             In one turn the model is asked at most twice to go on, and once after the conversation was compacted; a\n\
             model is asked once with the tools in words. Then the turn ends with the server's words and the advice above.\n\
             Calls of an answer that broke off are not in the conversation, so none is made twice.\n\
             \n\
             An escape for half of a character (`\\ud800` alone), as servers send it that cut an answer within an emoji, is no\n\
             fault: it becomes U+FFFD, and the rest of the answer stands.\n\
             \n\
             A call that takes longer than 20 s, or more work than a request has, is stopped: nothing of it is staged, the\n\
             model is told to ask for less, and the turn goes on. Esc stops a call at once.\n",
        );
        page
    }

    #[test]
    fn the_page_is_the_table() {
        let printed = include_str!("../../../../docs/faults.md");
        let page = page();
        assert_eq!(printed, page, "docs/faults.md should read:\n\n{page}");
    }

    #[test]
    fn nothing_is_repeated_as_it_was_once_something_came() {
        for trouble in Trouble::ALL {
            assert_ne!(trouble.remedy(true), Remedy::Repeat, "{trouble:?}");
        }
    }
}
