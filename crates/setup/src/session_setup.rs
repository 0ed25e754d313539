//! Session setup: tools, instructions, limits and memory of a conversation.
//!
//! In: what is configured, flags, and who answers. Out: a driver that is ready to run.

#[cfg(feature = "mcp")]
pub mod mcp_servers;
pub mod model;
mod prompt_images;
pub mod surroundings;

use std::io;
use std::sync::{Arc, Mutex, PoisonError};

use signoff_core::engine::Engine;
use signoff_llm::agent::Agents;
use signoff_llm::apply::ApplyModel;
use signoff_llm::critic::CRITIC_PROMPT;
use signoff_llm::driver::{Driver, LookAround};
use signoff_llm::foreign::ForeignServers;
use signoff_llm::gate::StopRule;
use signoff_llm::instructions::{FILE, FILES, Profile, WRITTEN_AT_ONCE, assemble};
use signoff_llm::language_servers::LanguageServers;
use signoff_llm::memory::{Archive, Memory};
use signoff_llm::mode::WriteThrough;
use signoff_llm::permission::Policy;
use signoff_llm::provider::Provider;
use signoff_llm::provider::catalogue::Catalogue;
use signoff_llm::session::{CheckPolicy, ProfileOutfit};
use signoff_llm::skill::Skills;
use signoff_llm::surroundings::Surroundings;
use signoff_llm::tool::{CommandHosts, Registry, lock};
use signoff_llm::trust::TrustRecord;
use signoff_llm::usage::Prices;
use signoff_llm::verified::ProjectChecks;
use signoff_llm::web::Web;
use signoff_sandbox::process::Supervision;
use signoff_sandbox::regular;
use signoff_sandbox::shadow::Setup;
use signoff_sandbox::waiting_commits::WaitingCommits;

use self::model::Chosen;
use self::prompt_images::ServerImages;
use self::surroundings::{LikelyTexts, ReadableTexts};
use crate::args::SessionArgs;
use crate::config::{Config, HostRuleFile, Programs, SessionSetup, Wait};
use crate::definitions::{agents, hooks, skills};
use crate::paths::Paths;
use crate::project::consent::Starter;
use crate::workspace_index::code_index::OwnIndex;
use crate::{project, shadow_setup};

/// Maximum size of the user's own `AGENTS.md`, in bytes; of a longer text than 32 KiB a request holds the beginning.
const MAX_INSTRUCTIONS: u64 = 1024 * 1024;

/// Whether there is a user while a conversation runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Presence {
    /// Somebody reads and types in the interface.
    User,
    /// Somebody reads and types lines, and is asked about calls alone.
    Lines,
    /// Nobody does.
    Nobody {
        /// Whether the user typed the prompt; else it may be anybody's text, and names nothing of servers.
        is_typed: bool,
    },
}

impl Presence {
    fn is_attended(self) -> bool {
        !matches!(self, Self::Nobody { .. })
    }
}

