//! Calls that do not end.

use std::sync::mpsc::{Sender, channel};

use super::*;

/// A call that runs until the sender is dropped, and then answers for itself.
struct Endless {
    stop: Stop,
    end: Option<Sender<()>>,
    waited: JoinHandle<Result<Input, JoinError>>,
}

impl Endless {
    fn new(time: Duration) -> Self {
        let (end, ended) = channel::<()>();
        let work = tokio::task::spawn_blocking(move || {
            let _gone = ended.recv();
            done(ToolOutput::done("its own answer", ""))
        });
        let stop = Stop::default();
        let limit = TimeLimit {
            call: CallId("c".to_owned()),
            stop: stop.clone(),
            time,
        };
        Self {
            stop,
            end: Some(end),
            waited: tokio::spawn(limit.wait(work)),
        }
    }

    /// Lets time go by.
    async fn after(&mut self, time: Duration) -> &mut Self {
        let mut left = time;
        while !left.is_zero() && !self.waited.is_finished() {
            tokio::time::advance(GLANCE).await;
            tokio::task::yield_now().await;
            left = left.saturating_sub(GLANCE);
        }
        self
    }

    /// Returns what the session is told.
    async fn answer(mut self) -> String {
        drop(self.end.take());
        match self.waited.await {
            Ok(Ok(Input::ToolDone { output, .. })) => output.content,
            other => panic!("{other:?}"),
        }
    }
}

fn done(output: ToolOutput) -> Input {
    Input::ToolDone {
        call: CallId("c".to_owned()),
        output,
        took_ms: None,
        aside: None,
    }
}

const LIMIT: Duration = Duration::from_secs(20);

#[tokio::test(start_paused = true)]
async fn a_call_that_does_not_end_is_answered_for_and_has_no_effect() {
    let mut call = Endless::new(LIMIT);
    assert!(!call.after(LIMIT / 2).await.waited.is_finished());
    assert!(call.after(LIMIT).await.waited.is_finished());
    assert_eq!(call.stop.take_effect(), Err(Stopped::Late));
    assert!(call.answer().await.contains("took too long"));
}

#[tokio::test(start_paused = true)]
async fn a_call_that_the_user_stops_is_answered_for_soon() {
    let mut call = Endless::new(LIMIT);
    call.stop.stop(Stopped::Cancelled);
    assert!(call.after(2 * GRACE).await.waited.is_finished());
    assert_eq!(call.stop.take_effect(), Err(Stopped::Cancelled));
    assert!(call.answer().await.contains("cancelled by the user"));
}

#[tokio::test(start_paused = true)]
async fn a_call_that_has_taken_effect_answers_for_itself() {
    let mut call = Endless::new(LIMIT);
    assert_eq!(call.stop.take_effect(), Ok(()));
    assert!(!call.after(3 * LIMIT).await.waited.is_finished());
    assert_eq!(call.answer().await, "its own answer");
}
