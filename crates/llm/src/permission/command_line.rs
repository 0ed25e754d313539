//! Command lines, read once: which commands stand in them, and whether bash can run no other.
//!
//! In: a command line. Out: its simple commands. The line is plain if it keeps to a grammar so small that bash cannot read
//! it otherwise: printable ASCII words, simple quotes, `&&`, `||`, `;` and `|`, `$?`, and redirections that touch no file.
//! Of every other line the commands are those that a reader sees: each sign that a shell gives a meaning to ends a command,
//! targets of redirections and texts of here-documents are left out, and what is expanded is [`UNKNOWN`].
//!
//! ```text
//! cargo test 2>&1 | tail -5                ->  plain: [cargo test] [tail -5]
//! cd x; f() { g'it' "pu$y" >log; }; $HOME  ->  [cd x] [f] [git pu?] [~]
//! ```

use super::runners;

/// The words of a simple command: the program first, assignments and redirections left out.
pub(super) type SimpleCommand = Vec<String>;

/// A command line and what it shows.
#[derive(Debug)]
pub(super) struct CommandLine {
    /// Its commands, in order.
    pub(super) commands: Vec<SimpleCommand>,
    /// Whether bash runs these and no others.
    pub(super) is_plain: bool,
}

/// Stands in a word for text that is known only when the shell runs; in twos, so that no `?` of a pattern matches it.
pub(super) const UNKNOWN: &str = "\u{fffe}\u{fffe}";

/// Longer lines are not plain: nobody types them, and a wrapper has as many readings as words.
const MAX_LINE: usize = 16 * 1024;

/// Redirections between words that touch no file.
const HARMLESS: [&str; 9] = [
    "2>&1",
    "1>&2",
    ">&2",
    ">/dev/null",
    "1>/dev/null",
    "2>/dev/null",
    "&>/dev/null",
    "2>>/dev/null",
    "</dev/null",
];

/// Words that mean something else than a program where a command begins.
const RESERVED: [&str; 18] = [
    "if", "then", "else", "elif", "fi", "for", "while", "until", "do", "done", "case", "esac",
    "in", "function", "select", "time", "coproc", "!",
];

/// Builtins that change what the commands behind them mean: `export PATH=.; ls`, `hash -p ./x ls; ls`.
const DECLARING: [&str; 17] = [
    "alias",
    "declare",
    "enable",
    "export",
    "getopts",
    "hash",
    "let",
    "local",
    "mapfile",
    "read",
    "readarray",
    "readonly",
    "set",
    "shopt",
    "typeset",
    "unset",
    "unsetenv",
];

/// Builtins that do so with an option: `printf -v PATH .; ls`, `wait -p PATH`.
const DECLARING_BY_OPTION: [(&str, &str); 2] = [("printf", "-v"), ("wait", "-p")];

/// What some builtins (`test -v`, `let`, `printf -v`) expand inside of a quoted word.
const EXPANDED_LATE: [&str; 4] = ["$(", "${", "$[", "`"];

/// How the user's own folder is written.
const HOME: [&str; 2] = ["${HOME}", "$HOME"];

impl CommandLine {
    /// Reads a line.
    pub(super) fn read(line: &str) -> Self {
        let mut reader = LineReader {
            rest: line,
            is_plain: line.len() <= MAX_LINE,
            commands: vec![SimpleCommand::new()],
            ..LineReader::default()
        };
        while let Some(char) = reader.rest.chars().next() {
            reader.step(char);
        }
        reader.end()
    }
}

/// What the word that comes next is, where it is none of a command.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Target {
    /// A file, or a descriptor.
    File,
    /// The line that ends a here-document.
    Delimiter,
}

#[derive(Default)]
struct LineReader<'l> {
    rest: &'l str,
    is_plain: bool,
    /// Never empty; the last one is being read.
    commands: Vec<SimpleCommand>,
    word: Option<String>,
    in_quotes: bool,
    /// Whether the line may end where a command should begin: behind a `;`.
    may_end: bool,
    target: Option<Target>,
    /// Here-documents that begin with the next line, by their delimiters.
    documents: Vec<String>,
    /// Whether each parenthesis that is open stands in double quotes.
    open: Vec<bool>,
    /// Likewise of a backtick.
    backtick: Option<bool>,
}

