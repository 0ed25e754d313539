//! Patterns of rules.
//!
//! In: a pattern, in which `*` stands for any text and `?` for one character, and a text. Out: whether the whole text fits.

/// Tells whether a text fits a pattern. One that ends in ` *` fits without the blank as well, so
/// that `cargo test *` is also `cargo test`.
pub fn matches(pattern: &str, text: &str) -> bool {
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

#[cfg(test)]
mod tests {
    use super::*;

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
