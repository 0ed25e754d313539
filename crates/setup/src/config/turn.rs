//! The tables `[turn]`, `[plan]`, `[review]` and `[apply]`: how conversations are led, who plans and who reviews, and which
//! small model writes edits.
//!
//! In: what the files say, and flags. Out: limits and rules of a conversation.

use std::fmt::Display;
use std::str::FromStr;

use secrecy::SecretString;
use serde::de::Error as _;
use serde::{Deserialize, Deserializer};
use signoff_core::stage::review::AfterApproval;
use signoff_llm::gate::StopRule;
use signoff_llm::instructions::Profile;
use signoff_llm::provider::Protocol;
use signoff_llm::provider::catalogue::Catalogue;
use signoff_llm::provider::http::{Endpoint, Server};
use signoff_llm::session::{CheckPolicy, Config as SessionConfig, CriticSetup, CritiquePolicy};
use signoff_llm::tool::Registry;

use super::bounds::{at_least_one, dollars};
use super::{Address, Wait};
use crate::args::SessionArgs;

/// The table `[turn]` of the user's file.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct TurnFile {
    /// When edits go before you: `"first-edit"` (without it), `"after:N"` after the edits of N files, `"turn-end"`.
    #[serde(deserialize_with = "word")]
    stop: Option<StopRule>,
    /// `"full"` or `"small"`: half a kilobyte of instructions and four tools. Without it, small for models with up to
    /// four billion parameters or 8,192 tokens of context.
    #[serde(deserialize_with = "word")]
    pub(crate) profile: Option<Profile>,
    /// Requests that one turn may take, at least 1; 40 without it.
    #[serde(deserialize_with = "at_least_one")]
    max_requests: Option<u32>,
    /// Tokens that one turn may take, as the server counts them, at least 1.
    #[serde(deserialize_with = "at_least_one")]
    max_tokens: Option<u64>,
    /// Dollars that one turn may take, where the price is known.
    #[serde(deserialize_with = "dollars")]
    max_cost: Option<f64>,
    /// `false`: the model is given no environment and no files with a request.
    pub context: Option<bool>,
    /// What becomes of new diagnostics in what is staged: `"inform"` (without it), `"repair"`, `"off"`.
    checks: OnDiagnostics,
    /// When the tests that belong to what is staged run, after checks without new errors: `"beside"` (without it) the review, if
    /// their last run took less than 20 s; `"needed"`: the same, and then which hunks no test needs; `"auto"`: with all checks, however long they take; `"asked"`: only by
    /// `signoff test` and on the sign-off page.
    tests: WhenTested,
    /// Once all is decided and something approved: `"auto"` (without it) the model goes on if its plan has steps
    /// left or its turn was cut before it was done, `"go-on"`, `"stop"`.
    pub(crate) after_approval: AfterApproval,
    /// How often new errors go back to the model in a turn with `"repair"`; 2 without it.
    repair_rounds: Option<u32>,
}

/// The table `[plan]` of the user's file.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub(crate) struct PlanFile {
    /// The model that makes plans; that of the conversation without it.
    model: Option<String>,
    /// How much it is given to read; what fits it without.
    #[serde(deserialize_with = "word")]
    profile: Option<Profile>,
}

/// The table `[review]` of the user's file: the review agent.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct ReviewFile {
    /// When the review agent looks: `"asked"` (without it) at `/critique`; `"auto"` also after each turn that staged
    /// something; `"off"`.
    agent: WhenCritiqued,
    /// Another model of the same server; that of the conversation without it.
    model: Option<String>,
    /// `"full"` or `"small"`: diffs of 48 or 12 KiB in one look, eleven reading tools or two; without it what fits
    /// `model`.
    #[serde(deserialize_with = "word")]
    profile: Option<Profile>,
}

/// When the review agent looks at what waits.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
enum WhenCritiqued {
    Off,
    /// By `/critique`.
    #[default]
    Asked,
    /// After each turn that stages something.
    Auto,
}

impl ReviewFile {
    /// Switches the review agent off.
    pub fn switch_off(&mut self) {
        self.agent = WhenCritiqued::Off;
    }

