//! Words of commands, of which parts may be unknown until the shell runs.

/// A character of a word, or a place where expansion can put any text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Token {
    /// This character.
    Char(char),
    /// Any text, also none, also several words.
    Any,
}

/// A word of a command after quotes and backslashes are removed.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Word(pub(super) Vec<Token>);

/// The words of a simple command: the program first, assignments and redirections left out.
pub(super) type SimpleCommand = Vec<Word>;

impl Word {
    /// Makes a word without unknown parts.
    pub(super) fn of(text: &str) -> Self {
        Self(text.chars().map(Token::Char).collect())
    }

    /// Makes a word that can be anything.
    pub(super) fn any() -> Self {
        Self(vec![Token::Any])
    }

    /// Makes a word that can be anything that an interpreter runs.
    pub(super) fn any_program() -> Self {
        Self(vec![Token::Any, Token::Any])
    }

    /// Returns the text, if all of it is known.
    pub(super) fn known(&self) -> Option<String> {
        let char = |token: &Token| match token {
            Token::Char(char) => Some(*char),
            Token::Any => None,
        };
        self.0.iter().map(char).collect()
    }

    /// Returns the word without the folders that its program is in.
    pub(super) fn base_name(&self) -> Self {
        let last = self.0.iter().rposition(|token| *token == Token::Char('/'));
        let start = last.map_or(0, |slash| slash + 1);
        Self(self.0.get(start..).unwrap_or_default().to_vec())
    }

    fn starts_with_dash(&self) -> bool {
        matches!(self.0.first(), Some(Token::Char('-') | Token::Any))
    }
}

/// Returns the words with a blank between each two.
pub(super) fn joined(words: &[Word]) -> Vec<Token> {
    let mut tokens = Vec::new();
    for (at, word) in words.iter().enumerate() {
        tokens.extend((at > 0).then_some(Token::Char(' ')));
        tokens.extend(&word.0);
    }
    tokens
}

/// Returns a command without options between its program and its first other word, with and
/// without a value for each: `git -C x push` is `git push` too.
pub(super) fn without_options(command: &[Word]) -> Vec<SimpleCommand> {
    let Some((program, words)) = command.split_first() else {
        return Vec::new();
    };
    let mut starts = vec![0];
    let mut at = 0;
    while let Some(start) = starts.get(at).copied() {
        at += 1;
        if words.get(start).is_some_and(Word::starts_with_dash) {
            for next in [start + 1, start + 2] {
                if next <= words.len() && !starts.contains(&next) {
                    starts.push(next);
                }
            }
        }
    }
    let rest = |start: usize| words.get(start..).unwrap_or_default();
    let with = |start| std::iter::once(program.base_name()).chain(rest(start).to_vec());
    starts
        .into_iter()
        .map(|start| with(start).collect())
        .collect()
}
