//! Bash, as far as its words of opening and closing go.
//!
//! In: a text. Out: its first error: a compound command that is not closed, is closed by another
//! word or has nothing in it, or a quote without its end. Where the text is written in a way that
//! this does not follow, there is no opinion. What is within backquotes and arithmetic is passed over.

mod word;

use super::Fault;

/// Substitutions within each other, beyond which there is no opinion.
const MAX_DEPTH: usize = 50;

/// Returns the errors of a text; none as well where there is no opinion.
pub(super) fn faults(text: &str) -> Vec<Fault> {
    let mut reader = Reader {
        text,
        at: 0,
        depth: 0,
        documents: Vec::new(),
    };
    match reader.commands(false) {
        Err(Stop::At(fault)) => vec![fault],
        Ok(()) | Err(Stop::NoOpinion) => Vec::new(),
    }
}

/// Why reading ends before the text does.
enum Stop {
    At(Fault),
    NoOpinion,
}

/// What an opening word has opened, as far as it was read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Part {
    /// After `if` or `elif`.
    If,
    Then,
    Else,
    /// After `while` or `until`.
    While,
    /// After `for` or `select`.
    For,
    Do,
    /// Where a pattern stands.
    Pattern,
    /// After the `)` of a pattern.
    Case,
    Brace,
}

struct Open {
    part: Part,
    at: usize,
    /// Whether there is a command in it.
    filled: bool,
}

struct Reader<'a> {
    text: &'a str,
    at: usize,
    depth: usize,
    /// What ends the documents (`<<END`) that begin after this line, and whether tabs before it count.
    documents: Vec<(String, bool)>,
}

impl<'a> Reader<'a> {
    fn byte(&self) -> Option<u8> {
        self.byte_at(self.at)
    }

    fn byte_at(&self, at: usize) -> Option<u8> {
        self.text.as_bytes().get(at).copied()
    }

