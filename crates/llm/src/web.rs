//! Pages of the web, as text.
//!
//! In: an address. Out: the text of what is there, without markup, or an image, or why there is none. Nothing is kept between two
//! requests: no cookies, no cache, no key of anybody's.
//!
//! ```text
//! https://docs.rs/serde  ->  302, on the same host: asked for at once
//!                        ->  302, on another host, or where another rule holds: the address is told, since it needs a
//!                            permission of its own
//!                        ->  302, where a rule denies: nothing is asked for
//!                        ->  text/html: its text, links as numbers
//! ```
//!
//! `page` makes text of HTML (`html2text`) that `page/depth` finds shallow, by a parse without a tree (`html5ever`).
//!
//! **Invariant:** only addresses that `OutsideHosts` allows are asked. No redirect leads to another host, or where the
//! rules say something else than of the first address.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use reqwest::header::{ACCEPT, CONTENT_TYPE, LOCATION};
use reqwest::{Client, Response, redirect};
use signoff_core::percent;
use signoff_core::quote::one_line;
use signoff_providers::web_address::causes;
pub use signoff_providers::web_address::{AddressError, OutsideHosts, WebAddress, class_here};

use crate::image::{Image, MAX_IMAGE_BYTES};

mod page;

/// How long a connection may take to come about: a host that drops packets would hold the call for minutes.
const CONNECTING: Duration = Duration::from_secs(10);
/// Redirects on one host that are followed: two pages can lead to each other.
const MOST_MOVES: usize = 5;
/// Bytes of a page that are read; the largest page of documentation met has 1.2 MB.
const MOST: usize = 2 << 20;

/// What the user says of the web.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct WebSettings {
    /// Hosts that may be on this machine or in its network.
    pub inside: Vec<String>,
    /// The address of a search, with `{query}` in it.
    pub search: Option<String>,
}

/// Reads pages.
#[derive(Clone, Debug)]
pub struct Web {
    hosts: OutsideHosts,
    search: Option<Arc<str>>,
    /// Made with the first request: it reads certificates.
    client: Arc<OnceLock<Client>>,
}

/// What the rules make of an address.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum PageRule {
    /// It is asked for without a question.
    Allowed,
    /// The user is asked, or has been.
    Asked,
    /// It is not asked for, for this reason.
    Denied(String),
}

/// What is at an address.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Page {
    /// Where it was, after redirects.
    pub address: WebAddress,
    /// What it is.
    pub content: PageContent,
}

/// What a page is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum PageContent {
    /// Text.
    Text {
        /// The text.
        text: String,
        /// True if there is more than was read.
        is_cut: bool,
    },
    /// An image of a format that models take.
    Image(Image),
}

/// Why there is no page.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum WebError {
    /// The address is none that may be asked.
    #[error(transparent)]
    Address(#[from] AddressError),
    /// The host is on this machine or in its network.
    #[error(
        "{0} is on this machine or in its network, which is asked only if the user names it in [web] inside"
    )]
    Inside(String),
    /// The page is on another host.
    #[error("it moved to {0}; ask for that address instead")]
    Moved(String),
    /// The page is where a rule denies.
    #[error("it moved to {0}, and {1}")]
    Denied(String, String),
    /// It moves without end.
    #[error("it moves again and again")]
    Circle,
    /// It moves without saying where.
    #[error("it moved, and the server does not say where")]
    Nowhere,
    /// The server refuses.
    #[error("the server answers {0}")]
    Refused(u16),
    /// It is no text.
    #[error("it is no text but {0}")]
    NoText(String),
    /// It says that it is an image, and is none that can be shown.
    #[error("{0}")]
    NoImage(String),
    /// The request or the answer broke off.
    #[error("it cannot be read: {0}")]
    Broken(String),
}

impl Web {
    /// Returns a reader; nothing is sent.
    pub fn new(settings: WebSettings) -> Self {
        Self {
            hosts: OutsideHosts::and(settings.inside),
            search: settings.search.map(Arc::from),
            client: Arc::default(),
        }
    }

    /// Returns the address that finds pages by words; none if no search is configured.
    pub fn search(&self, words: &str) -> Option<Result<WebAddress, AddressError>> {
        let template = self.search.as_ref()?;
        let query = percent::encoded(words.as_bytes(), b"");
        Some(WebAddress::parse(&template.replace("{query}", &query)))
    }

    /// Tells whether a search is configured.
    pub fn searches(&self) -> bool {
        self.search.is_some()
    }

