//! Settings of git and Cargo without credentials, and what tells a credential.

use crate::secret_text;

/// Words in the name of a variable, or in a line of settings, that holds a key.
const SECRET_WORDS: [&str; 6] = ["KEY", "TOKEN", "SECRET", "PASS", "AUTH", "CREDENTIAL"];

/// The same, where they are a whole word of the name.
const SECRET_PARTS: [&str; 6] = ["PAT", "PW", "CRED", "CREDS", "LOGIN", "DSN"];
/// Words that the name of an option or of a part of an address ends with, where its value is a key: `AccountKey=x`,
/// `-DTOKEN=x`, `-X main.secret=x`. `-DKEY_SIZE=4` is none.
const SECRET_ENDS: [&str; 10] = [
    "KEY",
    "TOKEN",
    "SECRET",
    "PASS",
    "PASSWORD",
    "PASSWD",
    "PASSPHRASE",
    "PWD",
    "CREDENTIAL",
    "CREDENTIALS",
];
/// Values that turn something on or off, as of `-DWITH_AUTH=ON`.
const SWITCHES: [&str; 8] = ["ON", "OFF", "TRUE", "FALSE", "YES", "NO", "0", "1"];
/// Settings of git that are commands: one may name a password, and programs have no keys for them.
const COMMANDS: [&str; 4] = ["sshCommand", "gitProxy", "vcs", "command"];

/// Sections of git's settings that programs need: who commits, what is included, and how texts are shown and compared.
const GIT_SECTIONS: [&str; 21] = [
    "include",
    "includeif",
    "user",
    "author",
    "committer",
    "init",
    "core",
    "pull",
    "push",
    "merge",
    "diff",
    "rebase",
    "color",
    "branch",
    "safe",
    "tag",
    "status",
    "log",
    "i18n",
    "advice",
    "extensions",
];
/// Sections of a repository's own settings that its commands need besides. Without `filter` git commits files that have a
/// filter, as those of LFS, as they are in the work tree, and says nothing.
const REPOSITORY_SECTIONS: [&str; 3] = ["remote", "submodule", "filter"];

/// The commands of a filter.
const FILTER_COMMANDS: [&str; 3] = ["clean", "smudge", "process"];
/// What stands in the place of one that is left out: without it, git would commit files as they are in the work tree.
const FAILING_FILTER: &str =
    "echo 'signoff: this filter is left out, as its setting seems to hold a key' >&2; exit 1";

/// Returns git's settings without what may hold credentials: whole sections are left out, and lines with a secret word
/// or a URL with a user. A value that goes on in the next line goes with it. A filter of which a command is left out fails.
pub(super) fn git_settings(text: &str) -> String {
    let mut kept = String::new();
    let mut failing = String::new();
    let mut filter = None;
    let mut is_kept = false;
    let mut goes_on = false;
    for line in text.lines() {
        let is_rest = goes_on;
        goes_on = line.trim_end().ends_with('\\');
        if is_rest {
            continue;
        }
        let trimmed = line.trim();
        if let Some(section) = trimmed.strip_prefix('[') {
            let name = section.split([' ', ']', '.']).next().unwrap_or_default();
            let name = name.to_ascii_lowercase();
            let is_known = [GIT_SECTIONS.as_slice(), &REPOSITORY_SECTIONS].concat();
            is_kept = is_known.contains(&name.as_str()) && trimmed.ends_with(']');
            is_kept &= !holds_key(trimmed);
            filter = (is_kept && name == "filter").then_some(trimmed);
        }
        let (key, value) = trimmed.split_once('=').unwrap_or((trimmed, ""));
        let is_command = COMMANDS
            .iter()
            .any(|name| key.trim().eq_ignore_ascii_case(name));
        let is_open = is_command || has_secret_word(key) || holds_key(value.trim());
        if is_kept && !goes_on && !is_open {
            kept.push_str(line);
            kept.push('\n');
        } else if let Some(filter) = filter
            && let Some(name) = FILTER_COMMANDS
                .iter()
                .find(|name| key.trim().eq_ignore_ascii_case(name))
        {
            let lines = format!("{filter}\n\t{name} = \"{FAILING_FILTER}\"\n\trequired = true\n");
            failing.push_str(&lines);
        }
    }
    // What is said last counts.
    kept + &failing
}

