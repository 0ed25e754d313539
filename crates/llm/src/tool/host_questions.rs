//! Questions about hosts that a command asks for while it runs, and that no rule is about.
//!
//! In: a host, and the call whose command asks for it. Out: the user's word. The question goes the way of an agent's: beside
//! the turn, one after the other. Meanwhile the command waits, and its time stands still.

use std::collections::HashMap;
use std::fmt;
use std::path::PathBuf;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::{RecvTimeoutError, Sender, channel};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Instant;

use signoff_core::budget::Stop;
use signoff_sandbox::network::{HostAnswer, HostAsker, Judgement, NetworkRules, Target, Upstream};
use signoff_sandbox::polling::GLANCE;

use crate::message::CallId;

/// Writes down which hosts may be reached, for later sessions.
pub trait HostRuleWriter: fmt::Debug + Send + Sync {
    /// Writes that a host may be reached, and returns where that is written now.
    ///
    /// # Errors
    ///
    /// Fails if it cannot be written; the reason is for people.
    fn allow(&self, target: &Target) -> Result<PathBuf, String>;
}

/// The hosts that the model's commands reach.
#[derive(Debug, Default)]
pub struct CommandHosts {
    rules: NetworkRules,
    writer: Option<Box<dyn HostRuleWriter>>,
    /// The proxy of the user's own network, or why it cannot be gone through.
    upstream: Option<Result<Upstream, String>>,
    /// What the user allowed until signoff ends.
    session: Mutex<NetworkRules>,
}

impl CommandHosts {
    /// Returns those that these rules allow, reached through this proxy.
    pub fn new(rules: NetworkRules, upstream: Result<Upstream, String>) -> Self {
        Self {
            rules,
            writer: None,
            upstream: Some(upstream),
            session: Mutex::default(),
        }
    }

    /// Returns the same, where what the user allows for good is written down.
    #[must_use]
    pub fn written_by(self, writer: impl HostRuleWriter + 'static) -> Self {
        let writer: Option<Box<dyn HostRuleWriter>> = Some(Box::new(writer));
        Self { writer, ..self }
    }

    /// Writes down that a host may be reached, and says in words where, or why it cannot be.
    pub(crate) fn write_down(&self, target: &Target) -> String {
        let written = match &self.writer {
            Some(writer) => writer.allow(target),
            None => Err("there is no configuration to write to".to_owned()),
        };
        written_rule(target, written, "you quit")
    }

    /// Allows a host from now on.
    pub(crate) fn allow(&self, target: &Target) {
        self.session().allow_target(target);
    }

    /// Returns all rules, those of the user's answers among them.
    pub(super) fn rules(&self) -> NetworkRules {
        let mut rules = self.rules.clone();
        rules.extend(self.session().clone());
        rules
    }

    /// Returns the proxy of the user's own network.
    pub(super) fn upstream(&self) -> std::io::Result<Upstream> {
        let upstream = self.upstream.clone();
        upstream.map_or_else(
            || Ok(Upstream::default()),
            |upstream| upstream.map_err(std::io::Error::other),
        )
    }

    fn session(&self) -> MutexGuard<'_, NetworkRules> {
        self.session.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Says where it is written that a host may be reached, or why it is not, so that it is allowed until something ends.
pub fn written_rule(target: &Target, written: Result<PathBuf, String>, until: &str) -> String {
    match written {
        Ok(path) => format!(
            "{target} is allowed from now on, by [network] in {}",
            path.display()
        ),
        Err(why) => format!(
            "{target} is allowed until {until}, and was not written to your configuration: {why}"
        ),
    }
}

/// A host that a command asks for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct HostQuestion {
    /// The call of the command.
    pub(crate) call: CallId,
    /// The host and its port.
    pub(crate) target: String,
    /// Who asks, and by which command.
    pub(crate) asking: String,
}

/// Who tells the user of a question.
type Tell = dyn Fn(HostQuestion) + Send + Sync;

/// The questions that wait for the user.
pub(crate) struct HostQuestions {
    tell: Box<Tell>,
    open: Mutex<HashMap<(CallId, String), Sender<HostAnswer>>>,
}

impl fmt::Debug for HostQuestions {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("HostQuestions").finish_non_exhaustive()
    }
}

impl HostQuestions {
    /// Returns none yet; `tell` tells the user of each.
    pub(crate) fn new(tell: impl Fn(HostQuestion) + Send + Sync + 'static) -> Self {
        Self {
            tell: Box::new(tell),
            open: Mutex::default(),
        }
    }

    /// Passes the user's word on. Returns whether a command waits for it.
    pub(crate) fn answer(&self, call: &CallId, target: &str, answer: HostAnswer) -> bool {
        let question = (call.clone(), target.to_owned());
        let asked = self.open().remove(&question);
        // A command that has ended needs to be told nothing.
        asked.is_some_and(|asked| asked.send(answer).is_ok())
    }

