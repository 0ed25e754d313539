//! Session setup: tools, instructions, limits and memory of a conversation.
//!
//! In: what is configured, flags, and who answers. Out: a driver that is ready to run.

use std::fmt::Display;
use std::str::FromStr;
use std::sync::{Arc, Mutex, PoisonError};

use secrecy::SecretString;
use serde::de::Error as _;
use serde::{Deserialize, Deserializer};
use signoff_core::engine::Engine;
use signoff_llm::apply::ApplyModel;
use signoff_llm::driver::{Driver, ProjectChecks};
use signoff_llm::gate::StopRule;
use signoff_llm::instructions::{FILE, Profile, WRITTEN_AT_ONCE, assemble};
use signoff_llm::memory::{Archive, Memory};
use signoff_llm::provider::catalogue::Catalogue;
use signoff_llm::provider::http::{Endpoint, Server};
use signoff_llm::provider::{Protocol, Provider};
use signoff_llm::session::{CheckPolicy, Config as SessionConfig};
use signoff_llm::tool::Registry;
use signoff_llm::usage::Prices;

use crate::args::SessionArgs;
use crate::cli::check_project;
use crate::config::{Address, Config, Programs, Wait};
use crate::model::{Chosen, waiting};
use crate::paths::Paths;
use crate::shadow_setup;

/// The table `[turn]` of the user's file.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub(crate) struct TurnFile {
    #[serde(deserialize_with = "word")]
    stop: Option<StopRule>,
    #[serde(deserialize_with = "word")]
    profile: Option<Profile>,
    max_requests: Option<u32>,
    max_tokens: Option<u64>,
    /// In dollars.
    max_cost: Option<f64>,
    checks: OnDiagnostics,
    /// How often new errors go back to the model in a turn.
    repair_rounds: Option<u32>,
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

/// How often errors go back to the model in a turn, unless that is configured.
const REPAIR_ROUNDS: u32 = 2;

impl TurnFile {
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
    max_requests: Option<u32>,
    max_tokens: Option<u64>,
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
pub(crate) struct SessionSetup {
    turn: TurnFile,
    apply: Option<(ApplyFile, Option<SecretString>)>,
    limits: Limits,
}

impl SessionSetup {
    /// Puts the tables together with the keys that they name.
    pub(crate) fn new(
        turn: TurnFile,
        apply: Option<ApplyFile>,
        variable: impl Fn(&str) -> Option<String>,
    ) -> Self {
        let with_key = |apply: ApplyFile| {
            let key = apply.api_key_env.as_deref().and_then(variable);
            (apply, key.map(SecretString::from))
        };
        Self {
            turn,
            apply: apply.map(with_key),
            limits: Limits::default(),
        }
    }

    fn session(
        &self,
        args: &SessionArgs,
        instructions: String,
        catalogue: Catalogue,
    ) -> SessionConfig {
        let (turn, limits) = (&self.turn, &self.limits);
        let defaults = SessionConfig::new(Vec::new());
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
            remember: true,
            ..defaults
        }
    }

    /// Takes over what a workspace's file says of turns: it can only lower limits.
    pub(crate) fn within(self, limits: Limits) -> Self {
        Self { limits, ..self }
    }

    /// Returns the server of the apply model, if one is configured.
    pub(crate) fn apply_server(&self, wait: Wait) -> anyhow::Result<Option<Server>> {
        let Some((apply, key)) = &self.apply else {
            return Ok(None);
        };
        let url = apply.url.clone();
        let protocol = apply.protocol.unwrap_or_else(|| Protocol::guess(&url.0));
        let provider = Server::new(Endpoint {
            key: key.clone(),
            ..Endpoint::open(protocol, url.0, apply.model.clone())
        })?;
        Ok(Some(waiting(provider, wait)))
    }

    fn apply_model(&self, catalogue: &Catalogue, wait: Wait) -> anyhow::Result<Option<ApplyModel>> {
        let Some(provider) = self.apply_server(wait)? else {
            return Ok(None);
        };
        let known = catalogue.find(&provider.about().model);
        Ok(Some(ApplyModel {
            provider: Arc::new(provider.with_catalogue(catalogue.clone())),
            prices: known.price.map(Prices::from),
        }))
    }
}

