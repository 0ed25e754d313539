//! Refusals: why there is no connection, in words for program, user and model.

use std::net::IpAddr;

use signoff_source::address::AddressClass;

/// Why there is no connection to a host. Each is the end of a sentence that begins with the host.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Refusal {
    /// A rule denies it.
    #[error("refused by {by}")]
    Denied {
        /// The rule.
        by: String,
    },
    /// No rule is about it, and nobody can be asked.
    #[error(
        "refused, as no rule allows it; `allow` below [network] in the user's configuration, or `--net` of `signoff run`, does"
    )]
    Unlisted,
    /// The user was asked.
    #[error("refused by the user{}", .reason.as_ref().map_or_else(String::new, |reason| format!(": {reason}")))]
    ByUser {
        /// In the user's words.
        reason: Option<String>,
    },
    /// The user was asked about so many hosts that no more questions are put.
    #[error("refused, as the user was asked about {0} hosts of this command already")]
    TooManyQuestions(usize),
    /// It is, or is found at, an address that is none of the public network.
    #[error(
        "refused, as {ip} is {class}; `inside` below [network] in the user's configuration allows such a host"
    )]
    Special {
        /// The address.
        ip: IpAddr,
        /// What it is.
        class: AddressClass,
    },
    /// Such an address is no host's, whatever rules say.
    #[error("refused, as {ip} is {class}, which no rule allows")]
    Never {
        /// The address.
        ip: IpAddr,
        /// What it is.
        class: AddressClass,
    },
    /// Its name leads nowhere.
    #[error("allowed, but not found: {0}")]
    NotFound(String),
    /// Nobody answers there.
    #[error("allowed, but not reached: {0}")]
    NotReached(String),
}

impl Refusal {
    /// Returns whether the network has no such host, whatever rules say.
    pub(super) fn is_failure(&self) -> bool {
        match self {
            Self::NotFound(_) | Self::NotReached(_) => true,
            Self::Denied { .. }
            | Self::Unlisted
            | Self::ByUser { .. }
            | Self::TooManyQuestions(_)
            | Self::Special { .. }
            | Self::Never { .. } => false,
        }
    }
}
