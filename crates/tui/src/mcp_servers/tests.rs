//! Servers of the user and of a workspace, and what the user decided.

use std::fs;

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
            reserved: Default::default(),
            root: of("root"),
            store: of("state/state.db"),
            trust: of("state/trust.json"),
            config: of("config.toml"),
            log: of("log"),
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
        let config = Config::load(file, root, &args, Environment::default()).unwrap();
        find(&config, &self.paths, has_user)
    }
}

fn standings(found: &FoundServers) -> Vec<(&str, &Standing)> {
    let servers = found.definitions.iter();
    servers.map(|it| (it.name.as_str(), &it.standing)).collect()
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
        ("own", &Standing::Allowed),
        ("theirs", &Standing::Undecided),
    ];
    assert_eq!(standings(&found), undecided);
    assert_eq!(
        found.remarks,
        [
            ".mcp.json names the MCP server theirs (npx -y, with TOKEN): /mcp allow theirs lets it run, /mcp refuse \
             theirs does not",
            "the MCP server own of the workspace is passed over: one of yours has its name",
        ]
    );
    // Nobody is there to allow one.
    assert_eq!(standings(&stage.find(false)), undecided[..1]);
}

#[test]
fn a_decision_is_about_one_definition() {
    let stage = Stage::new("", &naming("npx"));
    let trust = TrustFile::new(&stage.paths);
    let file = stage.paths.store.with_file_name("trust.json");
    for (allowed, standing) in [(true, Standing::Allowed), (false, Standing::Refused)] {
        let found = stage.find(true);
        let theirs = &found.definitions[0];
        let hash = DefinitionHash::made(&theirs.fingerprint);
        let name = theirs.name.as_str();
        (trust.decide(TrustKind::McpServer, name, &hash, allowed)).unwrap();
        let found = stage.find(true);
        assert_eq!(standings(&found)[0], ("theirs", &standing));
        let asked: Vec<_> = found
            .remarks
            .iter()
            .filter(|it| it.contains("theirs"))
            .collect();
        assert!(asked.is_empty(), "{asked:?}");
    }
    stage.write(WORKSPACE_FILE, &naming("evil"));
    let found = stage.find(true);
    assert_eq!(standings(&found)[0], ("theirs", &Standing::Undecided));
    assert!(
        found.remarks[0].contains("theirs, which changed (evil -y"),
        "{:?}",
        found.remarks
    );
    fs::write(&file, "{").unwrap();
    assert_eq!(
        standings(&stage.find(true))[0],
        ("theirs", &Standing::Undecided)
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
            found.remarks[0].starts_with(expected),
            "{:?}",
            found.remarks
        );
    }
    let secret = "[mcp.a]\nurl = 'https://me:s3cret@x/'\nheaders = { A = 's3cret' }";
    let found = Stage::new(secret, "{}").find(true);
    let told = format!("{:?} {:?}", found.definitions[0].shown, found.remarks);
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
            panic!("{:?}", found.remarks);
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
    let why = Standing::Unusable("the workspace forbids the network".to_owned());
    assert_eq!(
        standings(&found),
        [("own", &Standing::Allowed), ("web", &why)]
    );
}
