//! Who commits, and how commits are signed, as the user's git has it.
//!
//! In: the variables of this process, the user's own configuration with what it includes, and the repository's without.
//! Out: identities; settings for a signature. A repository says who commits, whether and with which key and kind of
//! signature. Which programs make it, the user's own configuration alone says.

use std::collections::BTreeMap;

use super::{Ended, GitWriter, Variable, failed, variable};

/// Which settings are read.
const WANTED: &str = r"^(user\.|author\.|committer\.|gpg\.|commit\.gpgsign$|core\.(autocrlf|bare|hookspath|sharedrepository)$|remote\..*\.(push)?url$)";

/// Settings about signatures that a repository has a say in: none names a program.
const SIGNATURE_OF_REPOSITORY: [&str; 2] = ["gpg.format", "user.signingkey"];

/// Variables that git takes a commit's identities from, or by which it finds the user's configuration.
const NAMES: [&str; 11] = [
    "EMAIL",
    "GIT_AUTHOR_DATE",
    "GIT_AUTHOR_EMAIL",
    "GIT_AUTHOR_NAME",
    "GIT_COMMITTER_DATE",
    "GIT_COMMITTER_EMAIL",
    "GIT_COMMITTER_NAME",
    "GIT_CONFIG_GLOBAL",
    "GIT_CONFIG_NOSYSTEM",
    "GIT_CONFIG_SYSTEM",
    "XDG_CONFIG_HOME",
];

/// Variables by which a program that signs finds its keys, and the window in which it asks for their passwords. It does not
/// get the terminal, which is the interface's.
const FOR_SIGNING: [&str; 6] = [
    "DBUS_SESSION_BUS_ADDRESS",
    "DISPLAY",
    "GNUPGHOME",
    "SSH_AUTH_SOCK",
    "WAYLAND_DISPLAY",
    "XDG_RUNTIME_DIR",
];

/// The variables of the user that count for a commit.
#[derive(Clone, Debug, Default)]
pub struct UserVariables(BTreeMap<String, String>);

impl UserVariables {
    /// Takes those of this process.
    pub fn of_process() -> Self {
        std::env::vars_os()
            .filter_map(|(name, value)| Some((name.into_string().ok()?, value.into_string().ok()?)))
            .collect()
    }

    fn get(&self, name: &str) -> Option<&String> {
        self.0.get(name).filter(|value| !value.is_empty())
    }
}

impl FromIterator<(String, String)> for UserVariables {
    fn from_iter<T: IntoIterator<Item = (String, String)>>(all: T) -> Self {
        let counts =
            |name: &str| name == "HOME" || NAMES.contains(&name) || FOR_SIGNING.contains(&name);
        Self(all.into_iter().filter(|(name, _)| counts(name)).collect())
    }
}

/// Who wrote or committed something.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Identity {
    /// The name.
    pub name: String,
    /// The address.
    pub email: String,
    /// When, in a form that git knows; none is now.
    pub date: Option<String>,
}

impl Identity {
    /// Returns the variables that tell git of it; `role` is `AUTHOR` or `COMMITTER`.
    pub(super) fn variables(&self, role: &str) -> [Variable; 3] {
        let named = [
            ("NAME", Some(self.name.clone())),
            ("EMAIL", Some(self.email.clone())),
            ("DATE", self.date.clone()),
        ];
        named.map(|(name, value)| (format!("GIT_{role}_{name}"), value))
    }
}

/// The two of a commit.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Identities {
    /// Who wrote what is in it.
    pub author: Identity,
    /// Who made it.
    pub committer: Identity,
}

/// Settings of the user's and of the repository's, by their names in small letters.
#[derive(Debug, Default)]
pub(super) struct UserSettings {
    user: BTreeMap<String, String>,
    repository: BTreeMap<String, String>,
}

impl UserSettings {
    /// Returns a setting; that of the repository goes before the user's.
    fn get(&self, key: &str) -> Option<&String> {
        self.repository.get(key).or_else(|| self.user.get(key))
    }

    pub(super) fn is_bare(&self) -> bool {
        self.repository
            .get("core.bare")
            .is_some_and(|value| is_true(value))
    }

    /// Returns who may read what is written, as an argument of `-c`.
    pub(super) fn shared_repository(&self) -> Option<String> {
        let value = self.repository.get("core.sharedrepository")?;
        let is_word = value.bytes().all(|byte| byte.is_ascii_alphanumeric());
        is_word.then(|| format!("core.sharedRepository={value}"))
    }

    /// Returns the address of a remote, to push to or to fetch from.
    pub(super) fn remote_url(&self, name: &str, pushes: bool) -> Option<&String> {
        let pushed = self.get(&format!("remote.{name}.pushurl"));
        let fetched = self.get(&format!("remote.{name}.url"));
        pushed.filter(|_| pushes).or(fetched)
    }

    /// Returns whether git stores line ends of texts as LF without an attribute.
    pub(super) fn converts_line_ends(&self) -> bool {
        let value = self.get("core.autocrlf");
        value.is_some_and(|value| is_true(value) || value.eq_ignore_ascii_case("input"))
    }

    /// Returns the folder of hooks that is set.
    pub(super) fn hooks_path(&self, user: &UserVariables) -> Option<String> {
        Some(expanded(self.get("core.hookspath")?, user))
    }

    /// Returns whether the repository names a file of ssh keys, which is not read: an agent that can write to git's folder could
    /// vouch for itself.
    fn has_signers_of_repository(&self) -> bool {
        self.repository.contains_key("gpg.ssh.allowedsignersfile")
    }

