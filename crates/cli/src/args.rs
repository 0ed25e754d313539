//! Command line arguments.
//!
//! In: the command line. Out: [`Args`]; nothing in it has been looked up yet.

use std::ffi::OsString;
use std::path::PathBuf;

use clap::error::{Error, ErrorKind};
use clap::{ArgGroup, Args as Group, CommandFactory as _, FromArgMatches as _, Parser, Subcommand};
use signoff_setup::config::Service;

#[cfg(feature = "acp")]
mod acp;
mod background;
mod commit;
mod context;
mod init;
mod mistyped;
mod offer;
mod sessions;
mod setup;
#[cfg(feature = "mcp")]
mod sign_in;
mod undo;

#[cfg(feature = "acp")]
pub use acp::{AcpArgs, AcpCommand};
pub use background::{BackgroundArgs, BackgroundCommand};
pub use commit::CommitArgs;
pub use context::{ContextArgs, SymbolArgs};
pub use init::InitArgs;
pub(crate) use mistyped::has_command;
pub use offer::{OfferArgs, TakeArgs};
pub use sessions::{ExportArgs, ExportFormat, SessionsArgs, SessionsCommand};
pub use setup::SetupArgs;
#[cfg(feature = "mcp")]
pub use sign_in::SignInArgs;
pub use signoff_setup::args::{ForeignAgent, ModelArgs, PathArgs, SessionArgs};
pub use undo::{LAST, RedoArgs, RevertArgs, RevertMode, UndoArgs};

/// A terminal coding agent: nothing it does changes your files until you sign off.
///
/// signoff sends your request to a model, which reads the workspace and proposes edits. Each edit is
/// staged and shown as a diff; you approve or deny it hunk by hunk. Only approved hunks are written
/// (with --write-through, all at once), and `signoff revert` undoes what was written.
///
/// Without a command it opens the terminal interface.
#[derive(Debug, Parser)]
#[command(name = "signoff", version)]
pub struct Args {
    /// What to do, or nothing for the terminal interface.
    #[command(subcommand)]
    pub command: Option<Command>,
    /// What the interface is told.
    #[command(flatten)]
    pub interface: InterfaceArgs,
}

/// The command line without a command: the terminal interface.
#[derive(Debug, Group)]
pub struct InterfaceArgs {
    /// A prompt to begin with.
    pub prompt: Option<String>,
    /// Talk in lines instead of a screen: for pipes and screen readers.
    #[arg(long)]
    pub plain: bool,
    /// Leave the conversation in the terminal's scrollback instead of taking the whole screen.
    #[arg(long, conflicts_with = "plain")]
    pub inline: bool,
    /// Whom to ask.
    #[command(flatten)]
    pub model: ModelArgs,
    /// How to go about it.
    #[command(flatten)]
    pub setup: SessionArgs,
    /// The workspace.
    #[command(flatten)]
    pub paths: PathArgs,
}

impl Args {
    /// Reads the command line; ends the process, as usage errors do, where it makes no sense.
    pub fn read() -> Self {
        Self::understand(std::env::args_os()).unwrap_or_else(|error| error.exit())
    }

    /// Refuses what would be ignored, as a prompt or a model before a command, and a mistyped
    /// command, which would be a prompt.
    fn understand(words: impl IntoIterator<Item = impl Into<OsString>>) -> Result<Self, Error> {
        let words: Vec<OsString> = words.into_iter().map(Into::into).collect();
        let interface = InterfaceArgs::without_commands(&words);
        let parsed = match interface {
            Some(interface) => Ok(Self {
                command: None,
                interface,
            }),
            None => Self::try_parse_from(&words),
        };
        if let Some(why) = mistyped::command(&words, &parsed) {
            return Err(Self::command().error(ErrorKind::InvalidSubcommand, why));
        }
        let args = parsed?;
        let own = &args.interface;
        let model = &own.model;
        let asks =
            own.prompt.is_some() || model.offline || model.replay.is_some() || model.write_through;
        let asks = asks || own.plain || own.inline || own.setup != SessionArgs::default();
        let named = model.url.is_some() || model.model.is_some() || model.protocol.is_some();
        if args.command.is_some() && (asks || named) {
            let why = "a prompt or a model stands before a command; put it behind";
            return Err(Self::command().error(ErrorKind::ArgumentConflict, why));
        }
        Ok(args)
    }
}

