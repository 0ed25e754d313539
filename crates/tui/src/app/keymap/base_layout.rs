//! Letters of other scripts, read as the keys of a Latin keyboard that they are on.
//!
//! In: a letter. Out: the character that the same key types on a US keyboard. Terminals that tell of that key themselves (kitty)
//! do so in a field that the library for terminals does not hand on, so that the letter is all there is.
//!
//! What holds: the layouts that computers come with for Russian, Ukrainian, Belarusian and Greek. Letters that these have in
//! common with other layouts are on other keys there (Bulgarian BDS, the phonetic ones); whoever uses those names keys in
//! `[keys]`. Characters that are no letters are read as they are: `.` is the full stop, whichever key types it.

/// Each layout, and the US keyboard's characters on the same keys.
const LAYOUTS: [(&str, &str); 6] = [
    (
        "йцукенгшщзхъфывапролджэячсмитьбюё",
        "qwertyuiop[]asdfghjkl;'zxcvbnm,.`",
    ),
    (
        "ЙЦУКЕНГШЩЗХЪФЫВАПРОЛДЖЭЯЧСМИТЬБЮЁ",
        "QWERTYUIOP{}ASDFGHJKL:\"ZXCVBNM<>~",
    ),
    // Ukrainian and Belarusian, where they differ.
    ("іїєў", "s]'o"),
    ("ІЇЄЎ", "S}\"O"),
    ("ςερτυθιοπασδφγηξκλζχψωβνμ", "wertyuiopasdfghjklzxcvbnm"),
    ("ΕΡΤΥΘΙΟΠΑΣΔΦΓΗΞΚΛΖΧΨΩΒΝΜ", "ERTYUIOPASDFGHJKLZXCVBNM"),
];

/// Returns what the key of a letter types on a US keyboard; nothing for what is no letter of these layouts.
pub(super) fn latin(letter: char) -> Option<char> {
    let mut pairs = (LAYOUTS.iter()).flat_map(|(own, latin)| own.chars().zip(latin.chars()));
    pairs.find_map(|(own, latin)| (own == letter).then_some(latin))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_letter_has_a_key_and_no_letter_two() {
        let mut seen = std::collections::HashSet::new();
        for (own, latin) in LAYOUTS {
            assert_eq!(own.chars().count(), latin.chars().count(), "{own}");
            assert!(own.chars().all(|letter| !letter.is_ascii()));
            assert!(latin.is_ascii());
            assert!(own.chars().all(|letter| seen.insert(letter)), "{own}");
        }
    }

    #[test]
    fn letters_are_read_by_their_keys() {
        for (letters, expected) in [
            ("фвА", [Some('a'), Some('d'), Some('F')]),
            ("ісх", [Some('s'), Some('c'), Some('[')]),
            ("αΑζ", [Some('a'), Some('A'), Some('z')]),
            ("aé.", [None, None, None]),
        ] {
            assert!(letters.chars().map(latin).eq(expected), "{letters}");
        }
    }
}
