//! Parser of the diff-match-patch text format.
//!
//! In: `@@ -12,8 +12,9 @@`, then runs of text that stay, go or come, with escapes as in
//! addresses; offsets count characters. Out: [`PatchStretch`]es, or what is wrong.

use std::collections::VecDeque;
use std::ops::Range;

use crate::edit::locate::loose::normal::letters;
use crate::text::Slice;

/// Number of letters that the surroundings of an insertion need to be recognised.
const TELLING: usize = 24;

/// One stretch of the patch.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct PatchStretch {
    /// Offset in characters of the text before the patch.
    pub(super) at: usize,
    /// Offset in characters of the text after it.
    pub(super) made_at: usize,
    pub(super) runs: Vec<DmpRun>,
    /// Number of stretches of the patch that it is made of.
    pub(super) parts: usize,
}

/// Text of a stretch that has one fate.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct DmpRun {
    kind: RunKind,
    text: String,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum RunKind {
    Stays,
    Goes,
    Comes,
}

impl PatchStretch {
    pub(super) fn before(&self) -> String {
        self.without(RunKind::Comes)
    }

    pub(super) fn after(&self) -> String {
        self.without(RunKind::Goes)
    }

    fn without(&self, kind: RunKind) -> String {
        let runs = self.runs.iter().filter(|run| run.kind != kind);
        runs.map(|run| run.text.as_str()).collect()
    }

    fn letters_of(&self, kind: RunKind) -> usize {
        let runs = self.runs.iter().filter(|run| run.kind == kind);
        runs.map(|run| letters(&run.text)).sum()
    }

    /// Returns whether it changes anything.
    pub(super) fn is_change(&self) -> bool {
        self.before() != self.after()
    }

    /// Returns this stretch and the next as one, if the next shows text that this one leaves:
    /// each counts on those before it, so it is not in the file as it shows it. None where they
    /// are apart, or where the next shows something else.
    fn joined(&self, next: &Self) -> Option<Self> {
        // The next may show more of what is above.
        let lead = self.made_at.saturating_sub(next.made_at);
        let mut own: VecDeque<(RunKind, char)> = next.chars().take(lead).collect();
        (own.len() == lead && own.iter().all(|(kind, _)| *kind == RunKind::Stays)).then_some(())?;
        own.extend(self.chars());
        let mut made: Vec<(RunKind, char)> = Vec::with_capacity(own.len());
        let mut above = next.made_at.saturating_sub(self.made_at);
        while above > 0 {
            let passed = own.pop_front()?;
            above -= usize::from(passed.0 != RunKind::Goes);
            made.push(passed);
        }
        own.iter()
            .any(|(kind, _)| *kind != RunKind::Goes)
            .then_some(())?;
        for (kind, char) in next.chars() {
            if kind == RunKind::Comes {
                made.push((kind, char));
                continue;
            }
            while let Some(gone) = own.pop_front_if(|(kind, _)| *kind == RunKind::Goes) {
                made.push(gone);
            }
            match own.pop_front() {
                Some((_, left)) if left != char => return None,
                // What came goes again.
                Some((RunKind::Comes, _)) if kind == RunKind::Goes => {}
                Some((left, _)) if kind == RunKind::Stays => made.push((left, char)),
                _ => made.push((kind, char)),
            }
        }
        made.extend(own);
        Some(Self {
            at: self.at.checked_sub(lead)?,
            made_at: self.made_at - lead,
            runs: runs(made),
            parts: self.parts + next.parts,
        })
    }

    /// Returns the characters of the runs.
    fn chars(&self) -> impl Iterator<Item = (RunKind, char)> {
        let runs = self.runs.iter();
        runs.flat_map(|run| run.text.chars().map(move |char| (run.kind, char)))
    }

    /// Returns whether what it shows says enough to be known by where not all of it is there:
    /// what goes does, and text that only comes needs letters around it.
    pub(super) fn tells(&self) -> bool {
        self.runs.iter().any(|run| run.kind == RunKind::Goes) || letters(&self.before()) >= TELLING
    }

    /// Returns whether the text that it leaves, found somewhere, shows that it was made: what comes
    /// says something, or what stays around what goes says much.
    pub(super) fn tells_made(&self) -> bool {
        self.letters_of(RunKind::Comes) >= TELLING / 2 || letters(&self.after()) >= TELLING
    }

    /// Returns how many letters it takes away.
    pub(super) fn removed_letters(&self) -> usize {
        self.letters_of(RunKind::Goes)
    }

