//! Asks one server of the Model Context Protocol, as a conversation does.
//!
//! ```text
//! cargo run -p signoff-mcp --example ask -- http://127.0.0.1:3001/mcp
//! cargo run -p signoff-mcp --example ask -- npx -y @modelcontextprotocol/server-everything
//! ```
//!
//! In: an address, or a command. A server that asks for a sign-in gets one: a browser that agrees to everything opens what is
//! shown; `MCP_CONFORMANCE_CONTEXT` names the client where one is known (`client_id`, `client_secret`). Out: what the server offers, and the answer of each of its tools, called with a value of the
//! right type for each argument. The client suite of `@modelcontextprotocol/conformance` takes it as its command.

#![expect(clippy::print_stdout, reason = "an example prints")]

use std::io::{Read as _, Write as _};
use std::net::TcpStream;
use std::process::ExitCode;
use std::time::Duration;

use serde_json::{Map, Value, json};
use signoff_mcp::child::unconfined;
use signoff_mcp::definition::{
    Confinement, ServerDefinition, ServerEndpoint, ServerName, ServerProgram, SignInSettings,
};
use signoff_mcp::{Servers, ServersSetup, sign_in};
use signoff_providers::foreign::{ForeignCall, ForeignServers as _, ServerRequest};
use signoff_providers::trust::{TrustQuestion, TrustRecord, TrustStanding};
use signoff_source::budget::Stop;

fn main() -> ExitCode {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let (Some((command, arguments)), Ok(name)) = (words.split_first(), ServerName::parse("asked"))
    else {
        println!("ask URL, or ask COMMAND ARGUMENTS");
        return ExitCode::FAILURE;
    };
    let endpoint = if command.starts_with("http") {
        ServerEndpoint::Http {
            url: command.clone(),
            headers: Vec::new(),
            sign_in: Some(Box::new(settings())),
        }
    } else {
        ServerEndpoint::Program(ServerProgram {
            command: command.clone(),
            arguments: arguments.to_vec(),
            variables: Vec::new(),
            folder: ".".into(),
            confinement: Confinement::None,
        })
    };
    let variables = std::env::vars().filter(|(name, _)| matches!(name.as_str(), "PATH" | "HOME"));
    let definition = ServerDefinition {
        name,
        endpoint,
        shown: String::new(),
        trust: TrustRecord::new(
            TrustQuestion {
                label: "asked".to_owned(),
                text: String::new(),
            },
            TrustStanding::Trusted,
            Box::new(|_| Ok(())),
        ),
        given: Vec::new(),
        timeout: Duration::from_secs(20),
        unusable: None,
        fingerprint: String::new(),
    };
    let servers = Servers::new(ServersSetup {
        definitions: vec![definition.clone()],
        launcher: unconfined(variables.collect()),
        approvals: std::env::temp_dir().join("signoff-ask.json"),
    });
    let stop = Stop::default();
    let connect = ServerRequest::Connect("asked".to_owned());
    let mut report = servers.report(&connect, &stop);
    if let Some(line) = report.lines.iter().find(|line| line.contains(SIGN_IN)) {
        println!("{line}");
        agree(&definition, line);
        report = servers.report(&connect, &stop);
    }
    report.lines.iter().for_each(|line| println!("{line}"));
    let tools = report
        .lines
        .iter()
        .find_map(|line| line.strip_prefix("tools: "));
    for tool in tools.into_iter().flat_map(|tools| tools.split(", ")) {
        let Some(known) = servers.known(tool) else {
            continue;
        };
        let told = servers.find(tool, &stop).content;
        let call = ForeignCall {
            tool: tool.to_owned(),
            arguments: arguments_for(&told, tool),
            fingerprint: known.fingerprint,
        };
        let mut answer = servers.call(&call, &stop);
        if answer.content.contains(SIGN_IN) {
            println!("{}", answer.content);
            agree(&definition, &answer.content);
            answer = servers.call(&call, &stop);
        }
        println!(
            "\n{tool} {}: {}\n{}",
            json!(call.arguments),
            answer.summary,
            answer.content
        );
    }
    for (resource, _) in report.resources.iter().take(3) {
        if let Some((server, address)) = resource.split_once(':') {
            println!("\n{}", servers.resource(server, address, &stop).content);
        }
    }
    for (prompt, _) in &report.prompts {
        if let Some((server, prompt)) = prompt.split_once(':') {
            println!(
                "\n{}",
                servers.prompt(server, prompt, "one two", &stop).content
            );
        }
    }
    if tools.is_some() {
        ExitCode::SUCCESS
    } else {
        ExitCode::FAILURE
    }
}

