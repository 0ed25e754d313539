//! Line ends as git stores them where it checks files out with CRLF.
//!
//! ```text
//! committed   one LF two LF
//! on disk     one CRLF two CRLF      core.autocrlf = true
//! changed     ONE CRLF two CRLF      applied to what is checked out, stored as ONE LF two LF
//! ```

/// Returns whether git takes bytes for a text of which it converts all line ends: without NUL and without a lone CR.
pub(super) fn is_plain(bytes: &[u8]) -> bool {
    let mut rest = bytes.iter().peekable();
    while let Some(byte) = rest.next() {
        let is_lone = *byte == b'\r' && rest.peek() != Some(&&b'\n');
        if *byte == 0 || is_lone {
            return false;
        }
    }
    std::str::from_utf8(bytes).is_ok()
}

/// Returns a text with lines that end with CRLF.
pub(super) fn with_crlf(text: &[u8]) -> Vec<u8> {
    let mut out = Vec::with_capacity(text.len());
    for line in with_lf(text).split_inclusive(|byte| *byte == b'\n') {
        match line.strip_suffix(b"\n") {
            Some(line) => {
                out.extend_from_slice(line);
                out.extend_from_slice(b"\r\n");
            }
            None => out.extend_from_slice(line),
        }
    }
    out
}

/// Returns a text with lines that end with LF.
pub(super) fn with_lf(text: &[u8]) -> Vec<u8> {
    let mut out = Vec::with_capacity(text.len());
    for line in text.split_inclusive(|byte| *byte == b'\n') {
        match line.strip_suffix(b"\r\n") {
            Some(line) => {
                out.extend_from_slice(line);
                out.push(b'\n');
            }
            None => out.extend_from_slice(line),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn line_ends_go_there_and_back() {
        for text in [&b"a\nb\n"[..], b"a", b"", b"\n\nx"] {
            assert_eq!(with_lf(&with_crlf(text)), text);
            assert!(is_plain(text) && is_plain(&with_crlf(text)));
        }
        for odd in [&b"a\0"[..], b"a\rb\n", b"a\r", b"\xff\n"] {
            assert!(!is_plain(odd));
        }
    }
}
