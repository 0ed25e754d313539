//! `signoff setup`: picks a server and a model, tries them, and keeps them in the user's configuration file.
//!
//! In: flags, and answers at a terminal, a line each. Out: the file, with everything else in it as it was. A key is never asked
//! for, printed or written: what is asked is where it comes from.

mod answers;
mod key;
mod models;
mod server;
mod trial;

use std::io::{self, IsTerminal as _};

use signoff_setup::config::{ModelChoice, SettingChange, UserFileDraft};
use signoff_setup::paths::Paths;
use tokio::runtime::Runtime;

use self::answers::yes;
use self::models::PickedModel;
use self::trial::NextMove;
use super::{Ending, out};
use crate::args::SetupArgs;

/// Says which flags answer for a user without a terminal.
const WITHOUT_TERMINAL: &str = "setup asks at a terminal; without one, name both: `signoff setup --url URL --model NAME`, with \
     --protocol where the address does not tell, and --api-key-env NAME, --api-key-command COMMAND or --api-key-keyring \
     NAME for a server that wants a key";

/// Variables that go before the file.
const BEFORE_THE_FILE: [&str; 3] = ["SIGNOFF_URL", "SIGNOFF_MODEL", "SIGNOFF_PROTOCOL"];

/// What one run of setup works with.
struct SetupRun<'a> {
    paths: &'a Paths,
    args: &'a SetupArgs,
    draft: UserFileDraft,
    runtime: Runtime,
}

pub(super) fn run(paths: &Paths, args: &SetupArgs) -> anyhow::Result<Ending> {
    let setup = SetupRun {
        paths,
        args,
        draft: UserFileDraft::open(&paths.config)?,
        runtime: Runtime::new()?,
    };
    if io::stdin().is_terminal() && io::stdout().is_terminal() {
        setup.attended()
    } else {
        setup.unattended()
    }
}

impl SetupRun<'_> {
    /// Does what the flags say.
    fn unattended(&self) -> anyhow::Result<Ending> {
        let (Some(server), Some(model)) = (server::of_flags(self.args)?, &self.args.model) else {
            out::remark(WITHOUT_TERMINAL);
            return Ok(Ending::Usage);
        };
        let choice = ModelChoice {
            model: model.clone(),
            ..server
        };
        let replaced = self.draft.replaced(&choice)?;
        if !replaced.is_empty() && !self.args.replace {
            self.show(&replaced)?;
            out::remark("nothing was written: --replace changes these settings");
            return Ok(Ending::NeedsUser);
        }
        if !self.args.untried && !trial::run(self, &choice)?.is_answer() {
            out::remark("nothing was written: --untried writes it all the same");
            return Ok(Ending::Unmet);
        }
        self.write(&choice)
    }

    /// Asks for what the flags do not say.
    fn attended(&self) -> anyhow::Result<Ending> {
        out::line("Picks a server and a model, tries them, and keeps them in")?;
        out::line(&format!("  {}", self.draft.path().display()))?;
        out::line("Answer with a number and Enter; q stops.")?;
        if let Some(current) = self.draft.current()? {
            out::line(&format!("Now it says: {current}."))?;
        }
        let mut flags = self.args.clone();
        loop {
            let mut server = match server::of_flags(&flags)? {
                Some(server) => server,
                None => match server::pick(self.paths, &self.runtime)? {
                    Some(server) => server,
                    None => return stopped(),
                },
            };
            let mut named = flags.model.take();
            // The flags answered once; whoever is asked again wants another answer.
            flags = SetupArgs::default();
            loop {
                let model = match named.take() {
                    Some(model) => model,
                    None => match models::pick(self, &server)? {
                        PickedModel::Named(model) => model,
                        PickedModel::OtherKey => {
                            let Some(key) = key::pick()? else {
                                return stopped();
                            };
                            server.key = key;
                            continue;
                        }
                        PickedModel::OtherServer => break,
                        PickedModel::Stopped => return stopped(),
                    },
                };
                let choice = ModelChoice {
                    model,
                    ..server.clone()
                };
                match self.settle(&choice)? {
                    NextMove::Keep => return self.keep(&choice),
                    NextMove::OtherModel => {}
                    NextMove::OtherKey => {
                        let Some(key) = key::pick()? else {
                            return stopped();
                        };
                        server.key = key;
                        named = Some(choice.model);
                    }
                    NextMove::OtherServer => break,
                    NextMove::Stop => return stopped(),
                }
            }
        }
    }

    /// Tries a choice, and asks what to do about what came of it.
    fn settle(&self, choice: &ModelChoice) -> anyhow::Result<NextMove> {
        if self.args.untried {
            return Ok(NextMove::Keep);
        }
        trial::run(self, choice)?.next_move()
    }

    /// Asks about what would be replaced, and writes.
    fn keep(&self, choice: &ModelChoice) -> anyhow::Result<Ending> {
        let replaced = self.draft.replaced(choice)?;
        if !replaced.is_empty() {
            self.show(&replaced)?;
            if !self.args.replace && !yes("Change these settings? yes or no:")? {
                return stopped();
            }
        }
        self.write(choice)
    }

    /// Shows the settings that would be another.
    fn show(&self, replaced: &[SettingChange]) -> anyhow::Result<()> {
        out::line(&format!("In {}:", self.draft.path().display()))?;
        for SettingChange { line, text } in replaced {
            out::line(&format!("  line {line}: {text}"))?;
        }
        Ok(())
    }

    fn write(&self, choice: &ModelChoice) -> anyhow::Result<Ending> {
        if let Err(error) = self.draft.write(choice) {
            out::error(&error);
            out::line("These lines say it; put them before the first [table] of the file:")?;
            out::text(&choice.lines())?;
            return Ok(Ending::Unmet);
        }
        out::line(&format!(
            "Written to {}: {} at {}.",
            self.draft.path().display(),
            choice.model,
            choice.url
        ))?;
        for name in self.draft.for_any_server()? {
            out::remark(&format!(
                "`{name}` of the file holds for this server as well"
            ));
        }
        for name in BEFORE_THE_FILE {
            if std::env::var_os(name).is_some_and(|value| !value.is_empty()) {
                out::remark(&format!("{name} is set, and goes before the file"));
            }
        }
        Ok(Ending::Done)
    }
}

fn stopped() -> anyhow::Result<Ending> {
    out::line("Stopped; nothing was written.")?;
    Ok(Ending::Unmet)
}
