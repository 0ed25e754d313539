//! Lines of the settings in a configuration file.
//!
//! In: a text that is understood. Out: the line of each key, by its path, so that what is found wrong with a value later
//! than by the parser is said with its line.
//!
//! Example: in `[keys.review]`, then `approve = "f5"`, `keys` and `keys.review` are on line 1, and `keys.review.approve` is
//! on line 2. Tables in lists have no lines.

use std::collections::BTreeMap;

use toml::de::{DeTable, DeValue};

/// The lines of a file's settings, counted from 1.
#[derive(Clone, Debug, Default)]
pub(super) struct SettingLines(BTreeMap<Vec<String>, usize>);

impl SettingLines {
    /// Finds the settings of a file. A text that is not understood has none.
    pub(super) fn of(text: &str) -> Self {
        let mut lines = BTreeMap::new();
        let Ok(file) = DeTable::parse(text) else {
            return Self(lines);
        };
        let breaks: Vec<usize> = text.match_indices('\n').map(|(at, _)| at).collect();
        let mut tables = vec![(Vec::new(), file.get_ref())];
        while let Some((path, table)) = tables.pop() {
            for (key, value) in table {
                let mut path: Vec<String> = path.clone();
                path.push(key.get_ref().clone().into_owned());
                let before = breaks.partition_point(|at| *at < key.span().start);
                lines.insert(path.clone(), before + 1);
                if let DeValue::Table(table) = value.get_ref() {
                    tables.push((path, table));
                }
            }
        }
        Self(lines)
    }

    /// Says where in the user's file settings are: its name, with their lines as far as these are known.
    pub(super) fn place(&self, settings: &[Vec<String>]) -> String {
        let mut lines: Vec<usize> = settings
            .iter()
            .filter_map(|path| self.0.get(path).copied())
            .collect();
        lines.sort_unstable();
        lines.dedup();
        let numbers: Vec<String> = lines.iter().map(usize::to_string).collect();
        match numbers.as_slice() {
            [] => "config.toml".to_owned(),
            [line] => format!("config.toml, line {line}"),
            lines => format!("config.toml, lines {}", lines.join(" and ")),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn settings_are_on_the_lines_of_their_keys() {
        let lines = SettingLines::of(
            "# ä\nmodel = 'm'\n\n[keys.review]\napprove = 'f5'\ndeny = [\n 'f6',\n]\nfold = 'x'\r\n\
             [headers]\n\"X.Y\" = 'z'\n[interface]\nwait = { a.b = 1 }\n",
        );
        let check = |settings: &[&[&str]], expected: &str| {
            let paths = settings.iter();
            let paths = paths.map(|path| path.iter().map(|key| (*key).to_owned()).collect());
            assert_eq!(lines.place(&paths.collect::<Vec<_>>()), expected);
        };
        check(&[&["model"]], "config.toml, line 2");
        check(&[&["keys"]], "config.toml, line 4");
        check(&[&["keys", "review"]], "config.toml, line 4");
        check(&[&["keys", "review", "deny"]], "config.toml, line 6");
        check(&[&["headers", "X.Y"]], "config.toml, line 11");
        check(&[&["interface", "wait", "a", "b"]], "config.toml, line 13");
        let both: [&[&str]; 2] = [&["keys", "review", "fold"], &["keys", "review", "approve"]];
        check(&both, "config.toml, lines 5 and 9");
        check(&[&["model"], &["model"]], "config.toml, line 2");
        check(&[&["nothing"]], "config.toml");
        let unknown = SettingLines::of("[turn\n");
        assert_eq!(unknown.place(&[vec!["turn".to_owned()]]), "config.toml");
    }
}
