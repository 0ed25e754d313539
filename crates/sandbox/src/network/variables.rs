//! How programs are told of their listener: variables, and options that they read from variables.
//!
//! What reads none of them has no network: nothing else leads out.

/// The port of the listener, on loopback. Programs bind no port below 1024, so that it is in nobody's way.
pub const PORT: u16 = 1000;

/// What a variable holds.
#[derive(Clone, Copy, Debug)]
enum Value {
    /// The address of the listener.
    Proxy,
    /// Hosts that are reached without it: those of the program's own loopback.
    Direct,
    /// This.
    Text(&'static str),
    /// Options of Java's virtual machine.
    Java,
    /// How git starts `ssh`: what its `ProxyCommand` is told of are host and port.
    Ssh,
}

/// The variables. `ALL_PROXY` is one of HTTP as well: clients of Python break off at `socks5h` where a package is missing.
const VARIABLES: [(&str, Value); 14] = [
    ("http_proxy", Value::Proxy),
    ("HTTP_PROXY", Value::Proxy),
    ("https_proxy", Value::Proxy),
    ("HTTPS_PROXY", Value::Proxy),
    ("all_proxy", Value::Proxy),
    ("ALL_PROXY", Value::Proxy),
    ("no_proxy", Value::Direct),
    ("NO_PROXY", Value::Direct),
    // Cargo asks git's settings before these variables.
    ("CARGO_HTTP_PROXY", Value::Proxy),
    ("npm_config_proxy", Value::Proxy),
    ("npm_config_https_proxy", Value::Proxy),
    ("NODE_USE_ENV_PROXY", Value::Text("1")),
    ("JAVA_TOOL_OPTIONS", Value::Java),
    ("GIT_SSH_COMMAND", Value::Ssh),
];

/// Returns the variables, with their values. `connector` is a command that connects its input and output to a host.
pub(crate) fn variables(connector: &str) -> Vec<(String, String)> {
    let all = VARIABLES.into_iter();
    all.map(|(name, value)| (name.to_owned(), value.text(connector)))
        .collect()
}

impl Value {
    fn text(self, connector: &str) -> String {
        match self {
            Self::Proxy => format!("http://127.0.0.1:{PORT}"),
            Self::Direct => "localhost,127.0.0.1,::1".to_owned(),
            Self::Text(text) => text.to_owned(),
            Self::Java => format!(
                "-Dhttp.proxyHost=127.0.0.1 -Dhttp.proxyPort={PORT} -Dhttps.proxyHost=127.0.0.1 -Dhttps.proxyPort={PORT} \
                 -Dhttp.nonProxyHosts=localhost|127.*|[::1]"
            ),
            Self::Ssh => format!("ssh -o ProxyCommand='{connector} %h %p'"),
        }
    }
}
