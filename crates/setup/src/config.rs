//! Configuration.
//!
//! In: the user's file, the workspace's file, the environment and flags, each stronger than the
//! one before. Out: [`Config`]. A workspace's own file can only narrow what is allowed: it may
//! forbid the network, but never say where code and keys are sent.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use anyhow::Context as _;
use secrecy::SecretString;
use serde::Deserialize;
use serde_json::{Map, Value};
use signoff_checks::language_server::LanguageServer;
use signoff_core::engine::SecondSignature;
use signoff_llm::commit::CommitSettings;
use signoff_llm::permission::{Policy, Rule};
use signoff_llm::provider::Protocol;
use signoff_llm::provider::catalogue::Model;
use signoff_llm::session::CheckPolicy;
use signoff_llm::web::WebSettings;
use signoff_sandbox::network::{NetworkRules, NetworkTable, RuleSource};
use signoff_sandbox::regular;

use crate::args::ModelArgs;

mod bounds;
mod checks;
mod draft;
mod environment;
mod host_rule_file;
mod interface;
mod key;
mod language_servers;
mod key_settings;
mod mcp;
mod misread;
mod second_signature;
mod server;
mod service;
mod setting_lines;
mod turn;
mod wait;
mod web;
mod workspace_file;

use checks::{CheckFile, TestFile};
pub use draft::{KeySource, ModelChoice, SettingChange, UserFileDraft};
pub(crate) use environment::variable;
pub use environment::{Environment, service_variables};
pub use host_rule_file::HostRuleFile;
use interface::{FirstFrame, FirstFrameFile};
pub use key::Key;
pub use key_settings::KeySettings;
pub(crate) use language_servers::ServerFile;
use language_servers::ServersFile;
pub(crate) use mcp::McpNetwork;
#[cfg(feature = "mcp")]
pub(crate) use mcp::McpSignIn;
pub use mcp::{McpServer, McpServers};
use second_signature::SecondSignatureFile;
pub use server::{Address, Server};
use service::SERVICES;
pub use service::Service;
pub(crate) use service::{ANTHROPIC, GEMINI, OPENAI};
use setting_lines::SettingLines;
use signoff_draw::settings::InterfaceSettings;
pub(crate) use turn::SessionSetup;
pub use turn::WhenTested;
use turn::{ApplyFile, PlanFile, ReviewFile, TurnFile};
pub(crate) use wait::Wait;
use web::WebFile;
use workspace_file::WorkspaceFile;

/// The file in a workspace.
pub(crate) const WORKSPACE_FILE: &str = ".signoff.toml";

/// Maximum size of a configuration file, in bytes; one with every setting has a hundredth of that.
const MAX_BYTES: u64 = 1024 * 1024;

