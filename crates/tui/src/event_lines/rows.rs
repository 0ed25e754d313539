//! Rows of events on the screen.
//!
//! In: an event. Out: rows of the transcript, in colours, and longer than what is read elsewhere.

use signoff_checks::check::CheckReport;
use signoff_core::plural::{counted, thousands};
use signoff_core::stage::review::critique::{CritiqueEnd, CritiqueEvent, CritiqueReport};
use signoff_core::stage::review::{HunkView, StagedProposals};
use signoff_llm::claims::{JudgedSentence, Judgement};
use signoff_llm::image::size_in_words;
use signoff_llm::session::{
    CommittedFile, Event, NETWORK, NamedAgent, NamedOwner, TurnEnd, TurnSummary,
};
use signoff_llm::tool::{ChangedFile, PlanStep, StepStatus};
use signoff_llm::trust::USE_OF;

use super::{EventLine, Tone, lines};
use crate::blanks::{self, Line};
use crate::review::words::deed;
use crate::theme::Role;
use crate::wrap::Row;

/// Returns the rows of an event; none for what the screen shows as what it is, or says with more than the event knows.
pub fn rows(event: &Event) -> Vec<Row> {
    match event {
        Event::Agents { agents: named } => agents(named),
        Event::Images { images: attached } => images(attached),
        Event::PermissionAsked { tool, subject, .. } => permission(tool, subject),
        Event::Changed { files, .. } => changed(files),
        Event::Plan { steps } => plan(steps),
        Event::Staged(proposals) => staged(proposals),
        Event::Decided {
            committed,
            approved,
            denied,
            pending,
        } => decided(committed, *approved, *denied, *pending),
        Event::Reverted { path, summary } => reverted(path, summary),
        Event::Rewound { prompt, with_files } => rewound(prompt, *with_files),
        Event::Attached { files, likely } => attached(files, likely),
        Event::Checked { report } | Event::Breaking { report } => checked(report),
        Event::Claims { sentences } => claims(sentences),
        Event::Critique(CritiqueEvent::Began { hunks, left_out }) => {
            critique_began(hunks.len(), *left_out)
        }
        Event::Critique(CritiqueEvent::Ended(report)) => critique_ended(report),
        // Calls and comments have places of their own, and of a silent server the key is said that asks again.
        Event::Call(_) | Event::Critique(CritiqueEvent::Comment(_)) | Event::Stalled { .. } => {
            Vec::new()
        }
        other => lines(other).iter().flat_map(line_rows).collect(),
    }
}

/// Returns the rows of a line.
fn line_rows(line: &EventLine) -> Vec<Row> {
    let (role, mark) = match line.tone {
        Tone::Info => (Role::Dim, "· "),
        Tone::Warning => (Role::Warn, "! "),
        Tone::Fault => (Role::Bad, "✗ "),
    };
    let details = line.details.iter().flat_map(|detail| match line.tone {
        Tone::Fault => marked(Role::Dim, "  ", detail),
        Tone::Info | Tone::Warning => info(&format!("  {detail}")),
    });
    marked(role, mark, &line.text)
        .into_iter()
        .chain(details)
        .collect()
}

/// Returns the lines about new proposals.
fn staged(proposals: &StagedProposals) -> Vec<Row> {
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
        let sum = |count: fn(&HunkView) -> u32| -> u32 { proposal.hunks.iter().map(count).sum() };
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
fn rewound(prompt: &str, with_files: bool) -> Vec<Row> {
    let line = prompt.lines().next().unwrap_or_default();
    let line: String = line.chars().take(60).collect();
    let files = if with_files {
        "what was written since is reverted"
    } else {
        "files stay: /undo reverts the last change"
    };
    info(&format!(
        "Back before: {line}. The model forgets what came after; {files}"
    ))
}

/// Returns the lines about verdicts that were carried out.
fn decided(
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
        Row::new(Role::Good, deed).with(Role::Text, &file.path)
    }));
    rows
}

