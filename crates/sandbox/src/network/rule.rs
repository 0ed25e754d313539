//! Network rules: which hosts a program may reach, and what rules make of one.
//!
//! ```text
//! user       allow = ["cargo", "*.example.com"]   deny = ["ads.example.com"]   inside = ["nexus.example.com"]
//! workspace                                       deny = ["*.example.com"]
//!
//! crates.io:443         allowed by cargo
//! a.example.com:443     refused by the workspace: what denies goes before what allows
//! b.example:443         nobody said anything: the user is asked
//! ```

use std::fmt;

use serde::Deserialize;

use super::host::{HostError, HostPattern, Target};
use super::presets::PRESETS;

/// Who made a rule.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RuleSource {
    /// `--net`.
    Flag,
    /// The user's configuration.
    User,
    /// The workspace's file; it only denies.
    Workspace,
    /// `network` of an MCP server's definition in the user's configuration.
    Server,
    /// The user's answer, for as long as signoff runs.
    Session,
}

impl fmt::Display for RuleSource {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Flag => "--net",
            Self::User => "[network] of the user's configuration",
            Self::Workspace => "[network] of the workspace's .signoff.toml",
            Self::Server => "`network` of the server's [mcp.NAME]",
            Self::Session => "the user's answer for this session",
        })
    }
}

/// What a rule says of its hosts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum RuleEffect {
    /// They may be reached, at public addresses.
    Allow,
    /// They may be reached, at private addresses and on this machine as well.
    AllowInside,
    /// They may not.
    Deny,
}

/// A rule, as it was written.
#[derive(Clone, Debug, PartialEq, Eq)]
struct NetworkRule {
    pattern: HostPattern,
    effect: RuleEffect,
    /// The word that it was written as: a pattern, or the name of a preset.
    word: String,
    source: RuleSource,
}

/// A word that is neither a preset nor a pattern.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum RuleError {
    /// It names no host.
    #[error("`{word}` names no host: {error}")]
    Host {
        /// The word.
        word: String,
        /// Why.
        error: HostError,
    },
    /// It is one word, as the name of a preset.
    #[error("`{0}` is no preset; presets are {names}", names = preset_names())]
    Preset(String),
}

fn preset_names() -> String {
    PRESETS.map(|preset| preset.name).join(", ")
}

/// The rules of one program, or of a conversation.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct NetworkRules(Vec<NetworkRule>);

/// What rules make of a host.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Judgement {
    /// It may be reached.
    Allowed {
        /// Whether at private addresses as well.
        inside: bool,
        /// The rule, in words.
        by: String,
    },
    /// It may not be.
    Denied {
        /// The rule, in words.
        by: String,
    },
    /// No rule is about it.
    Unlisted,
}

/// A `[network]` table.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct NetworkTable {
    /// Presets and hosts that may be reached, at public addresses.
    pub allow: Vec<String>,
    /// The same, at private addresses and on this machine as well; never the metadata services of clouds.
    pub inside: Vec<String>,
    /// Hosts that may not be reached, whatever allows them.
    pub deny: Vec<String>,
}

impl NetworkRules {
    /// Returns the rules of a table.
    ///
    /// # Errors
    ///
    /// Fails at the first word that is none.
    pub fn of_table(table: &NetworkTable, source: RuleSource) -> Result<Self, RuleError> {
        let mut rules = Self::default();
        for (words, effect) in [
            (&table.allow, RuleEffect::Allow),
            (&table.inside, RuleEffect::AllowInside),
            (&table.deny, RuleEffect::Deny),
        ] {
            for word in words {
                rules.add(word, effect, source)?;
            }
        }
        Ok(rules)
    }

    /// Adds hosts of the command line that may be reached.
    ///
    /// # Errors
    ///
    /// Fails at the first word that is none.
    pub fn allow(&mut self, words: &[String], source: RuleSource) -> Result<(), RuleError> {
        let mut words = words.iter();
        words.try_for_each(|word| self.add(word, RuleEffect::Allow, source))
    }

    /// Adds one host that may be reached, as the user answered.
    pub fn allow_target(&mut self, target: &Target) {
        self.0.push(NetworkRule {
            pattern: HostPattern::only(target),
            effect: RuleEffect::Allow,
            word: target.to_string(),
            source: RuleSource::Session,
        });
    }

    /// Adds other rules, and keeps the order.
    pub fn extend(&mut self, others: Self) {
        self.0.extend(others.0);
    }

    /// Returns those that deny.
    #[must_use]
    pub fn denying(mut self) -> Self {
        self.0.retain(|rule| rule.effect == RuleEffect::Deny);
        self
    }

    fn add(&mut self, word: &str, effect: RuleEffect, source: RuleSource) -> Result<(), RuleError> {
        let preset = PRESETS.iter().find(|preset| preset.name == word);
        let patterns = preset.map_or_else(|| vec![word], |preset| preset.hosts.to_vec());
        let is_name = word == "*" || word == "localhost" || word.contains(['.', ':']);
        if preset.is_none() && !is_name {
            return Err(RuleError::Preset(word.to_owned()));
        }
        for pattern in patterns {
            let pattern = HostPattern::parse(pattern).map_err(|error| RuleError::Host {
                word: word.to_owned(),
                error,
            })?;
            self.0.push(NetworkRule {
                pattern,
                effect,
                word: word.to_owned(),
                source,
            });
        }
        Ok(())
    }

