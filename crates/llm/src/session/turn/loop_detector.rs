//! Loop detector: finds calls that are repeated without giving anything new.
//!
//! In: what each call of a turn gave, one after another, and whether it changed anything. Out:
//! whether a call goes round in a circle: the same call that gives the same, while no other call
//! changed a file or gave a result that was not known.

use std::collections::{HashMap, HashSet};
use std::hash::{DefaultHasher, Hash, Hasher};

use crate::message::ToolCall;
use crate::tool::{Reach, ToolOutput};

/// So often a call may fail that gives the same whenever it is made.
const MOST_FAILURES: u32 = 2;
/// So often any other call may give the same while nothing new is learned: a command can depend on
/// more than is seen here.
const MOST_RESULTS: u32 = 3;

/// What the calls of a turn gave.
#[derive(Debug, Default)]
pub(in crate::session) struct LoopDetector {
    seen: HashMap<u64, Seen>,
    /// Every result of the turn, with the call that gave it.
    known: HashSet<(u64, u64)>,
    /// How many results were new.
    news: usize,
}

/// What a call gave, and how often without news from others in between.
#[derive(Clone, Copy, Debug)]
struct Seen {
    result: u64,
    times: u32,
    /// How many results of the turn were new by then.
    news: usize,
    /// The request that was answered by the newest of them: twins in one answer are no second
    /// try.
    request: u32,
}

/// What there is to say of a call and what it gave.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::session) enum Circle {
    /// It is the first, or gave something else before.
    No,
    /// It gave the same before.
    Once,
    /// It failed alike so often that it would again.
    Failing,
    /// It gave the same so often that it would again.
    Idle,
}

impl LoopDetector {
    /// Takes in what a call gave that was made in answer to this request of the turn.
    pub(in crate::session) fn note(
        &mut self,
        call: &ToolCall,
        reach: Option<Reach>,
        output: &ToolOutput,
        request: u32,
    ) -> Circle {
        let key = hash(&(&call.name, &call.arguments));
        if output.changes_files() {
            // Whatever the others gave, they may give something else now.
            self.seen.retain(|other, _| *other == key);
        }
        let runs = reach == Some(Reach::Execute);
        let result = if runs && !output.ok {
            hash(&without_figures(&output.content))
        } else {
            hash(&output.content)
        };
        self.news += usize::from(self.known.insert((key, result)));
        let before = self.seen.get(&key).filter(|seen| seen.result == result);
        let times = match before {
            Some(seen) if seen.request == request => seen.times,
            // Others gave something new since, so that counting begins anew.
            Some(seen) if seen.news != self.news => 2,
            Some(seen) => seen.times + 1,
            None => 1,
        };
        let seen = Seen {
            result,
            times,
            news: self.news,
            request,
        };
        self.seen.insert(key, seen);
        match times {
            ..=1 => Circle::No,
            MOST_FAILURES.. if !output.ok && !runs => Circle::Failing,
            MOST_RESULTS.. => Circle::Idle,
            _ => Circle::Once,
        }
    }

    /// Forgets what calls gave: the user has changed files.
    pub(in crate::session) fn forget(&mut self) {
        self.seen.clear();
        self.known.clear();
    }
}

/// Returns a text with `0` for each number: a failing program that is run again prints other
/// times and process ids.
fn without_figures(text: &str) -> String {
    let mut plain = String::with_capacity(text.len());
    let mut within = false;
    for c in text.chars() {
        let figure = c.is_ascii_digit() || (within && c == '.');
        match (figure, within) {
            (true, true) => {}
            (true, false) => plain.push('0'),
            (false, _) => plain.push(c),
        }
        within = figure;
    }
    plain
}

