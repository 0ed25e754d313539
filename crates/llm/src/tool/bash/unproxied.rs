//! Look-ups that a program made itself, where only a proxy finds hosts.
//!
//! In: what a program printed, and the hosts that it asked the proxy for. Out: what to do, in one line, if it says itself that it
//! looked up a name of which the proxy heard nothing. Node does so before version 24, and its errors are alike in all programs:
//!
//! ```text
//! Error: getaddrinfo EAI_AGAIN a.example      no request for a.example   ->   it used no proxy
//! npm error request to https://a.example      refused: a.example:443     ->   nothing: the refusal says why
//! ```

use signoff_sandbox::network::{HostTraffic, Target};

/// How Node says that it found no address: there is none to ask, or that one knows none.
const FAILED: [&str; 2] = ["getaddrinfo EAI_AGAIN ", "getaddrinfo ENOTFOUND "];

/// Returns what to do about a host that a program looked up itself.
pub(super) fn unproxied(printed: [&str; 2], traffic: &[HostTraffic]) -> Option<String> {
    let names = printed.iter().flat_map(|text| looked_up(text));
    let mut unknown = names.filter(|name| !traffic.iter().any(|known| known.host == *name));
    let host = unknown.next()?;
    Some(format!(
        "the program looked {host} up itself, which nothing here answers, and did not use the proxy of $HTTPS_PROXY: Node \
         before version 24 uses none by itself; run it with Node 24 or later, or have it use a proxy agent, or download \
         with `curl` or `npm`"
    ))
}

/// Returns the hosts of which Node says in a text that it found none, as rules write them.
fn looked_up(text: &str) -> impl Iterator<Item = String> + '_ {
    let starts = FAILED.iter().flat_map(|failed| text.match_indices(failed));
    starts.filter_map(|(at, failed)| {
        let rest = text.get(at + failed.len()..)?;
        let name = rest
            .split(|c: char| c.is_whitespace() || ",;'\")".contains(c))
            .next()?;
        // Any port: what is read is how the name is spelt.
        let name = name.split(':').next()?;
        let target = Target::new(name, 443).ok()?;
        (target.ip().is_none() && name != "localhost").then(|| target.host())
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use signoff_sandbox::network::Verdict;

    fn asked_for(host: &str) -> HostTraffic {
        HostTraffic {
            host: host.to_owned(),
            port: 443,
            connections: 0,
            refused: 1,
            sent: 0,
            received: 0,
            verdict: Verdict::Refused { why: String::new() },
        }
    }

    #[test]
    fn a_name_that_the_proxy_never_heard_was_looked_up_without_it() {
        let traffic = [asked_for("known.example")];
        for (printed, expected) in [
            (
                "Error: getaddrinfo EAI_AGAIN a.example.org\n    at x",
                Some("a.example.org"),
            ),
            (
                "getaddrinfo ENOTFOUND A.Example.org.",
                Some("a.example.org"),
            ),
            ("getaddrinfo ENOTFOUND a.example:443", Some("a.example")),
            (
                "getaddrinfo EAI_AGAIN known.example, getaddrinfo EAI_AGAIN b.example",
                Some("b.example"),
            ),
            // The proxy heard of it, so that its refusal is what is to be read.
            ("getaddrinfo EAI_AGAIN known.example", None),
            ("getaddrinfo EAI_AGAIN localhost", None),
            ("connect ECONNREFUSED 127.0.0.1:5432", None),
            ("curl: (6) Could not resolve host: a.example", None),
            ("getaddrinfo EAI_AGAIN \u{1b}[31m", None),
            ("getaddrinfo EAI_AGAIN", None),
            ("", None),
        ] {
            for both in [[printed, ""], ["", printed]] {
                let said = unproxied(both, &traffic);
                let host = said.as_deref().and_then(|said| said.split(' ').nth(3));
                assert_eq!(host, expected, "{printed}");
            }
        }
    }
}