/// Returns Cargo's settings without values whose name or text may be a credential; nothing if they cannot be read.
pub(super) fn cargo_settings(text: &str) -> String {
    let Ok(mut table) = text.parse::<toml::Table>() else {
        return String::new();
    };
    without_secrets(&mut table);
    toml::to_string(&table).unwrap_or_default()
}

fn without_secrets(table: &mut toml::Table) {
    table.retain(|name, value| match value {
        // As `[env] TOKEN = { value = "x" }`.
        _ if has_secret_word(name) => false,
        toml::Value::Table(inner) => {
            without_secrets(inner);
            true
        }
        toml::Value::String(text) => !holds_key(text),
        toml::Value::Array(all) => !all.iter().any(|own| own.as_str().is_some_and(holds_key)),
        _ => true,
    });
}

/// Returns whether a name is that of a key, a token or a password.
pub(super) fn has_secret_word(name: &str) -> bool {
    let name = name.to_ascii_uppercase();
    let mut parts = name.split(|c: char| !c.is_ascii_alphanumeric());
    SECRET_WORDS.iter().any(|word| name.contains(word))
        || parts.any(|part| SECRET_PARTS.contains(&part))
}

/// Returns whether a key, a token or a password is in the value of a variable or a setting: a token by its form,
/// `Bearer x`, `Basic eDp5eg==`, a signed token (`eyJ...`), `{"password": "x"}`, `Password=x`, and URLs with a user, or a
/// key in their query.
///
/// Options of compilers are no such: `-DKEY_SIZE=4` stays.
pub(super) fn holds_key(text: &str) -> bool {
    let named = text.split('"').collect::<Vec<_>>();
    let query = text
        .split_once("://")
        .and_then(|(_, rest)| rest.split_once('?'));
    let mut asked = query
        .into_iter()
        .flat_map(|(_, query)| query.split(['&', ';']));
    secret_text::holds_secret(text)
        || named
            .iter()
            .zip(named.iter().skip(1))
            .any(|(name, after)| after.trim_start().starts_with(':') && has_secret_word(name))
        || asked.any(|part| {
            part.split_once('=')
                .is_some_and(|(name, _)| has_secret_word(name))
        })
        || text
            .split_whitespace()
            .any(|word| word.eq_ignore_ascii_case("bearer"))
        || text
            .split([' ', '"', '=', ':'])
            .any(|word| word.starts_with("eyJ") && word.matches('.').count() == 2)
        || assigns_secret(text)
        || is_basic(text)
        || has_url_password(text)
}

/// Returns whether a text has `name=value` in it, where the name is that of a key: in a list, as of options, or of parts
/// with `;` between them.
fn assigns_secret(text: &str) -> bool {
    let words = text.split(|c: char| c.is_whitespace() || ";,&?\"'".contains(c));
    let assigned = words.flat_map(|word| word.split('=').zip(word.split('=').skip(1)));
    assigned
        .filter(|(name, value)| !value.is_empty() && ends_in_secret(name))
        .any(|(_, value)| !SWITCHES.iter().any(|off| value.eq_ignore_ascii_case(off)))
}

/// Returns whether the last word of a name says that it is a key.
fn ends_in_secret(name: &str) -> bool {
    let name = name.to_ascii_uppercase();
    let last = name.rsplit(|c: char| !c.is_ascii_alphanumeric()).next();
    last.is_some_and(|last| {
        SECRET_PARTS.contains(&last) || SECRET_ENDS.iter().any(|end| last.ends_with(end))
    })
}