/// Returns the lines about files that a call changed by itself.
fn changed(files: &[ChangedFile]) -> Vec<Row> {
    let head = format!("{} changed on disk", counted(files.len(), "file"));
    let mut rows = vec![Row::new(Role::Warn, "■ ").with(Role::Strong, &head)];
    rows.extend(files.iter().map(|file| {
        let row = Row::new(Role::Text, "  ").with(Role::Text, &file.path);
        match file.version {
            Some(_) => row
                .with(Role::Good, &format!("  +{}", file.added))
                .with(Role::Bad, &format!(" -{}", file.removed))
                .with(Role::Dim, "  /undo reverts it"),
            None => row.with(Role::Warn, "  too large to be reverted"),
        }
    }));
    rows
}

/// Returns the lines about a call that needs the user's permission.
fn permission(tool: &str, subject: &str) -> Vec<Row> {
    let asks = match tool {
        NETWORK => "a command asks for a host".to_owned(),
        _ if tool.starts_with(USE_OF) => format!("{tool} needs your permission"),
        _ => format!("{tool} wants to run"),
    };
    let mut rows = vec![Row::new(Role::Warn, "? ").with(Role::Text, &asks)];
    rows.extend(subject_rows(subject));
    rows
}

/// Returns what a call is used on as lines: long runs of blanks and of empty lines are counted.
pub fn subject_rows(subject: &str) -> Vec<Row> {
    if subject.is_empty() {
        return vec![Row::new(Role::Text, "  ").with(Role::Warn, "⟨nothing⟩")];
    }
    let lines = blanks::lines(subject).into_iter();
    lines
        .map(|line| {
            let mut row = Row::new(Role::Text, "  ");
            match line {
                Line::Text(text) => row.push_counted(Role::Key, text),
                Line::Empty(count) => row.push(Role::Warn, &format!("⟨{count} empty lines⟩")),
            }
            row
        })
        .collect()
}

/// Returns the lines about what the model is going to do.
fn plan(steps: &[PlanStep]) -> Vec<Row> {
    let mut rows = vec![Row::new(Role::Intent, "▸ ").with(Role::Strong, "Plan")];
    rows.extend(steps.iter().map(|step| match step.status {
        StepStatus::Completed => Row::new(Role::Good, "  ✓ ").with(Role::Dim, &step.step),
        StepStatus::InProgress => Row::new(Role::Intent, "  ▸ ").with(Role::Strong, &step.step),
        StepStatus::Pending => Row::new(Role::Dim, "  · ").with(Role::Text, &step.step),
    }));
    rows
}

