//! Servers of the user and of a workspace, and what the user decided.

use std::fs;

use serde_json::json;
use signoff_core::disk::workspace::reserved::ReservedFolders;

use super::*;
use crate::args::ModelArgs;
use crate::config::Environment;

/// A workspace with a user's configuration, and the paths of both.
struct Stage {
    folder: tempfile::TempDir,
    paths: Paths,
}

impl Stage {
    fn new(config: &str, workspace: &str) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let of = |name: &str| folder.path().join(name);
        for name in ["root", "state"] {
            fs::create_dir(of(name)).unwrap();
        }
        let paths = Paths {
            root: of("root"),
            store: of("state/state.db"),
            trust: of("state/trust.json"),
            config: of("config.toml"),
            log: of("log"),
            reserved: ReservedFolders::default(),
        };
        fs::write(&paths.config, config).unwrap();
        let stage = Self { folder, paths };
        stage.write(WORKSPACE_FILE, workspace);
        stage
    }

    fn write(&self, name: &str, text: &str) {
        fs::write(self.folder.path().join("root").join(name), text).unwrap();
    }

    fn find(&self, has_user: bool) -> FoundServers {
        let (file, root) = (&self.paths.config, &self.paths.root);
        let args = ModelArgs::default();
        let config =
            Config::load(file, root, &args, Environment::default(), |_| Vec::new()).unwrap();
        find(&config, &self.paths, has_user)
    }
}

fn remarks(found: &FoundServers) -> Vec<String> {
    found.remarks().cloned().collect()
}

fn standings(found: &FoundServers) -> Vec<(&str, Result<TrustStanding, &str>)> {
    let servers = found.definitions.iter();
    servers
        .map(|it| (it.name.as_str(), it.standing()))
        .collect()
}

const OWN: &str = "[mcp.own]\ncommand = 'own'\n[mcp.off]\ncommand = 'x'\nenabled = false\n";