    /// Returns the runs that change: the bytes of the text before that go, and what comes.
    pub(super) fn changes(&self) -> Vec<(Range<usize>, String)> {
        let mut changes: Vec<(Range<usize>, String)> = Vec::new();
        let mut at = 0;
        let mut joined = false;
        for run in &self.runs {
            let (gone, come) = match run.kind {
                RunKind::Stays => {
                    at += run.text.len();
                    joined = false;
                    continue;
                }
                RunKind::Goes => (run.text.len(), ""),
                RunKind::Comes => (0, run.text.as_str()),
            };
            match changes.last_mut().filter(|_| joined) {
                Some((range, new)) => {
                    range.end += gone;
                    new.push_str(come);
                }
                None => changes.push((at..at + gone, come.to_owned())),
            }
            at += gone;
            joined = true;
        }
        changes
    }
}

/// Puts characters of a kind that follow each other together.
fn runs(chars: Vec<(RunKind, char)>) -> Vec<DmpRun> {
    let mut runs: Vec<DmpRun> = Vec::new();
    for (kind, char) in chars {
        match runs.last_mut().filter(|run| run.kind == kind) {
            Some(run) => run.text.push(char),
            None => runs.push(DmpRun {
                kind,
                text: char.into(),
            }),
        }
    }
    runs
}

/// Puts stretches that count on each other together.
fn together(stretches: Vec<PatchStretch>) -> Vec<PatchStretch> {
    let mut apart: Vec<PatchStretch> = Vec::with_capacity(stretches.len());
    for next in stretches {
        match apart.last().and_then(|last| last.joined(&next)) {
            Some(joined) => {
                apart.pop();
                apart.push(joined);
            }
            None => apart.push(next),
        }
    }
    apart
}

/// Reads patch text.
pub(super) fn parse(text: &str) -> Result<Vec<PatchStretch>, String> {
    let mut stretches: Vec<PatchStretch> = Vec::new();
    // How many characters longer the text is after the stretches so far.
    let mut grown = 0_isize;
    for line in text
        .lines()
        .filter(|line| !line.is_empty() && !line.starts_with("```"))
    {
        if line.starts_with("@@") {
            grown += stretches.last().map_or(0, growth);
            let start = start(line).ok_or_else(|| format!("no header of a patch: {line}"))?;
            stretches.push(PatchStretch {
                at: start.saturating_add_signed(-grown),
                made_at: start,
                runs: Vec::new(),
                parts: 1,
            });
            continue;
        }
        let Some(stretch) = stretches.last_mut() else {
            continue;
        };
        let (mark, rest) = line.split_at(line.chars().next().map_or(0, char::len_utf8));
        let kind = match mark {
            " " => RunKind::Stays,
            "-" => RunKind::Goes,
            "+" => RunKind::Comes,
            _ => {
                return Err(format!(
                    "a line of the patch begins with neither blank, `-` nor `+`: {line}"
                ));
            }
        };
        let text = decoded(rest)?.replace("\r\n", "\n");
        stretch.runs.push(DmpRun { kind, text });
    }
    if stretches.is_empty() {
        return Err("the patch has no stretches; each begins with a line of `@@`".into());
    }
    Ok(together(stretches))
}

fn growth(stretch: &PatchStretch) -> isize {
    stretch.after().chars().count() as isize - stretch.before().chars().count() as isize
}

/// Reads the offset of `@@ -12,8 +12,9 @@`, which counts from 1 unless the length is 0.
fn start(line: &str) -> Option<usize> {
    let side = line
        .trim_start_matches('@')
        .split_whitespace()
        .next()?
        .strip_prefix('-')?;
    let (start, length) = side.split_once(',').unwrap_or((side, "1"));
    let (start, length) = (start.parse::<usize>().ok()?, length.parse::<usize>().ok()?);
    Some(if length == 0 {
        start
    } else {
        start.saturating_sub(1)
    })
}

/// Undoes the escapes of addresses: `%0A` is a newline, and a plus is a plus.
fn decoded(text: &str) -> Result<String, String> {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes();
    while let [first, tail @ ..] = rest {
        match (
            *first == b'%',
            hex_digit(tail.first()),
            hex_digit(tail.get(1)),
        ) {
            (true, Some(high), Some(low)) => {
                bytes.push(high * 16 + low);
                rest = tail.slice(2..);
            }
            // A lone percent sign was not escaped; it stands for itself.
            _ => {
                bytes.push(*first);
                rest = tail;
            }
        }
    }
    String::from_utf8(bytes).map_err(|_not_utf8| format!("escapes that are no UTF-8: {text}"))
}

fn hex_digit(byte: Option<&u8>) -> Option<u8> {
    let digit = char::from(*byte?).to_digit(16)?;
    u8::try_from(digit).ok()
}
