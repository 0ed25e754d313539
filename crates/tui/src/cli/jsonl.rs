//! JSON lines in, JSON lines out.
//!
//! In: lines, of any bytes. Out: a line for each that is not empty, in order.

use std::io::{self, BufRead, BufWriter, Write};

use serde::Serialize;

/// The longest line that is read.
const MAX_LINE: u64 = 64 * 1024 * 1024;

/// Answers every line; the output is flushed whenever no further line has arrived.
pub(super) fn answer_all<T: Serialize>(
    mut input: impl BufRead,
    output: impl Write,
    mut answer: impl FnMut(&str) -> T,
) -> io::Result<()> {
    let mut output = BufWriter::new(output);
    let mut line = Vec::new();
    loop {
        line.clear();
        let mut limited = io::Read::take(&mut input, MAX_LINE);
        if limited.read_until(b'\n', &mut line)? == 0 {
            return output.flush();
        }
        if line.trim_ascii().is_empty() {
            continue;
        }
        serde_json::to_writer(&mut output, &answer(&String::from_utf8_lossy(&line)))?;
        output.write_all(b"\n")?;
        if input.fill_buf().is_ok_and(|rest| !rest.contains(&b'\n')) {
            output.flush()?;
        }
    }
}
