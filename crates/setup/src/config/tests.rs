//! What a config file says, and what is refused of it.

use std::collections::BTreeSet;
use std::ffi::OsString;

use signoff_draw::theme::ThemeName;

use super::environment::with_credentials;
use super::*;

/// Says nothing of keys: the table of keys is the interface's.
fn no_errors(_keys: &KeySettings) -> Vec<String> {
    Vec::new()
}

fn source(user: &str, workspace: &str, environment: Environment, args: ModelArgs) -> String {
    let user = toml::from_str(user).unwrap();
    let workspace = toml::from_str(workspace).unwrap();
    let config = together(user, workspace, environment, &args, no_errors, |_| None).unwrap();
    match config.source {
        Source::Offline => "offline".into(),
        Source::Replay(file) => format!("replay {}", file.display()),
        Source::Server(server) => {
            let protocol = match server.protocol {
                Protocol::Openai => String::new(),
                protocol => format!("{protocol} "),
            };
            format!(
                "{protocol}{} {} {}",
                server.url.0,
                server.model.unwrap_or_default(),
                match server.key {
                    Key::Given(_) => "key",
                    Key::Command(_) => "command",
                    Key::Keyring(_) => "keyring",
                    Key::None | Key::Unset(_) => "open",
                }
            )
        }
        Source::Look { model, .. } => format!("look {}", model.unwrap_or_default()),
    }
}

#[test]
fn every_variable_that_holds_a_key_is_kept_from_programs() {
    let user: UserFile = toml::from_str(
        "url = 'http://a'\napi_key_env = 'OWN'\n[headers]\nX-Team = '$TEAM'\nX-Plain = 'open'",
    )
    .unwrap();
    let hidden = hidden(&user, &Environment::default());
    for name in [
        "SIGNOFF_API_KEY",
        "OPENAI_API_KEY",
        "ANTHROPIC_API_KEY",
        "OWN",
        "TEAM",
    ] {
        assert!(hidden.iter().any(|known| known == name), "{name}");
    }
    assert!(!hidden.iter().any(|known| known == "open"));
}

#[test]
fn a_variable_with_a_password_in_it_is_kept_from_programs() {
    let with = [
        ("HTTP_PROXY", "http://me:pw@proxy:3128"),
        ("http_proxy", "http://me:pw@proxy:3128"),
        ("Https_Proxy", "me:pw@proxy:3128"),
        ("ALL_PROXY", "socks5h://me:pw@proxy"),
        ("all_proxy", "token@proxy"),
        ("DATABASE_URL", "postgres://me:pw@db/x"),
        (
            "PIP_EXTRA_INDEX_URL",
            "https://a.com https://me:pw@b.com/simple",
        ),
        ("GOPROXY", "https://me:pw@a.com,direct"),
        ("HOOK", "https://a.com/hook?token=pw"),
        ("REPOSITORY", "https://ghp_0123456789abcdef@github.com/a/b"),
    ];
    let without = [
        ("NO_PROXY", "localhost,.a.com"),
        ("FTP_PROXY", "http://proxy:3128"),
        ("ORIGIN", "ssh://git@github.com/a/b"),
        ("EMAIL", "me@a.com"),
        ("PAGE", "https://a.com/@me?page=2"),
        ("PATH", "a:b"),
    ];
    let variables = with.iter().chain(&without);
    let found = with_credentials(
        variables.map(|(name, value)| (OsString::from(name), OsString::from(value))),
    );
    assert_eq!(found, with.map(|(name, _)| name));
    let environment = Environment {
        with_credentials: found,
        ..Environment::default()
    };
    let user = toml::from_str("pass_env = ['DATABASE_URL', 'SIGNOFF_API_KEY']").unwrap();
    let hidden: BTreeSet<String> = hidden(&user, &environment).into_iter().collect();
    assert!(hidden.contains("HTTP_PROXY") && hidden.contains("SIGNOFF_API_KEY"));
    assert!(!hidden.contains("DATABASE_URL"));
}

#[test]
fn flags_beat_the_environment_and_that_beats_files() {
    let user = "model = 'm'\nurl = 'http://user'";
    let environment = Environment {
        url: Some("http://env".into()),
        ..Environment::default()
    };
    let flag = ModelArgs {
        url: Some("http://flag".into()),
        ..ModelArgs::default()
    };
    assert_eq!(
        source("", "", Environment::default(), ModelArgs::default()),
        "look "
    );
    assert_eq!(
        source(user, "", Environment::default(), ModelArgs::default()),
        "http://user m open"
    );
    assert_eq!(
        source(user, "", environment.clone(), ModelArgs::default()),
        "http://env m open"
    );
    assert_eq!(source(user, "", environment, flag), "http://flag m open");
}

