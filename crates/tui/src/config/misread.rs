//! What is wrong with a configuration file, told without its text, which may hold a key.
//!
//! In: an error of the TOML parser. Out: line, column and message; strings are left out.

/// Returns an error as one line.
pub(super) fn described(error: &toml::de::Error, text: &str) -> String {
    let message = without_strings(error.message()).replace('\n', "; ");
    let Some(before) = error.span().and_then(|span| text.get(..span.start)) else {
        return message;
    };
    let line = before.matches('\n').count() + 1;
    let last = before.rsplit('\n').next().unwrap_or_default();
    let column = last.chars().count() + 1;
    format!("line {line}, column {column}: {message}")
}

/// Returns a message without the value in `invalid type: string "...", expected a sequence`.
fn without_strings(message: &str) -> String {
    const BEFORE: &str = "string \"";
    let Some((before, rest)) = message.split_once(BEFORE) else {
        return message.to_owned();
    };
    let mut escaped = false;
    let end = rest.find(|c| {
        let is_end = c == '"' && !escaped;
        escaped = c == '\\' && !escaped;
        is_end
    });
    let rest = end.and_then(|end| rest.get(end + 1..)).unwrap_or_default();
    format!("{before}string{}", without_strings(rest))
}

#[cfg(test)]
mod tests {
    use super::super::UserFile;
    use super::*;

    #[test]
    fn a_mistake_is_told_by_its_place_and_without_the_key() {
        for (text, expected) in [
            (
                "api_key = 'sk-secret'",
                "line 1, column 1: unknown field `api_key`",
            ),
            ("\nurl = 'http://me:sk-secret@a", "line 2, column "),
            ("[headers]\nX-Key = sk-secret", "line 2, column 9: "),
            (
                "api_key_command = 'sk-secret'",
                "line 1, column 19: invalid type: string, expected",
            ),
            (
                r#"models = "a\"sk-secret""#,
                "line 1, column 10: invalid type: string, expected",
            ),
            (
                "proxy = ['sk-secret']",
                "line 1, column 9: invalid type: sequence",
            ),
            ("sk-secret", "line 1, column "),
        ] {
            let error = toml::from_str::<UserFile>(text).unwrap_err();
            let told = described(&error, text);
            assert!(told.starts_with(expected), "{text}: {told}");
            assert!(
                !told.contains("sk-secret") && !told.contains('\n'),
                "{text}: {told}"
            );
        }
    }
}