    fn rest(&self) -> &'a str {
        self.text.get(self.at..).unwrap_or_default()
    }

    fn fault<T>(&self, at: usize, message: String) -> Result<T, Stop> {
        Err(Stop::At(Fault::new(at..at + 1, message)))
    }

    /// Reads commands up to the end of the text, or to the bracket that closes them.
    fn commands(&mut self, within: bool) -> Result<(), Stop> {
        if self.depth >= MAX_DEPTH {
            return Err(Stop::NoOpinion);
        }
        self.depth += 1;
        let (began, mut open, mut start) = (self.at, Vec::<Open>::new(), true);
        loop {
            let Some(byte) = self.byte() else {
                return self.end_of_text(&open, within.then_some(began));
            };
            let in_pattern = open.last().is_some_and(|last| last.part == Part::Pattern);
            match byte {
                b' ' | b'\t' | b'\r' => self.at += 1,
                b'\\' if self.byte_at(self.at + 1) == Some(b'\n') => self.at += 2,
                b'\n' => {
                    self.newline();
                    start = true;
                }
                b'#' => self.at += self.rest().find('\n').unwrap_or(self.rest().len()),
                b';' => {
                    self.semicolon(&mut open)?;
                    start = true;
                }
                b'&' | b'|' => {
                    self.at += 1;
                    // `&>` sends output somewhere.
                    start = self.byte() != Some(b'>');
                }
                b'<' | b'>' => self.redirection()?,
                b'(' if in_pattern => self.at += 1,
                b'(' => start = self.bracket(&mut open, start)?,
                b')' if in_pattern => {
                    self.at += 1;
                    if let Some(last) = open.last_mut() {
                        last.part = Part::Case;
                    }
                    start = true;
                }
                b')' => {
                    if let Some(last) = open.last() {
                        return self.fault(last.at, "this is not closed before a `)`".to_owned());
                    }
                    if !within {
                        return self.fault(self.at, "`)` closes nothing".to_owned());
                    }
                    self.at += 1;
                    self.depth -= 1;
                    return Ok(());
                }
                _ => start = self.word_of_command(&mut open, start)?,
            }
        }
    }

    /// Tells what is open where the text ends; `bracket` is after the one that is.
    fn end_of_text(&self, open: &[Open], bracket: Option<usize>) -> Result<(), Stop> {
        match (open.last(), bracket) {
            (Some(last), _) => self.fault(last.at, "this is not closed".to_owned()),
            (None, Some(after)) => {
                let at = after.saturating_sub(1);
                self.fault(at, "`)` is missing for this".to_owned())
            }
            (None, None) => Ok(()),
        }
    }

    /// Steps over `;`, and over `;;` at the end of what follows a pattern.
    fn semicolon(&mut self, open: &mut [Open]) -> Result<(), Stop> {
        self.at += 1;
        if !matches!(self.byte(), Some(b';' | b'&')) {
            return Ok(());
        }
        let more = self.rest().bytes().take_while(|b| b";&".contains(b));
        self.at += more.count();
        match open.last_mut().filter(|last| last.part == Part::Case) {
            Some(last) => {
                last.part = Part::Pattern;
                Ok(())
            }
            None => self.fault(self.at - 1, "`;;` is out of place".to_owned()),
        }
    }

    /// Steps over what a bracket opens; returns whether a command may begin after it.
    fn bracket(&mut self, open: &mut [Open], start: bool) -> Result<bool, Stop> {
        if start {
            if self.rest().starts_with("((") {
                self.parentheses()?;
            } else {
                self.at += 1;
                self.commands(true)?;
            }
            fill(open);
            return Ok(true);
        }
        // `f()` defines a function.
        self.at += 1;
        self.blanks();
        if self.byte() != Some(b')') {
            return self.fault(self.at - 1, "`(` is out of place".to_owned());
        }
        self.at += 1;
        Ok(true)
    }

    /// Reads a word; returns whether a command may begin after it.
    fn word_of_command(&mut self, open: &mut Vec<Open>, start: bool) -> Result<bool, Stop> {
        let at = self.at;
        let plain = self.word()?;
        let word = self.text.get(at..self.at).unwrap_or_default();
        let part = open.last().map(|last| last.part);
        if part == Some(Part::Pattern) {
            if plain && word == "esac" {
                close(open);
            }
            return Ok(plain && word == "esac");
        }
        if self.byte() == Some(b'(') && word.ends_with('=') {
            self.parentheses()?;
            fill(open);
            return Ok(start);
        }
        if !start {
            return Ok(false);
        }
        if !plain {
            fill(open);
            return Ok(is_assignment(word));
        }
        match word {
            "if" => push(open, Part::If, at),
            "while" | "until" => push(open, Part::While, at),
            "{" => push(open, Part::Brace, at),
            "then" => self.turn(open, at, &[Part::If], Part::Then)?,
            "elif" => self.turn(open, at, &[Part::Then], Part::If)?,
            "else" => self.turn(open, at, &[Part::Then], Part::Else)?,
            "do" => self.turn(open, at, &[Part::While, Part::For], Part::Do)?,
            "fi" => self.end(open, at, &[Part::Then, Part::Else])?,
            "done" => self.end(open, at, &[Part::Do])?,
            "}" => self.end(open, at, &[Part::Brace])?,
            "esac" => self.end(open, at, &[Part::Case])?,
            "for" | "select" => self.for_head(open, at)?,
            "in" if part == Some(Part::For) => return Ok(false),
            "case" => self.case_head(open, at)?,
            "function" => {
                self.blanks();
                self.word()?;
                self.blanks();
                if self.rest().starts_with("()") {
                    self.at += 2;
                }
            }
            "[[" => {
                self.condition(at)?;
                fill(open);
            }
            "!" | "time" => {}
            "coproc" => return Err(Stop::NoOpinion),
            _ => {
                fill(open);
                return Ok(is_assignment(word));
            }
        }
        Ok(true)
    }

    fn for_head(&mut self, open: &mut Vec<Open>, at: usize) -> Result<(), Stop> {
        push(open, Part::For, at);
        fill(open);
        self.blanks();
        match self.rest().starts_with("((") {
            true => self.parentheses(),
            false => self.word().map(|_plain| ()),
        }
    }

    fn case_head(&mut self, open: &mut Vec<Open>, at: usize) -> Result<(), Stop> {
        self.blanks();
        self.word()?;
        self.lines();
        let word = self.at;
        if !self.word()? || self.text.get(word..self.at) != Some("in") {
            return self.fault(at, "`in` is missing after this".to_owned());
        }
        push(open, Part::Pattern, at);
        fill(open);
        Ok(())
    }

    /// Takes a word that goes on with what is open.
    fn turn(&self, open: &mut [Open], at: usize, from: &[Part], to: Part) -> Result<(), Stop> {
        let word = self.text.get(at..self.at).unwrap_or_default();
        match open.last_mut() {
            Some(last) if from.contains(&last.part) && last.filled => {
                last.part = to;
                last.filled = false;
                Ok(())
            }
            Some(last) if from.contains(&last.part) => {
                self.fault(at, format!("nothing stands before `{word}`"))
            }
            _ => self.fault(at, format!("`{word}` is out of place")),
        }
    }

    /// Takes a word that closes what is open.
    fn end(&self, open: &mut Vec<Open>, at: usize, from: &[Part]) -> Result<(), Stop> {
        let to = from.first().copied().unwrap_or(Part::Case);
        // What goes for a word within goes for the last one.
        self.turn(open, at, from, to)?;
        close(open);
        Ok(())
    }

    /// Steps over `[[ .. ]]`, in which most signs stand for themselves.
    fn condition(&mut self, began: usize) -> Result<(), Stop> {
        while let Some(byte) = self.byte() {
            match byte {
                b'\\' if self.byte_at(self.at + 1) == Some(b'\n') => self.at += 2,
                b' ' | b'\t' | b'\r' | b'\n' | b'(' | b')' | b'<' | b'>' | b'&' | b'|' | b';' => {
                    self.at += 1;
                }
                _ => {
                    let at = self.at;
                    if self.word()? && self.text.get(at..self.at) == Some("]]") {
                        return Ok(());
                    }
                }
            }
        }
        self.fault(began, "`]]` is missing for this".to_owned())
    }

    fn redirection(&mut self) -> Result<(), Stop> {
        if matches!(self.byte_at(self.at + 1), Some(b'(')) {
            self.at += 2;
            return self.commands(true);
        }
        if self.rest().starts_with("<<") && !self.rest().starts_with("<<<") {
            self.at += 2;
            let tabs = self.byte() == Some(b'-');
            self.at += usize::from(tabs);
            self.blanks();
            let at = self.at;
            self.word()?;
            let quoted = self.text.get(at..self.at).unwrap_or_default();
            let end = quoted.replace(['\'', '"', '\\'], "");
            self.documents.push((end, tabs));
            return Ok(());
        }
        let signs = self
            .rest()
            .bytes()
            .take_while(|byte| b"<>&|".contains(byte));
        self.at += signs.count();
        Ok(())
    }

    fn blanks(&mut self) {
        let rest = self.rest();
        self.at += rest.len() - rest.trim_start_matches([' ', '\t']).len();
    }

    fn lines(&mut self) {
        let rest = self.rest();
        self.at += rest.len() - rest.trim_start().len();
    }

    /// Steps over the end of a line and the documents that follow it.
    fn newline(&mut self) {
        self.at += 1;
        for (end, tabs) in std::mem::take(&mut self.documents) {
            for line in self.rest().split_inclusive('\n') {
                self.at += line.len();
                let line = line.trim_end_matches(['\n', '\r']);
                let own = if tabs {
                    line.trim_start_matches('\t')
                } else {
                    line
                };
                if own == end {
                    break;
                }
            }
        }
    }
}

