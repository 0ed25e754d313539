//! A conversation as people read it, in Markdown.
//!
//! In: its records. Out: what was said, with a heading for each speaker; calls with their arguments, and what they
//! answered, as lists or in fences that nothing in them closes.

use signoff_core::id::Timestamp;
use signoff_llm::memory::Record;
use signoff_llm::transcript::Entry;
use signoff_tui::transcript::export::{ConversationDocument, fenced};

use super::outline::readable;

/// Returns a conversation; nothing if nothing was said in it.
pub(super) fn document(records: &[(Timestamp, Record)]) -> Option<String> {
    let mut document = ConversationDocument::default();
    for (_, record) in records {
        match record {
            Record::Entry(entry) => add(&mut document, entry),
            // A copy begins with all that was said in the one before.
            Record::Retold(entries) if document.is_empty() => {
                entries.iter().for_each(|entry| add(&mut document, entry));
            }
            Record::Retold(_) => document.say("signoff", super::RETOLD),
            Record::Began { .. } | Record::Spent(_) | Record::Model(_) => {}
        }
    }
    (!document.is_empty()).then(|| document.text())
}

fn add(document: &mut ConversationDocument, entry: &Entry) {
    match entry {
        Entry::Prompt { text, .. } => document.say("User", text),
        Entry::Said { text, calls, .. } => {
            if !text.is_empty() {
                document.say("Model", text);
            }
            for call in calls {
                let arguments = readable(&call.arguments);
                document.say("Model", &format!("`{}`\n\n{arguments}", call.name));
            }
        }
        Entry::Answered { content, .. } => document.say("signoff", &readable(content)),
        Entry::Noticed { notice } => document.say("signoff", &fenced(&notice.to_string())),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn speakers_have_headings_and_no_text_closes_its_fence() {
        let entries = r#"{"retold":[{"entry":"prompt","text":"list\nit"},{"entry":"said","text":"Yes.","calls":[{"id":"c","name":"bash","arguments":"{}"}]},{"entry":"answered","call":"c","content":"```\na"}]}"#;
        let records = [(Timestamp(0), serde_json::from_str(entries).unwrap())];
        let expected = "# Conversation\n\n## User\n\nlist\nit\n\n## Model\n\nYes.\n\n`bash`\n\n## signoff\n\n````\n```\na\n````\n";
        assert_eq!(document(&records).as_deref(), Some(expected));
        assert_eq!(document(&[]), None);
    }
}
