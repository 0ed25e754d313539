//! HTTP of a sign-in, to addresses that servers name.
//!
//! In: a request of the protocol. Out: its answer, cut to a bound. What a server names is not trusted: an address has to be
//! `https` and of the public network, but for the server's own host and those that the user names, and no redirect is
//! followed here. A server on this machine may name others there, without encryption.

use std::net::IpAddr;
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use reqwest::header::CONTENT_TYPE;
use reqwest::{Client, Request, Response, redirect};
use rmcp::transport::auth::{
    OAuthHttpClient, OAuthHttpClientError, OAuthHttpClientFuture, OAuthHttpRequest,
};
use signoff_providers::web_address::{OutsideHosts, WebAddress};

/// How long one request may take.
const WITHIN: Duration = Duration::from_secs(30);
/// How long a connection may take to come about.
const CONNECTING: Duration = Duration::from_secs(10);
/// Bytes of an answer. The metadata of large services have some 5 KB.
const MOST_BYTES: usize = 256 * 1024;
/// Requests of one sign-in. Where everything is looked for in vain, a server with one authorization
/// server takes 12.
pub(super) const MOST_REQUESTS: u32 = 40;

/// Sends the requests of a sign-in.
pub(super) struct GuardedHttp {
    hosts: OutsideHosts,
    /// Whether the server is on this machine.
    is_local: bool,
    /// How many requests are left.
    left: AtomicU32,
    secure: OnceLock<Client>,
    plain: OnceLock<Client>,
}

/// Why a request is not made, or its answer not taken.
#[derive(Debug, thiserror::Error)]
pub(super) enum HttpRefusal {
    #[error("{0} is no address of a sign-in, which begins with https://")]
    Address(String),
    #[error(
        "{0} is on this machine or in its network, which is asked only if the user names it in `inside` of the server's \
         `sign_in`"
    )]
    Inside(String),
    #[error("the server names more than {MOST_REQUESTS} addresses to ask")]
    Many,
    #[error("an answer of {0} has more than {MOST_BYTES} bytes")]
    Long(String),
}

impl GuardedHttp {
    /// Returns what asks for a server at this address.
    pub(super) fn new(server: &WebAddress, inside: &[String], most_requests: u32) -> Self {
        let is_local = is_this_machine(server.host());
        let mut named = vec![server.host().to_owned()];
        named.extend_from_slice(inside);
        if is_local {
            named.extend(["localhost", "127.0.0.1", "[::1]"].map(str::to_owned));
        }
        Self {
            hosts: OutsideHosts::and(named),
            is_local,
            left: AtomicU32::new(most_requests),
            secure: OnceLock::new(),
            plain: OnceLock::new(),
        }
    }

    /// Returns an address that a server names, if it may be asked, or the browser sent there.
    pub(super) fn checked(&self, text: &str) -> Result<WebAddress, HttpRefusal> {
        let refused = HttpRefusal::Address(crate::foreign_text::line(text, 200));
        let Ok(address) = WebAddress::parse(text) else {
            return Err(refused);
        };
        let (scheme, host, _) = address.origin();
        let is_plain = scheme != "https";
        if is_plain && !(self.is_local && is_this_machine(host)) {
            return Err(refused);
        }
        if self.hosts.allow(&address) {
            Ok(address)
        } else {
            Err(HttpRefusal::Inside(host.to_owned()))
        }
    }

    async fn ask(
        &self,
        request: OAuthHttpRequest,
    ) -> Result<http::Response<Vec<u8>>, OAuthHttpClientError> {
        let request = Request::try_from(request.request)?;
        let address = self.checked(request.url().as_str())?;
        // A plain subtraction would wrap around where two requests take the last one.
        let spent = self
            .left
            .fetch_update(Ordering::SeqCst, Ordering::SeqCst, |left| {
                left.checked_sub(1)
            });
        spent.map_err(|_none| HttpRefusal::Many)?;
        let client = self.client(address.origin().0 == "https")?;
        let response = client.execute(request).await.map_err(|error| {
            if OutsideHosts::refused(&error) {
                HttpRefusal::Inside(address.host().to_owned()).into()
            } else {
                // The outer errors repeat the address, and with it what may be secret.
                OAuthHttpClientError::from(error.without_url())
            }
        })?;
        whole(response, address.host()).await
    }

