//! Drafts of the user's file: another server and model in it, and all other bytes as they were.
//!
//! In: the text of the file, and what is chosen. Out: the settings that change, the new text, and the file, written as a draft
//! that is renamed. A setting that would go to the new server and is not meant for it becomes a comment.
//!
//! ```text
//! # mine                     # mine
//! model = "a" # fast         model = "b" # fast
//! api_key_env = "KEY"    ->  # api_key_env = "KEY"
//! [turn]                     url = "http://127.0.0.1:8080"
//!                            [turn]
//! ```

use std::fmt::Write as _;
use std::ops::Range;
use std::path::{Path, PathBuf};

use anyhow::{Context as _, bail};
use signoff_llm::provider::Protocol;
use signoff_sandbox::private_file::PrivateFile;
use toml::Value;
use toml::de::DeTable;

use super::workspace_file::WorkspaceFile;
use super::{
    Address, Config, Environment, MAX_BYTES, UserFile, text_of, together, understood, variable,
};
use crate::args::ModelArgs;

/// A server and a model that the user chose.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ModelChoice {
    /// Where the server is.
    pub url: String,
    /// How it is spoken to.
    pub protocol: Protocol,
    /// The model's name; empty until it is known.
    pub model: String,
    /// Where its key comes from.
    pub key: KeySource,
}

/// Where the key of a server comes from, as the file says it: never the key.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum KeySource {
    /// The file says nothing: there is none, or it is in the variable of a known service.
    #[default]
    Unsaid,
    /// The environment variable of this name.
    Variable(String),
    /// The first line that this program prints.
    Command(Vec<String>),
    /// What the system's keyring holds under this name.
    Keyring(String),
}

/// A setting of the file that is not what it was.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SettingChange {
    /// The line that it is on, from 1.
    pub line: usize,
    /// What happens to it, in words.
    pub text: String,
}

/// The text of the user's file, to be changed.
#[derive(Clone, Debug)]
pub struct UserFileDraft {
    path: PathBuf,
    /// As it was read; none if there is no file.
    read: Option<String>,
}

/// What becomes of one setting.
enum Fate {
    /// It gets this value, as TOML writes it.
    Set(String),
    /// It becomes a comment, if it is there.
    Comment,
    /// It stays as it is, or away.
    Stay,
}

impl Fate {
    /// Returns what becomes of a source of the key: there is one at most.
    fn of(value: Option<String>) -> Self {
        value.map_or(Self::Comment, Self::Set)
    }
}

/// A setting at the top of the file.
struct Standing {
    /// From the first byte of its key to the last of its value.
    whole: Range<usize>,
    value: Range<usize>,
}

impl UserFileDraft {
    /// Reads the file.
    ///
    /// # Errors
    ///
    /// Fails if it cannot be read, or if it is not understood: nothing is put into such a file.
    pub fn open(path: &Path) -> anyhow::Result<Self> {
        // Dotfiles are often links; a draft that is renamed over one would replace it.
        let path = path.canonicalize().unwrap_or_else(|_| path.to_owned());
        let read = text_of(&path)?;
        if let Some(text) = &read {
            understood::<UserFile>(&path, text)?;
        }
        Ok(Self { path, read })
    }

    /// Returns where the file is, links followed.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Returns the text of the file; empty if there is none.
    pub(super) fn text(&self) -> &str {
        self.read.as_deref().unwrap_or("")
    }

    /// Returns what the file says of server and model today, for people.
    pub fn current(&self) -> anyhow::Result<Option<String>> {
        let user: UserFile = understood(&self.path, self.text())?;
        Ok(match (user.model, user.url) {
            (None, None) => None,
            (model, url) => {
                let model = model.unwrap_or_else(|| "the first model".to_owned());
                Some(match url {
                    Some(url) => format!("{model} at {url}"),
                    None => model,
                })
            }
        })
    }

    /// Returns what holds with this choice in the file: what conversations would be led with, without a workspace and without
    /// the variables that name another server or model.
    ///
    /// # Errors
    ///
    /// Fails if a variable that the file names is missing.
    pub fn config(&self, choice: &ModelChoice) -> anyhow::Result<Config> {
        let text = self.with(choice)?;
        let user: UserFile = understood(&self.path, &text)?;
        let environment = Environment {
            model: None,
            url: None,
            protocol: None,
            ..Environment::read()
        };
        let (workspace, args) = (WorkspaceFile::default(), ModelArgs::default());
        together(
            user,
            workspace,
            environment,
            &args,
            |_| Vec::new(),
            variable,
        )
    }

