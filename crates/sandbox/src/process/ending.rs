//! How a supervised program ended, as its supervisor reports it.

use std::fmt;
#[cfg(target_os = "linux")]
use std::io::Read;
use std::os::unix::process::ExitStatusExt;
use std::process::ExitStatus;
use std::str::FromStr;

use super::Ended;

/// Maximum size of a supervisor's report, in bytes.
#[cfg(target_os = "linux")]
const MAX_REPORT: u64 = 64;

/// How the program ended and how many processes it left behind, which were killed. Written as
/// `code signal strays`, with `-` for what there is not.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Ending {
    pub(crate) code: Option<i32>,
    pub(crate) signal: Option<i32>,
    pub(crate) strays: usize,
}

impl Ending {
    pub(crate) fn new(status: ExitStatus, strays: usize) -> Self {
        Self {
            code: status.code(),
            signal: status.signal(),
            strays,
        }
    }

    /// Reads a supervisor's report to its end; `None` if there is none.
    #[cfg(target_os = "linux")]
    pub(super) fn read(report: impl Read) -> Option<Self> {
        let mut text = String::new();
        report.take(MAX_REPORT).read_to_string(&mut text).ok()?;
        text.parse().ok()
    }
}

impl fmt::Display for Ending {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let number =
            |number: Option<i32>| number.map_or("-".to_owned(), |number| number.to_string());
        write!(
            f,
            "{} {} {}",
            number(self.code),
            number(self.signal),
            self.strays
        )
    }
}

impl FromStr for Ending {
    type Err = ();

    fn from_str(text: &str) -> Result<Self, ()> {
        let words: Vec<&str> = text.split(' ').collect();
        let [code, signal, strays] = words.as_slice() else {
            return Err(());
        };
        Ok(Self {
            code: status_number(code)?,
            signal: status_number(signal)?,
            strays: strays.parse().map_err(|_not_a_number| ())?,
        })
    }
}

fn status_number(word: &str) -> Result<Option<i32>, ()> {
    match word {
        "-" => Ok(None),
        word => word.parse().map(Some).map_err(|_not_a_number| ()),
    }
}

impl From<Ending> for Ended {
    fn from(ending: Ending) -> Self {
        match ending.code {
            Some(code) => Self::Exit(code),
            None => Self::Signal(ending.signal.unwrap_or_default()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_ending_is_read_as_it_is_written() {
        for (code, signal) in [(Some(0), None), (Some(255), None), (None, Some(9))] {
            let ending = Ending {
                code,
                signal,
                strays: 3,
            };
            assert_eq!(ending.to_string().parse(), Ok(ending));
        }
        for text in ["", "1", "1 -", "a - 0", "1 - -", "1 - 0 0"] {
            assert_eq!(text.parse::<Ending>(), Err(()), "{text:?}");
        }
    }
}
