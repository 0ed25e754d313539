//! Status report: what `/status` says.
//!
//! In: the state of the interface. Out: lines in the transcript: what waits and was decided, who answers and how,
//! what the checks found, which hooks there are, which prompts wait, what the conversation took.

use signoff_core::plural::{amount, counted, thousands};
use signoff_llm::usage::dollars;

use super::App;
use crate::review::{DecidedCount, words};

/// Says how things stand.
pub(super) fn status_report(app: &App) -> String {
    let mut said = vec![who_answers(app), what_waits(app)];
    let DecidedCount { approved, denied } = app.review.decided_count();
    said.push(match approved + denied {
        0 => "Nothing was decided since signoff was started here".to_owned(),
        _ => format!(
            "Since signoff was started here: {} approved, {denied} denied",
            counted(approved, "hunk")
        ),
    });
    said.push(match app.review.checks().title() {
        Some((_, words)) => words,
        None => "checks: none have run on what is staged".to_owned(),
    });
    let hooks = app.status.conversation().hooks.iter();
    said.extend(hooks.map(|line| format!("hooks, {line}")));
    if !app.conversation.queue().is_empty() {
        let queued = amount(
            app.conversation.queue().len(),
            "prompt waits",
            "prompts wait",
        );
        said.push(format!("{queued} for {}", app.queue_waits_for()));
    }
    said.extend(what_was_taken(app));
    if !app.workspace.is_empty() {
        said.push(format!("workspace: {}", app.workspace));
    }
    said.join("\n")
}

fn who_answers(app: &App) -> String {
    let model = match &app.status.conversation().about {
        None => "nobody answers yet".to_owned(),
        Some(about) if about.model.is_empty() => about.provider.clone(),
        Some(about) => format!("{} ({})", about.model, about.provider),
    };
    format!(
        "{}; mode: {}; model: {model}",
        app.status.word(),
        app.status.conversation().mode.word()
    )
}

fn what_waits(app: &App) -> String {
    let (pending, conflicts) = (app.review.list().pending(), app.review.list().conflicts());
    if pending + conflicts == 0 {
        return "Nothing waits for a verdict".to_owned();
    }
    let marked = match app.review.marked() {
        0 => String::new(),
        marked => format!(", {marked} marked and not handed over"),
    };
    let files = counted(app.review.list().file_count(), "file");
    let waiting = words::waiting(pending, conflicts);
    format!("{waiting} in {files}{marked}: /review shows them")
}

fn what_was_taken(app: &App) -> Option<String> {
    let taken = app.status.conversation().spent;
    if taken.tokens() == 0 {
        return None;
    }
    let (input, output) = (thousands(taken.input), thousands(taken.output));
    let cost = taken.cost.map(|cost| format!(", {}", dollars(cost)));
    let full = app.status.full().map(|full| format!("; {full}% full"));
    Some(format!(
        "tokens: {input} in, {output} out{}{}",
        cost.unwrap_or_default(),
        full.unwrap_or_default()
    ))
}
