//! The text format of diff-match-patch.
//!
//! In: `@@ -12,8 +12,9 @@`, then runs of text that stay, go or come, with escapes as in
//! addresses; offsets count characters. Out: [`Stretch`]es, or what is wrong.

use std::ops::Range;

/// One stretch of the patch.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Stretch {
    /// Offset in characters of the text before the patch.
    pub(super) at: usize,
    /// Offset in characters of the text after it.
    pub(super) made_at: usize,
    pub(super) runs: Vec<Run>,
}

#[derive(Debug, PartialEq, Eq)]
pub(super) enum Run {
    Stays(String),
    Goes(String),
    Comes(String),
}

impl Stretch {
    pub(super) fn before(&self) -> String {
        let text = |run: &Run| match run {
            Run::Stays(text) | Run::Goes(text) => text.clone(),
            Run::Comes(_) => String::new(),
        };
        self.runs.iter().map(text).collect()
    }

    pub(super) fn after(&self) -> String {
        let text = |run: &Run| match run {
            Run::Stays(text) | Run::Comes(text) => text.clone(),
            Run::Goes(_) => String::new(),
        };
        self.runs.iter().map(text).collect()
    }

    /// Returns whether something goes.
    pub(super) fn removes(&self) -> bool {
        self.runs.iter().any(|run| matches!(run, Run::Goes(_)))
    }

    /// Returns the runs that change: the bytes of the text before that go, and what comes.
    pub(super) fn changes(&self) -> Vec<(Range<usize>, String)> {
        let mut changes: Vec<(Range<usize>, String)> = Vec::new();
        let mut at = 0;
        let mut joined = false;
        for run in &self.runs {
            let (gone, come) = match run {
                Run::Stays(text) => {
                    at += text.len();
                    joined = false;
                    continue;
                }
                Run::Goes(text) => (text.len(), ""),
                Run::Comes(text) => (0, text.as_str()),
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

/// Reads patch text.
pub(super) fn parse(text: &str) -> Result<Vec<Stretch>, String> {
    let mut stretches: Vec<Stretch> = Vec::new();
    // How many characters longer the text is after the stretches so far.
    let mut grown = 0_isize;
    for line in text
        .lines()
        .filter(|line| !line.is_empty() && !line.starts_with("```"))
    {
        if line.starts_with("@@") {
            grown += stretches.last().map_or(0, growth);
            let start = start(line).ok_or_else(|| format!("no header of a patch: {line}"))?;
            stretches.push(Stretch {
                at: start.saturating_add_signed(-grown),
                made_at: start,
                runs: Vec::new(),
            });
            continue;
        }
        let Some(stretch) = stretches.last_mut() else {
            continue;
        };
        let (mark, rest) = line.split_at(line.chars().next().map_or(0, char::len_utf8));
        let text = decoded(rest)?.replace("\r\n", "\n");
        stretch.runs.push(match mark {
            " " => Run::Stays(text),
            "-" => Run::Goes(text),
            "+" => Run::Comes(text),
            _ => {
                return Err(format!(
                    "a line of the patch begins with neither blank, `-` nor `+`: {line}"
                ));
            }
        });
    }
    if stretches.is_empty() {
        return Err("the patch has no stretches; each begins with a line of `@@`".into());
    }
    Ok(stretches)
}

fn growth(stretch: &Stretch) -> isize {
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
        let digit = |byte: Option<&u8>| byte.and_then(|byte| char::from(*byte).to_digit(16));
        match (*first == b'%', digit(tail.first()), digit(tail.get(1))) {
            (true, Some(high), Some(low)) => {
                bytes.push(u8::try_from(high * 16 + low).unwrap_or_default());
                rest = tail.get(2..).unwrap_or_default();
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
