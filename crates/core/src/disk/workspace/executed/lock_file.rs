//! What a change of a lock file comes to: packages added, removed and changed, and the hosts that they come from.
//!
//! In: the name and the texts before and after. Out: one sentence for the review. A thousand lines of hashes are read by
//! nobody, and one of them may have another package, or the same from another host.
//!
//! ```text
//! Cargo.lock, one block more, one with another checksum
//!   ->  1 package added (left-pad), 1 changed (serde); hosts: github.com
//! package-lock.json, "resolved": "https://evil.example/x.tgz"
//!   ->  1 package changed (x); new host: evil.example; hosts: registry.example
//! ```
//!
//! The readers are tolerant and go line by line, one for each family of formats: blocks of TOML, of Yarn and of YAML,
//! JSON of any shape, and lines. A package is its name with all that is said of it, so a hash that changes alone is seen. What
//! no reader finds a package in could not be read, and is said to be so.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::{Map, Value};

use crate::plural::counted;
use crate::quote;
use crate::text::Slice as _;

/// Packages and hosts that are named, of each sort; the rest is counted. A card is read, and a new host matters more than
/// the tenth package.
const MAX_NAMED: usize = 5;

/// Keys of JSON objects that say of an object around them that it is a package.
const PACKAGE_FIELDS: [&str; 11] = [
    "version",
    "resolved",
    "rev",
    "revision",
    "narHash",
    "contentHash",
    "integrity",
    "checksum",
    "hash",
    "sha256",
    "hashes",
];
/// Keys of objects that belong to the package around them.
const OF_PACKAGE: [&str; 6] = [
    "locked",
    "state",
    "dist",
    "source",
    "original",
    "resolution",
];
/// Keys of objects with addresses from which nothing is installed, or that are no packages.
const NO_SOURCES: [&str; 9] = [
    "funding", "homepage", "support", "authors", "bugs", "_meta", "metadata", "meta", "engines",
];

/// Lock files that are blocks of TOML; one without a block has no package that could be read.
const OF_TOML: [&str; 5] = [
    "cargo.lock",
    "poetry.lock",
    "uv.lock",
    "pdm.lock",
    "pylock.toml",
];

/// The packages of a lock file: by name, what is said of each version.
#[derive(Debug, Default, PartialEq, Eq)]
struct Packages {
    entries: BTreeMap<String, BTreeSet<String>>,
    hosts: BTreeSet<String>,
}

/// Returns what a change of a lock file comes to. A text that is not given is none.
pub fn summary(name: &str, before: Option<&str>, after: Option<&str>) -> String {
    let (Some(old), Some(new)) = (read_all(name, before), read_all(name, after)) else {
        return "its packages could not be read".to_owned();
    };
    let changed = new.entries.iter().filter(|(name, entry)| {
        let old = old.entries.get(*name);
        old.is_some_and(|old| old != *entry)
    });
    let changed: Vec<String> = changed.map(|(name, _)| name.clone()).collect();
    let sorts = [
        ("added", names_missing(&new, &old)),
        ("removed", names_missing(&old, &new)),
        ("changed", changed),
    ];
    let mut parts: Vec<String> = sorts
        .into_iter()
        .filter(|(_, names)| !names.is_empty())
        .map(|(what, names)| {
            let count = counted(names.len(), "package");
            format!("{count} {what} ({})", named(names.iter()))
        })
        .collect();
    if parts.is_empty() {
        parts.push("no package differs".to_owned());
    }
    let mut told = parts.join(", ");
    let fresh: Vec<&String> = new.hosts.difference(&old.hosts).collect();
    let known: Vec<&String> = new.hosts.intersection(&old.hosts).collect();
    for (what, hosts) in [("new host", fresh), ("known host", known)] {
        if !hosts.is_empty() {
            let noun = if hosts.len() == 1 {
                what.to_owned()
            } else {
                format!("{what}s")
            };
            told += &format!("; {noun}: {}", named(hosts.into_iter()));
        }
    }
    told
}

fn read_all(name: &str, text: Option<&str>) -> Option<Packages> {
    match text {
        None => Some(Packages::default()),
        Some(text) if text.trim().is_empty() => Some(Packages::default()),
        Some(text) => Some(read(name, text)).filter(|read| !read.entries.is_empty()),
    }
}

