//! Transcript lines of events.
//!
//! In: what was staged, decided, taken back or went wrong. Out: rows.

use signoff_core::disk::transaction::RolledBack;
use signoff_core::disk::workspace::WorkspacePath;
use signoff_core::plural::{counted, thousands};
use signoff_core::stage::review::StagedProposals;
use signoff_llm::image::size_in_words;
use signoff_llm::memory::Summary;
use signoff_llm::notice::FailedCall;
use signoff_llm::plan::Deviation;
use signoff_llm::provider::About;
use signoff_llm::session::{
    CommittedFile, Fault, ListedModel, NamedAgent, NamedOwner, RoundTiming, TurnEnd, TurnSummary,
};
use signoff_llm::tool::{ChangedFile, PlanStep, StepStatus};

use super::permission_prompt::subject_rows;
use signoff_checks::check::CheckReport;

use crate::review::Dropped;
use crate::review::words::deed;
use crate::theme::Role;
use crate::wrap::Row;

/// The most models in the transcript; some servers list hundreds.
const MOST_MODELS: usize = 60;

/// Returns the lines about new proposals.
pub(crate) fn staged(proposals: &StagedProposals) -> Vec<Row> {
    let hunks: usize = proposals.iter().map(|p| p.pending().count()).sum();
    let open = proposals
        .iter()
        .flat_map(|p| &p.hunks)
        .filter(|hunk| hunk.status.is_open());
    let conflicts = match open.count() - hunks {
        0 => String::new(),
        conflicts => format!(", {conflicts} in conflict"),
    };
    let hunks = counted(hunks, "hunk");
    let head = format!("Staged {hunks}{conflicts}: files are as they were");
    let mut rows = vec![Row::new(Role::Warn, "■ ").with(Role::Strong, &head)];
    rows.extend(proposals.iter().map(|proposal| {
        let sum = |count: fn(&signoff_core::stage::review::HunkView) -> u32| -> u32 {
            proposal.hunks.iter().map(count).sum()
        };
        Row::new(Role::Text, "  ")
            .with(Role::Text, &proposal.path)
            .with(Role::Dim, &format!("  {}  ", deed(proposal.operation)))
            .with(Role::Good, &format!("+{}", sum(|hunk| hunk.added)))
            .with(Role::Text, " ")
            .with(Role::Bad, &format!("-{}", sum(|hunk| hunk.removed)))
    }));
    rows
}

/// Says that the conversation goes on from before a prompt.
pub(crate) fn rewound(prompt: &str, with_files: bool) -> Vec<Row> {
    let line = prompt.lines().next().unwrap_or_default();
    let line: String = line.chars().take(60).collect();
    let files = if with_files {
        "what was written since is taken back"
    } else {
        "files stay: /undo takes the last changeset back"
    };
    info(&format!(
        "Back before: {line}. The model forgets what came after; {files}"
    ))
}

/// Returns the lines about edits that failed and that the turn did not make otherwise.
pub(crate) fn left_undone(staged: bool, edits: &[FailedCall]) -> Vec<Row> {
    let mut rows = info(&failed_edits(staged, edits.len()));
    rows.extend(edits.iter().flat_map(|edit| info(&format!("  {edit}"))));
    rows
}

/// Says that edits of a turn failed, and whether anything was staged nevertheless.
pub(crate) fn failed_edits(staged: bool, count: usize) -> String {
    let count = counted(count, "edit");
    if staged {
        format!("Left undone, {count} that failed:")
    } else {
        format!("Nothing was staged: {count} failed:")
    }
}

/// Returns the line about what a turn came to.
pub(crate) fn summary(
    summary: TurnSummary,
    checks: Option<&str>,
    seconds: Option<i64>,
) -> Vec<Row> {
    let TurnSummary {
        files,
        hunks,
        requests,
        tokens,
    } = summary;
    let mut parts = vec![
        counted(files, "file"),
        counted(hunks, "hunk"),
        counted(requests as usize, "request"),
    ];
    parts.extend(checks.map(str::to_owned));
    if tokens > 0 {
        parts.push(format!("{} tokens", thousands(tokens)));
    }
    parts.extend(seconds.map(|seconds| format!("{seconds} s")));
    vec![Row::new(Role::Dim, "· ").with(Role::Dim, &parts.join(", "))]
}

