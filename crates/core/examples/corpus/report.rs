//! The tables.
//!
//! In: what was judged. Out: text: counts by kind and format, the commonest reasons, times.

use std::collections::BTreeMap;
use std::io::{self, Write};
use std::time::Duration;

use crate::case::Kind;
use crate::format::Format;
use crate::judge::{Judged, Verdict};

/// All that is counted.
#[derive(Default)]
pub(crate) struct Report {
    cells: BTreeMap<(Kind, Format), Counts>,
    classes: BTreeMap<(Kind, &'static str, Format), Counts>,
    reasons: BTreeMap<(Kind, &'static str, &'static str, Verdict, String), usize>,
    times: BTreeMap<Format, Vec<Duration>>,
}

#[derive(Clone, Copy, Default)]
struct Counts {
    correct: usize,
    wrong_place: usize,
    wrong_bytes: usize,
    misreported: usize,
    refused: usize,
}

impl Report {
    /// Counts one case.
    pub(crate) fn add(&mut self, kind: Kind, class: &'static str, format: Format, judged: &Judged) {
        let verdict = judged.verdict;
        self.cells.entry((kind, format)).or_default().add(verdict);
        self.classes
            .entry((kind, class, format))
            .or_default()
            .add(verdict);
        if verdict != Verdict::Correct {
            let key = (kind, class, format.name(), verdict, judged.reason.clone());
            *self.reasons.entry(key).or_default() += 1;
        }
        self.times.entry(format).or_default().push(judged.took);
    }

    /// Writes the table by kind and format, with the reasons and times below.
    pub(crate) fn write(&self, out: &mut impl Write, top: usize) -> io::Result<()> {
        heading(out, "kind", "format")?;
        for kind in Kind::ALL {
            let mut sum = Counts::default();
            for ((_, format), counts) in self.cells.iter().filter(|((of, _), _)| *of == kind) {
                row(out, kind.name(), format.name(), counts)?;
                sum.join(counts);
            }
            if sum.all() > 0 {
                row(out, kind.name(), "ALL", &sum)?;
                writeln!(out)?;
            }
        }
        self.write_reasons(out, top)?;
        self.write_times(out)
    }

    /// Writes a row for each class.
    pub(crate) fn write_classes(&self, out: &mut impl Write) -> io::Result<()> {
        heading(out, "class", "format")?;
        for ((kind, class, format), counts) in &self.classes {
            row(
                out,
                &format!("{}: {class}", kind.name()),
                format.name(),
                counts,
            )?;
        }
        writeln!(out)
    }

    fn write_reasons(&self, out: &mut impl Write, top: usize) -> io::Result<()> {
        let mut reasons: Vec<_> = self.reasons.iter().collect();
        reasons.sort_by_key(|(key, count)| (std::cmp::Reverse(**count), *key));
        writeln!(out, "commonest failures:")?;
        for ((kind, class, format, verdict, reason), count) in reasons.into_iter().take(top) {
            let kind = kind.name();
            writeln!(
                out,
                "{count:>5}  {kind}, {class}, {format}: {verdict:?}: {reason}"
            )?;
        }
        writeln!(out)
    }

    fn write_times(&self, out: &mut impl Write) -> io::Result<()> {
        writeln!(
            out,
            "{:<10}{:>12}{:>12}{:>12}",
            "time", "median ms", "p99 ms", "max ms"
        )?;
        for (format, times) in &self.times {
            let mut times = times.clone();
            times.sort_unstable();
            let at = |part: usize| {
                let place = (times.len() * part / 100).min(times.len().saturating_sub(1));
                times
                    .get(place)
                    .map_or(0.0, |time| time.as_secs_f64() * 1e3)
            };
            let (half, most, all) = (at(50), at(99), at(100));
            writeln!(
                out,
                "{:<10}{half:>12.2}{most:>12.2}{all:>12.2}",
                format.name()
            )?;
        }
        Ok(())
    }
}

fn heading(out: &mut impl Write, first: &str, second: &str) -> io::Result<()> {
    writeln!(
        out,
        "{first:<52}{second:<10}{:>7}{:>15}{:>13}{:>13}{:>13}{:>15}",
        "cases", "correct", "wrong place", "wrong bytes", "misreported", "refused"
    )
}

fn row(out: &mut impl Write, first: &str, second: &str, counts: &Counts) -> io::Result<()> {
    let all = counts.all();
    let part = |count: usize| format!("{count} {:>5.1}%", 100.0 * count as f64 / all.max(1) as f64);
    writeln!(
        out,
        "{first:<52}{second:<10}{all:>7}{:>15}{:>13}{:>13}{:>13}{:>15}",
        part(counts.correct),
        part(counts.wrong_place),
        part(counts.wrong_bytes),
        part(counts.misreported),
        part(counts.refused),
    )
}

impl Counts {
    fn add(&mut self, verdict: Verdict) {
        *match verdict {
            Verdict::Correct => &mut self.correct,
            Verdict::WrongPlace => &mut self.wrong_place,
            Verdict::WrongBytes => &mut self.wrong_bytes,
            Verdict::Misreported => &mut self.misreported,
            Verdict::Refused => &mut self.refused,
        } += 1;
    }

    fn join(&mut self, other: &Self) {
        self.correct += other.correct;
        self.wrong_place += other.wrong_place;
        self.wrong_bytes += other.wrong_bytes;
        self.misreported += other.misreported;
        self.refused += other.refused;
    }

    fn all(&self) -> usize {
        self.correct + self.wrong_place + self.wrong_bytes + self.misreported + self.refused
    }
}