/// Who answers, as far as it is configured.
#[derive(Clone, Debug)]
pub enum Source {
    /// The built-in planner.
    Offline,
    /// A recorded exchange.
    Replay(PathBuf),
    /// A server.
    Server(Box<Server>),
    /// Nothing is configured: look for a server on this machine.
    Look {
        /// The model, if only that is configured.
        model: Option<String>,
        /// The services whose keys are set, for models that the user picks.
        services: Vec<(&'static Service, Server)>,
    },
}

/// What is configured.
#[derive(Clone, Debug)]
pub struct Config {
    /// Who answers.
    pub source: Source,
    /// Whether a flag or a variable names the model for this run.
    pub model_is_asked: bool,
    /// What the user says of models.
    pub models: Vec<Model>,
    /// The user's own header.
    pub header: Option<PathBuf>,
    /// What the engine is opened with.
    pub engine: EngineSettings,
    /// How long servers are waited for.
    pub wait: Wait,
    /// How conversations are led.
    pub setup: SessionSetup,
    /// Which calls need the user's permission.
    pub policy: Policy,
    /// How programs are run.
    pub programs: Programs,
    /// What the interface does beside the screen.
    pub interface: InterfaceSettings,
    /// What the user's file says of keys.
    pub keys: KeySettings,
    /// Whether edits are written at once.
    pub write_through: bool,
    /// True if the workspace lets edits be written at once.
    pub may_write_through: bool,
    /// Servers of the Model Context Protocol.
    pub mcp: McpServers,
    /// What commits have beside their messages.
    pub commit: CommitSettings,
    /// Pages of the web, if the model may ask for them.
    pub web: Option<WebSettings>,
    /// What is odd about the configuration, a line each.
    pub warnings: Vec<String>,
}

/// What the engine of a workspace is opened with.
#[derive(Clone, Debug, Default)]
pub struct EngineSettings {
    /// How many changesets of history are kept per file, if that is configured.
    pub(crate) history_limit: Option<usize>,
    second_signature: SecondSignatureFile,
}

/// The user's file.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
struct UserFile {
    /// The name of the model, as its server knows it.
    model: Option<String>,
    /// The address of the server.
    url: Option<Address>,
    /// How the server is spoken to, where its address does not tell: `openai`, `responses`, `anthropic`, `gemini` or
    /// `ollama`.
    protocol: Option<Protocol>,
    /// The name of the environment variable that holds the key.
    api_key_env: Option<String>,
    /// The program that prints the key, and its arguments.
    api_key_command: Option<Vec<String>>,
    /// The name of the key in the system's keyring.
    api_key_keyring: Option<String>,
    /// A table of further headers of every request. A value `$NAME` stands for the environment variable `NAME`, which
    /// must be set then.
    headers: BTreeMap<String, SecretString>,
    /// The address of a proxy for every request, with user and password if needed; stronger than the environment's,
    /// also for this machine.
    proxy: Option<SecretString>,
    /// A PEM file of certificates that are trusted beside the system's.
    ca_file: Option<PathBuf>,
    /// A table of further fields of every request, as `temperature`. What the protocol needs cannot be overridden.
    body: Map<String, Value>,
    /// `[[models]]`: what you know of models.
    models: Vec<Model>,
    /// `true`: only the offline planner; nothing but `--url` or `--model` for a run lifts this.
    offline: bool,
    /// The path of a text file shown in place of the built-in header; none if it is missing or empty. `~` is not
    /// expanded.
    header: Option<PathBuf>,
    /// How many changesets of history are kept per file, at least 1; 10 without it.
    #[serde(deserialize_with = "bounds::at_least_one")]
    history_limit: Option<usize>,
    /// `[turn]`: how the model goes on, and its limits.
    turn: TurnFile,
    /// `[plan]`: `model` and `profile` of another model of the same server for the mode `plan`.
    plan: PlanFile,
    /// `[review]`: the review agent.
    review: ReviewFile,
    /// `[apply]`: `url`, `model`, `protocol` and `api_key_env` of a small model that writes the content of edits.
    apply: Option<ApplyFile>,
    /// `[wait]`: how long servers are waited for.
    wait: Wait,
    /// `[[permissions]]`: which calls need your permission.
    permissions: Vec<Rule>,
    /// `true`: edits are written at once, as with `--write-through`.
    write_through: bool,
    /// Variables that commands get although their values hold a password.
    pass_env: Vec<String>,
    /// `[run]`: what programs find beside the workspace.
    run: RunFile,
    /// `[network]`: which hosts programs reach.
    network: NetworkTable,
    /// `[interface]`: colours, mouse, notifications.
    interface: InterfaceSettings,
    /// `[keys]`: which keys mean what.
    keys: Option<toml::Value>,
    /// `[[checks]]`: checks of your own.
    checks: Vec<CheckFile>,
    /// `[test]`: `command` and `when` of tests that are run by other means than those that are found.
    test: Option<TestFile>,
    /// `false`: no language server; or a table, by language, of `false` or a command.
    language_servers: ServersFile,
    /// `[mcp.NAME]`: servers of the Model Context Protocol.
    mcp: BTreeMap<String, McpServer>,
    /// `[commit]`: what commits have beside their messages.
    commit: CommitSettings,
    /// `[web]`: whether the model may ask for pages.
    web: WebFile,
    /// `[second_signature]`: which changes another person approves too.
    second_signature: SecondSignatureFile,
    /// Where in the file all of this stands.
    #[serde(skip)]
    lines: SettingLines,
}

/// How programs are run.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
struct RunFile {
    /// Folders that programs may write to; what they write stays in a layer. `~/` is the home folder. Those of Cargo,
    /// pip, uv, npm, pnpm, yarn, Bun, Deno, Go, Gradle, Maven and NuGet are there without it.
    caches: Vec<PathBuf>,
    /// Files and folders that programs may read; toolchains that `PATH` and variables name are there without it.
    show: Vec<PathBuf>,
    /// Variables that programs get beside those that builds need.
    env: Vec<String>,
    /// Has no effect any more.
    unconfined: bool,
    /// `false`: the model's commands run on the disk and ask each time; `"overlay"` is `true`.
    shadow: Option<ShadowFile>,
}

/// Where commands run: `true` and `false`, or a word: `"overlay"` is `true`.
#[derive(Clone, Debug, Deserialize)]
#[serde(untagged)]
enum ShadowFile {
    Is(bool),
    Named(String),
}

impl RunFile {
    /// Says which settings have no effect any more.
    fn warnings(&self) -> impl Iterator<Item = String> {
        let shadow = match &self.shadow {
            Some(ShadowFile::Named(word)) if word != "overlay" => Some(format!(
                "`shadow = \"{word}\"` below [run] is ignored: programs run confined, in an overlay, or not at all; \
                 `signoff doctor` says whether one can be made here"
            )),
            _ => None,
        };
        let unconfined = self.unconfined.then(|| {
            "`unconfined` below [run] is ignored: where programs cannot be confined, the model's commands run on the disk \
             and ask, and a rule of [[permissions]] can allow some"
                .to_owned()
        });
        shadow.into_iter().chain(unconfined)
    }
}

/// What counts for programs that run in the shadow.
#[derive(Clone, Debug, Default)]
pub struct Programs {
    /// Variables that they do not get.
    pub hidden: Vec<String>,
    /// Folders that they may write to beside the workspace, in layers.
    pub caches: Vec<PathBuf>,
    /// Files and folders that they may read.
    pub show: Vec<PathBuf>,
    /// Variables that they get although they are none that builds need.
    pub named: Vec<String>,
    /// Which hosts they may reach, where they have the network by host.
    pub network: NetworkRules,
    /// What commands may run.
    pub rules: Policy,
    /// Whether the model's commands run in the shadow.
    pub shadow: bool,
    /// The user's own checks; none at all where the workspace switches checks off.
    pub(crate) checks: Option<Vec<CheckFile>>,
    /// When related tests run by themselves.
    pub tests: WhenTested,
    /// The user's own command for tests.
    pub(crate) test_command: Option<TestFile>,
    /// What is configured of language servers; none at all where they are switched off.
    pub language_servers: Option<BTreeMap<LanguageServer, ServerFile>>,
    /// What becomes of diagnostics while a conversation runs.
    pub policy: CheckPolicy,
}

impl Programs {
    /// Reads what the user has configured.
    pub fn load(file: &Path, root: &Path) -> anyhow::Result<Self> {
        let user: UserFile = read(file)?;
        let workspace: WorkspaceFile = read(&root.join(WORKSPACE_FILE))?;
        let hidden = hidden(&user, &Environment::read());
        Self::of(&user, &workspace, hidden)
    }

