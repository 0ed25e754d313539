//! Marks, reasons and texts that outlive this run.
//!
//! In: marks, reasons and new texts that are being typed, and the review list. Out: a value to be written down
//! whenever one of them changes; marks that were written down, put back on hunks that are still
//! there and read as they did.

use serde::{Deserialize, Serialize};
use signoff_core::id::HunkId;
use signoff_core::stage::review::critique::Critique;
use signoff_core::stage::review::{HunkReading, Verdict};

use super::comments::Comments;
use super::list::ReviewList;
use super::marks::{Dropped, own_text};
use super::merging::Versions;
use super::pending_verdicts::PendingVerdicts;
use super::questions::Questions;
use super::text_drafts::TextDrafts;
use crate::response::{Manuscript, Scope};

/// What is written down of a review.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct KeptMarks {
    marks: Vec<KeptMark>,
    drafts: Vec<Draft>,
    #[serde(default, skip_serializing_if = "Questions::is_empty")]
    questions: Questions,
    #[serde(default, skip_serializing_if = "Comments::is_empty")]
    comments: Comments,
    #[serde(default, skip_serializing_if = "Critique::is_empty")]
    critique: Critique,
    /// New texts of hunks that were begun in place.
    #[serde(default, skip_serializing_if = "TextDrafts::is_empty")]
    texts: TextDrafts,
}

impl KeptMarks {
    /// Returns true if nothing is marked, no reason or text begun and no question asked.
    pub fn is_empty(&self) -> bool {
        self.marks.is_empty()
            && self.drafts.is_empty()
            && self.questions.is_empty()
            && self.comments.is_empty()
            && self.critique.is_empty()
            && self.texts.is_empty()
    }

    pub(super) fn comments_mut(&mut self) -> &mut Comments {
        &mut self.comments
    }

    /// Returns what the review agent says of hunks.
    pub fn critique(&self) -> &Critique {
        &self.critique
    }

    /// Returns the same, to be changed.
    pub fn critique_mut(&mut self) -> &mut Critique {
        &mut self.critique
    }
}

/// What a process changed of what is written down.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KeptChange {
    before: KeptMarks,
    now: KeptMarks,
}

impl KeptChange {
    /// Returns all that this process has by now.
    pub fn now(&self) -> &KeptMarks {
        &self.now
    }

    /// Returns the file with what this process changed; what another wrote there since stays. A text that another marked
    /// a hunk with which is marked differently here is offered again where that hunk is edited.
    pub fn merged_into(&self, file: &KeptMarks) -> KeptMarks {
        let all = Versions {
            before: &self.before,
            now: &self.now,
            file,
        };
        let marks = all.part(|own| &own.marks[..]);
        let mut merged = KeptMarks {
            marks: marks.merged(|own| own.hunk, KeptMark::clone),
            drafts: (all.part(|own| &own.drafts[..])).merged(|own| own.scope, Draft::clone),
            questions: Questions::merged(all.part(|own| &own.questions)),
            comments: Comments::merged(all.part(|own| &own.comments)),
            critique: if self.before.critique == self.now.critique {
                file.critique.clone()
            } else {
                self.now.critique.clone()
            },
            texts: TextDrafts::merged(all.part(|own| &own.texts)),
        };
        let displaced = file
            .marks
            .iter()
            .filter(|theirs| !merged.marks.contains(theirs) && !self.before.marks.contains(theirs));
        for KeptMark {
            hunk,
            path,
            reads,
            verdict,
        } in displaced.cloned()
        {
            if let Some(text) = own_text(verdict) {
                merged.texts.offer(Manuscript {
                    hunk,
                    path,
                    text,
                    reads,
                });
            }
        }
        merged
    }
}

/// A mark, and how its hunk reads.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
struct KeptMark {
    hunk: HunkId,
    /// The hunk's file.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    path: String,
    reads: HunkReading,
    verdict: Verdict,
}

/// A reason for denying that was not sent yet.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
struct Draft {
    scope: Scope,
    text: String,
}

/// What was kept, and what of it still looks for its hunk.
#[derive(Debug, Default)]
pub(super) struct Kept {
    restored: Vec<KeptMark>,
    drafts: Vec<Draft>,
    changed: bool,
    /// The marks' revision that was written down last.
    revision: u64,
    last: KeptMarks,
}

impl Kept {
    /// Keeps a reason that is being typed; an empty one is forgotten.
    pub(super) fn draft(&mut self, scope: Scope, text: &str) {
        if self.drafted(scope) == text {
            return;
        }
        self.changed = true;
        self.drafts.retain(|draft| draft.scope != scope);
        if !text.is_empty() {
            let text = text.to_owned();
            self.drafts.push(Draft { scope, text });
        }
    }

    /// Takes over that what is written down beside the marks is different now.
    pub(super) fn change(&mut self) {
        self.changed = true;
    }

    /// Returns the comments that were written down last.
    pub(super) fn written_comments(&self) -> &Comments {
        &self.last.comments
    }