    /// Returns the settings that are there and would be another with this choice, or a comment.
    pub fn replaced(&self, choice: &ModelChoice) -> anyhow::Result<Vec<SettingChange>> {
        let text = self.text();
        let user: UserFile = understood(&self.path, text)?;
        let file = DeTable::parse(text).context("the file is not understood")?;
        let mut changes = Vec::new();
        for (name, fate) in fates(choice, &user) {
            let Some(standing) = standing(&file, name) else {
                continue;
            };
            let was = shown(name, &user);
            let said = match fate {
                Fate::Set(value) if is_same(text, &standing.value, &value) => continue,
                Fate::Set(value) => format!("{name} = {was} becomes {value}"),
                Fate::Comment => format!("{name} = {was} becomes a comment"),
                Fate::Stay => continue,
            };
            let line = part(text, ..standing.whole.start);
            let line = line.matches('\n').count() + 1;
            changes.push(SettingChange { line, text: said });
        }
        Ok(changes)
    }

    /// Returns the settings of the file that go to whatever server is asked, for the user to look at.
    pub fn for_any_server(&self) -> anyhow::Result<Vec<&'static str>> {
        let user: UserFile = understood(&self.path, self.text())?;
        let known = [
            ("headers", !user.headers.is_empty()),
            ("body", !user.body.is_empty()),
            ("proxy", user.proxy.is_some()),
            ("ca_file", user.ca_file.is_some()),
        ];
        Ok(known
            .into_iter()
            .filter_map(|(name, is_set)| is_set.then_some(name))
            .collect())
    }

    /// Returns the text of the file with this choice.
    ///
    /// # Errors
    ///
    /// Fails if the text would not say what was chosen.
    pub fn with(&self, choice: &ModelChoice) -> anyhow::Result<String> {
        let text = self.text();
        let user: UserFile = understood(&self.path, text)?;
        let file = DeTable::parse(text).context("the file is not understood")?;
        let end = if text.contains("\r\n") { "\r\n" } else { "\n" };
        let mut edits: Vec<(Range<usize>, String)> = Vec::new();
        let (mut added, mut last) = (String::new(), None);
        for (name, fate) in fates(choice, &user) {
            let found = standing(&file, name);
            last = last.max(found.as_ref().map(|found| found.whole.end));
            match (fate, found) {
                (Fate::Set(value), Some(found)) => {
                    if !is_same(text, &found.value, &value) {
                        edits.push((found.value, value));
                    }
                }
                (Fate::Set(value), None) => write!(added, "{name} = {value}{end}")?,
                (Fate::Comment, Some(found)) => {
                    let lines = line_starts(text, &found.whole);
                    edits.extend(lines.into_iter().map(|at| (at..at, "# ".to_owned())));
                }
                (Fate::Comment, None) | (Fate::Stay, _) => {}
            }
        }
        if !added.is_empty() {
            let (at, added) = place(text, last, &added, end);
            edits.push((at..at, added));
        }
        edits.sort_by_key(|(range, _)| range.start);
        let (mut out, mut done) = (String::with_capacity(text.len() + 200), 0);
        for (range, new) in edits {
            out += part(text, done..range.start);
            out += &new;
            done = range.end;
        }
        out += part(text, done..);
        let written: UserFile = understood(&self.path, &out)?;
        if !says(&written, choice) {
            bail!("the settings cannot be put into {}", self.path.display());
        }
        Ok(out)
    }

    /// Writes the file with this choice, for the user alone.
    ///
    /// # Errors
    ///
    /// Fails if it cannot be written, or if it changed since it was read; it is as it was then.
    pub fn write(&self, choice: &ModelChoice) -> anyhow::Result<()> {
        self.replace(&self.with(choice)?)
    }

    /// Writes the file with this text, for the user alone.
    ///
    /// # Errors
    ///
    /// As [`Self::write`].
    pub(super) fn replace(&self, text: &str) -> anyhow::Result<()> {
        if u64::try_from(text.len())? > MAX_BYTES {
            bail!("{} is too long", self.path.display());
        }
        if text_of(&self.path)? != self.read {
            bail!(
                "{} changed meanwhile; nothing was written to it",
                self.path.display()
            );
        }
        PrivateFile::new(self.path.clone()).replace_durably(text.as_bytes())?;
        Ok(())
    }
}