#[test]
fn a_workspace_narrows_and_never_redirects() {
    let user = "model = 'm'\nurl = 'http://user'";
    let none = Environment::default;
    assert_eq!(
        source(user, "url = 'http://evil'", none(), ModelArgs::default()),
        "http://user m open"
    );
    assert_eq!(
        source(user, "offline = true", none(), ModelArgs::default()),
        "offline"
    );
}

fn keys(names: &[&str]) -> Environment {
    let known = SERVICES
        .iter()
        .filter(|service| names.contains(&service.name));
    Environment {
        service_keys: known
            .map(|service| (service, SECRET.to_owned().into()))
            .collect(),
        ..Environment::default()
    }
}

fn named(model: &str) -> ModelArgs {
    ModelArgs {
        model: Some(model.into()),
        ..ModelArgs::default()
    }
}

const SECRET: &str = "sk-very-secret";

#[test]
fn a_services_key_goes_to_that_service_only() {
    let elsewhere = ModelArgs {
        url: Some("http://else".into()),
        ..named("m")
    };
    let cases = [
        (
            &["OpenAI"][..],
            named("m"),
            "https://api.openai.com/v1 m key",
        ),
        (&["OpenAI"], elsewhere.clone(), "http://else m open"),
        (&["Anthropic", "Gemini"], elsewhere, "http://else m open"),
        (&["OpenAI"], ModelArgs::default(), "look "),
        (
            &["Anthropic"],
            named("m"),
            "anthropic https://api.anthropic.com m key",
        ),
        (
            &["OpenAI", "Anthropic", "Gemini"],
            named("gemini-3-pro"),
            "gemini https://generativelanguage.googleapis.com gemini-3-pro key",
        ),
        (
            &["OpenAI", "Anthropic"],
            named("claude-opus-4-5"),
            "anthropic https://api.anthropic.com claude-opus-4-5 key",
        ),
    ];
    for (names, args, expected) in cases {
        assert_eq!(source("", "", keys(names), args), expected);
    }
}

#[test]
fn the_protocol_is_named_or_guessed() {
    let file = "protocol = 'ollama'";
    for (file, variable, flag, expected) in [
        ("", None, None, "anthropic http://a/v1/messages  open"),
        (file, None, None, "ollama http://a/v1/messages  open"),
        (
            file,
            Some("gemini"),
            None,
            "gemini http://a/v1/messages  open",
        ),
        (
            file,
            Some("gemini"),
            Some("responses"),
            "responses http://a/v1/messages  open",
        ),
    ] {
        let environment = Environment {
            protocol: variable.map(str::to_owned),
            ..Environment::default()
        };
        let args = of_protocol("http://a/v1/messages", flag);
        assert_eq!(source(file, "", environment, args), expected);
    }
    let wrong = of_protocol("http://a", Some("soap"));
    let (user, workspace) = (UserFile::default(), WorkspaceFile::default());
    let none = Environment::default();
    let error = together(user, workspace, none, &wrong, no_errors, |_| None).unwrap_err();
    assert!(error.to_string().contains("\"soap\" is no protocol"));
}

fn of_protocol(url: &str, protocol: Option<&str>) -> ModelArgs {
    ModelArgs {
        url: Some(url.into()),
        protocol: protocol.map(str::to_owned),
        ..ModelArgs::default()
    }
}

#[test]
fn the_key_of_a_command_is_not_asked_for_where_one_is_given() {
    let file = "url = 'http://a'\napi_key_command = ['pass', 'show', 'a']";
    let given = Environment {
        key: Some(SECRET.to_owned().into()),
        ..Environment::default()
    };
    let none = Environment::default();
    assert_eq!(
        source(file, "", none, ModelArgs::default()),
        "http://a  command"
    );
    assert_eq!(
        source(file, "", given, ModelArgs::default()),
        "http://a  key"
    );
    let file = "url = 'http://a'\napi_key_keyring = 'a'";
    assert_eq!(
        source(file, "", Environment::default(), ModelArgs::default()),
        "http://a  keyring"
    );
}