    /// Returns how the review agent works; `beside` if there is somebody to read what comes after a turn.
    pub(crate) fn critic(&self, beside: bool, instructions: String) -> CriticSetup {
        let policy = match (self.agent, beside) {
            (WhenCritiqued::Off, _) => CritiquePolicy::Off,
            (WhenCritiqued::Asked, _) => CritiquePolicy::Asked,
            (WhenCritiqued::Auto, true) => CritiquePolicy::Beside,
            (WhenCritiqued::Auto, false) => CritiquePolicy::BeforeEnd,
        };
        CriticSetup {
            policy,
            model: self.model.clone(),
            profile: self.profile,
            instructions,
        }
    }
}

/// What becomes of new diagnostics in what is staged.
#[derive(Clone, Copy, Debug, Default, Deserialize)]
#[serde(rename_all = "lowercase")]
enum OnDiagnostics {
    Off,
    #[default]
    Inform,
    Repair,
}

/// When related tests are run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum WhenTested {
    /// By `signoff test`, and on the sign-off page.
    Asked,
    /// Beside the review, if their last run was short.
    #[default]
    Beside,
    /// The same, and then what no test needs.
    Needed,
    /// With the checks.
    Auto,
}

/// How often errors go back to the model in a turn, unless that is configured.
const REPAIR_ROUNDS: u32 = 2;

impl TurnFile {
    /// Returns when related tests are run.
    pub(crate) fn when_tested(&self) -> WhenTested {
        self.tests
    }

    /// Returns what becomes of new diagnostics in what is staged.
    pub(crate) fn check_policy(&self) -> CheckPolicy {
        match self.checks {
            OnDiagnostics::Off => CheckPolicy::Off,
            OnDiagnostics::Inform => CheckPolicy::Inform,
            OnDiagnostics::Repair => {
                CheckPolicy::Repair(self.repair_rounds.unwrap_or(REPAIR_ROUNDS))
            }
        }
    }
}

/// The table `[turn]` of a workspace's file: limits, of which the lower ones hold.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default)]
pub(crate) struct Limits {
    /// Requests that one turn may take.
    #[serde(deserialize_with = "at_least_one")]
    max_requests: Option<u32>,
    /// Tokens that one turn may take.
    #[serde(deserialize_with = "at_least_one")]
    max_tokens: Option<u64>,
    /// Dollars that one turn may take.
    #[serde(deserialize_with = "dollars")]
    max_cost: Option<f64>,
    #[serde(flatten)]
    pub(crate) others: toml::Table,
}

/// The table `[apply]` of the user's file: a small model that writes the content of edits.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct ApplyFile {
    url: Address,
    model: String,
    protocol: Option<Protocol>,
    /// The name of the environment variable that holds the key.
    pub(crate) api_key_env: Option<String>,
}

/// What is configured of a conversation.
#[derive(Clone, Debug, Default)]
pub struct SessionSetup {
    pub turn: TurnFile,
    plan: PlanFile,
    pub review: ReviewFile,
    apply: Option<(ApplyFile, Option<SecretString>)>,
    limits: Limits,
}

impl SessionSetup {
    /// Puts the tables together with the keys that they name.
    pub(crate) fn new(
        (turn, plan, review): (TurnFile, PlanFile, ReviewFile),
        apply: Option<ApplyFile>,
        variable: impl Fn(&str) -> Option<String>,
    ) -> Self {
        Self {
            turn,
            plan,
            review,
            apply: apply.map(|apply| {
                let key = apply.api_key_env.as_deref().and_then(variable);
                (apply, key.map(SecretString::from))
            }),
            limits: Limits::default(),
        }
    }

    /// Returns limits and rules of a conversation.
    pub(crate) fn session(
        &self,
        args: &SessionArgs,
        instructions: String,
        catalogue: Catalogue,
    ) -> SessionConfig {
        let (turn, limits) = (&self.turn, &self.limits);
        let defaults = SessionConfig::new(Registry::default());
        SessionConfig {
            instructions,
            most_requests: turn
                .max_requests
                .unwrap_or(defaults.most_requests)
                .min(limits.max_requests.unwrap_or(u32::MAX)),
            most_tokens: lower(turn.max_tokens, limits.max_tokens),
            most_cost: lower(
                turn.max_cost.map(millionths),
                limits.max_cost.map(millionths),
            ),
            stop: args.stop.or(turn.stop).unwrap_or_default(),
            catalogue,
            planner: self.plan.model.clone(),
            planner_profile: self.plan.profile,
            remember: true,
            ..defaults
        }
    }