impl ModelChoice {
    /// Returns the lines that say it in a file that has no other.
    pub fn lines(&self) -> String {
        let named = fates(self, &UserFile::default()).into_iter();
        let set = named.filter_map(|(name, fate)| match fate {
            Fate::Set(value) => Some(format!("{name} = {value}\n")),
            Fate::Comment | Fate::Stay => None,
        });
        set.collect()
    }
}

/// Returns what becomes of each setting that says whom to ask, in the order in which they are added.
fn fates(choice: &ModelChoice, user: &UserFile) -> [(&'static str, Fate); 7] {
    let ModelChoice {
        url,
        protocol,
        model,
        key,
    } = choice;
    let is_guessed = Protocol::guess(url) == *protocol;
    let protocol = match user.protocol {
        None if is_guessed => Fate::Stay,
        Some(known) if known == *protocol => Fate::Stay,
        _ => Fate::Set(quoted(protocol.word())),
    };
    let (variable, command, keyring) = match key {
        KeySource::Unsaid => (None, None, None),
        KeySource::Variable(name) => (Some(quoted(name)), None, None),
        KeySource::Command(words) => {
            let words = words.iter().cloned().map(Value::String).collect();
            (None, Some(Value::Array(words).to_string()), None)
        }
        KeySource::Keyring(name) => (None, None, Some(quoted(name))),
    };
    [
        (
            "offline",
            if user.offline {
                Fate::Comment
            } else {
                Fate::Stay
            },
        ),
        ("url", Fate::Set(quoted(url))),
        ("protocol", protocol),
        ("model", Fate::Set(quoted(model))),
        ("api_key_env", Fate::of(variable)),
        ("api_key_command", Fate::of(command)),
        ("api_key_keyring", Fate::of(keyring)),
    ]
}

/// Returns a part of a text; nothing where there is none.
pub(super) fn part(text: &str, range: impl std::slice::SliceIndex<str, Output = str>) -> &str {
    text.get(range).unwrap_or("")
}

/// Returns a text as TOML writes it.
pub(super) fn quoted(text: &str) -> String {
    Value::String(text.to_owned()).to_string()
}

/// Returns the value of a setting as it may be shown. A program's arguments may be a key.
fn shown(name: &str, user: &UserFile) -> String {
    let text = match name {
        "url" => user.url.as_ref().map(Address::to_string),
        "model" => user.model.clone(),
        "protocol" => user.protocol.map(|protocol| protocol.word().to_owned()),
        "api_key_env" => user.api_key_env.clone(),
        "api_key_keyring" => user.api_key_keyring.clone(),
        _ => None,
    };
    match (name, text) {
        (_, Some(text)) => quoted(&text),
        ("offline", None) => "true".to_owned(),
        (_, None) => "[...]".to_owned(),
    }
}

/// Returns where a setting stands at the top of a file.
fn standing(file: &toml::Spanned<DeTable<'_>>, name: &str) -> Option<Standing> {
    let mut settings = file.get_ref().iter();
    let (key, value) = settings.find(|(key, _)| key.get_ref().as_ref() == name)?;
    Some(Standing {
        whole: key.span().start..value.span().end,
        value: value.span(),
    })
}

/// Tells whether a value is written in the file already, in quotes of whatever kind.
fn is_same(text: &str, value: &Range<usize>, wanted: &str) -> bool {
    text.get(value.clone())
        .is_some_and(|written| alone(written) == alone(wanted))
}

/// Returns what the text of a value means by itself.
fn alone(value: &str) -> Option<toml::Table> {
    toml::from_str(&format!("v = {value}")).ok()
}

/// Returns the beginnings of the lines that a setting is on.
fn line_starts(text: &str, whole: &Range<usize>) -> Vec<usize> {
    let before = part(text, ..whole.start);
    let first = before.rfind('\n').map_or(0, |at| at + 1);
    let within = part(text, whole.clone());
    let further = within
        .match_indices('\n')
        .map(|(at, _)| whole.start + at + 1);
    std::iter::once(first).chain(further).collect()
}

/// Returns where new settings go, and what is put there: behind the line of the last of their kind, which is at `last`; else
/// before everything but the comment that the file begins with.
fn place(text: &str, last: Option<usize>, added: &str, end: &str) -> (usize, String) {
    let at = match last {
        Some(last) => line_end(text, last),
        None => head(text),
    };
    let before = part(text, ..at);
    let behind = part(text, at..);
    let is_begun = !before.is_empty() && before != "\u{feff}" && !before.ends_with('\n');
    let begin = if is_begun { end } else { "" };
    let is_close = last.is_some() || behind.is_empty() || behind.starts_with(['\n', '\r']);
    let apart = if is_close { "" } else { end };
    (at, format!("{begin}{added}{apart}"))
}

/// Returns the end of the line that a byte is on, its line break included.
pub(super) fn line_end(text: &str, at: usize) -> usize {
    let rest = part(text, at..);
    rest.find('\n').map_or(text.len(), |found| at + found + 1)
}

/// Returns the end of the comment that a file begins with, if a blank line or nothing follows it: it is about all of the file.
fn head(text: &str) -> usize {
    let start = if text.starts_with('\u{feff}') {
        '\u{feff}'.len_utf8()
    } else {
        0
    };
    let mut at = start;
    while at < text.len() {
        let next = line_end(text, at);
        let line = part(text, at..next).trim();
        if line.is_empty() {
            return next;
        }
        if !line.starts_with('#') {
            return start;
        }
        at = next;
    }
    at
}

/// Tells whether a file says what was chosen.
fn says(user: &UserFile, choice: &ModelChoice) -> bool {
    let protocol = user
        .protocol
        .unwrap_or_else(|| Protocol::guess(&choice.url));
    let key = match (
        &user.api_key_env,
        &user.api_key_command,
        &user.api_key_keyring,
    ) {
        (None, None, None) => KeySource::Unsaid,
        (Some(name), None, None) => KeySource::Variable(name.clone()),
        (None, Some(words), None) => KeySource::Command(words.clone()),
        (None, None, Some(name)) => KeySource::Keyring(name.clone()),
        _ => return false,
    };
    user.url.as_ref().is_some_and(|url| url.0 == choice.url)
        && user.model.as_ref() == Some(&choice.model)
        && protocol == choice.protocol
        && key == choice.key
        && !user.offline
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::os::unix::fs::{PermissionsExt as _, symlink};

    use proptest::prelude::*;

    use super::*;

    fn choice(key: KeySource) -> ModelChoice {
        ModelChoice {
            url: "http://127.0.0.1:11434".to_owned(),
            protocol: Protocol::Ollama,
            model: "b".to_owned(),
            key,
        }
    }

    fn draft(text: Option<&str>) -> UserFileDraft {
        UserFileDraft {
            path: PathBuf::from("config.toml"),
            read: text.map(str::to_owned),
        }
    }

    #[test]
    fn settings_are_put_in_and_everything_else_stays() {
        let new = "url = \"http://127.0.0.1:11434\"\nprotocol = \"ollama\"\nmodel = \"b\"\n";
        for (text, expected) in [
            ("", new.to_owned()),
            ("# all mine\n", format!("# all mine\n{new}")),
            ("# all mine", format!("# all mine\n{new}")),
            (
                "# all mine\n\n[turn]\nstop = 'turn-end'\n",
                format!("# all mine\n\n{new}\n[turn]\nstop = 'turn-end'\n"),
            ),
            (
                "# about turns\n[turn] # x\n",
                format!("{new}\n# about turns\n[turn] # x\n"),
            ),
            (
                "\u{feff}[turn]\r\n",
                format!("\u{feff}{new}\n[turn]\n").replace('\n', "\r\n"),
            ),
            (
                " model  =  'a'   # fast\nhistory_limit = 3\n[plan]\nmodel = 'a'\n",
                " model  =  \"b\"   # fast\nurl = \"http://127.0.0.1:11434\"\nprotocol = \"ollama\"\n\
                 history_limit = 3\n[plan]\nmodel = 'a'\n"
                    .to_owned(),
            ),
            (
                "url = 'http://127.0.0.1:11434' # here\nprotocol = \"ollama\"\nmodel = '''b'''\n",
                "url = 'http://127.0.0.1:11434' # here\nprotocol = \"ollama\"\nmodel = '''b'''\n".to_owned(),
            ),
            (
                "offline = true\nmodel = 'b'\napi_key_command = [\n  'pass', # x\n  'show',\n]",
                "# offline = true\nmodel = 'b'\n# api_key_command = [\n#   'pass', # x\n#   'show',\n# ]\n\
                 url = \"http://127.0.0.1:11434\"\nprotocol = \"ollama\"\n"
                    .to_owned(),
            ),
        ] {
            let chosen = choice(KeySource::Unsaid);
            let with = draft(Some(text)).with(&chosen).unwrap();
            assert_eq!(with, expected, "{text}");
            let again = draft(Some(&with));
            assert_eq!(again.with(&chosen).unwrap(), with, "a second time");
            assert_eq!(again.replaced(&chosen).unwrap(), []);
        }
        assert_eq!(draft(None).with(&choice(KeySource::Unsaid)).unwrap(), new);
    }

    #[test]
    fn one_source_of_the_key_is_left() {
        let sources = [
            KeySource::Unsaid,
            KeySource::Variable("K".to_owned()),
            KeySource::Command(vec!["pass".to_owned(), "a \"b\"".to_owned()]),
            KeySource::Keyring("k".to_owned()),
        ];
        let mut text = "# mine\n".to_owned();
        for source in sources.iter().chain(sources.iter().rev()) {
            text = draft(Some(&text)).with(&choice(source.clone())).unwrap();
        }
        assert!(text.contains("# api_key_env = \"K\"\n"), "{text}");
    }

    #[test]
    fn what_is_replaced_is_said_without_what_may_be_a_key() {
        let text = "# x\nmodel = 'a'\nurl = 'https://me:sk-secret@x.example/v1'\napi_key_command = ['echo', 'sk-secret']\n";
        let changes = draft(Some(text))
            .replaced(&choice(KeySource::Keyring("k".to_owned())))
            .unwrap();
        let told: Vec<String> = changes
            .iter()
            .map(|change| format!("{}: {}", change.line, change.text))
            .collect();
        assert_eq!(
            told,
            [
                "3: url = \"https://x.example/v1\" becomes \"http://127.0.0.1:11434\"",
                "2: model = \"a\" becomes \"b\"",
                "4: api_key_command = [...] becomes a comment",
            ]
        );
    }

    #[test]
    fn a_file_is_written_whole_through_links_and_for_the_user_alone() {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        let chosen = choice(KeySource::Unsaid);
        // A folder that is not there.
        let fresh = UserFileDraft::open(&at("new/config.toml")).unwrap();
        fresh.write(&chosen).unwrap();
        assert_eq!(
            fs::read_to_string(at("new/config.toml")).unwrap(),
            chosen.lines()
        );
        fs::write(at("dotfile"), "# mine\nmodel = 'a'\n").unwrap();
        symlink(at("dotfile"), at("link")).unwrap();
        let linked = UserFileDraft::open(&at("link")).unwrap();
        linked.write(&chosen).unwrap();
        assert!(fs::symlink_metadata(at("link")).unwrap().is_symlink());
        let mode = fs::metadata(at("dotfile")).unwrap().permissions().mode();
        assert_eq!(mode & 0o777, 0o600);
        // What somebody else wrote meanwhile is not overwritten.
        let error = linked.write(&chosen).unwrap_err().to_string();
        assert!(error.contains("changed meanwhile"), "{error}");
        fs::write(at("bad"), "model = \n").unwrap();
        assert!(UserFileDraft::open(&at("bad")).is_err());
        fs::create_dir(at("folder")).unwrap();
        assert!(UserFileDraft::open(&at("folder")).is_err());
    }

    proptest! {
        #[test]
        fn any_name_is_written_so_that_it_is_read_again(model in "\\PC{1,20}", url in "https://[a-z]{1,9}/[a-z\"\\\\' #]{0,9}") {
            let chosen = ModelChoice { url, protocol: Protocol::Gemini, model, key: KeySource::Unsaid };
            for text in ["", "# x\n\nmodel = 'a' # y\n[turn]\n"] {
                prop_assert!(draft(Some(text)).with(&chosen).is_ok());
            }
        }
    }
}