/// What is said where a sign-in is missing.
const SIGN_IN: &str = "`signoff sign-in asked";

/// Returns how a sign-in is made: as a client that is known, if there is one.
fn settings() -> SignInSettings {
    let context = std::env::var("MCP_CONFORMANCE_CONTEXT");
    let context: Value = context
        .ok()
        .and_then(|text| serde_json::from_str(&text).ok())
        .unwrap_or_default();
    let text = |name: &str| context[name].as_str().map(str::to_owned);
    let known = "https://conformance-test.local/client-metadata.json";
    SignInSettings {
        file: std::env::temp_dir().join(format!("signoff-ask-{}.json", std::process::id())),
        client_id: Some(text("client_id").unwrap_or_else(|| known.to_owned())),
        client_secret: text("client_secret").map(Into::into),
        ..SignInSettings::default()
    }
}

/// Signs in, as a user who agrees to everything: what was said names the rights.
fn agree(definition: &ServerDefinition, said: &str) {
    let scopes = said.split("--scope '").skip(1);
    let scopes: Vec<String> = scopes
        .filter_map(|it| Some(it.split_once('\'')?.0.to_owned()))
        .collect();
    let ended = sign_in(definition, &scopes, &mut |invitation| {
        println!("{invitation:?}");
        let address = invitation.address.clone();
        std::thread::spawn(move || browse(&address, 3));
    });
    println!("signed in: {ended:?}");
}

/// Opens an address, and those that it leads to.
fn browse(address: &str, most: u32) -> Option<()> {
    let (authority, _) = address.strip_prefix("http://")?.split_once('/')?;
    let target = address.split_at(7 + authority.len()).1;
    let mut stream = TcpStream::connect(authority).ok()?;
    write!(
        stream,
        "GET {target} HTTP/1.1\r\nHost: {authority}\r\nConnection: close\r\n\r\n"
    )
    .ok()?;
    let mut page = String::new();
    stream.read_to_string(&mut page).ok()?;
    let mut lines = page.lines().filter_map(|line| line.split_once(": "));
    let there = lines
        .find(|(name, _)| name.eq_ignore_ascii_case("location"))?
        .1;
    browse(there, most.checked_sub(1)?)
}

/// Returns a value for each required argument in the schema that is told of a tool.
fn arguments_for(told: &str, tool: &str) -> Map<String, Value> {
    let entry = told.split(&format!("\n{tool}: ")).nth(1);
    let line = entry.and_then(|entry| entry.split("\n  arguments: ").nth(1));
    let line = line.and_then(|line| line.lines().next());
    let schema: Value = line
        .and_then(|line| serde_json::from_str(line).ok())
        .unwrap_or_default();
    let required = schema["required"].as_array().into_iter().flatten();
    required
        .filter_map(Value::as_str)
        .map(|name| (name.to_owned(), example_value(&schema, name)))
        .collect()
}

fn example_value(schema: &Value, name: &str) -> Value {
    let field = &schema["properties"][name];
    match (field["enum"].get(0), field["type"].as_str()) {
        (Some(first), _) => first.clone(),
        (None, Some("number" | "integer")) => json!(2),
        (None, Some("boolean")) => json!(true),
        (None, Some("array")) => json!([]),
        (None, Some("object")) => json!({}),
        (None, _) => json!("."),
    }
}