    fn of(user: &UserFile, workspace: &WorkspaceFile, hidden: Vec<String>) -> anyhow::Result<Self> {
        let on = workspace.checks != Some(false);
        Ok(Self {
            checks: on.then(|| user.checks.clone()),
            tests: if on {
                user.turn.when_tested()
            } else {
                WhenTested::Asked
            },
            test_command: user.test.clone(),
            policy: if on {
                user.turn.check_policy()
            } else {
                CheckPolicy::Off
            },
            language_servers: match &user.language_servers {
                ServersFile::Each(each) if workspace.language_servers != Some(false) => {
                    Some(each.clone())
                }
                ServersFile::Each(_) | ServersFile::All(false) => None,
                ServersFile::All(true) => {
                    (workspace.language_servers != Some(false)).then(BTreeMap::new)
                }
            },
            network: network_rules(user, workspace)?,
            hidden,
            caches: user.run.caches.clone(),
            show: user.run.show.clone(),
            rules: Policy::new(user.permissions.clone(), workspace.permissions.clone()),
            named: user.run.env.iter().chain(&user.pass_env).cloned().collect(),
            shadow: !matches!(user.run.shadow, Some(ShadowFile::Is(false))),
        })
    }
}

/// Returns the rules of both files for hosts: those of the workspace only deny.
fn network_rules(user: &UserFile, workspace: &WorkspaceFile) -> anyhow::Result<NetworkRules> {
    let mut rules = NetworkRules::of_table(&user.network, RuleSource::User)
        .context("[network] of the configuration")?;
    let denied = NetworkTable {
        deny: workspace.network.deny.clone(),
        ..NetworkTable::default()
    };
    let denied = NetworkRules::of_table(&denied, RuleSource::Workspace);
    rules.extend(denied.with_context(|| format!("[network] of {WORKSPACE_FILE}"))?);
    Ok(rules)
}

impl EngineSettings {
    /// Reads them from the user's file and the workspace's.
    pub(crate) fn read(file: &Path, root: &Path) -> anyhow::Result<Self> {
        let user: UserFile = read(file)?;
        Ok(Self::of(&user, &read(&root.join(WORKSPACE_FILE))?))
    }

    fn of(user: &UserFile, workspace: &WorkspaceFile) -> Self {
        Self {
            history_limit: user.history_limit,
            second_signature: user.second_signature.with(&workspace.second_signature),
        }
    }