    /// Takes over what a workspace's file says of turns: it can only lower limits.
    pub(crate) fn within(self, limits: Limits) -> Self {
        Self { limits, ..self }
    }

    /// Returns the server of the apply model, if one is configured.
    pub fn apply_server(&self, wait: Wait) -> anyhow::Result<Option<Server>> {
        let Some((apply, key)) = &self.apply else {
            return Ok(None);
        };
        let url = apply.url.clone();
        let protocol = apply.protocol.unwrap_or_else(|| Protocol::guess(&url.0));
        let provider = Server::new(Endpoint {
            key: key.clone(),
            ..Endpoint::open(protocol, url.0, apply.model.clone())
        })?;
        Ok(Some(wait.of(provider)))
    }
}

/// Returns the lower of two limits, where there are any.
fn lower(one: Option<u64>, other: Option<u64>) -> Option<u64> {
    one.into_iter().chain(other).min()
}

/// Returns an amount of dollars in millionths.
fn millionths(dollars: f64) -> u64 {
    // A cast of a float is bounded.
    (dollars * 1e6).round() as u64
}

/// Reads a word that names something.
fn word<'de, D, T>(from: D) -> Result<Option<T>, D::Error>
where
    D: Deserializer<'de>,
    T: FromStr<Err: Display>,
{
    let word = Option::<String>::deserialize(from)?;
    let named = word.map(|word| word.parse().map_err(D::Error::custom));
    named.transpose()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn session(file: &str, args: SessionArgs) -> SessionConfig {
        let turn = toml::from_str(file).unwrap();
        let setup = SessionSetup::new(
            (turn, PlanFile::default(), ReviewFile::default()),
            None,
            |_| None,
        );
        setup.session(&args, String::new(), Catalogue::default())
    }

    #[test]
    fn limits_come_from_the_file_and_flags_go_before_it() {
        let file = "stop = 'turn-end'\nmax_tokens = 9\nmax_cost = 0.25";
        let config = session(file, SessionArgs::default());
        assert_eq!(config.stop, StopRule::TurnEnd);
        assert_eq!(
            (config.most_tokens, config.most_cost),
            (Some(9), Some(250_000))
        );
        let flag = SessionArgs {
            stop: Some(StopRule::FirstEdit),
            ..SessionArgs::default()
        };
        assert_eq!(session(file, flag).stop, StopRule::FirstEdit);
        assert_eq!(session("", SessionArgs::default()).most_requests, 40);
    }

    #[test]
    fn the_review_agent_looks_when_it_is_asked_unless_the_file_says_otherwise() {
        use CritiquePolicy as P;
        for (file, beside, policy) in [
            ("", true, P::Asked),
            ("agent = 'off'", true, P::Off),
            ("agent = 'auto'", true, P::Beside),
            ("agent = 'auto'", false, P::BeforeEnd),
        ] {
            let review: ReviewFile = toml::from_str(file).unwrap();
            assert_eq!(
                review.critic(beside, String::new()).policy,
                policy,
                "{file}"
            );
        }
        let file = "agent = 'auto'\nmodel = 'm'\nprofile = 'small'";
        let mut review: ReviewFile = toml::from_str(file).unwrap();
        let setup = review.critic(true, String::new());
        assert_eq!(setup.model.as_deref(), Some("m"));
        assert_eq!(setup.profile, Some(Profile::Small));
        review.switch_off();
        assert_eq!(review.critic(true, String::new()).policy, P::Off);
        for file in ["agent = 'always'", "profile = 'huge'", "agents = 'auto'"] {
            assert!(toml::from_str::<ReviewFile>(file).is_err(), "{file}");
        }
    }

    #[test]
    fn words_that_mean_nothing_are_errors() {
        for file in ["stop = 'never'", "profile = 'huge'", "max_token = 1"] {
            assert!(toml::from_str::<TurnFile>(file).is_err(), "{file}");
        }
    }
}
