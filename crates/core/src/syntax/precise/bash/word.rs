//! A word of Bash, with its quotes and substitutions.
//!
//! In: the reader at its first byte. Out: the reader after it, and whether it is as plain as a
//! reserved word.

use super::{Reader, Stop};

impl Reader<'_> {
    /// Steps over a word; returns whether nothing in it is quoted or substituted.
    pub(super) fn word(&mut self) -> Result<bool, Stop> {
        let (began, mut plain) = (self.at, true);
        while let Some(byte) = self.byte() {
            match byte {
                b' ' | b'\t' | b'\r' | b'\n' | b';' | b'&' | b'|' | b'<' | b'>' | b')' => break,
                // Patterns such as `@(a|b)`.
                b'(' if self.at > began && self.follows(b"?*+@!") => self.parentheses()?,
                b'(' => break,
                b'\\' => self.at += 2,
                b'\'' => self.quote(self.at)?,
                b'"' => self.double()?,
                b'`' => self.backquote()?,
                b'$' => self.dollar(false)?,
                _ => self.at += 1,
            }
            plain &= !matches!(byte, b'\\' | b'\'' | b'"' | b'`' | b'$' | b'(');
        }
        if self.at == began {
            // A sign where a word has to be.
            return Err(Stop::NoOpinion);
        }
        self.at = self.at.min(self.text.len());
        Ok(plain)
    }

    fn follows(&self, signs: &[u8]) -> bool {
        let before = self.at.checked_sub(1).and_then(|at| self.byte_at(at));
        before.is_some_and(|byte| signs.contains(&byte))
    }

    /// Steps over `'a'`.
    fn quote(&mut self, began: usize) -> Result<(), Stop> {
        self.at += 1;
        match self.rest().find('\'') {
            Some(length) => {
                self.at += length + 1;
                Ok(())
            }
            None => self.fault(began, "this quote is not closed".to_owned()),
        }
    }

    /// Steps over `"a"`.
    fn double(&mut self) -> Result<(), Stop> {
        let began = self.at;
        self.at += 1;
        while let Some(byte) = self.byte() {
            match byte {
                b'"' => {
                    self.at += 1;
                    return Ok(());
                }
                b'\\' => self.at += 2,
                b'`' => self.backquote()?,
                b'$' => self.dollar(true)?,
                _ => self.at += 1,
            }
        }
        self.fault(began, "this quote is not closed".to_owned())
    }

    fn backquote(&mut self) -> Result<(), Stop> {
        let began = self.at;
        self.escaped(b'`', began)
    }

    /// Steps over what ends with the first byte `end` that is not escaped.
    fn escaped(&mut self, end: u8, began: usize) -> Result<(), Stop> {
        self.at += 1;
        while let Some(byte) = self.byte() {
            self.at += if byte == b'\\' { 2 } else { 1 };
            if byte == end {
                return Ok(());
            }
        }
        self.fault(began, "this quote is not closed".to_owned())
    }

    fn dollar(&mut self, quoted: bool) -> Result<(), Stop> {
        let began = self.at;
        self.at += 1;
        match self.byte() {
            Some(b'(') if self.rest().starts_with("((") => self.parentheses(),
            Some(b'(') => {
                self.at += 1;
                self.commands(true)
            }
            Some(b'{') => self.braces(began, quoted),
            Some(b'\'') if !quoted => self.escaped(b'\'', began),
            // `$"` within a string ends it.
            Some(b'"') | None => Ok(()),
            // `$$`, `$#` and the like.
            Some(b'$' | b'#' | b'!' | b'?' | b'*' | b'@' | b'-') => {
                self.at += 1;
                Ok(())
            }
            _ => Ok(()),
        }
    }

    /// Steps over `${a}`.
    fn braces(&mut self, began: usize, quoted: bool) -> Result<(), Stop> {
        self.depth += 1;
        if self.depth > super::MAX_DEPTH {
            return Err(Stop::NoOpinion);
        }
        self.at += 1;
        while let Some(byte) = self.byte() {
            match byte {
                b'}' => {
                    self.at += 1;
                    self.depth -= 1;
                    return Ok(());
                }
                b'\\' => self.at += 2,
                b'\'' if !quoted => self.quote(self.at)?,
                b'"' => self.double()?,
                b'`' => self.backquote()?,
                b'$' => self.dollar(quoted)?,
                _ => self.at += 1,
            }
        }
        self.fault(began, "`}` is missing for this".to_owned())
    }

    /// Steps over brackets and what is in them, as far as brackets match there.
    pub(super) fn parentheses(&mut self) -> Result<(), Stop> {
        let (began, mut depth) = (self.at, 0_usize);
        self.depth += 1;
        if self.depth > super::MAX_DEPTH {
            return Err(Stop::NoOpinion);
        }
        while let Some(byte) = self.byte() {
            match byte {
                b'(' => {
                    depth += 1;
                    self.at += 1;
                }
                b')' => {
                    depth -= 1;
                    self.at += 1;
                    if depth == 0 {
                        self.depth -= 1;
                        return Ok(());
                    }
                }
                b'\\' => self.at += 2,
                b'\'' => self.quote(self.at)?,
                b'"' => self.double()?,
                b'`' => self.backquote()?,
                b'$' => self.dollar(false)?,
                b'#' if self.follows(b" \t\n") => {
                    self.at += self.rest().find('\n').unwrap_or(self.rest().len());
                }
                _ => self.at += 1,
            }
        }
        self.fault(began, "`)` is missing for this".to_owned())
    }
}
