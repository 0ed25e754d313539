//! Host rules of the user's file: `allow` of `[network]` with one more host in it, and all other bytes as they were.
//!
//! In: the file, and a host with its port, as the user allowed it for good. Out: the file, written as a draft that is renamed.
//! What is written is exactly this host at this port, never a pattern.
//!
//! ```text
//! [network] # mine              [network] # mine
//! allow = [                     allow = [
//!     "cargo", # crates   ->        "cargo", # crates
//! ]                                 "a.example:443",
//!                               ]
//! ```

use std::ops::Range;
use std::path::{Path, PathBuf};

use anyhow::{Context as _, bail};
use signoff_llm::tool::HostRuleWriter;
use signoff_sandbox::network::{Judgement, NetworkRules, RuleSource, Target};
use toml::de::{DeArray, DeTable, DeValue};
use toml::{Spanned, Table, Value};

use super::draft::{UserFileDraft, line_end, part, quoted};
use super::{UserFile, understood};

/// The user's file, as far as hosts are written to it.
#[derive(Clone, Debug)]
pub struct HostRuleFile(PathBuf);

impl HostRuleFile {
    /// Returns the file at a path; it need not be there.
    pub fn new(path: &Path) -> Self {
        Self(path.to_owned())
    }

    fn write(&self, target: &Target) -> anyhow::Result<PathBuf> {
        let draft = UserFileDraft::open(&self.0)?;
        if let Some(text) = with_host(draft.path(), draft.text(), target)? {
            draft.replace(&text)?;
        }
        Ok(draft.path().to_owned())
    }
}

impl HostRuleWriter for HostRuleFile {
    fn allow(&self, target: &Target) -> Result<PathBuf, String> {
        self.write(target).map_err(|error| format!("{error:#}"))
    }
}

/// What is put into a text, and the byte in front of which it is put.
type Insertion = (usize, String);

/// Returns the text of a file that allows a host; none if it does already.
fn with_host(path: &Path, text: &str, target: &Target) -> anyhow::Result<Option<String>> {
    let user: UserFile = understood(path, text)?;
    match NetworkRules::of_table(&user.network, RuleSource::User)?.judge(target) {
        Judgement::Allowed { .. } => return Ok(None),
        Judgement::Denied { by } => bail!("{by} refuses {target}"),
        Judgement::Unlisted => {}
    }
    let word = target.to_string();
    let (mut out, mut done) = (String::with_capacity(text.len() + 80), 0);
    for (at, new) in insertions(text, &quoted(&word))? {
        out += part(text, done..at);
        out += &new;
        done = at;
    }
    out += part(text, done..);
    // Whatever the file looks like, nothing but this rule is new in it.
    if out.parse::<Table>()? != expected(text, word)? {
        bail!("no host can be put into [network] of {}", path.display());
    }
    Ok(Some(out))
}

/// Returns what a file says once it allows one more host.
fn expected(text: &str, word: String) -> anyhow::Result<Table> {
    let mut file: Table = text.parse()?;
    let network = file
        .entry("network")
        .or_insert_with(|| Value::Table(Table::new()));
    let network = network.as_table_mut().context("network is no table")?;
    let allow = network
        .entry("allow")
        .or_insert_with(|| Value::Array(Vec::new()));
    let allow = allow.as_array_mut().context("network.allow is no list")?;
    allow.push(Value::String(word));
    Ok(file)
}

/// Returns what has to be put where, so that `allow` has one more word: in its list, else as the first setting of the table, else
/// in a table of its own at the end of the file.
fn insertions(text: &str, word: &str) -> anyhow::Result<Vec<Insertion>> {
    let file = DeTable::parse(text)?;
    let end = if text.contains("\r\n") { "\r\n" } else { "\n" };
    let Some(network) = file.get_ref().get("network") else {
        let apart = match text {
            "" => "",
            _ if text.ends_with('\n') => end,
            _ => &format!("{end}{end}"),
        };
        let table = format!("{apart}[network]{end}allow = [{word}]{end}");
        return Ok(vec![(text.len(), table)]);
    };
    let table = network.get_ref().as_table().context("it is no table")?;
    if let Some(allow) = table.get("allow") {
        let list = allow.get_ref().as_array().context("allow is no list")?;
        return Ok(into_list(text, (allow.span(), list), word, end));
    }
    Ok(vec![into_table(text, (network.span(), table), word, end)])
}

