//! Transcript lines of what is no event: answers to queries, marks that went.
//!
//! In: models, conversations, marks. Out: rows.

use signoff_core::plural::counted;
use signoff_llm::memory::Summary;
use signoff_llm::provider::About;
use signoff_llm::session::ListedModel;

use crate::event_lines::info;
use crate::review::Dropped;
use crate::theme::Role;
use crate::wrap::Row;

/// The most models in the transcript; some servers list hundreds.
const MOST_MODELS: usize = 60;

/// Returns the lines about marks that were taken away; what was typed is kept there.
pub(crate) fn unmarked(dropped: &[Dropped]) -> Vec<Row> {
    let row = |mark: &Dropped| {
        let said = match (mark.path.as_str(), mark.is_gone) {
            ("", _) => "A hunk that you had marked does not wait any more.".to_owned(),
            (path, true) => {
                format!("A hunk in {path} that you had marked or edited does not wait any more.")
            }
            (path, false) => format!(
                "A mark in {path} is taken away: the hunk is not what it was when you marked it."
            ),
        };
        let typed = mark.text.iter().flat_map(|text| typed(text));
        info(&said).into_iter().chain(typed).collect::<Vec<Row>>()
    };
    dropped.iter().flat_map(row).collect()
}

/// Returns the lines about a text from the editor that comes too late for its hunk; the text is kept there.
pub(crate) fn not_edited(path: &str, text: &str) -> Vec<Row> {
    let said = format!(
        "The hunk in {path} is not what it was when you began to edit it, or waits no more, so nothing is approved."
    );
    let mut rows = info(&said);
    rows.extend(typed(text));
    rows
}

/// Returns what the user had typed in a hunk's place.
fn typed(text: &str) -> Vec<Row> {
    let mut rows = info("Your text for it:");
    let lines = text.lines();
    rows.extend(lines.map(|line| Row::new(Role::Text, "  ").with(Role::Text, line)));
    rows
}

/// Returns the lines about a text that was typed on after its hunk was gone, and what is there of it was told.
pub(crate) fn too_late(text: &str) -> Vec<Row> {
    let mut rows = info("The hunk does not wait any more, so nothing is approved.");
    rows.extend(typed(text));
    rows
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
