//! Numbers of things in words: `1 hunk`, `2 hunks`, `0 matches`.

use std::fmt::Display;

/// Returns a number with its noun, whose plural takes an `s`.
pub fn counted(count: usize, noun: &str) -> String {
    match count {
        1 => format!("1 {noun}"),
        _ => format!("{count} {noun}s"),
    }
}

/// Returns a number with the form of its noun that it takes.
pub fn amount(count: usize, one: impl Display, several: impl Display) -> String {
    match count {
        1 => format!("1 {one}"),
        _ => format!("{count} {several}"),
    }
}

/// Returns a number in few digits, as `12.4k`.
pub fn thousands(count: u64) -> String {
    match count {
        0..1_000 => count.to_string(),
        _ => format!("{}.{}k", count / 1_000, count % 1_000 / 100),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_thing_is_counted_in_the_singular() {
        let hunks = [0, 1, 2].map(|count| counted(count, "hunk"));
        assert_eq!(hunks, ["0 hunks", "1 hunk", "2 hunks"]);
        let matches = [0, 1, 2].map(|count| amount(count, "match", "matches"));
        assert_eq!(matches, ["0 matches", "1 match", "2 matches"]);
    }
}
