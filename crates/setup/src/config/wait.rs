//! Time limits: the table `[wait]` of the user's file.
//!
//! In: seconds, each left out or from a thousandth to a day. Out: the limits of a server, the
//! pauses between attempts, and when a silence is worth a word.

use std::time::Duration;

use serde::Deserialize;
use serde::de::{Deserializer, Error as _};
use signoff_llm::provider::http::{Server, Timeouts};
use signoff_llm::provider::retry::Schedule;

/// How long `doctor` looks for a server.
const LOOK: Duration = Duration::from_secs(5);

/// What is configured; everything else waits as long as without a table.
#[derive(Clone, Copy, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Wait {
    /// For the connection; 10 without it.
    connect: Option<Seconds>,
    /// For the answer to begin; a local model reads the whole request before; 600 without it.
    begin: Option<Seconds>,
    /// For the next piece of an answer; 180 without it.
    next: Option<Seconds>,
    /// Until you are told of a server that says nothing; 10 without it.
    silence: Option<Seconds>,
    /// Before a request that failed is sent again the first time; 0.5 without it.
    pause: Option<Seconds>,
    /// For all that `signoff doctor` asks of one server; 5 without it.
    doctor: Option<Seconds>,
}

#[derive(Clone, Copy, Debug)]
struct Seconds(Duration);

impl Wait {
    /// Returns the server, waited for as long as is configured.
    pub(crate) fn of(self, server: Server) -> Server {
        let server = server.with_timeouts(self.timeouts());
        server.with_schedule(self.schedule())
    }

    /// Returns how long a server is waited for.
    pub(crate) fn timeouts(self) -> Timeouts {
        let usual = Timeouts::default();
        Timeouts {
            connect: or(self.connect, usual.connect),
            first: or(self.begin, usual.first),
            idle: or(self.next, usual.idle),
            closing: or(self.next, usual.closing).min(usual.closing),
        }
    }

    /// Returns how long `doctor` looks for a server.
    pub fn look(self) -> Duration {
        or(self.doctor, LOOK)
    }

    /// Returns the same with nothing longer than a look.
    pub fn hurried(self) -> Self {
        let look = self.look();
        let usual = self.timeouts();
        let [connect, begin, next] =
            [usual.connect, usual.first, usual.idle].map(|usual| Some(Seconds(usual.min(look))));
        Self {
            connect,
            begin,
            next,
            ..self
        }
    }

    /// Returns when failed requests are sent again.
    pub(crate) fn schedule(self) -> Schedule {
        let usual = Schedule::default();
        let base = or(self.pause, usual.base);
        Schedule {
            base,
            cap: usual.cap.max(base),
            ..usual
        }
    }

    /// Returns the pause after an answer that broke off, if it is not the usual one.
    pub(crate) fn pause(self) -> Option<Duration> {
        self.pause.map(|seconds| seconds.0)
    }

    /// Returns after how long the user is told of a server that says nothing, if it is not the
    /// usual time.
    pub(crate) fn silence(self) -> Option<Duration> {
        self.silence.map(|seconds| seconds.0)
    }
}

fn or(configured: Option<Seconds>, usual: Duration) -> Duration {
    configured.map_or(usual, |seconds| seconds.0)
}

impl<'de> Deserialize<'de> for Seconds {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        const DAY: f64 = 86_400.0;
        let seconds = f64::deserialize(from)?;
        if (0.001..=DAY).contains(&seconds) {
            Ok(Self(Duration::from_secs_f64(seconds)))
        } else {
            Err(D::Error::custom(format!(
                "{seconds} is no time to wait: give seconds from 0.001 to {DAY}"
            )))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(text: &str) -> Result<Wait, toml::de::Error> {
        toml::from_str(text)
    }

    #[test]
    fn what_is_left_out_stays_as_it_is() {
        let none = parse("").unwrap();
        assert_eq!(none.timeouts(), Timeouts::default());
        assert_eq!(none.schedule(), Schedule::default());
        assert_eq!((none.pause(), none.silence()), (None, None));
        let some = parse("connect = 3\nnext = 0.25\npause = 20").unwrap();
        let expected = Timeouts {
            connect: Duration::from_secs(3),
            idle: Duration::from_millis(250),
            closing: Duration::from_millis(250),
            ..Timeouts::default()
        };
        assert_eq!(some.timeouts(), expected);
        let pauses = some.schedule();
        assert_eq!([pauses.base, pauses.cap], [Duration::from_secs(20); 2]);
        let hurried = parse("connect = 1\nnext = 9\ndoctor = 2")
            .unwrap()
            .hurried();
        let expected = Timeouts {
            connect: Duration::from_secs(1),
            first: Duration::from_secs(2),
            idle: Duration::from_secs(2),
            closing: Duration::from_secs(2),
        };
        assert_eq!(hurried.timeouts(), expected);
    }

    #[test]
    fn what_is_no_time_is_an_error() {
        for text in [
            "connect = 0",
            "begin = -1",
            "next = 1e9",
            "next = nan",
            "silence = 'long'",
            "word = 1",
        ] {
            assert!(parse(text).is_err(), "{text}");
        }
    }
}
