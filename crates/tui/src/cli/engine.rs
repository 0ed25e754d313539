//! `signoff engine`: edits on texts.
//!
//! In: JSON lines. Out: a JSON line for each, in order. No file is touched.

use std::io::{self, BufRead, BufReader, BufWriter, Read, Write};

use signoff_core::engine::one_shot;

use super::{Ending, out};

/// The longest line that is read.
const MAX_LINE: u64 = 64 * 1024 * 1024;

pub(super) fn run() -> anyhow::Result<Ending> {
    answer_all(io::stdin().lock(), io::stdout().lock())?;
    Ok(Ending::Done)
}

/// Answers every line; the output is flushed whenever no further line has arrived.
fn answer_all(input: impl Read, output: impl Write) -> io::Result<()> {
    let mut input = BufReader::with_capacity(64 * 1024, input);
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
        let answer = one_shot(&String::from_utf8_lossy(&line));
        out::write_json(&mut output, &answer)?;
        // Looks only at what is here: whoever asked may wait for this answer before it goes on.
        if !input.buffer().contains(&b'\n') {
            output.flush()?;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_line_is_answered_in_order() {
        let input = "{\"id\":1,\"path\":\"a\",\"before\":\"x\\n\",\"change\":{\"whole\":{\"content\":\"y\\n\"}}}\n\nnonsense\n";
        let mut output = Vec::new();
        answer_all(input.as_bytes(), &mut output).unwrap();
        let answers: Vec<serde_json::Value> = String::from_utf8(output)
            .unwrap()
            .lines()
            .map(|line| serde_json::from_str(line).unwrap())
            .collect();
        assert_eq!(answers.len(), 2);
        assert_eq!(answers[0]["after"], "y\n");
        assert_eq!(answers[1]["status"], "invalid");
    }
}