impl InterfaceArgs {
    /// Reads a command line that names no command and has no fault. To lay out the arguments of all commands for it is
    /// more than half of the work of a first frame.
    fn without_commands(words: &[OsString]) -> Option<Self> {
        let names_command = |word: &str| word == "help" || Command::has_subcommand(word);
        if words
            .iter()
            .filter_map(|word| word.to_str())
            .any(names_command)
        {
            return None;
        }
        let known = Self::augment_args(clap::Command::new("signoff"));
        let found = known.try_get_matches_from(words).ok()?;
        Self::from_arg_matches(&found).ok()
    }
}

/// What can be done without the terminal interface.
#[derive(Debug, Subcommand)]
pub enum Command {
    /// Run one turn: edits are staged, files stay as they are.
    Exec(ExecArgs),
    /// Show the agents that work in the background, talk to one or stop it.
    Background(BackgroundArgs),
    /// Run an `apply_structured_edits` payload from standard input.
    Apply(ApplyArgs),
    /// Answer edits on texts, JSON lines in and out; no file is touched.
    Engine(EngineArgs),
    /// Run a program on the staged files; what it changes is staged, files stay as they are.
    Run(RunArgs),
    /// Write ignored files that programs left in the shadow, as build output and packages.
    Keep(KeepArgs),
    /// Look for syntax errors.
    Check(CheckArgs),
    /// Run the tests that belong to what is staged, on the staged files.
    Test(TestArgs),
    /// Show what waits for a verdict.
    Review(ReviewArgs),
    /// Print what waits as a patch, as `review --patch` does.
    Diff,
    /// Write what waits.
    Approve(ApproveArgs),
    /// Drop what waits.
    Deny(DenyArgs),
    /// Show earlier conversations, or print one.
    Sessions(SessionsArgs),
    /// Hand what waits to another person, or send them your verdicts on what they offered.
    Offer(OfferArgs),
    /// Take what another person offers as proposals, and the verdicts of others on yours.
    Take(TakeArgs),
    /// Show what was written.
    History(HistoryArgs),
    /// Undo what was written to a file; your own later edits stay.
    Revert(RevertArgs),
    /// Undo the last changeset in all of its files, as `revert --changeset last` does.
    Undo(UndoArgs),
    /// Put back what the newest revert of a file took out.
    Redo(RedoArgs),
    /// Make a git commit of what was signed off, whatever else the files have.
    Commit(CommitArgs),
    /// Show for each line of a file who last changed it.
    Blame(BlameArgs),
    /// Show which commits were signed off, and by whom.
    Verify(VerifyArgs),
    /// Show which files a request is about, and why.
    Context(ContextArgs),
    /// Show where a name is defined.
    Symbols(SymbolArgs),
    /// Show where a name is referred to.
    References(SymbolArgs),
    /// Propose an `AGENTS.md`, the instructions that a model gets with every request.
    Init(InitArgs),
    /// Propose a rule in the project's instructions, or list the rules that are enforced.
    Rule(RuleArgs),
    /// Pick a server and a model, try them, and keep them in the configuration file.
    Setup(SetupArgs),
    /// Show what is configured, reachable and working.
    Doctor(DoctorArgs),
    /// Trust the hooks of the workspace: they are shown, and run in conversations from now on.
    Trust(TrustArgs),
    /// Sign in to a server of the Model Context Protocol, in a browser.
    #[cfg(feature = "mcp")]
    SignIn(SignInArgs),
    /// Show the keys of the interface, with the names that `[keys]` of the configuration takes.
    Keys(KeysArgs),
    /// Serve an editor over the Agent Client Protocol: it shows the conversation, you decide in it or in signoff.
    #[cfg(feature = "acp")]
    Acp(AcpArgs),
    /// Serve other agents over the Model Context Protocol: they propose edits, you decide in signoff.
    #[cfg(feature = "mcp")]
    Mcp,
    /// Show the interface on a sample folder with a recorded model: three minutes, no key, no network.
    Demo,
    /// Print what makes a shell complete signoff's words.
    Completions {
        /// The shell.
        shell: clap_complete::Shell,
    },
    /// Print the manual page, for `man -l -`.
    Man,
}

