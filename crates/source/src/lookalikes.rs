//! Words that mix letters of several scripts, so that they pass for other words.
//!
//! ```text
//! isАdmin      the third letter is Cyrillic: U+0410
//! Δt, λx, µs   are no such words: these letters look like no Latin ones
//! ```
//!
//! In: a line. Out: its first word that has Latin letters and ones of another script that look like them, or that is made
//! of the latter alone. The letters are those of Unicode's table of confusables (UTS 39) that look like ASCII letters.

use crate::word::is_word;

/// A word that passes for another one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Lookalike {
    /// The word, as it is.
    pub word: String,
    /// Its first letter that is not what it looks like.
    pub letter: char,
}

/// Letters of scripts that share few with Latin, and look like ASCII letters.
const ALIKE: &str = "АВЕЅІЈКМНОРСТУХҮԌԚԜаеѕіјорсухһԁԛԝүӏӀ\
                     ΑΒΕΖΗΙΚΜΝΟΡΤΥΧϹϳοινρυγϲ\
                     ՍՏՕօոսցհյզ\
                     ɑɡıɩꞬⅼⅠⅤⅩⅬⅭⅮⅯⅰⅴⅹⅽⅾⅿǀǁǂǃ";

/// Fewest letters of a word that is made of such letters alone: shorter ones are words of other languages.
const FEWEST_ALIKE: usize = 3;

/// Returns the first word of a line that passes for another one.
pub fn lookalike(line: &str) -> Option<Lookalike> {
    if line.is_ascii() {
        return None;
    }
    let mut words = line.split(|c: char| !is_word(c));
    words.find_map(in_word)
}

fn in_word(word: &str) -> Option<Lookalike> {
    if word.is_ascii() {
        return None;
    }
    let is_mixed = letters(word).any(|c| c.is_ascii_alphabetic());
    let is_alike = letters(word).all(is_alike) && letters(word).count() >= FEWEST_ALIKE;
    let letter = letters(word).find(|c| is_alike_or_foreign(*c, is_mixed))?;
    (is_mixed || is_alike).then(|| Lookalike {
        word: word.to_owned(),
        letter,
    })
}

fn letters(word: &str) -> impl Iterator<Item = char> {
    word.chars().filter(|c| c.is_alphabetic())
}

fn is_alike(c: char) -> bool {
    // Full-width letters, and those of mathematics.
    ALIKE.contains(c) || matches!(c, '\u{ff21}'..='\u{ff5a}' | '\u{1d400}'..='\u{1d7ff}')
}

/// Beside Latin letters, a letter is out of place unless texts write its script in one word with them: `APIを`, `APIका`, `Δt`.
fn is_alike_or_foreign(c: char, is_mixed: bool) -> bool {
    is_alike(c) || is_mixed && !is_beside_latin(c)
}

/// Returns whether a letter is Latin, Greek, of a script of the Near East, India or East Asia, or one of a formula.
fn is_beside_latin(c: char) -> bool {
    matches!(
        c,
        '\0'..='\u{3ff}'
            | '\u{590}'..='\u{109f}'
            | '\u{1100}'..='\u{139f}'
            | '\u{1780}'..='\u{18af}'
            | '\u{1d00}'..='\u{218f}'
            | '\u{2e80}'..='\u{9fff}'
            | '\u{a720}'..='\u{a7ff}'
            | '\u{ac00}'..='\u{fb06}'
            | '\u{fb1d}'..='\u{fffd}'
            | '\u{20000}'..
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_that_pass_for_others_are_found() {
        let check = |line: &str, expected: Option<(&str, char)>| {
            let found = lookalike(line);
            let found = found.as_ref().map(|own| (own.word.as_str(), own.letter));
            assert_eq!(found, expected, "{line}");
        };
        check("if is\u{410}dmin {", Some(("is\u{410}dmin", '\u{410}')));
        check(
            "let \u{430}\u{441}\u{435} = 1;",
            Some(("\u{430}\u{441}\u{435}", '\u{430}')),
        );
        check("f(ad\u{ff4d}in)", Some(("ad\u{ff4d}in", '\u{ff4d}')));
        check("us\u{435}r_id", Some(("us\u{435}r_id", '\u{435}')));
        // Lisu, Coptic, Georgian, and a letter that looks like an exclamation mark.
        check("is\u{a4ee}dmin()", Some(("is\u{a4ee}dmin", '\u{a4ee}')));
        check("\u{2c9f}wner", Some(("\u{2c9f}wner", '\u{2c9f}')));
        check("is\u{10df}dmin", Some(("is\u{10df}dmin", '\u{10df}')));
        check("if (x\u{1c3}=Y)", Some(("x\u{1c3}", '\u{1c3}')));
        for plain in [
            "let a = 1;",
            "let größe = naïve;",
            "Δt + λx + μs",
            "// это обычный текст",
            "API-ключ и SQL",
            "名前 = name",
            "# APIを呼ぶ, APIका, ใช้API",
        ] {
            check(plain, None);
        }
    }
}