/// Returns the lines about who can be given tasks.
fn agents(agents: &[NamedAgent]) -> Vec<Row> {
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
fn reverted(path: &str, summary: &str) -> Vec<Row> {
    vec![
        Row::new(Role::Good, "↶ ")
            .with(Role::Strong, path)
            .with(Role::Text, "  ")
            .with(Role::Text, summary),
    ]
}

/// Returns the line about what the model was given with a request: the first files by name, as `/attached` lists them all.
/// A file may be given in several pieces.
fn attached(files: &[(String, usize)], likely: &[String]) -> Vec<Row> {
    const NAMED: usize = 3;
    let mut names: Vec<&str> = Vec::new();
    for (path, _) in files {
        if !names.contains(&path.as_str()) {
            names.push(path);
        }
    }
    let mut parts = Vec::new();
    if !names.is_empty() {
        let bytes = files.iter().map(|(_, bytes)| bytes).sum();
        let more = match names.len().saturating_sub(NAMED) {
            0 => String::new(),
            more => format!(" +{more} more"),
        };
        names.truncate(NAMED);
        let named = names.join(", ");
        parts.push(format!("attached {named}{more} ({})", size_in_words(bytes)));
    }
    if !likely.is_empty() {
        parts.push(format!("named {}", counted(likely.len(), "likely file")));
    }
    info(&parts.join("; "))
}

/// Returns the line about images that were attached to a prompt.
fn images(images: &[(String, usize)]) -> Vec<Row> {
    let each = images
        .iter()
        .map(|(name, bytes)| format!("{name} ({})", size_in_words(*bytes)));
    let each: Vec<String> = each.collect();
    let word = if each.len() == 1 { "image" } else { "images" };
    info(&format!("{word} attached: {}", each.join(", ")))
}

/// Returns what checks of the staged work found: a line each check, and the first diagnostics.
fn checked(report: &CheckReport) -> Vec<Row> {
    const TOLD: usize = 5;
    let checks = report
        .checks
        .iter()
        .flat_map(|check| info(&check.to_string()));
    let new = report.new.iter().take(TOLD);
    let new = new.flat_map(|new| marked(Role::Warn, "! ", &new.to_string()));
    checks.chain(new).collect()
}

/// Returns the lines about what the model said, first what does not hold.
fn claims(sentences: &[JudgedSentence]) -> Vec<Row> {
    let (against, held): (Vec<_>, Vec<_>) = (sentences.iter()).partition(|it| it.is_contradicted());
    against.into_iter().chain(held).flat_map(judged).collect()
}

/// Returns the lines about a sentence of the model's: what is so instead stands below one that does not hold.
fn judged(sentence: &JudgedSentence) -> Vec<Row> {
    match &sentence.judgement {
        Judgement::Holds => vec![Row::new(Role::Good, "✓ ").with(Role::Dim, &sentence.sentence)],
        Judgement::Contradicted { why, .. } => vec![
            Row::new(Role::Bad, "✗ ").with(Role::Text, &sentence.sentence),
            Row::new(Role::Bad, "  ").with(Role::Strong, why),
        ],
    }
}

/// Says that the review agent begins to look.
fn critique_began(hunks: usize, left_out: usize) -> Vec<Row> {
    let left_out = match left_out {
        0 => String::new(),
        left_out => format!("; {left_out} more are too long for it"),
    };
    let line = format!(
        "review agent: looking at {}{left_out}",
        counted(hunks, "hunk")
    );
    vec![Row::new(Role::Dim, "· ").with(Role::Dim, &line)]
}

/// Says how a look of the review agent came out.
fn critique_ended(report: &CritiqueReport) -> Vec<Row> {
    let role = match (&report.end, report.bugs) {
        (CritiqueEnd::Failed { .. } | CritiqueEnd::Limit, _) => Role::Warn,
        (_, 0) => Role::Text,
        (_, _) => Role::Bad,
    };
    let mut row = Row::new(role, "· ").with(role, &format!("review agent: {}", report.in_words()));
    if !report.said.is_empty() && report.comments == 0 {
        row.push(Role::Dim, &format!("  {}", report.said));
    }
    vec![row]
}

/// Returns the line about what a turn came to.
pub fn summary(summary: TurnSummary, checks: Option<&str>, seconds: Option<i64>) -> Vec<Row> {
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

/// Returns the line about the conversation that this is.
pub fn session(id: &str, prompts: usize) -> Vec<Row> {
    info(&match prompts {
        0 => "A new conversation.".to_owned(),
        n => format!("The conversation {id}, {} so far:", counted(n, "prompt")),
    })
}

/// Returns the lines about a server that is silent.
pub fn stalled(seconds: u64, retry: &str) -> Vec<Row> {
    info(&format!(
        "no data for {seconds} s: {retry} asks again, Esc stops"
    ))
}

/// Returns the line about a turn that did not end by itself.
pub fn ended(end: TurnEnd) -> Option<Vec<Row>> {
    match end {
        TurnEnd::Cancelled => Some(info("Stopped. What was staged stays staged.")),
        TurnEnd::Limit => Some(info("Stopped at a limit. Say \"go on\" to continue.")),
        TurnEnd::Done | TurnEnd::Review | TurnEnd::Failed | TurnEnd::Unmet => None,
    }
}

/// Returns the lines of a remark.
pub fn info(text: &str) -> Vec<Row> {
    marked(Role::Dim, "· ", text)
}

/// Returns the lines of a text, the first with a mark.
pub fn marked(role: Role, mark: &str, text: &str) -> Vec<Row> {
    text.lines()
        .enumerate()
        .map(|(index, line)| {
            let mark = if index == 0 { mark } else { "  " };
            Row::new(role, mark).with(Role::Text, line)
        })
        .collect()
}
