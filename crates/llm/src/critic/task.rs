//! Task of the review agent: the user's request and the hunks that wait, as text of bounded size.
//!
//! In: the newest prompts, proposals, and which hunks are wanted. Out: the text, and the hunks by the numbers under which
//! it shows them; a comment names one of these.

use signoff_core::clip;
use signoff_core::edit::diff::line::{DiffLine, LineKind};
use signoff_core::id::HunkId;
use signoff_core::plural::counted;
use signoff_core::quote;
use signoff_core::stage::review::critique::{CommentSeverity, CriticComment};
use signoff_core::stage::review::{HunkReading, HunkView, ProposalView};

use crate::instructions::{Profile, bounded};

/// Maximum size of the user's request in the task, in bytes.
const MOST_REQUEST: usize = 4 * 1024;

/// Maximum size of the lines of one hunk, in bytes.
const MOST_HUNK: usize = 8 * 1024;

/// Maximum size of a line, in bytes.
const MOST_LINE: usize = 400;

/// What the review agent is to look at.
#[derive(Debug)]
pub(crate) struct CritiqueTask {
    /// The task in words.
    pub(crate) text: String,
    /// The hunks that it shows.
    pub(crate) shown: ShownHunks,
    /// How many hunks were left out for lack of room.
    pub(crate) left_out: usize,
}

/// The hunks that the review agent is shown, numbered from 1.
#[derive(Clone, Debug, Default)]
pub(crate) struct ShownHunks(Vec<ShownHunk>);

#[derive(Clone, Debug)]
struct ShownHunk {
    path: String,
    view: HunkView,
}

impl CritiqueTask {
    /// Returns the task about those of the hunks with lines that wait and are wanted. Diffs take at most about 48 KiB, of
    /// a small profile a quarter of that.
    pub(crate) fn of(
        request: &str,
        files: &[ProposalView],
        is_wanted: impl Fn(HunkId, &HunkReading) -> bool,
        profile: Profile,
    ) -> Self {
        let room = match profile {
            Profile::Full => 48 * 1024,
            Profile::Small => 12 * 1024,
        };
        let mut shown = ShownHunks::default();
        let (mut left_out, mut diffs) = (0, String::new());
        for file in files {
            let mut is_named = false;
            for hunk in file.pending().filter(|hunk| !hunk.lines.is_empty()) {
                let reads = HunkReading::of(hunk);
                if !is_wanted(hunk.id, &reads) {
                    continue;
                }
                let number = shown.0.len() + 1;
                let diff = hunk_text(number, hunk);
                if hunk.is_told_by_sizes() || diffs.len() + diff.len() > room {
                    left_out += 1;
                    continue;
                }
                if !std::mem::replace(&mut is_named, true) {
                    diffs += &file_text(file);
                }
                diffs += &diff;
                shown.0.push(ShownHunk {
                    path: file.path.clone(),
                    view: hunk.clone(),
                });
            }
        }
        let text = task_text(request, &diffs, left_out);
        Self {
            text,
            shown,
            left_out,
        }
    }
}

impl ShownHunks {
    /// Returns their ids.
    pub(crate) fn ids(&self) -> Vec<HunkId> {
        self.0.iter().map(|own| own.view.id).collect()
    }

    /// Returns their ids and how each reads.
    pub(crate) fn readings(&self) -> impl Iterator<Item = (HunkId, HunkReading)> {
        let own = self.0.iter();
        own.map(|own| (own.view.id, HunkReading::of(&own.view)))
    }

    /// Returns a comment on one of them.
    ///
    /// # Errors
    ///
    /// Fails with what is wrong with it, for the agent.
    pub(crate) fn comment(
        &self,
        (number, line): (usize, Option<usize>),
        severity: CommentSeverity,
        text: &str,
    ) -> Result<CriticComment, String> {
        let place = number.checked_sub(1).and_then(|at| self.0.get(at));
        let Some(own) = place else {
            let most = self.0.len();
            return Err(format!("there is no hunk {number}; there are 1 to {most}"));
        };
        CriticComment::about((&own.path, &own.view), line, severity, text)
    }
}

fn task_text(request: &str, diffs: &str, left_out: usize) -> String {
    let request = bounded(request.trim(), MOST_REQUEST);
    let mut text = if request.is_empty() {
        "What the user asked for is not known.\n".to_owned()
    } else {
        let fence = quote::fence(&request);
        format!("The user asked for this:\n{fence}\n{request}\n{fence}\n")
    };
    text += "\nThese changes wait for the user's verdict; numbers are those of lines in the new text.\n";
    text += diffs;
    if left_out > 0 {
        let left_out = counted(left_out, "hunk");
        text += &format!("\n({left_out} more for which there is no room)\n");
    }
    text
}

fn file_text(file: &ProposalView) -> String {
    let (path, operation) = (quote::name(&file.path), file.operation);
    match &file.to {
        Some(to) => {
            let to = quote::name(to);
            format!("\nFile {path} ({operation}, moves to {to})\n")
        }
        None => format!("\nFile {path} ({operation})\n"),
    }
}

fn hunk_text(number: usize, hunk: &HunkView) -> String {
    // The enclosing line in it is the file's.
    let mut lines = quote::one_line(&hunk.header, MOST_LINE) + "\n";
    let mut left = hunk.lines.len();
    for line in &hunk.lines {
        if lines.len() > MOST_HUNK {
            break;
        }
        lines += &line_text(line);
        left -= 1;
    }
    let fence = quote::fence(&lines);
    let more = match left {
        0 => String::new(),
        left => format!("({} more of it left out)\n", counted(left, "line")),
    };
    format!("Hunk {number}\n{fence}\n{lines}{fence}\n{more}")
}

fn line_text(line: &DiffLine) -> String {
    let sign = match line.kind {
        LineKind::Context => ' ',
        LineKind::Removed => '-',
        LineKind::Added => '+',
    };
    let number = line.new.filter(|_| line.kind != LineKind::Removed);
    let number = number.map_or_else(String::new, |number| number.to_string());
    let (text, rest) = clip::split(&line.text, MOST_LINE);
    let more = if rest.is_empty() { "" } else { "..." };
    let text = quote::line_breaks(text);
    format!("{sign}{number:>5} {text}{more}\n")
}
