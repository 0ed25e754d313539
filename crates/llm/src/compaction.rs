//! Compaction: a shorter form of a conversation.
//!
//! In: entries, what waits for the user, and how many bytes there may be. Out: fewer bytes that
//! still hold what the user asked and decided, every reason for a denial, and the plan. No
//! model is asked: that would cost another reading of everything, and might leave out a denial.
//!
//! A shorter telling of a conversation that its model cannot read whole: old results are cut, then the oldest
//! entries give way to a digest. No model is asked; see `docs/decisions/0010`.
//!
//! **Invariant:** what the user denied and why, what waits, the plan and the newest prompt are in every telling,
//! within the digest's bounds. A call and its answer stay or go together.

use serde_json::Value;
use signoff_core::clip;
use signoff_core::stage::review::HunkStatus;
use signoff_sandbox::waiting_commits::ChangeState;

use crate::image::{ImageContent, PromptImage};
use crate::message::{ProviderState, ToolCall};
use crate::notice::Digest;
use crate::notice::{LONGEST, Notice, name, one_line};
use crate::transcript::Entry;

/// Results that are no longer than this are kept whole.
const SHORT_RESULT: usize = 240;
/// Arguments that are no longer than this are kept whole.
const SHORT_ARGUMENTS: usize = 400;
/// What an image takes, in bytes of text that are as many tokens: Claude counts up to some 1,600 tokens for an image of
/// usual resolution, and a token is about three bytes of text.
const IMAGE_WEIGHT: usize = 1_600 * 3;
/// What an entry takes beside its text.
const FRAME: usize = 40;

/// Returns a telling of at most `most` bytes where that can be done, or none if it would not be
/// shorter. `waiting` names what waits for the user now.
pub fn compact(entries: &[Entry], waiting: &[String], most: usize) -> Option<Vec<Entry>> {
    let before = size(entries);
    let lighter = without_old_images(entries);
    let has_dropped = size(&lighter) < before;
    let told = if has_dropped && size(&lighter) <= most {
        lighter
    } else {
        let trimmed = trim(&lighter);
        if size(&trimmed) <= most {
            trimmed
        } else {
            digested(&shorten_newest(trimmed, most), waiting, most)
        }
    };
    (size(&told) < before).then_some(told)
}

/// Returns about how many bytes entries take in a request.
pub fn size(entries: &[Entry]) -> usize {
    entries.iter().map(weight).sum()
}

fn weight(entry: &Entry) -> usize {
    let images = entry.images().iter().map(image_weight);
    FRAME
        + images.sum::<usize>()
        + match entry {
            Entry::Prompt { text, .. } => text.len(),
            Entry::Said { text, calls, kept } => {
                let kept = kept.iter().map(ProviderState::bytes);
                text.len()
                    + calls
                        .iter()
                        .map(|call| FRAME + call.name.len() + call.arguments.len())
                        .chain(kept)
                        .sum::<usize>()
            }
            Entry::Answered { content, .. } => content.len(),
            Entry::Noticed { notice } => notice.to_string().len(),
        }
}

fn image_weight(image: &PromptImage) -> usize {
    match image.content {
        ImageContent::Held(_) => IMAGE_WEIGHT,
        ImageContent::Missing | ImageContent::LeftOut => image.note().len(),
    }
}

/// Leaves out the images of all that was said before the newest prompt; a line of text says in each one's place that it was there.
fn without_old_images(entries: &[Entry]) -> Vec<Entry> {
    let newest = entries
        .iter()
        .rposition(|entry| matches!(entry, Entry::Prompt { .. }))
        .unwrap_or(0);
    let mut lighter = entries.to_vec();
    for entry in lighter.iter_mut().take(newest) {
        leave_out_images(entry);
    }
    lighter
}

fn leave_out_images(entry: &mut Entry) {
    for image in entry.images_mut() {
        image.content = ImageContent::LeftOut;
    }
}