/// Returns the line about the time that the calls of one answer took.
pub(crate) fn timed(timing: RoundTiming) -> Vec<Row> {
    let RoundTiming {
        calls,
        parallel,
        took_ms,
    } = timing;
    let how = match (parallel, calls - parallel.min(calls)) {
        (0, _) => "one after the other".to_owned(),
        (_, 0) => "parallel".to_owned(),
        (parallel, after) => format!("{parallel} parallel, {after} after"),
    };
    let line = format!("{} in {took_ms} ms ({how})", counted(calls, "tool"));
    vec![Row::new(Role::Dim, "· ").with(Role::Dim, &line)]
}

/// Files that are named when a commit was undone.
const NAMED: usize = 5;

/// Says what was undone of a commit that did not end, if there was one.
pub(crate) fn recovered(undone: &RolledBack) -> Option<String> {
    let names = |paths: &[WorkspacePath]| {
        let mut names: Vec<String> = paths.iter().take(NAMED).map(ToString::to_string).collect();
        if paths.len() > NAMED {
            names.push(format!("{} more", paths.len() - NAMED));
        }
        names.join(", ")
    };
    let (restored, left) = (names(&undone.restored), names(&undone.left));
    let old = format!("as before: {restored}");
    let others = format!("changed by somebody since and left as they are: {left}");
    let which = match (restored.is_empty(), left.is_empty()) {
        (true, true) if undone.commits == 0 => return None,
        (true, true) => "no file had been changed".to_owned(),
        (false, true) => old,
        (true, false) => others,
        (false, false) => format!("{old}; {others}"),
    };
    Some(format!("a commit that was interrupted is undone; {which}"))
}

/// Returns the lines about verdicts that were carried out.
pub(crate) fn decided(
    committed: &[CommittedFile],
    approved: usize,
    denied: usize,
    pending: usize,
) -> Vec<Row> {
    let mut said = Vec::new();
    if approved > 0 {
        said.push(format!("{} approved", counted(approved, "hunk")));
    }
    if denied > 0 {
        said.push(format!("{} denied", counted(denied, "hunk")));
    }
    if pending > 0 {
        said.push(format!("{} still waiting", counted(pending, "hunk")));
    }
    if said.is_empty() {
        said.push("Nothing was decided".to_owned());
    }
    let mark = if committed.is_empty() { "□ " } else { "■ " };
    let mut rows = vec![Row::new(Role::Good, mark).with(Role::Strong, &said.join(", "))];
    rows.extend(committed.iter().map(|file| {
        let deed = if file.deleted {
            "  deleted "
        } else {
            "  written "
        };
        Row::new(Role::Good, deed)
            .with(Role::Text, &file.path)
            .with(Role::Dim, &format!("  version {}", file.version))
    }));
    rows
}

/// Returns the lines about files that a call changed by itself.
pub(crate) fn changed(files: &[ChangedFile]) -> Vec<Row> {
    let head = format!("{} changed on disk", counted(files.len(), "file"));
    let mut rows = vec![Row::new(Role::Warn, "■ ").with(Role::Strong, &head)];
    rows.extend(files.iter().map(|file| {
        let row = Row::new(Role::Text, "  ").with(Role::Text, &file.path);
        match file.version {
            Some(version) => row
                .with(Role::Good, &format!("  +{}", file.added))
                .with(Role::Bad, &format!(" -{}", file.removed))
                .with(
                    Role::Dim,
                    &format!("  version {version}, can be taken back"),
                ),
            None => row.with(Role::Warn, "  too large to be taken back"),
        }
    }));
    rows
}

/// Returns the lines about marks that were taken away; what was typed is kept there.
pub(crate) fn unmarked(dropped: &[Dropped]) -> Vec<Row> {
    let row = |mark: &Dropped| {
        let said = format!(
            "A mark in {} is taken away: the hunk is not what it was when you marked it.",
            mark.path
        );
        let typed = mark.text.iter().flat_map(|text| typed(text));
        info(&said).into_iter().chain(typed).collect::<Vec<Row>>()
    };
    dropped.iter().flat_map(row).collect()
}

/// Returns the lines about a text from the editor that comes too late for its hunk; the text is kept there.
pub(crate) fn not_edited(path: &str, text: &str) -> Vec<Row> {
    let said = format!(
        "The hunk in {path} is not what it was when you began to edit it, so nothing is approved."
    );
    let mut rows = info(&said);
    rows.extend(typed(text));
    rows
}

/// Returns what the user had typed in a hunk's place.
fn typed(text: &str) -> Vec<Row> {
    let mut rows = info("What you had typed for it:");
    let lines = text.lines();
    rows.extend(lines.map(|line| Row::new(Role::Text, "  ").with(Role::Text, line)));
    rows
}

