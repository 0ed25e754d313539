//! API keys: where each comes from.
//!
//! In: a key, a program that prints one, as a password manager does, or a name in the system's
//! keyring, which the system's own program looks up. Out: the key. What a program says is in no
//! error: it might be the key.

use std::io::Read as _;
use std::process::{ChildStdout, Command, Stdio};
use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::thread;
use std::time::Duration;

use anyhow::{Context as _, bail};
use secrecy::SecretString;

/// How long the program may take: it may ask for a passphrase in a window of its own.
const WITHIN: Duration = Duration::from_secs(60);
/// No key is longer.
const LONGEST: u64 = 64 << 10;

/// Where a key comes from.
#[derive(Clone, Debug, Default)]
pub enum Key {
    /// There is none.
    #[default]
    None,
    /// There is none, as the variable that is to hold it is not set.
    Unset(String),
    /// It is known.
    Given(SecretString),
    /// The first line that this program prints.
    Command(Vec<String>),
    /// What the system's keyring holds under this name.
    Keyring(String),
}

/// What looks into the keyring: its arguments before and behind the name, and how a key gets
/// there.
struct Lookup {
    program: &'static str,
    before: &'static [&'static str],
    behind: &'static [&'static str],
    store: &'static str,
}

const LOOKUP: Lookup = if cfg!(target_os = "macos") {
    Lookup {
        program: "security",
        before: &["find-generic-password", "-s"],
        behind: &["-w"],
        store: "security add-generic-password -a signoff -w -s",
    }
} else {
    Lookup {
        program: "secret-tool",
        before: &["lookup", "service"],
        behind: &[],
        store: "secret-tool store --label=signoff service",
    }
};

impl Key {
    /// Returns the program that has to be run to get the key, if one has.
    pub fn program(&self) -> Option<&str> {
        match self {
            Self::None | Self::Unset(_) | Self::Given(_) => None,
            Self::Command(words) => words.first().map(String::as_str),
            Self::Keyring(_) => Some(LOOKUP.program),
        }
    }

    /// Returns the key; runs the program, which may take a while.
    pub(crate) fn read(&self) -> anyhow::Result<Option<SecretString>> {
        match self {
            Self::None | Self::Unset(_) => Ok(None),
            Self::Given(key) => Ok(Some(key.clone())),
            Self::Command(words) => run(words, "api_key_command", WITHIN).map(Some),
            Self::Keyring(name) => look_up(name).map(Some),
        }
    }
}

fn look_up(name: &str) -> anyhow::Result<SecretString> {
    let Lookup {
        program,
        before,
        behind,
        store,
    } = LOOKUP;
    let words = [&[program], before, &[name], behind].concat();
    let words: Vec<String> = words.into_iter().map(str::to_owned).collect();
    run(&words, "api_key_keyring", WITHIN).with_context(|| {
        format!("the keyring gave no key under {name:?}; `{store} {name}` puts one there")
    })
}

/// Returns the first line that a program prints; `setting` is what names it.
fn run(words: &[String], setting: &str, within: Duration) -> anyhow::Result<SecretString> {
    let Some((program, arguments)) = words.split_first() else {
        bail!("{setting} is empty");
    };
    let mut child = Command::new(program)
        .args(arguments)
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .with_context(|| format!("cannot run {program}, which {setting} names"))?;
    let printed = child.stdout.take().map(Printed::read);
    let Some(printed) = printed.and_then(|printed| printed.wait(within)) else {
        // It may have ended just now; then there is nothing to end.
        let _ended = child.kill();
        let _reaped = child.wait();
        bail!(
            "{program}, which {setting} names, printed no key within {} s",
            within.as_secs()
        );
    };
    let status = child.wait()?;
    if !status.success() {
        bail!("{program}, which {setting} names, failed ({status})");
    }
    match printed
        .lines()
        .next()
        .map(str::trim)
        .filter(|line| !line.is_empty())
    {
        Some(line) => Ok(line.to_owned().into()),
        None => bail!("{program}, which {setting} names, printed no key"),
    }
}

/// What a program prints, once it has ended its output.
#[derive(Clone, Default)]
struct Printed(Arc<(Mutex<Option<String>>, Condvar)>);

impl Printed {
    /// Begins to read, on a thread of its own.
    fn read(stdout: ChildStdout) -> Self {
        let printed = Self::default();
        let sink = printed.clone();
        thread::spawn(move || {
            let mut text = String::new();
            // What is not text is no key.
            if stdout.take(LONGEST).read_to_string(&mut text).is_err() {
                text.clear();
            }
            let (slot, filled) = &*sink.0;
            *slot.lock().unwrap_or_else(PoisonError::into_inner) = Some(text);
            filled.notify_all();
        });
        printed
    }

    fn wait(&self, within: Duration) -> Option<String> {
        let (slot, filled) = &*self.0;
        let slot = slot.lock().unwrap_or_else(PoisonError::into_inner);
        let waited = filled.wait_timeout_while(slot, within, |text| text.is_none());
        let (mut slot, _) = waited.unwrap_or_else(PoisonError::into_inner);
        slot.take()
    }
}

#[cfg(test)]
mod tests {
    use secrecy::ExposeSecret as _;

    use super::*;

    fn sh(script: &str) -> anyhow::Result<SecretString> {
        let words = ["/bin/sh".into(), "-c".into(), script.into()];
        run(&words, "api_key_command", WITHIN)
    }

    #[test]
    fn the_first_line_is_the_key() {
        let key = sh("echo ' sk-secret '; echo user: me").unwrap();
        assert_eq!(key.expose_secret(), "sk-secret");
    }

    #[test]
    fn what_a_failing_program_says_is_not_repeated() {
        for (script, expected) in [
            ("echo sk-secret; exit 3", "failed"),
            ("echo sk-secret >&2", "printed no key"),
            ("", "printed no key"),
        ] {
            let error = sh(script).unwrap_err();
            let told = format!("{error:#} {error:?}");
            assert!(
                told.contains(expected) && !told.contains("sk-secret"),
                "{told}"
            );
        }
        assert!(run(&[], "x", WITHIN).is_err());
        assert!(run(&["/no/such/program".into()], "x", WITHIN).is_err());
    }

    #[test]
    fn a_program_that_waits_is_ended() {
        let words = ["/bin/sh".into(), "-c".into(), "exec sleep 1000".into()];
        let error = run(&words, "x", Duration::ZERO).unwrap_err().to_string();
        assert!(error.contains("within 0 s"), "{error}");
    }
}