/// Shortens results and arguments of all but the newest answer.
fn trim(entries: &[Entry]) -> Vec<Entry> {
    let newest = entries
        .iter()
        .rposition(|entry| matches!(entry, Entry::Said { .. }))
        .unwrap_or(0);
    let mut trimmed = entries.to_vec();
    for entry in trimmed.iter_mut().take(newest) {
        if let Entry::Answered { .. } = entry {
            leave_out_images(entry);
        }
        match entry {
            Entry::Answered { content, .. } if content.len() > SHORT_RESULT => {
                let end = content.floor_char_boundary(SHORT_RESULT / 2);
                let left = content.len() - end;
                content.truncate(end);
                *content += &format!("\n(left out: {left} bytes; call again if you need them)");
            }
            Entry::Said { calls, .. } => {
                for call in calls {
                    if call.arguments.len() > SHORT_ARGUMENTS {
                        call.arguments = short_arguments(&call.arguments);
                    }
                }
            }
            _ => {}
        }
    }
    trimmed
}

fn short_arguments(arguments: &str) -> String {
    let mut short = serde_json::Map::new();
    if let Ok(Value::Object(fields)) = serde_json::from_str(arguments) {
        for key in ["path", "file", "operation", "description"] {
            if let Some(Value::String(text)) = fields.get(key) {
                short.insert(key.to_owned(), one_line(text, 120).into());
            }
        }
    }
    short.insert("left_out".to_owned(), arguments.len().into());
    Value::Object(short).to_string()
}

/// Cuts results of the newest answer, in their middles, to half of the room together, and its arguments to half of the rest:
/// without its call in the telling, the model would make it again, and again.
fn shorten_newest(mut entries: Vec<Entry>, most: usize) -> Vec<Entry> {
    let room = most.saturating_sub(LONGEST);
    let newest = entries
        .iter()
        .rposition(|entry| matches!(entry, Entry::Said { .. }));
    let Some((said, results)) =
        newest.and_then(|newest| entries.get_mut(newest..)?.split_first_mut())
    else {
        return entries;
    };
    if let Entry::Said { calls, .. } = said {
        let each = room / 4 / calls.len().max(1);
        for call in calls.iter_mut().filter(|call| call.arguments.len() > each) {
            call.arguments = short_arguments(&call.arguments);
        }
    }
    let each = room / 2 / results.len().max(1);
    for result in results {
        if let Entry::Answered { content, .. } = result
            && content.len() > each
        {
            let head = clip::head(content, each / 2);
            let tail = clip::tail(content, each / 2);
            let left = content.len() - head.len() - tail.len();
            *content = format!(
                "{head}\n(left out: {left} bytes, which this conversation has no room for; ask for a part of them)\n{tail}"
            );
        }
    }
    entries
}

/// Replaces the oldest entries by a digest, such that the rest fits.
fn digested(entries: &[Entry], waiting: &[String], most: usize) -> Vec<Entry> {
    let last_prompt = entries.iter().rposition(is_prompt);
    let room = most.saturating_sub(LONGEST);
    let mut from = entries.len();
    let mut used = 0;
    let mut best = entries.len();
    // A telling may begin at a prompt, or within the last turn at an answer of the model.
    while from > 0 {
        from -= 1;
        let Some(entry) = entries.get(from) else {
            break;
        };
        used += weight(entry);
        if used > room {
            break;
        }
        let within = last_prompt.is_none_or(|prompt| from > prompt);
        if is_prompt(entry) || (within && matches!(entry, Entry::Said { .. })) {
            best = from;
        }
    }
    let (left_out, tail) = entries.split_at(best);
    let mut digest = Digest::of(left_out);
    digest.waiting = waiting.to_vec();
    let prompt = last_prompt.filter(|prompt| *prompt < best);
    let notice = Notice::Compacted {
        digest: Box::new(digest.bounded()),
    };
    let mut told = vec![Entry::Noticed { notice }];
    // What the user took out stays out.
    let detached = left_out.iter().filter(|entry| {
        matches!(
            entry,
            Entry::Noticed {
                notice: Notice::Detached { .. }
            }
        )
    });
    told.extend(detached.cloned());
    told.extend(prompt.and_then(|prompt| entries.get(prompt)).cloned());
    told.extend_from_slice(tail);
    told
}

fn is_prompt(entry: &Entry) -> bool {
    matches!(entry, Entry::Prompt { .. })
}

impl Digest {
    fn of(entries: &[Entry]) -> Self {
        let mut digest = Self::default();
        for entry in entries {
            match entry {
                Entry::Prompt { text, images, .. } => digest.asked.push(asked(text, images)),
                Entry::Said { text, calls, .. } => digest.take_answer(text, calls),
                Entry::Noticed { notice } => {
                    digest.told.take(notice);
                    digest.take_notice(notice);
                }
                Entry::Answered { .. } => {}
            }
        }
        digest
    }