    /// Returns which hunks are written only with the approval of another person: those that either file says.
    pub(crate) fn second_signature(&self) -> SecondSignature {
        self.second_signature.rules()
    }
}

/// Returns how the first frame is to be drawn. A file that cannot be read or understood has no say: [`Config::load`] says
/// why, and nothing runs with it. A file of 1.7 KB takes 0.4 ms without optimisation.
pub fn first_frame(file: &Path) -> FirstFrame {
    match read::<FirstFrameFile>(file) {
        Ok(file) => file.interface,
        Err(_) => FirstFrame::default(),
    }
}

impl Config {
    /// Reads the files and puts everything together. A file that cannot be understood is an
    /// error; one that is not there is not. What is wrong with the keys, `key_errors` says.
    pub fn load(
        file: &Path,
        root: &Path,
        args: &ModelArgs,
        environment: Environment,
        key_errors: fn(&KeySettings) -> Vec<String>,
    ) -> anyhow::Result<Self> {
        let user = read_user(file)?;
        let workspace: WorkspaceFile = read(&root.join(WORKSPACE_FILE))?;
        together(user, workspace, environment, args, key_errors, variable)
    }
}

fn together(
    user: UserFile,
    workspace: WorkspaceFile,
    environment: Environment,
    args: &ModelArgs,
    key_errors: fn(&KeySettings) -> Vec<String>,
    variable: impl Fn(&str) -> Option<String>,
) -> anyhow::Result<Config> {
    let mut warnings = Vec::new();
    for name in workspace.ignored() {
        warnings.push(format!(
            "{WORKSPACE_FILE}: `{name}` is ignored; a workspace can only set `offline`, \
             `permissions`, `write_through = false`, `checks = false`, `language_servers = false`, `network.deny`, `second_signature` and lower limits \
             of `turn`"
        ));
    }
    if workspace.write_through == Some(false) && args.write_through {
        warnings.push(format!("{WORKSPACE_FILE} forbids to write at once"));
    }
    let keys = KeySettings::of(&user);
    warnings.extend(key_errors(&keys));
    warnings.extend(user.web.warning());
    warnings.extend(user.run.warnings());
    let model = args
        .model
        .clone()
        .or(environment.model.clone())
        .or(user.model.clone());
    let model_is_asked = args.model.is_some() || environment.model.is_some();
    let asked = args.url.is_some() || args.model.is_some();
    let url = args.url.clone().or(environment.url.clone()).map(Address);
    let url = url.or(user.url.clone());
    let programs = Programs::of(&user, &workspace, hidden(&user, &environment))?;
    let engine = EngineSettings::of(&user, &workspace);
    let source = if let Some(file) = &args.replay {
        Source::Replay(file.clone())
    } else if args.offline || workspace.offline || (user.offline && !asked) {
        if workspace.offline && (args.url.is_some() || args.model.is_some()) {
            warnings.push(format!(
                "{WORKSPACE_FILE} forbids the network; working offline"
            ));
        }
        Source::Offline
    } else if let Some(url) = url {
        let server = server(url, model, &user, environment, args, &variable)?;
        Source::Server(Box::new(server))
    } else if let (Some((service, _)), Some(_)) = (
        service::choose(&environment.service_keys, model.as_deref()),
        &model,
    ) {
        let url = Address(service.url.to_owned());
        let server = server(url, model, &user, environment, args, &variable)?;
        Source::Server(Box::new(server))
    } else {
        warnings.extend(keys_without_use(&user, &environment, model.as_deref()));
        let services = service::with_keys(&user, environment, args, &variable)?;
        Source::Look { model, services }
    };
    Ok(Config {
        source,
        model_is_asked,
        models: user.models,
        header: user.header,
        engine,
        wait: user.wait,
        programs,
        setup: SessionSetup::new((user.turn, user.plan, user.review), user.apply, &variable)
            .within(workspace.turn),
        policy: Policy::new(user.permissions, workspace.permissions),
        interface: user.interface,
        keys,
        write_through: (user.write_through || args.write_through)
            && workspace.write_through != Some(false),
        may_write_through: workspace.write_through != Some(false),
        mcp: McpServers {
            by_name: user.mcp,
            is_offline: workspace.offline,
        },
        commit: user.commit,
        web: user.web.settings().filter(|_| !workspace.offline),
        warnings,
    })
}

/// Says which keys are set that no server gets, as no model or no address is named.
fn keys_without_use<'a>(
    user: &UserFile,
    environment: &'a Environment,
    model: Option<&'a str>,
) -> impl Iterator<Item = String> + 'a {
    let services = environment.service_keys.iter().map(|(service, _)| {
        let name = service.name;
        format!("a key for {name} is set, but no model: name one with --model")
    });
    let settings = [
        ("SIGNOFF_API_KEY", environment.key.is_some()),
        ("api_key_env", user.api_key_env.is_some()),
        ("api_key_command", user.api_key_command.is_some()),
        ("api_key_keyring", user.api_key_keyring.is_some()),
    ];
    let given = settings.into_iter().filter(|(_, is_set)| *is_set);
    let missing = match model {
        Some(_) => "no address: name one with --url",
        None => "no model and no address: name them with --model and --url",
    };
    let own = given.map(move |(name, _)| format!("a key is set ({name}), but {missing}"));
    services.filter(move |_| model.is_none()).chain(own)
}