    /// Ends what waits for an answer about a call's hosts.
    pub(super) fn forget(&self, call: &CallId) {
        self.open().retain(|(asking, _), _| asking != call);
    }

    fn open(&self) -> MutexGuard<'_, HashMap<(CallId, String), Sender<HostAnswer>>> {
        self.open.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Asks about the hosts of one command.
#[derive(Debug)]
pub(super) struct CommandAsker {
    pub(super) questions: Arc<HostQuestions>,
    pub(super) hosts: Arc<CommandHosts>,
    pub(super) call: CallId,
    /// Who asks, and by which command: ``the model, by `curl` ``.
    pub(super) asking: String,
    pub(super) stop: Stop,
    /// Milliseconds that the command waited for answers.
    pub(super) waited: Arc<AtomicU64>,
}

impl HostAsker for CommandAsker {
    fn ask(&self, target: &Target) -> HostAnswer {
        // Another command may have been answered for, meanwhile.
        if matches!(
            self.hosts.session().judge(target),
            Judgement::Allowed { .. }
        ) {
            return HostAnswer::Allowed;
        }
        let (sender, answer) = channel();
        let question = HostQuestion {
            call: self.call.clone(),
            target: target.to_string(),
            asking: self.asking.clone(),
        };
        let key = (self.call.clone(), question.target.clone());
        self.questions.open().insert(key, sender);
        (self.questions.tell)(question);
        loop {
            let began = Instant::now();
            let answer = answer.recv_timeout(GLANCE);
            let took = u64::try_from(began.elapsed().as_millis()).unwrap_or(u64::MAX);
            self.waited.fetch_add(took, Ordering::Relaxed);
            match answer {
                Ok(answer) => return answer,
                Err(RecvTimeoutError::Timeout) if self.stop.why().is_none() => {}
                // The command has ended, or is about to.
                Err(RecvTimeoutError::Timeout | RecvTimeoutError::Disconnected) => {
                    return HostAnswer::NotAsked;
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn asker(questions: &Arc<HostQuestions>, hosts: &Arc<CommandHosts>) -> CommandAsker {
        CommandAsker {
            questions: Arc::clone(questions),
            hosts: Arc::clone(hosts),
            call: CallId("1".to_owned()),
            asking: "curl".to_owned(),
            stop: Stop::default(),
            waited: Arc::default(),
        }
    }

    #[test]
    fn a_host_is_asked_about_until_the_user_allows_it_for_the_session() {
        let (told, questions) = channel();
        let questions_of_user = Arc::new(HostQuestions::new(move |question| {
            told.send(question).expect("a listener");
        }));
        let hosts = Arc::new(CommandHosts::default());
        let target = Target::new("a.example", 443).expect("a host");
        let asker = asker(&questions_of_user, &hosts);
        for answer in [
            HostAnswer::Refused {
                reason: Some("no".to_owned()),
            },
            HostAnswer::Allowed,
        ] {
            let asked = std::thread::scope(|scope| {
                let asked = scope.spawn(|| asker.ask(&target));
                let HostQuestion {
                    call,
                    target,
                    asking,
                } = questions.recv().expect("a question");
                assert_eq!(
                    (target.as_str(), asking.as_str()),
                    ("a.example:443", "curl")
                );
                assert!(!questions_of_user.answer(&call, "b.example:443", HostAnswer::Allowed));
                assert!(questions_of_user.answer(&call, &target, answer.clone()));
                asked.join().expect("an answer")
            });
            assert_eq!(asked, answer);
        }
        hosts.allow(&target);
        assert_eq!(asker.ask(&target), HostAnswer::Allowed);
        assert!(questions.try_recv().is_err());
        assert!(matches!(
            hosts.rules().judge(&target),
            Judgement::Allowed { .. }
        ));
    }

    #[test]
    fn a_question_ends_with_its_command() {
        let questions = Arc::new(HostQuestions::new(|_| ()));
        let asker = asker(&questions, &Arc::default());
        let target = Target::new("a.example", 443).expect("a host");
        asker.stop.stop(signoff_core::budget::Stopped::Cancelled);
        assert_eq!(asker.ask(&target), HostAnswer::NotAsked);
        let (told, began) = channel();
        let questions = Arc::new(HostQuestions::new(move |_| {
            told.send(()).expect("a listener")
        }));
        let asker = CommandAsker {
            questions: Arc::clone(&questions),
            stop: Stop::default(),
            ..asker
        };
        let asked = std::thread::scope(|scope| {
            let asked = scope.spawn(|| asker.ask(&target));
            began.recv().expect("a question");
            questions.forget(&asker.call);
            asked.join().expect("an answer")
        });
        assert_eq!(asked, HostAnswer::NotAsked);
    }
}
