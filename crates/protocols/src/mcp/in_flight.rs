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

use std::sync::Arc;

use rmcp::RoleServer;
use rmcp::model::{ClientNotification, JsonRpcMessage, RequestId};
use rmcp::service::{RxJsonRpcMessage, TxJsonRpcMessage};
use rmcp::transport::Transport;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

use super::limits::MOST_REQUESTS;

/// A transport that counts open requests.
pub(super) struct InFlight<T> {
    transport: T,
    seats: Arc<Semaphore>,
    /// The requests without an answer. Several of one id hold a seat each: the protocol answers the first of them alone, so
    /// that whoever reuses ids comes to a halt.
    open: Vec<(RequestId, OwnedSemaphorePermit)>,
}

impl<T> InFlight<T> {
    pub(super) fn new(transport: T) -> Self {
        Self {
            transport,
            seats: Arc::new(Semaphore::new(MOST_REQUESTS)),
            open: Vec::new(),
        }
    }

    /// Takes the seat of one request of an id, if one is open.
    fn leave(&mut self, id: &RequestId) -> Option<OwnedSemaphorePermit> {
        let place = self.open.iter().position(|(open, _)| open == id)?;
        Some(self.open.swap_remove(place).1)
    }
}

impl<T: Transport<RoleServer>> Transport<RoleServer> for InFlight<T> {
    type Error = T::Error;

    fn send(
        &mut self,
        item: TxJsonRpcMessage<RoleServer>,
    ) -> impl Future<Output = Result<(), Self::Error>> + Send + 'static {
        let answered = match &item {
            JsonRpcMessage::Response(response) => Some(&response.id),
            JsonRpcMessage::Error(error) => error.id.as_ref(),
            JsonRpcMessage::Request(_) | JsonRpcMessage::Notification(_) => None,
        };
        let seat = answered.and_then(|id| self.leave(id));
        let sent = self.transport.send(item);
        async move {
            let sent = sent.await;
            // Kept until the answer is written: the other side can free it no more by cancelling.
            drop(seat);
            sent
        }
    }

    async fn receive(&mut self) -> Option<RxJsonRpcMessage<RoleServer>> {
        let seat = Arc::clone(&self.seats).acquire_owned().await.ok()?;
        let message = self.transport.receive().await?;
        match &message {
            JsonRpcMessage::Request(request) => self.open.push((request.id.clone(), seat)),
            JsonRpcMessage::Notification(notification) => {
                if let ClientNotification::CancelledNotification(cancelled) =
                    &notification.notification
                    && let Some(id) = &cancelled.params.request_id
                {
                    self.leave(id);
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
    use std::collections::VecDeque;
    use std::convert::Infallible;
    use std::future::{pending, ready};

    use serde_json::{Value, json};

    use super::*;

    /// The other side: what it says, and then nothing.
    struct Said(VecDeque<Value>);

    impl Transport<RoleServer> for Said {
        type Error = Infallible;

        fn send(
            &mut self,
            _item: TxJsonRpcMessage<RoleServer>,
        ) -> impl Future<Output = Result<(), Infallible>> + Send + 'static {
            ready(Ok(()))
        }

        async fn receive(&mut self) -> Option<RxJsonRpcMessage<RoleServer>> {
            match self.0.pop_front() {
                Some(message) => Some(serde_json::from_value(message).unwrap()),
                None => pending().await,
            }
        }

        async fn close(&mut self) -> Result<(), Infallible> {
            Ok(())
        }
    }

    fn ask(id: usize) -> Value {
        json!({"jsonrpc": "2.0", "id": id, "method": "ping"})
    }

    fn cancel(id: usize) -> Value {
        let params = json!({"requestId": id});
        json!({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": params})
    }

    fn answer(id: usize) -> TxJsonRpcMessage<RoleServer> {
        serde_json::from_value(json!({"jsonrpc": "2.0", "id": id, "result": {}})).unwrap()
    }

    /// Returns whether a message is read at once.
    async fn reads(connection: &mut InFlight<Said>) -> bool {
        tokio::select! {
            biased;
            read = connection.receive() => read.is_some(),
            () = ready(()) => false,
        }
    }

    #[tokio::test]
    async fn no_more_is_read_until_an_answer_is_written() {
        let asked = (0..MOST_REQUESTS).chain([1, 1]).map(ask);
        let mut connection = InFlight::new(Said(asked.collect()));
        for _ in 0..MOST_REQUESTS {
            assert!(reads(&mut connection).await);
        }
        assert!(!reads(&mut connection).await);
        let written = connection.send(answer(3));
        assert!(!reads(&mut connection).await, "it is not written yet");
        written.await.unwrap();
        assert!(reads(&mut connection).await);
        // Two of an id are open, and each answer is to one of them.
        connection.send(answer(1)).await.unwrap();
        assert!(reads(&mut connection).await);
        assert!(!reads(&mut connection).await);
        // An answer to nothing that is open makes no room.
        connection.send(answer(99)).await.unwrap();
        assert!(!reads(&mut connection).await);
    }

    #[tokio::test]
    async fn a_cancelled_request_makes_room_once() {
        let last = MOST_REQUESTS - 1;
        let asked = (0..last).map(ask);
        let cancelled = [cancel(5), cancel(5), cancel(99)];
        let more = [ask(100), ask(101), ask(102)];
        let said = asked.chain(cancelled).chain(more);
        let mut connection = InFlight::new(Said(said.collect()));
        for _ in 0..last + 3 {
            assert!(reads(&mut connection).await);
        }
        assert!(reads(&mut connection).await);
        assert!(reads(&mut connection).await);
        assert!(!reads(&mut connection).await);
    }
}