/// Returns the packages that `one` has and `other` lacks.
fn names_missing(one: &Packages, other: &Packages) -> Vec<String> {
    let names = one.entries.keys();
    names
        .filter(|name| !other.entries.contains_key(*name))
        .cloned()
        .collect()
}

/// Names the first of many, each on one line.
fn named<'n>(names: impl Iterator<Item = &'n String>) -> String {
    let names: Vec<&String> = names.collect();
    let first = names.iter().take(MAX_NAMED);
    let mut all: Vec<String> = first.map(|name| quote::name(name).into_owned()).collect();
    if let Some(more) = names.len().checked_sub(MAX_NAMED).filter(|more| *more > 0) {
        all.push(format!("and {more} more"));
    }
    all.join(", ")
}

fn read(name: &str, text: &str) -> Packages {
    let name = name.to_lowercase();
    let mut packages = Packages::default();
    if text.trim_start().starts_with('{') {
        packages.json(text);
    } else if OF_TOML.contains(&name.as_str()) || text.lines().any(|line| line.starts_with("[[")) {
        packages.toml(text);
    } else if name == "yarn.lock" {
        packages.yarn(text);
    } else if name.ends_with("gemfile.lock") || name == "gems.locked" {
        packages.gems(text);
    } else if name.ends_with(".sum") {
        packages.sums(text);
    } else if name.ends_with(".yaml") || name.ends_with(".yml") || is_yaml(text) {
        packages.yaml(text);
    } else {
        packages.lines(text);
    }
    packages
}

fn is_yaml(text: &str) -> bool {
    let sections = [
        "packages:",
        "PODS:",
        "shards:",
        "dependencies:",
        "snapshots:",
        "package:",
    ];
    text.lines().any(|line| sections.contains(&line.trim_end()))
}

impl Packages {
    fn add(&mut self, name: &str, entry: &str) {
        let name = name.trim();
        if !name.is_empty() {
            let entries = self.entries.entry(name.to_owned()).or_default();
            entries.insert(entry.to_owned());
        }
    }

    /// Notes the hosts of the addresses in a text.
    fn note_hosts(&mut self, text: &str) {
        for (at, _) in text.match_indices("://") {
            let rest = text.slice(at + 3..);
            let end = rest.find(|c: char| c.is_whitespace() || "/?#\"'),>]}\\`;".contains(c));
            let authority = end.map_or(rest, |end| rest.slice(..end));
            let host = authority
                .rsplit_once('@')
                .map_or(authority, |(_, host)| host);
            self.hosts
                .extend((!host.is_empty()).then(|| host.to_lowercase()));
        }
        // An address of git's by ssh: `git@host:path`.
        for (at, _) in text.match_indices("git@") {
            let rest = text.slice(at + 4..);
            let host = rest.split_once(':').map(|(host, _)| host);
            self.hosts.extend(
                host.filter(|host| {
                    !host.is_empty()
                        && host
                            .chars()
                            .all(|c| c.is_alphanumeric() || c == '.' || c == '-')
                })
                .map(str::to_lowercase),
            );
        }
    }

    /// Blocks that begin with `[[package]]` or `[[deps.Name]]`.
    fn toml(&mut self, text: &str) {
        let mut block: Option<(String, String)> = None;
        for line in text.lines().chain(["[[end]]"]) {
            let line = line.trim();
            let is_other = line.starts_with('[') && !line.starts_with("[package");
            if line.starts_with("[[") || is_other {
                if let Some((name, entry)) = block.take() {
                    self.note_hosts(&entry);
                    self.add(&name, &entry);
                }
                let header = line
                    .strip_prefix("[[")
                    .and_then(|rest| rest.strip_suffix("]]"));
                let own = header.and_then(|header| header.rsplit('.').next());
                block = own.map(|own| (own.to_owned(), String::new()));
            } else if let Some((name, entry)) = &mut block {
                if let Some(own) = line.strip_prefix("name =") {
                    *name = unquoted(own).to_owned();
                }
                entry.push_str(line);
                entry.push('\n');
            }
        }
        self.entries.remove("end");
    }

    /// Blocks that begin with `"name@range", ...:` at the first column.
    fn yarn(&mut self, text: &str) {
        self.blocks(text, |line| {
            let specs = line.strip_suffix(':')?;
            let is_header = !line.starts_with([' ', '#']) && specs != "__metadata";
            let first = unquoted(specs.split(',').next().filter(|_| is_header)?);
            Some(without_version(first, false).to_owned())
        });
    }