impl LineReader<'_> {
    fn step(&mut self, char: char) {
        if self.in_quotes {
            return self.quoted(char);
        }
        if (self.word.is_none() || char == '&')
            && let Some(after) = harmless(self.rest)
        {
            self.end_word();
            self.is_plain &= !self.is_at_start();
            self.rest = after;
            return;
        }
        match char {
            ' ' | '\t' => {
                self.skip(char);
                self.end_word();
            }
            ';' | '|' | '&' => self.operator(),
            '\'' => self.single_quoted(),
            '"' => {
                self.skip(char);
                self.in_quotes = true;
                self.push("");
            }
            '$' => self.expansion(),
            char if char.is_ascii_alphanumeric() || "_-./:=@%+,^".contains(char) => self.take(char),
            '~' if self.word.as_ref().is_some_and(|word| !word.is_empty()) => self.take(char),
            char => {
                self.is_plain = false;
                self.sign(char);
            }
        }
    }

    /// Takes a character that has a meaning in a line that is not plain.
    fn sign(&mut self, char: char) {
        match char {
            '<' | '>' => self.redirection(),
            '\\' => self.escaped(),
            '`' => self.backtick(),
            '#' if self.word.is_none() => {
                let end = self.rest.find('\n').unwrap_or(self.rest.len());
                self.rest = self.rest.get(end..).unwrap_or_default();
            }
            '\n' => {
                self.skip(char);
                self.end_command();
                self.skip_documents();
            }
            '(' => {
                self.skip(char);
                self.end_command();
                self.open.push(false);
            }
            ')' => {
                self.skip(char);
                self.end_command();
                self.in_quotes = self.open.pop() == Some(true);
            }
            '{' | '}' | '!' | '\r' => {
                self.skip(char);
                self.end_command();
            }
            char => self.take(char),
        }
    }

    fn quoted(&mut self, char: char) {
        match char {
            '"' => {
                self.skip(char);
                self.in_quotes = false;
            }
            '$' => self.expansion(),
            '`' => self.backtick(),
            '\\' => self.escaped(),
            char => {
                self.is_plain &= is_printable(char);
                self.take(char);
            }
        }
    }

    fn single_quoted(&mut self) {
        let quoted = self.rest.get(1..).unwrap_or_default();
        let (inner, after) = quoted.split_once('\'').unwrap_or_else(|| {
            self.is_plain = false;
            (quoted, "")
        });
        let is_late = EXPANDED_LATE.iter().any(|form| inner.contains(form));
        self.is_plain &= !is_late && inner.chars().all(is_printable);
        self.push(inner);
        self.rest = after;
    }

    fn operator(&mut self) {
        let signs = ["&&", "||", ";", "|"];
        let sign = signs.into_iter().find(|sign| self.rest.starts_with(sign));
        if sign.is_none() && self.rest.starts_with("&>") {
            self.is_plain = false;
            self.skip('&');
            return self.redirection();
        }
        self.end_word();
        // `&` alone, `|&`, `;;` and the like are others.
        let sign = sign.unwrap_or_else(|| {
            self.is_plain = false;
            "&"
        });
        self.rest = self.rest.get(sign.len()..).unwrap_or_default();
        self.is_plain &= !self.is_at_start() && !self.rest.starts_with(['&', '|', ';']);
        self.end_command();
        self.may_end = sign == ";";
    }

    fn expansion(&mut self) {
        if let Some(after) = self.rest.strip_prefix("$?") {
            self.push(UNKNOWN);
            self.rest = after;
            return;
        }
        self.is_plain = false;
        if let Some(after) = HOME.iter().find_map(|home| self.rest.strip_prefix(home)) {
            self.push("~");
            self.rest = after;
            return;
        }
        self.skip('$');
        if let Some(after) = self.rest.strip_prefix('(') {
            self.rest = after;
            self.end_command();
            self.open.push(self.in_quotes);
            self.in_quotes = false;
            return;
        }
        // `$'...'` is a text.
        if self.rest.starts_with(['\'', '"']) {
            return;
        }
        self.push(UNKNOWN);
        self.rest = match self.rest.strip_prefix('{') {
            Some(inner) => inner.split_once('}').map_or("", |(_, after)| after),
            None => self
                .rest
                .trim_start_matches(|char: char| char.is_ascii_alphanumeric() || char == '_'),
        };
    }

    /// Takes a backslash and what stands behind it.
    fn escaped(&mut self) {
        self.is_plain = false;
        self.skip('\\');
        match self.rest.chars().next() {
            Some('\n') => self.skip('\n'),
            Some(char) => {
                if self.in_quotes && !"\"\\$`".contains(char) {
                    self.push("\\");
                }
                self.take(char);
            }
            None => {}
        }
    }

    fn backtick(&mut self) {
        self.is_plain = false;
        self.skip('`');
        self.end_command();
        self.in_quotes = match self.backtick.take() {
            Some(in_quotes) => in_quotes,
            None => {
                self.backtick = Some(self.in_quotes);
                false
            }
        };
    }

    fn redirection(&mut self) {
        if self
            .word
            .take_if(|word| word.chars().all(|char| char.is_ascii_digit()))
            .is_none()
        {
            self.end_word();
        }
        let is_document = self.rest.starts_with("<<") && !self.rest.starts_with("<<<");
        self.target = Some(if is_document {
            Target::Delimiter
        } else {
            Target::File
        });
        self.rest = self.rest.trim_start_matches(['<', '>', '&', '|', '-']);
    }

    /// Skips the here-documents of the line before, unless something that runs its input may read them.
    fn skip_documents(&mut self) {
        let documents = std::mem::take(&mut self.documents);
        if self
            .commands
            .iter()
            .flatten()
            .any(|word| runners::runs_others(word))
        {
            return;
        }
        for delimiter in documents {
            while !self.rest.is_empty() {
                let (line, after) = self.rest.split_once('\n').unwrap_or((self.rest, ""));
                self.rest = after;
                if line.trim_start_matches('\t') == delimiter {
                    break;
                }
            }
        }
    }

    fn skip(&mut self, char: char) {
        self.rest = self.rest.get(char.len_utf8()..).unwrap_or_default();
    }

    fn take(&mut self, char: char) {
        self.push(char.encode_utf8(&mut [0; 4]));
        self.skip(char);
    }

    fn push(&mut self, text: &str) {
        self.word.get_or_insert_default().push_str(text);
    }

    /// Tells whether a command is to begin.
    fn is_at_start(&self) -> bool {
        self.commands.last().is_none_or(Vec::is_empty)
    }

    fn end_word(&mut self) {
        let Some(word) = self.word.take() else {
            return;
        };
        match self.target.take() {
            Some(Target::File) => return,
            Some(Target::Delimiter) => return self.documents.push(word),
            None => {}
        }
        if self.is_at_start() {
            let is_reserved = RESERVED.contains(&word.as_str());
            let is_program = !word.is_empty() && !word.contains(['=', '\u{fffe}']);
            let declares = DECLARING.contains(&word.as_str());
            self.is_plain &= is_program && !is_reserved && !declares;
            if is_reserved || word.contains('=') {
                return;
            }
        }
        if let Some(command) = self.commands.last_mut() {
            let declares = |(name, option): &(&str, &str)| {
                command.first().is_some_and(|own| own == name) && word.starts_with(option)
            };
            self.is_plain &= !DECLARING_BY_OPTION.iter().any(declares);
            command.push(word);
        }
    }

    fn end_command(&mut self) {
        self.end_word();
        self.target = None;
        self.may_end = false;
        if !self.is_at_start() {
            self.commands.push(SimpleCommand::new());
        }
    }

    fn end(mut self) -> CommandLine {
        self.is_plain &= !self.in_quotes;
        self.end_word();
        if self.is_at_start() {
            self.is_plain &= self.may_end;
            self.commands.pop();
        }
        CommandLine {
            commands: self.commands,
            is_plain: self.is_plain,
        }
    }
}

