//! A command as a person would type it.

use std::ffi::OsStr;

/// Returns the words of a command in one line, quoted where a shell would read them otherwise.
pub fn command_line(words: impl Iterator<Item = impl AsRef<OsStr>>) -> String {
    let words: Vec<String> = words.map(|word| typed(word.as_ref())).collect();
    words.join(" ")
}

fn typed(word: &OsStr) -> String {
    let word = word.to_string_lossy();
    if !word.is_empty()
        && word
            .chars()
            .all(|c: char| c.is_alphanumeric() || "-_./=:,@%+".contains(c))
    {
        word.into_owned()
    } else {
        format!("'{}'", word.replace('\'', "'\\''"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_command_is_told_as_it_is_typed() {
        let words = ["sed", "-i", "s/a b/c/", "", "it's"];
        assert_eq!(
            command_line(words.iter()),
            "sed -i 's/a b/c/' '' 'it'\\''s'"
        );
    }
}