fn hash(value: &impl Hash) -> u64 {
    let mut hasher = DefaultHasher::new();
    value.hash(&mut hasher);
    hasher.finish()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::message::CallId;
    use crate::session::test_kit::staged;

    /// Plays calls, one an answer, and returns what is said of each, a letter each. `r` reads,
    /// `x` is an edit that fails, `t` a command that fails, `e` an edit that is staged, `w` one
    /// that is written, `f` a command that changes a file, any other letter is a tool that reads
    /// something else; what follows is what it gives.
    fn check(calls: &str, expected: &str) {
        let mut again = LoopDetector::default();
        let mut said = String::new();
        for (request, word) in calls.split(' ').enumerate() {
            let (kind, gave) = word.split_at(1);
            let call = ToolCall {
                id: CallId(request.to_string()),
                name: kind.to_owned(),
                arguments: "{}".to_owned(),
            };
            let (reach, output) = match kind {
                "r" | "a" | "b" | "c" | "d" => (Reach::Observe, ToolOutput::done(gave, "")),
                "x" => (Reach::Stage, ToolOutput::failed(gave, "")),
                "t" => (Reach::Execute, ToolOutput::failed(gave, "")),
                "e" => (Reach::Stage, staged(1, 1)),
                "w" => {
                    let written = ToolOutput {
                        written: true,
                        ..ToolOutput::done(gave, "")
                    };
                    (Reach::Stage, written)
                }
                _ => {
                    let changed = vec![crate::tool::ChangedFile {
                        path: "a".to_owned(),
                        version: None,
                        added: 1,
                        removed: 0,
                    }];
                    let deeds = crate::tool::CallDeeds {
                        commit: None,
                        changed,
                        rewritten: Vec::new(),
                        images: Vec::new(),
                    };
                    let ran = ToolOutput {
                        deeds: Box::new(deeds),
                        ..ToolOutput::done(gave, "")
                    };
                    (Reach::Execute, ran)
                }
            };
            let request = request as u32;
            said.push(match again.note(&call, Some(reach), &output, request) {
                Circle::No => '.',
                Circle::Once => 'o',
                Circle::Failing => 'F',
                Circle::Idle => 'I',
            });
        }
        assert_eq!(said, expected, "{calls}");
    }

    #[test]
    fn the_same_call_with_the_same_result_is_a_circle() {
        check("ra ra ra", ".oI");
        check("ra rb ra rb", "....");
        check("ra rb rb", "..o");
        check("xa xa", ".F");
        check("xa xb xa", "...");
        check("ta ta ta", ".oI");
        check("ta ra xa ta xa ta", "...oFI");
    }

    #[test]
    fn repeated_reads_count_only_while_nothing_new_is_learned() {
        // Reads of other things in between.
        check("r1 a1 r1 b1 r1 c1 r1 d1 r1", "..o.o.o.o");
        check("r1 r1 a1 r1 r1", ".o.oI");
        // What is known already is no news, whoever reads it.
        check("r1 a1 r1 a1 r1", "..ooI");
        check("a1 b1 c1 a1 b1 c1 a1 b1 c1", "...oooIII");
        // Another result of the same call is news for the others, and for itself.
        check("r1 a1 r1 a2 r1", "..o.o");
        check("r1 r1 r2 r1 r1 r1", ".o..oI");
        // A result that alternates between two known ones is not.
        check("a1 r1 a1 r2 a1 r1 a1 r2 a1", "..o.o.I.I");
        // A call that fails alike fails whatever was read in between.
        check("xa r1 xa", "..F");
    }

    #[test]
    fn a_failing_command_may_print_other_figures() {
        check("t1.2s t0.95s t13s", ".oI");
        check("ta1 tb2 ta3", "...");
        // A command that does what it should counts something.
        check("r1 r2 r3", "...");
    }

    #[test]
    fn what_changes_files_begins_anew() {
        check("ta e ta w ta fz ta", ".......");
        check("xa w xa xa", "...F");
        check("ra fa ra fa ra fa", "...o.I");
        check("ta fa tb fa tb", "...o.");
    }

    #[test]
    fn twins_in_one_answer_are_one() {
        let call = ToolCall {
            id: CallId("a".to_owned()),
            name: "x".to_owned(),
            arguments: String::new(),
        };
        let output = ToolOutput::failed("no", "");
        let mut again = LoopDetector::default();
        let mut note = |request| again.note(&call, Some(Reach::Stage), &output, request);
        let said = [note(1), note(1), note(2)];
        assert_eq!(said, [Circle::No, Circle::No, Circle::Failing]);
    }
}
