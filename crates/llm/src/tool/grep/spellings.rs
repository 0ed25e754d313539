//! Other spellings of a name: other case, with and without `_` and `-` between its words.
//!
//! In: a pattern that matches nothing. Out: a pattern of its other spellings, if it is one name.

/// Characters of a name that is worth another look.
const LEAST: usize = 4;

/// Returns a regular expression for the spellings of a name; none for what is no name.
pub(super) fn spellings(pattern: &str) -> Option<String> {
    if pattern.len() < LEAST
        || !pattern
            .chars()
            .all(|c: char| c.is_ascii_alphanumeric() || c == '_' || c == '-')
    {
        return None;
    }
    let mut words: Vec<String> = vec![String::new()];
    let mut before = ' ';
    for c in pattern.chars() {
        let begins = c.is_ascii_uppercase() && !before.is_ascii_uppercase();
        if matches!(c, '_' | '-') || begins {
            words.push(String::new());
        }
        if let Some(word) = words.last_mut().filter(|_| !matches!(c, '_' | '-')) {
            word.push(c);
        }
        before = c;
    }
    words.retain(|word| !word.is_empty());
    (!words.is_empty()).then(|| format!("(?i){}", words.join("[_-]?")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_has_other_spellings_and_a_pattern_has_none() {
        for (pattern, expected) in [
            ("parseHeader", Some("(?i)parse[_-]?Header")),
            ("parse_header", Some("(?i)parse[_-]?header")),
            ("MAX_SIZE", Some("(?i)MAX[_-]?SIZE")),
            ("HTTPServer", Some("(?i)HTTPServer")),
            ("name", Some("(?i)name")),
            ("abc", None),
            ("a.*b", None),
            ("fn main", None),
            ("____", None),
        ] {
            assert_eq!(spellings(pattern).as_deref(), expected, "{pattern}");
        }
    }
}
