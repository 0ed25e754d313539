//! `[web]`: whether the model may ask for pages of the web.

use serde::Deserialize;
use signoff_llm::web::WebSettings;

/// The table, as it is written.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub(super) struct WebFile {
    /// `true`: the model has tools for the web, and you are asked at each page.
    fetch: bool,
    /// Names of hosts on this machine or in its network that may be asked.
    inside: Vec<String>,
    /// The address of a search, with `{query}` in it.
    search: Option<String>,
}

impl WebFile {
    /// Returns what the tools are made of; none if there are none.
    pub(super) fn settings(self) -> Option<WebSettings> {
        self.fetch.then_some(WebSettings {
            inside: self.inside,
            search: self.search,
        })
    }

    /// Returns what is odd about it.
    pub(super) fn warning(&self) -> Option<String> {
        let search = self.search.as_ref()?;
        (!search.contains("{query}"))
            .then(|| "web.search has no {query}, so that every search is the same".to_owned())
    }
}
