//! Sign-ins at a server on this machine, which says the truth or lies.

use std::collections::{BTreeMap, HashMap};
use std::fs;
use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::{TcpListener, TcpStream};
use std::os::unix::fs::PermissionsExt as _;
use std::path::PathBuf;
use std::sync::{Arc, Mutex};
use std::thread::{self, JoinHandle};
use std::time::Duration;

use reqwest::Url;
use secrecy::SecretString;
use serde_json::{Value, json};
use signoff_providers::foreign::{ForeignCall, ForeignServers as _};
use signoff_source::budget::Stop;

use super::*;
use crate::child::unconfined;
use crate::definition::ServerName;
use crate::servers::tests::trust;
use crate::servers::{Servers, ServersSetup};

/// What a server says that is not so.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Lie {
    /// Nothing.
    None,
    /// Its service sends the browser there.
    Opens(&'static str),
    /// Its service gives tokens there.
    Gives(&'static str),
    /// Its service registers programs there.
    Registers(&'static str),
    /// Its service is there.
    Service(&'static str),
    /// Its tokens are for that.
    Resource(&'static str),
    /// Its service is called so.
    Issuer(&'static str),
    /// The browser comes back from a service that is called so.
    CameFrom(&'static str),
    /// Its service moved there.
    Moved(&'static str),
    /// It has thousands of services.
    Many,
    /// What it says of its service has no end.
    Endless,
    /// It wants a right of this name.
    Right(&'static str),
    /// The service refuses the user.
    Refuses,
    /// The service repeats what it was sent where it gives no tokens, with this code.
    Repeats(&'static str),
    /// The service registers nobody.
    KnowsNobody,
    /// It says nothing of the sign-in that it wants.
    Mute,
    /// The service does not prove that the code is for this program.
    NoProof,
}

/// What a server and its service know.
struct ServiceState {
    lie: Lie,
    /// `METHOD target`, with the body behind it.
    requests: Vec<String>,
    /// Tokens that are taken.
    access: Vec<String>,
    /// The token that renews them.
    refresh: Option<String>,
    /// How many tokens were given.
    given: u32,
    /// Seconds that a token is said to last.
    lasts: u64,
}

/// A server of tools with its service for sign-ins.
struct Service {
    origin: String,
    state: Arc<Mutex<ServiceState>>,
}

/// A request.
struct Asked {
    method: String,
    target: String,
    headers: HashMap<String, String>,
    body: String,
}

/// An answer.
struct Told {
    status: u16,
    headers: Vec<(&'static str, String)>,
    body: String,
}

fn told(status: u16, body: &Value) -> Told {
    Told {
        status,
        headers: vec![("Content-Type", "application/json".to_owned())],
        body: body.to_string(),
    }
}

fn read(stream: &TcpStream) -> Option<Asked> {
    let mut reader = BufReader::new(stream);
    let mut line = String::new();
    reader.read_line(&mut line).ok()?;
    let mut words = line.split(' ');
    let (method, target) = (words.next()?.to_owned(), words.next()?.to_owned());
    let mut headers = HashMap::new();
    loop {
        let mut line = String::new();
        if reader.read_line(&mut line).ok()? < 3 {
            break;
        }
        let (name, value) = line.split_once(':')?;
        headers.insert(name.to_lowercase(), value.trim().to_owned());
    }
    let length = headers
        .get("content-length")
        .map_or(0, |it| it.parse().unwrap());
    let mut body = vec![0; length];
    reader.read_exact(&mut body).ok()?;
    Some(Asked {
        method,
        target,
        headers,
        body: String::from_utf8(body).ok()?,
    })
}

impl Service {
    fn start(lie: Lie) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let origin = format!("http://{}", listener.local_addr().unwrap());
        let state = Arc::new(Mutex::new(ServiceState {
            lie,
            requests: Vec::new(),
            access: Vec::new(),
            refresh: None,
            given: 0,
            lasts: 3600,
        }));
        let (own, known) = (origin.clone(), Arc::clone(&state));
        thread::spawn(move || {
            for mut stream in listener.incoming().flatten() {
                let (own, known) = (own.clone(), Arc::clone(&known));
                thread::spawn(move || {
                    let asked = read(&stream)?;
                    let told = known.lock().unwrap().answer(&own, &asked);
                    let headers: String = told
                        .headers
                        .iter()
                        .map(|(name, value)| format!("{name}: {value}\r\n"))
                        .collect();
                    let head = format!(
                        "HTTP/1.1 {} X\r\n{headers}Content-Length: {}\r\nConnection: close\r\n\r\n",
                        told.status,
                        told.body.len()
                    );
                    stream.write_all(head.as_bytes()).ok()?;
                    stream.write_all(told.body.as_bytes()).ok()
                });
            }
        });
        Self { origin, state }
    }

    fn url(&self) -> String {
        format!("{}/mcp", self.origin)
    }

    fn set(&self, change: impl FnOnce(&mut ServiceState)) {
        change(&mut self.state.lock().unwrap());
    }

    /// Returns the requests whose line begins like this.
    fn requests(&self, beginning: &str) -> Vec<String> {
        let state = self.state.lock().unwrap();
        let all = state.requests.iter();
        all.filter(|it| it.starts_with(beginning))
            .cloned()
            .collect()
    }
}

impl ServiceState {
    fn answer(&mut self, origin: &str, asked: &Asked) -> Told {
        self.requests
            .push(format!("{} {} {}", asked.method, asked.target, asked.body));
        let path = asked.target.split('?').next().unwrap();
        match (asked.method.as_str(), path) {
            ("POST", "/mcp") => self.tools(origin, asked),
            ("GET", "/.well-known/oauth-protected-resource/mcp") => self.resource(origin),
            ("GET", "/.well-known/oauth-authorization-server") => self.metadata(origin),
            ("POST", "/register") => told(
                201,
                &json!({ "client_id": "c1", "client_name": "signoff", "redirect_uris": [] }),
            ),
            ("GET", "/authorize") => self.authorize(origin, asked),
            ("POST", "/token") => self.token(origin, asked),
            _ => told(404, &json!({})),
        }
    }

    fn tools(&self, origin: &str, asked: &Asked) -> Told {
        let token = asked.headers.get("authorization");
        let token = token.and_then(|it| it.strip_prefix("Bearer "));
        if !token.is_some_and(|token| self.access.iter().any(|it| it == token)) {
            if self.lie == Lie::Mute {
                return told(401, &json!({}));
            }
            let scope = match self.lie {
                Lie::Right(name) => name,
                _ => "tools",
            };
            return challenge(
                401,
                &format!(
                    "resource_metadata=\"{origin}/.well-known/oauth-protected-resource/mcp\", scope=\"{scope}\""
                ),
            );
        }
        let body: Value = serde_json::from_str(&asked.body).unwrap();
        if body["params"]["name"] == "write" {
            return challenge(
                403,
                "error=\"insufficient_scope\", scope=\"tools files:write '\"",
            );
        }
        if body["params"]["name"] == "refuse" {
            return challenge(403, "error=\"access_denied\"");
        }
        let mut result = match body["method"].as_str() {
            Some("server/discover") => json!({
                "supportedVersions": ["2026-07-28"],
                "capabilities": { "tools": {} },
                "serverInfo": { "name": "web", "version": "2" },
            }),
            Some("tools/list") => {
                json!({ "tools": (["add", "write", "refuse", "tell"].map(listed_tool)) })
            }
            Some("tools/call") if body["params"]["name"] == "tell" => {
                let error = json!({ "code": -32000, "message": "HTTP 401 from another server" });
                return told(
                    200,
                    &json!({ "jsonrpc": "2.0", "id": body["id"], "error": error }),
                );
            }
            Some("tools/call") => json!({ "content": [{ "type": "text", "text": "3" }] }),
            _ => return told(405, &json!({})),
        };
        for (name, value) in [
            ("resultType", json!("complete")),
            ("ttlMs", json!(0)),
            ("cacheScope", json!("private")),
        ] {
            result[name] = value;
        }
        told(
            200,
            &json!({ "jsonrpc": "2.0", "id": body["id"], "result": result }),
        )
    }

    fn resource(&self, origin: &str) -> Told {
        let resource = match self.lie {
            Lie::Resource(other) => other.to_owned(),
            _ => format!("{origin}/mcp"),
        };
        let services = match self.lie {
            Lie::Service(other) => vec![other.to_owned()],
            Lie::Many => (0..5_000).map(|at| format!("{origin}/s{at}")).collect(),
            _ => vec![origin.to_owned()],
        };
        told(
            200,
            &json!({ "resource": resource, "authorization_servers": services }),
        )
    }

    fn metadata(&self, origin: &str) -> Told {
        let at = |path: &str| format!("{origin}{path}");
        let mut all = json!({
            "issuer": origin,
            "authorization_endpoint": at("/authorize"),
            "token_endpoint": at("/token"),
            "registration_endpoint": at("/register"),
            "code_challenge_methods_supported": ["S256"],
            "authorization_response_iss_parameter_supported": true,
        });
        match self.lie {
            Lie::Opens(there) => all["authorization_endpoint"] = there.into(),
            Lie::Gives(there) => all["token_endpoint"] = there.into(),
            Lie::Registers(there) => all["registration_endpoint"] = there.into(),
            Lie::Issuer(name) => all["issuer"] = name.into(),
            Lie::KnowsNobody => all["registration_endpoint"] = Value::Null,
            Lie::Many => return told(404, &json!({})),
            Lie::NoProof => all["code_challenge_methods_supported"] = json!(["plain"]),
            Lie::Endless => all["more"] = "x".repeat(300_000).into(),
            Lie::Moved(there) => {
                return Told {
                    headers: vec![("Location", there.to_owned())],
                    ..told(302, &json!({}))
                };
            }
            _ => {}
        }
        told(200, &all)
    }

    fn authorize(&self, origin: &str, asked: &Asked) -> Told {
        let url = Url::parse(origin).unwrap().join(&asked.target).unwrap();
        let fields: BTreeMap<String, String> = url.query_pairs().into_owned().collect();
        assert_eq!(fields["code_challenge_method"], "S256");
        assert_eq!(fields["resource"], format!("{origin}/mcp"));
        let mut back = Url::parse(&fields["redirect_uri"]).unwrap();
        let issuer = match self.lie {
            Lie::CameFrom(other) => other,
            _ => origin,
        };
        let what = match self.lie {
            Lie::Refuses => ("error", "access_denied\u{1b}[2J"),
            _ => ("code", "code-5ecret"),
        };
        back.query_pairs_mut()
            .append_pair(what.0, what.1)
            .append_pair("state", &fields["state"])
            .append_pair("iss", issuer);
        Told {
            headers: vec![("Location", back.into())],
            ..told(302, &json!({}))
        }
    }

    fn token(&mut self, origin: &str, asked: &Asked) -> Told {
        let form = Url::parse(&format!("{origin}/?{}", asked.body)).unwrap();
        let form: BTreeMap<String, String> = form.query_pairs().into_owned().collect();
        if form["resource"] != format!("{origin}/mcp") {
            return refused("invalid_target", "another resource");
        }
        if let Lie::Repeats(code) = self.lie {
            return refused(code, &asked.body);
        }
        let is_good = match form["grant_type"].as_str() {
            "authorization_code" => {
                form["code"] == "code-5ecret" && form["code_verifier"].len() > 40
            }
            _ => self.refresh.as_ref() == Some(&form["refresh_token"]),
        };
        if !is_good {
            return refused("invalid_grant", &asked.body);
        }
        self.given += 1;
        let (access, refresh) = (
            format!("acc3ss{}", self.given),
            format!("r3fresh{}", self.given),
        );
        self.access = vec![access.clone()];
        self.refresh = Some(refresh.clone());
        told(
            200,
            &json!({
                "access_token": access,
                "token_type": "Bearer",
                "expires_in": self.lasts,
                "refresh_token": refresh,
            }),
        )
    }
}

fn refused(error: &str, why: &str) -> Told {
    told(400, &json!({ "error": error, "error_description": why }))
}

fn listed_tool(name: &str) -> Value {
    json!({ "name": name, "inputSchema": { "type": "object" } })
}

fn challenge(status: u16, fields: &str) -> Told {
    Told {
        headers: vec![("WWW-Authenticate", format!("Bearer {fields}"))],
        ..told(status, &json!({}))
    }
}

/// Returns the page at an address.
fn get(address: &str) -> String {
    let url = Url::parse(address).unwrap();
    let host = (url.host_str().unwrap(), url.port().unwrap());
    let mut stream = TcpStream::connect(host).unwrap();
    let (path, query) = (url.path(), url.query().unwrap_or_default());
    write!(stream, "GET {path}?{query} HTTP/1.1\r\nHost: x\r\n\r\n").unwrap();
    let mut page = String::new();
    stream.read_to_string(&mut page).unwrap();
    page
}

/// A browser: follows one redirect. Others try to answer before it. Returns what the last page says.
fn browse(address: &str) -> String {
    let url = Url::parse(address).unwrap();
    let mut fields = url.query_pairs();
    let back = fields.find(|(name, _)| name == "redirect_uri").unwrap().1;
    for forged in ["?code=evil&state=guessed", "?error=access_denied", ""] {
        let page = get(&format!("{back}{forged}"));
        assert!(page.starts_with("HTTP/1.1 400 "), "{page}");
    }
    let page = get(address);
    match page.split("\r\nLocation: ").nth(1) {
        Some(there) => get(there.split("\r\n").next().unwrap()),
        None => page,
    }
}

/// A user with a folder for tokens.
struct User {
    folder: tempfile::TempDir,
    scopes: Vec<String>,
    client: Option<(&'static str, &'static str)>,
}

impl User {
    fn new() -> Self {
        Self {
            folder: tempfile::tempdir().unwrap(),
            scopes: Vec::new(),
            client: None,
        }
    }

    fn file(&self) -> PathBuf {
        self.folder.path().join("sign-ins/credentials-web.json")
    }

    fn definition(&self, url: &str) -> ServerDefinition {
        let settings = SignInSettings {
            file: self.file(),
            client_id: self.client.map(|(id, _)| id.to_owned()),
            client_secret: self.client.map(|(_, secret)| SecretString::from(secret)),
            ..SignInSettings::default()
        };
        ServerDefinition {
            name: ServerName::parse("web").unwrap(),
            endpoint: ServerEndpoint::Http {
                url: url.to_owned(),
                headers: Vec::new(),
                sign_in: Some(Box::new(settings)),
            },
            shown: "web".to_owned(),
            trust: trust(TrustStanding::Trusted),
            given: Vec::new(),
            timeout: Duration::from_secs(20),
            unusable: None,
            fingerprint: "1".to_owned(),
        }
    }

    /// Signs in with a browser that opens what it is shown. Returns what was shown, and how it ended.
    fn sign_in(&self, url: &str) -> (Option<SignInInvitation>, Result<(), String>) {
        let (mut shown, mut browser): (_, Option<JoinHandle<String>>) = (None, None);
        let ended = sign_in(&self.definition(url), &self.scopes, &mut |invitation| {
            let address = invitation.address.clone();
            shown = Some(invitation.clone());
            browser = Some(thread::spawn(move || browse(&address)));
        });
        if let Some(browser) = browser {
            assert!(browser.join().unwrap().contains("Go back to the terminal."));
        }
        (shown, ended.map_err(|error| error.to_string()))
    }

    fn servers(&self, url: &str) -> Servers {
        Servers::new(ServersSetup {
            definitions: vec![self.definition(url)],
            launcher: unconfined(Vec::new()),
            approvals: self.folder.path().join("mcp-tools.json"),
        })
    }
}

fn find(servers: &Servers) -> String {
    servers.find("", &Stop::default()).content
}

fn call(servers: &Servers, tool: &str) -> String {
    let call = ForeignCall {
        tool: tool.to_owned(),
        arguments: serde_json::Map::new(),
        fingerprint: servers.known(tool).unwrap().fingerprint,
    };
    servers.call(&call, &Stop::default()).content
}

/// What a server is told to the user as where it wants a sign-in.
const WANTED: &str = "the server asks for a sign-in: the user runs `signoff sign-in web` in a terminal, then /mcp web";

#[test]
fn tokens_are_kept_and_renewed_until_the_service_ends_them() {
    let (service, user) = (Service::start(Lie::None), User::new());
    let url = service.url();
    let servers = user.servers(&url);
    assert!(find(&servers).contains(WANTED), "{}", find(&servers));
    let (shown, ended) = user.sign_in(&url);
    ended.unwrap();
    let shown = shown.unwrap();
    assert_eq!(
        (
            shown.host.as_str(),
            shown.token_host.as_str(),
            &shown.scopes
        ),
        ("127.0.0.1", "127.0.0.1", &vec!["tools".to_owned()])
    );
    assert_eq!(shown.resource, url);
    let mode = |path: &std::path::Path| fs::metadata(path).unwrap().permissions().mode() & 0o777;
    assert_eq!(mode(&user.file()), 0o600);
    assert_eq!(mode(user.file().parent().unwrap()), 0o700);
    assert!(is_signed_in(&user.definition(&url)).unwrap().unwrap());
    // The conversation that was under way has it as well.
    assert!(find(&servers).contains("web__add"));
    assert!(call(&servers, "web__add").contains("\n3\n"));
    // The server takes another token from now on.
    service.set(|state| state.access.clear());
    assert!(call(&servers, "web__add").contains("\n3\n"));
    assert_eq!(service.requests("POST /token").len(), 2);
    drop(servers);
    // So it is in the next run, which has the new token.
    let servers = user.servers(&url);
    assert!(find(&servers).contains("web__add"));
    assert_eq!(service.requests("POST /token").len(), 2);
    service.set(|state| {
        state.access.clear();
        state.refresh = None;
    });
    let answer = call(&servers, "web__add");
    let ended =
        "the sign-in at the server has ended: the user runs `signoff sign-in web` in a terminal";
    assert!(answer.contains(ended), "{answer}");
    user.sign_in(&url).1.unwrap();
    assert!(call(&servers, "web__add").contains("\n3\n"));
    assert!(forget_sign_in(&user.definition(&url)).unwrap());
    assert!(!forget_sign_in(&user.definition(&url)).unwrap());
    assert!(find(&user.servers(&url)).contains(WANTED));
}

#[test]
fn a_token_that_ends_soon_is_renewed_before_it_is_sent() {
    let (service, user) = (Service::start(Lie::None), User::new());
    service.set(|state| state.lasts = 0);
    user.sign_in(&service.url()).1.unwrap();
    let servers = user.servers(&service.url());
    find(&servers);
    let renewed = service.requests("POST /token").len();
    assert!(call(&servers, "web__add").contains("\n3\n"));
    assert!(renewed > 1, "{renewed}");
}

#[test]
fn what_is_published_is_not_trusted() {
    const METADATA: &str = "metadata on sign-ins cannot be used: ";
    for (lie, expected) in [
        (
            Lie::Opens("https://169.254.169.254/a"),
            "169.254.169.254 is on this machine or in its network",
        ),
        (
            Lie::Opens("javascript:alert(1)"),
            "javascript:alert(1) is no address of a sign-in",
        ),
        (
            Lie::Opens("file:///etc/passwd"),
            "is no address of a sign-in",
        ),
        (
            Lie::Opens("http://evil.example/a"),
            "is no address of a sign-in",
        ),
        (Lie::Opens("https://a\u{1b}]0;x\u{7}/a"), METADATA),
        (
            Lie::Opens("http://127.0.0.1:1/authorize?state=known"),
            "is no address of a sign-in",
        ),
        (
            Lie::Opens("http://127.0.0.1:1/authorize?redirect_uri=https://evil.example"),
            "is no address of a sign-in",
        ),
        (
            Lie::Gives("https://10.0.0.1/token"),
            "10.0.0.1 is on this machine or in its network",
        ),
        (
            Lie::Gives("http://evil.example/token"),
            "is no address of a sign-in",
        ),
        (
            Lie::Registers("https://192.168.0.1/register"),
            "192.168.0.1 is on this machine or in its network",
        ),
        (Lie::Service("https://192.168.0.1"), METADATA),
        (Lie::Service("ftp://evil.example"), METADATA),
        (Lie::Resource("https://other.example/mcp"), METADATA),
        (Lie::Issuer("https://other.example"), METADATA),
        (Lie::Moved("https://evil.example/metadata"), METADATA),
        (Lie::Many, "more than 40 addresses"),
        (Lie::Endless, "more than 262144 bytes"),
        (Lie::Right("a\u{e9}b"), ""),
        (Lie::NoProof, "S256"),
        (
            Lie::KnowsNobody,
            "write the `client_id` that you get below [mcp.NAME.sign_in]",
        ),
        (
            Lie::Refuses,
            "the authorization server refused: access_denied\u{fffd}[2J",
        ),
        (Lie::CameFrom("https://other.example"), "issuer mismatch"),
        (
            Lie::Repeats("invalid_grant"),
            "the authorization server gave no tokens: invalid_grant",
        ),
    ] {
        let (service, user) = (Service::start(lie), User::new());
        let ended = user.sign_in(&service.url()).1.unwrap_err();
        assert!(ended.contains(expected), "{lie:?}: {ended}");
        assert!(
            !ended.contains("5ecret") && !ended.contains('\u{1b}'),
            "{lie:?}: {ended}"
        );
        assert!(!user.file().exists(), "{lie:?}");
        assert!(service.requests("").len() < 60, "{lie:?}");
    }
}

#[test]
fn a_client_that_the_service_knows_is_not_registered() {
    let (service, mut user) = (Service::start(Lie::KnowsNobody), User::new());
    user.client = Some(("own id", "own s3cret"));
    user.sign_in(&service.url()).1.unwrap();
    assert!(service.requests("POST /register").is_empty());
    service.set(|state| state.access.clear());
    let servers = user.servers(&service.url());
    assert!(
        find(&servers).contains("web__add"),
        "the secret is sent again"
    );
}

#[test]
fn more_rights_are_asked_for_by_the_user_alone() {
    let (service, mut user) = (Service::start(Lie::None), User::new());
    user.sign_in(&service.url()).1.unwrap();
    let servers = user.servers(&service.url());
    find(&servers);
    let answer = call(&servers, "web__write");
    let expected =
        "the user runs `signoff sign-in web --scope 'tools' --scope 'files:write'` in a terminal";
    assert!(answer.contains(expected), "{answer}");
    user.scopes = vec!["files:write".to_owned()];
    let (shown, ended) = user.sign_in(&service.url());
    ended.unwrap();
    assert_eq!(shown.unwrap().scopes, ["tools", "files:write"]);
    user.scopes = vec!["a b".to_owned()];
    let ended = user.sign_in(&service.url()).1.unwrap_err();
    assert!(ended.contains("a b is no scope"), "{ended}");
}

#[test]
fn a_server_that_says_nothing_of_its_sign_in_has_one() {
    let (service, user) = (Service::start(Lie::Mute), User::new());
    let servers = user.servers(&service.url());
    assert!(find(&servers).contains(WANTED), "{}", find(&servers));
    user.sign_in(&service.url()).1.unwrap();
    assert!(find(&servers).contains("web__add"));
    // What is said of other servers, or of one call, is no word about the sign-in.
    for (tool, expected) in [
        (
            "web__refuse",
            "the server does not let the user do this (HTTP 403)",
        ),
        (
            "web__tell",
            "answered with an error: \"HTTP 401 from another server\"",
        ),
    ] {
        let answer = call(&servers, tool);
        assert!(answer.contains(expected), "{answer}");
    }
}

#[test]
fn a_refusal_to_renew_repeats_no_token() {
    for (code, expected) in [
        ("invalid_grant", "the sign-in at the server has ended"),
        (
            "r3fresh1",
            "cannot be renewed (its answer is not understood, or none came)",
        ),
    ] {
        let (service, user) = (Service::start(Lie::None), User::new());
        user.sign_in(&service.url()).1.unwrap();
        let servers = user.servers(&service.url());
        find(&servers);
        service.set(|state| {
            state.access.clear();
            state.lie = Lie::Repeats(code);
        });
        let answers = [call(&servers, "web__add"), find(&servers)];
        for answer in answers {
            assert!(answer.contains(expected), "{answer}");
            assert!(answer.contains("`signoff sign-in web`"), "{answer}");
            assert!(
                !answer.contains("r3fresh") && !answer.contains("acc3ss"),
                "{answer}"
            );
        }
    }
}

#[test]
fn tokens_are_sent_to_their_server_alone() {
    let (service, other, user) = (
        Service::start(Lie::None),
        Service::start(Lie::None),
        User::new(),
    );
    user.sign_in(&service.url()).1.unwrap();
    // Another address in the same place, as after a change of the configuration.
    let found = find(&user.servers(&other.url()));
    assert!(found.contains(WANTED), "{found}");
    assert!(
        !is_signed_in(&user.definition(&other.url()))
            .unwrap()
            .unwrap()
    );
    fs::write(user.file(), "{\"server\": \"acc3ss\"").unwrap();
    let found = find(&user.servers(&service.url()));
    assert!(
        found.contains("what is kept of the sign-in cannot be read"),
        "{found}"
    );
    assert!(!found.contains("acc3ss"));
}

#[test]
fn only_servers_that_may_be_asked_get_a_sign_in() {
    let (service, user) = (Service::start(Lie::None), User::new());
    let mut never = |_: &SignInInvitation| panic!("nothing is shown");
    let offline = Some("the workspace forbids the network".to_owned());
    for (standing, unusable, expected) in [
        (TrustStanding::Changed, None, "/mcp allow web"),
        (TrustStanding::Unknown, None, "/mcp allow web"),
        (TrustStanding::Refused, None, "is refused"),
        (TrustStanding::Trusted, offline, "forbids the network"),
    ] {
        let definition = ServerDefinition {
            trust: trust(standing),
            unusable,
            ..user.definition(&service.url())
        };
        let ended = sign_in(&definition, &[], &mut never)
            .unwrap_err()
            .to_string();
        assert!(ended.contains(expected), "{ended}");
    }
    assert!(service.requests("").is_empty());
    service.set(|state| state.access.push(String::new()));
    let mut by_header = user.definition(&service.url());
    if let ServerEndpoint::Http { sign_in, .. } = &mut by_header.endpoint {
        *sign_in = None;
    }
    let ended = sign_in(&by_header, &[], &mut never)
        .unwrap_err()
        .to_string();
    assert!(ended.contains("`Authorization`"), "{ended}");
    assert!(is_signed_in(&by_header).is_none());
}
