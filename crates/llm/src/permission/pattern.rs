//! Patterns of rules.
//!
//! In: a pattern, in which `*` stands for any text and `?` for one character, and a text, of which
//! parts may be unknown. Out: whether the whole text fits, or could fit.

use super::word::Token;

/// Tells whether a text fits a pattern. One that ends in ` *` fits without the blank as well, so
/// that `cargo test *` is also `cargo test`.
pub(super) fn matches(pattern: &str, text: &str) -> bool {
    let bare = pattern.strip_suffix(" *");
    bare.is_some_and(|bare| fits(bare, text)) || fits(pattern, text)
}

/// Linear in both, but for the last star: it is the only one that is ever tried anew.
fn fits(pattern: &str, text: &str) -> bool {
    let (pattern, text): (Vec<char>, Vec<char>) =
        (pattern.chars().collect(), text.chars().collect());
    let (mut at, mut read) = (0, 0);
    let mut star: Option<(usize, usize)> = None;
    while read < text.len() {
        match pattern.get(at) {
            Some('*') => {
                star = Some((at + 1, read));
                at += 1;
            }
            Some(wanted) if *wanted == '?' || text.get(read) == Some(wanted) => {
                at += 1;
                read += 1;
            }
            _ => {
                let Some((after, from)) = star else {
                    return false;
                };
                star = Some((after, from + 1));
                (at, read) = (after, from + 1);
            }
        }
    }
    pattern.iter().skip(at).all(|rest| *rest == '*')
}

/// Tells whether a text with unknown parts could fit a pattern, as [`matches`] has it.
pub(super) fn may_match(pattern: &str, text: &[Token]) -> bool {
    let bare = pattern.strip_suffix(" *");
    bare.is_some_and(|bare| may_fit(bare, text)) || may_fit(pattern, text)
}

/// Follows all places of the pattern that the text read so far can lead to. The work is the
/// product of both lengths.
fn may_fit(pattern: &str, text: &[Token]) -> bool {
    let pattern: Vec<char> = pattern.chars().collect();
    let mut open = vec![false; pattern.len() + 1];
    open.first_mut().into_iter().for_each(|first| *first = true);
    skip_stars(&pattern, &mut open);
    for token in text {
        let mut next = vec![false; open.len()];
        for (at, _) in open.iter().enumerate().filter(|(_, is_open)| **is_open) {
            match (token, pattern.get(at)) {
                // Some text leads from here to every later place.
                (Token::Any, _) => next.iter_mut().skip(at).for_each(|place| *place = true),
                (Token::Char(_), Some('*')) => set(&mut next, at),
                (Token::Char(char), Some(wanted)) if *wanted == '?' || wanted == char => {
                    set(&mut next, at + 1);
                }
                (Token::Char(_), _) => {}
            }
        }
        skip_stars(&pattern, &mut next);
        open = next;
    }
    open.last().copied().unwrap_or_default()
}

/// A star may stand for nothing.
fn skip_stars(pattern: &[char], open: &mut [bool]) {
    for (at, char) in pattern.iter().enumerate() {
        if *char == '*' && open.get(at).copied().unwrap_or_default() {
            set(open, at + 1);
        }
    }
}

fn set(places: &mut [bool], at: usize) {
    places
        .get_mut(at)
        .into_iter()
        .for_each(|place| *place = true);
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn a_known_text_could_fit_exactly_if_it_fits(pattern in "[ab*? ]{0,8}", text in "[ab ]{0,8}") {
            let tokens: Vec<Token> = text.chars().map(Token::Char).collect();
            prop_assert_eq!(may_match(&pattern, &tokens), matches(&pattern, &text));
        }

        #[test]
        fn an_unknown_part_could_be_any_text(
            pattern in "[ab*?]{0,6}",
            head in "[ab]{0,3}",
            part in "[ab]{0,3}",
            tail in "[ab]{0,3}",
        ) {
            let mut tokens: Vec<Token> = head.chars().map(Token::Char).collect();
            tokens.push(Token::Any);
            tokens.extend(tail.chars().map(Token::Char));
            let fits = matches(&pattern, &format!("{head}{part}{tail}"));
            prop_assert!(!fits || may_match(&pattern, &tokens));
        }
    }

    #[test]
    fn what_could_fit_is_told_from_what_cannot() {
        let check = |pattern: &str, text: &str, expected: bool| {
            let token = |char| {
                if char == '*' {
                    Token::Any
                } else {
                    Token::Char(char)
                }
            };
            let tokens: Vec<Token> = text.chars().map(token).collect();
            assert_eq!(may_match(pattern, &tokens), expected, "{pattern} on {text}");
        };
        check("git push*", "git *", true);
        check("git push*", "* push", true);
        check("git push*", "*", true);
        check("git push*", "git status *", false);
        check("git push*", "wc *", false);
        check("rm *", "rm", true);
    }

    fn check(pattern: &str, text: &str, expected: bool) {
        assert_eq!(matches(pattern, text), expected, "{pattern:?} on {text:?}");
    }

    #[test]
    fn stars_stand_for_anything() {
        check("*", "", true);
        check("cargo test*", "cargo test --lib", true);
        check("cargo test*", "cargo build", false);
        check("*.env", "config/.env", true);
        check("a*b*c", "a-b-b-c", true);
        check("a*b*c", "a-c", false);
        check("a?c", "abc", true);
        check("a?c", "ac", false);
        check("", "", true);
        check("", "a", false);
    }

    #[test]
    fn a_last_word_of_star_may_be_missing() {
        check("cargo test *", "cargo test", true);
        check("cargo test *", "cargo test -p x", true);
        check("cargo test *", "cargo tests", false);
    }
}
