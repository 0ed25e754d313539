//! JSON lines in, JSON lines out.
//!
//! In: lines, of any bytes. Out: a line for each that is not empty, in order.

use std::io::{self, BufRead, BufReader, BufWriter, Read, Write};

use serde::Serialize;

use super::out;

/// The longest line that is read.
const MAX_LINE: u64 = 64 * 1024 * 1024;

/// Answers every line; the output is flushed whenever no further line has arrived.
pub(super) fn answer_all<T: Serialize>(
    input: impl Read,
    output: impl Write,
    mut answer: impl FnMut(&str) -> T,
) -> io::Result<()> {
    let mut input = BufReader::with_capacity(64 * 1024, input);
    let mut output = BufWriter::new(output);
    let mut line = Vec::new();
    loop {
        line.clear();
        let mut limited = Read::take(&mut input, MAX_LINE);
        if limited.read_until(b'\n', &mut line)? == 0 {
            return output.flush();
        }
        if line.trim_ascii().is_empty() {
            continue;
        }
        out::write_json(&mut output, &answer(&String::from_utf8_lossy(&line)))?;
        // Looks only at what is here: whoever asked may wait for this answer before it goes on.
        if !input.buffer().contains(&b'\n') {
            output.flush()?;
        }
    }
}
