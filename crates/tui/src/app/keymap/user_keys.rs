//! The user's keys: `[keys]` of the configuration.
//!
//! In: tables of a context each, with names of actions and keys. Out: the key map with them, or everything that is wrong.
//!
//! Example: `review.approve = "f5"` makes F5 approve; `a` approves nothing then. `review.fold = "a"` beside it gives `a`
//! to the fold, and without it takes `a` from `approve`, which has no key left.

use ratatui::crossterm::event::{KeyCode, KeyEvent, KeyModifiers};
use signoff_core::spelling::did_you_mean;

use super::{Binding, Chord, Context, KeyLine, KeyMap, key_name, typed};

/// The keys that lead out of everything: no action gains or loses them.
const FIXED: [Chord; 2] = [
    (KeyCode::Esc, KeyModifiers::NONE),
    (KeyCode::Char('c'), KeyModifiers::CONTROL),
];

/// What is wrong with the user's keys.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UserKeyError {
    /// The paths of the settings that it is about, in the configuration.
    pub settings: Vec<Vec<String>>,
    /// What is wrong.
    pub message: String,
}

impl UserKeyError {
    /// Returns an error about `keys`, a context or an action of one, named by the keys below `keys`.
    fn at(below: &[&str], message: String) -> Self {
        Self {
            settings: vec![path(below)],
            message,
        }
    }
}

fn path(below: &[&str]) -> Vec<String> {
    let all = ["keys"].into_iter().chain(below.iter().copied());
    all.map(str::to_owned).collect()
}

/// What the user wants of one line of the table.
struct Wish {
    /// Which line.
    line: usize,
    keys: Vec<Chord>,
}

impl KeyMap {
    /// Returns the built-in keys with the user's changes, or all that is wrong with these.
    pub fn with_user_keys(keys: &toml::Value) -> Result<Self, Vec<UserKeyError>> {
        let built_in = Self::default();
        let Some(tables) = keys.as_table() else {
            let message = "`keys` is not a table: write `[keys.review]` and `approve = \"f5\"`";
            return Err(vec![UserKeyError::at(&[], message.to_owned())]);
        };
        let mut errors = Vec::new();
        let mut wishes = Vec::new();
        for (word, table) in tables {
            match built_in.wishes(word, table) {
                Ok(of_context) => {
                    for wish in of_context {
                        match wish {
                            Ok(wish) => wishes.push(wish),
                            Err(error) => errors.push(error),
                        }
                    }
                }
                Err(error) => errors.push(error),
            }
        }
        errors.extend(built_in.contradictions(&wishes));
        if errors.is_empty() {
            Ok(built_in.changed(wishes))
        } else {
            Err(errors)
        }
    }

    /// Reads the table of one context.
    fn wishes(
        &self,
        word: &str,
        table: &toml::Value,
    ) -> Result<Vec<Result<Wish, UserKeyError>>, UserKeyError> {
        let contexts = || Context::all().map(Context::word);
        let Some(context) = Context::all().find(|it| it.word() == word) else {
            let near = did_you_mean(word, contexts());
            let all: Vec<String> = contexts().map(|word| format!("`{word}`")).collect();
            let message = format!(
                "`keys.{word}` is not a place for keys{near}: there are {}",
                all.join(", ")
            );
            return Err(UserKeyError::at(&[word], message));
        };
        let Some(entries) = table.as_table() else {
            let message = format!("`keys.{word}` is not a table of actions");
            return Err(UserKeyError::at(&[word], message));
        };
        let wish = |(id, value): (&String, &toml::Value)| {
            let wrong = |message| UserKeyError::at(&[word, id], message);
            let line = self.find(context, id).map_err(wrong)?;
            let binding = self.0.get(line).map(|line| line.binding);
            let keys = keys_of(value).and_then(|names| {
                let keys = names.into_iter().map(|name| {
                    let key = key_name::parse(name)?;
                    binding.map_or(Ok(()), |binding| allow(binding, key))?;
                    Ok(key)
                });
                keys.collect::<Result<Vec<_>, String>>()
            });
            let keys = keys.map_err(|error| wrong(format!("`keys.{word}.{id}`: {error}")))?;
            Ok(Wish { line, keys })
        };
        Ok(entries.iter().map(wish).collect())
    }

    /// Returns which line of the table is an action of a context.
    fn find(&self, context: Context, id: &str) -> Result<usize, String> {
        let is_meant = |binding: &Binding| binding.context == context && binding.id == id;
        let at = self.0.iter().position(|line| is_meant(line.binding));
        at.ok_or_else(|| {
            let word = context.word();
            let near = did_you_mean(id, self.of(context).map(|line| line.binding.id));
            format!(
                "`keys.{word}.{id}`: `{id}` is not an action in `{word}`{near}; `signoff keys` lists all"
            )
        })
    }