    fn take_answer(&mut self, text: &str, calls: &[ToolCall]) {
        if !text.trim().is_empty() {
            self.said = Some(one_line(text, 400));
        }
        for call in calls {
            if call.name == "update_plan" {
                self.plan = Some(one_line(&call.arguments, 800));
            }
            self.files
                .extend(paths(&call.arguments).iter().map(|path| name(path)));
        }
    }

    fn take_notice(&mut self, notice: &Notice) {
        match notice {
            Notice::Verdicts { hunks, .. } => {
                for judged in hunks {
                    match &judged.status {
                        HunkStatus::Committed | HunkStatus::Edited { .. } => {
                            let path = name(&judged.path);
                            if let Some(why) = judged.status.denial() {
                                let why = one_line(why, 240);
                                self.denied.push(format!("lines of {path}: {why}"));
                            }
                            self.kept.push(path);
                        }
                        HunkStatus::Denied { reason } => {
                            let why = reason.as_deref().unwrap_or("no reason given");
                            let path = name(&judged.path);
                            self.denied.push(format!("{path}: {}", one_line(why, 240)));
                        }
                        HunkStatus::Pending
                        | HunkStatus::Replaced { .. }
                        | HunkStatus::Rewritten { .. }
                        | HunkStatus::InFile
                        | HunkStatus::Conflict { .. } => {}
                    }
                }
            }
            Notice::Reverted {
                path,
                summary,
                taken_back,
                restored,
            } if !taken_back.is_empty() || restored.is_empty() => {
                let (path, summary) = (name(path), one_line(summary, 240));
                self.denied.push(format!("{path}: reverted, {summary}"));
            }
            Notice::Compacted { digest } => {
                let mut older = digest.as_ref().clone();
                older.told.clone_from(&self.told);
                let newer = std::mem::replace(self, older);
                self.asked.extend(newer.asked);
                self.denied.extend(newer.denied);
                self.kept.extend(newer.kept);
                self.files.extend(newer.files);
                self.plan = newer.plan.or(self.plan.take());
                self.said = newer.said.or(self.said.take());
            }
            Notice::Asked { path, question, .. } => {
                let question = one_line(question, 200);
                self.asked.push(format!("about {}: {question}", name(path)));
            }
            Notice::Commits { changes } => {
                let denied = changes.iter();
                let denied = denied.filter(|own| own.state == ChangeState::Denied);
                let denied = denied.map(|own| one_line(&own.told, 240));
                self.denied.extend(denied);
            }
            Notice::Staged { .. }
            | Notice::Reverted { .. }
            | Notice::Rewound { .. }
            | Notice::Waiting { .. }
            | Notice::Placed { .. }
            | Notice::FileMoved { .. }
            | Notice::Surroundings { .. }
            | Notice::Detached { .. }
            | Notice::Checks { .. }
            | Notice::Interrupted { .. }
            | Notice::Limit { .. }
            | Notice::Misfits { .. }
            | Notice::NotWhole { .. }
            | Notice::Mode { .. }
            | Notice::Unread { .. }
            | Notice::SyntaxRefused { .. }
            | Notice::UserEdits { .. } => {}
        }
    }
}

/// Returns a prompt on one line, with the images that it had.
fn asked(text: &str, images: &[PromptImage]) -> String {
    let mut line = one_line(text, 200);
    for image in images {
        line += &format!(" (image {} was here)", name(&image.name));
    }
    line
}

/// Returns the files that the arguments of a recorded call name, or of one that is not run. A call that runs is
/// prepared, and knows its files.
pub(crate) fn paths(arguments: &str) -> Vec<String> {
    let Ok(Value::Object(fields)) = serde_json::from_str::<Value>(arguments) else {
        return Vec::new();
    };
    let changes = fields.get("changes").and_then(Value::as_array);
    let nested = changes
        .into_iter()
        .flatten()
        .filter_map(|change| change.get("file")?.as_str());
    ["path", "file"]
        .into_iter()
        .filter_map(|key| fields.get(key)?.as_str())
        .chain(nested)
        .map(str::to_owned)
        .collect()
}

#[cfg(test)]
mod tests;