fn harmless(rest: &str) -> Option<&str> {
    HARMLESS.iter().find_map(|form| {
        let after = rest.strip_prefix(form)?;
        let ends = after.is_empty() || after.starts_with([' ', '\t', ';', '|']);
        ends.then_some(after)
    })
}

fn is_printable(char: char) -> bool {
    char == ' ' || char.is_ascii_graphic()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(line: &CommandLine) -> Vec<String> {
        let words = line.commands.iter().map(|command| command.join("·"));
        words.map(|text| text.replace(UNKNOWN, "*")).collect()
    }

    #[test]
    fn plain_lines_are_read() {
        for (text, expected) in [
            ("cargo test", &["cargo·test"][..]),
            ("  cargo\t test ;", &["cargo·test"]),
            ("a && b || c; d | e", &["a", "b", "c", "d", "e"]),
            ("a&&b|c", &["a", "b", "c"]),
            ("a&>/dev/null", &["a"]),
            ("cargo test 2>&1 | tail -5", &["cargo·test", "tail·-5"]),
            ("a >/dev/null 2>&1", &["a"]),
            (
                "git commit -m 'a; b' \"c | d\"",
                &["git·commit·-m·a; b·c | d"],
            ),
            ("awk '{print $1}' x", &["awk·{print $1}·x"]),
            ("g\"i\"'t' push", &["git·push"]),
            ("exit $?", &["exit·*"]),
            ("echo \"code $?\"", &["echo·code *"]),
        ] {
            let line = CommandLine::read(text);
            assert!(line.is_plain, "{text}");
            assert_eq!(shown(&line), expected, "{text}");
        }
    }

    #[test]
    fn commands_show_in_lines_that_are_not_plain() {
        for (text, expected) in [
            ("A=1 git push > x", &["git·push"][..]),
            ("git >x push <y origin", &["git·push·origin"]),
            ("git <<<x push 2>&-", &["git·push"]),
            ("a && git &>x push", &["a", "git·push"]),
            ("if true; then git push; fi", &["true", "git·push"]),
            ("f() { git push; }; f", &["f", "git·push", "f"]),
            ("! (git push) & a", &["git·push", "a"]),
            (
                "echo \"$(git push) x\"; b",
                &["echo·", "git·push", " x", "b"],
            ),
            ("echo \"`git push`\"; b", &["echo·", "git·push", "b"]),
            ("cat <(git push)", &["cat", "git·push"]),
            ("git \\\n push \\;", &["git·push·;"]),
            ("rm -rf ${HOME} \"$HOME\"/x", &["rm·-rf·~·~/x"]),
            ("git $x pu${y}sh $'z'", &["git·*·pu*sh·z"]),
            ("a # b; c\nd", &["a", "d"]),
            ("cat <<-'E' >x; b\n git push\n\tE\nc", &["cat", "b", "c"]),
            ("sh <<E\ngit push\nE\n", &["sh", "git·push", "E"]),
        ] {
            let line = CommandLine::read(text);
            assert!(!line.is_plain, "{text}");
            assert_eq!(shown(&line), expected, "{text}");
        }
    }

    #[test]
    fn anything_else_is_not_plain() {
        for line in [
            "",
            " ",
            ";",
            "&& a",
            "a &&",
            "a | ",
            "a || || b",
            "a ;; b",
            "a |& b",
            "a & b",
            "a &",
            "a\nb",
            "a\rb",
            "a\u{c}b",
            "a\u{a0}b",
            "a # b",
            "a#b",
            "# a",
            "a \\; b",
            "\\ls",
            "echo $'a'",
            "echo $\"a\"",
            "echo \"`b`\"",
            "echo `b`",
            "echo $(b)",
            "echo \"$(b)\"",
            "echo ${x='$(b)'}",
            "echo $x",
            "echo \"$x\"",
            "echo $[b]",
            "echo $((1))",
            "echo a[0]",
            "echo \"${x#'\"'}\"",
            "test -v 'a[$(b)]'",
            "echo '`b`'",
            "ls *",
            "ls ?",
            "ls [a]",
            "ls {a,b}",
            "ls ~",
            "ls ~/x",
            "a > b",
            "a >b",
            "a >> b",
            "a < b",
            "a << b",
            "a <<< b",
            "a <(b)",
            "a >(b)",
            "a 2> b",
            "a >/dev/nullx",
            "a >/dev/null/../x",
            "a2>&1x",
            "> /dev/null",
            ">/dev/null",
            "(a)",
            "{ a; }",
            "! a",
            "if a; then b; fi",
            "time a",
            "A=1 b",
            "A=1",
            "''",
            "'' a",
            "a 'b",
            "a \"b",
            "a \\",
            "a\\\nb",
            "é",
            "echo 'é'",
            "echo \"a\\\"b\"",
            "coproc a",
            "a=(b)",
            "function a",
            "[[ a ]]",
            "export A",
            "unset PATH; a",
            "((a))",
        ] {
            assert!(!CommandLine::read(line).is_plain, "{line:?}");
        }
    }
}