    /// Blocks below `packages:` and the like, and lists of packages.
    fn yaml(&mut self, text: &str) {
        self.blocks(text, entry_name);
    }

    /// Adds a block for each line that is a header; what stands before the first one is none.
    fn blocks(&mut self, text: &str, header: impl Fn(&str) -> Option<String>) {
        self.note_hosts(text);
        let mut block: Option<(String, String)> = None;
        for line in text.lines() {
            let is_top = !line.starts_with([' ', '-']) && !line.trim().is_empty();
            match header(line) {
                Some(name) => {
                    if let Some((name, entry)) = block.replace((name, line.to_owned())) {
                        self.add(&name, &entry);
                    }
                }
                None if is_top => {
                    if let Some((name, entry)) = block.take() {
                        self.add(&name, &entry);
                    }
                }
                None => {
                    if let Some((_, entry)) = &mut block {
                        entry.push('\n');
                        entry.push_str(line.trim());
                    }
                }
            }
        }
        if let Some((name, entry)) = block {
            self.add(&name, &entry);
        }
    }

    /// `    name (version)` below `remote:` and `revision:`.
    fn gems(&mut self, text: &str) {
        self.note_hosts(text);
        let mut source = String::new();
        for line in text.lines() {
            let own = line.trim_start();
            match line.len() - own.len() {
                0 => source.clear(),
                2 if own.contains(": ") => source.push_str(own),
                4 => {
                    let name = own.split_once([' ', '!']).map_or(own, |(name, _)| name);
                    self.add(name, &format!("{own} {source}"));
                }
                _ => {}
            }
        }
    }

    /// `module version hash`; a module's path begins with its host.
    fn sums(&mut self, text: &str) {
        for line in text.lines() {
            if let Some((module, rest)) = line.trim().split_once(' ') {
                self.add(module, rest);
                let host = module.split('/').next().filter(|host| host.contains('.'));
                self.hosts.extend(host.map(str::to_lowercase));
            }
        }
    }

    /// A package a line, or a block in braces: `"name": {...}`, `name==1.0`, `group:name:1.0=x`, `provider "host/name" {`.
    fn lines(&mut self, text: &str) {
        self.note_hosts(text);
        let mut current: Option<String> = None;
        for line in text.lines().map(str::trim) {
            let is_comment = ["#", "//", "--", "%", "}", ")", "]"]
                .iter()
                .any(|start| line.starts_with(start));
            if line.is_empty() || is_comment {
                continue;
            }
            if let Some(block) = line.strip_suffix('{') {
                let quoted = block.split('"').nth(1);
                let name = quoted.unwrap_or(block).trim().to_owned();
                let host = name.split('/').next().filter(|host| host.contains('.'));
                self.hosts.extend(host.map(str::to_lowercase));
                current = Some(name);
                continue;
            }
            let is_field = line.contains(" = ") || line.starts_with('"') && line.ends_with("\",");
            if let Some(name) = current.clone().filter(|_| is_field) {
                self.add(&name, line);
                continue;
            }
            let name = match line.strip_prefix('"') {
                Some(rest) => rest.split_once('"').map_or(rest, |(name, _)| name),
                None => name_of_line(line),
            };
            self.add(name, line);
        }
    }

    fn json(&mut self, text: &str) {
        let parsed = serde_json::from_str::<Value>(text);
        // Some tools leave a comma behind the last element.
        let parsed = parsed.or_else(|_| serde_json::from_str(&without_last_commas(text)));
        if let Ok(Value::Object(fields)) = parsed {
            for (key, value) in &fields {
                self.json_value(key, value);
            }
        }
    }

    fn json_value(&mut self, name: &str, value: &Value) {
        match value {
            Value::Object(fields) => self.json_object(name, fields),
            Value::Array(values) => {
                let first = values.first().and_then(Value::as_str);
                if let Some(first) = first.filter(|first| first.contains('@') && values.len() > 1) {
                    // Bun: `"name": ["name@1.0", "", {}, "sha512-..."]`.
                    self.add(without_version(first, true), &value.to_string());
                    self.note_hosts(&value.to_string());
                } else {
                    values.iter().for_each(|value| self.json_value(name, value));
                }
            }
            Value::String(text) => {
                if name.contains("://") {
                    self.note_hosts(name);
                    self.add(name, text);
                }
                self.note_hosts(text);
            }
            Value::Null | Value::Bool(_) | Value::Number(_) => {}
        }
    }