/// Returns a conversation with whoever was chosen, and what the user should know of it.
pub fn prepare(
    config: &Config,
    args: &SessionArgs,
    paths: &Paths,
    chosen: Chosen,
    engine: Arc<Mutex<Engine>>,
    presence: Presence,
) -> anyhow::Result<(Driver, Vec<String>)> {
    let setup = &config.setup;
    let (memory, remark) = memory(args, config.model_is_asked, Archive::new(paths.sessions()))?;
    let (provider, kept) = as_chosen_earlier(chosen.provider, &memory);
    let catalogue = chosen.catalogue;
    let model = catalogue.find(&provider.about().model);
    let wanted = args.profile.or(setup.turn.profile);
    let profile = wanted.unwrap_or_else(|| Profile::for_model(&model));
    let (users, unread) = users_instructions(paths);
    let projects = projects_instructions(&engine);
    let projects = projects.as_ref().map(|(file, text)| (*file, text.as_str()));
    let rules = (users.as_deref(), projects);
    let (skills, passed_over) = skills::find(paths, &engine);
    let skills = Arc::new(skills);
    let (agents, others_passed_over) = agents::find(paths, &engine);
    let agents = Arc::new(agents);
    let (servers, about_servers) = servers(config, paths, &engine, presence);
    let wardrobe = Wardrobe {
        rules,
        skills: &skills,
        agents: &agents,
        servers: servers.as_ref(),
        web: config.web.clone().map(Web::new),
        apply: apply_model(setup, &catalogue, config.wait)?,
        writes_through: config.write_through,
    };
    let own = wardrobe.outfit(profile);
    let most = profile.most_bytes();
    let critic = assemble(CRITIC_PROMPT.trim_end(), rules.0, rules.1, most);
    let is_cut = cut_in_words(rules, most);
    let mut session = setup.session(args, own.instructions, catalogue);
    session.profile = profile;
    if !presence.is_attended() && profile == Profile::Full {
        // Nobody looks at a first edit meanwhile: a turn that stopped there would have made a part of what was asked for.
        session.stop = args.stop.unwrap_or(StopRule::TurnEnd);
    }
    session.other = Some(Box::new(wardrobe.outfit(match profile {
        Profile::Full => Profile::Small,
        Profile::Small => Profile::Full,
    })));
    session.critic = (setup.review).critic(presence == Presence::User, critic);
    session.skills = Arc::clone(&skills);
    session.agents = Arc::clone(&agents);
    session.checks = config.programs.policy;
    session.after_approval = setup.turn.after_approval;
    session.write_through = write_through(config);
    session.by_example = (profile == Profile::Small).then(|| model.answers.unwrap_or_default());
    session.pause = config.wait.pause().unwrap_or(session.pause);
    let tree = Arc::clone(&engine);
    let driver = Driver::new(provider, engine)
        .with_hint(chosen.hint)
        .with_tools(own.tools)
        .with_config(session)
        .with_memory(memory)
        .with_policy(config.policy.clone())
        .on_ground(|ground| {
            let ground = ground.with_hidden(config.programs.hidden.clone());
            ground.with_supervision(Supervision::OwnExecutable)
        })
        .with_commits(config.commit, WaitingCommits::at(&paths.commits()));
    let (driver, on_disk, is_confined) = with_shadow(driver, paths, &config.programs);
    let driver = match chosen.found {
        Some(found) => driver.with_found_model(found),
        None => driver,
    };
    let driver = match presence {
        // About hooks and servers of the workspace.
        Presence::User => driver.asking_for_trust(),
        Presence::Lines => driver,
        Presence::Nobody { .. } => driver.unattended(),
    };
    let (driver, about_hooks) = with_hooks(driver, paths, presence, is_confined);
    let driver = driver.on_ground(|ground| {
        ground
            .with_checks(checked(paths, &config.programs))
            .with_code_index(Arc::new(OwnIndex::new(paths.clone())))
            .with_servers(servers.clone())
    });
    let is_surrounded = setup.turn.context.unwrap_or(true);
    let servers = servers.filter(|_| presence != Presence::Nobody { is_typed: false });
    let images = ServerImages::default();
    let given = (skills, servers, Arc::clone(&images));
    let policy = config.policy.clone().within(&paths.root).looking_at(tree);
    let driver = match surrounding(paths, (profile, policy), is_surrounded, given) {
        Some(surrounding) => driver.with_surroundings(surrounding),
        None => driver,
    };
    let driver = driver.with_images(prompt_images::reader(paths.root.clone(), images));
    let driver = match config.wait.silence() {
        Some(silence) => driver.with_silence(silence),
        None => driver,
    };
    let told = remark
        .or(kept)
        .into_iter()
        .chain(unread)
        .chain(is_cut)
        .chain(passed_over)
        .chain(about_servers)
        .chain(others_passed_over)
        .chain(on_disk)
        .chain(about_hooks);
    Ok((driver, told.collect()))
}

