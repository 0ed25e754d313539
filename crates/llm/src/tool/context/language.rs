//! What a language server answers, and what becomes of its edits: proposals, as of any edit.

use std::collections::BTreeMap;

use signoff_checks::language_server::{Client, EditedFile, FileOperation, ServerFault, Wait};
use signoff_core::edit::intent::Operation;
use signoff_core::edit::request::{Change, Request, WholeRequest};
use signoff_core::quote;

use super::{ToolContext, change, refused};
use crate::language_servers::{self, AskFault};
use crate::permission::Consent;
use crate::subjects::Subjects;
use crate::tool::{Reach, ToolOutput};

impl ToolContext<'_> {
    /// Asks the language server for a file, which is sent to it.
    pub(in crate::tool) fn ask_language_server<T>(
        &self,
        path: &str,
        question: &mut dyn FnMut(&mut Client, Wait<'_>) -> Result<T, ServerFault>,
    ) -> Result<T, String> {
        let servers = self
            .ground
            .language_servers()
            .ok_or_else(|| AskFault::None(quote::name(path).into_owned()).to_string())?;
        let text = self.read_anew(path)?;
        let text = text.ok_or_else(|| format!("{} is not there", quote::name(path)))?;
        let wait = Wait {
            deadline: language_servers::deadline(),
            stop: self.call.stop.flag(),
        };
        let engine = self.ground.engine();
        let answer = servers.ask(engine, path, wait, &mut |client| {
            client.send_text(path, &text)?;
            question(client, wait)
        });
        answer.map_err(|fault| fault.to_string())
    }

    /// Stages what a server's edit makes of files, all together. `tool` is the one whose rules hold for each of them.
    pub(in crate::tool) fn propose_operations(
        &self,
        tool: &str,
        description: &str,
        operations: BTreeMap<String, FileOperation>,
    ) -> ToolOutput {
        if operations.is_empty() {
            return ToolOutput::done("nothing to change\n", "nothing to change");
        }
        let mut changes = Vec::new();
        for (path, operation) in operations {
            let mut paths = vec![path.clone()];
            if let FileOperation::Move { to, .. } = &operation {
                paths.push(to.clone());
            }
            // The call named one file; the edit decides which others it changes.
            let (_, policy) = self.ground.shadow();
            let consent = policy.judge(tool, Reach::Stage, &Subjects::Paths(paths));
            if consent != Consent::Granted {
                let path = quote::name(&path);
                return refused(&format!(
                    "a rule keeps {path} from being changed without a question"
                ));
            }
            match self.changes(path, operation, description) {
                Ok(own) => changes.extend(own),
                Err(why) => return refused(&why),
            }
        }
        self.propose(changes)
    }

    /// Returns the changes that one operation comes to, if the file is still as the server saw it.
    fn changes(
        &self,
        path: String,
        operation: FileOperation,
        description: &str,
    ) -> Result<Vec<Change>, String> {
        let said = || Some(description.to_owned());
        let written = |path: String, edited: EditedFile| {
            if self.read_anew(&path)? != edited.before {
                return Err(format!("{} changed meanwhile", quote::name(&path)));
            }
            let operation = match edited.before {
                Some(_) => Operation::Rewrite,
                None => Operation::Create,
            };
            Ok(Change {
                operation: Some(operation),
                ..change(path, said(), WholeRequest::new(edited.text))
            })
        };
        Ok(match operation {
            FileOperation::Write(edited) => vec![written(path, edited)?],
            FileOperation::Delete => vec![Change {
                operation: Some(Operation::Delete),
                ..change(path, said(), Request::Delete)
            }],
            FileOperation::Move { to, edited } => {
                let edited = edited
                    .map(|edited| written(path.clone(), edited))
                    .transpose()?;
                let moved = Change {
                    operation: Some(Operation::Move),
                    ..change(path, said(), Request::Move { to })
                };
                edited.into_iter().chain([moved]).collect()
            }
        })
    }
}