/// Returns the lines about a call that needs the user's permission.
pub(crate) fn permission(tool: &str, subject: &str) -> Vec<Row> {
    let mut rows =
        vec![Row::new(Role::Warn, "? ").with(Role::Text, &format!("{tool} wants to run"))];
    rows.extend(subject_rows(subject));
    rows
}

/// Returns the lines about what the model is going to do.
pub(crate) fn plan(steps: &[PlanStep]) -> Vec<Row> {
    let mut rows = vec![Row::new(Role::Intent, "▸ ").with(Role::Strong, "Plan")];
    rows.extend(steps.iter().map(|step| match step.status {
        StepStatus::Completed => Row::new(Role::Good, "  ✓ ").with(Role::Dim, &step.step),
        StepStatus::InProgress => Row::new(Role::Intent, "  ▸ ").with(Role::Strong, &step.step),
        StepStatus::Pending => Row::new(Role::Dim, "  · ").with(Role::Text, &step.step),
    }));
    rows
}

/// Returns the line about a step that touched other files than its plan names.
pub(crate) fn deviation(step: usize, deviation: &Deviation) -> Vec<Row> {
    marked(Role::Warn, "! ", &deviation_said(step, deviation))
}

/// Says how a step differs from its plan.
pub(crate) fn deviation_said(step: usize, deviation: &Deviation) -> String {
    let part = |files: &[String], what: &str| {
        let files = files.join(", ");
        (!files.is_empty()).then(|| format!("{what} {files}"))
    };
    let unplanned = part(&deviation.unplanned, "touches files that it does not name:");
    let untouched = part(&deviation.untouched, "leaves files that it names:");
    let parts: Vec<String> = unplanned.into_iter().chain(untouched).collect();
    format!("step {step} of the plan {}", parts.join("; "))
}

/// Returns the lines about who can be given tasks.
pub(crate) fn agents(agents: &[NamedAgent]) -> Vec<Row> {
    if agents.is_empty() {
        return vec![Row::new(
            Role::Dim,
            "There are no agents in this conversation.",
        )];
    }
    let mut rows = vec![Row::new(
        Role::Strong,
        "Agents: /agent NAME TASK gives one a task",
    )];
    for agent in agents {
        let mut row = Row::new(Role::Text, "  ").with(Role::Strong, &agent.name);
        row.push(Role::Text, &format!("  {}", agent.description));
        let mut facts = vec!["reads"];
        facts.extend(agent.edits.then_some("stages edits"));
        facts.extend(agent.runs.then_some("runs commands"));
        let model = agent.model.as_ref().map(|model| format!("; asks {model}"));
        let owner = match agent.owner {
            NamedOwner::Signoff => "",
            NamedOwner::User => "; yours",
            NamedOwner::Workspace => "; of this workspace",
        };
        let (facts, model) = (facts.join(", "), model.as_deref().unwrap_or(""));
        row.push(Role::Dim, &format!("  ({facts}{model}{owner})"));
        rows.push(row);
    }
    rows
}

/// Returns the line about a file that was taken back.
pub(crate) fn reverted(path: &str, summary: &str) -> Vec<Row> {
    vec![
        Row::new(Role::Good, "↶ ")
            .with(Role::Strong, path)
            .with(Role::Text, "  ")
            .with(Role::Text, summary),
    ]
}

/// Returns the lines about something that did not work.
pub(crate) fn fault(fault: &Fault) -> Vec<Row> {
    let mut rows = marked(Role::Bad, "✗ ", &fault.message);
    rows.extend(
        fault
            .hint
            .iter()
            .flat_map(|hint| marked(Role::Dim, "  ", hint)),
    );
    rows
}

/// Returns the lines about a part of the program that stopped working.
pub(crate) fn broken(line: &str) -> Vec<Row> {
    marked(Role::Bad, "✗ ", line)
}

/// Returns what is said of a conversation that was made shorter.
pub(crate) fn compacted(before: u64, after: u64) -> String {
    format!(
        "The conversation was compacted from about {before} tokens to {after}: what you decided, \
         the plan and the newest words are kept."
    )
}

/// Returns the lines about a server that is silent.
pub(crate) fn stalled(seconds: u64, retry: &str) -> Vec<Row> {
    info(&format!(
        "no data for {seconds} s: {retry} asks again, Esc stops"
    ))
}

/// Returns the lines about earlier conversations.
pub(crate) fn sessions(sessions: &[Summary]) -> Vec<Row> {
    let mut rows = info(if sessions.is_empty() {
        "There are no earlier conversations here."
    } else {
        "Conversations, newest first; /resume NUMBER takes one up:"
    });
    rows.extend(sessions.iter().enumerate().map(|(place, session)| {
        Row::new(Role::Key, &format!("{:>4} ", place + 1))
            .with(Role::Text, &session.title)
            .with(
                Role::Dim,
                &format!("  {}", counted(session.prompts, "prompt")),
            )
    }));
    rows
}