    /// Reads a page. `judge` says what the rules make of an address: those of the first one let it be asked for.
    pub async fn read(
        &self,
        address: &WebAddress,
        judge: impl Fn(&WebAddress) -> PageRule,
    ) -> Result<Page, WebError> {
        let first = judge(address);
        let mut address = address.clone();
        for _ in 0..MOST_MOVES {
            let response = self.ask(&address).await?;
            if response.status().is_redirection() {
                let to = response.headers().get(LOCATION);
                let to = to.and_then(|to| to.to_str().ok());
                let to = address.joined(to.ok_or(WebError::Nowhere)?)?;
                let rule = judge(&to);
                if let PageRule::Denied(why) = rule {
                    return Err(WebError::Denied(to.to_string(), why));
                }
                // What a rule allows without a question is not what the user said yes to.
                let is_agreed = rule == PageRule::Allowed || first == PageRule::Asked;
                if to.origin() != address.origin() || !is_agreed {
                    return Err(WebError::Moved(to.to_string()));
                }
                address = to;
                continue;
            }
            if !response.status().is_success() {
                return Err(WebError::Refused(response.status().as_u16()));
            }
            return page(address, response).await;
        }
        Err(WebError::Circle)
    }

    async fn ask(&self, address: &WebAddress) -> Result<Response, WebError> {
        if !self.hosts.allow(address) {
            return Err(WebError::Inside(address.host().to_owned()));
        }
        let request = self.client()?.get(address.url().clone());
        let request = request.header(
            ACCEPT,
            "text/html, text/*;q=0.9, application/json;q=0.9, */*;q=0.1",
        );
        request.send().await.map_err(|error| {
            if OutsideHosts::refused(&error) {
                WebError::Inside(address.host().to_owned())
            } else {
                broken(&error)
            }
        })
    }

    fn client(&self) -> Result<&Client, WebError> {
        if let Some(client) = self.client.get() {
            return Ok(client);
        }
        // An error means that the process has a provider already, which serves as well.
        let _installed = rustls::crypto::ring::default_provider().install_default();
        let client = Client::builder()
            .user_agent(concat!("signoff/", env!("CARGO_PKG_VERSION")))
            .connect_timeout(CONNECTING)
            .redirect(redirect::Policy::none())
            // A proxy would look names up where nobody checks what they lead to.
            .no_proxy()
            .dns_resolver(Arc::new(self.hosts.clone()))
            .build()
            .map_err(|error| broken(&error))?;
        Ok(self.client.get_or_init(|| client))
    }
}

fn broken(error: &reqwest::Error) -> WebError {
    // The outer errors repeat the address, and say nothing else.
    let root = causes(error).fold(String::new(), |_, cause| cause.to_string());
    WebError::Broken(one_line(&root, 200))
}

async fn page(address: WebAddress, mut response: Response) -> Result<Page, WebError> {
    let kind = response.headers().get(CONTENT_TYPE);
    let kind = kind
        .and_then(|kind| kind.to_str().ok())
        .unwrap_or("text/plain");
    if kind.starts_with("image/") {
        let (bytes, _) = read(&mut response, MAX_IMAGE_BYTES + 1).await?;
        // Its name in requests, by which the user can take it out of them.
        let name = address.to_string();
        let image = Image::new(name, bytes).map_err(|why| WebError::NoImage(why.to_string()))?;
        let content = PageContent::Image(image);
        return Ok(Page { address, content });
    }
    let form = page::PageForm::of(kind).ok_or_else(|| WebError::NoText(one_line(kind, 80)))?;
    let (bytes, is_cut) = read(&mut response, MOST).await?;
    let abandoned = Abandoned(Arc::default());
    let flag = Arc::clone(&abandoned.0);
    let text = tokio::task::spawn_blocking(move || form.text(&bytes, &flag)).await;
    let text = text.map_err(|error| WebError::Broken(error.to_string()))?;
    let content = PageContent::Text { text, is_cut };
    Ok(Page { address, content })
}

/// Set once nobody waits for a page any more: its text is not worked on then.
struct Abandoned(Arc<AtomicBool>);

impl Drop for Abandoned {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Relaxed);
    }
}

/// Reads at most so many bytes. Tells whether there are more.
async fn read(response: &mut Response, most: usize) -> Result<(Vec<u8>, bool), WebError> {
    let mut bytes = Vec::new();
    while let Some(piece) = response.chunk().await.map_err(|error| broken(&error))? {
        let room = most - bytes.len();
        bytes.extend_from_slice(piece.get(..room).unwrap_or(&piece));
        if piece.len() > room {
            return Ok((bytes, true));
        }
    }
    Ok((bytes, false))
}

#[cfg(test)]
mod tests;