/// `exec`
#[derive(Debug, Group)]
pub struct ExecArgs {
    /// What shall be done; `-` reads it from standard input.
    pub prompt: String,
    /// Print one event a line, as JSON.
    #[arg(long)]
    pub json: bool,
    /// Write what was staged when the turn is over: `all`.
    #[arg(long, value_name = "WHAT")]
    pub approve: Option<ApproveWhat>,
    /// Work in the background, in an overlay over the files as they are, and print the id of the agent; what it proposes
    /// waits in `signoff review` once it is done.
    #[arg(long, conflicts_with_all = ["approve", "write_through", "go_on", "resume", "fork", "stop", "profile"])]
    pub background: bool,
    /// Let the model run commands like this, `*` standing for anything; may be repeated.
    #[arg(long, value_name = "PATTERN")]
    pub allow: Vec<String>,
    /// Whom to ask.
    #[command(flatten)]
    pub model: ModelArgs,
    /// How to go about it.
    #[command(flatten)]
    pub setup: SessionArgs,
}

/// `rule`
#[derive(Debug, Group)]
pub struct RuleArgs {
    /// The rule; without one, the rules that are enforced are listed.
    pub text: Vec<String>,
}

/// What `exec` approves by itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub enum ApproveWhat {
    /// Everything that the turn staged.
    All,
}

/// `apply`
#[derive(Debug, Group)]
#[command(group(ArgGroup::new("how").args(["dry_run", "stage", "write"])))]
pub struct ApplyArgs {
    /// Only answer what would be staged.
    #[arg(long)]
    pub dry_run: bool,
    /// Stage it (the default).
    #[arg(long)]
    pub stage: bool,
    /// Stage it and write it at once.
    #[arg(long)]
    pub write: bool,
}

/// `run`
#[derive(Debug, Group)]
pub struct RunArgs {
    /// Let it reach these hosts, and those of the presets `cargo`, `npm`, `pypi`, `go`, `maven`, `debian`, `forges`, beside those
    /// of `[network]` and what you allow when you are asked; without any, let it use the whole network.
    #[arg(long, value_name = "HOST", num_args = 0.., value_delimiter = ',')]
    pub net: Option<Vec<String>>,
    /// Give it what this agent needs: its own folders in a layer, the use of its keys, the network, and signoff's MCP server.
    #[arg(long, value_name = "NAME")]
    pub agent: Option<ForeignAgent>,
    /// Let it use your key for `openai`, `anthropic` or `gemini` without having it; may be repeated.
    #[arg(long, value_name = "SERVICE", value_parser = Service::of_word)]
    pub key: Vec<&'static Service>,
    /// Let it have this variable although it holds a key; may be repeated.
    #[arg(long, value_name = "NAME")]
    pub env: Vec<String>,
    /// Write the ignored files that it changed, as `node_modules` after an install.
    #[arg(long)]
    pub keep_ignored: bool,
    /// Stage nothing.
    #[arg(long)]
    pub discard: bool,
    /// Print what was staged as JSON, in one line after the program's own output.
    #[arg(long)]
    pub json: bool,
    /// The program and its arguments.
    #[arg(last = true, required = true, value_name = "COMMAND")]
    pub command: Vec<OsString>,
}

/// `keep`
#[derive(Debug, Group)]
pub struct KeepArgs {
    /// Only what is below these paths.
    pub paths: Vec<String>,
}

/// `test`
#[derive(Debug, Group)]
pub struct TestArgs {
    /// Only name the tests that belong to these files, or to what is staged.
    #[arg(long)]
    pub list: bool,
    /// Which hunks no test and no check needs: what passes is run again without them.
    #[arg(long, conflicts_with = "list")]
    pub needed: bool,
    /// The files, for `--list`.
    #[arg(value_name = "FILE", requires = "list")]
    pub files: Vec<String>,
    /// Print JSON, one test a line; with `--needed` one hunk.
    #[arg(long)]
    pub json: bool,
}

/// `engine`
#[derive(Debug, Group)]
pub struct EngineArgs {
    /// Whether guards look at what an edit makes of its text.
    #[arg(long, value_name = "WHETHER", default_value = "on")]
    pub guards: GuardsArg,
}