    fn json_object(&mut self, name: &str, fields: &Map<String, Value>) {
        let named = ["name", "identity", "package"]
            .iter()
            .find_map(|key| fields.get(*key)?.as_str());
        let name = named.unwrap_or(name);
        let is_package = PACKAGE_FIELDS.iter().any(|key| {
            let field = fields.get(*key);
            field.is_some_and(|field| field.is_string() || field.is_array())
        });
        if is_package {
            let name = name
                .rsplit_once("node_modules/")
                .map_or(name, |(_, name)| name);
            let entry: Map<String, Value> = fields
                .iter()
                .filter(|(key, _)| !NO_SOURCES.contains(&key.as_str()))
                .map(|(key, value)| (key.clone(), value.clone()))
                .collect();
            self.add(
                without_version(name, true),
                &Value::Object(entry).to_string(),
            );
        }
        // A source of Nix is named by its service.
        match fields.get("type").and_then(Value::as_str) {
            Some("github") => drop(self.hosts.insert("github.com".to_owned())),
            Some("gitlab") if !fields.contains_key("host") => {
                self.hosts.insert("gitlab.com".to_owned());
            }
            _ => {}
        }
        let host = fields.get("host").and_then(Value::as_str);
        self.hosts.extend(host.map(str::to_lowercase));
        for (key, value) in fields {
            let key = key.as_str();
            if NO_SOURCES.contains(&key) {
                continue;
            }
            let inner = if OF_PACKAGE.contains(&key) { name } else { key };
            match value {
                // The root of npm's packages has no name of its own.
                _ if key.is_empty() => {}
                value => self.json_value(inner, value),
            }
        }
    }
}

/// Returns the name of the package that a line of YAML begins to describe.
fn entry_name(line: &str) -> Option<String> {
    let indent = line.len() - line.trim_start().len();
    let own = line.trim();
    if let Some(listed) = own.strip_prefix("- ") {
        let named = ["name:", "conda:", "pypi:", "hackage:", "url:"];
        let name = named.iter().find_map(|key| listed.strip_prefix(key));
        // Of a pod the version stands behind it: `- Name (1.0)`.
        let name = unquoted(name.or_else(|| listed.split_once(" (").map(|(name, _)| name))?);
        return (indent <= 4).then(|| name.to_owned());
    }
    let name = own.strip_suffix(':').or_else(|| own.strip_suffix(": {}"))?;
    let name = unquoted(name);
    let name = name.strip_prefix('/').unwrap_or(name);
    (indent == 2).then(|| without_version(name, true).to_owned())
}

/// Returns a name without the version behind it: `x@1.0`, `@scope/x@1.0`, `x/1.0`. The first `@` ends a name in Yarn's, the
/// last one elsewhere.
fn without_version(name: &str, is_last: bool) -> &str {
    let Some(rest) = name.get(1..) else {
        return name;
    };
    let at = if is_last {
        rest.rfind('@')
    } else {
        rest.find('@')
    };
    at.and_then(|at| name.get(..at + 1)).unwrap_or(name)
}

/// Returns the name at the beginning of a line: `group:name` of `group:name:1.0=x`, `x` of `x==1.0`.
fn name_of_line(line: &str) -> &str {
    let mut colons = line.match_indices(':').map(|(at, _)| at);
    if let (Some(_), Some(second)) = (colons.next(), colons.next())
        && !line.contains("://")
    {
        return line.get(..second).unwrap_or(line);
    }
    let end = line.find(['=', ' ', ',', '<', '>', '@', ';']);
    end.and_then(|end| line.get(..end))
        .filter(|name| !name.is_empty())
        .unwrap_or(line)
}

fn unquoted(text: &str) -> &str {
    text.trim().trim_matches(['"', '\''])
}

