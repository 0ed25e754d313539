//! The network of confined programs, host by host.
//!
//! In: rules, and a listener in a program's own network namespace, where nothing else leads out. Out: connections to the
//! hosts that rules allow, and which hosts were asked for, with bytes.
//!
//! ```text
//! curl https://a.example     in the namespace, $HTTPS_PROXY names the listener
//!   CONNECT a.example:443  ->  request   what is asked for: CONNECT, plain HTTP or SOCKS5
//!                              rule      is the host allowed, refused, or a question to the user?
//!                              broker    one look-up; every address is public, or nothing is connected to
//!   TLS, end to end        <-> tunnel    bytes both ways, counted in `traffic`
//! ```
//!
//! | part | is |
//! |---|---|
//! | `host` | names and numbers of hosts, and patterns of them |
//! | `rule` | rules, and what they make of a host |
//! | `presets` | hosts by ecosystem |
//! | `request` | what a program asks for, and how it is refused |
//! | `held_key` | keys that programs use and do not have |
//! | `refusal` | why there is no connection |
//! | `upstream` | the proxy that the user's own network has |
//! | `traffic` | which hosts, how often, how many bytes |
//! | `tunnel` | bytes both ways |
//! | `keyed_exchange` | a request with a key of theirs, and its answer |
//! | `broker` | all of it for one program |
//! | `variables` | how programs are told of the listener |
//!
//! **Invariant:** a name is looked up only once it is allowed, once, and what is connected to is an address of that answer,
//! all of which were judged. TLS is not looked into: there is no certificate of signoff's. Where a program uses a key that it
//! does not have, signoff is the client.

mod broker;
mod held_key;
mod host;
mod keyed_exchange;
mod presets;
mod refusal;
mod request;
mod rule;
mod traffic;
mod tunnel;
mod upstream;
#[cfg(target_os = "linux")]
mod variables;

pub use broker::{Broker, HostAnswer, HostAsker, Internet, Outside, Unattended};
pub use held_key::{HeldKey, HeldKeyError, ServiceAddress};
pub use host::{HostError, HostPattern, Target};
pub use presets::{PRESETS, Preset};
pub use refusal::Refusal;
pub use rule::{Judgement, NetworkRules, NetworkTable, RuleError, RuleSource};
pub use traffic::{HostTraffic, Traffic, Verdict};
#[cfg(target_os = "linux")]
pub(crate) use upstream::ask;
pub use upstream::{Upstream, UpstreamError};
#[cfg(target_os = "linux")]
pub use variables::PORT;
#[cfg(target_os = "linux")]
pub(crate) use variables::variables;