/// Returns where a table without `allow` gets one: `[network]`, `network = { ... }`, or lines `network.deny = ...`.
fn into_table(
    text: &str,
    (span, table): (Range<usize>, &DeTable<'_>),
    word: &str,
    end: &str,
) -> Insertion {
    let written = part(text, span.clone());
    if written.starts_with('[') {
        let at = line_end(text, span.end);
        let begin = if part(text, ..at).ends_with('\n') {
            ""
        } else {
            end
        };
        (at, format!("{begin}allow = [{word}]{end}"))
    } else if written.starts_with('{') {
        let apart = if table.is_empty() { " " } else { "," };
        (span.start + 1, format!(" allow = [{word}]{apart}"))
    } else {
        let keys = table.iter().map(|(key, _)| key.span().start);
        let at = line_start(text, keys.min().unwrap_or(span.start));
        (at, format!("network.allow = [{word}]{end}"))
    }
}

/// Returns where a list gets one more word, behind all others: on a line of its own if the list is written that way.
fn into_list(
    text: &str,
    (span, list): (Range<usize>, &DeArray<'_>),
    word: &str,
    end: &str,
) -> Vec<Insertion> {
    let Some(last) = list.iter().last().map(Spanned::<DeValue<'_>>::span) else {
        return vec![(span.start + 1, word.to_owned())];
    };
    let rest = part(text, last.end..span.end);
    let is_apart = rest.contains('\n');
    let is_ended = rest.trim_start_matches([' ', '\t']).starts_with(',');
    let mut code = rest.lines().filter_map(|line| line.split('#').next());
    if !is_apart || (!is_ended && code.any(|line| line.contains(','))) {
        return vec![(last.end, format!(", {word}"))];
    }
    let line = part(text, line_start(text, last.start)..last.start);
    let indent = line.find(|c| c != ' ' && c != '\t').unwrap_or(line.len());
    let indent = part(line, ..indent);
    let next = line_end(text, last.end);
    if is_ended {
        vec![(next, format!("{indent}{word},{end}"))]
    } else {
        vec![
            (last.end, ",".to_owned()),
            (next, format!("{indent}{word}{end}")),
        ]
    }
}

/// Returns the start of the line that a byte is on.
fn line_start(text: &str, at: usize) -> usize {
    part(text, ..at).rfind('\n').map_or(0, |found| found + 1)
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::os::unix::fs::{PermissionsExt as _, symlink};

    use super::*;

    fn target(word: &str) -> Target {
        Target::parse(word, None).unwrap()
    }

    fn with(text: &str, word: &str) -> Option<String> {
        with_host(Path::new("config.toml"), text, &target(word)).unwrap()
    }

    #[test]
    fn one_host_is_put_in_and_everything_else_stays() {
        for (text, expected) in [
            ("", "[network]\nallow = [\"a.example:443\"]\n"),
            (
                "# mine\nmodel = 'm' # fast",
                "# mine\nmodel = 'm' # fast\n\n[network]\nallow = [\"a.example:443\"]\n",
            ),
            (
                "[turn]\r\nstop = 'turn-end'\r\n",
                "[turn]\r\nstop = 'turn-end'\r\n\r\n[network]\r\nallow = [\"a.example:443\"]\r\n",
            ),
            (
                "[network] # hosts\n# about ads\ndeny = ['ads.example']\n[turn]\n",
                "[network] # hosts\nallow = [\"a.example:443\"]\n# about ads\ndeny = ['ads.example']\n[turn]\n",
            ),
            ("[network]", "[network]\nallow = [\"a.example:443\"]\n"),
            (
                "network = { deny = ['ads.example'] } # x\n",
                "network = { allow = [\"a.example:443\"], deny = ['ads.example'] } # x\n",
            ),
            (
                "network = {}\n",
                "network = { allow = [\"a.example:443\"] }\n",
            ),
            (
                "model = 'm'\nnetwork.deny = [ # x\n  'ads.example',\n]\n[turn]\n",
                "model = 'm'\nnetwork.allow = [\"a.example:443\"]\nnetwork.deny = [ # x\n  'ads.example',\n]\n[turn]\n",
            ),
            (
                "[network]\nallow = [] # none yet\n",
                "[network]\nallow = [\"a.example:443\"] # none yet\n",
            ),
            (
                "[network]\nallow = [ 'cargo', 'npm' ] # both\n",
                "[network]\nallow = [ 'cargo', 'npm', \"a.example:443\" ] # both\n",
            ),
            (
                "network.allow = [\n\t'cargo', # crates, of Rust\n\t# no more\n]\n",
                "network.allow = [\n\t'cargo', # crates, of Rust\n\t\"a.example:443\",\n\t# no more\n]\n",
            ),
            (
                "[network]\nallow = [\n    'cargo',\n    'npm' # packages, of Node\n]\ndeny = []\n",
                "[network]\nallow = [\n    'cargo',\n    'npm', # packages, of Node\n    \"a.example:443\"\n]\ndeny = []\n",
            ),
            (
                "[network]\nallow = [\n    'cargo' # x\n    ,\n]\n",
                "[network]\nallow = [\n    'cargo', \"a.example:443\" # x\n    ,\n]\n",
            ),
            (
                "[network]\nallow = ['cargo',\n  'npm']\n",
                "[network]\nallow = ['cargo',\n  'npm', \"a.example:443\"]\n",
            ),
        ] {
            let written = with(text, "a.example:443").unwrap();
            assert_eq!(written, expected, "{text}");
            assert_eq!(with(&written, "a.example:443"), None, "a second time");
            // Exactly this host, at this port.
            for other in ["b.a.example:443", "a.example:80", "example:443"] {
                assert!(with(&written, other).is_some(), "{other}");
            }
        }
    }

    #[test]
    fn a_host_is_written_as_it_is_read_again() {
        for word in ["[2001:db8::1]:443", "192.0.2.1:8080", "a_b.example:22"] {
            let written = with("", word).unwrap();
            assert_eq!(with(&written, word), None, "{written}");
        }
        assert_eq!(
            with("[network]\nallow = ['cargo']\n", "crates.io:443"),
            None
        );
    }

    #[test]
    fn what_cannot_be_written_is_said_and_stays() {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        let allow = |name: &str| HostRuleFile::new(&at(name)).allow(&target("a.example:443"));
        fs::write(at("bad"), "[network\n").unwrap();
        fs::write(at("denied"), "[network]\ndeny = ['*.example']\n").unwrap();
        fs::write(at("model"), "network = 3\n").unwrap();
        fs::create_dir(at("folder")).unwrap();
        for (name, why) in [
            ("bad", "bad"),
            ("denied", "`deny *.example` in [network]"),
            ("model", "network"),
            ("folder", "cannot read"),
        ] {
            let said = allow(name).unwrap_err();
            assert!(said.contains(why), "{name}: {said}");
        }
        assert_eq!(fs::read_to_string(at("bad")).unwrap(), "[network\n");
        fs::write(at("dotfile"), "# mine\n").unwrap();
        symlink(at("dotfile"), at("link")).unwrap();
        assert_eq!(
            allow("link").unwrap(),
            at("dotfile").canonicalize().unwrap()
        );
        assert!(fs::symlink_metadata(at("link")).unwrap().is_symlink());
        let mode = fs::metadata(at("dotfile")).unwrap().permissions().mode();
        assert_eq!(mode & 0o777, 0o600);
        allow("new/config.toml").unwrap();
        let draft = UserFileDraft::open(&at("dotfile")).unwrap();
        fs::write(at("dotfile"), "# theirs\n").unwrap();
        let error = draft.replace("# mine\n").unwrap_err().to_string();
        assert!(error.contains("changed meanwhile"), "{error}");
    }
}