    /// Returns the keys that the user gives to two actions of one context.
    fn contradictions(&self, wishes: &[Wish]) -> Vec<UserKeyError> {
        let mut out = Vec::new();
        for (index, wish) in wishes.iter().enumerate() {
            for other in wishes.iter().skip(index + 1) {
                let (Some(one), Some(two)) = (self.0.get(wish.line), self.0.get(other.line)) else {
                    continue;
                };
                let shared = wish.keys.iter().find(|key| other.keys.contains(key));
                if let (Some(shared), true) = (shared, one.binding.context == two.binding.context) {
                    let word = one.binding.context.word();
                    let (one, two) = (one.binding.id, two.binding.id);
                    let shared = key_name::shown(*shared);
                    out.push(UserKeyError {
                        settings: vec![path(&[word, one]), path(&[word, two])],
                        message: format!("`keys.{word}`: {shared} is both `{one}` and `{two}`"),
                    });
                }
            }
        }
        out
    }

    /// Returns the map with what the user wants. A key that was another action's in the same context is taken from it.
    fn changed(&self, wishes: Vec<Wish>) -> Self {
        let mut lines = self.0.to_vec();
        for wish in &wishes {
            let context = lines.get(wish.line).map(|line| line.binding.context);
            for line in lines.iter_mut() {
                let loses = |key: &Chord| wish.keys.contains(key) && !FIXED.contains(key);
                if Some(line.binding.context) == context && line.keys().iter().any(loses) {
                    let left = line.keys().iter().copied().filter(|key| !loses(key));
                    *line = KeyLine::new(line.binding, left.collect());
                }
            }
        }
        for Wish { line, mut keys } in wishes {
            let Some(line) = lines.get_mut(line) else {
                continue;
            };
            let built_in = line.binding.chords().into_iter();
            keys.extend(built_in.filter(|key| FIXED.contains(key)));
            let mut unique = Vec::new();
            for key in keys {
                if !unique.contains(&key) {
                    unique.push(key);
                }
            }
            *line = KeyLine::new(line.binding, unique);
        }
        // One line of help names all places as long as their keys are the built-in ones.
        let is_place =
            |line: &KeyLine| line.binding.context == Context::Places && line.binding.answers();
        if lines.iter().any(|line| is_place(line) && line.is_changed()) {
            for line in lines.iter_mut().filter(|line| is_place(line)) {
                line.name_all();
            }
        }
        Self(lines.into())
    }
}

/// Returns the names of keys in an entry.
fn keys_of(value: &toml::Value) -> Result<Vec<&str>, String> {
    const EXPECTED: &str = "expected a key as `\"f5\"`, a list of keys, or `false` for none";
    match value {
        toml::Value::String(name) => Ok(vec![name]),
        toml::Value::Boolean(false) => Ok(Vec::new()),
        toml::Value::Array(names) => {
            let names = names.iter().map(toml::Value::as_str);
            names
                .collect::<Option<_>>()
                .ok_or_else(|| EXPECTED.to_owned())
        }
        toml::Value::Boolean(true)
        | toml::Value::Integer(_)
        | toml::Value::Float(_)
        | toml::Value::Datetime(_)
        | toml::Value::Table(_) => Err(EXPECTED.to_owned()),
    }
}