    /// Returns the file of the ssh keys that the user trusts.
    pub(super) fn allowed_signers(&self, user: &UserVariables) -> Option<String> {
        Some(expanded(self.user.get("gpg.ssh.allowedsignersfile")?, user))
    }

    pub(super) fn identities(&self, user: &UserVariables) -> Option<Identities> {
        Some(Identities {
            author: self.identity(user, "author")?,
            committer: self.identity(user, "committer")?,
        })
    }

    fn identity(&self, user: &UserVariables, role: &str) -> Option<Identity> {
        let variable = format!("GIT_{}_", role.to_uppercase());
        let name = user.get(&format!("{variable}NAME"));
        let name = name.or_else(|| self.get(&format!("{role}.name")));
        let email = user.get(&format!("{variable}EMAIL"));
        let email = email.or_else(|| self.get(&format!("{role}.email")));
        let email = email.or_else(|| self.get("user.email"));
        Some(Identity {
            name: name.or_else(|| self.get("user.name"))?.clone(),
            email: email.or_else(|| user.get("EMAIL"))?.clone(),
            date: user.get(&format!("{variable}DATE")).cloned(),
        })
    }

    /// Returns the settings for a signature as arguments of `-c`; none if commits are not signed.
    pub(super) fn signature(&self) -> Option<Vec<String>> {
        if !self
            .get("commit.gpgsign")
            .is_some_and(|value| is_true(value))
        {
            return None;
        }
        Some(self.of_signatures())
    }

    /// Returns the settings by which signatures are made and judged, as arguments of `-c`.
    pub(super) fn of_signatures(&self) -> Vec<String> {
        let of_repository = SIGNATURE_OF_REPOSITORY.iter();
        let of_repository =
            of_repository.filter_map(|key| Some((*key, self.repository.get(*key)?)));
        let of_user = self.user.iter().map(|(key, value)| (key.as_str(), value));
        let of_user =
            of_user.filter(|(key, _)| key.starts_with("gpg.") || *key == "user.signingkey");
        // Of two, git takes the last.
        let all = of_user.chain(of_repository);
        all.map(|(key, value)| format!("{key}={value}")).collect()
    }
}

impl GitWriter<'_> {
    /// Returns whether the repository's own configuration says which ssh keys are trusted, which only the user's own may.
    pub fn has_signers_of_repository(&self) -> bool {
        self.settings.has_signers_of_repository()
    }

    pub(super) fn read_settings(&self, config: &str) -> Result<UserSettings, String> {
        let file = self.view.folder().join("config-of-repository");
        std::fs::write(&file, config).map_err(|error| error.to_string())?;
        let file = file.to_string_lossy();
        let repository = self.listed(&["--no-includes", "--file", &file], Vec::new())?;
        // The user's may include a file where the repository has some remote, which the view has not.
        let remotes = repository
            .iter()
            .filter(|(key, _)| key.starts_with("remote.") && key.ends_with(".url"));
        let remotes: Vec<(&String, &String)> = remotes.collect();
        let mut variables = vec![variable("GIT_CONFIG_COUNT", remotes.len().to_string())];
        for (number, (key, url)) in remotes.into_iter().enumerate() {
            variables.push(variable(&format!("GIT_CONFIG_KEY_{number}"), key));
            variables.push(variable(&format!("GIT_CONFIG_VALUE_{number}"), url));
        }
        Ok(UserSettings {
            user: self.listed(&["--includes"], variables)?,
            repository,
        })
    }

    fn listed(
        &self,
        which: &[&str],
        variables: Vec<Variable>,
    ) -> Result<BTreeMap<String, String>, String> {
        let mut arguments = vec!["config", "--null", "--show-scope"];
        arguments.extend(which);
        arguments.extend(["--get-regexp", WANTED]);
        let variables = self.of_user().into_iter().chain(variables).collect();
        let found = self.report(&arguments, variables)?;
        match found.ended {
            Ended::Exit(0) => Ok(settings(&found.out.text(), which.contains(&"--file"))),
            // No setting of these.
            Ended::Exit(1) => Ok(BTreeMap::new()),
            _ => Err(failed(&found)),
        }
    }

    /// Returns the variables by which git finds the user's own configuration, in the place of those by which it finds none.
    pub(super) fn of_user(&self) -> Vec<Variable> {
        let names = NAMES.into_iter().chain(["HOME"]);
        names
            .map(|name| (name.to_owned(), self.user.get(name).cloned()))
            .collect()
    }

    /// Returns the variables that a program that signs gets.
    pub(super) fn for_signing(&self) -> Vec<Variable> {
        let names = FOR_SIGNING.into_iter();
        names
            .map(|name| (name.to_owned(), self.user.get(name).cloned()))
            .collect()
    }
}

/// Reads records of `SCOPE\0KEY\nVALUE\0`, without those of the view's own configuration.
fn settings(listed: &str, is_file: bool) -> BTreeMap<String, String> {
    let mut fields = listed.split_terminator('\0');
    let mut settings = BTreeMap::new();
    while let (Some(scope), Some(setting)) = (fields.next(), fields.next()) {
        let (key, value) = setting.split_once('\n').unwrap_or((setting, "true"));
        if is_file || matches!(scope, "system" | "global") {
            settings.insert(key.to_owned(), value.to_owned());
        }
    }
    settings
}

/// Returns a path with the home folder in it.
fn expanded(path: &str, user: &UserVariables) -> String {
    let home = user.get("HOME").zip(path.strip_prefix("~/"));
    home.map_or_else(
        || path.to_owned(),
        |(home, below)| format!("{home}/{below}"),
    )
}

fn is_true(value: &str) -> bool {
    let value = value.to_ascii_lowercase();
    matches!(value.as_str(), "true" | "yes" | "on" | "1")
}