    /// Returns the reason that was begun, if any was.
    pub(super) fn drafted(&self, scope: Scope) -> &str {
        let mut drafts = self.drafts.iter();
        let found = drafts.find(|draft| draft.scope == scope);
        found.map_or("", |draft| &draft.text)
    }
}

impl PendingVerdicts {
    /// Takes over what an earlier run wrote down.
    pub(super) fn restore(&mut self, kept: KeptMarks, list: &ReviewList) -> Vec<Dropped> {
        self.kept.last = kept.clone();
        self.kept.restored = kept.marks;
        self.kept.drafts = kept.drafts;
        self.questions = Questions::restore(kept.questions);
        self.comments = kept.comments;
        self.critique.comments = kept.critique;
        self.texts = kept.texts;
        self.rebase_comments(list);
        self.questions.hunks().for_each(|hunk| self.marks.ask(hunk));
        self.restore_marks(list)
    }

    /// Puts marks back on the hunks that they were for. A denial stands as long as there is
    /// something to deny; an approval is for the lines that were displayed. Returns the user's texts that are for
    /// other lines.
    pub(super) fn restore_marks(&mut self, list: &ReviewList) -> Vec<Dropped> {
        let Self { marks, kept, .. } = self;
        let mut dropped = Vec::new();
        for mark in std::mem::take(&mut kept.restored) {
            let Some((file, hunk)) = list.entry(mark.hunk) else {
                kept.restored.push(mark);
                continue;
            };
            let KeptMark { reads, verdict, .. } = mark;
            let holds = matches!(verdict, Verdict::Deny { .. }) || HunkReading::of(hunk) == reads;
            if !holds || !marks.takes_alone(hunk, &verdict) {
                dropped.extend(own_text(verdict).map(|text| Dropped {
                    hunk: hunk.id,
                    path: file.path.clone(),
                    text: Some(text),
                    is_gone: !hunk.status.is_open(),
                }));
            } else if marks.get(hunk.id).is_none() {
                marks.set_alone(hunk, verdict);
            }
        }
        dropped
    }

    /// Finds the anchors of comments in another list; before the first one there is nothing to find them in.
    pub(super) fn rebase_comments(&mut self, list: &ReviewList) {
        if !self.comments.is_empty() && !list.is_empty() {
            self.comments.rebase(|hunk| list.hunk(hunk));
        }
    }

    /// Forgets what was written down of hunks that are not in the list, which is the whole. Returns the user's texts
    /// for them.
    pub(super) fn forget_restored(&mut self, list: &ReviewList) -> Vec<Dropped> {
        let kept = &mut self.kept;
        let before = (kept.restored.len(), kept.drafts.len());
        let gone = kept.restored.drain(..);
        let gone = gone.filter_map(|mark| Dropped::gone(mark.hunk, &mark.path, mark.verdict));
        let mut dropped: Vec<Dropped> = gone.collect();
        kept.drafts.retain(|draft| match draft.scope {
            Scope::All => !list.is_empty(),
            Scope::Hunk(id) | Scope::Lines(id) => list.hunk(id).is_some(),
        });
        kept.changed |= before != (0, kept.drafts.len());
        let unwanted = self.texts.take_unwanted(|hunk| list.hunk(hunk).is_some());
        kept.changed |= !unwanted.is_empty();
        kept.changed |= self
            .comments
            .forget_drafts(|hunk| list.hunk(hunk).is_some());
        dropped.extend(unwanted.into_iter().map(|own| Dropped {
            hunk: own.hunk,
            path: own.path,
            text: Some(own.text),
            is_gone: true,
        }));
        let critique = &mut self.critique.comments;
        kept.changed |= !critique.is_empty() && critique.retain(|hunk| list.hunk(hunk).is_some());
        if !self.questions.is_empty() {
            self.questions.retain(|hunk| list.hunk(hunk).is_some());
            self.kept.changed = true;
        }
        dropped
    }

    /// Returns what is to be written down, if it changed since the last call.
    pub(super) fn take_kept(&mut self, list: &ReviewList) -> Option<KeptChange> {
        let revision = self.marks.revision();
        if !self.kept.changed && self.kept.revision == revision {
            return None;
        }
        (self.kept.changed, self.kept.revision) = (false, revision);
        let marked = list.entries().filter_map(|(file, hunk)| {
            Some(KeptMark {
                hunk: hunk.id,
                path: file.path.clone(),
                verdict: self.marks.get(hunk.id)?.clone(),
                reads: HunkReading::of(hunk),
            })
        });
        let kept = KeptMarks {
            marks: marked.chain(self.kept.restored.iter().cloned()).collect(),
            drafts: self.kept.drafts.clone(),
            questions: self.questions.clone(),
            comments: self.comments.clone(),
            critique: self.critique.comments.clone(),
            texts: self.texts.typed(),
        };
        if kept == self.kept.last {
            return None;
        }
        let before = std::mem::replace(&mut self.kept.last, kept.clone());
        Some(KeptChange { before, now: kept })
    }
}
