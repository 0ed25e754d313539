//! Comments of the review agent in the review pane.
//!
//! In: what the agent says of hunks while it looks at them. Out: rows below the lines that it is about, a few words for the
//! title and for the heads of hunks, and the reason that its comments on a hunk become if the user says so. It changes no
//! mark and no verdict.

use signoff_core::edit::diff::line::DiffLine;
use signoff_core::id::HunkId;
use signoff_core::plural::counted;
use signoff_core::stage::review::HunkView;
use signoff_core::stage::review::critique::{
    CommentPlace, CommentSeverity, Critique, CritiqueEvent, PlacedComment,
};

use super::Review;
use super::comments::HunkNotes;
use crate::response::{Response, Scope};
use crate::theme::Role;
use crate::wrap::Row;

/// What the review agent says, and whether it is at work.
#[derive(Debug, Default)]
pub(super) struct CritiqueNotes {
    pub(super) comments: Critique,
    is_running: bool,
}

impl CritiqueNotes {
    /// Takes over what the agent does or says. Returns the hunks that read differently by that.
    fn take(&mut self, event: &CritiqueEvent) -> Vec<HunkId> {
        match event {
            CritiqueEvent::Began { .. } => self.is_running = true,
            CritiqueEvent::Comment(_) => {}
            CritiqueEvent::Ended(_) => self.is_running = false,
        }
        event.change(&mut self.comments)
    }

    /// Returns what the title says.
    pub(super) fn title(&self) -> Option<(Role, String)> {
        let role = self.comments.worst().map_or(Role::Dim, role_of);
        match (self.is_running, self.comments.count()) {
            (true, 0) => Some((Role::Dim, "agent: looking".to_owned())),
            (false, 0) => None,
            (_, all) => Some((role, format!("agent: {}", counted(all, "comment")))),
        }
    }

    /// Returns what the head of a hunk says.
    pub(super) fn sign_of(&self, hunk: HunkId) -> Option<(Role, String)> {
        let worst = self.comments.worst_on(hunk)?;
        let count = self.comments.count_on(hunk);
        let more = match count {
            1 => String::new(),
            count => format!(" +{}", count - 1),
        };
        Some((role_of(worst), format!("agent: {worst}{more}")))
    }

    /// Adds what stands below a hunk that is shown with these lines, and below its lines. Where the user edited its text,
    /// a line has moved only if it still reads the same.
    pub(super) fn add_to(&self, notes: &mut HunkNotes, hunk: &HunkView, lines: &[DiffLine]) {
        for placed in self.comments.on(hunk) {
            let row = row(&placed);
            let same = |index: &usize| {
                let own = hunk.lines.get(*index).map(|line| &line.text);
                own.is_some() && lines.get(*index).map(|line| &line.text) == own
            };
            let line = match placed.place {
                CommentPlace::Line { index, .. } => Some(index).filter(same),
                CommentPlace::Hunk | CommentPlace::EarlierText => None,
            };
            match line {
                Some(line) => notes.by_line.entry(line).or_default().push(row),
                None => notes.below.push(row),
            }
        }
    }

    /// Returns the comments on a hunk as the reason of a denial; nothing if there is none about its text.
    fn reason(&self, hunk: &HunkView) -> Option<String> {
        let placed = self.comments.on(hunk).into_iter();
        let current = placed.filter(|own| own.place != CommentPlace::EarlierText);
        let reasons: Vec<String> = current.map(|own| own.reason()).collect();
        (!reasons.is_empty()).then(|| reasons.join(" "))
    }
}

/// The review agent's comments.
impl Review {
    /// Takes over what the review agent does or says.
    pub fn critique(&mut self, event: &CritiqueEvent) {
        if let CritiqueEvent::Comment(comment) = event
            && self.subject.list.hunk(comment.hunk).is_none()
        {
            // It was decided on meanwhile.
            return;
        }
        let verdicts = &mut self.subject.verdicts;
        let before = verdicts.critique.comments.clone();
        let hunks = verdicts.critique.take(event);
        if verdicts.critique.comments != before {
            verdicts.kept.change();
        }
        for hunk in hunks {
            self.presentation.changed_in(&self.subject, hunk.proposal);
        }
    }

    /// Has the user deny the selected hunk with the agent's comments as the reason, which can be edited.
    pub(super) fn deny_with_comments(&mut self) -> Response {
        if !self.was_drawn() {
            return Response::say("The proposal changed: look again");
        }
        match self.ask_reason() {
            Response::AskReason(Scope::Hunk(id), None) => {
                let hunk = self.subject.list.hunk(id);
                let critique = &self.subject.verdicts.critique;
                match hunk.and_then(|hunk| critique.reason(hunk)) {
                    Some(reason) => self.suggest(id, reason),
                    None => Response::say(
                        "The review agent says nothing of this hunk: /critique has it look",
                    ),
                }
            }
            other => other,
        }
    }

    /// Has the user edit a reason for denying a hunk, behind what was typed of one before.
    fn suggest(&self, hunk: HunkId, reason: String) -> Response {
        let typed = self.subject.verdicts.kept.drafted(Scope::Hunk(hunk)).trim();
        let reason = match typed {
            "" => reason,
            typed if typed.contains(&reason) => typed.to_owned(),
            typed => format!("{typed} {reason}"),
        };
        Response::AskReason(Scope::Hunk(hunk), Some(reason))
    }
}

fn row(placed: &PlacedComment<'_>) -> Row {
    let severity = placed.comment.severity;
    let earlier = match placed.place {
        CommentPlace::EarlierText => " (of an earlier text)",
        CommentPlace::Line { .. } | CommentPlace::Hunk => "",
    };
    let mut row = Row::new(role_of(severity), &format!("agent, {severity}{earlier}: "));
    row.push_counted(Role::Text, &placed.comment.text);
    row
}

fn role_of(severity: CommentSeverity) -> Role {
    match severity {
        CommentSeverity::Bug => Role::Bad,
        CommentSeverity::Risk => Role::Warn,
        CommentSeverity::Question | CommentSeverity::Nit => Role::Dim,
    }
}