/// Whether guards look at edits.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub enum GuardsArg {
    /// They do.
    On,
    /// Edits are located and made, whatever comes of them.
    Off,
}

/// `check`
#[derive(Debug, Group)]
#[command(group(ArgGroup::new("what").multiple(false).args(["files", "jsonl", "project"])))]
pub struct CheckArgs {
    /// The files; without any, those with staged work, as they would be with all of it.
    #[arg(value_name = "FILE")]
    pub files: Vec<String>,
    /// Check texts from standard input, JSON lines in and out.
    #[arg(long)]
    pub jsonl: bool,
    /// Run the project's compilers and linters on what is staged, and show what is new.
    #[arg(long)]
    pub project: bool,
    /// Print JSON, one file a line.
    #[arg(long)]
    pub json: bool,
}

/// A command whose output can be JSON.
#[derive(Debug, Group)]
pub struct JsonArgs {
    /// Print JSON.
    #[arg(long)]
    pub json: bool,
}

/// `trust`
#[derive(Debug, Group)]
#[command(group(ArgGroup::new("instead").args(["list", "forget"])))]
pub struct TrustArgs {
    /// Trust the hooks and servers that are shown without being asked, as in a script.
    #[arg(long, conflicts_with_all = ["list", "forget"])]
    pub yes: bool,
    /// Only show the hooks and servers, and what was decided before.
    #[arg(long)]
    pub list: bool,
    /// Forget what was decided, on MCP servers of the workspace as well: you are asked anew.
    #[arg(long)]
    pub forget: bool,
}

/// `review`
#[derive(Debug, Group)]
#[command(group(ArgGroup::new("form").args(["json", "patch"])))]
pub struct ReviewArgs {
    /// Print JSON.
    #[arg(long)]
    pub json: bool,
    /// Print a patch that `git apply` takes.
    #[arg(short, long)]
    pub patch: bool,
}

/// `approve`
#[derive(Debug, Group)]
#[command(group(ArgGroup::new("which").required(true).args(["ids", "all", "group"])))]
#[command(group(ArgGroup::new("how").args(["edit", "with"])))]
#[expect(clippy::struct_excessive_bools, reason = "each is a flag")]
pub struct ApproveArgs {
    /// Proposals, or single hunks as `ID#2`; four characters or more that only one id begins or ends with will do.
    pub ids: Vec<String>,
    /// Everything that waits.
    #[arg(long)]
    pub all: bool,
    /// Only if the project's checks find no new error.
    #[arg(long, requires = "all")]
    pub checked: bool,
    /// Every hunk of this group that does nothing else; `review` names the groups.
    #[arg(long, value_name = "KEY")]
    pub group: Option<String>,
    /// Edit the new text of each hunk first, in $VISUAL or $EDITOR.
    #[arg(long)]
    pub edit: bool,
    /// Write this file's text in place of the hunk's new text; `-` reads standard input.
    #[arg(long, value_name = "FILE", conflicts_with = "all")]
    pub with: Option<PathBuf>,
    /// Print JSON.
    #[arg(long)]
    pub json: bool,
}

/// `deny`
#[derive(Debug, Group)]
#[command(group(ArgGroup::new("which").required(true).args(["ids", "all", "group"])))]
pub struct DenyArgs {
    /// Proposals, or single hunks as `ID#2`; four characters or more that only one id begins or ends with will do.
    pub ids: Vec<String>,
    /// Everything that waits.
    #[arg(long)]
    pub all: bool,
    /// Every hunk of this group that does nothing else; `review` names the groups.
    #[arg(long, value_name = "KEY")]
    pub group: Option<String>,
    /// Why; the model reads it with the next prompt.
    #[arg(long, value_name = "TEXT")]
    pub reason: Option<String>,
    /// Print JSON.
    #[arg(long)]
    pub json: bool,
}

/// `history`
#[derive(Debug, Group)]
pub struct HistoryArgs {
    /// Only this file.
    pub path: Option<String>,
    /// Show what each entry changed.
    #[arg(short, long)]
    pub patch: bool,
    /// Show what was denied, with the reason, instead of what was written.
    #[arg(long, conflicts_with = "patch")]
    pub denied: bool,
    /// Print JSON.
    #[arg(long)]
    pub json: bool,
}

