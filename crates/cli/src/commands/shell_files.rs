//! `completions` and `man`: what a shell and `man` know of the command line.
//!
//! In: the command line as clap knows it. Out: text on standard output.

use std::io::Write as _;

use clap::CommandFactory as _;
use clap_complete::Shell;

use super::Ending;
use crate::args::Args;

/// Prints what makes a shell complete signoff's words.
pub(super) fn completions(shell: Shell) -> anyhow::Result<Ending> {
    let mut text = Vec::new();
    clap_complete::generate(shell, &mut Args::command(), "signoff", &mut text);
    std::io::stdout().write_all(&text)?;
    Ok(Ending::Done)
}

/// Prints the manual page, with every command on it.
pub(super) fn manual() -> anyhow::Result<Ending> {
    let mut text = Vec::new();
    let mut command = Args::command();
    command.build();
    let page = clap_mangen::Man::new(command.clone());
    page.render_title(&mut text)?;
    page.render_name_section(&mut text)?;
    page.render_synopsis_section(&mut text)?;
    page.render_description_section(&mut text)?;
    page.render_options_section(&mut text)?;
    let commands = command.get_subcommands();
    for own in commands.filter(|own| own.get_name() != "help") {
        writeln!(text, ".SH \"COMMAND {}\"", own.get_name())?;
        let page = clap_mangen::Man::new(own.clone());
        // Its sections become parts of this one.
        let mut part = Vec::new();
        page.render_synopsis_section(&mut part)?;
        page.render_description_section(&mut part)?;
        page.render_options_section(&mut part)?;
        let part = String::from_utf8_lossy(&part).replace(".SH ", ".SS ");
        text.write_all(part.as_bytes())?;
    }
    std::io::stdout().write_all(&text)?;
    Ok(Ending::Done)
}
