//! Small models on one-line tasks: how many come out right, and how long they take.
//!
//! In: the address of a server and a model's name; in the environment `ANSWERS`, as the key `answers` of a model in
//! the configuration. Out: a line for each task and the totals. Each task is done by the program itself, `signoff exec
//! --approve all`, in a folder of its own. A task is right if exactly what was asked for changed; a file is damaged if
//! anything else did.

#![expect(clippy::print_stdout, reason = "what it says is its purpose")]

mod tasks;

use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};
use std::time::{Duration, Instant};
use std::{env, fs};

use anyhow::{Context as _, bail};

use tasks::{TASKS, Task};

/// What came of a task.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Outcome {
    Right,
    Unchanged,
    Damaged,
}

fn main() -> anyhow::Result<ExitCode> {
    let arguments: Vec<String> = env::args().skip(1).collect();
    let [url, model, only @ ..] = arguments.as_slice() else {
        bail!("usage: small-models URL MODEL [TASK...]");
    };
    let signoff = program()?;
    let (mut right, mut damaged, mut times) = (0, 0, Vec::new());
    for task in TASKS {
        if !only.is_empty() && !only.iter().any(|name| name == task.name) {
            continue;
        }
        let folder = tempfile::tempdir()?;
        let began = Instant::now();
        let said = run(&signoff, folder.path(), task, url, model)?;
        let took = began.elapsed();
        let outcome = judge(&folder.path().join("ws"), task)?;
        let word = match outcome {
            Outcome::Right => "right",
            Outcome::Unchanged => "unchanged",
            Outcome::Damaged => "damaged",
        };
        println!("{word:<10} {:>6.1} s  {}", took.as_secs_f64(), task.name);
        if outcome != Outcome::Right && env::var_os("VERBOSE").is_some() {
            println!("{said}");
        }
        right += usize::from(outcome == Outcome::Right);
        damaged += usize::from(outcome == Outcome::Damaged);
        times.push(took);
    }
    times.sort();
    let median = times
        .get(times.len() / 2)
        .copied()
        .unwrap_or(Duration::ZERO);
    let (count, median) = (times.len(), median.as_secs_f64());
    println!("{right} of {count} right, {damaged} damaged, median {median:.1} s");
    Ok(ExitCode::SUCCESS)
}

/// Returns the program beside this example, built in the same way.
fn program() -> anyhow::Result<PathBuf> {
    let own = env::current_exe()?;
    let folder = own
        .ancestors()
        .nth(2)
        .context("no folder around the example")?;
    let program = folder.join("signoff");
    if !program.is_file() {
        bail!(
            "{} is not there: build it first, with `cargo build --release`",
            program.display()
        );
    }
    Ok(program)
}

fn run(
    signoff: &Path,
    folder: &Path,
    task: &Task,
    url: &str,
    model: &str,
) -> anyhow::Result<String> {
    let root = folder.join("ws");
    for (path, text) in task.files {
        let path = root.join(path);
        fs::create_dir_all(path.parent().unwrap_or(&root))?;
        fs::write(path, text)?;
    }
    if let Some(answers) = env::var_os("ANSWERS") {
        let config = folder.join("config/signoff");
        fs::create_dir_all(&config)?;
        let answers = answers.to_string_lossy();
        let text = format!("[[models]]\nname = {model:?}\nanswers = {answers:?}\n");
        fs::write(config.join("config.toml"), text)?;
    }
    let output = Command::new(signoff)
        .args(["exec", "--approve", "all", "--profile", "small"])
        .args(["--url", url, "--model", model])
        .arg(task.request)
        .current_dir(&root)
        .env("HOME", folder)
        .env("XDG_STATE_HOME", folder.join("state"))
        .env("XDG_CONFIG_HOME", folder.join("config"))
        .output()?;
    let texts =
        [output.stdout, output.stderr].map(|text| String::from_utf8_lossy(&text).into_owned());
    Ok(texts.concat())
}

/// Compares the folder with what the task wants.
fn judge(root: &Path, task: &Task) -> anyhow::Result<Outcome> {
    let mut found = Vec::new();
    let mut folders = vec![root.to_owned()];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder)? {
            let path = entry?.path();
            if path.is_dir() {
                folders.push(path);
            } else {
                let name = path.strip_prefix(root)?.to_string_lossy().into_owned();
                found.push((name, fs::read_to_string(&path)?));
            }
        }
    }
    found.sort();
    let (changed, wanted) = task.change;
    let mut before: Vec<(String, String)> = task
        .files
        .iter()
        .map(|(path, text)| ((*path).to_owned(), (*text).to_owned()))
        .collect();
    before.sort();
    if found == before {
        return Ok(Outcome::Unchanged);
    }
    let is_right = found.iter().all(|(path, text)| {
        let mut known = before.iter();
        known
            .find(|(known, _)| known == path)
            .is_some_and(|(_, old)| {
                if path == changed {
                    let mut wanted = wanted.iter();
                    wanted.any(|(from, to)| old.replacen(from, to, 1) == *text)
                } else {
                    old == text
                }
            })
    });
    let right = found.len() == before.len() && is_right;
    Ok(if right {
        Outcome::Right
    } else {
        Outcome::Damaged
    })
}