/// Returns whether a text has a user and password as HTTP sends them: `Basic` and eight or more characters of base64.
fn is_basic(text: &str) -> bool {
    let pairs = text.split_whitespace().zip(text.split_whitespace().skip(1));
    pairs
        .filter(|(name, value)| name.eq_ignore_ascii_case("basic") && value.len() >= 8)
        .any(|(_, value)| {
            let mut chars = value.chars();
            chars.all(|c| c.is_ascii_alphanumeric() || "+/=-_".contains(c))
        })
}

/// Returns whether a text has a URL with a user or password: `https://user:password@host`.
fn has_url_password(text: &str) -> bool {
    text.match_indices("://").any(|(at, mark)| {
        let rest = text.get(at + mark.len()..).unwrap_or_default();
        let end = rest.find(|c: char| c == '/' || c.is_whitespace() || c == '"');
        let authority = rest.get(..end.unwrap_or(rest.len())).unwrap_or_default();
        let user = authority.rsplit_once('@').map(|(user, _)| user);
        // The name that SSH signs in with, as of `ssh://git@host/`, is none.
        let is_ssh = text.get(..at).is_some_and(|before| before.ends_with("ssh"));
        user.is_some_and(|user| !is_ssh || user.contains(':'))
    }) || is_proxy_with_password(text)
}

/// Returns whether a text is the address of a proxy with a password and no scheme: `user:password@host:8080`.
fn is_proxy_with_password(text: &str) -> bool {
    let user = text.split_once('@').map(|(user, _)| user);
    // What has a scheme is looked at as a URL.
    let user = user.filter(|user| !user.contains("://"));
    user.is_some_and(|user| user.contains(':') && !user.contains(char::is_whitespace))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn settings_lose_what_holds_credentials() {
        let text = "[user]\n\tname = A\n[credential]\n\thelper = store\n[http]\n\textraHeader = AUTHORIZATION: basic x\n\
                    [url \"https://x:y@host/\"]\n\tinsteadOf = z\n[core]\n\tpager = less\n\
                    [remote \"origin\"]\n\turl = https://u:ghp_x@host/r\n\tfetch = +refs/heads/*\n\
                    [remote \"s\"]\n\turl = ssh://git@host/r\n\tpushUrl = ssh://u:p@host/r\n\
                    [user]\n\tsigningKey = x \\\n\tmore\n\temail = a@b\n[core]\n\tgitProxy = proxy -k x\n\
                    [remote \"z\"]\n\tvcs = x\n[diff \"x\"]\n\tcommand = x\n\tbinary = true\n\
                    [filter \"lfs\"]\n\tclean = git-lfs clean -- %f\n\tsmudge = x --password=y\n";
        let kept = "[user]\n\tname = A\n[core]\n\tpager = less\n\
                    [remote \"origin\"]\n\tfetch = +refs/heads/*\n[remote \"s\"]\n\turl = ssh://git@host/r\n[user]\n\temail = a@b\n[core]\n\
                    [remote \"z\"]\n[diff \"x\"]\n\tbinary = true\n\
                    [filter \"lfs\"]\n\tclean = git-lfs clean -- %f\n";
        let failing = "[filter \"lfs\"]\n\tsmudge = \"echo 'signoff: this filter is left out, as its setting seems to hold a key' >&2; \
                       exit 1\"\n\trequired = true\n";
        assert_eq!(git_settings(text), [kept, failing].concat());
        let cargo = "[registries.own]\nindex = \"sparse+https://h/\"\ntoken = \"\"\"\nx\"\"\"\n\
                     [env]\nMY_TOKEN = { value = \"x\" }\nFLAGS = [\"-DPASSWORD=x\"]\n[http]\nproxy = \"u:p@h:1\"\n[build]\nrustflags = [\"-C\", \"x\"]\njobs = 2\n";
        let kept = cargo_settings(cargo);
        for word in ["sparse", "rustflags", "jobs = 2"] {
            assert!(kept.contains(word), "{kept}");
        }
        for word in ["token", "TOKEN", "PASSWORD", "proxy", "x\n"] {
            assert!(!kept.contains(word), "{kept}");
        }
        assert_eq!(cargo_settings("token = "), "");
    }
}