fn naming(command: &str) -> String {
    let server = format!(r#"{{"command":"{command}","args":["-y"],"env":{{"TOKEN":"t0p"}}}}"#);
    format!(r#"{{"mcpServers":{{"theirs":{server},"own":{server}}}}}"#)
}

#[test]
fn a_server_of_the_workspace_waits_for_the_user() {
    let stage = Stage::new(OWN, &naming("npx"));
    let found = stage.find(true);
    let undecided = [
        ("own", Ok(TrustStanding::Trusted)),
        ("theirs", Ok(TrustStanding::Unknown)),
    ];
    assert_eq!(standings(&found), undecided);
    assert_eq!(
        remarks(&found),
        [
            ".mcp.json names the MCP server theirs (npx and 1 argument, with TOKEN): /mcp allow theirs, or `signoff trust`, \
             shows all of it and asks; /mcp refuse theirs does not let it run",
            "the MCP server own of the workspace is passed over: one of yours has its name",
        ]
    );
    // Nobody is there to allow one.
    assert_eq!(standings(&stage.find(false)), undecided[..1]);
}

#[test]
fn a_decision_is_about_one_definition() {
    let stage = Stage::new("", &naming("npx"));
    let file = stage.paths.store.with_file_name("trust.json");
    for (allowed, standing) in [
        (true, TrustStanding::Trusted),
        (false, TrustStanding::Refused),
    ] {
        let found = stage.find(true);
        found.definitions[0].trust.decide(allowed).unwrap();
        let found = stage.find(true);
        assert_eq!(standings(&found)[0], ("theirs", Ok(standing)));
        let asked: Vec<_> = found.remarks().filter(|it| it.contains("theirs")).collect();
        assert!(asked.is_empty(), "{asked:?}");
    }
    stage.write(WORKSPACE_FILE, &naming("evil"));
    let found = stage.find(true);
    assert_eq!(standings(&found)[0], ("theirs", Ok(TrustStanding::Changed)));
    assert!(
        remarks(&found)[0].contains("theirs, which changed (evil and 1 argument"),
        "{:?}",
        remarks(&found)
    );
    fs::write(&file, "{").unwrap();
    assert_eq!(
        standings(&stage.find(true))[0],
        ("theirs", Ok(TrustStanding::Unknown))
    );
}

#[test]
fn a_server_of_the_users_that_they_refuse_is_written_down_and_allowed_in_the_next_run() {
    let stage = Stage::new(OWN, "{}");
    let found = stage.find(true);
    found.definitions[0].trust.decide(false).unwrap();
    assert_eq!(standings(&found), [("own", Ok(TrustStanding::Refused))]);
    let decided = TrustFile::new(&stage.paths).all();
    assert_eq!(decided, [("mcp-server own".to_owned(), false)]);
    assert_eq!(
        standings(&stage.find(true)),
        [("own", Ok(TrustStanding::Trusted))]
    );
}

#[test]
fn what_is_no_server_is_said_and_shows_no_secret() {
    for (config, workspace, expected) in [
        (
            "[mcp.'a b']\ncommand = 'x'",
            "{}",
            "the MCP server \"a b\" is passed over: the name of a server has",
        ),
        (
            "[mcp.a]",
            "{}",
            "the MCP server a is passed over: it needs either `command` or `url`",
        ),
        (
            "[mcp.a]\nurl = 'https://x'\nheaders = { A = 'Bearer ${SIGNOFF_TEST_UNSET}' }",
            "{}",
            "the MCP server a is passed over: it needs $SIGNOFF_TEST_UNSET, which is not set",
        ),
        (
            "[mcp.a]\ncommand = 'x'\nenv = { A = '${SIGNOFF_API_KEY}' }",
            "{}",
            "the MCP server a is passed over: it names $SIGNOFF_API_KEY, which holds a key for signoff",
        ),
        (
            "[mcp.a]\ncommand = 'x'\n[mcp.a.sign_in]\nport = 1",
            "{}",
            "the MCP server a is passed over: `sign_in` is for servers with a `url`",
        ),
        (
            "[mcp.a]\nurl = 'https://x'\nheaders = { authorization = 'x' }\n[mcp.a.sign_in]",
            "{}",
            "the MCP server a is passed over: it has both `sign_in` and a header",
        ),
        (
            "[mcp.a]\nurl = 'https://x'\n[mcp.a.sign_in]\nclient_secret = '${SIGNOFF_API_KEY}'",
            "{}",
            "the MCP server a is passed over: it names $SIGNOFF_API_KEY",
        ),
        ("", "[", ".mcp.json is passed over: "),
        (
            "",
            r#"{"mcpServers":{"a":{"command":["x"]}}}"#,
            "the MCP server a of .mcp.json is passed over: ",
        ),
        (
            "",
            r#"{"mcpServers":{"a":{"type":"sse","url":"https://x"}}}"#,
            "the MCP server a of .mcp.json is passed over: it speaks by `sse`",
        ),
        (
            "",
            r#"{"mcpServers":{"a\u001b[2J":{"command":"x"}}}"#,
            "the MCP server \"a\\u{1b}[2J\" is passed over: ",
        ),
    ] {
        let found = Stage::new(config, workspace).find(true);
        assert!(found.definitions.is_empty());
        assert!(
            remarks(&found)[0].starts_with(expected),
            "{:?}",
            remarks(&found)
        );
    }
    let secret = "[mcp.a]\nurl = 'https://me:s3cret@x/'\nheaders = { A = 's3cret' }";
    let found = Stage::new(secret, "{}").find(true);
    let told = format!("{:?} {:?}", found.definitions[0].shown, remarks(&found));
    assert!(
        told.contains("with A") && !told.contains("s3cret"),
        "{told}"
    );
}

#[test]
fn a_workspace_gets_no_tokens_of_a_server_of_the_users() {
    let of = |config: &str, workspace: &str| {
        let stage = Stage::new(config, workspace);
        let found = stage.find(true);
        let [definition] = found.definitions.as_slice() else {
            panic!("{:?}", remarks(&found));
        };
        match &definition.endpoint {
            ServerEndpoint::Http { sign_in, .. } => sign_in.clone().map(|it| {
                let file = it
                    .file
                    .strip_prefix(stage.folder.path())
                    .unwrap()
                    .to_owned();
                (file, it.client_id)
            }),
            ServerEndpoint::Program(_) => None,
        }
    };
    let url = "[mcp.a]\nurl = 'https://x/mcp'";
    let (own, _) = of(url, "{}").unwrap();
    assert!(own.starts_with("sign-ins"), "{own:?}");
    let name = own.file_name().unwrap().to_str().unwrap();
    assert!(signoff_llm::secret_file::is_secret_name(name), "{name}");
    let written = r#"{"mcpServers":{"a":{"url":"https://x/mcp","sign_in":{"client_id":"c"}}}}"#;
    let (theirs, client) = of("", written).unwrap();
    assert!(theirs != own && client.is_none());
    let (other, client) = of(
        "[mcp.a]\nurl = 'https://x/other'\n[mcp.a.sign_in]\nclient_id = 'c'",
        "{}",
    )
    .unwrap();
    assert!(other != own && client.as_deref() == Some("c"));
    assert_eq!(
        of(&format!("{url}\nheaders = {{ Authorization = 'x' }}"), "{}"),
        None
    );
}

#[test]
fn a_workspace_that_forbids_the_network_forbids_servers_that_need_it() {
    let stage = Stage::new(
        "[mcp.web]\nurl = 'https://x/'\n[mcp.own]\ncommand = 'x'",
        "{}",
    );
    stage.write(".signoff.toml", "offline = true");
    let found = stage.find(true);
    let why = Err("the workspace forbids the network");
    assert_eq!(
        standings(&found),
        [("own", Ok(TrustStanding::Trusted)), ("web", why)]
    );
}

#[test]
fn a_workspaces_file_gets_no_variable_that_the_user_did_not_name() {
    // PATH is set wherever tests run.
    let server = |value: &str| {
        let (url, header) = (format!("https://x/{value}"), format!("Bearer {value}"));
        json!({ "mcpServers": {
            "address": { "url": url },
            "header": { "url": "https://x", "headers": { "Authorization": header } },
            "program": { "command": "x", "env": { "A": value } },
            "argument": { "command": "x", "args": [value] },
            "command": { "command": value },
        } })
        .to_string()
    };
    for (config, value, is_given) in [
        ("", "${PATH}", None),
        ("[run]\nenv = ['OTHER']", "x${PATH}", None),
        ("", "${PATH:-usual}", Some(false)),
        ("[run]\nenv = ['PATH']", "${PATH}", Some(true)),
        ("[run]\nenv = ['PATH']", "${PATH:-usual}", Some(true)),
    ] {
        let stage = Stage::new(config, &server(value));
        let found = stage.find(true);
        let told = remarks(&found).join("\n");
        let path = std::env::var("PATH").unwrap();
        assert!(!told.contains(&path), "{told}");
        let Some(is_given) = is_given else {
            assert!(found.definitions.is_empty(), "{:?}", found.definitions);
            assert_eq!(told.matches("it asks for $PATH").count(), 5, "{told}");
            assert!(told.contains("`env = [\"PATH\"]` below [run]"), "{told}");
            continue;
        };
        assert_eq!(found.definitions.len(), 5, "{told}");
        for definition in &found.definitions {
            let texts = texts(&definition.endpoint);
            let expected = if is_given { &path } else { "usual" };
            assert!(texts.contains(expected), "{texts}");
            assert_eq!(texts.contains(&path), is_given, "{texts}");
            let question = &definition.trust.question().text;
            let given = if is_given { "PATH" } else { "nothing" };
            assert!(question.contains(value) && !question.contains(&path));
            assert!(
                question.contains(&format!("your environment: {given}\n")),
                "{question}"
            );
        }
    }
}

/// Returns what a server is started or asked with.
fn texts(endpoint: &ServerEndpoint) -> String {
    let values = |of: &[(String, secrecy::SecretString)]| -> Vec<String> {
        of.iter()
            .map(|(_, it)| it.expose_secret().to_owned())
            .collect()
    };
    match endpoint {
        ServerEndpoint::Http { url, headers, .. } => format!("{url} {:?}", values(headers)),
        ServerEndpoint::Program(program) => format!(
            "{} {:?} {:?}",
            program.command,
            program.arguments,
            values(&program.variables)
        ),
    }
}

#[test]
fn a_permission_is_for_all_of_a_definition_and_for_what_it_is_given() {
    let written = |header: &str, variable: &str| {
        json!({ "mcpServers": {
            "a": { "url": "https://x", "headers": { "H": header } },
            "b": { "command": "x", "env": { "V": variable } },
        } })
        .to_string()
    };
    let stage = Stage::new("", &written("1", "${PATH:-1}"));
    for definition in &stage.find(true).definitions {
        definition.trust.decide(true).unwrap();
    }
    let allowed = || {
        let found = stage.find(true);
        let servers = found.definitions.iter();
        let allowed = servers.filter(|it| it.standing() == Ok(TrustStanding::Trusted));
        allowed
            .map(|it| it.name.as_str().to_owned())
            .collect::<String>()
    };
    assert_eq!(allowed(), "ab");
    for (header, variable, expected) in [("2", "${PATH:-1}", "b"), ("1", "${PATH:-2}", "a")] {
        stage.write(WORKSPACE_FILE, &written(header, variable));
        assert_eq!(allowed(), expected, "{header} {variable}");
    }
    stage.write(WORKSPACE_FILE, &written("1", "${PATH:-1}"));
    fs::write(&stage.paths.config, "[run]\nenv = ['PATH']").unwrap();
    assert_eq!(
        allowed(),
        "a",
        "it was shown to get nothing of the environment"
    );
}