fn push(open: &mut Vec<Open>, part: Part, at: usize) {
    open.push(Open {
        part,
        at,
        filled: false,
    });
}

fn fill(open: &mut [Open]) {
    if let Some(last) = open.last_mut() {
        last.filled = true;
    }
}

fn close(open: &mut Vec<Open>) {
    open.pop();
    fill(open);
}

/// Returns whether a word gives a variable its value, after which a command may still begin.
fn is_assignment(word: &str) -> bool {
    let name = word.split_once('=').map_or("", |(name, _)| name);
    let name = name.strip_suffix('+').unwrap_or(name);
    let name = name.split_once('[').map_or(name, |(name, _)| name);
    !name.is_empty() && name.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_')
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, expected: Option<&str>) {
        let found = faults(text);
        let message = found.first().map(|fault| fault.message());
        assert_eq!(message, expected, "{text}");
    }

    #[test]
    fn good_scripts_are_accepted() {
        for text in [
            "if a; then b; elif [ c ]; then d; else e; fi\n",
            "if a; then if b; then c; fi fi | d > e 2>&1 &\n",
            "for x in if then fi; do echo done; done < f\nfor x\ndo a; done\nfor ((i=0; i<3; i++)); do b; done",
            "while read -r a; do case $a in (b|'c)') d;; *) e ;& f) esac; done <<EOF\nif $(\nEOF\n",
            "f() { a; }\nfunction g { b; }\nfunction h() (c)\ni()\n{\n  d\n}\n",
            "x=(a 'b)' # c)\n d) y=1 z=$(case a in b) c;; esac) e\n",
            "echo \"a $(if b; then echo \"c)\"; fi) ${d:-\"}\"} ${#e} `f \\` g` $((1 + (2)))\" # 'x\n",
            "cat <<-'A' <<B && c\n\tit's\n\tA\n(\nB\nd\n",
            "[[ $a =~ ^(b|c)$ && ( d < e ) ]] && f\n((x++)) || g\n",
            "a=b if=1 c then fi\n! d\necho }\necho a#b ${x/\\}/y} $'it\\'s'\n{ a; } 2>/dev/null\n",
            "a | \\\n  while b; \\\n  do c; done\nlocal d=(e f) g\n",
            "diff <(a) <(b | c)\ncoproc d { e; }\n",
            "",
        ] {
            check(text, None);
        }
    }

    #[test]
    fn what_is_not_closed_is_told() {
        check("if a; then b\n", Some("this is not closed"));
        check("if a; b; fi\n", Some("`fi` is out of place"));
        check("if a; then fi\n", Some("nothing stands before `fi`"));
        check("a; fi\n", Some("`fi` is out of place"));
        check("while a; do b; fi\n", Some("`fi` is out of place"));
        check("for a in b; c; done\n", Some("`done` is out of place"));
        check("f() {\n a\n", Some("this is not closed"));
        check("a }\n}\n", Some("`}` is out of place"));
        check(
            "case a in b) c; d) e;; esac\n",
            Some("this is not closed before a `)`"),
        );
        check("case a b) c;; esac\n", Some("`in` is missing after this"));
        check("a;; b\n", Some("`;;` is out of place"));
        check("a $(b\n", Some("`)` is missing for this"));
        check("a 'b\n", Some("this quote is not closed"));
        check("a \"b\n", Some("this quote is not closed"));
        check("a ${b\n", Some("`}` is missing for this"));
        check("a (b)\n", Some("`(` is out of place"));
        check("a )\n", Some("`)` closes nothing"));
    }
}
