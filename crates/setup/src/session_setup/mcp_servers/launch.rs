//! Starting the programs of servers: in the shadow, or with the user's rights where the user says so.
//!
//! In: a program. Out: its pipes. A confined server sees the workspace as it was staged when it started; what it writes
//! stays in its layers.

use std::ffi::{OsStr, OsString};
use std::io;
use std::sync::{Arc, Mutex, PoisonError};

use signoff_core::engine::Engine;
use signoff_mcp::child::{Complaints, Launched, Launcher, RunningProgram, unconfined};
use signoff_mcp::definition::{Confinement, ServerProgram};
use signoff_sandbox::shadow;

use crate::config::Config;
use crate::paths::Paths;
use crate::shadow_setup;

/// Returns what starts the programs of servers.
pub(super) fn launcher(config: &Config, paths: &Paths, engine: &Arc<Mutex<Engine>>) -> Launcher {
    let hidden = config.programs.hidden.clone();
    let variables = shadow_setup::variables().filter(move |(name, _)| !hidden.contains(name));
    let variables = shadow::environment(variables, &config.programs.named);
    let with_rights = unconfined(variables);
    let confined = in_shadow::launcher(config, paths, engine);
    Arc::new(move |program| match &program.confinement {
        Confinement::Confined { .. } => confined(program),
        Confinement::None => with_rights(program),
    })
}

#[cfg(not(target_os = "linux"))]
mod in_shadow {
    use super::{Arc, Config, Engine, Launcher, Mutex, Paths, io};

    /// Returns what says that nothing is confined here.
    pub(super) fn launcher(_: &Config, _: &Paths, _: &Arc<Mutex<Engine>>) -> Launcher {
        Arc::new(|_| Err(io::Error::other(super::OPEN)))
    }
}

/// What is said where a server would not be confined.
const OPEN: &str = "programs cannot be confined here; `confined = false` below its [mcp.NAME] in config.toml runs it with \
                    your rights";

#[cfg(target_os = "linux")]
mod in_shadow {
    use secrecy::ExposeSecret as _;
    use signoff_llm::shadow::{broker, hiding};
    use signoff_llm::tool::lock;
    use signoff_mcp::definition::ServerNetwork;
    use signoff_sandbox::network::{NetworkRules, RuleSource, Unattended};
    use signoff_sandbox::shadow::{Launch, Origin, ProgramNetwork, Service, Setup, Shadow};

    use super::{
        Arc, Complaints, Config, Confinement, Engine, Launched, Launcher, Mutex, OPEN, OsStr,
        OsString, Paths, PoisonError, RunningProgram, ServerProgram, io, shadow_setup,
    };

    /// A server in the shadow.
    struct ConfinedServer(Mutex<Service>);

    impl RunningProgram for ConfinedServer {
        fn failure(&self) -> Option<String> {
            let service = self.0.lock().unwrap_or_else(PoisonError::into_inner);
            service.failure()
        }
    }

    /// Returns what starts programs in the shadow.
    pub(super) fn launcher(
        config: &Config,
        paths: &Paths,
        engine: &Arc<Mutex<Engine>>,
    ) -> Launcher {
        let (paths, engine) = (paths.clone(), Arc::clone(engine));
        let programs = config.programs.clone();
        let policy = config.policy.clone().within(&paths.root);
        Arc::new(move |program| {
            let mut programs = programs.clone();
            if let Confinement::Confined { show, .. } = &program.confinement {
                programs.show.extend(show.iter().cloned());
            }
            let setup = shadow_setup::of_model(&paths, &programs)
                .map_err(|error| io::Error::other(format!("{OPEN} ({error})")))?;
            let setup = hiding(&setup, &policy, &engine)?;
            start(program, setup, (&engine, &programs.network))
        })
    }

    fn start(
        program: &ServerProgram,
        setup: Setup,
        (engine, rules): (&Mutex<Engine>, &NetworkRules),
    ) -> io::Result<Launched> {
        let network = match &program.confinement {
            Confinement::Confined { network, .. } => network,
            Confinement::None => &ServerNetwork::None,
        };
        let setup = match network {
            ServerNetwork::None | ServerNetwork::Hosts(_) => setup,
            ServerNetwork::Whole => Setup {
                network: ProgramNetwork::Whole,
                ..setup
            },
        };
        let mut shadow = Shadow::open(setup, Origin::ToolServers)?;
        if let ServerNetwork::Hosts(hosts) = network {
            let mut rules = rules.clone();
            let allowed = rules.allow(hosts, RuleSource::Server);
            allowed.map_err(io::Error::other)?;
            let upstream = shadow_setup::upstream()?;
            shadow.connect_by(broker(rules, upstream, Unattended, Vec::new())?)?;
        }
        let staged = lock(engine).for_program().map_err(io::Error::other)?;
        shadow.stage(staged)?;
        let words: Vec<OsString> = program.arguments.iter().map(Into::into).collect();
        let own = program.variables.iter();
        let variables: Vec<(&str, &str)> = own
            .map(|(name, value)| (name.as_str(), value.expose_secret()))
            .collect();
        let (service, pipes) = Service::start(
            shadow,
            &Launch {
                name: OsStr::new(&program.command),
                arguments: &words,
                folder: None,
                variables: &variables,
            },
        )?;
        Ok(Launched {
            input: pipes.input.into(),
            output: pipes.output.into(),
            complaints: Complaints::read(pipes.errors),
            guard: Box::new(ConfinedServer(Mutex::new(service))),
        })
    }
}