/// Returns a text of JSON without commas before a closing bracket, outside of strings.
fn without_last_commas(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let (mut is_string, mut is_escaped) = (false, false);
    for c in text.chars() {
        if !is_string && matches!(c, '}' | ']') {
            let kept = out.trim_end();
            if let Some(kept) = kept.strip_suffix(',') {
                out.truncate(kept.len());
            }
        }
        is_string ^= c == '"' && !is_escaped;
        is_escaped = c == '\\' && !is_escaped && is_string;
        out.push(c);
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A lock file's name, its text, one that replaces a part of it, what comes in the place, and what is said.
    type Case = (
        &'static str,
        &'static str,
        &'static str,
        &'static str,
        &'static str,
    );

    const CASES: &[Case] = &[
        (
            "Cargo.lock",
            "version = 4\n\n[[package]]\nname = \"a\"\nversion = \"1.0.0\"\nsource = \"registry+https://github.com/rust-lang/crates.io-index\"\nchecksum = \"1\"\n\n[[package]]\nname = \"b\"\nversion = \"1\"\n",
            "checksum = \"1\"",
            "checksum = \"2\"",
            "1 package changed (a); known host: github.com",
        ),
        (
            "package-lock.json",
            r#"{"name":"x","version":"1.0.0","lockfileVersion":3,"packages":{"":{"name":"x","version":"1.0.0"},"node_modules/a":{"version":"1.0.0","resolved":"https://registry.example/a.tgz","funding":{"url":"https://fund.example"}},"node_modules/@s/b":{"version":"2.0.0","resolved":"https://registry.example/b.tgz"}}}"#,
            "https://registry.example/b.tgz",
            "https://evil.example/b.tgz",
            "1 package changed (@s/b); new host: evil.example; known host: registry.example",
        ),
        (
            "yarn.lock",
            "# yarn lockfile v1\n\n\n\"@s/a@^1.0.0\", \"@s/a@^1.1.0\":\n  version \"1.1.0\"\n  resolved \"https://registry.yarnpkg.com/a.tgz#1\"\n\nb@^2.0.0:\n  version \"2.0.0\"\n",
            "b@^2.0.0:\n  version \"2.0.0\"\n",
            "",
            "1 package removed (b); known host: registry.yarnpkg.com",
        ),
        (
            "yarn.lock",
            "__metadata:\n  version: 8\n\n\"a@npm:^1.0.0\":\n  version: 1.0.0\n  resolution: \"a@npm:1.0.0\"\n  checksum: 10/1\n",
            "checksum: 10/1",
            "checksum: 10/2",
            "1 package changed (a)",
        ),
        (
            "pnpm-lock.yaml",
            "lockfileVersion: '9.0'\n\npackages:\n\n  '@s/a@1.0.0':\n    resolution: {integrity: sha512-1}\n\n  b@2.0.0:\n    resolution: {integrity: sha512-2}\n\nsnapshots:\n\n  b@2.0.0: {}\n",
            "  b@2.0.0:\n    resolution: {integrity: sha512-2}\n",
            "  b@2.0.0:\n    resolution: {tarball: https://evil.example/b.tgz}\n\n  c@1.0.0:\n    resolution: {integrity: sha512-3}\n",
            "1 package added (c), 1 package changed (b); new host: evil.example",
        ),
        (
            "poetry.lock",
            "[[package]]\nname = \"a\"\nversion = \"1\"\n\n[package.dependencies]\nb = \"*\"\n\n[metadata]\nlock-version = \"2.0\"\n",
            "version = \"1\"",
            "version = \"2\"",
            "1 package changed (a)",
        ),
        (
            "uv.lock",
            "version = 1\n\n[[package]]\nname = \"a\"\nversion = \"1\"\nsource = { registry = \"https://index.example/simple\" }\nsdist = { url = \"https://files.pythonhosted.org/a\", hash = \"sha256:1\" }\n",
            "https://files.pythonhosted.org/a",
            "https://u:p@evil.example/a",
            "1 package changed (a); new host: evil.example; known host: index.example",
        ),
        (
            "Pipfile.lock",
            r#"{"_meta":{"hash":{"sha256":"1"}},"default":{"a":{"hashes":["sha256:1"],"version":"==1"}},"develop":{}}"#,
            "==1",
            "==2",
            "1 package changed (a)",
        ),
        (
            "go.sum",
            "github.com/a/b v1.0.0 h1:1=\ngithub.com/a/b v1.0.0/go.mod h1:2=\n",
            "h1:2=\n",
            "h1:2=\nevil.example/c v0.1.0 h1:3=\n",
            "1 package added (evil.example/c); new host: evil.example; known host: github.com",
        ),
        (
            "composer.lock",
            r#"{"packages":[{"name":"a/b","version":"1","dist":{"url":"https://api.github.com/1","shasum":""},"homepage":"https://home.example"}],"packages-dev":[]}"#,
            "https://api.github.com/1",
            "https://evil.example/1",
            "1 package changed (a/b); new host: evil.example",
        ),
        (
            "Gemfile.lock",
            "GEM\n  remote: https://rubygems.org/\n  specs:\n    a (1.0)\n      b (>= 1)\n    b (2.0)\n\nPLATFORMS\n  ruby\n",
            "b (2.0)",
            "b (2.1)",
            "1 package changed (b); known host: rubygems.org",
        ),
        (
            "mix.lock",
            "%{\n  \"a\": {:hex, :a, \"1.0\", \"1\", [:mix], [], \"hexpm\", \"2\"},\n  \"b\": {:git, \"https://github.com/b.git\", \"1\", []},\n}\n",
            "https://github.com/b.git",
            "https://evil.example/b.git",
            "1 package changed (b); new host: evil.example",
        ),
        (
            "flake.lock",
            r#"{"nodes":{"nixpkgs":{"locked":{"owner":"NixOS","repo":"nixpkgs","rev":"1","type":"github"},"original":{"id":"nixpkgs"}},"root":{"inputs":{"nixpkgs":"nixpkgs"}}},"root":"root","version":7}"#,
            "\"rev\":\"1\"",
            "\"rev\":\"2\"",
            "1 package changed (nixpkgs); known host: github.com",
        ),
        (
            "bun.lock",
            "{\n  \"lockfileVersion\": 1,\n  \"packages\": {\n    \"a\": [\"a@1.0.0\", \"\", {}, \"sha512-1\"],\n  }\n}\n",
            "sha512-1",
            "sha512-2",
            "1 package changed (a)",
        ),
        (
            "pubspec.lock",
            "packages:\n  a:\n    dependency: direct\n    version: \"1.0.0\"\n    url: \"https://pub.dev\"\nsdks:\n  dart: \">=3\"\n",
            "1.0.0",
            "1.0.1",
            "1 package changed (a); known host: pub.dev",
        ),
        (
            "gradle.lockfile",
            "# This is a Gradle generated file\ng:a:1.0=compile\nempty=\n",
            "g:a:1.0",
            "g:a:2.0",
            "1 package changed (g:a)",
        ),
        (
            ".terraform.lock.hcl",
            "provider \"registry.terraform.io/hashicorp/aws\" {\n  version = \"1\"\n  hashes = [\n    \"h1:1\",\n  ]\n}\n",
            "h1:1",
            "h1:2",
            "1 package changed (registry.terraform.io/hashicorp/aws); known host: registry.terraform.io",
        ),
        (
            "Package.resolved",
            r#"{"pins":[{"identity":"a","location":"https://github.com/a","state":{"revision":"1","version":"1.0"}}],"version":2}"#,
            "\"revision\":\"1\"",
            "\"revision\":\"2\"",
            "1 package changed (a); known host: github.com",
        ),
    ];

    #[test]
    fn changes_are_counted_by_package_and_new_hosts_are_named() {
        for (name, before, part, instead, told) in CASES {
            assert!(before.contains(part), "{name}");
            let after = before.replace(part, instead);
            assert_eq!(summary(name, Some(before), Some(&after)), *told, "{name}");
            let same = summary(name, Some(before), Some(before));
            assert!(same.starts_with("no package differs"), "{name}: {same}");
        }
    }

    #[test]
    fn what_cannot_be_read_is_said_to_be_so_and_a_new_file_is_counted_whole() {
        for (name, text) in [
            ("package-lock.json", "{\"a\": "),
            ("Cargo.lock", "[[package\n"),
            ("x.lock", "#\n"),
        ] {
            assert_eq!(
                summary(name, None, Some(text)),
                "its packages could not be read",
                "{name}"
            );
        }
        assert_eq!(
            summary("go.sum", None, Some("a.example/x v1 h1:1=\n")),
            "1 package added (a.example/x); new host: a.example"
        );
        let many: String = (0..8)
            .map(|n| format!("a.example/{n} v1 h1:1=\n"))
            .collect();
        let told = summary("go.sum", Some(&many), None);
        assert!(
            told.contains("8 packages removed") && told.contains("and 3 more"),
            "{told}"
        );
        // A name is on one line.
        assert!(!summary("go.sum", None, Some("a\u{2028}b v1 h\n")).contains('\u{2028}'));
    }
}