    /// Returns the client for addresses with encryption, or without.
    fn client(&self, is_secure: bool) -> Result<&Client, OAuthHttpClientError> {
        let slot = if is_secure { &self.secure } else { &self.plain };
        if let Some(client) = slot.get() {
            return Ok(client);
        }
        // An error means that the process has a provider already, which serves as well.
        let _installed = rustls::crypto::ring::default_provider().install_default();
        let mut builder = Client::builder()
            .user_agent(concat!("signoff/", env!("CARGO_PKG_VERSION")))
            .timeout(WITHIN)
            .connect_timeout(CONNECTING)
            .redirect(redirect::Policy::none())
            // A proxy would look names up where nobody checks what they lead to.
            .no_proxy()
            .dns_resolver(Arc::new(self.hosts.clone()));
        if !is_secure {
            // No certificate is looked at: a machine without any can talk to itself.
            builder = builder.tls_certs_only([]);
        }
        let client = builder.build()?;
        Ok(slot.get_or_init(|| client))
    }
}

impl OAuthHttpClient for GuardedHttp {
    fn execute(&self, request: OAuthHttpRequest) -> OAuthHttpClientFuture<'_> {
        Box::pin(self.ask(request))
    }
}

/// Returns an answer with its body.
async fn whole(
    mut response: Response,
    host: &str,
) -> Result<http::Response<Vec<u8>>, OAuthHttpClientError> {
    let kind = response.headers().get(CONTENT_TYPE);
    let is_stream = kind.is_some_and(|kind| kind.as_bytes().starts_with(b"text/event-stream"));
    let mut body = Vec::new();
    // A server that asks for no sign-in may begin a stream without an end.
    while !is_stream && let Some(piece) = response.chunk().await? {
        if piece.len() > MOST_BYTES - body.len() {
            return Err(HttpRefusal::Long(host.to_owned()).into());
        }
        body.extend_from_slice(&piece);
    }
    let head = http::Response::<reqwest::Body>::from(response);
    Ok(head.map(|_read| body))
}

/// Tells whether a host of an address is this machine by its name or its number.
fn is_this_machine(host: &str) -> bool {
    let bare = host.trim_start_matches('[').trim_end_matches(']');
    host == "localhost" || bare.parse().is_ok_and(|ip: IpAddr| ip.is_loopback())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_addresses_of_the_public_network_are_asked() {
        let (public, local) = (
            client_of("https://mcp.example/x"),
            client_of("http://127.0.0.1:9/mcp"),
        );
        for (address, from_public, from_local) in [
            ("https://auth.example/token", true, true),
            ("https://mcp.example/token", true, true),
            ("http://auth.example/token", false, false),
            ("http://mcp.example/token", false, false),
            ("http://127.0.0.1:8/token", false, true),
            ("https://127.0.0.1/token", false, true),
            ("http://localhost:8/token", false, true),
            ("http://[::1]:8/token", false, true),
            ("http://[::ffff:7f00:1]/token", false, false),
            ("https://169.254.169.254/latest", false, false),
            ("https://192.168.1.1/token", false, false),
            ("https://0x7f.1/token", false, true),
            ("https://10.0.0.9/token", true, true),
            ("https://sso.corp/token", true, true),
            ("http://sso.corp/token", false, false),
            ("https://user@auth.example/", false, false),
            ("file:///etc/passwd", false, false),
            ("javascript:alert(1)", false, false),
            ("signoff://token", false, false),
            ("", false, false),
        ] {
            assert_eq!(public.checked(address).is_ok(), from_public, "{address}");
            assert_eq!(local.checked(address).is_ok(), from_local, "{address}");
        }
    }

    fn client_of(server: &str) -> GuardedHttp {
        let server = WebAddress::parse(server).unwrap();
        GuardedHttp::new(&server, &["sso.corp".to_owned(), "10.0.0.9".to_owned()], 1)
    }
}
