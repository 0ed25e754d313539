//! Attachments: what the model was given with requests of a conversation.
//!
//! In: surroundings before a prompt, and what the user wants to be without. Out: notices for the model, lines for
//! the user.

use signoff_core::plural::counted;

use super::super::Event;
use super::super::outbox::Outbox;
use super::Ledger;
use crate::notice::Notice;
use crate::surroundings::{AttachedFile, Grounds, LikelyFile, MAX_UNNAMED, Surroundings};

impl Ledger {
    /// Gives the model what there is to know before a prompt.
    pub(in crate::session) fn attach(&mut self, given: Surroundings, out: &mut Outbox) {
        let given = self.unknown(given);
        if given.is_empty() {
            return;
        }
        let file = |file: &AttachedFile| (file.path.clone(), file.text.len());
        let outlined = given.outlines.iter().map(|file| &file.path);
        let likely = given.likely.iter().map(|file| &file.path);
        let (files, likely): (Vec<_>, Vec<_>) = (
            given.files.iter().map(file).collect(),
            outlined.chain(likely).cloned().collect(),
        );
        if !files.is_empty() || !likely.is_empty() {
            out.emit(Event::Attached { files, likely });
        }
        self.transcript.note(Notice::Surroundings {
            given: Box::new(given),
        });
    }

    /// Returns what there is to tell that the conversation has not: a detached file comes back only where it is named,
    /// and an unnamed one not a second time, nor beyond what all of them may take.
    fn unknown(&self, given: Surroundings) -> Surroundings {
        let named: Vec<String> = {
            let files = given.files.iter();
            let named = files.filter(|file| file.grounds == Grounds::Named);
            let outlined = given.outlines.iter().map(|file| &file.path);
            named
                .map(|file| &file.path)
                .chain(outlined)
                .cloned()
                .collect()
        };
        let mut given = given.keeping(|path| {
            named.iter().any(|named| named == path) || !self.transcript.is_detached(path)
        });
        let mut bytes = self.transcript.unnamed_bytes();
        for file in std::mem::take(&mut given.files) {
            let is_known = file.grounds != Grounds::Named && self.transcript.has_given(&file);
            if is_known {
                continue;
            }
            if file.grounds == Grounds::Ranked {
                if bytes + file.text.len() > MAX_UNNAMED {
                    let AttachedFile { path, reason, .. } = file;
                    given.likely.push(LikelyFile { path, reason });
                    continue;
                }
                bytes += file.text.len();
            }
            given.files.push(file);
        }
        given
    }

    /// Tells the user what requests hold of files, why, and what it costs.
    pub(in crate::session) fn list_attached(&self, out: &mut Outbox) {
        let attached = self.transcript.attached();
        for file in &attached {
            let bytes = counted(file.bytes, "byte");
            out.inform(&format!("{}: {}; {bytes}", file.path, file.reason));
        }
        if attached.is_empty() {
            out.inform("no file is attached to this conversation");
        }
    }

    /// Leaves a file out of requests from now on.
    pub(in crate::session) fn detach(&mut self, path: &str, out: &mut Outbox) {
        let attached = self.transcript.attached();
        let own = attached.iter().filter(|file| file.path == path);
        let bytes: Vec<usize> = own.map(|file| file.bytes).collect();
        if bytes.is_empty() {
            return out.misused(&format!("{path} is not attached; /attached lists what is"));
        }
        let bytes = counted(bytes.iter().sum(), "byte");
        out.inform(&format!(
            "{path} is not given to the model any more; {bytes} less in each request"
        ));
        self.tell(Notice::Detached {
            path: path.to_owned(),
        });
    }
}