/// What instructions and tools are made of, of either profile.
struct Wardrobe<'a> {
    /// What the user, and the project, want of any model.
    rules: (Option<&'a str>, Option<(&'a str, &'a str)>),
    skills: &'a Arc<Skills>,
    agents: &'a Arc<Agents>,
    servers: Option<&'a Arc<dyn ForeignServers>>,
    web: Option<Web>,
    apply: Option<ApplyModel>,
    writes_through: bool,
}

impl Wardrobe<'_> {
    /// Returns instructions and tools of a profile.
    fn outfit(&self, profile: Profile) -> ProfileOutfit {
        let most = profile.most_bytes();
        let mut instructions = assemble(profile.text(), self.rules.0, self.rules.1, most);
        if self.writes_through {
            instructions += WRITTEN_AT_ONCE;
        }
        let mut tools = Registry::of_profile(profile);
        if profile == Profile::Full {
            instructions += &self.skills.listing();
            tools = tools.with_skills(Arc::clone(self.skills));
            if let Some(servers) = self.servers {
                instructions += &servers.listing();
                tools = tools.with_servers(Arc::clone(servers));
            }
            if let Some(web) = &self.web {
                tools = tools.with_web(web.clone());
            }
            instructions += &self.agents.listing();
            tools = tools.with_agents(Arc::clone(self.agents));
        }
        if let Some(apply) = &self.apply {
            tools = tools.with_apply(apply.clone());
        }
        ProfileOutfit {
            profile,
            tools,
            instructions,
        }
    }
}

/// Returns the same with the shadow that the model's commands run in, and with the language servers that run there; what there
/// is to say if commands run elsewhere; and whether they are confined.
fn with_shadow(
    driver: Driver,
    paths: &Paths,
    programs: &Programs,
) -> (Driver, Option<String>, bool) {
    match shadow_setup::of_model(paths, programs) {
        _ if !programs.shadow => (driver, None, false),
        Ok(setup) => {
            let driver = with_language_servers(driver, paths, programs, &setup);
            let upstream = shadow_setup::upstream().map_err(|error| error.to_string());
            let hosts = CommandHosts::new(programs.network.clone(), upstream)
                .written_by(HostRuleFile::new(&paths.config));
            let driver = driver.with_shadow(setup);
            let driver = driver.on_ground(|ground| ground.with_hosts(hosts));
            (driver, None, true)
        }
        Err(error) => {
            let told = format!(
                "commands run on the disk, not confined, and ask first, and nothing is checked: no shadow can be made \
                 here ({error}); `signoff doctor` says what can be done"
            );
            (driver, Some(told), false)
        }
    }
}

/// Returns the servers of the Model Context Protocol, none where there are none, and what the user should know of them.
#[cfg(feature = "mcp")]
fn servers(
    config: &Config,
    paths: &Paths,
    engine: &Arc<Mutex<Engine>>,
    presence: Presence,
) -> (Option<Arc<dyn ForeignServers>>, Vec<String>) {
    let found = mcp_servers::find(config, paths, presence.is_attended());
    let remarks = found.remarks().cloned().collect();
    let servers = mcp_servers::connect(config, paths, engine, found.definitions);
    (servers.map(|servers| servers as _), remarks)
}

/// Returns that servers are configured in vain, if some are: this build knows no client of the protocol.
#[cfg(not(feature = "mcp"))]
fn servers(
    config: &Config,
    _paths: &Paths,
    _engine: &Arc<Mutex<Engine>>,
    _presence: Presence,
) -> (Option<Arc<dyn ForeignServers>>, Vec<String>) {
    let vain = "[mcp] is passed over: this build of signoff asks no MCP servers".to_owned();
    (
        None,
        (!config.mcp.by_name.is_empty())
            .then_some(vain)
            .into_iter()
            .collect(),
    )
}

