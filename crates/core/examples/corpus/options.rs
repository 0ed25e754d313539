//! The command line.

use std::path::PathBuf;

use signoff_core::edit::guard::Guards;

use crate::case::Class;
use crate::format::Format;
use crate::judge::Verdict;

/// What is asked for.
pub(crate) struct Options {
    /// Where the packages are; without it, cargo's own sources.
    pub(crate) directory: Option<PathBuf>,
    /// Only this kind.
    pub(crate) kind: Option<String>,
    /// Only this format.
    pub(crate) format: Option<String>,
    /// Only classes whose names hold this.
    pub(crate) class: Option<String>,
    /// Where the random numbers start.
    pub(crate) seed: u64,
    /// So many cases of a class and format, times the class's weight.
    pub(crate) cases: usize,
    /// Which cases to print.
    pub(crate) show: Option<Show>,
    /// How many of them.
    pub(crate) limit: usize,
    /// Whether guards look at what is made, as they do before anything is staged.
    pub(crate) guards: Guards,
    /// True if each class is listed.
    pub(crate) classes: bool,
    /// Where to write the cases to print, or all, as JSON lines.
    pub(crate) dump: Option<PathBuf>,
}

/// Which cases are printed.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Show {
    Wrong,
    Refused,
    Failed,
    Correct,
}

/// How it is called.
pub(crate) const USAGE: &str = "\
corpus [DIR] [--kind clean|drift|noise|trap] [--format NAME] [--class TEXT] [--seed N]
       [--guards on|off] [--cases N] [--classes] [--show wrong|refused|failed|correct] [--limit N] [--dump FILE]

DIR holds NAME/VERSION/... trees of source packages, see fetch.sh; without it, the
packages that cargo keeps in two versions are taken. FILE becomes a line of JSON for each
case, or with --show for each that it takes.";

impl Options {
    /// Reads the arguments.
    pub(crate) fn parse(mut arguments: impl Iterator<Item = String>) -> Result<Self, String> {
        let mut options = Self {
            directory: None,
            kind: None,
            format: None,
            class: None,
            seed: 1,
            cases: 14,
            show: None,
            limit: 10,
            guards: Guards::On,
            classes: false,
            dump: None,
        };
        while let Some(argument) = arguments.next() {
            let mut value = || arguments.next().ok_or(format!("{argument} needs a value"));
            match argument.as_str() {
                "--kind" => options.kind = Some(value()?),
                "--format" => options.format = Some(value()?),
                "--class" => options.class = Some(value()?),
                "--seed" => options.seed = number(&value()?)?,
                "--cases" => options.cases = number(&value()?)?,
                "--limit" => options.limit = number(&value()?)?,
                "--show" => options.show = Some(Show::parse(&value()?)?),
                "--dump" => options.dump = Some(PathBuf::from(value()?)),
                "--guards" => {
                    options.guards = match value()?.as_str() {
                        "on" => Guards::On,
                        "off" => Guards::Off,
                        other => return Err(format!("--guards is on or off, not {other}")),
                    };
                }
                "--classes" => options.classes = true,
                other if other.starts_with('-') => return Err(format!("{other} is not known")),
                _ => options.directory = Some(PathBuf::from(argument)),
            }
        }
        Ok(options)
    }

    /// Returns whether such a case is asked for.
    pub(crate) fn asks_for(&self, class: &Class, format: Format) -> bool {
        self.kind
            .as_ref()
            .is_none_or(|kind| class.kind.name() == kind)
            && self
                .class
                .as_ref()
                .is_none_or(|part| class.name.contains(part.as_str()))
            && self
                .format
                .as_ref()
                .is_none_or(|name| format.name().starts_with(name.as_str()))
    }
}

impl Show {
    /// Returns whether cases with this verdict are printed.
    pub(crate) fn takes(self, verdict: Verdict) -> bool {
        match self {
            Self::Correct => verdict == Verdict::Correct,
            Self::Refused => verdict == Verdict::Refused,
            Self::Failed => verdict != Verdict::Correct,
            Self::Wrong => !matches!(verdict, Verdict::Correct | Verdict::Refused),
        }
    }

    fn parse(text: &str) -> Result<Self, String> {
        match text {
            "wrong" => Ok(Self::Wrong),
            "refused" => Ok(Self::Refused),
            "failed" => Ok(Self::Failed),
            "correct" => Ok(Self::Correct),
            _ => Err(format!("--show {text}: wrong, refused, failed or correct")),
        }
    }
}

fn number<T: std::str::FromStr>(text: &str) -> Result<T, String> {
    text.parse()
        .map_err(|_not_a_number| format!("{text} is no number"))
}