#[test]
fn no_secret_is_in_what_is_printed_for_debugging() {
    let user: UserFile = toml::from_str(
        "url = 'https://me:sk-very-secret@a.com/v1?key=sk-very-secret'\nmodel = 'm'\n\
         proxy = 'http://me:sk-very-secret@proxy'\n[headers]\nX-Key = 'sk-very-secret'\n\
         X-Other = '$OTHER'",
    )
    .unwrap();
    let mut environment = keys(&["OpenAI", "Anthropic", "Gemini"]);
    environment.key = Some(SECRET.to_owned().into());
    let mut printed = format!("{user:?} {environment:?}");
    let workspace = WorkspaceFile::default();
    let args = ModelArgs::default();
    let config = together(user, workspace, environment, &args, no_errors, |name| {
        (name == "OTHER").then(|| SECRET.to_owned())
    })
    .unwrap();
    printed += &format!("{config:?}");
    assert!(
        printed.contains("https://a.com/v1") && !printed.contains(SECRET),
        "{printed}"
    );
}

#[test]
fn what_is_asked_for_beats_the_users_file() {
    let user = "offline = true\nurl = 'http://user'\nmodel = 'm'";
    let flag = ModelArgs {
        url: Some("http://flag".into()),
        ..ModelArgs::default()
    };
    let none = Environment::default;
    assert_eq!(source(user, "", none(), ModelArgs::default()), "offline");
    assert_eq!(source(user, "", none(), flag.clone()), "http://flag m open");
    assert_eq!(source(user, "offline = true", none(), flag), "offline");
    // A variable may be set for all that the shell runs.
    let variable = Environment {
        url: Some("http://variable".into()),
        model: Some("v".into()),
        ..none()
    };
    assert_eq!(source(user, "", variable, ModelArgs::default()), "offline");
}

#[test]
fn the_theme_is_the_users() {
    let dark = "[interface]\ntheme = 'dark'";
    assert_eq!(theme("", ""), Ok(("auto", Vec::new())));
    assert_eq!(theme(dark, ""), Ok(("dark", Vec::new())));
    let (name, warnings) = theme("", dark).unwrap();
    assert_eq!(name, "auto");
    assert!(
        warnings[0].contains("`interface` is ignored"),
        "{warnings:?}"
    );
    let error = theme("[interface]\ntheme = 'blue'", "").unwrap_err();
    assert!(error.contains("unknown variant `blue`"), "{error}");
}

/// Returns the theme of two files, and the warnings on them.
fn theme(user: &str, workspace: &str) -> Result<(&'static str, Vec<String>), String> {
    let user = toml::from_str(user).map_err(|error| error.to_string())?;
    let workspace = toml::from_str(workspace).unwrap();
    let (environment, args) = (Environment::default(), ModelArgs::default());
    let config = together(user, workspace, environment, &args, no_errors, |_| None).unwrap();
    Ok((config.interface.theme.word(), config.warnings))
}

#[test]
fn the_first_frame_is_asked_for_before_all_else_is_read() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("config.toml");
    for (text, inline, theme) in [
        ("[interface]\ninline = true\n", true, ThemeName::Auto),
        (
            "[interface]\ntheme = 'terminal'\n",
            false,
            ThemeName::Terminal,
        ),
        (
            "model = 'm'\n[interface]\nmouse = false\ninline = true\ntheme = 'dark'\n",
            true,
            ThemeName::Dark,
        ),
        (
            "[interface]\ntheme = 'high-contrast-light'\n",
            false,
            ThemeName::HighContrastLight,
        ),
        ("[interface]\nmouse = false\n", false, ThemeName::Auto),
        ("", false, ThemeName::Auto),
        ("[interface]\ninline = 'yes'\n", false, ThemeName::Auto),
        (
            "[interface]\ninline = true\ntheme = 'solarized'\n",
            false,
            ThemeName::Auto,
        ),
        ("[interface\ninline = true\n", false, ThemeName::Auto),
    ] {
        std::fs::write(&file, text).unwrap();
        assert_eq!(first_frame(&file), FirstFrame { inline, theme }, "{text:?}");
    }
    std::fs::remove_file(&file).unwrap();
    assert_eq!(first_frame(&file), FirstFrame::default());
}

#[test]
fn what_is_wrong_after_parsing_is_said_with_its_line() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("config.toml");
    let text = "model = 'm'\nurl = 'http://localhost'\n[headers]\nA = 'b'\nX = '$SIGNOFF_UNSET_VARIABLE'\n";
    std::fs::write(&file, text).unwrap();
    let (environment, args) = (Environment::default(), ModelArgs::default());
    let error = Config::load(&file, folder.path(), &args, environment, no_errors);
    assert_eq!(
        error.unwrap_err().to_string(),
        "config.toml, line 5: the header X needs $SIGNOFF_UNSET_VARIABLE, which is not set"
    );
}