/// Returns what tells of the workspace, and gives the skill that a prompt calls for and what it names of servers; none if
/// nothing of that is wanted.
fn surrounding(
    paths: &Paths,
    (profile, policy): (Profile, Policy),
    is_surrounded: bool,
    (skills, servers, images): (Arc<Skills>, Option<Arc<dyn ForeignServers>>, ServerImages),
) -> Option<LookAround> {
    if !is_surrounded && skills.is_empty() && servers.is_none() {
        return None;
    }
    let paths = paths.clone();
    let likely = match profile {
        Profile::Full => LikelyTexts::First,
        Profile::Small => LikelyTexts::Meant,
    };
    Some(Arc::new(move |engine, prompt, is_first, say| {
        Surroundings {
            skill: skills.called_for(prompt),
            foreign: {
                let named = servers.as_deref();
                let named = named.map(|servers| surroundings::foreign::named(servers, prompt));
                let (texts, found): (Vec<_>, Vec<_>) = named
                    .into_iter()
                    .flatten()
                    .map(|answer| (answer.content, answer.images))
                    .unzip();
                *images.lock().unwrap_or_else(PoisonError::into_inner) = found.concat();
                texts
            },
            ..if is_surrounded {
                let texts = ReadableTexts::of(engine, &policy);
                surroundings::of(&paths, texts, prompt, (is_first, likely), say)
            } else {
                Surroundings::default()
            }
        }
    }))
}

/// Returns the project's instructions as staged, with the name of their file.
fn projects_instructions(engine: &Mutex<Engine>) -> Option<(&'static str, String)> {
    let mut engine = lock(engine);
    FILES.into_iter().find_map(|file| {
        let source = engine.read(file).ok().flatten()?;
        Some((file, source.text().ok()?.to_owned()))
    })
}

/// Returns the user's instructions for every project, and a line for the user if there are some that cannot be
/// read.
fn users_instructions(paths: &Paths) -> (Option<String>, Option<String>) {
    let file = paths.config.with_file_name(FILE);
    match regular::text(&file, MAX_INSTRUCTIONS) {
        Ok(text) => (Some(text), None),
        Err(error) if error.kind() == io::ErrorKind::NotFound => (None, None),
        Err(error) => {
            let told = format!(
                "{} is passed over: {error}; the model goes without these instructions",
                file.display()
            );
            (None, Some(told))
        }
    }
}

/// Returns a line for each text of instructions that the model is given the beginning of.
fn cut_in_words((user, project): (Option<&str>, Option<(&str, &str)>), most: usize) -> Vec<String> {
    let mut lines = Vec::new();
    let users = user.map(|text| ("your AGENTS.md", text));
    for (file, text) in users.into_iter().chain(project) {
        let bytes = text.trim().len();
        if bytes > most {
            let (has, given) = (bytes.div_ceil(1024), most / 1024);
            lines.push(format!(
                "{file} has {has} KiB; the model is given the first {given} KiB"
            ));
        }
    }
    lines
}

/// Returns the conversation with its hooks, if there are some, and what the user should know of them.
fn with_hooks(
    driver: Driver,
    paths: &Paths,
    presence: Presence,
    is_confined: bool,
) -> (Driver, Vec<String>) {
    let (hooks, mut told) = hooks::find(paths);
    let Some(hooks) = hooks else {
        return (driver, told);
    };
    if !is_confined {
        let why = "no hook runs: programs cannot be confined here; `signoff doctor` says why";
        told.push(why.to_owned());
        return (driver, told);
    }
    if presence != Presence::User && hooks.trust().is_some_and(TrustRecord::is_open) {
        let why = "the hooks of the workspace do not run: nobody has said that they may; `signoff trust` shows and allows \
                   them";
        told.push(why.to_owned());
    }
    (driver.with_hooks(Arc::new(hooks)), told)
}

/// Returns what checks the staged work, unless nothing is to be checked.
fn checked(paths: &Paths, programs: &Programs) -> Option<ProjectChecks> {
    if programs.policy == CheckPolicy::Off || programs.checks.is_none() {
        return None;
    }
    let (paths, programs) = (paths.clone(), programs.clone());
    Some(Arc::new(move |engine, wanted, watch| {
        project::checks::report(&paths, &programs, engine, (wanted, Starter::Session), watch)
            .map_err(|error| format!("{error:#}"))
    }))
}

