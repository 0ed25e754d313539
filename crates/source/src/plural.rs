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

/// Returns a number of bytes in the unit that a person would choose.
pub fn size(bytes: u64) -> String {
    const UNITS: [&str; 4] = ["kB", "MB", "GB", "TB"];
    let mut size = bytes as f64;
    let mut unit = "bytes";
    for next in UNITS {
        if size < 1000.0 {
            break;
        }
        size /= 1000.0;
        unit = next;
    }
    if unit == "bytes" {
        counted(usize::try_from(bytes).unwrap_or(usize::MAX), "byte")
    } else {
        format!("{size:.1} {unit}")
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

    #[test]
    fn sizes_have_a_unit() {
        let told = [0, 999, 1_000, 1_234_567, 5_000_000_000].map(size);
        assert_eq!(told, ["0 bytes", "999 bytes", "1.0 kB", "1.2 MB", "5.0 GB"]);
    }
}