/// Refuses a key that an action may not have.
fn allow(binding: &Binding, key: Chord) -> Result<(), String> {
    if binding.chords().contains(&key) {
        return Ok(());
    }
    let name = key_name::shown(key);
    if FIXED.contains(&key) {
        return Err(format!(
            "{name} leads out of everything and cannot be given another meaning"
        ));
    }
    if typed(KeyEvent::new(key.0, key.1)).is_none() {
        return Ok(());
    }
    if binding.context == Context::SignOff && binding.answers() {
        return Err(format!(
            "`{name}` types a character, and what is typed ahead must not write: use a key that types nothing, as `enter` \
             or `f5`"
        ));
    }
    if binding.context.takes_characters() {
        return Err(format!(
            "`{name}` types a character, and characters are text in `{}`: use a key that types nothing, as `f5` or `ctrl-x`",
            binding.context.word()
        ));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Result<KeyMap, Vec<UserKeyError>> {
        let file: toml::Table = text.parse().unwrap();
        KeyMap::with_user_keys(file.get("keys").unwrap())
    }

    /// Returns the names of the keys of an action.
    fn names(keys: &KeyMap, action: &str) -> String {
        let (word, id) = action.split_once('.').unwrap();
        let line = keys
            .lines()
            .find(|line| line.binding.context.word() == word && line.binding.id == id);
        line.unwrap().all_names()
    }

    #[test]
    fn the_users_keys_take_the_place_of_the_built_in_ones() {
        for (text, expected) in [
            (
                "[keys.review]\napprove = 'f5'",
                &[("review.approve", "F5"), ("lines.approve", "a, Enter")][..],
            ),
            (
                "[keys.review]\napprove = ['ctrl-a', 'enter']\nsign-off = 'w'",
                &[
                    ("review.approve", "Ctrl-A, Enter"),
                    ("review.sign-off", "w"),
                ],
            ),
            (
                // The action that had the key has none left, or its others.
                "[keys.review]\nfold = 'a'\nnext = 'k'",
                &[
                    ("review.fold", "a"),
                    ("review.approve", ""),
                    ("review.next", "k"),
                    ("review.previous", "Up"),
                ],
            ),
            (
                // Two actions change places.
                "[keys.review]\napprove = 'd'\ndeny = 'a'",
                &[("review.approve", "d"), ("review.deny", "a")],
            ),
            (
                "[keys.review]\nrevert-last = []\nundo = false",
                &[("review.revert-last", ""), ("review.undo", "")],
            ),
            (
                // What leads out stays.
                "[keys.review]\nclose = []\n[keys.anywhere]\ninterrupt = 'f9'",
                &[
                    ("review.close", "Esc"),
                    ("anywhere.interrupt", "F9, Ctrl-C"),
                ],
            ),
            (
                "[keys.empty-composer]\nhelp = ['?', 'f2']\n[keys.composer]\nnewline = ['enter']\nsend = 'alt-enter'",
                &[
                    ("empty-composer.help", "?, F2"),
                    ("composer.newline", "Enter"),
                    ("composer.send", "Alt-Enter"),
                ],
            ),
            (
                "[keys.sign-off]\nwrite = 'f10'",
                &[("sign-off.write", "F10")],
            ),
            ("[keys]", &[("review.approve", "a")]),
        ] {
            let keys = read(text).unwrap_or_else(|errors| panic!("{text}: {errors:?}"));
            for (action, expected) in expected {
                assert_eq!(names(&keys, action), *expected, "{action} in {text}");
            }
        }
    }

    #[test]
    fn what_is_wrong_is_said_with_its_place() {
        for (text, expected) in [
            ("keys = 3", &["`keys` is not a table"][..]),
            (
                "[keys.reviw]\na = 'b'",
                &[
                    "`keys.reviw` is not a place for keys (did you mean `review`?): there are `anywhere`,",
                ],
            ),
            (
                "[keys]\nreview = 'a'",
                &["`keys.review` is not a table of actions"],
            ),
            (
                "[keys.review]\naprove = 'f5'",
                &[
                    "`keys.review.aprove`: `aprove` is not an action in `review` (did you mean `approve`?); `signoff keys`",
                ],
            ),
            (
                "[keys.review]\napprove = 'f99'\ndeny = 5\nundo = [1]\nedit = true",
                &[
                    "`keys.review.approve`: `f99` is not a key",
                    "`keys.review.deny`: expected a key",
                    "`keys.review.edit`: expected a key",
                    "`keys.review.undo`: expected a key",
                ],
            ),
            (
                "[keys.review]\napprove = 'f5'\ndeny = ['f6', 'f5']",
                &["`keys.review`: F5 is both `approve` and `deny`"],
            ),
            (
                "[keys.review]\napprove = 'esc'\ndeny = 'ctrl-c'",
                &[
                    "`keys.review.approve`: Esc leads out of everything",
                    "`keys.review.deny`: Ctrl-C leads out of everything",
                ],
            ),
            (
                "[keys.composer]\nsend = 'x'\n[keys.anywhere]\nhelp = 'ctrl-alt-h'\n[keys.written]\nundo = 'z'",
                &[
                    "`keys.anywhere.help`: `Ctrl-Alt-H` types a character, and characters are text in `anywhere`",
                    "`keys.composer.send`: `x` types a character",
                    "`keys.written.undo`: `z` types a character",
                ],
            ),
            (
                "[keys.sign-off]\nwrite = 'w'\nwrite-and-stop = 'space'",
                &[
                    "`keys.sign-off.write`: `w` types a character, and what is typed ahead must not write",
                    "`keys.sign-off.write-and-stop`: `Space` types a character",
                ],
            ),
        ] {
            let errors = read(text).map(|_| ()).unwrap_err();
            assert_eq!(errors.len(), expected.len(), "{text}: {errors:?}");
            for (error, expected) in errors.iter().zip(expected) {
                assert!(error.message.starts_with(expected), "{text}: {error:?}");
            }
        }
    }

    #[test]
    fn names_on_the_screen_are_those_of_the_keys() {
        let keys =
            read("[keys.review]\napprove = 'f5'\ndeny = false\n[keys.places]\nplace-2 = 'b'")
                .unwrap();
        let name = |id| keys.name(Context::Review, id);
        assert_eq!(name("approve"), "F5");
        assert_eq!(name("deny"), "`deny`", "it has no key");
        assert_eq!(name("next"), "j");
        let places: Vec<String> = keys
            .of(Context::Places)
            .map(|line| line.names().into())
            .collect();
        assert_eq!(places[..3], ["1", "b", "3"]);
        let hints: Vec<String> = keys
            .hints(Context::Review, false)
            .map(|hint| format!("{} {}", hint.key, hint.word))
            .collect();
        assert!(hints.contains(&"F5 approve".to_owned()), "{hints:?}");
        assert!(
            !hints.iter().any(|hint| hint.ends_with("deny")),
            "{hints:?}"
        );
        let built_in = KeyMap::default();
        let places: Vec<String> = built_in
            .of(Context::Places)
            .map(|line| line.names().into())
            .collect();
        assert_eq!(places[..3], ["1-9", "", ""]);
    }
}
