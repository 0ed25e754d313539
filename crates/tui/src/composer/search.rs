//! Search of earlier prompts, newest first, while its words are typed in the input.

use std::collections::HashSet;

use super::Composer;
use super::menu::{Choice, Menu, MenuKind};

/// The most prompts that a search lists: more than anybody goes through line by line.
const MOST: usize = 100;

/// Characters of a prompt that its line shows, more than any screen has columns.
const SHOWN: usize = 400;

/// What was in the input when the search began.
#[derive(Debug)]
pub(super) struct Search {
    draft: String,
}

impl Search {
    pub(super) fn draft(&self) -> &str {
        &self.draft
    }
}

impl Composer {
    /// Returns true while earlier prompts are searched.
    pub(crate) fn is_searching(&self) -> bool {
        self.search.is_some()
    }

    /// Begins the search; what was typed comes back when it is ended.
    pub(crate) fn begin_search(&mut self) {
        if self.search.is_none() {
            let draft = self.buffer.text().to_owned();
            self.buffer.set("");
            self.search = Some(Search { draft });
        }
        self.search_again();
    }

    /// Lists the prompts that have all words of the input.
    pub(crate) fn search_again(&mut self) {
        let text = self.buffer.text();
        let words: Vec<String> = text.split_whitespace().map(str::to_lowercase).collect();
        let has_all = |prompt: &&String| {
            let prompt = prompt.to_lowercase();
            words.iter().all(|word| prompt.contains(word))
        };
        let mut listed = HashSet::new();
        let found = self.past.iter().rev().filter(has_all);
        let found = found.filter(|prompt| listed.insert(prompt.as_str()));
        let choices = found.take(MOST).cloned().map(Choice::of_prompt).collect();
        self.menu = Some(Menu::new(MenuKind::Prompts, 0..text.len(), choices));
    }

    /// Ends the search and gives back what was typed before; false if there is none.
    pub(crate) fn end_search(&mut self) -> bool {
        let Some(search) = self.search.take() else {
            return false;
        };
        self.menu = None;
        self.buffer.set(&search.draft);
        true
    }
}

impl Choice {
    /// Returns a prompt as a line of a menu.
    pub(crate) fn of_prompt(prompt: String) -> Self {
        let start: String = prompt.chars().take(SHOWN).collect();
        Self {
            text: prompt,
            name: start.replace('\n', " ↵ "),
            help: String::new(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn finds_prompts_by_their_words_newest_first() {
        let mut composer = Composer::default();
        for prompt in ["Fix the parser", "why?", "fix the lexer", "why?", "draft"] {
            composer.paste(prompt);
            if prompt != "draft" {
                composer.take();
            }
        }
        let names = |composer: &Composer| {
            let rows = composer.menu().unwrap().rows(40);
            crate::wrap::text_of(&rows).join("|")
        };
        composer.begin_search();
        assert_eq!(names(&composer), "▸ why?|  fix the lexer|  Fix the parser");
        assert_eq!(composer.draft(), "draft");
        composer.paste("PARS fix");
        composer.search_again();
        assert_eq!(names(&composer), "▸ Fix the parser");
        composer.paste("nowhere");
        composer.search_again();
        assert_eq!(names(&composer), "  no prompt has that");
        assert!(composer.end_search());
        assert_eq!(
            (&*composer.text(), composer.menu().is_none()),
            ("draft", true)
        );
        assert!(!composer.end_search());
    }
}