/// Returns the same with the language servers that are of use here, if there are any. Unconfined, none is started by itself.
fn with_language_servers(
    driver: Driver,
    paths: &Paths,
    programs: &Programs,
    setup: &Setup,
) -> Driver {
    let commands = project::language_servers::of_workspace(&paths.root, &paths.reserved, programs);
    if commands.is_empty() {
        return driver;
    }
    let policy = programs.rules.clone().within(&paths.root);
    let servers = LanguageServers::new(setup.clone(), policy, commands);
    driver.with_language_servers(servers)
}

fn write_through(config: &Config) -> WriteThrough {
    match (config.write_through, config.may_write_through) {
        (true, _) => WriteThrough::On,
        (false, true) => WriteThrough::Off,
        (false, false) => WriteThrough::Forbidden,
    }
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

/// Returns the conversation that flags ask for; a new one if there is none to go on with. A model that flags ask for stands
/// before the one that was chosen in it.
fn memory(
    args: &SessionArgs,
    is_model_asked: bool,
    archive: Archive,
) -> anyhow::Result<(Memory, Option<String>)> {
    let earlier = match &args.resume {
        Some(wanted) => Some(archive.find(wanted)?),
        None if args.go_on => archive.newest()?,
        None => return Ok((Memory::begin(archive), None)),
    };
    let (memory, remark) = match earlier {
        Some(id) if args.fork => (Memory::fork(archive, &id)?, None),
        Some(id) => (Memory::resume(archive, &id)?, None),
        None => {
            let remark = "There is no earlier conversation here; this is a new one.";
            (Memory::begin(archive), Some(remark.to_owned()))
        }
    };
    let memory = if is_model_asked {
        memory.without_model()
    } else {
        memory
    };
    Ok((memory, remark))
}

/// Returns the small model that writes edits, if one is configured.
fn apply_model(
    setup: &SessionSetup,
    catalogue: &Catalogue,
    wait: Wait,
) -> anyhow::Result<Option<ApplyModel>> {
    let Some(provider) = setup.apply_server(wait)? else {
        return Ok(None);
    };
    let known = catalogue.find(&provider.about().model);
    Ok(Some(ApplyModel {
        provider: Arc::new(provider.with_catalogue(catalogue.clone())),
        prices: known.price.map(Prices::from),
    }))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_newest_conversation_is_gone_on_with_if_there_is_one() {
        let folder = tempfile::tempdir().unwrap();
        let folder = folder.path().join("sessions");
        let go_on = SessionArgs {
            go_on: true,
            ..SessionArgs::default()
        };
        let (memory, remark) = memory(&go_on, false, Archive::new(folder.clone())).unwrap();
        assert!(memory.is_new() && remark.is_some());
        let wanted = SessionArgs {
            resume: Some("nope".to_owned()),
            ..SessionArgs::default()
        };
        assert!(super::memory(&wanted, false, Archive::new(folder)).is_err());
    }

    #[test]
    fn instructions_that_are_cut_are_said() {
        let (short, long) = ("x".repeat(8 * 1024), "x".repeat(8 * 1024 + 1));
        for (user, project, expected) in [
            (Some(&short), Some(&short), ""),
            (None, None, ""),
            (Some(&long), None, "your AGENTS.md has 9 KiB"),
            (Some(&short), Some(&long), "CLAUDE.md has 9 KiB"),
        ] {
            let user = user.map(String::as_str);
            let project = project.map(|text| ("CLAUDE.md", text.as_str()));
            let told = cut_in_words((user, project), Profile::Small.most_bytes());
            let told = told.join("\n");
            assert!(told.starts_with(expected), "{told}");
            assert_eq!(told.is_empty(), expected.is_empty(), "{told}");
        }
        let full = Profile::Full.most_bytes();
        assert!(cut_in_words((Some(&long), None), full).is_empty());
    }
}