    /// Returns what the rules make of a target: what denies goes before what allows.
    pub fn judge(&self, target: &Target) -> Judgement {
        let about = self.0.iter().filter(|rule| rule.pattern.matches(target));
        let found = about.max_by_key(|rule| match rule.effect {
            RuleEffect::Allow => 0,
            RuleEffect::AllowInside => 1,
            RuleEffect::Deny => 2,
        });
        let Some(rule) = found else {
            return Judgement::Unlisted;
        };
        let by = rule.to_string();
        match rule.effect {
            RuleEffect::Allow => Judgement::Allowed { inside: false, by },
            RuleEffect::AllowInside => Judgement::Allowed { inside: true, by },
            RuleEffect::Deny => Judgement::Denied { by },
        }
    }
}

impl fmt::Display for NetworkRule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self {
            word,
            source,
            effect,
            ..
        } = self;
        let key = match (effect, source) {
            (_, RuleSource::Flag) => return write!(f, "{source} {word}"),
            (_, RuleSource::Session) => return source.fmt(f),
            (_, RuleSource::Server) => return write!(f, "`{word}` in {source}"),
            (RuleEffect::Allow, _) => "allow",
            (RuleEffect::AllowInside, _) => "inside",
            (RuleEffect::Deny, _) => "deny",
        };
        write!(f, "`{key} {word}` in {source}")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(words: &[&str]) -> Vec<String> {
        words.iter().map(|word| (*word).to_owned()).collect()
    }

    fn rules() -> NetworkRules {
        let user = NetworkTable {
            allow: words(&["cargo", "*.example.com", "github.com:22"]),
            inside: words(&["nexus.example.com", "127.0.0.1:8081"]),
            deny: words(&["ads.example.com"]),
        };
        let workspace = NetworkTable {
            deny: words(&["b.example.com:*"]),
            ..NetworkTable::default()
        };
        let mut rules = NetworkRules::of_table(&user, RuleSource::User).unwrap();
        rules.extend(NetworkRules::of_table(&workspace, RuleSource::Workspace).unwrap());
        rules
    }

    #[test]
    fn what_denies_goes_before_what_allows() {
        for (target, expected) in [
            (
                "crates.io:443",
                "allowed by `allow cargo` in [network] of the user's configuration",
            ),
            (
                "a.example.com:443",
                "allowed by `allow *.example.com` in [network] of the user's configuration",
            ),
            (
                "nexus.example.com:443",
                "inside by `inside nexus.example.com` in [network] of the user's configuration",
            ),
            (
                "ads.example.com:443",
                "denied by `deny ads.example.com` in [network] of the user's configuration",
            ),
            (
                "b.example.com:443",
                "denied by `deny b.example.com:*` in [network] of the workspace's .signoff.toml",
            ),
            ("example.com:443", "unlisted"),
            ("crates.io:22", "unlisted"),
            (
                "github.com:22",
                "allowed by `allow github.com:22` in [network] of the user's configuration",
            ),
            ("github.com:443", "unlisted"),
            (
                "127.0.0.1:8081",
                "inside by `inside 127.0.0.1:8081` in [network] of the user's configuration",
            ),
            ("127.0.0.1:8082", "unlisted"),
        ] {
            let judged = match rules().judge(&Target::parse(target, None).unwrap()) {
                Judgement::Allowed { inside: false, by } => format!("allowed by {by}"),
                Judgement::Allowed { inside: true, by } => format!("inside by {by}"),
                Judgement::Denied { by } => format!("denied by {by}"),
                Judgement::Unlisted => "unlisted".to_owned(),
            };
            assert_eq!(judged, expected, "{target}");
        }
    }

    #[test]
    fn a_word_is_a_preset_or_names_a_host() {
        let mut rules = NetworkRules::default();
        rules
            .allow(&words(&["npm", "*", "localhost:3000"]), RuleSource::Flag)
            .unwrap();
        let listed = Target::parse("localhost:3000", None).unwrap();
        let by = "--net localhost:3000".to_owned();
        assert_eq!(
            rules.judge(&listed),
            Judgement::Allowed { inside: false, by }
        );
        for (word, why) in [
            (
                "carg",
                "`carg` is no preset; presets are cargo, npm, pypi, go, maven, debian, forges",
            ),
            (
                "http://a.example",
                "`http://a.example` names no host: it is no name of a host",
            ),
            ("2130706433", "`2130706433` is no preset"),
            (
                "127.1",
                "`127.1` names no host: an address is written as four decimal numbers, or in brackets",
            ),
        ] {
            let error = rules.allow(&words(&[word]), RuleSource::Flag).unwrap_err();
            assert!(error.to_string().starts_with(why), "{error}");
        }
    }

    #[test]
    fn every_preset_names_hosts() {
        for preset in PRESETS {
            let mut rules = NetworkRules::default();
            rules
                .allow(&words(&[preset.name]), RuleSource::User)
                .unwrap();
            assert_eq!(rules.0.len(), preset.hosts.len());
        }
    }
}