/// Returns a conversation with whoever was chosen, and what the user should know of it.
pub(crate) fn prepare(
    config: &Config,
    args: &SessionArgs,
    paths: &Paths,
    chosen: Chosen,
    engine: Arc<Mutex<Engine>>,
) -> anyhow::Result<(Driver, Vec<String>)> {
    let setup = &config.setup;
    let (memory, remark) = memory(args, Archive::new(paths.sessions()))?;
    let memory = if config.model_is_asked {
        memory.without_model()
    } else {
        memory
    };
    let (provider, kept) = as_chosen_earlier(chosen.provider, &memory);
    let remark = remark.or(kept);
    let catalogue = chosen.catalogue;
    let model = catalogue.find(&provider.about().model);
    let wanted = args.profile.or(setup.turn.profile);
    let profile = wanted.unwrap_or_else(|| Profile::for_model(&model));
    let users = std::fs::read_to_string(paths.config.with_file_name(FILE)).ok();
    let projects = {
        let mut engine = engine.lock().unwrap_or_else(PoisonError::into_inner);
        let source = engine.read(FILE).ok().flatten();
        source.and_then(|source| source.text().ok().map(str::to_owned))
    };
    let mut instructions = assemble(profile, users.as_deref(), projects.as_deref());
    if config.write_through {
        instructions += WRITTEN_AT_ONCE;
    }
    let mut tools = Registry::of_profile(profile);
    if let Some(apply) = setup.apply_model(&catalogue, config.wait)? {
        tools = tools.with_apply(apply);
    }
    let mut session = setup.session(args, instructions, catalogue);
    session.checks = config.programs.policy;
    session.pause = config.wait.pause().unwrap_or(session.pause);
    let driver = Driver::new(provider, engine)
        .with_hint(chosen.hint)
        .with_tools(tools)
        .with_config(session)
        .with_memory(memory);
    let (driver, on_disk) = match shadow_setup::of_model(paths, &config.programs) {
        _ if !config.programs.shadow => (driver, None),
        Ok(setup) => (driver.with_shadow(setup), None),
        Err(error) => {
            let told = format!(
                "commands run on the disk, and ask first: no shadow can be made here ({error})"
            );
            (driver, Some(told))
        }
    };
    let driver = match checked(paths, &config.programs) {
        Some(checks) => driver.with_checks(checks),
        None => driver,
    };
    let driver = match config.wait.silence() {
        Some(silence) => driver.with_silence(silence),
        None => driver,
    };
    Ok((driver, remark.into_iter().chain(on_disk).collect()))
}

/// Returns what checks the staged work, unless nothing is to be checked.
fn checked(paths: &Paths, programs: &Programs) -> Option<ProjectChecks> {
    if programs.policy == CheckPolicy::Off || programs.checks.is_none() {
        return None;
    }
    let (paths, programs) = (paths.clone(), programs.clone());
    Some(Arc::new(move |engine, stop| {
        check_project::report(&paths, &programs, engine, stop).map_err(|error| format!("{error:#}"))
    }))
}

/// Returns whoever answers, asking the model that was chosen in the conversation before, and a line
/// for the user if that is another one.
fn as_chosen_earlier(
    provider: Arc<dyn Provider>,
    memory: &Memory,
) -> (Arc<dyn Provider>, Option<String>) {
    let about = provider.about();
    let name = memory.model().and_then(|model| model.instead_of(&about));
    let Some((name, chosen)) = name.and_then(|name| Some((name, provider.with_model(name)?)))
    else {
        return (provider, None);
    };
    let remark = format!("{name} is asked, as chosen in this conversation; --model asks another.");
    (chosen, Some(remark))
}

/// Returns the conversation that flags ask for; a new one if there is none to go on with.
fn memory(args: &SessionArgs, archive: Archive) -> anyhow::Result<(Memory, Option<String>)> {
    let earlier = match &args.resume {
        Some(wanted) => Some(archive.find(wanted)?),
        None if args.go_on => archive.newest()?,
        None => return Ok((Memory::begin(archive), None)),
    };
    match earlier {
        Some(id) if args.fork => Ok((Memory::fork(archive, &id)?, None)),
        Some(id) => Ok((Memory::resume(archive, &id)?, None)),
        None => {
            let remark = "There is no earlier conversation here; this is a new one.";
            Ok((Memory::begin(archive), Some(remark.to_owned())))
        }
    }
}

/// Returns the lower of two limits, where there are any.
fn lower(one: Option<u64>, other: Option<u64>) -> Option<u64> {
    one.into_iter().chain(other).min()
}

/// Returns an amount of dollars in millionths; one that makes no sense is nothing.
fn millionths(dollars: f64) -> u64 {
    // A cast of a float is bounded, and no number is 0.
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
        let setup = SessionSetup::new(turn, None, |_| None);
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
    fn words_that_mean_nothing_are_errors() {
        for file in ["stop = 'never'", "profile = 'huge'", "max_token = 1"] {
            assert!(toml::from_str::<TurnFile>(file).is_err(), "{file}");
        }
    }

    #[test]
    fn the_newest_conversation_is_gone_on_with_if_there_is_one() {
        let folder = tempfile::tempdir().unwrap();
        let archive = || Archive::new(folder.path().join("sessions"));
        let go_on = SessionArgs {
            go_on: true,
            ..SessionArgs::default()
        };
        let (memory, remark) = memory(&go_on, archive()).unwrap();
        assert!(memory.is_new() && remark.is_some());
        let wanted = SessionArgs {
            resume: Some("nope".to_owned()),
            ..SessionArgs::default()
        };
        assert!(super::memory(&wanted, archive()).is_err());
    }
}
