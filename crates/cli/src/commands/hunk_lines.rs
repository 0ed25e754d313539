//! Lines of hunks, as the commands print them.
//!
//! In: the lines of a hunk. Out: lines with `+`, `-` or a blank before them, as a unified diff has them.

use signoff_core::edit::diff::line::{DiffLine, LineKind};
use signoff_core::edit::diff::stretches::LinePart;
use signoff_draw::blanks::counted;

use super::out;

/// Prints the lines that are in the place of a hunk in conflict with them.
pub(super) fn print_your_lines(yours: &[String]) -> anyhow::Result<()> {
    your_lines(yours)
        .iter()
        .try_for_each(|line| out::line(line))
}

pub(super) fn your_lines(yours: &[String]) -> Vec<String> {
    let head = (!yours.is_empty()).then(|| "  there now:".to_owned());
    let each = yours.iter().map(|line| format!("|{}", counted(line)));
    head.into_iter().chain(each).collect()
}

/// Prints the lines of a hunk as a unified diff has them, long runs of blanks counted.
pub(super) fn print_diff_lines(lines: &[DiffLine]) -> anyhow::Result<()> {
    diff_lines(lines)
        .iter()
        .try_for_each(|line| out::line(line))
}

pub(super) fn diff_lines(lines: &[DiffLine]) -> Vec<String> {
    let mut said = Vec::with_capacity(lines.len());
    for line in lines {
        let mark = match line.kind {
            LineKind::Context => ' ',
            LineKind::Removed => '-',
            LineKind::Added => '+',
        };
        let parts = line.parts().into_iter().map(|part| match part {
            LinePart::Shown(range) => counted(line.part(range)),
            left_out => left_out.to_string().into(),
        });
        said.push(format!("{mark}{}", parts.collect::<String>()));
        if !line.newline {
            said.push("\\ No newline at end of file".to_owned());
        }
    }
    said
}