/// Returns the lines about the models that a server offers.
pub(crate) fn models(about: &About, models: &[ListedModel]) -> Vec<Row> {
    let place = match about.endpoint.as_str() {
        "" => about.provider.as_str(),
        endpoint => endpoint,
    };
    if models.is_empty() {
        return info(&format!(
            "{place} lists no models; /model NAME asks one nevertheless."
        ));
    }
    let mut rows = info(&format!("Models at {place}; /model NAME asks another:"));
    rows.extend(models.iter().take(MOST_MODELS).map(|model| {
        let mark = if model.name == about.model {
            "* "
        } else {
            "  "
        };
        Row::new(Role::Key, mark)
            .with(Role::Text, &model.name)
            .with(Role::Dim, &format!("  {}", model.known))
    }));
    let more = models.len().saturating_sub(MOST_MODELS);
    if more > 0 {
        rows.push(Row::new(Role::Dim, &format!("  and {more} more")));
    }
    rows
}

/// Returns the line about the conversation that this is.
pub(crate) fn session(id: &str, prompts: usize) -> Vec<Row> {
    info(&match prompts {
        0 => "A new conversation.".to_owned(),
        n => format!("The conversation {id}, {} so far:", counted(n, "prompt")),
    })
}

/// Returns what is said of a call that was answered.
pub(crate) fn answered(summary: String, took_ms: Option<u64>) -> String {
    match took_ms {
        Some(milliseconds) => format!("{summary}  {}", took(milliseconds)),
        None => summary,
    }
}

/// Returns how long something took, in few characters.
pub(crate) fn took(milliseconds: u64) -> String {
    match milliseconds {
        0..1_000 => format!("{milliseconds} ms"),
        _ => format!("{}.{} s", milliseconds / 1_000, milliseconds % 1_000 / 100),
    }
}

/// Returns the lines of a remark.
pub(crate) fn info(text: &str) -> Vec<Row> {
    marked(Role::Dim, "· ", text)
}

/// Says how servers stand.
pub(crate) fn servers(lines: &[String]) -> Vec<Row> {
    lines.iter().flat_map(|line| info(line)).collect()
}

/// Returns the line about what the model was given with a request.
pub(crate) fn attached(files: &[(String, usize)], likely: &[String]) -> Vec<Row> {
    let each = files
        .iter()
        .map(|(path, bytes)| format!("{path} ({bytes} bytes)"));
    let each: Vec<String> = each.collect();
    let mut parts = Vec::new();
    if !each.is_empty() {
        parts.push(format!("attached {}", each.join(", ")));
    }
    if !likely.is_empty() {
        parts.push(format!("named as likely: {}", likely.join(", ")));
    }
    info(&parts.join("; "))
}

/// Returns the line about images that were attached to a prompt.
pub(crate) fn images(images: &[(String, usize)]) -> Vec<Row> {
    let each = images
        .iter()
        .map(|(name, bytes)| format!("{name} ({})", size_in_words(*bytes)));
    let each: Vec<String> = each.collect();
    let word = if each.len() == 1 { "image" } else { "images" };
    info(&format!("{word} attached: {}", each.join(", ")))
}

/// Returns what checks of the staged work found: a line each check, and the first diagnostics.
pub(crate) fn checked(report: &CheckReport) -> Vec<Row> {
    const TOLD: usize = 5;
    let checks = report
        .checks
        .iter()
        .flat_map(|check| info(&check.to_string()));
    let new = report.new.iter().take(TOLD);
    let new = new.flat_map(|new| marked(Role::Warn, "! ", &new.to_string()));
    checks.chain(new).collect()
}

/// Returns the line about a turn that did not end by itself.
pub(crate) fn ended(end: TurnEnd) -> Option<Vec<Row>> {
    match end {
        TurnEnd::Cancelled => Some(info("Stopped. What was staged stays staged.")),
        TurnEnd::Limit => Some(info("Stopped at a limit. Say \"go on\" to continue.")),
        TurnEnd::Done | TurnEnd::Review | TurnEnd::Failed | TurnEnd::Unmet => None,
    }
}

fn marked(role: Role, mark: &str, text: &str) -> Vec<Row> {
    text.lines()
        .enumerate()
        .map(|(index, line)| {
            let mark = if index == 0 { mark } else { "  " };
            Row::new(role, mark).with(Role::Text, line)
        })
        .collect()
}