/// `blame`
#[derive(Debug, Group)]
pub struct BlameArgs {
    /// The file, or one line of it as `FILE:12`.
    #[arg(value_name = "FILE[:LINE]")]
    pub paths: String,
    /// Print JSON.
    #[arg(long)]
    pub json: bool,
}

/// `verify`
#[derive(Debug, Group)]
#[expect(clippy::struct_excessive_bools, reason = "each is a flag")]
pub struct VerifyArgs {
    /// Which commits, as `main..HEAD`; those that the upstream lacks, if none are named.
    pub range: Option<String>,
    /// Count a receipt only if its signature is by a key that your git trusts.
    #[arg(long)]
    pub keys: bool,
    /// Leave receipts of what the history of this machine vouches for, at commits that have none.
    #[arg(long)]
    pub write: bool,
    /// Count proposed lines as unsigned where nobody had them displayed when they were signed off.
    #[arg(long)]
    pub seen: bool,
    /// Print JSON.
    #[arg(long)]
    pub json: bool,
}

/// `doctor`
#[derive(Debug, Group)]
pub struct DoctorArgs {
    /// Print JSON.
    #[arg(long)]
    pub json: bool,
    /// Make a damaged store anew from what can be read; the old file is kept.
    #[arg(long)]
    pub repair: bool,
    /// Whom to ask.
    #[command(flatten)]
    pub model: ModelArgs,
}

/// `keys`
#[derive(Debug, Group)]
pub struct KeysArgs {
    /// Show the built-in keys, whatever is configured.
    #[arg(long)]
    pub default: bool,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_command_line_is_consistent() {
        Args::command().debug_assert();
    }

    fn parse(words: &[&str]) -> Result<Args, Error> {
        Args::understand([&["signoff"], words].concat())
    }

    #[test]
    fn words_are_commands_and_everything_else_is_a_prompt() {
        assert_eq!(
            parse(&["rename a to b"])
                .unwrap()
                .interface
                .prompt
                .as_deref(),
            Some("rename a to b")
        );
        assert!(matches!(
            parse(&["review", "--json"]).unwrap().command,
            Some(Command::Review(_))
        ));
        assert!(parse(&["approve"]).is_err(), "nothing named and not --all");
        assert!(parse(&["apply", "--stage", "--write"]).is_err());
        assert!(parse(&["revert", "--no-such-flag"]).is_err());
        assert!(
            parse(&["revert"]).is_err(),
            "neither a file nor a changeset"
        );
        assert!(parse(&["revert", "a", "--to", "1", "--only", "2"]).is_err());
        assert!(parse(&["--offline", "--replay", "x"]).is_err());
        let elsewhere = parse(&["-C", "sub", "review"]).unwrap();
        assert!(
            elsewhere.interface.prompt.is_none()
                && matches!(elsewhere.command, Some(Command::Review(_)))
        );
        assert_eq!(elsewhere.interface.paths.dir, Some("sub".into()));
        assert!(
            parse(&["--offline", "review"]).is_err(),
            "it would be ignored"
        );
        assert!(parse(&["--inline", "review"]).is_err());
        assert!(parse(&["--inline", "--plain"]).is_err());
        assert!(parse(&["--inline", "fix it"]).is_ok());
        assert!(parse(&["fix it", "review"]).is_err());
        assert!(parse(&["check"]).is_ok(), "what is staged");
        assert!(parse(&["check", "a", "--jsonl"]).is_err());
        assert!(parse(&["engine", "--guards", "off"]).is_ok());
        assert!(
            parse(&["--continue", "and now?"])
                .unwrap()
                .interface
                .setup
                .go_on
        );
        assert!(parse(&["exec", "-c", "--stop", "after:2", "go on"]).is_ok());
        assert!(parse(&["--continue", "--resume", "1"]).is_err());
        assert!(parse(&["--fork"]).is_err(), "of which?");
        assert!(parse(&["--stop", "never"]).is_err());
        assert!(parse(&["--profile", "small", "review"]).is_err());
        assert!(parse(&["context", "a", "b", "--json", "--limit", "3"]).is_ok());
        assert!(parse(&["context"]).is_err(), "no request");
        assert!(parse(&["references", "f", "-C", "sub"]).is_ok());
    }
}
