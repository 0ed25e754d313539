//! One type for all transports.
//!
//! In: a transport of `rmcp`'s. Out: the same behind a pointer, so that the machinery of a connection is compiled once, not once a
//! kind of transport: it is megabytes of code.

use std::error::Error;
use std::fmt;
use std::pin::Pin;

use rmcp::service::{RoleClient, RxJsonRpcMessage, TxJsonRpcMessage};
use rmcp::transport::Transport;

type Pending<'a, T> = Pin<Box<dyn Future<Output = T> + Send + 'a>>;

/// A transport of any kind.
pub(super) trait AnyTransport: Send {
    fn send(
        &mut self,
        message: TxJsonRpcMessage<RoleClient>,
    ) -> Pending<'static, Result<(), TransportError>>;

    fn receive(&mut self) -> Pending<'_, Option<RxJsonRpcMessage<RoleClient>>>;

    fn close(&mut self) -> Pending<'_, Result<(), TransportError>>;
}

impl<T: Transport<RoleClient>> AnyTransport for T {
    fn send(
        &mut self,
        message: TxJsonRpcMessage<RoleClient>,
    ) -> Pending<'static, Result<(), TransportError>> {
        let sent = Transport::send(self, message);
        Box::pin(async { sent.await.map_err(TransportError::of) })
    }

    fn receive(&mut self) -> Pending<'_, Option<RxJsonRpcMessage<RoleClient>>> {
        Box::pin(Transport::receive(self))
    }

    fn close(&mut self) -> Pending<'_, Result<(), TransportError>> {
        Box::pin(async { Transport::close(self).await.map_err(TransportError::of) })
    }
}

/// What went wrong in a transport. It reads as the error of the transport does, which is its source: what a server wants of a
/// sign-in is found there by its type.
#[derive(Debug)]
pub(super) struct TransportError(Box<dyn Error + Send + Sync>);

impl TransportError {
    fn of(error: impl Error + Send + Sync + 'static) -> Self {
        Self(Box::new(error))
    }
}

impl fmt::Display for TransportError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

impl Error for TransportError {
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        Some(self.0.as_ref())
    }
}
