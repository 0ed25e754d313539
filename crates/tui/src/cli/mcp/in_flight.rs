//! Requests in flight: bounds how many requests of one connection are open at once.
//!
//! In: a transport. Out: the same, which reads no further message while [`MOST_REQUESTS`] requests are open. A request is
//! open until its answer is written, or until the other side cancels it before there is one. A program that sends
//! requests and reads no answers has to wait, and takes no memory.
//!
//! ```text
//! request 1, request 2, ... request 32    read
//! request 33                              waits until one of them is answered
//! ```

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use rmcp::RoleServer;
use rmcp::model::{ClientNotification, JsonRpcMessage, RequestId};
use rmcp::service::{RxJsonRpcMessage, TxJsonRpcMessage};
use rmcp::transport::Transport;
use tokio::sync::Notify;

use super::limits::MOST_REQUESTS;

/// A transport that counts open requests.
pub(super) struct InFlight<T> {
    transport: T,
    requests: Arc<OpenRequests>,
}

impl<T> InFlight<T> {
    pub(super) fn new(transport: T) -> Self {
        Self {
            transport,
            requests: Arc::default(),
        }
    }
}

/// The requests of a connection that are not over.
#[derive(Default)]
struct OpenRequests {
    counts: Mutex<RequestCounts>,
    fewer: Notify,
}

/// How many requests there are.
#[derive(Default)]
struct RequestCounts {
    /// Those without an answer. Several of one id are counted one by one: the protocol answers the first of them alone,
    /// so that whoever reuses ids comes to a halt.
    asked: HashMap<RequestId, usize>,
    /// Those whose answer is being written; the other side cannot cancel them any more.
    answered: usize,
}

impl RequestCounts {
    fn open(&self) -> usize {
        self.asked.values().sum::<usize>() + self.answered
    }

    /// Takes one request of an id out. Returns whether there was one.
    fn take(&mut self, id: &RequestId) -> bool {
        let Some(count) = self.asked.get_mut(id) else {
            return false;
        };
        *count -= 1;
        if *count == 0 {
            self.asked.remove(id);
        }
        true
    }
}

impl OpenRequests {
    fn counts(&self) -> MutexGuard<'_, RequestCounts> {
        // Numbers are whole whatever happened to whoever held them.
        self.counts.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Waits until another request may be read.
    async fn room(&self) {
        loop {
            let fewer = self.fewer.notified();
            if self.counts().open() < MOST_REQUESTS {
                return;
            }
            fewer.await;
        }
    }

    fn begin(&self, id: RequestId) {
        *self.counts().asked.entry(id).or_insert(0) += 1;
    }

    fn cancel(&self, id: &RequestId) {
        if self.counts().take(id) {
            self.fewer.notify_one();
        }
    }

    /// Notes that a request's answer is being written, until the returned value is dropped.
    fn answer(self: &Arc<Self>, id: &RequestId) -> Option<BeingWritten> {
        let mut counts = self.counts();
        let is_open = counts.take(id);
        counts.answered += usize::from(is_open);
        is_open.then(|| BeingWritten(Arc::clone(self)))
    }
}

/// An answer that is being written.
struct BeingWritten(Arc<OpenRequests>);

impl Drop for BeingWritten {
    fn drop(&mut self) {
        self.0.counts().answered -= 1;
        self.0.fewer.notify_one();
    }
}

impl<T: Transport<RoleServer>> Transport<RoleServer> for InFlight<T> {
    type Error = T::Error;

    fn send(
        &mut self,
        item: TxJsonRpcMessage<RoleServer>,
    ) -> impl Future<Output = Result<(), Self::Error>> + Send + 'static {
        let id = match &item {
            JsonRpcMessage::Response(response) => Some(&response.id),
            JsonRpcMessage::Error(error) => error.id.as_ref(),
            JsonRpcMessage::Request(_) | JsonRpcMessage::Notification(_) => None,
        };
        let written = id.and_then(|id| self.requests.answer(id));
        let sent = self.transport.send(item);
        async move {
            let sent = sent.await;
            drop(written);
            sent
        }
    }

    async fn receive(&mut self) -> Option<RxJsonRpcMessage<RoleServer>> {
        self.requests.room().await;
        let message = self.transport.receive().await?;
        match &message {
            JsonRpcMessage::Request(request) => self.requests.begin(request.id.clone()),
            JsonRpcMessage::Notification(notification) => {
                if let ClientNotification::CancelledNotification(cancelled) =
                    &notification.notification
                    && let Some(id) = &cancelled.params.request_id
                {
                    self.requests.cancel(id);
                }
            }
            JsonRpcMessage::Response(_) | JsonRpcMessage::Error(_) => {}
        }
        Some(message)
    }

    async fn close(&mut self) -> Result<(), Self::Error> {
        self.transport.close().await
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn id(number: i64) -> RequestId {
        RequestId::Number(number)
    }

    #[tokio::test]
    async fn no_more_is_read_until_an_answer_is_written() {
        let requests = Arc::new(OpenRequests::default());
        for number in 0..32 {
            requests.room().await;
            requests.begin(id(number));
        }
        let is_full = |requests: &OpenRequests| requests.counts().open() >= MOST_REQUESTS;
        assert!(is_full(&requests));
        let written = requests.answer(&id(3)).unwrap();
        // The answer is not read by the other side yet, and to cancel its request changes nothing.
        requests.cancel(&id(3));
        assert!(is_full(&requests));
        let waits = requests.room();
        drop(written);
        waits.await;
        assert!(!is_full(&requests));
        // One of an id is answered, the others never are.
        requests.begin(id(1));
        assert!(requests.answer(&id(1)).is_some());
        requests.begin(id(77));
        requests.cancel(&id(77));
        requests.cancel(&id(77));
        requests.cancel(&id(99));
        assert_eq!(requests.counts().open(), 31);
    }
}