/// Returns the variables that hold keys or passwords.
fn hidden(user: &UserFile, environment: &Environment) -> Vec<String> {
    let passwords = environment.with_credentials.iter();
    let passwords = passwords.filter(|name| !user.pass_env.contains(name));
    keys(user).chain(passwords.cloned()).collect()
}

/// Returns the variables that hold keys of models; those that are known by name where the file cannot be understood.
pub fn key_variables(file: &Path) -> Vec<String> {
    match read(file) {
        Ok(user) => keys(&user).collect(),
        Err(_) => keys(&UserFile::default()).collect(),
    }
}

fn keys(user: &UserFile) -> impl Iterator<Item = String> {
    let services = SERVICES.iter().flat_map(|service| service.variables);
    let known = ["SIGNOFF_API_KEY"].iter().chain(services);
    let apply = user.apply.as_ref();
    let own = user.api_key_env.iter().cloned();
    let own = own.chain(apply.and_then(|apply| apply.api_key_env.clone()));
    let own = own.chain(server::variables(&user.headers));
    known.map(|name| (*name).to_owned()).chain(own)
}

/// Puts together what is configured for the server at an address.
fn server(
    url: Address,
    model: Option<String>,
    user: &UserFile,
    environment: Environment,
    args: &ModelArgs,
    variable: impl Fn(&str) -> Option<String>,
) -> anyhow::Result<Server> {
    let word = args.protocol.as_ref().or(environment.protocol.as_ref());
    let protocol = match word.map(|word| word.parse()).transpose()? {
        Some(protocol) => protocol,
        None => user.protocol.unwrap_or_else(|| Protocol::guess(&url.0)),
    };
    let named = user.api_key_env.as_deref().and_then(&variable);
    // A service's key is for its own address, whatever else is configured.
    let mut services = environment.service_keys.into_iter();
    let of_service = services.find(|(service, _)| service.is_at(&url.0));
    let key = (environment.key.or(named.map(SecretString::from)))
        .map(Key::Given)
        .or_else(|| user.api_key_command.clone().map(Key::Command))
        .or_else(|| user.api_key_keyring.clone().map(Key::Keyring))
        .or(of_service.map(|(_, key)| Key::Given(key)))
        .or_else(|| user.api_key_env.clone().map(Key::Unset))
        .unwrap_or_default();
    Ok(Server {
        headers: server::headers(&user.headers, &user.lines, variable)?,
        url,
        protocol,
        model,
        key,
        proxy: user.proxy.clone(),
        ca_file: user.ca_file.clone(),
        body: user.body.clone(),
    })
}

fn read<T: for<'a> Deserialize<'a> + Default>(path: &Path) -> anyhow::Result<T> {
    text_of(path)?.map_or_else(|| Ok(T::default()), |text| understood(path, &text))
}

/// Reads the user's file with the lines of its settings.
fn read_user(path: &Path) -> anyhow::Result<UserFile> {
    let Some(text) = text_of(path)? else {
        return Ok(UserFile::default());
    };
    let user = understood(path, &text)?;
    let lines = SettingLines::of(&text);
    Ok(UserFile { lines, ..user })
}

/// Returns the text of a configuration file; none if there is no file.
fn text_of(path: &Path) -> anyhow::Result<Option<String>> {
    match regular::text(path, MAX_BYTES) {
        Ok(text) => Ok(Some(text)),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(error).with_context(|| format!("cannot read {}", path.display())),
    }
}

fn understood<T: for<'a> Deserialize<'a>>(path: &Path, text: &str) -> anyhow::Result<T> {
    toml::from_str(text).map_err(|error| anyhow::anyhow!(misread::in_lines(path, text, &error)))
}

#[cfg(test)]
mod tests;
